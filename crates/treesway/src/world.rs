//! Trees, the forces around them, and time.

use crate::creature::{Creature, CreatureSettings};
use crate::event::Event;
use crate::forces::ForceField;
use crate::ground::Ground;
use crate::params::STANDARD_GRAVITY;
use crate::report::StepReport;
use crate::snow::Snow;
use crate::step::FrameOf;
use crate::tree::{Snapshot, Tree};
use glam::Vec3;
use rayon::prelude::*;

/// Length of a frame, s, unless a world is given another.
pub const FRAME_SECS: f64 = 1.0 / 30.0;

/// Names a tree of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeId(pub usize);

/// Trees that move under the same gravity and the same fields.
pub struct World {
    /// m/s² (default: 9.81 down).
    pub gravity: Vec3,
    /// Wind and other forces over all trees.
    pub fields: Vec<Box<dyn ForceField>>,
    /// What leaves and fruit fall on (default: level, at height 0).
    pub ground: Ground,
    /// Snow that falls on all trees (default: none).
    pub snow: Option<Snow>,
    creatures: Vec<Creature>,
    events: Vec<Event>,
    frame_secs: f64,
    frames: u64,
    trees: Vec<Tree>,
}

/// A world at one time, to go back to.
#[derive(Clone)]
pub struct WorldSnapshot {
    frames: u64,
    trees: Vec<Snapshot>,
    creatures: Vec<Creature>,
}

impl Default for World {
    fn default() -> Self {
        Self::new(FRAME_SECS)
    }
}

impl World {
    /// An empty world whose frames last `frame_secs` s.
    pub fn new(frame_secs: f64) -> Self {
        assert!(
            frame_secs.is_finite() && frame_secs > 0.0,
            "a frame lasts a finite time greater than zero"
        );
        Self {
            gravity: STANDARD_GRAVITY,
            fields: Vec::new(),
            ground: Ground::default(),
            snow: None,
            creatures: Vec::new(),
            events: Vec::new(),
            frame_secs,
            frames: 0,
            trees: Vec::new(),
        }
    }

    /// Adds a tree.
    pub fn add(&mut self, tree: Tree) -> TreeId {
        self.trees.push(tree);
        TreeId(self.trees.len() - 1)
    }

    /// Adds a creature; fails, naming the field, where something is out of its range. Creatures act in the order in which they came.
    pub fn add_creature(&mut self, settings: CreatureSettings) -> Result<usize, (String, String)> {
        self.creatures.push(Creature::new(settings, &self.trees)?);
        Ok(self.creatures.len() - 1)
    }

    /// All creatures.
    pub fn creatures(&self) -> &[Creature] {
        &self.creatures
    }

    /// All trees.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// One tree.
    ///
    /// # Panics
    /// If the world has no such tree.
    pub fn tree(&self, id: TreeId) -> &Tree {
        &self.trees[id.0]
    }

    /// One tree, to change it.
    ///
    /// # Panics
    /// If the world has no such tree.
    pub fn tree_mut(&mut self, id: TreeId) -> &mut Tree {
        &mut self.trees[id.0]
    }

    /// Length of a frame, s.
    pub fn frame_secs(&self) -> f64 {
        self.frame_secs
    }

    /// Time since the start, s.
    pub fn seconds(&self) -> f64 {
        self.frame_secs * self.frames as f64
    }

    /// Moves everything by one frame, trees and their treelets in parallel. Uses the rayon pool it is called in: `pool.install(|| world.step())` chooses the threads, and
    /// the result is the same for any number of them.
    pub fn step(&mut self) -> StepReport {
        let seconds = self.seconds();
        for field in &mut self.fields {
            field.meet(&self.trees);
            field.prepare(seconds, self.frame_secs);
        }
        if let Some(snow) = &mut self.snow {
            snow.meet(&self.trees);
        }
        for (i, creature) in self.creatures.iter_mut().enumerate() {
            creature.before(i, &mut self.trees, self.gravity, seconds, self.frame_secs);
        }
        let frame = FrameOf {
            seconds,
            dt: self.frame_secs,
            gravity: self.gravity,
            fields: &self.fields,
            ground: self.ground,
            snow: self.snow.as_ref(),
            lies_on: None,
        };
        let frame = |tree: &mut Tree| tree.frame(&frame);
        let sum = |mut a: StepReport, b: StepReport| {
            a += b;
            a
        };
        self.frames += 1;
        // Trees do not touch each other: the sums of a report are all that depends on more than one.
        let report = if self.trees.len() > 1 && rayon::current_num_threads() > 1 {
            let reports = self.trees.par_iter_mut().map(frame);
            reports.reduce(StepReport::default, sum)
        } else {
            let reports = self.trees.iter_mut().map(frame);
            reports.fold(StepReport::default(), sum)
        };
        for creature in &mut self.creatures {
            creature.after(&self.trees, self.ground.height());
        }
        self.collect_events();
        report
    }

    /// What happened in the last frame, tree by tree, in the order in which it happened there.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    fn collect_events(&mut self) {
        let seconds = self.seconds();
        self.events.clear();
        for (i, tree) in self.trees.iter_mut().enumerate() {
            self.events.extend(tree.events.drain(..).map(|event| Event {
                seconds,
                tree: TreeId(i),
                ..event
            }));
        }
    }

    /// The world as it is now.
    pub fn snapshot(&self) -> WorldSnapshot {
        WorldSnapshot {
            frames: self.frames,
            trees: self.trees.iter().map(Tree::snapshot).collect(),
            creatures: self.creatures.clone(),
        }
    }

    /// Back to a snapshot of this world.
    pub fn restore(&mut self, snapshot: &WorldSnapshot) {
        assert_eq!(
            snapshot.trees.len(),
            self.trees.len(),
            "the snapshot is of another world"
        );
        self.frames = snapshot.frames;
        self.events.clear();
        self.creatures.clone_from(&snapshot.creatures);
        for (tree, state) in self.trees.iter_mut().zip(&snapshot.trees) {
            tree.restore(state);
        }
    }

    /// Differs when any tree differs in any bit.
    pub fn state_hash(&self) -> u64 {
        let trees = self.trees.iter().map(Tree::state_hash);
        let creatures = self.creatures.iter().flat_map(Creature::numbers);
        let all = trees.chain(creatures.map(|x| u64::from(x.to_bits())));
        all.fold(0, |h: u64, x| h.rotate_left(5) ^ x)
    }
}
