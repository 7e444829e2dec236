//! The two sweeps of a coupled step.

use super::integrator::Integrator;
use super::{
    GroundMotion, Hold, Line, Scheme, gather_spine, gather_treelets, scatter_spine,
    scatter_treelets,
};
use crate::analytic::forces::Surroundings;
use crate::kinematics::Frame;
use crate::math::V3;
use crate::params::Solver;
use crate::report::StepReport;
use crate::root::{Anchor, RootKind};
use crate::step::{Stopwatch, each_block};
use crate::tree::Tree;

impl Tree {
    pub(crate) fn coupled_step(&mut self, around: &Surroundings, h: f64) -> StepReport {
        let mut report = StepReport {
            bodies: self.len() as u64,
            steps: 1,
            ..StepReport::default()
        };
        let mut watch = Stopwatch::start();
        let scheme = Scheme {
            integrator: match self.settings.solver {
                Solver::Explicit => Integrator::explicit(h),
                _ => Integrator::new(
                    h,
                    self.settings.rho_infinity.into(),
                    self.rayleigh_alpha().into(),
                ),
            },
            limits: self.settings.limits.clone(),
            feedback: self.settings.drag_feedback,
            velocity_products: self.settings.velocity_products,
            root_turns: self.root == RootKind::Clamped,
        };
        report.healed += self.apply_loads();
        self.place_holds();
        report.times.forces = watch.lap();

        let before = Frame::of_anchor(&self.anchor);
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        let mut counts = each_block(rest, |b| gather_treelets(b, spine, around, &scheme));
        counts = counts.plus(gather_spine(spine, rest, &before, around, &scheme));
        report.times.composite = watch.lap();

        let next = self.coupled_anchor(around.seconds, h);
        let motion = self.anchor.mean_to(&next, h);
        let ground = GroundMotion {
            alpha: motion.angular_acceleration,
            a: motion.acceleration,
        };
        self.anchor = next;
        let after = Frame::of_anchor(&next);
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        counts = counts.plus(scatter_spine(spine, ground, &after, &scheme));
        counts = counts.plus(each_block(rest, |b| scatter_treelets(b, spine, &scheme)));
        report.times.kinematics = watch.lap();

        self.clear_load_sums();
        self.measure_pulls();
        report.times.pulls = watch.lap();
        report.healed += counts.healed;
        report.limited += counts.limited;
        report
    }

    /// Allocates what the solver needs and drops what it does not; outside of a step.
    pub(crate) fn prepare_solver(&mut self) {
        let coupled = self.settings.solver != Solver::Analytic;
        for block in &mut self.blocks {
            block.lines = if coupled {
                vec![Line::empty(); block.len]
            } else {
                Vec::new()
            };
            block.passed_on = Vec::with_capacity(if coupled { block.attached.len() } else { 0 });
            if coupled {
                for i in 0..block.len {
                    block.composite.force.set(i, V3::zero());
                    block.composite.torque.set(i, V3::zero());
                }
            }
        }
    }

    /// Hands each pull to the block of its body.
    fn place_holds(&mut self) {
        for block in &mut self.blocks {
            block.holds.clear();
        }
        for (_, grip) in &self.grips {
            let at = grip.body_place();
            self.blocks[at.block as usize].holds.push(Hold {
                slot: at.slot as usize,
                pull: grip.pull,
            });
        }
    }

    /// The force that each pull ended the step with.
    fn measure_pulls(&mut self) {
        for (_, grip) in &mut self.grips {
            let at = grip.body_place();
            let (state, i) = (&self.blocks[at.block as usize].state, at.slot as usize);
            let r = state.rotation.get(i).rotate(grip.pull.point_in_body.into());
            let position = state.position.get(i) + r;
            let velocity = state.velocity.get(i) + state.angular_velocity.get(i).cross(r);
            let force = (V3::from(grip.pull.target) - position) * grip.pull.stiffness
                - velocity * grip.pull.damping;
            let size = force.length();
            let most = grip.pull.most_force;
            // An infinitely stiff hand has no force of its own to tell.
            let force = if size.is_finite() { force } else { V3::zero() };
            grip.force = if size > most {
                force * (most / size)
            } else {
                force
            };
        }
    }

    /// Where the anchor is at the end of the step; a free tree accelerates as a whole.
    fn coupled_anchor(&self, seconds: f64, h: f64) -> Anchor {
        if self.root != RootKind::Free {
            return self.next_anchor(seconds, h);
        }
        let spine = &self.blocks[0];
        let (alpha, a) = spine.lines[0].free_acceleration();
        // From the root body's joint to the anchor's origin.
        let arm = self
            .anchor
            .rotation
            .rotate(spine.model.joint_in_parent.get(0).widen());
        let a = a - alpha.cross(arm);
        self.anchor.accelerated(alpha, a, h)
    }
}
