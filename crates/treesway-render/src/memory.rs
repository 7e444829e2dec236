//! The one place where buffers and textures are made, so that they can be counted: a frame is to make none.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wgpu::util::{BufferInitDescriptor, DeviceExt as _};
use wgpu::*;

/// Makes buffers and textures.
#[derive(Clone)]
pub(crate) struct Memory {
    device: Device,
    made: Arc<AtomicU64>,
}

impl Memory {
    pub(crate) fn new(device: &Device) -> Self {
        Self {
            device: device.clone(),
            made: Arc::default(),
        }
    }

    /// How many there were so far.
    pub(crate) fn made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    fn count(&self) -> &Device {
        self.made.fetch_add(1, Ordering::Relaxed);
        &self.device
    }

    pub(crate) fn buffer(&self, label: &str, usage: BufferUsages, size: u64) -> Buffer {
        self.count().create_buffer(&BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    pub(crate) fn filled(&self, label: &str, usage: BufferUsages, bytes: &[u8]) -> Buffer {
        // A buffer may not be empty.
        let contents = if bytes.is_empty() { &[0; 4] } else { bytes };
        self.count().create_buffer_init(&BufferInitDescriptor {
            label: Some(label),
            contents,
            usage,
        })
    }

    /// A texture of two dimensions with so many mip levels.
    pub(crate) fn texture(&self, label: &str, kind: &Kind, size: [u32; 2]) -> Texture {
        self.layers(label, kind, size, 1)
    }

    /// Several of them, one behind the other.
    pub(crate) fn layers(
        &self,
        label: &str,
        kind: &Kind,
        [width, height]: [u32; 2],
        layers: u32,
    ) -> Texture {
        self.count().create_texture(&TextureDescriptor {
            label: Some(label),
            size: Extent3d {
                width,
                height,
                depth_or_array_layers: layers,
            },
            mip_level_count: kind.levels,
            sample_count: kind.samples,
            dimension: TextureDimension::D2,
            format: kind.format,
            usage: kind.usage,
            view_formats: &[],
        })
    }
}

/// What a texture is for.
pub(crate) struct Kind {
    pub(crate) format: TextureFormat,
    pub(crate) usage: TextureUsages,
    /// Mip levels.
    pub(crate) levels: u32,
    /// Of a pixel.
    pub(crate) samples: u32,
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_else_makes_buffers_or_textures() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if !path.is_file() || path.ends_with("memory.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for call in [".create_buffer", ".create_texture"] {
                assert!(!text.contains(call), "{}: {call}", path.display());
            }
        }
    }
}
