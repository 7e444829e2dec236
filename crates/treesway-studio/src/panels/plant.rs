//! What grows.

use crate::app::Studio;
use crate::errand::Facts;
use crate::files::Purpose;
use crate::presets::{Preset, WEATHER, WOOD};
use crate::project::Project;
use crate::theme::card;
use crate::widgets::{Number, choice, grouped, optional, row, switch, wide_button};
use eframe::egui::{self, DragValue, Ui};
use treesway_grow::{grammars, species};
use treesway_io::scene::TreeTable;

/// Where a tree comes from.
#[derive(Clone, Debug, PartialEq)]
enum Source {
    Species(String),
    Grammar(String),
    Other(String),
}

impl Source {
    fn of(table: &TreeTable) -> Self {
        match (&table.species, &table.grammar) {
            (Some(species), _) => Self::Species(species.clone()),
            (None, Some(grammar)) => Self::Grammar(grammar.clone()),
            (None, None) => Self::Other(table.name()),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Species(name) | Self::Other(name) => name.clone(),
            Self::Grammar(name) => format!("{name} (grammar)"),
        }
    }
}

/// What belongs to the bodies of a tree, which another tree does not have; ways of squirrels may go over all of them.
pub fn forget_bodies(project: &mut Project, tree: usize) {
    project.remove(&format!("tree.{tree}.pose"));
    project.remove(&format!("tree.{tree}.params.overrides"));
    project.remove(&format!("tree.{tree}.simulate.subtrees"));
    project.remove("creature");
}

impl Studio {
    pub(super) fn tree_tab(&mut self, ui: &mut Ui) {
        let window = ui.ctx().clone();
        let Some(facts) = self.facts() else {
            return;
        };
        // While another one grows, the project knows more than the stage.
        let busy = self.is_growing() || self.is_busy();
        let newer = busy.then(|| self.project.scene().ok()).flatten();
        let file = newer.map_or_else(|| facts.file.clone(), |scene| scene.file);
        card(ui, "Start from", |ui| {
            let scenes = treesway_scenes::all().iter();
            let scenes = scenes.map(|scene| (scene.name, scene.name.to_owned()));
            let current = self.project.name().to_owned();
            let tip = "A scene that comes with the program; undo brings yours back";
            if let Some(name) = choice(ui, "Scene", tip, &&*current, scenes)
                && let Ok(scene) = treesway_scenes::find(name)
            {
                self.path = None;
                self.open(&window, &scene.text, name);
            }
            if wide_button(
                ui,
                "Open or import …",
                "A scene, a species, a grammar, or a scanned tree; or drop a file into the window",
            )
            .clicked()
            {
                self.ask_for_file(Purpose::Open, None);
            }
        });
        self.presets_card(ui, file.trees.len());
        for (i, table) in file.trees.iter().enumerate() {
            let title = if file.trees.len() > 1 {
                format!("Tree {}: {}", i + 1, table.name())
            } else {
                "Tree".to_owned()
            };
            let height = facts.figures.get(i).map(|figures| figures.height);
            ui.push_id(i, |ui| {
                card(ui, &title, |ui| self.one_tree(ui, i, table, height));
            });
        }
        self.part_card(ui, &file.trees, facts.moving);
        figures(ui, &facts);
    }

    /// Weather and wood by name.
    fn presets_card(&mut self, ui: &mut Ui, trees: usize) {
        let window = ui.ctx().clone();
        card(ui, "Presets", |ui| {
            if let Some(preset) = preset_row(ui, "Weather", &WEATHER) {
                self.edit(&window, preset.name, |p| preset.weather(p, trees));
            }
            if let Some(preset) = preset_row(ui, "Wood", &WOOD) {
                self.edit(&window, preset.name, |p| preset.wood(p, trees));
            }
            let tip = "Wind, weather, solver and wood of another project for your trees: every file that you save is a preset";
            if wide_button(ui, "Settings of a file …", tip).clicked() {
                self.ask_for_file(Purpose::Settings, None);
            }
        });
    }

