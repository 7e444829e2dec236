//! Bodies that leave the tree. Their lanes are emptied, outside of a step and without a new layout; ids keep their meaning.
//!
//! An empty lane costs as much in a sweep as a full one, so another body of the block moves into it where that is easy: one of its last tile,
//! which carries nobody, and whose parent lies before the lane. The last tile empties so, and the sweeps end before it ([`Block::used`]). Every such
//! move is remembered with the body that left ([`Home`]), and undone or done again with it when a snapshot comes back.
//!
//! What is off lies in a block of its own, [`Off::block`], in the order in which it left; no sweep goes over that block, and [`Place::OFF`]
//! leads there. A leaf or a fruit that leaves falls ([`crate::free`]); wood stays where it is until somebody carries it.

use crate::analytic::spring::JointState;
use crate::block::{Block, Links, Model, NOBODY, Place, Sizes, tile_of};
use crate::desc::{BodyId, BodyKind};
use crate::forces::BodyPose;
use crate::kinematics::Frame;
use crate::math::V3;
use crate::math::simd::{ROW, Row, Rows};
use crate::tree::Tree;
use glam::Vec3;

/// What a body does that is off the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OffMotion {
    /// It stays where it left.
    #[default]
    Still = 0,
    /// It falls, carried by the air.
    Flying = 1,
    /// It lies on the ground.
    Resting = 2,
    /// It is moved from outside, see [`Tree::set_free_pose`].
    Carried = 3,
}

/// Where a body was on the tree.
#[derive(Clone, Copy, Debug)]
struct Home {
    place: Place,
    /// Slot of its parent there.
    parent: u32,
    /// Slot from which another body moved in after it.
    heir: Option<u32>,
}

/// What sixteen of them do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OffTile {
    pub(crate) motion: [OffMotion; ROW],
    /// Lanes that came to rest in this frame.
    pub(crate) landed: u16,
}

/// Bodies that are off the tree.
#[derive(Clone, Debug)]
pub(crate) struct Off {
    /// Their geometry, their joints as they left and their frames as they are now.
    pub(crate) block: Block,
    /// What they do, by tile of the block.
    pub(crate) tiles: Vec<OffTile>,
    /// In the order of leaving, that of slots.
    homes: Vec<Home>,
    /// How many of them were asked for as new.
    seen: usize,
}

impl Off {
    pub(crate) fn new() -> Self {
        Self {
            block: Block::empty(Vec::new(), 1),
            tiles: vec![OffTile::default()],
            homes: Vec::new(),
            seen: 0,
        }
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.homes.len()
    }

    /// Slot of the one that left as the `i`-th: those of the first tile stand for nobody, as in every block.
    fn slot(i: usize) -> usize {
        ROW + i
    }

    /// All ids, in the order of leaving.
    pub(crate) fn ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        (0..self.len()).map(|i| BodyId(self.block.id(Self::slot(i))))
    }

    pub(crate) fn motion(&self, slot: usize) -> OffMotion {
        let (tile, lane) = tile_of(slot);
        self.tiles[tile].motion[lane]
    }

    /// An empty slot for one more.
    fn next_slot(&mut self) -> usize {
        let slot = Self::slot(self.len());
        if slot / ROW == self.tiles.len() {
            self.block.add_tile();
            self.tiles.push(OffTile::default());
        }
        slot
    }
}

/// How many bodies are off a tree, by what they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OffCounts {
    /// See [`OffMotion`].
    pub still: usize,
    /// See [`OffMotion`].
    pub flying: usize,
    /// See [`OffMotion`].
    pub resting: usize,
    /// See [`OffMotion`].
    pub carried: usize,
}

impl OffCounts {
    /// All of them.
    pub fn total(&self) -> usize {
        self.still + self.flying + self.resting + self.carried
    }
}

/// Children of each body: those of `i` are `list[first[i]..first[i + 1]]`.
#[derive(Clone, Debug)]
pub(crate) struct Children {
    first: Vec<u32>,
    list: Vec<u32>,
}

