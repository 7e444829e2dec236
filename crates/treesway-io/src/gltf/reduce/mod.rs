//! Fewer joints than bodies, for viewers and engines: chosen, moved and blended so that the drawn vertices go where they went.
//!
//! The order: vertices that move alike are [`bundle`]d; bundles that move nearly rigidly together are [`cluster`]ed, a joint each, moved by its best
//! rigid motion ([`rigid`]); every bundle follows the best blend of up to four joints ([`weights`]), and joints are moved so that the
//! blends are right ([`refine`]). All of that on some frames; then the joints are fitted again in every frame. What is left is measured
//! on every vertex by [`super::deviation`].

mod bundle;
mod cluster;
mod motion;
mod refine;
mod rigid;
mod weights;

use super::GlbError;
use super::clip::Clip;
use super::mesh::Surface;
use super::rig::{self, Binding, Joint, Rig};
use super::watch::Watch;
use bundle::Bundle;
use cluster::{Cluster, clusters, neighbours};
use motion::Motion;
use rayon::prelude::*;
use refine::Followers;
use rigid::Rigid;
use treesway::BodyPose;

/// Frames that joints and weights are chosen on: enough for a few periods of the slowest sway.
const SAMPLES: usize = 80;

/// Times that weights follow the joints and joints the weights.
const ROUNDS: usize = 16;

/// Times that joints are moved to what the others leave over, in every frame.
const SETTLING: usize = 4;

/// Frames that are fitted at a time, to bound the memory.
const FRAMES_AT_ONCE: usize = 16;

/// At most `count` joints for the vertices of `surfaces`, bound in the pose `rest`.
pub(super) fn reduce(
    surfaces: &[Surface],
    rest: &[BodyPose],
    clip: &Clip,
    count: usize,
    watch: Watch,
) -> Result<Rig<'static>, GlbError> {
    let (bundles, belongs) = bundle::bundles(surfaces);
    let sampled = Motion::new(&bundles, rest, clip, &evenly(clip.frames(), SAMPLES));
    let mut clusters = clusters(&sampled, count, watch.part(0.0, 0.3))?;
    // Parents before children.
    clusters.sort_by_key(|c| (lowest_body(&bundles, c), c.members[0]));
    let near = neighbours(&sampled, &clusters);
    let mut own = vec![0; bundles.len()];
    for (c, cluster) in clusters.iter().enumerate() {
        cluster.members.iter().for_each(|&m| own[m as usize] = c);
    }
    let mut joints: Vec<_> = clusters.iter().map(|c| c.motion.clone()).collect();
    let mut shares = Vec::new();
    for round in 0..ROUNDS {
        shares = (0..bundles.len())
            .into_par_iter()
            .map(|b| weights::blend(&sampled, b, &near[own[b]], &joints))
            .collect();
        joints = Followers::of(&shares, joints.len()).refine(&sampled, &joints);
        watch.go_on(0.3 + 0.3 * (round + 1) as f32 / ROUNDS as f32)?;
    }
    let joints = joints_of(&bundles, &clusters, rest, clip);
    let followers = Followers::of(&shares, joints.len());
    let poses = all_frames(
        &bundles,
        rest,
        clip,
        &clusters,
        &followers,
        &joints,
        watch.part(0.6, 1.0),
    )?;
    let bound: Vec<_> = shares.iter().map(|s| Binding::of_shares(s)).collect();
    let bindings = belongs
        .iter()
        .map(|of_vertices| of_vertices.iter().map(|&b| bound[b as usize]).collect());
    Ok(Rig {
        joints,
        bindings: bindings.collect(),
        motion: rig::Motion::Poses(poses),
    })
}

/// At most `most` of `frames` numbers, the first and last among them.
fn evenly(frames: usize, most: usize) -> Vec<usize> {
    let count = frames.min(most);
    (0..count)
        .map(|i| i * (frames - 1) / (count - 1).max(1))
        .collect()
}

fn lowest_body(bundles: &[Bundle], cluster: &Cluster) -> u32 {
    let bodies = cluster.members.iter().map(|&m| bundles[m as usize].body());
    bodies.min().unwrap_or(0)
}

/// A joint for each cluster, where its lowest body hangs. Its parent is the joint that moves the nearest body further down: that cluster's lowest
/// body is lower still, so there are no circles.
fn joints_of(
    bundles: &[Bundle],
    clusters: &[Cluster],
    rest: &[BodyPose],
    clip: &Clip,
) -> Vec<Joint> {
    let mut cluster_of = vec![None; rest.len()];
    for (c, cluster) in clusters.iter().enumerate() {
        for &m in &cluster.members {
            let body = bundles[m as usize].body() as usize;
            cluster_of[body].get_or_insert(c as u32);
        }
    }
    let joint = |cluster: &Cluster| {
        let body = lowest_body(bundles, cluster);
        let below = |b: &usize| clip.parent(*b);
        let mut down = std::iter::successors(clip.parent(body as usize), below);
        Joint {
            parent: down.find_map(|b| cluster_of[b]),
            body,
            rest: rest[body as usize],
        }
    };
    clusters.iter().map(joint).collect()
}

/// Poses of the joints in every frame.
fn all_frames(
    bundles: &[Bundle],
    rest: &[BodyPose],
    clip: &Clip,
    clusters: &[Cluster],
    followers: &Followers,
    joints: &[Joint],
    watch: Watch,
) -> Result<Vec<BodyPose>, GlbError> {
    let frames: Vec<usize> = (0..clip.frames()).collect();
    let mut poses = Vec::with_capacity(frames.len() * joints.len());
    for some in frames.chunks(FRAMES_AT_ONCE) {
        let motion = Motion::new(bundles, rest, clip, some);
        let fitted: Vec<Vec<Rigid>> = clusters
            .par_iter()
            .map(|c| {
                let still = || vec![Rigid::IDENTITY; some.len()];
                motion.fit(&c.members).unwrap_or_else(still)
            })
            .collect();
        let mut refined = fitted;
        for _ in 0..SETTLING {
            refined = followers.refine(&motion, &refined);
        }
        for frame in 0..some.len() {
            let moved = joints.iter().zip(&refined);
            poses.extend(moved.map(|(joint, r)| r[frame].pose(&joint.rest)));
        }
        watch.go_on(poses.len() as f32 / (frames.len() * joints.len()) as f32)?;
    }
    Ok(poses)
}
