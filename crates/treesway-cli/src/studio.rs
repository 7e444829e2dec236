//! `treesway studio`: the window.

use crate::arguments::Changes;
use crate::{run, scene};
use anyhow::{Result, anyhow, ensure};
use std::path::Path;
use treesway_grow::species::is_species;
use treesway_io::read_text;
use treesway_studio::{Project, native};

pub use native::has_display;

/// Opens the studio on a scene.
pub fn open(name: &str) -> Result<()> {
    let scene = scene::load_with(name, &Changes::none(), &[])?;
    ensure!(
        has_display(),
        "there is no display to open a window on: DISPLAY and WAYLAND_DISPLAY are not set"
    );
    let project = Project::parse(scene.text(), scene.name())?;
    // Only a scene is saved to where it came from.
    let is_scene = name.ends_with(".toml") && !is_species(&read_text(Path::new(name))?);
    let path = is_scene.then(|| name.to_owned());
    native::open(project, path).map_err(|error| anyhow!("no window: {error}"))
}

/// The studio on the default scene; the demo where no window can be opened.
pub fn open_or_demo() -> Result<()> {
    open("oak").or_else(|error| {
        eprintln!("treesway: {error:#}; here is the demo instead");
        run::demo()
    })
}
