//! The back-and-forth of Quigley 2017, §7: the wind v̄ is turned about the vertical by v̄ + h(r, t) s, rescaled to ‖v̄‖, with s = v̄ × ŷ
//! normalised and r the distance from a vertical axis, so that it wiggles on concentric cylinders.

use super::gusts::cos_of_turns;
use crate::math::V3;
use crate::math::simd::Vector;
use glam::Vec3;

/// How the wind wiggles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Wiggle {
    /// Largest h over the wind's speed (default: 0, none): the tangent of the largest angle.
    pub strength: f32,
    /// From crest to crest of the spline, m (default: 8).
    pub width: f32,
    /// s (default: 3).
    pub period: f32,
    /// A point of the vertical axis, m (default: the origin).
    pub axis: Vec3,
}

impl Default for Wiggle {
    fn default() -> Self {
        Self {
            strength: 0.0,
            width: 8.0,
            period: 3.0,
            axis: Vec3::ZERO,
        }
    }
}

impl Wiggle {
    /// The wind v̄ at a place, turned.
    #[inline(always)]
    pub(super) fn turned<T: Vector>(&self, seconds: f64, at: V3<T>, wind: V3<T>) -> V3<T> {
        let (x, z) = (at.x - T::splat(self.axis.x), at.z - T::splat(self.axis.z));
        let r = (x * x + z * z).sqrt() * T::splat(1.0 / self.width);
        let turns = seconds / f64::from(self.period);
        let swing = cos_of_turns((turns - libm::rint(turns)) as f32 - 0.25);
        let h = spline(r) * T::splat(self.strength * swing);
        // ‖v̄‖ s = v̄ × ŷ · ‖v̄‖/‖v̄ × ŷ‖: both lengths are those of the wind over ground, but for what blows up or down.
        let level = (wind.x * wind.x + wind.z * wind.z).sqrt().max(T::of(1e-9));
        let size = wind.length();
        let side = h * size / level;
        let turned = V3 {
            x: wind.x - side * wind.z,
            y: wind.y,
            z: wind.z + side * wind.x,
        };
        turned * (size / turned.length().max(T::of(1e-9)))
    }
}

/// Periodic cubic spline through 1, −1, 1, … at 0, ½, 1, … with level crests.
#[inline(always)]
fn spline<T: Vector>(x: T) -> T {
    const WHOLE: f64 = 12_582_912.0; // 1.5 · 2²³
    let t = (x - ((x + T::of(WHOLE)) - T::of(WHOLE))).abs() * T::of(2.0);
    // 1 − 2 (3t² − 2t³)
    T::one() - t * t * (T::of(6.0) - T::of(4.0) * t)
}
