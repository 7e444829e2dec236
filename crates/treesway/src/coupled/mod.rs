//! The coupled solver: Featherstone's articulated-body algorithm with springs, dampers, drag and pulls taken implicitly.
//!
//! One step, in order:
//! 1. tips to root ([`gather`]): forces of each body, its [`articulated`] inertia with what it carries, then what of it its parent
//!    feels through the joint (treelets in parallel, then the spine);
//! 2. root to tips ([`scatter`]): joint accelerations from the parent's, the [`integrator`], and the new pose of each body.
//!
//! A spring acts in the frame halfway between its joint frame and the body, R_½ = exp(θ/2): torque −R_½ K (R_½ᵀθ − θ₀). To second order that
//! is the gradient of ½ (θ−θ₀)ᵀ K (θ−θ₀); −K (θ−θ₀) in the joint frame is not where a joint is bent and twisted at once and K differs about
//! its axes, and sags up to θ/2 of itself to the side.
//!
//! O(N), no iteration, no eigenvalue problem. Unlike the analytic solver it moves all joints at once, so a branch sways at
//! its own frequency however finely it is cut, and full drag is stable.

pub mod articulated;
pub mod integrator;
mod step;

use crate::analytic::forces::{Surroundings, heal, usable};
use crate::block::{Block, OUTSIDE};

use crate::forces::{BodySample, Pull};
use crate::kinematics::{self, Frame};
use crate::math::{LEAST_ANGLE, LEAST_RATE, Matrix3, Quaternion, Real, Sym3, V3};
use crate::params::JointLimits;
use crate::report::Counts;
use articulated::{Articulated, Hinge};
use integrator::Integrator;

/// What the recursion keeps of a body between the ways up and down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Before its own turn: sum of what its children pass on. After: that and the body itself, before the joint.
    art: Articulated<f32>,
    hinge: Hinge<f32>,
    /// World from joint frame at the start of the step.
    joint: Quaternion<f32>,
    /// From the parent's joint to this one at the start of the step, m, world.
    arm: V3<f32>,
    /// Velocity products: ω_p × ω_rel and ω_p × (ω_p × d).
    bias: [V3<f32>; 2],
    /// Mean acceleration over the step, angular and of the joint.
    alpha: V3<f32>,
    a: V3<f32>,
}

impl Line {
    pub(crate) fn empty() -> Self {
        let (zero, none) = (V3::zero(), Sym3::zero());
        let nothing = Matrix3 {
            x: zero,
            y: zero,
            z: zero,
        };
        Self {
            art: Articulated {
                a: none,
                b: nothing,
                c: none,
                torque: zero,
                force: zero,
            },
            hinge: Hinge {
                inverse: none,
                torque: zero,
            },
            joint: Quaternion::identity(),
            arm: zero,
            bias: [zero; 2],
            alpha: zero,
            a: zero,
        }
    }
}

impl Line {
    /// Angular acceleration and that of the joint of a body that nothing holds: (1) with no moment and no force.
    pub(crate) fn free_acceleration(&self) -> (V3<f64>, V3<f64>) {
        let wide = |m: Matrix3<f32>| Matrix3 {
            x: m.x.widen(),
            y: m.y.widen(),
            z: m.z.widen(),
        };
        let (a, b, c) = (self.art.a.widen(), wide(self.art.b), self.art.c.widen());
        let (torque, force) = (self.art.torque.widen(), self.art.force.widen());
        // Rows of B: C⁻¹ Bᵀ by columns, then the Schur complement A − B C⁻¹ Bᵀ.
        let row = |e: V3<f64>| c.solve(b.apply_transposed(e));
        let axes = Matrix3::identity();
        let (x, y, z) = (
            b.apply(row(axes.x)),
            b.apply(row(axes.y)),
            b.apply(row(axes.z)),
        );
        let schur = Sym3 {
            xx: a.xx - x.x,
            yy: a.yy - y.y,
            zz: a.zz - z.z,
            xy: a.xy - y.x,
            xz: a.xz - z.x,
            yz: a.yz - z.y,
        };
        let alpha = schur.solve(b.apply(c.solve(force)) - torque);
        let acceleration = -c.solve(b.apply_transposed(alpha) + force);
        (alpha, acceleration)
    }
}

/// A pull on a body of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    pub(crate) slot: usize,
    pub(crate) pull: Pull,
}

