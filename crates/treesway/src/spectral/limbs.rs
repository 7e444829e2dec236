//! Trees that are only geometry: branches as tapered rods, of wood as it usually is.

use super::model::SpectralModel;
use super::oscillator::{
    Beam, Oscillator, Part, beam_stiffness, branches, leaf_drag, leaf_texel, load, model, tapered,
    textures, wood_drag,
};
use super::settings::SpectralSettings;
use super::spectrum::frustum_mass;
use super::texture::MotionTextures;
use super::wind::SpectralWind;
use crate::math::V3;
use crate::params::{LeafMaterial, Wood};
use glam::Vec3;

/// A branch of a tree that is only geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// Where it starts, m.
    pub base: Vec3,
    /// Where it ends, m.
    pub tip: Vec3,
    /// At both ends, m.
    pub radii: [f32; 2],
    /// Its parent, which comes before it.
    pub parent: Option<u32>,
    /// Of all leaves on it, m², one side.
    pub leaf_area: f32,
}

/// Pieces that a limb is weighed in.
const PIECES: u32 = 8;
/// Thickness of leaves, m.
const BLADE: f64 = 0.0003;

impl SpectralModel {
    /// Of limbs, parents before children; `leaf_size` is the length of a leaf, m. Limbs deeper than the settings' levels have the last level's texture.
    ///
    /// # Errors
    /// If a limb's parent does not come before it, or if it has no length or no radius; says which.
    pub fn of_limbs(
        limbs: &[Limb],
        leaf_size: f32,
        wind: &SpectralWind,
        settings: &SpectralSettings,
    ) -> Result<(Self, MotionTextures), String> {
        let mut beams = beams(limbs, settings.levels)?;
        for beam in &mut beams {
            beam.taper = tapered(beam.taper, &settings.factors(beam.level));
        }
        let list = branches(&beams);
        let wood = Wood::default();
        let mut oscillators = vec![Oscillator::default(); limbs.len()];
        for ((limb, branch), own) in limbs.iter().zip(&list).zip(&mut oscillators) {
            own.stiffness = beam_stiffness(
                wood.youngs_modulus.into(),
                branch.length.into(),
                limb.radii.map(f64::from),
            );
        }
        let parts: Vec<Part> = limbs
            .iter()
            .enumerate()
            .flat_map(|(i, limb)| pieces(i, limb, wind, &wood))
            .collect();
        load(&list, &parts, &mut oscillators);
        for own in &mut oscillators {
            own.damping += f64::from(wood.damping_beta) * own.stiffness;
        }
        let height = limbs
            .iter()
            .fold(0.0, |h: f32, l| h.max(l.tip.y).max(l.base.y));
        let texel = leaf_texel(leaf_size);
        let factors: Vec<_> = list.iter().map(|b| settings.factors(b.layer)).collect();
        let model = model(list, &oscillators, &factors, height, texel, wind, settings);
        let textures = textures(&model, texel, wind, settings);
        Ok((model, textures))
    }
}

fn beams(limbs: &[Limb], levels: u32) -> Result<Vec<Beam>, String> {
    let mut depths: Vec<u32> = Vec::with_capacity(limbs.len());
    let mut beams = Vec::with_capacity(limbs.len());
    for (i, limb) in limbs.iter().enumerate() {
        let depth = match limb.parent {
            None => 0,
            Some(p) if (p as usize) < i => depths[p as usize] + 1,
            Some(p) => {
                return Err(format!(
                    "limb {i} has parent {p}, which does not come before it"
                ));
            }
        };
        let [base, tip] = limb.radii;
        let long = limb.base.distance(limb.tip);
        if !(long.is_finite()
            && long > 0.0
            && base.is_finite()
            && base > 0.0
            && tip.is_finite()
            && tip >= 0.0)
        {
            return Err(format!(
                "limb {i} has length {long} m and radii {base} and {tip} m; expected finite numbers greater than zero"
            ));
        }
        depths.push(depth);
        beams.push(Beam {
            base: limb.base.into(),
            tip: limb.tip.into(),
            taper: f64::from(tip / base),
            parent: limb.parent,
            level: depth.min(levels - 1),
        });
    }
    Ok(beams)
}

