//! Skins of glTF 2.0 models: joints are the points of the axes, radii are the distances of the skinned vertices from them.
//!
//! Vertices are put into the world as a renderer does (Σ weight · joint · inverse bind matrix), so that every way in which tools lay
//! out bind poses gives the same. A vertex then belongs to the bone nearest to it of those that meet its heaviest joint; its distance
//! counts for both ends of the bone, for the nearer one more. A joint's radius is the upper quartile of the distances that count for it:
//! around a fork many vertices are nearer to the side branch than to the axis whose bark they are, which a mean would take for thin wood.

use super::error::Wrong;
use super::pieces::Pieces;
use super::points::{self, Point};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use gltf::accessor::Accessor;
use gltf::buffer::{Source, View};
use gltf::{Document, Gltf, Skin};
use std::path::Path;
use treesway::Profile;
use treesway::glam::{DMat4, DVec3, Mat4};

/// The model and its buffers.
pub(super) fn open(bytes: &[u8], folder: Option<&Path>) -> Result<(Document, Vec<Vec<u8>>), Wrong> {
    let wrong = |e: gltf::Error| Wrong::new(format!("is no glTF 2.0 model: {e}"));
    let Gltf { document, blob } = Gltf::from_slice(bytes).map_err(wrong)?;
    let buffers = load_buffers(&document, blob, folder)?;
    Ok((document, buffers))
}

/// A tree for each skin.
pub(super) fn read(document: &Document, buffers: &[Vec<u8>]) -> Result<Vec<Pieces>, Wrong> {
    let parents = node_parents(document)?;
    let worlds = world_matrices(document, &parents)?;
    document
        .skins()
        .map(|skin| {
            let rig = Rig::read(document, &skin, buffers, &parents, &worlds)?;
            points::pieces(&rig.points()?, Profile::Tapered)
        })
        .collect()
}

fn load_buffers(
    document: &Document,
    blob: Option<Vec<u8>>,
    folder: Option<&Path>,
) -> Result<Vec<Vec<u8>>, Wrong> {
    let mut blob = blob;
    let load = |buffer: gltf::Buffer| {
        let i = buffer.index();
        let missing = |what: String| Wrong::new(format!("buffer {i}: {what}"));
        match buffer.source() {
            Source::Bin => blob
                .take()
                .ok_or_else(|| missing("the file has no binary part; expected one".into())),
            Source::Uri(at) => uri(at, folder).map_err(missing),
        }
    };
    document.buffers().map(load).collect()
}

/// The bytes that a URI names: within itself, or a file beside the model.
pub(super) fn uri(uri: &str, folder: Option<&Path>) -> Result<Vec<u8>, String> {
    match uri.split_once(";base64,") {
        Some((head, data)) if head.starts_with("data:") => BASE64
            .decode(data)
            .map_err(|e| format!("is no base64: {e}")),
        _ => {
            let path = folder.unwrap_or(Path::new("")).join(uri);
            std::fs::read(&path).map_err(|e| format!("{}: cannot be read: {e}", path.display()))
        }
    }
}

/// The bytes of a view, within its buffer.
pub(super) fn fits_view<'a>(view: &View, buffers: &'a [Vec<u8>]) -> Result<&'a [u8], String> {
    let end = view.offset().checked_add(view.length());
    let buffer = buffers.get(view.buffer().index());
    buffer
        .and_then(|b| b.get(view.offset()..end?))
        .ok_or_else(|| format!("view {} reaches beyond its buffer", view.index()))
}

/// Parent of every node; a node with two, or one that is its own ancestor, is refused.
pub(super) fn node_parents(document: &Document) -> Result<Vec<Option<usize>>, Wrong> {
    let n = document.nodes().len();
    let mut parents = vec![None; n];
    for node in document.nodes() {
        for child in node.children() {
            if parents[child.index()].replace(node.index()).is_some() {
                let what = format!("node {} has two parents; expected a tree", child.index());
                return Err(Wrong::new(what));
            }
        }
    }
    Ok(parents)
}

