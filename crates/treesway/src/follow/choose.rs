//! Which bodies of a tree move on their own.

use crate::desc::{BodyId, BodyKind, BuildError};
use crate::math::Rng;
use crate::params::check;
use crate::tree::Tree;

/// Which bodies of a tree move on their own (default: all). A body does that fulfils every condition, and so does all that carries it to the root.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Simulated {
    /// Wood thinner than this at its joint follows, m (default: 0, none does). Leaves and fruit are thinner than any.
    pub least_radius: f32,
    /// Branches of a higher order follow (default: none does). The trunk is of order 0; leaves and fruit are of the order of what they grow on.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub most_order: Option<u32>,
    /// First bodies of the only branches that move (default: none named, the whole tree).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub subtrees: Vec<BodyId>,
    /// No more bodies than this, the thickest wood first, leaves and fruit last and from all over the tree (default: as many as there are).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub most_bodies: Option<u32>,
}

impl Simulated {
    /// Whether nothing is left out.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Names the first condition that is out of its range, in a tree of so many bodies.
    pub(crate) fn validate(&self, bodies: usize) -> Result<(), BuildError> {
        let least = [("least_radius", self.least_radius)];
        check(&least, |v| v >= 0.0, "a finite number, zero or more")?;
        if self.most_bodies == Some(0) {
            return Err(BuildError::Parameter {
                name: "most_bodies".into(),
                value: 0.0,
                expected: "one or more: the root always moves",
            });
        }
        let missing = self.subtrees.iter().find(|id| id.index() >= bodies);
        missing.map_or(Ok(()), |id| {
            Err(BuildError::Parameter {
                name: "subtrees".into(),
                value: id.0.into(),
                expected: "a body of the tree",
            })
        })
    }
}

/// Whether each body moves, by id. What is off the tree does; it is not the tree's to move.
pub(super) fn chosen(tree: &Tree, by: &Simulated) -> Vec<bool> {
    let bodies = tree.len();
    let mut moves = vec![false; bodies];
    let mut below = vec![Below::default(); bodies];
    for &id in &by.subtrees {
        below[id.index()].inside = true;
    }
    let most = by.most_order.unwrap_or(u32::MAX);
    for id in tree.ids() {
        let i = id.index();
        let (kind, radius) = wood(tree, id);
        let mut own = Below {
            branch: tree.branch_of(id),
            inside: by.subtrees.is_empty() || below[i].inside,
            ..Below::default()
        };
        if let Some(parent) = tree.parent_of(id) {
            let carrying = below[parent.index()];
            let forks = kind == BodyKind::Segment && own.branch != carrying.branch;
            own.order = carrying.order + u32::from(forks);
            own.inside |= carrying.inside;
        }
        below[i] = own;
        let thick = kind == BodyKind::Segment && radius >= by.least_radius;
        let fits = own.inside && own.order <= most && (by.least_radius == 0.0 || thick);
        moves[i] = fits && tree.is_attached(id);
    }
    moves[0] = true;
    for id in (1..bodies).rev() {
        if moves[id] {
            moves[tree.parent[id] as usize] = true;
        }
    }
    if let Some(most) = by.most_bodies {
        keep_thickest(tree, &mut moves, most as usize);
    }
    for id in tree.ids().filter(|&id| !tree.is_attached(id)) {
        moves[id.index()] = true;
    }
    moves
}

/// What a body hands up to those that it carries.
#[derive(Clone, Copy, Default)]
struct Below {
    branch: i32,
    order: u32,
    inside: bool,
}

/// Kind of a body and its radius at the joint, m.
fn wood(tree: &Tree, id: BodyId) -> (BodyKind, f32) {
    let (block, slot) = tree.slot(id);
    let (tile, lane) = crate::block::tile_of(slot);
    let kind = BodyKind::of_number(block.models[tile].kind.0[lane]);
    (kind, block.shapes[tile].size.y.0[lane])
}

/// Leaves `most` of those that move: a body before those that it carries, for it counts as thick as the thickest of them.
fn keep_thickest(tree: &Tree, moves: &mut [bool], most: usize) {
    let mut rank: Vec<f32> = tree
        .ids()
        .map(|id| match wood(tree, id) {
            (BodyKind::Segment, radius) => radius,
            // In an order that has nothing to do with where they are.
            _ => -Rng::new(0, id.0.into()).unit() as f32,
        })
        .collect();
    for id in (1..rank.len()).rev() {
        let parent = tree.parent[id] as usize;
        if moves[id] {
            rank[parent] = rank[parent].max(rank[id]);
        }
    }
    let mut order: Vec<u32> = (0..rank.len() as u32)
        .filter(|&id| moves[id as usize])
        .collect();
    if order.len() <= most {
        return;
    }
    let thicker = |a: &u32, b: &u32| {
        let (of_a, of_b) = (rank[*a as usize], rank[*b as usize]);
        of_b.total_cmp(&of_a).then(a.cmp(b))
    };
    let (_, _, thinner) = order.select_nth_unstable_by(most - 1, thicker);
    for &mut id in thinner {
        moves[id as usize] = false;
    }
}
