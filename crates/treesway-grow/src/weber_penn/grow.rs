//! All stems of a tree, trunk first, each followed by its children.
//!
//! Every stem draws from a random stream of its own, so that a change to one leaves the others as they were. Children are spaced
//! evenly along the part of the stem that bears them; lines that split off bear theirs at the same spacing.

use super::angles::{Around, down_angle};
use super::counts::Parent;
use super::frame::Frame;
use super::params::WeberPenn;
use super::stem::{Axis, Stem};
use super::support::support;
use crate::GrowError;
use core::cell::Cell;
use treesway::glam::{DVec3, Vec3};
use treesway::math::Rng;
use treesway::{Attachment, Branch};

/// More branches than any tree of ours has; a file that asks for more is a mistake.
pub(crate) const MOST_BRANCHES: usize = 3_000_000;

/// The wood of a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wood {
    pub(crate) branches: Vec<Branch>,
    /// What grows on each branch.
    pub(crate) shoots: Vec<Shoot>,
}

/// What the skeleton does not say about a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shoot {
    pub(crate) level: u8,
    /// Along the branch, m.
    pub(crate) length: f32,
    /// Its upper side at its base.
    pub(crate) upper: Vec3,
    /// Where its stem leaves its parent, over the parent's length.
    pub(crate) offset_ratio: f32,
    /// Its share of its stem: 1 of the stem itself, less of a line that split off.
    pub(crate) share: f32,
    /// Random numbers of what it bears.
    pub(crate) stream: u64,
}

struct Grower<'a> {
    tree: &'a WeberPenn,
    seed: u64,
    scale_tree: f64,
    base_length: f64,
    wood: Wood,
}

/// Grows the wood of a tree; a stem of its last level counts as `weight` of those that the tree would have by nature.
pub(crate) fn grow(tree: &WeberPenn, seed: u64, weight: f64) -> Result<Wood, GrowError> {
    tree.validate()?;
    let mut rng = Rng::new(seed, 0);
    let trunk = tree.level(0);
    let mut vary = |mean: f32, by: f32| f64::from(mean) + f64::from(by) * rng.signed();
    let scale_tree = vary(tree.scale, tree.scale_v);
    let length = scale_tree * vary(trunk.length, trunk.length_v);
    let radius = length * f64::from(tree.ratio) * vary(tree.trunk_scale, tree.trunk_scale_v);
    let frame = Frame::UPRIGHT.child(
        rng.signed() * core::f64::consts::PI,
        f64::from(trunk.down_angle_deg).to_radians(),
    );
    let mut grower = Grower {
        tree,
        seed,
        scale_tree,
        base_length: tree.base_length(scale_tree, length),
        wood: Wood::default(),
    };
    let work = Cell::new(0);
    let stem = Stem {
        work: &work,
        tree,
        level: 0,
        position: DVec3::ZERO,
        frame,
        length,
        radius,
    };
    let itself = Parent {
        level: 0,
        length,
        radius,
        child_length_max: 0.0,
        offset_ratio: 1.0,
        relative_length: 1.0,
    };
    grower.stem(stem, None, itself, 1)?;
    let last = tree.levels.len() - 1;
    support(&mut grower.wood, last, tree.least_radius, weight as f32);
    Ok(grower.wood)
}

