//! What pictures must show, and a few to compare with.

mod common;

use common::{OAK, SIZE, Set, brightness, coverage, mean, pixels};
use std::sync::Arc;
use treesway::glam::{Quat, Vec3};
use treesway::{BodyPose, ColliderShape, Ground, HeightField};
use treesway_render::{Camera, ColourBy, Mode, Painter, Quality, Settings, Sun, TreeOnGpu};
use treesway_skin::Detail;
use treesway_skin::texture::Image;

/// Set to write the pictures anew.
const BLESS: &str = "TREESWAY_BLESS";

/// Mean difference of brightness and colour, 0 to 1, after averaging four pixels into one: what a glance would notice.
fn difference(a: &Image, b: &Image) -> f32 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let averaged = |image: &Image, x: u32, y: u32, c: usize| -> f32 {
        let at = |dx, dy| {
            let i = 4 * ((y + dy) * image.width + x + dx) as usize + c;
            f32::from(image.rgba[i])
        };
        (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) / (4.0 * 255.0)
    };
    let (mut sum, mut count) = (0.0, 0);
    for y in (0..a.height - 1).step_by(2) {
        for x in (0..a.width - 1).step_by(2) {
            for c in 0..3 {
                sum += (averaged(a, x, y, c) - averaged(b, x, y, c)).abs();
                count += 1;
            }
        }
    }
    sum / count as f32
}

