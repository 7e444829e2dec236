//! Fictitious torques on the joints of a moving tree (Quigley 2017, §5, Eq. 20).
//!
//!   τ_fict = −m̂ p̂ × a_j − Ĩ α_p − Ĩ (ω_p × ω_c) − ω_c × Ĩ ω_c                                    (20)
//!
//! Added to each joint after the sums (3) and (4), in which they have no part. The motion of the parent is split into the rigid motion
//! of the root, averaged over the step, and the tree's own, as of the last step, which is scaled by `internal`.

use crate::block::{Block, OUTSIDE};
use crate::kinematics::Frame;
use crate::math::{Quaternion, V3};
use crate::params::Fictitious;
use crate::root::RigidMotion;

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

/// Adds the torques to the composites of a block.
pub(crate) fn add(block: &mut Block, spine: Option<&Block>, root: &RootTerms, factor: &Fictitious) {
    let mut next_root = 0;
    for i in 0..block.len {
        let parent = if block.parent[i] != OUTSIDE {
            Some(Frame::of_body(block, block.parent[i] as usize))
        } else if let Some(spine) = spine {
            let (_, at) = block.attached[next_root];
            next_root += 1;
            Some(Frame::of_body(spine, at as usize))
        } else {
            None // the anchor: its own motion is the rigid one
        };
        let own = Frame::of_body(block, i);
        let torque = torque(block, i, parent.as_ref(), &own, root, factor);
        let torque = limited(block, i, torque, factor.limit);
        let c = &mut block.composite.torque;
        c.set(i, c.get(i) + torque);
    }
}

/// The torque, or as much of it as bends the joint by `limit` rad at rest.
fn limited(block: &Block, i: usize, torque: V3<f32>, limit: f32) -> V3<f32> {
    let theta = Quaternion::from_joint_angle(block.state.theta.get(i));
    let joint_from_world = theta.times(block.state.rotation.get(i).conjugate());
    let (t, k) = (
        joint_from_world.rotate(torque),
        block.model.stiffness.get(i),
    );
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
    parent: Option<&Frame>,
    own: &Frame,
    root: &RootTerms,
    f: &Fictitious,
) -> V3<f32> {
    let (now, then) = (&root.over_step, &root.at_state);
    let s = f.internal;
    let a_j = now.acceleration_at(own.position)
        + (own.acceleration - then.acceleration_at(own.position)) * s;
    let (alpha_extra, omega_extra) = parent.map_or((V3::zero(), V3::zero()), |p| {
        (
            p.angular_acceleration - then.angular_acceleration,
            p.angular_velocity - then.angular_velocity,
        )
    });
    let alpha_p = now.angular_acceleration + alpha_extra * s;
    let omega_p = now.angular_velocity + omega_extra * s;
    let omega_c = now.angular_velocity + (own.angular_velocity - then.angular_velocity) * s;
    let inertia = block.composite.inertia.get(i);
    let linear = block.composite.moment.get(i).cross(a_j) * f.linear;
    let angular = inertia.apply(alpha_p) * f.angular;
    let coriolis = inertia.apply(omega_p.cross(omega_c)) * f.coriolis;
    let gyroscopic = omega_c.cross(inertia.apply(omega_c)) * f.gyroscopic;
    -(linear + angular + coriolis + gyroscopic)
}
