//! Frequencies from the linearised model.

use crate::beam::{BASE, LENGTH, beam, first_frequency, frequency, released};
use std::f64::consts::TAU;
use treesway::{Solver, Tree, TreeOptions, cut};
use treesway_grow::Broadleaf;

#[test]
fn modes_of_a_beam_are_those_of_theory() {
    // kL of a uniform cantilever; each mode comes as a pair.
    let uniform = [1.8751_f64, 4.6941, 7.8548]
        .map(|k| k * k * (8e9_f64 / 800.0).sqrt() / (LENGTH * LENGTH) * 0.5 * BASE);
    let tapered = [23.289, 73.9, 165.23]
        .map(|l| l * (8e9_f64 / 800.0).sqrt() / (LENGTH * LENGTH) * 0.5 * BASE / 4.0);
    for (tip, theory) in [(BASE, uniform), (BASE / 4.0, tapered)] {
        let modes = beam(40, tip, Solver::Coupled).modes(6);
        for (k, omega) in theory.into_iter().enumerate() {
            for mode in &modes[2 * k..2 * k + 2] {
                let error = mode.frequency_hz * TAU / omega - 1.0;
                assert!(error.abs() < 0.004, "tip {tip}, mode {k}: {error}");
                assert!(mode.residual < 1e-6);
                assert_eq!(mode.damping_ratio, 0.0);
            }
        }
    }
}

#[test]
fn simulation_sways_at_the_frequency_of_the_first_mode() {
    let tree = beam(10, BASE / 4.0, Solver::Coupled);
    let mode = tree.first_frequency();
    let moved = frequency(&released(tree, 20, 600));
    assert!((moved / mode - 1.0).abs() < 1e-3, "{moved} {mode}");
    assert!((mode / first_frequency(BASE / 4.0) - 1.0).abs() < 1e-3);
}

#[test]
fn modes_of_a_large_tree_come_in_seconds() {
    let grown = Broadleaf {
        bodies: 100_000,
        ..Broadleaf::default()
    }
    .grow(3)
    .unwrap();
    let tree = Tree::build(
        &cut(&grown.skeleton, &grown.cut).unwrap(),
        TreeOptions::default(),
    )
    .unwrap();
    let start = std::time::Instant::now();
    let modes = tree.modes(10);
    println!("10 modes of {} bodies in {:?}", tree.len(), start.elapsed());
    println!(
        "{:.4?}",
        modes.iter().map(|m| m.frequency_hz).collect::<Vec<_>>()
    );
    assert_eq!(modes.len(), 10);
    assert!(
        modes.iter().all(|m| m.residual < 1e-3),
        "{:?}",
        modes.iter().map(|m| m.residual).collect::<Vec<_>>()
    );
    assert!(
        modes
            .windows(2)
            .all(|m| m[0].frequency_hz <= m[1].frequency_hz)
    );
    assert!(start.elapsed().as_secs() < 60);
}
