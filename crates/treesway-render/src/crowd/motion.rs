//! The spectral motion of a species on the GPU: branches and textures stay, phases and the wind's uniform change every frame.

use super::mesh::LeafHold;
use super::passes::{SpeciesUniform, Way};
use crate::memory::Kind;
use crate::renderer::Renderer;
use bytemuck::{bytes_of, cast_slice};
use treesway::spectral::{SpectralFrame, SpectralTree};
use wgpu::*;

/// How a species moves.
pub(super) struct Motion {
    tree: SpectralTree,
    /// Kept, so that no frame allocates.
    phases: Vec<[f32; 4]>,
    frame_buffer: Buffer,
    phase_buffer: Buffer,
    way: Way,
    moves: bool,
    /// Group 1 of all that is drawn of the species.
    pub(super) bindings: BindGroup,
}

impl Motion {
    pub(super) fn upload(
        renderer: &Renderer,
        tree: SpectralTree,
        species: &SpeciesUniform,
        holds: &[LeafHold],
    ) -> Self {
        let memory = &renderer.memory;
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let mut phases = Vec::new();
        tree.model.phases(0.0, &mut phases);
        let species_buffer = memory.filled("species", uniform, bytes_of(species));
        let frame_buffer = memory.filled("wind", uniform, bytes_of(&tree.model.frame(0.0)));
        let phase_buffer = memory.filled("phases", storage, cast_slice(&phases));
        let branches = memory.filled("branches", storage, cast_slice(&tree.model.branches));
        // A storage buffer holds one at least.
        let none = [LeafHold::default()];
        let holds = if holds.is_empty() { &none[..] } else { holds };
        let holds = memory.filled("holds", storage, cast_slice(holds));
        let size = tree.textures.size;
        let layers = tree.textures.layers.iter().map(|l| cast_slice(l));
        let motion = texture(renderer, TextureFormat::Rg32Float, size, layers);
        let layers = tree.textures.leaves.iter().map(|l| cast_slice(l));
        let leaves = texture(renderer, TextureFormat::Rgba32Float, size, layers);
        let resources = [
            species_buffer.as_entire_binding(),
            frame_buffer.as_entire_binding(),
            branches.as_entire_binding(),
            phase_buffer.as_entire_binding(),
            BindingResource::TextureView(&motion),
            BindingResource::TextureView(&leaves),
            holds.as_entire_binding(),
        ];
        let entries: Vec<BindGroupEntry> = resources
            .into_iter()
            .enumerate()
            .map(|(binding, resource)| BindGroupEntry {
                binding: binding as u32,
                resource,
            })
            .collect();
        let bindings = renderer.device().create_bind_group(&BindGroupDescriptor {
            label: Some("species"),
            layout: &renderer.crowd().layouts.species,
            entries: &entries,
        });
        Self {
            way: Way::of(&tree.model.frame(0.0)),
            moves: true,
            tree,
            phases,
            frame_buffer,
            phase_buffer,
            bindings,
        }
    }

    /// Uploads what a time changes.
    pub(super) fn set_time(&mut self, queue: &Queue, seconds: f64, bending: Option<u32>) {
        self.tree.model.phases(seconds, &mut self.phases);
        queue.write_buffer(&self.phase_buffer, 0, cast_slice(&self.phases));
        let frame = self.tree.model.frame(seconds);
        let frame = SpectralFrame {
            bending: bending.unwrap_or(frame.bending),
            ..frame
        };
        self.way = Way::of(&frame);
        queue.write_buffer(&self.frame_buffer, 0, bytes_of(&frame));
    }

    /// What its vertex shaders do.
    pub(super) fn way(&self) -> Way {
        if self.moves { self.way } else { Way::Still }
    }

    /// Whether it moves at all.
    pub(super) fn set_moving(&mut self, moving: bool) {
        self.moves = moving;
    }
}

fn texture<'a>(
    renderer: &Renderer,
    format: TextureFormat,
    size: u32,
    layers: impl ExactSizeIterator<Item = &'a [u8]>,
) -> TextureView {
    let kind = Kind {
        format,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        levels: 1,
        samples: 1,
    };
    let count = layers.len() as u32;
    let texture = renderer
        .memory
        .layers("motion", &kind, [size; 2], count.max(1));
    for (layer, bytes) in layers.enumerate() {
        let to = TexelCopyTextureInfo {
            texture: &texture,
            mip_level: 0,
            origin: Origin3d {
                z: layer as u32,
                ..Origin3d::ZERO
            },
            aspect: TextureAspect::All,
        };
        let rows = TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(bytes.len() as u32 / size),
            rows_per_image: None,
        };
        let whole = Extent3d {
            width: size,
            height: size,
            depth_or_array_layers: 1,
        };
        renderer.queue().write_texture(to, bytes, rows, whole);
    }
    texture.create_view(&TextureViewDescriptor {
        dimension: Some(TextureViewDimension::D2Array),
        ..Default::default()
    })
}
