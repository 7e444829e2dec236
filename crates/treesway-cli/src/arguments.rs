//! Arguments and their help.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use treesway_io::import::{Format, Up};

/// Botanical trees that move.
///
/// Without a command: opens the studio on the default oak. Where there is no display: simulates that oak for 10 s, prints how fast that went and
/// writes oak.npz, oak.glb and oak.png into this folder.
#[derive(Parser)]
#[command(
    name = "treesway",
    version,
    after_help = "Examples:
  treesway                                       the studio; the demo where there is no display
  treesway studio my.toml                        the studio on a scene of yours
  treesway scenes                                what there is to simulate
  treesway simulate oak -o oak.npz               10 s of an oak in a breeze, for numpy.load
  treesway simulate oak -o oak.glb --loop        the same for any glTF viewer, without end
  treesway simulate my.toml -o my.npz --seconds 3
  treesway render oak -o oak.png                 a picture
  treesway grow oak -o oak.svg                   a drawing, from the front and from above
  treesway info oak --json                       how many bodies, how heavy, how high
  treesway bench --scene fig03-tree --threads 1  how fast
  treesway export cantilever -o beam.xml         a model for MuJoCo
  treesway fit oak --frequency 0.4 --damping-ratio 0.05
  treesway compare cantilever                    sag, frequency and time of the solvers"
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What the program can do.
#[derive(Subcommand)]
pub enum Command {
    /// Open a window in which trees are pulled, tuned and saved.
    Studio(Studio),
    /// Simulate a scene and write the motion of every body (.npz), or the trees with their motion for viewers and engines (.glb).
    Simulate(Simulate),
    /// Take pictures of a scene: one, a numbered sequence or a film.
    Render(Render),
    /// Grow a tree and draw it, or write it as a model.
    Grow(Grow),
    /// Read a scanned or modelled tree and save it as a skeleton or draw it.
    Import(Import),
    /// Count and weigh the trees of a scene.
    Info(Info),
    /// List the named scenes, one line each.
    Scenes,
    /// Measure how fast a scene is stepped.
    Bench(Bench),
    /// Write a tree as a model for MuJoCo.
    Export(Export),
    /// Find the wood with which a tree sways as a measured one does.
    Fit(Fit),
    /// Compare solvers on the trees of a scene: sag, frequency, damping, energy, path, time.
    Compare(Compare),
}

/// `treesway studio`.
#[derive(Args)]
pub struct Studio {
    /// What to start from: a scene, a species, a grammar, or any file that `treesway import` reads.
    #[arg(default_value = "oak")]
    pub scene: String,
}

/// A scene and changes to it.
#[derive(Args)]
pub struct SceneArguments {
    /// Name of a scene (see `treesway scenes`), a .toml file, a grammar (a .lsys file, or one of Lparser, .ls), or any file that
    /// `treesway import` reads.
    pub scene: String,
    #[command(flatten)]
    pub changes: Changes,
}

/// Changes to a scene.
#[derive(Args, Clone)]
pub struct Changes {
    /// Change any field of the scene; may be given several times. KEY is a parameter of the trees (`segments`, `bodies`) or a
    /// dotted path (`run.seconds`, `tree.0.params.wood.density`; without the number, of all trees).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Grow another tree: the seed of every tree of the scene.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Derivation steps of every tree that grows from a grammar.
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// How trees move, instead of what the scene says: `coupled`, `analytic`, `particles`, `spectral` or `contact`.
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
}

impl Changes {
    /// The scene as it is.
    pub fn none() -> Self {
        Self {
            settings: Vec::new(),
            seed: None,
            depth: None,
            solver: None,
        }
    }
}

/// How long a scene runs.
#[derive(Args)]
pub struct Time {
    /// How long, s, instead of what the scene says.
    #[arg(
        long,
        value_name = "S",
        conflicts_with = "frames",
        allow_negative_numbers = true
    )]
    pub seconds: Option<f64>,
    /// How many frames, or pictures, instead of what the scene says.
    #[arg(long, value_name = "N")]
    pub frames: Option<u64>,
    /// Frames per second, instead of what the scene says; a frame is one step unless the scene has substeps.
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    pub fps: Option<f64>,
}

