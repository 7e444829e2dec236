//! `treesway bench`: how fast a scene is stepped, stage by stage.

use crate::arguments::Bench;
use crate::run::on_threads;
use crate::scene;
use anyhow::{Context, Result};
use rayon::prelude::*;
use std::time::{Duration, Instant};
use treesway::{Isa, StepReport, TreeId};
use treesway_io::Simulation;

/// Runs of which the fastest counts.
const RUNS: u64 = 5;

/// Times a scene and prints the result.
pub fn print(arguments: &Bench) -> Result<()> {
    let mut scene = scene::load_with(&arguments.scene, &arguments.changes, &[])?;
    if let Some(bodies) = arguments.bodies {
        let each = bodies / (scene.file.trees.len().max(1) as u32);
        let further = [format!("tree.bodies={each}")];
        scene = scene::load_with(&arguments.scene, &arguments.changes, &further)?;
    }
    let isa = match &arguments.isa {
        Some(name) => named_isa(name)?,
        None => Isa::best(),
    };
    let mut simulation = scene.build()?;
    set_isa(&mut simulation, isa);
    let (timing, copy, scalar) = on_threads(arguments.threads, || {
        let timing = Timing::of(&mut simulation, arguments.steps);
        let copy = copy_secs(simulation.bodies());
        set_isa(&mut simulation, Isa::Scalar);
        let scalar = Timing::of(&mut simulation, (arguments.steps / 10).max(RUNS));
        set_isa(&mut simulation, isa);
        (timing, copy, scalar)
    })?;
    let solver = simulation.world().trees()[0].settings().solver;
    let table = Table {
        scene: &arguments.scene,
        solver: format!("{solver:?}").to_lowercase(),
        bodies: simulation.bodies(),
        bytes: simulation
            .world()
            .trees()
            .iter()
            .map(treesway::Tree::bytes)
            .sum(),
        ratio_to_copy: timing.step_secs() / copy,
        ratio_to_scalar: scalar.step_secs() / timing.step_secs(),
        isa,
        state_hash: simulation.world().state_hash(),
        timing,
    };
    if arguments.csv {
        table.print_csv();
    } else {
        table.print();
    }
    if let Some(other) = &arguments.against {
        print_ratio(arguments, other, &mut simulation)?;
    }
    Ok(())
}

fn named_isa(name: &str) -> Result<Isa> {
    let names: Vec<&str> = Isa::available().map(Isa::name).collect();
    let found = Isa::available().find(|isa| isa.name() == name);
    found.with_context(|| format!("--isa is {name}; expected one of {}", names.join(", ")))
}

fn set_isa(simulation: &mut Simulation, isa: Isa) {
    for i in 0..simulation.world().trees().len() {
        simulation.world_mut().tree_mut(TreeId(i)).set_isa(isa);
    }
}

/// Time of a plain copy of 192 bytes per body, s: the least that a step moves through memory. On as many threads as the step.
fn copy_secs(bodies: usize) -> f64 {
    const WORDS: usize = 192 / size_of::<u64>();
    let part = bodies.div_ceil(rayon::current_num_threads()) * WORDS;
    let from = vec![1_u64; bodies * WORDS];
    let mut to = vec![0_u64; bodies * WORDS];
    let mut best = f64::INFINITY;
    // As often as it takes to be seen by the clock.
    let times = (20_000_000 / (bodies * 192)).max(1);
    for _ in 0..=RUNS {
        let start = Instant::now();
        for _ in 0..times {
            to.par_chunks_mut(part)
                .zip(from.par_chunks(part))
                .for_each(|(to, from)| to.copy_from_slice(from));
            std::hint::black_box(&mut to);
        }
        best = best.min(start.elapsed().as_secs_f64() / times as f64);
    }
    best
}

