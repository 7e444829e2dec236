//! The surface of a model that another program made, carried by the bodies that were found in it.
//!
//! Wood: the segment nearest to a vertex, of the branch that it is on, carries it, and near a joint the segment on its other side as well: half of
//! it at the joint, nothing from the middle of the segment on. Leaves: a card follows the body of its leaf. Cards of one shape are one
//! mesh that is drawn many times, as our own leaves are.

use crate::openness::Crown;
use crate::texture::{Image, hash};
use crate::{BarkLook, BarkVertex, Instance, Mesh, PieceVertex, Pieces};
use rayon::prelude::*;
use std::collections::BTreeMap;
use treesway::glam::{Quat, Vec3};
use treesway::{BodyId, BodyKind, BodyPose, Shape, TreeDesc};

/// What a vertex of a model belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Owner {
    /// Index of a branch of the skeleton.
    Branch(u32),
    /// Index of a leaf of the skeleton.
    Leaf(u32),
}

/// A model's own surface, in our axes, the base of the trunk at the origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelSurface {
    /// m.
    pub positions: Vec<[f32; 3]>,
    /// Of length one; computed where the file has none.
    pub normals: Vec<[f32; 3]>,
    /// Zero where the file has none.
    pub uvs: Vec<[f32; 2]>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// Of each vertex.
    pub owners: Vec<Owner>,
    /// What most of its wood is painted with.
    pub bark: Image,
    /// What most of its leaves are painted with.
    pub leaf: Image,
}

/// Cards that differ by less, in their own lengths, are one shape.
const SAME_SHAPE: f32 = 0.02;

/// The two bodies that carry a vertex, and the share of the second.
#[derive(Clone, Copy, Default)]
struct Carriers {
    bodies: [u32; 2],
    weight: f32,
}

impl Carriers {
    /// The one that carries most of it.
    fn first(&self) -> u32 {
        self.bodies[usize::from(self.weight > 0.5)]
    }
}

impl ModelSurface {
    /// Its wood, open where branches broke off.
    pub(crate) fn wood(
        &self,
        bodies: &TreeDesc,
        rest: &[BodyPose],
        crown: &Crown,
        look: &BarkLook,
        broken: &[BodyId],
    ) -> Mesh<BarkVertex> {
        let mut segments: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (id, body) in bodies.bodies.iter().enumerate() {
            if body.shape.kind() == BodyKind::Segment {
                let branch = segments.entry(body.branch.max(0) as u32).or_default();
                branch.push(id as u32);
            }
        }
        let of_vertex = |v: usize| match self.owners[v] {
            Owner::Branch(branch) => {
                let own = segments.get(&branch).map_or(&[0][..], Vec::as_slice);
                carriers(bodies, rest, own, self.positions[v].into(), broken)
            }
            Owner::Leaf(_) => Carriers::default(),
        };
        let all = 0..self.positions.len();
        let carriers: Vec<Carriers> = all.into_par_iter().map(of_vertex).collect();
        let is_wood = |v: u32| matches!(self.owners[v as usize], Owner::Branch(_));
        // A break is between a body and its parent.
        let torn = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|v| carriers[v as usize].first());
            let above = |child: u32, below: u32| {
                bodies.bodies[child as usize].parent == Some(below)
                    && broken.contains(&BodyId(child))
            };
            above(a, b) || above(b, a)
        };
        let mut number = vec![u32::MAX; self.positions.len()];
        let mut mesh = Mesh::default();
        for &[a, b, c] in &self.triangles {
            if ![a, b, c].into_iter().all(is_wood) || torn(a, b) || torn(b, c) || torn(c, a) {
                continue;
            }
            mesh.triangles.push([a, b, c].map(|v| {
                let i = v as usize;
                if number[i] == u32::MAX {
                    number[i] = mesh.vertices.len() as u32;
                    let (at, normal) = (self.positions[i], self.normals[i]);
                    let Carriers { bodies: by, weight } = carriers[i];
                    let radius = match bodies.bodies[carriers[i].first() as usize].shape {
                        Shape::Segment { base, .. } => base,
                        _ => 0.0,
                    };
                    mesh.vertices.push(BarkVertex {
                        position: at,
                        weight,
                        normal,
                        radius: look.drawn_radius(radius),
                        uv: self.uvs[i],
                        bodies: by,
                        openness: crown.openness_of_surface(at.into(), normal.into()),
                    });
                }
                number[i]
            }));
        }
        mesh
    }

    /// Its leaves, a mesh for each shape.
    pub(crate) fn leaves(
        &self,
        bodies: &TreeDesc,
        rest: &[BodyPose],
        crown: &Crown,
    ) -> Vec<Pieces> {
        let leaf_bodies = bodies.bodies.iter().enumerate();
        let leaf_bodies = leaf_bodies.filter_map(|(id, body)| match body.shape {
            Shape::Leaf { length, width, .. } => Some((id, [width, length, length])),
            _ => None,
        });
        let leaf_bodies: Vec<(usize, [f32; 3])> = leaf_bodies.collect();
        let mut triangles: Vec<Vec<[u32; 3]>> = vec![Vec::new(); leaf_bodies.len()];
        for &triangle in &self.triangles {
            if let Owner::Leaf(leaf) = self.owners[triangle[0] as usize]
                && let Some(own) = triangles.get_mut(leaf as usize)
            {
                own.push(triangle);
            }
        }
        let mut shapes: Vec<Pieces> = Vec::new();
        // Shapes by how their corners are joined.
        let mut known: BTreeMap<Vec<[u32; 3]>, Vec<usize>> = BTreeMap::new();
        for ((id, scale), triangles) in leaf_bodies.into_iter().zip(&triangles) {
            let pose = &rest[id];
            let (mesh, scale) = self.card(triangles, pose, scale.into());
            if mesh.triangles.is_empty() {
                continue;
            }
            let alike = known.entry(mesh.triangles.clone()).or_default();
            let shape = alike.iter().copied();
            let shape = shape.into_iter().find(|&s| same(&shapes[s].mesh, &mesh));
            let shape = shape.unwrap_or_else(|| {
                alike.push(shapes.len());
                shapes.push(Pieces {
                    mesh,
                    instances: Vec::new(),
                });
                shapes.len() - 1
            });
            shapes[shape].instances.push(Instance {
                position: pose.position.to_array(),
                body: id as u32,
                rotation: pose.rotation.to_array(),
                scale,
                variation: hash(id as u32),
                outward: crown.outward(pose.position).to_array(),
                openness: crown.openness(pose.position),
            });
        }
        shapes
    }

    /// A card in units of its leaf, of its own depth where it is not flat, and those units.
    fn card(
        &self,
        triangles: &[[u32; 3]],
        pose: &BodyPose,
        mut scale: Vec3,
    ) -> (Mesh<PieceVertex>, [f32; 3]) {
        let mut number: BTreeMap<u32, u32> = BTreeMap::new();
        let mut mesh = Mesh::default();
        let back: Quat = pose.rotation.conjugate();
        let corners = triangles.as_flattened().iter();
        let depth = corners.map(|&v| {
            let at = back * (Vec3::from(self.positions[v as usize]) - pose.position);
            at.y.abs()
        });
        let depth = depth.fold(0.0, f32::max);
        if depth > SAME_SHAPE * scale.z {
            scale.y = depth;
        }
        for triangle in triangles {
            mesh.triangles.push(triangle.map(|v| {
                *number.entry(v).or_insert_with(|| {
                    let at = back * (Vec3::from(self.positions[v as usize]) - pose.position);
                    let normal = back * Vec3::from(self.normals[v as usize]);
                    mesh.vertices.push(PieceVertex {
                        position: (at / scale).to_array(),
                        which: 0.0,
                        // Divided by the scale again where it is drawn.
                        normal: (normal * scale).normalize_or(Vec3::Y).to_array(),
                        uv: self.uvs[v as usize],
                    });
                    mesh.vertices.len() as u32 - 1
                })
            }));
        }
        (mesh, scale.to_array())
    }
}

