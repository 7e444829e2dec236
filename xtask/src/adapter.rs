//! Something to draw with: tests take pictures, with software where there is no graphics card.

use crate::steps::{AS_TESTS, Outcome, cargo, succeed};
use crate::workspace::{self, Workspace};
use std::process::Command;

/// What draws on the processor, on Debian and Ubuntu.
const PACKAGE: &str = "mesa-vulkan-drivers";

/// Finds an adapter; where there is none, installs software that stands in for one, if that is allowed here.
pub fn ensure() -> Outcome {
    if probe().is_ok() {
        return Ok(());
    }
    install(PACKAGE).map_err(|why| format!("no graphics adapter; {why}"))?;
    probe()
}

/// Installs a package where that is allowed, else says how.
pub fn install(package: &str) -> Outcome {
    if !may_install() {
        return Err(format!(
            "install the package {package}, on Debian and Ubuntu: apt-get install {package}"
        ));
    }
    let install = || succeed(Command::new("apt-get").args(["install", "--yes", package]));
    install().or_else(|_| {
        // The lists of packages may be old or missing.
        succeed(Command::new("apt-get").arg("update"))?;
        install()
    })
}

/// Built with all crates, so that what it shares with the tests is compiled once.
fn probe() -> Outcome {
    cargo(&[&["build", "--quiet"], &AS_TESTS[..]].concat())?;
    let target = Workspace::read()?.target_folder()?;
    succeed(&mut Command::new(target.join("release/examples/adapter")))
}

/// As root, where packages are Debian's.
fn may_install() -> bool {
    let root = workspace::output("id", &["-u"]).is_ok_and(|id| id.trim() == "0");
    root && workspace::output("apt-get", &["--version"]).is_ok()
}
