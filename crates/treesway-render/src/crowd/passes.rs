//! How a crowd is drawn: layouts and pipelines, made when there is a crowd for the first time.

use super::mesh::CROWD;
use super::sort::PlantOnGpu;
use crate::pipelines::{DEPTH, Kind, Layouts, bind_group_layout, buffer};
use crate::renderer::Renderer;
use crate::shaders;
use bytemuck::{Pod, Zeroable};
use core::mem::offset_of;
use std::sync::OnceLock;
use treesway::glam::Vec3;
use treesway::spectral::{Bending, SpectralFrame};
use treesway_skin::texture::Surface;
use wgpu::*;

/// Where a tree of a crowd is.
pub(crate) const PLANT: VertexBufferLayout = VertexBufferLayout {
    array_stride: size_of::<PlantOnGpu>() as u64,
    step_mode: VertexStepMode::Instance,
    attributes: crate::gpu_data::attributes!(
        PlantOnGpu, 10,
        place: Float32x3, size: Float32, turn: Float32x2, lag: Float32, fade: Float32,
    ),
};

/// `Species` of `crowd.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct SpeciesUniform {
    /// Half way up, m.
    pub(super) middle: f32,
    /// From there to the top, m.
    pub(super) half_height: f32,
    /// Farthest from the vertical through the anchor, m.
    pub(super) half_width: f32,
    /// Of leaves, 0 to 1, mean over what is covered: roughness and translucency.
    leaf_material: [f32; 2],
}

const _: () = assert!(size_of::<SpeciesUniform>() == 20);

impl SpeciesUniform {
    /// Of a tree that fills a box, with room for leaves that stick out of it.
    pub(super) fn of([least, most]: [Vec3; 2], leaf: &Surface) -> Self {
        let reach = least.abs().max(most.abs());
        let across = reach.x.max(reach.z);
        let low = least.y.min(0.0);
        Self {
            middle: 0.5 * (most.y + low),
            half_height: 0.5 * (most.y - low) * 1.03 + 0.1,
            half_width: across * 1.05 + 0.1,
            leaf_material: mean_material(leaf),
        }
    }
}

/// Roughness and translucency where a surface is covered, 0 to 1.
fn mean_material(surface: &Surface) -> [f32; 2] {
    let (colour, material) = (&surface.colour, &surface.material);
    let columns = colour.width / material.width.max(1);
    let rows = colour.height / material.height.max(1);
    let mut sum = [0.0; 2];
    let mut covered = 0.0;
    for (i, texel) in colour.rgba.chunks_exact(4).enumerate() {
        let (x, y) = (i as u32 % colour.width, i as u32 / colour.width);
        let at = 4 * (y / rows.max(1) * material.width + x / columns.max(1)) as usize;
        let share = f64::from(texel[3]);
        covered += share;
        (sum[0], sum[1]) = (
            sum[0] + share * f64::from(material.rgba[at + 1]),
            sum[1] + share * f64::from(material.rgba[at + 3]),
        );
    }
    sum.map(|s| (s / (255.0 * covered.max(1.0))) as f32)
}

/// How a capture of an impostor and its smaller levels are written.
pub(super) const TILE_FORMATS: [TextureFormat; 3] = [
    TextureFormat::Rgba8UnormSrgb,
    TextureFormat::Rgba8Unorm,
    TextureFormat::Rgba8Unorm,
];

/// Samples of a pixel of an impostor's picture.
pub(super) const TILE_SAMPLES: u32 = 4;

pub(crate) struct CrowdLayouts {
    /// Group 1: the species and how it moves.
    pub(super) species: BindGroupLayout,
    /// Group 2 of impostors: their pictures.
    pub(super) tiles: BindGroupLayout,
    /// Group 0 of captures: where they are taken from.
    pub(super) view: BindGroupLayout,
}

