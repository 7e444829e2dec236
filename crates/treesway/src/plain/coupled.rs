//! A step of the coupled solver: articulated inertias up, accelerations and frames down.

use super::{Around, PlainTree};
use crate::analytic::spring::JointState;
use crate::coupled::Scheme;
use crate::coupled::articulated::Articulated;
use crate::coupled::up::{Answer, own};
use crate::coupled::work::Passage;
use crate::kinematics::placed;
use crate::math::V3;
use crate::root::RootKind;

impl PlainTree {
    pub(super) fn coupled_step(&mut self, around: &Around, h: f64) {
        let scheme = Scheme::of(&self.settings, h, self.alpha, RootKind::Clamped);
        self.articulate(around, &scheme);
        self.accelerate(&scheme);
    }

    /// Tips to root: what every body, with all it carries, feels like behind its joint.
    fn articulate(&mut self, around: &Around, scheme: &Scheme) {
        let count = self.bodies.len();
        self.carried.clear();
        self.carried.resize(count, Articulated::nothing());
        self.passages.resize(count, Passage::nothing());
        for i in (0..count).rev() {
            let body = &self.bodies[i];
            let (model, frame) = (&body.model, &body.frame);
            let field = (!around.fields.is_empty()).then(|| self.force(body, around));
            let own = own(frame, model, field.as_ref(), around.gravity, scheme);
            let whole = self.carried[i].joined(&own);
            let answer = Answer::of(frame, model, &body.joint, whole.a.trace(), scheme);
            let (mut behind, hinge) = whole.behind_joint(answer.implicit, answer.torque);
            if scheme.velocity_products {
                let [turn, shift] = answer.biases(frame, &body.joint);
                behind.add_biases(turn, shift);
            }
            let Answer { joint, arm, .. } = answer;
            self.passages[i] = Passage { hinge, joint, arm };
            if let Some(parent) = body.parent {
                self.carried[parent] = self.carried[parent].joined(&behind.shifted(arm));
            }
        }
    }

    /// Root to tips.
    fn accelerate(&mut self, scheme: &Scheme) {
        for i in 0..self.bodies.len() {
            let (body, way) = (&self.bodies[i], &self.passages[i]);
            let below = self.below(body);
            let carried_by = body
                .parent
                .map_or(V3::zero(), |p| self.bodies[p].acceleration);
            let mut alpha = below.alpha;
            let mut a = carried_by + alpha.cross(way.arm);
            if scheme.velocity_products {
                let relative = way.joint.rotate(body.joint.rate);
                let omega = body.frame.angular_velocity - relative;
                alpha += omega.cross(relative);
                a += omega.cross(omega.cross(way.arm));
            }
            let q = way.hinge.acceleration(alpha, a);
            let before = &body.joint;
            let x = way.joint.conjugate().rotate(q);
            let (theta, rate, accel) =
                scheme
                    .integrator
                    .finish(before.theta, before.rate, before.accel, x);
            let after = JointState { theta, rate, accel };
            let (mut after, bent, fast) = after.within(scheme.limits.angle, scheme.limits.rate);
            if bent {
                after.rate = V3::zero();
            }
            if bent || fast {
                after.accel = V3::zero();
            }
            let frame = placed(&below, &body.model, &after, alpha + q);
            let body = &mut self.bodies[i];
            (body.joint, body.frame, body.acceleration) = (after, frame, a);
        }
    }
}
