//! Tips to root: external forces of every body about its joint and the composites of all it carries (Quigley 2017, §4, Eq. 1–4).
//!
//! Air drag depends on the body's velocity. Each joint of a chain would correct the whole velocity error of what it carries, so
//! full feedback is multiplied by the number of joints below and diverges. Here the damping matrix of a field is limited to
//! m/(h·depth), the strength at which all joints below together take away the error once:
//!
//!   f = f_field + (1 − s) D v,   s = feedback · min(1, m / (h · depth · |D|)).
//!
//! The mean force of the wind, and so the steady bend, does not change.

use super::composite::Composite;
use super::{Spring, SpringStep, Waiting};
use crate::block::{Block, Model, tile_of};
use crate::forces::FieldForce;
use crate::kinematics::{Frame, own_columns};
use crate::math::simd::{Kernel, ROW, Row, Rows, Vector, dispatch, each};
use crate::math::{Quaternion, Sym3, V3};
use crate::report::Counts;
use crate::surroundings::{Surroundings, add_loads, field_forces, heal, splat, usable};

/// What the sweep needs besides the surroundings.
#[derive(Clone, Copy)]
pub(crate) struct Drag {
    /// Step, s.
    pub(crate) h: f32,
    /// Share of a body's own velocity in the drag.
    pub(crate) feedback: f32,
}

/// What becomes of the composites.
#[derive(Clone, Copy)]
pub(crate) struct Use<'a> {
    /// Joints to move with them at once, while they are in registers.
    pub(crate) springs: Option<&'a SpringStep>,
    /// Whether they are read after the sweep.
    pub(crate) kept: bool,
}

/// Up through a block; what its treelets pass on to the spine is left in its ghosts.
pub(crate) fn sweep_up(
    block: &mut Block,
    around: &Surroundings,
    drag: Drag,
    use_of: Use,
) -> Counts {
    for tile in 0..block.links.len() {
        if tile < block.ghost_tiles() || block.links[tile].carries {
            block.composites[tile] = [Row::ZERO; ROW];
        }
    }
    dispatch(
        around.isa,
        Up {
            block,
            around,
            drag,
            use_of,
        },
    )
}

/// The same through the spine, after its treelets.
pub(crate) fn sweep_spine_up(
    spine: &mut Block,
    blocks: &[Block],
    around: &Surroundings,
    drag: Drag,
    use_of: Use,
) -> Counts {
    spine.composites.fill([Row::ZERO; ROW]);
    for block in blocks {
        for (ghost, &of) in block.ghosts.iter().enumerate() {
            let ((tile, lane), (from, at)) = (tile_of(of as usize), tile_of(ghost));
            f32::add_line(
                &mut spine.composites[tile][lane],
                &block.composites[from][at],
            );
        }
    }
    dispatch(
        around.isa,
        Up {
            block: spine,
            around,
            drag,
            use_of,
        },
    )
}

struct Up<'a> {
    block: &'a mut Block,
    around: &'a Surroundings<'a>,
    drag: Drag,
    use_of: Use<'a>,
}

