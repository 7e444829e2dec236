//! A spectral tree as bodies: for files, for contacts, and for whoever draws it as any other tree.
//!
//! Every body is turned as the wood in its middle is; its joint follows, and positions follow from the joints, so that they cannot come apart. A tree that was
//! simulated before, or at rest, comes in without a jump: what its joints differ by, and at what rate, fades within [`BLEND_SECS`]. The other way round nothing is
//! needed: joints and rates are there for another solver to go on from.

use super::hierarchy::{Homes, SpectralTree};
use super::leaf::Flutter;
use super::model::SpectralVertex;
use super::wind::SpectralWind;
use crate::analytic::spring::JointState;
use crate::desc::{BodyId, BodyKind};
use crate::forces::ForceField;
use crate::math::{Quaternion, V3};
use crate::report::StepReport;
use crate::root::RootKind;
use crate::step::Stopwatch;
use crate::surroundings::Surroundings;
use crate::tree::Tree;
use crate::world::{TreeId, World};

/// How long a tree takes to go over from the motion it had, s.
pub const BLEND_SECS: f64 = 2.0;

/// How long its rates last, s.
const RATE_SECS: f32 = 0.05;

/// A tree's spectral motion; made when it is first stepped so.
#[derive(Clone)]
pub(crate) struct Spectral {
    tree: SpectralTree,
    wind: SpectralWind,
    /// Pose of every body in the anchor's space at rest, and where its middle is along its branch.
    rest: Vec<(V3<f32>, Quaternion<f32>, SpectralVertex)>,
    pub(crate) coming: Coming,
    // Scratch, so that no step allocates.
    phases: Vec<[f32; 4]>,
    away: Vec<[f32; 2]>,
    turns: Vec<Quaternion<f32>>,
    thetas: Vec<V3<f32>>,
}

/// How a tree came in from another motion.
#[derive(Clone, Debug)]
pub(crate) struct Coming {
    /// What fades since.
    blend: Option<Blend>,
    /// When the last step ended, s: one that starts at another time has something else before it.
    until: f64,
}

/// What the joints of a tree that comes in differ by from where they go.
#[derive(Clone, Debug)]
struct Blend {
    since: f64,
    /// Angle, rad, and rate, rad/s.
    off: Vec<[V3<f32>; 2]>,
}

impl Spectral {
    fn of(tree: &Tree, wind: SpectralWind) -> Self {
        let mut spectral = SpectralTree::of(tree, &wind, &tree.settings.spectral);
        if let Some(fit) = &tree.spectral_fit {
            fit.apply(&mut spectral, &wind, &tree.settings.spectral);
        }
        let home = Homes::of(tree);
        let middle = |id: BodyId| {
            let (p, q) = home.poses[id.index()];
            let half = V3 {
                x: 0.0,
                y: 0.0,
                z: 0.5 * tree.body(id).length,
            };
            (p, q, spectral.vertex(id, (p + q.rotate(half)).into()))
        };
        let rest = tree.ids().map(middle).collect();
        Self {
            tree: spectral,
            wind,
            rest,
            coming: Coming {
                blend: None,
                until: f64::NAN,
            },
            phases: Vec::new(),
            away: Vec::new(),
            turns: vec![Quaternion::identity(); tree.len()],
            thetas: vec![V3::zero(); tree.len()],
        }
    }

    /// θ of all joints at a time, into `thetas`; `model` says kind, parent and joint rotation of a body.
    fn bend(&mut self, tree: &Tree, seconds: f64) {
        let SpectralTree {
            model, textures, ..
        } = &self.tree;
        let frame = model.frame(seconds);
        model.phases(seconds, &mut self.phases);
        model.away(textures, &frame, &self.phases, 0.0, &mut self.away);
        for id in tree.ids() {
            let (position, rotation, at) = self.rest[id.index()];
            let (block, slot) = tree.slot(id);
            let own = block.model(slot);
            let mut turn = rotation;
            if own.kind() == BodyKind::Leaf {
                turn = Flutter::at(textures, &frame, position)
                    .rotation(rotation)
                    .times(rotation);
            }
            model.each_level(&frame, &self.away, at, |map| turn = map.turn().times(turn));
            let below = tree
                .parent_of(id)
                .map_or(Quaternion::identity(), |p| self.turns[p.index()]);
            let joint = below.times(own.joint_rotation).conjugate();
            self.turns[id.index()] = turn.renormalised();
            self.thetas[id.index()] = joint.times(turn).rotation_vector();
        }
    }
}

impl Blend {
    /// What is left of it, 1 to 0, with no corner at either end.
    fn left(&self, seconds: f64) -> Option<f32> {
        let t = (seconds - self.since) / BLEND_SECS;
        (t < 1.0).then_some((1.0 - t * t * t * (10.0 + t * (6.0 * t - 15.0))) as f32)
    }
}

