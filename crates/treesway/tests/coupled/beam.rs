//! Cantilevers against Euler and Bernoulli.

use std::f64::consts::{FRAC_PI_4, PI, TAU};
use treesway::glam::Vec3;
use treesway::{
    BodyId, Branch, CutOptions, GravityPose, Load, Skeleton, Solver, Tree, TreeOptions, World, cut,
};

pub const LENGTH: f64 = 4.0;
pub const BASE: f64 = 0.04;
const E: f64 = 8e9;
const DENSITY: f64 = 800.0;

/// A horizontal wooden beam of n segments without gravity pose, solved by the coupled solver without damping of any kind.
pub fn beam(n: u32, tip: f64, solver: Solver) -> Tree {
    let nodes = [
        (Vec3::ZERO, BASE as f32),
        (Vec3::X * LENGTH as f32, tip as f32),
    ];
    let skeleton = Skeleton {
        branches: vec![Branch::trunk(nodes)],
        ..Skeleton::default()
    };
    let options = CutOptions {
        least_segments: n,
        most_segments: n,
        ..CutOptions::default()
    };
    let mut tree = TreeOptions::default();
    tree.params.gravity_pose = GravityPose::Unloaded;
    tree.params.wood.damping_beta = 0.0;
    tree.settings.solver = solver;
    tree.settings.least_damping_ratio = 0.0;
    Tree::build(&cut(&skeleton, &options).unwrap(), tree).unwrap()
}

/// First frequency in theory, Hz. Taper 1:4 by the published λ₁ = 23.289 on the tip's diameter.
pub fn first_frequency(tip: f64) -> f64 {
    let wave = (E / DENSITY).sqrt() / (LENGTH * LENGTH);
    if tip == BASE {
        1.8751_f64.powi(2) * wave * (0.5 * BASE) / TAU
    } else {
        assert_eq!(BASE / tip, 4.0);
        23.289 * wave * (0.5 * tip) / TAU
    }
}

/// Tip of a beam under its own weight in theory, m, by quadrature of the bending moment.
fn sag(tip: f64) -> f64 {
    let n = 100_000;
    let dx = LENGTH / f64::from(n);
    let radius = |x: f64| BASE + (tip - BASE) * x / LENGTH;
    let (mut weight, mut moment, mut sum) = (0.0, 0.0, 0.0);
    for i in (0..n).rev() {
        let x = (f64::from(i) + 0.5) * dx;
        let q = DENSITY * PI * radius(x).powi(2) * 9.81;
        moment += (weight + 0.5 * q * dx) * dx;
        weight += q * dx;
        sum += moment / (E * FRAC_PI_4 * radius(x).powi(4)) * (LENGTH - x) * dx;
    }
    sum
}

/// The beam bent sideways by a load at its tip and let go: heights of the tip at every frame.
pub fn released(tree: Tree, substeps: u32, frames: usize) -> Vec<f64> {
    let mut world = World::default();
    world.gravity = Vec3::ZERO;
    let tip = BodyId(tree.len() as u32 - 1);
    let tree = world.add(tree);
    let calm = world.tree(tree).params().clone();
    let mut settings = world.tree(tree).settings().clone();
    settings.substeps = substeps;
    world.tree_mut(tree).set_settings(settings).unwrap();
    let mut damped = calm.clone();
    damped.wood.damping_beta = 0.2;
    world.tree_mut(tree).set_params(damped).unwrap();
    world
        .tree_mut(tree)
        .add_load(Load::force(tip, Vec3::ZERO, Vec3::Y * 2.0).held());
    while world.seconds() < 10.0 {
        world.step();
    }
    world.tree_mut(tree).set_params(calm).unwrap();
    world.tree_mut(tree).clear_loads();
    let mut heights = vec![f64::from(world.tree(tree).tip(tip).y)];
    for _ in 0..frames {
        let report = world.step();
        assert_eq!(report.healed, 0);
        heights.push(f64::from(world.tree(tree).tip(tip).y));
    }
    heights
}

