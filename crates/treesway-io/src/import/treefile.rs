//! Treefiles of raycloudtools: after a header, one tree per line.
//!
//! The header names attributes of the tree, if any, then those of a segment: `x,y,z,radius`, then others, `parent_id` among
//! them. A line holds the tree's attributes, then those of segment after segment. x, y, z is where a segment *ends*; its cylinder
//! starts where its parent ends, and the first, without a parent, is a place.

use super::error::Wrong;
use super::pieces::Pieces;
use super::points::{self, Point};
use super::table::{lines, number, whole};
use treesway::Profile;
use treesway::glam::DVec3;

pub(super) fn read(text: &str) -> Result<Vec<Pieces>, Wrong> {
    let mut rows = lines(text);
    let (at, header) = rows
        .next()
        .ok_or_else(|| Wrong::new("holds nothing but comments; expected a header"))?;
    let columns: Vec<&str> = header
        .trim_end_matches(',')
        .split(',')
        .map(str::trim)
        .collect();
    let first = columns
        .windows(4)
        .position(|w| w == ["x", "y", "z", "radius"])
        .ok_or_else(|| Wrong::at(at, "the header has no `x,y,z,radius`; expected it"))?;
    let of_segment = &columns[first..];
    let parent = of_segment.iter().position(|c| *c == "parent_id");
    let mut trees = Vec::new();
    for (line, row) in rows {
        let words: Vec<&str> = row
            .trim_end_matches([',', ' '])
            .split(',')
            .map(str::trim)
            .collect();
        let segments = words.get(first..).unwrap_or_default();
        if segments.is_empty() || !segments.len().is_multiple_of(of_segment.len()) {
            let what = format!(
                "has {} values; expected {first} of the tree and {} for each segment",
                words.len(),
                of_segment.len()
            );
            return Err(Wrong::at(line, what));
        }
        let mut points = Vec::with_capacity(segments.len() / of_segment.len());
        for (i, s) in segments.chunks_exact(of_segment.len()).enumerate() {
            let parent = match parent {
                Some(column) => {
                    let id = whole(line, "parent_id", s[column])?;
                    usize::try_from(id).ok()
                }
                // Without parents, segments follow one another.
                None => i.checked_sub(1),
            };
            points.push(Point {
                position: DVec3::new(
                    number(line, "x", s[0])?,
                    number(line, "y", s[1])?,
                    number(line, "z", s[2])?,
                ),
                radius: number(line, "radius", s[3])?,
                parent,
                line,
            });
        }
        trees.push(points::pieces(&points, Profile::Stepped)?);
    }
    Ok(trees)
}
