//! Rows and columns of text, with line numbers.

use super::error::Wrong;
use super::format::shortened;

/// Lines that say something, numbered from 1, without blanks around them; `#` starts a comment line.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// A number, or what stands there instead.
pub(super) fn number(line: usize, name: &str, word: &str) -> Result<f64, Wrong> {
    let word = word.trim();
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(Wrong::at(
            line,
            format!("{name} is `{}`; expected a finite number", shortened(word)),
        )),
    }
}

/// A whole number; scans write them as `3`, `3.0` or `3e0`.
pub(super) fn whole(line: usize, name: &str, word: &str) -> Result<i64, Wrong> {
    let x = number(line, name, word)?;
    if x.fract() == 0.0 && x.abs() < 1e15 {
        return Ok(x as i64);
    }
    Err(Wrong::at(
        line,
        format!("{name} is {x}; expected a whole number"),
    ))
}

/// A comma-separated table with a header.
pub(super) struct Table<'a> {
    columns: Vec<&'a str>,
    rows: Box<dyn Iterator<Item = (usize, &'a str)> + 'a>,
}

/// One row of a [`Table`].
pub(super) struct Row<'a> {
    pub line: usize,
    cells: Vec<&'a str>,
}

/// Where a named column is.
#[derive(Clone, Copy)]
pub(super) struct Column(usize, &'static str);

impl<'a> Table<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, Wrong> {
        let mut rows = lines(text);
        let (_, header) = rows
            .next()
            .ok_or_else(|| Wrong::new("is empty; expected a header and rows"))?;
        Ok(Self {
            columns: header.split(',').map(str::trim).collect(),
            rows: Box::new(rows),
        })
    }

    /// The column of that name, if there is one.
    pub(super) fn find(&self, name: &'static str) -> Option<Column> {
        let at = self.columns.iter().position(|c| *c == name)?;
        Some(Column(at, name))
    }

    /// The column of that name.
    pub(super) fn column(&self, name: &'static str) -> Result<Column, Wrong> {
        self.find(name).ok_or_else(|| {
            let what = format!("the header has no column `{name}`; expected it");
            Wrong::at(1, what)
        })
    }

    /// All rows, each as long as the header.
    pub(super) fn rows(self) -> impl Iterator<Item = Result<Row<'a>, Wrong>> {
        let wanted = self.columns.len();
        self.rows.map(move |(line, text)| {
            let cells: Vec<&str> = text.split(',').map(str::trim).collect();
            if cells.len() == wanted {
                return Ok(Row { line, cells });
            }
            let what = format!("has {} columns; expected {wanted}", cells.len());
            Err(Wrong::at(line, what))
        })
    }
}

impl Row<'_> {
    pub(super) fn text(&self, column: Column) -> &str {
        self.cells[column.0]
    }

    pub(super) fn number(&self, column: Column) -> Result<f64, Wrong> {
        number(self.line, column.1, self.text(column))
    }

    pub(super) fn whole(&self, column: Column) -> Result<i64, Wrong> {
        whole(self.line, column.1, self.text(column))
    }

    /// Three numbers.
    pub(super) fn vector(&self, columns: [Column; 3]) -> Result<treesway::glam::DVec3, Wrong> {
        let [x, y, z] = columns;
        Ok(treesway::glam::DVec3::new(
            self.number(x)?,
            self.number(y)?,
            self.number(z)?,
        ))
    }
}
