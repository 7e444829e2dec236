//! What takes long on large trees is done beside the window: the stage is away for that time, and the window goes on with the picture of the last frame, from wherever the
//! camera is led to.

use crate::app::{PACE, Studio};
use crate::grip::Hand;
use crate::platform::Job;
use crate::running::Running;
use crate::stage::{Figures, Stage};
use eframe::egui::Context;
use treesway_io::SceneError;
use treesway_io::scene::SceneFile;

/// What is told of the trees, also while they are away.
#[derive(Clone)]
pub(crate) struct Facts {
    /// What grew.
    pub(crate) file: SceneFile,
    /// Of every tree.
    pub(crate) figures: Vec<Figures>,
    /// What came off every tree.
    pub(crate) off: Vec<usize>,
    /// Bodies that move on their own, and all.
    pub(crate) moving: [usize; 2],
    /// Of all trees, creatures included.
    pub(crate) bodies: usize,
    /// Simulated, s.
    pub(crate) seconds: f64,
}

impl Facts {
    fn of(stage: &Stage) -> Self {
        let world = stage.simulation.world();
        let off = world.trees().iter().map(|tree| tree.off_counts().total());
        Self {
            file: stage.file().clone(),
            figures: stage.figures.clone(),
            off: off.collect(),
            moving: stage.moving(),
            bodies: stage.simulation.bodies(),
            seconds: world.seconds(),
        }
    }
}

/// A stage that is away.
pub(crate) struct Errand {
    job: Job<(Running, Result<(), SceneError>)>,
    facts: Facts,
    /// What is done, for the user.
    pub(crate) what: &'static str,
    /// It ends at the first frame.
    restarts: bool,
    /// Hands that have let go since.
    let_go: Vec<Hand>,
    /// The project was edited since.
    follow_again: bool,
}

/// What is done to a stage beside the window.
type Work = Box<dyn FnOnce(&mut Running) -> Result<(), SceneError> + Send>;

/// Something that takes long with a large stage.
pub(crate) struct Chore {
    what: &'static str,
    restarts: bool,
    work: Work,
}

impl Studio {
    /// Does something to the stage: at once or, with a large one, beside the window. Whether it can be done; what is found out later is said later.
    pub(crate) fn with_stage(
        &mut self,
        window: &Context,
        what: &'static str,
        work: impl Fn(&mut Stage) -> Result<(), SceneError> + Send + 'static,
    ) -> bool {
        match &mut self.stage {
            Some(running) if !running.is_large() => {
                let done = running.apply(work);
                done.map_err(|error| self.complain(error)).is_ok()
            }
            Some(_) => {
                self.with_running(window, what, |running| {
                    running.come_home();
                    running.apply(work)
                });
                true
            }
            None => true,
        }
    }

    /// Does something to a large stage beside the window, as soon as it is there.
    pub(crate) fn with_running(
        &mut self,
        window: &Context,
        what: &'static str,
        work: impl FnOnce(&mut Running) -> Result<(), SceneError> + Send + 'static,
    ) {
        self.chores.push(Chore {
            what,
            restarts: false,
            work: Box::new(work),
        });
        if !self.stage.as_ref().is_some_and(Running::is_away) {
            self.do_chores(window);
        }
    }

    /// Does what waits for the stage; whether anything does.
    pub(crate) fn do_chores(&mut self, window: &Context) -> bool {
        let chores = core::mem::take(&mut self.chores);
        let Some(what) = chores.last().map(|chore| chore.what) else {
            return false;
        };
        let Some(mut running) = self.stage.take() else {
            return false;
        };
        let facts = Facts::of(&running);
        let restarts = chores.iter().any(|chore| chore.restarts);
        let job = Job::start(&*self.platform, window, move || {
            let work = chores.into_iter().map(|chore| chore.work);
            let mut done = Ok(());
            for work in work {
                done = done.and(work(&mut running));
            }
            (running, done)
        });
        self.errand = Some(Errand {
            job,
            facts,
            what,
            restarts,
            let_go: Vec::new(),
            follow_again: false,
        });
        true
    }

    /// What is known of the trees.
    pub(crate) fn facts(&self) -> Option<Facts> {
        let away = self.errand.as_ref().map(|errand| errand.facts.clone());
        self.stage.as_deref().map(Facts::of).or(away)
    }

    /// The stage comes back, and does what was asked for meanwhile.
    pub(crate) fn take_stage_back(&mut self, window: &Context) {
        let Some(back) = self.errand.as_ref().and_then(|errand| errand.job.poll()) else {
            return;
        };
        let errand = self.errand.take().expect("it was there above");
        let Some((stage, done)) = back else {
            self.lose_trees(window);
            return;
        };
        self.viewport.note(&stage);
        if errand.restarts {
            self.viewport.note(&stage);
            self.trace.start(&stage, self.selected);
        }
        self.stage = Some(stage);
        if let Err(error) = done {
            self.take_back(window);
            self.complain(error);
        }
        for hand in errand.let_go {
            self.release(window, hand);
        }
        if errand.follow_again {
            self.follow(window);
        }
        let paced = self
            .stage
            .as_ref()
            .is_some_and(|running| running.is_paced());
        if self.stage.is_some() && paced != self.automatic {
            self.hold_pace(window);
        }
    }

    /// The project was edited while the stage is away; whether it is.
    pub(crate) fn follow_when_back(&mut self) -> bool {
        let away = self.errand.as_mut();
        away.map(|errand| errand.follow_again = true).is_some()
    }

    /// A hand lets go while the stage is away; whether it is.
    pub(crate) fn let_go_when_back(&mut self, hand: Hand) -> bool {
        let away = self.errand.as_mut();
        away.map(|errand| errand.let_go.push(hand)).is_some()
    }

    /// As many bodies move as hold the frame rate, or as the project says.
    pub(crate) fn hold_pace(&mut self, window: &Context) {
        let pace = self.automatic.then_some(PACE);
        self.with_stage(window, "Choosing what moves", move |stage| {
            stage.set_pace(pace);
            Ok(())
        });
    }

    /// Back to the first frame.
    pub(crate) fn restart(&mut self, window: &Context) {
        if self.errand.is_some() {
            return;
        }
        self.grips.clear();
        self.steps_wanted = 0;
        let Some(running) = &mut self.stage else {
            return;
        };
        if running.is_large() {
            self.with_stage(window, "Back to the start", |stage| {
                stage.restart();
                Ok(())
            });
            match (&mut self.errand, self.chores.last_mut()) {
                (Some(errand), _) => errand.restarts = true,
                (None, Some(chore)) => chore.restarts = true,
                (None, None) => {}
            }
            return;
        }
        running.restart();
        self.viewport.note(running);
        self.viewport.note(running);
        self.trace.start(running, self.selected);
    }
}
