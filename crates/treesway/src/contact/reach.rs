//! Which bodies of a tree may be near: the reachable workspace of each subtree (Quigley 2017, §6), and boxes.
//!
//! However its joints are bent, a subtree stays within η̂ of its first joint:
//!
//!   η̂_p = max(η_p, max over children c (|d_c| + η̂_c)),                                           (1)
//!
//! with η_p [m] the farthest point of the body, radii included, and d_c the way from p's joint to c's. (1) is known before the tree moves. Bodies are
//! kept in the order in which one walks the tree, each subtree in one piece: where a sphere is missed, the search goes on behind
//! the subtree.
//!
//! The spheres of large subtrees are wide, and a search through them looks at thousands of bodies. Where several search in the same pose it pays
//! to take boxes of that pose first: of [`FAN`] solid bodies each that follow each other in the order of walking, which are neighbours, of as many of these
//! boxes, and so on.

use super::shape::{Outline, RoundCone};
use crate::block::{Block, Place};
use crate::desc::BodyId;
use crate::follow::Follow;
use crate::kinematics::Frame;
use crate::math::V3;
use crate::math::simd::fetch;
use crate::tree::Tree;

/// Bodies or boxes in a box.
const FAN: usize = 8;

/// How many bodies ahead memory is asked for one, which lies anywhere.
const AHEAD: usize = 3 * FAN;

/// From so many searches on boxes are worth while: they take as long as ten searches by spheres.
const MANY: usize = 10;

/// Rounding of positions, relative: what is added to a sphere's radius.
const SLACK: f32 = 1e-4;

/// Everything within `radius` of `centre`, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub(crate) centre: V3<f32>,
    pub(crate) radius: f32,
}

impl Near {
    fn meets_sphere(&self, centre: V3<f32>, radius: f32) -> bool {
        let (d, both) = (centre - self.centre, radius + self.radius);
        d.dot(d) <= both * both
    }

    fn meets_box(&self, [low, high]: &Bounds) -> bool {
        let out = |x: f32, low: f32, high: f32| (low - x).max(x - high).max(0.0);
        let d = V3 {
            x: out(self.centre.x, low.x, high.x),
            y: out(self.centre.y, low.y, high.y),
            z: out(self.centre.z, low.z, high.z),
        };
        d.dot(d) <= self.radius * self.radius
    }
}

/// One body in the order of walking.
#[derive(Clone, Copy, Debug)]
struct Stop {
    id: BodyId,
    /// Behind the last of its subtree.
    end: u32,
    /// η̂, m.
    reach: f32,
    /// Mass of the subtree, kg.
    carried: f32,
    outline: Outline,
}

/// How a search is pruned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Pruning {
    /// By spheres for a few, by boxes for many.
    #[default]
    ByNumber,
    /// Spheres of subtrees, as in the paper.
    Spheres,
    /// Boxes of the pose of now.
    Boxes,
    /// None: every body is looked at.
    Everything,
}

impl Pruning {
    /// What it comes to for so many searches in the same pose.
    pub(crate) fn of_many(self, searches: usize) -> Self {
        match self {
            Self::ByNumber if searches < MANY => Self::Spheres,
            Self::ByNumber => Self::Boxes,
            other => other,
        }
    }
}

/// Corners of a box, m.
type Bounds = [V3<f32>; 2];

/// The workspaces of a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    stops: Vec<Stop>,
    solid: Boxes,
    /// Wood from a radius on, m, once it is asked for: a small part of a tree, so that its boxes cost little.
    stout: Option<(f32, Boxes)>,
}

/// Boxes of `FAN` bodies each, boxes of `FAN` of these, and so on.
#[derive(Clone, Debug, Default)]
struct Boxes {
    /// The bodies, as numbers of stops, in their order.
    bodies: Vec<u32>,
    levels: Vec<Vec<Bounds>>,
    /// Whether they are of the pose of now.
    current: bool,
}

impl Boxes {
    /// Of those bodies that count.
    fn around(stops: &[Stop], counts: impl Fn(&Outline) -> bool) -> Self {
        let bodies = (0..stops.len() as u32).filter(|&at| counts(&stops[at as usize].outline));
        let bodies: Vec<u32> = bodies.collect();
        let (mut levels, mut count) = (Vec::new(), bodies.len());
        while count > 1 {
            count = count.div_ceil(FAN);
            levels.push(vec![NOWHERE; count]);
        }
        Self {
            bodies,
            levels,
            current: false,
        }
    }

