//! Branches break over the strength of their wood, fall as trees of their own and come to rest.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{all_finite, limb, run, trees, unloaded, world_of};
use treesway::glam::{DVec3, Vec3};
use treesway::{
    BodyId, EventKind, Ground, Load, OffMotion, Solver, TreeId, TreeOptions, Wind, World,
};

const TREE: TreeId = TreeId(0);
const SOLVERS: [Solver; 2] = [Solver::Coupled, Solver::Analytic];

fn options(solver: Solver) -> TreeOptions {
    let mut options = unloaded();
    options.settings.solver = solver;
    options
}

/// Mass, momentum, and angular momentum about the centre of mass of some bodies.
#[derive(Clone, Copy, Debug)]
struct Motion {
    mass: f64,
    momentum: DVec3,
    spin: DVec3,
}

fn motion(world: &World, ids: &[BodyId]) -> Motion {
    let bodies = ids.iter().map(|&id| {
        let b = world.tree(TREE).body(id);
        let centre = b.pose.point(b.com_in_body).as_dvec3();
        let turn = b.pose.rotation.as_dquat();
        let omega = b.angular_velocity.as_dvec3();
        let spin = turn * (b.inertia.as_dvec3() * (turn.inverse() * omega));
        (f64::from(b.mass), centre, b.velocity.as_dvec3(), spin)
    });
    let bodies: Vec<_> = bodies.collect();
    let mass: f64 = bodies.iter().map(|b| b.0).sum();
    let centre = bodies.iter().map(|b| b.1 * b.0).sum::<DVec3>() / mass;
    let momentum: DVec3 = bodies.iter().map(|b| b.2 * b.0).sum();
    let spin = bodies
        .iter()
        .map(|b| b.3 + (b.1 - centre).cross(b.2 * b.0))
        .sum();
    Motion {
        mass,
        momentum,
        spin,
    }
}

#[test]
fn a_cut_changes_no_pose_no_velocity_and_no_mass() {
    for solver in SOLVERS {
        let desc = trees::random_tree(6000, 4);
        let mut world = world_of(&desc, options(solver));
        world
            .fields
            .push(Box::new(Wind::steady(Vec3::new(9.0, 0.0, 3.0))));
        run(&mut world, 40);
        let all: Vec<_> = world.tree(TREE).ids().collect();
        let before: Vec<_> = all.iter().map(|&id| world.tree(TREE).body(id)).collect();
        let off = world.tree_mut(TREE).cut(limb(&desc));
        assert!(off.len() > 300);
        for (&id, before) in all.iter().zip(&before) {
            let now = world.tree(TREE).body(id);
            assert_eq!(now.pose, before.pose);
            assert_eq!(now.velocity, before.velocity);
            assert_eq!(now.mass, before.mass);
            let expected = off.contains(&id).then_some(OffMotion::Carried);
            assert_eq!(world.tree(TREE).off_motion(id), expected);
        }
        assert_eq!(world.tree(TREE).broken(), [limb(&desc)]);
        world.step();
        let broken: Vec<_> = world.events().iter().map(|e| (e.body, e.kind)).collect();
        assert_eq!(broken, [(limb(&desc), EventKind::Broken)]);
        // The next step begins where the cut left off.
        for (&id, before) in all.iter().zip(&before) {
            let moved = world
                .tree(TREE)
                .pose(id)
                .position
                .distance(before.pose.position);
            assert!(moved < 0.5, "{solver:?} {id:?} jumped by {moved} m");
        }
        assert!(world.tree_mut(TREE).cut(limb(&desc)).is_empty());
    }
}

/// It falls as a stone does, whatever its springs do, and keeps its spin.
#[test]
fn a_broken_branch_falls_as_a_stone() {
    for solver in SOLVERS {
        let desc = trees::random_tree(6000, 4);
        let mut world = world_of(&desc, options(solver));
        world.ground = Ground::None;
        // It meets no other branch on its way.
        world.contact.wood = f32::INFINITY;
        world
            .fields
            .push(Box::new(Wind::steady(Vec3::new(6.0, 0.0, 2.0))));
        run(&mut world, 40);
        world.fields.clear();
        // It swings back when it breaks.
        run(&mut world, 3);
        let off = world.tree_mut(TREE).cut(limb(&desc));
        let start = motion(&world, &off);
        assert!(start.spin.length() > 0.1, "{solver:?} {start:?}");
        let frames = 30;
        run(&mut world, frames);
        let end = motion(&world, &off);
        let t = frames as f64 / 30.0;
        let gained = (end.momentum - start.momentum) / start.mass;
        let wanted = DVec3::Y * (-9.81 * t);
        println!("{solver:?} {start:?} {end:?} gained {gained}");
        assert!((end.mass / start.mass - 1.0).abs() < 1e-6);
        assert!((gained - wanted).length() < 1e-4, "{solver:?} {gained}");
        let lost = (end.spin - start.spin).length();
        assert!(lost < 0.02 * start.spin.length(), "{solver:?} {lost}");
        assert!(all_finite(world.tree(TREE)));
    }
}

