//! What the motion of the spectral solver costs in the vertex shader: the same trees drawn still and moving, in turn (Habel 2009, Table 3).

use crate::render::crowd;
use anyhow::{Context, Result, ensure};
use std::time::{Duration, Instant};
use treesway::glam::Vec3;
use treesway::spectral::{Bending, SpectralTree};
use treesway::{BodyKind, TreeId};
use treesway_io::scene::Model;
use treesway_render::{Camera, Crowd, CrowdSpecies, Headless, Quality, Settings, Studio};
use treesway_skin::{Detail, Plant, Skin};

/// One row of the paper's table.
struct Case {
    name: &'static str,
    trees: u32,
    shaded: bool,
    bending: Option<Bending>,
    /// Frames per second in the paper, still and moving.
    paper: [f64; 2],
    /// Time of the motion alone in the paper, ms.
    alone: f64,
}

const CASES: [Case; 4] = [
    Case {
        name: "unshaded",
        trees: 1,
        shaded: false,
        bending: None,
        paper: [299.0, 290.0],
        alone: 0.104,
    },
    Case {
        name: "shaded",
        trees: 1,
        shaded: true,
        bending: None,
        paper: [56.0, 48.0],
        alone: 1.49,
    },
    Case {
        name: "shaded, simplified",
        trees: 1,
        shaded: true,
        bending: Some(Bending::Simple),
        paper: [56.0, 52.0],
        alone: 0.68,
    },
    Case {
        name: "shaded, 4 trees",
        trees: 4,
        shaded: true,
        bending: None,
        paper: [49.0, 32.0],
        alone: 5.4,
    },
];

/// Pairs of frames of each case; the fastest of either kind counts.
const FRAMES: u32 = 12;
/// Pixels: the tree is drawn at its finest level.
const SIZE: [u32; 2] = [1280, 640];
/// Edge of a picture that shows so little of the tree that only its vertices cost time, pixels.
const SPECK: u32 = 16;
/// Vertices of the paper's trees.
const VERTICES: usize = 75_000;

/// Times every case and prints a table in Markdown.
pub fn print() -> Result<()> {
    let gpu = Headless::new()?;
    let scene = treesway_scenes::find("spectral-tree")?.load(&[])?;
    let (simulation, models) = scene.build_to_draw()?;
    let tree = Tree {
        model: &models[0],
        motion: simulation.world().spectral(TreeId(0)).0,
        detail: as_large_as_the_papers(&models[0]),
    };
    let leaves = tree.model.bodies.bodies.iter();
    let leaves = leaves.filter(|b| b.shape.kind() == BodyKind::Leaf).count();
    let mut studio = Studio::new(&gpu, SIZE[0], SIZE[1], Quality::Low)?;
    let vertices = tree.crowd(&studio, 1).vertices()[0][0];
    println!(
        "Scene spectral-tree: {} branches, {leaves} leaves, {vertices} vertices; by {}, {} by {} pixels; best of {FRAMES} frames, still and moving in turn.\n",
        tree.motion.model.branches.len(),
        gpu.adapter.name,
        SIZE[0],
        SIZE[1]
    );
    println!(
        "| | still, ms | moving, ms | moving / still | paper | motion alone over that of one shaded tree | paper |"
    );
    println!("|---|---|---|---|---|---|---|");
    let times = CASES
        .iter()
        .map(|case| time(&mut studio, &tree, case))
        .collect::<Result<Vec<_>>>()?;
    let alone = |[still, moving]: [f64; 2]| moving - still;
    for (case, [still, moving]) in CASES.iter().zip(&times) {
        println!(
            "| {} | {still:.1} | {moving:.1} | {:.2} | {:.2} | {:.2} | {:.2} |",
            case.name,
            moving / still,
            case.paper[0] / case.paper[1],
            alone([*still, *moving]) / alone(times[1]),
            case.alone / CASES[1].alone,
        );
    }
    print_vertices(&gpu, &tree)?;
    print_crowd(&gpu)
}

/// The finest mesh of at most as many vertices as the paper's trees have, with one blade for every leaf.
fn as_large_as_the_papers(model: &Model) -> Detail {
    const STEPS: u32 = 10;
    let detail = |tolerance| Detail {
        tolerance,
        least_sides: 3,
        curve_steps: 1,
        most_leaves: 1,
        ..Detail::default()
    };
    // Halving in the logarithm, from 1 mm to 1 m.
    let (mut fine, mut coarse) = (1e-3_f32, 1.0_f32);
    for _ in 0..STEPS {
        let middle = (fine * coarse).sqrt();
        if vertices(&Skin::new(&model.bodies, &model.look, &detail(middle))) <= VERTICES {
            coarse = middle;
        } else {
            fine = middle;
        }
    }
    detail(coarse)
}

/// Vertices of wood and leaves.
fn vertices(skin: &Skin) -> usize {
    let leaves = skin.leaves.iter();
    let leaves = leaves.map(|p| p.mesh.vertices.len() * p.instances.len());
    skin.bark.vertices.len() + leaves.sum::<usize>()
}

