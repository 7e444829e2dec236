//! Vertices that move as one: a ring of bark, a leaf, a fruit.
//!
//! Whatever rigid motion or blend of them carries a bundle, the sum of squares over its vertices depends on their number, centre and second
//! moments alone. So a bundle is kept as four vectors: its centre and the columns of a root of the moments, S/n = Σ aₖ aₖᵀ.

use super::super::mesh::Surface;
use std::collections::HashMap;
use treesway::BodyPose;
use treesway::glam::{DVec3, Quat, Vec3A};
use treesway_skin::BodyTransform;

/// Centre and three extents of a bundle, m; at rest or moved.
pub(super) type Extent = [Vec3A; 4];

/// Vertices with the same bodies and weight.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    pub(super) bodies: [u32; 2],
    /// Share of the second body.
    pub(super) weight: f32,
    /// How many vertices.
    pub(super) count: f32,
    /// At rest.
    pub(super) rest: Extent,
}

impl Bundle {
    /// The body that carries most of it.
    pub(super) fn body(&self) -> u32 {
        self.bodies[usize::from(self.weight > 0.5)]
    }

    /// Where the bodies take it.
    pub(super) fn moved(&self, transforms: &[BodyTransform]) -> Extent {
        let [first, second] = self.bodies.map(|b| &transforms[b as usize]);
        let [turn, other] = [first, second].map(|t| Quat::from_array(t.rotation));
        let mut moved = self.rest.map(|v| (turn * v).lerp(other * v, self.weight));
        let [shift, further] = [first, second].map(|t| Vec3A::from_array(t.translation));
        moved[0] += shift.lerp(further, self.weight);
        moved
    }
}

/// The bundles of all surfaces, and of every vertex of each surface the bundle it belongs to.
pub(super) fn bundles(surfaces: &[Surface]) -> (Vec<Bundle>, Vec<Vec<u32>>) {
    let mut known = HashMap::new();
    let mut sums: Vec<([u32; 2], f32, Sums)> = Vec::new();
    let mut belongs = Vec::with_capacity(surfaces.len());
    for surface in surfaces {
        let of_vertices = surface.vertices.iter().map(|v| {
            let key = (v.bodies, v.weight.to_bits());
            let bundle = *known.entry(key).or_insert_with(|| {
                sums.push((v.bodies, v.weight, Sums::default()));
                sums.len() - 1
            });
            sums[bundle].2.add(v.position.as_dvec3());
            bundle as u32
        });
        belongs.push(of_vertices.collect());
    }
    let bundles = sums.into_iter().map(|(bodies, weight, sums)| Bundle {
        bodies,
        weight,
        count: sums.count as f32,
        rest: sums.extent(),
    });
    (bundles.collect(), belongs)
}

/// Number, sum and sum of products of points.
#[derive(Clone, Copy, Default)]
struct Sums {
    count: f64,
    sum: DVec3,
    /// xx, xy, xz, yy, yz, zz.
    products: [f64; 6],
}

impl Sums {
    fn add(&mut self, p: DVec3) {
        self.count += 1.0;
        self.sum += p;
        let products = [
            p.x * p.x,
            p.x * p.y,
            p.x * p.z,
            p.y * p.y,
            p.y * p.z,
            p.z * p.z,
        ];
        for (sum, product) in self.products.iter_mut().zip(products) {
            *sum += product;
        }
    }

    fn extent(&self) -> Extent {
        let c = self.sum / self.count;
        let [xx, xy, xz, yy, yz, zz] = self.products.map(|p| p / self.count);
        // Cholesky root of the central moments; what is flat or straight has columns of zeros.
        let (xx, xy, xz) = (xx - c.x * c.x, xy - c.x * c.y, xz - c.x * c.z);
        let (yy, yz, zz) = (yy - c.y * c.y, yz - c.y * c.z, zz - c.z * c.z);
        let over = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        let least = 1e-12 * (xx + yy + zz);
        let root = |s: f64| if s > least { s.sqrt() } else { 0.0 };
        let l11 = root(xx);
        let (l21, l31) = (over(xy, l11), over(xz, l11));
        let l22 = root(yy - l21 * l21);
        let l32 = over(yz - l21 * l31, l22);
        let l33 = root(zz - l31 * l31 - l32 * l32);
        [
            c.as_vec3a(),
            DVec3::new(l11, l21, l31).as_vec3a(),
            DVec3::new(0.0, l22, l32).as_vec3a(),
            DVec3::new(0.0, 0.0, l33).as_vec3a(),
        ]
    }
}

/// What moves every body from rest to its pose.
pub(super) fn transforms(rest: &[BodyPose], poses: &[BodyPose]) -> Vec<BodyTransform> {
    let pairs = rest.iter().zip(poses);
    pairs.map(|(r, p)| BodyTransform::between(r, p)).collect()
}
