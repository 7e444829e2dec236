//! A tree that can be stepped, asked and changed.

use crate::analytic::forces::Surroundings;
use crate::analytic::pull::Grip;
use crate::block::{Block, Place, State, lay_out};
use crate::desc::{BodyDesc, BodyId, BodyKind, BuildError, TreeDesc};
use crate::forces::{BodyPose, Duration, Load, Pull};
use crate::math::{Quaternion, V3};
use crate::modes::Linearised;
use crate::params::{STANDARD_GRAVITY, Solver, SolverSettings, TreeParams};
use crate::root::{Anchor, RootKind, RootMotion, RootPose};
use crate::{kinematics, stiffness};
use glam::{Quat, Vec3};
use std::sync::Arc;

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
    places: Vec<Place>,
    parent: Vec<u32>,
    branch: Vec<i32>,
    params: TreeParams,
    pub(crate) settings: SolverSettings,
    pub(crate) root: RootKind,
    pub(crate) anchor: Anchor,
    /// Where the tree was built: the pose it holds is the one it had there.
    given_anchor: Anchor,
    pub(crate) motion: Option<Arc<dyn RootMotion>>,
    pub(crate) grips: Vec<(PullId, Grip)>,
    pub(crate) loads: Vec<Load>,
    next_pull: u64,
    /// Rayleigh's α in force, 1/s.
    rayleigh_alpha: f32,
}

/// Names a pull until it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PullId(u64);

/// The motion of a tree at one time, to go back to.
#[derive(Clone)]
pub struct Snapshot {
    states: Vec<State>,
    anchor: Anchor,
    grips: Vec<(PullId, Grip)>,
    loads: Vec<Load>,
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
    /// kg.
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
    /// Of the centre of mass, m/s², world.
    pub acceleration: Vec3,
    /// rad/s, world.
    pub angular_velocity: Vec3,
    /// rad/s², world.
    pub angular_acceleration: Vec3,
}

impl Tree {
    /// Checks the description and lays the tree out. It starts at rest in the given pose.
    pub fn build(desc: &TreeDesc, options: TreeOptions) -> Result<Self, BuildError> {
        desc.validate()?;
        options.params.validate(desc.bodies.len())?;
        options.settings.validate()?;
        let (blocks, places) = lay_out(desc);
        let anchor = match &options.motion {
            Some(motion) => Anchor::at(motion.as_ref(), 0.0),
            None => Anchor::still(options.anchor),
        };
        let mut tree = Self {
            blocks,
            places,
            parent: desc
                .bodies
                .iter()
                .map(|b| b.parent.unwrap_or(u32::MAX))
                .collect(),
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
        let at = self.places[id.index()];
        let (block, i) = (&self.blocks[at.block as usize], at.slot as usize);
        let (m, s) = (&block.model, &block.state);
        let size = m.size.get(i);
        let (length, radius) = match m.kind[i] {
            BodyKind::Segment => (size.x, [size.y, size.z]),
            BodyKind::Leaf => (size.x, [0.5 * size.y, 0.0]),
            BodyKind::Fruit => (size.y + 2.0 * size.x, [size.x, size.x]),
        };
        let rotation = s.rotation.get(i);
        let com = V3 {
            x: 0.0,
            y: 0.0,
            z: m.com_z[i],
        };
        let arm = rotation.rotate(com);
        let (omega, alpha) = (s.angular_velocity.get(i), s.angular_acceleration.get(i));
        let swing = omega.cross(arm);
        let shift = m.mass[i] * m.com_z[i] * m.com_z[i];
        let about_joint = m.inertia.get(i);
        Body {
            parent: self.parent_of(id),
            kind: m.kind[i],
            branch: self.branch[id.index()],
            length,
            radius,
            mass: m.mass[i],
            com_in_body: com.into(),
            inertia: Vec3::new(about_joint.x - shift, about_joint.y - shift, about_joint.z),
            joint_in_parent: m.joint_in_parent.get(i).into(),
            joint_rotation: m.joint_rotation.get(i).into(),
            stiffness: m.stiffness.get(i).into(),
            rest_theta: m.rest.get(i).into(),
            damping_beta: m.beta[i],
            theta: s.theta.get(i).into(),
            theta_rate: s.rate.get(i).into(),
            pose: BodyPose {
                position: s.position.get(i).into(),
                rotation: rotation.into(),
            },
            velocity: (s.velocity.get(i) + swing).into(),
            acceleration: (s.acceleration.get(i) + alpha.cross(arm) + omega.cross(swing)).into(),
            angular_velocity: omega.into(),
            angular_acceleration: alpha.into(),
        }
    }

    /// Block and slot of a body.
    pub(crate) fn slot(&self, id: BodyId) -> (&Block, usize) {
        let at = self.places[id.index()];
        (&self.blocks[at.block as usize], at.slot as usize)
    }

    /// Parent of a body, none for the root.
    pub fn parent_of(&self, id: BodyId) -> Option<BodyId> {
        Some(self.parent[id.index()])
            .filter(|&p| p != u32::MAX)
            .map(BodyId)
    }

    /// World pose of a body.
    pub fn pose(&self, id: BodyId) -> BodyPose {
        let at = self.places[id.index()];
        let s = &self.blocks[at.block as usize].state;
        let i = at.slot as usize;
        BodyPose {
            position: s.position.get(i).into(),
            rotation: s.rotation.get(i).into(),
        }
    }

    /// Far end of a body in the world, m: of a segment the end of its wood, of a leaf its tip, of a fruit its lowest point.
    pub fn tip(&self, id: BodyId) -> Vec3 {
        let body = self.body(id);
        body.pose.point(Vec3::new(0.0, 0.0, body.length))
    }

    /// Sets a joint by hand. Call [`Tree::settle_world`] after the last one to move the bodies.
    pub fn set_joint(&mut self, id: BodyId, theta: Vec3, theta_rate: Vec3) {
        let at = self.places[id.index()];
        let s = &mut self.blocks[at.block as usize].state;
        s.theta.set(at.slot as usize, theta.into());
        s.rate.set(at.slot as usize, theta_rate.into());
        s.accel.set(at.slot as usize, V3::zero());
    }

    /// Recomputes all world poses and velocities from joints and anchor.
    pub fn settle_world(&mut self) {
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        kinematics::sweep_spine(spine, &self.anchor);
        for block in rest {
            kinematics::sweep_treelets(block, spine);
        }
    }

    /// Sets the stiffness of one joint, N·m/rad, until the next [`Tree::set_params`]; the pose it rests in does not change.
    pub fn set_joint_stiffness(&mut self, id: BodyId, stiffness: Vec3) {
        let at = self.places[id.index()];
        self.blocks[at.block as usize]
            .model
            .stiffness
            .set(at.slot as usize, stiffness.into());
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
            self.prepare_solver();
        }
        self.tune();
        Ok(())
    }

