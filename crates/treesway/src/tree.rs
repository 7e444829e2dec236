//! A tree that can be stepped, asked and changed.

use crate::analytic::pull::Grip;
use crate::analytic::spring::JointState;
use crate::block::{Block, Place, SlotLoad, lay_out, set_depths, tile_of};
use crate::breakage::Fragment;
use crate::contact::{Reach, Visit, Ways};
use crate::coupled::momentum::Struck;
use crate::desc::{BodyDesc, BodyId, BodyKind, BuildError, TreeDesc};
use crate::detach::{Children, Off};
use crate::elements::BladeBend;
use crate::event::{Event, EventKind};
use crate::follow::{Follow, Simulated};
use crate::forces::{BodyPose, Duration, Load, Pull};
use crate::kinematics::{Acceleration, Frame};
use crate::math::simd::{Isa, ROW, Row, Rows};
use crate::math::{Quaternion, V3};
use crate::params::{STANDARD_GRAVITY, Solver, SolverSettings, TreeParams};
use crate::root::{Anchor, RootKind, RootMotion, RootPose};
use crate::self_contact::{Held, SelfContact};
use crate::shed::Hazards;
use crate::snow::SnowBalance;
use crate::spectral::{Fit, Spectral};
use crate::stems::FreeStep;
use crate::stiffness;
use crate::surroundings::usable;
use crate::world::TreeId;
use glam::{Quat, Vec3};
use std::sync::{Arc, OnceLock};

/// Everything besides the bodies that a tree is made with.
#[derive(Clone, Default)]
pub struct TreeOptions {
    /// Materials and tuning.
    pub params: TreeParams,
    /// How it is stepped.
    pub settings: SolverSettings,
    /// How its root hangs on the anchor.
    pub root: RootKind,
    /// Where the anchor is at the start.
    pub anchor: RootPose,
    /// How the anchor moves, if it does.
    pub motion: Option<Arc<dyn RootMotion>>,
}

/// A tree: bodies with springs between them, and their motion.
#[derive(Clone)]
pub struct Tree {
    pub(crate) blocks: Vec<Block>,
    pub(crate) places: Vec<Place>,
    pub(crate) parent: Vec<u32>,
    /// Known once a body has left.
    pub(crate) children: Option<Children>,
    pub(crate) off: Off,
    /// Branches that broke off.
    pub(crate) fragments: Vec<Fragment>,
    /// Of a free tree: lines of all frames at the start of the step.
    pub(crate) start_lines: Vec<Row>,
    /// What struck it while it stands, and is still felt.
    pub(crate) struck: Option<Struck>,
    /// How much of the time of leaves and fruit has passed.
    pub(crate) hazards: Hazards,
    /// What snow it caught and lost.
    pub(crate) snow: SnowBalance,
    /// What happened since the last frame; the world knows when and on which tree.
    pub(crate) events: Vec<Event>,
    branch: Vec<i32>,
    pub(crate) params: TreeParams,
    pub(crate) settings: SolverSettings,
    pub(crate) root: RootKind,
    pub(crate) anchor: Anchor,
    /// Where the tree was built: the pose it holds is the one it had there.
    pub(crate) given_anchor: Anchor,
    pub(crate) motion: Option<Arc<dyn RootMotion>>,
    pub(crate) grips: Vec<(PullId, Grip)>,
    pub(crate) loads: Vec<Load>,
    next_pull: u64,
    /// Rayleigh's α in force, 1/s.
    pub(crate) rayleigh_alpha: f32,
    /// Vectors that it is stepped with.
    pub(crate) isa: Isa,
    /// First mode, rad/s; known when blocks may sleep.
    pub(crate) slowest: f32,
    /// Frames since the start in which sleepers could be looked at.
    pub(crate) looks: u64,
    /// How far its subtrees reach; known once somebody asked.
    pub(crate) reach: OnceLock<Reach>,
    /// What is near in this step, and scratch for it.
    pub(crate) visit: Visit,
    pub(crate) ways: Ways,
    /// Motion by the spectral solver, made when first stepped by it.
    pub(crate) spectral: Option<Box<Spectral>>,
    /// Which bodies are to move on their own.
    pub(crate) simulated: Simulated,
    /// Where not all do.
    pub(crate) follow: Option<Box<Follow>>,
    /// What keeps it from passing through itself, where something does.
    pub(crate) self_contact: Option<Box<SelfContact>>,
    /// What contacts with itself hold since the last frame.
    pub(crate) held: Held,
    /// Of the solver `contact`: where joints went in the last step before they were held within their limits, and how far they gave way; scratch.
    pub(crate) stem_steps: Vec<FreeStep>,
    /// Of the solver `contact`: torque of every spring in the given pose, N·m, joint frame.
    pub(crate) stem_preload: Vec<V3<f64>>,
    /// Of the solver `contact`: how blades are bent, by body; empty with others.
    pub(crate) blade_bend: Vec<BladeBend>,
    /// What it takes over from a recording of itself.
    pub(crate) spectral_fit: Option<Fit>,
}

