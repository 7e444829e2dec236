//! What a species is made of: wood, leaves, fruit.
//!
//! What the engine has a use for becomes [`TreeParams`]; strengths, shapes and colours are for breakage and skin.

use super::colour::Colour;
use crate::GrowError;
use crate::weber_penn::params::each;
use serde::{Deserialize, Serialize};
use treesway::{Breakage, FruitMaterial, LeafMaterial, TreeParams, Wood};

/// Green wood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WoodProperties {
    /// kg/m³ (default: 800).
    pub density: f32,
    /// E, Pa (default: 8e9).
    pub youngs_modulus: f32,
    /// G/E (default: 1/16).
    pub shear_ratio: f32,
    /// β, s (default: 0.02).
    pub damping_beta: f32,
    /// Modulus of rupture, Pa: a branch breaks where its outermost fibres bear more (default: 50e6).
    pub bending_strength: f32,
    /// Colour of the bark (default: `#5a4636`).
    pub colour: Colour,
}

impl Default for WoodProperties {
    fn default() -> Self {
        Self {
            density: 800.0,
            youngs_modulus: 8e9,
            shear_ratio: 1.0 / 16.0,
            damping_beta: 0.02,
            bending_strength: 50e6,
            colour: Colour([0x5a, 0x46, 0x36]),
        }
    }
}

/// Form of a blade, for the skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeafShape {
    /// Oval with a point (default).
    #[default]
    Ovate,
    /// Round lobes along both sides: oak.
    Lobed,
    /// Five fingers: maple.
    Palmate,
    /// Long and narrow: willow.
    Lanceolate,
    /// As wide as long, with a toothed edge: birch, aspen.
    Rhombic,
    /// A shoot with short needles along it: spruce.
    Needles,
    /// A shoot with long needles, most of them at its end: pine.
    Tuft,
    /// A leaflet of a feather leaf: palm.
    Leaflet,
    /// A flower of several petals.
    Blossom,
}

/// Blades, petals or sprays of needles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LeafProperties {
    /// For the skin (default: ovate).
    pub shape: LeafShape,
    /// Petals of a blossom, 0 of a leaf (default: 0).
    pub petals: u32,
    /// (default: `#5b8c3a`).
    pub colour: Colour,
    /// m; of needles, that of a blade with their mass (default: 0.0003).
    pub thickness: f32,
    /// kg/m³ (default: 700).
    pub density: f32,
    /// Hz (default: 4).
    pub flap_hz: f32,
    /// Hz (default: 6).
    pub sway_hz: f32,
    /// Hz (default: 5).
    pub twist_hz: f32,
    /// s (default: 0.015).
    pub damping_beta: f32,
    /// Pull at which it is torn off, N (default: 1).
    pub break_force: f32,
}

impl Default for LeafProperties {
    fn default() -> Self {
        let engine = LeafMaterial::default();
        Self {
            shape: LeafShape::default(),
            petals: 0,
            colour: Colour([0x5b, 0x8c, 0x3a]),
            thickness: 0.0003,
            density: engine.density,
            flap_hz: engine.flap_hz,
            sway_hz: engine.sway_hz,
            twist_hz: engine.twist_hz,
            damping_beta: engine.damping_beta,
            break_force: 1.0,
        }
    }
}

/// Fruit on stalks: how many, how large, of what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FruitProperties {
    /// On a stem of the last level, on average (default: 0).
    pub per_stem: f32,
    /// m (default: 0.035).
    pub radius: f32,
    /// m (default: 0.025).
    pub stem_length: f32,
    /// m (default: 0.0015).
    pub stem_radius: f32,
    /// (default: `#c0392b`).
    pub colour: Colour,
    /// kg/m³ (default: 850).
    pub density: f32,
    /// E of the stalk, Pa (default: 1e9).
    pub stem_modulus: f32,
    /// s (default: 0.03).
    pub damping_beta: f32,
    /// Pull at which it comes off, N (default: 20).
    pub break_force: f32,
}

impl Default for FruitProperties {
    fn default() -> Self {
        let engine = FruitMaterial::default();
        Self {
            per_stem: 0.0,
            radius: 0.035,
            stem_length: 0.025,
            stem_radius: 0.0015,
            colour: Colour([0xc0, 0x39, 0x2b]),
            density: engine.density,
            stem_modulus: engine.stem_modulus,
            damping_beta: engine.damping_beta,
            break_force: 20.0,
        }
    }
}

impl WoodProperties {
    pub(super) fn validate(&self) -> Result<(), GrowError> {
        each(&[
            ("wood.density", self.density, 50.0, 2000.0),
            ("wood.youngs_modulus", self.youngs_modulus, 1e6, 1e12),
            ("wood.shear_ratio", self.shear_ratio, 1e-3, 1.0),
            ("wood.damping_beta", self.damping_beta, 0.0, 10.0),
            ("wood.bending_strength", self.bending_strength, 1e4, 1e10),
        ])
    }
}

impl LeafProperties {
    pub(super) fn validate(&self) -> Result<(), GrowError> {
        each(&[
            ("leaf_material.petals", self.petals as f32, 0.0, 100.0),
            ("leaf_material.thickness", self.thickness, 1e-6, 0.1),
            ("leaf_material.density", self.density, 1.0, 5000.0),
            ("leaf_material.flap_hz", self.flap_hz, 1e-3, 1e4),
            ("leaf_material.sway_hz", self.sway_hz, 1e-3, 1e4),
            ("leaf_material.twist_hz", self.twist_hz, 1e-3, 1e4),
            ("leaf_material.damping_beta", self.damping_beta, 0.0, 10.0),
            ("leaf_material.break_force", self.break_force, 0.0, 1e6),
        ])
    }
}

impl FruitProperties {
    pub(super) fn validate(&self) -> Result<(), GrowError> {
        each(&[
            ("fruit.per_stem", self.per_stem, 0.0, 1000.0),
            ("fruit.radius", self.radius, 1e-3, 1.0),
            ("fruit.stem_length", self.stem_length, 0.0, 2.0),
            ("fruit.stem_radius", self.stem_radius, 1e-5, 0.1),
            ("fruit.density", self.density, 1.0, 5000.0),
            ("fruit.stem_modulus", self.stem_modulus, 1e3, 1e12),
            ("fruit.damping_beta", self.damping_beta, 0.0, 10.0),
            ("fruit.break_force", self.break_force, 0.0, 1e6),
        ])
    }
}

/// What the engine has a use for.
pub(super) fn params(
    wood: &WoodProperties,
    leaf: &LeafProperties,
    fruit: &FruitProperties,
) -> TreeParams {
    TreeParams {
        wood: Wood {
            density: wood.density,
            youngs_modulus: wood.youngs_modulus,
            shear_ratio: wood.shear_ratio,
            damping_beta: wood.damping_beta,
        },
        leaf: LeafMaterial {
            density: leaf.density,
            flap_hz: leaf.flap_hz,
            sway_hz: leaf.sway_hz,
            twist_hz: leaf.twist_hz,
            damping_beta: leaf.damping_beta,
            blades: 1.0,
        },
        fruit: FruitMaterial {
            density: fruit.density,
            stem_modulus: fruit.stem_modulus,
            damping_beta: fruit.damping_beta,
        },
        breakage: Breakage {
            strength: wood.bending_strength,
            ..Breakage::default()
        },
        ..TreeParams::default()
    }
}
