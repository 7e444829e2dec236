//! Textures on the GPU.

use crate::memory::Kind;
use crate::renderer::Renderer;
use treesway_skin::texture::{Image, Surface};
use wgpu::*;

/// Uploads a surface with its mip levels; the textures live as long as the bind group.
pub(crate) fn bind(
    renderer: &Renderer,
    layout: &BindGroupLayout,
    sampler: &Sampler,
    surface: &Surface,
) -> BindGroup {
    let colour = upload(renderer, &surface.colour, TextureFormat::Rgba8UnormSrgb);
    let normal = upload(renderer, &surface.normal, TextureFormat::Rgba8Unorm);
    let material = upload(renderer, &surface.material, TextureFormat::Rgba8Unorm);
    let views =
        [colour, normal, material].map(|t| t.create_view(&TextureViewDescriptor::default()));
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

fn upload(renderer: &Renderer, image: &Image, format: TextureFormat) -> Texture {
    // Only colours have an alpha that cuts leaves out.
    let levels = image.mips(format.is_srgb());
    let size = |image: &Image| Extent3d {
        width: image.width,
        height: image.height,
        depth_or_array_layers: 1,
    };
    let kind = Kind {
        format,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        levels: 1 + levels.len() as u32,
        samples: 1,
    };
    let edges = [image.width, image.height];
    let texture = renderer.memory.texture("surface", &kind, edges);
    for (level, image) in core::iter::once(image).chain(&levels).enumerate() {
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
        renderer
            .queue()
            .write_texture(to, &image.rgba, rows, size(image));
    }
    texture
}
