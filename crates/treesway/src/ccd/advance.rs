//! First contact of two movers, by planes.
//!
//! Let n be the unit vector from the nearest point of one to that of the other. As long as
//!
//!   g(t) = min over i, j of (b_j(t) − r_j − a_i(t) − r_i) · n  ≥  gap                                        (1)
//!
//! the plane across n separates them by the gap, whatever n is. Each term is linear in t, so that the first time at which one falls to the gap is known in
//! closed form. There a new n is found; where it is no nearer than the gap, time goes on, else that is the contact. Nothing is skipped: every time before is
//! covered by a plane that held then. Two that lie close along each other and turn would need as many planes as their turn times their size has distances in it; the plane
//! that turns with the nearest face or edges needs a few, and is tried where one that stands ends too soon. No root of a cubic is looked for, and parallel edges, coplanar triangles, grazing passes and pairs that touch at the
//! start are no special cases: (1) asks for supports alone.

use super::{Hull, Mover, Nearest, nearest};
use crate::math::V3;

/// Two that meet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// 0 at the start, 1 at the end; never later than the true time.
    pub time: f64,
    /// How they are to each other then.
    pub near: Nearest,
}

/// A distance is told from another by this, m: what comes nearer to the gap than that has met it.
pub(crate) const TOUCH: f64 = 1e-7;

/// Planes before it is given up and the time reached is called the contact. Most pairs need one or two; those that graze along each other, some ten; a pair that is d apart and moves by v,
/// at most v/d: so many as to tell contacts from what passes a tenth of a millimetre away within a step of a metre.
const PLANES: usize = 10_000;

/// Of a pair that starts within the gap, share of its distance that may be lost in a step.
pub(crate) const LOST: f64 = 0.1;

/// What is nearer than this may not come nearer at all, m: distances of single-precision poses of a tree are known no better.
pub(crate) const LEAST: f64 = 5e-6;

/// When `a` and `b` first come within `gap` of each other, or none if they do not until time 1.
pub fn first_contact(a: &Mover, b: &Mover, gap: f64) -> Option<Contact> {
    advance(a, b, gap, nearest(&a.at(0.0), &b.at(0.0)))
}

/// How two go that are to be kept apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Approach {
    /// They intersect at the start: nothing can keep them apart.
    Inside,
    /// They stay apart.
    Clear,
    /// They come too near.
    Meets(Contact),
}

/// The same for those that are to be kept apart by `gap` and may start nearer: these may part, but not come nearer by more than a tenth of what is left.
pub fn first_approach(a: &Mover, b: &Mover, gap: f64) -> Approach {
    first_approach_from(a, b, gap, nearest(&a.at(0.0), &b.at(0.0)))
}

/// The same of two whose nearest points at the start are known.
pub(crate) fn first_approach_from(a: &Mover, b: &Mover, gap: f64, near: Nearest) -> Approach {
    let apart = near.distance;
    if apart <= 0.0 {
        return Approach::Inside;
    }
    let found = if apart >= LEAST {
        advance(a, b, gap.min((1.0 - LOST) * apart), near)
    } else if nearest(&a.at(1.0), &b.at(1.0)).distance < apart {
        Some(Contact { time: 0.0, near })
    } else {
        advance(a, b, apart - 2.0 * TOUCH, near)
    };
    found.map_or(Approach::Clear, Approach::Meets)
}

fn advance(a: &Mover, b: &Mover, gap: f64, at_start: Nearest) -> Option<Contact> {
    let mut time = 0.0;
    let mut near = at_start;
    for _ in 0..PLANES {
        let (ha, hb) = (a.at(time), b.at(time));
        if time > 0.0 {
            near = nearest(&ha, &hb);
        }
        let left = near.distance - gap;
        // Written so that what is not a number touches.
        let clear = left > TOUCH;
        if !clear {
            return Some(Contact { time, near });
        }
        let d = near.on[1] - near.on[0];
        let length = d.length();
        let held = if length > 0.0 {
            plane_holds(a, b, &ha, &hb, d * (1.0 / length), gap)
        } else {
            0.0
        };
        // A plane that does not separate was not the best one, by rounding: they are that near.
        if held <= 0.0 {
            return Some(Contact { time, near });
        }
        let held = if time + held < 1.0 {
            held.max(turning_plane_holds(a, b, &near, time, held, gap))
        } else {
            held
        };
        time += held;
        if time >= 1.0 {
            return None;
        }
    }
    Some(Contact { time, near })
}

/// How long a plane that turns with the features which are nearest separates both by `gap`, as far as (2) tells for the rest of the way, half of it, and so on;
/// 0 where that is no longer than `least`, or where corners alone are nearest.
fn turning_plane_holds(
    a: &Mover,
    b: &Mover,
    near: &Nearest,
    time: f64,
    least: f64,
    gap: f64,
) -> f64 {
    let Some(plane) = Turning::of(a, b, near) else {
        return 0.0;
    };
    let from = [a.at(time), b.at(time)];
    let away = near.on[1] - near.on[0];
    let mut held = 1.0 - time;
    while held > 2.0 * least {
        let until = if held < 1.0 - time { time + held } else { 1.0 };
        if plane.separates(
            [&from[0], &from[1]],
            [&a.at(until), &b.at(until)],
            away,
            gap,
        ) {
            return held;
        }
        held *= 0.5;
    }
    0.0
}

/// The plane along two edges: of a face of one, or one edge of each.
struct Turning {
    /// Which of both each is of, and its corners.
    edges: [(usize, [usize; 2]); 2],
}

