//! The ground in an earthquake: filtered noise with an envelope, as a function of time.
//!
//! Accelerations of the ground have the spectrum of Kanai (1957) and Tajimi (1960), noise through a layer of soil of the frequency ω_g and damping ζ_g, and through the
//! filter of Clough and Penzien (1975) that takes out what is slower than ω_f = ω_g/10, so that the ground comes back:
//!
//!   S(ω) = S₀ · (1 + 4ζ_g²r²)/((1 − r²)² + 4ζ_g²r²) · q⁴/((1 − q²)² + 4ζ_f²q²),     r = ω/ω_g, q = ω/ω_f               (1)
//!
//! It is a sum of waves (Shinozuka and Deodatis 1991), one in each of many bands, at a frequency within it and a phase by seed. The ground stands at
//!
//!   x(t) = −w(t) Σ √(2 S Δω)/ω² cos(ωt + φ),                                                                          (2)
//!
//! w easing in and out: at rest before and after, where it was, without a correction of the base line; and any time can be asked.

use crate::desc::BuildError;
use crate::math::Rng;
use crate::params::check;
use glam::DVec3;

/// An earthquake.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Earthquake {
    /// Largest level acceleration, m/s² (default: 3). Furniture moves at 1, houses fall at 5.
    pub peak: f32,
    /// When it starts, s (default: 0).
    pub start: f32,
    /// How long it lasts, s (default: 12).
    pub seconds: f32,
    /// ω_g/2π of the soil, Hz (default: 2.5, firm). Rock has 4 or more, soft soil 1.
    pub frequency: f32,
    /// ζ_g of the soil (default: 0.6).
    pub damping: f32,
    /// Of up and down over to and fro (default: 2/3).
    pub vertical: f32,
    /// Another seed, another earthquake of the same kind.
    pub seed: u64,
}

impl Default for Earthquake {
    fn default() -> Self {
        Self {
            peak: 3.0,
            start: 0.0,
            seconds: 12.0,
            frequency: 2.5,
            damping: 0.6,
            vertical: 2.0 / 3.0,
            seed: 1,
        }
    }
}

/// Waves along each axis.
const WAVES: usize = 96;
/// Slowest and fastest, in parts of the frequency of the soil.
const BAND: [f64; 2] = [0.04, 6.0];
/// Shares of the time in which it swells and fades.
const SWELL: f64 = 0.15;
const FADE: f64 = 0.6;

/// ω, amplitude of the acceleration, phase.
type Wave = [f64; 3];

/// The way of the ground.
#[derive(Clone, Debug)]
pub struct GroundMotion {
    start: f64,
    seconds: f64,
    waves: [Vec<Wave>; 3],
}

/// A value with its first two derivatives by time.
type Jet<T> = [T; 3];

impl Earthquake {
    /// S(ω)/S₀ of (1), at a frequency in Hz.
    pub fn spectrum(&self, hz: f64) -> f64 {
        let (soil, zeta) = (f64::from(self.frequency), f64::from(self.damping));
        let r = (hz / soil) * (hz / soil);
        let q = 100.0 * r;
        let (z, f) = (4.0 * zeta * zeta, 4.0 * 0.6 * 0.6);
        (1.0 + z * r) / ((1.0 - r) * (1.0 - r) + z * r) * q * q / ((1.0 - q) * (1.0 - q) + f * q)
    }

    fn validate(&self) -> Result<(), BuildError> {
        check(&[("start", self.start)], |_| true, "a finite time")?;
        check(
            &[("peak", self.peak), ("vertical", self.vertical)],
            |v| v >= 0.0,
            "a finite number, not negative",
        )?;
        check(
            &[
                ("seconds", self.seconds),
                ("frequency", self.frequency),
                ("damping", self.damping),
            ],
            |v| v > 0.0,
            "a finite number greater than zero",
        )
    }
}

