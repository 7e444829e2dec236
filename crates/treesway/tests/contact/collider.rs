//! What moves as it is told pushes branches aside.

use crate::common::trees::{beam, random_tree};
use crate::common::{run, unloaded, world_of};
use treesway::glam::Vec3;
use treesway::{
    Ball, BallId, BodyId, Collider, ColliderId, ColliderShape, Ground, Solver, TreeId, World,
};

const TREE: TreeId = TreeId(0);

fn branch(solver: Solver) -> World {
    let mut options = unloaded();
    options.settings.solver = solver;
    let mut world = world_of(&beam(10, 2.0, 0.02, 0.01), options);
    world.gravity = Vec3::ZERO;
    world
}

/// Somebody walks through a branch: it gives way as far as it must, and comes back behind them.
#[test]
fn capsule_pushes_a_branch_aside() {
    for solver in [Solver::Coupled, Solver::Analytic] {
        for shape in [
            ColliderShape::Sphere { radius: 0.2 },
            ColliderShape::Capsule {
                half_length: 0.6,
                radius: 0.2,
            },
            ColliderShape::Box {
                half: Vec3::splat(0.2),
            },
        ] {
            let mut world = branch(solver);
            let far = BodyId(9);
            let id = world.add_collider(Collider {
                velocity: Vec3::new(0.0, 0.0, 1.0),
                ..Collider::new(shape, Vec3::new(1.6, 0.0, -0.5))
            });
            let (mut deepest, mut pushed) = (0.0_f32, 0.0_f32);
            for _ in 0..15 {
                world.step();
                let at = world.collider_mut(id).position;
                let tree = world.tree(TREE);
                // The branch must be before the front of the collider where it crosses it.
                let crossing = tree.ids().find(|&id| tree.tip(id).x > 1.6).unwrap();
                let (from, to) = (tree.pose(crossing).position, tree.tip(crossing));
                let along = ((1.6 - from.x) / (to.x - from.x)).clamp(0.0, 1.0);
                let z = from.z + along * (to.z - from.z);
                deepest = deepest.max(at.z + 0.2 - z);
                pushed = pushed.max(tree.tip(far).z);
            }
            println!("{solver:?} {shape:?}: pushed by {pushed} m, {deepest} m deep");
            assert!(pushed > 0.15, "{solver:?} {shape:?}: {pushed}");
            assert!(deepest < 0.03, "{solver:?} {shape:?}: {deepest}");
            world.collider_mut(id).position = Vec3::new(0.0, 50.0, 0.0);
            run(&mut world, 900);
            let back = world.tree(TREE).tip(far).z.abs();
            assert!(back < 0.02, "{solver:?} {shape:?}: {back}");
        }
    }
}

/// Balls bounce off a wall.
#[test]
fn walls_stop_balls() {
    let mut world = World::default();
    world.ground = Ground::None;
    world.gravity = Vec3::ZERO;
    let half = Vec3::new(0.1, 2.0, 2.0);
    world.add_collider(Collider::new(ColliderShape::Box { half }, Vec3::X));
    world.throw(Ball {
        velocity: Vec3::X * 10.0,
        ..Ball::default()
    });
    run(&mut world, 30);
    let ball = world.ball(BallId(0));
    assert!(ball.position.x < 0.85 && ball.velocity.x < 0.0, "{ball:?}");
}

/// A large box drags through a whole crown: more touches than are answered, and nothing breaks.
#[test]
fn crown_survives_a_box_that_goes_through_it() {
    for solver in [Solver::Coupled, Solver::Analytic] {
        let mut options = unloaded();
        options.settings.solver = solver;
        let mut world = world_of(&random_tree(3500, 4), options);
        let half = Vec3::new(0.8, 0.8, 0.8);
        let start = Vec3::new(-6.0, 6.0, 0.3);
        world.add_collider(Collider {
            velocity: Vec3::X * 3.0,
            ..Collider::new(ColliderShape::Box { half }, start)
        });
        let report = run(&mut world, 150);
        assert_eq!(report.healed, 0);
        assert!(report.collided > 10, "{solver:?}: {}", report.collided);
        assert!(crate::common::all_finite(world.tree(TREE)));
        assert_eq!(world.colliders().len(), 1);
        let at = world.collider_mut(ColliderId(0)).position;
        assert!((at.x - 9.0).abs() < 1e-3, "{at}");
    }
}
