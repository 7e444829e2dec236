//! Mechanical energy of a tree.

use crate::block::Model;
use crate::kinematics::Frame;
use crate::math::{Sym3, V3};
use crate::params::Solver;
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
    /// Energy of the tree as it moves now under `gravity`, m/s². Of particles and of the solver `contact` that of their swings, which gravity is no part of.
    pub fn energy(&self, gravity: Vec3) -> Energy {
        if matches!(self.settings.solver, Solver::Particles | Solver::Contact) {
            return self.swing_energy();
        }
        let mut sum = Energy::default();
        let gravity = V3::from(gravity).widen();
        for block in &self.blocks {
            for slot in block.slots() {
                let (m, joint) = (block.model(slot), block.joint(slot));
                sum.move_body(&m, &block.frame(slot), gravity);
                let bend = (joint.theta - m.rest).widen();
                sum.elastic += 0.5 * bend.dot(bend.times(m.stiffness.widen()));
            }
            block.each_stand_in(|_, m, frame| sum.move_body(m, frame, gravity));
        }
        sum
    }
}

impl Energy {
    /// Adds that of the motion of a body and of its height.
    fn move_body(&mut self, m: &Model<f32>, frame: &Frame<f32>, gravity: V3<f64>) {
        let mass = f64::from(m.mass);
        let axes = frame.rotation.widen().unit().matrix();
        let moment = axes.z * (mass * f64::from(m.com_z));
        let (v, w) = (frame.velocity.widen(), frame.angular_velocity.widen());
        let inertia = Sym3::rotated_diagonal(axes, m.inertia.widen());
        // About the joint: ½ m v² + v·(ω × s) + ½ ωᵀ J ω.
        self.kinetic +=
            0.5 * mass * v.dot(v) + v.dot(w.cross(moment)) + 0.5 * w.dot(inertia.apply(w));
        self.potential -= gravity.dot(frame.position.widen() * mass + moment);
    }
}
