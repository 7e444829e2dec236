//! A hand that holds a branch.

use crate::orbit::{Orbit, Ray};
use crate::pick::Hit;
use crate::stage::Stage;
use eframe::egui::{Pos2, Rect};
use treesway::glam::Vec3;
use treesway::math::{Quaternion, V3};
use treesway::{BodyId, BodyKind, Pull, Tree, TreeId};
use treesway_io::scene::PoseTable;

/// What leads a pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    /// A mouse.
    Pointer,
    /// A finger on a screen, by its number.
    Finger(u64),
}

/// A pull that follows a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Grip {
    /// Which tree.
    pub tree: TreeId,
    /// Which body.
    pub body: BodyId,
    /// Where it is held, m, in the body's frame.
    point_in_body: Vec3,
    /// Of the plane that the hand moves in, which faces the camera, from the eye, m.
    depth: f32,
    /// Where the hand is, m.
    pub target: Vec3,
    /// Whether it was anywhere else before: a tap bends nothing.
    pub moved: bool,
}

/// How far a hand is from what it holds when it pulls with all its strength, m.
const GIVE: f32 = 0.2;

/// Bends that nobody sees are not kept, rad.
const LEAST_BEND: f32 = 5e-4;

/// The wood that a body hangs on: itself if it is wood. A leaf is held by its twig.
pub fn wood_of(tree: &Tree, mut body: BodyId) -> BodyId {
    while tree.body(body).kind != BodyKind::Segment {
        match tree.parent_of(body) {
            Some(parent) => body = parent,
            None => return body,
        }
    }
    body
}

impl Grip {
    /// Takes hold of what is under the pointer with a strength in N; leaves and fruit by the wood that they hang on. None of what is off its tree, nor of creatures. The pull is for
    /// [`Stage::hold`].
    pub fn take(
        stage: &Stage,
        orbit: &Orbit,
        ray: &Ray,
        tree: usize,
        hit: &Hit,
        strength: f32,
    ) -> Option<(Self, Pull)> {
        let id = TreeId(tree);
        if !stage.is_planted(id) {
            return None;
        }
        let tree = stage.simulation.world().tree(id);
        if !tree.is_attached(hit.body) {
            return None;
        }
        let body = wood_of(tree, hit.body);
        let target = ray.at(hit.distance);
        let point_in_body = if body == hit.body {
            hit.point_in_body
        } else {
            Vec3::Z * tree.body(body).length
        };
        let target = if body == hit.body {
            target
        } else {
            tree.pose(body).point(point_in_body)
        };
        let camera = orbit.camera();
        let forward = (camera.target - camera.eye).normalize();
        let pull = Pull {
            most_force: strength,
            ..Pull::new(body, point_in_body, target, strength / GIVE)
        };
        let grip = Self {
            tree: id,
            body,
            point_in_body,
            depth: (target - camera.eye).dot(forward),
            target,
            moved: false,
        };
        Some((grip, pull))
    }

    /// The pointer has moved.
    pub fn follow(&mut self, orbit: &Orbit, at: Pos2, view: Rect) {
        let ray = orbit.ray(at, view);
        let camera = orbit.camera();
        let forward = (camera.target - camera.eye).normalize();
        let target = ray.at(self.depth / ray.direction.dot(forward).max(1e-3));
        // A finger is never quite still: 8 points.
        let reach = 8.0 * orbit.metres_per_point(view) * self.depth;
        self.moved |= target.distance(self.target) > reach;
        if self.moved {
            self.target = target;
        }
    }

    /// Where the wood is held now, m.
    pub fn held_at(&self, stage: &Stage) -> Vec3 {
        let tree = stage.simulation.world().tree(self.tree);
        tree.pose(self.body).point(self.point_in_body)
    }

    /// The poses of the tree with the bend on the way from the root to the hand kept for good; from `first` on, if the hand holds something that hangs on it.
    pub fn kept(
        &self,
        stage: &Stage,
        poses: &[PoseTable],
        first: Option<BodyId>,
    ) -> Vec<PoseTable> {
        let tree = stage.simulation.world().tree(self.tree);
        let mut way = vec![self.body];
        while let Some(parent) = tree.parent_of(way[way.len() - 1]) {
            way.push(parent);
        }
        if let Some(first) = first.and_then(|first| way.iter().position(|&id| id == first)) {
            way.truncate(first + 1);
        }
        let mut kept = poses.to_vec();
        for id in way {
            turn_further(&mut kept, id, tree.body(id).theta);
        }
        kept
    }
}

/// Whether a body is another one or hangs on it.
pub fn hangs_on(tree: &Tree, body: BodyId, of: BodyId) -> bool {
    let mut way = core::iter::successors(Some(body), |&id| tree.parent_of(id));
    way.any(|id| id == of)
}

/// Which bodies hang on one, itself included; all, where none is named.
pub fn subtree(tree: &Tree, of: Option<BodyId>) -> Vec<bool> {
    let mut within = vec![of.is_none(); tree.len()];
    for id in tree.ids() {
        let above = tree.parent_of(id).is_some_and(|p| within[p.index()]);
        within[id.index()] |= of == Some(id) || above;
    }
    within
}

/// The poses of a tree with all wood of a subtree kept for good as it is bent now.
pub fn kept_as_it_is(tree: &Tree, poses: &[PoseTable], of: BodyId) -> Vec<PoseTable> {
    let mut kept = poses.to_vec();
    let within = subtree(tree, Some(of));
    for id in tree.ids().filter(|id| within[id.index()]) {
        let body = tree.body(id);
        if body.kind == BodyKind::Segment && tree.is_attached(id) {
            turn_further(&mut kept, id, body.theta);
        }
    }
    kept
}

/// Turns a joint by a rotation vector in its frame, on top of what it is turned by already.
pub fn turn_further(poses: &mut Vec<PoseTable>, body: BodyId, by: Vec3) {
    if by.length() < LEAST_BEND {
        return;
    }
    let known = poses.iter().position(|pose| pose.body == body.0);
    let turn = |v: Vec3| Quaternion::<f32>::from_rotation_vector(V3::from(v)).widen();
    let before = known.map_or(Vec3::ZERO, |i| poses[i].turn);
    let whole = turn(before).times(turn(by)).unit();
    let pose = PoseTable {
        body: body.0,
        turn: whole.rotation_vector().narrow().into(),
    };
    match known {
        Some(i) => poses[i] = pose,
        None => {
            poses.push(pose);
            poses.sort_by_key(|pose| pose.body);
        }
    }
}
