//! One particle over one step.
//!
//! With φ the turn of the branch since rest and x = R − R₀ in (2.6), R × (−k_s x − k_d v) is −k sin|φ| φ/|φ| − c φ̇, k = k_s L², c = k_d L²:
//!
//!   I φ̈ + c φ̇ + k (sin|φ|/|φ|) φ = τ                                                                      (1)
//!
//! about each axis of the branch at rest. **As printed** the acceleration of the start holds over the step (2.4, 2.5). That diverges where h is long
//! against a period.
//!
//! **In closed form** the spring is measured along the arc, k φ: a chord grows weaker beyond a quarter turn, and a branch that was
//! blown over would stay there. Then (1) is a damped oscillator whose closed form is known at any h. The torque changes with the turn too:
//! that of the wind falls as a branch lies down in the lee. Its derivative −κ, of which an upper bound is enough, joins the spring: with
//! T = τ − k φ of the start, (1) is solved about φ + T/(k + κ), with a damper κ h/2 more. What rests stays at rest whatever κ is. Where κ is
//! too large it takes energy away like a damper; where it is too small it adds some, and leaves that twist easily would spin for ever under their weight.
//! The damper is for those that do so faster than steps follow each other: they would ring, and their next κ start them anew.

use super::{Particle, ParticleScheme};
use crate::analytic::spring::{JointState, coefficients};
use crate::energy::Energy;
use crate::math::simd::Several;
use crate::math::{Real, V3};
use crate::tree::Tree;

/// What acts on a particle, beside its spring.
#[derive(Clone, Copy)]
pub(crate) struct Push<T> {
    /// τ, N·m, joint frame.
    pub(crate) torque: V3<T>,
    /// κ, N·m/rad, about each axis: by how much the torque falls as the branch gives way, not negative.
    pub(crate) yielding: V3<T>,
    /// What the air adds to c, N·m·s/rad.
    pub(crate) damping: V3<T>,
}

/// Sizes of the forces on all that a branch carries, N.
#[derive(Clone, Copy)]
pub(crate) struct Forces<T> {
    /// Of their sum.
    pub(crate) sum: T,
    /// What fields do, or would do to what is across them, one by one.
    pub(crate) blown: T,
    pub(crate) weight: T,
}

impl<T: Real> Forces<T> {
    /// Their part of κ, with their middle at `lever`, m, from the branch's joint, which is the `depth`th from the ground.
    ///
    /// A force changes its torque by its size times the lever at the most as the rod turns, wind that the rod lies down in by about twice that. Both
    /// turn with every joint below, too, each of which swings on its own: what is answered by `depth` of them at once must not add energy. Without
    /// that, long chains flip from side to side in a storm, from step to step.
    #[inline(always)]
    pub(crate) fn give_way(self, lever: T, depth: T) -> T {
        let below = (depth - T::one()) * (self.weight + self.blown);
        (self.sum + self.blown + below) * lever
    }
}

/// The branch after a step of `h` s.
#[inline(always)]
pub(crate) fn swung<T: Real>(
    particle: &Particle<T>,
    before: &JointState<T>,
    push: &Push<T>,
    h: T,
    scheme: ParticleScheme,
) -> JointState<T> {
    let damping = particle.damping + push.damping;
    let pushed = push.torque + particle.preload;
    let spring = before.theta.times(particle.stiffness);
    let inertia = particle.inertia;
    match scheme {
        ParticleScheme::AsPrinted => {
            let chord = spring * sine_ratio(before.theta);
            let slowed = pushed - chord - before.rate.times(damping);
            let accel = V3 {
                x: slowed.x / inertia.x,
                y: slowed.y / inertia.y,
                z: slowed.z / inertia.z,
            };
            let rate = accel.times_plus(h, before.rate); // (2.4)
            let half = h * T::of(0.5);
            JointState {
                theta: accel
                    .times_plus(half, before.rate)
                    .times_plus(h, before.theta), // (2.5)
                rate,
                accel,
            }
        }
        ParticleScheme::ClosedForm => {
            let stiffness = apart(particle.stiffness + push.yielding);
            let inertia = apart(inertia);
            let steps = Several([h; 3]);
            let held = push.yielding * (h * T::of(0.5));
            let lightness = steps / inertia;
            let c = coefficients(
                lightness * steps * stiffness,
                lightness * apart(damping + held),
            );
            // From where it would come to rest, and by how much it moves in a step.
            let u = -(apart(pushed - spring) / stiffness);
            let v = apart(before.rate) * steps;
            let per_step = T::one() / h;
            JointState {
                theta: before.theta + together(c.s * v - c.e * u),
                rate: before.rate + together((c.vv - Several::one()) * v - c.ks * u) * per_step,
                accel: together(c.av * v - c.au * u) * (per_step * per_step),
            }
        }
    }
}

#[inline(always)]
fn apart<T: Real>(v: V3<T>) -> Several<T, 3> {
    Several([v.x, v.y, v.z])
}

#[inline(always)]
fn together<T: Real>(Several([x, y, z]): Several<T, 3>) -> V3<T> {
    V3 { x, y, z }
}

/// sin|φ|/|φ|.
#[inline(always)]
fn sine_ratio<T: Real>(phi: V3<T>) -> T {
    let square = phi.dot(phi);
    let near = square.lt(T::of(1e-3));
    let angle = T::select(near, T::one(), square).sqrt();
    let series = square.times_plus(
        square.times_minus(T::of(1.0 / 120.0), T::of(1.0 / 6.0)),
        T::one(),
    );
    T::select(near, series, angle.sin_cos().0 / angle)
}

impl Tree {
    /// Σ ½ φ̇ᵀ I φ̇ and Σ ½ φᵀ k φ: what the closed form keeps without damping and torque.
    pub(crate) fn swing_energy(&self) -> Energy {
        let mut sum = Energy::default();
        for block in &self.blocks {
            for slot in block.slots() {
                let Some(particle) = block.particle(slot) else {
                    continue;
                };
                let joint = block.joint(slot);
                let (phi, rate) = (joint.theta.widen(), joint.rate.widen());
                sum.kinetic += 0.5 * rate.dot(rate.times(particle.inertia.widen()));
                sum.elastic += 0.5 * phi.dot(phi.times(particle.stiffness.widen()));
            }
        }
        sum
    }
}
