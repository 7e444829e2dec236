//! Every named scene, embedded: one set for tests, benches, demos and programs.
//!
//! ```
//! let mut oak = treesway_scenes::find("oak")?.load(&["bodies=500".into()])?.build()?;
//! assert_eq!(oak.bodies(), 500);
//! assert_eq!(oak.step().healed, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;
use std::sync::LazyLock;
use treesway_grow::{Species, grammars, species};
use treesway_io::scene::{grammar_scene, species_scene};
use treesway_io::{Scene, SceneError, nearest};

/// A scene that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedScene {
    /// What it is called.
    pub name: &'static str,
    /// Its scene file; those that are about more than a plant have a comment on every field.
    pub text: Cow<'static, str>,
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
            text: Cow::Borrowed(include_str!(concat!("../scenes/", $name, ".toml"))),
        }),*]
    };
}

static FILES: &[NamedScene] = &scenes![
    "oak",
    "cantilever",
    "fork",
    "pull",
    "fig03-tree",
    "fig04-willow",
    "fig06-root-shake",
    "fig07-ball",
    "fig08-apples",
    "fig09-maple",
    "fig10-cherry",
    "fig13-giant",
    "fig14-sag",
    "fig15-squirrel",
    "fig01-park",
    "snowfall",
    "rain",
    "earthquake",
    "shelter",
    "storm",
    "contact-small",
    "contact-medium",
    "contact-large",
    "particles",
    "spectral-tree",
    "grass",
    "meadow",
    "reeds",
    "ferns",
    "vine",
    "hair",
    "fur",
    "spectral-forest",
];

/// Bodies of a species that is a scene.
const SPECIES_BODIES: u32 = 10_000;

/// The files, then every species and every grammar whose name is free: that plant, alone, in a light breeze.
static SCENES: LazyLock<Vec<NamedScene>> = LazyLock::new(|| {
    let mut scenes = FILES.to_vec();
    for (name, text) in species::ALL {
        if scenes.iter().all(|s| s.name != *name) {
            let title = Species::parse(text, name).map(|s| s.title);
            let text = species_scene(name, &title.unwrap_or_default(), Some(SPECIES_BODIES));
            scenes.push(NamedScene {
                name,
                text: text.into(),
            });
        }
    }
    for grammar in grammars::all() {
        if scenes.iter().all(|s| s.name != grammar.name) {
            scenes.push(NamedScene {
                name: grammar.name,
                text: grammar_scene(grammar.name, grammar.plant().title()).into(),
            });
        }
    }
    scenes
});

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
        Scene::parse_with(&self.text, self.name, settings)
    }
}
