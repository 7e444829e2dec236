//! What rings are made from: the chains of a tree, their axes, and how many sides each has.

use super::axis::{Axis, Station};
use super::chains::{Chains, Fork, Links, radii};
use super::collar::HEIGHT;
use super::curve::{Curve, Knot};
use super::tube::circle;
use crate::Detail;
use rayon::prelude::*;
use std::sync::OnceLock;
use treesway::glam::{Vec2, Vec3};
use treesway::{BodyPose, Shape, TreeDesc};

/// Thinnest that a ring is drawn, m: far thinner ones would have no area in single precision.
const LEAST_RADIUS: f32 = 2e-4;

/// Everything of a tree that rings are made from.
pub(super) struct Wood<'a> {
    pub chains: Chains,
    /// One for each chain.
    pub axes: Vec<Axis>,
    pub sides: Vec<u32>,
    pub held: Vec<Held>,
    /// Whether a chain's tube has a collar in the end, once somebody has asked.
    pub collared: Vec<OnceLock<bool>>,
    /// By number of sides.
    pub circles: Vec<Vec<Vec2>>,
    pub detail: &'a Detail,
}

/// Where the bark of a branch moves with its parent's, m along the branch: all of it `until`, and less and less `over` a length from there.
#[derive(Default)]
pub(super) struct Held {
    pub until: f32,
    pub over: f32,
    /// Where its collar would end, about; 0 if it is too thin for one.
    pub collar: f32,
}

impl Held {
    fn in_parent(root: &Station, first: &Station, collar: bool) -> Self {
        let sine = root.tangent.cross(first.tangent).length();
        // A branch that leaves flatly has its joint inside of wood that it shares with its parent.
        let until = root.radius / sine.max(0.67);
        Self {
            until,
            over: root.radius,
            collar: if collar {
                until + HEIGHT * first.radius
            } else {
                0.0
            },
        }
    }
}

impl<'a> Wood<'a> {
    pub(super) fn new(
        bodies: &TreeDesc,
        links: &Links,
        rest: &[BodyPose],
        detail: &'a Detail,
    ) -> Self {
        let chains = Chains::new(bodies, links, detail.least_radius);
        let mut curves: Vec<Curve> = (0..chains.len())
            .into_par_iter()
            .map(|c| through_joints(bodies, rest, chains.bodies(c), chains.chain(c).wider))
            .collect();
        // Starts need the curve of the parent, so in order.
        let mut sides_of_rings = vec![Vec3::X; chains.len()];
        for (c, side) in sides_of_rings.iter_mut().enumerate() {
            if let Some(fork) = chains.chain(c).fork {
                let (before, from) = curves.split_at_mut(c);
                *side = start_in_parent(&mut from[0], &before[fork.chain], fork);
            }
        }
        let mut axes: Vec<Axis> = curves
            .par_iter()
            .zip(sides_of_rings)
            .map(|(curve, side)| Axis::new(curve, side, detail.tolerance, detail.curve_steps))
            .collect();
        let widest = |axis: &Axis| axis.stations.iter().fold(0.0, |r: f32, s| r.max(s.radius));
        let sides: Vec<u32> = axes.iter().map(|axis| detail.sides(widest(axis))).collect();
        let most = sides.iter().copied().max().unwrap_or(3);
        // Parents as they are drawn are not quite their curves; to start in the middle of a thin one takes the difference.
        let mut held = Vec::with_capacity(chains.len());
        for c in 0..chains.len() {
            let Some(fork) = chains.chain(c).fork else {
                held.push(Held::default());
                continue;
            };
            let parent = &axes[fork.chain];
            let root = parent.at(parent.along_of(fork.joint));
            let first = &mut axes[c].stations[0];
            first.position = root.position;
            let collar = detail.collar_rings(first.radius) > 0;
            held.push(Held::in_parent(&root, first, collar));
        }
        Self {
            held,
            collared: vec![OnceLock::new(); chains.len()],
            chains,
            axes,
            sides,
            circles: (0..=most).map(|n| circle(n.max(3))).collect(),
            detail,
        }
    }
}

/// The curve through the joints of a chain of bodies to the tip of its last, so many times as thick as they are.
fn through_joints(bodies: &TreeDesc, rest: &[BodyPose], chain: &[u32], wider: f32) -> Curve {
    let ends = |id: u32| {
        let thick = radii(&bodies.bodies[id as usize]).expect("chains are of segments");
        thick.map(|radius| wider * radius)
    };
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
    if let Shape::Segment { length, .. } = bodies.bodies[last as usize].shape {
        let [_, tip] = ends(last);
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
    let [first, second] = [curve.knots[0], curve.knots[1]];
    let off = first.position.distance(middle.position);
    // Joints are a little beside a curved parent's middle; those of scans may lie on its surface, a whole radius away.
    if off < (0.5 * middle.radius).max(0.2 * first.position.distance(second.position)) {
        curve.knots[0].position = middle.position;
    } else {
        let knot = Knot {
            position: middle.position,
            ..first
        };
        curve.knots.insert(0, knot);
        curve.lead = 1;
    }
    middle.tangent
}
