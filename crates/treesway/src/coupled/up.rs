//! Tips to root: forces of each body, its articulated inertia with what it carries, and what of it its parent feels through the joint.

use super::articulated::Articulated;
use super::integrator::Integrator;
use super::soil::Soil;
use super::work::{Passage, Work, load_sums, store_sums};
use super::{Hold, Scheme};
use crate::analytic::spring::JointState;
use crate::block::{Block, Model, Part, tile_of};
use crate::desc::BodyKind;
use crate::follow::{self, Carrying, Columns, StandIn};
use crate::forces::FieldForce;
use crate::kinematics::{Frame, own_columns};
use crate::math::simd::{BLANK, Kernel, ROW, Row, Rows, Vector, dispatch, each};
use crate::math::{Quaternion, Sym3, V3};
use crate::report::Counts;
use crate::surroundings::{FieldTile, Surroundings, loads, splat, usable, usable_forces};

/// Up through a block; what its treelets pass on to the spine is left in its ghosts.
pub(crate) fn sweep_up(block: &mut Block, around: &Surroundings, scheme: &Scheme) -> Counts {
    for tile in 0..block.ghost_tiles() {
        block.work[tile] = Work::EMPTY;
    }
    for tile in block.tiles() {
        if block.links[tile].carries {
            block.work[tile] = Work::EMPTY;
        }
    }
    let followed = follow::load(block, around, &Borne { around, scheme });
    run(block, around, scheme).plus(followed)
}

/// The same through the spine, after its treelets.
pub(crate) fn sweep_spine_up(
    spine: &mut Block,
    blocks: &[Block],
    around: &Surroundings,
    scheme: &Scheme,
) -> Counts {
    for tile in 0..spine.work.len() {
        spine.work[tile] = Work::EMPTY;
    }
    for block in blocks {
        for (ghost, &of) in block.ghosts.iter().enumerate() {
            let (tile, lane) = tile_of(of as usize);
            let (ghost_tile, ghost_lane) = tile_of(ghost);
            spine.work[tile].add_ghost(lane, &block.work[ghost_tile], ghost_lane);
        }
    }
    let followed = follow::load(spine, around, &Borne { around, scheme });
    run(spine, around, scheme).plus(followed)
}

/// Articulated inertias of what follows.
struct Borne<'a> {
    around: &'a Surroundings<'a>,
    scheme: &'a Scheme,
}

impl Carrying for Borne<'_> {
    #[inline(always)]
    fn load<T: Vector>(&self, of: &StandIn<T>, at: usize, passed_on: &mut Columns) {
        let model = Model {
            mass: of.model.mass * of.weighs,
            ..*of.model
        };
        let gravity = self.around.gravity;
        let own = own(of.frame, &model, Some(of.field), gravity, self.scheme);
        store_sums(passed_on, at, &own.shifted(of.arm));
    }

    #[inline(always)]
    fn pass_on<T: Vector>(&self, block: &mut Block, carrier: &[u32; ROW], passed_on: &Columns) {
        add_lines::<T>(block, carrier, passed_on, &mut [BLANK; 2]);
    }
}

/// Adds columns of a tile to the sums of the bodies in the slots `to`; `lines` is room to turn them in.
#[inline(always)]
fn add_lines<T: Vector>(
    block: &mut Block,
    to: &[u32; ROW],
    columns: &Columns,
    lines: &mut Columns,
) {
    let [first, second] = lines;
    T::transpose(each(&columns[0]), first);
    T::transpose(each(&columns[1]), second);
    for (lane, &slot) in to.iter().enumerate() {
        let (tile, to) = tile_of(slot as usize);
        block.work[tile].add::<T>(to, &first[lane], &second[lane]);
    }
}

/// Through one block, of a tree that stands or lies.
fn run(block: &mut Block, around: &Surroundings, scheme: &Scheme) -> Counts {
    match around.lies_on {
        None => run_on(Rooted, block, around, scheme),
        Some(soil) => run_on(soil, block, around, scheme),
    }
}

fn run_on(soil: impl Support, block: &mut Block, around: &Surroundings, scheme: &Scheme) -> Counts {
    let up = Up {
        block,
        around,
        scheme,
        soil,
    };
    dispatch(around.isa, up)
}

/// What holds up a tree from below. A type of its own, not a choice within the kernel: what rooted trees do not need would take registers from them, and a third of their speed.
trait Support {
    fn hold_up<T: Vector>(
        &self,
        whole: &mut Articulated<T>,
        frame: &Frame<T>,
        model: &Model<T>,
        size: &V3<Row>,
        at: usize,
    );
}

