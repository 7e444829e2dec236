//! The number types a kernel runs on: `f32`, `f64` and [`Lanes`].

use super::elementary;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};
use wide::{f32x8, i32x8};

/// Bodies handled at once by a vector kernel; arrays are padded to a multiple of it.
pub const LANES: usize = 8;

/// Eight bodies side by side, one per lane.
pub type Lanes = f32x8;

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
    /// Magnitude.
    fn abs(self) -> Self;
    /// `self < other`; false where either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `yes` where the mask holds, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// eˣ for x ≤ 88; 0 below −87.
    fn exp(self) -> Self;
    /// eˣ − 1 for x ≤ 88 without cancellation near 0.
    fn exp_m1(self) -> Self;
    /// (sin x, cos x) for 0 ≤ x ≤ 1e5; beyond that some point of the unit circle.
    fn sin_cos(self) -> (Self, Self);

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
pub(super) trait Single: Real {
    /// 2ⁿ for a whole n in −126 … 127.
    fn exp2_of_whole(self) -> Self;
}

impl Single for f32 {
    #[inline(always)]
    fn exp2_of_whole(self) -> Self {
        f32::from_bits(((self as i32 + 127) as u32) << 23)
    }
}

impl Single for Lanes {
    #[inline(always)]
    fn exp2_of_whole(self) -> Self {
        let biased: i32x8 = self.fast_round_int() + i32x8::splat(127);
        let bits: i32x8 = biased << 23;
        Lanes::new(bits.to_array().map(|b| f32::from_bits(b as u32)))
    }
}

macro_rules! single_elementary {
    () => {
        #[inline(always)]
        fn exp(self) -> Self {
            elementary::exp(self)
        }
        #[inline(always)]
        fn exp_m1(self) -> Self {
            elementary::exp_m1(self)
        }
        #[inline(always)]
        fn sin_cos(self) -> (Self, Self) {
            elementary::sin_cos(self)
        }
    };
}

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
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    single_elementary!();
}

impl Real for Lanes {
    type Mask = Lanes;
    #[inline(always)]
    fn of(x: f64) -> Self {
        Lanes::splat(x as f32)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f32x8::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32x8::abs(self)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Lanes {
        self.simd_lt(other)
    }
    #[inline(always)]
    fn select(mask: Lanes, yes: Self, no: Self) -> Self {
        mask.bitselect(yes, no)
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
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
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
