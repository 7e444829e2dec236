//! Responses: pairs that meet are pushed apart where their joints expect to be (line 13 of Algorithm 1, Eq. 9).
//!
//! A force λ along d on the second of two, −λ d on the first, turns each joint between one of them and their common ancestor by λ r,
//! r = D Jᵀ((x − j) × d), by component of its θ, with j the joint, x where the force acts, J the left Jacobian of θ and D how far the joint gives way to a torque in
//! the step that the solver has taken; and it parts the two along their normal n by λ g, g = Σ r·w, w = Jᵀ((y − j) × n), with y the point of contact. All pairs of a round are
//! solved together,
//!
//!   λ ≥ 0,   Σ over all joints of w·T ≥ lack,   T = Σ over all pairs of λ r,                                          (a)
//!
//! pair by pair, in turns (projected Gauss–Seidel), and with them the limits of joints, −θ/|θ| in place of w: a leaf between two stems is not pushed out of one into the other and back.
//! Since contacts give way by the same D as the step, what slides along a contact does so downhill, and comes to rest.
//!
//! What pressed on each other at the end of the last frame starts the first round **anew**: from where it was, T is looked for from where joints would go without any
//! push, so that pushes also end, and by as much as they are needed. Later rounds add what is missing. With C_r as printed, λ = C_r for all that meet.

use super::clear::Ends;
use super::detect::Poses;
use super::joints::Pose;
use super::response::{self, BladeMotion, Sides};
use super::way::{Meeting, radius_at};
use super::{ResponseDirections, SelfContact, SelfContactSettings};
use crate::ccd::{Approach, Contact, TOUCH, clear_along, first_approach, nearest};
use crate::desc::{BodyId, BodyKind};
use crate::elements::Part;
use crate::elements::leaf::{BASE, TIP};
use crate::math::V3;
use crate::tree::Tree;
use std::collections::btree_map::{BTreeMap, Entry};

/// A response leads beyond the gap by this share of it, so that the next frame does not begin with a contact.
const BEYOND: f64 = 0.25;

/// Most that one round turns a joint, rad.
const MOST_TURN: f64 = 0.2;

/// Joints that would part a pair by less than this share of what the best one does stay as they are: what hangs on them need not be looked at again. Up to twice the
/// share they turn by a part, so that one whose share changes a little is not pushed in one frame and let go of in the next, for ever.
const SMALL: f64 = 0.02;

/// Turns in which (a) is solved, at most.
const TURNS: usize = 60;

/// It is solved where no pair is parted by more than this in a turn, m.
const SOLVED: f64 = 1e-8;

/// Two that do not press on each other are kept in mind in a frame while they are nearer than so many gaps.
const FORGOTTEN: f64 = 4.0;

/// Of a force that has become less, what its pair counts on a frame later.
const LASTS: f64 = 0.9;

/// More than so many stems of a branch on one side of a leaf tell on which side the branch is.
const SIDE: usize = 1;

/// What contacts hold from one frame to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    /// By what they changed each joint, rad; empty where none did.
    pub(super) push: Vec<V3<f64>>,
    pairs: Vec<HeldPair>,
}

/// Two pieces that press on each other.
#[derive(Clone, Copy, Debug)]
struct HeldPair {
    parts: [Part; 2],
    corners: [[usize; 3]; 2],
    /// λ, N.
    force: f64,
    /// What was counted on, N.
    lasting: f64,
}

/// Pairs that have met in this frame, or press on each other since the last.
#[derive(Default)]
pub(super) struct Partings {
    pairs: Vec<Parting>,
    /// Joints that stand at their limits.
    limits: Vec<Pressing>,
    rows: Vec<Row>,
}

struct Parting {
    meeting: Meeting,
    /// Whether it meets in this round.
    now: bool,
    /// λ of the frame, N.
    total: f64,
    /// What is counted on of it to go on, N: λ of the last frame, or what is left of more before.
    lasting: f64,
    pressing: Pressing,
}

/// One of (a).
#[derive(Clone, Copy, Default)]
struct Pressing {
    /// Its rows.
    first: usize,
    end: usize,
    /// What is missing without any push, m; of a limit, rad.
    lack: f64,
    /// g, m/N.
    gain: f64,
    /// λ, N.
    force: f64,
}

/// What a force on a pair does to a joint.
struct Row {
    joint: usize,
    /// r, rad/N, by component of θ.
    turn: V3<f64>,
    /// w, m/rad.
    parts: V3<f64>,
}

