//! Which bundles share a joint: those that move alike.
//!
//! Clusters are split where bundles deviate most from their common rigid motion, many at a time, until there are enough; then bundles change to
//! the cluster that suits them best while clusters follow their bundles (Lloyd 1982; Linde, Buzo and Gray 1980).

use super::motion::Motion;
use super::rigid::Rigid;
use super::{GlbError, Watch};
use rayon::prelude::*;

/// Rounds in which two halves of a cluster settle.
const SPLIT_ROUNDS: usize = 3;

/// Rounds in which bundles change clusters.
const CHANGE_ROUNDS: usize = 10;

/// Clusters that a bundle may change to or be blended of: its own and those that move most alike.
const NEIGHBOURS: usize = 40;

/// Bundles with a common motion.
#[derive(Clone)]
pub(super) struct Cluster {
    /// Indices of bundles, ascending.
    pub(super) members: Vec<u32>,
    /// Frame by frame.
    pub(super) motion: Vec<Rigid>,
    /// Sum of squares, m².
    error: f64,
}

/// Groups all bundles into at most `count` clusters.
pub(super) fn clusters(
    motion: &Motion,
    count: usize,
    watch: Watch,
) -> Result<Vec<Cluster>, GlbError> {
    let all = (0..motion.bundles.len() as u32).collect();
    let mut clusters: Vec<_> = Cluster::new(motion, all).into_iter().collect();
    while split_worst(motion, &mut clusters, count) {
        watch.go_on(clusters.len() as f32 / count as f32 * 0.5)?;
    }
    for round in 0..CHANGE_ROUNDS {
        change(motion, &mut clusters);
        // In place of those that all have left.
        split_worst(motion, &mut clusters, count);
        watch.go_on(0.5 + 0.5 * (round + 1) as f32 / CHANGE_ROUNDS as f32)?;
    }
    Ok(clusters)
}

impl Cluster {
    fn new(motion: &Motion, members: Vec<u32>) -> Option<Self> {
        let fitted = motion.fit(&members)?;
        let errors = members
            .iter()
            .map(|&m| f64::from(motion.error(m as usize, &fitted)));
        Some(Self {
            error: errors.sum(),
            members,
            motion: fitted,
        })
    }

    /// The half that stays and the half around the bundle that deviates most.
    fn split(&self, motion: &Motion) -> Option<[Self; 2]> {
        let deviation = |m: u32| motion.error(m as usize, &self.motion);
        let worst = self.members.iter().copied().max_by(|&a, &b| {
            deviation(a).total_cmp(&deviation(b)).then(b.cmp(&a)) // of equals the first
        })?;
        let mut motions = [self.motion.clone(), motion.fit(&[worst])?];
        let mut halves = [Vec::new(), Vec::new()];
        for _ in 0..SPLIT_ROUNDS {
            halves = [Vec::new(), Vec::new()];
            for &m in &self.members {
                let [stay, go] = motions.each_ref().map(|j| motion.error(m as usize, j));
                halves[usize::from(go < stay)].push(m);
            }
            // One may be empty: all move alike.
            motions = [motion.fit(&halves[0])?, motion.fit(&halves[1])?];
        }
        let [stay, go] = halves.map(|half| Self::new(motion, half));
        Some([stay?, go?])
    }
}

/// Splits clusters with more than the mean error, up to `count` in all; says whether there are more now.
fn split_worst(motion: &Motion, clusters: &mut Vec<Cluster>, count: usize) -> bool {
    let before = clusters.len();
    let mean = clusters.iter().map(|c| c.error).sum::<f64>() / clusters.len() as f64;
    let mut worst: Vec<usize> = (0..clusters.len())
        .filter(|&c| clusters[c].error >= mean && clusters[c].members.len() > 1)
        .collect();
    worst.sort_by(|&a, &b| {
        clusters[b]
            .error
            .total_cmp(&clusters[a].error)
            .then(a.cmp(&b))
    });
    worst.truncate(count.saturating_sub(before));
    let split: Vec<_> = worst
        .par_iter()
        .map(|&c| (c, clusters[c].split(motion)))
        .collect();
    for (c, halves) in split {
        if let Some([stay, go]) = halves {
            clusters[c] = stay;
            clusters.push(go);
        }
    }
    clusters.len() > before
}

/// Every bundle to the best of its cluster and its neighbours.
fn change(motion: &Motion, clusters: &mut Vec<Cluster>) {
    let near = neighbours(motion, clusters);
    let mut best: Vec<(u32, usize)> = clusters
        .par_iter()
        .enumerate()
        .flat_map_iter(|(own, cluster)| {
            let (near, clusters) = (&near[own], &*clusters);
            cluster.members.iter().map(move |&m| {
                let error = |c: &usize| motion.error(m as usize, &clusters[*c].motion);
                // The own cluster comes first, and of equals the first is taken.
                let best = near.iter().copied().map(|c| (c, error(&c)));
                let best = best.reduce(|a, b| if b.1 < a.1 { b } else { a });
                (m, best.map_or(own, |b| b.0))
            })
        })
        .collect();
    best.sort_unstable();
    let mut members = vec![Vec::new(); clusters.len()];
    for (m, c) in best {
        members[c].push(m);
    }
    // A cluster that all have left is gone.
    *clusters = members
        .into_par_iter()
        .filter_map(|members| Cluster::new(motion, members))
        .collect();
}

/// Of every cluster itself, then those whose motion would suit its own place best.
pub(super) fn neighbours(motion: &Motion, clusters: &[Cluster]) -> Vec<Vec<usize>> {
    // Stands for a cluster: the bundle nearest to the middle of it.
    let middle = |c: &Cluster| {
        let rest = |m: u32| motion.bundles[m as usize].rest[0];
        let sum: treesway::glam::Vec3A = c.members.iter().map(|&m| rest(m)).sum();
        let mean = sum / c.members.len() as f32;
        let far = |m: u32| rest(m).distance_squared(mean);
        c.members
            .iter()
            .copied()
            .min_by(|&a, &b| far(a).total_cmp(&far(b)).then(a.cmp(&b)))
    };
    clusters
        .par_iter()
        .enumerate()
        .map(|(own, cluster)| {
            let middle = middle(cluster).map_or(0, |m| m as usize);
            let error = |c: usize| motion.error(middle, &clusters[c].motion);
            let others = (0..clusters.len()).filter(|&c| c != own);
            let mut others: Vec<_> = others.map(|c| (error(c), c)).collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let others = others.into_iter().take(NEIGHBOURS).map(|o| o.1);
            std::iter::once(own).chain(others).collect()
        })
        .collect()
}
