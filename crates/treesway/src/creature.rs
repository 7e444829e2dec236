//! A creature that runs over branches and leaps from tree to tree (Quigley 2017, Fig. 15).
//!
//! While it stands on a body its mass M is part of that body ([`crate::burden`]), so that weight and inertia are in the solver's own step. What it does by itself is an
//! impulse on the body: with v its velocity, and v_p + u the velocity of the next foothold and its own over it, in a frame the tree gets
//!
//!   J = M (v − v_p − u)                                                                                              (1)
//!
//! Running from body to body, bounding up and down, landing (v is that of the fall) and leaping off (v_p + u is that of the leap, and M leaves the body) are all (1), and momentum is
//! kept in each: what the creature gains the tree loses. In the air it falls freely.

use crate::burden::Rider;
use crate::desc::BodyId;
use crate::forces::Load;
use crate::math::{Quaternion, V3};
use crate::root::{RootMotion, RootPose};
use crate::tree::Tree;
use crate::world::TreeId;
use glam::{DQuat, DVec3, Vec3};
use std::sync::{Arc, Mutex};

/// A way over the bodies of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which tree.
    pub tree: TreeId,
    /// Where it begins: at the joint of a body that carries `to`, at the tip of another.
    pub from: BodyId,
    /// Where it ends: at the joint of a body that carries `from`, at the tip of another.
    pub to: BodyId,
}

/// What a creature is like and where it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatureSettings {
    /// kg (default: 0.35, a squirrel).
    pub mass: f32,
    /// Along branches, m/s (default: 2.5).
    pub speed: f32,
    /// Over the ground in the air, m/s (default: 4).
    pub leap_speed: f32,
    /// How far it comes with one bound, m (default: 0.6).
    pub bound: f32,
    /// How high it goes up in it, m (default: 0.05).
    pub bound_height: f32,
    /// When it sets out, s (default: 1).
    pub start: f32,
    /// From the end of one it leaps to the beginning of the next; at the end of the last it stays.
    pub runs: Vec<Run>,
}

impl Default for CreatureSettings {
    fn default() -> Self {
        Self {
            mass: 0.35,
            speed: 2.5,
            leap_speed: 4.0,
            bound: 0.6,
            bound_height: 0.05,
            start: 1.0,
            runs: Vec::new(),
        }
    }
}

/// Part of a body that a run goes over, along its axis, m.
#[derive(Clone, Copy, Debug)]
struct Span {
    body: BodyId,
    from: f32,
    to: f32,
}

/// A run, body by body.
#[derive(Clone, Debug)]
struct Way {
    tree: TreeId,
    spans: Vec<Span>,
}

/// A point of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Foothold {
    way: usize,
    span: usize,
    /// From the beginning of the span, m.
    along: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    /// On a branch.
    Stands(Foothold),
    /// In the air for so many frames more, to the beginning of a way.
    Leaps { to: usize, frames: u32 },
    /// Its branch has gone.
    Falls,
    /// On the ground.
    Rests,
}

/// Where a creature is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CreaturePose {
    /// Where its feet are, m.
    pub position: Vec3,
    /// Where it looks, unit.
    pub forward: Vec3,
    /// Out of its back, unit, across `forward`.
    pub up: Vec3,
}

/// A creature in a world.
#[derive(Clone, Debug)]
pub struct Creature {
    settings: CreatureSettings,
    ways: Vec<Way>,
    doing: Doing,
    velocity: V3<f32>,
    /// u of (1).
    own: V3<f32>,
    /// Of a bound, turns.
    phase: f32,
    pose: CreaturePose,
    /// From its foothold to where it is drawn, m: it does not jump to a branch that swayed while it flew.
    astray: V3<f32>,
    /// What it gave to trees in the last frame, N·s.
    impulse: V3<f32>,
    leaps: u32,
    glide: Arc<Glide>,
}

/// Share of `astray` that is left after a frame.
const GATHERED: f32 = 0.6;

