//! From joint angles to the world, root to tips (Quigley 2017, §4, Eq. 7–12).
//!
//! Reads θ, θ̇ and the anchor; writes orientation, position and velocity of every body. The paper keeps centres of mass; here
//! the joint's own motion is kept, so that for a child c of p at d = R_p R_j arm
//!
//!   R_c = R_p R_j exp(θ),  ω_c = ω_p + R_p R_j θ̇,  α_c = α_p + R_p R_j θ̈ + ω_p × ω_c,            (7–9)
//!   x_c = x_p + d,  v_c = v_p + ω_p × d,  a_c = a_p + α_p × d + ω_p × (ω_p × d),                  (10–12)
//!
//! and joints cannot come apart. Accelerations are not kept: no step needs them but fictitious forces of the tree's own motion, which
//! follow them down the tree themselves.

use crate::analytic::spring::JointState;
use crate::block::{Block, Model, Part};
use crate::math::simd::{BLANK, Isa, Kernel, ROW, Row, Rows, Tile, Vector, dispatch, each, vector};
use crate::math::{Quaternion, Real, V3};
use crate::root::Anchor;

/// World motion of a body's frame: a line of sixteen numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<T> {
    pub(crate) rotation: Quaternion<T>,
    pub(crate) position: V3<T>,
    pub(crate) velocity: V3<T>,
    pub(crate) angular_velocity: V3<T>,
    /// Of the coupled solver: mean angular acceleration over the step.
    pub(crate) alpha: V3<T>,
}

impl<T> Frame<T> {
    /// In the order of a line.
    #[inline(always)]
    fn numbers(self) -> [T; ROW] {
        let Self {
            rotation: q,
            position: x,
            velocity: v,
            angular_velocity: w,
            alpha: a,
        } = self;
        [
            q.v.x, q.v.y, q.v.z, q.w, x.x, x.y, x.z, v.x, v.y, v.z, w.x, w.y, w.z, a.x, a.y, a.z,
        ]
    }
}

impl<T: Real> Frame<T> {
    /// `yes` where the mask holds, else `no`.
    #[inline(always)]
    pub(crate) fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        Self {
            rotation: Quaternion {
                v: V3::select(mask, yes.rotation.v, no.rotation.v),
                w: T::select(mask, yes.rotation.w, no.rotation.w),
            },
            position: V3::select(mask, yes.position, no.position),
            velocity: V3::select(mask, yes.velocity, no.velocity),
            angular_velocity: V3::select(mask, yes.angular_velocity, no.angular_velocity),
            alpha: V3::select(mask, yes.alpha, no.alpha),
        }
    }
}

impl<T: Vector> Frame<T> {
    /// Of the bodies from `at` on; `columns` are the lines of a tile, transposed.
    #[inline(always)]
    pub(crate) fn of_columns(columns: &[Row; ROW], at: usize) -> Self {
        Self {
            rotation: Quaternion {
                v: vector(columns, 0, at),
                w: T::load(&columns[3], at),
            },
            position: vector(columns, 4, at),
            velocity: vector(columns, 7, at),
            angular_velocity: vector(columns, 10, at),
            alpha: vector(columns, 13, at),
        }
    }

    #[inline(always)]
    pub(crate) fn store(self, columns: &mut [Row; ROW], at: usize) {
        for (column, x) in columns.iter_mut().zip(self.numbers()) {
            x.store(column, at);
        }
    }
}

impl<T: Real> Frame<T> {
    /// Velocity of a point of the body at `r` from its joint, m/s.
    #[inline(always)]
    pub(crate) fn velocity_of(&self, r: V3<T>) -> V3<T> {
        self.angular_velocity.cross_plus(r, self.velocity)
    }
}

impl Frame<f32> {
    /// At the origin.
    pub(crate) fn at_rest() -> Self {
        let zero = V3::zero();
        Self {
            rotation: Quaternion::identity(),
            position: zero,
            velocity: zero,
            angular_velocity: zero,
            alpha: zero,
        }
    }

    pub(crate) fn of_anchor(anchor: &Anchor) -> Self {
        Self {
            rotation: anchor.rotation.narrow(),
            position: anchor.position.narrow(),
            velocity: anchor.velocity.narrow(),
            angular_velocity: anchor.angular_velocity.narrow(),
            alpha: V3::zero(),
        }
    }

    #[inline(always)]
    pub(crate) fn of_line(line: &Row) -> Self {
        let n = &line.0;
        let vector = |i: usize| V3 {
            x: n[i],
            y: n[i + 1],
            z: n[i + 2],
        };
        Self {
            rotation: Quaternion {
                v: vector(0),
                w: n[3],
            },
            position: vector(4),
            velocity: vector(7),
            angular_velocity: vector(10),
            alpha: vector(13),
        }
    }

    pub(crate) fn line(self) -> Row {
        Row(self.numbers())
    }
}

