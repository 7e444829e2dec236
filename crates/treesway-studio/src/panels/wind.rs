//! Moving air.

use crate::app::Studio;
use crate::theme::card;
use crate::widgets::{Number, compass, row, switch};
use eframe::egui::Ui;
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

/// Speed of the wind, m/s, however the file says it.
fn speed_of(wind: &WindTable) -> f32 {
    wind.beaufort.map_or(wind.speed, treesway::beaufort)
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
        let speed = speed_of(&wind);
        card(ui, "Wind", |ui| {
            ui.horizontal(|ui| {
                if let Some(degrees) = compass(ui, wind.direction_deg, speed) {
                    self.edit(&window, "Wind direction", |p| {
                        p.set("wind.direction_deg", degrees)
                    });
                }
                ui.vertical(|ui| {
                    let (number, name) = beaufort(speed);
                    ui.heading(format!("{speed:.1} m/s"));
                    ui.label(format!("Beaufort {number}"));
                    ui.weak(name);
                    ui.weak(format!("blows to {:.0}°", wind.direction_deg));
                });
            });
            let tip = "Mean speed, m/s, at the height of the profile";
            if let Some(speed) = Number::linear(0.0..=30.0, " m/s").row(ui, "Speed", tip, speed) {
                self.edit(&window, "Wind speed", |project| {
                    project.remove("wind.beaufort");
                    project.set("wind.speed", speed);
                });
            }
            row(ui, "Beaufort", "Sets the speed", |ui, _| {
                ui.spacing_mut().item_spacing.x = 2.0;
                ui.spacing_mut().button_padding.x = 7.0;
                let current = beaufort(speed).0;
                for number in [0, 2, 4, 6, 8, 10] {
                    let text = number.to_string();
                    if ui
                        .selectable_label(current == number, text)
                        .on_hover_text(BEAUFORT[number])
                        .clicked()
                    {
                        self.edit(&window, "Wind speed", |project| {
                            project.remove("wind.beaufort");
                            project.set("wind.speed", treesway::beaufort(number as f32));
                        });
                    }
                }
            });
        });
        self.wind_map_card(ui, &wind, speed);
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
            if let Some(octaves) = Number::linear(1.0..=12.0, "").row(ui, "Octaves", tip, octaves) {
                let octaves = octaves.round() as u32;
                self.edit(&window, "Octaves", |p| p.set("wind.gusts.octaves", octaves));
            }
        });
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
                        "How far the wind turns back and forth",
                        Number::linear(0.0..=1.5, ""),
                        wind.wiggle.strength,
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
