//! Motion as textures that repeat (Habel 2009, §5.3, 5.4 and 7.2).
//!
//! A complex Gaussian field over wave numbers k, shaped by a spectrum and transformed back, is a picture whose real and imaginary parts are two motions that know
//! nothing of each other: across the branch along r and along s. It repeats at its edges. Nothing is finer than 8 texels, so that it may be
//! interpolated linearly; the highest frequency is 2 f_h. A line of |m| = 16 f_h/size texture lengths per second then meets waves of
//!
//!   f = |k·m|,   up to 2 f_h, in steps of f_max·8/size.
//!
//! (The paper prints f_min = f_max/(8 res), 64 times lower than the one wave per texture that there is.)
//!
//! - [`TextureKind::Radial`], as printed: V_h(|k|). A line through it does not carry V_h, as the paper says, but its projection: all waves with k·m = f, those of
//!   larger |k| that are crossed at a slant included. The resonance becomes a shoulder, and no radial field does better: a ring of waves, seen along a line,
//!   is 1/√(k₀² − f²), never less than 1/k₀ at low f.
//! - [`TextureKind::Corrected`]: all branches run in one direction m̂, of golden slope, and a wave gets the power that belongs to the frequency it is met at
//!   along m̂, V_h²(|k·m̂|)/N, N being how many waves share it. The spectrum along the line is then V_h² itself. What linear interpolation takes away, sinc²(k/size)
//!   in each direction, is put in beforehand.

use super::settings::TextureKind;
use super::spectrum::Response;
use super::trajectory::GOLDEN;
use crate::math::Rng;
use core::f64::consts::PI;
use rustfft::FftPlannerScalar;
use rustfft::num_complex::Complex64;

/// Texels of the shortest wave.
pub(super) const SHORTEST_WAVE: u32 = 8;
/// Digits that are kept: a transform's last ones depend on the platform's sine.
const STEPS: f64 = 65_536.0;

/// Textures of one kind of tree in one wind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionTextures {
    /// Texels along an edge.
    pub size: u32,
    /// Motion across branches along r and s, of variance 1, for each level of the hierarchy.
    pub layers: Vec<Vec<[f32; 2]>>,
    /// Flap, sway and twist of leaves, of variance 1, over the planes xy, yz and xz; the fourth number is 0.
    pub leaves: [Vec<[f32; 4]>; 3],
    /// Edge of a texel of `leaves`, m.
    pub leaf_texel: f32,
}

/// Speed along a line through the texture at which a branch of frequency `f_h` moves, texture lengths per s.
pub fn pace(f_h: f64, size: u32) -> f64 {
    2.0 * f64::from(SHORTEST_WAVE) * f_h / f64::from(size)
}

/// Motion of the branches of a level.
pub fn layer(kind: TextureKind, size: u32, response: &Response, rng: &mut Rng) -> Vec<[f32; 2]> {
    let pace = pace(response.frequency, size);
    let power = |x: f64, y: f64| match kind {
        TextureKind::Radial => response.power(pace * libm::sqrt(x * x + y * y)),
        TextureKind::Corrected => {
            let along = (x * GOLDEN[0] + y * GOLDEN[1]).abs();
            let highest = f64::from(size / SHORTEST_WAVE);
            if along > highest {
                return 0.0;
            }
            // Waves of the square of ±`highest` on the line k·m̂ = along.
            let [c, s] = GOLDEN.map(|m| m * highest);
            let shared = ((c + s - along) / (2.0 * s)).min(1.0);
            response.power(pace * along) / shared
        }
    };
    let field = field(kind == TextureKind::Radial, size, power, rng);
    field
        .into_iter()
        .map(|z| [rounded(z.re), rounded(z.im)])
        .collect()
}

/// Flutter of leaves over one plane: the wind's spectrum alone. `speed` m/s carries it over the plane.
pub fn leaf_layer(size: u32, texel: f64, response: &Response, rng: &mut Rng) -> Vec<[f32; 4]> {
    let step = response.wind_speed / (texel * f64::from(size));
    let power = |x: f64, y: f64| response.wind_power(step * libm::sqrt(x * x + y * y));
    let [first, second] = [(); 2].map(|()| field(true, size, power, rng));
    let pairs = first.into_iter().zip(second);
    pairs
        .map(|(a, b)| [rounded(a.re), rounded(a.im), rounded(b.re), 0.0])
        .collect()
}

