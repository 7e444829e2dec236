//! Continuous collision detection against oracles of other make: parry's distances at many times, and the cubic of coplanar corners.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rapier3d::parry::math::{Pose, Vector};
use rapier3d::parry::query::distance;
use rapier3d::parry::shape::{Ball, Segment, Shape, Triangle};
use treesway::ccd::{
    AxisBox, Hierarchy, Hull, Mover, OrientedBox, clear_along, first_contact, nearest,
};
use treesway::math::V3;

type P = V3<f64>;

/// A stem along the face of a leaf whose slope is nearly that of its bark: the nearest points lie at the edge of the face, and no plane but the one across them separates.
#[test]
fn stem_along_a_face_is_as_near_as_it_is() {
    let p = |x, y, z| V3 { x, y, z };
    let stem = [
        p(0.4343922734260559, 1.5169469118118286, 0.2642452120780945),
        p(0.48289483084479456, 1.6655970874826656, 0.261611055388311),
    ];
    let face = [
        p(0.4629490375518799, 1.4777426719665527, 0.17116482555866241),
        p(0.44693362425658706, 1.5606981612293582, 0.27972496747993614),
        p(0.4420705201818002, 1.4723964225848771, 0.22099048103469843),
    ];
    let a = Mover::cone(stem, stem, [0.0038194223307073116, 0.002864566631615162]);
    let b = Mover::triangle(face, face);
    let near = nearest(&a.at(0.0), &b.at(0.0));
    assert!((near.distance - 0.000530256).abs() < 1e-8);
    assert_eq!(first_contact(&a, &b, 0.0005), None);
    let n = near.on[1] - near.on[0];
    assert!(clear_along(&a, &b, n * (1.0 / n.length()), 0.00053));
}

/// What parry's single precision and its iterations may be off by on bodies of a metre, m.
const ORACLE: f64 = 2e-4;
/// Times at which the oracle looks.
const TIMES: usize = 160;
/// Balls in which it dissects a cone whose radius changes.
const BALLS: usize = 60;

fn vector(p: P) -> Vector {
    Vector::new(p.x as f32, p.y as f32, p.z as f32)
}

fn parry(a: &dyn Shape, b: &dyn Shape) -> f64 {
    let here = Pose::IDENTITY;
    let found = distance(&here, a, &here, b).expect("parry knows these");
    found.distance.into()
}

/// Distance of surfaces by parry; of tapered cones never less than the true one.
fn by_parry(a: &Hull, b: &Hull) -> f64 {
    if a.radius[0] != a.radius[1] {
        let balls = (0..=BALLS).map(|k| {
            let s = k as f64 / BALLS as f64;
            let centre = a.points[0] * (1.0 - s) + a.points[1] * s;
            let radius = a.radius[0] * (1.0 - s) + a.radius[1] * s;
            let dot = Hull {
                points: [centre; 3],
                radius: [radius; 3],
                count: 1,
            };
            by_parry(b, &dot)
        });
        return balls.fold(f64::INFINITY, f64::min);
    }
    if b.radius[0] != b.radius[1] {
        return by_parry(b, a);
    }
    let shape = |h: &Hull| -> Box<dyn Shape> {
        let [p, q, r] = h.points.map(vector);
        match h.count {
            1 => Box::new(Triangle::new(p, p, p)),
            2 => Box::new(Segment::new(p, q)),
            _ => Box::new(Triangle::new(p, q, r)),
        }
    };
    let apart = if b.count == 1 {
        // The radius of the ball comes off below; a ball of almost none is a point.
        let ball = Ball::new(1e-6);
        let at = Pose::from_translation(vector(b.points[0]));
        let found = distance(&Pose::IDENTITY, &*shape(a), &at, &ball).expect("parry knows these");
        f64::from(found.distance)
    } else {
        parry(&*shape(a), &*shape(b))
    };
    apart - a.radius[0] - b.radius[0]
}

/// What is drawn for a pair.
#[derive(Clone, Debug)]
struct Draw {
    a: Mover,
    b: Mover,
    gap: f64,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Random,
    /// Straight lines side by side, or one plane.
    Parallel,
    /// The distance barely reaches the gap, or barely does not.
    Grazing,
    /// The first corner of one lies on the other.
    Touching,
    /// Hardly any motion.
    Slow,
}

