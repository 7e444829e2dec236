//! The two shapes that parts of a tree have: round cones and triangles.

use crate::math::V3;

/// Least and greatest corner, m.
pub type Bounds = [V3<f64>; 2];

/// All balls whose centres lie on a line, radii changing evenly from one end to the other: wood with round ends. A ball where both ends are one
/// point, a capsule where both radii are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundCone {
    /// Of the base line, m.
    pub ends: [V3<f64>; 2],
    /// At these ends, m.
    pub radius: [f64; 2],
}

/// What a part looks like in some pose.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'a> {
    /// Wood, the base stem of a leaf, or a fruit.
    Cone(RoundCone),
    /// The blade of a leaf.
    Blade(Blade<'a>),
}

/// Triangles without thickness over the points of a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Blade<'a> {
    /// Of the leaf, m.
    pub points: &'a [V3<f64>],
    /// Numbers of points.
    pub corners: &'a [[usize; 3]],
}

impl<'a> Blade<'a> {
    /// Its triangles, m.
    pub fn triangles(self) -> impl Iterator<Item = [V3<f64>; 3]> + Clone + 'a {
        self.corners.iter().map(move |t| t.map(|p| self.points[p]))
    }

    /// The points that are corners of triangles, each as often as it is one.
    fn corner_points(self) -> impl Iterator<Item = V3<f64>> + 'a {
        self.triangles().flatten()
    }
}

impl RoundCone {
    /// The same, thicker by `by` m all around.
    pub fn grown(self, by: f64) -> Self {
        Self {
            radius: self.radius.map(|r| r + by),
            ..self
        }
    }
}

impl Shape<'_> {
    /// A box around it.
    pub fn bounds(&self) -> Bounds {
        match self {
            Shape::Cone(cone) => {
                let balls = cone.ends.into_iter().zip(cone.radius);
                around(balls.flat_map(|(p, r)| [p - V3::splat(r), p + V3::splat(r)]))
            }
            Shape::Blade(blade) => around(blade.corner_points()),
        }
    }
}

/// The box around points.
pub(crate) fn around(points: impl Iterator<Item = V3<f64>>) -> Bounds {
    let ends = [V3::splat(f64::INFINITY), V3::splat(f64::NEG_INFINITY)];
    points.fold(ends, |[low, high], p| {
        [each(low, p, f64::min), each(high, p, f64::max)]
    })
}

/// Whether two boxes share a point.
pub fn boxes_meet([a, b]: &Bounds, [c, d]: &Bounds) -> bool {
    let apart = |a: f64, b: f64, c: f64, d: f64| b < c || d < a;
    !(apart(a.x, b.x, c.x, d.x) || apart(a.y, b.y, c.y, d.y) || apart(a.z, b.z, c.z, d.z))
}

fn each(a: V3<f64>, b: V3<f64>, f: impl Fn(f64, f64) -> f64) -> V3<f64> {
    V3 {
        x: f(a.x, b.x),
        y: f(a.y, b.y),
        z: f(a.z, b.z),
    }
}
