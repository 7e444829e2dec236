//! How a leaf is made: a base stem, a midrib, and venations on either side whose ends are corners of the blade.
//!
//! The points of a leaf, in order: A and B, the ends of the base stem, from the parent's base line to the joint of the leaf; T, the end of the
//! midrib, which begins at B; L₁ … Lₙ and R₁ … Rₙ, the ends of the venations from base to tip. On a side the blade is the polygon B L₁ … Lₙ T
//! along the midrib, cut into n triangles: B L₁ T and Lᵢ Lᵢ₊₁ T.

use crate::math::V3;

/// How a blade is bent away from its pattern, rad, towards its upper side where positive. The sides turn about the midrib, and with them the venations; the
/// midrib curls, its end by that angle off its chord.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BladeBend {
    /// Side of +x.
    pub left: f32,
    /// Side of −x.
    pub right: f32,
    /// Of the midrib: its end is that part of its length above its straight line.
    pub curl: f32,
}

impl BladeBend {
    /// Turn of the side that `x` is on about +z, rad.
    fn turn(self, x: f64) -> f64 {
        if x < 0.0 {
            -f64::from(self.right)
        } else {
            f64::from(self.left)
        }
    }

    /// A part of the way to another: itself at 0, the other at 1, to the last bit.
    pub fn towards(self, to: Self, share: f32) -> Self {
        let part = |from: f32, to: f32| {
            if share == 1.0 {
                to
            } else {
                from + (to - from) * share
            }
        };
        Self {
            left: part(self.left, to.left),
            right: part(self.right, to.right),
            curl: part(self.curl, to.curl),
        }
    }

    /// Where a point of a straight leaf (x width, y normal, z length) of that length is, m.
    pub fn bent(self, p: V3<f64>, length: f64) -> V3<f64> {
        let (sin, cos) = libm::sincos(self.turn(p.x));
        V3 {
            x: cos * p.x - sin * p.y,
            y: sin * p.x + cos * p.y + f64::from(self.curl) * p.z * p.z / length,
            z: p.z,
        }
    }

    /// How the normal of a straight leaf at such a point stands, of length one.
    pub fn normal(self, p: V3<f64>, normal: V3<f64>, length: f64) -> V3<f64> {
        let (sin, cos) = libm::sincos(self.turn(p.x));
        let n = V3 {
            x: cos * normal.x - sin * normal.y,
            y: sin * normal.x + cos * normal.y,
            z: normal.z,
        };
        // The surface rises along z by that slope: its normal leans back by it.
        let slope = 2.0 * f64::from(self.curl) * p.z / length;
        let leaning = V3 {
            z: n.z - slope * n.y,
            ..n
        };
        leaning * (1.0 / leaning.length())
    }
}

/// Number of the point where the base stem begins, among those of its leaf.
pub const STALK: usize = 0;
/// Where the base stem ends and the midrib begins.
pub const BASE: usize = 1;
/// Where the midrib ends.
pub const TIP: usize = 2;
/// The first end of a venation.
pub const FIRST_VEIN: usize = 3;

/// Where venations end, the same for all leaves of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafPattern {
    /// Ends of the venations of a side from base to tip, as shares of the leaf: along its length, and across its half width.
    pub veins: Vec<Vein>,
    /// Thickness of the base stem over the length of the blade (default: 0.02).
    pub stalk: f64,
}

/// End of a venation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vein {
    /// From the base of the blade along the midrib, a share of the length, 0 to 1.
    pub along: f64,
    /// From the midrib, a share of half the width.
    pub across: f64,
    /// Above the midrib, along the leaf's normal, a share of half the width: blades are a little folded.
    pub above: f64,
}

impl Default for LeafPattern {
    /// Two venations on a side.
    fn default() -> Self {
        let vein = |along, across| Vein {
            along,
            across,
            above: 0.15 * across,
        };
        Self {
            veins: vec![vein(0.28, 1.0), vein(0.66, 0.8)],
            stalk: 0.02,
        }
    }
}

impl LeafPattern {
    /// Points of a leaf.
    pub fn points(&self) -> usize {
        FIRST_VEIN + 2 * self.veins.len()
    }

    /// Corners of the blade's triangles; their normals point to +y of the leaf.
    pub fn corners(&self) -> Vec<[usize; 3]> {
        let n = self.veins.len();
        let mut corners = Vec::with_capacity(2 * n);
        for (first, left) in [(FIRST_VEIN, true), (FIRST_VEIN + n, false)] {
            let mut from = BASE;
            for to in first..first + n {
                corners.push(if left {
                    [from, TIP, to]
                } else {
                    [from, to, TIP]
                });
                from = to;
            }
        }
        corners
    }

    /// Normal of a straight leaf at a point of its blade: sides are a little folded.
    pub fn normal_at(&self, p: V3<f64>) -> V3<f64> {
        let fold = self.veins.first().map_or(0.0, |v| v.above / v.across);
        let rise = match p.x {
            x if x > 0.0 => fold,
            x if x < 0.0 => -fold,
            _ => 0.0,
        };
        let n = V3 {
            x: -rise,
            y: 1.0,
            z: 0.0,
        };
        n * (1.0 / n.length())
    }

    /// Points from B on in the frame of a leaf (x width, y normal, z length) of that size, m.
    pub fn in_leaf(&self, length: f64, width: f64) -> impl Iterator<Item = V3<f64>> + '_ {
        let point = |x: f64, y: f64, z: f64| V3 { x, y, z };
        let side = move |sign: f64| {
            self.veins.iter().map(move |v| {
                point(
                    sign * v.across * 0.5 * width,
                    v.above * 0.5 * width,
                    v.along * length,
                )
            })
        };
        [point(0.0, 0.0, 0.0), point(0.0, 0.0, length)]
            .into_iter()
            .chain(side(1.0))
            .chain(side(-1.0))
    }
}
