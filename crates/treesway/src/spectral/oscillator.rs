//! Each branch as one oscillator: frequency, damping and how far a wind bends it, from stiffness, mass and area (Habel 2009, §5.2).
//!
//! A branch moves in one shape (7) with all that it carries as a rigid whole. With p′ = ∂p/∂A, how far a part of mass m goes when the tip goes by A lengths,
//!
//!   M = Σ m |p′|² + I u′²,   K = Σ k (Δu′)² (joints) or ∫ E I u″² (beams; both of (25), not of its fit),   C = β K + Σ c |p′|²,   Q = Σ f·p′,
//!   f_h = √(K/M)/2π,   ζ = C/(2 √(K M)),   A of a steady wind = Q/K.
//!
//! (16) has the mass alone, and (17) the length alone; this is what a simulated tree does when all other branches are held.
//!
//! In gusts it swings about that by I √((2² + s²)/2) of it, times what (15) makes of it: force goes with the square of the speed, so that what comes and goes along the wind
//! counts twice and what blows sideways, s of that, once. Both directions across get their mean: a tree of a crowd is turned any way. Parts that p′ and the
//! wind weigh most are spread by ℓ_s ([`super::spectrum`]).

use super::beam::{bent, curvature, shape};
use super::deform::v3;
use super::model::{NO_BRANCH, SpectralBranch, SpectralLevel, SpectralModel};
use super::settings::{LevelFactors, SpectralSettings, TextureKind, painted};
use super::spectrum::{Response, coder_frequency};
use super::texture::{MotionTextures, SHORTEST_WAVE, layer, leaf_layer, pace};
use super::trajectory::{GOLDEN, direction};
use super::wind::{Course, SpectralWind};
use crate::math::{Rng, V3};
use crate::wind::{Air, SIDEWAYS, WAVES_ACROSS};

/// A branch as geometry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beam {
    pub(super) base: V3<f32>,
    pub(super) tip: V3<f32>,
    /// α.
    pub(super) taper: f64,
    pub(super) parent: Option<u32>,
    pub(super) level: u32,
}

/// Something of mass on a branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) branch: u32,
    /// Where along it.
    pub(super) x: f32,
    pub(super) position: V3<f32>,
    /// kg.
    pub(super) mass: f64,
    /// About an axis across it, kg·m².
    pub(super) inertia: f64,
    /// Force of the wind, N, and its derivative by the speed, N·s/m.
    pub(super) drag: [f64; 2],
}

/// M, K, C and Q of a branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Oscillator {
    pub(super) mass: f64,
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    pub(super) push: f64,
    /// Factor on K/M: what is carried bends, too ([`super::softness`]).
    pub(super) softness: f64,
    pub(super) blown: Spread,
}

/// Where the wind takes hold: sum of weights, of places and of their squares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    weight: f64,
    first: V3<f64>,
    second: V3<f64>,
}

impl Spread {
    fn add(&mut self, weight: f64, p: V3<f64>) {
        let squares = V3 {
            x: p.x * p.x,
            y: p.y * p.y,
            z: p.z * p.z,
        };
        self.weight += weight;
        self.first += p * weight;
        self.second += squares * weight;
    }

    /// ℓ_s, m: over waves that lie across a level wind as those of gusts do, whatever side it comes from.
    fn size(&self) -> f64 {
        let share = 1.0 / self.weight.max(1e-300);
        let (mean, square) = (self.first * share, self.second * share);
        let [x, y, z] = [
            square.x - mean.x * mean.x,
            square.y - mean.y * mean.y,
            square.z - mean.z * mean.z,
        ];
        let [across, up] = WAVES_ACROSS;
        libm::sqrt((0.5 * (1.0 + across) * (x + z) + up * y).max(0.0))
    }
}

impl Default for Oscillator {
    fn default() -> Self {
        Self {
            mass: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            push: 0.0,
            softness: 1.0,
            blown: Spread {
                weight: 0.0,
                first: V3::zero(),
                second: V3::zero(),
            },
        }
    }
}

/// Frequencies that a branch is kept within, Hz: a rope swings slower, a thorn faster, and neither is seen.
const FREQUENCIES: [f64; 2] = [0.05, 20.0];
/// Damping ratios that a branch is kept within.
const DAMPING: [f64; 2] = [0.01, 4.0];
/// Farthest that a tip is held, in lengths of its branch.
const MOST_PUSH: f64 = 1.0;
/// Largest standard deviation of a tip, in lengths of its branch.
const MOST_AMPLITUDE: f64 = 0.35;

/// Force of a wind of so many m/s on wood, and its derivative; `area` m² broadside.
pub(super) fn wood_drag(air: &Air, area: f64, speed: f64) -> [f64; 2] {
    let k = f64::from(air.drag * air.density) * area;
    // Twice κ ρ A v along the wind, once across.
    [k * speed * speed, 1.5 * k * speed]
}

