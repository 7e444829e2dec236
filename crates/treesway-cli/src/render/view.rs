//! Camera, sun and what is shown, from arguments and the scene.

use crate::arguments::{Fidelity, Render, View};
use anyhow::{Result, bail, ensure};
use treesway::World;
use treesway::glam::Vec3;
use treesway_io::scene::{CameraTable, Model, SunTable};
use treesway_render::{Camera, ColourBy, FOV_DEG, Mode, Quality, Settings, Sun};
use treesway_skin::Detail;

/// The arguments that change the scene's camera and sun, as settings of the scene.
pub fn changes(arguments: &Render) -> Result<Vec<String>> {
    let mut settings = Vec::new();
    if let Some(camera) = &arguments.camera {
        if camera.contains('=') {
            for part in camera.split(',') {
                let (key, value) = part.split_once('=').unwrap_or((part, ""));
                let field = match key.trim() {
                    "azimuth" => "azimuth_deg",
                    "elevation" => "elevation_deg",
                    "fov" => "fov_deg",
                    "distance" => "distance",
                    other => bail!(
                        "--camera: unknown key `{other}`; expected azimuth, elevation, distance or fov"
                    ),
                };
                let number = number("--camera", value)?;
                settings.push(format!("camera.{field}={number:?}"));
            }
        } else {
            settings.push(format!(
                "camera.position={:?}",
                numbers::<3>("--camera", camera)?
            ));
        }
    }
    if let Some(target) = &arguments.target {
        settings.push(format!(
            "camera.target={:?}",
            numbers::<3>("--target", target)?
        ));
    }
    if let Some(sun) = &arguments.sun {
        let [azimuth, elevation] = numbers("--sun", sun)?;
        settings.push(format!("sun.azimuth_deg={azimuth:?}"));
        settings.push(format!("sun.elevation_deg={elevation:?}"));
    }
    Ok(settings)
}

fn numbers<const N: usize>(option: &str, text: &str) -> Result<[f32; N]> {
    let parts: Vec<f32> = text
        .split(',')
        .map(|part| number(option, part))
        .collect::<Result<_>>()?;
    let count = parts.len();
    let exact: Result<[f32; N], _> = parts.try_into();
    exact.map_err(|_| {
        anyhow::anyhow!("{option}: found {count} numbers; expected {N}, joined by commas")
    })
}

fn number(option: &str, text: &str) -> Result<f32> {
    let value: Option<f32> = text.trim().parse().ok();
    match value.filter(|v| v.is_finite()) {
        Some(value) => Ok(value),
        None => bail!("{option}: found `{}`; expected a number", text.trim()),
    }
}

/// The camera of a scene whose trees lie in the box `bounds`.
pub fn camera(table: &CameraTable, bounds: [Vec3; 2], aspect: f32) -> Result<Camera> {
    let fov_deg = table.fov_deg.unwrap_or(FOV_DEG);
    ensure!(
        (1.0..=150.0).contains(&fov_deg),
        "camera.fov_deg is {fov_deg}; expected degrees from 1 to 150"
    );
    let roll_deg = table.roll_deg.unwrap_or(0.0);
    ensure!(
        (-180.0..=180.0).contains(&roll_deg),
        "camera.roll_deg is {roll_deg}; expected degrees from -180 to 180"
    );
    if let Some(eye) = table.position {
        let clash = [
            ("azimuth_deg", table.azimuth_deg),
            ("elevation_deg", table.elevation_deg),
            ("distance", table.distance),
        ];
        if let Some((key, _)) = clash.iter().find(|(_, value)| value.is_some()) {
            bail!("camera.{key} is given beside camera.position; expected one of them");
        }
        let target = table.target.unwrap_or((bounds[0] + bounds[1]) / 2.0);
        ensure!(
            eye.is_finite() && target.is_finite() && eye.distance(target) > 1e-3,
            "camera.position is {eye}, camera.target is {target}; expected two points that differ"
        );
        return Ok(Camera {
            eye,
            target,
            fov_deg,
            roll_deg,
        });
    }
    let azimuth = table.azimuth_deg.unwrap_or(90.0);
    let elevation = match table.elevation_deg {
        Some(elevation) => elevation,
        None => at_eye_height(bounds, aspect, azimuth, fov_deg),
    };
    ensure!(
        (-90.0..=90.0).contains(&elevation),
        "camera.elevation_deg is {elevation}; expected degrees from -90 to 90"
    );
    let distance = table.distance.unwrap_or(1.0);
    ensure!(
        distance > 0.0 && distance.is_finite(),
        "camera.distance is {distance}; expected a number greater than zero"
    );
    let camera = Camera::framing(bounds, aspect, azimuth, elevation, fov_deg).at_distance(distance);
    let aside = table.target.map_or(Vec3::ZERO, |t| t - camera.target);
    Ok(Camera {
        eye: camera.eye + aside,
        target: camera.target + aside,
        fov_deg,
        roll_deg,
    })
}

