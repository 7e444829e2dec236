//! What surrounds the trees, how they are solved, and what comes off them.

use super::central::solver_name;
use crate::app::Studio;
use crate::stage::Beside;
use crate::theme::{card, folded_card};
use crate::widgets::{Number, choice};
use eframe::egui::Ui;
use treesway::glam::Vec3;
use treesway::{
    Air, Fictitious, ParticleScheme, ParticleSettings, Propagation, Rods, Solver, SolverSettings,
    TreeId,
};
use treesway_io::scene::SceneFile;

/// Those that hold a frame rate.
const SOLVERS: [Solver; 5] = [
    Solver::Coupled,
    Solver::Analytic,
    Solver::Particles,
    Solver::Spectral,
    Solver::Contact,
];

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
        self.solver_card(ui, &file, &settings);
        if settings.solver == Solver::Particles {
            self.particles_card(ui, &settings.particles);
        }
        self.spectral_cards(ui, &settings);
        self.contact_cards(ui, &settings);
        self.weather_cards(ui, &file, &params);
        if settings.solver == Solver::Analytic {
            self.fictitious_card(ui, &settings.fictitious);
        }
        if let Some(wind) = &file.wind {
            self.falling_card(ui, &wind.air);
        }
    }

    fn solver_card(&mut self, ui: &mut Ui, file: &SceneFile, settings: &SolverSettings) {
        let window = ui.ctx().clone();
        card(ui, "Solver", |ui| {
            let all = SOLVERS.map(|solver| (solver, solver_name(solver).to_owned()));
            let tip = "Coupled: all joints at once. Analytic: every joint on its own, in closed form. Particles: a spring at the end of every branch, the simplest. Spectral: no state at all, beams that noise bends. Contact: stems and leaves never pass through each other";
            if let Some(solver) = choice(ui, "Method", tip, &settings.solver, all) {
                self.edit_trees(&window, "Solver", "solver", Some(solver));
            }
            let own = self.beside.map(|beside| beside.solver);
            let all = [(None, "nobody".to_owned())].into_iter();
            let all = all.chain(SOLVERS.map(|s| (Some(s), solver_name(s).to_owned())));
            let tip = "The same trees once more, in the same wind, moved by another solver: what you pull, throw or shake happens to both";
            if let Some(solver) = choice(ui, "Beside them", tip, &own, all) {
                let side = self.orbit.right();
                self.beside = solver.map(|solver| Beside { solver, side });
                self.unframed = true;
                self.grow(&window);
            }
            let fps = file.run.fps as f32;
            let tip = "Simulated frames in a second: their length is the time that the solver divides into its steps";
            if let Some(fps) = Number::log(10.0..=240.0, " /s").row(ui, "Frames", tip, fps) {
                let fps = f64::from(fps.round());
                self.edit(&window, "Frames", |project| project.set("run.fps", fps));
            }
            let steps = settings.steps_per_frame() as f32;
            let tip = "Steps that a frame is divided into";
            if let Some(steps) = Number::whole(1.0..=8.0).row(ui, "Substeps", tip, steps) {
                let steps = steps.round() as u32;
                self.edit_trees(&window, "Substeps", "substeps", Some(steps));
            }
            let rows = [
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
            self.tree_rows(ui, rows);
        });
    }

    fn particles_card(&mut self, ui: &mut Ui, own: &ParticleSettings) {
        let window = ui.ctx().clone();
        card(ui, "Particles", |ui| {
            let all = [
                (Propagation::Turned, "turn with it".to_owned()),
                (Propagation::Moved, "only move, as printed".to_owned()),
            ];
            let tip = "What becomes of the children of a branch that turns";
            if let Some(children) = choice(ui, "Children", tip, &own.children, all) {
                self.edit_trees(
                    &window,
                    "Children",
                    "settings.particles.children",
                    Some(children),
                );
            }
            let all = [
                (Rods::Carried, "all that it carries".to_owned()),
                (Rods::Own, "its own end, as printed".to_owned()),
            ];
            let tip = "What acts on a branch";
            if let Some(rods) = choice(ui, "A branch feels", tip, &own.rods, all) {
                self.edit_trees(&window, "Rods", "settings.particles.rods", Some(rods));
            }
            let all = [
                (ParticleScheme::ClosedForm, "closed form".to_owned()),
                (ParticleScheme::AsPrinted, "as printed".to_owned()),
            ];
            let tip = "As printed, acceleration is constant over a step, which diverges where steps are long";
            if let Some(scheme) = choice(ui, "Step", tip, &own.scheme, all) {
                self.edit_trees(&window, "Scheme", "settings.particles.scheme", Some(scheme));
            }
        });
    }

    fn fictitious_card(&mut self, ui: &mut Ui, own: &Fictitious) {
        let factor = || Number::linear(0.0..=2.0, " ×");
        let rows = [
            (
                "Linear",
                "linear",
                "Factor on −m p × a: what is carried stays behind",
                factor(),
                own.linear,
            ),
            (
                "Angular",
                "angular",
                "Factor on −I α of the parent",
                factor(),
                own.angular,
            ),
            (
                "Coriolis",
                "coriolis",
                "Factor on −I (ω × ω) of parent and child",
                factor(),
                own.coriolis,
            ),
            (
                "Gyroscopic",
                "gyroscopic",
                "Factor on −ω × I ω",
                factor(),
                own.gyroscopic,
            ),
            (
                "Of the tree",
                "internal",
                "Share of the tree's own motion in all four, besides that of the ground; 1 as in the paper, which amplifies along chains",
                Number::linear(0.0..=1.0, ""),
                own.internal,
            ),
            (
                "Limit",
                "limit",
                "They bend a joint at most so far at rest",
                Number::log(0.01..=3.0, " rad"),
                own.limit,
            ),
        ];
        let rows = rows.map(|(name, key, tip, number, value)| {
            (
                name,
                format!("settings.fictitious.{key}"),
                tip,
                number,
                value,
            )
        });
        folded_card(ui, "Fictitious forces", |ui| self.tree_rows(ui, rows));
    }

    /// How leaves that have come off fall (Quigley 2017, Eq. 23–24).
    fn falling_card(&mut self, ui: &mut Ui, air: &Air) {
        let rows = [
            (
                "Resistance ν",
                "wind.air.leaf_resistance",
                "Resistance of the air in proportion to a leaf's speed: it falls with about g/ν",
                Number::log(0.1..=40.0, " /s"),
                air.leaf_resistance,
            ),
            (
                "Glide ξ",
                "wind.air.leaf_glide",
                "How many times the resistance is greater across a leaf than along it: it slips sideways",
                Number::log(1.0..=50.0, " ×"),
                air.leaf_glide,
            ),
            (
                "Swirl φ",
                "wind.air.leaf_swirl",
                "By how much the torque on a leaf is turned about its normal: it spirals",
                Number::linear(-1.6..=1.6, " rad"),
                air.leaf_swirl,
            ),
            (
                "Drag, free",
                "wind.air.free_leaf_drag",
                "Drag coefficient κ of a leaf that is off its tree, where nothing stands before it",
                Number::linear(0.0..=3.0, ""),
                air.free_leaf_drag,
            ),
        ];
        folded_card(ui, "How leaves fall", |ui| self.number_rows(ui, rows));
    }
}
