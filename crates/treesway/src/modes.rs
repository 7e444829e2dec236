//! Natural frequencies, damping ratios and shapes of a tree from its linearised coupled model.
//!
//! Small joint turns q about the given pose obey M q̈ + (α M + β K) q̇ + K q = 0 with K diagonal, so that with y = K^½ q
//!
//!   N y = ω⁻² y,   N = K^(−½) M K^(−½).
//!
//! The slowest sways are the *largest* eigenvalues of N, which a Krylov method finds first, without factoring anything: M times a vector is
//! one sweep down (accelerations) and one up (forces), O(bodies). A block of several start vectors finds the near-equal pairs
//! in which a round branch sways. Modes are those of the tree without gravity.

use crate::analytic::composite::Composite;
use crate::block::Block;
use crate::desc::BodyId;
use crate::math::{Matrix3, Sym3, V3};
use crate::root::RootKind;
use crate::tree::Tree;
use glam::Vec3;
use rayon::prelude::*;

/// One way in which a tree sways.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Hz, undamped.
    pub frequency_hz: f64,
    /// Share of critical damping.
    pub damping_ratio: f64,
    /// How well the frequency is known, relative: the residual of the eigenvalue.
    pub residual: f64,
    /// Turn of every joint in its joint frame, rad, in id order, scaled so that the point that moves most moves by 1 m.
    pub turns: Vec<Vec3>,
}

/// A body in the given pose, world axes, about its joint.
#[derive(Clone, Copy)]
struct Part {
    parent: u32,
    arm: V3<f64>,
    mass: f64,
    moment: V3<f64>,
    inertia: Sym3<f64>,
    /// World from joint frame.
    turn: Matrix3<f64>,
    /// K^(−½); zero for a joint that does not turn.
    soft: V3<f64>,
    beta: f64,
}

/// The linearised tree: parts in id order, parents before children.
pub(crate) struct Linearised {
    parts: Vec<Part>,
    alpha: f64,
}

