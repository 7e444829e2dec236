//! Stiffness and damping: curves over radius, branches with curves of their own, materials.

use super::central::describe;
use crate::app::Studio;
use crate::curve_editor;
use crate::grip::{hangs_on, kept_as_it_is, turn_further};
use crate::theme::{card, palette};
use crate::viewport::{Display, OVERRIDE_COLOURS};
use crate::widgets::{Number, optional, wide_button};
use eframe::egui::{self, Color32, Ui};
use treesway::glam::Vec3;
use treesway::{BodyId, Curves, DampingRatio, Override, QuantityCurve, TreeId, TreeParams};
use treesway_io::scene::PoseTable;

/// Which curve of a set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Bend,
    Twist,
    Damping,
}

impl Quantity {
    const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Bend, "Bending stiffness", "bend"),
        (Self::Twist, "Twisting stiffness", "twist"),
        (Self::Damping, "Damping", "damping"),
    ];

    fn of(self, curves: &Curves) -> &QuantityCurve {
        match self {
            Self::Bend => &curves.bend,
            Self::Twist => &curves.twist,
            Self::Damping => &curves.damping,
        }
    }

    fn of_mut(self, curves: &mut Curves) -> &mut QuantityCurve {
        match self {
            Self::Bend => &mut curves.bend,
            Self::Twist => &mut curves.twist,
            Self::Damping => &mut curves.damping,
        }
    }
}

impl Studio {
    /// The tree that is meant: that of the chosen branch, or the first.
    fn meant(&self) -> TreeId {
        self.selected.map_or(TreeId(0), |(tree, _)| tree)
    }

    fn params(&self) -> Option<TreeParams> {
        let stage = self.stage.as_ref()?;
        Some(stage.simulation.world().tree(self.meant()).params().clone())
    }

    pub(super) fn wood_tab(&mut self, ui: &mut Ui) {
        let Some(params) = self.params() else {
            return;
        };
        self.branch_card(ui, &params);
        self.curves_card(ui, &params);
        self.overrides_card(ui, &params);
        self.factors_card(ui, &params);
        self.damping_card(ui, params.damping_ratio);
        self.materials_card(ui, &params);
    }

    /// The chosen branch.
    fn branch_card(&mut self, ui: &mut Ui, params: &TreeParams) {
        let window = ui.ctx().clone();
        card(ui, "Chosen branch", |ui| {
            let (Some((id, body)), Some(stage)) = (self.selected, &self.stage) else {
                ui.weak("Click a branch to choose it.");
                return;
            };
            ui.label(describe(stage.simulation.world().tree(id), body));
            let own = params.overrides.iter().any(|o| o.body == body);
            if !own
                && wide_button(
                    ui,
                    "Give it curves of its own",
                    "For this branch and all it carries",
                )
                .clicked()
            {
                let mut overrides = params.overrides.clone();
                overrides.push(Override {
                    body,
                    curves: params.curves.clone(),
                    leaf_stiffness: Vec3::ONE,
                });
                self.set_overrides(&window, "Own curves", overrides);
                self.view.display = Display::Overrides;
            }
            self.turn_rows(ui, id, body);
        });
    }

    /// Turns the chosen joint by hand.
    fn turn_rows(&mut self, ui: &mut Ui, id: TreeId, body: BodyId) {
        let window = ui.ctx().clone();
        let Some(stage) = &self.stage else {
            return;
        };
        let poses = stage.file().trees[id.0].poses.clone();
        let path = format!("tree.{}.pose", id.0);
        ui.label("Turn it at its joint")
            .on_hover_text("The pose it rests in; the tree is grown again with it");
        ui.horizontal(|ui| {
            let turns = [
                ("x −", Vec3::NEG_X),
                ("x +", Vec3::X),
                ("y −", Vec3::NEG_Y),
                ("y +", Vec3::Y),
                ("z −", Vec3::NEG_Z),
                ("z +", Vec3::Z),
            ];
            ui.spacing_mut().item_spacing.x = 3.0;
            for (name, axis) in turns {
                let tip = "By 10° about this axis of the joint; z is along the wood";
                if ui.button(name).on_hover_text(tip).clicked() {
                    let mut poses = poses.clone();
                    turn_further(&mut poses, body, axis * 10_f32.to_radians());
                    self.edit(&window, "Turn a branch", |project| {
                        project.set(&path, poses)
                    });
                }
            }
        });
        let Some(stage) = &self.stage else {
            return;
        };
        let tree = stage.simulation.world().tree(id);
        let mut posed: Option<(&str, Vec<PoseTable>)> = None;
        let tip = "This branch and all it carries rest from now on as they are bent at this moment, by the wind or by a hand";
        if wide_button(ui, "Keep its pose as it is now", tip).clicked() {
            posed = Some(("Keep a pose", kept_as_it_is(tree, &poses, body)));
        }
        if poses.iter().any(|pose| pose.body == body.0)
            && wide_button(
                ui,
                "Straighten this joint",
                "Takes back what was bent by hand here",
            )
            .clicked()
        {
            let others = poses.iter().filter(|pose| pose.body != body.0);
            posed = Some(("Straighten", others.cloned().collect()));
        }
        let bent = |pose: &&PoseTable| hangs_on(tree, BodyId(pose.body), body);
        let count = poses.iter().filter(bent).count();
        let text = format!("Straighten it and all it carries ({count})");
        let tip = "Takes back every bend of this branch and of what grows from it";
        if count > 0 && wide_button(ui, &text, tip).clicked() {
            let others = poses.iter().filter(|pose| !bent(pose));
            posed = Some(("Straighten", others.cloned().collect()));
        }
        if let Some((what, poses)) = posed {
            self.edit(&window, what, |project| {
                if poses.is_empty() {
                    project.remove(&path);
                } else {
                    project.set(&path, poses);
                }
            });
        }
    }

