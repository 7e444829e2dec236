//! Sixteen bodies at a time, on whatever the processor has.
//!
//! Memory is the same everywhere: a [`Row`] holds one number of each of sixteen bodies, and tiles are structs of rows (`V3<Row>`, …). A
//! [`Kernel`] is written once, generic over [`Vector`], and [`dispatch`] runs it with the widest vectors found when the program started: sixteen
//! (AVX-512), eight (AVX2) or four lanes (SSE2, NEON, wasm128), or one for reference. Every operation acts on each lane
//! alone and rounds as IEEE 754 says, nothing is fused unless [`Isa::fused`] is chosen, and sums over bodies have one order; the bits are
//! therefore the same for all others.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod base;
mod isa;
mod several;

pub use isa::Isa;
pub(crate) use isa::{Kernel, dispatch};
pub(crate) use several::Several;

use super::{Matrix3, Quaternion, Real, Sym3, V3};

/// Bodies in a tile.
pub const ROW: usize = 16;

/// One number of each of sixteen bodies, or sixteen numbers of one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Row(pub [f32; ROW]);

impl Default for Row {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Row {
    /// All zero.
    pub const ZERO: Self = Self([0.0; ROW]);

    /// The same number sixteen times.
    pub const fn splat(x: f32) -> Self {
        Self([x; ROW])
    }
}

/// Sixteen numbers of each of sixteen bodies: a row per number, or a line per body.
pub type Tile = [Row; ROW];

/// A tile to write to.
pub(crate) const BLANK: Tile = [Row::ZERO; ROW];

/// Numbers of several bodies side by side.
pub trait Vector: Real {
    /// How many; divides [`ROW`].
    const WIDTH: usize;
    /// The numbers of bodies `at … at + WIDTH` of a tile.
    fn load(row: &Row, at: usize) -> Self;
    /// Writes them back.
    fn store(self, row: &mut Row, at: usize);
    /// Lanes where a mask holds, the first in bit 0.
    fn bits(mask: Self::Mask) -> u32;
    /// Writes the columns of sixteen rows. Not returned: a tile that is cleared first and copied then takes longer than it does to turn it.
    fn transpose(rows: [&Row; ROW], columns: &mut Tile);
    /// Adds to a line of sixteen numbers.
    fn add_line(to: &mut Row, line: &Row);

    /// The same number in every lane.
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self::of(f64::from(x))
    }
    /// Lanes that are neither infinite nor NaN.
    #[inline(always)]
    fn finite(self) -> Self::Mask {
        self.abs().lt(Self::of(f64::INFINITY))
    }
}

/// All lanes of a [`Vector`], as [`Vector::bits`] tells them.
#[inline(always)]
pub(crate) const fn every_lane<T: Vector>() -> u32 {
    ((1_u64 << T::WIDTH) - 1) as u32
}

/// A struct of rows: the same struct of one body's numbers, and of vectors.
pub(crate) trait Rows {
    /// The struct with another number type.
    type Of<T>;
    /// Numbers of one body.
    fn get(&self, lane: usize) -> Self::Of<f32>;
    /// Sets the numbers of one body.
    fn set(&mut self, lane: usize, value: Self::Of<f32>);
    /// Numbers of the bodies from `at` on.
    fn load<T: Vector>(&self, at: usize) -> Self::Of<T>;
    /// Sets the numbers of the bodies from `at` on.
    fn store<T: Vector>(&mut self, at: usize, value: Self::Of<T>);
}

impl Rows for Row {
    type Of<T> = T;
    #[inline(always)]
    fn get(&self, lane: usize) -> f32 {
        self.0[lane]
    }
    #[inline(always)]
    fn set(&mut self, lane: usize, value: f32) {
        self.0[lane] = value;
    }
    #[inline(always)]
    fn load<T: Vector>(&self, at: usize) -> T {
        T::load(self, at)
    }
    #[inline(always)]
    fn store<T: Vector>(&mut self, at: usize, value: T) {
        value.store(self, at);
    }
}

/// Three rows from `first` on.
#[inline(always)]
pub(crate) fn vector<T: Vector>(rows: &[Row], first: usize, at: usize) -> V3<T> {
    V3 {
        x: T::load(&rows[first], at),
        y: T::load(&rows[first + 1], at),
        z: T::load(&rows[first + 2], at),
    }
}

/// Six rows from `first` on.
#[inline(always)]
pub(crate) fn symmetric<T: Vector>(rows: &[Row], first: usize, at: usize) -> Sym3<T> {
    let (diagonal, sides) = (vector(rows, first, at), vector(rows, first + 3, at));
    Sym3 {
        xx: diagonal.x,
        yy: diagonal.y,
        zz: diagonal.z,
        xy: sides.x,
        xz: sides.y,
        yz: sides.z,
    }
}

/// Nine rows from `first` on.
#[inline(always)]
pub(crate) fn matrix<T: Vector>(rows: &[Row], first: usize, at: usize) -> Matrix3<T> {
    Matrix3 {
        x: vector(rows, first, at),
        y: vector(rows, first + 3, at),
        z: vector(rows, first + 6, at),
    }
}

/// Asks the memory for a thing that is soon read or written, so that it is there by then. A hint: no result depends on it.
#[inline(always)]
pub(crate) fn fetch<R>(thing: &R) {
    #[cfg(target_arch = "x86_64")]
    for byte in (0..size_of::<R>()).step_by(size_of::<Row>()) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = core::ptr::from_ref(thing).cast::<i8>();
        // SAFETY: within the thing, and a hint reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(byte)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = thing;
}

/// References to sixteen neighbours.
#[inline(always)]
pub(crate) fn each(rows: &[Row]) -> [&Row; ROW] {
    let rows: &[Row; ROW] = rows.first_chunk().expect("a tile has sixteen rows");
    rows.each_ref()
}

macro_rules! rows {
    ($name:ident, $($field:ident),+) => {
        impl Rows for $name<Row> {
            type Of<T> = $name<T>;
            #[inline(always)]
            fn get(&self, lane: usize) -> $name<f32> {
                $name { $($field: self.$field.get(lane)),+ }
            }
            #[inline(always)]
            fn set(&mut self, lane: usize, value: $name<f32>) {
                $(self.$field.set(lane, value.$field);)+
            }
            #[inline(always)]
            fn load<T: $crate::math::simd::Vector>(&self, at: usize) -> $name<T> {
                $name { $($field: self.$field.load(at)),+ }
            }
            #[inline(always)]
            fn store<T: $crate::math::simd::Vector>(&mut self, at: usize, value: $name<T>) {
                $(self.$field.store(at, value.$field);)+
            }
        }
    };
}
pub(crate) use rows;

rows!(V3, x, y, z);
rows!(Quaternion, v, w);
rows!(Sym3, xx, yy, zz, xy, xz, yz);
rows!(Matrix3, x, y, z);

#[cfg(test)]
mod tests;
