//! Trees whose stems and leaves never go through each other, after *Tree animation with continuous collision detection*, §4.1.
//!
//! A tree grows breadth first from one stem. The children of a stem take their parameters from it, with some fuzziness: they are shorter and
//! thinner, their angle with it is bounded, and the ends of siblings keep a distance so that what they bear has room. Every new stem is tested against
//! all that is there ([`room`]), parent and siblings aside; one that would come too near is tried in other directions and otherwise left out, and what
//! leads to it, if it bears nothing else, goes with it back to the last fork ([`wood`]). Leaves follow on thin stems ([`leaves`]).
//!
//! The paper grows until stems are thin. Here a number of stems is asked for, and every stem knows how many of them it is to bear, s, itself included:
//! its children share s − 1. Radius and length follow from it as in the pipe model, r = r₁ s^(1/γ) and ℓ = ℓ₁ s^p, so that parameters still shrink
//! from parent to child, and thin stems are those that bear few. The share of a stem that found no room goes to others.

mod leaves;
mod room;
mod wood;

use crate::{Cleared, GrowError, Grown, all_positive, all_within};
use room::Room;
use treesway::{CutOptions, Skeleton};
use wood::Wood;

/// Twice the distance within which the engine takes two parts for touching, m.
const LEAST_CLEARANCE: f32 = 2e-5;

/// A tree that is free of collisions, of so many stems and leaves.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stems {
    /// Each becomes one body, 1 to 100000 (default: 256).
    pub stems: u32,
    /// 0 to 200000 (default: 302).
    pub leaves: u32,
    /// Stems of the trunk before its first fork (default: 3).
    pub trunk: u32,
    /// Of a stem that bears no other, m (default: 0.14).
    pub twig_length: f32,
    /// p: how length grows with the number of stems that a stem bears (default: 0.16).
    pub length_power: f32,
    /// Of a stem that bears no other, m (default: 0.004).
    pub twig_radius: f32,
    /// γ: how the radius grows with that number; 2 keeps the cross-section of wood at forks (default: 2.3).
    pub pipe_power: f32,
    /// How much parameters of children differ, a share (default: 0.15).
    pub fuzziness: f32,
    /// Probability that a stem forks (default: 0.55).
    pub forking: f32,
    /// Most children of a stem, 1 to 6 (default: 3).
    pub children: u32,
    /// Share of its stems that the strongest child takes at a fork, least and most (default: 0.5 to 0.75).
    pub leader: [f32; 2],
    /// Between a stem and the one that continues it, at most, degrees, tropism included (default: 16).
    pub bend_deg: f32,
    /// Between the stems of a fork, least and most, degrees, tropism included; the one that bears more leans less (default: 32 to 62).
    pub fork_deg: [f32; 2],
    /// How far new stems turn up (down where negative) within these angles, a share (default: 0.12).
    pub tropism: f32,
    /// Between the ends of siblings, over their mean length (default: 0.5).
    pub spacing: f32,
    /// Between parts that are not grown together, m, from 0.00002 to 1 (default: 0.003). Those nearer than 0.00001 count as touching in the pose that they were given, and are
    /// not kept apart when the tree moves: positions are known no better.
    pub clearance: f32,
    /// How often another direction is tried (default: 12).
    pub tries: u32,
    /// Leaves.
    pub leaf: StemLeaves,
}

/// Leaves of such a tree.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StemLeaves {
    /// They grow on stems thinner than this, in radii of a twig (default: 1.9).
    pub thin: f32,
    /// Most on a stem (default: 4).
    pub most: u32,
    /// Of a blade on a twig, m (default: 0.1).
    pub length: f32,
    /// Width over length (default: 0.55).
    pub aspect: f32,
    /// Length of the base stem over that of the blade (default: 0.3).
    pub stalk: f32,
    /// Between blade and stem, least and most, degrees (default: 35 to 70).
    pub down_deg: [f32; 2],
}

impl Default for Stems {
    fn default() -> Self {
        Self {
            stems: 256,
            leaves: 302,
            trunk: 3,
            twig_length: 0.14,
            length_power: 0.16,
            twig_radius: 0.004,
            pipe_power: 2.3,
            fuzziness: 0.15,
            forking: 0.55,
            children: 3,
            leader: [0.5, 0.75],
            bend_deg: 16.0,
            fork_deg: [32.0, 62.0],
            tropism: 0.12,
            spacing: 0.5,
            clearance: 0.003,
            tries: 12,
            leaf: StemLeaves::default(),
        }
    }
}

