//! What is near the pointer where nothing is drawn under it: twigs thinner than a pixel, and lines. A ray against simple shapes in place of the drawn surface
//! ([`treesway_render::TreeOnGpu::meet`]): wood made thicker by a few pixels, and the room that a leaf or a spray of them takes.

use crate::orbit::Ray;
use treesway::glam::Vec3;
use treesway::{BodyId, BodyPose, Shape};

/// What a ray meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Which body.
    pub body: BodyId,
    /// From the ray's start, m.
    pub distance: f32,
    /// In the body's frame, m.
    pub point_in_body: Vec3,
}

impl Hit {
    /// At that distance on a ray, on a body in that pose.
    pub fn new(ray: &Ray, body: BodyId, pose: &BodyPose, distance: f32) -> Self {
        let back = pose.rotation.conjugate();
        Self {
            body,
            distance,
            point_in_body: back * (ray.at(distance) - pose.position),
        }
    }
}

/// The nearest body on a ray, of those whose shapes and poses are given. Wood counts as thicker by `thicker` times its distance.
pub fn pick(
    ray: &Ray,
    bodies: impl IntoIterator<Item = (BodyId, Shape, BodyPose)>,
    thicker: f32,
) -> Option<Hit> {
    let mut nearest: Option<Hit> = None;
    for (id, shape, pose) in bodies {
        let back = pose.rotation.conjugate();
        let own = Ray {
            origin: back * (ray.origin - pose.position),
            direction: back * ray.direction,
        };
        let Some(distance) = meets(&own, &shape, thicker) else {
            continue;
        };
        if nearest.is_none_or(|hit| distance < hit.distance) {
            nearest = Some(Hit::new(ray, id, &pose, distance));
        }
    }
    nearest
}

/// Distance along a ray in the body's frame to its shape.
fn meets(ray: &Ray, shape: &Shape, thicker: f32) -> Option<f32> {
    match *shape {
        Shape::Segment { length, base, tip } => {
            let more = thicker * ray.origin.distance(Vec3::Z * (0.5 * length));
            frustum(ray, length, base + more, tip + more)
        }
        Shape::Leaf { length, width, .. } => ellipsoid(ray, length, width),
        Shape::Fruit {
            radius,
            stem_length,
            ..
        } => sphere(ray, Vec3::Z * (stem_length + radius), radius),
    }
}

/// Side and ends of a frustum along z from 0 to `length`: x² + y² = (base + k z)².
fn frustum(ray: &Ray, length: f32, base: f32, tip: f32) -> Option<f32> {
    let (o, d) = (ray.origin, ray.direction);
    // Far away ones lose no digits: the ray starts where it is nearest to the middle.
    let ahead = (Vec3::Z * (0.5 * length) - o).dot(d);
    let o = o + d * ahead;
    let k = (tip - base) / length;
    let (r, rd) = (base + k * o.z, k * d.z);
    let a = d.x * d.x + d.y * d.y - rd * rd;
    let b = o.x * d.x + o.y * d.y - r * rd;
    let c = o.x * o.x + o.y * o.y - r * r;
    let mut nearest = f32::INFINITY;
    let root = b * b - a * c;
    if root >= 0.0 && a != 0.0 {
        for t in [(-b - root.sqrt()) / a, (-b + root.sqrt()) / a] {
            let z = o.z + t * d.z;
            if t + ahead > 0.0 && (0.0..=length).contains(&z) {
                nearest = nearest.min(t);
            }
        }
    }
    for (z, radius) in [(0.0, base), (length, tip)] {
        let t = (z - o.z) / d.z;
        let (x, y) = (o.x + t * d.x, o.y + t * d.y);
        if t.is_finite() && t + ahead > 0.0 && x * x + y * y <= radius * radius {
            nearest = nearest.min(t);
        }
    }
    nearest.is_finite().then_some(nearest + ahead)
}