impl Pressing {
    /// Makes it hold against the turns of all others; returns by how much it was parted.
    fn hold(&mut self, rows: &[Row], turns: &mut [V3<f64>]) -> f64 {
        if self.gain <= 0.0 {
            return 0.0;
        }
        let rows = &rows[self.first..self.end];
        let parted = rows
            .iter()
            .fold(0.0, |sum, r| sum + r.parts.dot(turns[r.joint]));
        let force = (self.force + (self.lack - parted) / self.gain).max(0.0);
        let more = force - self.force;
        self.force = force;
        for r in rows {
            turns[r.joint] += r.turn * more;
        }
        (more * self.gain).abs()
    }
}

impl Partings {
    /// Begins with what was held at the end of the last frame.
    pub(super) fn of(held: &Held) -> Self {
        let pairs = held.pairs.iter().map(|h| Parting {
            meeting: Meeting {
                parts: h.parts,
                corners: h.corners,
                contact: Contact::default(),
            },
            now: false,
            total: h.force,
            lasting: h.force.max(LASTS * h.lasting),
            pressing: Pressing::default(),
        });
        Self {
            pairs: pairs.collect(),
            ..Self::default()
        }
    }

    /// How many pairs of parts press on each other.
    pub(super) fn pressing(&self) -> usize {
        let pressing = self.pairs.iter().filter(|p| p.total > 0.0);
        let mut parts: Vec<[Part; 2]> = pressing.map(|p| p.meeting.parts).collect();
        parts.sort_unstable();
        parts.dedup();
        parts.len()
    }

    /// Whether none is known.
    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Those that press on each other.
    pub(super) fn into_held(self, push: Vec<V3<f64>>) -> Held {
        let pairs = self.pairs.iter().map(|p| HeldPair {
            parts: p.meeting.parts,
            corners: p.meeting.corners,
            force: p.total,
            lasting: p.lasting,
        });
        Held {
            pairs: pairs.collect(),
            push,
        }
    }

    /// Those that meet in this round, in place of what is known of them from earlier ones, and those `beside` them that are not known yet.
    fn meet(&mut self, met: &[Meeting], beside: &[Meeting]) {
        let key = |p: &Parting| (p.meeting.parts, p.meeting.corners);
        let mut known: BTreeMap<_, _> = self.pairs.iter().map(key).zip(0..).collect();
        for p in &mut self.pairs {
            p.now = false;
        }
        let met = met.iter().map(|m| (m, true));
        for (m, now) in met.chain(beside.iter().map(|m| (m, false))) {
            let new = Parting {
                meeting: m.of_features(),
                now,
                total: 0.0,
                lasting: 0.0,
                pressing: Pressing::default(),
            };
            match known.entry(key(&new)) {
                Entry::Vacant(place) => {
                    place.insert(self.pairs.len());
                    self.pairs.push(new);
                }
                Entry::Occupied(at) if now => {
                    let known = &mut self.pairs[*at.get()];
                    (known.meeting, known.now) = (new.meeting, true);
                }
                Entry::Occupied(_) => {}
            }
        }
    }

    /// Those of these joints that may come to their limits, of `most` rad.
    fn hold_limits(&mut self, joints: &[usize], ends: &Ends, most: f64, anew: bool) {
        self.limits.clear();
        for &joint in joints {
            let size = ends.wanted[joint].length();
            // One that does not turn has no way inwards.
            if size + MOST_TURN > most && size > 0.0 {
                let inwards = ends.wanted[joint] * (-1.0 / size);
                let turn = inwards.times(ends.gives[joint]);
                let pushed = if anew {
                    inwards.dot(ends.push(joint))
                } else {
                    0.0
                };
                let first = self.rows.len();
                self.limits.push(Pressing {
                    first,
                    end: first + 1,
                    lack: size - most + pushed,
                    gain: turn.dot(inwards),
                    force: 0.0,
                });
                self.rows.push(Row {
                    joint,
                    turn,
                    parts: inwards,
                });
            }
        }
    }

    /// Forces after (a), and the turns that they add up to.
    fn solve(&mut self, turns: &mut [V3<f64>]) {
        let pairs = self.pairs.iter_mut().map(|p| &mut p.pressing);
        let mut all: Vec<&mut Pressing> = pairs.chain(&mut self.limits).collect();
        for p in all.iter().filter(|p| p.force > 0.0) {
            for r in &self.rows[p.first..p.end] {
                turns[r.joint] += r.turn * p.force;
            }
        }
        for _ in 0..TURNS {
            let each = all.iter_mut().map(|p| p.hold(&self.rows, turns));
            if each.fold(0.0, f64::max) < SOLVED {
                break;
            }
        }
    }

