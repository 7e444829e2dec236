//! How a tree lies in memory: blocks of tiles of sixteen bodies, parents before children.
//!
//! A **treelet** is a subtree of at most [`TREELET`] bodies. Block 0 holds the **spine**: every body whose subtree is larger
//! than that (of a small tree: everything). The other blocks hold whole treelets, as many as fit, so that blocks can be
//! swept in parallel and only the spine is serial. The cut into blocks depends on the tree alone, never on the number of
//! threads; that is what keeps sums in one order. Ids are the caller's; [`Links`] and [`Place`] translate.
//!
//! Within a block bodies are [`schedule`]d in tiles of sixteen such that no body shares the tile of its parent: a sweep moves
//! a whole tile at once. Lanes that stay empty belong to [`NOBODY`]. What moves through the tree, from child to parent or back, lies in
//! **lines** of sixteen numbers per body ([`Block::frames`], [`Work`]), which a tile reads and writes through 16×16
//! transpositions; all else lies in tiles of [`Row`]s.
//!
//! The first tiles of a block are **ghosts**: copies of the bodies of the spine that its treelets grow from (of the spine: of the
//! anchor), so that a parent is always a slot of the same block. The slot after the last ghost takes what empty lanes write.

mod schedule;

use crate::analytic::composite::Composite;
use crate::analytic::spring::JointState;
use crate::burden::Burden;
use crate::coupled::Hold;
use crate::coupled::articulated::Articulated;
use crate::coupled::work::Work;
use crate::desc::{BodyDesc, BodyKind, Shape};
use crate::follow::StandInTile;
use crate::kinematics::{Acceleration, Frame};
use crate::math::simd::{ROW, Row, Rows, fetch, rows};
use crate::math::{Quaternion, Sym3, V3};
use crate::particles::Particle;
use crate::shed::Stalk;
use crate::sleep::Sleep;

pub(crate) use schedule::{lay_out, set_depths};

/// Most bodies of a subtree that is swept as one task; about what stays in a second-level cache.
pub(crate) const TREELET: usize = 2048;

/// Id of an empty lane.
pub(crate) const NOBODY: u32 = u32::MAX;

/// Where a body lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) block: u32,
    pub(crate) slot: u32,
}

impl Place {
    /// A slot of the bodies that are off the tree.
    pub(crate) fn off(slot: usize) -> Self {
        Self {
            block: u32::MAX,
            slot: slot as u32,
        }
    }

    #[inline(always)]
    pub(crate) fn is_off(self) -> bool {
        self.block == u32::MAX
    }

    /// Of a body that follows another, see [`crate::follow`].
    pub(crate) const FOLLOWS: Self = Self {
        block: u32::MAX - 1,
        slot: 0,
    };

    #[inline(always)]
    pub(crate) fn follows(self) -> bool {
        self.block == Self::FOLLOWS.block
    }
}

/// Who the bodies of a tile are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links {
    /// Slot of the parent in this block, in an earlier tile.
    pub(crate) parent: [u32; ROW],
    pub(crate) id: [u32; ROW],
    /// Whether any of them carries another.
    pub(crate) carries: bool,
}

/// What memory is asked for at once, see [`Block::fetch_part`].
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// All constants.
    Model,
    /// Those that place a body on its parent.
    Place,
    Frames,
    /// With links.
    Joints,
    Work,
}

/// A force on a body in this step, about its joint, world frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotLoad {
    pub(crate) slot: usize,
    pub(crate) force: V3<f32>,
    pub(crate) torque: V3<f32>,
}

