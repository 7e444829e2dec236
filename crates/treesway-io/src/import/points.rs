//! Points with parents (SWC, treefiles, rigs) → pieces of wood from each parent to its child.

use super::error::Wrong;
use super::pieces::{Piece, Pieces};
use treesway::Profile;
use treesway::glam::DVec3;

/// A point of an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub position: DVec3,
    pub radius: f64,
    pub parent: Option<usize>,
    /// Line of the file; 0 where there are no lines.
    pub line: usize,
}

/// Wood from every point's parent to the point; a root is a place, not wood. Stepped wood has its upper point's radius.
pub(super) fn pieces(points: &[Point], profile: Profile) -> Result<Pieces, Wrong> {
    // The piece that ends at each point: one for each that has a parent.
    let mut ends_at = Vec::with_capacity(points.len());
    let mut count = 0;
    for point in points {
        ends_at.push(point.parent.map(|_| count));
        count += usize::from(point.parent.is_some());
    }
    // Of several pieces that start at a root, the thickest is the trunk and carries the others.
    let mut trunk: Vec<Option<usize>> = vec![None; points.len()];
    for (i, point) in points.iter().enumerate() {
        let Some(parent) = point.parent else { continue };
        if parent >= points.len() {
            let what = "its parent is not in the file; expected the number of a point or -1";
            return Err(Wrong {
                line: (point.line > 0).then_some(point.line),
                what: what.into(),
            });
        }
        let thicker = trunk[parent].is_none_or(|t| point.radius > points[t].radius);
        if points[parent].parent.is_none() && thicker {
            trunk[parent] = Some(i);
        }
    }
    let mut all = Vec::with_capacity(count);
    for (i, point) in points.iter().enumerate() {
        let Some(p) = point.parent else { continue };
        let base = match profile {
            Profile::Tapered => points[p].radius,
            Profile::Stepped => point.radius,
        };
        let beside_trunk = trunk[p].filter(|&t| t != i);
        all.push(Piece {
            start: points[p].position,
            end: point.position,
            radius: [base, point.radius],
            parent: ends_at[p].or_else(|| beside_trunk.and_then(|t| ends_at[t])),
            continues: beside_trunk.map(|_| false),
            line: point.line,
        });
    }
    Ok(Pieces {
        pieces: all,
        profile,
    })
}
