//! Tuning a tree while it stands: curves, multipliers, overrides.

use crate::common::trees;
use std::time::Instant;
use treesway::glam::Vec3;
use treesway::{
    BodyId, BodyKind, ControlPoint, Curve, CurveMode, Curves, Override, QuantityCurve, Tree,
    TreeOptions,
};

fn multiplier(value: f32) -> Curves {
    Curves {
        bend: QuantityCurve {
            mode: CurveMode::Multiplier,
            points: Curve::constant(value),
        },
        ..Curves::default()
    }
}

fn over(body: u32, value: f32) -> Override {
    Override {
        body: BodyId(body),
        curves: multiplier(value),
        leaf_stiffness: Vec3::splat(value),
    }
}

#[test]
fn nearest_override_below_wins() {
    let desc = trees::pole(10, 3.0, 0.05, 0.02);
    let mut tree = Tree::build(&desc, TreeOptions::default()).expect("a pole is valid");
    let physical: Vec<f32> = tree.ids().map(|id| tree.body(id).stiffness.x).collect();
    let twist: Vec<f32> = tree.ids().map(|id| tree.body(id).stiffness.z).collect();
    let mut params = tree.params().clone();
    params.curves = multiplier(7.0);
    params.overrides = vec![over(6, 5.0), over(3, 2.0), over(8, 4.0), over(8, 3.0)];
    tree.set_params(params).expect("valid parameters");
    for (i, id) in tree.ids().enumerate() {
        let factor = match i {
            0..=2 => 7.0,
            3..=5 => 2.0,
            6..=7 => 5.0,
            _ => 3.0, // the later of two on one body
        };
        let found = tree.body(id).stiffness;
        assert!((found.x / (physical[i] * factor) - 1.0).abs() < 1e-6, "{i}");
        assert_eq!(found.z, twist[i], "twist has its own curve");
    }
}

#[test]
fn four_multipliers_act_on_branches_and_leaves_apart() {
    let desc = trees::fork();
    let plain = Tree::build(&desc, TreeOptions::default()).expect("valid");
    let mut tree = plain.clone();
    let mut params = tree.params().clone();
    params.multipliers.branch_stiffness = 2.0;
    params.multipliers.branch_damping = 3.0;
    params.multipliers.leaf_stiffness = 5.0;
    params.multipliers.leaf_damping = 7.0;
    tree.set_params(params).expect("valid parameters");
    for id in tree.ids() {
        let (before, after) = (plain.body(id), tree.body(id));
        let (stiffness, damping) = match before.kind {
            BodyKind::Leaf => (5.0, 7.0),
            BodyKind::Segment | BodyKind::Fruit => (2.0, 3.0),
        };
        assert!(
            (after.stiffness / before.stiffness - stiffness)
                .abs()
                .max_element()
                < 1e-5
        );
        assert!((after.damping_beta / before.damping_beta - damping).abs() < 1e-5);
    }
}

#[test]
fn absolute_curve_replaces_the_physical_value() {
    let desc = trees::pole(10, 3.0, 0.05, 0.02);
    let mut options = TreeOptions::default();
    options.params.curves.bend = QuantityCurve {
        mode: CurveMode::Absolute,
        points: Curve::constant(123.0),
    };
    let tree = Tree::build(&desc, options).expect("valid");
    for id in tree.ids() {
        assert_eq!(tree.body(id).stiffness.x, 123.0);
    }
}

/// k = 1/(a/(E I_p) + ℓ/(2 E I_c)) with both sections at the joint, and only the child's half at the base.
#[test]
fn stiffness_is_that_of_series_half_cells() {
    let desc = trees::pole(6, 3.0, 0.05, 0.02);
    let tree = Tree::build(&desc, TreeOptions::default()).expect("valid");
    for (i, id) in tree.ids().enumerate() {
        let body = tree.body(id);
        let (r, cell) = (f64::from(body.radius[0]), if i == 0 { 0.25 } else { 0.5 });
        let expected = 8e9 * core::f64::consts::FRAC_PI_4 * r.powi(4) / cell;
        assert!(
            (f64::from(body.stiffness.x) / expected - 1.0).abs() < 1e-5,
            "{i}"
        );
        assert_eq!(body.stiffness.x, body.stiffness.y);
        let twist = f64::from(body.stiffness.z) / f64::from(body.stiffness.x);
        assert!((twist - 2.0 / 16.0).abs() < 1e-6, "G J / E I = 2 G/E");
    }
}

/// Every drag of a control point evaluates the whole tree anew.
#[test]
fn re_evaluating_ten_thousand_bodies_is_quick() {
    let desc = trees::random_tree(10_000, 4);
    let mut tree = Tree::build(&desc, TreeOptions::default()).expect("valid");
    let mut best = f64::INFINITY;
    for i in 0..20 {
        let mut params = tree.params().clone();
        let points = [(0.002, 0.5), (0.01, 1.0 + 0.1 * i as f32), (0.1, 2.0)];
        params.curves.bend.points = Curve::new(
            points
                .map(|(radius, value)| ControlPoint { radius, value })
                .to_vec(),
        )
        .expect("a curve");
        params.overrides = vec![over(500, 2.0), over(1500, 3.0)];
        let start = Instant::now();
        tree.set_params(params).expect("valid parameters");
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("10,000 bodies re-evaluated in {:.2} ms", 1e3 * best);
    // Debug builds are slower; the bound is for the build that people use.
    if !cfg!(debug_assertions) {
        assert!(best < 0.010, "{best} s");
    }
}
