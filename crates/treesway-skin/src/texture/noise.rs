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

    /// Random bits of a cell whose number is within the period.
    fn bits(&self, x: u32, y: u32) -> u32 {
        mix(x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ self.seed.rotate_left(16))
    }

    /// Corner below a point given in tiles, within the period, and the way from it.
    fn locate(&self, uv: Vec2) -> ([i32; 2], Vec2) {
        let [x, y] = [(uv.x, self.period[0]), (uv.y, self.period[1])].map(|(at, period)| {
            let p = (at - floor(at) as f32) * period as f32;
            let corner = (p as i32).min(period - 1);
            (corner, p - corner as f32)
        });
        ([x.0, y.0], Vec2::new(x.1, y.1))
    }

    /// A number of a cell that is less than two periods outside of them, back within. Division would be slower.
    fn within(&self, number: i32, axis: usize) -> u32 {
        let period = self.period[axis];
        let mut number = number;
        while number < 0 {
            number += period;
        }
        while number >= period {
            number -= period;
        }
        number as u32
    }

    /// Gradient noise (Perlin 2002), about −1 to 1, mean 0. `uv` from 0 to 1 goes over the whole period.
    pub fn noise(&self, uv: Vec2) -> f32 {
        let ([x, y], f) = self.locate(uv);
        let [x0, y0] = [x as u32, y as u32];
        let [x1, y1] = [self.within(x + 1, 0), self.within(y + 1, 1)];
        let slope = |x: u32, y: u32, away: Vec2| halves(self.bits(x, y)).dot(away);
        let fade = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
        let low = slope(x0, y0, f);
        let low = low + fade.x * (slope(x1, y0, f - Vec2::X) - low);
        let high = slope(x0, y1, f - Vec2::Y);
        let high = high + fade.x * (slope(x1, y1, f - Vec2::ONE) - high);
        1.7 * (low + fade.y * (high - low))
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
        const REACH: i32 = 2;
        const SIDE: usize = 2 * REACH as usize + 1;
        let ([x, y], f) = self.locate(uv);
        let columns: [u32; SIDE] = core::array::from_fn(|i| self.within(x + i as i32 - REACH, 0));
        let rows: [u32; SIDE] = core::array::from_fn(|i| self.within(y + i as i32 - REACH, 1));
        let mut points = [(Vec2::ZERO, 0); SIDE * SIDE];
        let mut nearest = (f32::MAX, 0);
        for (i, point) in points.iter_mut().enumerate() {
            let (dx, dy) = (i % SIDE, i / SIDE);
            let bits = self.bits(columns[dx], rows[dy]);
            let corner = Vec2::new(dx as f32, dy as f32) - REACH as f32;
            *point = (corner + 0.5 + 0.4 * halves(bits) - f, bits);
            let distance = point.0.length_squared();
            if distance < nearest.0 {
                nearest = (distance, i);
            }
        }
        let (middle, bits) = points[nearest.1];
        // Twice the distance to the border with another cell is (|to|² − |middle|²) / |to − middle|, squared here so that one root is
        // taken at the end. Of the cell with itself it is not a number, which the least one passes over.
        let least = points.iter().fold(f32::MAX, |least, (to, _)| {
            let farther = to.length_squared() - middle.length_squared();
            least.min(farther * farther / (*to - middle).length_squared())
        });
        let border = 0.5 * least.sqrt();
        Cell {
            border,
            own: hash(bits),
            offset: -middle,
        }
    }
}

/// The whole number below, without a call into the library as `f32::floor` is where the processor is not known.
fn floor(x: f32) -> i32 {
    let towards_zero = x as i32;
    towards_zero - i32::from(x < towards_zero as f32)
}

/// Two numbers, −1 to 1, of the two halves of a word.
fn halves(bits: u32) -> Vec2 {
    Vec2::new((bits & 0xffff) as f32, (bits >> 16) as f32) / 32768.0 - 1.0
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
