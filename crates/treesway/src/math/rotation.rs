//! Rotations as unit quaternions and as rotation vectors.

use super::Real;
use super::vector::{Matrix3, V3, v3};

/// A quaternion x i + y j + z k + w; a rotation when of unit length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quaternion<T> {
    /// Vector part.
    pub v: V3<T>,
    /// Scalar part.
    pub w: T,
}

/// sin x / x and cos x by powers of x², 0 ≤ x ≤ π/2: best in the largest error, 5e-9 and 3e-10, with the first coefficient 1.
const SINC: [f64; 5] = [
    1.0,
    -0.166_666_604_598_967_3,
    0.008_333_088_094_156_456,
    -0.000_198_111_067_794_944_03,
    2.608_918_251_097_794e-6,
];
const COSINE: [f64; 6] = [
    1.0,
    -0.499_999_995_493_323_3,
    0.041_666_640_717_718_39,
    -0.001_388_840_336_347_728,
    2.476_187_839_019_536_4e-5,
    -2.607_696_011_280_018e-7,
];

/// Σ cᵢ uⁱ, from the last term to the first.
#[inline(always)]
pub(crate) fn polynomial<T: Real, const N: usize>(u: T, c: [f64; N]) -> T {
    let mut sum = T::of(c[N - 1]);
    for i in (0..N - 1).rev() {
        sum = u.times_plus(sum, T::of(c[i]));
    }
    sum
}

impl<T: Real> Quaternion<T> {
    /// No rotation.
    #[inline(always)]
    pub fn identity() -> Self {
        Self {
            v: V3::zero(),
            w: T::one(),
        }
    }

    /// The rotation about `theta` by its length in radians; accurate for lengths up to 2π.
    #[inline(always)]
    pub fn from_rotation_vector(theta: V3<T>) -> Self {
        // No smaller, so that its powers are not denormal; the result is the same to the last bit.
        let half_squared = (theta.dot(theta) * T::of(0.25)).max(T::of(1e-16));
        let half = half_squared.sqrt();
        let (s, c) = half.sin_cos();
        // sin(x)/x by series where x is small, so that the null rotation needs no branch.
        let small = half_squared.lt(T::of(1.0e-4));
        let series = T::one() - half_squared * T::of(1.0 / 6.0)
            + half_squared * half_squared * T::of(1.0 / 120.0);
        let sinc = T::select(small, series, s / T::select(small, T::one(), half));
        Self {
            v: theta * (T::of(0.5) * sinc),
            w: c,
        }
    }

    /// The same for a joint, |θ| ≤ π, exact to single precision: polynomials in (|θ|/2)² instead of a root, a division and a range reduction.
    #[inline(always)]
    pub fn from_joint_angle(theta: V3<T>) -> Self {
        // No smaller, so that its powers are not denormal.
        let u = (theta.dot(theta) * T::of(0.25)).max(T::of(1e-16));
        Self {
            v: theta * (T::of(0.5) * polynomial(u, SINC)),
            w: polynomial(u, COSINE),
        }
    }

