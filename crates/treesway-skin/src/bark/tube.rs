//! Rings → vertices and triangles of one tube.

use super::axis::Station;
use crate::{BarkVertex, Mesh};
use core::f32::consts::{FRAC_PI_2, TAU};
use core::ops::Range;
use treesway::glam::{Vec2, Vec3};

/// Most that a collar may stretch the bark where it is seen.
const MOST_STRETCH: f32 = 4.0;

/// What carries a ring: two bodies and the share of the second.
#[derive(Clone, Copy)]
pub(super) struct Carriers {
    pub bodies: [u32; 2],
    pub weight: f32,
}

/// A corner of a ring of any shape.
pub(super) struct Corner {
    pub position: Vec3,
    pub normal: Vec3,
    /// Of the branch.
    pub radius: f32,
    /// Bark texture along the branch, in turns around it.
    pub turns: f32,
}

/// A tube that grows ring by ring onto a mesh that may hold others.
pub(super) struct Tube<'a> {
    mesh: &'a mut Mesh<BarkVertex>,
    /// Of this tube.
    first: usize,
    rings: usize,
    /// Corners of a ring, the first one again at the end: there the texture starts anew.
    circle: &'a [Vec2],
    /// Of the texture around the branch.
    tiles: f32,
}

impl<'a> Tube<'a> {
    pub(super) fn new(mesh: &'a mut Mesh<BarkVertex>, circle: &'a [Vec2], tiles: f32) -> Self {
        Self {
            first: mesh.vertices.len(),
            rings: 0,
            mesh,
            circle,
            tiles,
        }
    }

    /// A ring of any shape; `corner` is asked for every corner, the last of which is the first again, what carries it and how open it is.
    pub(super) fn ring(&mut self, corner: impl Fn(usize) -> (Corner, Carriers, f32)) {
        for k in 0..self.circle.len() {
            let (corner, carriers, openness) = corner(k);
            self.mesh.vertices.push(BarkVertex {
                position: corner.position.to_array(),
                weight: carriers.weight,
                normal: corner.normal.to_array(),
                radius: corner.radius,
                uv: self.uv(k as f32, corner.turns),
                bodies: carriers.bodies,
                openness,
            });
        }
        self.join();
    }

    /// A round ring.
    pub(super) fn round(&mut self, at: &Station, carriers: Carriers) {
        self.round_by(at, carriers, (self.circle.len() - 1).is_multiple_of(2));
    }

    /// A round ring, opposite corners `mirrored` where their number is even, or each computed by itself.
    fn round_by(&mut self, at: &Station, carriers: Carriers, mirrored: bool) {
        let start = self.mesh.vertices.len();
        let sides = self.circle.len() - 1;
        let (side, other) = (at.side, at.other_side());
        // Normal of a canal surface: it leans towards the tip as the branch tapers.
        let lean = 1.0 / (1.0 + at.slope * at.slope).sqrt();
        let along = at.tangent * (-at.slope * lean);
        let common = BarkVertex {
            weight: carriers.weight,
            bodies: carriers.bodies,
            radius: at.radius,
            openness: 1.0,
            ..BarkVertex::default()
        };
        self.mesh.vertices.resize(start + sides + 1, common);
        let ring = &mut self.mesh.vertices[start..];
        let v = -self.tiles * at.turns;
        let mut put = |corner: usize, out: Vec3| {
            let vertex = &mut ring[corner];
            vertex.position = (at.position + out * at.radius).to_array();
            vertex.normal = (out * lean + along).to_array();
            vertex.uv = [self.tiles * corner as f32 / sides as f32, v];
        };
        let out = |corner: usize| side * self.circle[corner].x + other * self.circle[corner].y;
        if mirrored {
            for corner in 0..sides / 2 {
                let out = out(corner);
                put(corner, out);
                put(corner + sides / 2, -out);
            }
            put(sides, out(0));
        } else {
            (0..=sides).for_each(|corner| put(corner, out(corner)));
        }
        self.join();
    }

