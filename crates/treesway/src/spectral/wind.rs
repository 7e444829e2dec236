//! The wind as the spectral solver sees it: a mean velocity and how unsteady it is (Habel 2009, §5.5 and 7.2).

use super::leaf::weights;
use super::model::SpectralFrame;
use super::settings::{SpectralSettings, TextureKind};
use super::trajectory::nearly_closes;
use crate::math::V3;
use crate::wind::Air;
use glam::Vec3;

/// Wind around a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpectralWind {
    /// Mean velocity in the crown, m/s.
    pub velocity: Vec3,
    /// Standard deviation of the speed over its mean.
    pub intensity: f32,
    /// Length of its largest gusts, m; 0 if that is not known.
    pub gust_length: f32,
    /// What moves.
    pub air: Air,
}

impl SpectralWind {
    /// Whether a tree may go on in it as it was made for another one; trees in each other's lee change it all the time.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let off = (self.velocity - other.velocity).length();
        off <= 0.05 * other.velocity.length() + 0.01
            && (self.intensity, self.gust_length, self.air)
                == (other.intensity, other.gust_length, other.air)
    }
}

/// Flutter does not grow beyond this, a slope.
const MOST_FLUTTER: f32 = 0.6;
/// Leaves flutter no faster, Hz: small ones in a strong wind would be shaken faster than frames follow each other.
const FASTEST_FLUTTER: f64 = 6.0;
/// Speed at which leaves flutter as [`SpectralSettings::flutter`] says, m/s.
const FLUTTER_SPEED: f32 = 5.0;
/// Waves by which the wind's strength comes and goes: turns/s, turns, share. Their periods have no common multiple within a day.
const SLOW: [(f64, f64, f64); 3] = [
    (1.0 / 31.7, 0.13, 0.5),
    (1.0 / 19.3, 0.58, 0.3),
    (1.0 / 53.9, 0.87, 0.2),
];

/// What of a wind and of settings goes into every frame; space of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Course {
    direction: V3Bits,
    modulation: f32,
    /// W that carries flutter over the planes, texture lengths per s.
    leaf_pace: [f64; 3],
    leaf_scale: f32,
    leaf_weights: [f32; 3],
    flutter: f32,
    bending: u32,
    strands: u32,
    depth: u32,
    size: u32,
}

type V3Bits = [f32; 3];

impl Course {
    /// `leaf_texel` as in the textures, m.
    pub(super) fn of(wind: &SpectralWind, settings: &SpectralSettings, leaf_texel: f32) -> Self {
        let v = V3::from(wind.velocity).widen();
        let speed = v.length();
        let direction = v * (1.0 / speed.max(1e-6));
        let across = f64::from(leaf_texel) * f64::from(settings.texture_size);
        // Its shortest wave is so many texels long.
        let shortest = f64::from(leaf_texel) * f64::from(super::texture::SHORTEST_WAVE);
        let carried = not_closing(direction) * (speed.min(FASTEST_FLUTTER * shortest) / across);
        Self {
            direction: {
                let d = direction.narrow();
                [d.x, d.y, d.z]
            },
            modulation: settings.modulation,
            leaf_pace: [carried.x, carried.y, carried.z],
            leaf_scale: (1.0 / across) as f32,
            leaf_weights: weights(direction),
            flutter: (settings.flutter * speed as f32 / FLUTTER_SPEED)
                .min(MOST_FLUTTER.max(settings.flutter)),
            bending: settings.bending as u32,
            strands: match settings.texture {
                TextureKind::Corrected => 2,
                TextureKind::Radial => 1,
            },
            depth: settings.levels,
            size: settings.texture_size,
        }
    }

    pub(super) fn frame(&self, seconds: f64) -> SpectralFrame {
        let slow: f64 = SLOW
            .iter()
            .map(|&(pace, start, share)| {
                let turns = pace * seconds + start;
                share * libm::sin(core::f64::consts::TAU * (turns - libm::floor(turns)))
            })
            .sum();
        let strength = 1.0 + f64::from(self.modulation) * slow;
        let offset = self.leaf_pace.map(|pace| {
            let way = -pace * seconds;
            (way - libm::floor(way)) as f32
        });
        SpectralFrame {
            wind: self.direction.map(|d| d * strength as f32),
            turbulence: strength as f32,
            leaf_offset: offset,
            leaf_scale: self.leaf_scale,
            leaf_weights: self.leaf_weights,
            flutter: self.flutter,
            bending: self.bending,
            strands: self.strands,
            depth: self.depth,
            size: self.size,
        }
    }
}

/// The direction, turned a little until it does not nearly close in any of the planes that count.
fn not_closing(direction: V3<f64>) -> V3<f64> {
    let closes = |d: V3<f64>| {
        let planes = [([d.x, d.y], d.z), ([d.y, d.z], d.x), ([d.x, d.z], d.y)];
        planes
            .into_iter()
            .any(|(line, beside)| beside.abs() < 0.7 && nearly_closes(line))
    };
    let mut turned = direction;
    for i in 1..200 {
        if !closes(turned) {
            break;
        }
        // A spiral about the direction, a hundredth farther each time.
        let angle = 2.399_963 * f64::from(i);
        let (sin, cos) = libm::sincos(angle);
        let off = 0.002 * f64::from(i);
        let d = direction
            + V3 {
                x: cos * off,
                y: sin * off,
                z: (cos - sin) * off,
            };
        turned = d * (1.0 / d.length());
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wind_along_an_axis_is_turned_until_leaves_do_not_repeat() {
        for d in [
            [1.0, 0.0, 0.0],
            [0.0, 0.0, -1.0],
            [3.0, 0.0, 3.0],
            [0.5, 0.1, 0.2],
        ] {
            let d = V3 {
                x: d[0],
                y: d[1],
                z: d[2],
            };
            let d = d * (1.0 / d.length());
            let turned = not_closing(d);
            assert!(turned.dot(d) > 0.9, "{d:?} → {turned:?}");
            assert!(!nearly_closes([turned.x, turned.z]) || turned.y.abs() > 0.7);
        }
    }
}
