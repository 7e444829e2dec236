//! The bark mesh: one tube for each chain of segments, children blended into their parents.
//!
//! 1. [`chains`]: bodies → chains, leaving out what is too thin to be seen;
//! 2. [`curve`]: a smooth curve through the joints of each, starting in the middle of its parent;
//! 3. [`axis`]: stations along it with frames that do not twist;
//! 4. [`collar`] and [`foot`]: where a tube starts in its parent or in the ground;
//! 5. [`sweep`] and [`tube`]: rings around the stations, a half ball on the tip;
//! 6. [`torn`]: the ends of wood that broke;
//! 7. [`motion`]: the bodies that carry each ring.

mod axis;
mod chains;
mod collar;
mod curve;
mod foot;
mod motion;
mod sweep;
mod torn;
mod tube;
mod wood;

use crate::openness::Crown;
use crate::{BarkLook, BarkVertex, Detail, Mesh};
use axis::Axis;
pub(crate) use chains::Links;
use rayon::prelude::*;
use treesway::glam::Vec3;
use treesway::{BodyPose, TreeDesc};
use wood::Wood;

/// Chains that one thread turns into a mesh at a time.
const BATCH: usize = 128;

/// The bark of a tree in the pose `rest`.
pub(crate) fn mesh(
    bodies: &TreeDesc,
    rest: &[BodyPose],
    crown: &Crown,
    look: &BarkLook,
    detail: &Detail,
    links: &Links,
) -> Mesh<BarkVertex> {
    let wood = Wood::new(bodies, links, rest, detail);
    let batches = wood.chains.len().div_ceil(BATCH);
    let batch = |b: usize| {
        let mut mesh = Mesh::default();
        for chain in b * BATCH..((b + 1) * BATCH).min(wood.chains.len()) {
            wood.tube(chain, look, &mut mesh);
        }
        for vertex in &mut mesh.vertices {
            let [position, normal] = [vertex.position, vertex.normal].map(Vec3::from);
            vertex.openness *= crown.openness_of_surface(position, normal);
            vertex.radius = look.drawn_radius(vertex.radius);
        }
        mesh
    };
    joined((0..batches).into_par_iter().map(batch).collect())
}

/// Triangles that [`mesh`] has at most.
pub(crate) fn most_triangles(
    bodies: &TreeDesc,
    links: &Links,
    rest: &[BodyPose],
    detail: &Detail,
) -> usize {
    let wood = Wood::new(bodies, links, rest, detail);
    let of = |(axis, &sides): (&Axis, &u32)| {
        let collar = detail.collar_rings(axis.stations[0].radius) as usize;
        let start = if collar == 0 { 1 } else { collar + 2 };
        2 * sides as usize * (start + axis.stations.len() + tube::cap_rings(sides))
    };
    let foot = 2 * wood.sides[0] as usize * foot::RINGS;
    wood.axes.iter().zip(&wood.sides).map(of).sum::<usize>() + foot
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
