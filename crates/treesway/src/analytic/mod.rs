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
use crate::math::simd::{BLANK, Isa, Kernel, ROW, Rows, Several, Vector, dispatch, every_lane};
use crate::math::{Matrix3, Quaternion, V3};
use crate::params::JointLimits;
use crate::report::Counts;
use crate::surroundings::{bodies_among, heal};
use composite::Composite;
use spring::{Joint, JointState, Scaled, StepMap, eigen};

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
        let mut waiting = Waiting::<T>::default();
        let mut tiles = block.tiles();
        let mut columns = BLANK;
        loop {
            let tile = tiles.next();
            if let Some(tile) = tile {
                own_columns::<T>(&block.frames, tile, &mut columns);
                for at in (0..ROW).step_by(T::WIDTH) {
                    let whole = Composite::<T>::of_columns(&block.composites[tile], at);
                    let rotation = Frame::<T>::of_columns(&columns, at).rotation;
                    let theta = block.joints[tile].theta.load::<T>(at);
                    let back = Quaternion::from_joint_angle(theta).conjugate();
                    let spring = Spring::of(block, tile, at, &whole, rotation.times(back), step);
                    waiting.push(spring);
                }
            }
            waiting.advance(block, step, tile.is_none());
            if tile.is_none() {
                return waiting.counts;
            }
        }
    }
}

/// Joints side by side before the step, in their joint frames.
#[derive(Clone, Copy)]
struct Spring<T> {
    tile: usize,
    at: usize,
    joint: Joint<T>,
    before: JointState<T>,
    rest: V3<T>,
    torque: V3<T>,
}

impl<T: Vector> Spring<T> {
    /// Of the bodies from `at` on, with what they carry.
    #[inline(always)]
    fn of(
        block: &Block,
        tile: usize,
        at: usize,
        whole: &Composite<T>,
        world_from_joint: Quaternion<T>,
        step: &SpringStep,
    ) -> Self {
        let model: Model<T> = block.models[tile].load(at);
        let turn = world_from_joint.matrix();
        let inertia = whole.inertia.congruent(turn);
        Self {
            tile,
            at,
            joint: Joint {
                inertia: inertia.scale(T::splat(step.inertia_scale)),
                stiffness: model.stiffness,
                beta: model.beta,
                alpha: T::splat(step.alpha),
            },
            before: block.joints[tile].load(at),
            rest: model.rest,
            torque: turn.apply_transposed(whole.torque),
        }
    }
}

/// Vectors of joints that are diagonalised at once; one alone would leave the processor waiting for divisions.
const TOGETHER: usize = 4;

/// Springs that wait until there are enough of them.
struct Waiting<T> {
    /// As many as fill a tile at the least.
    springs: [Option<Spring<T>>; ROW],
    count: usize,
    counts: Counts,
}

impl<T: Vector> Default for Waiting<T> {
    #[inline(always)]
    fn default() -> Self {
        Self {
            springs: [None; ROW],
            count: 0,
            counts: Counts::default(),
        }
    }
}

impl<T: Vector> Waiting<T> {
    #[inline(always)]
    fn push(&mut self, spring: Spring<T>) {
        self.springs[self.count % ROW] = Some(spring);
        self.count += 1;
    }

    /// Moves the joints if there are enough of them, or if they are the `last`.
    #[inline(always)]
    fn advance(&mut self, block: &mut Block, step: &SpringStep, last: bool) {
        if self.count < TOGETHER && !last {
            return;
        }
        let h = T::splat(step.h);
        for group in self.springs[..self.count].chunks(TOGETHER) {
            let Some(first) = &group[0] else { continue };
            let mut scaled = [Scaled::new(&first.joint, h); TOGETHER];
            let mut inertia = [scaled[0].inertia; TOGETHER];
            for (i, spring) in group.iter().flatten().enumerate().skip(1) {
                scaled[i] = Scaled::new(&spring.joint, h);
                inertia[i] = scaled[i].inertia;
            }
            let (turn, values) = eigen(Several::symmetric(inertia));
            let (v, values) = (Several::apart(turn.v), Several::apart(values));
            for (i, spring) in group.iter().flatten().enumerate() {
                let turn = Quaternion {
                    v: v[i],
                    w: turn.w.0[i],
                };
                let map = StepMap::of_modes(&spring.joint, h, &scaled[i], (turn, values[i]));
                let after = map.advance(&spring.before, spring.rest, spring.torque);
                let Spring { tile, at, .. } = *spring;
                let counts = store(block, tile, at, after, &step.limits);
                self.counts = self.counts.plus(counts);
            }
        }
        self.count = 0;
    }
}

/// Writes joints back within their limits; those that are not sound are healed.
#[inline(always)]
pub(crate) fn store<T: Vector>(
    block: &mut Block,
    tile: usize,
    at: usize,
    after: JointState<T>,
    limits: &JointLimits,
) -> Counts {
    let (after, bent, fast) = after.within(T::splat(limits.angle), T::splat(limits.rate));
    block.joints[tile].store(at, after.settled());
    // Plain sums: the square of a stiff joint's acceleration overflows.
    let sum = after.theta.dot(after.rate) + (after.accel.x + after.accel.y + after.accel.z);
    let broken = !T::bits(sum.finite()) & every_lane::<T>();
    Counts {
        healed: if broken != 0 {
            heal(block, tile, broken << at)
        } else {
            0
        },
        limited: bodies_among(block, tile, (T::bits(bent) | T::bits(fast)) << at),
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
    if let Some(particle) = block.particle(slot) {
        return particle.joint();
    }
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
