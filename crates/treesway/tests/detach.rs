//! Bodies leave a tree without a new layout.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{limb, run, trees, unloaded, world_of};
use std::time::Instant;
use treesway::glam::Vec3;
use treesway::{BodyId, Load, Pull, Solver, TreeDesc, TreeId, Wind, World};

const TREE: TreeId = TreeId(0);

fn windy(desc: &TreeDesc, solver: Solver) -> World {
    let mut options = unloaded();
    options.settings.solver = solver;
    // Damping is that of the wood alone: the least damping follows the first mode of the tree as it was built.
    options.settings.least_damping_ratio = 0.0;
    let mut world = world_of(desc, options);
    let velocity = Vec3::new(5.0, 0.0, 2.0);
    world.fields.push(Box::new(Wind::steady(velocity)));
    world
}

/// A tree without a subtree, and the ids that its bodies had with it.
fn without(desc: &TreeDesc, off: &[BodyId]) -> (TreeDesc, Vec<BodyId>) {
    let stays = |id: &u32| !off.contains(&BodyId(*id));
    let ids: Vec<u32> = (0..desc.bodies.len() as u32).filter(stays).collect();
    let new = |old: u32| ids.binary_search(&old).unwrap() as u32;
    let bodies = ids.iter().map(|&id| {
        let mut body = desc.bodies[id as usize];
        body.parent = body.parent.map(new);
        body
    });
    let desc = TreeDesc {
        bodies: bodies.collect(),
    };
    (desc, ids.into_iter().map(BodyId).collect())
}

/// What is left moves as a tree does that never had the rest, and sways at its frequencies.
#[test]
fn what_is_left_moves_as_if_the_rest_had_never_been() {
    for solver in [Solver::Coupled, Solver::Analytic, Solver::Particles] {
        let desc = trees::random_tree(6000, 4);
        let mut world = windy(&desc, solver);
        let off = world.tree_mut(TREE).detach(limb(&desc));
        assert!(off.len() > 300);
        let (rest, ids) = without(&desc, &off);
        let mut alone = windy(&rest, solver);
        let frequency = |world: &World| world.tree(TREE).modes(1)[0].frequency_hz;
        let (with, never) = (frequency(&world), frequency(&alone));
        assert!((with / never - 1.0).abs() < 1e-4, "{with} {never} Hz");
        for _ in 0..60 {
            world.step();
            alone.step();
        }
        let mut moved = 0.0_f32;
        for (i, &id) in ids.iter().enumerate() {
            let here = world.tree(TREE).pose(id).position;
            let there = alone.tree(TREE).pose(BodyId(i as u32)).position;
            assert!((here - there).length() < 1e-3, "{id:?}: {here} {there}");
            moved = moved.max(world.tree(TREE).body(id).theta.length());
        }
        assert!(moved > 0.05, "{moved} rad is no motion");
    }
}

#[test]
fn what_has_left_stays_as_it_left() {
    let desc = trees::random_tree(3000, 9);
    let mut world = windy(&desc, Solver::Coupled);
    run(&mut world, 20);
    let limb = limb(&desc);
    let tree = world.tree_mut(TREE);
    tree.add_pull(Pull::new(limb, Vec3::ZERO, Vec3::X, 10.0));
    tree.add_load(Load::force(limb, Vec3::ZERO, Vec3::X).held());
    let before = tree.body(limb);
    let off = tree.detach(limb);
    assert_eq!(off[0], limb);
    assert_eq!(tree.detach(limb), []);
    assert_eq!(tree.pulls().count(), 0);
    let whole = tree.energy(Vec3::ZERO);
    run(&mut world, 20);
    let tree = world.tree(TREE);
    assert!(whole.total().is_finite());
    assert!(off.iter().all(|&id| !tree.is_attached(id)));
    assert_eq!(tree.body(limb), before);
}

/// Back before the break: everything is there again, to the last bit; and forward again past it.
#[test]
fn a_snapshot_brings_back_what_has_left() {
    for solver in [Solver::Coupled, Solver::Analytic, Solver::Particles] {
        let desc = trees::random_tree(5000, 2);
        let mut world = windy(&desc, solver);
        run(&mut world, 10);
        let whole = world.snapshot();
        run(&mut world, 20);
        let hash = world.state_hash();

        world.restore(&whole);
        world.tree_mut(TREE).detach(limb(&desc));
        let broken = world.snapshot();
        run(&mut world, 20);
        let without = world.state_hash();
        assert_ne!(hash, without);

        world.restore(&whole);
        run(&mut world, 20);
        assert_eq!(world.state_hash(), hash);
        world.restore(&broken);
        run(&mut world, 20);
        assert_eq!(world.state_hash(), without);
    }
}

/// Leaves may fall by the thousand: one that does must not cost a walk through the tree.
#[test]
fn a_leaf_leaves_at_no_cost_to_the_others() {
    let desc = trees::random_tree(50_000, 8);
    let mut world = windy(&desc, Solver::Coupled);
    let mut carries = vec![false; desc.bodies.len()];
    for body in &desc.bodies {
        if let Some(parent) = body.parent {
            carries[parent as usize] = true;
        }
    }
    let tips: Vec<u32> = (1..50_000).filter(|&id| !carries[id as usize]).collect();
    let tree = world.tree_mut(TREE);
    tree.detach(BodyId(tips[0])); // the first makes the list of children
    let start = Instant::now();
    for &id in &tips[1..2001] {
        assert_eq!(tree.detach(BodyId(id)), [BodyId(id)]);
    }
    let each = start.elapsed().as_secs_f64() / 2000.0;
    println!("{:.2} µs for a leaf", 1e6 * each);
    assert!(each < 1e-4, "{each} s");
    assert_eq!(run(&mut world, 5).healed, 0);
}
