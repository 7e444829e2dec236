//! Nearest points of two hulls of balls that stand still.
//!
//! Of two simplices p(u), q(w) with u, w weights, nearest points lie on two edges, on a corner and a face, or where an edge pierces a face. All
//! of them are tried: at most 9 pairs of edges and 6 of corners and faces.
//!
//! Of a round cone whose radius changes it is |p(u) − q(w)| − r(u) − r(w) that is least. Along its axis that is a convex function of u, if for each u the nearest w is taken,
//! which is known in closed form: of a triangle its nearest point, of a cone the ball that lies by ρ k/√(1 − k²) further along than the foot on its axis, with
//! k = (r₁ − r₀)/ℓ and ρ the distance from the axis. Its slope is zero where it is least.

use super::Hull;
use crate::math::V3;

/// Nearest points of two hulls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Nearest {
    /// On the axis or face of each, m.
    pub on: [V3<f64>; 2],
    /// The same points by weights of the corners.
    pub weights: [[f64; 3]; 2],
    /// Of the surfaces, m; not positive where they intersect.
    pub distance: f64,
}

/// Most rounds in which the slope along an axis is brought to zero.
const SLOPES: usize = 120;

/// A slope below this is zero, m: by as much a plane across the nearest points misses what is farthest along the axis.
const LEVEL: f64 = 1e-10;

/// Nearest points of `a` and `b`.
pub fn nearest(a: &Hull, b: &Hull) -> Nearest {
    let [u, w] = if tapers(a) {
        along(a, b)
    } else if tapers(b) {
        let [w, u] = along(b, a);
        [u, w]
    } else {
        let mut best = Best {
            square: f64::INFINITY,
            weights: [[0.0; 3]; 2],
        };
        for i in 0..edges(a) {
            for j in 0..edges(b) {
                best.edges(a, i, b, j);
            }
        }
        if b.count == 3 {
            best.faces::<0>(a, b);
        }
        if a.count == 3 {
            best.faces::<1>(b, a);
        }
        best.weights
    };
    let (p, ra) = a.blend(u);
    let (q, rb) = b.blend(w);
    Nearest {
        on: [p, q],
        weights: [u, w],
        distance: (q - p).length() - ra - rb,
    }
}

/// Weights of the nearest points of a cone whose radius changes and of another hull.
fn along(cone: &Hull, other: &Hull) -> [[f64; 3]; 2] {
    let [from, to, _] = cone.points;
    let axis = to - from;
    let grows = cone.radius[1] - cone.radius[0];
    let at = |s: f64| {
        let p = from + axis * s;
        let w = if other.count == 3 {
            on_triangle(other, p)
        } else {
            slip(other, p)
        };
        let d = p - other.blend(w).0;
        let length = d.length();
        // On the other's axis or face: as near as can be.
        let slope = if length > 0.0 {
            d.dot(axis) / length - grows
        } else {
            0.0
        };
        (slope, w)
    };
    let (mut low, mut high) = (0.0, 1.0);
    let (mut at_low, w0) = at(low);
    if at_low >= 0.0 {
        return [[1.0, 0.0, 0.0], w0];
    }
    let (mut at_high, w1) = at(high);
    if at_high <= 0.0 {
        return [[0.0, 1.0, 0.0], w1];
    }
    // Regula falsi; an end that stays counts half from then on (Illinois). Along a face the slope is the same until its edge comes, where it jumps almost: there
    // only every fourth round, which halves, gets on.
    let (mut s, mut w) = (0.5, w0);
    let mut side = 0;
    for round in 1..=SLOPES {
        s = if round % 4 == 0 {
            side = 0;
            0.5 * (low + high)
        } else {
            (low * at_high - high * at_low) / (at_high - at_low)
        };
        let slope;
        (slope, w) = at(s);
        if slope.abs() < LEVEL || high - low < 1e-15 {
            break;
        }
        if slope < 0.0 {
            (low, at_low) = (s, slope);
            if side == -1 {
                at_high *= 0.5;
            }
            side = -1;
        } else {
            (high, at_high) = (s, slope);
            if side == 1 {
                at_low *= 0.5;
            }
            side = 1;
        }
    }
    [[1.0 - s, s, 0.0], w]
}

fn edges(hull: &Hull) -> usize {
    if hull.count == 3 { 3 } else { 1 }
}

fn tapers(hull: &Hull) -> bool {
    hull.count == 2 && hull.radius[0] != hull.radius[1]
}

/// Weights of the ball of a round cone that is nearest to `x`.
fn slip(cone: &Hull, x: V3<f64>) -> [f64; 3] {
    let [p, q, _] = cone.points;
    let axis = q - p;
    let square = axis.dot(axis);
    if square <= 0.0 {
        let first = cone.radius[0] >= cone.radius[1];
        return if first {
            [1.0, 0.0, 0.0]
        } else {
            [0.0, 1.0, 0.0]
        };
    }
    let length = square.sqrt();
    let along = (x - p).dot(axis) / length;
    let across = ((x - p) - axis * (along / length)).length();
    let slope = (cone.radius[1] - cone.radius[0]) / length;
    let s = if slope.abs() < 1.0 {
        ((along + across * slope / (1.0 - slope * slope).sqrt()) / length).clamp(0.0, 1.0)
    } else if slope > 0.0 {
        // The larger ball holds the smaller one.
        1.0
    } else {
        0.0
    };
    [1.0 - s, s, 0.0]
}