impl Linearised {
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut rotations = Vec::with_capacity(tree.len());
        let parts = tree
            .ids()
            .map(|id| part(tree, id, &mut rotations))
            .collect();
        Self {
            parts,
            alpha: tree.rayleigh_alpha().into(),
        }
    }

    /// M q in joint frames, by one sweep down and one up. `q` and the result hold three numbers per body.
    fn mass_times(&self, q: &[f64], motion: &mut [(V3<f64>, V3<f64>)], result: &mut [f64]) {
        for (i, p) in self.parts.iter().enumerate() {
            let (alpha, a) = match p.parent {
                u32::MAX => (V3::zero(), V3::zero()),
                parent => {
                    let (alpha, a) = motion[parent as usize];
                    (alpha, a + alpha.cross(p.arm))
                }
            };
            motion[i] = (
                alpha
                    + p.turn.apply(V3 {
                        x: q[3 * i],
                        y: q[3 * i + 1],
                        z: q[3 * i + 2],
                    }),
                a,
            );
        }
        // From here on `motion` turns into (moment, force) of each subtree, tips first.
        for (m, p) in motion.iter_mut().zip(&self.parts) {
            let (alpha, a) = *m;
            *m = (
                p.inertia.apply(alpha) + p.moment.cross(a),
                a * p.mass + alpha.cross(p.moment),
            );
        }
        for i in (0..self.parts.len()).rev() {
            let p = &self.parts[i];
            let (moment, force) = motion[i];
            let torque = p.turn.apply_transposed(moment);
            result[3 * i..3 * i + 3].copy_from_slice(&[torque.x, torque.y, torque.z]);
            if p.parent != u32::MAX {
                let below = &mut motion[p.parent as usize];
                below.0 += moment + p.arm.cross(force);
                below.1 += force;
            }
        }
    }

    /// Multiplies by K^(−½).
    fn soften(&self, v: &mut [f64]) {
        for (v, p) in v.chunks_exact_mut(3).zip(&self.parts) {
            v[0] *= p.soft.x;
            v[1] *= p.soft.y;
            v[2] *= p.soft.z;
        }
    }

    /// N y.
    fn apply(&self, y: &[f64], work: &mut Workspace, result: &mut [f64]) {
        work.q.copy_from_slice(y);
        self.soften(&mut work.q);
        self.mass_times(&work.q, &mut work.motion, result);
        self.soften(result);
    }

    fn workspace(&self) -> Workspace {
        Workspace {
            q: vec![0.0; self.size()],
            motion: vec![(V3::zero(), V3::zero()); self.parts.len()],
        }
    }

    fn size(&self) -> usize {
        3 * self.parts.len()
    }

    /// K^(−½) times the joint torques of a uniform acceleration of the ground: the shape into which wind or a shake bends the tree.
    fn pushed(&self, direction: V3<f64>) -> Vec<f64> {
        let mut moments = vec![(V3::zero(), V3::zero()); self.parts.len()];
        let mut y = vec![0.0; self.size()];
        for i in (0..self.parts.len()).rev() {
            let p = &self.parts[i];
            moments[i].0 += p.moment.cross(direction);
            moments[i].1 += direction * p.mass;
            let (moment, force) = moments[i];
            let torque = p.turn.apply_transposed(moment);
            y[3 * i..3 * i + 3].copy_from_slice(&[torque.x, torque.y, torque.z]);
            if p.parent != u32::MAX {
                let below = &mut moments[p.parent as usize];
                below.0 += moment + p.arm.cross(force);
                below.1 += force;
            }
        }
        self.soften(&mut y);
        y
    }

    fn modes(&self, count: usize) -> Vec<Mode> {
        Krylov::new(self, count.min(self.size())).run()
    }

    /// The slowest frequency, Hz.
    pub(crate) fn first_frequency(&self) -> f64 {
        self.modes(1).first().map_or(0.0, |m| m.frequency_hz)
    }

    /// Frequency, damping and shape of an eigenvector.
    fn mode(&self, value: f64, y: &[f64], residual: f64) -> Mode {
        let omega = 1.0 / value.sqrt();
        // yᵀ y = qᵀ K q and qᵀ M q = value·yᵀ y.
        let damped: f64 = self
            .parts
            .iter()
            .zip(y.chunks_exact(3))
            .map(|(p, y)| p.beta * dot(y, y))
            .sum();
        let damping_ratio = 0.5 * self.alpha / omega + 0.5 * omega * damped / dot(y, y);
        let mut q = y.to_vec();
        self.soften(&mut q);
        let scale = 1.0 / self.largest_displacement(&q);
        let turns = q.chunks_exact(3).map(|q| {
            Vec3::new(
                (q[0] * scale) as f32,
                (q[1] * scale) as f32,
                (q[2] * scale) as f32,
            )
        });
        Mode {
            frequency_hz: omega / core::f64::consts::TAU,
            damping_ratio,
            residual,
            turns: turns.collect(),
        }
    }

    /// How far the centre of mass that moves most moves, m.
    fn largest_displacement(&self, q: &[f64]) -> f64 {
        let mut motion: Vec<(V3<f64>, V3<f64>)> = Vec::with_capacity(self.parts.len());
        let mut largest = f64::MIN_POSITIVE;
        for (p, q) in self.parts.iter().zip(q.chunks_exact(3)) {
            let (phi, x) = match p.parent {
                u32::MAX => (V3::zero(), V3::zero()),
                parent => {
                    let (phi, x) = motion[parent as usize];
                    (phi, x + phi.cross(p.arm))
                }
            };
            let phi = phi
                + p.turn.apply(V3 {
                    x: q[0],
                    y: q[1],
                    z: q[2],
                });
            largest = largest.max((x + phi.cross(p.moment * (1.0 / p.mass))).length());
            motion.push((phi, x));
        }
        largest
    }
}

