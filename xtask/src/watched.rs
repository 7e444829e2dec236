//! The engine's unsafe code, which is the register types of `crates/treesway/src/math/simd`, run where mistakes in it are found: under the
//! compiler's address sanitizer, with all unit tests of the engine and all vectors that the processor has, and by Miri, a part of the nightly
//! compiler, which also knows what no address tells, but not AVX-512.

use crate::steps::{Outcome, succeed};
use std::process::Command;

/// Where the unit tests of the registers are.
const TESTS: [&str; 5] = ["test", "--package", "treesway", "--lib", "math::simd"];

/// Unit tests of the engine with every access to memory checked.
pub fn under_sanitizer() -> Outcome {
    let mut command = Command::new("cargo");
    command
        .args(["test", "--package", "treesway", "--lib"])
        // Named, so that build scripts and macros are left as they are.
        .args(["--target", "x86_64-unknown-linux-gnu"])
        .args(["--target-dir", "target/sanitized"])
        // Only the nightly compiler offers it by itself; every one has it.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zsanitizer=address");
    succeed(&mut command)
}

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
