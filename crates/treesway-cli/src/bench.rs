//! `treesway bench`: how fast a scene is stepped, stage by stage.

use crate::arguments::Bench;
use crate::run::on_threads;
use crate::scene;
use anyhow::Result;
use std::time::{Duration, Instant};
use treesway::StepReport;
use treesway_io::Simulation;

/// Times a scene and prints the result.
pub fn print(arguments: &Bench) -> Result<()> {
    let mut scene = scene::load_with(&arguments.scene, &arguments.changes, &[])?;
    if let Some(bodies) = arguments.bodies {
        let each = bodies / (scene.file.trees.len().max(1) as u32);
        let further = [format!("tree.bodies={each}")];
        scene = scene::load_with(&arguments.scene, &arguments.changes, &further)?;
    }
    let mut simulation = scene.build()?;
    let timing = on_threads(arguments.threads, || {
        Timing::of(&mut simulation, arguments.steps)
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
    fn of(simulation: &mut Simulation, frames: u64) -> Self {
        for _ in 0..(frames / 10).max(3) {
            simulation.step();
        }
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
    state_hash: u64,
    timing: Timing,
}

impl Table<'_> {
    fn print_csv(&self) {
        println!("scene,solver,bodies,threads,stage,ns_per_body,bodies_per_s");
        let Self {
            scene,
            solver,
            bodies,
            ..
        } = self;
        for (stage, ns, rate) in self.timing.rows() {
            println!(
                "{scene},{solver},{bodies},{},{stage},{ns:.4},{rate:.0}",
                self.timing.threads
            );
        }
    }

    fn print(&self) {
        let (steps, threads) = (self.timing.report.steps, self.timing.threads);
        println!(
            "{}: {} bodies, {} solver, {threads} thread(s), {steps} steps",
            self.scene, self.bodies, self.solver
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
        println!("  {:<12}  {:016x}", "state hash", self.state_hash);
    }
}
