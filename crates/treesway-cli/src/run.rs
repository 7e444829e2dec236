//! `treesway simulate` and the demo: a run from the first frame to the file.

use crate::arguments::{Changes, Simulate};
use crate::{render, scene};
use anyhow::{Context, Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use treesway::glam::Vec3Swizzles as _;
use treesway::{BodyKind, StepReport};
use treesway_io::{RunWriter, Scene, Selection, Simulation};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on an interrupt is only noted, so that unfinished files can be removed. A second one ends the program at once.
pub fn stop_on_interrupt() {
    // Without a handler the program still runs; it would only leave its unfinished files when interrupted.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether the user wants to stop.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Runs `work` on that many threads, 0 for all cores.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    Ok(pool.install(work))
}

/// `treesway simulate`.
pub fn simulate(arguments: &Simulate) -> Result<()> {
    let output = &arguments.output;
    ensure!(
        output.extension().is_some_and(|e| e == "npz"),
        "{}: the output cannot be written in this format; expected a name that ends in .npz",
        output.display()
    );
    let selection: Selection = arguments.select.parse().context("--select")?;
    let mut further = Vec::new();
    further.extend(arguments.fps.map(|fps| format!("run.fps={fps:?}")));
    further.extend(
        arguments
            .seconds
            .map(|seconds| format!("run.seconds={seconds:?}")),
    );
    let scene = scene::load(&arguments.scene, &further)?;
    let plan = Plan {
        name: &arguments.scene.scene,
        scene: &scene,
        output,
        frames: arguments.frames,
        every: arguments.every,
        selection,
        threads: arguments.threads,
    };
    plan.run()
}

/// The demo: the default scene, at a third of its frame rate to keep the file small.
pub fn demo() -> Result<()> {
    let changes = Changes {
        settings: Vec::new(),
        seed: None,
        depth: None,
        solver: None,
    };
    let plan = Plan {
        name: "oak",
        scene: &scene::load_with("oak", &changes, &[])?,
        output: Path::new("oak.npz"),
        frames: None,
        every: 3,
        selection: Selection::default(),
        threads: 0,
    };
    plan.run()?;
    let picture = Path::new("oak.png");
    match render::still(plan.scene, picture) {
        Ok(()) => row("written", picture.display().to_string()),
        // The rest of the demo is none the worse for it.
        Err(error) => row("no picture", format!("{error:#}")),
    }
    println!("\nMore: treesway --help");
    Ok(())
}

/// What to simulate and what to keep.
struct Plan<'a> {
    name: &'a str,
    scene: &'a Scene,
    output: &'a Path,
    /// Instead of the scene's.
    frames: Option<u64>,
    every: u64,
    selection: Selection,
    threads: usize,
}

impl Plan<'_> {
    fn run(&self) -> Result<()> {
        println!("{}: {}", self.name, self.scene.file.title);
        let mut simulation = self.scene.build()?;
        stop_on_interrupt();
        let frames = self.frames.unwrap_or(simulation.frames());
        let outcome = on_threads(self.threads, || self.step(&mut simulation, frames))??;
        self.print(&simulation, frames, &outcome)
    }

    fn step(&self, simulation: &mut Simulation, frames: u64) -> Result<Outcome> {
        let mut writer = RunWriter::create(self.output, simulation, &self.selection, self.every)?;
        writer.record(simulation)?;
        let bar = progress(frames);
        let mut outcome = Outcome::default();
        for _ in 0..frames {
            if interrupted() {
                bar.finish_and_clear();
                bail!("interrupted, {} was not written", self.output.display());
            }
            let start = Instant::now();
            outcome.report += simulation.step();
            outcome.stepping += start.elapsed();
            outcome.notice_angles(simulation);
            writer.record(simulation)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        writer.finish(&|| !interrupted())?;
        Ok(outcome)
    }

    fn print(&self, simulation: &Simulation, frames: u64, outcome: &Outcome) -> Result<()> {
        let seconds = simulation.world().seconds();
        let spent = outcome.stepping.as_secs_f64().max(1e-9);
        let size = std::fs::metadata(self.output)?.len() as f64 / 1e6;
        let [bend, twist, leaves] = outcome.largest.map(|angle| f64::from(angle).to_degrees());
        row("bodies", format!("{}", simulation.bodies()));
        row("simulated", format!("{seconds:.2} s in {frames} frames"));
        row(
            "steps/s",
            format!("{:.0}", outcome.report.steps as f64 / spent),
        );
        row("real-time factor", format!("{:.1}", seconds / spent));
        row(
            "largest angles",
            format!(
                "{bend:.1}° bend and {twist:.1}° twist of a joint in wood, {leaves:.1}° of a leaf"
            ),
        );
        if outcome.report.healed > 0 {
            row(
                "healed",
                format!("{} bodies set back to rest", outcome.report.healed),
            );
        }
        row(
            "state hash",
            format!("{:016x}", simulation.world().state_hash()),
        );
        row(
            "written",
            format!("{}, {size:.1} MB", self.output.display()),
        );
        Ok(())
    }
}

fn row(name: &str, value: String) {
    println!("  {name:<18}{value}");
}

/// What a run was like.
#[derive(Default)]
struct Outcome {
    report: StepReport,
    /// Time spent in steps.
    stepping: Duration,
    /// Largest bend and twist of segments, and |θ| of leaves and fruit, rad.
    largest: [f32; 3],
}

impl Outcome {
    fn notice_angles(&mut self, simulation: &Simulation) {
        for tree in simulation.world().trees() {
            for id in tree.ids() {
                let body = tree.body(id);
                let angles = match body.kind {
                    BodyKind::Segment => [body.theta.xy().length(), body.theta.z.abs(), 0.0],
                    BodyKind::Leaf | BodyKind::Fruit => [0.0, 0.0, body.theta.length()],
                };
                for (largest, angle) in self.largest.iter_mut().zip(angles) {
                    *largest = largest.max(angle);
                }
            }
        }
    }
}

/// On stderr, hidden where that is no terminal.
pub fn progress(frames: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("  {bar:40} {pos}/{len} frames, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(frames).with_style(style)
}
