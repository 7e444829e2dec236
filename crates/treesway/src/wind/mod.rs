//! Moving air: how it flows and what it does to a tree.

mod air;
mod grid;
mod gusts;
mod profile;
mod settings;
mod shelter;
mod turbulence;
mod wiggle;

use crate::desc::BuildError;
use crate::forces::{BodySample, BodySamples, FieldForce, ForceField};
use crate::math::V3;
use crate::math::simd::{Isa, Kernel, ROW, Row, Rows, Vector, dispatch};
use crate::spectral::SpectralWind;
use crate::surroundings::splat;
use crate::tree::Tree;
use air::{Blown, Medium};
use glam::Vec3;
use grid::GridNow;
use gusts::Waves;
use profile::ProfileTable;
use shelter::Lee;

pub use air::Air;
pub use grid::{WindCell, WindGrid};
pub use gusts::Gusts;
pub(crate) use gusts::{SIDEWAYS, WAVES_ACROSS};
pub use profile::WindProfile;
pub use settings::{WindSettings, beaufort};
pub use shelter::Shelter;
pub use turbulence::{Turbulence, Turbulent};
pub use wiggle::Wiggle;

/// Wind over a scene: a function of place and time, the same whenever it is asked.
///
/// mean velocity (or that of the grid) × profile over height × what trees leave of it, plus gusts, then the wiggle.
#[derive(Clone, Debug)]
pub struct Wind {
    settings: WindSettings,
    /// Of the mean, m/s, where it is the same everywhere.
    speed: f32,
    medium: Medium,
    /// For what is off its tree.
    free_medium: Medium,
    waves: Option<Waves>,
    profile: Option<ProfileTable>,
    grid: Option<GridNow>,
    lee: Option<Lee>,
}

impl Wind {
    /// A wind as described. Fails on the first setting out of its range.
    pub fn new(settings: WindSettings) -> Result<Self, BuildError> {
        settings.validate()?;
        Ok(Self {
            speed: V3::from(settings.velocity).length(),
            medium: Medium::of(&settings.air),
            free_medium: Medium::of(&Air {
                leaf_drag: settings.air.free_leaf_drag,
                ..settings.air
            }),
            waves: Waves::of(&settings.gusts, settings.velocity),
            profile: ProfileTable::of(&settings.profile),
            grid: settings.grid.as_ref().map(GridNow::of),
            lee: Lee::of(&settings.shelter, settings.velocity),
            settings,
        })
    }

    /// A steady wind, the same everywhere, m/s.
    ///
    /// # Panics
    /// If it is not finite.
    pub fn steady(velocity: Vec3) -> Self {
        let settings = WindSettings {
            velocity,
            gusts: Gusts {
                strength: 0.0,
                ..Gusts::default()
            },
            ..WindSettings::default()
        };
        Self::new(settings).expect("a velocity is finite")
    }

    /// What it was made of.
    pub fn settings(&self) -> &WindSettings {
        &self.settings
    }

    /// Velocity of the air, m/s.
    pub fn velocity(&self, seconds: f64, position: Vec3) -> Vec3 {
        let mean = self.mean_at(seconds, position.into());
        self.with_gusts::<f32>(seconds, position.into(), mean)
            .into()
    }

    fn medium(&self, free: bool) -> &Medium {
        if free {
            &self.free_medium
        } else {
            &self.medium
        }
    }

    /// Whether the mean depends on the place.
    fn varies(&self) -> bool {
        self.grid.is_some() || self.profile.is_some() || self.lee.is_some()
    }

    /// Mean velocity at a place.
    fn mean_at(&self, seconds: f64, at: V3<f32>) -> V3<f32> {
        let base = match &self.grid {
            Some(grid) => grid.at(seconds, at.x, at.z),
            None => self.settings.velocity,
        };
        let left = self.lee.as_ref().map_or(1.0, |lee| lee.at(at));
        V3::from(base) * (self.profile_at(at.y) * left)
    }

    /// What of the mean there is at a height.
    #[inline(always)]
    fn profile_at(&self, y: f32) -> f32 {
        self.profile.as_ref().map_or(1.0, |p| p.at(y))
    }

