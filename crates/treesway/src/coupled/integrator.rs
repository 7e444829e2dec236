//! Linearly implicit generalised-α (Chung and Hulbert 1993), written for the recursion.
//!
//! M ā + (α M + β K) v_f + K (u_f − θ₀) = f, with ā, v_f, u_f between the ends of the step:
//!
//!   ā = (1−α_m) a₁ + α_m a₀,   v_f = (1−α_f) v₁ + α_f v₀,   u_f likewise,
//!   v₁ = v₀ + h ((1−γ) a₀ + γ a₁),   u₁ = u₀ + h v₀ + h² ((½−b) a₀ + b a₁).
//!
//! v_f = v̂ + c_v ā and u_f = û + c_u ā are affine in ā, so that every joint adds (c_v β + c_u) K to its block of M and
//! −K (û − θ₀) − β K v̂ to its torque. With Rayleigh's α the recursion is solved for x = (1 + α c_v) ā + α v̂ instead of ā.
//! ρ∞ is what is left of an infinitely fast oscillation after one step: 1 keeps it, 0 removes it.

use crate::math::simd::Vector;
use crate::math::{Real, V3};

/// The coefficients of a step.
#[derive(Clone, Copy, Debug)]
pub struct Integrator<T> {
    /// s.
    pub h: T,
    /// ∂v_f/∂ā, s.
    pub c_v: T,
    /// ∂u_f/∂ā, s².
    pub c_u: T,
    /// v̂ = v₀ + `v_a` a₀, s.
    v_a: T,
    /// û = u₀ + `u_v` v₀ + `u_a` a₀; s, s².
    pub u_v: T,
    u_a: T,
    alpha_m: T,
    /// 1/(1−α_m).
    inverse_m: T,
    /// v₁ = v₀ + h (`faster[0]` a₀ + `faster[1]` a₁).
    faster: [T; 2],
    /// u₁ = u₀ + h v₀ + h² (`moved[0]` a₀ + `moved[1]` a₁).
    moved: [T; 2],
    /// Rayleigh's α, 1/s, and 1/(1 + α c_v).
    alpha: T,
    shrink: T,
}

impl<T: Real> Integrator<T> {
    /// For a step of `h` s with spectral radius `rho` (0 to 1) and Rayleigh's `alpha`, 1/s.
    pub fn new(h: f64, rho: f64, alpha: f64) -> Self {
        let alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
        let alpha_f = rho / (rho + 1.0);
        let gamma = 0.5 - alpha_m + alpha_f;
        let b = 0.25 * (1.0 - alpha_m + alpha_f) * (1.0 - alpha_m + alpha_f);
        let late = 1.0 - alpha_f;
        let carry = alpha_m / (1.0 - alpha_m);
        let c_v = late * h * gamma / (1.0 - alpha_m);
        let t = T::of;
        Self {
            h: t(h),
            c_v: t(c_v),
            c_u: t(late * h * h * b / (1.0 - alpha_m)),
            v_a: t(late * h * (1.0 - gamma - gamma * carry)),
            u_v: t(late * h),
            u_a: t(late * h * h * (0.5 - b - b * carry)),
            alpha_m: t(alpha_m),
            inverse_m: t(1.0 / (1.0 - alpha_m)),
            faster: [t(1.0 - gamma), t(gamma)],
            moved: [t(0.5 - b), t(b)],
            alpha: t(alpha),
            shrink: t(1.0 / (1.0 + alpha * c_v)),
        }
    }

    /// Backward Euler, everything at the end of the step, with Rayleigh's `alpha`, 1/s. The root of a free tree is moved so, and its joints must be, too: whatever
    /// else they remembered of the last step would push the whole about.
    pub fn backward(h: f64, alpha: f64) -> Self {
        let (zero, one, t) = (T::zero(), T::one(), T::of);
        Self {
            h: t(h),
            c_v: t(h),
            c_u: t(h * h),
            v_a: zero,
            u_v: t(h),
            u_a: zero,
            alpha_m: zero,
            inverse_m: one,
            faster: [zero, one],
            moved: [zero, one],
            alpha: t(alpha),
            shrink: t(1.0 / (1.0 + alpha * h)),
        }
    }