impl Children {
    pub(crate) fn of(parent: &[u32]) -> Self {
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

    pub(crate) fn of_body(&self, id: u32) -> &[u32] {
        &self.list[self.first[id as usize] as usize..self.first[id as usize + 1] as usize]
    }
}

impl Block {
    /// The lane of a body that has left.
    fn empty_lane(&mut self, slot: usize) {
        let (tile, lane) = tile_of(slot);
        self.links[tile].parent[lane] = self.ghosts.len() as u32;
        self.links[tile].id[lane] = NOBODY;
        self.models[tile].set(lane, Model::EMPTY);
        self.shapes[tile].set(lane, Sizes::EMPTY);
        self.joints[tile].set(lane, JointState::rest());
        self.forget_stalk(slot);
    }

    /// Moves a body that carries nobody to an empty slot behind its parent's tile.
    fn move_body(&mut self, from: usize, to: usize) {
        let ((tile, lane), (to_tile, to_lane)) = (tile_of(from), tile_of(to));
        self.links[to_tile].id[to_lane] = self.links[tile].id[lane];
        self.links[to_tile].parent[to_lane] = self.links[tile].parent[lane];
        let (model, sizes) = (self.model(from), self.sizes(from));
        self.models[to_tile].set(to_lane, model);
        self.shapes[to_tile].set(to_lane, sizes);
        self.set_joint(to, self.joint(from));
        self.frames[to] = self.frames[from];
        if !self.stalks.is_empty() {
            let stalk = self.stalks[tile].get(lane);
            self.stalks[to_tile].set(to_lane, stalk);
        }
        self.move_burden(from, to);
        self.empty_lane(from);
        self.used = self.used.max(to_tile + 1);
    }

    /// Ends the sweeps before tiles at the end that nobody is left in.
    fn leave_out_empty_tiles(&mut self) {
        let empty = |links: &Links| links.id.iter().all(|&id| id == NOBODY);
        while self.used > self.ghost_tiles() + 1 && empty(&self.links[self.used - 1]) {
            self.used -= 1;
        }
    }

    /// The last body that may move to an empty slot. Bodies of the last tile carry nobody of their own block; those of the spine may carry
    /// treelets unless they are leaves or fruit.
    fn heir_of(&self, slot: usize, in_spine: bool, held: impl Fn(u32) -> bool) -> Option<usize> {
        let last = self.used - 1;
        if slot / ROW >= last || !self.particles.is_empty() || !self.stand_ins.is_empty() {
            return None;
        }
        let links = &self.links[last];
        let may = |lane: &usize| {
            let (id, at) = (links.id[*lane], last * ROW + lane);
            id != NOBODY
                && links.parent[*lane] as usize / ROW < slot / ROW
                && !(in_spine && self.model(at).kind() == BodyKind::Segment)
                && !held(id)
        };
        (0..ROW).rev().find(may).map(|lane| last * ROW + lane)
    }
}

impl Tree {
    /// Whether a body is on the tree.
    pub fn is_attached(&self, id: BodyId) -> bool {
        !self.places[id.index()].is_off()
    }

    /// What a body does that is off the tree; none where it is on it.
    pub fn off_motion(&self, id: BodyId) -> Option<OffMotion> {
        let at = self.places[id.index()];
        at.is_off().then(|| self.off.motion(at.slot as usize))
    }

    /// How many bodies are off the tree, by what they do.
    pub fn off_counts(&self) -> OffCounts {
        let of = |motion: OffMotion| {
            let lanes = |tile: &OffTile| tile.motion.iter().filter(|m| **m == motion).count();
            self.off.tiles.iter().map(lanes).sum::<usize>()
        };
        let [flying, resting, carried] =
            [OffMotion::Flying, OffMotion::Resting, OffMotion::Carried].map(of);
        OffCounts {
            // Lanes without a body are still, too.
            still: self.off.len() - flying - resting - carried,
            flying,
            resting,
            carried,
        }
    }

    /// Takes a body off with all it carries, outside of a step: on the tree they no longer weigh or feel anything. Pulls and loads on
    /// them end. A leaf or a fruit falls from now on; a branch stays where it is with all it carries, until [`Tree::set_free_pose`] moves
    /// it. Ids stay what they are, and [`Tree::body`] and [`Tree::pose`] tell where those are that are off. Returns them, parents
    /// before children; none where the body is off already.
    ///
    /// # Panics
    /// If it is the root.
    pub fn detach(&mut self, id: BodyId) -> Vec<BodyId> {
        assert!(self.parent_of(id).is_some(), "the root stays");
        if !self.is_attached(id) {
            return Vec::new();
        }
        let mut leaving = vec![id];
        let (block, slot) = self.slot(id);
        let motion = if block.model(slot).kind() == BodyKind::Segment {
            let children = self
                .children
                .take()
                .unwrap_or_else(|| Children::of(&self.parent));
            let mut next = 0;
            while let Some(&id) = leaving.get(next) {
                let on = children.of_body(id.0).iter().map(|&c| BodyId(c));
                leaving.extend(on.filter(|&c| self.is_attached(c)));
                next += 1;
            }
            self.children = Some(children);
            OffMotion::Still
        } else {
            OffMotion::Flying // Only wood carries others.
        };
        for &id in &leaving {
            self.take_off(id, motion);
        }
        self.forget_holds();
        self.wake();
        if motion == OffMotion::Still {
            self.make_particles();
            self.make_stand_ins();
        }
        leaving
    }

