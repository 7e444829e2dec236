//! A tree as pictures: taken once from eight sides at two elevations, drawn on a strip that faces the camera.
//!
//! A picture keeps what light needs and not the light itself, so that the sun may move and neighbours match: colour, normal of the blade or bark,
//! direction out of the crown and openness, all but the colour's alpha multiplied by the share of the pixel that is covered. Normals are in
//! the picture's own axes (right, up, towards the viewer). Samples are averaged by the GPU, smaller levels by `halve.wgsl`.

use super::passes::{SpeciesUniform, TILE_FORMATS, TILE_SAMPLES};
use super::{Level, MeshOnGpu};
use crate::memory::Kind;
use crate::pipelines::DEPTH;
use crate::renderer::Renderer;
use crate::surface;
use bytemuck::{Pod, Zeroable};
use treesway::glam::{Mat4, Vec3, Vec4};
use wgpu::*;

/// Edge of a picture, pixels.
const SIZE: u32 = 128;
/// Sizes of a picture: 128 to 8.
const MIPS: u32 = 5;
/// Sides and elevations (degrees) that pictures are taken from; `impostor.wgsl` knows them, too.
const SIDES: u32 = 8;
const ELEVATIONS: [f32; 2] = [0.0, 30.0];
/// Corners of the strip: five rows, so that it bends.
pub(super) const VERTICES: u32 = 10;

/// `View` of `capture.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct View {
    clip_from_tree: [[f32; 4]; 4],
    right: [f32; 4],
    up: [f32; 4],
    towards: [f32; 4],
}

/// What pictures are taken of.
pub(super) struct Sitter<'a> {
    pub(super) level: &'a Level,
    pub(super) bark: &'a BindGroup,
    pub(super) leaf: &'a BindGroup,
}

/// Pictures of a species on the GPU.
pub(super) struct Impostor {
    pub(super) bindings: BindGroup,
}

impl Impostor {
    /// Takes all pictures.
    pub(super) fn take(renderer: &Renderer, species: &SpeciesUniform, sitter: &Sitter) -> Self {
        let device = renderer.device();
        let usage = TextureUsages::RENDER_ATTACHMENT
            | TextureUsages::TEXTURE_BINDING
            | TextureUsages::COPY_DST;
        let layers = SIDES * ELEVATIONS.len() as u32;
        let pictures = TILE_FORMATS.map(|format| {
            let kind = Kind {
                format,
                usage,
                levels: MIPS,
                samples: 1,
            };
            renderer.memory.layers("tiles", &kind, [SIZE; 2], layers)
        });
        let attachment = |format| {
            let kind = Kind {
                format,
                usage: TextureUsages::RENDER_ATTACHMENT,
                levels: 1,
                samples: TILE_SAMPLES,
            };
            let texture = renderer.memory.texture("tile samples", &kind, [SIZE; 2]);
            texture.create_view(&TextureViewDescriptor::default())
        };
        // Samples are averaged into a picture of its own and copied to its layer: software adapters average into the first layer only.
        let averaged = TILE_FORMATS.map(|format| {
            let kind = Kind {
                format,
                usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
                levels: 1,
                samples: 1,
            };
            renderer.memory.texture("tile", &kind, [SIZE; 2])
        });
        let samples = TILE_FORMATS.map(attachment);
        let depth = attachment(DEPTH);
        let mut encoder = device.create_command_encoder(&Default::default());
        for layer in 0..layers {
            let view = view_of(species, layer);
            photograph(renderer, &mut encoder, &view, sitter, |i| {
                (&samples[i], one_level(&averaged[i], 0, 0), &depth)
            });
            for (from, to) in averaged.iter().zip(&pictures) {
                let mut to = to.as_image_copy();
                to.origin.z = layer;
                encoder.copy_texture_to_texture(from.as_image_copy(), to, from.size());
            }
            for level in 1..MIPS {
                let of = |level| [0, 1, 2].map(|i| one_level(&pictures[i], layer, level));
                halve(renderer, &mut encoder, &of(level - 1), &of(level));
            }
        }
        renderer.queue().submit([encoder.finish()]);
        Self {
            bindings: bind(renderer, &pictures),
        }
    }
}