/// Settings of a step.
pub(crate) struct Scheme {
    pub(crate) integrator: Integrator<f32>,
    pub(crate) limits: JointLimits,
    /// Share of a body's own velocity in the drag.
    pub(crate) feedback: f32,
    pub(crate) velocity_products: bool,
    /// Whether the root's joint turns.
    pub(crate) root_turns: bool,
}

/// What a body's parent is at the start of the step.
#[derive(Clone, Copy)]
struct Below {
    rotation: Quaternion<f32>,
    omega: V3<f32>,
}

impl Below {
    #[inline(always)]
    fn body(block: &Block, i: usize) -> Self {
        Self {
            rotation: block.state.rotation.get(i),
            omega: block.state.angular_velocity.get(i),
        }
    }

    fn frame(frame: &Frame) -> Self {
        Self {
            rotation: frame.rotation,
            omega: frame.angular_velocity,
        }
    }
}

/// Up through the treelets of a block; fills `block.passed_on` for the spine.
pub(crate) fn gather_treelets(
    block: &mut Block,
    spine: &Block,
    around: &Surroundings,
    scheme: &Scheme,
) -> Counts {
    let mut counts = Counts::default();
    let mut root = block.attached.len();
    block.passed_on.clear();
    for i in (0..block.len).rev() {
        if block.parent[i] == OUTSIDE {
            root -= 1;
            let at = block.attached[root].1 as usize;
            let behind = gather(
                block,
                i,
                Below::body(spine, at),
                around,
                scheme,
                &mut counts,
            );
            block.passed_on.push((at as u32, behind));
        } else {
            let parent = block.parent[i] as usize;
            let behind = gather(
                block,
                i,
                Below::body(block, parent),
                around,
                scheme,
                &mut counts,
            );
            let sum = &mut block.lines[parent].art;
            *sum = sum.joined(&behind);
        }
    }
    counts
}

/// Up through the spine, after its treelets.
pub(crate) fn gather_spine(
    spine: &mut Block,
    blocks: &[Block],
    ground: &Frame,
    around: &Surroundings,
    scheme: &Scheme,
) -> Counts {
    for (at, behind) in blocks.iter().flat_map(|b| &b.passed_on) {
        let sum = &mut spine.lines[*at as usize].art;
        *sum = sum.joined(behind);
    }
    let mut counts = Counts::default();
    for i in (0..spine.len).rev() {
        if spine.parent[i] == OUTSIDE {
            gather(spine, i, Below::frame(ground), around, scheme, &mut counts);
        } else {
            let parent = spine.parent[i] as usize;
            let behind = gather(
                spine,
                i,
                Below::body(spine, parent),
                around,
                scheme,
                &mut counts,
            );
            let sum = &mut spine.lines[parent].art;
            *sum = sum.joined(&behind);
        }
    }
    counts
}

/// One body: its own forces and inertia join what its children passed on; returns what its parent feels at the parent's joint.
#[inline(always)]
fn gather(
    block: &mut Block,
    i: usize,
    below: Below,
    around: &Surroundings,
    scheme: &Scheme,
    counts: &mut Counts,
) -> Articulated<f32> {
    let own = own_inertia(block, i, around, scheme, counts);
    let (model, state) = (&block.model, &block.state);
    let joint = below.rotation.times(model.joint_rotation.get(i));
    let half = joint.halfway(state.rotation.get(i)).matrix();
    let arm = below.rotation.rotate(model.joint_in_parent.get(i));
    let k = model.stiffness.get(i);
    let beta = model.beta[i];
    let step = &scheme.integrator;
    let rate = state.rate.get(i);
    let (v, u) = step.predict(state.theta.get(i), rate, state.accel.get(i));
    let moved = half.apply_transposed(joint.rotate(u + v * beta));
    let spring = -k.times(moved - model.rest.get(i));
    let d = Sym3::rotated_diagonal(half, k * step.implicit(beta));
    let mut art = block.lines[i].art.joined(&own);
    if !block.holds.is_empty() {
        hold(block, i, &mut art, &d, step);
    }
    let (behind, hinge) = art.behind_joint(d, half.apply(spring));
    let mut behind = behind;
    let line = &mut block.lines[i];
    (line.art, line.hinge, line.joint, line.arm) = (art, hinge, joint, arm);
    if scheme.velocity_products {
        line.bias = [
            below.omega.cross(joint.rotate(rate)),
            below.omega.cross(below.omega.cross(arm)),
        ];
        let [turn, shift] = line.bias;
        behind.torque += behind.a.apply(turn) + behind.b.apply(shift);
        behind.force += behind.b.apply_transposed(turn) + behind.c.apply(shift);
    }
    behind.shifted(arm)
}

