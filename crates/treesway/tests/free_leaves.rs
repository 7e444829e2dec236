//! Leaves that are off their tree: how they fall, and how they come to rest.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{run, trees, unloaded};
use treesway::glam::{Quat, Vec3};
use treesway::{
    Air, BodyDesc, BodyId, BodyKind, Ground, Gusts, HeightField, Isa, OffMotion, Shape, Tree,
    TreeDesc, TreeId, TreeOptions, Wind, WindSettings, World, next_segment,
};

const TREE: TreeId = TreeId(0);
const LEAF: BodyId = BodyId(1);
const LENGTH: f32 = 0.08;
/// Wider than long, so that it is easiest to turn about its width: other ways of tumbling are unstable, as of every card.
const WIDTH: f32 = 0.12;

/// Air in which nothing blows but what `velocity` says, m/s.
fn air(velocity: Vec3, air: Air) -> Wind {
    let settings = WindSettings {
        velocity,
        gusts: Gusts {
            strength: 0.0,
            ..Gusts::default()
        },
        air,
        ..WindSettings::default()
    };
    Wind::new(settings).unwrap()
}

fn leaf(thickness: f32) -> Shape {
    Shape::Leaf {
        length: LENGTH,
        width: WIDTH,
        thickness,
    }
}

/// A post with a leaf on its tip, at 100 m; the leaf is off, turned by `pose` from lying flat with its tip along +x.
fn dropped(shape: Shape, pose: Quat, wind: Wind, ground: Ground) -> World {
    let post = Shape::Segment {
        length: 100.0,
        base: 0.2,
        tip: 0.1,
    };
    let mut desc = trees::single(post, trees::upright());
    desc.bodies.push(next_segment(0, 100.0, shape));
    let mut world = common::world_of(&desc, unloaded());
    world.ground = ground;
    world.fields.push(Box::new(wind));
    let tree = world.tree_mut(TREE);
    // Of the leaf: x → z, y → y, z → x of the world.
    let flat = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    tree.set_joint(LEAF, Vec3::ZERO, Vec3::ZERO);
    let here = tree.pose(LEAF).rotation;
    let turn = (here.inverse() * pose * flat).to_scaled_axis();
    tree.set_joint(LEAF, turn, Vec3::ZERO);
    tree.settle_world();
    assert_eq!(tree.detach(LEAF), [LEAF]);
    world
}

/// Broadside and at rest in the air, a leaf falls straight down, ever closer to the speed at which Eq. 23 balances its weight:
/// κ ρ A v² + ν m v = m g.
#[test]
fn terminal_velocity_is_that_of_the_closed_form() {
    for thickness in [2e-5, 2e-4, 2e-3] {
        for frame_secs in [1.0 / 30.0, 1.0 / 120.0] {
            let still = air(Vec3::ZERO, Air::default());
            let flat = dropped(leaf(thickness), Quat::IDENTITY, still, Ground::None);
            let mut world = World::new(frame_secs);
            world.ground = Ground::None;
            world.add(flat.tree(TREE).clone());
            world.fields = flat.fields;
            for _ in 0..(20.0 / frame_secs) as usize {
                world.step();
            }
            let body = world.tree(TREE).body(LEAF);
            let Air {
                density,
                free_leaf_drag,
                leaf_resistance,
                ..
            } = Air::default();
            let [rho, kappa, nu, m] =
                [density, free_leaf_drag, leaf_resistance, body.mass].map(f64::from);
            let k = kappa * rho * f64::from(0.5 * LENGTH * WIDTH);
            let v = (-nu * m + ((nu * m).powi(2) + 4.0 * k * m * 9.81).sqrt()) / (2.0 * k);
            let off = f64::from(-body.velocity.y) / v - 1.0;
            assert!(off.abs() < 1e-5, "{thickness} m: {off:e} off {v} m/s");
            assert!(body.velocity.x.abs() + body.velocity.z.abs() < 1e-5);
        }
    }
}

/// How a leaf falls for `seconds` s: places of its middle and normals, frame by frame.
fn path(world: &mut World, seconds: f32) -> Vec<(Vec3, Vec3)> {
    let frames = (seconds * 30.0) as usize;
    let mut path = Vec::with_capacity(frames);
    for _ in 0..frames {
        assert_eq!(world.step().healed, 0);
        let body = world.tree(TREE).body(LEAF);
        path.push((
            body.pose.point(body.com_in_body),
            body.pose.rotation * Vec3::Y,
        ));
    }
    path
}

