//! What a user says of a wind.

use super::gusts::MOST_OCTAVES;
use super::{Air, Gusts, Shelter, Wiggle, WindGrid, WindProfile};
use crate::desc::BuildError;
use crate::params::check;
use glam::Vec3;

/// A wind, as [`super::Wind::new`] takes it.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct WindSettings {
    /// Mean velocity, m/s (default: 0). Gusts travel with it, also over a grid.
    pub velocity: Vec3,
    /// How it grows with height.
    pub profile: WindProfile,
    /// How it varies.
    pub gusts: Gusts,
    /// How it turns back and forth.
    pub wiggle: Wiggle,
    /// Mean velocities by place, instead of `velocity`.
    pub grid: Option<WindGrid>,
    /// How trees weaken it.
    pub shelter: Shelter,
    /// What moves, and how bodies meet it.
    pub air: Air,
}

/// Mean speed of a Beaufort number at 10 m, m/s: 0.836 B^1.5.
pub fn beaufort(number: f32) -> f32 {
    (0.836 * libm::pow(f64::from(number), 1.5)) as f32
}

impl WindSettings {
    /// Names the first setting out of its range.
    pub fn validate(&self) -> Result<(), BuildError> {
        let (air, gusts, wiggle) = (&self.air, &self.gusts, &self.wiggle);
        let v = self.velocity;
        check(
            &[("velocity", v.x), ("velocity", v.y), ("velocity", v.z)],
            |v| v.abs() <= 1e6,
            "a number up to 1e6",
        )?;
        check(
            &[
                ("air.density", air.density),
                ("air.drag", air.drag),
                ("air.leaf_drag", air.leaf_drag),
                ("air.free_leaf_drag", air.free_leaf_drag),
                ("air.leaf_resistance", air.leaf_resistance),
                ("gusts.strength", gusts.strength),
                ("gusts.persistence", gusts.persistence),
                ("wiggle.strength", wiggle.strength),
                ("shelter.strength", self.shelter.strength),
            ],
            |v| v >= 0.0,
            "a finite number, not negative",
        )?;
        check(
            &[
                ("air.leaf_glide", air.leaf_glide),
                ("gusts.size", gusts.size),
                ("wiggle.width", wiggle.width),
                ("wiggle.period", wiggle.period),
                ("profile.height", self.profile.height),
                ("shelter.recovery", self.shelter.recovery),
                ("shelter.cell_size", self.shelter.cell_size),
            ],
            |v| v > 0.0,
            "a finite number greater than zero",
        )?;
        check(
            &[("profile.exponent", self.profile.exponent)],
            |v| (0.0..=1.0).contains(&v),
            "a number from 0 to 1",
        )?;
        check(
            &[("air.leaf_swirl", air.leaf_swirl)],
            |_| true,
            "an angle in radians",
        )?;
        at_most("gusts.octaves", gusts.octaves)?;
        self.grid.as_ref().map_or(Ok(()), WindGrid::validate)
    }
}

fn at_most(name: &str, octaves: u32) -> Result<(), BuildError> {
    if octaves <= MOST_OCTAVES {
        return Ok(());
    }
    Err(BuildError::Parameter {
        name: name.into(),
        value: octaves.into(),
        expected: "at most 12",
    })
}

impl WindGrid {
    fn validate(&self) -> Result<(), BuildError> {
        let wrong = |name: &str, value: f64, expected: &'static str| {
            Err(BuildError::Parameter {
                name: name.into(),
                value,
                expected,
            })
        };
        if self.columns == 0 {
            return wrong("grid.columns", 0.0, "at least 1");
        }
        if self.cells.is_empty() || !self.cells.len().is_multiple_of(self.columns) {
            let found = self.cells.len() as f64;
            return wrong("grid.cells", found, "as many cells as fill whole rows");
        }
        check(
            &[
                ("grid.corner", self.corner[0]),
                ("grid.corner", self.corner[1]),
            ],
            |_| true,
            "a finite number",
        )?;
        check(
            &[("grid.cell_size", self.cell_size)],
            |v| v > 0.0,
            "a finite number greater than zero",
        )?;
        for (i, cell) in self.cells.iter().enumerate() {
            let name = |field: &str| format!("grid.cells[{i}].{field}");
            let v = cell.velocity;
            check(
                &[
                    (&name("velocity"), v.x),
                    (&name("velocity"), v.y),
                    (&name("velocity"), v.z),
                    (&name("phase"), cell.phase),
                ],
                |_| true,
                "a finite number",
            )?;
            check(
                &[
                    (&name("strength"), cell.strength),
                    (&name("persistence"), cell.persistence),
                ],
                |v| v >= 0.0,
                "a finite number, not negative",
            )?;
            check(
                &[(&name("period"), cell.period)],
                |v| v > 0.0,
                "a finite number greater than zero",
            )?;
            at_most(&name("octaves"), cell.octaves)?;
        }
        Ok(())
    }
}
