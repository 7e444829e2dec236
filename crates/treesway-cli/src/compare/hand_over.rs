//! How well a tree without state takes over the motion of a simulated one.

use crate::run;
use anyhow::{Result, ensure};
use treesway::spectral::{BranchMotion, Fit, Recording, SpectralTree, SpectralWind, matches};
use treesway::{Solver, TreeId};
use treesway_io::{Scene, Simulation};

/// Before it is recorded, a tree has so long to settle into the wind, s.
const SETTLE_SECS: f64 = 5.0;

/// Simulates every tree of the scene and prints, level by level, what the spectral solver makes of it.
pub fn print(scene: &Scene, seconds: f64) -> Result<()> {
    let mut simulated = scene.build()?;
    let trees = simulated.world().trees().len();
    for i in 0..trees {
        simulated
            .world_mut()
            .tree_mut(TreeId(i))
            .set_solver(Solver::Coupled);
    }
    let models: Vec<(SpectralTree, SpectralWind)> = (0..trees)
        .map(|i| simulated.world().spectral(TreeId(i)))
        .collect();
    let seen = record(&mut simulated, &models, seconds)?;
    let mut by_itself = scene.build()?;
    let mut fitted = scene.build()?;
    for (i, (motions, (_, wind))) in seen.iter().zip(&models).enumerate() {
        by_itself
            .world_mut()
            .tree_mut(TreeId(i))
            .set_solver(Solver::Spectral);
        let tree = fitted.world_mut().tree_mut(TreeId(i));
        tree.set_solver(Solver::Spectral);
        tree.set_spectral_fit(Some(Fit {
            motions: motions.clone(),
            wind: *wind,
        }));
    }
    let before = record(&mut by_itself, &models, seconds)?;
    let after = record(&mut fitted, &models, seconds)?;
    for (i, (model, _)) in models.iter().enumerate() {
        let branches = &model.model.branches;
        println!("tree {i}: {} branches, {seconds} s", branches.len());
        println!(
            "  level branches           simulated        by itself           fitted   like the simulated, branch by branch"
        );
        println!(
            "                        swing     Hz     swing     Hz     swing     Hz   by itself  fitted"
        );
        let pairs = matches(branches, &seen[i], &before[i])
            .into_iter()
            .zip(matches(branches, &seen[i], &after[i]));
        for (level, (own, fit)) in pairs.enumerate() {
            println!(
                "  {level:5} {:8} {:12.4} {:6.2} {:9.4} {:6.2} {:9.4} {:6.2} {:11.2} {:7.2}",
                own.branches,
                own.swing[0],
                own.frequency[0],
                own.swing[1],
                own.frequency[1],
                fit.swing[1],
                fit.frequency[1],
                own.correlation,
                fit.correlation,
            );
        }
    }
    println!(
        "swing: standard deviation of tips in lengths of their branches; Hz: root of the mean square frequency"
    );
    Ok(())
}

/// What the branches of all trees do.
fn record(
    simulation: &mut Simulation,
    models: &[(SpectralTree, SpectralWind)],
    seconds: f64,
) -> Result<Vec<Vec<BranchMotion>>> {
    let frame_secs = simulation.world().frame_secs();
    let trees = simulation.world().trees().iter().zip(models);
    let mut recordings: Vec<Recording> = trees
        .map(|(tree, model)| Recording::new(tree, &model.0, frame_secs))
        .collect();
    let settle = (SETTLE_SECS / frame_secs) as u64;
    for frame in 0..settle + (seconds / frame_secs) as u64 {
        ensure!(!run::interrupted(), "interrupted");
        simulation.step();
        if frame >= settle {
            for (recording, tree) in recordings.iter_mut().zip(simulation.world().trees()) {
                recording.add(tree);
            }
        }
    }
    Ok(recordings.iter().map(Recording::motions).collect())
}
