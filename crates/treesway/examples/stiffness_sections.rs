//! Where a half-cell should take its cross-section: sag of a beam cut into n rigid segments, by five rules.
//!
//! A joint's spring stands for the wood between the middles of its two bodies (`docs/THEORY.md`). The moment is right at the
//! joint only, so the rule that samples the section there too is the trapezoidal rule of beam theory and wins.
//! The row "at the joint" is computed with the engine's own springs.
//!
//! `cargo run --release -p treesway --example stiffness_sections`

use std::f64::consts::PI;
use treesway::glam::Vec3;
use treesway::{Branch, BuildError, CutOptions, Skeleton, Tree, TreeOptions, cut};

const LENGTH: f64 = 4.0; // m
const E: f64 = 8e9; // Pa
const WEIGHT: f64 = 800.0 * 9.81; // N/m³
const SEGMENTS: [usize; 5] = [5, 10, 20, 40, 80];

/// ∫ ds/I over a cone of length `s` from radius `a` to `b`, m⁻³; I = π r⁴/4.
fn cone(s: f64, a: f64, b: f64) -> f64 {
    4.0 / PI * s * (a * a + a * b + b * b) / (3.0 * (a * b).powi(3))
}

fn second_moment(r: f64) -> f64 {
    PI / 4.0 * r.powi(4)
}

/// ∫ ds/I over half of a segment of length `l` from radius `near` at the joint to `far`, m⁻³, by each rule.
type Rule = (&'static str, fn(l: f64, near: f64, far: f64) -> f64);
const RULES: [Rule; 4] = [
    ("1/I integrated over the half", |l, near, far| {
        cone(0.5 * l, near, 0.5 * (near + far))
    }),
    ("I at the middle of the body", |l, near, far| {
        0.5 * l / second_moment(0.5 * (near + far))
    }),
    ("mean I of the body", |l, a, b| {
        let mean = (a.powi(4) + a.powi(3) * b + a * a * b * b + a * b.powi(3) + b.powi(4)) / 5.0;
        0.5 * l / (PI / 4.0 * mean)
    }),
    ("mean 1/I of the body", |l, near, far| {
        0.5 * cone(l, near, far)
    }),
];

/// Compliance of every joint by a rule, rad/(N·m).
fn compliance(n: usize, radius: impl Fn(f64) -> f64, half: Rule) -> Vec<f64> {
    let l = LENGTH / n as f64;
    let r = |i: usize| radius(i as f64 * l);
    let cell = |j: usize| {
        let below = if j == 0 {
            0.0
        } else {
            half.1(l, r(j), r(j - 1))
        };
        (below + half.1(l, r(j), r(j + 1))) / E
    };
    (0..n).map(cell).collect()
}

/// Compliance of every joint in the engine, rad/(N·m).
fn engine_compliance(n: usize, base: f32, tip: f32) -> Result<Vec<f64>, BuildError> {
    let trunk = Branch::trunk([(Vec3::ZERO, base), (Vec3::X * LENGTH as f32, tip)]);
    let skeleton = Skeleton {
        branches: vec![trunk],
        ..Skeleton::default()
    };
    let options = CutOptions {
        segment_length: LENGTH as f32 / n as f32,
        most_segments: n as u32,
        ..CutOptions::default()
    };
    let tree = Tree::build(&cut(&skeleton, &options)?, TreeOptions::default())?;
    let stiffness = |id| f64::from(tree.body(id).stiffness.x);
    Ok(tree.ids().map(|id| 1.0 / stiffness(id)).collect())
}

/// Moment of the weight beyond `x` about `x`, N·m, for a radius that falls linearly: exact.
fn moment(x: f64, radius: impl Fn(f64) -> f64) -> f64 {
    let (s, a, b) = (LENGTH - x, radius(x), radius(LENGTH));
    WEIGHT * PI * s * s / 12.0 * (a * a + 2.0 * a * b + 3.0 * b * b)
}

/// Small sag of the tip, m.
fn sag(compliance: &[f64], radius: impl Fn(f64) -> f64) -> f64 {
    let l = LENGTH / compliance.len() as f64;
    let turned = |(j, c): (usize, &f64)| {
        let x = j as f64 * l;
        c * moment(x, &radius) * (LENGTH - x)
    };
    compliance.iter().enumerate().map(turned).sum()
}

/// Small sag of the tip by beam theory, m: ∫ M (L − x)/(E I) dx by Simpson's rule.
fn theory(radius: impl Fn(f64) -> f64) -> f64 {
    let n = 20_000;
    let f = |i: usize| {
        let x = LENGTH * i as f64 / n as f64;
        moment(x, &radius) * (LENGTH - x) / (E * second_moment(radius(x)))
    };
    let inner: f64 = (1..n)
        .map(|i| f(i) * if i % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    (f(0) + inner + f(n)) * LENGTH / n as f64 / 3.0
}

fn row(name: &str, errors: impl Iterator<Item = f64>) {
    let cells: Vec<String> = errors.map(|e| format!("{e:6.2}")).collect();
    println!("| {name:<28} | {} |", cells.join(" | "));
}

fn main() -> Result<(), BuildError> {
    println!("n² · (sag / beam theory − 1)\n");
    for (base, tip) in [(0.04_f32, 0.04_f32), (0.04, 0.02), (0.04, 0.01)] {
        let (a, b) = (f64::from(base), f64::from(tip));
        let radius = move |x: f64| a + (b - a) * x / LENGTH;
        let exact = theory(radius);
        let error = |n: usize, c: &[f64]| (n * n) as f64 * (sag(c, radius) / exact - 1.0);
        let name = format!("{} cm to {} cm, n =", 100.0 * base, 100.0 * tip);
        println!(
            "| {name:<28} | {} |",
            SEGMENTS.map(|n| format!("{n:6}")).join(" | ")
        );
        println!("|---|--:|--:|--:|--:|--:|");
        let engine: Result<Vec<_>, _> = SEGMENTS
            .iter()
            .map(|&n| engine_compliance(n, base, tip))
            .collect();
        row(
            "**I at the joint** (engine)",
            SEGMENTS.iter().zip(engine?).map(|(&n, c)| error(n, &c)),
        );
        for rule in RULES {
            row(
                rule.0,
                SEGMENTS
                    .iter()
                    .map(|&n| error(n, &compliance(n, radius, rule))),
            );
        }
        println!();
    }
    Ok(())
}
