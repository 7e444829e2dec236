//! Trees after Weber and Penn, *Creation and Rendering of Realistic Trees* (SIGGRAPH 1995).
//!
//! A tree is a trunk (level 0) that bears branches (level 1) that bear branches, up to four levels, and leaves on the last one. A
//! handful of numbers per level says how long, thick, curved and divided its stems are. One idea per module:
//!
//! | module | idea |
//! |---|---|
//! | [`params`] | the numbers, and what they may be |
//! | [`shape`] | outlines of a crown: how long a branch is by its height; the pruning envelope |
//! | [`counts`] | lengths, radii and numbers of children |
//! | [`taper`] | radius along a stem: taper modes, flare, lobes |
//! | [`angles`] | how children leave their parent |
//! | [`frame`] | directions of a stem |
//! | [`stem`] | one stem: curvature, splits, attraction up, helix |
//! | [`prune`] | where a stem ends: ground and envelope |
//! | [`nodes`] | a stem as nodes of a skeleton |
//! | [`support`] | wood that can carry what grows on it |
//! | [`grow`] | all stems of a tree |
//! | [`leaves`] | where leaves sit and how they face |
//!
//! The paper has z up; here y is up. Where it leaves something open, each module says what was chosen. Lobes shape the cross-section
//! only: a skeleton has round wood, and [`WeberPenn::lobe_factor`] tells a skin what to do.

pub(crate) mod angles;
pub(crate) mod counts;
pub(crate) mod frame;
pub(crate) mod grow;
pub(crate) mod leaves;
mod nodes;
pub(crate) mod params;
mod prune;
pub(crate) mod shape;
pub(crate) mod stem;
mod support;
pub(crate) mod taper;

pub use leaves::LeafHabit;
pub use params::{Level, Prune, WeberPenn};
pub use shape::Outline;
