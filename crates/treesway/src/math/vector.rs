//! Vectors, symmetric and general 3×3 matrices.

use super::Real;
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A vector of three numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct V3<T> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
}

/// Shorthand constructor.
#[inline(always)]
pub const fn v3<T>(x: T, y: T, z: T) -> V3<T> {
    V3 { x, y, z }
}

impl<T: Real> V3<T> {
    /// The same number three times.
    #[inline(always)]
    pub fn splat(x: T) -> Self {
        v3(x, x, x)
    }
    /// The null vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::splat(T::zero())
    }
    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> T {
        self.z.times_plus(o.z, self.y.times_plus(o.y, self.x * o.x))
    }
    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        v3(
            self.y.times_minus(o.z, self.z * o.y),
            self.z.times_minus(o.x, self.x * o.z),
            self.x.times_minus(o.y, self.y * o.x),
        )
    }
    /// self·k + o.
    #[inline(always)]
    pub fn times_plus(self, k: T, o: Self) -> Self {
        v3(
            self.x.times_plus(k, o.x),
            self.y.times_plus(k, o.y),
            self.z.times_plus(k, o.z),
        )
    }
    /// self × u + o.
    #[inline(always)]
    pub fn cross_plus(self, u: Self, o: Self) -> Self {
        v3(
            self.z.times_from(u.y, self.y.times_plus(u.z, o.x)),
            self.x.times_from(u.z, self.z.times_plus(u.x, o.y)),
            self.y.times_from(u.x, self.x.times_plus(u.y, o.z)),
        )
    }
    /// Componentwise product.
    #[inline(always)]
    pub fn times(self, o: Self) -> Self {
        v3(self.x * o.x, self.y * o.y, self.z * o.z)
    }
    /// Euclidean length.
    #[inline(always)]
    pub fn length(self) -> T {
        self.dot(self).sqrt()
    }
    /// Every number raised to `least`.
    #[inline(always)]
    pub(crate) fn at_least(self, least: T) -> Self {
        Self {
            x: self.x.max(least),
            y: self.y.max(least),
            z: self.z.max(least),
        }
    }

    /// `yes` where the mask holds, else `no`.
    #[inline(always)]
    pub fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        v3(
            T::select(mask, yes.x, no.x),
            T::select(mask, yes.y, no.y),
            T::select(mask, yes.z, no.z),
        )
    }
    /// Each component 0 where smaller than `least`.
    #[inline(always)]
    pub fn settled(self, least: f64) -> Self {
        v3(
            self.x.settled(least),
            self.y.settled(least),
            self.z.settled(least),
        )
    }
    /// Each component mapped by `f`.
    #[inline(always)]
    pub fn map<U>(self, f: impl Fn(T) -> U) -> V3<U> {
        v3(f(self.x), f(self.y), f(self.z))
    }
}

impl V3<f32> {
    /// All three numbers finite.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        // 0·x is NaN for NaN and both infinities.
        (self.x * 0.0 + self.y * 0.0 + self.z * 0.0) == 0.0
    }
    /// In double precision.
    #[inline]
    pub fn widen(self) -> V3<f64> {
        self.map(f64::from)
    }
}

impl V3<f64> {
    /// Rounded to single precision.
    #[inline]
    pub fn narrow(self) -> V3<f32> {
        self.map(|x| x as f32)
    }
}

impl From<glam::Vec3> for V3<f32> {
    #[inline]
    fn from(v: glam::Vec3) -> Self {
        v3(v.x, v.y, v.z)
    }
}

impl From<V3<f32>> for glam::Vec3 {
    #[inline]
    fn from(v: V3<f32>) -> Self {
        glam::Vec3::new(v.x, v.y, v.z)
    }
}

impl<T: Real> Add for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        v3(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}
impl<T: Real> Sub for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        v3(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}
impl<T: Real> Neg for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        v3(-self.x, -self.y, -self.z)
    }
}
impl<T: Real> Mul<T> for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, k: T) -> Self {
        v3(self.x * k, self.y * k, self.z * k)
    }
}
impl<T: Real> AddAssign for V3<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<T: Real> SubAssign for V3<T> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sym3<T> {
    /// Row 1, column 1.
    pub xx: T,
    /// Row 2, column 2.
    pub yy: T,
    /// Row 3, column 3.
    pub zz: T,
    /// Row 1, column 2.
    pub xy: T,
    /// Row 1, column 3.
    pub xz: T,
    /// Row 2, column 3.
    pub yz: T,
}

