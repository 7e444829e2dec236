//! The stages of an analytic step in order.

use super::composite::Composite;
use super::fictitious::{self, RootTerms};
use super::forces::{Surroundings, gather, sum_spine, sum_treelets};
use super::pull::PullStep;
use super::springs;
use crate::kinematics;
use crate::math::V3;
use crate::report::{Counts, StepReport};
use crate::root::{Anchor, RootKind};
use crate::step::{Stopwatch, each_block};
use crate::tree::Tree;

impl Tree {
    pub(crate) fn analytic_step(&mut self, around: &Surroundings, h: f64) -> StepReport {
        let mut report = StepReport {
            bodies: self.len() as u64,
            steps: 1,
            ..StepReport::default()
        };
        let single = h as f32;
        let mut watch = Stopwatch::start();
        report.healed += self.gather(around, single);
        report.healed += self.apply_loads();
        report.times.forces = watch.lap();

        self.sum_composites();
        let next = self.move_anchor(around.seconds, h);
        self.add_fictitious(&next, h);
        report.times.composite = watch.lap();

        let counts = self.move_joints(single);
        report.healed += counts.healed;
        report.limited += counts.limited;
        report.times.springs = watch.lap();

        self.anchor = next;
        self.apply_pulls(h);
        report.times.pulls = watch.lap();

        self.move_bodies();
        report.times.kinematics = watch.lap();
        report
    }

    /// Own forces of every body.
    pub(crate) fn gather(&mut self, around: &Surroundings, h: f32) -> u64 {
        let feedback = self.settings.drag_feedback;
        each_block(&mut self.blocks, |b| gather(b, around, h, feedback)).healed
    }

    /// Composite sweep.
    pub(crate) fn sum_composites(&mut self) {
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        each_block(rest, |b| {
            sum_treelets(b);
            Counts::default()
        });
        sum_spine(spine, rest);
    }

    /// Where the anchor is at the end of the step.
    fn move_anchor(&self, seconds: f64, h: f64) -> Anchor {
        if self.root != RootKind::Free {
            return self.next_anchor(seconds, h);
        }
        // The root body's joint lies at its place in the anchor's frame.
        let whole = self.blocks[0].composite.get(0);
        let d = self
            .anchor
            .rotation
            .rotate(self.blocks[0].model.joint_in_parent.get(0).widen());
        let whole = Composite {
            mass: f64::from(whole.mass),
            moment: whole.moment.widen(),
            inertia: whole.inertia.widen(),
            force: whole.force.widen(),
            torque: whole.torque.widen(),
        }
        .shifted(d);
        self.anchor.fly(
            whole.mass,
            whole.moment,
            whole.inertia,
            whole.force,
            whole.torque,
            h,
        )
    }

    fn add_fictitious(&mut self, next: &Anchor, h: f64) {
        let factor = self.settings.fictitious.clone();
        let moves = self.motion.is_some() || self.root == RootKind::Free;
        if !factor.active(moves) {
            return;
        }
        let root = RootTerms {
            over_step: self.anchor.mean_to(next, h),
            at_state: self.anchor.motion(),
        };
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        fictitious::add(spine, None, &root, &factor);
        each_block(rest, |b| {
            fictitious::add(b, Some(spine), &root, &factor);
            Counts::default()
        });
    }

    fn move_joints(&mut self, h: f32) -> Counts {
        let scale = self.settings.inertia_scale;
        let (alpha, limits) = (self.rayleigh_alpha(), self.settings.limits.clone());
        let sum = each_block(&mut self.blocks, |b| springs(b, h, alpha, scale, &limits));
        if self.root != RootKind::Clamped {
            let s = &mut self.blocks[0].state;
            for joint in [&mut s.theta, &mut s.rate, &mut s.accel] {
                joint.set(0, V3::zero());
            }
        }
        sum
    }

    fn apply_pulls(&mut self, h: f64) {
        let step = PullStep {
            h,
            alpha: self.rayleigh_alpha().into(),
            inertia_scale: self.settings.inertia_scale.into(),
            most_angle: self.settings.limits.angle.into(),
            root_turns: self.root == RootKind::Clamped,
        };
        for (_, grip) in &mut self.grips {
            grip.apply(&mut self.blocks, &self.anchor, &step);
        }
    }

    fn move_bodies(&mut self) {
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        kinematics::sweep_spine(spine, &self.anchor);
        each_block(rest, |b| {
            kinematics::sweep_treelets(b, spine);
            Counts::default()
        });
    }
}
