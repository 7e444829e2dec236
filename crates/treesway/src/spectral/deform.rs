//! Where the points of a branch are (Habel 2009, §4.2, 4.3 and 6). `spectral.wgsl` of the skin is the twin of this file on the GPU.
//!
//! A branch at rest is a straight line from o along t, of length L; r and s are across it. Its tip is away by A = (A_r, A_s), in lengths of the branch.
//! A point at x, 0 to 1, belongs to the point a = o + x L t of the line.
//!
//! [`Bending::Exact`]: both directions have one shape, so that the branch bends in the plane of t and e = (A_r r + A_s s)/|A|. Its slope
//! m = |A| u′(x) is taken over its own length, and cross-sections turn:
//!
//!   p ← a + L (X − x) t + L Y e + R (p − a),   X = ∫ 1/√(1 + m²),   Y = ∫ m/√(1 + m²),   R: t → (t + m e)/√(1 + m²).
//!
//! [`Bending::Printed`]: with s_r = √(1 + u_r′²), d_r = (u_r/u_r′)(s_r − 1), and the same along s,
//!
//!   p ← p − L (d_r/s_r + d_s/s_s) t + L u_r/s_r r + L u_s/s_s s                                       (12, 20)
//!   n ← n − (u_r′(x_r) (r·n) + u_s′(x_s) (s·n)) t,   x_r = x − d_r/s_r                                 (21, 23)
//!
//! [`Bending::Simple`]: u_r r + u_s s, nothing else.
//!
//! What grows on a branch is at one x of it, where it is attached. Branches are gone through from the tips to the root, each in its pose at rest: a child
//! that is bent first and then carried by its parent needs no transformed axes. (The paper goes from the trunk up and carries the axes
//! of all children along, which is the same; its (13) has s_r where s_s belongs.)

use super::beam::bent;
use super::model::SpectralBranch;
use super::settings::Bending;
use crate::math::{Quaternion, V3};

/// Gauss's points and weights for an integral over 0 … 1.
const GAUSS: [(f32, f32); 4] = [
    (0.069_431_84, 0.173_927_42),
    (0.330_009_5, 0.326_072_57),
    (0.669_990_5, 0.326_072_57),
    (0.930_568_16, 0.173_927_42),
];
/// A branch that is bent by less is not, in its lengths.
const LEAST: f32 = 1e-9;

/// A point of the surface with a direction, both in the pose at rest before and as they are after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bent {
    /// m.
    pub position: V3<f32>,
    /// A normal; of length one after [`Bending::Exact`] alone.
    pub normal: V3<f32>,
    /// A tangent, in the same way.
    pub tangent: V3<f32>,
}

/// What one branch does at one x of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Map {
    /// Turns about `centre` by `turn`, then moves by `shift`.
    Turned {
        centre: V3<f32>,
        shift: V3<f32>,
        turn: Turn,
    },
    /// Moves; slopes along r and s shear directions.
    Moved {
        shift: V3<f32>,
        axis: V3<f32>,
        lean: V3<f32>,
    },
}

/// The rotation t → c t + s e in the plane of t and e.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    axis: V3<f32>,
    towards: V3<f32>,
    cos: f32,
    sin: f32,
}

impl Turn {
    /// t → (t + m e)/√(1 + m²).
    #[inline]
    pub(super) fn by_slope(axis: V3<f32>, towards: V3<f32>, slope: f32) -> Self {
        let cos = 1.0 / (1.0 + slope * slope).sqrt();
        Self {
            axis,
            towards,
            cos,
            sin: slope * cos,
        }
    }

    #[inline]
    pub(super) fn apply(&self, v: V3<f32>) -> V3<f32> {
        let (along, aside) = (v.dot(self.axis), v.dot(self.towards));
        let more = (self.cos - 1.0) * along - self.sin * aside;
        let other = (self.cos - 1.0) * aside + self.sin * along;
        v + self.axis * more + self.towards * other
    }

    pub(super) fn quaternion(&self) -> Quaternion<f32> {
        let w = (0.5 * (1.0 + self.cos)).sqrt();
        Quaternion {
            v: self.axis.cross(self.towards) * (0.5 * self.sin / w),
            w,
        }
    }
}

