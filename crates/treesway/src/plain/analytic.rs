//! A step of the analytic solver: composites up, springs, frames down.

use super::spring::{advanced, advanced_leaf};
use super::{Around, PlainTree};
use crate::analytic::composite::Composite;
use crate::analytic::spring::{Joint, JointState};
use crate::analytic::up::{Drag, felt};
use crate::desc::BodyKind;
use crate::kinematics::placed;
use crate::math::{Quaternion, Sym3, V3};
use crate::params::LeafSprings;

impl PlainTree {
    pub(super) fn analytic_step(&mut self, around: &Around, h: f64) {
        self.sum_up(around, h as f32);
        self.move_joints(h as f32);
        for i in 0..self.bodies.len() {
            let body = &self.bodies[i];
            let below = self.below(body);
            self.bodies[i].frame = placed(&below, &body.model, &body.joint, V3::zero());
        }
    }

    /// Every body with all it carries (Quigley 2017, Eq. 1–4).
    fn sum_up(&mut self, around: &Around, h: f32) {
        self.composites.clear();
        self.composites
            .resize(self.bodies.len(), Composite::nothing());
        self.held.resize(self.bodies.len(), V3::zero());
        let drag = Drag {
            h,
            feedback: self.settings.drag_feedback,
        };
        for i in (0..self.bodies.len()).rev() {
            let body = &self.bodies[i];
            let (model, frame) = (&body.model, &body.frame);
            let axes = frame.rotation.matrix();
            let com = axes.z * model.com_z;
            let mut own = Composite {
                mass: model.mass,
                moment: com * model.mass,
                inertia: Sym3::rotated_diagonal(axes, model.inertia),
                force: around.gravity * model.mass,
                torque: V3::zero(),
            };
            if !around.fields.is_empty() {
                let field = self.force(body, around);
                self.held[i] = V3 {
                    x: field.turning,
                    y: field.turning,
                    z: field.twisting,
                };
                let (force, torque) = felt(&field, frame, model, &own, com, drag);
                own.force += force;
                own.torque = torque;
            }
            own.torque += com.cross(own.force);
            let whole = self.composites[i].joined(own);
            self.composites[i] = whole;
            if let Some(parent) = body.parent {
                let arm = frame.position - self.bodies[parent].frame.position;
                self.composites[parent] = self.composites[parent].joined(whole.shifted(arm));
            }
        }
    }

    /// Every joint on its own (Eq. 5–6).
    fn move_joints(&mut self, h: f32) {
        let (scale, limits) = (self.settings.inertia_scale, self.settings.limits.clone());
        let along_leaf = self.settings.leaf_springs == LeafSprings::Leaf;
        let all = self.bodies.iter_mut().zip(&self.composites);
        for ((body, whole), &held) in all.zip(&self.held) {
            let (bend, model) = (
                Quaternion::from_rotation_vector(body.joint.theta),
                &body.model,
            );
            let is_leaf = along_leaf && model.kind() == BodyKind::Leaf;
            let axes = if is_leaf {
                body.frame.rotation
            } else {
                body.frame.rotation.times(bend.conjugate())
            };
            let turn = axes.matrix();
            let joint = Joint {
                inertia: whole.inertia.congruent(turn).scale(scale),
                stiffness: model.stiffness,
                beta: model.beta,
                alpha: self.alpha,
            };
            let torque = turn.apply_transposed(whole.torque);
            let after = if is_leaf {
                let before = JointState {
                    rate: bend.conjugate().rotate(body.joint.rate),
                    ..body.joint
                };
                let after = advanced_leaf(&joint, held, &before, model.rest, torque, h);
                JointState {
                    theta: after.theta,
                    rate: bend.rotate(after.rate),
                    accel: bend.rotate(after.accel),
                }
            } else {
                advanced(&joint, &body.joint, model.rest, torque, h)
            };
            body.joint = after.within(limits.angle, limits.rate).0;
        }
    }
}
