//! The engine's unsafe code, which is the register types of `crates/treesway/src/math/simd`, run where mistakes in it are found: by Miri, a part of
//! the nightly compiler. It knows all of them but AVX-512, whose loads and stores are of the same whole rows.

use crate::steps::{Outcome, succeed};
use std::process::Command;

/// Where the unit tests of the registers are.
const TESTS: [&str; 5] = ["test", "--package", "treesway", "--lib", "math::simd"];

/// Miri on four lanes and, told that the processor has them, on eight.
pub fn under_miri() -> Outcome {
    let mut command = nightly()?;
    command
        .arg("miri")
        .args(TESTS)
        .env("RUSTFLAGS", "-Ctarget-feature=+avx2,+fma");
    succeed(&mut command)
}

/// The nightly cargo, installed with Miri if it is not there.
fn nightly() -> Result<Command, String> {
    let there = Command::new("rustup")
        .args(["run", "nightly", "cargo", "miri", "--version"])
        .output()
        .is_ok_and(|o| o.status.success());
    if !there {
        let install = ["toolchain", "install", "nightly", "--profile", "minimal"];
        let parts = ["--component", "miri", "--component", "rust-src"];
        succeed(Command::new("rustup").args(install).args(parts))
            .map_err(|why| format!("a nightly compiler with Miri is needed: {why}"))?;
    }
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]);
    Ok(command)
}