/// What each way to bend costs a vertex: in a picture with hardly anything in it.
fn print_vertices(gpu: &Headless, tree: &Tree) -> Result<()> {
    const WAYS: [(&str, Option<Bending>); 4] = [
        ("still", None),
        ("exact", Some(Bending::Exact)),
        ("printed", Some(Bending::Printed)),
        ("simple", Some(Bending::Simple)),
    ];
    let mut studio = Studio::new(gpu, SPECK, SPECK, Quality::Low)?;
    let mut crowd = tree.crowd(&studio, 1);
    let count = crowd.vertices()[0][0] as f64;
    let top = crowd.bounds()[1].y;
    // Just over the tree, so near that it would be 600 pixels high.
    let away = 2.0 * top;
    let half = 0.5 * SPECK as f32 * top / (600.0 * away);
    let camera = Camera {
        eye: Vec3::new(0.0, top, away),
        target: Vec3::new(0.0, top, 0.0),
        fov_deg: 2.0 * half.atan().to_degrees(),
        roll_deg: 0.0,
    };
    let settings = Settings {
        shadow: false,
        lighting: false,
        background: false,
        ..Settings::default()
    };
    let mut best = [f64::INFINITY; WAYS.len()];
    for frame in 0..FRAMES {
        for ((_, bending), best) in WAYS.iter().zip(&mut best) {
            crowd.set_moving(bending.is_some());
            crowd.set_bending(*bending);
            crowd.set_time(f64::from(frame) / 30.0);
            *best = best.min(draw(&mut studio, &mut crowd, &camera, &settings, 1)?);
        }
    }
    println!(
        "\nVertices alone, {SPECK} by {SPECK} pixels with nothing in them:\n\n| bending | ns a vertex | motion over exact |\n|---|---|---|"
    );
    for ((name, _), own) in WAYS.iter().zip(&best) {
        println!(
            "| {name} | {:.0} | {:.2} |",
            1e6 * own / count,
            (own - best[0]) / (best[1] - best[0])
        );
    }
    Ok(())
}

/// The tree that is drawn, and how it moves.
struct Tree<'a> {
    model: &'a Model,
    motion: SpectralTree,
    /// Of its finest mesh.
    detail: Detail,
}

impl Tree<'_> {
    /// So many of it, side by side.
    fn crowd(&self, studio: &Studio, count: u32) -> Crowd {
        let species = CrowdSpecies {
            bodies: &self.model.bodies,
            look: &self.model.look,
            motion: self.motion.clone(),
            finest: Some(self.detail),
        };
        let plants = (0..count).map(|i| Plant {
            position: Vec3::X * (7.0 * (i as f32 - 0.5 * (count - 1) as f32)),
            yaw: i as f32,
            size: 1.0,
            phase: 7.0 * i as f32,
            ..Plant::default()
        });
        Crowd::new(studio.renderer(), vec![species], plants.collect())
    }
}

/// What ten thousand trees cost the processor: sorting into levels of detail, uploads, encoding.
fn print_crowd(gpu: &Headless) -> Result<()> {
    let mut studio = Studio::new(gpu, 320, 180, Quality::Low)?;
    let scene = treesway_scenes::find("spectral-forest")?.load(&[])?;
    let mut crowd = crowd(&studio, scene.plant_crowds()?, None);
    let camera = Camera {
        eye: Vec3::new(0.0, 60.0, 330.0),
        target: Vec3::ZERO,
        fov_deg: 50.0,
        roll_deg: 0.0,
    };
    let mut best = Duration::MAX;
    let mut drawn = Default::default();
    for frame in 0..FRAMES {
        crowd.set_time(f64::from(frame) / 30.0);
        let start = Instant::now();
        drawn = studio.draw_crowd(&[], &mut crowd, &camera, &Settings::default());
        best = best.min(start.elapsed());
        studio.wait().context("while timing")?;
    }
    println!(
        "\nscene spectral-forest: {:.2} ms a frame on the processor to sort, upload and encode; trees at each level of detail: {:?}",
        1e3 * best.as_secs_f64(),
        drawn.drawn
    );
    Ok(())
}

/// ms of the fastest frame, still and moving.
fn time(studio: &mut Studio, tree: &Tree, case: &Case) -> Result<[f64; 2]> {
    let mut crowd = tree.crowd(studio, case.trees);
    crowd.set_bending(case.bending);
    let top = crowd.bounds()[1].y;
    let camera = Camera {
        eye: Vec3::new(0.0, 0.5 * top, 2.0 * top),
        target: Vec3::new(0.0, 0.45 * top, 0.0),
        fov_deg: 32.0,
        roll_deg: 0.0,
    };
    let settings = Settings {
        shadow: case.shaded,
        lighting: case.shaded,
        background: false,
        ..Settings::default()
    };
    let mut best = [f64::INFINITY; 2];
    for frame in 0..FRAMES {
        for (moving, best) in [false, true].into_iter().zip(&mut best) {
            crowd.set_moving(moving);
            crowd.set_time(f64::from(frame) / 30.0);
            *best = best.min(draw(studio, &mut crowd, &camera, &settings, case.trees)?);
        }
    }
    Ok(best)
}

/// ms of one frame with so many trees at their finest level.
fn draw(
    studio: &mut Studio,
    crowd: &mut Crowd,
    camera: &Camera,
    settings: &Settings,
    trees: u32,
) -> Result<f64> {
    let start = Instant::now();
    let drawn = studio.draw_crowd(&[], crowd, camera, settings).drawn;
    ensure!(
        drawn[0] == trees,
        "{drawn:?} trees at each level; expected {trees} at the finest"
    );
    studio.wait().context("while timing")?;
    Ok(1e3 * start.elapsed().as_secs_f64())
}
