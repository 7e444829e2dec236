//! Leaves, petals and fruit that let go: in the wind, and in their season (Quigley 2017, §8).
//!
//! A body lets go where the torque of its spring exceeds a threshold of its own,
//!
//!   |K (θ − θ₀)| > w (1 + s g) m g₀ z                                                                (1)
//!
//! with w the weights that it holds and s their spread ([`Shedding`]), g standard normal by its id, g₀ = 9.81 m/s² and z from its joint to its centre
//! of mass. Counted in its own weight, the threshold is the same for small leaves, large ones and those that stand for many.
//!
//! It also lets go when its time has come: its patience e, exponential by its id, is less than H = ∫ r dt, the rate over time. Of those that
//! are left, a share r then falls per second, whatever the frame rate, and the same ones each time.
//!
//! Reads θ of all leaves and fruit after the way down, once a frame; blocks in parallel, then the bodies that leave in the order of blocks and slots.

use crate::block::{Block, NOBODY, tile_of};
use crate::desc::{BodyId, BodyKind, BuildError};
use crate::detach::OffMotion;
use crate::event::EventKind;
use crate::math::Rng;
use crate::math::simd::{Kernel, ROW, Row, Rows, Vector, dispatch, fetch, rows};
use crate::params::{STANDARD_GRAVITY, check};
use crate::report::Counts;
use crate::sleep::Sleep;
use crate::step::{FrameOf, each_block};
use crate::tree::Tree;

/// How leaves, petals and fruit come off (default: they do not).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Shedding {
    /// Leaves and petals.
    pub leaf: LetGo,
    /// Fruit.
    pub fruit: LetGo,
    /// By how much `hold` differs from body to body: its standard deviation in parts of it, 0 to 1 (default: 0.3).
    pub spread: f32,
    /// Which of them let go first.
    pub seed: u64,
}

impl Default for Shedding {
    fn default() -> Self {
        Self {
            leaf: LetGo::default(),
            fruit: LetGo::default(),
            spread: 0.3,
            seed: 0,
        }
    }
}

/// When bodies of a kind let go.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct LetGo {
    /// How many times its own weight, at the length of its lever, a body holds (default: none, any). A leaf of σ kg/m² that is held across a wind of
    /// U m/s is pushed by κ_l ρ U²/(9.81 σ) times its weight.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub hold: Option<f32>,
    /// Share of those that are left that fall in a second, whatever blows (default: 0).
    pub rate: f32,
    /// Factors on `rate` over time: s since the start and factor, rising in time, with straight lines between (default: none, always 1).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub season: Vec<[f32; 2]>,
}

impl LetGo {
    fn is_on(&self) -> bool {
        self.hold.is_some() || self.rate > 0.0
    }

    /// r at a time, 1/s.
    fn rate_at(&self, seconds: f64) -> f64 {
        let points = &self.season;
        let t = seconds as f32;
        let after = points.partition_point(|p| p[0] <= t);
        let factor = match (after.checked_sub(1).map(|i| points[i]), points.get(after)) {
            (Some(a), Some(b)) => a[1] + (b[1] - a[1]) * (t - a[0]) / (b[0] - a[0]),
            (Some(only), None) => only[1],
            (None, Some(only)) => only[1],
            (None, None) => 1.0,
        };
        f64::from(self.rate) * f64::from(factor)
    }

    fn validate(&self, kind: &str) -> Result<(), BuildError> {
        let name = |key: &str| format!("shedding.{kind}.{key}");
        let (number, expected) = (|v: f32| v >= 0.0, "a finite number, not negative");
        check(
            &[(&name("hold"), self.hold.unwrap_or(0.0))],
            number,
            expected,
        )?;
        check(&[(&name("rate"), self.rate)], number, expected)?;
        let mut before = f32::NEG_INFINITY;
        for [time, factor] in &self.season {
            let rises = |t: f32| t > before;
            let season = name("season");
            check(&[(&season, *time)], rises, "times in s that rise")?;
            check(&[(&season, *factor)], number, "factors, not negative")?;
            before = *time;
        }
        Ok(())
    }
}

impl Shedding {
    /// Of a kind; wood does not come off by itself.
    fn of(&self, kind: BodyKind) -> Option<&LetGo> {
        match kind {
            BodyKind::Segment => None,
            BodyKind::Leaf => Some(&self.leaf),
            BodyKind::Fruit => Some(&self.fruit),
        }
    }

    fn is_on(&self) -> bool {
        self.leaf.is_on() || self.fruit.is_on()
    }

    /// Names the first setting out of its range.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        self.leaf.validate("leaf")?;
        self.fruit.validate("fruit")?;
        let share = |v: f32| (0.0..=1.0).contains(&v);
        check(
            &[("shedding.spread", self.spread)],
            share,
            "a number from 0 to 1",
        )
    }

    /// Of one body.
    fn stalk(&self, id: u32, model: &crate::block::Model<f32>) -> Stalk<f32> {
        let Some(kind) = self.of(model.kind()) else {
            return Stalk::FIRM;
        };
        let mut random = Rng::new(self.seed, id.into());
        let normal = random.normal();
        let patience = -libm::log1p(-random.unit());
        let Some(hold) = kind.hold else {
            return Stalk {
                patience: patience as f32,
                ..Stalk::FIRM
            };
        };
        let varied = f64::from(hold) * (1.0 + f64::from(self.spread) * normal).max(0.05);
        let weight = model.mass * -STANDARD_GRAVITY.y;
        let torque = varied as f32 * weight * model.com_z;
        Stalk {
            torque_squared: torque * torque,
            patience: patience as f32,
        }
    }
}

