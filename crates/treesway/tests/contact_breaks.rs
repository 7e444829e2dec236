//! What presses on a branch breaks it, and what presses on a leaf tears it off: a branch that a load bends down on what lies below it, with contacts and without.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::crossing::{ABOVE, BELOW, LENGTH, THIN, crossing};
use common::{run, segment, unloaded, world_of};
use std::f32::consts::PI;
use treesway::glam::Vec3;
use treesway::{BodyId, Load, Shape, Solver, TreeDesc, TreeId, TreeOptions, World};

const TREE: TreeId = TreeId(0);

/// Radius of the branch below, m.
const THICK: f32 = 0.016;

/// The load on the end of the branch above grows to this, N, while the elastic modulus is that, Pa.
const LOAD: f32 = 10.0;
const MODULUS: f32 = 3e9;

/// In so many frames, and then lasts for as many.
const GROWS: u16 = 60;

/// After four seconds under the load, or when something has come off.
fn pressed(
    desc: &TreeDesc,
    solver: Solver,
    apart: bool,
    change: impl Fn(&mut TreeOptions),
) -> World {
    let mut options = unloaded();
    options.settings.solver = solver;
    options.settings.self_contact.enabled = Some(apart);
    options.params.wood.youngs_modulus = MODULUS;
    change(&mut options);
    let mut world = world_of(desc, options);
    world.gravity = Vec3::ZERO;
    for frame in 0..2 * GROWS {
        let share = f32::from(frame.min(GROWS)) / f32::from(GROWS);
        let tree = world.tree_mut(TREE);
        tree.add_load(Load::force(
            ABOVE,
            Vec3::Z * LENGTH,
            -Vec3::Y * (LOAD * share),
        ));
        let report = run(&mut world, 1);
        if report.detached + report.broken > 0 {
            break;
        }
    }
    world
}

/// Torque of the spring of a body, N·m.
fn torque(world: &World, id: BodyId) -> f32 {
    let body = world.tree(TREE).body(id);
    (body.stiffness * body.theta).length()
}

const SOLVERS: [Solver; 3] = [Solver::Coupled, Solver::Analytic, Solver::Contact];

/// The branch below holds up the one above and breaks, though nothing but the push of the other is on it; without contacts it stays.
#[test]
fn a_branch_that_is_leaned_on_breaks() {
    let desc = crossing(segment(LENGTH, THICK, THICK), THICK);
    for solver in SOLVERS {
        let whole = pressed(&desc, solver, true, |_| ());
        let most = torque(&whole, BELOW);
        let broken = |apart: bool| {
            let world = pressed(&desc, solver, apart, |options| {
                let breakage = &mut options.params.breakage;
                // Of the branch below, three quarters of what presses on it.
                let alone = breakage.strength * PI * THICK.powi(3) / 4.0;
                breakage.factor = Some(0.75 * most / alone);
                // Neither the one above nor, by twist, its bough.
                breakage.least_radius = 1.1 * THIN;
                breakage.shear_share = 1.0;
            });
            !world.tree(TREE).is_attached(BELOW)
        };
        assert_eq!([true, false].map(broken), [true, false], "{solver:?}");
    }
}

/// A leaf that a branch bends down comes off; without contacts it stays.
#[test]
fn a_leaf_that_is_bent_down_comes_off() {
    let leaf = Shape::Leaf {
        length: LENGTH,
        width: 0.1,
        thickness: 3e-4,
    };
    let desc = crossing(leaf, 0.03);
    for solver in SOLVERS {
        let whole = pressed(&desc, solver, true, |_| ());
        let body = whole.tree(TREE).body(BELOW);
        let holds = 0.5 * torque(&whole, BELOW) / (body.mass * 9.81 * body.com_in_body.z);
        let off = |apart: bool| {
            let world = pressed(&desc, solver, apart, |options| {
                options.params.shedding.spread = 0.0;
                options.params.shedding.leaf.hold = Some(holds);
            });
            !world.tree(TREE).is_attached(BELOW)
        };
        assert_eq!([true, false].map(off), [true, false], "{solver:?}, {holds}");
    }
}
