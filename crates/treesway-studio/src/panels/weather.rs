//! What falls on trees, what comes off them, what breaks, and who runs over them.

use crate::app::Studio;
use crate::theme::card;
use crate::widgets::{Number, choice, optional, switch, wide_button};
use eframe::egui::Ui;
use treesway::{Breakage, LetGo, Rainfall, Snowfall, TreeParams};
use treesway_io::scene::{CreatureTable, SceneFile};

/// Factors on the rate at which leaves or fruit fall, over time in s, and what they are called.
const SEASONS: [(&[[f32; 2]], &str); 3] = [
    (&[], "always"),
    (
        &[[0.0, 0.0], [15.0, 1.0], [45.0, 1.0], [60.0, 0.0]],
        "a minute of autumn",
    ),
    (&[[0.0, 1.0], [20.0, 0.0]], "the last 20 s of it"),
];

impl Studio {
    /// Snow and rain, shedding and breakage, squirrels.
    pub(super) fn weather_cards(&mut self, ui: &mut Ui, file: &SceneFile, params: &TreeParams) {
        self.snow_card(ui, file.snow);
        self.rain_card(ui, file.rain);
        let shedding = &params.shedding;
        self.shedding_card(ui, "Leaves that fall", "leaf", &shedding.leaf);
        self.shedding_card(ui, "Fruit that falls", "fruit", &shedding.fruit);
        self.breakage_card(ui, &params.breakage);
        self.squirrel_card(ui, file.creatures.first());
    }

    fn snow_card(&mut self, ui: &mut Ui, snow: Option<Snowfall>) {
        let window = ui.ctx().clone();
        card(ui, "Snow", |ui| {
            let tip =
                "It lies on what is level enough, weighs it down, and slides off when that moves";
            match switch(ui, "It snows", tip, snow.is_some()) {
                // A night of it in twenty seconds.
                Some(true) => self.edit(&window, "Snow", |p| p.set("snow.rate", 900.0_f32)),
                Some(false) => self.edit(&window, "No snow", |p| p.remove("snow")),
                None => {}
            }
            let Some(snow) = snow else {
                return;
            };
            self.number_rows(
                ui,
                [
                    (
                        "Rate",
                        "snow.rate",
                        "kg/m² in an hour, about cm: heavy snow has 5, a night in 20 s 900",
                        Number::log(1.0..=5000.0, " kg/m²h"),
                        snow.rate,
                    ),
                    (
                        "Most",
                        "snow.most",
                        "What lies on a level area at most",
                        Number::linear(0.1..=20.0, " kg/m²"),
                        snow.most,
                    ),
                    (
                        "Slope",
                        "snow.slope_deg",
                        "Steepest slope that it lies on",
                        Number::linear(5.0..=85.0, "°"),
                        snow.slope_deg,
                    ),
                ],
            );
        });
    }

    fn rain_card(&mut self, ui: &mut Ui, rain: Option<Rainfall>) {
        let window = ui.ctx().clone();
        card(ui, "Rain", |ui| {
            match switch(ui, "It rains", "Drops knock on leaves", rain.is_some()) {
                Some(true) => self.edit(&window, "Rain", |p| p.set("rain.rate", 50.0_f32)),
                Some(false) => self.edit(&window, "No rain", |p| p.remove("rain")),
                None => {}
            }
            if let Some(rain) = rain {
                let tip = "A drizzle has 1 mm/h, a cloudburst 100";
                let number = Number::log(0.5..=500.0, " mm/h");
                self.number_rows(ui, [("Rate", "rain.rate", tip, number, rain.rate)]);
            }
        });
    }

    /// When leaves or fruit let go; `kind` is their table.
    fn shedding_card(&mut self, ui: &mut Ui, title: &str, kind: &str, own: &LetGo) {
        let window = ui.ctx().clone();
        let key = |name: &str| format!("params.shedding.{kind}.{name}");
        card(ui, title, |ui| {
            let tip = "They come off where they are pulled with so many times their own weight";
            let number = Number::log(1.0..=200.0, " ×");
            if let Some(hold) = optional(ui, "Hold", tip, number, own.hold, 10.0) {
                self.edit_trees(&window, title, &key("hold"), hold);
            }
            let tip = "Share of those that are left that falls every second, whatever blows";
            let number = Number::linear(0.0..=0.5, " /s");
            if let Some(rate) = number.row(ui, "Rate", tip, own.rate) {
                self.edit_trees(&window, title, &key("rate"), Some(rate));
            }
            if own.rate > 0.0 {
                let named = SEASONS.map(|(season, name)| (season.to_vec(), name.to_owned()));
                let mut all = named.to_vec();
                if !all.iter().any(|(season, _)| *season == own.season) {
                    all.push((own.season.clone(), "as in the file".to_owned()));
                }
                let tip = "When they fall at that rate";
                if let Some(season) = choice(ui, "Season", tip, &own.season, all) {
                    let season = Some(season).filter(|s| !s.is_empty());
                    self.edit_trees(&window, title, &key("season"), season);
                }
            }
        });
    }

    fn squirrel_card(&mut self, ui: &mut Ui, squirrel: Option<&CreatureTable>) {
        let window = ui.ctx().clone();
        card(ui, "Squirrel", |ui| {
            let Some(squirrel) = squirrel else {
                ui.weak("Take the tool Squirrel and click branches: it runs up to the first, and on from there.");
                return;
            };
            self.number_rows(
                ui,
                [
                    (
                        "Mass",
                        "creature.0.mass",
                        "A squirrel has 0.35 kg, a cat 4",
                        Number::log(0.05..=50.0, " kg"),
                        squirrel.mass,
                    ),
                    (
                        "Speed",
                        "creature.0.speed",
                        "Along branches",
                        Number::linear(0.2..=8.0, " m/s"),
                        squirrel.speed,
                    ),
                ],
            );
            if wide_button(ui, "Call it back", "Forgets where it runs").clicked() {
                self.edit(&window, "No squirrel", |p| p.remove("creature"));
            }
        });
    }

    fn breakage_card(&mut self, ui: &mut Ui, breakage: &Breakage) {
        let window = ui.ctx().clone();
        card(ui, "Breakage", |ui| {
            let tip =
                "Factor on the strength of the wood: 1 sound, 0.5 rotten; off: it never breaks";
            let number = Number::log(0.01..=5.0, " ×");
            let key = "params.breakage.factor";
            if let Some(factor) = optional(ui, "Breaks", tip, number, breakage.factor, 1.0) {
                self.edit_trees(&window, "Breakage", key, factor);
            }
            if breakage.factor.is_none() {
                return;
            }
            let rows = [
                (
                    "Strength",
                    "params.breakage.strength",
                    "Modulus of rupture: green wood 40 to 60 MPa",
                    Number::log(5.0..=200.0, " MPa"),
                    1e6,
                    breakage.strength,
                ),
                (
                    "From radius",
                    "params.breakage.least_radius",
                    "Thinner wood never breaks: green twigs bend double",
                    Number::log(0.5..=200.0, " mm"),
                    1e-3,
                    breakage.least_radius,
                ),
            ];
            for (name, key, tip, number, unit, value) in rows {
                if let Some(value) = number.row(ui, name, tip, value / unit) {
                    self.edit_trees(&window, name, key, Some(value * unit));
                }
            }
        });
    }
}