/// Mean frequency from the downward zero crossings, Hz.
pub fn frequency(heights: &[f64]) -> f64 {
    let crossings: Vec<f64> = heights
        .windows(2)
        .enumerate()
        .filter(|(_, w)| w[0] > 0.0 && w[1] <= 0.0)
        .map(|(i, w)| i as f64 + w[0] / (w[0] - w[1]))
        .collect();
    let (first, last) = (crossings[0], crossings[crossings.len() - 1]);
    (crossings.len() - 1) as f64 / (last - first) * 30.0
}

#[test]
fn cantilever_sways_at_its_own_frequency_however_it_is_cut() {
    for tip in [BASE, BASE / 4.0] {
        let theory = first_frequency(tip);
        // f₁·h: 2 substeps of a 1/30-s frame.
        assert!(theory / 60.0 <= 0.075);
        let measured: Vec<f64> = [10, 20, 40]
            .map(|n| frequency(&released(beam(n, tip, Solver::Coupled), 2, 600)))
            .to_vec();
        println!("tip {tip} m: theory {theory:.4} Hz, n = 10, 20, 40: {measured:.4?}");
        for f in &measured {
            assert!(
                (f / theory - 1.0).abs() < 0.02,
                "{f} Hz, theory {theory} Hz"
            );
        }
        let change = measured[2] / measured[0] - 1.0;
        assert!(change.abs() < 0.01, "from 10 to 40 segments {change}");
    }
}

#[test]
fn analytic_frequency_grows_with_the_square_root_of_segments() {
    let theory = first_frequency(BASE);
    let ratios = [5, 10, 20, 40]
        .map(|n| frequency(&released(beam(n, BASE, Solver::Analytic), 8, 150)) / theory);
    println!("analytic over Euler–Bernoulli at 5, 10, 20, 40 segments: {ratios:.2?}");
    for pair in ratios.windows(2) {
        // Doubling the segments raises it by about √2; the joints drift apart, so the measured mean scatters.
        assert!(pair[1] > 1.15 * pair[0], "{ratios:?}");
    }
}

#[test]
fn cantilever_sags_as_beam_theory_says() {
    for tip in [BASE, BASE / 4.0] {
        for n in [10, 20, 40] {
            let mut tree = beam(n, tip, Solver::Coupled);
            let mut params = tree.params().clone();
            // A hundred times as stiff, so that the linear theory holds; well damped, so that it comes to rest.
            params.multipliers.branch_stiffness = 100.0;
            params.wood.damping_beta = 0.2;
            tree.set_params(params).unwrap();
            let mut world = World::default();
            let tree = world.add(tree);
            for _ in 0..600 {
                world.step();
            }
            let sum: f64 = lowered(world.tree(tree));
            let theory = sag(tip) / 100.0;
            let error = sum / theory - 1.0;
            assert!(
                error.abs() < 1.1 / f64::from(n * n),
                "n {n}, tip {tip}: {error}"
            );
        }
    }
}

/// How far the tip lies below the base, recomposed in f64 from the joint angles, m.
fn lowered(tree: &Tree) -> f64 {
    // A plane bend: the horizontal beam turns about the world's z.
    let (mut angle, mut y) = (0.0, 0.0);
    for id in tree.ids() {
        let body = tree.body(id);
        let axis = body.pose.rotation.inverse() * Vec3::Z;
        angle += f64::from(body.theta.dot(axis));
        y += f64::from(body.length) * angle.sin();
    }
    -y
}

#[test]
fn first_mode_keeps_its_amplitude() {
    let heights = released(beam(20, BASE / 4.0, Solver::Coupled), 2, 900);
    let largest = |part: &[f64]| part.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
    // After 5 s only the first mode is left of what the load bent.
    let (early, late) = (largest(&heights[150..300]), largest(&heights[750..900]));
    let periods = 20.0 * first_frequency(BASE / 4.0);
    let loss = 1.0 - (late / early).powf(1.0 / periods);
    println!("amplitude lost per period: {:.3} %", loss * 100.0);
    assert!((-1e-4..0.01).contains(&loss), "{loss}");
}
