//! Composite bodies: each body with its whole outboard subtree, frozen (Quigley 2017, §4, Eq. 1–4).
//!
//! Sixteen numbers per body, about the body's own joint and along world axes: mass m̂, first moment ŝ, inertia Ĵ, force f̂ and
//! torque τ̂. About the joint instead of the centre of mass of Eq. 2 no centre of mass is needed: a child whose joint lies at
//! `d` from its parent's adds
//!
//!   m̂ += m,  ŝ += s + m d,  f̂ += f,  τ̂ += τ + d × f,                                            (1, 3, 4)
//!   Ĵ += J + (m d² + 2 d·s) 1 − (m d dᵀ + d sᵀ + s dᵀ).                                          (2, about the joint)

use crate::math::simd::{ROW, Row, Vector, symmetric, vector};
use crate::math::{Real, Sym3, V3};

/// One composite body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composite<T> {
    pub(crate) mass: T,
    pub(crate) moment: V3<T>,
    pub(crate) inertia: Sym3<T>,
    pub(crate) force: V3<T>,
    pub(crate) torque: V3<T>,
}

impl<T: Vector> Composite<T> {
    /// Of the bodies from `at` on; `columns` are the sixteen numbers of a tile.
    #[inline(always)]
    pub(crate) fn of_columns(columns: &[Row; ROW], at: usize) -> Self {
        Self {
            mass: T::load(&columns[0], at),
            moment: vector(columns, 1, at),
            inertia: symmetric(columns, 4, at),
            force: vector(columns, 10, at),
            torque: vector(columns, 13, at),
        }
    }

    #[inline(always)]
    pub(crate) fn store(self, columns: &mut [Row; ROW], at: usize) {
        let Self {
            mass,
            moment: s,
            inertia: j,
            force: f,
            torque: t,
        } = self;
        let numbers = [
            mass, s.x, s.y, s.z, j.xx, j.yy, j.zz, j.xy, j.xz, j.yz, f.x, f.y, f.z, t.x, t.y, t.z,
        ];
        for (column, n) in columns.iter_mut().zip(numbers) {
            n.store(column, at);
        }
    }
}

impl<T: Real> Composite<T> {
    /// No body.
    #[inline(always)]
    pub(crate) fn nothing() -> Self {
        Self {
            mass: T::zero(),
            moment: V3::zero(),
            inertia: Sym3::zero(),
            force: V3::zero(),
            torque: V3::zero(),
        }
    }

    /// The same body about a point that lies at −d from its joint.
    #[inline(always)]
    pub(crate) fn shifted(self, d: V3<T>) -> Self {
        let both = d.times_plus(self.mass, self.moment); // m d + s
        // m d dᵀ + d sᵀ + s dᵀ = d (m d + s)ᵀ + s dᵀ
        let s = self.moment;
        let outer = Sym3 {
            xx: d.x * (both.x + s.x),
            yy: d.y * (both.y + s.y),
            zz: d.z * (both.z + s.z),
            xy: d.x.times_plus(both.y, s.x * d.y),
            xz: d.x.times_plus(both.z, s.x * d.z),
            yz: d.y.times_plus(both.z, s.y * d.z),
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
            torque: d.cross_plus(self.force, self.torque),
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
