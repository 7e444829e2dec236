//! The bark mesh: one tube for each chain of segments, children blended into their parents.
//!
//! 1. [`chains`]: bodies → chains, leaving out what is too thin to be seen;
//! 2. [`curve`]: a smooth curve through the joints of each, starting in the middle of its parent;
//! 3. [`axis`]: stations along it with frames that do not twist;
//! 4. [`collar`] and [`foot`]: where a tube starts in its parent or in the ground;
//! 5. [`tube`]: rings around the stations, a half ball on the tip.
//!
//! The motion of a ring is that of two bodies. At a joint both have half a share and in the middle of a body that body all of it, so that a bent
//! chain is a smooth curve again (a quadratic B-spline of the bodies' frames). The first ring of a branch moves with its parent's bark, and a
//! collar goes over from the parent's motion to the branch's own within about one radius of the parent.

mod axis;
mod chains;
mod collar;
mod curve;
mod foot;
mod tube;

use crate::openness::Crown;
use crate::{BarkLook, BarkVertex, Detail, Mesh};
use axis::{Axis, Station};
use chains::{Chains, Fork, radii};
use collar::{Ground, Part, collar};
use core::f32::consts::TAU;
use curve::{Curve, Knot};
use foot::Foot;
use rayon::prelude::*;
use treesway::glam::{Vec2, Vec3};
use treesway::{BodyPose, Shape, TreeDesc};
use tube::{Carriers, Corner, Tube, circle};

/// Thinnest that a ring is drawn, m: far thinner ones would have no area in single precision.
const LEAST_RADIUS: f32 = 2e-4;
/// Chains that one thread turns into a mesh at a time.
const BATCH: usize = 128;

/// The bark of a tree in the pose `rest`.
pub(crate) fn mesh(
    bodies: &TreeDesc,
    rest: &[BodyPose],
    crown: &Crown,
    look: &BarkLook,
    detail: &Detail,
) -> Mesh<BarkVertex> {
    let wood = Wood::new(bodies, rest, detail);
    let batches = wood.chains.len().div_ceil(BATCH);
    let batch = |b: usize| {
        let mut mesh = Mesh::default();
        for chain in b * BATCH..((b + 1) * BATCH).min(wood.chains.len()) {
            wood.tube(chain, look, &mut mesh);
        }
        for vertex in &mut mesh.vertices {
            let [position, normal] = [vertex.position, vertex.normal].map(Vec3::from);
            vertex.openness *= crown.openness_of_surface(position, normal);
        }
        mesh
    };
    joined((0..batches).into_par_iter().map(batch).collect())
}

/// Triangles that [`mesh`] has at most.
pub(crate) fn most_triangles(bodies: &TreeDesc, rest: &[BodyPose], detail: &Detail) -> usize {
    let wood = Wood::new(bodies, rest, detail);
    let of = |(axis, &sides): (&Axis, &u32)| {
        let collar = detail.collar_rings(axis.stations[0].radius) as usize;
        let start = if collar == 0 { 1 } else { collar + 2 };
        2 * sides as usize * (start + axis.stations.len() + tube::cap_rings(sides))
    };
    let foot = 2 * wood.sides[0] as usize * foot::RINGS;
    wood.axes.iter().zip(&wood.sides).map(of).sum::<usize>() + foot
}

/// Everything of a tree that rings are made from.
struct Wood<'a> {
    chains: Chains,
    /// One for each chain.
    axes: Vec<Axis>,
    sides: Vec<u32>,
    /// By number of sides.
    circles: Vec<Vec<Vec2>>,
    detail: &'a Detail,
}

impl<'a> Wood<'a> {
    fn new(bodies: &TreeDesc, rest: &[BodyPose], detail: &'a Detail) -> Self {
        let chains = Chains::new(bodies, detail.least_radius);
        let mut curves: Vec<Curve> = (0..chains.len())
            .into_par_iter()
            .map(|c| through_joints(bodies, rest, chains.bodies(c)))
            .collect();
        // Starts need the curve of the parent, so in order.
        let mut sides_of_rings = vec![Vec3::X; chains.len()];
        for (c, side) in sides_of_rings.iter_mut().enumerate() {
            if let Some(fork) = chains.chain(c).fork {
                let (before, from) = curves.split_at_mut(c);
                *side = start_in_parent(&mut from[0], &before[fork.chain], fork);
            }
        }
        let axes: Vec<Axis> = curves
            .par_iter()
            .zip(sides_of_rings)
            .map(|(curve, side)| Axis::new(curve, side, detail.tolerance, detail.curve_steps))
            .collect();
        let widest = |axis: &Axis| axis.stations.iter().fold(0.0, |r: f32, s| r.max(s.radius));
        let sides: Vec<u32> = axes.iter().map(|axis| detail.sides(widest(axis))).collect();
        let most = sides.iter().copied().max().unwrap_or(3);
        Self {
            chains,
            axes,
            sides,
            circles: (0..=most).map(|n| circle(n.max(3))).collect(),
            detail,
        }
    }

