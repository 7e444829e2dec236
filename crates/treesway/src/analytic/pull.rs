//! Pulls, taken implicitly against the solver's own one-step map.
//!
//! An explicit pull spring diverges once its stiffness times the tree's compliance nears 1. Instead the joints first move without
//! it; then the torques τ_j are found with which the joints j on the way to the root answer a force f that is consistent with where it
//! leaves the point x. A joint answers by the symmetric matrices P_j = ∂θ/∂τ and V_j = ∂θ̇/∂τ of its closed form. With s = h + c/k
//! the pull is f = k (target − x − s v), where h is the damping of an implicit Euler step: a constant force over the step would otherwise
//! reach the target with twice the mean speed and ring for ever as k → ∞. What is sought is the least
//!
//!   Φ = ½ Σ τ_j · W_j τ_j + ½ k |target − x − s v|²,   W_j = P_j + s V_j.                             (1)
//!
//! Gauss–Newton: with r_j from the joint to the point, the joints add y = Σ (W_j τ_j) × r_j to x + s v, so to first order
//!
//!   (1/k + A) f = target − (x + s v − y),   A = Σ [r_j]×ᵀ W_j [r_j]×,   τ_j = r_j × f.               (2)
//!
//! One round is exact for small bends. For large ones lever arms turn with the tree: rounds are repeated, and each is shortened until
//! Φ falls, so that neither a taut nor a buckling branch makes the hand shake. v and V_j count only modes slower than the step
//! ([`StepMap::slow`]): in faster ones the velocity at the end of the step may point either way, and W_j would not be positive.
//! Beyond the strength of the hand the spring of (1) goes on as a constant force.
//!
//! A push is a pull that acts along one direction n and forwards only: of target − x its part along n counts where that is positive, and (2) is
//! taken along n. It need not damp, s = c/k: what it throws off leaves.

use crate::block::{Block, Place};
use crate::desc::BodyKind;
use crate::forces::Pull;
use crate::math::{Matrix3, Quaternion, Sym3, V3};
use crate::params::LeafSprings;
use crate::root::Anchor;

use super::joint_at;
use super::spring::{JointState, StepMap};

/// Gauss–Newton rounds per step; the next step starts from the torques of this one.
const ROUNDS: usize = 8;
/// Times that a round is halved before it is given up.
const HALVINGS: usize = 6;
/// A hand this many times stiffer than what it holds is rigid.
const STIFFEST: f64 = 1e5;
/// A hand is not stronger than what would bend a straight branch by this many times its length. Such a branch is taut already, and
/// would only shake like a string.
const STRONGEST: f64 = 12.0;

/// One joint between the root and the pulled point, in `f64`: the matrix must survive k → ∞.
#[derive(Clone, Debug)]
struct Link {
    place: Place,
    /// Whether the joint answers; a rigid root only carries.
    turns: bool,
    map: StepMap<f64>,
    /// After the step without the pull.
    free: JointState<f64>,
    /// Parent from joint frame.
    in_parent: Quaternion<f64>,
    /// Joint frame from the axes of its springs, in which torques, changes and slow rates are told; θ has the same numbers in both.
    axes: Quaternion<f64>,
    /// Joint in the parent's frame, m.
    joint_in_parent: V3<f64>,
    /// World from the axes of its springs.
    turn: Matrix3<f64>,
    /// Joint in the world, m.
    position: V3<f64>,
    /// Where the joint moves what hangs on it: from it to the point, or where children keep their direction to the next joint, m.
    lever: V3<f64>,
    /// World from joint frame where it does not turn with its parent.
    home: Option<Quaternion<f64>>,
    /// τ_j of this round and of the one before, N·m.
    torque: V3<f64>,
    last_torque: V3<f64>,
    /// What it adds to the joint.
    change: JointState<f64>,
    /// Of the free rate and of what the pull adds to it, the share that v sees.
    slow_free: V3<f64>,
    slow_change: V3<f64>,
}

/// A pull and the joints it acts on. Made when the pull is set, so that a step allocates nothing.
#[derive(Clone, Debug)]
pub(crate) struct Grip {
    pub(crate) pull: Pull,
    /// Along what it pushes, of length one; none where it holds.
    along: Option<V3<f64>>,
    /// Force on the body in the last step, N.
    pub(crate) force: V3<f32>,
    /// From the root to the body.
    way: Vec<Place>,
    links: Vec<Link>,
}

