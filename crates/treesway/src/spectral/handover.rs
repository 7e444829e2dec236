//! From simulated to spectral motion and back: near trees are simulated, far ones are not, and nobody sees where that changes.
//!
//! A [`Recording`] of some seconds of a tree, by whatever solver, tells how far each branch is held, how far it swings about that, and how fast; a [`Fit`] of it gives the
//! branches of the spectral tree the same. Frequencies are those of the motion as a whole, f² = ∫ f² S / ∫ S, which is σ(Ȧ)/(2π σ(A)) and needs no peak to be found in a few
//! seconds; f_h follows from what the spectrum (15) of its level has of the same.

use super::deform::v3;
use super::hierarchy::{Homes, SpectralTree};
use super::model::SpectralBranch;
use super::settings::SpectralSettings;
use super::spectrum::Response;
use super::texture::pace;
use super::wind::SpectralWind;
use crate::desc::BodyId;
use crate::math::{Quaternion, V3};
use crate::params::Solver;
use crate::tree::Tree;
use crate::world::World;
use glam::Vec3;

/// How one branch moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BranchMotion {
    /// Mean of its tip along r and s, in its lengths.
    pub mean: [f32; 2],
    /// Standard deviation about it.
    pub deviation: [f32; 2],
    /// Of the motion as a whole, Hz.
    pub frequency: f32,
}

impl BranchMotion {
    /// Both directions together.
    pub fn swing(&self) -> f32 {
        let [r, s] = self.deviation;
        (0.5 * (r * r + s * s)).sqrt()
    }
}

/// Sums over the frames of a tree.
#[derive(Clone, Debug)]
pub struct Recording {
    frame_secs: f64,
    probes: Vec<Probe>,
    frames: u32,
}

/// Where a branch is looked at, and what was seen there.
#[derive(Clone, Debug)]
struct Probe {
    /// A segment in its outer half, and the one that carries the branch.
    body: BodyId,
    carrier: Option<BodyId>,
    rest: [Quaternion<f32>; 2],
    axes: [V3<f32>; 3],
    /// u′ there.
    slope: f64,
    last: [f64; 2],
    sum: [f64; 2],
    squares: [f64; 2],
    /// Of differences from frame to frame.
    steps: f64,
}

/// Where along a branch it is looked at: its tip is too light to stand for it.
const LOOKED_AT: f32 = 0.7;

impl Recording {
    /// Of a tree whose branches are those of `spectral`, frames of so many seconds.
    pub fn new(tree: &Tree, spectral: &SpectralTree, frame_secs: f64) -> Self {
        let home = Homes::of(tree);
        let list = &spectral.model.branches;
        let mut best: Vec<Option<(f32, BodyId)>> = vec![None; list.len()];
        let mut carriers: Vec<Option<BodyId>> = vec![None; list.len()];
        let middle = |id: BodyId| {
            let (p, q) = home.poses[id.index()];
            let half = V3 {
                x: 0.0,
                y: 0.0,
                z: 0.5 * tree.body(id).length,
            };
            Vec3::from(p + q.rotate(half))
        };
        for id in tree.ids().filter(|id| spectral.bodies[id.index()].along) {
            let branch = spectral.bodies[id.index()].at.branch;
            let off = (spectral.model.along(branch, middle(id)).x - LOOKED_AT).abs();
            let b = branch as usize;
            if best[b].is_none() {
                carriers[b] = tree.parent_of(id);
            }
            if best[b].is_none_or(|(least, _)| off < least) {
                best[b] = Some((off, id));
            }
        }
        let probe =
            |branch: &SpectralBranch, best: Option<(f32, BodyId)>, carrier: Option<BodyId>| {
                let body = best.map_or(BodyId(0), |b| b.1);
                let x = spectral
                    .model
                    .along(spectral.bodies[body.index()].at.branch, middle(body))
                    .x;
                let rest = |id: BodyId| home.poses[id.index()].1;
                let (axis, side) = (v3(branch.axis), v3(branch.side));
                Probe {
                    body,
                    carrier,
                    rest: [rest(body), carrier.map_or(Quaternion::identity(), rest)],
                    axes: [axis, side, axis.cross(side)],
                    slope: f64::from(super::beam::bent([branch.c2, branch.c4], x).1).max(1e-3),
                    last: [0.0; 2],
                    sum: [0.0; 2],
                    squares: [0.0; 2],
                    steps: 0.0,
                }
            };
        let probes = list
            .iter()
            .zip(best)
            .zip(carriers)
            .map(|((branch, best), carrier)| probe(branch, best, carrier))
            .collect();
        Self {
            frame_secs,
            probes,
            frames: 0,
        }
    }

