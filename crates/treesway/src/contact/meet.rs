//! Where visitors touch a tree in a step: those that overlap its bodies, and those that would before the step ends.
//!
//! A ball is followed along the way it will go relative to a body, by as much at a time as the body is away (Hart 1996), so that
//! none that is fast enough to be on the other side after the step is missed. A contact carries the way g [m] that is left along its normal n: the two
//! may come closer by g in the step and no more,
//!
//!   u·n ≥ −g/h,                                                                                (1)
//!
//! u [m/s] the velocity of the visitor's point relative to that of the body.

use super::reach::{Found, Near, Poses, Pruning, Reach};
use super::shape::RoundCone;
use super::visitor::{Visitor, VisitorShape};
use crate::block::Place;
use crate::desc::BodyId;
use crate::math::V3;
use crate::params::Solver;
use crate::tree::Tree;

/// What is closer than this touches, m.
pub(super) const TOUCH: f32 = 5e-4;

/// Steps of the way of a ball that are looked at.
const MOST_LOOKS: u32 = 32;

/// Most contacts of a tree that are answered in a step, the closest first: their number is squared in the cost.
pub(crate) const MOST_CONTACTS: usize = 64;

/// A visitor and a body of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub(crate) visitor: usize,
    pub(crate) body: BodyId,
    pub(crate) place: Place,
    /// Where they touch, m, world.
    pub(crate) point: V3<f32>,
    /// The same in the body's frame.
    pub(crate) point_in_body: V3<f32>,
    /// Mass of the body with all it carries, kg.
    pub(crate) carried: f32,
    /// Towards the visitor, of length one.
    pub(crate) normal: V3<f32>,
    /// Way that is left, m; negative where they overlap.
    pub(crate) gap: f32,
}

impl Contact {
    /// Where it is on the visitor, from its centre, m.
    pub(crate) fn point_on(&self, visitor: &Visitor) -> V3<f32> {
        match visitor.shape {
            VisitorShape::Ball { radius } => self.normal * -radius,
            VisitorShape::Solid { .. } => self.point - visitor.centre,
        }
    }
}

impl Tree {
    /// Finds all contacts of a step of `h` s.
    pub(crate) fn find_contacts(&mut self, h: f32, pruning: Pruning) {
        if self.visit.visitors.is_empty() {
            self.visit.contacts.clear();
            return;
        }
        // A stiff joint of the analytic solver may swing back within a step: its velocity at the start does not tell where it goes.
        let swing = match self.settings.solver {
            Solver::Analytic => BODY_SPEED * h,
            _ => 0.0,
        };
        let (reach, poses, visit) = self.for_search();
        let contacts = &mut visit.contacts;
        contacts.clear();
        let span = Span {
            h,
            swing,
            pruning: pruning.of_many(visit.visitors.len()),
        };
        for (i, visitor) in visit.visitors.iter().enumerate() {
            find(reach, poses, span, i, visitor, contacts);
        }
        if contacts.len() > MOST_CONTACTS {
            // Stable: equal gaps stay in the order in which they were found.
            contacts.sort_by(|a, b| a.gap.total_cmp(&b.gap));
            contacts.truncate(MOST_CONTACTS);
        }
    }
}

/// How far ahead contacts are looked for.
#[derive(Clone, Copy)]
struct Span {
    /// s.
    h: f32,
    /// What colliders meet although it does not approach them, m.
    swing: f32,
    pruning: Pruning,
}