impl Map {
    /// Of a branch whose tip is away by `away`, at x.
    #[inline]
    pub(super) fn of(branch: &SpectralBranch, bending: Bending, away: [f32; 2], x: f32) -> Self {
        let (axis, side) = (v3(branch.axis), v3(branch.side));
        let other = axis.cross(side);
        let shape = [branch.c2, branch.c4];
        let length = branch.length;
        match bending {
            Bending::Exact => {
                let size = (away[0] * away[0] + away[1] * away[1]).sqrt();
                let towards = (side * away[0] + other * away[1]) * (1.0 / size.max(LEAST));
                let slope = |x: f32| size * bent(shape, x).1;
                let (mut along, mut aside) = (0.0, 0.0);
                for (point, weight) in GAUSS {
                    let m = slope(x * point);
                    let share = weight / (1.0 + m * m).sqrt();
                    along += share;
                    aside += share * m;
                }
                let shift = axis * (length * x * (along - 1.0)) + towards * (length * x * aside);
                let centre = v3(branch.origin) + axis * (length * x);
                Self::Turned {
                    centre,
                    shift,
                    turn: Turn::by_slope(axis, towards, slope(x)),
                }
            }
            Bending::Printed => {
                let [r, s] = away.map(|a| Corrected::of(shape, a, x));
                Self::Moved {
                    shift: axis * (-length * (r.back + s.back))
                        + side * (length * r.out)
                        + other * (length * s.out),
                    axis,
                    lean: side * r.slope + other * s.slope,
                }
            }
            Bending::Simple => {
                let u = length * bent(shape, x).0;
                let shift = side * (u * away[0]) + other * (u * away[1]);
                Self::Moved {
                    shift,
                    axis,
                    lean: V3::zero(),
                }
            }
        }
    }

    /// Where a point goes that finer levels have brought from `at_rest` to `p`: what they moved it by is carried along.
    #[inline]
    pub(super) fn apply(&self, at_rest: V3<f32>, p: Bent) -> Bent {
        let position = match self {
            Self::Turned {
                centre,
                shift,
                turn,
            } => *centre + *shift + turn.apply(p.position - *centre),
            Self::Moved { shift, .. } => at_rest + self.tangent(p.position - at_rest) + *shift,
        };
        Bent {
            position,
            normal: self.normal(p.normal),
            tangent: self.tangent(p.tangent),
        }
    }

    /// (22).
    #[inline]
    fn tangent(&self, v: V3<f32>) -> V3<f32> {
        match self {
            Self::Turned { turn, .. } => turn.apply(v),
            Self::Moved { axis, lean, .. } => v + *lean * axis.dot(v),
        }
    }

    /// (23).
    #[inline]
    fn normal(&self, n: V3<f32>) -> V3<f32> {
        match self {
            Self::Turned { turn, .. } => turn.apply(n),
            Self::Moved { axis, lean, .. } => n - *axis * lean.dot(n),
        }
    }

    /// How it turns a body.
    pub(super) fn turn(&self) -> Quaternion<f32> {
        match self {
            Self::Turned { turn, .. } => turn.quaternion(),
            Self::Moved { axis, lean, .. } => {
                let slope = lean.length();
                Turn::by_slope(*axis, *lean * (1.0 / slope.max(LEAST)), slope).quaternion()
            }
        }
    }
}

/// Length correction along one direction (8–10, 21), in lengths of the branch.
struct Corrected {
    /// d/s.
    back: f32,
    /// u/s.
    out: f32,
    /// u′ at the corrected x.
    slope: f32,
}

impl Corrected {
    fn of(shape: [f32; 2], amplitude: f32, x: f32) -> Self {
        let (u, slope) = bent(shape, x);
        let (u, slope) = (amplitude * u, amplitude * slope);
        let s = (1.0 + slope * slope).sqrt();
        // (u/u′)(s − 1) = u u′/(s + 1), which is not 0/0 at the root.
        let back = u * slope / ((s + 1.0) * s);
        Self {
            back,
            out: u / s,
            slope: amplitude * bent(shape, x - back).1,
        }
    }
}

