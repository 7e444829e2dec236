//! Two parts on straight ways from one pose to another: whether they meet, and when.

use crate::ccd::{
    Approach, AxisBox, Contact, Mover, clear_by_planes, first_approach_from, first_contact, nearest,
};
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
        for k in 0..2 {
            let weights = m.contact.near.weights[k];
            let (mut own, mut count) = ([(0, 0.0); 3], 0);
            for (corner, weight) in m.corners[k].into_iter().zip(weights) {
                if weight > 0.0 {
                    own[count] = (corner, weight);
                    count += 1;
                }
            }
            if count == 0 {
                // What is not a number has no feature: all of the piece is met.
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

    /// Features of the two pieces at which these may meet too, now that they have met: corners with all of the other, and edges with edges. Wherever one lies along
    /// the other, by a line or by a face, it lies between some of these; by the nearest points alone it would be held at one end, then at the other.
    pub(super) fn features(&self) -> impl Iterator<Item = [[usize; 3]; 2]> {
        let [a, b] = self.corners;
        let corners = |of: [usize; 3]| distinct(of).map(|p| [p; 3]);
        let edges = |of: [usize; 3]| {
            let [p, q, r] = of;
            let all = [[p, q, q], [q, r, r], [p, r, r]];
            all.into_iter()
                .take(if q == r { 1 } else { 3 })
                .filter(|[from, to, _]| from != to)
        };
        let of_a = corners(a).map(move |corner| [corner, b]);
        let of_b = corners(b).map(move |corner| [a, corner]);
        let crossing = edges(a).flat_map(move |from| edges(b).map(move |to| [from, to]));
        of_a.chain(of_b).chain(crossing)
    }
}

/// Corners of a piece, each once: those that are the same stand beside each other, at its end.
fn distinct(corners: [usize; 3]) -> impl Iterator<Item = usize> {
    let mut last = None;
    corners
        .into_iter()
        .filter(move |&p| last.replace(p) != Some(p))
}

/// How two parts go that are to be kept apart.
pub(super) struct Approaching {
    /// First meeting; none of those that intersect at the start.
    pub(super) first: Option<Meeting>,
    /// How far apart they start, m: the gap where that is more, and 0 where they intersect.
    pub(super) apart: f64,
    /// From the first to the second, where they are nearest then; 0 where planes between their pieces keep them apart.
    pub(super) across: V3<f64>,
}

/// One triangle of a blade, or the cone of a stem, on its way.
struct Piece {
    /// Its points.
    corners: [usize; 3],
    mover: Mover,
    swept: AxisBox,
}

/// Those of two parts that may come within `gap`.
fn pairs(pieces: &[Vec<Piece>; 2], gap: f64) -> impl Iterator<Item = [&Piece; 2]> {
    let [own, others] = pieces;
    own.iter().flat_map(move |a| {
        let around = a.swept.grown(gap);
        let near = others.iter().filter(move |b| around.meets(&b.swept));
        let near = near.filter(move |b| !clear_by_planes(&a.mover, &b.mover, gap));
        near.map(move |b| [a, b])
    })
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

    /// How they go that are to be kept apart by `gap` and may start nearer.
    pub(super) fn first_approach(&self, gap: f64) -> Approaching {
        let mut first = None;
        let (mut apart, mut across) = (f64::INFINITY, V3::zero());
        let pieces = self.pieces();
        for [a, b] in pairs(&pieces, gap) {
            let near = nearest(&a.mover.at(0.0), &b.mover.at(0.0));
            if near.distance < apart {
                (apart, across) = (near.distance, near.on[1] - near.on[0]);
            }
            match first_approach_from(&a.mover, &b.mover, gap, near) {
                Approach::Meets(contact) => self.earlier(&mut first, [a, b], contact),
                Approach::Clear => {}
                // All of it is left alone until it has parted: what of it is still apart would be caught in what is not.
                Approach::Inside => {
                    (first, apart) = (None, 0.0);
                    break;
                }
            }
        }
        Approaching {
            first,
            apart: apart.min(gap),
            across,
        }
    }

    /// First time at which they are within `gap` of each other.
    pub(super) fn first_contact(&self, gap: f64) -> Option<Meeting> {
        let mut first = None;
        let pieces = self.pieces();
        for [a, b] in pairs(&pieces, gap) {
            if let Some(contact) = first_contact(&a.mover, &b.mover, gap) {
                self.earlier(&mut first, [a, b], contact);
            }
        }
        first
    }

    fn earlier(&self, first: &mut Option<Meeting>, met: [&Piece; 2], contact: Contact) {
        if first.is_none_or(|f| contact.time < f.contact.time) {
            *first = Some(Meeting {
                parts: self.parts,
                corners: met.map(|piece| piece.corners),
                contact,
            });
        }
    }

    /// How far apart they start, m, and where.
    pub(super) fn start(&self) -> Meeting {
        let [own, others] = self.pieces();
        let all = own.iter().flat_map(|a| others.iter().map(move |b| [a, b]));
        let near = all.map(|[a, b]| Meeting {
            parts: self.parts,
            corners: [a.corners, b.corners],
            contact: Contact {
                time: 0.0,
                near: nearest(&a.mover.at(0.0), &b.mover.at(0.0)),
            },
        });
        let distance = |m: &Meeting| m.contact.near.distance;
        near.min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .expect("parts have pieces")
    }

    /// All pieces of both parts.
    fn pieces(&self) -> [Vec<Piece>; 2] {
        [0, 1].map(|k| (0..self.count(k)).map(|u| self.piece(k, u)).collect())
    }

    fn count(&self, k: usize) -> usize {
        if self.parts[k].is_blade() {
            self.elements.blade_corners().len()
        } else {
            1
        }
    }

    /// One triangle of a blade, or the cone of a stem.
    fn piece(&self, k: usize, number: usize) -> Piece {
        let first = self.first(k);
        let corners = if self.parts[k].is_blade() {
            self.elements.blade_corners()[number].map(|p| first + p)
        } else {
            [first, first + 1, first + 1]
        };
        let mover = self.mover(k, corners);
        Piece {
            corners,
            mover,
            swept: mover.swept(),
        }
    }

    /// Number of the first point of the element of a part.
    fn first(&self, k: usize) -> usize {
        self.elements.points_of(self.parts[k].element()).start
    }

    /// The piece of a part that has these corners: a triangle, an edge or a corner, which are told from each other by corners that are the same.
    pub(super) fn mover(&self, k: usize, corners: [usize; 3]) -> Mover {
        let (part, first) = (self.parts[k], self.first(k));
        let [start, end] = self.poses[k].map(|pose| corners.map(|p| pose[p - first]));
        if corners[1] != corners[2] {
            return Mover::triangle(start, end);
        }
        let radius = [0, 1].map(|i| radius_at(self.elements, part, corners[i]));
        Mover::cone([start[0], start[1]], [end[0], end[1]], radius)
    }

    /// Points of a part, of those of its element.
    fn own(&self, k: usize) -> core::ops::Range<usize> {
        own_points(self.elements, self.parts[k])
    }

    /// By how much one of a few planes separates two parts for the whole way, m, not positive where none does, and across what. The first that separates them by `enough`
    /// is as good as the best. It spares most pairs of blades their pairs of triangles.
    pub(super) fn kept_by_planes(&self, enough: f64) -> (f64, V3<f64>) {
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
        let mut best = (0.0, V3::zero());
        for n in [between, across[0], across[1]] {
            let kept = self.kept_by(n);
            if kept > best.0 {
                best = (kept, n);
            }
            if kept > enough {
                break;
            }
        }
        best
    }

    /// By how much the plane across `n` separates both, at the start and at the end, and so all the time, m.
    pub(super) fn kept_by(&self, n: V3<f64>) -> f64 {
        let length = n.length();
        // Written so that what is not a number separates nothing.
        let points_somewhere = length > 1e-9;
        if !points_somewhere {
            return 0.0;
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
        let above = (b0.0 - a0.1).min(b1.0 - a1.1);
        let below = (a0.0 - b0.1).min(a1.0 - b1.1);
        above.max(below) / length
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

/// Of the ball at a point of a part, m.
pub(super) fn radius_at(elements: &Elements, part: Part, point: usize) -> f64 {
    if part.is_blade() {
        return 0.0;
    }
    let [from, to] = elements.radius(part.element());
    let first = elements.points_of(part.element()).start;
    if point == first { from } else { to }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn features(corners: [[usize; 3]; 2]) -> Vec<[[usize; 3]; 2]> {
        let meeting = Meeting {
            parts: [Part::stem(0), Part::blade(1)],
            corners,
            contact: Contact::default(),
        };
        meeting.features().collect()
    }

    /// Corners with all of the other piece and edges with edges, each once.
    #[test]
    fn pieces_that_meet_are_known_by_all_their_corners_and_edges() {
        let (stem, other) = ([0, 1, 1], [5, 6, 6]);
        let triangle = [7, 8, 9];
        let found = features([stem, other]);
        let ends = [
            [[0; 3], other],
            [[1; 3], other],
            [stem, [5; 3]],
            [stem, [6; 3]],
        ];
        assert_eq!(found, [&ends[..], &[[stem, other]]].concat());
        let found = features([stem, triangle]);
        let edges = [[7, 8, 8], [8, 9, 9], [7, 9, 9]].map(|edge| [stem, edge]);
        assert_eq!(found.len(), 2 + 3 + 3);
        assert_eq!(found[5..], edges);
        assert_eq!(features([[2, 3, 4], triangle]).len(), 3 + 3 + 9);
    }

    /// A stem that is met at its end is met there alone, as a blade at its corner.
    #[test]
    fn what_is_met_is_a_feature_of_stems_too() {
        let mut meeting = Meeting {
            parts: [Part::stem(0), Part::blade(1)],
            corners: [[0, 1, 1], [9, 7, 8]],
            contact: Contact::default(),
        };
        meeting.contact.near.weights = [[0.0, 1.0, 0.0], [0.25, 0.75, 0.0]];
        let found = meeting.of_features();
        assert_eq!(found.corners, [[1; 3], [7, 9, 9]]);
        assert_eq!(
            found.contact.near.weights,
            [[1.0, 0.0, 0.0], [0.75, 0.25, 0.0]]
        );
    }
}
