//! The two sweeps of a coupled step.

use super::down::{sweep_down, sweep_spine_down};
use super::momentum::Start;
use super::up::{sweep_spine_up, sweep_up};
use super::work::Work;
use super::{Hold, Scheme};
use crate::block::Block;
use crate::kinematics::{Acceleration, Frame};
use crate::math::V3;
use crate::math::simd::{ROW, Row};
use crate::params::Solver;
use crate::report::{Counts, StepReport};
use crate::root::{Anchor, RootKind};
use crate::step::{Stopwatch, each_awake, each_block};
use crate::surroundings::Surroundings;
use crate::tree::Tree;

/// A step between its way up and its way down.
pub(crate) struct Risen {
    pub(crate) scheme: Scheme,
    /// Of a tree that flies or was struck.
    start: Option<Start>,
    /// Whether nobody holds the tree or loads it.
    left_alone: bool,
    report: StepReport,
}

impl Tree {
    /// A step of `h` s. Where a further one follows in the same frame and nobody holds the tree, the way down through a treelet and the next
    /// way up follow each other while it lies in the cache; `ahead` tells that the next step so began.
    pub(crate) fn coupled_step(
        &mut self,
        around: &Surroundings,
        next: Option<&Surroundings>,
        ahead: &mut bool,
        h: f64,
    ) -> StepReport {
        let risen = self.rise(around, *ahead, h);
        let next = next.filter(|_| risen.left_alone && risen.start.is_none());
        *ahead = next.is_some();
        self.sink(risen, around, next, h)
    }

    /// The way up, which began already if `ahead`, and what touches the tree by itself.
    pub(crate) fn rise(&mut self, around: &Surroundings, ahead: bool, h: f64) -> Risen {
        let mut report = StepReport {
            bodies: self.awake(),
            steps: 1,
            ..StepReport::default()
        };
        let mut watch = Stopwatch::start();
        let scheme = Scheme::of(&self.settings, h, self.rayleigh_alpha(), self.root);
        report.healed += self.place_loads();
        self.press_contacts(h);
        self.place_holds();
        self.expect_contacts();
        let left_alone = self
            .blocks
            .iter()
            .all(|b| b.holds.is_empty() && b.loads.is_empty());
        report.times.pulls = watch.lap();

        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        let mut counts = Counts::default();
        if !ahead {
            counts = each_awake(rest, |b| up(b, around, &scheme));
        }
        counts = counts.plus(sweep_spine_up(spine, rest, around, &scheme));
        report.times.up = watch.lap();

        self.answer_contacts(&scheme, around.seconds, h);
        let start = if self.root == RootKind::Free {
            Some(self.start_about(self.anchor.position.narrow()))
        } else if self.struck.is_some() {
            Some(self.start_about(self.root_position()))
        } else {
            None
        };
        report.times.contact = watch.lap();
        report.healed += counts.healed;
        report.limited += counts.limited;
        Risen {
            scheme,
            start,
            left_alone,
            report,
        }
    }

    /// The way down, and the `next` way up if there is one.
    pub(crate) fn sink(
        &mut self,
        risen: Risen,
        around: &Surroundings,
        next: Option<&Surroundings>,
        h: f64,
    ) -> StepReport {
        let Risen {
            scheme,
            start,
            mut report,
            ..
        } = risen;
        let mut watch = Stopwatch::start();
        let following = next;
        let next = self.coupled_anchor(around.seconds, h);
        let motion = self.anchor.mean_to(&next, h);
        self.anchor = next;
        let ground = Frame {
            alpha: motion.angular_acceleration,
            ..Frame::of_anchor(&next)
        };
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        let mut counts = sweep_spine_down(spine, ground, motion.acceleration, &scheme, around.isa);
        let error = self.settings.error_of_sleep();
        counts = counts.plus(each_block(rest, |b| {
            let down = if b.sleeps() {
                b.wake_if_left_behind(spine, error, around.isa);
                Counts::default()
            } else {
                sweep_down(b, spine, &scheme, around.isa)
            };
            match following {
                Some(next) if !b.sleeps() => down.plus(up(b, next, &scheme)),
                _ => down,
            }
        }));
        match start {
            Some(start) if self.root == RootKind::Free => self.keep_momentum(start, h),
            Some(start) => self.keep_turn(start, h),
            None => {}
        }
        report.times.down = watch.lap();

        self.measure_pulls();
        report.times.pulls += watch.lap();
        self.match_contacts(h);
        report.times.contact += watch.lap();
        report.healed += counts.healed;
        report.limited += counts.limited;
        report
    }

    /// Allocates what the solver needs and drops what it does not; outside of a step.
    pub(crate) fn prepare_solver(&mut self) {
        let coupled = matches!(self.settings.solver, Solver::Coupled | Solver::Explicit);
        let analytic = self.settings.solver == Solver::Analytic;
        let products = coupled && self.settings.velocity_products;
        let followed = !coupled && self.settings.fictitious.internal != 0.0;
        let zero = V3 {
            x: Row::ZERO,
            y: Row::ZERO,
            z: Row::ZERO,
        };
        for block in &mut self.blocks {
            let tiles = block.links.len();
            block.work = vec![Work::EMPTY; if coupled { tiles } else { 0 }];
            block.biases = vec![[zero; 2]; if products { tiles } else { 0 }];
            block.accelerations = vec![Acceleration::NONE; if followed { tiles * ROW } else { 0 }];
            block.composites = vec![[Row::ZERO; ROW]; if coupled { 0 } else { tiles }];
            block.held = vec![[Row::ZERO; 2]; if analytic { tiles } else { 0 }];
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
            let frame = self.blocks[at.block as usize].frame(at.slot as usize);
            let r = frame.rotation.rotate(grip.pull.point_in_body.into());
            let position = frame.position + r;
            let velocity = frame.velocity + frame.angular_velocity.cross(r);
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
    pub(crate) fn coupled_anchor(&self, seconds: f64, h: f64) -> Anchor {
        if self.root != RootKind::Free {
            return self.next_anchor(seconds, h);
        }
        let spine = &self.blocks[0];
        let (alpha, a) = spine.whole.free_acceleration();
        // From the root body's joint to the anchor's origin.
        let root = spine.ghost_tiles() * ROW;
        let arm = self
            .anchor
            .rotation
            .rotate(spine.model(root).joint_in_parent());
        let a = a - alpha.cross(arm);
        self.anchor.accelerated(alpha, a, h)
    }
}

/// The way up through a treelet, which may fall asleep then.
fn up(block: &mut Block, around: &Surroundings, scheme: &Scheme) -> Counts {
    let counts = sweep_up(block, around, scheme);
    block.fall_asleep();
    counts
}
