//! Where branches that broke off touch trees and each other, and what both sides of a touch get.
//!
//! Wood from a certain radius on takes part ([`super::ContactSettings::wood`]); twigs and leaves go through each other. Two round cones are as far apart as the
//! nearest ball of the one is from the surface of the other. As with balls ([`super::meet`]) a touch carries the way g that is left, so that what is fast does not pass.
//!
//! Every side that the coupled solver moves, free or rooted, knows how its points answer ([`super::impulse`]): u = u₀ + (W₁ + W₂) P of all touches at once, solved contact by contact as
//! there. One side gets P, the other −P, nothing bounces, so that momentum is kept to rounding and no energy gained. What nothing of this kind moves, a branch that
//! lies still or a tree of another solver, is as heavy as the earth to the branch; such a tree gets what [`super::penalty`] would give it, in its next frame.
//!
//! A branch starts inside of the wood it broke off. Where the axis of one is deep in the other, a normal says nothing: they are moved apart without an impulse.

use super::ContactSettings;
use super::impulse::{ROUNDS, Ways, scaled};
use super::meet::{BODY_SPEED, Contact, TOUCH, nearest_along};
use super::reach::{Found, Near};
use super::shape::{Outline, RoundCone};
use super::together::Member;
use super::visitor::{STROKE, Stroke, push_out};
use crate::block::Place;
use crate::desc::{BodyId, BodyKind};
use crate::forces::Load;
use crate::kinematics::Frame;
use crate::math::{Matrix3, V3};
use crate::tree::Tree;

/// Most touches of a tree that are answered in a step, the closest first.
const MOST_TOUCHES: usize = 32;
/// Coulomb's, wood on wood.
const FRICTION: f64 = 0.5;
/// What lies still is woken by what comes faster, m/s.
const WAKING: f64 = 0.5;
/// How deep in another, in parts of its radius, an axis lies where a normal says nothing.
const DEEP: f32 = 0.5;

/// One side of a touch: a member, and which of the places where it is met.
#[derive(Clone, Copy, Debug)]
struct Side {
    member: usize,
    at: usize,
}

/// A branch that falls, and what it touches.
pub(super) struct Touch {
    sides: [Side; 2],
    /// Towards the first, of length one.
    normal: V3<f64>,
    /// Way that is left, m.
    gap: f64,
    /// On the first, N·s.
    impulse: V3<f64>,
    /// u₀·n, m/s.
    approach: f64,
}

/// Wood of a branch that falls.
struct Stout {
    member: usize,
    body: BodyId,
    place: Place,
    frame: Frame<f32>,
    cone: RoundCone,
    /// Middle of its axis, m.
    middle: V3<f32>,
}

/// Whether a body is wood from this radius on, m.
pub(super) fn is_stout(tree: &Tree, id: BodyId, least: f32) -> bool {
    let (block, slot) = tree.slot(id);
    let size = block.sizes(slot).size;
    block.model(slot).kind() == BodyKind::Segment && size.y.max(size.z) >= least
}

/// Finds where members touch in a step of `h` s, and tells them.
pub(super) fn find(members: &mut [Member], contact: &ContactSettings, h: f32) -> Vec<Touch> {
    let mut stouts = Vec::new();
    for (i, member) in members.iter().enumerate() {
        stouts.extend(member.stout.iter().map(|&body| stout(i, member.tree, body)));
    }
    let mut met: Vec<(Met, usize, usize)> = Vec::new();
    for (o, other) in members.iter_mut().enumerate() {
        let falls = other.falls();
        // Of two that fall the one that comes first looks for the other.
        let looks = |s: &&Stout| s.member != o && (!falls || s.member < o);
        let tree = &*other.tree;
        let (reach, poses) = (tree.reach(), tree.poses());
        let near: Vec<(usize, Near)> = stouts
            .iter()
            .enumerate()
            .filter(|(_, s)| looks(s))
            .map(|(i, s)| (i, s.near(h)))
            .filter(|(_, near)| reach.whole_meets(poses, near))
            .collect();
        if near.is_empty() {
            continue;
        }
        let (reach, poses, _) = other.tree.for_search();
        for (i, near) in near {
            reach.search_stout(poses, contact.wood, &near, |found| {
                let frame =
                    poses.blocks[found.place.block as usize].frame(found.place.slot as usize);
                met.extend(stouts[i].meet(&found, &frame, h).map(|m| (m, i, o)));
            });
        }
    }
    // Stable: equal gaps stay in the order in which they were found.
    met.sort_by(|a, b| a.0.contacts[0].gap.total_cmp(&b.0.contacts[0].gap));
    let mut touches = Vec::new();
    for (met, i, o) in met {
        let pair = [stouts[i].member, o];
        let [first, second] = met.contacts;
        if met.deep {
            push_apart(members, pair, push_out(&first));
            continue;
        }
        if pair
            .iter()
            .any(|&m| members[m].tree.visit.meeting.len() >= MOST_TOUCHES)
        {
            continue;
        }
        if first.gap < 0.0 {
            push_apart(members, pair, push_out(&first));
        }
        let number = touches.len();
        let sides = [(pair[0], first), (pair[1], second)].map(|(member, contact)| {
            let meeting = &mut members[member].tree.visit.meeting;
            meeting.push(Contact {
                visitor: number,
                ..contact
            });
            Side {
                member,
                at: meeting.len() - 1,
            }
        });
        touches.push(Touch {
            sides,
            normal: first.normal.widen(),
            gap: first.gap.into(),
            impulse: V3::zero(),
            approach: 0.0,
        });
    }
    touches
}

