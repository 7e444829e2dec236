//! Random numbers of our own, so that a seed gives the same tree and the same wind next year and on every platform.

/// SplitMix64 (Steele, Lea and Flood 2014): small, fast, and good enough to place branches and gusts.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// One stream of a seed. Every branch and every gust has its own, so that a change to one leaves the others as they were.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mixed = Self(seed);
        let start = mixed.next() ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03);
        Self(start)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly from 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly from −1 to 1.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Close to normal, of variance 1 and never further off than 3.5: the sum of four even numbers, whose variance is 4/12.
    pub fn normal(&mut self) -> f64 {
        let sum: f64 = (0..4).map(|_| self.unit()).sum();
        (sum - 2.0) * 1.732_050_807_568_877_2
    }

    /// Evenly between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}
