//! The app: one project, its trees, and the window around them.

use crate::clock::Clock;
use crate::curve_editor::Radii;
use crate::dialogs::Dialog;
use crate::errand::{Chore, Errand};
use crate::files::Purpose;
use crate::gizmo::Turn;
use crate::grip::{Grip, Hand};
use crate::history::History;
use crate::meter::{Meter, Rate};
use crate::orbit::Orbit;
use crate::panels::Tab;
use crate::pick::Hit;
use crate::platform::{Export, Job, Platform, Progress};
use crate::plots::Trace;
use crate::project::Project;
use crate::running::Running;
use crate::stage::{Beside, Change, Stage};
use crate::theme;
use crate::viewport::{View, Viewport};
use crate::widgets::grouped;
use eframe::egui::{Context, Pos2, Rect, Ui, ViewportCommand, vec2};
use eframe::egui_wgpu::RenderState;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use treesway::glam::Vec3;
use treesway::{BodyId, StepReport, TreeId, WindCell};
use treesway_io::SceneError;
use treesway_render::TreeMesh;

/// What the pointer does in the viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Pulls wood, and lets it swing back.
    #[default]
    Pull,
    /// Pulls wood, and keeps it bent.
    Bend,
    /// Throws a ball.
    Throw,
    /// Takes a branch off.
    Cut,
    /// Sends a squirrel to a branch.
    Squirrel,
    /// Leads the camera around.
    Look,
}

/// One line for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What is said.
    pub text: String,
    /// Whether something went wrong.
    pub wrong: bool,
}

/// A ball as it will be thrown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throw {
    /// m/s.
    pub speed: f32,
    /// kg.
    pub mass: f32,
    /// m.
    pub radius: f32,
}

impl Default for Throw {
    /// A football, kicked hard.
    fn default() -> Self {
        Self {
            speed: 24.0,
            mass: 0.45,
            radius: 0.11,
        }
    }
}

type Grown = Result<(Stage, Vec<TreeMesh>), SceneError>;

/// Time of a simulated frame where as many bodies move as hold the frame rate, s: half of what 60 frames a second leave.
pub(crate) const PACE: f64 = 1.0 / 120.0;

/// Edits that put another project in place of the one that was there.
const OPEN: &str = "Open";
pub(crate) const RECOVER: &str = "Recover";

/// Unsaved work is kept this often, s.
const KEEP_EVERY: f64 = 3.0;

/// The app.
pub struct Studio {
    pub(crate) platform: Box<dyn Platform>,
    pub(crate) project: Project,
    /// As it was saved or opened last.
    pub(crate) saved: Project,
    /// Where it was saved; none of what came with the program.
    pub(crate) path: Option<String>,
    pub(crate) history: History,
    pub(crate) stage: Option<Running>,
    growing: Option<Job<Grown>>,
    /// The stage is away.
    pub(crate) errand: Option<Errand>,
    /// What it is awaited for.
    pub(crate) chores: Vec<Chore>,
    /// Frames that were asked for while time stands still.
    pub(crate) steps_wanted: u32,
    /// How long the last step took that the window waited for, s.
    pub(crate) last_wait: f64,
    /// How long a step took that stopped the clock, s.
    pub(crate) too_slow: Option<f64>,
    /// The user wants to see these trees move, however long the window waits for them.
    pub(crate) bears_slowness: bool,
    /// That they move slowly was said.
    pub(crate) told_slowness: bool,
    /// The project was edited while it grew.
    grow_again: bool,
    pub(crate) viewport: Viewport,
    pub(crate) view: View,
    pub(crate) orbit: Orbit,
    /// The camera has not been led to the trees yet.
    pub(crate) unframed: bool,
    /// Where the viewport is in the window, points.
    pub(crate) rect: Rect,
    pub(crate) clock: Clock,
    pub(crate) tool: Tool,
    /// Of the hand, N.
    pub(crate) strength: f32,
    /// The ball in the hand.
    pub(crate) throw: Throw,
    /// Bends are kept from the chosen branch on only.
    pub(crate) bend_chosen: bool,
    /// Another solver, whose trees stand beside the others.
    pub(crate) beside: Option<Beside>,
    /// As many bodies move as hold the frame rate.
    pub(crate) automatic: bool,
    /// What cells of the wind map are painted with, besides the wind.
    pub(crate) brush: WindCell,
    /// What the pointer and fingers hold.
    pub(crate) grips: Vec<(Hand, Grip)>,
    /// The ring that is held.
    pub(crate) turn: Option<Turn>,
    pub(crate) hovered: Option<(usize, Hit)>,
    /// When that is looked for next.
    pub(crate) hover_again: Option<web_time::Instant>,
    pub(crate) selected: Option<(TreeId, BodyId)>,
    pub(crate) radii: Option<Radii>,
    pub(crate) tab: Tab,
    pub(crate) dialog: Dialog,
    pub(crate) message: Option<Message>,
    pub(crate) trace: Trace,
    pub(crate) plots: bool,
    pub(crate) sway: Option<Job<f64>>,
    pub(crate) sway_hz: Option<f32>,
    pub(crate) report: StepReport,
    /// Time of a simulated frame by stages, of the trees and of those beside them, ms, smoothed.
    pub(crate) stage_ms: [[f32; 6]; 2],
    /// Time of a simulated frame, of drawing the trees, and between two drawn frames.
    pub(crate) step_ms: Meter,
    pub(crate) draw_ms: Meter,
    pub(crate) frame_ms: Meter,
    /// Simulated frames in a second.
    pub(crate) step_rate: Rate,
    pub(crate) exporting: Option<Arc<Progress>>,
    /// The file that is read next is a preset.
    pub(crate) wants_settings: bool,
    kept_at: f64,
    kept: Option<Project>,
    /// The window is to be closed.
    pub(crate) closing: Closing,
}

