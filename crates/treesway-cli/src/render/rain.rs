//! Rain over a picture: large drops between the camera and what it looks at, as the streaks that they leave while the picture is taken.
//!
//! Sizes and speeds are those of [`treesway::Rain`]: N(D) = 8000 exp(−Λ D) per m³ and mm, Λ = 4.1 R^(−0.21), v(D) = 9.65 − 10.3 exp(−0.6 D) m/s. Drops that are drawn fill a cube
//! before the camera; one that falls out of it below comes in above. They are other drops than those that hit leaves, and are seen before everything.

use treesway::Rainfall;
use treesway::glam::{Quat, Vec2, Vec3};
use treesway::math::Rng;
use treesway_render::Camera;
use treesway_skin::texture::Image;

/// Edge of the cube, m.
const EDGE: f32 = 7.0;
/// Least drop that is drawn, mm.
const LEAST: f32 = 1.5;
/// How long a picture is taken, s.
const EXPOSURE: f32 = 1.0 / 60.0;
/// Nearest drop, m: one before the lens would be a blur.
const NEAREST: f32 = 0.8;
/// How much of what is behind it a drop hides.
const OPAQUE: f32 = 0.35;
/// Light of the sky through it.
const COLOUR: [f32; 3] = [205.0, 212.0, 220.0];

/// Draws the rain of a time over a picture.
pub fn draw(image: &mut Image, camera: &Camera, rain: &Rainfall, seconds: f64) {
    if !(f64::from(rain.start)..f64::from(rain.stop)).contains(&seconds) || rain.rate <= 0.0 {
        return;
    }
    let slope = 4.1 * rain.rate.powf(-0.21);
    let density = 8000.0 / slope * (-slope * LEAST).exp();
    let view = View::of(camera, image);
    for i in 0..(density * EDGE.powi(3)) as u64 {
        let mut rng = Rng::new(rain.seed, i);
        let mut unit = || rng.unit() as f32;
        let start = Vec3::new(unit(), unit(), unit()) * EDGE;
        let size = LEAST - (1.0 - unit()).max(1e-6).ln() / slope;
        let speed = 9.65 - 10.3 * (-0.6 * size).exp();
        let fallen = (f64::from(speed) * seconds).rem_euclid(EDGE.into()) as f32;
        let middle = camera.eye + view.forward * (0.5 * EDGE);
        let corner = middle - Vec3::splat(0.5 * EDGE);
        let wrap = |x: f32| x.rem_euclid(EDGE);
        let place = start - Vec3::Y * fallen - corner;
        let at = corner + Vec3::new(wrap(place.x), wrap(place.y), wrap(place.z));
        view.streak(image, at, Vec3::Y * (speed * EXPOSURE), 1e-3 * size);
    }
}

/// What a camera sees where.
struct View {
    eye: Vec3,
    forward: Vec3,
    right: Vec3,
    up: Vec3,
    middle: Vec2,
    /// Pixels of 1 m at a distance of 1 m.
    scale: f32,
}

impl View {
    fn of(camera: &Camera, image: &Image) -> Self {
        let forward = (camera.target - camera.eye).normalize_or(Vec3::NEG_Z);
        let roll = Quat::from_axis_angle(forward, camera.roll_deg.to_radians());
        let right = forward.cross(Vec3::Y).normalize_or(Vec3::X);
        let size = Vec2::new(image.width as f32, image.height as f32);
        Self {
            eye: camera.eye,
            forward,
            right: roll * right,
            up: roll * right.cross(forward),
            middle: 0.5 * size,
            scale: 0.5 * size.y / (0.5 * camera.fov_deg.to_radians()).tan(),
        }
    }

    /// Pixel and distance.
    fn seen(&self, at: Vec3) -> (Vec2, f32) {
        let from = at - self.eye;
        let far = from.dot(self.forward);
        let place = Vec2::new(from.dot(self.right), -from.dot(self.up));
        (self.middle + place * (self.scale / far), far)
    }

    /// A line of `width` m, thinner than a pixel where it is far: then it hides less.
    fn streak(&self, image: &mut Image, at: Vec3, along: Vec3, width: f32) {
        let ((from, far), (to, _)) = (self.seen(at), self.seen(at + along));
        if far < NEAREST {
            return;
        }
        let hidden = OPAQUE * (width * self.scale / far).min(1.0);
        let way = to - from;
        let steps = way.abs().max_element().ceil().clamp(1.0, 400.0);
        for k in 0..=steps as u32 {
            let pixel = from + way * (k as f32 / steps);
            blend(image, pixel, hidden);
        }
    }
}

/// Shares the colour of a drop among the two pixels beside a place.
fn blend(image: &mut Image, place: Vec2, hidden: f32) {
    let left = place.x.floor();
    for (x, share) in [(left, 1.0 - (place.x - left)), (left + 1.0, place.x - left)] {
        let inside =
            x >= 0.0 && place.y >= 0.0 && x < image.width as f32 && place.y < image.height as f32;
        if inside {
            let pixel = 4 * (place.y as usize * image.width as usize + x as usize);
            for (old, new) in image.rgba[pixel..pixel + 3].iter_mut().zip(COLOUR) {
                *old = (f32::from(*old) + (new - f32::from(*old)) * hidden * share) as u8;
            }
        }
    }
}
