//! Bad forces harm only the body they act on.

use crate::common::{all_finite, largest_bend, run, trees, world_of};
use treesway::glam::Vec3;
use treesway::{BodyId, BodySample, FieldForce, ForceField, Load, TreeId, TreeOptions, World};

const TREE: TreeId = TreeId(0);

fn fork() -> World {
    world_of(&trees::fork(), TreeOptions::default())
}

#[test]
fn bad_load_heals_its_body_and_the_rest_goes_on() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30] {
        let mut world = fork();
        run(&mut world, 5);
        let load = Load::force(BodyId(3), Vec3::ZERO, Vec3::new(bad, 0.0, 0.0));
        world.tree_mut(TREE).add_load(load);
        world
            .tree_mut(TREE)
            .add_load(Load::torque(BodyId(7), Vec3::splat(bad)));
        assert_eq!(world.step().healed, 2, "{bad}");
        assert!(all_finite(world.tree(TREE)), "{bad}");
        let later = run(&mut world, 60);
        assert_eq!(later.healed, 0, "{bad}: the load was for one frame");
        // A healed body is back in the given pose, which gravity holds.
        assert!(largest_bend(world.tree(TREE)) < 1e-3, "{bad}");
    }
}

#[test]
fn held_bad_load_is_counted_every_step() {
    let mut world = fork();
    let load = Load::force(BodyId(3), Vec3::ZERO, Vec3::splat(f32::NAN)).held();
    world.tree_mut(TREE).add_load(load);
    assert_eq!(run(&mut world, 50).healed, 50);
    assert!(all_finite(world.tree(TREE)));
}

/// Wind that has gone wrong at one body.
struct Broken(BodyId);

impl ForceField for Broken {
    fn force(&self, _seconds: f64, body: &BodySample) -> FieldForce {
        let mut force = FieldForce::none();
        if body.id == self.0 {
            force.force.x = f32::NAN;
        }
        force
    }
}

#[test]
fn bad_field_heals_its_body_only() {
    let mut world = fork();
    world.fields.push(Box::new(Broken(BodyId(4))));
    world
        .tree_mut(TREE)
        .add_load(Load::force(BodyId(10), Vec3::ZERO, Vec3::new(5.0, 0.0, 0.0)).held());
    let report = run(&mut world, 30);
    assert_eq!(report.healed, 30);
    let tree = world.tree(TREE);
    assert!(all_finite(tree));
    let bend = largest_bend(tree);
    assert!(bend > 1e-4, "the good load still bends the tree, by {bend}");
}

#[test]
fn bad_joint_state_is_healed() {
    let mut world = fork();
    let tree = world.tree_mut(TREE);
    tree.set_joint(BodyId(2), Vec3::splat(f32::NAN), Vec3::ZERO);
    tree.set_joint(BodyId(5), Vec3::ZERO, Vec3::splat(f32::INFINITY));
    tree.settle_world();
    let report = run(&mut world, 3);
    assert!(report.healed >= 2, "{}", report.healed);
    assert!(all_finite(world.tree(TREE)));
    assert_eq!(run(&mut world, 60).healed, 0);
}
