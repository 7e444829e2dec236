//! The search for bodies nearby misses none and is worth its while.

use crate::common::trees::{Dice, random_tree};
use crate::common::unloaded;
use proptest::prelude::*;
use std::time::{Duration, Instant};
use treesway::glam::Vec3;
use treesway::{BodyId, Pruning, Tree, cut};
use treesway_grow::species::{self, Wanted};

/// Bends every joint anyhow.
fn bend(tree: &mut Tree, most: f32, dice: &mut Dice) {
    for id in tree.ids() {
        let theta = dice.direction() * dice.between(0.0, most);
        tree.set_joint(id, theta, Vec3::ZERO);
    }
    tree.settle_world();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// However the tree is bent, whatever has left it, however large the ball.
    #[test]
    fn all_ways_of_pruning_find_the_same_bodies(seed in 0_u64..1000, most in 0.0_f32..1.4, radius in 0.01_f32..2.0) {
        let mut dice = Dice(seed);
        let mut tree = Tree::build(&random_tree(3200, seed), unloaded()).unwrap();
        bend(&mut tree, most, &mut dice);
        for off in [700, 2500] {
            tree.detach(BodyId(off));
        }
        let balls: Vec<(Vec3, f32)> = (0..20).map(|_| {
            let at = tree.pose(BodyId(dice.between(0.0, 3199.0) as u32)).position;
            (at + dice.direction() * dice.between(0.0, 2.0 * radius), radius)
        }).collect();
        let all = tree.overlaps(&balls, Pruning::Everything);
        prop_assert_eq!(&tree.overlaps(&balls, Pruning::Spheres), &all);
        prop_assert_eq!(&tree.overlaps(&balls, Pruning::Boxes), &all);
        prop_assert!(!all.is_empty());
    }
}

/// The apple tree of Fig. 8, searched by apples at two hundred places in its crown, as many as fall at a time, and by one.
#[test]
fn pruned_search_costs_less_than_a_fifth_of_brute_force() {
    let wanted = Wanted {
        bodies: Some(42_000),
        ..Wanted::default()
    };
    let grown = species::named("apple").unwrap().grow(1, &wanted).unwrap();
    let desc = cut(&grown.skeleton, &grown.cut).unwrap();
    let mut tree = Tree::build(&desc, unloaded()).unwrap();
    println!("{} bodies", tree.len());
    let mut dice = Dice(3);
    let apples: Vec<(Vec3, f32)> = (0..200)
        .map(|_| {
            let id = dice.between(0.0, tree.len() as f32 - 1.0) as u32;
            (
                tree.pose(BodyId(id)).position + dice.direction() * 0.1,
                0.04,
            )
        })
        .collect();
    let mut time = |pruning: Pruning, together: usize| -> (Duration, usize) {
        let start = Instant::now();
        let found = apples
            .chunks(together)
            .map(|apples| tree.overlaps(apples, pruning).len())
            .sum();
        (start.elapsed(), found)
    };
    time(Pruning::Boxes, 1);
    let (everything, all) = time(Pruning::Everything, 200);
    for together in [1, 200] {
        for pruning in [Pruning::Spheres, Pruning::Boxes, Pruning::ByNumber] {
            let (took, found) = time(pruning, together);
            assert_eq!(found, all);
            let share = took.as_secs_f64() / everything.as_secs_f64();
            println!(
                "{together} at a time, {pruning:?}: {took:.2?}, {:.2} % of brute force ({everything:.2?})",
                100.0 * share
            );
            assert!(pruning != Pruning::default() || share < 0.2, "{share}");
        }
    }
}
