//! Lines through motion textures that do not close (Habel 2009, §5.4).
//!
//! A branch reads its motion along two lines, called strands, and takes their sum over √2. One line, however irrational its slope, comes back to
//! within a wavelength of itself as soon as it has filled the texture, in minutes for a twig; two that run at speeds κ apart are never both back at once
//! within an hour (the test goes through all returns).

use crate::math::Rng;

/// κ, speed of the second strand over that of the first. Of the numbers from 1.005 to 1.05 by steps of 1e-4 the one whose nearest common return within
/// 4500 texture lengths is farthest, as the test in this file searches again.
pub const SECOND_STRAND: f32 = 1.0066;

/// Where all branches go in the corrected textures, of length one: at the golden slope, which is farthest from all fractions.
pub const GOLDEN: [f64; 2] = [0.850_650_808_352_039_9, 0.525_731_112_119_133_6];

/// Denominators that are tried.
const MOST_DENOMINATOR: u32 = 16;
/// Nearest that the slope comes to a fraction p/q, in units of 1/q²: the golden slope keeps 1/√5 from all, and half of all slopes keep a tenth.
const NEAREST: f64 = 0.1;

/// Whether a line of that slope is near one that closes after few turns.
pub fn nearly_closes([x, y]: [f64; 2]) -> bool {
    let (x, y) = (x.abs(), y.abs());
    let slope = x.min(y) / x.max(y);
    (1..=MOST_DENOMINATOR).any(|q| {
        let q = f64::from(q);
        let off = slope * q;
        (off - libm::round(off)).abs() * q < NEAREST
    })
}

/// A direction by chance that does not nearly close, of length one.
pub fn direction(rng: &mut Rng) -> [f64; 2] {
    loop {
        let angle = core::f64::consts::TAU * rng.unit();
        let (sin, cos) = libm::sincos(angle);
        if !nearly_closes([cos, sin]) {
            return [cos, sin];
        }
    }
}

/// Place of both strands after `seconds`, 0 to 1: reduced in f64, so that it is as sharp after days as at the start.
pub fn phase(start: [f32; 4], motion: [f32; 2], seconds: f64) -> [f32; 4] {
    let speeds = [1.0, 1.0, f64::from(SECOND_STRAND), f64::from(SECOND_STRAND)];
    core::array::from_fn(|i| {
        let way = f64::from(start[i]) + speeds[i] * f64::from(motion[i % 2]) * seconds;
        let part = (way - libm::floor(way)) as f32;
        if part < 1.0 { part } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn off(x: f64) -> f64 {
        (x - x.round()).abs()
    }

    /// Of both strands the farther from its start, over all times at which the first is back beside its start; in texture lengths.
    fn nearest_common_return(kappa: f64, lengths: f64) -> f64 {
        let [dx, dy] = GOLDEN;
        let mut nearest = f64::INFINITY;
        for turn in 1..=(lengths * dx) as u32 {
            let way = f64::from(turn) / dx;
            let first = off(way * dy);
            if first >= nearest {
                continue;
            }
            // The second may be ahead or behind by what the first is off: least distance across the line.
            let (x, y) = (off(kappa * way * dx), off(kappa * way * dy));
            nearest = nearest.min(first.max((x * x + y * y).sqrt()));
        }
        nearest
    }

    #[test]
    fn strands_are_never_back_together_within_an_hour() {
        // 4500 texture lengths are an hour at 20 Hz, the fastest of all branches (16 f_h/size lengths a second, size 256).
        const HOUR: f64 = 4500.0;
        let chosen = nearest_common_return(f64::from(SECOND_STRAND), HOUR);
        let best = (50..=500).map(|i| {
            let kappa = 1.0 + 1e-4 * f64::from(i);
            (nearest_common_return(kappa, HOUR), kappa)
        });
        let best = best.fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        println!("nearest {chosen:.4}, best {best:?}");
        assert!(chosen >= 0.999 * best.0, "{chosen}, best {best:?}");
        // Two texels of 256 are a quarter of the shortest wave.
        assert!(chosen > 2.0 / 256.0);
    }

    #[test]
    fn closing_slopes_are_turned_down() {
        for (slope, closes) in [
            ([1.0, 0.0], true),
            ([1.0, 1.0], true),
            ([3.0, 2.001], true),
            (GOLDEN, false),
        ] {
            assert_eq!(nearly_closes(slope), closes, "{slope:?}");
        }
        let mut rng = Rng::new(3, 1);
        let kept = (0..10_000).filter(|_| {
            let angle = core::f64::consts::TAU * rng.unit();
            !nearly_closes([angle.cos(), angle.sin()])
        });
        println!("kept {}", kept.count());
    }

    #[test]
    fn phases_stay_sharp_for_days() {
        let (start, motion) = ([0.1, 0.7, 0.3, 0.9], [0.061_3, 0.037_9]);
        let day = 86_400.0 * 7.0;
        let (now, later) = (phase(start, motion, day), phase(start, motion, day + 0.01));
        for i in 0..2 {
            let step = f64::from(later[i]) - f64::from(now[i]);
            let wanted = f64::from(motion[i]) * 0.01;
            assert!((step - wanted).abs() < 1e-6, "{step} {wanted}");
        }
    }
}