/// Whether the window is to be closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Closing {
    /// Nobody asked.
    #[default]
    No,
    /// Once the project is saved.
    WhenSaved,
    /// Whatever is unsaved.
    Now,
}

impl Studio {
    /// Opens a project in a window that draws with `gpu`.
    pub fn new(
        window: &Context,
        gpu: RenderState,
        platform: Box<dyn Platform>,
        project: Project,
    ) -> Self {
        theme::apply(window);
        let mut studio = Self {
            platform,
            saved: project.clone(),
            path: None,
            project,
            history: History::default(),
            stage: None,
            growing: None,
            errand: None,
            chores: Vec::new(),
            steps_wanted: 0,
            last_wait: 0.0,
            too_slow: None,
            bears_slowness: false,
            told_slowness: false,
            grow_again: false,
            viewport: Viewport::new(gpu),
            view: View::default(),
            orbit: Orbit::framing(
                [Vec3::new(-5.0, 0.0, -5.0), Vec3::new(5.0, 10.0, 5.0)],
                1.5,
                60.0,
                4.0,
            ),
            unframed: true,
            rect: Rect::from_min_size(Pos2::ZERO, vec2(900.0, 600.0)),
            clock: Clock::default(),
            tool: Tool::default(),
            strength: 400.0,
            throw: Throw::default(),
            bend_chosen: false,
            beside: None,
            automatic: false,
            brush: WindCell::default(),
            grips: Vec::new(),
            turn: None,
            hovered: None,
            hover_again: None,
            selected: None,
            radii: None,
            tab: Tab::default(),
            dialog: Dialog::None,
            message: None,
            trace: Trace::default(),
            plots: false,
            sway: None,
            sway_hz: None,
            report: StepReport::default(),
            stage_ms: [[0.0; 6]; 2],
            step_ms: Meter::default(),
            draw_ms: Meter::default(),
            frame_ms: Meter::default(),
            step_rate: Rate::default(),
            exporting: None,
            wants_settings: false,
            kept_at: 0.0,
            kept: None,
            closing: Closing::No,
        };
        if let Some(text) = studio.platform.kept() {
            let kept = Project::parse(&text, studio.project.name());
            // The program may have died between saving and forgetting.
            if kept.is_ok_and(|kept| kept == studio.project) {
                studio.platform.keep(None);
            } else {
                studio.dialog = Dialog::Recover(text);
            }
        }
        studio.follow(window);
        studio
    }

    /// The project as it is now.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// A file that the project came from and is saved to.
    pub fn set_path(&mut self, path: String) {
        self.path = Some(path);
    }

    /// Hash of the motion of all trees; none while they grow.
    pub fn state_hash(&self) -> Option<u64> {
        let ready = self.stage.as_ref().filter(|_| self.growing.is_none());
        ready.map(|stage| stage.simulation.world().state_hash())
    }

    /// Whether there are edits that no file holds.
    pub fn is_unsaved(&self) -> bool {
        self.project != self.saved
    }

    /// Forces of hands on the branches that they hold, N.
    pub fn pull_forces(&self) -> Vec<f32> {
        let forces = self.grips.iter().filter_map(|(hand, _)| {
            let force = self.stage.as_ref()?.force_of(*hand)?;
            Some(force.length())
        });
        forces.collect()
    }