impl Tree {
    /// The factor on joint inertia ([`crate::SolverSettings::inertia_scale`]) with which the analytic solver sways at the tree's true first
    /// frequency.
    ///
    /// There each joint swings on its own with ω_j² = nᵀ K n / nᵀ Ĩ n along its share n of the first mode φ, so that the mode, let go, is
    /// found again with s(t) = Σ φ_jᵀ K φ_j cos ω_j t. Inertia times c stretches time by √c; c makes the first zero of s(t) fall on
    /// a quarter of the true period.
    pub fn analytic_inertia_scale(&self) -> f32 {
        let linear = Linearised::of(self);
        let Some(mode) = linear.modes(1).pop() else {
            return 1.0;
        };
        let swings: Vec<(f64, f64)> = linear.swings(&mode);
        let signal = |t: f64| {
            swings
                .iter()
                .map(|(w, omega)| w * libm::cos(omega * t))
                .sum::<f64>()
        };
        let quarter = 0.25 / mode.frequency_hz;
        // The fastest joint that counts bounds the search from below, the true period from above (the solver is too fast).
        let steps = 4000;
        let at = |i: usize| 2.0 * quarter * i as f64 / steps as f64;
        let Some(first) = (1..=steps).find(|&i| signal(at(i)) <= 0.0) else {
            return 1.0;
        };
        let (mut low, mut high) = (at(first - 1), at(first));
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if signal(middle) > 0.0 {
                low = middle
            } else {
                high = middle
            }
        }
        ((quarter / low) * (quarter / low)) as f32
    }
}

impl Linearised {
    /// (φᵀ K φ, ω_j) of every joint in a mode.
    fn swings(&self, mode: &Mode) -> Vec<(f64, f64)> {
        let mut whole: Vec<Composite<f64>> = Vec::with_capacity(self.parts.len());
        for p in &self.parts {
            whole.push(Composite {
                mass: p.mass,
                moment: p.moment,
                inertia: p.inertia,
                force: V3::zero(),
                torque: V3::zero(),
            });
        }
        for i in (0..self.parts.len()).rev() {
            let p = &self.parts[i];
            if p.parent != u32::MAX {
                let up = whole[i].shifted(p.arm);
                whole[p.parent as usize] = whole[p.parent as usize].joined(up);
            }
        }
        let joints = self.parts.iter().zip(&whole).zip(&mode.turns);
        joints
            .filter_map(|((p, whole), &turn)| {
                let phi = V3::from(turn).widen();
                let k = p.soft.map(|s| if s > 0.0 { 1.0 / (s * s) } else { 0.0 });
                let elastic = phi.dot(phi.times(k));
                let inertia = phi.dot(whole.inertia.congruent(p.turn).apply(phi));
                (elastic > 0.0).then(|| (elastic, (elastic / inertia).sqrt()))
            })
            .collect()
    }
}

/// In the given pose (θ = 0), whatever the tree does now.
fn part(tree: &Tree, id: BodyId, rotations: &mut Vec<crate::math::Quaternion<f64>>) -> Part {
    let (block, i): (&Block, usize) = tree.slot(id);
    let model = block.model(i);
    let parent = tree.parent_of(id);
    let below = parent.map_or(tree.anchor.rotation, |p| rotations[p.index()]);
    let rotation = below.times(model.joint_rotation.widen()).unit();
    rotations.push(rotation);
    let turn = rotation.matrix();
    // A body that has left weighs nothing, and its joint does not turn.
    let there = if tree.is_attached(id) { 1.0 } else { 0.0 };
    let mass = there * f64::from(model.mass);
    let turns = there > 0.0 && (parent.is_some() || tree.root_kind() == RootKind::Clamped);
    let stiffness = model.stiffness.widen();
    Part {
        parent: parent.map_or(u32::MAX, |p| p.0),
        arm: below.rotate(model.joint_in_parent()),
        mass,
        moment: turn.z * (mass * f64::from(model.com_z)),
        inertia: Sym3::rotated_diagonal(turn, model.inertia.widen() * there),
        turn,
        // A joint without a spring has no frequency: it is left out.
        soft: stiffness.map(|k| {
            if turns && k > 0.0 {
                1.0 / k.sqrt()
            } else {
                0.0
            }
        }),
        beta: model.beta.into(),
    }
}