    fn tube(&self, chain: usize, look: &BarkLook, mesh: &mut Mesh<BarkVertex>) {
        let axis = &self.axes[chain];
        let circle = &self.circles[self.sides[chain] as usize];
        let tiles = (TAU * axis.stations[0].radius / look.tile).round().max(1.0);
        let mut tube = Tube::new(mesh, circle, tiles);
        let fork = self.chains.chain(chain).fork;
        // The first ring whose normal goes over into that of the branch.
        let (from, first) = match fork {
            Some(fork) => (self.start_at_fork(&mut tube, chain, fork), 1),
            None => (self.start_at_ground(&mut tube, chain), 0),
        };
        let shaped = tube.rings();
        // The rest is round. A ring much nearer to the start than its own radius would only make thin triangles; the tip always stays.
        let (tip, below) = axis
            .stations
            .split_last()
            .expect("an axis has two stations");
        let apart = |s: &&Station| s.along > from + 0.3 * s.radius;
        for station in below.iter().filter(apart).chain([tip]) {
            tube.round(station, self.carriers(chain, station.joint));
        }
        tube.smooth(first..shaped);
        tube.cap(tip, self.carriers(chain, tip.joint));
        if fork.is_none() {
            tube.close_base();
        }
    }

    /// The collar of a branch, or for a thin one a ring in the middle of its parent. Returns how far along the branch it reaches, m.
    fn start_at_fork(&self, tube: &mut Tube, chain: usize, fork: Fork) -> f32 {
        let axis = &self.axes[chain];
        let parent = &self.axes[fork.chain];
        let inner = (0.5 * TAU / self.sides[fork.chain] as f32).cos();
        let along = parent.along_of(fork.joint);
        let rings = self.detail.collar_rings(axis.stations[0].radius);
        let ground = Ground {
            axis: parent,
            inner,
            along,
        };
        let circle = &self.circles[self.sides[chain] as usize];
        let parts = if rings > 0 {
            collar(axis, &ground, circle)
        } else {
            None
        };
        let Some(parts) = parts else {
            let root = parent.at(along);
            let base = Station {
                radius: axis.stations[0].radius.min(0.7 * inner * root.radius),
                ..axis.stations[0]
            };
            tube.round(&base, self.carriers(fork.chain, root.joint));
            return 0.0;
        };
        let up = |ring: u32| ring as f32 / rings as f32;
        // The root of the collar, then the collar.
        for t in core::iter::once(None).chain((0..=rings).map(|ring| Some(up(ring)))) {
            tube.ring(|corner| {
                let part = &parts[corner % parts.len()];
                let position = t.map_or(part.root, |t| part.at(t));
                let height = t.unwrap_or(0.0);
                let deep = part.base.distance(position) * if t.is_none() { 1.0 } else { 0.0 };
                let leaves = axis.at(part.leaves_along);
                let corner = Corner {
                    position,
                    // That of the parent's bark; higher up it is found once all rings are there.
                    normal: (part.base - part.on.position).normalize_or(Vec3::Y),
                    radius: leaves.radius,
                    turns: turns(axis, part, height) - deep / (TAU * leaves.radius),
                };
                let carriers = self.collar_carriers(chain, fork, part, height);
                // Less of the sky is seen from a fork.
                (corner, carriers, 0.6 + 0.4 * height)
            });
        }
        parts.iter().fold(0.0, |s, p| s.max(p.leaves_along))
    }

    fn start_at_ground(&self, tube: &mut Tube, chain: usize) -> f32 {
        let axis = &self.axes[chain];
        let base = axis.stations[0];
        let carriers = self.carriers(chain, 0.0);
        let circle = &self.circles[self.sides[chain] as usize];
        let Some(foot) = Foot::new(axis, axis.length()) else {
            tube.round(&base, carriers);
            return 0.0;
        };
        let stations = foot.stations(axis);
        for station in &stations {
            tube.ring(|corner| {
                let way = circle[corner];
                let normal = station.side * way.x + station.other_side() * way.y;
                let radius = station.radius * foot.widening(station.along, way.to_angle());
                let corner = Corner {
                    position: station.position + normal * radius,
                    normal,
                    radius,
                    turns: station.turns,
                };
                (corner, carriers, 1.0)
            });
        }
        foot.height
    }

