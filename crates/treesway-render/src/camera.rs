//! Where a picture is taken from.

use crate::settings::direction;
use treesway::glam::camera::rh::proj::directx::perspective_infinite_reverse;
use treesway::glam::camera::rh::view::{look_at_mat4, look_to_mat4};
use treesway::glam::{Mat4, Quat, Vec3};

/// A camera in perspective, y up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands, m.
    pub eye: Vec3,
    /// Where it looks, m.
    pub target: Vec3,
    /// Angle of view from the lower to the upper edge, degrees.
    pub fov_deg: f32,
    /// How far it is turned about the way it looks, clockwise as it sees it, degrees: what it shows turns the other way.
    pub roll_deg: f32,
}

/// Angle of view unless one is given, degrees: a short telephoto lens, as for portraits.
pub const FOV_DEG: f32 = 32.0;

/// Share of the picture's height or width that is filled by what is framed.
const FILLED: f32 = 0.88;

impl Camera {
    /// Looks at what fills the box between two corners from a direction (azimuth 0 along +x, 90 along +z; elevation above the horizon;
    /// degrees), from as far as it takes to see all of it in a picture `aspect` times as wide as high. What is seen is taken to be round, as
    /// crowns are: corners of the box may be cut off.
    pub fn framing(
        bounds: [Vec3; 2],
        aspect: f32,
        azimuth_deg: f32,
        elevation_deg: f32,
        fov_deg: f32,
    ) -> Self {
        let target = (bounds[0] + bounds[1]) / 2.0;
        let away = direction(azimuth_deg, elevation_deg);
        let half_height = (fov_deg.to_radians() / 2.0).tan() * FILLED;
        let half_width = half_height * aspect;
        let turn = look_to_mat4(Vec3::ZERO, -away, up_for(away));
        // Each point asks for a distance at which it lies within the picture.
        let distance = ellipsoid(bounds)
            .map(|point| {
                let seen = turn.transform_vector3(point - target);
                let beside = (seen.x.abs() / half_width).max(seen.y.abs() / half_height);
                beside + seen.z
            })
            .fold(0.05, f32::max);
        Self {
            eye: target + away * distance,
            target,
            fov_deg,
            roll_deg: 0.0,
        }
    }

    /// Turned about its target, around the vertical, degrees.
    pub fn orbited(&self, azimuth_deg: f32) -> Self {
        let turn = Mat4::from_rotation_y(-azimuth_deg.to_radians());
        Self {
            eye: self.target + turn.transform_vector3(self.eye - self.target),
            ..*self
        }
    }

    /// Nearer (below 1) or farther from its target.
    pub fn at_distance(&self, factor: f32) -> Self {
        Self {
            eye: self.target + (self.eye - self.target) * factor,
            ..*self
        }
    }

    /// Distance to the target, m.
    pub fn distance(&self) -> f32 {
        self.eye.distance(self.target)
    }

    /// World to clip space; depth is 1 near and 0 at infinity, which keeps its precision even in all distances.
    pub(crate) fn clip_from_world(&self, aspect: f32) -> Mat4 {
        let near = (self.distance() * 1e-3).max(1e-3);
        let fov = self.fov_deg.to_radians();
        let forward = self.target - self.eye;
        let roll = Quat::from_axis_angle(
            forward.normalize_or(Vec3::NEG_Z),
            self.roll_deg.to_radians(),
        );
        let up = roll * up_for(forward);
        perspective_infinite_reverse(fov, aspect, near) * look_at_mat4(self.eye, self.target, up)
    }
}

/// What points to the upper edge: straight up or down, another axis than y.
fn up_for(looking: Vec3) -> Vec3 {
    if looking.normalize_or_zero().y.abs() > 0.999 {
        Vec3::NEG_Z
    } else {
        Vec3::Y
    }
}

/// Points on the ellipsoid in a box.
fn ellipsoid(bounds: [Vec3; 2]) -> impl Iterator<Item = Vec3> {
    let (middle, half) = ((bounds[0] + bounds[1]) / 2.0, (bounds[1] - bounds[0]) / 2.0);
    let rings = (-6..=6).map(|i| i as f32 * 15.0);
    rings.flat_map(move |e| (0..24).map(move |i| middle + half * direction(i as f32 * 15.0, e)))
}

/// All corners of a box.
pub(crate) fn corners([least, most]: [Vec3; 2]) -> [Vec3; 8] {
    core::array::from_fn(|i| {
        let pick = |bit: usize, axis: usize| {
            if i & bit == 0 {
                least[axis]
            } else {
                most[axis]
            }
        };
        Vec3::new(pick(1, 0), pick(2, 1), pick(4, 2))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_framed_is_seen_and_fills_the_picture() {
        let bounds = [Vec3::new(-3.0, 0.0, -2.0), Vec3::new(4.0, 9.0, 2.5)];
        for aspect in [0.5, 1.0, 1.78] {
            for azimuth in [0.0, 77.0, 250.0] {
                let camera = Camera::framing(bounds, aspect, azimuth, 12.0, 35.0);
                let clip = camera.clip_from_world(aspect);
                let seen = ellipsoid(bounds).map(|p| clip.project_point3(p));
                let widest = seen.map(|p| p.x.abs().max(p.y.abs())).fold(0.0, f32::max);
                assert!(
                    (widest - FILLED).abs() < 1e-3,
                    "{aspect} {azimuth} {widest}"
                );
            }
        }
    }

    #[test]
    fn an_orbit_keeps_distance_and_height() {
        let camera = Camera {
            eye: Vec3::new(3.0, 2.0, 0.0),
            target: Vec3::new(0.0, 1.0, 0.0),
            fov_deg: 30.0,
            roll_deg: 0.0,
        };
        let turned = camera.orbited(90.0);
        assert!((turned.eye - Vec3::new(0.0, 2.0, 3.0)).length() < 1e-5);
        assert!((camera.orbited(360.0).eye - camera.eye).length() < 1e-5);
    }

    #[test]
    fn a_quarter_turn_clockwise_shows_what_is_above_at_the_left() {
        let upright = Camera {
            eye: Vec3::new(0.0, 1.0, 5.0),
            target: Vec3::new(0.0, 1.0, 0.0),
            fov_deg: 40.0,
            roll_deg: 0.0,
        };
        let rolled = Camera {
            roll_deg: 90.0,
            ..upright
        };
        let above = |camera: &Camera| {
            let clip = camera.clip_from_world(1.0);
            clip.project_point3(upright.target + Vec3::Y)
        };
        let (before, after) = (above(&upright), above(&rolled));
        assert!(before.y > 0.1 && before.x.abs() < 1e-6, "{before}");
        assert!(
            (after.x + before.y).abs() < 1e-6 && after.y.abs() < 1e-6,
            "{after}"
        );
    }
}
