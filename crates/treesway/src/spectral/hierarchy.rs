//! Bodies of a tree → branches with their motion (Habel 2009, §3).
//!
//! A branch is a chain of segments that were cut from one branch of the skeleton, or that simply continue each other; its beam is the line from its first joint to its last
//! tip. Branches deeper than the chosen levels do not move by themselves: their bodies ride on the branch that carries them, at the place where it does.

use super::beam::slope;
use super::model::{NO_BRANCH, SpectralBranch, SpectralModel, SpectralVertex};
use super::oscillator::{
    Beam, Oscillator, Part, along, branches, leaf_drag, leaf_texel, load, model, tapered, textures,
    wood_drag,
};
use super::settings::{LevelFactors, SpectralSettings, Stroke, painted};
use super::softness::slowest;
use super::texture::MotionTextures;
use super::wind::SpectralWind;
use crate::desc::{BodyId, BodyKind};
use crate::math::{Quaternion, V3};
use crate::tree::Tree;
use glam::Vec3;

/// Which branch carries a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpectralBody {
    /// Branch, and where along it the body's joint is, or that on which it rides.
    pub at: SpectralVertex,
    /// Whether it is a segment of the branch itself: its points then are where they are along it, not all at one place.
    pub along: bool,
}

/// A tree of bodies as a spectral one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpectralTree {
    /// Branches and their motion, with the anchor at the origin.
    pub model: SpectralModel,
    /// What the motion is read from.
    pub textures: MotionTextures,
    /// Of all bodies, in id order.
    pub bodies: Vec<SpectralBody>,
}

impl SpectralTree {
    /// Of a tree as it is tuned now, in a wind in the anchor's space; `settings` are those of the tree unless others are given.
    pub fn of(tree: &Tree, wind: &SpectralWind, settings: &SpectralSettings) -> Self {
        let home = Homes::of(tree);
        let mut chains = Chains::of(tree, &home, settings.levels);
        let factors = chains.factors(settings);
        for (beam, factors) in chains.beams.iter_mut().zip(&factors) {
            beam.taper = tapered(beam.taper, factors);
        }
        let list = branches(&chains.beams);
        let mut bodies = home.attached(tree, &chains, &list);
        let mut oscillators = home.joints(tree, &chains, &bodies, &list);
        let parts = home.parts(tree, wind, &bodies);
        let springs = oscillators.clone();
        load(&list, &parts, &mut oscillators);
        let beta = f64::from(tree.params().wood.damping_beta);
        let slowest = slowest(tree, &home, &list, &chains.of);
        for ((own, spring), slowest) in oscillators.iter_mut().zip(springs).zip(slowest) {
            // Joints know their own β; a branch without any has the wood's.
            let of_wood = if spring.damping > 0.0 {
                own.damping -= spring.damping;
                spring.damping
            } else {
                beta * own.stiffness
            };
            let rigid = own.stiffness / own.mass.max(1e-30);
            // Never faster than with all else rigid.
            if slowest > 0.0 && slowest < rigid {
                own.softness = slowest / rigid;
            }
            own.damping += of_wood * own.softness;
        }
        // Paint is for points: what they weigh, and how their branch swings, stays.
        home.paint(tree, &settings.paint, &mut bodies);
        let texel = leaf_texel(home.leaf_size(tree));
        let height = home.ends.iter().fold(0.0, |h: f32, e| h.max(e.y));
        let model = model(list, &oscillators, &factors, height, texel, wind, settings);
        let textures = textures(&model, texel, wind, settings);
        Self {
            model,
            textures,
            bodies,
        }
    }

    /// Which branch carries a point of a body, and where along it.
    pub fn vertex(&self, body: BodyId, point: Vec3) -> SpectralVertex {
        let own = self.bodies[body.index()];
        if own.along {
            self.model.along(own.at.branch, point)
        } else {
            own.at
        }
    }
}

/// Where bodies are in the pose they were given, the anchor at the origin.
pub(super) struct Homes {
    pub(super) poses: Vec<(V3<f32>, Quaternion<f32>)>,
    /// Far ends.
    ends: Vec<V3<f32>>,
}

