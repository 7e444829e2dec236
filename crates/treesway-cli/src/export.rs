//! `treesway export`: a tree for other programs.

use crate::arguments::{Export, Joints};
use crate::scene;
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use treesway::Tree;
use treesway_io::mjcf::{MjcfOptions, UnevenJoints, write_mjcf};

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
    save(output, &tree, &options)
        .with_context(|| format!("{}: was not written", output.display()))?;
    println!("{}: {} bodies", output.display(), tree.len());
    Ok(())
}

/// Writes under a temporary name that is taken off when the file is whole.
fn save(output: &Path, tree: &Tree, options: &MjcfOptions) -> Result<()> {
    let mut part = output.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let write = || -> Result<()> {
        write_mjcf(tree, options, BufWriter::new(File::create(&part)?))?;
        Ok(fs::rename(&part, output)?)
    };
    write().inspect_err(|_| {
        // It may never have been created.
        let _ = fs::remove_file(&part);
    })
}
