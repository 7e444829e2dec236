//! The steps of each chore, and how they are run.
//!
//! Every step runs even if one before it failed, so that one run names everything that is wrong. The release steps use the
//! same packages, profile and features, so that what one of them compiled serves the next.

use crate::workspace::{self, Workspace};
use crate::{adapter, figures, gltf, portable, studio, verify, watched};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

const WASM: &str = "wasm32-unknown-unknown";

/// The crate whose determinism test is also run unoptimised, and that test.
const ENGINE: &str = "treesway";
const DETERMINISM: &str = "determinism";

/// What went wrong, in one line.
pub type Outcome = Result<(), String>;

/// One line of the final table.
pub struct Step {
    name: &'static str,
    work: Box<dyn Fn() -> Outcome>,
}

/// What a change must pass.
pub fn test() -> Vec<Step> {
    vec![
        step("format", || cargo(&["fmt", "--all", "--check"])),
        step("clippy", || {
            cargo(&[
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ])
        }),
        step("docs", docs),
        // Pictures are drawn in tests.
        step("graphics adapter", adapter::ensure),
        step("tests", || {
            // All failures at once, not only the first.
            cargo(&release_tests(&[
                "--lib",
                "--bins",
                "--tests",
                "--no-fail-fast",
            ]))
        }),
        step("determinism in debug", determinism_in_debug),
        step("fused vectors", || {
            cargo(&[
                "test",
                "--release",
                "--workspace",
                "--exclude",
                "xtask",
                "--features",
                "treesway/fused",
                "--test",
                DETERMINISM,
            ])
        }),
        step("doc tests", || cargo(&release_tests(&["--doc"]))),
        step("examples", || {
            cargo(&[&["build", "--examples"], &AS_TESTS[..4]].concat())
        }),
        step("wasm", wasm),
        step("other processors", portable::compare),
        step("glTF validator", gltf::validate),
        step("studio window", studio::drive),
        step("comparison with MuJoCo", || {
            verify::verify(&["--small".into()])
        }),
        // Paths in documents, machine paths in tracked files.
        step("repository", || {
            cargo(&["test", "--package", "xtask", "--release"])
        }),
    ]
}

/// The tests that are marked `#[ignore]` because they take minutes, and the unsafe code under those who watch it.
pub fn soak() -> Vec<Step> {
    vec![
        step("soak", || {
            cargo(&release_tests(&[
                "--lib",
                "--bins",
                "--tests",
                "--",
                "--ignored",
                "--nocapture",
            ]))
        }),
        step(
            "engine under the address sanitizer",
            watched::under_sanitizer,
        ),
        step("vectors under Miri", watched::under_miri),
    ]
}

/// The unsafe code alone.
pub fn unsafe_code() -> Vec<Step> {
    soak().into_iter().skip(1).collect()
}

/// The pictures of the documents.
pub fn figures(names: &[&str]) -> Vec<Step> {
    let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
    vec![step("figures", move || figures::draw(&names))]
}

/// Trees of all sizes with both solvers, on one thread and on all.
pub fn performance() -> Vec<Step> {
    vec![step("performance", || {
        cargo(&[
            "run",
            "--release",
            "--package",
            "treesway-cli",
            "--features",
            "fused",
            "--",
            "bench",
            "--scene",
            "fig03-tree",
            "--bodies",
            "10000,100000,1000000,3270000",
            "--solver",
            "analytic,coupled",
            "--threads",
            "1,0",
            "--frames",
            "--peers=target/verify/peers",
            "--write",
            "docs/PERFORMANCE.md",
        ])
    })]
}

/// The same motion on other processors.
pub fn portable() -> Vec<Step> {
    vec![step("other processors", portable::compare)]
}

/// The glTF validator alone.
pub fn gltf() -> Vec<Step> {
    vec![step("glTF validator", gltf::validate)]
}

/// The studio's window alone.
pub fn studio() -> Vec<Step> {
    vec![step("studio window", studio::drive)]
}

