//! Pixels and their smaller levels.

use super::colour::{from_linear, to_linear};

/// Pixels, four bytes each, rows from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue, alpha.
    pub rgba: Vec<u8>,
}

impl Image {
    /// Every smaller level down to one pixel, each half as large. With `coverage` (for colours that are cut out by their alpha) the
    /// share of pixels whose alpha is at least a half stays that of the first level as nearly as the level's pixels allow, so that
    /// leaves do not thin out with distance (Castaño 2010); and colours are averaged in linear light, weighted by alpha. Without it
    /// each channel is averaged as it is.
    pub fn mips(&self, coverage: bool) -> Vec<Image> {
        let wanted = self.covered(1.0);
        let mut levels: Vec<Image> = Vec::new();
        let mut last = self.clone();
        while last.width > 1 || last.height > 1 {
            let next = last.half(coverage);
            // Levels are made from unscaled ones, or errors of rounding would add up.
            let mut shown = next.clone();
            if coverage {
                let scale = next.alpha_scale(wanted);
                for pixel in shown.rgba.chunks_exact_mut(4) {
                    pixel[3] = scaled(pixel[3], scale);
                }
            }
            levels.push(shown);
            last = next;
        }
        levels
    }

    /// Share of pixels whose alpha times `scale` is at least a half.
    fn covered(&self, scale: f32) -> f32 {
        let pixels = self.rgba.chunks_exact(4);
        let count = pixels.len().max(1);
        pixels.filter(|p| scaled(p[3], scale) >= 128).count() as f32 / count as f32
    }

    /// Factor on alpha that covers about `wanted`, by bisection: the share covered grows with it.
    fn alpha_scale(&self, wanted: f32) -> f32 {
        let (mut low, mut high) = (0.0_f32, 16.0_f32);
        for _ in 0..24 {
            let middle = 0.5 * (low + high);
            if self.covered(middle) < wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        // Of small levels, where all of a spray of needles passes or nothing, rather all: the nearer ratio, not the nearer difference.
        // And no change if that is as good, as for opaque images.
        let least = 0.1 / (self.width * self.height) as f32;
        let error = |scale: f32| {
            ((self.covered(scale) + least) / (wanted + least))
                .ln()
                .abs()
        };
        let best = |a: f32, b: f32| if error(b) < error(a) { b } else { a };
        best(best(1.0, low), high)
    }

    /// The next smaller level.
    fn half(&self, light: bool) -> Image {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut rgba = Vec::with_capacity((width * height * 4) as usize);
        for y in 0..height {
            for x in 0..width {
                let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| {
                    let column = (2 * x + dx).min(self.width - 1);
                    let row = (2 * y + dy).min(self.height - 1);
                    let at = ((row * self.width + column) * 4) as usize;
                    [0, 1, 2, 3].map(|c| self.rgba[at + c])
                });
                rgba.extend(if light {
                    mean_light(&four)
                } else {
                    mean(&four)
                });
            }
        }
        Image {
            width,
            height,
            rgba,
        }
    }
}

fn scaled(alpha: u8, scale: f32) -> u8 {
    (f32::from(alpha) * scale).round().min(255.0) as u8
}

fn mean(four: &[[u8; 4]; 4]) -> [u8; 4] {
    [0, 1, 2, 3].map(|c| {
        let sum: u32 = four.iter().map(|p| u32::from(p[c])).sum();
        ((sum + 2) / 4) as u8
    })
}

/// In linear light; where nothing is covered every pixel counts the same, so that the colour around a leaf stays its own.
fn mean_light(four: &[[u8; 4]; 4]) -> [u8; 4] {
    let weight = four.map(|p| f32::from(p[3]) + 1e-3);
    let total: f32 = weight.iter().sum();
    let mut out = mean(four);
    for (c, value) in out.iter_mut().take(3).enumerate() {
        let sum: f32 = four
            .iter()
            .zip(weight)
            .map(|(p, w)| to_linear(p[c]) * w)
            .sum();
        *value = from_linear(sum / total);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disc that covers `share` of the image, one colour inside and another, hidden one, outside.
    fn disc(size: u32, share: f32) -> Image {
        let radius = (share / core::f32::consts::PI).sqrt() * size as f32;
        let mut rgba = Vec::new();
        for y in 0..size {
            for x in 0..size {
                let [dx, dy] = [x, y].map(|c| c as f32 + 0.5 - 0.5 * size as f32);
                let inside = radius - (dx * dx + dy * dy).sqrt() + 0.5;
                rgba.extend(if inside > 0.0 {
                    [40, 90, 30, (inside.min(1.0) * 255.0) as u8]
                } else {
                    [255, 0, 255, 0]
                });
            }
        }
        Image {
            width: size,
            height: size,
            rgba,
        }
    }

    #[test]
    fn coverage_stays_over_all_levels() {
        let image = disc(256, 0.3);
        for level in image.mips(true) {
            let one = 1.0 / (level.width * level.height) as f32;
            // Eight pixels of a disc have the same alpha by symmetry, and cross the threshold together.
            let error = (level.covered(1.0) - 0.3).abs();
            assert!(error <= 8.0 * one, "{}: {error}", level.width);
        }
    }

    #[test]
    fn plain_levels_of_thin_things_lose_coverage_so_the_scale_is_needed() {
        // Needles: one pixel in four columns.
        let mut image = disc(64, 0.0);
        for pixel in image.rgba.chunks_exact_mut(4).step_by(4) {
            pixel.copy_from_slice(&[40, 90, 30, 255]);
        }
        for (plain, kept) in image.mips(false).iter().zip(image.mips(true)).skip(1) {
            assert_eq!(plain.covered(1.0), 0.0);
            assert!(kept.covered(1.0) >= 0.25);
        }
    }

    #[test]
    fn hidden_colours_do_not_bleed_and_light_is_linear() {
        for level in disc(64, 0.3).mips(true) {
            for pixel in level.rgba.chunks_exact(4).filter(|p| p[3] > 8) {
                assert!(pixel[1] >= 85 && pixel[0] < 60, "{pixel:?}");
            }
        }
        let board = Image {
            width: 2,
            height: 2,
            rgba: [[0, 0, 0, 255], [255, 255, 255, 255]].repeat(2).concat(),
        };
        // Half the light of white is 188 in sRGB, not 128.
        assert_eq!(board.mips(true)[0].rgba, [188, 188, 188, 255]);
        assert_eq!(board.mips(false)[0].rgba, [128, 128, 128, 255]);
    }

    #[test]
    fn levels_end_at_one_pixel() {
        let mut image = disc(64, 0.5);
        image.height = 16;
        image.rgba.truncate(64 * 16 * 4);
        let sizes: Vec<_> = image
            .mips(false)
            .iter()
            .map(|l| (l.width, l.height))
            .collect();
        assert_eq!(sizes[0], (32, 8));
        assert_eq!(sizes.last(), Some(&(1, 1)));
        assert_eq!(sizes.len(), 6);
    }
}
