//! SWC: `id type x y z radius parent`, one point per line, parent −1 for a root.

use super::error::Wrong;
use super::pieces::Pieces;
use super::points::{self, Point};
use super::table::{lines, number, whole};
use std::collections::BTreeMap;
use treesway::Profile;
use treesway::glam::DVec3;

/// In each line.
pub(super) const COLUMNS: usize = 7;

pub(super) fn read(text: &str) -> Result<Pieces, Wrong> {
    let mut points = Vec::new();
    let mut parents = Vec::new();
    let mut numbers = BTreeMap::new();
    for (line, row) in lines(text) {
        let words: Vec<&str> = row.split_whitespace().collect();
        let &[id, _, x, y, z, radius, parent] = &words[..] else {
            let what = format!("has {} columns; expected {COLUMNS}", words.len());
            return Err(Wrong::at(line, what));
        };
        let id = whole(line, "id", id)?;
        if numbers.insert(id, points.len()).is_some() {
            let what = format!("id {id} is there twice; expected every id once");
            return Err(Wrong::at(line, what));
        }
        points.push(Point {
            position: DVec3::new(
                number(line, "x", x)?,
                number(line, "y", y)?,
                number(line, "z", z)?,
            ),
            radius: number(line, "radius", radius)?,
            parent: None,
            line,
        });
        parents.push(whole(line, "parent", parent)?);
    }
    for (point, parent) in points.iter_mut().zip(parents) {
        if parent >= 0 {
            // Some number that no point has, where there is none; said when pieces are made.
            point.parent = Some(numbers.get(&parent).copied().unwrap_or(usize::MAX));
        }
    }
    points::pieces(&points, Profile::Tapered)
}
