//! The analytic solver: every joint on its own with its frozen subtree (Quigley 2017, §4–5).
//!
//! One step of h s, in order:
//! 1. [`up`]: forces of every body and composites, tips to root (Eq. 1–4, treelets in parallel, then the spine);
//! 2. [`fictitious`] torques (Eq. 20);
//! 3. [`spring`]: every joint in closed form (Eq. 5–6, parallel);
//! 4. [`pull`]s;
//! 5. [`crate::kinematics`] sweep, root to tips (Eq. 7–12).

pub(crate) mod composite;
pub(crate) mod fictitious;
pub(crate) mod pull;
pub mod spring;
mod step;
pub(crate) mod up;

use crate::block::{Block, Model};
use crate::kinematics::{Frame, own_columns};
use crate::math::simd::{Isa, Kernel, ROW, Row, Rows, Twice, Vector, dispatch};
use crate::math::{Matrix3, Quaternion, Real, Sym3, V3};
use crate::params::JointLimits;
use crate::report::Counts;
use crate::surroundings::{bodies_among, heal};
use composite::Composite;
use spring::{Joint, JointState, StepMap};

/// How joints move in a step.
#[derive(Clone)]
pub(crate) struct SpringStep {
    /// s.
    pub(crate) h: f32,
    /// Rayleigh's α, 1/s.
    pub(crate) alpha: f32,
    /// Factor on every joint's inertia.
    pub(crate) inertia_scale: f32,
    pub(crate) limits: JointLimits,
}

/// Moves every joint of a block.
pub(crate) fn springs(block: &mut Block, step: &SpringStep, isa: Isa) -> Counts {
    dispatch(isa, Springs { block, step })
}

struct Springs<'a> {
    block: &'a mut Block,
    step: &'a SpringStep,
}

impl Kernel for Springs<'_> {
    type Output = Counts;
    #[inline(always)]
    fn run<T: Vector>(self) -> Counts {
        let Self { block, step } = self;
        let mut counts = Counts::default();
        let tiles = block.tiles();
        if T::WIDTH < ROW {
            for tile in tiles {
                let mut met = Met::default();
                let columns = own_columns::<T>(&block.frames, tile);
                for at in (0..ROW).step_by(T::WIDTH) {
                    let spring = Spring::<T>::load(block, tile, &columns, at, step);
                    let after = spring.advance(T::splat(step.h));
                    met.store(block, tile, at, after, step);
                }
                counts = counts.plus(met.counts(block, tile));
            }
            return counts;
        }
        // Two tiles at once where there are registers enough; the last one alone is taken twice.
        let last = tiles.end - 1;
        for tile in tiles.step_by(2) {
            let next = (tile + 1).min(last);
            let columns = own_columns::<T>(&block.frames, tile);
            let first = Spring::<T>::load(block, tile, &columns, 0, step);
            let columns = own_columns::<T>(&block.frames, next);
            let second = Spring::<T>::load(block, next, &columns, 0, step);
            let (first, second) = Spring::advance_two(first, second, T::splat(step.h));
            let mut met = Met::default();
            met.store(block, tile, 0, first, step);
            counts = counts.plus(met.counts(block, tile));
            if next > tile {
                let mut met = Met::default();
                met.store(block, next, 0, second, step);
                counts = counts.plus(met.counts(block, next));
            }
        }
        counts
    }
}

/// Joints side by side before the step, in their joint frames.
struct Spring<T> {
    joint: Joint<T>,
    before: JointState<T>,
    rest: V3<T>,
    torque: V3<T>,
}

impl<T: Real> Spring<T> {
    #[inline(always)]
    fn advance(&self, h: T) -> JointState<T> {
        StepMap::new(&self.joint, h).advance(&self.before, self.rest, self.torque)
    }
}

