//! Trees without state: every parameter of the spectral solver, for all branches, for a level, for one branch and for places on the surface, edited while they
//! move; the spectra that its levels have, and the textures that their motion is read from.

use crate::app::Studio;
use crate::plots::Plot;
use crate::theme::{card, folded_card};
use crate::widgets::{Number, choice, optional, wide_button};
use eframe::egui::{self, ColorImage, Id, TextureHandle, TextureOptions, Ui, vec2};
use treesway::glam::Vec3;
use treesway::spectral::spectrum::Response;
use treesway::spectral::{
    Bending, BranchFactors, FrequencyBy, LevelFactors, MotionTextures, SpectralLevel,
    SpectralSettings, SpectralTree, Stroke, TextureKind,
};
use treesway::{BodyId, Solver, SolverSettings, Tree, TreeId};

/// A texture as it was shown last, and what it was made from.
#[derive(Clone)]
struct Shown {
    of: u64,
    picture: TextureHandle,
}

impl Studio {
    /// Where trees move without state, or those beside them do.
    pub(super) fn spectral_cards(&mut self, ui: &mut Ui, settings: &SolverSettings) {
        let beside = self.beside.is_some_and(|b| b.solver == Solver::Spectral);
        if settings.solver != Solver::Spectral && !beside {
            return;
        }
        let own = &settings.spectral;
        card(ui, "Motion without state", |ui| self.whole_rows(ui, own));
        card(ui, "Levels of branches", |ui| self.level_rows(ui, own));
        card(ui, "Chosen branch, without state", |ui| {
            self.branch_rows(ui)
        });
        folded_card(ui, "Painted places", |ui| self.paint_rows(ui));
    }

    /// The first tree that moves so, of the trees themselves or of those beside them.
    fn stateless(&self) -> Option<&Tree> {
        let stage = self.stage.as_ref()?;
        let beside = stage.twin.iter().map(|t| t.simulation.world());
        let mut worlds = core::iter::once(stage.simulation.world()).chain(beside);
        worlds.find_map(|w| w.trees().iter().find(|t| t.spectral_now().is_some()))
    }

