//! Moving air.

use crate::app::Studio;
use crate::project::Project;
use crate::theme::card;
use crate::widgets::{Number, compass, row, switch, wide_button};
use eframe::egui::Ui;
use treesway::Turbulence;
use treesway::glam::Vec3;
use treesway_io::scene::WindTable;

/// Names of the Beaufort numbers.
const BEAUFORT: [&str; 13] = [
    "calm",
    "light air",
    "light breeze",
    "gentle breeze",
    "moderate breeze",
    "fresh breeze",
    "strong breeze",
    "near gale",
    "gale",
    "strong gale",
    "storm",
    "violent storm",
    "hurricane",
];

/// The Beaufort number of a speed, m/s, and its name.
pub fn beaufort(speed: f32) -> (usize, &'static str) {
    let number = (0..BEAUFORT.len()).rev();
    // A number begins half way from the one below.
    let number = number
        .into_iter()
        .find(|&b| b == 0 || speed >= treesway::beaufort(b as f32 - 0.5));
    let number = number.unwrap_or(0);
    (number, BEAUFORT[number])
}

/// The mean wind, m/s, however the file says it.
pub(super) fn velocity_of(wind: &WindTable) -> Vec3 {
    let speed = wind.beaufort.map_or(wind.speed, treesway::beaufort);
    let angle = wind.direction_deg.to_radians();
    let level = Vec3::new(angle.cos(), 0.0, angle.sin()) * speed;
    wind.velocity.unwrap_or(level)
}

/// Where it blows to, degrees; as the file says where nothing blows over ground.
fn direction_of(wind: &WindTable, velocity: Vec3) -> f32 {
    if velocity.x == 0.0 && velocity.z == 0.0 || wind.velocity.is_none() {
        return wind.direction_deg;
    }
    velocity.z.atan2(velocity.x).to_degrees().rem_euclid(360.0)
}

/// Says the mean wind in the file: as speed and direction, or as a vector where it also blows up or down.
fn set_velocity(project: &mut Project, velocity: Vec3, direction_deg: f32) {
    project.remove("wind.beaufort");
    if velocity.y != 0.0 {
        project.remove("wind.speed");
        project.remove("wind.direction_deg");
        project.set("wind.velocity", velocity);
    } else {
        project.remove("wind.velocity");
        project.set("wind.speed", velocity.length());
        project.set("wind.direction_deg", direction_deg);
    }
}

