//! The rigid motion that takes points nearest to where they went.
//!
//! Horn, *Closed-form solution of absolute orientation using unit quaternions*, 1987: with A = Σ w y xᵀ about the centres, the turn is the
//! eigenvector of the largest eigenvalue of a symmetric 4×4 matrix of sums and differences of A. It is a turn even where points are flat.

use super::bundle::Extent;
use treesway::BodyPose;
use treesway::glam::{DVec3, Mat3A, Quat, Vec3, Vec3A};

/// Turn, then shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rigid {
    pub(super) turn: Mat3A,
    /// m.
    pub(super) shift: Vec3A,
}

impl Rigid {
    pub(super) const IDENTITY: Self = Self {
        turn: Mat3A::IDENTITY,
        shift: Vec3A::ZERO,
    };

    /// Where it takes a bundle.
    pub(super) fn moved(&self, rest: &Extent) -> Extent {
        let mut moved = rest.map(|v| self.turn * v);
        moved[0] += self.shift;
        moved
    }

    /// Mean square distance of a bundle's vertices to where they should be, m².
    pub(super) fn error(&self, rest: &Extent, wanted: &Extent) -> f32 {
        square_distance(&self.moved(rest), wanted)
    }

    /// A pose that moves along.
    pub(super) fn pose(&self, rest: &BodyPose) -> BodyPose {
        BodyPose {
            position: Vec3::from(self.turn * Vec3A::from(rest.position) + self.shift),
            rotation: (Quat::from_mat3a(&self.turn) * rest.rotation).normalize(),
        }
    }
}

/// Mean square distance of two placements of a bundle, m².
pub(super) fn square_distance(a: &Extent, b: &Extent) -> f32 {
    let squares = (0..4).map(|k| (a[k] - b[k]).length_squared());
    squares.sum()
}

/// Weighted pairs of placements, summed up for [`Fit::rigid`] in double precision: what fixes the turn about a thin twig is the square of its
/// thickness, beside the square of its length.
#[derive(Clone, Copy, Default)]
pub(super) struct Fit {
    weight: f64,
    /// Σ w x and Σ w y of centres.
    from: DVec3,
    to: DVec3,
    /// Σ w y xᵀ, by columns.
    products: [DVec3; 3],
}

impl Fit {
    pub(super) fn add(&mut self, weight: f32, rest: &Extent, wanted: &Extent) {
        let weight = f64::from(weight);
        let [x, y] = [rest, wanted].map(|extent| extent.map(|v| v.as_dvec3()));
        self.weight += weight;
        self.from += weight * x[0];
        self.to += weight * y[0];
        for (x, y) in x.into_iter().zip(y) {
            let y = weight * y;
            self.products[0] += y * x.x;
            self.products[1] += y * x.y;
            self.products[2] += y * x.z;
        }
    }

    /// The best motion, or none of nothing.
    pub(super) fn rigid(&self) -> Option<Rigid> {
        if self.weight <= 0.0 {
            return None;
        }
        let (from, to) = (self.from / self.weight, self.to / self.weight);
        let mut a = self.products;
        a[0] -= self.to * from.x;
        a[1] -= self.to * from.y;
        a[2] -= self.to * from.z;
        let turn = Mat3A::from_quat(turn(a));
        Some(Rigid {
            turn,
            shift: to.as_vec3a() - turn * from.as_vec3a(),
        })
    }
}

/// The turn R that makes tr(Rᵀ A) largest; A by columns.
fn turn([x, y, z]: [DVec3; 3]) -> Quat {
    // a_rc is component r of column c.
    let (xx, yx, zx) = (x.x, x.y, x.z);
    let (xy, yy, zy) = (y.x, y.y, y.z);
    let (xz, yz, zz) = (z.x, z.y, z.z);
    let n = [
        [xx + yy + zz, zy - yz, xz - zx, yx - xy],
        [zy - yz, xx - yy - zz, xy + yx, xz + zx],
        [xz - zx, xy + yx, yy - xx - zz, yz + zy],
        [yx - xy, xz + zx, yz + zy, zz - xx - yy],
    ];
    let [w, x, y, z] = largest_eigenvector(n).map(|c| c as f32);
    Quat::from_xyzw(x, y, z, w).normalize()
}

/// Of the largest eigenvalue of a symmetric matrix, by Jacobi's rotations.
fn largest_eigenvector(mut n: [[f64; 4]; 4]) -> [f64; 4] {
    let mut vectors = [[0.0; 4]; 4];
    for (i, row) in vectors.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    let scale: f64 = n.iter().flatten().map(|e| e * e).sum();
    // Converges quadratically; eight sweeps are more than double precision needs.
    for _ in 0..8 {
        let mut off = 0.0;
        for p in 0..3 {
            for q in p + 1..4 {
                off += n[p][q] * n[p][q];
                rotate(&mut n, &mut vectors, p, q);
            }
        }
        if off <= 1e-30 * scale {
            break;
        }
    }
    let mut largest = 0;
    for i in 1..4 {
        if n[i][i] > n[largest][largest] {
            largest = i;
        }
    }
    vectors.map(|row| row[largest])
}

/// Makes the element (p, q) zero.
fn rotate(n: &mut [[f64; 4]; 4], vectors: &mut [[f64; 4]; 4], p: usize, q: usize) {
    if n[p][q] == 0.0 {
        return;
    }
    let half = 0.5 * (n[q][q] - n[p][p]) / n[p][q];
    let t = half.signum() / (half.abs() + (1.0 + half * half).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    for row in n.iter_mut().chain(vectors) {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    let (rows_p, rows_q) = (n[p], n[q]);
    for k in 0..4 {
        n[p][k] = c * rows_p[k] - s * rows_q[k];
        n[q][k] = s * rows_p[k] + c * rows_q[k];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(seed: u32, flat: bool) -> Extent {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        let mut vector = |size: f32| Vec3A::new(next(), next(), next()) * size;
        let third = if flat { 0.0 } else { 0.1 };
        [vector(20.0), vector(0.3), vector(0.2), vector(third)]
    }

    #[test]
    fn a_rigid_motion_is_found_again() {
        for seed in 0..50 {
            let axis = Vec3::from(extent(seed + 1000, false)[1]).normalize();
            let given = Rigid {
                turn: Mat3A::from_quat(Quat::from_axis_angle(axis, 0.06 * seed as f32)),
                shift: extent(seed + 2000, false)[0],
            };
            for flat in [false, true] {
                let mut fit = Fit::default();
                let bundles: Vec<Extent> = (0..3).map(|i| extent(seed * 7 + i, flat)).collect();
                for rest in &bundles[..if flat { 1 } else { 3 }] {
                    fit.add(2.0, rest, &given.moved(rest));
                }
                let found = fit.rigid().unwrap();
                for rest in &bundles[..1] {
                    let error = found.error(rest, &given.moved(rest)).sqrt();
                    assert!(error < 2e-5, "{error} m at seed {seed}");
                }
                let turned = found.turn * given.turn.transpose();
                assert!(turned.abs_diff_eq(Mat3A::IDENTITY, 1e-4), "seed {seed}");
            }
        }
    }
}
