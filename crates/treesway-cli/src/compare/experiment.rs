//! Two experiments on a tree: it sags, and it is let go from its first mode.

use crate::arguments::Contender;
use crate::run;
use anyhow::{Result, bail, ensure};
use std::time::Instant;
use treesway::glam::Vec3;
use treesway::{BodyId, BodyKind, DampingRatio, GravityPose, Mode, Solver, Tree, World};

/// Frames per second of both experiments.
const FPS: f64 = 30.0;
/// Periods of the first mode that the released tree is watched.
const PERIODS: f64 = 6.0;
/// Most substeps that are tried for forward Euler.
const MOST_SUBSTEPS: u32 = 1 << 20;

/// A tree to experiment on.
pub struct Subject {
    tree: Tree,
    mode: Mode,
    gravity: Vec3,
    /// The segment whose end is farthest from the root.
    tip: BodyId,
}

/// What a solver makes of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub substeps: u32,
    /// How far the tip sinks from the unloaded pose to rest, m.
    pub sag_m: f64,
    /// Undamped, from the first passage through rest of the released tree.
    pub frequency_hz: f64,
    /// From the decay of its swings along the mode.
    pub damping_ratio: f64,
    /// Share of the energy left after the watched periods.
    pub energy_kept: f64,
    pub ms_per_frame: f64,
    /// Of the tip of the released tree, a point per frame, m.
    path: Vec<Vec3>,
}

impl Outcome {
    /// Largest distance from another path over the largest swing of that.
    pub fn path_error(&self, reference: &Self) -> f64 {
        let middle =
            reference.path.iter().fold(Vec3::ZERO, |s, p| s + *p) / reference.path.len() as f32;
        let swing = reference
            .path
            .iter()
            .map(|p| p.distance(middle))
            .fold(f32::MIN_POSITIVE, f32::max);
        let apart = self
            .path
            .iter()
            .zip(&reference.path)
            .map(|(a, b)| a.distance(*b))
            .fold(0.0, f32::max);
        f64::from(apart / swing)
    }
}

impl Subject {
    pub fn new(tree: Tree, gravity: Vec3) -> Self {
        let mode = tree.modes(1).remove(0);
        let root = tree.pose(BodyId(0)).position;
        let wood = tree
            .ids()
            .filter(|&id| tree.body(id).kind == BodyKind::Segment);
        let far = |id: &BodyId| tree.tip(*id).distance(root);
        let tip = wood
            .max_by(|a, b| far(a).total_cmp(&far(b)))
            .unwrap_or(BodyId(0));
        Self {
            tree,
            mode,
            gravity,
            tip,
        }
    }

    /// What `settings.inertia_scale` of the calibrated solver is.
    pub fn inertia_scale(&self) -> f32 {
        self.tree.analytic_inertia_scale()
    }

    pub fn frequency_hz(&self) -> f64 {
        self.mode.frequency_hz
    }

    /// Both experiments with one solver.
    pub fn run(&self, contender: Contender) -> Result<Outcome> {
        let mut tree = self.tree.clone();
        let mut settings = tree.settings().clone();
        settings.least_damping_ratio = 0.0;
        let period = 1.0 / self.mode.frequency_hz;
        match contender {
            Contender::Analytic => (settings.solver, settings.substeps) = (Solver::Analytic, 1),
            Contender::Calibrated => {
                (settings.solver, settings.substeps) = (Solver::Analytic, 1);
                settings.inertia_scale = self.inertia_scale();
            }
            Contender::Coupled => (settings.solver, settings.substeps) = (Solver::Coupled, 2),
            Contender::Explicit => {
                (settings.solver, settings.substeps) =
                    (Solver::Explicit, self.explicit_substeps()?);
            }
            Contender::Reference => {
                settings.solver = Solver::Coupled;
                settings.substeps = (400.0 / (period * FPS)).ceil().max(20.0) as u32;
                settings.velocity_products = true;
                settings.rho_infinity = 1.0;
            }
        }
        let substeps = settings.substeps;
        tree.set_settings(settings)?;
        let damped = self.release(&tree, 1.0)?;
        let frequency_hz = match contender {
            // Without damping forward Euler is never stable: the passage of a damped swing, corrected.
            Contender::Explicit => first_passage_hz(&damped.swing, self.mode.damping_ratio),
            _ => first_passage_hz(&self.release(&tree, 0.0)?.swing, 0.0),
        };
        Ok(Outcome {
            substeps,
            sag_m: self.sag(&tree)?,
            frequency_hz,
            damping_ratio: decay(&damped.swing),
            energy_kept: damped.energy_kept,
            ms_per_frame: damped.ms_per_frame,
            path: damped.path,
        })
    }

    /// The tree with damping of this share of critical in its first mode, in its unloaded pose.
    fn unloaded(&self, tree: &Tree, zeta: f32) -> Result<Tree> {
        let mut tree = tree.clone();
        let mut params = tree.params().clone();
        params.gravity_pose = GravityPose::Unloaded;
        if zeta > 0.0 {
            params.damping_ratio = Some(DampingRatio {
                zeta,
                range_hz: None,
            });
        }
        tree.set_params(params)?;
        Ok(tree)
    }