impl<T: Vector> Spring<T> {
    #[inline(always)]
    fn load(
        block: &Block,
        tile: usize,
        columns: &[Row; ROW],
        at: usize,
        step: &SpringStep,
    ) -> Self {
        let model: Model<T> = block.models[tile].load(at);
        let before: JointState<T> = block.joints[tile].load(at);
        let whole = Composite::<T>::of_columns(&block.composites[tile], at);
        let frame = Frame::<T>::of_columns(columns, at);
        let back = Quaternion::from_joint_angle(before.theta).conjugate();
        let world_from_joint = frame.rotation.times(back).matrix();
        let inertia = whole.inertia.congruent(world_from_joint);
        Self {
            joint: Joint {
                inertia: inertia.scale(T::splat(step.inertia_scale)),
                stiffness: model.stiffness,
                beta: model.beta,
                alpha: T::splat(step.alpha),
            },
            before,
            rest: model.rest,
            torque: world_from_joint.apply_transposed(whole.torque),
        }
    }

    #[inline(always)]
    fn advance_two(a: Self, b: Self, h: T) -> (JointState<T>, JointState<T>) {
        let both = Spring {
            joint: Joint {
                inertia: Sym3::of_two(a.joint.inertia, b.joint.inertia),
                stiffness: V3::of_two(a.joint.stiffness, b.joint.stiffness),
                beta: Twice(a.joint.beta, b.joint.beta),
                alpha: Twice(a.joint.alpha, b.joint.alpha),
            },
            before: JointState {
                theta: V3::of_two(a.before.theta, b.before.theta),
                rate: V3::of_two(a.before.rate, b.before.rate),
                accel: V3::of_two(a.before.accel, b.before.accel),
            },
            rest: V3::of_two(a.rest, b.rest),
            torque: V3::of_two(a.torque, b.torque),
        };
        let JointState { theta, rate, accel } = both.advance(Twice(h, h));
        let (theta, rate, accel) = (theta.apart(), rate.apart(), accel.apart());
        (
            JointState {
                theta: theta.0,
                rate: rate.0,
                accel: accel.0,
            },
            JointState {
                theta: theta.1,
                rate: rate.1,
                accel: accel.1,
            },
        )
    }
}

/// Lanes of a tile that are sound, and that met a limit.
#[derive(Default)]
struct Met {
    sound: u32,
    over: u32,
}

impl Met {
    /// Writes joints back within their limits.
    #[inline(always)]
    fn store<T: Vector>(
        &mut self,
        block: &mut Block,
        tile: usize,
        at: usize,
        after: JointState<T>,
        step: &SpringStep,
    ) {
        let (after, bent, fast) =
            after.within(T::splat(step.limits.angle), T::splat(step.limits.rate));
        // Plain sums: the square of a stiff joint's acceleration overflows.
        let sum = after.theta.dot(after.rate) + (after.accel.x + after.accel.y + after.accel.z);
        self.sound |= T::bits(sum.finite()) << at;
        self.over |= (T::bits(bent) | T::bits(fast)) << at;
        block.joints[tile].store(at, after.settled());
    }

    /// Heals what is not sound.
    #[inline(always)]
    fn counts(&self, block: &mut Block, tile: usize) -> Counts {
        let broken = !self.sound & u32::from(u16::MAX);
        let healed = if broken != 0 {
            heal(block, tile, broken)
        } else {
            0
        };
        Counts {
            healed,
            limited: bodies_among(block, tile, self.over),
        }
    }
}

/// The joint of one body in double precision; `turn` is its frame in the world at the start of the step.
pub(crate) fn joint_at(
    block: &Block,
    slot: usize,
    turn: Matrix3<f64>,
    alpha: f64,
    scale: f64,
) -> Joint<f64> {
    let model = block.model(slot);
    Joint {
        inertia: block
            .composite(slot)
            .inertia
            .widen()
            .congruent(turn)
            .scale(scale),
        stiffness: model.stiffness.widen(),
        beta: model.beta.into(),
        alpha,
    }
}
