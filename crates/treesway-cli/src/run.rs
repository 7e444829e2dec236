//! `treesway simulate` and the demo: a run from the first frame to the file.

use crate::arguments::{Changes, Simulate};
use crate::{render, scene};
use anyhow::{Context, Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use treesway::{LargestAngles, OffMotion, StepReport, Tree};
use treesway_io::gltf::{Deviation, Frames, GlbOptions, GlbWriter, Summary};
use treesway_io::scene::Model;
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
    let output = arguments.output.as_path();
    let sink = match output.extension().and_then(OsStr::to_str) {
        Some("npz") => {
            let other = [
                (arguments.joints.is_some(), "--joints"),
                (arguments.triangles.is_some(), "--triangles"),
                (arguments.looped, "--loop"),
            ];
            if let Some((_, option)) = other.iter().find(|o| o.0) {
                bail!(
                    "{option} is for .glb files, the output is {}",
                    output.display()
                );
            }
            let selection = arguments.select.parse().context("--select")?;
            Sink::Bodies(output, selection, arguments.curves)
        }
        Some("glb") => {
            ensure!(
                arguments.curves.is_none(),
                "--curves is for .npz files, the output is {}",
                output.display()
            );
            ensure!(
                arguments.select == "all",
                "--select is for .npz files, the output is {}",
                output.display()
            );
            let options = GlbOptions {
                title: arguments.scene.scene.clone(),
                joints: arguments.joints.or(GlbOptions::default().joints),
                triangles: arguments
                    .triangles
                    .unwrap_or(GlbOptions::default().triangles),
                ..GlbOptions::default()
            };
            Sink::Model(output, options, arguments.looped)
        }
        _ => bail!(
            "{}: the output cannot be written in this format; expected a name that ends in .npz or .glb",
            output.display()
        ),
    };
    let further = scene::time_changes(&arguments.time);
    let scene = scene::load(&arguments.scene, &further)?;
    let plan = Plan {
        name: &arguments.scene.scene,
        scene: &scene,
        sinks: &[sink],
        frames: arguments.time.frames,
        every: arguments.every,
        threads: arguments.threads,
    };
    plan.run()
}

