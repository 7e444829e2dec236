//! Fictitious torques on the joints of a moving tree (Quigley 2017, §5, Eq. 20).
//!
//!   τ_fict = −m̂ p̂ × a_j − Ĩ α_p − Ĩ (ω_p × ω_c) − ω_c × Ĩ ω_c                                    (20)
//!
//! Added to each joint after the sums (3) and (4), in which they have no part. The motion of the parent is split into the rigid motion
//! of the root, averaged over the step, and the tree's own, as of the last step, which is scaled by `internal`.

use crate::block::{Block, tile_of};
use crate::kinematics::{Acceleration, Frame};
use crate::math::simd::{ROW, Rows};
use crate::math::{Quaternion, V3};
use crate::params::Fictitious;
use crate::root::{Anchor, RigidMotion};

/// The root's motion over the step, and as it was when the tree's state was computed.
pub(crate) struct RootTerms {
    pub(crate) over_step: RigidMotion,
    pub(crate) at_state: RigidMotion,
}

impl Fictitious {
    /// Whether the stage has anything to do for a root that moves or not.
    pub(crate) fn active(&self, root_moves: bool) -> bool {
        let any = [self.linear, self.angular, self.coriolis, self.gyroscopic]
            .iter()
            .any(|&f| f != 0.0);
        any && (root_moves || self.internal != 0.0)
    }
}

/// Accelerations of the first slots, where a block hangs: of the spine those of the anchor, of another block those of the spine. Nothing
/// to do where the tree's own motion is left out.
pub(crate) fn bring_accelerations(block: &mut Block, spine: Option<&Block>, anchor: &Anchor) {
    for (own, &of) in block.accelerations.iter_mut().zip(&block.ghosts) {
        *own = spine.map_or(Acceleration::of_anchor(anchor), |s| {
            s.accelerations[of as usize]
        });
    }
}

/// Adds the torques to the composites of a block.
pub(crate) fn add(block: &mut Block, root: &RootTerms, factor: &Fictitious) {
    let follow = factor.internal != 0.0;
    for tile in block.tiles() {
        for lane in 0..ROW {
            let slot = tile * ROW + lane;
            let below = block.links[tile].parent[lane] as usize;
            let (parent, own) = (block.frame(below), block.frame(slot));
            // Multiplied by 0 where it is not followed.
            let mut there = Acceleration {
                alpha: root.at_state.angular_acceleration,
                a: V3::zero(),
            };
            let mut here = there;
            if follow {
                there = block.accelerations[below];
                here = there.carried(&parent, &own, &block.model(slot), &block.joint(slot));
                block.accelerations[slot] = here;
            }
            let torque = torque(block, slot, (&parent, there), (&own, here), root, factor);
            let torque = limited(block, slot, torque, factor.limit);
            let composite = &mut block.composites[tile_of(slot).0];
            for (row, t) in composite[13..]
                .iter_mut()
                .zip([torque.x, torque.y, torque.z])
            {
                row.set(lane, row.get(lane) + t);
            }
        }
    }
}

/// The torque, or as much of it as bends the joint by `limit` rad at rest.
fn limited(block: &Block, i: usize, torque: V3<f32>, limit: f32) -> V3<f32> {
    let theta = Quaternion::from_joint_angle(block.joint(i).theta);
    let joint_from_world = theta.times(block.frame(i).rotation.conjugate());
    let (t, k) = (joint_from_world.rotate(torque), block.model(i).stiffness);
    let angle = |t: f32, k: f32| t / k.max(f32::MIN_POSITIVE);
    let bend = V3 {
        x: angle(t.x, k.x),
        y: angle(t.y, k.y),
        z: angle(t.z, k.z),
    };
    let size = bend.length();
    if size > limit {
        torque * (limit / size)
    } else {
        torque
    }
}

fn torque(
    block: &Block,
    i: usize,
    (parent, there): (&Frame<f32>, Acceleration),
    (own, here): (&Frame<f32>, Acceleration),
    root: &RootTerms,
    f: &Fictitious,
) -> V3<f32> {
    let (now, then) = (&root.over_step, &root.at_state);
    let s = f.internal;
    let a_j = now.acceleration_at(own.position) + (here.a - then.acceleration_at(own.position)) * s;
    let alpha_p = now.angular_acceleration + (there.alpha - then.angular_acceleration) * s;
    let omega_p = now.angular_velocity + (parent.angular_velocity - then.angular_velocity) * s;
    let omega_c = now.angular_velocity + (own.angular_velocity - then.angular_velocity) * s;
    let whole = block.composite(i);
    let linear = whole.moment.cross(a_j) * f.linear;
    let angular = whole.inertia.apply(alpha_p) * f.angular;
    let coriolis = whole.inertia.apply(omega_p.cross(omega_c)) * f.coriolis;
    let gyroscopic = omega_c.cross(whole.inertia.apply(omega_c)) * f.gyroscopic;
    -(linear + angular + coriolis + gyroscopic)
}
