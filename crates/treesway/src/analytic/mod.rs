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

use crate::block::{Block, Model, NOBODY};
use crate::desc::BodyKind;
use crate::kinematics::{Frame, own_columns};
use crate::math::simd::{BLANK, Isa, Kernel, ROW, Rows, Several, Vector, dispatch, every_lane};
use crate::math::{Matrix3, Quaternion, V3};
use crate::params::{JointLimits, LeafSprings};
use crate::report::Counts;
use crate::surroundings::{bodies_among, heal};
use composite::Composite;
use spring::{AlongAxes, Joint, JointState, Scaled, StepMap, eigen};

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
    pub(crate) leaf_springs: LeafSprings,
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
                    let pose = Pose::of(rotation, Quaternion::from_joint_angle(theta));
                    let [across, about] = &block.held[tile];
                    let held = [T::load(across, at), T::load(about, at)];
                    waiting.take(block, (tile, at), &whole, &pose, held, step);
                }
            }
            waiting.advance(block, step, tile.is_none());
            if tile.is_none() {
                return waiting.counts;
            }
        }
    }
}

/// How bodies side by side are turned.
pub(crate) struct Pose<T> {
    /// World from body.
    pub(crate) body: Matrix3<T>,
    /// World from joint.
    pub(crate) joint: Quaternion<T>,
    /// Joint from body.
    bend: Quaternion<T>,
}

impl<T: Vector> Pose<T> {
    #[inline(always)]
    pub(crate) fn of(rotation: Quaternion<T>, bend: Quaternion<T>) -> Self {
        Self {
            body: rotation.matrix(),
            joint: rotation.times(bend.conjugate()),
            bend,
        }
    }
}

/// Joints side by side before the step, in their joint frames.
#[derive(Clone, Copy)]
struct Spring<T: Vector> {
    tile: usize,
    at: usize,
    /// Lanes that these are, where not all.
    own: Option<T::Mask>,
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
            own: None,
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
struct Waiting<T: Vector> {
    /// Those of a tile, and fewer than are moved at once from before.
    springs: [Option<Spring<T>>; ROW + TOGETHER],
    count: usize,
    counts: Counts,
}

impl<T: Vector> Default for Waiting<T> {
    #[inline(always)]
    fn default() -> Self {
        Self {
            springs: [None; ROW + TOGETHER],
            count: 0,
            counts: Counts::default(),
        }
    }
}

impl<T: Vector> Waiting<T> {
    /// Moves the bodies from `at` on with what they carry, leaves at once and others when enough of them wait. `held` is how the air holds
    /// leaves across and about their axis, N·m/rad.
    #[inline(always)]
    fn take(
        &mut self,
        block: &mut Block,
        (tile, at): (usize, usize),
        whole: &Composite<T>,
        pose: &Pose<T>,
        held: [T; 2],
        step: &SpringStep,
    ) {
        // Kinds are whole numbers.
        let (kind, half) = (block.models[tile].kind.load::<T>(at), T::of(0.5));
        let from_leaf = (kind - T::of(f64::from(BodyKind::Leaf as u8))).abs();
        let (leaves, others) = (from_leaf.lt(half), half.lt(from_leaf));
        let lanes = T::bits(leaves);
        if lanes == 0 || step.leaf_springs == LeafSprings::Joint {
            self.push(Spring::of(block, tile, at, whole, pose.joint, step));
            return;
        }
        if !lanes & occupied(block, tile, at) & every_lane::<T>() != 0 {
            self.push(Spring {
                own: Some(others),
                ..Spring::of(block, tile, at, whole, pose.joint, step)
            });
        }
        let model: Model<T> = block.models[tile].load(at);
        let before: JointState<T> = block.joints[tile].load(at);
        let bend = pose.bend.matrix();
        let springs = AlongAxes {
            inertia: model.inertia * T::splat(step.inertia_scale),
            stiffness: model.stiffness,
            held: V3 {
                x: held[0],
                y: held[0],
                z: held[1],
            },
            beta: model.beta,
            alpha: T::splat(step.alpha),
        };
        let change = springs.advance(
            T::splat(step.h),
            before.theta - model.rest,
            bend.apply_transposed(before.rate),
            pose.body.apply_transposed(whole.torque),
        );
        let after = JointState {
            theta: before.theta + change.theta,
            rate: before.rate + bend.apply(change.rate),
            accel: bend.apply(change.accel),
        };
        let counts = store(block, tile, at, after, &step.limits, Some(leaves));
        self.counts = self.counts.plus(counts);
    }

    #[inline(always)]
    fn push(&mut self, spring: Spring<T>) {
        self.springs[self.count] = Some(spring);
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
                let counts = store(block, tile, at, after, &step.limits, spring.own);
                self.counts = self.counts.plus(counts);
            }
        }
        self.count = 0;
    }
}

/// Lanes from `at` on that hold bodies.
#[inline(always)]
fn occupied(block: &Block, tile: usize, at: usize) -> u32 {
    let mut lanes = 0;
    for (lane, &id) in block.links[tile].id[at..].iter().enumerate() {
        lanes |= u32::from(id != NOBODY) << lane;
    }
    lanes
}

/// Writes joints back within their limits, all of them or those of a mask; those that are not sound are healed.
#[inline(always)]
pub(crate) fn store<T: Vector>(
    block: &mut Block,
    tile: usize,
    at: usize,
    after: JointState<T>,
    limits: &JointLimits,
    own: Option<T::Mask>,
) -> Counts {
    let (after, bent, fast) = after.within(T::splat(limits.angle), T::splat(limits.rate));
    let (settled, lanes) = match own {
        None => (after.settled(), every_lane::<T>()),
        Some(own) => (
            JointState::select(own, after.settled(), block.joints[tile].load(at)),
            T::bits(own),
        ),
    };
    block.joints[tile].store(at, settled);
    // Plain sums: the square of a stiff joint's acceleration overflows.
    let sum = after.theta.dot(after.rate) + (after.accel.x + after.accel.y + after.accel.z);
    let broken = !T::bits(sum.finite()) & lanes;
    Counts {
        healed: if broken != 0 {
            heal(block, tile, broken << at)
        } else {
            0
        },
        limited: bodies_among(block, tile, ((T::bits(bent) | T::bits(fast)) & lanes) << at),
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