    /// Ends pulls and loads on bodies that are off.
    pub(crate) fn forget_holds(&mut self) {
        let places = &self.places;
        let on = |id: BodyId| !places[id.index()].is_off();
        self.loads.retain(|load| on(load.body));
        self.grips.retain(|grip| on(grip.1.pull.body));
    }

    /// Puts a body that is off somewhere; from now on it goes where it is put and nowhere else. `velocity` is that of its centre of mass, m/s,
    /// and `angular_velocity` in rad/s, both in the world.
    ///
    /// # Panics
    /// If the body is on the tree.
    pub fn set_free_pose(
        &mut self,
        id: BodyId,
        pose: BodyPose,
        velocity: Vec3,
        angular_velocity: Vec3,
    ) {
        let at = self.places[id.index()];
        assert!(at.is_off(), "a body of the tree goes with the tree");
        let slot = at.slot as usize;
        let mut frame = Frame {
            rotation: pose.rotation.into(),
            position: pose.position.into(),
            velocity: velocity.into(),
            angular_velocity: angular_velocity.into(),
            alpha: V3::zero(),
        };
        let com = frame.rotation.matrix().z * self.off.block.model(slot).com_z;
        frame.velocity -= frame.angular_velocity.cross(com);
        self.off.block.frames[slot] = frame.line();
        let (tile, lane) = tile_of(slot);
        self.off.tiles[tile].motion[lane] = OffMotion::Carried;
    }

    /// What a body does that is off.
    pub(crate) fn set_off_motion(&mut self, id: BodyId, motion: OffMotion) {
        let (tile, lane) = tile_of(self.places[id.index()].slot as usize);
        self.off.tiles[tile].motion[lane] = motion;
    }

    /// Puts a body that is off where a [`Frame`] of another tree is.
    pub(crate) fn set_off_line(&mut self, id: BodyId, line: Row, motion: OffMotion) {
        let slot = self.places[id.index()].slot as usize;
        self.off.block.frames[slot] = line;
        self.set_off_motion(id, motion);
    }

    /// Bodies that left since this was last asked, in the order of leaving.
    pub(crate) fn newly_off(&mut self) -> impl Iterator<Item = BodyId> + use<> {
        let all = self.off.len();
        let new = core::mem::replace(&mut self.off.seen, all)..all;
        let ids: Vec<BodyId> = new
            .map(|i| BodyId(self.off.block.id(Off::slot(i))))
            .collect();
        ids.into_iter()
    }

    /// A body that was carried lies still.
    pub(crate) fn set_resting(&mut self, id: BodyId) {
        let (tile, lane) = tile_of(self.places[id.index()].slot as usize);
        self.off.tiles[tile].motion[lane] = OffMotion::Resting;
    }

    /// Moves a body from its lane to those that are off, and another one into that lane where one may.
    pub(crate) fn take_off(&mut self, id: BodyId, motion: OffMotion) {
        let place = self.lift_off(id, motion);
        if self.follow.is_some() {
            return;
        }
        let block = &self.blocks[place.block as usize];
        let held = |id: u32| self.grips.iter().any(|(_, g)| g.pull.body.0 == id);
        let heir = block.heir_of(place.slot as usize, place.block == 0, held);
        self.inherit(place, heir);
    }

    /// Moves a body to the slot of the one that left last.
    fn inherit(&mut self, place: Place, heir: Option<usize>) {
        let block = &mut self.blocks[place.block as usize];
        if let Some(from) = heir {
            let id = block.id(from);
            block.move_body(from, place.slot as usize);
            self.places[id as usize] = place;
            let home = self.off.homes.last_mut().expect("a body has left");
            home.heir = Some(from as u32);
        }
        block.leave_out_empty_tiles();
    }

