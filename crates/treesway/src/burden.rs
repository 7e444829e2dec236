//! What bodies carry that is not of the tree: snow, and creatures that ride on them.
//!
//! It is part of the body's mass for every solver, so that the heaviest load on the thinnest twig is as stable as the twig. Snow lies spread over a body like
//! the body's own mass; a rider is a point on its axis. With m, z and J of the body alone (J about its joint), s of snow and M of a rider at Z:
//!
//!   m' = m + s + M,    m' z' = (m + s) z + M Z,    J' = J (1 + s/m) + M Z² across the axis                                  (1)
//!
//! Springs, dampers and the pose that a tree holds are those of the bodies alone.

use crate::block::{Block, Model, NOBODY, tile_of};
use crate::desc::BodyId;
use crate::math::V3;
use crate::math::simd::{ROW, Row, Rows, rows};
use crate::snow::{Change, SnowTile};
use crate::tree::Tree;

/// A body without what it carries.
#[derive(Clone, Copy, Debug)]
struct Own<T> {
    mass: T,
    com_z: T,
    inertia: V3<T>,
}
rows!(Own, mass, com_z, inertia);

/// A mass on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rider {
    /// Who.
    pub(crate) creature: usize,
    pub(crate) body: BodyId,
    /// kg.
    pub(crate) mass: f32,
    /// How far along the body's axis, m.
    pub(crate) z: f32,
}

/// What the bodies of a block carry; empty until the first does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Burden {
    own: Vec<Own<Row>>,
    pub(crate) snow: Vec<SnowTile>,
    pub(crate) riders: Vec<Rider>,
    /// What snow did in this frame.
    pub(crate) change: Change,
}

impl Block {
    /// Remembers its bodies as they are without a burden.
    pub(crate) fn prepare_burden(&mut self) {
        if self.burden.own.is_empty() {
            let own = |model: &Model<Row>| Own {
                mass: model.mass,
                com_z: model.com_z,
                inertia: model.inertia,
            };
            self.burden.own.extend(self.models.iter().map(own));
            self.burden.snow.resize(self.models.len(), SnowTile::NONE);
        }
    }

    /// Puts what a body carries on it: (1).
    pub(crate) fn burden_body(&mut self, slot: usize) {
        let (tile, lane) = tile_of(slot);
        let own = self.burden.own[tile].get(lane);
        let snow = self.burden.snow[tile].lying.get(lane);
        let share = 1.0 + snow / own.mass;
        let (mut mass, mut moment) = (own.mass + snow, (own.mass + snow) * own.com_z);
        let mut inertia = own.inertia * share;
        let id = self.links[tile].id[lane];
        for rider in self.burden.riders.iter().filter(|r| r.body.0 == id) {
            mass += rider.mass;
            moment += rider.mass * rider.z;
            let across = rider.mass * rider.z * rider.z;
            inertia.x += across;
            inertia.y += across;
        }
        let model = &mut self.models[tile];
        model.mass.set(lane, mass);
        // Without a rider the centre stays, to the last bit.
        let ridden = mass != own.mass + snow;
        model
            .com_z
            .set(lane, if ridden { moment / mass } else { own.com_z });
        model.inertia.set(lane, inertia);
    }

    /// Takes everything off a body that leaves the tree; returns the snow, kg.
    pub(crate) fn clear_burden(&mut self, slot: usize) -> f32 {
        if self.burden.own.is_empty() {
            return 0.0;
        }
        let (tile, lane) = tile_of(slot);
        let id = self.links[tile].id[lane];
        self.burden.riders.retain(|r| r.body.0 != id);
        let lying = self.burden.snow[tile].lying.get(lane);
        self.burden.snow[tile].lying.set(lane, 0.0);
        self.burden_body(slot);
        lying
    }

    /// Takes over what a body of another block carries, which is on its model already.
    pub(crate) fn copy_burden(&mut self, slot: usize, from: &Self, at: usize) {
        if from.burden.own.is_empty() && self.burden.own.is_empty() {
            return;
        }
        self.prepare_burden();
        let ((tile, lane), (from_tile, from_lane)) = (tile_of(slot), tile_of(at));
        let (own, snow) = match from.burden.own.get(from_tile) {
            Some(own) => (
                own.get(from_lane),
                from.burden.snow[from_tile].get(from_lane),
            ),
            None => {
                let Model {
                    mass,
                    com_z,
                    inertia,
                    ..
                } = from.model(at);
                let own = Own {
                    mass,
                    com_z,
                    inertia,
                };
                (own, SnowTile::NONE.get(0))
            }
        };
        self.burden.own[tile].set(lane, own);
        self.burden.snow[tile].set(lane, snow);
        let id = self.id(slot);
        self.burden.riders.retain(|r| r.body.0 != id);
        let riders = from.burden.riders.iter().filter(|r| r.body.0 == id);
        self.burden.riders.extend(riders);
    }

