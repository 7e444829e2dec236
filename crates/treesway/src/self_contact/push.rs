//! Responses: pairs that meet are pushed apart where their joints expect to be (line 13 of Algorithm 1, Eq. 9).
//!
//! A force λ along d on the second of two, −λ d on the first, turns each joint between one of them and their common ancestor by λ r,
//! r = c (x − j) × d, with j the joint, x where the force acts and c how far the joint gives way; and it parts the two along their normal n
//! by λ g, g = Σ r·w, w = (y − j) × n, with y the point of contact. All pairs of a round are solved together,
//!
//!   λ ≥ 0,   Σ over all joints of w·T ≥ lack,   T = Σ over all pairs of λ r,                                          (a)
//!
//! pair by pair, in turns (projected Gauss–Seidel): a leaf between two stems is not pushed out of one into the other and back. Pairs of earlier rounds of the frame
//! stay among them, so that what has been parted stays so. With C_r as printed, λ = C_r for all that meet.

use super::clear::Ends;
use super::detect::Meeting;
use super::joints::Pose;
use super::response::{self, BladeMotion, Sides};
use super::{ResponseDirections, SelfContact, SelfContactSettings};
use crate::desc::{BodyId, BodyKind};
use crate::elements::Part;
use crate::elements::leaf::{BASE, TIP};
use crate::math::{Quaternion, V3};
use crate::tree::Tree;

/// A response leads beyond the gap by this share of it, so that the next frame does not begin with a contact.
const BEYOND: f64 = 0.25;

/// Most that one round turns a joint, rad.
const MOST_TURN: f64 = 0.2;

/// Joints that would part a pair by less than this share of what the best one does stay as they are: what hangs on them need not be looked at again.
const SMALL: f64 = 0.02;

/// Turns in which (a) is solved.
const TURNS: usize = 12;

/// More than so many stems of a branch on one side of a leaf tell on which side the branch is.
const SIDE: usize = 1;

/// Pairs that have met in this frame.
#[derive(Default)]
pub(super) struct Partings {
    pairs: Vec<Parting>,
    rows: Vec<Row>,
}

struct Parting {
    meeting: Meeting,
    /// Whether it meets in this round.
    now: bool,
    /// Its rows.
    first: usize,
    end: usize,
    /// What is missing, m.
    lack: f64,
    /// g, m/N.
    gain: f64,
    /// λ, N, and the most that it may be: no joint turns further than it may in a round.
    force: f64,
    most: f64,
}

/// What a force on a pair does to a joint.
struct Row {
    joint: usize,
    /// r, rad/N.
    turn: V3<f64>,
    /// w, m/rad.
    parts: V3<f64>,
}

impl Partings {
    /// Those that meet in this round, in place of what is known of them from earlier ones.
    pub(super) fn meet(&mut self, met: &[Meeting]) {
        for p in &mut self.pairs {
            p.now = false;
        }
        for m in met {
            let fresh = Parting {
                meeting: *m,
                now: true,
                first: 0,
                end: 0,
                lack: 0.0,
                gain: 0.0,
                force: 0.0,
                most: 0.0,
            };
            match self.pairs.iter_mut().find(|p| p.meeting.parts == m.parts) {
                Some(known) => *known = fresh,
                None => self.pairs.push(fresh),
            }
        }
    }

    /// Forces after (a), and the turns that they add up to.
    fn solve(&mut self, turns: &mut [V3<f64>]) {
        for _ in 0..TURNS {
            for p in self.pairs.iter_mut().filter(|p| p.gain > 0.0) {
                let rows = &self.rows[p.first..p.end];
                let parted = rows.iter().map(|r| r.parts.dot(turns[r.joint]));
                let parted = parted.fold(0.0, |sum, part| sum + part);
                let force = (p.force + (p.lack - parted) / p.gain).clamp(0.0, p.most);
                let more = force - p.force;
                p.force = force;
                if more != 0.0 {
                    for r in rows {
                        turns[r.joint] += r.turn * more;
                    }
                }
            }
        }
    }