/// The body alone: inertia, gravity, fields with implicit drag, loads.
#[inline(always)]
fn own_inertia(
    block: &mut Block,
    i: usize,
    around: &Surroundings,
    scheme: &Scheme,
    counts: &mut Counts,
) -> Articulated<f32> {
    let r = block.state.rotation.get(i).matrix();
    let mass = block.model.mass[i];
    let com = r.z * block.model.com_z[i];
    let omega = block.state.angular_velocity.get(i);
    // Loads of this step, about the joint; left by `Tree::apply_loads`.
    let mut force = block.composite.force.get(i);
    let mut torque = block.composite.torque.get(i);
    let mut damping = Sym3::zero();
    if !around.fields.is_empty() {
        let velocity = block.state.velocity.get(i) + omega.cross(com);
        let sample = BodySample::of(block, i, r, com, velocity);
        for field in around.fields {
            let f = field.force(around.seconds, &sample);
            let at_com = f.force + f.damping.apply(velocity) * (1.0 - scheme.feedback);
            force += at_com;
            torque += f.torque + com.cross(at_com);
            damping += f.damping.scale(scheme.feedback * scheme.integrator.c_v);
        }
        if !(usable(force) && usable(torque) && damping.trace().is_finite()) {
            (force, torque, damping) = (V3::zero(), V3::zero(), Sym3::zero());
            heal(block, i);
            counts.healed += 1;
        }
    }
    let weight = around.gravity * mass;
    force += weight;
    torque += com.cross(weight);
    let inertia = Sym3::rotated_diagonal(r, block.model.inertia.get(i));
    let moment = com * mass;
    if scheme.velocity_products {
        torque -= omega.cross(inertia.apply(omega));
        force -= omega.cross(omega.cross(moment));
    }
    let mut own = Articulated::rigid(mass, moment, inertia, force, torque);
    if !around.fields.is_empty() {
        own.add_at(com, damping, V3::zero());
    }
    own
}

/// Fastest a hand moves a point, m/s: a target further away is approached over several steps.
const HAND_SPEED: f32 = 20.0;
/// A hand this many times stiffer than what it holds is rigid; more would only drown the tree's own inertia in rounding.
const STIFFEST_HOLD: f32 = 1e4;

/// Adds the pulls on this body: f = k (target − x_f) − c v_f, a mass c_u k + c_v c at the point held.
#[cold]
fn hold(
    block: &Block,
    i: usize,
    art: &mut Articulated<f32>,
    d: &Sym3<f32>,
    step: &Integrator<f32>,
) {
    for held in block.holds.iter().filter(|h| h.slot == i) {
        let r = block
            .state
            .rotation
            .get(i)
            .rotate(held.pull.point_in_body.into());
        let velocity = block.state.velocity.get(i) + block.state.angular_velocity.get(i).cross(r);
        let position = block.state.position.get(i) + r + velocity * step.u_v;
        let length = block.model.size.x[i];
        let local = art.c.trace() / 3.0 + d.trace() / (length * length);
        let wanted = step.c_u * held.pull.stiffness + step.c_v * held.pull.damping;
        let mass = wanted.min(STIFFEST_HOLD * local);
        let share = if wanted > 0.0 { mass / wanted } else { 0.0 };
        // Infinite stiffness: the mass is at its limit and the pull is all spring.
        let (k, c) = if wanted.is_finite() {
            (held.pull.stiffness * share, held.pull.damping * share)
        } else {
            (mass / step.c_u, 0.0)
        };
        let force = (V3::from(held.pull.target) - position) * k - velocity * c;
        let most = held
            .pull
            .most_force
            .min((mass + local) * HAND_SPEED / step.h);
        let size = force.length();
        let force = if size > most {
            force * (most / size)
        } else {
            force
        };
        if usable(force) {
            art.add_at(r, Sym3::diagonal(V3::splat(mass)), force);
        }
    }
}

/// Motion of the anchor as the recursion needs it: mean acceleration over the step, angular and at its origin.
#[derive(Clone, Copy)]
pub(crate) struct GroundMotion {
    pub(crate) alpha: V3<f32>,
    pub(crate) a: V3<f32>,
}

