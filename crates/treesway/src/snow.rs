//! Snow: it falls on what faces up, weighs branches down, and slides off where they tilt or are shaken.
//!
//! Of the rate p, kg/m² and second, what comes through the crown above ([`crate::passage`]) meets the level area A of a body, and the less of it stays the more lies
//! there already (Hedstrom and Pomeroy 1998):
//!
//!   dm/dt = p A (1 − m/(c A))     so     m(t + h) = c A − (c A − m) exp(−p h/c)                                       (1)
//!
//! c is the most that lies on a level area. Snow lies by friction. With n the upward normal of what it lies on and f = g − a what it feels on a body of acceleration a, all
//! of it slides off where
//!
//!   |f − (f·n) n| > μ (−f·n),     μ = tan(slope) (1 + spread·N(0, 1))                                               (2)
//!
//! One condition for a leaf that droops and for a twig that is shaken. What has slid falls to the ground and is counted, not moved.
//! Snow on a body is part of its mass ([`crate::burden`]).

use crate::block::Block;
use crate::burden::lanes;
use crate::desc::{BodyId, BuildError};
use crate::event::EventKind;
use crate::math::simd::{ROW, Row, Rows, rows};
use crate::math::{Real, Rng, V3};
use crate::params::check;
use crate::passage::{FromAbove, Standing};
use crate::report::Counts;
use crate::sleep::Sleep;
use crate::step::{FrameOf, each_block};
use crate::tree::Tree;

/// Snow that falls on all trees.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Snowfall {
    /// p, kg/m² in an hour, which is mm of water and about cm of snow (default: 5, heavy).
    pub rate: f32,
    /// When it begins, s (default: 0).
    pub start: f32,
    /// When it ends, s (default: inf).
    pub stop: f32,
    /// c, most that lies on a level area, kg/m² (default: 4.5). Schmidt and Gluns 1991 weighed 6.6 (0.27 + 46/ρ) kg/m² on pine and 5.9 on spruce, ρ of the
    /// snow in kg/m³.
    pub most: f32,
    /// Steepest slope that snow lies on, degrees (default: 50).
    pub slope_deg: f32,
    /// By how much that differs from body to body: the standard deviation of its tangent in parts of it (default: 0.3).
    pub spread: f32,
    /// Which hold more and which less.
    pub seed: u64,
}

impl Default for Snowfall {
    fn default() -> Self {
        Self {
            rate: 5.0,
            start: 0.0,
            stop: f32::INFINITY,
            most: 4.5,
            slope_deg: 50.0,
            spread: 0.3,
            seed: 0,
        }
    }
}

impl Snowfall {
    fn validate(&self) -> Result<(), BuildError> {
        let number = |v: f32| v >= 0.0;
        let expected = "a finite number, not negative";
        check(
            &[("rate", self.rate), ("spread", self.spread)],
            number,
            expected,
        )?;
        check(&[("start", self.start)], |_| true, "a finite time")?;
        check(
            &[("most", self.most)],
            |v| v > 0.0,
            "a finite number greater than zero",
        )?;
        check(
            &[("slope_deg", self.slope_deg)],
            |v| (1.0..=89.0).contains(&v),
            "an angle from 1 to 89 degrees",
        )
    }
}

/// Snow over a world, see [`crate::World::snow`].
#[derive(Clone, Debug)]
pub struct Snow {
    settings: Snowfall,
    /// tan of the slope.
    friction: f32,
    above: FromAbove,
}

impl Snow {
    /// As described. Fails on the first setting out of its range.
    pub fn new(settings: Snowfall) -> Result<Self, BuildError> {
        settings.validate()?;
        Ok(Self {
            settings,
            friction: libm::tan(f64::from(settings.slope_deg).to_radians()) as f32,
            above: FromAbove::default(),
        })
    }

    /// What it was made of.
    pub fn settings(&self) -> &Snowfall {
        &self.settings
    }

    pub(crate) fn meet(&mut self, trees: &[Tree]) {
        self.above.meet(trees);
    }

    /// What has fallen on open ground since the start, kg/m².
    pub fn fallen(&self, seconds: f64) -> f32 {
        let s = &self.settings;
        let lasted = seconds.min(s.stop.into()) - f64::from(s.start);
        s.rate / 3600.0 * lasted.max(0.0) as f32
    }

    /// p in a frame, kg/m² and second.
    fn rate(&self, seconds: f64) -> f32 {
        let s = &self.settings;
        let falls = (f64::from(s.start)..f64::from(s.stop)).contains(&seconds);
        if falls { s.rate / 3600.0 } else { 0.0 }
    }

    /// μ of a body.
    fn friction(&self, id: u32) -> f32 {
        if self.settings.spread == 0.0 {
            return self.friction;
        }
        let normal = Rng::new(self.settings.seed, id.into()).normal() as f32;
        self.friction * (1.0 + self.settings.spread * normal).max(0.1)
    }
}