struct Workspace {
    q: Vec<f64>,
    motion: Vec<(V3<f64>, V3<f64>)>,
}

impl Tree {
    /// The `count` slowest modes, slowest first. The cost is at most `40 + 14 count` sweeps over the tree.
    pub fn modes(&self, count: usize) -> Vec<Mode> {
        if count == 0 {
            return Vec::new();
        }
        Linearised::of(self).modes(count)
    }

    /// The slowest frequency, Hz.
    pub fn first_frequency(&self) -> f64 {
        Linearised::of(self).first_frequency()
    }
}

/// An orthonormal basis of the Krylov space, grown block by block, and N projected on it.
struct Krylov<'a> {
    linear: &'a Linearised,
    count: usize,
    basis: Vec<Vec<f64>>,
    /// Row i holds basisᵢᵀ N basisⱼ for j ≤ i.
    projected: Vec<Vec<f64>>,
    work: Workspace,
}

/// Vectors per block: two for the sideways pairs, two more for what sways as slowly.
const BLOCK: usize = 4;
/// An eigenvalue is found when a block changes it by less than this, relative. It converges as the square of its residual.
const FOUND: f64 = 1e-7;

impl<'a> Krylov<'a> {
    fn new(linear: &'a Linearised, count: usize) -> Self {
        Self {
            linear,
            count,
            basis: Vec::new(),
            projected: Vec::new(),
            work: linear.workspace(),
        }
    }

    fn run(mut self) -> Vec<Mode> {
        let axis = |x: f64, z: f64| V3 { x, y: 0.0, z };
        let mut next = vec![
            self.linear.pushed(axis(1.0, 0.0)),
            self.linear.pushed(axis(0.0, 1.0)),
        ];
        next.extend((0..BLOCK - 2).map(|k| scattered(self.linear.size(), k as u64)));
        let most = (40 + 14 * self.count).min(self.linear.size());
        let mut last: Vec<f64> = Vec::new();
        let mut look_at = BLOCK * 3;
        loop {
            next = self.extend(next);
            // The projected problem costs the cube of its size: look at it when it has grown by a quarter.
            if self.basis.len() < look_at.min(most) && !next.is_empty() {
                continue;
            }
            look_at = self.basis.len() * 5 / 4 + 1;
            let (values, vectors) = symmetric_eigen(self.dense());
            let there = values
                .iter()
                .take(self.count)
                .take_while(|&&v| v > 0.0)
                .count();
            let steady = last.len() >= there
                && (0..there).all(|k| (values[k] - last[k]).abs() < FOUND * values[k]);
            let done = steady && there == self.count;
            if done || next.is_empty() || self.basis.len() >= most {
                return (0..there)
                    .map(|k| self.mode(values[k], &vectors[k]))
                    .collect();
            }
            last = values;
        }
    }

    /// Orthonormalises the vectors against the basis, appends those that are independent, and returns their images under N.
    fn extend(&mut self, vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        let mut images = Vec::new();
        for mut v in vectors {
            let start = dot(&v, &v).sqrt();
            // Twice is enough (Kahan): the second pass removes what rounding left of the first.
            for _ in 0..2 {
                remove(&self.basis, &mut v);
            }
            let size = dot(&v, &v).sqrt();
            if size > 1e-10 * start && self.basis.len() < self.linear.size() {
                v.par_iter_mut().for_each(|v| *v /= size);
                let mut image = vec![0.0; v.len()];
                self.linear.apply(&v, &mut self.work, &mut image);
                self.basis.push(v);
                self.projected
                    .push(self.basis.par_iter().map(|b| dot(b, &image)).collect());
                images.push(image);
            }
        }
        images
    }

