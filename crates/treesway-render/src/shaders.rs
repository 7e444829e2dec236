//! The shaders, each put together from the parts it needs.

use treesway_skin::SKINNING_WGSL;

const FRAME: &str = include_str!("shaders/frame.wgsl");
const BODY: &str = include_str!("shaders/body.wgsl");

/// A shader by name.
pub(crate) struct Shader {
    pub(crate) name: &'static str,
    parts: &'static [&'static str],
}

impl Shader {
    /// The whole text.
    pub(crate) fn source(&self) -> String {
        self.parts.join("\n")
    }
}

pub(crate) const BARK: Shader = Shader {
    name: "bark",
    parts: &[
        FRAME,
        SKINNING_WGSL,
        BODY,
        include_str!("shaders/bark.wgsl"),
    ],
};

pub(crate) const PIECE: Shader = Shader {
    name: "piece",
    parts: &[
        FRAME,
        SKINNING_WGSL,
        BODY,
        include_str!("shaders/piece.wgsl"),
    ],
};

pub(crate) const GROUND: Shader = Shader {
    name: "ground",
    parts: &[FRAME, include_str!("shaders/ground.wgsl")],
};

pub(crate) const SKY: Shader = Shader {
    name: "sky",
    parts: &[FRAME, include_str!("shaders/sky.wgsl")],
};