/// Angle from one direction to the next, rad, the short way.
fn between(from: f32, to: f32) -> f32 {
    let turns = (to - from) / std::f32::consts::TAU;
    (turns - turns.round()) * std::f32::consts::TAU
}

/// Tilted about its width only, a leaf has no reason to leave the plane of its length and the vertical.
#[test]
fn without_swirl_a_leaf_stays_in_a_plane_with_swirl_it_spirals() {
    let fall = |swirl: f32, resistance: f32| {
        let air_of = Air {
            leaf_swirl: swirl,
            leaf_resistance: resistance,
            ..Air::default()
        };
        let tilt = Quat::from_rotation_z(0.5);
        let wind = air(Vec3::ZERO, air_of);
        let mut world = dropped(leaf(1e-4), tilt, wind, Ground::None);
        path(&mut world, 10.0)
    };
    // One that tumbles, and one that flutters.
    for (resistance, glide) in [(4.0, 1.0), (16.0, 0.02)] {
        let plane = fall(0.0, resistance);
        let start = plane[0].0;
        let aside = plane.iter().map(|p| (p.0 - start).z.abs().max(p.1.z.abs()));
        let along = plane.iter().map(|p| (p.0 - start).x.abs());
        let (aside, along) = (aside.fold(0.0, f32::max), along.fold(0.0, f32::max));
        assert!(along > glide, "{along} m is no glide");
        assert!(aside < 1e-4, "{aside} out of the plane");
    }
    // The heading goes round and round, the other way where the swirl does.
    let rounds = |swirl: f32| {
        let path = fall(swirl, 16.0);
        let steps = path.windows(2).map(|p| p[1].0 - p[0].0);
        let headings: Vec<f32> = steps.map(|s| s.z.atan2(s.x)).collect();
        let turned = headings.windows(2).map(|h| between(h[0], h[1]));
        turned.sum::<f32>() / std::f32::consts::TAU
    };
    let (right, left) = (rounds(0.4), rounds(-0.4));
    assert!(right > 8.0 && left < -8.0, "{right} and {left} rounds");
}

/// Tanabe and Kaneko 1994, Belmonte, Eisenberg and Moses 1998: a card that is light for the air it meets (of small Froude number) flutters to and fro, a
/// heavy one tumbles over and over. The card is the same but for its mass; the air resists it alike, so that ν is smaller as it is heavier.
#[test]
fn light_cards_flutter_and_heavy_ones_tumble() {
    let turns = |thickness: f32| {
        let of_mass = Air {
            leaf_resistance: 8.0 * 1.4e-4 / thickness,
            ..Air::default()
        };
        let (tilt, wind) = (Quat::from_rotation_z(0.6), air(Vec3::ZERO, of_mass));
        let mut world = dropped(leaf(thickness), tilt, wind, Ground::None);
        let path = path(&mut world, 12.0);
        // Turning of the normal in the plane, over the last half of the fall.
        let half = &path[path.len() / 2..];
        let angle = |n: Vec3| n.x.atan2(n.y);
        let steps = half
            .windows(2)
            .map(|p| between(angle(p[0].1), angle(p[1].1)));
        let swung: f32 = steps.clone().map(f32::abs).sum();
        (steps.sum::<f32>().abs() / std::f32::consts::TAU, swung)
    };
    let thicknesses = [2e-5, 2.8e-5, 4e-5, 8e-5, 1.6e-4, 3.2e-4, 6.4e-4];
    let all: Vec<(f32, f32)> = thicknesses.map(turns).to_vec();
    println!("{all:?}");
    let tumbles: Vec<bool> = all.iter().map(|t| t.0 > 5.0).collect();
    let first = tumbles.iter().position(|t| *t).expect("heavy ones tumble");
    assert!(first > 0, "the lightest tumbles");
    assert!(tumbles[first..].iter().all(|t| *t), "{all:?}");
    assert!(
        all[..first].iter().any(|t| t.0 < 1.0 && t.1 > 1.0),
        "none flutters: {all:?}"
    );
}

/// Leaves of all sizes in a storm at 30 frames a second.
#[test]
fn the_lightest_leaf_survives_a_storm() {
    for (length, thickness) in [(0.002, 1e-6), (0.08, 2e-5), (0.5, 1e-6)] {
        let shape = Shape::Leaf {
            length,
            width: 0.7 * length,
            thickness,
        };
        let tilt = Quat::from_rotation_z(1.4) * Quat::from_rotation_x(0.3);
        let mut wind = air(Vec3::X * 60.0, Air::default()).settings().clone();
        wind.gusts.strength = 0.5;
        let wind = Wind::new(wind).unwrap();
        let mut world = dropped(shape, tilt, wind, Ground::None);
        for _ in 0..600 {
            assert_eq!(world.step().healed, 0);
            let body = world.tree(TREE).body(LEAF);
            assert!(body.pose.position.is_finite() && body.pose.rotation.is_finite());
            assert!((body.pose.rotation.length() - 1.0).abs() < 1e-4);
            assert!(body.velocity.length() < 200.0, "{}", body.velocity);
        }
        assert!(world.tree(TREE).body(LEAF).velocity.x > 20.0);
    }
}