/// Wood in even pieces, leaves over the outer two thirds.
fn pieces(
    index: usize,
    limb: &Limb,
    wind: &SpectralWind,
    wood: &Wood,
) -> impl Iterator<Item = Part> {
    let speed = f64::from(wind.velocity.length());
    let (base, way) = (V3::from(limb.base), V3::from(limb.tip - limb.base));
    let long = f64::from(way.length()) / f64::from(PIECES);
    let radius = |x: f64| {
        f64::from(limb.radii[0]) + (f64::from(limb.radii[1]) - f64::from(limb.radii[0])) * x
    };
    let leafy = f64::from(limb.leaf_area) / f64::from(PIECES - PIECES / 3);
    let (air, density) = (wind.air, f64::from(wood.density));
    let parts: Vec<Part> = (0..PIECES)
        .map(|i| {
            let ends = [i, i + 1].map(|j| f64::from(j) / f64::from(PIECES));
            let radii = ends.map(radius);
            let x = (0.5 * (ends[0] + ends[1])) as f32;
            let area = if i < PIECES / 3 { 0.0 } else { leafy };
            let leaves = area * BLADE * f64::from(LeafMaterial::default().density);
            let [wood, blades] = [
                wood_drag(&air, long * (radii[0] + radii[1]), speed),
                leaf_drag(&air, area, leaves, speed),
            ];
            Part {
                branch: index as u32,
                x,
                position: base + way * x,
                mass: frustum_mass(density, long, radii) + leaves,
                inertia: 0.0,
                drag: [wood[0] + blades[0], wood[1] + blades[1]],
            }
        })
        .collect();
    parts.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First frequency of a uniform cantilever: 3.5160/(2π) √(E I/(ρ A L⁴)).
    #[test]
    fn a_plain_rod_swings_as_beam_theory_says() {
        let (length, radius) = (3.0_f32, 0.02_f32);
        let rod = Limb {
            base: Vec3::ZERO,
            tip: Vec3::new(length, 0.0, 0.0),
            radii: [radius; 2],
            parent: None,
            leaf_area: 0.0,
        };
        let still = SpectralWind::default();
        let (model, _) = SpectralModel::of_limbs(
            &[rod],
            0.1,
            &still,
            &SpectralSettings {
                texture_size: 64,
                ..Default::default()
            },
        )
        .unwrap();
        let wood = Wood::default();
        let (e, rho, l, r) = (
            f64::from(wood.youngs_modulus),
            f64::from(wood.density),
            f64::from(length),
            f64::from(radius),
        );
        let exact = 3.5160 / core::f64::consts::TAU * (e * r * r / 4.0 / rho).sqrt() / (l * l);
        let ratio = f64::from(model.frequencies[0]) / exact;
        println!("{} Hz, {ratio:.4} of the exact one", model.frequencies[0]);
        // Stiffness is that of the even load, mass that of the fitted shape: a few per cent.
        assert!((0.97..1.03).contains(&ratio), "{ratio}");
    }

    #[test]
    fn bad_limbs_are_named() {
        let limb = Limb {
            base: Vec3::ZERO,
            tip: Vec3::Y,
            radii: [0.1, 0.05],
            parent: None,
            leaf_area: 0.0,
        };
        let late = Limb {
            parent: Some(3),
            ..limb
        };
        let flat = Limb {
            tip: Vec3::ZERO,
            ..limb
        };
        let of = |limbs: &[Limb]| {
            SpectralModel::of_limbs(
                limbs,
                0.1,
                &SpectralWind::default(),
                &SpectralSettings::default(),
            )
            .unwrap_err()
        };
        assert!(of(&[limb, late]).starts_with("limb 1 has parent 3"));
        assert!(of(&[flat]).starts_with("limb 0 has length 0"));
    }
}
