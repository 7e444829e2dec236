//! A turtle: a point with a frame that moves through space.

use crate::frame::{turned, unit_or};
use treesway::glam::DVec3;

/// Where the turtle is and how it lies: it crawls along `heading`, with its back towards `up`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turtle {
    /// m.
    pub(super) position: DVec3,
    pub(super) heading: DVec3,
    pub(super) left: DVec3,
    pub(super) up: DVec3,
}

impl Turtle {
    /// At the origin, crawling up, its back towards the viewer (+z), its left at −x: heading × left = up.
    pub(super) fn upright() -> Self {
        Self {
            position: DVec3::ZERO,
            heading: DVec3::Y,
            left: DVec3::NEG_X,
            up: DVec3::Z,
        }
    }

    pub(super) fn forward(&mut self, length: f64) {
        self.position += self.heading * length;
    }

    /// About its up axis, rad.
    pub(super) fn turn(&mut self, angle: f64) {
        self.heading = turned(self.heading, self.up, angle);
        self.left = turned(self.left, self.up, angle);
        self.tidy();
    }

    /// About its left axis, rad; positive lowers the head.
    pub(super) fn pitch(&mut self, angle: f64) {
        self.heading = turned(self.heading, self.left, angle);
        self.up = turned(self.up, self.left, angle);
        self.tidy();
    }

    /// About its heading, rad.
    pub(super) fn roll(&mut self, angle: f64) {
        self.left = turned(self.left, self.heading, angle);
        self.up = turned(self.up, self.heading, angle);
        self.tidy();
    }

    /// Rolls until its left axis is horizontal; not if it crawls straight up or down.
    pub(super) fn level(&mut self) {
        let left = DVec3::Y.cross(self.heading);
        if left.dot(left) > 1e-18 {
            self.left = unit_or(left, self.left);
            self.up = self.heading.cross(self.left);
        }
    }

    /// Turns the whole frame so that the heading comes nearer to the unit vector `way`, by `strength` · |heading × way| rad
    /// (Prusinkiewicz and Lindenmayer 1990, §2.1).
    pub(super) fn bend(&mut self, way: DVec3, strength: f64) {
        let axis = self.heading.cross(way);
        let sine = axis.dot(axis).sqrt();
        if sine < 1e-9 {
            return;
        }
        let axis = axis / sine;
        for v in [&mut self.heading, &mut self.left, &mut self.up] {
            *v = turned(*v, axis, strength * sine);
        }
        self.tidy();
    }

    /// Rounding neither stretches nor shears the frame.
    fn tidy(&mut self) {
        self.heading = unit_or(self.heading, DVec3::Y);
        let left = self.left - self.heading * self.heading.dot(self.left);
        self.left = unit_or(left, crate::frame::across(self.heading));
        let across = self.heading.cross(self.left);
        self.up = if across.dot(self.up) < 0.0 {
            -across
        } else {
            across
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_PI_2;

    fn near(a: DVec3, b: DVec3) -> bool {
        a.distance(b) < 1e-12
    }

    #[test]
    fn turns_pitches_and_rolls_go_the_way_of_their_names() {
        let mut turtle = Turtle::upright();
        turtle.turn(FRAC_PI_2);
        assert!(near(turtle.heading, DVec3::NEG_X), "left of the viewer");
        let mut turtle = Turtle::upright();
        turtle.pitch(FRAC_PI_2);
        assert!(near(turtle.heading, DVec3::NEG_Z), "away from its back");
        let mut turtle = Turtle::upright();
        turtle.roll(FRAC_PI_2);
        assert!(near(turtle.left, DVec3::Z), "its left side comes up");
    }

    #[test]
    fn the_frame_stays_square_over_a_million_turns() {
        let mut turtle = Turtle::upright();
        for i in 0..1_000_000 {
            match i % 3 {
                0 => turtle.turn(0.7),
                1 => turtle.pitch(-0.3),
                _ => turtle.roll(1.1),
            }
        }
        assert!((turtle.heading.length() - 1.0).abs() < 1e-12);
        assert!(near(turtle.heading.cross(turtle.left), turtle.up));
    }

    #[test]
    fn a_level_turtle_has_no_wing_down() {
        let mut turtle = Turtle::upright();
        turtle.pitch(0.8);
        turtle.roll(0.9);
        turtle.level();
        assert!(turtle.left.y.abs() < 1e-12);
        assert!(near(turtle.heading.cross(turtle.left), turtle.up));
    }

    #[test]
    fn tropism_bends_towards_its_direction_and_stops_there() {
        let mut turtle = Turtle::upright();
        turtle.pitch(1.0);
        let before = turtle.heading.y;
        turtle.bend(DVec3::NEG_Y, 0.2);
        // By 0.2 · sin(1 rad).
        let angle = libm::acos(turtle.heading.y) - libm::acos(before);
        assert!((angle - 0.2 * libm::sin(1.0)).abs() < 1e-12, "{angle}");
        let straight = Turtle::upright();
        let mut bent = straight;
        bent.bend(DVec3::NEG_Y, 0.2);
        assert_eq!(bent, straight, "exactly upright: no side to bend to");
    }
}
