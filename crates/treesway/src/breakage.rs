//! Wood that breaks, and what breaks off: a tree of its own that falls, hits the ground and comes to rest.
//!
//! A joint of radius r breaks where bending M and twist T of its spring, K (θ − θ₀), leave the ellipse
//!
//!   (M/M_c)² + (T/T_c)² = 1        M_c = f σ π r³/4        T_c = f s σ π r³/2                        (1)
//!
//! with σ the modulus of rupture of the wood, s its shear strength in parts of that and f a factor of the user's ([`Breakage`]). At M_c the outermost
//! fibre of a round section under M carries σ.
//!
//! Of the joints that are over it at the end of a frame the one that is furthest over breaks first; joints below it on the same branch are then
//! relieved and wait for the next frame.
//!
//! What breaks off is laid out anew as a [`Tree`] whose root is free, with the same masses, springs, angles and rates: no body changes its pose or
//! its velocity, so momentum is kept. It moves by the coupled solver whatever the tree it grew on moves by: the ground pushes it at places that the
//! analytic one would answer too late. The bodies stay ids of the tree they grew on, which says where they are ([`Tree::pose`]); the free tree
//! may shed leaves and break in its turn.

use crate::block::{Block, NOBODY, tile_of};
use crate::coupled::soil::Soil;
use crate::desc::{BodyId, BodyKind, BuildError, TreeDesc};
use crate::detach::OffMotion;
use crate::event::{Event, EventKind};
use crate::math::V3;
use crate::math::simd::{Kernel, ROW, Rows, Vector, dispatch, fetch};
use crate::params::{Solver, SolverSettings, check};
use crate::report::{Counts, StepReport};
use crate::root::{Anchor, RootKind};
use crate::step::{FrameOf, each_block};
use crate::tree::{Tree, TreeOptions};

/// When wood breaks (default: never).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Breakage {
    /// f, factor on the strength of the wood (default: none, wood never breaks).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub factor: Option<f32>,
    /// σ, modulus of rupture, Pa (default: 5e7; green wood: 4e7 to 6e7). Species bring their own.
    pub strength: f32,
    /// s, shear strength along the grain in parts of σ (default: 1/6; green wood: 6 to 9 MPa).
    pub shear_share: f32,
    /// Radius up to which wood never breaks, m (default: 3 mm): green twigs bend double before they do.
    pub least_radius: f32,
}

impl Default for Breakage {
    fn default() -> Self {
        Self {
            factor: None,
            strength: 5e7,
            shear_share: 1.0 / 6.0,
            least_radius: 0.003,
        }
    }
}

impl Breakage {
    /// Names the first setting out of its range.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        let named = [
            ("breakage.factor", self.factor.unwrap_or(1.0)),
            ("breakage.strength", self.strength),
            ("breakage.shear_share", self.shear_share),
        ];
        check(&named, |v| v > 0.0, "a finite number greater than zero")?;
        let least = [("breakage.least_radius", self.least_radius)];
        check(&least, |v| v >= 0.0, "a finite number, zero or more")
    }
}

/// A branch that broke off.
#[derive(Clone)]
pub(crate) struct Fragment {
    /// Free, with ids of its own.
    pub(crate) tree: Tree,
    /// Of each of its bodies the id on the tree it grew on.
    pub(crate) ids: Vec<BodyId>,
    /// Frames since it broke off.
    age: u32,
    /// Where the middle of each body was at the last look.
    seen: Vec<V3<f32>>,
    rests: bool,
    /// What it touched in the last frame in which it moved.
    supports: Vec<Support>,
    /// Where it took its steps of this frame among others.
    done: Option<StepReport>,
}

/// A body that a branch lies on or leans against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Support {
    /// Number of the tree it is or grew on.
    pub(crate) tree: usize,
    pub(crate) body: BodyId,
    /// Where its joint was, m.
    pub(crate) position: V3<f32>,
}

