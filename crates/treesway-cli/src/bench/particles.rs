//! How fast the particle tree is: 255 branches, their curves and their skin, beside the frame rates of the paper (L-systems and particles, §7.1), and how many steps a
//! frame its own scheme needs.

use crate::run::on_threads;
use anyhow::{Context, Result};
use std::time::Instant;
use treesway::TreeId;
use treesway::glam::Vec3;
use treesway_io::Simulation;
use treesway_skin::{CurveSkin, CurveVertex};

const TREE: TreeId = TreeId(0);
/// Pieces of curve per branch, in the paper and here.
const RESOLUTION: u32 = 3;
/// Frames per second of the paper on an SGI O2 and on an Onyx2, drawing included.
const PAPER: [f64; 2] = [6.0, 30.0];
/// Runs, of which the fastest counts, and frames of a run.
const RUNS: [u32; 2] = [60, 100];
/// Steps a frame beyond which the printed scheme is given up.
const MOST_STEPS: u32 = 4096;

/// Of the scene `particles`, with further settings.
fn simulation(settings: &[String]) -> Result<Simulation> {
    let scene = treesway_scenes::find("particles")?.load(settings)?;
    Ok(scene.build()?)
}

/// The same with the printed scheme in so many steps a frame.
fn printed(steps: u32) -> Result<Simulation> {
    simulation(&[
        "tree.settings.particles.scheme=\"as-printed\"".into(),
        format!("tree.settings.substeps={steps}"),
    ])
}

/// Prints all of it.
pub fn print() -> Result<()> {
    let steps = steps_as_printed()?;
    let times = on_threads(1, || Times::of(steps))??;
    println!(
        "255 branches in a gusty wind at steps of 1/30 s, on one thread; best of {} runs.\n",
        RUNS[0]
    );
    println!("| | µs a frame | frames/s | × 20,000 | × paper |");
    println!("|---|---|---|---|---|");
    let rows = [
        ("step", times.step),
        ("with curves at resolution 3", times.step + times.curves),
        (
            "with rings of eight vertices",
            times.step + times.curves + times.rings,
        ),
    ];
    for (name, secs) in rows {
        let rate = 1.0 / secs;
        println!(
            "| {name} | {:.1} | {rate:.0} | {:.2} | {:.0} and {:.0} |",
            1e6 * secs,
            rate / 20_000.0,
            rate / PAPER[0],
            rate / PAPER[1]
        );
    }
    println!(
        "\nThe printed scheme needs {steps} steps a frame to stay as calm as the closed form; its frame takes {:.1} times as long.",
        times.printed / times.step
    );
    Ok(())
}

/// Seconds a frame.
struct Times {
    step: f64,
    curves: f64,
    rings: f64,
    /// A step by the printed scheme in as many parts as it needs.
    printed: f64,
}

impl Times {
    /// Measures all in turn, so that they meet the same disturbances of the machine.
    fn of(steps: u32) -> Result<Self> {
        let (mut closed, mut printed) = (simulation(&[])?, printed(steps)?);
        let mut skin = CurveSkin::new(closed.world().tree(TREE), RESOLUTION, CurveSkin::SIDES);
        let mut vertices: Vec<CurveVertex> = Vec::new();
        let mut best = [f64::INFINITY; 4];
        let [runs, frames] = RUNS;
        for _ in 0..runs {
            let mut sums = [0.0; 4];
            for _ in 0..frames {
                let mut time = |stage: usize, work: &mut dyn FnMut()| {
                    let start = Instant::now();
                    work();
                    sums[stage] += start.elapsed().as_secs_f64();
                };
                time(0, &mut || {
                    closed.world_mut().step();
                });
                time(1, &mut || skin.bend(closed.world().tree(TREE)));
                time(2, &mut || skin.vertices(&mut vertices));
            }
            // Long, so once in a while is enough.
            let start = Instant::now();
            (0..frames / 20).for_each(|_| {
                printed.world_mut().step();
            });
            sums[3] = 20.0 * start.elapsed().as_secs_f64();
            for (best, sum) in best.iter_mut().zip(sums) {
                *best = best.min(sum / f64::from(frames));
            }
        }
        let [step, curves, rings, printed] = best;
        Ok(Self {
            step,
            curves,
            rings,
            printed,
        })
    }
}

/// The fewest steps a frame, doubled until they do, with which the printed scheme has no more than four times the energy of the closed form after five seconds of
/// the same wind.
fn steps_as_printed() -> Result<u32> {
    let energy = |mut simulation: Simulation| {
        for _ in 0..150 {
            simulation.step();
        }
        simulation.world().tree(TREE).energy(Vec3::ZERO).total()
    };
    let calm = energy(simulation(&[])?);
    let mut steps = 1;
    while steps <= MOST_STEPS {
        // An energy that is no number is not calm either.
        if energy(printed(steps)?) <= 4.0 * calm {
            return Ok(steps);
        }
        steps *= 2;
    }
    Err(anyhow::anyhow!("none of {MOST_STEPS} steps")).context("the printed scheme stays restless")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `cargo test --release -p treesway-cli particles -- --ignored --nocapture`
    #[test]
    #[ignore = "a measurement, for a quiet machine and a release build: cargo xtask soak"]
    fn at_least_20_000_frames_a_second_with_curves() {
        let times = on_threads(1, || Times::of(1)).unwrap().unwrap();
        let rate = 1.0 / (times.step + times.curves);
        assert!(rate >= 20_000.0, "{rate}");
    }

    #[test]
    fn the_printed_scheme_needs_many_steps() {
        let steps = steps_as_printed().unwrap();
        assert!((4..=MOST_STEPS).contains(&steps), "{steps}");
    }
}