/// The demo: the default scene, at a third of its frame rate to keep the files small.
pub fn demo() -> Result<()> {
    let changes = Changes::none();
    let model = GlbOptions {
        title: "oak".into(),
        ..GlbOptions::default()
    };
    let plan = Plan {
        name: "oak",
        scene: &scene::load_with("oak", &changes, &[])?,
        sinks: &[
            Sink::Bodies(Path::new("oak.npz"), Selection::default(), None),
            Sink::Model(Path::new("oak.glb"), model, false),
        ],
        frames: None,
        every: 3,
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

/// Where a run goes.
enum Sink<'a> {
    /// Motion of these bodies, `.npz`, and of curves in so many pieces a body.
    Bodies(&'a Path, Selection, Option<u32>),
    /// What is seen, `.glb`, and whether the end meets the start.
    Model(&'a Path, GlbOptions, bool),
}

/// A file that is being written.
enum Writer<'a> {
    Bodies(Box<RunWriter>),
    Model(GlbWriter<'a>),
}

/// What to simulate and what to keep.
struct Plan<'a> {
    name: &'a str,
    scene: &'a Scene,
    sinks: &'a [Sink<'a>],
    /// Instead of the scene's.
    frames: Option<u64>,
    every: u64,
    threads: usize,
}

impl Plan<'_> {
    fn run(&self) -> Result<()> {
        println!("{}: {}", self.name, self.scene.file.title);
        let (mut simulation, models) = self.scene.build_to_draw()?;
        stop_on_interrupt();
        let outcome = on_threads(self.threads, || self.step(&mut simulation, &models))??;
        self.print(&simulation, &outcome)
    }

    fn step(&self, simulation: &mut Simulation, models: &[Model]) -> Result<Outcome> {
        let shown = self.frames.unwrap_or(simulation.frames());
        let mut outcome = Outcome {
            frames: shown,
            ..Outcome::default()
        };
        let mut writers = Vec::with_capacity(self.sinks.len());
        for sink in self.sinks {
            writers.push(match sink {
                Sink::Bodies(path, selection, curves) => {
                    let mut writer = RunWriter::create(path, simulation, selection, self.every)?;
                    if let Some(pieces) = *curves {
                        writer.keep_curves(simulation, pieces)?;
                    }
                    Writer::Bodies(Box::new(writer))
                }
                Sink::Model(path, options, looped) => {
                    let frames = Frames {
                        shown,
                        every: self.every,
                        looped: *looped,
                    };
                    outcome.frames = frames.simulated(simulation.world().frame_secs());
                    let writer =
                        GlbWriter::create(path, simulation, models, frames, options.clone());
                    Writer::Model(writer.with_context(|| path.display().to_string())?)
                }
            });
        }
        self.record(simulation, &mut writers)?;
        let bar = progress(outcome.frames, "frames");
        for _ in 0..outcome.frames {
            if interrupted() {
                bar.finish_and_clear();
                bail!("interrupted, {} was not written", self.files());
            }
            let start = Instant::now();
            outcome.report += simulation.step();
            outcome.stepping += start.elapsed();
            outcome.notice_angles(simulation);
            self.record(simulation, &mut writers)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        self.finish(writers, &mut outcome)?;
        Ok(outcome)
    }

    fn record(&self, simulation: &Simulation, writers: &mut [Writer]) -> Result<()> {
        for writer in writers {
            match writer {
                Writer::Bodies(writer) => writer.record(simulation)?,
                Writer::Model(writer) => writer.record(simulation),
            }
        }
        Ok(())
    }

    fn finish(&self, writers: Vec<Writer>, outcome: &mut Outcome) -> Result<()> {
        for (writer, sink) in writers.into_iter().zip(self.sinks) {
            match writer {
                Writer::Bodies(writer) => writer.finish(&|| !interrupted())?,
                Writer::Model(writer) => {
                    let bar = progress(100, "% of the joints fitted");
                    let summaries = writer.finish(&|share| {
                        bar.set_position((100.0 * share) as u64);
                        !interrupted()
                    });
                    bar.finish_and_clear();
                    let named = || sink.path().display().to_string();
                    outcome.models = summaries.with_context(named)?;
                }
            }
        }
        Ok(())
    }

    fn files(&self) -> String {
        let names = self.sinks.iter().map(|s| s.path().display().to_string());
        names.collect::<Vec<_>>().join(" and ")
    }

    fn print(&self, simulation: &Simulation, outcome: &Outcome) -> Result<()> {
        let seconds = simulation.world().seconds();
        let spent = outcome.stepping.as_secs_f64().max(1e-9);
        let LargestAngles {
            bend,
            twist,
            leaves,
        } = outcome.largest;
        let [bend, twist, leaves] = [bend, twist, leaves].map(|a| f64::from(a).to_degrees());
        row("bodies", format!("{}", simulation.bodies()));
        row(
            "simulated",
            format!("{seconds:.2} s in {} frames", outcome.frames),
        );
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
        for (name, value) in happened(simulation, &outcome.report) {
            row(name, value);
        }
        if outcome.report.collided > 0 {
            row("hits", format!("{} on trees", outcome.report.collided));
        }
        if outcome.report.contact_rounds > 0 {
            let StepReport {
                touching, returned, ..
            } = outcome.report;
            row(
                "contacts",
                format!("{touching} pairs of the tree's own parted, {returned} joints returned"),
            );
        }
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
        for model in &outcome.models {
            print_model(model);
        }
        for sink in self.sinks {
            let path = sink.path();
            let size = std::fs::metadata(path)?.len() as f64 / 1e6;
            row("written", format!("{}, {size:.1} MB", path.display()));
        }
        Ok(())
    }
}

/// What happened: what came off and where it is, what snow fell and slid, where creatures got to.
fn happened(simulation: &Simulation, report: &StepReport) -> Vec<(&'static str, String)> {
    let world = simulation.world();
    let mut rows = Vec::new();
    if report.broken > 0 {
        let broken = world.trees().iter().flat_map(|tree| {
            let bodies = tree.broken().into_iter();
            bodies.map(|id| tree.off_motion(id) == Some(OffMotion::Resting))
        });
        let lying = broken.filter(|rests| *rests).count();
        let text = format!("{} broke, {lying} lie still", report.broken);
        rows.push(("branches", text));
    }
    if report.detached > 0 {
        let counts = world.trees().iter().map(Tree::off_counts);
        let [flying, resting] = counts.fold([0, 0], |[f, r], c| {
            [f + c.flying + c.carried, r + c.resting]
        });
        let detached = report.detached;
        let text = format!("{detached} came off, {flying} in the air, {resting} on the ground");
        rows.push(("leaves and fruit", text));
    }
    if world.snow.is_some() {
        let trees = world.trees().iter().map(Tree::snow_balance);
        let [lying, slid] = trees.fold([0.0, 0.0], |[l, s], b| [l + b.lying, s + b.slid]);
        let text = format!(
            "{lying:.1} kg lie, {slid:.1} kg slid off in {} puffs",
            report.puffs
        );
        rows.push(("snow", text));
    }
    for creature in world.creatures() {
        let place = match creature.foothold() {
            Some((tree, body, _)) => format!("on body {} of tree {}", body.0, tree.0),
            None => {
                let p = creature.pose().position;
                format!("off the trees at {:.2}, {:.2}, {:.2} m", p.x, p.y, p.z)
            }
        };
        let text = format!("leapt {} times, is {place}", creature.leaps());
        rows.push(("squirrel", text));
    }
    rows
}

impl Sink<'_> {
    fn path(&self) -> &Path {
        match self {
            Self::Bodies(path, ..) | Self::Model(path, ..) => path,
        }
    }
}

