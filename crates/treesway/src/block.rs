//! How a tree lies in memory: blocks of structure-of-arrays, parents before children.
//!
//! A **treelet** is a subtree of at most [`TREELET`] bodies. Block 0 holds the **spine**: every body whose subtree is larger
//! than that (of a small tree: everything). The other blocks hold whole treelets, as many as fit, so that blocks can be
//! swept in parallel and only the spine is serial. The cut into blocks depends on the tree alone, never on the number of
//! threads; that is what keeps sums in one order. Ids are the caller's; `id` and [`Place`] translate.

use crate::analytic::composite::Composites;
use crate::coupled::articulated::Articulated;
use crate::coupled::{Hold, Line};
use crate::desc::{BodyDesc, BodyKind, Shape, TreeDesc};
use crate::math::{Quaternion, Soa3, Soa4, V3, padded};

/// Most bodies of a subtree that is swept as one task; about what stays in a second-level cache.
pub(crate) const TREELET: usize = 2048;

/// Parent of a treelet's first body: it lies in the spine, see [`Block::attached`].
pub(crate) const OUTSIDE: u32 = u32::MAX;

/// Where a body lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) block: u32,
    pub(crate) slot: u32,
}

/// A run of bodies. All arrays have shape n, padded to whole lanes.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) len: usize,
    /// Slot of the parent in this block, smaller than the body's own, or [`OUTSIDE`].
    pub(crate) parent: Vec<u32>,
    pub(crate) id: Vec<u32>,
    /// (slot here, slot of its parent in the spine) of each treelet's first body.
    pub(crate) attached: Vec<(u32, u32)>,
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) composite: Composites,
    /// Of the coupled solver; empty with another.
    pub(crate) lines: Vec<Line>,
    /// (slot of the spine, what it feels of a treelet), by the coupled solver.
    pub(crate) passed_on: Vec<(u32, Articulated<f32>)>,
    /// Pulls on bodies of this block, for the coupled solver.
    pub(crate) holds: Vec<Hold>,
}

/// Constant between edits.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) kind: Vec<BodyKind>,
    /// length, base and tip radius | length, width, thickness | radius, stem length, stem radius; m.
    pub(crate) size: Soa3,
    /// Mass per density, m³.
    pub(crate) volume: Vec<f32>,
    /// Inertia about the joint per density, m⁵.
    pub(crate) unit_inertia: Soa3,
    /// Compliance of the half-cells on both sides of the joint per modulus, m⁻³; 0 for leaves.
    pub(crate) flex: Vec<f32>,
    /// Distance of the joint from the nearest fork along the wood, m.
    pub(crate) from_fork: Vec<f32>,
    /// Joints between the anchor and this body, itself included.
    pub(crate) depth: Vec<f32>,
    pub(crate) com_z: Vec<f32>,       // m
    pub(crate) joint_in_parent: Soa3, // m, parent's frame
    pub(crate) joint_rotation: Soa4,  // parent from joint
    /// Cross-section that meets the wind broadside, m².
    pub(crate) area: Vec<f32>,

    // written by `evaluate`
    pub(crate) mass: Vec<f32>,  // kg
    pub(crate) inertia: Soa3,   // kg·m², diagonal about the joint, body frame
    pub(crate) stiffness: Soa3, // N·m/rad, joint frame
    pub(crate) rest: Soa3,      // θ₀, rad
    pub(crate) beta: Vec<f32>,  // s
    /// Torque of standard gravity on the subtree about the joint in the given pose, N·m, joint frame.
    pub(crate) gravity_torque: Soa3,
}

/// Changes every step.
#[derive(Clone, Debug)]
pub(crate) struct State {
    // written by `springs`
    pub(crate) theta: Soa3, // rad, joint frame
    pub(crate) rate: Soa3,  // rad/s, joint frame, relative to the parent
    pub(crate) accel: Soa3, // rad/s², joint frame
    // written by `kinematics`; position, velocity, acceleration are the joint's
    pub(crate) rotation: Soa4,             // world from body
    pub(crate) position: Soa3,             // m
    pub(crate) velocity: Soa3,             // m/s
    pub(crate) acceleration: Soa3,         // m/s²
    pub(crate) angular_velocity: Soa3,     // rad/s
    pub(crate) angular_acceleration: Soa3, // rad/s²
}

