//! Trees that do not pass through themselves: the constants of the solver `contact`, and what keeps stems and leaves apart under any solver.

use crate::app::Studio;
use crate::theme::{card, folded_card};
use crate::widgets::{Number, choice, switch};
use eframe::egui::Ui;
use treesway::{
    ResponseDirections, SelfContactSettings, Solver, SolverSettings, StemScheme, StemSettings,
};

impl Studio {
    /// Kr, Kt, Kd, Cw, blades, the scheme and the limit on angles where the solver is `contact`; Cr and the rest under all.
    pub(super) fn contact_cards(&mut self, ui: &mut Ui, settings: &SolverSettings) {
        if settings.solver == Solver::Contact {
            self.stems_card(ui, &settings.stems, settings.limits.angle);
        }
        let own = &settings.self_contact;
        let apart = own.keeps_apart(settings.solver);
        let heading = "Contact with itself";
        if apart || settings.solver == Solver::Contact {
            card(ui, heading, |ui| self.apart_rows(ui, own, apart));
        } else {
            folded_card(ui, heading, |ui| self.apart_rows(ui, own, apart));
        }
    }

    fn stems_card(&mut self, ui: &mut Ui, own: &StemSettings, most_angle: f32) {
        let window = ui.ctx().clone();
        card(ui, "Stems", |ui| {
            let all = [
                (StemScheme::ClosedForm, "closed form".to_owned()),
                (StemScheme::AsPrinted, "as printed".to_owned()),
            ];
            let tip =
                "As printed, every stem is a rod of its own, which diverges where steps are long";
            if let Some(scheme) = choice(ui, "Step of stems", tip, &own.scheme, all) {
                self.edit_trees(&window, "Scheme", "settings.stems.scheme", Some(scheme));
            }
            self.tree_rows(
                ui,
                [
                    (
                        "Rigidity Kr",
                        "settings.stems.rigidity",
                        "Factor on the stiffness of every joint, and on what is transferred: from stem to stem down to the trunk it multiplies with itself",
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
                        "Blade stiffness",
                        "settings.stems.blade_stiffness",
                        "Pressure of the wind that bends the sides of a blade, and its midrib, by a radian",
                        Number::log(5.0..=5000.0, " Pa"),
                        own.blade_stiffness,
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

    fn apart_rows(&mut self, ui: &mut Ui, own: &SelfContactSettings, apart: bool) {
        let window = ui.ctx().clone();
        let tip =
            "Stems and leaves do not pass through each other; trees should grow free of collisions";
        if let Some(on) = switch(ui, "Keep apart", tip, apart) {
            let key = "settings.self_contact.enabled";
            self.edit_trees(&window, "Keep apart", key, Some(on));
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
                    "Friction",
                    "settings.self_contact.friction",
                    "Coulomb's μ between what presses on each other; 0: it slides",
                    Number::linear(0.0..=1.0, ""),
                    own.friction,
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
        let tip = "How often responses are tried in a frame before what still meets goes only as far as its first contact";
        let rounds = own.responses as f32;
        if let Some(rounds) = Number::whole(0.0..=100.0).row(ui, "Rounds", tip, rounds) {
            let rounds = rounds.round() as u32;
            let key = "settings.self_contact.responses";
            self.edit_trees(&window, "Rounds of responses", key, Some(rounds));
        }
    }
}
