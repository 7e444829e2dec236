//! Which parts meet between two poses, and when.

use super::Hierarchy;
use super::joints::Joints;
use super::turning::{Together, Turning};
use super::way::{Meeting, Way, own_points, swept_box};
use crate::ccd::{AxisBox, LEAST, LOST};
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

/// Two that get no further than this from straight ways are taken to go along them, m: within what is known of the distance of poses in single precision.
const STRAIGHT: f64 = 0.4 * LEAST;

/// A frame is cut into no more stretches than this: enough for two that start a hundredth of a millimetre apart and turn by two radians, half a metre away.
const MOST_STRETCHES: f64 = 1000.0;

/// All parts on their way from one pose to another.
#[derive(Clone)]
pub(super) struct Sweep {
    pub(super) elements: Arc<Elements>,
    turning: Turning,
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

impl Sweep {
    pub(super) fn new(elements: Arc<Elements>, tree: &Tree) -> Self {
        let parts: Vec<Part> = elements.all_parts().collect();
        let n = parts.len();
        let passing = pairs_within(&elements, elements.rest(), TOUCHING).into();
        let turning = Turning::of(tree, &elements);
        Self {
            elements,
            turning,
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
        self.turning.set_start(tree);
        self.end.clear();
    }

    /// Where a tree is now is where it would end.
    pub(super) fn set_end(&mut self, tree: &Tree, joints: &Joints, gap: f64) {
        core::mem::swap(&mut self.end, &mut self.before);
        self.elements.pose_of_tree(tree, &mut self.end);
        self.turning.set_end(tree, joints);
        let first = self.before.len() != self.end.len();
        for k in 0..self.parts.len() {
            let part = self.parts[k];
            let on_tree = tree.is_attached(BodyId(part.element() as u32));
            let was = core::mem::replace(&mut self.attached[k], on_tree);
            let first_point = self.elements.points_of(part.element()).start;
            let mut points = own_points(&self.elements, part).map(|p| first_point + p);
            let same = |p: usize| self.end[p] == self.before[p];
            self.changed[k] = first || was != on_tree || !points.all(same);
            if !self.changed[k] {
                continue;
            }
            self.boxes[k] = if on_tree {
                let beyond = self.turning.beyond(joints, part);
                let swept = swept_box(&self.elements, part, [&self.start, &self.end]);
                swept.grown(0.5 * gap + beyond)
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

    /// All pairs that meet, in the order of their parts, besides those for which `rigid` says that nothing turns between both. Pairs of which neither has
    /// changed since the end was set before are looked at only if they are among `still`, those that met then.
    pub(super) fn meetings(
        &mut self,
        joints: &Joints,
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
            let parts = [i, j].map(|k| self.parts[k as usize]);
            self.first_of(joints, parts, gap)
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

    /// Two parts on straight ways.
    pub(super) fn way(&self, parts: [Part; 2]) -> Way<'_> {
        Way::between(&self.elements, parts, &self.start, &self.end)
    }

    /// First meeting of two parts: on straight ways, or where those lead past each other and true ones do not.
    fn first_of(&self, joints: &Joints, parts: [Part; 2], gap: f64) -> Option<Meeting> {
        let way = self.way(parts);
        let together = self.turning.together(joints, parts, gap);
        if way.planes_between(gap + together.beyond) {
            return None;
        }
        let met = way.first_approach(gap);
        if met.is_some() || together.beyond < STRAIGHT {
            return met;
        }
        // Straight ways keep apart by the gap what starts so, and by a share of its distance what starts nearer. Where that is twice as much as true ways differ from them, they do not meet.
        let standing = way.standing();
        let enough = gap.min(2.0 * together.beyond) / (1.0 - LOST);
        let straight_tells = 2.0 * together.beyond <= gap;
        if straight_tells && standing.planes_between(enough) {
            return None;
        }
        let apart = standing.apart(enough);
        // What intersects is left alone until it has parted.
        if apart <= 0.0 || (straight_tells && apart >= enough) {
            return None;
        }
        let kept = gap.min((1.0 - LOST) * apart);
        self.first_of_turning(joints, parts, &together, 0.5 * kept)
    }

    /// First time at which two parts are within `kept` of each other where straight ways do not tell: between true poses that are so near to each other that the ways between them
    /// do, as their last common body sees it.
    fn first_of_turning(
        &self,
        joints: &Joints,
        parts: [Part; 2],
        together: &Together,
        kept: f64,
    ) -> Option<Meeting> {
        // What stays apart by all of it on the ways does so by half of it in truth.
        let tolerance = 0.5 * kept.max(LEAST);
        let count = libm::ceil((together.within / tolerance).sqrt()).clamp(1.0, MOST_STRETCHES);
        let mut poses: [[Vec<V3<f64>>; 2]; 2] = Default::default();
        let place = |time: f64, k: usize, pose: &mut Vec<V3<f64>>| {
            let (turning, elements) = (&self.turning, &self.elements);
            turning.pose(elements, joints, parts[k], together, time, pose);
        };
        for (k, [_, end]) in poses.iter_mut().enumerate() {
            place(0.0, k, end);
        }
        for stretch in 0..count as usize {
            let from = stretch as f64 / count;
            for (k, [start, end]) in poses.iter_mut().enumerate() {
                core::mem::swap(start, end);
                place((stretch + 1) as f64 / count, k, end);
            }
            let way = Way {
                elements: &self.elements,
                parts,
                poses: [0, 1].map(|k| [&poses[k][0][..], &poses[k][1][..]]),
            };
            if way.planes_between(kept) {
                continue;
            }
            if let Some(mut met) = way.first_contact(kept) {
                met.contact.time = from + met.contact.time / count;
                return Some(met);
            }
        }
        None
    }
}
