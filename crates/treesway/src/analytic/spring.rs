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

use crate::math::simd::Several;
use crate::math::{LEAST_ANGLE, LEAST_RATE, Matrix3, Quaternion, Real, Sym3, V3, polynomial};

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
    /// `yes` where the mask holds, else `no`.
    #[inline(always)]
    pub(crate) fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        Self {
            theta: V3::select(mask, yes.theta, no.theta),
            rate: V3::select(mask, yes.rate, no.rate),
            accel: V3::select(mask, yes.accel, no.accel),
        }
    }

    /// |θ| and |θ̇| within their limits; a joint at its limit does not push further. Also says which were bent too far, and which too fast.
    #[inline(always)]
    pub(crate) fn within(self, most_angle: T, most_rate: T) -> (Self, T::Mask, T::Mask) {
        let bent = (most_angle * most_angle).lt(self.theta.dot(self.theta));
        let fast = (most_rate * most_rate).lt(self.rate.dot(self.rate));
        if T::any(bent) || T::any(fast) {
            self.stopped(most_angle, most_rate)
        } else {
            (self, bent, fast)
        }
    }

    #[inline(always)]
    fn stopped(self, most_angle: T, most_rate: T) -> (Self, T::Mask, T::Mask) {
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
    /// s.
    h: T,
    /// 1/h, 1/s.
    per_step: T,
}

/// Of (7') and of the acceleration at the end of the step, in units of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coefficients<T> {
    /// E = 1 − (C + a S).
    pub(crate) e: T,
    /// S.
    pub(crate) s: T,
    /// C − a S.
    pub(crate) vv: T,
    /// κ S.
    pub(crate) ks: T,
    /// ∂(final acceleration)/∂v.
    pub(crate) av: T,
    /// −∂(final acceleration)/∂u = κ (C − a S).
    pub(crate) au: T,
}

impl<T: Copy> Coefficients<Several<T, 3>> {
    /// Of one mode.
    #[inline(always)]
    fn of(&self, mode: usize) -> Coefficients<T> {
        Coefficients {
            e: self.e.0[mode],
            s: self.s.0[mode],
            vv: self.vv.0[mode],
            ks: self.ks.0[mode],
            av: self.av.0[mode],
            au: self.au.0[mode],
        }
    }
}

/// A joint this much softer than its inertia moves as a free one: the floor on κ = k h²/Ĩ that keeps K^(−½) finite.
const LEAST_KAPPA: f64 = 1e-9;
/// `f32` sums of world-frame inertias carry about this much of their trace as noise; a smaller principal inertia is raised.
const LEAST_INERTIA: f64 = 1e-6;
/// Smallest eigenvalue of the scaled inertia against its smallest diagonal entry that is not noise in `f32`.
const LEAST_EIGENVALUE: f64 = 1e-5;
/// Keeps a² within `f32`; far beyond any phase that a step resolves.
const MOST_KAPPA: f64 = 1e18;
/// Sweeps of Jacobi rotations before the last one: of random matrices, graded up to 1e6, they leave off-diagonal entries of 6e-5 against the root
/// of the two eigenvalues at the 99th percentile and 4e-3 at worst. Always as many, so that no body depends on its neighbours in a tile.
const SWEEPS: usize = 3;

/// K^(−½) Ĩ K^(−½) of a joint, and what scales it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaled<T> {
    pub(crate) inertia: Sym3<T>,
    /// Diagonals of K^½ and K^(−½).
    pub(crate) root: V3<T>,
    pub(crate) inverse: V3<T>,
}

impl<T: Real> Scaled<T> {
    #[inline(always)]
    pub(crate) fn new(joint: &Joint<T>, h: T) -> Self {
        let mut inertia = joint.inertia;
        let diagonal = V3 {
            x: inertia.xx,
            y: inertia.yy,
            z: inertia.zz,
        };
        let [diagonal, k] = Self::floors(diagonal, joint.stiffness, h);
        (inertia.xx, inertia.yy, inertia.zz) = (diagonal.x, diagonal.y, diagonal.z);
        let inverse = V3 {
            x: k.x.inverse_sqrt(),
            y: k.y.inverse_sqrt(),
            z: k.z.inverse_sqrt(),
        };
        Self {
            inertia: Sym3 {
                xx: inertia.xx * inverse.x * inverse.x,
                yy: inertia.yy * inverse.y * inverse.y,
                zz: inertia.zz * inverse.z * inverse.z,
                xy: inertia.xy * inverse.x * inverse.y,
                xz: inertia.xz * inverse.x * inverse.z,
                yz: inertia.yz * inverse.y * inverse.z,
            },
            root: k.times(inverse),
            inverse,
        }
    }

