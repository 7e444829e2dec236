//! What stands for all that follows a body: a few bodies on it whose joints do not turn.
//!
//! One has the mass of all of them, its centre and its inertia, exactly. The wind meets the others, whose mass does not count twice. Pressure on a leaf is
//! κ ρ A ‖u‖ n nᵀ u, so that for a wind u that is the same all over them leaves with normals n and areas A feel the sum of
//!
//!   N = Σ A n nᵀ = Σₖ λₖ eₖ eₖᵀ,    rₖ = Σ A (n·eₖ)² r / λₖ,                                          (1)
//!
//! which three leaves have, too, of areas λₖ and with normals eₖ, the principal directions; the k-th is put at rₖ, the middle of what it stands for. For wood,
//! t its axis and κ ρ A ‖u⊥‖ u⊥ its drag, the same is done with Σ A t tᵀ: exact where all twigs are parallel or across each other, else within 13 % (twigs
//! in all directions). Where wood is little against the leaves it is one ball on the first stand-in, of 3π/16 of its area: the mean of sin³ over all directions.

use super::Follow;
use super::home::NO_SPAN;
use crate::analytic::composite::Composite;
use crate::analytic::spring::{JointState, eigen};
use crate::block::{Block, Model, NOBODY, Place, tile_of};
use crate::desc::{BodyId, BodyKind};
use crate::kinematics::{Frame, placed};
use crate::math::simd::{ROW, Row, Rows};
use crate::math::{Matrix3, Quaternion, Sym3, V3};
use crate::tree::Tree;

/// Sixteen stand-ins.
#[derive(Clone, Debug)]
pub(crate) struct StandInTile {
    /// Slots of those that carry them.
    pub(crate) carrier: [u32; ROW],
    /// Ids of those that carry them.
    pub(crate) id: [u32; ROW],
    /// Their joints are fixed at `joint_rotation` and `arm`.
    pub(crate) model: Model<Row>,
    /// Whether their mass counts, 1 or 0.
    pub(crate) weighs: Row,
}

/// Wood with less than this of the area of the leaves needs no directions.
const LITTLE_WOOD: f64 = 0.1;
/// A principal direction with less than this of all area is left to the others.
const LITTLE: f64 = 0.02;

/// Surfaces of one kind: (1).
#[derive(Clone, Copy)]
struct Surface {
    area: f64,
    mass: f64,
    /// Σ A n nᵀ.
    spread: Sym3<f64>,
    /// eₖ, as columns.
    axes: Quaternion<f64>,
    areas: [f64; 3],
    /// λₖ rₖ.
    moments: [V3<f64>; 3],
}

impl Surface {
    fn none() -> Self {
        Self {
            area: 0.0,
            mass: 0.0,
            spread: Sym3::zero(),
            axes: Quaternion::identity(),
            areas: [0.0; 3],
            moments: [V3::zero(); 3],
        }
    }

    fn add(&mut self, one: &Follower) {
        self.area += one.area;
        self.mass += one.mass;
        self.spread = self.spread.plus_outer(one.along, one.area);
    }

    /// After all were added: the principal directions.
    fn aim(&mut self) {
        if self.area > 0.0 {
            // Not to divide by a trace of nothing, nor to turn a round spread about.
            let (axes, _) = eigen(self.spread.plus_splat(1e-9 * self.area));
            self.axes = axes.unit();
        }
    }

    /// After that all are added once more.
    fn place(&mut self, one: &Follower) {
        let Matrix3 { x, y, z } = self.axes.matrix();
        for (k, axis) in [x, y, z].into_iter().enumerate() {
            let part = axis.dot(one.along);
            let share = one.area * part * part;
            self.areas[k] += share;
            self.moments[k] += one.centre * share;
        }
    }

    /// Those that stand for them: k, λₖ and rₖ, with λₖ so that none of the area is lost.
    fn principal(&self) -> impl Iterator<Item = (usize, f64, V3<f64>)> + '_ {
        let counts = |area: f64| area > LITTLE * self.area;
        let kept: f64 = self.areas.iter().copied().filter(|&a| counts(a)).sum();
        let shares = (0..3).filter(move |&k| counts(self.areas[k]));
        shares.map(move |k| {
            let area = self.areas[k];
            (k, area * self.area / kept, self.moments[k] * (1.0 / area))
        })
    }
}

/// All that follows a body, in its frame.
#[derive(Clone, Copy)]
struct Bundle {
    whole: Composite<f64>,
    leaves: Surface,
    wood: Surface,
    fruit: f64,
    /// From the joint to the farthest end, m.
    span: f64,
}

