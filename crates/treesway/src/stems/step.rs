//! The angular update, (4)–(6), as printed or in closed form.

use super::forces::Acting;
use super::{StemScheme, StemSettings};
use crate::analytic::spring::JointState;
use crate::desc::{BodyId, BodyKind};
use crate::elements::BladeBend;
use crate::math::{Matrix3, Quaternion, V3, turns_per_angle};
use crate::params::{GravityPose, STANDARD_GRAVITY, Solver};
use crate::particles::swing::{Forces, Push, swung};
use crate::particles::{Particle, ParticleScheme};
use crate::report::StepReport;
use crate::root::RootKind;
use crate::step::Stopwatch;
use crate::surroundings::Surroundings;
use crate::tree::Tree;

/// Most rounds of Newton's method.
const NEWTON: usize = 20;

/// No axis counts as stiffer than this against the softest.
const STIFFEST: f64 = 1e-9;

/// K_d is lost in this time, s.
const DAMPED_IN: f64 = 1.0 / 30.0;

/// A step of a joint that nothing holds; by default of one that is not on the tree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FreeStep {
    /// By how much it leads beyond where the limit of the joint holds it, rad.
    pub(crate) beyond: V3<f64>,
    /// D: by how much it turns in it for a torque that lasts, rad/(N·m), by component of θ.
    pub(crate) gives: V3<f64>,
    /// By how much faster it turns at its end, rad/s/(N·m).
    pub(crate) hastens: V3<f64>,
}

impl FreeStep {
    /// By how much the torque that moved the joint by `push` rad in the step has changed its rate, rad/s.
    pub(crate) fn hastened(&self, push: V3<f64>) -> V3<f64> {
        self.share(self.hastens, push)
    }

    /// `v` by how much `other` is of D, by component.
    pub(crate) fn share(&self, other: V3<f64>, v: V3<f64>) -> V3<f64> {
        let one = |v: f64, other: f64, gives: f64| v * other / gives.max(f64::MIN_POSITIVE);
        V3 {
            x: one(v.x, other.x, self.gives.x),
            y: one(v.y, other.y, self.gives.y),
            z: one(v.z, other.z, self.gives.z),
        }
    }
}

impl Tree {
    /// Forces tips to root, every joint on its own, pulls, then poses root to tips.
    pub(crate) fn stem_step(&mut self, around: &Surroundings, h: f64) -> StepReport {
        let mut report = StepReport {
            bodies: self.len() as u64,
            steps: 1,
            ..StepReport::default()
        };
        let mut watch = Stopwatch::start();
        report.healed += self.place_loads();
        self.press_contacts(h);
        report.times.pulls = watch.lap();

        let acting = self.stem_forces(around);
        report.times.up = watch.lap();
        let limits = self.settings.limits.clone();
        let pull = f64::from(around.gravity.length());
        let (most, fastest) = (f64::from(limits.angle), f64::from(limits.rate));
        let mut steps = core::mem::take(&mut self.stem_steps);
        steps.clear();
        for id in self.ids() {
            if !self.is_attached(id) {
                steps.push(FreeStep::default());
                continue;
            }
            let (mut joint, free) = self.turned(id, &acting[id.index()], pull, h);
            let mut beyond = V3::zero();
            let (angle, rate) = (joint.theta.length(), joint.rate.length());
            // Written so that NaN is out of range.
            let within = angle <= most && rate <= fastest;
            if !within {
                if !(angle + rate).is_finite() {
                    joint = JointState::rest();
                    report.healed += 1;
                } else {
                    if angle > most {
                        let held = held_within(joint.theta, free.gives, most);
                        beyond = joint.theta - held;
                        joint.theta = held;
                        // It stands at the limit.
                        joint.rate = V3::zero();
                    } else {
                        joint.rate = joint.rate * (fastest / rate);
                    }
                    report.limited += 1;
                }
            }
            let joint = JointState {
                theta: joint.theta.narrow(),
                rate: joint.rate.narrow(),
                accel: joint.accel.narrow(),
            };
            let (block, slot) = self.slot_mut(id);
            block.set_joint(slot, joint);
            self.bend_blade(id, acting[id.index()].pressure, h);
            steps.push(FreeStep { beyond, ..free });
        }
        self.stem_steps = steps;
        if self.root != RootKind::Clamped {
            let root = self.root_slot();
            self.blocks[0].set_joint(root, JointState::rest());
        }
        report.times.springs = watch.lap();

        self.anchor = self.next_anchor(around.seconds, h);
        self.apply_pulls(h);
        report.times.pulls += watch.lap();
        self.propagate(around.isa);
        report.times.down = watch.lap();
        report
    }

