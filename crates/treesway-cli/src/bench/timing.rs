//! How long steps take, and what they are measured against.

use super::set_isa;
use rayon::prelude::*;
use std::time::{Duration, Instant};
use treesway::plain::PlainTree;
use treesway::{Isa, LeafSprings, Simulated, Solver, StepReport, TreeId, WorldSnapshot};
use treesway_io::Simulation;

/// Runs of which the fastest counts, at the least; of frames that take little time, several times as many, to meet moments in which
/// nothing else runs.
const RUNS: u64 = 5;
const MOST_RUNS: u64 = 100;

/// One scene, timed with one solver on so many threads.
pub struct Measured {
    pub scene: String,
    pub solver: Solver,
    pub bodies: usize,
    pub bytes: usize,
    pub isa: Isa,
    pub state_hash: u64,
    pub timing: Timing,
    /// The same trees, still swinging, without wind.
    pub calm: Timing,
    /// The same without wind, at rest: no slower, unless numbers that die out cost more.
    pub at_rest: Timing,
    /// In the wind with fused multiply-add, where the program was built with it.
    pub fused: Option<Timing>,
    /// The same without wind: the solver alone, as fast as it gets.
    pub calm_fused: Option<Timing>,
    /// In the wind with eight lanes, where there are more.
    pub avx2: Option<Timing>,
    /// In the wind with all bodies moving, where only a part does.
    pub whole: Option<Timing>,
    /// Of a copy of 192 bytes per body, s.
    pub copy_secs: f64,
    /// Of a step of the plain reference, one body at a time on one thread, s.
    pub plain_secs: f64,
    /// The same with springs of leaves as Quigley et al. 2017 have them, where the scene has others.
    pub paper_plain_secs: Option<f64>,
}

impl Measured {
    /// Times a simulation on the threads of the pool that this is called from; `rest` is how it was before the first step.
    pub fn of(
        scene: &str,
        simulation: &mut Simulation,
        rest: &WorldSnapshot,
        isa: Isa,
        frames: u64,
    ) -> Self {
        set_isa(simulation, isa);
        warm_up(simulation, frames);
        let state_hash = simulation.world().state_hash();
        let in_wind = |isa| Condition { isa, calm: false };
        let narrower = Some(Isa::Avx2).filter(|i| isa == Isa::Avx512 && i.is_available());
        let conditions = [
            in_wind(isa),
            Condition { isa, calm: true },
            in_wind(Isa::fused().unwrap_or(isa)),
            Condition {
                isa: Isa::fused().unwrap_or(isa),
                calm: true,
            },
            in_wind(narrower.unwrap_or(isa)),
        ];
        let [timing, calm, fused, calm_fused, avx2] = in_turn(simulation, conditions, frames);
        let settings = simulation.world().trees()[0].settings();
        let differs =
            settings.solver == Solver::Analytic && settings.leaf_springs != LeafSprings::Joint;
        let plain = plain_secs(simulation, None, frames);
        let paper = differs.then(|| plain_secs(simulation, Some(LeafSprings::Joint), frames));
        let whole = whole(simulation, in_wind(isa), frames);
        simulation.world_mut().restore(rest);
        let [at_rest] = in_turn(simulation, [Condition { isa, calm: true }], frames);
        set_isa(simulation, isa);
        let trees = simulation.world().trees();
        Self {
            scene: scene.into(),
            solver: trees[0].settings().solver,
            bodies: simulation.bodies(),
            bytes: trees.iter().map(treesway::Tree::bytes).sum(),
            isa,
            state_hash,
            copy_secs: copy_secs(simulation.bodies()),
            plain_secs: plain,
            paper_plain_secs: paper,
            timing,
            calm,
            at_rest,
            fused: Isa::fused().map(|_| fused),
            calm_fused: Isa::fused().map(|_| calm_fused),
            avx2: narrower.map(|_| avx2),
            whole,
        }
    }

    /// Time of a step in times of a copy of 192 bytes per body.
    pub fn ratio_to_copy(&self) -> f64 {
        self.timing.step_secs() / self.copy_secs
    }

    /// How much longer the plain reference takes, one body at a time.
    pub fn ratio_to_scalar(&self) -> f64 {
        self.plain_secs / self.timing.step_secs()
    }

    /// How many bodies move, and how much longer a step takes where all do; none where all do.
    pub fn part(&self) -> Option<(u64, f64)> {
        let moving = self.timing.report.bodies / self.timing.report.steps.max(1);
        let whole = self.whole.as_ref()?;
        Some((moving, whole.step_secs() / self.timing.step_secs()))
    }

