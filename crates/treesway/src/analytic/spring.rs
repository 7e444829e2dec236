//! Analytic evolution of one joint spring over a step (Quigley 2017, §4, Eq. 5–6).
//!
//! Ĩ inertia of the frozen subtree about the joint, kg·m²; K diagonal stiffness, N·m/rad; β, s; α, 1/s; τ̃ torque, N·m; h step, s;
//! all in the joint frame; φ = θ − θ₀.
//!
//!   Ĩ φ̈ + (α Ĩ + β K) φ̇ + K φ = τ̃                                                            (5)
//!
//! The paper factors Ĩ = L Lᵀ and diagonalises L⁻¹ K L⁻ᵀ. Here K^(−½) Ĩ K^(−½) = Q D Qᵀ is diagonalised instead, which
//! is the same problem without a factorisation that can break, and with y = Qᵀ K^½ φ each row reads
//!
//!   D ÿ + (α D + β) ẏ + y = g,   g = Qᵀ K^(−½) τ̃,                                               (6')
//!
//! so that the equilibrium y = g does not depend on D: sag stays exact where inertia is tiny or badly conditioned. Jacobi
//! rotations on this matrix keep the relative accuracy of every eigenvalue as long as Ĩ, scaled to a unit diagonal, is
//! well conditioned (Demmel and Veselić 1992), however far apart the three stiffnesses lie.
//!
//! In units of the step, κ = h²/D, a = ½(h α + κ β/h), z = a² − κ, and with C = e^(−a) cosh √z, S = e^(−a) sinh √z / √z:
//!
//!   u ← u − E u + S v,   v ← (C − a S) v − κ S u,   E = 1 − (C + a S),                          (7')
//!
//! where u = y − g and v = h ẏ. Deviation: the paper's c₁, c₂ lose all digits near critical damping and E cancels for
//! soft or heavily damped joints; the three regimes below do not (see [`coefficients`]).

use crate::math::{LEAST_ANGLE, LEAST_RATE, Matrix3, Real, Sym3, V3};

/// A joint and what acts on it, in the joint frame.
#[derive(Clone, Copy, Debug)]
pub struct Joint<T> {
    /// Inertia of the composite body about the joint, kg·m².
    pub inertia: Sym3<T>,
    /// Diagonal of K, N·m/rad.
    pub stiffness: V3<T>,
    /// β, s.
    pub beta: T,
    /// α, 1/s.
    pub alpha: T,
}

/// Where a joint is.
#[derive(Clone, Copy, Debug)]
pub struct JointState<T> {
    /// Rotation vector, rad.
    pub theta: V3<T>,
    /// Relative angular velocity, rad/s.
    pub rate: V3<T>,
    /// Its derivative, rad/s².
    pub accel: V3<T>,
}

impl<T: Real> JointState<T> {
    /// Straight and still.
    #[inline(always)]
    pub fn rest() -> Self {
        Self {
            theta: V3::zero(),
            rate: V3::zero(),
            accel: V3::zero(),
        }
    }
}

impl<T: Real> JointState<T> {
    /// |θ| and |θ̇| within their limits; a joint at its limit does not push further. Also says which were bent too far, and which too fast.
    #[inline(always)]
    pub(crate) fn within(self, most_angle: T, most_rate: T) -> (Self, T::Mask, T::Mask) {
        let angle = self.theta.length();
        let bent = most_angle.lt(angle);
        let direction = self.theta * (T::one() / T::select(bent, angle, T::one()));
        let outward = self.rate.dot(direction).max(T::zero());
        let theta = V3::select(bent, direction * most_angle, self.theta);
        let rate = V3::select(bent, self.rate - direction * outward, self.rate);
        let speed = rate.length();
        let fast = most_rate.lt(speed);
        let slower = T::select(fast, most_rate / T::select(fast, speed, T::one()), T::one());
        let state = Self {
            theta,
            rate: rate * slower,
            accel: self.accel,
        };
        (state, bent, fast)
    }

    /// Without what is too small to matter.
    #[inline(always)]
    pub(crate) fn settled(self) -> Self {
        Self {
            theta: self.theta.settled(LEAST_ANGLE),
            rate: self.rate.settled(LEAST_RATE),
            accel: self.accel.settled(LEAST_RATE),
        }
    }
}

/// The one-step map of a joint: three independent oscillators and how to reach them.
#[derive(Clone, Copy, Debug)]
pub struct StepMap<T> {
    /// K^½ Q: φ = (K^(−½) Q) y, y = (K^½ Q)ᵀ φ.
    to_modes: Matrix3<T>,
    /// K^(−½) Q.
    from_modes: Matrix3<T>,
    modes: [Coefficients<T>; 3],
    /// 1/h, 1/s.
    per_step: T,
}

