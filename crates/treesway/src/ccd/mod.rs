//! Continuous collision detection: when do two things that move first meet (§4.3 of the paper on tree animation with continuous collision detection)?
//!
//! A [`Mover`] is the convex hull of two or three balls whose centres go in straight lines from where they are to where they are expected: a round cone
//! (capsule, frustum with round ends) or, with radius 0, a triangle. [`first_contact`] says when the distance of two of them first falls to a gap.
//! It is never later than the true time: everything before it is proven clear by a plane that separates both.
//!
//! | file | idea |
//! |---|---|
//! | [`nearest`] | nearest points of two hulls at one time |
//! | [`advance`] | first contact by planes that separate for as long as they do |
//! | [`boxes`] | swept boxes, axis-aligned and oriented |
//! | [`hierarchy`] | which pairs may meet |

mod advance;
mod boxes;
mod hierarchy;
mod nearest;

pub use advance::{Approach, Contact, clear_along, first_approach, first_contact};
pub(crate) use advance::{LEAST, LOST, TOUCH, clear_by_planes, first_approach_from};
pub use boxes::{AxisBox, OrientedBox};
pub use hierarchy::Hierarchy;
pub use nearest::{Nearest, nearest};

use crate::math::V3;

/// The convex hull of balls whose centres move in straight lines in the unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mover {
    /// Centres at time 0, m; the first `count` are used.
    pub start: [V3<f64>; 3],
    /// Centres at time 1, m.
    pub end: [V3<f64>; 3],
    /// m.
    pub radius: [f64; 3],
    /// 2 (round cone) or 3 (triangle).
    pub count: usize,
}

impl Mover {
    /// A round cone: a ball that grows along a line.
    pub fn cone(start: [V3<f64>; 2], end: [V3<f64>; 2], radius: [f64; 2]) -> Self {
        Self {
            start: [start[0], start[1], start[1]],
            end: [end[0], end[1], end[1]],
            radius: [radius[0], radius[1], radius[1]],
            count: 2,
        }
    }

    /// A triangle without thickness.
    pub fn triangle(start: [V3<f64>; 3], end: [V3<f64>; 3]) -> Self {
        Self {
            start,
            end,
            radius: [0.0; 3],
            count: 3,
        }
    }

    /// The box along the axes of the world that holds all of its way.
    pub fn swept(&self) -> AxisBox {
        let balls =
            (0..self.count).flat_map(|k| [self.start[k], self.end[k]].map(|p| (p, self.radius[k])));
        balls.fold(AxisBox::EMPTY, |held, (p, radius)| held.with(p, radius))
    }

    /// Centres at a time.
    pub fn at(&self, time: f64) -> Hull {
        let mut points = self.start;
        for (p, to) in points.iter_mut().zip(&self.end) {
            *p = *p * (1.0 - time) + *to * time;
        }
        Hull {
            points,
            radius: self.radius,
            count: self.count,
        }
    }
}

/// The convex hull of balls that stand still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hull {
    /// Centres, m; the first `count` are used.
    pub points: [V3<f64>; 3],
    /// m.
    pub radius: [f64; 3],
    /// 2 or 3.
    pub count: usize,
}

impl Hull {
    /// The point of these weights, and the radius there.
    fn blend(&self, weights: [f64; 3]) -> (V3<f64>, f64) {
        let mut point = V3::zero();
        let mut radius = 0.0;
        let corners = self.points.iter().zip(&self.radius).zip(weights);
        for ((&p, &r), w) in corners.take(self.count) {
            point += p * w;
            radius += r * w;
        }
        (point, radius)
    }
}
