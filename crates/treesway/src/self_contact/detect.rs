//! Which parts meet between two poses, and when.

use super::Hierarchy;
use crate::ccd::{Approach, AxisBox, Contact, Mover, first_approach};
use crate::desc::BodyId;
use crate::elements::{Elements, Part, TOUCHING, pairs_within};
use crate::math::V3;
use crate::tree::Tree;
use rayon::prelude::*;
use std::sync::Arc;

/// From so many pairs on they are looked at in parallel.
const MANY: usize = 128;

/// Where fewer than one part in so many has changed, only these are looked for in the hierarchy.
const FEW: usize = 6;

/// All parts on their way from one pose to another.
#[derive(Clone)]
pub(super) struct Sweep {
    pub(super) elements: Arc<Elements>,
    /// Pairs that intersect or touch in the pose that the tree was given, of trees that were not grown free of collisions: sorted. Blades of leaves that grow from one
    /// point touch there as long as they are on the tree.
    passing: Arc<[(Part, Part)]>,
    parts: Vec<Part>,
    /// Points at the start and at the end, m.
    pub(super) start: Vec<V3<f64>>,
    pub(super) end: Vec<V3<f64>>,
    /// Those of the end before it changed last.
    before: Vec<V3<f64>>,
    boxes: Vec<AxisBox>,
    /// By part: whether its end has changed, and whether it is on the tree.
    changed: Vec<bool>,
    attached: Vec<bool>,
    /// Those that have, in order; none if all may have.
    few: Option<Vec<u32>>,
    hierarchy: Hierarchy,
    pairs: Vec<(u32, u32)>,
}

/// Two parts that meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) parts: [Part; 2],
    /// Points of the corners that meet; the third of a stem is its second.
    pub(super) corners: [[usize; 3]; 2],
    pub(super) contact: Contact,
}

impl Meeting {
    /// The same of the corners, edges or faces alone that meet: two triangles that lie along each other may meet at several of them, and each is to be held.
    pub(super) fn of_features(&self) -> Self {
        let mut m = *self;
        for k in (0..2).filter(|&k| m.parts[k].is_blade()) {
            let weights = m.contact.near.weights[k];
            let mut own: Vec<(usize, f64)> = m.corners[k].into_iter().zip(weights).collect();
            own.retain(|(_, w)| *w > 0.0);
            own.sort_by_key(|(corner, _)| *corner);
            let last = own.len() - 1;
            for i in 0..3 {
                m.corners[k][i] = own[i.min(last)].0;
                m.contact.near.weights[k][i] = own.get(i).map_or(0.0, |(_, w)| *w);
            }
        }
        m
    }
}

impl Sweep {
    pub(super) fn new(elements: Arc<Elements>) -> Self {
        let parts: Vec<Part> = elements.all_parts().collect();
        let n = parts.len();
        let passing = pairs_within(&elements, elements.rest(), TOUCHING).into();
        Self {
            elements,
            passing,
            parts,
            start: Vec::new(),
            end: Vec::new(),
            before: Vec::new(),
            boxes: vec![AxisBox::EMPTY; n],
            changed: vec![true; n],
            attached: vec![true; n],
            few: None,
            hierarchy: Hierarchy::default(),
            pairs: Vec::new(),
        }
    }

    /// Where a tree is now is where it starts from.
    pub(super) fn set_start(&mut self, tree: &Tree) {
        self.elements.pose_of_tree(tree, &mut self.start);
        self.end.clear();
    }