    /// The same force on all that meet now.
    fn push_all(&mut self, force: f64, turns: &mut [V3<f64>]) {
        for p in self.pairs.iter().filter(|p| p.now) {
            for r in &self.rows[p.first..p.end] {
                turns[r.joint] += r.turn * force;
            }
        }
    }
}

impl SelfContact {
    /// Pushes what meets apart.
    pub(super) fn respond(
        &self,
        tree: &Tree,
        settings: &SelfContactSettings,
        partings: &mut Partings,
        ends: &mut Ends,
    ) {
        let pose = Pose(tree);
        let mut ways = [Vec::new(), Vec::new()];
        partings.rows.clear();
        for p in &mut partings.pairs {
            p.first = partings.rows.len();
            let (wanted, rows) = (&ends.wanted, &mut partings.rows);
            self.rows_of(tree, settings, p, wanted, &mut ways, rows);
            p.end = partings.rows.len();
            let rows = &partings.rows[p.first..p.end];
            p.gain = rows.iter().fold(0.0, |sum, r| sum + r.turn.dot(r.parts));
            let strongest = rows
                .iter()
                .fold(0.0_f64, |most, r| most.max(r.turn.length()));
            p.most = MOST_TURN / strongest.max(f64::MIN_POSITIVE);
            p.force = 0.0;
        }
        let mut turns = vec![V3::zero(); ends.wanted.len()];
        if settings.force > 0.0 {
            partings.push_all(settings.force.into(), &mut turns);
        } else {
            partings.solve(&mut turns);
        }
        for (j, turn) in turns.iter().enumerate() {
            let size = turn.length();
            if size > 0.0 {
                let turn = pose.in_joint(j, *turn * (MOST_TURN / size).min(1.0));
                let now = Quaternion::from_rotation_vector(ends.wanted[j]);
                let by = Quaternion::from_rotation_vector(turn);
                ends.wanted[j] = by.times(now).unit().rotation_vector();
                ends.touched[j] = true;
            }
        }
    }

    /// What a force on a pair would do, and what the pair lacks.
    fn rows_of(
        &self,
        tree: &Tree,
        settings: &SelfContactSettings,
        pair: &mut Parting,
        wanted: &[V3<f64>],
        ways: &mut [Vec<usize>; 2],
        rows: &mut Vec<Row>,
    ) {
        let (m, gap) = (pair.meeting, f64::from(settings.gap));
        let Some(n) = response::apart(m.contact.near.on) else {
            return;
        };
        let bodies = m.parts.map(|p| self.joints.body_of(p));
        self.joints.between(bodies[0], bodies[1], ways);
        let along = self.direction(tree, settings.directions, &m, n);
        // The two points at the end, and by how much they lack. Two that start nearer than the gap need not be parted at once.
        let points = [0, 1].map(|k| self.at_end(&m, k));
        let radius = [0, 1].map(|k| self.radius_at(&m, k)).iter().sum::<f64>();
        let reached = (points[1] - points[0]).dot(n) - radius;
        let beyond = BEYOND * gap;
        let asked = (gap + beyond).min(m.contact.near.distance + beyond);
        pair.lack = if pair.now {
            // One that ends apart and yet meets on its way goes aside a little.
            (asked - reached).max(beyond)
        } else {
            asked - beyond - reached
        };
        let pose = Pose(tree);
        let first = rows.len();
        let mut most = 0.0_f64;
        for (k, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let at = self.acts_at(m.parts[k], points[k]);
            for &j in &ways[k] {
                let joint = pose.joint(j);
                let free = (at - joint).cross(along * sign) * self.joints.give[j];
                let row = Row {
                    joint: j,
                    turn: pose.within_limit(j, free, wanted[j]),
                    parts: (points[k] - joint).cross(n * sign),
                };
                most = most.max(row.turn.dot(row.parts));
                rows.push(row);
            }
        }
        let mut kept = first;
        for k in first..rows.len() {
            if rows[k].turn.dot(rows[k].parts) >= SMALL * most {
                rows.swap(kept, k);
                kept += 1;
            }
        }
        rows.truncate(kept);
    }

