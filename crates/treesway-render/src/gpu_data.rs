//! What the shaders read besides the skin's own layouts: the uniforms of a frame, and where the attributes of a vertex lie.

use bytemuck::{Pod, Zeroable};
use core::mem::offset_of;
use treesway_skin::{BarkVertex, Instance, PieceVertex};
use wgpu::{VertexAttribute, VertexBufferLayout, VertexFormat, VertexStepMode};

/// `Frame` of `frame.wgsl`, which says what the fields mean.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct Frame {
    pub(crate) clip_from_world: [[f32; 4]; 4],
    pub(crate) world_from_clip: [[f32; 4]; 4],
    pub(crate) shadow_from_world: [[f32; 4]; 4],
    pub(crate) eye: [f32; 3],
    pub(crate) options: u32,
    pub(crate) to_sun: [f32; 3],
    pub(crate) shadow_texel: f32,
    pub(crate) sun: [f32; 3],
    pub(crate) exposure: f32,
    pub(crate) zenith: [f32; 3],
    pub(crate) fog: f32,
    pub(crate) horizon: [f32; 3],
    pub(crate) ground_height: f32,
    pub(crate) bounce: [f32; 3],
    pub(crate) crown_radius: f32,
    pub(crate) crown: [f32; 3],
    pub(crate) pixel_angle: f32,
}

/// Bits of `Frame::options`, as in `frame.wgsl`.
pub(crate) mod option {
    pub(crate) const TEXTURES: u32 = 1;
    pub(crate) const SHADOW: u32 = 2;
    pub(crate) const LIGHTING: u32 = 4;
    pub(crate) const FLAT: u32 = 8;
    pub(crate) const COLOURED: u32 = 16;
}

macro_rules! attributes {
    ($vertex:ty, $first:literal, $($field:ident: $format:ident),* $(,)?) => {{
        const FIELDS: &[(usize, VertexFormat)] = &[$((offset_of!($vertex, $field), VertexFormat::$format)),*];
        const LIST: [VertexAttribute; FIELDS.len()] = {
            let mut list = [VertexAttribute { format: VertexFormat::Float32, offset: 0, shader_location: 0 }; FIELDS.len()];
            let mut i = 0;
            while i < FIELDS.len() {
                list[i] = VertexAttribute {
                    format: FIELDS[i].1,
                    offset: FIELDS[i].0 as u64,
                    shader_location: $first + i as u32,
                };
                i += 1;
            }
            list
        };
        &LIST
    }};
}

/// Vertices of the bark, of lines too.
pub(crate) const BARK: VertexBufferLayout = VertexBufferLayout {
    array_stride: size_of::<BarkVertex>() as u64,
    step_mode: VertexStepMode::Vertex,
    attributes: attributes!(
        BarkVertex, 0,
        position: Float32x3, weight: Float32, normal: Float32x3, radius: Float32,
        uv: Float32x2, bodies: Uint32x2, openness: Float32,
    ),
};

/// Vertices of leaves and fruit.
pub(crate) const PIECE: VertexBufferLayout = VertexBufferLayout {
    array_stride: size_of::<PieceVertex>() as u64,
    step_mode: VertexStepMode::Vertex,
    attributes: attributes!(
        PieceVertex, 0,
        position: Float32x3, which: Float32, normal: Float32x3, uv: Float32x2,
    ),
};

/// Where leaves and fruit are.
pub(crate) const INSTANCE: VertexBufferLayout = VertexBufferLayout {
    array_stride: size_of::<Instance>() as u64,
    step_mode: VertexStepMode::Instance,
    attributes: attributes!(
        Instance, 4,
        position: Float32x3, body: Uint32, rotation: Float32x4, scale: Float32x3,
        variation: Float32, outward: Float32x3, openness: Float32,
    ),
};
