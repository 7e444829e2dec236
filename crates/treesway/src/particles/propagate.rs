//! Where the children of a branch go that has turned.
//!
//! Where they turn with it, that is forward kinematics ([`crate::kinematics`]). As printed (5.2, 5.3) they are only moved: a branch rests in the
//! direction it grew in, whatever its parent does, and its own turn goes on top of that.

use super::{Particle, Propagation};
use crate::analytic::spring::JointState;
use crate::block::{Block, Model};
use crate::desc::BodyId;
use crate::kinematics::{self, Frame, copy_ghosts, parent_columns, set_columns};
use crate::math::simd::{BLANK, Isa, Kernel, ROW, Rows, Vector, dispatch};
use crate::math::{Quaternion, Real, V3};
use crate::params::Solver;
use crate::report::Counts;
use crate::step::each_block;
use crate::surroundings::splat;
use crate::tree::Tree;

/// Where a branch is whose parent is at `p`, on ground that has turned.
#[inline(always)]
pub(crate) fn moved<T: Real>(
    p: &Frame<T>,
    ground: &Frame<T>,
    model: &Model<T>,
    home: Quaternion<T>,
    joint: &JointState<T>,
) -> Frame<T> {
    let d = p.rotation.rotate(model.joint_rotation.rotate(model.arm));
    let rest = ground.rotation.times(home);
    let by = Quaternion::from_joint_angle(joint.theta);
    Frame {
        rotation: rest.times(by).renormalised(),
        position: p.position + d,
        velocity: p.velocity_of(d),
        angular_velocity: ground.angular_velocity + rest.rotate(joint.rate),
        alpha: V3::zero(),
    }
}

/// The bodies of a block whose ghosts have moved.
struct Move<'a> {
    block: &'a mut Block,
    ground: Frame<f32>,
}

impl Kernel for Move<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let Self { block, ground } = self;
        let ground = Frame {
            rotation: Quaternion {
                v: splat(ground.rotation.v),
                w: T::splat(ground.rotation.w),
            },
            position: splat(ground.position),
            velocity: splat(ground.velocity),
            angular_velocity: splat(ground.angular_velocity),
            alpha: V3::zero(),
        };
        let (mut parents, mut columns) = (BLANK, BLANK);
        for tile in block.tiles() {
            parent_columns::<T>(&block.frames, &block.links[tile].parent, &mut parents);
            for at in (0..ROW).step_by(T::WIDTH) {
                let parent = Frame::<T>::of_columns(&parents, at);
                let (model, joint) = (block.models[tile].load(at), block.joints[tile].load(at));
                let Particle { home, .. } = block.particles[tile].load(at);
                moved(&parent, &ground, &model, home, &joint).store(&mut columns, at);
            }
            set_columns::<T>(&mut block.frames, tile, &columns);
        }
    }
}

impl Tree {
    /// Whether the children of a branch that turns are only moved.
    pub(crate) fn keeps_directions(&self) -> bool {
        self.settings.solver == Solver::Particles
            && self.settings.particles.children == Propagation::Moved
    }

    /// The turn of a body and its rate, as its frame tells them: against its parent, or where it keeps its direction against the ground.
    pub(crate) fn joint_in_frame(&self, id: BodyId, keeps_directions: bool) -> JointState<f32> {
        let (block, slot) = self.slot(id);
        let own = self.frame_of(id);
        let below = match self.parent_of(id) {
            Some(parent) if !keeps_directions => self.frame_of(parent),
            _ => Frame::of_anchor(&self.anchor),
        };
        let joint = match block.particle(slot) {
            Some(particle) if keeps_directions => below.rotation.times(particle.home),
            _ => below.rotation.times(block.model(slot).joint_rotation),
        };
        let back = joint.conjugate();
        JointState {
            theta: back.times(own.rotation).rotation_vector(),
            rate: back.rotate(own.angular_velocity - below.angular_velocity),
            accel: V3::zero(),
        }
    }

    /// Sets all joints by the frames of their bodies, after the meaning of a turn has changed.
    pub(crate) fn read_joints(&mut self) {
        let keeps = self.keeps_directions();
        for id in self.ids() {
            if self.is_attached(id) {
                let joint = self.joint_in_frame(id, keeps);
                let (block, slot) = self.slot_mut(id);
                block.set_joint(slot, joint);
            }
        }
    }

    /// Root to tips: where all bodies are after the particles have swung.
    pub(crate) fn propagate(&mut self, isa: Isa) {
        let moved = self.keeps_directions();
        let ground = Frame::of_anchor(&self.anchor);
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        spine.frames[0] = ground.line();
        let place = |block: &mut Block| {
            if moved {
                dispatch(isa, Move { block, ground });
            } else {
                kinematics::sweep(block, isa);
            }
        };
        place(spine);
        each_block(rest, |block| {
            copy_ghosts(block, spine);
            place(block);
            Counts::default()
        });
    }
}