    /// Curves of the whole tree.
    fn curves_card(&mut self, ui: &mut Ui, params: &TreeParams) {
        let window = ui.ctx().clone();
        let Some(radii) = self.radii.clone() else {
            return;
        };
        let tree = self.meant().0;
        card(ui, "Whole tree, over branch radius", |ui| {
            for (quantity, name, key) in Quantity::ALL {
                let path = format!("tree.{tree}.params.curves.{key}");
                if let Some(curve) =
                    curve_editor::show(ui, name, " ×", quantity.of(&params.curves), &radii)
                {
                    self.edit(&window, name, |project| project.set(&path, curve));
                }
            }
            let path = format!("tree.{tree}.params.curves");
            if self.project.get(&path).is_some()
                && wide_button(ui, "Reset curves", "Back to what the species says").clicked()
            {
                self.edit(&window, "Reset curves", |project| project.remove(&path));
            }
        });
    }

    /// Branches with curves of their own.
    fn overrides_card(&mut self, ui: &mut Ui, params: &TreeParams) {
        let window = ui.ctx().clone();
        let Some(radii) = self.radii.clone() else {
            return;
        };
        let tree = self.meant();
        card(ui, "Branches with curves of their own", |ui| {
            if params.overrides.is_empty() {
                ui.weak("None yet.");
            }
            for (i, over) in params.overrides.iter().enumerate() {
                let mut edited: Option<Vec<Override>> = None;
                ui.push_id(i, |ui| {
                    ui.horizontal(|ui| {
                        let [r, g, b, _] = OVERRIDE_COLOURS[i % OVERRIDE_COLOURS.len()];
                        let (dot, _) =
                            ui.allocate_exact_size(egui::vec2(14.0, 14.0), egui::Sense::hover());
                        ui.painter()
                            .circle_filled(dot.center(), 6.0, Color32::from_rgb(r, g, b));
                        let chosen = self.selected == Some((tree, over.body));
                        let name = format!("Branch at body {}", over.body.0);
                        if ui.selectable_label(chosen, name).clicked() {
                            self.selected = Some((tree, over.body));
                        }
                        if ui
                            .button("Remove")
                            .on_hover_text("Back to the curves of the whole tree")
                            .clicked()
                        {
                            let mut left = params.overrides.clone();
                            left.remove(i);
                            edited = Some(left);
                        }
                    });
                    if self.selected == Some((tree, over.body)) {
                        for (quantity, name, _) in Quantity::ALL {
                            let name = format!("{name} of the branch");
                            if let Some(curve) = curve_editor::show(
                                ui,
                                &name,
                                " ×",
                                quantity.of(&over.curves),
                                &radii,
                            ) {
                                let mut all = params.overrides.clone();
                                *quantity.of_mut(&mut all[i].curves) = curve;
                                edited = Some(all);
                            }
                        }
                        let axes = ["Leaves: flap", "Leaves: sway", "Leaves: twist"];
                        for (axis, name) in axes.into_iter().enumerate() {
                            let tip = "Factor on the stiffness of the leaves of this branch";
                            let value = over.leaf_stiffness[axis];
                            if let Some(value) =
                                Number::log(0.01..=100.0, " ×").row(ui, name, tip, value)
                            {
                                let mut all = params.overrides.clone();
                                all[i].leaf_stiffness[axis] = value;
                                edited = Some(all);
                            }
                        }
                    }
                });
                if let Some(overrides) = edited {
                    self.set_overrides(&window, "Curves of a branch", overrides);
                }
            }
            if !params.overrides.is_empty() {
                ui.colored_label(
                    palette(ui).faint,
                    "The display Overrides (View) shows them in colour.",
                );
            }
        });
    }

    fn set_overrides(&mut self, window: &egui::Context, what: &str, overrides: Vec<Override>) {
        let path = format!("tree.{}.params.overrides", self.meant().0);
        self.edit(window, what, |project| {
            if overrides.is_empty() {
                project.remove(&path);
            } else {
                project.set(&path, overrides);
            }
        });
    }

