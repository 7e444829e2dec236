//! Small vector maths that is generic over the number type, so that one source of every kernel runs on
//! `f32`, on vectors of them and on `f64`.
//!
//! The public interface of the crate speaks [`glam`]; the kernels do not, because glam's quaternions round
//! differently on SSE and NEON and the engine promises the same bits everywhere. Nothing here uses fused
//! multiply-add but the vectors that are called so ([`simd::Isa::fused`]), and sums have one written order.

/// An angle below this is none, rad: still far below the sag of the stiffest tree.
pub(crate) const LEAST_ANGLE: f64 = 1e-18;
/// An angular speed below this is none, rad/s, and an acceleration, rad/s²: the product of two stays a normal number.
pub(crate) const LEAST_RATE: f64 = 1e-15;

mod elementary;
mod random;
mod real;
mod rotation;
pub mod simd;
mod vector;

pub use random::Rng;
pub use real::Real;
pub use rotation::Quaternion;
pub(crate) use rotation::{polynomial, turns_per_angle};
pub use vector::{Matrix3, Sym3, V3};