    fn whole_rows(&mut self, ui: &mut Ui, own: &SpectralSettings) {
        let window = ui.ctx().clone();
        let named = |all: &[(Bending, &str)]| {
            let all = all.iter().map(|(b, name)| (*b, (*name).to_owned()));
            all.collect::<Vec<_>>()
        };
        let all = named(&[
            (Bending::Exact, "keeps lengths"),
            (Bending::Printed, "as printed"),
            (Bending::Simple, "positions only"),
        ]);
        let tip = "How a branch bends: along an arc of its own length, as in the paper, or only moved, which costs least";
        if let Some(bending) = choice(ui, "Bending", tip, &own.bending, all) {
            self.edit_trees(
                &window,
                "Bending",
                "settings.spectral.bending",
                Some(bending),
            );
        }
        let all = [
            (TextureKind::Corrected, "right spectrum".to_owned()),
            (TextureKind::Radial, "as printed".to_owned()),
        ];
        let tip = "What lines through a motion texture carry: the spectrum of a damped branch, or its projection";
        if let Some(texture) = choice(ui, "Textures", tip, &own.texture, all) {
            self.edit_trees(
                &window,
                "Textures",
                "settings.spectral.texture",
                Some(texture),
            );
        }
        let sizes = [64, 128, 256, 512, 1024].map(|n: u32| (n, format!("{n} × {n}")));
        let tip = "Texels of a motion texture: more repeat later";
        if let Some(size) = choice(ui, "Texels", tip, &own.texture_size, sizes) {
            self.edit_trees(
                &window,
                "Texels",
                "settings.spectral.texture_size",
                Some(size),
            );
        }
        let all = [
            (FrequencyBy::Own, "own stiffness and mass".to_owned()),
            (FrequencyBy::Broadleaf, "length, broad leaves".to_owned()),
            (FrequencyBy::Leafless, "length, without leaves".to_owned()),
            (FrequencyBy::Conifer, "length, conifers".to_owned()),
        ];
        let tip = "Where the frequency of a branch comes from";
        if let Some(frequency) = choice(ui, "Frequencies", tip, &own.frequency, all) {
            let key = "settings.spectral.frequency";
            self.edit_trees(&window, "Frequencies", key, Some(frequency));
        }
        let tip = "Levels of branches that move by themselves; finer ones ride on theirs";
        let levels = own.levels as f32;
        if let Some(levels) = Number::whole(1.0..=8.0).row(ui, "Levels", tip, levels) {
            let levels = levels.round() as u32;
            self.edit_trees(&window, "Levels", "settings.spectral.levels", Some(levels));
        }
        self.tree_rows(
            ui,
            [
                (
                    "Averaging",
                    "settings.spectral.averaging",
                    "How much gusts cancel out that are shorter than what a branch carries; 0 as printed",
                    Number::linear(0.0..=2.0, " ×"),
                    own.averaging,
                ),
                (
                    "Swing",
                    "settings.spectral.swing",
                    "Factor on how far branches swing",
                    Number::linear(0.0..=4.0, " ×"),
                    own.swing,
                ),
                (
                    "Push",
                    "settings.spectral.push",
                    "Factor on how far a steady wind bends them",
                    Number::linear(0.0..=4.0, " ×"),
                    own.push,
                ),
                (
                    "Modulation",
                    "settings.spectral.modulation",
                    "How much the strength of the wind comes and goes, over half a minute",
                    Number::linear(0.0..=1.0, ""),
                    own.modulation,
                ),
                (
                    "Leaf flutter",
                    "settings.spectral.flutter",
                    "Slope by which leaves flutter at 5 m/s",
                    Number::linear(0.0..=1.0, ""),
                    own.flutter,
                ),
            ],
        );
        let tip = "One damping ratio for all branches, in place of that of wood and air";
        let number = Number::log(0.01..=2.0, " of critical");
        if let Some(ratio) = optional(ui, "One damping", tip, number, own.damping_ratio, 0.1) {
            let key = "settings.spectral.damping_ratio";
            self.edit_trees(&window, "Damping", key, ratio);
        }
        let tip = "Length of gusts, in place of that of the wind; 1 m as printed, which is a wind that flickers";
        let number = Number::log(0.5..=200.0, " m");
        if let Some(length) = optional(ui, "Own gusts", tip, number, own.gust_length, 1.0) {
            let key = "settings.spectral.gust_length";
            self.edit_trees(&window, "Gusts", key, length);
        }
    }

    fn level_rows(&mut self, ui: &mut Ui, own: &SpectralSettings) {
        let window = ui.ctx().clone();
        let id = Id::unique("level of branches");
        let chosen = ui.data(|data| data.get_temp::<usize>(id)).unwrap_or(0);
        let chosen = chosen.min(own.levels as usize - 1);
        let all = (0..own.levels as usize).map(|i| {
            let name = match i {
                0 => "trunk".to_owned(),
                1 => "limbs".to_owned(),
                i => format!("order {i}"),
            };
            (i, name)
        });
        if let Some(level) = choice(ui, "Level", "Whose factors and motion", &chosen, all) {
            ui.data_mut(|data| data.insert_temp(id, level));
        }
        if let Some(factors) = factor_rows(ui, own.factors(chosen as u32)) {
            let mut level = own.level.clone();
            level.resize(level.len().max(chosen + 1), LevelFactors::default());
            level[chosen] = factors;
            let key = "settings.spectral.level";
            self.edit_trees(&window, "Factors of a level", key, Some(level));
        }
        let Some(tree) = self.stateless() else {
            ui.weak("Spectra and textures are shown once the trees move.");
            return;
        };
        let (Some(now), Some(wind)) = (tree.spectral_now(), tree.spectral_wind()) else {
            return;
        };
        let Some(level) = now.model.levels.get(chosen) else {
            ui.weak("This tree has no such branches.");
            return;
        };
        ui.label(format!(
            "{} branches, about {:.2} Hz, damping {:.2} of critical",
            level.branches, level.frequency, level.damping_ratio
        ));
        let speed = wind.velocity.length();
        spectra(ui, level, speed, own.gust_length_in(&wind));
        textures(ui, &now.textures, chosen);
    }