/// `treesway simulate`.
#[derive(Args)]
#[command(after_help = "Examples:
  treesway simulate oak -o oak.npz --seconds 5
  treesway simulate cantilever -o beam.npz --set segments=40
  treesway simulate oak -o wood.npz --select segments --every 3
  treesway simulate oak -o stiff.npz --set tree.params.multipliers.branch_stiffness=10
  treesway simulate birch -o birch.glb --seconds 4 --loop --joints 128
  treesway simulate fern --solver particles -o fern.npz --curves 3 --set wind.turbulence.strength=0.5

In Python:
  import numpy as np
  run = np.load('oak.npz')
  print(run['time'], run['joint_position'].shape)    # frames, bodies, xyz

All arrays, and what is in a .glb, are described in docs/FORMATS.md.")]
pub struct Simulate {
    #[command(flatten)]
    pub scene: SceneArguments,
    /// Where the result goes: a file that ends in .npz (motion of every body) or .glb (what is seen, skinned and animated). Replaced if there is
    /// one already.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub time: Time,
    /// Threads to use; 0 for all cores. The result does not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Keep every K-th frame only, the first one included.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Joints that move each tree of a .glb, at most; fewer than bodies are chosen to follow the motion as closely as they can. Or `all`
    /// bodies [default: 256].
    #[arg(long, value_name = "N|all", value_parser = joints)]
    pub joints: Option<usize>,
    /// Triangles of a .glb, about, at most [default: 150000].
    #[arg(long, value_name = "N")]
    pub triangles: Option<usize>,
    /// Make the end of a .glb meet its start.
    #[arg(long = "loop")]
    pub looped: bool,
    /// Of a .npz, keep these bodies only: `segments`, `leaves`, `fruit`, `tips`, `branch:N`, `tree:N`, an id or a range `0-99`, or several of
    /// these joined by commas.
    #[arg(long, value_name = "SPEC", default_value = "all")]
    pub select: String,
    /// Of a .npz, also keep smooth curves through the ends of all wood, in so many pieces a body: 1 to 64.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub curves: Option<u32>,
}

/// `treesway render`.
#[derive(Args)]
#[command(after_help = "Examples:
  treesway render oak -o oak.png
  treesway render oak -o oak.png --at 3 --camera azimuth=30,elevation=4,distance=0.6 --sun 200,15
  treesway render maple -o bark.png --camera 1.5,1.2,2 --target 0,1.5,0
  treesway render willow -o willow.mp4 --seconds 5
  treesway render oak -o oak.webp --turntable --frames 60 --size 640x480
  treesway render oak -o frames/oak-%04d.png --seconds 10 --resume
  treesway render oak -o stress.gif --mode stress --seconds 3 --size 480x360
  treesway render particles -o curves.png --at 3 --curves 3 --mode wireframe

`%04d` in the name is the number of a frame, from 0. MP4 needs ffmpeg. Without a graphics card pictures are drawn by the processor.")]
pub struct Render {
    #[command(flatten)]
    pub scene: SceneArguments,
    /// Where it goes: a picture (.png), numbered pictures (`%04d` in the name, or a folder) or a film (.webp, .gif, .mp4). Replaced if
    /// there is one already.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Pixels.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = size)]
    pub size: [u32; 2],
    /// When the first picture is taken, s.
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    pub at: f64,
    #[command(flatten)]
    pub time: Time,
    /// The camera goes around once.
    #[arg(long)]
    pub turntable: bool,
    /// Keep pictures of a sequence that are there already, and take the others.
    #[arg(long)]
    pub resume: bool,
    /// Where from, instead of what the scene says: a position `x,y,z` in m, or any of `azimuth`, `elevation`, `fov` in degrees and
    /// `distance` (1: everything just fits in), as in `azimuth=30,distance=0.5`.
    #[arg(long, value_name = "CAMERA", allow_hyphen_values = true)]
    pub camera: Option<String>,
    /// Where the camera looks, m.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub target: Option<String>,
    /// Where the sun stands, degrees: 0 towards +x, 90 towards +z; and how high.
    #[arg(long, value_name = "AZIMUTH,ELEVATION", allow_hyphen_values = true)]
    pub sun: Option<String>,
    /// How trees are shown.
    #[arg(long, value_enum, default_value_t = View::Shaded)]
    pub mode: View,
    /// Draw wood as smooth curves through the ends of bodies, in so many pieces each, instead of bark: 1 to 64. For plants of few bodies, whose
    /// joints bark would show.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub curves: Option<u32>,
    /// Looks against time.
    #[arg(long, value_enum, default_value_t = Fidelity::High)]
    pub quality: Fidelity,
    /// Plain colours instead of bark, leaves and turf.
    #[arg(long)]
    pub no_textures: bool,
    /// Transparent instead of sky and ground.
    #[arg(long)]
    pub no_background: bool,
    /// Nothing casts a shadow.
    #[arg(long)]
    pub no_shadow: bool,
    /// Colours as they are, without light and shade.
    #[arg(long)]
    pub no_lighting: bool,
}

