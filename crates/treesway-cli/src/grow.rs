//! `treesway grow`: grows a tree and saves or draws it.

use crate::arguments::Grow;
use crate::{run, scene, skeleton};
use anyhow::{Context, Result, bail, ensure};
use treesway::cut;
use treesway::glam::Vec3;
use treesway_io::gltf::{GlbError, GlbOptions, GlbTree, ThingClip, write_glb};
use treesway_io::svg::SvgOptions;
use treesway_io::{SavedSkeleton, write_whole};
use treesway_skin::Look;

/// Grows the tree and writes it in the format that the name of the file asks for.
pub fn write(arguments: &Grow) -> Result<()> {
    let output = &arguments.output;
    let model = output.extension().is_some_and(|e| e == "glb");
    if !model {
        skeleton::check_name(output, ", or .glb (model)")?;
        ensure!(
            arguments.triangles.is_none(),
            "--triangles is for .glb files, the output is {}",
            output.display()
        );
    }
    let name = &arguments.spec.scene;
    let bodies = arguments.bodies.map(|n| format!("tree.bodies={n}"));
    let clear = arguments
        .collision_free
        .then(|| "tree.collision_free=true".to_string());
    let changes: Vec<String> = bodies.into_iter().chain(clear).collect();
    let scene = scene::load(&arguments.spec, &changes)?;
    let mut grown = scene.grow()?;
    let Some(tree) = grown.pop().filter(|_| grown.is_empty()) else {
        bail!("{name}: has {} trees; expected one", scene.file.trees.len());
    };
    let look = Look::of_grown(&tree);
    if let Some(cleared) = tree.cleared.filter(|_| arguments.collision_free) {
        println!(
            "{name}: free of collisions without {} branches, {} leaves and {} fruit; {} leaves are turned",
            cleared.branches, cleared.leaves, cleared.fruit, cleared.turned
        );
        if cleared.trunk > 0 {
            eprintln!(
                "{name}: the trunk goes through itself in {} of its pieces, which stay as they are",
                cleared.trunk
            );
        }
    }
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
    if model {
        return write_model(arguments, &scene.file.trees[0].name(), &saved, &look);
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

/// Writes what is seen of the tree.
fn write_model(arguments: &Grow, name: &str, saved: &SavedSkeleton, look: &Look) -> Result<()> {
    let output = &arguments.output;
    let named = || output.display().to_string();
    let mut options = GlbOptions {
        title: name.into(),
        ..GlbOptions::default()
    };
    options.triangles = arguments.triangles.unwrap_or(options.triangles);
    let bodies = cut(&saved.skeleton, &saved.cut).with_context(|| arguments.spec.scene.clone())?;
    let tree = GlbTree {
        name: name.into(),
        bodies: &bodies,
        skin: &options.skin(&bodies, look, 1),
        look,
        at: Vec3::ZERO,
        motion: None,
    };
    let mut summaries = Vec::new();
    write_whole(output, |file| {
        summaries = write_glb(&[tree], &ThingClip::default(), &options, file, &|_| true)?;
        Ok::<_, GlbError>(())
    })
    .with_context(named)?;
    println!("{}: {} bodies", named(), bodies.bodies.len());
    summaries.iter().for_each(run::print_model);
    Ok(())
}
