//! Bodies → chains: each runs from where it leaves its parent to a tip, and becomes one tube.

use crate::texture::hash;
use core::ops::Range;
use std::collections::BTreeSet;
use treesway::glam::Vec3;
use treesway::{BodyDesc, BodyId, Shape, TreeDesc};

/// A child that is not of its parent's branch continues its chain only if at least this thick in terms of the parent's tip; a thinner
/// one leaves a stump.
const LEAST_SHARE: f32 = 0.5;
/// … and if it does not turn aside by more than this (cosine).
const LEAST_COSINE: f32 = 0.3;

/// Most times as thick as it is that a hair is drawn: beyond, fur would turn into straw.
const MOST_WIDER: f32 = 4.0;

/// The child that each segment's chain goes on with: at its tip, of the same branch if there is one, then the thickest, then the straightest.
pub(crate) struct Links {
    next: Vec<Option<u32>>,
    /// Bodies that broke off their parents.
    broken: BTreeSet<u32>,
    /// Bodies that their chains went on from before they broke.
    snapped: BTreeSet<u32>,
}

/// All chains that are drawn, parents before children.
pub(super) struct Chains {
    /// Ids of segments, chain by chain, base to tip.
    bodies: Vec<u32>,
    chains: Vec<Chain>,
}

pub(super) struct Chain {
    pub bodies: Range<usize>,
    /// None of the trunk, of what broke off and of what stands apart.
    pub fork: Option<Fork>,
    /// Whether it stands apart from its parent, as hairs and blades of grass do.
    pub apart: bool,
    /// How many times as thick as it is it is drawn, to stand for others that are not.
    pub wider: f32,
    /// Whether its base and its tip are torn wood.
    pub torn: [bool; 2],
}

/// Where a chain leaves its parent.
#[derive(Clone, Copy)]
pub(super) struct Fork {
    /// Index of the parent among the chains.
    pub chain: usize,
    /// Place on the parent: index of the body in the chain, and how far along it.
    pub joint: f32,
    /// Id of the body that carries it.
    pub body: u32,
}

impl Chains {
    /// Chains at least `least_radius` m thick at their base; what grows on a chain that is left out is left out too. Of thinner ones that stand apart, hairs and
    /// blades of grass, which are all as thin, a share is drawn, each thicker: a meadow far away is still a meadow.
    pub(super) fn new(tree: &TreeDesc, links: &Links, least_radius: f32) -> Self {
        let next = &links.next;
        let mut chains = Self {
            bodies: Vec::new(),
            chains: Vec::new(),
        };
        // Chain and index in it of each body that is drawn.
        let mut places = vec![None::<(u32, u32)>; tree.bodies.len()];
        for (id, body) in tree.bodies.iter().enumerate() {
            let Some([base, _]) = radii(body) else {
                continue;
            };
            let (mut apart, mut wider) = (false, 1.0);
            let fork = match body.parent {
                None => None,
                Some(_) if links.broken.contains(&(id as u32)) && base >= least_radius => None,
                Some(parent) if next[parent as usize] == Some(id as u32) => continue,
                Some(parent) if stands_apart(body, &tree.bodies[parent as usize]) => {
                    apart = true;
                    let share = base / least_radius;
                    if share < 1.0 {
                        if hash(id as u32) >= share {
                            continue;
                        }
                        wider = share.recip().min(MOST_WIDER);
                    }
                    None
                }
                Some(parent) => match places[parent as usize] {
                    Some((chain, index)) if base >= least_radius => Some(Fork {
                        chain: chain as usize,
                        joint: index as f32
                            + share_along(body, &tree.bodies[parent as usize]).clamp(0.0, 1.0),
                        body: parent,
                    }),
                    _ => continue,
                },
            };
            let start = chains.bodies.len();
            let mut walk = Some(id as u32);
            while let Some(body) = walk {
                let index = chains.bodies.len() - start;
                places[body as usize] = Some((chains.chains.len() as u32, index as u32));
                chains.bodies.push(body);
                walk = next[body as usize];
            }
            let last = chains.bodies[chains.bodies.len() - 1];
            chains.chains.push(Chain {
                bodies: start..chains.bodies.len(),
                fork,
                apart,
                wider,
                torn: [
                    links.broken.contains(&(id as u32)),
                    links.snapped.contains(&last),
                ],
            });
        }
        chains
    }

    pub(super) fn len(&self) -> usize {
        self.chains.len()
    }

    pub(super) fn chain(&self, index: usize) -> &Chain {
        &self.chains[index]
    }

    /// Ids of a chain's bodies, base to tip.
    pub(super) fn bodies(&self, index: usize) -> &[u32] {
        &self.bodies[self.chains[index].bodies.clone()]
    }
}

impl Links {
    /// Of a tree that some bodies broke off.
    pub(crate) fn new(tree: &TreeDesc, broken: &[BodyId]) -> Self {
        let mut next = continuations(tree);
        let mut snapped = BTreeSet::new();
        for id in broken {
            let Some(parent) = tree.bodies[id.index()].parent else {
                continue;
            };
            if next[parent as usize] == Some(id.0) {
                next[parent as usize] = None;
                snapped.insert(parent);
            }
        }
        Self {
            next,
            broken: broken.iter().map(|id| id.0).collect(),
            snapped,
        }
    }
}

fn continuations(tree: &TreeDesc) -> Vec<Option<u32>> {
    let mut next = vec![None::<u32>; tree.bodies.len()];
    let rank = |id: u32, parent: &BodyDesc| -> Option<(bool, f32, f32)> {
        let body = &tree.bodies[id as usize];
        let ([base, _], [_, tip]) = (radii(body)?, radii(parent)?);
        if share_along(body, parent) < 1.0 - 1e-3 {
            return None;
        }
        let same_branch = body.branch >= 0 && body.branch == parent.branch;
        let straight = (body.joint_rotation * Vec3::Z).z;
        let fits =
            base >= LEAST_SHARE * tip && straight >= LEAST_COSINE && !stands_apart(body, parent);
        (same_branch || fits).then_some((same_branch, base, straight))
    };
    for (id, body) in tree.bodies.iter().enumerate() {
        let Some(parent) = body.parent else { continue };
        let desc = &tree.bodies[parent as usize];
        let Some(new) = rank(id as u32, desc) else {
            continue;
        };
        let old = next[parent as usize].and_then(|old| rank(old, desc));
        if old.is_none_or(|old| new > old) {
            next[parent as usize] = Some(id as u32);
        }
    }
    next
}

/// Where a body sits along its parent, 1 at the parent's tip.
fn share_along(body: &BodyDesc, parent: &BodyDesc) -> f32 {
    match parent.shape {
        Shape::Segment { length, .. } => body.along_parent / length,
        _ => 0.0,
    }
}

/// Whether a body hangs on its parent over a gap that no wood fills, as blades of a meadow do: so many radii away that it cannot be a joint on the
/// surface of a scan.
fn stands_apart(body: &BodyDesc, parent: &BodyDesc) -> bool {
    const FAR: f32 = 5.0;
    let (Shape::Segment { length, base, .. }, Some([own, _])) = (parent.shape, radii(body)) else {
        return false;
    };
    let joint = body.joint_in_parent;
    let beyond = joint.z - joint.z.clamp(0.0, length);
    Vec3::new(joint.x, joint.y, beyond).length() > FAR * (base + own)
}

/// At base and tip of a segment.
pub(super) fn radii(body: &BodyDesc) -> Option<[f32; 2]> {
    match body.shape {
        Shape::Segment { base, tip, .. } => Some([base, tip]),
        _ => None,
    }
}
