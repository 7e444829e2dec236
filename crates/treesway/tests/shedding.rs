//! Leaves and fruit let go: over a torque, at a rate, and always the same ones.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{run, trees};
use treesway::glam::{Quat, Vec3};
use treesway::{
    BodyDesc, BodyId, Event, EventKind, GravityPose, Isa, LetGo, Shape, Shedding, Solver, Tree,
    TreeDesc, TreeId, TreeOptions, Wind, WindSettings, World,
};

const TREE: TreeId = TreeId(0);

/// A stiff post with leaves that stand out level; every tenth is a fruit.
fn desc(leaves: u32) -> TreeDesc {
    let post = Shape::Segment {
        length: 4.0,
        base: 0.3,
        tip: 0.3,
    };
    let mut desc = trees::single(post, trees::upright());
    for i in 0..leaves {
        let shape = if i % 10 == 9 {
            Shape::Fruit {
                radius: 0.02,
                stem_length: 0.02,
                stem_radius: 0.004,
            }
        } else {
            Shape::Leaf {
                length: 0.04 + 0.0001 * i as f32,
                width: 0.05,
                thickness: 2e-4,
            }
        };
        let along = 1.0 + 3.0 * i as f32 / leaves as f32;
        let out = Quat::from_rotation_z(0.01 * i as f32) * Quat::from_rotation_x(-1.570_796_4);
        let joint = Vec3::new(0.0, 0.0, along);
        desc.bodies.push(BodyDesc::new(Some(0), shape, joint, out));
    }
    desc
}

fn world(leaves: u32, solver: Solver, shedding: Shedding) -> World {
    let mut options = TreeOptions::default();
    options.settings.solver = solver;
    options.params.gravity_pose = GravityPose::Unloaded;
    // Stiff, or they would twist and hang down before they let go.
    let leaf = &mut options.params.leaf;
    (leaf.flap_hz, leaf.sway_hz, leaf.twist_hz) = (40.0, 60.0, 60.0);
    options.params.shedding = shedding;
    let mut world = World::default();
    world.add(Tree::build(&desc(leaves), options).unwrap());
    world
}

fn gone(world: &World, id: BodyId) -> bool {
    !world.tree(TREE).is_attached(id)
}

/// Level leaves under a gravity that grows: each lets go where the torque m g z of its weight is that of (1), whatever its size.
#[test]
fn leaves_let_go_at_the_torque_of_so_many_weights() {
    let (hold, leaves) = (5.0, 400);
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        for spread in [0.0, 0.2] {
            let kind = LetGo {
                hold: Some(hold),
                ..LetGo::default()
            };
            let shedding = Shedding {
                leaf: kind.clone(),
                fruit: kind,
                spread,
                seed: 3,
            };
            let mut world = world(leaves, solver, shedding);
            // What has fallen must not shake what still hangs.
            world.contact.fruit = false;
            let mut at = Vec::new();
            for step in 0..1500 {
                let weights = step as f32 * 0.01;
                world.gravity = Vec3::Y * -9.81 * weights;
                let report = world.step();
                assert_eq!(report.detached as usize, detached(world.events()).count());
                at.extend(std::iter::repeat_n(weights, report.detached as usize));
            }
            assert_eq!(at.len(), leaves as usize, "all have let go");
            let mean = at.iter().sum::<f32>() / at.len() as f32;
            let variance = at.iter().map(|w| (w - mean).powi(2)).sum::<f32>() / at.len() as f32;
            let deviation = variance.sqrt() / hold;
            assert!((mean / hold - 1.0).abs() < 0.03, "{mean} weights");
            assert!((deviation - spread).abs() < 0.02, "{deviation} of {spread}");
        }
    }
}

fn detached(events: &[Event]) -> impl Iterator<Item = BodyId> + '_ {
    let detached = |e: &&Event| e.kind == EventKind::Detached;
    events.iter().filter(detached).map(|e| e.body)
}

fn at_a_rate(rate: f32, season: Vec<[f32; 2]>) -> Shedding {
    let leaf = LetGo {
        rate,
        season,
        ..LetGo::default()
    };
    Shedding {
        leaf,
        seed: 5,
        ..Shedding::default()
    }
}

/// Of n leaves n e^(−r t) are left, within the chance of independent ones, and which does not depend on the length of frames.
#[test]
fn a_share_of_the_leaves_falls_every_second() {
    let (rate, seconds, leaves) = (0.4, 3.0, 2000);
    let left = |frame_secs: f64| {
        let tree = world(leaves, Solver::Analytic, at_a_rate(rate, Vec::new()));
        let mut other = World::new(frame_secs);
        other.add(tree.tree(TREE).clone());
        run(&mut other, (seconds / frame_secs).round() as usize);
        let tree = other.tree(TREE);
        let ids = tree.ids().filter(|&id| tree.is_attached(id));
        ids.collect::<Vec<_>>()
    };
    let often = left(1.0 / 60.0);
    assert_eq!(often, left(1.0 / 30.0));
    let fruit = leaves as usize / 10;
    let of = leaves as f64 * 0.9;
    let share = (-f64::from(rate) * seconds).exp();
    let expected = of * share;
    let sigma = (of * share * (1.0 - share)).sqrt();
    let got = (often.len() - 1 - fruit) as f64;
    assert!((got - expected).abs() < 3.0 * sigma, "{got} of {expected}");
}

