//! Which parts of a tree never meet, because they grow out of each other.
//!
//! 1. Parts of the same element.
//! 2. Stems (wood, base stems of leaves, fruit) and their parent's wood; stems of the same parent among each other.
//! 3. Stems on adjoining branches that touch at rest: wood of a thick branch reaches past the joint that another leaves it at. Such a pair
//!    (a, b) is exempt where (parent of a, b) or (a, parent of b) is; so it is connected with the fork, and a branch that comes back to its
//!    trunk is not.
//! 4. A blade that begins inside of wood, as those of leaves without a base stem: its parent's wood where they touch at rest, and wood that
//!    this grows from or carries, as far as the blade touches it too.
//!
//! Two blades, or a blade and the base stem of another leaf, are always kept apart.

use super::intersect::shapes_meet;
use super::sieve::overlapping_boxes;
use super::{BodyKind, Elements, Part};
use crate::math::V3;
use std::collections::{BTreeMap, BTreeSet};

/// Parts nearer than this at rest touch, m: positions are rounded to single precision.
pub(crate) const TOUCHING: f64 = 1e-5;

/// Pairs after rules 3 and 4, sorted, the smaller part first.
#[derive(Clone, Debug, Default)]
pub(super) struct Exempt {
    touching: Vec<(Part, Part)>,
}

impl Exempt {
    /// Finds the pairs that touch at rest.
    pub(super) fn at_rest(elements: &Elements) -> Self {
        let pairs = touching_pairs(elements);
        let (with_blades, stems): (Vec<_>, Vec<_>) = pairs
            .into_iter()
            .partition(|(a, b)| a.is_blade() || b.is_blade());
        let mut touching = stems_by_forks(elements, stems);
        touching.extend(blades_by_wood(elements, with_blades));
        touching.sort_unstable();
        Self { touching }
    }

    /// Pairs after rules 3 and 4.
    pub(super) fn touching(&self) -> &[(Part, Part)] {
        &self.touching
    }

    /// Whether two parts are never tested.
    pub(super) fn is(&self, elements: &Elements, a: Part, b: Part) -> bool {
        let pair = (a.min(b), a.max(b));
        joined(elements, a, b) || self.touching.binary_search(&pair).is_ok()
    }
}

/// Those of the touching stems that are exempt by rule 3.
fn stems_by_forks(elements: &Elements, mut pairs: Vec<(Part, Part)>) -> Vec<(Part, Part)> {
    let depth = depths(elements);
    let below = |p: Part| depth[p.element()];
    // A pair comes after those that it may follow from.
    pairs.sort_by_key(|&(a, b)| (below(a) + below(b), a, b));
    let mut exempt = BTreeSet::new();
    for (a, b) in pairs {
        let follows = [(a, b), (b, a)].into_iter().any(|(a, b)| {
            let parent = elements.parent(a.element()).map(Part::stem);
            parent.is_some_and(|p| joined(elements, p, b) || exempt.contains(&(p.min(b), p.max(b))))
        });
        if follows {
            exempt.insert((a, b));
        }
    }
    exempt.into_iter().collect()
}

/// Those of the blades that touch wood that are exempt by rule 4.
fn blades_by_wood(elements: &Elements, pairs: Vec<(Part, Part)>) -> Vec<(Part, Part)> {
    let mut touched: BTreeMap<Part, Vec<usize>> = BTreeMap::new();
    for (a, b) in pairs {
        let (blade, other) = if a.is_blade() { (a, b) } else { (b, a) };
        if elements.kind(other.element()) == BodyKind::Segment {
            touched.entry(blade).or_default().push(other.element());
        }
    }
    let mut exempt = Vec::new();
    for (blade, mut woods) in touched {
        let mut reached: Vec<usize> = Vec::new();
        loop {
            let carrier = elements.parent(blade.element());
            let next = woods.iter().position(|&w| {
                carrier == Some(w)
                    || reached
                        .iter()
                        .any(|&r| elements.parent(w) == Some(r) || elements.parent(r) == Some(w))
            });
            let Some(next) = next else { break };
            let wood = woods.swap_remove(next);
            reached.push(wood);
            let stem = Part::stem(wood);
            exempt.push((blade.min(stem), blade.max(stem)));
        }
    }
    exempt
}

/// Rules 1 and 2.
fn joined(elements: &Elements, a: Part, b: Part) -> bool {
    if a.element() == b.element() {
        return true;
    }
    if a.is_blade() || b.is_blade() {
        return false;
    }
    let [x, y] = [a, b].map(Part::element);
    let [p, q] = [x, y].map(|e| elements.parent(e));
    p == Some(y) || q == Some(x) || (p.is_some() && p == q)
}

/// Parts that are no nearer than touching at rest, unless rules 1 and 2 say that they may; the smaller first.
fn touching_pairs(elements: &Elements) -> Vec<(Part, Part)> {
    let parts: Vec<Part> = elements.all_parts().collect();
    let shape = |p: Part| elements.shape(elements.rest(), p);
    let boxes: Vec<_> = parts
        .iter()
        .map(|&p| {
            let [low, high] = shape(p).bounds();
            let more = V3::splat(TOUCHING);
            [low - more, high + more]
        })
        .collect();
    let mut touching = Vec::new();
    overlapping_boxes(&boxes, |i, j| {
        let (a, b) = (parts[i].min(parts[j]), parts[i].max(parts[j]));
        // Blades are never exempt from blades.
        let never = joined(elements, a, b) || (a.is_blade() && b.is_blade());
        if !never && shapes_meet(&shape(a), &shape(b), TOUCHING) {
            touching.push((a, b));
        }
    });
    touching
}

fn depths(elements: &Elements) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(elements.len());
    for e in 0..elements.len() {
        depths.push(elements.parent(e).map_or(0, |p| depths[p] + 1));
    }
    depths
}