    /// Which bodies move on their own.
    fn part_card(&mut self, ui: &mut Ui, trees: &[TreeTable], [moving, all]: [usize; 2]) {
        let window = ui.ctx().clone();
        let Some(table) = trees.first() else {
            return;
        };
        let own = table.simulate.clone();
        card(ui, "What moves", |ui| {
            ui.weak(if moving < all {
                let [moving, all] = [moving, all].map(|count| grouped(count as f64));
                format!("{moving} of {all} bodies; the others follow rigidly what carries them.")
            } else {
                let all = grouped(all as f64);
                format!(
                    "All {all} bodies. Where fewer do, the others follow rigidly what carries them."
                )
            });
            let tip =
                "Chooses as many bodies, thick ones first, as can be simulated 60 times a second";
            if let Some(on) = switch(ui, "Hold the frame rate", tip, self.automatic) {
                self.automatic = on;
                self.hold_pace(&window);
            }
            let tip = "Thinner wood and all leaves and fruit follow";
            let number = Number::log(0.5..=500.0, " mm");
            let radius = Some(own.least_radius * 1e3).filter(|mm| *mm > 0.0);
            if let Some(radius) = optional(ui, "From a radius on", tip, number, radius, 5.0) {
                let radius = radius.map(|mm| mm * 1e-3);
                self.edit_trees(&window, "What moves", "simulate.least_radius", radius);
            }
            let tip = "Branches of a higher order follow: 0 is the trunk, 1 what grows from it";
            let order = own.most_order.map(|order| order as f32);
            let number = Number::whole(0.0..=8.0);
            if let Some(order) = optional(ui, "Up to an order", tip, number, order, 2.0) {
                let order = order.map(|order| order as u32);
                self.edit_trees(&window, "What moves", "simulate.most_order", order);
            }
            let tip = "The thickest wood first, leaves last";
            let most = own.most_bodies.map(|most| most as f32);
            let number = Number::count(100.0..=200_000.0);
            if let Some(most) = optional(ui, "At most so many", tip, number, most, 5000.0) {
                let most = most.map(round_to_two_digits);
                self.edit_trees(&window, "What moves", "simulate.most_bodies", most);
            }
            if let Some((tree, body)) = self.selected {
                let tip =
                    "This branch, all it carries, and what carries it move; all others follow";
                let path = format!("tree.{}.simulate.subtrees", tree.0);
                if wide_button(ui, "Only the chosen branch", tip).clicked() {
                    self.edit(&window, "What moves", |p| p.set(&path, vec![body.0]));
                }
            }
            if trees
                .iter()
                .any(|table| !table.simulate.subtrees.is_empty())
                && wide_button(ui, "All branches again", "No branch is left out").clicked()
            {
                let none: Option<u32> = None;
                self.edit_trees(&window, "What moves", "simulate.subtrees", none);
            }
        });
    }

