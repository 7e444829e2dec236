//! A grown tree at another height and diameter.

use super::Wanted;
use crate::weber_penn::grow::Wood;
use treesway::glam::Vec3;
use treesway::{Attachment, Node};

/// Where foresters measure the diameter, m along the trunk.
const BREAST_HEIGHT: f64 = 1.3;

/// Scales the wood to the wanted height and diameter, and says by how much the trunk grew thicker. Crowns are as wide as trunks are thick
/// (of open-grown and forest trees alike: Hasenauer 1997), so that width follows the diameter and not the height.
pub(super) fn resize(wood: &mut Wood, wanted: &Wanted) -> f64 {
    if wanted.height.is_none() && wanted.dbh.is_none() {
        return 1.0;
    }
    let nodes = wood.branches.iter().flat_map(|b| &b.nodes);
    let highest = f64::from(nodes.clone().fold(0.0_f32, |h, n| h.max(n.position.y)));
    // Twigs of a thick tree are as thin as those of a slender one.
    let least = nodes.fold(f32::MAX, |r, n| r.min(n.radius));
    let high = wanted.height.map_or(1.0, |h| f64::from(h) / highest);
    // Breast height is as high on any tree; that of the resized one was lower or higher on this one.
    let before = trunk_diameter(&wood.branches[0].nodes, BREAST_HEIGHT / high);
    let thick = wanted.dbh.map_or(high, |dbh| f64::from(dbh) / before);
    let stretch = Vec3::new(thick as f32, high as f32, thick as f32);
    let old = wood.branches.clone();
    for branch in &mut wood.branches {
        for node in &mut branch.nodes {
            node.position *= stretch;
            node.radius = (node.radius * thick as f32).max(least);
        }
    }
    for i in 0..old.len() {
        wood.shoots[i].length = arc_after(&wood.branches[i].nodes, usize::MAX, 0.0) as f32;
        if let Some(on) = old[i].parent {
            let (node, share) = piece_at(&old[on.branch].nodes, on.along.into());
            let along = arc_after(&wood.branches[on.branch].nodes, node, share);
            wood.branches[i].parent = Some(Attachment {
                along: along as f32,
                ..on
            });
        }
    }
    thick
}

/// Number of the piece between nodes at an arc length, and the share of it before that.
fn piece_at(nodes: &[Node], along: f64) -> (usize, f64) {
    let mut left = along;
    for (i, pair) in nodes.windows(2).enumerate() {
        let length = f64::from(pair[0].position.distance(pair[1].position));
        if left <= length {
            return (i, left / length);
        }
        left -= length;
    }
    (nodes.len().saturating_sub(2), 1.0)
}

/// Arc length of the pieces before one, and of a share of that one.
fn arc_after(nodes: &[Node], piece: usize, share: f64) -> f64 {
    let lengths = nodes.windows(2).enumerate().map(|(i, pair)| {
        let length = pair[0]
            .position
            .as_dvec3()
            .distance(pair[1].position.as_dvec3());
        match i.cmp(&piece) {
            core::cmp::Ordering::Less => length,
            core::cmp::Ordering::Equal => length * share,
            core::cmp::Ordering::Greater => 0.0,
        }
    });
    lengths.sum()
}

/// Diameter at a height, m; of a lower trunk that of its end.
fn trunk_diameter(nodes: &[Node], height: f64) -> f64 {
    let (piece, share) = piece_at(nodes, height);
    let [a, b] = [0, 1].map(|i| f64::from(nodes[piece + i].radius));
    2.0 * (a + (b - a) * share)
}