/// Where the pulled point ends the step and how fast.
#[derive(Clone, Copy)]
struct Point {
    x: V3<f64>,
    v: V3<f64>,
}

impl Grip {
    pub(crate) fn new(pull: Pull, way: Vec<Place>) -> Self {
        let links = Vec::with_capacity(way.len());
        Self {
            pull,
            along: None,
            force: V3::zero(),
            way,
            links,
        }
    }

    /// One that pushes the body along `direction`, of length one, until its point is as far as the pull's target, and not further.
    pub(crate) fn push(pull: Pull, direction: V3<f32>, way: Vec<Place>) -> Self {
        Self {
            along: Some(direction.widen()),
            ..Self::new(pull, way)
        }
    }

    /// Goes another way to the body, after a new layout.
    pub(crate) fn go_by(&mut self, way: Vec<Place>) {
        *self = Self {
            along: self.along,
            force: self.force,
            ..Self::new(self.pull, way)
        };
    }

    /// Where the pulled body lies.
    pub(crate) fn body_place(&self) -> Place {
        self.way[self.way.len() - 1]
    }

    /// Moves the joints on the way to the root.
    pub(crate) fn apply(&mut self, blocks: &mut [Block], anchor: &Anchor, step: &PullStep) {
        self.look(blocks, anchor, step);
        let goal = self.goal(step);
        let mut point = self.start(anchor, &goal);
        let mut energy = self.energy(point, &goal);
        let mut force = V3::zero();
        for _ in 0..ROUNDS {
            force = self.solve(point, &goal);
            (point, energy) = self.search(energy, force, anchor, &goal);
        }
        if !(energy + force.x + force.y + force.z).is_finite() {
            self.force = V3::zero();
            return;
        }
        for link in self.links.iter().filter(|l| l.turns) {
            let slot = link.place.slot as usize;
            let block = &mut blocks[link.place.block as usize];
            let theta = link.free.theta + link.change.theta;
            let most = step.most_angle / theta.length().max(step.most_angle);
            let rate = link.free.rate + link.axes.rotate(link.change.rate);
            let accel = link.free.accel + link.axes.rotate(link.change.accel);
            let (theta, rate, accel) = ((theta * most).narrow(), rate.narrow(), accel.narrow());
            block.set_joint(slot, JointState { theta, rate, accel });
        }
        self.force = force.narrow();
    }

    /// k, s, target and strength of this step.
    fn goal(&self, step: &PullStep) -> Goal {
        // Compliance of the straightened way, m/N, so that the limits do not change with the pose; `arc` from the joint to the point.
        let (mut compliance, mut lever) = (f64::MIN_POSITIVE, 0.0);
        let mut arc = V3::from(self.pull.point_in_body).widen().length();
        for link in self.links.iter().rev() {
            let share = link.bending_compliance() * arc * arc;
            compliance += share;
            lever += share * arc;
            arc += link.joint_in_parent.length();
        }
        let most = STIFFEST / compliance;
        let damping = if self.along.is_some() { 0.0 } else { step.h };
        let strongest = STRONGEST * lever / (compliance * compliance);
        let k = f64::from(self.pull.stiffness).clamp(f64::MIN_POSITIVE, most);
        Goal {
            k,
            s: damping + f64::from(self.pull.damping).min(most) / k,
            target: V3::from(self.pull.target).widen(),
            along: self.along,
            strength: f64::from(self.pull.most_force).min(strongest),
        }
    }

    /// Starts from the torques of the last step's force where that is better than from none.
    fn start(&mut self, anchor: &Anchor, goal: &Goal) -> Point {
        let force = self.force.widen();
        for link in self.links.iter_mut().filter(|l| l.turns) {
            link.set_torque(link.torque_of(force));
        }
        let warm = self.trace(anchor);
        let warm_energy = self.energy(warm, goal);
        for link in &mut self.links {
            link.last_torque = link.torque;
            link.set_torque(V3::zero());
        }
        let cold = self.trace(anchor);
        if warm_energy < self.energy(cold, goal) {
            for link in &mut self.links {
                link.set_torque(link.last_torque);
            }
            return self.trace(anchor);
        }
        cold
    }

    /// (1).
    fn energy(&self, point: Point, goal: &Goal) -> f64 {
        let spent: f64 = self
            .links
            .iter()
            .map(|l| l.torque.dot(l.change.theta + l.slow_change * goal.s))
            .sum();
        0.5 * spent + goal.energy(point)
    }