/// The same of leaves that are held every which way: a third of their pressure along the wind.
pub(super) fn leaf_drag(air: &Air, area: f64, mass: f64, speed: f64) -> [f64; 2] {
    let pressed = f64::from(air.leaf_drag * air.density) * area;
    let slow = f64::from(air.leaf_resistance / air.leaf_glide) * mass;
    let fast = (f64::from(air.leaf_resistance) * mass - slow) / 3.0;
    [
        pressed * speed * speed / 3.0 + (fast + slow) * speed,
        1.5 * pressed * speed / 3.0 + fast + slow,
    ]
}

/// α by factors, within what the closed form of a beam is good for.
pub(super) fn tapered(taper: f64, factors: &LevelFactors) -> f64 {
    if factors.taper == 1.0 {
        return taper;
    }
    (taper * f64::from(factors.taper)).clamp(0.02, 1.5)
}

/// Branches without their motion.
pub(super) fn branches(beams: &[Beam]) -> Vec<SpectralBranch> {
    let mut list: Vec<SpectralBranch> = Vec::with_capacity(beams.len());
    for beam in beams {
        let way = (beam.tip - beam.base).widen();
        let length = way.length().max(1e-6);
        let axis = way * (1.0 / length);
        let up = V3 {
            x: 0.0,
            y: 1.0,
            z: 0.0,
        };
        let level = up.cross(axis);
        // Upright: any direction across.
        let side = if level.length() > 1e-3 {
            level
        } else {
            V3 {
                x: 1.0,
                y: 0.0,
                z: 0.0,
            }
        };
        let side = side - axis * side.dot(axis);
        let side = side * (1.0 / side.length());
        let [c2, c4] = shape(beam.taper);
        let at_parent = beam
            .parent
            .map_or(0.0, |p| along(&list[p as usize], beam.base));
        list.push(SpectralBranch {
            origin: numbers(beam.base),
            length: length as f32,
            axis: numbers(axis.narrow()),
            side: numbers(side.narrow()),
            c2,
            c4,
            at_parent,
            parent: beam.parent.unwrap_or(NO_BRANCH),
            layer: beam.level,
            ..SpectralBranch::default()
        });
    }
    list
}

fn numbers(v: V3<f32>) -> [f32; 3] {
    [v.x, v.y, v.z]
}

/// Where along a branch a point is, 0 to 1.
pub(super) fn along(branch: &SpectralBranch, point: V3<f32>) -> f32 {
    ((point - v3(branch.origin)).dot(v3(branch.axis)) / branch.length).clamp(0.0, 1.0)
}

/// Adds what all parts do to all branches below them.
pub(super) fn load(branches: &[SpectralBranch], parts: &[Part], oscillators: &mut [Oscillator]) {
    for part in parts {
        let (mut index, mut x) = (part.branch, part.x);
        while let Some(branch) = branches.get(index as usize) {
            let (u, slope) = bent([branch.c2, branch.c4], x);
            let (u, slope) = (f64::from(u * branch.length), f64::from(slope));
            let axis = v3(branch.axis).widen();
            let arm =
                (part.position - v3(branch.origin)).widen() - axis * f64::from(x * branch.length);
            let side = v3(branch.side).widen();
            let own = &mut oscillators[index as usize];
            // The mean of both directions across.
            for e in [side, axis.cross(side)] {
                let moved = e * (u + slope * arm.dot(axis)) - axis * (slope * arm.dot(e));
                let square = moved.dot(moved);
                own.mass += 0.5 * (part.mass * square + part.inertia * slope * slope);
                own.damping += 0.5 * part.drag[1] * square;
                let pushed = 0.5 * part.drag[0] * moved.dot(e);
                own.push += pushed;
                own.blown.add(pushed.abs(), part.position.widen());
            }
            (index, x) = (branch.parent, branch.at_parent);
        }
    }
}

/// ∫ E I u″² of a branch: its stiffness against A, N·m.
pub(super) fn beam_stiffness(modulus: f64, length: f64, radii: [f64; 2]) -> f64 {
    const STEPS: u32 = 64;
    let sum: f64 = (0..STEPS)
        .map(|i| {
            let x = (f64::from(i) + 0.5) / f64::from(STEPS);
            let radius = radii[0] + (radii[1] - radii[0]) * x;
            let bend = curvature(radii[1] / radii[0], x);
            core::f64::consts::FRAC_PI_4 * radius.powi(4) * bend * bend
        })
        .sum();
    modulus / length * sum / f64::from(STEPS)
}

