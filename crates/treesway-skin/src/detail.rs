//! How finely a tree is drawn.

use crate::openness::Crown;
use crate::{Look, Pieces, bark, foliage};
use core::f32::consts::PI;
use treesway::glam::Vec3;
use treesway::{BodyKind, BodyPose, Shape, TreeDesc};

/// Level of detail of a skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// How far the bark may be from the smooth surface that it stands for, m (default: 0.002). It decides on sides and rings within the
    /// limits below.
    pub tolerance: f32,
    /// Most sides of a ring (default: 32).
    pub most_sides: u32,
    /// Least sides of a ring, at least 3 (default: 4).
    pub least_sides: u32,
    /// Most rings from one joint to the next (default: 6).
    pub curve_steps: u32,
    /// Branches thinner than this at their base are not drawn, m (default: 0); of hairs and blades that stand apart a share is, each thicker.
    pub least_radius: f32,
    /// Share of the leaf bodies that are drawn, the drawn ones larger to cover as much (default: 1).
    pub leaf_share: f32,
    /// Most leaves of a spray, the mesh that stands for one leaf body (default: 8).
    pub most_leaves: u32,
}

impl Default for Detail {
    fn default() -> Self {
        Self {
            tolerance: 0.002,
            most_sides: 32,
            least_sides: 4,
            curve_steps: 6,
            least_radius: 0.0,
            leaf_share: 1.0,
            most_leaves: 8,
        }
    }
}

impl Detail {
    /// For a tree of which a metre is so many pixels: what is smaller than half a pixel is left out.
    pub fn for_screen(pixels_per_metre: f32) -> Self {
        Self::for_tolerance(0.5 / pixels_per_metre.max(1e-3), 1.0)
    }

    /// For slow devices: 20 pixels a metre, a tree of 15 m on a screen of 360 lines.
    pub fn low() -> Self {
        Self::for_screen(20.0)
    }

    /// The finest detail with which a tree has at most so many triangles, leaves and fruit included, but not finer than the default; a plant of less than
    /// 4 m as fine in proportion, so that hairs are not lost where twigs would be.
    pub fn within(triangles: usize, bodies: &TreeDesc, look: &Look) -> Self {
        const FINEST: f32 = 0.002;
        const STEPS: usize = 9;
        let rest = crate::rest_poses(bodies);
        let size = (extent(&rest) / 4.0).clamp(1e-3, 1.0);
        let links = bark::Links::new(bodies, &[]);
        let cost = |detail: &Self| {
            bark::most_triangles(bodies, &links, &rest, detail)
                + foliage_triangles(bodies, &rest, look, detail)
        };
        // Halving in the logarithm, from 2 mm to 2 m, or from less to less.
        let (mut fine, mut coarse) = (0.0, 1.0);
        let level = |t: f32| Self::for_tolerance(size * FINEST * 1000.0_f32.powf(t), size);
        for _ in 0..STEPS {
            let middle = 0.5 * (fine + coarse);
            if cost(&level(middle)) <= triangles {
                coarse = middle;
            } else {
                fine = middle;
            }
        }
        if fine == 0.0 && cost(&level(fine)) <= triangles {
            return level(fine);
        }
        level(coarse)
    }

    /// The bark within that, m, and everything else as fine, for a plant `size` times as large as a small tree.
    fn for_tolerance(tolerance: f32, size: f32) -> Self {
        let finest = Self::default();
        let pixel = 2.0 * tolerance;
        // The spray that a leaf body is, about 0.25 m, goes on being one of them as long as it has six pixels across …
        let share = (0.25 / (6.0 * pixel)).powi(2);
        // … and its leaves as long as they have two.
        let leaves = (0.25 / (2.0 * pixel)).powi(2);
        Self {
            tolerance,
            most_sides: finest.most_sides,
            least_sides: if pixel < 0.01 * size {
                finest.least_sides
            } else {
                3
            },
            curve_steps: match tolerance / size {
                t if t < 0.004 => finest.curve_steps,
                t if t < 0.015 => 2,
                _ => 1,
            },
            least_radius: 0.15 * pixel,
            leaf_share: share.clamp(1e-4, finest.leaf_share),
            most_leaves: (leaves as u32).clamp(1, finest.most_leaves),
        }
    }

    /// Sides of a ring: even, so that opposite corners mirror each other, and so many that flat sides are within the tolerance,
    /// r (1 − cos(π/n)) ≤ tolerance.
    pub(crate) fn sides(&self, radius: f32) -> u32 {
        let least = self.least_sides.max(3);
        let flat = (1.0 - self.tolerance / radius).max(-1.0);
        let wanted = (PI / flat.acos()).ceil().min(1e6) as u32;
        let even = wanted.next_multiple_of(2);
        even.clamp(least, self.most_sides.max(least))
    }

    /// Rings of a branch's collar beyond its first; none of a twig that would not show it.
    pub(crate) fn collar_rings(&self, radius: f32) -> u32 {
        let size = radius / self.tolerance;
        if size < 5.0 {
            0
        } else if size < 10.0 {
            2
        } else {
            4
        }
    }
}

/// Longest edge of the box around all joints, m.
fn extent(rest: &[BodyPose]) -> f32 {
    let joints = rest.iter().map(|pose| pose.position);
    let least = joints.clone().fold(Vec3::INFINITY, Vec3::min);
    let most = joints.fold(Vec3::NEG_INFINITY, Vec3::max);
    (most - least).max_element()
}

/// Triangles of leaves and fruit, from a sample of them.
fn foliage_triangles(tree: &TreeDesc, rest: &[BodyPose], look: &Look, detail: &Detail) -> usize {
    const SAMPLE: usize = 200;
    let kind = |id: usize| tree.bodies[id].shape.kind();
    let pieces = (0..tree.bodies.len()).filter(|&id| kind(id) != BodyKind::Segment);
    let count = pieces.clone().count();
    if count == 0 {
        return 0;
    }
    let (mut sample, mut poses) = (TreeDesc::default(), Vec::new());
    // As large as they are once the others are left out.
    let larger = detail.leaf_share.sqrt().recip();
    let mut sampled = 0;
    for id in pieces.step_by((count / SAMPLE).max(1)) {
        let mut body = tree.bodies[id];
        if let Shape::Leaf { length, width, .. } = &mut body.shape {
            (*length, *width) = (*length * larger, *width * larger);
        }
        // With the segment that it hangs on.
        if let Some(parent) = body.parent {
            body.parent = Some(sample.bodies.len() as u32);
            sample.bodies.push(tree.bodies[parent as usize]);
            poses.push(rest[parent as usize]);
        }
        sample.bodies.push(body);
        poses.push(rest[id]);
        sampled += 1;
    }
    let all = Detail {
        leaf_share: 1.0,
        ..*detail
    };
    let crown = Crown::new(&sample, &poses);
    let (leaves, fruit) = foliage::pieces(&sample, &poses, &crown, look, &all);
    let of = |pieces: &[Pieces]| -> usize { pieces.iter().map(Pieces::triangles).sum() };
    let drawn = of(&leaves) as f32 * detail.leaf_share + of(&fruit) as f32;
    (drawn * count as f32 / sampled as f32).ceil() as usize
}
