//! Trees that move without state: beams bent by noise of the right spectrum (Habel, Kusternig and Wimmer 2009).
//!
//! Where a point of the tree is depends on the time alone. Every branch bends as a tapered beam under an even load does, as far as a line through a motion texture
//! says at that moment, and carries what grows on it. That fits into a vertex shader: `spectral.wgsl` of `treesway-skin` is the twin of [`deform`], [`leaf`] and of
//! the sampling in [`texture`], and `crates/treesway-render/tests/spectral.rs` compares them.
//!
//! | file | idea |
//! |---|---|
//! | [`settings`] | what a user chooses |
//! | [`beam`] | how a tapered branch bends |
//! | [`spectrum`] | which frequencies move it |
//! | [`texture`] | motion of a whole level as a picture |
//! | [`trajectory`] | lines through it that do not close |
//! | [`oscillator`] | frequency, damping and swing of each branch |
//! | [`softness`] | how much slower it swings because what it carries bends |
//! | [`hierarchy`], [`limbs`] | branches of a tree of bodies, and of mere geometry |
//! | [`deform`], [`leaf`] | where points of wood and of leaves are |
//! | [`wind`] | what changes from frame to frame |
//! | [`model`] | all of it, as the GPU reads it |
//! | [`handover`] | motion of a simulated tree taken over, and back |
//! | [`step`] | poses of bodies, for all that is not drawn by the GPU |

pub mod beam;
mod deform;
mod handover;
mod hierarchy;
mod leaf;
mod limbs;
mod model;
mod oscillator;
mod settings;
mod softness;
pub mod spectrum;
mod step;
pub mod texture;
pub mod trajectory;
mod wind;

pub use handover::{BranchMotion, Fit, LevelMatch, Recording, matches};
pub use hierarchy::{SpectralBody, SpectralTree};
pub use limbs::Limb;
pub use model::{
    NO_BRANCH, SpectralBranch, SpectralFrame, SpectralLevel, SpectralModel, SpectralVertex,
};
pub use settings::{
    Bending, BranchFactors, FrequencyBy, LevelFactors, SpectralSettings, Stroke, TextureKind,
};
pub(crate) use step::{Coming, Spectral};
pub use texture::MotionTextures;
pub use wind::SpectralWind;
