//! Balls and fruit as rigid bodies that meet each other and the ground, by rapier.
//!
//! In a step: air acts on each, implicit in its velocity as in [`crate::free`]; trees see those that are awake as [`Visitor`]s and give them
//! impulses; rapier solves their contacts with each other and the ground, and moves them. What has lain still for half a second sleeps until
//! something touches it; what leans on a tree does not.

use super::collider::{Collider, ColliderId, ColliderShape};
use super::reach::Near;
use super::visitor::{Visitor, VisitorShape};
use crate::block::NOBODY;
use crate::desc::{BodyId, BodyKind};
use crate::detach::OffMotion;
use crate::event::EventKind;
use crate::forces::{BodyPose, BodySample};
use crate::ground::Ground;
use crate::math::{Sym3, V3};
use crate::step::FrameOf;
use crate::tree::Tree;
use glam::{Quat, Vec3};
use rapier3d::parry::utils::Array2;
use rapier3d::prelude as rapier;

/// A ball, as it is thrown or as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Centre, m.
    pub position: Vec3,
    /// World from ball.
    pub rotation: Quat,
    /// m/s.
    pub velocity: Vec3,
    /// rad/s.
    pub angular_velocity: Vec3,
    /// m (default: 0.1).
    pub radius: f32,
    /// kg (default: 0.5).
    pub mass: f32,
    /// Share of its speed with which it bounces back, 0 to 1 (default: 0.3).
    pub restitution: f32,
    /// Coulomb's μ (default: 0.5).
    pub friction: f32,
}

impl Default for Ball {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            radius: 0.1,
            mass: 0.5,
            restitution: 0.3,
            friction: 0.5,
        }
    }
}

/// Names a ball of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BallId(pub usize);

/// Longest step of rapier, s.
const LONGEST_STEP: f64 = 1.0 / 60.0;
/// Way in a step within which contacts are seen ahead, m: what falls at 30 m/s does not sink into the ground before it is stopped.
const FARTHEST: f32 = 0.5;
/// Friction and restitution of fruit on grass and on wood.
const FRUIT: (f32, f32) = (0.6, 0.3);
/// How fast a ball stops rolling on grass, 1/s.
const ROLLING: f32 = 8.0;

/// Who a rigid body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Ball,
    Fruit { tree: usize, body: BodyId },
}

#[derive(Clone, Copy, Debug)]
struct Member {
    who: Who,
    handle: rapier::RigidBodyHandle,
    radius: f32,
    mass: f32,
    restitution: f32,
    friction: f32,
    rests: bool,
}

/// Everything of rapier that goes on from one step to the next.
#[derive(Clone)]
struct State {
    bodies: rapier::RigidBodySet,
    colliders: rapier::ColliderSet,
    islands: rapier::IslandManager,
    broad_phase: rapier::DefaultBroadPhase,
    narrow_phase: rapier::NarrowPhase,
    joints: rapier::ImpulseJointSet,
    multibodies: rapier::MultibodyJointSet,
    soft_bodies: rapier::SoftBodySet,
    ccd: rapier::CCDSolver,
    /// In the order in which they came; balls are found by their place.
    members: Vec<Member>,
    balls: Vec<usize>,
    solids: Vec<(Collider, rapier::RigidBodyHandle)>,
    ground: Option<(Ground, rapier::ColliderHandle)>,
}

/// The rigid bodies of a world.
pub(crate) struct Rigid {
    state: State,
    pipeline: rapier::PhysicsPipeline,
}

impl Clone for Rigid {
    fn clone(&self) -> Self {
        Self {
            state: self.state.clone(),
            // It remembers what it did for other bodies.
            pipeline: rapier::PhysicsPipeline::new(),
        }
    }
}

/// Rigid bodies at one time.
#[derive(Clone)]
pub(crate) struct RigidSnapshot(State);