    fn one_tree(&mut self, ui: &mut Ui, i: usize, table: &TreeTable, height: Option<f32>) {
        let window = ui.ctx().clone();
        let path = |key: &str| format!("tree.{i}.{key}");
        let own = Source::of(table);
        let all = species::ALL
            .iter()
            .map(|(name, _)| Source::Species((*name).into()));
        let all = all.chain(
            grammars::all()
                .iter()
                .map(|g| Source::Grammar(g.name.into())),
        );
        let mut all: Vec<Source> = all.collect();
        if !all.contains(&own) {
            all.push(own.clone());
        }
        let named = all.into_iter().map(|source| {
            let name = source.name();
            (source, name)
        });
        if let Some(source) = choice(
            ui,
            "Species",
            "What grows: a species, or a grammar",
            &own,
            named,
        ) {
            self.selected = None;
            self.unframed = true;
            self.edit(&window, "Species", |project| {
                for key in [
                    "species", "grammar", "file", "import", "builtin", "depth", "branch", "leaf",
                    "fruit",
                ] {
                    project.remove(&path(key));
                }
                forget_bodies(project, i);
                match source {
                    Source::Species(name) => project.set(&path("species"), name),
                    Source::Grammar(name) => {
                        project.remove(&path("bodies"));
                        project.set(&path("grammar"), name);
                    }
                    Source::Other(_) => {}
                }
            });
        }
        let mut seed = table.seed;
        let changed = row(
            ui,
            "Seed",
            "Another seed grows another tree",
            |ui, label| {
                let value = DragValue::new(&mut seed).range(0..=999_999_u64);
                let dragged = ui.add(value).labelled_by(label).changed();
                let next = ui
                    .button("Another")
                    .on_hover_text("The tree of the next seed")
                    .clicked();
                seed += u64::from(next);
                dragged || next
            },
        );
        if changed {
            self.edit(&window, "Seed", |project| {
                forget_bodies(project, i);
                project.set(&path("seed"), seed);
            });
        }
        if matches!(own, Source::Grammar(_)) {
            let depth = table.depth.unwrap_or(8) as f32;
            let tip = "Derivation steps of the grammar: it grows while it moves, and what was there moves on";
            if let Some(depth) = Number::whole(1.0..=14.0).row(ui, "Depth", tip, depth) {
                let depth = depth.round().max(1.0) as u32;
                self.edit(&window, "Depth", |project| {
                    forget_bodies(project, i);
                    project.set(&path("depth"), depth);
                });
            }
        } else if matches!(own, Source::Species(_)) || table.bodies.is_some() {
            let bodies = table.bodies.unwrap_or(10_000) as f32;
            let tip = "Detail: into how many rigid pieces the tree is cut";
            if let Some(bodies) = Number::count(200.0..=3_270_000.0).row(ui, "Bodies", tip, bodies)
            {
                let bodies = round_to_two_digits(bodies);
                self.edit(&window, "Detail", |project| {
                    forget_bodies(project, i);
                    project.set(&path("bodies"), bodies);
                });
            }
        }
        if matches!(own, Source::Species(_)) {
            let height = table.height.or(height).unwrap_or(10.0);
            let tip = "Of the wood; the crown and the trunk grow with it";
            if let Some(height) = Number::linear(1.0..=40.0, " m").row(ui, "Height", tip, height) {
                self.edit(&window, "Height", |project| {
                    forget_bodies(project, i);
                    project.set(&path("height"), (height * 10.0).round() / 10.0);
                });
            }
        }
        if !table.poses.is_empty() {
            let text = format!("Straighten ({} joints bent by hand)", table.poses.len());
            if wide_button(ui, &text, "Takes back every bend of this tree").clicked() {
                self.edit(&window, "Straighten", |project| {
                    project.remove(&path("pose"))
                });
            }
        }
    }
}

fn figures(ui: &mut Ui, facts: &Facts) {
    card(ui, "What grew", |ui| {
        let grid = egui::Grid::new("figures").num_columns(2);
        grid.min_col_width(104.0).show(ui, |ui| {
            for (figures, off) in facts.figures.iter().zip(&facts.off) {
                let [wood, leaves, fruit] = figures.counts;
                let rows = [
                    ("Pieces of wood", grouped(wood as f64)),
                    ("Leaves", grouped(leaves as f64)),
                    ("Fruit", grouped(fruit as f64)),
                    ("Mass", format!("{:.0} kg", figures.mass)),
                    ("Height", format!("{:.1} m", figures.height)),
                    ("Off the tree", off.to_string()),
                ];
                for (name, value) in rows {
                    ui.weak(name);
                    ui.label(value);
                    ui.end_row();
                }
            }
        });
    });
}

/// A row of presets; the one that is taken.
fn preset_row(ui: &mut Ui, name: &str, presets: &'static [Preset]) -> Option<&'static Preset> {
    row(
        ui,
        name,
        "Sets several things at once; undo takes it back",
        |ui, label| {
            let mut taken = None;
            let list = egui::ComboBox::from_id_salt(name)
                .selected_text("choose …")
                .height(320.0)
                .width(ui.available_width() - 8.0);
            let shown = list.show_ui(ui, |ui| {
                for preset in presets {
                    let entry = ui.selectable_label(false, preset.name);
                    if entry.on_hover_text(preset.tip).clicked() {
                        taken = Some(preset);
                    }
                }
            });
            shown.response.labelled_by(label);
            taken
        },
    )
}

fn round_to_two_digits(value: f32) -> u32 {
    let unit = 10_f32.powf(value.log10().floor() - 1.0).max(1.0);
    ((value / unit).round() * unit) as u32
}