fn stout(member: usize, tree: &Tree, body: BodyId) -> Stout {
    let place = tree.places[body.index()];
    let (block, slot) = (&tree.blocks[place.block as usize], place.slot as usize);
    let frame = block.frame(slot);
    let cone = Outline::of(&block.model(slot), &block.sizes(slot)).in_world(&frame);
    Stout {
        member,
        body,
        place,
        frame,
        cone,
        middle: cone.from + cone.axis * (0.5 * cone.length),
    }
}

/// A body that a branch meets: the contact as the branch and as the other sees it.
struct Met {
    contacts: [Contact; 2],
    deep: bool,
}

impl Stout {
    /// Everything that it may meet in `h` s.
    fn near(&self, h: f32) -> Near {
        let velocity = self.frame.velocity_of(self.middle - self.frame.position);
        let thick = self.cone.radius[0].max(self.cone.radius[1]);
        let turning = self.frame.angular_velocity.length() * 0.5 * self.cone.length;
        Near {
            centre: self.middle + velocity * (0.5 * h),
            radius: 0.5 * self.cone.length
                + thick
                + (0.5 * velocity.length() + turning + BODY_SPEED) * h
                + TOUCH,
        }
    }

    fn meet(&self, found: &Found, other: &Frame<f32>, h: f32) -> Option<Met> {
        let (at, radius) = nearest_along(&self.cone, |p| found.cone.nearest(p).distance);
        let nearest = found.cone.nearest(at);
        let thick = found.cone.radius[0].max(found.cone.radius[1]);
        let deep = nearest.distance < -DEEP * thick;
        let (normal, gap) = if deep {
            (found.cone.out_to(self.middle), nearest.distance)
        } else {
            (nearest.normal, nearest.distance - radius)
        };
        let point = at - nearest.normal * nearest.distance;
        let velocity_of = |frame: &Frame<f32>| frame.velocity_of(point - frame.position);
        let closer = (velocity_of(other) - velocity_of(&self.frame)).dot(normal) * h;
        let contact = |frame: &Frame<f32>, body, place, carried| Contact {
            visitor: 0,
            body,
            place,
            point,
            point_in_body: frame.rotation.conjugate().rotate(point - frame.position),
            carried,
            normal,
            gap,
        };
        (gap <= TOUCH.max(closer)).then(|| Met {
            contacts: [
                contact(&self.frame, self.body, self.place, 0.0),
                contact(other, found.id, found.place, found.carried),
            ],
            deep,
        })
    }
}

/// Moves the first of a pair by `push`, m; if both fall both by half of it, but none down: what is below may lie on the ground.
fn push_apart(members: &mut [Member], [first, second]: [usize; 2], push: V3<f32>) {
    if !members[second].falls() {
        members[first].make_room(push);
        return;
    }
    let (half, rise) = (push * 0.5, push.y.max(0.0));
    members[first].make_room(V3 { y: rise, ..half });
    members[second].make_room(V3 {
        y: rise - push.y,
        ..-half
    });
}

/// How a member answers.
struct Reply {
    ways: Ways,
    arms: Vec<V3<f64>>,
    /// Of its points, m/s.
    velocities: Vec<V3<f64>>,
    /// Whether touches change them.
    moves: bool,
}

impl Reply {
    /// How a point answers to a force at itself, (m/s)/N.
    fn own(&self, at: usize) -> Matrix3<f64> {
        if self.moves {
            self.ways.response[at * self.velocities.len() + at]
        } else {
            scaled(Matrix3::identity(), 0.0)
        }
    }

    /// All points after a force at one of them, N.
    fn take(&mut self, at: usize, force: V3<f64>) {
        if !self.moves {
            return;
        }
        let n = self.velocities.len();
        for (j, velocity) in self.velocities.iter_mut().enumerate() {
            *velocity += self.ways.response[at * n + j].apply(force);
        }
    }
}

