//! Gusts that travel with the wind: turbulence frozen into air that moves over the scene (Taylor 1938).
//!
//! The velocity beside the mean one is a sum of waves, relative to the local mean speed
//!
//!   u' = I Σ aᵢ cos 2π(kᵢ·x − fᵢ t + φᵢ),   fᵢ = kᵢ·v,
//!
//! with kᵢ spread evenly over octaves from 1/size on, amplitudes that fall by `persistence` from octave to octave, and
//! Σ aᵢ² / 2 = 1, so that I is the standard deviation of the speed over its mean. Kolmogorov's law is a persistence of 2^(−1/3).

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
const WAVES_PER_OCTAVE: u32 = 3;
/// Sideways and upward fluctuation over that along the wind, as measured over open land.
const SIDEWAYS: f64 = 0.75;
const UPWARD: f64 = 0.5;
/// Widest angle between a wave's crest and the line across the wind: gusts are about as wide as long.
const WIDEST: f64 = 1.05;

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
    /// Along the wind with the cosine, then sideways and up with the sine.
    amplitude: [f32; 3],
}

/// The waves of a wind.
#[derive(Clone, Debug)]
pub(super) struct Waves {
    waves: Vec<Wave>,
    /// s.
    since: f64,
    along: V3<f32>,
    side: V3<f32>,
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
                let number = along * k + side * (k * slant) + DVec3::Y * (0.5 * k * rng.signed());
                let mut sign = || if rng.signed() < 0.0 { -1.0 } else { 1.0 };
                let amplitude = [
                    amplitude,
                    amplitude * SIDEWAYS * sign(),
                    amplitude * UPWARD * sign(),
                ];
                energy += 0.5 * amplitude[0] * amplitude[0];
                waves.push(Wave {
                    number: V3::from(number.as_vec3()),
                    pace: number.dot(v),
                    phase: rng.unit(),
                    now: 0.0,
                    amplitude: amplitude.map(|a| a as f32),
                });
            }
        }
        let scale = f64::from(gusts.strength) / libm::sqrt(energy);
        for wave in &mut waves {
            wave.amplitude = wave.amplitude.map(|a| (f64::from(a) * scale) as f32);
        }
        let mut waves = Self {
            waves,
            since: 0.0,
            along: V3::from(along.as_vec3()),
            side: V3::from(side.as_vec3()),
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
        let later = seconds - self.since;
        let (mut along, mut side, mut up) = (T::zero(), T::zero(), T::zero());
        for wave in &self.waves {
            let now = T::splat(wave.now - (wave.pace * later) as f32);
            let turns = splat::<T>(wave.number).dot(position) + now;
            // One by one: what `map` would call is not compiled for the vectors of its caller.
            let [a, b, c] = wave.amplitude;
            along += T::splat(a) * cos_of_turns(turns);
            let sine = cos_of_turns(turns - T::of(0.25));
            side += T::splat(b) * sine;
            up += T::splat(c) * sine;
        }
        let mut sum = splat::<T>(self.along) * along + splat::<T>(self.side) * side;
        sum.y += up;
        sum
    }
}

/// cos 2πx to 2e-4 for |x| < 4e6.
#[inline(always)]
pub(super) fn cos_of_turns<T: Vector>(x: T) -> T {
    const WHOLE: f64 = 12_582_912.0; // 1.5 · 2²³: what is added to it is rounded to a whole number.
    let rest = (x - ((x + T::of(WHOLE)) - T::of(WHOLE))).abs();
    // cos 2πr = sin 2π(¼ − r), by its series.
    let t = T::of(0.25) - rest;
    let square = t * t;
    let series = T::of(-76.705_859_8) * square + T::of(81.605_249_3);
    let series = series * square - T::of(41.341_702_2);
    t * (series * square + T::of(core::f64::consts::TAU))
}
