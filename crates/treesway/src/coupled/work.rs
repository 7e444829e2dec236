//! What the coupled solver keeps of a tile of bodies between the ways up and down, in the same memory:
//!
//! - on the way up, until the tile's turn: two lines per body with the sum of what its children pass on;
//! - from then on: what the way down needs of its joints, by rows, and in the last rows a quad per body with the mean acceleration of
//!   its joint.

use super::articulated::{Articulated, Hinge};
use crate::math::simd::{ROW, Row, Tile, Vector, matrix, symmetric, vector};
use crate::math::{Matrix3, Quaternion, Real, V3};
use wide::f32x4;

/// Rows of a tile.
const ROWS: usize = 2 * ROW;
/// First row of the quads.
const QUADS: usize = ROWS - 4;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Work([Row; ROWS]);

/// What the way down needs of a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage<T> {
    pub(crate) hinge: Hinge<T>,
    /// World from joint frame at the start of the step.
    pub(crate) joint: Quaternion<T>,
    /// From the parent's joint to this one at the start of the step, m, world.
    pub(crate) arm: V3<T>,
}

impl<T: Real> Passage<T> {
    /// Of a joint that does not turn.
    pub(crate) fn nothing() -> Self {
        let zero = V3::zero();
        let none = Matrix3 {
            x: zero,
            y: zero,
            z: zero,
        };
        Self {
            hinge: Hinge {
                turn: zero,
                on_alpha: none,
                on_a: none,
            },
            joint: Quaternion::identity(),
            arm: zero,
        }
    }
}

impl Work {
    pub(crate) const EMPTY: Self = Self([Row::ZERO; ROWS]);

    /// Both lines of a body.
    #[inline(always)]
    fn lines(&mut self, lane: usize) -> &mut [Row; 2] {
        self.0[2 * lane..]
            .first_chunk_mut()
            .expect("a tile has two lines per body")
    }

    #[inline(always)]
    fn line_of_each(&self, which: usize) -> [&Row; ROW] {
        let mut lines = [&self.0[which]; ROW];
        for (lane, line) in lines.iter_mut().enumerate() {
            *line = &self.0[2 * lane + which];
        }
        lines
    }

    /// Adds what a body passes on.
    #[inline(always)]
    pub(crate) fn add<T: Vector>(&mut self, lane: usize, first: &Row, second: &Row) {
        let [a, b] = self.lines(lane);
        T::add_line(a, first);
        T::add_line(b, second);
    }

    /// Adds the sums of a ghost to those of the body it stands for.
    pub(crate) fn add_ghost(&mut self, lane: usize, ghost: &Work, ghost_lane: usize) {
        let mut from = *ghost;
        let [first, second] = *from.lines(ghost_lane);
        self.add::<f32>(lane, &first, &second);
    }

    /// The sums of all bodies, by columns.
    #[inline(always)]
    pub(crate) fn sums<T: Vector>(&self, sums: &mut [Tile; 2]) {
        T::transpose(self.line_of_each(0), &mut sums[0]);
        T::transpose(self.line_of_each(1), &mut sums[1]);
    }

    #[inline(always)]
    pub(crate) fn set<T: Vector>(&mut self, at: usize, p: Passage<T>) {
        let Passage {
            hinge:
                Hinge {
                    turn,
                    on_alpha: x,
                    on_a: y,
                },
            joint: q,
            arm: d,
        } = p;
        let numbers = [
            turn.x, turn.y, turn.z, x.x.x, x.x.y, x.x.z, x.y.x, x.y.y, x.y.z, x.z.x, x.z.y, x.z.z,
            y.x.x, y.x.y, y.x.z, y.y.x, y.y.y, y.y.z, y.z.x, y.z.y, y.z.z, q.v.x, q.v.y, q.v.z,
            q.w, d.x, d.y, d.z,
        ];
        for (row, n) in self.0[..QUADS].iter_mut().zip(numbers) {
            n.store(row, at);
        }
    }

    #[inline(always)]
    pub(crate) fn get<T: Vector>(&self, at: usize) -> Passage<T> {
        let rows = &self.0;
        Passage {
            hinge: Hinge {
                turn: vector(rows, 0, at),
                on_alpha: matrix(rows, 3, at),
                on_a: matrix(rows, 12, at),
            },
            joint: Quaternion {
                v: vector(rows, 21, at),
                w: T::load(&rows[24], at),
            },
            arm: vector(rows, 25, at),
        }
    }

