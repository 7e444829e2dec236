//! How a tapered branch bends (Habel 2009, §4).
//!
//! A cantilever of length 1, whose radius falls linearly from r₁ to α r₁, under an even load F:
//!
//!   (E I u″)″ = F,   I = π r₁⁴ k⁴/4,   k = 1 + (α − 1) x                                             (1, 6)
//!   u = u′ = 0 at the root,   u″ = u‴ = 0 at the tip                                                (2, 3)
//!
//! so that E I u″ = F (1 − x)²/2. In units of F/(E r₁⁴) its solution is, with b = α − 1,
//!
//!   u = (x b (6 + x b (2 x b (3 + (α − 3) α) + 3 (4 + (α − 2) α))) − 6 k² ln k) / (3 π k² b⁴).        (25)
//!
//! Slips of the paper: the factor before (25) is printed E F/r₁⁴, by which a stiffer branch would bend further; (25) is 0/0 without taper, where a
//! series takes over here. Shaders use the fit c₂ x² + c₄ x⁴ (7).

use core::f64::consts::PI;

/// Points at which (25) is fitted: as many give the digits that Table 1 prints.
pub const FIT_POINTS: usize = 101;
/// |α − 1| below which the series is used: the closed form has lost four of its digits there.
const NO_TAPER: f64 = 0.3;
/// A tip as thin as this share of the root; (25) has a logarithm of it.
const LEAST_TAPER: f64 = 0.02;

/// Deflection at x, 0 to 1, of a branch of taper ratio α, in units of F/(E r₁⁴) (25).
pub fn deflection(alpha: f64, x: f64) -> f64 {
    let b = alpha - 1.0;
    if b.abs() < NO_TAPER {
        return near_uniform(b, x);
    }
    let (k, xb) = (1.0 + x * b, x * b);
    let inner = 2.0 * xb * (3.0 + (alpha - 3.0) * alpha) + 3.0 * (4.0 + (alpha - 2.0) * alpha);
    let above = xb * (6.0 + xb * inner) - 6.0 * k * k * libm::log(k);
    above / (3.0 * PI * k * k * b * b * b * b)
}

/// u′ of (25) for a tip that is away by 1: 2/(3 π α) (1 − ((1 − x)/k)³), which needs no series. The fit is close in u, not in how u bends.
pub fn slope(alpha: f64, x: f64) -> f64 {
    let alpha = alpha.max(LEAST_TAPER);
    let rest = (1.0 - x) / (1.0 + (alpha - 1.0) * x);
    2.0 / (3.0 * PI * alpha) * (1.0 - rest * rest * rest) / deflection(alpha, 1.0)
}

/// u″ of the same.
pub fn curvature(alpha: f64, x: f64) -> f64 {
    let alpha = alpha.max(LEAST_TAPER);
    let k = 1.0 + (alpha - 1.0) * x;
    2.0 / PI * (1.0 - x) * (1.0 - x) / (k * k * k * k) / deflection(alpha, 1.0)
}

/// (25) as a series in b: u″ = (2/π) (1 − x)² Σ C(n+3, 3) (−b x)ⁿ, integrated twice.
fn near_uniform(b: f64, x: f64) -> f64 {
    const TERMS: u32 = 48; // 0.3⁴⁸·C(51, 3) is below the last digit
    let (mut sum, mut power) = (0.0, x * x);
    for n in 0..TERMS {
        let n = f64::from(n);
        let choose = (n + 1.0) * (n + 2.0) * (n + 3.0) / 6.0;
        let twice = 1.0 / ((n + 1.0) * (n + 2.0)) - 2.0 * x / ((n + 2.0) * (n + 3.0))
            + x * x / ((n + 3.0) * (n + 4.0));
        sum += choose * power * twice;
        power *= -b * x;
    }
    2.0 / PI * sum
}

/// c₂ and c₄ of (7): least squares over [`FIT_POINTS`] points, in units of F/(E r₁⁴).
pub fn fit(alpha: f64) -> [f64; 2] {
    let alpha = alpha.max(LEAST_TAPER);
    let (mut s4, mut s6, mut s8, mut y2, mut y4) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for i in 0..FIT_POINTS {
        let x = i as f64 / (FIT_POINTS - 1) as f64;
        let (x2, u) = (x * x, deflection(alpha, x));
        let x4 = x2 * x2;
        s4 += x4;
        s6 += x4 * x2;
        s8 += x4 * x4;
        y2 += u * x2;
        y4 += u * x4;
    }
    let det = s4 * s8 - s6 * s6;
    [(y2 * s8 - y4 * s6) / det, (y4 * s4 - y2 * s6) / det]
}

/// The fit as a shape: c₂ + c₄ = 1, so that an amplitude is the deflection of the tip.
pub fn shape(alpha: f64) -> [f32; 2] {
    let [c2, c4] = fit(alpha);
    let tip = c2 + c4;
    [(c2 / tip) as f32, (c4 / tip) as f32]
}