/// How trees are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// As they look.
    Shaded,
    /// Every triangle in one shade.
    Flat,
    /// Edges of the triangles.
    Wireframe,
    /// A line for each body.
    Skeleton,
    /// Bodies coloured by how stiff their joints are.
    Stiffness,
    /// By thickness.
    Radius,
    /// By bending stress.
    Stress,
    /// By branch order.
    Order,
    /// By speed.
    Speed,
}

/// Looks against time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fidelity {
    /// Rough edges, coarse shadows.
    Low,
    /// As in a window on a graphics card.
    Medium,
    /// For pictures.
    High,
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let parsed = text.split_once(['x', '×']).and_then(|(width, height)| {
        let size: [u32; 2] = [width.parse().ok()?, height.parse().ok()?];
        size.iter().all(|&n| n > 0).then_some(size)
    });
    parsed.ok_or_else(|| "expected width and height in pixels, as in 1280x720".into())
}

/// Seconds of a recording.
fn seconds(text: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|s| (1.0..=600.0).contains(s));
    found.ok_or_else(|| "expected a number of seconds from 1 to 600".into())
}

fn joints(text: &str) -> Result<usize, String> {
    if text == "all" {
        return Ok(usize::MAX);
    }
    let number = text.parse().ok().filter(|&n: &usize| n > 0);
    number.ok_or_else(|| "expected a number of joints, at least 1, or `all`".into())
}

/// `treesway grow`.
#[derive(Args)]
#[command(after_help = "Examples:
  treesway grow oak -o oak.svg
  treesway grow birch --seed 3 --bodies 50000 -o birch.svg
  treesway grow my-species.toml -o my.svg
  treesway grow quaking_aspen.xml -o aspen.svg
  treesway grow spruce --set height=25 --set dbh=0.35 -o spruce.svg
  treesway grow oak --bare -o winter.svg
  treesway grow maple -o maple.glb")]
pub struct Grow {
    #[command(flatten)]
    pub spec: SceneArguments,
    /// Where the tree goes: a skeleton of ours (.npz), a drawing from the front and from above (.svg), or a model for viewers and engines (.glb).
    /// Replaced if there is one already.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Wanted number of bodies, instead of what the scene says.
    #[arg(long, value_name = "N")]
    pub bodies: Option<u32>,
    /// Without leaves and fruit.
    #[arg(long)]
    pub bare: bool,
    /// Leaves out branches, and turns or leaves out leaves, that would go through others.
    #[arg(long)]
    pub collision_free: bool,
    /// Triangles of a .glb, about, at most [default: 150000].
    #[arg(long, value_name = "N")]
    pub triangles: Option<usize>,
}

/// `treesway import`.
#[derive(Args)]
#[command(after_help = "Examples:
  treesway import scan.csv -o scan.npz
  treesway import scan.csv -o summer.npz --foliage oak --bodies 50000
  treesway import rig.glb -o rig.svg
  treesway import points.swc -o tree.npz --up y --scale 0.01

Formats and their columns: docs/FORMATS.md.")]
pub struct Import {
    /// A scan, curves, points, a rig or a skeleton of ours.
    pub file: PathBuf,
    /// Where the tree goes: a skeleton of ours (.npz) or a drawing (.svg). Replaced if there is one already.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// What the file is, instead of what it looks like.
    #[arg(long, value_name = "NAME", value_parser = format)]
    pub format: Option<Format>,
    /// Which axis of the file points up: x, y, z, -x, -y or -z, instead of the format's own.
    #[arg(long, value_name = "AXIS", value_parser = up, allow_hyphen_values = true)]
    pub up: Option<Up>,
    /// Metres per unit of the file.
    #[arg(
        long,
        value_name = "M",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    pub scale: f64,
    /// Which tree of a file with several, counted from 0.
    #[arg(long, value_name = "N")]
    pub tree: Option<usize>,
    /// Make radii shrink from the base to every tip.
    #[arg(long)]
    pub monotone: bool,
    /// Add twigs and leaves of a species, by name or from a file, to bare wood.
    #[arg(long, value_name = "SPECIES")]
    pub foliage: Option<String>,
    /// Seed of the foliage.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "foliage")]
    pub seed: u64,
    /// About how many branches, twigs and leaves with foliage, at most.
    #[arg(long, value_name = "N", requires = "foliage")]
    pub bodies: Option<u32>,
}

