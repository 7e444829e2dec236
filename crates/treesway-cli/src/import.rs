//! `treesway import`: a scanned or modelled tree becomes a skeleton file or a drawing.

use crate::arguments::Import;
use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use treesway_io::import::{self, Imported};
use treesway_io::save_skeleton;
use treesway_io::svg::{SvgOptions, write_svg};
use treesway_io::write_whole;

/// Reads the tree and writes it in the format that the name of the output asks for.
pub fn write(arguments: &Import) -> Result<()> {
    let output = &arguments.output;
    let ending = output.extension().and_then(OsStr::to_str).unwrap_or("");
    ensure!(
        ["npz", "svg"].contains(&ending),
        "{}: cannot be written; expected a name that ends in .npz (skeleton) or .svg (drawing)",
        output.display()
    );
    let options = import::Options {
        format: arguments.format,
        up: arguments.up,
        scale: arguments.scale,
        tree: arguments.tree,
        monotone: arguments.monotone,
    };
    let imported = import::import(&arguments.file, &options)?;
    // What cannot be cut is no tree; better said now than when it is used.
    let saved = &imported.saved;
    let bodies = treesway::cut(&saved.skeleton, &saved.cut)
        .with_context(|| arguments.file.display().to_string())?;
    let done = if ending == "npz" {
        save_skeleton(output, saved)
    } else {
        let options = SvgOptions {
            title: format!("{}:", arguments.file.display()),
            ..SvgOptions::default()
        };
        write_whole(output, |file| write_svg(&saved.skeleton, &options, file))
    };
    done.with_context(|| format!("{}: was not written", output.display()))?;
    print(arguments, &imported, bodies.bodies.len());
    Ok(())
}

fn print(arguments: &Import, imported: &Imported, bodies: usize) {
    let skeleton = &imported.saved.skeleton;
    let wood = skeleton.measure();
    println!(
        "{}: {} branches, {} leaves from {} ({}); {bodies} bodies",
        arguments.output.display(),
        wood.orders.iter().map(|o| o.branches).sum::<usize>(),
        skeleton.leaves.len(),
        arguments.file.display(),
        imported.format.name(),
    );
    println!("  volume    {:.5} m³", wood.volume);
    println!("  length    {:.2} m", wood.length);
    println!("  height    {:.2} m", wood.height);
    if let Some(dbh) = wood.dbh {
        println!("  DBH       {:.1} cm", 100.0 * dbh);
    }
    for note in &imported.notes {
        println!("  note      {}", note.0);
    }
}
