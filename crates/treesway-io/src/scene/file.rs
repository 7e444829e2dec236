//! The tables of a scene file, field by field.

use super::body::BodyPlace;
use super::crowd::CrowdTable;
use super::motion::Shake;
use crate::import;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use treesway::glam::{DQuat, DVec3, Vec3};
use treesway::{
    Air, Ball, ContactSettings, CreatureSettings, Earthquake, ForkPlacement, Gusts, Rainfall,
    RootKind, STANDARD_GRAVITY, Shelter, Simulated, Snowfall, Solver, SolverSettings, TreeParams,
    Turbulence, Wiggle, WindGrid, WindProfile,
};
use treesway_grow::{Beam, Broadleaf, Fork, Stems};

/// A whole scene file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// Version of the format: 1.
    pub version: u32,
    /// One line that says what the scene shows.
    #[serde(default)]
    pub title: String,
    /// How long to run.
    #[serde(default)]
    pub run: Run,
    /// What surrounds the trees.
    #[serde(default)]
    pub environment: Environment,
    /// Air; without this table there is none.
    pub wind: Option<WindTable>,
    /// Snow that falls; without this table there is none.
    pub snow: Option<Snowfall>,
    /// Rain that falls; without this table there is none.
    pub rain: Option<Rainfall>,
    /// Who runs over the trees.
    #[serde(rename = "creature", default, skip_serializing_if = "Vec::is_empty")]
    pub creatures: Vec<CreatureTable>,
    /// Where pictures are taken from.
    #[serde(default)]
    pub camera: CameraTable,
    /// Where light comes from in pictures.
    #[serde(default)]
    pub sun: SunTable,
    /// The trees, at least one.
    #[serde(rename = "tree")]
    pub trees: Vec<TreeTable>,
    /// Thousands of trees that are only drawn, around those that are simulated.
    #[serde(rename = "crowd", default, skip_serializing_if = "Vec::is_empty")]
    pub crowds: Vec<CrowdTable>,
    /// How balls, fruit and trees meet.
    #[serde(default)]
    pub contact: ContactSettings,
    /// Balls that are thrown at the start.
    #[serde(default, rename = "ball", skip_serializing_if = "Vec::is_empty")]
    pub balls: Vec<BallTable>,
    /// Things that move as they are told.
    #[serde(default, rename = "collider", skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<ColliderTable>,
}

impl SceneFile {
    pub(super) fn from_table(table: &toml::Table) -> Result<Self, toml::de::Error> {
        Self::deserialize(toml::Value::Table(table.clone()))
    }
}

/// How long to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    /// s (default: 10).
    pub seconds: f64,
    /// Frames per second; a frame is `substeps` steps (default: 30).
    pub fps: f64,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            seconds: 10.0,
            fps: 30.0,
        }
    }
}

/// What surrounds the trees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Environment {
    /// m/s² (default: 0, −9.81, 0).
    pub gravity: Vec3,
    /// Height of the ground that leaves and fruit fall on, m (default: 0).
    pub ground: f32,
    /// Hills instead of level ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hills: Option<Hills>,
}

/// Heights of the ground over a level grid, joined by triangles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hills {
    /// x and z of the first height, m (default: 0, 0).
    pub corner: [f32; 2],
    /// From one height to the next, m.
    pub cell: f32,
    /// Heights in a row along x.
    pub columns: usize,
    /// m over `ground`, row by row along z.
    pub heights: Vec<f32>,
}

impl Default for Environment {
    fn default() -> Self {
        Self {
            gravity: STANDARD_GRAVITY,
            ground: 0.0,
            hills: None,
        }
    }
}

/// A ball that is thrown at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BallTable {
    /// Its centre, m (default: the origin).
    pub at: Vec3,
    /// m/s (default: at rest).
    pub velocity: Vec3,
    /// m (default: 0.1).
    pub radius: f32,
    /// kg (default: 0.5).
    pub mass: f32,
    /// Share of its speed with which it bounces back, 0 to 1 (default: 0.3).
    pub restitution: f32,
    /// Coulomb's μ (default: 0.5).
    pub friction: f32,
}

impl Default for BallTable {
    fn default() -> Self {
        let ball = Ball::default();
        Self {
            at: ball.position,
            velocity: ball.velocity,
            radius: ball.radius,
            mass: ball.mass,
            restitution: ball.restitution,
            friction: ball.friction,
        }
    }
}

/// What a collider looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColliderKind {
    /// A ball of `radius`.
    #[default]
    Sphere,
    /// An upright rod with round ends: `half_length` and `radius`.
    Capsule,
    /// A box: `half` its edges.
    Box,
}