#[test]
fn nothing_falls_out_of_season() {
    let season = vec![[1.0, 0.0], [2.0, 1.0], [3.0, 0.0]];
    let mut world = world(1000, Solver::Analytic, at_a_rate(2.0, season));
    let by_second: Vec<u64> = (0..5).map(|_| run(&mut world, 30).detached).collect();
    assert_eq!((by_second[0], by_second[3], by_second[4]), (0, 0, 0));
    // ∫ r dt = 1 over each half of the season: 63 % of those there were.
    assert!((480..660).contains(&by_second[1]), "{by_second:?}");
    assert!(by_second[2] > 150 && by_second[2] < by_second[1]);
}

/// A tree of several blocks that loses leaves in a gusty wind.
fn windy(solver: Solver) -> World {
    let mut options = TreeOptions::default();
    options.settings.solver = solver;
    options.params.shedding = Shedding {
        leaf: LetGo {
            hold: Some(3.0),
            rate: 0.05,
            ..LetGo::default()
        },
        ..Shedding::default()
    };
    let grown = treesway_grow::Broadleaf {
        bodies: 9000,
        ..treesway_grow::Broadleaf::default()
    };
    let grown = grown.grow(5).unwrap();
    let desc = treesway::cut(&grown.skeleton, &grown.cut).unwrap();
    let mut world = World::default();
    world.add(Tree::build(&desc, options).unwrap());
    let wind = WindSettings {
        velocity: Vec3::new(9.0, 0.0, 2.0),
        ..WindSettings::default()
    };
    world.fields.push(Box::new(Wind::new(wind).unwrap()));
    world
}

#[test]
fn the_same_leaves_fall_on_any_number_of_threads_and_with_any_vectors() {
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        let story = |threads: usize, isa: Isa| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let mut world = windy(solver);
            world.tree_mut(TREE).set_isa(isa);
            let events = pool.build().unwrap().install(|| {
                let mut events = Vec::new();
                for _ in 0..45 {
                    assert_eq!(world.step().healed, 0);
                    events.extend_from_slice(world.events());
                }
                events
            });
            (events, world.state_hash())
        };
        let alone = story(1, Isa::best());
        let (all, fell) = (world_leaves(&windy(solver)), detached(&alone.0).count());
        println!("{solver:?}: {fell} of {all} leaves");
        assert!(fell > all / 50 && fell < all, "{fell} of {all}");
        assert!(alone == story(3, Isa::best()), "three threads");
        assert!(alone == story(2, Isa::Scalar), "without vectors");
    }
}

fn world_leaves(world: &World) -> usize {
    let tree = world.tree(TREE);
    let leaf = |&id: &BodyId| tree.body(id).kind == treesway::BodyKind::Leaf;
    tree.ids().filter(leaf).count()
}

#[test]
fn a_snapshot_lets_the_same_leaves_fall_again() {
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        let mut world = windy(solver);
        run(&mut world, 20);
        let (snapshot, before) = (world.snapshot(), world.tree(TREE).off_counts().total());
        assert!(before > 0);
        let first = run(&mut world, 20).detached;
        let hash = world.state_hash();
        world.restore(&snapshot);
        assert_eq!(world.tree(TREE).off_counts().total(), before);
        assert_eq!(run(&mut world, 20).detached, first);
        assert_eq!(world.state_hash(), hash);
    }
}

/// Nothing is lost: every body is on the tree, in the air or on the ground, and told of once.
#[test]
fn every_body_is_somewhere_and_leaves_once() {
    let mut world = windy(Solver::Analytic);
    let mut told = vec![0; world.tree(TREE).len()];
    for _ in 0..120 {
        let report = world.step();
        let tree = world.tree(TREE);
        for id in detached(world.events()) {
            told[id.index()] += 1;
            assert!(!tree.is_attached(id));
        }
        let counts = tree.off_counts();
        let on = tree.ids().filter(|&id| tree.is_attached(id)).count();
        assert_eq!(on + counts.total(), tree.len());
        // Those that left in this frame fly from the next on.
        assert_eq!(counts.flying as u64, report.flying + report.detached);
    }
    for id in world.tree(TREE).ids() {
        assert_eq!(told[id.index()], usize::from(gone(&world, id)), "{id:?}");
    }
}

#[test]
fn settings_out_of_range_are_named() {
    let name = |shedding: Shedding| {
        let mut options = TreeOptions::default();
        options.params.shedding = shedding;
        let Err(error) = Tree::build(&desc(10), options) else {
            panic!("it was built");
        };
        error.to_string()
    };
    let falling = at_a_rate(1.0, vec![[2.0, 1.0], [1.0, 1.0]]);
    assert!(name(falling).contains("shedding.leaf.season"));
    assert!(name(at_a_rate(-1.0, Vec::new())).contains("shedding.leaf.rate"));
    let spread = Shedding {
        spread: 2.0,
        ..Shedding::default()
    };
    assert!(name(spread).contains("shedding.spread"));
}
