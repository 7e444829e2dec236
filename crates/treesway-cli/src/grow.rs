//! `treesway grow`: grows a tree and saves or draws it.

use crate::arguments::Grow;
use crate::{scene, skeleton};
use anyhow::{Result, bail};
use treesway_io::SavedSkeleton;
use treesway_io::svg::SvgOptions;

/// Grows the tree and writes it in the format that the name of the file asks for.
pub fn write(arguments: &Grow) -> Result<()> {
    let output = &arguments.output;
    skeleton::check_name(output)?;
    let name = &arguments.spec.scene;
    let bodies = arguments.bodies.map(|n| format!("tree.bodies={n}"));
    let scene = scene::load(&arguments.spec, bodies.as_slice())?;
    let mut grown = scene.grow()?;
    let Some(tree) = grown.pop().filter(|_| grown.is_empty()) else {
        bail!("{name}: has {} trees; expected one", scene.file.trees.len());
    };
    let mut saved = SavedSkeleton {
        skeleton: tree.skeleton,
        cut: tree.cut,
        params: tree.params,
        ..SavedSkeleton::default()
    };
    if arguments.bare {
        saved.skeleton.leaves.clear();
        saved.skeleton.fruit.clear();
    }
    let drawing = SvgOptions {
        title: format!("{name}:"),
        ..SvgOptions::default()
    };
    skeleton::write(output, &saved, tree.species.as_deref(), drawing)?;
    let skeleton = &saved.skeleton;
    println!(
        "{}: {} branches, {} leaves, {} fruit",
        output.display(),
        skeleton.branches.len(),
        skeleton.leaves.len(),
        skeleton.fruit.len()
    );
    Ok(())
}
