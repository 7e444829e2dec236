//! Three rings about a joint: one is dragged to turn what hangs on it.

use crate::grip::Hand;
use crate::orbit::Orbit;
use crate::theme::Palette;
use core::f32::consts::{PI, TAU};
use eframe::egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, vec2};
use treesway::glam::{Quat, Vec3};
use treesway::{BodyId, Tree};

/// Radius of the rings, points.
const RADIUS: f32 = 56.0;

/// How near a hand must be to a ring, points.
const REACH: f32 = 9.0;

/// Colours of the axes x, y and z.
const COLOURS: [Color32; 3] = [
    Color32::from_rgb(226, 92, 80),
    Color32::from_rgb(120, 190, 80),
    Color32::from_rgb(86, 150, 233),
];

/// Rings about the axes of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rings {
    /// The joint, m.
    middle: Vec3,
    /// Far end of the body, m.
    tip: Vec3,
    /// World from joint frame.
    frame: Quat,
    /// m.
    radius: f32,
}

/// A ring that is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// By whom.
    pub hand: Hand,
    /// As they were when it was taken.
    rings: Rings,
    axis: usize,
    /// Where it was taken, rad.
    from: f32,
    /// How far it has been turned, rad.
    angle: f32,
}

impl Rings {
    /// Of a body's joint, as large on the screen wherever it is.
    pub fn of(tree: &Tree, id: BodyId, orbit: &Orbit, view: Rect) -> Self {
        let body = tree.body(id);
        let parent = body.parent.map(|parent| tree.pose(parent).rotation);
        let middle = tree.pose(id).position;
        let distance = middle.distance(orbit.camera().eye);
        Self {
            middle,
            tip: tree.tip(id),
            frame: parent.unwrap_or(Quat::IDENTITY) * body.joint_rotation,
            radius: RADIUS * orbit.metres_per_point(view) * distance,
        }
    }

    /// Point of a ring, m.
    fn point(&self, axis: usize, angle: f32) -> Vec3 {
        let (sin, cos) = angle.sin_cos();
        let (along, across) = (Vec3::AXES[(axis + 1) % 3], Vec3::AXES[(axis + 2) % 3]);
        self.middle + self.frame * (along * cos + across * sin) * self.radius
    }

    /// A ring as it is seen.
    fn seen(&self, axis: usize, orbit: &Orbit, view: Rect) -> Vec<Pos2> {
        let points = (0..=48).map(|i| self.point(axis, TAU * i as f32 / 48.0));
        points.filter_map(|p| orbit.project(p, view)).collect()
    }

    /// Where each is seen half way between its crossings with the others, points.
    pub fn handles(&self, orbit: &Orbit, view: Rect) -> [Option<Pos2>; 3] {
        [0, 1, 2].map(|axis| orbit.project(self.point(axis, TAU / 8.0), view))
    }

    /// Takes the ring at a point of the window, if there is one.
    pub fn take(&self, hand: Hand, at: Pos2, orbit: &Orbit, view: Rect) -> Option<Turn> {
        let distance = |axis: usize| {
            let seen = self.seen(axis, orbit, view);
            let distances = seen.iter().map(|p| p.distance(at));
            distances.fold(f32::INFINITY, f32::min)
        };
        let axis = (0..3).min_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
        if distance(axis) > REACH {
            return None;
        }
        Some(Turn {
            hand,
            rings: *self,
            axis,
            from: self.angle(axis, at, orbit, view)?,
            angle: 0.0,
        })
    }

    /// Angle at which a point of the window is seen in the plane of a ring, rad; none where that plane is seen from its edge.
    fn angle(&self, axis: usize, at: Pos2, orbit: &Orbit, view: Rect) -> Option<f32> {
        let ray = orbit.ray(at, view);
        let normal = self.frame * Vec3::AXES[axis];
        let steep = ray.direction.dot(normal);
        if steep.abs() < 0.02 {
            return None;
        }
        let met = ray.at((self.middle - ray.origin).dot(normal) / steep);
        let own = self.frame.conjugate() * (met - self.middle);
        Some(own[(axis + 2) % 3].atan2(own[(axis + 1) % 3]))
    }

    /// Draws them.
    pub fn paint(&self, painter: &Painter, orbit: &Orbit, view: Rect) {
        for (axis, colour) in COLOURS.into_iter().enumerate() {
            let seen = self.seen(axis, orbit, view);
            painter.line(seen, Stroke::new(2.0, colour));
        }
    }
}

impl Turn {
    /// The hand has moved.
    pub fn follow(&mut self, at: Pos2, orbit: &Orbit, view: Rect) {
        if let Some(angle) = self.rings.angle(self.axis, at, orbit, view) {
            self.angle = (angle - self.from + PI).rem_euclid(TAU) - PI;
        }
    }

    /// Rotation vector in the joint frame, rad.
    pub fn turn(&self) -> Vec3 {
        Vec3::AXES[self.axis] * self.angle
    }

    /// Draws the ring, how far it is turned, and where the body is going to be.
    pub fn paint(&self, painter: &Painter, orbit: &Orbit, view: Rect, colours: &Palette) {
        let rings = &self.rings;
        let seen = rings.seen(self.axis, orbit, view);
        painter.line(seen, Stroke::new(3.0, COLOURS[self.axis]));
        let turn = rings.frame * Quat::from_scaled_axis(self.turn()) * rings.frame.conjugate();
        let tip = rings.middle + turn * (rings.tip - rings.middle);
        let ends = [rings.middle, tip].map(|p| orbit.project(p, view));
        if let [Some(from), Some(to)] = ends {
            painter.line_segment([from, to], Stroke::new(4.0, colours.force));
            let text = format!("{:.0}°", self.angle.to_degrees());
            let at = from + vec2(RADIUS, -RADIUS);
            let font = FontId::proportional(14.0);
            painter.text(at, Align2::LEFT_BOTTOM, text, font, colours.force);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::pos2;

    const VIEW: Rect = Rect::from_min_max(pos2(0.0, 0.0), pos2(800.0, 600.0));

    /// A hand that follows a ring by an angle turns the joint by that angle.
    #[test]
    fn a_ring_is_turned_by_as_much_as_it_is_dragged() {
        let bounds = [Vec3::NEG_ONE, Vec3::ONE];
        let orbit = Orbit::framing(bounds, 800.0 / 600.0, 40.0, 35.0);
        let rings = Rings {
            middle: Vec3::new(0.1, -0.2, 0.3),
            tip: Vec3::Y,
            frame: Quat::from_rotation_z(0.4) * Quat::from_rotation_x(-0.8),
            radius: 0.5,
        };
        for axis in 0..3 {
            let at = |angle: f32| orbit.project(rings.point(axis, angle), VIEW).unwrap();
            // Half way between its crossings with the others.
            let start = TAU / 8.0;
            let mut turn = rings.take(Hand::Pointer, at(start), &orbit, VIEW).unwrap();
            assert_eq!(turn.axis, axis);
            turn.follow(at(start + 0.6), &orbit, VIEW);
            assert!(
                (turn.turn() - Vec3::AXES[axis] * 0.6).length() < 1e-3,
                "{axis}"
            );
            turn.follow(at(start - 1.1), &orbit, VIEW);
            assert!(
                (turn.turn() + Vec3::AXES[axis] * 1.1).length() < 1e-3,
                "{axis}"
            );
        }
        let far = pos2(5.0, 5.0);
        assert!(rings.take(Hand::Pointer, far, &orbit, VIEW).is_none());
    }
}
