//! One step of the analytic method in double precision, written from the paper (Quigley 2017, §4) in its own form.
//!
//! Composite bodies about their centres of mass (Eq. 1–4 as printed), Cholesky of the joint inertia and the eigenvalues of
//! L⁻¹ K L⁻ᵀ (Eq. 5–6), states of the centres of mass (Eq. 7–12). Nothing here is shared with the engine: it is what the
//! engine is checked against. A relaxed angle θ₀ and gravity are the only additions.

pub mod spring;

use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};
use spring::{Mode, Oscillator};
use treesway::glam::{Quat, Vec3};
use treesway::{Body, BodyKind, LeafSprings, Tree};

type V = Vector3<f64>;
type M = Matrix3<f64>;

/// A force at a point and a torque on a body, held over the step.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceLoad {
    pub body: usize,
    /// m, body frame.
    pub point: V,
    /// N, world.
    pub force: V,
    /// N·m, world.
    pub torque: V,
}

/// A rigid body with the joint to its parent.
#[derive(Clone, Debug)]
pub struct ReferenceBody {
    parent: Option<usize>,
    mass: f64,
    /// Centre of mass from the joint, body frame: −d_j^c.
    com: V,
    /// About the centre of mass, body frame.
    inertia: M,
    joint_in_parent: V,
    /// R_j^p.
    joint_rotation: M,
    /// Whether its springs lie along its own axes and not along those of its joint.
    own_axes: bool,
    stiffness: V,
    rest: V,
    beta: f64,
    pub theta: V,
    pub rate: V,
    pub accel: V,
    /// R^w.
    pub rotation: M,
    pub omega: V,
    pub alpha: V,
    /// Of the centre of mass.
    pub x: V,
    pub v: V,
    pub a: V,
}

/// How hard a joint is to compute.
#[derive(Clone, Copy, Debug)]
pub struct Regime {
    /// Largest over smallest eigenvalue of the joint inertia.
    pub condition: f64,
    pub modes: [Mode; 3],
}

/// A tree on fixed ground at the origin.
#[derive(Clone, Debug)]
pub struct Reference {
    pub bodies: Vec<ReferenceBody>,
    pub gravity: V,
    /// Rayleigh's α.
    pub rayleigh_alpha: f64,
}

/// In double precision.
pub fn widen(v: Vec3) -> V {
    V::new(v.x.into(), v.y.into(), v.z.into())
}

fn rotation_of(q: Quat) -> M {
    let [x, y, z, w] = q.to_array().map(f64::from);
    let unit = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
    unit.to_rotation_matrix().into_inner()
}

fn cross_matrix(v: V) -> M {
    v.cross_matrix()
}

impl ReferenceBody {
    fn of(body: &Body, leaf_springs: LeafSprings) -> Self {
        let is_leaf = body.kind == BodyKind::Leaf;
        Self {
            own_axes: is_leaf && leaf_springs == LeafSprings::Leaf,
            parent: body.parent.map(|p| p.index()),
            mass: body.mass.into(),
            com: widen(body.com_in_body),
            inertia: M::from_diagonal(&widen(body.inertia)),
            joint_in_parent: widen(body.joint_in_parent),
            joint_rotation: rotation_of(body.joint_rotation),
            stiffness: widen(body.stiffness),
            rest: widen(body.rest_theta),
            beta: body.damping_beta.into(),
            theta: widen(body.theta),
            rate: widen(body.theta_rate),
            accel: V::zeros(),
            rotation: M::identity(),
            omega: V::zeros(),
            alpha: V::zeros(),
            x: V::zeros(),
            v: V::zeros(),
            a: V::zeros(),
        }
    }

    /// How far the spring is from where it is relaxed, and from the given pose, rad.
    pub fn bend(&self) -> f64 {
        self.theta.norm().max((self.theta - self.rest).norm())
    }

    /// The joint in the world.
    fn joint(&self) -> V {
        self.x - self.rotation * self.com
    }
}

/// Sums over a body and everything it carries.
#[derive(Clone, Copy)]
struct Composite {
    mass: f64,
    /// World.
    com: V,
    /// About `com`, world.
    inertia: M,
    force: V,
    /// About the joint of the body, world.
    torque: V,
}

impl Reference {
    /// The tree as it is, its poses recomputed from the joint angles.
    pub fn of(tree: &Tree, gravity: Vec3) -> Self {
        let mut reference = Self {
            bodies: tree
                .ids()
                .map(|id| ReferenceBody::of(&tree.body(id), tree.settings().leaf_springs))
                .collect(),
            gravity: widen(gravity),
            rayleigh_alpha: tree.params().rayleigh_alpha.into(),
        };
        reference.update_bodies();
        reference
    }

    /// One step of `h` s; says how hard each joint was.
    pub fn step(&mut self, h: f64, loads: &[ReferenceLoad]) -> Vec<Regime> {
        let composites = self.composites(loads);
        let regimes = composites
            .iter()
            .enumerate()
            .map(|(i, composite)| self.evolve_spring(i, composite, h))
            .collect();
        self.update_bodies();
        regimes
    }