    fn dense(&self) -> Vec<Vec<f64>> {
        let m = self.basis.len();
        let entry = |i: usize, j: usize| self.projected[i.max(j)][i.min(j)];
        (0..m)
            .map(|i| (0..m).map(|j| entry(i, j)).collect())
            .collect()
    }

    /// The mode of an eigenpair of the projected problem, with its residual ‖N y − λ y‖/λ.
    fn mode(&mut self, value: f64, weights: &[f64]) -> Mode {
        let mut y = vec![0.0; self.linear.size()];
        add_sum(&self.basis, weights, &mut y);
        let mut image = vec![0.0; y.len()];
        self.linear.apply(&y, &mut self.work, &mut image);
        let off: f64 = image
            .iter()
            .zip(&y)
            .map(|(n, y)| (n - value * y) * (n - value * y))
            .sum();
        self.linear.mode(value, &y, off.sqrt() / value)
    }
}

/// Eight partial sums: one would wait for every addition.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a8, a_rest) = a.as_chunks::<8>();
    let (b8, b_rest) = b.as_chunks::<8>();
    for (a, b) in a8.iter().zip(b8) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// v − Σ b (b·v). Each product and each entry is one sum in one order, whatever the number of threads.
fn remove(basis: &[Vec<f64>], v: &mut [f64]) {
    let weights: Vec<f64> = basis.par_iter().map(|b| -dot(b, v)).collect();
    add_sum(basis, &weights, v);
}

/// v + Σ wᵢ bᵢ, in pieces that stay in the cache.
fn add_sum(basis: &[Vec<f64>], weights: &[f64], v: &mut [f64]) {
    const PIECE: usize = 4096;
    v.par_chunks_mut(PIECE).enumerate().for_each(|(k, piece)| {
        for (b, w) in basis.iter().zip(weights) {
            let part = &b[k * PIECE..k * PIECE + piece.len()];
            piece.iter_mut().zip(part).for_each(|(v, b)| *v += w * b);
        }
    });
}

/// A fixed start vector without structure (SplitMix64).
fn scattered(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..n)
        .map(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        })
        .collect()
}

/// Eigenvalues, largest first, and eigenvectors of a small dense symmetric matrix by cyclic Jacobi rotations.
fn symmetric_eigen(mut t: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = t.len();
    // Row k holds eigenvector k.
    let mut v: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect())
        .collect();
    for _ in 0..30 {
        let off: f64 = (0..n)
            .map(|i| t[i][..i].iter().map(|x| x * x).sum::<f64>())
            .sum();
        let diagonal: f64 = (0..n).map(|i| t[i][i] * t[i][i]).sum();
        if off <= 1e-30 * diagonal {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if t[p][q] == 0.0 {
                    continue;
                }
                let d = t[q][q] - t[p][p];
                let twice = 2.0 * t[p][q];
                let tangent = d.signum() * twice / (d.abs() + (d * d + twice * twice).sqrt());
                let c = 1.0 / (tangent * tangent + 1.0).sqrt();
                let s = tangent * c;
                for row in &mut t {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (low, high) = t.split_at_mut(q);
                rotate_rows(&mut low[p], &mut high[0], c, s);
                let (low, high) = v.split_at_mut(q);
                rotate_rows(&mut low[p], &mut high[0], c, s);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| t[b][b].total_cmp(&t[a][a]));
    (
        order.iter().map(|&i| t[i][i]).collect(),
        order.iter().map(|&i| v[i].clone()).collect(),
    )
}

fn rotate_rows(p: &mut [f64], q: &mut [f64], c: f64, s: f64) {
    for (p, q) in p.iter_mut().zip(q) {
        (*p, *q) = (c * *p - s * *q, s * *p + c * *q);
    }
}
