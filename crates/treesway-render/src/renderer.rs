//! Draws trees into any texture view.
//!
//! Two passes: the shadow map as the sun sees it, then the picture (bark, leaves, fruit, ground, sky), whose samples are averaged into the
//! view at its end. The filmic curve is part of every shader, so that there is no picture in between. A frame uploads transforms
//! ([`TreeOnGpu::follow`]) and one uniform buffer; it makes no buffer, and textures only when the size changes.

use crate::camera::Camera;
use crate::crowd::{Crowd, CrowdPipelines, CrowdReport};
use crate::gpu_data::{Frame, option};
use crate::hills::Hills;
use crate::light::{Light, SunView};
use crate::memory::{Kind, Memory};
use crate::model::{TreeOnGpu, around};
use crate::pipelines::{DEPTH, Layouts, Pipelines};
use crate::settings::{Mode, Quality, Settings};
use std::sync::OnceLock;
use treesway::Ground;
use treesway::glam::Vec3;
use wgpu::*;

/// Draws trees.
pub struct Renderer {
    device: Device,
    queue: Queue,
    pub(crate) memory: Memory,
    quality: Quality,
    format: TextureFormat,
    pub(crate) layouts: Layouts,
    pub(crate) surface_sampler: Sampler,
    pipelines: Pipelines,
    /// Made for the first crowd.
    crowd_pipelines: OnceLock<CrowdPipelines>,
    frame: Buffer,
    /// Group 0 of the shadow map's pass and of the picture's.
    sun_bindings: BindGroup,
    frame_bindings: BindGroup,
    shadow_map: TextureView,
    hills: Hills,
    targets: Option<Targets>,
}

/// Textures as large as the picture.
struct Targets {
    size: [u32; 2],
    /// None with one sample a pixel, which is drawn into the view itself.
    samples: Option<TextureView>,
    depth: TextureView,
}

impl Renderer {
    /// Prepares to draw into views of that format.
    pub fn new(device: &Device, queue: &Queue, format: TextureFormat, quality: Quality) -> Self {
        let layouts = Layouts::new(device);
        let memory = Memory::new(device);
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let frame = memory.buffer("frame", usage, size_of::<Frame>() as u64);
        let depths = Kind {
            format: DEPTH,
            usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
            levels: 1,
            samples: 1,
        };
        let shadow_map = memory.texture("shadow map", &depths, [quality.shadow_size(); 2]);
        let shadow_map = shadow_map.create_view(&TextureViewDescriptor::default());
        let shadow_sampler = device.create_sampler(&SamplerDescriptor {
            label: Some("shadow"),
            mag_filter: FilterMode::Linear,
            min_filter: FilterMode::Linear,
            compare: Some(CompareFunction::LessEqual),
            ..Default::default()
        });
        let uniform = BindGroupEntry {
            binding: 0,
            resource: frame.as_entire_binding(),
        };
        let sun_bindings = device.create_bind_group(&BindGroupDescriptor {
            label: Some("sun"),
            layout: &layouts.sun,
            entries: core::slice::from_ref(&uniform),
        });
        let frame_bindings = device.create_bind_group(&BindGroupDescriptor {
            label: Some("frame"),
            layout: &layouts.frame,
            entries: &[
                uniform.clone(),
                BindGroupEntry {
                    binding: 1,
                    resource: BindingResource::TextureView(&shadow_map),
                },
                BindGroupEntry {
                    binding: 2,
                    resource: BindingResource::Sampler(&shadow_sampler),
                },
            ],
        });
        // Software takes ten times as long for what bark at a slant gains.
        let software = device.adapter_info().device_type == DeviceType::Cpu;
        let surface_sampler = device.create_sampler(&SamplerDescriptor {
            label: Some("surface"),
            address_mode_u: AddressMode::Repeat,
            address_mode_v: AddressMode::Repeat,
            mag_filter: FilterMode::Linear,
            min_filter: FilterMode::Linear,
            mipmap_filter: if quality.has_detail() {
                MipmapFilterMode::Linear
            } else {
                MipmapFilterMode::Nearest
            },
            anisotropy_clamp: if software { 1 } else { 8 },
            ..Default::default()
        });
        let hills = Hills::new(device, &memory, &layouts, &Ground::None);
        Self {
            pipelines: Pipelines::new(device, &layouts, format, quality),
            crowd_pipelines: OnceLock::new(),
            device: device.clone(),
            queue: queue.clone(),
            memory,
            quality,
            format,
            layouts,
            surface_sampler,
            frame,
            sun_bindings,
            frame_bindings,
            shadow_map,
            hills,
            targets: None,
        }
    }

