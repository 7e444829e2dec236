//! Balls and trees: what one gives the other gets, nothing passes through, nothing sticks.

use crate::common::trees::{beam, random_tree};
use crate::common::{run, unloaded, world_of};
use treesway::glam::{DVec3, Quat, Vec3};
use treesway::{
    Ball, BallId, BodyId, ContactResponse, EventKind, Load, RootKind, Solver, Tree, TreeDesc,
    TreeId, TreeOptions, World,
};

const TREE: TreeId = TreeId(0);
const BALL: BallId = BallId(0);

fn coupled() -> TreeOptions {
    let mut options = unloaded();
    options.settings.solver = Solver::Coupled;
    options
}

/// A branch along x without gravity.
fn branch(desc: &TreeDesc, options: TreeOptions) -> World {
    let mut world = world_of(desc, options);
    world.gravity = Vec3::ZERO;
    world.ground = treesway::Ground::None;
    world
}

/// Σ m v of a tree, kg·m/s.
fn momentum(tree: &Tree) -> DVec3 {
    tree.ids()
        .map(|id| {
            let body = tree.body(id);
            body.velocity.as_dvec3() * f64::from(body.mass)
        })
        .sum()
}

/// Σ m x × v of a tree, spin included, about the origin.
fn angular_momentum(tree: &Tree) -> DVec3 {
    tree.ids()
        .map(|id| {
            let body = tree.body(id);
            let centre = body.pose.point(body.com_in_body).as_dvec3();
            let turn = body.pose.rotation.as_dquat().normalize();
            let omega = turn.inverse() * body.angular_velocity.as_dvec3();
            let spin = turn * (omega * body.inertia.as_dvec3());
            centre.cross(body.velocity.as_dvec3()) * f64::from(body.mass) + spin
        })
        .sum()
}

fn of_ball(ball: &Ball) -> (DVec3, DVec3) {
    let p = ball.velocity.as_dvec3() * f64::from(ball.mass);
    let inertia = 0.4 * f64::from(ball.mass * ball.radius * ball.radius);
    let spin = ball.angular_velocity.as_dvec3() * inertia;
    (p, ball.position.as_dvec3().cross(p) + spin)
}

/// In free space the momentum of a ball and a tree that nobody holds is what it was before they met, within what the steps of the
/// tree's own motion lose: less with shorter ones.
#[test]
fn ball_and_free_tree_keep_their_momentum() {
    for (substeps, most) in [(2, 0.05), (16, 0.005)] {
        for (mass, offset) in [(0.05, 0.5), (0.5, 1.7), (5.0, 0.9)] {
            let mut options = coupled();
            options.root = RootKind::Free;
            options.settings.substeps = substeps;
            // Without them a tree that turns as a whole does not keep its momentum by itself.
            options.settings.velocity_products = true;
            let mut world = branch(&beam(10, 2.0, 0.02, 0.01), options);
            world.throw(Ball {
                position: Vec3::new(offset, 0.5, 0.003),
                velocity: Vec3::NEG_Y * 4.0,
                mass,
                radius: 0.05,
                ..Ball::default()
            });
            let before = of_ball(&world.ball(BALL)).0;
            let mut hit = 0.0;
            for _ in 0..16 {
                world.step();
                let hits = world.events().iter().filter(|e| e.kind == EventKind::Hit);
                hit += hits.map(|e| e.impulse.length()).sum::<f32>();
            }
            let now = of_ball(&world.ball(BALL)).0 + momentum(world.tree(TREE));
            let off = (now - before).length() / before.length();
            println!(
                "{substeps} steps, {mass} kg at {offset} m: hit {hit:.4} N·s, off by {off:.2e}"
            );
            assert!(hit > 0.1 * before.length() as f32, "it hit: {hit}");
            assert!(off < most, "{off}");
        }
    }
}

