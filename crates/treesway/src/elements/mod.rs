//! A tree as others, and the tree itself, meet it: stems as round cones, leaves with a base stem, a midrib and venations, fruit as balls.
//!
//! There is one **element** per body, of the same number. Where an element is follows from a few **points**, each of which moves with a body; a
//! pose of all elements is a list of points, and between two poses points move on lines. An element has one or two **parts** that are
//! tested against those of others: the wood of a stem, the base stem and the blade of a leaf, a fruit.
//!
//! | element | points | parts |
//! |---|---|---|
//! | segment | both ends of the base line | a [`RoundCone`] |
//! | leaf | as [`leaf`] lists them | base stem: a round cone; blade: triangles |
//! | fruit | its centre, twice | a ball |
//!
//! Some parts never meet, because they grow out of each other: [`exempt`]. [`intersecting_pairs`] counts the others that do, by trying
//! all.

mod certificate;
mod exempt;
pub mod intersect;
pub mod leaf;
mod neighbours;
mod shape;
mod sieve;

pub use certificate::intersecting_pairs;
pub(crate) use certificate::pairs_within;
pub(crate) use exempt::TOUCHING;
pub use leaf::{BladeBend, LeafPattern, Vein};
pub use neighbours::Neighbours;
pub use shape::{Blade, Bounds, RoundCone, Shape, boxes_meet};
pub use sieve::overlapping_boxes;

use crate::math::{Quaternion, V3};
use crate::{BodyId, BodyKind, Shape as Size, Tree, TreeDesc};
use core::ops::Range;
use exempt::Exempt;
use shape::around;

/// One part of an element: twice its number, and one more for a blade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part(pub u32);

impl Part {
    /// The wood of a stem, the base stem of a leaf, or a fruit.
    pub fn stem(element: usize) -> Self {
        Self(2 * element as u32)
    }

    /// The blade of a leaf.
    pub fn blade(element: usize) -> Self {
        Self(2 * element as u32 + 1)
    }

    /// The element it belongs to.
    pub fn element(self) -> usize {
        self.0 as usize / 2
    }

    /// Whether it is a blade.
    pub fn is_blade(self) -> bool {
        self.0 % 2 == 1
    }
}

/// The elements of a tree. What is constant about them: poses are lists of points.
#[derive(Clone, Debug)]
pub struct Elements {
    kind: Vec<BodyKind>,
    /// `u32::MAX` for the root.
    parent: Vec<u32>,
    /// Number of the first point of each element, and of all points.
    first_point: Vec<u32>,
    /// At both ends of the base line, of a leaf that of its base stem, m.
    radius: Vec<[f64; 2]>,
    /// Body that a point moves with, and where it is in its frame, m.
    anchor: Vec<(u32, V3<f64>)>,
    /// Corners of the blade's triangles, numbers of points of its leaf.
    corners: Vec<[usize; 3]>,
    /// The pose that the tree was given.
    rest: Vec<V3<f64>>,
    exempt: Exempt,
}

/// Position and rotation of a body, world from body.
pub type BodyFrame = (V3<f64>, Quaternion<f64>);

impl Elements {
    /// The elements of a tree of these bodies, whose parents come before their children. The pose that they are described in
    /// decides what touches at rest.
    pub fn new(desc: &TreeDesc, pattern: &LeafPattern) -> Self {
        let n = desc.bodies.len();
        let mut elements = Self {
            kind: Vec::with_capacity(n),
            parent: Vec::with_capacity(n),
            first_point: Vec::with_capacity(n + 1),
            radius: Vec::with_capacity(n),
            anchor: Vec::new(),
            corners: pattern.corners(),
            rest: Vec::new(),
            exempt: Exempt::default(),
        };
        for i in 0..n {
            elements.add(desc, i, pattern);
        }
        elements.first_point.push(elements.anchor.len() as u32);
        let frames = given_frames(desc);
        let mut rest = Vec::new();
        elements.pose(|i| frames[i], &mut rest);
        elements.rest = rest;
        elements.exempt = Exempt::at_rest(&elements);
        elements
    }