    /// Where a tree is now is where it would end.
    pub(super) fn set_end(&mut self, tree: &Tree, gap: f64) {
        core::mem::swap(&mut self.end, &mut self.before);
        self.elements.pose_of_tree(tree, &mut self.end);
        let first = self.before.len() != self.end.len();
        for k in 0..self.parts.len() {
            let part = self.parts[k];
            let on_tree = tree.is_attached(BodyId(part.element() as u32));
            let was = core::mem::replace(&mut self.attached[k], on_tree);
            let points = self.points_of(part);
            let same = |p: usize| self.end[p] == self.before[p];
            self.changed[k] = first || was != on_tree || !points.clone().all(same);
            if !self.changed[k] {
                continue;
            }
            self.boxes[k] = if on_tree {
                let radius = self.largest_radius(part);
                let swept = points.fold(AxisBox::EMPTY, |b, p| {
                    b.with(self.start[p], radius).with(self.end[p], radius)
                });
                swept.grown(0.5 * gap)
            } else {
                // Far away, each for itself.
                let mut away = V3::splat(1e6);
                away.x += 10.0 * k as f64;
                AxisBox::EMPTY.with(away, 0.0)
            };
        }
        let changed = || (0..self.parts.len() as u32).filter(|&k| self.changed[k as usize]);
        self.few =
            (!first && FEW * changed().count() < self.parts.len()).then(|| changed().collect());
        match &self.few {
            Some(few) => self.hierarchy.fit_some(&self.boxes, few),
            None => self.hierarchy.fit(&self.boxes),
        }
    }

    /// Points of a part.
    fn points_of(&self, part: Part) -> core::ops::Range<usize> {
        let all = self.elements.points_of(part.element());
        if part.is_blade() {
            all.start + 1..all.end
        } else {
            all.start..all.start + 2
        }
    }

    fn largest_radius(&self, part: Part) -> f64 {
        if part.is_blade() {
            0.0
        } else {
            let [a, b] = self.elements.radius(part.element());
            a.max(b)
        }
    }

    /// All pairs that meet, in the order of their parts, besides those for which `rigid` says that nothing turns between both. Pairs of which neither has
    /// changed since the end was set before are looked at only if they are among `still`, those that met then.
    pub(super) fn meetings(
        &mut self,
        gap: f64,
        rigid: impl Fn(Part, Part) -> bool,
        still: &[Meeting],
        found: &mut Vec<Meeting>,
    ) {
        let mut pairs = core::mem::take(&mut self.pairs);
        let (parts, changed, attached) = (&self.parts, &self.changed, &self.attached);
        let (elements, passing) = (&self.elements, &self.passing);
        let wanted = |i: u32, j: u32| {
            let (i, j) = (i as usize, j as usize);
            (changed[i] || changed[j])
                && attached[i]
                && attached[j]
                && elements.meet(parts[i], parts[j])
                && passing.binary_search(&(parts[i], parts[j])).is_err()
                && !rigid(parts[i], parts[j])
        };
        match &self.few {
            Some(few) => {
                let (boxes, hierarchy) = (&self.boxes, &self.hierarchy);
                hierarchy.pairs_of(boxes, few, wanted, &mut pairs);
            }
            None => self.hierarchy.pairs(wanted, &mut pairs),
        }
        let number = |p: Part| self.parts.binary_search(&p).expect("a part") as u32;
        for m in still {
            let pair = (number(m.parts[0]), number(m.parts[1]));
            let unchanged = !self.changed[pair.0 as usize] && !self.changed[pair.1 as usize];
            if unchanged && !rigid(m.parts[0], m.parts[1]) {
                pairs.push(pair);
            }
        }
        pairs.sort_unstable();
        let look = |&(i, j): &(u32, u32)| {
            self.first_of(self.parts[i as usize], self.parts[j as usize], gap)
        };
        found.clear();
        if pairs.len() >= MANY && rayon::current_num_threads() > 1 {
            found.par_extend(pairs.par_iter().filter_map(look));
        } else {
            found.extend(pairs.iter().filter_map(look));
        }
        self.pairs = pairs;
    }

    /// How many pairs were looked at last.
    pub(super) fn looked_at(&self) -> usize {
        self.pairs.len()
    }