/// Solves all touches of a step of `h` s that starts at `seconds`, between its ways up and down.
pub(super) fn answer(touches: &mut [Touch], members: &mut [Member], seconds: f64, h: f64) {
    if touches.is_empty() {
        return;
    }
    let mut replies: Vec<Reply> = members.iter_mut().map(|m| m.reply(seconds, h)).collect();
    for touch in &mut *touches {
        touch.approach = relative(touch, &replies).dot(touch.normal);
    }
    for _ in 0..ROUNDS {
        for touch in &mut *touches {
            solve_one(touch, &mut replies, h);
        }
    }
    for touch in &*touches {
        tell(touch, members, &replies, h);
    }
    for (i, (member, mut reply)) in members.iter_mut().zip(replies).enumerate() {
        if !reply.moves {
            continue;
        }
        let meeting = core::mem::take(&mut member.tree.visit.meeting);
        let impulses = meeting.iter().map(|c| {
            let touch = &touches[c.visitor];
            touch.on(usize::from(touch.sides[0].member != i))
        });
        let (arms, ways) = (&reply.arms, &mut reply.ways);
        member.tree.take_impulses(ways, &meeting, arms, impulses, h);
        member.tree.visit.meeting = meeting;
        member.tree.ways = reply.ways;
    }
}

impl Touch {
    /// What a side gets, N·s; of both the same to the last bit.
    fn on(&self, side: usize) -> V3<f32> {
        let impulse = self.impulse.narrow();
        if side == 0 { impulse } else { -impulse }
    }
}

impl Member<'_> {
    fn reply(&mut self, seconds: f64, h: f64) -> Reply {
        let mut ways = core::mem::take(&mut self.tree.ways);
        let meeting = &self.tree.visit.meeting;
        if let Some(risen) = self.turn.risen().filter(|_| !meeting.is_empty()) {
            let scheme = &risen.scheme;
            let foreseen = self.tree.foresee(&mut ways, meeting, scheme, seconds, h);
            return Reply {
                ways,
                arms: foreseen.arms,
                velocities: foreseen.velocities,
                moves: true,
            };
        }
        let velocity = |c: &Contact| {
            let block = &self.tree.blocks[c.place.block as usize];
            let frame = block.frame(c.place.slot as usize);
            let arm = frame.rotation.rotate(c.point_in_body);
            frame.velocity_of(arm).widen()
        };
        let lies = self.steps == 0;
        let velocities = meeting
            .iter()
            .map(|c| if lies { V3::zero() } else { velocity(c) });
        Reply {
            arms: Vec::new(),
            velocities: velocities.collect(),
            ways,
            moves: false,
        }
    }
}

/// u, m/s.
fn relative(touch: &Touch, replies: &[Reply]) -> V3<f64> {
    let [a, b] = touch.sides.map(|s| replies[s.member].velocities[s.at]);
    a - b
}

fn solve_one(touch: &mut Touch, replies: &mut [Reply], h: f64) {
    let [a, b] = touch.sides;
    let (first, second) = (replies[a.member].own(a.at), replies[b.member].own(b.at));
    let n = touch.normal;
    let answer = |v: V3<f64>| (first.apply(v) + second.apply(v)) * (1.0 / h);
    let along = n.dot(answer(n));
    let trace = |m: &Matrix3<f64>| m.x.x + m.y.y + m.z.z;
    let across = (trace(&first) + trace(&second)) / h - along;
    let before = touch.impulse;
    let u = relative(touch, replies);
    let bound = -touch.gap.max(0.0) / h;
    let pressed = (before.dot(n) - (u.dot(n) - bound) / along.max(1e-12)).max(0.0);
    let sliding = u - n * u.dot(n);
    let held = before - n * before.dot(n) - sliding * (1.0 / across.max(1e-12));
    let (size, most) = (held.length(), FRICTION * pressed);
    let held = if size > most {
        held * (most / size)
    } else {
        held
    };
    touch.impulse = n * pressed + held;
    let force = (touch.impulse - before) * (1.0 / h);
    replies[a.member].take(a.at, force);
    replies[b.member].take(b.at, -force);
}

/// Notes what a touch did besides its impulse.
fn tell(touch: &Touch, members: &mut [Member], replies: &[Reply], h: f64) {
    if touch.impulse.dot(touch.impulse) == 0.0 {
        return;
    }
    let [a, b] = touch.sides;
    let names = [a, b].map(|s| members[s.member].support(s.at));
    for (side, other) in [(a, 1), (b, 0)] {
        let member = &mut members[side.member];
        if member.falls() {
            member.touched.push(names[other]);
        }
    }
    for (i, side) in [a, b].into_iter().enumerate() {
        let member = &mut members[side.member];
        let contact = member.tree.visit.meeting[side.at];
        member.struck |= touch.approach < -WAKING;
        if touch.approach < -f64::from(STROKE) && member.steps > 0 {
            member.tree.visit.strokes.push(Stroke {
                contact,
                impulse: touch.on(i),
                velocity: (touch.normal * touch.approach).narrow(),
            });
        }
        let rooted = !replies[side.member].moves && member.steps > 0;
        if rooted {
            // As much as a penalty could be.
            let most = member.tree.most_mass(&contact) * (-touch.approach).max(0.0) as f32;
            let impulse = touch.on(i);
            let share = (most / impulse.length()).min(1.0);
            let force = impulse * (share / h as f32);
            let load = Load::force(contact.body, contact.point_in_body.into(), force.into());
            member.reactions.push(load);
        }
    }
}
