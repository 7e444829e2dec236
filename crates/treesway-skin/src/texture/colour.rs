//! Colours in linear light.

use treesway::glam::Vec3;

/// Linear light of one sRGB byte.
pub(crate) fn to_linear(byte: u8) -> f32 {
    linear(f32::from(byte) / 255.0)
}

/// Linear light of an sRGB value, 0 to 1 (IEC 61966-2-1).
pub(crate) fn linear(value: f32) -> f32 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

/// The sRGB byte of linear light.
pub(crate) fn from_linear(light: f32) -> u8 {
    let value = if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    };
    unit_byte(value)
}

/// 0 to 255 for 0 to 1.
pub(crate) fn unit_byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Linear colour of an sRGB one.
pub(crate) fn colour(srgb: [f32; 3]) -> Vec3 {
    Vec3::from(srgb.map(linear))
}

/// Brightness as the eye weighs it (Rec. 709).
pub(crate) fn brightness(linear: Vec3) -> f32 {
    linear.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

/// Smooth step from 0 at `a` to 1 at `b`.
pub(crate) fn smooth(a: f32, b: f32, x: f32) -> f32 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