impl GroundMotion {
    /// As described. Fails on the first setting out of its range.
    pub fn new(quake: &Earthquake) -> Result<Self, BuildError> {
        quake.validate()?;
        let mut motion = Self {
            start: quake.start.into(),
            seconds: quake.seconds.into(),
            waves: core::array::from_fn(|axis| waves(quake, axis as u64)),
        };
        // The largest acceleration is known once all of it has been.
        let count = (motion.seconds * 200.0) as u32;
        let level = (0..count).map(|i| {
            let a = motion.acceleration(motion.start + f64::from(i) / 200.0);
            libm::hypot(a.x, a.z)
        });
        let largest = level.fold(1e-12, f64::max);
        let factor = f64::from(quake.peak) / largest;
        for (axis, waves) in motion.waves.iter_mut().enumerate() {
            let share = if axis == 1 {
                quake.vertical.into()
            } else {
                1.0
            };
            waves.iter_mut().for_each(|wave| wave[1] *= factor * share);
        }
        Ok(motion)
    }

    /// From where the ground rests, m: (2).
    pub fn offset(&self, seconds: f64) -> DVec3 {
        self.jet(seconds)[0]
    }

    /// m/s².
    pub fn acceleration(&self, seconds: f64) -> DVec3 {
        self.jet(seconds)[2]
    }

    fn jet(&self, seconds: f64) -> Jet<DVec3> {
        let [w, dw, ddw] = self.envelope(seconds);
        if w == 0.0 {
            return [DVec3::ZERO; 3];
        }
        let t = seconds - self.start;
        let mut sum = [DVec3::ZERO; 3];
        for (axis, waves) in self.waves.iter().enumerate() {
            for [omega, amplitude, phase] in waves {
                let (sin, cos) = libm::sincos(omega * t + phase);
                sum[0][axis] -= amplitude / (omega * omega) * cos;
                sum[1][axis] += amplitude / omega * sin;
                sum[2][axis] += amplitude * cos;
            }
        }
        let [x, v, a] = sum;
        [x * w, v * w + x * dw, a * w + v * (2.0 * dw) + x * ddw]
    }

    /// w and its derivatives.
    fn envelope(&self, seconds: f64) -> Jet<f64> {
        let t = (seconds - self.start) / self.seconds;
        // From 0 at x = 0 to 1 at x = 1, level at both ends.
        let ease = |x: f64, per: f64| {
            if x <= 0.0 {
                return [0.0; 3];
            } else if x >= 1.0 {
                return [1.0, 0.0, 0.0];
            }
            [
                x * x * x * (x * (6.0 * x - 15.0) + 10.0),
                30.0 * x * x * (x - 1.0) * (x - 1.0) * per,
                60.0 * x * (x - 1.0) * (2.0 * x - 1.0) * per * per,
            ]
        };
        let swell = ease(t / SWELL, 1.0 / (SWELL * self.seconds));
        let fade = ease((1.0 - t) / FADE, -1.0 / (FADE * self.seconds));
        [
            swell[0] * fade[0],
            swell[1] * fade[0] + swell[0] * fade[1],
            swell[2] * fade[0] + 2.0 * swell[1] * fade[1] + swell[0] * fade[2],
        ]
    }
}

/// Along one axis, with S₀ = 1.
fn waves(quake: &Earthquake, axis: u64) -> Vec<Wave> {
    let mut random = Rng::new(quake.seed, axis);
    let soil = f64::from(quake.frequency);
    let edge = |i: usize| {
        let share = i as f64 / WAVES as f64;
        soil * BAND[0] * libm::pow(BAND[1] / BAND[0], share)
    };
    (0..WAVES)
        .map(|i| {
            let (low, high) = (edge(i), edge(i + 1));
            let hz = random.between(low, high);
            let phase = random.between(0.0, core::f64::consts::TAU);
            let power = 2.0 * quake.spectrum(hz) * (high - low);
            [core::f64::consts::TAU * hz, libm::sqrt(power), phase]
        })
        .collect()
}
