//! Nearest points of two hulls of balls that stand still.
//!
//! Sought are the weights u, w of two simplices with |p(u) − q(w)| − r(u) − r(w) least, a convex function. Its least value lies on a corner and a face, a corner and an edge, two edges, or
//! where an edge pierces a face, and is known in closed form for each:
//!
//! - a corner x over a face is nearest to its foot; of a face, which has one thickness, only ends of an edge can be nearest;
//! - the ball of an edge that is nearest to x lies by ρ k/√(1 − k²) further along than its foot, with k = (r₁ − r₀)/ℓ and ρ the distance from the axis;
//! - of two edges p₀ + s a and q₀ + t b whose lines are D apart, p − q = D n̂ + c with c·a = |p − q| r_a', c·b = −|p − q| r_b'. So c = |p − q| f with f = (r_a' b × n − r_b' n × a)/n²,
//!   n = a × b, and |p − q| = D/√(1 − f²); where f ≥ 1 one of their ends is nearer.
//!
//! Pairs of edges are tried only where corners have not given points already that nothing is nearer than: planes across them tell.

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

/// Nothing is nearer than points by whose planes all of both is held apart but for this, m.
const LEVEL: f64 = 1e-10;

/// Nearest points of `a` and `b`.
pub fn nearest(a: &Hull, b: &Hull) -> Nearest {
    let [sa, sb] = [a, b].map(Simplex::of);
    let mut best = Nearest {
        distance: f64::INFINITY,
        ..Nearest::default()
    };
    let pierced = [
        corners::<0>(&sa, &sb, &mut best),
        corners::<1>(&sb, &sa, &mut best),
    ];
    if pierced == [false; 2] && !is_least(&best, a, b) {
        edges(&sa, &sb, &mut best);
    }
    best
}

/// Takes the points of these weights if they are nearer.
fn offer(best: &mut Nearest, a: &Hull, b: &Hull, weights: [[f64; 3]; 2]) {
    let (p, ra) = a.blend(weights[0]);
    let (q, rb) = b.blend(weights[1]);
    let distance = (q - p).length() - ra - rb;
    if distance < best.distance {
        *best = Nearest {
            on: [p, q],
            weights,
            distance,
        };
    }
}

/// Offers corners of `one` with what is nearest of `other`, and where edges of `one` pierce the face of `other`; `AT` says which of both is `a`: 0, the one. Returns whether an
/// edge does.
fn corners<const AT: usize>(one: &Simplex, other: &Simplex, best: &mut Nearest) -> bool {
    let mut offer = |u: [f64; 3], w: [f64; 3]| match AT {
        0 => offer(best, one.hull, other.hull, [u, w]),
        _ => offer(best, other.hull, one.hull, [w, u]),
    };
    for (k, &x) in one.hull.points.iter().enumerate().take(one.hull.count) {
        let mut corner = [0.0; 3];
        corner[k] = 1.0;
        offer(corner, other.nearest(x));
    }
    let Some(face) = &other.face else {
        return false;
    };
    let over = |x: V3<f64>| (x - other.hull.points[0]).dot(face.normal);
    let height = one.hull.points.map(over);
    let mut pierced = false;
    for i in 0..one.sides() {
        let j = (i + 1) % 3;
        // Its ends lie on both sides.
        if height[i] * height[j] < 0.0 {
            let s = height[i] / (height[i] - height[j]);
            if let Some(weights) = other.over_face(one.hull.points[i] + one.edges[i] * s) {
                offer(between(i, s), weights);
                pierced = true;
            }
        }
    }
    pierced
}

/// Whether nothing is nearer, by planes across the points found: all of one lies before the first, all of the other behind the second, to within [`LEVEL`].
fn is_least(best: &Nearest, a: &Hull, b: &Hull) -> bool {
    let [p, q] = best.on;
    let d = q - p;
    let length = d.length();
    let held = |hull: &Hull, weights: [f64; 3], d: V3<f64>| {
        let (p, radius) = hull.blend(weights);
        let beyond = |k: usize| (hull.points[k] - p).dot(d) + (hull.radius[k] - radius) * length;
        // Written so that what is not a number proves nothing.
        (0..hull.count).all(|k| beyond(k) < LEVEL * length)
    };
    held(a, best.weights[0], d) && held(b, best.weights[1], -d)
}

