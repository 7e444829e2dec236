//! What lies under the trees, and how what falls comes to rest on it.

use crate::desc::{BodyId, BodyKind};
use crate::kinematics::Frame;
use crate::math::simd::{Row, Vector};
use crate::math::{Matrix3, Quaternion, Real, Rng, V3};
use std::sync::Arc;

/// The ground that leaves, fruit, balls and broken branches fall on. Trees do not feel it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Ground {
    /// There is none: what falls goes on falling.
    None,
    /// Level ground at this height, m (default: 0).
    Plane(f32),
    /// Hills.
    Field(Arc<HeightField>),
}

impl Default for Ground {
    fn default() -> Self {
        Self::Plane(0.0)
    }
}

impl Ground {
    /// Under a place, m; what falls never meets ground that is not there.
    pub fn height_at(&self, x: f32, z: f32) -> f32 {
        match self {
            Self::None => f32::NEG_INFINITY,
            Self::Plane(height) => *height,
            Self::Field(field) => field.height_at(x, z),
        }
    }

    /// The same under several places.
    #[inline(always)]
    pub(crate) fn heights_at<T: Vector>(&self, at: V3<T>) -> T {
        let Self::Field(field) = self else {
            return T::splat(self.height_at(0.0, 0.0));
        };
        let (mut x, mut z, mut heights) = (Row::ZERO, Row::ZERO, Row::ZERO);
        at.x.store(&mut x, 0);
        at.z.store(&mut z, 0);
        for lane in 0..T::WIDTH {
            heights.0[lane] = field.height_at(x.0[lane], z.0[lane]);
        }
        T::load(&heights, 0)
    }
}

/// Heights over a level grid, joined by triangles. Beyond its edge there is no ground.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    corner: [f32; 2],
    cell: f32,
    columns: usize,
    heights: Vec<f32>,
}

impl HeightField {
    /// A field whose first height is over `corner` = (x, z), m, with rows along x of `columns` heights each, m, one after the other along z, `cell` m apart.
    ///
    /// # Panics
    /// If there are fewer than two columns or rows, if the last row is not full, or if a number is not finite.
    pub fn new(corner: [f32; 2], cell: f32, columns: usize, heights: Vec<f32>) -> Self {
        let rows = heights.len() / columns.max(1);
        assert!(
            columns >= 2 && rows >= 2,
            "a field has two rows and columns"
        );
        assert_eq!(heights.len(), rows * columns, "rows are equally long");
        let finite = |numbers: &[f32]| numbers.iter().all(|x| x.is_finite());
        assert!(finite(&heights) && finite(&corner), "heights are finite");
        assert!(cell.is_finite() && cell > 0.0, "cells have a size");
        Self {
            corner,
            cell,
            columns,
            heights,
        }
    }

    /// Heights along x and along z.
    pub fn size(&self) -> [usize; 2] {
        [self.columns, self.heights.len() / self.columns]
    }

    /// Of a crossing of the grid, m.
    pub fn height(&self, column: usize, row: usize) -> f32 {
        self.heights[row * self.columns + column]
    }

    /// Where the first height is, and how far apart they are, m.
    pub fn extent(&self) -> ([f32; 2], f32) {
        (self.corner, self.cell)
    }

    pub(crate) fn height_at(&self, x: f32, z: f32) -> f32 {
        let [columns, rows] = self.size();
        let (u, w) = (
            (x - self.corner[0]) / self.cell,
            (z - self.corner[1]) / self.cell,
        );
        let inside = |at: f32, n: usize| at >= 0.0 && at <= (n - 1) as f32;
        if !(inside(u, columns) && inside(w, rows)) {
            return f32::NEG_INFINITY;
        }
        let (i, j) = ((u as usize).min(columns - 2), (w as usize).min(rows - 2));
        let (u, w) = (u - i as f32, w - j as f32);
        let across = [self.height(i + 1, j), self.height(i, j + 1)];
        // Cells are divided between the corners that come second and third.
        let (from, u, w) = if u + w <= 1.0 {
            (self.height(i, j), u, w)
        } else {
            (self.height(i + 1, j + 1), 1.0 - w, 1.0 - u)
        };
        from + u * (across[0] - from) + w * (across[1] - from)
    }
}

