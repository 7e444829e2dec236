//! The trees of Wytham Woods whose sway was measured: cylinders of TreeQSM as CSV with a header.

use super::error::Wrong;
use super::pieces::Pieces;
use super::table::Table;
use super::tree_qsm::{Cylinder, pieces};

pub(super) fn read(text: &str) -> Result<Pieces, Wrong> {
    let table = Table::read(text)?;
    let column = |name| table.column(name);
    let (radius, length) = (column("radius_m")?, column("length_m")?);
    let start = [column("start_x")?, column("start_y")?, column("start_z")?];
    let axis = [column("axis_x")?, column("axis_y")?, column("axis_z")?];
    let (parent, branch) = (column("parent_1based")?, column("branch")?);
    let mut cylinders = Vec::new();
    for row in table.rows() {
        let row = row?;
        cylinders.push(Cylinder {
            radius: row.number(radius)?,
            length: row.number(length)?,
            start: row.vector(start)?,
            axis: row.vector(axis)?,
            parent: row.whole(parent)?,
            branch: row.whole(branch)?,
            line: row.line,
        });
    }
    pieces(&cylinders)
}