/// Snow on the bodies of a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SnowTile<T = Row> {
    /// kg.
    pub(crate) lying: T,
    /// Of the centre of mass after the last frame, m/s; not a number before the first.
    velocity: V3<T>,
}
rows!(SnowTile, lying, velocity);

impl SnowTile {
    const UNKNOWN: Row = Row::splat(f32::NAN);
    pub(crate) const NONE: Self = Self {
        lying: Row::ZERO,
        velocity: V3 {
            x: Self::UNKNOWN,
            y: Self::UNKNOWN,
            z: Self::UNKNOWN,
        },
    };
}

/// Where a tree's snow is, kg. What was caught lies or has slid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SnowBalance {
    /// What came to lie on its bodies since the start.
    pub caught: f64,
    /// What slid off again, or fell with a body that came off.
    pub slid: f64,
    /// What lies there now.
    pub lying: f64,
}

/// What snow did in a block in a frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    caught: f64,
    slid: f64,
    /// Those that lost so much that it is seen.
    puffs: Vec<u32>,
}

/// Less than this is not seen to fall, kg.
const PUFF: f32 = 0.002;

impl Tree {
    /// Lets snow fall on the tree and slide, at the end of a frame; returns how many bodies lost a puff of it.
    pub(crate) fn snow_on(&mut self, frame: &FrameOf) -> u64 {
        let Some(snow) = frame.snow else {
            return 0;
        };
        let blades = self.params.leaf.blades;
        each_block(&mut self.blocks, |block| {
            block.snow_on(snow, frame, blades);
            Counts::default()
        });
        let mut puffs = 0;
        for b in 0..self.blocks.len() {
            let mut change = core::mem::take(&mut self.blocks[b].burden.change);
            self.snow.caught += core::mem::take(&mut change.caught);
            self.snow.slid += core::mem::take(&mut change.slid);
            puffs += change.puffs.len() as u64;
            for id in change.puffs.drain(..) {
                self.note(BodyId(id), EventKind::SnowSlid);
            }
            // To be used again.
            self.blocks[b].burden.change = change;
        }
        puffs
    }

    /// Where its snow is.
    pub fn snow_balance(&self) -> SnowBalance {
        let lying = self.ids().map(|id| f64::from(self.snow_mass(id))).sum();
        SnowBalance { lying, ..self.snow }
    }
}

impl Block {
    fn snow_on(&mut self, snow: &Snow, frame: &FrameOf, blades: f32) {
        self.prepare_burden();
        let mut change = core::mem::take(&mut self.burden.change);
        let (rate, most) = (snow.rate(frame.seconds), snow.settings.most);
        // exp(−p h/c) of (1), and what it leaves of the way to c A.
        let kept = Real::exp(-rate * frame.dt as f32 / most);
        let (gravity, per_dt) = (V3::from(frame.gravity), (1.0 / frame.dt) as f32);
        let mut moved = false;
        for tile in self.tiles() {
            for lane in lanes(self, tile) {
                let slot = tile * ROW + lane;
                let now = self.frame(slot);
                let model = &self.models[tile];
                let axes = now.rotation.matrix();
                let com = axes.z * model.com_z.0[lane];
                let velocity = now.velocity + now.angular_velocity.cross(com);
                let before = self.burden.snow[tile].velocity.get(lane);
                self.burden.snow[tile].velocity.set(lane, velocity);
                let body = Standing {
                    kind: model.kind.0[lane],
                    mass: model.mass.0[lane],
                    area: model.area.0[lane],
                    com_z: model.com_z.0[lane],
                    axis: axes.z,
                    normal: axes.y,
                    blades,
                };
                let change_of_velocity = (velocity - before) * per_dt;
                let felt = if before.x.is_nan() {
                    gravity
                } else {
                    gravity - change_of_velocity
                };
                let lying = self.burden.snow[tile].lying.get(lane);
                let id = self.links[tile].id[lane];
                let left = if slides(&body, felt, snow.friction(id)) {
                    change.slid += f64::from(lying);
                    if lying > PUFF {
                        change.puffs.push(id);
                    }
                    0.0
                } else if rate > 0.0 {
                    let flux = snow.above.at(now.position + com);
                    let room = most * body.level_area() - lying;
                    let new = lying + room.max(0.0) * (1.0 - kept) * flux;
                    change.caught += f64::from(new) - f64::from(lying);
                    new
                } else {
                    lying
                };
                if left != lying {
                    self.burden.snow[tile].lying.set(lane, left);
                    self.burden_body(slot);
                    moved = true;
                }
            }
        }
        if moved {
            self.sleep = Sleep::AWAKE;
        }
        self.burden.change = change;
    }
}

/// (2)
fn slides(body: &Standing, felt: V3<f32>, friction: f32) -> bool {
    let up = body.upward_normal();
    let pressed = -felt.dot(up);
    let along = (felt.dot(felt) - pressed * pressed).max(0.0);
    along > friction * friction * pressed * pressed || pressed <= 0.0
}
