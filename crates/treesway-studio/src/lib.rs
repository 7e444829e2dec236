//! A window in which trees are pulled, tuned and saved.
//!
//! A [`Project`] is a scene file as a value; every edit changes it, leaves a step in the history and reaches the trees that move. The app
//! ([`Studio`]) draws and asks its [`Platform`] for everything else: it reads no files, needs no threads and does not wait. `native`
//! is a window of a desktop, `web` a canvas of a browser.

mod app;
mod clock;
mod curve_editor;
mod dialogs;
mod errand;
mod files;
mod gizmo;
mod grip;
mod history;
mod meter;
#[cfg(not(target_arch = "wasm32"))]
pub mod native;
mod orbit;
mod panels;
mod pick;
mod platform;
mod plots;
mod presets;
mod project;
mod running;
mod stage;
mod theme;
mod viewport;
#[cfg(target_arch = "wasm32")]
pub mod web;
mod widgets;

pub use app::Studio;
pub use platform::{Answer, Entry, Export, Listing, Platform, Progress};
pub use project::Project;
