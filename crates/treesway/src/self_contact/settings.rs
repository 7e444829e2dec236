//! What a user chooses of the contacts of a tree with itself.

use crate::desc::BuildError;
use crate::params::check;

/// How a tree is kept from passing through itself.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct SelfContactSettings {
    /// Whether it is, with any solver (default: no). The solver `contact` always does.
    pub enabled: bool,
    /// What stays between bark and leaves, m (default: 0.0005).
    pub gap: f32,
    /// Where a response points (default: nearest).
    pub directions: ResponseDirections,
    /// C_r, N: size of every response, as printed (default: 0, as much as parts the two).
    pub force: f32,
    /// How often responses are tried in a frame before what still meets is returned to its last clean pose (default: 8).
    pub responses: u32,
}

impl Default for SelfContactSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            gap: 5e-4,
            directions: ResponseDirections::Nearest,
            force: 0.0,
            responses: 8,
        }
    }
}

/// Where a response points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum ResponseDirections {
    /// Along the nearest points of both at the contact, of all pairs, and there: leaves twist out of the way (default).
    #[default]
    Nearest,
    /// By the cases of the paper: normals of leaves, above and below by count, and against the motion of leaves (Eq. 8), on midribs.
    Cases,
}

impl SelfContactSettings {
    /// Names the first setting out of its range.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        check(
            &[("self_contact.gap", self.gap)],
            |v| v > 0.0,
            "a length greater than zero",
        )?;
        check(
            &[("self_contact.force", self.force)],
            |v| v >= 0.0,
            "a finite number, not negative",
        )
    }
}
