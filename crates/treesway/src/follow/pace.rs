//! How many bodies may move for a frame to take no longer than asked.
//!
//! Choosing takes longer than a frame, so it is done rarely: the middle of the last [`WINDOW`] frames is looked at, which single slow ones do not change, and within a band around the
//! time asked for nothing is done. What is chosen depends on the clock, and so does the motion from then on; a world does none of this by itself.

use std::collections::VecDeque;

/// Frames that are looked at.
const WINDOW: usize = 15;
/// What is aimed at, in parts of the time asked for, and the band around it in which nothing is done.
const AIM: f64 = 0.85;
const BAND: [f64; 2] = [0.6, 1.05];
/// Most and least that the number of bodies changes by at once.
const MOST_CHANGE: [f64; 2] = [0.1, 4.0];
/// Fewer bodies than this are not worth it.
const FEWEST: f64 = 64.0;

/// Watches how long frames take and says how many bodies should move, for [`crate::Simulated::most_bodies`].
#[derive(Clone, Debug)]
pub struct Pace {
    target_secs: f64,
    last: VecDeque<f64>,
}

impl Pace {
    /// Frames are to take no more than `target_secs` s of computing.
    ///
    /// # Panics
    /// If that is not finite and greater than zero.
    pub fn new(target_secs: f64) -> Self {
        assert!(
            target_secs.is_finite() && target_secs > 0.0,
            "a frame takes a finite time greater than zero"
        );
        Self {
            target_secs,
            last: VecDeque::with_capacity(WINDOW),
        }
    }

    /// Told after every frame how long it took, s, and how many of `all` bodies moved. Returns how many should from now on, where that is worth
    /// choosing again.
    pub fn after_frame(&mut self, secs: f64, moving: usize, all: usize) -> Option<u32> {
        if self.last.len() == WINDOW {
            self.last.pop_front();
        }
        self.last.push_back(secs);
        if self.last.len() < WINDOW {
            return None;
        }
        let mut sorted: Vec<f64> = self.last.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let load = sorted[WINDOW / 2] / self.target_secs;
        let [low, high] = BAND;
        if load <= high && (load >= low || moving >= all) {
            return None;
        }
        let [least, most] = MOST_CHANGE;
        let change = (AIM / load.max(1e-9)).clamp(least, most);
        let wanted = (moving as f64 * change).max(FEWEST).min(all as f64) as u32;
        if wanted as usize == moving {
            return None;
        }
        self.last.clear();
        Some(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that takes 100 ns a body, with a slow frame now and then.
    #[test]
    fn pace_finds_the_number_of_bodies_and_stays_there() {
        let (all, mut moving) = (3_000_000, 3_000_000);
        let mut pace = Pace::new(0.004);
        let mut changes = 0;
        for frame in 0..1000 {
            let hiccup = if frame % 7 == 0 { 3.0 } else { 1.0 };
            if let Some(bodies) = pace.after_frame(moving as f64 * 1e-7 * hiccup, moving, all) {
                moving = bodies as usize;
                changes += 1;
            }
        }
        assert!((24_000..=42_000).contains(&moving), "{moving}");
        assert!(changes <= 4, "{changes}");
    }

    #[test]
    fn a_fast_machine_moves_everything() {
        let mut pace = Pace::new(0.010);
        let mut moving = 1000;
        for _ in 0..200 {
            if let Some(bodies) = pace.after_frame(moving as f64 * 1e-7, moving, 10_000) {
                moving = bodies as usize;
            }
        }
        assert_eq!(moving, 10_000);
    }
}
