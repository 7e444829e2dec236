//! Leaves and fruit on the wood that is kept.

use super::Species;
use super::detail::{Plan, bearing};
use crate::frame::{looking_along, unit_or};
use crate::weber_penn::frame::Frame;
use crate::weber_penn::grow::Wood;
use treesway::glam::DVec3;
use treesway::math::Rng;
use treesway::{Attachment, Fruit, Leaf, Node};

/// Apart from the streams of the stems.
const FRUIT_STREAM: u64 = 1 << 61;

/// What the kept wood bears.
pub(super) struct Crown<'a> {
    species: &'a Species,
    wood: &'a Wood,
    /// New numbers of branches.
    numbers: Vec<usize>,
    /// Per branch, where its leaves hang if it was left out: old number of a branch that stays, and m along it.
    instead: Vec<Option<Attachment>>,
    seed: u64,
}

impl<'a> Crown<'a> {
    pub(super) fn new(species: &'a Species, wood: &'a Wood, plan: &Plan, seed: u64) -> Self {
        let mut instead: Vec<Option<Attachment>> = Vec::with_capacity(plan.keep.len());
        for (keep, branch) in plan.keep.iter().zip(&wood.branches) {
            let place = match branch.parent {
                Some(on) if !keep => Some(instead[on.branch].unwrap_or(on)),
                _ => None,
            };
            instead.push(place);
        }
        Self {
            species,
            wood,
            numbers: plan.numbers(),
            instead,
            seed,
        }
    }

    /// Exactly `count` leaves with the area of `natural` ones.
    pub(super) fn leaves(&self, count: usize, natural: f64) -> Vec<Leaf> {
        let habit = &self.species.leaf;
        let mut leaves = Vec::with_capacity(count);
        let scale = (natural / count.max(1) as f64).sqrt();
        let weight = |i: usize| {
            let shoot = &self.wood.shoots[i];
            habit.count(&self.species.tree, shoot.offset_ratio.into()) * f64::from(shoot.share)
        };
        for (i, share) in self.shared(count, weight) {
            let (branch, shoot) = (&self.wood.branches[i], &self.wood.shoots[i]);
            match self.instead[i] {
                None => {
                    let on = (self.numbers[i], branch, shoot);
                    let how = (self.seed, scale);
                    habit.put(&self.species.tree, on, share, how, &mut leaves);
                }
                Some(on) => self.spray(i, on, share, scale, &mut leaves),
            }
        }
        // Sizes differ at random; their sum must not.
        let area: f64 = leaves.iter().map(|l| f64::from(l.length * l.width)).sum();
        let one = f64::from(habit.length) * f64::from(habit.length * habit.aspect);
        let even = (natural * one / area.max(1e-12)).sqrt() as f32;
        for leaf in &mut leaves {
            leaf.length *= even;
            leaf.width *= even;
        }
        leaves
    }

    /// Leaves of a branch that was left out, on the one that would bear it.
    fn spray(&self, i: usize, on: Attachment, count: usize, scale: f64, leaves: &mut Vec<Leaf>) {
        let (branch, shoot) = (&self.wood.branches[i], &self.wood.shoots[i]);
        let habit = &self.species.leaf;
        let mut rng = Rng::new(self.seed, shoot.stream);
        let base = point_at(&self.wood.branches[on.branch].nodes, on.along.into());
        let on = Attachment {
            branch: self.numbers[on.branch],
            along: on.along,
        };
        for k in 0..count {
            let share = (k as f64 + rng.unit()) / count as f64;
            let target = point_at(&branch.nodes, (0.3 + 0.6 * share) * f64::from(shoot.length));
            let way = unit_or(target - base, DVec3::Y);
            let frame = Frame::along(way, shoot.upper.as_dvec3());
            let frame = frame.child(core::f64::consts::TAU * rng.unit(), 0.3 * rng.unit());
            let size = scale * (1.0 + f64::from(habit.length_v) * rng.signed());
            leaves.push(habit.leaf(on, base, frame, size));
        }
    }

    /// Exactly `count` fruit with the mass of `natural` ones, hanging straight down.
    pub(super) fn fruit(&self, count: usize, natural: f64) -> Vec<Fruit> {
        let of = &self.species.fruit;
        let scale = libm::cbrt(natural / count.max(1) as f64) as f32;
        let mut fruit = Vec::with_capacity(count);
        for (i, share) in self.shared(count, |i| self.wood.shoots[i].length.into()) {
            let mut rng = Rng::new(self.seed, FRUIT_STREAM ^ self.wood.shoots[i].stream);
            for _ in 0..share {
                let along = self.wood.shoots[i].length * (0.3 + 0.7 * rng.unit() as f32);
                let on = self.instead[i].unwrap_or(Attachment { branch: i, along });
                let position = point_at(&self.wood.branches[on.branch].nodes, on.along.into());
                fruit.push(Fruit {
                    on: Attachment {
                        branch: self.numbers[on.branch],
                        along: on.along,
                    },
                    position: position.as_vec3(),
                    rotation: looking_along(DVec3::NEG_Y, DVec3::X),
                    radius: of.radius * scale,
                    stem_length: of.stem_length,
                    stem_radius: of.stem_radius,
                });
            }
        }
        fruit
    }

    /// `count` things over the bearing branches in proportion to their weight; how many on each.
    fn shared(&self, count: usize, weight: impl Fn(usize) -> f64) -> Vec<(usize, usize)> {
        let branches: Vec<usize> = bearing(self.species, self.wood).collect();
        let total: f64 = branches.iter().map(|&i| weight(i)).sum();
        let (mut sum, mut given) = (0.0, 0);
        let mut shares = Vec::new();
        for (k, &i) in branches.iter().enumerate() {
            sum += weight(i);
            let until = if k + 1 == branches.len() {
                count
            } else {
                ((sum / total * count as f64).round() as usize).min(count)
            };
            if until > given {
                shares.push((i, until - given));
            }
            given = until;
        }
        shares
    }
}

/// Point at an arc length.
fn point_at(nodes: &[Node], along: f64) -> DVec3 {
    let mut left = along;
    let mut point = nodes[0].position.as_dvec3();
    for pair in nodes.windows(2) {
        let (a, b) = (pair[0].position.as_dvec3(), pair[1].position.as_dvec3());
        let length = a.distance(b);
        point = a + (b - a) * (left / length).clamp(0.0, 1.0);
        left -= length;
        if left <= 0.0 {
            break;
        }
    }
    point
}
