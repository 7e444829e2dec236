//! Mechanical energy of a tree.

use crate::math::{Sym3, V3};
use crate::tree::Tree;
use glam::Vec3;

/// Energies, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of all bodies' motion.
    pub kinetic: f64,
    /// Of all springs, ½ (θ − θ₀)ᵀ K (θ − θ₀).
    pub elastic: f64,
    /// −Σ m g·x.
    pub potential: f64,
}

impl Energy {
    /// All together.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.potential
    }
}

impl Tree {
    /// Energy of the tree as it moves now under `gravity`, m/s².
    pub fn energy(&self, gravity: Vec3) -> Energy {
        let mut sum = Energy::default();
        let gravity = V3::from(gravity).widen();
        for block in &self.blocks {
            let (m, s) = (&block.model, &block.state);
            for i in 0..block.len {
                let mass = f64::from(m.mass[i]);
                let axes = s.rotation.get(i).widen().unit().matrix();
                let moment = axes.z * (mass * f64::from(m.com_z[i]));
                let (v, w) = (s.velocity.get(i).widen(), s.angular_velocity.get(i).widen());
                let inertia = Sym3::rotated_diagonal(axes, m.inertia.get(i).widen());
                // About the joint: ½ m v² + v·(ω × s) + ½ ωᵀ J ω.
                sum.kinetic +=
                    0.5 * mass * v.dot(v) + v.dot(w.cross(moment)) + 0.5 * w.dot(inertia.apply(w));
                let bend = (s.theta.get(i) - m.rest.get(i)).widen();
                sum.elastic += 0.5 * bend.dot(bend.times(m.stiffness.get(i).widen()));
                sum.potential -= gravity.dot(s.position.get(i).widen() * mass + moment);
            }
        }
        sum
    }
}
