//! One frame of a tree, on one thread or many.

use crate::block::Block;
use crate::contact::ContactSettings;
use crate::coupled::soil::Soil;
use crate::coupled::step::Risen;
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
    pub(crate) ground: &'a Ground,
    pub(crate) snow: Option<&'a Snow>,
    /// For what lies on the ground and is not rooted in it.
    pub(crate) lies_on: Option<Soil<'a>>,
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

/// Where a tree is in a frame that it goes through step by step.
#[derive(Default)]
pub(crate) struct Turn {
    /// Whether all of it sleeps.
    asleep: bool,
    report: StepReport,
    /// Between the ways up and down.
    risen: Option<Risen>,
}

impl Turn {
    /// A step between its ways up and down.
    pub(crate) fn risen(&self) -> Option<&Risen> {
        self.risen.as_ref()
    }
}

impl Tree {
    /// One frame: the tree, then what is off it.
    pub(crate) fn frame(&mut self, frame: &FrameOf) -> StepReport {
        let mut turn = self.begin_frame(frame);
        if !turn.asleep {
            let n = self.settings.steps_per_frame();
            let mut ahead = false;
            for k in 0..n {
                turn.report += self.sway(frame, k, n, &mut ahead, true);
            }
        }
        self.finish_frame(frame, turn)
    }

    /// Before its first step.
    pub(crate) fn begin_frame(&mut self, frame: &FrameOf) -> Turn {
        self.note_clean_pose(frame.dt);
        Turn {
            asleep: self.wake_what_must(frame.seconds, frame.dt),
            ..Turn::default()
        }
    }

    /// Step `k` of `n` of the tree. The next one may begin at once where nothing comes in between.
    fn sway(
        &mut self,
        frame: &FrameOf,
        k: u32,
        n: u32,
        ahead: &mut bool,
        at_once: bool,
    ) -> StepReport {
        let h = frame.dt / f64::from(n);
        let now = frame.around(self, h * f64::from(k));
        match self.settings.solver {
            Solver::Analytic => self.analytic_step(&now, h),
            Solver::Particles => self.particle_step(&now, h),
            Solver::Spectral => self.spectral_step(&now, h),
            Solver::Contact => self.stem_step(&now, h),
            Solver::Coupled | Solver::Explicit => {
                let next = (at_once && k + 1 < n).then(|| frame.around(self, h * f64::from(k + 1)));
                self.coupled_step(&now, next.as_ref(), ahead, h)
            }
        }
    }

    /// Step `k` of `n` among visitors and branches that broke off, up to where those are answered: the way up, or all of it where the solver has none.
    pub(crate) fn rise_among(
        &mut self,
        frame: &FrameOf,
        turn: &mut Turn,
        contact: &ContactSettings,
        (k, n): (u32, u32),
    ) {
        let mut watch = Stopwatch::start();
        let h = frame.dt / f64::from(n);
        self.find_contacts(h as f32, contact.pruning);
        if self.is_met() {
            self.wake();
            turn.asleep = false;
        }
        self.press_instead(contact);
        turn.report.times.contact += watch.lap();
        if turn.asleep {
            return;
        }
        if matches!(self.settings.solver, Solver::Coupled | Solver::Explicit) {
            let now = frame.around(self, h * f64::from(k));
            turn.risen = Some(self.rise(&now, false, h));
        } else {
            turn.report += self.sway(frame, k, n, &mut false, false);
        }
    }

    /// The rest of that step, if it takes one.
    pub(crate) fn sink_among(
        &mut self,
        frame: &FrameOf,
        turn: &mut Turn,
        step: Option<(u32, u32)>,
    ) {
        if let (Some((k, n)), Some(risen)) = (step, turn.risen.take()) {
            let h = frame.dt / f64::from(n);
            let now = frame.around(self, h * f64::from(k));
            turn.report += self.sink(risen, &now, None, h);
        }
        turn.report.collided += self.note_strokes();
        // They hold for this step alone: in the next frame nothing may be near.
        self.visit.contacts.clear();
        self.visit.pressing.clear();
        self.visit.meeting.clear();
    }

    /// After its last step: what is off the tree, and what comes off.
    pub(crate) fn finish_frame(&mut self, frame: &FrameOf, turn: Turn) -> StepReport {
        let mut report = turn.report;
        report += self.keep_apart(frame.gravity);
        self.end_frame();
        report.asleep = if turn.asleep {
            self.len() as u64
        } else {
            self.let_sleep(frame.dt)
        };
        let mut watch = Stopwatch::start();
        report += self.fly(frame);
        report += self.fall(frame);
        report.detached += self.shed(frame);
        report.puffs += self.snow_on(frame);
        report.broken += self.break_wood();
        report.times.free = watch.lap();
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