    fn carriers(&self, chain: usize, joint: f32) -> Carriers {
        carriers(self.chains.bodies(chain), joint)
    }

    /// With the parent's bark at its base, with the branch from about one radius of the parent outside of it.
    fn collar_carriers(&self, chain: usize, fork: Fork, part: &Part, t: f32) -> Carriers {
        if t == 0.0 {
            return self.carriers(fork.chain, part.on.joint);
        }
        let axis = &self.axes[chain];
        let along = part.meets_along + (part.leaves_along - part.meets_along) * t * t;
        let own = self.carriers(chain, axis.at(along).joint);
        let share = ((along - part.meets_along) / part.on.radius).clamp(0.0, 1.0);
        let share = share * share * (3.0 - 2.0 * share);
        if share >= 1.0 {
            return own;
        }
        Carriers {
            bodies: [fork.body, own.bodies[usize::from(own.weight > 0.5)]],
            weight: share,
        }
    }
}

/// The curve through the joints of a chain of bodies to the tip of its last.
fn through_joints(bodies: &TreeDesc, rest: &[BodyPose], chain: &[u32]) -> Curve {
    let ends = |id: u32| radii(&bodies.bodies[id as usize]).expect("chains are of segments");
    let mut knots = Vec::with_capacity(chain.len() + 2);
    let mut below = None;
    for &id in chain {
        let [base, tip] = ends(id);
        // Where a scan's cylinders meet, the middle of both.
        let radius: f32 = below.map_or(base, |below: f32| 0.5 * (below + base));
        knots.push(Knot {
            position: rest[id as usize].position,
            radius: radius.max(LEAST_RADIUS),
        });
        below = Some(tip);
    }
    let last = chain[chain.len() - 1];
    if let Shape::Segment { length, tip, .. } = bodies.bodies[last as usize].shape {
        knots.push(Knot {
            position: rest[last as usize].point(Vec3::Z * length),
            radius: tip.max(LEAST_RADIUS),
        });
    }
    Curve { knots, lead: 0 }
}

/// Lets a curve start in the middle of its parent. Returns where its rings should start: on the side of the parent's tip.
fn start_in_parent(curve: &mut Curve, parent: &Curve, fork: Fork) -> Vec3 {
    let place = fork.joint + parent.lead as f32;
    let span = (place as usize).min(parent.spans() - 1);
    let middle = parent.at(span, place - span as f32);
    let first = &mut curve.knots[0];
    if first.position.distance(middle.position) < 0.5 * middle.radius {
        first.position = middle.position;
    } else {
        let knot = Knot {
            position: middle.position,
            ..*first
        };
        curve.knots.insert(0, knot);
        curve.lead = 1;
    }
    middle.tangent
}

/// The bodies that move a place of a chain: at a joint half each, in the middle of a body that one.
fn carriers(bodies: &[u32], joint: f32) -> Carriers {
    let joint = joint.clamp(0.0, bodies.len() as f32);
    let (first, weight) = if joint < 0.5 {
        (0, 0.0)
    } else {
        let from_middle = joint - 0.5;
        (from_middle as usize, from_middle.fract())
    };
    let last = bodies.len() - 1;
    Carriers {
        bodies: [bodies[first.min(last)], bodies[(first + 1).min(last)]],
        weight: if first >= last { 0.0 } else { weight },
    }
}

/// Bark texture along a corner of a collar, in turns around it: as long as it is wide.
fn turns(axis: &Axis, part: &Part, t: f32) -> f32 {
    const PIECES: usize = 4;
    let end = axis.at(part.leaves_along);
    let place = |k: usize| part.at(t + (1.0 - t) * k as f32 / PIECES as f32);
    let radius = |p: Vec3| {
        (p - end.position)
            .reject_from_normalized(end.tangent)
            .length()
    };
    let piece = |k: usize| {
        let (p, q) = (place(k), place(k + 1));
        p.distance(q) / (TAU * 0.5 * (radius(p) + radius(q)).max(end.radius))
    };
    end.turns - (0..PIECES).map(piece).sum::<f32>()
}

/// All in one, in order.
fn joined(meshes: Vec<Mesh<BarkVertex>>) -> Mesh<BarkVertex> {
    let (vertices, triangles) = meshes.iter().fold((0, 0), |(v, t), m| {
        (v + m.vertices.len(), t + m.triangles.len())
    });
    let mut all = Mesh {
        vertices: Vec::with_capacity(vertices),
        triangles: Vec::with_capacity(triangles),
    };
    for mesh in meshes {
        let first = all.vertices.len() as u32;
        all.vertices.extend(mesh.vertices);
        all.triangles
            .extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}
