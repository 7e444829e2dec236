//! Painting conifers: needles, stroke by stroke, on a card.

use super::canvas::{Canvas, Texel};
use super::colour::{colour, smooth};
use super::noise::hash;
use super::raster::Grid;
use crate::Look;
use treesway::glam::{Vec2, Vec3, vec2};

/// A needle as it is drawn, in lengths of the shoot.
struct Needle {
    from: Vec2,
    to: Vec2,
    /// Sideways bend of its middle.
    bend: Vec2,
    /// Half its width.
    width: f32,
    /// Nearer ones are brighter, 0 to 1.
    near: f32,
}

/// Short needles all along the shoot, as on spruce: 15 mm on a shoot of 60.
pub(super) fn spray(look: &Look, grid: &Grid) -> Canvas {
    let aspect = look.leaf.aspect;
    let reach = 0.5 * aspect;
    let needles = (0..130_u32).map(|k| {
        let near = k as f32 / 130.0;
        let along = 0.02 + 0.86 * hash(k * 3);
        let side = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        // Seen from above, those in the middle of the shoot are foreshortened.
        let lean = 0.55 + 0.4 * hash(k * 3 + 1) + 0.25 * along;
        let length = reach / lean.cos().max(0.3) * (0.72 + 0.28 * hash(k * 3 + 2));
        // Those at the end point along it.
        let turn = (0.4 + 0.75 * hash(k + 900)) * side * (1.0 - 0.85 * smooth(0.68, 0.88, along));
        let way = vec2(turn * lean.cos(), lean.sin().max(0.45));
        let from = vec2(0.0, along);
        let tip = from + way * length.min(0.3);
        Needle {
            from,
            to: vec2(tip.x.clamp(-0.97 * reach, 0.97 * reach), tip.y.min(0.995)),
            bend: vec2(0.0, 0.015),
            width: 0.0068,
            near,
        }
    });
    paint(look, grid, needles.collect(), 0.9)
}

/// Long needles in pairs, most of them beyond the middle of the shoot, as on pine.
pub(super) fn tuft(look: &Look, grid: &Grid) -> Canvas {
    let aspect = look.leaf.aspect;
    let reach = 0.5 * aspect;
    // Few enough for gaps between their points: a tuft is known by its spikes, which must not close when it is far away.
    const PAIRS: u32 = 36;
    let needles = (0..2 * PAIRS).map(|k| {
        let (pair, second) = (k / 2, k % 2);
        let side = if pair.is_multiple_of(2) { 1.0 } else { -1.0 };
        // The last pair ends the shoot; the others are spread evenly over the fan, left and right nearly alike.
        let last = pair + 1 == PAIRS;
        let random =
            |salt: u32| 0.75 * hash(pair / 2 * 3 + salt) + 0.25 * hash(pair * 3 + salt + 700);
        let turned = (pair / 2) as f32 + random(1);
        let fan = if last {
            0.0
        } else {
            side * turned / (PAIRS / 2) as f32
        };
        let along = if last { 0.5 } else { 0.06 + 0.46 * random(0) };
        let angle = 1.35 * fan + side * if second == 0 { 0.06 } else { -0.05 };
        let room = 0.98 * reach / angle.sin().abs().max(1e-3);
        let length = if last { 0.495 } else { 0.42 + 0.14 * random(2) };
        let from = vec2(0.012 * fan, along);
        let tip = from + length.min(room) * vec2(angle.sin(), angle.cos());
        Needle {
            from,
            to: vec2(tip.x, tip.y.clamp(0.02, 0.995)),
            bend: vec2(0.03 * fan, 0.02),
            width: 0.0062,
            near: hash(pair + 500),
        }
    });
    paint(look, grid, needles.collect(), 0.5)
}

fn paint(look: &Look, grid: &Grid, needles: Vec<Needle>, shoot: f32) -> Canvas {
    let green = colour(look.leaf.colour);
    let bark = colour(look.bark.colour).lerp(colour(look.bark.dark), 0.4);
    let mut canvas = Canvas::painted(grid.size, |_| Texel {
        colour: green * 0.8,
        alpha: 0.0,
        height: 0.1,
        roughness: 0.5,
        occlusion: 0.8,
        translucency: 0.15,
    });
    let texel = 0.5 * (grid.step.x.abs() + grid.step.y.abs());
    let stem = [vec2(0.0, -0.02), vec2(0.0, shoot)];
    grid.stroke(&stem, 0.014, |i, distance, along| {
        let width = 0.011 * (1.0 - 0.6 * along);
        let on = ((width - distance) / texel + 0.5).clamp(0.0, 1.0);
        let t = &mut canvas.texels[i];
        t.colour = t.colour.lerp(bark, on);
        t.alpha = t.alpha.max(on);
        t.height = t.height.max(0.4 * on);
    });
    for needle in &needles {
        let middle = 0.5 * (needle.from + needle.to) + needle.bend;
        let at = |t: f32| {
            let (a, b) = (needle.from.lerp(middle, t), middle.lerp(needle.to, t));
            a.lerp(b, t)
        };
        let path: Vec<Vec2> = (0..=6).map(|i| at(i as f32 / 6.0)).collect();
        let own = hash((needle.to.x * 1e4) as i32 as u32 ^ 0x51);
        let shade = 0.5 + 0.6 * needle.near + 0.25 * (own - 0.5);
        let tint = green * Vec3::new(0.95 + 0.3 * own, 1.0, 0.9) * shade;
        let reach = needle.width + texel;
        grid.stroke(&path, reach, |i, distance, along| {
            // Blunt at the base, pointed at the tip.
            let width = needle.width * (1.0 - smooth(0.55, 1.05, along));
            let on = ((width - distance) / texel + 0.5).clamp(0.0, 1.0);
            let t = &mut canvas.texels[i];
            // A pale line along the middle: stomata.
            let line = 0.18 * smooth(0.35, 0.0, distance / needle.width);
            t.colour = t.colour.lerp(tint * (1.0 + line), on);
            t.alpha = t.alpha.max(on);
            t.height = t.height.max(on * (0.35 + 0.6 * needle.near));
            t.occlusion = t.occlusion.max(on * (0.55 + 0.45 * needle.near));
            t.translucency = 0.15;
        });
    }
    canvas
}