/// Of (7') and of the acceleration at the end of the step, in units of the step.
#[derive(Clone, Copy, Debug)]
struct Coefficients<T> {
    /// E = 1 − (C + a S).
    e: T,
    /// S.
    s: T,
    /// C − a S.
    vv: T,
    /// κ S.
    ks: T,
    /// ∂(final acceleration)/∂v.
    av: T,
    /// −∂(final acceleration)/∂u = κ (C − a S).
    au: T,
}

/// A joint this much softer than its inertia moves as a free one: the floor on κ = k h²/Ĩ that keeps K^(−½) finite.
const LEAST_KAPPA: f64 = 1e-9;
/// `f32` sums of world-frame inertias carry about this much of their trace as noise; a smaller principal inertia is raised.
const LEAST_INERTIA: f64 = 1e-6;
/// Smallest eigenvalue of the scaled inertia against its smallest diagonal entry that is not noise in `f32`.
const LEAST_EIGENVALUE: f64 = 1e-5;
/// Keeps a² within `f32`; far beyond any phase that a step resolves.
const MOST_KAPPA: f64 = 1e18;
/// Sweeps of Jacobi rotations; a fourth changes no bit on real trees and 1e-7 on random graded matrices.
const SWEEPS: usize = 4;

impl<T: Real> StepMap<T> {
    /// Diagonalises the joint and evaluates its closed form for a step of `h` s.
    #[inline(always)]
    pub fn new(joint: &Joint<T>, h: T) -> Self {
        let trace = joint.inertia.trace();
        let least = trace * T::of(LEAST_INERTIA);
        let mut inertia = joint.inertia;
        inertia.xx = inertia.xx.max(least);
        inertia.yy = inertia.yy.max(least);
        inertia.zz = inertia.zz.max(least);
        let softest = trace * (T::of(LEAST_KAPPA) / (h * h));
        let k = joint.stiffness;
        let root = V3 {
            x: k.x.max(softest).sqrt(),
            y: k.y.max(softest).sqrt(),
            z: k.z.max(softest).sqrt(),
        };
        let inverse = V3 {
            x: T::one() / root.x,
            y: T::one() / root.y,
            z: T::one() / root.z,
        };
        let scaled = Sym3 {
            xx: inertia.xx * inverse.x * inverse.x,
            yy: inertia.yy * inverse.y * inverse.y,
            zz: inertia.zz * inverse.z * inverse.z,
            xy: inertia.xy * inverse.x * inverse.y,
            xz: inertia.xz * inverse.x * inverse.z,
            yz: inertia.yz * inverse.y * inverse.z,
        };
        let floor = scaled.xx.min(scaled.yy).min(scaled.zz) * T::of(LEAST_EIGENVALUE);
        let (q, d) = eigen(scaled);
        let d = d.map(
            #[inline(always)]
            |d| d.max(floor),
        );
        let (alpha, beta) = (joint.alpha, joint.beta);
        Self {
            to_modes: Matrix3 {
                x: q.x.times(root),
                y: q.y.times(root),
                z: q.z.times(root),
            },
            from_modes: Matrix3 {
                x: q.x.times(inverse),
                y: q.y.times(inverse),
                z: q.z.times(inverse),
            },
            modes: [
                coefficients(h, d.x, alpha, beta),
                coefficients(h, d.y, alpha, beta),
                coefficients(h, d.z, alpha, beta),
            ],
            per_step: T::one() / h,
        }
    }

    /// (7') applied to a state, with the spring relaxed at `rest` and the torque constant over the step.
    #[inline(always)]
    pub fn advance(&self, state: &JointState<T>, rest: V3<T>, torque: V3<T>) -> JointState<T> {
        let h = T::one() / self.per_step;
        let g = self.from_modes.apply_transposed(torque);
        let u = self.to_modes.apply_transposed(state.theta - rest) - g;
        let v = self.to_modes.apply_transposed(state.rate * h);
        // Increments, so that a joint at rest stays there to the last bit.
        JointState {
            theta: state.theta
                + self.by_mode(
                    u,
                    v,
                    #[inline(always)]
                    |m, u, v| m.s * v - m.e * u,
                ),
            rate: state.rate
                + self.by_mode(
                    u,
                    v,
                    #[inline(always)]
                    |m, u, v| (m.vv - T::one()) * v - m.ks * u,
                ) * self.per_step,
            accel: self.by_mode(
                u,
                v,
                #[inline(always)]
                |m, u, v| m.av * v - m.au * u,
            ) * (self.per_step * self.per_step),
        }
    }

