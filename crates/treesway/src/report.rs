//! What a step did and how long it took.

use core::time::Duration;

/// Time per stage and everything out of the ordinary. Reports of several steps or trees add up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Bodies stepped, summed over steps.
    pub bodies: u64,
    /// Steps taken, summed over trees.
    pub steps: u64,
    /// Bodies that would have become non-finite, or were given a force that is; set back to their given pose at rest.
    pub healed: u64,
    /// Joints that met their angle or rate limit.
    pub limited: u64,
    /// Bodies that slept through the frame, summed over frames; see [`crate::SolverSettings::sleep_error`].
    pub asleep: u64,
    /// Leaves, petals and fruit that came off.
    pub detached: u64,
    /// Branches that broke off.
    pub broken: u64,
    /// Leaves, petals, fruit and broken branches that came to rest on the ground.
    pub landed: u64,
    /// Balls, fruit and broken branches that struck a tree or a branch that fell.
    pub collided: u64,
    /// Pairs of stems and leaves of a tree that press on each other or would have met, summed over frames.
    pub touching: u64,
    /// Joints that were returned to where the frame began, because their subtrees could not be parted otherwise.
    pub returned: u64,
    /// Pairs that were looked at for that.
    pub pairs_looked_at: u64,
    /// How often pairs were parted before a frame was clean.
    pub contact_rounds: u64,
    /// Those that flew, summed over frames.
    pub flying: u64,
    /// Those that lay on the ground, summed over frames.
    pub resting: u64,
    /// Bodies that a puff of snow slid off.
    pub puffs: u64,
    /// Time per stage.
    pub times: StageTimes,
}

/// Wall-clock time per stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// Tips to root: forces and what each joint carries; of the analytic solver with the springs of treelets.
    pub up: Duration,
    /// Of the analytic solver: fictitious torques and the springs that are left.
    pub springs: Duration,
    /// Pulls and loads.
    pub pulls: Duration,
    /// Root to tips: world poses; of the coupled solver with all joints.
    pub down: Duration,
    /// What touches the tree, and what touches each other off it.
    pub contact: Duration,
    /// What comes off the tree, and what is off it.
    pub free: Duration,
}

impl StageTimes {
    /// Names and times, in the order of the step.
    pub fn named(&self) -> [(&'static str, Duration); 6] {
        [
            ("up", self.up),
            ("springs", self.springs),
            ("pulls", self.pulls),
            ("down", self.down),
            ("contact", self.contact),
            ("free", self.free),
        ]
    }

    /// All stages together.
    pub fn total(&self) -> Duration {
        self.named().iter().map(|s| s.1).sum()
    }
}

impl core::ops::AddAssign for StepReport {
    fn add_assign(&mut self, o: Self) {
        self.bodies += o.bodies;
        self.steps += o.steps;
        self.healed += o.healed;
        self.limited += o.limited;
        self.asleep += o.asleep;
        self.detached += o.detached;
        self.broken += o.broken;
        self.landed += o.landed;
        self.collided += o.collided;
        self.touching += o.touching;
        self.returned += o.returned;
        self.pairs_looked_at += o.pairs_looked_at;
        self.contact_rounds += o.contact_rounds;
        self.flying += o.flying;
        self.resting += o.resting;
        self.puffs += o.puffs;
        self.times.up += o.times.up;
        self.times.springs += o.times.springs;
        self.times.pulls += o.times.pulls;
        self.times.down += o.times.down;
        self.times.contact += o.times.contact;
        self.times.free += o.times.free;
    }
}

/// What a stage met in some blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) healed: u64,
    pub(crate) limited: u64,
}

impl Counts {
    pub(crate) fn plus(self, o: Self) -> Self {
        Self {
            healed: self.healed + o.healed,
            limited: self.limited + o.limited,
        }
    }
}
