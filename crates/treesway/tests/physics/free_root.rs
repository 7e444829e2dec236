//! A tree that nothing holds: a broken branch, a thrown stick.

use crate::common::{largest_bend, run, trees, unloaded, world_of};
use treesway::glam::{DVec3, Vec3};
use treesway::{Load, RootKind, TreeDesc, TreeId, TreeOptions, World};

const TREE: TreeId = TreeId(0);

fn free(desc: &TreeDesc, mut options: TreeOptions) -> World {
    options.root = RootKind::Free;
    world_of(desc, options)
}

/// Mass and centre of mass of a tree.
fn centre(world: &World) -> (f64, DVec3) {
    let tree = world.tree(TREE);
    let (mut mass, mut moment) = (0.0, DVec3::ZERO);
    for body in tree.ids().map(|id| tree.body(id)) {
        let m = f64::from(body.mass);
        mass += m;
        moment += m * body.pose.point(body.com_in_body).as_dvec3();
    }
    (mass, moment / mass)
}

#[test]
fn free_tree_falls_as_a_stone_without_sagging() {
    let mut world = free(&trees::fork(), unloaded());
    let (_, before) = centre(&world);
    let frames = 60;
    let report = run(&mut world, frames);
    assert_eq!(report.healed, 0);
    let (_, after) = centre(&world);
    // Symplectic Euler: ½ g t (t + h).
    let (t, h) = (world.seconds(), world.frame_secs());
    let fallen = 0.5 * f64::from(world.gravity.y) * t * (t + h);
    let off = after - before - DVec3::Y * fallen;
    println!(
        "fell {fallen:.3} m, off by {:.1e} m, bent by {:.1e} rad",
        off.length(),
        largest_bend(world.tree(TREE))
    );
    assert!(off.length() < 1e-4, "{off}");
    assert!(largest_bend(world.tree(TREE)) < 1e-5);
}

/// A held tree carries the bend of its weight; let go, its branches spring back by θ₀ and swing around that.
#[test]
fn released_tree_springs_up() {
    let mut world = world_of(&trees::beam(10, 3.0, 0.03, 0.01), TreeOptions::default());
    run(&mut world, 10);
    world.tree_mut(TREE).set_root_kind(RootKind::Free);
    let report = run(&mut world, 60);
    assert_eq!(report.healed, 0);
    let tree = world.tree(TREE);
    let up = tree.ids().skip(1).map(|id| tree.body(id));
    assert!(
        up.into_iter()
            .any(|b| b.theta.length() > 1e-4 && b.theta.dot(b.rest_theta) > 0.0)
    );
}

#[test]
fn pushed_free_tree_gains_the_momentum_of_the_push() {
    let mut world = free(&trees::fork(), unloaded());
    world.gravity = Vec3::ZERO;
    let (mass, before) = centre(&world);
    let push = Load::force(treesway::BodyId(4), Vec3::ZERO, Vec3::new(30.0, 5.0, -10.0));
    world.tree_mut(TREE).add_load(push);
    run(&mut world, 1);
    let (_, start) = centre(&world);
    run(&mut world, 60);
    let (_, after) = centre(&world);
    let velocity = (after - start) / (60.0 * world.frame_secs());
    let expected = push.force.as_dvec3() * world.frame_secs() / mass;
    println!("{velocity} m/s, expected {expected} m/s, from {before}");
    // Bending moves mass within the frozen whole, which the rigid motion does not see: a share of the push.
    assert!(
        velocity.distance(expected) < 0.1 * expected.length(),
        "{velocity} {expected}"
    );
}