/// A run of tiles.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Slots of the spine that the first slots stand for; of the spine itself one, the anchor.
    pub(crate) ghosts: Vec<u32>,
    pub(crate) links: Vec<Links>,
    /// Tiles before this one may hold bodies, those from it on hold none: the sweeps end here.
    pub(crate) used: usize,
    pub(crate) models: Vec<Model<Row>>,
    pub(crate) shapes: Vec<Sizes<Row>>,
    pub(crate) joints: Vec<JointState<Row>>,
    /// A line per slot, see [`Frame`].
    pub(crate) frames: Vec<Row>,
    /// Of the analytic solver and of particles; empty with another. A line per slot on the way up, then a tile.
    pub(crate) composites: Vec<[Row; ROW]>,
    /// Of the analytic solver, for springs that move after the way up: how the air holds leaves across and about their axis, N·m/rad.
    pub(crate) held: Vec<[Row; 2]>,
    /// Of the analytic solver where fictitious forces follow the tree's own motion; else empty.
    pub(crate) accelerations: Vec<Acceleration>,
    /// Of the coupled solver; empty with another.
    pub(crate) work: Vec<Work>,
    /// Of the solver of particles; empty with another.
    pub(crate) particles: Vec<Particle<Row>>,
    /// Velocity products of the coupled solver, if it has them: ω_p × ω_rel and ω_p × (ω_p × d).
    pub(crate) biases: Vec<[V3<Row>; 2]>,
    /// Of the coupled solver where contacts are answered: H⁻¹ of every joint; else empty.
    pub(crate) inverses: Vec<Sym3<Row>>,
    /// Of the coupled solver: the first body of the spine with all it carries, before its joint.
    pub(crate) whole: Articulated<f32>,
    /// Pulls on bodies of this block, for the coupled solver.
    pub(crate) holds: Vec<Hold>,
    /// Loads on bodies of this block.
    pub(crate) loads: Vec<SlotLoad>,
    /// How firmly its leaves and fruit hold on; empty where none lets go.
    pub(crate) stalks: Vec<Stalk<Row>>,
    /// Slots of those that let go in this frame.
    pub(crate) leaving: Vec<u32>,
    /// What its bodies carry besides each other.
    pub(crate) burden: Burden,
    /// Bodies that stand for those that follow its own.
    pub(crate) stand_ins: Vec<StandInTile>,
    /// How far those reach that follow a body, from its joint, m; empty where none do.
    pub(crate) spans: Vec<Row>,
    /// Whether it is stepped.
    pub(crate) sleep: Sleep,
    /// Longest way from its ghosts to an end, m; known when blocks may sleep.
    pub(crate) reach: f32,
}

/// What a step reads of a body; constant between edits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model<T> {
    /// Parent from joint.
    pub(crate) joint_rotation: Quaternion<T>,
    /// From the parent's joint to this one, m, joint frame.
    pub(crate) arm: V3<T>,
    /// N·m/rad, joint frame.
    pub(crate) stiffness: V3<T>,
    /// θ₀, rad.
    pub(crate) rest: V3<T>,
    /// kg·m², diagonal about the joint, body frame.
    pub(crate) inertia: V3<T>,
    /// kg.
    pub(crate) mass: T,
    /// Centre of mass along z, m.
    pub(crate) com_z: T,
    /// s.
    pub(crate) beta: T,
    /// Cross-section that meets the wind broadside, m².
    pub(crate) area: T,
    /// Joints between the anchor and this body, itself included.
    pub(crate) depth: T,
    /// [`BodyKind`] as a number.
    pub(crate) kind: T,
}
rows!(
    Model,
    joint_rotation,
    arm,
    stiffness,
    rest,
    inertia,
    mass,
    com_z,
    beta,
    area,
    depth,
    kind
);

/// What only edits read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes<T> {
    /// length, base and tip radius | length, width, thickness | radius, stem length, stem radius; m.
    pub(crate) size: V3<T>,
    /// Mass per density, m³.
    pub(crate) volume: T,
    /// Inertia about the joint per density, m⁵.
    pub(crate) unit_inertia: V3<T>,
    /// Compliance of the half-cells on both sides of the joint per modulus, m⁻³; 0 for leaves.
    pub(crate) flex: T,
    /// Distance of the joint from the nearest fork along the wood, m.
    pub(crate) from_fork: T,
    /// Torque of standard gravity on the subtree about the joint in the given pose, N·m, joint frame.
    pub(crate) gravity_torque: V3<T>,
}
rows!(
    Sizes,
    size,
    volume,
    unit_inertia,
    flex,
    from_fork,
    gravity_torque
);
rows!(JointState, theta, rate, accel);

impl Model<f32> {
    /// What an empty lane has: a unit body that nothing pulls, so that kernels run over it without a NaN.
    pub(crate) const EMPTY: Self = {
        let (zero, one) = (
            V3 {
                x: 0.0,
                y: 0.0,
                z: 0.0,
            },
            V3 {
                x: 1.0,
                y: 1.0,
                z: 1.0,
            },
        );
        Self {
            joint_rotation: Quaternion { v: zero, w: 1.0 },
            arm: zero,
            stiffness: one,
            rest: zero,
            inertia: one,
            mass: 1.0,
            com_z: 0.0,
            beta: 0.0,
            area: 0.0,
            depth: 1.0,
            kind: BodyKind::Segment as u8 as f32,
        }
    };

    pub(crate) fn kind(&self) -> BodyKind {
        BodyKind::of_number(self.kind)
    }

    /// Joint in the parent's frame, m.
    pub(crate) fn joint_in_parent(&self) -> V3<f64> {
        self.joint_rotation.widen().rotate(self.arm.widen())
    }

