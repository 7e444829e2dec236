//! Small scenes and their pictures.
#![allow(dead_code, reason = "not every test uses all of it")]

use treesway::glam::Vec3;
use treesway_io::{Scene, Simulation};
use treesway_render::{Camera, Headless, Quality, Settings, Studio, TreeOnGpu};
use treesway_skin::Detail;
use treesway_skin::texture::Image;

/// Pixels.
pub const SIZE: [u32; 2] = [160, 120];

/// An oak with few, large leaves.
pub const OAK: &str = r#"
    version = 1
    [[tree]]
    species = "oak"
    bodies = 900
    [wind]
    speed = 8.0
"#;

/// Trees ready to be drawn.
pub struct Set {
    pub simulation: Simulation,
    pub studio: Studio,
    pub trees: Vec<TreeOnGpu>,
}

impl Set {
    /// Fails where there is no adapter: these tests are not to be skipped.
    pub fn new(scene: &str, [width, height]: [u32; 2], quality: Quality, detail: &Detail) -> Self {
        let gpu = Headless::new().unwrap_or_else(|e| panic!("{e}"));
        let studio = Studio::new(&gpu, width, height, quality).unwrap();
        let scene = Scene::parse(scene, "test").unwrap();
        let (simulation, models) = scene.build_to_draw().unwrap();
        let on_gpu = |m: &treesway_io::scene::Model| {
            TreeOnGpu::new(studio.renderer(), &m.bodies, &m.look, detail).unwrap()
        };
        let trees = models.iter().map(on_gpu).collect();
        let mut set = Self {
            simulation,
            studio,
            trees,
        };
        set.follow();
        set
    }

    /// An oak in medium quality.
    pub fn oak() -> Self {
        Self::new(OAK, SIZE, Quality::Medium, &Detail::for_screen(30.0))
    }

    /// Moves what is drawn to where the trees are.
    pub fn follow(&mut self) {
        for (drawn, tree) in self.trees.iter_mut().zip(self.simulation.world().trees()) {
            drawn.follow(tree);
        }
    }

    /// Looks from a side and from above at all trees.
    pub fn camera(&self, azimuth_deg: f32, elevation_deg: f32) -> Camera {
        let bounds = self.trees[0].bounds();
        Camera::framing(
            bounds,
            self.studio.aspect(),
            azimuth_deg,
            elevation_deg,
            32.0,
        )
    }

    pub fn picture(&mut self, camera: &Camera, settings: &Settings) -> Image {
        self.studio.picture(&self.trees, camera, settings).unwrap()
    }
}

/// Pixels with their place.
pub fn pixels(image: &Image) -> impl Iterator<Item = ([u32; 2], [u8; 4])> + '_ {
    let all = image.rgba.chunks_exact(4).enumerate();
    all.map(|(i, p)| {
        let i = i as u32;
        ([i % image.width, i / image.width], [p[0], p[1], p[2], p[3]])
    })
}

/// Brightness as the eye sees it, about, 0 to 1.
pub fn brightness([r, g, b, _]: [u8; 4]) -> f32 {
    Vec3::new(r.into(), g.into(), b.into()).dot(Vec3::new(0.2126, 0.7152, 0.0722)) / 255.0
}

/// Mean brightness of the pixels that are wanted.
pub fn mean(image: &Image, wanted: impl Fn([u32; 2]) -> bool) -> f32 {
    let (mut sum, mut count) = (0.0, 0);
    for (at, pixel) in pixels(image) {
        if wanted(at) {
            sum += brightness(pixel);
            count += 1;
        }
    }
    assert!(count > 0, "no pixel is wanted");
    sum / count as f32
}

/// Share of pixels that are at least half covered.
pub fn coverage(image: &Image) -> f32 {
    let covered = pixels(image).filter(|(_, p)| p[3] >= 128).count();
    covered as f32 / (image.width * image.height) as f32
}
