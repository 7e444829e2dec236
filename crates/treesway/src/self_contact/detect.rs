//! Which parts meet between two poses, and when.

use super::Hierarchy;
use super::joints::Joints;
use super::turning::{Together, Turning};
use super::way::{Meeting, Way, own_points, swept_box};
use crate::ccd::{AxisBox, LEAST, LOST, TOUCH};
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

/// So many stretches of a frame that ways do not tell about are halved for two parts. In `contact-large` at 10 m/s two are looked at for a pair, on average.
const MOST_STRETCHES: usize = 100;

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
    /// Looked at last.
    pairs: Vec<(u32, u32)>,
    /// What is known of pairs from when they were looked at last in this frame, in their order.
    known: Vec<((u32, u32), Known)>,
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
            known: Vec::new(),
        }
    }

    /// Where a tree is now is where it starts from.
    pub(super) fn set_start(&mut self, tree: &Tree) {
        self.elements.pose_of_tree(tree, &mut self.start);
        self.turning.set_start(tree);
        self.end.clear();
        // A frame goes by where it starts and would end alone: what was seen in the last one is not part of a snapshot.
        self.known.clear();
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

    /// All pairs that meet on straight ways, or if none does, on true ones; in the order of their parts, besides those for which `rigid` says that nothing turns between both. Pairs of which neither has
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
            let known = self.known.binary_search_by_key(&(i, j), |known| known.0);
            let known = known.map_or_else(|_| Known::default(), |at| self.known[at].1);
            self.first_of(joints, parts, gap, known)
        };
        let looks = map_all(&pairs, look);
        found.clear();
        found.extend(looks.iter().filter_map(|look| look.met.as_deref().copied()));
        self.remember(&pairs, &looks);
        self.pairs = pairs;
        if found.is_empty() {
            self.true_meetings(joints, gap, found);
        }
    }

    /// Keeps what is known of pairs that were looked at now, and of those that were before.
    fn remember(&mut self, pairs: &[(u32, u32)], looks: &[Look]) {
        let before = core::mem::take(&mut self.known);
        let changed = |k: u32| self.changed[k as usize];
        let mut before = before
            .into_iter()
            .map(|(pair, known)| {
                // Of those that changed and are far from each other now straight ways tell enough.
                let left = known.left.filter(|_| !changed(pair.0) && !changed(pair.1));
                (pair, Known { left, ..known })
            })
            .peekable();
        for (&pair, look) in pairs.iter().zip(looks) {
            while let Some(old) = before.next_if(|old| old.0 < pair) {
                self.known.push(old);
            }
            before.next_if(|old| old.0 == pair);
            self.known.push((pair, look.known));
        }
        self.known.extend(before);
    }

    /// All pairs that meet on true ways of those for which straight ones, on which none meets, do not tell.
    fn true_meetings(&mut self, joints: &Joints, gap: f64, found: &mut Vec<Meeting>) {
        let unsure = (0..self.known.len()).filter(|&at| self.known[at].1.left.is_some());
        let unsure: Vec<usize> = unsure.collect();
        let met = map_all(&unsure, |&at| {
            let ((i, j), known) = self.known[at];
            let parts = [i, j].map(|k| self.parts[k as usize]);
            self.first_of_turning(joints, parts, gap, &known)
                .map(Box::new)
        });
        for (at, met) in unsure.into_iter().zip(met) {
            if let Some(met) = met {
                found.push(*met);
            } else {
                self.known[at].1.left = None;
            }
        }
    }

    /// How many pairs were looked at last.
    pub(super) fn looked_at(&self) -> usize {
        self.pairs.len()
    }

    /// Two parts as their last common body sees them, with room for where their points start: those of their elements.
    pub(super) fn way_of<'a>(
        &'a self,
        together: &Together,
        parts: [Part; 2],
        starts: &'a mut Poses,
    ) -> Way<'a> {
        let carried = self.turning.as_common_sees(together);
        for (part, start) in parts.into_iter().zip(starts.iter_mut()) {
            let points = self.elements.points_of(part.element());
            start.clear();
            start.extend(self.start[points].iter().map(|&x| carried(x)));
        }
        let mut way = Way::between(&self.elements, parts, &self.start, &self.end);
        way.poses = [0, 1].map(|k| [&starts[k][..], way.poses[k][1]]);
        way
    }

    /// How two parts that are to be kept apart by `gap` m turn to each other.
    pub(super) fn together(&self, joints: &Joints, parts: [Part; 2], gap: f64) -> Together {
        self.turning.together(joints, parts, gap)
    }

    /// First meeting of two parts on straight ways as their last common body sees them.
    fn first_of(&self, joints: &Joints, parts: [Part; 2], gap: f64, known: Known) -> Look {
        let together = self.together(joints, parts, gap);
        let mut known = Known {
            left: None,
            ..known
        };
        let straight = Way::between(&self.elements, parts, &self.start, &self.end);
        let enough = gap + together.beyond + TOUCH;
        if straight.kept_by(known.across.widen()) > enough {
            return Look { met: None, known };
        }
        let mut starts = Poses::default();
        let way = self.way_of(&together, parts, &mut starts);
        let enough = gap + together.within + TOUCH;
        let mut kept = way.kept_by(known.across.widen());
        if kept <= enough {
            let (by_others, across) = way.kept_by_planes(enough);
            if by_others > kept {
                (kept, known.across) = (by_others, across.narrow());
            }
        }
        if kept > enough {
            return Look { met: None, known };
        }
        // What starts apart by the gap is to stay so, what starts nearer by a share of its distance.
        let asked = match known.apart {
            Some(apart) if apart > LEAST => (1.0 - LOST) * apart,
            _ => gap,
        };
        let (met, left) = if kept > asked + TOUCH {
            (None, kept)
        } else {
            let approach = way.first_approach(gap);
            known = Known {
                across: approach.across.narrow(),
                apart: Some(approach.apart).filter(|apart| *apart < gap),
                left: None,
            };
            (approach.first, (1.0 - LOST) * approach.apart)
        };
        // Where straight ways keep them apart by twice as much as true ways differ from them, they do not meet. What intersects is left alone until it has parted.
        let told = together.within < STRAIGHT || left >= 2.0 * together.within || left <= 0.0;
        known.left = (met.is_none() && !told).then_some(left);
        Look {
            met: met.map(Box::new),
            known,
        }
    }

    /// First meeting of two parts on true ways.
    fn first_of_turning(
        &self,
        joints: &Joints,
        parts: [Part; 2],
        gap: f64,
        known: &Known,
    ) -> Option<Meeting> {
        let together = self.together(joints, parts, gap);
        let mut starts = Poses::default();
        let way = self.way_of(&together, parts, &mut starts);
        let ends = [0, 1].map(|k| way.poses[k][1].to_vec());
        let mut stretches = Stretches {
            sweep: self,
            joints,
            parts,
            together,
            kept: 0.5 * known.left?.min(gap),
            across: known.across.widen(),
            more: MOST_STRETCHES,
        };
        stretches.first_between([0.0, 1.0], [&starts, &ends])
    }
}

