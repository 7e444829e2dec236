//! `treesway grow`: grows a tree and draws it.

use crate::arguments::Grow;
use crate::scene;
use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsStr;
use treesway_io::svg::{SvgOptions, write_svg};
use treesway_io::write_whole;

/// Grows the tree and writes it in the format that the name of the file asks for.
pub fn write(arguments: &Grow) -> Result<()> {
    let output = &arguments.output;
    let ending = output.extension().and_then(OsStr::to_str).unwrap_or("");
    ensure!(
        ending == "svg",
        "{}: cannot be written; expected a name that ends in .svg",
        output.display()
    );
    let name = &arguments.spec.scene;
    let bodies = arguments.bodies.map(|n| format!("tree.bodies={n}"));
    let scene = scene::load(&arguments.spec, bodies.as_slice())?;
    let mut grown = scene.grow()?;
    let Some(tree) = grown.pop().filter(|_| grown.is_empty()) else {
        bail!("{name}: has {} trees; expected one", scene.file.trees.len());
    };
    let mut options = SvgOptions {
        title: format!("{name}:"),
        foliage: !arguments.bare,
        ..SvgOptions::default()
    };
    if let Some(species) = &tree.species {
        options.wood_colour.clone_from(&species.wood.colour);
        options
            .leaf_colour
            .clone_from(&species.leaf_material.colour);
        options.fruit_colour.clone_from(&species.fruit.colour);
    }
    write_whole(output, |file| write_svg(&tree.skeleton, &options, file))
        .with_context(|| format!("{}: was not written", output.display()))?;
    let skeleton = &tree.skeleton;
    println!(
        "{}: {} branches, {} leaves, {} fruit",
        output.display(),
        skeleton.branches.len(),
        skeleton.leaves.len(),
        skeleton.fruit.len()
    );
    Ok(())
}
