//! How long trees without intersections take to grow, and how that grows with them: `cargo run --release -p treesway-grow --example growth_speed`.
//!
//! Of every size, as many leaves for each stem as in the largest tree of the paper. Times are the best of several; the last column is the time of the check of all pairs.

use std::time::Instant;
use treesway::cut;
use treesway::elements::{Elements, LeafPattern, intersecting_pairs};
use treesway_grow::Stems;

/// Shortest of several, ms, and what came out.
fn best<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut least = f64::INFINITY;
    let mut last = work();
    for _ in 0..3 {
        let start = Instant::now();
        last = work();
        least = least.min(start.elapsed().as_secs_f64() * 1e3);
    }
    (least, last)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("elements   growth    µs each   ns/log2 N    rejected   pairs   check");
    for elements in [100_u32, 300, 1000, 3000, 6001, 10_000] {
        let stems = Stems {
            stems: 2616,
            leaves: 3385,
            ..Stems::default()
        }
        .with_bodies(elements);
        let (grows, (grown, rejected)) = {
            let (ms, grown) = best(|| stems.grow_and_tell(1));
            (ms, grown?)
        };
        let bodies = cut(&grown.skeleton, &grown.cut)?;
        let shapes = Elements::new(&bodies, &LeafPattern::default());
        let (checks, pairs) = best(|| intersecting_pairs(&shapes, shapes.rest()).len());
        let each = 1e3 * grows / f64::from(elements);
        println!(
            "{elements:>8} {grows:>7.1} ms {each:>9.2} {:>10.0} {:>11} {pairs:>7} {checks:>6.1} ms",
            1e3 * each / f64::from(elements).log2(),
            rejected.stems + rejected.taken_back + rejected.leaves,
        );
    }
    Ok(())
}
