//! Characters of a grammar with their places: the lower half of the parser.
//!
//! A statement ends where the next line begins in its first column; an indented line goes on with the statement before it. `#`
//! starts a comment. Letters of a plant are single characters, names in expressions are words, so there are no tokens
//! that would be the same in both; the parser asks for what it expects.

use super::error::{Place, Wrong, wrong_at};

/// A reader of one text.
pub(super) struct Scanner<'a> {
    rest: &'a str,
    at: Place,
    /// Behind what was taken last, before blanks: where a missing thing is missed.
    end: Place,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            rest: text.strip_prefix('\u{feff}').unwrap_or(text),
            at: Place { line: 1, column: 1 },
            end: Place { line: 1, column: 1 },
        }
    }

    /// Where the next character is.
    pub(super) fn at(&self) -> Place {
        self.at
    }

    /// The next character, without taking it; none at the end of the statement.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.skip_blanks();
        if self.at.column == 1 {
            return None;
        }
        self.rest.chars().next()
    }

    /// Moves to the next statement; none at the end of the text. Fails if the last one has something left.
    pub(super) fn statement(&mut self) -> Result<Option<char>, Wrong> {
        if self.peek().is_some() {
            return Err(self.expected("the end of the statement"));
        }
        Ok(self.rest.chars().next())
    }

    /// Takes the next character.
    pub(super) fn take(&mut self) -> Option<char> {
        let c = self.advance();
        self.end = self.at;
        c
    }

    /// Takes what was looked at before.
    pub(super) fn skip(&mut self, text: &str) {
        for _ in text.chars() {
            self.take();
        }
    }

    fn advance(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.at = Place {
                line: self.at.line + 1,
                column: 1,
            };
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    /// Takes `wanted` if it comes next in the statement.
    pub(super) fn take_if(&mut self, wanted: &str) -> bool {
        let here = self.peek().is_some() && self.rest.starts_with(wanted);
        if here {
            self.skip(wanted);
        }
        here
    }

    /// Takes `wanted` or says that it is missing.
    pub(super) fn expect(&mut self, wanted: &str) -> Result<(), Wrong> {
        if self.take_if(wanted) {
            return Ok(());
        }
        Err(self.expected(&format!("`{wanted}`")))
    }

    /// True if `wanted` comes next in the statement.
    pub(super) fn sees(&mut self, wanted: &str) -> bool {
        self.peek().is_some() && self.rest.starts_with(wanted)
    }

    /// The word that comes next, which may be empty; it is not taken. At the start of a statement too.
    pub(super) fn word(&mut self) -> &'a str {
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !letter(c)).unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            ""
        } else {
            word
        }
    }

    /// Takes a name.
    pub(super) fn name(&mut self) -> Result<&'a str, Wrong> {
        let word = if self.peek().is_some() {
            self.word()
        } else {
            ""
        };
        if word.is_empty() {
            return Err(self.expected("a name"));
        }
        self.skip(word);
        Ok(word)
    }

    /// Takes a number without a sign.
    pub(super) fn number(&mut self) -> Result<f64, Wrong> {
        if self.peek().is_none() {
            return Err(self.expected("a number"));
        }
        let bytes = self.rest.as_bytes();
        let digits = |mut i: usize| {
            while bytes.get(i).is_some_and(u8::is_ascii_digit) {
                i += 1;
            }
            i
        };
        let mut end = digits(0);
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let after = digits(end + 1 + sign);
            if after > end + 1 + sign {
                end = after;
            }
        }
        let (at, found) = (self.at, &self.rest[..end]);
        let Ok(value) = found.parse::<f64>() else {
            return Err(self.expected("a number"));
        };
        if !value.is_finite() {
            return Err(wrong_at(
                at,
                format!("found {found}; expected a finite number"),
            ));
        }
        self.skip(found);
        Ok(value)
    }

    /// Takes a string in double quotes, on one line.
    pub(super) fn string(&mut self) -> Result<&'a str, Wrong> {
        self.expect("\"")?;
        let end = self.rest.find(['"', '\n']).unwrap_or(self.rest.len());
        let (inside, after) = self.rest.split_at(end);
        if !after.starts_with('"') {
            self.skip(inside);
            return Err(self.expected("`\"`"));
        }
        self.skip(inside);
        self.take();
        Ok(inside)
    }

    /// An error about what comes next.
    pub(super) fn expected(&mut self, wanted: &str) -> Wrong {
        let (at, found) = match self.peek() {
            Some(c) => (self.at, format!("`{}`", c.escape_debug())),
            None if self.rest.is_empty() => (self.end, "the end of the file".into()),
            None => (self.end, "the end of the statement".into()),
        };
        wrong_at(at, format!("found {found}; expected {wanted}"))
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.rest.chars().next() {
                Some('#') => {
                    while !matches!(self.rest.chars().next(), None | Some('\n')) {
                        self.advance();
                    }
                }
                Some(c) if c.is_whitespace() => {
                    self.advance();
                }
                _ => break,
            }
        }
    }
}