/// Gives the branches their motion, and makes the model.
pub(super) fn model(
    mut branches: Vec<SpectralBranch>,
    oscillators: &[Oscillator],
    factors: &[LevelFactors],
    height: f32,
    leaf_texel: f32,
    wind: &SpectralWind,
    settings: &SpectralSettings,
) -> SpectralModel {
    let speed = f64::from(wind.velocity.length());
    let mut frequencies = Vec::with_capacity(branches.len());
    let mut levels: Vec<SpectralLevel> = Vec::new();
    let each = branches.iter_mut().zip(oscillators).zip(factors);
    for (i, ((branch, own), factors)) in each.enumerate() {
        let ratio = own.softness * own.stiffness / own.mass.max(1e-30);
        let natural = libm::sqrt(ratio) / core::f64::consts::TAU;
        let natural = if natural.is_finite() && natural > 0.0 {
            natural
        } else {
            FREQUENCIES[1]
        };
        let by_length = settings
            .frequency
            .factor()
            .map(|f| f * coder_frequency(branch.length.into()));
        let frequency = f64::from(factors.frequency) * by_length.unwrap_or(natural);
        let frequency = frequency.clamp(FREQUENCIES[0], FREQUENCIES[1]);
        let zeta = settings.damping_ratio.map_or_else(
            || own.damping / (2.0 * own.mass * libm::sqrt(ratio)).max(1e-30),
            f64::from,
        );
        let zeta = (f64::from(factors.damping) * zeta).clamp(DAMPING[0], DAMPING[1]);
        let response = Response {
            frequency,
            damping_ratio: zeta,
            wind_speed: speed,
            gust_length: settings.gust_length_in(wind),
            sail: f64::from(settings.averaging) * own.blown.size(),
        };
        let held = own.push / own.stiffness.max(1e-30);
        branch.at_parent *= painted(&settings.paint, v3(branch.origin));
        let unsteady = libm::sqrt(0.5 * (4.0 + SIDEWAYS * SIDEWAYS)) * f64::from(wind.intensity);
        let swing = unsteady * held * response.swing();
        let push = held * f64::from(settings.push * factors.push);
        let swing = swing * f64::from(settings.swing * factors.swing);
        branch.push = push.min(MOST_PUSH) as f32;
        branch.amplitude = [swing.min(MOST_AMPLITUDE) as f32; 2];
        let mut rng = Rng::new(settings.seed, 0x5bec_0000 + i as u64);
        let heading = match settings.texture {
            TextureKind::Corrected => GOLDEN,
            TextureKind::Radial => direction(&mut rng),
        };
        branch.motion = heading.map(|m| (m * pace(frequency, settings.texture_size)) as f32);
        branch.start = core::array::from_fn(|_| rng.unit() as f32);
        frequencies.push(frequency as f32);
        let layer = branch.layer as usize;
        if levels.len() <= layer {
            levels.resize(layer + 1, SpectralLevel::default());
        }
        levels[layer].branches += 1;
        levels[layer].frequency += libm::log(frequency);
        levels[layer].damping_ratio += libm::log(zeta);
        levels[layer].sail += response.sail;
    }
    for level in &mut levels {
        let n = f64::from(level.branches.max(1));
        level.frequency = libm::exp(level.frequency / n);
        level.damping_ratio = libm::exp(level.damping_ratio / n);
        level.sail /= n;
    }
    SpectralModel {
        branches,
        frequencies,
        levels,
        height,
        paint: settings.paint.clone(),
        air: Course::of(wind, settings, leaf_texel),
    }
}

/// Edge of a texel of leaf textures, m: the shortest wave is four leaves long.
pub(super) fn leaf_texel(leaf_size: f32) -> f32 {
    4.0 * leaf_size.max(1e-3) / SHORTEST_WAVE as f32
}

/// The textures of a model.
pub(super) fn textures(
    model: &SpectralModel,
    leaf_texel: f32,
    wind: &SpectralWind,
    settings: &SpectralSettings,
) -> MotionTextures {
    let size = settings.texture_size;
    let of = |frequency: f64, damping_ratio: f64, sail: f64| Response {
        frequency,
        damping_ratio,
        wind_speed: wind.velocity.length().into(),
        gust_length: settings.gust_length_in(wind),
        sail,
    };
    let layers = model.levels.iter().enumerate().map(|(i, level)| {
        let mut rng = Rng::new(settings.seed, 0x7e87_0000 + i as u64);
        let frequency = level.frequency.max(FREQUENCIES[0]);
        let response = of(frequency, level.damping_ratio, level.sail);
        layer(settings.texture, size, &response, &mut rng)
    });
    let mut rng = Rng::new(settings.seed, 0x1eaf);
    MotionTextures {
        size,
        layers: layers.collect(),
        leaves: [(); 3].map(|()| leaf_layer(size, leaf_texel.into(), &of(1.0, 1.0, 0.0), &mut rng)),
        leaf_texel,
    }
}