/// Down through the spine; `ground` is the anchor at the end of the step.
pub(crate) fn scatter_spine(
    spine: &mut Block,
    motion: GroundMotion,
    ground: &Frame,
    scheme: &Scheme,
) -> Counts {
    let mut counts = Counts::default();
    for i in 0..spine.len {
        if spine.parent[i] == OUTSIDE {
            let turns = scheme.root_turns;
            scatter(
                spine,
                i,
                (motion.alpha, motion.a),
                ground,
                turns,
                scheme,
                &mut counts,
            );
        } else {
            let parent = spine.parent[i] as usize;
            let (alpha, a) = (spine.lines[parent].alpha, spine.lines[parent].a);
            let frame = Frame::of_body(spine, parent);
            scatter(spine, i, (alpha, a), &frame, true, scheme, &mut counts);
        }
    }
    counts
}

/// Down through the treelets of a block; the spine must have moved.
pub(crate) fn scatter_treelets(block: &mut Block, spine: &Block, scheme: &Scheme) -> Counts {
    let mut counts = Counts::default();
    let mut root = 0;
    for i in 0..block.len {
        let (line, frame) = if block.parent[i] == OUTSIDE {
            let at = block.attached[root].1 as usize;
            root += 1;
            (&spine.lines[at], Frame::of_body(spine, at))
        } else {
            let parent = block.parent[i] as usize;
            (&block.lines[parent], Frame::of_body(block, parent))
        };
        let motion = (line.alpha, line.a);
        scatter(block, i, motion, &frame, true, scheme, &mut counts);
    }
    counts
}

/// One body: its joint's acceleration from its parent's (`motion`), its new joint state, its new pose on its parent's (`parent`).
#[inline(always)]
fn scatter(
    block: &mut Block,
    i: usize,
    motion: (V3<f32>, V3<f32>),
    parent: &Frame,
    turns: bool,
    scheme: &Scheme,
    counts: &mut Counts,
) {
    let line = &mut block.lines[i];
    let (mut alpha, mut a) = (motion.0, motion.1 + motion.0.cross(line.arm));
    if scheme.velocity_products {
        alpha += line.bias[0];
        a += line.bias[1];
    }
    let q = if turns {
        line.art.joint_acceleration(&line.hinge, alpha, a)
    } else {
        V3::zero()
    };
    line.alpha = alpha + q;
    line.a = a;
    let x = line.joint.conjugate().rotate(q);
    line.art = Line::empty().art;
    let s = &mut block.state;
    if turns {
        let (theta, rate, accel) =
            scheme
                .integrator
                .finish(s.theta.get(i), s.rate.get(i), s.accel.get(i), x);
        let (theta, rate, accel) = limited(theta, rate, accel, &scheme.limits, counts);
        if theta.is_finite() && rate.is_finite() && accel.is_finite() {
            s.theta.set(i, theta.map(|x| x.settled(LEAST_ANGLE)));
            s.rate.set(i, rate.map(|x| x.settled(LEAST_RATE)));
            s.accel.set(i, accel.map(|x| x.settled(LEAST_RATE)));
        } else {
            heal(block, i);
            block.lines[i].alpha = V3::zero();
            block.lines[i].a = V3::zero();
            counts.healed += 1;
        }
    }
    kinematics::move_body(block, i, parent);
}

/// |θ| and |θ̇| within their limits; a joint at a limit stops there.
#[inline(always)]
fn limited(
    theta: V3<f32>,
    rate: V3<f32>,
    accel: V3<f32>,
    limits: &JointLimits,
    counts: &mut Counts,
) -> (V3<f32>, V3<f32>, V3<f32>) {
    let (angle2, rate2) = (theta.dot(theta), rate.dot(rate));
    if angle2 <= limits.angle * limits.angle && rate2 <= limits.rate * limits.rate {
        return (theta, rate, accel);
    }
    counts.limited += 1;
    let (mut theta, mut rate) = (theta, rate);
    let angle = angle2.sqrt();
    if angle > limits.angle {
        let direction = theta * (1.0 / angle);
        theta = direction * limits.angle;
        rate -= direction * rate.dot(direction).max(0.0);
    }
    let speed = rate.length();
    if speed > limits.rate {
        rate = rate * (limits.rate / speed);
    }
    (theta, rate, V3::zero())
}
