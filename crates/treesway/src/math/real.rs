//! The number types a kernel runs on: `f32`, `f64` and the vectors of [`super::simd`].

use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A real number, or one per lane. Every method does the same to each lane, to the last bit.
pub trait Real:
    Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// Outcome of a comparison, one per lane.
    type Mask: Copy;
    /// The constant `x`, rounded to this type.
    fn of(x: f64) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// 1/√x of a normal x, within two units in the last place; finite for 0.
    fn inverse_sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// `self`, negated where the sign bit of `other` is set.
    fn with_sign_of(self, other: Self) -> Self;
    /// `self < other`; false where either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `yes` where the mask holds, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Whether a mask holds in every lane.
    fn all(mask: Self::Mask) -> bool;
    /// Whether a mask holds in any lane.
    fn any(mask: Self::Mask) -> bool;
    /// eˣ for x ≤ 88; 0 below −87.
    fn exp(self) -> Self;
    /// eˣ − 1 for x ≤ 88 without cancellation near 0.
    fn exp_m1(self) -> Self;
    /// (sin x, cos x) for 0 ≤ x ≤ 1e5; beyond that some point of the unit circle.
    fn sin_cos(self) -> (Self, Self);

    /// self·a + b. Rounded twice, or once where the vectors are fused ones (`Isa::Avx512Fused`).
    #[inline(always)]
    fn times_plus(self, a: Self, b: Self) -> Self {
        self * a + b
    }
    /// self·a − b, as [`Real::times_plus`].
    #[inline(always)]
    fn times_minus(self, a: Self, b: Self) -> Self {
        self * a - b
    }
    /// b − self·a, as [`Real::times_plus`].
    #[inline(always)]
    fn times_from(self, a: Self, b: Self) -> Self {
        b - self * a
    }
    /// The larger of two; `self` where either is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(self.lt(other), other, self)
    }
    /// The smaller of two; `self` where either is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(other.lt(self), other, self)
    }
    /// 0 where smaller than `least`, else itself. A motion that has died out would otherwise go on in denormals and in products
    /// that are, at many times the cost and below any meaning.
    #[inline(always)]
    fn settled(self, least: f64) -> Self {
        Self::select(self.abs().lt(Self::of(least)), Self::zero(), self)
    }
    /// 0.
    #[inline(always)]
    fn zero() -> Self {
        Self::of(0.0)
    }
    /// 1.
    #[inline(always)]
    fn one() -> Self {
        Self::of(1.0)
    }
}

/// What the shared single-precision polynomials of [`elementary`] need on top of [`Real`].
pub(in crate::math) trait Single: Real {
    /// 2ⁿ for a whole n in −126 … 127.
    fn exp2_of_whole(self) -> Self;
    /// Of the whole number n in the last bits: whether it is odd; sign bits of sin and cos in the n-th quadrant.
    fn quadrant(self) -> (Self::Mask, Self, Self);
    /// The number whose bits are `from` less half of this one's.
    fn bits_less_half(self, from: u32) -> Self;
}

impl Single for f32 {
    #[inline(always)]
    fn exp2_of_whole(self) -> Self {
        f32::from_bits(((self as i32 + 127) as u32) << 23)
    }
    #[inline(always)]
    fn quadrant(self) -> (bool, Self, Self) {
        let n = self.to_bits();
        let sign = f32::from_bits;
        (n & 1 == 1, sign(n << 30), sign((n + 1) << 30))
    }
    #[inline(always)]
    fn bits_less_half(self, from: u32) -> Self {
        f32::from_bits(from.wrapping_sub(self.to_bits() >> 1))
    }
}

macro_rules! single_elementary {
    () => {
        #[inline(always)]
        fn inverse_sqrt(self) -> Self {
            crate::math::elementary::inverse_sqrt(self)
        }
        #[inline(always)]
        fn exp(self) -> Self {
            crate::math::elementary::exp(self)
        }
        #[inline(always)]
        fn exp_m1(self) -> Self {
            crate::math::elementary::exp_m1(self)
        }
        #[inline(always)]
        fn sin_cos(self) -> (Self, Self) {
            crate::math::elementary::sin_cos(self)
        }
    };
}

pub(in crate::math) use single_elementary;

/// Operators of a register type by intrinsics; see the modules that use it for why that is safe.
#[cfg(target_arch = "x86_64")]
macro_rules! vector_operators {
    ($name:ty, $add:ident, $sub:ident, $mul:ident, $div:ident) => {
        vector_operators!(@one $name, Add, add, $add);
        vector_operators!(@one $name, Sub, sub, $sub);
        vector_operators!(@one $name, Mul, mul, $mul);
        vector_operators!(@one $name, Div, div, $div);
        impl<const FUSED: bool> core::ops::AddAssign for $name {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }
        impl<const FUSED: bool> core::ops::SubAssign for $name {
            #[inline(always)]
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o;
            }
        }
    };
    (@one $name:ty, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl<const FUSED: bool> core::ops::$trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                // SAFETY: see the module.
                Self(unsafe { $intrinsic(self.0, o.0) })
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(in crate::math) use vector_operators;

/// Products with sums by intrinsics where the vectors are fused ones.
#[cfg(target_arch = "x86_64")]
macro_rules! fused_products {
    ($times_plus:ident, $times_minus:ident, $times_from:ident) => {
        #[inline(always)]
        fn times_plus(self, a: Self, b: Self) -> Self {
            if FUSED {
                // SAFETY: see the module.
                Self(unsafe { $times_plus(self.0, a.0, b.0) })
            } else {
                self * a + b
            }
        }
        #[inline(always)]
        fn times_minus(self, a: Self, b: Self) -> Self {
            if FUSED {
                // SAFETY: see the module.
                Self(unsafe { $times_minus(self.0, a.0, b.0) })
            } else {
                self * a - b
            }
        }
        #[inline(always)]
        fn times_from(self, a: Self, b: Self) -> Self {
            if FUSED {
                // SAFETY: see the module.
                Self(unsafe { $times_from(self.0, a.0, b.0) })
            } else {
                b - self * a
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(in crate::math) use fused_products;

impl Real for f32 {
    type Mask = bool;
    #[inline(always)]
    fn of(x: f64) -> Self {
        x as f32
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32::abs(self)
    }
    #[inline(always)]
    fn with_sign_of(self, other: Self) -> Self {
        let sign = (-0.0_f32).to_bits();
        f32::from_bits(self.to_bits() ^ (other.to_bits() & sign))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn all(mask: bool) -> bool {
        mask
    }
    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
    single_elementary!();
}

impl Real for f64 {
    type Mask = bool;
    #[inline(always)]
    fn of(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn with_sign_of(self, other: Self) -> Self {
        let sign = (-0.0_f64).to_bits();
        f64::from_bits(self.to_bits() ^ (other.to_bits() & sign))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn all(mask: bool) -> bool {
        mask
    }
    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
    #[inline(always)]
    fn inverse_sqrt(self) -> Self {
        1.0 / f64::sqrt(self)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        libm::exp(self)
    }
    #[inline(always)]
    fn exp_m1(self) -> Self {
        libm::expm1(self)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        libm::sincos(self)
    }
}
