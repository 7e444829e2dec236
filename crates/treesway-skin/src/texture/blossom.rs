//! Painting a flower: pale petals, dark at the throat, stamens.

use super::canvas::{Canvas, Texel};
use super::colour::{colour, smooth};
use super::layout::blade_point;
use super::leaf::Drawn;
use super::noise::{Lattice, hash};
use super::raster::Grid;
use crate::Look;
use core::f32::consts::TAU;
use treesway::glam::{Vec2, Vec3, vec2};

pub(super) fn paint(look: &Look, grid: &Grid, drawn: &Drawn) -> Canvas {
    let petal = colour(look.leaf.colour);
    // Petals are nearly white outside, and carry the colour towards the throat and along their veins.
    let pale = petal.lerp(Vec3::splat(0.86), 0.45);
    let throat = petal * Vec3::new(0.75, 0.3, 0.42);
    let petals = look.leaf.petals.max(1) as f32;
    let size = grid.size as usize;
    let patches = Lattice::new(5, 5, 17);
    let mut canvas = Canvas::painted(grid.size, |uv| {
        let i = (uv.y * size as f32) as usize * size + (uv.x * size as f32) as usize;
        let p = 2.0 * (blade_point(uv) - vec2(0.0, 0.5));
        let r = p.length();
        let share = (p.x.atan2(p.y) / TAU).rem_euclid(1.0) * petals;
        let side = (share.fract() - 0.5).abs() * 2.0;
        // Where two petals overlap, one lies in the shade of the other.
        let overlap = smooth(0.8, 1.0, side) * smooth(0.95, 0.5, r);
        let patch = patches.clouds(uv, 4);
        let vein = drawn.vein[i];
        let mut tint = pale.lerp(
            petal,
            0.6 * smooth(0.75, 0.25, r) + 0.35 * vein + 0.12 * patch,
        );
        tint = tint.lerp(throat, smooth(0.34, 0.08, r + 0.04 * patch));
        tint *= (1.0 - 0.22 * overlap) * (1.0 + 0.05 * patch);
        Texel {
            colour: tint.min(Vec3::splat(0.9)),
            alpha: drawn.cover[i],
            height: 0.3 + 0.4 * r - 0.25 * overlap - 0.12 * drawn.valley[i] + 0.05 * patch,
            roughness: 0.6,
            occlusion: 1.0 - 0.3 * smooth(0.4, 0.0, r) - 0.15 * overlap,
            translucency: 0.55 * (1.0 - 0.3 * vein),
        }
    });
    stamens(grid, &mut canvas);
    canvas
}

/// Threads with yellow heads around the pistil.
fn stamens(grid: &Grid, canvas: &mut Canvas) {
    const COUNT: u32 = 22;
    let middle = vec2(0.0, 0.5);
    for k in 0..COUNT {
        let angle = TAU * (k as f32 + 0.6 * hash(k)) / COUNT as f32;
        let way = vec2(angle.sin(), angle.cos());
        let head: Vec2 = middle + way * (0.07 + 0.09 * hash(k + 100));
        grid.stroke(&[middle + 0.02 * way, head], 0.004, |i, distance, _| {
            let t = &mut canvas.texels[i];
            t.colour = t.colour.lerp(
                Vec3::new(0.75, 0.55, 0.5),
                0.8 * smooth(0.004, 0.001, distance),
            );
        });
        grid.stroke(&[head, head + 0.001 * way], 0.012, |i, distance, _| {
            let t = &mut canvas.texels[i];
            let on = smooth(0.012, 0.007, distance);
            t.colour = t.colour.lerp(Vec3::new(0.62, 0.4, 0.07), on);
            t.height += 0.15 * on;
        });
    }
}