    /// Moves a body from its lane, which is empty then, to those that are off; returns where it was.
    fn lift_off(&mut self, id: BodyId, motion: OffMotion) -> Place {
        let line = self.frame_of(id).line();
        let mut place = self.places[id.index()];
        let from = match &mut self.follow {
            None => &mut self.blocks[place.block as usize],
            Some(follow) => {
                let home = follow.places[id.index()];
                let at_home = &mut follow.blocks[home.block as usize];
                if !place.follows() {
                    // It lies twice.
                    let (block, slot) =
                        (&mut self.blocks[place.block as usize], place.slot as usize);
                    at_home.copy(home.slot as usize, block, slot);
                    block.clear_burden(slot);
                    block.empty_lane(slot);
                }
                place = home;
                at_home
            }
        };
        from.frames[place.slot as usize] = line;
        self.snow.slid += f64::from(from.clear_burden(place.slot as usize));
        let (tile, lane) = tile_of(place.slot as usize);
        let (parent, slot) = (from.links[tile].parent[lane], self.off.next_slot());
        let (to_tile, to_lane) = tile_of(slot);
        let to = &mut self.off.block;
        to.links[to_tile].id[to_lane] = id.0;
        to.models[to_tile].set(to_lane, from.models[tile].get(lane));
        to.shapes[to_tile].set(to_lane, from.shapes[tile].get(lane));
        to.joints[to_tile].set(to_lane, from.joints[tile].get(lane));
        to.frames[slot] = from.frames[place.slot as usize];
        from.empty_lane(place.slot as usize);
        self.off.tiles[to_tile].motion[to_lane] = motion;
        self.off.homes.push(Home {
            place,
            parent,
            heir: None,
        });
        self.places[id.index()] = Place::off(slot);
        place
    }

    /// Fills the lanes of all bodies again that are off, but for their motion: a snapshot has that.
    fn put_back(&mut self) {
        let off = std::mem::replace(&mut self.off, Off::new());
        // The last first, so that every lane is as it was when its body left.
        for (i, home) in off.homes.iter().enumerate().rev() {
            let slot = Off::slot(i);
            let (id, from) = (off.block.id(slot), home.place);
            let block = &mut self.blocks[from.block as usize];
            if let Some(heir) = home.heir {
                self.places[block.id(from.slot as usize) as usize].slot = heir;
                block.move_body(from.slot as usize, heir as usize);
            }
            let (tile, lane) = tile_of(from.slot as usize);
            block.used = block.used.max(tile + 1);
            block.links[tile].id[lane] = id;
            block.links[tile].parent[lane] = home.parent;
            block.models[tile].set(lane, off.block.model(slot));
            block.shapes[tile].set(lane, off.block.sizes(slot));
            block.draw_stalk(from.slot as usize, &self.params.shedding);
            self.places[id as usize] = from;
        }
    }

