//! Presets of ez-tree (`.json`), as trees after Weber and Penn.
//!
//! ez-tree grows branches of its own kind; what its numbers mean here:
//!
//! | ez-tree | here |
//! |---|---|
//! | `branch.levels` | one level less than there are here: its trunk is level 0 |
//! | `branch.length` | its unit has no meaning; one is taken for [`METRES`] m, so that its trees are as high as trees. Branches of level 2 and 3 are as long as there on average, not each |
//! | `branch.radius` | of level 0 in the same unit; the others are shares of the parent's radius, of which the first gives the power law of all |
//! | `branch.angle`, `children`, `sections`, `taper` | down angle, branches, segments, taper |
//! | `branch.start` | of level 1 the bare base; of others children start at the base |
//! | `branch.gnarliness` | random curvature: a turn of gnarliness/√radius per section, in its unit |
//! | `branch.force` | attraction up if its direction points up, down if down |
//! | `branch.twist`, bark, trellis, tints | not used |
//! | `leaves.count`, `size`, `start`, `angle` | leaves on branches of the last level; a `double` billboard is one leaf |

use super::{LeafShape, Species, SpeciesError};
use crate::weber_penn::{Level, Outline, WeberPenn};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A unit of ez-tree in m: its medium oak, 37 units of trunk, becomes 11 m of trunk.
pub const METRES: f64 = 0.3;

/// What is used of a preset; other programs' files may hold more.
#[derive(Deserialize)]
struct Preset {
    #[serde(default, rename = "type")]
    kind: String,
    branch: Branches,
    leaves: Leaves,
}

/// Numbers per level are keyed "0" to "3".
type PerLevel = BTreeMap<String, f64>;

#[derive(Deserialize)]
struct Branches {
    levels: f64,
    #[serde(default)]
    angle: PerLevel,
    #[serde(default)]
    children: PerLevel,
    #[serde(default)]
    force: Force,
    #[serde(default)]
    gnarliness: PerLevel,
    length: PerLevel,
    radius: PerLevel,
    #[serde(default)]
    sections: PerLevel,
    #[serde(default)]
    start: PerLevel,
    #[serde(default)]
    taper: PerLevel,
}

#[derive(Default, Deserialize)]
struct Force {
    #[serde(default)]
    direction: Direction,
    #[serde(default)]
    strength: f64,
}

#[derive(Default, Deserialize)]
struct Direction {
    #[serde(default)]
    y: f64,
}

#[derive(Deserialize)]
struct Leaves {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    angle: f64,
    count: f64,
    #[serde(default)]
    start: f64,
    size: f64,
    #[serde(default, rename = "sizeVariance")]
    size_variance: f64,
}

/// Reads a preset.
pub fn parse(text: &str, name: &str) -> Result<Species, SpeciesError> {
    let preset: Preset = serde_json::from_str(text).map_err(|e| SpeciesError {
        file: name.into(),
        line: Some(e.line()),
        what: format!("is no ez-tree preset: {e}"),
    })?;
    let wrong = |what: String| SpeciesError {
        file: name.into(),
        line: None,
        what,
    };
    let species = preset.species().map_err(wrong)?;
    species
        .validate()
        .map_err(|(path, e)| wrong(format!("{path}: is {}; expected {}", e.value, e.expected)))?;
    Ok(species)
}

fn of(table: &PerLevel, level: usize, otherwise: f64) -> f64 {
    table.get(&level.to_string()).copied().unwrap_or(otherwise)
}

