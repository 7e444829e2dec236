//! From joint angles to the world, root to tips (Quigley 2017, §4, Eq. 7–12).
//!
//! Reads `theta`, `rate`, `accel` and the anchor; writes orientation, position, velocity and acceleration of every body. The paper
//! keeps centres of mass; here the joint's own motion is kept, so that for a child c of p at d = R_p · joint_in_parent
//!
//!   R_c = R_p R_j exp(θ),  ω_c = ω_p + R_p R_j θ̇,  α_c = α_p + R_p R_j θ̈ + ω_p × ω_c,            (7–9)
//!   x_c = x_p + d,  v_c = v_p + ω_p × d,  a_c = a_p + α_p × d + ω_p × (ω_p × d),                  (10–12)
//!
//! and joints cannot come apart.

use crate::block::{Block, OUTSIDE};
use crate::math::{LANES, Quaternion, V3};
use crate::root::Anchor;

/// World motion of a body's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) rotation: Quaternion<f32>,
    pub(crate) position: V3<f32>,
    pub(crate) velocity: V3<f32>,
    pub(crate) acceleration: V3<f32>,
    pub(crate) angular_velocity: V3<f32>,
    pub(crate) angular_acceleration: V3<f32>,
}

impl Frame {
    pub(crate) fn of_anchor(anchor: &Anchor) -> Self {
        Self {
            rotation: anchor.rotation.narrow(),
            position: anchor.position.narrow(),
            velocity: anchor.velocity.narrow(),
            acceleration: anchor.acceleration.narrow(),
            angular_velocity: anchor.angular_velocity.narrow(),
            angular_acceleration: anchor.angular_acceleration.narrow(),
        }
    }

    #[inline(always)]
    pub(crate) fn of_body(block: &Block, i: usize) -> Self {
        let s = &block.state;
        Self {
            rotation: s.rotation.get(i),
            position: s.position.get(i),
            velocity: s.velocity.get(i),
            acceleration: s.acceleration.get(i),
            angular_velocity: s.angular_velocity.get(i),
            angular_acceleration: s.angular_acceleration.get(i),
        }
    }
}

/// exp(θ) of every joint of a block, eight at a time, into `rotation`, where the sweep turns it into the body's.
fn turn_joints(block: &mut Block) {
    for i in (0..block.lanes()).step_by(LANES) {
        let turn = Quaternion::from_joint_angle(block.state.theta.load(i));
        block.state.rotation.store(i, turn);
    }
}

/// Moves the bodies of the spine.
pub(crate) fn sweep_spine(spine: &mut Block, anchor: &Anchor) {
    turn_joints(spine);
    let ground = Frame::of_anchor(anchor);
    for i in 0..spine.len {
        let parent = if spine.parent[i] == OUTSIDE {
            ground
        } else {
            Frame::of_body(spine, spine.parent[i] as usize)
        };
        place_body(spine, i, spine.state.rotation.get(i), &parent);
    }
}

/// Moves the treelets of a block; the spine must have moved.
pub(crate) fn sweep_treelets(block: &mut Block, spine: &Block) {
    turn_joints(block);
    let mut next_root = 0;
    for i in 0..block.len {
        let parent = if block.parent[i] == OUTSIDE {
            let (_, at) = block.attached[next_root];
            next_root += 1;
            Frame::of_body(spine, at as usize)
        } else {
            Frame::of_body(block, block.parent[i] as usize)
        };
        place_body(block, i, block.state.rotation.get(i), &parent);
    }
}

/// Moves one body with its joint's θ.
#[inline(always)]
pub(crate) fn move_body(block: &mut Block, i: usize, p: &Frame) {
    let turn = Quaternion::from_joint_angle(block.state.theta.get(i));
    place_body(block, i, turn, p);
}

/// Moves one body whose joint turned by `by` = exp(θ).
#[inline(always)]
fn place_body(block: &mut Block, i: usize, by: Quaternion<f32>, p: &Frame) {
    let (model, state) = (&block.model, &mut block.state);
    let joint = p.rotation.times(model.joint_rotation.get(i));
    let rotation = joint.times(by).renormalised();
    let d = p.rotation.rotate(model.joint_in_parent.get(i));
    let turn = joint.matrix();
    let omega = p.angular_velocity + turn.apply(state.rate.get(i));
    let alpha =
        p.angular_acceleration + turn.apply(state.accel.get(i)) + p.angular_velocity.cross(omega);
    let swing = p.angular_velocity.cross(d);
    state.rotation.set(i, rotation);
    state.angular_velocity.set(i, omega);
    state.angular_acceleration.set(i, alpha);
    state.position.set(i, p.position + d);
    state.velocity.set(i, p.velocity + swing);
    let centripetal = p.angular_velocity.cross(swing);
    state.acceleration.set(
        i,
        p.acceleration + p.angular_acceleration.cross(d) + centripetal,
    );
}
