//! Several vectors at once: while one waits for a division or a root, the processor works on the others.

use crate::math::{Real, Sym3, V3};
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// Numbers or vectors that go through the same operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Several<T, const N: usize>(pub(crate) [T; N]);

// Loops and no closures: what is not inlined is not compiled for the instructions of its caller.

/// Calls a method on each and puts the results together.
macro_rules! each {
    ($n:ident, |$i:ident| $first:expr) => {{
        let mut all = [{
            let $i = 0;
            $first
        }; $n];
        for $i in 1..$n {
            all[$i] = $first;
        }
        all
    }};
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl<T: Real, const N: usize> $trait for Several<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self(each!(N, |i| $trait::$method(self.0[i], o.0[i])))
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl<T: Real, const N: usize> Neg for Several<T, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(each!(N, |i| -self.0[i]))
    }
}
impl<T: Real, const N: usize> AddAssign for Several<T, N> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<T: Real, const N: usize> SubAssign for Several<T, N> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

macro_rules! method {
    ($method:ident $(, $other:ident)*) => {
        #[inline(always)]
        fn $method(self $(, $other: Self)*) -> Self {
            Self(each!(N, |i| self.0[i].$method($($other.0[i]),*)))
        }
    };
}

impl<T: Real, const N: usize> Real for Several<T, N> {
    type Mask = [T::Mask; N];
    #[inline(always)]
    fn of(x: f64) -> Self {
        Self([T::of(x); N])
    }
    method!(sqrt);
    method!(inverse_sqrt);
    method!(abs);
    method!(with_sign_of, other);
    method!(exp);
    method!(exp_m1);
    method!(max, other);
    method!(min, other);
    method!(times_plus, a, b);
    method!(times_minus, a, b);
    method!(times_from, a, b);
    #[inline(always)]
    fn lt(self, o: Self) -> Self::Mask {
        each!(N, |i| self.0[i].lt(o.0[i]))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(each!(N, |i| T::select(mask[i], yes.0[i], no.0[i])))
    }
    #[inline(always)]
    fn all(mask: Self::Mask) -> bool {
        let mut all = true;
        for m in mask {
            all &= T::all(m);
        }
        all
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        let mut any = false;
        for m in mask {
            any |= T::any(m);
        }
        any
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let both = each!(N, |i| self.0[i].sin_cos());
        (Self(each!(N, |i| both[i].0)), Self(each!(N, |i| both[i].1)))
    }
}

impl<T: Copy, const N: usize> Several<T, N> {
    /// Vectors that lay side by side.
    #[inline(always)]
    pub(crate) fn apart(v: V3<Self>) -> [V3<T>; N] {
        each!(N, |i| V3 {
            x: v.x.0[i],
            y: v.y.0[i],
            z: v.z.0[i],
        })
    }

    /// Symmetric matrices side by side.
    #[inline(always)]
    pub(crate) fn symmetric(m: [Sym3<T>; N]) -> Sym3<Self> {
        Sym3 {
            xx: Self(each!(N, |i| m[i].xx)),
            yy: Self(each!(N, |i| m[i].yy)),
            zz: Self(each!(N, |i| m[i].zz)),
            xy: Self(each!(N, |i| m[i].xy)),
            xz: Self(each!(N, |i| m[i].xz)),
            yz: Self(each!(N, |i| m[i].yz)),
        }
    }
}

impl<T: Copy> Several<T, 3> {
    /// The three numbers of vectors, side by side.
    #[inline(always)]
    pub(crate) fn axes(v: V3<T>) -> Self {
        Self([v.x, v.y, v.z])
    }

    /// Back as vectors.
    #[inline(always)]
    pub(crate) fn vector(self) -> V3<T> {
        let [x, y, z] = self.0;
        V3 { x, y, z }
    }
}
