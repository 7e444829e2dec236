//! The skin of the particle tree, made anew for every pose (L-systems and particles, §4.2): Catmull–Rom curves through the particles, rings of vertices
//! around their points that do not twist, and strips of quads between the rings.
//!
//! The curve of a branch goes from its joint p₁ to its end p₂; its other control points are the joint p₀ of its parent and the end p₃ of the child
//! that goes on from it. Where one is missing the curve is continued straight. With t from 0 to 1
//!
//!   p(t) = ½ (2 p₁ + (p₂ − p₀) t + (2 p₀ − 5 p₁ + 4 p₂ − p₃) t² + (3 p₁ − p₀ − 3 p₂ + p₃) t³).               (1)
//!
//! The first vector of a ring is that of the ring before it, made square to the curve here: parallel to it, as the paper asks. The vectors of the second
//! half of a ring are those of the first half turned round (7.1). At its ends a curve has the directions p₂ − p₀ and p₃ − p₁, which are the same
//! for a branch and the one that goes on from it. That one begins as thick as the other ends, so both share a ring and leave no gap; those beside it begin
//! inside of it. What ends free is closed by a flat face.
//!
//! Unlike the bark mesh of [`crate::Skin`], which is made once and carried by bodies, this is bent exactly as the particles are, has no collars, and how finely it
//! is cut can change from frame to frame.

use crate::{BarkLook, BarkVertex, BodyTransform};
use core::f32::consts::TAU;
use treesway::glam::{Quat, Vec3};
use treesway::{BodyId, BodyKind, BodyPose, Tree};

/// Curves and rings of a tree.
#[derive(Clone, Debug)]
pub struct CurveSkin {
    branches: Vec<Branch>,
    resolution: u32,
    sides: u32,
    /// Joint and end of every branch, m.
    ends: Vec<[Vec3; 2]>,
    points: Vec<Vec3>,
}

/// A branch: a segment of wood.
#[derive(Clone, Copy, Debug)]
struct Branch {
    body: BodyId,
    /// Index of the branch it grows from.
    below: Option<usize>,
    /// Index of the branch that goes on from its end.
    after: Option<usize>,
    /// At its joint and its end, m.
    radius: [f32; 2],
    /// From its joint to its end, m.
    length: f32,
}

/// A vertex of the skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveVertex {
    /// m, world.
    pub position: Vec3,
    /// Of length one.
    pub normal: Vec3,
}

impl CurveSkin {
    /// Sides around a branch with which it looks round.
    pub const SIDES: u32 = 8;

    /// Of all wood of a tree, with so many pieces of curve per branch and so many sides around it.
    ///
    /// # Panics
    /// If there is no piece, or the number of sides is odd or smaller than four.
    pub fn new(tree: &Tree, resolution: u32, sides: u32) -> Self {
        assert!(
            sides >= 4 && sides.is_multiple_of(2),
            "an even number of sides, at least four"
        );
        let mut index = vec![None; tree.len()];
        let mut branches: Vec<Branch> = Vec::new();
        for id in tree.ids() {
            let body = tree.body(id);
            if body.kind != BodyKind::Segment {
                continue;
            }
            index[id.index()] = Some(branches.len());
            branches.push(Branch {
                body: id,
                below: body.parent.and_then(|p| index[p.index()]),
                after: None,
                radius: body.radius,
                length: body.length,
            });
        }
        for i in 0..branches.len() {
            let Some(below) = branches[i].below else {
                continue;
            };
            let own = tree.body(branches[i].body);
            let parent = branches[below];
            let at_end = (own.joint_in_parent.z - parent.length).abs() < 1e-3 * parent.length;
            // The thickest goes on, the first of equals.
            let thicker = parent
                .after
                .is_none_or(|other| branches[other].radius[0] < own.radius[0]);
            if at_end && thicker {
                branches[below].after = Some(i);
            }
        }
        let mut skin = Self {
            ends: vec![[Vec3::ZERO; 2]; branches.len()],
            branches,
            resolution: 1,
            sides,
            points: Vec::new(),
        };
        skin.set_resolution(resolution);
        skin.bend(tree);
        skin
    }

    /// Pieces of curve per branch.
    pub fn resolution(&self) -> u32 {
        self.resolution
    }

