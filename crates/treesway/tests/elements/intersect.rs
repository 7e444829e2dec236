//! The exact tests against dense sampling.

use treesway::elements::RoundCone;
use treesway::elements::intersect::*;
use treesway::math::{Rng, V3};

fn point(rng: &mut Rng, size: f64) -> V3<f64> {
    V3 {
        x: size * rng.signed(),
        y: size * rng.signed(),
        z: size * rng.signed(),
    }
}

fn cone(rng: &mut Rng) -> RoundCone {
    let ends = [point(rng, 1.0), point(rng, 1.0)];
    RoundCone {
        ends,
        // Now and then one ball holds the other.
        radius: [rng.between(0.01, 0.5), rng.between(0.01, 0.5)],
    }
}

fn triangle(rng: &mut Rng) -> [V3<f64>; 3] {
    [0; 3].map(|_| point(rng, 1.0))
}

const STEPS: u32 = 60;

fn shares() -> impl Iterator<Item = f64> + Clone {
    (0..=STEPS).map(|i| f64::from(i) / f64::from(STEPS))
}

fn balls(c: &RoundCone) -> impl Iterator<Item = (V3<f64>, f64)> + Clone + '_ {
    shares().map(|s| {
        (
            c.ends[0] + (c.ends[1] - c.ends[0]) * s,
            c.radius[0] + (c.radius[1] - c.radius[0]) * s,
        )
    })
}

/// How far apart two round cones are, no less than in truth; negative where balls overlap.
fn sampled_gap(a: &RoundCone, b: &RoundCone) -> f64 {
    let gaps = balls(a).flat_map(|(p, r)| balls(b).map(move |(q, s)| (p - q).length() - r - s));
    gaps.fold(f64::INFINITY, f64::min)
}

fn sampled_gap_to_triangle(a: &RoundCone, t: [V3<f64>; 3]) -> f64 {
    let corners = shares().flat_map(|u| shares().map(move |v| (u, v * (1.0 - u))));
    let points = corners.map(|(u, v)| t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v);
    let gaps = points.flat_map(|p| balls(a).map(move |(q, r)| (p - q).length() - r));
    gaps.fold(f64::INFINITY, f64::min)
}

/// What a step of the sampling may miss: no point of two unit boxes is farther from a sample.
const MISSED: f64 = 3.5 / STEPS as f64;

#[test]
fn round_cones_meet_where_sampled_balls_overlap() {
    let mut rng = Rng::new(1, 0);
    let (mut met, mut apart) = (0, 0);
    for _ in 0..400 {
        let (a, b) = (cone(&mut rng), cone(&mut rng));
        let gap = sampled_gap(&a, &b);
        let exact = cones_meet(&a, &b);
        assert_eq!(exact, cones_meet(&b, &a));
        if gap < -1e-9 {
            assert!(exact, "{gap} {a:?} {b:?}");
            met += 1;
        } else if gap > 2.0 * MISSED {
            assert!(!exact, "{gap} {a:?} {b:?}");
            apart += 1;
        }
    }
    assert!(met > 50 && apart > 20, "{met} {apart}");
}

#[test]
fn the_gap_of_capsules_is_exact() {
    // Two lines at right angles, a known distance apart: the clearance at which they meet is that less both radii.
    let line = |ends: [[f64; 3]; 2], radius| RoundCone {
        ends: ends.map(|[x, y, z]| V3 { x, y, z }),
        radius: [radius; 2],
    };
    let a = line([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 0.1);
    let b = line([[0.3, 0.5, -2.0], [0.3, 0.5, 1.0]], 0.15);
    let parallel = line([[0.5, 0.5, 0.0], [2.0, 0.5, 0.0]], 0.15);
    let beyond = line([[1.3, 0.4, 0.0], [2.0, 0.5, 0.0]], 0.15);
    for other in [b, parallel, beyond] {
        assert!(cones_meet(&a.grown(0.2500001), &other));
        assert!(!cones_meet(&a.grown(0.2499999), &other));
    }
}

#[test]
fn cones_meet_triangles_where_samples_do() {
    let mut rng = Rng::new(2, 0);
    let (mut met, mut apart) = (0, 0);
    for _ in 0..120 {
        let mut c = cone(&mut rng);
        c.radius = c.radius.map(|r| 0.5 * r);
        let t = triangle(&mut rng);
        let gap = sampled_gap_to_triangle(&c, t);
        let exact = cone_meets_triangle(&c, t);
        if gap < -1e-9 {
            assert!(exact, "{gap} {c:?} {t:?}");
            met += 1;
        } else if gap > 2.0 * MISSED {
            assert!(!exact, "{gap} {c:?} {t:?}");
            apart += 1;
        }
    }
    assert!(met > 20 && apart > 20, "{met} {apart}");
}

/// Whether points of one triangle lie on both sides of another along a line through it, by sampling its edges finely.
fn sampled_crossing(a: [V3<f64>; 3], b: [V3<f64>; 3]) -> bool {
    let normal = (b[1] - b[0]).cross(b[2] - b[0]);
    edges(a).into_iter().any(|[p, q]| {
        let at = |s: f64| p + (q - p) * s;
        let side = |x: V3<f64>| (x - b[0]).dot(normal);
        // Halving finds where the edge crosses the plane; barycentric coordinates tell whether that is inside.
        if side(p) * side(q) >= 0.0 {
            return false;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if side(at(middle)) * side(p) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let x = at(low);
        (x - nearest_on_triangle(x, b)).length() < 1e-9
    })
}

#[test]
fn triangles_meet_where_an_edge_of_one_crosses_the_other() {
    let mut rng = Rng::new(3, 0);
    let mut met = 0;
    for _ in 0..5000 {
        let (a, b) = (triangle(&mut rng), triangle(&mut rng));
        let sampled = sampled_crossing(a, b) || sampled_crossing(b, a);
        assert_eq!(triangles_meet(a, b, 0.0), sampled, "{a:?} {b:?}");
        met += u32::from(sampled);
    }
    assert!(met > 500, "{met}");
}

#[test]
fn parallel_triangles_meet_from_their_distance_on() {
    let flat = |y: f64| [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[x, z]| V3 { x, y, z });
    let [a, b] = [flat(0.0), flat(0.1)];
    assert!(!triangles_meet(a, b, 0.0999));
    assert!(triangles_meet(a, b, 0.1001));
    // A small one above the middle of a large one: face to corner.
    let small = b.map(|p| V3 {
        x: 0.2 + 0.1 * p.x,
        y: p.y,
        z: 0.2 + 0.1 * p.z,
    });
    assert!(!triangles_meet(a, small, 0.0999));
    assert!(triangles_meet(a, small, 0.1001));
}

fn edges([a, b, c]: [V3<f64>; 3]) -> [[V3<f64>; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}
