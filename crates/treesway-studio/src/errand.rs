//! What takes long on large trees is done beside the window: the stage is away for that time, and the window goes on with the picture of the last frame, from wherever the
//! camera is led to.

use crate::app::{PACE, Studio};
use crate::grip::Hand;
use crate::platform::Job;
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
    job: Job<(Stage, Result<(), SceneError>)>,
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

impl Studio {
    /// Does something to the stage: at once or, with a large one, beside the window. Whether it can be done; what is found out later is said later.
    pub(crate) fn with_stage(
        &mut self,
        window: &Context,
        what: &'static str,
        work: impl FnOnce(&mut Stage) -> Result<(), SceneError> + Send + 'static,
    ) -> bool {
        let Some(mut stage) = self.stage.take() else {
            return true;
        };
        if !stage.is_large() {
            let done = work(&mut stage);
            self.stage = Some(stage);
            return match done {
                Ok(()) => true,
                Err(error) => {
                    self.complain(error);
                    false
                }
            };
        }
        let facts = Facts::of(&stage);
        let job = Job::start(&*self.platform, window, move || {
            let done = work(&mut stage);
            (stage, done)
        });
        self.errand = Some(Errand {
            job,
            facts,
            what,
            restarts: false,
            let_go: Vec::new(),
            follow_again: false,
        });
        true
    }

    /// What is known of the trees.
    pub(crate) fn facts(&self) -> Option<Facts> {
        let away = self.errand.as_ref().map(|errand| errand.facts.clone());
        self.stage.as_ref().map(Facts::of).or(away)
    }

    /// The stage comes back, and does what was asked for meanwhile.
    pub(crate) fn take_stage_back(&mut self, window: &Context) {
        let Some(back) = self.errand.as_ref().and_then(|errand| errand.job.poll()) else {
            return;
        };
        let errand = self.errand.take().expect("it was there above");
        let Some((stage, done)) = back else {
            self.complain("The trees were lost: the program made a mistake. They grow again");
            self.grow(window);
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
        let paced = self.stage.as_ref().is_some_and(Stage::is_paced);
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
        self.with_stage(window, "Back to the start", |stage| {
            stage.restart();
            Ok(())
        });
        if let Some(errand) = &mut self.errand {
            errand.restarts = true;
        } else if let Some(stage) = &self.stage {
            self.viewport.note(stage);
            self.viewport.note(stage);
            self.trace.start(stage, self.selected);
        }
    }
}
