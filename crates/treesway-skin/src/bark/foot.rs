//! The foot of a trunk: it widens towards the ground into a few buttresses and goes on a little below it.

use super::axis::{Axis, Station};
use crate::BarkStyle;

/// How much wider a trunk is at the ground than above its foot; wood that is given wider already gets less.
const SPREAD: f32 = 0.45;
/// How far buttresses stand out and the hollows between them in, of the radius.
const LOBES: f32 = 0.16;
/// A palm stands on a bundle of thin roots: its stem is round to the ground, and wider by this.
const PALM_SPREAD: f32 = 0.12;

/// Rings of a foot above the ground.
pub(super) const RINGS: usize = 6;

pub(super) struct Foot {
    /// m above the ground.
    pub height: f32,
    spread: f32,
    lobes: f32,
    /// Turns the lobes, so that trees differ.
    phase: f32,
}

impl Foot {
    /// The foot of an upright trunk; none of one that lies.
    pub(super) fn new(trunk: &Axis, style: BarkStyle, phase: f32) -> Option<Self> {
        let base = trunk.stations[0];
        let height = (4.0 * base.radius).min(0.25 * trunk.length());
        let wider = base.radius / trunk.at(height).radius - 1.0;
        let (spread, lobes) = match style {
            BarkStyle::Ringed => (PALM_SPREAD, 0.0),
            _ => (SPREAD, LOBES),
        };
        (base.tangent.y > 0.7).then_some(Self {
            height,
            spread: (spread - wider).max(0.0),
            lobes,
            phase,
        })
    }

    /// Factor on the radius in a direction around the trunk, rad.
    pub(super) fn widening(&self, along: f32, angle: f32) -> f32 {
        let down = (1.0 - along / self.height).max(0.0);
        // Uneven: five lobes that three others move about.
        let lobes =
            0.6 * (5.0 * angle + self.phase).cos() + 0.4 * (3.0 * angle - 2.3 * self.phase).cos();
        1.0 + self.spread * down.powi(3) + self.lobes * lobes * down * down
    }

    /// Places of rings from below the ground to the top of the foot.
    pub(super) fn stations(&self, trunk: &Axis) -> Vec<Station> {
        let below = trunk.at(0.0);
        let below = Station {
            position: below.position - below.tangent * (0.6 * below.radius),
            along: -0.6 * below.radius,
            turns: below.turns - 0.6 / core::f32::consts::TAU,
            ..below
        };
        let above = (0..RINGS).map(|k| trunk.at(self.height * (k as f32 / RINGS as f32).powf(1.3)));
        core::iter::once(below).chain(above).collect()
    }
}
