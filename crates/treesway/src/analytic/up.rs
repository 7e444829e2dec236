//! Tips to root: external forces of every body about its joint and the composites of all it carries (Quigley 2017, §4, Eq. 1–4).
//!
//! Air drag depends on the body's velocity. Each joint of a chain would correct the whole velocity error of what it carries, so
//! full feedback is multiplied by the number of joints below and diverges. Here the damping matrix of a field is limited to
//! m/(h·depth), the strength at which all joints below together take away the error once:
//!
//!   f = f_field + (1 − s) D v,   s = feedback · min(1, m / (h · depth · |D|)).
//!
//! The spin of a body is taken away at a rate of 1/h at most. The mean force of the wind, and so the steady bend, does not change.

use super::composite::Composite;
use super::{Pose, SpringStep, Waiting};
use crate::block::{Block, Model, Part, tile_of};
use crate::follow::{self, Carrying, Columns, StandIn};
use crate::forces::FieldForce;
use crate::kinematics::{Frame, own_columns};
use crate::math::simd::{BLANK, Kernel, ROW, Row, Rows, Tile, Vector, dispatch, each};
use crate::math::{Quaternion, Sym3, V3};
use crate::report::Counts;
use crate::surroundings::{FieldTile, Surroundings, loads, splat, usable_forces};

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
    clear_sums(block);
    let followed = follow::load(block, around, &Borne { around, drag });
    let counts = dispatch(
        around.isa,
        Up {
            block,
            around,
            drag,
            use_of,
        },
    );
    counts.plus(followed)
}

/// The same through the spine, after its treelets.
pub(crate) fn sweep_spine_up(
    spine: &mut Block,
    blocks: &[Block],
    around: &Surroundings,
    drag: Drag,
    use_of: Use,
) -> Counts {
    collect_sums(spine, blocks);
    let followed = follow::load(spine, around, &Borne { around, drag });
    let counts = dispatch(
        around.isa,
        Up {
            block: spine,
            around,
            drag,
            use_of,
        },
    );
    counts.plus(followed)
}

/// Composites of what follows.
struct Borne<'a> {
    around: &'a Surroundings<'a>,
    drag: Drag,
}

impl Carrying for Borne<'_> {
    #[inline(always)]
    fn load<T: Vector>(&self, of: &StandIn<T>, at: usize, passed_on: &mut Columns) {
        let mass = of.model.mass * of.weighs;
        let mut whole = Composite {
            mass,
            moment: V3::zero(),
            inertia: Sym3::rotated_diagonal(of.frame.rotation.matrix(), of.model.inertia),
            force: splat(self.around.gravity) * mass,
            torque: V3::zero(),
        };
        let (force, _) = felt(of.field, of.frame, of.model, &whole, V3::zero(), self.drag);
        whole.force += force;
        whole.shifted(of.arm).store(&mut passed_on[0], at);
    }

    #[inline(always)]
    fn pass_on<T: Vector>(&self, block: &mut Block, carrier: &[u32; ROW], passed_on: &Columns) {
        add_lines::<T>(block, carrier, &passed_on[0], &mut [Row::ZERO; ROW]);
    }
}

/// Adds columns of a tile to the sums of the bodies in the slots `to`; `lines` is room to turn them in.
#[inline(always)]
pub(crate) fn add_lines<T: Vector>(
    block: &mut Block,
    to: &[u32; ROW],
    columns: &Tile,
    lines: &mut Tile,
) {
    T::transpose(each(columns), lines);
    for (line, &slot) in lines.iter().zip(to) {
        let (tile, lane) = tile_of(slot as usize);
        T::add_line(&mut block.composites[tile][lane], line);
    }
}

/// Before the way up through a block: nothing is passed on yet.
pub(crate) fn clear_sums(block: &mut Block) {
    for tile in 0..block.used {
        if tile < block.ghost_tiles() || block.links[tile].carries {
            block.composites[tile] = BLANK;
        }
    }
}

