//! Weather and wood by name. A preset is a part of a scene file, which is laid over the project; any other scene can be one, too.

use crate::project::Project;
use toml::{Table, Value};
use treesway_io::SceneError;

/// Settings with a name.
pub struct Preset {
    /// What it is called.
    pub name: &'static str,
    /// What it does.
    pub tip: &'static str,
    /// A part of a scene: tables at the top, and `[tree]` for every tree.
    text: &'static str,
}

/// What weather is made of.
const WEATHER_KEYS: [&str; 3] = ["wind", "snow", "rain"];

/// What weather does to every tree.
const WEATHER_TREE_KEYS: [&str; 2] = ["params.shedding", "params.breakage"];

/// What wood is made of.
const WOOD_TREE_KEYS: [&str; 5] = [
    "params.multipliers",
    "params.curves",
    "params.wood",
    "params.damping_ratio",
    "params.forks",
];

/// Weather, from still to wild.
pub const WEATHER: [Preset; 8] = [
    Preset {
        name: "Still",
        tip: "No wind; the air only damps",
        text: "[wind]\nspeed = 0.0\n",
    },
    Preset {
        name: "Light breeze",
        tip: "3 m/s with soft gusts",
        text: "[wind]\nspeed = 3.0\ndirection_deg = 20.0\n",
    },
    Preset {
        name: "Fresh and gusty",
        tip: "9 m/s, gusts of a third of that",
        text: "[wind]\nspeed = 9.0\ndirection_deg = 20.0\n[wind.gusts]\nstrength = 0.33\n",
    },
    Preset {
        name: "Gale",
        tip: "18 m/s: leaves that cannot hold on fly",
        text: "[wind]\nspeed = 18.0\ndirection_deg = 20.0\n[wind.gusts]\nstrength = 0.3\n[tree.params.shedding.leaf]\nhold = 40.0\n",
    },
    Preset {
        name: "Storm that breaks wood",
        tip: "28 m/s and wood of half its strength",
        text: "[wind]\nspeed = 28.0\ndirection_deg = 20.0\n[wind.gusts]\nstrength = 0.35\n[tree.params.shedding.leaf]\nhold = 40.0\n[tree.params.breakage]\nfactor = 0.5\n",
    },
    Preset {
        name: "Autumn",
        tip: "5 m/s, and within a minute most leaves fall",
        text: "[wind]\nspeed = 5.0\ndirection_deg = 20.0\n[tree.params.shedding.leaf]\nrate = 0.05\n",
    },
    Preset {
        name: "Snowfall",
        tip: "A night of snow in twenty seconds, hardly any wind",
        text: "[wind]\nspeed = 0.8\ndirection_deg = 20.0\n[snow]\nrate = 900.0\n",
    },
    Preset {
        name: "Cloudburst",
        tip: "100 mm of rain in an hour, in 8 m/s",
        text: "[wind]\nspeed = 8.0\ndirection_deg = 20.0\n[wind.gusts]\nstrength = 0.35\n[rain]\nrate = 100.0\n",
    },
];

/// Wood, from as it grew to other materials.
pub const WOOD: [Preset; 5] = [
    Preset {
        name: "As it grew",
        tip: "What the species says, without curves and factors",
        text: "",
    },
    Preset {
        name: "Supple",
        tip: "A quarter as stiff: sways half as fast, bends four times as far",
        text: "[tree.params.multipliers]\nbranch_stiffness = 0.25\n",
    },
    Preset {
        name: "Stiff",
        tip: "Four times as stiff",
        text: "[tree.params.multipliers]\nbranch_stiffness = 4.0\n",
    },
    Preset {
        name: "Whippy twigs, stiff limbs",
        tip: "Twigs of a millimetre a tenth as stiff, limbs of ten centimetres twice",
        text: "[tree.params.curves.bend]\nmode = \"multiplier\"\npoints = [{ radius = 0.001, value = 0.1 }, { radius = 0.1, value = 2.0 }]\n",
    },
    Preset {
        name: "Rubber",
        tip: "A twentieth as stiff and hardly damped",
        text: "[tree.params.multipliers]\nbranch_stiffness = 0.05\nbranch_damping = 0.3\n",
    },
];

impl Preset {
    /// Lays weather over a project of so many trees.
    pub fn weather(&self, project: &mut Project, trees: usize) {
        self.lay(project, trees, &WEATHER_KEYS, &WEATHER_TREE_KEYS);
    }

