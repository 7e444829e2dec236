//! Texels as numbers, and what becomes of them: three images of bytes.

use super::colour::{from_linear, unit_byte};
use super::{Image, Surface};
use rayon::prelude::*;
use treesway::glam::{Vec2, Vec3};

/// What is known of one point of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texel {
    /// Linear light.
    pub colour: Vec3,
    /// Coverage.
    pub alpha: f32,
    /// 0 (furrow) to 1 (ridge).
    pub height: f32,
    pub roughness: f32,
    /// Light that gets here, 1 on open ground.
    pub occlusion: f32,
    /// Light that goes through.
    pub translucency: f32,
}

impl Default for Texel {
    fn default() -> Self {
        Self {
            colour: Vec3::ONE,
            alpha: 1.0,
            height: 0.5,
            roughness: 0.8,
            occlusion: 1.0,
            translucency: 0.0,
        }
    }
}

/// A square of texels, rows from the top.
pub(super) struct Canvas {
    pub size: u32,
    pub texels: Vec<Texel>,
}

impl Canvas {
    /// One texel for each pixel; `paint` gets its middle as u and v, 0 to 1, v from the top.
    pub fn painted(size: u32, paint: impl Fn(Vec2) -> Texel + Sync) -> Self {
        let row = |y: u32| {
            let paint = &paint;
            let at = move |x: u32| (Vec2::new(x as f32, y as f32) + 0.5) / size as f32;
            (0..size).map(move |x| paint(at(x)))
        };
        let rows: Vec<Vec<Texel>> = (0..size)
            .into_par_iter()
            .map(|y| row(y).collect())
            .collect();
        Self {
            size,
            texels: rows.concat(),
        }
    }

    /// Mean height within `radius` (a share of the edge) of every texel, around the edges: three box filters, nearly a Gaussian.
    pub fn blurred_height(&self, radius: f32) -> Vec<f32> {
        let n = self.size as usize;
        let reach = ((radius * n as f32).round() as usize).clamp(1, (n - 1) / 2);
        let mut field: Vec<f32> = self.texels.iter().map(|t| t.height).collect();
        for _ in 0..2 {
            // Rows, then by transposition columns; three times would be a better Gaussian, twice is enough for a mean.
            for _ in 0..2 {
                let filtered: Vec<Vec<f32>> = field
                    .par_chunks_exact(n)
                    .map(|row| box_filter(row, reach))
                    .collect();
                let mut turned = vec![0.0; n * n];
                turned
                    .par_chunks_exact_mut(n)
                    .enumerate()
                    .for_each(|(x, column)| {
                        for (value, row) in column.iter_mut().zip(&filtered) {
                            *value = row[x];
                        }
                    });
                field = turned;
            }
        }
        field
    }

    /// The images. `relief` is how much the height of 1 is, in edges of the image, along u and along v.
    pub fn surface(&self, relief: Vec2) -> Surface {
        let n = self.size as usize;
        let slope = relief * n as f32 * 0.5;
        let height = |x: usize, y: usize| self.texels[(y % n) * n + x % n].height;
        let pixels: Vec<[[u8; 4]; 3]> = (0..n * n)
            .into_par_iter()
            .map(|i| {
                let (x, y) = (i % n, i / n);
                let t = &self.texels[i];
                let along_u = height(x + 1, y) - height(x + n - 1, y);
                let along_v = height(x, y + 1) - height(x, y + n - 1);
                let normal = Vec3::new(-along_u * slope.x, along_v * slope.y, 1.0).normalize();
                let [nx, ny, nz] = (normal * 0.5 + 0.5).to_array().map(unit_byte);
                let [r, g, b] = t.colour.to_array().map(from_linear);
                [
                    [r, g, b, unit_byte(t.alpha)],
                    [nx, ny, nz, unit_byte(t.height)],
                    [
                        unit_byte(t.occlusion),
                        unit_byte(t.roughness),
                        0,
                        unit_byte(t.translucency),
                    ],
                ]
            })
            .collect();
        let image = |which: usize| Image {
            width: self.size,
            height: self.size,
            rgba: pixels.iter().flat_map(|p| p[which]).collect(),
        };
        Surface {
            colour: image(0),
            normal: image(1),
            material: image(2),
        }
    }
}

/// Mean of `2·reach + 1` neighbours, around the ends.
fn box_filter(row: &[f32], reach: usize) -> Vec<f32> {
    let n = row.len();
    let wide = (2 * reach + 1) as f32;
    let mut sum: f32 = (0..=2 * reach).map(|i| row[(i + n - reach) % n]).sum();
    let mut out = Vec::with_capacity(n);
    for i in 0..n {
        out.push(sum / wide);
        sum += row[(i + reach + 1) % n] - row[(i + n - reach) % n];
    }
    out
}
