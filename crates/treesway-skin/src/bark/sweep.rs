//! The rings of one chain, from its start in the parent or in the ground to its tip.

use super::axis::{Axis, Station};
use super::chains::{Chain, Fork};
use super::collar::{Ground, Part, collar};
use super::foot::Foot;
use super::tube::{Corner, Tube};
use super::wood::Wood;
use crate::{BarkLook, BarkStyle, BarkVertex, Mesh};
use core::f32::consts::TAU;
use treesway::glam::Vec3;

impl Wood<'_> {
    /// Adds the tube of a chain to a mesh.
    pub(super) fn tube(&self, chain: usize, look: &BarkLook, mesh: &mut Mesh<BarkVertex>) {
        let [vertices, triangles] = [mesh.vertices.len(), mesh.triangles.len()];
        let collar = self.collar(chain);
        let spoilt = self.sweep(chain, collar.as_deref(), look, mesh);
        if spoilt && collar.is_some() {
            // Of a branch that hardly leaves a parent of its own thickness: it comes out of it better without.
            mesh.vertices.truncate(vertices);
            mesh.triangles.truncate(triangles);
            self.sweep(chain, None, look, mesh);
        }
    }

    /// Whether the tube of a chain has a collar in the end.
    pub(super) fn has_collar(&self, chain: usize) -> bool {
        *self.collared[chain].get_or_init(|| {
            let collar = self.collar(chain);
            // How large the pattern is does not matter to how it is stretched.
            let look = BarkLook::default();
            collar.is_some_and(|c| !self.sweep(chain, Some(&c), &look, &mut Mesh::default()))
        })
    }

    /// Returns whether the rings at the start fold over each other or are stretched too far.
    fn sweep(
        &self,
        chain: usize,
        collar: Option<&[Part]>,
        look: &BarkLook,
        mesh: &mut Mesh<BarkVertex>,
    ) -> bool {
        let axis = &self.axes[chain];
        let circle = &self.circles[self.sides[chain] as usize];
        // By how thick it is above a flared base, so that the bark of a trunk is as coarse as that of the limbs it divides into.
        let radius = axis.at(0.25 * axis.length()).radius;
        let tiles = (TAU * radius / look.tile).round().max(1.0);
        let mut tube = Tube::new(mesh, circle, tiles);
        let &Chain { fork, torn, .. } = self.chains.chain(chain);
        // How far along it starts to be round, m, and the first ring whose normal goes over into that of the branch.
        let (from, first) = match (fork, collar) {
            (Some(fork), Some(collar)) => {
                (self.start_with_collar(&mut tube, chain, fork, collar), 1)
            }
            (Some(fork), None) => (self.start_in_parent(&mut tube, chain, fork), 0),
            (None, _) if torn[0] => {
                let base = &axis.stations[0];
                tube.torn_base(base, self.carriers(chain, base));
                (0.0, tube.rings())
            }
            (None, _) => (self.start_at_ground(&mut tube, chain, look.style), 0),
        };
        let shaped = tube.rings();
        for station in clear_of_each_other(axis, from) {
            tube.round(station, self.carriers(chain, station));
        }
        tube.smooth(first..shaped);
        let spoilt = tube.is_spoilt(first..shaped, |point| {
            fork.is_some_and(|fork| self.ground(chain, fork).covers(point))
        });
        let tip = &axis.stations[axis.stations.len() - 1];
        if torn[1] {
            tube.torn_tip(tip, self.carriers(chain, tip));
        } else {
            tube.cap(tip, self.carriers(chain, tip));
        }
        if torn[0] {
            tube.close_torn_base(&axis.stations[0]);
        } else if fork.is_none() {
            tube.close_base();
        }
        spoilt
    }

    /// None of a trunk, and of a twig that would not show it.
    fn collar(&self, chain: usize) -> Option<Vec<Part>> {
        let fork = self.chains.chain(chain).fork?;
        let axis = &self.axes[chain];
        let rings = self.detail.collar_rings(axis.stations[0].radius);
        let circle = &self.circles[self.sides[chain] as usize];
        let ground = self.ground(chain, fork);
        (rings > 0)
            .then(|| collar(axis, &ground, circle, rings))
            .flatten()
    }

    fn ground(&self, chain: usize, fork: Fork) -> Ground<'_> {
        let radius = self.axes[chain].stations[0].radius;
        let sides = self.sides[fork.chain];
        Ground::new(&self.axes[fork.chain], sides, fork.joint, radius)
    }

    /// A ring in the middle of the parent.
    fn start_in_parent(&self, tube: &mut Tube, chain: usize, fork: Fork) -> f32 {
        let first = self.axes[chain].stations[0];
        let ground = self.ground(chain, fork);
        let base = Station {
            radius: first.radius.min(0.6 * ground.inner * ground.root.radius),
            ..first
        };
        tube.round(&base, self.carriers_on(fork.chain, &ground.root));
        0.0
    }

    /// The root of a collar and the collar.
    fn start_with_collar(&self, tube: &mut Tube, chain: usize, fork: Fork, parts: &[Part]) -> f32 {
        let axis = &self.axes[chain];
        let rings = self.detail.collar_rings(axis.stations[0].radius);
        for ring in -1..=rings as i32 {
            // From the parent's surface to the branch, 0 to 1.
            let up = ring.max(0) as f32 / rings as f32;
            tube.ring(|corner| {
                let part = &parts[corner % parts.len()];
                let leaves = axis.at(part.leaves_along);
                let (position, below) = if ring < 0 {
                    (part.root, part.root.distance(part.base))
                } else {
                    (part.at(up), 0.0)
                };
                let corner = Corner {
                    position,
                    // Higher up it is found once all rings are there.
                    normal: part.normal,
                    radius: leaves.radius,
                    turns: turns(axis, part, up) - below / (TAU * leaves.radius),
                };
                let along = part.meets_along + (part.leaves_along - part.meets_along) * up * up;
                let carriers = if up == 0.0 {
                    self.carriers_on(fork.chain, &part.on)
                } else {
                    self.carriers(chain, &axis.at(along))
                };
                // Less of the sky is seen from a fork.
                (corner, carriers, 0.6 + 0.4 * up)
            });
        }
        parts.iter().fold(0.0, |s, p| s.max(p.leaves_along))
    }

    fn start_at_ground(&self, tube: &mut Tube, chain: usize, style: BarkStyle) -> f32 {
        let axis = &self.axes[chain];
        let base = axis.stations[0];
        let carriers = self.carriers(chain, &base);
        let circle = &self.circles[self.sides[chain] as usize];
        // A trunk has one, a blade of grass none.
        let trunk = !self.chains.chain(chain).apart;
        let foot = Foot::new(axis, style, axis.length()).filter(|_| trunk);
        let Some(foot) = foot else {
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
}

/// The stations further along than `from` whose rings do not cut into each other where the axis bends sharply; the tip always stays.
fn clear_of_each_other(axis: &Axis, from: f32) -> Vec<&Station> {
    let clear = |a: &Station, b: &Station| {
        // Planes that turn by θ meet within r if they are nearer than 2r tan(θ/2) = 2r sin θ / (1 + cos θ).
        let (sine, cosine) = (
            a.tangent.cross(b.tangent).length(),
            a.tangent.dot(b.tangent),
        );
        let radius = a.radius.max(b.radius);
        b.along - a.along > 0.1 * radius + 2.2 * radius * sine / (1.0 + cosine).max(1e-3)
    };
    let (tip, below) = axis
        .stations
        .split_last()
        .expect("an axis has two stations");
    let start = axis.at(from);
    let mut kept: Vec<&Station> = Vec::with_capacity(axis.stations.len());
    for station in below.iter().filter(|s| s.along > from + 0.3 * s.radius) {
        if clear(kept.last().unwrap_or(&&start), station) {
            kept.push(station);
        }
    }
    while kept.last().is_some_and(|last| !clear(last, tip)) {
        kept.pop();
    }
    kept.push(tip);
    kept
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
