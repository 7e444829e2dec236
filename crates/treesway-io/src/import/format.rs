//! Which format a file has.

use super::error::Wrong;
use super::{Up, swc, table, tree_qsm};
use serde::{Deserialize, Serialize};

/// A kind of file that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Our own, `.npz`.
    Skeleton,
    /// CSV of SimpleForest, a cylinder per row.
    SimpleForest,
    /// 15 columns of TreeQSM as text.
    TreeQsmText,
    /// The struct of TreeQSM 2.4 in a MATLAB file.
    TreeQsmMat,
    /// Of raycloudtools, a tree per line.
    Treefile,
    /// `id type x y z radius parent`.
    Swc,
    /// CSV of the trees of Wytham Woods.
    Wytham,
    /// CSV `branch,parent,x,y,z,radius`.
    Curves,
    /// A glTF 2.0 model: its skin, or without one the tubes and cards that it is made of.
    Gltf,
}

impl Format {
    /// All of them, as options spell them.
    pub const ALL: [Format; 9] = [
        Format::Skeleton,
        Format::SimpleForest,
        Format::TreeQsmText,
        Format::TreeQsmMat,
        Format::Treefile,
        Format::Swc,
        Format::Wytham,
        Format::Curves,
        Format::Gltf,
    ];

    /// As options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Skeleton => "skeleton",
            Format::SimpleForest => "simple-forest",
            Format::TreeQsmText => "tree-qsm-text",
            Format::TreeQsmMat => "tree-qsm-mat",
            Format::Treefile => "treefile",
            Format::Swc => "swc",
            Format::Wytham => "wytham",
            Format::Curves => "curves",
            Format::Gltf => "gltf",
        }
    }

    /// The axis that points up unless somebody says otherwise.
    pub fn up(self) -> Up {
        match self {
            Format::Skeleton | Format::Curves | Format::Gltf => Up::Y,
            Format::SimpleForest
            | Format::TreeQsmText
            | Format::TreeQsmMat
            | Format::Treefile
            | Format::Swc
            | Format::Wytham => Up::Z,
        }
    }

    /// By content alone.
    pub(super) fn recognise(bytes: &[u8]) -> Result<Self, Wrong> {
        if bytes.is_empty() {
            return Err(Wrong::new("is empty; expected a tree"));
        }
        let magic: [(&[u8], Format); 3] = [
            (b"PK\x03\x04", Format::Skeleton),
            (b"MATLAB 5.0 MAT-file", Format::TreeQsmMat),
            (b"glTF", Format::Gltf),
        ];
        if let Some((_, format)) = magic.iter().find(|(m, _)| bytes.starts_with(m)) {
            return Ok(*format);
        }
        // The beginning tells; it may end within a character.
        let head = &bytes[..bytes.len().min(1 << 16)];
        let text = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(e) if head.len() < bytes.len() && e.valid_up_to() + 4 > head.len() => {
                std::str::from_utf8(&head[..e.valid_up_to()]).unwrap_or_default()
            }
            Err(_) => return Err(unknown("binary data")),
        };
        let Some((_, line)) = table::lines(text).next() else {
            return Err(Wrong::new("holds nothing but comments; expected a tree"));
        };
        if line.starts_with('{') {
            return Ok(Format::Gltf);
        }
        let columns: Vec<&str> = line.split(',').map(str::trim).collect();
        let has = |names: &[&str]| names.iter().all(|n| columns.contains(n));
        if has(&["parentID", "startX", "radius"]) {
            return Ok(Format::SimpleForest);
        }
        if has(&["radius_m", "length_m", "parent_1based"]) {
            return Ok(Format::Wytham);
        }
        if has(&["branch", "parent", "x", "y", "z", "radius"]) {
            return Ok(Format::Curves);
        }
        if has(&["x", "y", "z", "radius"]) {
            return Ok(Format::Treefile);
        }
        let words = line.split_whitespace();
        let numbers = words.clone().all(|w| w.parse::<f64>().is_ok());
        match words.count() {
            swc::COLUMNS if numbers => Ok(Format::Swc),
            tree_qsm::COLUMNS if numbers => Ok(Format::TreeQsmText),
            _ => Err(unknown(&format!("`{}`", shortened(line)))),
        }
    }
}

fn unknown(found: &str) -> Wrong {
    let known = Format::ALL.map(Format::name).join(", ");
    Wrong::new(format!(
        "begins with {found}; expected one of the formats {known} (--format names it)"
    ))
}

/// The beginning of a line, for messages.
pub(super) fn shortened(line: &str) -> String {
    let mut short: String = line.chars().take(40).filter(|c| !c.is_control()).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}