/// Elevation at which the camera is where people have their eyes, degrees; of small plants, at two thirds of their height.
fn at_eye_height(bounds: [Vec3; 2], aspect: f32, azimuth: f32, fov_deg: f32) -> f32 {
    let level = Camera::framing(bounds, aspect, azimuth, 0.0, fov_deg);
    let height = bounds[1].y - bounds[0].y;
    let eye = bounds[0].y + (height * 0.66).min(1.7);
    let slope = (eye - level.target.y) / level.distance();
    slope.clamp(-0.5, 0.5).asin().to_degrees()
}

/// What is shown.
pub fn settings(arguments: &Render, sun: &SunTable) -> Settings {
    let default = Sun::default();
    Settings {
        mode: match arguments.mode {
            View::Shaded => Mode::Shaded,
            View::Flat => Mode::Flat,
            View::Wireframe => Mode::Wireframe,
            View::Skeleton => Mode::Skeleton,
            View::Stiffness | View::Radius | View::Stress | View::Order | View::Speed => {
                Mode::Coloured
            }
        },
        textures: !arguments.no_textures,
        background: !arguments.no_background,
        shadow: !arguments.no_shadow,
        lighting: !arguments.no_lighting,
        sun: Sun {
            azimuth_deg: sun.azimuth_deg.unwrap_or(default.azimuth_deg),
            elevation_deg: sun.elevation_deg.unwrap_or(default.elevation_deg),
        },
        ..Settings::default()
    }
}

/// What bodies are coloured by, if they are.
pub fn coloured_by(view: View) -> Option<ColourBy> {
    match view {
        View::Shaded | View::Flat | View::Wireframe | View::Skeleton => None,
        View::Stiffness => Some(ColourBy::Stiffness),
        View::Radius => Some(ColourBy::Radius),
        View::Stress => Some(ColourBy::Stress),
        View::Order => Some(ColourBy::BranchOrder),
        View::Speed => Some(ColourBy::Speed),
    }
}

/// How finely trees are drawn: to the pixel where the camera is nearest to them; of giants no more than a graphics card holds.
pub fn detail(quality: Quality, camera: &Camera, stage: &Stage, model: &Model) -> Detail {
    if quality == Quality::Low {
        return Detail::within(quality.triangles(), &model.bodies, &model.look);
    }
    let nearest = camera.eye.clamp(stage.bounds[0], stage.bounds[1]);
    // From within a crown, as from an arm's length.
    let distance = camera.eye.distance(nearest).max(0.7);
    let screen = Detail::for_screen(stage.height / (2.0 * tan_half(camera) * distance));
    if model.bodies.bodies.len() < GIANT {
        return screen;
    }
    let limited = Detail::within(quality.triangles(), &model.bodies, &model.look);
    if limited.tolerance > screen.tolerance {
        limited
    } else {
        screen
    }
}

/// Bodies from which on triangles are counted before they are made.
const GIANT: usize = 300_000;
fn tan_half(camera: &Camera) -> f32 {
    (camera.fov_deg.to_radians() / 2.0).tan()
}

/// What is to be seen, and in how many pixels from the lower to the upper edge.
pub struct Stage {
    /// Corners of the box around all trees, m.
    pub bounds: [Vec3; 2],
    /// Pixels.
    pub height: f32,
}

impl Stage {
    /// Of the trees where they are now, without what has come off them.
    pub fn of(world: &World, height: u32) -> Self {
        let points = world.trees().iter().flat_map(|tree| {
            tree.ids()
                .filter(|&id| tree.is_attached(id))
                .flat_map(|id| [tree.pose(id).position, tree.tip(id)])
        });
        let bounds = points.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[least, most], p| {
            [least.min(p), most.max(p)]
        });
        Self {
            bounds,
            height: height as f32,
        }
    }
}

/// How well it is drawn.
pub fn quality(fidelity: Fidelity) -> Quality {
    match fidelity {
        Fidelity::Low => Quality::Low,
        Fidelity::Medium => Quality::Medium,
        Fidelity::High => Quality::High,
    }
}
