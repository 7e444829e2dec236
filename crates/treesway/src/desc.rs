//! The description a tree is built from: a list of bodies, checked once, here.

use crate::math::{Quaternion, V3};
use crate::solid::Solid;
use crate::tree::Tree;
use glam::{Quat, Vec3};

/// Stable number of a body: its place in the [`TreeDesc`], whatever the order in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId(pub u32);

impl BodyId {
    /// As an index into per-body lists in id order.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a body is. The numbers are those of the `kind` array in result files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BodyKind {
    /// Piece of trunk, branch or twig.
    Segment = 0,
    /// Leaf or petal.
    Leaf = 1,
    /// Fruit.
    Fruit = 2,
}

impl BodyKind {
    /// The kind of that number, as tiles hold it.
    pub(crate) fn of_number(number: f32) -> Self {
        match number as u8 {
            0 => Self::Segment,
            1 => Self::Leaf,
            _ => Self::Fruit,
        }
    }
}

/// Size of a body, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Conical frustum along +z.
    Segment {
        /// Joint to tip along the wood.
        length: f32,
        /// Radius at the joint.
        base: f32,
        /// Radius at the tip.
        tip: f32,
    },
    /// Thin triangular prism, apex at the joint: x width, y normal, z length.
    Leaf {
        /// Base to tip.
        length: f32,
        /// Widest extent.
        width: f32,
        /// Of the blade.
        thickness: f32,
    },
    /// Sphere on a massless stem along +z.
    Fruit {
        /// Of the sphere.
        radius: f32,
        /// From the joint to the sphere.
        stem_length: f32,
        /// Of the stem, which bends.
        stem_radius: f32,
    },
}

impl Shape {
    /// Which kind of body has this shape.
    pub fn kind(&self) -> BodyKind {
        match self {
            Shape::Segment { .. } => BodyKind::Segment,
            Shape::Leaf { .. } => BodyKind::Leaf,
            Shape::Fruit { .. } => BodyKind::Fruit,
        }
    }

    /// Exact mass integrals of this shape.
    pub fn solid(&self) -> Solid {
        match *self {
            Shape::Segment { length, base, tip } => {
                Solid::frustum(length.into(), base.into(), tip.into())
            }
            Shape::Leaf {
                length,
                width,
                thickness,
            } => Solid::leaf(length.into(), width.into(), thickness.into()),
            Shape::Fruit {
                radius,
                stem_length,
                ..
            } => Solid::fruit(radius.into(), stem_length.into()),
        }
    }

    fn sizes(&self) -> [(&'static str, f32, bool); 3] {
        // (name, value, may be zero)
        match *self {
            Shape::Segment { length, base, tip } => [
                ("length", length, false),
                ("base radius", base, false),
                ("tip radius", tip, false),
            ],
            Shape::Leaf {
                length,
                width,
                thickness,
            } => [
                ("length", length, false),
                ("width", width, false),
                ("thickness", thickness, false),
            ],
            Shape::Fruit {
                radius,
                stem_length,
                stem_radius,
            } => [
                ("radius", radius, false),
                ("stem length", stem_length, true),
                ("stem radius", stem_radius, false),
            ],
        }
    }
}

/// One body and the joint it hangs on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyDesc {
    /// Index of the parent in [`TreeDesc::bodies`], smaller than this body's own; none for the root.
    pub parent: Option<u32>,
    /// Size.
    pub shape: Shape,
    /// Mass integrals; [`Shape::solid`] unless the body stands for wood of a finer taper.
    pub solid: Solid,
    /// The joint in the parent's frame, m (root: in the anchor's frame).
    pub joint_in_parent: Vec3,
    /// Joint frame in the parent's frame, the pose the tree was given (root: in the anchor's frame).
    pub joint_rotation: Quat,
    /// Where the joint sits along the parent's wood, m from the parent's joint; a bent parent's chord is shorter.
    pub along_parent: f32,
    /// Number of the branch it is cut from, −1 if none.
    pub branch: i32,
    /// Distance along the wood from the last fork below, m; for stiffening near forks.
    pub from_fork: f32,
    /// Factor on the stiffness of its joint, greater than zero (default: 1); [`crate::brace`] finds the least that a pose needs to stand.
    pub stiffening: f32,
}

impl BodyDesc {
    /// A body with the exact mass integrals of its shape.
    pub fn new(
        parent: Option<u32>,
        shape: Shape,
        joint_in_parent: Vec3,
        joint_rotation: Quat,
    ) -> Self {
        let solid = shape.solid();
        Self {
            parent,
            shape,
            solid,
            joint_in_parent,
            joint_rotation,
            along_parent: joint_in_parent.z,
            branch: -1,
            from_fork: f32::INFINITY,
            stiffening: 1.0,
        }
    }
}

/// The bodies of a tree, parents before children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeDesc {
    /// In [`BodyId`] order.
    pub bodies: Vec<BodyDesc>,
}

