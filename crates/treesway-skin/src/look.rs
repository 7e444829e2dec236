//! Colours, shapes and sizes of what is seen, from a species or by default.

use treesway_grow::Species;
use treesway_grow::species::LeafShape;

/// What a tree looks like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// Trunk and branches.
    pub bark: BarkLook,
    /// Leaves, needles or petals.
    pub leaf: LeafLook,
    /// Fruit.
    pub fruit: FruitLook,
}

/// Trunk and branches.
#[derive(Clone, Debug, PartialEq)]
pub struct BarkLook {
    /// sRGB, 0 to 1 (default: a grey brown).
    pub colour: [f32; 3],
    /// Edge of one tile of the texture on a trunk, m (default: 0.6).
    pub tile: f32,
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
    /// Of a blossom, 0 of a leaf (default: 0).
    pub petals: u32,
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
            colour: [0.35, 0.27, 0.21],
            tile: 0.6,
        }
    }
}

impl Default for LeafLook {
    fn default() -> Self {
        Self {
            shape: LeafShape::default(),
            colour: [0.36, 0.55, 0.23],
            length: None,
            petals: 0,
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
        let default = Self::default();
        Self {
            bark: BarkLook {
                colour: srgb(&species.wood.colour).unwrap_or(default.bark.colour),
                ..default.bark
            },
            leaf: LeafLook {
                shape: species.leaf_material.shape,
                colour: srgb(&species.leaf_material.colour).unwrap_or(default.leaf.colour),
                length: Some(species.leaf.length),
                petals: species.leaf_material.petals,
            },
            fruit: FruitLook {
                colour: srgb(&species.fruit.colour).unwrap_or(default.fruit.colour),
            },
        }
    }
}

/// `#rrggbb`.
fn srgb(css: &str) -> Option<[f32; 3]> {
    let digits = css.strip_prefix('#').filter(|d| d.len() == 6)?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    Some([16, 8, 0].map(|shift| ((number >> shift) & 255) as f32 / 255.0))
}