    fn of(body: &BodyDesc) -> Self {
        let area = match body.shape {
            Shape::Segment { length, base, tip } => length * (base + tip),
            Shape::Leaf { length, width, .. } => 0.5 * length * width,
            Shape::Fruit { radius, .. } => core::f32::consts::PI * radius * radius,
        };
        let turn = Quaternion::from(body.joint_rotation).widen().unit();
        let arm = turn
            .conjugate()
            .rotate(V3::from(body.joint_in_parent).widen());
        Self {
            joint_rotation: turn.narrow(),
            arm: arm.narrow(),
            com_z: body.solid.com_z() as f32,
            area,
            kind: body.shape.kind() as u8 as f32,
            ..Self::EMPTY
        }
    }
}

impl Sizes<f32> {
    fn of(body: &BodyDesc, parent: Option<&BodyDesc>) -> Self {
        let (x, y, z) = match body.shape {
            Shape::Segment { length, base, tip } => (length, base, tip),
            Shape::Leaf {
                length,
                width,
                thickness,
            } => (length, width, thickness),
            Shape::Fruit {
                radius,
                stem_length,
                stem_radius,
            } => (radius, stem_length, stem_radius),
        };
        let [ix, iy, iz] = body.solid.inertia;
        Self {
            size: V3 { x, y, z },
            volume: body.solid.volume as f32,
            unit_inertia: V3 {
                x: ix,
                y: iy,
                z: iz,
            }
            .narrow(),
            flex: crate::stiffness::flex(body, parent) as f32,
            from_fork: body.from_fork,
            gravity_torque: V3::zero(),
        }
    }

    pub(crate) const EMPTY: Self = {
        let (zero, one) = (
            V3 {
                x: 0.0,
                y: 0.0,
                z: 0.0,
            },
            V3 {
                x: 1.0,
                y: 1.0,
                z: 1.0,
            },
        );
        Self {
            size: one,
            volume: 1.0,
            unit_inertia: one,
            flex: 1.0,
            from_fork: f32::INFINITY,
            gravity_torque: zero,
        }
    };
}

/// Tile and lane of a slot.
#[inline(always)]
pub(crate) fn tile_of(slot: usize) -> (usize, usize) {
    (slot / ROW, slot % ROW)
}

/// Sixteen times the same body.
fn tile<R: Rows + Copy>(empty: R, value: R::Of<f32>) -> R
where
    R::Of<f32>: Copy,
{
    let mut tile = empty;
    (0..ROW).for_each(|lane| tile.set(lane, value));
    tile
}

impl Block {
    /// A block of so many tiles, ghosts included, without bodies.
    pub(crate) fn empty(ghosts: Vec<u32>, tiles: usize) -> Self {
        let nothing = ghosts.len() as u32;
        let (zero, none) = (V3::zero(), Sym3::zero());
        let row = V3 {
            x: Row::ZERO,
            y: Row::ZERO,
            z: Row::ZERO,
        };
        let turn = Quaternion {
            v: row,
            w: Row::ZERO,
        };
        let model = Model {
            joint_rotation: turn,
            arm: row,
            stiffness: row,
            rest: row,
            inertia: row,
            mass: Row::ZERO,
            com_z: Row::ZERO,
            beta: Row::ZERO,
            area: Row::ZERO,
            depth: Row::ZERO,
            kind: Row::ZERO,
        };
        let sizes = Sizes {
            size: row,
            volume: Row::ZERO,
            unit_inertia: row,
            flex: Row::ZERO,
            from_fork: Row::ZERO,
            gravity_torque: row,
        };
        let joint = JointState {
            theta: row,
            rate: row,
            accel: row,
        };
        let links = Links {
            parent: [nothing; ROW],
            id: [NOBODY; ROW],
            carries: false,
        };
        Self {
            ghosts,
            links: vec![links; tiles],
            used: tiles,
            models: vec![tile(model, Model::EMPTY); tiles],
            shapes: vec![tile(sizes, Sizes::EMPTY); tiles],
            joints: vec![joint; tiles],
            frames: vec![Frame::at_rest().line(); tiles * ROW],
            composites: Vec::new(),
            held: Vec::new(),
            accelerations: Vec::new(),
            work: Vec::new(),
            particles: Vec::new(),
            biases: Vec::new(),
            inverses: Vec::new(),
            whole: Articulated::rigid(0.0, zero, none, zero, zero),
            holds: Vec::new(),
            loads: Vec::new(),
            stalks: Vec::new(),
            leaving: Vec::new(),
            burden: Burden::default(),
            stand_ins: Vec::new(),
            spans: Vec::new(),
            sleep: Sleep::AWAKE,
            reach: 0.0,
        }
    }