    /// Half a ball on the tip.
    pub(super) fn cap(&mut self, tip: &Station, carriers: Carriers) {
        let steps = cap_rings(self.circle.len() as u32 - 1);
        for step in 1..steps {
            let (sin, cos) = (FRAC_PI_2 * step as f32 / steps as f32).sin_cos();
            let ring = Station {
                position: tip.position + tip.tangent * (tip.radius * sin),
                radius: tip.radius * cos,
                slope: -sin / cos,
                turns: tip.turns + step as f32 / steps as f32 * FRAC_PI_2 / TAU,
                ..*tip
            };
            self.round(&ring, carriers);
        }
        let sides = self.circle.len() - 1;
        let (below, apex) = (
            self.mesh.vertices.len() - sides - 1,
            self.mesh.vertices.len(),
        );
        for side in 0..sides {
            let vertex = BarkVertex {
                position: (tip.position + tip.tangent * tip.radius).to_array(),
                weight: carriers.weight,
                normal: tip.tangent.to_array(),
                radius: tip.radius,
                uv: self.uv(side as f32 + 0.5, tip.turns + FRAC_PI_2 / TAU),
                bodies: carriers.bodies,
                openness: 1.0,
            };
            self.mesh.vertices.push(vertex);
            let corner = (below + side) as u32;
            self.mesh
                .triangles
                .push([corner, corner + 1, (apex + side) as u32]);
        }
    }

    /// Closes the tube at its first ring with a flat disc.
    pub(super) fn close_base(&mut self) {
        let sides = self.circle.len() - 1;
        let start = self.mesh.vertices.len();
        let at = |mesh: &Mesh<BarkVertex>, corner: usize| {
            Vec3::from(mesh.vertices[self.first + corner].position)
        };
        let centre = (0..sides).map(|c| at(self.mesh, c)).sum::<Vec3>() / sides as f32;
        // A quarter of the way round or less, never opposite each other.
        let edges = [0, (sides / 4).max(1)].map(|c| at(self.mesh, c) - centre);
        let normal = edges[1].cross(edges[0]).normalize_or(Vec3::NEG_Y);
        let middle = BarkVertex {
            position: centre.to_array(),
            uv: [0.0; 2],
            ..self.mesh.vertices[self.first]
        };
        let rim = (0..sides).map(|corner| {
            let mut vertex = self.mesh.vertices[self.first + corner];
            vertex.uv = (self.circle[corner] * self.tiles / TAU).to_array();
            vertex
        });
        let disc: Vec<_> = rim.chain([middle]).collect();
        let faced_down = disc.into_iter().map(|v| BarkVertex {
            normal: normal.to_array(),
            ..v
        });
        self.mesh.vertices.extend(faced_down);
        for side in 0..sides {
            let [a, b] = [side, (side + 1) % sides].map(|corner| (start + corner) as u32);
            self.mesh.triangles.push([b, a, (start + sides) as u32]);
        }
    }

    /// Gives the vertices of some rings, which are not round, the normals of the surface that they span. A share of the normal that they have
    /// stays: all of it at the first of these rings, none at the last, falling with the square.
    pub(super) fn smooth(&mut self, rings: Range<usize>) {
        let corners = self.circle.len();
        let sides = corners - 1;
        let count = rings.len();
        let at = |mesh: &Mesh<BarkVertex>, ring: usize, corner: usize| {
            Vec3::from(mesh.vertices[self.first + ring * corners + corner].position)
        };
        for (k, ring) in rings.enumerate().skip(1) {
            let left_of_way = 1.0 - k as f32 / (count - 1) as f32;
            let (below, above) = (ring - 1, (ring + 1).min(self.rings - 1));
            for corner in 0..sides {
                let (left, right) = ((corner + sides - 1) % sides, (corner + 1) % sides);
                let around = at(self.mesh, ring, right) - at(self.mesh, ring, left);
                let along = at(self.mesh, above, corner) - at(self.mesh, below, corner);
                let first = self.first + ring * corners;
                let normal = &mut self.mesh.vertices[first + corner].normal;
                let given = Vec3::from(*normal);
                let own = around.cross(along).normalize_or(given);
                let kept = left_of_way * left_of_way;
                *normal = own.lerp(given, kept).normalize_or(own).to_array();
                if corner == 0 {
                    self.mesh.vertices[first + sides].normal = self.mesh.vertices[first].normal;
                }
            }
        }
    }