fn find(
    reach: &mut Reach,
    poses: Poses,
    Span { h, swing, pruning }: Span,
    index: usize,
    visitor: &Visitor,
    contacts: &mut Vec<Contact>,
) {
    let way = visitor.velocity.length() * h;
    // Bodies may come towards the visitor, too, about as fast as anything in a tree moves.
    let near = Near {
        centre: visitor.centre + visitor.velocity * (0.5 * h),
        radius: visitor.shape.radius() + 0.5 * way + BODY_SPEED * h + TOUCH,
    };
    reach.search(poses, pruning, &near, |found| {
        let frame = poses.blocks[found.place.block as usize].frame(found.place.slot as usize);
        let body_velocity = frame.velocity_of(visitor.centre - frame.position);
        let relative = visitor.velocity - body_velocity;
        let met = match visitor.shape {
            VisitorShape::Ball { radius } => meet_ball(&found, visitor.centre, radius, relative, h),
            VisitorShape::Solid { shape, rotation } => {
                let distance = |p| shape.distance_in_world(visitor.centre, rotation, p);
                meet_solid(
                    &found,
                    distance,
                    visitor.velocity - frame.velocity,
                    h,
                    swing,
                )
            }
        };
        contacts.extend(met.map(|(point, normal, gap)| Contact {
            visitor: index,
            body: found.id,
            place: found.place,
            point,
            point_in_body: frame.rotation.conjugate().rotate(point - frame.position),
            carried: found.carried,
            normal,
            gap,
        }));
    });
}

/// Fastest body of a tree that is met before it overlaps, m/s.
pub(super) const BODY_SPEED: f32 = 3.0;

/// Point, normal and gap of a ball that moves by `relative`, m/s, for `h` s.
fn meet_ball(
    found: &Found,
    centre: V3<f32>,
    radius: f32,
    relative: V3<f32>,
    h: f32,
) -> Option<(V3<f32>, V3<f32>, f32)> {
    let cone = &found.cone;
    let first = cone.nearest(centre);
    let away = first.distance - radius;
    if away <= TOUCH {
        return Some((centre - first.normal * first.distance, first.normal, away));
    }
    let speed = relative.length();
    if away > speed * h {
        return None;
    }
    let mut t = away / speed;
    for _ in 0..MOST_LOOKS {
        if t > h {
            return None;
        }
        let at = centre + relative * t;
        let now = cone.nearest(at);
        let away = now.distance - radius;
        if away < TOUCH {
            let gap = -relative.dot(now.normal) * t;
            return Some((at - now.normal * now.distance, now.normal, gap.max(0.0)));
        }
        t += away / speed;
    }
    // It grazes along the body.
    None
}

/// Looks for the place of a segment that is nearest to a collider: an interval shrinks to less than a thousandth.
const SECTIONS: u32 = 16;

/// The same of a convex shape, known by its distance from a point and the direction in which that grows. A round cone is all balls along its axis, and the
/// distance of the nearest of them is convex along it. What nothing moves is slow: the way is not followed, and what is closer than
/// `swing`, m, counts as met.
fn meet_solid(
    found: &Found,
    distance: impl Fn(V3<f32>) -> (f32, V3<f32>),
    relative: V3<f32>,
    h: f32,
    swing: f32,
) -> Option<(V3<f32>, V3<f32>, f32)> {
    let (at, radius) = nearest_along(&found.cone, |p| distance(p).0);
    let (away, out) = distance(at);
    let (gap, normal) = (away - radius, -out);
    let closer = -relative.dot(normal) * h;
    (gap <= TOUCH.max(closer).max(swing)).then(|| (at + normal * radius, normal, gap))
}

/// Centre and radius of the ball of a round cone that is nearest to something convex, known by its distance from a point.
pub(super) fn nearest_along(cone: &RoundCone, distance: impl Fn(V3<f32>) -> f32) -> (V3<f32>, f32) {
    let slope = if cone.length > 0.0 {
        (cone.radius[1] - cone.radius[0]) / cone.length
    } else {
        0.0
    };
    let radius = |t: f32| cone.radius[0] + slope * t;
    let gap = |t: f32| distance(cone.from + cone.axis * t) - radius(t);
    let (mut low, mut high) = (0.0, cone.length);
    for _ in 0..SECTIONS {
        let third = (high - low) / 3.0;
        if gap(low + third) < gap(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    let t = 0.5 * (low + high);
    (cone.from + cone.axis * t, radius(t))
}
