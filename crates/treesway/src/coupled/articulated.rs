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
//!   q̈ = H⁻¹ u − H⁻¹A α' − H⁻¹B a',   u = τ_s − τ,                                                (2)
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

/// What the way back down needs of a joint: the terms of (2).
#[derive(Clone, Copy, Debug)]
pub struct Hinge<T> {
    /// H⁻¹ u, rad/s².
    pub turn: V3<T>,
    /// H⁻¹ A.
    pub on_alpha: Matrix3<T>,
    /// H⁻¹ B, 1/m.
    pub on_a: Matrix3<T>,
}

impl<T: Real> Hinge<T> {
    /// q̈ on a parent that moves with α' and a'.
    #[inline(always)]
    pub fn acceleration(&self, alpha: V3<T>, a: V3<T>) -> V3<T> {
        self.turn - self.on_alpha.apply(alpha) - self.on_a.apply(a)
    }
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
    /// No body.
    pub fn nothing() -> Self {
        let zero = V3::zero();
        Self::rigid(T::zero(), zero, Sym3::zero(), zero, zero)
    }

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
        self.add_damping(r, m);
        self.torque -= r.cross(force);
        self.force -= force;
    }

    /// The same without a force.
    #[inline(always)]
    pub fn add_damping(&mut self, r: V3<T>, m: Sym3<T>) {
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
    }

    /// H⁻¹ of a joint with implicit stiffness `d`.
    #[inline(always)]
    pub(crate) fn inverse_behind(&self, d: Sym3<T>) -> Sym3<T> {
        inverse(self.a + d)
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
        let x = Matrix3 {
            x: inverse.apply(V3 {
                x: self.a.xx,
                y: self.a.xy,
                z: self.a.xz,
            }),
            y: inverse.apply(V3 {
                x: self.a.xy,
                y: self.a.yy,
                z: self.a.yz,
            }),
            z: inverse.apply(V3 {
                x: self.a.xz,
                y: self.a.yz,
                z: self.a.zz,
            }),
        }; // H⁻¹ A
        let behind = Self {
            a: symmetric_product(d, x),
            b: Matrix3 {
                x: d.apply(g.x),
                y: d.apply(g.y),
                z: d.apply(g.z),
            },
            c: Sym3 {
                xx: less_dot(self.c.xx, self.b.x, g.x),
                yy: less_dot(self.c.yy, self.b.y, g.y),
                zz: less_dot(self.c.zz, self.b.z, g.z),
                xy: less_dot(self.c.xy, self.b.x, g.y),
                xz: less_dot(self.c.xz, self.b.x, g.z),
                yz: less_dot(self.c.yz, self.b.y, g.z),
            },
            // τ + A H⁻¹ u = τ_s − D H⁻¹ u
            torque: spring - d.apply(turn),
            force: self.force + self.b.apply_transposed(turn),
        };
        (
            behind,
            Hinge {
                turn,
                on_alpha: x,
                on_a: g,
            },
        )
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
            torque: d.cross_plus(self.force, self.torque),
            force: self.force,
        }
    }

    /// Adds the forces of accelerations that the joint does not choose: `turn`, rad/s², and `shift`, m/s².
    #[inline(always)]
    pub fn add_biases(&mut self, turn: V3<T>, shift: V3<T>) {
        self.torque += self.a.apply(turn) + self.b.apply(shift);
        self.force += self.b.apply_transposed(turn) + self.c.apply(shift);
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
}

impl Articulated<f32> {
    /// Angular acceleration and that of the joint of a body that nothing holds: (1) with no moment and no force.
    pub(crate) fn free_acceleration(&self) -> (V3<f64>, V3<f64>) {
        let wide = |m: Matrix3<f32>| Matrix3 {
            x: m.x.widen(),
            y: m.y.widen(),
            z: m.z.widen(),
        };
        let (a, b, c) = (self.a.widen(), wide(self.b), self.c.widen());
        let (torque, force) = (self.torque.widen(), self.force.widen());
        // Rows of B: C⁻¹ Bᵀ by columns, then the Schur complement A − B C⁻¹ Bᵀ.
        let row = |e: V3<f64>| c.solve(b.apply_transposed(e));
        let axes = Matrix3::identity();
        let (x, y, z) = (
            b.apply(row(axes.x)),
            b.apply(row(axes.y)),
            b.apply(row(axes.z)),
        );
        let schur = Sym3 {
            xx: a.xx - x.x,
            yy: a.yy - y.y,
            zz: a.zz - z.z,
            xy: a.xy - y.x,
            xz: a.xz - z.x,
            yz: a.yz - z.y,
        };
        let alpha = schur.solve(b.apply(c.solve(force)) - torque);
        let acceleration = -c.solve(b.apply_transposed(alpha) + force);
        (alpha, acceleration)
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
        xx: m.z.x.times_minus(d.y, m.y.x * d.z),
        yy: m.x.y.times_minus(d.z, m.z.y * d.x),
        zz: m.y.z.times_minus(d.x, m.x.z * d.y),
        xy: m.x.x.times_minus(d.z, m.z.x * d.x),
        xz: m.y.x.times_minus(d.x, m.x.x * d.y),
        yz: m.y.y.times_minus(d.x, m.x.y * d.y),
    }
}