    /// Forward Euler, nothing implicit: what the paper's Fig. 14 compares with. Stable only for steps far below the period of the
    /// fastest joint.
    pub fn explicit(h: f64) -> Self {
        let (zero, one) = (T::zero(), T::one());
        Self {
            h: T::of(h),
            c_v: zero,
            c_u: zero,
            v_a: zero,
            u_v: zero,
            u_a: zero,
            alpha_m: zero,
            inverse_m: one,
            faster: [zero, one],
            moved: [zero, zero],
            alpha: zero,
            shrink: one,
        }
    }

    /// What multiplies K in the joint's block: (c_u + c_v β)/(1 + α c_v), s².
    #[inline(always)]
    pub fn implicit(&self, beta: T) -> T {
        (self.c_u + self.c_v * beta) * self.shrink
    }

    /// ∂v₁/∂x, s.
    pub(crate) fn rate_gain(&self) -> T {
        self.h * self.faster[1] * self.inverse_m * self.shrink
    }

    /// (v̂, û) less what Rayleigh's α takes of them; û from θ by the inverse left Jacobian.
    #[inline(always)]
    pub fn predict(&self, theta: V3<T>, rate: V3<T>, accel: V3<T>) -> (V3<T>, V3<T>) {
        let v = accel.times_plus(self.v_a, rate);
        let moved = rate.times_plus(self.u_v, accel * self.u_a);
        let less = -(self.c_u * self.alpha * self.shrink);
        (v * self.shrink, turned(theta, v.times_plus(less, moved)))
    }

    /// The state at the end of the step from the x that the recursion found.
    #[inline(always)]
    pub fn finish(
        &self,
        theta: V3<T>,
        rate: V3<T>,
        accel: V3<T>,
        x: V3<T>,
    ) -> (V3<T>, V3<T>, V3<T>) {
        let v = accel.times_plus(self.v_a, rate);
        let mean = v.times_plus(-self.alpha, x) * self.shrink;
        let next = accel.times_plus(-self.alpha_m, mean) * self.inverse_m;
        let mean = accel.times_plus(self.moved[0], next * self.moved[1]);
        let moved = mean.times_plus(self.h, rate) * self.h;
        let mean = accel.times_plus(self.faster[0], next * self.faster[1]);
        let faster = mean.times_plus(self.h, rate);
        (turned(theta, moved), faster, next)
    }
}

impl Integrator<f32> {
    /// The same in every lane.
    #[inline(always)]
    pub(crate) fn splat<T: Vector>(&self) -> Integrator<T> {
        Integrator {
            h: T::splat(self.h),
            c_v: T::splat(self.c_v),
            c_u: T::splat(self.c_u),
            v_a: T::splat(self.v_a),
            u_v: T::splat(self.u_v),
            u_a: T::splat(self.u_a),
            alpha_m: T::splat(self.alpha_m),
            inverse_m: T::splat(self.inverse_m),
            faster: [T::splat(self.faster[0]), T::splat(self.faster[1])],
            moved: [T::splat(self.moved[0]), T::splat(self.moved[1])],
            alpha: T::splat(self.alpha),
            shrink: T::splat(self.shrink),
        }
    }
}

/// log(exp(Δ) exp(θ)) to first order in Δ: θ + J_l⁻¹(θ) Δ = θ + Δ − ½ θ × Δ + c θ × (θ × Δ), c = 1/12 + θ²/720 + θ⁴/30240, good to
/// 1e-5 up to 1.5 rad. Adding to θ instead of taking a logarithm keeps the digits of a small angle under a large stiffness.
#[inline(always)]
fn turned<T: Real>(theta: V3<T>, delta: V3<T>) -> V3<T> {
    let once = theta.cross(delta);
    let square = theta.dot(theta);
    let c = square.times_plus(T::of(1.0 / 30240.0), T::of(1.0 / 720.0));
    let c = square.times_plus(c, T::of(1.0 / 12.0));
    let half = once.times_plus(T::of(-0.5), delta);
    theta + theta.cross(once).times_plus(c, half)
}
