//! Crowds: what they cost the processor, and whether far trees look like near ones. Optimised builds only.
#![cfg(not(debug_assertions))]

use std::time::{Duration, Instant};
use treesway::glam::Vec3;
use treesway_io::Scene;
use treesway_io::scene::PlantedCrowd;
use treesway_render::{Camera, Crowd, CrowdSpecies, Headless, LEVELS, Quality, Settings, Studio};
use treesway_skin::Plant;

/// Some trees in a wind, without places.
fn planted(species: &[&str], bodies: usize) -> PlantedCrowd {
    let text = format!(
        "version = 1\n[wind]\nspeed = 6.0\n[[tree]]\nbuiltin = \"beam\"\n[[crowd]]\nspecies = {species:?}\nbodies = {bodies}\ncount = 1\n"
    );
    Scene::parse(&text, "test").unwrap().plant_crowds().unwrap()
}

fn crowd(studio: &Studio, planted: &PlantedCrowd, plants: Vec<Plant>) -> Crowd {
    let species = planted.species.iter().zip(&planted.motions);
    let species = species.map(|(s, motion)| CrowdSpecies {
        bodies: &s.bodies,
        look: &s.look,
        motion: motion.clone(),
        finest: None,
    });
    Crowd::new(studio.renderer(), species.collect(), plants)
}

/// On a grid with every other row shifted, turned this way and that.
fn forest(rows: u32, species: u32) -> Vec<Plant> {
    let plant = |i: u32| {
        let (row, column) = (i / rows, i % rows);
        let half = 0.5 * rows as f32;
        Plant {
            species: i * 7 % species,
            position: Vec3::new(
                (column as f32 - half + 0.5 * (row % 2) as f32) * 6.0,
                0.0,
                -(row as f32) * 6.0,
            ),
            yaw: i as f32 * 2.4,
            size: 0.8 + 0.4 * (i as f32 * 0.618).fract(),
            phase: i as f32 * 1.7,
            jitter: 0.1 * (i as f32 * 0.382).fract(),
        }
    };
    (0..rows * rows).map(plant).collect()
}

#[test]
fn ten_thousand_trees_cost_the_processor_less_than_a_millisecond() {
    let gpu = Headless::new().unwrap_or_else(|e| panic!("{e}"));
    let mut studio = Studio::new(&gpu, 320, 180, Quality::Low).unwrap();
    let planted = planted(&["oak", "birch", "spruce"], 600);
    let mut crowd = crowd(&studio, &planted, forest(100, 3));
    let camera = Camera {
        eye: Vec3::new(0.0, 60.0, 80.0),
        target: Vec3::new(0.0, 0.0, -150.0),
        fov_deg: 50.0,
        roll_deg: 0.0,
    };
    let settings = Settings::default();
    let mut report = studio.draw_crowd(&[], &mut crowd, &camera, &settings);
    studio.wait().unwrap();
    let made = studio.renderer().memory_made();
    let mut best = Duration::MAX;
    for frame in 0..8 {
        crowd.set_time(f64::from(frame) / 30.0);
        let start = Instant::now();
        report = studio.draw_crowd(&[], &mut crowd, &camera, &settings);
        best = best.min(start.elapsed());
        studio.wait().unwrap();
    }
    println!("10,000 trees: {best:?} to sort, upload and encode; drawn {report:?}");
    assert_eq!(
        made,
        studio.renderer().memory_made(),
        "a frame makes no memory"
    );
    assert!(report.drawn.iter().sum::<u32>() > 5_000, "{report:?}");
    assert!(best < Duration::from_millis(1), "{best:?}");
}

/// What a picture shows of a tree before no background.
struct Shown {
    /// Mean of the pixels that are covered, linear.
    colour: [f64; 3],
    /// How many there are.
    covered: f64,
    /// Trees at each level of detail.
    drawn: [u32; LEVELS],
}

/// A tree seen from some sides, degrees, in pictures of so many pixels.
fn shown(of: &PlantedCrowd, height: u32, sides: [f32; 4]) -> [Shown; 4] {
    let gpu = Headless::new().unwrap_or_else(|e| panic!("{e}"));
    let mut studio = Studio::new(&gpu, height, height, Quality::Medium).unwrap();
    let plant = Plant {
        size: 1.0,
        ..Plant::default()
    };
    let mut crowd = crowd(&studio, of, vec![plant]);
    let top = crowd.bounds()[1].y;
    let middle = Vec3::Y * 0.5 * top;
    let settings = Settings {
        background: false,
        fog: 0.0,
        ..Settings::default()
    };
    sides.map(|side| {
        let (sin, cos) = side.to_radians().sin_cos();
        let camera = Camera {
            eye: middle + Vec3::new(sin, 0.0, cos) * (12.0 * top),
            target: middle,
            fov_deg: 30.0,
            roll_deg: 0.0,
        };
        let drawn = studio.draw_crowd(&[], &mut crowd, &camera, &settings).drawn;
        let image = studio
            .picture_of_crowd(&[], &mut crowd, &camera, &settings)
            .unwrap();
        let mut sum = [0.0; 3];
        let mut covered = 0.0;
        for p in image.rgba.chunks_exact(4).filter(|p| p[3] > 0) {
            // What is half covered is half dark: its colour is already multiplied by the share.
            let linear = |c: u8| (f64::from(c) / 255.0).powf(2.2);
            (0..3).for_each(|i| sum[i] += linear(p[i]));
            covered += f64::from(p[3]) / 255.0;
        }
        Shown {
            colour: sum.map(|s| s / covered),
            covered,
            drawn,
        }
    })
}

/// What is amiss with the picture of an impostor beside that of a mesh at the same distance: pictures of more pixels ask for more detail.
fn unlike_meshes(species: &[&str]) -> Vec<String> {
    let sides = [0.0, 90.0, 180.0, 270.0];
    let mut wrong = Vec::new();
    for name in species {
        let model = planted(&[name], 1500);
        let [meshes, impostors] = [1024, 256].map(|height| shown(&model, height, sides));
        for ((side, mesh), impostor) in sides.iter().zip(&meshes).zip(&impostors) {
            assert_eq!(
                [mesh.drawn, impostor.drawn],
                [[0, 0, 1, 0], [0, 0, 0, 1]],
                "one of each is compared"
            );
            let brightness = |c: [f64; 3]| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
            let ratio = brightness(impostor.colour) / brightness(mesh.colour);
            let covers = 16.0 * impostor.covered / mesh.covered;
            let line = format!(
                "{name} from {side}°: impostor / mesh brightness {ratio:.3}, covered area {covers:.3}; {:.3?} {:.3?}",
                mesh.colour, impostor.colour
            );
            println!("{line}");
            if !(0.75..1.35).contains(&covers) || !(0.8..1.25).contains(&ratio) {
                wrong.push(line);
            }
        }
    }
    wrong
}

#[test]
fn impostors_are_as_dense_and_as_bright_as_meshes() {
    let wrong = unlike_meshes(&["oak", "birch", "spruce", "willow", "pine"]);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
