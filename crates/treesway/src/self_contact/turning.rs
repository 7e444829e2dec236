//! How far turning joints lead points off the straight ways between two poses, and where points are on the way.
//!
//! In a frame every joint goes from θ to θ + Δθ in a straight line, and so points go in curves. Such a curve x differs from its chord by at most an eighth of the
//! greatest |x''|, time going from 0 to 1. With w = |Δθ| of each joint, W the sum of w from the root to it and ℓ how far at most it carries a point, that is
//!
//!   |x''| ≤ Σ over joints i, j of the way to x of wᵢ wⱼ ℓ of the further one + Σ w² ℓ  ≤  2 Σ w W ℓ:                    (c)
//!
//! R' of one turn is at most w, R'' of two together wᵢ wⱼ, and R'' of one 2 w² (w² of a turn about one axis, and as much again for the axis that turns where θ is not along
//! Δθ; half of that up to 1.5 rad). A blade that bends counts as if its joint turned by as much more.
//!
//! Two that meet in truth are within **beyond** of each other on straight ways. With C their last common body, r = x_b − x_a as C sees it, r' and r'' by the joints above C alone:
//! since r is 0 where they meet, |r| ≤ |r'| ≤ V = Σ w ℓ, and
//!
//!   beyond = ⅛ |(R_C r)''| ≤ ¼ (V Σ up to C of w W + Σ above C of w W ℓ).                                        (d)
//!
//! As C sees it the first part is gone, and W counts from C: **within**. In n stretches of the frame that is n² times less.

use super::joints::Joints;
use super::way::own_points;
use crate::desc::BodyKind;
use crate::elements::leaf::{BASE, TIP};
use crate::elements::{BladeBend, BodyFrame, Elements, Part};
use crate::math::{Quaternion, V3};
use crate::tree::Tree;

/// No body: as the ground sees it.
const GROUND: u32 = u32::MAX;

/// A blade that curls reaches so many times as far as one that does not.
const BENT: f64 = 1.2;

/// Joints on their way.
#[derive(Clone)]
pub(super) struct Turning {
    /// Constant: parent from joint, from the parent's joint to this one in the parent's frame, m, and anchor from joint in the given pose.
    rotation: Vec<Quaternion<f64>>,
    offset: Vec<V3<f64>>,
    home: Vec<Quaternion<f64>>,
    /// How far the points of a stem and of a blade are from the joint they turn about, m; by element.
    reach: Vec<[f64; 2]>,
    /// θ at the start and at the end, rad.
    start: Vec<V3<f64>>,
    end: Vec<V3<f64>>,
    /// How blades are bent then; empty where they do not bend.
    start_bend: Vec<BladeBend>,
    end_bend: Vec<BladeBend>,
    /// Where the ground is then.
    start_ground: BodyFrame,
    end_ground: BodyFrame,
    /// Where bodies are then.
    start_frames: Vec<BodyFrame>,
    end_frames: Vec<BodyFrame>,
    /// Whether children are only moved by what they grow on.
    keeps_directions: bool,
    /// Of the ground alone, which may turn, and of all joints.
    ground: Sums,
    sums: Vec<Sums>,
}

/// Sums over the joints from the root to a body.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// W: of w, rad.
    turn: f64,
    /// s: of lengths between joints, m.
    length: f64,
    /// Of w s, m.
    turn_length: f64,
    /// Of w W.
    square: f64,
    /// Of w W s, m.
    square_length: f64,
}

impl Sums {
    /// One joint more, that turns by `turn` rad and is `length` m further.
    fn and(self, turn: f64, length: f64) -> Self {
        let (all, length) = (self.turn + turn, self.length + length);
        Self {
            turn: all,
            length,
            turn_length: self.turn_length + turn * length,
            square: self.square + turn * all,
            square_length: self.square_length + turn * all * length,
        }
    }

    /// Σ w ℓ and Σ w W ℓ of the joints after `from`, of what is `reach` m from the last.
    fn after(&self, from: &Self, reach: f64) -> [f64; 2] {
        let end = self.length + reach;
        [
            (self.turn - from.turn) * end - (self.turn_length - from.turn_length),
            (self.square - from.square) * end - (self.square_length - from.square_length),
        ]
    }
}