/// Runs, body by body.
fn ways(runs: &[Run], trees: &[Tree]) -> Result<Vec<Way>, (String, String)> {
    let mut ways = Vec::with_capacity(runs.len());
    for (i, run) in runs.iter().enumerate() {
        let field = |key: &str| format!("run.{i}.{key}");
        let Some(tree) = trees.get(run.tree.0) else {
            let what = format!(
                "is {}; expected a tree from 0 to {}",
                run.tree.0,
                trees.len().max(1) - 1
            );
            return Err((field("tree"), what));
        };
        for (key, body) in [("from", run.from), ("to", run.to)] {
            if body.index() >= tree.len() {
                let what = format!("is {}; expected a body below {}", body.0, tree.len());
                return Err((field(key), what));
            }
        }
        ways.push(Way::over(tree, run));
    }
    if ways.is_empty() {
        return Err((
            "run".into(),
            "the list is empty; expected at least one".into(),
        ));
    }
    Ok(ways)
}

impl Creature {
    /// Sits at the beginning of its first run. Fails, naming the field, where it has none, where a number is out of range or where a run does not lie on a tree.
    pub fn new(settings: CreatureSettings, trees: &[Tree]) -> Result<Self, (String, String)> {
        let positive = [
            ("mass", settings.mass),
            ("speed", settings.speed),
            ("leap_speed", settings.leap_speed),
            ("bound", settings.bound),
        ];
        for (name, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                let what = format!("is {value}; expected a finite number greater than zero");
                return Err((name.into(), what));
            }
        }
        for (name, value) in [
            ("bound_height", settings.bound_height),
            ("start", settings.start),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                let what = format!("is {value}; expected a finite number, not negative");
                return Err((name.into(), what));
            }
        }
        let ways = ways(&settings.runs, trees)?;
        let mut creature = Self {
            settings,
            ways,
            doing: Doing::Stands(Foothold {
                way: 0,
                span: 0,
                along: 0.0,
            }),
            velocity: V3::zero(),
            own: V3::zero(),
            phase: 0.0,
            pose: CreaturePose {
                position: Vec3::ZERO,
                forward: Vec3::X,
                up: Vec3::Y,
            },
            astray: V3::zero(),
            impulse: V3::zero(),
            leaps: 0,
            glide: Arc::default(),
        };
        if let Doing::Stands(at) = creature.doing {
            creature.stand(at, trees);
        }
        creature
            .glide
            .set(0.0, 1.0, [creature.pose; 2], [V3::zero(); 2]);
        Ok(creature)
    }

    /// Gives it further runs after those that it has.
    pub(crate) fn lead(&mut self, runs: Vec<Run>, trees: &[Tree]) -> Result<(), (String, String)> {
        if !runs.starts_with(&self.settings.runs) {
            let what = "the first ones are others; expected those that it has, and more";
            return Err(("run".into(), what.into()));
        }
        self.ways = ways(&runs, trees)?;
        self.settings.runs = runs;
        Ok(())
    }

    /// Whether its branch has gone: it falls, or lies on the ground.
    pub fn has_fallen(&self) -> bool {
        matches!(self.doing, Doing::Falls | Doing::Rests)
    }

    /// What it is like.
    pub fn settings(&self) -> &CreatureSettings {
        &self.settings
    }

    /// Where it is.
    pub fn pose(&self) -> CreaturePose {
        self.pose
    }

    /// m/s.
    pub fn velocity(&self) -> Vec3 {
        self.velocity.into()
    }

    /// The body that carries it, and where along its axis, m; none in the air or on the ground.
    pub fn foothold(&self) -> Option<(TreeId, BodyId, f32)> {
        let Doing::Stands(at) = self.doing else {
            return None;
        };
        let (way, span) = self.span(at);
        Some((way.tree, span.body, span.at(at.along)))
    }

    /// What it gave to trees by itself in the last frame, N·s; its weight comes on top.
    pub fn impulse(&self) -> Vec3 {
        self.impulse.into()
    }

    /// How often it has leapt.
    pub fn leaps(&self) -> u32 {
        self.leaps
    }

    /// Its way as the motion of a root, for a figure that is drawn in its place: z forward, y up. Known up to the end of the frame that is stepped.
    pub fn motion(&self) -> Arc<dyn RootMotion> {
        self.glide.clone()
    }

    fn span(&self, at: Foothold) -> (&Way, Span) {
        let way = &self.ways[at.way];
        (way, way.spans[at.span])
    }

    /// What it does in the next frame, and what that does to trees.
    pub(crate) fn before(
        &mut self,
        me: usize,
        trees: &mut [Tree],
        gravity: Vec3,
        seconds: f64,
        dt: f64,
    ) {
        let (h, gravity) = (dt as f32, V3::from(gravity));
        self.impulse = V3::zero();
        let (before, from) = (self.pose, self.velocity);
        match self.doing {
            Doing::Stands(at) => self.go(me, at, trees, gravity, seconds, h),
            Doing::Leaps { to, frames: 0 } => self.land(me, to, trees, h),
            Doing::Leaps { .. } | Doing::Falls | Doing::Rests => {}
        }
        let mut next = self.pose;
        let mut speed = self.velocity;
        match self.doing {
            Doing::Stands(at) => {
                // Where the foothold is going to be, if it goes on as it does.
                let (way, span) = self.span(at);
                let (point, moved) = foot(&trees[way.tree.0], span.body, span.at(at.along));
                speed = moved + self.own;
                self.astray = self.astray * GATHERED;
                next = CreaturePose {
                    position: (point + moved * h + self.astray).into(),
                    ..self.facing(at, trees)
                };
            }
            Doing::Leaps { .. } | Doing::Falls => {
                let fall = speed * h + gravity * (0.5 * h * h);
                next.position += Vec3::from(fall);
                speed += gravity * h;
                next.forward = across(speed, V3::from(self.pose.up)).unwrap_or(self.pose.forward);
            }
            Doing::Rests => {}
        }
        next.up = across(V3::from(Vec3::Y), next.forward.into()).unwrap_or(next.up);
        self.glide.set(seconds, dt, [before, next], [from, speed]);
        self.pose = next;
        if !matches!(self.doing, Doing::Stands(_)) {
            self.velocity = speed;
        }
    }

    /// After the trees have moved.
    pub(crate) fn after(&mut self, trees: &[Tree], ground: f32) {
        match &mut self.doing {
            Doing::Stands(at) => {
                let at = *at;
                self.stand(at, trees);
            }
            Doing::Leaps { frames, .. } => *frames -= 1,
            Doing::Falls => {
                if self.pose.position.y <= ground {
                    self.pose.position.y = ground;
                    self.velocity = V3::zero();
                    self.doing = Doing::Rests;
                }
            }
            Doing::Rests => {}
        }
    }

    /// Where the foothold is now.
    fn stand(&mut self, at: Foothold, trees: &[Tree]) {
        let (way, span) = self.span(at);
        let (point, moved) = foot(&trees[way.tree.0], span.body, span.at(at.along));
        self.velocity = moved + self.own;
        self.pose = CreaturePose {
            position: (point + self.astray).into(),
            ..self.facing(at, trees)
        };
    }

    /// Looks along the branch, its back up.
    fn facing(&self, at: Foothold, trees: &[Tree]) -> CreaturePose {
        let (way, span) = self.span(at);
        let axis = axis(&trees[way.tree.0], span.body);
        let forward = if span.to < span.from { -axis } else { axis };
        let up = across(V3::from(Vec3::Y), forward).unwrap_or(self.pose.up);
        CreaturePose {
            position: self.pose.position,
            forward: forward.into(),
            up,
        }
    }

    /// A frame on the way.
    fn go(
        &mut self,
        me: usize,
        at: Foothold,
        trees: &mut [Tree],
        gravity: V3<f32>,
        seconds: f64,
        h: f32,
    ) {
        let (way, span) = self.span(at);
        let (id, body) = (way.tree, span.body);
        if !trees[id.0].is_attached(body) {
            self.doing = Doing::Falls;
            return;
        }
        let waits = seconds + 1e-6 < f64::from(self.settings.start);
        let next = if waits {
            Some(at)
        } else {
            self.further(at, self.settings.speed * h)
        };
        let Some(next) = next else {
            if at.way + 1 < self.ways.len() {
                return self.leap(me, at, trees, gravity, h);
            }
            // At the end of the last way it sits still.
            return self.step_to(me, at, V3::zero(), trees, h);
        };
        if !trees[id.0].is_attached(self.span(next).1.body) {
            // A branch that has gone is the end of the way.
            return self.step_to(me, at, V3::zero(), trees, h);
        }
        let mut own = V3::zero();
        if !waits {
            let facing = self.facing(next, trees);
            let lift = |phase: f32| {
                let (_, cos) = libm::sincosf(core::f32::consts::TAU * phase);
                0.5 * self.settings.bound_height * (1.0 - cos)
            };
            let later = self.phase + self.settings.speed * h / self.settings.bound;
            let rise = (lift(later) - lift(self.phase)) / h;
            own = V3::from(facing.forward) * self.settings.speed + V3::from(facing.up) * rise;
            self.phase = later - libm::floorf(later);
        }
        let (old, new) = (self.span(at).1.body, self.span(next).1.body);
        if old != new {
            trees[id.0].let_off(me, old);
        }
        self.step_to(me, next, own, trees, h);
    }

    /// Stands on a foothold from now on, moving over it by `own`: (1).
    fn step_to(&mut self, me: usize, at: Foothold, own: V3<f32>, trees: &mut [Tree], h: f32) {
        let (way, span) = self.span(at);
        let (id, z) = (way.tree, span.at(at.along));
        let tree = &mut trees[id.0];
        let (_, moved) = foot(tree, span.body, z);
        self.give(tree, span.body, z, self.velocity - moved - own, h);
        let (_, span) = self.span(at);
        trees[id.0].carry(Rider {
            creature: me,
            body: span.body,
            mass: self.settings.mass,
            z,
        });
        self.own = own;
        self.doing = Doing::Stands(at);
    }

    /// J of (1) on a body, over a frame.
    fn give(&mut self, tree: &mut Tree, body: BodyId, z: f32, change: V3<f32>, h: f32) {
        let impulse = change * self.settings.mass;
        self.impulse += impulse;
        let force = (impulse * (1.0 / h)).into();
        tree.add_load(Load::force(body, Vec3::new(0.0, 0.0, z), force));
    }

    /// Off to the next way.
    fn leap(&mut self, me: usize, at: Foothold, trees: &mut [Tree], gravity: V3<f32>, h: f32) {
        let (way, span) = self.span(at);
        let (id, z) = (way.tree, span.at(at.along));
        let to = at.way + 1;
        let (next, first) = self.span(Foothold {
            way: to,
            span: 0,
            along: 0.0,
        });
        let tree = &mut trees[id.0];
        let (here, _) = foot(tree, span.body, z);
        let body = span.body;
        tree.let_off(me, body);
        let (there, moving) = foot(&trees[next.tree.0], first.body, first.from);
        let apart = there - here;
        let level = V3 { y: 0.0, ..apart }.length();
        let frames = libm::ceilf(level / (self.settings.leap_speed * h)).max(4.0);
        let time = frames * h;
        // A branch that sways is met halfway.
        let apart = apart + moving * (0.5 * time);
        let off = apart * (1.0 / time) - gravity * (0.5 * time);
        let change = self.velocity - off;
        self.give(&mut trees[id.0], body, z, change, h);
        self.velocity = off;
        self.own = V3::zero();
        self.astray = V3::zero();
        self.leaps += 1;
        self.doing = Doing::Leaps {
            to,
            frames: frames as u32,
        };
    }

    /// On the branch that it leapt for, if that is still there.
    fn land(&mut self, me: usize, to: usize, trees: &mut [Tree], h: f32) {
        let at = Foothold {
            way: to,
            span: 0,
            along: 0.0,
        };
        let (way, span) = self.span(at);
        let tree = &trees[way.tree.0];
        if !tree.is_attached(span.body) {
            self.doing = Doing::Falls;
            return;
        }
        let (point, _) = foot(tree, span.body, span.from);
        self.astray = V3::from(self.pose.position) - point;
        self.step_to(me, at, V3::zero(), trees, h);
    }

    /// So much further on the way; none at its end.
    fn further(&self, mut at: Foothold, way: f32) -> Option<Foothold> {
        at.along += way;
        let spans = &self.ways[at.way].spans;
        while at.along > spans[at.span].length() {
            at.along -= spans[at.span].length();
            at.span += 1;
            if at.span == spans.len() {
                return None;
            }
        }
        Some(at)
    }

    /// Its numbers, for the hash of a world.
    pub(crate) fn numbers(&self) -> [f32; 6] {
        let (p, v) = (self.pose.position, self.velocity);
        [p.x, p.y, p.z, v.x, v.y, v.z]
    }
}

