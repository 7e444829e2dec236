//! A tree as MJCF, the model format of MuJoCo, for robotics and for comparing engines.
//!
//! Every body becomes a `<body>` named `b` and its id, nested in its parent, with its mass and inertia given outright; y stays up. Its
//! joint has the spring K and the damper β K of the tree:
//! - one `ball` where the three springs are equal. A ball has one stiffness and is relaxed in the pose that the file gives, so the
//!   `quat` of the body is that of the relaxed spring, joint_rotation · exp(θ₀), and the keyframe `given` holds the pose in which the tree
//!   was given, exp(−θ₀) at every ball;
//! - three `hinge`s about axes of the joint frame where they are not: R = R_x(a) R_y(b) R_z(c) in place of exp(θ). The given pose is held exactly
//!   by `springref` = θ₀, and frequencies are the same. At an angle θ the torques differ by up to k_z/k_x·θ/2 of themselves, with the
//!   sign of the order in which x and y turn; so it is x, y, z in every other segment along a branch and y, x, z in those between, and
//!   most of it cancels. The middle hinge must stay within 90°; that of leaves and fruit is y, since leaves flap about x.
//!
//! Shapes are there to be seen: they have no mass and touch nothing.

use std::io::{self, Write};
use treesway::glam::Vec3;
use treesway::math::{Quaternion, V3};
use treesway::{Body, BodyId, BodyKind, RootKind, STANDARD_GRAVITY, Tree};

/// How deep bodies may be nested: MuJoCo's parser takes 500 elements, of which these are not bodies: `mujoco`, `worldbody`, a leaf element,
/// and the document itself.
pub const MOST_DEPTH: usize = 496;

/// Least mass [kg] and moment of inertia [kg·m²] of a body that MuJoCo accepts (`mjMINVAL`).
const LEAST_INERTIA: f32 = 1e-15;

/// Longest step that is written, s: MuJoCo's own default.
const LONGEST_STEP: f64 = 0.002;

/// Bytes for a step of the smallest tree, and for contacts with what others add to the scene.
const LEAST_MEMORY: usize = 64 << 20;

/// How a tree is written.
#[derive(Clone, Debug, PartialEq)]
pub struct MjcfOptions {
    /// Name of the model (default: "tree").
    pub model: String,
    /// m/s² (default: 9.81 down).
    pub gravity: Vec3,
    /// What becomes of a joint whose three springs differ (default: hinges).
    pub uneven: UnevenJoints,
    /// Step, s. MuJoCo takes dampers implicitly but springs explicitly, and is stable up to about 2 β (default: the least β of all joints, at
    /// most 2 ms; an undamped tree needs less, which depends on its fastest oscillation).
    pub timestep_secs: Option<f64>,
    /// Whether shapes are written (default: true).
    pub shapes: bool,
}

impl Default for MjcfOptions {
    fn default() -> Self {
        Self {
            model: "tree".into(),
            gravity: STANDARD_GRAVITY,
            uneven: UnevenJoints::default(),
            timestep_secs: None,
            shapes: true,
        }
    }
}

/// What becomes of a joint whose three springs differ. A ball joint of MuJoCo has one stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnevenJoints {
    /// Three hinges about the axes of the joint frame, twist last (default).
    #[default]
    Hinges,
    /// An error that names the body.
    Refuse,
}

/// Why a tree cannot be written as MJCF.
#[derive(Debug, thiserror::Error)]
pub enum MjcfError {
    /// More bodies in a row than MuJoCo's parser nests.
    #[error(
        "body {body} is number {depth} in a row from the root; expected at most {MOST_DEPTH}, the depth to which MuJoCo reads nested bodies"
    )]
    TooDeep {
        /// The first one that is too deep.
        body: u32,
        /// Bodies from the root to it, both counted.
        depth: usize,
    },
    /// A body that MuJoCo takes for massless.
    #[error(
        "body {body} has a {name} of {value:e}; expected more than 1e-15, the least that MuJoCo accepts"
    )]
    TooLight {
        /// Which one.
        body: u32,
        /// Mass or moment of inertia.
        name: &'static str,
        /// kg or kg·m².
        value: f32,
    },
    /// Springs that differ, and they were to be refused.
    #[error(
        "the springs of body {body} are {stiffness} N·m/rad; expected three equal ones, since a ball joint of MuJoCo has one stiffness (or let such joints be written as three hinges)"
    )]
    Uneven {
        /// Which one.
        body: u32,
        /// About x, y, z of the joint frame.
        stiffness: Vec3,
    },
    /// Damping that MJCF has no words for.
    #[error(
        "rayleigh_alpha is {0} 1/s; expected 0, since MuJoCo has no damping in proportion to mass"
    )]
    MassDamping(f32),
    /// The writer failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The tree in the pose in which it was given, as the text of an MJCF file.