/// As long as a leaf and as wide and thick as its width.
fn ellipsoid(ray: &Ray, length: f32, width: f32) -> Option<f32> {
    // Shrunk along its length it is a sphere.
    let shrink = Vec3::new(1.0, 1.0, width / length);
    let along = ray.direction * shrink;
    let round = Ray {
        origin: ray.origin * shrink,
        direction: along.normalize(),
    };
    let distance = sphere(&round, Vec3::Z * (0.5 * width), 0.5 * width)?;
    Some(distance / along.length())
}

fn sphere(ray: &Ray, middle: Vec3, radius: f32) -> Option<f32> {
    let from = ray.origin - middle;
    let along = -from.dot(ray.direction);
    let aside = (from + ray.direction * along).length_squared();
    let half = (radius * radius - aside).max(-1.0);
    (half >= 0.0 && along > half.sqrt()).then(|| along - half.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use treesway::glam::Quat;

    fn ray(origin: Vec3, to: Vec3) -> Ray {
        Ray {
            origin,
            direction: (to - origin).normalize(),
        }
    }

    const AT_ORIGIN: BodyPose = BodyPose {
        position: Vec3::ZERO,
        rotation: Quat::IDENTITY,
    };

    fn hit(ray: &Ray, shape: Shape) -> Option<f32> {
        pick(ray, [(BodyId(0), shape, AT_ORIGIN)], 0.0).map(|hit| hit.distance)
    }

    #[test]
    fn points_on_a_frustum_are_met_and_points_just_beside_are_missed() {
        let (length, base, tip) = (2.0, 0.3, 0.1);
        let shape = Shape::Segment { length, base, tip };
        for i in 0..60 {
            let (z, turn) = (0.05 + 0.03 * i as f32, 0.7 * i as f32);
            let radius = base + (tip - base) * z / length;
            let out = Vec3::new(turn.cos(), turn.sin(), 0.0);
            let on = out * radius + Vec3::Z * z;
            // From outside, at a slant, so far that it cannot meet another point first.
            let from = on + out * 40.0 + Vec3::new(0.0, 0.0, 3.0);
            let found = hit(&ray(from, on), shape).expect("on the surface");
            assert!((found - from.distance(on)).abs() < 1e-3, "{i}: {found}");
            // A tangent, a millimetre inside and outside.
            let aside = Vec3::Z.cross(out);
            let tangent = |off: f32| {
                let near = out * (radius + off) + Vec3::Z * z;
                hit(&ray(near + aside * 30.0, near), shape)
            };
            assert!(tangent(-0.001).is_some() && tangent(0.001).is_none(), "{i}");
        }
    }

    #[test]
    fn ends_leaves_and_fruit() {
        let wood = Shape::Segment {
            length: 1.0,
            base: 0.1,
            tip: 0.1,
        };
        let above = Vec3::new(0.05, 0.02, 9.0);
        assert!((hit(&ray(above, above - Vec3::Z), wood).unwrap() - 8.0).abs() < 1e-4);
        let leaf = Shape::Leaf {
            length: 0.1,
            width: 0.06,
            thickness: 0.001,
        };
        // It takes the room about it, and is met where that begins.
        let beside = ray(Vec3::new(0.02, 1.0, 0.05), Vec3::new(0.02, 0.0, 0.05));
        let spray = hit(&beside, leaf).unwrap();
        let high = 0.03 * (1.0_f32 - (0.02 / 0.03_f32).powi(2)).sqrt();
        assert!((spray - (1.0 - high)).abs() < 1e-5, "{spray}");
        let fruit = Shape::Fruit {
            radius: 0.04,
            stem_length: 0.02,
            stem_radius: 0.001,
        };
        let from = Vec3::new(1.0, 0.0, 0.06);
        assert!((hit(&ray(from, Vec3::Z * 0.06), fruit).unwrap() - 0.96).abs() < 1e-5);
    }

    #[test]
    fn the_nearest_body_is_picked_and_thin_ones_can_be_made_thicker() {
        let twig = Shape::Segment {
            length: 1.0,
            base: 0.001,
            tip: 0.001,
        };
        let behind = BodyPose {
            position: Vec3::X * -2.0,
            ..AT_ORIGIN
        };
        let straight = ray(Vec3::new(5.0, 0.0, 0.5), Vec3::new(0.0, 0.0, 0.5));
        let both = [(BodyId(0), twig, behind), (BodyId(1), twig, AT_ORIGIN)];
        assert_eq!(pick(&straight, both, 0.0).unwrap().body, BodyId(1));
        let beside = ray(Vec3::new(5.0, 0.01, 0.5), Vec3::new(0.0, 0.01, 0.5));
        assert!(pick(&beside, both, 0.0).is_none());
        assert_eq!(pick(&beside, both, 0.003).unwrap().body, BodyId(1));
    }

    /// Bodies are drawn in colours that are the bits of their numbers, three in a picture; what a pixel shows is what is met there. Where two bodies carry the bark their
    /// colours are mixed in linear light, and the one with the greater share gives more than half of it.
    #[test]
    fn what_a_pixel_shows_is_what_is_picked_there() {
        use crate::orbit::Orbit;
        use eframe::egui::{Pos2, Rect, pos2};
        use treesway_render::{Headless, Mode, Quality, Settings, Studio, TreeOnGpu};
        const SIZE: u32 = 480;
        /// Every 23rd pixel, in all columns.
        const STRIDE: usize = 23;
        /// sRGB of 42 % and of 58 % of the light: in between neither body can be told to be the one.
        const UNDECIDED: [u8; 2] = [174, 200];
        let text = "version = 1\n[[tree]]\nspecies = 'oak'\nbodies = 2000\n[wind]\nspeed = 9.0\n";
        let scene = crate::Project::parse(text, "oak").unwrap().scene().unwrap();
        let (mut simulation, models) = scene.build_to_draw().unwrap();
        (0..20).for_each(|_| _ = simulation.step());
        let tree = &simulation.world().trees()[0];
        let gpu = Headless::new().unwrap();
        // One sample a pixel, in its middle: no pixel is mixed from several surfaces.
        let mut studio = Studio::new(&gpu, SIZE, SIZE, Quality::Low).unwrap();
        let (bodies, look) = (&models[0].bodies, &models[0].look);
        let detail = treesway_skin::Detail::default();
        let mut drawn = TreeOnGpu::new(studio.renderer(), bodies, look, &detail).unwrap();
        drawn.follow(tree);
        let whole = Orbit::framing(drawn.bounds(), 1.0, 70.0, 8.0);
        let settings = Settings {
            mode: Mode::Coloured,
            background: false,
            lighting: false,
            textures: false,
            ..Settings::default()
        };
        let is_wood = |id: BodyId| matches!(bodies.bodies[id.index()].shape, Shape::Segment { .. });
        let view = Rect::from_min_max(Pos2::ZERO, pos2(SIZE as f32, SIZE as f32));
        // Pixels and those that agree: of wood, of leaves, of nothing.
        let mut counts = [[0_usize; 2]; 3];
        let mut clear = 0;
        for (leaves, nearer) in [(false, 1.0), (true, 1.0), (true, 6.0)] {
            let mut orbit = whole;
            orbit.zoom(nearer);
            // Of each pixel the bits that it shows, and those that it shows clearly; none where nothing is drawn.
            let mut shown = vec![Some([0_u32; 2]); (SIZE * SIZE) as usize];
            for part in 0..4 {
                let colour = |&id: &BodyId| {
                    let bit = |k: usize| ((id.index() >> (3 * part + k)) & 1) as u8 * 255;
                    let alpha = u8::from(leaves || is_wood(id)) * 255;
                    [bit(0), bit(1), bit(2), alpha]
                };
                drawn.paint(&drawn.seen().iter().map(colour).collect::<Vec<_>>());
                let trees = core::slice::from_ref(&drawn);
                let picture = studio.picture(trees, &orbit.camera(), &settings).unwrap();
                for (shown, pixel) in shown.iter_mut().zip(picture.rgba.chunks(4)) {
                    let bits = |over: &dyn Fn(u8) -> bool| -> u32 {
                        let set = (0..3).filter(|&k| over(pixel[k]));
                        set.map(|k| 1 << (3 * part + k)).sum()
                    };
                    let [low, high] = UNDECIDED;
                    let clear = bits(&|value| !(low..=high).contains(&value));
                    *shown = shown
                        .filter(|_| pixel[3] == 255)
                        .map(|[set, known]| [set | bits(&|value| value > high), known | clear]);
                }
            }
            for (i, shown) in shown.iter().enumerate().step_by(STRIDE) {
                let at = [i as u32 % SIZE, i as u32 / SIZE].map(|v| v as f32 + 0.5);
                let sight = orbit.sight(pos2(at[0], at[1]), view, 1.0);
                let met = drawn.meet(&sight, Mode::Coloured).map(|met| met.body);
                let agrees = match (shown, met) {
                    (Some([set, known]), Some(met)) => (met.0 ^ set) & known == 0,
                    (None, None) => true,
                    _ => false,
                };
                clear += usize::from(shown.is_none_or(|[_, known]| known == (1 << 12) - 1));
                let kind = shown.map_or(2, |[set, _]| {
                    usize::from(
                        !bodies
                            .bodies
                            .get(set as usize)
                            .is_some_and(|_| is_wood(BodyId(set))),
                    )
                });
                counts[kind][0] += 1;
                counts[kind][1] += usize::from(agrees);
            }
        }
        let all: usize = counts.iter().map(|[all, _]| all).sum();
        println!("wood, leaves, nothing: {counts:?}; {clear} of {all} clear");
        assert!(counts.iter().all(|[all, _]| *all > 1000), "{counts:?}");
        assert!(clear * 100 > all * 98, "{clear} of {all}");
        for [all, same] in counts {
            assert!(same * 1000 >= all * 997, "{same} of {all}");
        }
    }

    /// What it takes to find what is under the pointer, in trees as finely drawn as graphics cards draw them.
    #[test]
    #[ignore = "a measurement, for a quiet machine, a release build and 12 GB: cargo xtask soak"]
    fn time_to_pick() {
        use crate::orbit::Orbit;
        use eframe::egui::{Pos2, Rect, pos2};
        use treesway_render::{Headless, Mode, Quality, Studio, TreeOnGpu};
        let gpu = Headless::new().unwrap();
        let studio = Studio::new(&gpu, 64, 64, Quality::Medium).unwrap();
        for bodies in [10_000, 3_270_000] {
            let text = format!("version = 1\n[[tree]]\nspecies = 'oak'\nbodies = {bodies}\n");
            let project = crate::Project::parse(&text, "oak").unwrap();
            let stage = crate::stage::Stage::grow(&project, None).unwrap();
            let mesh = stage.meshes(Quality::Medium).remove(0);
            let mut drawn = TreeOnGpu::upload(studio.renderer(), mesh).unwrap();
            drawn.follow(&stage.simulation.world().trees()[0]);
            let view = Rect::from_min_max(Pos2::ZERO, pos2(900.0, 600.0));
            let orbit = Orbit::framing(drawn.bounds(), 1.5, 70.0, 8.0);
            let mut times = Vec::new();
            for (x, y) in (0..30).flat_map(|x| (0..20).map(move |y| (x, y))) {
                let at = pos2(30.0 * x as f32 + 0.5, 30.0 * y as f32 + 0.5);
                let start = std::time::Instant::now();
                let _ = drawn.meet(&orbit.sight(at, view, 1.0), Mode::Shaded);
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
            times.sort_by(f64::total_cmp);
            let (triangles, seen) = (drawn.skin().triangles(), drawn.seen().len());
            let [middle, most, worst] = [300, 570, 599].map(|at: usize| times[at]);
            println!(
                "{bodies} bodies, {seen} seen, {triangles} triangles: {middle:.2} ms, 95 % below {most:.2} ms, at worst {worst:.2} ms"
            );
        }
    }
}
