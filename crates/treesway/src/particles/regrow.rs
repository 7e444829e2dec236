//! A plant that is grown anew, a step deeper or less deep, goes on moving where it did.
//!
//! Bodies of both are matched from the root on: the n-th child of a body is the n-th child of the one it matches. Grammars that add to the ends of
//! what is there keep that order, whatever they do to lengths and radii.

use crate::desc::{BodyId, BodyKind};
use crate::detach::Children;
use crate::tree::Tree;

impl Tree {
    /// Takes over the turns and rates of the bodies that `old`, the same plant at another depth, has too; new ones are at rest on them. Returns how
    /// many moved on. Outside of a step.
    pub fn adopt_motion(&mut self, old: &Tree) -> usize {
        let (mine, others) = (Children::of(&self.parent), Children::of(&old.parent));
        let mut matched = vec![(BodyId(0), BodyId(0))];
        let mut next = 0;
        while let Some(&(own, other)) = matched.get(next) {
            next += 1;
            for kind in [BodyKind::Segment, BodyKind::Leaf, BodyKind::Fruit] {
                let of = |tree: &Tree, child: &u32| {
                    let id = BodyId(*child);
                    (tree.is_attached(id) && tree.body(id).kind == kind).then_some(id)
                };
                let here = mine.of_body(own.0).iter().filter_map(|c| of(self, c));
                let there = others.of_body(other.0).iter().filter_map(|c| of(old, c));
                matched.extend(here.zip(there));
            }
        }
        let keeps = self.keeps_directions();
        for &(own, other) in &matched {
            let joint = if keeps == old.keeps_directions() {
                let (block, slot) = old.slot(other);
                block.joint(slot)
            } else {
                old.joint_in_frame(other, keeps)
            };
            let (block, slot) = self.slot_mut(own);
            block.set_joint(slot, joint);
        }
        self.anchor = old.anchor;
        self.wake();
        self.settle_world();
        matched.len()
    }
}
