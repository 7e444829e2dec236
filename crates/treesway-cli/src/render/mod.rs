//! `treesway render`: pictures of a scene.

mod view;

use crate::arguments::Render;
use crate::scene;
use anyhow::{Context, Result, ensure};
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};
use std::path::Path;
use treesway::glam::Vec3;
use treesway_io::write_whole;
use treesway_render::{Headless, Studio, TreeOnGpu};
use treesway_skin::Detail;
use treesway_skin::texture::Image;

/// Takes pictures of a scene.
pub fn write(arguments: &Render) -> Result<()> {
    let output = &arguments.output;
    ensure!(
        output.extension().is_some_and(|e| e == "png"),
        "{}: the output cannot be written in this format; expected a name that ends in .png",
        output.display()
    );
    let scene = scene::load(&arguments.scene, &view::changes(arguments)?)?;
    let (mut simulation, models) = scene.build_to_draw()?;
    let gpu = Headless::new()?;
    let [width, height] = arguments.size;
    let mut studio = Studio::new(&gpu, width, height, view::quality(arguments.quality))?;
    let mut trees = Vec::with_capacity(models.len());
    for model in &models {
        let detail = Detail::default();
        trees.push(TreeOnGpu::new(
            studio.renderer(),
            &model.bodies,
            &model.look,
            &detail,
        )?);
    }
    let frames = (arguments.at / simulation.world().frame_secs()).round() as u64;
    for _ in 0..frames {
        simulation.step();
    }
    for (tree, drawn) in simulation.world().trees().iter().zip(&mut trees) {
        drawn.follow(tree);
    }
    let bounds = trees.iter().map(TreeOnGpu::bounds).reduce(joined);
    let bounds = bounds.unwrap_or_default();
    let camera = view::camera(&scene.file.camera, bounds, studio.aspect())?;
    let settings = view::settings(arguments, &scene.file.sun);
    let picture = studio.picture(&trees, &camera, &settings)?;
    save_png(output, &picture).with_context(|| format!("{}: was not written", output.display()))
}

fn joined(a: [Vec3; 2], b: [Vec3; 2]) -> [Vec3; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

fn save_png(path: &Path, picture: &Image) -> Result<()> {
    write_whole(path, |file| {
        let (width, height) = (picture.width, picture.height);
        let encoder = PngEncoder::new(file);
        encoder.write_image(&picture.rgba, width, height, ExtendedColorType::Rgba8)?;
        anyhow::Ok(())
    })
}
