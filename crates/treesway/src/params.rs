//! What a user tunes: materials, curves, multipliers, overrides, and how a tree is solved.

use crate::breakage::Breakage;
use crate::curve::QuantityCurve;
use crate::desc::{BodyId, BuildError};
use crate::particles::ParticleSettings;
use crate::self_contact::SelfContactSettings;
use crate::shed::Shedding;
use crate::spectral::SpectralSettings;
use crate::stems::StemSettings;
use glam::Vec3;

/// Everything that turns the geometry of a tree into masses, springs and dampers. Change it while the tree moves with
/// [`crate::Tree::set_params`].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct TreeParams {
    /// Trunk, branches and twigs.
    pub wood: Wood,
    /// Leaves and petals.
    pub leaf: LeafMaterial,
    /// Fruit and their stems.
    pub fruit: FruitMaterial,
    /// Tuning over radius, for the whole tree.
    pub curves: Curves,
    /// Four global factors.
    pub multipliers: Multipliers,
    /// Other curves for chosen subtrees; the nearest one below a body wins.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub overrides: Vec<Override>,
    /// Stiffer joints near forks.
    pub forks: ForkStiffening,
    /// Damping by what a person thinks in; in place of wood β and Rayleigh's α (default: none).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub damping_ratio: Option<DampingRatio>,
    /// Rayleigh's α, 1/s: damping that is proportional to mass, an ether drag (default: 0, as in the paper).
    pub rayleigh_alpha: f32,
    /// Whether the given pose already sags.
    pub gravity_pose: GravityPose,
    /// How leaves, petals and fruit come off.
    pub shedding: Shedding,
    /// When wood breaks.
    pub breakage: Breakage,
}

/// Wood of trunk, branches and twigs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Wood {
    /// kg/m³, green (default: 800).
    pub density: f32,
    /// Modulus of elasticity E, Pa (default: 8e9, between green maple and oak).
    pub youngs_modulus: f32,
    /// G/E (default: 1/16, wood; 1/2.76 for an isotropic beam with Poisson's ratio 0.38).
    pub shear_ratio: f32,
    /// β, s: damping torque is β·K·(angular rate) (default: 0.01; a 1-Hz sway then loses 3 % of critical damping).
    pub damping_beta: f32,
}

impl Default for Wood {
    fn default() -> Self {
        Self {
            density: 800.0,
            youngs_modulus: 8e9,
            shear_ratio: 1.0 / 16.0,
            damping_beta: 0.01,
        }
    }
}

/// Leaves: springs given by the frequency at which a leaf alone would flap, sway or twist.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct LeafMaterial {
    /// kg/m³ (default: 700).
    pub density: f32,
    /// Flapping, about the width (x), Hz (default: 4).
    pub flap_hz: f32,
    /// Swaying, about the normal (y), Hz (default: 6).
    pub sway_hz: f32,
    /// Twisting, about the length (z), Hz (default: 5).
    pub twist_hz: f32,
    /// β, s (default: 0.015).
    pub damping_beta: f32,
    /// How many blades a leaf of the tree stands for (default: 1). Many of them, held every which way, meet the wind like a ball of leaves and not
    /// like a flat plate.
    pub blades: f32,
}

impl Default for LeafMaterial {
    fn default() -> Self {
        Self {
            density: 700.0,
            flap_hz: 4.0,
            sway_hz: 6.0,
            twist_hz: 5.0,
            damping_beta: 0.015,
            blades: 1.0,
        }
    }
}

/// Fruit: a heavy sphere on an elastic stem.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct FruitMaterial {
    /// kg/m³ (default: 850, an apple).
    pub density: f32,
    /// E of the stem, Pa (default: 1e9).
    pub stem_modulus: f32,
    /// β, s (default: 0.03).
    pub damping_beta: f32,
}

