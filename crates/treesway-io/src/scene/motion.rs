//! Root motions that a scene can name.

use serde::{Deserialize, Serialize};
use treesway::glam::{DQuat, DVec3};
use treesway::{RootMotion, RootPose};

/// A root that is shaken to and fro: offset = direction · amplitude · w(t) · sin(2π f (t − start)).
///
/// w eases from 0 to 1 over the first period and back over the last one, so that velocity and acceleration have no jumps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shake {
    /// Along which line; any length but zero (default: x).
    pub direction: DVec3,
    /// m (default: 0.3).
    pub amplitude: f64,
    /// Hz (default: 0.5).
    pub frequency: f64,
    /// s (default: 0).
    pub start: f64,
    /// s (default: inf).
    pub stop: f64,
}

impl Default for Shake {
    fn default() -> Self {
        Self {
            direction: DVec3::X,
            amplitude: 0.3,
            frequency: 0.5,
            start: 0.0,
            stop: f64::INFINITY,
        }
    }
}

impl Shake {
    /// From where the root rests, m.
    pub fn offset(&self, seconds: f64) -> DVec3 {
        let ease = |t: f64| {
            let t = t.clamp(0.0, 1.0);
            t * t * t * (t * (6.0 * t - 15.0) + 10.0)
        };
        let swell = ease((seconds - self.start) * self.frequency)
            * ease((self.stop - seconds) * self.frequency);
        let phase = core::f64::consts::TAU * self.frequency * (seconds - self.start);
        let direction = self.direction / self.direction.dot(self.direction).sqrt();
        direction * (self.amplitude * swell * libm::sin(phase))
    }

    /// Names the first field that is out of range.
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        let length = self.direction.dot(self.direction).sqrt();
        if !(length.is_finite() && length > 0.0) {
            let what = format!(
                "is {}; expected finite numbers, not all zero",
                self.direction
            );
            return Err(("direction", what));
        }
        if !self.amplitude.is_finite() {
            return Err((
                "amplitude",
                format!("is {}; expected a finite length", self.amplitude),
            ));
        }
        if !(self.frequency.is_finite() && self.frequency > 0.0) {
            let what = format!("is {}; expected a number greater than zero", self.frequency);
            return Err(("frequency", what));
        }
        Ok(())
    }
}

/// The place where a tree stands, moved.
pub(super) struct Moved<F> {
    /// m, world.
    pub(super) at: DVec3,
    /// From there, by time.
    pub(super) offset: F,
}

impl<F: Fn(f64) -> DVec3 + Send + Sync> RootMotion for Moved<F> {
    fn pose(&self, seconds: f64) -> RootPose {
        RootPose {
            position: self.at + (self.offset)(seconds),
            rotation: DQuat::IDENTITY,
        }
    }
}