    /// The same force on all that meet now.
    fn push_all(&mut self, force: f64, turns: &mut [V3<f64>]) {
        for p in self.pairs.iter().filter(|p| p.now) {
            for r in &self.rows[p.pressing.first..p.pressing.end] {
                turns[r.joint] += r.turn * force;
            }
        }
    }
}

impl SelfContact {
    /// Pushes what has `met` apart: further than before, or `anew` by as much as is needed in all.
    pub(super) fn respond(
        &self,
        tree: &Tree,
        settings: &SelfContactSettings,
        met: &[Meeting],
        partings: &mut Partings,
        ends: &mut Ends,
        anew: bool,
    ) {
        let gap = f64::from(settings.gap);
        let most = f64::from(tree.settings.limits.angle);
        let mut starts = Poses::default();
        // As printed only what meets is pushed.
        let lasting = met.iter().filter(|_| settings.force == 0.0);
        let beside = lasting.flat_map(|m| self.beside(m, gap, &mut starts));
        let beside: Vec<Meeting> = beside.collect();
        partings.meet(met, &beside);
        partings
            .pairs
            .retain_mut(|p| self.again(tree, p, gap, &mut starts));
        let mut ways = [Vec::new(), Vec::new()];
        if anew {
            self.stiffen(tree, settings.directions, &partings.pairs, ends, &mut ways);
        }
        partings.rows.clear();
        for p in &mut partings.pairs {
            let rows = &mut partings.rows;
            p.pressing.first = rows.len();
            self.rows_of(tree, settings, p, ends, &mut ways, rows);
            p.pressing.force = if anew { p.total } else { 0.0 };
            p.pressing.end = rows.len();
            let rows = &rows[p.pressing.first..];
            p.pressing.gain = rows.iter().fold(0.0, |sum, r| sum + r.turn.dot(r.parts));
            if anew {
                if !p.now {
                    p.pressing.lack += BEYOND * gap;
                }
                let parted = rows.iter().map(|r| r.parts.dot(ends.push(r.joint)));
                p.pressing.lack += parted.fold(0.0, |sum, part| sum + part);
            }
        }
        let mut joints: Vec<usize> = partings.rows.iter().map(|r| r.joint).collect();
        if anew {
            joints.extend((0..ends.touched.len()).filter(|&j| ends.touched[j]));
        }
        joints.sort_unstable();
        joints.dedup();
        partings.hold_limits(&joints, ends, most, anew);
        let mut turns = vec![V3::zero(); ends.wanted.len()];
        if settings.force > 0.0 {
            partings.push_all(settings.force.into(), &mut turns);
        } else {
            partings.solve(&mut turns);
            for p in &mut partings.pairs {
                p.total = p.pressing.force + if anew { 0.0 } else { p.total };
            }
        }
        for &j in &joints {
            let turn = if anew {
                turns[j] - ends.push(j)
            } else {
                turns[j]
            };
            let size = turn.length();
            if size > 0.0 {
                ends.wanted[j] += turn * (MOST_TURN / size).min(1.0);
                ends.touched[j] = true;
            }
        }
    }

    /// A force that lasts changes its torque as what it acts on turns, by its size times the lever at the most: joints give way by as much less,
    ///
    ///   D' = 1/(1/D + Σ λ |∂x/∂θ|),   θ − θ₀ ← D'/D (θ − θ₀),                                                      (b)
    ///
    /// about each axis, x where the force acts. What rests stays at rest; without it leaves that twist easily go from side to side of what holds them. λ is what is counted on: with
    /// that of the last frame alone a leaf in a wedge is soft after a frame with small forces, has large ones then, is stiff after these, and so on.
    fn stiffen(
        &self,
        tree: &Tree,
        directions: ResponseDirections,
        pairs: &[Parting],
        ends: &mut Ends,
        ways: &mut [Vec<usize>; 2],
    ) {
        let pose = Pose(tree);
        let mut more = vec![V3::zero(); ends.wanted.len()];
        for p in pairs.iter().filter(|p| p.lasting > 0.0) {
            let m = &p.meeting;
            let bodies = m.parts.map(|p| self.joints.body_of(p));
            self.joints.between(bodies[0], bodies[1], ways);
            for (k, way) in ways.iter().enumerate() {
                let at = self.acts_at(directions, m.parts[k], self.at_end(m, k));
                for &j in way {
                    more[j] += pose.ways(j, ends.wanted[j], at) * p.lasting;
                }
            }
        }
        for (j, more) in more.iter().enumerate().filter(|m| m.1.dot(*m.1) > 0.0) {
            let start = self.start[j].theta.widen();
            ends.stiffen(j, *more, start);
        }
    }

