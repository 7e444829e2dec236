//! Trees that do not pass through themselves: the constants of the solver `contact`, and what keeps stems and leaves apart under any solver.

use crate::app::Studio;
use crate::theme::{card, folded_card};
use crate::widgets::{Number, choice, switch};
use eframe::egui::Ui;
use treesway::{ResponseDirections, SelfContactSettings, Solver, SolverSettings, StemSettings};

impl Studio {
    /// Kr, Kt, Kd, Cw and the limit on angles where the solver is `contact`; Cr and the rest under all.
    pub(super) fn contact_cards(&mut self, ui: &mut Ui, settings: &SolverSettings) {
        if settings.solver == Solver::Contact {
            self.stems_card(ui, &settings.stems, settings.limits.angle);
        }
        let always = settings.solver == Solver::Contact;
        let own = &settings.self_contact;
        let heading = "Contact with itself";
        if always || own.enabled {
            card(ui, heading, |ui| self.apart_rows(ui, own, always));
        } else {
            folded_card(ui, heading, |ui| self.apart_rows(ui, own, always));
        }
    }

    fn stems_card(&mut self, ui: &mut Ui, own: &StemSettings, most_angle: f32) {
        card(ui, "Stems", |ui| {
            self.tree_rows(
                ui,
                [
                    (
                        "Rigidity Kr",
                        "settings.stems.rigidity",
                        "Factor on the stiffness of every joint, and on what is transferred",
                        Number::log(0.05..=20.0, " ×"),
                        own.rigidity,
                    ),
                    (
                        "Transfer Kt",
                        "settings.stems.transfer",
                        "Share of the forces on children that acts on their parent",
                        Number::linear(0.0..=2.0, ""),
                        own.transfer,
                    ),
                    (
                        "Damping Kd",
                        "settings.stems.damping",
                        "Share of the angular velocity that is lost in 1/30 s",
                        Number::linear(0.0..=0.9, ""),
                        own.damping,
                    ),
                    (
                        "Leaf wind Cw",
                        "settings.stems.leaf_wind",
                        "Force of the wind on a leaf, per area and speed across it",
                        Number::linear(0.0..=30.0, " kg/sm²"),
                        own.leaf_wind,
                    ),
                    (
                        "Angle limit",
                        "settings.limits.angle",
                        "Most that a stem or leaf turns from its rest on its parent",
                        Number::linear(0.05..=3.0, " rad"),
                        most_angle,
                    ),
                ],
            );
        });
    }

    fn apart_rows(&mut self, ui: &mut Ui, own: &SelfContactSettings, always: bool) {
        let window = ui.ctx().clone();
        if !always {
            let tip = "Stems and leaves do not pass through each other; trees should grow free of collisions";
            if let Some(on) = switch(ui, "Keep apart", tip, own.enabled) {
                let key = "settings.self_contact.enabled";
                self.edit_trees(&window, "Keep apart", key, Some(on));
            }
        }
        let all = [
            (ResponseDirections::Nearest, "nearest points".to_owned()),
            (ResponseDirections::Cases, "cases of the paper".to_owned()),
        ];
        let tip = "Where those that meet are pushed";
        if let Some(directions) = choice(ui, "Responses", tip, &own.directions, all) {
            let key = "settings.self_contact.directions";
            self.edit_trees(&window, "Responses", key, Some(directions));
        }
        self.tree_rows(
            ui,
            [
                (
                    "Response Cr",
                    "settings.self_contact.force",
                    "Size of every response; 0: as much as parts the two",
                    Number::linear(0.0..=2.0, " N"),
                    own.force,
                ),
                (
                    "Gap",
                    "settings.self_contact.gap",
                    "What stays between bark and leaves",
                    Number::log(0.0001..=0.01, " m").shown_in(" mm", 1e-3),
                    own.gap,
                ),
            ],
        );
    }
}
