//! Grows [`Skeleton`]s for Treesway: [`species`] of trees after Weber and Penn, a [`Beam`], a [`Fork`] and a [`Broadleaf`] tree, each from a
//! few numbers and a seed.
//!
//! Growth is deterministic: the same parameters give the same skeleton to the last bit on every platform (own random
//! numbers, `libm` for elementary functions, `f64` throughout).
//!
//! ```
//! use treesway_grow::{Wanted, species};
//!
//! let oak = species::named("oak")?;
//! let grown = oak.grow(7, &Wanted { bodies: Some(500), ..Wanted::default() })?;
//! let bodies = treesway::cut(&grown.skeleton, &grown.cut)?;
//! assert_eq!(bodies.bodies.len(), 500);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod beam;
mod broadleaf;
mod clear;
mod fork;
mod frame;
pub mod grammars;
mod lsystem;
pub mod species;
mod stems;
pub mod text;
pub mod weber_penn;

pub use beam::Beam;
pub use broadleaf::Broadleaf;
pub use clear::{Cleared, clear};
pub use fork::Fork;
pub use frame::looking_along;
pub use lsystem::{Counts, Grammar, GrammarError, Growth, Limits, Lparser, Place, Plant};
pub use species::{Species, SpeciesError, Wanted};
pub use stems::{Rejected, StemLeaves, Stems};

use treesway::{CutOptions, Skeleton, TreeParams};

/// A skeleton and the cut it was grown for.
#[derive(Clone, Debug, PartialEq)]
pub struct Grown {
    /// Branches and leaves.
    pub skeleton: Skeleton,
    /// The cut that gives the wanted number of bodies.
    pub cut: CutOptions,
    /// How the derivation went, if it grew from a grammar.
    pub derived: Option<Counts>,
    /// What it is made of, where its source knows; a scene's own parameters go on top.
    pub params: Option<TreeParams>,
    /// What it was grown from, where that is a species: colours, leaf shapes and lobes for the skin, strengths for breakage.
    pub species: Option<Box<Species>>,
    /// What it looks like, where it is of no species.
    pub appearance: Appearance,
    /// What was changed for it to be free of collisions; none if it need not be.
    pub cleared: Option<Cleared>,
}

/// What a plant of no species looks like; none where its source does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Appearance {
    /// Of stems that are no wood.
    pub stem_colour: Option<species::Colour>,
    /// Of leaves.
    pub leaf_colour: Option<species::Colour>,
    /// Form of the blades.
    pub leaf_shape: Option<species::LeafShape>,
    /// Width of a usual leaf over its length.
    pub leaf_aspect: Option<f32>,
}

impl Grown {
    /// A skeleton that needs no more than its cut.
    pub fn new(skeleton: Skeleton, cut: CutOptions) -> Self {
        Self {
            skeleton,
            cut,
            derived: None,
            params: None,
            species: None,
            appearance: Appearance::default(),
            cleared: None,
        }
    }
}

/// Why nothing grows from these parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name} is {value}; expected {expected}")]
pub struct GrowError {
    /// The parameter.
    pub name: &'static str,
    /// What it was.
    pub value: f64,
    /// What it should have been.
    pub expected: String,
}

/// Fails on the first value that is not a finite number greater than zero.
fn all_positive(named: &[(&'static str, f64)]) -> Result<(), GrowError> {
    all_within(
        named,
        f64::MIN_POSITIVE,
        f64::MAX,
        "a finite number greater than zero",
    )
}

/// Fails on the first value outside `least..=most`.
fn all_within(
    named: &[(&'static str, f64)],
    least: f64,
    most: f64,
    expected: &str,
) -> Result<(), GrowError> {
    match named.iter().find(|(_, v)| !(least..=most).contains(v)) {
        None => Ok(()),
        Some(&(name, value)) => Err(GrowError {
            name,
            value,
            expected: expected.into(),
        }),
    }
}
