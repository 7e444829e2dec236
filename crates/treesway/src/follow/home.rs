//! Leaving the layout in which all bodies move for one of those that do, and coming back.

use super::{Follow, followed};
use crate::analytic::spring::JointState;
use crate::block::{Block, NOBODY, Place, lay_out, tile_of};
use crate::desc::BodyId;
use crate::kinematics::Frame;
use crate::math::simd::{Row, Rows};
use crate::math::{Quaternion, V3};
use crate::report::Counts;
use crate::snapshot::State;
use crate::step::each_block;
use crate::tree::Tree;

/// What a snapshot knows of a tree of which only a part moves.
#[derive(Clone)]
pub(crate) struct Followed {
    pub(crate) moves: Vec<bool>,
    pub(crate) states: Vec<State>,
}

impl Followed {
    pub(crate) fn of(tree: &Tree) -> Option<Self> {
        let follow = tree.follow.as_ref()?;
        let moves = tree.places.iter().map(|at| !at.follows());
        Some(Self {
            moves: moves.collect(),
            states: follow.blocks.iter().map(State::of).collect(),
        })
    }
}

impl Tree {
    /// Lays out anew those that move. All bodies are at home before.
    pub(crate) fn leave_home(&mut self, moves: &[bool], tuned: bool) {
        let bodies = self.len();
        let (mut movers, mut parents) = (Vec::new(), Vec::new());
        let mut carrier = vec![0_u32; bodies];
        for id in 0..bodies {
            let below = self.parent[id];
            if !moves[id] {
                carrier[id] = carrier[below as usize];
            } else if !self.places[id].is_off() {
                carrier[id] = movers.len() as u32;
                movers.push(id as u32);
                parents.push(match below {
                    NOBODY => NOBODY,
                    below => carrier[below as usize],
                });
            }
        }
        let (blocks, places) = lay_out(&parents);
        let home = core::mem::replace(&mut self.blocks, blocks);
        let mut follow = Follow {
            blocks: home,
            places: self.places.clone(),
            movers,
            carrier,
            then: Vec::new(),
            tuned,
        };
        for (id, place) in self.places.iter_mut().enumerate() {
            if !place.is_off() {
                *place = if moves[id] {
                    places[follow.carrier[id] as usize]
                } else {
                    Place::FOLLOWS
                };
            }
        }
        each_block(&mut follow.blocks, |block| {
            block.forget_work();
            Counts::default()
        });
        for block in &mut self.blocks {
            for slot in block.slots() {
                let (tile, lane) = tile_of(slot);
                let id = &mut block.links[tile].id[lane];
                *id = follow.movers[*id as usize];
                let (from, at) = follow.slot(BodyId(*id));
                block.copy(slot, from, at);
            }
        }
        let frame = |&id: &u32| {
            let (block, slot) = follow.slot(BodyId(id));
            block.frames[slot]
        };
        follow.then = follow.movers.iter().map(frame).collect();
        self.follow = Some(Box::new(follow));
        self.stop_followers();
        self.prepare_solver();
        self.make_stand_ins();
        self.tune();
        let follow = self.follow.as_mut().expect("it was made above");
        follow.tuned = tuned;
        self.hold_again();
    }

    /// Brings all bodies back, where they are now. Tells whether they have the springs of the parameters; what the solver needs is not there yet.
    pub(crate) fn come_home(&mut self) -> bool {
        self.bring_followers();
        let Some(follow) = self.follow.take() else {
            return true;
        };
        let Follow {
            mut blocks,
            places,
            movers,
            tuned,
            ..
        } = *follow;
        for id in movers.into_iter().map(BodyId) {
            let place = self.places[id.index()];
            if !place.is_off() {
                let (from, at) = (&self.blocks[place.block as usize], place.slot as usize);
                let home = places[id.index()];
                blocks[home.block as usize].copy(home.slot as usize, from, at);
            }
        }
        self.blocks = blocks;
        for (place, home) in self.places.iter_mut().zip(places) {
            if !place.is_off() {
                *place = home;
            }
        }
        tuned
    }

    /// Brings those that follow to where they are now: frames, and angles where they are not those to the parent.
    fn bring_followers(&mut self) {
        let keeps = self.keeps_directions();
        let Self {
            follow: Some(follow),
            blocks,
            places,
            ..
        } = self
        else {
            return;
        };
        let Follow {
            blocks: home,
            movers,
            carrier,
            then,
            ..
        } = &mut **follow;
        let now = |id: u32| {
            let at = places[id as usize];
            let off = at.is_off();
            (!off).then(|| blocks[at.block as usize].frame(at.slot as usize))
        };
        let now: Vec<Option<Frame<f32>>> = movers.iter().map(|&id| now(id)).collect();
        let (places, carrier) = (&*places, &*carrier);
        each_block(home, |block| {
            for slot in block.slots() {
                let id = block.id(slot) as usize;
                if let (true, k) = (places[id].follows(), carrier[id] as usize)
                    && let Some(now) = &now[k]
                {
                    let frame = followed(&block.frame(slot), &Frame::of_line(&then[k]), now);
                    block.frames[slot] = frame.line();
                }
            }
            Counts::default()
        });
        for (then, now) in then.iter_mut().zip(&now) {
            if let Some(now) = now {
                *then = now.line();
            }
        }
        if keeps {
            self.read_directions();
        }
    }