/// What hit events tell of the tree is what the ball has lost, to rounding.
#[test]
fn impulses_on_ball_and_tree_are_equal_and_opposite() {
    let mut world = branch(&beam(10, 2.0, 0.02, 0.01), coupled());
    world.throw(Ball {
        position: Vec3::new(1.2, 0.4, 0.0),
        velocity: Vec3::new(0.0, -6.0, 0.0),
        restitution: 1.0,
        ..Ball::default()
    });
    let before = of_ball(&world.ball(BALL)).0;
    let mut given = DVec3::ZERO;
    for _ in 0..12 {
        world.step();
        for event in world.events() {
            given += event.impulse.as_dvec3();
        }
    }
    let lost = before - of_ball(&world.ball(BALL)).0;
    assert!(given.length() > 1.0, "{given}");
    let off = (given - lost).length() / given.length();
    println!("given {given}, lost {lost}, off by {off:.1e}");
    assert!(off < 1e-5, "{off}");
}

/// A branch on a hinge in its root, which takes up forces but no torque: about it the momentum of ball and branch is kept.
#[test]
fn branch_takes_up_what_the_ball_loses() {
    for (segments, at, mass) in [(1, 1.5, 0.5), (8, 0.9, 0.5), (8, 1.6, 0.05), (8, 1.6, 5.0)] {
        let mut world = branch(&beam(segments, 2.0, 0.03, 0.02), coupled());
        let hinge = Vec3::splat(1e-3);
        world.tree_mut(TREE).set_joint_stiffness(BodyId(0), hinge);
        world.throw(Ball {
            position: Vec3::new(at, 0.3, 0.0),
            velocity: Vec3::NEG_Y * 5.0,
            mass,
            ..Ball::default()
        });
        let before = of_ball(&world.ball(BALL)).1;
        run(&mut world, 10);
        let after = of_ball(&world.ball(BALL)).1 + angular_momentum(world.tree(TREE));
        let off = (after - before).length() / before.length();
        println!("{segments} segments, {mass} kg at {at} m: off by {off:.2e}");
        assert!(world.ball(BALL).velocity.y > -4.9);
        assert!(off < 0.02, "{off}");
    }
}

/// Branches and trees that the ground holds: what ball and tree lose in momentum about the root is what the root's spring and damper gave to the ground, step by step. The force
/// on the root goes through it and has no moment. Default steps; trees of 3000 bodies under light and heavy balls.
#[test]
fn root_takes_up_what_ball_and_tree_lose() {
    for (at, mass) in [(1.6, 0.5), (0.5, 0.5), (1.2, 5.0)] {
        let off = off_about_the_root(
            &beam(8, 2.0, 0.03, 0.02),
            Some(Vec3::new(at, 0.3, 0.0)),
            mass,
            60,
            true,
        );
        assert!(off < 0.02, "{mass} kg at {at} m: {off}");
    }
    for seed in 1..=6 {
        let desc = random_tree(3000, seed);
        for mass in [0.3, 3.0, 30.0] {
            for (steps, products) in [(60, true), (60, false), (240, true)] {
                let off = off_about_the_root(&desc, None, mass, steps, products);
                assert!(off < 0.02, "tree {seed}, {mass} kg, {steps} steps/s: {off}");
            }
        }
    }
}

