//! The simulation's own clock: frames of fixed length, whatever the drawing takes.

use core::time::Duration;
use web_time::Instant;

/// Real time that waits to be simulated.
pub struct Clock {
    /// Simulated seconds per real one (default: 1).
    pub speed: f64,
    /// Whether time stands still (default: no).
    pub paused: bool,
    /// Time that is not simulated yet, s; less than a frame after [`Clock::advance`].
    owed: f64,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            speed: 1.0,
            paused: false,
            owed: 0.0,
        }
    }
}

/// Most real time that one drawn frame may ask for, s: after a pause of the machine nothing is made up for.
const LONGEST: f64 = 0.5;

/// Time for steps in one drawn frame, s, however short that is.
const LEAST_BUDGET: f64 = 0.024;

/// Share of a drawn frame that steps may take: where drawing is slow they may take as long as it does, and the trees need not move in slow motion.
const MOST_SHARE: f64 = 0.5;

impl Clock {
    /// Steps frames of `frame_secs` until simulated time has caught up with `real_secs` more of real time, or until half of that is spent: what is
    /// owed then is dropped, and the tree moves in slow motion instead of freezing the window. Returns how many frames it stepped.
    pub fn advance(&mut self, real_secs: f64, frame_secs: f64, step: impl FnMut()) -> u32 {
        let budget = (MOST_SHARE * real_secs).clamp(LEAST_BUDGET, LONGEST);
        self.advance_within(real_secs, frame_secs, Duration::from_secs_f64(budget), step)
    }

    fn advance_within(
        &mut self,
        real_secs: f64,
        frame_secs: f64,
        budget: Duration,
        mut step: impl FnMut(),
    ) -> u32 {
        if self.paused {
            return 0;
        }
        self.owed += real_secs.clamp(0.0, LONGEST) * self.speed;
        let start = Instant::now();
        let mut frames = 0;
        while self.owed >= frame_secs {
            if frames > 0 && start.elapsed() > budget {
                self.owed %= frame_secs;
                break;
            }
            step();
            self.owed -= frame_secs;
            frames += 1;
        }
        frames
    }

    /// Time goes on towards frames that are stepped beside the window and end `span` s after those that are shown; no faster than that many simulated seconds pass there in a real
    /// one, so that what moves slowly moves evenly. Whether they are to be shown.
    pub fn glide(&mut self, real_secs: f64, span: f64, most_speed: f64) -> bool {
        if self.paused {
            return false;
        }
        self.owed += real_secs.clamp(0.0, LONGEST) * self.speed.min(most_speed);
        self.owed >= span
    }

    /// They are shown, and the next ones come.
    pub fn show_next(&mut self, span: f64) {
        // What came too late is not made up for.
        self.owed = (self.owed - span).clamp(0.0, span);
    }

    /// How far the present is from the last frame but one to the last, 0 to 1.
    pub fn blend(&self, frame_secs: f64) -> f32 {
        (self.owed / frame_secs).clamp(0.0, 1.0) as f32
    }

    /// Shows the last frame itself.
    pub fn catch_up(&mut self, frame_secs: f64) {
        self.owed = frame_secs * (1.0 - 1e-9);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: f64 = 1.0 / 30.0;
    const PLENTY: Duration = Duration::from_secs(60);

    #[test]
    fn as_many_frames_as_time_passes_whatever_the_drawing_takes() {
        for drawn in [0.004, 1.0 / 60.0, 0.11] {
            let mut clock = Clock::default();
            let mut frames = 0;
            let mut real = 0.0;
            while real < 10.0 {
                clock.advance_within(drawn, FRAME, PLENTY, || frames += 1);
                real += drawn;
            }
            assert!(
                (f64::from(frames) - real * 30.0).abs() <= 1.0,
                "{drawn}: {frames}"
            );
        }
    }

    #[test]
    fn slow_motion_and_pause() {
        let mut clock = Clock {
            speed: 0.1,
            ..Clock::default()
        };
        let mut frames = 0;
        for _ in 0..600 {
            clock.advance_within(1.0 / 60.0, FRAME, PLENTY, || frames += 1);
        }
        assert!((29..=30).contains(&frames), "{frames}");
        clock.paused = true;
        assert_eq!(clock.advance_within(1.0, FRAME, PLENTY, || ()), 0);
    }

    #[test]
    fn frames_from_beside_the_window_are_shown_evenly_and_no_faster_than_they_come() {
        // A frame takes a second, thirty times as long as it lasts.
        let mut clock = Clock::default();
        let mut blends = Vec::new();
        for drawn in 1..=120 {
            if clock.glide(1.0 / 60.0, FRAME, FRAME) {
                assert!(
                    [60, 120].contains(&drawn) || [61, 121].contains(&drawn),
                    "{drawn}"
                );
                clock.show_next(FRAME);
            }
            blends.push(clock.blend(FRAME));
        }
        let steps = blends.windows(2).map(|pair| pair[1] - pair[0]);
        let forward: Vec<f32> = steps.filter(|step| *step > 0.0).collect();
        assert!(forward.len() > 110, "{}", forward.len());
        assert!(forward.iter().all(|step| (step - 1.0 / 60.0).abs() < 1e-3));
        clock.paused = true;
        assert!(!clock.glide(9.0, FRAME, FRAME));
    }

    #[test]
    fn slow_steps_do_not_pile_up() {
        let mut clock = Clock::default();
        let slow = || std::thread::sleep(Duration::from_millis(5));
        let frames = clock.advance_within(0.25, FRAME, Duration::from_millis(8), slow);
        assert!((1..=3).contains(&frames), "{frames}");
        assert!(clock.blend(FRAME) < 1.0);
    }
}
