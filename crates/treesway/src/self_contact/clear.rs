//! Algorithm 1, pair by pair: responses first, then first times, then the pose of before.

use super::SelfContact;
use super::detect::Meeting;
use super::push::Partings;
use crate::analytic::spring::JointState;
use crate::desc::BodyId;
use crate::elements::{BladeBend, Part};
use crate::math::V3;
use crate::report::StepReport;
use crate::step::Stopwatch;
use crate::tree::Tree;

/// Rounds in which joints may still go a part of their way before they are stopped.
const SHORTENED: u32 = 4;

/// Rounds before the whole tree is stopped: each stops at least one joint more, and few need more than three.
const ROUNDS: u32 = 60;

/// Of the time to a contact, what joints go.
const SHORT_OF: f64 = 0.8;

/// Share of what a joint was pushed by in the last frame that it is pushed by from the start: contacts last.
const LASTS: f64 = 0.9;

/// A push below this is none, rad.
const LEAST_PUSH: f64 = 1e-6;

/// What becomes of the joints of a tree in a frame, and of blades.
pub(super) struct Ends {
    /// Where a joint would go, rad.
    pub(super) wanted: Vec<V3<f64>>,
    /// How blades would be bent; empty where they do not bend.
    bend: Vec<BladeBend>,
    /// How much of its way it goes.
    share: Vec<f64>,
    /// Whether a contact has changed either.
    pub(super) touched: Vec<bool>,
}

impl Tree {
    /// After the last step of a frame: no part of the tree passes through another.
    pub(crate) fn keep_apart(&mut self) -> StepReport {
        let Some(mut own) = self.self_contact.take() else {
            return StepReport::default();
        };
        let mut watch = Stopwatch::start();
        let mut report = own.clear(self);
        report.times.contact = watch.lap();
        self.self_contact = Some(own);
        report
    }
}

impl SelfContact {
    fn clear(&mut self, tree: &mut Tree) -> StepReport {
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
            bend: tree.blade_bend.clone(),
            share: vec![1.0; n],
            touched: vec![false; n],
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
        let mut partings = Partings::default();
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
                partings.meet(&met);
                self.respond(tree, &settings, &mut partings, &mut ends);
            } else {
                report.returned += self.hold_back(&met, &mut ends, round - settings.responses);
            }
            self.apply(tree, &mut ends, &expected);
            round += 1;
        }
        if ends.touched.contains(&true) {
            // From where they have got to, and not from where they were to go: what is held back does not wind up.
            let pushes = expected.iter().zip(tree.ids()).map(|(free, id)| {
                let (block, slot) = tree.slot(id);
                block.joint(slot).theta.widen() - free.theta.widen()
            });
            tree.contact_push = pushes.collect();
        }
        self.finish(tree, &ends, &expected);
        report
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
            // A blade bends as much of its way as its leaf goes.
            if let (Some(from), Some(to)) = (self.start_bend.get(j), ends.bend.get(j)) {
                tree.blade_bend[j] = from.towards(*to, ends.share[j] as f32);
            }
        }
        tree.propagate(tree.isa);
    }

    /// What was touched has no bounce: against the way it was pushed it stops, and being pushed gives it no speed. With the speed at which a push moved it, what is caught
    /// between others would be thrown from one to the other.
    fn finish(&self, tree: &mut Tree, ends: &Ends, expected: &[JointState<f32>]) {
        if !ends.touched.contains(&true) {
            return;
        }
        for j in (0..ends.touched.len()).filter(|&j| ends.touched[j]) {
            let (block, slot) = tree.slot_mut(BodyId(j as u32));
            let theta = block.joint(slot).theta;
            let push = theta.widen() - expected[j].theta.widen();
            let rate = expected[j].rate.widen();
            let against = rate.dot(push).min(0.0) / push.dot(push).max(f64::MIN_POSITIVE);
            let joint = JointState {
                theta,
                rate: (rate - push * against).narrow(),
                accel: V3::zero(),
            };
            block.set_joint(slot, joint);
        }
        tree.wake();
        tree.propagate(tree.isa);
    }
}
