//! Where a branch leaves its parent: its first ring lies deep inside of the parent, and from just below the surface the bark flares into it.
//!
//! Along each corner of the ring the tube is followed inwards to c, where it meets the parent's surface. From there the bark spreads out over that
//! surface to b, and outwards it has its own form again at p. The collar is the parabola b, c, p (a quadratic Bézier curve), which leaves the
//! parent along its surface and goes over into the branch along its side. From b it goes on inwards to a, so that no gap opens when the
//! parent's flat sides bend.

use super::axis::{Axis, Station};
use treesway::glam::{Vec2, Vec3};

/// Spread of the collar over the parent, in radii of the branch.
const FLARE: f32 = 0.8;
/// Height of the collar along the branch, in its radii.
const HEIGHT: f32 = 2.0;
/// Share of its way up that the bark of the branch runs down the parent.
const RUN_DOWN: f32 = 0.5;
/// Of b and of a from the parent's axis, as shares of the parent's inner radius.
const SUNK: f32 = 0.975;
const DEEP: f32 = 0.5;

/// The surface that a branch grows from.
pub(super) struct Ground<'a> {
    pub axis: &'a Axis,
    /// How far round the parent is inside of its flat sides: cos(π / sides).
    pub inner: f32,
    /// Of the fork, m from the parent's base.
    pub along: f32,
}

/// A collar along one corner of its rings.
pub(super) struct Part {
    /// Deep in the parent.
    pub root: Vec3,
    /// Just below its surface.
    pub base: Vec3,
    /// On its surface.
    pub meets: Vec3,
    /// On the branch.
    pub leaves: Vec3,
    /// Of `meets` and `leaves` on the branch, m from its base.
    pub meets_along: f32,
    pub leaves_along: f32,
    /// The place of the parent below `base`.
    pub on: Station,
}

impl Part {
    /// From the parent (0) to the branch (1).
    pub(super) fn at(&self, t: f32) -> Vec3 {
        let u = 1.0 - t;
        self.base * (u * u) + self.meets * (2.0 * t * u) + self.leaves * (t * t)
    }
}

/// The collar of a branch, a corner for each of its sides; none if the branch never comes out of its parent.
pub(super) fn collar(axis: &Axis, ground: &Ground, circle: &[Vec2]) -> Option<Vec<Part>> {
    let root = ground.axis.at(ground.along);
    // Nothing but the last fifth of the branch has to be free of it.
    let most = 0.8 * axis.length();
    let step = 0.2 * root.radius;
    let tries = (most / step).ceil().clamp(1.0, 200.0) as usize;
    // Far enough along the parent for whatever the branch touches.
    let reach = 2.0 * (root.radius + axis.stations[0].radius) + most.min(4.0 * root.radius);
    let near = ground.axis.window(ground.along, reach);
    let depth = |point: Vec3| {
        let on = ground.axis.nearest(point, near.clone());
        (point.distance(on.position) - ground.inner * on.radius, on)
    };
    let exit = (1..=tries)
        .map(|k| most * k as f32 / tries as f32)
        .find(|&s| depth(axis.at(s).position).0 > 0.0)?;
    let out = axis.at(exit);
    // The crotch is further out than where the middle comes out, the more the flatter the branch leaves.
    let on = depth(out.position).1;
    let sine = on.tangent.cross(out.tangent).length().max(0.2);
    let furthest = (exit + out.radius / sine + 0.5 * on.radius).min(most);
    let corners = circle[..circle.len() - 1].iter().map(|corner| {
        let side = |s: f32| {
            let at = axis.at(s);
            let out = at.side * corner.x + at.other_side() * corner.y;
            (at.position + out * at.radius, out)
        };
        let met = meeting(0.0, furthest, |s| depth(side(s).0).0);
        let (meets, way) = side(met);
        let on = depth(meets).1;
        let normal = (meets - on.position).normalize_or(way);
        // Where the branch is as thick as its parent its side may lie outside: down onto the surface.
        let meets = if meets.distance(on.position) > on.radius {
            on.position + normal * (ground.inner * on.radius)
        } else {
            meets
        };
        let spread = way - out.tangent * RUN_DOWN;
        let spread = (spread - normal * spread.dot(normal)) * (FLARE * out.radius);
        let on = depth(meets + spread).1;
        let down = (meets + spread - on.position).normalize_or(normal);
        let leaves_along = met + (HEIGHT * out.radius).min(0.5 * (axis.length() - met));
        Part {
            root: on.position + down * (DEEP * ground.inner * on.radius),
            base: on.position + down * (SUNK * ground.inner * on.radius),
            meets,
            leaves: side(leaves_along).0,
            meets_along: met,
            leaves_along,
            on,
        }
    });
    Some(corners.collect())
}

/// The last place from `from` to `to` where `depth` turns positive, going inwards from `to`; where it is least if it never is negative.
fn meeting(from: f32, to: f32, depth: impl Fn(f32) -> f32) -> f32 {
    const STEPS: usize = 12;
    let at = |k: usize| from + (to - from) * k as f32 / STEPS as f32;
    let (mut outside, mut least) = (to, (f32::INFINITY, to));
    for k in (0..=STEPS).rev() {
        let here = depth(at(k));
        if here < 0.0 {
            let (mut inside, mut outside) = (at(k), outside);
            for _ in 0..6 {
                let middle = 0.5 * (inside + outside);
                if depth(middle) < 0.0 {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            return inside;
        }
        if here < least.0 {
            least = (here, at(k));
        }
        outside = at(k);
    }
    least.1
}