/// Offers points inside of edges of both, unless these are parallel.
fn edges(a: &Simplex, b: &Simplex, best: &mut Nearest) {
    for i in 0..a.sides() {
        for j in 0..b.sides() {
            // By the vector product, whose digits do not cancel as those of the determinant do.
            let (u, w) = (a.edges[i], b.edges[j]);
            let r = b.hull.points[j] - a.hull.points[i];
            let n = u.cross(w);
            let square = n.dot(n);
            if square <= 0.0 {
                continue;
            }
            let mut feet = r;
            let grow = [a.grows(i), b.grows(j)];
            if grow != [0.0; 2] {
                let f = (w.cross(n) * grow[0] - n.cross(u) * grow[1]) * (1.0 / square);
                let slant = 1.0 - f.dot(f);
                // Written so that what is not a number is left out.
                let leans = slant > 0.0;
                if !leans {
                    continue;
                }
                feet += f * (r.dot(n).abs() / (square * slant).sqrt());
            }
            let (s, t) = (feet.cross(w).dot(n), feet.cross(u).dot(n));
            let inside = 0.0..=square;
            if inside.contains(&s) && inside.contains(&t) {
                let weights = [between(i, s / square), between(j, t / square)];
                offer(best, a.hull, b.hull, weights);
            }
        }
    }
}

/// Weights of a point of edge `i`.
fn between(i: usize, s: f64) -> [f64; 3] {
    let mut weights = [0.0; 3];
    (weights[i], weights[(i + 1) % 3]) = (1.0 - s, s);
    weights
}

/// A hull, and what every look at it needs.
struct Simplex<'a> {
    hull: &'a Hull,
    /// From each corner to the next, m, and 1 over their squares; of an axis only the first.
    edges: [V3<f64>; 3],
    inverse: [f64; 3],
    face: Option<Face>,
    taper: Option<Taper>,
}

/// The plane of a triangle.
struct Face {
    /// Along the normal, m².
    normal: V3<f64>,
    /// The weights of the first two corners at x are (q − x)·m, q a corner on the opposite edge, 1/m.
    weights: [V3<f64>; 2],
}

/// Of an axis whose radius changes.
#[derive(Clone, Copy)]
enum Taper {
    /// By how much further along than its foot the ball lies that is nearest to what is 1 m off, k/(ℓ √(1 − k²)), 1/m.
    Leans(f64),
    /// The ball at one end, which holds all others.
    Only(usize),
}

impl<'a> Simplex<'a> {
    fn of(hull: &'a Hull) -> Self {
        let [p, q, r] = hull.points;
        let edges = [q - p, r - q, p - r];
        let inverse = edges.map(|e| {
            let square = e.dot(e);
            if square > 0.0 { 1.0 / square } else { 0.0 }
        });
        let (mut face, mut taper) = (None, None);
        if hull.count == 3 {
            let normal = edges[0].cross(r - p);
            let square = normal.dot(normal);
            face = (square > 0.0).then(|| Face {
                normal,
                weights: [1, 2].map(|k| edges[k].cross(normal) * (1.0 / square)),
            });
        } else if hull.radius[0] != hull.radius[1] {
            let grows = hull.radius[1] - hull.radius[0];
            let slant = edges[0].dot(edges[0]) - grows * grows;
            taper = Some(if slant > 0.0 {
                Taper::Leans(grows * (inverse[0] / slant).sqrt())
            } else {
                Taper::Only(usize::from(grows > 0.0))
            });
        }
        Self {
            hull,
            edges,
            inverse,
            face,
            taper,
        }
    }

    /// How many edges it has.
    fn sides(&self) -> usize {
        if self.hull.count == 3 { 3 } else { 1 }
    }

    /// By how much the radius changes along an edge, m.
    fn grows(&self, i: usize) -> f64 {
        self.hull.radius[(i + 1) % 3] - self.hull.radius[i]
    }

    /// Weights of the foot of `x` on the face, where it lies within.
    fn over_face(&self, x: V3<f64>) -> Option<[f64; 3]> {
        let face = self.face.as_ref()?;
        let [_, q, r] = self.hull.points;
        let u = (q - x).dot(face.weights[0]);
        let v = (r - x).dot(face.weights[1]);
        let w = 1.0 - u - v;
        (u >= 0.0 && v >= 0.0 && w >= 0.0).then_some([u, v, w])
    }

    /// Where on an edge its ball is that is nearest to `x`.
    fn on_edge(&self, i: usize, x: V3<f64>) -> f64 {
        let from = x - self.hull.points[i];
        let foot = from.dot(self.edges[i]) * self.inverse[i];
        let s = match self.taper {
            None => foot,
            Some(Taper::Leans(by)) => foot + (from - self.edges[i] * foot).length() * by,
            Some(Taper::Only(end)) => end as f64,
        };
        s.clamp(0.0, 1.0)
    }

    /// Weights of what is nearest to `x`.
    fn nearest(&self, x: V3<f64>) -> [f64; 3] {
        if self.hull.count == 2 {
            return between(0, self.on_edge(0, x));
        }
        self.over_face(x).unwrap_or_else(|| {
            let mut best = (f64::INFINITY, 0, 0.0);
            for i in 0..3 {
                let s = self.on_edge(i, x);
                let d = self.hull.points[i] + self.edges[i] * s - x;
                let square = d.dot(d);
                if square < best.0 {
                    best = (square, i, s);
                }
            }
            between(best.1, best.2)
        })
    }
}