    /// Where two that meet are near each other too at the end.
    fn beside(&self, m: &Meeting, gap: f64, starts: &mut Poses) -> Vec<Meeting> {
        let together = self.sweep.together(&self.joints, m.parts, gap);
        let way = self.sweep.way_of(&together, m.parts, starts);
        let all = m.features().map(|corners| {
            let [a, b] = [0, 1].map(|k| way.mover(k, corners[k]).at(1.0));
            Meeting {
                corners,
                contact: Contact {
                    time: 1.0,
                    near: nearest(&a, &b),
                },
                ..*m
            }
        });
        all.filter(|m| m.contact.near.distance < FORGOTTEN * gap)
            .collect()
    }

    /// Looks again at two that are known and were not found to meet in this round; whether they are near enough to be kept in mind.
    fn again(&self, tree: &Tree, pair: &mut Parting, gap: f64, starts: &mut Poses) -> bool {
        if pair.now {
            return true;
        }
        let m = &mut pair.meeting;
        let on_tree = |p: &Part| tree.is_attached(BodyId(p.element() as u32));
        if !m.parts.iter().all(on_tree) {
            return false;
        }
        let together = self.sweep.together(&self.joints, m.parts, gap);
        let way = self.sweep.way_of(&together, m.parts, starts);
        let [a, b] = [0, 1].map(|k| way.mover(k, m.corners[k]));
        let before = response::apart(m.contact.near.on);
        let approach = match before.is_some_and(|n| clear_along(&a, &b, n, gap + TOUCH)) {
            true => Approach::Clear,
            false => first_approach(&a, &b, gap),
        };
        match approach {
            Approach::Inside => false,
            Approach::Meets(contact) => {
                (m.contact, pair.now) = (contact, true);
                true
            }
            Approach::Clear => {
                m.contact = Contact {
                    time: 1.0,
                    near: nearest(&a.at(1.0), &b.at(1.0)),
                };
                pair.total > 0.0 || m.contact.near.distance < FORGOTTEN * gap
            }
        }
    }

    /// What a force on a pair would do, and what the pair lacks.
    fn rows_of(
        &self,
        tree: &Tree,
        settings: &SelfContactSettings,
        pair: &mut Parting,
        ends: &Ends,
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
        pair.pressing.lack = if pair.now {
            // One that ends apart and yet meets on its way goes aside a little.
            (asked - reached).max(beyond)
        } else {
            gap.min(m.contact.near.distance) - reached
        };
        let pose = Pose(tree);
        let first = rows.len();
        let mut most = 0.0_f64;
        for (k, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let at = self.acts_at(settings.directions, m.parts[k], points[k]);
            for &j in &ways[k] {
                let joint = pose.joint(j);
                let to_theta = pose.to_theta(j, ends.wanted[j]);
                let work = to_theta((at - joint).cross(along * sign));
                let row = Row {
                    joint: j,
                    turn: work.times(ends.gives[j]),
                    parts: to_theta((points[k] - joint).cross(n * sign)),
                };
                most = most.max(row.turn.dot(row.parts));
                rows.push(row);
            }
        }
        let mut kept = first;
        for k in first..rows.len() {
            let share = rows[k].turn.dot(rows[k].parts) / most;
            let part = (share / SMALL - 1.0).min(1.0);
            if part > 0.0 {
                let Row { turn, parts, .. } = &mut rows[k];
                (*turn, *parts) = (*turn * part, *parts * part);
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
        let weights = m.contact.near.weights[k];
        let radius = |i| radius_at(&self.sweep.elements, m.parts[k], m.corners[k][i]);
        (0..3).fold(0.0, |sum, i| sum + radius(i) * weights[i])
    }

    /// Where a force on a part acts: by the cases of the paper on the midrib of a leaf, and else where it is met, so that the leaf twists too.
    fn acts_at(&self, directions: ResponseDirections, part: Part, point: V3<f64>) -> V3<f64> {
        if !part.is_blade() || directions == ResponseDirections::Nearest {
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
        let branch = tree.branch_of(BodyId(stem.element() as u32));
        let mut sides = Sides::default();
        let from = self.by_branch.partition_point(|(b, _)| *b < branch);
        let own = self.by_branch[from..].iter();
        for &(_, e) in own.take_while(|(b, _)| *b == branch) {
            let first = elements.points_of(e as usize).start;
            let middle = (self.sweep.start[first] + self.sweep.start[first + 1]) * 0.5;
            if (middle - blade.middle).dot(blade.normal) > 0.0 {
                sides.above += 1;
            } else {
                sides.below += 1;
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
