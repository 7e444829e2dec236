//! Something to draw with: tests take pictures, with software where there is no graphics card.

use crate::steps::{Outcome, cargo, succeed};
use crate::workspace;
use std::process::Command;

/// What draws on the processor, on Debian and Ubuntu.
const PACKAGE: &str = "mesa-vulkan-drivers";

/// Finds an adapter; where there is none, installs software that stands in for one, if that is allowed here.
pub fn ensure() -> Outcome {
    if probe().is_ok() {
        return Ok(());
    }
    if !may_install() {
        return Err(format!(
            "no graphics adapter; install a Vulkan driver, on Debian and Ubuntu: apt-get install {PACKAGE}"
        ));
    }
    if install().is_err() {
        // The lists of packages may be old or missing.
        succeed(Command::new("apt-get").arg("update"))?;
        install()?;
    }
    probe()
}

fn probe() -> Outcome {
    cargo(&[
        "run",
        "--quiet",
        "--release",
        "--package",
        "treesway-render",
        "--example",
        "adapter",
    ])
}

/// As root, where packages are Debian's.
fn may_install() -> bool {
    let root = workspace::output("id", &["-u"]).is_ok_and(|id| id.trim() == "0");
    root && workspace::output("apt-get", &["--version"]).is_ok()
}

fn install() -> Outcome {
    succeed(Command::new("apt-get").args(["install", "--yes", PACKAGE]))
}