    /// How it is stepped.
    pub fn settings(&self) -> &SolverSettings {
        &self.settings
    }

    /// Changes how it is stepped.
    pub fn set_settings(&mut self, settings: SolverSettings) -> Result<(), BuildError> {
        settings.validate()?;
        let other = settings.solver != self.settings.solver;
        self.settings = settings;
        if other {
            self.prepare_solver();
        }
        self.tune();
        Ok(())
    }

    /// How the root hangs on the anchor.
    pub fn root_kind(&self) -> RootKind {
        self.root
    }

    /// Lets the tree go, or holds it again where it is.
    pub fn set_root_kind(&mut self, root: RootKind) {
        self.root = root;
    }

    /// Moves the anchor from the next step on; none leaves it where it is, at rest.
    pub fn set_motion(&mut self, motion: Option<Arc<dyn RootMotion>>) {
        self.motion = motion;
    }

    /// Adds a force or torque.
    pub fn add_load(&mut self, load: Load) {
        debug_assert!(load.body.index() < self.len());
        self.loads.push(load);
    }

    /// Removes all loads, held ones too.
    pub fn clear_loads(&mut self) {
        self.loads.clear();
    }

    /// Takes hold of a body.
    pub fn add_pull(&mut self, pull: Pull) -> PullId {
        let id = PullId(self.next_pull);
        self.next_pull += 1;
        let mut way = Vec::new();
        let mut body = Some(pull.body);
        while let Some(id) = body {
            way.push(self.places[id.index()]);
            body = self.parent_of(id);
        }
        way.reverse();
        // So that no step has to: the coupled solver hands pulls to blocks.
        let block = &mut self.blocks[self.places[pull.body.index()].block as usize];
        block.holds.reserve(self.grips.len() + 1);
        self.grips.push((id, Grip::new(pull, way)));
        id
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

    /// The motion as it is now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            states: self.blocks.iter().map(|b| b.state.clone()).collect(),
            anchor: self.anchor,
            grips: self.grips.clone(),
            loads: self.loads.clone(),
        }
    }

    /// Back to a snapshot of this tree: the motion that follows is the same to the last bit.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        assert_eq!(
            snapshot.states.len(),
            self.blocks.len(),
            "the snapshot is of another tree"
        );
        for (block, state) in self.blocks.iter_mut().zip(&snapshot.states) {
            block.state.clone_from(state);
        }
        self.anchor = snapshot.anchor;
        self.grips.clone_from(&snapshot.grips);
        self.loads.clone_from(&snapshot.loads);
    }

    /// A number that differs when any joint or pose differs in any bit. In id order, whatever the order in memory.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Fnv::default();
        for at in &self.places {
            let s = &self.blocks[at.block as usize].state;
            let i = at.slot as usize;
            for v in [
                s.theta.get(i),
                s.rate.get(i),
                s.position.get(i),
                s.velocity.get(i),
                s.angular_velocity.get(i),
            ] {
                [v.x, v.y, v.z].into_iter().for_each(|x| hash.add(x));
            }
            let q = s.rotation.get(i);
            [q.v.x, q.v.y, q.v.z, q.w]
                .into_iter()
                .for_each(|x| hash.add(x));
        }
        hash.0
    }

    /// Bytes held, for the memory figures of benchmarks.
    pub fn bytes(&self) -> usize {
        let per_slot: usize = self.blocks.iter().map(Block::bytes).sum();
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

    /// Adds the loads to the composites; returns how many were not finite.
    pub(crate) fn apply_loads(&mut self) -> u64 {
        let mut healed = 0;
        for load in &self.loads {
            let at = self.places[load.body.index()];
            let (block, i) = (&mut self.blocks[at.block as usize], at.slot as usize);
            let force = V3::from(load.force);
            let arm = block
                .state
                .rotation
                .get(i)
                .rotate(load.point_in_body.into());
            let torque = V3::from(load.torque) + arm.cross(force);
            if !crate::analytic::forces::add(block, i, force, torque) {
                healed += 1;
            }
        }
        healed
    }

    /// Takes the loads out of the composites again; the coupled solver adds them afresh every step.
    pub(crate) fn clear_load_sums(&mut self) {
        for load in &self.loads {
            let at = self.places[load.body.index()];
            let c = &mut self.blocks[at.block as usize].composite;
            c.force.set(at.slot as usize, V3::zero());
            c.torque.set(at.slot as usize, V3::zero());
        }
    }

    /// Drops the loads that were meant for one frame.
    pub(crate) fn end_frame(&mut self) {
        self.loads.retain(|l| l.duration == Duration::Held);
    }

    fn weigh(&mut self) {
        for block in &mut self.blocks {
            stiffness::weigh(block, &self.params);
        }
        self.measure_gravity_torques();
    }

    /// Torque of standard gravity about each joint in the given pose; the motion is left as it is.
    fn measure_gravity_torques(&mut self) {
        let moving = self.snapshot();
        self.anchor = self.given_anchor;
        for block in &mut self.blocks {
            for i in 0..block.len {
                crate::analytic::forces::heal(block, i);
            }
        }
        self.settle_world();
        let around = Surroundings {
            gravity: STANDARD_GRAVITY.into(),
            fields: &[],
            seconds: 0.0,
        };
        self.gather(&around, 1.0);
        self.sum_composites();
        for block in &mut self.blocks {
            for i in 0..block.len {
                // θ = 0, so the joint frame is the body's.
                let back = block.state.rotation.get(i).conjugate();
                block
                    .model
                    .gravity_torque
                    .set(i, back.rotate(block.composite.torque.get(i)));
            }
        }
        self.restore(&moving);
    }

    /// Rayleigh's α in force, 1/s.
    pub fn rayleigh_alpha(&self) -> f32 {
        self.rayleigh_alpha
    }

    fn tune(&mut self) {
        self.rayleigh_alpha = self.params.rayleigh_alpha;
        self.tune_springs();
        self.tune_damping();
    }

    /// Damping that depends on the frequencies of the whole tree.
    fn tune_damping(&mut self) {
        let least = match self.settings.solver {
            Solver::Coupled => f64::from(self.settings.least_damping_ratio),
            Solver::Analytic | Solver::Explicit => 0.0,
        };
        if self.params.damping_ratio.is_none() && least == 0.0 {
            return;
        }
        let linear = Linearised::of(self);
        if let Some(ratio) = self.params.damping_ratio {
            let first = core::f64::consts::TAU * linear.first_frequency();
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
        let floor = (2.0 * least / linear.first_frequency_estimate()) as f32;
        if self.rayleigh_alpha == 0.0 && floor.is_finite() {
            self.each_beta(|_, beta| (beta < floor).then_some(floor));
        }
    }

    fn each_beta(&mut self, new: impl Fn(BodyKind, f32) -> Option<f32>) {
        for block in &mut self.blocks {
            let m = &mut block.model;
            for i in 0..block.len {
                if let Some(beta) = new(m.kind[i], m.beta[i]) {
                    m.beta[i] = beta;
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
        for block in &mut self.blocks {
            stiffness::tune(block, &self.params, &override_of);
        }
    }
}

/// FNV-1a over the bits of floats.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, x: f32) {
        for byte in x.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
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