impl Span {
    fn length(&self) -> f32 {
        (self.to - self.from).abs()
    }

    /// Along the body's axis, m.
    fn at(&self, along: f32) -> f32 {
        let share = along / self.length().max(1e-6);
        self.from + (self.to - self.from) * share.min(1.0)
    }
}

impl Way {
    /// From body to body: towards the root as far as both ends have in common, then out again.
    fn over(tree: &Tree, run: &Run) -> Self {
        let to_root = |body: BodyId| {
            let mut way = vec![body];
            while let Some(parent) = tree.parent_of(way[way.len() - 1]) {
                way.push(parent);
            }
            way
        };
        let (mut down, mut up) = (to_root(run.from), to_root(run.to));
        let mut fork = None;
        while let (Some(a), Some(b)) = (down.last(), up.last()) {
            if a != b {
                break;
            }
            fork = down.pop();
            up.pop();
        }
        // Where a body sits on the one that carries it.
        let seat = |body: &BodyId| tree.body(*body).joint_in_parent.z;
        let mut spans = Vec::with_capacity(down.len() + up.len() + 1);
        for (i, &body) in down.iter().enumerate() {
            let from = match i.checked_sub(1) {
                Some(i) => seat(&down[i]),
                None => tree.body(body).length,
            };
            spans.push(Span {
                body,
                from,
                to: 0.0,
            });
        }
        if let Some(body) = fork {
            spans.push(Span {
                body,
                from: down.last().map_or(0.0, seat),
                to: up.last().map_or(0.0, seat),
            });
        }
        for (i, &body) in up.iter().enumerate().rev() {
            let to = match i.checked_sub(1) {
                Some(i) => seat(&up[i]),
                None => tree.body(body).length,
            };
            spans.push(Span {
                body,
                from: 0.0,
                to,
            });
        }
        Self {
            tree: run.tree,
            spans,
        }
    }
}