/// Compares with the picture of that name, or writes it.
fn compare(name: &str, found: &Image) {
    let path = format!("{}/tests/pictures/{name}.png", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os(BLESS).is_some() {
        image::save_buffer(
            &path,
            &found.rgba,
            found.width,
            found.height,
            image::ExtendedColorType::Rgba8,
        )
        .unwrap();
        return;
    }
    let wanted = image::open(&path).unwrap_or_else(|e| panic!("{path}: {e}; {BLESS}=1 writes it"));
    let wanted = wanted.into_rgba8();
    let wanted = Image {
        width: wanted.width(),
        height: wanted.height(),
        rgba: wanted.into_raw(),
    };
    let off = difference(found, &wanted);
    assert!(off < 0.02, "{name}: differs by {off}; {BLESS}=1 accepts it");
}

#[test]
fn pictures_are_as_they_were() {
    let mut set = Set::oak();
    let camera = set.camera(90.0, 4.0);
    compare("oak", &set.picture(&camera, &Settings::default()));
    let backlit = Settings {
        sun: Sun {
            azimuth_deg: 250.0,
            elevation_deg: 25.0,
        },
        ..Settings::default()
    };
    compare("backlit", &set.picture(&camera, &backlit));
    let skeleton = Settings {
        mode: Mode::Skeleton,
        ..Settings::default()
    };
    compare("skeleton", &set.picture(&camera, &skeleton));
}

/// Only trees, on nothing.
fn alone() -> Settings {
    Settings {
        background: false,
        ..Settings::default()
    }
}

#[test]
fn a_tree_fills_the_frame_it_was_given() {
    let mut set = Set::oak();
    let camera = set.camera(90.0, 0.0);
    let picture = set.picture(&camera, &alone());
    let covered = coverage(&picture);
    assert!((0.08..0.6).contains(&covered), "{covered}");
    let rows: Vec<u32> = pixels(&picture)
        .filter(|(_, p)| p[3] > 0)
        .map(|(at, _)| at[1])
        .collect();
    let (top, bottom) = (rows.iter().min().unwrap(), rows.iter().max().unwrap());
    assert!(
        *top < SIZE[1] / 5 && *bottom > SIZE[1] * 4 / 5,
        "rows {top} to {bottom}"
    );
    // Corners are empty, and what is empty is transparent.
    assert_eq!(picture.rgba[3], 0);
}

#[test]
fn a_tree_shades_the_ground_beside_it() {
    let mut set = Set::oak();
    // From above, the sun behind the camera's left.
    let camera = set.camera(90.0, 45.0);
    let mut settings = Settings::default();
    let shaded = set.picture(&camera, &settings);
    settings.shadow = false;
    let bright = set.picture(&camera, &settings);
    let darker = |at: &[u32; 2]| {
        let i = 4 * (at[1] * SIZE[0] + at[0]) as usize;
        let of = |p: &Image| brightness([p.rgba[i], p.rgba[i + 1], p.rgba[i + 2], 255]);
        of(&shaded) < 0.8 * of(&bright)
    };
    let tree = set.picture(&camera, &alone());
    let ground: Vec<[u32; 2]> = pixels(&tree)
        .filter(|(_, p)| p[3] == 0)
        .map(|(at, _)| at)
        .collect();
    let in_shadow = ground.iter().filter(|at| darker(at)).count() as f32 / ground.len() as f32;
    assert!(
        (0.03..0.5).contains(&in_shadow),
        "{in_shadow} of the ground"
    );
    // The sun stands on the left: the shadow falls to the right.
    let right = ground
        .iter()
        .filter(|at| darker(at) && at[0] > SIZE[0] / 2)
        .count();
    let left = ground
        .iter()
        .filter(|at| darker(at) && at[0] <= SIZE[0] / 2)
        .count();
    assert!(
        right > 2 * left,
        "{right} pixels on the right, {left} on the left"
    );
}

/// Where a world has a hill, the picture has it: it hides the sky that level ground leaves free, from its foot to its top and no higher.
#[test]
fn hills_are_where_the_world_has_them() {
    let mut set = Set::oak();
    // 40 m wide and, but for its edges, 6 m high, 60 m away along −z.
    let heights = (0..11 * 11).map(|i| {
        let (column, row) = (i % 11, i / 11);
        let inside = (1..10).contains(&column) && (1..10).contains(&row);
        if inside { 6.0 } else { 0.0 }
    });
    let field = HeightField::new([10.0, -100.0], 4.0, 11, heights.collect());
    // Beside the tree, which is not seen.
    let camera = Camera {
        eye: Vec3::new(30.0, 2.0, 0.0),
        target: Vec3::new(30.0, 2.0, -1.0),
        ..set.camera(90.0, 0.0)
    };
    let mut sky = |ground: &Ground| {
        set.studio.set_ground(ground);
        let picture = set.picture(&camera, &Settings::default());
        let column = |at: &[u32; 2]| at[0] == SIZE[0] / 2;
        let blue = pixels(&picture).filter(|(at, p)| column(at) && p[2] > p[1]);
        blue.count() as u32
    };
    let level = sky(&Ground::Plane(0.0));
    let hill = sky(&Ground::Field(Arc::new(field)));
    // From 2 m up the top is seen 4 m over the horizon, 64 m away.
    let metre = SIZE[1] as f32 / (2.0 * (0.5 * camera.fov_deg.to_radians()).tan());
    let higher = metre * 4.0 / 64.0;
    println!(
        "rows of sky: {level} over a plane, {hill} over a hill, {higher:.1} fewer by geometry"
    );
    assert!((level as f32 - hill as f32 - higher).abs() < 3.0);
}

#[test]
fn leaves_glow_against_the_sun() {
    let mut set = Set::oak();
    let camera = set.camera(90.0, 0.0);
    let mut settings = Settings {
        sun: Sun {
            azimuth_deg: 265.0,
            elevation_deg: 25.0,
        },
        ..alone()
    };
    let glowing = set.picture(&camera, &settings);
    settings.translucency = 0.0;
    let opaque = set.picture(&camera, &settings);
    let leaves: Vec<bool> = pixels(&opaque).map(|(_, p)| p[3] == 255).collect();
    let wanted = |at: [u32; 2]| leaves[(at[1] * SIZE[0] + at[0]) as usize];
    let (with, without) = (mean(&glowing, wanted), mean(&opaque, wanted));
    assert!(with > 1.15 * without, "{with} against {without}");
}

#[test]
fn without_lighting_the_sun_does_not_matter() {
    let mut set = Set::oak();
    let camera = set.camera(40.0, 0.0);
    let mut settings = Settings {
        lighting: false,
        ..alone()
    };
    let first = set.picture(&camera, &settings);
    settings.sun.azimuth_deg += 120.0;
    assert!(first == set.picture(&camera, &settings));
    settings.lighting = true;
    assert!(first != set.picture(&camera, &settings));
}

#[test]
fn modes_show_what_they_say() {
    let mut set = Set::oak();
    let camera = set.camera(90.0, 0.0);
    let mut of = |mode| set.picture(&camera, &Settings { mode, ..alone() });
    let [shaded, flat] = [Mode::Shaded, Mode::Flat].map(&mut of);
    let [edges, skeleton] = [Mode::Wireframe, Mode::Skeleton].map(&mut of);
    assert!((coverage(&shaded) - coverage(&flat)).abs() < 0.02);
    assert!(difference(&shaded, &flat) > 0.01);
    // Lines cover some of it, a line a body less than all edges.
    let any = |p: &Image| pixels(p).filter(|(_, p)| p[3] > 0).count();
    assert!(any(&skeleton) > 200 && any(&skeleton) < any(&edges));
    assert!(any(&edges) < any(&shaded) * 5 / 4);
}

#[test]
fn textures_can_be_left_out() {
    let mut set = Set::oak();
    let camera = set.camera(90.0, 0.0);
    let textured = set.picture(&camera, &Settings::default());
    let plain = Settings {
        textures: false,
        ..Settings::default()
    };
    assert!(difference(&textured, &set.picture(&camera, &plain)) > 0.005);
}

#[test]
fn colours_tell_branch_orders_apart() {
    let mut set = Set::oak();
    let mut painter = Painter::new(ColourBy::BranchOrder);
    let tree = &set.simulation.world().trees()[0];
    let colours = painter.colours(tree, set.trees[0].seen()).to_vec();
    assert!(painter.range()[0] == 0.0 && painter.range()[1] >= 2.0);
    // The trunk is of order 0 and stays the darkest.
    let grey = |c: &[u8; 4]| brightness(*c);
    assert!(colours.iter().all(|c| grey(c) >= grey(&colours[0])));
    set.trees[0].paint(&colours);
    let camera = set.camera(90.0, 0.0);
    let settings = Settings {
        mode: Mode::Coloured,
        lighting: false,
        ..alone()
    };
    let picture = set.picture(&camera, &settings);
    let mut seen: Vec<[u8; 4]> = pixels(&picture)
        .map(|(_, p)| p)
        .filter(|p| p[3] == 255)
        .collect();
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() >= 3, "{} colours", seen.len());
}

