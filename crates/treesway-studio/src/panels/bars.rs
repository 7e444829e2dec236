//! Bars at the edges: files, history and time above, tools at the left, figures below; and the keys that do the same.

use super::{Tab, frame};
use crate::app::{Studio, Tool};
use crate::dialogs::Dialog;
use crate::errand::Facts;
use crate::files::Purpose;
use crate::platform::Progress;
use crate::theme::{Icon, TOOL, icon_button, palette, tool_button};
use crate::widgets::{Number, bar, grouped, prefixed};
use eframe::egui::{Align, Context, Key, Layout, Margin, Modifiers, Panel, Theme, Ui};
use std::sync::atomic::Ordering::Relaxed;

/// Speeds of simulated time, and what they are called.
const SPEEDS: [(f64, &str); 5] = [
    (0.05, "1/20"),
    (0.1, "1/10"),
    (0.25, "1/4"),
    (0.5, "1/2"),
    (1.0, "1×"),
];

/// Keys and what they do, for the help.
pub const KEYS: [(&str, &str); 21] = [
    (
        "drag on wood",
        "pull it (tool Pull), bend it for good (Bend)",
    ),
    (
        "drag beside it",
        "turn the camera; with the right button anywhere",
    ),
    (
        "Shift + drag",
        "move the camera; or the middle button, two fingers",
    ),
    ("wheel, pinch", "nearer and farther"),
    ("click", "choose a branch"),
    ("Space", "time stands still or goes on"),
    (". (full stop)", "one frame"),
    ("Home", "back to the start"),
    ("F", "look at the chosen branch, or at everything"),
    ("P  B  T", "tools: pull, bend, throw"),
    ("C  S  L", "tools: cut, squirrel, look"),
    ("K", "shake the ground"),
    ("1 … 5", "panels at the right"),
    ("G", "plots"),
    ("Esc", "choose nothing; close what is open"),
    ("Ctrl + Z, Ctrl + Shift + Z", "undo, redo"),
    ("Ctrl + S", "save"),
    ("Ctrl + O", "open"),
    ("Ctrl + E", "export"),
    ("D", "dark or light"),
    ("F1, ?", "this help"),
];

