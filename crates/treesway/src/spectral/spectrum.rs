//! Which frequencies move a branch (Habel 2009, §5.1 and 5.2).
//!
//!   P_w(f) ∝ v / (1 + f ℓ/v)^(5/3)                            wind                                    (14)
//!   V_h(f) = √P_w(f) / (2π m √((2π (f_h² − f²))² + (γ f)²))    a branch that it drives                 (15)
//!   m = ρ Σ π L/3 (s₁² + s₁ s₂ + s₂²)                          branch and all it carries               (16)
//!   f_h = 2.55 L^(−0.59)                                      by length alone, broad leaves            (17)
//!   χ²(f) = 1/(1 + (π f ℓ_s/v)²)⁴                              of P_w, what of gusts a branch takes in
//!
//! v mean speed of the wind, m/s; f, f_h frequencies, Hz; γ = 4π ζ f_h [1/s], ζ the damping ratio; ℓ_s size of what the wind blows at, m.
//!
//! V_w of (15) is the spectrum of the force. The paper takes it to be that of the wind in one point; but gusts shorter than a crown push some of its leaves
//! while they let go of others, which engineers call aerodynamic admittance. Of frozen gusts of wave number k that comes out as 1 − (2π k ℓ_s)² + … for what is spread by
//! ℓ_s along k (standard deviation); χ² has this beginning, and falls as sums over the leaves of our trees do.
//!
//! Slips of the paper: in (14) f/v_m is no pure number: a length ℓ is missing, 1 m as printed; in (15) 2π stands outside of the first square and
//! inside of the second, by which neither the oscillator's m ẍ + γ m ẋ + (2π f_h)² m x = F nor the width of its resonance would come out. The test
//! compares (15) with that equation solved step by step.

use core::f64::consts::PI;

/// What drives a branch and how it answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// f_h, Hz.
    pub frequency: f64,
    /// ζ: 1 is critical.
    pub damping_ratio: f64,
    /// v, m/s.
    pub wind_speed: f64,
    /// ℓ, m.
    pub gust_length: f64,
    /// ℓ_s, m; 0: a point, as printed.
    pub sail: f64,
}

impl Response {
    /// P_w of variance 1 over all frequencies, 1/Hz (14).
    pub fn wind_power(&self, f: f64) -> f64 {
        let corner = self.wind_speed.max(0.1) / self.gust_length;
        2.0 / 3.0 / corner * libm::pow(1.0 + f / corner, -5.0 / 3.0)
    }

    /// χ²: share of P_w that moves all of what the wind blows at.
    pub fn admittance(&self, f: f64) -> f64 {
        let x = PI * f * self.sail / self.wind_speed.max(0.1);
        let square = 1.0 + x * x;
        1.0 / (square * square * square * square)
    }

    /// |H|²: power of the oscillator's answer over that to a force that does not change.
    pub fn gain(&self, f: f64) -> f64 {
        let x = f / self.frequency;
        let (stiff, lossy) = (1.0 - x * x, 2.0 * self.damping_ratio * x);
        1.0 / (stiff * stiff + lossy * lossy)
    }

    /// V_h² up to a factor: power of the motion, of which 1 would be that of a branch without mass (15).
    pub fn power(&self, f: f64) -> f64 {
        self.wind_power(f) * self.admittance(f) * self.gain(f)
    }

    /// √(∫ f² S / ∫ S) of the motion within 0 … 2 f_h, Hz.
    pub fn mean_frequency(&self) -> f64 {
        const STEPS: u32 = 512;
        let at = |i: u32| 2.0 * self.frequency * (f64::from(i) + 0.5) / f64::from(STEPS);
        let moment = |n: i32| {
            (0..STEPS)
                .map(|i| at(i).powi(n) * self.power(at(i)))
                .sum::<f64>()
        };
        libm::sqrt(moment(2) / moment(0))
    }

    /// Standard deviation of the motion within 0 … 2 f_h, over what the same force would bend if it were steady.
    pub fn swing(&self) -> f64 {
        const STEPS: u32 = 512;
        let df = 2.0 * self.frequency / f64::from(STEPS);
        let power: f64 = (0..STEPS)
            .map(|i| self.power((f64::from(i) + 0.5) * df))
            .sum();
        libm::sqrt(power * df)
    }
}

/// Mass of one frustum, kg (16).
pub fn frustum_mass(density: f64, length: f64, [s1, s2]: [f64; 2]) -> f64 {
    density * PI * length / 3.0 * (s1 * s1 + s1 * s2 + s2 * s2)
}