/// Something that moves evenly and pushes branches, balls and fruit aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ColliderTable {
    /// What it looks like (default: a sphere).
    pub shape: ColliderKind,
    /// Its middle at the start, m (default: the origin).
    pub at: Vec3,
    /// m/s (default: at rest).
    pub velocity: Vec3,
    /// Of a sphere or capsule, m (default: 0.3).
    pub radius: f32,
    /// Of a capsule, from its middle to the centres of its ends, m (default: 0.6).
    pub half_length: f32,
    /// Of a box, half its edges, m (default: 0.5 each).
    pub half: Vec3,
    /// Coulomb's μ (default: 0.3).
    pub friction: f32,
}

impl Default for ColliderTable {
    fn default() -> Self {
        Self {
            shape: ColliderKind::default(),
            at: Vec3::ZERO,
            velocity: Vec3::ZERO,
            radius: 0.3,
            half_length: 0.6,
            half: Vec3::splat(0.5),
            friction: 0.3,
        }
    }
}

/// Where pictures are taken from: a position, or a direction to look from at all trees.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CameraTable {
    /// Where it stands, m; else as far away as it takes to see everything.
    pub position: Option<Vec3>,
    /// Where it looks, m (default: the middle of all trees).
    pub target: Option<Vec3>,
    /// Where it stands as seen from the trees, degrees: 0 towards +x, 90 towards +z (default: 90). Not beside `position`.
    pub azimuth_deg: Option<f32>,
    /// How far above the horizon, degrees (default: as if people looked). Not beside `position`.
    pub elevation_deg: Option<f32>,
    /// How far away; 1 is where everything just fits in (default: 1). Not beside `position`.
    pub distance: Option<f32>,
    /// Angle of view from the lower to the upper edge, degrees (default: 32).
    pub fov_deg: Option<f32>,
    /// Turned about the way it looks, clockwise as it sees it, degrees (default: 0).
    pub roll_deg: Option<f32>,
}

/// Where light comes from in pictures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SunTable {
    /// Degrees: 0 towards +x, 90 towards +z (default: 170).
    pub azimuth_deg: Option<f32>,
    /// Above the horizon, degrees (default: 32).
    pub elevation_deg: Option<f32>,
}

/// Wind over all trees. Still air damps, too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WindTable {
    /// Mean at the height of the profile, m/s (default: 0, still air).
    pub speed: f32,
    /// The same as a Beaufort number, 0 to 12, instead of `speed`.
    pub beaufort: Option<f32>,
    /// Where it blows to, degrees: 0 along +x, 90 along +z (default: 0).
    pub direction_deg: f32,
    /// The mean along x, y and z, m/s, instead of speed and direction.
    pub velocity: Option<Vec3>,
    /// How it grows with height (default: not at all).
    pub profile: WindProfile,
    /// How it varies (default: gusts of an intensity of 0.25).
    pub gusts: Gusts,
    /// How it turns back and forth (default: not at all).
    pub wiggle: Wiggle,
    /// A factor on its force that flickers in time and differs from body to body (default: none).
    pub turbulence: Turbulence,
    /// Mean velocities by place, instead of one everywhere.
    pub grid: Option<WindGrid>,
    /// How trees weaken it (default: not at all).
    pub shelter: Shelter,
    /// What moves, and how bodies meet it.
    pub air: Air,
}

/// A squirrel; numbers as of [`treesway::CreatureSettings`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CreatureTable {
    /// kg (default: 0.35).
    pub mass: f32,
    /// Along branches, m/s (default: 2.5).
    pub speed: f32,
    /// Over the ground in the air, m/s (default: 4).
    pub leap_speed: f32,
    /// How far it comes with one bound, m (default: 0.6).
    pub bound: f32,
    /// How high it goes up in it, m (default: 0.05).
    pub bound_height: f32,
    /// When it sets out, s (default: 1).
    pub start: f32,
    /// Where it runs; from the end of one it leaps to the beginning of the next.
    #[serde(rename = "run")]
    pub runs: Vec<RunTable>,
}

impl Default for CreatureTable {
    fn default() -> Self {
        let CreatureSettings {
            mass,
            speed,
            leap_speed,
            bound,
            bound_height,
            start,
            ..
        } = CreatureSettings::default();
        Self {
            mass,
            speed,
            leap_speed,
            bound,
            bound_height,
            start,
            runs: Vec::new(),
        }
    }
}

