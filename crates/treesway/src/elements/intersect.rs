//! Whether two shapes intersect: exact but for rounding, in double precision, without any hierarchy.
//!
//! Shapes that only touch do not intersect. With a clearance, the question is whether they come nearer than that.
//!
//! **Round cones.** A ball at s of one and a ball at t of the other overlap where |d| < r, with d = d₀ + s u − t v between their centres and
//! r = r₀ + s p + t w the sum of their radii. Both are linear, so q(s, t) = |d|² − r² is of second degree, and the cones intersect
//! where its least value over the unit square is below zero: at its stationary point if that is a minimum within, else on an edge.
//!
//! **Cone and triangle.** Unless the base line goes through the triangle, the least of distance − radius is at an end of the base line or at an
//! edge of the triangle: while the nearest point lies inside of the triangle, distance and radius are linear along the base line.
//!
//! **Two triangles** intersect where an edge of one goes through the other.

use super::shape::{RoundCone, Shape};
use crate::math::V3;

/// Whether two parts intersect or are nearer than `clearance` m.
pub fn shapes_meet(a: &Shape<'_>, b: &Shape<'_>, clearance: f64) -> bool {
    match (a, b) {
        (Shape::Cone(a), Shape::Cone(b)) => cones_meet(&a.grown(clearance), b),
        (Shape::Cone(cone), Shape::Blade(blade)) | (Shape::Blade(blade), Shape::Cone(cone)) => {
            let cone = cone.grown(clearance);
            blade.triangles().any(|t| cone_meets_triangle(&cone, t))
        }
        (Shape::Blade(a), Shape::Blade(b)) => a
            .triangles()
            .any(|t| b.triangles().any(|u| triangles_meet(t, u, clearance))),
    }
}

/// Whether two round cones share inner points.
pub fn cones_meet(a: &RoundCone, b: &RoundCone) -> bool {
    let [u, v] = [a, b].map(|c| c.ends[1] - c.ends[0]);
    let [p, w] = [a, b].map(|c| c.radius[1] - c.radius[0]);
    let d = a.ends[0] - b.ends[0];
    let r = a.radius[0] + b.radius[0];
    // q = ss s² + 2 st s t + tt t² + 2 s1 s + 2 t1 t + q0
    let (ss, st, tt) = (u.dot(u) - p * p, -u.dot(v) - p * w, v.dot(v) - w * w);
    let (s1, t1, q0) = (d.dot(u) - r * p, -d.dot(v) - r * w, d.dot(d) - r * r);
    let edges = [
        least_on_unit(ss, s1, q0),
        least_on_unit(ss, s1 + st, tt + 2.0 * t1 + q0),
        least_on_unit(tt, t1, q0),
        least_on_unit(tt, t1 + st, ss + 2.0 * s1 + q0),
    ];
    if edges.into_iter().any(|least| least < 0.0) {
        return true;
    }
    let det = ss * tt - st * st;
    // Nearly parallel lines are as near at some end as within.
    if !(ss > 0.0 && det > 1e-14 * ss * tt) {
        return false;
    }
    let s = (st * t1 - tt * s1) / det;
    let t = (st * s1 - ss * t1) / det;
    let within = |x: f64| x > 0.0 && x < 1.0;
    within(s) && within(t) && {
        // From the points themselves: what is left of the coefficients has lost digits.
        let between = d + u * s - v * t;
        let reach = r + p * s + w * t;
        between.dot(between) < reach * reach
    }
}

/// Least value of a x² + 2 b x + c over 0 to 1.
fn least_on_unit(a: f64, b: f64, c: f64) -> f64 {
    let ends = c.min(a + 2.0 * b + c);
    if a > 0.0 && -b > 0.0 && -b < a {
        ends.min(c - b * b / a)
    } else {
        ends
    }
}

/// Whether a round cone and a triangle share points, of the cone inner ones. A cone of no radius is a line, which meets what it goes through.
pub fn cone_meets_triangle(cone: &RoundCone, triangle: [V3<f64>; 3]) -> bool {
    if pierces(cone.ends, triangle) {
        return true;
    }
    if cone.radius == [0.0; 2] {
        return false;
    }
    let mut balls = cone.ends.into_iter().zip(cone.radius);
    balls.any(|(centre, r)| {
        let way = centre - nearest_on_triangle(centre, triangle);
        way.dot(way) < r * r
    }) || edges(triangle).into_iter().any(|ends| {
        let edge = RoundCone {
            ends,
            radius: [0.0; 2],
        };
        cones_meet(cone, &edge)
    })
}

/// Whether two triangles go through each other or are nearer than `clearance`.
pub fn triangles_meet(a: [V3<f64>; 3], b: [V3<f64>; 3], clearance: f64) -> bool {
    let wires = |t| {
        edges(t).map(|ends| RoundCone {
            ends,
            radius: [clearance; 2],
        })
    };
    wires(a).iter().any(|edge| cone_meets_triangle(edge, b))
        || wires(b).iter().any(|edge| cone_meets_triangle(edge, a))
}

fn edges([a, b, c]: [V3<f64>; 3]) -> [[V3<f64>; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Whether a line from end to end goes through a triangle: its ends are on different sides, and it passes all edges on the same side.
fn pierces([from, to]: [V3<f64>; 2], [a, b, c]: [V3<f64>; 3]) -> bool {
    let normal = (b - a).cross(c - a);
    let (below, above) = ((from - a).dot(normal), (to - a).dot(normal));
    if !(below < 0.0 && above > 0.0 || below > 0.0 && above < 0.0) {
        return false;
    }
    let way = to - from;
    let side = |p: V3<f64>, q: V3<f64>| way.dot((p - from).cross(q - from));
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides.iter().all(|&x| x >= 0.0) || sides.iter().all(|&x| x <= 0.0)
}

/// The point of a triangle nearest to another (Ericson 2004, §5.1.5: by the region of corner, edge or face that it lies in).
pub fn nearest_on_triangle(p: V3<f64>, [a, b, c]: [V3<f64>; 3]) -> V3<f64> {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(p - a), ac.dot(p - a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = (ab.dot(p - b), ac.dot(p - b));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let of_c = d1 * d4 - d3 * d2;
    if of_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let (d5, d6) = (ab.dot(p - c), ac.dot(p - c));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let of_b = d5 * d2 - d1 * d6;
    if of_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let of_a = d3 * d6 - d5 * d4;
    let (to_c, to_b) = (d4 - d3, d5 - d6);
    if of_a <= 0.0 && to_c >= 0.0 && to_b >= 0.0 {
        return b + (c - b) * (to_c / (to_c + to_b));
    }
    let whole = of_a + of_b + of_c;
    a + ab * (of_b / whole) + ac * (of_c / whole)
}
