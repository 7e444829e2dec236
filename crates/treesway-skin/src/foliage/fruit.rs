//! An apple: a ball with a hollow at either end, and its stalk.

use crate::texture::{fruit_stalk_uv, fruit_uv};
use crate::{Mesh, PieceVertex};
use core::f32::consts::{PI, TAU};
use treesway::glam::Vec3;

/// How deep the stalk's hollow is, in radii.
pub(super) const HOLLOW: f32 = 0.26;

/// In radii, the stalk's end at the origin, the ball along +z; `rows` from end to end.
pub(super) fn ball(rows: u32) -> Mesh<PieceVertex> {
    let around = 2 * rows;
    revolved(rows, around, |down, share| {
        let angle = PI * down;
        // Five faint ribs at the far end.
        let ribs = 1.0 + 0.025 * (5.0 * TAU * share).cos() * down * down;
        let hollow = |from: f32, wide: f32| (-(from / wide).powi(2)).exp();
        let radius = angle.sin() * (1.0 + 0.07 * angle.cos()) * ribs;
        let up = 0.93 * angle.cos() - (HOLLOW - 0.07) * hollow(angle, 0.4)
            + 0.16 * hollow(PI - angle, 0.35);
        let at = Vec3::new(
            (TAU * share).cos() * radius,
            (TAU * share).sin() * radius,
            1.0 - up,
        );
        (at, fruit_uv(share, down).to_array())
    })
}

/// A stalk of length 1 along +z and radius 1 across.
pub(super) fn stalk(sides: u32) -> Mesh<PieceVertex> {
    revolved(1, sides, |down, share| {
        let (sin, cos) = (TAU * share).sin_cos();
        let thick = 1.0 - 0.3 * down;
        let at = Vec3::new(cos * thick, sin * thick, down);
        (at, fruit_stalk_uv(share, down).to_array())
    })
}

/// A surface of `rows` × `around` cells from its points; cells that have shrunk to a line at an end give one triangle.
fn revolved(
    rows: u32,
    around: u32,
    point: impl Fn(f32, f32) -> (Vec3, [f32; 2]),
) -> Mesh<PieceVertex> {
    let mut mesh = Mesh::default();
    for i in 0..=rows {
        for j in 0..=around {
            let (at, uv) = point(i as f32 / rows as f32, j as f32 / around as f32);
            mesh.vertices.push(PieceVertex {
                position: at.to_array(),
                which: 0.0,
                normal: [0.0; 3],
                uv,
            });
        }
    }
    let at = |i: u32| Vec3::from(mesh.vertices[i as usize].position);
    let mut sums = vec![Vec3::ZERO; mesh.vertices.len()];
    for i in 0..rows {
        for j in 0..around {
            let a = i * (around + 1) + j;
            let (b, c, d) = (a + 1, a + around + 1, a + around + 2);
            for triangle in [[a, c, b], [b, c, d]] {
                let [p, q, r] = triangle.map(at);
                let normal = (q - p).cross(r - p);
                if normal.length() < 1e-6 {
                    continue;
                }
                triangle.iter().for_each(|&k| sums[k as usize] += normal);
                mesh.triangles.push(triangle);
            }
        }
    }
    // The seam and the ends are one point each.
    for i in 0..=rows {
        let (first, last) = (i * (around + 1), i * (around + 1) + around);
        let seam = sums[first as usize] + sums[last as usize];
        (sums[first as usize], sums[last as usize]) = (seam, seam);
        if at(first).truncate().length() < 1e-4 {
            let sum: Vec3 = (first..=last).map(|k| sums[k as usize]).sum();
            (first..=last).for_each(|k| sums[k as usize] = sum);
        }
    }
    for (vertex, sum) in mesh.vertices.iter_mut().zip(sums) {
        vertex.normal = sum.normalize_or(Vec3::Z).to_array();
    }
    mesh
}
