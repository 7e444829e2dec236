//! Every named scene, embedded: one set for tests, benches, demos and programs.
//!
//! ```
//! let mut oak = treesway_scenes::find("oak")?.load(&["bodies=500".into()])?.build()?;
//! assert_eq!(oak.bodies(), 500);
//! assert_eq!(oak.step().healed, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use treesway_io::{Scene, SceneError, nearest};

/// A scene that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedScene {
    /// What it is called.
    pub name: &'static str,
    /// Its scene file, with a comment on every field.
    pub text: &'static str,
}

/// There is no scene of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown scene `{name}`, did you mean `{nearest}`? `treesway scenes` lists all; a file ends in .toml"
)]
pub struct UnknownScene {
    /// What was asked for.
    pub name: String,
    /// The scene whose name is most like it.
    pub nearest: &'static str,
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        [$(NamedScene {
            name: $name,
            text: include_str!(concat!("../scenes/", $name, ".toml")),
        }),*]
    };
}

static SCENES: [NamedScene; 7] = scenes![
    "oak",
    "cantilever",
    "fork",
    "pull",
    "fig03-tree",
    "fig06-root-shake",
    "fig14-sag",
];

/// All scenes, the default one first.
pub fn all() -> &'static [NamedScene] {
    &SCENES
}

/// The scene of that name.
pub fn find(name: &str) -> Result<&'static NamedScene, UnknownScene> {
    SCENES
        .iter()
        .find(|s| s.name == name)
        .ok_or_else(|| UnknownScene {
            name: name.into(),
            nearest: nearest(name, SCENES.iter().map(|s| s.name)).unwrap_or("oak"),
        })
}

impl NamedScene {
    /// Reads it, changed by `key=value` settings.
    pub fn load(&self, settings: &[String]) -> Result<Scene, SceneError> {
        Scene::parse_with(self.text, self.name, settings)
    }
}