    /// How well it draws.
    pub fn quality(&self) -> Quality {
        self.quality
    }

    /// Of the views it draws into.
    pub(crate) fn format(&self) -> TextureFormat {
        self.format
    }

    /// The device it draws with.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The queue it draws with.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Buffers and textures that were made so far, those of trees included. A frame makes none, but for the first one of its size and of its
    /// mode.
    pub fn memory_made(&self) -> u64 {
        self.memory.made()
    }

    /// Draws this ground from now on: that of a world. Costs nothing where it is the same as before.
    pub fn set_ground(&mut self, ground: &Ground) {
        if !self.hills.are_of(ground) {
            self.hills = Hills::new(&self.device, &self.memory, &self.layouts, ground);
        }
    }

    /// Where level ground is drawn, m: where the world has it, 0 if nothing was said; but well below what hangs.
    pub fn ground_height(&self, trees: &[TreeOnGpu]) -> f32 {
        let [least, most] = bounds(trees);
        let height = most.y - least.y;
        let level = self.hills.level.unwrap_or(0.0);
        let stands = least.y > level - 0.15 * height && most.y > level;
        if stands || self.hills.pieces > 1 {
            level
        } else {
            least.y - 0.3 * (most - least).length()
        }
    }

    /// Draws trees into a view of that size, pixels.
    pub fn draw(
        &mut self,
        view: &TextureView,
        size: [u32; 2],
        trees: &[TreeOnGpu],
        camera: &Camera,
        settings: &Settings,
    ) {
        self.draw_with(view, size, trees, None, camera, settings);
    }

    /// Draws trees and, where there is one, a crowd.
    pub fn draw_with(
        &mut self,
        view: &TextureView,
        size: [u32; 2],
        trees: &[TreeOnGpu],
        crowd: Option<&mut Crowd>,
        camera: &Camera,
        settings: &Settings,
    ) -> CrowdReport {
        self.fit(size);
        let mut frame = self.uniforms(size, trees, camera, settings);
        let mut report = CrowdReport::default();
        let crowd = crowd.map(|crowd| {
            report = crowd.prepare(camera, size);
            self.surround(&mut frame, crowd, camera, settings);
            &*crowd
        });
        self.queue
            .write_buffer(&self.frame, 0, bytemuck::bytes_of(&frame));
        let mut encoder = self.device.create_command_encoder(&Default::default());
        if frame.options & option::SHADOW != 0 {
            self.cast(&mut encoder, trees, crowd);
        }
        self.paint(&mut encoder, view, trees, crowd, settings);
        self.queue.submit([encoder.finish()]);
        report
    }

    /// How crowds are drawn.
    pub(crate) fn crowd(&self) -> &CrowdPipelines {
        self.crowd_pipelines
            .get_or_init(|| CrowdPipelines::new(&self.device, &self.layouts))
    }

    /// A crowd stands on the ground and all around; the sun looks at what is near.
    fn surround(&self, frame: &mut Frame, crowd: &Crowd, camera: &Camera, settings: &Settings) {
        let reach = crowd.shadow_reach();
        let forward = (camera.target - camera.eye).normalize_or_zero();
        let ahead = camera.eye + Vec3::new(forward.x, 0.0, forward.z) * (0.7 * reach);
        let [least, most] = crowd.bounds();
        let middle = Vec3::new(ahead.x, 0.3 * (least.y + most.y), ahead.z);
        let sun_view = SunView::of(&settings.sun, middle, reach, self.quality.shadow_size());
        frame.shadow_from_world = sun_view.shadow_from_world.to_cols_array_2d();
        frame.shadow_texel = sun_view.texel;
        frame.ground_height = self.hills.level.unwrap_or(0.0);
        frame.crown = ((least + most) / 2.0).to_array();
        let across = (most - least) / 2.0;
        frame.crown_radius = across.x.max(across.z);
    }

    /// Targets of that size, made anew when it changes.
    fn fit(&mut self, size: [u32; 2]) {
        if self.targets.as_ref().is_some_and(|t| t.size == size) {
            return;
        }
        let samples = self.quality.samples();
        let make = |name, format| {
            let kind = Kind {
                format,
                usage: TextureUsages::RENDER_ATTACHMENT,
                levels: 1,
                samples,
            };
            let texture = self.memory.texture(name, &kind, size);
            texture.create_view(&TextureViewDescriptor::default())
        };
        self.targets = Some(Targets {
            size,
            samples: (samples > 1).then(|| make("samples", self.format)),
            depth: make("depth", DEPTH),
        });
    }

