//! Trees that do not pass through themselves: contacts between their own stems and leaves (§4.3 and Algorithm 1 of the paper on tree animation with
//! continuous collision detection), for any solver.
//!
//! A frame starts in a clean pose, and a solver says which pose it expects at its end. Between both, joints turn evenly; points go in straight lines but for what [`turning`] tells. Then, in turns,
//!
//! 1. swept boxes of all parts tell which pairs may meet, and [`crate::ccd`] when the first time of each is (lines 4–6);
//! 2. pairs that meet are pushed apart where their joints expect to be, from both elements up to their common ancestor (line 13, Eq. 8–9), at most
//!    [`SelfContactSettings::responses`] times; then
//! 3. joints between two that still meet go only as far as the pair's own first time (lines 7–8), and in the end not at all;
//!
//! until the way to the true pose, after all joints have turned, is clean. That is always reached: two elements between which no joint turns stay to each other as they were.
//! Joints that nothing meets are not touched; they move to the last bit as without contacts.
//!
//! The paper stops the whole tree at the first contact of all and starts again from there. Here every pair has its own time and stops only what lies between its two elements: the rest
//! of the tree does not wait. What is guaranteed is the same: at the end of a frame nothing intersects.
//!
//! | file | idea |
//! |---|---|
//! | [`settings`] | what a user chooses |
//! | [`detect`] | which pairs meet between two poses |
//! | [`way`] | when two do on straight ways |
//! | [`turning`] | how far turning leads off straight ways, and true poses on the way |
//! | [`push`] | what is pushed, and what of it lasts |
//! | [`solve`] | how far, all pairs together, with friction |
//! | [`response`] | where they are pushed |
//! | [`joints`] | which joints lie between two elements, and how far they give way |
//! | [`clear`] | the algorithm |
//! | [`stop`] | what becomes of speeds |

mod clear;
mod detect;
mod joints;
mod push;
mod response;
mod settings;
mod solve;
mod stop;
mod turning;
mod way;

pub(crate) use push::Held;
pub use settings::{ResponseDirections, SelfContactSettings};

use crate::analytic::spring::JointState;
use crate::ccd::Hierarchy;
use crate::desc::{BodyKind, TreeDesc};
use crate::elements::{BladeBend, Elements, LeafPattern};
use crate::forces::Load;
use crate::math::V3;
use crate::params::Solver;
use crate::tree::Tree;
use detect::Sweep;
use joints::Joints;
use std::sync::Arc;

/// What is known of a tree that is kept clean, and scratch for it.
#[derive(Clone)]
pub(crate) struct SelfContact {
    sweep: Sweep,
    joints: Joints,
    /// Stems by the branch that they are cut from, sorted.
    by_branch: Vec<(i32, u32)>,
    /// How long the frame lasts, s.
    frame_secs: f64,
    /// All joints at the start of the frame.
    start: Vec<JointState<f32>>,
    /// How blades were bent then; empty where they do not bend.
    start_bend: Vec<BladeBend>,
    /// What it feels in the frame of contacts of the last one, on both of each pair, and where that acted at the start, m.
    felt: Vec<([Load; 2], [V3<f64>; 2])>,
}

impl SelfContact {
    fn of(tree: &Tree) -> Self {
        let parent = |id| tree.parent_of(id).map(|p| p.0);
        let bodies = tree.ids().map(|id| tree.described(id, parent(id)));
        let desc = TreeDesc {
            bodies: bodies.collect(),
        };
        let elements = Elements::new(&desc, &LeafPattern::default());
        let stems = tree
            .ids()
            .filter(|&id| elements.kind(id.index()) == BodyKind::Segment);
        let mut by_branch: Vec<_> = stems.map(|id| (tree.branch_of(id), id.0)).collect();
        by_branch.sort_unstable();
        Self {
            sweep: Sweep::new(Arc::new(elements), tree),
            joints: Joints::of(tree),
            by_branch,
            frame_secs: 0.0,
            start: Vec::new(),
            start_bend: Vec::new(),
            felt: Vec::new(),
        }
    }
}

impl Tree {
    /// Whether it is kept from passing through itself.
    pub(crate) fn keeps_apart(&self) -> bool {
        self.settings.self_contact.keeps_apart(self.settings.solver)
    }

    /// Before the first step of a frame: the pose that is clean.
    pub(crate) fn note_clean_pose(&mut self, frame_secs: f64) {
        if !self.keeps_apart() {
            self.self_contact = None;
            self.held = Held::default();
            return;
        }
        let mut own = match self.self_contact.take() {
            Some(own) => own,
            None => Box::new(SelfContact::of(self)),
        };
        own.frame_secs = frame_secs;
        own.start.clear();
        own.start.extend(self.ids().map(|id| {
            let (block, slot) = self.slot(id);
            block.joint(slot)
        }));
        own.start_bend.clone_from(&self.blade_bend);
        own.sweep.set_start(self);
        own.felt.clear();
        if self.feels_contacts() {
            let both_on = |pair: &&[Load; 2]| pair.iter().all(|l| self.is_attached(l.body));
            let felt = self.held.loads.iter().filter(both_on);
            own.felt
                .extend(felt.map(|pair| (*pair, pair.map(|load| self.acted_on_at(&load)))));
        }
        for load in own.felt.iter().flat_map(|(pair, _)| *pair) {
            self.add_load(load);
        }
        self.self_contact = Some(own);
    }

    /// Whether its steps feel the forces of contacts. Where joints move each other they must: wood that is not pressed itself would feel the weight and the spring of what is held in
    /// one frame, and in the next not, for ever.
    fn feels_contacts(&self) -> bool {
        self.settings.solver == Solver::Coupled && self.settings.self_contact.force == 0.0
    }

    /// Where a load acts now, m.
    fn acted_on_at(&self, load: &Load) -> V3<f64> {
        let (block, slot) = self.slot(load.body);
        let frame = block.frame(slot);
        let arm = frame.rotation.rotate(load.point_in_body.into());
        (frame.position + arm).widen()
    }

    /// Elements as they are kept apart, where they are.
    pub fn contact_elements(&self) -> Option<&Elements> {
        self.self_contact.as_ref().map(|own| &*own.sweep.elements)
    }
}