pub fn to_mjcf(tree: &Tree, options: &MjcfOptions) -> Result<String, MjcfError> {
    let mut text = Vec::new();
    write_mjcf(tree, options, &mut text)?;
    Ok(String::from_utf8(text).expect("only text is written"))
}

/// [`to_mjcf`] into a file or whatever else, body by body.
pub fn write_mjcf(tree: &Tree, options: &MjcfOptions, out: impl Write) -> Result<(), MjcfError> {
    if tree.rayleigh_alpha() != 0.0 {
        return Err(MjcfError::MassDamping(tree.rayleigh_alpha()));
    }
    let mut writer = Writer { tree, options, out };
    writer.head()?;
    let pose = writer.bodies()?;
    writer.foot(&pose)
}

struct Writer<'a, W> {
    tree: &'a Tree,
    options: &'a MjcfOptions,
    out: W,
}

/// How a body hangs on its parent.
enum Joint {
    Weld,
    Free,
    Ball,
    Hinges,
}

/// `qpos` of the given pose, in MuJoCo's order.
#[derive(Default)]
struct GivenPose {
    qpos: Vec<f64>,
    /// Whether it differs from the pose that the file gives by itself.
    differs: bool,
}

impl<W: Write> Writer<'_, W> {
    fn head(&mut self) -> io::Result<()> {
        let model = escaped(&self.options.model);
        let step = number(self.options.timestep_secs.unwrap_or(self.default_step()));
        let gravity = triple(self.options.gravity);
        let memory = self.memory();
        writeln!(
            self.out,
            r#"<mujoco model="{model}">
<compiler angle="radian" boundmass="0" boundinertia="0" balanceinertia="false" inertiafromgeom="auto"/>
<option timestep="{step}" gravity="{gravity}" integrator="implicitfast"/>
<size memory="{memory}"/>
<default>
 <geom contype="0" conaffinity="0" mass="0" rgba="0.45 0.33 0.22 1"/>
 <default class="leaf"><geom rgba="0.30 0.52 0.18 1"/></default>
 <default class="fruit"><geom rgba="0.72 0.12 0.10 1"/></default>
</default>
<worldbody>"#
        )
    }

    /// Bytes that MuJoCo sets aside for a step. Left alone it takes 60 bytes per pair of degrees of freedom, which at 10k bodies are 50 GB; a
    /// tree needs a few numbers per joint and joint below it, and two bytes per pair of bodies where contacts are looked for.
    fn memory(&self) -> usize {
        let mut depths: Vec<usize> = Vec::with_capacity(self.tree.len());
        for id in self.tree.ids() {
            let below = self.tree.parent_of(id).map_or(0, |p| depths[p.index()]);
            depths.push(below + 1);
        }
        let pairs = 9 * depths.iter().sum::<usize>();
        let bodies = self.tree.len() + 1; // with the world
        LEAST_MEMORY + 64 * pairs + 2 * bodies * bodies
    }

    /// The least β of the joints that have a spring, at most [`LONGEST_STEP`].
    fn default_step(&self) -> f64 {
        let bodies = self.tree.ids().map(|id| self.tree.body(id));
        bodies
            .map(|b| f64::from(b.damping_beta))
            .filter(|&beta| beta > 0.0)
            .fold(LONGEST_STEP, f64::min)
    }

    /// All bodies depth first; no recursion, since a tree may be deeper than the stack.
    fn bodies(&mut self) -> Result<GivenPose, MjcfError> {
        let mut children = vec![Vec::new(); self.tree.len()];
        for id in self.tree.ids() {
            if let Some(parent) = self.tree.parent_of(id) {
                children[parent.index()].push(id);
            }
        }
        let mut pose = GivenPose::default();
        let root = BodyId(0);
        self.open(root, 1, &mut pose)?;
        let mut path = vec![children[root.index()].iter()];
        while let Some(siblings) = path.last_mut() {
            if let Some(&id) = siblings.next() {
                path.push(children[id.index()].iter());
                self.open(id, path.len(), &mut pose)?;
            } else {
                path.pop();
                writeln!(self.out, "</body>")?;
            }
        }
        Ok(pose)
    }

    /// A body without its end tag.
    fn open(&mut self, id: BodyId, depth: usize, pose: &mut GivenPose) -> Result<(), MjcfError> {
        if depth > MOST_DEPTH {
            let body = id.0;
            return Err(MjcfError::TooDeep { body, depth });
        }
        let body = self.tree.body(id);
        let joint = self.joint(id, &body)?;
        let relaxed = Quaternion::from_rotation_vector(V3::from(body.rest_theta).widen());
        let (position, mut rotation) = frame(&body);
        if let Joint::Ball = joint {
            rotation = rotation.times(relaxed);
        }
        let (name, at, turned) = (id.0, triple(position), quaternion(rotation));
        writeln!(
            self.out,
            r#"<body name="b{name}" pos="{at}" quat="{turned}">"#
        )?;
        self.inertial(id, &body)?;
        match joint {
            Joint::Weld => {}
            Joint::Free => {
                writeln!(self.out, r#"<freejoint name="b{name}"/>"#)?;
                pose.qpos.extend(position.as_dvec3().to_array());
                pose.qpos.extend(wxyz(rotation));
            }
            Joint::Ball => {
                let k = f64::from(body.stiffness.x);
                let c = k * f64::from(body.damping_beta);
                let (stiffness, damping) = (number(k), number(c));
                writeln!(
                    self.out,
                    r#"<joint name="b{name}" type="ball" stiffness="{stiffness}" damping="{damping}"/>"#
                )?;
                pose.qpos.extend(wxyz(relaxed.conjugate()));
                pose.differs |= body.rest_theta != Vec3::ZERO;
            }
            Joint::Hinges => {
                let swapped = body.kind == BodyKind::Segment && depth.is_multiple_of(2);
                for axis in if swapped { [1, 0, 2] } else { [0, 1, 2] } {
                    self.hinge(id, &body, axis)?;
                    pose.qpos.push(0.0);
                }
            }
        }
        if self.options.shapes {
            self.shape(&body)?;
        }
        Ok(())
    }

    fn joint(&self, id: BodyId, body: &Body) -> Result<Joint, MjcfError> {
        match (body.parent, self.tree.root_kind()) {
            (None, RootKind::Rigid) => return Ok(Joint::Weld),
            (None, RootKind::Free) => return Ok(Joint::Free),
            (None, RootKind::Clamped) | (Some(_), _) => {}
        }
        let (k, body) = (body.stiffness, id.0);
        // Rounding of f32 is no difference.
        if k.max_element() - k.min_element() <= 1e-6 * k.max_element() {
            return Ok(Joint::Ball);
        }
        match self.options.uneven {
            UnevenJoints::Hinges => Ok(Joint::Hinges),
            UnevenJoints::Refuse => Err(MjcfError::Uneven { body, stiffness: k }),
        }
    }

    fn hinge(&mut self, id: BodyId, body: &Body, axis: usize) -> io::Result<()> {
        let k = f64::from(body.stiffness[axis]);
        let (name, letter) = (id.0, ["x", "y", "z"][axis]);
        let along = triple(Vec3::AXES[axis]);
        let stiffness = number(k);
        let damping = number(k * f64::from(body.damping_beta));
        let relaxed = number(body.rest_theta[axis].into());
        writeln!(
            self.out,
            r#"<joint name="b{name}{letter}" type="hinge" axis="{along}" stiffness="{stiffness}" damping="{damping}" springref="{relaxed}"/>"#
        )
    }

    fn inertial(&mut self, id: BodyId, body: &Body) -> Result<(), MjcfError> {
        let Vec3 { x, y, z } = body.inertia;
        let named = [("mass", body.mass), ("moment of inertia", x.min(y).min(z))];
        for (name, value) in named {
            // Written so that NaN is too light.
            let heavy = value > LEAST_INERTIA;
            if !heavy {
                let body = id.0;
                return Err(MjcfError::TooLight { body, name, value });
            }
        }
        let (mass, com) = (number(body.mass.into()), triple(body.com_in_body));
        let [x, y, z] = possible([x, y, z].map(as_read)).map(number);
        writeln!(
            self.out,
            r#"<inertial mass="{mass}" pos="{com}" diaginertia="{x} {y} {z}"/>"#
        )?;
        Ok(())
    }

    /// What is seen of a body; segments lose their taper.
    fn shape(&mut self, body: &Body) -> io::Result<()> {
        let [base, tip] = body.radius.map(f64::from);
        let length = f64::from(body.length);
        match body.kind {
            BodyKind::Segment => {
                let (end, radius) = (number(length), number(0.5 * (base + tip)));
                writeln!(
                    self.out,
                    r#"<geom type="capsule" fromto="0 0 0 0 0 {end}" size="{radius}"/>"#
                )
            }
            BodyKind::Leaf => {
                let [half, width, thin] = [0.5 * length, base, 0.02 * base].map(number);
                writeln!(
                    self.out,
                    r#"<geom class="leaf" type="ellipsoid" pos="0 0 {half}" size="{width} {thin} {half}"/>"#
                )
            }
            BodyKind::Fruit => {
                let (centre, radius) = (triple(body.com_in_body), number(base));
                writeln!(
                    self.out,
                    r#"<geom class="fruit" type="sphere" pos="{centre}" size="{radius}"/>"#
                )
            }
        }
    }

    fn foot(&mut self, pose: &GivenPose) -> Result<(), MjcfError> {
        writeln!(self.out, "</worldbody>")?;
        if pose.differs {
            write!(self.out, r#"<keyframe><key name="given" qpos=""#)?;
            for (i, &q) in pose.qpos.iter().enumerate() {
                let gap = if i > 0 { " " } else { "" };
                write!(self.out, "{gap}{}", number(q))?;
            }
            writeln!(self.out, r#""/></keyframe>"#)?;
        }
        writeln!(self.out, "</mujoco>")?;
        Ok(self.out.flush()?)
    }
}

/// Place of a body in its parent, of the root in the world, at θ = 0.
fn frame(body: &Body) -> (Vec3, Quaternion<f64>) {
    if body.parent.is_some() {
        let rotation = Quaternion::from(body.joint_rotation).widen().unit();
        return (body.joint_in_parent, rotation);
    }
    // The anchor is not asked: what it adds is in the pose of the root, behind the turn of its joint.
    let turn = Quaternion::from_rotation_vector(V3::from(body.theta).widen());
    let rotation = Quaternion::from(body.pose.rotation).widen().unit();
    (body.pose.position, rotation.times(turn.conjugate()))
}

/// Moments of inertia, none of which is larger than the sum of the others: MuJoCo refuses them otherwise, and rounding is enough to make a
/// thin leaf miss it.
fn possible(mut inertia: [f64; 3]) -> [f64; 3] {
    for i in 0..3 {
        let others = inertia[(i + 1) % 3] + inertia[(i + 2) % 3];
        inertia[i] = inertia[i].min(others);
    }
    inertia
}

/// The shortest text that reads back as the same f32, or, if it is not one, f64.
fn number(x: f64) -> String {
    let single = x as f32;
    let plain = x == 0.0 || (1e-4..1e7).contains(&x.abs());
    match (f64::from(single) == x, plain) {
        (true, true) => format!("{single}"),
        (true, false) => format!("{single:e}"),
        (false, true) => format!("{x}"),
        (false, false) => format!("{x:e}"),
    }
}

/// What a reader in double precision makes of the text of a number, which is not quite the number.
fn as_read(x: f32) -> f64 {
    let text = number(x.into());
    text.parse().expect("a number that was just written")
}

fn triple(v: Vec3) -> String {
    let [x, y, z] = v.to_array().map(|c| number(c.into()));
    format!("{x} {y} {z}")
}

fn wxyz(q: Quaternion<f64>) -> [f64; 4] {
    [q.w, q.v.x, q.v.y, q.v.z]
}

fn quaternion(q: Quaternion<f64>) -> String {
    let [w, x, y, z] = wxyz(q).map(number);
    format!("{w} {x} {y} {z}")
}

/// Fit to stand in quotes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}
