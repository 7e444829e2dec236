//! Balls that were thrown, drawn as fruit of no tree, and colliders.

use crate::model::{TooLarge, TreeMesh, TreeOnGpu};
use crate::renderer::Renderer;
use treesway::glam::{Quat, Vec3};
use treesway::{Ball, BodyDesc, BodyPose, ColliderShape, Shape, TreeDesc};
use treesway_skin::{BodyTransform, Detail, Look, solids};

/// A body that holds the others and is not shown.
const HIDDEN: Shape = Shape::Segment {
    length: 1e-3,
    base: 1e-4,
    tip: 1e-4,
};

/// Edge of the textures of bark and leaves that there are none of, texels: nobody is to wait for them.
const UNSEEN: u32 = 16;

impl TreeOnGpu {
    /// Balls with the colour of the fruit of `look`.
    pub fn of_balls(
        renderer: &Renderer,
        balls: impl Iterator<Item = Ball>,
        look: &Look,
        detail: &Detail,
    ) -> Result<Self, TooLarge> {
        let body = |parent, shape| BodyDesc::new(parent, shape, Vec3::ZERO, Quat::IDENTITY);
        let mut bodies = vec![body(None, HIDDEN)];
        bodies.extend(balls.map(|ball| {
            let shape = Shape::Fruit {
                radius: ball.radius,
                stem_length: 0.0,
                stem_radius: 1e-4,
            };
            body(Some(0), shape)
        }));
        let sizes = [UNSEEN, UNSEEN, renderer.quality().texture_size() / 4];
        let mesh = TreeMesh::painted(&TreeDesc { bodies }, look, detail, sizes);
        Self::upload(renderer, mesh)
    }

    /// Moves balls to where they are now.
    ///
    /// # Panics
    /// If there are not as many as it was made of.
    pub fn follow_balls(&mut self, balls: impl Iterator<Item = Ball>) {
        let rest = &self.skin().rest;
        let mut moved = vec![BodyTransform {
            shown: 0.0,
            ..BodyTransform::default()
        }];
        moved.extend(balls.zip(&rest[1..]).map(|(ball, rest)| {
            // The frame of a fruit is where its stem would start.
            let now = BodyPose {
                position: ball.position - ball.rotation * (Vec3::Z * ball.radius),
                rotation: ball.rotation,
            };
            BodyTransform::between(rest, &now)
        }));
        self.set_transforms(&moved);
    }

    /// Colliders of these shapes, plain and grey.
    pub fn of_colliders(
        renderer: &Renderer,
        shapes: impl Iterator<Item = ColliderShape>,
    ) -> Result<Self, TooLarge> {
        let (bodies, look) = solids(shapes);
        let mesh = TreeMesh::painted(&bodies, &look, &Detail::default(), [UNSEEN; 3]);
        Self::upload(renderer, mesh)
    }

    /// Moves colliders to where they are now.
    ///
    /// # Panics
    /// If there are not as many as it was made of.
    pub fn follow_colliders(&mut self, poses: impl Iterator<Item = BodyPose>) {
        let rest = &self.skin().rest;
        let moved = poses.zip(rest);
        let moved: Vec<_> = moved
            .map(|(now, rest)| BodyTransform::between(rest, &now))
            .collect();
        self.set_transforms(&moved);
    }
}
