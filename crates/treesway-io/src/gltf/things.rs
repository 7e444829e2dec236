//! Balls that were thrown, and colliders, in the file: a node for each with its way and its turns. Balls share one mesh.

use super::document::{Document, Kind};
use super::material::Materials;
use super::mesh::{self, Paint, Surface, Vertex};
use super::{GlbError, GlbTree, tree};
use gltf::json::animation::Property;
use gltf::json::mesh::Mesh;
use gltf::json::scene::{Node, UnitQuaternion};
use gltf::json::{Accessor, Animation, Index};
use treesway::glam::{Quat, Vec3};
use treesway::{BodyDesc, BodyPose, Collider, ColliderShape, Shape, TreeDesc, World};
use treesway_skin::{Detail, Look, Skin, solids};

/// Recorded motion of balls and colliders.
#[derive(Clone, Debug, Default)]
pub struct ThingClip {
    /// Radii, m.
    balls: Vec<f32>,
    colliders: Vec<ColliderShape>,
    /// Of their centres, frame by frame, balls before colliders.
    poses: Vec<BodyPose>,
}

impl ThingClip {
    /// Of those that a world has now, which stay the same; without a frame.
    pub fn new(world: &World) -> Self {
        Self {
            balls: world.balls().map(|ball| ball.radius).collect(),
            colliders: world.colliders().map(|c| c.shape).collect(),
            poses: Vec::new(),
        }
    }

    /// Adds where they are now.
    ///
    /// # Panics
    /// If there are fewer than it was made of.
    pub fn record(&mut self, world: &World) {
        let (balls, colliders) = (world.balls(), world.colliders());
        assert!(
            balls.len() >= self.balls.len() && colliders.len() >= self.colliders.len(),
            "a clip of other things"
        );
        let balls = balls.take(self.balls.len()).map(|ball| BodyPose {
            position: ball.position,
            rotation: ball.rotation,
        });
        let colliders = colliders.take(self.colliders.len()).map(Collider::pose);
        self.poses.extend(balls.chain(colliders));
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.balls.len() + self.colliders.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn pose(&self, frame: usize, thing: usize) -> &BodyPose {
        &self.poses[frame * self.len() + thing]
    }
}

/// A node for each, and its motion in `animation`. Returns what stands in the scene.
pub(super) fn moving(
    document: &mut Document,
    materials: &mut Materials,
    things: &ThingClip,
    texture_size: u32,
    times: Index<Accessor>,
    animation: &mut Animation,
) -> Result<Vec<Index<Node>>, GlbError> {
    let mut looks = Vec::with_capacity(things.len());
    if !things.balls.is_empty() {
        let mesh = unit_ball(document, materials, texture_size)?;
        let balls = things.balls.iter().enumerate();
        looks.extend(balls.map(|(i, &radius)| (format!("ball {i}"), mesh, radius)));
    }
    let meshes = collider_meshes(document, materials, &things.colliders, texture_size)?;
    let colliders = meshes.into_iter().enumerate();
    looks.extend(colliders.map(|(i, mesh)| (format!("collider {i}"), mesh, 1.0)));
    let nodes = looks
        .into_iter()
        .enumerate()
        .map(|(i, (name, mesh, scale))| {
            let start = things.pose(0, i);
            document.root.push(Node {
                name: Some(name),
                mesh: Some(mesh),
                translation: Some(start.position.to_array()),
                rotation: Some(UnitQuaternion(start.rotation.to_array())),
                scale: Some([scale; 3]).filter(|_| scale != 1.0),
                ..Node::default()
            })
        });
    let nodes: Vec<Index<Node>> = nodes.collect();
    let frames = things.poses.len() / things.len();
    let (mut turns, mut ways) = (Vec::new(), Vec::new());
    for thing in 0..things.len() {
        let mut last = things.pose(0, thing).rotation;
        for frame in 0..frames {
            let pose = things.pose(frame, thing);
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

/// A mesh for each collider, all of one material, as pictures show them.
fn collider_meshes(
    document: &mut Document,
    materials: &mut Materials,
    shapes: &[ColliderShape],
    texture_size: u32,
) -> Result<Vec<Index<Mesh>>, GlbError> {
    if shapes.is_empty() {
        return Ok(Vec::new());
    }
    let (bodies, look) = solids(shapes.iter().copied());
    let skin = Skin::new(&bodies, &look, &Detail::default());
    let all = mesh::surfaces(&skin, &look);
    let one = |i: u32| {
        let named = GlbTree {
            name: format!("collider {i}"),
            bodies: &bodies,
            skin: &skin,
            look: &look,
            at: Vec3::ZERO,
            motion: None,
        };
        let surfaces: Vec<Surface> = all.iter().map(|s| s.of_body(i)).collect();
        tree::mesh(document, materials, &named, &surfaces, None, texture_size)
    };
    (0..shapes.len() as u32).map(one).collect()
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