/// Nothing: it stands on its root.
struct Rooted;

impl Support for Rooted {
    #[inline(always)]
    fn hold_up<T: Vector>(
        &self,
        _: &mut Articulated<T>,
        _: &Frame<T>,
        _: &Model<T>,
        _: &V3<Row>,
        _: usize,
    ) {
    }
}

impl Support for Soil<'_> {
    #[inline(always)]
    fn hold_up<T: Vector>(
        &self,
        whole: &mut Articulated<T>,
        frame: &Frame<T>,
        model: &Model<T>,
        size: &V3<Row>,
        at: usize,
    ) {
        self.press(whole, frame, model, size.load(at));
    }
}

struct Up<'a, S> {
    block: &'a mut Block,
    around: &'a Surroundings<'a>,
    scheme: &'a Scheme,
    soil: S,
}

impl<S: Support> Kernel for Up<'_, S> {
    type Output = Counts;
    #[inline(always)]
    fn run<T: Vector>(self) -> Counts {
        let Self {
            block,
            around,
            scheme,
            soil,
        } = self;
        let mut counts = Counts::default();
        let mut fields = FieldTile::new(around);
        let (mut columns, mut sums) = (BLANK, [BLANK; 2]);
        let (mut passed_on, mut lines) = ([BLANK; 2], [BLANK; 2]);
        for tile in block.tiles().rev() {
            block.fetch_part(tile - 1, Part::Model);
            own_columns::<T>(&block.frames, tile, &mut columns);
            let mut forces =
                fields.forces::<T>(&block.links[tile].id, &block.models[tile], &columns, around);
            let loads = loads(block, tile);
            block.fetch_part(tile - 1, Part::Frames);
            let carries = block.links[tile].carries;
            if carries {
                block.work[tile].sums::<T>(&mut sums);
            }
            for at in (0..ROW).step_by(T::WIDTH) {
                let frame = Frame::<T>::of_columns(&columns, at);
                let model: Model<T> = block.models[tile].load(at);
                let field = forces
                    .as_mut()
                    .map(|f| usable_forces::<T>(f, block, tile, at, &mut counts));
                let joint: JointState<T> = block.joints[tile].load(at);
                let mut whole = own::<T>(&frame, &model, field.as_ref(), around.gravity, scheme);
                soil.hold_up(&mut whole, &frame, &model, &block.shapes[tile].size, at);
                if let Some([force, torque]) = &loads {
                    whole.force -= force.load::<T>(at);
                    whole.torque -= torque.load::<T>(at);
                }
                if carries {
                    whole = load_sums::<T>(&sums, at).joined(&whole);
                }
                let felt = behind(block, tile, at, whole, &frame, &model, &joint, scheme);
                store_sums(&mut passed_on, at, &felt);
                if at == 0 {
                    block.fetch_part(tile - 1, Part::Work);
                }
            }
            block.fetch_part(tile - 1, Part::Joints);
            let parent = block.links[tile].parent;
            add_lines::<T>(block, &parent, &passed_on, &mut lines);
        }
        counts
    }
}

/// The body alone: inertia, gravity, fields with implicit drag.
#[inline(always)]
pub(crate) fn own<T: Vector>(
    frame: &Frame<T>,
    model: &Model<T>,
    field: Option<&FieldForce<T>>,
    gravity: V3<f32>,
    scheme: &Scheme,
) -> Articulated<T> {
    let r = frame.rotation.matrix();
    let com = r.z * model.com_z;
    let moment = com * model.mass;
    let omega = frame.angular_velocity;
    let inertia = Sym3::rotated_diagonal(r, model.inertia);
    let (mut force, mut torque) = (splat(gravity) * model.mass, V3::zero());
    let mut air = None;
    if let Some(f) = field {
        let step = &scheme.integrator;
        let (c_v, c_u) = (T::splat(step.c_v), T::splat(step.c_u));
        let share = T::splat(scheme.feedback);
        let resisted = f.damping.apply(frame.velocity_of(com));
        force += resisted.times_plus(T::one() - share, f.force);
        // I about the centre of mass, from that about the joint.
        let spun = inertia
            .plus_outer(com, model.mass)
            .plus_splat(-com.dot(moment));
        let rate = f.spin_rate * share;
        let held = Sym3::outer(r.z, f.twisting - f.turning).plus_splat(f.turning);
        torque = spun.apply(omega).times_plus(-rate, f.torque);
        torque = held.apply(omega).times_plus(T::splat(-step.u_v), torque);
        air = Some((
            f.damping.scale(c_v * share),
            spun.times_plus(rate * c_v, held.scale(c_u)),
        ));
    }
    torque = com.cross_plus(force, torque);
    if scheme.velocity_products {
        torque -= omega.cross(inertia.apply(omega));
        force -= omega.cross(omega.cross(moment));
    }
    let mut own = Articulated::rigid(model.mass, moment, inertia, force, torque);
    if let Some((moved, turned)) = air {
        own.add_damping(com, moved);
        own.a += turned;
    }
    own
}

