//! Grammars of our own, embedded: `crates/treesway-grow/grammars/*.lsys`.

use crate::Plant;

/// A grammar that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedGrammar {
    /// What it is called.
    pub name: &'static str,
    /// Its `.lsys` file.
    pub text: &'static str,
}

macro_rules! grammars {
    ($($name:literal),* $(,)?) => {
        [$(NamedGrammar {
            name: $name,
            text: include_str!(concat!("../grammars/", $name, ".lsys")),
        }),*]
    };
}

static GRAMMARS: [NamedGrammar; 14] = grammars![
    "monopodial",
    "sympodial",
    "ternary",
    "fern",
    "bush",
    "conifer",
    "palm",
    "binary",
    "grass",
    "meadow",
    "reed",
    "vine",
    "hair",
    "fur",
];

/// All grammars.
pub fn all() -> &'static [NamedGrammar] {
    &GRAMMARS
}

/// The grammar of that name.
pub fn named(name: &str) -> Option<&'static NamedGrammar> {
    GRAMMARS.iter().find(|g| g.name == name)
}

impl NamedGrammar {
    /// The grammar, ready to grow.
    ///
    /// # Panics
    /// Never: a test reads every embedded grammar.
    pub fn plant(&self) -> Plant {
        Plant::read(self.text.as_bytes(), self.name).unwrap_or_else(|e| panic!("{e}"))
    }
}