    /// (2).
    fn solve(&self, point: Point, goal: &Goal) -> V3<f64> {
        let mut matrix = Sym3::diagonal(V3::splat(1.0 / goal.stiffness_at(point)));
        let mut unbent = point.x + point.v * goal.s;
        for link in self.links.iter().filter(|l| l.turns) {
            matrix += response(link, goal.s);
            unbent -= link.carried(link.change.theta + link.slow_change * goal.s);
        }
        let wanted = goal.wanted(goal.target - unbent);
        match goal.along {
            None => matrix.solve(wanted),
            Some(n) => wanted * (1.0 / n.dot(matrix.apply(n))),
        }
    }

    /// Goes from the torques as they are towards those of `force`, half as far as long as Φ rises.
    fn search(
        &mut self,
        energy: f64,
        force: V3<f64>,
        anchor: &Anchor,
        goal: &Goal,
    ) -> (Point, f64) {
        for link in &mut self.links {
            link.last_torque = link.torque;
            link.torque = if link.turns {
                link.torque_of(force)
            } else {
                V3::zero()
            };
        }
        for _ in 0..HALVINGS {
            for link in &mut self.links {
                link.set_torque(link.torque);
            }
            let point = self.trace(anchor);
            let now = self.energy(point, goal);
            if now <= energy {
                return (point, now);
            }
            for link in &mut self.links {
                link.torque = (link.torque + link.last_torque) * 0.5;
            }
        }
        for link in &mut self.links {
            link.set_torque(link.last_torque);
        }
        (self.trace(anchor), energy)
    }

    /// Fills `links` with the joints as they are at the start of the step.
    fn look(&mut self, blocks: &[Block], anchor: &Anchor, step: &PullStep) {
        self.links.clear();
        let mut parent = anchor.rotation;
        let mut x = anchor.position;
        for (n, &place) in self.way.iter().enumerate() {
            let (block, slot) = (&blocks[place.block as usize], place.slot as usize);
            let (model, state, frame) = (block.model(slot), block.joint(slot), block.frame(slot));
            let in_parent = model.joint_rotation.widen();
            let home = step.keeps_directions.then(|| {
                let particle = block
                    .particle(slot)
                    .expect("only particles keep directions");
                anchor.rotation.times(particle.home.widen()).unit()
            });
            // Inertia as of the start of the step, in the joint frame of then.
            let turn = home.unwrap_or_else(|| parent.times(in_parent).unit());
            let along_leaf =
                step.leaf_springs == LeafSprings::Leaf && model.kind() == BodyKind::Leaf;
            let axes = if along_leaf && home.is_none() {
                turn.conjugate().times(frame.rotation.widen()).unit()
            } else {
                Quaternion::identity()
            };
            let turn = turn.times(axes).matrix();
            let position = frame.position.widen();
            let joint = joint_at(block, slot, turn, step.alpha, step.inertia_scale);
            let map = StepMap::new(&joint, step.h);
            let rate = state.rate.widen();
            self.links.push(Link {
                place,
                turns: n > 0 || step.root_turns,
                map,
                free: JointState {
                    theta: state.theta.widen(),
                    rate,
                    accel: state.accel.widen(),
                },
                in_parent,
                axes,
                joint_in_parent: model.joint_in_parent(),
                turn,
                position,
                lever: V3::zero(),
                home,
                torque: V3::zero(),
                last_torque: V3::zero(),
                change: JointState::rest(),
                slow_free: map.slow(axes.conjugate().rotate(rate)),
                slow_change: V3::zero(),
            });
            parent = frame.rotation.widen();
            x = position + parent.rotate(V3::from(self.pull.point_in_body).widen());
        }
        self.set_levers(x);
    }

    /// From every joint to where it moves the pulled point `x`.
    fn set_levers(&mut self, x: V3<f64>) {
        let mut next = x;
        for link in self.links.iter_mut().rev() {
            let end = if link.home.is_some() { next } else { x };
            link.lever = end - link.position;
            next = link.position;
        }
    }

