//! One step per frame holds at any stiffness, whatever pulls at the tree.

use crate::common::{all_finite, height, largest_drift, trees, trees::Dice, world_of};
use treesway::glam::Vec3;
use treesway::{BodyId, PullId, StepReport, TreeId, TreeOptions, World};

const TREE: TreeId = TreeId(0);
const BODIES: usize = 10_000;
const TWO_MINUTES: usize = 3600; // frames

/// The tree with its stiffness, branches and leaves, times `factor`.
fn tree(factor: f32) -> World {
    let mut options = TreeOptions::default();
    options.params.multipliers.branch_stiffness = factor;
    options.params.multipliers.leaf_stiffness = factor;
    world_of(&trees::random_tree(BODIES, 7), options)
}

/// What happened while the tree was yanked about.
struct Outcome {
    report: StepReport,
    /// Largest distance of a joint from its recomposition, in heights of the tree.
    drift: f64,
    finite: bool,
}

/// Grabs another twig every second, yanks it to far targets with a spring of 1e9 N/m, and lets go half a second later.
fn yanked(world: &mut World, frames: usize) -> Outcome {
    let mut dice = Dice(99);
    let size = height(world.tree(TREE));
    let mut pull: Option<PullId> = None;
    let mut outcome = Outcome {
        report: StepReport::default(),
        drift: 0.0,
        finite: true,
    };
    for frame in 0..frames {
        match frame % 30 {
            0 => {
                let id = BodyId(dice.between(0.0, world.tree(TREE).len() as f32) as u32);
                let at = world.tree(TREE).pose(id).position;
                let grip = treesway::Pull::new(id, Vec3::ZERO, at, 1e9);
                pull = Some(world.tree_mut(TREE).add_pull(grip));
            }
            15 => {
                if let Some(id) = pull.take() {
                    world.tree_mut(TREE).release(id);
                }
            }
            _ => {}
        }
        if let Some(pull) = pull.and_then(|id| world.tree_mut(TREE).pull_mut(id)) {
            pull.target += dice.direction() * 0.5 * size as f32;
        }
        outcome.report += world.step();
        if frame % 10 == 9 {
            outcome.drift = outcome.drift.max(largest_drift(world.tree(TREE)) / size);
            outcome.finite &= all_finite(world.tree(TREE));
        }
    }
    outcome
}

fn stays_stable(factor: f32, frames: usize) {
    let outcome = yanked(&mut tree(factor), frames);
    let (healed, limited) = (outcome.report.healed, outcome.report.limited);
    println!(
        "stiffness × {factor:e}: healed {healed}, at a limit {limited}, joints off by {:.1e} heights",
        outcome.drift
    );
    assert!(outcome.finite, "× {factor:e}");
    assert_eq!(healed, 0, "× {factor:e}");
    assert!(outcome.drift < 1e-5, "× {factor:e}: {:.2e}", outcome.drift);
}

fn stays_bounded(factor: f32, frames: usize) {
    let outcome = yanked(&mut tree(factor), frames);
    let report = &outcome.report;
    println!(
        "stiffness × {factor:e}: healed {}, at a limit {}, joints off by {:.1e} heights",
        report.healed, report.limited, outcome.drift
    );
    // Lengths are rigid: finite angles are bounded positions.
    assert!(outcome.finite, "× {factor:e}");
}

#[test]
fn tree_is_stable_at_any_stiffness() {
    for factor in [0.1, 1.0, 1e3, 1e6, 1e9] {
        stays_stable(factor, 300);
    }
}

#[test]
fn softer_trees_stay_bounded() {
    for factor in [1e-3, 1e-6] {
        stays_bounded(factor, 300);
    }
}

#[test]
#[ignore = "soak: cargo xtask soak"]
fn tree_is_stable_at_any_stiffness_for_two_minutes() {
    for factor in [0.1, 1.0, 1e3, 1e6, 1e9] {
        stays_stable(factor, TWO_MINUTES);
    }
    for factor in [1e-3, 1e-6] {
        stays_bounded(factor, TWO_MINUTES);
    }
}

/// The force of a pull is found by one step of Newton's method per frame, so a stiff one leaves what the tree springs back in a frame,
/// squared over the length of the branch.
#[test]
fn pull_of_any_strength_brings_the_point_to_its_target() {
    let way = Vec3::new(0.01, 0.0, 0.006);
    for stiffness in [1e2_f32, 1e3, 1e4, 1e8, f32::INFINITY] {
        let mut world = world_of(&trees::fork(), TreeOptions::default());
        let body = BodyId(9);
        let before = world.tree(TREE).pose(body).position;
        let pull = treesway::Pull::new(body, Vec3::ZERO, before + way, stiffness);
        let id = world.tree_mut(TREE).add_pull(pull);
        for _ in 0..900 {
            assert_eq!(world.step().healed, 0);
        }
        let tree = world.tree_mut(TREE);
        let left = tree.pose(body).position.distance(before + way);
        let force = tree.pull_force(id).expect("it still pulls").length();
        println!("{stiffness:e} N/m: {left:.1e} m from the target, {force:.1} N");
        if stiffness <= 1e4 {
            let spring = stiffness * left;
            assert!((force - spring).abs() < 0.05 * force, "{force} {spring}");
        } else {
            assert!(left < way.length_squared(), "{left}");
        }
        tree.release(id);
        for _ in 0..900 {
            world.step();
        }
        let left = world.tree(TREE).pose(body).position.distance(before);
        assert!(left < 1e-5, "{stiffness:e}: {left} m from the given pose");
    }
}
