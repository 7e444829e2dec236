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
    pub(crate) meadow: [f32; 2],
    pub(crate) meadow_cell: f32,
    pub(crate) translucency: f32,
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
pub(crate) use attributes;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::{CROWD, PLANT};
    use crate::shaders::{self, Shader};
    use naga::{Binding, Module, ScalarKind, TypeInner};
    use treesway_skin::BodyTransform;

    fn parsed(shader: &Shader) -> Module {
        naga::front::wgsl::parse_str(&shader.source()).unwrap()
    }

    /// Size and offsets of the fields of a struct as the GPU sees it.
    fn layout(module: &Module, name: &str) -> (usize, Vec<usize>) {
        let found = module
            .types
            .iter()
            .find(|(_, ty)| ty.name.as_deref() == Some(name));
        match &found.expect("declared").1.inner {
            TypeInner::Struct { members, span } => (
                *span as usize,
                members.iter().map(|m| m.offset as usize).collect(),
            ),
            other => panic!("{name} is {other:?}"),
        }
    }

    macro_rules! offsets {
        ($struct:ty, $($field:ident),*) => { vec![$(offset_of!($struct, $field)),*] };
    }

    #[test]
    fn frames_lie_alike_on_cpu_and_gpu() {
        let offsets = offsets!(
            Frame,
            clip_from_world,
            world_from_clip,
            shadow_from_world,
            eye,
            options,
            to_sun,
            shadow_texel,
            sun,
            exposure,
            zenith,
            fog,
            horizon,
            ground_height,
            bounce,
            crown_radius,
            crown,
            pixel_angle,
            meadow,
            meadow_cell,
            translucency
        );
        for shader in shaders::ALL {
            if !shader.source().contains("struct Frame") {
                continue;
            }
            let found = layout(&parsed(shader), "Frame");
            assert_eq!(
                found,
                (size_of::<Frame>(), offsets.clone()),
                "{}",
                shader.name
            );
        }
    }

    #[test]
    fn transforms_lie_alike_on_cpu_and_gpu() {
        let offsets = offsets!(BodyTransform, rotation, translation, shown, bend);
        let found = layout(&parsed(&shaders::BARK), "BodyTransform");
        assert_eq!(found, (size_of::<BodyTransform>(), offsets));
    }

    /// Attributes that a shader's struct of vertex inputs asks for.
    fn inputs(module: &Module, name: &str) -> Vec<(u32, VertexFormat)> {
        let found = module
            .types
            .iter()
            .find(|(_, ty)| ty.name.as_deref() == Some(name));
        let TypeInner::Struct { members, .. } = &found.expect("declared").1.inner else {
            panic!("{name} is no struct");
        };
        let format = |m: &naga::StructMember| match module.types[m.ty].inner {
            TypeInner::Scalar(s) if s.kind == ScalarKind::Uint => VertexFormat::Uint32,
            TypeInner::Scalar(_) => VertexFormat::Float32,
            TypeInner::Vector { size, scalar } => match (size as u8, scalar.kind) {
                (2, ScalarKind::Uint) => VertexFormat::Uint32x2,
                (2, ScalarKind::Float) => VertexFormat::Float32x2,
                (3, ScalarKind::Float) => VertexFormat::Float32x3,
                (4, ScalarKind::Float) => VertexFormat::Float32x4,
                other => panic!("{other:?}"),
            },
            ref other => panic!("{other:?}"),
        };
        let located = members.iter().map(|m| match m.binding {
            Some(Binding::Location { location, .. }) => (location, format(m)),
            ref other => panic!("{other:?}"),
        });
        located.collect()
    }

    #[test]
    fn vertices_lie_alike_on_cpu_and_gpu() {
        let fed = |layout: VertexBufferLayout| -> Vec<(u32, VertexFormat)> {
            let all = layout.attributes.iter();
            all.map(|a| (a.shader_location, a.format)).collect()
        };
        let (bark, piece) = (parsed(&shaders::BARK), parsed(&shaders::PIECE));
        assert_eq!(inputs(&bark, "BarkVertex"), fed(BARK));
        assert_eq!(inputs(&piece, "PieceVertex"), fed(PIECE));
        assert_eq!(inputs(&piece, "Instance"), fed(INSTANCE));
        let crowd = parsed(&shaders::CROWD);
        assert_eq!(inputs(&crowd, "CrowdVertex"), fed(CROWD));
        assert_eq!(inputs(&crowd, "Plant"), fed(PLANT));
        // Attributes fill their struct: nothing is left out, nothing overlaps.
        for layout in [BARK, PIECE, INSTANCE, CROWD, PLANT] {
            let mut end = 0;
            for attribute in layout.attributes {
                assert_eq!(attribute.offset, end);
                end += attribute.format.size();
            }
            assert_eq!(end, layout.array_stride);
        }
    }
}
