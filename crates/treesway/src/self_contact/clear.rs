//! Algorithm 1, pair by pair: responses first, then first times, then the pose of before.

use super::detect::Meeting;
use super::joints::Pose;
use super::response::{self, BladeMotion, Sides};
use super::{ResponseDirections, SelfContact, SelfContactSettings};
use crate::analytic::spring::JointState;
use crate::desc::{BodyId, BodyKind};
use crate::elements::Part;
use crate::math::{Quaternion, V3};
use crate::report::StepReport;
use crate::step::Stopwatch;
use crate::tree::Tree;

/// Rounds in which joints may still go a part of their way before they are stopped.
const SHORTENED: u32 = 4;

/// Rounds before the whole tree is stopped: each stops at least one joint more, and few need more than three.
const ROUNDS: u32 = 60;

/// Of the time to a contact, what joints go.
const SHORT_OF: f64 = 0.8;

/// A response leads beyond the gap by this share of it, so that the next frame does not begin with a contact.
const BEYOND: f64 = 0.25;

/// Most that one response turns a joint, rad.
const MOST_TURN: f64 = 0.2;

/// Joints that would part a pair by less than this share of what the best one does stay as they are: what hangs on them need not be looked at again.
const SMALL: f64 = 0.02;

/// Share of what a joint was pushed by in the last frame that it is pushed by from the start: contacts last.
const LASTS: f64 = 0.9;

/// A push below this is none, rad.
const LEAST_PUSH: f64 = 1e-6;

/// More than so many stems of a branch on one side of a leaf tell on which side the branch is.
const SIDE: usize = 1;

/// What becomes of the joints of a tree in a frame.
struct Ends {
    /// Where a joint would go, rad.
    wanted: Vec<V3<f64>>,
    /// How much of its way it goes.
    share: Vec<f64>,
    /// Whether a contact has changed either.
    touched: Vec<bool>,
    /// Sum of responses, rad, in the frame of the joint, and how many.
    turn: Vec<(V3<f64>, u32)>,
}

impl Tree {
    /// After the last step of a frame: no part of the tree passes through another.
    pub(crate) fn keep_apart(&mut self, frame_secs: f64) -> StepReport {
        let Some(mut own) = self.self_contact.take() else {
            return StepReport::default();
        };
        let mut watch = Stopwatch::start();
        let mut report = own.clear(self, frame_secs);
        report.times.contact = watch.lap();
        self.self_contact = Some(own);
        report
    }
}

