//! Imported trees stand: under gravity neither solver lets a scan collapse or explode, and a breeze does not either.
//!
//! The scans are in `../shared/data` beside the repository; without that folder only the small scan of our own is tried, and the test says so.

use std::path::{Path, PathBuf};
use treesway::Wind;
use treesway::glam::Vec3;
use treesway_io::{Scene, Simulation};

/// Of the tree's height: how far any tip may move in ten seconds of standing still.
const STILL: f32 = 1e-3;

/// Speed of a breeze that moves twigs, m/s. (A gale lays the thinnest upright twigs over for good: they are slender enough to have a second,
/// hanging equilibrium.)
const BREEZE: f32 = 4.0;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn scans() -> Vec<PathBuf> {
    let shared = root().join("../shared/data");
    let names = [
        "qsm/5_SmallTree.csv",
        "qsm/Tree_1_TreeQSM.txt",
        "qsm/qsm_tree_v240.mat",
        "qsm/example_tree.csv",
        "wytham/Tf3.csv",
        "wytham/Tf12.csv",
        "wytham/Tf16.csv",
    ];
    let mut files = vec![root().join("crates/treesway-io/tests/data/wytham.csv")];
    for name in names {
        let file = shared.join(name);
        if file.is_file() {
            files.push(file);
        } else {
            eprintln!("{name} is left out: it is not in ../shared/data");
        }
    }
    files
}

fn build(file: &Path, solver: &str) -> Simulation {
    let settings = [format!("tree.solver=\"{solver}\"")];
    let scene = Scene::of_tree_file(file, &settings).unwrap();
    scene.build().unwrap()
}

fn tips(simulation: &Simulation) -> Vec<Vec3> {
    let tree = &simulation.world().trees()[0];
    tree.ids().map(|id| tree.tip(id)).collect()
}

fn height(tips: &[Vec3]) -> f32 {
    tips.iter().fold(0.0, |h, t| h.max(t.y))
}

fn farthest(now: &[Vec3], start: &[Vec3]) -> f32 {
    let distances = now.iter().zip(start).map(|(a, b)| a.distance(*b));
    distances.fold(0.0, f32::max)
}

#[test]
fn scanned_trees_stand_under_gravity() {
    for file in scans() {
        for solver in ["coupled", "analytic"] {
            let mut simulation = build(&file, solver);
            let start = tips(&simulation);
            let most = STILL * height(&start);
            let mut moved = 0.0_f32;
            for _ in 0..300 {
                let report = simulation.step();
                assert_eq!(report.healed, 0, "{} {solver}", name(&file));
                moved = moved.max(farthest(&tips(&simulation), &start));
            }
            println!(
                "{} {solver}: {} bodies, tips moved {:.2e} of the height",
                name(&file),
                simulation.bodies(),
                moved / height(&start)
            );
            assert!(moved < most, "{} {solver}: {moved} m", name(&file));
        }
    }
}

#[test]
fn scanned_trees_stand_in_a_breeze() {
    for file in scans() {
        for solver in ["coupled", "analytic"] {
            let mut simulation = build(&file, solver);
            let start = tips(&simulation);
            let tall = height(&start);
            simulation
                .world_mut()
                .fields
                .push(Box::new(Wind::steady(Vec3::X * BREEZE)));
            let (mut healed, mut moved) = (0, 0.0_f32);
            for frame in 0..360 {
                if frame == 60 {
                    simulation.world_mut().fields.clear();
                }
                healed += simulation.step().healed;
                moved = moved.max(farthest(&tips(&simulation), &start));
            }
            let left = farthest(&tips(&simulation), &start);
            println!(
                "{} {solver}: tips moved {:.3} of the height, {:.4} are left",
                name(&file),
                moved / tall,
                left / tall
            );
            assert_eq!(healed, 0, "{} {solver}", name(&file));
            // Twigs bend, and limbs that a scan has too thin lean far; nothing flies off.
            assert!(moved < 0.5 * tall, "{} {solver}: {moved} m", name(&file));
        }
    }
}

fn name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
