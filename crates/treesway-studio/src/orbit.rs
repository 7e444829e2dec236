//! A camera that is led around what it looks at.

use eframe::egui::{Pos2, Rect, Vec2, pos2};
use treesway::glam::{Vec2 as Plane, Vec3};
use treesway_io::scene::CameraTable;
use treesway_render::{Camera, FOV_DEG, Sight};

/// Where the camera stands, as seen from what it looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// What it looks at, m.
    pub target: Vec3,
    /// Degrees: 0 towards +x, 90 towards +z.
    pub azimuth_deg: f32,
    /// Above the horizon, degrees.
    pub elevation_deg: f32,
    /// m.
    pub distance: f32,
    /// Angle of view from the lower to the upper edge, degrees.
    pub fov_deg: f32,
    /// Turned about the way it looks, clockwise as it sees it, degrees.
    pub roll_deg: f32,
}

/// A half line in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts, m.
    pub origin: Vec3,
    /// Of length one.
    pub direction: Vec3,
}

impl Ray {
    /// The point at that distance, m.
    pub fn at(&self, distance: f32) -> Vec3 {
        self.origin + self.direction * distance
    }
}

/// Nearly straight up or down, degrees: at the pole a camera has no upper edge.
const STEEPEST: f32 = 88.0;

impl Orbit {
    /// Sees all of a box.
    pub fn framing(bounds: [Vec3; 2], aspect: f32, azimuth_deg: f32, elevation_deg: f32) -> Self {
        let camera = Camera::framing(bounds, aspect, azimuth_deg, elevation_deg, FOV_DEG);
        Self {
            target: camera.target,
            azimuth_deg,
            elevation_deg,
            distance: camera.distance(),
            fov_deg: FOV_DEG,
            roll_deg: 0.0,
        }
    }

    /// As a scene says, of a box.
    pub fn of(table: &CameraTable, bounds: [Vec3; 2], aspect: f32) -> Self {
        let azimuth = table.azimuth_deg.unwrap_or(60.0);
        let elevation = table
            .elevation_deg
            .unwrap_or(4.0)
            .clamp(-STEEPEST, STEEPEST);
        let mut orbit = Self::framing(bounds, aspect, azimuth, elevation);
        orbit.distance *= table.distance.unwrap_or(1.0);
        orbit.target = table.target.unwrap_or(orbit.target);
        orbit.fov_deg = table.fov_deg.unwrap_or(orbit.fov_deg);
        orbit.roll_deg = table.roll_deg.unwrap_or(0.0);
        if let Some(eye) = table.position {
            orbit.stand_at(eye);
        }
        orbit
    }

    /// For a scene.
    pub fn table(&self) -> CameraTable {
        CameraTable {
            position: Some(self.camera().eye),
            target: Some(self.target),
            fov_deg: Some(self.fov_deg),
            roll_deg: Some(self.roll_deg).filter(|roll| *roll != 0.0),
            ..CameraTable::default()
        }
    }

    /// From where it looks now at another box, all of it.
    pub fn looking_at(&self, bounds: [Vec3; 2], aspect: f32) -> Self {
        Self {
            fov_deg: self.fov_deg,
            roll_deg: self.roll_deg,
            ..Self::framing(bounds, aspect, self.azimuth_deg, self.elevation_deg)
        }
    }

    fn away(&self) -> Vec3 {
        let (sin_a, cos_a) = self.azimuth_deg.to_radians().sin_cos();
        let (sin_e, cos_e) = self.elevation_deg.to_radians().sin_cos();
        Vec3::new(cos_e * cos_a, sin_e, cos_e * sin_a)
    }

    /// To the right as the camera sees it, level and of length one.
    pub fn right(&self) -> Vec3 {
        let (sin, cos) = self.azimuth_deg.to_radians().sin_cos();
        Vec3::new(sin, 0.0, -cos)
    }

    /// For the renderer.
    pub fn camera(&self) -> Camera {
        Camera {
            eye: self.target + self.away() * self.distance,
            target: self.target,
            fov_deg: self.fov_deg,
            roll_deg: self.roll_deg,
        }
    }

    /// Stands elsewhere and looks at the same.
    pub fn stand_at(&mut self, eye: Vec3) {
        let from_target = eye - self.target;
        self.distance = from_target.length().clamp(0.05, 2000.0);
        let away = from_target / self.distance;
        let elevation = away.y.clamp(-1.0, 1.0).asin().to_degrees();
        self.elevation_deg = elevation.clamp(-STEEPEST, STEEPEST);
        self.azimuth_deg = away.z.atan2(away.x).to_degrees().rem_euclid(360.0);
    }

    /// To the right and to the upper edge of the picture, of length one.
    pub fn axes(&self) -> [Vec3; 2] {
        let right = (-self.away()).cross(Vec3::Y).normalize_or(Vec3::X);
        let up = right.cross(-self.away());
        let (sin, cos) = self.roll_deg.to_radians().sin_cos();
        [right * cos - up * sin, up * cos + right * sin]
    }

    /// Turned by a drag of so many points.
    pub fn turn(&mut self, drag: Vec2) {
        const DEG_PER_POINT: f32 = 0.35;
        self.azimuth_deg = (self.azimuth_deg + drag.x * DEG_PER_POINT).rem_euclid(360.0);
        let elevation = self.elevation_deg + drag.y * DEG_PER_POINT;
        self.elevation_deg = elevation.clamp(-STEEPEST, STEEPEST);
    }

