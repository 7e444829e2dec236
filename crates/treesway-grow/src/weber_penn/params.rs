//! The numbers of a tree, named after those of the paper, and what they may be.

use super::shape::Outline;
use crate::{GrowError, all_within};
use serde::{Deserialize, Serialize};

/// A tree after Weber and Penn: everything but its leaves. In brackets, the paper's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WeberPenn {
    /// Outline of the crown (`Shape`; default: conical).
    pub shape: Outline,
    /// Size of the tree and its variation, m (`Scale`, `ScaleV`; default: 10, 0).
    pub scale: f32,
    /// See `scale`.
    pub scale_v: f32,
    /// Share of the tree below its crown, 0 to 0.95 (`BaseSize`; default: 0.2).
    pub base_size: f32,
    /// Radius of the trunk over its length (`Ratio`; default: 0.02).
    pub ratio: f32,
    /// Radius of a child over its parent's is the ratio of lengths to this power (`RatioPower`; default: 1.2).
    pub ratio_power: f32,
    /// Factor on the radius of the trunk, and its variation (`0Scale`, `0ScaleV`; default: 1, 0).
    pub trunk_scale: f32,
    /// See `trunk_scale`.
    pub trunk_scale_v: f32,
    /// How much wider the trunk is at the ground, about: 0.5 is half as wide again (`Flare`; default: 0).
    pub flare: f32,
    /// Bulges around the trunk's section, for the skin (`Lobes`; default: 0).
    pub lobes: u32,
    /// Their height over the radius, 0 to 0.9 (`LobeDepth`; default: 0).
    pub lobe_depth: f32,
    /// Stems beside the trunk that leave it after its first segment (`0BaseSplits`; default: 0).
    pub base_splits: u32,
    /// How strongly stems from level 2 on turn up, negative: down (`AttractionUp`; default: 0).
    pub attraction_up: f32,
    /// What is cut away; without it nothing is (`PruneRatio` …; default: none).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune: Option<Prune>,
    /// No wood is thinner than this, m: bodies need a thickness (not in the paper; default: 0.001).
    pub least_radius: f32,
    /// Level by level from the trunk, 1 to 4 (`Levels` is their number).
    #[serde(rename = "level")]
    pub levels: Vec<Level>,
}

impl Default for WeberPenn {
    fn default() -> Self {
        Self {
            shape: Outline::default(),
            scale: 10.0,
            scale_v: 0.0,
            base_size: 0.2,
            ratio: 0.02,
            ratio_power: 1.2,
            trunk_scale: 1.0,
            trunk_scale_v: 0.0,
            flare: 0.0,
            lobes: 0,
            lobe_depth: 0.0,
            base_splits: 0,
            attraction_up: 0.0,
            prune: None,
            least_radius: 0.001,
            levels: vec![Level::default()],
        }
    }
}

/// Stems of one level (the paper's parameters that start with its number, `n`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Level {
    /// Between the stem and its parent, degrees (`nDownAngle`; default: 0).
    pub down_angle_deg: f32,
    /// Variation; negative: changes evenly from the base of the parent to its tip (`nDownAngleV`; default: 0).
    pub down_angle_v_deg: f32,
    /// Around the parent from one stem to the next, degrees; negative: on alternate sides (`nRotate`; default: 140).
    pub rotate_deg: f32,
    /// `nRotateV` (default: 0).
    pub rotate_v_deg: f32,
    /// Most stems on a parent (`nBranches`; default: 0; the trunk is one anyhow).
    pub branches: u32,
    /// How many leave the parent at the same height (not in the paper; default: 1).
    pub whorl: u32,
    /// Length over that of the parent, of the trunk over `scale` (`nLength`, `nLengthV`; default: 1, 0).
    pub length: f32,
    /// See `length`.
    pub length_v: f32,
    /// 0 cylinder, 1 cone, 2 cylinder with a round end, up to 3: a row of spheres (`nTaper`; default: 1).
    pub taper: f32,
    /// Splits per segment: 0.5 splits at every other one (`nSegSplits`; default: 0).
    pub seg_splits: f32,
    /// Between the halves of a split, degrees (`nSplitAngle`, `nSplitAngleV`; default: 0, 0).
    pub split_angle_deg: f32,
    /// See `split_angle_deg`.
    pub split_angle_v_deg: f32,
    /// Segments of a stem, 1 to 100 (`nCurveRes`; default: 5).
    pub curve_res: u32,
    /// Curvature from base to tip, degrees, downwards; with `curve_back_deg` in the lower half only (`nCurve`; default: 0).
    pub curve_deg: f32,
    /// Curvature in the upper half, degrees (`nCurveBack`; default: 0).
    pub curve_back_deg: f32,
    /// Random curvature; negative: a helix that is inclined by so much (`nCurveV`; default: 0).
    pub curve_v_deg: f32,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            down_angle_deg: 0.0,
            down_angle_v_deg: 0.0,
            rotate_deg: 140.0,
            rotate_v_deg: 0.0,
            branches: 0,
            whorl: 1,
            length: 1.0,
            length_v: 0.0,
            taper: 1.0,
            seg_splits: 0.0,
            split_angle_deg: 0.0,
            split_angle_v_deg: 0.0,
            curve_res: 5,
            curve_deg: 0.0,
            curve_back_deg: 0.0,
            curve_v_deg: 0.0,
        }
    }
}

