//! exp, expm1, sine and cosine in single precision, the same bits for a scalar and for a lane, on every target.
//!
//! Range reduction after Cody and Waite; minimax or Taylor polynomials. Errors against `f64`, measured by the tests
//! below: exp and expm1 under 2 units in the last place, sine and cosine under 1.5e-7 absolute up to 100.

use super::real::Single;

/// Nearest whole number for |x| < 2²²: adding 1.5·2²³ pushes the fraction out of the mantissa.
#[inline(always)]
fn round<T: Single>(x: T) -> T {
    let magic = T::of(12_582_912.0);
    (x + magic) - magic
}

/// x = n·ln 2 + r with |r| ≤ ½ ln 2; returns (n, eʳ − 1).
#[inline(always)]
fn reduced_exp_m1<T: Single>(x: T) -> (T, T) {
    let n = round(x * T::of(core::f64::consts::LOG2_E));
    // ln 2 in two parts; the first has 12 zero bits at its end, so that n times it is exact.
    let r = (x - n * T::of(0.693_359_375)) + n * T::of(2.121_944_400_546_905_8e-4);
    let p = T::of(1.0 / 5040.0);
    let p = p * r + T::of(1.0 / 720.0);
    let p = p * r + T::of(1.0 / 120.0);
    let p = p * r + T::of(1.0 / 24.0);
    let p = p * r + T::of(1.0 / 6.0);
    let p = p * r + T::of(0.5);
    (n, r + r * r * p)
}

#[inline(always)]
pub(in crate::math) fn exp<T: Single>(x: T) -> T {
    let clamped = x.max(T::of(-87.0));
    let (n, m) = reduced_exp_m1(clamped);
    let scale = n.exp2_of_whole();
    T::select(x.lt(T::of(-87.0)), T::zero(), scale + scale * m)
}

#[inline(always)]
pub(in crate::math) fn exp_m1<T: Single>(x: T) -> T {
    // Below −20 the answer is −1 to the last bit.
    let (n, m) = reduced_exp_m1(x.max(T::of(-20.0)));
    let scale = n.exp2_of_whole();
    // Exact when n = 0; otherwise the result is at least 0.29 in size and nothing cancels.
    (scale - T::one()) + scale * m
}

#[inline(always)]
pub(in crate::math) fn sin_cos<T: Single>(x: T) -> (T, T) {
    let x = x.min(T::of(1.0e5)).max(T::zero());
    // x = n·π/2 + r, π/2 in three parts with trailing zero bits (exact products up to n = 2¹⁶).
    let n = round(x * T::of(core::f64::consts::FRAC_2_PI));
    let r = ((x - n * T::of(1.570_312_5)) - n * T::of(4.837_512_969_970_703e-4))
        - n * T::of(7.549_789_948_768_648e-8);
    let r2 = r * r;
    let s = T::of(2.755_731_9e-6);
    let s = s * r2 - T::of(1.0 / 5040.0);
    let s = s * r2 + T::of(1.0 / 120.0);
    let s = s * r2 - T::of(1.0 / 6.0);
    let sine = r + r * (r2 * s);
    let c = T::of(1.0 / 40320.0);
    let c = c * r2 - T::of(1.0 / 720.0);
    let c = c * r2 + T::of(1.0 / 24.0);
    let cosine = (T::one() - T::of(0.5) * r2) + r2 * r2 * c;
    // Quadrant: 0 → (s, c), 1 → (c, −s), 2 → (−s, −c), 3 → (−c, s). `quarter` is 0, 1, 2, 3 or, by rounding, −1, −2.
    let quarter = n - T::of(4.0) * round(n * T::of(0.25));
    let odd = T::of(0.5).lt((quarter - T::of(2.0) * round(quarter * T::of(0.5))).abs());
    let half = quarter.abs();
    let (sin_base, cos_base) = (T::select(odd, cosine, sine), T::select(odd, sine, cosine));
    let two = T::of(1.5).lt(half);
    // For odd quarters the sign of n mod 4 decides; for even ones whether it is ±2.
    let negative = quarter.lt(T::zero());
    let minus_sin = T::select(
        odd,
        T::select(negative, -T::one(), T::one()),
        T::select(two, -T::one(), T::one()),
    );
    let minus_cos = T::select(
        odd,
        T::select(negative, T::one(), -T::one()),
        T::select(two, -T::one(), T::one()),
    );
    (sin_base * minus_sin, cos_base * minus_cos)
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
