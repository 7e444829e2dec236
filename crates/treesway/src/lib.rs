//! Botanical trees that move: articulated bodies with springs as stiff as wood, at one or two steps per frame.
//!
//! A [`Skeleton`] (branches as polylines with radii) is [`cut()`] into bodies; [`Tree::build`] checks them and lays them out; a
//! [`World`] steps trees under gravity, wind, loads and pulls. SI units, y up, right-handed. The engine knows no files, no
//! GPU and no window, and gives the same bits for any number of threads on every platform.
//!
//! ```
//! use treesway::{Branch, CutOptions, Skeleton, Tree, TreeOptions, Wind, World, cut};
//! use treesway::glam::Vec3;
//!
//! let trunk = Branch::trunk([(Vec3::ZERO, 0.10), (Vec3::Y * 3.0, 0.06)]);
//! let limb = Branch::on(0, 2.0, [(Vec3::Y * 2.0, 0.04), (Vec3::new(1.5, 3.0, 0.0), 0.01)]);
//! let skeleton = Skeleton { branches: vec![trunk, limb], ..Skeleton::default() };
//! let bodies = cut(&skeleton, &CutOptions::default())?;
//! let mut world = World::default();
//! let tree = world.add(Tree::build(&bodies, TreeOptions::default())?);
//! world.fields.push(Box::new(Wind::steady(Vec3::X * 8.0)));
//! for _ in 0..30 {
//!     let report = world.step();
//!     assert_eq!(report.healed, 0);
//! }
//! let last = world.tree(tree).ids().last().expect("a tree has bodies");
//! println!("the tip is at {}", world.tree(tree).tip(last));
//! # Ok::<(), treesway::BuildError>(())
//! ```

pub mod analytic;
mod angles;
mod block;
mod brace;
mod breakage;
mod burden;
pub mod ccd;
mod contact;
pub mod coupled;
mod creature;
mod curve;
mod cut;
mod desc;
mod detach;
mod earthquake;
pub mod elements;
mod energy;
mod event;
mod fit;
mod follow;
mod forces;
mod free;
mod ground;
mod kinematics;
pub mod math;
mod measure;
mod modes;
mod params;
pub mod particles;
mod passage;
pub mod plain;
mod rain;
mod report;
mod root;
mod self_contact;
mod shed;
mod skeleton;
mod sleep;
mod snapshot;
mod snow;
mod solid;
pub mod spectral;
mod stems;
mod step;
mod stiffness;
mod surroundings;
mod sway;
mod tree;
mod wind;
mod world;

pub use angles::LargestAngles;
pub use brace::{Braced, brace};
pub use breakage::Breakage;
pub use contact::{
    Ball, BallId, Collider, ColliderId, ColliderShape, ContactResponse, ContactSettings, Pruning,
    Ray, RayHit,
};
pub use creature::{Creature, CreaturePose, CreatureSettings, Run};
pub use curve::{ControlPoint, Curve, CurveError, CurveMode, QuantityCurve};
pub use cut::{CutOptions, ForkPlacement, cut};
pub use desc::{BodyDesc, BodyId, BodyKind, BuildError, Shape, TreeDesc};
pub use detach::{OffCounts, OffMotion};
pub use earthquake::{Earthquake, GroundMotion};
pub use energy::Energy;
pub use event::{Event, EventKind};
pub use follow::{Pace, Simulated};
pub use forces::{BodyPose, BodySample, BodySamples, Duration, FieldForce, ForceField, Load, Pull};
pub use glam;
pub use ground::{Ground, HeightField};
pub use math::simd::{Isa, ROW, Row};
pub use measure::{Measure, OrderMeasure};
pub use modes::Mode;
pub use params::{
    Curves, DampingRatio, Fictitious, ForkStiffening, FruitMaterial, GravityPose, JointLimits,
    LeafMaterial, LeafSprings, Multipliers, Override, STANDARD_GRAVITY, Solver, SolverSettings,
    TreeParams, Wood,
};
pub use particles::{ParticleScheme, ParticleSettings, Propagation, Rods};
pub use rain::{Rain, Rainfall};
pub use report::{StageTimes, StepReport};
pub use root::{Keyframe, Keyframes, RootKind, RootMotion, RootPose};
pub use self_contact::{ResponseDirections, SelfContactSettings};
pub use shed::{LetGo, Shedding};
pub use skeleton::{Attachment, Branch, Fruit, Leaf, Node, Profile, Skeleton};
pub use snapshot::Snapshot;
pub use snow::{Snow, SnowBalance, Snowfall};
pub use solid::Solid;
pub use spectral::{SpectralSettings, SpectralTree, SpectralWind};
pub use stems::{StemScheme, StemSettings};
pub use tree::{Body, BodyMotion, PullId, Tree, TreeOptions, next_segment};
pub use wind::{
    Air, Gusts, Shelter, Turbulence, Turbulent, Wiggle, Wind, WindCell, WindGrid, WindProfile,
    WindSettings, beaufort,
};
pub use world::{FRAME_SECS, TreeId, World, WorldSnapshot};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
