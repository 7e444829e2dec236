//! The sieve of the certificate against all pairs.

use treesway::elements::{
    Bounds, Elements, LeafPattern, boxes_meet, intersect::shapes_meet, intersecting_pairs,
    overlapping_boxes,
};
use treesway::glam::{Quat, Vec3};
use treesway::math::{Rng, V3};
use treesway::{BodyDesc, Shape, TreeDesc};

fn all_pairs(boxes: &[Bounds]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for i in 0..boxes.len() {
        for j in i + 1..boxes.len() {
            if boxes_meet(&boxes[i], &boxes[j]) {
                pairs.push((i, j));
            }
        }
    }
    pairs
}

/// Boxes that lie apart, overlap, touch at a face, hold each other, are the same or flat, and are longest along any axis.
#[test]
fn sieve_finds_all_pairs_of_boxes_each_once() {
    let mut rng = Rng::new(10, 1);
    let mut found_at_all = 0;
    for round in 0..300 {
        let stretch = [1.0, 4.0, 0.25];
        let [x, y, z] = [round, round + 1, round + 2].map(|k| stretch[k % 3]);
        // On a grid in every other round, so that many share a face.
        let grid = round % 2 == 0;
        let mut at = |size: f64| {
            let v = [x, y, z].map(|s| size * s * rng.signed());
            let [x, y, z] = if grid { v.map(f64::round) } else { v };
            V3 { x, y, z }
        };
        let mut boxes: Vec<Bounds> = (0..40)
            .map(|_| {
                let (low, more) = (at(4.0), at(1.5));
                let high = V3 {
                    x: low.x + more.x.abs(),
                    y: low.y + more.y.abs(),
                    z: low.z + more.z.abs(),
                };
                [low, high]
            })
            .collect();
        boxes.extend_from_within(..2);
        let mut found = Vec::new();
        overlapping_boxes(&boxes, |i, j| found.push((i, j)));
        found.sort_unstable();
        assert_eq!(found, all_pairs(&boxes), "round {round}");
        found_at_all += found.len();
    }
    assert!(found_at_all > 1000, "{found_at_all}");
    overlapping_boxes(&[], |_, _| panic!("there are none"));
}

/// A bundle of sticks and leaves through each other: the certificate finds what trying every pair of parts finds.
#[test]
fn certificate_finds_what_all_pairs_find() {
    let mut rng = Rng::new(11, 1);
    let mut some = || rng.signed() as f32;
    let root = Shape::Segment {
        length: 1.0,
        base: 0.02,
        tip: 0.02,
    };
    let mut bodies = vec![BodyDesc::new(None, root, Vec3::ZERO, Quat::IDENTITY)];
    for i in 1..60_u32 {
        let shape = match i % 3 {
            0 => Shape::Leaf {
                length: 0.3,
                width: 0.2,
                thickness: 0.0003,
            },
            _ => root,
        };
        let turn = Quat::from_xyzw(some(), some(), some(), some() + 1e-3).normalize();
        let at = Vec3::new(0.3 * some(), 0.3 * some(), 0.5 + 0.5 * some());
        // On one of the first sticks, none of which is a leaf.
        let on = [0, 1, 2, 4, 5][i as usize % 5].min(i - 1 - u32::from(i == 4));
        bodies.push(BodyDesc::new(Some(on), shape, at, turn));
    }
    let elements = Elements::new(&TreeDesc { bodies }, &LeafPattern::default());
    let parts: Vec<_> = elements.all_parts().collect();
    let shape = |p| elements.shape(elements.rest(), p);
    let mut all = Vec::new();
    for (i, &a) in parts.iter().enumerate() {
        for &b in &parts[i + 1..] {
            if elements.meet(a, b) && shapes_meet(&shape(a), &shape(b), 0.0) {
                all.push((a, b));
            }
        }
    }
    all.sort_unstable();
    assert!(all.len() > 20, "{}", all.len());
    assert_eq!(intersecting_pairs(&elements, elements.rest()), all);
}