    /// Takes them for the pose of now.
    fn take(&mut self, stops: &[Stop], poses: Poses) {
        self.current = true;
        for level in 0..self.levels.len() {
            let (below, here) = self.levels.split_at_mut(level);
            let here = &mut here[0];
            match below.last() {
                None => {
                    for (which, bounds) in here.iter_mut().enumerate() {
                        *bounds = NOWHERE;
                        let (_, rest) = self.bodies.split_at(which * FAN);
                        for &soon in rest.iter().skip(AHEAD).take(FAN) {
                            poses.fetch(stops[soon as usize].id);
                        }
                        for &at in rest.iter().take(FAN) {
                            poses.visit(&stops[at as usize], &mut |found: Found| {
                                *bounds = joined(bounds, &found.cone.bounds());
                            });
                        }
                    }
                }
                Some(below) => {
                    for (bounds, parts) in here.iter_mut().zip(below.chunks(FAN)) {
                        *bounds = parts.iter().fold(NOWHERE, |a, b| joined(&a, b));
                    }
                }
            }
        }
    }

    /// Calls `visit` for every body on the tree that may be near, in the order of walking.
    fn search(&mut self, stops: &[Stop], poses: Poses, near: &Near, visit: &mut impl FnMut(Found)) {
        if !self.current {
            self.take(stops, poses);
        }
        if !self.bodies.is_empty() {
            self.search_part(stops, poses, (self.levels.len(), 0), near, visit);
        }
    }

    /// Searches the parts of box `which` of a level: boxes of the one below, or bodies.
    fn search_part(
        &self,
        stops: &[Stop],
        poses: Poses,
        (level, which): (usize, usize),
        near: &Near,
        visit: &mut impl FnMut(Found),
    ) {
        if level == 0 {
            poses.visit(&stops[self.bodies[which] as usize], visit);
            return;
        }
        if !near.meets_box(&self.levels[level - 1][which]) {
            return;
        }
        let parts = match level {
            1 => self.bodies.len(),
            _ => self.levels[level - 2].len(),
        };
        for part in FAN * which..(FAN * (which + 1)).min(parts) {
            self.search_part(stops, poses, (level - 1, part), near, visit);
        }
    }
}

/// A solid body that a search found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) id: BodyId,
    pub(crate) place: Place,
    pub(crate) cone: RoundCone,
    /// Mass of the body with all it carries, kg.
    pub(crate) carried: f32,
}

/// Where the bodies of a tree are.
#[derive(Clone, Copy)]
pub(crate) struct Poses<'a> {
    pub(crate) places: &'a [Place],
    pub(crate) blocks: &'a [Block],
    /// Where only a part of it moves.
    pub(crate) follow: Option<&'a Follow>,
}

impl Reach {
    pub(crate) fn of(tree: &Tree) -> Self {
        let n = tree.len();
        let parent = &tree.parent;
        let (mut size, mut reach, mut carried) =
            (vec![1_u32; n], vec![0.0_f32; n], vec![0.0_f32; n]);
        for id in (0..n).rev() {
            let (block, slot) = tree.slot(BodyId(id as u32));
            let (model, sizes) = (block.model(slot), block.sizes(slot));
            reach[id] = reach[id].max(Outline::of(&model, &sizes).extent(&sizes));
            carried[id] += model.mass;
            if parent[id] != u32::MAX {
                let below = parent[id] as usize;
                size[below] += size[id];
                carried[below] += carried[id];
                reach[below] = reach[below].max(model.arm.length() + reach[id]);
            }
        }
        // A body comes right behind its parent and the subtrees of its elder siblings.
        let (mut order, mut next) = (vec![0_u32; n], vec![0_u32; n]);
        for id in 0..n {
            let at = match parent[id] {
                u32::MAX => 0,
                below => {
                    let at = next[below as usize];
                    next[below as usize] += size[id];
                    at
                }
            };
            order[at as usize] = id as u32;
            next[id] = at + 1;
        }
        let stop = |(at, &id): (usize, &u32)| {
            let (block, slot) = tree.slot(BodyId(id));
            Stop {
                id: BodyId(id),
                end: at as u32 + size[id as usize],
                reach: reach[id as usize] * (1.0 + SLACK) + SLACK,
                carried: carried[id as usize],
                outline: Outline::of(&block.model(slot), &block.sizes(slot)),
            }
        };
        let stops: Vec<Stop> = order.iter().enumerate().map(stop).collect();
        Self {
            solid: Boxes::around(&stops, Outline::is_solid),
            stout: None,
            stops,
        }
    }

    /// The tree has moved: boxes are taken anew when needed.
    pub(crate) fn moved(&mut self) {
        self.solid.current = false;
        if let Some((_, stout)) = &mut self.stout {
            stout.current = false;
        }
    }

    /// A ball around everything on the tree, however it is bent: centre and radius, m.
    pub(crate) fn whole(&self, poses: Poses) -> (V3<f32>, f32) {
        let root = self.stops[0];
        let centre = poses.frame_of(root.id).position;
        (centre, root.reach)
    }

