//! Where a branch leaves its parent: its first ring lies deep inside of the parent, and from just below the surface the bark flares into it.
//!
//! Along each corner of the ring the tube is followed inwards to c, where it meets the parent's surface. From there the bark spreads out over that
//! surface to b, and outwards it has its own form again at p. The collar is the parabola b, c, p (a quadratic Bézier curve), which leaves the
//! parent along its surface and goes over into the branch along its side. From b it goes on inwards to a, so that no gap opens when the
//! parent's flat sides bend.

use super::axis::{Axis, Station};
use core::f32::consts::PI;
use core::ops::Range;
use treesway::glam::{Vec2, Vec3};

/// Spread of the collar over the parent, in radii of the branch; a collar of few rings shows less of it.
const FLARE: [f32; 2] = [0.4, 0.65];
/// Height of the collar along the branch, in its radii.
pub(super) const HEIGHT: f32 = 2.0;
/// Most that c may move along the branch from one corner to the next, in terms of the way around.
const STEEPEST: f32 = 1.5;
/// Of b and of a from the parent's axis, as shares of the parent's inner radius.
const SUNK: f32 = 0.975;
const DEEP: f32 = 0.3;

/// The surface that a branch grows from.
pub(super) struct Ground<'a> {
    axis: &'a Axis,
    /// How far round the parent is inside of its flat sides: cos(π / sides).
    pub inner: f32,
    /// Where the branch starts.
    pub root: Station,
    /// Stations of the parent that a collar can touch.
    near: Range<usize>,
}

impl<'a> Ground<'a> {
    /// The surface of a parent with so many sides, for a branch of some radius at its place `joint`.
    pub(super) fn new(axis: &'a Axis, sides: u32, joint: f32, radius: f32) -> Self {
        let root = axis.at(axis.along_of(joint));
        Self {
            axis,
            inner: (PI / sides as f32).cos(),
            root,
            near: axis.window(root.along, 6.0 * root.radius + 2.0 * radius),
        }
    }

    /// Height over the surface, negative inside, m, and the place below on the parent.
    fn height(&self, point: Vec3) -> (f32, Station) {
        let on = self.axis.nearest(point, self.near.clone());
        (point.distance(on.position) - self.inner * on.radius, on)
    }

    /// Whether a point is inside of the parent.
    pub(super) fn covers(&self, point: Vec3) -> bool {
        self.height(point).0 < 0.0
    }
}

/// A collar along one corner of its rings.
pub(super) struct Part {
    /// Deep in the parent.
    pub root: Vec3,
    /// Just below its surface.
    pub base: Vec3,
    /// Of the bark at `base`: that of the parent where the collar spreads over it, the branch's own in a crotch.
    pub normal: Vec3,
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
pub(super) fn collar(
    axis: &Axis,
    ground: &Ground,
    circle: &[Vec2],
    rings: u32,
) -> Option<Vec<Part>> {
    let flare = FLARE[usize::from(rings > 2)];
    // Nothing but the last fifth of the branch has to be free of it.
    let most = 0.8 * axis.length();
    let step = 0.2 * ground.root.radius;
    let tries = (most / step).ceil().clamp(1.0, 200.0) as usize;
    let exit = (1..=tries)
        .map(|k| most * k as f32 / tries as f32)
        .find(|&s| ground.height(axis.at(s).position).0 > 0.0)?;
    let out = axis.at(exit);
    // The crotch is further out than where the middle comes out, the more the flatter the branch leaves.
    let on = ground.height(out.position).1;
    let sine = on.tangent.cross(out.tangent).length().max(0.2);
    let furthest = (exit + out.radius / sine + 0.5 * on.radius).min(most);
    let sides = &circle[..circle.len() - 1];
    let side = |corner: Vec2, along: f32| {
        let at = axis.at(along);
        let out = at.side * corner.x + at.other_side() * corner.y;
        (at.position + out * at.radius, out)
    };
    let met = |&corner: &Vec2| meeting(0.0, furthest, |s| ground.height(side(corner, s).0).0);
    let mut mets: Vec<f32> = sides.iter().map(met).collect();
    even_out(
        &mut mets,
        STEEPEST * 2.0 * PI * out.radius / sides.len() as f32,
    );
    let part = |(&corner, &met): (&Vec2, &f32)| {
        let (meets, way) = side(corner, met);
        let on = ground.height(meets).1;
        let normal = (meets - on.position).normalize_or(way);
        // Where the branch is as thick as its parent its side may lie outside: down onto the surface.
        let meets = if meets.distance(on.position) > on.radius {
            on.position + normal * (ground.inner * on.radius)
        } else {
            meets
        };
        // Away from the branch and down the parent, against the way that the branch grows: far where it leaves squarely or turns its back to
        // the parent, not at all in a crotch, where the collar would fold.
        let spread = (way - out.tangent).reject_from_normalized(normal);
        let outwards = spread.dot(way).clamp(0.0, 1.0);
        let spread = spread * (flare * out.radius);
        let on = ground.height(meets + spread).1;
        let down = (meets + spread - on.position).normalize_or(normal);
        let leaves_along = met + (HEIGHT * out.radius).min(0.5 * (axis.length() - met));
        Part {
            root: on.position + down * (DEEP * ground.inner * on.radius),
            base: on.position + down * (SUNK * ground.inner * on.radius),
            meets,
            leaves: side(corner, leaves_along).0,
            normal: way.lerp(down, outwards).normalize_or(way),
            meets_along: met,
            leaves_along,
            on,
        }
    };
    Some(sides.iter().zip(&mets).map(part).collect())
}

/// Lowers what stands out, so that neighbours around a ring differ by at most `step`: the collar of a branch that leaves flatly goes on inside of
/// the parent where it would be torn long.
fn even_out(around: &mut [f32], step: f32) {
    let n = around.len();
    for i in (0..2 * n).chain((0..2 * n).rev()) {
        let least = around[(i + 1) % n].min(around[(i + n - 1) % n]) + step;
        around[i % n] = around[i % n].min(least);
    }
}

/// The last place from `from` to `to` where `height` turns positive, going inwards from `to`; where it is least if it never is negative.
fn meeting(from: f32, to: f32, height: impl Fn(f32) -> f32) -> f32 {
    const STEPS: usize = 12;
    let at = |k: usize| from + (to - from) * k as f32 / STEPS as f32;
    let (mut outside, mut least) = (to, (f32::INFINITY, to));
    for k in (0..=STEPS).rev() {
        let here = height(at(k));
        if here < 0.0 {
            let (mut inside, mut outside) = (at(k), outside);
            for _ in 0..6 {
                let middle = 0.5 * (inside + outside);
                if height(middle) < 0.0 {
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
