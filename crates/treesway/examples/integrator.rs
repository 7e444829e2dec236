//! Which spectral radius ρ∞ and how many substeps: frequency error and loss of a cantilever's first mode (a table of docs/THEORY.md).

use treesway::glam::Vec3;
use treesway::{GravityPose, Mode, Solver, Tree, TreeOptions, World, cut};
use treesway_grow::Beam;

fn main() {
    let grown = Beam {
        segments: 40,
        ..Beam::default()
    }
    .grow()
    .expect("a beam");
    let bodies = cut(&grown.skeleton, &grown.cut).expect("a beam can be cut");
    let mut options = TreeOptions::default();
    options.params.gravity_pose = GravityPose::Unloaded;
    options.params.wood.damping_beta = 0.0;
    options.settings.solver = Solver::Coupled;
    options.settings.least_damping_ratio = 0.0;
    let tree = Tree::build(&bodies, options).expect("a beam is a tree");
    let mode = tree.modes(1).remove(0);
    println!("| ρ∞, substeps | f₁h | frequency | lost per period |");
    println!("|---|--:|--:|--:|");
    for rho in [0.0, 0.5, 0.8, 0.9, 1.0] {
        for substeps in [1, 2, 4] {
            let swing = released(&tree, &mode, rho, substeps);
            let (frequency, loss) = measured(&swing);
            println!(
                "| {rho}, {substeps} | {:.3} | {:+.2} % | {:.2} % |",
                mode.frequency_hz / (30.0 * f64::from(substeps)),
                100.0 * (frequency / mode.frequency_hz - 1.0),
                100.0 * loss
            );
        }
    }
}

/// Ten seconds of the beam let go from its first mode, along that mode.
fn released(tree: &Tree, mode: &Mode, rho: f32, substeps: u32) -> Vec<f64> {
    let mut tree = tree.clone();
    let mut settings = tree.settings().clone();
    (settings.rho_infinity, settings.substeps) = (rho, substeps);
    tree.set_settings(settings).expect("valid settings");
    let weights: Vec<Vec3> = tree
        .ids()
        .map(|id| tree.body(id).stiffness * mode.turns[id.index()])
        .collect();
    for id in tree.ids() {
        tree.set_joint(id, mode.turns[id.index()] * 0.02, Vec3::ZERO);
    }
    tree.settle_world();
    let mut world = World::default();
    world.gravity = Vec3::ZERO;
    let tree = world.add(tree);
    (0..300)
        .map(|_| {
            world.step();
            let turns = world
                .tree(tree)
                .ids()
                .map(|id| world.tree(tree).body(id).theta);
            turns
                .zip(&weights)
                .map(|(theta, w)| f64::from(theta.dot(*w)))
                .sum()
        })
        .collect()
}

/// Frequency [Hz] from the zero crossings and loss of amplitude per period from the largest swings early and late.
fn measured(swing: &[f64]) -> (f64, f64) {
    let crossings: Vec<f64> = swing
        .windows(2)
        .enumerate()
        .filter(|(_, w)| w[0] > 0.0 && w[1] <= 0.0)
        .map(|(i, w)| i as f64 + w[0] / (w[0] - w[1]))
        .collect();
    let periods = (crossings.len() - 1) as f64;
    let frequency = periods / (crossings[crossings.len() - 1] - crossings[0]) * 30.0;
    let largest = |part: &[f64]| part.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
    let ratio = largest(&swing[200..]) / largest(&swing[..100]);
    (
        frequency,
        1.0 - ratio.powf(1.0 / (200.0 / 30.0 * frequency)),
    )
}
