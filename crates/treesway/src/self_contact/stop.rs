//! What was touched has no bounce: against the way it was pushed it stops, and being pushed gives it no speed. With the speed at which a push moved it, what is caught
//! between others would be thrown from one to the other.
//!
//! Where every joint swings by itself, its rate against the push is taken away, and what is left is no more than the rate at which it went in the frame: what is held where it is has none. That of a joint of the solver `contact` is changed the way the torque does that has moved it by as much in
//! the step, and by no more than that does: it changes rates about axes that yield to it quickly more than about others, and what is held where it is has no rate left. In a tree whose joints move each other that would bring energy in: a twig that swings against its
//! branch is slower than it, and stopped on it would be taken along for nothing. There the stops are impulses in the touched joints, which all others feel: of all rates q̇ that do not go
//! against a push, those nearest to the expected ones q̇* by their kinetic energy,
//!
//!   ½ (q̇ − q̇*)ᵀ M (q̇ − q̇*) → least,   q̇ · n = 0 in joints that went against their push along n,                   (e)
//!
//! which have no more of it than q̇*, since q̇ = 0 is among those allowed. Joints that went less far than they were fast keep as much as they went by, which this does not bound: what is below does. It is found in one way up and one down, like accelerations
//! ([`crate::coupled::articulated`]), with a joint that stops as a very stiff one.
//!
//! Pushes also bend springs and lift weight. What a frame ends with is no more than what it began with or would have ended with untouched, whichever is more: the rest is taken from the
//! speed of the tree and, where that is not enough, from the way it goes. Of trees whose energy is that of their swings alone (`contact`, `particles`) nothing is asked: each of their
//! joints is by itself, and gravity no part of it.

use super::SelfContact;
use super::clear::Ends;
use super::joints::Pose;
use crate::analytic::spring::JointState;
use crate::coupled::articulated::{Articulated, Hinge};
use crate::desc::BodyId;
use crate::energy::Energy;
use crate::math::{Sym3, V3};
use crate::params::Solver;
use crate::root::RootKind;
use crate::tree::Tree;
use glam::Vec3;

/// A joint that stops is so many times as stiff, as an inertia, as what it carries: what is left of its rate is as many times less.
const STIFF: f64 = 1e6;

/// What a leaf that touches something keeps of its rate in a frame where the step feels contacts, which it does late: a leaf that twists easily would swing against what it leans on for ever.
const RUBBED: f64 = 0.2;

/// So often ways are halved to find how far they may lead.
const HALVED: usize = 8;

/// What becomes of the rate of a joint.
#[derive(Clone, Copy)]
struct Stop {
    /// What it loses of it, rad/s.
    lost: V3<f64>,
    /// Whether what is left is all it has, however others stop.
    held: bool,
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            lost: V3::zero(),
            held: false,
        }
    }
}