    fn uniforms(
        &self,
        size: [u32; 2],
        trees: &[TreeOnGpu],
        camera: &Camera,
        settings: &Settings,
    ) -> Frame {
        let aspect = size[0] as f32 / size[1] as f32;
        let clip_from_world = camera.clip_from_world(aspect);
        let bounds = bounds(trees);
        let middle = (bounds[0] + bounds[1]) / 2.0;
        // A tree that sways leaves the box it rests in.
        let radius = bounds[0].distance(bounds[1]) * 0.55;
        let light = Light::of(&settings.sun);
        let sun_view = SunView::of(&settings.sun, middle, radius, self.quality.shadow_size());
        // Lines cast no shadow, and colours that stand for something are not to be shaded.
        let solid = matches!(settings.mode, Mode::Shaded | Mode::Flat);
        let options = [
            (settings.textures, option::TEXTURES),
            (
                settings.shadow && settings.lighting && solid,
                option::SHADOW,
            ),
            (settings.lighting, option::LIGHTING),
            (settings.mode == Mode::Flat, option::FLAT),
            (settings.mode == Mode::Coloured, option::COLOURED),
        ];
        let meadow = meadow(camera, self.quality);
        let across = (bounds[1] - bounds[0]) / 2.0;
        Frame {
            clip_from_world: clip_from_world.to_cols_array_2d(),
            world_from_clip: clip_from_world.inverse().to_cols_array_2d(),
            shadow_from_world: sun_view.shadow_from_world.to_cols_array_2d(),
            eye: camera.eye.to_array(),
            options: options.iter().filter(|o| o.0).map(|o| o.1).sum::<u32>()
                | ((settings.snow.clamp(0.0, 1.0) * 255.0) as u32) << 8,
            to_sun: settings.sun.direction().to_array(),
            shadow_texel: sun_view.texel,
            sun: light.sun.to_array(),
            exposure: settings.exposure,
            zenith: light.zenith.to_array(),
            fog: settings.fog,
            horizon: light.horizon.to_array(),
            ground_height: self.ground_height(trees),
            bounce: light.bounce.to_array(),
            crown_radius: across.x.max(across.z),
            crown: middle.to_array(),
            pixel_angle: camera.fov_deg.to_radians() / size[1] as f32,
            meadow: meadow.0,
            meadow_cell: meadow.1,
            translucency: settings.translucency,
        }
    }

    /// The shadow map.
    fn cast(&self, encoder: &mut CommandEncoder, trees: &[TreeOnGpu], crowd: Option<&Crowd>) {
        let mut pass = encoder.begin_render_pass(&RenderPassDescriptor {
            label: Some("shadow"),
            depth_stencil_attachment: Some(depth(&self.shadow_map, 1.0, StoreOp::Store)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.sun_bindings, &[]);
        for tree in trees {
            pass.set_bind_group(1, &tree.bodies.binding, &[]);
            draw_bark(&mut pass, &self.pipelines.bark_shadow, tree);
            draw_pieces(&mut pass, &self.pipelines.piece_shadow, tree);
        }
        if let Some(crowd) = crowd {
            crowd.cast(&mut pass, self);
        }
    }

    /// The picture.
    fn paint(
        &self,
        encoder: &mut CommandEncoder,
        view: &TextureView,
        trees: &[TreeOnGpu],
        crowd: Option<&Crowd>,
        settings: &Settings,
    ) {
        let targets = self.targets.as_ref().expect("made for this frame");
        let (target, resolve_target) = match &targets.samples {
            Some(samples) => (samples, Some(view)),
            None => (view, None),
        };
        let mut pass = encoder.begin_render_pass(&RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target,
                ops: Operations {
                    load: LoadOp::Clear(Color::TRANSPARENT),
                    store: if resolve_target.is_some() {
                        StoreOp::Discard
                    } else {
                        StoreOp::Store
                    },
                },
            })],
            depth_stencil_attachment: Some(depth(&targets.depth, 0.0, StoreOp::Discard)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.frame_bindings, &[]);
        for tree in trees {
            pass.set_bind_group(1, &tree.bodies.binding, &[]);
            match settings.mode {
                Mode::Shaded | Mode::Flat | Mode::Coloured => {
                    draw_bark(&mut pass, &self.pipelines.bark, tree);
                    let lit = settings.lighting && settings.mode == Mode::Shaded;
                    let plain = self.pipelines.plain_piece.as_ref().filter(|_| lit);
                    draw_pieces(&mut pass, plain.unwrap_or(&self.pipelines.piece), tree);
                }
                Mode::Wireframe => self.draw_edges(&mut pass, tree),
                Mode::Skeleton => {
                    let (lines, count) = tree.skeleton(&self.memory);
                    pass.set_pipeline(&self.pipelines.bark_lines);
                    pass.set_bind_group(2, &tree.bark_surface, &[]);
                    pass.set_vertex_buffer(0, lines.slice(..));
                    pass.draw(0..*count, 0..1);
                }
            }
        }
        // A crowd has no bodies to draw as lines.
        let solid = !matches!(settings.mode, Mode::Wireframe | Mode::Skeleton);
        if let Some(crowd) = crowd.filter(|_| solid) {
            crowd.paint(&mut pass, self);
        }
        if settings.background {
            pass.set_pipeline(&self.pipelines.ground);
            pass.set_bind_group(1, &self.hills.bindings, &[]);
            pass.draw(0..4, 0..self.hills.pieces);
            let row = self.quality.grass_row();
            if settings.textures && settings.mode == Mode::Shaded && row > 0 {
                pass.set_pipeline(&self.pipelines.grass);
                pass.draw(0..3, 0..row * row);
            }
            pass.set_pipeline(&self.pipelines.sky);
            pass.draw(0..3, 0..1);
        }
    }