/// Where a body is whose parent is at `p`; `alpha` is passed on.
#[inline(always)]
pub(crate) fn placed<T: Real>(
    p: &Frame<T>,
    model: &Model<T>,
    joint: &JointState<T>,
    alpha: V3<T>,
) -> Frame<T> {
    let turn = p.rotation.times(model.joint_rotation);
    let by = Quaternion::from_joint_angle(joint.theta);
    let d = turn.rotate(model.arm);
    Frame {
        rotation: turn.times(by).renormalised(),
        position: p.position + d,
        velocity: p.velocity_of(d),
        angular_velocity: p.angular_velocity + turn.rotate(joint.rate),
        alpha,
    }
}

/// Acceleration of a body's frame: angular, and of its joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acceleration {
    pub(crate) alpha: V3<f32>,
    pub(crate) a: V3<f32>,
}

impl Acceleration {
    pub(crate) const NONE: Self = {
        let zero = V3 {
            x: 0.0,
            y: 0.0,
            z: 0.0,
        };
        Self {
            alpha: zero,
            a: zero,
        }
    };

    pub(crate) fn of_anchor(anchor: &Anchor) -> Self {
        Self {
            alpha: anchor.angular_acceleration.narrow(),
            a: anchor.acceleration.narrow(),
        }
    }

    /// Of a body whose parent is at `p` and accelerates so: (9) and (12).
    pub(crate) fn carried(
        self,
        p: &Frame<f32>,
        own: &Frame<f32>,
        model: &Model<f32>,
        joint: &JointState<f32>,
    ) -> Self {
        let turn = p.rotation.times(model.joint_rotation);
        let (d, omega) = (turn.rotate(model.arm), p.angular_velocity);
        Self {
            alpha: self.alpha + turn.rotate(joint.accel) + omega.cross(own.angular_velocity),
            a: self.a + self.alpha.cross(d) + omega.cross(omega.cross(d)),
        }
    }
}

/// Moves the bodies of the spine.
pub(crate) fn sweep_spine(spine: &mut Block, anchor: &Anchor, isa: Isa) {
    spine.frames[0] = Frame::of_anchor(anchor).line();
    sweep(spine, isa);
}

/// Moves the treelets of a block; the spine must have moved.
pub(crate) fn sweep_treelets(block: &mut Block, spine: &Block, isa: Isa) {
    copy_ghosts(block, spine);
    sweep(block, isa);
}

/// Moves the bodies of a block whose ghosts have moved.
pub(crate) fn sweep(block: &mut Block, isa: Isa) {
    dispatch(isa, Sweep(block));
}

/// Brings the frames of the spine that a block hangs on.
pub(crate) fn copy_ghosts(block: &mut Block, spine: &Block) {
    for (ghost, &of) in block.frames.iter_mut().zip(&block.ghosts) {
        *ghost = spine.frames[of as usize];
    }
}

/// The frames of the parents of a tile, by columns.
#[inline(always)]
pub(crate) fn parent_columns<T: Vector>(frames: &[Row], parent: &[u32; ROW], columns: &mut Tile) {
    let mut lines = [&frames[0]; ROW];
    for (line, &slot) in lines.iter_mut().zip(parent) {
        *line = &frames[slot as usize];
    }
    T::transpose(lines, columns);
}

/// The lines of a tile, by columns.
#[inline(always)]
pub(crate) fn own_columns<T: Vector>(frames: &[Row], tile: usize, columns: &mut Tile) {
    T::transpose(each(&frames[tile * ROW..]), columns);
}

/// Writes the lines of a tile from its columns.
#[inline(always)]
pub(crate) fn set_columns<T: Vector>(frames: &mut [Row], tile: usize, columns: &Tile) {
    let lines = frames[tile * ROW..].first_chunk_mut();
    T::transpose(each(columns), lines.expect("a tile has sixteen lines"));
}

/// How many tiles ahead memory is asked for one; the fewer the longer a tile takes.
const AHEAD: usize = 3;

struct Sweep<'a>(&'a mut Block);

impl Kernel for Sweep<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let block = self.0;
        let (mut parents, mut columns) = (BLANK, BLANK);
        for tile in block.tiles() {
            block.fetch_part(tile + AHEAD, Part::Frames);
            parent_columns::<T>(&block.frames, &block.links[tile].parent, &mut parents);
            for at in (0..ROW).step_by(T::WIDTH) {
                let parent = Frame::<T>::of_columns(&parents, at);
                let (model, joint) = (block.models[tile].load(at), block.joints[tile].load(at));
                placed(&parent, &model, &joint, V3::zero()).store(&mut columns, at);
            }
            block.fetch_part(tile + AHEAD, Part::Joints);
            block.fetch_part(tile + AHEAD, Part::Place);
            set_columns::<T>(&mut block.frames, tile, &columns);
        }
    }
}
