//! Responses: pairs that meet are pushed apart where their joints expect to be (line 13 of Algorithm 1, Eq. 9).
//!
//! What pressed on each other at the end of the last frame starts the first round **anew**: from where it was, T is looked for from where joints would go without any
//! push, so that pushes also end, and by as much as they are needed. There friction holds what pressed before. Later rounds add what is missing. With C_r as printed, λ = C_r for all that meet.

use super::clear::Ends;
use super::detect::Poses;
use super::joints::Poised;
use super::response::{self, BladeMotion, Sides};
use super::solve::{Forces, Friction, Pressing, Row, Touch};
use super::way::{Meeting, radius_at};
use super::{ResponseDirections, SelfContact, SelfContactSettings};
use crate::ccd::{Approach, Contact, TOUCH, clear_along, first_approach, nearest};
use crate::desc::{BodyId, BodyKind};
use crate::elements::Part;
use crate::elements::leaf::{BASE, TIP};
use crate::forces::Load;
use crate::math::V3;
use crate::tree::Tree;
use glam::DVec3;
use std::collections::btree_map::{BTreeMap, Entry};

/// A response leads beyond the gap by this share of it, so that the next frame does not begin with a contact.
const BEYOND: f64 = 0.25;

/// Most that one round turns a joint, rad.
const MOST_TURN: f64 = 0.2;

/// Two that do not press on each other are kept in mind in a frame while they are nearer than so many gaps.
const FORGOTTEN: f64 = 4.0;

/// Of a force that has become less, what its pair counts on a frame later.
const LASTS: f64 = 0.9;

/// What a step feels of a pair follows its force by so much a frame. Where wood yields more than is foreseen, forces that are felt at once are too small in one frame and too large in the next.
const FOLLOWS: f64 = 0.3;

/// More than so many stems of a branch on one side of a leaf tell on which side the branch is.
const SIDE: usize = 1;

/// What contacts hold from one frame to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    /// By what they changed each joint, rad; empty where none did.
    pub(super) push: Vec<V3<f64>>,
    pairs: Vec<HeldPair>,
    /// The forces on both of each pair, which the next frame begins with where its solver feels them.
    pub(super) loads: Vec<[Load; 2]>,
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
    /// Friction on the second of the two, N.
    friction: V3<f64>,
    /// What the step is to feel of both, N.
    felt: V3<f64>,
}

/// Pairs that have met in this frame, or press on each other since the last.
#[derive(Default)]
pub(super) struct Partings {
    pairs: Vec<Parting>,
    /// Of this round, by pair.
    forces: Forces,
}

struct Parting {
    meeting: Meeting,
    /// Whether it meets in this round.
    now: bool,
    /// λ of the frame, N.
    total: f64,
    /// What is counted on of it to go on, N: λ of the last frame, or what is left of more before.
    lasting: f64,
    /// Friction on the second of the two, N.
    friction: V3<f64>,
    /// What the step has felt of both, N.
    felt: V3<f64>,
}

