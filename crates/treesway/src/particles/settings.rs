//! What a user chooses of the particle tree.

/// How a tree of particles moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct ParticleSettings {
    /// What becomes of the children of a branch that turns (default: turned).
    pub children: Propagation,
    /// What acts on a branch (default: all that it carries).
    pub rods: Rods,
    /// How a step is taken (default: closed form).
    pub scheme: ParticleScheme,
}

impl ParticleSettings {
    /// Everything as printed; needs small steps.
    pub fn as_printed() -> Self {
        Self {
            children: Propagation::Moved,
            rods: Rods::Own,
            scheme: ParticleScheme::AsPrinted,
        }
    }
}

/// What becomes of the children of a branch that turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Propagation {
    /// They turn with it, as a branch does that grows from another (default).
    #[default]
    Turned,
    /// They are moved and keep their direction, as printed (Eq. 5.2–5.3).
    Moved,
}

/// What acts on a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Rods {
    /// Mass and forces of everything it carries, at their common centre of mass (default): leaves move twigs and a crown its trunk, and
    /// the motion hardly depends on how finely branches are cut.
    #[default]
    Carried,
    /// Its own mass and the force at its own end, as printed.
    Own,
}

/// How a step is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum ParticleScheme {
    /// The same equations in closed form over the step: stable at any step (default).
    #[default]
    ClosedForm,
    /// Constant acceleration over the step (Eq. 2.4–2.5): diverges where a step is long against the period of a spring.
    AsPrinted,
}