impl Preset {
    fn species(&self) -> Result<Species, String> {
        let b = &self.branch;
        if !(0.0..=3.0).contains(&b.levels) {
            return Err(format!(
                "branch.levels: is {}; expected a number from 0 to 3",
                b.levels
            ));
        }
        let last = b.levels as usize;
        let length = |n: usize| of(&b.length, n, 1.0) * METRES;
        let radius = of(&b.radius, 0, 1.0) * METRES;
        // Half way along the trunk a branch of level 1 has this share of the radius of its base.
        let share = of(&b.radius, 1, 0.5) * (1.0 - 0.5 * of(&b.taper, 0, 0.7));
        let shorter = length(1) / length(0);
        let power = if last > 0 && shorter > 0.0 && shorter < 1.0 && share > 0.0 {
            (libm::log(share.min(0.95)) / libm::log(shorter)).clamp(0.3, 4.0)
        } else {
            1.2
        };
        let mut species = Species {
            title: format!(
                "{} preset of ez-tree",
                if self.kind.is_empty() {
                    "A"
                } else {
                    &self.kind
                }
            ),
            ..Species::default()
        };
        species.tree = WeberPenn {
            shape: if self.kind == "evergreen" {
                Outline::Conical
            } else {
                Outline::Cylindrical
            },
            scale: length(0) as f32,
            base_size: of(&b.start, 1, 0.2).clamp(0.0, 0.95) as f32,
            ratio: (radius / length(0)) as f32,
            ratio_power: power as f32,
            attraction_up: self.attraction(last),
            levels: (0..=last)
                .map(|n| self.level(n, length))
                .collect::<Result<_, String>>()?,
            ..WeberPenn::default()
        };
        let leaf = &mut species.leaf;
        leaf.per_stem = self.leaves.count as f32;
        leaf.distribution = Outline::Cylindrical;
        leaf.bearing = (1.0 - self.leaves.start).clamp(0.05, 1.0) as f32;
        leaf.length = (self.leaves.size * METRES) as f32;
        leaf.aspect = 1.0;
        leaf.length_v = (0.5 * self.leaves.size_variance).clamp(0.0, 0.9) as f32;
        leaf.down_angle_deg = self.leaves.angle as f32;
        species.leaf_material.shape = match self.leaves.kind.as_str() {
            "oak" => LeafShape::Lobed,
            "aspen" => LeafShape::Rhombic,
            "pine" => LeafShape::Needles,
            _ => LeafShape::Ovate,
        };
        Ok(species)
    }

    /// Its force turns a section by strength/radius towards its direction; a level branch of level 2 then rises as much as here.
    fn attraction(&self, last: usize) -> f32 {
        let b = &self.branch;
        let sections = of(&b.sections, last, 4.0);
        let radius = (0..=last).map(|n| of(&b.radius, n, 0.5)).product::<f64>();
        let turn = b.force.strength / radius.max(1e-3);
        let strength = turn * sections / core::f64::consts::FRAC_PI_2;
        let way = if b.force.direction.y < 0.0 { -1.0 } else { 1.0 };
        (way * strength).clamp(-10.0, 10.0) as f32
    }

    fn level(&self, n: usize, length: impl Fn(usize) -> f64) -> Result<Level, String> {
        let b = &self.branch;
        let children = of(&b.children, n.saturating_sub(1), 0.0);
        if !(0.0..=5000.0).contains(&children) {
            return Err(format!(
                "branch.children: is {children}; expected a number from 0 to 5000"
            ));
        }
        let sections = of(&b.sections, n, 4.0).round();
        if !(0.0..=100.0).contains(&sections) {
            return Err(format!(
                "branch.sections: is {sections}; expected a number from 1 to 100"
            ));
        }
        let radius: f64 = (0..=n).map(|k| of(&b.radius, k, 0.5)).product();
        let gnarl = of(&b.gnarliness, n, 0.0).abs() * (1.0 / radius.max(1e-3).sqrt()).max(1.0);
        // Lengths here fall to 0.4 of the first along the parent from level 2 on: 0.7 on average.
        let average = if n >= 2 { 0.7 } else { 1.0 };
        let relative = if n == 0 {
            1.0
        } else {
            length(n) / (length(n - 1) * average)
        };
        Ok(Level {
            down_angle_deg: of(&b.angle, n, 0.0) as f32,
            down_angle_v_deg: if n == 0 { 0.0 } else { 5.0 },
            rotate_v_deg: 30.0,
            branches: children as u32,
            length: relative as f32,
            taper: of(&b.taper, n, 0.7).clamp(0.0, 1.0) as f32,
            curve_res: sections.max(1.0) as u32,
            curve_v_deg: (gnarl * sections).to_degrees().min(720.0) as f32,
            ..Level::default()
        })
    }
}
