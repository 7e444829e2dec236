//! Wind grows with height: v(y) = v_ref (y/y_ref)^α.

use crate::math::simd::{ROW, Row, Vector};

/// How the wind grows with height above y = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct WindProfile {
    /// α (default: 0, the same at every height). Open land has 0.14, a park 0.2, a town or forest 0.3 or more.
    pub exponent: f32,
    /// Height of the mean velocity, m (default: 10, as in weather reports).
    pub height: f32,
}

impl Default for WindProfile {
    fn default() -> Self {
        Self {
            exponent: 0.0,
            height: 10.0,
        }
    }
}

/// Heights between which the profile is told, m; above the last it is constant.
const TOP: f64 = 144.0;
/// Steps per √m.
const STEPS: f64 = 16.0;
const KNOTS: usize = 193; // √TOP · STEPS + 1

/// The profile by table over √y, where it is smooth down to the ground: its value at each knot, and what it gains up to the next.
#[derive(Clone, Debug)]
pub(super) struct ProfileTable(Vec<[f32; 2]>);

impl ProfileTable {
    /// None where it would be 1 everywhere.
    pub(super) fn of(profile: &WindProfile) -> Option<Self> {
        let (alpha, height) = (f64::from(profile.exponent), f64::from(profile.height));
        let at = |i: usize| {
            let root = i as f64 / STEPS;
            libm::pow(root * root / height, alpha) as f32
        };
        let knot = |i: usize| [at(i), at(i + 1) - at(i)];
        (profile.exponent != 0.0).then(|| Self((0..KNOTS - 1).map(knot).collect()))
    }

    #[inline(always)]
    pub(super) fn at(&self, y: f32) -> f32 {
        let mut share = Row::ZERO;
        self.shares::<f32>(&Row::splat(y), &mut share);
        share.0[0]
    }

    /// At sixteen heights.
    #[inline(always)]
    pub(super) fn shares<T: Vector>(&self, y: &Row, share: &mut Row) {
        let (mut steps, mut knot, mut value, mut gain) =
            (Row::ZERO, Row::ZERO, Row::ZERO, Row::ZERO);
        for at in (0..ROW).step_by(T::WIDTH) {
            let y = T::load(y, at).max(T::zero()).min(T::of(TOP));
            (y.sqrt() * T::of(STEPS)).store(&mut steps, at);
        }
        for lane in 0..ROW {
            let i = (steps.0[lane] as usize).min(KNOTS - 2);
            knot.0[lane] = i as f32;
            [value.0[lane], gain.0[lane]] = self.0[i];
        }
        for at in (0..ROW).step_by(T::WIDTH) {
            let between = T::load(&steps, at) - T::load(&knot, at);
            (T::load(&value, at) + T::load(&gain, at) * between).store(share, at);
        }
    }
}
