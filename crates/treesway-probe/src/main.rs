//! Grows trees, moves them and prints a hash of each: the same lines on every processor and for every width of vectors. `treesway-probe speed` prints
//! how long steps take instead, ns per body, and `treesway-probe vectors` which ones it has.
//!
//! A program of its own, without files, GPU and windows, so that it also runs where those are not: `cargo xtask portable` runs it natively, as
//! WebAssembly and as a program for ARM64.

use std::error::Error;
use std::time::Instant;
use treesway::glam::Vec3;
use treesway::{
    Ball, BodyId, Isa, Pull, Shelter, Solver, Tree, TreeId, TreeOptions, Wind, WindProfile,
    WindSettings, World, cut,
};
use treesway_grow::{Grown, Stems, Wanted, species};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    match std::env::args().nth(1).as_deref() {
        Some("speed") => return print_speeds(),
        Some("vectors") => {
            println!("{}", Isa::best().name());
            return Ok(());
        }
        _ => {}
    }
    for (name, case) in CASES {
        println!("{name} {:016x}", case()?);
    }
    Ok(())
}

type Case = fn() -> Outcome<u64>;

const CASES: [(&str, Case); 7] = [
    ("analytic", || pulled(Solver::Analytic)),
    ("coupled", || pulled(Solver::Coupled)),
    ("particles", || pulled(Solver::Particles)),
    ("spectral", || pulled(Solver::Spectral)),
    ("storm", storm),
    ("contact", kept_apart),
    ("ball", hit),
];

/// A grown tree as it stands in a world.
fn tree_of(grown: &Grown, change: impl FnOnce(&mut TreeOptions)) -> Outcome<Tree> {
    let mut options = TreeOptions::default();
    if let Some(params) = &grown.params {
        options.params = params.clone();
    }
    change(&mut options);
    Ok(Tree::build(&cut(&grown.skeleton, &grown.cut)?, options)?)
}

fn grown(name: &str, bodies: u32) -> Outcome<Grown> {
    let wanted = Wanted {
        bodies: Some(bodies),
        ..Wanted::default()
    };
    Ok(species::named(name)?.grow(7, &wanted)?)
}

/// Gusts that grow with height, weaker in the lee.
fn wind(speed: f32) -> Outcome<Wind> {
    Ok(Wind::new(WindSettings {
        velocity: Vec3::new(speed, 0.0, 0.3 * speed),
        profile: WindProfile {
            exponent: 0.2,
            ..WindProfile::default()
        },
        shelter: Shelter {
            strength: 1.0,
            ..Shelter::default()
        },
        ..WindSettings::default()
    })?)
}

/// The hash after so many frames.
fn moved(mut world: World, frames: u32) -> u64 {
    for _ in 0..frames {
        world.step();
    }
    world.state_hash()
}

/// An oak in the wind that somebody pulls at.
fn pulled(solver: Solver) -> Outcome<u64> {
    let mut world = World::default();
    // More bodies than a treelet has.
    let tree = tree_of(&grown("oak", 3000)?, |o| o.settings.solver = solver)?;
    let id = world.add(tree);
    world.fields.push(Box::new(wind(8.0)?));
    let tree = world.tree_mut(id);
    let held = BodyId(400);
    let target = tree.pose(held).position + Vec3::new(0.3, -0.2, 0.1);
    tree.add_pull(Pull::new(held, Vec3::ZERO, target, 500.0));
    Ok(moved(world, 30))
}

/// A maple that loses leaves and branches.
fn storm() -> Outcome<u64> {
    let mut world = World::default();
    world.add(tree_of(&grown("maple", 2000)?, |o| {
        o.params.breakage.factor = Some(0.3);
        o.params.shedding.leaf.hold = Some(20.0);
    })?);
    world.fields.push(Box::new(wind(25.0)?));
    Ok(moved(world, 30))
}

/// Stems and leaves that do not go through each other.
fn kept_apart() -> Outcome<u64> {
    let grown = Stems {
        stems: 14,
        leaves: 21,
        ..Stems::default()
    }
    .grow(1)?;
    let mut world = World::default();
    world.add(tree_of(&grown, |o| o.settings.solver = Solver::Contact)?);
    world.fields.push(Box::new(wind(8.0)?));
    Ok(moved(world, 60))
}

/// A ball thrown at a birch.
fn hit() -> Outcome<u64> {
    let mut world = World::default();
    world.add(tree_of(&grown("birch", 1000)?, |_| {})?);
    world.throw(Ball {
        position: Vec3::new(-4.0, 3.0, 0.0),
        velocity: Vec3::new(12.0, 2.0, 0.0),
        mass: 2.0,
        ..Ball::default()
    });
    Ok(moved(world, 45))
}

/// Frames that are timed at once, and how often: the fastest counts.
const FRAMES: u32 = 10;
const RUNS: u32 = 30;

/// Times steps of an oak of ten thousand bodies, with wind and without.
fn print_speeds() -> Outcome<()> {
    let oak = grown("oak", 10_000)?;
    for (name, solver) in [("analytic", Solver::Analytic), ("coupled", Solver::Coupled)] {
        for windy in [true, false] {
            let mut world = World::default();
            world.add(tree_of(&oak, |o| {
                o.settings.solver = solver;
                o.settings.substeps = 1;
            })?);
            if windy {
                let gusts = WindSettings {
                    velocity: Vec3::X * 3.0,
                    ..WindSettings::default()
                };
                world.fields.push(Box::new(Wind::new(gusts)?));
            }
            let steps = f64::from(FRAMES) * world.tree(TreeId(0)).len() as f64;
            let mut best = f64::INFINITY;
            for _ in 0..RUNS {
                let start = Instant::now();
                for _ in 0..FRAMES {
                    world.step();
                }
                best = best.min(1e9 * start.elapsed().as_secs_f64() / steps);
            }
            let air = if windy { "wind" } else { "calm" };
            println!("{name} {air} {best:.1}");
        }
    }
    Ok(())
}
