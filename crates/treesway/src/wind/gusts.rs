//! Gusts that travel with the wind: turbulence frozen into air that moves over the scene (Taylor 1938).
//!
//! The velocity beside the mean one is a sum of waves, relative to the local mean speed
//!
//!   u' = I Σ aᵢ cos 2π(kᵢ·x − fᵢ t + φᵢ),   fᵢ = kᵢ·v,
//!
//! with kᵢ spread evenly over octaves from 1/size on, amplitudes that fall by `persistence` from octave to octave, and
//! Σ aᵢ² / 2 = 1 along the wind, so that I is the standard deviation of the speed over its mean. aᵢ is a vector: the two waves of an octave
//! swing to opposite sides, so that what blows sideways or up has nothing to do with what blows along. Kolmogorov's law is a persistence of 2^(−1/3).

use crate::math::simd::Vector;
use crate::math::{Rng, V3};
use crate::surroundings::splat;
use glam::{DVec3, Vec3};

/// How the wind varies about its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Gusts {
    /// Intensity: standard deviation of the speed over its mean (default: 0.25, as among scattered trees; 0 is a steady wind). Open land has 0.15,
    /// between houses it is 0.4.
    pub strength: f32,
    /// Length of the largest, m (default: 30).
    pub size: f32,
    /// Each of half the length (default: 5).
    pub octaves: u32,
    /// Amplitude of an octave over that of the one before (default: 0.79, as in turbulence).
    pub persistence: f32,
    /// Other gusts of the same kind (default: 1).
    pub seed: u64,
}

impl Default for Gusts {
    fn default() -> Self {
        Self {
            strength: 0.25,
            size: 30.0,
            octaves: 5,
            persistence: 0.79,
            seed: 1,
        }
    }
}

/// Most octaves: the smallest gusts are then a tenth of a leaf.
pub(super) const MOST_OCTAVES: u32 = 12;
const WAVES_PER_OCTAVE: u32 = 2;
/// Sideways and upward fluctuation over that along the wind, as measured over open land.
pub(crate) const SIDEWAYS: f64 = 0.75;
const UPWARD: f64 = 0.5;
/// Widest angle between a wave's crest and the line across the wind: gusts are about as wide as long.
const WIDEST: f64 = 1.05;
/// Most that a wave's number has upwards, over that along the wind.
const STEEPEST: f64 = 0.5;
/// Mean squares of a wave's numbers sideways and up over that along the wind: of tan and of a random number, tan(w)/w − 1 and s²/3.
pub(crate) const WAVES_ACROSS: [f64; 2] = [0.66, STEEPEST * STEEPEST / 3.0];

#[derive(Clone, Copy, Debug)]
struct Wave {
    /// kᵢ, turns/m.
    number: V3<f32>,
    /// fᵢ, turns/s.
    pace: f64,
    /// φᵢ, turns.
    phase: f64,
    /// Phase at the time `since` of [`Waves`], −½ to ½ turns.
    now: f32,
    /// Along the wind, sideways and up.
    amplitude: V3<f32>,
}

/// The waves of a wind.
#[derive(Clone, Debug)]
pub(super) struct Waves {
    waves: Vec<Wave>,
    /// Of the air they are frozen into, m/s.
    velocity: DVec3,
    /// s.
    since: f64,
}

impl Waves {
    /// None in a steady wind.
    pub(super) fn of(gusts: &Gusts, velocity: Vec3) -> Option<Self> {
        let v = velocity.as_dvec3();
        let along = v.with_y(0.0).normalize_or_zero();
        if gusts.strength == 0.0 || gusts.octaves == 0 || along == DVec3::ZERO {
            return None;
        }
        let side = DVec3::Y.cross(along);
        let mut waves = Vec::new();
        let mut energy = 0.0;
        for octave in 0..gusts.octaves {
            let amplitude = libm::pow(f64::from(gusts.persistence), f64::from(octave));
            for i in 0..WAVES_PER_OCTAVE {
                let mut rng = Rng::new(gusts.seed, u64::from(octave * WAVES_PER_OCTAVE + i));
                let up = (f64::from(i) + rng.unit()) / f64::from(WAVES_PER_OCTAVE);
                let k = libm::exp2(f64::from(octave) + up) / f64::from(gusts.size);
                let slant = libm::tan(WIDEST * rng.signed());
                let number =
                    along * k + side * (k * slant) + DVec3::Y * (STEEPEST * k * rng.signed());
                let right = if i == 0 { 1.0 } else { -1.0 };
                let upward = if octave % 2 == 0 { right } else { -right };
                let aside = side * (SIDEWAYS * right) + DVec3::Y * (UPWARD * upward);
                energy += 0.5 * amplitude * amplitude;
                waves.push(Wave {
                    number: V3::from(number.as_vec3()),
                    pace: number.dot(v),
                    phase: rng.unit(),
                    now: 0.0,
                    amplitude: V3::from(((along + aside) * amplitude).as_vec3()),
                });
            }
        }
        let scale = f64::from(gusts.strength) / libm::sqrt(energy);
        for wave in &mut waves {
            wave.amplitude = wave.amplitude * scale as f32;
        }
        let mut waves = Self {
            waves,
            velocity: v,
            since: 0.0,
        };
        waves.prepare(0.0);
        Some(waves)
    }

    /// Reckons phases in double precision, so that only a frame's worth of them is left to single precision.
    pub(super) fn prepare(&mut self, seconds: f64) {
        self.since = seconds;
        for wave in &mut self.waves {
            let turns = wave.phase - wave.pace * seconds;
            wave.now = (turns - libm::rint(turns)) as f32;
        }
    }

    /// u' over the local mean speed.
    #[inline(always)]
    pub(super) fn at<T: Vector>(&self, seconds: f64, position: V3<T>) -> V3<T> {
        // What is here now was upwind at the time of `now`.
        let way = self.velocity * (seconds - self.since);
        let before = position - splat::<T>(V3::from(way.as_vec3()));
        let mut sum = V3::zero();
        for wave in &self.waves {
            let k = splat::<T>(wave.number);
            let turns = k.x.times_plus(before.x, T::splat(wave.now));
            let turns = k.y.times_plus(before.y, turns);
            let turns = k.z.times_plus(before.z, turns);
            sum = splat::<T>(wave.amplitude).times_plus(cos_of_turns(turns), sum);
        }
        sum
    }
}

/// cos 2πx to 7e-5 for |x| < 4e6.
#[inline(always)]
pub(super) fn cos_of_turns<T: Vector>(x: T) -> T {
    const WHOLE: f64 = 12_582_912.0; // 1.5 · 2²³: what is added to it is rounded to a whole number.
    let rest = (x - ((x + T::of(WHOLE)) - T::of(WHOLE))).abs();
    // cos 2πr = sin 2π(¼ − r), by the odd polynomial that is least off.
    let t = T::of(0.25) - rest;
    let square = t * t;
    let series = T::of(73.586_160_6).times_minus(square, T::of(41.095_283_4));
    t * series.times_plus(square, T::of(6.281_280_56))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_lie_across_the_wind_as_they_are_said_to() {
        let of_slant = libm::tan(WIDEST) / WIDEST - 1.0;
        assert!((of_slant - WAVES_ACROSS[0]).abs() < 0.01, "{of_slant}");
    }
}
