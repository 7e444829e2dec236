//! Which parts of a tree intersect: all pairs, tried one by one.
//!
//! Shares nothing with growth or with the detection of contacts but the exact tests: a sieve of sorted boxes comes first.

use super::intersect::shapes_meet;
use super::shape::Bounds;
use super::sieve::overlapping_boxes;
use super::{Elements, Part};
use crate::math::V3;

/// Pairs of parts that intersect in a pose, exempt ones aside; sorted, the smaller part first. Takes about n² comparisons at worst, and
/// much fewer for trees; meant for some ten thousand elements.
pub fn intersecting_pairs(elements: &Elements, points: &[V3<f64>]) -> Vec<(Part, Part)> {
    pairs_within(elements, points, 0.0)
}

/// The same of pairs that intersect or are nearer than `clearance` m.
pub(crate) fn pairs_within(
    elements: &Elements,
    points: &[V3<f64>],
    clearance: f64,
) -> Vec<(Part, Part)> {
    let parts: Vec<Part> = elements.all_parts().collect();
    let shapes: Vec<_> = parts.iter().map(|&p| elements.shape(points, p)).collect();
    let grown = |[low, high]: Bounds| [low - V3::splat(clearance), high];
    let boxes: Vec<_> = shapes.iter().map(|s| grown(s.bounds())).collect();
    let mut pairs = Vec::new();
    overlapping_boxes(&boxes, |i, j| {
        let (a, b) = (parts[i].min(parts[j]), parts[i].max(parts[j]));
        if elements.meet(a, b) && shapes_meet(&shapes[i], &shapes[j], clearance) {
            pairs.push((a, b));
        }
    });
    pairs.sort_unstable();
    pairs
}
