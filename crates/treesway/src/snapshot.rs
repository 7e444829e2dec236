//! The motion of a tree at one time: kept, brought back, and as one number.

use crate::analytic::pull::Grip;
use crate::analytic::spring::JointState;
use crate::block::Block;
use crate::breakage::Fragment;
use crate::burden::BurdenState;
use crate::coupled::momentum::Struck;
use crate::coupled::work::Work;
use crate::detach::Off;
use crate::elements::BladeBend;
use crate::follow::{Followed, Simulated};
use crate::forces::Load;
use crate::math::simd::{Row, Tile};
use crate::particles::Particle;
use crate::root::Anchor;
use crate::self_contact::Held;
use crate::shed::Hazards;
use crate::sleep::Sleep;
use crate::snow::SnowBalance;
use crate::spectral::Coming;
use crate::tree::{PullId, Tree};

/// The motion of a tree at one time, to go back to.
#[derive(Clone)]
pub struct Snapshot {
    bodies: usize,
    states: Vec<State>,
    anchor: Anchor,
    struck: Option<Struck>,
    grips: Vec<(PullId, Grip)>,
    loads: Vec<Load>,
    looks: u64,
    off: Off,
    fragments: Vec<Fragment>,
    hazards: Hazards,
    snow: SnowBalance,
    simulated: Simulated,
    followed: Option<Followed>,
    held: Held,
    blade_bend: Vec<BladeBend>,
    /// How it came into the spectral motion it is in.
    spectral: Option<Coming>,
}

/// Motion of a block.
#[derive(Clone)]
pub(crate) struct State {
    joints: Vec<JointState<Row>>,
    frames: Vec<Row>,
    sleep: Sleep,
    /// They change when branches leave.
    particles: Vec<Particle<Row>>,
    /// What a sleeping block passes on to the spine, for each solver.
    passed_on: (Vec<Work>, Vec<Tile>),
    burden: BurdenState,
}

impl State {
    pub(crate) fn of(block: &Block) -> Self {
        let ghosts = if block.sleeps() {
            block.ghost_tiles()
        } else {
            0
        };
        let passed_on = (
            block.work.iter().take(ghosts).cloned().collect(),
            block.composites.iter().take(ghosts).copied().collect(),
        );
        Self {
            joints: block.joints.clone(),
            frames: block.frames.clone(),
            sleep: block.sleep,
            particles: block.particles.clone(),
            passed_on,
            burden: BurdenState::of(block),
        }
    }

    fn bring_back(&self, block: &mut Block) {
        block.joints.clone_from(&self.joints);
        block.frames.clone_from(&self.frames);
        block.sleep = self.sleep;
        block.particles.clone_from(&self.particles);
        let (work, composites) = &self.passed_on;
        for (tile, work) in block.work.iter_mut().zip(work) {
            tile.clone_from(work);
        }
        for (tile, composites) in block.composites.iter_mut().zip(composites) {
            *tile = *composites;
        }
        self.burden.bring_back(block);
    }
}

impl Tree {
    /// The motion as it is now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            bodies: self.len(),
            states: self.blocks.iter().map(State::of).collect(),
            anchor: self.anchor,
            struck: self.struck,
            grips: self.grips.clone(),
            loads: self.loads.clone(),
            looks: self.looks,
            off: self.off.clone(),
            fragments: self.fragments.clone(),
            hazards: self.hazards,
            snow: self.snow,
            simulated: self.simulated.clone(),
            followed: Followed::of(self),
            held: self.held.clone(),
            blade_bend: self.blade_bend.clone(),
            spectral: self.spectral.as_ref().map(|s| s.coming.clone()),
        }
    }

    /// Back to a snapshot of this tree: the motion that follows is the same to the last bit.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        assert_eq!(
            snapshot.bodies,
            self.len(),
            "the snapshot is of another tree"
        );
        self.simulated.clone_from(&snapshot.simulated);
        self.grips.clear();
        self.loads.clear();
        let followed = self.follow.is_some();
        let tuned = self.come_home();
        self.lift_burdens();
        self.restore_bodies(&snapshot.off);
        if let Some(followed) = &snapshot.followed {
            self.bring_back(&followed.states);
            self.leave_home(&followed.moves, tuned);
            self.lift_burdens();
        } else if followed {
            self.prepare_solver();
            if !tuned {
                self.tune();
                self.lift_burdens();
            }
        }
        self.bring_back(&snapshot.states);
        self.looks = snapshot.looks;
        self.hazards = snapshot.hazards;
        self.snow = snapshot.snow;
        self.held.clone_from(&snapshot.held);
        self.blade_bend.clone_from(&snapshot.blade_bend);
        self.fragments.clone_from(&snapshot.fragments);
        self.anchor = snapshot.anchor;
        self.struck = snapshot.struck;
        self.grips.clone_from(&snapshot.grips);
        self.loads.clone_from(&snapshot.loads);
        match (&mut self.spectral, &snapshot.spectral) {
            (Some(now), Some(then)) => now.coming.clone_from(then),
            (now, _) => *now = None,
        }
    }

    fn bring_back(&mut self, states: &[State]) {
        for (block, state) in self.blocks.iter_mut().zip(states) {
            state.bring_back(block);
        }
    }

    /// A number that differs when any joint or pose differs in any bit. In id order, whatever the order in memory.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Fnv::default();
        for id in self.ids() {
            if let Some(motion) = self.off_motion(id) {
                hash.add(motion as u8 as f32);
            }
            let snow = self.snow_mass(id);
            if snow > 0.0 {
                hash.add(snow);
            }
            if let Some(b) = self.blade_bend.get(id.index()) {
                [b.left, b.right, b.curl]
                    .into_iter()
                    .for_each(|x| hash.add(x));
            }
            let (block, slot) = self.slot(id);
            let (joint, frame) = (block.joint(slot), self.frame_of(id));
            for v in [
                joint.theta,
                joint.rate,
                frame.position,
                frame.velocity,
                frame.angular_velocity,
            ] {
                [v.x, v.y, v.z].into_iter().for_each(|x| hash.add(x));
            }
            let q = frame.rotation;
            [q.v.x, q.v.y, q.v.z, q.w]
                .into_iter()
                .for_each(|x| hash.add(x));
        }
        hash.0
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
