//! One lane, and the four lanes that every processor has.

use super::{ROW, Row, Tile, Vector};
use wide::{f32x4, i32x4};

use crate::math::real::{Real, Single, single_elementary};

/// By sixteen copies of sixteen numbers.
fn transpose_by_copies(rows: [&Row; ROW], columns: &mut Tile) {
    for (r, row) in rows.into_iter().enumerate() {
        for (column, x) in columns.iter_mut().zip(row.0) {
            column.0[r] = x;
        }
    }
}

impl Vector for f32 {
    const WIDTH: usize = 1;
    #[inline(always)]
    fn load(row: &Row, at: usize) -> Self {
        row.0[at]
    }
    #[inline(always)]
    fn store(self, row: &mut Row, at: usize) {
        row.0[at] = self;
    }
    #[inline(always)]
    fn bits(mask: bool) -> u32 {
        u32::from(mask)
    }
    fn transpose(rows: [&Row; ROW], columns: &mut Tile) {
        transpose_by_copies(rows, columns);
    }
    #[inline(always)]
    fn add_line(to: &mut Row, line: &Row) {
        to.0.iter_mut().zip(line.0).for_each(|(a, b)| *a += b);
    }
}

#[inline(always)]
fn of_bits(bits: i32x4) -> f32x4 {
    f32x4::new(bits.to_array().map(
        #[inline(always)]
        |b| f32::from_bits(b as u32),
    ))
}

impl Single for f32x4 {
    #[inline(always)]
    fn exp2_of_whole(self) -> Self {
        let biased: i32x4 = self.fast_round_int() + i32x4::splat(127);
        of_bits(biased << 23)
    }
    #[inline(always)]
    fn quadrant(self) -> (Self, Self, Self) {
        let n = i32x4::new(self.to_array().map(
            #[inline(always)]
            |x| x.to_bits() as i32,
        ));
        (
            of_bits((n << 31) >> 31),
            of_bits(n << 30),
            of_bits((n + i32x4::ONE) << 30),
        )
    }
    #[inline(always)]
    fn bits_less_half(self, from: u32) -> Self {
        f32x4::new(self.to_array().map(
            #[inline(always)]
            |x| x.bits_less_half(from),
        ))
    }
}

impl Real for f32x4 {
    type Mask = f32x4;
    #[inline(always)]
    fn of(x: f64) -> Self {
        f32x4::splat(x as f32)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f32x4::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32x4::abs(self)
    }
    #[inline(always)]
    fn with_sign_of(self, other: Self) -> Self {
        self ^ (other & f32x4::splat(-0.0))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self {
        self.simd_lt(other)
    }
    #[inline(always)]
    fn select(mask: Self, yes: Self, no: Self) -> Self {
        mask.bitselect(yes, no)
    }
    #[inline(always)]
    fn all(mask: Self) -> bool {
        mask.all()
    }
    #[inline(always)]
    fn any(mask: Self) -> bool {
        mask.any()
    }
    single_elementary!();
}

impl Vector for f32x4 {
    const WIDTH: usize = 4;
    #[inline(always)]
    fn load(row: &Row, at: usize) -> Self {
        debug_assert!(at.is_multiple_of(4));
        // The mask tells the compiler that nothing lies outside.
        let four = row.0[at & 12..].first_chunk();
        f32x4::new(*four.expect("a row is four times four numbers"))
    }
    #[inline(always)]
    fn store(self, row: &mut Row, at: usize) {
        debug_assert!(at.is_multiple_of(4));
        let four = row.0[at & 12..].first_chunk_mut();
        *four.expect("a row is four times four numbers") = self.to_array();
    }
    #[inline(always)]
    fn bits(mask: Self) -> u32 {
        mask.to_bitmask()
    }
    #[inline(always)]
    fn transpose(rows: [&Row; ROW], columns: &mut Tile) {
        for r in (0..ROW).step_by(4) {
            for c in (0..ROW).step_by(4) {
                let mut square = [f32x4::ZERO; 4];
                for i in 0..4 {
                    square[i] = Self::load(rows[r + i], c);
                }
                let square = f32x4::transpose(square);
                for i in 0..4 {
                    square[i].store(&mut columns[c + i], r);
                }
            }
        }
    }
    #[inline(always)]
    fn add_line(to: &mut Row, line: &Row) {
        for at in (0..ROW).step_by(4) {
            (Self::load(to, at) + Self::load(line, at)).store(to, at);
        }
    }
}