    /// One more tile without bodies.
    pub(crate) fn add_tile(&mut self) {
        let one = Self::empty(Vec::new(), 1);
        self.used += 1;
        self.links.extend(one.links);
        self.models.extend(one.models);
        self.shapes.extend(one.shapes);
        self.joints.extend(one.joints);
        self.frames.extend(one.frames);
    }

    /// Tiles that hold ghosts, before those that hold bodies.
    #[inline(always)]
    pub(crate) fn ghost_tiles(&self) -> usize {
        (self.ghosts.len() + 1).div_ceil(ROW)
    }

    /// Tiles that hold bodies.
    #[inline(always)]
    pub(crate) fn tiles(&self) -> core::ops::Range<usize> {
        self.ghost_tiles()..self.used
    }

    /// Asks for a part of what a sweep reads and writes of a tile, before its turn: its pieces lie too far apart for the processor to guess which
    /// come next. Parts are asked for one by one between pieces of work: a processor has about two dozen lines under way at once, and waits
    /// when it is asked for more.
    #[inline(always)]
    pub(crate) fn fetch_part(&self, tile: usize, part: Part) {
        if tile >= self.links.len() {
            return;
        }
        match part {
            Part::Model => fetch(&self.models[tile]),
            Part::Frames => self.frames[tile * ROW..][..ROW].iter().for_each(fetch),
            Part::Joints => {
                fetch(&self.links[tile]);
                fetch(&self.joints[tile]);
            }
            Part::Place => {
                fetch(&self.models[tile].joint_rotation);
                fetch(&self.models[tile].arm);
            }
            Part::Work => {
                if let Some(work) = self.work.get(tile) {
                    fetch(work);
                }
            }
        }
    }

    /// Slots that hold bodies.
    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> + use<> {
        let mut used = Vec::with_capacity(self.links.len() * ROW);
        for tile in self.tiles() {
            let ids = self.links[tile].id.iter().enumerate();
            used.extend(
                ids.filter(|(_, id)| **id != NOBODY)
                    .map(|(lane, _)| tile * ROW + lane),
            );
        }
        used.into_iter()
    }

    pub(crate) fn id(&self, slot: usize) -> u32 {
        let (tile, lane) = tile_of(slot);
        self.links[tile].id[lane]
    }

    #[inline(always)]
    pub(crate) fn model(&self, slot: usize) -> Model<f32> {
        let (tile, lane) = tile_of(slot);
        self.models[tile].get(lane)
    }

    pub(crate) fn sizes(&self, slot: usize) -> Sizes<f32> {
        let (tile, lane) = tile_of(slot);
        self.shapes[tile].get(lane)
    }

    #[inline(always)]
    pub(crate) fn joint(&self, slot: usize) -> JointState<f32> {
        let (tile, lane) = tile_of(slot);
        self.joints[tile].get(lane)
    }

    pub(crate) fn set_joint(&mut self, slot: usize, joint: JointState<f32>) {
        let (tile, lane) = tile_of(slot);
        self.joints[tile].set(lane, joint);
    }

    #[inline(always)]
    pub(crate) fn frame(&self, slot: usize) -> Frame<f32> {
        Frame::of_line(&self.frames[slot])
    }

    /// Composite of a body after the sweep up.
    pub(crate) fn composite(&self, slot: usize) -> Composite<f32> {
        let (tile, lane) = tile_of(slot);
        Composite::of_columns(&self.composites[tile], lane)
    }

    /// The particle at a body's end, where the tree moves as particles.
    pub(crate) fn particle(&self, slot: usize) -> Option<Particle<f32>> {
        let (tile, lane) = tile_of(slot);
        self.particles.get(tile).map(|tile| tile.get(lane))
    }

    pub(crate) fn describe(&mut self, slot: usize, body: &BodyDesc, parent: Option<&BodyDesc>) {
        let (tile, lane) = tile_of(slot);
        self.models[tile].set(lane, Model::of(body));
        self.shapes[tile].set(lane, Sizes::of(body, parent));
    }

    /// Memory held, bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.ghosts.as_slice())
            + size_of_val(self.links.as_slice())
            + size_of_val(self.models.as_slice())
            + size_of_val(self.shapes.as_slice())
            + size_of_val(self.joints.as_slice())
            + size_of_val(self.frames.as_slice())
            + size_of_val(self.composites.as_slice())
            + size_of_val(self.held.as_slice())
            + size_of_val(self.accelerations.as_slice())
            + size_of_val(self.work.as_slice())
            + size_of_val(self.particles.as_slice())
            + size_of_val(self.biases.as_slice())
            + size_of_val(self.stalks.as_slice())
            + size_of_val(self.stand_ins.as_slice())
    }
}
