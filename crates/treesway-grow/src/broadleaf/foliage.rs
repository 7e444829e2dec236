//! Leaves along the twigs, in phyllotactic order, blades turned to the light.

use super::Broadleaf;
use super::wood::Wood;
use crate::frame::{GOLDEN_ANGLE, across, looking_along, turned, unit_or};
use treesway::glam::DVec3;
use treesway::math::Rng;
use treesway::{Attachment, Branch, Leaf};

/// Apart from the streams of the branches.
const STREAM: u64 = 1 << 40;

/// Exactly `count` leaves over the leafy ends of all branches, in proportion to their length.
pub(super) fn leaves(wood: &Wood, count: usize, tree: &Broadleaf, seed: u64) -> Vec<Leaf> {
    let length = if tree.leaf_length > 0.0 {
        f64::from(tree.leaf_length)
    } else {
        // Fewer leaves stand for sprays of leaves: the crown's leaf area falls more slowly than their number.
        let fewer = 10_000.0 / f64::from(tree.bodies);
        (0.2 * libm::pow(fewer, 0.28)).clamp(0.05, 0.4)
    };
    let leafy: f64 = wood.lengths.iter().map(|l| l.1).sum();
    let (mut sum, mut given) = (0.0, 0);
    let mut leaves = Vec::with_capacity(count);
    for (b, branch) in wood.branches.iter().enumerate() {
        let (whole, bearing) = wood.lengths[b];
        sum += bearing;
        let until = ((sum / leafy * count as f64).round() as usize).min(count);
        let mut shoot = Shoot {
            number: b,
            branch,
            end: whole,
            bearing,
            rng: Rng::new(seed, STREAM + b as u64),
        };
        shoot.bear(until - given, length, tree, &mut leaves);
        given = until;
    }
    leaves
}

/// The leafy end of a branch.
struct Shoot<'a> {
    number: usize,
    branch: &'a Branch,
    /// Arc length of its tip, m.
    end: f64,
    /// Length that bears leaves, m.
    bearing: f64,
    rng: Rng,
}

impl Shoot<'_> {
    fn bear(&mut self, count: usize, length: f64, tree: &Broadleaf, leaves: &mut Vec<Leaf>) {
        let mut turn = self.rng.between(0.0, core::f64::consts::TAU);
        for i in 0..count {
            // The last leaf is the terminal one; none sits in the fork.
            let share = (i + 1) as f64 / count as f64;
            let along = self.end - self.bearing * 0.8 * (1.0 - share);
            let (position, axis) = at(self.branch, along);
            let size = length * self.rng.between(0.75, 1.2);
            // Leaves lean forward the more the nearer to the tip.
            let lean = (70.0 - 45.0 * share + 12.0 * self.rng.signed()).to_radians();
            turn += GOLDEN_ANGLE + 0.3 * self.rng.signed();
            let side = turned(across(axis), axis, turn);
            let (sin, cos) = libm::sincos(lean);
            let out = axis * cos + side * sin;
            // Blades hang a little from their stalk and face the sky.
            let direction = unit_or(out - DVec3::Y * 0.3, out);
            let tilt = DVec3::new(self.rng.signed(), 0.0, self.rng.signed()) * 0.5;
            leaves.push(Leaf {
                on: Attachment {
                    branch: self.number,
                    along: along as f32,
                },
                position: position.as_vec3(),
                rotation: looking_along(direction, DVec3::Y + tilt + side * 0.3),
                length: size as f32,
                width: (size * f64::from(tree.leaf_aspect)) as f32,
            });
        }
    }
}

/// Point and direction of a branch at an arc length.
fn at(branch: &Branch, along: f64) -> (DVec3, DVec3) {
    let mut left = along;
    let mut place = (DVec3::ZERO, DVec3::Y);
    for pair in branch.nodes.windows(2) {
        let (a, b) = (pair[0].position.as_dvec3(), pair[1].position.as_dvec3());
        let length = a.distance(b);
        let direction = unit_or(b - a, DVec3::Y);
        place = (a + direction * left.min(length), direction);
        if left <= length {
            break;
        }
        left -= length;
    }
    place
}
