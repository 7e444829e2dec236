//! Sixteen lanes.
//!
//! Values of this type exist only inside [`super::dispatch`], which has made sure that the processor has these instructions; that is the
//! reason of every `unsafe` here. Pointers come from references to whole rows.

use super::{ROW, Row, Tile, Vector};
use crate::math::real::{Real, Single, fused_products, single_elementary, vector_operators};
use core::arch::x86_64::*;

/// Sixteen numbers in a register; `FUSED` rounds a product with a sum once.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x16<const FUSED: bool>(__m512);

vector_operators!(
    F32x16<FUSED>,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_div_ps
);

impl<const FUSED: bool> core::ops::Neg for F32x16<FUSED> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm512_xor_ps(self.0, _mm512_set1_ps(-0.0))) }
    }
}

impl<const FUSED: bool> Single for F32x16<FUSED> {
    #[inline(always)]
    fn exp2_of_whole(self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let biased = _mm512_add_epi32(_mm512_cvtps_epi32(self.0), _mm512_set1_epi32(127));
            Self(_mm512_castsi512_ps(_mm512_slli_epi32::<23>(biased)))
        }
    }
    #[inline(always)]
    fn quadrant(self) -> (__mmask16, Self, Self) {
        // SAFETY: see the module.
        unsafe {
            let n = _mm512_castps_si512(self.0);
            let next = _mm512_add_epi32(n, _mm512_set1_epi32(1));
            let odd = _mm512_test_epi32_mask(n, _mm512_set1_epi32(1));
            let sine = Self(_mm512_castsi512_ps(_mm512_slli_epi32::<30>(n)));
            let cosine = Self(_mm512_castsi512_ps(_mm512_slli_epi32::<30>(next)));
            (odd, sine, cosine)
        }
    }
    #[inline(always)]
    fn bits_less_half(self, from: u32) -> Self {
        // SAFETY: see the module.
        unsafe {
            let half = _mm512_srli_epi32::<1>(_mm512_castps_si512(self.0));
            let less = _mm512_sub_epi32(_mm512_set1_epi32(from as i32), half);
            Self(_mm512_castsi512_ps(less))
        }
    }
}

impl<const FUSED: bool> Real for F32x16<FUSED> {
    type Mask = __mmask16;
    #[inline(always)]
    fn of(x: f64) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm512_set1_ps(x as f32)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm512_sqrt_ps(self.0)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm512_abs_ps(self.0)) }
    }
    #[inline(always)]
    fn with_sign_of(self, other: Self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let sign = _mm512_and_ps(other.0, _mm512_set1_ps(-0.0));
            Self(_mm512_xor_ps(self.0, sign))
        }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> __mmask16 {
        // SAFETY: see the module.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: __mmask16, yes: Self, no: Self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm512_mask_blend_ps(mask, no.0, yes.0)) }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // The second operand where either is NaN or both are equal, which is what `Real::max` promises.
        // SAFETY: see the module.
        unsafe { Self(_mm512_max_ps(other.0, self.0)) }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm512_min_ps(other.0, self.0)) }
    }
    #[inline(always)]
    fn all(mask: __mmask16) -> bool {
        mask == __mmask16::MAX
    }
    #[inline(always)]
    fn any(mask: __mmask16) -> bool {
        mask != 0
    }
    single_elementary!();
    fused_products!(_mm512_fmadd_ps, _mm512_fmsub_ps, _mm512_fnmadd_ps);
}

impl<const FUSED: bool> Vector for F32x16<FUSED> {
    const WIDTH: usize = 16;
    #[inline(always)]
    fn load(row: &Row, _at: usize) -> Self {
        // SAFETY: a row is 64 bytes, aligned to as many.
        unsafe { Self(_mm512_load_ps(row.0.as_ptr())) }
    }
    #[inline(always)]
    fn store(self, row: &mut Row, _at: usize) {
        // SAFETY: a row is 64 bytes, aligned to as many.
        unsafe { _mm512_store_ps(row.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn bits(mask: __mmask16) -> u32 {
        u32::from(mask)
    }
    #[inline(always)]
    fn transpose(rows: [&Row; ROW], columns: &mut Tile) {
        // Loops and no closures: what is not inlined is not compiled for these instructions.
        let mut r = [Self::load(rows[0], 0); ROW];
        for i in 1..ROW {
            r[i] = Self::load(rows[i], 0);
        }
        // SAFETY: see the module.
        unsafe {
            // Pairs of rows, then of pairs, then quarters of registers.
            let z = _mm512_setzero_ps();
            let mut t = [z; ROW];
            for i in 0..8 {
                t[2 * i] = _mm512_unpacklo_ps(r[2 * i].0, r[2 * i + 1].0);
                t[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i].0, r[2 * i + 1].0);
            }
            let mut u = [z; ROW];
            for i in 0..4 {
                let (a, b) = (_mm512_castps_pd(t[4 * i]), _mm512_castps_pd(t[4 * i + 1]));
                let (c, d) = (
                    _mm512_castps_pd(t[4 * i + 2]),
                    _mm512_castps_pd(t[4 * i + 3]),
                );
                u[4 * i] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
                u[4 * i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
                u[4 * i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
                u[4 * i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
            }
            // u[4 i + k]: column 4 q + k of rows 4 i … 4 i + 3 in quarter q.
            for k in 0..4 {
                let low = _mm512_shuffle_f32x4::<0x88>(u[k], u[4 + k]); // quarters 0, 2 of rows 0–3 and 4–7
                let low2 = _mm512_shuffle_f32x4::<0x88>(u[8 + k], u[12 + k]);
                let high = _mm512_shuffle_f32x4::<0xdd>(u[k], u[4 + k]); // quarters 1, 3
                let high2 = _mm512_shuffle_f32x4::<0xdd>(u[8 + k], u[12 + k]);
                Self(_mm512_shuffle_f32x4::<0x88>(low, low2)).store(&mut columns[k], 0);
                Self(_mm512_shuffle_f32x4::<0x88>(high, high2)).store(&mut columns[4 + k], 0);
                Self(_mm512_shuffle_f32x4::<0xdd>(low, low2)).store(&mut columns[8 + k], 0);
                Self(_mm512_shuffle_f32x4::<0xdd>(high, high2)).store(&mut columns[12 + k], 0);
            }
        }
    }
    #[inline(always)]
    fn add_line(to: &mut Row, line: &Row) {
        (Self::load(to, 0) + Self::load(line, 0)).store(to, 0);
    }
}
