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

/// A point of the bark.
pub fn bark(vertex: &BarkVertex, transforms: &[BodyTransform]) -> Placed {
    let [first, second] = vertex.bodies.map(|b| &transforms[b as usize]);
    let (position, normal) = (Vec3::from(vertex.position), Vec3::from(vertex.normal));
    Placed {
        position: first
            .point(position)
            .lerp(second.point(position), vertex.weight),
        normal: first
            .direction(normal)
            .lerp(second.direction(normal), vertex.weight)
            .normalize(),
    }
}

/// A point of a leaf or fruit.
pub fn piece(vertex: &PieceVertex, instance: &Instance, transforms: &[BodyTransform]) -> Placed {
    let (scale, turn) = (
        Vec3::from(instance.scale),
        Quat::from_array(instance.rotation),
    );
    let body = &transforms[instance.body as usize];
    let normal = (Vec3::from(vertex.normal) / scale).normalize();
    let (at, normal) = body.bent(Vec3::from(vertex.position) * scale, normal, scale.z);
    Placed {
        position: body.point(turn * at + Vec3::from(instance.position)),
        normal: body.direction(turn * normal),
    }
}
