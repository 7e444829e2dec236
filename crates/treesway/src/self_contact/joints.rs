//! The joints between two elements, and how far they give way.

use crate::desc::BodyId;
use crate::elements::Part;
use crate::math::{Matrix3, Quaternion, V3, turns_per_angle};
use crate::tree::Tree;

/// What is constant about the joints of a tree.
#[derive(Clone)]
pub(super) struct Joints {
    /// `u32::MAX` of the root.
    parent: Vec<u32>,
    depth: Vec<u32>,
    leaf: Vec<bool>,
}

impl Joints {
    pub(super) fn of(tree: &Tree) -> Self {
        let n = tree.len();
        let mut depth: Vec<u32> = Vec::with_capacity(n);
        let mut leaf = Vec::with_capacity(n);
        for id in tree.ids() {
            let i = id.index();
            depth.push(match tree.parent[i] {
                u32::MAX => 0,
                p => depth[p as usize] + 1,
            });
            leaf.push(tree.body(id).kind == crate::BodyKind::Leaf);
        }
        Self {
            parent: tree.parent.clone(),
            depth,
            leaf,
        }
    }

    /// The body that a part moves with: the base stem of a leaf stands fast on its parent.
    pub(super) fn body_of(&self, part: Part) -> usize {
        let element = part.element();
        match self.parent[element] {
            p if self.leaf[element] && !part.is_blade() && p != u32::MAX => p as usize,
            _ => element,
        }
    }

    /// Whether it is that of a leaf.
    pub(super) fn is_leaf(&self, body: usize) -> bool {
        self.leaf[body]
    }

    /// The body that one grows on; `u32::MAX` of the root.
    pub(super) fn parent(&self, body: usize) -> u32 {
        self.parent[body]
    }

    /// The last body that both grow on, or are.
    pub(super) fn common(&self, a: usize, b: usize) -> usize {
        let (mut a, mut b) = (a, b);
        while a != b {
            if self.depth[a] >= self.depth[b] {
                a = self.parent[a] as usize;
            } else {
                b = self.parent[b] as usize;
            }
        }
        a
    }

    /// Joints from both bodies up to their common ancestor, whose own is none of them.
    pub(super) fn between(&self, a: usize, b: usize, ways: &mut [Vec<usize>; 2]) {
        let [of_a, of_b] = ways;
        of_a.clear();
        of_b.clear();
        let (mut a, mut b) = (a, b);
        while a != b {
            if self.depth[a] >= self.depth[b] {
                of_a.push(a);
                a = self.parent[a] as usize;
            } else {
                of_b.push(b);
                b = self.parent[b] as usize;
            }
        }
    }

    /// The highest body that each moves rigidly with, where joints whose share is 0 do not turn.
    pub(super) fn groups(&self, share: &[f64], groups: &mut Vec<u32>) {
        groups.clear();
        for (i, (&parent, &share)) in self.parent.iter().zip(share).enumerate() {
            let own = match parent {
                u32::MAX => 0,
                p if share == 0.0 => groups[p as usize],
                _ => i as u32,
            };
            groups.push(own);
        }
    }
}

/// By how much each joint turns in a frame of so many seconds for a torque, rad/(N·m): 1/(K + 2 Ĩ/h²), Ĩ of all it carries now, snow too; about each axis of the body where `by_axis`, else
/// the same about all, that of bending.
pub(super) fn gives(tree: &Tree, frame_secs: f64, by_axis: bool) -> Vec<V3<f64>> {
    let (homes, wholes) = tree.carried_at_home();
    let give = |id: BodyId| {
        let (block, slot) = tree.slot(id);
        let stiffness: V3<f64> = block.model(slot).stiffness.widen();
        let about = wholes[id.index()]
            .inertia
            .congruent(homes[id.index()].matrix());
        let one = |stiffness: f64, inertia: f64| {
            1.0 / (stiffness + 2.0 * inertia / (frame_secs * frame_secs))
        };
        if by_axis {
            V3 {
                x: one(stiffness.x, about.xx),
                y: one(stiffness.y, about.yy),
                z: one(stiffness.z, about.zz),
            }
        } else {
            let bending = |x: f64, y: f64| 0.5 * (x + y);
            V3::splat(one(
                bending(stiffness.x, stiffness.y),
                bending(about.xx, about.yy),
            ))
        }
    };
    tree.ids().map(give).collect()
}

/// Where joints are now.
pub(super) struct Pose<'a>(pub(super) &'a Tree);

impl Pose<'_> {
    /// Of a joint in the world, m.
    pub(super) fn joint(&self, body: usize) -> V3<f64> {
        let (block, slot) = self.0.slot(BodyId(body as u32));
        block.frame(slot).position.widen()
    }

    /// World from joint.
    pub(super) fn world_from_joint(&self, body: usize) -> Quaternion<f64> {
        let id = BodyId(body as u32);
        let (block, slot) = self.0.slot(id);
        let below = match self.0.parent_of(id) {
            Some(parent) => {
                let (block, slot) = self.0.slot(parent);
                block.frame(slot).rotation.widen()
            }
            None => self.0.anchor.rotation,
        };
        below.times(block.model(slot).joint_rotation.widen()).unit()
    }
}

/// Joints as they stand in a round, each looked at once.
pub(super) struct Poised<'a> {
    pose: Pose<'a>,
    known: Vec<Option<PoisedJoint>>,
}

/// A joint as it stands.
#[derive(Clone, Copy)]
pub(super) struct PoisedJoint {
    /// m.
    at: V3<f64>,
    /// What it turns by as the components of its θ change, in the world.
    turns: Matrix3<f64>,
}

impl<'a> Poised<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self {
            pose: Pose(tree),
            known: vec![None; tree.len()],
        }
    }

    /// A joint that is to be at `theta`, rad.
    pub(super) fn joint(&mut self, body: usize, theta: V3<f64>) -> PoisedJoint {
        *self.known[body].get_or_insert_with(|| {
            let world_from_joint = self.pose.world_from_joint(body);
            let Matrix3 { x, y, z } = turns_per_angle(theta);
            PoisedJoint {
                at: self.pose.joint(body),
                turns: Matrix3 {
                    x: world_from_joint.rotate(x),
                    y: world_from_joint.rotate(y),
                    z: world_from_joint.rotate(z),
                },
            }
        })
    }
}

impl PoisedJoint {
    /// What a force at a point does as θ changes, by its components: Jᵀ((point − joint) × force).
    pub(super) fn work(&self, point: V3<f64>, force: V3<f64>) -> V3<f64> {
        self.turns.apply_transposed((point - self.at).cross(force))
    }

    /// How far a point of what it carries goes per change of each component of θ, m/rad.
    pub(super) fn ways(&self, point: V3<f64>) -> V3<f64> {
        let lever = point - self.at;
        let Matrix3 { x, y, z } = self.turns;
        V3 {
            x: x.cross(lever).length(),
            y: y.cross(lever).length(),
            z: z.cross(lever).length(),
        }
    }
}
