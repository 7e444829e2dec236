//! Directions of a stem: z along it; children lean towards −y (`DownAngle` about x), and y of a branch that leaves an upright trunk
//! points up.

use crate::frame::{across, turned, unit_or};
use treesway::glam::DVec3;

/// Right-handed, of unit vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) x: DVec3,
    pub(crate) y: DVec3,
    pub(crate) z: DVec3,
}

impl Frame {
    /// Of an upright trunk.
    pub(crate) const UPRIGHT: Self = Self {
        x: DVec3::X,
        y: DVec3::NEG_Z,
        z: DVec3::Y,
    };

    /// With z along `z` and y as near as that allows to `y`.
    pub(crate) fn along(z: DVec3, y: DVec3) -> Self {
        let x = unit_or(y.cross(z), across(z));
        Self {
            x,
            y: z.cross(x),
            z,
        }
    }

    /// Turned about a unit vector, rad.
    pub(crate) fn about(self, axis: DVec3, angle: f64) -> Self {
        let z = unit_or(turned(self.z, axis, angle), self.z);
        Self::along(z, turned(self.y, axis, angle))
    }

    /// Turned about its own z, then leaned by `down` about its x: the frame of a child.
    pub(crate) fn child(self, rotate: f64, down: f64) -> Self {
        let spun = self.about(self.z, rotate);
        spun.about(spun.x, down)
    }

    /// Angle between the stem and up, rad.
    pub(crate) fn declination(&self) -> f64 {
        libm::acos(self.z.y.clamp(-1.0, 1.0))
    }

    /// The same frame carried to another direction without twist.
    pub(crate) fn carried(self, z: DVec3) -> Self {
        let axis = self.z.cross(z);
        let sin = axis.dot(axis).sqrt();
        if sin < 1e-9 {
            return Self::along(z, self.y);
        }
        let turn = libm::atan2(sin, self.z.dot(z));
        Self::along(z, turned(self.y, axis / sin, turn))
    }
}
