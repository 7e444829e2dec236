//! Species: a tree after Weber and Penn with leaves, fruit and what they are made of, as TOML files.
//!
//! [`named`] gives those that come with Treesway, [`Species::parse`] reads one, [`Species::grow`] grows a tree of it with as many
//! bodies as wanted, [`Species::foliate`] puts twigs and leaves on somebody else's bare wood. `docs/FORMATS.md` lists every field.
//! [`arbaro`] and [`ez_tree`] read the files of other programs.

pub mod arbaro;
mod bark;
mod colour;
mod crown;
mod detail;
pub mod ez_tree;
mod foliate;
mod material;
mod measure;
mod resize;

pub use bark::{BarkProperties, BarkStyle};
pub use colour::Colour;
pub use material::{FruitProperties, LeafProperties, LeafShape, WoodProperties};
pub use measure::Size;

use crate::text::{explain_with_key, line_at, line_of, nearest};
use crate::weber_penn::WeberPenn;
use crate::weber_penn::leaves::LeafHabit;
use crate::{GrowError, Grown};
use serde::{Deserialize, Serialize};
use treesway::TreeParams;

/// Version of species files that this library reads.
pub const VERSION: u32 = 1;

/// A species file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Species {
    /// Of the format: 1.
    pub version: u32,
    /// Always `"species"`: tells the file from a scene.
    pub kind: String,
    /// One line that says what grows.
    #[serde(default)]
    pub title: String,
    /// What sizes are true of it.
    #[serde(default)]
    pub ranges: Ranges,
    /// Trunk, branches and twigs.
    #[serde(default)]
    pub tree: WeberPenn,
    /// Arrangement of leaves.
    #[serde(default)]
    pub leaf: LeafHabit,
    /// Wood.
    #[serde(default)]
    pub wood: WoodProperties,
    /// Pattern of the bark.
    #[serde(default)]
    pub bark: BarkProperties,
    /// Blades.
    #[serde(default)]
    pub leaf_material: LeafProperties,
    /// Fruit.
    #[serde(default)]
    pub fruit: FruitProperties,
    /// How bodies are shared out.
    #[serde(default)]
    pub detail: Detail,
}

/// Least and most that trees of a species measure; each left out if it is not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ranges {
    /// m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<[f32; 2]>,
    /// Diameter of the trunk at breast height, 1.3 m along it, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dbh: Option<[f32; 2]>,
    /// Mean of two directions, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crown_width: Option<[f32; 2]>,
    /// At natural detail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves: Option<[f32; 2]>,
}

/// How a wanted number of bodies is shared out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Detail {
    /// Length of a segment at natural detail, m (default: 0.3).
    pub segment_length: f32,
    /// Share of segments among the bodies, 0.05 to 0.95 (default: 0.3).
    pub wood_share: f32,
}

impl Default for Detail {
    fn default() -> Self {
        Self {
            segment_length: 0.3,
            wood_share: 0.3,
        }
    }
}

/// What is wanted of a tree beyond its species.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Segments, leaves and fruit together, 200 to 10 million (default: natural detail).
    pub bodies: Option<u32>,
    /// Height of the wood, m (default: as it grows).
    pub height: Option<f32>,
    /// Diameter at breast height, m (default: in proportion to the height).
    pub dbh: Option<f32>,
    /// Length of segments, m (default: chosen by the number of bodies).
    pub segment_length: Option<f32>,
}

/// Why a species cannot be read: one line with file, line, what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {what}", file, line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct SpeciesError {
    /// Name of the file or species.
    pub file: String,
    /// From 1, where one is known.
    pub line: Option<usize>,
    /// The field, what was found and what was expected.
    pub what: String,
}

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../species/", $name, ".toml")))),*]
    };
}

/// Name and text of every species that comes with Treesway.
pub static ALL: &[(&str, &str)] = embedded![
    "oak", "maple", "birch", "willow", "cherry", "apple", "aspen", "pine", "spruce", "palm",
    "shrub",
];

/// The species of that name that comes with Treesway.
pub fn named(name: &str) -> Result<Species, SpeciesError> {
    match ALL.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => Species::parse(text, name),
        None => {
            let near = nearest(name, ALL.iter().map(|s| s.0)).unwrap_or("oak");
            let known: Vec<&str> = ALL.iter().map(|s| s.0).collect();
            Err(SpeciesError {
                file: name.into(),
                line: None,
                what: format!(
                    "unknown species, did you mean `{near}`? Expected one of: {}; or a file that ends in .toml, .xml or .json",
                    known.join(", ")
                ),
            })
        }
    }
}

