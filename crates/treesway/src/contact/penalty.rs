//! Contacts as Quigley 2017, §6, has them: a penalty force on the tree, then an impulse on the visitor.
//!
//! Before the step a visitor that approaches with u_n = u·n < 0 presses the tree by
//!
//!   f = ζ u_n n,                                                                                (1)
//!
//! after it the visitor gets the impulse by which its velocity matches the tree's, if that pushes it away, and is moved out of what it
//! overlaps. ζ [kg/s] is free: with ζ = m/h, taken unless another is given, the tree gets about the momentum that the visitor loses, without
//! a promise. In the analytic solver every joint below the contact answers to (1) alone, so that one step can take no more than
//! ζ = M/(h depth), M the mass that the body carries; a frame is divided into up to [`MOST_STEPS`] steps until a ζ that was given is within that, and
//! what is still beyond is cut off.

use super::ContactSettings;
use super::meet::Contact;
use super::visitor::{STROKE, Stroke, Visit, Visitor, push_out};
use crate::block::SlotLoad;
use crate::math::V3;
use crate::tree::Tree;

/// Most steps that a frame is divided into for penalties; the paper takes ten for falling apples.
const MOST_STEPS: u32 = 10;

impl Tree {
    /// Steps of a frame of `dt` s in which a given ζ stays within what one step can take. Without one, ζ = m/h grows with them: one is enough.
    pub(crate) fn penalty_steps(&self, contact: &ContactSettings, dt: f64) -> u32 {
        let Some(zeta) = contact.penalty.filter(|_| self.has_penalties(contact)) else {
            return 1;
        };
        let wanted = |c: &Contact| zeta * dt as f32 / self.most_mass(c);
        let movable = |c: &&Contact| self.visit.visitors[c.visitor].per_mass > 0.0;
        let pressing = self.visit.contacts.iter().filter(movable);
        let most = pressing.map(wanted).fold(1.0, f32::max);
        most.min(MOST_STEPS as f32).ceil() as u32
    }

    /// Leaves to penalties what they answer to: whatever can be moved, where they are wanted or the solver knows nothing else.
    pub(crate) fn press_instead(&mut self, contact: &ContactSettings) {
        if !self.has_penalties(contact) {
            return;
        }
        let Visit {
            visitors,
            contacts,
            pressing,
            penalty,
            ..
        } = &mut self.visit;
        *penalty = contact.penalty;
        pressing.extend(contacts.extract_if(.., |c| visitors[c.visitor].per_mass > 0.0));
    }

    /// M/depth, kg.
    pub(super) fn most_mass(&self, contact: &Contact) -> f32 {
        let place = contact.place;
        let depth = self.blocks[place.block as usize]
            .model(place.slot as usize)
            .depth;
        contact.carried / depth
    }

    /// (1), after loads were handed to blocks.
    pub(crate) fn press_contacts(&mut self, h: f64) {
        let h = h as f32;
        for i in 0..self.visit.pressing.len() {
            let contact = self.visit.pressing[i];
            let visitor = &self.visit.visitors[contact.visitor];
            let (u, arm) = (
                self.relative_velocity(&contact, visitor),
                self.arm(&contact),
            );
            let approach = u.dot(contact.normal);
            let zeta = self.visit.penalty.unwrap_or(1.0 / (visitor.per_mass * h));
            let pressed = zeta.min(self.most_mass(&contact) / h) * (-approach).max(0.0);
            let force = contact.normal * -pressed;
            let block = &mut self.blocks[contact.place.block as usize];
            block.loads.push(SlotLoad {
                slot: contact.place.slot as usize,
                force,
                torque: arm.cross(force),
            });
            if approach < -STROKE {
                self.visit.strokes.push(Stroke {
                    contact,
                    impulse: force * h,
                    velocity: u,
                });
            }
        }
    }

    /// After the step: impulses on visitors, and push-out.
    pub(crate) fn match_contacts(&mut self, h: f64) {
        let mut visit = core::mem::take(&mut self.visit);
        for contact in &visit.pressing {
            let visitor = &mut visit.visitors[contact.visitor];
            visitor.touched = true;
            let u = self.relative_velocity(contact, visitor);
            let (approach, normal) = (u.dot(contact.normal), contact.normal);
            let allowed = -contact.gap.max(0.0) / h as f32;
            let pushed = (allowed - approach).max(0.0) / visitor.per_mass;
            let r = contact.point_on(visitor);
            let across = visitor.per_mass + visitor.per_inertia * r.dot(r);
            let held = (u - normal * approach) * (-1.0 / across);
            let (size, most) = (held.length(), visitor.friction * pushed);
            let held = if size > most {
                held * (most / size)
            } else {
                held
            };
            visitor.give(r, normal * pushed + held);
            visitor.push += push_out(contact);
        }
        self.visit = visit;
    }

    /// From the body's joint to the point of contact, m, world.
    fn arm(&self, contact: &Contact) -> V3<f32> {
        let block = &self.blocks[contact.place.block as usize];
        let frame = block.frame(contact.place.slot as usize);
        frame.rotation.rotate(contact.point_in_body)
    }

    /// u, m/s.
    fn relative_velocity(&self, contact: &Contact, visitor: &Visitor) -> V3<f32> {
        let block = &self.blocks[contact.place.block as usize];
        let frame = block.frame(contact.place.slot as usize);
        visitor.velocity_of(contact.point_on(visitor)) - frame.velocity_of(self.arm(contact))
    }
}