impl Default for FruitMaterial {
    fn default() -> Self {
        Self {
            density: 850.0,
            stem_modulus: 1e9,
            damping_beta: 0.03,
        }
    }
}

/// Curves over the radius of a branch (paper §9).
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Curves {
    /// Bending stiffness, N·m/rad.
    pub bend: QuantityCurve,
    /// Twisting stiffness, N·m/rad.
    pub twist: QuantityCurve,
    /// Damping β, s.
    pub damping: QuantityCurve,
}

/// Global factors on stiffness and damping (each default: 1; stiffness greater than zero, damping not negative).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Multipliers {
    /// Stiffness of segments and fruit stems.
    pub branch_stiffness: f32,
    /// Damping of segments and fruit stems.
    pub branch_damping: f32,
    /// Stiffness of leaves.
    pub leaf_stiffness: f32,
    /// Damping of leaves.
    pub leaf_damping: f32,
}

impl Default for Multipliers {
    fn default() -> Self {
        Self {
            branch_stiffness: 1.0,
            branch_damping: 1.0,
            leaf_stiffness: 1.0,
            leaf_damping: 1.0,
        }
    }
}

/// Curves of its own for the subtree that starts at a body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Override {
    /// First body of the subtree.
    pub body: BodyId,
    /// In place of the curves that would hold there.
    #[cfg_attr(feature = "serde", serde(default))]
    pub curves: Curves,
    /// Factors on the stiffness of the subtree's leaves: flapping, swaying, twisting (default: 1, 1, 1).
    #[cfg_attr(feature = "serde", serde(default = "ones"))]
    pub leaf_stiffness: Vec3,
}

#[cfg(feature = "serde")]
fn ones() -> Vec3 {
    Vec3::ONE
}

/// Joints near a fork are stiffer than the beam they were cut from (paper §11): factor at the fork, fading to 1.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct ForkStiffening {
    /// Stiffness factor at the fork (default: 1, off).
    pub factor: f32,
    /// How far it reaches, in radii of the branch (default: 6).
    pub reach_radii: f32,
}

impl Default for ForkStiffening {
    fn default() -> Self {
        Self {
            factor: 1.0,
            reach_radii: 6.0,
        }
    }
}

/// A share of critical damping instead of β.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct DampingRatio {
    /// ζ: 0 swings for ever, 1 creeps back. Trees: about 0.05 bare, 0.12 in leaf.
    pub zeta: f32,
    /// Where it holds, Hz: without it, at the first mode, and damping grows with frequency; with it, at both ends, and between them it is
    /// a little less (Rayleigh damping).
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub range_hz: Option<[f32; 2]>,
}

impl DampingRatio {
    /// (α [1/s], β [s]) for a tree whose first angular frequency is `first` rad/s: ζ = α/(2ω) + β ω/2.
    pub(crate) fn rayleigh(&self, first: f64) -> (f32, f32) {
        let zeta = f64::from(self.zeta);
        let (alpha, beta) = match self.range_hz {
            None => (0.0, 2.0 * zeta / first),
            Some(range) => {
                let [low, high] = range.map(|f| core::f64::consts::TAU * f64::from(f));
                (
                    2.0 * zeta * low * high / (low + high),
                    2.0 * zeta / (low + high),
                )
            }
        };
        (alpha as f32, beta as f32)
    }
}

/// What the given pose stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum GravityPose {
    /// The pose of the tree under this gravity, m/s²: springs are relaxed at θ₀ = −K⁻¹·(gravity torque), so that nothing
    /// sags on load (default: 9.81 m/s² down).
    #[default]
    Held,
    /// The pose of the unloaded tree: it sags when the simulation starts. For tests against theory.
    Unloaded,
}