    /// `f` of each mode, back in the joint frame.
    #[inline(always)]
    fn by_mode(&self, u: V3<T>, v: V3<T>, f: impl Fn(&Coefficients<T>, T, T) -> T) -> V3<T> {
        let [a, b, c] = &self.modes;
        self.from_modes.apply(V3 {
            x: f(a, u.x, v.x),
            y: f(b, u.y, v.y),
            z: f(c, u.z, v.z),
        })
    }

    /// The share of a rate that belongs to modes slower than the step: all of it in a soft joint, none where a mode turns more than half a
    /// cycle or dies out within the step and its velocity says nothing of where it goes.
    #[inline(always)]
    pub fn slow(&self, rate: V3<T>) -> V3<T> {
        let v = self.to_modes.apply_transposed(rate);
        self.by_mode(
            v,
            v,
            #[inline(always)]
            |m, v, _| m.s.max(T::zero()) * v,
        )
    }

    /// What a torque that acts over the step adds to the state: the symmetric matrices ∂θ/∂τ̃ and ∂θ̇/∂τ̃ applied to it.
    #[inline(always)]
    pub fn respond(&self, torque: V3<T>) -> JointState<T> {
        let g = self.from_modes.apply_transposed(torque);
        JointState {
            theta: self.by_mode(
                g,
                g,
                #[inline(always)]
                |m, g, _| m.e * g,
            ),
            rate: self.by_mode(
                g,
                g,
                #[inline(always)]
                |m, g, _| m.ks * g,
            ) * self.per_step,
            accel: self.by_mode(
                g,
                g,
                #[inline(always)]
                |m, g, _| m.au * g,
            ) * (self.per_step * self.per_step),
        }
    }
}

/// Eigenvectors (columns) and eigenvalues of a positive matrix by cyclic Jacobi rotations.
#[inline(always)]
fn eigen<T: Real>(m: Sym3<T>) -> (Matrix3<T>, V3<T>) {
    // A trace of one: squares of entries stay within f32 at any stiffness.
    let size = m.trace();
    let m = m.scale(T::one() / size);
    let (mut xx, mut yy, mut zz, mut xy, mut xz, mut yz) = (m.xx, m.yy, m.zz, m.xy, m.xz, m.yz);
    let mut q = Matrix3::identity();
    for sweep in 0..SWEEPS {
        // Without a rotation left a sweep changes nothing.
        if sweep > 1
            && T::all(negligible(xx, yy, xy))
            && T::all(negligible(xx, zz, xz))
            && T::all(negligible(yy, zz, yz))
        {
            break;
        }
        let (c, s) = rotation(&mut xx, &mut yy, &mut xy);
        turn(&mut xz, &mut yz, c, s);
        turn_columns(&mut q.x, &mut q.y, c, s);
        let (c, s) = rotation(&mut xx, &mut zz, &mut xz);
        turn(&mut xy, &mut yz, c, s);
        turn_columns(&mut q.x, &mut q.z, c, s);
        let (c, s) = rotation(&mut yy, &mut zz, &mut yz);
        turn(&mut xy, &mut xz, c, s);
        turn_columns(&mut q.y, &mut q.z, c, s);
    }
    (
        q,
        V3 {
            x: xx,
            y: yy,
            z: zz,
        } * size,
    )
}

/// Whether an off-diagonal entry is too small to matter: a rotation by it changes neither eigenvalue nor eigenvector in `f32`.
#[inline(always)]
fn negligible<T: Real>(pp: T, qq: T, pq: T) -> T::Mask {
    // Against √(a_pp a_qq), so that small eigenvalues keep their digits; no smaller than a normal number when squared.
    let size = pq.abs().max(T::of(1e-18));
    (size * size).lt((pp * qq).max(T::of(1e-20)) * T::of(1e-17))
}

/// The rotation that zeroes the off-diagonal entry `pq`, applied to its 2×2 block; returns (cosine, sine).
#[inline(always)]
fn rotation<T: Real>(pp: &mut T, qq: &mut T, pq: &mut T) -> (T, T) {
    let d = *qq - *pp;
    let twice = *pq + *pq;
    // Negligible entries would be squared into denormals, which cost up to four times as much.
    let negligible = negligible(*pp, *qq, *pq);
    let denominator = d.abs() + (d * d + twice * twice).sqrt();
    let signed = T::select(d.lt(T::zero()), -twice, twice);
    let t = T::select(
        negligible,
        T::zero(),
        signed / T::select(negligible, T::one(), denominator),
    );
    let c = T::one() / (t * t + T::one()).sqrt();
    let change = t * *pq;
    *pp -= change;
    *qq += change;
    *pq = T::zero();
    (c, t * c)
}