/// Friction of a leaf or a fruit that slides.
const FRICTION: f32 = 0.6;
/// Share of its speed with which a fruit bounces back from grass.
const BOUNCE: f32 = 0.3;
/// How fast a leaf that stands on its edge falls flat, 1/s: about √(g/ℓ) of a leaf of 10 cm.
const FLATTENING: f32 = 10.0;
/// What is slower than this comes to rest, m/s.
const SLOW: f32 = 0.08;
/// Leaves come to rest on grass and on each other, none of them quite level: sine of the largest tilt.
const MOST_TILT: f32 = 0.25;
/// Sine of the tilt of a leaf that is called flat.
const LEAST_TILT: f32 = 0.02;

/// From the centre of mass to the lowest point of a leaf or fruit, along y, m; not positive.
#[inline(always)]
pub(crate) fn lowest<T: Real>(axes: Matrix3<T>, kind: T, com_z: T, size: V3<T>) -> T {
    // The corners of a leaf are its joint and both ends of its width.
    let half_width = size.y * T::of(0.5);
    let ends = axes.z.y * (size.x - com_z) - axes.x.y.abs() * half_width;
    let leaf = ends.min(-(axes.z.y * com_z));
    let is_leaf = kind.lt(T::of(f64::from(BodyKind::Leaf as u8) + 0.5));
    T::select(is_leaf, leaf, -size.x)
}

/// A leaf or fruit that touches the ground.
pub(crate) struct Touching {
    pub(crate) id: BodyId,
    pub(crate) kind: BodyKind,
    pub(crate) com_z: f32,
    /// See [`crate::block::Sizes`].
    pub(crate) size: V3<f32>,
    /// Before the step.
    pub(crate) before: Frame<f32>,
}

impl Touching {
    /// The body after a step of `h` s on ground of this height under `gravity`, m/s², and whether it rests. Close to the ground there is no
    /// wind: what touches it slides as it came, slower by friction. A leaf falls flat, a fruit bounces and rolls.
    pub(crate) fn settled(&self, height: f32, gravity: f32, h: f32) -> (Frame<f32>, bool) {
        let mut frame = self.before;
        let arm = self.arm(&frame);
        let came = frame.velocity + frame.angular_velocity.cross(arm);
        let speed = (came.x * came.x + came.z * came.z).sqrt();
        let left = (1.0 - FRICTION * gravity * h / speed.max(1e-6)).max(0.0);
        let mut velocity = V3 {
            x: came.x * left,
            y: 0.0,
            z: came.z * left,
        };
        let (omega, lies) = match self.kind {
            BodyKind::Fruit => {
                if -came.y > gravity * h + SLOW {
                    velocity.y = -came.y * BOUNCE;
                }
                (rolling(velocity, self.size.x), velocity.y == 0.0)
            }
            BodyKind::Leaf | BodyKind::Segment => self.falling_flat(),
        };
        let mut centre = frame.position + arm + velocity * h;
        let rests = lies && speed * left < SLOW;
        if !rests {
            let turn = Quaternion::from_joint_angle(omega * h);
            frame.rotation = turn.times(frame.rotation).renormalised();
        }
        centre.y = height - self.lowest(&frame);
        let (arm, moving) = (self.arm(&frame), if rests { 0.0 } else { 1.0 });
        frame.position = centre - arm;
        frame.angular_velocity = omega * moving;
        frame.velocity = (velocity - omega.cross(arm)) * moving;
        (frame, rests)
    }

    /// How a leaf turns that touches the ground, and whether it lies as flat as it will.
    fn falling_flat(&self) -> (V3<f32>, bool) {
        let normal = self.before.rotation.matrix().y;
        let up = if normal.y < 0.0 { -normal } else { normal };
        // n × ŷ, as long as the sine of the tilt.
        let tilt = V3 {
            x: -up.z,
            y: 0.0,
            z: up.x,
        };
        let own = MOST_TILT * Rng::new(0, self.id.0.into()).unit() as f32;
        (tilt * FLATTENING, tilt.length() < own.max(LEAST_TILT))
    }

    fn arm(&self, frame: &Frame<f32>) -> V3<f32> {
        frame.rotation.matrix().z * self.com_z
    }

    fn lowest(&self, frame: &Frame<f32>) -> f32 {
        let kind = f32::from(self.kind as u8);
        lowest(frame.rotation.matrix(), kind, self.com_z, self.size)
    }
}

/// ω = ŷ × v / r.
fn rolling(velocity: V3<f32>, radius: f32) -> V3<f32> {
    V3 {
        x: velocity.z / radius,
        y: 0.0,
        z: -velocity.x / radius,
    }
}
