//! Bodies that leave the tree. Their lanes are emptied, outside of a step and without a new layout; ids keep their meaning.
//!
//! What is off lies in a block of its own, [`Off::block`], in the order in which it left; no sweep goes over that block, and [`Place::OFF`]
//! leads there. A leaf or a fruit that leaves falls ([`crate::free`]); wood stays where it is until somebody carries it.

use crate::analytic::spring::JointState;
use crate::block::{Block, Model, NOBODY, Place, Sizes, tile_of};
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

    /// Moves a body from its lane, which is empty then, to those that are off.
    pub(crate) fn take_off(&mut self, id: BodyId, motion: OffMotion) {
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
        self.off.homes.push(Home { place, parent });
        self.places[id.index()] = Place::off(slot);
    }

    /// Fills the lanes of all bodies again that are off, but for their motion: a snapshot has that.
    fn put_back(&mut self) {
        let off = std::mem::replace(&mut self.off, Off::new());
        for (i, home) in off.homes.iter().enumerate() {
            let slot = Off::slot(i);
            let (id, from) = (off.block.id(slot), home.place);
            let block = &mut self.blocks[from.block as usize];
            let (tile, lane) = tile_of(from.slot as usize);
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
        for id in off.ids() {
            self.take_off(id, OffMotion::Still);
        }
        // Parameters may have changed since the snapshot: geometry and springs are those of now.
        self.off.block.joints.clone_from(&off.block.joints);
        self.off.block.frames.clone_from(&off.block.frames);
        self.off.tiles.clone_from(&off.tiles);
        self.off.seen = off.seen;
    }
}
