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
}

impl EventKind {
    /// All kinds, by number.
    pub const ALL: [Self; 4] = [Self::Detached, Self::Landed, Self::Broken, Self::SnowSlid];

    /// In lower case, for files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Detached => "detached",
            Self::Landed => "landed",
            Self::SnowSlid => "snow slid",
            Self::Broken => "broken",
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
    /// Where its centre of mass was then, m.
    pub position: Vec3,
    /// How fast that was, m/s.
    pub velocity: Vec3,
}