    /// Moved by a drag of so many points, such that what it looks at stays under the pointer.
    pub fn pan(&mut self, drag: Vec2, view: Rect) {
        let metres = 2.0 * self.distance * self.half_height() / view.height();
        let [right, up] = self.axes();
        self.target += (up * drag.y - right * drag.x) * metres;
    }

    /// Nearer (above 1) or farther.
    pub fn zoom(&mut self, factor: f32) {
        self.distance = (self.distance / factor).clamp(0.05, 2000.0);
    }

    fn half_height(&self) -> f32 {
        (self.fov_deg.to_radians() / 2.0).tan()
    }

    /// From the eye through a point of the picture.
    pub fn ray(&self, at: Pos2, view: Rect) -> Ray {
        let across = Plane::new(at.x - view.center().x, view.center().y - at.y);
        let across = across * (2.0 * self.half_height() / view.height());
        let [right, up] = self.axes();
        Ray {
            origin: self.camera().eye,
            direction: (right * across.x + up * across.y - self.away()).normalize(),
        }
    }

    /// The same for what is drawn, in pixels of so many points.
    pub fn sight(&self, at: Pos2, view: Rect, pixel: f32) -> Sight {
        let ray = self.ray(at, view);
        let next = |aside: Vec2| self.ray(at + aside * pixel, view).direction - ray.direction;
        Sight {
            eye: ray.origin,
            direction: ray.direction,
            pixel: [Vec2::RIGHT, Vec2::DOWN].map(next),
            reach: f32::INFINITY,
        }
    }

    /// Where a point of the world is in the picture; none behind the eye.
    pub fn project(&self, point: Vec3, view: Rect) -> Option<Pos2> {
        let from_eye = point - self.camera().eye;
        let depth = -from_eye.dot(self.away());
        if depth <= 1e-4 * self.distance {
            return None;
        }
        let [right, up] = self.axes();
        let scale = view.height() / (2.0 * self.half_height() * depth);
        let (x, y) = (from_eye.dot(right) * scale, from_eye.dot(up) * scale);
        Some(pos2(view.center().x + x, view.center().y - y))
    }

    /// Size of a point of the picture at a distance of 1 m, m.
    pub fn metres_per_point(&self, view: Rect) -> f32 {
        2.0 * self.half_height() / view.height()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::vec2;

    const VIEW: Rect = Rect::from_min_max(pos2(100.0, 50.0), pos2(900.0, 650.0));

    fn orbit() -> Orbit {
        Orbit {
            target: Vec3::new(1.0, 4.0, -2.0),
            azimuth_deg: 30.0,
            elevation_deg: 20.0,
            distance: 12.0,
            fov_deg: 40.0,
            roll_deg: 25.0,
        }
    }

    #[test]
    fn a_camera_is_led_to_where_it_is_told_to_stand() {
        let mut orbit = orbit();
        let eye = Vec3::new(-3.0, 6.0, 5.0);
        orbit.stand_at(eye);
        assert!(orbit.camera().eye.distance(eye) < 1e-4);
        assert_eq!(orbit.target, self::orbit().target);
    }

    #[test]
    fn a_view_that_is_kept_in_a_scene_is_found_again() {
        let kept = orbit().table();
        let again = Orbit::of(&kept, [Vec3::NEG_ONE, Vec3::ONE], 1.5);
        let (a, b) = (orbit().camera(), again.camera());
        assert!(a.eye.distance(b.eye) < 1e-4);
        assert_eq!(
            (a.target, a.fov_deg, a.roll_deg),
            (b.target, b.fov_deg, b.roll_deg)
        );
    }

    #[test]
    fn a_camera_that_rolls_clockwise_sees_what_is_above_it_to_the_left() {
        let rolled = orbit();
        let above = rolled.project(rolled.target + Vec3::Y, VIEW).unwrap();
        let straight = Orbit {
            roll_deg: 0.0,
            ..rolled
        };
        let before = straight.project(rolled.target + Vec3::Y, VIEW).unwrap();
        assert!((before.x - VIEW.center().x).abs() < 0.01);
        assert!(above.x < VIEW.center().x - 10.0, "{above}");
    }

    #[test]
    fn a_ray_goes_through_what_is_seen_there() {
        let orbit = orbit();
        for point in [
            Vec3::ZERO,
            Vec3::new(2.0, 5.0, -1.0),
            Vec3::new(0.0, 3.0, 1.0),
        ] {
            let ray = orbit.ray(orbit.project(point, VIEW).unwrap(), VIEW);
            let along = (point - ray.origin).dot(ray.direction);
            assert!((ray.at(along) - point).length() < 1e-4 * along, "{point}");
        }
        let middle = orbit.project(orbit.target, VIEW).unwrap();
        assert!((middle - VIEW.center()).length() < 0.01);
    }

    #[test]
    fn what_is_panned_stays_under_the_pointer() {
        let mut moved = orbit();
        moved.pan(vec2(40.0, -25.0), VIEW);
        let seen = moved.project(orbit().target, VIEW).unwrap();
        assert!(
            (seen - VIEW.center() - vec2(40.0, -25.0)).length() < 0.05,
            "{seen}"
        );
    }
}