/// Gravity at which [`GravityPose::Held`] holds, and the default of a world, m/s².
pub const STANDARD_GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// How a tree is stepped.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct SolverSettings {
    /// Which method (default: coupled).
    pub solver: Solver,
    /// Steps per frame (default: 0, the solver's own: 2 for coupled, else 1).
    pub substeps: u32,
    /// Joint limits.
    pub limits: JointLimits,
    /// Inertial forces of the moving root and, as in the paper, of the moving parents.
    pub fictitious: Fictitious,
    /// Share of a body's own velocity in the air drag, 0 to 1 (default: 1). The analytic solver also limits it, see
    /// `docs/THEORY.md`.
    pub drag_feedback: f32,
    /// Coupled solver: every mode is damped by at least this share of critical damping (default: 0.01). β is raised where it is smaller.
    /// Particles: so is every spring.
    pub least_damping_ratio: f32,
    /// Analytic solver: factor on the inertia of every joint (default: 1). [`crate::Tree::analytic_inertia_scale`] says with which the tree
    /// sways at its true first frequency; its sag does not depend on it.
    pub inertia_scale: f32,
    /// Analytic solver: along which axes the three springs of a leaf lie (default: its own).
    pub leaf_springs: LeafSprings,
    /// Coupled solver: what is left of an infinitely fast oscillation after one step, 0 to 1 (default: 0.8).
    pub rho_infinity: f32,
    /// Coupled solver: centrifugal, Coriolis and gyroscopic terms (default: off). They are explicit and the only terms that can
    /// make it diverge; small swaying does not need them.
    pub velocity_products: bool,
    /// Largest error, m, that parts of the tree may be left out of the step for while they do not move (default: 0, none is). Not for trees
    /// with a free root, nor for particles.
    pub sleep_error: f32,
    /// Particles: what becomes of children, what acts on a branch, how a step is taken.
    pub particles: ParticleSettings,
    /// Spectral: how branches bend, what drives them, how far they swing.
    pub spectral: SpectralSettings,
    /// Contact: the constants of its motion.
    pub stems: StemSettings,
    /// Whether and how the tree is kept from passing through itself.
    pub self_contact: SelfContactSettings,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            solver: Solver::default(),
            substeps: 0,
            limits: JointLimits::default(),
            fictitious: Fictitious::default(),
            drag_feedback: 1.0,
            least_damping_ratio: 0.01,
            inertia_scale: 1.0,
            leaf_springs: LeafSprings::default(),
            rho_infinity: 0.8,
            velocity_products: false,
            sleep_error: 0.0,
            particles: ParticleSettings::default(),
            spectral: SpectralSettings::default(),
            stems: StemSettings::default(),
            self_contact: SelfContactSettings::default(),
        }
    }
}

/// Along which axes the three springs of a leaf lie, for the analytic solver. Straight leaves move alike by both; of a bent one neither is the
/// spring of the coupled solver, which lies halfway (`docs/THEORY.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum LeafSprings {
    /// The leaf's own, which turn with it (default). Its inertia is diagonal there, so that nothing has to be diagonalised.
    #[default]
    Leaf,
    /// Those of its joint, which stay with the twig, as in the paper.
    Joint,
}

/// How a tree moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Solver {
    /// Quigley 2017: every joint on its own with its frozen subtree, in closed form.
    Analytic,
    /// Implicit articulated bodies: all joints at once, true frequencies (default).
    #[default]
    Coupled,
    /// The same bodies by forward Euler, for comparison only: needs thousands of steps per frame.
    Explicit,
    /// Particles at the ends of branches, each on a spring of its own: the simplest that moves, for grass and small plants.
    Particles,
    /// Habel 2009: no state at all, beams bent by noise of the right spectrum; for crowds and distance.
    Spectral,
    /// Stems and leaves that never pass through each other: every joint on its own, in closed form, with continuous collision detection.
    Contact,
}

/// Hard limits on every joint; a joint that meets one is counted in the report.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct JointLimits {
    /// Largest |θ|, rad, up to π (default: 1.5).
    pub angle: f32,
    /// Largest relative angular speed, rad/s (default: 200).
    pub rate: f32,
}

