//! Pulls, taken implicitly against the solver's own one-step map.
//!
//! An explicit pull spring diverges once its stiffness times the tree's compliance nears 1. Instead the joints first move without
//! it; then the force f is found that is consistent with where it leaves the point x. Each joint j on the way to the root,
//! at r_j from the point, answers a torque by the symmetric matrices P_j = ∂θ/∂τ and V_j = ∂θ̇/∂τ of its closed form, so
//!
//!   x = x' + A f,  v = v' + B f,  A = Σ [r_j]×ᵀ P_j [r_j]×,  B likewise with V_j,
//!   f = k (target − x) − (c + k h) v   ⇒   (1 + k A + (c + k h) B) f = k (target − x') − (c + k h) v',
//!
//! which is positive definite for every k, c ≥ 0. The term k h is the damping of an implicit Euler step: a constant force over the
//! step would otherwise reach the target with twice the mean speed and ring for ever as k → ∞.

use crate::block::{Block, Place};
use crate::forces::Pull;
use crate::math::{Matrix3, Quaternion, Sym3, V3};
use crate::root::Anchor;

use super::joint_at;
use super::spring::{JointState, StepMap};

/// Largest turn of one joint by a pull in one step, rad; beyond it the linearisation points nowhere.
const MOST_TURN: f64 = 0.5;

/// One joint between the root and the pulled point, in `f64`: the matrix must survive k → ∞.
#[derive(Clone, Debug)]
struct Link {
    place: Place,
    map: StepMap<f64>,
    /// World from joint frame.
    turn: Matrix3<f64>,
    /// Joint in the world, m.
    position: V3<f64>,
}

/// A pull and the joints it acts on. Made when the pull is set, so that a step allocates nothing.
#[derive(Clone, Debug)]
pub(crate) struct Grip {
    pub(crate) pull: Pull,
    /// Force on the body in the last step, N.
    pub(crate) force: V3<f32>,
    /// From the root to the body.
    way: Vec<Place>,
    links: Vec<Link>,
}

impl Grip {
    pub(crate) fn new(pull: Pull, way: Vec<Place>) -> Self {
        let links = Vec::with_capacity(way.len());
        Self {
            pull,
            force: V3::zero(),
            way,
            links,
        }
    }

    /// Where the pulled body lies.
    pub(crate) fn body_place(&self) -> Place {
        self.way[self.way.len() - 1]
    }

    /// Moves the joints on the way to the root.
    pub(crate) fn apply(&mut self, blocks: &mut [Block], anchor: &Anchor, step: &PullStep) {
        let (x, v) = self.predict(blocks, anchor, step);
        let (mut position_response, mut velocity_response) = (Sym3::zero(), Sym3::zero());
        for link in &self.links {
            let (p, w) = response(link, x);
            position_response += p;
            velocity_response += w;
        }
        // Infinite stiffness as a large one: 1e12 N/m moves no tree.
        let k = f64::from(self.pull.stiffness).clamp(0.0, 1e12);
        let c = f64::from(self.pull.damping).clamp(0.0, 1e12) + k * step.h;
        let matrix = Sym3::diagonal(V3::splat(1.0))
            + position_response.scale(k)
            + velocity_response.scale(c);
        let target = V3::from(self.pull.target).widen();
        let force = self.limited(matrix.solve((target - x) * k - v * c), x);
        if !(force.x + force.y + force.z).is_finite() {
            self.force = V3::zero();
            return;
        }
        for link in &self.links {
            let change = answer(link, x, force);
            let slot = link.place.slot as usize;
            let s = &mut blocks[link.place.block as usize].state;
            let theta = s.theta.get(slot).widen() + change.theta;
            let most = step.most_angle / theta.length().max(step.most_angle);
            s.theta.set(slot, (theta * most).narrow());
            s.rate.set(slot, s.rate.get(slot) + change.rate.narrow());
            s.accel.set(slot, s.accel.get(slot) + change.accel.narrow());
        }
        self.force = force.narrow();
    }

    /// Within the strength of the hand and what the linearisation can carry.
    fn limited(&self, force: V3<f64>, x: V3<f64>) -> V3<f64> {
        let size = force.length();
        let strong = f64::from(self.pull.most_force) / size.max(f64::MIN_POSITIVE);
        let force = force * strong.min(1.0);
        let largest = self
            .links
            .iter()
            .map(|l| answer(l, x, force).theta.length())
            .fold(0.0, f64::max);
        force * (MOST_TURN / largest.max(MOST_TURN))
    }

    /// Where the pulled point will be and how fast without the pull; refills `links`.
    fn predict(
        &mut self,
        blocks: &[Block],
        anchor: &Anchor,
        step: &PullStep,
    ) -> (V3<f64>, V3<f64>) {
        let (mut rotation, mut position) = (anchor.rotation, anchor.position);
        let (mut omega, mut velocity) = (anchor.angular_velocity, anchor.velocity);
        let mut rotation_before = anchor.rotation;
        self.links.clear();
        for (n, &place) in self.way.iter().enumerate() {
            let (block, slot) = (&blocks[place.block as usize], place.slot as usize);
            let d = rotation.rotate(block.model.joint_in_parent.get(slot).widen());
            position += d;
            velocity += omega.cross(d);
            let in_parent = block.model.joint_rotation.get(slot).widen();
            let joint = rotation.times(in_parent).unit();
            let turn = joint.matrix();
            omega += turn.apply(block.state.rate.get(slot).widen());
            if n > 0 || step.root_turns {
                // Inertia as of the start of the step, in the joint frame of then.
                let before = rotation_before.times(in_parent).unit().matrix();
                let map = StepMap::new(
                    &joint_at(block, slot, before, step.alpha, step.inertia_scale),
                    step.h,
                );
                self.links.push(Link {
                    place,
                    map,
                    turn,
                    position,
                });
            }
            rotation = joint.times(Quaternion::from_rotation_vector(
                block.state.theta.get(slot).widen(),
            ));
            rotation_before = block.state.rotation.get(slot).widen();
        }
        let arm = rotation.rotate(V3::from(self.pull.point_in_body).widen());
        (position + arm, velocity + omega.cross(arm))
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
}

/// Joint-frame response to a force at `x`.
fn answer(link: &Link, x: V3<f64>, force: V3<f64>) -> JointState<f64> {
    let torque = (x - link.position).cross(force);
    link.map.respond(link.turn.apply_transposed(torque))
}

/// The link's share of A and B.
fn response(link: &Link, x: V3<f64>) -> (Sym3<f64>, Sym3<f64>) {
    let r = x - link.position;
    let column = |unit: V3<f64>| {
        let change = answer(link, x, unit);
        (
            link.turn.apply(change.theta).cross(r),
            link.turn.apply(change.rate).cross(r),
        )
    };
    let axes = Matrix3::identity();
    let ((px, vx), (py, vy), (pz, vz)) = (column(axes.x), column(axes.y), column(axes.z));
    let symmetric = |a: V3<f64>, b: V3<f64>, c: V3<f64>| Sym3 {
        xx: a.x,
        yy: b.y,
        zz: c.z,
        xy: 0.5 * (a.y + b.x),
        xz: 0.5 * (a.z + c.x),
        yz: 0.5 * (b.z + c.y),
    };
    (symmetric(px, py, pz), symmetric(vx, vy, vz))
}
