//! Files of Treesway: [`scene`]s in TOML, trees from elsewhere, [`import`](mod@import), results of a run as a NumPy archive, [`npz`], trees
//! as models for MuJoCo, [`mjcf`], as drawings, [`svg`], and for viewers and engines, [`mod@gltf`]; pictures as films, [`film`].
//!
//! ```
//! let text = r#"
//!     version = 1
//!     [[tree]]
//!     species = "oak"
//!     bodies = 500
//!     [wind]
//!     speed = 6.0
//! "#;
//! let scene = treesway_io::Scene::parse(text, "breeze.toml")?;
//! let mut simulation = scene.build()?;
//! assert_eq!(simulation.bodies(), 500);
//! assert_eq!(simulation.step().healed, 0);
//! # Ok::<(), treesway_io::SceneError>(())
//! ```

pub mod film;
pub mod gltf;
pub mod import;
pub mod mjcf;
pub mod npz;
mod read;
pub mod scene;
mod select;
mod skeleton_file;
pub mod svg;
mod whole_file;

pub use import::{ImportError, Imported, import};
pub use npz::{RunError, RunWriter};
pub use read::{ReadError, read_text};
pub use scene::{Scene, SceneError, Simulation, nearest};
pub use select::{SelectError, Selection};
pub use skeleton_file::{SavedSkeleton, read_skeleton, save_skeleton};
pub use whole_file::write_whole;
