//! One tree in the file: its mesh, and its skin and motion if it has any.

use super::document::{Document, Kind};
use super::material::Materials;
use super::mesh::Surface;
use super::rig::Rig;
use super::tangent::tangents;
use super::{GlbError, GlbTree};
use gltf::json::animation::{Channel, Interpolation, Property, Sampler};
use gltf::json::buffer::Target;
use gltf::json::mesh::{Mesh, Mode, Primitive, Semantic};
use gltf::json::scene::{Node, UnitQuaternion};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Animation, Index, Skin, animation};
use treesway::BodyPose;
use treesway::glam::{Mat4, Quat, Vec3};

const VERTICES: Option<Target> = Some(Target::ArrayBuffer);

/// The mesh of all surfaces of a tree, for `rig` if it is skinned.
pub(super) fn mesh(
    document: &mut Document,
    materials: &mut Materials,
    tree: &GlbTree,
    surfaces: &[Surface],
    rig: Option<&Rig>,
    texture_size: u32,
) -> Result<Index<Mesh>, GlbError> {
    let mut primitives = Vec::with_capacity(surfaces.len());
    for (i, surface) in surfaces.iter().enumerate() {
        let v = &surface.vertices;
        let positions: Vec<_> = v.iter().map(|v| v.position.to_array()).collect();
        let normals: Vec<_> = v.iter().map(|v| v.normal.to_array()).collect();
        let uvs: Vec<_> = v.iter().map(|v| v.uv).collect();
        let tints: Vec<_> = v.iter().map(|v| v.tint).collect();
        let at = document.bounded(&positions, Kind::VEC3, VERTICES);
        let mut attributes = vec![(Semantic::Positions, at)];
        let mut add = |semantic, array| attributes.push((semantic, array));
        let d = &mut *document;
        add(Semantic::Normals, d.array(&normals, Kind::VEC3, VERTICES));
        add(
            Semantic::Tangents,
            d.array(&tangents(surface), Kind::VEC4, VERTICES),
        );
        add(Semantic::TexCoords(0), d.array(&uvs, Kind::VEC2, VERTICES));
        add(Semantic::Colors(0), d.array(&tints, Kind::TINT, VERTICES));
        if let Some(rig) = rig {
            let joints: Vec<_> = rig.bindings[i].iter().map(|b| b.joints).collect();
            let weights: Vec<_> = rig.bindings[i].iter().map(|b| b.weights).collect();
            add(
                Semantic::Joints(0),
                d.array(&joints, Kind::JOINTS, VERTICES),
            );
            add(
                Semantic::Weights(0),
                d.array(&weights, Kind::WEIGHTS, VERTICES),
            );
        }
        let attributes = attributes
            .into_iter()
            .map(|(semantic, array)| (Checked::Valid(semantic), array))
            .collect();
        let corners = surface.triangles.as_flattened();
        primitives.push(Primitive {
            attributes,
            indices: Some(document.array(corners, Kind::INDEX, Some(Target::ElementArrayBuffer))),
            material: Some(materials.of(document, tree.look, surface.paint, texture_size)?),
            mode: Checked::Valid(Mode::Triangles),
            targets: None,
            extensions: None,
            extras: None,
        });
    }
    Ok(document.root.push(Mesh {
        name: Some(tree.name.clone()),
        primitives,
        weights: None,
        extensions: None,
        extras: None,
    }))
}

/// A tree that stands still: one node. Returns what stands in the scene.
pub(super) fn still(
    document: &mut Document,
    tree: &GlbTree,
    mesh: Index<Mesh>,
) -> Vec<Index<Node>> {
    let node = Node {
        name: Some(tree.name.clone()),
        mesh: Some(mesh),
        translation: Some(tree.at.to_array()).filter(|_| tree.at != Vec3::ZERO),
        ..Node::default()
    };
    vec![document.root.push(node)]
}

/// A tree that moves: a node with its mesh, beside it the joints under a node of their own, and their motion in `animation`. Returns
/// what stands in the scene.
///
/// The mesh is no child of the joints: viewers ignore where the node of a skinned mesh is.
pub(super) fn moving(
    document: &mut Document,
    tree: &GlbTree,
    mesh: Index<Mesh>,
    rig: &Rig,
    times: Index<Accessor>,
    animation: &mut Animation,
) -> Vec<Index<Node>> {
    let skeleton = document.root.push(Node {
        name: Some(format!("{} skeleton", tree.name)),
        translation: Some(tree.at.to_array()).filter(|_| tree.at != Vec3::ZERO),
        ..Node::default()
    });
    let joints = joint_nodes(document, tree, rig, skeleton);
    let bind: Vec<_> = rig
        .joints
        .iter()
        .map(|joint| inverse_bind(&joint.rest))
        .collect();
    let bind = document.array(&bind, Kind::MAT4, None);
    let skin = document.root.push(Skin {
        name: Some(tree.name.clone()),
        inverse_bind_matrices: Some(bind),
        joints: joints.clone(),
        skeleton: Some(skeleton),
        extensions: None,
        extras: None,
    });
    let body = document.root.push(Node {
        name: Some(tree.name.clone()),
        mesh: Some(mesh),
        skin: Some(skin),
        ..Node::default()
    });
    channels(document, rig, &joints, times, animation);
    vec![skeleton, body]
}

