//! Articulated inertias: what a subtree with springs in its joints feels like at its first joint (Featherstone 1987).
//!
//! About the body's own joint O and along world axes, with α the body's angular acceleration and a that of its point at O, the joint
//! has to deliver
//!
//!   moment = A α + B a + τ,   force = Bᵀ α + C a + f.                                             (1)
//!
//! A rigid body of mass m, first moment s and inertia J about O has A = J, B = `[s]×`, C = m 1, and τ, f are minus what acts on it
//! from outside. The joint turns by q̈ on top of its parent's motion (α', a') and its spring answers with τ_s − D q̈, where D
//! holds spring and damper taken implicitly. With H = A + D,
//!
//!   q̈ = H⁻¹ (u − A α' − B a'),   u = τ_s − τ,                                                     (2)
//!
//! and seen from the parent
//!
//!   A ← D H⁻¹ A,  B ← D H⁻¹ B,  C ← C − Bᵀ H⁻¹ B,  τ ← τ + A H⁻¹ u,  f ← f + Bᵀ H⁻¹ u.            (3)
//!
//! D H⁻¹ A is A − A H⁻¹ A, the parallel sum of A and D, in a form that cancels neither for stiff nor for soft joints; it is symmetric, and
//! kept so by storing one triangle.

use crate::math::{Matrix3, Real, Sym3, V3};

/// The quantities of (1) for one body with everything it carries.
#[derive(Clone, Copy, Debug)]
pub struct Articulated<T> {
    /// A, kg·m².
    pub a: Sym3<T>,
    /// B, kg·m, by columns.
    pub b: Matrix3<T>,
    /// C, kg.
    pub c: Sym3<T>,
    /// τ, N·m.
    pub torque: V3<T>,
    /// f, N.
    pub force: V3<T>,
}

/// What the way back down needs of a joint: (2) without the parent's motion.
#[derive(Clone, Copy, Debug)]
pub struct Hinge<T> {
    /// H⁻¹, 1/(kg·m²).
    pub inverse: Sym3<T>,
    /// u, N·m.
    pub torque: V3<T>,
}

/// [v]×, by columns.
#[inline(always)]
fn cross_matrix<T: Real>(v: V3<T>) -> Matrix3<T> {
    let o = T::zero();
    Matrix3 {
        x: V3 {
            x: o,
            y: v.z,
            z: -v.y,
        },
        y: V3 {
            x: -v.z,
            y: o,
            z: v.x,
        },
        z: V3 {
            x: v.y,
            y: -v.x,
            z: o,
        },
    }
}

impl<T: Real> Articulated<T> {
    /// A rigid body under an outside force and torque, both about its joint.
    #[inline(always)]
    pub fn rigid(mass: T, moment: V3<T>, inertia: Sym3<T>, force: V3<T>, torque: V3<T>) -> Self {
        Self {
            a: inertia,
            b: cross_matrix(moment),
            c: Sym3::diagonal(V3::splat(mass)),
            torque: -torque,
            force: -force,
        }
    }

    /// Adds something at the point `r` from the joint that answers an acceleration with the force −m·acceleration + `force`: air
    /// drag or a hand, taken implicitly.
    #[inline(always)]
    pub fn add_at(&mut self, r: V3<T>, m: Sym3<T>, force: V3<T>) {
        // Columns of [r]× m, and −[r]× m [r]× = [r]× ([r]× m)ᵀ… by columns: r × (m (e × r)).
        let rm = Matrix3 {
            x: r.cross(V3 {
                x: m.xx,
                y: m.xy,
                z: m.xz,
            }),
            y: r.cross(V3 {
                x: m.xy,
                y: m.yy,
                z: m.yz,
            }),
            z: r.cross(V3 {
                x: m.xz,
                y: m.yz,
                z: m.zz,
            }),
        };
        self.a += turned_about(rm, r);
        self.b = plus(self.b, rm);
        self.c += m;
        self.torque -= r.cross(force);
        self.force -= force;
    }

    /// (2) and (3): the body behind a joint with implicit stiffness `d` and spring torque `spring`.
    #[inline(always)]
    pub fn behind_joint(&self, d: Sym3<T>, spring: V3<T>) -> (Self, Hinge<T>) {
        let inverse = inverse(self.a + d);
        let u = spring - self.torque;
        let turn = inverse.apply(u); // H⁻¹ u
        let g = Matrix3 {
            x: inverse.apply(self.b.x),
            y: inverse.apply(self.b.y),
            z: inverse.apply(self.b.z),
        }; // H⁻¹ B
        let behind = Self {
            a: product(d, inverse, self.a),
            b: Matrix3 {
                x: d.apply(g.x),
                y: d.apply(g.y),
                z: d.apply(g.z),
            },
            c: Sym3 {
                xx: self.c.xx - self.b.x.dot(g.x),
                yy: self.c.yy - self.b.y.dot(g.y),
                zz: self.c.zz - self.b.z.dot(g.z),
                xy: self.c.xy - self.b.x.dot(g.y),
                xz: self.c.xz - self.b.x.dot(g.z),
                yz: self.c.yz - self.b.y.dot(g.z),
            },
            // τ + A H⁻¹ u = τ_s − D H⁻¹ u
            torque: spring - d.apply(turn),
            force: self.force + self.b.apply_transposed(turn),
        };
        (behind, Hinge { inverse, torque: u })
    }