impl Studio {
    /// Files, history, time.
    pub(crate) fn top_bar(&mut self, ui: &mut Ui) {
        let frame = frame(ui, Margin::symmetric(10, 6));
        let window = ui.ctx().clone();
        Panel::top("bar").frame(frame).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                ui.label(
                    eframe::egui::RichText::new("Treesway")
                        .heading()
                        .color(palette(ui).accent),
                );
                ui.add_space(8.0);
                if icon_button(
                    ui,
                    Icon::Open,
                    "Open",
                    "Open a scene, or import a tree (Ctrl + O)",
                    false,
                    true,
                )
                .clicked()
                {
                    self.ask_for_file(Purpose::Open, None);
                }
                if icon_button(
                    ui,
                    Icon::Save,
                    "Save",
                    "Save the project (Ctrl + S)",
                    false,
                    true,
                )
                .clicked()
                {
                    self.save();
                }
                if icon_button(
                    ui,
                    Icon::Export,
                    "Export",
                    "Write a model, motion or pictures (Ctrl + E)",
                    false,
                    true,
                )
                .clicked()
                {
                    self.ask_for_export();
                }
                ui.separator();
                let last = self
                    .history
                    .last()
                    .map(|what| format!("Undo: {what} (Ctrl + Z)"));
                let tip = last.as_deref().unwrap_or("Nothing to undo");
                if icon_button(ui, Icon::Undo, "Undo", tip, false, last.is_some()).clicked() {
                    self.undo(&window);
                }
                let next = self
                    .history
                    .next()
                    .map(|what| format!("Redo: {what} (Ctrl + Shift + Z)"));
                let tip = next.as_deref().unwrap_or("Nothing to redo");
                if icon_button(ui, Icon::Redo, "Redo", tip, false, next.is_some()).clicked() {
                    self.redo(&window);
                }
                ui.separator();
                if icon_button(
                    ui,
                    Icon::Restart,
                    "Restart",
                    "Back to the start (Home)",
                    false,
                    true,
                )
                .clicked()
                {
                    self.restart(&window);
                }
                let (icon, name) = if self.clock.paused {
                    (Icon::Play, "Play")
                } else {
                    (Icon::Pause, "Pause")
                };
                if icon_button(
                    ui,
                    icon,
                    name,
                    "Time stands still or goes on (Space)",
                    false,
                    true,
                )
                .clicked()
                {
                    self.clock.paused = !self.clock.paused;
                }
                if icon_button(ui, Icon::Step, "Step", "One frame (.)", false, true).clicked() {
                    self.step_once();
                }
                ui.add_space(4.0);
                let current = SPEEDS
                    .iter()
                    .find(|s| s.0 == self.clock.speed)
                    .map_or("1×", |s| s.1);
                eframe::egui::ComboBox::from_id_salt("speed")
                    .selected_text(current)
                    .width(56.0)
                    .show_ui(ui, |ui| {
                        for (speed, name) in SPEEDS {
                            ui.selectable_value(&mut self.clock.speed, speed, name);
                        }
                    })
                    .response
                    .on_hover_text("Slow motion: simulated seconds per real second");
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if icon_button(
                        ui,
                        Icon::Help,
                        "Help",
                        "Keys and gestures (F1)",
                        false,
                        true,
                    )
                    .clicked()
                    {
                        self.dialog = Dialog::Help;
                    }
                    if icon_button(ui, Icon::Sun, "Theme", "Dark or light (D)", false, true)
                        .clicked()
                    {
                        toggle_theme(&window);
                    }
                    ui.add_space(6.0);
                    let mark = if self.is_unsaved() { " •" } else { "" };
                    let name = format!("{}{mark}", self.title());
                    ui.label(name).on_hover_text(
                        "The project; a dot where there are edits that no file holds",
                    );
                });
            });
        });
    }

    /// Tools.
    pub(crate) fn tool_rail(&mut self, ui: &mut Ui) {
        let frame = frame(ui, Margin::symmetric(6, 8));
        Panel::left("tools")
            .exact_size(TOOL + 12.0)
            .resizable(false)
            .frame(frame)
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 4.0;
                let tools = [
                    (
                        Tool::Pull,
                        Icon::Pull,
                        "Pull",
                        "Pull: drag a branch and let it swing back (P)",
                    ),
                    (
                        Tool::Bend,
                        Icon::Bend,
                        "Bend",
                        "Bend: drag a branch, or a ring about the chosen one, and the bend becomes the pose it rests in (B)",
                    ),
                    (
                        Tool::Throw,
                        Icon::Throw,
                        "Throw",
                        "Throw: click what a ball is to hit; Restart takes the balls away (T)",
                    ),
                    (
                        Tool::Cut,
                        Icon::Cut,
                        "Cut",
                        "Cut: click where a branch is to come off; back with Restart (C)",
                    ),
                    (
                        Tool::Squirrel,
                        Icon::Squirrel,
                        "Squirrel",
                        "Squirrel: click where it runs to, branch by branch; to another tree it leaps (S)",
                    ),
                    (
                        Tool::Look,
                        Icon::Look,
                        "Look",
                        "Look: drag to turn the camera (L)",
                    ),
                ];
                for (tool, icon, name, tip) in tools {
                    if tool_button(ui, icon, name, tip, self.tool == tool).clicked() {
                        self.tool = tool;
                    }
                }
                ui.separator();
                let tip = "Shake the ground for a second (K)";
                if tool_button(ui, Icon::Shake, "Shake", tip, false).clicked() {
                    self.shake();
                }
                let tip = "Look at the chosen branch, or at everything (F)";
                if tool_button(ui, Icon::Frame, "Frame", tip, false).clicked() {
                    self.frame_selection();
                }
            });
    }

    /// Figures.
    pub(crate) fn status_bar(&mut self, ui: &mut Ui) {
        let frame = frame(ui, Margin::symmetric(10, 2));
        Panel::bottom("status").exact_size(28.0).frame(frame).show(ui, |ui| {
            ui.horizontal_centered(|ui| {
                if let Some(facts) = self.facts() {
                    ui.small(format!("{:.1} s", facts.seconds)).on_hover_text("Simulated time");
                    ui.separator();
                    ui.small(bodies(&facts))
                        .on_hover_text("Pieces of wood, leaves and fruit that move on their own, and all of them");
                    ui.separator();
                    let [each, worst] = [self.step_ms.mean(), self.step_ms.worst()];
                    let rate = self.step_rate.per_sec();
                    let load = f64::from(each) * rate / 10.0;
                    let secs = |ms: f32| prefixed(f64::from(ms) * 1e-3, "s");
                    ui.small(format!("simulation {rate:.0}/s, {}, {load:.0} %", secs(each)))
                        .on_hover_text(format!(
                            "Simulated frames in a second, time that one takes, and the share of real time that all take. At worst one took {} in the last seconds; Plots shows their stages.",
                            secs(worst)
                        ));
                    ui.separator();
                    let (each, worst) = (self.frame_ms.mean(), self.frame_ms.worst());
                    ui.small(format!("{:.0} fps", 1e3 / each.max(0.1))).on_hover_text(format!(
                        "Drawn frames per second, by {}. At worst one took {worst:.0} ms in the last seconds.",
                        self.viewport.adapter()
                    ));
                }
                let away = self.errand.as_ref().map(|errand| errand.what);
                if let Some(what) = away.or(self.is_growing().then_some("Growing")) {
                    ui.separator();
                    ui.add(eframe::egui::Spinner::new().size(14.0));
                    ui.small(what);
                }
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    ui.spacing_mut().button_padding.y = 2.0;
                    ui.spacing_mut().interact_size.y = 22.0;
                    if ui.selectable_label(self.plots, "Plots").on_hover_text("Displacement, spectrum and energy (G)").clicked() {
                        self.toggle_plots();
                    }
                    if let Some(progress) = &self.exporting {
                        export_bar(ui, progress);
                    }
                    if let Some(message) = &self.message {
                        let colours = palette(ui);
                        let colour = if message.wrong { colours.wrong } else { colours.faint };
                        let text = eframe::egui::RichText::new(&message.text).small().color(colour);
                        let label = eframe::egui::Label::new(text).truncate();
                        ui.add(label).on_hover_text(&message.text);
                    }
                });
            });
        });
    }

    /// What the tool is set to, over the viewport.
    pub(crate) fn tool_rows(&mut self, ui: &mut Ui) {
        if self.tool == Tool::Throw {
            let throw = &mut self.throw;
            let rows = [
                (
                    "Speed",
                    "A ball that is thrown has 15 m/s, one that is kicked 30",
                    Number::log(1.0..=60.0, " m/s"),
                    &mut throw.speed,
                ),
                (
                    "Mass",
                    "A football has 0.45 kg, a bowling ball 6",
                    Number::log(0.02..=50.0, " kg"),
                    &mut throw.mass,
                ),
                (
                    "Radius",
                    "A football has 0.11 m",
                    Number::log(0.02..=0.6, " m"),
                    &mut throw.radius,
                ),
            ];
            for (name, tip, number, value) in rows {
                if let Some(now) = number.row(ui, name, tip, *value) {
                    *value = now;
                }
            }
            return;
        }
        let tip = "Of the hand: a person pulls with up to about 500 N";
        let number = Number::log(1.0..=50_000.0, " N");
        if let Some(strength) = number.row(ui, "Strength", tip, self.strength) {
            self.strength = strength;
        }
        if self.tool == Tool::Bend {
            let tip =
                "Joints below the chosen branch stay as they rest: choose one with a click first";
            ui.checkbox(&mut self.bend_chosen, "Only from the chosen branch on")
                .on_hover_text(tip);
        }
    }

    fn toggle_plots(&mut self) {
        self.plots = !self.plots;
        if let Some(stage) = &self.stage {
            self.trace.start(stage, self.selected);
        }
    }

    /// What keys do, unless someone writes.
    pub(crate) fn shortcuts(&mut self, window: &Context) {
        let pressed =
            |modifiers: Modifiers, key: Key| window.input_mut(|i| i.consume_key(modifiers, key));
        let (plain, command) = (Modifiers::NONE, Modifiers::COMMAND);
        if pressed(plain, Key::F1) {
            self.dialog = Dialog::Help;
        }
        if window.text_edit_focused() || self.dialog.is_open() {
            return;
        }
        // The one with more modifiers first: the other would take it.
        if pressed(command | Modifiers::SHIFT, Key::Z) || pressed(command, Key::Y) {
            self.redo(window);
        }
        if pressed(command, Key::Z) {
            self.undo(window);
        }
        if pressed(command, Key::S) {
            self.save();
        }
        if pressed(command, Key::O) {
            self.ask_for_file(Purpose::Open, None);
        }
        if pressed(command, Key::E) {
            self.ask_for_export();
        }
        if pressed(plain, Key::Questionmark) {
            self.dialog = Dialog::Help;
        }
        if pressed(plain, Key::Space) {
            self.clock.paused = !self.clock.paused;
        }
        if pressed(plain, Key::Period) {
            self.step_once();
        }
        if pressed(plain, Key::Home) {
            self.restart(window);
        }
        let tools = [
            (Key::P, Tool::Pull),
            (Key::B, Tool::Bend),
            (Key::T, Tool::Throw),
            (Key::C, Tool::Cut),
            (Key::S, Tool::Squirrel),
            (Key::L, Tool::Look),
        ];
        for (key, tool) in tools {
            if pressed(plain, key) {
                self.tool = tool;
            }
        }
        if pressed(plain, Key::K) {
            self.shake();
        }
        if pressed(plain, Key::F) {
            self.frame_selection();
        }
        if pressed(plain, Key::G) {
            self.toggle_plots();
        }
        if pressed(plain, Key::D) {
            toggle_theme(window);
        }
        if pressed(plain, Key::Escape) {
            self.selected = None;
            self.message = None;
        }
        let numbers = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5];
        for (place, key) in numbers.into_iter().enumerate() {
            if pressed(plain, key) {
                self.tab = Tab::at(place).unwrap_or_default();
            }
        }
    }
}