fn same(one: &Mesh<PieceVertex>, other: &Mesh<PieceVertex>) -> bool {
    let mut pairs = one.vertices.iter().zip(&other.vertices);
    one.vertices.len() == other.vertices.len()
        && pairs.all(|(a, b)| {
            let near = |p: [f32; 3], q: [f32; 3]| Vec3::from(p).distance(q.into()) < SAME_SHAPE;
            let uv = [0, 1].map(|i| (a.uv[i] - b.uv[i]).abs());
            near(a.position, b.position) && uv[0].max(uv[1]) < 1e-4
        })
}

/// What carries a point of a branch of these segments.
fn carriers(
    bodies: &TreeDesc,
    rest: &[BodyPose],
    segments: &[u32],
    point: Vec3,
    broken: &[BodyId],
) -> Carriers {
    // Place along the axis, 0 to 1, and distance from it.
    let nearest = segments.iter().map(|&id| {
        let pose = &rest[id as usize];
        let Shape::Segment { length, .. } = bodies.bodies[id as usize].shape else {
            return (id, 0.0, f32::INFINITY);
        };
        let at = pose.rotation.conjugate() * (point - pose.position);
        let t = (at.z / length).clamp(0.0, 1.0);
        (id, t, at.distance(Vec3::Z * (t * length)))
    });
    let nearest = nearest.min_by(|a, b| a.2.total_cmp(&b.2));
    let (id, t, _) = nearest.expect("a branch has a segment");
    let is_whole = |child: u32| !broken.contains(&BodyId(child));
    let other = if t < 0.5 {
        let below = bodies.bodies[id as usize].parent;
        below.filter(|_| is_whole(id))
    } else {
        let above = |&s: &u32| bodies.bodies[s as usize].parent == Some(id);
        let above = segments.iter().copied().find(above);
        above.filter(|&s| is_whole(s))
    };
    match other {
        Some(other) => Carriers {
            bodies: [id, other],
            weight: (t - 0.5).abs(),
        },
        None => Carriers {
            bodies: [id; 2],
            weight: 0.0,
        },
    }
}