fn rounded(x: f64) -> f32 {
    (libm::round(x * STEPS) / STEPS) as f32
}

/// A complex field whose parts have variance 1 and the given power over wave numbers, in a disc or a square; row by row.
fn field(disc: bool, size: u32, power: impl Fn(f64, f64) -> f64, rng: &mut Rng) -> Vec<Complex64> {
    let n = size as usize;
    let highest = (size / SHORTEST_WAVE) as i32;
    let mut waves = vec![Complex64::default(); n * n];
    let mut total = 0.0;
    for ky in -highest..=highest {
        for kx in -highest..=highest {
            let (x, y) = (f64::from(kx), f64::from(ky));
            // Drawn for all, so that a change of the spectrum leaves the rest as it was.
            let noise = Complex64::new(rng.normal(), rng.normal());
            if (kx, ky) == (0, 0) || disc && x * x + y * y > f64::from(highest * highest) {
                continue;
            }
            let wave = noise * libm::sqrt(power(x, y));
            total += wave.norm_sqr();
            let lost = if disc {
                1.0
            } else {
                sinc2(x / f64::from(size)) * sinc2(y / f64::from(size))
            };
            let [column, row] = [kx, ky].map(|k| k.rem_euclid(size as i32) as usize);
            waves[row * n + column] = wave / lost;
        }
    }
    let plan = FftPlannerScalar::new().plan_fft_inverse(n);
    for _ in 0..2 {
        plan.process(&mut waves);
        transpose(&mut waves, n);
    }
    let scale = libm::sqrt(2.0 / total.max(f64::MIN_POSITIVE));
    waves.iter_mut().for_each(|z| *z *= scale);
    waves
}

/// Share of a wave's amplitude that linear interpolation leaves, in one direction.
fn sinc2(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let s = libm::sin(PI * x) / (PI * x);
    s * s
}

fn transpose(square: &mut [Complex64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            square.swap(i * n + j, j * n + i);
        }
    }
}