fn point() -> impl Strategy<Value = P> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0f64).prop_map(|(x, y, z)| P { x, y, z })
}

fn triple() -> impl Strategy<Value = [P; 3]> {
    [point(), point(), point()]
}

prop_compose! {
    fn mover()(start in triple(), way in triple(), cone in any::<bool>(), r in (0.0..0.15f64, 0.0..0.15f64), even in any::<bool>()) -> Mover {
        let end = [0, 1, 2].map(|k| start[k] + way[k]);
        if cone {
            let radius = if even { [r.0, r.0] } else { [r.0, r.1] };
            Mover::cone([start[0], start[1]], [end[0], end[1]], radius)
        } else {
            Mover::triangle(start, end)
        }
    }
}

fn pair(kind: Kind) -> impl Strategy<Value = Draw> {
    (mover(), mover(), 0.0..0.02f64, point(), -1.0..1.0f64).prop_map(
        move |(a, mut b, gap, by, near)| {
            match kind {
                Kind::Random => {}
                Kind::Slow => {
                    for k in 0..3 {
                        b.end[k] = b.start[k] + (b.end[k] - b.start[k]) * 1e-3;
                    }
                }
                Kind::Parallel => {
                    // All corners of both in directions that one of them has, shifted as a whole.
                    let (d, e) = (a.start[1] - a.start[0], a.start[2] - a.start[0]);
                    let flat = |m: [P; 3]| m.map(|p| d * p.x + e * p.y);
                    let way = b.end[0] - b.start[0];
                    b.start = flat(b.start);
                    b.end = b.start.map(|p| p + way);
                    for k in 0..3 {
                        b.start[k] += by * 0.3;
                        b.end[k] += by * 0.3;
                    }
                }
                Kind::Touching => {
                    let on = a.start[0] * (0.5 + 0.5 * near) + a.start[1] * (0.5 - 0.5 * near);
                    let shift = on - b.start[0];
                    for k in 0..3 {
                        b.start[k] += shift;
                        b.end[k] += shift;
                    }
                }
                Kind::Grazing => {
                    // Both go side by side: shifted along the line between the nearest points until the gap is met but for `near`.
                    let way = a.end[0] - a.start[0];
                    let mut a_way = a;
                    a_way.end = a.start.map(|p| p + way);
                    b.end = b.start.map(|p| p + way * 0.7);
                    let mut least = (f64::INFINITY, P::zero());
                    for k in 0..=TIMES {
                        let t = k as f64 / TIMES as f64;
                        let found = nearest(&a_way.at(t), &b.at(t));
                        if found.distance < least.0 {
                            let d = found.on[1] - found.on[0];
                            let length = d.length().max(1e-9);
                            least = (found.distance, d * (1.0 / length));
                        }
                    }
                    let shift = least.1 * (gap + near * 1e-3 - least.0);
                    for k in 0..3 {
                        b.start[k] += shift;
                        b.end[k] += shift;
                    }
                    return Draw { a: a_way, b, gap };
                }
            }
            Draw { a, b, gap }
        },
    )
}

