//! The same bits for any number of threads, in debug and release, on every platform.

use crate::common::{run, trees, world_of};
use treesway::glam::Vec3;
use treesway::{BodyId, Pull, TreeId, TreeOptions, UniformWind, World};

const TREE: TreeId = TreeId(0);

/// A tree in the wind that somebody pulls at.
fn lively(desc: &treesway::TreeDesc, pulled: BodyId) -> World {
    let mut world = world_of(desc, TreeOptions::default());
    world.fields.push(Box::new(UniformWind {
        velocity: Vec3::new(9.0, 0.0, 3.0),
        ..UniformWind::default()
    }));
    let tree = world.tree_mut(TREE);
    let target = tree.pose(pulled).position + Vec3::new(0.2, -0.1, 0.1);
    tree.add_pull(Pull::new(pulled, Vec3::ZERO, target, 500.0));
    world
}

fn hash_with(threads: usize) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads can be made");
    let mut world = lively(&trees::random_tree(10_000, 5), BodyId(2000));
    pool.install(|| run(&mut world, 60));
    world.state_hash()
}

#[test]
fn hash_does_not_depend_on_threads() {
    let alone = hash_with(1);
    assert_eq!(alone, hash_with(2));
    assert_eq!(alone, hash_with(4));
}

/// Changes only when the motion does; then say "motion changes" in the changelog.
const FORK_AFTER_TEN_SECONDS: u64 = 0x2070_f819_aa99_71f4;

#[test]
fn motion_is_the_same_on_every_build() {
    let mut world = lively(&trees::fork(), BodyId(8));
    run(&mut world, 300);
    let hash = world.state_hash();
    assert_eq!(hash, FORK_AFTER_TEN_SECONDS, "the hash is now {hash:#018x}");
}

#[test]
fn restored_motion_is_the_same_to_the_last_bit() {
    let mut world = lively(&trees::fork(), BodyId(8));
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