impl SelfContact {
    /// Rates of a tree that was moved from where it was `expected`, under `gravity`, m/s².
    pub(super) fn stop(
        &self,
        tree: &mut Tree,
        ends: &Ends,
        expected: &[JointState<f32>],
        gravity: Vec3,
    ) {
        if !ends.touched.contains(&true) {
            return;
        }
        let solver = tree.settings.solver;
        let coupled = matches!(solver, Solver::Coupled | Solver::Explicit);
        let mut reached: Vec<V3<f32>> = tree.ids().map(|id| joint(tree, id).theta).collect();
        let allowed = (coupled || solver == Solver::Analytic).then(|| {
            set_all(tree, |j| expected[j]);
            let untouched = tree.energy(gravity).total() - self.work_of_felt(tree);
            set_all(tree, |j| self.start[j]);
            untouched.max(tree.energy(gravity).total())
        });
        if let Some(allowed) = allowed {
            self.go_no_further(tree, &mut reached, allowed, gravity);
        }
        let stops: Vec<Stop> = (0..reached.len())
            .map(|j| {
                if !ends.touched[j] {
                    return Stop::default();
                }
                let push = reached[j].widen() - ends.free[j];
                let rate = expected[j].rate.widen();
                if solver == Solver::Contact {
                    return Stop {
                        lost: rate - stopped(tree, j, ends.gives[j], rate, push),
                        held: false,
                    };
                }
                let against = rate.dot(push).min(0.0);
                let left = rate - push * (against / push.dot(push).max(f64::MIN_POSITIVE));
                // It is no faster than it went: what is held where it is has no rate left, about other axes either.
                let way = (reached[j].widen() - self.start[j].theta.widen()).length();
                let share = way / (left.length() * self.frame_secs).max(f64::MIN_POSITIVE);
                let rubs = tree.feels_contacts() && self.joints.is_leaf(j);
                let kept = share.min(1.0) * if rubs { RUBBED } else { 1.0 };
                Stop {
                    lost: rate - left * kept,
                    held: kept < 1.0,
                }
            })
            .collect();
        set_all(tree, |j| JointState {
            theta: reached[j],
            rate: expected[j].rate,
            accel: match ends.touched[j] {
                true => V3::zero(),
                false => expected[j].accel,
            },
        });
        let changes = match coupled {
            true => self.impulses(tree, &stops),
            false => stops.iter().map(|stop| -stop.lost).collect(),
        };
        let slowed = |tree: &Tree, change: &dyn Fn(usize, V3<f64>) -> V3<f64>| {
            let all = tree.ids().map(|id| {
                let own = joint(tree, id);
                JointState {
                    rate: change(id.index(), own.rate.widen()).narrow(),
                    ..own
                }
            });
            all.collect::<Vec<_>>()
        };
        let slower = slowed(tree, &|j, rate| rate + changes[j]);
        set_all(tree, |j| slower[j]);
        if let Some(allowed) = allowed {
            let energy = tree.energy(gravity);
            let left = (allowed - at_rest(&energy)).max(0.0);
            if energy.kinetic > left {
                let slower = slowed(tree, &|_, rate| rate * (left / energy.kinetic).sqrt());
                set_all(tree, |j| slower[j]);
            }
        }
        tree.wake();
    }

    /// What contacts that the step has felt have brought by where the tree is now, J, each by itself: one that takes energy does not pay for another.
    fn work_of_felt(&self, tree: &Tree) -> f64 {
        let works = self.felt.iter().map(|(loads, from)| {
            let one = |k: usize| {
                let way = tree.acted_on_at(&loads[k]) - from[k];
                V3::from(loads[k].force).widen().dot(way)
            };
            (one(0) + one(1)).max(0.0)
        });
        works.sum()
    }

    /// Lets all joints go only as much of their ways from the start as springs and weight take of `allowed` J: these ways are clean, and at the start they took no more.
    fn go_no_further(&self, tree: &mut Tree, reached: &mut [V3<f32>], allowed: f64, gravity: Vec3) {
        let to = |j: usize, share: f64| {
            let (from, to) = (self.start[j].theta.widen(), reached[j].widen());
            (from + (to - from) * share).narrow()
        };
        let mut taken = |share: f64| {
            set_all(tree, |j| JointState {
                theta: to(j, share),
                ..self.start[j]
            });
            at_rest(&tree.energy(gravity))
        };
        if taken(1.0) <= allowed {
            return;
        }
        let [mut low, mut high] = [0.0, 1.0];
        for _ in 0..HALVED {
            let middle = 0.5 * (low + high);
            if taken(middle) <= allowed {
                low = middle;
            } else {
                high = middle;
            }
        }
        let shortened: Vec<V3<f32>> = (0..reached.len()).map(|j| to(j, low)).collect();
        reached.copy_from_slice(&shortened);
    }

