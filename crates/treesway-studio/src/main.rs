//! Opens the studio's window: on the default oak, on a named scene, or on a file.
//!
//! Bad input ends in one line on stderr and exit code 2.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    let name = std::env::args().nth(1).unwrap_or_else(|| "oak".into());
    let opened = treesway_studio::native::load(&name)
        .and_then(|(project, path)| treesway_studio::native::open(project, path));
    match opened {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("treesway-studio: {}", error.replace('\n', " "));
            std::process::ExitCode::from(2)
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
