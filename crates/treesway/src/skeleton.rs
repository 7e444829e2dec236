//! A tree before it is cut into bodies: branches as polylines with radii, leaves and fruit attached to them.
//!
//! Metres, y up, right-handed. Everything that grows or imports a tree ends in a [`Skeleton`]; [`crate::cut`] turns
//! it into a [`crate::TreeDesc`].

use glam::{Quat, Vec3};

/// Branches with what hangs on them. Exactly one branch has no parent: the trunk.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Skeleton {
    /// Branches in any order.
    pub branches: Vec<Branch>,
    /// Leaves and petals.
    #[cfg_attr(feature = "serde", serde(default))]
    pub leaves: Vec<Leaf>,
    /// Fruit.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fruit: Vec<Fruit>,
}

/// One branch as a polyline from its base to its tip.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Branch {
    /// Where it grows from; none for the trunk.
    #[cfg_attr(feature = "serde", serde(default))]
    pub parent: Option<Attachment>,
    /// At least two nodes.
    pub nodes: Vec<Node>,
    /// What the radii say of the wood between nodes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub profile: Profile,
    /// Whether this is more of the parent's own axis and not a fork from it: a scanned axis that is interrupted goes on as a
    /// branch of the same order (default: false).
    #[cfg_attr(feature = "serde", serde(default))]
    pub continues: bool,
}

/// How thick a branch is between two nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Profile {
    /// The radius changes evenly from node to node: frustums (default).
    #[default]
    Tapered,
    /// A node's radius holds up to the next node: cylinders, as scans are made of. The last node's radius counts for nothing.
    Stepped,
}

/// A place on a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Attachment {
    /// Index into [`Skeleton::branches`].
    pub branch: usize,
    /// Arc length from that branch's base, m; clamped to the branch.
    pub along: f32,
}

/// A point of a branch with the wood's radius there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Node {
    /// m.
    pub position: Vec3,
    /// m.
    pub radius: f32,
}

/// A leaf or petal: a thin triangle, apex at its base.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Leaf {
    /// The place on a branch whose body carries it.
    pub on: Attachment,
    /// Base of the blade in the world, m.
    pub position: Vec3,
    /// World from leaf: x along the width, y along the normal, z along the length.
    pub rotation: Quat,
    /// m.
    pub length: f32,
    /// m.
    pub width: f32,
}

/// A fruit: a sphere on a stem.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Fruit {
    /// The place on a branch whose body carries it.
    pub on: Attachment,
    /// Upper end of the stem in the world, m.
    pub position: Vec3,
    /// World from fruit: z along the stem, towards the fruit.
    pub rotation: Quat,
    /// m.
    pub radius: f32,
    /// m.
    pub stem_length: f32,
    /// m.
    pub stem_radius: f32,
}

impl Branch {
    /// A trunk through the given points, each with its radius.
    pub fn trunk(nodes: impl IntoIterator<Item = (Vec3, f32)>) -> Self {
        Self {
            nodes: collect(nodes),
            ..Self::default()
        }
    }

    /// A branch that leaves `parent` at `along` metres from its base.
    pub fn on(parent: usize, along: f32, nodes: impl IntoIterator<Item = (Vec3, f32)>) -> Self {
        Self {
            parent: Some(Attachment {
                branch: parent,
                along,
            }),
            nodes: collect(nodes),
            ..Self::default()
        }
    }

    /// Radius at both ends of the wood from node `i` to the next, m.
    pub fn radii(&self, i: usize) -> [f64; 2] {
        let to = match self.profile {
            Profile::Tapered => i + 1,
            Profile::Stepped => i,
        };
        [i, to].map(|n| f64::from(self.nodes[n].radius))
    }

    /// Arc length from the first node to each node, m.
    pub fn arc_lengths(&self) -> Vec<f64> {
        let mut arcs = Vec::with_capacity(self.nodes.len());
        let mut sum = 0.0;
        arcs.push(0.0);
        for pair in self.nodes.windows(2) {
            sum += pair[0]
                .position
                .as_dvec3()
                .distance(pair[1].position.as_dvec3());
            arcs.push(sum);
        }
        arcs
    }
}

fn collect(nodes: impl IntoIterator<Item = (Vec3, f32)>) -> Vec<Node> {
    nodes
        .into_iter()
        .map(|(position, radius)| Node { position, radius })
        .collect()
}