/// A point of a body's axis and its velocity.
fn foot(tree: &Tree, body: BodyId, z: f32) -> (V3<f32>, V3<f32>) {
    let frame = tree.frame_of(body);
    let arm = frame.rotation.matrix().z * z;
    let velocity = frame.velocity + frame.angular_velocity.cross(arm);
    (frame.position + arm, velocity)
}

fn axis(tree: &Tree, body: BodyId) -> V3<f32> {
    tree.frame_of(body).rotation.matrix().z
}

/// The part of a vector across a unit vector, of length 1; none where there is next to nothing of it.
fn across(v: V3<f32>, unit: V3<f32>) -> Option<Vec3> {
    let part = v - unit * v.dot(unit);
    let length = part.length();
    (length > 1e-3 * v.length()).then(|| (part * (1.0 / length)).into())
}

/// A creature's way through a frame: a cubic between both ends with the speeds there.
#[derive(Debug, Default)]
struct Glide(Mutex<Leg>);

#[derive(Clone, Copy, Debug)]
struct Leg {
    start: f64,
    seconds: f64,
    position: [DVec3; 2],
    velocity: [DVec3; 2],
    rotation: [Quaternion<f64>; 2],
}

impl Default for Leg {
    fn default() -> Self {
        Self {
            start: 0.0,
            seconds: 1.0,
            position: [DVec3::ZERO; 2],
            velocity: [DVec3::ZERO; 2],
            rotation: [Quaternion::identity(); 2],
        }
    }
}

