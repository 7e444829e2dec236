//! The stages of a step of particles in order.

use super::up::{SwingStep, swing_spine, swing_treelets};
use crate::analytic::spring::JointState;
use crate::report::StepReport;
use crate::root::RootKind;
use crate::step::{Stopwatch, each_block};
use crate::surroundings::Surroundings;
use crate::tree::Tree;

impl Tree {
    /// Forces and swings tips to root, pulls, then propagation root to tips.
    pub(crate) fn particle_step(&mut self, around: &Surroundings, h: f64) -> StepReport {
        let mut report = StepReport {
            bodies: self.moving() as u64,
            steps: 1,
            ..StepReport::default()
        };
        let mut watch = Stopwatch::start();
        report.healed += self.place_loads();
        self.press_contacts(h);
        report.times.pulls = watch.lap();

        let next = self.next_anchor(around.seconds, h);
        let chosen = &self.settings.particles;
        let step = SwingStep {
            h: h as f32,
            rods: chosen.rods,
            scheme: chosen.scheme,
            limits: self.settings.limits.clone(),
            shaken: self.motion.as_ref().map(|_| self.anchor.mean_to(&next, h)),
        };
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        let counts = each_block(rest, |block| swing_treelets(block, around, &step));
        let counts = counts.plus(swing_spine(spine, rest, around, &step));
        if self.root != RootKind::Clamped {
            let root = self.root_slot();
            self.blocks[0].set_joint(root, JointState::rest());
        }
        report.healed += counts.healed;
        report.limited += counts.limited;
        report.times.up = watch.lap();

        self.anchor = next;
        self.apply_pulls(h);
        report.times.pulls += watch.lap();

        self.propagate(around.isa);
        report.times.down = watch.lap();
        report
    }
}