/// A small tree of many leaves and some apples.
fn leafy(leaves: u32) -> TreeDesc {
    let post = Shape::Segment {
        length: 4.0,
        base: 0.05,
        tip: 0.02,
    };
    let mut desc = trees::single(post, trees::upright());
    for i in 0..leaves {
        let along = 1.0 + 3.0 * (i as f32 + 0.5) / leaves as f32;
        let turn = Quat::from_rotation_z(2.4 * i as f32) * Quat::from_rotation_x(1.2);
        let shape = if i % 10 == 9 {
            Shape::Fruit {
                radius: 0.04,
                stem_length: 0.02,
                stem_radius: 0.0015,
            }
        } else {
            leaf(2e-4)
        };
        let joint = Vec3::new(0.0, 0.0, along);
        desc.bodies.push(BodyDesc::new(Some(0), shape, joint, turn));
    }
    desc
}

/// The same in a gusty wind.
fn in_wind(leaves: u32) -> World {
    let mut world = World::default();
    world.add(Tree::build(&leafy(leaves), TreeOptions::default()).unwrap());
    let settings = WindSettings {
        velocity: Vec3::new(4.0, 0.0, 1.0),
        ..WindSettings::default()
    };
    world.fields.push(Box::new(Wind::new(settings).unwrap()));
    world
}

/// All of them off.
fn shower(leaves: u32) -> World {
    let mut world = in_wind(leaves);
    let tree = world.tree_mut(TREE);
    for id in 1..=leaves {
        tree.detach(BodyId(id));
    }
    world
}

/// Lowest point of a body over level ground, m.
fn lowest(tree: &Tree, id: BodyId) -> f32 {
    let body = tree.body(id);
    if body.kind == BodyKind::Fruit {
        return body.pose.point(body.com_in_body).y - body.radius[0];
    }
    let end = |x: f32| body.pose.point(Vec3::new(x, 0.0, body.length)).y;
    let half = body.radius[0];
    end(half).min(end(-half)).min(body.pose.position.y)
}

#[test]
fn what_falls_lands_and_rests_on_the_ground() {
    let leaves = 200;
    let mut world = shower(leaves);
    // Fruit fall as leaves do; how they do among each other is a matter of the tests of contact.
    world.contact.fruit = false;
    let mass = |world: &World| {
        let tree = world.tree(TREE);
        let masses = tree.ids().map(|id| f64::from(tree.body(id).mass));
        masses.sum::<f64>()
    };
    let (before, mut landed) = (mass(&world), 0);
    for _ in 0..600 {
        let report = world.step();
        let tree = world.tree(TREE);
        landed += report.landed;
        assert_eq!(report.landed as usize, world.events().len());
        let counts = tree.off_counts();
        assert_eq!(counts.flying + counts.resting, leaves as usize);
        assert_eq!(counts.resting as u64, landed);
        for id in tree.ids().skip(1) {
            assert!(lowest(tree, id) > -1e-3, "{id:?}: {}", lowest(tree, id));
        }
    }
    let tree = world.tree(TREE);
    assert_eq!(tree.off_counts().resting, leaves as usize);
    assert!((mass(&world) / before - 1.0).abs() < 1e-9);
    for id in tree.ids().skip(1) {
        let body = tree.body(id);
        assert_eq!(tree.off_motion(id), Some(OffMotion::Resting));
        assert_eq!(
            (body.velocity, body.angular_velocity),
            (Vec3::ZERO, Vec3::ZERO)
        );
        assert!(lowest(tree, id).abs() < 1e-3);
        if body.kind == BodyKind::Leaf {
            let level = (body.pose.rotation * Vec3::Y).y.abs();
            assert!(level > 0.95, "{id:?} stands on its edge: {level}");
        }
    }
    // And stays there.
    let there: Vec<_> = tree.ids().skip(1).map(|id| tree.pose(id)).collect();
    run(&mut world, 10);
    let tree = world.tree(TREE);
    assert!(tree.ids().skip(1).map(|id| tree.pose(id)).eq(there));
}