    /// Stage, time per body and step in ns, and how many bodies that makes per second; then whole steps under other conditions.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, f64, f64)> {
        let others = [
            ("calm", Some(&self.calm)),
            ("at rest", Some(&self.at_rest)),
            ("fused", self.fused.as_ref()),
            ("calm, fused", self.calm_fused.as_ref()),
            ("avx2", self.avx2.as_ref()),
        ];
        let others = others.into_iter().filter_map(|(name, timing)| {
            let timing = timing?;
            Some(timing.row(name, timing.total))
        });
        self.timing.rows().chain(others)
    }

    /// Time of a step that is the wind's, ns per body.
    pub fn wind_ns(&self) -> f64 {
        self.timing.body_ns() - self.calm.body_ns()
    }

    /// As the command line names it.
    pub fn solver_name(&self) -> String {
        format!("{:?}", self.solver).to_lowercase()
    }

    pub fn bytes_per_body(&self) -> f64 {
        self.bytes as f64 / self.bodies as f64
    }
}

/// The same with all bodies moving, where only a part does; not in turn with it, since choosing takes long.
fn whole(simulation: &mut Simulation, condition: Condition, frames: u64) -> Option<Timing> {
    let world = simulation.world_mut();
    let count = world.trees().len();
    if world.trees().iter().all(|tree| tree.moving() == tree.len()) {
        return None;
    }
    for i in 0..count {
        let everything = world
            .tree_mut(TreeId(i))
            .simulate_only(&Simulated::default());
        everything.expect("everything can be chosen");
    }
    warm_up(simulation, frames);
    let [timing] = in_turn(simulation, [condition], frames);
    Some(timing)
}

/// What a run is timed with.
#[derive(Clone, Copy)]
struct Condition {
    isa: Isa,
    /// Without the scene's wind.
    calm: bool,
}

fn warm_up(simulation: &mut Simulation, frames: u64) {
    for _ in 0..(frames / 10).max(3) {
        simulation.step();
    }
}

/// The fastest of several runs under each condition, so that other programs disturb it least; in turn, so that all meet the same disturbances.
fn in_turn<const N: usize>(
    simulation: &mut Simulation,
    conditions: [Condition; N],
    frames: u64,
) -> [Timing; N] {
    let count = frames.clamp(RUNS, MOST_RUNS);
    let run = |simulation: &mut Simulation, condition: Condition| {
        set_isa(simulation, condition.isa);
        let mut wind = Vec::new();
        if condition.calm {
            wind = std::mem::take(&mut simulation.world_mut().fields);
        }
        let timing = Timing::run(simulation, frames.div_ceil(count).max(1));
        if condition.calm {
            simulation.world_mut().fields = wind;
        }
        timing
    };
    let mut best = conditions.map(|condition| run(simulation, condition));
    for _ in 1..count {
        for (best, condition) in best.iter_mut().zip(conditions) {
            let timing = run(simulation, condition);
            if timing.total < best.total {
                *best = timing;
            }
        }
    }
    best
}

/// The fastest of several runs.
pub struct Timing {
    pub threads: usize,
    pub report: StepReport,
    /// Of all steps, with what lies between the stages.
    total: Duration,
}

impl Timing {
    /// As the simulation is, after a warm-up.
    pub fn of(simulation: &mut Simulation, frames: u64) -> Self {
        warm_up(simulation, frames);
        let isa = simulation.world().trees()[0].isa();
        let [timing] = in_turn(simulation, [Condition { isa, calm: false }], frames);
        timing
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
    pub fn step_secs(&self) -> f64 {
        self.total.as_secs_f64() / self.report.steps as f64
    }

    /// Stage, time per body and step in ns, and how many bodies that makes per second.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, f64, f64)> {
        let stages = self.report.times.named().into_iter();
        let all = stages.chain([("total", self.total)]);
        all.map(|(name, time)| self.row(name, time))
    }

    fn row(&self, name: &'static str, time: Duration) -> (&'static str, f64, f64) {
        let seconds = time.as_secs_f64() / self.report.bodies as f64;
        let rate = if seconds > 0.0 {
            1.0 / seconds
        } else {
            f64::INFINITY
        };
        (name, seconds * 1e9, rate)
    }

    /// Of a step, ns per body.
    pub fn body_ns(&self) -> f64 {
        self.row("total", self.total).1
    }
}

/// Time of a step of the plain reference from where the simulation is, s: the fastest of several frames. Springs of leaves are those of the trees, or others.
fn plain_secs(simulation: &mut Simulation, springs: Option<LeafSprings>, frames: u64) -> f64 {
    let world = simulation.world_mut();
    let mut trees: Vec<PlainTree> = world.trees().iter().map(PlainTree::of).collect();
    if let Some(springs) = springs {
        for tree in &mut trees {
            tree.set_leaf_springs(springs);
        }
    }
    let (mut seconds, dt) = (world.seconds(), world.frame_secs());
    let mut best = f64::INFINITY;
    for _ in 0..frames.clamp(3, MOST_RUNS / 2) {
        let start = Instant::now();
        let mut steps = 0;
        for tree in &mut trees {
            steps = tree.frame(world.gravity, &mut world.fields, seconds, dt);
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(steps));
        seconds += dt;
    }
    best
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
