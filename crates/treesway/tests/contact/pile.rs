//! Fruit and balls on the ground and on each other.

use crate::common::trees::random_tree;
use crate::common::{run, unloaded, world_of};
use std::sync::Arc;
use treesway::glam::Vec3;
use treesway::{
    Ball, BodyId, BodyKind, Collider, ColliderShape, EventKind, Ground, HeightField, OffMotion,
    TreeId, World,
};

/// Apples poured into a crate come to rest beside and on each other, none in another.
#[test]
fn apple_pile_comes_to_rest() {
    let mut world = World::default();
    let radius = 0.04;
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = Vec3::new(0.2, 0.2, 0.2);
        let at = Vec3::new(0.35 * x, 0.2, 0.35 * z);
        world.add_collider(Collider::new(ColliderShape::Box { half }, at));
    }
    for i in 0..60 {
        let turn = i as f32 * 2.4;
        world.throw(Ball {
            position: Vec3::new(0.05 * turn.cos(), 0.3 + 0.085 * i as f32, 0.05 * turn.sin()),
            radius,
            mass: 0.15,
            friction: 0.6,
            ..Ball::default()
        });
    }
    let report = run(&mut world, 450);
    assert_eq!(report.landed, 60);
    assert_eq!(world.step().flying, 0);
    let balls: Vec<Ball> = world.balls().collect();
    for (i, a) in balls.iter().enumerate() {
        assert!(
            a.velocity.length() < 0.05 && a.position.y > 0.9 * radius,
            "{a:?}"
        );
        for b in &balls[..i] {
            assert!(
                a.position.distance(b.position) > 1.9 * radius,
                "{a:?} {b:?}"
            );
        }
    }
    let high = balls.iter().filter(|b| b.position.y > 1.5 * radius).count();
    println!("{high} of 60 lie on others");
    assert!(high > 20, "{high}");
}

/// Fruit of a tree come off, fall to the ground and rest there with their events, whether contact carries them or not.
#[test]
fn fruit_fall_and_rest() {
    for contact in [true, false] {
        let mut world = world_of(&random_tree(3500, 8), unloaded());
        world.contact.fruit = contact;
        let tree = world.tree_mut(TreeId(0));
        let fruit: Vec<BodyId> = tree
            .ids()
            .filter(|&id| tree.body(id).kind == BodyKind::Fruit)
            .collect();
        for &id in &fruit {
            tree.detach(id);
        }
        let mut landed = Vec::new();
        for _ in 0..600 {
            world.step();
            let events = world.events().iter();
            landed.extend(
                events
                    .filter(|e| e.kind == EventKind::Landed)
                    .map(|e| e.body),
            );
        }
        let tree = world.tree(TreeId(0));
        let resting = |id: &&BodyId| tree.off_motion(**id) == Some(OffMotion::Resting);
        let rest = fruit.iter().filter(resting).count();
        println!("contact {contact}: {rest} of {} rest", fruit.len());
        assert!(rest * 10 >= fruit.len() * 9);
        for &id in fruit.iter().filter(resting) {
            let body = tree.body(id);
            let height = body.pose.point(body.com_in_body).y;
            assert!(height > 0.9 * body.radius[0], "{height}");
            assert!(landed.contains(&id));
        }
    }
}

/// On a slope balls roll down into the valley; on either side the ground is where its heights say.
#[test]
fn balls_gather_in_the_valley_of_a_height_field() {
    let heights = (0..21).flat_map(|_| (0..21).map(|i| 0.1 * (i as f32 - 10.0).abs()));
    let field = HeightField::new([-5.0, -5.0], 0.5, 21, heights.collect());
    let ground = Ground::Field(Arc::new(field));
    assert!((ground.height_at(-2.25, 1.0) - 0.45).abs() < 1e-6);
    assert_eq!(ground.height_at(6.0, 0.0), f32::NEG_INFINITY);
    let mut world = World::default();
    world.ground = ground;
    for i in 0..6 {
        world.throw(Ball {
            position: Vec3::new(-3.0 + 1.2 * i as f32, 2.0, 0.3 * i as f32),
            ..Ball::default()
        });
    }
    run(&mut world, 900);
    for ball in world.balls() {
        assert!(ball.position.x.abs() < 0.6, "{ball:?}");
        let ground = world.ground.height_at(ball.position.x, ball.position.z);
        assert!(
            (0.08..0.13).contains(&(ball.position.y - ground)),
            "{ball:?}"
        );
    }
}
