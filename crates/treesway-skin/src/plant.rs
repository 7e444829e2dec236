//! A tree of a crowd: many of them share the meshes of a few.

use treesway::glam::Vec3;

/// Where a tree of a crowd stands, and how it differs from the one that its species was grown as.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plant {
    /// Index of its species.
    pub species: u32,
    /// Where it stands, m.
    pub position: Vec3,
    /// Turned about the vertical, rad.
    pub yaw: f32,
    /// How large it is.
    pub size: f32,
    /// How far its motion is ahead, s.
    pub phase: f32,
    /// How much faster it moves: 0.1 is ten per cent.
    pub jitter: f32,
}