/// Whether a TOML text says that it is a species and not a scene.
pub fn is_species(text: &str) -> bool {
    toml::from_str::<toml::Table>(text)
        .is_ok_and(|table| table.get("kind").and_then(|k| k.as_str()) == Some("species"))
}

impl Default for Species {
    fn default() -> Self {
        Self {
            version: VERSION,
            kind: "species".into(),
            title: String::new(),
            ranges: Ranges::default(),
            tree: WeberPenn::default(),
            leaf: LeafHabit::default(),
            wood: WoodProperties::default(),
            bark: BarkProperties::default(),
            leaf_material: LeafProperties::default(),
            fruit: FruitProperties::default(),
            detail: Detail::default(),
        }
    }
}

impl Species {
    /// Reads a species file; `name` is what messages call it.
    pub fn parse(text: &str, name: &str) -> Result<Self, SpeciesError> {
        let species: Self = toml::from_str(text).map_err(|e| SpeciesError {
            file: name.into(),
            line: e.span().map(|s| line_at(text, s.start)),
            what: explain_with_key(e),
        })?;
        let error = |path: &str, what: String| SpeciesError {
            file: name.into(),
            line: line_of(text, path),
            what: format!("{path}: {what}"),
        };
        if species.version != VERSION {
            let what = format!("is {}; expected {VERSION}", species.version);
            return Err(error("version", what));
        }
        if species.kind != "species" {
            let what = format!("is \"{}\"; expected \"species\"", species.kind);
            return Err(error("kind", what));
        }
        species.validate().map_err(|(path, e)| {
            error(&path, format!("is {}; expected {}", e.value, e.expected))
        })?;
        Ok(species)
    }

    /// Reads a species by the ending of its name: `.xml` of Arbaro, `.json` of ez-tree, otherwise ours.
    pub fn parse_any(text: &str, name: &str) -> Result<Self, SpeciesError> {
        let ending = name.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
        match ending.as_str() {
            "xml" => arbaro::parse(text, name),
            "json" => ez_tree::parse(text, name),
            _ => Self::parse(text, name),
        }
    }

    /// The file again, without its comments.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("every field has a form in TOML")
    }

    /// The first number that is out of its range, with its path in the file.
    pub fn validate(&self) -> Result<(), (String, GrowError)> {
        let levels = self.tree.levels.iter().enumerate();
        for (i, level) in levels {
            level
                .validate()
                .map_err(|e| (format!("tree.level.{i}.{}", e.name), e))?;
        }
        self.tree
            .validate()
            .map_err(|e| (format!("tree.{}", e.name), e))?;
        let own = |e: GrowError| (e.name.to_string(), e);
        self.leaf.validate().map_err(own)?;
        self.wood.validate().map_err(own)?;
        self.bark.validate().map_err(own)?;
        self.leaf_material.validate().map_err(own)?;
        self.fruit.validate().map_err(own)?;
        self.detail.validate().map_err(own)?;
        self.ranges.validate().map_err(own)
    }

    /// What the engine needs to know of its wood, leaves and fruit.
    pub fn params(&self) -> TreeParams {
        material::params(&self.wood, &self.leaf_material, &self.fruit)
    }

    /// Grows a tree; the same seed gives the same tree.
    pub fn grow(&self, seed: u64, wanted: &Wanted) -> Result<Grown, GrowError> {
        detail::grow(self, seed, wanted)
    }
}

impl Detail {
    fn validate(&self) -> Result<(), GrowError> {
        crate::weber_penn::params::each(&[
            ("detail.segment_length", self.segment_length, 1e-3, 10.0),
            ("detail.wood_share", self.wood_share, 0.05, 0.95),
        ])
    }
}

impl Ranges {
    fn validate(&self) -> Result<(), GrowError> {
        let ranges = [
            ("ranges.height", self.height),
            ("ranges.dbh", self.dbh),
            ("ranges.crown_width", self.crown_width),
            ("ranges.leaves", self.leaves),
        ];
        for (name, range) in ranges {
            if let Some([least, most]) = range
                && !(least >= 0.0 && most >= least && most.is_finite())
            {
                return Err(GrowError {
                    name,
                    value: most.into(),
                    expected: "two numbers, the larger one last".into(),
                });
            }
        }
        Ok(())
    }
}