impl Default for Rigid {
    fn default() -> Self {
        Self {
            state: State {
                bodies: rapier::RigidBodySet::new(),
                colliders: rapier::ColliderSet::new(),
                islands: rapier::IslandManager::new(),
                broad_phase: rapier::DefaultBroadPhase::default(),
                narrow_phase: rapier::NarrowPhase::new(),
                joints: rapier::ImpulseJointSet::new(),
                multibodies: rapier::MultibodyJointSet::new(),
                soft_bodies: rapier::SoftBodySet::new(),
                ccd: rapier::CCDSolver::new(),
                members: Vec::new(),
                balls: Vec::new(),
                solids: Vec::new(),
                ground: None,
            },
            pipeline: rapier::PhysicsPipeline::new(),
        }
    }
}

impl Rigid {
    pub(crate) fn snapshot(&self) -> RigidSnapshot {
        RigidSnapshot(self.state.clone())
    }

    pub(crate) fn restore(&mut self, snapshot: &RigidSnapshot) {
        self.state = snapshot.0.clone();
        // It remembers what it did for other bodies.
        self.pipeline = rapier::PhysicsPipeline::new();
    }

    pub(crate) fn throw(&mut self, ball: Ball) -> BallId {
        let id = BallId(self.state.balls.len());
        self.state.balls.push(self.state.members.len());
        self.state.join(Who::Ball, &ball);
        id
    }

    pub(crate) fn balls(&self) -> usize {
        self.state.balls.len()
    }

    pub(crate) fn ball(&self, id: BallId) -> Ball {
        self.state.now(&self.state.members[self.state.balls[id.0]])
    }

    /// Takes over fruit that have left their trees since the last frame, and forgets those that are back.
    pub(crate) fn gather(&mut self, trees: &mut [Tree]) {
        let gone = |member: &Member| match member.who {
            Who::Ball => false,
            Who::Fruit { tree, body } => trees[tree].is_attached(body),
        };
        if self.state.members.iter().any(gone) {
            self.state.leave(gone);
        }
        for (i, tree) in trees.iter_mut().enumerate() {
            for body in tree.newly_off() {
                let now = tree.body(body);
                if now.kind == BodyKind::Fruit && tree.off_motion(body) == Some(OffMotion::Flying) {
                    let (friction, restitution) = FRUIT;
                    let ball = Ball {
                        position: now.pose.point(now.com_in_body),
                        rotation: now.pose.rotation,
                        velocity: now.velocity,
                        angular_velocity: now.angular_velocity,
                        radius: now.radius[0],
                        mass: now.mass,
                        restitution,
                        friction,
                    };
                    self.state.join(Who::Fruit { tree: i, body }, &ball);
                    tree.set_free_pose(body, now.pose, now.velocity, now.angular_velocity);
                }
            }
        }
    }

    pub(crate) fn add_collider(&mut self, collider: Collider) -> ColliderId {
        self.state.stand(collider);
        ColliderId(self.state.solids.len() - 1)
    }

    pub(crate) fn colliders(&self) -> impl ExactSizeIterator<Item = &Collider> {
        self.state.solids.iter().map(|s| &s.0)
    }

    pub(crate) fn collider_mut(&mut self, id: ColliderId) -> &mut Collider {
        &mut self.state.solids[id.0].0
    }

    /// Whether any of them moves or may be in the way.
    pub(crate) fn is_awake(&self) -> bool {
        self.state.awake().next().is_some() || !self.state.solids.is_empty()
    }

    /// How many do.
    pub(crate) fn moving(&self) -> u64 {
        self.state.awake().count() as u64
    }

    /// Whether any that moves may meet a tree within `h` s.
    pub(crate) fn may_meet(&self, tree: &Tree, h: f64) -> bool {
        let (reach, poses) = (tree.reach(), tree.poses());
        let meets = |position: Vec3, radius: f32, velocity: Vec3| {
            let near = Near {
                centre: position.into(),
                radius: radius + V3::from(velocity).length() * h as f32 + MARGIN,
            };
            reach.whole_meets(poses, &near)
        };
        self.state.awake().any(|(_, member)| {
            let now = self.state.now(member);
            meets(now.position, now.radius, now.velocity)
        }) || self
            .colliders()
            .any(|c| meets(c.position, c.shape.radius(), c.velocity))
    }

