//! Trees, the forces around them, and time.

use crate::contact::{
    Ball, BallId, Collider, ColliderId, ContactSettings, Rigid, RigidSnapshot, branches_fall,
    step_together,
};
use crate::creature::{Creature, CreatureSettings, Run};
use crate::event::Event;
use crate::forces::ForceField;
use crate::ground::Ground;
use crate::params::STANDARD_GRAVITY;
use crate::report::StepReport;
use crate::snapshot::Snapshot;
use crate::snow::Snow;
use crate::step::FrameOf;
use crate::tree::Tree;
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
    /// What leaves, fruit and balls fall on (default: level, at height 0).
    pub ground: Ground,
    /// Snow that falls on all trees (default: none).
    pub snow: Option<Snow>,
    creatures: Vec<Creature>,
    /// How trees, balls and fruit meet.
    pub contact: ContactSettings,
    rigid: Rigid,
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
    rigid: RigidSnapshot,
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
            contact: ContactSettings::default(),
            rigid: Rigid::default(),
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

    /// Gives a creature further runs, which it goes on with at the end of those it has; fails, naming the field, where one does not lie on a tree or where those it has are others.
    ///
    /// # Panics
    /// If the world has no such creature.
    pub fn lead_creature(
        &mut self,
        creature: usize,
        runs: Vec<Run>,
    ) -> Result<(), (String, String)> {
        self.creatures[creature].lead(runs, &self.trees)
    }

    /// All creatures.
    pub fn creatures(&self) -> &[Creature] {
        &self.creatures
    }

    /// All trees.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// All trees, to change them.
    pub(crate) fn trees_mut(&mut self) -> &mut [Tree] {
        &mut self.trees
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

    /// Sets the time since the start, to the nearest frame: for a world that goes on where another one was.
    pub fn set_seconds(&mut self, seconds: f64) {
        self.frames = (seconds.max(0.0) / self.frame_secs).round() as u64;
    }

    /// Changes the length of frames, s, from the next one on; the time stays, to half a frame.
    ///
    /// # Panics
    /// If it is not a finite time greater than zero.
    pub fn set_frame_secs(&mut self, frame_secs: f64) {
        assert!(
            frame_secs.is_finite() && frame_secs > 0.0,
            "a frame lasts a finite time greater than zero"
        );
        let seconds = self.seconds();
        self.frame_secs = frame_secs;
        self.set_seconds(seconds);
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
        if self.contact.fruit {
            self.rigid.gather(&mut self.trees);
        }
        let frame = FrameOf {
            seconds,
            dt: self.frame_secs,
            gravity: self.gravity,
            fields: &self.fields,
            ground: &self.ground,
            snow: self.snow.as_ref(),
            lies_on: None,
        };
        self.frames += 1;
        let report = if self.rigid.is_awake() || branches_fall(&self.trees, &self.contact) {
            step_together(&mut self.trees, &mut self.rigid, &self.contact, &frame)
        } else {
            step_alone(&mut self.trees, &frame)
        };
        for creature in &mut self.creatures {
            let at = creature.pose().position;
            creature.after(&self.trees, self.ground.height_at(at.x, at.z));
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
            rigid: self.rigid.snapshot(),
        }
    }

    /// The world as it stands, to be looked at while this one is stepped elsewhere: without its fields, of which there are no copies.
    pub fn without_fields(&self) -> Self {
        Self {
            fields: Vec::new(),
            ground: self.ground.clone(),
            snow: self.snow.clone(),
            contact: self.contact.clone(),
            creatures: self.creatures.clone(),
            rigid: self.rigid.clone(),
            events: self.events.clone(),
            trees: self.trees.clone(),
            ..*self
        }
    }

    /// Back to a snapshot of this world. Trees and creatures that came later go.
    pub fn restore(&mut self, snapshot: &WorldSnapshot) {
        assert!(
            snapshot.trees.len() <= self.trees.len(),
            "the snapshot is of another world"
        );
        self.trees.truncate(snapshot.trees.len());
        self.frames = snapshot.frames;
        self.events.clear();
        self.creatures.clone_from(&snapshot.creatures);
        for (tree, state) in self.trees.iter_mut().zip(&snapshot.trees) {
            tree.restore(state);
        }
        self.rigid.restore(&snapshot.rigid);
    }

    /// Throws a ball.
    ///
    /// # Panics
    /// If its radius or mass is not greater than zero, or if a number is not finite.
    pub fn throw(&mut self, ball: Ball) -> BallId {
        let motion = [ball.position, ball.velocity, ball.angular_velocity];
        assert!(
            ball.radius.is_finite()
                && ball.radius > 0.0
                && ball.mass.is_finite()
                && ball.mass > 0.0,
            "a ball has a finite radius and mass greater than zero"
        );
        assert!(
            motion.iter().all(|v| v.is_finite()) && ball.rotation.is_finite(),
            "a ball moves at a finite speed from a place in the world"
        );
        self.rigid.throw(ball)
    }

    /// All balls as they are now, in the order in which they were thrown.
    pub fn balls(&self) -> impl ExactSizeIterator<Item = Ball> + '_ {
        (0..self.rigid.balls()).map(|i| self.rigid.ball(BallId(i)))
    }

    /// One ball as it is now.
    ///
    /// # Panics
    /// If the world has no such ball.
    pub fn ball(&self, id: BallId) -> Ball {
        self.rigid.ball(id)
    }

    /// Puts something into the world that moves as it is told and pushes branches, balls and fruit aside.
    pub fn add_collider(&mut self, collider: Collider) -> ColliderId {
        self.rigid.add_collider(collider)
    }

    /// All colliders, in the order in which they were added.
    pub fn colliders(&self) -> impl ExactSizeIterator<Item = &Collider> + '_ {
        self.rigid.colliders()
    }

    /// One collider, to move it. Its shape stays.
    ///
    /// # Panics
    /// If the world has no such collider.
    pub fn collider_mut(&mut self, id: ColliderId) -> &mut Collider {
        self.rigid.collider_mut(id)
    }

    /// Differs when any tree or ball differs in any bit.
    pub fn state_hash(&self) -> u64 {
        let trees = self.trees.iter().map(Tree::state_hash);
        let creatures = self.creatures.iter().flat_map(Creature::numbers);
        let all = trees.chain(creatures.map(|x| u64::from(x.to_bits())));
        let mut hash = all.fold(0, |h: u64, x| h.rotate_left(5) ^ x);
        self.rigid.each_number(|x| {
            hash = (hash.rotate_left(5) ^ u64::from(x.to_bits())).wrapping_mul(0x0100_0000_01b3);
        });
        hash
    }
}

fn sum(mut a: StepReport, b: StepReport) -> StepReport {
    a += b;
    a
}

/// A frame of trees that nothing comes near.
fn step_alone(trees: &mut [Tree], frame: &FrameOf) -> StepReport {
    // Trees do not touch each other: the sums of a report are all that depends on more than one.
    if trees.len() > 1 && rayon::current_num_threads() > 1 {
        let reports = trees.par_iter_mut().map(|tree| tree.frame(frame));
        reports.reduce(StepReport::default, sum)
    } else {
        let reports = trees.iter_mut().map(|tree| tree.frame(frame));
        reports.fold(StepReport::default(), sum)
    }
}