/// The wind of all fields in the middle of a crown, in the anchor's space.
fn wind_of(tree: &Tree, fields: &[Box<dyn ForceField>]) -> SpectralWind {
    let anchor = &tree.anchor;
    let up = anchor.position.narrow()
        + V3 {
            x: 0.0,
            y: 0.6 * tree.height_at_rest(),
            z: 0.0,
        };
    let mut sum = SpectralWind::default();
    for wind in fields.iter().filter_map(|field| field.breeze(up.into())) {
        sum.velocity += wind.velocity;
        sum.intensity = sum.intensity.max(wind.intensity);
        sum.gust_length = sum.gust_length.max(wind.gust_length);
        sum.air = wind.air;
    }
    let turned = anchor
        .rotation
        .narrow()
        .conjugate()
        .rotate(sum.velocity.into());
    SpectralWind {
        velocity: turned.into(),
        ..sum
    }
}

impl Tree {
    /// Height over its anchor in the pose it was given, m.
    pub(crate) fn height_at_rest(&self) -> f32 {
        match &self.spectral {
            Some(spectral) => spectral.tree.model.height,
            None => Homes::of(self)
                .poses
                .iter()
                .fold(0.0, |h: f32, (p, _)| h.max(p.y)),
        }
    }

    /// One step: all joints as the time says, then where all bodies are.
    pub(crate) fn spectral_step(&mut self, around: &Surroundings, h: f64) -> StepReport {
        let mut report = StepReport {
            bodies: self.len() as u64,
            steps: 1,
            ..StepReport::default()
        };
        let mut watch = Stopwatch::start();
        let now = around.seconds;
        let wind = wind_of(self, around.fields);
        let mut spectral = match self.spectral.take() {
            Some(spectral) if spectral.wind.is_like(&wind) => spectral,
            _ => Box::new(Spectral::of(self, wind)),
        };
        // Frames are counted, steps are added up: the last bits differ.
        let goes_on = (spectral.coming.until - now).abs() < 1e-3 * h;
        if !goes_on {
            // New, from another solver, or in another wind: the motion that was goes over into this one.
            spectral.coming.blend = Some(self.difference(&mut spectral, now, h));
        }
        let next = self.next_anchor(now, h);
        spectral.bend(self, now + h);
        let limit = self.settings.limits.angle;
        let left = spectral
            .coming
            .blend
            .as_ref()
            .map(|b| (b.left(now + h), b.since));
        for id in self.ids() {
            if !self.is_attached(id) || (id.0 == 0 && self.root != RootKind::Clamped) {
                continue;
            }
            let mut theta = spectral.thetas[id.index()];
            if let (Some((Some(left), since)), Some(blend)) = (left, &spectral.coming.blend) {
                let [angle, rate] = blend.off[id.index()];
                let t = (now + h - since) as f32;
                // A rate is gone on with for a moment: leaves turn by more than a radian within two frames.
                let fades = 1.0 + (t / RATE_SECS) * (t / RATE_SECS);
                theta += (angle + rate * (t / (fades * fades))) * left;
            }
            let size = theta.length();
            let theta = theta * (limit / size.max(limit));
            let (block, slot) = self.slot_mut(id);
            let before = block.joint(slot).theta;
            let rate = (theta - before) * (1.0 / h as f32);
            block.set_joint(
                slot,
                JointState {
                    theta,
                    rate,
                    accel: V3::zero(),
                },
            );
        }
        if let Some((None, _)) = left {
            spectral.coming.blend = None;
        }
        spectral.coming.until = now + h;
        self.spectral = Some(spectral);
        self.anchor = next;
        report.times.up = watch.lap();
        self.propagate(around.isa);
        report.times.down = watch.lap();
        report
    }

    /// What the joints differ by from where the spectral motion would have them now.
    fn difference(&self, spectral: &mut Spectral, now: f64, h: f64) -> Blend {
        spectral.bend(self, now - h);
        let before = spectral.thetas.clone();
        spectral.bend(self, now);
        let off = self.ids().map(|id| {
            let (block, slot) = self.slot(id);
            let (joint, theta) = (block.joint(slot), spectral.thetas[id.index()]);
            let rate = (theta - before[id.index()]) * (1.0 / h as f32);
            [joint.theta - theta, joint.rate - rate]
        });
        Blend {
            since: now,
            off: off.collect(),
        }
    }

    /// The tree's spectral motion in a wind, m/s in the anchor's space: for whoever draws it.
    pub fn spectral(&self, wind: &SpectralWind) -> SpectralTree {
        SpectralTree::of(self, wind, &self.settings.spectral)
    }

    /// The spectral motion that it is in, once it has been stepped by that solver.
    pub fn spectral_now(&self) -> Option<&SpectralTree> {
        self.spectral.as_ref().map(|s| &s.tree)
    }

    /// The wind that it was made for, in the anchor's space.
    pub fn spectral_wind(&self) -> Option<SpectralWind> {
        self.spectral.as_ref().map(|s| s.wind)
    }

    /// The same, to edit branches while it moves.
    pub fn spectral_mut(&mut self) -> Option<&mut SpectralTree> {
        self.spectral.as_mut().map(|s| &mut s.tree)
    }
}

impl World {
    /// The spectral motion of a tree in the wind of this world, and that wind in the tree's anchor's space.
    pub fn spectral(&self, id: TreeId) -> (SpectralTree, SpectralWind) {
        let tree = self.tree(id);
        let wind = wind_of(tree, &self.fields);
        (tree.spectral(&wind), wind)
    }
}
