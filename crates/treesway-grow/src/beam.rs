//! A straight, tapered beam: the case that theory can be asked about.

use crate::frame::unit_or;
use crate::{GrowError, Grown, all_positive, all_within};
use treesway::glam::Vec3;
use treesway::{Branch, CutOptions, Skeleton};

/// A straight beam that starts at the origin.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Beam {
    /// m (default: 4).
    pub length: f32,
    /// At the start, m (default: 0.04).
    pub base_radius: f32,
    /// At the end, m (default: 0.01).
    pub tip_radius: f32,
    /// Where it points; any length but zero (default: along x, horizontal).
    pub direction: Vec3,
    /// Into how many bodies it is cut, all of the same length (default: 20).
    pub segments: u32,
}

impl Default for Beam {
    fn default() -> Self {
        Self {
            length: 4.0,
            base_radius: 0.04,
            tip_radius: 0.01,
            direction: Vec3::X,
            segments: 20,
        }
    }
}

impl Beam {
    /// The beam as a skeleton of one branch.
    pub fn grow(&self) -> Result<Grown, GrowError> {
        all_positive(&[
            ("length", self.length.into()),
            ("base_radius", self.base_radius.into()),
            ("tip_radius", self.tip_radius.into()),
            ("direction (its length)", self.direction.length().into()),
        ])?;
        let segments = [("segments", self.segments.into())];
        all_within(&segments, 1.0, 1e7, "a whole number from 1 to 10000000")?;
        let direction = unit_or(self.direction.as_dvec3(), self.direction.as_dvec3());
        let end = (direction * f64::from(self.length)).as_vec3();
        let nodes = [(Vec3::ZERO, self.base_radius), (end, self.tip_radius)];
        let skeleton = Skeleton {
            branches: vec![Branch::trunk(nodes)],
            ..Skeleton::default()
        };
        Ok(Grown::new(skeleton, exactly(self.segments, self.length)))
    }
}

/// The cut that makes `segments` of a branch `length` m long, and of every other branch.
pub(crate) fn exactly(segments: u32, length: f32) -> CutOptions {
    CutOptions {
        segment_length: length / segments as f32,
        least_segments: segments,
        most_segments: segments,
        ..CutOptions::default()
    }
}
