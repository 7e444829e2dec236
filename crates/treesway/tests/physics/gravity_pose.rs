//! A tree that was given its pose under gravity keeps it.

use crate::common::{analytic, run, trees, world_of};
use treesway::glam::DQuat;
use treesway::{RootPose, TreeDesc, TreeId, World};

/// Largest movement of a joint or tip in `seconds`, against the tree's size.
fn movement(desc: &TreeDesc, seconds: usize) -> f32 {
    let mut world = world_of(desc, analytic());
    let ends = |world: &World| -> Vec<_> {
        let tree = &world.trees()[0];
        tree.ids()
            .flat_map(|id| [tree.pose(id).position, tree.tip(id)])
            .collect()
    };
    let before = ends(&world);
    let report = run(&mut world, 30 * seconds);
    assert_eq!((report.healed, report.limited), (0, 0));
    let size = before.iter().map(|p| p.length()).fold(0.0, f32::max);
    let moved = before
        .iter()
        .zip(ends(&world))
        .map(|(a, b)| a.distance(b))
        .fold(0.0, f32::max);
    moved / size
}

#[test]
fn given_pose_does_not_move_under_gravity() {
    for (name, desc) in [
        ("beam", trees::beam(20, 4.0, 0.04, 0.01)),
        ("pole", trees::pole(20, 4.0, 0.04, 0.01)),
        ("fork", trees::fork()),
        ("tree", trees::random_tree(4000, 1)),
    ] {
        let moved = movement(&desc, 8);
        println!("{name}: moved by {moved:.1e} of its size");
        assert!(moved < 2e-6, "{name} moved by {moved} of its size");
    }
}

#[test]
fn a_heavier_tree_on_a_turned_root_still_holds_the_pose_it_was_given() {
    let desc = trees::fork();
    let mut options = analytic();
    options.motion = Some(std::sync::Arc::new(|t: f64| RootPose {
        rotation: DQuat::from_rotation_z(t),
        ..RootPose::default()
    }));
    let mut world = world_of(&desc, options);
    let tree = TreeId(0);
    let relaxed = |world: &World| -> Vec<_> {
        let tree = world.tree(tree);
        tree.ids().map(|id| tree.body(id).rest_theta).collect()
    };
    let given = relaxed(&world);
    run(&mut world, 30);
    let mut params = world.tree(tree).params().clone();
    params.wood.density *= 2.0;
    world
        .tree_mut(tree)
        .set_params(params.clone())
        .expect("valid");
    params.wood.density /= 2.0;
    world.tree_mut(tree).set_params(params).expect("valid");
    assert_eq!(relaxed(&world), given);
}
