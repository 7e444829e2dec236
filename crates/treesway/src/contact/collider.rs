//! Things that nothing moves and that push branches, balls and fruit aside: characters, walls, hands.

use crate::forces::BodyPose;
use crate::math::{Quaternion, V3};
use glam::{Quat, Vec3};

/// What a collider looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ColliderShape {
    /// A ball.
    Sphere {
        /// m.
        radius: f32,
    },
    /// A rod with round ends along y: a person.
    Capsule {
        /// From its middle to the centres of its ends, m.
        half_length: f32,
        /// m.
        radius: f32,
    },
    /// A box: a wall, a car.
    Box {
        /// Half its edges, m.
        half: Vec3,
    },
}

/// Something that moves as it is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// What it looks like.
    pub shape: ColliderShape,
    /// Its middle, m. Goes on with `velocity` in every frame; set it to put the collider elsewhere.
    pub position: Vec3,
    /// World from collider.
    pub rotation: Quat,
    /// m/s.
    pub velocity: Vec3,
    /// Coulomb's μ.
    pub friction: f32,
}

impl Collider {
    /// One that stands still.
    pub fn new(shape: ColliderShape, position: Vec3) -> Self {
        Self {
            shape,
            position,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            friction: 0.3,
        }
    }

    /// Where it is.
    pub fn pose(&self) -> BodyPose {
        BodyPose {
            position: self.position,
            rotation: self.rotation,
        }
    }
}

/// Names a collider of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId(pub usize);

impl ColliderShape {
    /// Of a ball around it, m.
    pub(crate) fn radius(&self) -> f32 {
        match *self {
            Self::Sphere { radius } => radius,
            Self::Capsule {
                half_length,
                radius,
            } => half_length + radius,
            Self::Box { half } => V3::from(half).length(),
        }
    }

    /// Distance of a point in the collider's frame, m, negative inside, and the direction in which it grows.
    fn distance(&self, p: V3<f32>) -> (f32, V3<f32>) {
        match *self {
            Self::Sphere { radius } => from_centre(p, radius),
            Self::Capsule {
                half_length,
                radius,
            } => {
                let along = p.y.clamp(-half_length, half_length);
                from_centre(
                    V3 {
                        y: p.y - along,
                        ..p
                    },
                    radius,
                )
            }
            Self::Box { half } => from_box(p, half.into()),
        }
    }

    /// The same of a point in the world.
    pub(crate) fn distance_in_world(
        &self,
        centre: V3<f32>,
        rotation: Quaternion<f32>,
        point: V3<f32>,
    ) -> (f32, V3<f32>) {
        let local = rotation.conjugate().rotate(point - centre);
        let (distance, out) = self.distance(local);
        (distance, rotation.rotate(out))
    }
}

fn from_centre(p: V3<f32>, radius: f32) -> (f32, V3<f32>) {
    let away = p.length();
    let out = if away > 0.0 { p * (1.0 / away) } else { UP };
    (away - radius, out)
}

const UP: V3<f32> = V3 {
    x: 0.0,
    y: 1.0,
    z: 0.0,
};

fn from_box(p: V3<f32>, half: V3<f32>) -> (f32, V3<f32>) {
    let sign = p.map(|x| if x < 0.0 { -1.0 } else { 1.0 });
    let over = p.times(sign) - half;
    let outside = over.map(|x| x.max(0.0));
    let away = outside.length();
    if away > 0.0 {
        return (away, outside.times(sign) * (1.0 / away));
    }
    // Inside: out by the nearest face.
    let least = over.x.max(over.y).max(over.z);
    let only = |x: f32| if x == least { 1.0 } else { 0.0 };
    let out = if over.x == least {
        V3 {
            x: 1.0,
            y: 0.0,
            z: 0.0,
        }
    } else {
        V3 {
            x: 0.0,
            y: only(over.y),
            z: 1.0 - only(over.y),
        }
    };
    (least, out.times(sign))
}
