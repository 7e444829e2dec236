//! Colliders as they are drawn: plain grey spheres, rods and boxes, each carried by a body of no tree.

use crate::texture::Image;
use crate::{Look, ModelSurface, Owner};
use std::sync::Arc;
use treesway::glam::{Quat, Vec3};
use treesway::{BodyDesc, ColliderShape, Shape, TreeDesc};

/// Of all of them, sRGB: of no plant and no ground.
const GREY: [u8; 4] = [158, 160, 164, 255];

/// Around a round one, and half as many from pole to pole.
const SIDES: u32 = 32;

/// Bodies for colliders of these shapes, in their order, and what they are drawn with. A body's frame is that of its collider; at rest all are at the origin.
pub fn solids(shapes: impl Iterator<Item = ColliderShape>) -> (TreeDesc, Look) {
    let held_by = Shape::Segment {
        length: 1e-3,
        base: 1e-4,
        tip: 1e-4,
    };
    let mut bodies = Vec::new();
    let grey = Image {
        width: 1,
        height: 1,
        rgba: GREY.to_vec(),
    };
    let mut surface = ModelSurface {
        bark: grey.clone(),
        leaf: grey,
        ..ModelSurface::default()
    };
    for (i, shape) in shapes.enumerate() {
        let body = BodyDesc::new(None, held_by, Vec3::ZERO, Quat::IDENTITY);
        bodies.push(BodyDesc {
            branch: i as i32,
            ..body
        });
        add(&mut surface, shape);
        let owner = Owner::Branch(i as u32);
        surface.owners.resize(surface.positions.len(), owner);
    }
    surface.uvs.resize(surface.positions.len(), [0.5; 2]);
    let look = Look::default().with_own(Arc::new(surface));
    (TreeDesc { bodies }, look)
}

fn add(surface: &mut ModelSurface, shape: ColliderShape) {
    match shape {
        ColliderShape::Sphere { radius } => add_round(surface, radius, 0.0),
        ColliderShape::Capsule {
            half_length,
            radius,
        } => add_round(surface, radius, half_length),
        ColliderShape::Box { half } => add_box(surface, half),
        // What is new to the engine is not drawn.
        _ => {}
    }
}

/// A sphere whose halves are `apart` m above and below the middle.
fn add_round(surface: &mut ModelSurface, radius: f32, apart: f32) {
    let first = surface.positions.len() as u32;
    let rows = SIDES / 2;
    // Both halves have an equator of their own.
    let lower = (0..=rows / 2).map(|row| (row, -apart));
    let upper = (rows / 2..=rows).map(|row| (row, apart));
    for (row, lift) in lower.chain(upper) {
        let (out, up) = (core::f32::consts::PI * row as f32 / rows as f32).sin_cos();
        for side in 0..=SIDES {
            let around = core::f32::consts::TAU * side as f32 / SIDES as f32;
            let normal = Vec3::new(out * around.cos(), -up, out * around.sin());
            let at = normal * radius + Vec3::Y * lift;
            surface.positions.push(at.to_array());
            surface.normals.push(normal.to_array());
        }
    }
    for row in 0..rows + 1 {
        for side in 0..SIDES {
            let a = first + row * (SIDES + 1) + side;
            let b = a + SIDES + 1;
            surface.triangles.extend([[a, b, a + 1], [a + 1, b, b + 1]]);
        }
    }
}

fn add_box(surface: &mut ModelSurface, half: Vec3) {
    for normal in [
        Vec3::X,
        Vec3::Y,
        Vec3::Z,
        Vec3::NEG_X,
        Vec3::NEG_Y,
        Vec3::NEG_Z,
    ] {
        let first = surface.positions.len() as u32;
        let right = Vec3::new(normal.y.abs(), normal.z.abs(), normal.x.abs());
        let up = normal.cross(right);
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let corner = (normal + right * x + up * y) * half;
            surface.positions.push(corner.to_array());
            surface.normals.push(normal.to_array());
        }
        let quad = [[0, 1, 2], [0, 2, 3]].map(|t: [u32; 3]| t.map(|c| c + first));
        surface.triangles.extend(quad);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f32::consts::PI;

    #[test]
    fn solids_are_closed_and_as_large_as_their_colliders() {
        let shapes = [
            ColliderShape::Sphere { radius: 0.5 },
            ColliderShape::Capsule {
                half_length: 0.6,
                radius: 0.3,
            },
            ColliderShape::Box {
                half: Vec3::new(1.0, 2.0, 0.1),
            },
        ];
        // Volumes of the bodies themselves, m³; of round ones a little is cut off.
        let ball = |r: f32| 4.0 / 3.0 * PI * r * r * r;
        let exact = [ball(0.5), ball(0.3) + PI * 0.09 * 1.2, 1.6];
        for (shape, exact) in shapes.into_iter().zip(exact) {
            let (bodies, look) = solids([shape].into_iter());
            assert_eq!(bodies.bodies.len(), 1);
            let own = look.own.unwrap();
            let volume: f32 = own
                .triangles
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|v| Vec3::from(own.positions[v as usize]));
                    a.dot(b.cross(c)) / 6.0
                })
                .sum();
            assert!(
                (0.97..1.001).contains(&(volume / exact)),
                "{shape:?}: {volume}"
            );
            for t in &own.triangles {
                let [a, b, c] = t.map(|v| Vec3::from(own.positions[v as usize]));
                let n = Vec3::from(own.normals[t[0] as usize]);
                assert!(
                    (b - a).cross(c - a).dot(n) >= -1e-6,
                    "{shape:?} is seen from outside"
                );
            }
        }
    }
}
