//! Trees as lines: edges of a mesh, and one line for each body.

use treesway::glam::Vec3;
use treesway::{BodyId, BodyPose, Shape};
use treesway_skin::BarkVertex;

/// Every edge of a mesh once, two indices each.
pub(crate) fn edges(triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut all: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    all.sort_unstable();
    all.dedup();
    all.into_flattened()
}

/// Two vertices for each body that is seen: its joint and its far end. `rest` and `lengths` are of all bodies.
pub(crate) fn skeleton(rest: &[BodyPose], lengths: &[f32], seen: &[BodyId]) -> Vec<BarkVertex> {
    let ends = seen
        .iter()
        .map(|id| (&rest[id.index()], lengths[id.index()]));
    ends.enumerate()
        .flat_map(|(number, (pose, length))| {
            [0.0, length].map(|z| BarkVertex {
                position: pose.point(Vec3::Z * z).to_array(),
                normal: Vec3::Y.to_array(),
                bodies: [number as u32; 2],
                openness: 1.0,
                ..BarkVertex::default()
            })
        })
        .collect()
}

/// Of a body, from its joint to its far end, m.
pub(crate) fn length(shape: &Shape) -> f32 {
    match *shape {
        Shape::Segment { length, .. } | Shape::Leaf { length, .. } => length,
        Shape::Fruit {
            radius,
            stem_length,
            ..
        } => stem_length + 2.0 * radius,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_have_five_edges() {
        assert_eq!(edges(&[[0, 1, 2], [2, 1, 3]]).len(), 10);
    }
}
