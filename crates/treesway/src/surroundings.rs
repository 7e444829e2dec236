//! What acts on the bodies of a tile from outside: loads and fields.

use crate::block::{Block, Model, NOBODY};
use crate::forces::{BodySamples, FieldForce, ForceField};
use crate::kinematics::Frame;
use crate::math::V3;
use crate::math::simd::{Isa, ROW, Row, Rows, Vector};

/// What acts on a tree in a step.
pub(crate) struct Surroundings<'a> {
    pub(crate) gravity: V3<f32>, // m/s²
    pub(crate) fields: &'a [Box<dyn ForceField>],
    pub(crate) seconds: f64,
    /// Of every leaf, see [`crate::LeafMaterial::blades`].
    pub(crate) blades: f32,
    /// Whether the bodies are off the tree.
    pub(crate) free: bool,
    pub(crate) isa: Isa,
}

/// Forces beyond this are a caller's mistake and are treated as not finite, N or N·m: their sums would overflow.
const MOST_FORCE: f32 = 1e18;

/// Lanes whose force can be used; not where any number is NaN.
#[inline(always)]
pub(crate) fn usable<T: Vector>(v: V3<T>) -> T::Mask {
    // 0·x is NaN for NaN and both infinities, and then nothing is less than it or greater.
    let whole = (v.x * T::zero() + v.y * T::zero() + v.z * T::zero()).abs();
    let size = v.x.abs().max(v.y.abs()).max(v.z.abs());
    (size + whole).lt(T::splat(MOST_FORCE))
}

/// The same vector in every lane.
#[inline(always)]
pub(crate) fn splat<T: Vector>(v: V3<f32>) -> V3<T> {
    V3 {
        x: T::splat(v.x),
        y: T::splat(v.y),
        z: T::splat(v.z),
    }
}

/// Forces of all fields on the bodies of a tile, at their centres of mass. `share` says how much of the damping of its velocity and of its
/// turning a body may feel; of the rest it feels what it would if it stood still.
#[inline(always)]
pub(crate) fn field_forces<T: Vector>(
    id: &[u32; ROW],
    model: &Model<Row>,
    columns: &[Row; ROW],
    around: &Surroundings,
    share: impl Fn(&FieldForce<T>, usize) -> [T; 2],
) -> FieldForce<Row> {
    let mut sum = FieldForce::none_of_sixteen();
    let zero = Row::ZERO;
    let zero3 = V3 {
        x: zero,
        y: zero,
        z: zero,
    };
    let mut samples = BodySamples {
        id: *id,
        kind: model.kind,
        mass: model.mass,
        area: model.area,
        position: zero3,
        velocity: zero3,
        angular_velocity: zero3,
        axis: zero3,
        normal: zero3,
        com_z: if around.free { zero } else { model.com_z },
        inertia: zero3,
        blades: around.blades,
        free: around.free,
    };
    for at in (0..ROW).step_by(T::WIDTH) {
        let frame = Frame::<T>::of_columns(columns, at);
        let axes = frame.rotation.matrix();
        let com_z = model.com_z.load::<T>(at);
        let com = axes.z * com_z;
        samples.position.store(at, frame.position + com);
        samples
            .velocity
            .store(at, frame.velocity + frame.angular_velocity.cross(com));
        samples.angular_velocity.store(at, frame.angular_velocity);
        samples.axis.store(at, axes.z);
        samples.normal.store(at, axes.y);
        let shift = model.mass.load::<T>(at) * com_z * com_z;
        let inertia = model.inertia.load::<T>(at);
        samples.inertia.store(
            at,
            V3 {
                x: inertia.x - shift,
                y: inertia.y - shift,
                z: inertia.z,
            },
        );
    }
    let mut one = FieldForce::none_of_sixteen();
    for field in around.fields {
        field.forces(around.isa, around.seconds, &samples, &mut one);
        for at in (0..ROW).step_by(T::WIDTH) {
            let f: FieldForce<T> = one.load(at);
            let mut s: FieldForce<T> = sum.load(at);
            let [felt, spun] = share(&f, at);
            let velocity = samples.velocity.load::<T>(at);
            let omega = samples.angular_velocity.load::<T>(at);
            s.force += f.force + f.damping.apply(velocity) * (T::one() - felt);
            s.torque += f.torque + f.spin_damping.apply(omega) * (T::one() - spun);
            s.damping += f.damping.scale(felt);
            s.spin_damping += f.spin_damping.scale(spun);
            s.turning += f.turning;
            sum.store(at, s);
        }
    }
    sum
}

/// Adds the loads of a block on the bodies of a tile to `force` and `torque`, both about the joint.
#[cold]
pub(crate) fn add_loads(block: &Block, tile: usize, force: &mut V3<Row>, torque: &mut V3<Row>) {
    let here = tile * ROW..(tile + 1) * ROW;
    for load in block.loads.iter().filter(|l| here.contains(&l.slot)) {
        let lane = load.slot % ROW;
        force.set(lane, force.get(lane) + load.force);
        torque.set(lane, torque.get(lane) + load.torque);
    }
}

/// Sets lanes of a tile back to the given pose, at rest; returns how many of them are bodies.
#[cold]
pub(crate) fn heal(block: &mut Block, tile: usize, lanes: u32) -> u64 {
    let mut healed = 0;
    for lane in (0..ROW).filter(|lane| lanes & (1 << lane) != 0) {
        block.joints[tile].set(lane, crate::analytic::spring::JointState::rest());
        healed += u64::from(block.links[tile].id[lane] != NOBODY);
    }
    healed
}

/// How many lanes of a mask are bodies.
#[inline(always)]
pub(crate) fn bodies_among(block: &Block, tile: usize, lanes: u32) -> u64 {
    if lanes == 0 {
        return 0;
    }
    let ids = block.links[tile].id.iter().enumerate();
    ids.filter(|(lane, id)| lanes & (1 << lane) != 0 && **id != NOBODY)
        .count() as u64
}
