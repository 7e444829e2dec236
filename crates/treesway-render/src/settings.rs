//! What is drawn and how well.

use treesway::World;
use treesway::glam::Vec3;
use treesway_skin::snow_cover;

/// Trades looks for speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quality {
    /// One sample, a small shadow map, no relief: for software adapters.
    Low,
    /// Four samples and relief.
    #[default]
    Medium,
    /// For pictures: a large shadow map with soft edges.
    High,
}

impl Quality {
    /// Most triangles of what is drawn; in low quality what a software adapter draws ten times a second, else what buffers of any graphics
    /// card hold.
    pub fn triangles(self) -> usize {
        match self {
            Self::Low => 40_000,
            Self::Medium => 2_000_000,
            Self::High => 6_000_000,
        }
    }

    /// Samples of a pixel.
    pub fn samples(self) -> u32 {
        match self {
            Self::Low => 1,
            Self::Medium | Self::High => 4,
        }
    }

    /// Edge of the shadow map, texels.
    pub fn shadow_size(self) -> u32 {
        match self {
            Self::Low => 512,
            Self::Medium => 2048,
            Self::High => 4096,
        }
    }

    /// Comparisons with the shadow map for a point.
    pub fn shadow_taps(self) -> u32 {
        match self {
            Self::Low => 1,
            Self::Medium => 8,
            Self::High => 16,
        }
    }

    /// Edge of the textures, texels.
    pub fn texture_size(self) -> u32 {
        match self {
            Self::Low => 256,
            Self::Medium => 512,
            Self::High => 1024,
        }
    }

    /// Blades of grass in a row of the meadow; as many rows, none without detail.
    pub fn grass_row(self) -> u32 {
        match self {
            Self::Low => 0,
            Self::Medium => 200,
            Self::High => 420,
        }
    }

    /// Whether bark has relief, surfaces a gloss and the sky clouds.
    pub fn has_detail(self) -> bool {
        self > Self::Low
    }
}

/// How trees are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// As they look.
    #[default]
    Shaded,
    /// Every triangle in one shade, without textures.
    Flat,
    /// Edges of the triangles.
    Wireframe,
    /// A line for each body.
    Skeleton,
    /// Every body in the colour it was given ([`crate::TreeOnGpu::paint`]).
    Coloured,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How trees are shown (default: shaded).
    pub mode: Mode,
    /// Bark, leaves and turf, instead of one colour for each (default: true).
    pub textures: bool,
    /// Sky and ground; without them the picture is transparent there (default: true).
    pub background: bool,
    /// Of the sun (default: true).
    pub shadow: bool,
    /// Off, colours are drawn as they are (default: true).
    pub lighting: bool,
    /// Where light comes from.
    pub sun: Sun,
    /// Factor on all light before it is developed (default: 1).
    pub exposure: f32,
    /// Factor on the light that comes through leaves (default: 1).
    pub translucency: f32,
    /// Share of light that the air takes, 1/m (default: 0.0008, a clear day).
    pub fog: f32,
    /// How much of the ground snow covers, 0 to 1 (default: 0). Trees have their own.
    pub snow: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            textures: true,
            background: true,
            shadow: true,
            lighting: true,
            sun: Sun::default(),
            exposure: 1.0,
            translucency: 1.0,
            fog: 0.0008,
            snow: 0.0,
        }
    }
}

impl Settings {
    /// How much of the ground snow covers by now, for `snow`.
    pub fn snow_on_ground(world: &World) -> f32 {
        let snow = world.snow.as_ref();
        snow.map_or(0.0, |snow| snow_cover(snow.fallen(world.seconds())))
    }
}

/// Where the sun stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// Degrees: 0 in the direction of +x, 90 of +z (default: 170).
    pub azimuth_deg: f32,
    /// Above the horizon, degrees (default: 32).
    pub elevation_deg: f32,
}

impl Default for Sun {
    fn default() -> Self {
        Self {
            azimuth_deg: 170.0,
            elevation_deg: 32.0,
        }
    }
}

impl Sun {
    /// Towards it, of length one.
    pub fn direction(&self) -> Vec3 {
        direction(self.azimuth_deg, self.elevation_deg)
    }
}

/// A direction by azimuth (0 along +x, 90 along +z) and elevation, degrees.
pub(crate) fn direction(azimuth_deg: f32, elevation_deg: f32) -> Vec3 {
    let (sin_a, cos_a) = azimuth_deg.to_radians().sin_cos();
    let (sin_e, cos_e) = elevation_deg.to_radians().sin_cos();
    Vec3::new(cos_e * cos_a, sin_e, cos_e * sin_a)
}
