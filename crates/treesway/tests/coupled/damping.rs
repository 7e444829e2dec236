//! Damping by ratio, the damping floor, and the calibration of the analytic solver.

use crate::beam::{BASE, beam, released};
use treesway::glam::Vec3;
use treesway::{DampingRatio, GravityPose, Solver, Tree, TreeOptions, World, cut};
use treesway_grow::Broadleaf;

/// Share of critical damping from the decay of the swings between frames 30 and 150.
fn measured_ratio(heights: &[f64]) -> f64 {
    let tops: Vec<f64> = heights
        .windows(3)
        .filter(|w| w[1] > w[0] && w[1] >= w[2] && w[1] > 0.0)
        .map(top)
        .collect();
    let (first, last) = (2, (tops.len() - 1).min(14));
    let decrement = (tops[first] / tops[last]).ln() / (last - first) as f64;
    decrement / (decrement.powi(2) + std::f64::consts::TAU.powi(2)).sqrt()
}

/// Height of the parabola through three samples around a top.
fn top(w: &[f64]) -> f64 {
    let (slope, curve) = (0.5 * (w[2] - w[0]), w[2] - 2.0 * w[1] + w[0]);
    w[1] - 0.5 * slope * slope / curve
}

fn with_ratio(ratio: DampingRatio) -> Tree {
    let mut tree = beam(12, BASE, Solver::Coupled);
    let mut params = tree.params().clone();
    params.damping_ratio = Some(ratio);
    // Slow enough for frames to sample its swings well.
    params.multipliers.branch_stiffness = 0.1;
    tree.set_params(params).unwrap();
    tree
}

#[test]
fn damping_ratio_of_the_first_mode_is_what_was_asked() {
    for zeta in [0.02_f32, 0.05, 0.1] {
        let tree = with_ratio(DampingRatio {
            zeta,
            range_hz: None,
        });
        let mode = &tree.modes(1)[0];
        assert!(
            (mode.damping_ratio / f64::from(zeta) - 1.0).abs() < 1e-3,
            "{}",
            mode.damping_ratio
        );
    }
    let low = with_ratio(DampingRatio {
        zeta: 0.03,
        range_hz: None,
    });
    let mode = low.modes(1)[0].frequency_hz as f32;
    let both = with_ratio(DampingRatio {
        zeta: 0.03,
        range_hz: Some([mode, 6.0 * mode]),
    });
    let ratios: Vec<f64> = both.modes(4).iter().map(|m| m.damping_ratio).collect();
    assert!((ratios[0] - 0.03).abs() < 1e-3, "{ratios:?}");
    assert!(
        ratios[2] < 0.032,
        "between the ends it does not grow: {ratios:?}"
    );
}

#[test]
fn swings_decay_as_the_damping_ratio_says() {
    let mut tree = beam(12, BASE, Solver::Coupled);
    let mut params = tree.params().clone();
    params.multipliers.branch_stiffness = 0.1;
    tree.set_params(params.clone()).unwrap();
    let omega = std::f64::consts::TAU * tree.first_frequency();
    // `released` restores these parameters when it lets go.
    params.wood.damping_beta = (2.0 * 0.04 / omega) as f32;
    tree.set_params(params).unwrap();
    let ratio = measured_ratio(&released(tree, 20, 400));
    assert!((ratio / 0.04 - 1.0).abs() < 0.03, "{ratio}");
}

#[test]
fn damping_floor_reaches_every_mode() {
    let mut tree = beam(12, BASE, Solver::Coupled);
    let mut settings = tree.settings().clone();
    settings.least_damping_ratio = 0.01;
    tree.set_settings(settings).unwrap();
    for mode in tree.modes(6) {
        // The estimate of the first frequency is from above and within a few per cent.
        assert!(mode.damping_ratio > 0.0095, "{}", mode.damping_ratio);
    }
    assert!(tree.modes(1)[0].damping_ratio < 0.0105);
}

/// Four times the time after which the tree, let go from its first mode, passes through rest along that mode, as a frequency, Hz. The
/// joints of the analytic solver swing apart later; this is where its first frequency can be told.
fn first_passage(mut tree: Tree) -> f64 {
    let mode = tree.modes(1).remove(0);
    let weights: Vec<Vec3> = tree
        .ids()
        .map(|id| tree.body(id).stiffness * mode.turns[id.index()])
        .collect();
    for id in tree.ids() {
        tree.set_joint(id, mode.turns[id.index()] * 0.02, Vec3::ZERO);
    }
    tree.settle_world();
    let frames_per_second = 600.0;
    let mut world = World::new(1.0 / frames_per_second);
    world.gravity = Vec3::ZERO;
    let tree = world.add(tree);
    let along = |world: &World| -> f64 {
        let bodies = world
            .tree(tree)
            .ids()
            .map(|id| world.tree(tree).body(id).theta);
        bodies
            .zip(&weights)
            .map(|(theta, w)| f64::from(theta.dot(*w)))
            .sum()
    };
    let mut last = along(&world);
    loop {
        world.step();
        let now = along(&world);
        if now <= 0.0 {
            let passage = world.seconds() - now / (now - last) / frames_per_second;
            return 1.0 / (4.0 * passage);
        }
        last = now;
    }
}

#[test]
fn calibrated_analytic_solver_sways_at_the_true_frequency() {
    let grown = Broadleaf {
        bodies: 1000,
        ..Broadleaf::default()
    }
    .grow(2)
    .unwrap();
    let mut options = TreeOptions::default();
    options.params.wood.damping_beta = 0.0;
    options.params.leaf.damping_beta = 0.0;
    options.params.gravity_pose = GravityPose::Unloaded;
    let tree = Tree::build(&cut(&grown.skeleton, &grown.cut).unwrap(), options).unwrap();
    let beams = [5, 10, 20, 40].map(|n| beam(n, BASE / 4.0, Solver::Analytic));
    for mut tree in beams.into_iter().chain([tree]) {
        let truth = tree.first_frequency();
        let before = first_passage(tree.clone());
        let mut settings = tree.settings().clone();
        settings.inertia_scale = tree.analytic_inertia_scale();
        tree.set_settings(settings).unwrap();
        let after = first_passage(tree.clone());
        println!(
            "{} bodies: true {truth:.3} Hz, analytic {before:.3} Hz, calibrated {after:.3} Hz",
            tree.len()
        );
        assert!(
            (after / truth - 1.0).abs() < 0.02,
            "{} bodies: {after} {truth}",
            tree.len()
        );
    }
}

#[test]
fn fitted_tree_sways_as_measured() {
    let grown = Broadleaf {
        bodies: 1000,
        ..Broadleaf::default()
    }
    .grow(2)
    .unwrap();
    let mut options = TreeOptions::default();
    options.settings.solver = Solver::Coupled;
    let mut tree = Tree::build(&cut(&grown.skeleton, &grown.cut).unwrap(), options).unwrap();
    let params = tree.fit(0.6, 0.08).unwrap();
    tree.set_params(params).unwrap();
    let mode = &tree.modes(1)[0];
    assert!(
        (mode.frequency_hz / 0.6 - 1.0).abs() < 1e-3,
        "{}",
        mode.frequency_hz
    );
    assert!(
        (mode.damping_ratio / 0.08 - 1.0).abs() < 1e-2,
        "{}",
        mode.damping_ratio
    );
    assert!(tree.fit(f64::NAN, 0.1).is_err());
    assert!(tree.fit(0.0, 0.1).is_err());
}