/// Share of a ball's momentum about the root that is missing half a second after it was thrown at a tree, from above its highest tip unless told.
fn off_about_the_root(
    desc: &TreeDesc,
    at: Option<Vec3>,
    mass: f32,
    steps: u32,
    velocity_products: bool,
) -> f64 {
    let mut options = coupled();
    options.settings.substeps = 1;
    options.settings.least_damping_ratio = 0.0;
    options.settings.velocity_products = velocity_products;
    let h = 1.0 / f64::from(steps);
    let mut world = World::new(h);
    world.gravity = Vec3::ZERO;
    world.ground = treesway::Ground::None;
    world.add(Tree::build(desc, options).unwrap());
    let tree = world.tree(TREE);
    let tips = tree.ids().map(|id| tree.tip(id));
    let over = tips.max_by(|a, b| a.y.total_cmp(&b.y)).unwrap() + Vec3::Y * 0.3;
    world.throw(Ball {
        position: at.unwrap_or(over),
        velocity: Vec3::NEG_Y * 5.0,
        mass,
        ..Ball::default()
    });
    let before = of_ball(&world.ball(BALL)).1;
    // τ = −K (θ − θ₀ + β θ̇), in the world.
    let by_ground = |world: &World| {
        let root = world.tree(TREE).body(BodyId(0));
        let bent = root.theta - root.rest_theta + root.theta_rate * root.damping_beta;
        let turn = root.pose.rotation * Quat::from_scaled_axis(root.theta).inverse();
        (turn * -(root.stiffness * bent)).as_dvec3()
    };
    // A ball stops rolling at 8 per second; what strikes in a step is not all felt in it: generalised-α hands on what is left, half as much in each further one.
    let (rolling, after_hits) = (8.0, 6);
    let (mut given, mut last, mut hits, mut since) = (DVec3::ZERO, DVec3::ZERO, 0, 0);
    let mut k = 0;
    while k < steps / 2 || since < after_hits {
        let now_hits = world.step().collided;
        (hits, since) = (hits + now_hits, if now_hits > 0 { 0 } else { since + 1 });
        let now = by_ground(&world);
        let ball = world.ball(BALL);
        let inertia = 0.4 * f64::from(ball.mass * ball.radius * ball.radius);
        given += (last + now) * (0.5 * h);
        given -= ball.angular_velocity.as_dvec3() * (inertia * rolling * h);
        last = now;
        k += 1;
    }
    let after = of_ball(&world.ball(BALL)).1 + angular_momentum(world.tree(TREE));
    let off = (after - before - given).length() / before.length();
    println!(
        "{} bodies, {mass} kg, {steps} steps/s, products {velocity_products}: {hits} hits, off by {off:.2e}",
        desc.bodies.len()
    );
    assert!(hits > 0);
    off
}

/// At 10 m/s a ball crosses a third of a metre in a frame, twenty times the thickness of the branch, and does not pass.
#[test]
fn nothing_tunnels() {
    for solver in [Solver::Coupled, Solver::Analytic] {
        for i in 0..40 {
            let mut options = coupled();
            options.settings.solver = solver;
            let mut world = branch(&beam(8, 2.0, 0.03, 0.03), options);
            let ball = Ball {
                position: Vec3::new(0.6, 0.3 + 0.031 * i as f32, 0.0),
                velocity: Vec3::new(0.0, -10.0, 0.0),
                radius: 0.02,
                mass: 0.05,
                ..Ball::default()
            };
            world.throw(ball);
            let mut lowest = f32::INFINITY;
            for _ in 0..8 {
                world.step();
                let now = world.ball(BALL);
                let tree = world.tree_mut(TREE);
                let deep = tree.overlaps(&[(now.position, 0.0)], treesway::Pruning::Boxes);
                assert!(
                    deep.is_empty(),
                    "the centre is in the wood at {}",
                    now.position
                );
                lowest = lowest.min(now.position.y);
            }
            assert!(
                lowest > -0.2 && world.ball(BALL).velocity.y > -5.0,
                "{solver:?} from {}: {lowest}",
                ball.position
            );
        }
    }
}

/// A ball that comes slowly from below is not held: it falls again.
#[test]
fn nothing_sticks() {
    for solver in [Solver::Coupled, Solver::Analytic] {
        let mut options = coupled();
        options.settings.solver = solver;
        let mut world = world_of(&beam(8, 2.0, 0.03, 0.03), options);
        world.ground = treesway::Ground::None;
        world.throw(Ball {
            position: Vec3::new(1.0, -0.5, 0.0),
            velocity: Vec3::new(0.0, 3.2, 0.0),
            radius: 0.05,
            restitution: 0.0,
            ..Ball::default()
        });
        run(&mut world, 60);
        assert!(
            world.ball(BALL).position.y < -5.0,
            "{solver:?}: {}",
            world.ball(BALL).position
        );
    }
}

