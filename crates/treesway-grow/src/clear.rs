//! Takes out of a grown tree what would go through the rest: a filter for species and grammars.
//!
//! Branches come first, trunk before limbs before twigs. One that meets what is already there is left out from its fork on, with all that
//! it bears. A trunk stays, and where it goes through itself that is told. A leaf is turned about its stem until it has room, or left out; a fruit is left out. Where branches leave,
//! others are cut at other places, so all of it is done again until nothing changes. Leaves are turned in the first passes alone: from then on a pass takes something away or is the last.

use crate::Grown;
use crate::frame::{GOLDEN_ANGLE, turned};
use treesway::elements::intersect::shapes_meet;
use treesway::elements::{Elements, LeafPattern, Neighbours, Part};
use treesway::glam::{DQuat, DVec3};
use treesway::math::V3;
use treesway::{BodyKind, BuildError, Leaf, Skeleton, TreeDesc, cut};

/// How near parts may come that are not joined, m.
const CLEARANCE: f64 = 2e-4;
/// Directions that a leaf is tried in, each turned on by the golden angle, rad.
const TURNS: u32 = 12;
/// Passes in which leaves are turned; few trees need five.
const TURNING: usize = 20;

/// What was changed for a tree to be free of collisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// Branches that were left out, with those that they bore.
    pub branches: usize,
    /// Leaves that were left out, with those of branches.
    pub leaves: usize,
    /// Leaves that were turned.
    pub turned: usize,
    /// Fruit that were left out.
    pub fruit: usize,
    /// Pieces of the trunk that go through others of it: it cannot be left out, and they stay so.
    pub trunk: usize,
}

/// Leaves out, or turns, what would intersect.
pub fn clear(grown: &mut Grown) -> Result<Cleared, BuildError> {
    clear_turning(grown, TURNING)
}

/// The same with leaves turned in so many passes.
fn clear_turning(grown: &mut Grown, passes: usize) -> Result<Cleared, BuildError> {
    let mut sum = Cleared::default();
    for pass in 0.. {
        let skeleton = &mut grown.skeleton;
        let before = [
            skeleton.branches.len(),
            skeleton.leaves.len(),
            skeleton.fruit.len(),
        ];
        let bodies = cut(skeleton, &grown.cut)?;
        let turns = if pass < passes { TURNS } else { 1 };
        let verdict = Filter::new(&bodies, skeleton, turns).run();
        let turned = verdict.turned(skeleton);
        sum.turned += turned;
        sum.trunk = verdict.trunk;
        verdict.apply(skeleton);
        sum.branches += before[0] - skeleton.branches.len();
        sum.leaves += before[1] - skeleton.leaves.len();
        sum.fruit += before[2] - skeleton.fruit.len();
        let same = before[0] == skeleton.branches.len()
            && before[1] == skeleton.leaves.len()
            && before[2] == skeleton.fruit.len();
        if same && turned == 0 {
            break;
        }
    }
    Ok(sum)
}

/// What may stay.
struct Verdict {
    branches: Vec<bool>,
    /// As it is to be, if it may stay.
    leaves: Vec<Option<Leaf>>,
    fruit: Vec<bool>,
    /// Pieces of the trunk that go through others of it.
    trunk: usize,
}

struct Filter<'a> {
    bodies: &'a TreeDesc,
    skeleton: &'a Skeleton,
    elements: Elements,
    /// Points of all elements, with those of leaves that were turned.
    points: Vec<V3<f64>>,
    near: Neighbours,
    /// Directions that a leaf is tried in.
    turns: u32,
}

impl<'a> Filter<'a> {
    fn new(bodies: &'a TreeDesc, skeleton: &'a Skeleton, turns: u32) -> Self {
        let elements = Elements::new(bodies, &LeafPattern::default());
        Self {
            bodies,
            skeleton,
            points: elements.rest().to_vec(),
            elements,
            near: Neighbours::default(),
            turns,
        }
    }

    fn run(mut self) -> Verdict {
        let mut verdict = Verdict {
            branches: vec![true; self.skeleton.branches.len()],
            leaves: Vec::with_capacity(self.skeleton.leaves.len()),
            fruit: Vec::with_capacity(self.skeleton.fruit.len()),
            trunk: 0,
        };
        let bodies = &self.bodies.bodies;
        let wood = bodies
            .iter()
            .filter(|b| b.shape.kind() == BodyKind::Segment);
        let wood = wood.count();
        let mut first = 0;
        while first < wood {
            let branch = bodies[first].branch;
            let count = bodies[first..wood]
                .iter()
                .take_while(|b| b.branch == branch);
            let end = first + count.count();
            let branch = branch as usize;
            if first == 0 {
                verdict.trunk = self.take_trunk(first..end);
                first = end;
                continue;
            }
            let carried = self.skeleton.branches[branch]
                .parent
                .is_none_or(|on| verdict.branches[on.branch]);
            verdict.branches[branch] = carried && self.take_branch(first..end);
            first = end;
        }
        for (body, desc) in bodies.iter().enumerate().skip(wood) {
            let carried = verdict.branches[desc.branch as usize];
            match desc.shape.kind() {
                BodyKind::Leaf => {
                    let leaf = self.skeleton.leaves[verdict.leaves.len()];
                    let stays = if carried {
                        self.take_leaf(body, leaf)
                    } else {
                        None
                    };
                    verdict.leaves.push(stays);
                }
                _ => verdict.fruit.push(carried && self.take(body)),
            }
        }
        verdict
    }

