//! Two vectors at once: while one waits for a division or a root, the processor works on the other.

use crate::math::{Real, Sym3, V3};
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// Two numbers or vectors that go through the same operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Twice<T>(pub(crate) T, pub(crate) T);

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl<T: Real> $trait for Twice<T> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self($trait::$method(self.0, o.0), $trait::$method(self.1, o.1))
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl<T: Real> Neg for Twice<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}
impl<T: Real> AddAssign for Twice<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<T: Real> SubAssign for Twice<T> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<T: Real> Real for Twice<T> {
    type Mask = (T::Mask, T::Mask);
    #[inline(always)]
    fn of(x: f64) -> Self {
        Self(T::of(x), T::of(x))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }
    #[inline(always)]
    fn lt(self, o: Self) -> Self::Mask {
        (self.0.lt(o.0), self.1.lt(o.1))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(
            T::select(mask.0, yes.0, no.0),
            T::select(mask.1, yes.1, no.1),
        )
    }
    #[inline(always)]
    fn all(mask: Self::Mask) -> bool {
        T::all(mask.0) && T::all(mask.1)
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        T::any(mask.0) || T::any(mask.1)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        Self(self.0.exp(), self.1.exp())
    }
    #[inline(always)]
    fn exp_m1(self) -> Self {
        Self(self.0.exp_m1(), self.1.exp_m1())
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let ((s, c), (t, d)) = (self.0.sin_cos(), self.1.sin_cos());
        (Self(s, t), Self(c, d))
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        Self(self.0.max(o.0), self.1.max(o.1))
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        Self(self.0.min(o.0), self.1.min(o.1))
    }
}

impl<T> V3<Twice<T>> {
    #[inline(always)]
    pub(crate) fn of_two(a: V3<T>, b: V3<T>) -> Self {
        Self {
            x: Twice(a.x, b.x),
            y: Twice(a.y, b.y),
            z: Twice(a.z, b.z),
        }
    }
    #[inline(always)]
    pub(crate) fn apart(self) -> (V3<T>, V3<T>) {
        let Self { x, y, z } = self;
        (
            V3 {
                x: x.0,
                y: y.0,
                z: z.0,
            },
            V3 {
                x: x.1,
                y: y.1,
                z: z.1,
            },
        )
    }
}

impl<T> Sym3<Twice<T>> {
    #[inline(always)]
    pub(crate) fn of_two(a: Sym3<T>, b: Sym3<T>) -> Self {
        Self {
            xx: Twice(a.xx, b.xx),
            yy: Twice(a.yy, b.yy),
            zz: Twice(a.zz, b.zz),
            xy: Twice(a.xy, b.xy),
            xz: Twice(a.xz, b.xz),
            yz: Twice(a.yz, b.yz),
        }
    }
}
