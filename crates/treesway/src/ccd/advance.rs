//! First contact of two movers, by planes.
//!
//! Let n be the unit vector from the nearest point of one to that of the other. As long as
//!
//!   g(t) = min over i, j of (b_j(t) − r_j − a_i(t) − r_i) · n  ≥  gap                                        (1)
//!
//! the plane across n separates them by the gap, whatever n is. Each term is linear in t, so that the first time at which one falls to the gap is known in
//! closed form. There a new n is found; where it is no nearer than the gap, time goes on, else that is the contact. Nothing is skipped: every time before is
//! covered by a plane that held then. No root of a cubic is looked for, and parallel edges, coplanar triangles, grazing passes and pairs that touch at the
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
const LOST: f64 = 0.1;

/// What is nearer than this may not come nearer at all, m: distances of single-precision poses of a tree are known no better.
const LEAST: f64 = 5e-6;

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
    let near = nearest(&a.at(0.0), &b.at(0.0));
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
        time += held;
        if time >= 1.0 {
            return None;
        }
    }
    Some(Contact { time, near })
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
