//! Colours, shapes and sizes of what is seen, from a species or by default.

use crate::ModelSurface;
use std::sync::Arc;
use treesway_grow::species::{BarkStyle, Colour, LeafShape};
use treesway_grow::{Appearance, Grown, Species};

/// What a tree looks like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// Trunk and branches.
    pub bark: BarkLook,
    /// Leaves, needles or petals.
    pub leaf: LeafLook,
    /// Fruit.
    pub fruit: FruitLook,
    /// The surface that a model brought with it, in place of bark and leaves made from bodies (default: none).
    pub own: Option<Arc<ModelSurface>>,
}

/// Trunk and branches.
#[derive(Clone, Debug, PartialEq)]
pub struct BarkLook {
    /// Pattern (default: furrowed).
    pub style: BarkStyle,
    /// sRGB, 0 to 1 (default: a grey brown).
    pub colour: [f32; 3],
    /// Of furrows, scars and marks, sRGB (default: nearly black).
    pub dark: [f32; 3],
    /// Edge of one tile of the texture on a trunk, m (default: 0.6).
    pub tile: f32,
    /// From furrow to ridge on a trunk, m (default: 0.012).
    pub relief: f32,
    /// Whether thin wood is darker and smoother than old; stems that are no wood are as they are (default: true).
    pub ages: bool,
}

/// Leaves, needles or petals.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafLook {
    /// Form of the blade (default: ovate).
    pub shape: LeafShape,
    /// sRGB, 0 to 1 (default: a fresh green).
    pub colour: [f32; 3],
    /// Of one blade, m: a body that is longer stands for a spray of several; none if every body is one leaf (default: none).
    pub length: Option<f32>,
    /// Width over length (default: 0.6).
    pub aspect: f32,
    /// Between the wood and the base of a blade, in lengths of the blade (default: 0).
    pub stalk: f32,
    /// Around a twig from leaf to leaf, radians; about a right angle: in pairs, each across the last; negative: in two rows (default: 140°).
    pub rotate: f32,
    /// Between twig and leaf, radians (default: 45°).
    pub down: f32,
    /// Of a blossom, 0 of a leaf (default: 0).
    pub petals: u32,
    /// How much of the way blades turn about their stalk, from where their body has them to where they face the light; none in a tree whose leaves
    /// do not go through each other, so that what is seen does not either (default: 0.75).
    pub to_light: f32,
}

/// Fruit.
#[derive(Clone, Debug, PartialEq)]
pub struct FruitLook {
    /// sRGB, 0 to 1 (default: red).
    pub colour: [f32; 3],
}

impl Default for BarkLook {
    fn default() -> Self {
        Self {
            style: BarkStyle::default(),
            colour: [0.35, 0.27, 0.21],
            dark: [0.18, 0.145, 0.118],
            tile: 0.6,
            relief: 0.012,
            ages: true,
        }
    }
}

impl BarkLook {
    /// The radius that a vertex says a branch of radius `r` m has: what does not age is shown as old wood. Negative where it is torn.
    pub(crate) fn drawn_radius(&self, r: f32) -> f32 {
        // `bark.wgsl`: whole from here on.
        const OLD: f32 = 0.06;
        if self.ages {
            r
        } else {
            r.abs().max(OLD).copysign(r)
        }
    }
}

impl Default for LeafLook {
    fn default() -> Self {
        Self {
            shape: LeafShape::default(),
            colour: [0.29, 0.42, 0.18],
            length: None,
            aspect: 0.6,
            stalk: 0.0,
            rotate: 140_f32.to_radians(),
            down: 45_f32.to_radians(),
            petals: 0,
            to_light: 0.75,
        }
    }
}

impl Default for FruitLook {
    fn default() -> Self {
        Self {
            colour: [0.75, 0.22, 0.17],
        }
    }
}

impl Look {
    /// What the species file says.
    pub fn of(species: &Species) -> Self {
        let (bark, habit) = (&species.bark, &species.leaf);
        Self {
            bark: BarkLook {
                style: bark.style,
                colour: srgb(species.wood.colour),
                dark: srgb(bark.dark),
                tile: bark.tile,
                relief: bark.relief,
                ages: true,
            },
            leaf: LeafLook {
                shape: species.leaf_material.shape,
                colour: srgb(species.leaf_material.colour),
                length: Some(habit.length),
                aspect: habit.aspect,
                stalk: habit.stalk_length / habit.length,
                rotate: habit.rotate_deg.to_radians(),
                down: habit.down_angle_deg.to_radians(),
                petals: species.leaf_material.petals,
                ..LeafLook::default()
            },
            fruit: FruitLook {
                colour: srgb(species.fruit.colour),
            },
            own: None,
        }
    }
}

impl Look {
    /// Of a tree that has grown: that of its species, or the default in its colours.
    pub fn of_grown(grown: &Grown) -> Self {
        let mut look = match grown.species.as_deref() {
            Some(species) => Self::of(species),
            None => Self::painted(&grown.appearance),
        };
        if grown.cleared.is_some() {
            look.leaf.to_light = 0.0;
            // Every body is one leaf, and its base stem is as long as there is room.
            if look.leaf.length.is_none() {
                look.leaf.stalk = 0.6;
            }
        }
        look
    }

    /// The default with what is known of a plant: stems that have a colour are smooth and have it at any age.
    pub fn painted(known: &Appearance) -> Self {
        let mut look = Self::default();
        if let Some(stem) = known.stem_colour {
            let colour = srgb(stem);
            look.bark = BarkLook {
                style: BarkStyle::Smooth,
                colour,
                dark: colour.map(|c| 0.8 * c),
                relief: 0.0,
                ages: false,
                ..look.bark
            };
        }
        let usual = look.leaf;
        look.leaf = LeafLook {
            colour: known.leaf_colour.map_or(usual.colour, srgb),
            shape: known.leaf_shape.unwrap_or(usual.shape),
            aspect: known.leaf_aspect.unwrap_or(usual.aspect),
            ..usual
        };
        look
    }
}

impl Look {
    /// Of a tree that brought its own surface: painted as that is, at any age.
    pub fn with_own(mut self, own: Arc<ModelSurface>) -> Self {
        self.bark.ages = false;
        self.own = Some(own);
        self
    }
}

/// 0 to 1.
fn srgb(colour: Colour) -> [f32; 3] {
    colour.0.map(|byte| f32::from(byte) / 255.0)
}
