//! The Khronos glTF validator on what the program writes: every species, still and in motion.

use crate::steps::{Outcome, program, succeed};
use crate::workspace::{self, Workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// From npm.
const VALIDATOR: &str = "gltf-validator@2.0.0-dev.3.10";

/// Small and short: what a file holds does not depend on how much of it there is.
const GROWN: [&str; 4] = ["--bodies", "800", "--triangles", "20000"];
const MOVED: [&str; 8] = [
    "--set",
    "tree.bodies=800",
    "--triangles",
    "20000",
    "--frames",
    "6",
    "--joints",
    "48",
];

/// Further runs: all bodies as joints in a loop; a bare beam; a root that moves; fruit; snow, in motion and in a loop; a ball, and a wall.
const FURTHER: [(&str, &[&str]); 7] = [
    (
        "oak",
        &[
            "--set",
            "tree.bodies=500",
            "--frames",
            "6",
            "--joints",
            "all",
            "--loop",
        ],
    ),
    ("cantilever", &["--frames", "3"]),
    (
        "fig06-root-shake",
        &["--set", "tree.bodies=500", "--frames", "4"],
    ),
    (
        "fig08-apples",
        &["--set", "tree.bodies=800", "--frames", "3"],
    ),
    (
        "snowfall",
        &[
            "--set",
            "tree.bodies=500",
            "--set",
            "snow.rate=5000",
            "--triangles",
            "30000",
            "--frames",
            "12",
        ],
    ),
    (
        "snowfall",
        &["--triangles", "30000", "--frames", "6", "--loop"],
    ),
    (
        "fig07-ball",
        &[
            "--set",
            "collider=[{ shape = \"box\", at = [3.0, 1.0, 0.0], half = [0.2, 1.0, 6.0] }, { shape = \"capsule\", at = [-3.0, 1.0, 0.0] }]",
            "--frames",
            "6",
        ],
    ),
];

/// Writes files of all kinds and asks the validator about them.
pub fn validate() -> Outcome {
    let target = Workspace::read()?.target_folder()?;
    let folder = target.join("gltf");
    let node = node()?;
    install(&folder)?;
    let program = program("treesway")?;
    let mut files = Vec::new();
    let mut write = |name: String, command: &[&str], more: &[&str]| -> Outcome {
        let file = folder.join(name);
        let mut run = Command::new(&program);
        run.args(command).args(more).arg("-o").arg(&file);
        files.push(file);
        succeed(&mut run)
    };
    for species in species()? {
        write(format!("{species}.glb"), &["grow", &species], &GROWN)?;
        let moved = format!("{species}-moving.glb");
        write(moved, &["simulate", &species], &MOVED)?;
    }
    for (i, (scene, more)) in FURTHER.into_iter().enumerate() {
        write(format!("{scene}-more-{i}.glb"), &["simulate", scene], more)?;
    }
    let mut check = Command::new(node);
    check.arg("verify/gltf.js").arg(&folder).args(&files);
    succeed(&mut check)
}

/// Names of the species that come with the program.
fn species() -> Result<Vec<String>, String> {
    let folder = "crates/treesway-grow/species";
    let unread = |error| format!("{folder} cannot be read: {error}");
    let mut names = Vec::new();
    for entry in fs::read_dir(workspace::root().join(folder)).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        let stem = path.file_stem().and_then(|s| s.to_str());
        names.extend(stem.map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// Node, installed where that can be done without asking.
pub fn node() -> Result<&'static str, String> {
    let works = |program| workspace::output(program, &["--version"]).is_ok();
    if !(works("node") && works("npm")) {
        if !(cfg!(target_os = "linux") && works("apt-get")) {
            return Err("node and npm are needed; install Node.js".into());
        }
        succeed(Command::new("apt-get").args(["install", "--yes", "nodejs", "npm"]))?;
    }
    Ok("node")
}

/// Puts the validator into a folder of its own.
fn install(folder: &Path) -> Outcome {
    let unwritten = |error| format!("{} cannot be written: {error}", folder.display());
    fs::create_dir_all(folder).map_err(unwritten)?;
    // Written last: an installation that was interrupted has none.
    let installed: PathBuf = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|found| found == VALIDATOR) {
        return Ok(());
    }
    let quiet = [
        "--no-audit",
        "--no-fund",
        "--no-save",
        "--loglevel",
        "error",
    ];
    let mut npm = Command::new("npm");
    npm.arg("install").args(quiet).arg("--prefix").arg(folder);
    succeed(npm.arg(VALIDATOR))?;
    fs::write(&installed, VALIDATOR).map_err(unwritten)
}