    fn add(&mut self, desc: &TreeDesc, i: usize, pattern: &LeafPattern) {
        let body = &desc.bodies[i];
        self.kind.push(body.shape.kind());
        self.parent.push(body.parent.unwrap_or(u32::MAX));
        self.first_point.push(self.anchor.len() as u32);
        let own = |z: f64| (i as u32, V3 { x: 0.0, y: 0.0, z });
        match body.shape {
            Size::Segment { length, base, tip } => {
                self.anchor.extend([own(0.0), own(length.into())]);
                self.radius.push([base.into(), tip.into()]);
            }
            Size::Leaf { length, width, .. } => {
                let (length, width) = (f64::from(length), f64::from(width));
                let foot = foot_on_parent(desc, i);
                self.anchor.push(foot.unwrap_or(own(0.0)));
                let blade = pattern.in_leaf(length, width);
                self.anchor.extend(blade.map(|p| (i as u32, p)));
                self.radius.push([0.5 * pattern.stalk * length; 2]);
            }
            Size::Fruit {
                radius,
                stem_length,
                ..
            } => {
                let centre = own(f64::from(stem_length) + f64::from(radius));
                self.anchor.extend([centre; 2]);
                self.radius.push([radius.into(); 2]);
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    /// What body an element is.
    pub fn kind(&self, element: usize) -> BodyKind {
        self.kind[element]
    }

    /// The element that one grows from.
    pub fn parent(&self, element: usize) -> Option<usize> {
        Some(self.parent[element] as usize).filter(|&p| p < self.len())
    }

    /// Where an element's points are in the list of a pose.
    pub fn points_of(&self, element: usize) -> Range<usize> {
        self.first_point[element] as usize..self.first_point[element + 1] as usize
    }

    /// At both ends of the base line, of a leaf that of its base stem, m.
    pub fn radius(&self, element: usize) -> [f64; 2] {
        self.radius[element]
    }

    /// Corners of the triangles of every blade, as numbers of points of its leaf.
    pub fn blade_corners(&self) -> &[[usize; 3]] {
        &self.corners
    }

    /// The body that a point moves with, and where it is in its frame, m.
    pub fn anchor(&self, point: usize) -> (usize, V3<f64>) {
        let (body, at) = self.anchor[point];
        (body as usize, at)
    }

    /// The pose that the tree was given, m.
    pub fn rest(&self) -> &[V3<f64>] {
        &self.rest
    }

    /// Writes where all points are, for bodies that are where `frame_of` says.
    pub fn pose(&self, frame_of: impl Fn(usize) -> BodyFrame, points: &mut Vec<V3<f64>>) {
        points.clear();
        points.extend(self.anchor.iter().map(|&(body, at)| {
            let (position, rotation) = frame_of(body as usize);
            position + rotation.rotate(at)
        }));
    }

    /// Writes where all points of a tree are now.
    pub fn pose_of_tree(&self, tree: &Tree, points: &mut Vec<V3<f64>>) {
        let frames: Vec<BodyFrame> = tree
            .ids()
            .map(|id: BodyId| {
                let pose = tree.pose(id);
                let rotation: Quaternion<f32> = pose.rotation.into();
                (
                    V3::from(pose.position).widen(),
                    rotation.widen().renormalised(),
                )
            })
            .collect();
        self.pose(|i| frames[i], points);
        for (body, bend) in tree.bent_blades() {
            let own = self.points_of(body.index());
            let (position, rotation) = frames[body.index()];
            let length = self.anchor[own.start + leaf::TIP].1.z;
            let blade = own.start + leaf::BASE..own.end;
            for (p, (_, at)) in points[blade.clone()].iter_mut().zip(&self.anchor[blade]) {
                *p = position + rotation.rotate(bend.bent(*at, length));
            }
        }
    }

    /// The parts of an element.
    pub fn parts(&self, element: usize) -> impl Iterator<Item = Part> + use<> {
        let blade = self.kind[element] == BodyKind::Leaf;
        [Part::stem(element)]
            .into_iter()
            .chain(blade.then(|| Part::blade(element)))
    }

    /// All parts, in order.
    pub fn all_parts(&self) -> impl Iterator<Item = Part> + '_ {
        (0..self.len()).flat_map(|e| self.parts(e))
    }

    /// What a part looks like in a pose.
    pub fn shape<'a>(&'a self, points: &'a [V3<f64>], part: Part) -> Shape<'a> {
        let element = part.element();
        let own = &points[self.points_of(element)];
        if part.is_blade() {
            Shape::Blade(Blade {
                points: own,
                corners: &self.corners,
            })
        } else {
            Shape::Cone(RoundCone {
                ends: [own[0], own[1]],
                radius: self.radius[element],
            })
        }
    }

    /// A box around an element with all its parts.
    pub fn bounds(&self, points: &[V3<f64>], element: usize) -> Bounds {
        let parts = self.parts(element);
        around(parts.flat_map(|part| self.shape(points, part).bounds()))
    }

    /// Normal of a leaf, of length one: the mean of those of its triangles, by their area.
    pub fn leaf_normal(&self, points: &[V3<f64>], element: usize) -> V3<f64> {
        self.normal_of(&points[self.points_of(element)])
    }

    /// The same of a leaf whose points are these.
    pub(crate) fn normal_of(&self, own: &[V3<f64>]) -> V3<f64> {
        let normals = self.corners.iter().map(|t| {
            let [a, b, c] = t.map(|p| own[p]);
            (b - a).cross(c - a)
        });
        let sum = normals.fold(V3::zero(), |sum, n| sum + n);
        sum * (1.0 / sum.length().max(f64::MIN_POSITIVE))
    }

    /// Whether two parts are to be kept apart: not where one grows out of the other.
    pub fn meet(&self, a: Part, b: Part) -> bool {
        !self.exempt.is(self, a, b)
    }

    /// Pairs that are exempt because they touch at rest near the fork that they grow from, the smaller part first, sorted.
    pub fn touching_at_rest(&self) -> &[(Part, Part)] {
        self.exempt.touching()
    }
}

/// Where the base stem of a leaf leaves the base line of its parent: at the foot of the perpendicular, or at the nearer end.
fn foot_on_parent(desc: &TreeDesc, leaf: usize) -> Option<(u32, V3<f64>)> {
    let parent = desc.bodies[leaf].parent?;
    let Size::Segment { length, .. } = desc.bodies[parent as usize].shape else {
        return None;
    };
    let z = desc.bodies[leaf].joint_in_parent.z.clamp(0.0, length);
    Some((
        parent,
        V3 {
            x: 0.0,
            y: 0.0,
            z: z.into(),
        },
    ))
}

/// Frames of bodies in the pose that they are described in.
fn given_frames(desc: &TreeDesc) -> Vec<BodyFrame> {
    let mut frames: Vec<BodyFrame> = Vec::with_capacity(desc.bodies.len());
    for body in &desc.bodies {
        let turn: Quaternion<f32> = body.joint_rotation.into();
        let (at, turn) = (V3::from(body.joint_in_parent).widen(), turn.widen());
        let frame = match body.parent {
            None => (at, turn.renormalised()),
            Some(parent) => {
                let (position, rotation) = frames[parent as usize];
                (
                    position + rotation.rotate(at),
                    rotation.times(turn).renormalised(),
                )
            }
        };
        frames.push(frame);
    }
    frames
}