/// Frames between two looks at whether a branch still moves.
const LOOK: u32 = 20;
/// Wood that is nearer to where it was at the last look does not, m. Where bodies are counts and not their speed: what trembles stays where it is.
const NEAR: f32 = 0.02;

const NOWHERE: V3<f32> = V3 {
    x: f32::INFINITY,
    y: f32::INFINITY,
    z: f32::INFINITY,
};

impl Fragment {
    fn new(tree: Tree, ids: Vec<BodyId>) -> Self {
        Self {
            tree,
            seen: vec![NOWHERE; ids.len()],
            ids,
            age: 0,
            rests: false,
            supports: Vec::new(),
            done: None,
        }
    }

    /// Whether it lies still.
    pub(crate) fn rests(&self) -> bool {
        self.rests
    }

    /// What it lies on besides the ground.
    pub(crate) fn supports(&self) -> &[Support] {
        &self.supports
    }

    /// What it lay on has gone, or something struck it.
    pub(crate) fn wake(&mut self) {
        self.rests = false;
        self.age = 0;
        self.seen.fill(NOWHERE);
        self.supports.clear();
    }

    /// It took its steps of this frame among others.
    pub(crate) fn stepped(&mut self, report: StepReport, touched: Vec<Support>) {
        self.done = Some(report);
        self.supports = touched;
    }

    /// Now and then looks whether its wood still moves, or what came off it.
    fn look(&mut self) {
        self.age += 1;
        if !self.age.is_multiple_of(LOOK) {
            return;
        }
        let tree = &self.tree;
        self.rests = tree.off_counts().flying == 0;
        for (id, seen) in tree.ids().zip(&mut self.seen) {
            let (block, slot) = tree.slot(id);
            let (frame, model) = (block.frame(slot), block.model(slot));
            let now = frame.position + frame.rotation.matrix().z * model.com_z;
            let far = (now - *seen).length() > NEAR;
            if far && model.kind() == BodyKind::Segment && tree.is_attached(id) {
                self.rests = false;
            }
            *seen = now;
        }
    }
}

impl Tree {
    /// Breaks a body off with all it carries, outside of a step: from now on they fall as a tree of their own and come to rest on the ground. Ids
    /// stay what they are, and [`Tree::body`] and [`Tree::pose`] tell where they are. A leaf or a fruit comes off as by [`Tree::detach`].
    /// Returns those that came off, parents before children; none where the body is off already.
    ///
    /// # Panics
    /// If it is the root.
    pub fn cut(&mut self, id: BodyId) -> Vec<BodyId> {
        assert!(self.parent_of(id).is_some(), "the root stays");
        if !self.is_attached(id) {
            return Vec::new();
        }
        let (block, slot) = self.slot(id);
        if block.model(slot).kind() != BodyKind::Segment {
            self.note(id, EventKind::Detached);
            return self.detach(id);
        }
        self.note(id, EventKind::Broken);
        let ids = self.detach(id);
        let tree = self.branch_off(&ids);
        for &id in &ids {
            self.set_off_motion(id, OffMotion::Carried);
        }
        self.fragments.push(Fragment::new(tree, ids.clone()));
        ids
    }

    /// The lowest bodies of branches that broke off this tree, and off branches that fell, in the order in which they broke.
    pub fn broken(&self) -> Vec<BodyId> {
        self.fragments.iter().map(|f| f.ids[0]).collect()
    }

