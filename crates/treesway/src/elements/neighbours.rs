//! What is near a place while a tree grows: a hierarchy of boxes, parry's, that parts are added to and taken from.

use super::shape::Bounds;
use crate::math::V3;
use rapier3d::parry::bounding_volume::Aabb;
use rapier3d::parry::math::Vector;
use rapier3d::parry::partitioning::{Bvh, BvhWorkspace};

/// Boxes by their numbers.
pub struct Neighbours {
    bvh: Bvh,
    workspace: BvhWorkspace,
    /// Added since the hierarchy was last made better.
    added: usize,
}

impl Default for Neighbours {
    fn default() -> Self {
        Self {
            bvh: Bvh::new(),
            workspace: BvhWorkspace::default(),
            added: 0,
        }
    }
}

impl Neighbours {
    /// Adds a box, or moves the one of that number.
    pub fn add(&mut self, number: u32, bounds: &Bounds) {
        self.bvh.insert(outside(bounds), number);
        self.added += 1;
        // So that it stays balanced, at a constant cost per box.
        if self.added >= 64 && 8 * self.added >= self.bvh.leaf_count() as usize {
            self.bvh.optimize_incremental(&mut self.workspace);
            self.added = 0;
        }
    }

    /// Takes the box of that number away.
    pub fn remove(&mut self, number: u32) {
        self.bvh.remove(number);
    }

    /// Numbers of boxes that come within `margin` m of another, in no order that means anything.
    pub fn near(&self, bounds: &Bounds, margin: f64) -> Vec<u32> {
        let more = V3::splat(margin);
        let around = outside(&[bounds[0] - more, bounds[1] + more]);
        self.bvh.intersect_aabb(&around).collect()
    }
}

/// In single precision, rounded outwards.
fn outside([low, high]: &Bounds) -> Aabb {
    let to = |v: &V3<f64>, next: fn(f32) -> f32| {
        let n = v.narrow();
        Vector::new(next(n.x), next(n.y), next(n.z))
    };
    Aabb::new(to(low, f32::next_down), to(high, f32::next_up))
}
