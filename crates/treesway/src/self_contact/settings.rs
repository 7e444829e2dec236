//! What a user chooses of the contacts of a tree with itself.

use crate::desc::BuildError;
use crate::params::{Solver, check};

/// Least gap, m: below some micrometres distances of single-precision poses are rounding.
const LEAST_GAP: f32 = 2e-5;

/// Largest gap, m: beyond it all of a tree would be near all of it.
const MOST_GAP: f32 = 0.1;

/// Every response is a pass over all that meets: a frame must end.
const MOST_RESPONSES: u32 = 100;

/// How a tree is kept from passing through itself.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct SelfContactSettings {
    /// Whether it is; by default with the solver `contact` and with no other.
    pub enabled: Option<bool>,
    /// What stays between bark and leaves, m, from 0.00002 to 0.1 (default: 0.0005). Poses are in single precision, and a gap of their rounding would keep nothing apart.
    pub gap: f32,
    /// Where a response points (default: nearest).
    pub directions: ResponseDirections,
    /// C_r, N: size of every response, as printed (default: 0, as much as parts the two).
    pub force: f32,
    /// Coulomb's μ between parts that press on each other, at least 0 (default: 0.3; 0: they slide without). As printed, with C_r, there is none.
    pub friction: f32,
    /// How often responses are tried in a frame, 0 to 100, before what still meets goes only as far as its first contact, or stays in its last clean pose (default: 8).
    pub responses: u32,
}

impl Default for SelfContactSettings {
    fn default() -> Self {
        Self {
            enabled: None,
            gap: 5e-4,
            directions: ResponseDirections::Nearest,
            force: 0.0,
            friction: 0.3,
            responses: 8,
        }
    }
}

/// Where a response points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum ResponseDirections {
    /// Along the nearest points of both at the contact, of all pairs, and there: leaves twist out of the way (default).
    #[default]
    Nearest,
    /// By the cases of the paper: normals of leaves, above and below by count, and against the motion of leaves (Eq. 8), on midribs.
    Cases,
}

impl SelfContactSettings {
    /// Whether a tree with this solver is kept from passing through itself.
    pub fn keeps_apart(&self, solver: Solver) -> bool {
        self.enabled.unwrap_or(solver == Solver::Contact)
    }

    /// Names the first setting out of its range.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        check(
            &[("self_contact.gap", self.gap)],
            |v| (LEAST_GAP..=MOST_GAP).contains(&v),
            "a length from 0.00002 to 0.1 m",
        )?;
        if self.responses > MOST_RESPONSES {
            return Err(BuildError::Parameter {
                name: "self_contact.responses".into(),
                value: self.responses.into(),
                expected: "a whole number from 0 to 100",
            });
        }
        check(
            &[
                ("self_contact.force", self.force),
                ("self_contact.friction", self.friction),
            ],
            |v| v >= 0.0,
            "a finite number, not negative",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a setting is refused with.
    fn refusal(change: impl Fn(&mut SelfContactSettings)) -> String {
        let mut settings = SelfContactSettings::default();
        change(&mut settings);
        let refused = settings.validate().expect_err("out of range");
        refused.to_string()
    }

    #[test]
    fn gaps_that_rounding_would_close_are_refused() {
        for gap in [0.0, 1e-9, 1e-7, 1.9e-5, 0.2, -1.0, f32::NAN] {
            let told = refusal(|s| s.gap = gap);
            let expected = "; expected a length from 0.00002 to 0.1 m";
            let begins = told.starts_with("parameter self_contact.gap is ");
            assert!(begins && told.ends_with(expected), "{told}");
        }
        for gap in [2e-5, 5e-4, 0.1] {
            let settings = SelfContactSettings {
                gap,
                ..SelfContactSettings::default()
            };
            assert_eq!(settings.validate(), Ok(()));
        }
    }

    #[test]
    fn responses_without_end_are_refused() {
        assert_eq!(
            refusal(|s| (s.responses, s.force) = (100_000, 1e-9)),
            "parameter self_contact.responses is 100000; expected a whole number from 0 to 100"
        );
        let most = SelfContactSettings {
            responses: 100,
            ..SelfContactSettings::default()
        };
        assert_eq!(most.validate(), Ok(()));
    }

    #[test]
    fn friction_that_pulls_is_refused() {
        for friction in [-0.1, f32::INFINITY, f32::NAN] {
            let told = refusal(|s| s.friction = friction);
            let begins = told.starts_with("parameter self_contact.friction is ");
            let expected = "; expected a finite number, not negative";
            assert!(begins && told.ends_with(expected), "{told}");
        }
    }
}
