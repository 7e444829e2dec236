//! The wind of Quigley 2017, §7: a grid over the ground, each cell with a velocity of its own that swells and ebbs.

use glam::Vec3;

/// Wind of one cell: v(t) = v̄ (1 + strength · Σ persistenceⁱ sin 2π(2ⁱ t/period + phase) / Σ persistenceⁱ).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct WindCell {
    /// v̄, m/s.
    pub velocity: Vec3,
    /// Largest change over the mean (default: 0.3).
    pub strength: f32,
    /// Of the slowest octave, s (default: 6).
    pub period: f32,
    /// Each twice as fast as the one before (default: 3).
    pub octaves: u32,
    /// Amplitude of an octave over that of the one before (default: 0.5).
    pub persistence: f32,
    /// Where it starts, turns (default: 0).
    pub phase: f32,
}

impl Default for WindCell {
    fn default() -> Self {
        Self {
            velocity: Vec3::ZERO,
            strength: 0.3,
            period: 6.0,
            octaves: 3,
            persistence: 0.5,
            phase: 0.0,
        }
    }
}

impl WindCell {
    fn at(&self, seconds: f64) -> Vec3 {
        let (mut sum, mut whole, mut amplitude) = (0.0, 0.0, 1.0);
        let mut turns = seconds / f64::from(self.period);
        for _ in 0..self.octaves {
            let angle = (turns + f64::from(self.phase)) * core::f64::consts::TAU;
            sum += amplitude * libm::sin(angle);
            whole += amplitude;
            amplitude *= f64::from(self.persistence);
            turns *= 2.0;
        }
        let swell = if whole > 0.0 { sum / whole } else { 0.0 };
        self.velocity * (1.0 + f64::from(self.strength) * swell) as f32
    }
}

/// A grid of cells seen from above, constant beyond its edge.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct WindGrid {
    /// Corner with the smallest x and z, m.
    pub corner: [f32; 2],
    /// Edge of a cell, m (default: 5).
    pub cell_size: f32,
    /// Cells along x.
    pub columns: usize,
    /// Row by row along x, rows along z.
    pub cells: Vec<WindCell>,
    /// From the middle of one cell to the next the wind changes gradually (default: true); else, as in the paper, at its edge.
    pub interpolated: bool,
}

impl Default for WindGrid {
    fn default() -> Self {
        Self {
            corner: [0.0; 2],
            cell_size: 5.0,
            columns: 0,
            cells: Vec::new(),
            interpolated: true,
        }
    }
}

/// A grid during one frame.
#[derive(Clone, Debug)]
pub(super) struct GridNow {
    grid: WindGrid,
    /// Start and length of the frame, s.
    since: f64,
    frame_secs: f64,
    /// Of each cell: velocity at `since` and change per second during the frame.
    now: Vec<[Vec3; 2]>,
}

impl GridNow {
    pub(super) fn of(grid: &WindGrid) -> Self {
        let mut now = Self {
            grid: grid.clone(),
            since: 0.0,
            frame_secs: 0.0,
            now: vec![[Vec3::ZERO; 2]; grid.cells.len()],
        };
        now.prepare(0.0, 1.0 / 30.0);
        now
    }

    pub(super) fn prepare(&mut self, seconds: f64, frame_secs: f64) {
        self.since = seconds;
        self.frame_secs = frame_secs;
        for (now, cell) in self.now.iter_mut().zip(&self.grid.cells) {
            let (start, end) = (cell.at(seconds), cell.at(seconds + frame_secs));
            *now = [start, (end - start) * (1.0 / frame_secs) as f32];
        }
    }

    /// Of the air over a point of the ground.
    pub(super) fn at(&self, seconds: f64, x: f32, z: f32) -> Vec3 {
        let later = seconds - self.since;
        let in_frame = (0.0..=self.frame_secs).contains(&later);
        let grid = &self.grid;
        let (columns, rows) = (grid.columns, grid.cells.len() / grid.columns);
        let cell = |column: usize, row: usize| {
            let i = row * columns + column;
            if in_frame {
                let [start, change] = self.now[i];
                start + change * later as f32
            } else {
                grid.cells[i].at(seconds)
            }
        };
        let half = if grid.interpolated { 0.5 } else { 0.0 };
        let place = |at: f32, corner: f32, count: usize| {
            let x = ((at - corner) / grid.cell_size - half).clamp(0.0, (count - 1) as f32);
            let i = (x as usize).min(count - 1);
            (i, (i + 1).min(count - 1), x - i as f32)
        };
        let (c, c1, u) = place(x, grid.corner[0], columns);
        let (r, r1, v) = place(z, grid.corner[1], rows);
        if !grid.interpolated {
            return cell(c, r);
        }
        let low = cell(c, r).lerp(cell(c1, r), u);
        let high = cell(c, r1).lerp(cell(c1, r1), u);
        low.lerp(high, v)
    }
}
