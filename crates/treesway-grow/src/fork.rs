//! An upright stem that divides into limbs: the smallest tree with a fork.

use crate::beam::exactly;
use crate::frame::turned;
use crate::{GrowError, Grown, all_positive, all_within};
use treesway::glam::{DVec3, Vec3};
use treesway::{Branch, Skeleton};

/// A stem with limbs at its top, spread evenly around it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fork {
    /// m (default: 2).
    pub stem_length: f32,
    /// At the ground, m (default: 0.06).
    pub stem_radius: f32,
    /// m (default: 1.5).
    pub limb_length: f32,
    /// Where a limb starts and the stem ends, m (default: 0.04).
    pub limb_radius: f32,
    /// Where a limb ends, m (default: 0.01).
    pub tip_radius: f32,
    /// How many limbs (default: 2).
    pub limbs: u32,
    /// Between stem and limb, degrees (default: 35).
    pub angle_deg: f32,
    /// Into how many bodies the stem and each limb are cut (default: 6).
    pub segments: u32,
}

impl Default for Fork {
    fn default() -> Self {
        Self {
            stem_length: 2.0,
            stem_radius: 0.06,
            limb_length: 1.5,
            limb_radius: 0.04,
            tip_radius: 0.01,
            limbs: 2,
            angle_deg: 35.0,
            segments: 6,
        }
    }
}

impl Fork {
    /// The fork as a skeleton: branch 0 is the stem, the others are the limbs.
    pub fn grow(&self) -> Result<Grown, GrowError> {
        all_positive(&[
            ("stem_length", self.stem_length.into()),
            ("stem_radius", self.stem_radius.into()),
            ("limb_length", self.limb_length.into()),
            ("limb_radius", self.limb_radius.into()),
            ("tip_radius", self.tip_radius.into()),
        ])?;
        let counts = [
            ("limbs", self.limbs.into()),
            ("segments", self.segments.into()),
        ];
        all_within(&counts, 1.0, 1e6, "a whole number from 1 to 1000000")?;
        let angle = [("angle_deg", self.angle_deg.into())];
        all_within(&angle, 0.0, 180.0, "an angle from 0 to 180 degrees")?;

        let top = Vec3::Y * self.stem_length;
        let stem = Branch::trunk([(Vec3::ZERO, self.stem_radius), (top, self.limb_radius)]);
        let lean = turned(
            DVec3::Y,
            DVec3::NEG_Z,
            f64::from(self.angle_deg).to_radians(),
        );
        let limb = |i: u32| {
            let around = core::f64::consts::TAU * f64::from(i) / f64::from(self.limbs);
            let way = turned(lean, DVec3::Y, around) * f64::from(self.limb_length);
            let nodes = [
                (top, self.limb_radius),
                (top + way.as_vec3(), self.tip_radius),
            ];
            Branch::on(0, self.stem_length, nodes)
        };
        let branches = core::iter::once(stem)
            .chain((0..self.limbs).map(limb))
            .collect();
        let skeleton = Skeleton {
            branches,
            ..Skeleton::default()
        };
        let cut = exactly(self.segments, self.stem_length);
        Ok(Grown::new(skeleton, cut))
    }
}