fn joint_nodes(
    document: &mut Document,
    tree: &GlbTree,
    rig: &Rig,
    skeleton: Index<Node>,
) -> Vec<Index<Node>> {
    let nodes: Vec<Index<Node>> = (0..rig.joints.len())
        .map(|j| {
            let local = rig.local_at_rest(j);
            let body = rig.joints[j].body;
            document.root.push(Node {
                name: Some(format!("{} {body}", tree.kind_of(body))),
                translation: Some(local.position.to_array()),
                rotation: Some(UnitQuaternion(local.rotation.to_array())),
                ..Node::default()
            })
        })
        .collect();
    for (joint, &node) in rig.joints.iter().zip(&nodes) {
        let parent = joint.parent.map_or(skeleton, |p| nodes[p as usize]);
        let children = &mut document.root.nodes[parent.value()].children;
        children.get_or_insert_default().push(node);
    }
    nodes
}

/// Body from world at rest.
fn inverse_bind(rest: &BodyPose) -> [f32; 16] {
    let back = rest.rotation.conjugate();
    Mat4::from_rotation_translation(back, -(back * rest.position)).to_cols_array()
}

/// Turns of every joint, and its way where that is not fixed in its parent.
fn channels(
    document: &mut Document,
    rig: &Rig,
    nodes: &[Index<Node>],
    times: Index<Accessor>,
    animation: &mut Animation,
) {
    let frames = document.root.accessors[times.value()].count.0 as usize;
    let mut turns: Vec<[f32; 4]> = Vec::with_capacity(frames * nodes.len());
    let mut ways: Vec<[f32; 3]> = Vec::new();
    let mut travellers = Vec::new();
    for (joint, &node) in nodes.iter().enumerate() {
        let rest = rig.local_at_rest(joint);
        let mut last = rest.rotation;
        let start = ways.len();
        for frame in 0..frames {
            let local = rig.local(frame, joint);
            last = nearest_sign(last, local.rotation);
            turns.push(last.to_array());
            ways.push(local.position.to_array());
        }
        // Rounding between the rest pose and the moved one is no motion.
        let still = 1e-6 * (1.0 + rest.position.length());
        if ways[start..]
            .iter()
            .all(|&way| Vec3::from(way).distance(rest.position) <= still)
        {
            ways.truncate(start);
        } else {
            travellers.push(node);
        }
    }
    let all: Vec<_> = nodes.iter().map(|&n| (n, Property::Rotation)).collect();
    add_channels(document, &turns, Kind::VEC4, &all, times, animation);
    let some: Vec<_> = travellers
        .iter()
        .map(|&n| (n, Property::Translation))
        .collect();
    add_channels(document, &ways, Kind::VEC3, &some, times, animation);
}

/// q and −q are the same turn; viewers go from one to the next by the way that the signs say.
pub(super) fn nearest_sign(last: Quat, turn: Quat) -> Quat {
    if last.dot(turn) < 0.0 { -turn } else { turn }
}

/// One channel for each target, `data` one after the other.
pub(super) fn add_channels<T: bytemuck::Pod>(
    document: &mut Document,
    data: &[T],
    kind: Kind,
    targets: &[(Index<Node>, Property)],
    times: Index<Accessor>,
    animation: &mut Animation,
) {
    if targets.is_empty() {
        return;
    }
    let view = document.view(data, None);
    let frames = data.len() / targets.len();
    for (i, &(node, path)) in targets.iter().enumerate() {
        let output = document.part(view, i * frames * size_of::<T>(), frames, kind);
        add_channel(animation, node, path, times, output);
    }
}

/// Moves a property of a node along straight lines between keys.
pub(super) fn add_channel(
    animation: &mut Animation,
    node: Index<Node>,
    path: Property,
    times: Index<Accessor>,
    output: Index<Accessor>,
) {
    let sampler = Index::push(
        &mut animation.samplers,
        Sampler {
            input: times,
            interpolation: Checked::Valid(Interpolation::Linear),
            output,
            extensions: None,
            extras: None,
        },
    );
    animation.channels.push(Channel {
        sampler,
        target: animation::Target {
            node,
            path: Checked::Valid(path),
            extensions: None,
            extras: None,
        },
        extensions: None,
        extras: None,
    });
}
