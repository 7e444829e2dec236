//! What a forester measures, to compare with the ranges of a species.

use treesway::{Branch, Skeleton};

/// Sizes of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Highest point of the wood, m.
    pub height: f64,
    /// Diameter of the trunk 1.3 m up, of a lower plant a tenth of its height up, m.
    pub dbh: f64,
    /// Mean extent of wood and leaves along x and z, m.
    pub crown_width: f64,
    /// How many.
    pub leaves: usize,
}

impl Size {
    /// Of a skeleton that stands on y = 0.
    pub fn of(skeleton: &Skeleton) -> Self {
        let nodes = skeleton.branches.iter().flat_map(|b| &b.nodes);
        let height = nodes.clone().fold(0.0_f32, |h, n| h.max(n.position.y));
        let points = nodes.map(|n| n.position);
        let tips = skeleton.leaves.iter();
        let tips = tips.map(|l| l.position + l.rotation * treesway::glam::Vec3::Z * l.length);
        let (mut least, mut most) = ([0.0_f32; 2], [0.0_f32; 2]);
        for p in points.chain(tips) {
            for (k, v) in [p.x, p.z].into_iter().enumerate() {
                least[k] = least[k].min(v);
                most[k] = most[k].max(v);
            }
        }
        let extent = |k: usize| f64::from(most[k] - least[k]);
        let height = f64::from(height);
        Self {
            height,
            dbh: diameter_at(&skeleton.branches, breast_height(height)),
            crown_width: 0.5 * (extent(0) + extent(1)),
            leaves: skeleton.leaves.len(),
        }
    }
}

/// Where the diameter of a tree of this height is measured, m.
pub(crate) fn breast_height(height: f64) -> f64 {
    if height > 2.6 { 1.3 } else { 0.1 * height }
}

/// Diameter of the trunk at a height, m.
pub(crate) fn diameter_at(branches: &[Branch], height: f64) -> f64 {
    let up = height as f32;
    let Some(trunk) = branches.iter().find(|b| b.parent.is_none()) else {
        return 0.0;
    };
    let mut diameter = 0.0;
    for pair in trunk.nodes.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let t = ((up - a.position.y) / (b.position.y - a.position.y).max(1e-6)).clamp(0.0, 1.0);
        diameter = 2.0 * f64::from(a.radius + (b.radius - a.radius) * t);
        if b.position.y >= up {
            break;
        }
    }
    diameter
}