impl Default for JointLimits {
    fn default() -> Self {
        Self {
            angle: 1.5,
            rate: 200.0,
        }
    }
}

/// Fictitious torques of Eq. 20, one factor per term.
///
/// The motion of each parent splits into the rigid motion of the root and what the tree adds by bending. The first part is
/// exact and harmless and is taken in full; the second amplifies along chains (measured in `docs/THEORY.md`) and is
/// scaled by [`internal`](Self::internal). All five at 1 is the paper's equation.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Fictitious {
    /// −m̂ p̂ × a_j (default: 1).
    pub linear: f32,
    /// −Ĩ α_p (default: 1).
    pub angular: f32,
    /// −Ĩ (ω_p × ω_c) (default: 1).
    pub coriolis: f32,
    /// −ω_c × Ĩ ω_c (default: 1).
    pub gyroscopic: f32,
    /// Share of the tree's own motion in all four (default: 0).
    pub internal: f32,
    /// The torque is limited to what bends its joint by this angle at rest, rad (default: 0.5).
    pub limit: f32,
}

impl Default for Fictitious {
    fn default() -> Self {
        Self {
            linear: 1.0,
            angular: 1.0,
            coriolis: 1.0,
            gyroscopic: 1.0,
            internal: 0.0,
            limit: 0.5,
        }
    }
}

impl Fictitious {
    /// No fictitious torques: a tree does not feel its root move.
    pub fn off() -> Self {
        Self {
            linear: 0.0,
            angular: 0.0,
            coriolis: 0.0,
            gyroscopic: 0.0,
            internal: 0.0,
            limit: 0.5,
        }
    }

    /// Eq. 20 as printed. Unstable along chains of more than a few segments.
    pub fn paper() -> Self {
        Self {
            internal: 1.0,
            limit: f32::INFINITY,
            ..Self::default()
        }
    }
}

impl TreeParams {
    /// Names the first parameter out of its range.
    pub fn validate(&self, bodies: usize) -> Result<(), BuildError> {
        let positive = [
            ("wood.density", self.wood.density),
            ("wood.youngs_modulus", self.wood.youngs_modulus),
            ("wood.shear_ratio", self.wood.shear_ratio),
            ("leaf.density", self.leaf.density),
            ("leaf.flap_hz", self.leaf.flap_hz),
            ("leaf.sway_hz", self.leaf.sway_hz),
            ("leaf.twist_hz", self.leaf.twist_hz),
            ("fruit.density", self.fruit.density),
            ("fruit.stem_modulus", self.fruit.stem_modulus),
            ("forks.factor", self.forks.factor),
            ("forks.reach_radii", self.forks.reach_radii),
        ];
        let not_negative = [
            ("wood.damping_beta", self.wood.damping_beta),
            ("leaf.damping_beta", self.leaf.damping_beta),
            ("fruit.damping_beta", self.fruit.damping_beta),
            ("rayleigh_alpha", self.rayleigh_alpha),
            (
                "multipliers.branch_stiffness",
                self.multipliers.branch_stiffness,
            ),
            (
                "multipliers.branch_damping",
                self.multipliers.branch_damping,
            ),
            (
                "multipliers.leaf_stiffness",
                self.multipliers.leaf_stiffness,
            ),
            ("multipliers.leaf_damping", self.multipliers.leaf_damping),
        ];
        check(&positive, |v| v > 0.0, "a finite number greater than zero")?;
        check(&not_negative, |v| v >= 0.0, "a finite number, not negative")?;
        if let Some(d) = &self.damping_ratio {
            check(
                &[("damping_ratio.zeta", d.zeta)],
                |v| v >= 0.0,
                "a finite number, not negative",
            )?;
            let [low, high] = d.range_hz.unwrap_or([1.0, 2.0]);
            check(
                &[("damping_ratio.range_hz", low)],
                |v| v > 0.0,
                "two frequencies greater than zero, rising",
            )?;
            check(
                &[("damping_ratio.range_hz", high)],
                |v| v > low,
                "two frequencies greater than zero, rising",
            )?;
        }
        self.shedding.validate()?;
        self.breakage.validate()?;
        for (i, o) in self.overrides.iter().enumerate() {
            if o.body.index() >= bodies {
                let name = format!("overrides[{i}].body");
                return Err(BuildError::Parameter {
                    name,
                    value: o.body.0.into(),
                    expected: "the id of a body of this tree",
                });
            }
            if !(o.leaf_stiffness.is_finite() && o.leaf_stiffness.min_element() >= 0.0) {
                let name = format!("overrides[{i}].leaf_stiffness");
                let value = o.leaf_stiffness.min_element().into();
                return Err(BuildError::Parameter {
                    name,
                    value,
                    expected: "finite numbers, not negative",
                });
            }
        }
        Ok(())
    }
}

