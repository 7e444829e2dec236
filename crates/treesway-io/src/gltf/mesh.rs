//! What is drawn of a tree as plain triangles: bark as it is, every leaf and fruit baked where its instance stands.

use treesway::glam::Vec3;
use treesway_skin::{BodyTransform, Instance, LeafShape, Look, Pieces, Skin, skinning};

/// What a surface is painted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    Bark,
    Leaf,
    Fruit,
    /// On bark and fruit.
    Snow,
    /// Cut out as the leaf is that it lies on.
    SnowOnLeaf,
}

/// A point of a surface, at rest, the anchor of the tree at the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    /// m.
    pub(super) position: Vec3,
    /// Of length one.
    pub(super) normal: Vec3,
    pub(super) uv: [f32; 2],
    /// Linear factor on the colour of the texture, 255 for 1.
    pub(super) tint: [u8; 4],
    /// Ids of the two bodies that carry it.
    pub(super) bodies: [u32; 2],
    /// Share of the second one.
    pub(super) weight: f32,
}

/// Triangles with one material.
#[derive(Clone)]
pub(super) struct Surface {
    pub(super) paint: Paint,
    pub(super) vertices: Vec<Vertex>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// What one body carries of it.
    pub(super) fn of_body(&self, body: u32) -> Self {
        let mut number = vec![u32::MAX; self.vertices.len()];
        let mut own = Self {
            paint: self.paint,
            vertices: Vec::new(),
            triangles: Vec::new(),
        };
        for triangle in &self.triangles {
            let carried = |&v: &u32| self.vertices[v as usize].bodies[0] == body;
            if !triangle.iter().all(carried) {
                continue;
            }
            own.triangles.push(triangle.map(|v| {
                let known = &mut number[v as usize];
                if *known == u32::MAX {
                    *known = own.vertices.len() as u32;
                    own.vertices.push(self.vertices[v as usize]);
                }
                *known
            }));
        }
        own
    }
}

/// Of the light from the sky, how much still reaches the inside of a crown in the tint. Viewers light foliage without knowing what
/// shades it; all of the openness would leave the inside black under their uniform light.
const LEAST_LIGHT: f32 = 0.45;

/// How strongly normals of leaves turn to the outside of the crown, so that it is lit as a volume.
const VOLUME: f32 = 0.6;

/// Every surface of a tree that has triangles.
pub(super) fn surfaces(skin: &Skin, look: &Look) -> Vec<Surface> {
    let at_rest = vec![BodyTransform::default(); skin.rest.len()];
    // Only green yellows.
    let leaf_tint = if look.leaf.shape == LeafShape::Blossom {
        shade
    } else {
        leaf_tint
    };
    let all = [
        bark(skin),
        baked(Paint::Leaf, &skin.leaves, &at_rest, leaf_tint),
        baked(Paint::Fruit, &skin.fruit, &at_rest, shade),
    ];
    all.into_iter()
        .filter(|s| !s.triangles.is_empty())
        .collect()
}

/// The same surfaces as the bodies hold them when each has moved.
pub(super) fn moved(surfaces: &[Surface], transforms: &[BodyTransform]) -> Vec<Surface> {
    let mut surfaces = surfaces.to_vec();
    for vertex in surfaces.iter_mut().flat_map(|s| &mut s.vertices) {
        let [first, second] = vertex.bodies.map(|b| &transforms[b as usize]);
        let blend = |a: Vec3, b: Vec3| a.lerp(b, vertex.weight);
        let (position, normal) = (vertex.position, vertex.normal);
        vertex.position = blend(first.point(position), second.point(position));
        let turned = blend(first.direction(normal), second.direction(normal));
        vertex.normal = turned.normalize_or(normal);
    }
    surfaces
}

fn bark(skin: &Skin) -> Surface {
    let vertices = skin.bark.vertices.iter().map(|v| Vertex {
        position: v.position.into(),
        normal: Vec3::from(v.normal).normalize_or(Vec3::Y),
        uv: v.uv,
        tint: grey(v.openness),
        bodies: v.bodies,
        weight: v.weight,
    });
    Surface {
        paint: Paint::Bark,
        vertices: vertices.collect(),
        triangles: skin.bark.triangles.clone(),
    }
}

fn baked(
    paint: Paint,
    pieces: &[Pieces],
    at_rest: &[BodyTransform],
    tint: fn(&Instance, f32) -> [u8; 4],
) -> Surface {
    let mut surface = Surface {
        paint,
        vertices: Vec::new(),
        triangles: Vec::new(),
    };
    for Pieces { mesh, instances } in pieces {
        for instance in instances {
            let first = surface.vertices.len() as u32;
            let placed = mesh.vertices.iter().map(|v| {
                let placed = skinning::piece(v, instance, at_rest);
                let normal = match paint {
                    Paint::Leaf => turned_outward(placed.normal, instance.outward.into()),
                    _ => placed.normal,
                };
                Vertex {
                    position: placed.position,
                    normal: normal.normalize_or(Vec3::Y),
                    uv: v.uv,
                    tint: tint(instance, v.which),
                    bodies: [instance.body; 2],
                    weight: 0.0,
                }
            });
            surface.vertices.extend(placed);
            let triangles = mesh
                .triangles
                .iter()
                .map(|t| t.map(|corner| corner + first));
            surface.triangles.extend(triangles);
        }
    }
    surface
}

/// Each side of a leaf is lit as the side of the crown that it faces: viewers turn the normal around on the back.
fn turned_outward(normal: Vec3, outward: Vec3) -> Vec3 {
    normal + outward * (VOLUME * normal.dot(outward).signum())
}

fn grey(openness: f32) -> [u8; 4] {
    bytes([light(openness); 3])
}

/// Of what is the same all over.
fn shade(instance: &Instance, _: f32) -> [u8; 4] {
    grey(instance.openness)
}

/// Lighter and darker, yellower and bluer leaves.
fn leaf_tint(instance: &Instance, which: f32) -> [u8; 4] {
    let hue = 2.0 * (instance.variation + which).fract() - 1.0;
    let light = light(instance.openness) * (0.93 + 0.07 * (7.0 * instance.variation).fract());
    bytes([
        light * (0.90 + 0.10 * hue),
        light * (0.97 + 0.03 * hue),
        light * (0.88 - 0.12 * hue),
    ])
}

fn light(openness: f32) -> f32 {
    LEAST_LIGHT + (1.0 - LEAST_LIGHT) * openness.clamp(0.0, 1.0)
}

fn bytes(rgb: [f32; 3]) -> [u8; 4] {
    let [r, g, b] = rgb.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8);
    [r, g, b, 255]
}
