//! The program `treesway`: simulates trees, measures them and writes results.
//!
//! Bad input ends in one line on stderr and exit code 2, and leaves no file behind; an interrupt ends in exit code 130.

mod arguments;
mod bench;
mod compare;
mod export;
mod fit;
mod grow;
mod import;
mod info;
mod render;
mod run;
mod scene;
mod skeleton;
mod studio;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Mesa's layer that puts adapters in order, which we do ourselves, complains on stderr where there is no display.
    // SAFETY: no other thread runs yet that could read the environment.
    unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    stop_when_nobody_reads();
    let done = match Arguments::parse().command {
        None if studio::has_display() => studio::open_or_demo(),
        None => run::demo(),
        Some(Command::Studio(arguments)) => studio::open(&arguments.scene),
        Some(Command::Simulate(arguments)) => run::simulate(&arguments),
        Some(Command::Render(arguments)) => render::write(&arguments),
        Some(Command::Grow(arguments)) => grow::write(&arguments),
        Some(Command::Import(arguments)) => import::write(&arguments),
        Some(Command::Info(arguments)) => info::print(&arguments),
        Some(Command::Scenes) => scene::list(),
        Some(Command::Bench(arguments)) => bench::print(&arguments),
        Some(Command::Export(arguments)) => export::write(&arguments),
        Some(Command::Fit(arguments)) => fit::print(&arguments),
        Some(Command::Compare(arguments)) => compare::print(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("treesway: {}", format!("{error:#}").replace('\n', " "));
            ExitCode::from(if run::interrupted() { 130 } else { 2 })
        }
    }
}

/// A reader that has seen enough, as in `treesway info oak | head -3`, closes the pipe; that is no error. The signal itself stays ignored, so that
/// programs we write to are missed with a message.
fn stop_when_nobody_reads() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.payload().downcast_ref::<String>();
        let said = said.map_or("", String::as_str);
        if said.starts_with("failed printing to stdout") && said.contains("Broken pipe") {
            std::process::exit(0);
        }
        usual(panic);
    }));
}