    /// Changes it from the next [`CurveSkin::bend`] on.
    ///
    /// # Panics
    /// If it is zero.
    pub fn set_resolution(&mut self, resolution: u32) {
        assert!(resolution > 0, "at least one piece of curve per branch");
        self.resolution = resolution;
        let points = self.branches.len() * (resolution as usize + 1);
        self.points.resize(points, Vec3::ZERO);
    }

    /// Follows the tree to where it is now. Allocates nothing.
    pub fn bend(&mut self, tree: &Tree) {
        self.bend_to(|body| tree.pose(body));
    }

    /// Follows bodies to any pose of theirs, one between two steps, say. Allocates nothing.
    pub fn bend_to(&mut self, pose: impl Fn(BodyId) -> BodyPose) {
        for (ends, branch) in self.ends.iter_mut().zip(&self.branches) {
            let pose = pose(branch.body);
            *ends = [pose.position, pose.point(Vec3::Z * branch.length)];
        }
        let per_branch = self.resolution as usize + 1;
        let step = 1.0 / self.resolution as f32;
        for (i, curve) in self.points.chunks_exact_mut(per_branch).enumerate() {
            let [p0, p1, p2, p3] = controls(&self.branches[i], i, &self.ends);
            let (a, b, c) = (
                0.5 * (p2 - p0),
                0.5 * (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3),
                0.5 * (3.0 * (p1 - p2) + p3 - p0),
            );
            for (k, point) in curve.iter_mut().enumerate() {
                let t = k as f32 * step;
                *point = p1 + (a + (b + c * t) * t) * t; // (1)
            }
        }
    }

    /// The curves, branch after branch: from joint to end, one point more than pieces. The skeleton that is drawn as lines.
    pub fn curves(&self) -> impl ExactSizeIterator<Item = &[Vec3]> {
        self.points.chunks_exact(self.resolution as usize + 1)
    }

