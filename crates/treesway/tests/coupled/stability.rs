//! No stiffness, wind, pull or shake makes it diverge.

use std::sync::Arc;
use treesway::glam::{DQuat, DVec3, Vec3};
use treesway::{BodyKind, Pull, RootPose, Solver, StepReport, Tree, TreeOptions, Wind, World, cut};
use treesway_grow::Broadleaf;

/// A tree in a 60 m/s wind whose root is shaken and whose tips are torn at; steps it and checks every pose.
fn torture(bodies: u32, stiffness: f32, substeps: u32, seconds: u32) -> StepReport {
    let grown = Broadleaf {
        bodies,
        ..Broadleaf::default()
    }
    .grow(5)
    .unwrap();
    let mut options = TreeOptions::default();
    options.params.multipliers.branch_stiffness = stiffness;
    options.params.multipliers.leaf_stiffness = stiffness;
    options.settings.solver = Solver::Coupled;
    options.settings.substeps = substeps;
    options.motion = Some(Arc::new(|t: f64| RootPose {
        position: DVec3::new(0.3 * (6.0 * t).sin(), 0.0, 0.2 * (9.0 * t).sin()),
        rotation: DQuat::from_rotation_y(0.3 * (5.0 * t).sin()),
    }));
    let mut world = World::default();
    world.fields.push(Box::new(Wind::steady(Vec3::X * 60.0)));
    let tree = world.add(Tree::build(&cut(&grown.skeleton, &grown.cut).unwrap(), options).unwrap());
    let segments: Vec<_> = world
        .tree(tree)
        .ids()
        .filter(|&id| world.tree(tree).body(id).kind == BodyKind::Segment)
        .collect();
    let mut total = StepReport::default();
    for frame in 0..30 * seconds {
        if frame % 15 == 0 {
            let body = segments[(frame as usize * 7919) % segments.len()];
            let far = Vec3::new((frame % 7) as f32 - 3.0, 4.0, (frame % 5) as f32 - 2.0) * 3.0;
            let strength = [1e3, 1e6, f32::INFINITY][(frame / 15 % 3) as usize];
            world
                .tree_mut(tree)
                .add_pull(Pull::new(body, Vec3::ZERO, far, strength));
        } else if frame % 15 == 10 {
            let last = world.tree(tree).pulls().last();
            last.into_iter()
                .for_each(|pull| world.tree_mut(tree).release(pull));
        }
        total += world.step();
        if frame % 30 == 29 {
            for id in world.tree(tree).ids() {
                let body = world.tree(tree).body(id);
                assert!(body.pose.position.is_finite() && body.angular_velocity.is_finite());
                assert!(
                    body.pose.position.length() < 100.0,
                    "{}",
                    body.pose.position
                );
            }
        }
    }
    total
}

#[test]
fn stable_at_any_stiffness_in_a_hurricane() {
    for stiffness in [0.1, 1.0, 1e3, 1e6, 1e9] {
        for substeps in [1, 2] {
            let report = torture(2_000, stiffness, substeps, 10);
            assert_eq!(
                report.healed, 0,
                "stiffness × {stiffness}, {substeps} steps"
            );
        }
    }
}

#[test]
#[ignore = "soak: cargo xtask soak"]
fn a_hundred_thousand_bodies_are_stable_at_any_stiffness() {
    for stiffness in [0.1, 1.0, 1e3, 1e6, 1e9] {
        let report = torture(100_000, stiffness, 2, 20);
        println!("stiffness × {stiffness}: {report:?}");
        assert_eq!(report.healed, 0, "stiffness × {stiffness}");
    }
}
