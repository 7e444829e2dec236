//! Writes a project for other programs, frame by frame, beside the window.

use crate::platform::{Export, Progress};
use crate::project::Project;
use core::fmt::Display;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use treesway_io::film::{Film, FilmFormat, save_png};
use treesway_io::gltf::{Frames, GlbOptions, GlbWriter};
use treesway_io::scene::Model;
use treesway_io::{RunWriter, Selection, Simulation};
use treesway_render::{Camera, Headless, Quality, Settings, Studio, TreeOnGpu};
use treesway_skin::Detail;

/// Size of pictures, pixels.
const SIZE: [u32; 2] = [1280, 720];

fn line(error: impl Display) -> String {
    error.to_string()
}

/// Writes the file; one line says what was written or what went wrong.
pub fn write(
    project: &Project,
    export: &Export,
    camera: Camera,
    progress: &Progress,
) -> Result<String, String> {
    let path = Path::new(&export.file);
    let (mut simulation, models) = project
        .scene()
        .and_then(|scene| scene.build_to_draw())
        .map_err(line)?;
    let frames = (export.seconds / simulation.world().frame_secs())
        .round()
        .max(1.0) as u64;
    progress.all.store(frames, Relaxed);
    let go_on = || !progress.cancelled.load(Relaxed);
    // Steps all frames and hands each to the writer, the first one included.
    let run = |simulation: &mut Simulation,
               take: &mut dyn FnMut(&Simulation) -> Result<(), String>| {
        take(simulation)?;
        for frame in 1..=frames {
            if !go_on() {
                return Err(format!("{}: cancelled, nothing was written", export.file));
            }
            simulation.step();
            take(simulation)?;
            progress.done.store(frame, Relaxed);
        }
        Ok(())
    };
    match path.extension().and_then(OsStr::to_str) {
        Some("glb") => {
            let kept = Frames {
                shown: frames,
                every: 1,
                looped: false,
            };
            let options = GlbOptions {
                title: project.name().into(),
                ..GlbOptions::default()
            };
            let mut writer =
                GlbWriter::create(path, &simulation, &models, kept, options).map_err(line)?;
            run(&mut simulation, &mut |s| {
                writer.record(s);
                Ok(())
            })?;
            writer.finish(&|_| go_on()).map_err(line)?;
        }
        Some("npz") => {
            let mut writer =
                RunWriter::create(path, &simulation, &Selection::default(), 1).map_err(line)?;
            run(&mut simulation, &mut |s| writer.record(s).map_err(line))?;
            writer.finish(&go_on).map_err(line)?;
        }
        Some("png") => {
            let mut pictures = Pictures::new(&models, camera)?;
            run(&mut simulation, &mut |_| Ok(()))?;
            save_png(path, &pictures.take(&simulation)?).map_err(line)?;
        }
        _ => {
            let format = FilmFormat::of(path).ok_or_else(|| {
                format!("{}: found no ending that is known; expected .glb, .npz, .png, .webp, .gif or .mp4", export.file)
            })?;
            let fps = 1.0 / simulation.world().frame_secs();
            let mut pictures = Pictures::new(&models, camera)?;
            let mut film = Film::create(path, format, SIZE, fps).map_err(line)?;
            run(&mut simulation, &mut |s| {
                film.add(&pictures.take(s)?).map_err(line)
            })?;
            film.finish().map_err(line)?;
        }
    }
    Ok(format!("Wrote {}", export.file))
}

/// Takes pictures of trees that move.
struct Pictures<'a> {
    studio: Studio,
    models: &'a [Model],
    details: Vec<Detail>,
    trees: Vec<TreeOnGpu>,
    camera: Camera,
}

impl<'a> Pictures<'a> {
    fn new(models: &'a [Model], camera: Camera) -> Result<Self, String> {
        let gpu = Headless::new().map_err(line)?;
        let quality = if gpu.is_software() {
            Quality::Low
        } else {
            Quality::High
        };
        let studio = Studio::new(&gpu, SIZE[0], SIZE[1], quality).map_err(line)?;
        let each = quality.triangles() / models.len();
        let details: Vec<_> = models
            .iter()
            .map(|model| Detail::within(each, &model.bodies, &model.look))
            .collect();
        let upload = |(model, detail): (&Model, &Detail)| {
            TreeOnGpu::new(studio.renderer(), &model.bodies, &model.look, detail)
        };
        let trees = models.iter().zip(&details).map(upload);
        let trees = trees.collect::<Result<_, _>>().map_err(line)?;
        Ok(Self {
            studio,
            models,
            details,
            trees,
            camera,
        })
    }

    fn take(&mut self, simulation: &Simulation) -> Result<treesway_skin::texture::Image, String> {
        let trees = self.trees.iter_mut().zip(simulation.world().trees());
        for ((drawn, tree), (model, detail)) in trees.zip(self.models.iter().zip(&self.details)) {
            let broken = tree.broken();
            if drawn.torn() != broken {
                let (bodies, look) = (&model.bodies, &model.look);
                drawn.tear(self.studio.renderer(), bodies, look, detail, &broken);
            }
            drawn.follow(tree);
        }
        let settings = Settings {
            snow: Settings::snow_on_ground(simulation.world()),
            ..Settings::default()
        };
        let picture = self.studio.picture(&self.trees, &self.camera, &settings);
        picture.map_err(line)
    }
}