    /// The same about a point that lies at −d from the joint: a' = a − `[d]×` α there.
    #[inline(always)]
    pub fn shifted(&self, d: V3<T>) -> Self {
        let c = self.c;
        let dc = Matrix3 {
            x: d.cross(V3 {
                x: c.xx,
                y: c.xy,
                z: c.xz,
            }),
            y: d.cross(V3 {
                x: c.xy,
                y: c.yy,
                z: c.yz,
            }),
            z: d.cross(V3 {
                x: c.xz,
                y: c.yz,
                z: c.zz,
            }),
        };
        Self {
            // A − B [d]× + [d]× Bᵀ − [d]× C [d]×
            a: self.a + turned_about(plus(dc, self.b), d) + transposed_turn(self.b, d),
            b: plus(self.b, dc),
            c,
            torque: self.torque + d.cross(self.force),
            force: self.force,
        }
    }

    /// Both together, about the same point.
    #[inline(always)]
    pub fn joined(&self, o: &Self) -> Self {
        Self {
            a: self.a + o.a,
            b: plus(self.b, o.b),
            c: self.c + o.c,
            torque: self.torque + o.torque,
            force: self.force + o.force,
        }
    }

    /// u − A α' − B a' of (2), turned into q̈.
    #[inline(always)]
    pub fn joint_acceleration(&self, hinge: &Hinge<T>, alpha: V3<T>, a: V3<T>) -> V3<T> {
        hinge
            .inverse
            .apply(hinge.torque - self.a.apply(alpha) - self.b.apply(a))
    }
}

#[inline(always)]
fn plus<T: Real>(m: Matrix3<T>, n: Matrix3<T>) -> Matrix3<T> {
    Matrix3 {
        x: m.x + n.x,
        y: m.y + n.y,
        z: m.z + n.z,
    }
}

/// One triangle of −m [d]×, which the caller knows to be symmetric (m = [d]× N with N symmetric) or completes with [`transposed_turn`].
#[inline(always)]
fn turned_about<T: Real>(m: Matrix3<T>, d: V3<T>) -> Sym3<T> {
    // Columns of [d]×: (0, d_z, −d_y), (−d_z, 0, d_x), (d_y, −d_x, 0); entry (i, j) of m [d]× is row i of m times column j.
    Sym3 {
        xx: m.z.x * d.y - m.y.x * d.z,
        yy: m.x.y * d.z - m.z.y * d.x,
        zz: m.y.z * d.x - m.x.z * d.y,
        xy: m.x.x * d.z - m.z.x * d.x,
        xz: m.y.x * d.x - m.x.x * d.y,
        yz: m.y.y * d.x - m.x.y * d.y,
    }
}

/// The matching triangle of [d]× mᵀ = (−m [d]×)ᵀ.
#[inline(always)]
fn transposed_turn<T: Real>(m: Matrix3<T>, d: V3<T>) -> Sym3<T> {
    Sym3 {
        xx: m.z.x * d.y - m.y.x * d.z,
        yy: m.x.y * d.z - m.z.y * d.x,
        zz: m.y.z * d.x - m.x.z * d.y,
        xy: m.z.y * d.y - m.y.y * d.z,
        xz: m.z.z * d.y - m.y.z * d.z,
        yz: m.x.z * d.z - m.z.z * d.x,
    }
}

/// One triangle of d·h·a, whose product is symmetric when h = (a + d)⁻¹.
#[inline(always)]
fn product<T: Real>(d: Sym3<T>, h: Sym3<T>, a: Sym3<T>) -> Sym3<T> {
    let x = d.apply(h.apply(V3 {
        x: a.xx,
        y: a.xy,
        z: a.xz,
    }));
    let y = d.apply(h.apply(V3 {
        x: a.xy,
        y: a.yy,
        z: a.yz,
    }));
    let z = d.apply(h.apply(V3 {
        x: a.xz,
        y: a.yz,
        z: a.zz,
    }));
    let half = T::of(0.5);
    // The mean of both triangles: rounding does not pile up on one side along a chain.
    Sym3 {
        xx: x.x,
        yy: y.y,
        zz: z.z,
        xy: half * (x.y + y.x),
        xz: half * (x.z + z.x),
        yz: half * (y.z + z.y),
    }
}

/// Inverse of a positive definite matrix by L D Lᵀ, which keeps its digits where cofactors cancel.
#[inline(always)]
fn inverse<T: Real>(m: Sym3<T>) -> Sym3<T> {
    let i0 = T::one() / m.xx;
    let (l10, l20) = (m.xy * i0, m.xz * i0);
    let i1 = T::one() / (m.yy - l10 * m.xy);
    let below = m.yz - l20 * m.xy;
    let l21 = below * i1;
    let i2 = T::one() / (m.zz - l20 * m.xz - l21 * below);
    // M⁻¹ = L⁻ᵀ D⁻¹ L⁻¹ with L⁻¹ = [1; −l10, 1; l10 l21 − l20, −l21, 1].
    let k20 = l10 * l21 - l20;
    Sym3 {
        xx: i0 + l10 * l10 * i1 + k20 * k20 * i2,
        yy: i1 + l21 * l21 * i2,
        zz: i2,
        xy: -(l10 * i1) - k20 * l21 * i2,
        xz: k20 * i2,
        yz: -(l21 * i2),
    }
}
