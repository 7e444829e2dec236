//! The analytic solver: every joint on its own with its frozen subtree (Quigley 2017, §4–5).
//!
//! One step of h s, in order:
//! 1. [`forces`] of every body about its joint (parallel);
//! 2. composite sweep, tips to root (Eq. 1–4, treelets in parallel, then the spine);
//! 3. [`fictitious`] torques (Eq. 20);
//! 4. [`spring`]: every joint in closed form (Eq. 5–6, parallel, eight at a time);
//! 5. [`pull`]s;
//! 6. [`crate::kinematics`] sweep, root to tips (Eq. 7–12).

pub(crate) mod composite;
pub(crate) mod fictitious;
pub(crate) mod forces;
pub(crate) mod pull;
pub mod spring;
mod step;

use crate::block::Block;
use crate::math::{LANES, LEAST_ANGLE, LEAST_RATE, Lanes, Matrix3, Quaternion, Real, V3, load};
use crate::params::JointLimits;
use crate::report::Counts;
use spring::{Joint, JointState, StepMap};

/// Moves every joint of a block by `h` s, its inertia multiplied by `scale`.
pub(crate) fn springs(
    block: &mut Block,
    h: f32,
    alpha: f32,
    scale: f32,
    limits: &JointLimits,
) -> Counts {
    let mut counts = Counts::default();
    let (h, alpha, scale) = (Lanes::splat(h), Lanes::splat(alpha), Lanes::splat(scale));
    for i in (0..block.lanes()).step_by(LANES) {
        let (model, state, composite) = (&block.model, &block.state, &block.composite);
        let theta = state.theta.load(i);
        let joint_from_world =
            Quaternion::from_joint_angle(theta).times(state.rotation.load(i).conjugate());
        let world_from_joint = joint_from_world.conjugate().matrix();
        let joint = Joint {
            inertia: composite
                .inertia
                .load(i)
                .congruent(world_from_joint)
                .scale(scale),
            stiffness: model.stiffness.load(i),
            beta: load(&model.beta, i),
            alpha,
        };
        let torque = world_from_joint.apply_transposed(composite.torque.load(i));
        let before = JointState {
            theta,
            rate: state.rate.load(i),
            accel: V3::zero(),
        };
        let after = StepMap::new(&joint, h).advance(&before, model.rest.load(i), torque);
        let (after, over) = limited(after, limits);
        // Plain sums: the square of a stiff joint's acceleration overflows.
        let whole = after.theta.dot(after.rate) + (after.accel.x + after.accel.y + after.accel.z);
        block
            .state
            .theta
            .store(i, after.theta.map(|x| x.settled(LEAST_ANGLE)));
        block
            .state
            .rate
            .store(i, after.rate.map(|x| x.settled(LEAST_RATE)));
        block
            .state
            .accel
            .store(i, after.accel.map(|x| x.settled(LEAST_RATE)));
        let sound = whole.is_finite();
        if !sound.all() {
            counts.healed += heal_lanes(block, i, sound.to_bitmask());
        }
        if over.any() {
            let real = (1_u32 << (block.len - i).min(LANES)) - 1;
            counts.limited += u64::from((over.to_bitmask() & real).count_ones());
        }
    }
    counts
}

/// |θ| and |θ̇| within their limits; a joint at its limit does not push further. Also says where that happened.
#[inline(always)]
fn limited(s: JointState<Lanes>, limits: &JointLimits) -> (JointState<Lanes>, Lanes) {
    let (most_angle, most_rate) = (Lanes::splat(limits.angle), Lanes::splat(limits.rate));
    let angle = s.theta.length();
    let bent = Real::lt(most_angle, angle);
    let direction = s.theta * (Lanes::one() / Real::select(bent, angle, Lanes::one()));
    let outward = Real::max(s.rate.dot(direction), Lanes::zero());
    let pick = |mask: Lanes, yes: V3<Lanes>, no: V3<Lanes>| V3 {
        x: Real::select(mask, yes.x, no.x),
        y: Real::select(mask, yes.y, no.y),
        z: Real::select(mask, yes.z, no.z),
    };
    let theta = pick(bent, direction * most_angle, s.theta);
    let rate = pick(bent, s.rate - direction * outward, s.rate);
    let speed = rate.length();
    let fast = Real::lt(most_rate, speed);
    let rate = rate
        * Real::select(
            fast,
            most_rate / Real::select(fast, speed, Lanes::one()),
            Lanes::one(),
        );
    (
        JointState {
            theta,
            rate,
            accel: s.accel,
        },
        bent | fast,
    )
}

#[cold]
fn heal_lanes(block: &mut Block, i: usize, sound: u32) -> u64 {
    let mut healed = 0;
    for lane in (0..LANES).filter(|lane| sound & (1 << lane) == 0) {
        forces::heal(block, i + lane);
        healed += u64::from(i + lane < block.len);
    }
    healed
}

/// The joint of one body in double precision; `turn` is its frame in the world at the start of the step.
pub(crate) fn joint_at(
    block: &Block,
    i: usize,
    turn: Matrix3<f64>,
    alpha: f64,
    scale: f64,
) -> Joint<f64> {
    Joint {
        inertia: block
            .composite
            .inertia
            .get(i)
            .widen()
            .congruent(turn)
            .scale(scale),
        stiffness: block.model.stiffness.get(i).widen(),
        beta: block.model.beta[i].into(),
        alpha,
    }
}
