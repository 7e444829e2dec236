//! Results of a run as a NumPy archive: every array that a researcher needs to take the motion apart, for `numpy.load`.
//!
//! [`RunWriter`] knows which arrays there are (`docs/FORMATS.md`); the private `archive` puts arrays of any kind into a file while they grow, so
//! that memory does not.

pub(crate) mod archive;
mod modes;
mod run;

pub use modes::write_modes;
pub use run::{RunError, RunWriter};