    /// External forces, then Eq. 1–4 from the tips to the root.
    fn composites(&self, loads: &[ReferenceLoad]) -> Vec<Composite> {
        let n = self.bodies.len();
        let mut children = vec![Vec::new(); n];
        for (i, body) in self.bodies.iter().enumerate() {
            if let Some(p) = body.parent {
                children[p].push(i);
            }
        }
        let mut own: Vec<(V, V)> = self
            .bodies
            .iter()
            .map(|b| {
                let weight = self.gravity * b.mass;
                (weight, (b.rotation * b.com).cross(&weight))
            })
            .collect();
        for load in loads {
            let arm = self.bodies[load.body].rotation * load.point;
            own[load.body].0 += load.force;
            own[load.body].1 += load.torque + arm.cross(&load.force);
        }
        let mut sums: Vec<Option<Composite>> = vec![None; n];
        for p in (0..n).rev() {
            let body = &self.bodies[p];
            let parts: Vec<(usize, Composite)> = children[p]
                .iter()
                .map(|&c| (c, sums[c].expect("children come after their parent")))
                .collect();
            let mass = body.mass + parts.iter().map(|(_, c)| c.mass).sum::<f64>(); // (1)
            let com = parts
                .iter()
                .fold(body.x * body.mass, |s, (_, c)| s + c.com * c.mass)
                / mass;
            let world_inertia = body.rotation * body.inertia * body.rotation.transpose();
            let p_m = cross_matrix(body.x - com);
            let mut sum = Composite {
                mass,
                com,
                inertia: world_inertia - p_m * p_m * body.mass,
                force: own[p].0,
                torque: own[p].1,
            };
            for (c, part) in &parts {
                let p_m = cross_matrix(part.com - com);
                sum.inertia += part.inertia - p_m * p_m * part.mass; // (2)
                sum.force += part.force; // (3)
                let p_a = body.joint() - self.bodies[*c].joint();
                sum.torque += -(p_a.cross(&part.force)) + part.torque; // (4)
            }
            sums[p] = Some(sum);
        }
        sums.into_iter().flatten().collect()
    }

    /// R^w of the parent times R_j^p: world from joint frame.
    fn world_from_joint(&self, i: usize) -> M {
        let body = &self.bodies[i];
        body.parent
            .map_or(M::identity(), |p| self.bodies[p].rotation)
            * body.joint_rotation
    }

    /// Eq. 5 and 6, along the axes of the springs.
    fn evolve_spring(&mut self, i: usize, composite: &Composite, h: f64) -> Regime {
        let joint_from_world = self.world_from_joint(i).transpose();
        let alpha = self.rayleigh_alpha;
        let body = &mut self.bodies[i];
        let joint_from_springs = if body.own_axes {
            joint_from_world * body.rotation
        } else {
            M::identity()
        };
        let springs_from_world = joint_from_springs.transpose() * joint_from_world;
        let p = cross_matrix(springs_from_world * (composite.com - body.joint()));
        let inertia = springs_from_world * composite.inertia * springs_from_world.transpose()
            - p * p * composite.mass;
        let oscillator = Oscillator {
            inertia,
            stiffness: body.stiffness,
            alpha,
            beta: body.beta,
        };
        let torque = springs_from_world * composite.torque;
        let rate = joint_from_springs.transpose() * body.rate;
        let solution = oscillator.solve(body.theta - body.rest, rate, torque, h);
        body.theta = solution.theta + body.rest;
        body.rate = joint_from_springs * solution.rate;
        body.accel = joint_from_springs * solution.accel;
        let eigenvalues = inertia.symmetric_eigenvalues();
        Regime {
            condition: eigenvalues.max() / eigenvalues.min(),
            modes: solution.modes,
        }
    }

    /// Eq. 7–12 from the root to the tips.
    fn update_bodies(&mut self) {
        for i in 0..self.bodies.len() {
            let turn = self.world_from_joint(i);
            let body = &self.bodies[i];
            // Of the ground for the root: a body at rest whose centre of mass is the origin.
            let (x_p, v_p, a_p, r_p, omega_p, alpha_p, com_p) = body.parent.map_or(
                (
                    V::zeros(),
                    V::zeros(),
                    V::zeros(),
                    M::identity(),
                    V::zeros(),
                    V::zeros(),
                    V::zeros(),
                ),
                |p| {
                    let p = &self.bodies[p];
                    (p.x, p.v, p.a, p.rotation, p.omega, p.alpha, p.com)
                },
            );
            let rotation = turn * Rotation3::from_scaled_axis(body.theta).into_inner(); // (7)
            let omega = omega_p + turn * body.rate; // (8)
            let alpha = alpha_p + turn * body.accel + omega_p.cross(&omega); // (9)
            let d_p = r_p * (body.joint_in_parent - com_p);
            let d_c = rotation * -body.com;
            let field = |alpha: V, omega: V, d: V| alpha.cross(&d) + omega.cross(&omega.cross(&d));
            let x = x_p + d_p - d_c; // (10)
            let v = v_p + omega_p.cross(&d_p) - omega.cross(&d_c); // (11)
            let a = a_p + field(alpha_p, omega_p, d_p) - field(alpha, omega, d_c); // (12)
            let body = &mut self.bodies[i];
            (body.rotation, body.omega, body.alpha) = (rotation, omega, alpha);
            (body.x, body.v, body.a) = (x, v, a);
        }
    }
}