    fn branch_rows(&mut self, ui: &mut Ui) {
        let window = ui.ctx().clone();
        let (Some((id, body)), Some(stage)) = (self.selected, &self.stage) else {
            ui.weak("Click a branch to choose it.");
            return;
        };
        let tree = stage.simulation.world().tree(id);
        let mut own = tree.settings().spectral.branch.clone();
        if let Some(text) = self.stateless().and_then(|t| described(t, body)) {
            ui.label(text);
        }
        // The same branch may have been chosen by another of its bodies before.
        let branch = |b: BodyId| tree.body(b).branch;
        let same = |f: &BranchFactors| f.body == body || branch(f.body) == branch(body);
        let known = own
            .iter()
            .position(|f| f.body.index() < tree.len() && same(f));
        let factors = known.map_or_else(LevelFactors::default, |i| own[i].factors);
        let path = format!("tree.{}.settings.spectral.branch", id.0);
        if let Some(factors) = factor_rows(ui, factors) {
            match known {
                Some(i) => own[i].factors = factors,
                None => own.push(BranchFactors { body, factors }),
            }
            self.edit(&window, "Factors of a branch", |project| {
                project.set(&path, own)
            });
        } else if let Some(i) = known
            && wide_button(ui, "As its level again", "Takes these factors away").clicked()
        {
            own.remove(i);
            self.edit(&window, "Factors of a branch", |project| {
                project.set(&path, own)
            });
        }
    }

    fn paint_rows(&mut self, ui: &mut Ui) {
        let window = ui.ctx().clone();
        let (id, body) = self.selected.unwrap_or((TreeId(0), BodyId(0)));
        let Some(stage) = &self.stage else {
            return;
        };
        let tree = stage.simulation.world().tree(id);
        let before = tree.settings().spectral.paint.clone();
        let mut paint = before.clone();
        let place = place_at_rest(tree, body);
        let tip = "Points within the brush count as being nearer to the base of their branch, and move less; of every vertex, leaves and twigs there included";
        ui.label("Where the tree is held").on_hover_text(tip);
        let mut removed = None;
        for (i, stroke) in paint.iter_mut().enumerate() {
            ui.push_id(i, |ui| {
                ui.horizontal(|ui| {
                    let [x, y, z] = stroke.at.to_array();
                    ui.weak(format!("at {x:.1}, {y:.1}, {z:.1} m"));
                    if ui.small_button("Remove").clicked() {
                        removed = Some(i);
                    }
                });
                let tip = "0 holds the middle as if it were at the base of its branch";
                let number = Number::linear(0.0..=1.0, "");
                if let Some(weight) = number.row(ui, "Follows", tip, stroke.weight) {
                    stroke.weight = weight;
                }
                let number = Number::log(0.05..=10.0, " m");
                if let Some(radius) = number.row(ui, "Brush", "Its radius", stroke.radius) {
                    stroke.radius = radius;
                }
            });
        }
        if let Some(i) = removed {
            paint.remove(i);
        }
        let chosen = self.selected.is_some();
        let button = egui::Button::new("Hold the chosen place");
        let tip = "Click a branch first";
        if ui.add_enabled(chosen, button).on_hover_text(tip).clicked() {
            paint.push(Stroke {
                at: place,
                radius: 1.0,
                weight: 0.3,
            });
        }
        if paint != before {
            let path = format!("tree.{}.settings.spectral.paint", id.0);
            self.edit(&window, "Painted places", |project| {
                project.set(&path, paint)
            });
        }
    }
}

/// What is known of the branch that carries a body.
fn described(tree: &Tree, body: BodyId) -> Option<String> {
    let SpectralTree { model, bodies, .. } = tree.spectral_now()?;
    let at = bodies.get(body.index())?.at;
    let branch = model.branches.get(at.branch as usize)?;
    let amplitude = branch.amplitude[0].hypot(branch.amplitude[1]);
    Some(format!(
        "Level {}, {:.2} m long, {:.2} Hz; swings by {:.1} %, is held by {:.1} % of its length; chosen at w = {:.2}",
        branch.layer,
        branch.length,
        model.frequencies[at.branch as usize],
        100.0 * amplitude,
        100.0 * branch.push,
        at.x,
    ))
}

/// The middle of a body in the pose that it was given, in the anchor's space.
fn place_at_rest(tree: &Tree, body: BodyId) -> Vec3 {
    let mut point = Vec3::Z * (0.5 * tree.body(body).length);
    let mut at = Some(body);
    while let Some(id) = at {
        let own = tree.body(id);
        point = own.joint_in_parent + own.joint_rotation * point;
        at = own.parent;
    }
    point
}

