//! What the analytic solver cannot do, in numbers: the two tables of `docs/THEORY.md`.
//!
//! A uniform wooden cantilever of n segments, without gravity, is let go from the shape of a tip load.
//!
//! `cargo run --release -p treesway --example limits`

use nalgebra::DMatrix;
use std::f64::consts::TAU;
use treesway::glam::Vec3;
use treesway::{
    BodyId, Branch, BuildError, CutOptions, Fictitious, GravityPose, Skeleton, Solver, Tree,
    TreeOptions, World, cut,
};

const LENGTH: f32 = 4.0; // m
const RADIUS: f32 = 0.04; // m
/// Bend of the base joint at the start, rad: small enough for eight decades of growth.
const AMPLITUDE: f32 = 1e-9;

/// The beam at rest in its released shape, steps of `h` s.
fn beam(n: u32, h: f64, damping: f32, fictitious: Fictitious) -> Result<World, BuildError> {
    let trunk = Branch::trunk([(Vec3::ZERO, RADIUS), (Vec3::X * LENGTH, RADIUS)]);
    let skeleton = Skeleton {
        branches: vec![trunk],
        ..Skeleton::default()
    };
    let cut_options = CutOptions {
        segment_length: LENGTH / n as f32,
        most_segments: n,
        ..CutOptions::default()
    };
    let mut options = TreeOptions::default();
    options.settings.solver = Solver::Analytic;
    options.params.gravity_pose = GravityPose::Unloaded;
    options.params.multipliers.branch_damping = damping;
    options.settings.fictitious = fictitious;
    let mut tree = Tree::build(&cut(&skeleton, &cut_options)?, options)?;
    // Bends as a force at the tip would: (L − x)/k.
    let base = tree.body(BodyId(0)).stiffness.y;
    for id in tree.ids() {
        let lever = 1.0 - id.0 as f32 / n as f32;
        let theta = AMPLITUDE * lever * base / tree.body(id).stiffness.y;
        tree.set_joint(id, Vec3::Y * theta, Vec3::ZERO);
    }
    tree.settle_world();
    let mut world = World::new(h);
    world.gravity = Vec3::ZERO;
    world.add(tree);
    Ok(world)
}

/// First frequency by beam theory, Hz: (1.8751…)² √(E I/(ρ A L⁴)) / 2π.
fn beam_theory(tree: &Tree) -> f64 {
    let (wood, r) = (&tree.params().wood, f64::from(RADIUS));
    let speed = (f64::from(wood.youngs_modulus) / f64::from(wood.density)).sqrt();
    3.516_015_269 * speed * 0.5 * r / f64::from(LENGTH).powi(2) / TAU
}

/// First frequency of the same rigid segments and springs, all coupled, Hz: planar small motion, M θ̈ + K θ = 0.
fn coupled(tree: &Tree) -> f64 {
    let bodies: Vec<_> = tree.ids().map(|id| tree.body(id)).collect();
    let n = bodies.len();
    let x = |i: usize| f64::from(LENGTH) * i as f64 / n as f64;
    let mass = |i: usize, j: usize| -> f64 {
        let beyond = bodies.iter().enumerate().skip(i.max(j));
        let term = |(k, b): (usize, &treesway::Body)| {
            let com = x(k) + f64::from(b.com_in_body.z);
            f64::from(b.mass) * (com - x(i)) * (com - x(j)) + f64::from(b.inertia.y)
        };
        beyond.map(term).sum()
    };
    let k = |i: usize| f64::from(bodies[i].stiffness.y);
    // ω² is one over the largest eigenvalue of K^(−½) M K^(−½).
    let scaled = DMatrix::from_fn(n, n, |i, j| mass(i, j) / (k(i) * k(j)).sqrt());
    1.0 / scaled.symmetric_eigenvalues().max().sqrt() / TAU
}

/// Frequency of the base joint, Hz, from its downward passages through zero in ten periods of `about` Hz.
fn measured(n: u32, about: f64, fictitious: Fictitious) -> Result<f64, BuildError> {
    let h = 1.0 / (100.0 * about);
    let mut world = beam(n, h, 0.0, fictitious)?;
    let angle = |w: &World| f64::from(w.trees()[0].body(BodyId(0)).theta.y);
    let (mut before, mut passages) = (angle(&world), Vec::new());
    for step in 0..1000 {
        world.step();
        let now = angle(&world);
        if before > 0.0 && now <= 0.0 {
            passages.push((f64::from(step) + before / (before - now)) * h);
        }
        before = now;
    }
    let periods = passages.len() - 1;
    Ok(periods as f64 / (passages[periods] - passages[0]))
}

fn frequencies() -> Result<(), BuildError> {
    println!(
        "| segments | analytic, Hz | with Eq. 20, Hz | coupled, Hz | beam theory, Hz | analytic/beam | /√n |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    for n in [1, 2, 4, 8, 16, 32, 64] {
        let world = beam(n, 1.0, 0.0, Fictitious::off())?;
        let tree = &world.trees()[0];
        let (exact, coupled) = (beam_theory(tree), coupled(tree));
        let about = exact * 0.7 * f64::from(n).sqrt();
        let alone = measured(n, about, Fictitious::off())?;
        let with = measured(n, about, Fictitious::paper())?;
        let ratio = alone / exact;
        println!(
            "| {n} | {alone:.3} | {with:.3} | {coupled:.3} | {exact:.3} | {ratio:.3} | {:.3} |",
            ratio / f64::from(n).sqrt()
        );
    }
    Ok(())
}

/// Largest bend of any joint in 4 s, in units of the largest at the start.
fn growth(n: u32, h: f64, damping: f32, internal: f32) -> Result<f32, BuildError> {
    let fictitious = Fictitious {
        internal,
        ..Fictitious::paper()
    };
    let mut world = beam(n, h, damping, fictitious)?;
    let largest = |w: &World| {
        let tree = &w.trees()[0];
        let bends = tree.ids().map(|id| tree.body(id).theta.length());
        bends.fold(0.0, f32::max)
    };
    let start = largest(&world);
    let mut most = start;
    for _ in 0..(4.0 / h).round() as u32 {
        world.step();
        most = most.max(largest(&world));
    }
    Ok(most / start)
}

fn amplification() -> Result<(), BuildError> {
    let steps = [30.0, 120.0, 480.0, 1920.0];
    let head = steps.map(|s| format!("h = 1/{s} s")).join(" | ");
    println!("| segments | β, s | {head} |");
    println!("|--:|--:|--:|--:|--:|--:|");
    let mut without = 0.0_f32;
    for n in [2, 5, 10, 15, 20] {
        for damping in [1.0, 0.1, 0.0] {
            let mut row = Vec::new();
            for s in steps {
                row.push(format!("{:.1e}", growth(n, 1.0 / s, damping, 1.0)?));
                without = without.max(growth(n, 1.0 / s, damping, 0.0)?);
            }
            println!("| {n} | {} | {} |", 0.01 * damping, row.join(" | "));
        }
    }
    println!("\nThe largest of all these with `internal` at 0: {without:.1}");
    Ok(())
}

fn main() -> Result<(), BuildError> {
    let size = format!("{LENGTH} m long, radius {} cm", 100.0 * RADIUS);
    println!("First frequency of a uniform cantilever, {size}\n");
    frequencies()?;
    println!("\nLargest growth of any joint's bend in 4 s with Eq. 20 as printed\n");
    amplification()
}
