//! What happens to single bodies: for sounds, counts and files.

use crate::desc::BodyId;
use crate::world::TreeId;
use glam::Vec3;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum EventKind {
    /// A leaf, petal or fruit came off its twig.
    Detached = 0,
    /// It came to rest on the ground.
    Landed = 1,
    /// Snow slid off a body.
    SnowSlid = 7,
    /// A branch broke off; the body is its lowest.
    Broken = 2,
    /// A ball, a fruit, a collider or a branch that broke off struck a body of the tree.
    Hit = 3,
}

impl EventKind {
    /// All kinds, by number.
    pub const ALL: [Self; 5] = [
        Self::Detached,
        Self::Landed,
        Self::Broken,
        Self::Hit,
        Self::SnowSlid,
    ];

    /// In lower case, for files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Detached => "detached",
            Self::Landed => "landed",
            Self::SnowSlid => "snow slid",
            Self::Broken => "broken",
            Self::Hit => "hit",
        }
    }
}

/// Something that happened to a body in the last frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// End of the frame in which it happened, s since the start.
    pub seconds: f64,
    /// On which tree.
    pub tree: TreeId,
    /// To which body.
    pub body: BodyId,
    /// What.
    pub kind: EventKind,
    /// Where its centre of mass was then, m; of a hit the point that was struck.
    pub position: Vec3,
    /// How fast that was, m/s; of a hit how fast what struck came, relative to the body.
    pub velocity: Vec3,
    /// What a hit gave to the tree, N·s; else zero.
    pub impulse: Vec3,
}
