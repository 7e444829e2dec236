//! What a forester measures, to compare with the ranges of a species.

use treesway::Skeleton;
use treesway::glam::Vec3;

/// Sizes of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Highest point of the wood above the base of the trunk, m.
    pub height: f64,
    /// Diameter of the trunk 1.3 m from its base along it, m; 0 if it is shorter.
    pub dbh: f64,
    /// Mean extent of wood and leaves along x and z, m.
    pub crown_width: f64,
    /// How many.
    pub leaves: usize,
}

impl Size {
    /// Of a skeleton.
    pub fn of(skeleton: &Skeleton) -> Self {
        let measure = skeleton.measure();
        let nodes = skeleton.branches.iter().flat_map(|b| &b.nodes);
        let tips = skeleton.leaves.iter();
        let tips = tips.map(|l| l.position + l.rotation * Vec3::Z * l.length);
        let points = nodes.map(|n| n.position).chain(tips);
        let nowhere = (Vec3::splat(f32::MAX), Vec3::splat(f32::MIN));
        let (least, most) = points.fold(nowhere, |(a, b), p| (a.min(p), b.max(p)));
        let extent = (most - least).max(Vec3::ZERO);
        Self {
            height: measure.height,
            dbh: measure.dbh.unwrap_or(0.0),
            crown_width: 0.5 * f64::from(extent.x + extent.z),
            leaves: skeleton.leaves.len(),
        }
    }
}
