//! Trees that the analytic solver moves give way to colliders.
//!
//! What nothing moves needs no impulse of its own, only a tree that is elsewhere when the step ends: each contact in turn is a push against the solver's
//! own step map ([`crate::analytic::pull::Grip::push`]) that takes the body's point p out of the way of the collider, with n the normal towards
//! it, V [m/s] its velocity and g [m] the way that is left,
//!
//!   n·p' ≤ n·p + g + h n·V.                                                                             (1)
//!
//! Of an overlap, g < 0, a share is mended in a step.

use super::visitor::{MENDED, MOST_MENDING, STROKE, Stroke};
use crate::analytic::pull::Grip;
use crate::forces::Pull;
use crate::tree::Tree;

impl Tree {
    /// Moves the joints on the ways from contacts to the root, after those have taken their step of `h` s.
    pub(crate) fn give_way(&mut self, h: f64) {
        let (step, h) = (self.pull_step(h), h as f32);
        let mut visit = core::mem::take(&mut self.visit);
        for contact in &visit.contacts {
            let visitor = &mut visit.visitors[contact.visitor];
            let frame =
                self.blocks[contact.place.block as usize].frame(contact.place.slot as usize);
            let arm = frame.rotation.rotate(contact.point_in_body);
            let relative = visitor.velocity - frame.velocity_of(arm);
            let left = contact
                .gap
                .max((contact.gap * MENDED).max(-MOST_MENDING * h));
            let target = contact.point + contact.normal * left + visitor.velocity * h;
            let pull = Pull::new(
                contact.body,
                contact.point_in_body.into(),
                target.into(),
                f32::INFINITY,
            );
            let mut push = Grip::push(pull, -contact.normal, self.way_to(contact.body));
            push.apply(&mut self.blocks, &self.anchor, &step);
            visitor.touched |= push.force.dot(push.force) > 0.0;
            if visitor.touched && relative.dot(contact.normal) < -STROKE {
                visit.strokes.push(Stroke {
                    contact: *contact,
                    impulse: push.force * h,
                    velocity: relative,
                });
            }
        }
        self.visit = visit;
    }
}