fn bodies(facts: &Facts) -> String {
    match facts.moving {
        [moving, all] if moving < all => {
            format!(
                "{} of {} bodies",
                grouped(moving as f64),
                grouped(facts.bodies as f64)
            )
        }
        _ => format!("{} bodies", grouped(facts.bodies as f64)),
    }
}

fn toggle_theme(window: &Context) {
    window.set_theme(match window.theme() {
        Theme::Dark => Theme::Light,
        Theme::Light => Theme::Dark,
    });
}

/// How far an export is, and a way to end it; from the right.
fn export_bar(ui: &mut Ui, progress: &Progress) {
    let cancelled = progress.cancelled.load(Relaxed);
    let cancel = eframe::egui::Button::new("Cancel");
    let tip = "End the export; no file is left";
    if ui
        .add_enabled(!cancelled, cancel)
        .on_hover_text(tip)
        .clicked()
    {
        progress.cancelled.store(true, Relaxed);
    }
    let (done, all) = (progress.done.load(Relaxed), progress.all.load(Relaxed));
    let share = done as f32 / all.max(1) as f32;
    let text = match (cancelled, all) {
        (true, _) => "cancelling".into(),
        (_, 0) => "preparing".into(),
        _ => format!("export {:.0} %", 100.0 * share),
    };
    bar(ui, 120.0, share, &text);
}
