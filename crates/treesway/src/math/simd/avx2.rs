//! Eight lanes.
//!
//! Values of this type exist only inside [`super::dispatch`], which has made sure that the processor has these instructions; that is the
//! reason of every `unsafe` here. Pointers come from references to whole rows.

use super::{ROW, Row, Tile, Vector};
use crate::math::real::{Real, Single, fused_products, single_elementary, vector_operators};
use core::arch::x86_64::*;

/// Eight numbers in a register; `FUSED` rounds a product with a sum once.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x8<const FUSED: bool>(__m256);

vector_operators!(
    F32x8<FUSED>,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_div_ps
);

impl<const FUSED: bool> core::ops::Neg for F32x8<FUSED> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm256_xor_ps(self.0, _mm256_set1_ps(-0.0))) }
    }
}

impl<const FUSED: bool> Single for F32x8<FUSED> {
    #[inline(always)]
    fn exp2_of_whole(self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let biased = _mm256_add_epi32(_mm256_cvtps_epi32(self.0), _mm256_set1_epi32(127));
            Self(_mm256_castsi256_ps(_mm256_slli_epi32::<23>(biased)))
        }
    }
    #[inline(always)]
    fn quadrant(self) -> (__m256, Self, Self) {
        // SAFETY: see the module.
        unsafe {
            let n = _mm256_castps_si256(self.0);
            let next = _mm256_add_epi32(n, _mm256_set1_epi32(1));
            // A mask is told by its sign bits.
            let odd = _mm256_castsi256_ps(_mm256_slli_epi32::<31>(n));
            let sine = Self(_mm256_castsi256_ps(_mm256_slli_epi32::<30>(n)));
            let cosine = Self(_mm256_castsi256_ps(_mm256_slli_epi32::<30>(next)));
            (odd, sine, cosine)
        }
    }
    #[inline(always)]
    fn bits_less_half(self, from: u32) -> Self {
        // SAFETY: see the module.
        unsafe {
            let half = _mm256_srli_epi32::<1>(_mm256_castps_si256(self.0));
            let less = _mm256_sub_epi32(_mm256_set1_epi32(from as i32), half);
            Self(_mm256_castsi256_ps(less))
        }
    }
}

impl<const FUSED: bool> Real for F32x8<FUSED> {
    type Mask = __m256;
    #[inline(always)]
    fn of(x: f64) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm256_set1_ps(x as f32)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm256_sqrt_ps(self.0)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)) }
    }
    #[inline(always)]
    fn with_sign_of(self, other: Self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let sign = _mm256_and_ps(other.0, _mm256_set1_ps(-0.0));
            Self(_mm256_xor_ps(self.0, sign))
        }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> __m256 {
        // SAFETY: see the module.
        unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: __m256, yes: Self, no: Self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm256_blendv_ps(no.0, yes.0, mask)) }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // The second operand where either is NaN or both are equal, which is what `Real::max` promises.
        // SAFETY: see the module.
        unsafe { Self(_mm256_max_ps(other.0, self.0)) }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm256_min_ps(other.0, self.0)) }
    }
    #[inline(always)]
    fn all(mask: __m256) -> bool {
        Self::bits(mask) == 0xff
    }
    #[inline(always)]
    fn any(mask: __m256) -> bool {
        Self::bits(mask) != 0
    }
    single_elementary!();
    fused_products!(_mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_fnmadd_ps);
}

impl<const FUSED: bool> Vector for F32x8<FUSED> {
    const WIDTH: usize = 8;
    #[inline(always)]
    fn load(row: &Row, at: usize) -> Self {
        debug_assert!(at == 0 || at == 8);
        // SAFETY: half a row, aligned as one.
        unsafe { Self(_mm256_load_ps(row.0.as_ptr().add(at & 8))) }
    }
    #[inline(always)]
    fn store(self, row: &mut Row, at: usize) {
        debug_assert!(at == 0 || at == 8);
        // SAFETY: half a row, aligned as one.
        unsafe { _mm256_store_ps(row.0.as_mut_ptr().add(at & 8), self.0) }
    }
    #[inline(always)]
    fn bits(mask: __m256) -> u32 {
        // SAFETY: see the module.
        unsafe { _mm256_movemask_ps(mask) as u32 }
    }
    #[inline(always)]
    fn transpose(rows: [&Row; ROW], columns: &mut Tile) {
        for r in [0, 8] {
            for c in [0, 8] {
                // Loops and no closures: what is not inlined is not compiled for these instructions.
                let mut square = [Self::load(rows[r], c); 8];
                for i in 1..8 {
                    square[i] = Self::load(rows[r + i], c);
                }
                let square = turned(square);
                for i in 0..8 {
                    square[i].store(&mut columns[c + i], r);
                }
            }
        }
    }
    #[inline(always)]
    fn add_line(to: &mut Row, line: &Row) {
        for at in [0, 8] {
            (Self::load(to, at) + Self::load(line, at)).store(to, at);
        }
    }
}

/// Eight rows of eight to columns.
#[inline(always)]
fn turned<const FUSED: bool>(r: [F32x8<FUSED>; 8]) -> [F32x8<FUSED>; 8] {
    // SAFETY: see the module.
    unsafe {
        let z = _mm256_setzero_ps();
        let mut t = [z; 8];
        for i in 0..4 {
            t[2 * i] = _mm256_unpacklo_ps(r[2 * i].0, r[2 * i + 1].0);
            t[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i].0, r[2 * i + 1].0);
        }
        let mut u = [z; 8];
        for i in 0..2 {
            let [a, b, c, d] = [t[4 * i], t[4 * i + 1], t[4 * i + 2], t[4 * i + 3]];
            u[4 * i] = _mm256_shuffle_ps::<0x44>(a, c);
            u[4 * i + 1] = _mm256_shuffle_ps::<0xee>(a, c);
            u[4 * i + 2] = _mm256_shuffle_ps::<0x44>(b, d);
            u[4 * i + 3] = _mm256_shuffle_ps::<0xee>(b, d);
        }
        // u[4 i + k]: columns k and 4 + k of rows 4 i … 4 i + 3.
        let mut columns = r;
        for c in 0..4 {
            columns[c] = F32x8(_mm256_permute2f128_ps::<0x20>(u[c], u[4 + c]));
            columns[4 + c] = F32x8(_mm256_permute2f128_ps::<0x31>(u[c], u[4 + c]));
        }
        columns
    }
}
