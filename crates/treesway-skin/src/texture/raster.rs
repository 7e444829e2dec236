//! Filled outlines and strokes on a grid of texels.

use rayon::prelude::*;
use treesway::glam::{Vec2, vec2};

/// Which part of the plane a grid shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// Texels along an edge.
    pub size: u32,
    /// Corner of the first texel, and the step from texel to texel along u and v.
    pub origin: Vec2,
    pub step: Vec2,
}

impl Grid {
    /// Middle of a texel.
    pub fn middle(&self, x: usize, y: usize) -> Vec2 {
        self.origin + self.step * (vec2(x as f32, y as f32) + 0.5)
    }

    fn texel(&self, p: Vec2) -> Vec2 {
        (p - self.origin) / self.step
    }

    /// Share of every texel that lies inside a closed outline (even–odd), exact across and by eight samples down.
    pub fn fill(&self, outline: &[Vec2]) -> Vec<f32> {
        const LINES: usize = 8;
        let n = self.size as usize;
        let points: Vec<Vec2> = outline.iter().map(|p| self.texel(*p)).collect();
        let mut cover = vec![0.0; n * n];
        cover
            .par_chunks_exact_mut(n)
            .enumerate()
            .for_each(|(y, row)| {
                for line in 0..LINES {
                    let at = y as f32 + (line as f32 + 0.5) / LINES as f32;
                    let edges = points.iter().zip(points.iter().cycle().skip(1));
                    let crossing = edges.filter(|(a, b)| (a.y > at) != (b.y > at));
                    let mut crossings: Vec<f32> = crossing
                        .map(|(a, b)| a.x + (b.x - a.x) * (at - a.y) / (b.y - a.y))
                        .collect();
                    crossings.sort_by(f32::total_cmp);
                    for pair in crossings.chunks_exact(2) {
                        add_span(row, pair[0], pair[1], 1.0 / LINES as f32);
                    }
                }
            });
        cover
    }

    /// Calls `mark` for every texel near a polyline with its index, its distance from the line, and how far along the line it
    /// lies (0 to 1). `reach` bounds the distance.
    pub fn stroke(&self, path: &[Vec2], reach: f32, mut mark: impl FnMut(usize, f32, f32)) {
        let pieces = path.len().saturating_sub(1).max(1) as f32;
        let around = (vec2(reach, reach) / self.step.abs()) + 1.0;
        for (k, pair) in path.windows(2).enumerate() {
            let [a, b] = [pair[0], pair[1]];
            let ends = [self.texel(a), self.texel(b)];
            let most = Vec2::splat(self.size as f32 - 1.0);
            let low = (ends[0].min(ends[1]) - around)
                .floor()
                .clamp(Vec2::ZERO, most);
            let high = (ends[0].max(ends[1]) + around)
                .ceil()
                .clamp(Vec2::ZERO, most);
            let way = b - a;
            let length2 = way.length_squared().max(1e-12);
            for y in low.y as usize..=high.y as usize {
                for x in low.x as usize..=high.x as usize {
                    let to = self.middle(x, y) - a;
                    let share = (to.dot(way) / length2).clamp(0.0, 1.0);
                    let distance = to.distance(way * share);
                    if distance < reach {
                        let along = (k as f32 + share) / pieces;
                        mark(y * self.size as usize + x, distance, along);
                    }
                }
            }
        }
    }
}

/// Adds the part of every texel of a row that lies between two places.
fn add_span(row: &mut [f32], from: f32, to: f32, weight: f32) {
    let (from, to) = (from.max(0.0), to.min(row.len() as f32));
    if to <= from {
        return;
    }
    let first = from as usize;
    for (i, texel) in row.iter_mut().enumerate().skip(first) {
        let covered = (to - i as f32).min(1.0) - (from - i as f32).max(0.0);
        if covered <= 0.0 {
            break;
        }
        *texel += weight * covered;
    }
}
