//! Motion of one tree, recorded joint by joint.
//!
//! A frame holds how every joint is turned and where the root is; everything else follows from the way the bodies hang together. That
//! takes a third of the memory of poses, is what a file with all bodies as joints holds, and is the space in which a loop is closed. A branch that broke off
//! hangs on from its joint, which is no longer where it was in its parent.

use treesway::glam::{Quat, Vec3};
use treesway::{BodyId, BodyKind, BodyPose, Tree, TreeDesc};
use treesway_skin::snow_cover;

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
    /// Branches that broke off, in the order in which they broke.
    strays: Vec<Stray>,
    /// By body: whether it is a leaf or fruit that no longer hangs on its twig.
    is_loose: Vec<bool>,
    /// By body: first frame in which it was off, with all that it hangs on.
    off_since: Vec<Option<usize>>,
    /// Frame by frame, how much snow covers each body, 255 for all of it; empty where there is none.
    snow: Vec<Vec<u8>>,
}

/// A branch that broke off.
#[derive(Clone, Debug)]
struct Stray {
    /// Its lowest body.
    body: u32,
    /// First frame in which it was off.
    since: usize,
    /// From then on, its joint in the frame of the body it broke off, m.
    joint_in_parent: Vec<Vec3>,
}

/// A body whose joint is farther from its place in its parent does not hang on it, m.
const APART: f32 = 0.005;

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
            strays: Vec::new(),
            is_loose: vec![false; bodies.bodies.len()],
            off_since: vec![None; bodies.bodies.len()],
            snow: Vec::new(),
        }
    }

    /// Adds the pose that the tree has now. A branch that broke off is where it is. A leaf or fruit that is off stays on, as it was turned when it left; where it really
    /// is is kept beside that.
    ///
    /// # Panics
    /// If it is another tree.
    pub fn record(&mut self, tree: &Tree) {
        assert_eq!(tree.len(), self.links.len(), "a clip of another tree");
        let poses: Vec<BodyPose> = tree.ids().map(|id| tree.pose(id)).collect();
        self.root.push(poses[0].position - self.at);
        let snow = tree.ids().map(|id| snow_cover(tree.snow_load(id)));
        let mut snow: Vec<u8> = snow.map(|cover| (cover * 255.0).round() as u8).collect();
        if snow.iter().all(|&cover| cover == 0) {
            snow = Vec::new();
        }
        self.snow.push(snow);
        let frame = self.root.len() - 1;
        let broken = tree.broken();
        for &body in &broken {
            if !self.strays.iter().any(|stray| stray.body == body.0) {
                self.strays.push(Stray {
                    body: body.0,
                    since: frame,
                    joint_in_parent: Vec::new(),
                });
            }
        }
        for (id, &pose) in tree.ids().zip(&poses) {
            let before = self.turns.len().checked_sub(poses.len());
            let link = self.links[id.index()];
            let parent = link.parent.map(|p| &poses[p as usize]);
            let hangs = tree.is_attached(id)
                || tree.body(id).kind == BodyKind::Segment
                || parent
                    .is_none_or(|p| p.point(link.joint_in_parent).distance(pose.position) < APART);
            if !tree.is_attached(id) {
                self.off_since[id.index()].get_or_insert(frame);
            }
            if !hangs {
                self.let_go(id.0);
            }
            let turn = match (hangs, before, parent) {
                (false, Some(before), _) => self.turns[before],
                (_, _, None) => pose.rotation,
                (_, _, Some(parent)) => (parent.rotation.conjugate() * pose.rotation).normalize(),
            };
            self.turns.push(turn);
        }
        for stray in &mut self.strays {
            let parent = self.links[stray.body as usize]
                .parent
                .expect("the root stays");
            let parent = &poses[parent as usize];
            let away = poses[stray.body as usize].position - parent.position;
            stray
                .joint_in_parent
                .push(parent.rotation.conjugate() * away);
        }
        for loose in &mut self.loose {
            let pose = poses[loose.body as usize];
            loose.poses.push(BodyPose {
                position: pose.position - self.at,
                ..pose
            });
        }
    }

    /// A leaf or fruit no longer hangs on its twig.
    fn let_go(&mut self, body: u32) {
        if core::mem::replace(&mut self.is_loose[body as usize], true) {
            return;
        }
        self.left += 1;
        if self.loose.len() < MOST_LOOSE {
            self.loose.push(Loose {
                body,
                since: self.frames() - 1,
                poses: Vec::new(),
            });
        }
    }

    /// The lowest bodies of branches that broke off.
    pub(super) fn broken(&self) -> Vec<BodyId> {
        self.strays.iter().map(|stray| BodyId(stray.body)).collect()
    }

    /// Leaves and fruit that came off and are followed.
    pub(super) fn loose(&self) -> &[Loose] {
        &self.loose
    }

    /// How many leaves and fruit came off.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Whether snow lies on any body in a frame.
    pub(super) fn has_snow(&self, frame: usize) -> bool {
        !self.snow[frame].is_empty()
    }

    /// How much of a body snow covers in a frame, 0 to 1.
    pub(super) fn snow(&self, frame: usize, body: u32) -> f32 {
        let cover = self.snow[frame].get(body as usize);
        f32::from(cover.copied().unwrap_or(0)) / 255.0
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
        self.assemble(self.root[frame], self.turns_of(frame), Some(frame), out);
    }

    /// The pose that joints are turned about: every joint by the mean of its turns while it was on the tree, the root where it is on average.
    pub fn mean_poses(&self) -> Vec<BodyPose> {
        let frames = self.frames();
        let root = self.root.iter().sum::<Vec3>() / frames as f32;
        let mut turns = self.turns_of(0).to_vec();
        for frame in 1..frames {
            let bodies = turns.iter_mut().zip(&self.off_since);
            for ((sum, off), &turn) in bodies.zip(self.turns_of(frame)) {
                if off.is_none_or(|since| frame < since) {
                    // q and −q are the same turn.
                    *sum += if sum.dot(turn) < 0.0 { -turn } else { turn };
                }
            }
        }
        turns.iter_mut().for_each(|turn| *turn = turn.normalize());
        let mut poses = Vec::with_capacity(turns.len());
        self.assemble(root, &turns, None, &mut poses);
        poses
    }

    /// With branches where they are in a frame that broke off; without one on the tree.
    fn assemble(&self, root: Vec3, turns: &[Quat], frame: Option<usize>, out: &mut Vec<BodyPose>) {
        let away = self.strays.iter().filter_map(|stray| {
            let later = frame?.checked_sub(stray.since)?;
            Some((stray.body as usize, stray.joint_in_parent[later]))
        });
        let away: std::collections::BTreeMap<usize, Vec3> = away.collect();
        for (body, (link, &turn)) in self.links.iter().zip(turns).enumerate() {
            let joint_in_parent = away.get(&body).unwrap_or(&link.joint_in_parent);
            let pose = match link.parent {
                None => BodyPose {
                    position: root,
                    rotation: turn,
                },
                Some(parent) => {
                    let parent = &out[parent as usize];
                    BodyPose {
                        position: parent.point(*joint_in_parent),
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

    /// In a frame, m.
    pub(super) fn joint_in_parent(&self, frame: usize, body: usize) -> Vec3 {
        let stray = self.strays.iter().find(|stray| stray.body as usize == body);
        let away = stray.and_then(|stray| {
            let later = frame.checked_sub(stray.since)?;
            Some(stray.joint_in_parent[later])
        });
        away.unwrap_or(self.links[body].joint_in_parent)
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
        // What falls does not come back: in a loop it stays on as it was.
        let held: Vec<Quat> = (0..self.frames())
            .flat_map(|frame| {
                let last =
                    move |off: &Option<usize>| off.map_or(frame, |s| frame.min(s.max(1) - 1));
                let off = self.off_since.iter().enumerate();
                off.map(move |(body, off)| self.turns_of(last(off))[body])
            })
            .collect();
        let turns_of = |frame: usize| &held[frame * n..][..n];
        let mut out = Self {
            links: self.links.clone(),
            at: self.at,
            frame_secs: self.frame_secs,
            root: Vec::with_capacity(period + 1),
            turns: Vec::with_capacity((period + 1) * n),
            loose: Vec::new(),
            left: self.left,
            strays: Vec::new(),
            is_loose: self.is_loose.clone(),
            off_since: vec![None; n],
            // What falls does not go back up: all of the loop has the snow of its start.
            snow: vec![self.snow[0].clone(); period + 1],
        };
        for frame in 0..period {
            if frame >= fade {
                out.root.push(self.root[frame]);
                out.turns.extend_from_slice(turns_of(frame));
                continue;
            }
            let share = smooth(frame as f32 / fade as f32);
            let later = period + frame;
            out.root
                .push(self.root[later].lerp(self.root[frame], share));
            let pairs = turns_of(later).iter().zip(turns_of(frame));
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