impl SelfContact {
    fn clear(&mut self, tree: &mut Tree, frame_secs: f64) -> StepReport {
        let settings = tree.settings.self_contact.clone();
        let gap = f64::from(settings.gap);
        let n = tree.len();
        let expected: Vec<JointState<f32>> = tree
            .ids()
            .map(|id| {
                let (block, slot) = tree.slot(id);
                block.joint(slot)
            })
            .collect();
        let mut ends = Ends {
            wanted: expected.iter().map(|j| j.theta.widen()).collect(),
            share: vec![1.0; n],
            touched: vec![false; n],
            turn: vec![(V3::zero(), 0); n],
        };
        let pushed = core::mem::take(&mut tree.contact_push);
        for (j, push) in pushed.iter().enumerate() {
            if push.length() > LEAST_PUSH {
                ends.wanted[j] += *push * LASTS;
                ends.touched[j] = true;
            }
        }
        if !pushed.is_empty() {
            self.apply(tree, &mut ends, &expected);
        }
        let mut report = StepReport::default();
        let (mut groups, mut met, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let mut round = 0;
        loop {
            self.sweep.set_end(tree, gap);
            self.joints.groups(&ends.share, &mut groups);
            let joints = &self.joints;
            let rigid = |a: Part, b: Part| groups[joints.body_of(a)] == groups[joints.body_of(b)];
            self.sweep.meetings(gap, rigid, &met, &mut found);
            core::mem::swap(&mut met, &mut found);
            report.pairs_looked_at += self.sweep.looked_at() as u64;
            if met.is_empty() {
                break;
            }
            report.contact_rounds += 1;
            if round == 0 {
                report.touching += met.len() as u64;
            }
            if round < settings.responses {
                self.respond(tree, &settings, &met, &mut ends);
            } else {
                report.returned += self.hold_back(&met, &mut ends, round - settings.responses);
            }
            self.apply(tree, &mut ends, &expected);
            round += 1;
        }
        if ends.touched.contains(&true) {
            let end = ends.wanted.iter().zip(&expected);
            tree.contact_push = end.map(|(to, free)| *to - free.theta.widen()).collect();
        }
        self.finish(tree, &ends, frame_secs);
        report
    }

    /// Pushes what meets apart.
    fn respond(
        &self,
        tree: &Tree,
        settings: &SelfContactSettings,
        met: &[Meeting],
        ends: &mut Ends,
    ) {
        let gap = f64::from(settings.gap);
        let mut ways = [Vec::new(), Vec::new()];
        for m in met {
            let bodies = m.parts.map(|p| self.joints.body_of(p));
            self.joints.between(bodies[0], bodies[1], &mut ways);
            let Some(n) = response::apart(m.contact.near.on) else {
                continue;
            };
            let along = self.direction(tree, settings.directions, m, n);
            // The two points at the end, and by how much they lack.
            let [p, q] = [0, 1].map(|k| self.at_end(m, k));
            let radius = [0, 1].map(|k| self.radius_at(m, k)).iter().sum::<f64>();
            let reached = (q - p).dot(n) - radius;
            let lack = ((1.0 + BEYOND) * gap - reached).max(BEYOND * gap);
            // What a force of 1 N along `along` on both would bring.
            let pose = Pose(tree);
            let (mut gain, mut most) = (0.0, 0.0_f64);
            for (k, (point, sign)) in [(p, -1.0), (q, 1.0)].into_iter().enumerate() {
                let at = self.acts_at(m.parts[k], point);
                for &j in &ways[k] {
                    let joint = pose.joint(j);
                    let turn = (at - joint).cross(along * sign) * self.joints.give[j];
                    let part = turn.cross(point - joint).dot(n * sign);
                    most = most.max(part);
                    gain += part;
                }
            }
            if gain <= 0.0 {
                continue;
            }
            let force = if settings.force > 0.0 {
                f64::from(settings.force)
            } else {
                lack / gain
            };
            for (k, (point, sign)) in [(p, -1.0), (q, 1.0)].into_iter().enumerate() {
                let at = self.acts_at(m.parts[k], point);
                for &j in &ways[k] {
                    let joint = pose.joint(j);
                    let turn = (at - joint).cross(along * sign) * self.joints.give[j];
                    if turn.cross(point - joint).dot(n * sign) < SMALL * most {
                        continue;
                    }
                    let turn = turn * force;
                    let (sum, count) = &mut ends.turn[j];
                    *sum += pose.in_joint(j, turn);
                    *count += 1;
                }
            }
        }
        for (j, (sum, count)) in ends.turn.iter_mut().enumerate() {
            if *count > 0 {
                let mut turn = *sum * (1.0 / f64::from(*count).sqrt());
                let size = turn.length();
                if size > MOST_TURN {
                    turn = turn * (MOST_TURN / size);
                }
                let now = Quaternion::from_rotation_vector(ends.wanted[j]);
                let by = Quaternion::from_rotation_vector(turn);
                ends.wanted[j] = by.times(now).unit().rotation_vector();
                ends.touched[j] = true;
                (*sum, *count) = (V3::zero(), 0);
            }
        }
    }

    /// Lets the joints between two that meet go only as far as their first time; returns how many are stopped altogether by now.
    fn hold_back(&self, met: &[Meeting], ends: &mut Ends, round: u32) -> u64 {
        if round >= ROUNDS {
            let stopped = ends.share.iter().filter(|&&s| s > 0.0).count();
            ends.share.fill(0.0);
            ends.touched.fill(true);
            return stopped as u64;
        }
        let mut ways = [Vec::new(), Vec::new()];
        let mut stopped = 0;
        for m in met {
            let bodies = m.parts.map(|p| self.joints.body_of(p));
            self.joints.between(bodies[0], bodies[1], &mut ways);
            let factor = if round < SHORTENED {
                SHORT_OF * m.contact.time
            } else {
                0.0
            };
            for &j in ways.iter().flatten() {
                let share = &mut ends.share[j];
                if *share > 0.0 {
                    *share *= factor;
                    if *share < 0.02 {
                        *share = 0.0;
                        stopped += 1;
                    }
                    ends.touched[j] = true;
                }
            }
        }
        stopped
    }

    /// Moves the tree to where its joints are to end now.
    fn apply(&self, tree: &mut Tree, ends: &mut Ends, expected: &[JointState<f32>]) {
        let most = f64::from(tree.settings.limits.angle);
        for j in (0..ends.touched.len()).filter(|&j| ends.touched[j]) {
            let size = ends.wanted[j].length();
            if size > most {
                ends.wanted[j] = ends.wanted[j] * (most / size);
            }
            let start = self.start[j].widen();
            let theta = if ends.share[j] == 0.0 {
                self.start[j]
            } else {
                (start + (ends.wanted[j] - start) * ends.share[j]).narrow()
            };
            let (block, slot) = tree.slot_mut(BodyId(j as u32));
            block.set_joint(
                slot,
                JointState {
                    theta,
                    ..expected[j]
                },
            );
        }
        tree.propagate(tree.isa);
    }

    /// What was touched moves on as fast as it got there: it has no bounce, and loses what it would have gone through the other with.
    fn finish(&self, tree: &mut Tree, ends: &Ends, frame_secs: f64) {
        if !ends.touched.contains(&true) {
            return;
        }
        let most = f64::from(tree.settings.limits.rate);
        for j in (0..ends.touched.len()).filter(|&j| ends.touched[j]) {
            let (block, slot) = tree.slot_mut(BodyId(j as u32));
            let theta = block.joint(slot).theta;
            let mut rate = (theta.widen() - self.start[j].widen()) * (1.0 / frame_secs);
            let size = rate.length();
            if size > most {
                rate = rate * (most / size);
            }
            let joint = JointState {
                theta,
                rate: rate.narrow(),
                accel: V3::zero(),
            };
            block.set_joint(slot, joint);
        }
        tree.wake();
        tree.propagate(tree.isa);
    }

    /// A point that meets, where it is at the end, m.
    fn at_end(&self, m: &Meeting, k: usize) -> V3<f64> {
        let weights = m.contact.near.weights[k];
        let corners = m.corners[k];
        (0..3).fold(V3::zero(), |sum, i| {
            sum + self.sweep.end[corners[i]] * weights[i]
        })
    }

    fn radius_at(&self, m: &Meeting, k: usize) -> f64 {
        let part = m.parts[k];
        if part.is_blade() {
            return 0.0;
        }
        let [from, to] = self.sweep.elements.radius(part.element());
        let [u, w, _] = m.contact.near.weights[k];
        from * u + to * w
    }

    /// Where a force on a part acts: on a leaf, on its midrib.
    fn acts_at(&self, part: Part, point: V3<f64>) -> V3<f64> {
        if !part.is_blade() {
            return point;
        }
        let first = self.sweep.elements.points_of(part.element()).start;
        let [base, tip] = [1, 2].map(|k| self.sweep.end[first + k]);
        let rib = tip - base;
        let along = (point - base).dot(rib) / rib.dot(rib).max(f64::MIN_POSITIVE);
        base + rib * along.clamp(0.0, 1.0)
    }

    /// Direction of the force on the second of two that meet; that of the nearest points where the case gives none that parts them.
    fn direction(
        &self,
        tree: &Tree,
        directions: ResponseDirections,
        m: &Meeting,
        n: V3<f64>,
    ) -> V3<f64> {
        if directions == ResponseDirections::Nearest {
            return n;
        }
        let wood = |p: Part| self.sweep.elements.kind(p.element()) == BodyKind::Segment;
        let [a, b] = m.parts;
        let case = match (a.is_blade(), b.is_blade()) {
            (true, true) => response::blades(&self.blade(a), &self.blade(b)),
            (true, false) if wood(b) => self.off_branch(tree, a, b).map(|leaf| -leaf),
            (false, true) if wood(a) => self.off_branch(tree, b, a),
            _ => None,
        };
        case.filter(|d| d.dot(n) > 0.2).unwrap_or(n)
    }

    /// Direction of the force on a leaf off the branch of a stem.
    fn off_branch(&self, tree: &Tree, leaf: Part, stem: Part) -> Option<V3<f64>> {
        let elements = &self.sweep.elements;
        let blade = self.blade(leaf);
        let branch = tree.body(BodyId(stem.element() as u32)).branch;
        let mut sides = Sides::default();
        for e in 0..elements.len() {
            let wood = elements.kind(e) == BodyKind::Segment;
            if wood && tree.body(BodyId(e as u32)).branch == branch {
                let first = elements.points_of(e).start;
                let middle = (self.sweep.start[first] + self.sweep.start[first + 1]) * 0.5;
                if (middle - blade.middle).dot(blade.normal) > 0.0 {
                    sides.above += 1;
                } else {
                    sides.below += 1;
                }
            }
        }
        response::by_side(sides, SIDE, blade.normal)
    }

    fn blade(&self, part: Part) -> BladeMotion {
        let elements = &self.sweep.elements;
        let points = elements.points_of(part.element());
        let (first, n) = (points.start, points.len() as f64 - 1.0);
        let own = points.start + 1..points.end;
        let mean = |pose: &[V3<f64>]| own.clone().fold(V3::zero(), |s, p| s + pose[p]) * (1.0 / n);
        let corners = elements.blade_corners().iter();
        let area = corners.fold(0.0, |sum, t| {
            let [a, b, c] = t.map(|k| self.sweep.start[first + k]);
            sum + 0.5 * (b - a).cross(c - a).length()
        });
        let middle = mean(&self.sweep.start);
        BladeMotion {
            middle,
            way: mean(&self.sweep.end) - middle,
            normal: elements.leaf_normal(&self.sweep.start, part.element()),
            area,
        }
    }
}
