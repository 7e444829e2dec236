//! Crowds: thousands of trees of a few species, which are drawn and sway, but are not simulated.

use super::build::Planted;
use super::{Scene, SceneError, VERSION};
use core::f64::consts::TAU;
use serde::{Deserialize, Serialize};
use treesway::glam::{DVec2, Vec3};
use treesway::math::Rng;
use treesway::{SpectralSettings, SpectralTree};
use treesway_skin::Plant;

/// A crowd, for pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CrowdTable {
    /// Names of species, or files beside the scene (default: oak). Each is grown once; trees are of one or another by chance.
    pub species: Vec<String>,
    /// How many trees (default: 1000).
    pub count: usize,
    /// Edges of the rectangle that they stand on, along x and z, m (default: 200 by 200).
    pub area: [f64; 2],
    /// Its middle, m (default: the origin).
    pub at: Vec3,
    /// Least distance of two trees, m (default: 3).
    pub spacing: f64,
    /// Trees nearer than this to a tree that is simulated are left out of the crowd, m (default: 5).
    pub clearing: f64,
    /// How much larger or smaller than their species trees are, 0 to 0.9 (default: 0.25).
    pub size_spread: f64,
    /// How much faster or slower they sway, 0 to 0.9 (default: 0.1).
    pub frequency_spread: f64,
    /// Bodies that each species is grown with (default: 1500).
    pub bodies: u32,
    /// Another seed grows and places other trees (default: 0).
    pub seed: u64,
}

impl Default for CrowdTable {
    fn default() -> Self {
        Self {
            species: vec!["oak".into()],
            count: 1000,
            area: [200.0; 2],
            at: Vec3::ZERO,
            spacing: 3.0,
            clearing: 5.0,
            size_spread: 0.25,
            frequency_spread: 0.1,
            bodies: 1500,
            seed: 0,
        }
    }
}

/// All crowds of a scene as one.
#[derive(Default)]
pub struct PlantedCrowd {
    /// One tree of each species.
    pub species: Vec<Planted>,
    /// How each sways in the wind of the scene.
    pub motions: Vec<SpectralTree>,
    /// Where trees stand.
    pub plants: Vec<Plant>,
}

/// Most trees of a crowd.
const MOST: usize = 1_000_000;

/// Height at which the wind of a crowd is asked for, m.
const CROWN: f32 = 8.0;

/// Places that are tried for each tree before there is held to be no room.
const TRIES: usize = 60;

impl Scene {
    /// Grows the species of every crowd and says where trees stand; nothing where the scene has no crowd.
    pub fn plant_crowds(&self) -> Result<PlantedCrowd, SceneError> {
        let mut all = PlantedCrowd::default();
        let fields = self.fields()?;
        for (i, table) in self.file.crowds.iter().enumerate() {
            self.check_crowd(i, table)?;
            let first = all.species.len() as u32;
            for (k, name) in table.species.iter().enumerate() {
                let text = format!(
                    "version = {VERSION}\n[[tree]]\nspecies = {}\nbodies = {}\nseed = {}\n",
                    toml::Value::from(name.as_str()),
                    table.bodies,
                    table.seed % (1 << 62)
                );
                let grown = Self::parse(&text, &self.name).and_then(|scene| scene.plant());
                let grown = grown
                    .map_err(|e| self.error(&format!("crowd.{i}.species.{k}"), e.what.clone()))?;
                for planted in grown {
                    let breeze = fields.iter().find_map(|f| f.breeze(Vec3::Y * CROWN));
                    let settings = SpectralSettings::default();
                    let wind = breeze.unwrap_or_default();
                    all.motions
                        .push(SpectralTree::of(&planted.tree, &wind, &settings));
                    all.species.push(planted);
                }
            }
            all.plants.extend(self.places(i, table, first)?);
        }
        Ok(all)
    }

    fn check_crowd(&self, i: usize, table: &CrowdTable) -> Result<(), SceneError> {
        let field = |name: &str| format!("crowd.{i}.{name}");
        if table.species.is_empty() {
            let what = "the list is empty; expected at least one species";
            return Err(self.error(&field("species"), what));
        }
        let count = table.count as f64;
        let most = MOST as f64;
        self.within(
            &field("count"),
            count,
            1.0,
            most,
            "a number from 1 to 1000000",
        )?;
        for edge in table.area {
            self.within(&field("area"), edge, 0.1, 1e5, "edges from 0.1 to 100000 m")?;
        }
        for (name, value) in [("spacing", table.spacing), ("clearing", table.clearing)] {
            self.within(
                &field(name),
                value,
                0.0,
                1e4,
                "a distance from 0 to 10000 m",
            )?;
        }
        for (name, value) in [
            ("size_spread", table.size_spread),
            ("frequency_spread", table.frequency_spread),
        ] {
            self.within(&field(name), value, 0.0, 0.9, "a number from 0 to 0.9")?;
        }
        Ok(())
    }

    /// Places by chance, none nearer to another than the spacing.
    fn places(&self, i: usize, table: &CrowdTable, first: u32) -> Result<Vec<Plant>, SceneError> {
        let mut random = Rng::new(table.seed, 0x0063_726f_7764);
        let [across, deep] = table.area;
        // A cell holds at most one tree.
        let cell = (table.spacing / core::f64::consts::SQRT_2).max(1e-3);
        let [columns, rows] = table
            .area
            .map(|edge| ((edge / cell).ceil() as usize).min(4 * MOST));
        let mut taken: std::collections::BTreeMap<(usize, usize), DVec2> = Default::default();
        let middle = table.at.as_dvec3();
        let simulated = |p: DVec2| {
            let near = |at: DVec2| at.distance(p) < table.clearing;
            self.file
                .trees
                .iter()
                .any(|t| near(DVec2::new(t.at.x - middle.x, t.at.z - middle.z)))
        };
        let mut plants = Vec::with_capacity(table.count);
        for _ in 0..table.count {
            let place = (0..TRIES).find_map(|_| {
                let p = DVec2::new(random.unit() * across, random.unit() * deep);
                let (x, y) = ((p.x / cell) as usize, (p.y / cell) as usize);
                let near = (x.saturating_sub(2)..=(x + 2).min(columns)).any(|x| {
                    let beside = taken.range((x, y.saturating_sub(2))..=(x, (y + 2).min(rows)));
                    beside
                        .into_iter()
                        .any(|(_, at)| at.distance(p) < table.spacing)
                });
                let centred = p - 0.5 * DVec2::new(across, deep);
                (!near && !simulated(centred)).then(|| {
                    taken.insert((x, y), p);
                    centred
                })
            });
            let Some(place) = place else {
                let what = format!(
                    "is {}, but after {} trees there is no room {} m from others; expected fewer, a larger area or a smaller spacing",
                    table.count,
                    plants.len(),
                    table.spacing
                );
                return Err(self.error(&format!("crowd.{i}.count"), what));
            };
            let kinds = table.species.len();
            plants.push(Plant {
                species: first + ((random.unit() * kinds as f64) as u32).min(kinds as u32 - 1),
                position: table.at + Vec3::new(place.x as f32, 0.0, place.y as f32),
                yaw: (random.unit() * TAU) as f32,
                size: (1.0 + table.size_spread * random.signed()) as f32,
                phase: (random.unit() * 600.0) as f32,
                jitter: (table.frequency_spread * random.signed()) as f32,
            });
        }
        Ok(plants)
    }
}