/// Two level branches side by side.
fn cradle() -> TreeDesc {
    let half = beam(8, 2.0, 0.04, 0.04);
    let mut desc = beam(1, 0.1, 0.05, 0.05);
    for side in [-0.07, 0.07] {
        let first = desc.bodies.len() as u32;
        for (i, body) in half.bodies.iter().enumerate() {
            let mut body = *body;
            body.parent = Some(if i == 0 { 0 } else { first + i as u32 - 1 });
            if i == 0 {
                body.joint_in_parent = Vec3::new(side, 0.0, 0.1);
                body.joint_rotation = Quat::IDENTITY;
            }
            desc.bodies.push(body);
        }
    }
    desc
}

/// A heavy ball laid between two level branches stays, and they bend by its weight as by two loads.
#[test]
fn ball_lies_on_branches_with_its_weight() {
    for response in [ContactResponse::Impulses, ContactResponse::Penalties] {
        let rest = || {
            let mut options = coupled();
            // The ball has stopped bouncing before it rolls off.
            options.settings.least_damping_ratio = 0.5;
            let mut world = world_of(&cradle(), options);
            world.contact.response = response;
            world.ground = treesway::Ground::None;
            run(&mut world, 300);
            world
        };
        let (mut world, far, under) = (rest(), [BodyId(8), BodyId(16)], BodyId(7));
        let sag = |world: &World| far.map(|id| world.tree(TREE).tip(id).y);
        let (alone, at) = (sag(&world), world.tree(TREE).pose(under).position);
        world.throw(Ball {
            position: Vec3::new(at.x, at.y + 0.125, 0.0),
            mass: 10.0,
            friction: 2.0,
            restitution: 0.0,
            ..Ball::default()
        });
        run(&mut world, 60);
        let ball = world.ball(BALL);
        println!(
            "{response:?}: {:?} without, {:?} with {ball:?}",
            alone,
            sag(&world)
        );
        assert!(
            ball.velocity.length() < 0.1 && (ball.position.x - at.x).abs() < 0.2,
            "{ball:?}"
        );
        // The same as loads where the ball touches.
        let mut loaded = rest();
        let along = Vec3::Z * (ball.position.x - at.x);
        for id in [under, BodyId(15)] {
            let load = Load::force(id, along, Vec3::NEG_Y * 49.05);
            loaded.tree_mut(TREE).add_load(load.held());
        }
        run(&mut loaded, 600);
        let bent = |world: &World| alone[0] + alone[1] - sag(world)[0] - sag(world)[1];
        let (bent, expected) = (bent(&world), bent(&loaded));
        println!("bent by {bent} m, by a load {expected} m");
        if response == ContactResponse::Impulses {
            assert!((bent / expected - 1.0).abs() < 0.05, "{bent} {expected}");
        }
    }
}

/// The same bits for any number of threads, and again from a snapshot.
#[test]
fn balls_in_a_tree_move_the_same_every_time() {
    let shower = || {
        let mut world = world_of(&random_tree(3500, 3), coupled());
        for i in 0..40 {
            let turn = i as f32 * 2.4;
            world.throw(Ball {
                position: Vec3::new(turn.cos(), 9.0 + 0.1 * i as f32, turn.sin()),
                radius: 0.08,
                ..Ball::default()
            });
        }
        world
    };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut world = shower();
            let report = run(&mut world, 60);
            (world.state_hash(), report.collided)
        })
    };
    let one = with(1);
    assert!(one.1 > 20, "{}", one.1);
    assert_eq!(one, with(3));
    let mut world = shower();
    run(&mut world, 30);
    let half = world.snapshot();
    run(&mut world, 30);
    assert_eq!(world.state_hash(), one.0);
    world.restore(&half);
    run(&mut world, 30);
    assert_eq!(world.state_hash(), one.0);
}
