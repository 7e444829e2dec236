//! The forces of all contacts of a round, together.
//!
//! A force λ along d on the second of two, −λ d on the first, turns each joint between one of them and their common ancestor by λ r,
//! r = D Jᵀ((x − j) × d), by component of its θ, with j the joint, x where the force acts, J the left Jacobian of θ and D how far the joint gives way to a torque in
//! the step that the solver has taken; and it parts the two along their normal n by λ g, g = Σ r·w, w = Jᵀ((y − j) × n), with y the point of contact. All pairs of a round are
//! solved together,
//!
//!   λ ≥ 0,   Σ over all joints of w·T ≥ lack,   T = Σ over all forces of λ r,                                         (a)
//!
//! pair by pair, in turns (projected Gauss–Seidel), and with them the limits of joints, −θ/|θ| in place of w: a leaf between two stems is not pushed out of one into the other and back.
//! Since contacts give way by the same D as the step, what slides along a contact does so downhill.
//!
//! Friction is two more forces to a pair, across n, which undo what it has slid in the frame as far as |f| ≤ μ λ goes.

use crate::math::V3;

/// Joints that would part a pair by less than this share of what the best one does stay as they are: what hangs on them need not be looked at again. Up to twice the
/// share they turn by a part, so that one whose share changes a little is not pushed in one frame and let go of in the next, for ever.
const SMALL: f64 = 0.02;

/// Turns in which (a) is solved, at most.
const TURNS: usize = 60;

/// It is solved where no pair is parted by more than this in a turn, m.
const SOLVED: f64 = 1e-8;

/// What a force on a pair does to a joint.
pub(super) struct Row {
    pub(super) joint: usize,
    /// r, rad/N, by component of θ.
    pub(super) turn: V3<f64>,
    /// w, m/rad.
    pub(super) parts: V3<f64>,
}

impl Row {
    fn gain(&self) -> f64 {
        self.turn.dot(self.parts)
    }
}

/// A force of (a), and what it is to bring about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pressing {
    /// Its rows.
    first: usize,
    end: usize,
    /// What is missing without any push, m; of a limit, rad.
    pub(super) lack: f64,
    /// g, m/N.
    gain: f64,
    /// Of the best joint, m/N.
    pub(super) best: f64,
    /// λ, N.
    pub(super) force: f64,
    /// What of it the step has felt, N.
    pub(super) felt: f64,
}

impl Pressing {
    /// Of the last rows, from the `first` one on, without those that do little beside the best one, or beside `best` m/N.
    pub(super) fn of(rows: &mut Vec<Row>, first: usize, lack: f64, best: f64) -> Self {
        let most = rows[first..].iter().map(Row::gain).fold(best, f64::max);
        let mut kept = first;
        for k in first..rows.len() {
            let part = (rows[k].gain() / most / SMALL - 1.0).min(1.0);
            if part > 0.0 {
                let Row { turn, parts, .. } = &mut rows[k];
                (*turn, *parts) = (*turn * part, *parts * part);
                rows.swap(kept, k);
                kept += 1;
            }
        }
        rows.truncate(kept);
        Self {
            first,
            end: kept,
            lack,
            gain: rows[first..].iter().map(Row::gain).sum(),
            best: most,
            force: 0.0,
            felt: 0.0,
        }
    }

    fn rows<'a>(&self, rows: &'a [Row]) -> &'a [Row] {
        &rows[self.first..self.end]
    }

    /// By how much these turns part it, m.
    pub(super) fn parted(&self, rows: &[Row], turns: impl Fn(usize) -> V3<f64>) -> f64 {
        let rows = self.rows(rows).iter();
        rows.fold(0.0, |sum, r| sum + r.parts.dot(turns(r.joint)))
    }

    /// The force with which it would hold against the turns of all others.
    fn holding(&self, rows: &[Row], turns: &[V3<f64>]) -> f64 {
        if self.gain > 0.0 {
            self.force + (self.lack - self.parted(rows, |j| turns[j])) / self.gain
        } else {
            0.0
        }
    }

    /// Gives it another force; returns by how much it is parted by it.
    fn set(&mut self, force: f64, rows: &[Row], turns: &mut [V3<f64>]) -> f64 {
        let more = force - self.force;
        self.force = force;
        self.turn_by(more, rows, turns);
        (more * self.gain).abs()
    }

    /// Turns joints by what a force does.
    pub(super) fn turn_by(&self, force: f64, rows: &[Row], turns: &mut [V3<f64>]) {
        if force != 0.0 {
            for r in self.rows(rows) {
                turns[r.joint] += r.turn * force;
            }
        }
    }

    /// Makes it hold without pulling; returns by how much it was parted.
    fn hold(&mut self, rows: &[Row], turns: &mut [V3<f64>]) -> f64 {
        let force = self.holding(rows, turns).max(0.0);
        self.set(force, rows, turns)
    }
}