    /// Whether a triangle between these rings, or between the last of them and the next, faces against the normal of one of its corners or is
    /// stretched by more than [`MOST_STRETCH`], where its middle is not hidden.
    pub(super) fn is_spoilt(&self, rings: Range<usize>, hidden: impl Fn(Vec3) -> bool) -> bool {
        let corners = self.circle.len();
        let vertex =
            |ring: usize, corner: usize| &self.mesh.vertices[self.first + ring * corners + corner];
        let spoilt = |triangle: [&BarkVertex; 3]| {
            let [a, b, c] = triangle.map(|v| Vec3::from(v.position));
            let face = (b - a).cross(c - a);
            let against = |v: &&BarkVertex| Vec3::from(v.normal).dot(face) <= 0.0;
            (triangle.iter().any(against) || stretch(triangle) > MOST_STRETCH)
                && !hidden((a + b + c) / 3.0)
        };
        let mut sides = rings.flat_map(|ring| (0..corners - 1).map(move |side| (ring, side)));
        sides.any(|(ring, side)| {
            let [a, b] = [vertex(ring, side), vertex(ring, side + 1)];
            let [c, d] = [vertex(ring + 1, side + 1), vertex(ring + 1, side)];
            spoilt([a, b, c]) || spoilt([a, c, d])
        })
    }

