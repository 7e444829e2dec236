//! Branches that broke off meet trees and each other: what one side gets the other loses, nothing passes, nothing gains energy, all come to rest.

use crate::common::trees::beam;
use crate::common::{all_finite, run, unloaded};
use treesway::glam::{DQuat, DVec3, Vec3};
use treesway::{
    BodyId, BodySample, Branch, CutOptions, EventKind, FieldForce, ForceField, Ground, OffMotion,
    RootKind, RootPose, Skeleton, Solver, Tree, TreeDesc, TreeId, TreeOptions, World, cut,
};

const BELOW: TreeId = TreeId(0);
const ABOVE: TreeId = TreeId(1);

/// Accelerates everything above a height for a time.
struct Push {
    from: f32,
    until: f64,
    acceleration: Vec3,
}

impl ForceField for Push {
    fn force(&self, seconds: f64, body: &BodySample) -> FieldForce {
        let mut force = FieldForce::none();
        if body.position.y > self.from && seconds < self.until {
            force.force = (self.acceleration * body.mass).into();
        }
        force
    }
}

fn options(solver: Solver, root: RootKind, at: DVec3, turn: f64) -> TreeOptions {
    let mut options = unloaded();
    options.settings.solver = solver;
    options.root = root;
    options.anchor = RootPose {
        position: at,
        rotation: DQuat::from_rotation_y(turn),
    };
    options
}

/// A branch along x, and across it, `height` m above, another that was cut off its stump.
fn crossed(solver: Solver, root: RootKind, height: f64) -> World {
    let mut world = World::default();
    world.ground = Ground::None;
    let mut below = options(solver, root, DVec3::new(0.0, 0.0, 0.03), 0.0);
    // Without them, and with short steps, what turns freely gains energy by itself.
    below.settings.velocity_products = true;
    world.add(Tree::build(&beam(10, 2.0, 0.03, 0.02), below).unwrap());
    let above = DVec3::new(1.0, height, 1.0);
    let mut above = options(
        Solver::Coupled,
        RootKind::Clamped,
        above,
        core::f64::consts::FRAC_PI_2,
    );
    above.settings.velocity_products = true;
    world.add(Tree::build(&beam(8, 2.0, 0.025, 0.02), above).unwrap());
    world.tree_mut(ABOVE).cut(BodyId(1));
    world
}

/// Σ m v and ½ Σ m v² + ½ Σ ω I ω over both trees but for the stump.
fn momentum_and_energy(world: &World) -> (DVec3, f64) {
    let all = [BELOW, ABOVE].into_iter().flat_map(|t| {
        let tree = world.tree(t);
        tree.ids().map(move |id| tree.body(id))
    });
    let (mut momentum, mut energy) = (DVec3::ZERO, 0.0);
    for body in all {
        let (m, v) = (f64::from(body.mass), body.velocity.as_dvec3());
        let turn = body.pose.rotation.as_dquat().normalize();
        let omega = turn.inverse() * body.angular_velocity.as_dvec3();
        momentum += v * m;
        energy += 0.5 * (m * v.dot(v) + omega.dot(body.inertia.as_dvec3() * omega));
    }
    (momentum, energy)
}

/// In free space a branch strikes another that nobody holds: together they keep their momentum, and lose energy.
#[test]
fn momentum_is_kept_and_energy_is_not_gained() {
    for substeps in [2, 8] {
        let mut world = crossed(Solver::Coupled, RootKind::Free, 0.5);
        world.gravity = Vec3::ZERO;
        for tree in [BELOW, ABOVE] {
            let mut settings = world.tree(tree).settings().clone();
            settings.substeps = substeps;
            world.tree_mut(tree).set_settings(settings).unwrap();
        }
        world.fields.push(Box::new(Push {
            from: 0.3,
            until: 0.1,
            acceleration: Vec3::NEG_Y * 40.0,
        }));
        run(&mut world, 3);
        world.fields.clear();
        let (before, energy) = momentum_and_energy(&world);
        assert!(before.y < -1.0, "{before}");
        let (mut given, mut most_energy) = (DVec3::ZERO, 0.0_f64);
        for _ in 0..40 {
            world.step();
            let hits = world.events().iter().filter(|e| e.kind == EventKind::Hit);
            let below = hits.filter(|e| e.tree == BELOW);
            given += below.map(|e| e.impulse.as_dvec3()).sum::<DVec3>();
            most_energy = most_energy.max(momentum_and_energy(&world).1);
        }
        let (after, _) = momentum_and_energy(&world);
        let off = (after - before).length() / before.length();
        println!(
            "{substeps} steps: {before} before, {after} after, off by {off:.1e}; hit {given}; {energy} J, then at most {most_energy}"
        );
        assert!(given.y < 0.2 * before.y, "it struck: {given}");
        assert!(off < 1e-4, "{off}");
        assert!(most_energy < 1.001 * energy, "{most_energy} {energy}");
    }
}

