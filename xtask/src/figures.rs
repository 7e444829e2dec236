//! The pictures of the documents: every species from near and far, with the sun before and behind it, at rest and in a gale.

use crate::steps::{Outcome, cargo, succeed};
use crate::workspace::{self, Workspace};
use image::codecs::jpeg::JpegEncoder;
use image::{RgbImage, imageops};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where they go.
const FOLDER: &str = "docs/gallery";

/// Edge of one picture of a sheet, pixels.
const EDGE: u32 = 420;

/// Of JPEG, 1 to 100: leaves need a good one.
const QUALITY: u8 = 82;

const SPECIES: [&str; 11] = [
    "oak", "maple", "birch", "willow", "cherry", "apple", "aspen", "pine", "spruce", "palm",
    "shrub",
];

/// Columns of the sheet of species: what is told to `treesway render` besides the species.
const VIEWS: [&[&str]; 4] = [
    &["--camera", "azimuth=60,elevation=2", "--sun", "95,32"],
    &["--camera", "azimuth=60,elevation=2", "--sun=-100,16"],
    &[
        "--camera",
        "azimuth=40,elevation=6,distance=0.32",
        "--sun",
        "75,30",
    ],
    &[
        "--camera",
        "azimuth=90,elevation=2",
        "--sun",
        "130,30",
        "--set",
        "wind.speed=14.0",
        "--at",
        "4",
    ],
];

/// Draws all of them.
pub fn draw() -> Outcome {
    cargo(&["build", "--release", "--package", "treesway-cli"])?;
    let target = Workspace::read()?.target_folder()?;
    let program = target
        .join("release")
        .join(format!("treesway{}", std::env::consts::EXE_SUFFIX));
    let parts = target.join("figures");
    let folder = workspace::root().join(FOLDER);
    for folder in [&parts, &folder] {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let mut sheet = RgbImage::new(EDGE * VIEWS.len() as u32, EDGE * SPECIES.len() as u32);
    for (row, species) in SPECIES.into_iter().enumerate() {
        for (column, view) in VIEWS.into_iter().enumerate() {
            let size = format!("{EDGE}x{EDGE}");
            let file = parts.join(format!("{species}-{column}.png"));
            render(
                &program,
                species,
                &[&["--size", &size], view].concat(),
                &file,
            )?;
            let (x, y) = (column as u32 * EDGE, row as u32 * EDGE);
            imageops::replace(&mut sheet, &read(&file)?, x.into(), y.into());
        }
    }
    write(&sheet, &folder.join("species.jpg"))?;
    let file = parts.join("oak.png");
    let view = [
        "--size",
        "1600x900",
        "--camera",
        "azimuth=60,elevation=3,distance=0.85",
        "--sun",
        "118,20",
    ];
    render(&program, "oak", &view, &file)?;
    write(&read(&file)?, &folder.join("oak.jpg"))
}

fn render(program: &Path, scene: &str, options: &[&str], file: &Path) -> Outcome {
    succeed(
        Command::new(program)
            .args(["render", scene, "-o"])
            .arg(file)
            .args(options),
    )
}

fn read(file: &PathBuf) -> Result<RgbImage, String> {
    let image = image::open(file).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(image.to_rgb8())
}

fn write(image: &RgbImage, file: &Path) -> Outcome {
    let said = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    let out = fs::File::create(file).map_err(|e| said(&e))?;
    image
        .write_with_encoder(JpegEncoder::new_with_quality(out, QUALITY))
        .map_err(|e| said(&e))
}
