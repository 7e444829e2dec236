//! Balls that were thrown, in the file: one mesh, and a node for each with its way and its turns.

use super::document::{Document, Kind};
use super::material::Materials;
use super::mesh::{self, Paint, Vertex};
use super::{GlbError, GlbTree, tree};
use gltf::json::animation::Property;
use gltf::json::mesh::Mesh;
use gltf::json::scene::{Node, UnitQuaternion};
use gltf::json::{Accessor, Animation, Index};
use treesway::glam::{Quat, Vec3};
use treesway::{Ball, BodyDesc, BodyPose, Shape, TreeDesc};
use treesway_skin::{Detail, Look, Skin};

/// Recorded motion of balls.
#[derive(Clone, Debug, Default)]
pub struct BallClip {
    /// m.
    radii: Vec<f32>,
    /// Of their centres, frame by frame.
    poses: Vec<BodyPose>,
}

impl BallClip {
    /// Of these balls, which stay the same; without a frame.
    pub fn new(balls: impl Iterator<Item = Ball>) -> Self {
        Self {
            radii: balls.map(|ball| ball.radius).collect(),
            poses: Vec::new(),
        }
    }

    /// Adds where they are now.
    ///
    /// # Panics
    /// If there are fewer than it was made of.
    pub fn record(&mut self, balls: impl ExactSizeIterator<Item = Ball>) {
        assert!(balls.len() >= self.radii.len(), "a clip of other balls");
        self.poses
            .extend(balls.take(self.radii.len()).map(|ball| BodyPose {
                position: ball.position,
                rotation: ball.rotation,
            }));
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.radii.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.radii.is_empty()
    }

    fn pose(&self, frame: usize, ball: usize) -> &BodyPose {
        &self.poses[frame * self.len() + ball]
    }
}

/// A node for each ball, and its motion in `animation`. Returns what stands in the scene.
pub(super) fn moving(
    document: &mut Document,
    materials: &mut Materials,
    balls: &BallClip,
    texture_size: u32,
    times: Index<Accessor>,
    animation: &mut Animation,
) -> Result<Vec<Index<Node>>, GlbError> {
    let mesh = unit_ball(document, materials, texture_size)?;
    let nodes = balls.radii.iter().enumerate().map(|(i, &radius)| {
        let start = balls.pose(0, i);
        document.root.push(Node {
            name: Some(format!("ball {i}")),
            mesh: Some(mesh),
            translation: Some(start.position.to_array()),
            rotation: Some(UnitQuaternion(start.rotation.to_array())),
            scale: Some([radius; 3]),
            ..Node::default()
        })
    });
    let nodes: Vec<Index<Node>> = nodes.collect();
    let frames = balls.poses.len() / balls.len();
    let (mut turns, mut ways) = (Vec::new(), Vec::new());
    for ball in 0..balls.len() {
        let mut last = balls.pose(0, ball).rotation;
        for frame in 0..frames {
            let pose = balls.pose(frame, ball);
            last = tree::nearest_sign(last, pose.rotation);
            turns.push(last.to_array());
            ways.push(pose.position.to_array());
        }
    }
    let target = |property| move |&node: &Index<Node>| (node, property);
    let all: Vec<_> = nodes.iter().map(target(Property::Rotation)).collect();
    tree::add_channels(document, &turns, Kind::VEC4, &all, times, animation);
    let all: Vec<_> = nodes.iter().map(target(Property::Translation)).collect();
    tree::add_channels(document, &ways, Kind::VEC3, &all, times, animation);
    Ok(nodes)
}

/// A ball of 1 m around the origin, painted as fruit of no tree, as pictures show it.
fn unit_ball(
    document: &mut Document,
    materials: &mut Materials,
    texture_size: u32,
) -> Result<Index<Mesh>, GlbError> {
    let look = Look::default();
    let body = |parent, shape| BodyDesc::new(parent, shape, Vec3::ZERO, Quat::IDENTITY);
    let held_by = Shape::Segment {
        length: 1e-3,
        base: 1e-4,
        tip: 1e-4,
    };
    let ball = Shape::Fruit {
        radius: 1.0,
        stem_length: 0.0,
        stem_radius: 1e-4,
    };
    let bodies = TreeDesc {
        bodies: vec![body(None, held_by), body(Some(0), ball)],
    };
    let skin = Skin::new(&bodies, &look, &Detail::default());
    let centre = skin.rest[1].point(Vec3::Z);
    let mut surfaces = mesh::surfaces(&skin, &look);
    surfaces.retain(|s| s.paint == Paint::Fruit);
    let vertices = surfaces.iter_mut().flat_map(|s| &mut s.vertices);
    vertices.for_each(|v: &mut Vertex| v.position -= centre);
    let named = GlbTree {
        name: "ball".into(),
        bodies: &bodies,
        skin: &skin,
        look: &look,
        at: Vec3::ZERO,
        motion: None,
    };
    tree::mesh(document, materials, &named, &surfaces, None, texture_size)
}