impl CrowdLayouts {
    pub(crate) fn new(device: &Device) -> Self {
        let uniform = buffer(BufferBindingType::Uniform);
        let picture = BindingType::Texture {
            sample_type: TextureSampleType::Float { filterable: true },
            view_dimension: TextureViewDimension::D2Array,
            multisampled: false,
        };
        let sampler = BindingType::Sampler(SamplerBindingType::Filtering);
        let layout = |name, visibility, types: &[BindingType]| {
            bind_group_layout(device, name, visibility, types)
        };
        let both = ShaderStages::VERTEX_FRAGMENT;
        let storage = buffer(BufferBindingType::Storage { read_only: true });
        let texels = BindingType::Texture {
            sample_type: TextureSampleType::Float { filterable: false },
            view_dimension: TextureViewDimension::D2Array,
            multisampled: false,
        };
        Self {
            species: layout(
                "species",
                both,
                &[uniform, uniform, storage, storage, texels, texels, storage],
            ),
            tiles: layout(
                "tiles",
                ShaderStages::FRAGMENT,
                &[picture, picture, picture, sampler],
            ),
            view: layout("view", both, &[uniform]),
        }
    }
}

/// What a vertex shader of a crowd does. Each has pipelines of its own, so that what is simpler costs less on every adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Nothing.
    Still,
    /// Bends branches by the motion along one strand or two.
    Bent { bending: Bending, strands: u32 },
}

impl Way {
    /// How many there are: still, and three ways to bend, each with one strand or two.
    const COUNT: usize = 7;

    /// As a frame says.
    pub(super) fn of(frame: &SpectralFrame) -> Self {
        Self::Bent {
            bending: frame.bending(),
            strands: frame.strands,
        }
    }

    fn index(self) -> usize {
        match self {
            Self::Still => 0,
            Self::Bent { bending, strands } => 2 * bending as usize + strands.clamp(1, 2) as usize,
        }
    }

    fn constants(self) -> [(&'static str, f64); 3] {
        let (moves, bending, strands) = match self {
            Self::Still => (0.0, Bending::Simple, 1),
            Self::Bent { bending, strands } => (1.0, bending, strands),
        };
        [
            ("MOVES", moves),
            ("SPECTRAL_BENDING", f64::from(bending as u32)),
            ("SPECTRAL_STRANDS", f64::from(strands)),
        ]
    }
}

pub(crate) struct CrowdPipelines {
    pub(super) layouts: CrowdLayouts,
    /// Made when a species is first drawn so.
    drawn: [OnceLock<Drawn>; Way::COUNT],
    /// Pictures of impostors, and their smaller levels.
    pub(super) capture_bark: RenderPipeline,
    pub(super) capture_leaf: RenderPipeline,
    pub(super) halve: RenderPipeline,
}

/// Pipelines of one way.
pub(super) struct Drawn {
    pub(super) bark: RenderPipeline,
    pub(super) leaf: RenderPipeline,
    pub(super) impostor: RenderPipeline,
    pub(super) bark_shadow: RenderPipeline,
    pub(super) leaf_shadow: RenderPipeline,
}

impl CrowdPipelines {
    pub(crate) fn new(device: &Device, layouts: &Layouts) -> Self {
        let own = CrowdLayouts::new(device);
        Self {
            drawn: Default::default(),
            capture_bark: capture(device, &own, layouts, "capture_bark"),
            capture_leaf: capture(device, &own, layouts, "capture_leaf"),
            halve: halve(device, layouts),
            layouts: own,
        }
    }

    /// Those of one way.
    pub(super) fn of(&self, way: Way, renderer: &Renderer) -> &Drawn {
        self.drawn[way.index()].get_or_init(|| self.draw(way, renderer))
    }

