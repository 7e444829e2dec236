//! The same bits for any number of threads, in debug and release, on every platform.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{analytic, run, trees, world_of};
use treesway::glam::Vec3;
use treesway::{
    BodyId, Isa, Load, Pull, Solver, TreeId, Wiggle, Wind, WindProfile, WindSettings, World,
};

const TREE: TreeId = TreeId(0);

/// A tree in the wind that somebody pulls at.
fn lively(desc: &treesway::TreeDesc, pulled: BodyId, solver: Solver) -> World {
    let mut options = analytic();
    options.settings.solver = solver;
    let mut world = world_of(desc, options);
    let wind = WindSettings {
        velocity: Vec3::new(9.0, 0.0, 3.0),
        profile: WindProfile {
            exponent: 0.2,
            ..WindProfile::default()
        },
        wiggle: Wiggle {
            strength: 0.3,
            ..Wiggle::default()
        },
        ..WindSettings::default()
    };
    world.fields.push(Box::new(Wind::new(wind).unwrap()));
    let tree = world.tree_mut(TREE);
    let target = tree.pose(pulled).position + Vec3::new(0.2, -0.1, 0.1);
    tree.add_pull(Pull::new(pulled, Vec3::ZERO, target, 500.0));
    world
}

fn hash_with(threads: usize, solver: Solver) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads can be made");
    let mut world = lively(&trees::random_tree(10_000, 5), BodyId(2000), solver);
    pool.install(|| run(&mut world, 60));
    world.state_hash()
}

#[test]
fn hash_does_not_depend_on_threads() {
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        let alone = hash_with(1, solver);
        assert_eq!(alone, hash_with(2, solver));
        assert_eq!(alone, hash_with(4, solver));
    }
}

/// Change only when the motion does; then say "motion changes" in the changelog.
const FORK_AFTER_TEN_SECONDS: [(Solver, u64); 4] = [
    (Solver::Analytic, 0xcb95_3f19_8bd3_538a),
    (Solver::Coupled, 0x7cc4_189a_b338_9b22),
    (Solver::Particles, 0x4880_a5b3_3e1d_b2ad),
    (Solver::Contact, 0x4385_ac1b_d2cf_77ca),
];

#[test]
fn motion_is_the_same_on_every_build() {
    let mut changed = Vec::new();
    for (solver, expected) in FORK_AFTER_TEN_SECONDS {
        let mut world = lively(&trees::fork(), BodyId(8), solver);
        run(&mut world, 300);
        let hash = world.state_hash();
        if hash != expected {
            changed.push(format!("the hash of {solver:?} is now {hash:#018x}"));
        }
    }
    assert!(changed.is_empty(), "{changed:#?}");
}

#[test]
fn motion_is_the_same_with_any_vectors() {
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        for desc in [trees::fork(), trees::random_tree(5000, 3)] {
            let hash = |isa: Isa| {
                let mut world = lively(&desc, BodyId(8), solver);
                world.tree_mut(TreeId(0)).set_isa(isa);
                run(&mut world, 60);
                world.state_hash()
            };
            let reference = hash(Isa::Scalar);
            for isa in Isa::available() {
                assert_eq!(hash(isa), reference, "{solver:?} with {}", isa.name());
            }
        }
    }
}

/// One rounding instead of two: other bits, the same motion.
#[cfg(feature = "fused")]
#[test]
fn fused_vectors_differ_by_rounding_alone() {
    for isa in [Isa::Avx2Fused, Isa::Avx512Fused] {
        if !isa.is_available() {
            continue;
        }
        for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
            let after_a_second = |isa: Isa| {
                let mut world = lively(&trees::fork(), BodyId(8), solver);
                world.tree_mut(TREE).set_isa(isa);
                run(&mut world, 30);
                let tree = world.tree(TREE);
                let tips: Vec<Vec3> = tree.ids().map(|id| tree.tip(id)).collect();
                (world.state_hash(), tips)
            };
            let (hash, tips) = after_a_second(isa);
            let (other_hash, other_tips) = after_a_second(Isa::best());
            assert_ne!(hash, other_hash, "nothing was fused");
            let apart = tips.iter().zip(&other_tips).map(|(a, b)| a.distance(*b));
            let farthest = apart.fold(0.0, f32::max);
            println!("{solver:?}, {}: {farthest:.1e} m apart", isa.name());
            assert!(farthest < 1e-4, "{farthest}");
        }
    }
}

/// Where nothing holds a tree, the way down of a step and the next way up follow each other treelet by treelet.
#[test]
fn load_of_nothing_does_not_change_the_motion() {
    let hash = |load: Option<Load>| {
        let mut options = analytic();
        options.settings.solver = Solver::Coupled;
        let mut world = world_of(&trees::random_tree(5000, 3), options);
        let wind = Wind::steady(Vec3::new(9.0, 0.0, 3.0));
        world.fields.push(Box::new(wind));
        if let Some(load) = load {
            world.tree_mut(TREE).add_load(load.held());
        }
        run(&mut world, 60);
        world.state_hash()
    };
    let nothing = Load::force(BodyId(2000), Vec3::ZERO, Vec3::ZERO);
    assert_eq!(hash(None), hash(Some(nothing)));
}

#[test]
fn restored_motion_is_the_same_to_the_last_bit() {
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        let mut world = lively(&trees::fork(), BodyId(8), solver);
        run(&mut world, 40);
        let snapshot = world.snapshot();
        let at = world.state_hash();
        run(&mut world, 50);
        let first = world.state_hash();
        world.restore(&snapshot);
        assert_eq!(world.state_hash(), at);
        run(&mut world, 50);
        assert_eq!(world.state_hash(), first);
    }
}

/// A forest: trees side by side, each of several blocks, with all solvers.
#[test]
fn a_forest_is_the_same_on_any_number_of_threads() {
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut world = lively(&trees::random_tree(5000, 3), BodyId(8), Solver::Coupled);
        for seed in 0..12 {
            let mut options = analytic();
            options.settings.solver =
                [Solver::Coupled, Solver::Analytic, Solver::Particles][seed as usize % 3];
            let desc = trees::random_tree(3200 + 400 * seed as usize, seed);
            world.add(treesway::Tree::build(&desc, options).unwrap());
        }
        pool.build().unwrap().install(|| run(&mut world, 20));
        world.state_hash()
    };
    let alone = hash(1);
    assert_eq!(alone, hash(2));
    assert_eq!(alone, hash(5));
}
