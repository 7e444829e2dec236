//! `treesway import`: a scanned or modelled tree becomes a skeleton file or a drawing.

use crate::arguments::Import;
use crate::skeleton;
use anyhow::{Context, Result};
use treesway_io::import::{self, Foliage, Imported};
use treesway_io::svg::SvgOptions;

/// Reads the tree and writes it in the format that the name of the output asks for.
pub fn write(arguments: &Import) -> Result<()> {
    let output = &arguments.output;
    skeleton::check_name(output, "")?;
    let options = import::Options {
        format: arguments.format,
        up: arguments.up,
        scale: arguments.scale,
        tree: arguments.tree,
        monotone: arguments.monotone,
        foliage: arguments.foliage.clone().map(|species| Foliage {
            species,
            seed: arguments.seed,
            bodies: arguments.bodies,
        }),
    };
    let imported = import::import(&arguments.file, &options)?;
    // What cannot be cut is no tree; better said now than when it is used.
    let saved = &imported.saved;
    let bodies = treesway::cut(&saved.skeleton, &saved.cut)
        .with_context(|| arguments.file.display().to_string())?;
    let drawing = SvgOptions {
        title: format!("{}:", arguments.file.display()),
        ..SvgOptions::default()
    };
    skeleton::write(output, saved, imported.species.as_deref(), drawing)?;
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