/// What is at hand in a round.
struct Round<'a> {
    tree: &'a Tree,
    settings: &'a SelfContactSettings,
    anew: bool,
    poised: Poised<'a>,
    /// Joints between two that meet.
    ways: [Vec<usize>; 2],
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
            friction: h.friction,
            felt: h.felt,
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
    pub(super) fn into_held(self, push: Vec<V3<f64>>, loads: Vec<[Load; 2]>) -> Held {
        let pairs = self.pairs.iter().map(|p| HeldPair {
            parts: p.meeting.parts,
            corners: p.meeting.corners,
            force: p.total,
            lasting: p.lasting,
            friction: p.friction,
            felt: p.felt,
        });
        Held {
            pairs: pairs.collect(),
            push,
            loads,
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
                friction: V3::zero(),
                felt: V3::zero(),
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
        let Forces { rows, limits, .. } = &mut self.forces;
        for &joint in joints {
            let size = ends.wanted[joint].length();
            // One that does not turn has no way inwards.
            if size + MOST_TURN > most && size > 0.0 {
                let inwards = ends.wanted[joint] * (-1.0 / size);
                let first = rows.len();
                rows.push(Row {
                    joint,
                    turn: ends.turn(joint, inwards),
                    parts: inwards,
                });
                let mut limit = Pressing::of(rows, first, size - most, 0.0);
                if anew {
                    limit.lack += limit.parted(rows, |j| ends.push(j));
                }
                limits.push(limit);
            }
        }
    }

    /// What the same force on all that meet now turns joints by.
    fn push_all(&self, force: f64, joints: usize) -> Vec<V3<f64>> {
        let mut turns = vec![V3::zero(); joints];
        let touches = self.pairs.iter().zip(&self.forces.touches);
        for (_, t) in touches.filter(|(p, _)| p.now) {
            t.pressing.turn_by(force, &self.forces.rows, &mut turns);
        }
        turns
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
        let mut round = Round {
            tree,
            settings,
            anew,
            poised: Poised::new(tree),
            ways: [Vec::new(), Vec::new()],
        };
        if anew {
            self.stiffen(&mut round, &partings.pairs, ends);
        }
        partings.forces.clear();
        for p in &partings.pairs {
            let rows = &mut partings.forces.rows;
            let touch = self.touch(&mut round, p, ends, rows);
            partings.forces.touches.push(touch);
        }
        let mut joints = partings.forces.joints();
        if anew && tree.feels_contacts() {
            // Where joints would go without the forces that they have felt.
            for (j, felt) in partings
                .forces
                .take_out(ends.free.len())
                .into_iter()
                .enumerate()
            {
                ends.free[j] -= felt;
            }
        }
        if anew {
            joints.extend((0..ends.touched.len()).filter(|&j| ends.touched[j]));
            joints.sort_unstable();
            joints.dedup();
        }
        partings.hold_limits(&joints, ends, most, anew);
        let all = ends.wanted.len();
        let turns = if settings.force > 0.0 {
            partings.push_all(settings.force.into(), all)
        } else {
            let turns = partings.forces.solve(settings.friction.into(), all);
            for (p, t) in partings.pairs.iter_mut().zip(&partings.forces.touches) {
                if anew {
                    (p.total, p.friction) = (t.pressing.force, t.friction.force());
                } else {
                    p.total += t.pressing.force;
                }
            }
            turns
        };
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
    fn stiffen(&self, round: &mut Round, pairs: &[Parting], ends: &mut Ends) {
        let Round {
            settings,
            poised,
            ways,
            ..
        } = round;
        let mut more = vec![V3::zero(); ends.wanted.len()];
        for p in pairs.iter().filter(|p| p.lasting > 0.0) {
            let m = &p.meeting;
            let bodies = m.parts.map(|p| self.joints.body_of(p));
            self.joints.between(bodies[0], bodies[1], ways);
            for (k, way) in ways.iter().enumerate() {
                let at = self.acts_at(settings.directions, m.parts[k], self.at_end(m, k));
                for &j in way {
                    more[j] += poised.joint(j, ends.wanted[j]).ways(at) * p.lasting;
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

    /// What forces on a pair would do, and what the pair lacks.
    fn touch(&self, round: &mut Round, pair: &Parting, ends: &Ends, rows: &mut Vec<Row>) -> Touch {
        let Round {
            tree,
            settings,
            anew,
            poised,
            ways,
        } = round;
        let (m, gap) = (pair.meeting, f64::from(settings.gap));
        let Some(n) = response::apart(m.contact.near.on) else {
            return Touch::default();
        };
        let bodies = m.parts.map(|p| self.joints.body_of(p));
        self.joints.between(bodies[0], bodies[1], ways);
        // The two points at the end, and by how much they lack. Two that start nearer than the gap need not be parted at once.
        let points = [0, 1].map(|k| self.at_end(&m, k));
        let radius = [0, 1].map(|k| self.radius_at(&m, k)).iter().sum::<f64>();
        let reached = (points[1] - points[0]).dot(n) - radius;
        let beyond = BEYOND * gap;
        let asked = gap.min(m.contact.near.distance);
        let lack = if pair.now {
            // One that ends apart and yet meets on its way goes aside a little.
            (asked + beyond - reached).max(beyond)
        } else if *anew {
            asked + beyond - reached
        } else {
            asked - reached
        };
        let acts_at = [0, 1].map(|k| self.acts_at(settings.directions, m.parts[k], points[k]));
        // A force along one way, so large in the last frame, and how far it moves the two along another.
        let felt = pair.felt;
        let mut pressing = |force: V3<f64>, along: V3<f64>, lack: f64, last: f64, best: f64| {
            let first = rows.len();
            for (k, sign) in [-1.0, 1.0].into_iter().enumerate() {
                for &j in &ways[k] {
                    let joint = poised.joint(j, ends.wanted[j]);
                    let work = joint.work(acts_at[k], force * sign);
                    rows.push(Row {
                        joint: j,
                        turn: ends.turn(j, work),
                        parts: joint.work(points[k], along * sign),
                    });
                }
            }
            let mut pressing = Pressing::of(rows, first, lack, best);
            if *anew {
                pressing.lack += pressing.parted(rows, |j| ends.push(j));
                pressing.force = last;
                pressing.felt = felt.dot(force);
            }
            pressing
        };
        let force = self.direction(tree, settings.directions, &m, n);
        let mut touch = Touch {
            pressing: pressing(force, n, lack, pair.total, 0.0),
            friction: Friction::default(),
        };
        // Later rounds add to what the first has held.
        if *anew && settings.friction > 0.0 && pair.lasting > 0.0 {
            let slid = points[1] - points[0] - (self.at_start(&m, 1) - self.at_start(&m, 0));
            let (a, b) = DVec3::new(n.x, n.y, n.z).any_orthonormal_pair();
            let ways = [a, b].map(|DVec3 { x, y, z }| V3 { x, y, z });
            // Wood that yields little beside what is pressed need not move for friction either.
            let best = touch.pressing.best;
            touch.friction = Friction {
                along: ways.map(|t| pressing(t, t, -slid.dot(t), pair.friction.dot(t), best)),
                ways,
            };
        }
        touch
    }

    /// What the next frame feels of pairs that press on each other, as loads on the two.
    pub(super) fn loads(&self, tree: &Tree, partings: &mut Partings) -> Vec<[Load; 2]> {
        let directions = tree.settings.self_contact.directions;
        let loads = partings.pairs.iter_mut().filter_map(|p| {
            let m = &p.meeting;
            let before = core::mem::take(&mut p.felt);
            if p.total == 0.0 {
                return None;
            }
            let n = response::apart(m.contact.near.on)?;
            let force = self.direction(tree, directions, m, n) * p.total + p.friction;
            p.felt = before + (force - before) * FOLLOWS;
            Some([0, 1].map(|k| {
                let body = BodyId(self.joints.body_of(m.parts[k]) as u32);
                let (block, slot) = tree.slot(body);
                let frame = block.frame(slot);
                let at = self.acts_at(directions, m.parts[k], self.at_end(m, k));
                let arm = at - frame.position.widen();
                let arm = frame.rotation.widen().unit().conjugate().rotate(arm);
                let force = if k == 0 { -p.felt } else { p.felt };
                Load::force(body, arm.narrow().into(), force.narrow().into())
            }))
        });
        loads.collect()
    }

    /// A point that meets, where it is at the end, m.
    fn at_end(&self, m: &Meeting, k: usize) -> V3<f64> {
        point_of(m, k, &self.sweep.end)
    }

    /// Where it was at the start, m.
    fn at_start(&self, m: &Meeting, k: usize) -> V3<f64> {
        point_of(m, k, &self.sweep.start)
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

/// One of the two points of a contact in a pose, m.
fn point_of(m: &Meeting, k: usize, pose: &[V3<f64>]) -> V3<f64> {
    let weights = m.contact.near.weights[k];
    let corners = m.corners[k];
    (0..3).fold(V3::zero(), |sum, i| sum + pose[corners[i]] * weights[i])
}