    /// Adds the tree as it is now.
    pub fn add(&mut self, tree: &Tree) {
        let anchor = tree.anchor.rotation.narrow();
        let first = self.frames == 0;
        for probe in &mut self.probes {
            let turned = |id: BodyId, rest: Quaternion<f32>| {
                let (block, slot) = tree.slot(id);
                block.frame(slot).rotation.times(rest.conjugate())
            };
            let below = probe.carrier.map_or(anchor, |c| turned(c, probe.rest[1]));
            let turn = below.conjugate().times(turned(probe.body, probe.rest[0]));
            let [axis, side, other] = probe.axes;
            let along = turn.rotate(axis);
            let straight = f64::from(along.dot(axis)).max(0.05);
            let away = [side, other].map(|d| f64::from(along.dot(d)) / (straight * probe.slope));
            for (k, away) in away.into_iter().enumerate() {
                probe.sum[k] += away;
                probe.squares[k] += away * away;
                if !first {
                    let step = away - probe.last[k];
                    probe.steps += step * step;
                }
            }
            probe.last = away;
        }
        self.frames += 1;
    }

    /// What was seen of every branch.
    pub fn motions(&self) -> Vec<BranchMotion> {
        let n = f64::from(self.frames.max(2));
        let of = |probe: &Probe| {
            let mean = probe.sum.map(|s| s / n);
            let variance = [0, 1].map(|k| (probe.squares[k] / n - mean[k] * mean[k]).max(0.0));
            let total = variance[0] + variance[1];
            // A wave of f Hz steps by 2 sin(π f h) of itself.
            let step = libm::sqrt(probe.steps / (n - 1.0) / total.max(1e-30));
            let frequency =
                libm::asin((0.5 * step).min(1.0)) / (core::f64::consts::PI * self.frame_secs);
            BranchMotion {
                mean: mean.map(|m| m as f32),
                deviation: variance.map(|v| libm::sqrt(v) as f32),
                frequency: frequency as f32,
            }
        };
        self.probes.iter().map(of).collect()
    }
}

/// What the branches of a spectral tree take over from a simulated one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fit {
    /// Of every branch.
    pub motions: Vec<BranchMotion>,
    /// The wind that they were seen in, in the anchor's space.
    pub wind: SpectralWind,
}

impl Fit {
    /// Gives the branches of a model of the same tree this motion; in another wind it goes with the square of the speed.
    pub(super) fn apply(
        &self,
        tree: &mut SpectralTree,
        wind: &SpectralWind,
        settings: &SpectralSettings,
    ) {
        if self.motions.len() != tree.model.branches.len() {
            return; // Other levels were chosen since.
        }
        let [then, now] = [&self.wind, wind].map(|w| w.velocity.length());
        let stronger = (now / then.max(0.1)).powi(2);
        let was = V3::from(self.wind.velocity) * (1.0 / then.max(1e-6));
        let model = &mut tree.model;
        let ratios: Vec<f64> = model
            .levels
            .iter()
            .map(|level| {
                let response = Response {
                    frequency: level.frequency,
                    damping_ratio: level.damping_ratio,
                    wind_speed: now.into(),
                    gust_length: settings.gust_length_in(wind),
                    sail: level.sail,
                };
                response.mean_frequency() / response.frequency
            })
            .collect();
        for (i, motion) in self.motions.iter().enumerate() {
            let branch = &mut model.branches[i];
            branch.amplitude = motion.deviation.map(|d| (d * stronger).min(0.5));
            let (axis, side) = (v3(branch.axis), v3(branch.side));
            let across = [side.dot(was), axis.cross(side).dot(was)];
            let length = across[0] * across[0] + across[1] * across[1];
            if length > 0.05 {
                // Least squares of both directions.
                let held = (motion.mean[0] * across[0] + motion.mean[1] * across[1]) / length;
                branch.push = (held * stronger).clamp(-1.0, 1.0);
            }
            if motion.frequency > 0.0 && motion.swing() > 1e-7 {
                let f_h =
                    (f64::from(motion.frequency) / ratios[branch.layer as usize]).clamp(0.05, 20.0);
                let heading = branch.motion.map(f64::from);
                let speed = libm::sqrt(heading[0] * heading[0] + heading[1] * heading[1]);
                branch.motion =
                    heading.map(|m| (m / speed * pace(f_h, settings.texture_size)) as f32);
                model.frequencies[i] = f_h as f32;
            }
        }
    }
}

