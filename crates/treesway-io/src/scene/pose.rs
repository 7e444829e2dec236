//! Joints that a scene bends by hand: the bent pose becomes the one that the tree is given.

use super::file::PoseTable;
use treesway::TreeDesc;
use treesway::math::{Quaternion, V3};

/// Largest turn of a joint, rad, with room for rounding.
const HALF_TURN: f32 = core::f32::consts::PI + 1e-3;

/// Turns the joints of a tree, each from where it was cut. Fails with the number of the pose that is wrong, the field and what is wrong.
pub fn bend(
    bodies: &mut TreeDesc,
    poses: &[PoseTable],
) -> Result<(), (usize, &'static str, String)> {
    let count = bodies.bodies.len();
    for (i, pose) in poses.iter().enumerate() {
        let Some(body) = bodies.bodies.get_mut(pose.body as usize) else {
            let what = format!("is {}; expected an id below {count}", pose.body);
            return Err((i, "body", what));
        };
        let turn = pose.turn;
        if !(turn.is_finite() && turn.length() <= HALF_TURN) {
            let what = format!("is {turn}; expected a rotation vector of at most pi radians");
            return Err((i, "turn", what));
        }
        let turn = Quaternion::<f32>::from_rotation_vector(V3::from(turn));
        let given = Quaternion::<f32>::from(body.joint_rotation);
        body.joint_rotation = given.widen().times(turn.widen()).unit().narrow().into();
    }
    Ok(())
}
