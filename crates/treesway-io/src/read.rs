//! Text files from outside.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Longest text that is read, bytes: species and scenes have thousands.
const MOST_BYTES: u64 = 64 << 20;

/// Why a file cannot be read as text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {what}")]
pub struct ReadError {
    /// Its name.
    pub file: String,
    /// What was found and expected.
    pub what: String,
}

/// Reads a text file, up to 64 MiB of UTF-8.
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    let wrong = |what: String| ReadError {
        file: path.display().to_string(),
        what,
    };
    let unread = |e: std::io::Error| wrong(format!("cannot be read: {e}"));
    let file = File::open(path).map_err(unread)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unread)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(wrong("is longer than 64 MiB; expected a text".into()));
    }
    String::from_utf8(bytes).map_err(|e| {
        let byte = e.utf8_error().valid_up_to();
        wrong(format!("is no UTF-8 text at byte {byte}; expected a text"))
    })
}