impl Turning {
    fn of(a: &Mover, b: &Mover, near: &Nearest) -> Option<Self> {
        let on = |k: usize, count: usize| -> ([usize; 3], usize) {
            let (mut corners, mut n) = ([0; 3], 0);
            for i in (0..count).filter(|&i| near.weights[k][i] > 0.0) {
                corners[n] = i;
                n += 1;
            }
            (corners, n)
        };
        let ((u, of_u), (w, of_w)) = (on(0, a.count), on(1, b.count));
        let face = |k: usize, c: [usize; 3]| Self {
            edges: [(k, [c[0], c[1]]), (k, [c[0], c[2]])],
        };
        match (of_u, of_w) {
            (3, _) => Some(face(0, u)),
            (_, 3) => Some(face(1, w)),
            (2, 2) => Some(Self {
                edges: [(0, [u[0], u[1]]), (1, [w[0], w[1]])],
            }),
            _ => None,
        }
    }

    /// Whether it does all the way between two times:
    ///
    ///   f(s) = (b_j − a_i)·N − (r_i + r_j + gap) |N| ≥ 0,  N the product of the two edges,                         (2)
    ///
    /// for all i and j. The first part is a cubic in s, not less than the least of its Bernstein coefficients; |N| is not more than the largest of those of N.
    fn separates(&self, from: [&Hull; 2], to: [&Hull; 2], away: V3<f64>, gap: f64) -> bool {
        let edge =
            |of: [&Hull; 2], (k, [i, j]): (usize, [usize; 2])| of[k].points[j] - of[k].points[i];
        let [u0, w0] = self.edges.map(|e| edge(from, e));
        let [u1, w1] = self.edges.map(|e| edge(to, e));
        let mut n = [
            u0.cross(w0),
            (u0.cross(w1) + u1.cross(w0)) * 0.5,
            u1.cross(w1),
        ];
        if n[0].dot(away) < 0.0 {
            n = n.map(|n| -n);
        }
        let longest = n.iter().fold(0.0, |most: f64, n| most.max(n.length()));
        let [a, b] = from;
        (0..a.count).all(|i| {
            (0..b.count).all(|j| {
                let d0 = b.points[j] - a.points[i];
                let d1 = to[1].points[j] - to[0].points[i];
                let cubic = [
                    d0.dot(n[0]),
                    (d1.dot(n[0]) + 2.0 * d0.dot(n[1])) / 3.0,
                    (2.0 * d1.dot(n[1]) + d0.dot(n[2])) / 3.0,
                    d1.dot(n[2]),
                ];
                let needed = (a.radius[i] + b.radius[j] + gap) * longest;
                // Written so that what is not a number separates nothing.
                cubic.iter().all(|c| *c > needed)
            })
        })
    }
}

/// Whether one of a few planes separates both by `gap` all the time: cheaper to ask than where they are nearest, and mostly enough.
pub(crate) fn clear_by_planes(a: &Mover, b: &Mover, gap: f64) -> bool {
    let middle = |m: &Mover| match m.count {
        3 => (m.start[0] + m.start[1] + m.start[2]) * (1.0 / 3.0),
        _ => (m.start[0] + m.start[1]) * 0.5,
    };
    let between = middle(b) - middle(a);
    let across = |m: &Mover| match m.count {
        3 => (m.start[1] - m.start[0]).cross(m.start[2] - m.start[0]),
        _ => {
            let axis = m.start[1] - m.start[0];
            between * axis.dot(axis) - axis * between.dot(axis)
        }
    };
    let separates = |n: V3<f64>| {
        let length = if n.dot(between) < 0.0 { -1.0 } else { 1.0 } * n.length();
        // Written so that what is not a number separates nothing.
        length.abs() > 0.0 && clear_along(a, b, n * (1.0 / length), gap)
    };
    separates(across(a)) || separates(across(b)) || separates(between)
}

/// Whether the plane across the unit vector `n` separates `a`, below, from `b`, above, by `gap` all the time: (1) is concave, so that both ends tell.
pub fn clear_along(a: &Mover, b: &Mover, n: V3<f64>, gap: f64) -> bool {
    let above = |points: &[V3<f64>; 3]| {
        let low = |k: usize| points[k].dot(n) - b.radius[k];
        (1..b.count).fold(low(0), |x, k| x.min(low(k)))
    };
    let below = |points: &[V3<f64>; 3]| {
        let high = |k: usize| points[k].dot(n) + a.radius[k];
        (1..a.count).fold(high(0), |x, k| x.max(high(k)))
    };
    above(&b.start) - below(&a.start) > gap && above(&b.end) - below(&a.end) > gap
}

/// How long the plane across `n` goes on to separate both by `gap`.
fn plane_holds(a: &Mover, b: &Mover, ha: &Hull, hb: &Hull, n: V3<f64>, gap: f64) -> f64 {
    let mut holds = f64::INFINITY;
    for i in 0..a.count {
        let high = ha.points[i].dot(n) + a.radius[i];
        let rising = (a.end[i] - a.start[i]).dot(n);
        for j in 0..b.count {
            let left = hb.points[j].dot(n) - b.radius[j] - high - gap;
            if left <= 0.0 {
                return 0.0;
            }
            let closing = rising - (b.end[j] - b.start[j]).dot(n);
            if closing > 0.0 {
                holds = holds.min(left / closing);
            }
        }
    }
    holds
}
