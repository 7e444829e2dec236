//! The motion of stems and leaves of the solver `contact` (§4.2 of the paper on tree animation with continuous collision detection, Eq. 1–7).
//!
//!   F_G = m g                                                        (1)
//!   F_R = −k_r (P − P_ini),  P the end of a stem                     (2)
//!   F_T = K_t K_r Σ over children (F_W + F_G + F_T)                  (3)
//!   F = F_W + F_G + F_T + F_R + F_response                           (4)
//!   V ← V (1 − K_d)                                                  (5)
//!   ΔR ← ΔR + Δt (V + Δt 3 τ/(m l²))                                 (6)
//!   F_W of a leaf: C_W n (w·n) at every end of a venation            (7)
//!
//! (2) is printed as k_r·length times a vector that already has that length; a spring has it once. What the paper leaves open, and what the closed form does
//! instead of (5) and (6), is told in `docs/THEORY.md`. F_response is of [`crate::self_contact`], which finds it where the frame would end.
//!
//! | file | idea |
//! |---|---|
//! | [`settings`] | the constants |
//! | [`forces`] | what acts on stems and leaves, tips to root |
//! | [`step`] | the angular update |
//! | [`blade`] | blades that bend in the wind |

mod blade;
mod forces;
mod settings;
mod step;
#[cfg(test)]
mod tests;

pub use settings::{StemScheme, StemSettings};
pub(crate) use step::{FreeStep, held_within};
