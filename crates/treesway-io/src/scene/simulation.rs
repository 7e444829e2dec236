//! A scene while it runs: the world and what happens to it over time.

use treesway::{Load, Pull, PullId, StepReport, TreeId, World, WorldSnapshot};

/// From `start` until just before `stop`, s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) start: f64,
    pub(super) stop: f64,
}

impl Window {
    fn holds(self, seconds: f64) -> bool {
        (self.start..self.stop).contains(&seconds)
    }
}

#[derive(Clone, Debug)]
pub(super) struct ScheduledPull {
    pub(super) tree: TreeId,
    pub(super) window: Window,
    pub(super) pull: Pull,
    /// While it pulls.
    pub(super) held: Option<PullId>,
}

#[derive(Clone, Debug)]
pub(super) struct ScheduledLoad {
    pub(super) tree: TreeId,
    pub(super) window: Window,
    pub(super) load: Load,
}

/// A world that follows the timeline of a scene.
pub struct Simulation {
    world: World,
    frames: u64,
    pulls: Vec<ScheduledPull>,
    loads: Vec<ScheduledLoad>,
}

impl Simulation {
    pub(super) fn new(
        world: World,
        frames: u64,
        pulls: Vec<ScheduledPull>,
        loads: Vec<ScheduledLoad>,
    ) -> Self {
        Self {
            world,
            frames,
            pulls,
            loads,
        }
    }

    /// Trees and time.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Trees and time, to change them.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// As it stands, to be looked at while this one is stepped elsewhere: without fields.
    pub fn without_fields(&self) -> Self {
        Self {
            world: self.world.without_fields(),
            frames: self.frames,
            pulls: self.pulls.clone(),
            loads: self.loads.clone(),
        }
    }

    /// Back to a snapshot of the world before its first step.
    pub fn restart(&mut self, start: &WorldSnapshot) {
        self.world.restore(start);
        for p in &mut self.pulls {
            p.held = None;
        }
    }

    /// How many frames the scene lasts.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// How many bodies all trees have together.
    pub fn bodies(&self) -> usize {
        self.world.trees().iter().map(treesway::Tree::len).sum()
    }

    /// Moves everything by one frame. Pulls and loads act in the frames that begin within their window.
    pub fn step(&mut self) -> StepReport {
        // Frame times are products of 1/fps, so that the one meant for 2 s may fall a rounding error short of it.
        let seconds = self.world.seconds() + 1e-6 * self.world.frame_secs();
        for p in &mut self.pulls {
            let tree = self.world.tree_mut(p.tree);
            match (p.window.holds(seconds), p.held) {
                (true, None) => p.held = Some(tree.add_pull(p.pull)),
                (false, Some(id)) => {
                    tree.release(id);
                    p.held = None;
                }
                _ => {}
            }
        }
        for l in self.loads.iter().filter(|l| l.window.holds(seconds)) {
            self.world.tree_mut(l.tree).add_load(l.load);
        }
        self.world.step()
    }
}
