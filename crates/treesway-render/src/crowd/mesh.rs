//! The skin of a tree as plain triangles, which many trees share: wood as it is, leaves baked where their instances are.

use bytemuck::{Pod, Zeroable};
use core::mem::offset_of;
use treesway::glam::Vec3;
use treesway_skin::{BodyTransform, Skin, SpectralSkin, skinning};
use wgpu::{VertexAttribute, VertexBufferLayout, VertexFormat, VertexStepMode};

/// A point of a tree of a crowd, at rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct CrowdVertex {
    /// m, the anchor at the origin.
    pub(crate) position: [f32; 3],
    /// Of wood its radius here, m; of leaves a random number of the leaf, 0 to 1.
    pub(crate) own: f32,
    /// Of length one.
    pub(crate) normal: [f32; 3],
    /// Light from the sky that gets here, 0 to 1.
    pub(crate) openness: f32,
    /// Direction out of the crown; of wood the normal.
    pub(crate) outward: [f32; 3],
    pub(crate) uv: [f32; 2],
    /// The branch that carries it and where along that it is, 0 to 1.
    pub(crate) branch: u32,
    pub(crate) along: f32,
    /// Of a leaf which one it is; of wood nothing.
    pub(crate) leaf: u32,
}

const _: () = assert!(size_of::<CrowdVertex>() == 64);

/// Where a leaf is held, at rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct LeafHold {
    /// m.
    pub(crate) base: [f32; 3],
    padding: f32,
    /// x y z w.
    pub(crate) turn: [f32; 4],
}

/// Where its attributes lie.
pub(crate) const CROWD: VertexBufferLayout = VertexBufferLayout {
    array_stride: size_of::<CrowdVertex>() as u64,
    step_mode: VertexStepMode::Vertex,
    attributes: crate::gpu_data::attributes!(
        CrowdVertex, 0,
        position: Float32x3, own: Float32, normal: Float32x3, openness: Float32,
        outward: Float32x3, uv: Float32x2, branch: Uint32, along: Float32, leaf: Uint32,
    ),
};

#[derive(Default)]
pub(super) struct Baked {
    pub(super) vertices: Vec<CrowdVertex>,
    pub(super) triangles: Vec<[u32; 3]>,
}

pub(super) fn bark(skin: &Skin, on: &SpectralSkin) -> Baked {
    let vertices = skin.bark.vertices.iter().zip(&on.bark);
    let vertices = vertices.map(|(v, on)| CrowdVertex {
        position: v.position,
        own: v.radius,
        normal: v.normal,
        openness: v.openness,
        outward: v.normal,
        uv: v.uv,
        branch: on.branch,
        along: on.x,
        leaf: 0,
    });
    Baked {
        vertices: vertices.collect(),
        triangles: skin.bark.triangles.clone(),
    }
}

/// Holds of its leaves are put behind those of other levels.
pub(super) fn leaves(skin: &Skin, on: &SpectralSkin, holds: &mut Vec<LeafHold>) -> Baked {
    let at_rest = vec![BodyTransform::default(); skin.rest.len()];
    let mut baked = Baked::default();
    for (pieces, on) in skin.leaves.iter().zip(&on.leaves) {
        for (instance, on) in pieces.instances.iter().zip(on) {
            let first = baked.vertices.len() as u32;
            let leaf = holds.len() as u32;
            holds.push(LeafHold {
                base: instance.position,
                padding: 0.0,
                turn: instance.rotation,
            });
            let placed = pieces.mesh.vertices.iter().map(|v| {
                let placed = skinning::piece(v, instance, &at_rest);
                CrowdVertex {
                    position: placed.position.to_array(),
                    own: (instance.variation + v.which * 0.754_877).fract(),
                    normal: placed.normal.normalize_or(Vec3::Y).to_array(),
                    openness: instance.openness,
                    outward: instance.outward,
                    uv: v.uv,
                    branch: on.branch,
                    along: on.x,
                    leaf,
                }
            });
            baked.vertices.extend(placed);
            let corners = pieces.mesh.triangles.iter();
            baked
                .triangles
                .extend(corners.map(|t| t.map(|i| i + first)));
        }
    }
    baked
}
