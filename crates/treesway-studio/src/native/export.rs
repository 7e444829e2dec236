//! Writes a project for other programs, frame by frame, beside the window.

use crate::platform::{Export, Progress};
use crate::project::Project;
use crate::stage::triangles;
use core::fmt::Display;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use treesway::TreeId;
use treesway_io::film::{Film, FilmFormat, save_png};
use treesway_io::gltf::{Frames, GlbOptions, GlbWriter};
use treesway_io::mjcf::{MjcfOptions, write_mjcf};
use treesway_io::scene::Model;
use treesway_io::{RunWriter, Selection, Simulation, write_whole};
use treesway_render::{Camera, Headless, Quality, Settings, Studio, TreeOnGpu};
use treesway_skin::Detail;

fn line(error: impl Display) -> String {
    error.to_string()
}

/// Writes the file; one line says what was written or what went wrong.
pub fn write(project: &Project, export: &Export, progress: &Progress) -> Result<String, String> {
    let path = Path::new(&export.file);
    let ending = path.extension().and_then(OsStr::to_str);
    let built = project.scene().and_then(|scene| scene.build_to_draw());
    let (mut simulation, models) = built.map_err(line)?;
    let frame_secs = simulation.world().frame_secs();
    let shown = Frames {
        shown: (export.seconds / frame_secs).round().max(1.0) as u64,
        every: 1,
        looped: export.looped && ending == Some("glb"),
    };
    let frames = shown.simulated(frame_secs);
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
    match ending {
        Some("glb") => {
            let options = GlbOptions {
                title: project.name().into(),
                joints: export.joints,
                ..GlbOptions::default()
            };
            let mut writer =
                GlbWriter::create(path, &simulation, &models, shown, options).map_err(line)?;
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
        Some("xml") => {
            let options = MjcfOptions {
                model: project.name().into(),
                gravity: simulation.world().gravity,
                ..MjcfOptions::default()
            };
            let tree = simulation.world().tree(TreeId(0));
            write_whole(path, |file| write_mjcf(tree, &options, file))
                .map_err(|error| format!("{}: cannot be written: {error}", export.file))?;
        }
        Some("png") => {
            let mut pictures = Pictures::new(&models, export)?;
            run(&mut simulation, &mut |_| Ok(()))?;
            save_png(path, &pictures.take(&simulation)?).map_err(line)?;
        }
        _ => {
            let format = FilmFormat::of(path).ok_or_else(|| {
                format!("{}: found no ending that is known; expected .glb, .npz, .png, .webp, .gif, .mp4 or .xml", export.file)
            })?;
            let fps = 1.0 / frame_secs;
            let mut pictures = Pictures::new(&models, export)?;
            let mut film = Film::create(path, format, export.size, fps).map_err(line)?;
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
    view: (Camera, Settings),
}

impl<'a> Pictures<'a> {
    fn new(models: &'a [Model], export: &Export) -> Result<Self, String> {
        let gpu = Headless::new().map_err(line)?;
        let quality = if gpu.is_software() {
            Quality::Low
        } else {
            Quality::High
        };
        let studio = Studio::new(&gpu, export.size[0], export.size[1], quality).map_err(line)?;
        let count = |model: &Model| model.bodies.bodies.len();
        let all: usize = models.iter().map(count).sum();
        let details: Vec<_> = models
            .iter()
            .map(|model| {
                let each = triangles(quality, count(model), all);
                Detail::within(each, &model.bodies, &model.look)
            })
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
            view: export.view,
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
            ..self.view.1
        };
        let picture = self.studio.picture(&self.trees, &self.view.0, &settings);
        picture.map_err(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treesway::glam::Vec3;

    const BEAM: &str = "version = 1\n[[tree]]\nbuiltin = 'beam'\nbodies = 20\n[wind]\nspeed = 5\n";

    /// What each file begins with.
    const MAGIC: [(&str, &[u8]); 6] = [
        ("glb", b"glTF"),
        ("npz", b"PK"),
        ("png", b"\x89PNG"),
        ("webp", b"RIFF"),
        ("gif", b"GIF89a"),
        ("xml", b"<"),
    ];

    fn export(file: String) -> Export {
        let camera = Camera::framing([Vec3::NEG_ONE, Vec3::ONE], 2.0, 60.0, 4.0, 32.0);
        Export {
            file,
            seconds: 0.1,
            looped: true,
            joints: Some(16),
            size: [64, 32],
            view: (camera, Settings::default()),
        }
    }

    #[test]
    fn every_kind_of_file_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::parse(BEAM, "beam.toml").unwrap();
        for (ending, magic) in MAGIC {
            let file = folder.path().join(format!("beam.{ending}"));
            let progress = Progress::default();
            let done = write(&project, &export(file.display().to_string()), &progress);
            assert!(done.is_ok(), "{ending}: {done:?}");
            let bytes = std::fs::read(&file).unwrap();
            assert!(bytes.starts_with(magic), "{ending}");
        }
    }

    #[test]
    fn what_cannot_be_written_is_said_and_what_is_cancelled_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::parse(BEAM, "beam.toml").unwrap();
        let named = |name: &str| export(folder.path().join(name).display().to_string());
        let unknown = write(&project, &named("beam.fbx"), &Progress::default()).unwrap_err();
        assert!(
            unknown.contains("beam.fbx") && unknown.contains("expected .glb"),
            "{unknown}"
        );
        let cancelled = Progress::default();
        cancelled.cancelled.store(true, Relaxed);
        let said = write(&project, &named("beam.glb"), &cancelled).unwrap_err();
        assert!(said.contains("cancelled"), "{said}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
