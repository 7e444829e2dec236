//! Steps that take long are taken beside the window: the stage is away for a few frames at a time, and the window goes on with how it stood after the last ones.
//!
//! [`Running`] shows a stage and lets nobody change it but by [`Running::apply`]: what is done to the stage that is shown is done again to the one that is stepped, in the same
//! order, as soon as its step is over. Quick steps are taken at once, without a copy.

use crate::app::Studio;
use crate::meter::smooth;
use crate::platform::Job;
use crate::plots::{Probe, Sample};
use crate::stage::Stage;
use core::ops::Deref;
use core::time::Duration;
use eframe::egui::Context;
use treesway::StepReport;
use web_time::Instant;

/// A step that takes longer than this is taken beside the window, s: a window that answers leaves no more to it.
const SLOW: f64 = 0.024;

/// One that takes less comes back to it, s.
const QUICK: f64 = 0.5 * SLOW;

/// Steps beside the window are shown at least this often, s, unless a single one takes longer.
const LONGEST_ABSENCE: Duration = Duration::from_millis(50);

/// A step of more than this where there is nothing beside the window stops the clock, s.
const UNBEARABLE: f64 = 0.1;

/// Steps of more than this are told of, s: the trees move in slow motion.
const TOLD: f64 = 0.25;

/// Something that is done to a stage, as often as there are copies of it.
type Deed = Box<dyn Fn(&mut Stage) + Send>;

/// A stage, stepped at once or beside the window.
pub(crate) struct Running {
    /// The stage itself or, while that is stepped beside the window, how it stood after its last step.
    shown: Stage,
    beside: Option<Beside>,
}

/// The stage that is stepped beside the window.
struct Beside {
    /// With everything done that was done to what is shown; none while it is away.
    stage: Option<Box<Stage>>,
    /// While it is.
    away: Option<Away>,
    /// Frames from the last but one that was shown to the last.
    frames: usize,
    /// Real time that each of them took, s; 0 while unknown.
    frame_takes: f64,
    /// What was shown before: of many bodies even letting go of it takes long.
    old: Option<Stage>,
}

/// Steps that are under way.
struct Away {
    job: Job<Back>,
    /// What was done to what is shown since they began.
    deeds: Vec<Deed>,
    /// The stage was set back meanwhile: they do not count.
    void: bool,
}

/// What comes back.
struct Back {
    stage: Box<Stage>,
    /// As it stands.
    still: Stage,
    steps: Steps,
    /// With the copy that is shown.
    took: Duration,
}

/// A few frames.
struct Steps {
    /// What the trees did, and those beside them.
    reports: [StepReport; 2],
    /// Of every frame.
    samples: Vec<Sample>,
    /// Of every frame, s.
    times: Vec<f64>,
}

impl Deref for Running {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.shown
    }
}

impl Running {
    /// It has grown.
    pub(crate) fn new(stage: Stage) -> Self {
        Self {
            shown: stage,
            beside: None,
        }
    }

    /// Does something to it.
    pub(crate) fn apply<R>(&mut self, deed: impl Fn(&mut Stage) -> R + Send + 'static) -> R {
        let result = deed(&mut self.shown);
        if let Some(beside) = &mut self.beside {
            match (&mut beside.stage, &mut beside.away) {
                (Some(stage), _) => _ = deed(stage),
                (None, Some(away)) => away.deeds.push(Box::new(move |stage| _ = deed(stage))),
                (None, None) => {}
            }
        }
        result
    }

    /// Steps it at once.
    pub(crate) fn step(&mut self) -> [StepReport; 2] {
        self.come_home();
        self.shown.step()
    }

    /// Whether its next step may hold up the window.
    fn is_slow(&self) -> bool {
        let limit = if self.beside.is_some() { QUICK } else { SLOW };
        self.is_unsteady() || self.step_secs().is_none_or(|secs| secs > limit)
    }

    /// Whether a step is under way.
    pub(crate) fn is_away(&self) -> bool {
        self.away().is_some()
    }

    fn away(&self) -> Option<&Away> {
        self.beside.as_ref()?.away.as_ref()
    }

    /// Frames from the last but one that was shown to the last.
    pub(crate) fn frames_between(&self) -> usize {
        self.beside.as_ref().map_or(1, |beside| beside.frames)
    }

    /// Makes a copy to be shown from now on; in a large stage that takes long.
    fn part(&mut self) {
        if self.beside.is_none() {
            let still = self.shown.still();
            let stage = core::mem::replace(&mut self.shown, still);
            self.beside = Some(Beside {
                stage: Some(stage.into()),
                away: None,
                frames: 1,
                frame_takes: 0.0,
                old: None,
            });
        }
    }

    /// Shows the stage itself again, unless it is away.
    pub(crate) fn come_home(&mut self) {
        if let Some(stage) = self.beside.as_mut().and_then(|beside| beside.stage.take()) {
            self.shown = *stage;
            self.beside = None;
        }
    }

