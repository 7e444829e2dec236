//! How long a step takes: `RAYON_NUM_THREADS=1 cargo run --release -p treesway-grow --example step_speed -- 10000 coupled`. Prints ns per body and
//! step of the fastest of many frames, the vectors that it is stepped with, and the state hash after them. With a third number only so many
//! bodies move: then also how much longer a frame of the whole tree takes.

use std::time::Instant;
use treesway::glam::Vec3;
use treesway::{Simulated, Solver, Tree, TreeId, TreeOptions, Wind, World, cut};
use treesway_grow::Broadleaf;

/// Frames of which the fastest counts.
const FRAMES: u32 = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let bodies = arguments.next().map_or(Ok(10_000), |n| n.parse())?;
    let solver = match arguments.next().as_deref() {
        Some("analytic") => Solver::Analytic,
        None | Some("coupled") => Solver::Coupled,
        Some(other) => return Err(format!("solver {other}; expected analytic or coupled").into()),
    };
    let grown = Broadleaf {
        bodies,
        ..Broadleaf::default()
    }
    .grow(1)?;
    let mut options = TreeOptions::default();
    options.settings.solver = solver;
    let part: Option<u32> = arguments.next().map(|n| n.parse()).transpose()?;
    let mut world = World::default();
    world.add(Tree::build(&cut(&grown.skeleton, &grown.cut)?, options)?);
    world
        .fields
        .push(Box::new(Wind::steady(Vec3::new(6.0, 0.0, 0.0))));
    let frames = (FRAMES * 10_000 / bodies).clamp(5, FRAMES);
    let (mut frame, mut body) = fastest(&mut world, frames);
    if let Some(most) = part {
        let start = Instant::now();
        world.tree_mut(TreeId(0)).simulate_only(&Simulated {
            most_bodies: Some(most),
            ..Simulated::default()
        })?;
        let choosing = start.elapsed().as_secs_f64();
        let whole = frame;
        (frame, body) = fastest(&mut world, FRAMES);
        eprintln!(
            "{most} of {} bodies move: a frame takes {:.3} ms, one of the whole tree {:.1} times as long; choosing took {choosing:.2} s",
            world.trees()[0].len(),
            1e3 * frame,
            whole / frame
        );
    }
    println!(
        "{:.2} {} {:016x}",
        1e9 * body,
        world.trees()[0].isa().name(),
        world.state_hash()
    );
    Ok(())
}

/// s of the fastest frame, and of a body and step in it.
fn fastest(world: &mut World, frames: u32) -> (f64, f64) {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..frames {
        let start = Instant::now();
        let report = world.step();
        let secs = start.elapsed().as_secs_f64();
        if secs < best.0 {
            best = (secs, secs / report.bodies as f64);
        }
    }
    best
}