/// A way over the branches of a tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunTable {
    /// Number of the tree, counted from 0 in the file (default: 0).
    #[serde(default)]
    pub tree: usize,
    /// Body where it begins.
    pub from: BodyPlace,
    /// Body where it ends.
    pub to: BodyPlace,
}

/// One tree: where it comes from, how it is cut, what it is made of, how it is stepped and what happens to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TreeTable {
    /// What grows; its parameters are in the table of the same name. Or leave it out and list branches.
    pub builtin: Option<Builtin>,
    /// A species: the name of one that comes with the program, or a file (.toml, .xml, .json) beside the scene.
    pub species: Option<String>,
    /// Name of a grammar, or a `.lsys` or `.ls` file, from the folder of the scene file.
    pub grammar: Option<String>,
    /// Derivation steps of the grammar, instead of its own.
    pub depth: Option<u32>,
    /// A tree from elsewhere: any file that `treesway import` reads, from the folder of the scene file.
    pub file: Option<PathBuf>,
    /// How `file` is read.
    pub import: Option<import::Options>,
    /// Another seed grows another tree (default: 0).
    pub seed: u64,
    /// Wanted number of bodies; of a beam or fork in place of `segments`.
    pub bodies: Option<u32>,
    /// Leaves out, or turns, stems and leaves that would go through others (default: false).
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub collision_free: bool,
    /// Of the wood of a species, m (default: as it grows).
    pub height: Option<f32>,
    /// Diameter of the trunk of a species at breast height, m (default: in proportion).
    pub dbh: Option<f32>,
    /// Where it stands, m (default: the origin).
    pub at: DVec3,
    /// In place of `settings.solver`.
    pub solver: Option<Solver>,
    /// In place of `settings.substeps`.
    pub substeps: Option<u32>,
    /// How it is held (default: clamped).
    pub root: RootKind,
    /// Parameters of `builtin = "beam"`.
    pub beam: Option<Beam>,
    /// Parameters of `builtin = "fork"`.
    pub fork: Option<Fork>,
    /// Parameters of `builtin = "broadleaf"`.
    pub broadleaf: Option<Broadleaf>,
    /// Parameters of `builtin = "stems"`.
    pub stems: Option<Stems>,
    /// How it is cut into bodies.
    pub cut: CutTable,
    /// What it is made of.
    pub params: TreeParams,
    /// How it is stepped.
    pub settings: SolverSettings,
    /// Which bodies move on their own (default: all); the others follow what carries them.
    #[serde(skip_serializing_if = "Simulated::is_everything")]
    pub simulate: Simulated,
    /// How its root moves, if it does.
    pub motion: Option<Motion>,
    /// Branches of a tree that is written out, in any order, one without a parent.
    #[serde(rename = "branch", skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<BranchTable>,
    /// Leaves of a tree that is written out.
    #[serde(rename = "leaf", skip_serializing_if = "Vec::is_empty")]
    pub leaves: Vec<LeafTable>,
    /// Fruit of a tree that is written out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fruit: Vec<FruitTable>,
    /// Joints that are bent by hand, for good: the tree holds the pose that this gives.
    #[serde(rename = "pose", skip_serializing_if = "Vec::is_empty")]
    pub poses: Vec<PoseTable>,
    /// Hands that pull for a while.
    #[serde(rename = "pull", skip_serializing_if = "Vec::is_empty")]
    pub pulls: Vec<PullTable>,
    /// Forces and torques that act for a while.
    #[serde(rename = "load", skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<LoadTable>,
}

impl TreeTable {
    /// The species, grammar, file or builtin that it is of; of a file its name without folders and ending.
    pub fn name(&self) -> String {
        let given = self.species.as_deref().or(self.grammar.as_deref());
        let given = given.map(Path::new).or(self.file.as_deref());
        match (given.and_then(Path::file_stem), self.builtin) {
            (Some(stem), _) => stem.to_string_lossy().into_owned(),
            (None, Some(builtin)) => format!("{builtin:?}").to_lowercase(),
            (None, None) => "tree".into(),
        }
    }
}

/// Generators that come with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Builtin {
    /// A straight, tapered beam.
    Beam,
    /// A stem with limbs.
    Fork,
    /// A broadleaved tree.
    Broadleaf,
    /// A tree whose stems and leaves do not go through each other.
    Stems,
}

/// A branch that is written out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BranchTable {
    /// Number of the branch it grows from, counted from 0 in the file; none for the trunk.
    pub parent: Option<usize>,
    /// How far along the parent, m; the parent's end if left out.
    pub along: Option<f32>,
    /// x, y, z, radius of each node from base to tip, m.
    pub nodes: Vec<[f32; 4]>,
}