impl Default for StemLeaves {
    fn default() -> Self {
        Self {
            thin: 1.9,
            most: 4,
            length: 0.1,
            aspect: 0.55,
            stalk: 0.3,
            down_deg: [35.0, 70.0],
        }
    }
}

/// How growth went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rejected {
    /// Stems that found no room in any direction.
    pub stems: usize,
    /// Stems that were taken back with them to the last fork.
    pub taken_back: usize,
    /// Leaves that found no room.
    pub leaves: usize,
}

impl Stems {
    /// The same with that many bodies, as many of them leaves as before.
    pub fn with_bodies(&self, bodies: u32) -> Self {
        let all = f64::from(self.stems) + f64::from(self.leaves);
        let stems = (f64::from(bodies) * f64::from(self.stems) / all).round() as u32;
        let stems = stems.clamp(1, bodies.max(1));
        Self {
            stems,
            leaves: bodies.max(1) - stems,
            ..self.clone()
        }
    }

    /// Grows the tree: exactly as many stems and leaves as asked for, or an error where there is no room for them.
    pub fn grow(&self, seed: u64) -> Result<Grown, GrowError> {
        self.grow_and_tell(seed).map(|(grown, _)| grown)
    }

    /// The same, with what was rejected on the way.
    pub fn grow_and_tell(&self, seed: u64) -> Result<(Grown, Rejected), GrowError> {
        self.validate()?;
        let mut room = Room::new(f64::from(self.clearance));
        let mut rejected = Rejected::default();
        let no_room = |name: &'static str, wanted: u32, found: usize| GrowError {
            name,
            value: wanted.into(),
            expected: format!(
                "at most the {found} that there is room for; a smaller clearance or shorter leaves make room"
            ),
        };
        let wood = Wood::grow(self, seed, &mut room, &mut rejected);
        if wood.stems.len() != self.stems as usize {
            return Err(no_room("stems", self.stems, wood.stems.len()));
        }
        let (branches, places) = wood.branches(self);
        let leaves = leaves::grow(self, seed, &wood, &places, &mut room, &mut rejected);
        if leaves.len() != self.leaves as usize {
            return Err(no_room("leaves", self.leaves, leaves.len()));
        }
        let skeleton = Skeleton {
            branches,
            leaves,
            fruit: Vec::new(),
        };
        let cut = CutOptions {
            at_nodes: true,
            least_segments: 1,
            most_segments: 1,
            ..CutOptions::default()
        };
        let grown = Grown {
            cleared: Some(Cleared::default()),
            ..Grown::new(skeleton, cut)
        };
        Ok((grown, rejected))
    }

    fn validate(&self) -> Result<(), GrowError> {
        let leaf = &self.leaf;
        let number = |name, value: u32, least: u32, most: u32| {
            let expected = format!("a whole number from {least} to {most}");
            all_within(
                &[(name, value.into())],
                least.into(),
                most.into(),
                &expected,
            )
        };
        number("stems", self.stems, 1, 100_000)?;
        number("leaves", self.leaves, 0, 200_000)?;
        number("children", self.children, 1, 6)?;
        number("tries", self.tries, 1, 1000)?;
        number("leaf.most", leaf.most, 1, 100)?;
        all_positive(&[
            ("twig_length", self.twig_length.into()),
            ("twig_radius", self.twig_radius.into()),
            ("pipe_power", self.pipe_power.into()),
            ("leaf.thin", leaf.thin.into()),
            ("leaf.length", leaf.length.into()),
            ("leaf.aspect", leaf.aspect.into()),
        ])?;
        let within = |name, value: f32, least: f64, most: f64| {
            let expected = format!("a number from {least} to {most}");
            all_within(&[(name, value.into())], least, most, &expected)
        };
        within("length_power", self.length_power, 0.0, 1.0)?;
        within("fuzziness", self.fuzziness, 0.0, 0.5)?;
        within("forking", self.forking, 0.0, 1.0)?;
        within("bend_deg", self.bend_deg, 0.0, 90.0)?;
        within("tropism", self.tropism, -1.0, 1.0)?;
        within("spacing", self.spacing, 0.0, 2.0)?;
        all_within(
            &[("clearance", self.clearance.into())],
            LEAST_CLEARANCE.into(),
            1.0,
            "a length from 0.00002 to 1 m",
        )?;
        within("leaf.stalk", leaf.stalk, 0.0, 5.0)?;
        for (name, [least, most], end) in [
            ("leader", self.leader, 1.0),
            ("fork_deg", self.fork_deg, 120.0),
            ("leaf.down_deg", leaf.down_deg, 90.0),
        ] {
            within(name, least, 0.0, end)?;
            within(name, most, least.into(), end)?;
        }
        Ok(())
    }
}