    fn draw_edges(&self, pass: &mut RenderPass, tree: &TreeOnGpu) {
        let edges = tree.bark_edges(&self.memory);
        pass.set_pipeline(&self.pipelines.bark_lines);
        pass.set_bind_group(2, &tree.bark_surface, &[]);
        pass.set_vertex_buffer(0, tree.wood().0.slice(..));
        pass.set_index_buffer(edges.buffer.slice(..), IndexFormat::Uint32);
        pass.draw_indexed(0..edges.count, 0, 0..1);
        pass.set_pipeline(&self.pipelines.piece_lines);
        for (i, pieces) in tree.pieces.iter().enumerate() {
            let edges = tree.piece_edges(&self.memory, i);
            pass.set_vertex_buffer(0, pieces.vertices.slice(..));
            pass.set_vertex_buffer(1, pieces.instances.slice(..));
            pass.set_index_buffer(edges.buffer.slice(..), IndexFormat::Uint32);
            pass.draw_indexed(0..edges.count, 0, 0..pieces.count);
        }
    }
}

/// The box around all trees; around the origin if there are none.
pub(crate) fn bounds(trees: &[TreeOnGpu]) -> [Vec3; 2] {
    if trees.is_empty() {
        return [Vec3::NEG_ONE, Vec3::ONE];
    }
    around(trees.iter().flat_map(TreeOnGpu::bounds))
}

/// Middle of the grass and the room of a blade, m: from the camera to some way behind what it looks at.
fn meadow(camera: &Camera, quality: Quality) -> ([f32; 2], f32) {
    let middle = camera.eye.lerp(camera.target, 0.65);
    let across = 1.5 * camera.distance() + 1.0;
    // In steps, so that blades stay where they are while the camera comes nearer.
    let cell = across / quality.grass_row().max(1) as f32;
    let cell = (cell.log2() * 2.0).ceil() / 2.0;
    ([middle.x, middle.z], cell.exp2())
}

fn draw_bark(pass: &mut RenderPass, pipeline: &RenderPipeline, tree: &TreeOnGpu) {
    pass.set_pipeline(pipeline);
    pass.set_bind_group(2, &tree.bark_surface, &[]);
    let (vertices, triangles) = tree.wood();
    pass.set_vertex_buffer(0, vertices.slice(..));
    pass.set_index_buffer(triangles.buffer.slice(..), IndexFormat::Uint32);
    pass.draw_indexed(0..triangles.count, 0, 0..1);
}

fn draw_pieces(pass: &mut RenderPass, pipeline: &RenderPipeline, tree: &TreeOnGpu) {
    pass.set_pipeline(pipeline);
    for pieces in &tree.pieces {
        let surface = if pieces.is_leaf {
            &tree.leaf_surface
        } else {
            &tree.fruit_surface
        };
        pass.set_bind_group(2, surface, &[]);
        pass.set_vertex_buffer(0, pieces.vertices.slice(..));
        pass.set_vertex_buffer(1, pieces.instances.slice(..));
        pass.set_index_buffer(pieces.triangles.buffer.slice(..), IndexFormat::Uint32);
        pass.draw_indexed(0..pieces.triangles.count, 0, 0..pieces.count);
    }
}

fn depth(view: &TextureView, cleared: f32, store: StoreOp) -> RenderPassDepthStencilAttachment<'_> {
    RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(Operations {
            load: LoadOp::Clear(cleared),
            store,
        }),
        stencil_ops: None,
    }
}
