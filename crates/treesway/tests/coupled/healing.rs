//! Bodies that are given nonsense heal, the given pose is held, and a free tree falls.

use treesway::glam::Vec3;
use treesway::{BodyId, Load, Pull, RootKind, Solver, Tree, TreeOptions, Wind, World, cut};
use treesway_grow::Broadleaf;

fn world(bodies: u32, root: RootKind) -> World {
    let grown = Broadleaf {
        bodies,
        ..Broadleaf::default()
    }
    .grow(9)
    .unwrap();
    let mut options = TreeOptions {
        root,
        ..TreeOptions::default()
    };
    options.settings.solver = Solver::Coupled;
    let mut world = World::default();
    let tree = Tree::build(&cut(&grown.skeleton, &grown.cut).unwrap(), options).unwrap();
    let tree = world.add(tree);
    let pull = Pull::new(BodyId(40), Vec3::ZERO, Vec3::new(2.0, 5.0, 1.0), 500.0);
    world.tree_mut(tree).add_pull(pull);
    world
}

fn windy(bodies: u32) -> World {
    let mut world = world(bodies, RootKind::Clamped);
    world.fields.push(Box::new(Wind::steady(Vec3::X * 9.0)));
    world
}

fn run(world: &mut World, frames: usize) {
    for _ in 0..frames {
        world.step();
    }
}

#[test]
fn a_force_that_is_no_number_heals_its_body_alone() {
    let mut world = windy(1_000);
    let tree = treesway::TreeId(0);
    world
        .tree_mut(tree)
        .add_load(Load::force(BodyId(30), Vec3::ZERO, Vec3::splat(f32::NAN)));
    world
        .tree_mut(tree)
        .add_load(Load::torque(BodyId(50), Vec3::splat(f32::INFINITY)));
    let report = world.step();
    // Both substeps meet both loads.
    assert_eq!(report.healed, 4);
    assert_eq!(world.step().healed, 0);
    assert!(
        world
            .tree(tree)
            .ids()
            .all(|id| world.tree(tree).pose(id).position.is_finite())
    );
}

#[test]
fn held_pose_does_not_move() {
    let mut world = world(1_000, RootKind::Clamped);
    let tree = treesway::TreeId(0);
    let pulls: Vec<_> = world.tree(tree).pulls().collect();
    pulls
        .into_iter()
        .for_each(|p| world.tree_mut(tree).release(p));
    let before: Vec<Vec3> = world
        .tree(tree)
        .ids()
        .map(|id| world.tree(tree).tip(id))
        .collect();
    run(&mut world, 90);
    for (id, before) in world.tree(tree).ids().zip(before) {
        assert!(world.tree(tree).tip(id).distance(before) < 2e-4, "{id:?}");
    }
}

#[test]
fn a_free_tree_falls_as_a_stone() {
    let mut world = world(500, RootKind::Free);
    let tree = treesway::TreeId(0);
    let pulls: Vec<_> = world.tree(tree).pulls().collect();
    pulls
        .into_iter()
        .for_each(|p| world.tree_mut(tree).release(p));
    let com = |world: &World| {
        let bodies = world.tree(tree).ids().map(|id| world.tree(tree).body(id));
        let (mass, sum) = bodies.fold((0.0_f32, Vec3::ZERO), |(m, s), b| {
            (m + b.mass, s + b.pose.point(b.com_in_body) * b.mass)
        });
        sum / mass
    };
    let start = com(&world);
    let frames = 30;
    run(&mut world, frames);
    let fallen = start - com(&world);
    // 60 symplectic steps: ½ g t² (1 + 1/60).
    let expected = 0.5 * 9.81 * (1.0 + 1.0 / 60.0);
    assert!((fallen.y - expected).abs() < 0.02 * expected, "{fallen}");
    assert!(fallen.x.abs() + fallen.z.abs() < 0.05);
}
