//! From the name of a scene to a scene.

use crate::arguments::{Changes, SceneArguments};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;
use treesway::Tree;
use treesway_io::Scene;

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
    settings.extend_from_slice(further);
    if name.ends_with(".toml") {
        let text =
            std::fs::read_to_string(name).with_context(|| format!("{name}: cannot be read"))?;
        return Ok(Scene::parse_with(&text, name, &settings)?);
    }
    let named = treesway_scenes::find(name);
    let path = Path::new(name);
    // A name with an ending or a folder is meant as a file, even if there is none.
    if named.is_err() && (path.is_file() || path.extension().is_some() || name.contains('/')) {
        return Ok(Scene::of_tree_file(path, &settings)?);
    }
    Ok(named?.load(&settings)?)
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