/// Names a pull until it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PullId(u64);

/// What changes of a body as it moves; the fields are those of [`Body`].
#[derive(Clone, Copy, Debug)]
pub struct BodyMotion {
    /// Rotation vector of the joint, rad.
    pub theta: Vec3,
    /// Relative angular velocity in the joint frame, rad/s.
    pub theta_rate: Vec3,
    /// World pose of the body's frame; its origin is the joint.
    pub pose: BodyPose,
    /// Of the centre of mass, m/s, world.
    pub velocity: Vec3,
    /// rad/s, world.
    pub angular_velocity: Vec3,
}

/// One body: geometry, material and motion. All in SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Parent, none for the root.
    pub parent: Option<BodyId>,
    /// What it is.
    pub kind: BodyKind,
    /// Branch it was cut from, −1 if none.
    pub branch: i32,
    /// m: of a segment along the wood, of a leaf; of a fruit stem and diameter.
    pub length: f32,
    /// m: at the joint and at the tip of a segment; half the width of a leaf and 0; radius of a fruit twice.
    pub radius: [f32; 2],
    /// kg, with the snow on it and whoever rides on it.
    pub mass: f32,
    /// Centre of mass in the body's frame, m.
    pub com_in_body: Vec3,
    /// Diagonal of the inertia tensor about the centre of mass in the body's frame, kg·m².
    pub inertia: Vec3,
    /// Joint in the parent's frame, m.
    pub joint_in_parent: Vec3,
    /// Parent from joint frame.
    pub joint_rotation: Quat,
    /// N·m/rad about the axes of the joint frame.
    pub stiffness: Vec3,
    /// θ₀ at which the spring is relaxed, rad.
    pub rest_theta: Vec3,
    /// β, s.
    pub damping_beta: f32,
    /// Rotation vector in the joint frame, rad.
    pub theta: Vec3,
    /// Relative angular velocity in the joint frame, rad/s.
    pub theta_rate: Vec3,
    /// World pose of the body's frame; its origin is the joint.
    pub pose: BodyPose,
    /// Of the centre of mass, m/s, world.
    pub velocity: Vec3,
    /// rad/s, world.
    pub angular_velocity: Vec3,
}

impl Tree {
    /// Checks the description and lays the tree out. It starts at rest in the given pose.
    pub fn build(desc: &TreeDesc, options: TreeOptions) -> Result<Self, BuildError> {
        desc.validate()?;
        options.params.validate(desc.bodies.len())?;
        options.settings.validate()?;
        let parent: Vec<u32> = desc
            .bodies
            .iter()
            .map(|b| b.parent.unwrap_or(u32::MAX))
            .collect();
        let (mut blocks, places) = lay_out(&parent);
        for (body, at) in desc.bodies.iter().zip(&places) {
            let below = body.parent.map(|p| &desc.bodies[p as usize]);
            blocks[at.block as usize].describe(at.slot as usize, body, below);
        }
        set_depths(&parent, &mut blocks, &places);
        let anchor = match &options.motion {
            Some(motion) => Anchor::at(motion.as_ref(), 0.0),
            None => Anchor::still(options.anchor),
        };
        let mut tree = Self {
            blocks,
            places,
            parent,
            children: None,
            off: Off::new(),
            fragments: Vec::new(),
            start_lines: Vec::new(),
            struck: None,
            hazards: Hazards::default(),
            snow: SnowBalance::default(),
            events: Vec::new(),
            branch: desc.bodies.iter().map(|b| b.branch).collect(),
            params: options.params,
            settings: options.settings,
            root: options.root,
            anchor,
            given_anchor: anchor,
            motion: options.motion,
            grips: Vec::new(),
            loads: Vec::new(),
            next_pull: 0,
            rayleigh_alpha: 0.0,
            isa: Isa::best(),
            slowest: 0.0,
            looks: 0,
            reach: OnceLock::new(),
            visit: Visit::default(),
            ways: Ways::default(),
            spectral: None,
            simulated: Simulated::default(),
            follow: None,
            self_contact: None,
            held: Held::default(),
            stem_steps: Vec::new(),
            stem_preload: Vec::new(),
            blade_bend: Vec::new(),
            spectral_fit: None,
        };
        tree.weigh();
        tree.tune();
        tree.prepare_solver();
        tree.settle_world();
        Ok(tree)
    }