/// Times the scene with another solver in turn with the first, so that both meet the same disturbances of the machine.
fn print_ratio(arguments: &Bench, other: &str, first: &mut Simulation) -> Result<()> {
    let mut further = vec![format!("tree.solver=\"{other}\"")];
    let trees = first.world().trees().len() as u32;
    further.extend(
        arguments
            .bodies
            .map(|n| format!("tree.bodies={}", n / trees)),
    );
    let mut second = scene::load_with(&arguments.scene, &arguments.changes, &further)?.build()?;
    let [mine, theirs] = on_threads(arguments.threads, || {
        let mut sums = [StepReport::default(); 2];
        for frame in 0..arguments.steps + 10 {
            let reports = [first.step(), second.step()];
            // The first frames warm up.
            if frame >= 10 {
                sums.iter_mut()
                    .zip(reports)
                    .for_each(|(sum, report)| *sum += report);
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

struct Timing {
    threads: usize,
    report: StepReport,
    /// Of all steps, with what lies between the stages.
    total: Duration,
}

impl Timing {
    /// The fastest of [`RUNS`] runs, so that other programs disturb it least.
    fn of(simulation: &mut Simulation, frames: u64) -> Self {
        for _ in 0..(frames / 10).max(3) {
            simulation.step();
        }
        let runs = (0..RUNS).map(|_| Self::run(simulation, frames.div_ceil(RUNS)));
        runs.min_by(|a, b| a.total.cmp(&b.total))
            .expect("there is a run")
    }

    fn run(simulation: &mut Simulation, frames: u64) -> Self {
        let mut report = StepReport::default();
        let start = Instant::now();
        for _ in 0..frames {
            report += simulation.step();
        }
        Self {
            threads: rayon::current_num_threads(),
            report,
            total: start.elapsed(),
        }
    }

    /// Of one step of all trees, s.
    fn step_secs(&self) -> f64 {
        self.total.as_secs_f64() / self.report.steps as f64
    }

    /// Stage, time per body and step in ns, and how many bodies that makes per second.
    fn rows(&self) -> impl Iterator<Item = (&'static str, f64, f64)> {
        let stages = self.report.times.named().into_iter();
        stages.chain([("total", self.total)]).map(|(name, time)| {
            let seconds = time.as_secs_f64() / self.report.bodies as f64;
            let rate = if seconds > 0.0 {
                1.0 / seconds
            } else {
                f64::INFINITY
            };
            (name, seconds * 1e9, rate)
        })
    }
}

struct Table<'a> {
    scene: &'a str,
    solver: String,
    bodies: usize,
    bytes: usize,
    ratio_to_copy: f64,
    ratio_to_scalar: f64,
    isa: Isa,
    state_hash: u64,
    timing: Timing,
}

impl Table<'_> {
    fn print_csv(&self) {
        println!(
            "scene,solver,bodies,threads,stage,ns_per_body,bodies_per_s,bytes_per_body,ratio_to_copy,ratio_to_scalar,isa"
        );
        let Self {
            scene,
            solver,
            bodies,
            ..
        } = self;
        for (stage, ns, rate) in self.timing.rows() {
            println!(
                "{scene},{solver},{bodies},{},{stage},{ns:.4},{rate:.0},{:.0},{:.3},{:.3},{}",
                self.timing.threads,
                self.bytes as f64 / *bodies as f64,
                self.ratio_to_copy,
                self.ratio_to_scalar,
                self.isa.name()
            );
        }
    }

    fn print(&self) {
        let (steps, threads) = (self.timing.report.steps, self.timing.threads);
        println!(
            "{}: {} bodies, {} solver, {threads} thread(s), {steps} steps, {}",
            self.scene,
            self.bodies,
            self.solver,
            self.isa.name()
        );
        println!(
            "  {:<12}{:>14}{:>20}",
            "stage", "ns per body", "million bodies/s"
        );
        for (stage, ns, rate) in self.timing.rows() {
            println!("  {stage:<12}{ns:>14.2}{:>20.2}", rate / 1e6);
        }
        println!(
            "  {:<12}{:>14.0}",
            "bytes/body",
            self.bytes as f64 / self.bodies as f64
        );
        println!(
            "  {:.1} times a copy of 192 bytes per body; one body at a time takes {:.1} times as long",
            self.ratio_to_copy, self.ratio_to_scalar
        );
        println!("  {:<12}  {:016x}", "state hash", self.state_hash);
    }
}
