//! The solvers as one would write them straight from their equations: a struct per body, depth first, one body after the other, numbers of
//! the standard library. No tiles, no lanes, no threads.
//!
//! The reference that the engine's sweeps are compared with, in motion by tests and in speed by `treesway bench`. It knows gravity and fields
//! on a tree whose anchor stands still; loads, pulls, sleep and bodies that leave are the engine's alone.
//!
//! A step is [`analytic`] (Quigley 2017, Eq. 1–12), [`coupled`] (articulated bodies) or [`particles`]. What happens to one body, its wind, its composite
//! or articulated inertia, is the same function of one body's numbers as in the engine; the spring of a joint is written anew.

mod analytic;
mod coupled;
mod particles;
mod spring;

use crate::analytic::composite::Composite;
use crate::analytic::spring::JointState;
use crate::block::Model;
use crate::coupled::articulated::Articulated;
use crate::coupled::work::Passage;
use crate::desc::BodyId;
use crate::forces::{BodyPose, BodySample, FieldForce, ForceField};
use crate::kinematics::Frame;
use crate::math::V3;
use crate::params::{LeafSprings, Solver, SolverSettings};
use crate::particles::Particle;
use crate::particles::up::Carried;
use crate::tree::Tree;
use glam::Vec3;

/// A tree as a list of bodies, parents before children, each subtree in one piece.
pub struct PlainTree {
    bodies: Vec<PlainBody>,
    /// How the air holds each body about its own axes, N·m/rad; read of leaves by the analytic step.
    held: Vec<V3<f32>>,
    /// Of the analytic solver, by body.
    composites: Vec<Composite<f32>>,
    /// Of the coupled solver, by body: what it carries, with itself, and what the way down needs.
    carried: Vec<Articulated<f32>>,
    passages: Vec<Passage<f32>>,
    /// Of particles, by body.
    pushed: Vec<Carried<f32>>,
    ground: Frame<f32>,
    settings: SolverSettings,
    /// Rayleigh's α, 1/s.
    alpha: f32,
    blades: f32,
}

/// One body.
struct PlainBody {
    id: BodyId,
    /// Index of its parent, none for the root.
    parent: Option<usize>,
    model: Model<f32>,
    /// Where the tree moves as particles.
    particle: Option<Particle<f32>>,
    joint: JointState<f32>,
    frame: Frame<f32>,
    /// Mean acceleration of its joint over the step, of the coupled solver, m/s².
    acceleration: V3<f32>,
}

/// What acts on a tree in a step.
struct Around<'a> {
    /// m/s².
    gravity: V3<f32>,
    fields: &'a [Box<dyn ForceField>],
    seconds: f64,
}

impl PlainTree {
    /// The bodies of a tree as they move now, but for those that have left it.
    pub fn of(tree: &Tree) -> Self {
        let mut children: Vec<Vec<BodyId>> = vec![Vec::new(); tree.len()];
        let mut waiting = Vec::new();
        for id in tree.ids().filter(|&id| tree.is_attached(id)) {
            match tree.parent_of(id) {
                Some(parent) => children[parent.index()].push(id),
                None => waiting.push((id, None)),
            }
        }
        let mut bodies = Vec::with_capacity(tree.len());
        while let Some((id, parent)) = waiting.pop() {
            let own = bodies.len();
            let (block, slot) = tree.slot(id);
            bodies.push(PlainBody {
                id,
                parent,
                model: block.model(slot),
                particle: block.particle(slot),
                joint: block.joint(slot),
                frame: block.frame(slot),
                acceleration: V3::zero(),
            });
            let next = &children[id.index()];
            waiting.extend(next.iter().rev().map(|&child| (child, Some(own))));
        }
        Self {
            bodies,
            composites: Vec::new(),
            held: Vec::new(),
            carried: Vec::new(),
            passages: Vec::new(),
            pushed: Vec::new(),
            ground: Frame::of_anchor(&tree.anchor),
            settings: tree.settings.clone(),
            alpha: tree.rayleigh_alpha(),
            blades: tree.params.leaf.blades,
        }
    }

    /// Which way the springs of leaves lie, of the analytic solver.
    pub fn set_leaf_springs(&mut self, springs: LeafSprings) {
        self.settings.leaf_springs = springs;
    }

    /// Moves the tree by one frame that starts at `seconds` and lasts `dt` s; returns how many steps that took.
    ///
    /// # Panics
    /// If its solver is `contact`, which this does not know.
    pub fn frame(
        &mut self,
        gravity: Vec3,
        fields: &mut [Box<dyn ForceField>],
        seconds: f64,
        dt: f64,
    ) -> u32 {
        for field in &mut *fields {
            field.prepare(seconds, dt);
        }
        let steps = self.settings.steps_per_frame();
        let h = dt / f64::from(steps);
        for k in 0..steps {
            let around = Around {
                gravity: gravity.into(),
                fields,
                seconds: seconds + h * f64::from(k),
            };
            match self.settings.solver {
                Solver::Analytic => self.analytic_step(&around, h),
                Solver::Coupled | Solver::Explicit => self.coupled_step(&around, h),
                Solver::Particles => self.particle_step(&around, h),
                Solver::Spectral => panic!("a spectral tree has no step to compare with"),
                Solver::Contact => panic!("the plain twin knows no contacts"),
            }
        }
        steps
    }

    /// Id and pose of every body, in its own order.
    pub fn poses(&self) -> impl Iterator<Item = (BodyId, BodyPose)> {
        self.bodies.iter().map(|body| {
            let pose = BodyPose {
                position: body.frame.position.into(),
                rotation: body.frame.rotation.into(),
            };
            (body.id, pose)
        })
    }

    /// The frame that a body hangs on.
    fn below(&self, body: &PlainBody) -> Frame<f32> {
        body.parent.map_or(self.ground, |p| self.bodies[p].frame)
    }

    /// Force of all fields on a body.
    fn force(&self, body: &PlainBody, around: &Around) -> FieldForce<f32> {
        let (model, frame) = (&body.model, &body.frame);
        let axes = frame.rotation.matrix();
        let com = axes.z * model.com_z;
        let sample = BodySample {
            id: body.id,
            kind: model.kind(),
            mass: model.mass,
            area: model.area,
            position: frame.position + com,
            velocity: frame.velocity_of(com),
            angular_velocity: frame.angular_velocity,
            axis: axes.z,
            normal: axes.y,
            com_z: model.com_z,
            blades: self.blades,
            free: false,
        };
        let forces = around.fields.iter();
        forces
            .map(|field| field.force(around.seconds, &sample))
            .fold(FieldForce::none(), FieldForce::plus)
    }
}
