//! The chores of this workspace: `cargo xtask test`, `soak`, `unsafe`, `portable`, `gltf`, `studio`, `verify`, `figures` and `performance`.

mod adapter;
mod emulated;
mod figures;
mod gltf;
mod portable;
mod steps;
mod studio;
mod verify;
mod watched;
mod workspace;

use std::process::ExitCode;

const HELP: &str = "\
Chores of the Treesway workspace.

Usage: cargo xtask <CHORE>

  test    format, lints, docs, all tests, examples, wasm, other processors, glTF validator, the studio's window, small trees against MuJoCo; what a change must pass
  portable  the same trees here, with AVX-512, as WebAssembly and on ARM64: same bits, and how fast WebAssembly is (needs Node.js, QEMU and Bochs; installs them)
  gltf    the Khronos glTF validator on every species, still and moving (needs Node.js; installs the validator under target)
  studio  opens the studio's window on a display in memory and uses it with mouse and keyboard (needs Xvfb and xdotool; installs them)
  soak    the long tests that `test` leaves out, and `unsafe`
  unsafe  the engine's unit tests under the address sanitizer, the vectors under Miri (installs a nightly compiler)
  verify  sag, modes and motion of trees against MuJoCo (needs python3; installs MuJoCo from PyPI under target)
            --small  leave out the largest tree
            --solvers  our solvers against beam theory and each other instead, and what a step costs
            --speed  time both engines on a tree of 10000 bodies instead; MuJoCo takes minutes to load it
            --frames  only the sway of imported trees against beam frames, which `verify` also does
            --write  put the table into docs/VERIFICATION.md
  figures  draws the pictures of docs/gallery, or those that are named: species, oak, plants, particles-children, particles-steps, particles-displays, contact
  performance  times trees of 10 thousand to 3.27 million bodies and writes docs/PERFORMANCE.md; wants a quiet machine
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let chore: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let steps = match chore[..] {
        ["test"] => steps::test(),
        ["soak"] => steps::soak(),
        ["unsafe"] => steps::unsafe_code(),
        ["figures", ref names @ ..] if names.iter().all(|n| figures::NAMES.contains(n)) => {
            steps::figures(names)
        }
        ["portable"] => steps::portable(),
        ["gltf"] => steps::gltf(),
        ["studio"] => steps::studio(),
        ["performance"] => steps::performance(),
        ["verify", ref options @ ..] if options.iter().all(|o| verify::OPTIONS.contains(o)) => {
            steps::verify(options)
        }
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            if !chore.is_empty() {
                eprintln!("error: unknown chore `{}`\n", chore.join(" "));
            }
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    if steps::run(&steps) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
