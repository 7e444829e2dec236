//! Errors of scene files: one line with the file, the line or field, what was found and what was expected.

use treesway_grow::text::{explain, line_at};

/// Why a scene cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}{}: {what}", place(line), place(column))]
pub struct SceneError {
    /// Name of the file or scene.
    pub file: String,
    /// Line in it, from 1, where one is known.
    pub line: Option<usize>,
    /// Character of the line, from 1, where one is known.
    pub column: Option<usize>,
    /// The field, what was found and what was expected.
    pub what: String,
}

fn place(number: &Option<usize>) -> String {
    number.map(|n| format!(":{n}")).unwrap_or_default()
}

impl SceneError {
    /// An error about a field.
    pub(super) fn at(
        file: &str,
        line: Option<usize>,
        field: &str,
        what: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            line,
            column: None,
            what: format!("{field}: {}", what.into()),
        }
    }

    /// An error of the TOML parser or of the fields it filled.
    pub(super) fn of_toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
        Self {
            file: file.into(),
            line: error.span().map(|s| line_at(text, s.start)),
            column: None,
            what: explain(error.message()),
        }
    }
}
