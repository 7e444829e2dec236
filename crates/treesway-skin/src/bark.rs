//! The bark mesh.

use crate::openness::Crown;
use crate::{BarkVertex, Detail, Mesh};
use core::f32::consts::TAU;
use treesway::glam::Vec3;
use treesway::{BodyPose, Shape, TreeDesc};

/// One tube for each segment.
pub(crate) fn mesh(
    bodies: &TreeDesc,
    rest: &[BodyPose],
    crown: &Crown,
    detail: &Detail,
) -> Mesh<BarkVertex> {
    let mut mesh = Mesh::default();
    for (id, (body, pose)) in bodies.bodies.iter().zip(rest).enumerate() {
        let Shape::Segment { length, base, tip } = body.shape else {
            continue;
        };
        let sides = detail.least_sides;
        let first = mesh.vertices.len() as u32;
        for (z, radius) in [(0.0, base), (length, tip)] {
            for side in 0..=sides {
                let angle = TAU * side as f32 / sides as f32;
                let normal = Vec3::new(angle.cos(), angle.sin(), 0.0);
                mesh.vertices.push(BarkVertex {
                    position: pose.point(normal * radius + Vec3::Z * z).to_array(),
                    weight: 0.0,
                    normal: (pose.rotation * normal).to_array(),
                    radius,
                    uv: [side as f32 / sides as f32, z],
                    bodies: [id as u32; 2],
                    openness: crown.openness(pose.point(Vec3::Z * z)),
                });
            }
        }
        for side in 0..sides {
            let (a, b) = (first + side, first + side + sides + 1);
            mesh.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    mesh
}