    /// Lets the air act for a step of `h` s that starts `after` s from the start of a frame.
    pub(crate) fn blow(&mut self, frame: &FrameOf, after: f64, h: f64) {
        if frame.fields.is_empty() {
            return;
        }
        let state = &mut self.state;
        for member in state.members.iter().filter(|m| !m.rests) {
            let body = &mut state.bodies[member.handle];
            let velocity = V3::from(body.linvel());
            let sample = BodySample {
                id: match member.who {
                    Who::Ball => BodyId(NOBODY),
                    Who::Fruit { body, .. } => body,
                },
                kind: BodyKind::Fruit,
                mass: member.mass,
                area: core::f32::consts::PI * member.radius * member.radius,
                position: V3::from(body.translation()),
                velocity,
                angular_velocity: V3::from(body.angvel()),
                axis: V3 {
                    x: 0.0,
                    y: 0.0,
                    z: 1.0,
                },
                normal: V3 {
                    x: 0.0,
                    y: 1.0,
                    z: 0.0,
                },
                com_z: 0.0,
                blades: 1.0,
                free: true,
            };
            let (mut force, mut damping) = (V3::zero(), Sym3::zero());
            for field in frame.fields {
                let felt = field.force(frame.seconds + after, &sample);
                force += felt.force;
                damping += felt.damping;
            }
            let h = h as f32;
            let held = Sym3::diagonal(V3::splat(1.0)) + damping.scale(h / member.mass);
            let faster = held.solve(force * (h / member.mass));
            if faster.is_finite() {
                body.set_linvel((velocity + faster).into(), false);
            }
        }
    }

    /// Those that a tree may meet in a step of `h` s.
    pub(crate) fn visit(&self, tree: &mut Tree, gravity: Vec3, h: f64) {
        let mut visitors = core::mem::take(&mut tree.visit.visitors);
        visitors.clear();
        visitors.extend(self.state.awake().map(|(i, member)| {
            let now = self.state.now(member);
            Visitor {
                who: i,
                shape: VisitorShape::Ball { radius: now.radius },
                centre: now.position.into(),
                velocity: V3::from(now.velocity) + V3::from(gravity) * h as f32,
                angular_velocity: now.angular_velocity.into(),
                per_mass: 1.0 / member.mass,
                per_inertia: 2.5 / (member.mass * member.radius * member.radius),
                restitution: member.restitution,
                friction: member.friction,
                impulse: V3::zero(),
                turn: V3::zero(),
                push: V3::zero(),
                touched: false,
            }
        }));
        visitors.extend(self.colliders().map(|collider| Visitor {
            who: self.state.members.len(),
            shape: VisitorShape::Solid {
                shape: collider.shape,
                rotation: collider.rotation.into(),
            },
            centre: collider.position.into(),
            velocity: collider.velocity.into(),
            angular_velocity: V3::zero(),
            per_mass: 0.0,
            per_inertia: 0.0,
            restitution: 0.0,
            friction: collider.friction,
            impulse: V3::zero(),
            turn: V3::zero(),
            push: V3::zero(),
            touched: false,
        }));
        tree.visit.visitors = visitors;
    }

    /// What a tree did to those that met it.
    pub(crate) fn answered(&mut self, visitors: &[Visitor]) {
        let touched = visitors.iter().filter(|v| v.touched && v.per_mass > 0.0);
        for visitor in touched {
            let member = &self.state.members[visitor.who];
            let body = &mut self.state.bodies[member.handle];
            body.apply_impulse(visitor.impulse.into(), true);
            body.apply_torque_impulse(visitor.turn.into(), true);
            let place = body.translation() + Vec3::from(visitor.push);
            if visitor.push.dot(visitor.push) > 0.0 && place.is_finite() {
                body.set_translation(place, true);
            }
            body.activation_mut().time_since_can_sleep = 0.0;
        }
    }

