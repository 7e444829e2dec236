//! What acts on the bodies of a tile from outside: loads and fields.

use crate::block::{Block, Model, NOBODY};
use crate::coupled::soil::Soil;
use crate::forces::{BodySamples, FieldForce, ForceField};
use crate::kinematics::Frame;
use crate::math::V3;
use crate::math::simd::{Isa, ROW, Row, Rows, Vector, every_lane};
use crate::report::Counts;

/// What acts on a tree in a step.
pub(crate) struct Surroundings<'a> {
    pub(crate) gravity: V3<f32>, // m/s²
    pub(crate) fields: &'a [Box<dyn ForceField>],
    pub(crate) seconds: f64,
    /// Of every leaf, see [`crate::LeafMaterial::blades`].
    pub(crate) blades: f32,
    /// The ground, for what lies on it.
    pub(crate) lies_on: Option<Soil<'a>>,
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

/// Where fields are told of a tile and answer; made once for all tiles.
pub(crate) struct FieldTile {
    samples: BodySamples,
    sum: FieldForce<Row>,
    one: FieldForce<Row>,
}

impl FieldTile {
    pub(crate) fn new(around: &Surroundings) -> Self {
        let zero = Row::ZERO;
        let zero3 = V3 {
            x: zero,
            y: zero,
            z: zero,
        };
        Self {
            samples: BodySamples {
                id: [NOBODY; ROW],
                kind: zero,
                mass: zero,
                area: zero,
                position: zero3,
                velocity: zero3,
                angular_velocity: zero3,
                axis: zero3,
                normal: zero3,
                com_z: zero,
                blades: around.blades,
                free: around.free,
            },
            sum: FieldForce::none_of_sixteen(),
            one: FieldForce::none_of_sixteen(),
        }
    }

    /// Forces of all fields on the bodies of a tile, at their centres of mass; none without fields.
    #[inline(always)]
    pub(crate) fn forces<T: Vector>(
        &mut self,
        id: &[u32; ROW],
        model: &Model<Row>,
        columns: &[Row; ROW],
        around: &Surroundings,
    ) -> Option<&mut FieldForce<Row>> {
        let (first, others) = around.fields.split_first()?;
        let Self { samples, sum, one } = self;
        samples.id = *id;
        samples.kind = model.kind;
        samples.mass = model.mass;
        samples.area = model.area;
        if !around.free {
            samples.com_z = model.com_z;
        }
        for at in (0..ROW).step_by(T::WIDTH) {
            let frame = Frame::<T>::of_columns(columns, at);
            let axes = frame.rotation.matrix();
            let com = axes.z * model.com_z.load::<T>(at);
            samples.position.store(at, frame.position + com);
            samples.velocity.store(at, frame.velocity_of(com));
            samples.angular_velocity.store(at, frame.angular_velocity);
            samples.axis.store(at, axes.z);
            samples.normal.store(at, axes.y);
        }
        first.forces(around.isa, around.seconds, samples, sum);
        for field in others {
            field.forces(around.isa, around.seconds, samples, one);
            for at in (0..ROW).step_by(T::WIDTH) {
                let both = sum.load::<T>(at).plus(one.load(at));
                sum.store(at, both);
            }
        }
        Some(sum)
    }
}

/// The forces on the bodies from `at` on; those that are not finite are dropped and their bodies healed.
#[inline(always)]
pub(crate) fn usable_forces<T: Vector>(
    forces: &mut FieldForce<Row>,
    block: &mut Block,
    tile: usize,
    at: usize,
    counts: &mut Counts,
) -> FieldForce<T> {
    let f: FieldForce<T> = forces.load(at);
    let derivatives = V3 {
        x: f.damping.trace(),
        y: f.spin_rate,
        z: f.turning + f.twisting + f.most,
    };
    let good = T::bits(usable(f.force)) & T::bits(usable(f.torque)) & T::bits(usable(derivatives));
    if good == every_lane::<T>() {
        return f;
    }
    let bad = (!good & every_lane::<T>()) << at;
    for lane in (0..ROW).filter(|lane| bad & (1 << lane) != 0) {
        forces.set(lane, FieldForce::none());
    }
    counts.healed += heal(block, tile, bad);
    forces.load(at)
}

/// Force and torque of loads on the bodies of a tile, both about the joint; none where the block has no loads.
#[inline(always)]
pub(crate) fn loads(block: &Block, tile: usize) -> Option<[V3<Row>; 2]> {
    if block.loads.is_empty() {
        None
    } else {
        Some(sum_of_loads(block, tile))
    }
}

#[cold]
fn sum_of_loads(block: &Block, tile: usize) -> [V3<Row>; 2] {
    let zero = V3 {
        x: Row::ZERO,
        y: Row::ZERO,
        z: Row::ZERO,
    };
    let (mut force, mut torque) = (zero, zero);
    let here = tile * ROW..(tile + 1) * ROW;
    for load in block.loads.iter().filter(|l| here.contains(&l.slot)) {
        let lane = load.slot % ROW;
        force.set(lane, force.get(lane) + load.force);
        torque.set(lane, torque.get(lane) + load.torque);
    }
    [force, torque]
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