/// A leaf that is written out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeafTable {
    /// Number of the branch that carries it.
    pub branch: usize,
    /// How far along that branch, m; its end if left out.
    pub along: Option<f32>,
    /// Base of the blade, m; on the axis of the branch if left out.
    pub position: Option<Vec3>,
    /// Where it points.
    pub direction: Vec3,
    /// Where its upper side faces (default: up).
    #[serde(default = "up")]
    pub normal: Vec3,
    /// m.
    pub length: f32,
    /// m.
    pub width: f32,
}

/// A fruit that is written out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FruitTable {
    /// Number of the branch that carries it.
    pub branch: usize,
    /// How far along that branch, m; its end if left out.
    pub along: Option<f32>,
    /// Upper end of the stem, m; on the axis of the branch if left out.
    pub position: Option<Vec3>,
    /// Along the stem (default: down).
    #[serde(default = "down")]
    pub direction: Vec3,
    /// m.
    pub radius: f32,
    /// m (default: 0.03).
    #[serde(default = "stem_length")]
    pub stem_length: f32,
    /// m (default: 0.0015).
    #[serde(default = "stem_radius")]
    pub stem_radius: f32,
}

fn up() -> Vec3 {
    Vec3::Y
}

fn down() -> Vec3 {
    Vec3::NEG_Y
}

fn stem_length() -> f32 {
    0.03
}

fn stem_radius() -> f32 {
    0.0015
}

fn for_ever() -> f64 {
    f64::INFINITY
}

fn no_limit() -> f32 {
    f32::INFINITY
}

/// How branches are cut; what is left out is chosen by the source of the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CutTable {
    /// Wanted length of a segment, m.
    pub segment_length: Option<f32>,
    /// Fewest segments per branch.
    pub least_segments: Option<u32>,
    /// Most segments per branch.
    pub most_segments: Option<u32>,
    /// Where child branches sit.
    pub forks: Option<ForkPlacement>,
    /// Whether the wood between every two nodes is cut on its own.
    pub at_nodes: Option<bool>,
    /// Thickness of a leaf blade, m.
    pub leaf_thickness: Option<f32>,
}

/// How the root moves, relative to `at`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// To and fro along a line.
    Shake(Shake),
    /// With the ground in an earthquake.
    Earthquake(Earthquake),
    /// Through poses.
    Keyframes(Vec<KeyTable>),
}

/// A joint that is bent by hand, for good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoseTable {
    /// Id of the body at the joint.
    pub body: u32,
    /// Rotation vector in the joint frame, rad, up to π.
    pub turn: Vec3,
}

/// A pose of the root at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyTable {
    /// s.
    pub time: f64,
    /// From `at`, m (default: 0, 0, 0).
    #[serde(default)]
    pub position: DVec3,
    /// Quaternion x, y, z, w (default: no rotation).
    #[serde(default)]
    pub rotation: DQuat,
}

/// A hand that takes hold of a body and lets go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PullTable {
    /// Which body: its id, `"root"`, `"tip"`, `"tip:3"` (end of branch 3) or `"highest"`.
    pub body: BodyPlace,
    /// Where it is held, m, in the body's frame; its far end if left out.
    pub point: Option<Vec3>,
    /// Where the hand is, m, world.
    pub target: Option<Vec3>,
    /// The same, from where the point is at the start, m.
    pub offset: Option<Vec3>,
    /// N/m, up to inf.
    pub stiffness: f32,
    /// N·s/m (default: 0).
    #[serde(default)]
    pub damping: f32,
    /// Strength of the hand, N (default: inf).
    #[serde(default = "no_limit")]
    pub most_force: f32,
    /// When it takes hold, s (default: 0).
    #[serde(default)]
    pub start: f64,
    /// When it lets go, s (default: inf).
    #[serde(default = "for_ever")]
    pub stop: f64,
}

/// A force and torque on a body for a while.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadTable {
    /// Which body, as of a pull.
    pub body: BodyPlace,
    /// Where the force acts, m, in the body's frame; its far end if left out.
    pub point: Option<Vec3>,
    /// N, world (default: 0, 0, 0).
    #[serde(default)]
    pub force: Vec3,
    /// N·m, world (default: 0, 0, 0).
    #[serde(default)]
    pub torque: Vec3,
    /// s (default: 0).
    #[serde(default)]
    pub start: f64,
    /// s (default: inf).
    #[serde(default = "for_ever")]
    pub stop: f64,
}
