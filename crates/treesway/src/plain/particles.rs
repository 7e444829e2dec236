//! A step of the particle tree: forces and swings up, children after their parents.

use super::{Around, PlainTree};
use crate::forces::FieldForce;
use crate::kinematics::{Frame, placed};
use crate::math::V3;
use crate::particles::propagate::moved;
use crate::particles::swing::swung;
use crate::particles::up::{Carried, back};
use crate::particles::{Propagation, Rods};

impl PlainTree {
    pub(super) fn particle_step(&mut self, around: &Around, h: f64) {
        self.pushed.clear();
        self.pushed.resize(self.bodies.len(), Carried::nothing());
        let chosen = self.settings.particles.clone();
        let limits = self.settings.limits.clone();
        for i in (0..self.bodies.len()).rev() {
            let field = self.force_at_rest(i, around);
            let body = &self.bodies[i];
            let (model, particle) = (&body.model, body.particle.expect("a particle tree"));
            let reach = match chosen.rods {
                Rods::Carried => model.com_z,
                Rods::Own => particle.lever,
            };
            let own = Carried::own(&field, around.gravity, model.mass, &body.frame, reach);
            let whole = self.pushed[i].plus(own);
            let rest = body.frame.rotation.times(back(&body.joint));
            let push = whole.push(&particle, model, rest, &field, around.gravity.length());
            let after = swung(&particle, &body.joint, &push, h as f32, chosen.scheme);
            if let Some(parent) = body.parent.filter(|_| chosen.rods == Rods::Carried) {
                let passed_on = whole.shifted(rest.rotate(model.arm));
                self.pushed[parent] = self.pushed[parent].plus(passed_on);
            }
            self.bodies[i].joint = after.within(limits.angle, limits.rate).0;
        }
        for i in 0..self.bodies.len() {
            let body = &self.bodies[i];
            let below = self.below(body);
            self.bodies[i].frame = match chosen.children {
                Propagation::Turned => placed(&below, &body.model, &body.joint, V3::zero()),
                Propagation::Moved => {
                    let home = body.particle.expect("a particle tree").home;
                    moved(&below, &self.ground, &body.model, home, &body.joint)
                }
            };
        }
    }

    /// What fields would do to a body that stood still.
    fn force_at_rest(&mut self, i: usize, around: &Around) -> FieldForce<f32> {
        let frame = &mut self.bodies[i].frame;
        *frame = Frame {
            velocity: V3::zero(),
            angular_velocity: V3::zero(),
            ..*frame
        };
        self.force(&self.bodies[i], around)
    }
}
