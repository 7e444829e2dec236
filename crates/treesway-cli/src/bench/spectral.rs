//! What the motion of the spectral solver costs in the vertex shader: the same trees drawn still and moving, in turn (Habel 2009, Table 3).

use crate::render::crowd;
use anyhow::{Context, Result, ensure};
use std::time::{Duration, Instant};
use treesway::glam::Vec3;
use treesway::spectral::{Bending, SpectralTree};
use treesway::{BodyKind, TreeId};
use treesway_io::scene::Model;
use treesway_render::{Camera, Crowd, CrowdSpecies, Headless, Quality, Settings, Studio};
use treesway_skin::Plant;

/// One row of the paper's table.
struct Case {
    name: &'static str,
    trees: u32,
    shaded: bool,
    bending: Option<Bending>,
    /// Frames per second in the paper, still and moving.
    paper: [f64; 2],
}

const CASES: [Case; 4] = [
    Case {
        name: "unshaded",
        trees: 1,
        shaded: false,
        bending: None,
        paper: [299.0, 290.0],
    },
    Case {
        name: "shaded",
        trees: 1,
        shaded: true,
        bending: None,
        paper: [56.0, 48.0],
    },
    Case {
        name: "shaded, simplified",
        trees: 1,
        shaded: true,
        bending: Some(Bending::Simple),
        paper: [56.0, 52.0],
    },
    Case {
        name: "shaded, 4 trees",
        trees: 4,
        shaded: true,
        bending: None,
        paper: [49.0, 32.0],
    },
];

/// Pairs of frames of each case; the fastest of either kind counts.
const FRAMES: u32 = 12;
/// Pixels: the tree is drawn at its finest level.
const SIZE: [u32; 2] = [1280, 640];

/// Times every case and prints a table in Markdown.
pub fn print() -> Result<()> {
    let gpu = Headless::new()?;
    let scene = treesway_scenes::find("spectral-tree")?.load(&[])?;
    let (simulation, models) = scene.build_to_draw()?;
    let tree = Tree {
        model: &models[0],
        motion: simulation.world().spectral(TreeId(0)).0,
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
    println!("| | still, ms | moving, ms | moving / still | paper |");
    println!("|---|---|---|---|---|");
    for case in &CASES {
        let [still, moving] = time(&mut studio, &tree, case)?.map(|t| 1e3 * t.as_secs_f64());
        println!(
            "| {} | {still:.1} | {moving:.1} | {:.2} | {:.2} |",
            case.name,
            moving / still,
            case.paper[0] / case.paper[1]
        );
    }
    print_crowd(&gpu)
}

/// The tree that is drawn, and how it moves.
struct Tree<'a> {
    model: &'a Model,
    motion: SpectralTree,
}

impl Tree<'_> {
    /// So many of it, side by side.
    fn crowd(&self, studio: &Studio, count: u32) -> Crowd {
        let species = CrowdSpecies {
            bodies: &self.model.bodies,
            look: &self.model.look,
            motion: self.motion.clone(),
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

fn time(studio: &mut Studio, tree: &Tree, case: &Case) -> Result<[Duration; 2]> {
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
    let mut best = [Duration::MAX; 2];
    for frame in 0..FRAMES {
        for (moving, best) in [false, true].into_iter().zip(&mut best) {
            crowd.set_moving(moving);
            crowd.set_time(f64::from(frame) / 30.0);
            let start = Instant::now();
            let drawn = studio.draw_crowd(&[], &mut crowd, &camera, &settings).drawn;
            ensure!(
                drawn[0] == case.trees,
                "{drawn:?} trees at each level; expected the finest"
            );
            studio.wait().context("while timing")?;
            *best = (*best).min(start.elapsed());
        }
    }
    Ok(best)
}
