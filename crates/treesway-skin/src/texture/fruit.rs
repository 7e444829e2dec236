//! Painting an apple: ground colour, blush with streaks, pale dots, the brown of the stalk's hollow.

use super::Surface;
use super::canvas::{Canvas, Texel};
use super::colour::{colour, smooth};
use super::layout::FRUIT_START;
use super::noise::Lattice;
use crate::Look;
use treesway::glam::{Vec3, vec2};

pub(super) fn paint(look: &Look, size: u32) -> Surface {
    let red = colour(look.fruit.colour);
    let ground = red.lerp(Vec3::new(0.55, 0.46, 0.08), 0.75);
    let russet = Vec3::new(0.2, 0.13, 0.05);
    let (patch, streak) = (Lattice::new(2, 2, 3), Lattice::new(48, 3, 9));
    let (dots, fine) = (Lattice::new(26, 26, 31), Lattice::new(40, 40, 8));
    let canvas = Canvas::painted(size, |uv| {
        if uv.y < FRUIT_START {
            return Texel {
                colour: russet * (0.8 + 0.4 * fine.noise(uv)),
                roughness: 0.8,
                ..Texel::default()
            };
        }
        let down = (uv.y - FRUIT_START) / (1.0 - FRUIT_START);
        let sun = patch.clouds(uv, 3) + 0.35 * streak.clouds(uv, 2) + 0.5 - 0.5 * down;
        let blush = smooth(-0.25, 0.55, sun);
        let mut tint = ground.lerp(red * (0.85 + 0.2 * fine.noise(uv)), blush);
        let dot = dots.cell(uv);
        let speck = smooth(0.09, 0.05, dot.offset.length()) * smooth(0.1, 0.3, down);
        tint = tint.lerp(ground * 1.1, 0.5 * speck);
        // Hollows at both ends.
        let hollow = smooth(0.13, 0.03, down + 0.03 * streak.noise(uv));
        tint = tint.lerp(russet, 0.75 * hollow);
        tint = tint.lerp(russet * 0.4, smooth(0.965, 0.99, down));
        Texel {
            colour: tint,
            height: 0.5 + 0.03 * fine.clouds(uv, 2) - 0.06 * speck,
            roughness: 0.32 + 0.35 * hollow + 0.1 * speck,
            occlusion: 1.0 - 0.5 * smooth(0.12, 0.0, down) - 0.5 * smooth(0.9, 1.0, down),
            translucency: 0.0,
            ..Texel::default()
        }
    });
    canvas.surface(vec2(0.02, 0.02))
}
