//! What a user chooses of the spectral solver.

use crate::desc::BuildError;
use crate::params::check;

/// How a tree moves that has no state: bent by beams, driven by noise of the right spectrum.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct SpectralSettings {
    /// How branches bend (default: exact).
    pub bending: Bending,
    /// What their motion is read from (default: corrected).
    pub texture: TextureKind,
    /// Texels along an edge of a motion texture: a power of two from 64 to 1024 (default: 256).
    pub texture_size: u32,
    /// Levels of the hierarchy that move, 1 to 16 (default: 4); finer branches ride on theirs.
    pub levels: u32,
    /// Where the frequency of a branch comes from (default: its own).
    pub frequency: FrequencyBy,
    /// Damping ratio ζ of all branches; none takes that of the wood and of the air (default: none).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub damping_ratio: Option<f32>,
    /// Length of gusts ℓ of Eq. 14, m (default: 1, as printed).
    pub gust_length: f32,
    /// Factor on how far branches swing (default: 1).
    pub swing: f32,
    /// Factor on how far a steady wind bends them, Eq. 18–19 (default: 1).
    pub push: f32,
    /// How much the strength of the wind comes and goes, over half a minute or so, 0 to 1 (default: 0.3).
    pub modulation: f32,
    /// Flutter of leaves in a wind of 5 m/s: standard deviation of their slope (default: 0.25).
    pub flutter: f32,
    /// Factors for each level, trunk first; levels that are not listed have 1 (default: none).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub level: Vec<LevelFactors>,
    /// Other motion of the same kind (default: 1).
    pub seed: u64,
}

impl Default for SpectralSettings {
    fn default() -> Self {
        Self {
            bending: Bending::default(),
            texture: TextureKind::default(),
            texture_size: 256,
            levels: 4,
            frequency: FrequencyBy::default(),
            damping_ratio: None,
            gust_length: 1.0,
            swing: 1.0,
            push: 1.0,
            modulation: 0.3,
            flutter: 0.25,
            level: Vec::new(),
            seed: 1,
        }
    }
}

/// How branches bend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Bending {
    /// Along an arc of the branch's own length; cross-sections and all that grows on it turn with it (default).
    #[default]
    Exact,
    /// Equations 8–13 and 20–23 as printed: length corrected along the tangent; what grows on a branch is moved, not turned.
    Printed,
    /// Positions only, across the branch; no length correction, and shading of the tree at rest.
    Simple,
}

/// What the motion of branches is read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum TextureKind {
    /// Lines of one direction through a texture made for it: they carry the spectrum of Eq. 15 (default).
    #[default]
    Corrected,
    /// Lines of any direction through a radially symmetric texture, as printed: they carry its projection.
    Radial,
}

/// Where the frequency of a branch comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum FrequencyBy {
    /// Its stiffness and the mass it carries, as the other solvers have them (default).
    #[default]
    Own,
    /// Its length alone, broad leaves (Eq. 17).
    Broadleaf,
    /// Eq. 17 × 2.5: without leaves.
    Leafless,
    /// Eq. 17 × 1.4: conifers. The paper only says that there is another factor. Measured sway frequencies of conifers and of broad-leaved trees in leaf
    /// of the same height differ about so much; empirical.
    Conifer,
}

impl FrequencyBy {
    /// Factor on Eq. 17; none where it is not used.
    pub fn factor(self) -> Option<f64> {
        match self {
            Self::Own => None,
            Self::Broadleaf => Some(1.0),
            Self::Leafless => Some(2.5),
            Self::Conifer => Some(1.4),
        }
    }
}

/// Factors on all branches of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct LevelFactors {
    /// How far they swing (default: 1).
    pub swing: f32,
    /// How far a steady wind bends them (default: 1).
    pub push: f32,
    /// How fast they swing (default: 1).
    pub frequency: f32,
    /// How soon they stop (default: 1).
    pub damping: f32,
}

impl Default for LevelFactors {
    fn default() -> Self {
        Self {
            swing: 1.0,
            push: 1.0,
            frequency: 1.0,
            damping: 1.0,
        }
    }
}

impl SpectralSettings {
    /// Everything as printed.
    pub fn as_printed() -> Self {
        Self {
            bending: Bending::Printed,
            texture: TextureKind::Radial,
            frequency: FrequencyBy::Broadleaf,
            ..Self::default()
        }
    }

    /// Factors of a level.
    pub fn factors(&self, level: u32) -> LevelFactors {
        self.level.get(level as usize).copied().unwrap_or_default()
    }

    /// Names the first setting out of its range.
    pub fn validate(&self) -> Result<(), BuildError> {
        let whole = |name: &str, value: u32, good: bool, expected: &'static str| {
            if good {
                return Ok(());
            }
            Err(BuildError::Parameter {
                name: name.into(),
                value: value.into(),
                expected,
            })
        };
        let size = self.texture_size;
        let fits = size.is_power_of_two() && (64..=1024).contains(&size);
        whole(
            "spectral.texture_size",
            size,
            fits,
            "a power of two from 64 to 1024",
        )?;
        whole(
            "spectral.levels",
            self.levels,
            (1..=16).contains(&self.levels),
            "a whole number from 1 to 16",
        )?;
        check(
            &[
                ("spectral.gust_length", self.gust_length),
                ("spectral.damping_ratio", self.damping_ratio.unwrap_or(1.0)),
            ],
            |v| v > 0.0,
            "a finite number greater than zero",
        )?;
        check(
            &[
                ("spectral.swing", self.swing),
                ("spectral.push", self.push),
                ("spectral.flutter", self.flutter),
            ],
            |v| v >= 0.0,
            "a finite number, not negative",
        )?;
        check(
            &[("spectral.modulation", self.modulation)],
            |v| (0.0..=1.0).contains(&v),
            "a number from 0 to 1",
        )?;
        for f in &self.level {
            check(
                &[
                    ("spectral.level.swing", f.swing),
                    ("spectral.level.push", f.push),
                ],
                |v| v >= 0.0,
                "a finite number, not negative",
            )?;
            check(
                &[
                    ("spectral.level.frequency", f.frequency),
                    ("spectral.level.damping", f.damping),
                ],
                |v| v > 0.0,
                "a finite number greater than zero",
            )?;
        }
        Ok(())
    }
}
