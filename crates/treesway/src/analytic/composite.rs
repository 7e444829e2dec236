//! Composite bodies: each body with its whole outboard subtree, frozen (Quigley 2017, §4, Eq. 1–4).
//!
//! Sixteen numbers per body, about the body's own joint and along world axes: mass m̂, first moment ŝ, inertia Ĵ, force f̂ and
//! torque τ̂. About the joint instead of the centre of mass of Eq. 2 no centre of mass is needed: a child whose joint lies at
//! `d` from its parent's adds
//!
//!   m̂ += m,  ŝ += s + m d,  f̂ += f,  τ̂ += τ + d × f,                                            (1, 3, 4)
//!   Ĵ += J + (m d² + 2 d·s) 1 − (m d dᵀ + d sᵀ + s dᵀ).                                          (2, about the joint)

use crate::math::{Real, Soa3, Soa6, Sym3, V3, padded};

/// Composite quantities of a block. Shape n, padded; written by the forces stage, summed by the composite sweep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Composites {
    pub(crate) mass: Vec<f32>, // kg
    pub(crate) moment: Soa3,   // kg·m
    pub(crate) inertia: Soa6,  // kg·m²
    pub(crate) force: Soa3,    // N
    pub(crate) torque: Soa3,   // N·m
}

/// One composite body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composite<T> {
    pub(crate) mass: T,
    pub(crate) moment: V3<T>,
    pub(crate) inertia: Sym3<T>,
    pub(crate) force: V3<T>,
    pub(crate) torque: V3<T>,
}

impl Composites {
    pub(crate) fn new(n: usize) -> Self {
        // Padding is a unit body, so that vector kernels run over it without a NaN.
        let unit = Sym3::diagonal(V3::splat(1.0));
        let zero = V3::zero();
        Self {
            mass: vec![1.0; padded(n)],
            moment: Soa3::filled(n, zero),
            inertia: Soa6::filled(n, unit),
            force: Soa3::filled(n, zero),
            torque: Soa3::filled(n, zero),
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> Composite<f32> {
        Composite {
            mass: self.mass[i],
            moment: self.moment.get(i),
            inertia: self.inertia.get(i),
            force: self.force.get(i),
            torque: self.torque.get(i),
        }
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, i: usize, c: Composite<f32>) {
        self.mass[i] = c.mass;
        self.moment.set(i, c.moment);
        self.inertia.set(i, c.inertia);
        self.force.set(i, c.force);
        self.torque.set(i, c.torque);
    }
}

impl<T: Real> Composite<T> {
    /// The same body about a point that lies at −d from its joint.
    #[inline(always)]
    pub(crate) fn shifted(self, d: V3<T>) -> Self {
        let md = d * self.mass;
        let both = md + self.moment; // m d + s
        // m d dᵀ + d sᵀ + s dᵀ = d (m d + s)ᵀ + s dᵀ
        let s = self.moment;
        let outer = Sym3 {
            xx: d.x * both.x + s.x * d.x,
            yy: d.y * both.y + s.y * d.y,
            zz: d.z * both.z + s.z * d.z,
            xy: d.x * both.y + s.x * d.y,
            xz: d.x * both.z + s.x * d.z,
            yz: d.y * both.z + s.y * d.z,
        };
        let j = self.inertia;
        Self {
            mass: self.mass,
            moment: both,
            inertia: Sym3 {
                xx: j.xx + (outer.yy + outer.zz),
                yy: j.yy + (outer.xx + outer.zz),
                zz: j.zz + (outer.xx + outer.yy),
                xy: j.xy - outer.xy,
                xz: j.xz - outer.xz,
                yz: j.yz - outer.yz,
            },
            force: self.force,
            torque: self.torque + d.cross(self.force),
        }
    }

    /// Both together, about the same point.
    #[inline(always)]
    pub(crate) fn joined(self, o: Self) -> Self {
        Self {
            mass: self.mass + o.mass,
            moment: self.moment + o.moment,
            inertia: self.inertia + o.inertia,
            force: self.force + o.force,
            torque: self.torque + o.torque,
        }
    }
}
