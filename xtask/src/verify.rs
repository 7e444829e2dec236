//! The comparison with MuJoCo: a Python program in an environment of its own, under the target folder.

use crate::steps::{Outcome, program, succeed};
use crate::workspace::{self, Workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `cargo xtask verify` takes.
pub const OPTIONS: [&str; 6] = [
    "--conifers",
    "--frames",
    "--small",
    "--solvers",
    "--speed",
    "--write",
];

/// Where `--write` puts its tables.
const DOCUMENT: &str = "docs/VERIFICATION.md";

/// Builds the program and compares it with MuJoCo; `options` are among [`OPTIONS`].
pub fn verify(options: &[String]) -> Outcome {
    let target = Workspace::read()?.target_folder()?;
    let folder = target.join("verify");
    let python = environment(&folder.join("python"))?;
    let mut command = Command::new(python);
    command
        .arg("verify/verify.py")
        .arg("--program")
        .arg(program("treesway")?)
        .arg("--folder")
        .arg(&folder);
    for option in options {
        command.arg(option);
        if option == "--write" {
            command.arg(DOCUMENT);
        }
    }
    succeed(&mut command)
}

/// The interpreter of an environment with what the program requires; made anew when that changes.
fn environment(folder: &Path) -> Result<PathBuf, String> {
    let program = if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    };
    let python = folder.join(program);
    let required = workspace::root().join("verify/requirements.txt");
    let wanted = fs::read_to_string(&required)
        .map_err(|error| format!("verify/requirements.txt cannot be read: {error}"))?;
    // Written last: an installation that was interrupted has none.
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    let plain = if cfg!(windows) { "python" } else { "python3" };
    succeed(Command::new(plain).args(["-m", "venv"]).arg(folder))?;
    let install = ["-m", "pip", "install", "--quiet", "--requirement"];
    succeed(Command::new(&python).args(install).arg(&required))?;
    fs::write(&installed, wanted)
        .map_err(|error| format!("the Python environment cannot be written: {error}"))?;
    Ok(python)
}