#[test]
fn leaves_do_not_hide_the_wood_whose_radius_is_shown() {
    let mut set = Set::oak();
    let camera = set.camera(90.0, 0.0);
    let settings = Settings {
        mode: Mode::Coloured,
        ..alone()
    };
    let mut of = |by| {
        let mut painter = Painter::new(by);
        let tree = &set.simulation.world().trees()[0];
        let colours = painter.colours(tree, set.trees[0].seen());
        set.trees[0].paint(colours);
        coverage(&set.picture(&camera, &settings))
    };
    let [order, radius] = [ColourBy::BranchOrder, ColourBy::Radius].map(&mut of);
    assert!(
        radius > 0.0 && radius < 0.5 * order,
        "{radius} of the picture, {order} with leaves"
    );
}

#[test]
fn petals_keep_their_hue() {
    let mut set = Set::new(
        &OAK.replace("oak", "cherry"),
        SIZE,
        Quality::Medium,
        &Detail::for_screen(30.0),
    );
    let camera = set.camera(90.0, 0.0);
    let settings = Settings {
        textures: false,
        lighting: false,
        ..alone()
    };
    let picture = set.picture(&camera, &settings);
    // Whole pixels of petals; the bark is dark.
    let petals = pixels(&picture).map(|(_, p)| p);
    let petals = petals.filter(|p| p[3] == 255 && brightness(*p) > 0.6);
    let mut hues: Vec<f32> = petals
        .map(|[r, _, b, _]| f32::from(b) / f32::from(r))
        .collect();
    hues.sort_by(f32::total_cmp);
    assert!(hues.len() > 200, "{} pixels", hues.len());
    let [least, most] = [hues[hues.len() / 20], hues[hues.len() * 19 / 20]];
    assert!(most < 1.03 * least, "blue over red from {least} to {most}");
}