#[inline]
pub(super) fn v3([x, y, z]: [f32; 3]) -> V3<f32> {
    V3 { x, y, z }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectral::beam::shape;

    fn branch(alpha: f64) -> SpectralBranch {
        let [c2, c4] = shape(alpha);
        SpectralBranch {
            c2,
            c4,
            length: 1.0,
            axis: [0.0, 1.0, 0.0],
            side: [1.0, 0.0, 0.0],
            ..SpectralBranch::default()
        }
    }

    fn along_axis(x: f32) -> Bent {
        Bent {
            position: V3 {
                x: 0.0,
                y: x,
                z: 0.0,
            },
            normal: V3 {
                x: 1.0,
                y: 0.0,
                z: 0.0,
            },
            tangent: V3 {
                x: 0.0,
                y: 1.0,
                z: 0.0,
            },
        }
    }

    fn curve(branch: &SpectralBranch, bending: Bending, away: [f32; 2]) -> Vec<Bent> {
        const POINTS: u32 = 400;
        let points = (0..=POINTS).map(|i| {
            let x = i as f32 / POINTS as f32;
            {
                let p = along_axis(x);
                Map::of(branch, bending, away, x).apply(p.position, p)
            }
        });
        points.collect()
    }

    fn length(curve: &[Bent]) -> f32 {
        curve
            .windows(2)
            .map(|w| (w[1].position - w[0].position).length())
            .sum()
    }

    /// The amplitude at which the tip is away by `tip`.
    fn amplitude(branch: &SpectralBranch, bending: Bending, tip: f32) -> f32 {
        let (mut low, mut high) = (0.0, 4.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            let p = along_axis(1.0);
            let end = Map::of(branch, bending, [middle, 0.0], 1.0).apply(p.position, p);
            if end.position.x < tip {
                low = middle
            } else {
                high = middle
            }
        }
        low
    }

    #[test]
    fn exact_bending_keeps_the_length() {
        for alpha in [0.05, 0.2, 0.5, 1.0] {
            let branch = branch(alpha);
            for tip in [0.1, 0.25, 0.4, 0.6] {
                let away = amplitude(&branch, Bending::Exact, tip);
                let exact =
                    length(&curve(&branch, Bending::Exact, [0.8 * away, -0.6 * away])) - 1.0;
                // Of the deflection before it is corrected: what is left of it has a limit, u/u′.
                let printed = length(&curve(&branch, Bending::Printed, [tip, 0.0])) - 1.0;
                println!(
                    "α {alpha}, tip {tip}: exact {:+.2} %, printed {:+.2} %",
                    100.0 * exact,
                    100.0 * printed
                );
                assert!(exact.abs() < 0.005, "α {alpha}, tip {tip}: {exact}");
                // The paper's correction shortens what tapers.
                let shortens = tip > 0.2 && alpha < 0.3;
                assert!(!shortens || (-0.11..-0.02).contains(&printed), "{printed}");
            }
        }
    }

    /// Largest angle, degrees, between the tangents that are handed on and those of the curve itself.
    fn tangents_off(bending: Bending, tip: f32, alpha: f64) -> f32 {
        let branch = branch(alpha);
        let away = match bending {
            Bending::Exact => amplitude(&branch, bending, tip),
            _ => tip,
        };
        let curve = curve(&branch, bending, [away, 0.0]);
        let off = curve.windows(3).map(|w| {
            let chord = w[2].position - w[0].position;
            let (c, t) = (
                chord * (1.0 / chord.length()),
                w[1].tangent * (1.0 / w[1].tangent.length()),
            );
            let n = w[1].normal * (1.0 / w[1].normal.length());
            c.cross(t)
                .length()
                .max(c.dot(n).abs())
                .min(1.0)
                .asin()
                .to_degrees()
        });
        off.fold(0.0, f32::max)
    }

    #[test]
    fn tangents_and_normals_follow_the_curve() {
        for alpha in [0.1, 0.3, 1.0] {
            for tip in [0.1, 0.25, 0.4, 0.6] {
                let [exact, printed] =
                    [Bending::Exact, Bending::Printed].map(|b| tangents_off(b, tip, alpha));
                println!("α {alpha}, tip {tip}: exact {exact:.2}°, printed {printed:.2}°");
                assert!(exact < 1.5, "α {alpha}, tip {tip}: {exact}°");
            }
        }
    }

    #[test]
    fn what_is_not_bent_stays() {
        let branch = branch(0.3);
        let point = along_axis(0.7);
        for bending in [Bending::Exact, Bending::Printed, Bending::Simple] {
            assert_eq!(
                Map::of(&branch, bending, [0.0; 2], 0.7).apply(point.position, point),
                point
            );
        }
    }

    #[test]
    fn turns_and_quaternions_agree() {
        let turn = Turn::by_slope(v3([0.0, 0.6, 0.8]), v3([1.0, 0.0, 0.0]), 0.9);
        for v in [[1.0, 2.0, 3.0], [-0.3, 0.1, 0.0]].map(v3) {
            assert!((turn.apply(v) - turn.quaternion().rotate(v)).length() < 1e-6);
        }
    }
}