/// The matching triangle of [d]× mᵀ = (−m [d]×)ᵀ.
#[inline(always)]
fn transposed_turn<T: Real>(m: Matrix3<T>, d: V3<T>) -> Sym3<T> {
    Sym3 {
        xx: m.z.x.times_minus(d.y, m.y.x * d.z),
        yy: m.x.y.times_minus(d.z, m.z.y * d.x),
        zz: m.y.z.times_minus(d.x, m.x.z * d.y),
        xy: m.z.y.times_minus(d.y, m.y.y * d.z),
        xz: m.z.z.times_minus(d.y, m.y.z * d.z),
        yz: m.x.z.times_minus(d.z, m.z.z * d.x),
    }
}

/// x − u·v.
#[inline(always)]
fn less_dot<T: Real>(x: T, u: V3<T>, v: V3<T>) -> T {
    u.z.times_from(v.z, u.y.times_from(v.y, u.x.times_from(v.x, x)))
}

/// One triangle of d·m, for a product that is symmetric.
#[inline(always)]
fn symmetric_product<T: Real>(d: Sym3<T>, m: Matrix3<T>) -> Sym3<T> {
    let (x, y, z) = (d.apply(m.x), d.apply(m.y), d.apply(m.z));
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
    let i1 = T::one() / l10.times_from(m.xy, m.yy);
    let below = l20.times_from(m.xy, m.yz);
    let l21 = below * i1;
    let i2 = T::one() / l21.times_from(below, l20.times_from(m.xz, m.zz));
    // M⁻¹ = L⁻ᵀ D⁻¹ L⁻¹ with L⁻¹ = [1; −l10, 1; l10 l21 − l20, −l21, 1].
    let k20 = l10.times_minus(l21, l20);
    let (xz, yz) = (k20 * i2, -(l21 * i2));
    Sym3 {
        xx: k20.times_plus(xz, l10.times_plus(l10 * i1, i0)),
        yy: l21.times_from(yz, i1),
        zz: i2,
        xy: k20.times_minus(yz, l10 * i1),
        xz,
        yz,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupled::integrator::Integrator;
    use crate::math::Quaternion;
    use crate::solid::Solid;

    /// Deterministic numbers in −1 … 1.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        }
        fn vector(&mut self) -> V3<f64> {
            V3 {
                x: self.next(),
                y: self.next(),
                z: self.next(),
            }
        }
    }

    struct Link {
        arm: V3<f64>,
        mass: f64,
        com: V3<f64>,
        /// About the joint, world axes.
        inertia: Sym3<f64>,
        force: V3<f64>,
        d: Sym3<f64>,
        spring: V3<f64>,
    }

    /// A crooked tapering wooden branch under random forces, `softness` times as soft as wood.
    fn chain(n: usize, stiffness: f64) -> Vec<Link> {
        let mut noise = Noise(7);
        let implicit = Integrator::<f64>::new(1.0 / 60.0, 0.8, 0.0).implicit(0.01);
        let length = 0.1;
        let radius = |i: usize| 0.05 * (1.0 - 0.8 * i as f64 / n as f64);
        let mut rotation = Quaternion::identity();
        let mut arm = V3::zero();
        (0..n)
            .map(|i| {
                rotation = rotation
                    .times(Quaternion::from_rotation_vector(noise.vector() * 0.2))
                    .unit();
                let axes = rotation.matrix();
                let solid = Solid::frustum(length, radius(i), radius(i + 1));
                let [x, y, z] = solid.inertia.map(|v| v * 800.0);
                let k = stiffness * 8e9 * std::f64::consts::FRAC_PI_4 * radius(i).powi(4) / length;
                let link = Link {
                    arm,
                    mass: solid.volume * 800.0,
                    com: axes.z * solid.com_z(),
                    inertia: Sym3::rotated_diagonal(axes, V3 { x, y, z }),
                    force: noise.vector() * 10.0,
                    d: Sym3::rotated_diagonal(
                        axes,
                        V3 {
                            x: k,
                            y: k,
                            z: k / 8.0,
                        } * implicit,
                    ),
                    spring: noise.vector() * 5.0,
                };
                arm = axes.z * length;
                link
            })
            .collect()
    }

    /// Joint accelerations of the chain by the recursion in T, widened.
    fn accelerations<T: Real>(
        links: &[Link],
        narrow: fn(f64) -> T,
        widen: fn(T) -> f64,
    ) -> Vec<V3<f64>> {
        let v = |u: V3<f64>| u.map(narrow);
        let s = |m: Sym3<f64>| Sym3 {
            xx: narrow(m.xx),
            yy: narrow(m.yy),
            zz: narrow(m.zz),
            xy: narrow(m.xy),
            xz: narrow(m.xz),
            yz: narrow(m.yz),
        };
        let mut stack = Vec::new();
        let mut carried: Option<Articulated<T>> = None;
        for link in links.iter().rev() {
            let (com, force) = (v(link.com), v(link.force));
            let mass = narrow(link.mass);
            let own =
                Articulated::rigid(mass, com * mass, s(link.inertia), force, com.cross(force));
            let art = carried.map_or(own, |c| c.joined(&own));
            let (behind, hinge) = art.behind_joint(s(link.d), v(link.spring));
            carried = Some(behind.shifted(v(link.arm)));
            stack.push(hinge);
        }
        let (mut alpha, mut a) = (V3::zero(), V3::zero());
        links
            .iter()
            .zip(stack.iter().rev())
            .map(|(link, hinge)| {
                a += alpha.cross(v(link.arm));
                let q = hinge.acceleration(alpha, a);
                alpha += q;
                q.map(widen)
            })
            .collect()
    }

    /// Newton and Euler, centres of mass: the largest difference between the moment each joint must deliver for these
    /// accelerations and what its spring gives, relative to the largest spring torque.
    fn residual(links: &[Link], q: &[V3<f64>]) -> f64 {
        let (mut alpha, mut a) = (V3::zero(), V3::zero());
        let mut wrench = Vec::new();
        for (link, q) in links.iter().zip(q) {
            a += alpha.cross(link.arm);
            alpha += *q;
            let about_com = link.inertia
                + Sym3::outer(link.com, link.mass)
                + Sym3::diagonal(V3::splat(-link.mass * link.com.dot(link.com)));
            let force = (a + alpha.cross(link.com)) * link.mass - link.force;
            wrench.push((force, about_com.apply(alpha) + link.com.cross(force)));
        }
        let (mut force, mut moment) = (V3::zero(), V3::zero());
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for i in (0..links.len()).rev() {
            if i + 1 < links.len() {
                moment += links[i + 1].arm.cross(force);
            }
            force += wrench[i].0;
            moment += wrench[i].1;
            let given = links[i].spring - links[i].d.apply(q[i]);
            worst = worst.max((moment - given).length());
            largest = largest.max(given.length());
        }
        worst / largest
    }

    #[test]
    fn inverse_dynamics_gives_back_the_torques_of_deep_chains() {
        for stiffness in [0.1, 1.0, 1e3, 1e6] {
            let deep = chain(1000, stiffness);
            let r = residual(&deep, &accelerations(&deep, |x| x, |x| x));
            assert!(r < 1e-8, "f64, 1000 deep, stiffness × {stiffness}: {r:e}");
            let shallow = chain(100, stiffness);
            let r = residual(&shallow, &accelerations(&shallow, |x| x as f32, f64::from));
            assert!(r < 1e-3, "f32, 100 deep, stiffness × {stiffness}: {r:e}");
        }
    }

    #[test]
    fn inverse_keeps_its_digits_when_badly_conditioned() {
        let axes = Quaternion::from_rotation_vector(V3 {
            x: 0.3,
            y: -0.7,
            z: 0.2,
        })
        .matrix();
        let m = Sym3::rotated_diagonal(
            axes,
            V3 {
                x: 1.0,
                y: 1e-5,
                z: 1e3,
            },
        );
        let u = V3 {
            x: 0.3,
            y: 0.1,
            z: -0.8,
        };
        let back = m.apply(inverse(m).apply(u));
        assert!((back - u).length() < 1e-8);
    }
}