/// How firmly bodies hold on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stalk<T> {
    /// Square of the torque of (1), (N·m)².
    torque_squared: T,
    /// e.
    patience: T,
}
rows!(Stalk, torque_squared, patience);

impl Stalk<f32> {
    /// What never lets go.
    const FIRM: Self = Self {
        torque_squared: f32::INFINITY,
        patience: f32::INFINITY,
    };
}

/// ∫ r dt since the start, of leaves and of fruit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Hazards {
    leaf: f64,
    fruit: f64,
}

impl Block {
    /// Draws how firmly each of its bodies holds on.
    fn draw_stalks(&mut self, shedding: &Shedding) {
        let firm = Stalk {
            torque_squared: Row::splat(f32::INFINITY),
            patience: Row::splat(f32::INFINITY),
        };
        self.stalks.clear();
        if shedding.is_on() {
            self.stalks.resize(self.links.len(), firm);
            for slot in self.slots() {
                self.draw_stalk(slot, shedding);
            }
        }
    }

    /// Of one that has come back.
    pub(crate) fn draw_stalk(&mut self, slot: usize, shedding: &Shedding) {
        self.draw_stalk_as(slot, self.id(slot), shedding);
    }

    /// Of one that had this id when it was drawn first.
    pub(crate) fn draw_stalk_as(&mut self, slot: usize, id: u32, shedding: &Shedding) {
        let (tile, lane) = tile_of(slot);
        let stalk = shedding.stalk(id, &self.model(slot));
        if let Some(tile) = self.stalks.get_mut(tile) {
            tile.set(lane, stalk);
        }
    }

    /// A lane that is empty from now on.
    pub(crate) fn forget_stalk(&mut self, slot: usize) {
        let (tile, lane) = tile_of(slot);
        if let Some(tile) = self.stalks.get_mut(tile) {
            tile.set(lane, Stalk::FIRM);
        }
    }
}

impl Tree {
    pub(crate) fn draw_stalks(&mut self) {
        for block in &mut self.blocks {
            block.draw_stalks(&self.params.shedding);
        }
    }

    /// Lets go what has reason to, at the end of a frame; returns how many.
    pub(crate) fn shed(&mut self, frame: &FrameOf) -> u64 {
        let shedding = &self.params.shedding;
        if !shedding.is_on() {
            return 0;
        }
        let middle = frame.seconds + 0.5 * frame.dt;
        let [leaf, fruit] = [&shedding.leaf, &shedding.fruit].map(|k| k.rate_at(middle) * frame.dt);
        self.hazards.leaf += leaf;
        self.hazards.fruit += fruit;
        let (hazards, isa) = (self.hazards, self.isa);
        each_block(&mut self.blocks, |block| {
            dispatch(isa, LettingGo { block, hazards });
            Counts::default()
        });
        let mut detached = 0;
        for b in 0..self.blocks.len() {
            let mut leaving = core::mem::take(&mut self.blocks[b].leaving);
            if !leaving.is_empty() {
                self.blocks[b].sleep = Sleep::AWAKE;
            }
            detached += leaving.len() as u64;
            // By ids: bodies move into the lanes of those that leave.
            for slot in &mut leaving {
                *slot = self.blocks[b].id(*slot as usize);
            }
            for id in leaving.drain(..).map(BodyId) {
                self.note(id, EventKind::Detached);
                self.take_off(id, OffMotion::Flying);
            }
            // To be used again.
            self.blocks[b].leaving = leaving;
        }
        if detached > 0 {
            self.forget_holds();
        }
        detached
    }
}

/// How many tiles ahead memory is asked for one.
const AHEAD: usize = 4;

/// Finds the bodies of a block that let go.
struct LettingGo<'a> {
    block: &'a mut Block,
    hazards: Hazards,
}

impl Kernel for LettingGo<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let block = self.block;
        let leaf = T::splat(self.hazards.leaf as f32);
        let fruit = T::splat(self.hazards.fruit as f32);
        for tile in block.tiles() {
            if tile + AHEAD < block.used {
                fetch(&block.stalks[tile + AHEAD]);
                fetch(&block.models[tile + AHEAD].kind);
            }
            let (model, joint) = (&block.models[tile], &block.joints[tile]);
            let mut lanes = 0;
            for at in (0..ROW).step_by(T::WIDTH) {
                let stalk = block.stalks[tile].load::<T>(at);
                let can_tear = T::bits(stalk.torque_squared.finite());
                let can_tire = T::bits(stalk.patience.finite());
                if can_tear | can_tire == 0 {
                    continue;
                }
                // What nothing tears off is not fetched from memory.
                let mut torn = 0;
                if can_tear != 0 {
                    // Most likely those of a later tile can be torn off, too.
                    if at == 0 && tile + AHEAD < block.used {
                        fetch(&block.joints[tile + AHEAD].theta);
                        fetch(&block.models[tile + AHEAD].rest);
                        fetch(&block.models[tile + AHEAD].stiffness);
                    }
                    let bent = joint.theta.load::<T>(at) - model.rest.load(at);
                    let torque = bent.times(model.stiffness.load(at));
                    torn = T::bits(stalk.torque_squared.lt(torque.dot(torque)));
                }
                let kind = model.kind.load::<T>(at);
                let is_leaf = kind.lt(T::of(f64::from(BodyKind::Leaf as u8) + 0.5));
                let due = T::bits(stalk.patience.lt(T::select(is_leaf, leaf, fruit)));
                lanes |= (torn | due) << at;
            }
            for lane in (0..ROW).filter(|lane| lanes & (1 << lane) != 0) {
                debug_assert_ne!(block.links[tile].id[lane], NOBODY);
                block.leaving.push((tile * ROW + lane) as u32);
            }
        }
    }
}
