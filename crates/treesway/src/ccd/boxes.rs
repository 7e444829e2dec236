//! Swept boxes: what holds something from its start to its end.
//!
//! Two are offered. The axis-aligned one takes nothing to find and goes into the [`super::Hierarchy`]; the oriented one, of the paper, fits long thin stems better and
//! takes fifteen axes to compare. The example `swept_boxes` compares them.

use crate::math::{Matrix3, V3};

/// A box along the axes of the world, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisBox {
    /// Smallest coordinates.
    pub low: V3<f64>,
    /// Largest coordinates.
    pub high: V3<f64>,
}

impl AxisBox {
    /// Holds nothing.
    pub const EMPTY: Self = Self {
        low: V3 {
            x: f64::INFINITY,
            y: f64::INFINITY,
            z: f64::INFINITY,
        },
        high: V3 {
            x: f64::NEG_INFINITY,
            y: f64::NEG_INFINITY,
            z: f64::NEG_INFINITY,
        },
    };

    /// The smallest that also holds a ball.
    #[must_use]
    pub fn with(self, p: V3<f64>, radius: f64) -> Self {
        let (low, high) = (self.low, self.high);
        Self {
            low: V3 {
                x: low.x.min(p.x - radius),
                y: low.y.min(p.y - radius),
                z: low.z.min(p.z - radius),
            },
            high: V3 {
                x: high.x.max(p.x + radius),
                y: high.y.max(p.y + radius),
                z: high.z.max(p.z + radius),
            },
        }
    }

    /// Larger by so much on every side.
    #[must_use]
    pub fn grown(self, by: f64) -> Self {
        Self {
            low: self.low - V3::splat(by),
            high: self.high + V3::splat(by),
        }
    }

    /// Whether two have a point in common.
    pub fn meets(&self, o: &Self) -> bool {
        self.low.x <= o.high.x
            && o.low.x <= self.high.x
            && self.low.y <= o.high.y
            && o.low.y <= self.high.y
            && self.low.z <= o.high.z
            && o.low.z <= self.high.z
    }
}

/// A box along axes of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrientedBox {
    /// m.
    pub centre: V3<f64>,
    /// Unit vectors.
    pub axes: Matrix3<f64>,
    /// Half its extent along each, m.
    pub half: V3<f64>,
}

impl OrientedBox {
    /// The smallest along `axes` that holds balls of one radius.
    pub fn around(axes: Matrix3<f64>, points: impl Iterator<Item = V3<f64>>, radius: f64) -> Self {
        let held = points.fold(AxisBox::EMPTY, |held, p| {
            held.with(axes.apply_transposed(p), radius)
        });
        Self {
            centre: axes.apply((held.low + held.high) * 0.5),
            axes,
            half: (held.high - held.low) * 0.5,
        }
    }

    /// Axes with z along `along`, x as near to `across` as that allows.
    pub fn axes_along(along: V3<f64>, across: V3<f64>) -> Matrix3<f64> {
        let unit = |v: V3<f64>| {
            let length = v.length();
            (length > 1e-12).then(|| v * (1.0 / length))
        };
        let world = Matrix3::identity();
        let z = unit(along).unwrap_or(world.z);
        let aside = [across, world.x, world.y];
        let x = aside.into_iter().find_map(|v| unit(v - z * v.dot(z)));
        let x = x.unwrap_or(world.x);
        Matrix3 {
            x,
            y: z.cross(x),
            z,
        }
    }

    /// Whether no axis of either nor a product of two separates them (Gottschalk et al. 1996).
    pub fn meets(&self, o: &Self) -> bool {
        let d = o.centre - self.centre;
        let (a, b) = (
            [self.axes.x, self.axes.y, self.axes.z],
            [o.axes.x, o.axes.y, o.axes.z],
        );
        let reach = |n: V3<f64>| {
            let of = |axes: &[V3<f64>; 3], half: V3<f64>| {
                axes[0].dot(n).abs() * half.x
                    + axes[1].dot(n).abs() * half.y
                    + axes[2].dot(n).abs() * half.z
            };
            of(&a, self.half) + of(&b, o.half)
        };
        let apart = |n: V3<f64>| d.dot(n).abs() > reach(n);
        let faces = a.iter().chain(&b).any(|&n| apart(n));
        // A product of parallel axes is none: 0 > 0 does not hold, and no pair is lost.
        !faces && !a.iter().any(|&u| b.iter().any(|&v| apart(u.cross(v))))
    }
}
