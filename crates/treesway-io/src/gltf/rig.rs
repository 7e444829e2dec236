//! What moves the vertices of a written tree: joints, how each moves, and how much of each a vertex follows.

use super::clip::Clip;
use super::mesh::{Surface, Vertex};
use treesway::BodyPose;
use treesway::glam::{Quat, Vec3};

/// Joints that a vertex follows, at most. glTF viewers read four.
pub(super) const INFLUENCES: usize = 4;

/// A joint of a written skin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    /// Another joint, before this one.
    pub(super) parent: Option<u32>,
    /// The body it is called after: the lowest of those that it moves.
    pub(super) body: u32,
    /// Where it is when the tree is at rest, the anchor at the origin.
    pub(super) rest: BodyPose,
}

/// Which joints carry a vertex and by how much, 65535 for all of it, as it is in the file. Unused places are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Binding {
    pub(super) joints: [u16; INFLUENCES],
    pub(super) weights: [u16; INFLUENCES],
}

/// Everything that moves a tree in the file.
pub(super) struct Rig<'a> {
    pub(super) joints: Vec<Joint>,
    /// Of the vertices of every surface.
    pub(super) bindings: Vec<Vec<Binding>>,
    pub(super) motion: Motion<'a>,
}

/// How joints move.
pub(super) enum Motion<'a> {
    /// Every body is a joint.
    Bodies(&'a Clip),
    /// World poses of all joints, frame by frame.
    Poses(Vec<BodyPose>),
}

impl<'a> Rig<'a> {
    /// Every body a joint, in id order.
    pub(super) fn of_bodies(surfaces: &[Surface], rest: &[BodyPose], clip: &'a Clip) -> Self {
        let joints = rest.iter().enumerate().map(|(body, &rest)| Joint {
            parent: clip.parent(body).map(|p| p as u32),
            body: body as u32,
            rest,
        });
        let bindings = surfaces
            .iter()
            .map(|s| s.vertices.iter().map(Binding::of_bodies).collect());
        Self {
            joints: joints.collect(),
            bindings: bindings.collect(),
            motion: Motion::Bodies(clip),
        }
    }

    /// Lets leaves and fruit that come off go their way: each has a joint of its own, beside all others. `bound` is the pose that the surfaces are in.
    pub(super) fn let_loose(&mut self, surfaces: &[Surface], bound: &[BodyPose], clip: &Clip) {
        let loose = clip.loose();
        if loose.is_empty() {
            return;
        }
        let before = self.joints.len();
        let every_body = matches!(self.motion, Motion::Bodies(_));
        let mut joint_of = vec![None; bound.len()];
        for (i, l) in loose.iter().enumerate() {
            let body = l.body as usize;
            joint_of[body] = Some(if every_body { body } else { before + i });
        }
        let mut poses = Vec::with_capacity(clip.frames() * (before + loose.len()));
        let mut on_tree = Vec::new();
        for frame in 0..clip.frames() {
            let start = poses.len();
            poses.extend(self.poses(frame));
            clip.poses(frame, &mut on_tree);
            for l in loose {
                let body = l.body as usize;
                let pose = l.pose(frame).unwrap_or(on_tree[body]);
                if every_body {
                    poses[start + body] = pose;
                } else {
                    poses.push(pose);
                }
            }
        }
        self.motion = Motion::Poses(poses);
        for l in loose {
            let body = l.body as usize;
            if every_body {
                self.joints[body].parent = None;
            } else {
                self.joints.push(Joint {
                    parent: None,
                    body: l.body,
                    rest: bound[body],
                });
            }
        }
        for (surface, bindings) in surfaces.iter().zip(&mut self.bindings) {
            for (vertex, binding) in surface.vertices.iter().zip(bindings) {
                if let Some(joint) = joint_of[vertex.bodies[0] as usize] {
                    *binding = Binding::of_shares(&[(joint as u16, 1.0)]);
                }
            }
        }
    }

    /// Where a joint is relative to its parent, or to the world if it has none.
    pub(super) fn local(&self, frame: usize, joint: usize) -> BodyPose {
        match &self.motion {
            Motion::Bodies(clip) => BodyPose {
                position: match clip.parent(joint) {
                    Some(_) => clip.joint_in_parent(frame, joint),
                    None => clip.root_of(frame),
                },
                rotation: clip.turns_of(frame)[joint],
            },
            Motion::Poses(poses) => {
                let poses = &poses[frame * self.joints.len()..];
                relative(self.joints[joint].parent, |j| poses[j], &poses[joint])
            }
        }
    }

    /// World poses of all joints in a frame.
    pub(super) fn poses(&self, frame: usize) -> Vec<BodyPose> {
        match &self.motion {
            Motion::Bodies(clip) => {
                let mut poses = Vec::new();
                clip.poses(frame, &mut poses);
                poses
            }
            Motion::Poses(poses) => {
                let n = self.joints.len();
                poses[frame * n..][..n].to_vec()
            }
        }
    }

    /// Where a joint is relative to its parent when the tree is at rest.
    pub(super) fn local_at_rest(&self, joint: usize) -> BodyPose {
        let own = &self.joints[joint];
        relative(own.parent, |j| self.joints[j].rest, &own.rest)
    }
}

/// A pose as its parent sees it.
fn relative(parent: Option<u32>, pose_of: impl Fn(usize) -> BodyPose, pose: &BodyPose) -> BodyPose {
    let Some(parent) = parent else { return *pose };
    let parent = pose_of(parent as usize);
    let back: Quat = parent.rotation.conjugate();
    BodyPose {
        position: back * (pose.position - parent.position),
        rotation: (back * pose.rotation).normalize(),
    }
}

impl Binding {
    /// To the bodies that carry a vertex.
    fn of_bodies(vertex: &Vertex) -> Self {
        let [first, second] = vertex.bodies.map(|b| b as u16);
        if first == second {
            return Self::of_shares(&[(first, 1.0)]);
        }
        Self::of_shares(&[(first, 1.0 - vertex.weight), (second, vertex.weight)])
    }

    /// From shares of different joints that add up to one, at most [`INFLUENCES`]; the largest takes what rounding leaves over.
    pub(super) fn of_shares(shares: &[(u16, f32)]) -> Self {
        let mut rounded: Vec<(u16, u16)> = shares
            .iter()
            .map(|&(joint, share)| (joint, (share.clamp(0.0, 1.0) * 65535.0).round() as u16))
            .filter(|&(_, weight)| weight > 0)
            .collect();
        rounded.sort_by_key(|&(joint, weight)| (u16::MAX - weight, joint));
        let rest: u32 = rounded[1..].iter().map(|&(_, w)| u32::from(w)).sum();
        rounded[0].1 = (65535 - rest) as u16;
        let mut binding = Self::default();
        for (place, (joint, weight)) in rounded.into_iter().enumerate() {
            binding.joints[place] = joint;
            binding.weights[place] = weight;
        }
        binding
    }

    /// Where the joints take a point; `moved` moves a point of the rest pose with a joint.
    pub(super) fn place(&self, moved: impl Fn(usize) -> Vec3) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for (&joint, &weight) in self.joints.iter().zip(&self.weights) {
            if weight > 0 {
                sum += moved(joint.into()) * (f32::from(weight) / 65535.0);
            }
        }
        sum
    }
}
