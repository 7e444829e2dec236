//! A part that is no tube → a leaf on the nearest wood: from the corner that is nearest to it to the far side, in the plane that it lies in.

use super::hierarchy::Wood;
use super::soup::Part;
use treesway::glam::{DMat3, DQuat, DVec3};
use treesway::{Attachment, Leaf};

/// The leaf that stands for a card.
pub(super) fn leaf(part: &Part, wood: &Wood, origin: DVec3) -> Leaf {
    let points = &part.points;
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let place = wood.nearest(middle);
    // A card is held by the middle of its side, which is no vertex: what is near enough to the wood counts as one base.
    let away = |p: &DVec3| p.distance(place.point);
    let least = points.iter().map(away).fold(f64::INFINITY, f64::min);
    let most = points.iter().map(away).fold(0.0, f64::max);
    let near = least + 0.25 * (most - least);
    let (sum, count) = points
        .iter()
        .filter(|p| away(p) <= near)
        .fold((DVec3::ZERO, 0), |(sum, n), p| (sum + p, n + 1));
    let base = sum / f64::from(count.max(1));
    let along = (middle - base).try_normalize().unwrap_or(DVec3::Y);
    // Areas of triangles, both sides counted as one, tell which way it faces.
    let normal = part.triangles.iter().fold(DVec3::ZERO, |sum, t| {
        let [a, b, c] = t.map(|i| points[i as usize]);
        let area = (b - a).cross(c - a);
        sum + if sum.dot(area) < 0.0 { -area } else { area }
    });
    let beside = normal.cross(along).try_normalize();
    let beside = beside.unwrap_or_else(|| along.any_orthonormal_vector());
    let frame = DMat3::from_cols(beside, along.cross(beside), along);
    let extent = |axis: DVec3| {
        let all = points.iter().map(|&p| (p - base).dot(axis));
        all.fold((0.0_f64, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)))
    };
    let (left, right) = extent(beside);
    Leaf {
        on: Attachment {
            branch: place.tube,
            along: place.along as f32,
        },
        position: (base - origin).as_vec3(),
        rotation: DQuat::from_mat3(&frame).normalize().as_quat(),
        // A point has no plane; a leaf needs some.
        length: (extent(along).1 as f32).max(1e-4),
        width: ((right - left) as f32).max(1e-4),
    }
}