impl Studio {
    pub(super) fn wind_tab(&mut self, ui: &mut Ui) {
        let window = ui.ctx().clone();
        let Some(stage) = &self.stage else {
            return;
        };
        let Some(wind) = stage.file().wind.clone() else {
            card(ui, "No air", |ui| {
                ui.label("Nothing damps these trees but their wood.");
                if ui.button("Add air").clicked() {
                    self.edit(&window, "Add air", |project| {
                        project.set("wind.speed", 4.0_f32)
                    });
                }
            });
            return;
        };
        let velocity = velocity_of(&wind);
        let (speed, direction) = (velocity.length(), direction_of(&wind, velocity));
        let way = |degrees: f32| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            Vec3::new(cos, 0.0, sin)
        };
        // As fast, in the same direction; from a calm on along the compass.
        let with_speed = |project: &mut Project, now: f32| {
            let along = velocity.try_normalize().unwrap_or_else(|| way(direction));
            let velocity = if velocity.y == 0.0 {
                way(direction) * now
            } else {
                along * now
            };
            set_velocity(project, velocity, direction);
        };
        card(ui, "Wind", |ui| {
            ui.horizontal(|ui| {
                if let Some(degrees) = compass(ui, direction, speed) {
                    let level = Vec3::new(velocity.x, 0.0, velocity.z).length();
                    let turned = way(degrees) * level + Vec3::Y * velocity.y;
                    self.edit(&window, "Wind direction", |p| {
                        set_velocity(p, turned, degrees)
                    });
                }
                ui.vertical(|ui| {
                    let (number, name) = beaufort(speed);
                    ui.heading(format!("{speed:.1} m/s"));
                    ui.label(format!("Beaufort {number}"));
                    ui.weak(name);
                    ui.weak(format!("blows to {direction:.0}°"));
                });
            });
            let tip = "Mean speed, m/s, at the height of the profile";
            if let Some(speed) = Number::linear(0.0..=30.0, " m/s").row(ui, "Speed", tip, speed) {
                self.edit(&window, "Wind speed", |project| with_speed(project, speed));
            }
            row(ui, "Beaufort", "Sets the speed", |ui, _| {
                ui.spacing_mut().item_spacing.x = 3.0;
                ui.spacing_mut().button_padding.x = 8.0;
                let current = beaufort(speed).0;
                for number in [0, 2, 4, 6, 8, 10] {
                    let text = number.to_string();
                    if ui
                        .selectable_label(current == number, text)
                        .on_hover_text(BEAUFORT[number])
                        .clicked()
                    {
                        let speed = treesway::beaufort(number as f32);
                        self.edit(&window, "Wind speed", |project| with_speed(project, speed));
                    }
                }
            });
            for (axis, name) in ["Along x", "Up, y", "Along z"].into_iter().enumerate() {
                let number = Number::linear(-30.0..=30.0, " m/s");
                let tip = "The same wind by its parts";
                if let Some(part) = number.row(ui, name, tip, velocity[axis]) {
                    let mut now = velocity;
                    now[axis] = part;
                    let degrees = now.z.atan2(now.x).to_degrees().rem_euclid(360.0);
                    self.edit(&window, "Wind", |project| {
                        set_velocity(project, now, degrees)
                    });
                }
            }
            let tip = "No wind; the air stays and damps";
            if wide_button(ui, "Stop the wind", tip).clicked() {
                self.edit(&window, "Stop the wind", |project| {
                    set_velocity(project, Vec3::ZERO, direction);
                });
            }
        });
        self.wind_map_card(ui, &wind, velocity);
        card(ui, "Gusts", |ui| {
            let gusts = wind.gusts;
            self.number_rows(
                ui,
                [
                    (
                        "Strength",
                        "wind.gusts.strength",
                        "Standard deviation of the speed over its mean: 0 steady, 0.15 open land, 0.4 between houses",
                        Number::linear(0.0..=1.0, ""),
                        gusts.strength,
                    ),
                    (
                        "Size",
                        "wind.gusts.size",
                        "Length of the largest gusts",
                        Number::log(2.0..=200.0, " m"),
                        gusts.size,
                    ),
                    (
                        "Roughness",
                        "wind.gusts.persistence",
                        "Amplitude of an octave over that of the one before: 0.79 in turbulence",
                        Number::linear(0.0..=1.0, ""),
                        gusts.persistence,
                    ),
                ],
            );
            let tip = "How many sizes of gusts, each half as long as the one before";
            let octaves = gusts.octaves as f32;
            if let Some(octaves) = Number::whole(1.0..=12.0).row(ui, "Octaves", tip, octaves) {
                let octaves = octaves.round() as u32;
                self.edit(&window, "Octaves", |p| p.set("wind.gusts.octaves", octaves));
            }
        });
        self.turbulence_card(ui, &wind.turbulence);
        card(ui, "Height and turning", |ui| {
            self.number_rows(
                ui,
                [
                    (
                        "Profile",
                        "wind.profile.exponent",
                        "Exponent of the power law over height: 0 the same everywhere, 0.14 over grass, 0.3 over forest",
                        Number::linear(0.0..=1.0, ""),
                        wind.profile.exponent,
                    ),
                    (
                        "At height",
                        "wind.profile.height",
                        "Where the speed above holds",
                        Number::linear(1.0..=30.0, " m"),
                        wind.profile.height,
                    ),
                    (
                        "Wiggle",
                        "wind.wiggle.strength",
                        "Rotation spline: how far the wind turns back and forth, as the tangent of the angle",
                        Number::linear(0.0..=1.5, ""),
                        wind.wiggle.strength,
                    ),
                    (
                        "Width",
                        "wind.wiggle.width",
                        "Rotation spline: way from crest to crest, in rings about the middle",
                        Number::log(0.5..=100.0, " m"),
                        wind.wiggle.width,
                    ),
                    (
                        "Period",
                        "wind.wiggle.period",
                        "Of that turning",
                        Number::log(0.2..=30.0, " s"),
                        wind.wiggle.period,
                    ),
                ],
            );
        });
        card(ui, "Shelter", |ui| {
            self.number_rows(
                ui,
                [
                    (
                        "Strength",
                        "wind.shelter.strength",
                        "How much of what trees take from the wind is missing behind them: 0 nothing, 1 all of it",
                        Number::linear(0.0..=1.0, ""),
                        wind.shelter.strength,
                    ),
                    (
                        "Recovery",
                        "wind.shelter.recovery",
                        "Way in the lee after which two thirds of that have come back",
                        Number::log(1.0..=500.0, " m"),
                        wind.shelter.recovery,
                    ),
                ],
            );
        });
        if switch(
            ui,
            "Air",
            "Off: a vacuum, in which leaves swing for long",
            true,
        ) == Some(false)
        {
            self.edit(&window, "Remove air", |project| project.remove("wind"));
        }
    }

    /// The simple turbulence of the particle tree.
    fn turbulence_card(&mut self, ui: &mut Ui, own: &Turbulence) {
        let rows = [
            (
                "In time T",
                "wind.turbulence.strength",
                "How much the force flickers everywhere at once; gusts are nearer to nature",
                Number::linear(0.0..=1.0, ""),
                own.strength,
            ),
            (
                "Period",
                "wind.turbulence.period",
                "From one value to the next",
                Number::log(0.05..=10.0, " s"),
                own.period,
            ),
            (
                "By body t",
                "wind.turbulence.scatter",
                "How much the force differs from body to body, for good",
                Number::linear(0.0..=1.0, ""),
                own.scatter,
            ),
        ];
        card(ui, "Turbulence", |ui| self.number_rows(ui, rows));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Limits of the Beaufort scale in m/s, World Meteorological Organization, Manual on Codes, code table 1100 (rounded to 0.1 m/s).
    #[test]
    fn beaufort_numbers_have_their_speeds() {
        let limits = [
            0.3, 1.6, 3.4, 5.5, 8.0, 10.8, 13.9, 17.2, 20.8, 24.5, 28.5, 32.7,
        ];
        for (below, limit) in limits.into_iter().enumerate() {
            // The formula meets the table within 0.2 m/s; beyond that the number is the table's.
            assert_eq!(beaufort(limit - 0.2).0, below, "{limit}");
            assert_eq!(beaufort(limit + 0.2).0, below + 1, "{limit}");
        }
    }
}