    /// (e): by how much all rates change, rad/s, joint frames, where each joint loses the rate `stops` of it.
    fn impulses(&self, tree: &Tree, stops: &[Stop]) -> Vec<V3<f64>> {
        let pose = Pose(tree);
        let n = stops.len();
        let mut carried = vec![Articulated::<f64>::nothing(); n];
        let mut hinges: Vec<Option<Hinge<f64>>> = vec![None; n];
        let arm = |j: usize| match self.joints.parent(j) {
            u32::MAX => V3::zero(),
            parent => pose.joint(j) - pose.joint(parent as usize),
        };
        for j in (0..n).rev() {
            let id = BodyId(j as u32);
            let parent = self.joints.parent(j);
            let turns = parent != u32::MAX || tree.root == RootKind::Clamped;
            if !tree.is_attached(id) || !turns {
                continue;
            }
            let (block, slot) = tree.slot(id);
            let (model, frame) = (block.model(slot), block.frame(slot));
            let axes = frame.rotation.widen().unit().matrix();
            let mass = f64::from(model.mass);
            let zero = V3::zero();
            let own = Articulated::rigid(
                mass,
                axes.z * (mass * f64::from(model.com_z)),
                Sym3::rotated_diagonal(axes, model.inertia.widen()),
                zero,
                zero,
            );
            let whole = own.joined(&carried[j]);
            let stop = pose.world_from_joint(j).rotate(stops[j].lost);
            let square = stop.dot(stop);
            let stiff = STIFF * whole.a.trace();
            let d = if stops[j].held {
                Sym3::diagonal(V3::splat(stiff))
            } else if square.is_normal() {
                Sym3::outer(stop, stiff / square)
            } else {
                Sym3::zero()
            };
            let (behind, hinge) = whole.behind_joint(d, d.apply(-stop));
            hinges[j] = Some(hinge);
            if parent != u32::MAX {
                let at = &mut carried[parent as usize];
                *at = at.joined(&behind.shifted(arm(j)));
            }
        }
        let mut motions = vec![[V3::zero(); 2]; n];
        let mut changes = vec![V3::zero(); n];
        for j in 0..n {
            let Some(hinge) = &hinges[j] else {
                continue;
            };
            let [spin, speed] = match self.joints.parent(j) {
                u32::MAX => [V3::zero(); 2],
                parent => motions[parent as usize],
            };
            let speed = speed + spin.cross(arm(j));
            let change = hinge.acceleration(spin, speed);
            motions[j] = [spin + change, speed];
            changes[j] = pose.world_from_joint(j).conjugate().rotate(change);
        }
        changes
    }
}

/// What is left of the rate of a joint of the solver `contact` that was moved by `push` rad where it gives way by `gives` rad/(N·m): as much less as it gives way less than in
/// its step alone, then without what the torque of the push takes away of its energy.
fn stopped(tree: &Tree, joint: usize, gives: V3<f64>, rate: V3<f64>, push: V3<f64>) -> V3<f64> {
    let (block, slot) = tree.slot(BodyId(joint as u32));
    let step = &tree.stem_steps[joint];
    let left = step.share(gives, rate);
    let along = step.hastened(push);
    let inertia = block
        .particle(slot)
        .map_or(V3::splat(1.0), |p| p.inertia.widen());
    let momentum = along.times(inertia);
    let against = -left.dot(momentum);
    let share = against / along.dot(momentum).max(f64::MIN_POSITIVE);
    left + along * share.clamp(0.0, 1.0)
}

/// What of an energy is not motion, J.
fn at_rest(energy: &Energy) -> f64 {
    energy.elastic + energy.potential
}

fn joint(tree: &Tree, id: BodyId) -> JointState<f32> {
    let (block, slot) = tree.slot(id);
    block.joint(slot)
}

fn set_all(tree: &mut Tree, joint_of: impl Fn(usize) -> JointState<f32>) {
    for j in 0..tree.len() {
        let (block, slot) = tree.slot_mut(BodyId(j as u32));
        block.set_joint(slot, joint_of(j));
    }
    tree.propagate(tree.isa);
}