/// Weights of the point of a triangle that is nearest to `x`.
fn on_triangle(triangle: &Hull, x: V3<f64>) -> [f64; 3] {
    if let Some(weights) = face_weights(triangle, x) {
        return weights;
    }
    let mut best = (f64::INFINITY, [1.0, 0.0, 0.0]);
    for i in 0..3 {
        let j = (i + 1) % 3;
        let (p, q) = (triangle.points[i], triangle.points[j]);
        let s = on_segment(p, q, x);
        let d = p * (1.0 - s) + q * s - x;
        let square = d.dot(d);
        if square < best.0 {
            let mut weights = [0.0; 3];
            (weights[i], weights[j]) = (1.0 - s, s);
            best = (square, weights);
        }
    }
    best.1
}

/// Parameter of the point of a segment that is nearest to `x`.
fn on_segment(p: V3<f64>, q: V3<f64>, x: V3<f64>) -> f64 {
    let axis = q - p;
    let square = axis.dot(axis);
    if square > 0.0 {
        ((x - p).dot(axis) / square).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// Weights of the foot of `x` on the plane of a triangle, where it lies within.
fn face_weights(triangle: &Hull, x: V3<f64>) -> Option<[f64; 3]> {
    let [p, q, r] = triangle.points;
    let normal = (q - p).cross(r - p);
    let square = normal.dot(normal);
    if square <= 0.0 {
        return None;
    }
    let u = (q - x).cross(r - x).dot(normal) / square;
    let v = (r - x).cross(p - x).dot(normal) / square;
    let w = 1.0 - u - v;
    (u >= 0.0 && v >= 0.0 && w >= 0.0).then_some([u, v, w])
}

struct Best {
    square: f64,
    /// Of `a` and of `b`.
    weights: [[f64; 3]; 2],
}

impl Best {
    fn offer(&mut self, a: &Hull, u: [f64; 3], b: &Hull, w: [f64; 3]) {
        let d = b.blend(w).0 - a.blend(u).0;
        let square = d.dot(d);
        if square < self.square {
            *self = Self {
                square,
                weights: [u, w],
            };
        }
    }

    /// Nearest points of edge `i` of `a` and edge `j` of `b`.
    fn edges(&mut self, a: &Hull, i: usize, b: &Hull, j: usize) {
        let (i1, j1) = ((i + 1) % 3, (j + 1) % 3);
        let (p0, p1) = (a.points[i], a.points[i1]);
        let (q0, q1) = (b.points[j], b.points[j1]);
        let mut offer = |s: f64, t: f64| {
            let d = (q0 * (1.0 - t) + q1 * t) - (p0 * (1.0 - s) + p1 * s);
            let square = d.dot(d);
            if square < self.square {
                let mut weights = [[0.0; 3]; 2];
                (weights[0][i], weights[0][i1]) = (1.0 - s, s);
                (weights[1][j], weights[1][j1]) = (1.0 - t, t);
                *self = Self { square, weights };
            }
        };
        // Inside both, unless they are parallel: by the vector product, whose digits do not cancel as those of the determinant do.
        let (d, e, r) = (p1 - p0, q1 - q0, q0 - p0);
        let n = d.cross(e);
        let square = n.dot(n);
        if square > 0.0 {
            let s = r.cross(e).dot(n) / square;
            let t = r.cross(d).dot(n) / square;
            if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
                offer(s, t);
            }
        }
        offer(0.0, on_segment(q0, q1, p0));
        offer(1.0, on_segment(q0, q1, p1));
        offer(on_segment(p0, p1, q0), 0.0);
        offer(on_segment(p0, p1, q1), 1.0);
    }

    /// Corners of `hull` over the face of `triangle`, and edges through it; `AT` says which of both is `a`: 0, the hull.
    fn faces<const AT: usize>(&mut self, hull: &Hull, triangle: &Hull) {
        let mut offer = |u: [f64; 3], w: [f64; 3]| match AT {
            0 => self.offer(hull, u, triangle, w),
            _ => self.offer(triangle, w, hull, u),
        };
        let [p, q, r] = triangle.points;
        let normal = (q - p).cross(r - p);
        let height = hull.points.map(|x| (x - p).dot(normal));
        for (k, &x) in hull.points.iter().enumerate().take(hull.count) {
            if let Some(weights) = face_weights(triangle, x) {
                let mut corner = [0.0; 3];
                corner[k] = 1.0;
                offer(corner, weights);
            }
        }
        for i in 0..edges(hull) {
            let j = (i + 1) % 3;
            // Its ends lie on both sides.
            if height[i] * height[j] < 0.0 {
                let s = height[i] / (height[i] - height[j]);
                let through = hull.points[i] * (1.0 - s) + hull.points[j] * s;
                if let Some(weights) = face_weights(triangle, through) {
                    let mut along = [0.0; 3];
                    (along[i], along[j]) = (1.0 - s, s);
                    offer(along, weights);
                }
            }
        }
    }
}