impl Homes {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut poses: Vec<(V3<f32>, Quaternion<f32>)> = Vec::with_capacity(tree.len());
        let mut ends = Vec::with_capacity(tree.len());
        for id in tree.ids() {
            let body = tree.body(id);
            let (at, turn) = (
                V3::from(body.joint_in_parent),
                Quaternion::from(body.joint_rotation),
            );
            let pose = match body.parent {
                None => (at, turn),
                Some(parent) => {
                    let (p, q) = poses[parent.index()];
                    (p + q.rotate(at), q.times(turn).renormalised())
                }
            };
            ends.push(
                pose.0
                    + pose.1.rotate(V3 {
                        x: 0.0,
                        y: 0.0,
                        z: body.length,
                    }),
            );
            poses.push(pose);
        }
        Self { poses, ends }
    }

    /// Mean length of leaves, m; 0.1 where there are none.
    fn leaf_size(&self, tree: &Tree) -> f32 {
        let leaves = tree
            .ids()
            .filter(|&id| tree.body(id).kind == BodyKind::Leaf);
        let (sum, count) = leaves.fold((0.0, 0), |(s, n), id| (s + tree.body(id).length, n + 1));
        if count == 0 { 0.1 } else { sum / count as f32 }
    }

    fn attached(&self, tree: &Tree, chains: &Chains, list: &[SpectralBranch]) -> Vec<SpectralBody> {
        let mut bodies: Vec<SpectralBody> = Vec::with_capacity(tree.len());
        for id in tree.ids() {
            let (branch, is_own) = chains.of[id.index()];
            let parent = tree.parent_of(id);
            let at = match parent.map(|p| bodies[p.index()]) {
                // On a branch that rides itself.
                Some(below) if !is_own && !below.along => below.at,
                _ => SpectralVertex {
                    branch,
                    x: along(&list[branch as usize], self.poses[id.index()].0),
                },
            };
            bodies.push(SpectralBody { at, along: is_own });
        }
        bodies
    }

    /// Lowers w of what was painted over; what rides on a twig that rides itself stays with it.
    fn paint(&self, tree: &Tree, strokes: &[Stroke], bodies: &mut [SpectralBody]) {
        for id in tree.ids() {
            let below = tree.parent_of(id).map(|p| bodies[p.index()]);
            let own = &mut bodies[id.index()];
            match below {
                Some(below) if !own.along && !below.along => own.at = below.at,
                _ => own.at.x *= painted(strokes, self.poses[id.index()].0),
            }
        }
    }

    /// K and what the joints damp, of all branches.
    fn joints(
        &self,
        tree: &Tree,
        chains: &Chains,
        bodies: &[SpectralBody],
        list: &[SpectralBranch],
    ) -> Vec<Oscillator> {
        let mut oscillators = vec![Oscillator::default(); list.len()];
        let slope_at = |id: BodyId, branch: u32| {
            let b = &list[branch as usize];
            let middle = (self.poses[id.index()].0 + self.ends[id.index()]) * 0.5;
            slope(chains.beams[branch as usize].taper, along(b, middle).into())
        };
        for id in tree.ids() {
            let (branch, is_own) = chains.of[id.index()];
            if !is_own {
                continue;
            }
            let body = tree.body(id);
            let below = body
                .parent
                .filter(|p| bodies[p.index()].along && chains.of[p.index()].0 == branch);
            let turn = slope_at(id, branch) - below.map_or(0.0, |p| slope_at(p, branch));
            let k = 0.5 * f64::from(body.stiffness.x + body.stiffness.y) * turn * turn;
            let own = &mut oscillators[branch as usize];
            own.stiffness += k;
            own.damping += k * f64::from(body.damping_beta);
        }
        oscillators
    }

    fn parts(&self, tree: &Tree, wind: &SpectralWind, bodies: &[SpectralBody]) -> Vec<Part> {
        let speed = f64::from(wind.velocity.length());
        let of = |id: BodyId| {
            let body = tree.body(id);
            let (p, q) = self.poses[id.index()];
            let (long, [a, b]) = (f64::from(body.length), body.radius.map(f64::from));
            let mass = f64::from(body.mass);
            let drag = match body.kind {
                BodyKind::Segment => wood_drag(&wind.air, long * (a + b), speed),
                BodyKind::Leaf => leaf_drag(&wind.air, long * a, mass, speed),
                BodyKind::Fruit => wood_drag(&wind.air, core::f64::consts::PI * a * a, speed),
            };
            let at = bodies[id.index()].at;
            Part {
                branch: at.branch,
                x: at.x,
                position: p + q.rotate(body.com_in_body.into()),
                mass,
                inertia: 0.5 * f64::from(body.inertia.x + body.inertia.y),
                drag,
            }
        };
        tree.ids()
            .filter(|&id| tree.is_attached(id))
            .map(of)
            .collect()
    }
}

