//! Wind grows with height: v(y) = v_ref (y/y_ref)^α.

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

/// The profile by table over √y, where it is smooth down to the ground.
#[derive(Clone, Debug)]
pub(super) struct ProfileTable(Vec<f32>);

impl ProfileTable {
    /// None where it would be 1 everywhere.
    pub(super) fn of(profile: &WindProfile) -> Option<Self> {
        let (alpha, height) = (f64::from(profile.exponent), f64::from(profile.height));
        let at = |i: usize| {
            let root = i as f64 / STEPS;
            libm::pow(root * root / height, alpha) as f32
        };
        (profile.exponent != 0.0).then(|| Self((0..KNOTS).map(at).collect()))
    }

    #[inline(always)]
    pub(super) fn at(&self, y: f32) -> f32 {
        let x = y.clamp(0.0, TOP as f32).sqrt() * STEPS as f32;
        let i = (x as usize).min(KNOTS - 2);
        self.0[i] + (self.0[i + 1] - self.0[i]) * (x - i as f32)
    }
}
