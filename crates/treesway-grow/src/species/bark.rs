//! What the bark of a species looks like, for the skin.

use super::colour::Colour;
use crate::GrowError;
use crate::weber_penn::params::each;
use serde::{Deserialize, Serialize};

/// Pattern of a trunk's surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BarkStyle {
    /// Long upright ridges that meet and part, deep furrows between them: oak, maple (default).
    #[default]
    Furrowed,
    /// Ridges that cross in a net of diamonds: willow.
    Crossed,
    /// Large flaking plates: pine.
    Plated,
    /// Small scales with lifted edges: spruce, apple.
    Scaly,
    /// White skin that peels sideways, with dark dashes and black rough patches: birch.
    Papery,
    /// Shining skin with rough bands of pores across: cherry.
    Banded,
    /// Pale skin with dark scars shaped like eyes: aspen.
    Eyed,
    /// Scars of leaf bases around the trunk, fibres along it: palm.
    Ringed,
    /// Thin skin with small pores: hazel, beech.
    Smooth,
}

/// Bark, beside its colour, which is that of the wood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BarkProperties {
    /// Pattern (default: furrowed).
    pub style: BarkStyle,
    /// Edge of one tile of the pattern on a trunk, m (default: 0.6).
    pub tile: f32,
    /// From furrow to ridge on a trunk, m (default: 0.012).
    pub relief: f32,
    /// Of furrows, scars and marks (default: `#2e251e`).
    pub dark: Colour,
}

impl Default for BarkProperties {
    fn default() -> Self {
        Self {
            style: BarkStyle::default(),
            tile: 0.6,
            relief: 0.012,
            dark: Colour([0x2e, 0x25, 0x1e]),
        }
    }
}

impl BarkProperties {
    pub(super) fn validate(&self) -> Result<(), GrowError> {
        each(&[
            ("bark.tile", self.tile, 0.01, 10.0),
            ("bark.relief", self.relief, 0.0, 0.2),
        ])
    }
}
