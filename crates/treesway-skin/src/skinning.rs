//! Where the points of a skin are now, computed on the CPU; `skinning.wgsl` is its twin on the GPU.

use crate::{BarkVertex, BodyTransform, Instance, PieceVertex};
use treesway::glam::{Quat, Vec3};

/// A point of the surface with its normal, world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// m.
    pub position: Vec3,
    /// Of length one.
    pub normal: Vec3,
}

/// Where a point of the bark is that these two bodies carry, m.
pub fn bark_point(vertex: &BarkVertex, [first, second]: [&BodyTransform; 2]) -> Vec3 {
    let at_rest = Vec3::from(vertex.position);
    first
        .point(at_rest)
        .lerp(second.point(at_rest), vertex.weight)
}

/// A point of the bark.
pub fn bark(vertex: &BarkVertex, transforms: &[BodyTransform]) -> Placed {
    let [first, second] = vertex.bodies.map(|b| &transforms[b as usize]);
    let normal = Vec3::from(vertex.normal);
    Placed {
        position: bark_point(vertex, [first, second]),
        normal: first
            .direction(normal)
            .lerp(second.direction(normal), vertex.weight)
            .normalize(),
    }
}

/// Where a point of a leaf or fruit is that this body carries, m.
pub fn piece_point(vertex: &PieceVertex, instance: &Instance, body: &BodyTransform) -> Vec3 {
    let scale = Vec3::from(instance.scale);
    let (at, _) = body.bent(Vec3::from(vertex.position) * scale, Vec3::Y, scale.z);
    body.point(Quat::from_array(instance.rotation) * at + Vec3::from(instance.position))
}

/// A point of a leaf or fruit.
pub fn piece(vertex: &PieceVertex, instance: &Instance, transforms: &[BodyTransform]) -> Placed {
    let (scale, turn) = (
        Vec3::from(instance.scale),
        Quat::from_array(instance.rotation),
    );
    let body = &transforms[instance.body as usize];
    let normal = (Vec3::from(vertex.normal) / scale).normalize();
    let (_, normal) = body.bent(Vec3::from(vertex.position) * scale, normal, scale.z);
    Placed {
        position: piece_point(vertex, instance, body),
        normal: body.direction(turn * normal),
    }
}
