//! Painting bark. A style gives every point its height, colour and roughness; what lies deep is then darkened and shaded.
//!
//! u goes around the trunk and v along it, both 0 to 1 over a tile. All patterns stand on noise that repeats, so tiles meet.

mod cracked;
mod skins;

use super::Surface;
use super::canvas::{Canvas, Texel};
use super::colour::{brightness, colour, smooth};
use super::noise::Lattice;
use crate::{BarkLook, Look};
use rayon::prelude::*;
use treesway::glam::{Vec2, Vec3};
use treesway_grow::species::BarkStyle;

/// What a style says of a point.
#[derive(Clone, Copy, Debug)]
struct Grain {
    /// 0 (furrow) to 1 (ridge).
    height: f32,
    /// Share of the dark colour.
    dark: f32,
    /// Factor on the colour.
    tint: Vec3,
    roughness: f32,
    /// Share of grey-green growth on it.
    lichen: f32,
}

impl Default for Grain {
    fn default() -> Self {
        Self {
            height: 0.5,
            dark: 0.0,
            tint: Vec3::ONE,
            roughness: 0.85,
            lichen: 0.0,
        }
    }
}

pub(super) fn paint(look: &Look, size: u32) -> Surface {
    let bark = &look.bark;
    let (light, dark) = (colour(bark.colour), colour(bark.dark));
    let (growth, dust) = (Lattice::new(5, 5, 71), Lattice::new(90, 80, 73));
    let style = style(bark.style);
    let mut canvas = Canvas::painted(size, |uv| {
        let grain = style(uv, bark);
        let mut tint = light.lerp(dark, grain.dark.clamp(0.0, 1.0)) * grain.tint;
        let spots = smooth(0.25, 0.7, growth.clouds(uv, 5));
        let grey_green = Vec3::new(0.9, 1.05, 0.78) * (0.6 * brightness(light) + 0.06);
        tint = tint.lerp(grey_green, grain.lichen * spots);
        // Nothing outside is clean or even.
        let fine = dust.clouds(uv, 2);
        Texel {
            colour: tint * (1.0 + 0.16 * fine * grain.roughness),
            height: (grain.height + 0.045 * fine * grain.roughness).clamp(0.0, 1.0),
            roughness: grain.roughness,
            ..Texel::default()
        }
    });
    // Over about the width of a furrow; relief goes with it.
    let mean = canvas.blurred_height(0.02);
    let depth = (bark.relief / (0.04 * bark.tile)).min(1.0);
    canvas
        .texels
        .par_iter_mut()
        .zip(mean)
        .for_each(|(texel, mean)| {
            let cavity = (mean - texel.height) * depth;
            texel.occlusion = (1.0 - 1.7 * cavity.max(0.0)).clamp(0.25, 1.0);
            texel.colour *= (1.0 - 1.1 * cavity).clamp(0.5, 1.25);
        });
    let mut relief = Vec2::splat(bark.relief / bark.tile);
    // Steeper than 60° would need geometry.
    relief = relief.min(Vec2::splat(0.05));
    canvas.surface(relief)
}

fn style(style: BarkStyle) -> fn(Vec2, &BarkLook) -> Grain {
    match style {
        BarkStyle::Furrowed => cracked::furrowed,
        BarkStyle::Crossed => cracked::crossed,
        BarkStyle::Plated => cracked::plated,
        BarkStyle::Scaly => cracked::scaly,
        BarkStyle::Papery => skins::papery,
        BarkStyle::Banded => skins::banded,
        BarkStyle::Eyed => skins::eyed,
        BarkStyle::Ringed => skins::ringed,
        BarkStyle::Smooth => skins::smooth_skin,
    }
}

/// A point moved about by noise, so that nothing is straight.
fn warped(uv: Vec2, by: Vec2, cells: i32, seed: u32) -> Vec2 {
    let x = Lattice::new(cells, cells, seed).clouds(uv, 3);
    let y = Lattice::new(cells, cells, seed + 1).clouds(uv, 3);
    uv + by * Vec2::new(x, y)
}
