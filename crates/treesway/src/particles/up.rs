//! Tips to root: what acts on every particle (5.1), and each of them over its step.
//!
//! Wind is asked for bodies that stand still, and what their own motion takes from it is a damper on the branch's own turn. A field whose force
//! follows the velocities of whole chains would be answered by every joint of the chain as if it were alone, which diverges.
//!
//! With [`Rods::Carried`] a branch feels the torque of all forces on all it carries; then a tile passes on nine numbers a body: force, torque, the
//! size of the force of the air, its damping, and mass.

use super::swing::{Forces, Push, swung};
use super::{Particle, ParticleScheme, Rods};
use crate::analytic::spring::JointState;
use crate::analytic::store;
use crate::analytic::up::{add_lines, clear_sums, collect_sums};
use crate::block::{Block, Model};
use crate::follow::{self, Carrying, Columns, StandIn};
use crate::forces::FieldForce;
use crate::kinematics::{Frame, own_columns};
use crate::math::simd::{BLANK, Kernel, ROW, Row, Rows, Vector, dispatch, each, vector};
use crate::math::{Quaternion, Real, V3};
use crate::params::JointLimits;
use crate::report::Counts;
use crate::root::RigidMotion;
use crate::surroundings::{FieldTile, Surroundings, loads, splat, usable_forces};

/// What the sweep needs besides the surroundings.
#[derive(Clone)]
pub(super) struct SwingStep {
    /// s.
    pub(super) h: f32,
    pub(super) rods: Rods,
    pub(super) scheme: ParticleScheme,
    pub(super) limits: JointLimits,
    /// How the ground moves under the tree, where it does.
    pub(super) shaken: Option<RigidMotion>,
}

/// Up through a block; what its treelets pass on to the spine is left in its ghosts.
pub(super) fn swing_treelets(block: &mut Block, around: &Surroundings, step: &SwingStep) -> Counts {
    clear_sums(block);
    let followed = bear(block, around, step);
    swing(block, around, step).plus(followed)
}

/// The same through the spine, after its treelets.
pub(super) fn swing_spine(
    spine: &mut Block,
    blocks: &[Block],
    around: &Surroundings,
    step: &SwingStep,
) -> Counts {
    collect_sums(spine, blocks);
    let followed = bear(spine, around, step);
    swing(spine, around, step).plus(followed)
}

/// What follows weighs on the bodies of a block, where branches carry each other.
fn bear(block: &mut Block, around: &Surroundings, step: &SwingStep) -> Counts {
    match step.rods {
        Rods::Carried => follow::load(block, around, &Borne { around, step }),
        Rods::Own => Counts::default(),
    }
}

struct Borne<'a> {
    around: &'a Surroundings<'a>,
    step: &'a SwingStep,
}

impl Carrying for Borne<'_> {
    const STILL: bool = true;

    #[inline(always)]
    fn load<T: Vector>(&self, of: &StandIn<T>, at: usize, passed_on: &mut Columns) {
        let mut gravity = splat(self.around.gravity);
        if let Some(motion) = &self.step.shaken {
            let mut all = [Row::ZERO; ROW];
            of.frame.store(&mut all, at);
            gravity -= carried_along(&all, motion).load::<T>(at);
        }
        let mass = of.model.mass * of.weighs;
        let own = Carried::own(of.field, gravity, mass, of.frame, T::zero());
        own.shifted(of.arm).store(&mut passed_on[0], at);
    }

    #[inline(always)]
    fn pass_on<T: Vector>(&self, block: &mut Block, carrier: &[u32; ROW], passed_on: &Columns) {
        add_lines::<T>(block, carrier, &passed_on[0], &mut [Row::ZERO; ROW]);
    }
}

/// How the ground would carry sixteen bodies along whose frames are `columns`, m/s².
#[cold]
fn carried_along(columns: &[Row; ROW], motion: &RigidMotion) -> V3<Row> {
    let position = V3 {
        x: columns[4],
        y: columns[5],
        z: columns[6],
    };
    let mut all = position;
    for lane in 0..ROW {
        all.set(lane, motion.acceleration_at(position.get(lane)));
    }
    all
}

fn swing(block: &mut Block, around: &Surroundings, step: &SwingStep) -> Counts {
    let kernel = Swing {
        block,
        around,
        step,
    };
    dispatch(around.isa, kernel)
}

/// What a branch passes on to its parent, about its joint.
#[derive(Clone, Copy)]
pub(crate) struct Carried<T> {
    /// N.
    force: V3<T>,
    /// N·m.
    torque: V3<T>,
    /// Sum of the sizes of what fields do, or would do to what is across them, N.
    blown: T,
    /// −∂f/∂v across the branch, kg/s.
    drag: T,
    /// kg.
    mass: T,
}

impl<T: Vector> Carried<T> {
    #[inline(always)]
    fn of_columns(columns: &[Row; ROW], at: usize) -> Self {
        Self {
            force: vector(columns, 0, at),
            torque: vector(columns, 3, at),
            blown: T::load(&columns[6], at),
            drag: T::load(&columns[7], at),
            mass: T::load(&columns[8], at),
        }
    }

    #[inline(always)]
    fn store(self, columns: &mut [Row; ROW], at: usize) {
        let (f, t) = (self.force, self.torque);
        let numbers = [
            f.x, f.y, f.z, t.x, t.y, t.z, self.blown, self.drag, self.mass,
        ];
        for (column, n) in columns.iter_mut().zip(numbers) {
            n.store(column, at);
        }
    }
}

impl<T: Real> Carried<T> {
    /// Nothing.
    pub(crate) fn nothing() -> Self {
        Self {
            force: V3::zero(),
            torque: V3::zero(),
            blown: T::zero(),
            drag: T::zero(),
            mass: T::zero(),
        }
    }

