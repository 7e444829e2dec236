//! Algorithm 1, pair by pair: responses first, then first times, then the pose of before.

use super::push::{Held, Partings};
use super::way::Meeting;
use super::{SelfContact, joints};
use crate::analytic::spring::JointState;
use crate::desc::BodyId;
use crate::elements::{BladeBend, Part};
use crate::math::{Quaternion, V3};
use crate::params::Solver;
use crate::report::StepReport;
use crate::stems::held_within;
use crate::step::Stopwatch;
use crate::tree::Tree;
use glam::Vec3;

/// Rounds in which joints may still go a part of their way before they are stopped.
const SHORTENED: u32 = 4;

/// Rounds before the whole tree is stopped: each stops at least one joint more, and few need more than three.
const ROUNDS: u32 = 60;

/// Of the time to a contact, what joints go.
const SHORT_OF: f64 = 0.8;

/// A push below this is none, rad.
const LEAST_PUSH: f64 = 1e-6;

/// What becomes of the joints of a tree in a frame, and of blades.
pub(super) struct Ends {
    /// Where a joint would go, rad.
    pub(super) wanted: Vec<V3<f64>>,
    /// Where it would go if neither contacts nor its limit held it, rad.
    pub(super) free: Vec<V3<f64>>,
    /// D: by how much it turns in a step for a torque, rad/(N·m), by component of θ; empty while nothing was touched.
    pub(super) gives: Vec<V3<f64>>,
    /// Whether D turns with what the joint carries: it is then by component in the frame halfway to the body.
    turns_along: bool,
    /// How blades would be bent; empty where they do not bend.
    bend: Vec<BladeBend>,
    /// How much of its way it goes.
    share: Vec<f64>,
    /// Whether a contact has changed either.
    pub(super) touched: Vec<bool>,
}

impl Ends {
    /// By how much a joint is pushed from where it would go, rad.
    pub(super) fn push(&self, joint: usize) -> V3<f64> {
        self.wanted[joint] - self.free[joint]
    }

    /// By how much a torque turns a joint in a step, rad, by component of θ.
    pub(super) fn turn(&self, joint: usize, torque: V3<f64>) -> V3<f64> {
        let gives = self.gives[joint];
        if !self.turns_along {
            return torque.times(gives);
        }
        let half = Quaternion::from_joint_angle(self.wanted[joint] * 0.5);
        half.rotate(half.conjugate().rotate(torque).times(gives))
    }

    /// Adds a stiffness to a joint that comes from `start`, N·m/rad, by component of θ.
    pub(super) fn stiffen(&mut self, joint: usize, more: V3<f64>, start: V3<f64>) {
        let one = |gives: f64, more: f64| 1.0 / (1.0 + gives * more);
        let gives = self.gives[joint];
        let share = V3 {
            x: one(gives.x, more.x),
            y: one(gives.y, more.y),
            z: one(gives.z, more.z),
        };
        self.gives[joint] = gives.times(share);
        self.free[joint] = start + (self.free[joint] - start).times(share);
    }
}

impl Tree {
    /// After the last step of a frame under `gravity`, m/s²: no part of the tree passes through another.
    pub(crate) fn keep_apart(&mut self, gravity: Vec3) -> StepReport {
        let Some(mut own) = self.self_contact.take() else {
            return StepReport::default();
        };
        let mut watch = Stopwatch::start();
        let mut report = own.clear(self, gravity);
        report.times.contact = watch.lap();
        self.self_contact = Some(own);
        report
    }
}

