//! Pictures without a window.

use crate::camera::Camera;
use crate::crowd::{Crowd, CrowdReport};
use crate::memory::Kind;
use crate::model::TreeOnGpu;
use crate::renderer::Renderer;
use crate::settings::{Quality, Settings};
use treesway::Ground;
use treesway_skin::texture::Image;
use wgpu::*;

/// There is nothing to draw with.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NoAdapter {
    /// Not even software.
    #[error(
        "no graphics adapter was found, not even a software one; install a Vulkan driver, on Debian and Ubuntu: apt-get install mesa-vulkan-drivers"
    )]
    None,
    /// There is one, but it does not start.
    #[error("the graphics adapter {name} cannot be used: {why}; install or update its driver")]
    Unusable {
        /// What it calls itself.
        name: String,
        /// Its own words.
        why: String,
    },
}

/// A picture cannot be taken.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PictureError {
    /// Larger than a texture can be.
    #[error(
        "a picture of {width} × {height} pixels is too large; expected at most {most} in each direction, and at least 1"
    )]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// Of this adapter.
        most: u32,
    },
    /// The adapter failed.
    #[error("the graphics adapter failed: {0}")]
    Lost(String),
}

/// A graphics card, or software that stands in for one.
pub struct Headless {
    /// What it draws with.
    pub device: Device,
    /// What it is told through.
    pub queue: Queue,
    /// What it is.
    pub adapter: AdapterInfo,
}

impl Headless {
    /// Takes the best adapter there is.
    pub fn new() -> Result<Self, NoAdapter> {
        pollster::block_on(Self::request())
    }

    async fn request() -> Result<Self, NoAdapter> {
        // Vulkan, Metal and Direct3D; what OpenGL compiles cannot say which samples a leaf covers.
        let backends = Backends::PRIMARY;
        let instance = Instance::new(InstanceDescriptor {
            backends,
            ..InstanceDescriptor::new_without_display_handle()
        });
        let mut adapters = instance.enumerate_adapters(backends).await;
        adapters.sort_by_key(|a| rank(&a.get_info()));
        let mut failed = NoAdapter::None;
        for adapter in adapters {
            let info = adapter.get_info();
            let wanted = DeviceDescriptor {
                label: Some("treesway"),
                required_limits: limits(&adapter),
                ..Default::default()
            };
            match adapter.request_device(&wanted).await {
                Ok((device, queue)) => {
                    return Ok(Self {
                        device,
                        queue,
                        adapter: info,
                    });
                }
                Err(error) => {
                    failed = NoAdapter::Unusable {
                        name: info.name,
                        why: error.to_string(),
                    };
                }
            }
        }
        Err(failed)
    }

    /// Whether it draws on the processor.
    pub fn is_software(&self) -> bool {
        self.adapter.device_type == DeviceType::Cpu
    }
}

