//! Treelets that do not move measurably are left out of the step.
//!
//! With ε half the largest error that is allowed ([`crate::SolverSettings::sleep_error`], m) and ω₁ the slowest mode of the tree:
//!
//! - a block falls asleep when for half a period π/ω₁ none of its bodies was faster than ε ω₁, so that what is left of any mode is
//!   less than ε; its motion is set to zero;
//! - what it passed on to the spine in its last way up is used as long as it sleeps;
//! - it wakes when a load or pull is on it, when the branch it grows from has moved by more than ε, and when anything is set;
//! - every sixteenth frame it is stepped from rest all the same. A force that would move it by ε gives it a speed of at least
//!   ε ω₁² dt in that frame; if it is faster, it stays awake.
//!
//! The spine sleeps when all blocks do; then a frame costs nothing.

use crate::analytic::spring::JointState;
use crate::block::{Block, NOBODY};
use crate::kinematics::{self, Frame};
use crate::math::V3;
use crate::math::simd::{Isa, ROW, Row, Rows};
use crate::params::{Solver, SolverSettings};
use crate::root::RootKind;
use crate::tree::Tree;

/// Frames between two looks at a sleeping block.
const LOOK_EVERY: u64 = 16;

/// Whether a block is stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sleep {
    /// It is, and has been this slow for so long, s.
    Awake { slow_for: f32 },
    /// For one frame.
    Looked,
    /// Once more tips to root, for the spine to know what it carries.
    Falling,
    /// Not at all.
    Asleep,
}

impl Sleep {
    pub(crate) const AWAKE: Self = Self::Awake { slow_for: 0.0 };
}

impl Block {
    #[inline(always)]
    pub(crate) fn sleeps(&self) -> bool {
        self.sleep == Sleep::Asleep
    }

    /// How many bodies it has.
    fn bodies(&self) -> u64 {
        let ids = self.links.iter().flat_map(|links| &links.id);
        ids.filter(|&&id| id != NOBODY).count() as u64
    }

    /// After its last way up.
    pub(crate) fn fall_asleep(&mut self) {
        if self.sleep == Sleep::Falling {
            self.sleep = Sleep::Asleep;
        }
    }

    /// Largest speed of a body's ends, m/s.
    fn fastest(&self) -> f32 {
        let mut fastest = 0.0_f32;
        for tile in self.tiles() {
            for lane in 0..ROW {
                if self.links[tile].id[lane] != NOBODY {
                    let frame = self.frame(tile * ROW + lane);
                    let followed = self.spans.get(tile).map_or(0.0, |s| s.get(lane));
                    let end = (2.0 * self.models[tile].com_z.get(lane)).max(followed);
                    let turning = frame.angular_velocity.length() * end;
                    fastest = fastest.max(frame.velocity.length() + turning);
                }
            }
        }
        fastest
    }

    /// Stops it where it is.
    fn still(&mut self) {
        let zero = V3 {
            x: Row::ZERO,
            y: Row::ZERO,
            z: Row::ZERO,
        };
        for joint in &mut self.joints {
            *joint = JointState {
                theta: joint.theta,
                rate: zero,
                accel: zero,
            };
        }
        for line in &mut self.frames {
            let frame = Frame::of_line(line);
            *line = Frame {
                velocity: V3::zero(),
                angular_velocity: V3::zero(),
                alpha: V3::zero(),
                ..frame
            }
            .line();
        }
    }

    /// After the spine has moved: a sleeping block that would be left behind by more than `error` wakes, and goes with it as it is bent.
    pub(crate) fn wake_if_left_behind(&mut self, spine: &Block, error: f32, isa: Isa) {
        if self.left_behind(spine, error) {
            self.sleep = Sleep::AWAKE;
            kinematics::sweep_treelets(self, spine, isa);
        }
    }

    /// Whether the bodies it grows from have moved by more than `error` since it fell asleep, at its ends.
    fn left_behind(&self, spine: &Block, error: f32) -> bool {
        let mut ghosts = self.ghosts.iter().zip(&self.frames);
        ghosts.any(|(&of, then)| {
            let (now, then) = (spine.frame(of as usize), Frame::of_line(then));
            // |q − q'| is half the angle between them.
            let turn = now.rotation.apart(then.rotation) * 2.0 * self.reach;
            (now.position - then.position).length() + turn > error
        })
    }
}

impl SolverSettings {
    /// ε, m.
    pub(crate) fn error_of_sleep(&self) -> f32 {
        match self.solver {
            Solver::Particles | Solver::Spectral | Solver::Contact => 0.0,
            _ => 0.5 * self.sleep_error,
        }
    }
}

impl Tree {
    /// Everything moves again: something was changed.
    pub(crate) fn wake(&mut self) {
        for block in &mut self.blocks {
            block.sleep = Sleep::AWAKE;
        }
    }

