//! What is wrong with a grammar, and where.

/// Why a grammar cannot be read or grown: one line with the file, the place, what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}", at.map(|at| format!(":{}:{}", at.line, at.column)).unwrap_or_default())]
pub struct GrammarError {
    /// Name of the file or of the grammar.
    pub file: String,
    /// Where in it, if the error is about a place.
    pub at: Option<Place>,
    /// What was found and what was expected.
    pub what: String,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

/// An error that does not know its file yet.
pub(super) type Wrong = (Option<Place>, String);

/// An error about the whole grammar.
pub(super) fn wrong(what: impl Into<String>) -> Wrong {
    (None, what.into())
}

/// An error at a place.
pub(super) fn wrong_at(at: Place, what: impl Into<String>) -> Wrong {
    (Some(at), what.into())
}

impl GrammarError {
    pub(super) fn new(file: &str, (at, what): Wrong) -> Self {
        Self {
            file: file.into(),
            at,
            what,
        }
    }
}