    /// Diagonal of the inertia and stiffness, not less than what can be told.
    #[inline(always)]
    fn floors(inertia: V3<T>, stiffness: V3<T>, h: T) -> [V3<T>; 2] {
        let trace = inertia.x + inertia.y + inertia.z;
        let least = trace * T::of(LEAST_INERTIA);
        let softest = trace * (T::of(LEAST_KAPPA) / (h * h));
        [inertia.at_least(least), stiffness.at_least(softest)]
    }

    /// What eigenvalues are raised to.
    #[inline(always)]
    pub(crate) fn least_eigenvalue(&self) -> T {
        let m = self.inertia;
        m.xx.min(m.yy).min(m.zz) * T::of(LEAST_EIGENVALUE)
    }
}

impl<T: Real> StepMap<T> {
    /// Diagonalises the joint and evaluates its closed form for a step of `h` s.
    #[inline(always)]
    pub fn new(joint: &Joint<T>, h: T) -> Self {
        let scaled = Scaled::new(joint, h);
        Self::of_modes(joint, h, &scaled, eigen(scaled.inertia))
    }

    /// From the turn to the modes and the eigenvalues of `scaled`.
    #[inline(always)]
    pub(crate) fn of_modes(
        joint: &Joint<T>,
        h: T,
        scaled: &Scaled<T>,
        (turn, d): (Quaternion<T>, V3<T>),
    ) -> Self {
        let Scaled { root, inverse, .. } = *scaled;
        let floor = scaled.least_eigenvalue();
        let d = Several([d.x.max(floor), d.y.max(floor), d.z.max(floor)]);
        let per_step = T::one() / h;
        let kappa = Several([h * h; 3]) / d;
        let [alpha, beta] = [h * joint.alpha, joint.beta * per_step];
        let loss = kappa.times_plus(Several([beta; 3]), Several([alpha; 3]));
        let modes = coefficients(kappa, loss);
        let q = turn.matrix();
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
            modes: [modes.of(0), modes.of(1), modes.of(2)],
            h,
            per_step,
        }
    }

    /// (7') applied to a state, with the spring relaxed at `rest` and the torque constant over the step.
    #[inline(always)]
    pub fn advance(&self, state: &JointState<T>, rest: V3<T>, torque: V3<T>) -> JointState<T> {
        let g = self.from_modes.apply_transposed(torque);
        let u = self.to_modes.apply_transposed(state.theta - rest) - g;
        let v = self.to_modes.apply_transposed(state.rate * self.h);
        // Increments, so that a joint at rest stays there to the last bit.
        JointState {
            theta: state.theta
                + self.by_mode(
                    u,
                    v,
                    #[inline(always)]
                    |m, u, v| m.s.times_minus(v, m.e * u),
                ),
            rate: state.rate
                + self.by_mode(
                    u,
                    v,
                    #[inline(always)]
                    |m, u, v| (m.vv - T::one()).times_minus(v, m.ks * u),
                ) * self.per_step,
            accel: self.by_mode(
                u,
                v,
                #[inline(always)]
                |m, u, v| m.av.times_minus(v, m.au * u),
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

/// Joints whose inertia is diagonal along the axes of their springs, in the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AlongAxes<T> {
    /// J, kg·m².
    pub(crate) inertia: V3<T>,
    /// k, N·m/rad.
    pub(crate) stiffness: V3<T>,
    /// H, how the air holds the body: −∂τ/∂θ, N·m/rad, not negative.
    pub(crate) held: V3<T>,
    /// β, s.
    pub(crate) beta: T,
    /// α, 1/s.
    pub(crate) alpha: T,
}

impl<T: Real> AlongAxes<T> {
    /// What a step of `h` s adds to θ and θ̇, and the acceleration at its end, on each axis by (7').
    ///
    /// The torque τ is that of the start; as the body turns from there the air answers with −H (θ − θ_start), which is one more spring,
    ///
    ///   J θ̈ + (α J + β k + h H) θ̇ + (k + H) (θ − θ_start) = τ − k (θ_start − θ₀).                      (8')
    ///
    /// h H is the damping of an implicit Euler step: where the air is much stiffer than the stalk a leaf goes to its balance within a few
    /// steps and does not swing about it faster than steps can tell. The balance is that of k and τ alone.
    #[inline(always)]
    pub(crate) fn advance(&self, h: T, bent: V3<T>, rate: V3<T>, torque: V3<T>) -> JointState<T> {
        let [inertia, stiffness] = Scaled::floors(self.inertia, self.stiffness, h);
        let (k, held) = (Several::axes(stiffness), Several::axes(self.held));
        let [one, h_s] = [T::one(), h].map(|x| Several([x; 3]));
        // h/J, with which everything comes into units of the step.
        let lightness = h_s / Several::axes(inertia);
        let damping = k.times_plus(Several([self.beta; 3]), h_s * held);
        let stiff = k + held;
        let modes = coefficients(
            lightness * h_s * stiff,
            lightness.times_plus(damping, Several([h * self.alpha; 3])),
        );
        let u = (Several::axes(bent) * k - Several::axes(torque)) / stiff;
        let v = Several::axes(rate * h);
        let per_step = T::one() / h;
        JointState {
            theta: modes.s.times_minus(v, modes.e * u).vector(),
            rate: (modes.vv - one).times_minus(v, modes.ks * u).vector() * per_step,
            accel: modes.av.times_minus(v, modes.au * u).vector() * (per_step * per_step),
        }
    }
}

/// The turn to the eigenvectors, and the eigenvalues, of a positive matrix by cyclic Jacobi rotations.
#[inline(always)]
pub(crate) fn eigen<T: Real>(m: Sym3<T>) -> (Quaternion<T>, V3<T>) {
    // A trace of one: squares of entries stay within f32 at any stiffness.
    let size = m.trace();
    let m = m.scale(T::one() / size);
    let (mut xx, mut yy, mut zz, mut xy, mut xz, mut yz) = (m.xx, m.yy, m.zz, m.xy, m.xz, m.yz);
    // Of any length.
    let Quaternion {
        v: V3 {
            mut x,
            mut y,
            mut z,
        },
        mut w,
    } = Quaternion::identity();
    for _ in 0..SWEEPS {
        // A turn about z takes x to y, one about y takes z to x: the second goes the other way round.
        let (c, s) = rotation(&mut xx, &mut yy, &mut xy);
        turn(&mut xz, &mut yz, c, s);
        half_turn([&mut w, &mut z], [&mut x, &mut y], c, -s);
        let (c, s) = rotation(&mut xx, &mut zz, &mut xz);
        turn(&mut xy, &mut yz, c, s);
        half_turn([&mut w, &mut y], [&mut z, &mut x], c, s);
        let (c, s) = rotation(&mut yy, &mut zz, &mut yz);
        turn(&mut xy, &mut xz, c, s);
        half_turn([&mut w, &mut x], [&mut y, &mut z], c, -s);
    }
    // The last angles are so small that all three rotations may be done at once.
    let (of_xy, of_xz, of_yz) = (
        Aim::at(xx, yy, xy),
        Aim::at(xx, zz, xz),
        Aim::at(yy, zz, yz),
    );
    let half = T::of(0.5);
    let last = Quaternion {
        v: V3 {
            x: -(half * of_yz.sine()),
            y: half * of_xz.sine(),
            z: -(half * of_xy.sine()),
        },
        w: T::one(),
    };
    let turn = Quaternion {
        v: V3 { x, y, z },
        w,
    }
    .times(last);
    let scale = turn.w.times_plus(turn.w, turn.v.dot(turn.v)).inverse_sqrt();
    let (xy, xz, yz) = (of_xy.sine(), of_xz.sine(), of_yz.sine());
    let values = V3 {
        x: xz.times_from(of_xz.n, xy.times_from(of_xy.n, xx)),
        y: yz.times_from(of_yz.n, xy.times_plus(of_xy.n, yy)),
        z: yz.times_plus(of_yz.n, xz.times_plus(of_xz.n, zz)),
    };
    let turn = Quaternion {
        v: turn.v * scale,
        w: turn.w * scale,
    };
    (turn, values * size)
}

/// The angle φ by which two axes p and q turn for the off-diagonal entry n = a_pq to vanish, nearly.
///
/// With d = a_qq − a_pp, tan ½φ = n/D, D = n / tan(¼ atan(2 n/d)). That takes two roots and two divisions, one waiting for the other;
/// the tangents of D at n/d = 0, ½ and ∞ are never more than 5 % below it and exact for small n, so that the last sweeps still
/// converge cubically, and leave one division: cos φ = 1 − 2 n²/(D² + n²), sin φ = 2 n D/(D² + n²).
struct Aim<T> {
    n: T,
    /// n, with the sign that makes φ the smaller of two angles.
    signed: T,
    /// 2 n/(D² + n²).
    k: T,
    /// D.
    far: T,
}

impl<T: Real> Aim<T> {
    #[inline(always)]
    fn at(pp: T, qq: T, pq: T) -> Self {
        // Smaller ones, multiplied with each other, would become denormals, which cost up to four times as much.
        let n = pq.settled(1e-13);
        let d = qq - pp;
        let (size, gap) = (n.abs(), d.abs());
        let middle = gap.times_plus(T::of(1.614), size * T::of(1.8));
        let wide = gap.times_plus(T::of(0.8536), size * T::of(2.4142));
        let far = (gap + gap).max(middle).max(wide.max(T::of(1e-15)));
        let signed = n.with_sign_of(d);
        Self {
            n,
            signed,
            k: (signed + signed) / far.times_plus(far, n * n),
            far,
        }
    }

    #[inline(always)]
    fn sine(&self) -> T {
        self.k * self.far
    }
}

/// A rotation that makes the off-diagonal entry `pq` smaller, applied to its 2×2 block; returns (cosine, sine).
#[inline(always)]
fn rotation<T: Real>(pp: &mut T, qq: &mut T, pq: &mut T) -> (T, T) {
    let aim = Aim::at(*pp, *qq, *pq);
    let (c, s) = (aim.k.times_from(aim.signed, T::one()), aim.sine());
    let left = c.times_minus(aim.n + aim.n, s * (*qq - *pp));
    *pp = s.times_from(left, *pp);
    *qq = s.times_plus(left, *qq);
    *pq = c.times_minus(left, aim.n);
    (c, s)
}

#[inline(always)]
fn turn<T: Real>(rp: &mut T, rq: &mut T, c: T, s: T) {
    (*rp, *rq) = (rp.times_minus(c, *rq * s), rp.times_plus(s, *rq * c));
}

/// Quaternion times one that turns by φ about an axis, shortened: ½(1 + cos φ), ½ sin φ. `with` are the scalar part and the part along the
/// axis, `across` the other two in the order of the turn.
#[inline(always)]
fn half_turn<T: Real>(with: [&mut T; 2], across: [&mut T; 2], c: T, s: T) {
    let half = T::of(0.5);
    let (c, s) = (half.times_plus(c, half), half * s);
    let ([w, a], [p, q]) = (with, across);
    (*w, *a) = (w.times_minus(c, *a * s), a.times_plus(c, *w * s));
    (*p, *q) = (p.times_plus(c, *q * s), q.times_minus(c, *p * s));
}

/// Least and most z for which the two power series are exact to `f32`: two radians of phase in a step, and where E of stiff, heavily damped joints would cancel.
const LEAST_IN_SERIES: f64 = -4.0;
const MOST_IN_SERIES: f64 = 0.26;
/// κ below which 1 − (C + a S) loses digits.
const SOFT: f64 = 0.25;

/// Coefficients 1/(2n)! and 1/(2n + 1)!.
const COSH_OF_ROOT: [f64; 8] = [
    1.0,
    1.0 / 2.0,
    1.0 / 24.0,
    1.0 / 720.0,
    1.0 / 40_320.0,
    1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    1.0 / 87_178_291_200.0,
];
const SINH_OF_ROOT: [f64; 7] = [
    1.0,
    1.0 / 6.0,
    1.0 / 120.0,
    1.0 / 5_040.0,
    1.0 / 362_880.0,
    1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
];

/// Both as they are, or smaller by one factor where one is beyond what `f32` can square: the slow root −κ/2a = −h/β of a stiff damped joint does not change.
#[inline(always)]
fn within_range<T: Real>(kappa: T, loss: T) -> [T; 2] {
    let most = T::of(MOST_KAPPA);
    let large = kappa.max(loss);
    if !T::any(most.lt(large)) {
        return [kappa, loss];
    }
    // Products that overflowed count as this.
    let finite = T::of(1e36);
    let shrink = most / large.max(most).min(finite);
    [kappa.min(finite) * shrink, loss.min(finite) * shrink]
}

/// Closed form over a step of one oscillator in units of the step, ÿ + `loss` ẏ + κ y = κ g: (6') with loss = h α + κ β/h. Every regime that some lane is in is computed,
/// and one is chosen lane by lane.
#[inline(always)]
pub(crate) fn coefficients<T: Real>(kappa: T, loss: T) -> Coefficients<T> {
    let (one, half, two) = (T::one(), T::of(0.5), T::of(2.0));
    let [kappa, loss] = within_range(kappa, loss);
    let a = half * loss;
    let z = a.times_minus(a, kappa);
    let (none, least, most) = (T::zero(), T::of(LEAST_IN_SERIES), T::of(MOST_IN_SERIES));
    let (over, under) = (most.lt(z), z.lt(least));
    let (mut root, mut inverse) = (none, none); // √|z| and 1/√|z|
    if T::any(over) || T::any(under) {
        let far = z.abs().max(most);
        inverse = far.inverse_sqrt();
        root = far * inverse;
    }
    let w = a + root;
    let decay = (-T::select(over, w, a)).exp();
    let (mut c, mut s, mut e) = (none, none, none);

    let nearest = z.max(least).min(most);
    if !T::all(none.lt((nearest - z).abs())) {
        // cosh √z and sinh √z / √z as power series in z.
        let z = nearest;
        c = decay * polynomial(z, COSH_OF_ROOT);
        s = decay * polynomial(z, SINH_OF_ROOT);
        e = one - a.times_plus(s, c);
        let soft = kappa.lt(T::of(SOFT));
        if T::any(soft) {
            // E vanishes with κ, where z = a²: the difference of the two series at a² and at z, divided by their distance κ.
            let x = a * a;
            let h1 = x + z;
            let square = z * z;
            let h2 = x.times_plus(h1, square);
            let h3 = x.times_plus(h2, square * z);
            let h4 = x.times_plus(h3, square * square);
            let f = h1.times_plus(T::of(1.0 / 24.0), half);
            let f = h2.times_plus(T::of(1.0 / 720.0), f);
            let f = h3.times_plus(T::of(1.0 / 40320.0), f);
            let f = h4.times_plus(T::of(1.0 / 3628800.0), f);
            let g = h1.times_plus(T::of(1.0 / 120.0), T::of(1.0 / 6.0));
            let g = h2.times_plus(T::of(1.0 / 5040.0), g);
            let g = h3.times_plus(T::of(1.0 / 362880.0), g);
            e = T::select(soft, kappa * decay * a.times_plus(g, f), e);
        }
    }
    if T::any(under) {
        // Underdamped.
        let (sine, cosine) = root.sin_cos();
        c = T::select(under, decay * cosine, c);
        s = T::select(under, decay * sine * inverse, s);
        e = T::select(under, one - a.times_plus(s, c), e);
    }
    let mut vv = a.times_from(s, c);
    let mut av = kappa.times_from(s, -(two * a * vv));
    if T::any(over) {
        // Overdamped: real roots r₁ = −κ/(a + √z), without the cancellation of −a + √z, and r₂ = −(a + √z).
        let slow = -(kappa / w);
        let slow_decay = T::select(over, slow, none).exp_m1();
        let s_over = (slow_decay + (one - decay)) * (half * inverse);
        s = T::select(over, s_over, s);
        let slower = slow * s_over;
        e = T::select(over, slower - slow_decay, e);
        vv = T::select(over, decay + slower, vv);
        av = T::select(over, slow.times_minus(slower, two * a * decay), av);
    }
    Coefficients {
        e,
        s,
        vv,
        ks: kappa * s,
        av,
        au: kappa * vv,
    }
}
