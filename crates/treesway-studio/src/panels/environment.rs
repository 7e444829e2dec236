//! What surrounds the trees, how they are solved, and what comes off them.

use crate::app::Studio;
use crate::theme::card;
use crate::widgets::{Number, choice};
use eframe::egui::Ui;
use treesway::glam::Vec3;
use treesway::{Solver, TreeId};

impl Studio {
    pub(super) fn world_tab(&mut self, ui: &mut Ui) {
        let window = ui.ctx().clone();
        let Some(stage) = &self.stage else {
            return;
        };
        let file = stage.file().clone();
        let tree = stage.simulation.world().tree(TreeId(0));
        let (settings, params) = (tree.settings().clone(), tree.params().clone());
        card(ui, "Gravity and air", |ui| {
            let down = -file.environment.gravity.y;
            let tip = "On earth 9.81 m/s²; trees keep their pose and sway about it";
            if let Some(g) = Number::linear(0.0..=25.0, " m/s²").row(ui, "Gravity", tip, down) {
                let gravity = Vec3::new(0.0, -g, 0.0);
                self.edit(&window, "Gravity", |project| {
                    project.set("environment.gravity", gravity)
                });
            }
            if let Some(wind) = &file.wind {
                let air = wind.air;
                self.number_rows(
                    ui,
                    [
                        (
                            "Air density",
                            "wind.air.density",
                            "1.2 kg/m³ at sea level",
                            Number::linear(0.0..=5.0, " kg/m³"),
                            air.density,
                        ),
                        (
                            "Drag, wood",
                            "wind.air.drag",
                            "Drag coefficient κ of branches and fruit",
                            Number::linear(0.0..=3.0, ""),
                            air.drag,
                        ),
                        (
                            "Drag, leaves",
                            "wind.air.leaf_drag",
                            "Drag coefficient of leaves on the tree",
                            Number::linear(0.0..=3.0, ""),
                            air.leaf_drag,
                        ),
                    ],
                );
            }
        });
        self.weather_cards(ui, &file, &params);
        card(ui, "Solver", |ui| {
            let all = [
                (Solver::Coupled, "Coupled".to_owned()),
                (Solver::Analytic, "Analytic".to_owned()),
            ];
            let tip =
                "Coupled: all joints at once. Analytic: every joint on its own, in closed form";
            if let Some(solver) = choice(ui, "Method", tip, &settings.solver, all) {
                self.edit_trees(&window, "Solver", "solver", Some(solver));
            }
            let steps = settings.steps_per_frame() as f32;
            let tip = "Steps that a frame is divided into";
            if let Some(steps) = Number::linear(1.0..=8.0, "").row(ui, "Substeps", tip, steps) {
                let steps = steps.round() as u32;
                self.edit_trees(&window, "Substeps", "substeps", Some(steps));
            }
            let rows: [(&str, &str, &str, Number, f32); 2] = [
                (
                    "Drag feedback",
                    "settings.drag_feedback",
                    "Share of a body's own velocity in the air drag",
                    Number::linear(0.0..=1.0, ""),
                    settings.drag_feedback,
                ),
                (
                    "Least damping",
                    "settings.least_damping_ratio",
                    "Coupled: every mode loses at least this share of critical damping",
                    Number::linear(0.0..=0.2, ""),
                    settings.least_damping_ratio,
                ),
            ];
            for (name, key, tip, number, value) in rows {
                if let Some(value) = number.row(ui, name, tip, value) {
                    self.edit_trees(&window, name, key, Some(value));
                }
            }
        });
    }
}
