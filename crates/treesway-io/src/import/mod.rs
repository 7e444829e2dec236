//! Trees from elsewhere: scans as cylinders, neurons' format, curves, rigs, plain models → a [`treesway::Skeleton`]. `docs/FORMATS.md` lists the columns.
//!
//! A file is recognised by what is in it. Each format has a module that turns bytes into [`pieces`] or curves; what is common
//! (parents, roots, axes, units, gaps) is done once, there. Nothing here trusts a number in a file with memory or time.

mod curves;
mod error;
mod foliage;
mod format;
mod gltf;
mod mat;
mod mesh;
mod pieces;
mod points;
mod roots;
mod simple_forest;
mod swc;
mod table;
mod tree_qsm;
mod treefile;
mod wytham;

pub use error::ImportError;
pub use foliage::Foliage;
pub use format::Format;

use crate::skeleton_file::{SavedSkeleton, read_skeleton};
use error::Wrong;
use pieces::{Assembled, Pieces};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use treesway::CutOptions;
use treesway::glam::DVec3;
use treesway_grow::Species;
use treesway_skin::ModelSurface;

/// How a file is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Which format it has (default: recognised by content).
    pub format: Option<Format>,
    /// Which axis of the file points up (default: the format's own).
    pub up: Option<Up>,
    /// Metres per unit of the file (default: 1).
    pub scale: f64,
    /// Which tree of a file with several, counted from 0 (default: the first).
    pub tree: Option<usize>,
    /// Makes radii shrink from the base to every tip (default: false; radii stay as they are).
    pub monotone: bool,
    /// Adds twigs and leaves to bare wood (default: none).
    pub foliage: Option<Foliage>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: None,
            up: None,
            scale: 1.0,
            tree: None,
            monotone: false,
            foliage: None,
        }
    }
}

/// An axis of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// +x.
    X,
    /// +y, as here.
    Y,
    /// +z, as of most scans.
    Z,
    /// −x.
    #[serde(rename = "-x")]
    NegX,
    /// −y.
    #[serde(rename = "-y")]
    NegY,
    /// −z.
    #[serde(rename = "-z")]
    NegZ,
}

impl Up {
    /// All of them.
    pub const ALL: [Up; 6] = [Up::X, Up::Y, Up::Z, Up::NegX, Up::NegY, Up::NegZ];

    /// As options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Up::X => "x",
            Up::Y => "y",
            Up::Z => "z",
            Up::NegX => "-x",
            Up::NegY => "-y",
            Up::NegZ => "-z",
        }
    }

    /// A vector of the file in our axes, y up; a turn, never a mirror.
    fn turn(self, v: DVec3) -> DVec3 {
        match self {
            Up::X => DVec3::new(-v.y, v.x, v.z),
            Up::Y => v,
            Up::Z => DVec3::new(v.x, v.z, -v.y),
            Up::NegX => DVec3::new(v.y, -v.x, v.z),
            Up::NegY => DVec3::new(v.x, -v.y, -v.z),
            Up::NegZ => DVec3::new(v.x, -v.z, v.y),
        }
    }
}

/// What was done to make a tree of a file, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note(pub String);

/// A tree that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The tree, with the cut that suits it.
    pub saved: SavedSkeleton,
    /// What the file was.
    pub format: Format,
    /// What a user should know.
    pub notes: Vec<Note>,
    /// Whose twigs and leaves were added.
    pub species: Option<Box<Species>>,
    /// Its own surface, of a model without a skin.
    pub surface: Option<Arc<ModelSurface>>,
}

/// Largest file, and most that is unpacked from one, bytes.
pub(crate) const MOST_BYTES: u64 = 1 << 30;

/// Segment length of imported trees, m: short enough for frequencies within 3 % of a beam frame (`docs/VERIFICATION.md`).
const SEGMENT_LENGTH: f32 = 0.25;

