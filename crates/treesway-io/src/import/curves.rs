//! Plain curves with thickness: CSV `branch,parent,x,y,z,radius`, a node per row, as any modelling tool can write.
//!
//! Rows of one branch follow one another along it, base first. `parent` is the branch it grows from, empty or −1 for the trunk; it
//! is attached at the parent's nearest point.

use super::error::Wrong;
use super::pieces::{Assembled, Piece, Pieces};
use super::table::Table;
use super::{Options, Up};
use std::collections::BTreeMap;
use treesway::Profile;
use treesway::glam::DVec3;

/// Most nodes that are looked at for nearest points, a few seconds' work.
const MOST_SEARCHING: u64 = 500_000_000;

struct Curve {
    parent: Option<i64>,
    nodes: Vec<(DVec3, f64, usize)>,
}

pub(super) fn read(text: &str, options: &Options, up: Up) -> Result<Assembled, Wrong> {
    let curves = curves(text)?;
    // First piece of each curve.
    let mut first = BTreeMap::new();
    let mut count = 0;
    for (number, curve) in &curves {
        first.insert(*number, count);
        count += curve.nodes.len() - 1;
    }
    let looked_at = |c: &Curve| {
        c.parent
            .and_then(|p| curves.get(&p))
            .map_or(0, |p| p.nodes.len() as u64)
    };
    if curves.values().map(looked_at).sum::<u64>() > MOST_SEARCHING {
        return Err(Wrong::new(
            "has too many branches on too long ones; expected a tree",
        ));
    }
    let mut pieces = Vec::with_capacity(count);
    for curve in curves.values() {
        let mut below = curve.parent.map(|parent| {
            let of = curves.get(&parent);
            // A parent that is not there is found when parents are checked.
            of.map_or(usize::MAX, |of| {
                first[&parent] + nearest_piece(of, curve.nodes[0].0)
            })
        });
        for (i, pair) in curve.nodes.windows(2).enumerate() {
            let ((start, base, line), (end, tip, _)) = (pair[0], pair[1]);
            pieces.push(Piece {
                start,
                end,
                radius: [base, tip],
                parent: below,
                continues: Some(i > 0),
                line,
            });
            below = Some(pieces.len() - 1);
        }
    }
    let profile = Profile::Tapered;
    Pieces { pieces, profile }.assemble(options, up)
}

fn curves(text: &str) -> Result<BTreeMap<i64, Curve>, Wrong> {
    let table = Table::read(text)?;
    let column = |name| table.column(name);
    let (branch, parent, radius) = (column("branch")?, column("parent")?, column("radius")?);
    let position = [column("x")?, column("y")?, column("z")?];
    let mut curves: BTreeMap<i64, Curve> = BTreeMap::new();
    let mut last = None;
    for row in table.rows() {
        let row = row?;
        let number = row.whole(branch)?;
        let of = match row.text(parent) {
            "" => None,
            _ => Some(row.whole(parent)?).filter(|&p| p >= 0),
        };
        let curve = curves.entry(number).or_insert(Curve {
            parent: of,
            nodes: Vec::new(),
        });
        let goes_on = curve.nodes.is_empty() || last == Some(number);
        if !(goes_on && curve.parent == of) {
            let what = format!(
                "branch {number} comes again after another, or with another parent; expected its rows together"
            );
            return Err(Wrong::at(row.line, what));
        }
        let node = (row.vector(position)?, row.number(radius)?, row.line);
        curve.nodes.push(node);
        last = Some(number);
    }
    match curves.iter().find(|(_, c)| c.nodes.len() < 2) {
        Some((number, c)) => {
            let what = format!("branch {number} has one node; expected at least 2");
            Err(Wrong::at(c.nodes[0].2, what))
        }
        None => Ok(curves),
    }
}

/// Which piece of a curve is nearest to a point.
fn nearest_piece(curve: &Curve, point: DVec3) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (i, pair) in curve.nodes.windows(2).enumerate() {
        let axis = pair[1].0 - pair[0].0;
        let t = (point - pair[0].0).dot(axis) / axis.length_squared().max(f64::MIN_POSITIVE);
        let distance = (pair[0].0 + axis * t.clamp(0.0, 1.0)).distance_squared(point);
        if distance < best.0 {
            best = (distance, i);
        }
    }
    best.1
}
