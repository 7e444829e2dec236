//! The particle tree: L-systems that grow, bend and are shown as curves (L-systems and particles, Eq. 2.1–2.7 and 5.1–5.3).
//!
//! A particle sits at the end of every branch and hangs on a spring from where it would rest. Forces on it turn the branch about the end of its
//! parent; the children follow, and turn themselves in turn.
//!
//!   τ = R × f                                                 (2.1)      f = F_G + F_W + F_S          (5.1)
//!   τ = I α,   I = ⅓ M L²                                     (2.2, 2.3)
//!   ω = ω₀ + α t,   θ = θ₀ + ω₀ t + ½ α t²                    (2.4, 2.5)
//!   F_S = −k_s x − k_d v                                      (2.6, 2.7)
//!   R_child = (C_current − I_current) + I_child               (5.2)
//!   C_child = R_child + S_child                               (5.3)
//!
//! Two slips of the paper are mended: (2.7) is printed with +k_d v, which would feed energy in, and (2.1) as f ⊗ R, which would turn branches away
//! from where they are pulled. In (5.2) I is where a particle was at first, R where it rests, C where it is, and S = C − R. Both are the same in every
//! frame that a branch's parent does not turn: S depends on the branch's own turn alone, and the branches of a tree are oscillators that only
//! pass on where they are. That turn is what is kept, as a rotation vector in the frame of the branch at rest.
//!
//! | file | idea |
//! |---|---|
//! | [`settings`] | what a user chooses |
//! | [`particle`] | what a particle is made of |
//! | [`swing`] | one particle over one step |
//! | [`up`] | forces on all of them, tips to root |
//! | [`propagate`] | where the children go |
//! | [`step`] | the stages of a step |
//! | [`regrow`] | the motion of a plant that is grown anew |

mod particle;
pub(crate) mod propagate;
mod regrow;
mod settings;
mod step;
pub(crate) mod swing;
pub(crate) mod up;

pub(crate) use particle::Particle;
pub use settings::{ParticleScheme, ParticleSettings, Propagation, Rods};
