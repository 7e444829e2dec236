//! What a particle is made of: lever, inertia, spring and damper of the branch that ends in it.
//!
//! The paper gives every particle a spring constant and does not say which. Here each spring is as stiff as lets the branch swing as fast as it
//! does in truth: with K the stiffness of its joint about an axis and Ĩ the inertia about it of everything that the branch carries,
//!
//!   ω² = K/Ĩ,   k = I ω²,   k_s = k/L²,   c = max(β k + α I, 2 ζ √(k I)),   k_d = c/L².                        (1)
//!
//! I is Ĩ itself or, as printed, I = ⅓ M L² (2.3) of the rod alone. Inertia is the same about both axes across a branch,
//! and as printed everything is about all three. A tree
//! that holds the pose it was given has springs that are tensioned beforehand by what standard gravity does there.

use super::Rods;
use crate::analytic::composite::Composite;
use crate::analytic::spring::Joint;
use crate::block::{Block, tile_of};
use crate::desc::{BodyId, BodyKind};
use crate::math::simd::{Row, Rows, rows};
use crate::math::{Matrix3, Quaternion, Sym3, V3};
use crate::params::{GravityPose, STANDARD_GRAVITY, Solver};
use crate::tree::Tree;

/// Constant between edits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Particle<T> {
    /// |R|: from the joint to the middle of all that is carried or, as printed, to the end of the rod, m.
    pub(crate) lever: T,
    /// I about the joint, kg·m², about the axes of the joint frame.
    pub(crate) inertia: V3<T>,
    /// k = k_s L², N·m/rad, the same axes.
    pub(crate) stiffness: V3<T>,
    /// c = k_d L², N·m·s/rad, the same axes.
    pub(crate) damping: V3<T>,
    /// Torque of the spring in the given pose, N·m, joint frame.
    pub(crate) preload: V3<T>,
    /// Anchor from joint frame in the given pose.
    pub(crate) home: Quaternion<T>,
}
rows!(Particle, lever, inertia, stiffness, damping, preload, home);

/// Slowest spring, rad/s: a joint without any stiffness moves as a free one.
const LEAST_FREQUENCY: f64 = 1e-3;

impl Particle<Row> {
    /// Sixteen unit bodies that nothing pulls.
    const EMPTY: Self = {
        let zero = V3 {
            x: Row::ZERO,
            y: Row::ZERO,
            z: Row::ZERO,
        };
        let one = Row::splat(1.0);
        let ones = V3 {
            x: one,
            y: one,
            z: one,
        };
        Self {
            lever: Row::ZERO,
            inertia: ones,
            stiffness: ones,
            damping: zero,
            preload: zero,
            home: Quaternion { v: zero, w: one },
        }
    };
}

impl Particle<f32> {
    /// As a joint among others that a pull bends.
    pub(crate) fn joint(&self) -> Joint<f64> {
        Joint {
            inertia: Sym3::diagonal(self.inertia.widen()),
            stiffness: self.stiffness.widen(),
            beta: 0.0,
            alpha: f64::from(self.damping.x / self.inertia.x),
        }
    }
}

/// L: a segment's or leaf's length, a fruit with its stem, m.
fn length_of(block: &Block, slot: usize) -> f64 {
    let size = block.sizes(slot).size.widen();
    match block.model(slot).kind() {
        BodyKind::Segment | BodyKind::Leaf => size.x,
        BodyKind::Fruit => size.y + 2.0 * size.x,
    }
}

impl Tree {
    /// Makes the particles of the tree as it is tuned now, or drops them where it has another solver; outside of a step.
    pub(crate) fn make_particles(&mut self) {
        let solver = self.settings.solver;
        let used = matches!(solver, Solver::Particles | Solver::Contact);
        for block in &mut self.blocks {
            let tiles = if used { block.links.len() } else { 0 };
            block.particles = vec![Particle::EMPTY; tiles];
        }
        if !used {
            return;
        }
        let (homes, wholes) = self.carried_at_home();
        for id in self.ids() {
            if self.is_attached(id) && self.carrier(id) == id {
                let particle = self.particle_of(id, homes[id.index()], &wholes[id.index()]);
                let (block, slot) = self.slot_mut(id);
                let (tile, lane) = tile_of(slot);
                block.particles[tile].set(lane, particle);
            }
        }
    }