/// Before the way up through the spine: what its treelets left in their ghosts, in the order of blocks.
pub(crate) fn collect_sums(spine: &mut Block, blocks: &[Block]) {
    spine.composites.fill(BLANK);
    for block in blocks {
        for (ghost, &of) in block.ghosts.iter().enumerate() {
            let ((tile, lane), (from, at)) = (tile_of(of as usize), tile_of(ghost));
            f32::add_line(
                &mut spine.composites[tile][lane],
                &block.composites[from][at],
            );
        }
    }
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
        let mut fields = FieldTile::new(around);
        let mut waiting = Waiting::<T>::default();
        let mut tiles = block.tiles().rev();
        let (mut columns, mut sums) = (BLANK, BLANK);
        let (mut passed_on, mut lines) = (BLANK, BLANK);
        loop {
            let tile = tiles.next();
            if let Some(tile) = tile {
                block.fetch_part(tile - 1, Part::Model);
                own_columns::<T>(&block.frames, tile, &mut columns);
                let mut forces = fields.forces::<T>(
                    &block.links[tile].id,
                    &block.models[tile],
                    &columns,
                    around,
                );
                let loads = loads(block, tile);
                block.fetch_part(tile - 1, Part::Frames);
                let carries = block.links[tile].carries;
                if carries {
                    T::transpose(each(&block.composites[tile]), &mut sums);
                }
                for at in (0..ROW).step_by(T::WIDTH) {
                    let frame = Frame::<T>::of_columns(&columns, at);
                    let model: Model<T> = block.models[tile].load(at);
                    let theta = block.joints[tile].theta.load::<T>(at);
                    let pose = Pose::of(frame.rotation, Quaternion::from_joint_angle(theta));
                    let r = pose.body;
                    let com = r.z * model.com_z;
                    let mut whole = Composite {
                        mass: model.mass,
                        moment: com * model.mass,
                        inertia: Sym3::rotated_diagonal(r, model.inertia),
                        force: splat(around.gravity) * model.mass,
                        torque: V3::zero(),
                    };
                    let mut held = [T::zero(); 2];
                    if let Some(forces) = &mut forces {
                        let f = usable_forces::<T>(forces, block, tile, at, &mut counts);
                        held = [f.turning, f.twisting];
                        let (force, torque) = felt(&f, &frame, &model, &whole, com, drag);
                        whole.force += force;
                        whole.torque = torque;
                    }
                    whole.torque = com.cross_plus(whole.force, whole.torque);
                    if let Some([force, torque]) = &loads {
                        whole.force += force.load::<T>(at);
                        whole.torque += torque.load::<T>(at);
                    }
                    if carries {
                        whole = Composite::of_columns(&sums, at).joined(whole);
                    }
                    if kept {
                        whole.store(&mut block.composites[tile], at);
                    }
                    match springs {
                        Some(step) => {
                            waiting.take(block, (tile, at), &whole, &pose, held, step);
                        }
                        None => {
                            for (row, held) in block.held[tile].iter_mut().zip(held) {
                                held.store(row, at);
                            }
                        }
                    }
                    let arm = pose.joint.rotate(model.arm);
                    whole.shifted(arm).store(&mut passed_on, at);
                }
                block.fetch_part(tile - 1, Part::Joints);
                let parent = block.links[tile].parent;
                add_lines::<T>(block, &parent, &passed_on, &mut lines);
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

/// Force and torque of a field on bodies, at and about their centres of mass `com`, with as much feedback as a step can take.
#[inline(always)]
pub(crate) fn felt<T: Vector>(
    f: &FieldForce<T>,
    frame: &Frame<T>,
    model: &Model<T>,
    whole: &Composite<T>,
    com: V3<T>,
    drag: Drag,
) -> (V3<T>, V3<T>) {
    let h = T::splat(drag.h);
    let slow = h * model.depth * f.damping.trace().max(T::of(1e-30));
    let share = T::splat(drag.feedback) * (model.mass / slow).min(T::one());
    let resisted = f.damping.apply(frame.velocity_of(com));
    // I ω about the centre of mass, from that about the joint.
    let omega = frame.angular_velocity;
    let spin = whole.inertia.apply(omega) - whole.moment.cross(omega.cross(com));
    let rate = f.spin_rate.min(T::splat(1.0 / drag.h));
    (
        resisted.times_plus(T::one() - share, f.force),
        spin.times_plus(-rate, f.torque),
    )
}