    /// Whose curves they are.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = BodyId> {
        self.branches.iter().map(|branch| branch.body)
    }

    /// All vertices, ring after ring, into `vertices`.
    pub fn vertices(&self, vertices: &mut Vec<CurveVertex>) {
        vertices.clear();
        let (per_branch, half) = (self.resolution as usize + 1, self.sides as usize / 2);
        let directions: Vec<(f32, f32)> = (0..half)
            .map(|n| (core::f32::consts::PI * n as f32 / half as f32).sin_cos())
            .collect();
        for (i, (branch, points)) in self.branches.iter().zip(self.curves()).enumerate() {
            // Parents come before their children, and their last ring is there already.
            let mut first = match branch.below {
                Some(below) => vertices[((below + 1) * per_branch - 1) * 2 * half].normal,
                None => (points[1] - points[0])
                    .try_normalize()
                    .map_or(Vec3::X, |d| d.any_orthonormal_vector()),
            };
            let [p0, p1, p2, p3] = controls(branch, i, &self.ends);
            for (k, &position) in points.iter().enumerate() {
                let radius = self.radius(i, k);
                let along = match k {
                    0 => p2 - p0,
                    _ if k + 1 == per_branch => p3 - p1,
                    _ => points[k + 1] - points[k - 1],
                };
                let along = along.normalize_or(Vec3::Y);
                let square = first - along * first.dot(along);
                first = square.try_normalize().unwrap_or(first);
                let across = along.cross(first);
                let ring = vertices.len();
                for &(sine, cosine) in &directions {
                    let normal = first * cosine + across * sine;
                    vertices.push(CurveVertex {
                        position: position + normal * radius,
                        normal,
                    });
                }
                for n in 0..half {
                    let normal = -vertices[ring + n].normal; // (7.1)
                    vertices.push(CurveVertex {
                        position: position + normal * radius,
                        normal,
                    });
                }
            }
        }
    }

    /// Of a branch at a point of its curve, m.
    fn radius(&self, branch: usize, point: usize) -> f32 {
        let own = &self.branches[branch];
        let [base, tip] = own.radius;
        match own.below.map(|below| &self.branches[below]) {
            Some(below) if point == 0 && below.after == Some(branch) => below.radius[1],
            _ => base + (tip - base) * point as f32 / self.resolution as f32,
        }
    }

    /// Triangles between the vertices of one ring and the next, two a side, and those that close free ends; they change only with the resolution.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        self.strips(self.sides)
    }

    /// The same of [`CurveSkin::bark`], whose rings have one vertex more.
    pub fn bark_triangles(&self) -> Vec<[u32; 3]> {
        self.strips(self.sides + 1)
    }

    /// Strips of quads between rings of so many vertices, and faces at free ends.
    fn strips(&self, ring_size: u32) -> Vec<[u32; 3]> {
        let mut all = Vec::new();
        for (i, branch) in self.branches.iter().enumerate() {
            let first = i as u32 * (self.resolution + 1) * ring_size;
            for k in 0..self.resolution {
                let ring = first + k * ring_size;
                for n in 0..self.sides {
                    let (a, b) = (ring + n, ring + (n + 1) % ring_size);
                    all.push([a, b, a + ring_size]);
                    all.push([b, b + ring_size, a + ring_size]);
                }
            }
            if branch.after.is_none() {
                let last = first + self.resolution * ring_size;
                all.extend((2..self.sides).map(|n| [last, last + n - 1, last + n]));
            }
        }
        all
    }

    /// The skin as bark that bodies carry: drawn with their `transforms` of now it is bent as the curves are. The first vertex of a ring comes again at its end,
    /// where the texture meets itself.
    pub fn bark(&self, transforms: &[BodyTransform], look: &BarkLook, bark: &mut Vec<BarkVertex>) {
        bark.clear();
        let mut vertices = Vec::new();
        self.vertices(&mut vertices);
        let sides = self.sides as usize;
        let mut rings = vertices.chunks_exact(sides);
        for (i, (branch, points)) in self.branches.iter().zip(self.curves()).enumerate() {
            let back = Back(&transforms[branch.body.index()]);
            let bodies = [branch.body.0; 2];
            let tiles = (TAU * branch.radius[0] / look.tile).round().max(1.0);
            let mut turns = 0.0;
            for (k, (point, ring)) in points.iter().zip(&mut rings).enumerate() {
                let radius = self.radius(i, k);
                turns += points[k.max(1) - 1].distance(*point) / (TAU * branch.radius[0]);
                let closed = ring.iter().chain(&ring[..1]);
                bark.extend(closed.enumerate().map(|(n, vertex)| BarkVertex {
                    position: back.point(vertex.position).to_array(),
                    normal: back.direction(vertex.normal).to_array(),
                    radius: look.drawn_radius(radius),
                    uv: [tiles * n as f32 / sides as f32, -tiles * turns],
                    bodies,
                    openness: 1.0,
                    ..BarkVertex::default()
                }));
            }
        }
    }

    /// The curves as lines that bodies carry, two vertices each, as [`CurveSkin::bark`].
    pub fn lines(&self, transforms: &[BodyTransform], lines: &mut Vec<BarkVertex>) {
        lines.clear();
        for (branch, points) in self.branches.iter().zip(self.curves()) {
            let back = Back(&transforms[branch.body.index()]);
            let vertex = |point: Vec3| BarkVertex {
                position: back.point(point).to_array(),
                normal: Vec3::Y.to_array(),
                bodies: [branch.body.0; 2],
                openness: 1.0,
                ..BarkVertex::default()
            };
            let pieces = points.windows(2);
            lines.extend(pieces.flat_map(|ends| [vertex(ends[0]), vertex(ends[1])]));
        }
    }
}

/// From where a body is now to its pose at rest.
struct Back<'a>(&'a BodyTransform);

impl Back<'_> {
    fn point(&self, now: Vec3) -> Vec3 {
        self.direction(now - Vec3::from(self.0.translation))
    }

    fn direction(&self, now: Vec3) -> Vec3 {
        Quat::from_array(self.0.rotation).conjugate() * now
    }
}

/// p₀ to p₃ of a branch.
fn controls(branch: &Branch, own: usize, ends: &[[Vec3; 2]]) -> [Vec3; 4] {
    let [p1, p2] = ends[own];
    let p0 = branch.below.map_or(2.0 * p1 - p2, |below| ends[below][0]);
    let p3 = branch.after.map_or(2.0 * p2 - p1, |after| ends[after][1]);
    [p0, p1, p2, p3]
}
