//! A squirrel on trees: its weight, and momentum when it runs, leaps and lands.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{analytic, run};
use treesway::glam::{DVec3, Quat, Vec3};
use treesway::{
    BodyDesc, BodyId, CreatureSettings, DampingRatio, Load, RootKind, RootPose, Run, Shape, Solver,
    Tree, TreeDesc, TreeId, TreeOptions, World, next_segment,
};

fn beam(n: u32) -> TreeDesc {
    let shape = Shape::Segment {
        length: 0.3,
        base: 0.02,
        tip: 0.02,
    };
    let along_x = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    let mut bodies = vec![BodyDesc::new(None, shape, Vec3::ZERO, along_x)];
    for i in 1..n {
        bodies.push(next_segment(i - 1, 0.3, shape));
    }
    TreeDesc { bodies }
}

fn options(solver: Solver, x: f64, root: RootKind) -> TreeOptions {
    let mut options = analytic();
    options.settings.solver = solver;
    options.root = root;
    options.anchor = RootPose {
        position: DVec3::new(x, 3.0, 0.0),
        ..RootPose::default()
    };
    options
}

fn two_beams(solver: Solver, root: RootKind) -> World {
    let mut world = World::default();
    for x in [0.0, 5.0] {
        let tree = Tree::build(&beam(10), options(solver, x, root)).unwrap();
        world.add(tree);
    }
    world
}

fn over_both() -> CreatureSettings {
    let run = |tree: usize, from: u32, to: u32| Run {
        tree: TreeId(tree),
        from: BodyId(from),
        to: BodyId(to),
    };
    CreatureSettings {
        start: 0.5,
        // In along the first beam, over to the second, and out to its end.
        runs: vec![run(0, 0, 9), run(1, 0, 9)],
        ..CreatureSettings::default()
    }
}

/// Of all bodies and the creature, kg·m/s. A rider's mass is counted with its body: what it adds there is its share of the body's velocity.
fn momentum(world: &World) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for tree in world.trees() {
        for id in tree.ids() {
            let body = tree.body(id);
            sum += body.velocity.as_dvec3() * f64::from(body.mass);
        }
    }
    for creature in world.creatures() {
        let mass = f64::from(creature.settings().mass);
        let mut velocity = creature.velocity();
        if let Some((tree, body, z)) = creature.foothold() {
            let body = world.tree(tree).body(body);
            let arm = body.pose.rotation * (Vec3::Z * z - body.com_in_body);
            velocity -= body.velocity + body.angular_velocity.cross(arm);
        }
        sum += velocity.as_dvec3() * mass;
    }
    sum
}

/// Two beams afloat without gravity: running, bounding, leaping and landing move them, and the momentum of all together stays nil.
#[test]
fn momentum_is_kept_when_it_runs_leaps_and_lands() {
    let mut world = two_beams(Solver::Coupled, RootKind::Free);
    world.gravity = Vec3::ZERO;
    for tree in [TreeId(0), TreeId(1)] {
        // Without the products of velocities a beam that spins does not keep its own momentum.
        let mut settings = world.tree(tree).settings().clone();
        settings.velocity_products = true;
        world.tree_mut(tree).set_settings(settings).unwrap();
        let mut params = world.tree(tree).params().clone();
        params.gravity_pose = treesway::GravityPose::Unloaded;
        world.tree_mut(tree).set_params(params).unwrap();
    }
    world.add_creature(over_both()).unwrap();
    let mass = f64::from(over_both().mass);
    let (mut largest, mut fastest, mut landed) = (0.0_f64, 0.0_f64, false);
    for _ in 0..150 {
        world.step();
        let creature = &world.creatures()[0];
        let speed = f64::from(creature.velocity().length());
        fastest = fastest.max(mass * speed);
        largest = largest.max(momentum(&world).length());
        landed |= creature.foothold().is_some_and(|f| f.0 == TreeId(1));
    }
    assert_eq!(world.creatures()[0].leaps(), 1);
    assert!(landed);
    println!("largest momentum of all {largest:.5}, of the creature {fastest:.3} kg·m/s");
    assert!(largest < 0.02 * fastest, "{largest} {fastest}");
    // The first beam was pushed back by the leap and went on doing so.
    let back = world.tree(TreeId(0)).body(BodyId(5)).velocity.x;
    assert!(back < -0.01, "{back}");
}

