//! Leaves and fruit.

use crate::openness::Crown;
use crate::{Detail, Instance, Look, Mesh, PieceVertex, Pieces};
use treesway::{BodyKind, BodyPose, Shape, TreeDesc};

/// Leaves and fruit of a tree.
pub(crate) fn pieces(
    bodies: &TreeDesc,
    rest: &[BodyPose],
    crown: &Crown,
    _look: &Look,
    _detail: &Detail,
) -> (Vec<Pieces>, Vec<Pieces>) {
    let of = |kind| {
        let all = bodies.bodies.iter().zip(rest).enumerate();
        let instances =
            all.filter(|(_, (body, _))| body.shape.kind() == kind)
                .map(|(id, (body, pose))| {
                    let scale = match body.shape {
                        Shape::Leaf { length, width, .. } => [width, length, length],
                        Shape::Fruit {
                            radius,
                            stem_length,
                            ..
                        } => [2.0 * radius, 2.0 * radius, stem_length + 2.0 * radius],
                        Shape::Segment { length, .. } => [length; 3],
                    };
                    Instance {
                        position: pose.position.to_array(),
                        body: id as u32,
                        rotation: pose.rotation.to_array(),
                        scale,
                        variation: (id as f32 * 0.618_034).fract(),
                        outward: crown.outward(pose.position).to_array(),
                        openness: crown.openness(pose.position),
                    }
                });
        instances.collect::<Vec<_>>()
    };
    let made = |kind| {
        let instances = of(kind);
        if instances.is_empty() {
            vec![]
        } else {
            vec![Pieces {
                mesh: quad(),
                instances,
            }]
        }
    };
    (made(BodyKind::Leaf), made(BodyKind::Fruit))
}

fn quad() -> Mesh<PieceVertex> {
    let corner = |u: f32, v: f32| PieceVertex {
        position: [u - 0.5, 0.0, v],
        which: 0.0,
        normal: [0.0, 1.0, 0.0],
        uv: [u, 1.0 - v],
    };
    Mesh {
        vertices: vec![
            corner(0.0, 0.0),
            corner(1.0, 0.0),
            corner(1.0, 1.0),
            corner(0.0, 1.0),
        ],
        triangles: vec![[0, 2, 1], [0, 3, 2]],
    }
}
