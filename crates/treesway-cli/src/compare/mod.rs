//! `treesway compare`: what the solvers make of the same tree.

mod experiment;
mod hand_over;

use crate::arguments::{Compare, Contender};
use crate::{run, scene};
use anyhow::{Result, ensure};
use experiment::{Outcome, Subject};
use treesway::Tree;

/// Runs the experiments and prints a table per tree.
pub fn print(arguments: &Compare) -> Result<()> {
    let scene = scene::load(&arguments.scene, &[])?;
    if let Some(seconds) = arguments.hand_over {
        return hand_over::print(&scene, seconds);
    }
    let gravity = scene.file.environment.gravity;
    if arguments.csv {
        println!(
            "scene,tree,bodies,solver,substeps,sag_m,frequency_hz,damping_ratio,energy_kept,path_error,ms_per_frame"
        );
    }
    for (number, planted) in scene.plant()?.into_iter().enumerate() {
        let bodies = planted.tree.len();
        let subject = Subject::new(planted.tree, gravity);
        let rows = rows(&subject, &arguments.solvers)?;
        let name = &arguments.scene.scene;
        if arguments.csv {
            rows.iter().for_each(|r| r.print_csv(name, number, bodies));
        } else {
            println!(
                "{name}, tree {number}: {bodies} bodies, first mode {:.4} Hz",
                subject.frequency_hz()
            );
            if arguments.solvers.contains(&Contender::Calibrated) {
                println!(
                    "  calibrated: settings.inertia_scale = {}",
                    subject.inertia_scale()
                );
            }
            Row::print_header();
            rows.iter().for_each(Row::print);
        }
        if arguments.solvers.contains(&Contender::Explicit) && !arguments.csv {
            print_explicit_needs(&scene, number, gravity)?;
        }
    }
    Ok(())
}

struct Row {
    solver: Contender,
    outcome: Outcome,
    /// Largest distance of the tip from the reference's path over its largest swing.
    path_error: f64,
}

fn rows(subject: &Subject, solvers: &[Contender]) -> Result<Vec<Row>> {
    // The path is told against the reference, which runs whether or not it is shown.
    let reference = subject.run(Contender::Reference)?;
    let mut rows = Vec::new();
    for &solver in solvers {
        ensure!(!run::interrupted(), "interrupted");
        let outcome = match solver {
            Contender::Reference => reference.clone(),
            _ => subject.run(solver)?,
        };
        let path_error = outcome.path_error(&reference);
        rows.push(Row {
            solver,
            outcome,
            path_error,
        });
    }
    Ok(rows)
}

impl Row {
    fn name(&self) -> String {
        format!("{:?}", self.solver).to_lowercase()
    }

    fn print_header() {
        println!(
            "  {:<11} {:>9} {:>11} {:>10} {:>9} {:>9} {:>9} {:>11}",
            "solver", "substeps", "sag [m]", "freq [Hz]", "zeta [%]", "energy", "path", "ms/frame"
        );
    }

    fn print(&self) {
        let o = &self.outcome;
        println!(
            "  {:<11} {:>9} {:>11.5} {:>10.4} {:>9.2} {:>9.4} {:>8.1}% {:>11.4}",
            self.name(),
            o.substeps,
            o.sag_m,
            o.frequency_hz,
            100.0 * o.damping_ratio,
            o.energy_kept,
            100.0 * self.path_error,
            o.ms_per_frame
        );
    }

    fn print_csv(&self, scene: &str, tree: usize, bodies: usize) {
        let o = &self.outcome;
        println!(
            "{scene},{tree},{bodies},{},{},{},{},{},{},{},{}",
            self.name(),
            o.substeps,
            o.sag_m,
            o.frequency_hz,
            o.damping_ratio,
            o.energy_kept,
            self.path_error,
            o.ms_per_frame
        );
    }
}

/// Substeps per frame that forward Euler needs as a branch is cut more finely.
fn print_explicit_needs(
    scene: &treesway_io::Scene,
    number: usize,
    gravity: treesway::glam::Vec3,
) -> Result<()> {
    println!("  substeps that forward Euler needs per 1/30-s frame, by segments per branch:");
    for segments in [4, 8, 16, 32] {
        ensure!(!run::interrupted(), "interrupted");
        let Some(tree) = recut(scene, number, segments)? else {
            return Ok(());
        };
        let subject = Subject::new(tree, gravity);
        println!(
            "    {segments:>3} segments: {}",
            subject.explicit_substeps()?
        );
    }
    Ok(())
}

/// The same tree with every branch in that many pieces.
fn recut(scene: &treesway_io::Scene, number: usize, segments: u32) -> Result<Option<Tree>> {
    let Some(planted) = scene.plant_cut(segments)?.into_iter().nth(number) else {
        return Ok(None);
    };
    Ok(Some(planted.tree))
}
