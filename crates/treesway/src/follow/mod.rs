//! Trees of which only a part moves on its own; the rest follows what carries it, rigidly.
//!
//! For trees that are far away, and for trees of millions of bodies that are to be tuned while they move. [`Simulated`] says which bodies move ([`choose`]);
//! what carries one that does moves too, so that those who follow are whole ends of branches. They keep the angles of their joints, and to a step they
//! are a few [`stand_ins`] on the body that carries them: bodies whose joints do not turn, with the mass, the inertia and the surface to the wind of all
//! that follows there. A step therefore costs what the moving part costs and some five bodies more for every one that is followed ([`carry`]).
//!
//! Bodies that move are laid out anew, in blocks of their own ([`Tree::blocks`]). Those that follow stay where they were, in [`Follow::blocks`], with
//! the frames that they had when the choice was made: with the frame C of the body that carries them then and C' now, a body at B is at
//!
//!   B' = C' C⁻¹ B,                                                                                    (1)
//!
//! found when somebody asks ([`Tree::pose`]). Choosing costs a few sweeps over all bodies, following nothing.

mod carry;
mod choose;
mod home;
mod pace;
mod stand_ins;

pub(crate) use carry::{Carrying, Columns, StandIn, load};
pub use choose::Simulated;
pub(crate) use home::Followed;
pub use pace::Pace;
pub(crate) use stand_ins::StandInTile;

use crate::block::{Block, Place};
use crate::desc::{BodyId, BuildError};
use crate::kinematics::Frame;
use crate::math::V3;
use crate::math::simd::Row;
use crate::params::Solver;
use crate::root::RootKind;
use crate::tree::Tree;

/// A tree of which only a part moves.
#[derive(Clone, Debug)]
pub(crate) struct Follow {
    /// All bodies as they lie when all of them move. Those that move are here as they were when they were chosen.
    pub(crate) blocks: Vec<Block>,
    /// By id.
    pub(crate) places: Vec<Place>,
    /// Ids of those that move, ascending.
    pub(crate) movers: Vec<u32>,
    /// By id: which of the movers a body is, or follows.
    pub(crate) carrier: Vec<u32>,
    /// Of each mover its frame when it was chosen.
    pub(crate) then: Vec<Row>,
    /// Whether `blocks` have the springs and dampers of the parameters.
    pub(crate) tuned: bool,
}

impl Follow {
    pub(crate) fn slot(&self, id: BodyId) -> (&Block, usize) {
        let at = self.places[id.index()];
        (&self.blocks[at.block as usize], at.slot as usize)
    }

    /// Where a body is that follows one of the movers, of which `now` tells where it is.
    #[inline(always)]
    pub(crate) fn frame_of(
        &self,
        id: BodyId,
        now: impl FnOnce(BodyId) -> Frame<f32>,
    ) -> Frame<f32> {
        let k = self.carrier[id.index()] as usize;
        let (block, slot) = self.slot(id);
        let (then, now) = (Frame::of_line(&self.then[k]), now(BodyId(self.movers[k])));
        followed(&block.frame(slot), &then, &now)
    }

    /// Who carries a body, or itself.
    pub(crate) fn mover(&self, id: BodyId) -> BodyId {
        BodyId(self.movers[self.carrier[id.index()] as usize])
    }
}

/// (1), with the velocities of a rigid body.
#[inline(always)]
pub(crate) fn followed(own: &Frame<f32>, then: &Frame<f32>, now: &Frame<f32>) -> Frame<f32> {
    let turn = now.rotation.times(then.rotation.conjugate());
    let arm = turn.rotate(own.position - then.position);
    Frame {
        rotation: turn.times(own.rotation).renormalised(),
        position: now.position + arm,
        velocity: now.velocity_of(arm),
        angular_velocity: now.angular_velocity,
        alpha: V3::zero(),
    }
}

impl Tree {
    /// Chooses which bodies move on their own, outside of a step; the others follow what carries them, as they are bent now. Nothing jumps: those that
    /// follow from now on lose their own speed, those that move again start from rest where they are. The choice takes a few sweeps over all bodies.
    ///
    /// What follows is heavy, is blown at and is touched as a part of what carries it; a pull or load on it acts there. It sheds no leaves, does not break by
    /// itself and catches no snow, and the masses of leaves that let go later are those of bodies that move. A tree with a free root moves as a whole,
    /// whatever is chosen, and so do one of the spectral solver, which computes every body from the time alone, and one that does not pass through itself: any body may touch another.
    ///
    /// Fails, naming the field, where something is out of its range.
    pub fn simulate_only(&mut self, chosen: &Simulated) -> Result<(), BuildError> {
        chosen.validate(self.len())?;
        self.simulated = chosen.clone();
        self.choose_again();
        Ok(())
    }

    /// Which bodies were chosen to move on their own.
    pub fn simulated(&self) -> &Simulated {
        &self.simulated
    }

    /// How many bodies move on their own.
    pub fn moving(&self) -> usize {
        self.follow.as_ref().map_or(self.len(), |f| f.movers.len())
    }

    /// The body that moves this one: itself where it moves on its own, else the one that it follows.
    pub fn carrier(&self, id: BodyId) -> BodyId {
        if self.places[id.index()].follows() {
            self.follow.as_ref().map_or(id, |f| f.mover(id))
        } else {
            id
        }
    }

    /// All bodies as they stand, for what they hold back: where only a part moves, as they stood when that was chosen.
    pub(crate) fn standing(&self) -> &[Block] {
        self.follow.as_ref().map_or(&self.blocks, |f| &f.blocks)
    }

    /// Whether all bodies move, whatever is chosen.
    pub(crate) fn moves_whole(&self) -> bool {
        self.root == RootKind::Free
            || self.settings.solver == Solver::Spectral
            || self.keeps_apart()
    }

    /// After a change of what is chosen, or of what can be.
    pub(crate) fn choose_again(&mut self) {
        let part = !self.simulated.is_everything() && !self.moves_whole();
        let moves = part.then(|| choose::chosen(self, &self.simulated));
        match moves.filter(|moves| moves.iter().any(|m| !m)) {
            Some(moves) => {
                let tuned = self.come_home();
                self.leave_home(&moves, tuned);
            }
            None if self.follow.is_some() => {
                let tuned = self.come_home();
                self.prepare_solver();
                if tuned {
                    self.make_particles();
                    self.draw_stalks();
                } else {
                    self.tune();
                }
                self.hold_again();
            }
            None => {}
        }
    }

    /// Frame of a body, wherever it is.
    #[inline(always)]
    pub(crate) fn frame_of(&self, id: BodyId) -> Frame<f32> {
        let at = self.places[id.index()];
        if at.is_off() {
            self.off.block.frame(at.slot as usize)
        } else {
            self.poses().frame_of(id)
        }
    }
}
