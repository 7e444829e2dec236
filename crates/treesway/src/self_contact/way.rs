//! Two parts on straight ways from one pose to another: whether they meet, and when.

use crate::ccd::{Approach, AxisBox, Contact, Mover, first_approach, first_contact, nearest};
use crate::elements::{Elements, Part};
use crate::math::V3;

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
            let (mut own, mut count) = ([(0, 0.0); 3], 0);
            for (corner, weight) in m.corners[k].into_iter().zip(weights) {
                if weight > 0.0 {
                    own[count] = (corner, weight);
                    count += 1;
                }
            }
            if count == 0 {
                // What is not a number has no feature: all of the triangle is met.
                continue;
            }
            own[..count].sort_by_key(|(corner, _)| *corner);
            for i in 0..3 {
                m.corners[k][i] = own[i.min(count - 1)].0;
                m.contact.near.weights[k][i] = if i < count { own[i].1 } else { 0.0 };
            }
        }
        m
    }
}

/// The ways of the points of two parts.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub(super) elements: &'a Elements,
    pub(super) parts: [Part; 2],
    /// By part: points of its element at the start and at the end, m.
    pub(super) poses: [[&'a [V3<f64>]; 2]; 2],
}

impl<'a> Way<'a> {
    /// Between two poses of all elements.
    pub(super) fn between(
        elements: &'a Elements,
        parts: [Part; 2],
        start: &'a [V3<f64>],
        end: &'a [V3<f64>],
    ) -> Self {
        let own = |part: Part| {
            let points = elements.points_of(part.element());
            [&start[points.clone()], &end[points]]
        };
        Self {
            elements,
            parts,
            poses: parts.map(own),
        }
    }

    /// First meeting, if they are to be kept apart by `gap` and may start nearer.
    pub(super) fn first_approach(&self, gap: f64) -> Option<Meeting> {
        let mut first: Option<Meeting> = None;
        for (corners, [a, b]) in self.pairs(gap) {
            let contact = match first_approach(&a, &b, gap) {
                Approach::Meets(contact) => contact,
                Approach::Clear => continue,
                // All of it is left alone until it has parted: what of it is still apart would be caught in what is not.
                Approach::Inside => return None,
            };
            self.earlier(&mut first, corners, contact);
        }
        first
    }

    /// First time at which they are within `gap` of each other.
    pub(super) fn first_contact(&self, gap: f64) -> Option<Meeting> {
        let mut first = None;
        for (corners, [a, b]) in self.pairs(gap) {
            if let Some(contact) = first_contact(&a, &b, gap) {
                self.earlier(&mut first, corners, contact);
            }
        }
        first
    }

    fn earlier(&self, first: &mut Option<Meeting>, corners: [[usize; 3]; 2], contact: Contact) {
        if first.is_none_or(|f| contact.time < f.contact.time) {
            *first = Some(Meeting {
                parts: self.parts,
                corners,
                contact,
            });
        }
    }

    /// Both staying where they start.
    pub(super) fn standing(&self) -> Self {
        Self {
            poses: self.poses.map(|[start, _]| [start, start]),
            ..*self
        }
    }

    /// How far apart they start, m; `within` where that is more.
    pub(super) fn apart(&self, within: f64) -> f64 {
        let distances = self
            .pairs(within)
            .map(|(_, [a, b])| nearest(&a.at(0.0), &b.at(0.0)).distance);
        distances.fold(within, f64::min)
    }

    /// Corners and ways of those pieces of both whose swept boxes come within `gap`.
    fn pairs(&self, gap: f64) -> impl Iterator<Item = ([[usize; 3]; 2], [Mover; 2])> {
        let others: Vec<_> = (0..self.pieces(1))
            .map(|w| {
                let (corners, mover) = self.piece(1, w);
                (corners, mover, mover.swept())
            })
            .collect();
        let pieces = (0..self.pieces(0)).map(|u| self.piece(0, u));
        pieces.flat_map(move |(of_a, a)| {
            let around = a.swept().grown(gap);
            let near = others.iter().filter(|o| around.meets(&o.2));
            let near: Vec<_> = near.map(|(of_b, b, _)| ([of_a, *of_b], [a, *b])).collect();
            near
        })
    }

    fn pieces(&self, k: usize) -> usize {
        if self.parts[k].is_blade() {
            self.elements.blade_corners().len()
        } else {
            1
        }
    }

    /// One triangle of a blade, or the cone of a stem.
    fn piece(&self, k: usize, number: usize) -> ([usize; 3], Mover) {
        let first = self.first(k);
        let corners = if self.parts[k].is_blade() {
            self.elements.blade_corners()[number].map(|p| first + p)
        } else {
            [first, first + 1, first + 1]
        };
        (corners, self.mover(k, corners))
    }

    /// Number of the first point of the element of a part.
    fn first(&self, k: usize) -> usize {
        self.elements.points_of(self.parts[k].element()).start
    }

    /// The piece of a part that has these corners: of a blade a triangle, an edge or a corner, which are told from each other by corners that are the same.
    pub(super) fn mover(&self, k: usize, corners: [usize; 3]) -> Mover {
        let (part, first) = (self.parts[k], self.first(k));
        let [start, end] = self.poses[k].map(|pose| corners.map(|p| pose[p - first]));
        let radius = match part.is_blade() {
            true if corners[1] != corners[2] => return Mover::triangle(start, end),
            true => [0.0; 2],
            false => self.elements.radius(part.element()),
        };
        Mover::cone([start[0], start[1]], [end[0], end[1]], radius)
    }

    /// Points of a part, of those of its element.
    fn own(&self, k: usize) -> core::ops::Range<usize> {
        own_points(self.elements, self.parts[k])
    }

    /// Whether one of a few planes separates two parts by `gap` for the whole way. It spares most pairs of blades their pairs of triangles.
    pub(super) fn planes_between(&self, gap: f64) -> bool {
        let middle = |k: usize| {
            let points = self.own(k);
            let n = points.len() as f64;
            let [start, end] = self.poses[k];
            points.fold(V3::zero(), |sum, p| sum + start[p] + end[p]) * (0.5 / n)
        };
        let blade = self.parts.map(Part::is_blade);
        let axis = |k: usize| {
            let start = self.poses[k][0];
            if blade[k] {
                self.elements.normal_of(start)
            } else {
                start[1] - start[0]
            }
        };
        let (between, u, w) = (middle(1) - middle(0), axis(0), axis(1));
        let across = match blade {
            [false, false] => [u.cross(w), between - u * (between.dot(u) / u.dot(u))],
            [true, false] => [u, between - w * (between.dot(w) / w.dot(w))],
            [false, true] => [w, between - u * (between.dot(u) / u.dot(u))],
            [true, true] => [u, w],
        };
        [between, across[0], across[1]]
            .into_iter()
            .any(|n| self.plane(n, gap))
    }

    /// Whether the plane across `n` separates both by the gap, at the start and at the end, and so all the time.
    fn plane(&self, n: V3<f64>, gap: f64) -> bool {
        let length = n.length();
        // Written so that what is not a number separates nothing.
        let points_somewhere = length > 1e-9;
        if !points_somewhere {
            return false;
        }
        let reach = |k: usize, end: usize| {
            let pose = self.poses[k][end];
            let radius = largest_radius(self.elements, self.parts[k]) * length;
            let points = self.own(k);
            points.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
                let at = pose[p].dot(n);
                (low.min(at - radius), high.max(at + radius))
            })
        };
        let (a0, b0) = (reach(0, 0), reach(1, 0));
        let (a1, b1) = (reach(0, 1), reach(1, 1));
        let gap = gap * length;
        (b0.0 - a0.1 > gap && b1.0 - a1.1 > gap) || (a0.0 - b0.1 > gap && a1.0 - b1.1 > gap)
    }
}

/// Points of a part, of those of its element.
pub(super) fn own_points(elements: &Elements, part: Part) -> core::ops::Range<usize> {
    if part.is_blade() {
        1..elements.points_of(part.element()).len()
    } else {
        0..2
    }
}

/// Of the balls that a part is the hull of, m.
pub(super) fn largest_radius(elements: &Elements, part: Part) -> f64 {
    if part.is_blade() {
        0.0
    } else {
        let [a, b] = elements.radius(part.element());
        a.max(b)
    }
}

/// A box around all of the ways of a part.
pub(super) fn swept_box(elements: &Elements, part: Part, poses: [&[V3<f64>]; 2]) -> AxisBox {
    let first = elements.points_of(part.element()).start;
    let radius = largest_radius(elements, part);
    own_points(elements, part).fold(AxisBox::EMPTY, |b, p| {
        let [start, end] = poses.map(|pose| pose[first + p]);
        b.with(start, radius).with(end, radius)
    })
}
