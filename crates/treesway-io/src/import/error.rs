//! Why a file cannot be imported.

/// One line: the file, the place in it, what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {what}", file, line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct ImportError {
    /// Name of the file.
    pub file: String,
    /// Line in it, from 1, where one is known.
    pub line: Option<usize>,
    /// What was found and what was expected.
    pub what: String,
}

impl ImportError {
    /// About the file as a whole.
    pub(crate) fn new(file: &str, what: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: None,
            what: what.into(),
        }
    }
}

/// What is wrong, and on which line; the file is added by the caller that knows its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub line: Option<usize>,
    pub what: String,
}

impl Wrong {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self {
            line: None,
            what: what.into(),
        }
    }

    pub(crate) fn at(line: usize, what: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            what: what.into(),
        }
    }

    pub(crate) fn in_file(self, file: &str) -> ImportError {
        ImportError {
            file: file.into(),
            line: self.line,
            // One line, whatever the file holds.
            what: self.what.replace(['\n', '\r'], " "),
        }
    }
}