/// Friction of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Friction {
    /// Two ways across the normal.
    pub(super) ways: [V3<f64>; 2],
    pub(super) along: [Pressing; 2],
}

impl Friction {
    /// The force on the second of the pair, N.
    pub(super) fn force(&self) -> V3<f64> {
        self.ways[0] * self.along[0].force + self.ways[1] * self.along[1].force
    }

    /// Keeps the pair from sliding with a force of up to `most`, N; returns by how much it was moved.
    fn hold(&mut self, most: f64, rows: &[Row], turns: &mut [V3<f64>]) -> f64 {
        let before = self.along.map(|p| p.force);
        if most == 0.0 && before == [0.0; 2] {
            return 0.0;
        }
        for p in &mut self.along {
            let force = p.holding(rows, turns);
            p.set(force, rows, turns);
        }
        let size = libm::hypot(self.along[0].force, self.along[1].force);
        let mut moved = 0.0_f64;
        for (p, before) in self.along.iter_mut().zip(before) {
            if size > most {
                p.set(p.force * (most / size), rows, turns);
            }
            moved = moved.max((p.force - before).abs() * p.gain);
        }
        moved
    }
}

/// A pair in (a).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Touch {
    pub(super) pressing: Pressing,
    pub(super) friction: Friction,
}

/// All of (a).
#[derive(Default)]
pub(super) struct Forces {
    pub(super) rows: Vec<Row>,
    pub(super) touches: Vec<Touch>,
    /// Of joints that stand at their limits.
    pub(super) limits: Vec<Pressing>,
}

impl Forces {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.touches.clear();
        self.limits.clear();
    }

    /// Joints that a force turns, in order.
    pub(super) fn joints(&self) -> Vec<usize> {
        let mut joints: Vec<usize> = self.rows.iter().map(|r| r.joint).collect();
        joints.sort_unstable();
        joints.dedup();
        joints
    }

    /// The turns that forces add up to, of so many joints.
    fn turns(&self, joints: usize, force: impl Fn(&Pressing) -> f64) -> Vec<V3<f64>> {
        let mut turns = vec![V3::zero(); joints];
        for t in &self.touches {
            let [a, b] = &t.friction.along;
            for p in [&t.pressing, a, b] {
                p.turn_by(force(p), &self.rows, &mut turns);
            }
        }
        turns
    }

    /// What felt forces have turned so many joints by; it is missing without them.
    pub(super) fn take_out(&mut self, joints: usize) -> Vec<V3<f64>> {
        let turns = self.turns(joints, |p| p.felt);
        for t in &mut self.touches {
            let [a, b] = &mut t.friction.along;
            for p in [&mut t.pressing, a, b] {
                p.lack += p.parted(&self.rows, |j| turns[j]);
            }
        }
        turns
    }

    /// Finds the forces, with friction μ, from those that are given; returns the turns that they add up to, of so many joints.
    pub(super) fn solve(&mut self, friction: f64, joints: usize) -> Vec<V3<f64>> {
        let mut turns = self.turns(joints, |p| p.force);
        for _ in 0..TURNS {
            let mut most = 0.0_f64;
            for t in &mut self.touches {
                most = most.max(t.pressing.hold(&self.rows, &mut turns));
                let held = friction * t.pressing.force;
                most = most.max(t.friction.hold(held, &self.rows, &mut turns));
            }
            for l in &mut self.limits {
                most = most.max(l.hold(&self.rows, &mut turns));
            }
            if most < SOLVED {
                break;
            }
        }
        turns
    }
}