    fn factors_card(&mut self, ui: &mut Ui, params: &TreeParams) {
        let m = &params.multipliers;
        self.number_card(
            ui,
            "Factors",
            [
                (
                    "Wood stiffness",
                    "multipliers.branch_stiffness",
                    "Factor on the stiffness of all wood",
                    Number::log(0.01..=100.0, " ×"),
                    m.branch_stiffness,
                ),
                (
                    "Wood damping",
                    "multipliers.branch_damping",
                    "Factor on the damping of all wood",
                    Number::log(0.01..=100.0, " ×"),
                    m.branch_damping,
                ),
                (
                    "Leaf stiffness",
                    "multipliers.leaf_stiffness",
                    "Factor on the stiffness of all leaves",
                    Number::log(0.01..=100.0, " ×"),
                    m.leaf_stiffness,
                ),
                (
                    "Leaf damping",
                    "multipliers.leaf_damping",
                    "Factor on the damping of all leaves",
                    Number::log(0.01..=100.0, " ×"),
                    m.leaf_damping,
                ),
            ],
        );
    }

    /// Damping by what a person thinks in.
    fn damping_card(&mut self, ui: &mut Ui, ratio: Option<DampingRatio>) {
        let window = ui.ctx().clone();
        let path = format!("tree.{}.params.damping_ratio", self.meant().0);
        card(ui, "Damping ratio", |ui| {
            let tip = "ζ, share of critical damping at the first sway, in place of β of the wood: bare trees have 0.05, trees in leaf 0.12";
            let zeta = ratio.map(|ratio| ratio.zeta);
            let number = Number::log(0.001..=2.0, "");
            if let Some(zeta) = optional(ui, "Damped by ζ", tip, number, zeta, 0.08) {
                self.edit(&window, "Damping ratio", |project| match zeta {
                    Some(zeta) => project.set(&format!("{path}.zeta"), zeta),
                    None => project.remove(&path),
                });
            }
        });
    }

    fn materials_card(&mut self, ui: &mut Ui, params: &TreeParams) {
        let (wood, leaf, fruit) = (&params.wood, &params.leaf, &params.fruit);
        self.number_card(
            ui,
            "Wood",
            [
                (
                    "Density",
                    "wood.density",
                    "Of green wood: 500 to 1100 kg/m³",
                    Number::linear(100.0..=1500.0, " kg/m³"),
                    wood.density,
                ),
                (
                    "Modulus E",
                    "wood.youngs_modulus",
                    "Modulus of elasticity: green oak 8.6 GPa",
                    Number::log(1e7..=3e10, " Pa").shown_in(" GPa", 1e9),
                    wood.youngs_modulus,
                ),
                (
                    "Damping β",
                    "wood.damping_beta",
                    "Damping torque over stiffness and rate, s",
                    Number::log(0.0..=1.0, " s"),
                    wood.damping_beta,
                ),
            ],
        );
        self.number_card(
            ui,
            "Leaves and fruit",
            [
                (
                    "Leaf density",
                    "leaf.density",
                    "kg/m³",
                    Number::linear(50.0..=1500.0, " kg/m³"),
                    leaf.density,
                ),
                (
                    "Flapping",
                    "leaf.flap_hz",
                    "Frequency of a leaf alone about its width",
                    Number::log(0.2..=40.0, " Hz"),
                    leaf.flap_hz,
                ),
                (
                    "Swaying",
                    "leaf.sway_hz",
                    "Frequency of a leaf alone about its normal",
                    Number::log(0.2..=40.0, " Hz"),
                    leaf.sway_hz,
                ),
                (
                    "Twisting",
                    "leaf.twist_hz",
                    "Frequency of a leaf alone about its length",
                    Number::log(0.2..=40.0, " Hz"),
                    leaf.twist_hz,
                ),
                (
                    "Leaf damping β",
                    "leaf.damping_beta",
                    "s",
                    Number::log(0.0..=1.0, " s"),
                    leaf.damping_beta,
                ),
                (
                    "Fruit density",
                    "fruit.density",
                    "kg/m³; an apple has 850",
                    Number::linear(100.0..=2000.0, " kg/m³"),
                    fruit.density,
                ),
            ],
        );
    }

    /// A card of numbers of the parameters of the tree that is meant: name, key, explanation, how it is edited, value.
    fn number_card<const N: usize>(
        &mut self,
        ui: &mut Ui,
        heading: &str,
        rows: [(&str, &str, &str, Number, f32); N],
    ) {
        let tree = self.meant().0;
        let rows = rows.map(|(name, key, tip, number, value)| {
            let path = format!("tree.{tree}.params.{key}");
            (name, path, tip, number, value)
        });
        card(ui, heading, |ui| self.number_rows(ui, rows));
    }
}
