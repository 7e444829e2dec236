//! The window around the trees.

mod bars;
mod central;
mod contact;
mod environment;
mod look;
mod plant;
mod spectral;
mod weather;
mod wind;
mod wind_map;
mod wood;

pub use bars::KEYS;

use crate::app::Studio;
use crate::plots::Times;
use crate::theme::palette;
use crate::widgets::Number;
use eframe::egui::{self, Margin, Panel, ScrollArea, Stroke, Ui};

/// What the side panel shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// What grows.
    #[default]
    Tree,
    /// Stiffness and damping.
    Wood,
    /// Moving air.
    Wind,
    /// Gravity and how it is solved.
    World,
    /// Camera, light and display.
    View,
}

impl Tab {
    const ALL: [(Self, &'static str, &'static str); 5] = [
        (
            Self::Tree,
            "Tree",
            "What grows: species, seed, detail, grammar, file (1)",
        ),
        (
            Self::Wood,
            "Wood",
            "Stiffness and damping: curves, branches, materials (2)",
        ),
        (Self::Wind, "Wind", "Direction, speed and gusts (3)"),
        (
            Self::World,
            "World",
            "Gravity, snow, rain, what falls and breaks, solver (4)",
        ),
        (Self::View, "View", "Display, camera and sun (5)"),
    ];

    /// The one at a place, from 0.
    pub fn at(place: usize) -> Option<Self> {
        Self::ALL.get(place).map(|tab| tab.0)
    }
}

/// Of the panel at the right, points.
const WIDTH: f32 = 334.0;

/// A panel's frame: its colour and a line towards the viewport.
fn frame(ui: &Ui, margin: Margin) -> egui::Frame {
    let colours = palette(ui);
    egui::Frame::new()
        .fill(colours.panel)
        .inner_margin(margin)
        .stroke(Stroke::NONE)
}

impl Studio {
    /// Everything that can be set, at the right.
    pub(crate) fn side_panel(&mut self, ui: &mut Ui) {
        let frame = frame(ui, Margin::symmetric(10, 8));
        Panel::right("settings")
            .exact_size(WIDTH)
            .resizable(false)
            .frame(frame)
            .show(ui, |ui| {
                ui.horizontal(|ui| {
                    ui.spacing_mut().item_spacing.x = 4.0;
                    let width = (ui.available_width() - 4.0 * 4.0) / 5.0;
                    for (tab, name, tip) in Tab::ALL {
                        let button = egui::Button::selectable(self.tab == tab, name);
                        let size = egui::vec2(width, crate::theme::TOUCH);
                        if ui.add_sized(size, button).on_hover_text(tip).clicked() {
                            self.tab = tab;
                        }
                    }
                });
                ui.add_space(4.0);
                ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                    // Room for the bar.
                    ui.set_width(WIDTH - 2.0 * 10.0 - 8.0);
                    match self.tab {
                        Tab::Wood | Tab::Wind | Tab::World if self.is_busy() => {
                            ui.add_space(24.0);
                            ui.vertical_centered(|ui| {
                                ui.add(egui::Spinner::new());
                                ui.weak("The trees come back in a moment.");
                            });
                        }
                        Tab::Tree => self.tree_tab(ui),
                        Tab::Wood => self.wood_tab(ui),
                        Tab::Wind => self.wind_tab(ui),
                        Tab::World => self.world_tab(ui),
                        Tab::View => self.view_tab(ui),
                    }
                });
            });
    }

    /// Rows of numbers of the project: name, path, explanation, how it is edited, value.
    fn number_rows<const N: usize>(
        &mut self,
        ui: &mut Ui,
        rows: [(&str, impl AsRef<str>, &str, Number, f32); N],
    ) {
        let window = ui.ctx().clone();
        for (name, path, tip, number, value) in rows {
            if let Some(value) = number.row(ui, name, tip, value) {
                self.edit(&window, name, |project| project.set(path.as_ref(), value));
            }
        }
    }

    /// Rows of numbers that all trees have alike: name, key below a tree, explanation, range, value.
    fn tree_rows<const N: usize>(
        &mut self,
        ui: &mut Ui,
        rows: [(&str, impl AsRef<str>, &str, Number, f32); N],
    ) {
        let window = ui.ctx().clone();
        for (name, key, tip, number, value) in rows {
            if let Some(value) = number.row(ui, name, tip, value) {
                self.edit_trees(&window, name, key.as_ref(), Some(value));
            }
        }
    }

    /// Sets the same value for all trees, or removes it.
    fn edit_trees(
        &mut self,
        window: &egui::Context,
        what: &str,
        key: &str,
        value: Option<impl serde::Serialize + Clone>,
    ) {
        let trees = self.facts().map_or(0, |facts| facts.file.trees.len());
        self.edit(window, what, |project| {
            for i in 0..trees {
                let path = format!("tree.{i}.{key}");
                match value.clone() {
                    Some(value) => project.set(&path, value),
                    None => project.remove(&path),
                }
            }
        });
    }

    /// Plots below the trees, when they are asked for.
    pub(crate) fn plot_panel(&mut self, ui: &mut Ui) {
        let Some(stage) = self.stage.as_ref().filter(|_| self.plots) else {
            return;
        };
        let frame_secs = stage.simulation.world().frame_secs() as f32;
        let names = self.report.times.named().map(|(name, _)| name);
        let [own, beside] = self.stage_ms;
        let times = Times {
            stages: (0..names.len())
                .map(|i| (names[i], [own[i], beside[i]]))
                .collect(),
            draw: self.draw_ms.mean(),
            bodies: stage.moving(),
        };
        let frame = frame(ui, Margin::same(8));
        let panel = Panel::bottom("plots").exact_size(150.0).frame(frame);
        panel.show(ui, |ui| {
            self.trace.show(ui, frame_secs, self.sway_hz, &times);
        });
    }
}