    /// Applies `other` first, then `self`.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        let (p, q) = (self.v, other.v);
        Self {
            v: p.cross_plus(q, p.times_plus(other.w, q * self.w)),
            w: self.w.times_minus(other.w, p.dot(q)),
        }
    }

    /// The rotation in the middle between two, the short way round.
    #[inline(always)]
    pub fn halfway(self, other: Self) -> Self {
        // q and −q are one rotation.
        let apart = (self.v.dot(other.v) + self.w * other.w).lt(T::zero());
        let sign = T::select(apart, -T::one(), T::one());
        let (v, w) = (self.v + other.v * sign, self.w + other.w * sign);
        let k = T::one() / (v.dot(v) + w * w).sqrt();
        Self { v: v * k, w: w * k }
    }

    /// The inverse of a unit quaternion.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Self {
            v: -self.v,
            w: self.w,
        }
    }

    /// One Newton step back to unit length; enough where rounding is all that strayed.
    #[inline(always)]
    pub fn renormalised(self) -> Self {
        let n2 = self.w.times_plus(self.w, self.v.dot(self.v));
        let k = T::of(0.5).times_from(n2, T::of(1.5));
        Self {
            v: self.v * k,
            w: self.w * k,
        }
    }

    /// The rotated vector.
    #[inline(always)]
    pub fn rotate(self, u: V3<T>) -> V3<T> {
        let t = self.v.cross(u);
        let t = t + t;
        self.v.cross_plus(t, t.times_plus(self.w, u))
    }

    /// The rotation matrix; its columns are the rotated axes.
    #[inline(always)]
    pub fn matrix(self) -> Matrix3<T> {
        let (V3 { x, y, z }, w) = (self.v, self.w);
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        let (x_rest, y_rest) = (x.times_from(x2, T::one()), y.times_from(y2, T::one()));
        Matrix3 {
            x: v3(
                z.times_from(z2, y_rest),
                x.times_plus(y2, wz),
                x.times_minus(z2, wy),
            ),
            y: v3(
                x.times_minus(y2, wz),
                z.times_from(z2, x_rest),
                y.times_plus(z2, wx),
            ),
            z: v3(
                x.times_plus(z2, wy),
                y.times_minus(z2, wx),
                y.times_from(y2, x_rest),
            ),
        }
    }
}

impl Quaternion<f64> {
    /// Scaled to unit length.
    pub fn unit(self) -> Self {
        let k = 1.0 / (self.v.dot(self.v) + self.w * self.w).sqrt();
        Self {
            v: self.v * k,
            w: self.w * k,
        }
    }
    /// The rotation vector of length at most π.
    pub fn rotation_vector(self) -> V3<f64> {
        // q and −q are one rotation; w ≥ 0 is the short way round.
        let (v, w) = if self.w < 0.0 {
            (-self.v, -self.w)
        } else {
            (self.v, self.w)
        };
        let s = v.length();
        let angle_by_sine = if s < 1e-9 {
            2.0
        } else {
            2.0 * libm::atan2(s, w) / s
        };
        v * angle_by_sine
    }
    /// Rounded to single precision.
    pub fn narrow(self) -> Quaternion<f32> {
        Quaternion {
            v: self.v.narrow(),
            w: self.w as f32,
        }
    }
}

/// Turns per change of each component of a rotation vector θ, rad/rad: exp(θ + dθ) = exp(J dθ) exp(θ), J the left Jacobian, its columns here. Those of the turned
/// frame's own axes, exp(θ) exp(J dθ), are at −θ.
pub(crate) fn turns_per_angle(theta: V3<f64>) -> Matrix3<f64> {
    let square = theta.dot(theta);
    // (1 − cos|θ|)/|θ|² and (|θ| − sin|θ|)/|θ|³, both by their limits where they lose digits.
    let (once, twice) = if square < 1e-6 {
        (0.5, 1.0 / 6.0)
    } else {
        let angle = square.sqrt();
        let (sin, cos) = libm::sincos(angle);
        ((1.0 - cos) / square, (angle - sin) / (square * angle))
    };
    let column = |axis: V3<f64>| {
        let across = theta.cross(axis);
        axis + across * once + theta.cross(across) * twice
    };
    let Matrix3 { x, y, z } = Matrix3::identity();
    Matrix3 {
        x: column(x),
        y: column(y),
        z: column(z),
    }
}

impl Quaternion<f32> {
    /// How far two unit quaternions are apart, |q ∓ o|: half the angle between them where that is small.
    pub(crate) fn apart(self, o: Self) -> f32 {
        let inner = self.v.dot(o.v) + self.w * o.w;
        let sign = if inner < 0.0 { -1.0 } else { 1.0 };
        let (v, w) = (self.v - o.v * sign, self.w - o.w * sign);
        (v.dot(v) + w * w).sqrt()
    }