    /// Moves the links to where the bent joints put them, and the pulled point with them.
    fn trace(&mut self, anchor: &Anchor) -> Point {
        let (mut rotation, mut position) = (anchor.rotation, anchor.position);
        let (mut omega, mut velocity) = (anchor.angular_velocity, anchor.velocity);
        for link in &mut self.links {
            let d = rotation.rotate(link.joint_in_parent);
            position += d;
            velocity += omega.cross(d);
            let joint = match link.home {
                Some(home) => {
                    omega = anchor.angular_velocity;
                    home
                }
                None => rotation.times(link.in_parent).unit(),
            };
            link.turn = joint.times(link.axes).matrix();
            link.position = position;
            omega += link.turn.apply(link.slow_free + link.slow_change);
            let theta = link.free.theta + link.change.theta;
            rotation = joint.times(Quaternion::from_rotation_vector(theta));
        }
        let arm = rotation.rotate(V3::from(self.pull.point_in_body).widen());
        self.set_levers(position + arm);
        Point {
            x: position + arm,
            v: velocity + omega.cross(arm),
        }
    }
}

impl Link {
    /// Mean of P_j about the two axes across the wood, rad/(N·m).
    fn bending_compliance(&self) -> f64 {
        let axes = Matrix3::identity();
        let about = |axis: V3<f64>| self.map.respond(axis).theta.dot(axis);
        if self.turns {
            0.5 * (about(axes.x) + about(axes.y))
        } else {
            0.0
        }
    }

    /// τ_j of a force at the point.
    fn torque_of(&self, force: V3<f64>) -> V3<f64> {
        self.turn.apply_transposed(self.lever.cross(force))
    }

    fn set_torque(&mut self, torque: V3<f64>) {
        self.torque = torque;
        self.change = self.map.respond(torque);
        self.slow_change = self.map.slow(self.change.rate);
    }

    /// What a turn of the joint adds to x + s v.
    fn carried(&self, turn: V3<f64>) -> V3<f64> {
        self.turn.apply(turn).cross(self.lever)
    }
}

/// What a pull wants in a step: a spring up to its strength, a constant force beyond.
struct Goal {
    /// N/m.
    k: f64,
    /// s.
    s: f64,
    /// m.
    target: V3<f64>,
    /// Of a push.
    along: Option<V3<f64>>,
    /// N.
    strength: f64,
}

impl Goal {
    /// What a pull or push wants of the way that is `left` to the target, m.
    fn wanted(&self, left: V3<f64>) -> V3<f64> {
        self.along.map_or(left, |n| n * n.dot(left).max(0.0))
    }

    /// Of target − x − s v the length, m.
    fn gap(&self, point: Point) -> f64 {
        self.wanted(self.target - point.x - point.v * self.s)
            .length()
    }

    /// Force per gap, N/m: k, or less where the strength ends.
    fn stiffness_at(&self, point: Point) -> f64 {
        self.k
            .min(self.strength / self.gap(point).max(f64::MIN_POSITIVE))
    }

    /// The second part of (1), J; beyond the strength it goes on as a straight line.
    fn energy(&self, point: Point) -> f64 {
        let gap = self.gap(point);
        let spring = gap.min(self.strength / self.k);
        self.k * spring * (gap - 0.5 * spring)
    }
}

/// Settings of a step that pulls need.
pub(crate) struct PullStep {
    /// s.
    pub(crate) h: f64,
    /// Rayleigh's α, 1/s.
    pub(crate) alpha: f64,
    /// Factor on every joint's inertia.
    pub(crate) inertia_scale: f64,
    /// Joint limit, rad.
    pub(crate) most_angle: f64,
    /// Whether the root's joint is one of those that answer.
    pub(crate) root_turns: bool,
    /// Along which axes leaves have their springs.
    pub(crate) leaf_springs: LeafSprings,
    /// Whether joints do not turn with their parents, of particles.
    pub(crate) keeps_directions: bool,
}

/// The link's share of A.
fn response(link: &Link, s: f64) -> Sym3<f64> {
    let column = |unit: V3<f64>| {
        let change = link.map.respond(link.torque_of(unit));
        link.carried(change.theta + link.map.slow(change.rate) * s)
    };
    let axes = Matrix3::identity();
    let (a, b, c) = (column(axes.x), column(axes.y), column(axes.z));
    Sym3 {
        xx: a.x,
        yy: b.y,
        zz: c.z,
        xy: 0.5 * (a.y + b.x),
        xz: 0.5 * (a.z + c.x),
        yz: 0.5 * (b.z + c.y),
    }
}
