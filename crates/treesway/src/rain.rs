//! Rain: drops that hit what faces up, each with its momentum.
//!
//! Diameters D, mm, by Marshall and Palmer (1948), at a rate of R mm/h and speeds by Atlas, Srivastava and Sekhon (1973):
//!
//!   N(D) = 8000 exp(−Λ D) per m³ and mm,   Λ = 4.1 R^(−0.21) per mm,     v(D) = 9.65 − 10.3 exp(−0.6 D) m/s               (1)
//!
//! from 0.5 to 6 mm; smaller ones float down without being felt. A level area meets N v dD drops per second. A body of the level area A under what comes through the crown
//! above ([`crate::passage`]) is hit by a Poisson-distributed number of drops in a frame, each with the momentum m(D) v(D), somewhere on it. Which and
//! where follows from seed, body and frame: a function of time, like the wind. Water that stays on leaves is not weighed.

use crate::desc::BuildError;
use crate::forces::{BodySample, FieldForce, ForceField};
use crate::math::{Rng, V3};
use crate::params::check;
use crate::passage::{FromAbove, Standing};
use crate::tree::Tree;
use glam::Vec3;

/// Rain over all trees.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Rainfall {
    /// R, mm/h (default: 20, heavy). A drizzle has 1, a cloudburst 100.
    pub rate: f32,
    /// When it begins, s (default: 0).
    pub start: f32,
    /// When it ends, s (default: inf).
    pub stop: f32,
    /// Other drops of the same rain.
    pub seed: u64,
}

impl Default for Rainfall {
    fn default() -> Self {
        Self {
            rate: 20.0,
            start: 0.0,
            stop: f32::INFINITY,
            seed: 0,
        }
    }
}

/// Smallest and largest drop, mm.
const SIZES: [f64; 2] = [0.5, 6.0];
/// Drops of the table, by how many are smaller.
const KNOTS: usize = 512;
/// From so many on, hits are drawn as a sum.
const MANY: f64 = 12.0;

/// Rain as a field of forces.
#[derive(Clone, Debug)]
pub struct Rain {
    settings: Rainfall,
    /// Drops per m² and second.
    flux: f64,
    /// m v of the drops between two shares of all, by size, kg·m/s.
    momenta: Vec<f64>,
    /// Mean and standard deviation of m v, kg·m/s.
    mean: f64,
    deviation: f64,
    above: FromAbove,
    /// Of this frame: its number and length, s.
    frame: u64,
    frame_secs: f64,
    falls: bool,
}

/// m v of a drop, kg·m/s.
fn momentum(diameter: f64) -> f64 {
    let mass = core::f64::consts::PI / 6.0 * 1e-6 * diameter * diameter * diameter; // kg
    mass * speed(diameter)
}

/// v of (1), m/s.
fn speed(diameter: f64) -> f64 {
    9.65 - 10.3 * libm::exp(-0.6 * diameter)
}

impl Rain {
    /// As described. Fails on the first setting out of its range.
    pub fn new(settings: Rainfall) -> Result<Self, BuildError> {
        check(
            &[("rate", settings.rate)],
            |v| v > 0.0 && v <= 1000.0,
            "a number greater than zero, at most 1000 mm/h",
        )?;
        check(&[("start", settings.start)], |_| true, "a finite time")?;
        let slope = 4.1 * libm::pow(settings.rate.into(), -0.21);
        // ∫ N v dD up to each of many diameters, by the midpoint rule.
        let steps = 16 * KNOTS;
        let step = (SIZES[1] - SIZES[0]) / steps as f64;
        let (mut below, mut sums) = (Vec::with_capacity(steps), [0.0; 3]);
        for i in 0..steps {
            let d = SIZES[0] + step * (i as f64 + 0.5);
            let drops = 8000.0 * libm::exp(-slope * d) * speed(d) * step;
            let p = momentum(d);
            sums = [
                sums[0] + drops,
                sums[1] + drops * p,
                sums[2] + drops * p * p,
            ];
            below.push((sums[0], sums[1]));
        }
        let [flux, first, second] = sums;
        // Each knot is the mean of its drops, so that all of them have the mean of all.
        let upto = |i: usize| {
            let share = i as f64 / KNOTS as f64 * flux;
            let place = below.partition_point(|b| b.0 < share).min(steps - 1);
            let (drops, sum) = below[place];
            let last = place.checked_sub(1).map_or((0.0, 0.0), |p| below[p]);
            last.1 + (sum - last.1) * (share - last.0) / (drops - last.0)
        };
        let at = |i: usize| (upto(i + 1) - upto(i)) * KNOTS as f64 / flux;
        let mean = first / flux;
        Ok(Self {
            settings,
            flux,
            momenta: (0..KNOTS).map(at).collect(),
            mean,
            deviation: libm::sqrt((second / flux - mean * mean).max(0.0)),
            above: FromAbove::default(),
            frame: 0,
            frame_secs: crate::FRAME_SECS,
            falls: true,
        })
    }

    /// What it was made of.
    pub fn settings(&self) -> &Rainfall {
        &self.settings
    }

    /// Drops that meet a level area in the open, per m² and second.
    pub fn flux(&self) -> f64 {
        self.flux
    }

