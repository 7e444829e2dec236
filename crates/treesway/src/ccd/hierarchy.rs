//! Which pairs may meet: a hierarchy of axis-aligned boxes, parry's, fitted anew to swept boxes in every step.
//!
//! The pairs are those whose boxes meet, all of them, in the order of their numbers: neither the shape of the hierarchy nor the number of threads shows.

use super::AxisBox;
use crate::math::V3;
use rapier3d::parry::bounding_volume::Aabb;
use rapier3d::parry::math::Vector;
use rapier3d::parry::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

/// Boxes of things numbered from 0.
pub struct Hierarchy {
    bvh: Bvh,
    workspace: BvhWorkspace,
    built: usize,
}

impl Default for Hierarchy {
    fn default() -> Self {
        Self {
            bvh: Bvh::new(),
            workspace: BvhWorkspace::default(),
            built: 0,
        }
    }
}

/// A copy starts empty and is built when it is first fitted.
impl Clone for Hierarchy {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Hierarchy {
    /// Fits the boxes; builds the hierarchy where their number has changed.
    pub fn fit(&mut self, boxes: &[AxisBox]) {
        if self.built == boxes.len() && !boxes.is_empty() {
            for (i, b) in boxes.iter().enumerate() {
                self.bvh
                    .insert_or_update_partially(outside(b), i as u32, 0.0);
            }
            self.bvh.refit_without_opt();
        } else {
            let all: Vec<Aabb> = boxes.iter().map(outside).collect();
            self.bvh = Bvh::from_leaves(BvhBuildStrategy::Binned, &all);
            self.built = boxes.len();
        }
    }

    /// Fits those boxes of all that were fitted before which have changed since.
    pub fn fit_some(&mut self, boxes: &[AxisBox], changed: &[u32]) {
        for &i in changed {
            let around = outside(&boxes[i as usize]);
            self.bvh.insert_or_update_partially(around, i, 0.0);
        }
        self.bvh.refit_without_opt();
    }

    /// As [`Self::pairs`], of those pairs of which one is `of`, which is sorted. Quicker where these are few.
    pub fn pairs_of(
        &self,
        boxes: &[AxisBox],
        of: &[u32],
        wanted: impl Fn(u32, u32) -> bool,
        found: &mut Vec<(u32, u32)>,
    ) {
        found.clear();
        for &i in of {
            let around = outside(&boxes[i as usize]);
            for j in self.bvh.intersect_aabb(&around) {
                // Two of them find each other twice.
                let twice = j < i && of.binary_search(&j).is_ok();
                if i != j && !twice && wanted(i.min(j), i.max(j)) {
                    found.push((i.min(j), i.max(j)));
                }
            }
        }
        found.sort_unstable();
    }

    /// Pairs of boxes that meet, the smaller number first, in order. Those that `wanted` refuses are left out.
    pub fn pairs(&mut self, wanted: impl Fn(u32, u32) -> bool, found: &mut Vec<(u32, u32)>) {
        found.clear();
        let mut note = |a: u32, b: u32| {
            let (a, b) = (a.min(b), a.max(b));
            if wanted(a, b) {
                found.push((a, b));
            }
        };
        self.bvh
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut note);
        found.sort_unstable();
    }
}

/// In single precision, rounded outwards.
fn outside(b: &AxisBox) -> Aabb {
    let to = |v: V3<f64>, next: fn(f32) -> f32| {
        let n = v.narrow();
        Vector::new(next(n.x), next(n.y), next(n.z))
    };
    Aabb::new(to(b.low, f32::next_down), to(b.high, f32::next_up))
}
