//! The pictures of the documents: sheets of what `treesway render` draws.

use crate::steps::{Outcome, program, succeed};
use crate::workspace::{self, Workspace};
use image::codecs::jpeg::JpegEncoder;
use image::{RgbImage, imageops};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where they go.
const FOLDER: &str = "docs/gallery";

/// Of JPEG, 1 to 100: leaves need a good one.
const QUALITY: u8 = 82;

/// Pictures in rows.
struct Sheet {
    /// Of its file, without `.jpg`.
    name: &'static str,
    /// Width and height of one picture, pixels.
    size: [u32; 2],
    columns: usize,
    /// What `treesway render` is told, row by row: a scene and options.
    pictures: Vec<Vec<&'static str>>,
}

/// Names of the sheets, which can be asked for one by one.
pub const NAMES: [&str; 7] = [
    "species",
    "oak",
    "plants",
    "particles-children",
    "particles-steps",
    "particles-displays",
    "contact",
];

fn sheet(name: &'static str) -> Sheet {
    match name {
        "species" => species(),
        "plants" => plants(),
        "particles-children" => children(),
        "particles-steps" => steps(),
        "particles-displays" => displays(),
        "contact" => contact(),
        _ => oak(),
    }
}

/// Every species from near and far, with the sun before and behind it, at rest and in a gale.
fn species() -> Sheet {
    const SPECIES: [&str; 11] = [
        "oak", "maple", "birch", "willow", "cherry", "apple", "aspen", "pine", "spruce", "palm",
        "shrub",
    ];
    const VIEWS: [&str; 4] = [
        "--camera azimuth=60,elevation=2 --sun 95,32",
        "--camera azimuth=60,elevation=2 --sun=-100,16",
        "--camera azimuth=40,elevation=6,distance=0.32 --sun 75,30",
        "--camera azimuth=90,elevation=2 --sun 130,30 --set wind.speed=14.0 --at 4",
    ];
    let pictures = SPECIES
        .iter()
        .flat_map(|s| VIEWS.map(|view| told(&[s, view])));
    Sheet {
        name: "species",
        size: [420, 420],
        columns: VIEWS.len(),
        pictures: pictures.collect(),
    }
}

fn oak() -> Sheet {
    let view = "--camera azimuth=60,elevation=3,distance=0.85 --sun 118,20";
    Sheet {
        name: "oak",
        size: [1600, 900],
        columns: 1,
        pictures: vec![told(&["oak", view])],
    }
}

/// The particle tree, and all that small plants are for.
fn plants() -> Sheet {
    const PLANTS: [&str; 8] = [
        "particles --at 3",
        "grass --at 2",
        "reeds --at 2",
        "ferns --at 2",
        "vine --at 2",
        "hair --at 2.2",
        "fur --at 2 --camera azimuth=40,elevation=35,distance=1.25",
        "meadow --at 3",
    ];
    Sheet {
        name: "plants",
        size: [560, 448],
        columns: 4,
        pictures: PLANTS.map(|p| told(&[p])).to_vec(),
    }
}

/// The particle tree of soft wood and a tuft of grass at rest, in wind with children that turn with their parent, and with children that are moved.
fn children() -> Sheet {
    let turned = "";
    let moved = "--set tree.settings.particles.children=\"moved\"";
    let calm = "--set wind.speed=0.0";
    let tree = "particles --at 4 --curves 3 --set wind.gusts.strength=0.0 --set wind.speed=20.0 --set wind.direction_deg=0.0 --set tree.params.multipliers.branch_stiffness=0.1 --camera 1.2,2.6,11 --target 1.2,2.3,0";
    let grass = "grass --at 4 --set wind.gusts.strength=0.0 --set wind.speed=9.0 --camera azimuth=90,elevation=6,distance=1.1 --target 0.1,0.22,0";
    let rows = [tree, grass];
    let pictures = rows
        .iter()
        .flat_map(|row| [calm, turned, moved].map(|how| told(&[row, how])));
    Sheet {
        name: "particles-children",
        size: [400, 360],
        columns: 3,
        pictures: pictures.collect(),
    }
}

