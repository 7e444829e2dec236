//! Directions and frames in `f64`, without functions whose bits differ between platforms.

use treesway::glam::{DMat3, DQuat, DVec3, Quat};

/// 360° divided by the golden ratio squared: the angle between successive laterals and leaves of most broadleaved plants, rad.
pub(crate) const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// `v` with length 1, or `otherwise` where it has none.
pub(crate) fn unit_or(v: DVec3, otherwise: DVec3) -> DVec3 {
    let length = v.dot(v).sqrt();
    if length > 1e-12 {
        v / length
    } else {
        otherwise
    }
}

/// Some unit vector across a unit vector.
pub(crate) fn across(d: DVec3) -> DVec3 {
    let helper = if d.y.abs() < 0.9 { DVec3::Y } else { DVec3::X };
    unit_or(helper.cross(d), DVec3::Z)
}

/// `v` turned about the unit vector `axis` by `angle` rad (Rodrigues).
pub(crate) fn turned(v: DVec3, axis: DVec3, angle: f64) -> DVec3 {
    let (sin, cos) = libm::sincos(angle);
    v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos))
}

/// The rotation whose z axis lies along `direction` and whose y axis is as near to `up` as that allows: the frame of a leaf that
/// points along `direction` with its upper side towards `up`.
pub fn looking_along(direction: DVec3, up: DVec3) -> Quat {
    let z = unit_or(direction, DVec3::Z);
    let x = unit_or(up.cross(z), across(z));
    let y = z.cross(x);
    let q = DQuat::from_mat3(&DMat3::from_cols(x, y, z));
    Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32)
}