    /// How far the tip sinks under gravity once it has come to rest, m.
    fn sag(&self, tree: &Tree) -> Result<f64> {
        // Forward Euler is stable with the tree's own damping, for which its substeps were found.
        let explicit = tree.settings().solver == Solver::Explicit;
        let tree = self.unloaded(tree, if explicit { 0.0 } else { 0.7 })?;
        let (mut world, id) = (World::new(1.0 / FPS), tree.tip(self.tip));
        world.gravity = self.gravity;
        let tree = world.add(tree);
        let periods = if explicit { 4.0 } else { 10.0 };
        // An underdamped tree is at rest on average: the mean over the last whole periods.
        let mut heights = Vec::new();
        while world.seconds() < periods / self.mode.frequency_hz {
            ensure!(!run::interrupted(), "interrupted");
            world.step();
            heights.push(f64::from(world.tree(tree).tip(self.tip).y));
        }
        let from = if explicit {
            heights.len() / 2
        } else {
            heights.len() - 1
        };
        let mean = heights[from..].iter().sum::<f64>() / (heights.len() - from) as f64;
        Ok(f64::from(id.y) - mean)
    }

    /// Lets the tree go from its first mode without gravity, its damping times `damping`, and watches it.
    fn release(&self, tree: &Tree, damping: f32) -> Result<Watched> {
        let mut tree = self.unloaded(tree, 0.0)?;
        let mut params = tree.params().clone();
        params.multipliers.branch_damping *= damping;
        params.multipliers.leaf_damping *= damping;
        tree.set_params(params)?;
        let reach = tree.tip(self.tip).distance(tree.pose(BodyId(0)).position);
        let amplitude = 0.02 * reach;
        for id in tree.ids() {
            tree.set_joint(id, self.mode.turns[id.index()] * amplitude, Vec3::ZERO);
        }
        tree.settle_world();
        let weights: Vec<Vec3> = tree
            .ids()
            .map(|id| tree.body(id).stiffness * self.mode.turns[id.index()])
            .collect();
        let along = |tree: &Tree| -> f64 {
            let turns = tree.ids().map(|id| tree.body(id).theta).zip(&weights);
            turns.map(|(theta, w)| f64::from(theta.dot(*w))).sum()
        };
        let mut world = World::new(1.0 / FPS);
        world.gravity = Vec3::ZERO;
        let start_energy = tree.energy(Vec3::ZERO).total();
        let tree = world.add(tree);
        let mut swing = vec![along(world.tree(tree))];
        let mut path = vec![world.tree(tree).tip(self.tip)];
        let start = Instant::now();
        while world.seconds() < PERIODS / self.mode.frequency_hz {
            ensure!(!run::interrupted(), "interrupted");
            world.step();
            swing.push(along(world.tree(tree)));
            path.push(world.tree(tree).tip(self.tip));
        }
        let frames = (path.len() - 1) as f64;
        Ok(Watched {
            energy_kept: world.tree(tree).energy(Vec3::ZERO).total() / start_energy,
            ms_per_frame: start.elapsed().as_secs_f64() * 1e3 / frames,
            swing,
            path,
        })
    }

    /// The fewest substeps, to a power of two, with which forward Euler stays bounded while the tree sags.
    pub fn explicit_substeps(&self) -> Result<u32> {
        let mut substeps = 1;
        while substeps <= MOST_SUBSTEPS {
            ensure!(!run::interrupted(), "interrupted");
            if self.explicit_holds(substeps)? {
                return Ok(substeps);
            }
            substeps *= 2;
        }
        bail!("forward Euler needs more than {MOST_SUBSTEPS} substeps per frame for this tree")
    }

    fn explicit_holds(&self, substeps: u32) -> Result<bool> {
        let mut tree = self.unloaded(&self.tree, 0.0)?;
        let mut settings = tree.settings().clone();
        (settings.solver, settings.substeps) = (Solver::Explicit, substeps);
        tree.set_settings(settings)?;
        let mut world = World::new(1.0 / FPS);
        world.gravity = self.gravity;
        world.add(tree);
        // Growth shows within a few frames: errors multiply every substep.
        let frames = (2000 / substeps).clamp(6, 60);
        Ok((0..frames).all(|_| {
            let report = world.step();
            report.healed == 0 && report.limited == 0
        }))
    }
}

/// What is seen of a tree that was let go, a value per frame.
struct Watched {
    /// Along the first mode.
    swing: Vec<f64>,
    /// Of the tip, m.
    path: Vec<Vec3>,
    energy_kept: f64,
    ms_per_frame: f64,
}

/// Undamped frequency from the first passage through rest, Hz: a swing damped by `zeta` passes after (π/2 + asin ζ)/ω_d.
fn first_passage_hz(swing: &[f64], zeta: f64) -> f64 {
    let Some(after) = swing.iter().position(|&s| s <= 0.0) else {
        return 0.0;
    };
    if after == 0 {
        return 0.0;
    }
    // A cosine is known by two samples around its zero: s = cos φ, where φ advances evenly.
    let scale = swing[0];
    let phase = |i: usize| (swing[i] / scale).clamp(-1.0, 1.0).acos();
    let (a, b) = (phase(after - 1), phase(after));
    let quarter = std::f64::consts::FRAC_PI_2;
    let passage = (after - 1) as f64 + if b > a { (quarter - a) / (b - a) } else { 0.5 };
    let late = 1.0 + zeta.asin() / quarter;
    FPS / (4.0 * passage) * late / (1.0 - zeta * zeta).sqrt()
}

/// Share of critical damping from the largest swings of the first and the last third.
fn decay(swing: &[f64]) -> f64 {
    let third = swing.len() / 3;
    let largest = |part: &[f64]| part.iter().fold(f64::MIN_POSITIVE, |m, s| m.max(s.abs()));
    let (early, late) = (
        largest(&swing[..third]),
        largest(&swing[swing.len() - third..]),
    );
    let per_period = (early / late).ln() / (PERIODS * 2.0 / 3.0);
    (per_period / std::f64::consts::TAU).max(0.0)
}
