//! Parts of a tree that do not move are left out of the step, within an error, and wake when there is reason to.

use std::sync::Arc;
use std::time::Instant;
use treesway::glam::{DQuat, DVec3, Vec3};
use treesway::{
    BodyId, BodyKind, Load, Pull, RootPose, Solver, Tree, TreeId, TreeOptions, Wind, World, cut,
};
use treesway_grow::Broadleaf;

const TREE: TreeId = TreeId(0);
const ERROR: f32 = 1e-3; // m

fn world(solver: Solver, error: f32) -> World {
    let grown = Broadleaf {
        bodies: 9000,
        ..Broadleaf::default()
    }
    .grow(5)
    .unwrap();
    let mut options = TreeOptions::default();
    options.settings.solver = solver;
    options.settings.sleep_error = error;
    let mut world = World::default();
    world.add(Tree::build(&cut(&grown.skeleton, &grown.cut).unwrap(), options).unwrap());
    world.fields.push(Box::new(Wind::steady(Vec3::ZERO)));
    world
}

/// A segment out in the crown.
fn limb(world: &World) -> BodyId {
    let tree = world.tree(TREE);
    let wood = tree
        .ids()
        .filter(|&id| tree.body(id).kind == BodyKind::Segment);
    wood.max_by(|&a, &b| tree.tip(a).x.total_cmp(&tree.tip(b).x))
        .unwrap()
}

fn furthest(a: &World, b: &World) -> f32 {
    let (a, b) = (a.tree(TREE), b.tree(TREE));
    a.ids()
        .map(|id| a.pose(id).position.distance(b.pose(id).position))
        .fold(0.0, f32::max)
}

/// Frames until everything sleeps.
fn lull(world: &mut World, most: usize) -> usize {
    let bodies = world.tree(TREE).len() as u64;
    for frame in 0..most {
        if world.step().asleep == bodies {
            return frame;
        }
    }
    panic!("it does not fall asleep in {most} frames");
}

/// A pull and its release, with and without sleep: bodies are never further apart than the error allows, all of the tree sleeps in the end,
/// and then a frame costs next to nothing.
#[test]
fn a_tree_falls_asleep_within_its_error() {
    for solver in [Solver::Coupled, Solver::Analytic] {
        let (mut sleepy, mut awake) = (world(solver, ERROR), world(solver, 0.0));
        let pulled = limb(&awake);
        let target = awake.tree(TREE).pose(pulled).position + Vec3::new(0.3, -0.5, 0.2);
        let pull = Pull::new(pulled, Vec3::ZERO, target, 2e3);
        let mut apart = 0.0_f32;
        let mut slept = 0;
        for (frames, held) in [(90, true), (900, false)] {
            for world in [&mut sleepy, &mut awake] {
                let tree = world.tree_mut(TREE);
                if held {
                    tree.add_pull(pull);
                } else {
                    let last = tree.pulls().last().unwrap();
                    tree.release(last);
                }
            }
            for _ in 0..frames {
                slept += sleepy.step().asleep;
                assert_eq!(awake.step().asleep, 0);
                apart = apart.max(furthest(&sleepy, &awake));
            }
        }
        println!("{solver:?}: at most {:.3} mm apart", 1e3 * apart);
        assert!(slept > 0);
        assert!(apart < ERROR, "{solver:?}: {apart} m");
        lull(&mut sleepy, 2000);
        let work = |world: &mut World| {
            let (start, mut bodies) = (Instant::now(), 0);
            for _ in 0..80 {
                bodies += world.step().bodies;
            }
            [bodies as f64, start.elapsed().as_secs_f64()]
        };
        let ([bodies, secs], [few, short]) = (work(&mut awake), work(&mut sleepy));
        let (ratio, faster) = (bodies / few, secs / short);
        println!(
            "{solver:?}: asleep, 1/{ratio:.1} of the bodies are stepped, in 1/{faster:.1} of the time"
        );
        assert!(ratio > 6.0, "{ratio}");
    }
}

#[test]
fn it_wakes_when_there_is_reason_to() {
    type Reason = (&'static str, fn(&mut World));
    let reasons: [Reason; 6] = [
        ("a load", |w| {
            let body = limb(w);
            let load = Load::force(body, Vec3::ZERO, Vec3::Y * 50.0);
            w.tree_mut(TREE).add_load(load.held());
        }),
        ("a pull", |w| {
            let body = limb(w);
            let target = w.tree(TREE).pose(body).position + Vec3::X;
            w.tree_mut(TREE)
                .add_pull(Pull::new(body, Vec3::ZERO, target, 100.0));
        }),
        ("softer wood", |w| {
            let mut params = w.tree(TREE).params().clone();
            params.multipliers.branch_stiffness = 0.3;
            params.gravity_pose = treesway::GravityPose::Unloaded;
            w.tree_mut(TREE).set_params(params).unwrap();
        }),
        ("a shaken root", |w| {
            w.tree_mut(TREE)
                .set_motion(Some(Arc::new(|t: f64| RootPose {
                    position: DVec3::X * 0.2 * (5.0 * t).sin(),
                    rotation: DQuat::IDENTITY,
                })));
        }),
        ("wind", |w| {
            w.fields[0] = Box::new(Wind::steady(Vec3::X * 6.0))
        }),
        ("gravity", |w| w.gravity *= 0.5),
    ];
    for solver in [Solver::Coupled, Solver::Analytic] {
        for (name, reason) in reasons {
            let mut world = world(solver, ERROR);
            lull(&mut world, 2000);
            let tip = limb(&world);
            let before = world.tree(TREE).tip(tip);
            reason(&mut world);
            for _ in 0..30 {
                world.step();
            }
            let moved = world.tree(TREE).tip(tip).distance(before);
            println!("{solver:?}, {name}: {moved:.4} m in a second");
            assert!(moved > 5.0 * ERROR, "{solver:?}, {name}: {moved} m");
        }
    }
}

#[test]
fn sleep_is_the_same_on_any_number_of_threads_and_after_going_back() {
    for solver in [Solver::Coupled, Solver::Analytic] {
        let run = |threads: usize, back: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                let mut world = world(solver, 3e-3);
                let body = limb(&world);
                let load = Load::force(body, Vec3::ZERO, Vec3::Y * -100.0);
                world.tree_mut(TREE).add_load(load);
                let mut snapshot = None;
                for frame in 0..300 {
                    if frame == 200 {
                        snapshot = Some(world.snapshot());
                    }
                    world.step();
                }
                if back {
                    world.restore(&snapshot.unwrap());
                    for _ in 200..300 {
                        world.step();
                    }
                }
                world.state_hash()
            })
        };
        let alone = run(1, false);
        assert_eq!(alone, run(2, false), "{solver:?} on two threads");
        assert_eq!(alone, run(1, true), "{solver:?} after going back");
    }
}