impl State {
    fn new(n: usize) -> Self {
        let zero = || Soa3::filled(n, V3::zero());
        Self {
            theta: zero(),
            rate: zero(),
            accel: zero(),
            rotation: Soa4::filled(n, Quaternion::identity()),
            position: zero(),
            velocity: zero(),
            acceleration: zero(),
            angular_velocity: zero(),
            angular_acceleration: zero(),
        }
    }
}

impl Model {
    fn new(n: usize) -> Self {
        let flat = |v: f32| vec![v; padded(n)];
        let zero = || Soa3::filled(n, V3::zero());
        let one = || Soa3::filled(n, V3::splat(1.0));
        Self {
            kind: vec![BodyKind::Segment; padded(n)],
            size: one(),
            volume: flat(1.0),
            unit_inertia: one(),
            flex: flat(1.0),
            from_fork: flat(f32::INFINITY),
            depth: flat(1.0),
            com_z: flat(0.0),
            joint_in_parent: zero(),
            joint_rotation: Soa4::filled(n, Quaternion::identity()),
            area: flat(0.0),
            mass: flat(1.0),
            inertia: one(),
            stiffness: one(),
            rest: zero(),
            beta: flat(0.0),
            gravity_torque: zero(),
        }
    }

    fn describe(&mut self, slot: usize, body: &BodyDesc, parent: Option<&BodyDesc>) {
        self.kind[slot] = body.shape.kind();
        let (size, area) = match body.shape {
            Shape::Segment { length, base, tip } => ((length, base, tip), length * (base + tip)),
            Shape::Leaf {
                length,
                width,
                thickness,
            } => ((length, width, thickness), 0.5 * length * width),
            Shape::Fruit {
                radius,
                stem_length,
                stem_radius,
            } => (
                (radius, stem_length, stem_radius),
                core::f32::consts::PI * radius * radius,
            ),
        };
        self.size.set(
            slot,
            V3 {
                x: size.0,
                y: size.1,
                z: size.2,
            },
        );
        self.area[slot] = area;
        self.volume[slot] = body.solid.volume as f32;
        let [x, y, z] = body.solid.inertia;
        self.unit_inertia.set(slot, V3 { x, y, z }.narrow());
        self.com_z[slot] = body.solid.com_z() as f32;
        self.flex[slot] = crate::stiffness::flex(body, parent) as f32;
        self.from_fork[slot] = body.from_fork;
        self.joint_in_parent.set(slot, body.joint_in_parent.into());
        self.joint_rotation.set(
            slot,
            Quaternion::from(body.joint_rotation)
                .widen()
                .unit()
                .narrow(),
        );
    }
}

impl Block {
    fn new(ids: &[u32], desc: &TreeDesc) -> Self {
        let n = ids.len();
        let mut model = Model::new(n);
        for (slot, &id) in ids.iter().enumerate() {
            let body = &desc.bodies[id as usize];
            model.describe(slot, body, body.parent.map(|p| &desc.bodies[p as usize]));
        }
        Self {
            len: n,
            parent: vec![OUTSIDE; n],
            id: ids.to_vec(),
            attached: Vec::new(),
            model,
            state: State::new(n),
            composite: Composites::new(n),
            lines: Vec::new(),
            passed_on: Vec::new(),
            holds: Vec::new(),
        }
    }

    /// Memory held, bytes.
    pub(crate) fn bytes(&self) -> usize {
        let (m, s, c) = (&self.model, &self.state, &self.composite);
        let vectors = [
            &m.size,
            &m.unit_inertia,
            &m.joint_in_parent,
            &m.inertia,
            &m.stiffness,
            &m.rest,
            &m.gravity_torque,
            &s.theta,
            &s.rate,
            &s.accel,
            &s.position,
            &s.velocity,
            &s.acceleration,
            &s.angular_velocity,
            &s.angular_acceleration,
            &c.moment,
            &c.force,
            &c.torque,
        ];
        let scalars = [
            &m.volume,
            &m.flex,
            &m.from_fork,
            &m.depth,
            &m.com_z,
            &m.area,
            &m.mass,
            &m.beta,
            &c.mass,
        ];
        let words = [&self.parent, &self.id];
        vectors.iter().map(|a| a.bytes()).sum::<usize>()
            + scalars
                .iter()
                .map(|a| size_of_val(a.as_slice()))
                .sum::<usize>()
            + words
                .iter()
                .map(|a| size_of_val(a.as_slice()))
                .sum::<usize>()
            + [&m.joint_rotation, &s.rotation]
                .iter()
                .map(|a| a.bytes())
                .sum::<usize>()
            + c.inertia.bytes()
            + size_of_val(m.kind.as_slice())
            + size_of_val(self.attached.as_slice())
            + size_of_val(self.lines.as_slice())
    }

