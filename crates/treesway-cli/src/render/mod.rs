//! `treesway render`: pictures of a scene.

mod rain;
mod sink;
mod view;

use crate::arguments::Render;
use crate::run::{interrupted, progress, stage, stop_on_interrupt};
use crate::scene;
use anyhow::{Result, bail, ensure};
use sink::{Output, Sink};
use std::path::Path;
use treesway::{Collider, Rainfall};
use treesway_io::film::save_png;
use treesway_io::scene::{Model, PlantedCrowd};
use treesway_io::{Scene, Simulation};
use treesway_render::{
    Camera, Crowd, CrowdSpecies, Headless, Painter, Quality, Settings, Studio, TreeOnGpu,
};
use treesway_skin::texture::Image;
use treesway_skin::{CurveSkin, Detail, Look, Plant};
use view::Stage;

/// Takes pictures of a scene.
pub fn write(arguments: &Render) -> Result<()> {
    let output = Output::of(arguments)?;
    ensure!(
        arguments.at >= 0.0 && arguments.at <= 1e9,
        "--at is {}; expected a time from 0 to 1e9 s",
        arguments.at
    );
    ensure!(
        arguments.time.frames != Some(0),
        "--frames is 0; expected at least one picture"
    );
    let mut further = view::changes(arguments)?;
    further.extend(scene::time_changes(&arguments.time));
    let scene = scene::load(&arguments.scene, &further)?;
    let doing = stage("growing");
    let (mut simulation, models) = scene.build_to_draw()?;
    let frames = match arguments.time.frames {
        _ if !output.moves() => 1,
        Some(frames) => frames,
        None => simulation.frames().max(1),
    };
    doing.set_message("moving up to the first picture");
    let before = (arguments.at / simulation.world().frame_secs()).round() as u64;
    for _ in 0..before {
        simulation.step();
    }
    doing.set_message("making the skin");
    let quality = view::quality(arguments.quality);
    let mut set = Set::build(&scene, &simulation, &models, arguments.size, quality)?;
    set.settings = view::settings(arguments, &scene.file.sun);
    let by = view::coloured_by(arguments.mode);
    set.draw_curves(&simulation, arguments.curves);
    set.painters = by.map_or_else(Vec::new, |by| vec![Painter::new(by); models.len()]);
    let camera = set.camera;
    let fps = scene.file.run.fps;
    doing.finish_and_clear();
    // Up to here nothing is written, and an interrupt may end the program at once.
    stop_on_interrupt();
    let bar = progress(frames, "frames");
    let mut sink = Sink::open(output, arguments.size, fps, arguments.resume)?;
    for frame in 0..frames {
        if interrupted() {
            bar.finish_and_clear();
            bail!("interrupted after {frame} of {frames} pictures");
        }
        if frame > 0 {
            simulation.step();
        }
        if sink.wants(frame) {
            if arguments.turntable {
                set.camera = camera.orbited(360.0 * frame as f32 / frames as f32);
            }
            sink.add(frame, &set.picture(&simulation)?)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    sink.finish()
}

/// One picture of a scene at rest.
pub fn still(scene: &Scene, path: &Path) -> Result<()> {
    let (simulation, models) = scene.build_to_draw()?;
    let mut set = Set::build(scene, &simulation, &models, [1280, 720], Quality::High)?;
    Ok(save_png(path, &set.picture(&simulation)?)?)
}

/// Trees, light and camera.
struct Set<'a> {
    studio: Studio,
    /// Behind the trees, where there are any, the balls, and then the colliders.
    trees: Vec<TreeOnGpu>,
    crowd: Option<Crowd>,
    models: &'a [Model],
    details: Vec<Detail>,
    camera: Camera,
    settings: Settings,
    /// One for each tree, where bodies are coloured.
    painters: Vec<Painter>,
    rain: Option<Rainfall>,
    /// One for each tree, where wood is drawn as curves.
    curves: Vec<CurveSkin>,
}

impl<'a> Set<'a> {
    /// With the scene's camera, on the trees where they are now.
    fn build(
        scene: &Scene,
        simulation: &Simulation,
        models: &'a [Model],
        [width, height]: [u32; 2],
        quality: Quality,
    ) -> Result<Self> {
        let gpu = Headless::new()?;
        let mut studio = Studio::new(&gpu, width, height, quality)?;
        studio.set_ground(&simulation.world().ground);
        let stage = Stage::of(simulation.world(), height);
        let camera = view::camera(&scene.file.camera, stage.bounds, studio.aspect())?;
        let mut trees = Vec::with_capacity(models.len());
        let mut details = Vec::with_capacity(models.len());
        for model in models {
            let detail = view::detail(quality, &camera, &stage, model);
            let renderer = studio.renderer();
            trees.push(TreeOnGpu::new(
                renderer,
                &model.bodies,
                &model.look,
                &detail,
            )?);
            details.push(detail);
        }
        let balls = simulation.world().balls();
        if balls.len() > 0 {
            let (look, detail) = (Look::default(), Detail::default());
            trees.push(TreeOnGpu::of_balls(
                studio.renderer(),
                balls,
                &look,
                &detail,
            )?);
        }
        let colliders = simulation.world().colliders();
        if colliders.len() > 0 {
            let shapes = colliders.map(|c| c.shape);
            trees.push(TreeOnGpu::of_colliders(studio.renderer(), shapes)?);
        }
        Ok(Self {
            crowd: crowd_of(scene, &studio)?,
            studio,
            trees,
            models,
            details,
            camera,
            settings: Settings::default(),
            painters: Vec::new(),
            rain: scene.file.rain,
            curves: Vec::new(),
        })
    }

    /// Wood is drawn as curves through the ends of bodies in so many pieces each, or as bark.
    fn draw_curves(&mut self, simulation: &Simulation, resolution: Option<u32>) {
        self.curves = match resolution {
            Some(n) => {
                let trees = simulation.world().trees().iter();
                trees
                    .map(|t| CurveSkin::new(t, n, CurveSkin::SIDES))
                    .collect()
            }
            None => Vec::new(),
        };
    }

    fn picture(&mut self, simulation: &Simulation) -> Result<Image> {
        let trees = simulation.world().trees();
        self.settings.snow = Settings::snow_on_ground(simulation.world());
        for (i, (drawn, tree)) in self.trees.iter_mut().zip(trees).enumerate() {
            let (broken, model) = (tree.broken(), &self.models[i]);
            if drawn.torn() != broken {
                let (bodies, look, detail) = (&model.bodies, &model.look, &self.details[i]);
                drawn.tear(self.studio.renderer(), bodies, look, detail, &broken);
            }
            drawn.follow(tree);
            if let Some(skin) = self.curves.get_mut(i) {
                skin.bend(tree);
                drawn.bend_curves(self.studio.renderer(), skin, &model.look.bark);
            }
        }
        let mut others = self.trees[trees.len()..].iter_mut();
        let (balls, colliders) = (simulation.world().balls(), simulation.world().colliders());
        if let Some(drawn) = others.next().filter(|_| balls.len() > 0) {
            drawn.follow_balls(balls);
        }
        if let Some(drawn) = self.trees.last_mut().filter(|_| colliders.len() > 0) {
            drawn.follow_colliders(colliders.map(Collider::pose));
        }
        let drawn = self.trees.iter_mut().zip(trees);
        for (painter, (drawn, tree)) in self.painters.iter_mut().zip(drawn) {
            drawn.paint(painter.colours(tree, drawn.seen()));
        }
        let (trees, camera, settings) = (&self.trees, &self.camera, &self.settings);
        let seconds = simulation.world().seconds();
        let mut picture = match &mut self.crowd {
            None => self.studio.picture(trees, camera, settings)?,
            Some(crowd) => {
                crowd.set_time(seconds);
                self.studio
                    .picture_of_crowd(trees, crowd, camera, settings)?
            }
        };
        if let Some(rain) = self.rain.as_ref().filter(|_| self.painters.is_empty()) {
            rain::draw(&mut picture, camera, rain, seconds);
        }
        Ok(picture)
    }
}

/// The crowd of a scene, if it has one.
fn crowd_of(scene: &Scene, studio: &Studio) -> Result<Option<Crowd>> {
    if scene.file.crowds.is_empty() {
        return Ok(None);
    }
    Ok(Some(crowd(studio, scene.plant_crowds()?, None)))
}

/// A crowd to draw, at its places or at others.
pub fn crowd(studio: &Studio, planted: PlantedCrowd, places: Option<Vec<Plant>>) -> Crowd {
    let species = planted.species.iter().zip(planted.motions);
    let species = species.map(|(s, motion)| CrowdSpecies {
        bodies: &s.bodies,
        look: &s.look,
        motion,
        finest: None,
    });
    let places = places.unwrap_or(planted.plants);
    Crowd::new(studio.renderer(), species.collect(), places)
}