    /// First meeting of two parts.
    fn first_of(&self, a: Part, b: Part, gap: f64) -> Option<Meeting> {
        if self.planes_between(a, b, gap) {
            return None;
        }
        let mut first: Option<Meeting> = None;
        for u in 0..self.pieces(a) {
            let (of_a, mover) = self.piece(a, u);
            let around = mover.swept().grown(gap);
            for w in 0..self.pieces(b) {
                let (of_b, other) = self.piece(b, w);
                if !around.meets(&other.swept()) {
                    continue;
                }
                let contact = match first_approach(&mover, &other, gap) {
                    Approach::Meets(contact) => contact,
                    Approach::Clear => continue,
                    // All of it is left alone until it has parted: what of it is still apart would be caught in what is not.
                    Approach::Inside => return None,
                };
                if first.is_none_or(|f| contact.time < f.contact.time) {
                    first = Some(Meeting {
                        parts: [a, b],
                        corners: [of_a, of_b],
                        contact,
                    });
                }
            }
        }
        first
    }

    fn pieces(&self, part: Part) -> usize {
        if part.is_blade() {
            self.elements.blade_corners().len()
        } else {
            1
        }
    }

    /// One triangle of a blade, or the cone of a stem.
    fn piece(&self, part: Part, number: usize) -> ([usize; 3], Mover) {
        let first = self.elements.points_of(part.element()).start;
        let corners = if part.is_blade() {
            self.elements.blade_corners()[number].map(|k| first + k)
        } else {
            [first, first + 1, first + 1]
        };
        (corners, self.mover(part, corners))
    }

    /// The piece of a part that has these corners: of a blade a triangle, an edge or a corner, which are told from each other by corners that are the same.
    pub(super) fn mover(&self, part: Part, corners: [usize; 3]) -> Mover {
        let [start, end] = [&self.start, &self.end].map(|pose| corners.map(|p| pose[p]));
        let radius = match part.is_blade() {
            true if corners[1] != corners[2] => return Mover::triangle(start, end),
            true => [0.0; 2],
            false => self.elements.radius(part.element()),
        };
        Mover::cone([start[0], start[1]], [end[0], end[1]], radius)
    }

    /// Whether one of a few planes separates two parts for the whole way. It spares most pairs of blades their pairs of triangles.
    fn planes_between(&self, a: Part, b: Part, gap: f64) -> bool {
        let middle = |part: Part| {
            let points = self.points_of(part);
            let n = points.len() as f64;
            points.fold(V3::zero(), |sum, p| sum + self.start[p] + self.end[p]) * (0.5 / n)
        };
        let axis = |part: Part| {
            let points = self.points_of(part);
            if part.is_blade() {
                self.elements.leaf_normal(&self.start, part.element())
            } else {
                self.start[points.start + 1] - self.start[points.start]
            }
        };
        let (between, u, w) = (middle(b) - middle(a), axis(a), axis(b));
        let across = match (a.is_blade(), b.is_blade()) {
            (false, false) => [u.cross(w), between - u * (between.dot(u) / u.dot(u))],
            (true, false) => [u, between - w * (between.dot(w) / w.dot(w))],
            (false, true) => [w, between - u * (between.dot(u) / u.dot(u))],
            (true, true) => [u, w],
        };
        [between, across[0], across[1]]
            .into_iter()
            .any(|n| self.plane(a, b, n, gap))
    }

    /// Whether the plane across `n` separates both by the gap, at the start and at the end, and so all the time.
    fn plane(&self, a: Part, b: Part, n: V3<f64>, gap: f64) -> bool {
        let length = n.length();
        // Written so that what is not a number separates nothing.
        let points_somewhere = length > 1e-9;
        if !points_somewhere {
            return false;
        }
        let reach = |pose: &[V3<f64>], part: Part| {
            let points = self.points_of(part);
            let radius = self.largest_radius(part) * length;
            points.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
                let at = pose[p].dot(n);
                (low.min(at - radius), high.max(at + radius))
            })
        };
        let (a0, b0) = (reach(&self.start, a), reach(&self.start, b));
        let (a1, b1) = (reach(&self.end, a), reach(&self.end, b));
        let gap = gap * length;
        (b0.0 - a0.1 > gap && b1.0 - a1.1 > gap) || (a0.0 - b0.1 > gap && a1.0 - b1.1 > gap)
    }
}