/// Two hundred thousand at once: all of them are somewhere, and to move them costs less than a frame in which they hang on the tree.
#[test]
fn hundreds_of_thousands_fall_at_once() {
    let leaves = 200_000;
    let mut off = shower(leaves);
    off.contact.fruit = false;
    let mut on = in_wind(leaves);
    let time = |world: &mut World| {
        let report = world.step();
        assert_eq!(report.healed, 0);
        let (t, free) = (report.times, report.times.free.as_secs_f64());
        [
            free,
            free + (t.up + t.springs + t.pulls + t.down).as_secs_f64(),
        ]
    };
    let (mut falling, mut hanging) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..20 {
        falling = falling.min(time(&mut off)[0]);
        hanging = hanging.min(time(&mut on)[1]);
    }
    let tree = off.tree(TREE);
    let counts = tree.off_counts();
    assert_eq!(counts.flying + counts.resting, leaves as usize);
    assert!(counts.flying > 100_000, "{counts:?}");
    for id in tree.ids().skip(1) {
        assert!(lowest(tree, id) > -1e-3, "{id:?}: {}", lowest(tree, id));
    }
    let ratio = falling / hanging;
    println!(
        "{leaves} leaves in a frame: {:.1} ms in the air, {:.1} ms on the tree, {ratio:.2} of it",
        1e3 * falling,
        1e3 * hanging
    );
    assert!(ratio < 1.0, "{ratio}");
}

/// On hills leaves and fruit come to rest where the slope is, not at one height.
#[test]
fn what_falls_on_hills_rests_on_them() {
    let mut world = shower(200);
    world.contact.fruit = false;
    let heights = (0..441)
        .map(|i| 0.3 * ((i % 21 + i / 21) % 3) as f32)
        .collect();
    let field = HeightField::new([-40.0, -40.0], 4.0, 21, heights);
    world.ground = Ground::Field(std::sync::Arc::new(field));
    run(&mut world, 900);
    let tree = world.tree(TREE);
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for id in tree.ids().skip(1) {
        let body = tree.body(id);
        let at = body.pose.point(body.com_in_body);
        let ground = world.ground.height_at(at.x, at.z);
        assert_eq!(tree.off_motion(id), Some(OffMotion::Resting), "{id:?}");
        let over = lowest(tree, id) - ground;
        assert!(over.abs() < 0.05, "{id:?}: {over} m over the ground");
        (low, high) = (low.min(ground), high.max(ground));
    }
    assert!(high - low > 0.2, "they fell on one height: {low} to {high}");
}

#[test]
fn falling_is_the_same_on_any_number_of_threads_and_any_vectors() {
    let hash = |threads: usize, isa: Isa| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut world = shower(3000);
        world.tree_mut(TREE).set_isa(isa);
        pool.build().unwrap().install(|| run(&mut world, 90));
        assert!(world.tree(TREE).off_counts().resting > 100);
        world.state_hash()
    };
    let alone = hash(1, Isa::Scalar);
    for isa in Isa::available() {
        assert_eq!(hash(1, isa), alone, "{}", isa.name());
        assert_eq!(hash(3, isa), alone, "{} on three threads", isa.name());
    }
}

#[test]
fn a_snapshot_keeps_what_flies_and_what_rests() {
    let mut world = shower(300);
    run(&mut world, 60);
    let snapshot = world.snapshot();
    let counts = world.tree(TREE).off_counts();
    assert!(counts.flying > 20 && counts.resting > 20, "{counts:?}");
    run(&mut world, 60);
    let hash = world.state_hash();
    world.restore(&snapshot);
    assert_eq!(world.tree(TREE).off_counts(), counts);
    run(&mut world, 60);
    assert_eq!(world.state_hash(), hash);
}

#[test]
fn what_is_carried_goes_where_it_is_put() {
    let mut world = shower(30);
    let pose = world.tree(TREE).pose(BodyId(3));
    let pose = treesway::BodyPose {
        position: pose.position + Vec3::Y * 5.0,
        ..pose
    };
    let velocity = Vec3::new(1.0, 2.0, 3.0);
    let tree = world.tree_mut(TREE);
    tree.set_free_pose(BodyId(3), pose, velocity, Vec3::X);
    run(&mut world, 20);
    let tree = world.tree(TREE);
    assert_eq!(tree.off_motion(BodyId(3)), Some(OffMotion::Carried));
    assert_eq!(tree.pose(BodyId(3)), pose);
    let body = tree.body(BodyId(3));
    assert!((body.velocity - velocity).length() < 1e-5);
    assert_eq!(body.angular_velocity, Vec3::X);
}