    /// Contacts among themselves and with the ground, and a step of `h` s.
    pub(crate) fn step(&mut self, gravity: Vec3, ground: &Ground, h: f64) {
        self.state.lay_ground(ground);
        let parts = libm::ceil(h / LONGEST_STEP - 1e-6).max(1.0);
        for _ in 0..parts as u32 {
            self.state.move_solids((h / parts) as f32);
            self.part(gravity, (h / parts) as f32);
        }
    }

    fn part(&mut self, gravity: Vec3, h: f32) {
        let parameters = rapier::IntegrationParameters {
            dt: h,
            // Fruit are small: what is a hair's breadth for a crate is half an apple.
            normalized_allowed_linear_error: 5e-4,
            normalized_prediction_distance: 5e-3,
            contact_recycling: false,
            contact_softness: rapier::SpringCoefficients::new(60.0, 5.0),
            ..rapier::IntegrationParameters::default()
        };
        let state = &mut self.state;
        self.pipeline.step(
            gravity,
            &parameters,
            &mut state.islands,
            &mut state.broad_phase,
            &mut state.narrow_phase,
            &mut state.bodies,
            &mut state.colliders,
            &mut state.joints,
            &mut state.multibodies,
            &mut state.soft_bodies,
            &mut state.ccd,
            &(),
            &(),
        );
    }

    /// Tells trees where their fruit are; returns how many balls and fruit came to rest.
    pub(crate) fn tell(&mut self, trees: &mut [Tree]) -> u64 {
        let mut landed = 0;
        for i in 0..self.state.members.len() {
            let member = self.state.members[i];
            let sleeps = self.state.bodies[member.handle].is_sleeping();
            if sleeps && member.rests {
                continue;
            }
            if let Who::Fruit { tree, body } = member.who {
                let (now, tree) = (self.state.now(&member), &mut trees[tree]);
                let com = tree.body(body).com_in_body;
                let place = BodyPose {
                    position: now.position,
                    rotation: now.rotation,
                };
                let pose = BodyPose {
                    position: place.point(-com),
                    rotation: now.rotation,
                };
                tree.set_free_pose(body, pose, now.velocity, now.angular_velocity);
                if sleeps {
                    tree.set_resting(body);
                    tree.note(body, EventKind::Landed);
                }
            }
            landed += u64::from(sleeps);
            self.state.members[i].rests = sleeps;
        }
        landed
    }

    /// Calls `add` with every number of the motion.
    pub(crate) fn each_number(&self, mut add: impl FnMut(f32)) {
        for member in &self.state.members {
            let ball = self.state.now(member);
            for v in [ball.position, ball.velocity, ball.angular_velocity] {
                v.to_array().into_iter().for_each(&mut add);
            }
            ball.rotation.to_array().into_iter().for_each(&mut add);
        }
    }
}

/// What trees and balls may come closer by in a frame besides their own way, m.
const MARGIN: f32 = 0.2;

impl State {
    fn awake(&self) -> impl Iterator<Item = (usize, &Member)> {
        self.members.iter().enumerate().filter(|(_, m)| !m.rests)
    }

    fn now(&self, member: &Member) -> Ball {
        let body = &self.bodies[member.handle];
        Ball {
            position: body.translation(),
            rotation: *body.rotation(),
            velocity: body.linvel(),
            angular_velocity: body.angvel(),
            radius: member.radius,
            mass: member.mass,
            restitution: member.restitution,
            friction: member.friction,
        }
    }