    /// Adds to H⁻¹u of a joint, after its turn on the way up.
    pub(crate) fn add_turn(&mut self, lane: usize, turn: V3<f32>) {
        for (row, n) in self.0.iter_mut().zip([turn.x, turn.y, turn.z]) {
            row.0[lane] += n;
        }
    }

    /// A joint that does not turn.
    pub(crate) fn lock(&mut self, lane: usize) {
        // `turn`, `on_alpha` and `on_a`.
        self.0[..21].iter_mut().for_each(|row| row.0[lane] = 0.0);
    }

    #[inline(always)]
    pub(crate) fn quad(&self, lane: usize) -> [f32; 4] {
        *self.0[QUADS + lane / 4].0[4 * (lane % 4)..]
            .first_chunk()
            .expect("a row has four quads")
    }

    pub(crate) fn set_quad(&mut self, lane: usize, quad: [f32; 4]) {
        self.0[QUADS + lane / 4].0[4 * (lane % 4)..][..4].copy_from_slice(&quad);
    }

    /// Sets the acceleration of all bodies, m/s².
    #[inline(always)]
    pub(crate) fn set_accelerations(&mut self, a: &V3<Row>) {
        for four in 0..4 {
            let at = 4 * four;
            let columns = [
                f32x4::load(&a.x, at),
                f32x4::load(&a.y, at),
                f32x4::load(&a.z, at),
                f32x4::ZERO,
            ];
            let row = &mut self.0[QUADS + four];
            for (i, quad) in f32x4::transpose(columns).into_iter().enumerate() {
                quad.store(row, 4 * i);
            }
        }
    }
}

/// Accelerations of sixteen bodies anywhere in a block.
#[inline(always)]
pub(crate) fn accelerations(work: &[Work], slots: &[u32; ROW]) -> V3<Row> {
    let mut a = V3 {
        x: Row::ZERO,
        y: Row::ZERO,
        z: Row::ZERO,
    };
    for four in 0..4 {
        let at = 4 * four;
        let mut quads = [f32x4::ZERO; 4];
        for (quad, &slot) in quads.iter_mut().zip(&slots[at..]) {
            *quad = f32x4::new(work[slot as usize / ROW].quad(slot as usize % ROW));
        }
        let [x, y, z, _] = f32x4::transpose(quads);
        x.store(&mut a.x, at);
        y.store(&mut a.y, at);
        z.store(&mut a.z, at);
    }
    a
}

/// What a tile passes on, by columns: the numbers of [`Articulated`] in the order of the two lines.
#[inline(always)]
pub(crate) fn store_sums<T: Vector>(columns: &mut [Tile; 2], at: usize, s: &Articulated<T>) {
    let first = [
        s.a.xx, s.a.yy, s.a.zz, s.a.xy, s.a.xz, s.a.yz, s.c.xx, s.c.yy, s.c.zz, s.c.xy, s.c.xz,
        s.c.yz, s.torque.x, s.torque.y, s.torque.z, s.force.x,
    ];
    let second = [
        s.force.y, s.force.z, s.b.x.x, s.b.x.y, s.b.x.z, s.b.y.x, s.b.y.y, s.b.y.z, s.b.z.x,
        s.b.z.y, s.b.z.z,
    ];
    for (column, n) in columns[0].iter_mut().zip(first) {
        n.store(column, at);
    }
    for (column, n) in columns[1].iter_mut().zip(second) {
        n.store(column, at);
    }
}

/// The same back.
#[inline(always)]
pub(crate) fn load_sums<T: Vector>(columns: &[Tile; 2], at: usize) -> Articulated<T> {
    let [first, second] = columns;
    Articulated {
        a: symmetric(first, 0, at),
        c: symmetric(first, 6, at),
        torque: vector(first, 12, at),
        force: V3 {
            x: T::load(&first[15], at),
            y: T::load(&second[0], at),
            z: T::load(&second[1], at),
        },
        b: matrix(second, 2, at),
    }
}