impl Kernel for Up<'_> {
    type Output = Counts;
    #[inline(always)]
    fn run<T: Vector>(self) -> Counts {
        let Self {
            block,
            around,
            drag,
            use_of: Use { springs, kept },
        } = self;
        let mut counts = Counts::default();
        let mut waiting = Waiting::<T>::default();
        let mut tiles = block.tiles().rev();
        loop {
            let tile = tiles.next();
            if let Some(tile) = tile {
                let columns = own_columns::<T>(&block.frames, tile);
                let (force, torque) = forces::<T>(block, tile, &columns, around, drag, &mut counts);
                let sums = if block.links[tile].carries {
                    Some(T::transposed(each(&block.composites[tile])))
                } else {
                    None
                };
                let mut passed_on = [Row::ZERO; ROW];
                for at in (0..ROW).step_by(T::WIDTH) {
                    let frame = Frame::<T>::of_columns(&columns, at);
                    let model: Model<T> = block.models[tile].load(at);
                    let r = frame.rotation.matrix();
                    let com = r.z * model.com_z;
                    let mut whole = Composite {
                        mass: model.mass,
                        moment: com * model.mass,
                        inertia: Sym3::rotated_diagonal(r, model.inertia),
                        force: force.load::<T>(at),
                        torque: torque.load::<T>(at),
                    };
                    if let Some(sums) = &sums {
                        whole = Composite::of_columns(sums, at).joined(whole);
                    }
                    if kept {
                        whole.store(&mut block.composites[tile], at);
                    }
                    let theta = block.joints[tile].theta.load::<T>(at);
                    let back = Quaternion::from_joint_angle(theta).conjugate();
                    let joint = frame.rotation.times(back);
                    if let Some(step) = springs {
                        waiting.push(Spring::of(block, tile, at, &whole, joint, step));
                    }
                    let arm = joint.rotate(model.arm);
                    whole.shifted(arm).store(&mut passed_on, at);
                }
                let lines = T::transposed(each(&passed_on));
                for (line, &parent) in lines.iter().zip(&block.links[tile].parent) {
                    let (tile, lane) = tile_of(parent as usize);
                    T::add_line(&mut block.composites[tile][lane], line);
                }
            }
            if let Some(step) = springs {
                waiting.advance(block, step, tile.is_none());
            }
            if tile.is_none() {
                return counts.plus(waiting.counts);
            }
        }
    }
}

/// Force and torque on the bodies of a tile about their joints; those that are not finite are dropped and their bodies healed.
#[inline(always)]
fn forces<T: Vector>(
    block: &mut Block,
    tile: usize,
    columns: &[Row; ROW],
    around: &Surroundings,
    drag: Drag,
    counts: &mut Counts,
) -> (V3<Row>, V3<Row>) {
    let zero = V3 {
        x: Row::ZERO,
        y: Row::ZERO,
        z: Row::ZERO,
    };
    let (mut force, mut torque) = (zero, zero);
    let model = &block.models[tile];
    let mut good = u32::from(u16::MAX);
    if !around.fields.is_empty() {
        let sum = field_forces::<T>(
            &block.links[tile].id,
            &block.models[tile],
            columns,
            around,
            #[inline(always)]
            |f: &FieldForce<T>, at: usize| {
                let least = T::of(1e-30);
                let h = T::splat(drag.h);
                let slow = h * model.depth.load::<T>(at) * f.damping.trace().max(least);
                let slow_turn = h * f.spin_damping.trace().max(least);
                let inertia = model.inertia.load::<T>(at);
                [
                    T::splat(drag.feedback) * (model.mass.load::<T>(at) / slow).min(T::one()),
                    (inertia.z / slow_turn).min(T::one()),
                ]
            },
        );
        good = 0;
        for at in (0..ROW).step_by(T::WIDTH) {
            let f: FieldForce<T> = sum.load(at);
            let fine = T::bits(usable(f.force)) & T::bits(usable(f.torque));
            good |= fine << at;
            force.store(at, f.force);
            torque.store(at, f.torque);
        }
    }
    if good != u32::from(u16::MAX) {
        for lane in (0..ROW).filter(|lane| good & (1 << lane) == 0) {
            force.set(lane, V3::zero());
            torque.set(lane, V3::zero());
        }
        counts.healed += heal(block, tile, !good & u32::from(u16::MAX));
    }
    let model = &block.models[tile];
    for at in (0..ROW).step_by(T::WIDTH) {
        let frame = Frame::<T>::of_columns(columns, at);
        let com = frame.rotation.matrix().z * model.com_z.load::<T>(at);
        let at_com = force.load::<T>(at) + splat(around.gravity) * model.mass.load::<T>(at);
        force.store(at, at_com);
        torque.store(at, torque.load::<T>(at) + com.cross(at_com));
    }
    if !block.loads.is_empty() {
        add_loads(block, tile, &mut force, &mut torque);
    }
    (force, torque)
}
