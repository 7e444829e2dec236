//! The chores of this workspace: `cargo xtask test` and `cargo xtask soak`.

mod steps;
mod workspace;

use std::process::ExitCode;

const HELP: &str = "\
Chores of the Treesway workspace.

Usage: cargo xtask <CHORE>

  test   format, lints, docs, all tests, examples, wasm; what a change must pass
  soak   the long tests that `test` leaves out
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let chore: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let steps = match chore[..] {
        ["test"] => steps::test(),
        ["soak"] => steps::soak(),
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