    fn draw(&self, way: Way, renderer: &Renderer) -> Drawn {
        let layouts = &renderer.layouts;
        let (frame, sun) = (Some(&layouts.frame), Some(&layouts.sun));
        let (species, surface) = (Some(&self.layouts.species), Some(&layouts.surface));
        let make =
            |kind: &Kind| kind.build(renderer.device(), renderer.format(), renderer.quality());
        let bark = Kind {
            shader: &shaders::CROWD,
            vertex: "crowd_point",
            fragment: Some("crowd_bark_colour"),
            buffers: &[Some(CROWD), Some(PLANT)],
            groups: &[frame, species, surface],
            topology: PrimitiveTopology::TriangleList,
            cull: Some(Face::Back),
            writes_depth: true,
            constants: &way.constants(),
        };
        let leaf = Kind {
            fragment: Some("crowd_leaf_colour"),
            cull: None,
            ..bark
        };
        let in_shadow = &[sun, species, surface];
        Drawn {
            bark: make(&bark),
            leaf: make(&Kind {
                vertex: "crowd_leaf_point",
                ..leaf
            }),
            impostor: make(&Kind {
                shader: &shaders::IMPOSTOR,
                vertex: "impostor_point",
                fragment: Some("impostor_colour"),
                buffers: &[Some(PLANT)],
                groups: &[frame, species, Some(&self.layouts.tiles)],
                topology: PrimitiveTopology::TriangleStrip,
                ..leaf
            }),
            bark_shadow: make(&Kind {
                vertex: "crowd_bark_shadow",
                fragment: None,
                groups: in_shadow,
                ..bark
            }),
            leaf_shadow: make(&Kind {
                vertex: "crowd_leaf_shadow",
                fragment: Some("piece_cutout"),
                groups: in_shadow,
                ..leaf
            }),
        }
    }
}

fn targets() -> [Option<ColorTargetState>; 3] {
    TILE_FORMATS.map(|format| {
        Some(ColorTargetState {
            format,
            blend: None,
            write_mask: ColorWrites::ALL,
        })
    })
}

fn capture(
    device: &Device,
    own: &CrowdLayouts,
    layouts: &Layouts,
    fragment: &str,
) -> RenderPipeline {
    let module = device.create_shader_module(ShaderModuleDescriptor {
        label: Some("capture"),
        source: ShaderSource::Wgsl(shaders::CAPTURE.source().into()),
    });
    let layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
        label: Some("capture"),
        bind_group_layouts: &[Some(&own.view), None, Some(&layouts.surface)],
        immediate_size: 0,
    });
    let constants = [("SAMPLES", f64::from(TILE_SAMPLES))];
    let compilation_options = PipelineCompilationOptions {
        constants: &constants,
        ..Default::default()
    };
    device.create_render_pipeline(&RenderPipelineDescriptor {
        label: Some(fragment),
        layout: Some(&layout),
        vertex: VertexState {
            module: &module,
            entry_point: Some("capture_point"),
            compilation_options: compilation_options.clone(),
            buffers: &[Some(CROWD)],
        },
        primitive: PrimitiveState::default(),
        depth_stencil: Some(DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(CompareFunction::GreaterEqual),
            stencil: StencilState::default(),
            bias: DepthBiasState::default(),
        }),
        multisample: MultisampleState {
            count: TILE_SAMPLES,
            ..Default::default()
        },
        fragment: Some(FragmentState {
            module: &module,
            entry_point: Some(fragment),
            compilation_options,
            targets: &targets(),
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// Draws pictures half as large.
fn halve(device: &Device, layouts: &Layouts) -> RenderPipeline {
    let module = device.create_shader_module(ShaderModuleDescriptor {
        label: Some("halve"),
        source: ShaderSource::Wgsl(shaders::HALVE.source().into()),
    });
    let layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
        label: Some("halve"),
        bind_group_layouts: &[Some(&layouts.surface)],
        immediate_size: 0,
    });
    device.create_render_pipeline(&RenderPipelineDescriptor {
        label: Some("halve"),
        layout: Some(&layout),
        vertex: VertexState {
            module: &module,
            entry_point: Some("halve_point"),
            compilation_options: PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: PrimitiveState::default(),
        depth_stencil: None,
        multisample: MultisampleState::default(),
        fragment: Some(FragmentState {
            module: &module,
            entry_point: Some("halved"),
            compilation_options: PipelineCompilationOptions::default(),
            targets: &targets(),
        }),
        multiview_mask: None,
        cache: None,
    })
}