impl SolverSettings {
    /// Steps that a frame is divided into.
    pub fn steps_per_frame(&self) -> u32 {
        match (self.substeps, self.solver) {
            (_, Solver::Spectral)
            | (0, Solver::Analytic | Solver::Explicit | Solver::Particles | Solver::Contact) => 1,
            (0, Solver::Coupled) => 2,
            (n, _) => n,
        }
    }

    /// Names the first setting out of its range.
    pub fn validate(&self) -> Result<(), BuildError> {
        self.spectral.validate()?;
        let f = &self.fictitious;
        let factors = [
            ("fictitious.linear", f.linear),
            ("fictitious.angular", f.angular),
            ("fictitious.coriolis", f.coriolis),
            ("fictitious.gyroscopic", f.gyroscopic),
            ("fictitious.internal", f.internal),
        ];
        check(&factors, |_| true, "a finite number")?;
        check(
            &[("inertia_scale", self.inertia_scale)],
            |v| v > 0.0,
            "a finite number greater than zero",
        )?;
        check(
            &[
                ("least_damping_ratio", self.least_damping_ratio),
                ("sleep_error", self.sleep_error),
            ],
            |v| v >= 0.0,
            "a finite number, not negative",
        )?;
        check(
            &[("rho_infinity", self.rho_infinity)],
            |v| (0.0..=1.0).contains(&v),
            "a number from 0 to 1",
        )?;
        check(
            &[("limits.rate", self.limits.rate)],
            |v| v > 0.0,
            "a finite number greater than zero",
        )?;
        let angle = [("limits.angle", self.limits.angle)];
        check(
            &angle,
            |v| v > 0.0 && v <= core::f32::consts::PI,
            "an angle greater than zero, up to pi",
        )?;
        check(
            &[("drag_feedback", self.drag_feedback)],
            |v| (0.0..=1.0).contains(&v),
            "a number from 0 to 1",
        )?;
        // Infinity is allowed: no limit.
        if f.limit.is_nan() || f.limit <= 0.0 {
            let name = "fictitious.limit".into();
            return Err(BuildError::Parameter {
                name,
                value: f.limit.into(),
                expected: "an angle greater than zero",
            });
        }
        self.stems.validate()?;
        self.self_contact.validate()?;
        if !(0..=10_000_000).contains(&self.substeps) {
            let name = "substeps".into();
            let expected = "a whole number from 0 to 10000000";
            return Err(BuildError::Parameter {
                name,
                value: self.substeps.into(),
                expected,
            });
        }
        Ok(())
    }
}

pub(crate) fn check(
    named: &[(&str, f32)],
    good: impl Fn(f32) -> bool,
    expected: &'static str,
) -> Result<(), BuildError> {
    for &(name, value) in named {
        if !(value.is_finite() && good(value)) {
            return Err(BuildError::Parameter {
                name: name.into(),
                value: value.into(),
                expected,
            });
        }
    }
    Ok(())
}
