//! Which boxes find pairs of moving stems that may meet soonest, and how the search grows: `cargo run --release -p treesway --example swept_boxes`.
//!
//! Stems of 8 cm lie every which way, as many in a volume as twigs of a dense crown, and move by up to 2 cm and a fifth of a radian. Times are the best of many.

use std::time::Instant;
use treesway::ccd::{AxisBox, Hierarchy, Mover, OrientedBox, first_contact};
use treesway::math::{Rng, V3};

const LENGTH: f64 = 0.08;
const RADIUS: f64 = 0.002;
/// Stems in a cubic metre.
const DENSITY: f64 = 4000.0;

fn vector(rng: &mut Rng) -> V3<f64> {
    let mut next = || rng.signed();
    V3 {
        x: next(),
        y: next(),
        z: next(),
    }
}

fn stems(n: usize) -> Vec<Mover> {
    let mut rng = Rng::new(n as u64, 0);
    let side = libm::cbrt(n as f64 / DENSITY);
    (0..n)
        .map(|_| {
            let base = vector(&mut rng) * (0.5 * side);
            let direction = vector(&mut rng);
            let axis = direction * (LENGTH / direction.length());
            let moved = base + vector(&mut rng) * 0.01;
            let end = axis + vector(&mut rng) * (0.1 * LENGTH);
            Mover::cone([base, base + axis], [moved, moved + end], [RADIUS; 2])
        })
        .collect()
}

/// Shortest of many, µs.
fn best(mut work: impl FnMut()) -> f64 {
    let times = (0..20).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e6
    });
    times.fold(f64::INFINITY, f64::min)
}

fn main() {
    println!(
        "{:>6} {:>9} {:>9} {:>8} {:>11} {:>9} {:>11} {:>9} {:>9}",
        "stems",
        "search",
        "/N log2N",
        "pairs",
        "oriented",
        "of pairs",
        "first time",
        "oriented",
        "meet"
    );
    for n in [100, 316, 1000, 3162, 10_000] {
        let stems = stems(n);
        let points = |m: &Mover| [m.start[0], m.start[1], m.end[0], m.end[1]];
        let axis_box = |m: &Mover| {
            points(m)
                .into_iter()
                .fold(AxisBox::EMPTY, |b, p| b.with(p, RADIUS))
        };
        let boxes: Vec<AxisBox> = stems.iter().map(axis_box).collect();
        let oriented = |m: &Mover| {
            let axes = OrientedBox::axes_along(m.start[1] - m.start[0], m.end[0] - m.start[0]);
            OrientedBox::around(axes, points(m).into_iter(), RADIUS)
        };
        let mut hierarchy = Hierarchy::default();
        hierarchy.fit(&boxes);
        let mut pairs = Vec::new();
        let search = best(|| {
            hierarchy.fit(&boxes);
            hierarchy.pairs(|_, _| true, &mut pairs);
        });
        let mut kept = Vec::new();
        let turned = best(|| {
            let all: Vec<OrientedBox> = stems.iter().map(oriented).collect();
            kept.clear();
            kept.extend(
                pairs
                    .iter()
                    .filter(|(i, j)| all[*i as usize].meets(&all[*j as usize])),
            );
        });
        let mut meet = 0;
        let mut solve = |pairs: &[(u32, u32)]| {
            best(|| {
                let found = pairs.iter().filter(|(i, j)| {
                    first_contact(&stems[*i as usize], &stems[*j as usize], 5e-4).is_some()
                });
                meet = found.count();
            })
        };
        let (every, fewer) = (solve(&pairs), solve(&kept));
        let steps = n as f64 * libm::log2(n as f64);
        println!(
            "{n:>6} {search:>6.0} µs {:>6.2} ns {:>8} {turned:>8.0} µs {:>7.1} % {every:>8.0} µs {fewer:>6.0} µs {meet:>9}",
            1e3 * search / steps,
            pairs.len(),
            100.0 * kept.len() as f64 / pairs.len() as f64,
        );
    }
}