impl<T: Real> Sym3<T> {
    /// The null matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::diagonal(V3::zero())
    }
    /// diag(d).
    #[inline(always)]
    pub fn diagonal(d: V3<T>) -> Self {
        let o = T::zero();
        Self {
            xx: d.x,
            yy: d.y,
            zz: d.z,
            xy: o,
            xz: o,
            yz: o,
        }
    }
    /// k·v vᵀ.
    #[inline(always)]
    pub fn outer(v: V3<T>, k: T) -> Self {
        let w = v * k;
        Self {
            xx: v.x * w.x,
            yy: v.y * w.y,
            zz: v.z * w.z,
            xy: v.x * w.y,
            xz: v.x * w.z,
            yz: v.y * w.z,
        }
    }
    /// self + k·v vᵀ.
    #[inline(always)]
    pub fn plus_outer(self, v: V3<T>, k: T) -> Self {
        let w = v * k;
        Self {
            xx: v.x.times_plus(w.x, self.xx),
            yy: v.y.times_plus(w.y, self.yy),
            zz: v.z.times_plus(w.z, self.zz),
            xy: v.x.times_plus(w.y, self.xy),
            xz: v.x.times_plus(w.z, self.xz),
            yz: v.y.times_plus(w.z, self.yz),
        }
    }
    /// self·k + o.
    #[inline(always)]
    pub fn times_plus(self, k: T, o: Self) -> Self {
        Self {
            xx: self.xx.times_plus(k, o.xx),
            yy: self.yy.times_plus(k, o.yy),
            zz: self.zz.times_plus(k, o.zz),
            xy: self.xy.times_plus(k, o.xy),
            xz: self.xz.times_plus(k, o.xz),
            yz: self.yz.times_plus(k, o.yz),
        }
    }
    /// Sum of the diagonal.
    #[inline(always)]
    pub fn trace(self) -> T {
        self.xx + self.yy + self.zz
    }
    /// Matrix times vector.
    #[inline(always)]
    pub fn apply(self, v: V3<T>) -> V3<T> {
        v3(
            v3(self.xx, self.xy, self.xz).dot(v),
            v3(self.xy, self.yy, self.yz).dot(v),
            v3(self.xz, self.yz, self.zz).dot(v),
        )
    }
    /// Every entry times `k`.
    #[inline(always)]
    pub fn scale(self, k: T) -> Self {
        Self {
            xx: self.xx * k,
            yy: self.yy * k,
            zz: self.zz * k,
            xy: self.xy * k,
            xz: self.xz * k,
            yz: self.yz * k,
        }
    }
    /// Aᵀ · self · A.
    #[inline(always)]
    pub fn congruent(self, a: Matrix3<T>) -> Self {
        let (bx, by, bz) = (self.apply(a.x), self.apply(a.y), self.apply(a.z));
        Self {
            xx: a.x.dot(bx),
            yy: a.y.dot(by),
            zz: a.z.dot(bz),
            xy: a.x.dot(by),
            xz: a.x.dot(bz),
            yz: a.y.dot(bz),
        }
    }
    /// self + k·1.
    #[inline(always)]
    pub fn plus_splat(self, k: T) -> Self {
        Self {
            xx: self.xx + k,
            yy: self.yy + k,
            zz: self.zz + k,
            ..self
        }
    }
    /// R · diag(d) · Rᵀ, with z zᵀ = 1 − x xᵀ − y yᵀ: about z bodies have the least inertia and joints the least stiffness, and it stays exact
    /// where R is off a rotation by rounding.
    #[inline(always)]
    pub fn rotated_diagonal(r: Matrix3<T>, d: V3<T>) -> Self {
        Self::outer(r.x, d.x - d.z)
            .plus_outer(r.y, d.y - d.z)
            .plus_splat(d.z)
    }
    /// The vector u with self·u = v, by cofactors; the matrix must be positive definite.
    #[inline(always)]
    pub fn solve(self, v: V3<T>) -> V3<T> {
        let c = Self {
            xx: self.yy * self.zz - self.yz * self.yz,
            yy: self.xx * self.zz - self.xz * self.xz,
            zz: self.xx * self.yy - self.xy * self.xy,
            xy: self.xz * self.yz - self.xy * self.zz,
            xz: self.xy * self.yz - self.xz * self.yy,
            yz: self.xy * self.xz - self.yz * self.xx,
        };
        let determinant = self.xx * c.xx + self.xy * c.xy + self.xz * c.xz;
        c.apply(v) * (T::one() / determinant)
    }
}

impl Sym3<f32> {
    /// In double precision.
    pub fn widen(self) -> Sym3<f64> {
        let Self {
            xx,
            yy,
            zz,
            xy,
            xz,
            yz,
        } = self;
        let [xx, yy, zz, xy, xz, yz] = [xx, yy, zz, xy, xz, yz].map(f64::from);
        Sym3 {
            xx,
            yy,
            zz,
            xy,
            xz,
            yz,
        }
    }
}

impl<T: Real> Add for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            yy: self.yy + o.yy,
            zz: self.zz + o.zz,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yz: self.yz + o.yz,
        }
    }
}
impl<T: Real> AddAssign for Sym3<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

/// A general 3×3 matrix by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix3<T> {
    /// First column.
    pub x: V3<T>,
    /// Second column.
    pub y: V3<T>,
    /// Third column.
    pub z: V3<T>,
}

impl<T: Real> Matrix3<T> {
    /// The unit matrix.
    #[inline(always)]
    pub fn identity() -> Self {
        let (o, i) = (T::zero(), T::one());
        Self {
            x: v3(i, o, o),
            y: v3(o, i, o),
            z: v3(o, o, i),
        }
    }
    /// Matrix times vector.
    #[inline(always)]
    pub fn apply(self, v: V3<T>) -> V3<T> {
        self.z.times_plus(v.z, self.y.times_plus(v.y, self.x * v.x))
    }
    /// Transposed matrix times vector.
    #[inline(always)]
    pub fn apply_transposed(self, v: V3<T>) -> V3<T> {
        v3(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }
}