    #[inline(always)]
    fn with_gusts<T: Vector>(&self, seconds: f64, at: V3<T>, mean: V3<T>) -> V3<T> {
        let mut wind = mean;
        if let Some(waves) = &self.waves {
            let speed = if self.varies() {
                mean.length()
            } else {
                T::splat(self.speed)
            };
            wind += waves.at(seconds, at) * speed;
        }
        if self.settings.wiggle.strength != 0.0 {
            wind = self.settings.wiggle.turned(seconds, at, wind);
        }
        wind
    }
}

impl ForceField for Wind {
    fn meet(&mut self, trees: &[Tree]) {
        if let Some(lee) = &mut self.lee {
            lee.meet(trees, &self.medium);
        }
    }

    fn prepare(&mut self, seconds: f64, frame_secs: f64) {
        if let Some(waves) = &mut self.waves {
            waves.prepare(seconds);
        }
        if let Some(grid) = &mut self.grid {
            grid.prepare(seconds, frame_secs);
        }
    }

    fn breeze(&self, position: Vec3) -> Option<SpectralWind> {
        Some(SpectralWind {
            velocity: self.mean_at(0.0, position.into()).into(),
            intensity: self.settings.gusts.strength,
            gust_length: self.settings.gusts.size,
            air: self.settings.air,
        })
    }

    fn air(&self, seconds: f64, position: V3<f32>) -> Option<V3<f32>> {
        let mean = self.mean_at(seconds, position);
        Some(self.with_gusts::<f32>(seconds, position, mean))
    }

    fn force(&self, seconds: f64, body: &BodySample) -> FieldForce {
        let mean = self.mean_at(seconds, body.position);
        self.medium(body.free).forces(&Blown {
            kind: body.kind as u8 as f32,
            mass: body.mass,
            area: body.area,
            wind: self.with_gusts(seconds, body.position, mean) - body.velocity,
            axis: body.axis,
            normal: body.normal,
            com_z: body.com_z,
            spread: spread(body.blades),
        })
    }

    fn forces(&self, isa: Isa, seconds: f64, bodies: &BodySamples, result: &mut FieldForce<Row>) {
        dispatch(
            isa,
            OnTile {
                wind: self,
                seconds,
                bodies,
                result,
            },
        );
    }
}

/// Share of the blades of a leaf that are held every which way.
fn spread(blades: f32) -> f32 {
    1.0 - 1.0 / blades.max(1.0)
}

struct OnTile<'a> {
    wind: &'a Wind,
    seconds: f64,
    bodies: &'a BodySamples,
    result: &'a mut FieldForce<Row>,
}

impl Kernel for OnTile<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let Self {
            wind,
            seconds,
            bodies: b,
            result,
        } = self;
        let mut mean = V3 {
            x: Row::ZERO,
            y: Row::ZERO,
            z: Row::ZERO,
        };
        let mut share = Row::ZERO;
        if wind.grid.is_some() {
            for lane in 0..ROW {
                mean.set(lane, wind.mean_at(seconds, b.position.get(lane)));
            }
        } else if wind.varies() {
            match &wind.profile {
                Some(profile) => profile.shares::<T>(&b.position.y, &mut share),
                None => share = Row::splat(1.0),
            }
            if let Some(lee) = &wind.lee {
                lee.weaken::<T>(&b.position, &mut share);
            }
        }
        let spread = T::splat(spread(b.blades));
        let medium = wind.medium(b.free);
        for at in (0..ROW).step_by(T::WIDTH) {
            let mean = if wind.grid.is_some() {
                mean.load(at)
            } else {
                let mean = splat::<T>(wind.settings.velocity.into());
                if wind.varies() {
                    mean * share.load::<T>(at)
                } else {
                    mean
                }
            };
            let air = wind.with_gusts::<T>(seconds, b.position.load(at), mean);
            let force = medium.forces(&Blown::<T> {
                kind: b.kind.load(at),
                mass: b.mass.load(at),
                area: b.area.load(at),
                wind: air - b.velocity.load(at),
                axis: b.axis.load(at),
                normal: b.normal.load(at),
                com_z: b.com_z.load(at),
                spread,
            });
            result.store(at, force);
        }
    }
}