    /// A free tree of bodies that are off, parents before children, as they move now.
    fn branch_off(&self, ids: &[BodyId]) -> Self {
        let mut own = std::collections::BTreeMap::new();
        let mut bodies = Vec::with_capacity(ids.len());
        for (i, &id) in ids.iter().enumerate() {
            own.insert(id.0, i as u32);
            let parent = self.parent_of(id).and_then(|p| own.get(&p.0).copied());
            bodies.push(self.described(id, parent));
        }
        // The root's joint is where the body is.
        bodies[0].joint_in_parent = glam::Vec3::ZERO;
        bodies[0].joint_rotation = glam::Quat::IDENTITY;
        let mut params = self.params.clone();
        // What follows from the whole tree is taken over from it below.
        params.overrides.clear();
        params.damping_ratio = None;
        let options = TreeOptions {
            params,
            settings: SolverSettings {
                solver: Solver::Coupled,
                substeps: 0,
                ..self.settings.clone()
            },
            root: RootKind::Free,
            ..TreeOptions::default()
        };
        let mut tree =
            Self::build(&TreeDesc { bodies }, options).expect("bodies of a tree make a tree");
        tree.isa = self.isa;
        tree.hazards = self.hazards;
        tree.rayleigh_alpha = self.rayleigh_alpha;
        for (i, &id) in ids.iter().enumerate() {
            let (from, at) = self.slot(id);
            let (mut model, sizes, mut joint) = (from.model(at), from.sizes(at), from.joint(at));
            if self.keeps_directions() {
                joint = self.joint_in_frame(id, false);
            }
            let (block, slot) = tree.slot_mut(BodyId(i as u32));
            let laid_out = block.model(slot);
            model.depth = laid_out.depth;
            if i == 0 {
                model.joint_rotation = laid_out.joint_rotation;
                model.arm = laid_out.arm;
                joint = crate::analytic::spring::JointState::rest();
            }
            let (tile, lane) = tile_of(slot);
            block.models[tile].set(lane, model);
            block.shapes[tile].set(lane, sizes);
            block.set_joint(slot, joint);
            block.draw_stalk_as(slot, id.0, &self.params.shedding);
        }
        let frame = self.frame_of(ids[0]);
        tree.anchor = Anchor {
            position: frame.position.widen(),
            rotation: frame.rotation.widen().unit(),
            velocity: frame.velocity.widen(),
            angular_velocity: frame.angular_velocity.widen(),
            ..Anchor::default()
        };
        tree.settle_world();
        tree
    }

    /// Breaks what is over its strength, at the end of a frame; returns how many branches.
    pub(crate) fn break_wood(&mut self) -> u64 {
        let breakage = &self.params.breakage;
        let Some(factor) = breakage.factor else {
            return 0;
        };
        let limits = Limits {
            bending: factor * breakage.strength * core::f32::consts::FRAC_PI_4,
            twist: factor * breakage.strength * breakage.shear_share * core::f32::consts::FRAC_PI_2,
            least_radius: breakage.least_radius,
        };
        let isa = self.isa;
        each_block(&mut self.blocks, |block| {
            if !block.sleeps() {
                dispatch(isa, Breaking { block, limits });
            }
            Counts::default()
        });
        let mut over: Vec<(f32, BodyId)> = Vec::new();
        for b in 0..self.blocks.len() {
            let mut breaking = core::mem::take(&mut self.blocks[b].leaving);
            for slot in breaking.drain(..) {
                let block = &self.blocks[b];
                let (model, joint) = (block.model(slot as usize), block.joint(slot as usize));
                let torque = (joint.theta - model.rest).times(model.stiffness);
                let radius = block.sizes(slot as usize).size.y;
                over.push((
                    limits.excess(torque, radius),
                    BodyId(block.id(slot as usize)),
                ));
            }
            // To be used again.
            self.blocks[b].leaving = breaking;
        }
        // Of equals the one nearer to the root.
        over.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut relieved = std::collections::BTreeSet::new();
        let mut broken = 0;
        for (_, id) in over {
            let Some(mut below) = self.parent_of(id) else {
                continue; // The root has nothing to break off from.
            };
            if relieved.contains(&id) || !self.is_attached(id) {
                continue;
            }
            self.cut(id);
            broken += 1;
            while relieved.insert(below) {
                match self.parent_of(below) {
                    Some(parent) => below = parent,
                    None => break,
                }
            }
        }
        broken
    }

