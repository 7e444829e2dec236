//! What comes near a tree: balls, fruit and colliders as a step of the tree sees them.

use super::collider::ColliderShape;
use super::meet::Contact;
use crate::math::{Quaternion, V3};

/// What a visitor looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VisitorShape {
    Ball {
        radius: f32,
    },
    Solid {
        shape: ColliderShape,
        rotation: Quaternion<f32>,
    },
}

impl VisitorShape {
    /// Of a ball around it, m.
    pub(crate) fn radius(&self) -> f32 {
        match *self {
            Self::Ball { radius } => radius,
            Self::Solid { shape, .. } => shape.radius(),
        }
    }
}

/// Something that a tree may meet in a step, and what the tree does to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visitor {
    /// Its number among those who sent it.
    pub(crate) who: usize,
    pub(crate) shape: VisitorShape,
    /// m, world.
    pub(crate) centre: V3<f32>,
    /// As it will be at the end of the step if it meets nothing, m/s.
    pub(crate) velocity: V3<f32>,
    /// rad/s.
    pub(crate) angular_velocity: V3<f32>,
    /// 1/kg; 0 where nothing moves it.
    pub(crate) per_mass: f32,
    /// 1/(kg·m²), about any axis.
    pub(crate) per_inertia: f32,
    pub(crate) restitution: f32,
    pub(crate) friction: f32,
    /// What the tree gave it, N·s.
    pub(crate) impulse: V3<f32>,
    /// N·m·s, about its centre.
    pub(crate) turn: V3<f32>,
    /// By how much it is to be moved out of the tree, m.
    pub(crate) push: V3<f32>,
    /// Whether it touches the tree.
    pub(crate) touched: bool,
}

impl Visitor {
    /// Velocity of its point at `r` from its centre, m/s.
    pub(crate) fn velocity_of(&self, r: V3<f32>) -> V3<f32> {
        self.velocity + self.angular_velocity.cross(r)
    }

    /// Gives it an impulse at `r` from its centre, N·s.
    pub(crate) fn give(&mut self, r: V3<f32>, impulse: V3<f32>) {
        let turn = r.cross(impulse);
        self.velocity += impulse * self.per_mass;
        self.angular_velocity += turn * self.per_inertia;
        self.impulse += impulse;
        self.turn += turn;
    }
}

/// Deepest overlap that is left alone, m.
pub(crate) const SLOP: f32 = 1e-3;
/// Share of the rest that is mended in a step.
const PUSH_SHARE: f32 = 0.3;
/// Most of it, m.
const MOST_PUSH: f32 = 0.02;

/// By how much to move out of an overlap, m.
pub(crate) fn push_out(contact: &Contact) -> V3<f32> {
    let deep = (-contact.gap - SLOP).max(0.0);
    contact.normal * (deep * PUSH_SHARE).min(MOST_PUSH)
}

/// Share of an overlap that impulses mend in a step.
pub(crate) const MENDED: f32 = 0.3;
/// Fastest mending, m/s.
pub(crate) const MOST_MENDING: f32 = 1.0;

/// The visitors of a tree and where they touch it, in this step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visit {
    pub(crate) visitors: Vec<Visitor>,
    /// To which the tree answers by itself.
    pub(crate) contacts: Vec<Contact>,
    /// Where it meets branches that broke off, or such a branch meets others; `visitor` is the number of the touch.
    pub(crate) meeting: Vec<Contact>,
    /// To which penalties answer, and their ζ, kg/s.
    pub(crate) pressing: Vec<Contact>,
    pub(crate) penalty: Option<f32>,
    /// What struck in the last step.
    pub(crate) strokes: Vec<Stroke>,
}

/// A visitor that struck a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    pub(crate) contact: Contact,
    /// On the tree, N·s.
    pub(crate) impulse: V3<f32>,
    /// Of the visitor relative to the body, m/s.
    pub(crate) velocity: V3<f32>,
}

/// What approaches faster strikes, m/s; the rest leans on the tree.
pub(crate) const STROKE: f32 = 0.3;
