//! What the GPU is told once: how bindings are laid out and how each kind of thing is drawn.

use crate::gpu_data::{BARK, INSTANCE, PIECE};
use crate::settings::Quality;
use crate::shaders::{self, Shader};
use wgpu::*;

/// Format of depths and of the shadow map.
pub(crate) const DEPTH: TextureFormat = TextureFormat::Depth32Float;

/// A buffer, whole.
pub(crate) fn buffer(ty: BufferBindingType) -> BindingType {
    BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: None,
    }
}

/// Bindings of these types, numbered from 0.
pub(crate) fn bind_group_layout(
    device: &Device,
    name: &str,
    visibility: ShaderStages,
    types: &[BindingType],
) -> BindGroupLayout {
    let entries = types.iter().enumerate();
    let entries: Vec<_> = entries
        .map(|(binding, &ty)| BindGroupLayoutEntry {
            binding: binding as u32,
            visibility,
            ty,
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&BindGroupLayoutDescriptor {
        label: Some(name),
        entries: &entries,
    })
}

/// How bindings are laid out.
pub(crate) struct Layouts {
    /// Group 0 of the shadow map's own pass.
    pub(crate) sun: BindGroupLayout,
    /// Group 0: frame, shadow map and its sampler.
    pub(crate) frame: BindGroupLayout,
    /// Group 1: transforms and colours of bodies.
    pub(crate) bodies: BindGroupLayout,
    /// Group 1 of ground and grass: heights.
    pub(crate) hills: BindGroupLayout,
    /// Group 2: textures of a surface.
    pub(crate) surface: BindGroupLayout,
}

impl Layouts {
    pub(crate) fn new(device: &Device) -> Self {
        let both = ShaderStages::VERTEX_FRAGMENT;
        let uniform = buffer(BufferBindingType::Uniform);
        let storage = buffer(BufferBindingType::Storage { read_only: true });
        let texture = |sample_type| BindingType::Texture {
            sample_type,
            view_dimension: TextureViewDimension::D2,
            multisampled: false,
        };
        let painted = texture(TextureSampleType::Float { filterable: true });
        let layout = |name, visibility, types: &[BindingType]| {
            bind_group_layout(device, name, visibility, types)
        };
        Self {
            sun: layout("sun", both, &[uniform]),
            frame: layout(
                "frame",
                both,
                &[
                    uniform,
                    texture(TextureSampleType::Depth),
                    BindingType::Sampler(SamplerBindingType::Comparison),
                ],
            ),
            bodies: layout("bodies", ShaderStages::VERTEX, &[storage, storage]),
            hills: layout("hills", both, &[storage]),
            surface: layout(
                "surface",
                ShaderStages::FRAGMENT,
                &[
                    painted,
                    painted,
                    painted,
                    BindingType::Sampler(SamplerBindingType::Filtering),
                ],
            ),
        }
    }
}

/// How each kind of thing is drawn.
pub(crate) struct Pipelines {
    pub(crate) bark: RenderPipeline,
    pub(crate) piece: RenderPipeline,
    /// Lit leaves and fruit in low quality.
    pub(crate) plain_piece: Option<RenderPipeline>,
    pub(crate) ground: RenderPipeline,
    pub(crate) grass: RenderPipeline,
    pub(crate) sky: RenderPipeline,
    /// Edges and skeletons of wood.
    pub(crate) bark_lines: RenderPipeline,
    /// Edges of leaves and fruit.
    pub(crate) piece_lines: RenderPipeline,
    pub(crate) bark_shadow: RenderPipeline,
    pub(crate) piece_shadow: RenderPipeline,
}

/// What distinguishes one pipeline from the next.
pub(crate) struct Kind<'a> {
    pub(crate) shader: &'a Shader,
    pub(crate) vertex: &'a str,
    /// None where only depth is written.
    pub(crate) fragment: Option<&'a str>,
    pub(crate) buffers: &'a [Option<VertexBufferLayout<'a>>],
    pub(crate) groups: &'a [Option<&'a BindGroupLayout>],
    pub(crate) topology: PrimitiveTopology,
    pub(crate) cull: Option<Face>,
    pub(crate) writes_depth: bool,
    /// Constants of the shader beside those of the quality.
    pub(crate) constants: &'a [(&'a str, f64)],
}