/// f_h of a branch so long, m, in leaf (17); times `factor` of [`super::FrequencyBy`].
pub fn coder_frequency(length: f64) -> f64 {
    2.55 * libm::pow(length, -0.59)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wind::WAVES_ACROSS;

    /// The largest swing of m ẍ + γ m ẋ + (2π f_h)² m x = m (2π f_h)² cos 2π f t, by small steps.
    fn stepped(response: &Response, f: f64) -> f64 {
        let w = 2.0 * PI * response.frequency;
        let gamma = 2.0 * response.damping_ratio * w;
        let (mut x, mut v, h) = (0.0, 0.0, 1e-4);
        let mut most = 0.0_f64;
        let steps = (60.0 / h) as u64;
        for i in 0..steps {
            let t = h * i as f64;
            v += h * (w * w * ((2.0 * PI * f * t).cos() - x) - gamma * v);
            x += h * v;
            if i > steps * 3 / 4 {
                most = most.max(x.abs());
            }
        }
        most
    }

    #[test]
    fn gain_is_that_of_a_damped_oscillator() {
        for zeta in [0.08, 0.3, 1.5] {
            let response = Response {
                frequency: 1.3,
                damping_ratio: zeta,
                wind_speed: 5.0,
                gust_length: 1.0,
                sail: 0.0,
            };
            for f in [0.3, 1.2, 1.3, 2.4] {
                let (found, wanted) = (response.gain(f).sqrt(), stepped(&response, f));
                assert!(
                    (found / wanted - 1.0).abs() < 5e-3,
                    "ζ {zeta} f {f}: {found} {wanted}"
                );
            }
        }
    }

    /// Beside what waves that lie across the wind as those of gusts do make of a ball, (3 (sin q − q cos q)/q³)² with q = 2π |k| R, one by one.
    #[test]
    fn gusts_shorter_than_a_crown_cancel_out() {
        const STEPS: u32 = 60;
        let (radius, speed) = (3.0, 5.0);
        let [across, up] = WAVES_ACROSS;
        let response = Response {
            frequency: 1.0,
            damping_ratio: 0.1,
            wind_speed: speed,
            gust_length: 30.0,
            // A ball is spread by R/√5 along any line.
            sail: radius * ((1.0 + across + up) / 5.0).sqrt(),
        };
        let spread = |i: u32| 2.0 * (f64::from(i) + 0.5) / f64::from(STEPS) - 1.0;
        for f in [0.05, 0.2, 0.35, 0.5, 0.8, 1.5] {
            let mut sum = 0.0;
            for (i, j) in (0..STEPS).flat_map(|i| (0..STEPS).map(move |j| (i, j))) {
                // As `wind::gusts` has them.
                let (slant, rise) = ((1.05 * spread(i)).tan(), 0.5 * spread(j));
                let k = f / speed * (1.0 + slant * slant + rise * rise).sqrt();
                let q = 2.0 * PI * k * radius;
                sum += (3.0 * (q.sin() - q * q.cos()) / q.powi(3)).powi(2);
            }
            let (found, wanted) = (response.admittance(f), sum / f64::from(STEPS * STEPS));
            println!("{f} Hz: {found:.3}, a ball {wanted:.3}");
            // χ² is an approximation; 0.056 is the most that it is off of a ball, which ends more sharply than crowns.
            assert!((found - wanted).abs() < 0.06, "{f} Hz: {found} {wanted}");
        }
    }

    #[test]
    fn strong_damping_falls_as_one_over_f_squared() {
        let response = Response {
            frequency: 1.0,
            damping_ratio: 4.0,
            wind_speed: 20.0,
            gust_length: 1.0,
            sail: 0.0,
        };
        // Amplitude ∝ f^(−β/2): β from power over the octaves around f_h, where the paper sees β ≈ 2.
        let beta = -(response.power(1.6) / response.power(0.4)).ln() / 4.0_f64.ln();
        assert!((beta - 2.0).abs() < 0.25, "β {beta}");
    }

    #[test]
    fn wind_has_variance_one() {
        let response = Response {
            frequency: 1.0,
            damping_ratio: 0.1,
            wind_speed: 6.0,
            gust_length: 2.0,
            sail: 0.0,
        };
        // Logarithmic steps over ten decades; what lies above is 1.5·(f/3)^(−2/3) of the rest.
        let mut sum = 0.0;
        for i in 0..100_000 {
            let (a, b) = (
                10_f64.powf(-5.0 + 1e-4 * f64::from(i)),
                10_f64.powf(-5.0 + 1e-4 * f64::from(i + 1)),
            );
            sum += (b - a) * response.wind_power(0.5 * (a + b));
        }
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
    }
}