    /// Corners of a ring, the first one again at the end.
    pub(super) fn circle(&self) -> &'a [Vec2] {
        self.circle
    }

    /// Index of its first vertex.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// One past its last vertex.
    pub(super) fn end(&self) -> usize {
        self.mesh.vertices.len()
    }

    /// A vertex beside the rings, like another one but for its place and normal; its index.
    pub(super) fn add_like(&mut self, other: usize, position: Vec3, normal: Vec3) -> u32 {
        let vertex = BarkVertex {
            position: position.to_array(),
            normal: normal.to_array(),
            ..self.mesh.vertices[other]
        };
        self.mesh.vertices.push(vertex);
        self.end() as u32 - 1
    }

    pub(super) fn add_triangles(&mut self, triangles: impl Iterator<Item = [u32; 3]>) {
        self.mesh.triangles.extend(triangles);
    }

    pub(super) fn rings(&self) -> usize {
        self.rings
    }

    /// Texture coordinates. They fall towards the tip, so that images stand upright on a branch.
    fn uv(&self, corner: f32, turns: f32) -> [f32; 2] {
        let sides = (self.circle.len() - 1) as f32;
        [self.tiles * corner / sides, -self.tiles * turns]
    }

    /// Two triangles a side between the last two rings.
    fn join(&mut self) {
        self.rings += 1;
        if self.rings == 1 {
            return;
        }
        let corners = self.circle.len();
        let above = self.mesh.vertices.len() - corners;
        for side in 0..corners - 1 {
            let (a, b) = ((above - corners + side) as u32, (above + side) as u32);
            self.mesh
                .triangles
                .extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
}

/// Rings of a tip, its point included.
pub(super) fn cap_rings(sides: u32) -> usize {
    (sides as usize / 4).clamp(1, 4)
}

/// Corners of a ring of so many sides, counter-clockwise seen from the tip, the first one again at the end.
pub(super) fn circle(sides: u32) -> Vec<Vec2> {
    let corner = |k: u32| Vec2::from_angle(TAU * (k % sides) as f32 / sides as f32);
    (0..=sides).map(corner).collect()
}

/// Longest over shortest extent on the surface of a small circle of the texture: the ratio of the singular values of ∂x/∂(u, v).
fn stretch(corners: [&BarkVertex; 3]) -> f32 {
    let [a, b, c] = corners.map(|v| Vec3::from(v.position));
    let [p, q, r] = corners.map(|v| Vec2::from(v.uv));
    let ([e, f], [d, g]) = ([b - a, c - a], [q - p, r - p]);
    // Up to the determinant of d and g, which is common to both.
    let (du, dv) = (e * g.y - f * d.y, f * d.x - e * g.x);
    let (uu, vv, uv) = (du.dot(du), dv.dot(dv), du.dot(dv));
    let root = (uu - vv).hypot(2.0 * uv);
    ((uu + vv + root) / (uu + vv - root).max(f32::MIN_POSITIVE)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;
    use treesway::glam::Quat;

    const CARRIERS: Carriers = Carriers {
        bodies: [0; 2],
        weight: 0.0,
    };

    fn station() -> Station {
        let tangent = Vec3::new(0.3, 0.9, -0.2).normalize();
        Station {
            position: Vec3::new(1.0, 2.0, 3.0),
            tangent,
            side: tangent.any_orthonormal_vector(),
            radius: 0.2,
            slope: -0.1,
            along: 0.0,
            joint: 0.0,
            turns: 0.0,
        }
    }

    /// A round ring, each corner turned about the axis by itself.
    fn turned(tube: &mut Tube, at: &Station) {
        let sides = tube.circle.len() - 1;
        let lean = 1.0 / (1.0 + at.slope * at.slope).sqrt();
        tube.ring(|corner| {
            let angle = TAU * corner as f32 / sides as f32;
            let out = Quat::from_axis_angle(at.tangent, angle) * at.side;
            let corner = Corner {
                position: at.position + out * at.radius,
                normal: (out - at.tangent * at.slope) * lean,
                radius: at.radius,
                turns: at.turns,
            };
            (corner, CARRIERS, 1.0)
        });
    }

    #[test]
    fn mirrored_corners_are_where_turning_puts_them() {
        for sides in [3, 4, 8, 11, 32] {
            let circle = circle(sides);
            let (mut a, mut b) = (Mesh::default(), Mesh::default());
            Tube::new(&mut a, &circle, 2.0).round(&station(), CARRIERS);
            turned(&mut Tube::new(&mut b, &circle, 2.0), &station());
            for (a, b) in a.vertices.iter().zip(&b.vertices) {
                let off = Vec3::from(a.position).distance(b.position.into());
                assert!(off < 1e-6, "{off} m off with {sides} sides");
                assert!(Vec3::from(a.normal).distance(b.normal.into()) < 1e-5);
                assert!(Vec2::from(a.uv).distance(b.uv.into()) < 1e-6);
            }
        }
    }

    /// `cargo test -p treesway-skin --release mirroring -- --ignored --nocapture`
    #[test]
    #[ignore = "a measurement: cargo xtask soak"]
    fn time_that_mirroring_saves() {
        for sides in [4, 8, 16, 32] {
            let circle = circle(sides);
            let fastest = |ring: &dyn Fn(&mut Tube)| {
                let run = |_| {
                    let mut mesh = Mesh::default();
                    let start = Instant::now();
                    let mut tube = Tube::new(&mut mesh, &circle, 2.0);
                    (0..20_000).for_each(|_| ring(&mut tube));
                    start.elapsed().as_secs_f64()
                };
                (0..9).map(run).fold(f64::INFINITY, f64::min)
            };
            let each_turned = fastest(&|tube| turned(tube, &station()));
            let from_table = fastest(&|tube| tube.round_by(&station(), CARRIERS, false));
            let mirrored = fastest(&|tube| tube.round_by(&station(), CARRIERS, true));
            println!(
                "{sides} sides: mirroring takes {:.2} of the time of the table, {:.2} of that of turning",
                mirrored / from_table,
                mirrored / each_turned
            );
        }
    }
}