#[test]
fn pictures_follow_the_tree() {
    let mut set = Set::oak();
    let camera = set.camera(90.0, 0.0);
    let still = set.picture(&camera, &alone());
    for _ in 0..30 {
        set.simulation.step();
    }
    assert!(
        still == set.picture(&camera, &alone()),
        "it has not been told yet"
    );
    set.follow();
    assert!(difference(&still, &set.picture(&camera, &alone())) > 0.001);
}

/// Colliders are grey, of their own size and where they are.
#[test]
fn colliders_are_seen_where_they_are() {
    let mut set = Set::oak();
    let camera = set.camera(90.0, 0.0);
    set.trees.clear();
    let half = Vec3::new(0.5, 1.0, 0.5);
    let shapes = [
        ColliderShape::Sphere { radius: 0.8 },
        ColliderShape::Box { half },
    ];
    let drawn = TreeOnGpu::of_colliders(set.studio.renderer(), shapes.into_iter());
    set.trees.push(drawn.unwrap());
    let right = (camera.target - camera.eye).cross(Vec3::Y).normalize();
    let mut covered_at = |sphere: f32, cuboid: f32| {
        let poses = [sphere, cuboid].map(|aside| BodyPose {
            position: camera.target + right * aside,
            rotation: Quat::IDENTITY,
        });
        set.trees[0].follow_colliders(poses.into_iter());
        let picture = set.picture(&camera, &alone());
        let seen: Vec<_> = pixels(&picture).filter(|(_, p)| p[3] > 200).collect();
        for (_, [r, g, b, _]) in &seen {
            assert!(
                r.abs_diff(*b) < 40 && g.abs_diff(*b) < 40,
                "grey: {r} {g} {b}"
            );
        }
        let middle = SIZE[0] / 2;
        let right_of = seen.iter().filter(|([x, _], _)| *x > middle).count();
        (seen.len(), right_of)
    };
    let (both, on_the_right) = covered_at(-2.0, 2.0);
    let per_metre = SIZE[1] as f32 / (2.0 * (16_f32).to_radians().tan() * camera.distance());
    let faces = 0.8 * 0.8 * core::f32::consts::PI + 2.0;
    let wanted = faces * per_metre * per_metre;
    assert!((both as f32 / wanted - 1.0).abs() < 0.2, "{both} {wanted}");
    assert!(on_the_right > 0 && on_the_right < both, "one on each side");
    assert_eq!(covered_at(-2.0, -4.0).1, 0);
}

#[test]
fn every_quality_shows_the_same_tree() {
    let detail = Detail::for_screen(30.0);
    let of = |quality| {
        let mut set = Set::new(OAK, SIZE, quality, &detail);
        let camera = set.camera(90.0, 4.0);
        set.picture(&camera, &Settings::default())
    };
    let [low, medium, high] = [Quality::Low, Quality::Medium, Quality::High].map(of);
    assert!(difference(&low, &high) < 0.1, "{}", difference(&low, &high));
    assert!(
        difference(&medium, &high) < 0.05,
        "{}",
        difference(&medium, &high)
    );
}
