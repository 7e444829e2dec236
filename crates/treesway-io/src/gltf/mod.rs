//! Trees as binary glTF 2.0 (`.glb`), for viewers, engines and modelling programs: still, or skinned with their recorded motion.
//!
//! A tree is one mesh: bark, leaves and fruit, a primitive and a PBR material each, leaves and fruit baked at their places. In motion
//! every vertex follows up to four joints: the bodies themselves, or fewer that stand for them. The format: `docs/FORMATS.md`.

mod clip;
mod deviation;
mod document;
mod material;
mod mesh;
mod reduce;
mod rig;
mod snow;
mod tangent;
mod things;
mod tree;
mod watch;
mod writer;

pub use clip::Clip;
pub use deviation::Deviation;
pub use things::ThingClip;
pub use writer::{Frames, GlbWriter};

use document::{Document, Kind};
use gltf::json::{Animation, Scene};
use material::Materials;
use mesh::Surface;
use rig::Rig;
use snow::Snow;
use std::io::{self, Write};
use treesway::glam::Vec3;
use treesway::{BodyKind, TreeDesc};
use treesway_skin::{BodyTransform, Detail, Look, Skin};
use watch::Watch;

/// A tree to be written.
pub struct GlbTree<'a> {
    /// What it is called in the file.
    pub name: String,
    /// What it was cut into.
    pub bodies: &'a TreeDesc,
    /// What is drawn of it.
    pub skin: &'a Skin,
    /// Its colours.
    pub look: &'a Look,
    /// Where its anchor stands at rest, m.
    pub at: Vec3,
    /// How it moves, if it does; of all trees of a file with as many frames.
    pub motion: Option<&'a Clip>,
}

/// How trees are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlbOptions {
    /// Name of the scene in the file.
    pub title: String,
    /// Joints of a tree that moves, at most; none for all bodies (default: 256).
    pub joints: Option<usize>,
    /// Triangles of all trees together, about, at most (default: 150000).
    pub triangles: usize,
    /// Edge of the textures, pixels, a power of two (default: 512).
    pub texture_size: u32,
}

impl Default for GlbOptions {
    fn default() -> Self {
        Self {
            title: String::new(),
            joints: Some(256),
            triangles: 150_000,
            texture_size: 512,
        }
    }
}

/// Joints are numbered with sixteen bits.
const MOST_JOINTS: usize = 65_536;

/// Why trees were not written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum GlbError {
    #[error("cannot be written: {0}")]
    Io(#[from] io::Error),
    #[error("interrupted, was not written")]
    Interrupted,
    #[error("a loop of {frames} frames cannot be closed; expected at least 2")]
    ShortLoop { frames: u64 },
    #[error("{joints} joints are more than glTF can number; expected at most {MOST_JOINTS}")]
    Joints { joints: usize },
    #[error("{bytes} bytes are more than a .glb can hold, 4 GiB; expected fewer bodies or frames")]
    TooLarge { bytes: usize },
}

impl GlbOptions {
    fn detail(&self, bodies: &TreeDesc, look: &Look, trees: usize) -> Detail {
        Detail::within(self.triangles / trees.max(1), bodies, look)
    }

    /// The skin of one of several trees, as fine as its share of the triangles allows.
    pub fn skin(&self, bodies: &TreeDesc, look: &Look, trees: usize) -> Skin {
        Skin::new(bodies, look, &self.detail(bodies, look, trees))
    }
}

impl GlbTree<'_> {
    /// What a body is, for names.
    fn kind_of(&self, body: u32) -> &'static str {
        match self.bodies.bodies[body as usize].shape.kind() {
            BodyKind::Segment => "segment",
            BodyKind::Leaf => "leaf",
            BodyKind::Fruit => "fruit",
        }
    }
}

/// What was written of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// What it is called in the file.
    pub name: String,
    /// Its height at rest, m.
    pub height: f32,
    /// Vertices of its mesh.
    pub vertices: usize,
    /// Triangles of its mesh.
    pub triangles: usize,
    /// Joints that move it, none of a still tree.
    pub joints: usize,
    /// Branches that broke off.
    pub broken: usize,
    /// Leaves and fruit that came off.
    pub left: usize,
    /// Those of them that are seen to, each with a joint more; the others stay on the tree.
    pub loose: usize,
    /// How far it is from its full motion; zero, but for rounding, where every body is a joint.
    pub deviation: Deviation,
    /// The same of trunk, branches and twigs alone.
    pub bark_deviation: Deviation,
}