/// One of them.
struct Follower {
    kind: BodyKind,
    mass: f64,
    area: f64,
    centre: V3<f64>,
    /// Normal of a leaf, axis of wood.
    along: V3<f64>,
}

impl Bundle {
    fn nothing() -> Self {
        Self {
            whole: Composite::nothing(),
            leaves: Surface::none(),
            wood: Surface::none(),
            fruit: 0.0,
            span: 0.0,
        }
    }

    fn surface(&mut self, kind: BodyKind) -> Option<&mut Surface> {
        match kind {
            BodyKind::Segment => Some(&mut self.wood),
            BodyKind::Leaf => Some(&mut self.leaves),
            BodyKind::Fruit => None,
        }
    }

    fn has_little_wood(&self) -> bool {
        self.wood.area < LITTLE_WOOD * self.leaves.area
    }

    /// The stand-in with the mass of all of them.
    fn weight(&self) -> Model<f64> {
        let whole = &self.whole;
        let centre = whole.moment * (1.0 / whole.mass);
        let inertia = whole
            .inertia
            .plus_outer(centre, whole.mass)
            .plus_splat(-whole.mass * centre.dot(centre));
        let (axes, values) = eigen(inertia);
        let round = if self.has_little_wood() {
            core::f64::consts::PI * 3.0 / 16.0 * self.wood.area
        } else {
            0.0
        };
        Model {
            inertia: values.map(|v| v.max(0.0)),
            ..stand_in(BodyKind::Fruit, axes.unit(), centre, self.fruit + round)
        }
        .with_mass(whole.mass)
    }

    /// Those that the wind meets.
    fn surfaces(&self) -> impl Iterator<Item = Model<f64>> + '_ {
        let little = self.has_little_wood();
        let leaves = self.leaves.principal();
        let leaves = leaves.map(|(k, area, at)| {
            // The normal of a leaf is y.
            let turn = self.leaves.axes.times(onto_y(k));
            stand_in(BodyKind::Leaf, turn, at, area)
                .with_mass(self.leaves.mass * area / self.leaves.area)
        });
        let wood = self.wood.principal().filter(move |_| !little);
        let wood = wood.map(|(k, area, at)| {
            // The axis of wood is z.
            let turn = self.wood.axes.times(onto_y(k)).times(onto_y(2).conjugate());
            stand_in(BodyKind::Segment, turn, at, area)
                .with_mass(self.wood.mass * area / self.wood.area)
        });
        leaves.chain(wood)
    }
}

/// The turn that takes y to the k-th axis.
fn onto_y(k: usize) -> Quaternion<f64> {
    let half = core::f64::consts::FRAC_1_SQRT_2;
    let about = |x: f64, z: f64| Quaternion {
        v: V3 { x, y: 0.0, z },
        w: half,
    };
    match k {
        0 => about(0.0, -half),
        1 => Quaternion::identity(),
        _ => about(half, 0.0),
    }
}

/// A stand-in at a place and turn in the frame of what carries it.
fn stand_in(kind: BodyKind, turn: Quaternion<f64>, at: V3<f64>, area: f64) -> Model<f64> {
    Model {
        joint_rotation: turn,
        arm: turn.conjugate().rotate(at),
        stiffness: V3::zero(),
        rest: V3::zero(),
        inertia: V3::zero(),
        mass: 0.0,
        com_z: 0.0,
        beta: 0.0,
        area,
        depth: 1.0,
        kind: f64::from(kind as u8),
    }
}

impl Model<f64> {
    fn with_mass(self, mass: f64) -> Self {
        Self { mass, ..self }
    }

    fn narrow(self, depth: f32) -> Model<f32> {
        Model {
            joint_rotation: self.joint_rotation.narrow(),
            arm: self.arm.narrow(),
            inertia: self.inertia.narrow(),
            mass: self.mass as f32,
            area: self.area as f32,
            depth,
            kind: self.kind as f32,
            ..Model::EMPTY
        }
    }
}

impl Follow {
    /// Calls `visit` for every body that follows, with the one it follows, in that one's frame.
    fn each_follower(
        &self,
        places: &[Place],
        mut visit: impl FnMut(usize, &Model<f32>, &Frame<f64>),
    ) {
        for block in &self.blocks {
            for slot in block.slots() {
                let id = block.id(slot) as usize;
                if places[id].follows() {
                    let k = self.carrier[id] as usize;
                    let (own, of) = (block.frame(slot), Frame::of_line(&self.then[k]));
                    let back = of.rotation.widen().conjugate();
                    let frame = Frame {
                        rotation: back.times(own.rotation.widen()).unit(),
                        position: back.rotate(own.position.widen() - of.position.widen()),
                        velocity: V3::zero(),
                        angular_velocity: V3::zero(),
                        alpha: V3::zero(),
                    };
                    visit(k, &block.model(slot), &frame);
                }
            }
        }
    }