    /// What sleeping needs to know of the tree; outside of a step. `slowest` is its first mode, rad/s.
    pub(crate) fn prepare_sleep(&mut self, slowest: f64) {
        self.wake();
        self.slowest = slowest as f32;
        for block in &mut self.blocks {
            block.reach = reach(block);
        }
    }

    /// How many bodies are stepped.
    pub(crate) fn awake(&self) -> u64 {
        if self.settings.sleep_error == 0.0 {
            return self.moving() as u64;
        }
        let awake = self.blocks.iter().filter(|b| !b.sleeps());
        awake.map(Block::bodies).sum()
    }

    /// Wakes what has reason to; tells whether all of the tree sleeps on.
    pub(crate) fn wake_what_must(&mut self, seconds: f64, dt: f64) -> bool {
        let error = self.settings.error_of_sleep();
        if error == 0.0 {
            return false;
        }
        self.looks += 1;
        for load in &self.loads {
            let at = self.places[load.body.index()];
            self.blocks[at.block as usize].sleep = Sleep::AWAKE;
        }
        for (_, grip) in &self.grips {
            self.blocks[grip.body_place().block as usize].sleep = Sleep::AWAKE;
        }
        let (next, here) = (self.next_anchor(seconds, dt), self.anchor);
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        let turned = next.rotation.narrow().apart(here.rotation.narrow()) * 2.0 * spine.reach;
        let moved = (next.position - here.position).narrow().length() + turned;
        if moved > error || self.root == RootKind::Free {
            spine.sleep = Sleep::AWAKE;
        }
        for (i, block) in rest.iter_mut().enumerate() {
            if block.sleeps() && (self.looks + i as u64).is_multiple_of(LOOK_EVERY) {
                block.sleep = Sleep::Looked;
            }
        }
        if spine.sleeps() {
            let awake = rest.iter().any(|b| !b.sleeps());
            if awake || self.looks.is_multiple_of(LOOK_EVERY) {
                spine.sleep = Sleep::Looked;
            }
        }
        spine.sleeps()
    }

    /// Lets blocks fall asleep at the end of a frame of `dt` s; returns how many bodies slept through it.
    pub(crate) fn let_sleep(&mut self, dt: f64) -> u64 {
        let error = self.settings.error_of_sleep();
        if error == 0.0 {
            return 0;
        }
        let judge = Judge {
            dt: dt as f32,
            slow: error * self.slowest,
            pushed: error * self.slowest * self.slowest * dt as f32,
            half_period: core::f32::consts::PI / self.slowest,
        };
        let mut asleep = 0;
        let (spine, rest) = self.blocks.split_first_mut().expect("a tree has a spine");
        for block in &mut *rest {
            if block.sleeps() {
                asleep += block.bodies();
            } else if judge.tired(block) {
                block.still();
                block.sleep = Sleep::Falling;
            }
        }
        let others = rest
            .iter()
            .all(|b| matches!(b.sleep, Sleep::Asleep | Sleep::Falling));
        // The spine has nobody to tell what it carries. It must not sleep before the last of the others has told it.
        if judge.tired(spine) && others {
            let told = rest.iter().all(Block::sleeps);
            spine.still();
            spine.sleep = if told { Sleep::Asleep } else { Sleep::Looked };
        }
        asleep
    }
}

/// What is slow.
struct Judge {
    dt: f32,
    /// m/s, for half a period.
    slow: f32,
    /// m/s, from rest in a frame.
    pushed: f32,
    half_period: f32,
}

impl Judge {
    /// Whether a block that is awake may fall asleep.
    fn tired(&self, block: &mut Block) -> bool {
        let fastest = block.fastest();
        let slow_for = match block.sleep {
            Sleep::Looked if fastest <= self.pushed => self.half_period,
            Sleep::Awake { slow_for } if fastest <= self.slow => slow_for + self.dt,
            _ => 0.0,
        };
        block.sleep = Sleep::Awake { slow_for };
        slow_for >= self.half_period
    }
}

/// The longest way from what a block grows from to an end of it, along the wood, m.
fn reach(block: &Block) -> f32 {
    let mut ways = vec![0.0_f32; block.links.len() * ROW];
    let mut longest = 0.0_f32;
    for slot in block.slots() {
        let (tile, lane) = crate::block::tile_of(slot);
        let model = block.model(slot);
        let parent = block.links[tile].parent[lane] as usize;
        ways[slot] = ways[parent] + model.arm.length();
        let followed = block.spans.get(tile).map_or(0.0, |s| s.get(lane));
        longest = longest.max(ways[slot] + followed.max(2.0 * model.com_z));
    }
    longest
}