    /// Slots that vector kernels run over, padding included.
    pub(crate) fn lanes(&self) -> usize {
        padded(self.len)
    }
}

/// Lays out a valid description.
pub(crate) fn lay_out(desc: &TreeDesc) -> (Vec<Block>, Vec<Place>) {
    let runs = runs(desc);
    let mut places = vec![Place { block: 0, slot: 0 }; desc.bodies.len()];
    for (b, run) in runs.iter().enumerate() {
        for (slot, &id) in run.iter().enumerate() {
            places[id as usize] = Place {
                block: b as u32,
                slot: slot as u32,
            };
        }
    }
    let mut blocks: Vec<Block> = runs.iter().map(|run| Block::new(run, desc)).collect();
    for (id, body) in desc.bodies.iter().enumerate() {
        let at = places[id];
        let Some(parent) = body.parent else { continue };
        let (parent, block) = (places[parent as usize], &mut blocks[at.block as usize]);
        if parent.block == at.block {
            block.parent[at.slot as usize] = parent.slot;
        } else {
            block.attached.push((at.slot, parent.slot));
        }
    }
    let mut depth = vec![0_u32; desc.bodies.len()];
    for (id, body) in desc.bodies.iter().enumerate() {
        depth[id] = 1 + body.parent.map_or(0, |p| depth[p as usize]);
        let at = places[id];
        blocks[at.block as usize].model.depth[at.slot as usize] = depth[id] as f32;
    }
    // In slot order whatever the ids, because the spine adds treelets in this order.
    blocks.iter_mut().for_each(|b| b.attached.sort_unstable());
    (blocks, places)
}

/// Ids of each block in slot order: the spine, then treelets in depth-first order, gathered until a block is full.
fn runs(desc: &TreeDesc) -> Vec<Vec<u32>> {
    let n = desc.bodies.len();
    let mut size = vec![1_u32; n];
    for (id, body) in desc.bodies.iter().enumerate().rev() {
        if let Some(parent) = body.parent {
            size[parent as usize] += size[id];
        }
    }
    let in_spine = |id: u32| n <= TREELET || size[id as usize] as usize > TREELET;
    let mut runs = vec![Vec::new()];
    for id in depth_first(desc) {
        if in_spine(id) {
            runs[0].push(id);
            continue;
        }
        let starts_treelet = desc.bodies[id as usize].parent.is_none_or(&in_spine);
        let last = runs.len() - 1;
        if last == 0 || (starts_treelet && runs[last].len() + size[id as usize] as usize > TREELET)
        {
            runs.push(Vec::new());
        }
        if let Some(run) = runs.last_mut() {
            run.push(id);
        }
    }
    runs
}

/// Ids in depth-first order, children in id order.
fn depth_first(desc: &TreeDesc) -> Vec<u32> {
    let n = desc.bodies.len();
    // Children as linked lists: two words per body instead of a list of lists.
    let (mut first, mut next) = (vec![u32::MAX; n], vec![u32::MAX; n]);
    for (id, body) in desc.bodies.iter().enumerate().rev() {
        if let Some(parent) = body.parent {
            next[id] = first[parent as usize];
            first[parent as usize] = id as u32;
        }
    }
    let mut order = Vec::with_capacity(n);
    let mut stack = vec![0_u32];
    while let Some(id) = stack.pop() {
        order.push(id);
        let from = stack.len();
        let mut child = first[id as usize];
        while child != u32::MAX {
            stack.push(child);
            child = next[child as usize];
        }
        stack[from..].reverse();
    }
    order
}
