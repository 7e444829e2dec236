//! Root to tips: joint accelerations from the parent's, the integrator, and the new pose of each body.

use super::Scheme;
use super::work::accelerations;
use crate::analytic::spring::JointState;
use crate::block::{Block, Model, Part, tile_of};
use crate::kinematics::{Frame, copy_ghosts, parent_columns, placed, set_columns};
use crate::math::V3;
use crate::math::simd::{BLANK, Isa, Kernel, ROW, Rows, Vector, dispatch, every_lane};
use crate::params::JointLimits;
use crate::report::Counts;
use crate::surroundings::{bodies_among, heal};

/// Down through the spine; `ground` is the anchor at the end of the step with its mean angular acceleration, `a` its mean acceleration.
pub(crate) fn sweep_spine_down(
    spine: &mut Block,
    ground: Frame<f32>,
    a: V3<f32>,
    scheme: &Scheme,
    isa: Isa,
) -> Counts {
    spine.frames[0] = ground.line();
    spine.work[0].set_quad(0, [a.x, a.y, a.z, 0.0]);
    if !scheme.root_turns {
        let tile = spine.ghost_tiles();
        spine.work[tile].lock(0);
    }
    dispatch(
        isa,
        Down {
            block: spine,
            scheme,
        },
    )
}

/// Down through the treelets of a block; the spine must have moved.
pub(crate) fn sweep_down(block: &mut Block, spine: &Block, scheme: &Scheme, isa: Isa) -> Counts {
    copy_ghosts(block, spine);
    for (ghost, &of) in block.ghosts.iter().enumerate() {
        let ((tile, lane), (from, at)) = (tile_of(ghost), tile_of(of as usize));
        block.work[tile].set_quad(lane, spine.work[from].quad(at));
    }
    // What empty lanes hang on stays where it is.
    let (tile, lane) = tile_of(block.ghosts.len());
    block.work[tile].set_quad(lane, [0.0; 4]);
    dispatch(isa, Down { block, scheme })
}

struct Down<'a> {
    block: &'a mut Block,
    scheme: &'a Scheme,
}

impl Kernel for Down<'_> {
    type Output = Counts;
    #[inline(always)]
    fn run<T: Vector>(self) -> Counts {
        let Self { block, scheme } = self;
        let step = scheme.integrator.splat::<T>();
        let mut counts = Counts::default();
        let (mut parents, mut columns) = (BLANK, BLANK);
        for tile in block.tiles() {
            block.fetch_part(tile + 1, Part::Work);
            let parent = block.links[tile].parent;
            parent_columns::<T>(&block.frames, &parent, &mut parents);
            let mut a_rows = accelerations(&block.work, &parent);
            let (mut sound, mut over) = (0, 0);
            for at in (0..ROW).step_by(T::WIDTH) {
                let below = Frame::<T>::of_columns(&parents, at);
                let way = block.work[tile].get::<T>(at);
                let mut alpha = below.alpha;
                let mut a = a_rows.load::<T>(at) + alpha.cross(way.arm);
                if scheme.velocity_products {
                    alpha += block.biases[tile][0].load::<T>(at);
                    a += block.biases[tile][1].load::<T>(at);
                }
                let q = way.hinge.acceleration(alpha, a);
                alpha += q;
                let x = way.joint.conjugate().rotate(q);
                let before: JointState<T> = block.joints[tile].load(at);
                let (theta, rate, accel) = step.finish(before.theta, before.rate, before.accel, x);
                let (mut after, beyond) =
                    limited(JointState { theta, rate, accel }, &scheme.limits);
                let fine = T::bits(finite(&after));
                if fine != every_lane::<T>() {
                    (after, alpha, a) = healed(finite(&after), after, alpha, a);
                }
                sound |= fine << at;
                over |= beyond << at;
                block.joints[tile].store(at, after);
                a_rows.store(at, a);
                let model: Model<T> = block.models[tile].load(at);
                placed(&below, &model, &after, alpha).store(&mut columns, at);
                if at == 0 {
                    block.fetch_part(tile + 1, Part::Joints);
                    block.fetch_part(tile + 1, Part::Place);
                }
            }
            block.fetch_part(tile + 1, Part::Frames);
            block.work[tile].set_accelerations(&a_rows);
            set_columns::<T>(&mut block.frames, tile, &columns);
            if sound != u32::from(u16::MAX) {
                counts.healed += heal(block, tile, !sound & u32::from(u16::MAX));
            }
            counts.limited += bodies_among(block, tile, over);
        }
        counts
    }
}

/// Lanes in which every number is finite.
#[inline(always)]
fn finite<T: Vector>(s: &JointState<T>) -> T::Mask {
    // 0·x is NaN for NaN and both infinities.
    let zero = V3::zero();
    (zero.dot(s.theta) + zero.dot(s.rate) + zero.dot(s.accel)).finite()
}

#[inline(always)]
fn healed<T: Vector>(
    sound: T::Mask,
    s: JointState<T>,
    alpha: V3<T>,
    a: V3<T>,
) -> (JointState<T>, V3<T>, V3<T>) {
    let zero = V3::zero();
    let state = JointState {
        theta: V3::select(sound, s.theta, zero),
        rate: V3::select(sound, s.rate, zero),
        accel: V3::select(sound, s.accel, zero),
    };
    (
        state,
        V3::select(sound, alpha, zero),
        V3::select(sound, a, zero),
    )
}

/// |θ| and |θ̇| within their limits, and the lanes that were beyond; a joint at a limit stops there. What is too small to matter is none.
#[inline(always)]
fn limited<T: Vector>(s: JointState<T>, limits: &JointLimits) -> (JointState<T>, u32) {
    let (angle, speed) = (T::splat(limits.angle), T::splat(limits.rate));
    let bent = (angle * angle).lt(s.theta.dot(s.theta));
    let fast = (speed * speed).lt(s.rate.dot(s.rate));
    let over = T::bits(bent) | T::bits(fast);
    let mut s = s;
    if over != 0 {
        let (stopped, bent, fast) = s.within(angle, speed);
        s = stopped;
        // Along the limit, too: in steps of a radian a leaf would go round on it for ever.
        s.rate = V3::select(bent, V3::zero(), s.rate);
        s.accel = V3::select(bent, V3::zero(), V3::select(fast, V3::zero(), s.accel));
    }
    (s.settled(), over)
}