/// The same tree after 0.1, 0.3 and 0.6 s of a gale, in steps of 1/30 s: in closed form, and as printed.
fn steps() -> Sheet {
    let tree = "particles --curves 3 --fps 30 --set wind.speed=20.0 --camera 0.8,2.6,11 --target 0.8,2.5,0";
    let schemes = [
        "--set tree.settings.particles.scheme=\"closed-form\"",
        "--set tree.settings.particles.scheme=\"as-printed\"",
    ];
    let times = ["--at 0.1", "--at 0.3", "--at 0.6"];
    let pictures = schemes
        .iter()
        .flat_map(|scheme| times.map(|at| told(&[tree, scheme, at])));
    Sheet {
        name: "particles-steps",
        size: [400, 360],
        columns: 3,
        pictures: pictures.collect(),
    }
}

/// All ways to show a tree, and each part of the picture left out.
fn displays() -> Sheet {
    const DISPLAYS: [&str; 8] = [
        "--mode shaded",
        "--mode flat",
        "--mode wireframe",
        "--mode skeleton",
        "--no-textures",
        "--no-background",
        "--no-shadow",
        "--no-lighting",
    ];
    let tree = "particles --at 3 --curves 3 --sun 120,35 --camera 1.6,2.4,3.2 --target 0.65,2.2,0";
    Sheet {
        name: "particles-displays",
        size: [360, 360],
        columns: 4,
        pictures: DISPLAYS.map(|display| told(&[tree, display])).to_vec(),
    }
}

/// The trees of the paper on continuous collision detection in its four winds, as in its Fig. 7 and 8.
fn contact() -> Sheet {
    const TREES: [&str; 3] = ["contact-small", "contact-medium", "contact-large"];
    const WINDS: [&str; 4] = [
        "--set wind.velocity=[0,0,0]",
        "--set wind.velocity=[10,0,0]",
        "--set wind.velocity=[-7,0,5]",
        "--set wind.velocity=[-4,0,0]",
    ];
    let pictures = TREES
        .iter()
        .flat_map(|tree| WINDS.map(|wind| told(&[tree, "--at 3 --sun 75,35", wind])));
    Sheet {
        name: "contact",
        size: [400, 400],
        columns: WINDS.len(),
        pictures: pictures.collect(),
    }
}

/// Words of a scene and of options.
fn told(parts: &[&'static str]) -> Vec<&'static str> {
    parts.iter().flat_map(|p| p.split_whitespace()).collect()
}

/// Draws those that are named, or all.
pub fn draw(names: &[String]) -> Outcome {
    let program = program("treesway")?;
    let target = Workspace::read()?.target_folder()?;
    let parts = target.join("figures");
    let folder = workspace::root().join(FOLDER);
    for folder in [&parts, &folder] {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    for name in NAMES {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            sheet(name).draw(&program, &parts, &folder)?;
        }
    }
    Ok(())
}

impl Sheet {
    fn draw(&self, program: &Path, parts: &Path, folder: &Path) -> Outcome {
        let [width, height] = self.size;
        let rows = self.pictures.len().div_ceil(self.columns) as u32;
        let mut sheet = RgbImage::new(width * self.columns as u32, height * rows);
        for (i, told) in self.pictures.iter().enumerate() {
            let file = parts.join(format!("{}-{i}.png", self.name));
            let size = format!("{width}x{height}");
            succeed(
                Command::new(program)
                    .args(["render", "-o"])
                    .arg(&file)
                    .args(["--size", &size])
                    .args(told),
            )?;
            let [x, y] = [i % self.columns, i / self.columns].map(|n| n as i64);
            let at = [x * i64::from(width), y * i64::from(height)];
            imageops::replace(&mut sheet, &read(&file)?, at[0], at[1]);
        }
        write(&sheet, &folder.join(format!("{}.jpg", self.name)))
    }
}

/// A picture; white where there is nothing.
fn read(file: &PathBuf) -> Result<RgbImage, String> {
    let image = image::open(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut white = image::RgbaImage::from_pixel(image.width(), image.height(), [255; 4].into());
    imageops::overlay(&mut white, &image.to_rgba8(), 0, 0);
    Ok(image::DynamicImage::from(white).to_rgb8())
}

fn write(image: &RgbImage, file: &Path) -> Outcome {
    let said = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    let out = fs::File::create(file).map_err(|e| said(&e))?;
    image
        .write_with_encoder(JpegEncoder::new_with_quality(out, QUALITY))
        .map_err(|e| said(&e))
}