/// What became of a tree in a `.glb`.
pub fn print_model(model: &Summary) {
    row(
        &model.name,
        format!("{} vertices, {} triangles", model.vertices, model.triangles),
    );
    if model.broken > 0 {
        row(
            "  broke off",
            format!("{} branches, all fall", model.broken),
        );
    }
    if model.left > 0 {
        let (left, loose) = (model.left, model.loose);
        let others = match left - loose {
            0 => String::new(),
            more => format!("; {more} more stay on the tree in the file"),
        };
        row("  came off", format!("{loose} of {left} fall{others}"));
    }
    if model.joints > 0 {
        let off = |d: &Deviation| {
            let [rms, most, largest] = [d.rms, d.percentile_99, d.largest].map(|d| {
                let share = 100.0 * d / model.height;
                format!("{d:.4} m ({share:.2} % of the height)")
            });
            format!("root mean square {rms}, 99 % within {most}, largest {largest}")
        };
        row("joints", format!("{}", model.joints));
        row("deviation", off(&model.deviation));
        row("  of the bark", off(&model.bark_deviation));
    }
}

fn row(name: &str, value: String) {
    println!("  {name:<18}{value}");
}

/// What a run was like.
#[derive(Default)]
struct Outcome {
    /// Frames simulated.
    frames: u64,
    report: StepReport,
    /// Time spent in steps.
    stepping: Duration,
    /// Over all frames.
    largest: LargestAngles,
    /// What became of the trees in a `.glb`.
    models: Vec<Summary>,
}

impl Outcome {
    fn notice_angles(&mut self, simulation: &Simulation) {
        for tree in simulation.world().trees() {
            self.largest = self.largest.max(tree.largest_angles());
        }
    }
}

/// Says what is being done that takes long; on stderr, hidden where that is no terminal.
pub fn stage(doing: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(doing.to_owned());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// On stderr, hidden where that is no terminal.
pub fn progress(length: u64, of: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("  {bar:40} {pos}/{len} {msg}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(length).with_style(style);
    bar.with_message(of.to_owned())
}
