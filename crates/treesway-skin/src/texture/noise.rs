//! Noise that repeats: every function takes a period in cells along u and v and a point in cells, and is the same one period on.

use treesway::glam::Vec2;

/// A random number, 0 to 1, of a number.
pub(crate) fn hash(seed: u32) -> f32 {
    (mix(seed) >> 8) as f32 / (1 << 24) as f32
}

/// Bits of `x` stirred (lowbias32 of Wellons).
pub(crate) fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// Cells along u and v after which a pattern repeats, and which of all such patterns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    pub period: [i32; 2],
    pub seed: u32,
}

/// What is near a point in a field of random cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// To the nearest border with another cell, in cells.
    pub border: f32,
    /// Random number of the cell, 0 to 1.
    pub own: f32,
    /// From the middle of the cell.
    pub offset: Vec2,
}

impl Lattice {
    pub fn new(u: i32, v: i32, seed: u32) -> Self {
        Self {
            period: [u, v],
            seed,
        }
    }

    fn at(&self, x: i32, y: i32, salt: u32) -> u32 {
        let [u, v] = self.period;
        let (x, y) = (x.rem_euclid(u) as u32, y.rem_euclid(v) as u32);
        mix(x ^ mix(y ^ mix(self.seed ^ (salt << 24))))
    }

    /// Gradient noise (Perlin 2002), about −1 to 1, mean 0. `uv` from 0 to 1 goes over the whole period.
    pub fn noise(&self, uv: Vec2) -> f32 {
        let p = uv * Vec2::new(self.period[0] as f32, self.period[1] as f32);
        let corner = p.floor();
        let f = p - corner;
        let (x, y) = (corner.x as i32, corner.y as i32);
        let gradient = |dx: i32, dy: i32| {
            let angle = hash(self.at(x + dx, y + dy, 0)) * core::f32::consts::TAU;
            let (sin, cos) = angle.sin_cos();
            cos * (f.x - dx as f32) + sin * (f.y - dy as f32)
        };
        let fade = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
        let low = gradient(0, 0) + fade.x * (gradient(1, 0) - gradient(0, 0));
        let high = gradient(0, 1) + fade.x * (gradient(1, 1) - gradient(0, 1));
        1.5 * (low + fade.y * (high - low))
    }

    /// Sum of `octaves` noises, each twice as fine and half as strong.
    pub fn clouds(&self, uv: Vec2, octaves: u32) -> f32 {
        let mut sum = 0.0;
        for octave in 0..octaves {
            let finer = Self {
                period: self.period.map(|p| p << octave),
                seed: self.seed.wrapping_add(octave * 101),
            };
            sum += finer.noise(uv) * 0.5_f32.powi(octave as i32);
        }
        sum
    }

    /// Random cells (Worley 1996) with the true distance to their borders (Quílez).
    pub fn cell(&self, uv: Vec2) -> Cell {
        let p = uv * Vec2::new(self.period[0] as f32, self.period[1] as f32);
        let corner = p.floor();
        let f = p - corner;
        let (x, y) = (corner.x as i32, corner.y as i32);
        let point = |dx: i32, dy: i32| {
            let jitter = [1, 2].map(|salt| 0.1 + 0.8 * hash(self.at(x + dx, y + dy, salt)));
            Vec2::new(dx as f32, dy as f32) + Vec2::from(jitter) - f
        };
        let mut nearest = (f32::MAX, (0, 0), Vec2::ZERO);
        for dy in -1..=1 {
            for dx in -1..=1 {
                let to = point(dx, dy);
                if to.length_squared() < nearest.0 {
                    nearest = (to.length_squared(), (dx, dy), to);
                }
            }
        }
        let (_, (cx, cy), middle) = nearest;
        let mut border = f32::MAX;
        for dy in cy - 2..=cy + 2 {
            for dx in cx - 2..=cx + 2 {
                let to = point(dx, dy);
                let between = to - middle;
                if (dx, dy) != (cx, cy) && between.length_squared() > 1e-8 {
                    border = border.min((0.5 * (to + middle)).dot(between.normalize()));
                }
            }
        }
        Cell {
            border,
            own: hash(self.at(x + cx, y + cy, 3)),
            offset: -middle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_repeats_and_is_about_even() {
        let lattice = Lattice::new(5, 3, 7);
        let mut sum = 0.0;
        for i in 0..4096 {
            let uv = Vec2::new(hash(i), hash(i + 10_000));
            let there = uv + Vec2::new(1.0, -1.0);
            assert!((lattice.clouds(uv, 4) - lattice.clouds(there, 4)).abs() < 2e-3);
            let (a, b) = (lattice.cell(uv), lattice.cell(there));
            assert!((a.border - b.border).abs() < 1e-3 && a.own == b.own || a.border < 1e-3);
            sum += lattice.noise(uv);
            assert!(lattice.noise(uv).abs() <= 1.1 && a.border >= -1e-5);
        }
        assert!((sum / 4096.0).abs() < 0.1);
    }
}