    /// Mean force on a level area in the open, N/m².
    pub fn pressure(&self) -> f64 {
        self.flux * self.mean
    }

    /// Momentum of the drops that hit a body in this frame, kg·m/s, and where they hit: along and across it, −1 to 1.
    fn hit(&self, id: u32, area: f32) -> (f64, [f64; 2]) {
        let expected = self.flux * f64::from(area) * self.frame_secs;
        let mut random = Rng::new(self.settings.seed, (self.frame << 32) | u64::from(id));
        let count = poisson(expected, &mut random);
        let sum = if count > MANY {
            let sum = count * self.mean + libm::sqrt(count) * self.deviation * random.normal();
            sum.max(0.0)
        } else {
            let one = |_| self.momenta[(random.unit() * KNOTS as f64) as usize];
            (0..count as u32).map(one).sum()
        };
        // The mean of several places is nearer to the middle.
        let near = 1.0 / libm::sqrt(count.max(1.0));
        (sum, [random.signed() * near, random.signed() * near])
    }
}

/// A number of events of which so many are expected.
fn poisson(expected: f64, random: &mut Rng) -> f64 {
    if expected > MANY {
        return libm::floor(expected + libm::sqrt(expected) * random.normal() + 0.5).max(0.0);
    }
    // Knuth: as many as even numbers can be multiplied before the product is less than exp(−expected).
    let (least, mut product, mut count) = (libm::exp(-expected), random.unit(), 0.0);
    while product > least {
        product *= random.unit();
        count += 1.0;
    }
    count
}

impl ForceField for Rain {
    fn meet(&mut self, trees: &[Tree]) {
        self.above.meet(trees);
    }

    fn prepare(&mut self, seconds: f64, frame_secs: f64) {
        self.frame = (seconds / frame_secs + 0.5) as u64;
        self.frame_secs = frame_secs;
        let (start, stop) = (self.settings.start.into(), self.settings.stop.into());
        self.falls = (start..stop).contains(&seconds);
    }

    fn force(&self, _seconds: f64, body: &BodySample) -> FieldForce {
        let mut force = FieldForce::none();
        if !self.falls || body.free {
            return force;
        }
        let standing = Standing {
            kind: body.kind as u8 as f32,
            mass: body.mass,
            area: body.area,
            com_z: body.com_z,
            axis: body.axis,
            normal: body.normal,
            blades: body.blades,
        };
        let area = standing.level_area() * self.above.at(body.position);
        let (momentum, [along, across]) = self.hit(body.id.0, area);
        if momentum == 0.0 {
            return force;
        }
        force.force = V3::from(Vec3::NEG_Y) * (momentum / self.frame_secs) as f32;
        let aside = body.axis.cross(body.normal);
        let width = 0.5 * body.area / body.com_z.max(1e-3);
        let arm = body.axis * (along as f32 * body.com_z) + aside * (across as f32 * 0.5 * width);
        force.torque = arm.cross(force.force);
        force
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ exp(−a D) from the smallest to the largest drop.
    fn between(a: f64) -> f64 {
        ((-a * SIZES[0]).exp() - (-a * SIZES[1]).exp()) / a
    }

    /// The number of drops against the integral of (1) in closed form; their momentum and water against integrals over all sizes, which are whole powers.
    #[test]
    fn drops_are_those_of_marshall_and_palmer() {
        for rate in [1.0_f32, 10.0, 50.0] {
            let rain = Rain::new(Rainfall {
                rate,
                ..Rainfall::default()
            })
            .unwrap();
            let slope = 4.1 * f64::from(rate).powf(-0.21);
            let exact = 8000.0 * (9.65 * between(slope) - 10.3 * between(slope + 0.6));
            assert!((rain.flux / exact - 1.0).abs() < 1e-4, "{rate} mm/h");
            // ∫ D³ exp(−aD) dD = 6/a⁴; v² has three exponentials.
            let mass = core::f64::consts::PI / 6.0 * 1e-6 * 8000.0;
            let whole = |a: f64| 6.0 / a.powi(4);
            let exact = mass
                * (9.65_f64.powi(2) * whole(slope) - 2.0 * 9.65 * 10.3 * whole(slope + 0.6)
                    + 10.3_f64.powi(2) * whole(slope + 1.2));
            let off = rain.pressure() / exact - 1.0;
            println!(
                "{rate} mm/h: {:.0} drops, {:.4} N/m², all sizes {off:+.3}",
                rain.flux,
                rain.pressure()
            );
            assert!(off.abs() < 0.06, "{rate} mm/h: {off}");
        }
    }

    #[test]
    fn numbers_of_drops_are_poisson_distributed() {
        for expected in [0.02, 0.7, 5.0, 40.0] {
            let n = 40_000;
            let mut random = Rng::new(3, 1);
            let drawn: Vec<f64> = (0..n).map(|_| poisson(expected, &mut random)).collect();
            let mean = drawn.iter().sum::<f64>() / f64::from(n);
            let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
            let error = 5.0 * (expected / f64::from(n)).sqrt();
            assert!((mean - expected).abs() < error, "{expected}: {mean}");
            assert!(
                (variance / expected - 1.0).abs() < 0.15,
                "{expected}: {variance}"
            );
        }
    }
}
