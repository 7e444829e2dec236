//! The stages of an analytic step in order.

use super::composite::Composite;
use super::fictitious::{self, RootTerms};
use super::pull::PullStep;
use super::spring::JointState;
use super::up::{Drag, Use, sweep_spine_up, sweep_up};
use super::{SpringStep, springs};
use crate::kinematics;
use crate::math::simd::Isa;
use crate::report::{Counts, StepReport};
use crate::root::{Anchor, RootKind};
use crate::step::{Stopwatch, each_awake, each_block};
use crate::surroundings::Surroundings;
use crate::tree::Tree;

impl Tree {
    pub(crate) fn analytic_step(&mut self, around: &Surroundings, h: f64) -> StepReport {
        let mut report = StepReport {
            bodies: self.awake(),
            steps: 1,
            ..StepReport::default()
        };
        let mut watch = Stopwatch::start();
        report.healed += self.place_loads();
        self.press_contacts(h);
        report.times.pulls = watch.lap();

        // Where nothing needs the sums of the whole tree first, springs follow while a tile is in registers.
        let at_once = !self.needs_fictitious() && self.root == RootKind::Clamped;
        let (drag, step) = (self.drag(h), self.spring_step(h));
        let use_of = Use {
            springs: at_once.then_some(&step),
            kept: !at_once || !self.grips.is_empty() || !self.visit.contacts.is_empty(),
        };
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        let mut counts = each_awake(rest, |b| {
            b.fall_asleep();
            let springs = use_of.springs.filter(|_| !b.sleeps());
            sweep_up(b, around, drag, Use { springs, ..use_of })
        });
        counts = counts.plus(sweep_spine_up(spine, rest, around, drag, use_of));
        report.times.up = watch.lap();

        let next = self.move_anchor(around.seconds, h);
        if !at_once {
            self.add_fictitious(&next, h);
            counts = counts.plus(each_awake(&mut self.blocks, |b| {
                springs(b, &step, around.isa)
            }));
            if self.root != RootKind::Clamped {
                let root = self.root_slot();
                self.blocks[0].set_joint(root, JointState::rest());
            }
        }
        report.healed += counts.healed;
        report.limited += counts.limited;
        report.times.springs = watch.lap();

        self.anchor = next;
        self.apply_pulls(h);
        report.times.pulls += watch.lap();
        self.give_way(h);
        report.times.contact += watch.lap();

        self.move_bodies(around.isa);
        report.times.down = watch.lap();
        self.match_contacts(h);
        report.times.contact += watch.lap();
        report
    }

    fn drag(&self, h: f64) -> Drag {
        Drag {
            h: h as f32,
            feedback: self.settings.drag_feedback,
        }
    }

    fn spring_step(&self, h: f64) -> SpringStep {
        SpringStep {
            h: h as f32,
            alpha: self.rayleigh_alpha(),
            inertia_scale: self.settings.inertia_scale,
            limits: self.settings.limits.clone(),
            leaf_springs: self.settings.leaf_springs,
        }
    }

    fn needs_fictitious(&self) -> bool {
        let moves = self.motion.is_some() || self.root == RootKind::Free;
        self.settings.fictitious.active(moves)
    }

    /// Where the anchor is at the end of the step.
    fn move_anchor(&self, seconds: f64, h: f64) -> Anchor {
        if self.root != RootKind::Free {
            return self.next_anchor(seconds, h);
        }
        // The root body's joint lies at its place in the anchor's frame.
        let root = self.root_slot();
        let whole = self.blocks[0].composite(root);
        let d = self
            .anchor
            .rotation
            .rotate(self.blocks[0].model(root).joint_in_parent());
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
        if !self.needs_fictitious() {
            return;
        }
        let factor = self.settings.fictitious.clone();
        let root = RootTerms {
            over_step: self.anchor.mean_to(next, h),
            at_state: self.anchor.motion(),
        };
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        fictitious::bring_accelerations(spine, None, &self.anchor);
        fictitious::add(spine, &root, &factor);
        each_awake(rest, |b| {
            fictitious::bring_accelerations(b, Some(spine), &self.anchor);
            fictitious::add(b, &root, &factor);
            Counts::default()
        });
    }

    /// What pulls and pushes need to know of a step of `h` s.
    pub(crate) fn pull_step(&self, h: f64) -> PullStep {
        PullStep {
            h,
            alpha: self.rayleigh_alpha().into(),
            inertia_scale: self.settings.inertia_scale.into(),
            most_angle: self.settings.limits.angle.into(),
            root_turns: self.root == RootKind::Clamped,
            leaf_springs: self.settings.leaf_springs,
            keeps_directions: self.keeps_directions(),
        }
    }

    pub(crate) fn apply_pulls(&mut self, h: f64) {
        let step = self.pull_step(h);
        for (_, grip) in &mut self.grips {
            grip.apply(&mut self.blocks, &self.anchor, &step);
        }
    }

    fn move_bodies(&mut self, isa: Isa) {
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        kinematics::sweep_spine(spine, &self.anchor, isa);
        let error = self.settings.error_of_sleep();
        each_block(rest, |b| {
            if b.sleeps() {
                b.wake_if_left_behind(spine, error, isa);
            } else {
                kinematics::sweep_treelets(b, spine, isa);
            }
            Counts::default()
        });
    }
}
