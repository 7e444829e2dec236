//! Motion of one tree, recorded joint by joint.
//!
//! A frame holds how every joint is turned and where the root is; everything else follows from the way the bodies hang together. That
//! takes a third of the memory of poses, is what a file with all bodies as joints holds, and is the space in which a loop is closed.

use treesway::glam::{Quat, Vec3};
use treesway::{BodyKind, BodyPose, Tree, TreeDesc};

/// Recorded motion of one tree.
#[derive(Clone, Debug)]
pub struct Clip {
    links: Vec<Link>,
    at: Vec3,
    frame_secs: f64,
    /// From where the anchor stands at rest, m, a frame each.
    root: Vec<Vec3>,
    /// Parent from body, frame by frame, bodies in id order; of the root world from body.
    turns: Vec<Quat>,
    /// Leaves and fruit that came off, in the order of leaving, as many as are followed.
    loose: Vec<Loose>,
    /// How many came off.
    left: usize,
    /// By body: whether it has come off.
    is_off: Vec<bool>,
}

/// Leaves and fruit of a tree that are followed when they come off; the first to leave.
const MOST_LOOSE: usize = 512;

/// A body that came off.
#[derive(Clone, Debug)]
pub(super) struct Loose {
    pub(super) body: u32,
    /// First frame in which it was off.
    since: usize,
    /// From then on, from where the anchor stands at rest.
    poses: Vec<BodyPose>,
}

impl Loose {
    /// Where it is in a frame; none while it hangs on the tree.
    pub(super) fn pose(&self, frame: usize) -> Option<BodyPose> {
        let later = frame.checked_sub(self.since)?;
        self.poses.get(later).copied()
    }
}

/// How a body hangs on its parent.
#[derive(Clone, Copy, Debug)]
struct Link {
    parent: Option<u32>,
    joint_in_parent: Vec3,
}

impl Clip {
    /// Nothing yet of a tree with these bodies, whose anchor stands `at` a place of the world, m; frames will be that far apart.
    pub fn new(bodies: &TreeDesc, at: Vec3, frame_secs: f64) -> Self {
        let links = bodies.bodies.iter().map(|body| Link {
            parent: body.parent,
            joint_in_parent: body.joint_in_parent,
        });
        Self {
            links: links.collect(),
            at,
            frame_secs,
            root: Vec::new(),
            turns: Vec::new(),
            loose: Vec::new(),
            left: 0,
            is_off: vec![false; bodies.bodies.len()],
        }
    }

    /// Adds the pose that the tree has now. A body that is off stays on it, as it was turned when it left; where leaves and fruit really are is kept
    /// beside that.
    ///
    /// # Panics
    /// If it is another tree.
    pub fn record(&mut self, tree: &Tree) {
        assert_eq!(tree.len(), self.links.len(), "a clip of another tree");
        let poses: Vec<BodyPose> = tree.ids().map(|id| tree.pose(id)).collect();
        self.root.push(poses[0].position - self.at);
        for (id, (link, pose)) in tree.ids().zip(self.links.iter().zip(&poses)) {
            let before = self.turns.len().checked_sub(poses.len());
            let turn = match (tree.is_attached(id), before, link.parent) {
                (false, Some(before), _) => self.turns[before],
                (_, _, None) => pose.rotation,
                (_, _, Some(parent)) => {
                    (poses[parent as usize].rotation.conjugate() * pose.rotation).normalize()
                }
            };
            self.turns.push(turn);
        }
        self.follow_loose(tree, &poses);
    }

    fn follow_loose(&mut self, tree: &Tree, poses: &[BodyPose]) {
        for id in tree.ids().filter(|&id| !tree.is_attached(id)) {
            let known = core::mem::replace(&mut self.is_off[id.index()], true);
            if known || tree.body(id).kind == BodyKind::Segment {
                continue;
            }
            self.left += 1;
            if self.loose.len() < MOST_LOOSE {
                self.loose.push(Loose {
                    body: id.0,
                    since: self.frames() - 1,
                    poses: Vec::new(),
                });
            }
        }
        for loose in &mut self.loose {
            let pose = poses[loose.body as usize];
            loose.poses.push(BodyPose {
                position: pose.position - self.at,
                ..pose
            });
        }
    }

    /// Leaves and fruit that came off and are followed.
    pub(super) fn loose(&self) -> &[Loose] {
        &self.loose
    }

