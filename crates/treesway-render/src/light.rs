//! Colours of sun, sky and ground by the sun's height, and what the sun sees.

use crate::settings::Sun;
use treesway::glam::camera::rh::proj::directx::orthographic;
use treesway::glam::camera::rh::view::look_to_mat4;
use treesway::glam::{Mat4, Vec3};

/// Light of a clear day, linear; units as in `frame.wgsl`.
pub(crate) struct Light {
    pub(crate) sun: Vec3,
    pub(crate) zenith: Vec3,
    pub(crate) horizon: Vec3,
    pub(crate) bounce: Vec3,
}

/// What the ground reflects, on average.
const TURF: Vec3 = Vec3::new(0.095, 0.105, 0.045);

impl Light {
    /// The lower the sun, the longer its way through the air, which takes blue first and gives it to the sky.
    pub(crate) fn of(sun: &Sun) -> Self {
        let height = sun.direction().y;
        // Air masses: 1 at the zenith, some 30 at the horizon, none below it.
        let way = 1.0 / (height.max(0.0) + 0.03);
        let depth = Vec3::new(0.045, 0.095, 0.19) * way;
        let day = (height / 0.1 + 0.6).clamp(0.03, 1.0);
        let through = Vec3::new((-depth.x).exp(), (-depth.y).exp(), (-depth.z).exp());
        let direct = through * 4.4 * (height / 0.04 + 1.0).clamp(0.0, 1.0);
        let zenith = Vec3::new(0.115, 0.24, 0.56) * day;
        let warm = through / through.max_element();
        let horizon = Vec3::new(0.62, 0.78, 0.98).lerp(warm * 0.95, 0.35) * day;
        let on_ground = direct * height.max(0.0) + horizon.lerp(zenith, 0.6);
        Self {
            sun: direct,
            zenith,
            horizon,
            bounce: on_ground * TURF,
        }
    }
}

/// The shadow map's view of the world.
pub(crate) struct SunView {
    /// x, y −1 to 1, z 0 (nearest the sun) to 1.
    pub(crate) shadow_from_world: Mat4,
    /// Edge of a texel, m.
    pub(crate) texel: f32,
}

impl SunView {
    /// A view that holds the sphere around `middle`. Its size goes in steps and its place in whole texels, so that shadows do not crawl when
    /// the sphere does.
    pub(crate) fn of(sun: &Sun, middle: Vec3, radius: f32, size: u32) -> Self {
        let steps = 8.0; // an octave
        let radius = ((radius.max(1e-3).log2() * steps).ceil() / steps).exp2();
        let texel = 2.0 * radius / size as f32;
        let to_sun = sun.direction();
        let up = if to_sun.y.abs() > 0.99 {
            Vec3::X
        } else {
            Vec3::Y
        };
        let turn = look_to_mat4(Vec3::ZERO, -to_sun, up);
        let seen = turn.transform_point3(middle);
        let snapped = (seen / texel).round() * texel;
        let view = Mat4::from_translation(-snapped) * turn;
        Self {
            shadow_from_world: orthographic(-radius, radius, -radius, radius, -radius, radius)
                * view,
            texel,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_sun_is_red_and_a_high_one_is_white() {
        let at = |elevation_deg| {
            Light::of(&Sun {
                azimuth_deg: 0.0,
                elevation_deg,
            })
        };
        let ratio = |l: &Light| l.sun.x / l.sun.z;
        assert!(ratio(&at(5.0)) > 3.0 && ratio(&at(70.0)) < 1.3);
        assert!(at(5.0).sun.y < at(30.0).sun.y);
        assert_eq!(at(-10.0).sun, Vec3::ZERO);
    }

    #[test]
    fn shadows_do_not_crawl() {
        let sun = Sun::default();
        let grid = |middle: Vec3| {
            let view = SunView::of(&sun, middle, 7.0, 1024);
            let at = view
                .shadow_from_world
                .project_point3(Vec3::new(1.0, 2.0, 3.0));
            at.truncate() * 512.0
        };
        let still = grid(Vec3::new(0.0, 4.0, 0.0));
        for step in 1..20 {
            let moved = grid(Vec3::new(0.013, 4.0, 0.027) * step as f32) - still;
            let off = (moved - moved.round()).abs();
            assert!(off.max_element() < 0.01, "{off}");
        }
    }

    #[test]
    fn the_sun_sees_the_whole_sphere() {
        let middle = Vec3::new(3.0, 5.0, -2.0);
        let view = SunView::of(&Sun::default(), middle, 6.0, 512);
        for offset in [
            Vec3::X,
            Vec3::Y,
            Vec3::Z,
            Vec3::NEG_X,
            Vec3::NEG_Y,
            Vec3::NEG_Z,
        ] {
            let at = view.shadow_from_world.project_point3(middle + offset * 6.0);
            assert!(at.x.abs() <= 1.02 && at.y.abs() <= 1.02 && (-0.02..=1.02).contains(&at.z));
        }
    }
}