/// However fast a branch comes, it does not get through another; without contact it does.
#[test]
fn nothing_passes_through_a_branch() {
    for solver in [Solver::Coupled, Solver::Analytic] {
        for (speed, meets) in [(2.0_f32, true), (5.0, true), (10.0, true), (10.0, false)] {
            let mut world = crossed(solver, RootKind::Clamped, 1.2);
            world.gravity = Vec3::ZERO;
            if !meets {
                world.contact.wood = f32::INFINITY;
            }
            world.fields.push(Box::new(Push {
                from: 0.4,
                until: 0.1,
                acceleration: Vec3::NEG_Y * (10.0 * speed),
            }));
            let mut passed = false;
            // Until a little after they meet; later it may swing around.
            let frames = 3.0 + 30.0 * 1.2 / speed + 6.0;
            for _ in 0..frames as usize {
                world.step();
                // Where the one crosses the other.
                let falling = world.tree(ABOVE).body(BodyId(4)).pose.position;
                let held = world.tree(BELOW).body(BodyId(5)).pose.position;
                passed |= falling.y < held.y - 0.05;
            }
            assert!(all_finite(world.tree(BELOW)) && all_finite(world.tree(ABOVE)));
            assert_eq!(passed, !meets, "{solver:?} at {speed} m/s");
        }
    }
}

/// A branch along x that bends up at its end: what is round would roll off a straight one.
fn hook() -> TreeDesc {
    let nodes = [
        (Vec3::ZERO, 0.05),
        (Vec3::new(1.5, -0.1, 0.0), 0.04),
        (Vec3::new(1.7, 0.4, 0.0), 0.03),
    ];
    let skeleton = Skeleton {
        branches: vec![Branch::trunk(nodes)],
        ..Skeleton::default()
    };
    let options = CutOptions {
        segment_length: 0.25,
        ..CutOptions::default()
    };
    cut(&skeleton, &options).unwrap()
}

/// A branch that falls across two others hangs there with its weight, rests, and falls on when one of them is cut.
#[test]
fn a_branch_hangs_in_others_until_they_go() {
    for solver in [Solver::Coupled, Solver::Analytic] {
        let mut world = World::default();
        for z in [-0.5, 0.5] {
            let side = options(solver, RootKind::Clamped, DVec3::new(0.0, 2.0, z), 0.0);
            world.add(Tree::build(&hook(), side).unwrap());
        }
        let above = DVec3::new(1.3, 2.3, 1.3);
        let across = core::f64::consts::FRAC_PI_2;
        let above = options(Solver::Coupled, RootKind::Clamped, above, across);
        let above = world.add(Tree::build(&beam(8, 2.4, 0.02, 0.02), above).unwrap());
        world.tree_mut(above).cut(BodyId(1));
        let piece = BodyId(4);
        let height = |world: &World| world.tree(above).body(piece).pose.position.y;
        let motion = |world: &World| world.tree(above).off_motion(piece);
        run(&mut world, 240);
        println!(
            "{solver:?}: hangs at {} m, {:?}",
            height(&world),
            motion(&world)
        );
        assert!(height(&world) > 1.5, "{solver:?}: {} m", height(&world));
        assert_eq!(motion(&world), Some(OffMotion::Resting), "{solver:?}");
        world.tree_mut(BELOW).cut(BodyId(1));
        run(&mut world, 600);
        println!(
            "{solver:?}: lies at {} m, {:?}",
            height(&world),
            motion(&world)
        );
        assert!(height(&world) < 1.4, "{solver:?}: {} m", height(&world));
        assert_eq!(motion(&world), Some(OffMotion::Resting), "{solver:?}");
        let lost = |tree: usize| world.tree(TreeId(tree)).off_counts().carried;
        assert_eq!(lost(0) + lost(2), 0, "all of them rest");
    }
}

/// A branch on a slope lies on it, not in it nor over it.
#[test]
fn a_branch_lies_on_hills() {
    let mut world = World::default();
    let heights = (0..36).map(|i| 0.2 * (i % 6) as f32).collect();
    let field = treesway::HeightField::new([-5.0, -5.0], 2.0, 6, heights);
    world.ground = Ground::Field(std::sync::Arc::new(field));
    let at = options(
        Solver::Coupled,
        RootKind::Clamped,
        DVec3::new(-1.0, 2.0, 0.0),
        0.0,
    );
    let tree = world.add(Tree::build(&beam(8, 2.0, 0.03, 0.02), at).unwrap());
    world.tree_mut(tree).cut(BodyId(1));
    run(&mut world, 200);
    for id in 1..8 {
        let body = world.tree(tree).body(BodyId(id));
        let p = body.pose.position;
        let over = p.y - world.ground.height_at(p.x, p.z);
        println!("{id}: {over:.3} m over the slope at {}", p.x);
        assert!((-0.02..0.1).contains(&over), "{over}");
        assert_eq!(
            world.tree(tree).off_motion(BodyId(id)),
            Some(OffMotion::Resting)
        );
    }
}

/// The same bits on any number of threads, and after going back.
#[test]
fn touches_can_be_rewound_and_repeated() {
    let run_on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut world = crossed(Solver::Coupled, RootKind::Clamped, 0.4);
            world.ground = Ground::Plane(-0.8);
            run(&mut world, 5);
            let early = world.snapshot();
            let hits = run(&mut world, 60).collided;
            let first = world.state_hash();
            world.restore(&early);
            run(&mut world, 60);
            assert!(hits > 0);
            assert_eq!(world.state_hash(), first);
            first
        })
    };
    assert_eq!(run_on(1), run_on(2));
}