/// Linear interpolation, repeating; `at` in texture lengths. As `spectral.wgsl` does it.
#[inline]
pub fn sample<const N: usize>(texels: &[[f32; N]], size: u32, at: [f32; 2]) -> [f32; N] {
    let n = size as usize;
    let [x, y] = at.map(|a| (a - a.floor()) * size as f32);
    let (i, j) = (x as usize, y as usize);
    let (fx, fy) = (x - i as f32, y - j as f32);
    // A place that rounds up to 1 is the first texel again.
    let (i, j) = (i % n, j % n);
    let (i1, j1) = ((i + 1) % n, (j + 1) % n);
    let mix = |a: f32, b: f32, f: f32| a + (b - a) * f;
    let [a, b, c, d] = [j * n + i, j * n + i1, j1 * n + i, j1 * n + i1].map(|t| &texels[t]);
    core::array::from_fn(|k| mix(mix(a[k], b[k], fx), mix(c[k], d[k], fx), fy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectral::trajectory::{SECOND_STRAND, direction};

    const SIZE: u32 = 256;

    /// Power over frequency of what is read along lines of a direction, in bins of one wave per texture length, averaged over `lines` Hann windows.
    fn measured(texels: &[[f32; 2]], dir: [f64; 2], lines: u32, strands: bool) -> Vec<f64> {
        const WINDOW: usize = 4096; // texture lengths × samples a length
        const A_LENGTH: usize = 128;
        let mut rng = Rng::new(5, 0);
        let plan = FftPlannerScalar::new().plan_fft_forward(WINDOW);
        let mut sum = vec![0.0; WINDOW / 2];
        for _ in 0..lines {
            let start: [f64; 4] = core::array::from_fn(|_| rng.unit());
            let signal = (0..WINDOW).map(|i| {
                let way = i as f64 / A_LENGTH as f64;
                let at =
                    |o: usize, k: f64| [0, 1].map(|d| (start[o + d] + dir[d] * way * k) as f32);
                let first = sample(texels, SIZE, at(0, 1.0));
                let z = if strands {
                    let second = sample(texels, SIZE, at(2, SECOND_STRAND.into()));
                    Complex64::new((first[0] + second[0]).into(), (first[1] + second[1]).into())
                        / 2_f64.sqrt()
                } else {
                    Complex64::new(first[0].into(), first[1].into())
                };
                z * (PI * i as f64 / WINDOW as f64).sin().powi(2)
            });
            let mut signal: Vec<Complex64> = signal.collect();
            plan.process(&mut signal);
            for i in 1..WINDOW / 2 {
                sum[i] += signal[i].norm_sqr() + signal[WINDOW - i].norm_sqr();
            }
        }
        // From bins of a window to bins of a texture length.
        let a_bin = WINDOW / A_LENGTH;
        let highest = (SIZE / SHORTEST_WAVE) as usize;
        (1..=highest)
            .map(|c| {
                sum[c * a_bin - a_bin / 2..c * a_bin + a_bin / 2]
                    .iter()
                    .sum()
            })
            .collect()
    }

    fn correlation(a: &[f64], b: &[f64]) -> f64 {
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let (ma, mb) = (mean(a), mean(b));
        let cov = |x: &[f64], mx: f64, y: &[f64], my: f64| -> f64 {
            x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum()
        };
        cov(a, ma, b, mb) / (cov(a, ma, a, ma) * cov(b, mb, b, mb)).sqrt()
    }

    fn peak(a: &[f64]) -> usize {
        (0..a.len()).fold(0, |m, i| if a[i] > a[m] { i } else { m })
    }

    /// As printed: gusts of a metre, at a point.
    fn response(zeta: f64) -> Response {
        Response {
            frequency: 1.0,
            damping_ratio: zeta,
            wind_speed: 6.0,
            gust_length: 1.0,
            sail: 0.0,
        }
    }

    /// As our winds have gusts, and on a limb with its leaves.
    fn in_long_gusts(zeta: f64) -> Response {
        Response {
            gust_length: 30.0,
            sail: 0.8,
            ..response(zeta)
        }
    }

    /// Design at bin c and what a line through a disc of it sees: Σ over waves across.
    fn designs(response: &Response) -> [Vec<f64>; 2] {
        let (pace, highest) = (pace(response.frequency, SIZE), SIZE / SHORTEST_WAVE);
        let one = |c: u32| response.power(pace * f64::from(c));
        let through = |c: u32| -> f64 {
            let across = (0..4000).map(|i| 0.01 * f64::from(i) * 0.8);
            let c = f64::from(c);
            let seen = across.filter(|k| c * c + k * k <= f64::from(highest * highest));
            seen.map(|k| response.power(pace * (c * c + k * k).sqrt()))
                .sum()
        };
        [
            (1..=highest).map(one).collect(),
            (1..=highest).map(through).collect(),
        ]
    }

    #[test]
    fn corrected_texture_carries_the_response_along_its_lines() {
        let printed = [0.1, 0.2, 0.5].map(response);
        let own = [0.1, 0.2, 0.5].map(in_long_gusts);
        for response in printed.into_iter().chain(own) {
            let (zeta, gusts) = (response.damping_ratio, response.gust_length);
            let texels = layer(TextureKind::Corrected, SIZE, &response, &mut Rng::new(1, 7));
            let [design, _] = designs(&response);
            for strands in [false, true] {
                let found = measured(&texels, GOLDEN, 200, strands);
                let (r, off) = (
                    correlation(&found, &design),
                    peak(&found).abs_diff(peak(&design)),
                );
                println!(
                    "gusts of {gusts} m, ζ {zeta}, strands {strands}: correlation {r:.3}, peak off by {off} bins"
                );
                assert!(
                    r > 0.95 && off <= 1,
                    "gusts of {gusts} m, ζ {zeta}, strands {strands}: {r} {off}"
                );
            }
        }
    }

    #[test]
    fn radial_texture_carries_the_projection_not_the_response() {
        for zeta in [0.1, 0.2] {
            let response = response(zeta);
            let texels = layer(TextureKind::Radial, SIZE, &response, &mut Rng::new(1, 7));
            let [design, through] = designs(&response);
            let mut rng = Rng::new(8, 8);
            let mut found = vec![0.0; design.len()];
            for _ in 0..16 {
                let more = measured(&texels, direction(&mut rng), 16, false);
                found.iter_mut().zip(more).for_each(|(f, m)| *f += m);
            }
            let (r, wrong) = (correlation(&found, &through), correlation(&found, &design));
            println!(
                "ζ {zeta}: with the projection {r:.3}, with the response {wrong:.3}; peaks {} {}",
                peak(&found) + 1,
                peak(&design) + 1
            );
            assert!(r > 0.95 && wrong < 0.85, "ζ {zeta}: {r} {wrong}");
            assert!(peak(&found).abs_diff(peak(&through)) <= 1);
        }
    }

    #[test]
    fn motion_has_variance_one_and_its_parts_know_nothing_of_each_other() {
        for kind in [TextureKind::Radial, TextureKind::Corrected] {
            let texels = layer(kind, SIZE, &response(0.15), &mut Rng::new(4, 4));
            let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
            let mut rng = Rng::new(2, 2);
            const DRAWS: u32 = 40_000;
            for _ in 0..DRAWS {
                let [x, y] =
                    sample(&texels, SIZE, [rng.unit() as f32, rng.unit() as f32]).map(f64::from);
                xx += x * x;
                yy += y * y;
                xy += x * y;
            }
            let n = f64::from(DRAWS);
            println!("{kind:?}: {:.3} {:.3} {:.3}", xx / n, yy / n, xy / n);
            assert!(
                (xx / n - 1.0).abs() < 0.12 && (yy / n - 1.0).abs() < 0.12 && (xy / n).abs() < 0.12
            );
        }
    }

    /// An hour of a branch: where one strand alone would be back, the motion is not.
    #[test]
    fn nothing_repeats_within_an_hour() {
        for f_h in [0.3, 2.0, 8.0, 20.0] {
            let response = Response {
                frequency: f_h,
                ..in_long_gusts(0.12)
            };
            let texels = layer(TextureKind::Corrected, SIZE, &response, &mut Rng::new(1, 7));
            let pace = pace(f_h, SIZE);
            let motion = GOLDEN.map(|m| (m * pace) as f32);
            let a_second = 4.0 * f_h;
            const SAMPLES: usize = 1 << 20;
            let hour = (3600.0 * a_second) as usize;
            assert!(2 * hour <= SAMPLES);
            let mut signal: Vec<Complex64> = (0..SAMPLES)
                .map(|i| {
                    if i >= 2 * hour {
                        return Complex64::default();
                    }
                    let at = super::super::trajectory::phase(
                        [0.1, 0.2, 0.6, 0.4],
                        motion,
                        i as f64 / a_second,
                    );
                    let (a, b) = (
                        sample(&texels, SIZE, [at[0], at[1]]),
                        sample(&texels, SIZE, [at[2], at[3]]),
                    );
                    Complex64::new((a[0] + b[0]).into(), 0.0)
                })
                .collect();
            FftPlannerScalar::new()
                .plan_fft_forward(SAMPLES)
                .process(&mut signal);
            signal.iter_mut().for_each(|z| *z = z.norm_sqr().into());
            FftPlannerScalar::new()
                .plan_fft_inverse(SAMPLES)
                .process(&mut signal);
            // Beyond 15 swings it has forgotten itself.
            let after = (15.0 / f_h * a_second) as usize;
            let most = (after..hour)
                .map(|i| signal[i].re / signal[0].re * (2 * hour) as f64 / (2 * hour - i) as f64);
            let most = most.fold(0.0, f64::max);
            println!("{f_h} Hz: largest correlation with itself within an hour {most:.3}");
            assert!(most < 0.75, "{f_h} Hz: {most}");
        }
    }
}