    /// Of a body alone: what a field does, and its weight, both at `reach` along it.
    #[inline(always)]
    pub(crate) fn own(
        field: &FieldForce<T>,
        gravity: V3<T>,
        mass: T,
        frame: &Frame<T>,
        reach: T,
    ) -> Self {
        let force = gravity.times_plus(mass, field.force);
        let end = frame.rotation.matrix().z * reach;
        Self {
            force,
            torque: end.cross_plus(force, field.torque), // (2.1)
            blown: field.force.length().max(field.most),
            // Of the three directions of the trace one is along the branch, where nothing moves.
            drag: field.damping.trace() * T::of(0.5),
            mass,
        }
    }

    #[inline(always)]
    pub(crate) fn plus(self, o: Self) -> Self {
        Self {
            force: self.force + o.force,
            torque: self.torque + o.torque,
            blown: self.blown + o.blown,
            drag: self.drag + o.drag,
            mass: self.mass + o.mass,
        }
    }

    /// The same about a joint that lies at −d.
    #[inline(always)]
    pub(crate) fn shifted(self, d: V3<T>) -> Self {
        Self {
            torque: d.cross_plus(self.force, self.torque),
            ..self
        }
    }

    /// What it does to the branch that carries it, whose frame at rest is `rest` and whose own body is in a field; `pull` is the size of gravity, m/s².
    #[inline(always)]
    pub(crate) fn push(
        &self,
        particle: &Particle<T>,
        model: &Model<T>,
        rest: Quaternion<T>,
        field: &FieldForce<T>,
        pull: T,
    ) -> Push<T> {
        let lever = particle.lever;
        let at_hand = Forces {
            sum: self.force.length(),
            blown: self.blown,
            weight: self.mass * pull,
        };
        let giving_way = at_hand.give_way(lever, model.depth);
        Push {
            torque: rest.conjugate().rotate(self.torque),
            yielding: V3::splat(field.turning.max(field.twisting) + giving_way),
            damping: V3::splat(
                (self.drag * lever).times_plus(lever, field.spin_rate * model.inertia.x),
            ),
        }
    }
}

/// From a branch as it is turned to the same branch at rest.
#[inline(always)]
pub(crate) fn back<T: Real>(turned: &JointState<T>) -> Quaternion<T> {
    Quaternion::from_joint_angle(turned.theta).conjugate()
}

struct Swing<'a> {
    block: &'a mut Block,
    around: &'a Surroundings<'a>,
    step: &'a SwingStep,
}

impl Kernel for Swing<'_> {
    type Output = Counts;
    #[inline(always)]
    fn run<T: Vector>(self) -> Counts {
        let Self {
            block,
            around,
            step,
        } = self;
        let carried = step.rods == Rods::Carried;
        let pull = T::splat(around.gravity.length());
        let mut counts = Counts::default();
        let mut fields = FieldTile::new(around);
        let (mut columns, mut sums) = (BLANK, BLANK);
        let (mut passed_on, mut lines) = (BLANK, BLANK);
        for tile in block.tiles().rev() {
            own_columns::<T>(&block.frames, tile, &mut columns);
            // Fields are to see bodies that stand still: rows 7 to 12 are velocities.
            columns[7..13].fill(Row::ZERO);
            let ids = &block.links[tile].id;
            let mut forces = fields.forces::<T>(ids, &block.models[tile], &columns, around);
            let loads = loads(block, tile);
            let bears = carried && block.links[tile].carries;
            if bears {
                T::transpose(each(&block.composites[tile]), &mut sums);
            }
            let shaken = step.shaken.map(|motion| shaken(block, tile, &motion));
            for at in (0..ROW).step_by(T::WIDTH) {
                let frame = Frame::<T>::of_columns(&columns, at);
                let model: Model<T> = block.models[tile].load(at);
                let particle: Particle<T> = block.particles[tile].load(at);
                let before: JointState<T> = block.joints[tile].load(at);
                let mut gravity = splat(around.gravity);
                if let Some(shaken) = &shaken {
                    gravity -= shaken.load::<T>(at);
                }
                let field = match &mut forces {
                    Some(forces) => usable_forces::<T>(forces, block, tile, at, &mut counts),
                    None => FieldForce::none(),
                };
                let reach = if carried { model.com_z } else { particle.lever };
                let mut whole = Carried::own(&field, gravity, model.mass, &frame, reach);
                if let Some([force, torque]) = &loads {
                    whole.force += force.load::<T>(at);
                    whole.torque += torque.load::<T>(at);
                }
                if bears {
                    whole = Carried::of_columns(&sums, at).plus(whole);
                }
                let rest = frame.rotation.times(back(&before));
                let push = whole.push(&particle, &model, rest, &field, pull);
                let after = swung(&particle, &before, &push, T::splat(step.h), step.scheme);
                counts = counts.plus(store(block, tile, at, after, &step.limits, None));
                let arm = rest.rotate(model.arm);
                whole.shifted(arm).store(&mut passed_on, at);
            }
            if carried {
                let parent = block.links[tile].parent;
                add_lines::<T>(block, &parent, &passed_on, &mut lines);
            }
        }
        counts
    }
}

/// How the ground would carry each body of a tile along, m/s²: they stay behind by as much.
#[cold]
fn shaken(block: &Block, tile: usize, motion: &RigidMotion) -> V3<Row> {
    let mut all = V3 {
        x: Row::ZERO,
        y: Row::ZERO,
        z: Row::ZERO,
    };
    for lane in 0..ROW {
        let frame = block.frame(tile * ROW + lane);
        let centre = frame.rotation.matrix().z * block.models[tile].com_z.get(lane);
        all.set(lane, motion.acceleration_at(frame.position + centre));
    }
    all
}
