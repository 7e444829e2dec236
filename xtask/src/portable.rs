//! The same motion on other processors: the program `treesway-probe` on this one, on one with AVX-512 (emulated where this one has none), as WebAssembly in Node, and for
//! ARM64 in an emulator. Its lines must agree; how fast WebAssembly is beside the native program is printed.

use crate::emulated::Emulated;
use crate::gltf::node;
use crate::steps::{Outcome, program, succeed};
use crate::workspace::{self, Workspace, printed};
use std::path::Path;
use std::process::Command;

const PROBE: &str = "treesway-probe";
const WASM: &str = "wasm32-wasip1";
const ARM: &str = "aarch64-unknown-linux-musl";
/// As `treesway-probe vectors` names them.
const WIDEST: &str = "avx512";

/// What is known to differ on ARM64: a ball, which rapier moves. Why was not found out; what the engine itself moves agrees.
const DIFFERS_ON_ARM: &str = "ball";

/// Builds and runs the probe everywhere and compares what it prints.
pub fn compare() -> Outcome {
    let target = Workspace::read()?.target_folder()?;
    let built = |triple: &str, file: &str| target.join(triple).join("release").join(file);

    let native = program(PROBE)?;
    let expected = printed(&mut Command::new(&native))?;
    println!("here:\n{expected}");
    // Beside what else is built and run.
    let wide = on_wide_vectors(&native, &target)?;

    build_for(
        WASM,
        (
            "CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS",
            "-Ctarget-feature=+simd128",
        ),
    )?;
    let wasm = built(WASM, &format!("{PROBE}.wasm"));
    let in_node = |arguments: &[&str]| -> Result<String, String> {
        let mut run = Command::new(node()?);
        run.args(["--no-warnings", "verify/wasi.mjs"]).arg(&wasm);
        printed(run.args(arguments))
    };
    differing("WebAssembly", &expected, &in_node(&[])?, None)?;
    print_speeds(&native, &in_node(&["speed"])?)?;

    let emulator = emulator()?;
    build_for(
        ARM,
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld"),
    )?;
    let found = printed(Command::new(emulator).arg(built(ARM, PROBE)))?;
    differing("ARM64", &expected, &found, Some(DIFFERS_ON_ARM))?;

    let Some(wide) = wide else { return Ok(()) };
    let found = wide.finish()?;
    match found.split_once('\n') {
        Some((WIDEST, found)) => differing(WIDEST, &expected, found, None),
        _ => Err(format!(
            "the emulated processor has not {WIDEST}: {PROBE} printed `{found}`"
        )),
    }
}

/// Starts the probe on a processor with the widest vectors; none where this one has them.
fn on_wide_vectors(native: &Path, target: &Path) -> Result<Option<Emulated>, String> {
    let here = printed(Command::new(native).arg("vectors"))?;
    println!("vectors here: {here}");
    if here.trim() == WIDEST {
        return Ok(None);
    }
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        println!("{WIDEST}: can only be emulated on Linux for x86-64");
        return Ok(None);
    }
    Emulated::start(native, &["vectors", ""], &target.join("emulated")).map(Some)
}

/// The probe for another processor, whose standard library is added if it is missing; `setting` is a variable that cargo reads.
fn build_for(triple: &str, (key, value): (&str, &str)) -> Outcome {
    add_target(triple)?;
    let mut build = workspace::cargo();
    build
        .args(["build", "--release", "--package", PROBE, "--target", triple])
        .env(key, value);
    succeed(&mut build)
}

/// Adds the standard library of another target if it is missing.
pub fn add_target(triple: &str) -> Outcome {
    let installed = workspace::output("rustup", &["target", "list", "--installed"])?;
    if installed.lines().any(|target| target == triple) {
        return Ok(());
    }
    succeed(Command::new("rustup").args(["target", "add", triple]))
}

/// Compares lines; all must agree but the one called `known`, which must not, so that nobody goes on believing it.
fn differing(place: &str, expected: &str, found: &str, known: Option<&str>) -> Outcome {
    let (expected, found): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    if expected.len() != found.len() {
        return Err(format!(
            "{place}: {PROBE} printed {} lines, expected {}",
            found.len(),
            expected.len()
        ));
    }
    for (one, other) in expected.iter().zip(&found) {
        let name = one.split(' ').next();
        let may = known.is_some() && name == known;
        match (one == other, may) {
            (false, false) => return Err(format!("{place}: `{other}`, expected `{one}`")),
            (true, true) => return Err(format!("{place}: `{one}` agrees now; say so")),
            (false, true) => println!("{place}: `{other}` differs, as is known"),
            (true, false) => {}
        }
    }
    println!("{place}: the same bits");
    Ok(())
}

/// Times of WebAssembly beside those of the native program, taken right after each other.
fn print_speeds(native: &Path, in_node: &str) -> Outcome {
    let here = printed(Command::new(native).arg("speed"))?;
    println!("ns per body and step: here, in WebAssembly, share of the speed here");
    for (one, other) in here.lines().zip(in_node.lines()) {
        let (Some((name, a)), Some((_, b))) = (one.rsplit_once(' '), other.rsplit_once(' ')) else {
            return Err(format!(
                "{PROBE} printed `{one}` and `{other}`, expected times"
            ));
        };
        let share = match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => 100.0 * a / b,
            _ => {
                return Err(format!(
                    "{PROBE} printed `{one}` and `{other}`, expected times"
                ));
            }
        };
        println!("  {name:<16} {a:>8} {b:>8} {share:>5.0} %");
    }
    Ok(())
}

/// An emulator of ARM64 processors, installed where that can be done without asking.
fn emulator() -> Result<&'static str, String> {
    const EMULATOR: &str = "qemu-aarch64";
    let works = |program| workspace::output(program, &["--version"]).is_ok();
    if cfg!(all(target_arch = "aarch64", target_os = "linux")) {
        return Ok("env"); // Programs for ARM64 are at home here.
    }
    if !works(EMULATOR) {
        if !(cfg!(target_os = "linux") && works("apt-get")) {
            return Err(format!("{EMULATOR} is needed; install QEMU's user mode"));
        }
        succeed(Command::new("apt-get").args(["install", "--yes", "qemu-user"]))?;
    }
    Ok(EMULATOR)
}
