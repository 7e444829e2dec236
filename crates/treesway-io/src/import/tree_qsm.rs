//! TreeQSM: cylinders with start, axis and length, as text of 15 columns or as the struct of version 2.4 in a MATLAB file.

use super::error::Wrong;
use super::mat::{Matrix, read_struct};
use super::pieces::{Piece, Pieces};
use super::table::{lines, number, whole};
use treesway::Profile;
use treesway::glam::DVec3;

/// Of the text: radius, length, start xyz, axis xyz, parent, extension, added, unmodified radius, branch, order, position in branch.
pub(super) const COLUMNS: usize = 15;

/// A row of TreeQSM's table of cylinders.
pub(super) struct Cylinder {
    pub radius: f64,
    pub length: f64,
    pub start: DVec3,
    /// Direction, of any length.
    pub axis: DVec3,
    /// Number of the parent from 1, 0 for a root.
    pub parent: i64,
    /// Number of the branch; cylinders of one branch are one axis.
    pub branch: i64,
    pub line: usize,
}

pub(super) fn read_text(text: &str) -> Result<Pieces, Wrong> {
    let mut cylinders = Vec::new();
    for (line, row) in lines(text) {
        let words: Vec<&str> = row.split_whitespace().collect();
        if words.len() != COLUMNS {
            let what = format!("has {} columns; expected {COLUMNS}", words.len());
            return Err(Wrong::at(line, what));
        }
        let vector = |first: usize, names: [&str; 3]| -> Result<DVec3, Wrong> {
            let [x, y, z] = [0, 1, 2].map(|i| number(line, names[i], words[first + i]));
            Ok(DVec3::new(x?, y?, z?))
        };
        cylinders.push(Cylinder {
            radius: number(line, "radius", words[0])?,
            length: number(line, "length", words[1])?,
            start: vector(2, ["start x", "start y", "start z"])?,
            axis: vector(5, ["axis x", "axis y", "axis z"])?,
            parent: whole(line, "parent", words[8])?,
            branch: whole(line, "branch", words[12])?,
            line,
        });
    }
    pieces(&cylinders)
}

pub(super) fn read_mat(bytes: &[u8]) -> Result<Pieces, Wrong> {
    let names = ["radius", "length", "start", "axis", "parent", "branch"];
    let fields = read_struct(bytes, "cylinder", &names)?;
    let n = fields[0].data.len();
    let column = |field: usize, width: usize| -> Result<&Matrix, Wrong> {
        let matrix = &fields[field];
        if matrix.data.len() == n * width && (width == 1 || matrix.rows == n) {
            return Ok(matrix);
        }
        Err(Wrong::new(format!(
            "cylinder.{} has {} numbers; expected {n} rows of {width}",
            names[field],
            matrix.data.len()
        )))
    };
    let (radius, length) = (column(0, 1)?, column(1, 1)?);
    let (start, axis) = (column(2, 3)?, column(3, 3)?);
    let (parent, branch) = (column(4, 1)?, column(5, 1)?);
    // Columns follow one another.
    let vector = |m: &Matrix, i: usize| DVec3::new(m.data[i], m.data[n + i], m.data[2 * n + i]);
    let cylinders: Vec<Cylinder> = (0..n)
        .map(|i| Cylinder {
            radius: radius.data[i],
            length: length.data[i],
            start: vector(start, i),
            axis: vector(axis, i),
            parent: parent.data[i] as i64,
            branch: branch.data[i] as i64,
            line: 0,
        })
        .collect();
    pieces(&cylinders)
}

/// Cylinders as pieces; `line` says where a wrong one stands, in a table without lines its number does.
pub(super) fn pieces(cylinders: &[Cylinder]) -> Result<Pieces, Wrong> {
    let mut pieces = Vec::with_capacity(cylinders.len());
    for (i, c) in cylinders.iter().enumerate() {
        let parent = match c.parent {
            ..=0 => None,
            p => Some(p as usize - 1),
        };
        let direction = c.axis.normalize_or_zero();
        let mut piece = Piece {
            start: c.start,
            end: c.start + direction * c.length,
            radius: [c.radius; 2],
            parent,
            continues: parent
                .and_then(|p| cylinders.get(p))
                .map(|below| below.branch == c.branch),
            line: c.line,
        };
        let what = if direction == DVec3::ZERO && c.length > 0.0 {
            format!("axis is {}; expected a direction", c.axis)
        } else if !(c.length.is_finite() && c.length >= 0.0) {
            format!("length is {}; expected a finite length", c.length)
        } else if !(c.radius.is_finite() && c.radius > 0.0) {
            format!(
                "radius is {}; expected a finite length greater than zero",
                c.radius
            )
        } else {
            pieces.push(piece);
            continue;
        };
        piece.line = c.line;
        let place = if c.line == 0 {
            format!("cylinder {}: ", i + 1)
        } else {
            String::new()
        };
        return Err(piece.wrong(format!("{place}{what}")));
    }
    Ok(Pieces {
        pieces,
        profile: Profile::Stepped,
    })
}