pub(super) fn world_matrices(
    document: &Document,
    parents: &[Option<usize>],
) -> Result<Vec<DMat4>, Wrong> {
    let local: Vec<DMat4> = document
        .nodes()
        .map(|n| Mat4::from_cols_array_2d(&n.transform().matrix()).as_dmat4())
        .collect();
    let mut worlds: Vec<Option<DMat4>> = vec![None; local.len()];
    let mut way = Vec::new();
    for i in 0..local.len() {
        let mut at = Some(i);
        while let Some(here) = at.filter(|&h| worlds[h].is_none()) {
            if way.len() >= local.len() {
                return Err(Wrong::new(format!(
                    "node {i} is its own ancestor; expected a tree"
                )));
            }
            way.push(here);
            at = parents[here];
        }
        let mut world = at.and_then(|a| worlds[a]).unwrap_or(DMat4::IDENTITY);
        while let Some(here) = way.pop() {
            world *= local[here];
            worlds[here] = Some(world);
        }
    }
    Ok(worlds.into_iter().map(Option::unwrap_or_default).collect())
}

/// Of every node, the joint that it is, or the nearest of its ancestors is. Parents end at roots (see [`world_matrices`]).
fn joints_below(parents: &[Option<usize>], joint_of: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut below = joint_of.to_vec();
    let mut known: Vec<bool> = joint_of.iter().map(Option::is_some).collect();
    let mut way = Vec::new();
    for i in 0..parents.len() {
        let mut at = Some(i);
        while let Some(here) = at.filter(|&h| !known[h]) {
            way.push(here);
            at = parents[here];
        }
        let joint = at.and_then(|a| below[a]);
        for here in way.drain(..) {
            (below[here], known[here]) = (joint, true);
        }
    }
    below
}

/// A skin in the world.
struct Rig {
    /// Of each joint, m.
    position: Vec<DVec3>,
    /// Nearest ancestor that is a joint of the skin too.
    parent: Vec<Option<usize>>,
    /// Of each skinned vertex, and its heaviest joint.
    vertices: Vec<(DVec3, usize)>,
}

impl Rig {
    fn read(
        document: &Document,
        skin: &Skin,
        buffers: &[Vec<u8>],
        parents: &[Option<usize>],
        worlds: &[DMat4],
    ) -> Result<Self, Wrong> {
        let joints: Vec<usize> = skin.joints().map(|j| j.index()).collect();
        let mut joint_of = vec![None; worlds.len()];
        joints
            .iter()
            .enumerate()
            .for_each(|(j, &n)| joint_of[n] = Some(j));
        let below = joints_below(parents, &joint_of);
        let parent = joints
            .iter()
            .map(|&node| parents[node].and_then(|p| below[p]))
            .collect();
        let position = joints
            .iter()
            .map(|&n| worlds[n].w_axis.truncate())
            .collect();
        let inverse = match skin.inverse_bind_matrices() {
            None => vec![DMat4::IDENTITY; joints.len()],
            Some(accessor) => {
                fits(&accessor, buffers)?;
                let reader = skin.reader(|b| buffers.get(b.index()).map(Vec::as_slice));
                let matrices = reader.read_inverse_bind_matrices().into_iter().flatten();
                matrices
                    .map(|m| Mat4::from_cols_array_2d(&m).as_dmat4())
                    .collect()
            }
        };
        if inverse.len() < joints.len() {
            let what = format!(
                "a skin has {} joints and {} inverse bind matrices; expected as many",
                joints.len(),
                inverse.len()
            );
            return Err(Wrong::new(what));
        }
        let skinning: Vec<DMat4> = joints
            .iter()
            .zip(&inverse)
            .map(|(&n, inverse)| worlds[n] * *inverse)
            .collect();
        let mut rig = Self {
            position,
            parent,
            vertices: Vec::new(),
        };
        for node in document.nodes() {
            if node.skin().is_some_and(|s| s.index() == skin.index()) {
                for primitive in node.mesh().iter().flat_map(|m| m.primitives()) {
                    rig.add(&primitive, &skinning, buffers)?;
                }
            }
        }
        Ok(rig)
    }

    fn add(
        &mut self,
        primitive: &gltf::Primitive,
        skinning: &[DMat4],
        buffers: &[Vec<u8>],
    ) -> Result<(), Wrong> {
        for (_, accessor) in primitive.attributes() {
            fits(&accessor, buffers)?;
        }
        let reader = primitive.reader(|b| buffers.get(b.index()).map(Vec::as_slice));
        let (Some(positions), Some(joints), Some(weights)) = (
            reader.read_positions(),
            reader.read_joints(0),
            reader.read_weights(0),
        ) else {
            return Ok(());
        };
        let skins = joints.into_u16().zip(weights.into_f32());
        for (position, (joints, weights)) in positions.zip(skins) {
            let at = DVec3::from_array(position.map(f64::from));
            let mut world = DVec3::ZERO;
            let mut heaviest = (0.0, 0);
            for (j, w) in joints.into_iter().zip(weights) {
                let (j, w) = (usize::from(j), f64::from(w));
                let Some(matrix) = skinning.get(j) else {
                    let what = format!("a vertex hangs on joint {j}; expected a joint of the skin");
                    return Err(Wrong::new(what));
                };
                world += w * matrix.transform_point3(at);
                if w > heaviest.0 {
                    heaviest = (w, j);
                }
            }
            if world.is_finite() && heaviest.0 > 0.0 {
                self.vertices.push((world, heaviest.1));
            }
        }
        Ok(())
    }