    /// Makes the bodies of a snapshot those of the tree.
    pub(crate) fn restore_bodies(&mut self, off: &Off) {
        self.put_back();
        for (id, home) in off.ids().zip(&off.homes) {
            let place = self.lift_off(id, OffMotion::Still);
            self.inherit(place, home.heir.map(|slot| slot as usize));
        }
        // Parameters may have changed since the snapshot: geometry and springs are those of now.
        self.off.block.joints.clone_from(&off.block.joints);
        self.off.block.frames.clone_from(&off.block.frames);
        self.off.tiles.clone_from(&off.tiles);
        self.off.seen = off.seen;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rng;
    use crate::params::Solver;
    use crate::{Attachment, Branch, CutOptions, Leaf, Skeleton, TreeOptions, Wind, World, cut};
    use glam::Quat;

    /// A trunk with forty limbs of 150 leaves each, more than one block.
    fn leafy() -> Tree {
        let mut skeleton = Skeleton {
            branches: vec![Branch::trunk([(Vec3::ZERO, 0.2), (Vec3::Y * 8.0, 0.1)])],
            ..Skeleton::default()
        };
        for limb in 0..40 {
            let (from, turn) = (Vec3::Y * (2.0 + 0.15 * limb as f32), 2.4 * limb as f32);
            let out = Quat::from_rotation_y(turn) * Vec3::new(2.0, 0.5, 0.0);
            let nodes = [(from, 0.03), (from + out, 0.01)];
            let branch = skeleton.branches.len();
            skeleton.branches.push(Branch::on(0, from.y, nodes));
            for leaf in 0..150 {
                let share = (leaf as f32 + 0.5) / 150.0;
                skeleton.leaves.push(Leaf {
                    on: Attachment {
                        branch,
                        along: share * out.length(),
                    },
                    position: from + out * share,
                    rotation: Quat::from_rotation_y(0.7 * leaf as f32),
                    length: 0.08,
                    width: 0.05,
                });
            }
        }
        let mut options = TreeOptions::default();
        options.settings.solver = Solver::Analytic;
        let desc = cut(&skeleton, &CutOptions::default()).expect("the tree is valid");
        Tree::build(&desc, options).expect("the tree is valid")
    }

    /// Every body lies where its place says, behind its parent's tile; returns links by block.
    fn checked_links(tree: &Tree) -> Vec<(usize, Vec<[u32; ROW]>)> {
        for id in tree.ids().filter(|&id| tree.is_attached(id)) {
            let place = tree.places[id.index()];
            let block = &tree.blocks[place.block as usize];
            let (tile, lane) = tile_of(place.slot as usize);
            assert!(block.tiles().contains(&tile), "{id:?} is swept");
            assert_eq!(block.links[tile].id[lane], id.0);
            let below = block.links[tile].parent[lane] as usize;
            assert!(below / ROW < tile, "{id:?} lies behind its parent");
            let parent = tree.parent_of(id).map(|p| tree.places[p.index()]);
            let expected = match parent {
                Some(p) if p.block == place.block => p.slot,
                Some(p) => {
                    let ghost = block.ghosts.iter().position(|&g| g == p.slot);
                    ghost.expect("a parent of the spine has a ghost") as u32
                }
                None => 0,
            };
            assert_eq!(below as u32, expected, "{id:?} hangs on its parent");
        }
        let ids = |block: &Block| block.tiles().map(|t| block.links[t].id).collect();
        let all = tree.blocks.iter();
        all.map(|block| (block.used, ids(block))).collect()
    }

    /// Lanes that a sweep goes over.
    fn swept(tree: &Tree) -> usize {
        let lanes = |block: &Block| block.tiles().len() * ROW;
        tree.blocks.iter().map(lanes).sum()
    }

    #[test]
    fn lanes_of_bodies_that_left_are_filled_and_snapshots_know_it() {
        let mut world = World::default();
        world.add(leafy());
        world
            .fields
            .push(Box::new(Wind::steady(Vec3::new(5.0, 0.0, 1.0))));
        let id = crate::TreeId(0);
        let whole = world.snapshot();
        let (at_first, lanes) = (checked_links(world.tree(id)), swept(world.tree(id)));
        let mut random = Rng::new(7, 1);
        let mut half = None;
        for round in 0..40 {
            let tree = world.tree_mut(id);
            // A limb breaks now and then, leaves go all the time.
            let all = tree.len() as f64;
            for _ in 0..300 {
                let one = BodyId((random.unit() * all) as u32);
                let is_leaf = tree.body(one).kind == BodyKind::Leaf;
                if is_leaf || (round % 10 == 9 && tree.parent_of(one).is_some()) {
                    let limb = tree.body(one).branch > 0;
                    if is_leaf || limb {
                        tree.cut(one);
                    }
                }
            }
            checked_links(tree);
            world.step();
            if round == 20 {
                half = Some((
                    world.snapshot(),
                    checked_links(world.tree(id)),
                    world.state_hash(),
                ));
            }
        }
        let tree = world.tree(id);
        let left = tree.ids().filter(|&id| tree.is_attached(id)).count();
        println!(
            "{lanes} lanes for {}, {} for {left}",
            tree.len(),
            swept(tree)
        );
        assert!(3 * left < tree.len(), "most have left");
        assert!(
            swept(tree) < 2 * left + 40 * ROW,
            "and most lanes with them"
        );
        let end = world.state_hash();
        let (half, links, hash) = half.expect("there was a round 20");
        world.restore(&half);
        assert_eq!(checked_links(world.tree(id)), links);
        assert_eq!(world.state_hash(), hash);
        world.restore(&whole);
        assert_eq!(checked_links(world.tree(id)), at_first);
        assert_eq!(swept(world.tree(id)), lanes);
        assert_ne!(world.state_hash(), end);
    }
}
