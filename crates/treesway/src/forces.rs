//! Forces on bodies: fields over the whole tree, loads on single bodies, and pulls.
//!
//! A force carries its derivatives: −∂f/∂x and −∂f/∂v, both positive semi-definite. A solver that can takes them implicitly; the
//! analytic one limits them (see [`crate::SolverSettings::drag_feedback`] and [`Pull`]).

use crate::desc::{BodyId, BodyKind};
use crate::math::simd::{Isa, Kernel, ROW, Row, Rows, Vector, dispatch, rows};
use crate::math::{Real, Sym3, V3};
use crate::surroundings::splat;
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
        })
    }
}

/// Force and torque on a body, at and about its centre of mass, world frame.
#[derive(Clone, Copy, Debug)]
pub struct FieldForce<T = f32> {
    /// N.
    pub force: V3<T>,
    /// N·m.
    pub torque: V3<T>,
    /// −∂f/∂v, kg/s, positive semi-definite.
    pub damping: Sym3<T>,
}
rows!(FieldForce, force, torque, damping);

impl<T: Real> FieldForce<T> {
    /// Nothing.
    #[inline(always)]
    pub fn none() -> Self {
        Self {
            force: V3::zero(),
            torque: V3::zero(),
            damping: Sym3::zero(),
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
        let damping = Sym3 {
            xx: ZERO,
            yy: ZERO,
            zz: ZERO,
            xy: ZERO,
            xz: ZERO,
            yz: ZERO,
        };
        Self {
            force: zero,
            torque: zero,
            damping,
        }
    }
}

/// A force on every body as a function of its place and motion: wind, water, magnets. Called from several threads; must be a
/// pure function of its arguments for the motion to be reproducible.
pub trait ForceField: Send + Sync {
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

/// Air that moves everywhere alike, with the drag of Eq. 21 on branches, Eq. 22 on fruit and the pressure term of Eq. 23 on leaves:
///
///   f = κ ρ A ‖u‖ u,   u = v_wind − v_body, across the branch | whole | along the leaf's normal with ‖v_rel‖.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct UniformWind {
    /// m/s.
    pub velocity: Vec3,
    /// ρ, kg/m³ (default: 1.225).
    pub air_density: f32,
    /// κ, of branches and fruit (default: 0.5, drag coefficient 1).
    pub drag: f32,
    /// κ_l, of leaves (default: 0.15, drag coefficient 0.3). A lone blade across the wind has 0.5; in a crown leaves stand in each other's lee, and
    /// canopies as a whole are measured at a drag coefficient of 0.15 to 0.3 per leaf area.
    pub leaf_drag: f32,
}

impl Default for UniformWind {
    fn default() -> Self {
        Self {
            velocity: Vec3::ZERO,
            air_density: 1.225,
            drag: 0.5,
            leaf_drag: 0.15,
        }
    }
}

impl ForceField for UniformWind {
    fn force(&self, _seconds: f64, body: &BodySample) -> FieldForce {
        self.drag_on(
            body.kind as u8 as f32,
            body.area,
            body.velocity,
            body.axis,
            body.normal,
        )
    }

    fn forces(&self, isa: Isa, _seconds: f64, bodies: &BodySamples, result: &mut FieldForce<Row>) {
        dispatch(
            isa,
            WindOnTile {
                wind: self,
                bodies,
                result,
            },
        );
    }
}

impl UniformWind {
    /// f = c·P u with P the projection that the kind of body feels; −∂f/∂v ≥ c P with the speed held, which is used.
    #[inline(always)]
    fn drag_on<T: Vector>(
        &self,
        kind: T,
        area: T,
        velocity: V3<T>,
        axis: V3<T>,
        normal: V3<T>,
    ) -> FieldForce<T> {
        let wood = kind.lt(T::of(f64::from(BodyKind::Segment as u8) + 0.5));
        let not_fruit = kind.lt(T::of(f64::from(BodyKind::Leaf as u8) + 0.5));
        let u = splat(self.velocity.into()) - velocity;
        // P = 1 − a aᵀ across the axis of wood, n nᵀ along the normal of a leaf, 1 of a fruit.
        let whole = T::select(not_fruit, T::select(wood, T::one(), T::zero()), T::one());
        let sign = T::select(not_fruit, T::select(wood, -T::one(), T::one()), T::zero());
        let along = V3 {
            x: T::select(wood, axis.x, normal.x),
            y: T::select(wood, axis.y, normal.y),
            z: T::select(wood, axis.z, normal.z),
        };
        let p = Sym3::diagonal(V3::splat(whole)) + Sym3::outer(along, sign);
        let felt = p.apply(u);
        let speed = T::select(wood, felt.length(), u.length());
        let leaf = T::select(not_fruit, T::splat(self.leaf_drag), T::splat(self.drag));
        let drag = T::select(wood, T::splat(self.drag), leaf);
        let c = drag * speed * T::splat(self.air_density) * area;
        FieldForce {
            force: felt * c,
            torque: V3::zero(),
            damping: p.scale(c),
        }
    }
}

struct WindOnTile<'a> {
    wind: &'a UniformWind,
    bodies: &'a BodySamples,
    result: &'a mut FieldForce<Row>,
}

impl Kernel for WindOnTile<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let b = self.bodies;
        for at in (0..ROW).step_by(T::WIDTH) {
            let f = self.wind.drag_on::<T>(
                b.kind.load(at),
                b.area.load(at),
                b.velocity.load(at),
                b.axis.load(at),
                b.normal.load(at),
            );
            self.result.store(at, f);
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
