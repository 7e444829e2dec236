//! The shaders, each put together from the parts it needs.

use treesway_skin::{SKINNING_WGSL, SPECTRAL_WGSL};

const FRAME: &str = include_str!("shaders/frame.wgsl");
const TURF: &str = include_str!("shaders/turf.wgsl");
const HILLS: &str = include_str!("shaders/hills.wgsl");
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

const PLANT: &str = include_str!("shaders/plant.wgsl");

/// Trees of a crowd: light of bark and leaves is that of single trees.
pub(crate) const CROWD: Shader = Shader {
    name: "crowd",
    parts: &[
        FRAME,
        SKINNING_WGSL,
        BODY,
        include_str!("shaders/bark.wgsl"),
        include_str!("shaders/piece.wgsl"),
        SPECTRAL_WGSL,
        PLANT,
        include_str!("shaders/crowd.wgsl"),
    ],
};

pub(crate) const IMPOSTOR: Shader = Shader {
    name: "impostor",
    parts: &[
        FRAME,
        SKINNING_WGSL,
        BODY,
        include_str!("shaders/piece.wgsl"),
        SPECTRAL_WGSL,
        PLANT,
        include_str!("shaders/impostor.wgsl"),
    ],
};

pub(crate) const CAPTURE: Shader = Shader {
    name: "capture",
    parts: &[
        FRAME,
        SKINNING_WGSL,
        BODY,
        include_str!("shaders/bark.wgsl"),
        include_str!("shaders/piece.wgsl"),
        include_str!("shaders/capture.wgsl"),
    ],
};

pub(crate) const HALVE: Shader = Shader {
    name: "halve",
    parts: &[include_str!("shaders/halve.wgsl")],
};

pub(crate) const GROUND: Shader = Shader {
    name: "ground",
    parts: &[FRAME, TURF, HILLS, include_str!("shaders/ground.wgsl")],
};

pub(crate) const GRASS: Shader = Shader {
    name: "grass",
    parts: &[FRAME, TURF, HILLS, include_str!("shaders/grass.wgsl")],
};

pub(crate) const SKY: Shader = Shader {
    name: "sky",
    parts: &[FRAME, include_str!("shaders/sky.wgsl")],
};

/// All of them.
#[cfg(test)]
pub(crate) const ALL: [&Shader; 9] = [
    &BARK, &PIECE, &GROUND, &GRASS, &SKY, &CROWD, &IMPOSTOR, &CAPTURE, &HALVE,
];

#[cfg(test)]
mod tests {
    use super::*;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    #[test]
    fn every_shader_is_valid() {
        for shader in ALL {
            let source = shader.source();
            let module = naga::front::wgsl::parse_str(&source)
                .unwrap_or_else(|e| panic!("{}: {}", shader.name, e.emit_to_string(&source)));
            // What every adapter can do.
            Validator::new(ValidationFlags::all(), Capabilities::empty())
                .validate(&module)
                .unwrap_or_else(|e| panic!("{}: {}", shader.name, e.emit_to_string(&source)));
        }
    }

    #[test]
    fn every_file_is_part_of_a_shader() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/shaders");
        let parts: Vec<&str> = ALL.iter().flat_map(|s| s.parts.iter().copied()).collect();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(parts.contains(&text.as_str()), "{}", path.display());
        }
    }
}