/// Two parts to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Together {
    /// Their last common body.
    common: u32,
    /// (d), m.
    pub(super) beyond: f64,
    /// The same as the common body sees it, m.
    pub(super) within: f64,
}

impl Turning {
    pub(super) fn of(tree: &Tree, elements: &Elements) -> Self {
        let (home, _) = tree.carried_at_home();
        let joints = tree.ids().map(|id| {
            let (block, slot) = tree.slot(id);
            let model = block.model(slot);
            let rotation = model.joint_rotation.widen().unit();
            (rotation, rotation.rotate(model.arm.widen()))
        });
        let (rotation, offset): (Vec<_>, Vec<V3<f64>>) = joints.unzip();
        let reach = |e: usize| {
            let stalk = elements.kind(e) == BodyKind::Leaf && elements.parent(e).is_some();
            let first = elements.points_of(e).start;
            let anchors =
                |part: Part| own_points(elements, part).map(move |p| elements.anchor(first + p));
            // The base stem of a leaf stands on its parent and ends at the joint of the leaf.
            let of_stem = anchors(Part::stem(e)).map(|(body, at)| match stalk && body == e {
                true => offset[e].length(),
                false => at.length(),
            });
            let of_blade = anchors(Part::blade(e)).map(|(_, at)| at.length() * BENT);
            [of_stem.fold(0.0, f64::max), of_blade.fold(0.0, f64::max)]
        };
        Self {
            reach: (0..elements.len()).map(reach).collect(),
            rotation,
            home,
            offset,
            start: Vec::new(),
            end: Vec::new(),
            start_bend: Vec::new(),
            end_bend: Vec::new(),
            start_ground: (V3::zero(), Quaternion::identity()),
            end_ground: (V3::zero(), Quaternion::identity()),
            start_frames: Vec::new(),
            end_frames: Vec::new(),
            keeps_directions: false,
            ground: Sums::default(),
            sums: Vec::new(),
        }
    }

    /// Where the joints of a tree are now is where they start from.
    pub(super) fn set_start(&mut self, tree: &Tree) {
        self.start.clear();
        self.start.extend(thetas(tree));
        self.start_bend.clone_from(&tree.blade_bend);
        self.start_ground = ground(tree);
        self.start_frames.clear();
        self.start_frames.extend(frames(tree));
    }

    /// Where they are now is where they would end.
    pub(super) fn set_end(&mut self, tree: &Tree, joints: &Joints) {
        self.keeps_directions = tree.keeps_directions();
        self.end.clear();
        self.end.extend(thetas(tree));
        self.end_bend.clone_from(&tree.blade_bend);
        self.end_ground = ground(tree);
        self.end_frames.clear();
        self.end_frames.extend(frames(tree));
        let turned = self.start_ground.1.conjugate().times(self.end_ground.1);
        self.ground = Sums::default().and(turned.rotation_vector().length(), 0.0);
        self.sums.clear();
        for (j, offset) in self.offset.iter().enumerate() {
            let below = match joints.parent(j) {
                GROUND => self.ground,
                parent => self.sums[parent as usize],
            };
            let turn = (self.end[j] - self.start[j]).length() + self.bending(j);
            self.sums.push(below.and(turn, offset.length()));
        }
    }

    /// By how much a blade bends, rad.
    fn bending(&self, leaf: usize) -> f64 {
        match (self.start_bend.get(leaf), self.end_bend.get(leaf)) {
            (Some(from), Some(to)) => {
                let sides = (to.left - from.left)
                    .abs()
                    .max((to.right - from.right).abs());
                f64::from(sides + (to.curl - from.curl).abs())
            }
            _ => 0.0,
        }
    }

    /// How far the points of a part get at most from their straight ways, m.
    pub(super) fn beyond(&self, joints: &Joints, part: Part) -> f64 {
        let [_, squares] = self.after(joints, part, &Sums::default());
        0.25 * squares
    }

    fn after(&self, joints: &Joints, part: Part, from: &Sums) -> [f64; 2] {
        let reach = self.reach[part.element()][usize::from(part.is_blade())];
        self.sums[joints.body_of(part)].after(from, reach)
    }

