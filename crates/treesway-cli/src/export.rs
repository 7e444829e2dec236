//! `treesway export`: a tree for other programs.

use crate::arguments::{Export, Joints};
use crate::scene;
use anyhow::{Context, Result, ensure};
use treesway_io::mjcf::{MjcfOptions, UnevenJoints, write_mjcf};
use treesway_io::write_whole;

/// Writes a tree of a scene as MJCF.
pub fn write(arguments: &Export) -> Result<()> {
    let output = &arguments.output;
    ensure!(
        output.extension().is_some_and(|e| e == "xml"),
        "{}: the output cannot be written in this format; expected a name that ends in .xml",
        output.display()
    );
    if let Some(step) = arguments.timestep {
        ensure!(
            step.is_finite() && step > 0.0,
            "--timestep is {step}; expected a finite time greater than zero, s"
        );
    }
    let scene = scene::load(&arguments.scene, &[])?;
    let tree = scene::one_tree(&scene, &arguments.scene.scene, arguments.tree)?;
    let options = MjcfOptions {
        model: arguments.scene.scene.clone(),
        gravity: scene.file.environment.gravity,
        uneven: match arguments.uneven {
            Joints::Hinges => UnevenJoints::Hinges,
            Joints::Refuse => UnevenJoints::Refuse,
        },
        timestep_secs: arguments.timestep,
        shapes: !arguments.no_shapes,
    };
    write_whole(output, |file| write_mjcf(&tree, &options, file))
        .with_context(|| format!("{}: was not written", output.display()))?;
    println!("{}: {} bodies", output.display(), tree.len());
    Ok(())
}