    /// A body's burden goes with it to another slot of this block; riders know it by its id.
    pub(crate) fn move_burden(&mut self, from: usize, to: usize) {
        if self.burden.own.is_empty() {
            return;
        }
        let ((tile, lane), (to_tile, to_lane)) = (tile_of(from), tile_of(to));
        let (own, snow) = (
            self.burden.own[tile].get(lane),
            self.burden.snow[tile].get(lane),
        );
        self.burden.own[to_tile].set(to_lane, own);
        self.burden.snow[to_tile].set(to_lane, snow);
        self.burden.snow[tile].set(lane, SnowTile::NONE.get(0));
    }

    /// Bodies as they are without a burden, which is not forgotten.
    fn lift_burden(&mut self) {
        for (model, own) in self.models.iter_mut().zip(&self.burden.own) {
            model.mass = own.mass;
            model.com_z = own.com_z;
            model.inertia = own.inertia;
        }
    }

    /// Puts it on the bodies as they are now.
    fn lay_burden(&mut self) {
        if self.burden.own.is_empty() {
            return;
        }
        let Burden { snow, riders, .. } = core::mem::take(&mut self.burden);
        self.prepare_burden();
        (self.burden.snow, self.burden.riders) = (snow, riders);
        for slot in self.slots() {
            self.burden_body(slot);
        }
    }
}

/// What the bodies of a block carry at one time.
#[derive(Clone, Debug, Default)]
pub(crate) struct BurdenState {
    snow: Vec<SnowTile>,
    riders: Vec<Rider>,
}

impl BurdenState {
    pub(crate) fn of(block: &Block) -> Self {
        Self {
            snow: block.burden.snow.clone(),
            riders: block.burden.riders.clone(),
        }
    }

    /// The block's bodies are without a burden before.
    pub(crate) fn bring_back(&self, block: &mut Block) {
        block.burden = Burden::default();
        if !self.snow.is_empty() {
            block.prepare_burden();
            block.burden.snow.clone_from(&self.snow);
            block.burden.riders.clone_from(&self.riders);
            block.lay_burden();
        }
    }
}

impl Tree {
    pub(crate) fn lift_burdens(&mut self) {
        self.all_blocks_mut().for_each(Block::lift_burden);
    }

    pub(crate) fn lay_burdens(&mut self) {
        self.all_blocks_mut().for_each(Block::lay_burden);
    }

    /// Of those that move and of those that follow.
    fn all_blocks_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        let home = self.follow.iter_mut().flat_map(|f| &mut f.blocks);
        self.blocks.iter_mut().chain(home)
    }

    /// Puts a rider on a body, which is on the tree; of one that follows another on that, as near as its axis comes.
    pub(crate) fn carry(&mut self, rider: Rider) {
        let along = glam::Vec3::new(0.0, 0.0, rider.z);
        let (body, point) = self.held_at(rider.body, along);
        let rider = Rider {
            body,
            z: point.z,
            ..rider
        };
        let at = self.places[rider.body.index()];
        let (block, slot) = (&mut self.blocks[at.block as usize], at.slot as usize);
        block.prepare_burden();
        block.burden.riders.retain(|r| r.creature != rider.creature);
        block.burden.riders.push(rider);
        block.burden_body(slot);
        self.wake();
    }

    /// Takes a rider off a body, if that is on the tree.
    pub(crate) fn let_off(&mut self, creature: usize, body: BodyId) {
        let at = self.places[self.carrier(body).index()];
        if at.is_off() {
            return;
        }
        let (block, slot) = (&mut self.blocks[at.block as usize], at.slot as usize);
        block.burden.riders.retain(|r| r.creature != creature);
        block.burden_body(slot);
        self.wake();
    }

    /// Snow on a body over its broadside area, kg/m².
    pub fn snow_load(&self, id: BodyId) -> f32 {
        let (block, slot) = self.slot(id);
        self.snow_mass(id) / block.models[slot / ROW].area.get(slot % ROW).max(1e-9)
    }

    /// Snow on a body, kg.
    pub fn snow_mass(&self, id: BodyId) -> f32 {
        if !self.is_attached(id) {
            return 0.0;
        }
        let (block, slot) = self.slot(id);
        let (tile, lane) = tile_of(slot);
        block
            .burden
            .snow
            .get(tile)
            .map_or(0.0, |s| s.lying.get(lane))
    }
}

/// Lanes of a tile that hold bodies.
pub(crate) fn lanes(block: &Block, tile: usize) -> impl Iterator<Item = usize> + use<> {
    let id = block.links[tile].id;
    (0..ROW).filter(move |&lane| id[lane] != NOBODY)
}