    /// Where the middle of a body of the first tree is seen in the window, points.
    pub fn place_of(&self, body: BodyId) -> Option<Pos2> {
        let tree = self.stage.as_ref()?.simulation.world().tree(TreeId(0));
        let middle = tree.pose(body).position.midpoint(tree.tip(body));
        self.orbit.project(middle, self.rect)
    }

    /// Where rings that turn the chosen joint can be taken in the window, points.
    pub fn ring_places(&self) -> Vec<Pos2> {
        let handles = self
            .rings(self.rect)
            .map(|r| r.handles(&self.orbit, self.rect));
        handles.into_iter().flatten().flatten().collect()
    }

    /// How many balls lie about, those beside the trees not counted.
    pub fn balls(&self) -> usize {
        let world = self.stage.as_ref().map(|stage| stage.simulation.world());
        world.map_or(0, |world| world.balls().len())
    }

    /// Simulated seconds since the start.
    pub fn seconds(&self) -> f64 {
        let world = self.stage.as_ref().map(|stage| stage.simulation.world());
        world.map_or(0.0, |world| world.seconds())
    }

    /// Time of a simulated frame, ms, smoothed.
    pub fn step_ms(&self) -> f32 {
        self.step_ms.mean()
    }

    /// How many trees are drawn, those beside the project's included.
    pub fn shown(&self) -> usize {
        self.stage.as_ref().map_or(0, |stage| stage.shown().count())
    }

    /// What was said last.
    pub fn last_message(&self) -> Option<&str> {
        self.message.as_ref().map(|message| &*message.text)
    }