/// A beam is bent by a force at its end that grows slowly. Its second joint breaks at F (L − ℓ) = σ π r³/4; the root stays.
#[test]
fn wood_breaks_at_its_strength() {
    for (solver, factor) in SOLVERS.into_iter().flat_map(|s| [(s, 1.0), (s, 0.5)]) {
        let (length, radius, segments) = (2.0_f32, 0.02_f32, 8);
        let desc = trees::beam(segments, length, radius, radius);
        let mut options = options(solver);
        options.params.breakage.factor = Some(factor);
        options.params.breakage.strength = 4e6; // so weak that it hardly bends
        let mut world = world_of(&desc, options);
        world.gravity = Vec3::ZERO;
        let tip = BodyId(segments as u32 - 1);
        let one = length / segments as f32;
        let moment = factor * 4e6 * core::f32::consts::FRAC_PI_4 * radius.powi(3);
        let wanted = moment / (length - one);
        let mut force = 0.5 * wanted;
        while world.tree(TREE).broken().is_empty() && force < 2.0 * wanted {
            force += 0.002 * wanted;
            let load = Load::force(tip, Vec3::Z * one, Vec3::Y * force);
            world.tree_mut(TREE).add_load(load);
            world.step();
        }
        println!("{solver:?} × {factor}: broke at {force} N, wanted {wanted} N");
        assert_eq!(world.tree(TREE).broken(), [BodyId(1)]);
        assert!((force / wanted - 1.0).abs() < 0.03, "{force} {wanted}");
    }
}

#[test]
fn wood_does_not_break_unless_it_is_told_to() {
    let desc = trees::random_tree(6000, 4);
    let mut world = world_of(&desc, options(Solver::Coupled));
    world.fields.push(Box::new(Wind::steady(Vec3::X * 60.0)));
    assert_eq!(run(&mut world, 60).broken, 0);
}

fn storm(solver: Solver) -> World {
    let desc = trees::random_tree(6000, 4);
    let mut options = options(solver);
    options.params.breakage.factor = Some(0.3);
    let mut world = world_of(&desc, options);
    // The analytic solver's branches follow a wind that sets in without overshooting.
    let speed = match solver {
        Solver::Coupled => 25.0,
        _ => 45.0,
    };
    let velocity = Vec3::new(speed, 0.0, 5.0);
    world.fields.push(Box::new(Wind::steady(velocity)));
    world
}

/// In a storm branches break, fall, hit the ground and lie there.
#[test]
fn what_breaks_in_a_storm_comes_to_rest_on_the_ground() {
    for solver in SOLVERS {
        let mut world = storm(solver);
        let mut report = run(&mut world, 60);
        assert!(report.broken > 0, "{solver:?}");
        // The wind dies down, so that nothing is blown along the ground for ever.
        world.fields = vec![Box::new(Wind::steady(Vec3::ZERO))];
        for _ in 0..600 {
            report += world.step();
        }
        let tree = world.tree(TREE);
        assert!(all_finite(tree));
        let counts = tree.off_counts();
        println!(
            "{solver:?}: {} broken, {counts:?}, {} hits",
            report.broken, report.collided
        );
        assert_eq!(counts.flying, 0, "leaves went down with their twigs");
        assert_eq!(counts.carried, 0, "all of them rest");
        assert!(report.landed >= report.broken);
        assert!(
            report.collided > 0,
            "{solver:?}: they met nothing on their way"
        );
        for id in tree.ids().filter(|&id| !tree.is_attached(id)) {
            let body = tree.body(id);
            let height = body.pose.point(body.com_in_body).y;
            // Thin twigs on which a branch lies stick in the ground.
            let least = if body.radius[0] > 0.012 { -0.1 } else { -0.4 };
            assert!(
                (least..4.0).contains(&height),
                "{solver:?} {id:?} at {height} m"
            );
        }
    }
}

/// Broken or not, a snapshot brings all of it back, and threads and vectors make no difference.
#[test]
fn a_storm_can_be_rewound_and_repeated() {
    let run_on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut world = storm(Solver::Coupled);
            run(&mut world, 20);
            let early = world.snapshot();
            run(&mut world, 50);
            let late = world.snapshot();
            let first = world.state_hash();
            world.restore(&early);
            run(&mut world, 50);
            assert_eq!(world.state_hash(), first);
            run(&mut world, 10);
            let further = world.state_hash();
            world.restore(&late);
            run(&mut world, 10);
            assert_eq!(world.state_hash(), further);
            assert!(!world.tree(TREE).broken().is_empty());
            further
        })
    };
    assert_eq!(run_on(1), run_on(2));
}
