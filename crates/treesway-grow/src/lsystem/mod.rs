//! Plants from grammars: parametric L-systems in our own language (`.lsys`, `docs/GRAMMAR.md`) and in that of Lparser (`.ls`).
//!
//! 1. [`parse`] reads a grammar ([`scan`], [`expression`], [`settings`] below it), [`lparser`] one of Lparser;
//! 2. [`derive`] replaces letters in parallel, step by step, within [`Limits`];
//! 3. [`interpret`] lets a [`turtle`] follow the string;
//! 4. [`hierarchy`] collects what it draws and gives the skeleton.
//!
//! ```
//! use treesway_grow::{Growth, Plant};
//!
//! let text = "version = 1\ndepth = 3\naxiom = F\nF -> F[+(30)F]F[-(30)F]F\n";
//! let grown = Plant::read(text.as_bytes(), "weed.lsys")?.grow(&Growth::default())?;
//! assert_eq!(grown.derived.map(|d| d.drawn), Some(125));
//! # Ok::<(), treesway_grow::GrammarError>(())
//! ```

mod derive;
mod error;
mod expression;
mod hierarchy;
mod interpret;
mod lparser;
mod parse;
mod scan;
mod settings;
mod turtle;

pub use derive::Limits;
pub use error::{GrammarError, Place};
pub use lparser::Lparser;
pub use parse::Grammar;

use crate::{Appearance, Grown};
use error::{wrong, wrong_at};
use hierarchy::Radii;
use settings::MOST_DEPTH;

/// How a derivation went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Length of the derived string: letters with their arguments; of Lparser's grammars, characters.
    pub letters: usize,
    /// Steps that the turtle drew.
    pub drawn: usize,
    /// Leaves that it drew; of Lparser's grammars, polygons.
    pub polygons: usize,
}

/// What a grammar does not say itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// Another seed grows another plant, if the grammar is stochastic (default: 0).
    pub seed: u64,
    /// Derivation steps instead of those of the grammar.
    pub depth: Option<u32>,
    /// Where it stops.
    pub limits: Limits,
}

/// A grammar of either language.
#[derive(Clone, Debug, PartialEq)]
pub enum Plant {
    /// Our own.
    Grammar(Box<Grammar>),
    /// Lparser's.
    Lparser(Lparser),
}

impl Plant {
    /// Reads a grammar; `file` is what messages call it, and one that ends in `.ls` is Lparser's.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, GrammarError> {
        if file.ends_with(".ls") {
            return Lparser::parse(bytes, file).map(Self::Lparser);
        }
        match core::str::from_utf8(bytes) {
            Ok(text) => Grammar::parse(text, file).map(|g| Self::Grammar(Box::new(g))),
            Err(e) => {
                let line = 1 + bytes[..e.valid_up_to()]
                    .iter()
                    .filter(|b| **b == b'\n')
                    .count();
                let found = bytes[e.valid_up_to()];
                let at = Place { line, column: 1 };
                let what = format!("found the byte {found:#04x}; expected text in UTF-8");
                Err(GrammarError::new(file, wrong_at(at, what)))
            }
        }
    }

    /// One line that says what it is; may be empty.
    pub fn title(&self) -> &str {
        match self {
            Self::Grammar(grammar) => &grammar.settings.title,
            Self::Lparser(_) => "",
        }
    }

    /// Derives the string and lets the turtle draw it.
    pub fn grow(&self, growth: &Growth) -> Result<Grown, GrammarError> {
        let file = match self {
            Self::Grammar(grammar) => &grammar.file,
            Self::Lparser(lparser) => &lparser.file,
        };
        if let Some(depth) = growth.depth.filter(|d| *d > MOST_DEPTH) {
            let what = format!("depth is {depth}; expected a whole number from 0 to {MOST_DEPTH}");
            return Err(GrammarError::new(file, wrong(what)));
        }
        let grown = match self {
            Self::Grammar(grammar) => grammar.grow(growth),
            Self::Lparser(lparser) => lparser.grow(growth),
        };
        grown.map_err(|e| GrammarError::new(file, e))
    }
}

impl Grammar {
    fn grow(&self, growth: &Growth) -> Result<Grown, error::Wrong> {
        let settings = &self.settings;
        let depth = growth.depth.unwrap_or(settings.depth);
        let string = self.derive(depth, growth.seed, &growth.limits)?;
        let (hierarchy, counts) = self.interpret(&string, &growth.limits)?;
        // The string may be large; the skeleton is, too.
        drop(string);
        let mut grown = hierarchy.finish(1.0, Radii::Thinnest(settings.tip_radius))?;
        grown.cut.leaf_thickness = settings.leaf_thickness as f32;
        if settings.segment_length > 0.0 {
            grown.cut.segment_length = settings.segment_length as f32;
        }
        grown.derived = Some(counts);
        grown.appearance = Appearance {
            leaf_aspect: Some((settings.leaf_width / settings.leaf_length) as f32),
            ..settings.appearance
        };
        if settings.modulus.is_some() || settings.density.is_some() {
            let mut params = grown.params.take().unwrap_or_default();
            let wood = &mut params.wood;
            wood.youngs_modulus = settings.modulus.map_or(wood.youngs_modulus, |e| e as f32);
            wood.density = settings.density.map_or(wood.density, |d| d as f32);
            grown.params = Some(params);
        }
        Ok(grown)
    }
}
