//! 1/√x, exp, expm1, sine and cosine in single precision, the same bits for a scalar and for a lane, on every target.
//!
//! Range reduction after Cody and Waite; minimax or Taylor polynomials. Errors against `f64`, measured by the tests
//! below: exp and expm1 under 2 units in the last place, sine and cosine under 1.5e-7 absolute up to 100.

use super::real::Single;

/// 1.5·2²³: added to |x| < 2²² it pushes the fraction out of the mantissa and leaves the nearest whole number in the last bits.
const WHOLE: f64 = 12_582_912.0;

/// Nearest whole number for |x| < 2²².
#[inline(always)]
fn round<T: Single>(x: T) -> T {
    (x + T::of(WHOLE)) - T::of(WHOLE)
}

/// x = n·ln 2 + r with |r| ≤ ½ ln 2; returns (n, eʳ − 1).
#[inline(always)]
fn reduced_exp_m1<T: Single>(x: T) -> (T, T) {
    let n = round(x * T::of(core::f64::consts::LOG2_E));
    // ln 2 in two parts; the first has 12 zero bits at its end, so that n times it is exact.
    let r = n.times_from(T::of(0.693_359_375), x);
    let r = n.times_plus(T::of(2.121_944_400_546_905_8e-4), r);
    // (eʳ − 1 − r)/r², best in the largest relative error of eʳ − 1: 1.4e-8.
    let p = T::of(0.001_388_251_654_570_238_8);
    let p = p.times_plus(r, T::of(0.008_366_547_206_830_706));
    let p = p.times_plus(r, T::of(0.041_667_200_713_121_24));
    let p = p.times_plus(r, T::of(0.166_665_434_237_154_4));
    let p = p.times_plus(r, T::of(0.499_999_981_496_085_7));
    (n, (r * r).times_plus(p, r))
}

#[inline(always)]
pub(in crate::math) fn exp<T: Single>(x: T) -> T {
    let clamped = x.max(T::of(-87.0));
    let (n, m) = reduced_exp_m1(clamped);
    let scale = n.exp2_of_whole();
    T::select(x.lt(T::of(-87.0)), T::zero(), scale.times_plus(m, scale))
}

#[inline(always)]
pub(in crate::math) fn exp_m1<T: Single>(x: T) -> T {
    // Below −20 the answer is −1 to the last bit.
    let (n, m) = reduced_exp_m1(x.max(T::of(-20.0)));
    let scale = n.exp2_of_whole();
    // Exact when n = 0; otherwise the result is at least 0.29 in size and nothing cancels.
    scale.times_plus(m, scale - T::one())
}

/// From a guess by the bits, whose exponent is halved by a shift, one step of Newton's and one of third order. The processor's own guesses
/// differ from maker to maker; a root and a division take three times as long.
#[inline(always)]
pub(in crate::math) fn inverse_sqrt<T: Single>(x: T) -> T {
    let y = x.bits_less_half(0x5f37_59df);
    let y = y * (x * T::of(0.5) * y).times_from(y, T::of(1.5));
    let e = (x * y).times_from(y, T::one());
    (y * e).times_plus(e.times_plus(T::of(0.375), T::of(0.5)), y)
}

#[inline(always)]
pub(in crate::math) fn sin_cos<T: Single>(x: T) -> (T, T) {
    let x = x.min(T::of(1.0e5)).max(T::zero());
    // x = n·π/2 + r, π/2 in three parts with trailing zero bits (exact products up to n = 2¹⁶).
    let shifted = x.times_plus(T::of(core::f64::consts::FRAC_2_PI), T::of(WHOLE));
    let n = shifted - T::of(WHOLE);
    let r = n.times_from(T::of(1.570_312_5), x);
    let r = n.times_from(T::of(4.837_512_969_970_703e-4), r);
    let r = n.times_from(T::of(7.549_789_948_768_648e-8), r);
    let r2 = r * r;
    let s = T::of(2.755_731_9e-6);
    let s = s.times_minus(r2, T::of(1.0 / 5040.0));
    let s = s.times_plus(r2, T::of(1.0 / 120.0));
    let s = s.times_minus(r2, T::of(1.0 / 6.0));
    let sine = r.times_plus(r2 * s, r);
    let c = T::of(1.0 / 40320.0);
    let c = c.times_minus(r2, T::of(1.0 / 720.0));
    let c = c.times_plus(r2, T::of(1.0 / 24.0));
    let cosine = (r2 * r2).times_plus(c, T::of(0.5).times_from(r2, T::one()));
    // Quadrant: 0 → (s, c), 1 → (c, −s), 2 → (−s, −c), 3 → (−c, s).
    let (odd, sine_sign, cosine_sign) = shifted.quadrant();
    (
        T::select(odd, cosine, sine).with_sign_of(sine_sign),
        T::select(odd, sine, cosine).with_sign_of(cosine_sign),
    )
}

#[cfg(test)]
mod tests {
    use crate::math::Real;

    #[test]
    fn exponential_is_right_to_two_units() {
        for i in -8700..800 {
            let x = i as f32 * 0.01 + 0.001;
            let exact = libm::exp(x as f64);
            assert!((x.exp() as f64 - exact).abs() <= 2.4e-7 * exact, "exp {x}");
        }
        for i in -4000..400 {
            let x = i as f32 * 0.002;
            let exact = libm::expm1(x as f64);
            assert!(
                (x.exp_m1() as f64 - exact).abs() <= 2.4e-7 * exact.abs(),
                "expm1 {x}"
            );
        }
        assert_eq!(Real::exp(-1.0e30_f32), 0.0);
        assert_eq!(Real::exp_m1(-1.0e30_f32), -1.0);
        for tiny in [1e-30_f32, -1e-20, 1e-7] {
            assert_eq!(Real::exp_m1(tiny), libm::expm1(tiny as f64) as f32);
        }
    }

    #[test]
    fn inverse_root_is_right_to_two_units() {
        // Two octaves are all there is: the exponent goes by halves.
        for i in 0..300_000 {
            let x = 1.0 + i as f32 * 1e-5;
            for x in [x, x * 2.0_f32.powi(-120), x * 2.0_f32.powi(120)] {
                let exact = 1.0 / libm::sqrt(x as f64);
                let off = (x.inverse_sqrt() as f64 - exact).abs();
                assert!(off <= 1.2e-7 * exact, "at {x}: {off}");
            }
        }
        assert!(0.0_f32.inverse_sqrt().is_finite());
    }

    #[test]
    fn sine_and_cosine_stay_on_the_circle() {
        for i in 0..100_000 {
            let x = i as f32 * 0.001;
            let (s, c) = Real::sin_cos(x);
            let (es, ec) = libm::sincos(x as f64);
            assert!(
                (s as f64 - es).abs() < 1.5e-7 && (c as f64 - ec).abs() < 1.5e-7,
                "at {x}: {s} {c}, {es} {ec}"
            );
        }
        for x in [1e3_f32, 1e5, 1e9, 1e30, f32::INFINITY] {
            let (s, c) = Real::sin_cos(x);
            assert!((s * s + c * c - 1.0).abs() < 1e-6, "at {x}: {s} {c}");
        }
    }
}
