//! How long something takes that is done over and over: about, and at worst.

use web_time::{Duration, Instant};

/// How long the worst is remembered, at least; at most twice as long.
const WINDOW: Duration = Duration::from_secs(5);

/// Times of something, ms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    mean: f32,
    /// In the window that is under way, and in the one before.
    worst: [f32; 2],
    since: Option<Instant>,
}

impl Meter {
    /// It took that long.
    pub fn note(&mut self, ms: f32) {
        smooth(&mut self.mean, ms);
        let now = Instant::now();
        if self.since.is_none_or(|since| now - since > WINDOW) {
            self.since = Some(now);
            self.worst = [0.0, self.worst[0]];
        }
        self.worst[0] = self.worst[0].max(ms);
    }

    /// What it takes, smoothed.
    pub fn mean(&self) -> f32 {
        self.mean
    }

    /// What it took at worst in the last seconds.
    pub fn worst(&self) -> f32 {
        self.worst[0].max(self.worst[1])
    }
}

/// How often something is done in a second, counted over half a second or more.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    count: u32,
    secs: f64,
    per_sec: f64,
}

impl Rate {
    /// It was done so often in that time.
    pub fn note(&mut self, count: u32, secs: f64) {
        self.count += count;
        self.secs += secs;
        if self.secs >= 0.5 {
            self.per_sec = f64::from(self.count) / self.secs;
            (self.count, self.secs) = (0, 0.0);
        }
    }

    /// Times a second.
    pub fn per_sec(&self) -> f64 {
        self.per_sec
    }
}

/// Follows a value slowly enough to be read.
pub fn smooth(mean: &mut f32, value: f32) {
    let share = if *mean == 0.0 { 1.0 } else { 0.1 };
    *mean += (value - *mean) * share;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_frame_is_the_worst_and_hardly_moves_the_mean() {
        let mut meter = Meter::default();
        (0..50).for_each(|_| meter.note(2.0));
        meter.note(100.0);
        (0..50).for_each(|_| meter.note(2.0));
        assert_eq!(meter.worst(), 100.0);
        assert!((meter.mean() - 2.0).abs() < 0.2, "{}", meter.mean());
    }

    #[test]
    fn a_rate_is_that_of_whole_half_seconds() {
        let mut rate = Rate::default();
        for _ in 0..31 {
            rate.note(3, 0.05);
        }
        assert!((rate.per_sec() - 60.0).abs() < 1e-9, "{}", rate.per_sec());
    }
}