    /// One joint after a step of `h` s, and what a torque would do in it.
    fn turned(
        &self,
        id: BodyId,
        acting: &Acting,
        pull: f64,
        h: f64,
    ) -> (JointState<f64>, FreeStep) {
        let settings = &self.settings.stems;
        let (block, slot) = self.slot(id);
        let (model, joint) = (block.model(slot), block.joint(slot));
        let before = JointState {
            theta: joint.theta.widen(),
            rate: joint.rate.widen(),
            accel: joint.accel.widen(),
        };
        let below = match self.parent_of(id) {
            Some(parent) => {
                let (block, slot) = self.slot(parent);
                block.frame(slot).rotation.widen()
            }
            None => self.anchor.rotation,
        };
        let turn = below.times(model.joint_rotation.widen()).unit();
        let acts = turn.conjugate().rotate(acting.torque);
        let preload = self.stem_preload[id.index()];
        let rigidity = f64::from(settings.rigidity);
        match settings.scheme {
            StemScheme::AsPrinted => {
                let length = f64::from(block.sizes(slot).size.x);
                let wood = 0.5 * f64::from(model.stiffness.x + model.stiffness.y);
                let spring = rigidity * wood / (length * length);
                let axis = Matrix3::identity().z;
                let end = Quaternion::from_rotation_vector(before.theta).rotate(axis) * length;
                let restoring = (end - axis * length) * -spring; // (2)
                let torque = acts + preload + end.cross(restoring); // (4)
                let accel = torque * (3.0 / (f64::from(model.mass) * length * length));
                let slowed = before.rate * (1.0 - f64::from(settings.damping)); // (5)
                let rate = slowed + accel * h;
                let joint = JointState {
                    theta: before.theta + rate * h, // (6)
                    rate,
                    accel,
                };
                let hastens = 3.0 * h / (f64::from(model.mass) * length * length);
                let free = FreeStep {
                    gives: V3::splat(hastens * h),
                    hastens: V3::splat(hastens),
                    ..FreeStep::default()
                };
                (joint, free)
            }
            StemScheme::ClosedForm => {
                let p = block.particle(slot).expect("made for this solver");
                // (5) as a rate.
                let lost = -libm::log(1.0 - f64::from(settings.damping)) / DAMPED_IN;
                let inertia = p.inertia.widen();
                let particle = Particle {
                    lever: f64::from(p.lever),
                    inertia,
                    stiffness: p.stiffness.widen() * rigidity,
                    damping: p.damping.widen() * rigidity + inertia * lost,
                    preload: V3::zero(),
                    home: Quaternion::identity(),
                };
                // The work of a torque is τ·J dθ: without J what a leaf does in going round, bending one way and then another, would feed it.
                let work = turns_per_angle(before.theta).apply_transposed(acts);
                let mut push = Push {
                    torque: work + preload,
                    yielding: acting.yielding,
                    damping: acting.damping,
                };
                if model.kind() != BodyKind::Leaf {
                    let lever = particle.lever;
                    let at_hand = Forces {
                        sum: acting.force.length(),
                        blown: acting.blown,
                        weight: acting.mass * pull,
                    };
                    push.yielding += V3::splat(at_hand.give_way(lever, model.depth.into()));
                    push.damping += V3::splat(acting.drag * lever * lever);
                }
                let step = |from: &JointState<f64>, push: &Push<f64>| {
                    swung(&particle, from, push, h, ParticleScheme::ClosedForm)
                };
                let unit = Push {
                    torque: V3::splat(1.0),
                    ..push
                };
                let alone = step(&JointState::rest(), &unit);
                let free = FreeStep {
                    gives: alone.theta,
                    hastens: alone.rate,
                    ..FreeStep::default()
                };
                (step(&before, &push), free)
            }
        }
    }

