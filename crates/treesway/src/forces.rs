//! Forces on bodies: fields over the whole tree, loads on single bodies, and pulls.
//!
//! A force carries its derivatives: −∂f/∂x and −∂f/∂v, both positive semi-definite. A solver that can takes them implicitly; the
//! analytic one limits them (see [`crate::SolverSettings::drag_feedback`] and [`Pull`]).

use crate::block::Block;
use crate::desc::{BodyId, BodyKind};
use crate::math::{Matrix3, Sym3, V3};
use glam::{Quat, Vec3};

/// A body as a force field sees it.
#[derive(Clone, Copy, Debug)]
pub struct BodySample {
    /// Which body.
    pub id: BodyId,
    /// What it is.
    pub kind: BodyKind,
    /// kg.
    pub mass: f32,
    /// Cross-section broadside to the wind, m²: ℓ(a+b) of a frustum, the triangle of a leaf, the disc of a fruit.
    pub area: f32,
    /// Centre of mass in the world, m.
    pub position: V3<f32>,
    /// Of the centre of mass, m/s.
    pub velocity: V3<f32>,
    /// rad/s.
    pub angular_velocity: V3<f32>,
    /// Unit vector along the axis or length (z of the body) in the world.
    pub axis: V3<f32>,
    /// Unit normal of a leaf (y of the body) in the world.
    pub normal: V3<f32>,
}

impl BodySample {
    /// Body `i` of a block, whose axes, centre of mass from the joint and velocity there are given.
    #[inline(always)]
    pub(crate) fn of(
        block: &Block,
        i: usize,
        axes: Matrix3<f32>,
        com: V3<f32>,
        velocity: V3<f32>,
    ) -> Self {
        Self {
            id: BodyId(block.id[i]),
            kind: block.model.kind[i],
            mass: block.model.mass[i],
            area: block.model.area[i],
            position: block.state.position.get(i) + com,
            velocity,
            angular_velocity: block.state.angular_velocity.get(i),
            axis: axes.z,
            normal: axes.y,
        }
    }
}

/// Force and torque on a body, at and about its centre of mass, world frame.
#[derive(Clone, Copy, Debug)]
pub struct FieldForce {
    /// N.
    pub force: V3<f32>,
    /// N·m.
    pub torque: V3<f32>,
    /// −∂f/∂v, kg/s, positive semi-definite.
    pub damping: Sym3<f32>,
}

impl FieldForce {
    /// Nothing.
    pub fn none() -> Self {
        Self {
            force: V3::zero(),
            torque: V3::zero(),
            damping: Sym3::zero(),
        }
    }
}

/// A force on every body as a function of its place and motion: wind, water, magnets. Called from several threads; must be a
/// pure function of its arguments for the motion to be reproducible.
pub trait ForceField: Send + Sync {
    /// Force on one body at a time, s.
    fn force(&self, seconds: f64, body: &BodySample) -> FieldForce;
}

/// Air that moves everywhere alike, with the drag of Eq. 21 on branches, Eq. 22 on fruit and the pressure term of Eq. 23 on leaves:
///
///   f = κ ρ A ‖u‖ u,   u = v_wind − v_body, across the branch | whole | along the leaf's normal with ‖v_rel‖.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct UniformWind {
    /// m/s.
    pub velocity: Vec3,
    /// ρ, kg/m³ (default: 1.225).
    pub air_density: f32,
    /// κ, of branches and fruit (default: 0.5, drag coefficient 1).
    pub drag: f32,
    /// κ_l, of leaves (default: 0.5).
    pub leaf_drag: f32,
}

impl Default for UniformWind {
    fn default() -> Self {
        Self {
            velocity: Vec3::ZERO,
            air_density: 1.225,
            drag: 0.5,
            leaf_drag: 0.5,
        }
    }
}

impl ForceField for UniformWind {
    fn force(&self, _seconds: f64, body: &BodySample) -> FieldForce {
        let u = V3::from(self.velocity) - body.velocity;
        let one = Sym3::diagonal(V3::splat(1.0));
        // f = c·P u with P the projection that the kind of body feels; −∂f/∂v ≥ c P with the speed held, which is used.
        let (c, across) = match body.kind {
            BodyKind::Segment => {
                let across = one + Sym3::outer(body.axis, -1.0);
                (self.drag * across.apply(u).length(), across)
            }
            BodyKind::Fruit => (self.drag * u.length(), one),
            BodyKind::Leaf => (self.leaf_drag * u.length(), Sym3::outer(body.normal, 1.0)),
        };
        let damping = across.scale(c * self.air_density * body.area);
        FieldForce {
            force: damping.apply(u),
            torque: V3::zero(),
            damping,
        }
    }
}

/// How long a load acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duration {
    /// During the next frame only.
    Frame,
    /// Until [`crate::Tree::clear_loads`].
    Held,
}

/// A force and torque on one body, constant in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Which body.
    pub body: BodyId,
    /// Where the force acts, m, in the body's frame.
    pub point_in_body: Vec3,
    /// N, world.
    pub force: Vec3,
    /// N·m, world, besides that of the force.
    pub torque: Vec3,
    /// How long.
    pub duration: Duration,
}

impl Load {
    /// A force at a point of a body, during the next frame.
    pub fn force(body: BodyId, point_in_body: Vec3, force: Vec3) -> Self {
        Self {
            body,
            point_in_body,
            force,
            torque: Vec3::ZERO,
            duration: Duration::Frame,
        }
    }

    /// A torque on a body, during the next frame.
    pub fn torque(body: BodyId, torque: Vec3) -> Self {
        Self {
            body,
            point_in_body: Vec3::ZERO,
            force: Vec3::ZERO,
            torque,
            duration: Duration::Frame,
        }
    }

    /// The same load until it is cleared.
    pub fn held(self) -> Self {
        Self {
            duration: Duration::Held,
            ..self
        }
    }
}

/// A damped spring from a point of a body to a target: a hand that pulls. Taken implicitly, so that any strength is stable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Which body.
    pub body: BodyId,
    /// Where it is held, m, in the body's frame.
    pub point_in_body: Vec3,
    /// Where the hand is, m, world.
    pub target: Vec3,
    /// N/m, up to infinity: the point then follows the target.
    pub stiffness: f32,
    /// N·s/m.
    pub damping: f32,
    /// Strength of the hand, N (infinity: no limit).
    pub most_force: f32,
}

impl Pull {
    /// A pull without damping of its own and without a limit.
    pub fn new(body: BodyId, point_in_body: Vec3, target: Vec3, stiffness: f32) -> Self {
        Self {
            body,
            point_in_body,
            target,
            stiffness,
            damping: 0.0,
            most_force: f32::INFINITY,
        }
    }
}

/// World pose of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPose {
    /// Its joint, m.
    pub position: Vec3,
    /// World from body.
    pub rotation: Quat,
}

impl BodyPose {
    /// A point of the body in the world.
    pub fn point(&self, in_body: Vec3) -> Vec3 {
        let q = crate::math::Quaternion::from(self.rotation);
        self.position + Vec3::from(q.rotate(in_body.into()))
    }
}