    /// In double precision.
    pub fn widen(self) -> Quaternion<f64> {
        Quaternion {
            v: self.v.widen(),
            w: f64::from(self.w),
        }
    }
    /// The rotation vector of length at most π.
    pub fn rotation_vector(self) -> V3<f32> {
        self.widen().rotation_vector().narrow()
    }
}

impl From<glam::Quat> for Quaternion<f32> {
    fn from(q: glam::Quat) -> Self {
        let [x, y, z, w] = q.to_array();
        Self { v: v3(x, y, z), w }
    }
}

impl From<Quaternion<f32>> for glam::Quat {
    fn from(q: Quaternion<f32>) -> Self {
        glam::Quat::from_xyzw(q.v.x, q.v.y, q.v.z, q.w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_vector_returns_up_to_half_a_turn() {
        for i in 0..=1000 {
            let angle = std::f64::consts::PI * f64::from(i) / 1000.0 * 0.999_999;
            for axis in [
                v3(1.0, 0.0, 0.0),
                v3(0.6, 0.0, -0.8),
                v3(-2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0),
            ] {
                let theta = axis * angle;
                let back = Quaternion::from_rotation_vector(theta).rotation_vector();
                assert!(
                    (back - theta).length() < 1e-12 * (1.0 + angle),
                    "{angle}: {back:?}"
                );
                let single = theta.narrow();
                let back = Quaternion::from_rotation_vector(single).rotation_vector();
                // Near half a turn w → 0 and the angle follows the sine of a right angle: f32 keeps 3e-7.
                assert!(
                    (back - single).length() < 6e-7 * (1.0 + angle as f32),
                    "{angle}: {back:?}"
                );
            }
        }
    }

    #[test]
    fn turns_per_angle_are_those_of_small_changes() {
        let Matrix3 { x, y, z } = Matrix3::identity();
        let h = 1e-6;
        for theta in [V3::zero(), v3(2e-4, -1e-4, 0.0), v3(0.9, -0.5, 1.1)] {
            let turns = turns_per_angle(theta);
            let own = turns_per_angle(-theta);
            let at = |by: V3<f64>| Quaternion::from_rotation_vector(theta + by);
            for (axis, [turn, own]) in [
                (x, [turns.x, own.x]),
                (y, [turns.y, own.y]),
                (z, [turns.z, own.z]),
            ] {
                let (back, forth) = (at(axis * -h), at(axis * h));
                let found = forth.times(back.conjugate()).rotation_vector() * (0.5 / h);
                assert!((found - turn).length() < 1e-7, "{theta:?}: {found:?}");
                let found = back.conjugate().times(forth).rotation_vector() * (0.5 / h);
                assert!((found - own).length() < 1e-7, "{theta:?}: {found:?}");
            }
        }
    }

    #[test]
    fn joint_angle_is_exact_up_to_half_a_turn() {
        for i in 0..=1000 {
            let angle = std::f32::consts::PI * i as f32 / 1000.0;
            let theta = v3(0.6 * angle, -0.48 * angle, 0.64 * angle);
            let got = Quaternion::from_joint_angle(theta);
            let exact = Quaternion::from_rotation_vector(theta.widen());
            let off = (got.v.widen() - exact.v).length() + (f64::from(got.w) - exact.w).abs();
            assert!(off < 3e-7, "{angle}: {off}");
        }
    }

    #[test]
    fn matrix_and_quaternion_rotate_alike() {
        let q = Quaternion::from_rotation_vector(v3(0.3, -1.2, 2.0));
        let u = v3(0.5, 2.0, -1.0);
        assert!((q.rotate(u) - q.matrix().apply(u)).length() < 1e-14);
        assert!((q.conjugate().rotate(q.rotate(u)) - u).length() < 1e-14);
    }
}