impl Grower<'_> {
    fn stem(
        &mut self,
        stem: Stem,
        on: Option<Attachment>,
        mut itself: Parent,
        stream: u64,
    ) -> Result<(), GrowError> {
        let mut rng = Rng::new(self.seed, stream);
        let axes = stem.grow(&mut rng).ok_or_else(|| GrowError {
            name: "level.seg_splits",
            value: self.tree.level(stem.level).seg_splits.into(),
            expected: "fewer: the tree has more segments than can be grown".into(),
        })?;
        let first = self.wood.branches.len();
        for axis in &axes {
            let nodes = stem.nodes(axis);
            let parent = match axis.on {
                None => on,
                Some((number, segments)) => Some(Attachment {
                    branch: first + number,
                    along: (segments as f64 * stem.step()) as f32,
                }),
            };
            let length = axis.frames.len() as f64 * stem.step();
            let number = self.wood.branches.len();
            self.wood.branches.push(Branch {
                parent,
                nodes,
                ..Branch::default()
            });
            self.wood.shoots.push(Shoot {
                level: stem.level as u8,
                length: length as f32,
                upper: axis.frames[0].y.as_vec3(),
                offset_ratio: itself.offset_ratio as f32,
                share: (length / stem.length) as f32,
                stream: mixed(stream, 1 << 32 | (number - first) as u64),
            });
        }
        if self.wood.branches.len() > MOST_BRANCHES {
            return Err(GrowError {
                name: "level.branches",
                value: self.tree.level(stem.level).branches.into(),
                expected: format!("fewer: the tree has more than {MOST_BRANCHES} branches"),
            });
        }
        if stem.level + 1 >= self.tree.levels.len() {
            return Ok(());
        }
        let level = self.tree.level(stem.level + 1);
        itself.child_length_max =
            f64::from(level.length) + f64::from(level.length_v) * rng.signed();
        for (k, axis) in axes.iter().enumerate() {
            let stream = mixed(stream, k as u64);
            self.children(&stem, axis, first + k, &itself, stream)?;
        }
        Ok(())
    }

    /// Children of one line of a stem.
    fn children(
        &mut self,
        stem: &Stem,
        axis: &Axis,
        branch: usize,
        itself: &Parent,
        stream: u64,
    ) -> Result<(), GrowError> {
        let level = self.tree.level(stem.level + 1);
        let mut rng = Rng::new(self.seed, stream);
        let from = if stem.level == 0 {
            self.base_length
        } else {
            // None sits inside the parent's own parent.
            (2.0 * stem.radius).min(0.2 * stem.length)
        };
        let count = (self.tree.child_count(itself) + rng.unit()).floor();
        let whorls = (count / f64::from(level.whorl)).ceil();
        let spacing = (stem.length - from) / whorls.max(1.0);
        let mut around = Around::starting_at(core::f64::consts::TAU * rng.unit());
        for i in 0..count as u64 {
            let whorl = (i / u64::from(level.whorl)) as f64;
            let scatter = if level.whorl > 1 { 0.04 } else { 0.35 };
            let offset = from + spacing * (whorl + 0.6 + scatter * rng.signed());
            // Drawn even if this line does not reach there, so that all lines are alike.
            let rotate = around.next(level, &mut rng);
            let ratio = (stem.length - offset) / (stem.length - from);
            let down = down_angle(level, ratio, self.tree, &mut rng);
            let segments = offset / stem.step();
            if segments <= axis.first as f64 || offset > stem.length {
                continue;
            }
            let (position, frame) = axis.at(segments);
            let length = self.tree.child_length(itself, offset, self.base_length);
            let mut child = Stem {
                work: stem.work,
                tree: self.tree,
                level: stem.level + 1,
                position,
                frame: frame.child(rotate, down),
                length,
                radius: 0.0,
            };
            let stream = mixed(stream, i + 1);
            child.length = child.pruned_length(&Rng::new(self.seed, stream), self.scale_tree);
            // Nothing is left, or what a bud is.
            if child.length < 1e-3 * self.scale_tree {
                continue;
            }
            child.radius = self
                .tree
                .child_radius(itself, child.length, stem.radius_at(offset));
            let on = Attachment {
                branch,
                along: ((segments - axis.first as f64) * stem.step()) as f32,
            };
            let parent = Parent {
                level: child.level,
                length: child.length,
                radius: child.radius,
                child_length_max: 0.0,
                offset_ratio: offset / stem.length,
                relative_length: child.length / (stem.length * itself.child_length_max),
            };
            self.stem(child, Some(on), parent, stream)?;
        }
        Ok(())
    }
}

/// Another stream from a stream and a number.
fn mixed(stream: u64, number: u64) -> u64 {
    let z =
        (stream ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ (z >> 29)).wrapping_add(number)
}
