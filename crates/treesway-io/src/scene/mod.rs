//! Scene files: trees, wind, what pulls on them and how long to run, in TOML. `docs/FORMATS.md` lists every field.
//!
//! [`Scene::parse`] reads the text, [`Scene::build`] grows the trees and gives a [`Simulation`]. Every error is one line that
//! names the file, the line or field, what was found and what was expected.

mod body;
mod build;
mod crowd;
mod error;
mod file;
mod grammar;
mod imported;
mod motion;
mod pose;
mod set;
mod simulation;
mod source;
mod species;
mod squirrel;

pub use body::BodyPlace;
pub use build::{Model, Planted};
pub use crowd::{CrowdTable, PlantedCrowd};
pub use error::SceneError;
pub use file::{
    BallTable, BranchTable, Builtin, CameraTable, ColliderKind, ColliderTable, CreatureTable,
    CutTable, Environment, FruitTable, KeyTable, LeafTable, LoadTable, Motion, PoseTable,
    PullTable, Run, RunTable, SceneFile, SunTable, TreeTable, WindTable,
};
pub use grammar::{grammar_scene, is_grammar_file};
pub use motion::Shake;
pub use simulation::Simulation;
pub use species::species_scene;
pub use treesway_grow::text::nearest;

use std::path::{Path, PathBuf};
use treesway_grow::text::{explain, line_of};

/// A scene file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// What it says.
    pub file: SceneFile,
    /// Name for messages: a path, or the name of a built-in scene.
    name: String,
    /// As it was read, to find lines.
    text: String,
    /// The tables with the changes from outside, to see what was given and what is a default.
    table: toml::Table,
}

/// Version of scene files that this library reads.
pub const VERSION: u32 = 1;

impl Scene {
    /// Reads a scene; `name` is what messages call it.
    pub fn parse(text: &str, name: &str) -> Result<Self, SceneError> {
        Self::parse_with(text, name, &[])
    }

    /// Reads a scene and changes it by `key=value` settings, in order. A key is a dotted path from the root of the file
    /// (`tree.0.params.wood.density`; without the number it holds for all trees) or the bare name of a parameter of the trees
    /// (`segments`, `bodies`, `seed`). Values are TOML; what is not is taken as a string.
    pub fn parse_with(text: &str, name: &str, settings: &[String]) -> Result<Self, SceneError> {
        let file = toml::from_str(text).map_err(|e| SceneError::of_toml(name, text, &e))?;
        let table = toml::from_str(text).map_err(|e| SceneError::of_toml(name, text, &e))?;
        let mut scene = Self {
            file,
            name: name.into(),
            text: text.into(),
            table,
        };
        scene.check_version()?;
        for setting in settings {
            let wrong =
                |what: String| SceneError::at(name, None, &format!("--set {setting}"), what);
            set::apply(&mut scene.table, setting).map_err(wrong)?;
            scene.file =
                SceneFile::from_table(&scene.table).map_err(|e| wrong(explain(e.message())))?;
        }
        Ok(scene)
    }

    /// As it was read, without changes from outside.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What messages call it: a path, or the name of a built-in scene.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file again, without its comments.
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.file).expect("every field has a form in TOML")
    }

    /// An error about the field at a dotted path, with the line of the file where that stands.
    fn error(&self, path: &str, what: impl Into<String>) -> SceneError {
        SceneError::at(&self.name, line_of(&self.text, path), path, what)
    }

    /// A file that the scene names: relative to the scene file.
    fn beside(&self, file: &str) -> PathBuf {
        Path::new(&self.name).with_file_name(file)
    }

    fn check_version(&self) -> Result<(), SceneError> {
        if self.file.version == VERSION {
            return Ok(());
        }
        let found = self.file.version;
        Err(self.error("version", format!("is {found}; expected {VERSION}")))
    }
}
