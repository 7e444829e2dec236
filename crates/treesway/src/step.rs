//! One frame of a tree, on one thread or many.

use crate::block::Block;
use crate::coupled::soil::Soil;
use crate::forces::ForceField;
use crate::ground::Ground;
use crate::math::simd::Isa;
use crate::params::Solver;
use crate::report::{Counts, StepReport};
use crate::snow::Snow;
use crate::surroundings::Surroundings;
use crate::tree::Tree;
use core::time::Duration;
use glam::Vec3;
use rayon::prelude::*;
use web_time::Instant;

/// Calls `work` on every block, in parallel where there are several threads and blocks. Only counts come back, whose sum does
/// not depend on its order.
pub(crate) fn each_block(
    blocks: &mut [Block],
    work: impl Fn(&mut Block) -> Counts + Send + Sync,
) -> Counts {
    if blocks.len() > 1 && rayon::current_num_threads() > 1 {
        blocks
            .par_iter_mut()
            .map(work)
            .reduce(Counts::default, Counts::plus)
    } else {
        blocks
            .iter_mut()
            .map(work)
            .fold(Counts::default(), Counts::plus)
    }
}

/// The same on those that do not sleep.
pub(crate) fn each_awake(
    blocks: &mut [Block],
    work: impl Fn(&mut Block) -> Counts + Send + Sync,
) -> Counts {
    each_block(blocks, |b| {
        if b.sleeps() {
            Counts::default()
        } else {
            work(b)
        }
    })
}

/// What all trees of a world have in common in a frame.
pub(crate) struct FrameOf<'a> {
    /// When it starts, s.
    pub(crate) seconds: f64,
    /// How long it lasts, s.
    pub(crate) dt: f64,
    pub(crate) gravity: Vec3,
    pub(crate) fields: &'a [Box<dyn ForceField>],
    pub(crate) ground: Ground,
    pub(crate) snow: Option<&'a Snow>,
    /// For what lies on the ground and is not rooted in it.
    pub(crate) lies_on: Option<Soil>,
}

impl<'a> FrameOf<'a> {
    /// What acts on a tree `after` s from the start.
    fn around(&self, tree: &Tree, after: f64) -> Surroundings<'a> {
        Surroundings {
            gravity: self.gravity.into(),
            fields: self.fields,
            seconds: self.seconds + after,
            blades: tree.params().leaf.blades,
            lies_on: self.lies_on,
            free: false,
            isa: tree.isa,
        }
    }

    /// What acts on bodies that are off, each a single blade.
    pub(crate) fn around_free(&self, isa: Isa, after: f64) -> Surroundings<'a> {
        Surroundings {
            gravity: self.gravity.into(),
            fields: self.fields,
            seconds: self.seconds + after,
            blades: 1.0,
            lies_on: None,
            free: true,
            isa,
        }
    }
}

impl Tree {
    /// One frame: the tree, then what is off it.
    pub(crate) fn frame(&mut self, frame: &FrameOf) -> StepReport {
        let mut report = self.sway(frame);
        let mut watch = Stopwatch::start();
        report += self.fly(frame);
        report += self.fall(frame);
        report.detached += self.shed(frame);
        report.puffs += self.snow_on(frame);
        report.broken += self.break_wood();
        report.times.free = watch.lap();
        report
    }

    /// The tree, in `settings.substeps` steps.
    fn sway(&mut self, frame: &FrameOf) -> StepReport {
        let dt = frame.dt;
        if self.wake_what_must(frame.seconds, dt) {
            let asleep = self.len() as u64;
            self.end_frame();
            return StepReport {
                asleep,
                ..StepReport::default()
            };
        }
        let n = self.settings.steps_per_frame();
        let h = dt / f64::from(n);
        let around = |tree: &Self, k: u32| frame.around(tree, h * f64::from(k));
        let mut report = StepReport::default();
        match self.settings.solver {
            Solver::Analytic => {
                for k in 0..n {
                    report += self.analytic_step(&around(self, k), h);
                }
            }
            Solver::Coupled | Solver::Explicit => {
                let mut ahead = false;
                for k in 0..n {
                    let now = around(self, k);
                    let next = (k + 1 < n).then(|| around(self, k + 1));
                    report += self.coupled_step(&now, next.as_ref(), &mut ahead, h);
                }
            }
        }
        self.end_frame();
        report.asleep = self.let_sleep(dt);
        report
    }
}

/// Times the stages of a step one after the other.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the last lap.
    pub(crate) fn lap(&mut self) -> Duration {
        let now = Instant::now();
        let lap = now - self.0;
        self.0 = now;
        lap
    }
}