/// Not later than the first time at which the oracle is sure of a contact; and at the time given they are that near.
fn agrees(draw: &Draw) -> Result<(), TestCaseError> {
    let Draw { a, b, gap } = draw;
    let found = first_contact(a, b, *gap);
    let swapped = first_contact(b, a, *gap);
    prop_assert_eq!(found.is_some(), swapped.is_some());
    for k in 0..=TIMES {
        let t = k as f64 / TIMES as f64;
        if by_parry(&a.at(t), &b.at(t)) < gap - ORACLE {
            let found = found.map(|c| c.time);
            prop_assert!(
                found.is_some_and(|f| f <= t),
                "within the gap at {}, found {:?}",
                t,
                found
            );
            break;
        }
    }
    if let Some(contact) = found {
        let (a, b) = (a.at(contact.time), b.at(contact.time));
        // A cone in balls is farther away by the sagitta between two of them.
        let balls = if a.radius[0] == a.radius[1] && b.radius[0] == b.radius[1] {
            0.0
        } else {
            0.01
        };
        let apart = by_parry(&a, &b);
        prop_assert!(
            apart <= gap + ORACLE + balls,
            "{} m apart at {}, the gap is {}",
            apart,
            contact.time,
            gap
        );
    }
    Ok(())
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(10),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn random_pairs_agree_with_dense_sampling(draw in pair(Kind::Random)) {
        agrees(&draw)?;
    }

    #[test]
    fn parallel_and_coplanar_pairs_agree_with_dense_sampling(draw in pair(Kind::Parallel)) {
        agrees(&draw)?;
    }

    #[test]
    fn grazing_pairs_agree_with_dense_sampling(draw in pair(Kind::Grazing)) {
        agrees(&draw)?;
    }

    #[test]
    fn touching_pairs_touch_at_once(draw in pair(Kind::Touching)) {
        agrees(&draw)?;
        prop_assert_eq!(first_contact(&draw.a, &draw.b, draw.gap).map(|c| c.time), Some(0.0));
    }

    #[test]
    fn slow_pairs_agree_with_dense_sampling(draw in pair(Kind::Slow)) {
        agrees(&draw)?;
    }

    /// Whatever the plane: where it is said to separate, nothing meets.
    #[test]
    fn planes_separate(draw in pair(Kind::Random), n in point()) {
        let n = n * (1.0 / n.length().max(1e-9));
        if clear_along(&draw.a, &draw.b, n, draw.gap) {
            prop_assert_eq!(first_contact(&draw.a, &draw.b, draw.gap), None);
        }
    }

    /// Those that intersect at some time lie in swept boxes that meet.
    #[test]
    fn boxes_hold_what_they_sweep(draw in pair(Kind::Random), along in point(), across in point()) {
        if first_contact(&draw.a, &draw.b, 0.0).is_some() {
            let swept = |m: &Mover, axes| {
                let points = m.start[..m.count].iter().chain(&m.end[..m.count]).copied();
                OrientedBox::around(axes, points, m.radius[0].max(m.radius[1]))
            };
            let a = swept(&draw.a, OrientedBox::axes_along(along, across));
            let b = swept(&draw.b, OrientedBox::axes_along(across, along));
            prop_assert!(a.meets(&b));
            prop_assert!(b.meets(&a));
        }
    }

    /// The hierarchy tells all pairs of boxes that meet, before and after they have moved.
    #[test]
    fn hierarchy_finds_all_pairs(at in prop::collection::vec((point(), 0.0..0.3f64), 0..60), way in point()) {
        let mut hierarchy = Hierarchy::default();
        for shift in [0.0, 1.0] {
            let boxes: Vec<AxisBox> = at
                .iter()
                .enumerate()
                .map(|(k, (p, r))| AxisBox::EMPTY.with(*p + way * (shift * k as f64 * 0.1), *r))
                .collect();
            let mut all = Vec::new();
            for i in 0..boxes.len() {
                for j in i + 1..boxes.len() {
                    if boxes[i].meets(&boxes[j]) && (i + j) % 5 != 0 {
                        all.push((i as u32, j as u32));
                    }
                }
            }
            let mut found = Vec::new();
            hierarchy.fit(&boxes);
            hierarchy.pairs(|a, b| (a + b) % 5 != 0, &mut found);
            prop_assert_eq!(&found, &all);
            let of: Vec<u32> = (0..boxes.len() as u32).filter(|k| k % 3 == 0).collect();
            all.retain(|(i, j)| i % 3 == 0 || j % 3 == 0);
            hierarchy.fit_some(&boxes, &of);
            hierarchy.pairs_of(&boxes, &of, |a, b| (a + b) % 5 != 0, &mut found);
            prop_assert_eq!(&found, &all);
        }
    }
}

/// First root in [0, 1] of c₀ + c₁t + c₂t² + c₃t³ that `holds`, by bisection between the extremes.
fn first_root(c: [f64; 4], holds: impl Fn(f64) -> bool) -> Option<f64> {
    let at = |t: f64| c[0] + t * (c[1] + t * (c[2] + t * c[3]));
    let mut knots = vec![0.0, 1.0];
    // Roots of the derivative.
    let (p, q, r) = (3.0 * c[3], 2.0 * c[2], c[1]);
    let disc = q * q - 4.0 * p * r;
    if p.abs() > 1e-14 && disc >= 0.0 {
        knots.extend([1.0, -1.0].map(|s| (-q + s * disc.sqrt()) / (2.0 * p)));
    } else if q.abs() > 1e-14 {
        knots.push(-r / q);
    }
    knots.retain(|t| (0.0..=1.0).contains(t));
    knots.sort_by(f64::total_cmp);
    for w in knots.windows(2) {
        let (mut low, mut high) = (w[0], w[1]);
        let below = at(low) < 0.0;
        if below == (at(high) < 0.0) {
            continue;
        }
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if (at(middle) < 0.0) == below {
                low = middle;
            } else {
                high = middle;
            }
        }
        if holds(high) {
            return Some(high);
        }
    }
    None
}