    fn bundles(&self, places: &[Place]) -> Vec<Bundle> {
        let mut bundles = vec![Bundle::nothing(); self.movers.len()];
        self.each_follower(places, |k, model, frame| {
            let axes = frame.rotation.matrix();
            let one = Follower::of(model, frame);
            let alone = Composite {
                mass: one.mass,
                moment: axes.z * (one.mass * f64::from(model.com_z)),
                inertia: Sym3::rotated_diagonal(axes, model.inertia.widen()),
                ..Composite::nothing()
            };
            let bundle = &mut bundles[k];
            bundle.whole = bundle.whole.joined(alone.shifted(frame.position));
            match bundle.surface(one.kind) {
                Some(surface) => surface.add(&one),
                None => bundle.fruit += one.area,
            }
            let end = frame.position + axes.z * (2.0 * f64::from(model.com_z));
            bundle.span = bundle.span.max(end.length());
        });
        for bundle in &mut bundles {
            bundle.leaves.aim();
            bundle.wood.aim();
        }
        self.each_follower(places, |k, model, frame| {
            let one = Follower::of(model, frame);
            if let Some(surface) = bundles[k].surface(one.kind) {
                surface.place(&one);
            }
        });
        bundles
    }
}

impl Follower {
    fn of(model: &Model<f32>, frame: &Frame<f64>) -> Self {
        let axes = frame.rotation.matrix();
        let kind = model.kind();
        Self {
            kind,
            mass: model.mass.into(),
            area: model.area.into(),
            centre: frame.position + axes.z * f64::from(model.com_z),
            along: if kind == BodyKind::Leaf {
                axes.y
            } else {
                axes.z
            },
        }
    }
}

impl Tree {
    /// Makes the stand-ins anew: what follows has changed, or weighs something else.
    pub(crate) fn make_stand_ins(&mut self) {
        let Some(follow) = &self.follow else {
            return;
        };
        let bundles = follow.bundles(&self.places);
        for block in &mut self.blocks {
            block.stand_ins.clear();
            block.spans = vec![NO_SPAN; block.links.len()];
        }
        for (&id, bundle) in follow.movers.iter().zip(&bundles) {
            let place = self.places[id as usize];
            if bundle.whole.mass > 0.0 && !place.is_off() {
                let block = &mut self.blocks[place.block as usize];
                block.mount(place.slot as usize, BodyId(id), bundle);
            }
        }
    }
}

impl Block {
    /// Calls `visit` for every stand-in with the id of what carries it, its mass as far as it counts, and where it is.
    pub(crate) fn each_stand_in(&self, mut visit: impl FnMut(BodyId, &Model<f32>, &Frame<f32>)) {
        for tile in &self.stand_ins {
            for lane in (0..ROW).filter(|&lane| tile.id[lane] != NOBODY) {
                let mut model = tile.model.get(lane);
                let below = self.frame(tile.carrier[lane] as usize);
                let frame = placed(&below, &model, &JointState::rest(), V3::zero());
                model.mass *= tile.weighs.get(lane);
                visit(BodyId(tile.id[lane]), &model, &frame);
            }
        }
    }

    fn mount(&mut self, slot: usize, id: BodyId, bundle: &Bundle) {
        let depth = self.model(slot).depth;
        let (tile, lane) = tile_of(slot);
        self.spans[tile].set(lane, bundle.span as f32);
        // Sums of tiles that carry nobody are neither cleared nor read.
        self.links[tile].carries = true;
        self.add_stand_in(slot, id, &bundle.weight().narrow(depth), 1.0);
        for surface in bundle.surfaces() {
            self.add_stand_in(slot, id, &surface.narrow(depth), 0.0);
        }
    }

    fn add_stand_in(&mut self, slot: usize, id: BodyId, model: &Model<f32>, weighs: f32) {
        let free = self
            .stand_ins
            .last()
            .and_then(|tile| tile.id.iter().position(|&id| id == NOBODY));
        let lane = free.unwrap_or(0);
        if free.is_none() {
            let empty = Self::empty(self.ghosts.clone(), 1);
            self.stand_ins.push(StandInTile {
                carrier: empty.links[0].parent,
                id: empty.links[0].id,
                model: empty.models[0],
                weighs: Row::ZERO,
            });
        }
        let tile = self
            .stand_ins
            .last_mut()
            .expect("there is one with a free lane");
        tile.carrier[lane] = slot as u32;
        tile.id[lane] = id.0;
        tile.model.set(lane, *model);
        tile.weighs.set(lane, weighs);
    }
}
