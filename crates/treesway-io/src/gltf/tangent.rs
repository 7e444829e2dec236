//! Which way the textures run on a surface, for normal maps: without it viewers guess.

use super::mesh::Surface;
use treesway::glam::{Vec3, Vec4};

/// For every vertex the direction of u along the surface, and the sign of the third axis: normal × tangent times it is the way that the picture's
/// top lies, against v.
pub(super) fn tangents(surface: &Surface) -> Vec<[f32; 4]> {
    let mut along = vec![[Vec3::ZERO; 2]; surface.vertices.len()];
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|corner| &surface.vertices[corner as usize]);
        let (p, q) = (b.position - a.position, c.position - a.position);
        let [[pu, pv], [qu, qv]] = [b, c].map(|v| [v.uv[0] - a.uv[0], v.uv[1] - a.uv[1]]);
        let turn = (pu * qv - qu * pv).signum();
        // As long as the triangle is large in the picture times in space: large triangles count more.
        let u = (p * qv - q * pv) * turn;
        let v = (q * pu - p * qu) * turn;
        for corner in triangle {
            let [sum_u, sum_v] = &mut along[*corner as usize];
            *sum_u += u;
            *sum_v += v;
        }
    }
    let vertices = surface.vertices.iter().zip(along);
    vertices
        .map(|(vertex, [u, v])| {
            let normal = vertex.normal;
            let any = normal.any_orthonormal_vector();
            let tangent = u.reject_from_normalized(normal).normalize_or(any);
            let sign = if normal.cross(tangent).dot(v) > 0.0 {
                -1.0
            } else {
                1.0
            };
            Vec4::from((tangent, sign)).to_array()
        })
        .collect()
}