    /// Back to the first frame, for which the steps that are under way do not count.
    pub(crate) fn restart(&mut self) {
        self.apply(Stage::restart);
        if let Some(away) = self.beside.as_mut().and_then(|beside| beside.away.as_mut()) {
            away.void = true;
        }
    }

    /// Shows what has come back, where it has; an error where it never will.
    fn arrive(&mut self) -> Result<Option<Steps>, ()> {
        let Some(beside) = &mut self.beside else {
            return Ok(None);
        };
        let Some(back) = beside.away.as_ref().and_then(|away| away.job.poll()) else {
            return Ok(None);
        };
        let deeds = beside.away.take().map(|away| away.deeds);
        let Back {
            mut stage,
            mut still,
            steps,
            took,
        } = back.ok_or(())?;
        for deed in deeds.into_iter().flatten() {
            deed(&mut stage);
            deed(&mut still);
        }
        beside.frames = steps.times.len();
        beside.frame_takes = took.as_secs_f64() / steps.times.len() as f64;
        beside.stage = Some(stage);
        beside.old = Some(core::mem::replace(&mut self.shown, still));
        Ok(Some(steps))
    }
}

/// Steps a stage so often, or until the window has waited long enough.
fn take_steps(mut stage: Box<Stage>, frames: u32, probe: Option<Probe>) -> Back {
    let start = Instant::now();
    let mut steps = Steps {
        reports: Default::default(),
        samples: Vec::new(),
        times: Vec::new(),
    };
    for _ in 0..frames.max(1) {
        let before = Instant::now();
        for (report, step) in steps.reports.iter_mut().zip(stage.step()) {
            *report += step;
        }
        steps
            .samples
            .extend(probe.map(|probe| probe.sample(&stage)));
        steps.times.push(before.elapsed().as_secs_f64());
        if start.elapsed() > LONGEST_ABSENCE {
            break;
        }
    }
    Back {
        still: stage.still(),
        stage,
        steps,
        took: start.elapsed(),
    }
}

impl Studio {
    /// Steps the simulation by the time that has passed: beside the window where a step may hold it up.
    pub(crate) fn step(&mut self, window: &Context, real_secs: f64) {
        let Some(running) = &self.stage else {
            return;
        };
        if self.platform.has_threads() && (running.is_away() || running.is_slow()) {
            self.step_beside(window, real_secs);
        } else {
            self.step_here(real_secs);
        }
        let wants = |running: &Running| !running.is_away() && running.wants_another_part();
        if self.stage.as_ref().is_some_and(wants) {
            self.with_stage(window, "Choosing what moves", Stage::move_wanted_part);
        }
    }

    fn step_here(&mut self, real_secs: f64) {
        let Some(running) = &mut self.stage else {
            return;
        };
        let frame_secs = running.simulation.world().frame_secs();
        let mut steps = Steps {
            reports: Default::default(),
            samples: Vec::new(),
            times: Vec::new(),
        };
        let (viewport, probe) = (&mut self.viewport, self.trace.probe());
        let probe = probe.filter(|_| self.plots);
        self.clock.advance(real_secs, frame_secs, || {
            let start = Instant::now();
            for (report, step) in steps.reports.iter_mut().zip(running.step()) {
                *report += step;
            }
            viewport.note(running);
            steps
                .samples
                .extend(probe.map(|probe| probe.sample(running)));
            steps.times.push(start.elapsed().as_secs_f64());
        });
        if !self.platform.has_threads() && !self.bears_slowness {
            for secs in &steps.times {
                // One may be an accident, two in a row are none.
                let before = core::mem::replace(&mut self.last_wait, *secs);
                if before.min(*secs) > UNBEARABLE {
                    self.clock.paused = true;
                    self.too_slow = Some(*secs);
                }
            }
        }
        self.note_steps(&steps, real_secs);
    }

    fn step_beside(&mut self, window: &Context, real_secs: f64) {
        let Some(running) = &mut self.stage else {
            return;
        };
        let Some(beside) = &running.beside else {
            if running.is_large() {
                self.with_running(window, "Making ready for long steps", |running| {
                    running.part();
                    Ok(())
                });
                return;
            }
            running.part();
            return self.step_beside(window, real_secs);
        };
        let frame_secs = running.simulation.world().frame_secs();
        let span = frame_secs * beside.frames as f64;
        let due = self
            .clock
            .glide(real_secs, span, frame_secs / beside.frame_takes.max(1e-9));
        let void = running.away().is_some_and(|away| away.void);
        let mut steps = None;
        if due || self.steps_wanted > 0 || void || !self.chores.is_empty() {
            let Ok(back) = running.arrive() else {
                self.lose_trees(window);
                return;
            };
            steps = back;
        }
        match steps {
            Some(steps) => {
                self.viewport.note(running);
                if void {
                    self.viewport.note(running);
                    self.trace.start(running, self.selected);
                } else {
                    self.clock.show_next(span);
                    self.steps_wanted = self.steps_wanted.saturating_sub(1);
                    if self.clock.paused {
                        let span = frame_secs * running.frames_between() as f64;
                        self.clock.catch_up(span);
                    }
                    self.note_steps(&steps, real_secs);
                    self.tell_slowness(&steps);
                }
            }
            None => self.step_rate.note(0, real_secs),
        }
        self.go_on_beside(window, frame_secs);
    }