/// What a function says of each of many, in their order.
fn map_all<T: Sync, R: Send>(all: &[T], each: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    if all.len() >= MANY && rayon::current_num_threads() > 1 {
        all.par_iter().map(each).collect()
    } else {
        all.iter().map(each).collect()
    }
}

/// What was seen of two parts.
struct Look {
    /// Few have any.
    met: Option<Box<Meeting>>,
    known: Known,
}

/// What the next look at two parts tries first: most pairs are clear by the same plane again when one of both ends a little elsewhere.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Across what a plane has kept them apart, or the line between their nearest points; 0 where neither is known.
    across: V3<f32>,
    /// How far apart they start in this frame, m, where that was found to be less than the gap.
    apart: Option<f64>,
    /// By what straight ways keep them apart, m, where that does not tell about true ones and these were not looked at yet.
    left: Option<f64>,
}

/// The frame of two parts for which straight ways do not tell, in stretches between true poses that are so near to each other that the ways between them do, as their
/// last common body sees it.
struct Stretches<'a> {
    sweep: &'a Sweep,
    joints: &'a Joints,
    parts: [Part; 2],
    together: Together,
    /// By what they are to stay apart, m; in truth by half of it at least.
    kept: f64,
    /// The plane to try first.
    across: V3<f64>,
    /// How many may still be looked at.
    more: usize,
}

/// Points of two parts, m.
pub(super) type Poses = [Vec<V3<f64>>; 2];

impl Stretches<'_> {
    /// Poses at a time.
    fn at(&self, time: f64) -> Poses {
        self.parts.map(|part| {
            let mut points = Vec::new();
            let (turning, elements) = (&self.sweep.turning, &self.sweep.elements);
            turning.pose(
                elements,
                self.joints,
                part,
                &self.together,
                time,
                &mut points,
            );
            points
        })
    }

    /// First meeting between two times, with the poses then. A stretch that ways do not tell about is halved; where there have been too many, they are taken to
    /// meet: that costs them a part of their way, and lets nothing through.
    fn first_between(&mut self, times: [f64; 2], poses: [&Poses; 2]) -> Option<Meeting> {
        let [from, to] = times;
        let way = Way {
            elements: &self.sweep.elements,
            parts: self.parts,
            poses: [0, 1].map(|k| poses.map(|pose| &pose[k][..])),
        };
        // (d), of a part of the frame.
        let off = self.together.within * (to - from) * (to - from);
        let fine = off <= 0.5 * self.kept.max(LEAST);
        let kept = if fine { self.kept } else { self.kept + off };
        if way.kept_by(self.across) > kept || way.kept_by_planes(kept).0 > kept {
            return None;
        }
        let mut met = way.first_contact(kept)?;
        self.more = self.more.saturating_sub(1);
        if fine {
            met.contact.time = from + met.contact.time * (to - from);
            return Some(met);
        }
        if self.more == 0 {
            met = way.start();
            met.contact.time = from;
            return Some(met);
        }
        let middle = 0.5 * (from + to);
        let pose = self.at(middle);
        self.first_between([from, middle], [poses[0], &pose])
            .or_else(|| self.first_between([middle, to], [&pose, poses[1]]))
    }
}
