//! Other engines on the same tree: how long each takes to compute a frame of 1/30 s at its largest stable step.
//!
//! They are asked in Python (`peers/trial.py`), in an environment of its own with packages from PyPI.

use super::timing::Timing;
use super::{frames_to_time, load, set_isa};
use crate::arguments::Bench;
use crate::run::{on_threads, stage};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use treesway::Isa;
use treesway::glam::Vec3;
use treesway_io::mjcf::{MjcfOptions, write_mjcf};
use treesway_io::write_whole;

const REQUIREMENTS: &str = include_str!("../../peers/requirements.txt");
const SCRIPTS: [(&str, &str); 3] = [
    ("model.py", include_str!("../../peers/model.py")),
    (
        "pinocchio_tree.py",
        include_str!("../../peers/pinocchio_tree.py"),
    ),
    ("trial.py", include_str!("../../peers/trial.py")),
];

/// Gravity that no tree has grown in, so that it moves, m/s².
const GRAVITY: Vec3 = Vec3::new(3.0, -9.81, 0.0);
/// Steps of the coupled solver in a frame.
const SUBSTEPS: u32 = 2;

/// Names of the columns.
pub const CSV_HEADER: &str = "engine,bodies,steps_per_frame,seconds_per_frame,ratio";

/// One tree in all engines.
pub struct Compared {
    pub scene: String,
    pub bodies: usize,
    /// Of the coupled solver on one thread.
    pub seconds: f64,
    /// The same with fused multiply-add, where the program was built with it.
    fused: Option<f64>,
    theirs: Theirs,
}

#[derive(Deserialize)]
struct Theirs {
    /// That MuJoCo took to read the model.
    load_seconds: f64,
    engines: Vec<Engine>,
}

#[derive(Deserialize)]
struct Engine {
    name: String,
    /// In a frame; none if the engine cannot do it.
    steps: Option<u32>,
    /// Of computing, for a frame.
    seconds: Option<f64>,
    /// … and why not.
    why: Option<String>,
}

/// A row of the table: engine, steps and seconds per frame, how many times as fast the coupled solver is.
type Row = [String; 4];

impl Compared {
    /// Times a scene with so many bodies; `folder` keeps the Python environment.
    pub fn of(arguments: &Bench, bodies: Option<u32>, folder: &Path) -> Result<Self> {
        let python = environment(folder)?;
        let further = [
            format!("environment.gravity={:?}", GRAVITY.to_array()),
            "run.fps=30.0".into(),
            format!("tree.substeps={SUBSTEPS}"),
        ];
        let mut simulation = load(arguments, bodies, Some("coupled"), &further)?;
        let [tree] = simulation.world().trees() else {
            bail!(
                "{}: has several trees; --peers compares one",
                arguments.scene
            );
        };
        let model = folder.join("tree.xml");
        let options = MjcfOptions {
            model: arguments.scene.clone(),
            gravity: GRAVITY,
            shapes: false,
            ..MjcfOptions::default()
        };
        write_whole(&model, |file| write_mjcf(tree, &options, file))
            .with_context(|| format!("{}: was not written", model.display()))?;
        let count = simulation.bodies();
        // The other engines know no air.
        simulation.world_mut().fields.clear();
        let mut ours = |isa: Isa| {
            set_isa(&mut simulation, isa);
            on_threads(1, || {
                let timing = Timing::of(&mut simulation, frames_to_time(arguments.steps, count));
                timing.step_secs() * f64::from(SUBSTEPS)
            })
        };
        // Before and after, in case the machine is busy.
        let before = ours(Isa::best())?;
        let theirs = trial(&python, folder, &model)?;
        Ok(Self {
            scene: arguments.scene.clone(),
            bodies: count,
            seconds: before.min(ours(Isa::best())?),
            fused: Isa::fused().map(ours).transpose()?,
            theirs,
        })
    }