    /// A point that meets, where it is at the end, m.
    fn at_end(&self, m: &Meeting, k: usize) -> V3<f64> {
        let weights = m.contact.near.weights[k];
        let corners = m.corners[k];
        (0..3).fold(V3::zero(), |sum, i| {
            sum + self.sweep.end[corners[i]] * weights[i]
        })
    }

    fn radius_at(&self, m: &Meeting, k: usize) -> f64 {
        let part = m.parts[k];
        if part.is_blade() {
            return 0.0;
        }
        let [from, to] = self.sweep.elements.radius(part.element());
        let [u, w, _] = m.contact.near.weights[k];
        from * u + to * w
    }

    /// Where a force on a part acts: on a leaf, on its midrib.
    fn acts_at(&self, part: Part, point: V3<f64>) -> V3<f64> {
        if !part.is_blade() {
            return point;
        }
        let first = self.sweep.elements.points_of(part.element()).start;
        let [base, tip] = [BASE, TIP].map(|k| self.sweep.end[first + k]);
        let rib = tip - base;
        let along = (point - base).dot(rib) / rib.dot(rib).max(f64::MIN_POSITIVE);
        base + rib * along.clamp(0.0, 1.0)
    }

    /// Direction of the force on the second of two that meet; that of the nearest points where the case gives none that parts them.
    fn direction(
        &self,
        tree: &Tree,
        directions: ResponseDirections,
        m: &Meeting,
        n: V3<f64>,
    ) -> V3<f64> {
        if directions == ResponseDirections::Nearest {
            return n;
        }
        let wood = |p: Part| self.sweep.elements.kind(p.element()) == BodyKind::Segment;
        let [a, b] = m.parts;
        let case = match (a.is_blade(), b.is_blade()) {
            (true, true) => response::blades(&self.blade(a), &self.blade(b)),
            (true, false) if wood(b) => self.off_branch(tree, a, b).map(|leaf| -leaf),
            (false, true) if wood(a) => self.off_branch(tree, b, a),
            _ => None,
        };
        case.filter(|d| d.dot(n) > 0.2).unwrap_or(n)
    }

    /// Direction of the force on a leaf off the branch of a stem.
    fn off_branch(&self, tree: &Tree, leaf: Part, stem: Part) -> Option<V3<f64>> {
        let elements = &self.sweep.elements;
        let blade = self.blade(leaf);
        let branch = tree.body(BodyId(stem.element() as u32)).branch;
        let mut sides = Sides::default();
        for e in 0..elements.len() {
            let wood = elements.kind(e) == BodyKind::Segment;
            if wood && tree.body(BodyId(e as u32)).branch == branch {
                let first = elements.points_of(e).start;
                let middle = (self.sweep.start[first] + self.sweep.start[first + 1]) * 0.5;
                if (middle - blade.middle).dot(blade.normal) > 0.0 {
                    sides.above += 1;
                } else {
                    sides.below += 1;
                }
            }
        }
        response::by_side(sides, SIDE, blade.normal)
    }

    fn blade(&self, part: Part) -> BladeMotion {
        let elements = &self.sweep.elements;
        let points = elements.points_of(part.element());
        let (first, n) = (points.start, points.len() as f64 - 1.0);
        let own = points.start + 1..points.end;
        let mean = |pose: &[V3<f64>]| own.clone().fold(V3::zero(), |s, p| s + pose[p]) * (1.0 / n);
        let corners = elements.blade_corners().iter();
        let area = corners.fold(0.0, |sum, t| {
            let [a, b, c] = t.map(|k| self.sweep.start[first + k]);
            sum + 0.5 * (b - a).cross(c - a).length()
        });
        let middle = mean(&self.sweep.start);
        BladeMotion {
            middle,
            way: mean(&self.sweep.end) - middle,
            normal: elements.leaf_normal(&self.sweep.start, part.element()),
            area,
        }
    }
}