impl SelfContact {
    fn clear(&mut self, tree: &mut Tree, gravity: Vec3) -> StepReport {
        let settings = tree.settings.self_contact.clone();
        let gap = f64::from(settings.gap);
        let expected: Vec<JointState<f32>> = tree
            .ids()
            .map(|id| {
                let (block, slot) = tree.slot(id);
                block.joint(slot)
            })
            .collect();
        let mut ends = self.free_ends(tree, &expected);
        let mut held = core::mem::take(&mut tree.held);
        if settings.force > 0.0 {
            // As printed nothing lasts.
            held = Held::default();
        }
        for (j, push) in held.push.iter().enumerate() {
            if push.length() > LEAST_PUSH {
                // Where it was clean: what is held goes from there as far as it may.
                ends.wanted[j] = self.start[j].theta.widen();
                ends.touched[j] = true;
            }
        }
        if !held.push.is_empty() {
            ends.gives = self.gives(tree);
            self.apply(tree, &mut ends, &expected);
        }
        let mut report = StepReport::default();
        let (mut groups, mut met, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let mut partings = Partings::of(&held);
        // What was held in the last frame is held as much as is needed in this one, and let go of where nothing holds it any more.
        let mut held_before = !partings.is_empty() || ends.touched.contains(&true);
        let (mut round, mut touching) = (0, 0);
        loop {
            self.sweep.set_end(tree, &self.joints, gap);
            self.joints.groups(&ends.share, &mut groups);
            let joints = &self.joints;
            let rigid = |a: Part, b: Part| groups[joints.body_of(a)] == groups[joints.body_of(b)];
            self.sweep.meetings(joints, gap, rigid, &met, &mut found);
            core::mem::swap(&mut met, &mut found);
            report.pairs_looked_at += self.sweep.looked_at() as u64;
            let first = core::mem::take(&mut held_before);
            if met.is_empty() && !first {
                break;
            }
            report.contact_rounds += 1;
            if round == 0 {
                touching = met.len();
            }
            if ends.gives.is_empty() {
                ends.gives = self.gives(tree);
            }
            if round < settings.responses {
                self.respond(tree, &settings, &met, &mut partings, &mut ends, first);
            } else {
                report.returned += self.hold_back(&met, &mut ends, round - settings.responses);
            }
            self.apply(tree, &mut ends, &expected);
            round += 1;
        }
        report.touching += touching.max(partings.pressing()) as u64;
        if ends.touched.contains(&true) {
            // From where they have got to, and not from where they were to go: what is held back does not wind up.
            let pushes = tree.ids().map(|id| {
                let (block, slot) = tree.slot(id);
                match ends.touched[id.index()] {
                    true => block.joint(slot).theta.widen() - ends.free[id.index()],
                    false => V3::zero(),
                }
            });
            let pushes = pushes.collect();
            let loads = match tree.feels_contacts() {
                true => self.loads(tree, &mut partings),
                false => Vec::new(),
            };
            tree.held = partings.into_held(pushes, loads);
        }
        self.stop(tree, &ends, &expected, gravity);
        report
    }

    /// Where joints go if nothing meets.
    fn free_ends(&self, tree: &Tree, expected: &[JointState<f32>]) -> Ends {
        let wanted: Vec<V3<f64>> = expected.iter().map(|j| j.theta.widen()).collect();
        let free = if tree.settings.solver == Solver::Contact {
            let steps = tree.stem_steps.iter();
            let free = wanted.iter().zip(steps);
            free.map(|(at, step)| *at + step.beyond).collect()
        } else {
            wanted.clone()
        };
        Ends {
            free,
            gives: Vec::new(),
            turns_along: tree.feels_contacts(),
            bend: tree.blade_bend.clone(),
            share: vec![1.0; wanted.len()],
            touched: vec![false; wanted.len()],
            wanted,
        }
    }

    /// D of all joints in the step that the solver has taken, rad/(N·m), by component of θ.
    fn gives(&self, tree: &Tree) -> Vec<V3<f64>> {
        if tree.settings.solver == Solver::Contact {
            tree.stem_steps.iter().map(|step| step.gives).collect()
        } else {
            joints::gives(tree, self.frame_secs, tree.feels_contacts())
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
            if ends.wanted[j].length() > most {
                ends.wanted[j] = held_within(ends.wanted[j], ends.gives[j], most);
            }
            let start = self.start[j].theta.widen();
            let theta = if ends.share[j] == 0.0 {
                self.start[j].theta
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
}