    /// The particle at the end of a body that lies at `home` and carries `whole`.
    fn particle_of(
        &self,
        id: BodyId,
        home: Quaternion<f64>,
        whole: &Composite<f64>,
    ) -> Particle<f32> {
        let (block, slot) = self.slot(id);
        let (model, gravity_torque) = (block.model(slot), block.sizes(slot).gravity_torque);
        let about = whole.inertia.congruent(home.matrix());
        let across = 0.5 * (about.xx + about.yy);
        let joint = model.stiffness.widen();
        let rods = match self.settings.solver {
            Solver::Contact => Rods::Carried,
            _ => self.settings.particles.rods,
        };
        let (lever, wood, carried, inertia, weighed) = match rods {
            Rods::Carried => {
                let lever = whole.moment.length() / whole.mass;
                let carried = V3 {
                    x: across,
                    y: across,
                    z: about.zz,
                };
                (lever, joint, carried, carried, gravity_torque)
            }
            Rods::Own => {
                let (mass, length) = (f64::from(model.mass), length_of(block, slot));
                let inertia = V3::splat(mass * length * length / 3.0); // (2.3)
                let back = self.given_anchor.rotation.times(home).conjugate();
                let weight = back.rotate(V3::from(STANDARD_GRAVITY).widen() * mass);
                let torque = Matrix3::identity().z.cross(weight) * length;
                let wood = V3::splat(0.5 * (joint.x + joint.y));
                (length, wood, V3::splat(across), inertia, torque.narrow())
            }
        };
        // (1).
        let ratio = f64::from(self.settings.least_damping_ratio);
        let (alpha, beta) = (f64::from(self.rayleigh_alpha), f64::from(model.beta));
        let spring = |wood: f64, carried: f64, inertia: f64| {
            let fast = (wood / carried).max(LEAST_FREQUENCY * LEAST_FREQUENCY);
            let damping = (beta * fast + alpha).max(2.0 * ratio * libm::sqrt(fast));
            (inertia * fast, inertia * damping)
        };
        let x = spring(wood.x, carried.x, inertia.x);
        let y = spring(wood.y, carried.y, inertia.y);
        let z = spring(wood.z, carried.z, inertia.z);
        let axes = |x: f64, y: f64, z: f64| V3 { x, y, z }.narrow();
        Particle {
            lever: lever as f32,
            inertia: inertia.narrow(),
            stiffness: axes(x.0, y.0, z.0),
            damping: axes(x.1, y.1, z.1),
            preload: match self.params.gravity_pose {
                GravityPose::Unloaded => V3::zero(),
                GravityPose::Held => -weighed,
            },
            home: home.narrow(),
        }
    }

    /// Of every body: anchor from joint frame in the given pose, and what it carries there.
    pub(crate) fn carried_at_home(&self) -> (Vec<Quaternion<f64>>, Vec<Composite<f64>>) {
        let mut homes: Vec<Quaternion<f64>> = Vec::with_capacity(self.len());
        let mut wholes = Vec::with_capacity(self.len());
        for (id, &parent) in self.parent.iter().enumerate() {
            let (block, slot) = self.slot(BodyId(id as u32));
            let model = block.model(slot);
            let turn = model.joint_rotation.widen();
            let home = match parent {
                u32::MAX => turn,
                parent => homes[parent as usize].times(turn),
            }
            .unit();
            let axes = home.matrix();
            let mass = f64::from(model.mass);
            wholes.push(Composite {
                mass,
                moment: axes.z * (mass * f64::from(model.com_z)),
                inertia: Sym3::rotated_diagonal(axes, model.inertia.widen()),
                ..Composite::nothing()
            });
            homes.push(home);
        }
        for id in (1..self.len()).rev() {
            let parent = self.parent[id];
            if parent == u32::MAX || !self.is_attached(BodyId(id as u32)) {
                continue;
            }
            let (block, slot) = self.slot(BodyId(id as u32));
            let arm = homes[id].rotate(block.model(slot).arm.widen());
            wholes[parent as usize] = wholes[parent as usize].joined(wholes[id].shifted(arm));
        }
        (homes, wholes)
    }
}
