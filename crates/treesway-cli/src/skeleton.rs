//! Skeletons as files: ours, or drawings.

use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::path::Path;
use treesway_grow::Species;
use treesway_io::svg::{SvgOptions, write_svg};
use treesway_io::{SavedSkeleton, save_skeleton, write_whole};

/// Fails if the name of a file asks for no format that a skeleton can be written in; `further` are endings that the caller takes, for the message.
pub fn check_name(output: &Path, further: &str) -> Result<()> {
    ensure!(
        ["npz", "svg"].contains(&ending(output)),
        "{}: cannot be written; expected a name that ends in .npz (skeleton) or .svg (drawing){further}",
        output.display()
    );
    Ok(())
}

fn ending(output: &Path) -> &str {
    output.extension().and_then(OsStr::to_str).unwrap_or("")
}

/// Writes a skeleton in the format that the name of the file asks for; drawings have a title and the colours of the species.
pub fn write(
    output: &Path,
    saved: &SavedSkeleton,
    species: Option<&Species>,
    drawing: SvgOptions,
) -> Result<()> {
    let done = if ending(output) == "npz" {
        save_skeleton(output, saved)
    } else {
        let mut options = drawing;
        if let Some(species) = species {
            options.wood_colour = species.wood.colour.to_string();
            options.leaf_colour = species.leaf_material.colour.to_string();
            options.fruit_colour = species.fruit.colour.to_string();
        }
        write_whole(output, |file| write_svg(&saved.skeleton, &options, file))
    };
    done.with_context(|| format!("{}: was not written", output.display()))
}
