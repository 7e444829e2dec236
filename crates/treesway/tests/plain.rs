//! The engine's sweeps, tile by tile, move trees as the plain reference does, body by body.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{analytic, run, trees, world_of};
use treesway::glam::Vec3;
use treesway::plain::PlainTree;
use treesway::{FRAME_SECS, Solver, TreeDesc, TreeId, Wind, WindSettings, World};

const TREE: TreeId = TreeId(0);

fn windy(desc: &TreeDesc, solver: Solver, products: bool) -> World {
    let mut options = analytic();
    options.settings.solver = solver;
    options.settings.velocity_products = products;
    let mut world = world_of(desc, options);
    let settings = WindSettings {
        velocity: Vec3::new(4.0, 0.0, 1.5),
        ..WindSettings::default()
    };
    let wind = Wind::new(settings).expect("the wind is valid");
    world.fields.push(Box::new(wind));
    world
}

/// How far apart engine and reference are after so many frames, and how far the tree has moved, m.
fn apart(desc: &TreeDesc, solver: Solver, products: bool, frames: usize) -> (f32, f32) {
    let mut world = windy(desc, solver, products);
    let given: Vec<Vec3> = {
        let tree = world.tree(TREE);
        tree.ids().map(|id| tree.pose(id).position).collect()
    };
    let mut plain = PlainTree::of(world.tree(TREE));
    let mut its_world = windy(desc, solver, products);
    for frame in 0..frames {
        let seconds = FRAME_SECS * frame as f64;
        plain.frame(
            its_world.gravity,
            &mut its_world.fields,
            seconds,
            FRAME_SECS,
        );
    }
    run(&mut world, frames);
    let tree = world.tree(TREE);
    assert_eq!(plain.poses().count(), tree.len());
    let (mut farthest, mut moved) = (0.0_f32, 0.0_f32);
    for (id, pose) in plain.poses() {
        let here = tree.pose(id).position;
        farthest = farthest.max(here.distance(pose.position));
        moved = moved.max(here.distance(given[id.index()]));
    }
    (farthest, moved)
}

/// Rounding is all that differs, which a place 8 m up has 5e-7 m of in single precision. Later, or in a strong wind, it decides which way
/// a leaf flips, and no two orders of the same sums agree any more.
const ROUNDING: f32 = 1e-5;
const FRAMES: usize = 40;

#[test]
fn tiles_move_as_single_bodies_do() {
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        for (name, desc) in [
            ("fork", trees::fork()),
            ("tree", trees::random_tree(5000, 3)),
        ] {
            let (off, moved) = apart(&desc, solver, false, FRAMES);
            println!("{solver:?}, {name}: {off:.1e} m apart, moved by {moved:.1e} m");
            assert!(
                moved > 5.0 * ROUNDING,
                "{solver:?}, {name}: moved {moved} m"
            );
            assert!(off < ROUNDING, "{solver:?}, {name}: {off} m apart");
        }
    }
}

#[test]
fn velocity_products_are_the_same_for_single_bodies() {
    let (off, moved) = apart(&trees::fork(), Solver::Coupled, true, FRAMES);
    assert!(moved > 5.0 * ROUNDING, "moved {moved} m");
    assert!(off < ROUNDING, "{off} m apart");
}