    /// Lays wood over a project of so many trees.
    pub fn wood(&self, project: &mut Project, trees: usize) {
        self.lay(project, trees, &[], &WOOD_TREE_KEYS);
    }

    fn lay(&self, project: &mut Project, trees: usize, top: &[&str], each: &[&str]) {
        let table: Table = toml::from_str(self.text).expect("presets are TOML; a test reads all");
        lay(project, trees, &table, top, each);
    }
}

/// Takes over wind, weather, solver and wood of another scene.
pub fn settings_of(
    project: &mut Project,
    trees: usize,
    text: &str,
    name: &str,
) -> Result<(), SceneError> {
    Project::parse(text, name)?;
    let mut table: Table = toml::from_str(text).expect("a scene is TOML");
    // Its first tree stands for all of ours.
    let first = table.get("tree").and_then(|trees| trees.get(0)).cloned();
    table.insert("tree".into(), first.unwrap_or(Value::Table(Table::new())));
    let top = [&WEATHER_KEYS[..], &["environment", "sun"]].concat();
    let own = ["solver", "substeps", "settings"];
    let each = [&WEATHER_TREE_KEYS[..], &WOOD_TREE_KEYS, &own].concat();
    lay(project, trees, &table, &top, &each);
    Ok(())
}

/// Replaces these keys of the project, and of each of its trees, by those of a scene whose `tree` is a table.
fn lay(project: &mut Project, trees: usize, scene: &Table, top: &[&str], each: &[&str]) {
    let of_tree = |key: &str| {
        let start = scene.get("tree");
        key.split('.').fold(start, |value, key| value?.get(key))
    };
    for key in top {
        put(project, key, scene.get(*key));
    }
    for tree in 0..trees {
        for key in each {
            put(project, &format!("tree.{tree}.{key}"), of_tree(key));
        }
    }
}

fn put(project: &mut Project, path: &str, value: Option<&Value>) {
    match value {
        Some(value) => project.set(path, value),
        None => project.remove(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oak() -> Project {
        let text = "version = 1\n[[tree]]\nspecies = 'oak'\n[[tree]]\nspecies = 'oak'\nat = [9.0, 0.0, 0.0]\n[wind]\nspeed = 2.0\n[snow]\nrate = 5.0\n";
        Project::parse(text, "oak.toml").unwrap()
    }

    #[test]
    fn every_preset_is_a_scene_and_says_something() {
        for preset in &WEATHER {
            let mut project = oak();
            preset.weather(&mut project, 2);
            let scene = project
                .scene()
                .unwrap_or_else(|e| panic!("{}: {e}", preset.name));
            assert!(scene.file.wind.is_some(), "{}", preset.name);
            let snows = preset.name == "Snowfall";
            assert_eq!(scene.file.snow.is_some_and(|s| s.rate > 5.0), snows);
        }
        for preset in &WOOD {
            let mut project = oak();
            preset.wood(&mut project, 2);
            project
                .scene()
                .unwrap_or_else(|e| panic!("{}: {e}", preset.name));
            let told = project
                .get("tree.1.params")
                .is_some_and(|params| params.as_table().is_some_and(|table| !table.is_empty()));
            assert_eq!(told, preset.name != "As it grew", "{}", project.to_toml());
        }
    }

    #[test]
    fn another_scene_serves_as_a_preset_and_trees_stay() {
        let mut project = oak();
        let other = "version = 1\n[[tree]]\nspecies = 'pine'\nsolver = 'analytic'\n[tree.params.multipliers]\nbranch_stiffness = 3.0\n[wind]\nspeed = 11.0\n";
        settings_of(&mut project, 2, other, "other.toml").unwrap();
        let scene = project.scene().unwrap();
        assert_eq!(scene.file.wind.unwrap().speed, 11.0);
        assert!(scene.file.snow.is_none());
        for tree in &scene.file.trees {
            assert_eq!(tree.species.as_deref(), Some("oak"));
            assert_eq!(tree.solver, Some(treesway::Solver::Analytic));
            assert_eq!(tree.params.multipliers.branch_stiffness, 3.0);
        }
        let before = project.clone();
        let error = settings_of(&mut project, 2, "version = 1\nwnd = 3\n", "x.toml").unwrap_err();
        assert!(error.to_string().starts_with("x.toml:2"), "{error}");
        assert_eq!(project, before);
    }
}
