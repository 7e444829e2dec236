//! What stand-ins pass on to the bodies that carry them, before the way up.

use crate::analytic::spring::JointState;
use crate::block::{Block, Model};
use crate::forces::FieldForce;
use crate::kinematics::{Frame, parent_columns, placed};
use crate::math::V3;
use crate::math::simd::{BLANK, Kernel, ROW, Row, Rows, Tile, Vector, dispatch, every_lane};
use crate::report::Counts;
use crate::surroundings::{FieldTile, Surroundings, usable};

/// What passes from a tile on the way up: one or two lines a body.
pub(crate) type Columns = [Tile; 2];

/// Bodies whose joints do not turn, as a solver carries them.
pub(crate) struct StandIn<'a, T> {
    pub(crate) frame: &'a Frame<T>,
    /// As fields see it.
    pub(crate) model: &'a Model<T>,
    /// 1 where its mass counts, else 0.
    pub(crate) weighs: T,
    /// Without torques: those of single leaves do not add up.
    pub(crate) field: &'a FieldForce<T>,
    /// From the joint of what carries it, m, world.
    pub(crate) arm: V3<T>,
}

/// How a solver carries stand-ins.
pub(crate) trait Carrying {
    /// Whether fields are to see bodies that stand still.
    const STILL: bool = false;

    /// What sixteen of them pass on, those from `at` on, about the joint of what carries them.
    fn load<T: Vector>(&self, stand_in: &StandIn<T>, at: usize, passed_on: &mut Columns);

    /// Adds it to the sums of the bodies in the slots `carrier`.
    fn pass_on<T: Vector>(&self, block: &mut Block, carrier: &[u32; ROW], passed_on: &Columns);
}

/// Lays what follows on the bodies of a block whose sums were cleared.
pub(crate) fn load(block: &mut Block, around: &Surroundings, how: &impl Carrying) -> Counts {
    if block.stand_ins.is_empty() {
        return Counts::default();
    }
    dispatch(around.isa, Load { block, around, how })
}

struct Load<'a, C> {
    block: &'a mut Block,
    around: &'a Surroundings<'a>,
    how: &'a C,
}

impl<C: Carrying> Kernel for Load<'_, C> {
    type Output = Counts;
    #[inline(always)]
    fn run<T: Vector>(self) -> Counts {
        let Self { block, around, how } = self;
        let mut counts = Counts::default();
        let mut fields = FieldTile::new(around);
        let rest = JointState {
            theta: V3::zero(),
            rate: V3::zero(),
            accel: V3::zero(),
        };
        let (mut below, mut columns) = (BLANK, BLANK);
        let mut passed_on = [BLANK; 2];
        for i in 0..block.stand_ins.len() {
            let tile = &block.stand_ins[i];
            parent_columns::<T>(&block.frames, &tile.carrier, &mut below);
            for at in (0..ROW).step_by(T::WIDTH) {
                let below = Frame::<T>::of_columns(&below, at);
                let model: Model<T> = tile.model.load(at);
                placed(&below, &model, &rest, V3::zero()).store(&mut columns, at);
            }
            if C::STILL {
                columns[7..13].fill(Row::ZERO);
            }
            let forces = fields.forces::<T>(&tile.id, &tile.model, &columns, around);
            for at in (0..ROW).step_by(T::WIDTH) {
                let frame = Frame::<T>::of_columns(&columns, at);
                let model: Model<T> = tile.model.load(at);
                let mut field = FieldForce::none();
                if let Some(forces) = &forces {
                    let f: FieldForce<T> = forces.load(at);
                    let size = V3::splat(f.damping.trace());
                    if T::bits(usable(f.force)) & T::bits(usable(size)) == every_lane::<T>() {
                        field.force = f.force;
                        field.damping = f.damping;
                    } else {
                        counts.healed += 1;
                    }
                }
                let stand_in = StandIn {
                    frame: &frame,
                    model: &model,
                    weighs: tile.weighs.load(at),
                    field: &field,
                    arm: frame.rotation.rotate(model.arm),
                };
                how.load(&stand_in, at, &mut passed_on);
            }
            let carrier = tile.carrier;
            how.pass_on::<T>(block, &carrier, &passed_on);
        }
        counts
    }
}