/// An envelope that branches are cut back to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prune {
    /// 0 leaves branches as they are, 1 cuts all that is outside (`PruneRatio`; default: 1).
    pub ratio: f32,
    /// Largest radius over the tree's size (`PruneWidth`; default: 0.5).
    pub width: f32,
    /// Where it is widest, a share of the crown from its base, 0 to 1 (`PruneWidthPeak`; default: 0.5).
    pub width_peak: f32,
    /// Curvature below that: 1 straight, less is fuller (`PrunePowerLow`; default: 0.5).
    pub power_low: f32,
    /// Curvature above (`PrunePowerHigh`; default: 0.5).
    pub power_high: f32,
}

impl Default for Prune {
    fn default() -> Self {
        Self {
            ratio: 1.0,
            width: 0.5,
            width_peak: 0.5,
            power_low: 0.5,
            power_high: 0.5,
        }
    }
}

/// A number: its name, and what it may be.
type Ranged = (&'static str, f32, f64, f64);

impl WeberPenn {
    /// Parameters of a level; those of the last one beyond it.
    pub fn level(&self, n: usize) -> &Level {
        &self.levels[n.min(self.levels.len() - 1)]
    }

    /// Names the first number that is out of its range.
    pub fn validate(&self) -> Result<(), GrowError> {
        within("level", self.levels.len() as f64, 1.0, 4.0)?;
        let numbers: [Ranged; 11] = [
            ("scale", self.scale, 0.05, 200.0),
            ("scale_v", self.scale_v, 0.0, f64::from(self.scale) * 0.9),
            ("base_size", self.base_size, 0.0, 0.98),
            ("ratio", self.ratio, 1e-4, 0.5),
            ("ratio_power", self.ratio_power, -4.0, 10.0),
            ("trunk_scale", self.trunk_scale, 0.01, 100.0),
            (
                "trunk_scale_v",
                self.trunk_scale_v,
                0.0,
                f64::from(self.trunk_scale) * 0.9,
            ),
            ("flare", self.flare, -0.9, 20.0),
            ("lobe_depth", self.lobe_depth, 0.0, 0.9),
            ("attraction_up", self.attraction_up, -100.0, 100.0),
            ("least_radius", self.least_radius, 1e-5, 1.0),
        ];
        each(&numbers)?;
        within("lobes", self.lobes.into(), 0.0, 100.0)?;
        within("base_splits", self.base_splits.into(), 0.0, 20.0)?;
        self.prune.iter().try_for_each(Prune::validate)?;
        self.levels.iter().try_for_each(Level::validate)
    }
}

impl Prune {
    fn validate(&self) -> Result<(), GrowError> {
        each(&[
            ("prune.ratio", self.ratio, 0.0, 1.0),
            ("prune.width", self.width, 0.0, 10.0),
            ("prune.width_peak", self.width_peak, 1e-3, 1.0 - 1e-3),
            ("prune.power_low", self.power_low, 0.0, 100.0),
            ("prune.power_high", self.power_high, 0.0, 100.0),
        ])
    }
}

impl Level {
    pub(crate) fn validate(&self) -> Result<(), GrowError> {
        const TURN: f64 = 3600.0;
        each(&[
            ("down_angle_deg", self.down_angle_deg, -360.0, 360.0),
            ("down_angle_v_deg", self.down_angle_v_deg, -360.0, 360.0),
            ("rotate_deg", self.rotate_deg, -360.0, 360.0),
            ("rotate_v_deg", self.rotate_v_deg, -360.0, 360.0),
            ("length", self.length, 1e-4, 20.0),
            (
                "length_v",
                self.length_v,
                0.0,
                f64::from(self.length) * 0.95,
            ),
            ("taper", self.taper, 0.0, 3.0),
            ("seg_splits", self.seg_splits, 0.0, 5.0),
            ("split_angle_deg", self.split_angle_deg, -360.0, 360.0),
            ("split_angle_v_deg", self.split_angle_v_deg, -360.0, 360.0),
            ("curve_deg", self.curve_deg, -TURN, TURN),
            ("curve_back_deg", self.curve_back_deg, -TURN, TURN),
            ("curve_v_deg", self.curve_v_deg, -TURN, TURN),
        ])?;
        within("branches", self.branches.into(), 0.0, 5000.0)?;
        within("whorl", self.whorl.into(), 1.0, 100.0)?;
        within("curve_res", self.curve_res.into(), 1.0, 100.0)
    }
}

/// Fails on the first number that is out of its range.
pub(crate) fn each(numbers: &[Ranged]) -> Result<(), GrowError> {
    numbers
        .iter()
        .try_for_each(|&(name, value, least, most)| within(name, value.into(), least, most))
}

fn within(name: &'static str, value: f64, least: f64, most: f64) -> Result<(), GrowError> {
    let expected = format!("a number from {least} to {most}");
    all_within(&[(name, value)], least, most, &expected)
}