impl Glide {
    fn set(&self, start: f64, seconds: f64, pose: [CreaturePose; 2], velocity: [V3<f32>; 2]) {
        let rotation = |pose: CreaturePose| {
            let turn = glam::Mat3::from_cols(pose.up.cross(pose.forward), pose.up, pose.forward);
            let q = glam::Quat::from_mat3(&turn).as_dquat();
            let v = V3 {
                x: q.x,
                y: q.y,
                z: q.z,
            };
            Quaternion { v, w: q.w }.unit()
        };
        let leg = Leg {
            start,
            seconds,
            position: pose.map(|p| p.position.as_dvec3()),
            velocity: velocity.map(|v| Vec3::from(v).as_dvec3()),
            rotation: pose.map(rotation),
        };
        *self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = leg;
    }
}

impl RootMotion for Glide {
    fn pose(&self, seconds: f64) -> RootPose {
        let leg = *self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let t = (seconds - leg.start) / leg.seconds;
        let s = 1.0 - t;
        let [a, b] = leg.position;
        let [va, vb] = leg.velocity.map(|v| v * leg.seconds);
        let position = a * (s * s * (1.0 + 2.0 * t)) + va * (s * s * t) - vb * (s * t * t)
            + b * (t * t * (1.0 + 2.0 * s));
        let [from, to] = leg.rotation;
        let turn = from.conjugate().times(to).rotation_vector() * t;
        let q = from.times(Quaternion::from_rotation_vector(turn));
        RootPose {
            position,
            rotation: DQuat::from_xyzw(q.v.x, q.v.y, q.v.z, q.w),
        }
    }
}