/// Why a tree cannot be built. Each message names the body and the fix.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BuildError {
    #[error("the tree has no bodies; give it at least a root")]
    Empty,
    #[error("body 0 has parent {parent}; the first body is the root and must have none")]
    FirstIsNotRoot { parent: u32 },
    #[error("body {body} is a second root; give it a parent, or make it a tree of its own")]
    SecondRoot { body: u32 },
    #[error(
        "body {body} has parent {parent}, which does not come before it; list parents before their children (a cycle cannot be listed so)"
    )]
    ParentNotBefore { body: u32, parent: u32 },
    #[error(
        "body {body} hangs on body {parent}, a leaf or fruit; only segments carry other bodies"
    )]
    ParentNotWood { body: u32, parent: u32 },
    #[error("body {body} has {name} {value}; it must be finite and {bound}")]
    BadSize {
        body: u32,
        name: &'static str,
        value: f32,
        bound: &'static str,
    },
    #[error("body {body} has a {name} that is not finite or not a rotation: {value}")]
    BadFrame {
        body: u32,
        name: &'static str,
        value: String,
    },
    #[error(
        "body {body} has mass integrals that no solid has (volume {volume} m³); use Shape::solid"
    )]
    BadSolid { body: u32, volume: f64 },
    #[error("a tree holds at most {most} bodies, this one has {found}")]
    TooMany { found: usize, most: usize },
    #[error("branch {branch}: {what}")]
    Branch { branch: usize, what: String },
    #[error("{kind} {index}: {what}")]
    Attached {
        kind: &'static str,
        index: usize,
        what: String,
    },
    #[error("parameter {name} is {value}; expected {expected}")]
    Parameter {
        name: String,
        value: f64,
        expected: &'static str,
    },
}

impl TreeDesc {
    /// Checks everything a step relies on.
    pub fn validate(&self) -> Result<(), BuildError> {
        const MOST: usize = i32::MAX as usize;
        if self.bodies.is_empty() {
            return Err(BuildError::Empty);
        }
        if self.bodies.len() > MOST {
            return Err(BuildError::TooMany {
                found: self.bodies.len(),
                most: MOST,
            });
        }
        for (i, body) in self.bodies.iter().enumerate() {
            let id = i as u32;
            match body.parent {
                None if i > 0 => return Err(BuildError::SecondRoot { body: id }),
                Some(parent) if i == 0 => return Err(BuildError::FirstIsNotRoot { parent }),
                Some(parent) if parent >= id => {
                    return Err(BuildError::ParentNotBefore { body: id, parent });
                }
                Some(parent) if self.bodies[parent as usize].shape.kind() != BodyKind::Segment => {
                    return Err(BuildError::ParentNotWood { body: id, parent });
                }
                _ => {}
            }
            body.validate(id)?;
        }
        Ok(())
    }
}

impl BodyDesc {
    fn validate(&self, body: u32) -> Result<(), BuildError> {
        for (name, value, may_be_zero) in self.shape.sizes() {
            let large_enough = if may_be_zero {
                value >= 0.0
            } else {
                value > 0.0
            };
            if !(value.is_finite() && large_enough) {
                let bound = if may_be_zero {
                    "not negative"
                } else {
                    "greater than zero"
                };
                return Err(BuildError::BadSize {
                    body,
                    name,
                    value,
                    bound,
                });
            }
        }
        if !(self.stiffening.is_finite() && self.stiffening > 0.0) {
            return Err(BuildError::BadSize {
                body,
                name: "stiffening",
                value: self.stiffening,
                bound: "greater than zero",
            });
        }
        if !V3::from(self.joint_in_parent).is_finite() {
            let value = self.joint_in_parent.to_string();
            return Err(BuildError::BadFrame {
                body,
                name: "joint position",
                value,
            });
        }
        let q = Quaternion::from(self.joint_rotation).widen();
        let norm = q.v.dot(q.v) + q.w * q.w;
        // Written so that NaN is no rotation.
        let is_rotation = (norm - 1.0).abs() < 1e-3;
        if !is_rotation {
            let value = self.joint_rotation.to_string();
            return Err(BuildError::BadFrame {
                body,
                name: "joint rotation",
                value,
            });
        }
        let s = &self.solid;
        let finite = s.volume.is_finite()
            && s.first_moment_z.is_finite()
            && s.inertia.iter().all(|i| i.is_finite());
        if !(finite && s.volume > 0.0 && s.inertia.iter().all(|&i| i > 0.0)) {
            return Err(BuildError::BadSolid {
                body,
                volume: s.volume,
            });
        }
        Ok(())
    }
}

impl Tree {
    /// A body as it was described, on that parent.
    pub(crate) fn described(&self, id: BodyId, parent: Option<u32>) -> BodyDesc {
        let (block, slot) = self.slot(id);
        let (size, body) = (block.sizes(slot).size, self.body(id));
        let shape = match body.kind {
            BodyKind::Segment => Shape::Segment {
                length: size.x,
                base: size.y,
                tip: size.z,
            },
            BodyKind::Leaf => Shape::Leaf {
                length: size.x,
                width: size.y,
                thickness: size.z,
            },
            BodyKind::Fruit => Shape::Fruit {
                radius: size.x,
                stem_length: size.y,
                stem_radius: size.z,
            },
        };
        BodyDesc {
            branch: body.branch,
            ..BodyDesc::new(parent, shape, body.joint_in_parent, body.joint_rotation)
        }
    }
}
