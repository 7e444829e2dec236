//! Draws trees with wgpu: into a window, into any texture view, or into an image without a window.
//!
//! A [`Renderer`] draws [`TreeOnGpu`]s as a [`Camera`] sees them, with [`Settings`], in a [`Quality`]. Meshes and textures come from
//! `treesway-skin` and stay on the GPU; of a tree that moves only the transforms of its bodies are uploaded.
//! [`Headless`] finds an adapter, software included, and a [`Studio`] takes pictures with it.

mod balls;
mod camera;
mod colours;
mod crowd;
mod curves;
mod gpu_data;
#[cfg(not(target_arch = "wasm32"))]
mod headless;
mod hills;
mod light;
mod lines;
mod memory;
mod model;
mod pipelines;
mod renderer;
mod seen;
mod settings;
mod shaders;
mod sight;
mod surface;

pub use camera::{Camera, FOV_DEG};
pub use colours::{ColourBy, Painter};
pub use crowd::{Crowd, CrowdReport, CrowdSpecies, LEVELS};
#[cfg(not(target_arch = "wasm32"))]
pub use headless::{Headless, NoAdapter, PictureError, Studio};
pub use model::{TooLarge, TreeMesh, TreeOnGpu};
pub use renderer::Renderer;
pub use settings::{Mode, Quality, Settings, Sun};
pub use sight::{Met, Sight};
pub use wgpu;
