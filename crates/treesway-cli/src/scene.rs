//! From the name of a scene to a scene.

use crate::arguments::{Changes, SceneArguments, Time};
use anyhow::{Result, bail, ensure};
use std::ffi::OsStr;
use std::path::Path;
use treesway::Tree;
use treesway_grow::species::is_species;
use treesway_grow::{Species, grammars};
use treesway_io::scene::{grammar_scene, is_grammar_file, species_scene};
use treesway_io::{Scene, SceneError, read_text};

/// Reads the scene that the arguments name, with their changes and then `further` ones.
pub fn load(arguments: &SceneArguments, further: &[String]) -> Result<Scene> {
    load_with(&arguments.scene, &arguments.changes, further)
}

/// Reads a named scene or a file, with changes and then `further` ones.
pub fn load_with(name: &str, changes: &Changes, further: &[String]) -> Result<Scene> {
    let mut settings = changes.settings.clone();
    settings.extend(changes.seed.map(|seed| format!("tree.seed={seed}")));
    settings.extend(
        changes
            .solver
            .iter()
            .map(|solver| format!("tree.solver=\"{solver}\"")),
    );
    settings.extend(changes.depth.map(|depth| format!("tree.depth={depth}")));
    settings.extend_from_slice(further);
    let path = Path::new(name);
    match path.extension().and_then(OsStr::to_str) {
        Some("toml") => {
            let text = read_text(path)?;
            if is_species(&text) {
                of_species(path, &settings)
            } else {
                Ok(Scene::parse_with(&text, name, &settings)?)
            }
        }
        Some("xml" | "json") => of_species(path, &settings),
        _ if is_grammar_file(name) => Ok(grammar(name, &settings)?),
        _ => {
            let named = treesway_scenes::find(name);
            // A name with an ending or a folder is meant as a file, even if there is none.
            let file = path.is_file() || path.extension().is_some() || name.contains('/');
            if named.is_err() && file {
                return Ok(Scene::of_tree_file(path, &settings)?);
            }
            Ok(named?.load(&settings)?)
        }
    }
}

/// A tree of a species file, alone in a light breeze.
fn of_species(path: &Path, settings: &[String]) -> Result<Scene> {
    let name = path.display().to_string();
    // Errors of the file are told as such, not as errors of a scene around it.
    let species = Species::parse_any(&read_text(path)?, &name)?;
    let file = path.file_name().and_then(OsStr::to_str).unwrap_or(&name);
    let text = species_scene(file, &species.title, None);
    Ok(Scene::parse_with(&text, &name, settings)?)
}

/// A scene of the grammar in a file. `palm.lsys` is also the embedded grammar `palm` if there is no such file, for grammars
/// whose name is that of another scene.
fn grammar(path: &str, settings: &[String]) -> Result<Scene, SceneError> {
    let embedded = path.strip_suffix(".lsys").and_then(grammars::named);
    let embedded = embedded.filter(|_| !Path::new(path).exists());
    let (grammar, title) = match embedded {
        Some(grammar) => (grammar.name, grammar.plant().title().to_owned()),
        // Paths are from the folder of the scene, which is that of the grammar.
        None => {
            let name = Path::new(path).file_name().and_then(OsStr::to_str);
            (name.unwrap_or(path), format!("grown from {path}"))
        }
    };
    Scene::parse_with(&grammar_scene(grammar, &title), path, settings)
}

/// `treesway scenes`.
pub fn list() -> Result<()> {
    for scene in treesway_scenes::all() {
        println!("{:<18} {}", scene.name, scene.load(&[])?.file.title);
    }
    Ok(())
}

/// The tree of a scene that is meant; one with several needs its number.
pub fn one_tree(scene: &Scene, name: &str, number: Option<usize>) -> Result<Tree> {
    let mut planted = scene.plant()?;
    let count = planted.len();
    let number = match number {
        Some(number) => number,
        None if count == 1 => 0,
        None => bail!("{name}: has {count} trees; expected one, or its number, as in --tree 0"),
    };
    ensure!(
        number < count,
        "--tree is {number}; expected the number of a tree, below {count}"
    );
    Ok(planted.swap_remove(number).tree)
}

/// Changes to a scene that `--fps` and `--seconds` ask for.
pub fn time_changes(time: &Time) -> Vec<String> {
    let fps = time.fps.map(|fps| format!("run.fps={fps:?}"));
    let seconds = time
        .seconds
        .map(|seconds| format!("run.seconds={seconds:?}"));
    fps.into_iter().chain(seconds).collect()
}