    /// How many bodies.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Never: a tree has at least its root.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// All ids, parents before children.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = BodyId> + use<> {
        (0..self.len() as u32).map(BodyId)
    }

    /// One body.
    ///
    /// # Panics
    /// If the tree has no such body.
    pub fn body(&self, id: BodyId) -> Body {
        let (block, slot) = self.slot(id);
        let (m, motion) = (block.model(slot), self.motion(id));
        let size = block.sizes(slot).size;
        let kind = m.kind();
        let (length, radius) = match kind {
            BodyKind::Segment => (size.x, [size.y, size.z]),
            BodyKind::Leaf => (size.x, [0.5 * size.y, 0.0]),
            BodyKind::Fruit => (size.y + 2.0 * size.x, [size.x, size.x]),
        };
        let shift = m.mass * m.com_z * m.com_z;
        Body {
            parent: self.parent_of(id),
            kind,
            branch: self.branch[id.index()],
            length,
            radius,
            mass: m.mass,
            com_in_body: Vec3::new(0.0, 0.0, m.com_z),
            inertia: Vec3::new(m.inertia.x - shift, m.inertia.y - shift, m.inertia.z),
            joint_in_parent: m.joint_in_parent().narrow().into(),
            joint_rotation: m.joint_rotation.into(),
            stiffness: m.stiffness.into(),
            rest_theta: m.rest.into(),
            damping_beta: m.beta,
            theta: motion.theta,
            theta_rate: motion.theta_rate,
            pose: motion.pose,
            velocity: motion.velocity,
            angular_velocity: motion.angular_velocity,
        }
    }

    /// How a body moves: the part of [`Self::body`] to ask for frame by frame, a third of the memory.
    ///
    /// # Panics
    /// If the tree has no such body.
    pub fn motion(&self, id: BodyId) -> BodyMotion {
        let (block, slot) = self.slot(id);
        let (joint, frame) = (block.joint(slot), self.frame_of(id));
        let (tile, lane) = tile_of(slot);
        let com = V3 {
            x: 0.0,
            y: 0.0,
            z: block.models[tile].com_z.get(lane),
        };
        let omega = frame.angular_velocity;
        let swing = omega.cross(frame.rotation.rotate(com));
        BodyMotion {
            theta: joint.theta.into(),
            theta_rate: joint.rate.into(),
            pose: BodyPose {
                position: frame.position.into(),
                rotation: frame.rotation.into(),
            },
            velocity: (frame.velocity + swing).into(),
            angular_velocity: omega.into(),
        }
    }

    /// Acceleration of a body's centre of mass, m/s², and its angular acceleration, rad/s², world. Followed from the root, since only joints
    /// keep theirs: the cost goes with the body's depth. Zero of a body that is off the tree.
    pub fn acceleration(&self, id: BodyId) -> (Vec3, Vec3) {
        if !self.is_attached(id) {
            return (Vec3::ZERO, Vec3::ZERO);
        }
        let mut way = vec![id];
        while let Some(parent) = self.parent_of(way[way.len() - 1]) {
            way.push(parent);
        }
        let mut below = Frame::of_anchor(&self.anchor);
        let mut acceleration = Acceleration::of_anchor(&self.anchor);
        for &id in way.iter().rev() {
            let (block, slot) = self.slot(id);
            let own = self.frame_of(id);
            acceleration =
                acceleration.carried(&below, &own, &block.model(slot), &block.joint(slot));
            below = own;
        }
        let (block, slot) = self.slot(id);
        let arm = below.rotation.matrix().z * block.model(slot).com_z;
        let Acceleration { alpha, a } = acceleration;
        let omega = below.angular_velocity;
        let at_com = a + alpha.cross(arm) + omega.cross(omega.cross(arm));
        (at_com.into(), alpha.into())
    }

    /// Slot of the root in the spine.
    pub(crate) fn root_slot(&self) -> usize {
        self.blocks[0].ghost_tiles() * ROW
    }

    /// Vectors that the tree is stepped with; the motion does not depend on them.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Chooses other vectors than the widest, for tests and benchmarks.
    ///
    /// # Panics
    /// If the processor does not have them.
    pub fn set_isa(&mut self, isa: Isa) {
        assert!(isa.is_available(), "this processor has no {}", isa.name());
        self.isa = isa;
    }

    /// Block and slot of a body.
    pub(crate) fn slot(&self, id: BodyId) -> (&Block, usize) {
        let at = self.places[id.index()];
        let block = if at.is_off() {
            &self.off.block
        } else if let (true, Some(follow)) = (at.follows(), &self.follow) {
            return follow.slot(id);
        } else {
            &self.blocks[at.block as usize]
        };
        (block, at.slot as usize)
    }

    /// The same, to change it.
    pub(crate) fn slot_mut(&mut self, id: BodyId) -> (&mut Block, usize) {
        let at = self.places[id.index()];
        let block = if at.is_off() {
            &mut self.off.block
        } else if let (true, Some(follow)) = (at.follows(), &mut self.follow) {
            let at = follow.places[id.index()];
            return (&mut follow.blocks[at.block as usize], at.slot as usize);
        } else {
            &mut self.blocks[at.block as usize]
        };
        (block, at.slot as usize)
    }

    /// Parent of a body, none for the root.
    pub fn parent_of(&self, id: BodyId) -> Option<BodyId> {
        Some(self.parent[id.index()])
            .filter(|&p| p != u32::MAX)
            .map(BodyId)
    }

    /// World pose of a body.
    pub fn pose(&self, id: BodyId) -> BodyPose {
        let frame = self.frame_of(id);
        BodyPose {
            position: frame.position.into(),
            rotation: frame.rotation.into(),
        }
    }

    /// Far end of a body in the world, m: of a segment the end of its wood, of a leaf its tip, of a fruit its lowest point.
    pub fn tip(&self, id: BodyId) -> Vec3 {
        let body = self.body(id);
        body.pose.point(Vec3::new(0.0, 0.0, body.length))
    }

    /// Sets a joint by hand. Call [`Tree::settle_world`] after the last one to move the bodies.
    pub fn set_joint(&mut self, id: BodyId, theta: Vec3, theta_rate: Vec3) {
        let joint = JointState {
            theta: theta.into(),
            rate: theta_rate.into(),
            accel: V3::zero(),
        };
        let (block, slot) = self.slot_mut(id);
        block.set_joint(slot, joint);
        self.wake();
    }

    /// Recomputes all world poses and velocities from joints and anchor.
    pub fn settle_world(&mut self) {
        self.propagate(self.isa);
        self.settle_followers();
    }

    /// Sets the stiffness of one joint, N·m/rad, until the next [`Tree::set_params`]; the pose it rests in does not change.
    pub fn set_joint_stiffness(&mut self, id: BodyId, stiffness: Vec3) {
        let (block, slot) = self.slot_mut(id);
        let (tile, lane) = tile_of(slot);
        block.models[tile].stiffness.set(lane, stiffness.into());
        self.wake();
    }

    /// The parameters in force.
    pub fn params(&self) -> &TreeParams {
        &self.params
    }

    /// Changes masses, springs and dampers while the tree moves; its motion goes on.
    pub fn set_params(&mut self, params: TreeParams) -> Result<(), BuildError> {
        params.validate(self.len())?;
        let densities = |p: &TreeParams| (p.wood.density, p.leaf.density, p.fruit.density);
        let heavier = densities(&params) != densities(&self.params);
        self.params = params;
        if heavier {
            self.weigh();
            self.reach = OnceLock::new();
        }
        self.tune();
        if heavier {
            self.make_stand_ins();
        }
        Ok(())
    }

    /// How it is stepped.
    pub fn settings(&self) -> &SolverSettings {
        &self.settings
    }

    /// Changes how it is stepped.
    pub fn set_settings(&mut self, settings: SolverSettings) -> Result<(), BuildError> {
        settings.validate()?;
        let needs =
            |s: &SolverSettings| (s.solver, s.velocity_products, s.fictitious.internal != 0.0);
        let other = needs(&settings) != needs(&self.settings);
        let (kept, whole) = (self.keeps_directions(), self.moves_whole());
        let before = core::mem::replace(&mut self.settings, settings);
        if kept != self.keeps_directions() && self.follow.is_some() {
            // What the turn of a joint means changes for all: they change it together.
            let settings = core::mem::replace(&mut self.settings, before);
            let chosen = core::mem::take(&mut self.simulated);
            self.choose_again();
            self.set_settings(settings)?;
            return self.simulate_only(&chosen);
        }
        if other {
            self.prepare_solver();
        }
        self.tune();
        if kept != self.keeps_directions() {
            self.read_joints();
        }
        if whole != self.moves_whole() {
            self.choose_again();
        }
        Ok(())
    }

    /// Goes on by another solver from where it is, without a jump and without making anything anew that it had made for it before.
    pub fn set_solver(&mut self, solver: Solver) {
        let spectral = self.spectral.take();
        let settings = SolverSettings {
            solver,
            ..self.settings.clone()
        };
        // Only the solver changes: what was valid stays so.
        let _ = self.set_settings(settings);
        self.spectral = spectral;
    }

    /// How the root hangs on the anchor.
    pub fn root_kind(&self) -> RootKind {
        self.root
    }

    /// Lets the tree go, or holds it again where it is.
    pub fn set_root_kind(&mut self, root: RootKind) {
        self.root = root;
        self.choose_again();
        self.wake();
        if root != RootKind::Clamped {
            // The root's joint, which no longer turns, comes to rest as it is bent.
            let slot = self.root_slot();
            let theta = self.blocks[0].joint(slot).theta;
            let rest = JointState {
                theta,
                ..JointState::rest()
            };
            self.blocks[0].set_joint(slot, rest);
        }
    }

    /// Moves the anchor from the next step on; none leaves it where it is, at rest.
    pub fn set_motion(&mut self, motion: Option<Arc<dyn RootMotion>>) {
        self.motion = motion;
    }

    /// Adds a force or torque. It does nothing where the body is off the tree.
    pub fn add_load(&mut self, load: Load) {
        debug_assert!(load.body.index() < self.len());
        if self.is_attached(load.body) {
            let (body, point_in_body) = self.held_at(load.body, load.point_in_body);
            self.loads.push(Load {
                body,
                point_in_body,
                ..load
            });
        }
    }

    /// Removes all loads, held ones too.
    pub fn clear_loads(&mut self) {
        self.loads.clear();
    }

    /// Takes hold of a body. A pull on one that is off the tree has ended before it began.
    pub fn add_pull(&mut self, pull: Pull) -> PullId {
        let id = PullId(self.next_pull);
        self.next_pull += 1;
        if !self.is_attached(pull.body) {
            return id;
        }
        let (body, point_in_body) = self.held_at(pull.body, pull.point_in_body);
        let pull = Pull {
            body,
            point_in_body,
            ..pull
        };
        let way = self.way_to(pull.body);
        // So that no step has to: the coupled solver hands pulls to blocks.
        let block = &mut self.blocks[self.places[pull.body.index()].block as usize];
        block.holds.reserve(self.grips.len() + 1);
        self.grips.push((id, Grip::new(pull, way)));
        id
    }

    /// Where the bodies from the root to `body` lie.
    pub(crate) fn way_to(&self, body: BodyId) -> Vec<Place> {
        let bodies = core::iter::successors(Some(body), |&id| self.parent_of(id));
        let mut way: Vec<Place> = bodies.map(|id| self.places[id.index()]).collect();
        way.reverse();
        way
    }

    /// Names of all pulls, oldest first.
    pub fn pulls(&self) -> impl DoubleEndedIterator<Item = PullId> + '_ {
        self.grips.iter().map(|g| g.0)
    }

    /// The pull of that name, to move its target or change its strength.
    pub fn pull_mut(&mut self, id: PullId) -> Option<&mut Pull> {
        self.grips
            .iter_mut()
            .find(|g| g.0 == id)
            .map(|g| &mut g.1.pull)
    }

    /// Force with which a pull acted on its body in the last step, N.
    pub fn pull_force(&self, id: PullId) -> Option<Vec3> {
        self.grips
            .iter()
            .find(|g| g.0 == id)
            .map(|g| g.1.force.into())
    }

    /// Lets go.
    pub fn release(&mut self, id: PullId) {
        self.grips.retain(|g| g.0 != id);
    }

    /// Notes what happened to a body.
    pub(crate) fn note(&mut self, id: BodyId, kind: EventKind) {
        let body = self.body(id);
        self.events.push(Event {
            seconds: 0.0,
            tree: TreeId(0),
            body: id,
            kind,
            position: body.pose.point(body.com_in_body),
            velocity: body.velocity,
            impulse: Vec3::ZERO,
        });
    }

    /// Notes what struck in the last step; returns how many.
    pub(crate) fn note_strokes(&mut self) -> u64 {
        let struck = self.visit.strokes.len() as u64;
        for stroke in self.visit.strokes.drain(..) {
            self.events.push(Event {
                seconds: 0.0,
                tree: TreeId(0),
                body: stroke.contact.body,
                kind: EventKind::Hit,
                position: stroke.contact.point.into(),
                velocity: stroke.velocity.into(),
                impulse: stroke.impulse.into(),
            });
        }
        struck
    }

    /// Bytes held, for the memory figures of benchmarks.
    pub fn bytes(&self) -> usize {
        let home = self.follow.iter().flat_map(|f| &f.blocks);
        let all = self.blocks.iter().chain([&self.off.block]).chain(home);
        let per_slot: usize = all.map(Block::bytes).sum();
        per_slot + self.len() * (size_of::<Place>() + size_of::<u32>() + size_of::<i32>())
    }

    /// Where the anchor will be `h` s after `seconds`, unless the tree is free.
    pub(crate) fn next_anchor(&self, seconds: f64, h: f64) -> Anchor {
        match &self.motion {
            Some(motion) => Anchor::at(motion.as_ref(), seconds + h),
            None => Anchor {
                velocity: V3::zero(),
                acceleration: V3::zero(),
                angular_velocity: V3::zero(),
                angular_acceleration: V3::zero(),
                ..self.anchor
            },
        }
    }

    /// Hands each load to the block of its body; returns how many were not finite.
    pub(crate) fn place_loads(&mut self) -> u64 {
        for block in &mut self.blocks {
            block.loads.clear();
        }
        let mut healed = 0;
        for load in &self.loads {
            let at = self.places[load.body.index()];
            let (block, slot) = (&mut self.blocks[at.block as usize], at.slot as usize);
            let force = V3::from(load.force);
            let arm = block.frame(slot).rotation.rotate(load.point_in_body.into());
            let torque = V3::from(load.torque) + arm.cross(force);
            if usable(force) && usable(torque) {
                block.loads.push(SlotLoad {
                    slot,
                    force,
                    torque,
                });
            } else {
                block.set_joint(slot, JointState::rest());
                healed += 1;
            }
        }
        healed
    }

    /// Drops the loads that were meant for one frame.
    pub(crate) fn end_frame(&mut self) {
        self.loads.retain(|l| l.duration == Duration::Held);
    }

    pub(crate) fn weigh(&mut self) {
        self.lift_burdens();
        let home = self.follow.iter_mut().flat_map(|f| &mut f.blocks);
        let rest = [&mut self.off.block].into_iter().chain(home);
        for block in self.blocks.iter_mut().chain(rest) {
            stiffness::weigh(block, &self.params);
        }
        self.measure_gravity_torques();
    }

    /// Branch that a body was cut from, −1 if none.
    pub(crate) fn branch_of(&self, id: BodyId) -> i32 {
        self.branch[id.index()]
    }

    /// Torque of standard gravity about each joint in the given pose (θ = 0), whatever the tree does now.
    fn measure_gravity_torques(&mut self) {
        let gravity = V3::from(STANDARD_GRAVITY).widen();
        let mut rotation: Vec<Quaternion<f32>> = Vec::with_capacity(self.len());
        // Mass and first moment about the joint of each body with all it carries, world axes.
        let mut whole: Vec<(f64, V3<f64>)> = Vec::with_capacity(self.len());
        for (id, &parent) in self.parent.iter().enumerate() {
            // With what has left since: the pose that is held is the one it had with them.
            let (block, slot) = self.slot(BodyId(id as u32));
            let model = block.model(slot);
            let below = match parent {
                u32::MAX => self.given_anchor.rotation,
                parent => rotation[parent as usize].widen(),
            };
            let own = below.times(model.joint_rotation.widen()).unit();
            rotation.push(own.narrow());
            let mass = f64::from(model.mass);
            whole.push((mass, own.matrix().z * (mass * f64::from(model.com_z))));
        }
        for id in (0..self.len()).rev() {
            let (mass, moment) = whole[id];
            let (block, slot) = self.slot_mut(BodyId(id as u32));
            let (tile, lane) = tile_of(slot);
            // θ = 0, so the joint frame is the body's.
            let own = rotation[id].widen();
            let torque = own.conjugate().rotate(moment.cross(gravity));
            block.shapes[tile].gravity_torque.set(lane, torque.narrow());
            let arm = own.rotate(block.model(slot).arm.widen());
            if self.parent[id] != u32::MAX {
                let below = &mut whole[self.parent[id] as usize];
                below.0 += mass;
                below.1 += moment + arm * mass;
            }
        }
    }

    /// Rayleigh's α in force, 1/s.
    pub fn rayleigh_alpha(&self) -> f32 {
        self.rayleigh_alpha
    }

    pub(crate) fn tune(&mut self) {
        self.spectral = None;
        self.lift_burdens();
        if let Some(follow) = &mut self.follow {
            follow.tuned = false;
        }
        self.rayleigh_alpha = self.params.rayleigh_alpha;
        self.tune_springs();
        self.tune_damping();
        self.draw_stalks();
        self.make_particles();
        self.hold_stems();
        self.self_contact = None;
        if self.settings.sleep_error > 0.0 {
            self.prepare_sleep(self.first_sway_estimate());
        } else {
            self.wake();
        }
        self.lay_burdens();
    }

    /// Damping that depends on the frequencies of the whole tree.
    fn tune_damping(&mut self) {
        let least = match self.settings.solver {
            Solver::Coupled => f64::from(self.settings.least_damping_ratio),
            Solver::Analytic
            | Solver::Explicit
            | Solver::Particles
            | Solver::Spectral
            | Solver::Contact => 0.0,
        };
        if self.params.damping_ratio.is_none() && least == 0.0 {
            return;
        }
        if let Some(ratio) = self.params.damping_ratio {
            let first = core::f64::consts::TAU * self.first_frequency();
            let (alpha, beta) = ratio.rayleigh(first);
            self.rayleigh_alpha = alpha;
            self.each_beta(|kind, _| {
                if kind == BodyKind::Segment {
                    Some(beta)
                } else {
                    None
                }
            });
        }
        // ζ = β ω/2 is smallest where ω is.
        if least > 0.0 && self.rayleigh_alpha == 0.0 {
            let floor = (2.0 * least / self.first_sway_estimate()) as f32;
            if floor.is_finite() {
                self.each_beta(|_, beta| (beta < floor).then_some(floor));
            }
        }
    }

    fn each_beta(&mut self, new: impl Fn(BodyKind, f32) -> Option<f32>) {
        for block in self.blocks.iter_mut().chain([&mut self.off.block]) {
            for slot in block.slots() {
                let model = block.model(slot);
                if let Some(beta) = new(model.kind(), model.beta) {
                    let (tile, lane) = tile_of(slot);
                    block.models[tile].beta.set(lane, beta);
                }
            }
        }
    }

    fn tune_springs(&mut self) {
        let override_of = if self.params.overrides.is_empty() {
            Vec::new()
        } else {
            stiffness::override_of(&self.params.overrides, &self.parent)
        };
        for block in self.blocks.iter_mut().chain([&mut self.off.block]) {
            stiffness::tune(block, &self.params, &override_of);
        }
    }
}

/// The description a hand-made chain needs: a segment on the tip of another, in line with it.
pub fn next_segment(parent: u32, parent_length: f32, shape: crate::Shape) -> BodyDesc {
    BodyDesc::new(
        Some(parent),
        shape,
        Vec3::new(0.0, 0.0, parent_length),
        Quaternion::<f32>::identity().into(),
    )
}
