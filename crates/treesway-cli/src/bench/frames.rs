//! Whole frames of the scenes of Quigley et al. 2017 with everything on: wind, leaves, petals and fruit that come off, contact, breakage.

use super::set_isa;
use crate::arguments::Changes;
use crate::run::on_threads;
use crate::scene;
use anyhow::{Result, bail};
use std::time::{Duration, Instant};
use treesway::{Isa, StepReport};
use treesway_io::Simulation;

/// Scene, frames per second of the paper on 15 threads.
const SCENES: [(&str, f64); 4] = [
    ("fig08-apples", 1.3),
    ("fig09-maple", 5.0),
    ("fig10-cherry", 3.3),
    ("fig04-willow", 0.6),
];

/// How each solver is stepped, as its name is: the paper's once a frame, ours as by default.
const SOLVERS: [(&str, u32); 2] = [("analytic", 1), ("coupled", 2)];

/// Simulated time that is measured, s, from the start; what comes off needs some seconds to be on its way.
const SECONDS: f64 = 5.0;

/// Runs of a scene of which the fastest counts, as of steps.
const RUNS: usize = 3;

/// One scene with one solver, on one thread.
pub struct Frames {
    scene: &'static str,
    paper: f64,
    solver: &'static str,
    isa: Isa,
    bodies: usize,
    /// Of each frame.
    times: Vec<Duration>,
    report: StepReport,
}

impl Frames {
    /// Times the scenes that are named, or all if none is, with every solver; tells each as soon as it is known.
    pub fn of_each(names: &[String], isa: Isa, mut tell: impl FnMut(&Self)) -> Result<Vec<Self>> {
        if let Some(unknown) = names.iter().find(|n| SCENES.iter().all(|(s, _)| s != n)) {
            let known = SCENES.map(|(scene, _)| scene).join(", ");
            bail!("--frames is {unknown}; expected some of {known}");
        }
        let mut all = Vec::new();
        let chosen = |scene: &str| names.is_empty() || names.iter().any(|n| n == scene);
        for (scene, paper) in SCENES.into_iter().filter(|(scene, _)| chosen(scene)) {
            for (solver, substeps) in SOLVERS {
                // The paper's solver also on the fastest path that the program was built with.
                let fused = Isa::fused().filter(|_| solver == "analytic");
                for isa in core::iter::once(isa).chain(fused) {
                    let frames = Self::of(scene, paper, solver, substeps, isa)?;
                    tell(&frames);
                    all.push(frames);
                }
            }
        }
        Ok(all)
    }

    fn of(
        scene: &'static str,
        paper: f64,
        solver: &'static str,
        substeps: u32,
        isa: Isa,
    ) -> Result<Self> {
        let changes = Changes {
            solver: Some(solver.into()),
            ..Changes::none()
        };
        let further = [
            format!("tree.substeps={substeps}"),
            "tree.params.breakage.factor=1.0".into(),
            // Branches, not twigs whose leaves stand for many.
            "tree.params.breakage.least_radius=0.015".into(),
        ];
        let scene_file = scene::load_with(scene, &changes, &further)?;
        let frames = (SECONDS * scene_file.file.run.fps) as u64;
        let mut simulation = scene_file.build()?;
        set_isa(&mut simulation, isa);
        let start = simulation.world().snapshot();
        let run = |simulation: &mut Simulation| {
            simulation.world_mut().restore(&start);
            let mut sum = StepReport::default();
            let times = (0..frames).map(|_| {
                let start = Instant::now();
                sum += simulation.step();
                start.elapsed()
            });
            let times: Vec<Duration> = times.collect();
            (times, sum)
        };
        let runs = on_threads(1, || [(); RUNS].map(|()| run(&mut simulation)))?;
        let (times, report) = runs
            .into_iter()
            .min_by_key(|(times, _)| times.iter().sum::<Duration>())
            .expect("there are runs");
        Ok(Self {
            scene,
            paper,
            solver,
            isa,
            bodies: simulation.bodies(),
            times,
            report,
        })
    }

    /// Frames per second over all of them.
    fn rate(&self) -> f64 {
        self.times.len() as f64 / self.times.iter().sum::<Duration>().as_secs_f64()
    }

    /// Of the frames, so many in a hundred took no longer, ms.
    fn percentile(&self, share: usize) -> f64 {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        1e3 * sorted[(sorted.len() - 1) * share / 100].as_secs_f64()
    }

    /// Share of the stages in which trees take their steps, wind included.
    fn share_of_steps(&self) -> f64 {
        let t = &self.report.times;
        let steps = t.up + t.springs + t.pulls + t.down;
        steps.as_secs_f64() / self.times.iter().sum::<Duration>().as_secs_f64()
    }

    /// For [`HEADER`].
    pub fn row(&self) -> [String; 12] {
        [
            self.scene.into(),
            self.bodies.to_string(),
            self.solver.into(),
            self.isa.name().into(),
            format!("{:.1}", self.rate()),
            format!("{}", self.paper),
            format!("{:.1}", self.percentile(50)),
            format!("{:.1}", self.percentile(99)),
            format!("{:.0} %", 100.0 * self.share_of_steps()),
            self.report.detached.to_string(),
            self.report.collided.to_string(),
            self.report.broken.to_string(),
        ]
    }
}

/// Names of the columns.
pub const HEADER: [&str; 12] = [
    "scene",
    "bodies",
    "solver",
    "vectors",
    "frames/s",
    "paper (15 threads)",
    "median ms",
    "99 % within ms",
    "steps of trees",
    "came off",
    "hits",
    "broken",
];
