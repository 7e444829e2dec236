//! Takes out of a grown tree what would go through the rest: a filter for species and grammars.
//!
//! Branches come first, trunk before limbs before twigs. One that meets what is already there is left out from its fork on, with all that
//! it bears. A leaf is turned about its stem until it has room, or left out; a fruit is left out. Where branches leave, others are cut at other places,
//! so all of it is done again until nothing changes.

use crate::Grown;
use crate::frame::turned;
use treesway::elements::intersect::shapes_meet;
use treesway::elements::{Elements, LeafPattern, Neighbours, Part};
use treesway::glam::{DQuat, DVec3};
use treesway::math::V3;
use treesway::{BodyKind, BuildError, Leaf, Skeleton, TreeDesc, cut};

/// How near parts may come that are not joined, m.
const CLEARANCE: f64 = 2e-4;
/// Directions that a leaf is tried in, each turned on by the golden angle, rad.
const TURNS: u32 = 12;
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

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
}

/// Leaves out, or turns, what would intersect.
pub fn clear(grown: &mut Grown) -> Result<Cleared, BuildError> {
    let mut sum = Cleared::default();
    loop {
        let skeleton = &mut grown.skeleton;
        let before = [
            skeleton.branches.len(),
            skeleton.leaves.len(),
            skeleton.fruit.len(),
        ];
        let bodies = cut(skeleton, &grown.cut)?;
        let verdict = Filter::new(&bodies, skeleton).run();
        let turned = verdict.turned(skeleton);
        sum.turned += turned;
        verdict.apply(skeleton);
        sum.branches += before[0] - skeleton.branches.len();
        sum.leaves += before[1] - skeleton.leaves.len();
        sum.fruit += before[2] - skeleton.fruit.len();
        let same = before[0] == skeleton.branches.len()
            && before[1] == skeleton.leaves.len()
            && before[2] == skeleton.fruit.len();
        if same && turned == 0 {
            return Ok(sum);
        }
    }
}

/// What may stay.
struct Verdict {
    branches: Vec<bool>,
    /// As it is to be, if it may stay.
    leaves: Vec<Option<Leaf>>,
    fruit: Vec<bool>,
}

struct Filter<'a> {
    bodies: &'a TreeDesc,
    skeleton: &'a Skeleton,
    elements: Elements,
    /// Points of all elements, with those of leaves that were turned.
    points: Vec<V3<f64>>,
    near: Neighbours,
}

impl<'a> Filter<'a> {
    fn new(bodies: &'a TreeDesc, skeleton: &'a Skeleton) -> Self {
        let elements = Elements::new(bodies, &LeafPattern::default());
        Self {
            bodies,
            skeleton,
            points: elements.rest().to_vec(),
            elements,
            near: Neighbours::default(),
        }
    }

    fn run(mut self) -> Verdict {
        let mut verdict = Verdict {
            branches: vec![true; self.skeleton.branches.len()],
            leaves: Vec::with_capacity(self.skeleton.leaves.len()),
            fruit: Vec::with_capacity(self.skeleton.fruit.len()),
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

    /// Whether the segments of a branch have room; takes it if all have. A trunk always has.
    fn take_branch(&mut self, segments: core::ops::Range<usize>) -> bool {
        let trunk = segments.start == 0;
        for body in segments.clone() {
            if !self.take(body) {
                if trunk {
                    continue;
                }
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
            for part in self.elements.parts(element) {
                let bounds = self.elements.shape(&self.points, part).bounds();
                self.near.add(part.0, &bounds);
            }
        }
        free
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
        for turn in 0..TURNS {
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