    /// Two parts that are to be kept apart by `gap` m.
    pub(super) fn together(&self, joints: &Joints, parts: [Part; 2], gap: f64) -> Together {
        let (common, below) = if self.keeps_directions {
            (GROUND, &self.ground)
        } else {
            let common = joints.common(joints.body_of(parts[0]), joints.body_of(parts[1]));
            (common as u32, &self.sums[common])
        };
        let [[way_a, a], [way_b, b]] = parts.map(|part| self.after(joints, part, below));
        let (way, squares) = (way_a + way_b, a + b);
        let apart = parts.map(|part| self.beyond(joints, part));
        Together {
            common,
            beyond: (0.25 * ((way + gap) * below.square + squares)).min(apart[0] + apart[1]),
            within: 0.25 * (squares - below.turn * way),
        }
    }

    /// A body, or the ground, at the start and at the end.
    fn frames_of(&self, body: u32) -> [BodyFrame; 2] {
        match body {
            GROUND => [self.start_ground, self.end_ground],
            body => [&self.start_frames, &self.end_frames].map(|all| all[body as usize]),
        }
    }

    /// Takes points of the start to where the common body of two parts ends: what is left of their ways is what it sees.
    pub(super) fn as_common_sees(&self, together: &Together) -> impl Fn(V3<f64>) -> V3<f64> {
        let [(from, before), (to, after)] = self.frames_of(together.common);
        let turn = after.times(before.conjugate());
        move |x| to + turn.rotate(x - from)
    }

    /// Writes where the points of a part are at `time`, 0 at the start and 1 at the end, around a common body that stands where it ends; those of its element up to its last.
    pub(super) fn pose(
        &self,
        elements: &Elements,
        joints: &Joints,
        part: Part,
        together: &Together,
        time: f64,
        points: &mut Vec<V3<f64>>,
    ) {
        let element = part.element();
        let (first, own) = (
            elements.points_of(element).start,
            own_points(elements, part),
        );
        points.clear();
        points.resize(own.end, V3::zero());
        let mut known: Option<(usize, BodyFrame)> = None;
        for p in own {
            let (body, at) = elements.anchor(first + p);
            let (position, rotation) = match known {
                Some((of, frame)) if of == body => frame,
                _ => self.frame(joints, body, together.common, time),
            };
            known = Some((body, (position, rotation)));
            let at = match (self.start_bend.get(body), self.end_bend.get(body)) {
                (Some(from), Some(to)) if part.is_blade() && p >= BASE => {
                    let length = elements.anchor(first + TIP).1.z;
                    from.towards(*to, time as f32).bent(at, length)
                }
                _ => at,
            };
            points[p] = position + rotation.rotate(at);
        }
    }

    fn frame(&self, joints: &Joints, body: usize, common: u32, time: f64) -> BodyFrame {
        let turn = |j: usize| {
            let theta = self.start[j] + (self.end[j] - self.start[j]) * time;
            Quaternion::from_rotation_vector(theta)
        };
        let (mut position, mut rotation) = (V3::zero(), Quaternion::identity());
        let mut j = body as u32;
        if self.keeps_directions {
            let directed = |j: u32| match j {
                GROUND => Quaternion::identity(),
                j => self.home[j as usize].times(turn(j as usize)),
            };
            rotation = directed(j);
            while j != GROUND {
                let parent = joints.parent(j as usize);
                position += directed(parent).rotate(self.offset[j as usize]);
                j = parent;
            }
        } else {
            while j != common {
                let by = self.rotation[j as usize].times(turn(j as usize));
                position = self.offset[j as usize] + by.rotate(position);
                rotation = by.times(rotation);
                j = joints.parent(j as usize);
            }
        }
        let [_, (at, below)] = self.frames_of(common);
        (
            at + below.rotate(position),
            below.times(rotation).renormalised(),
        )
    }
}

fn ground(tree: &Tree) -> BodyFrame {
    (tree.anchor.position, tree.anchor.rotation.renormalised())
}

fn frames(tree: &Tree) -> impl Iterator<Item = BodyFrame> {
    tree.ids().map(|id| {
        let frame = tree.frame_of(id);
        (
            frame.position.widen(),
            frame.rotation.widen().renormalised(),
        )
    })
}

/// θ of all joints, rad.
fn thetas(tree: &Tree) -> impl Iterator<Item = V3<f64>> {
    tree.ids().map(|id| {
        let (block, slot) = tree.slot(id);
        block.joint(slot).theta.widen()
    })
}
