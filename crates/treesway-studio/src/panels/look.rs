//! Camera, light and display.

use crate::app::Studio;
use crate::theme::card;
use crate::viewport::Display;
use crate::widgets::{Number, choice, switch, wide_button};
use eframe::egui::Ui;

impl Studio {
    pub(super) fn view_tab(&mut self, ui: &mut Ui) {
        let window = ui.ctx().clone();
        card(ui, "Display", |ui| {
            let all = Display::ALL.map(|(display, name)| (display, name.to_owned()));
            let tip = "As the trees look, or in colours that stand for something";
            if let Some(display) = choice(ui, "Show", tip, &self.view.display, all) {
                self.view.display = display;
            }
            let settings = &mut self.view.settings;
            let switches = [
                (
                    "Textures",
                    "Bark, leaves and turf, or plain colours",
                    &mut settings.textures,
                ),
                ("Light", "Off: colours as they are", &mut settings.lighting),
                ("Shadow", "Of the sun", &mut settings.shadow),
                (
                    "Sky and ground",
                    "Or nothing behind the trees",
                    &mut settings.background,
                ),
            ];
            for (name, tip, on) in switches {
                if let Some(now) = switch(ui, name, tip, *on) {
                    *on = now;
                }
            }
            let tip = "Wood as smooth curves through the ends of its pieces, made anew in every frame, instead of bark; for plants of few pieces";
            let curves = self.view.curves;
            if let Some(on) = switch(ui, "Curves through joints", tip, curves.is_some()) {
                self.view.curves = on.then_some(3);
            }
            if let Some(resolution) = curves {
                let tip = "Pieces of curve per piece of wood; the paper draws 3";
                let number = Number::whole(1.0..=12.0);
                if let Some(now) = number.row(ui, "Resolution", tip, resolution as f32) {
                    self.view.curves = Some((now.round() as u32).clamp(1, 64));
                }
            }
        });
        card(ui, "Camera", |ui| {
            let orbit = &mut self.orbit;
            let rows = [
                (
                    "Around",
                    "Where the camera stands: 0° towards +x, 90° towards +z",
                    Number::linear(0.0..=360.0, "°"),
                    &mut orbit.azimuth_deg,
                ),
                (
                    "Above",
                    "How far above the horizon",
                    Number::linear(-88.0..=88.0, "°"),
                    &mut orbit.elevation_deg,
                ),
                (
                    "Distance",
                    "To what it looks at",
                    Number::log(0.1..=500.0, " m"),
                    &mut orbit.distance,
                ),
                (
                    "Angle of view",
                    "From the lower to the upper edge",
                    Number::linear(5.0..=110.0, "°"),
                    &mut orbit.fov_deg,
                ),
                (
                    "Roll",
                    "Turned about the way it looks, clockwise",
                    Number::linear(-180.0..=180.0, "°"),
                    &mut orbit.roll_deg,
                ),
                (
                    "Looks at x",
                    "m",
                    Number::linear(-30.0..=30.0, " m"),
                    &mut orbit.target.x,
                ),
                (
                    "Looks at y",
                    "m, up",
                    Number::linear(-5.0..=40.0, " m"),
                    &mut orbit.target.y,
                ),
                (
                    "Looks at z",
                    "m",
                    Number::linear(-30.0..=30.0, " m"),
                    &mut orbit.target.z,
                ),
            ];
            for (name, tip, number, value) in rows {
                if let Some(now) = number.row(ui, name, tip, *value) {
                    *value = now;
                }
            }
            let mut eye = orbit.camera().eye;
            for (axis, name) in ["Stands at x", "Stands at y", "Stands at z"]
                .into_iter()
                .enumerate()
            {
                let number = Number::linear(-60.0..=60.0, " m");
                if let Some(now) = number.row(ui, name, "Looks at the same from there", eye[axis]) {
                    eye[axis] = now;
                    orbit.stand_at(eye);
                }
            }
            let tip = "Pictures are taken and the project is opened from here, in this light";
            if wide_button(ui, "Keep this view", tip).clicked() {
                let (camera, sun) = (self.orbit.table(), self.view.settings.sun);
                self.edit(&window, "Keep this view", |project| {
                    project.set("camera", camera);
                    project.set("sun.azimuth_deg", sun.azimuth_deg);
                    project.set("sun.elevation_deg", sun.elevation_deg);
                });
            }
            let tip = "Back to the view that is kept, or to everything from the front";
            if wide_button(ui, "Reset camera", tip).clicked() {
                self.unframed = true;
            }
        });
        card(ui, "Light", |ui| {
            let settings = &mut self.view.settings;
            let rows = [
                (
                    "Sun around",
                    "0° towards +x, 90° towards +z",
                    Number::linear(0.0..=360.0, "°"),
                    &mut settings.sun.azimuth_deg,
                ),
                (
                    "Sun above",
                    "The horizon",
                    Number::linear(2.0..=90.0, "°"),
                    &mut settings.sun.elevation_deg,
                ),
                (
                    "Exposure",
                    "Factor on all light",
                    Number::log(0.1..=10.0, " ×"),
                    &mut settings.exposure,
                ),
            ];
            for (name, tip, number, value) in rows {
                if let Some(now) = number.row(ui, name, tip, *value) {
                    *value = now;
                }
            }
        });
    }
}