fn format(name: &str) -> Result<Format, String> {
    let named = Format::ALL.into_iter().find(|f| f.name() == name);
    named.ok_or_else(|| {
        let known = Format::ALL.map(Format::name).join(", ");
        format!("expected one of {known}")
    })
}

fn up(name: &str) -> Result<Up, String> {
    let named = Up::ALL.into_iter().find(|u| u.name() == name);
    named.ok_or_else(|| "expected x, y, z, -x, -y or -z".into())
}

/// `treesway info`.
#[derive(Args)]
#[command(after_help = "Examples:
  treesway info oak
  treesway info my.toml --json
  treesway info scan.csv --modes 3
  treesway info oak --modes 3 --shapes modes.npz
  treesway info oak --set bodies=100000")]
pub struct Info {
    #[command(flatten)]
    pub scene: SceneArguments,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Also the K slowest ways in which the trees sway: frequency and damping ratio.
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub modes: usize,
    /// Also write the modes with their shapes, for numpy.load; of a scene with one tree.
    #[arg(long, value_name = "FILE.npz", requires = "modes")]
    pub shapes: Option<PathBuf>,
}

/// `treesway bench`.
#[derive(Args)]
#[command(after_help = "Examples:
  treesway bench --scene fig03-tree --threads 1
  treesway bench --scene oak --bodies 100000 --steps 100 --csv > bench.csv
  treesway bench --scene oak --solver coupled --against analytic
  treesway bench --bodies 10000,100000 --solver analytic,coupled --threads 1,0
  treesway bench --bodies 1000 --solver coupled --peers

`ratio_to_copy` is the time of a step over that of a plain copy of 192 bytes per body, `ratio_to_scalar` how many times as long the same
step takes one body at a time, depth first, on one thread (of the solver `analytic` also with springs of leaves as in Quigley et al. 2017); both are taken in the same run, the fastest of several each. So are whole steps without wind while the tree
still swings (`calm`), without wind and motion (`at rest`), with fused multiply-add (`fused`, if built with that feature) and with eight lanes instead of sixteen (`avx2`).")]
pub struct Bench {
    /// Name of a scene or a .toml file.
    #[arg(long, value_name = "SCENE", default_value = "fig03-tree")]
    pub scene: String,
    #[command(flatten)]
    pub changes: Changes,
    /// How many bodies, over all trees, instead of what the scene says; several sizes with commas between them.
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub bodies: Vec<u32>,
    /// Threads to use; 0 for all cores; several with commas between them.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1")]
    pub threads: Vec<usize>,
    /// Frames that are timed, in five to a hundred runs of which the fastest counts, after a tenth as many to warm up. Of trees of more than 20,000
    /// bodies, fewer in proportion.
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,
    /// Print comma-separated values with a header instead of a table.
    #[arg(long)]
    pub csv: bool,
    /// Vectors to use instead of the widest that the processor has: `scalar`, `base`, `avx2` or `avx512`; of a program built with the feature
    /// `fused` also `avx2-fused` and `avx512-fused`.
    #[arg(long, value_name = "NAME")]
    pub isa: Option<String>,
    /// Also time another solver on the same trees in the same run, frame by frame in turn, and print the ratio of the times per step.
    #[arg(long, value_name = "SOLVER", conflicts_with = "csv")]
    pub against: Option<String>,
    /// Also time MuJoCo and Pinocchio on the same tree, of at most 10,000 bodies, each at its largest stable step. A Python environment with
    /// both from PyPI is kept in the folder [default: treesway-peers in the temporary folder].
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true)]
    pub peers: Option<Option<PathBuf>>,
    /// Also time whole frames of the scenes of Quigley et al. 2017, with everything on, on one thread; all of them, or those that are named
    /// with commas between them.
    #[arg(long, value_name = "SCENE,…", num_args = 0..=1, require_equals = true, value_delimiter = ',')]
    pub frames: Option<Vec<String>>,
    /// Instead, draw trees of the spectral solver still and moving, and print what their motion costs beside Table 3 of Habel et al. 2009.
    #[arg(long)]
    pub spectral: bool,
    /// Instead, time the particle tree of 255 branches with its curves and skin, beside the frame rates of its paper, and against its printed scheme.
    #[arg(long, conflicts_with = "spectral")]
    pub particles: bool,
    /// Also write all of it as a document, with the figures of Quigley et al. 2017 beside it.
    #[arg(long, value_name = "FILE.md")]
    pub write: Option<PathBuf>,
}