    /// Sends the stage away for its next frames, or to what waits for it.
    fn go_on_beside(&mut self, window: &Context, frame_secs: f64) {
        if self.stage.as_ref().is_none_or(Running::is_away) || self.do_chores(window) {
            return;
        }
        // As many frames as pass until the window is drawn again.
        let drawn_secs = f64::from(self.frame_ms.mean()) * 1e-3;
        let frames = match self.clock.paused {
            true if self.steps_wanted == 0 => return,
            true => 1,
            false => (drawn_secs * self.clock.speed / frame_secs).ceil() as u32,
        };
        let probe = self.trace.probe().filter(|_| self.plots);
        let Some(running) = &mut self.stage else {
            return;
        };
        if !running.is_slow() {
            return;
        }
        let Some(beside) = &mut running.beside else {
            return;
        };
        let old = beside.old.take();
        if let Some(stage) = beside.stage.take() {
            let job = Job::start(&*self.platform, window, move || {
                drop(old);
                take_steps(stage, frames, probe)
            });
            beside.away = Some(Away {
                job,
                deeds: Vec::new(),
                void: false,
            });
        }
    }

    /// Says once why the trees move slowly.
    fn tell_slowness(&mut self, steps: &Steps) {
        let slowest = steps.times.iter().copied().fold(0.0, f64::max);
        if slowest > TOLD && !self.told_slowness {
            self.told_slowness = true;
            let meets_itself = self
                .stage
                .as_ref()
                .is_some_and(|running| running.is_unsteady());
            let faster = if meets_itself {
                "another solver (World) is faster"
            } else {
                "fewer bodies (Tree, What moves) are faster"
            };
            self.say(format!(
                "Slow motion: a step takes {slowest:.1} s; {faster}"
            ));
        }
    }

    /// Goes on with trees whose steps hold up the window.
    pub(crate) fn go_on_slowly(&mut self) {
        self.too_slow = None;
        self.clock.paused = false;
        self.bears_slowness = true;
    }

    /// Goes on with as many bodies as do not hold up the window or, where trees meet themselves, with a solver by which they do not.
    pub(crate) fn go_on_faster(&mut self, window: &Context) {
        self.too_slow = None;
        self.clock.paused = false;
        if self
            .stage
            .as_ref()
            .is_some_and(|running| running.is_unsteady())
        {
            let trees = self.facts().map_or(0, |facts| facts.file.trees.len());
            self.edit(window, "Solver", |project| {
                for i in 0..trees {
                    project.remove(&format!("tree.{i}.settings.self_contact.enabled"));
                    project.set(&format!("tree.{i}.solver"), "coupled");
                }
            });
        } else {
            self.automatic = true;
            self.hold_pace(window);
        }
    }

    /// What they did, for plots and figures.
    fn note_steps(&mut self, steps: &Steps, real_secs: f64) {
        let frames = steps.times.len();
        self.step_rate.note(frames as u32, real_secs);
        for secs in &steps.times {
            self.step_ms.note(*secs as f32 * 1e3);
        }
        for sample in &steps.samples {
            self.trace.note(sample);
        }
        if frames > 0 {
            for (means, report) in self.stage_ms.iter_mut().zip(&steps.reports) {
                for (mean, (_, time)) in means.iter_mut().zip(report.times.named()) {
                    smooth(mean, time.as_secs_f32() * 1e3 / frames as f32);
                }
            }
            self.report = steps.reports[0];
        }
    }

    /// One frame while time stands still.
    pub(crate) fn step_once(&mut self) {
        self.clock.paused = true;
        let Some(running) = &mut self.stage else {
            return;
        };
        if self.platform.has_threads() && (running.is_away() || running.is_slow()) {
            self.steps_wanted += 1;
            return;
        }
        let reports = running.step();
        let sample = self.trace.probe().map(|probe| probe.sample(running));
        self.report = reports[0];
        self.viewport.note(running);
        if let Some(sample) = sample {
            self.trace.note(&sample);
        }
        self.clock.catch_up(running.simulation.world().frame_secs());
    }

    /// How far the drawn moment is from the last frame but one to the last.
    pub(crate) fn blend(&self) -> f32 {
        let span = self.stage.as_ref().map(|running| {
            running.simulation.world().frame_secs() * running.frames_between() as f64
        });
        span.map_or(0.0, |span| self.clock.blend(span))
    }

    /// A mistake of the program, from which it recovers.
    pub(crate) fn lose_trees(&mut self, window: &Context) {
        self.stage = None;
        self.complain("The trees were lost: the program made a mistake. They grow again");
        self.grow(window);
    }
}