    /// Takes the room of a trunk; how many of its segments go through others of it.
    fn take_trunk(&mut self, segments: core::ops::Range<usize>) -> usize {
        let mut crossing = 0;
        for body in segments {
            crossing += usize::from(!self.is_free(Part::stem(body)));
            self.let_in(body);
        }
        crossing
    }

    /// Whether the segments of a branch have room; takes it if all have.
    fn take_branch(&mut self, segments: core::ops::Range<usize>) -> bool {
        for body in segments.clone() {
            if !self.take(body) {
                for earlier in segments.start..body {
                    self.near.remove(Part::stem(earlier).0);
                }
                return false;
            }
        }
        true
    }

    /// Takes the room of an element, if it is free.
    fn take(&mut self, element: usize) -> bool {
        let free = self.elements.parts(element).all(|part| self.is_free(part));
        if free {
            self.let_in(element);
        }
        free
    }

    fn let_in(&mut self, element: usize) {
        for part in self.elements.parts(element) {
            let bounds = self.elements.shape(&self.points, part).bounds();
            self.near.add(part.0, &bounds);
        }
    }

    fn is_free(&self, part: Part) -> bool {
        let shape = self.elements.shape(&self.points, part);
        let near = self.near.near(&shape.bounds(), CLEARANCE);
        !near.into_iter().map(Part).any(|other| {
            self.elements.meet(part, other)
                && shapes_meet(&shape, &self.elements.shape(&self.points, other), CLEARANCE)
        })
    }

    /// The leaf as it has room, turned about its stem if need be.
    fn take_leaf(&mut self, element: usize, leaf: Leaf) -> Option<Leaf> {
        let own = self.elements.points_of(element);
        let given: Vec<V3<f64>> = self.points[own.clone()].to_vec();
        let carrier = self.elements.parent(element)?;
        let [from, to] = [0, 1].map(|i| vector(self.points[self.elements.points_of(carrier)][i]));
        let axis = (to - from).normalize_or(DVec3::Y);
        let foot = vector(given[0]);
        for turn in 0..self.turns {
            let angle = GOLDEN_ANGLE * f64::from(turn);
            let about = |p: DVec3| foot + turned(p - foot, axis, angle);
            for (p, &was) in self.points[own.clone()].iter_mut().zip(&given) {
                *p = point(about(vector(was)));
            }
            if self.take(element) {
                let (sin, cos) = libm::sincos(0.5 * angle);
                let v = axis * sin;
                let rotation = DQuat::from_xyzw(v.x, v.y, v.z, cos) * leaf.rotation.as_dquat();
                return Some(match turn {
                    0 => leaf,
                    _ => Leaf {
                        position: about(leaf.position.as_dvec3()).as_vec3(),
                        rotation: rotation.as_quat().normalize(),
                        ..leaf
                    },
                });
            }
        }
        None
    }
}

impl Verdict {
    /// How many leaves stay otherwise than they were.
    fn turned(&self, skeleton: &Skeleton) -> usize {
        let leaves = self.leaves.iter().zip(&skeleton.leaves);
        leaves
            .filter(|(new, old)| new.is_some_and(|l| l != **old))
            .count()
    }

    fn apply(self, skeleton: &mut Skeleton) {
        let mut kept = 0;
        let number: Vec<usize> = self
            .branches
            .iter()
            .map(|&stays| {
                kept += usize::from(stays);
                kept.max(1) - 1
            })
            .collect();
        let mut stays = self.branches.iter();
        skeleton
            .branches
            .retain(|_| stays.next().copied().unwrap_or(true));
        for on in skeleton
            .branches
            .iter_mut()
            .filter_map(|b| b.parent.as_mut())
        {
            on.branch = number[on.branch];
        }
        skeleton.leaves = self.leaves.into_iter().flatten().collect();
        for leaf in &mut skeleton.leaves {
            leaf.on.branch = number[leaf.on.branch];
        }
        let mut stays = self.fruit.into_iter();
        skeleton.fruit.retain(|_| stays.next().unwrap_or(true));
        for fruit in &mut skeleton.fruit {
            fruit.on.branch = number[fruit.on.branch];
        }
    }
}

fn vector(v: V3<f64>) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

fn point(v: DVec3) -> V3<f64> {
    V3 {
        x: v.x,
        y: v.y,
        z: v.z,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Wanted, species};
    use treesway::elements::intersecting_pairs;

    /// What ends the passes: without turning, leaves that have no room are left out, and the rest is as clean.
    #[test]
    fn leaves_that_may_not_be_turned_are_left_out() {
        let wanted = Wanted {
            bodies: Some(500),
            ..Wanted::default()
        };
        let apple = species::named("apple").expect("a species of ours");
        let mut grown = apple.grow(1, &wanted).expect("it grows");
        let mut turning = grown.clone();
        let with = clear(&mut turning).expect("sound");
        let without = clear_turning(&mut grown, 0).expect("sound");
        assert!(with.turned > 0 && without.turned == 0);
        assert!(without.leaves > with.leaves, "{without:?}, {with:?}");
        let bodies = cut(&grown.skeleton, &grown.cut).expect("sound");
        let elements = Elements::new(&bodies, &LeafPattern::default());
        assert_eq!(intersecting_pairs(&elements, elements.rest()), []);
    }
}