/// What it gives to a tree is what it loses: over each frame its momentum changes by −J, its weight and what the branch carries.
#[test]
fn in_the_air_it_falls_freely() {
    let mut world = two_beams(Solver::Coupled, RootKind::Clamped);
    world.add_creature(over_both()).unwrap();
    let mut flight = Vec::new();
    let mut kick = Vec3::ZERO;
    for _ in 0..200 {
        let before = world.creatures()[0].velocity();
        world.step();
        let creature = &world.creatures()[0];
        if creature.foothold().is_none() {
            if flight.is_empty() {
                kick = creature.impulse();
                // m (v − J) at the moment of the leap: before the weight of the first frame.
                let off = before - kick / creature.settings().mass;
                let now = off + world.gravity / 30.0;
                assert!(now.distance(creature.velocity()) < 1e-4, "{now}");
            }
            flight.push((creature.pose().position, creature.velocity()));
        }
    }
    assert!(flight.len() > 5, "{}", flight.len());
    for pair in flight.windows(2) {
        let [(p, v), (q, w)] = [pair[0], pair[1]];
        assert!((w - v - world.gravity / 30.0).length() < 1e-4);
        assert!((q - p - (v + w) / 60.0).length() < 1e-4);
    }
    // Forward and up, so back and down on the branch.
    assert!(kick.x < -0.1 && kick.y < -0.1, "{kick}");
    let end = world.creatures()[0].pose().position;
    assert!(
        end.distance(world.tree(TreeId(1)).tip(BodyId(9))) < 0.4,
        "{end}"
    );
}

/// Sitting on a branch it bends it as its weight hung there does, with either solver.
#[test]
fn its_weight_bends_the_branch_like_a_load() {
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        let mut ridden = two_beams(solver, RootKind::Clamped);
        let settings = CreatureSettings {
            start: 1e6,
            runs: vec![Run {
                tree: TreeId(0),
                from: BodyId(9),
                to: BodyId(0),
            }],
            ..CreatureSettings::default()
        };
        ridden.add_creature(settings).unwrap();
        let mut loaded = two_beams(solver, RootKind::Clamped);
        let weight = Vec3::NEG_Y * (0.35 * 9.81);
        let load = Load::force(BodyId(9), Vec3::Z * 0.3, weight).held();
        loaded.tree_mut(TreeId(0)).add_load(load);
        for world in [&mut ridden, &mut loaded] {
            for tree in [TreeId(0), TreeId(1)] {
                let mut params = world.tree(tree).params().clone();
                params.damping_ratio = Some(DampingRatio {
                    zeta: 0.3,
                    range_hz: None,
                });
                world.tree_mut(tree).set_params(params).unwrap();
            }
            run(world, 600);
        }
        let sag = |world: &World| 3.0 - world.tree(TreeId(0)).tip(BodyId(9)).y;
        let (a, b) = (sag(&ridden), sag(&loaded));
        println!("{solver:?}: {a:.5} m, of the load {b:.5} m");
        assert!(b > 0.01 && (a / b - 1.0).abs() < 1e-3, "{a} {b}");
        // And the other tree does not feel it.
        let other = ridden.tree(TreeId(1)).tip(BodyId(9)).y;
        assert!((other - 3.0).abs() < 1e-4, "{other}");
    }
}

/// Where its branch is taken away it falls, and lies on the ground.
#[test]
fn it_falls_with_its_branch_gone() {
    let mut world = two_beams(Solver::Coupled, RootKind::Clamped);
    world.add_creature(over_both()).unwrap();
    run(&mut world, 40);
    let (tree, body, _) = world.creatures()[0].foothold().unwrap();
    assert!(body.0 > 0);
    world.tree_mut(tree).detach(body);
    run(&mut world, 60);
    let creature = &world.creatures()[0];
    assert_eq!(creature.foothold(), None);
    assert_eq!(creature.pose().position.y, 0.0);
}

#[test]
fn the_same_whatever_the_threads_and_after_a_snapshot() {
    let start = || {
        let mut world = two_beams(Solver::Coupled, RootKind::Clamped);
        world.add_creature(over_both()).unwrap();
        world
    };
    let mut world = start();
    run(&mut world, 60);
    let snapshot = world.snapshot();
    run(&mut world, 60);
    let hash = world.state_hash();
    world.restore(&snapshot);
    run(&mut world, 60);
    assert_eq!(world.state_hash(), hash);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .unwrap();
    let mut again = start();
    pool.install(|| run(&mut again, 120));
    assert_eq!(again.state_hash(), hash);
}

#[test]
fn ways_that_do_not_lie_on_a_tree_are_named() {
    let mut world = two_beams(Solver::Coupled, RootKind::Clamped);
    let mut settings = over_both();
    settings.runs[1].to = BodyId(77);
    let (field, what) = world.add_creature(settings).unwrap_err();
    assert_eq!(
        (field.as_str(), what.as_str()),
        ("run.1.to", "is 77; expected a body below 10")
    );
}