/// Faster kinds first.
fn rank(info: &AdapterInfo) -> u8 {
    match info.device_type {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

/// What every adapter has, and as large buffers and textures as this one can.
fn limits(adapter: &Adapter) -> Limits {
    let own = adapter.limits();
    Limits {
        max_buffer_size: own.max_buffer_size,
        max_storage_buffer_binding_size: own.max_storage_buffer_binding_size,
        max_texture_dimension_2d: own.max_texture_dimension_2d,
        ..Limits::default().or_worse_values_from(&own)
    }
}

/// A renderer with a picture to draw into.
pub struct Studio {
    renderer: Renderer,
    size: [u32; 2],
    texture: Texture,
    view: TextureView,
    /// Where the picture is read from, rows padded as the GPU wants them.
    copy: Buffer,
    row_bytes: u32,
}

impl Studio {
    /// For pictures of that size.
    pub fn new(
        gpu: &Headless,
        width: u32,
        height: u32,
        quality: Quality,
    ) -> Result<Self, PictureError> {
        let most = gpu.device.limits().max_texture_dimension_2d;
        if !(1..=most).contains(&width) || !(1..=most).contains(&height) {
            return Err(PictureError::Size {
                width,
                height,
                most,
            });
        }
        let format = TextureFormat::Rgba8UnormSrgb;
        let renderer = Renderer::new(&gpu.device, &gpu.queue, format, quality);
        let kind = Kind {
            format,
            usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
            levels: 1,
            samples: 1,
        };
        let texture = renderer.memory.texture("picture", &kind, [width, height]);
        let row_bytes = (4 * width).next_multiple_of(COPY_BYTES_PER_ROW_ALIGNMENT);
        let copy = renderer.memory.buffer(
            "picture",
            BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            u64::from(row_bytes) * u64::from(height),
        );
        Ok(Self {
            renderer,
            size: [width, height],
            view: texture.create_view(&TextureViewDescriptor::default()),
            texture,
            copy,
            row_bytes,
        })
    }

    /// To upload trees with.
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    /// Draws this ground from now on.
    pub fn set_ground(&mut self, ground: &Ground) {
        self.renderer.set_ground(ground);
    }

    /// Width over height.
    pub fn aspect(&self) -> f32 {
        self.size[0] as f32 / self.size[1] as f32
    }

    /// Draws trees and waits until that is done.
    pub fn draw(
        &mut self,
        trees: &[TreeOnGpu],
        camera: &Camera,
        settings: &Settings,
    ) -> Result<(), PictureError> {
        self.renderer
            .draw(&self.view, self.size, trees, camera, settings);
        self.wait()
    }

    /// Draws trees and a crowd; does not wait.
    pub fn draw_crowd(
        &mut self,
        trees: &[TreeOnGpu],
        crowd: &mut Crowd,
        camera: &Camera,
        settings: &Settings,
    ) -> CrowdReport {
        let crowd = Some(crowd);
        self.renderer
            .draw_with(&self.view, self.size, trees, crowd, camera, settings)
    }

    /// Trees and a crowd as an image, see [`Self::picture`].
    pub fn picture_of_crowd(
        &mut self,
        trees: &[TreeOnGpu],
        crowd: &mut Crowd,
        camera: &Camera,
        settings: &Settings,
    ) -> Result<Image, PictureError> {
        self.draw_crowd(trees, crowd, camera, settings);
        self.read()
    }

    /// The same, as an image: sRGB, alpha 0 where nothing was drawn.
    pub fn picture(
        &mut self,
        trees: &[TreeOnGpu],
        camera: &Camera,
        settings: &Settings,
    ) -> Result<Image, PictureError> {
        self.renderer
            .draw(&self.view, self.size, trees, camera, settings);
        self.read()
    }

    /// Waits until everything that was drawn is done.
    pub fn wait(&self) -> Result<(), PictureError> {
        let device = self.renderer.device();
        match device.poll(PollType::wait_indefinitely()) {
            Ok(_) => Ok(()),
            Err(error) => Err(PictureError::Lost(error.to_string())),
        }
    }

    fn read(&self) -> Result<Image, PictureError> {
        let [width, height] = self.size;
        let (device, queue) = (self.renderer.device(), self.renderer.queue());
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_buffer(
            self.texture.as_image_copy(),
            TexelCopyBufferInfo {
                buffer: &self.copy,
                layout: TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(self.row_bytes),
                    rows_per_image: None,
                },
            },
            self.texture.size(),
        );
        queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        self.copy
            .map_async(MapMode::Read, .., move |done| drop(sender.send(done)));
        self.wait()?;
        let lost = |why: &dyn std::fmt::Display| PictureError::Lost(why.to_string());
        receiver
            .recv()
            .map_err(|e| lost(&e))?
            .map_err(|e| lost(&e))?;
        let mut rgba = Vec::with_capacity((4 * width * height) as usize);
        {
            let bytes = self.copy.get_mapped_range(..).map_err(|e| lost(&e))?;
            for row in bytes.chunks_exact(self.row_bytes as usize) {
                rgba.extend_from_slice(&row[..4 * width as usize]);
            }
        }
        self.copy.unmap();
        Ok(Image {
            width,
            height,
            rgba,
        })
    }
}
