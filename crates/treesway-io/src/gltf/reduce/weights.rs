//! How much of each joint a bundle follows: the blend that takes it nearest to where it should go.
//!
//! After Le and Deng, *Smooth skinning decomposition with rigid bones*, 2012: weights w ≥ 0 with Σ w = 1, at most four of them, make
//! Σ |Σⱼ wⱼ xⱼ − y|² over frames least, where joint j alone takes the bundle to xⱼ. With residuals rⱼ = xⱼ − y that is wᵀ G w,
//! G = Σ rᵢ·rⱼ.

use super::motion::Motion;
use super::rigid::Rigid;
use crate::gltf::rig::INFLUENCES;
use treesway::glam::Vec3A;

/// Exchanges between two weights until a blend is taken as it is. Each is exact; a handful of joints settles in a few dozen.
const EXCHANGES: usize = 60;

/// Joints of a bundle and their shares.
pub(super) type Shares = Vec<(u16, f32)>;

/// The best blend of some of the `candidates`, the first of which it starts from.
pub(super) fn blend(
    motion: &Motion,
    bundle: usize,
    candidates: &[usize],
    joints: &[Vec<Rigid>],
) -> Shares {
    let gram = gram(motion, bundle, candidates, joints);
    let mut weights = vec![0.0; candidates.len()];
    weights[0] = 1.0;
    let all: Vec<usize> = (0..candidates.len()).collect();
    settle(&gram, &mut weights, &all);
    let mut order = all;
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    order.truncate(INFLUENCES);
    let kept: f64 = order.iter().map(|&i| weights[i]).sum();
    let mut fewer = vec![0.0; candidates.len()];
    for &i in &order {
        fewer[i] = weights[i] / kept;
    }
    settle(&gram, &mut fewer, &order);
    let used = order.iter().filter(|&&i| fewer[i] > 0.0);
    used.map(|&i| (candidates[i] as u16, fewer[i] as f32))
        .collect()
}

fn gram(
    motion: &Motion,
    bundle: usize,
    candidates: &[usize],
    joints: &[Vec<Rigid>],
) -> Vec<Vec<f64>> {
    let n = candidates.len();
    let rest = &motion.bundles[bundle].rest;
    // The products of axes are kept apart until the end: a sum across a register is slow.
    let mut products = vec![Vec3A::ZERO; n * n];
    let mut residuals = Vec::with_capacity(n);
    for (frame, wanted) in motion.wanted(bundle).iter().enumerate() {
        residuals.clear();
        residuals.extend(candidates.iter().map(|&c| {
            let moved = joints[c][frame].moved(rest);
            [0, 1, 2, 3].map(|k| moved[k] - wanted[k])
        }));
        for (i, (row, a)) in products.chunks_exact_mut(n).zip(&residuals).enumerate() {
            for (product, b) in row[i..].iter_mut().zip(&residuals[i..]) {
                *product += (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
            }
        }
    }
    let product = |i: usize, j: usize| f64::from(products[i.min(j) * n + i.max(j)].element_sum());
    (0..n)
        .map(|i| (0..n).map(|j| product(i, j)).collect())
        .collect()
}

/// Moves weight between the two of `among` that gain most from it, again and again.
fn settle(gram: &[Vec<f64>], weights: &mut [f64], among: &[usize]) {
    let mut slope: Vec<f64> = gram
        .iter()
        .map(|row| row.iter().zip(&*weights).map(|(g, w)| g * w).sum())
        .collect();
    for _ in 0..EXCHANGES {
        // From the steepest that has any weight to the least steep.
        let by_slope = |a: &&usize, b: &&usize| slope[**a].total_cmp(&slope[**b]);
        let give = among.iter().filter(|&&i| weights[i] > 0.0).max_by(by_slope);
        let (Some(&give), Some(&take)) = (give, among.iter().min_by(by_slope)) else {
            return;
        };
        let gain = slope[give] - slope[take];
        let bend = gram[give][give] + gram[take][take] - 2.0 * gram[give][take];
        if give == take || gain <= 1e-9 * slope[give].abs() || bend <= 0.0 {
            return;
        }
        let step = (gain / bend).min(weights[give]);
        weights[give] -= step;
        weights[take] += step;
        for (i, s) in slope.iter_mut().enumerate() {
            *s += step * (gram[i][take] - gram[i][give]);
        }
    }
}