/// How a joint answers to what is behind it.
pub(crate) struct Answer<T> {
    /// D, its spring and damper taken implicitly, kg·m², world.
    pub(crate) implicit: Sym3<T>,
    /// τ_s, its spring torque, N·m, world.
    pub(crate) torque: V3<T>,
    /// World from joint frame.
    pub(crate) joint: Quaternion<T>,
    /// From the parent's joint to this one, m, world.
    pub(crate) arm: V3<T>,
}

impl<T: Vector> Answer<T> {
    /// `inertia` is the trace of what is behind it, kg·m².
    #[inline(always)]
    pub(crate) fn of(
        frame: &Frame<T>,
        model: &Model<T>,
        state: &JointState<T>,
        inertia: T,
        scheme: &Scheme,
    ) -> Self {
        // exp(−θ/2), once and twice.
        let back = Quaternion::from_joint_angle(state.theta * T::of(0.5)).conjugate();
        let halfway = frame.rotation.times(back);
        let joint = halfway.times(back);
        let half = halfway.matrix();
        let step = scheme.integrator.splat::<T>();
        let (v, u) = step.predict(state.theta, state.rate, state.accel);
        let moved = back.rotate(u + v * model.beta);
        let mut spring = -model.stiffness.times(moved - model.rest);
        let mut d = Sym3::rotated_diagonal(half, model.stiffness * step.implicit(model.beta));
        // Only leaves and fruit have a stop: on wood, whose twist has a thousandth of the inertia of its bending, it would not be stable.
        let near = T::splat(scheme.limits.angle * LIMIT_FELT);
        let hung = T::of(f64::from(BodyKind::Segment as u8) + 0.5).lt(model.kind);
        let reach = T::select(hung, u.dot(u), T::zero());
        if T::any((near * near).lt(reach)) {
            let stop = stop_near_limit(near, reach, u, v, inertia, &step);
            spring += stop.torque;
            let along = Sym3::outer(half.apply(stop.along), stop.implicit - stop.across);
            d += along.plus_splat(stop.across);
        }
        Self {
            implicit: d,
            torque: half.apply(spring),
            joint,
            arm: joint.rotate(model.arm),
        }
    }

    /// Velocity products: ω_p × ω_rel and ω_p × (ω_p × d).
    #[inline(always)]
    pub(crate) fn biases(&self, frame: &Frame<T>, state: &JointState<T>) -> [V3<T>; 2] {
        let relative = self.joint.rotate(state.rate);
        let omega = frame.angular_velocity - relative; // of the parent
        [omega.cross(relative), omega.cross(omega.cross(self.arm))]
    }
}

/// What the parent feels at its own joint of bodies with all they carry.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "what a tile has in registers")]
fn behind<T: Vector>(
    block: &mut Block,
    tile: usize,
    at: usize,
    mut whole: Articulated<T>,
    frame: &Frame<T>,
    model: &Model<T>,
    state: &JointState<T>,
    scheme: &Scheme,
) -> Articulated<T> {
    let answer = Answer::of(frame, model, state, whole.a.trace(), scheme);
    if !block.holds.is_empty() {
        whole = held(block, tile, at, whole, &answer.implicit, scheme);
    }
    if tile == block.ghost_tiles() && at == 0 {
        block.whole = first_lane(&whole);
    }
    if !block.inverses.is_empty() {
        block.inverses[tile].store(at, whole.inverse_behind(answer.implicit));
    }
    let (mut behind, hinge) = whole.behind_joint(answer.implicit, answer.torque);
    if scheme.velocity_products {
        let [turn, shift] = answer.biases(frame, state);
        block.biases[tile][0].store(at, turn);
        block.biases[tile][1].store(at, shift);
        behind.add_biases(turn, shift);
    }
    let Answer { joint, arm, .. } = answer;
    block.work[tile].set(at, Passage { hinge, joint, arm });
    behind.shifted(arm)
}

/// Share of its limit from which on the joint of a leaf or fruit feels it.
const LIMIT_FELT: f32 = 0.85;

