//! What a user chooses of the spectral solver.

use super::wind::SpectralWind;
use crate::desc::{BodyId, BuildError};
use crate::math::V3;
use crate::params::check;
use glam::Vec3;

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
    /// Length of gusts ℓ of Eq. 14, m; none takes that of the wind's largest gusts (default: none; 1 is as printed).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub gust_length: Option<f32>,
    /// How much gusts cancel out that are shorter than what a branch carries: factor on its size (default: 1; 0 is as printed, the wind in one point).
    pub averaging: f32,
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
    /// Factors for single branches, on top of those of their level (default: none).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub branch: Vec<BranchFactors>,
    /// Places where points of the surface follow their branch more or less than they would (default: none).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub paint: Vec<Stroke>,
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
            gust_length: None,
            averaging: 1.0,
            swing: 1.0,
            push: 1.0,
            modulation: 0.3,
            flutter: 0.25,
            level: Vec::new(),
            branch: Vec::new(),
            paint: Vec::new(),
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
    /// Eq. 17 × 1.2: conifers. The paper only says that there is another factor; this is what limbs of our own conifers have over those of our
    /// broad-leaved trees of the same length.
    Conifer,
}

impl FrequencyBy {
    /// Factor on Eq. 17; none where it is not used.
    pub fn factor(self) -> Option<f64> {
        match self {
            Self::Own => None,
            Self::Broadleaf => Some(1.0),
            Self::Leafless => Some(2.5),
            Self::Conifer => Some(1.2),
        }
    }
}

/// Factors on all branches of a level, or on one branch.
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
    /// Radius at the tip over that at the base: less bends tips more, more bends them less (default: 1).
    pub taper: f32,
}

/// Factors on one branch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct BranchFactors {
    /// Any body of it.
    pub body: BodyId,
    /// On what its level and its wood say.
    #[cfg_attr(feature = "serde", serde(default))]
    pub factors: LevelFactors,
}

/// A stroke of a round brush over the tree at rest: it changes w, how far along its branch a point counts as being.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Stroke {
    /// Its middle, m, in the anchor's space.
    pub at: Vec3,
    /// Beyond it nothing is changed, m.
    pub radius: f32,
    /// Factor on w in the middle, going over to 1 at the rim: 0 holds points as if they were at the base of their branch, 1 leaves them.
    pub weight: f32,
}

/// Factor on w at a place.
pub(super) fn painted(strokes: &[Stroke], place: V3<f32>) -> f32 {
    let one = |s: &Stroke| {
        let away = (place - V3::from(s.at)).length() / s.radius;
        let inside = (1.0 - away * away).max(0.0);
        1.0 + (s.weight - 1.0) * inside * inside
    };
    strokes.iter().map(one).product()
}

impl Default for LevelFactors {
    fn default() -> Self {
        Self {
            swing: 1.0,
            push: 1.0,
            frequency: 1.0,
            damping: 1.0,
            taper: 1.0,
        }
    }
}

impl LevelFactors {
    /// Both.
    pub(super) fn times(self, other: Self) -> Self {
        Self {
            swing: self.swing * other.swing,
            push: self.push * other.push,
            frequency: self.frequency * other.frequency,
            damping: self.damping * other.damping,
            taper: self.taper * other.taper,
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
            gust_length: Some(1.0),
            averaging: 0.0,
            ..Self::default()
        }
    }

    /// Factors of a level.
    pub fn factors(&self, level: u32) -> LevelFactors {
        self.level.get(level as usize).copied().unwrap_or_default()
    }

    /// ℓ in a wind, m.
    pub fn gust_length_in(&self, wind: &SpectralWind) -> f64 {
        let own = Some(wind.gust_length).filter(|&l| l > 0.0);
        self.gust_length.or(own).unwrap_or(1.0).into()
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
                ("spectral.gust_length", self.gust_length.unwrap_or(1.0)),
                ("spectral.damping_ratio", self.damping_ratio.unwrap_or(1.0)),
            ],
            |v| v > 0.0,
            "a finite number greater than zero",
        )?;
        check(
            &[
                ("spectral.averaging", self.averaging),
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
        for stroke in &self.paint {
            check(
                &[
                    ("spectral.paint.at", stroke.at.x),
                    ("spectral.paint.at", stroke.at.y),
                    ("spectral.paint.at", stroke.at.z),
                ],
                |v| v.abs() <= 1e6,
                "a number up to 1e6 m",
            )?;
            check(
                &[("spectral.paint.radius", stroke.radius)],
                |v| v > 0.0,
                "a finite number greater than zero",
            )?;
            check(
                &[("spectral.paint.weight", stroke.weight)],
                |v| (0.0..=1.0).contains(&v),
                "a number from 0 to 1",
            )?;
        }
        for f in self
            .level
            .iter()
            .chain(self.branch.iter().map(|b| &b.factors))
        {
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
                    ("spectral.level.taper", f.taper),
                ],
                |v| v > 0.0,
                "a finite number greater than zero",
            )?;
        }
        Ok(())
    }
}