    /// Says one line.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.message = Some(Message {
            text: text.into(),
            wrong: false,
        });
    }

    /// Says what went wrong.
    pub(crate) fn complain(&mut self, error: impl core::fmt::Display) {
        self.message = Some(Message {
            text: error.to_string(),
            wrong: true,
        });
    }

    /// Changes the project, as one step of the history, and lets the trees follow. An edit that the project does not allow is taken back.
    pub(crate) fn edit(&mut self, window: &Context, what: &str, change: impl FnOnce(&mut Project)) {
        let before = self.project.clone();
        change(&mut self.project);
        if self.project == before {
            return;
        }
        if self.follow(window) {
            self.history.note(before, what);
        } else {
            self.project = before;
        }
    }

    /// Takes the last edit back.
    pub(crate) fn undo(&mut self, window: &Context) {
        if let Some(what) = self.history.undo(&mut self.project) {
            self.say(format!("Undone: {what}"));
            self.forget_path(&what);
            self.follow(window);
        }
    }

    /// Another project is there than the one that was saved or opened last: it is not to be saved over that.
    fn forget_path(&mut self, what: &str) {
        if what == OPEN || what == RECOVER {
            self.path = None;
            self.unframed = true;
        }
    }

    /// Makes it again.
    pub(crate) fn redo(&mut self, window: &Context) {
        if let Some(what) = self.history.redo(&mut self.project) {
            self.say(format!("Done again: {what}"));
            self.forget_path(&what);
            self.follow(window);
        }
    }

    /// Leads the trees to where the project is; false, with a message, where it cannot be.
    pub(crate) fn follow(&mut self, window: &Context) -> bool {
        let scene = match self.project.scene() {
            Ok(scene) => scene,
            Err(error) => {
                self.complain(error);
                return false;
            }
        };
        if self.follow_when_back() {
            return true;
        }
        let live = self.growing.is_none()
            && self
                .stage
                .as_ref()
                .is_some_and(|stage| stage.change(&scene) == Change::Live);
        if !live {
            self.grow(window);
            return true;
        }
        self.sway_hz = None;
        let stage = self.stage.as_mut().expect("it is live");
        if stage.moves_another_part(&scene) {
            let what = "Choosing what moves";
            return self.with_stage(window, what, move |stage| stage.follow(scene.clone()));
        }
        match stage.apply(move |stage| stage.follow(scene.clone())) {
            Ok(()) => {
                let stage = self.stage.as_ref().expect("it is live");
                let shown = self.viewport.take_new(stage);
                shown.map_err(|error| self.complain(error)).is_ok()
            }
            Err(error) => {
                self.complain(error);
                false
            }
        }
    }

    /// Takes an edit back that turned out to be wrong.
    pub(crate) fn take_back(&mut self, window: &Context) {
        if self.history.undo(&mut self.project).is_some() {
            self.follow(window);
        }
    }

    pub(crate) fn grow(&mut self, window: &Context) {
        if self.growing.is_some() {
            self.grow_again = true;
            return;
        }
        let (project, quality) = (self.project.clone(), self.viewport.quality());
        let (beside, automatic) = (self.beside, self.automatic);
        let work = move || {
            let mut stage = Stage::grow(&project, beside)?;
            if automatic || stage.needs_pace() {
                stage.set_pace(Some(PACE));
            }
            if stage.is_large() {
                stage.try_out();
            }
            let meshes = stage.meshes(quality);
            Ok((stage, meshes))
        };
        self.growing = Some(Job::start(&*self.platform, window, work));
    }

    /// Whether trees grow that will be shown next.
    pub fn is_growing(&self) -> bool {
        self.growing.is_some()
    }

    /// Bodies that move on their own, and all; none before anything has grown.
    pub fn moving(&self) -> Option<[usize; 2]> {
        self.facts().map(|facts| facts.moving)
    }

    /// Whether the trees are away for something that takes long.
    pub fn is_busy(&self) -> bool {
        self.errand.is_some()
    }

    fn take_what_grew(&mut self, window: &Context) {
        // What grew goes on where the old trees are.
        if self.errand.is_some() {
            return;
        }
        let Some(grown) = self.growing.as_ref().and_then(Job::poll) else {
            return;
        };
        self.growing = None;
        match grown {
            Some(Ok((stage, meshes))) => self.show(stage, meshes),
            Some(Err(error)) => {
                self.stay_with_what_grew(window);
                self.complain(error);
            }
            None => self.complain("The trees could not be grown: the program made a mistake"),
        }
        if core::mem::take(&mut self.grow_again) {
            self.grow(window);
        }
    }

    /// What was edited last does not grow: the trees that are there stay, and so does their project.
    fn stay_with_what_grew(&mut self, window: &Context) {
        let scene = self.project.scene().ok();
        match &self.stage {
            Some(stage) if scene.is_some_and(|scene| stage.change(&scene) == Change::Live) => {
                self.beside = None;
            }
            Some(_) => self.take_back(window),
            None => {}
        }
    }

    fn show(&mut self, mut stage: Stage, meshes: Vec<TreeMesh>) {
        if let Some(old) = &self.stage {
            stage.go_on(old);
        }
        if let Err(error) = self.viewport.take(&stage, meshes) {
            self.complain(error);
            return;
        }
        if stage.is_paced() && !self.automatic {
            self.automatic = true;
            let all = grouped(stage.moving()[1] as f64);
            self.say(format!(
                "{all} bodies: as many move as hold the frame rate; Tree, What moves says which"
            ));
        }
        self.grips.clear();
        self.turn = None;
        self.hovered = None;
        let trees = stage.simulation.world().trees();
        self.selected = self
            .selected
            .filter(|(tree, body)| trees.get(tree.0).is_some_and(|t| body.index() < t.len()));
        self.radii = trees.first().map(Radii::of);
        self.trace.start(&stage, self.selected);
        self.sway_hz = None;
        self.steps_wanted = 0;
        (self.last_wait, self.too_slow) = (0.0, None);
        (self.bears_slowness, self.told_slowness) = (false, false);
        self.chores.clear();
        self.stage = Some(Running::new(stage));
    }

    /// Opens another project; what is unsaved is kept in the history.
    pub(crate) fn open(&mut self, window: &Context, text: &str, name: &str) {
        match Project::parse(text, name) {
            Ok(project) => {
                let before = core::mem::replace(&mut self.project, project);
                self.history.close();
                if self.follow(window) {
                    self.history.note(before, OPEN);
                    self.history.close();
                    self.saved = self.project.clone();
                    self.unframed = true;
                    self.selected = None;
                    self.say(format!("Opened {name}"));
                } else {
                    self.project = before;
                }
            }
            Err(error) => self.complain(error),
        }
    }

    /// Saves to where it was saved last, or asks where.
    pub(crate) fn save(&mut self) {
        match self.path.clone() {
            Some(path) => self.save_as(&path),
            None => {
                let name = format!("{}.toml", self.title());
                self.ask_for_file(Purpose::Save, Some(&name));
            }
        }
    }

    /// Saves to a file.
    pub(crate) fn save_as(&mut self, path: &str) {
        let text = self.project.to_toml();
        self.platform.write(path, &text);
    }

    /// What the project is called, without folders and ending.
    pub(crate) fn title(&self) -> String {
        let name = self.path.as_deref().unwrap_or(self.project.name());
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        name.strip_suffix(".toml").unwrap_or(name).to_owned()
    }

    /// Starts to write for other programs.
    pub(crate) fn start_export(&mut self, export: &Export) {
        if self.exporting.is_some() {
            self.complain("An export is under way; wait for it, or cancel it");
            return;
        }
        self.exporting = self.platform.export(&self.project, export);
        if self.exporting.is_none() {
            self.complain("Nothing can be exported here");
        }
    }

    fn take_export(&mut self) {
        let Some(progress) = &self.exporting else {
            return;
        };
        let end = progress
            .end
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .take();
        let cancelled = progress.cancelled.load(Relaxed);
        let Some(end) = end else {
            return;
        };
        self.exporting = None;
        match end {
            Ok(text) => self.say(text),
            // What was asked for is no error.
            Err(text) if cancelled => self.say(text),
            Err(error) => self.complain(error),
        }
    }

    /// Everything is saved: nothing is to be offered.
    pub(crate) fn forget_kept(&mut self) {
        self.platform.keep(None);
        self.kept = None;
    }

    /// Keeps unsaved work in case the app dies.
    fn keep(&mut self, now: f64) {
        if now - self.kept_at < KEEP_EVERY {
            return;
        }
        self.kept_at = now;
        if matches!(self.dialog, Dialog::Recover(_)) {
            return;
        }
        let unsaved = Some(&self.project).filter(|p| **p != self.saved);
        if self.kept.as_ref() != unsaved {
            let unsaved = unsaved.cloned();
            let text = unsaved
                .as_ref()
                .map(|project| kept_text(project, self.path.as_deref()));
            self.platform.keep(text.as_deref());
            self.kept = unsaved;
        }
    }

    /// Asks for the sway of the first tree while its plots are shown.
    fn ask_for_sway(&mut self, window: &Context) {
        if let Some(done) = self.sway.as_ref().and_then(Job::poll) {
            self.sway = None;
            self.sway_hz = done.map(|hz| hz as f32);
        }
        let wanted = self.plots && self.sway_hz.is_none() && self.sway.is_none();
        // Of millions of bodies a copy alone would hold up the window.
        let stage = self.stage.as_ref().filter(|stage| !stage.is_large());
        if let Some(stage) = stage.filter(|_| wanted) {
            let tree = stage.simulation.world().tree(TreeId(0)).clone();
            self.sway = Some(Job::start(&*self.platform, window, move || {
                tree.first_frequency()
            }));
        }
    }

    /// Whoever closes the window is asked about what is unsaved.
    fn ask_before_closing(&mut self, window: &Context) {
        let asked = window.input(|i| i.viewport().close_requested());
        if asked && self.is_unsaved() && self.closing != Closing::Now {
            window.send_viewport_cmd(ViewportCommand::CancelClose);
            self.dialog = Dialog::Close;
        }
        if self.closing == Closing::WhenSaved && !self.is_unsaved() {
            self.close(window);
        }
    }

    /// Closes the window.
    pub(crate) fn close(&mut self, window: &Context) {
        self.closing = Closing::Now;
        window.send_viewport_cmd(ViewportCommand::Close);
    }

    /// Draws the window and does what the user asks for.
    pub fn ui(&mut self, ui: &mut Ui) {
        let window = ui.ctx().clone();
        let (real_secs, now) = window.input(|i| (f64::from(i.stable_dt), i.time));
        self.frame_ms.note(real_secs as f32 * 1e3);
        self.take_answers(&window);
        self.take_dropped(&window);
        self.take_stage_back(&window);
        self.take_what_grew(&window);
        self.ask_for_sway(&window);
        self.take_export();
        self.ask_before_closing(&window);
        self.shortcuts(&window);
        self.step(&window, real_secs);
        self.top_bar(ui);
        self.status_bar(ui);
        self.tool_rail(ui);
        self.side_panel(ui);
        self.plot_panel(ui);
        self.central(ui);
        self.dialogs(&window);
        if !window.input(|i| i.pointer.any_down()) {
            self.history.close();
        }
        self.keep(now);
        let busy = self.growing.is_some() || self.errand.is_some() || self.exporting.is_some();
        if !self.clock.paused || busy {
            window.request_repaint();
        }
    }
}

impl eframe::App for Studio {
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        Self::ui(self, ui);
    }

    fn on_exit(&mut self) {
        // Whoever closes the window was asked about what is unsaved.
        self.platform.keep(None);
    }
}

/// What the first line of unsaved work says before the file that it is of.
const KEPT_OF: &str = "# Unsaved edits of ";

/// A project and the file that it is of, to be kept.
fn kept_text(project: &Project, path: Option<&str>) -> String {
    let text = project.to_toml();
    path.map_or_else(|| text.clone(), |path| format!("{KEPT_OF}{path}\n{text}"))
}

/// The file that unsaved work is of.
pub(crate) fn path_of_kept(text: &str) -> Option<&str> {
    text.lines().next()?.strip_prefix(KEPT_OF)
}