impl Pipelines {
    pub(crate) fn new(
        device: &Device,
        layouts: &Layouts,
        format: TextureFormat,
        quality: Quality,
    ) -> Self {
        let (frame, sun) = (Some(&layouts.frame), Some(&layouts.sun));
        let (bodies, surface) = (Some(&layouts.bodies), Some(&layouts.surface));
        let make = |kind: &Kind| kind.build(device, format, quality);
        let bark = Kind {
            shader: &shaders::BARK,
            vertex: "bark_point",
            fragment: Some("bark_colour"),
            buffers: &[Some(BARK)],
            groups: &[frame, bodies, surface],
            topology: PrimitiveTopology::TriangleList,
            cull: Some(Face::Back),
            writes_depth: true,
            constants: &[],
        };
        let piece = Kind {
            shader: &shaders::PIECE,
            vertex: "piece_point",
            fragment: Some("piece_colour"),
            buffers: &[Some(PIECE), Some(INSTANCE)],
            // A leaf is seen from both sides.
            cull: None,
            ..bark
        };
        let everywhere = Kind {
            buffers: &[],
            groups: &[frame],
            topology: PrimitiveTopology::TriangleStrip,
            cull: None,
            ..bark
        };
        let in_shadow = &[sun, bodies, surface];
        let on_ground = &[frame, Some(&layouts.hills)];
        Self {
            bark: make(&bark),
            piece: make(&piece),
            plain_piece: (!quality.has_detail()).then(|| {
                make(&Kind {
                    vertex: "plain_point",
                    fragment: Some("plain_colour"),
                    ..piece
                })
            }),
            ground: make(&Kind {
                shader: &shaders::GROUND,
                vertex: "ground_point",
                fragment: Some("ground_colour"),
                groups: on_ground,
                ..everywhere
            }),
            grass: make(&Kind {
                shader: &shaders::GRASS,
                vertex: "blade_point",
                fragment: Some("blade_colour"),
                groups: on_ground,
                ..everywhere
            }),
            sky: make(&Kind {
                shader: &shaders::SKY,
                vertex: "sky_point",
                fragment: Some("sky_colour"),
                writes_depth: false,
                ..everywhere
            }),
            bark_lines: make(&Kind {
                fragment: Some("line_colour"),
                topology: PrimitiveTopology::LineList,
                cull: None,
                ..bark
            }),
            piece_lines: make(&Kind {
                fragment: Some("edge_colour"),
                topology: PrimitiveTopology::LineList,
                ..piece
            }),
            bark_shadow: make(&Kind {
                vertex: "bark_shadow",
                fragment: None,
                groups: in_shadow,
                ..bark
            }),
            piece_shadow: make(&Kind {
                vertex: "piece_shadow",
                fragment: Some("piece_cutout"),
                groups: in_shadow,
                ..piece
            }),
        }
    }
}

impl Kind<'_> {
    /// Into the shadow map if it has the shadow's groups, else into a picture.
    pub(crate) fn build(
        &self,
        device: &Device,
        format: TextureFormat,
        quality: Quality,
    ) -> RenderPipeline {
        let casts = self.vertex.ends_with("_shadow");
        let module = device.create_shader_module(ShaderModuleDescriptor {
            label: Some(self.shader.name),
            source: ShaderSource::Wgsl(self.shader.source().into()),
        });
        let layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: Some(self.vertex),
            bind_group_layouts: self.groups,
            immediate_size: 0,
        });
        let samples = if casts { 1 } else { quality.samples() };
        let constants = [
            ("SAMPLES", f64::from(samples)),
            ("SHADOW_TAPS", f64::from(quality.shadow_taps())),
            ("DETAIL", f64::from(u8::from(quality.has_detail()))),
            ("GRASS_ROW", f64::from(quality.grass_row().max(1))),
            ("ENCODE", f64::from(u8::from(!format.is_srgb()))),
        ];
        let constants = [&constants, self.constants].concat();
        let compilation_options = PipelineCompilationOptions {
            constants: &constants,
            ..Default::default()
        };
        let target = [Some(ColorTargetState {
            format,
            blend: None,
            write_mask: ColorWrites::ALL,
        })];
        device.create_render_pipeline(&RenderPipelineDescriptor {
            label: Some(self.vertex),
            layout: Some(&layout),
            vertex: VertexState {
                module: &module,
                entry_point: Some(self.vertex),
                compilation_options: compilation_options.clone(),
                buffers: self.buffers,
            },
            primitive: PrimitiveState {
                topology: self.topology,
                front_face: FrontFace::Ccw,
                cull_mode: self.cull,
                ..Default::default()
            },
            depth_stencil: Some(DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(self.writes_depth),
                // A picture's depth is 1 near and 0 far, the sun's the other way round.
                depth_compare: Some(if casts {
                    CompareFunction::Less
                } else {
                    CompareFunction::GreaterEqual
                }),
                stencil: StencilState::default(),
                bias: if casts {
                    DepthBiasState {
                        constant: 2,
                        slope_scale: 1.5,
                        clamp: 0.0,
                    }
                } else {
                    DepthBiasState::default()
                },
            }),
            multisample: MultisampleState {
                count: samples,
                ..Default::default()
            },
            fragment: self.fragment.map(|entry| FragmentState {
                module: &module,
                entry_point: Some(entry),
                compilation_options: compilation_options.clone(),
                targets: if casts { &[] } else { &target },
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
