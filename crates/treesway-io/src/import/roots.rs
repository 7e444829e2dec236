//! Scans with several roots become one tree.

use super::Note;
use super::error::Wrong;
use super::pieces::{Piece, children_of, parents_first, subtree_volumes};

/// Most roots × pieces that are compared to join them, about a second's work.
const MOST_JOINING: u64 = 200_000_000;

/// Makes one tree: the root with most wood stays one, others hang on the nearest wood that is not their own. Gives the root.
pub(super) fn join_roots(
    pieces: &mut [Piece],
    scale: f64,
    notes: &mut Vec<Note>,
) -> Result<usize, Wrong> {
    let order = parents_first(pieces, &children_of(pieces));
    let volume = subtree_volumes(pieces, &order);
    let mut roots: Vec<usize> = order
        .iter()
        .copied()
        .take_while(|&i| pieces[i].parent.is_none())
        .collect();
    let work = roots.len() as u64 * pieces.len() as u64;
    if roots.len() > 1 && work > MOST_JOINING {
        return Err(Wrong::new(format!(
            "has {} roots in {} pieces; expected one tree",
            roots.len(),
            pieces.len()
        )));
    }
    roots.sort_by(|&a, &b| volume[b].total_cmp(&volume[a]));
    let trunk = roots.remove(0);
    if roots.is_empty() {
        return Ok(trunk);
    }
    let mut members = vec![Vec::new(); pieces.len()];
    let mut tree = vec![trunk; pieces.len()];
    for &i in &order {
        tree[i] = pieces[i].parent.map_or(i, |p| tree[p]);
        members[tree[i]].push(i);
    }
    // Of each root that is still apart, the squared distance to the nearest wood that is joined, and that wood.
    let mut apart: Vec<(usize, f64, usize)> =
        roots.iter().map(|&r| (r, f64::INFINITY, trunk)).collect();
    let (mut joined, mut farthest) = (trunk, 0.0_f64);
    while !apart.is_empty() {
        for (root, least, wood) in &mut apart {
            let start = pieces[*root].start;
            for &i in &members[joined] {
                let distance = pieces[i]
                    .at(pieces[i].nearest(start))
                    .distance_squared(start);
                if distance < *least {
                    (*least, *wood) = (distance, i);
                }
            }
        }
        // The nearest comes first, so that a part may hang on a part that was apart itself.
        let next = (0..apart.len())
            .min_by(|&a, &b| apart[a].1.total_cmp(&apart[b].1))
            .unwrap_or(0);
        let (root, distance, wood) = apart.swap_remove(next);
        pieces[root].parent = Some(wood);
        pieces[root].continues = Some(false);
        farthest = farthest.max(distance.sqrt());
        joined = root;
    }
    notes.push(Note(format!(
        "{} further roots were joined to the nearest wood, up to {:.3} m away",
        roots.len(),
        farthest * scale
    )));
    Ok(trunk)
}