/// Five factors; the new ones once one of them is another.
fn factor_rows(ui: &mut Ui, mut factors: LevelFactors) -> Option<LevelFactors> {
    let before = factors;
    let rows: [(&str, &str, &mut f32); 5] = [
        ("Swing", "Factor on how far they swing", &mut factors.swing),
        (
            "Push",
            "Factor on how far a steady wind bends them",
            &mut factors.push,
        ),
        (
            "Frequency",
            "Factor on how fast they swing",
            &mut factors.frequency,
        ),
        (
            "Damping",
            "Factor on how soon they stop",
            &mut factors.damping,
        ),
        (
            "Taper",
            "Factor on tip over base radius: less bends tips more",
            &mut factors.taper,
        ),
    ];
    for (name, tip, value) in rows {
        if let Some(new) = Number::log(0.1..=10.0, " ×").row(ui, name, tip, *value) {
            *value = new;
        }
    }
    (factors != before).then_some(factors)
}

/// What moves a level, and how it answers, over frequencies up to twice its own.
fn spectra(ui: &mut Ui, level: &SpectralLevel, speed: f32, gust_length: f64) {
    let response = Response {
        frequency: level.frequency,
        damping_ratio: level.damping_ratio,
        wind_speed: speed.into(),
        gust_length,
        sail: level.sail,
    };
    let at = |i: u32| 2.0 * level.frequency * (f64::from(i) + 0.5) / 96.0;
    let over = |power: &dyn Fn(f64) -> f64| {
        let most = (0..96).map(|i| power(at(i))).fold(1e-30, f64::max);
        let point = |i| (at(i) as f32, (power(at(i)) / most).sqrt() as f32);
        (0..96).map(point).collect::<Vec<_>>()
    };
    let lines = [
        ("motion", over(&|f| response.power(f))),
        ("wind", over(&|f| response.wind_power(f))),
    ];
    let plot = Plot {
        title: "Amplitude over frequency",
        units: ["Hz", ""],
        lines: &lines,
        mark: Some(level.frequency as f32),
        tip: "What the wind has, and what a damped branch makes of it; the mark is its own frequency",
    };
    plot.show(ui, vec2(ui.available_width(), 96.0));
}

/// The motion texture of a level along both directions across, and one of leaves.
fn textures(ui: &mut Ui, all: &MotionTextures, level: usize) {
    let Some(layer) = all.layers.get(level) else {
        return;
    };
    let pictures: [(&str, Vec<f32>); 3] = [
        ("across, one way", layer.iter().map(|t| t[0]).collect()),
        ("the other way", layer.iter().map(|t| t[1]).collect()),
        ("leaves", all.leaves[0].iter().map(|t| t[0]).collect()),
    ];
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        let edge = (ui.available_width() - 12.0) / 3.0;
        for (name, texels) in pictures {
            let picture = picture(ui, name, &texels, all.size as usize);
            let shown = egui::Image::new((picture.id(), vec2(edge, edge)));
            ui.add(shown.alt_text(name)).on_hover_text(format!(
                "Motion texture, {name}: lines through it are the motion of branches"
            ));
        }
    });
}

/// Numbers as a picture, 0 grey, made anew where they are others.
fn picture(ui: &Ui, name: &str, texels: &[f32], size: usize) -> TextureHandle {
    let of = texels.iter().step_by(61).fold(size as u64, |h, t| {
        (h.rotate_left(5) ^ u64::from(t.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    let id = Id::unique(("motion texture", name));
    if let Some(shown) = ui.data(|data| data.get_temp::<Shown>(id))
        && shown.of == of
    {
        return shown.picture;
    }
    // Three standard deviations, which are 1, to either side.
    let grey = texels
        .iter()
        .map(|t| (127.5 + 42.5 * t).clamp(0.0, 255.0) as u8);
    let image = ColorImage::from_gray([size, size], &grey.collect::<Vec<u8>>());
    let picture = ui.ctx().load_texture(name, image, TextureOptions::LINEAR);
    let kept = Shown {
        of,
        picture: picture.clone(),
    };
    ui.data_mut(|data| data.insert_temp(id, kept));
    picture
}
