//! A branch that lies across another.

use super::{axes, placed, segment, upright};
use treesway::glam::{Quat, Vec3};
use treesway::{BodyDesc, BodyId, Shape, TreeDesc};

/// What lies below, and the branch above it.
pub const BELOW: BodyId = BodyId(3);
pub const ABOVE: BodyId = BodyId(4);

/// Radius of the trunk and the two boughs that both lie on, and of the branch above, m.
const BOUGH: f32 = 0.03;
pub const THIN: f32 = 0.008;

/// Of both, m.
pub const LENGTH: f32 = 0.4;

/// A trunk with two boughs; on one of them, `shape` along z at a height of 0.5 m, and on the other a branch along x that crosses over it, `thick` m above its axis.
pub fn crossing(shape: Shape, thick: f32) -> TreeDesc {
    let along_x = axes(Vec3::Y, Vec3::Z, Vec3::X);
    let along_z = Quat::IDENTITY;
    let low = Vec3::Y * 0.5;
    let high = low + Vec3::Y * (thick + THIN + 0.0008);
    let bough = || segment(0.25, BOUGH, BOUGH);
    let mut root = BodyDesc::new(None, segment(0.6, BOUGH, BOUGH), Vec3::ZERO, upright());
    root.branch = 0;
    let ground = (0, Vec3::ZERO, upright());
    // They cross at three quarters of both, at x = z = 0.2 m.
    let one = low + Vec3::new(-0.05, 0.0, -0.1);
    let other = high + Vec3::new(-0.1, 0.0, -0.05);
    let [below, above] = [one + Vec3::X * 0.25, other + Vec3::Z * 0.25];
    let branch = segment(LENGTH, THIN, THIN);
    let bodies = vec![
        root,
        placed(ground, bough(), one, along_x, 1),
        placed(ground, bough(), other, along_z, 2),
        placed((1, one, along_x), shape, below, along_z, 3),
        placed((2, other, along_z), branch, above, along_x, 4),
    ];
    TreeDesc { bodies }
}