    /// Whether anything of the tree may be near.
    pub(crate) fn whole_meets(&self, poses: Poses, near: &Near) -> bool {
        let (centre, radius) = self.whole(poses);
        near.meets_sphere(centre, radius)
    }

    /// Calls `visit` for every solid body on the tree that may be near, in the order of walking.
    pub(crate) fn search(
        &mut self,
        poses: Poses,
        pruning: Pruning,
        near: &Near,
        mut visit: impl FnMut(Found),
    ) {
        match pruning.of_many(1) {
            Pruning::Everything => {
                for stop in &self.stops {
                    poses.visit(stop, &mut visit);
                }
            }
            Pruning::Boxes => self.solid.search(&self.stops, poses, near, &mut visit),
            Pruning::Spheres | Pruning::ByNumber => {
                let mut at = 0;
                while let Some(stop) = self.stops.get(at) {
                    let place = poses.places[stop.id.index()];
                    let met = !place.is_off()
                        && near.meets_sphere(poses.frame_of(stop.id).position, stop.reach);
                    at = if met {
                        poses.visit(stop, &mut visit);
                        at + 1
                    } else {
                        stop.end as usize
                    };
                }
            }
        }
    }

    /// The same of wood from a radius on, m, alone.
    pub(crate) fn search_stout(
        &mut self,
        poses: Poses,
        least: f32,
        near: &Near,
        mut visit: impl FnMut(Found),
    ) {
        if self.stout.as_ref().is_none_or(|known| known.0 != least) {
            let boxes = Boxes::around(&self.stops, |outline| outline.is_wood_from(least));
            self.stout = Some((least, boxes));
        }
        if let Some((_, stout)) = &mut self.stout {
            stout.search(&self.stops, poses, near, &mut visit);
        }
    }

    /// Calls `visit` for every body, leaves too, whose sphere and all those below it are met.
    pub(crate) fn walk(
        &self,
        poses: Poses,
        mut visit: impl FnMut(BodyId),
        meets: impl Fn(V3<f32>, f32) -> bool,
    ) {
        let mut at = 0;
        while at < self.stops.len() {
            let stop = self.stops[at];
            let place = poses.places[stop.id.index()];
            if place.is_off() || !meets(poses.frame_of(stop.id).position, stop.reach) {
                at = stop.end as usize;
            } else {
                visit(stop.id);
                at += 1;
            }
        }
    }
}

impl Poses<'_> {
    /// Asks for the frame of a body that is soon needed.
    #[inline(always)]
    fn fetch(self, id: BodyId) {
        let place = self.places[id.index()];
        if let Some(block) = self.blocks.get(place.block as usize) {
            fetch(&block.frames[place.slot as usize]);
        }
    }

    /// Frame of a body on the tree.
    #[inline(always)]
    pub(crate) fn frame_of(self, id: BodyId) -> Frame<f32> {
        let frame = |at: Place| self.blocks[at.block as usize].frame(at.slot as usize);
        let place = self.places[id.index()];
        match self.follow {
            Some(follow) if place.follows() => {
                follow.frame_of(id, |mover| frame(self.places[mover.index()]))
            }
            _ => frame(place),
        }
    }

    /// Who moves a body of the tree, and where that one lies.
    fn mover(self, id: BodyId) -> (BodyId, Place) {
        let mover = match self.follow {
            Some(follow) if self.places[id.index()].follows() => follow.mover(id),
            _ => id,
        };
        (mover, self.places[mover.index()])
    }

    /// If the body is solid and on the tree.
    #[inline(always)]
    fn visit(self, stop: &Stop, visit: &mut impl FnMut(Found)) {
        let place = self.places[stop.id.index()];
        if stop.outline.is_solid() && !place.is_off() {
            let (id, place) = self.mover(stop.id);
            visit(Found {
                id,
                place,
                cone: stop.outline.in_world(&self.frame_of(stop.id)),
                carried: stop.carried,
            });
        }
    }
}

/// A box that holds nothing.
const NOWHERE: Bounds = {
    let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
    [
        V3 {
            x: low,
            y: low,
            z: low,
        },
        V3 {
            x: high,
            y: high,
            z: high,
        },
    ]
};

/// A box around both.
fn joined([a, b]: &Bounds, [c, d]: &Bounds) -> Bounds {
    [
        V3 {
            x: a.x.min(c.x),
            y: a.y.min(c.y),
            z: a.z.min(c.z),
        },
        V3 {
            x: b.x.max(d.x),
            y: b.y.max(d.y),
            z: b.z.max(d.z),
        },
    ]
}