    /// Joints with their radii.
    fn points(&self) -> Result<Vec<Point>, Wrong> {
        let n = self.position.len();
        // Joints at the far ends of the bones that meet each joint: its parent and its children.
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (j, parent) in self.parent.iter().enumerate() {
            if let Some(p) = *parent {
                around[j].push(p);
                around[p].push(j);
            }
        }
        let mut distances: Vec<Vec<(f64, f64)>> = vec![Vec::new(); n];
        for &(vertex, joint) in &self.vertices {
            let a = self.position[joint];
            // (distance, how far towards the other end, other end)
            let mut nearest = (vertex.distance(a), 0.0, joint);
            // A rig may fan out without bound; what is nearest of the first bones is near enough.
            for &other in around[joint].iter().take(64) {
                let axis = self.position[other] - a;
                let length = axis.length_squared();
                if length == 0.0 {
                    continue;
                }
                let t = ((vertex - a).dot(axis) / length).clamp(0.0, 1.0);
                let distance = vertex.distance(a + axis * t);
                if distance < nearest.0 {
                    nearest = (distance, t, other);
                }
            }
            let (distance, t, other) = nearest;
            for (end, share) in [(joint, 1.0 - t), (other, t)] {
                if share > 0.0 {
                    distances[end].push((distance, share));
                }
            }
        }
        let radii: Vec<Option<f64>> = distances.into_iter().map(upper_quartile).collect();
        let known = |j: usize| radii[j];
        let any = (0..n).find_map(known).ok_or_else(|| {
            Wrong::new("no vertex hangs on the joints; expected a skinned mesh, which says how thick they are")
        })?;
        let mut points = Vec::with_capacity(n);
        for j in 0..n {
            // A joint without vertices is as thick as the next one below that has some.
            let mut at = Some(j);
            let mut steps = 0;
            while let Some(here) = at.filter(|&h| known(h).is_none() && steps < 64) {
                at = self.parent[here];
                steps += 1;
            }
            points.push(Point {
                position: self.position[j],
                radius: at.and_then(known).unwrap_or(any),
                parent: self.parent[j],
                line: 0,
            });
        }
        Ok(points)
    }
}

/// The distance below which three quarters of the weight lie.
fn upper_quartile(mut distances: Vec<(f64, f64)>) -> Option<f64> {
    distances.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = distances.iter().map(|d| d.1).sum();
    let mut below = 0.0;
    let at = distances.iter().find(|d| {
        below += d.1;
        below >= 0.75 * all
    });
    at.map(|d| d.0)
}

/// Whether an accessor stays within its buffer; readers trust it to.
pub(super) fn fits(accessor: &Accessor, buffers: &[Vec<u8>]) -> Result<(), Wrong> {
    let wrong = |what: &str| {
        let i = accessor.index();
        Err(Wrong::new(format!("accessor {i} {what}")))
    };
    if accessor.sparse().is_some() {
        return wrong("is sparse; expected plain numbers");
    }
    let Some(view) = accessor.view() else {
        return wrong("has no numbers; expected a buffer view");
    };
    let buffer = buffers.get(view.buffer().index()).map_or(0, Vec::len);
    let size = accessor.size();
    let stride = view.stride().unwrap_or(size).max(1);
    let last = accessor.count().checked_sub(1);
    let end = last
        .and_then(|l| l.checked_mul(stride))
        .and_then(|b| b.checked_add(size))
        .and_then(|b| b.checked_add(accessor.offset()))
        .filter(|&b| b <= view.length() && stride >= size)
        .and_then(|b| b.checked_add(view.offset()))
        .filter(|&b| {
            b <= buffer
                && view
                    .offset()
                    .checked_add(view.length())
                    .is_some_and(|e| e <= buffer)
        });
    match end {
        Some(_) => Ok(()),
        None => wrong("reaches beyond its buffer; is the file whole?"),
    }
}