/// How alike two motions of the branches of a level are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LevelMatch {
    /// Branches that were compared: those that move at all.
    pub branches: u32,
    /// Root of the mean square of the swing of the one and of the other, in lengths of the branches.
    pub swing: [f32; 2],
    /// Mean frequency of the one and of the other (geometric), Hz.
    pub frequency: [f32; 2],
    /// Correlation of the logarithms of their swings over branches.
    pub correlation: f32,
}

/// Level by level, how alike the motions of the same branches are.
pub fn matches(
    branches: &[SpectralBranch],
    one: &[BranchMotion],
    other: &[BranchMotion],
) -> Vec<LevelMatch> {
    let levels = branches
        .iter()
        .map(|b| b.layer as usize + 1)
        .max()
        .unwrap_or(0);
    let of = |level: usize| {
        let pairs = branches.iter().zip(one.iter().zip(other));
        let both: Vec<(&BranchMotion, &BranchMotion)> = pairs
            .filter(|(b, (x, y))| b.layer as usize == level && x.swing() > 1e-7 && y.swing() > 1e-7)
            .map(|(_, pair)| pair)
            .collect();
        let n = both.len().max(1) as f64;
        let mean = |f: &dyn Fn(&(&BranchMotion, &BranchMotion)) -> f64| {
            both.iter().map(f).sum::<f64>() / n
        };
        let log = |m: &BranchMotion| libm::log(m.swing().into());
        let (mx, my) = (mean(&|p| log(p.0)), mean(&|p| log(p.1)));
        let xy = mean(&|p| (log(p.0) - mx) * (log(p.1) - my));
        let (xx, yy) = (
            mean(&|p| (log(p.0) - mx).powi(2)),
            mean(&|p| (log(p.1) - my).powi(2)),
        );
        let square = |m: &BranchMotion| f64::from(m.swing()).powi(2);
        let pace = |m: &BranchMotion| libm::log(f64::from(m.frequency).max(1e-3));
        LevelMatch {
            branches: both.len() as u32,
            swing: [
                libm::sqrt(mean(&|p| square(p.0))) as f32,
                libm::sqrt(mean(&|p| square(p.1))) as f32,
            ],
            frequency: [
                libm::exp(mean(&|p| pace(p.0))) as f32,
                libm::exp(mean(&|p| pace(p.1))) as f32,
            ],
            correlation: (xy / libm::sqrt(xx * yy).max(1e-30)) as f32,
        }
    };
    (0..levels).map(of).collect()
}

impl Tree {
    /// Lets it move as recorded when it moves by the spectral solver; none: as its wood and the wind say.
    pub fn set_spectral_fit(&mut self, fit: Option<Fit>) {
        self.spectral_fit = fit;
        self.spectral = None;
    }
}

impl World {
    /// Near trees are simulated by `near`, those farther than `distance` m from `eye` move by themselves; within a tenth beyond it a tree stays as it is, so that
    /// a camera that hovers there changes nothing. Returns how many changed.
    pub fn hand_over(&mut self, eye: Vec3, distance: f32, near: Solver) -> usize {
        let mut changed = 0;
        for tree in self.trees_mut() {
            let away = (Vec3::from(tree.anchor.position.narrow()) - eye).length();
            let solver = match tree.settings().solver {
                Solver::Spectral if away < distance => near,
                now if now != Solver::Spectral && away > 1.1 * distance => Solver::Spectral,
                _ => continue,
            };
            tree.set_solver(solver);
            changed += 1;
        }
        changed
    }
}
