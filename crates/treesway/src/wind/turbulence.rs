//! Turbulence as of the particle tree (L-systems and particles, §5.1.1): a factor T on the force of the wind that changes from step to step and is the
//! same everywhere, and a small factor t of every particle's own, which stays.
//!
//!   F_i(s) = F_W (1 + T n(s)) (1 + t u_i)
//!
//! n is noise from −1 to 1 over the time s, u_i a number from −1 to 1 of the body. The paper draws T anew in every step; here it is a function of
//! time, so that the motion does not depend on the length of steps. A field around another one: it works with every solver, and what the force is worth
//! its derivatives are, too. Gusts ([`super::Gusts`]) are the better turbulence, this is the simple one.

use crate::desc::BuildError;
use crate::forces::{BodySample, BodySamples, FieldForce, ForceField};
use crate::math::Rng;
use crate::math::simd::{Isa, ROW, Row, Rows as _};
use crate::params::check;
use crate::tree::Tree;

/// How a wind flickers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Turbulence {
    /// T: largest change of the force in time over its mean, 0 to 1 (default: 0).
    pub strength: f32,
    /// How long it takes from one value to the next, s (default: 0.4).
    pub period: f32,
    /// t: largest difference of the force between bodies over its mean, 0 to 1 (default: 0).
    pub scatter: f32,
    /// Another seed, other numbers (default: 0).
    pub seed: u64,
}

impl Default for Turbulence {
    fn default() -> Self {
        Self {
            strength: 0.0,
            period: 0.4,
            scatter: 0.0,
            seed: 0,
        }
    }
}

impl Turbulence {
    /// Whether it changes anything.
    pub fn is_on(&self) -> bool {
        self.strength != 0.0 || self.scatter != 0.0
    }

    /// 1 + T n(s): values from moment to moment with a smooth way between them.
    pub fn at_time(&self, seconds: f64) -> f32 {
        let x = seconds / f64::from(self.period);
        let before = libm::floor(x);
        let value = |moment: f64| Rng::new(self.seed, moment as i64 as u64).signed();
        let (a, b, way) = (value(before), value(before + 1.0), x - before);
        let noise = a + (b - a) * way * way * (3.0 - 2.0 * way);
        1.0 + self.strength * noise as f32
    }

    /// 1 + t u_i.
    pub fn of_body(&self, body: u32) -> f32 {
        // Streams of moments are others: they have another seed.
        1.0 + self.scatter * Rng::new(!self.seed, body.into()).signed() as f32
    }
}

/// A field whose forces flicker.
pub struct Turbulent<F> {
    field: F,
    turbulence: Turbulence,
}

impl<F: ForceField> Turbulent<F> {
    /// Names the first setting out of its range.
    pub fn new(field: F, turbulence: Turbulence) -> Result<Self, BuildError> {
        check(
            &[
                ("turbulence.strength", turbulence.strength),
                ("turbulence.scatter", turbulence.scatter),
            ],
            |v| (0.0..=1.0).contains(&v),
            "a number from 0 to 1",
        )?;
        check(
            &[("turbulence.period", turbulence.period)],
            |v| v > 0.0,
            "a finite number greater than zero",
        )?;
        Ok(Self { field, turbulence })
    }

    fn factor(&self, now: f32, body: u32) -> f32 {
        now * self.turbulence.of_body(body)
    }
}

impl<F: ForceField> ForceField for Turbulent<F> {
    fn meet(&mut self, trees: &[Tree]) {
        self.field.meet(trees);
    }

    fn prepare(&mut self, seconds: f64, frame_secs: f64) {
        self.field.prepare(seconds, frame_secs);
    }

    fn force(&self, seconds: f64, body: &BodySample) -> FieldForce {
        let factor = self.factor(self.turbulence.at_time(seconds), body.id.0);
        self.field.force(seconds, body).times(factor)
    }

    fn forces(&self, isa: Isa, seconds: f64, bodies: &BodySamples, result: &mut FieldForce<Row>) {
        self.field.forces(isa, seconds, bodies, result);
        let now = self.turbulence.at_time(seconds);
        for lane in 0..ROW {
            let factor = self.factor(now, bodies.id[lane]);
            result.set(lane, result.get(lane).times(factor));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Even numbers from −1 to 1 have mean 0 and variance 1/3.
    #[test]
    fn factors_of_bodies_are_spread_evenly_about_one_and_stay() {
        let flicker = Turbulence {
            scatter: 0.3,
            ..Turbulence::default()
        };
        let all: Vec<f64> = (0..4000)
            .map(|id| f64::from(flicker.of_body(id)) - 1.0)
            .collect();
        let mean = all.iter().sum::<f64>() / 4000.0;
        let variance = all.iter().map(|x| x * x).sum::<f64>() / 4000.0;
        assert!(mean.abs() < 0.01, "{mean}");
        assert!((variance - 0.03).abs() < 0.002, "{variance}");
        assert_eq!(flicker.of_body(7), flicker.of_body(7));
        assert_eq!(flicker.at_time(1.7), 1.0, "not in time");
    }

    #[test]
    fn the_factor_in_time_is_smooth_bounded_and_about_one() {
        let flicker = Turbulence {
            strength: 0.5,
            ..Turbulence::default()
        };
        let at: Vec<f32> = (0..40_000)
            .map(|i| flicker.at_time(f64::from(i) * 0.01))
            .collect();
        assert!(at.iter().all(|f| (0.5..=1.5).contains(f)));
        // Steepest: from one end to the other in a period, 1.5 times as fast as straight.
        let steepest = at.windows(2).map(|w| (w[1] - w[0]).abs());
        let steepest = steepest.fold(0.0, f32::max);
        assert!(steepest <= 1.5 * 1.0 * 0.01 / 0.4 * 1.01, "{steepest}");
        let mean = at.iter().map(|&f| f64::from(f)).sum::<f64>() / 40_000.0;
        assert!((mean - 1.0).abs() < 0.03, "{mean}");
        let (least, most) = (
            at.iter().fold(9.0_f32, |a, &b| a.min(b)),
            at.iter().fold(0.0_f32, |a, &b| a.max(b)),
        );
        assert!(least < 0.6 && most > 1.4, "{least} {most}");
    }
}
