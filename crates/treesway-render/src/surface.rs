//! Textures on the GPU.

use crate::memory::Kind;
use crate::renderer::Renderer;
use treesway_skin::texture::{Image, Surface};
use wgpu::*;

/// A surface with every smaller level, the largest first. They take longer to make than to upload.
pub(crate) struct Levels {
    pub(crate) colour: Vec<Image>,
    normal: Vec<Image>,
    material: Vec<Image>,
}

impl Levels {
    pub(crate) fn of(surface: Surface) -> Self {
        // Only colours have an alpha that cuts leaves out.
        let all = |image: Image, coverage: bool| {
            let smaller = image.mips(coverage);
            core::iter::once(image).chain(smaller).collect()
        };
        Self {
            colour: all(surface.colour, true),
            normal: all(surface.normal, false),
            material: all(surface.material, false),
        }
    }
}

/// Uploads a surface; the textures live as long as the bind group.
pub(crate) fn bind(
    renderer: &Renderer,
    layout: &BindGroupLayout,
    sampler: &Sampler,
    surface: &Levels,
) -> BindGroup {
    let colour = upload(renderer, &surface.colour, TextureFormat::Rgba8UnormSrgb);
    let normal = upload(renderer, &surface.normal, TextureFormat::Rgba8Unorm);
    let material = upload(renderer, &surface.material, TextureFormat::Rgba8Unorm);
    let views =
        [colour, normal, material].map(|t| t.create_view(&TextureViewDescriptor::default()));
    bind_views(renderer, layout, &views, sampler)
}

/// Three pictures and how they are read, as a bind group.
pub(crate) fn bind_views(
    renderer: &Renderer,
    layout: &BindGroupLayout,
    views: &[TextureView; 3],
    sampler: &Sampler,
) -> BindGroup {
    let view = |i: usize| BindGroupEntry {
        binding: i as u32,
        resource: BindingResource::TextureView(&views[i]),
    };
    renderer.device().create_bind_group(&BindGroupDescriptor {
        label: Some("surface"),
        layout,
        entries: &[
            view(0),
            view(1),
            view(2),
            BindGroupEntry {
                binding: 3,
                resource: BindingResource::Sampler(sampler),
            },
        ],
    })
}

fn upload(renderer: &Renderer, levels: &[Image], format: TextureFormat) -> Texture {
    let kind = Kind {
        format,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        levels: levels.len() as u32,
        samples: 1,
    };
    let edges = [levels[0].width, levels[0].height];
    let texture = renderer.memory.texture("surface", &kind, edges);
    for (level, image) in levels.iter().enumerate() {
        let to = TexelCopyTextureInfo {
            texture: &texture,
            mip_level: level as u32,
            origin: Origin3d::ZERO,
            aspect: TextureAspect::All,
        };
        let rows = TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(4 * image.width),
            rows_per_image: None,
        };
        let size = Extent3d {
            width: image.width,
            height: image.height,
            depth_or_array_layers: 1,
        };
        renderer.queue().write_texture(to, &image.rgba, rows, size);
    }
    texture
}
