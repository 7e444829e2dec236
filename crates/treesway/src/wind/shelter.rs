//! Trees in each other's lee: what bodies take from the air, the air has lost.
//!
//! A body that air of speed U pushes with the force f along the wind takes the momentum f/(ρ U) of a stream of section f/(ρ U²). Over all bodies of a cell that is
//! k of [`crate::passage`], the momentum balance of air in a canopy, u du/ds = −k u² (Belcher, Jerram and Hunt 2003). No coefficient is new.

use super::air::{Blown, Medium};
use super::spread;
use crate::math::V3;
use crate::math::simd::{Row, Vector};
use crate::passage::{Coming, Passage, Standing};
use crate::surroundings::splat;
use crate::tree::Tree;
use glam::Vec3;

/// How the wind is weakened by what stands in it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Shelter {
    /// Factor on what bodies take from the wind (default: 0, every body feels all of it). 1 is what they feel.
    pub strength: f32,
    /// Way in the lee after which two thirds of the loss have come back, m (default: 50): the wind from above and aside mixes in.
    pub recovery: f32,
    /// Edge of the cells in which bodies are counted, m (default: 1); larger where there would be more than 32768.
    pub cell_size: f32,
}

impl Default for Shelter {
    fn default() -> Self {
        Self {
            strength: 0.0,
            recovery: 50.0,
            cell_size: 1.0,
        }
    }
}

/// The lee of all trees in this frame.
#[derive(Clone, Debug)]
pub(super) struct Lee {
    shelter: Shelter,
    /// Level, m/s.
    wind: V3<f32>,
    speed: f32,
    /// Once trees are known.
    passage: Option<Passage>,
}

impl Lee {
    /// None where it would change nothing. The lee is where `velocity` blows to, seen from above.
    pub(super) fn of(shelter: &Shelter, velocity: Vec3) -> Option<Self> {
        let wind = V3 {
            y: 0.0,
            ..V3::from(velocity)
        };
        let speed = wind.length();
        (shelter.strength > 0.0 && speed > 0.0).then_some(Self {
            shelter: *shelter,
            wind,
            speed,
            passage: None,
        })
    }

    /// Counts all bodies again.
    pub(super) fn meet(&mut self, trees: &[Tree], medium: &Medium) {
        let direction = self.wind * (1.0 / self.speed);
        let cell = self.shelter.cell_size;
        let passage = Passage::around(&mut self.passage, trees, direction, cell);
        let taken = Taken {
            medium,
            wind: self.wind,
            direction,
            // f/(ρ U²)
            per_force: self.shelter.strength / (medium.density() * self.speed * self.speed),
        };
        passage.refresh(trees, self.shelter.recovery, &taken);
    }

    /// Share of the wind that is left at a place.
    pub(super) fn at(&self, at: V3<f32>) -> f32 {
        self.passage.as_ref().map_or(1.0, |p| p.at(at))
    }

    /// The same at sixteen places, times what is there already.
    #[inline(always)]
    pub(super) fn weaken<T: Vector>(&self, places: &V3<Row>, share: &mut Row) {
        if let Some(passage) = &self.passage {
            passage.weaken::<T>(places, share);
        }
    }
}

/// What bodies take from the wind.
struct Taken<'a> {
    medium: &'a Medium,
    wind: V3<f32>,
    direction: V3<f32>,
    per_force: f32,
}

impl Coming for Taken<'_> {
    #[inline(always)]
    fn held<T: Vector>(&self, bodies: &Standing<T>) -> T {
        let blown = Blown {
            kind: bodies.kind,
            mass: bodies.mass,
            area: bodies.area,
            wind: splat(self.wind),
            axis: bodies.axis,
            normal: bodies.normal,
            com_z: bodies.com_z,
            spread: T::splat(spread(bodies.blades)),
        };
        let force = self.medium.forces(&blown).force;
        force.dot(splat(self.direction)) * T::splat(self.per_force)
    }
}