/// u of (7) and its slope u′.
#[inline(always)]
pub fn bent([c2, c4]: [f32; 2], x: f32) -> (f32, f32) {
    let x2 = x * x;
    (x2 * (c2 + c4 * x2), x * (2.0 * c2 + 4.0 * c4 * x2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coefficients and largest errors that the paper prints.
    const TABLE_1: [(f64, [f64; 2], f64); 4] = [
        (0.05, [0.221875, 0.754029], 0.0469),
        (0.1, [0.3326, 0.398924], 0.0024),
        (0.2, [0.374571, 0.129428], 0.0081),
        (0.3, [0.364816, 0.024577], 0.006),
    ];

    #[test]
    fn fit_gives_the_digits_of_table_1() {
        for (alpha, printed, largest) in TABLE_1 {
            let found = fit(alpha);
            for (found, printed) in found.iter().zip(printed) {
                assert!(
                    (found - printed).abs() < 6e-7,
                    "α {alpha}: {found}, printed {printed}"
                );
            }
            let off = (0..=10_000).map(|i| {
                let x = f64::from(i) * 1e-4;
                let x2 = x * x;
                (x2 * (found[0] + found[1] * x2) - deflection(alpha, x)).abs()
            });
            let off = off.fold(0.0, f64::max);
            println!(
                "α {alpha}: c2 {:.6} c4 {:.6}, largest error {off:.4} (printed {largest})",
                found[0], found[1]
            );
        }
    }

    /// u by integrating u″ = (2/π)(1 − x)²/k⁴ with Simpson's rule: u(x) = ∫ (x − y) u″(y) dy.
    fn integrated(alpha: f64, x: f64) -> f64 {
        const STEPS: usize = 20_000;
        let h = x / STEPS as f64;
        let term = |i: usize| {
            let y = h * i as f64;
            let k = 1.0 + (alpha - 1.0) * y;
            (x - y) * 2.0 / PI * (1.0 - y).powi(2) / k.powi(4)
        };
        let sum: f64 = (0..=STEPS)
            .map(|i| match i {
                0 | STEPS => term(i),
                _ if i % 2 == 1 => 4.0 * term(i),
                _ => 2.0 * term(i),
            })
            .sum();
        sum * h / 3.0
    }

    #[test]
    fn closed_form_solves_the_differential_equation() {
        let alphas = [
            0.05, 0.1, 0.3, 0.5, 0.69, 0.71, 0.9, 0.999, 1.0, 1.001, 1.2, 1.5,
        ];
        for alpha in alphas {
            for x in [0.1, 0.35, 0.5, 0.8, 1.0] {
                let (found, wanted) = (deflection(alpha, x), integrated(alpha, x));
                assert!(
                    (found - wanted).abs() < 1e-6 * wanted.max(1e-3),
                    "α {alpha} x {x}: {found} {wanted}"
                );
            }
        }
    }

    /// Solved as a boundary-value problem, not from the same first integral: finite differences of (E I u″)″ = F.
    #[test]
    fn closed_form_meets_the_beam_equation_and_its_ends() {
        let h = 1e-3;
        for alpha in [0.1, 0.3, 1.0] {
            let u = |x: f64| deflection(alpha, x);
            let moment = |x: f64| {
                let k: f64 = 1.0 + (alpha - 1.0) * x;
                PI / 4.0 * k.powi(4) * (u(x + h) - 2.0 * u(x) + u(x - h)) / (h * h)
            };
            for x in [0.2, 0.5, 0.7] {
                let load = (moment(x + 0.05) - 2.0 * moment(x) + moment(x - 0.05)) / 0.0025;
                assert!((load - 1.0).abs() < 1e-3, "α {alpha} x {x}: load {load}");
            }
            assert!(u(0.0).abs() < 1e-12 && (u(h) / h).abs() < 2e-3);
            assert!(moment(1.0 - h).abs() < 1e-5, "moment at the tip");
        }
    }

    #[test]
    fn slope_and_curvature_are_derivatives() {
        let h = 1e-5;
        for alpha in [0.05, 0.3, 0.9, 1.0, 1.4] {
            let (tip, u) = (deflection(alpha, 1.0), |x: f64| deflection(alpha, x));
            for x in [0.1, 0.5, 0.9] {
                let by_steps = (u(x + h) - u(x - h)) / (2.0 * h) / tip;
                assert!(
                    (slope(alpha, x) - by_steps).abs() < 1e-6 * by_steps,
                    "α {alpha} x {x}"
                );
                let by_steps = (slope(alpha, x + h) - slope(alpha, x - h)) / (2.0 * h);
                assert!(
                    (curvature(alpha, x) - by_steps).abs() < 1e-6 * by_steps,
                    "α {alpha} x {x}"
                );
            }
        }
    }

    #[test]
    fn every_taper_bends_one_way() {
        for i in 0..200 {
            let c = shape(0.01 * f64::from(i));
            for j in 1..=100 {
                let (u, slope) = bent(c, j as f32 * 0.01);
                assert!(u > 0.0 && slope > 0.0, "α {} at {j} %", 0.01 * f64::from(i));
            }
        }
    }
}
