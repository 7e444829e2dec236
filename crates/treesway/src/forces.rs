//! Forces on bodies: fields over the whole tree, loads on single bodies, and pulls.
//!
//! A force carries its derivatives by velocity and by turns of the body, all positive semi-definite. A solver that can takes them
//! implicitly; the analytic one limits them (see [`crate::SolverSettings::drag_feedback`] and [`Pull`]).

use crate::desc::{BodyId, BodyKind};
use crate::math::simd::{Isa, ROW, Row, Rows, rows};
use crate::math::{Real, Sym3, V3};
use crate::spectral::SpectralWind;
use crate::tree::Tree;
use glam::{Quat, Vec3};

/// A body as a force field sees it.
#[derive(Clone, Copy, Debug)]
pub struct BodySample {
    /// Which body.
    pub id: BodyId,
    /// What it is.
    pub kind: BodyKind,
    /// kg.
    pub mass: f32,
    /// Cross-section broadside to the wind, m²: ℓ(a+b) of a frustum, the triangle of a leaf, the disc of a fruit.
    pub area: f32,
    /// Centre of mass in the world, m.
    pub position: V3<f32>,
    /// Of the centre of mass, m/s.
    pub velocity: V3<f32>,
    /// rad/s.
    pub angular_velocity: V3<f32>,
    /// Unit vector along the axis or length (z of the body) in the world.
    pub axis: V3<f32>,
    /// Unit normal of a leaf (y of the body) in the world.
    pub normal: V3<f32>,
    /// From the joint to the centre of mass along the axis, m; 0 of a body that is off the tree.
    pub com_z: f32,
    /// How many blades a leaf stands for; 1 off the tree.
    pub blades: f32,
    /// Whether it is off the tree.
    pub free: bool,
}

/// Sixteen bodies as a force field sees them.
#[derive(Clone, Copy, Debug)]
pub struct BodySamples {
    /// Which bodies; [`BodySamples::NOBODY`] where there is none.
    pub id: [u32; ROW],
    /// [`BodyKind`] as a number.
    pub kind: Row,
    /// kg.
    pub mass: Row,
    /// As of [`BodySample`].
    pub area: Row,
    /// As of [`BodySample`].
    pub position: V3<Row>,
    /// As of [`BodySample`].
    pub velocity: V3<Row>,
    /// As of [`BodySample`].
    pub angular_velocity: V3<Row>,
    /// As of [`BodySample`].
    pub axis: V3<Row>,
    /// As of [`BodySample`].
    pub normal: V3<Row>,
    /// As of [`BodySample`].
    pub com_z: Row,
    /// As of [`BodySample`]; the same for all leaves of a tree.
    pub blades: f32,
    /// As of [`BodySample`]; the same for all sixteen.
    pub free: bool,
}

impl BodySamples {
    /// Id of an empty lane.
    pub const NOBODY: u32 = crate::block::NOBODY;

    /// One of them; none where the lane is empty.
    pub fn get(&self, lane: usize) -> Option<BodySample> {
        let id = self.id[lane];
        (id != Self::NOBODY).then(|| BodySample {
            id: BodyId(id),
            kind: BodyKind::of_number(self.kind.0[lane]),
            mass: self.mass.0[lane],
            area: self.area.0[lane],
            position: self.position.get(lane),
            velocity: self.velocity.get(lane),
            angular_velocity: self.angular_velocity.get(lane),
            axis: self.axis.get(lane),
            normal: self.normal.get(lane),
            com_z: self.com_z.get(lane),
            blades: self.blades,
            free: self.free,
        })
    }
}

/// Force and torque on a body, at and about its centre of mass, world frame.
#[derive(Clone, Copy, Debug)]
pub struct FieldForce<T = f32> {
    /// N.
    pub force: V3<T>,
    /// N·m, without what `spin_rate` takes away.
    pub torque: V3<T>,
    /// −∂f/∂v, kg/s, positive semi-definite.
    pub damping: Sym3<T>,
    /// ν, how fast the field takes away the body's spin, 1/s: the solver adds the torque −ν I ω, I about the centre of mass.
    pub spin_rate: T,
    /// −∂(τ + r × f)/∂φ about the body's joint for a turn φ of the body across its axis z, N·m, not negative: how the air holds a leaf in the lee of
    /// its stalk. An estimate is enough; what it is off costs accuracy, not balance.
    pub turning: T,
    /// The same for a turn about z.
    pub twisting: T,
    /// Size that the force may have at the most as the body turns, N; where it is less than that of the force, no more is known. What lies along the wind
    /// feels nothing of it until it leaves it.
    pub most: T,
}
rows!(
    FieldForce, force, torque, damping, spin_rate, turning, twisting, most
);

impl<T: Real> FieldForce<T> {
    /// Nothing.
    #[inline(always)]
    pub fn none() -> Self {
        Self {
            force: V3::zero(),
            torque: V3::zero(),
            damping: Sym3::zero(),
            spin_rate: T::zero(),
            turning: T::zero(),
            twisting: T::zero(),
            most: T::zero(),
        }
    }

    /// Both together.
    #[inline(always)]
    pub(crate) fn plus(self, o: Self) -> Self {
        Self {
            force: self.force + o.force,
            torque: self.torque + o.torque,
            damping: self.damping + o.damping,
            spin_rate: self.spin_rate + o.spin_rate,
            turning: self.turning + o.turning,
            twisting: self.twisting + o.twisting,
            most: self.most + o.most,
        }
    }
}