#[inline(always)]
fn turn<T: Real>(rp: &mut T, rq: &mut T, c: T, s: T) {
    (*rp, *rq) = (*rp * c - *rq * s, *rp * s + *rq * c);
}

#[inline(always)]
fn turn_columns<T: Real>(p: &mut V3<T>, q: &mut V3<T>, c: T, s: T) {
    (*p, *q) = (*p * c - *q * s, *p * s + *q * c);
}

/// Closed form of one oscillator (6') over a step. Every regime that some lane is in is computed, and one is chosen lane by lane.
#[inline(always)]
fn coefficients<T: Real>(h: T, d: T, alpha: T, beta: T) -> Coefficients<T> {
    let (one, half, two) = (T::one(), T::of(0.5), T::of(2.0));
    // Both limits on κ, none on a alone: the slow root −κ/2a = −h/β of a stiff damped joint must not change.
    let most = T::of(MOST_KAPPA);
    let kappa = (h * h / d).min(most).min(most * (h / beta));
    let a = (half * (h * alpha + kappa * (beta / h))).min(T::of(MOST_KAPPA));
    let z = a * a - kappa;
    let near = T::of(0.26); // |z| up to which the series below are exact to f32
    let over = near.lt(z);
    let under = z.lt(-near);

    let none = T::zero();
    let (mut s_over, mut vv_over, mut e_over, mut av_over) = (none, none, none, none);
    if T::any(over) {
        // Overdamped: real roots r₁ = −κ/(a + s), without the cancellation of −a + s, and r₂ = −(a + s).
        let s_root = T::select(over, z, one).sqrt();
        let w = a + s_root;
        let r1 = -(kappa / w);
        let m1 = T::select(over, r1, T::zero()).exp_m1();
        let e2 = (-w).exp();
        s_over = (m1 + (one - e2)) * (half / s_root);
        vv_over = e2 + r1 * s_over;
        e_over = r1 * s_over - m1;
        av_over = r1 * r1 * s_over - two * a * e2;
        if T::all(over) {
            return Coefficients {
                e: e_over,
                s: s_over,
                vv: vv_over,
                ks: kappa * s_over,
                av: av_over,
                au: kappa * vv_over,
            };
        }
    }

    // Near critical: cosh √z and sinh √z / √z as power series in z.
    let ea = (-a).exp();
    let zc = T::select(over, T::zero(), z.max(-near));
    let c_near = ea
        * (one
            + zc * (half
                + zc * (T::of(1.0 / 24.0)
                    + zc * (T::of(1.0 / 720.0) + zc * T::of(1.0 / 40320.0)))));
    let s_near =
        ea * (one + zc * (T::of(1.0 / 6.0) + zc * (T::of(1.0 / 120.0) + zc * T::of(1.0 / 5040.0))));
    // E vanishes with κ, where z = a²: the difference of the two series at a² and at z, divided by their distance κ.
    let x = a * a;
    let h1 = x + zc;
    let h2 = x * h1 + zc * zc;
    let h3 = x * h2 + zc * zc * zc;
    let h4 = x * h3 + zc * zc * zc * zc;
    let f = half
        + h1 * T::of(1.0 / 24.0)
        + h2 * T::of(1.0 / 720.0)
        + h3 * T::of(1.0 / 40320.0)
        + h4 * T::of(1.0 / 3628800.0);
    let g = T::of(1.0 / 6.0)
        + h1 * T::of(1.0 / 120.0)
        + h2 * T::of(1.0 / 5040.0)
        + h3 * T::of(1.0 / 362880.0);
    let e_soft = kappa * ea * (f + a * g);

    let (mut c, mut s) = (c_near, s_near);
    if T::any(under) {
        let mu = T::select(under, -z, one).sqrt();
        let (sine, cosine) = mu.sin_cos();
        c = T::select(under, ea * cosine, c);
        s = T::select(under, ea * sine / mu, s);
    }
    let e_plain = one - (c + a * s);
    let soft = T::select(under, one, kappa).lt(T::of(0.25));
    let e = T::select(over, e_over, T::select(soft, e_soft, e_plain));
    let s = T::select(over, s_over, s);
    let vv = T::select(over, vv_over, c - a * s);
    let av = T::select(over, av_over, -(two * a * vv) - kappa * s);
    Coefficients {
        e,
        s,
        vv,
        ks: kappa * s,
        av,
        au: kappa * vv,
    }
}