/// A stop that keeps a joint off its limit.
struct Stop<T> {
    /// Unit vector of θ, joint frame.
    along: V3<T>,
    /// N·m, joint frame.
    torque: V3<T>,
    /// What it adds to the joint's block along θ, kg·m².
    implicit: T,
    /// The same across θ: the torque points to θ = 0 and turns with θ.
    across: T,
}

/// The stop at the angle `near` where |θ|² = `reach` (0 where there is none): one-sided, along θ, as stiff as the step resolves (its period is π steps) and damped so that nothing bounces.
/// Without it a joint that wind presses against the hard limit would be set back in every step, and its parent would not feel the
/// pressure.
#[inline(always)]
fn stop_near_limit<T: Vector>(
    near: T,
    reach: T,
    theta: V3<T>,
    rate: V3<T>,
    inertia: T,
    step: &Integrator<T>,
) -> Stop<T> {
    let zero = T::zero();
    let angle = reach.sqrt().max(T::of(1e-6));
    let beyond = (angle - near).max(zero);
    let along = theta * (T::one() / angle);
    let stiff = inertia * T::of(4.0 / 3.0) / (step.h * step.h);
    let k = T::select(zero.lt(beyond), stiff, zero);
    let torque = (k * (beyond + step.h * along.dot(rate))).max(zero);
    Stop {
        along,
        torque: -(along * torque),
        implicit: k * step.implicit(step.h),
        across: torque / angle * step.implicit(zero),
    }
}

#[inline(always)]
fn first_lane<T: Vector>(whole: &Articulated<T>) -> Articulated<f32> {
    let mut columns = [BLANK; 2];
    store_sums(&mut columns, 0, whole);
    load_sums(&columns, 0)
}

/// Adds the pulls on the bodies from `at` on.
#[inline(always)]
fn held<T: Vector>(
    block: &Block,
    tile: usize,
    at: usize,
    whole: Articulated<T>,
    d: &Sym3<T>,
    scheme: &Scheme,
) -> Articulated<T> {
    let here = tile * ROW + at..tile * ROW + at + T::WIDTH;
    if !block.holds.iter().any(|h| here.contains(&h.slot)) {
        return whole;
    }
    let mut columns = [BLANK; 2];
    store_sums(&mut columns, at, &whole);
    let mut traces = Row::ZERO;
    d.trace().store(&mut traces, at);
    for hold in block.holds.iter().filter(|h| here.contains(&h.slot)) {
        let lane = hold.slot % ROW;
        let mut one = load_sums::<f32>(&columns, lane);
        pull(block, hold, &mut one, traces.0[lane], scheme);
        store_sums(&mut columns, lane, &one);
    }
    load_sums(&columns, at)
}

/// Fastest a hand moves a point, m/s: a target further away is approached over several steps.
const HAND_SPEED: f32 = 20.0;
/// A hand this many times stiffer than what it holds is rigid; more would only drown the tree's own inertia in rounding.
const STIFFEST_HOLD: f32 = 1e4;

/// A pull on a body: f = k (target − x_f) − c v_f, a mass c_u k + c_v c at the point held. `joint` is the trace of the joint's implicit
/// stiffness.
fn pull(block: &Block, hold: &Hold, whole: &mut Articulated<f32>, joint: f32, scheme: &Scheme) {
    let (step, pull) = (&scheme.integrator, &hold.pull);
    let frame = block.frame(hold.slot);
    let r = frame.rotation.rotate(pull.point_in_body.into());
    let velocity = frame.velocity + frame.angular_velocity.cross(r);
    let position = frame.position + r + velocity * step.u_v;
    let length = block.sizes(hold.slot).size.x;
    let local = whole.c.trace() / 3.0 + joint / (length * length);
    let wanted = step.c_u * pull.stiffness + step.c_v * pull.damping;
    let mass = wanted.min(STIFFEST_HOLD * local);
    let share = if wanted > 0.0 { mass / wanted } else { 0.0 };
    // Infinite stiffness: the mass is at its limit and the pull is all spring.
    let (k, c) = if wanted.is_finite() {
        (pull.stiffness * share, pull.damping * share)
    } else {
        (mass / step.c_u, 0.0)
    };
    let force = (V3::from(pull.target) - position) * k - velocity * c;
    let most = pull.most_force.min((mass + local) * HAND_SPEED / step.h);
    let size = force.length();
    let force = if size > most {
        force * (most / size)
    } else {
        force
    };
    if usable(force) {
        whole.add_at(r, Sym3::diagonal(V3::splat(mass)), force);
    }
}