    /// How many leaves and fruit came off.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Frames so far.
    pub fn frames(&self) -> usize {
        self.root.len()
    }

    /// Bodies of the tree.
    pub fn bodies(&self) -> usize {
        self.links.len()
    }

    /// Time from one frame to the next.
    pub fn frame_secs(&self) -> f64 {
        self.frame_secs
    }

    /// Where the anchor stands at rest, m, world.
    pub fn at(&self) -> Vec3 {
        self.at
    }

    /// Poses of all bodies in a frame, from where the anchor stands at rest.
    pub fn poses(&self, frame: usize, out: &mut Vec<BodyPose>) {
        out.clear();
        self.assemble(self.root[frame], self.turns_of(frame), out);
    }

    /// The pose that joints are turned about: every joint by the mean of its turns, the root where it is on average.
    pub fn mean_poses(&self) -> Vec<BodyPose> {
        let frames = self.frames();
        let root = self.root.iter().sum::<Vec3>() / frames as f32;
        let mut turns = self.turns_of(0).to_vec();
        for frame in 1..frames {
            for (sum, &turn) in turns.iter_mut().zip(self.turns_of(frame)) {
                // q and −q are the same turn.
                *sum += if sum.dot(turn) < 0.0 { -turn } else { turn };
            }
        }
        turns.iter_mut().for_each(|turn| *turn = turn.normalize());
        let mut poses = Vec::with_capacity(turns.len());
        self.assemble(root, &turns, &mut poses);
        poses
    }

    fn assemble(&self, root: Vec3, turns: &[Quat], out: &mut Vec<BodyPose>) {
        for (link, &turn) in self.links.iter().zip(turns) {
            let pose = match link.parent {
                None => BodyPose {
                    position: root,
                    rotation: turn,
                },
                Some(parent) => {
                    let parent = &out[parent as usize];
                    BodyPose {
                        position: parent.point(link.joint_in_parent),
                        rotation: (parent.rotation * turn).normalize(),
                    }
                }
            };
            out.push(pose);
        }
    }

    /// Parent from body of every body in a frame, of the root world from body.
    pub(super) fn turns_of(&self, frame: usize) -> &[Quat] {
        &self.turns[frame * self.links.len()..][..self.links.len()]
    }

    /// From where the anchor stands at rest, m.
    pub(super) fn root_of(&self, frame: usize) -> Vec3 {
        self.root[frame]
    }

    pub(super) fn parent(&self, body: usize) -> Option<usize> {
        self.links[body].parent.map(|p| p as usize)
    }

    pub(super) fn joint_in_parent(&self, body: usize) -> Vec3 {
        self.links[body].joint_in_parent
    }

    /// Closes a loop of `period` frames. The frames beyond the period are faded into the first ones, so that the clip starts as the run went on
    /// where it ends, with the same pose and speed; frame `period` is then frame 0 again.
    ///
    /// # Panics
    /// If the clip is not longer than the period, or more than twice as long.
    #[must_use]
    pub fn looped(&self, period: usize) -> Self {
        let fade = self.frames() - 1 - period;
        assert!(
            (1..=period).contains(&fade),
            "a loop of {period} frames cannot be closed by {fade} more"
        );
        let n = self.links.len();
        let mut out = Self {
            links: self.links.clone(),
            at: self.at,
            frame_secs: self.frame_secs,
            root: Vec::with_capacity(period + 1),
            turns: Vec::with_capacity((period + 1) * n),
            // What falls does not come back: in a loop it stays on.
            loose: Vec::new(),
            left: self.left,
            is_off: self.is_off.clone(),
        };
        for frame in 0..period {
            if frame >= fade {
                out.root.push(self.root[frame]);
                out.turns.extend_from_slice(self.turns_of(frame));
                continue;
            }
            let share = smooth(frame as f32 / fade as f32);
            let later = period + frame;
            out.root
                .push(self.root[later].lerp(self.root[frame], share));
            let pairs = self.turns_of(later).iter().zip(self.turns_of(frame));
            out.turns
                .extend(pairs.map(|(later, now)| later.slerp(*now, share)));
        }
        out.root.push(out.root[0]);
        out.turns.extend_from_within(..n);
        out
    }
}

/// From 0 to 1 without a jump in speed or acceleration at either end.
fn smooth(x: f32) -> f32 {
    x * x * x * (10.0 + x * (6.0 * x - 15.0))
}