/// Where the picture of a layer is taken from; elevations one after the other.
fn view_of(species: &SpeciesUniform, layer: u32) -> View {
    let elevation = ELEVATIONS[(layer / SIDES) as usize].to_radians();
    let azimuth = core::f32::consts::TAU * (layer % SIDES) as f32 / SIDES as f32;
    let (sin, cos) = elevation.sin_cos();
    let towards = Vec3::new(cos * azimuth.cos(), sin, cos * azimuth.sin());
    let right = Vec3::Y.cross(towards).normalize();
    let up = towards.cross(right);
    let (half_width, half_height) = (
        species.half_width,
        species.half_height * cos + species.half_width * sin,
    );
    let deep = species.half_width + species.half_height;
    let middle = Vec3::Y * species.middle;
    let row = |axis: Vec3, half: f32, add: f32| (axis / half).extend(add - middle.dot(axis) / half);
    // Nearer is greater, as in pictures.
    let rows = [
        row(right, half_width, 0.0),
        row(up, half_height, 0.0),
        row(towards, 2.0 * deep, 0.5),
        Vec4::W,
    ];
    View {
        clip_from_tree: Mat4::from_cols(rows[0], rows[1], rows[2], rows[3])
            .transpose()
            .to_cols_array_2d(),
        right: right.extend(0.0).to_array(),
        up: up.extend(0.0).to_array(),
        towards: towards.extend(0.0).to_array(),
    }
}

fn one_level(texture: &Texture, layer: u32, level: u32) -> TextureView {
    texture.create_view(&TextureViewDescriptor {
        dimension: Some(TextureViewDimension::D2),
        base_mip_level: level,
        mip_level_count: Some(1),
        base_array_layer: layer,
        array_layer_count: Some(1),
        ..Default::default()
    })
}

fn photograph<'a>(
    renderer: &Renderer,
    encoder: &mut CommandEncoder,
    view: &View,
    sitter: &Sitter,
    target: impl Fn(usize) -> (&'a TextureView, TextureView, &'a TextureView),
) {
    let pipelines = renderer.crowd();
    let uniform = renderer
        .memory
        .filled("view", BufferUsages::UNIFORM, bytemuck::bytes_of(view));
    let bindings = renderer.device().create_bind_group(&BindGroupDescriptor {
        label: Some("view"),
        layout: &pipelines.layouts.view,
        entries: &[BindGroupEntry {
            binding: 0,
            resource: uniform.as_entire_binding(),
        }],
    });
    let targets = [0, 1, 2].map(&target);
    let colours = targets.each_ref().map(|(samples, resolved, _)| {
        Some(RenderPassColorAttachment {
            view: samples,
            depth_slice: None,
            resolve_target: Some(resolved),
            ops: Operations {
                load: LoadOp::Clear(Color::TRANSPARENT),
                store: StoreOp::Discard,
            },
        })
    });
    let mut pass = encoder.begin_render_pass(&RenderPassDescriptor {
        label: Some("capture"),
        color_attachments: &colours,
        depth_stencil_attachment: Some(RenderPassDepthStencilAttachment {
            view: targets[0].2,
            depth_ops: Some(Operations {
                load: LoadOp::Clear(0.0),
                store: StoreOp::Discard,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    });
    pass.set_bind_group(0, &bindings, &[]);
    let draw = |pass: &mut RenderPass, pipeline, surface: &BindGroup, mesh: &MeshOnGpu| {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(2, surface, &[]);
        mesh.draw(pass, 0..1);
    };
    let Level { bark, leaves } = sitter.level;
    draw(&mut pass, &pipelines.capture_bark, sitter.bark, bark);
    draw(&mut pass, &pipelines.capture_leaf, sitter.leaf, leaves);
}

fn halve(
    renderer: &Renderer,
    encoder: &mut CommandEncoder,
    from: &[TextureView; 3],
    to: &[TextureView; 3],
) {
    let sampler = clamped(renderer);
    let bindings = surface::bind_views(renderer, &renderer.layouts.surface, from, &sampler);
    let colours = to.each_ref().map(|view| {
        Some(RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: Operations {
                load: LoadOp::Clear(Color::TRANSPARENT),
                store: StoreOp::Store,
            },
        })
    });
    let mut pass = encoder.begin_render_pass(&RenderPassDescriptor {
        label: Some("halve"),
        color_attachments: &colours,
        ..Default::default()
    });
    pass.set_pipeline(&renderer.crowd().halve);
    pass.set_bind_group(0, &bindings, &[]);
    pass.draw(0..3, 0..1);
}

fn clamped(renderer: &Renderer) -> Sampler {
    renderer.device().create_sampler(&SamplerDescriptor {
        label: Some("tiles"),
        mag_filter: FilterMode::Linear,
        min_filter: FilterMode::Linear,
        mipmap_filter: MipmapFilterMode::Linear,
        ..Default::default()
    })
}

fn bind(renderer: &Renderer, pictures: &[Texture; 3]) -> BindGroup {
    let views = pictures.each_ref().map(|t| {
        t.create_view(&TextureViewDescriptor {
            dimension: Some(TextureViewDimension::D2Array),
            ..Default::default()
        })
    });
    let layout = &renderer.crowd().layouts.tiles;
    surface::bind_views(renderer, layout, &views, &clamped(renderer))
}