/// Writes trees, and balls and colliders that move beside trees that do, into one file. `told` hears the share of the work that is done and answers whether to go on.
///
/// # Panics
/// If a skin or motion has other bodies than its tree, or things other frames than trees.
pub fn write_glb(
    trees: &[GlbTree],
    things: &ThingClip,
    options: &GlbOptions,
    out: &mut impl Write,
    told: &(dyn Fn(f32) -> bool + Sync),
) -> Result<Vec<Summary>, GlbError> {
    let mut document = Document::new();
    let mut materials = Materials::default();
    let mut nodes = Vec::new();
    let mut animation = Animation {
        name: Some("sway".into()),
        channels: Vec::new(),
        samplers: Vec::new(),
        extensions: None,
        extras: None,
    };
    let mut times = None;
    let mut summaries = Vec::with_capacity(trees.len());
    for (i, tree) in trees.iter().enumerate() {
        let share = |i: usize| i as f32 / trees.len() as f32;
        let watch = Watch::new(told).part(share(i), share(i + 1));
        let surfaces = mesh::surfaces(tree.skin, tree.look);
        if surfaces.is_empty() {
            continue;
        }
        let mut summary = Summary {
            name: tree.name.clone(),
            height: tree.skin.bounds[1].y - tree.skin.bounds[0].y,
            vertices: surfaces.iter().map(|s| s.vertices.len()).sum(),
            triangles: surfaces.iter().map(|s| s.triangles.len()).sum(),
            joints: 0,
            broken: 0,
            left: 0,
            loose: 0,
            deviation: Deviation::default(),
            bark_deviation: Deviation::default(),
        };
        let (surfaces, rig) = match tree.motion {
            Some(clip) => {
                let (bound, rig) = rigged(tree, clip, surfaces, options, watch, &mut summary)?;
                (bound, Some(rig))
            }
            None => (surfaces, None),
        };
        let mesh = tree::mesh(
            &mut document,
            &mut materials,
            tree,
            &surfaces,
            rig.as_ref(),
            options.texture_size,
        )?;
        nodes.extend(match (&rig, tree.motion) {
            (Some(rig), Some(clip)) => {
                let times = *times.get_or_insert_with(|| {
                    let at = |frame| [(frame as f64 * clip.frame_secs()) as f32];
                    let times: Vec<_> = (0..clip.frames()).map(at).collect();
                    document.bounded(&times, Kind::SCALAR, None)
                });
                let mut own = tree::moving(&mut document, tree, mesh, rig, times, &mut animation);
                if let (Some(snow), Some(&body)) = (Snow::on(&surfaces, clip), own.last()) {
                    summary.vertices += snow.vertices();
                    summary.triangles += snow.triangles();
                    own.push(snow.write(
                        &mut document,
                        &mut materials,
                        tree,
                        rig,
                        body,
                        clip,
                        options.texture_size,
                        &mut animation,
                    )?);
                }
                own
            }
            _ => tree::still(&mut document, tree, mesh),
        });
        watch.go_on(1.0)?;
        summaries.push(summary);
    }
    if let Some(times) = times.filter(|_| !things.is_empty()) {
        nodes.extend(things::moving(
            &mut document,
            &mut materials,
            things,
            options.texture_size,
            times,
            &mut animation,
        )?);
    }
    if !animation.channels.is_empty() {
        document.root.push(animation);
    }
    let scene = document.root.push(Scene {
        name: Some(options.title.clone()).filter(|title| !title.is_empty()),
        nodes,
        extensions: None,
        extras: None,
    });
    document.root.scene = Some(scene);
    document.write(out)?;
    Ok(summaries)
}

/// A tree's surfaces in the pose that they are bound in, and what moves them.
fn rigged<'a>(
    tree: &GlbTree<'a>,
    clip: &'a Clip,
    surfaces: Vec<Surface>,
    options: &GlbOptions,
    watch: Watch,
    summary: &mut Summary,
) -> Result<(Vec<Surface>, Rig<'a>), GlbError> {
    let rest = &tree.skin.rest;
    let joints = options.joints.unwrap_or(clip.bodies()).min(clip.bodies());
    if joints > MOST_JOINTS {
        return Err(GlbError::Joints { joints });
    }
    summary.joints = joints;
    (summary.left, summary.loose) = (clip.left(), clip.loose().len());
    summary.broken = clip.broken().len();
    if joints == clip.bodies() {
        let mut rig = Rig::of_bodies(&surfaces, rest, clip);
        rig.let_loose(&surfaces, rest, clip);
        return Ok((surfaces, rig));
    }
    // What a lasting wind does to every leaf and twig is in the mesh; joints are for the motion about it.
    let mean = clip.mean_poses();
    let pairs = rest.iter().zip(&mean);
    let to_mean: Vec<_> = pairs.map(|(r, m)| BodyTransform::between(r, m)).collect();
    let bound = mesh::moved(&surfaces, &to_mean);
    let mut rig = reduce::reduce(&bound, &mean, clip, joints, watch.part(0.0, 0.7))?;
    summary.joints = rig.joints.len();
    let watch = watch.part(0.7, 1.0);
    let (full, fewer) = ((&surfaces[..], &rest[..]), (&bound[..], &rig));
    let measured = deviation::deviation(full, clip, fewer, summary.height, watch)?;
    (summary.deviation, summary.bark_deviation) = (measured.all, measured.bark);
    rig.let_loose(&bound, &mean, clip);
    Ok((bound, rig))
}