    /// Torque of every spring in the given pose, N·m, joint frame: what standard gravity does there by (1) and (3), where the tree holds that pose.
    pub(crate) fn hold_stems(&mut self) {
        self.stem_preload.clear();
        if self.settings.solver != Solver::Contact {
            self.blade_bend.clear();
            return;
        }
        self.blade_bend.resize(self.len(), BladeBend::default());
        self.stem_preload.resize(self.len(), V3::zero());
        if self.params.gravity_pose == GravityPose::Unloaded {
            return;
        }
        let StemSettings {
            rigidity,
            transfer,
            scheme,
            ..
        } = self.settings.stems;
        let share = f64::from(rigidity) * f64::from(transfer);
        let (homes, _) = self.carried_at_home();
        let down = self.given_anchor.rotation.conjugate();
        let gravity = down.rotate(V3::from(STANDARD_GRAVITY).widen());
        let mut all = vec![(V3::zero(), V3::zero()); self.len()];
        for i in (0..self.len()).rev() {
            let (block, slot) = self.slot(BodyId(i as u32));
            let model = block.model(slot);
            let axis = homes[i].matrix().z;
            let end = axis * f64::from(block.sizes(slot).size.x);
            let lever = match scheme {
                StemScheme::ClosedForm => axis * f64::from(model.com_z),
                StemScheme::AsPrinted => end,
            };
            let weight = gravity * f64::from(model.mass);
            let (mut force, mut torque): (V3<f64>, V3<f64>) = all[i];
            if scheme == StemScheme::AsPrinted {
                // What children passed on acts at its end.
                torque = end.cross(force);
            }
            force += weight;
            torque += lever.cross(weight);
            self.stem_preload[i] = -homes[i].conjugate().rotate(torque);
            let parent = self.parent[i];
            if parent != u32::MAX {
                let (block, slot) = self.slot(BodyId(i as u32));
                let arm = homes[i].rotate(block.model(slot).arm.widen());
                let on = &mut all[parent as usize];
                on.0 += force * share;
                if scheme == StemScheme::ClosedForm {
                    on.1 += (torque + arm.cross(force)) * share;
                }
            }
        }
    }
}

/// The turn of at most `most` rad nearest to `theta`, where ways count by how little the joint gives way along them: the limit pushes against |θ| alone, with N ≥ 0 as
/// large as is needed,
///
///   θ' = θ − N D θ',  |θ'| = most,
///
/// by Newton's method on 1/|θ'|, which comes from one side (Moré and Sorensen). Shortened instead, θ would be pushed along the limit, too, wherever D is not the same about all axes.
pub(crate) fn held_within(theta: V3<f64>, gives: V3<f64>, most: f64) -> V3<f64> {
    let largest = gives.x.max(gives.y).max(gives.z).max(f64::MIN_POSITIVE);
    let [x, y, z] = [gives.x, gives.y, gives.z].map(|d| (d / largest).max(STIFFEST));
    let gives = V3 { x, y, z };
    let pushed = |v: V3<f64>, push: f64| V3 {
        x: v.x / (1.0 + push * gives.x),
        y: v.y / (1.0 + push * gives.y),
        z: v.z / (1.0 + push * gives.z),
    };
    let (mut held, mut push) = (theta, 0.0);
    for _ in 0..NEWTON {
        let size = held.length();
        if size <= most * (1.0 + 1e-12) {
            break;
        }
        let falls = pushed(held.times(gives), push).dot(held);
        push += (size / most - 1.0) * size * size / falls;
        held = pushed(theta, push);
    }
    held * (most / held.length()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a search over the whole limit.
    #[test]
    fn limit_pushes_against_the_size_of_the_turn_alone() {
        let (most, theta) = (
            1.5,
            V3 {
                x: 1.4,
                y: -0.3,
                z: 2.2,
            },
        );
        for gives in [[1.0, 1.0, 1.0], [1.0, 0.2, 30.0], [3.0, 1e-4, 1e-3]] {
            let [x, y, z] = gives;
            let found = held_within(theta, V3 { x, y, z }, most);
            assert!((found.length() - most).abs() < 1e-9);
            let far = |p: V3<f64>| {
                let d = p - theta;
                d.x * d.x / x + d.y * d.y / y + d.z * d.z / z
            };
            let n = 400;
            for i in 0..=n {
                let (sin, cos) = libm::sincos(core::f64::consts::PI * f64::from(i) / f64::from(n));
                for k in 0..2 * n {
                    let (s, c) = libm::sincos(core::f64::consts::PI * f64::from(k) / f64::from(n));
                    let p = V3 {
                        x: sin * c,
                        y: sin * s,
                        z: cos,
                    } * most;
                    assert!(far(p) >= far(found) * (1.0 - 1e-9), "{gives:?}: {p:?}");
                }
            }
        }
    }

    #[test]
    fn limit_of_a_joint_that_gives_way_alike_shortens() {
        let theta = V3 {
            x: 2.0,
            y: 0.0,
            z: 1.0,
        };
        let found = held_within(theta, V3::splat(1e-3), 1.5);
        assert!((found - theta * (1.5 / theta.length())).length() < 1e-9);
    }
}