    fn join(&mut self, who: Who, ball: &Ball) {
        let body = rapier::RigidBodyBuilder::dynamic()
            .pose(rapier::Pose::from_parts(ball.position, ball.rotation))
            .linvel(ball.velocity)
            .angvel(ball.angular_velocity)
            .angular_damping(ROLLING)
            .soft_ccd_prediction(FARTHEST)
            .build();
        let shape = rapier::ColliderBuilder::ball(ball.radius)
            .mass(ball.mass)
            .friction(ball.friction)
            .restitution(ball.restitution);
        let handle = self.bodies.insert(body);
        self.colliders
            .insert_with_parent(shape, handle, &mut self.bodies);
        self.members.push(Member {
            who,
            handle,
            radius: ball.radius,
            mass: ball.mass,
            restitution: ball.restitution,
            friction: ball.friction,
            rests: false,
        });
    }

    /// Puts a collider into the world.
    fn stand(&mut self, collider: Collider) {
        let place = rapier::Pose::from_parts(collider.position, collider.rotation);
        let body = rapier::RigidBodyBuilder::kinematic_position_based().pose(place);
        let shape = match collider.shape {
            ColliderShape::Sphere { radius } => rapier::ColliderBuilder::ball(radius),
            ColliderShape::Capsule {
                half_length,
                radius,
            } => rapier::ColliderBuilder::capsule_y(half_length, radius),
            ColliderShape::Box { half } => rapier::ColliderBuilder::cuboid(half.x, half.y, half.z),
        };
        let handle = self.bodies.insert(body);
        let shape = shape.friction(collider.friction);
        self.colliders
            .insert_with_parent(shape, handle, &mut self.bodies);
        self.solids.push((collider, handle));
    }

    /// Colliders go on for `h` s.
    fn move_solids(&mut self, h: f32) {
        for (collider, handle) in &mut self.solids {
            collider.position += collider.velocity * h;
            let place = rapier::Pose::from_parts(collider.position, collider.rotation);
            self.bodies[*handle].set_next_kinematic_position(place);
        }
    }

    fn leave(&mut self, gone: impl Fn(&Member) -> bool) {
        for member in self.members.iter().filter(|m| gone(m)) {
            self.bodies.remove(
                member.handle,
                &mut self.islands,
                &mut self.colliders,
                &mut self.joints,
                &mut self.multibodies,
                &mut self.soft_bodies,
                true,
            );
        }
        self.members.retain(|m| !gone(m));
        let balls = self.members.iter().enumerate();
        self.balls = balls
            .filter(|(_, m)| m.who == Who::Ball)
            .map(|(i, _)| i)
            .collect();
    }

    /// Makes rapier's ground that of the world.
    fn lay_ground(&mut self, ground: &Ground) {
        if self.ground.as_ref().is_some_and(|g| g.0 == *ground) {
            return;
        }
        if let Some((_, old)) = self.ground.take() {
            self.colliders.remove(
                old,
                &mut self.islands,
                &mut self.bodies,
                &mut self.soft_bodies,
                true,
            );
        }
        if let Some(shape) = collider_of(ground) {
            let shape = shape.friction(FRUIT.0).restitution(FRUIT.1);
            self.ground = Some((ground.clone(), self.colliders.insert(shape)));
        }
    }
}

fn collider_of(ground: &Ground) -> Option<rapier::ColliderBuilder> {
    match ground {
        Ground::None => None,
        Ground::Plane(height) => {
            let plane = rapier::SharedShape::halfspace(Vec3::Y);
            Some(rapier::ColliderBuilder::new(plane).translation(Vec3::Y * *height))
        }
        Ground::Field(field) => {
            let ([x, z], cell) = field.extent();
            let [columns, rows] = field.size();
            let mut heights = Array2::zeros(rows, columns);
            for row in 0..rows {
                for column in 0..columns {
                    heights[(row, column)] = field.height(column, row);
                }
            }
            let (width, depth) = ((columns - 1) as f32 * cell, (rows - 1) as f32 * cell);
            let scale = Vec3::new(width, 1.0, depth);
            // rapier's field lies about its origin.
            let middle = Vec3::new(x + 0.5 * width, 0.0, z + 0.5 * depth);
            Some(rapier::ColliderBuilder::heightfield(heights, scale).translation(middle))
        }
    }
}