/// Chains of segments.
struct Chains {
    beams: Vec<Beam>,
    /// Of each body: the branch that carries it, and whether it is one of its segments.
    of: Vec<(u32, bool)>,
}

impl Chains {
    fn of(tree: &Tree, home: &Homes, levels: u32) -> Self {
        let next = continuations(tree);
        let mut chains = Self {
            beams: Vec::new(),
            of: Vec::with_capacity(tree.len()),
        };
        let mut radii: Vec<[f32; 2]> = Vec::new();
        for id in tree.ids() {
            let body = tree.body(id);
            let place = match body.parent {
                Some(_) if body.kind != BodyKind::Segment => {
                    (chains.of[body.parent.map_or(0, |p| p.index())].0, false)
                }
                Some(parent) => {
                    let (below, is_own) = chains.of[parent.index()];
                    if next[parent.index()] == id.0 {
                        if is_own {
                            chains.beams[below as usize].tip = home.ends[id.index()];
                            radii[below as usize][1] = body.radius[1];
                        }
                        (below, is_own)
                    } else {
                        let level = chains.beams[below as usize].level + 1;
                        if is_own && level < levels {
                            chains.start(home, id, Some(below), level);
                            radii.push(body.radius);
                            (chains.beams.len() as u32 - 1, true)
                        } else {
                            (below, false)
                        }
                    }
                }
                None => {
                    chains.start(home, id, None, 0);
                    radii.push(body.radius);
                    (0, true)
                }
            };
            chains.of.push(place);
        }
        for (beam, [base, tip]) in chains.beams.iter_mut().zip(radii) {
            beam.taper = f64::from(tip / base).min(1.0);
        }
        chains
    }

    /// Of every branch.
    fn factors(&self, settings: &SpectralSettings) -> Vec<LevelFactors> {
        let of_level = self.beams.iter().map(|b| settings.factors(b.level));
        let mut factors: Vec<LevelFactors> = of_level.collect();
        for own in &settings.branch {
            // One of a tree that has since been grown with fewer bodies is not there.
            if let Some(&(branch, _)) = self.of.get(own.body.index()) {
                let known = &mut factors[branch as usize];
                *known = known.times(own.factors);
            }
        }
        factors
    }

    fn start(&mut self, home: &Homes, id: BodyId, parent: Option<u32>, level: u32) {
        self.beams.push(Beam {
            base: home.poses[id.index()].0,
            tip: home.ends[id.index()],
            taper: 1.0,
            parent,
            level,
        });
    }
}

/// The segment that each one's chain goes on with: of the same branch of the skeleton or, of bodies without one, the thickest.
fn continuations(tree: &Tree) -> Vec<u32> {
    let mut next = vec![NO_BRANCH; tree.len()];
    let rank = |id: BodyId, parent: BodyId| {
        let (body, below) = (tree.body(id), tree.body(parent));
        let same = body.branch == below.branch;
        (body.kind == BodyKind::Segment && same).then_some(body.radius[0])
    };
    for id in tree.ids() {
        let Some(parent) = tree.parent_of(id) else {
            continue;
        };
        let Some(new) = rank(id, parent) else {
            continue;
        };
        let old = next[parent.index()];
        if old == NO_BRANCH || rank(BodyId(old), parent).is_none_or(|old| new > old) {
            next[parent.index()] = id.0;
        }
    }
    next
}