    /// Ours first.
    pub fn rows(&self) -> Vec<Row> {
        let own = |name: &str, seconds: f64, ratio: String| -> Row {
            let steps = SUBSTEPS.to_string();
            [name.into(), steps, format!("{seconds:.6}"), ratio]
        };
        let ours = [own("Treesway, coupled", self.seconds, "1".into())];
        let fused = self.fused.map(|seconds| {
            let ratio = format!("{:.2}", seconds / self.seconds);
            own("Treesway, coupled, fused", seconds, ratio)
        });
        let theirs = self.theirs.engines.iter().map(|engine| {
            let (steps, seconds) = match (engine.steps, engine.seconds) {
                (Some(steps), Some(seconds)) => (steps, seconds),
                _ => {
                    let why = engine.why.clone().unwrap_or_default();
                    return [engine.name.clone(), why, String::new(), String::new()];
                }
            };
            [
                engine.name.clone(),
                steps.to_string(),
                format!("{seconds:.6}"),
                format!("{:.1}", seconds / self.seconds),
            ]
        });
        ours.into_iter().chain(fused).chain(theirs).collect()
    }

    /// What goes below the table.
    pub fn note(&self) -> String {
        format!(
            "{}, {} bodies, frames of 1/30 s, one thread each; MuJoCo took {:.0} s to load the model",
            self.scene, self.bodies, self.theirs.load_seconds
        )
    }

    pub fn print(&self) {
        println!(
            "  {:<44}{:>16}{:>18}{:>22}",
            "engine", "steps per frame", "s per frame", "times Treesway's"
        );
        for [engine, steps, seconds, ratio] in self.rows() {
            println!("  {engine:<44}{steps:>16}{seconds:>18}{ratio:>22}");
        }
        println!("  {}", self.note());
    }

    pub fn print_csv(&self) {
        for [engine, steps, seconds, ratio] in self.rows() {
            println!("\"{engine}\",{},{steps},{seconds},{ratio}", self.bodies);
        }
    }
}

/// Where the Python environment is kept if nobody says so.
pub fn usual_folder() -> PathBuf {
    std::env::temp_dir().join("treesway-peers")
}

/// The interpreter of an environment with what is required; made anew when that changes.
fn environment(folder: &Path) -> Result<PathBuf> {
    let [python, plain] = if cfg!(windows) {
        ["Scripts/python.exe", "python"]
    } else {
        ["bin/python", "python3"]
    };
    let python = folder.join(python);
    // Written last: an installation that was interrupted has none.
    let installed = folder.join("installed.txt");
    if !fs::read_to_string(&installed).is_ok_and(|found| found == REQUIREMENTS) {
        let doing = stage("installing MuJoCo and Pinocchio from PyPI");
        run(Command::new(plain).args(["-m", "venv"]).arg(folder))?;
        let required = folder.join("requirements.txt");
        fs::write(&required, REQUIREMENTS)?;
        let install = ["-m", "pip", "install", "--quiet", "--requirement"];
        run(Command::new(&python).args(install).arg(&required))?;
        fs::write(&installed, REQUIREMENTS)?;
        doing.finish_and_clear();
    }
    for (name, text) in SCRIPTS {
        fs::write(folder.join(name), text)?;
    }
    Ok(python)
}

fn trial(python: &Path, folder: &Path, model: &Path) -> Result<Theirs> {
    let mut command = Command::new(python);
    command.arg(folder.join("trial.py")).arg(model);
    // One thread each.
    command.env("OMP_NUM_THREADS", "1").stderr(Stdio::inherit());
    let text = run(&mut command)?;
    serde_json::from_str(&text).context("what the other engines say cannot be read")
}

/// What a command prints.
fn run(command: &mut Command) -> Result<String> {
    let name = command.get_program().display().to_string();
    let done = command
        .output()
        .with_context(|| format!("{name} did not start; --peers needs Python 3 with venv"))?;
    let said = String::from_utf8_lossy(&done.stderr);
    let last = said.lines().last().unwrap_or_default();
    ensure!(done.status.success(), "{name}: {}: {last}", done.status);
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