impl FieldForce {
    /// The same field, so many times as strong.
    pub(crate) fn times(self, factor: f32) -> Self {
        Self {
            force: self.force * factor,
            torque: self.torque * factor,
            damping: self.damping.scale(factor),
            spin_rate: self.spin_rate * factor,
            turning: self.turning * factor,
            twisting: self.twisting * factor,
            most: self.most * factor,
        }
    }
}

impl FieldForce<Row> {
    /// Nothing on sixteen bodies.
    pub fn none_of_sixteen() -> Self {
        const ZERO: Row = Row::ZERO;
        let zero = V3 {
            x: ZERO,
            y: ZERO,
            z: ZERO,
        };
        Self {
            force: zero,
            torque: zero,
            damping: Sym3 {
                xx: ZERO,
                yy: ZERO,
                zz: ZERO,
                xy: ZERO,
                xz: ZERO,
                yz: ZERO,
            },
            spin_rate: ZERO,
            turning: ZERO,
            twisting: ZERO,
            most: ZERO,
        }
    }
}

/// A force on every body as a function of its place and motion: wind, water, magnets. Called from several threads; must be a
/// pure function of its arguments for the motion to be reproducible.
pub trait ForceField: Send + Sync {
    /// Called before every frame with all trees as they stand: for a field that they change. It must depend on nothing but these.
    fn meet(&mut self, trees: &[Tree]) {
        let _ = trees;
    }

    /// Called before every frame, which starts at `seconds` and lasts `frame_secs`: for what is the same for all bodies.
    fn prepare(&mut self, seconds: f64, frame_secs: f64) {
        let _ = (seconds, frame_secs);
    }

    /// Mean wind at a place and how unsteady it is, for what moves without asking for forces; none where the field is no wind.
    fn breeze(&self, position: Vec3) -> Option<SpectralWind> {
        let _ = position;
        None
    }

    /// Velocity of the air at a place, m/s, where the field is a wind; none where it is something else.
    fn air(&self, seconds: f64, position: V3<f32>) -> Option<V3<f32>> {
        let _ = (seconds, position);
        None
    }

    /// Force on one body at a time, s.
    fn force(&self, seconds: f64, body: &BodySample) -> FieldForce;

    /// Forces on sixteen bodies, with the vectors that `isa` names. A field that is evaluated for many bodies may do better here than one
    /// after the other; the result must be the same.
    fn forces(&self, isa: Isa, seconds: f64, bodies: &BodySamples, result: &mut FieldForce<Row>) {
        let _ = isa;
        for lane in 0..ROW {
            let one = bodies.get(lane).map(|body| self.force(seconds, &body));
            result.set(lane, one.unwrap_or_else(FieldForce::none));
        }
    }
}

/// How long a load acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duration {
    /// During the next frame only.
    Frame,
    /// Until [`crate::Tree::clear_loads`].
    Held,
}

/// A force and torque on one body, constant in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Which body.
    pub body: BodyId,
    /// Where the force acts, m, in the body's frame.
    pub point_in_body: Vec3,
    /// N, world.
    pub force: Vec3,
    /// N·m, world, besides that of the force.
    pub torque: Vec3,
    /// How long.
    pub duration: Duration,
}

impl Load {
    /// A force at a point of a body, during the next frame.
    pub fn force(body: BodyId, point_in_body: Vec3, force: Vec3) -> Self {
        Self {
            body,
            point_in_body,
            force,
            torque: Vec3::ZERO,
            duration: Duration::Frame,
        }
    }

    /// A torque on a body, during the next frame.
    pub fn torque(body: BodyId, torque: Vec3) -> Self {
        Self {
            body,
            point_in_body: Vec3::ZERO,
            force: Vec3::ZERO,
            torque,
            duration: Duration::Frame,
        }
    }

    /// The same load until it is cleared.
    pub fn held(self) -> Self {
        Self {
            duration: Duration::Held,
            ..self
        }
    }
}

/// A damped spring from a point of a body to a target: a hand that pulls. Taken implicitly, so that any strength is stable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Which body.
    pub body: BodyId,
    /// Where it is held, m, in the body's frame.
    pub point_in_body: Vec3,
    /// Where the hand is, m, world.
    pub target: Vec3,
    /// N/m, up to infinity: the point then follows the target.
    pub stiffness: f32,
    /// N·s/m.
    pub damping: f32,
    /// Strength of the hand, N (infinity: no limit).
    pub most_force: f32,
}

impl Pull {
    /// A pull without damping of its own and without a limit.
    pub fn new(body: BodyId, point_in_body: Vec3, target: Vec3, stiffness: f32) -> Self {
        Self {
            body,
            point_in_body,
            target,
            stiffness,
            damping: 0.0,
            most_force: f32::INFINITY,
        }
    }
}

/// World pose of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPose {
    /// Its joint, m.
    pub position: Vec3,
    /// World from body.
    pub rotation: Quat,
}

impl BodyPose {
    /// A point of the body in the world.
    pub fn point(&self, in_body: Vec3) -> Vec3 {
        let q = crate::math::Quaternion::from(self.rotation);
        self.position + Vec3::from(q.rotate(in_body.into()))
    }
}
