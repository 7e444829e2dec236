//! External forces of every body, gathered about its joint (Quigley 2017, §4, first stage).
//!
//! Reads pose, velocity and model; writes the body's own share of its composite: mass, first moment, inertia, force, torque.
//!
//! Air drag depends on the body's velocity. Each joint of a chain would correct the whole velocity error of what it carries, so
//! full feedback is multiplied by the number of joints below and diverges. Here the damping matrix of a field is limited to
//! m/(h·depth), the strength at which all joints below together take away the error once:
//!
//!   f = f_field + (1 − s) D v,   s = feedback · min(1, m / (h · depth · |D|)).
//!
//! The mean force of the wind, and so the steady bend, does not change.

use crate::block::{Block, OUTSIDE};
use crate::forces::{BodySample, ForceField};
use crate::math::{Sym3, V3};
use crate::report::Counts;

use super::composite::Composite;

/// What acts on a tree in a step.
pub(crate) struct Surroundings<'a> {
    pub(crate) gravity: V3<f32>, // m/s²
    pub(crate) fields: &'a [Box<dyn ForceField>],
    pub(crate) seconds: f64,
}

/// Forces beyond this are a caller's mistake and are treated as not finite, N or N·m: their sums would overflow.
const MOST_FORCE: f32 = 1e18;

/// Whether a force can be used.
#[inline(always)]
pub(crate) fn usable(v: V3<f32>) -> bool {
    // False for NaN, too.
    v.x.abs().max(v.y.abs()).max(v.z.abs()) < MOST_FORCE && v.is_finite()
}

/// Own contribution of every body of a block; returns how many had a force that is not finite. Those are set back to the given
/// pose at rest, and their force is dropped.
pub(crate) fn gather(block: &mut Block, around: &Surroundings, h: f32, feedback: f32) -> Counts {
    let mut counts = Counts::default();
    for i in 0..block.len {
        let (model, state) = (&block.model, &block.state);
        let r = state.rotation.get(i).matrix();
        let mass = model.mass[i];
        let com = r.z * model.com_z[i];
        let mut force = V3::zero();
        let mut torque = V3::zero();
        if !around.fields.is_empty() {
            let velocity = state.velocity.get(i) + state.angular_velocity.get(i).cross(com);
            let sample = BodySample::of(block, i, r, com, velocity);
            for field in around.fields {
                let f = field.force(around.seconds, &sample);
                let most = mass / (h * model.depth[i] * f.damping.trace().max(1e-30));
                let share = feedback * most.min(1.0);
                force += f.force + f.damping.apply(velocity) * (1.0 - share);
                torque += f.torque;
            }
            if !(usable(force) && usable(torque)) {
                (force, torque) = (V3::zero(), V3::zero());
                heal(block, i);
                counts.healed += 1;
            }
        }
        force += around.gravity * mass;
        torque += com.cross(force);
        let inertia = Sym3::rotated_diagonal(r, block.model.inertia.get(i));
        block.composite.set(
            i,
            Composite {
                mass,
                moment: com * mass,
                inertia,
                force,
                torque,
            },
        );
    }
    counts
}

/// Adds a force and a torque about the joint to a body; false, with the body healed, if they are not finite.
pub(crate) fn add(block: &mut Block, i: usize, force: V3<f32>, torque: V3<f32>) -> bool {
    if !(usable(force) && usable(torque)) {
        heal(block, i);
        return false;
    }
    let c = &mut block.composite;
    c.force.set(i, c.force.get(i) + force);
    c.torque.set(i, c.torque.get(i) + torque);
    true
}

/// Back to the given pose, at rest.
pub(crate) fn heal(block: &mut Block, i: usize) {
    block.state.theta.set(i, V3::zero());
    block.state.rate.set(i, V3::zero());
    block.state.accel.set(i, V3::zero());
}

/// Sums the treelets of a block, tips to roots (Eq. 1–4).
pub(crate) fn sum_treelets(block: &mut Block) {
    for i in (0..block.len).rev() {
        if block.parent[i] != OUTSIDE {
            sum_into(block, block.parent[i] as usize, i);
        }
    }
}

/// Sums the spine after its treelets.
pub(crate) fn sum_spine(spine: &mut Block, blocks: &[Block]) {
    for block in blocks {
        for &(slot, at) in &block.attached {
            let (slot, at) = (slot as usize, at as usize);
            let d = spine
                .state
                .rotation
                .get(at)
                .rotate(block.model.joint_in_parent.get(slot));
            let sum = spine
                .composite
                .get(at)
                .joined(block.composite.get(slot).shifted(d));
            spine.composite.set(at, sum);
        }
    }
    sum_treelets(spine);
}

#[inline(always)]
fn sum_into(block: &mut Block, parent: usize, child: usize) {
    let d = block
        .state
        .rotation
        .get(parent)
        .rotate(block.model.joint_in_parent.get(child));
    let sum = block
        .composite
        .get(parent)
        .joined(block.composite.get(child).shifted(d));
    block.composite.set(parent, sum);
}