/// `treesway export`.
#[derive(Args)]
#[command(after_help = "Examples:
  treesway export cantilever -o beam.xml
  treesway export oak -o oak.xml --set bodies=1000
  python -m mujoco.viewer --mjcf=beam.xml

What the file holds and where it differs from the tree: docs/FORMATS.md.")]
pub struct Export {
    #[command(flatten)]
    pub scene: SceneArguments,
    /// Where the model goes: a file that ends in .xml (MJCF). Replaced if there is one already.
    #[arg(short, long, value_name = "FILE.xml")]
    pub output: PathBuf,
    /// Which tree of the scene, counted from 0; needed where there are several.
    #[arg(long, value_name = "N")]
    pub tree: Option<usize>,
    /// What becomes of joints whose three springs differ.
    #[arg(long, value_enum, default_value_t = Joints::Hinges)]
    pub uneven: Joints,
    /// Step that the file proposes, s, instead of the least damping β, at most 2 ms.
    #[arg(long, value_name = "S")]
    pub timestep: Option<f64>,
    /// Leave out what is only there to be seen.
    #[arg(long)]
    pub no_shapes: bool,
}

/// What becomes of joints whose three springs differ.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Joints {
    /// Three hinges about the axes of the joint, twist last.
    Hinges,
    /// An error that names the body.
    Refuse,
}

/// `treesway fit`.
#[derive(Args)]
#[command(after_help = "Examples:
  treesway fit oak --frequency 0.4 --damping-ratio 0.05

The lines that are printed go into [tree.params] of a scene file.")]
pub struct Fit {
    #[command(flatten)]
    pub scene: SceneArguments,
    /// Of the first mode, Hz, as measured by pulling and releasing the tree.
    #[arg(long, value_name = "HZ")]
    pub frequency: f64,
    /// Share of critical damping of the first mode: about 0.05 for a bare tree, 0.12 in leaf.
    #[arg(long, value_name = "Z")]
    pub damping_ratio: f64,
    /// Which tree of the scene, counted from 0; needed where there are several.
    #[arg(long, value_name = "N")]
    pub tree: Option<usize>,
}

/// `treesway compare`.
#[derive(Args)]
#[command(after_help = "Examples:
  treesway compare cantilever
  treesway compare oak --set bodies=1000 --solvers analytic,calibrated,coupled,reference --csv
  treesway compare fig14-sag --solvers analytic,coupled,explicit,reference
  treesway compare spectral-tree --hand-over 20

Two experiments on every tree, without wind: it sags from its unloaded pose under gravity; and it is let go from its first mode without
gravity. `reference` is the coupled solver with tiny steps and velocity products, `calibrated` the analytic one with its inertia scaled to
the true first frequency, `explicit` forward Euler with as many substeps as it needs.

With --hand-over every tree is simulated in the wind of its scene instead, and its branches are compared with those of the same tree without
state, by itself and fitted to what was seen.")]
pub struct Compare {
    #[command(flatten)]
    pub scene: SceneArguments,
    /// Which solvers, joined by commas.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "analytic,coupled,reference"
    )]
    pub solvers: Vec<Contender>,
    /// Print comma-separated values with a header instead of a table.
    #[arg(long)]
    pub csv: bool,
    /// Record so many seconds of the simulated tree, from 1 to 600, and print how well the spectral solver takes its motion over.
    #[arg(long, value_name = "SECS", conflicts_with_all = ["solvers", "csv"], value_parser = seconds)]
    pub hand_over: Option<f64>,
}

/// What can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Contender {
    /// Every joint on its own (Quigley 2017).
    Analytic,
    /// The same with inertia scaled to the true first frequency.
    Calibrated,
    /// All joints at once, implicit.
    Coupled,
    /// Forward Euler with as many substeps as it needs.
    Explicit,
    /// Coupled with tiny steps.
    Reference,
}
