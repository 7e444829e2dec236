//! One frame of a tree, on one thread or many.

use crate::block::Block;
use crate::forces::ForceField;
use crate::params::Solver;
use crate::report::{Counts, StepReport};
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

impl Tree {
    /// One frame of `dt` s from `seconds` on, in `settings.substeps` steps.
    pub(crate) fn frame(
        &mut self,
        seconds: f64,
        dt: f64,
        gravity: Vec3,
        fields: &[Box<dyn ForceField>],
    ) -> StepReport {
        if self.wake_what_must(seconds, dt) {
            let asleep = self.len() as u64;
            self.end_frame();
            return StepReport {
                asleep,
                ..StepReport::default()
            };
        }
        let n = self.settings.steps_per_frame();
        let h = dt / f64::from(n);
        let (blades, isa) = (self.params().leaf.blades, self.isa);
        let around = |k: u32| Surroundings {
            gravity: gravity.into(),
            fields,
            seconds: seconds + h * f64::from(k),
            blades,
            isa,
        };
        let mut report = StepReport::default();
        match self.settings.solver {
            Solver::Analytic => {
                for k in 0..n {
                    report += self.analytic_step(&around(k), h);
                }
            }
            Solver::Coupled | Solver::Explicit => {
                let mut ahead = false;
                for k in 0..n {
                    let next = (k + 1 < n).then(|| around(k + 1));
                    report += self.coupled_step(&around(k), next.as_ref(), &mut ahead, h);
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