/// When four moving points lie in one plane: det(p₁ − p₀, p₂ − p₀, p₃ − p₀) as a polynomial, from its values.
fn coplanar(p: [(P, P); 4]) -> [f64; 4] {
    let det = |t: f64| {
        let x = p.map(|(from, to)| from * (1.0 - t) + to * t);
        (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0])
    };
    let (a, b, c, d) = (det(0.0), det(1.0), det(-1.0), det(2.0));
    let c2 = 0.5 * (b + c) - a;
    let odd = 0.5 * (b - c);
    // d = a + 2 c₁ + 4 c₂ + 8 c₃ with c₁ + c₃ = odd.
    let c3 = (d - a - 4.0 * c2 - 2.0 * odd) / 6.0;
    [a, odd - c3, c2, c3]
}

/// First contact of two triangles that are apart at the start, by corners on faces and edges on edges.
fn by_cubic(a: &Mover, b: &Mover) -> Option<f64> {
    let moving = |m: &Mover, k: usize| (m.start[k % 3], m.end[k % 3]);
    let at = |(from, to): (P, P), t: f64| from * (1.0 - t) + to * t;
    let mut first: Option<f64> = None;
    let mut offer = |t: Option<f64>| {
        if let Some(t) = t {
            first = Some(first.map_or(t, |f: f64| f.min(t)));
        }
    };
    for (one, other) in [(a, b), (b, a)] {
        for k in 0..3 {
            let corner = moving(one, k);
            let face = [0, 1, 2].map(|j| moving(other, j));
            let inside = |t: f64| {
                let x = at(corner, t);
                let [p, q, r] = face.map(|m| at(m, t));
                let n = (q - p).cross(r - p);
                // A triangle that is none has no plane.
                n.length() > 1e-6
                    && [(p, q), (q, r), (r, p)]
                        .iter()
                        .all(|&(u, v)| (v - u).cross(x - u).dot(n) >= 0.0)
            };
            offer(first_root(
                coplanar([corner, face[0], face[1], face[2]]),
                inside,
            ));
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let ends = [
                moving(a, i),
                moving(a, i + 1),
                moving(b, j),
                moving(b, j + 1),
            ];
            let cross = |t: f64| {
                let [p, q, r, s] = ends.map(|m| at(m, t));
                let n = (q - p).cross(s - r);
                let square = n.dot(n);
                let u = (r - p).cross(s - r).dot(n) / square;
                let v = (r - p).cross(q - p).dot(n) / square;
                // Parallel edges lie in one plane all the time, wherever they are.
                n.length() > 1e-6 && (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v)
            };
            offer(first_root(coplanar(ends), cross));
        }
    }
    first
}

proptest! {
    #![proptest_config(config(4000))]

    /// In double precision: not later than the cubic, and no earlier than a tenth of a millimetre away, where they graze and planes have to be many.
    #[test]
    fn triangles_agree_with_the_cubic(start in [triple(), triple()], way in [triple(), triple()]) {
        let [a, b] = [0, 1].map(|k| {
            Mover::triangle(start[k], [0, 1, 2].map(|i| start[k][i] + way[k][i]))
        });
        if nearest(&a.at(0.0), &b.at(0.0)).distance > 1e-6 {
            let found = first_contact(&a, &b, 0.0).map(|c| c.time);
            match (by_cubic(&a, &b), found) {
                (Some(cubic), Some(ours)) => {
                    prop_assert!(ours <= cubic + 1e-12, "{} after {}", ours, cubic);
                    let left = nearest(&a.at(ours), &b.at(ours)).distance;
                    prop_assert!(left < 1e-4, "{} m apart at {}, cubic {}", left, ours, cubic);
                }
                (Some(cubic), None) => prop_assert!(false, "missed the contact at {cubic}"),
                (None, Some(ours)) => {
                    let left = nearest(&a.at(ours), &b.at(ours)).distance;
                    prop_assert!(left < 1e-4, "{} m apart", left);
                }
                (None, None) => {}
            }
        }
    }
}