    /// Moves what broke off by a frame and brings its bodies along. What breaks off a branch that falls is one more.
    pub(crate) fn fall(&mut self, frame: &FrameOf) -> StepReport {
        let mut report = StepReport::default();
        let mut fragments = core::mem::take(&mut self.fragments);
        let mut broken_on = Vec::new();
        for fragment in fragments.iter_mut().filter(|f| !f.rests) {
            let (tree, ids) = (&mut fragment.tree, &fragment.ids);
            let h = frame.dt / f64::from(tree.settings.steps_per_frame());
            report += fragment.done.take().unwrap_or_else(|| {
                tree.frame(&FrameOf {
                    lies_on: Some(Soil::new(frame.ground, h)),
                    snow: None,
                    ..*frame
                })
            });
            let events = tree.events.drain(..).map(|event| Event {
                body: ids[event.body.index()],
                ..event
            });
            self.events.extend(events);
            for mut piece in tree.fragments.drain(..) {
                for id in &mut piece.ids {
                    *id = ids[id.index()];
                }
                broken_on.push(piece);
            }
            fragment.look();
            let motion = if fragment.rests {
                self.note(fragment.ids[0], EventKind::Landed);
                report.landed += 1;
                OffMotion::Resting
            } else {
                OffMotion::Carried
            };
            for (own, &id) in fragment.tree.ids().zip(&fragment.ids) {
                if fragment.tree.off_motion(own) == Some(OffMotion::Carried) {
                    continue; // It broke off and is a piece of its own.
                }
                let (block, slot) = fragment.tree.slot(own);
                let mut now = block.frame(slot);
                if fragment.rests {
                    now.velocity = V3::zero();
                    now.angular_velocity = V3::zero();
                }
                self.set_off_line(id, now.line(), motion);
            }
        }
        fragments.extend(broken_on);
        self.fragments = fragments;
        report
    }
}

/// M_c/r³ and T_c/r³, Pa, and the radius up to which there are none, m.
#[derive(Clone, Copy)]
struct Limits {
    bending: f32,
    twist: f32,
    least_radius: f32,
}

impl Limits {
    /// Left side of (1).
    #[inline(always)]
    fn excess<T: Vector>(&self, torque: V3<T>, radius: T) -> T {
        let cube = radius * radius * radius;
        let bent = (torque.x * torque.x + torque.y * torque.y)
            / (cube * cube * T::splat(self.bending * self.bending));
        let most = cube * T::splat(self.twist);
        let twisted = torque.z / most;
        bent + twisted * twisted
    }
}

/// How many tiles ahead memory is asked for one: each takes next to no time.
const AHEAD: usize = 12;

/// Finds the joints of a block that are over their strength.
struct Breaking<'a> {
    block: &'a mut Block,
    limits: Limits,
}

impl Kernel for Breaking<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let block = self.block;
        for tile in block.tiles() {
            if tile + AHEAD < block.used {
                fetch(&block.shapes[tile + AHEAD].size.y);
                fetch(&block.models[tile + AHEAD].kind);
            }
            let (model, joint) = (&block.models[tile], &block.joints[tile]);
            let mut lanes = 0;
            for at in (0..ROW).step_by(T::WIDTH) {
                let radius = block.shapes[tile].size.y.load::<T>(at);
                let wood = T::of(f64::from(BodyKind::Segment as u8) + 0.5);
                let is_wood = model.kind.load::<T>(at).lt(wood);
                let thick = T::splat(self.limits.least_radius).lt(radius);
                let can_break = T::bits(is_wood) & T::bits(thick);
                // Most bodies are leaves and twigs: nothing else of them is fetched from memory.
                if can_break != 0 {
                    let bent = joint.theta.load::<T>(at) - model.rest.load(at);
                    let torque = bent.times(model.stiffness.load(at));
                    let over = T::one().lt(self.limits.excess(torque, radius));
                    lanes |= (T::bits(over) & can_break) << at;
                }
            }
            for lane in (0..ROW).filter(|lane| lanes & (1 << lane) != 0) {
                if block.links[tile].id[lane] != NOBODY {
                    block.leaving.push((tile * ROW + lane) as u32);
                }
            }
        }
    }
}
