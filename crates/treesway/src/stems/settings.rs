//! The constants of the solver `contact`.

use crate::desc::BuildError;
use crate::params::check;

/// How stems and leaves of the solver `contact` move. The limit on the angle of a child is [`crate::JointLimits::angle`], C_r is
/// [`crate::SelfContactSettings::force`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct StemSettings {
    /// K_r, rigidity: factor on the stiffness of every joint, and on what is transferred (default: 1). From stem to stem down to the trunk it multiplies with itself.
    pub rigidity: f32,
    /// K_t, transitivity: share of the forces on children that acts on their parent (default: 1).
    pub transfer: f32,
    /// K_d: share of the angular velocity that is lost in 1/30 s, 0 to 1 (default: 0.05).
    pub damping: f32,
    /// C_W, kg/(s·m²): force of the wind on a leaf per area and speed across it (default: 6, that of a flat plate at 10 m/s).
    pub leaf_wind: f32,
    /// Pressure that bends the sides of a blade about its midrib, and the midrib, by a radian, Pa (default: 200; the wind presses with C_W times its speed across).
    pub blade_stiffness: f32,
    /// How a step is taken (default: closed form).
    pub scheme: StemScheme,
}

impl Default for StemSettings {
    fn default() -> Self {
        Self {
            rigidity: 1.0,
            transfer: 1.0,
            damping: 0.05,
            leaf_wind: 6.0,
            blade_stiffness: 200.0,
            scheme: StemScheme::ClosedForm,
        }
    }
}

/// How a step is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum StemScheme {
    /// The same forces with their levers on all that a joint carries, in closed form over the step: stable at any step (default).
    #[default]
    ClosedForm,
    /// (1)–(7) as printed, each stem a rod of its own with forces at its end: diverges where a step is long against the period of a rod.
    AsPrinted,
}

impl StemSettings {
    /// Names the first setting out of its range.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        check(
            &[
                ("stems.rigidity", self.rigidity),
                ("stems.blade_stiffness", self.blade_stiffness),
            ],
            |v| v > 0.0,
            "a finite number greater than zero",
        )?;
        check(
            &[
                ("stems.transfer", self.transfer),
                ("stems.leaf_wind", self.leaf_wind),
            ],
            |v| v >= 0.0,
            "a finite number, not negative",
        )?;
        check(
            &[("stems.damping", self.damping)],
            |v| (0.0..1.0).contains(&v),
            "a number from 0 up to but not 1",
        )
    }
}
