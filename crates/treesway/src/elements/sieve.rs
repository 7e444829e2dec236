//! Pairs of boxes that overlap, by sorting them along one axis: simple enough to be right at a glance.

use super::shape::{Bounds, boxes_meet};

/// Calls `found` for each pair of boxes that share a point, the smaller number first.
///
/// Boxes are sorted by where they begin along the axis along which all of them together are longest; each is compared with those that begin before it
/// ends.
pub fn overlapping_boxes(boxes: &[Bounds], mut found: impl FnMut(usize, usize)) {
    let along = widest_axis(boxes);
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&a, &b| along(&boxes[a])[0].total_cmp(&along(&boxes[b])[0]));
    for (k, &i) in order.iter().enumerate() {
        let end = along(&boxes[i])[1];
        let later = order[k + 1..].iter();
        for &j in later.take_while(|&&j| along(&boxes[j])[0] <= end) {
            if boxes_meet(&boxes[i], &boxes[j]) {
                found(i.min(j), i.max(j));
            }
        }
    }
}

type Along = fn(&Bounds) -> [f64; 2];

fn widest_axis(boxes: &[Bounds]) -> Along {
    let axes: [Along; 3] = [
        |[a, b]| [a.x, b.x],
        |[a, b]| [a.y, b.y],
        |[a, b]| [a.z, b.z],
    ];
    let extent = |axis: &Along| {
        let ends = boxes.iter().map(axis);
        let ends = ends.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], [c, d]| {
            [a.min(c), b.max(d)]
        });
        ends[1] - ends[0]
    };
    let [x, y, z] = axes;
    [y, z].into_iter().fold(x, |best, axis| {
        if extent(&axis) > extent(&best) {
            axis
        } else {
            best
        }
    })
}