/// The comparison with MuJoCo on all its trees, or of speed.
pub fn verify(options: &[&str]) -> Vec<Step> {
    let options: Vec<String> = options.iter().map(|&option| option.into()).collect();
    vec![step("comparison with MuJoCo", move || {
        verify::verify(&options)
    })]
}

/// Runs the steps in order and prints the table; true if all passed.
pub fn run(steps: &[Step]) -> bool {
    let results: Vec<(&str, Outcome, Duration)> = steps.iter().map(run_one).collect();
    let total: Duration = results.iter().map(|r| r.2).sum();
    println!();
    for (name, outcome, time) in &results {
        let verdict = outcome
            .as_ref()
            .map_or_else(|why| format!("FAILED  {why}"), |()| "ok".into());
        println!("{name:<24}{:>8.1} s  {verdict}", time.as_secs_f64());
    }
    let failed = results.iter().filter(|r| r.1.is_err()).count();
    let verdict = match failed {
        0 => "all passed".to_owned(),
        1 => "1 step FAILED".to_owned(),
        n => format!("{n} steps FAILED"),
    };
    println!("{:<24}{:>8.1} s  {verdict}", "total", total.as_secs_f64());
    failed == 0
}

fn run_one(step: &Step) -> (&'static str, Outcome, Duration) {
    println!("\n== {} ...", step.name);
    let start = Instant::now();
    let outcome = (step.work)();
    let time = start.elapsed();
    let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
    println!("== {}: {verdict}, {:.1} s", step.name, time.as_secs_f64());
    (step.name, outcome, time)
}

fn step(name: &'static str, work: impl Fn() -> Outcome + 'static) -> Step {
    let work = Box::new(work);
    Step { name, work }
}

/// `cargo test` of everything but xtask, optimised, because physics tests are long.
fn release_tests<'a>(which: &[&'a str]) -> Vec<&'a str> {
    let all = ["test", "--workspace", "--exclude", "xtask", "--release"];
    [&all, which].concat()
}

fn docs() -> Outcome {
    let mut command = workspace::cargo();
    command
        .args(["doc", "--no-deps", "--workspace"])
        .env("RUSTDOCFLAGS", "-D warnings");
    succeed(&mut command)
}

/// Optimisation must not change a bit: the hashes that the release tests have just proved are proved again.
fn determinism_in_debug() -> Outcome {
    if !Workspace::read()?.has_test(ENGINE, DETERMINISM) {
        return Err(format!(
            "crate {ENGINE} has no test target `{DETERMINISM}`; expected it in its tests folder"
        ));
    }
    // Debug builds of the workspace optimise the engine, too; here it is left as plain as the rest.
    let plain = "profile.dev.package.treesway.opt-level=1";
    cargo(&[
        "test",
        "--config",
        plain,
        "--package",
        ENGINE,
        "--test",
        DETERMINISM,
    ])
}

fn wasm() -> Outcome {
    portable::add_target(WASM)?;
    let workspace = Workspace::read()?;
    let mut command = workspace::cargo();
    command.args(["check", "--target", WASM, "--lib"]);
    for library in workspace.libraries() {
        command.args(["--package", library]);
    }
    succeed(&mut command)
}

/// Packages, profile and targets that make cargo choose the features of the tests, so that what they compiled serves others: an example, like a
/// test, is built with what only tests depend on.
pub const AS_TESTS: [&str; 6] = [
    "--workspace",
    "--exclude",
    "xtask",
    "--release",
    "--example",
    "adapter",
];

/// A program of the workspace, built.
pub fn program(name: &str) -> Result<PathBuf, String> {
    cargo(&[&["build", "--bin", name], &AS_TESTS[..]].concat())?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    Ok(Workspace::read()?
        .target_folder()?
        .join("release")
        .join(file))
}

/// Runs cargo with its output shown.
pub fn cargo(arguments: &[&str]) -> Outcome {
    succeed(workspace::cargo().args(arguments))
}

/// Runs a command with its output shown.
pub fn succeed(command: &mut Command) -> Outcome {
    let shown = workspace::shown(command);
    match command.current_dir(workspace::root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}`: {status}")),
        Err(error) => Err(format!("`{shown}` did not start: {error}")),
    }
}
