//! SimpleForest: CSV with a header, a cylinder per row; cylinders may belong to several trees.

use super::error::Wrong;
use super::pieces::{Piece, Pieces};
use super::table::Table;
use std::collections::BTreeMap;
use treesway::Profile;

/// Cylinders of one tree.
#[derive(Default)]
struct Tree {
    pieces: Vec<Piece>,
    parents: Vec<i64>,
    orders: Vec<Option<i64>>,
    /// Index by ID.
    index: BTreeMap<i64, usize>,
}

pub(super) fn read(text: &str) -> Result<Vec<Pieces>, Wrong> {
    let table = Table::read(text)?;
    let column = |name| table.column(name);
    let (id, parent, radius) = (column("ID")?, column("parentID")?, column("radius")?);
    let start = [column("startX")?, column("startY")?, column("startZ")?];
    let end = [column("endX")?, column("endY")?, column("endZ")?];
    let (order, tree) = (table.find("branchOrder"), table.find("treeID"));
    let mut trees: BTreeMap<i64, Tree> = BTreeMap::new();
    for row in table.rows() {
        let row = row?;
        let number = tree.map_or(Ok(0), |t| row.whole(t))?;
        let tree = trees.entry(number).or_default();
        let id = row.whole(id)?;
        if tree.index.insert(id, tree.pieces.len()).is_some() {
            let what = format!("ID {id} is there twice; expected every cylinder once");
            return Err(Wrong::at(row.line, what));
        }
        let radius = row.number(radius)?;
        tree.pieces.push(Piece {
            start: row.vector(start)?,
            end: row.vector(end)?,
            radius: [radius; 2],
            parent: None,
            continues: None,
            line: row.line,
        });
        tree.parents.push(row.whole(parent)?);
        tree.orders.push(order.map(|o| row.whole(o)).transpose()?);
    }
    Ok(trees.into_values().map(Tree::linked).collect())
}

impl Tree {
    fn linked(self) -> Pieces {
        let Self {
            mut pieces,
            parents,
            orders,
            index,
        } = self;
        for (i, piece) in pieces.iter_mut().enumerate() {
            if parents[i] < 0 {
                continue;
            }
            // A number that no cylinder has is found when parents are checked.
            let parent = index.get(&parents[i]).copied().unwrap_or(usize::MAX);
            piece.parent = Some(parent);
            let below = orders.get(parent).copied().flatten();
            piece.continues = below.zip(orders[i]).map(|(a, b)| a == b);
        }
        Pieces {
            pieces,
            profile: Profile::Stepped,
        }
    }
}