    /// Where branches keep their directions against the ground, those that follow did not: their turns are read anew.
    fn read_directions(&mut self) {
        let mut rests: Vec<Quaternion<f32>> = Vec::with_capacity(self.len());
        for id in self.ids() {
            let (block, slot) = self.slot(id);
            let below = match self.parent_of(id) {
                Some(parent) => rests[parent.index()],
                None => self.anchor.rotation.narrow(),
            };
            let rest = below.times(block.model(slot).joint_rotation).renormalised();
            rests.push(rest);
            if self.places[id.index()].follows() {
                let turn = rest.conjugate().times(block.frame(slot).rotation);
                let joint = JointState {
                    theta: turn.rotation_vector(),
                    ..JointState::rest()
                };
                let (block, slot) = self.slot_mut(id);
                block.set_joint(slot, joint);
            }
        }
    }

    /// Those that follow have no speed of their own.
    fn stop_followers(&mut self) {
        let Self {
            follow: Some(follow),
            places,
            ..
        } = self
        else {
            return;
        };
        let places = &*places;
        each_block(&mut follow.blocks, |block| {
            for slot in block.slots() {
                if places[block.id(slot) as usize].follows() {
                    let theta = block.joint(slot).theta;
                    let still = JointState {
                        theta,
                        ..JointState::rest()
                    };
                    block.set_joint(slot, still);
                }
            }
            Counts::default()
        });
    }

    /// After joints of those that follow were set by hand, or what the anchor is: they are where their joints say.
    pub(crate) fn settle_followers(&mut self) {
        let Some(follow) = &self.follow else {
            return;
        };
        let ids = 0..follow.places.len() as u32;
        let ids: Vec<u32> = ids
            .filter(|&id| self.places[id as usize].follows())
            .collect();
        for (k, &mover) in follow.movers.clone().iter().enumerate() {
            if !self.places[mover as usize].is_off() {
                let now = self.frame_of(BodyId(mover)).line();
                let follow = self.follow.as_mut().expect("it was there before");
                follow.then[k] = now;
            }
        }
        for id in ids.into_iter().map(BodyId) {
            let below = self.parent_of(id).expect("the root does not follow");
            let below = self.frame_of(below);
            let (block, slot) = self.slot_mut(id);
            let (model, joint) = (block.model(slot), block.joint(slot));
            let placed = crate::kinematics::placed(&below, &model, &joint, V3::zero());
            block.frames[slot] = placed.line();
        }
        self.make_stand_ins();
    }

    /// After a new layout: pulls and loads act on what moves.
    pub(crate) fn hold_again(&mut self) {
        for i in 0..self.loads.len() {
            let load = self.loads[i];
            let (body, point) = self.held_at(load.body, load.point_in_body);
            (self.loads[i].body, self.loads[i].point_in_body) = (body, point);
        }
        for i in 0..self.grips.len() {
            let pull = self.grips[i].1.pull;
            let (body, point) = self.held_at(pull.body, pull.point_in_body);
            let way = self.way_to(body);
            let block = &mut self.blocks[self.places[body.index()].block as usize];
            block.holds.reserve(self.grips.len());
            let grip = &mut self.grips[i].1;
            (grip.pull.body, grip.pull.point_in_body) = (body, point);
            grip.go_by(way);
        }
    }

    /// The body that moves a point of another, and where in it that is.
    pub(crate) fn held_at(&self, body: BodyId, point: glam::Vec3) -> (BodyId, glam::Vec3) {
        let carrier = self.carrier(body);
        if carrier == body {
            return (body, point);
        }
        let (own, of) = (self.frame_of(body), self.frame_of(carrier));
        let at = own.position + own.rotation.rotate(point.into());
        let inside = of.rotation.conjugate().rotate(at - of.position);
        (carrier, inside.into())
    }
}

impl Block {
    /// Drops what only a step needs.
    fn forget_work(&mut self) {
        self.work = Vec::new();
        self.biases = Vec::new();
        self.held = Vec::new();
        self.accelerations = Vec::new();
        self.composites = Vec::new();
        self.particles = Vec::new();
        self.inverses = Vec::new();
    }

    /// Takes over a body of another block, with its motion and what it carries.
    pub(crate) fn copy(&mut self, slot: usize, from: &Self, at: usize) {
        let ((tile, lane), (from_tile, from_lane)) = (tile_of(slot), tile_of(at));
        self.models[tile].set(lane, from.models[from_tile].get(from_lane));
        self.shapes[tile].set(lane, from.shapes[from_tile].get(from_lane));
        self.joints[tile].set(lane, from.joints[from_tile].get(from_lane));
        self.frames[slot] = from.frames[at];
        self.copy_burden(slot, from, at);
    }
}

/// A line of zeros, for tiles of spans.
pub(super) const NO_SPAN: Row = Row::ZERO;
