//! Bodies that leave the tree. Their lanes are emptied, outside of a step and without a new layout; ids keep their meaning.

use crate::block::{Model, NOBODY, Place, Sizes, tile_of};
use crate::desc::BodyId;
use crate::math::simd::Rows;
use crate::tree::{Body, Tree};
use std::collections::BTreeMap;

/// Bodies that are off the tree, by id.
pub(crate) type Off = BTreeMap<u32, OffBody>;

/// What is left of a body that is off.
#[derive(Clone, Debug)]
pub(crate) struct OffBody {
    /// As it was when it left.
    pub(crate) body: Body,
    pub(crate) model: Model<f32>,
    sizes: Sizes<f32>,
    /// Slot of its parent.
    parent: u32,
}

/// Children of each body: those of `i` are `list[first[i]..first[i + 1]]`.
#[derive(Clone, Debug)]
pub(crate) struct Children {
    first: Vec<u32>,
    list: Vec<u32>,
}

impl Children {
    fn of(parent: &[u32]) -> Self {
        let mut first = vec![0_u32; parent.len() + 1];
        for &p in parent.iter().filter(|&&p| p != u32::MAX) {
            first[p as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut next = first.clone();
        let mut list = vec![0; parent.len()];
        for (id, &p) in parent.iter().enumerate() {
            if p != u32::MAX {
                list[next[p as usize] as usize] = id as u32;
                next[p as usize] += 1;
            }
        }
        Self { first, list }
    }

    fn of_body(&self, id: u32) -> &[u32] {
        &self.list[self.first[id as usize] as usize..self.first[id as usize + 1] as usize]
    }
}

impl Tree {
    /// Whether a body is on the tree.
    pub fn is_attached(&self, id: BodyId) -> bool {
        !self.off.contains_key(&id.0)
    }

    /// Takes a body off with all it carries, outside of a step: they are no longer stepped, weigh nothing and feel nothing. Pulls and loads on
    /// them end. Ids stay what they are; [`Tree::body`] and [`Tree::pose`] of those that are off tell how they left. Returns them, parents
    /// before children; none where the body is off already.
    ///
    /// # Panics
    /// If it is the root.
    pub fn detach(&mut self, id: BodyId) -> Vec<BodyId> {
        assert!(self.parent_of(id).is_some(), "the root stays");
        if !self.is_attached(id) {
            return Vec::new();
        }
        let children = self
            .children
            .take()
            .unwrap_or_else(|| Children::of(&self.parent));
        let mut leaving = vec![id];
        let mut next = 0;
        while let Some(&id) = leaving.get(next) {
            let on = children.of_body(id.0).iter().map(|&c| BodyId(c));
            leaving.extend(on.filter(|&c| self.is_attached(c)));
            next += 1;
        }
        self.children = Some(children);
        for &id in &leaving {
            self.take_off(id);
        }
        self.loads
            .retain(|load| !self.off.contains_key(&load.body.0));
        self.grips
            .retain(|grip| !self.off.contains_key(&grip.1.pull.body.0));
        self.wake();
        leaving
    }

    /// Empties the lane of a body.
    fn take_off(&mut self, id: BodyId) {
        let body = self.body(id);
        let Place { block, slot } = self.places[id.index()];
        let block = &mut self.blocks[block as usize];
        let (tile, lane) = tile_of(slot as usize);
        let nothing = block.ghosts.len() as u32;
        let links = &mut block.links[tile];
        let off = OffBody {
            body,
            model: block.models[tile].get(lane),
            sizes: block.shapes[tile].get(lane),
            parent: std::mem::replace(&mut links.parent[lane], nothing),
        };
        links.id[lane] = NOBODY;
        block.models[tile].set(lane, Model::EMPTY);
        block.shapes[tile].set(lane, Sizes::EMPTY);
        block.set_joint(slot as usize, crate::analytic::spring::JointState::rest());
        self.off.insert(id.0, off);
    }

    /// Fills the lane of a body again, when a snapshot is restored that has it.
    fn put_back(&mut self, id: u32, off: &OffBody) {
        let Place { block, slot } = self.places[id as usize];
        let block = &mut self.blocks[block as usize];
        let (tile, lane) = tile_of(slot as usize);
        block.links[tile].id[lane] = id;
        block.links[tile].parent[lane] = off.parent;
        block.models[tile].set(lane, off.model);
        block.shapes[tile].set(lane, off.sizes);
    }

    /// Makes the bodies of a snapshot those of the tree.
    pub(crate) fn restore_bodies(&mut self, off: &Off) {
        let returning = std::mem::take(&mut self.off);
        if !returning.is_empty() {
            for (id, body) in &returning {
                self.put_back(*id, body);
            }
            // Parameters may have changed while they were off.
            self.weigh();
            self.tune();
        }
        for &id in off.keys() {
            self.take_off(BodyId(id));
        }
        self.off.clone_from(off);
    }
}
