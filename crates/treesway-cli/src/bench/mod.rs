//! `treesway bench`: how fast scenes are stepped, by size, solver and number of threads.

mod frames;
mod particles;
mod peers;
mod report;
mod spectral;
mod timing;

use crate::arguments::{Bench, Changes};
use crate::run::on_threads;
use crate::scene;
use anyhow::{Context, Result};
use frames::Frames;
use peers::Compared;
use std::io::Write as _;
use timing::Measured;
use treesway::{Isa, StepReport, TreeId};
use treesway_io::{Simulation, write_whole};

/// Times every combination that is asked for and prints or writes it.
pub fn print(arguments: &Bench) -> Result<()> {
    if arguments.spectral {
        return spectral::print();
    }
    if arguments.particles {
        return particles::print();
    }
    let isa = match &arguments.isa {
        Some(name) => named_isa(name)?,
        None => Isa::best(),
    };
    let sizes = if arguments.bodies.is_empty() {
        vec![None]
    } else {
        arguments.bodies.iter().copied().map(Some).collect()
    };
    let solvers: Vec<Option<String>> = match &arguments.changes.solver {
        None => vec![None],
        Some(names) => names
            .split(',')
            .map(|name| Some(name.trim().into()))
            .collect(),
    };
    if arguments.csv {
        println!("{}", report::CSV_HEADER);
    }
    let (mut all, mut beside) = (Vec::new(), Vec::new());
    for (bodies, solver) in sizes
        .iter()
        .flat_map(|&n| solvers.iter().map(move |s| (n, s)))
    {
        let mut simulation = load(arguments, bodies, solver.as_deref(), &[])?;
        let rest = simulation.world().snapshot();
        for &threads in &arguments.threads {
            let measured = on_threads(threads, || {
                let frames = frames_to_time(arguments.steps, simulation.bodies());
                Measured::of(&arguments.scene, &mut simulation, &rest, isa, frames)
            })?;
            if arguments.csv {
                measured.print_csv();
            } else {
                measured.print();
            }
            all.push(measured);
        }
        if let Some(other) = &arguments.against {
            let other_simulation = load(arguments, bodies, Some(other), &[])?;
            print_ratio(arguments, other, [simulation, other_simulation])?;
        }
    }
    if let Some(folder) = &arguments.peers {
        let folder = folder.clone().unwrap_or_else(peers::usual_folder);
        if arguments.csv {
            println!("\n{}", peers::CSV_HEADER);
        }
        for &bodies in sizes
            .iter()
            .filter(|n| n.is_none_or(|n| n <= MOST_FOR_PEERS))
        {
            let compared = Compared::of(arguments, bodies, &folder)?;
            if arguments.csv {
                compared.print_csv();
            } else {
                compared.print();
            }
            beside.push(compared);
        }
    }
    let mut whole = Vec::new();
    if let Some(scenes) = &arguments.frames {
        let separator = if arguments.csv { "," } else { "  " };
        println!("\n{}", frames::HEADER.join(separator));
        whole = Frames::of_each(scenes, isa, |frames| {
            println!("{}", frames.row().join(separator));
        })?;
    }
    if let Some(file) = &arguments.write {
        let text = report::document(&all, &beside, &whole);
        write_whole(file, |out| out.write_all(text.as_bytes()))
            .with_context(|| format!("{}: cannot be written", file.display()))?;
    }
    Ok(())
}

/// Bodies beyond which other engines are not asked: MuJoCo takes minutes to load as many.
const MOST_FOR_PEERS: u32 = 10_000;

/// Frames to time of a tree of so many bodies: larger trees take fewer, down to one in each run.
fn frames_to_time(of_10_000: u64, bodies: usize) -> u64 {
    let share = (20_000.0 / bodies as f64).min(1.0);
    (of_10_000 as f64 * share).ceil() as u64
}

/// The scene with so many bodies over all its trees and that solver, where they are asked for, and further settings.
fn load(
    arguments: &Bench,
    bodies: Option<u32>,
    solver: Option<&str>,
    further: &[String],
) -> Result<Simulation> {
    let changes = Changes {
        solver: solver.map(str::to_owned),
        ..arguments.changes.clone()
    };
    let mut scene = scene::load_with(&arguments.scene, &changes, further)?;
    if let Some(bodies) = bodies {
        let each = bodies / (scene.file.trees.len().max(1) as u32);
        let further = [further, &[format!("tree.bodies={each}")]].concat();
        scene = scene::load_with(&arguments.scene, &changes, &further)?;
    }
    Ok(scene.build()?)
}

fn named_isa(name: &str) -> Result<Isa> {
    let known = || Isa::available().chain(Isa::fused());
    let names: Vec<&str> = known().map(Isa::name).collect();
    let found = known().find(|isa| isa.name() == name);
    found.with_context(|| format!("--isa is {name}; expected one of {}", names.join(", ")))
}

fn set_isa(simulation: &mut Simulation, isa: Isa) {
    for i in 0..simulation.world().trees().len() {
        simulation.world_mut().tree_mut(TreeId(i)).set_isa(isa);
    }
}

/// Times two solvers in turn, so that both meet the same disturbances of the machine.
fn print_ratio(arguments: &Bench, other: &str, mut both: [Simulation; 2]) -> Result<()> {
    let [mine, theirs] = on_threads(arguments.threads[0], || {
        let mut sums = [StepReport::default(); 2];
        for frame in 0..arguments.steps + 10 {
            for (sum, simulation) in sums.iter_mut().zip(&mut both) {
                let report = simulation.step();
                // The first frames warm up.
                if frame >= 10 {
                    *sum += report;
                }
            }
        }
        sums
    })?;
    let per_step = |r: &StepReport| r.times.total().as_secs_f64() / r.bodies as f64;
    println!(
        "  a step costs {:.2} times one of {other} ({:.1} and {:.1} ns per body)",
        per_step(&mine) / per_step(&theirs),
        1e9 * per_step(&mine),
        1e9 * per_step(&theirs)
    );
    Ok(())
}