/// Reads a tree from a file.
pub fn import(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    let name = path.display().to_string();
    let read = || {
        let mut bytes = Vec::new();
        File::open(path)?
            .take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read()
        .map_err(|e: std::io::Error| ImportError::new(&name, format!("cannot be read: {e}")))?;
    import_bytes(&bytes, &name, options, path.parent())
}

/// Reads a tree from bytes; `name` is what messages call them, `folder` is where glTF looks for its buffers.
pub fn import_bytes(
    bytes: &[u8],
    name: &str,
    options: &Options,
    folder: Option<&Path>,
) -> Result<Imported, ImportError> {
    let wrong = |wrong: Wrong| wrong.in_file(name);
    if bytes.len() as u64 > MOST_BYTES {
        let what = format!("is larger than {} MiB; expected a tree", MOST_BYTES >> 20);
        return Err(ImportError::new(name, what));
    }
    if !(options.scale.is_finite() && options.scale > 0.0) {
        let what = format!(
            "--scale is {}; expected metres per unit, greater than zero",
            options.scale
        );
        return Err(ImportError::new(name, what));
    }
    let format = match options.format {
        Some(format) => format,
        None => Format::recognise(bytes).map_err(wrong)?,
    };
    let (mut saved, notes, surface) = if format == Format::Skeleton {
        (read_skeleton(bytes, name)?, Vec::new(), None)
    } else {
        from_elsewhere(format, bytes, folder, options).map_err(wrong)?
    };
    let foliage = options.foliage.as_ref();
    let species = foliage.map(|f| f.add(&mut saved)).transpose();
    Ok(Imported {
        saved,
        format,
        notes,
        species: species.map_err(wrong)?.map(Box::new),
        surface: surface.map(Arc::new),
    })
}

fn from_elsewhere(
    format: Format,
    bytes: &[u8],
    folder: Option<&Path>,
    options: &Options,
) -> Result<(SavedSkeleton, Vec<Note>, Option<ModelSurface>), Wrong> {
    let up = options.up.unwrap_or(format.up());
    let (assembled, surface) = read(format, bytes, folder, options, up)?;
    let Assembled {
        skeleton,
        origin,
        notes,
    } = assembled;
    let cut = CutOptions {
        segment_length: SEGMENT_LENGTH,
        ..CutOptions::default()
    };
    let saved = SavedSkeleton {
        skeleton,
        cut,
        params: None,
        origin,
    };
    Ok((saved, notes, surface))
}

fn read(
    format: Format,
    bytes: &[u8],
    folder: Option<&Path>,
    options: &Options,
    up: Up,
) -> Result<(Assembled, Option<ModelSurface>), Wrong> {
    let text = || {
        std::str::from_utf8(bytes).map_err(|e| {
            let line = 1 + bytes[..e.valid_up_to()]
                .iter()
                .filter(|&&b| b == b'\n')
                .count();
            Wrong::at(line, format!("is not text; expected {}", format.name()))
        })
    };
    let trees = match format {
        Format::Skeleton => unreachable!("skeletons are read before"),
        Format::Curves => return Ok((curves::read(text()?, options, up)?, None)),
        Format::SimpleForest => simple_forest::read(text()?)?,
        Format::TreeQsmText => vec![tree_qsm::read_text(text()?)?],
        Format::TreeQsmMat => vec![tree_qsm::read_mat(bytes)?],
        Format::Treefile => treefile::read(text()?)?,
        Format::Swc => vec![swc::read(text()?)?],
        Format::Wytham => vec![wytham::read(text()?)?],
        Format::Gltf => {
            let (document, buffers) = gltf::open(bytes, folder)?;
            if document.skins().len() == 0 {
                if let Some(tree) = options.tree.filter(|&t| t > 0) {
                    let what = format!(
                        "tree {tree} was asked for; expected 0: a model without a skin is one tree"
                    );
                    return Err(Wrong::new(what));
                }
                let (assembled, surface) = mesh::read(&document, &buffers, folder, options, up)?;
                return Ok((assembled, Some(surface)));
            }
            gltf::read(&document, &buffers)?
        }
    };
    let (pieces, note) = chosen(trees, options.tree)?;
    let mut assembled = pieces.assemble(options, up)?;
    assembled.notes.splice(0..0, note);
    Ok((assembled, None))
}

/// The tree that is meant, and a word on the others.
fn chosen(mut trees: Vec<Pieces>, number: Option<usize>) -> Result<(Pieces, Option<Note>), Wrong> {
    let count = trees.len();
    let taken = number.unwrap_or(0);
    if taken >= count {
        return Err(Wrong::new(if count == 0 {
            "holds no tree; expected at least one".to_string()
        } else {
            format!("tree {taken} was asked for; expected a number below {count}")
        }));
    }
    let note = (count > 1).then(|| {
        Note(format!(
            "tree {taken} of {count} was taken; --tree chooses another, from 0"
        ))
    });
    Ok((trees.swap_remove(taken), note))
}
