//! Painting a blade: green between its veins, cut out along its outline.

use super::canvas::{Canvas, Texel};
use super::colour::{colour, smooth};
use super::layout::{STRIP_START, blade_point, blade_uv};
use super::noise::Lattice;
use super::plan::Plan;
use super::raster::Grid;
use super::{Surface, blossom, needles};
use crate::Look;
use treesway::glam::{Vec2, Vec3, vec2};
use treesway_grow::species::LeafShape;

/// What outline and veins leave on every texel.
pub(super) struct Drawn {
    pub cover: Vec<f32>,
    /// Strength of the vein here.
    pub vein: Vec<f32>,
    /// The same, blurred over the neighbourhood: blades sink towards their veins.
    pub valley: Vec<f32>,
}

/// The leaf texture of a look.
pub(super) fn paint(look: &Look, size: u32) -> Surface {
    let aspect = look.leaf.aspect;
    // On a blade, in its own proportions.
    let corner = blade_point(Vec2::ZERO);
    let end = blade_point(Vec2::ONE);
    let grid = Grid {
        size,
        origin: corner * vec2(aspect, 1.0),
        step: (end - corner) * vec2(aspect, 1.0) / size as f32,
    };
    let mut canvas = match look.leaf.shape {
        LeafShape::Needles => needles::spray(look, &grid),
        LeafShape::Tuft => needles::tuft(look, &grid),
        LeafShape::Blossom => blossom::paint(look, &grid, &draw(look, &grid)),
        _ => blade(look, &grid, &draw(look, &grid)),
    };
    strip(look, &mut canvas);
    // A vein sinks by about 1 % of the width of a blade.
    canvas.surface(vec2(0.006 / aspect.max(0.2), 0.006))
}

fn draw(look: &Look, grid: &Grid) -> Drawn {
    let plan = Plan::of(look.leaf.shape, look.leaf.aspect, look.leaf.petals);
    let texels = (grid.size * grid.size) as usize;
    let (mut vein, mut valley) = (vec![0.0_f32; texels], vec![0.0_f32; texels]);
    for line in &plan.veins {
        let [start, end] = line.width;
        grid.stroke(&line.path, 7.0 * start, |i, distance, along| {
            let width = start + (end - start) * along;
            let fall = |w: f32| line.strength * (-(distance / w).powi(2)).exp();
            vein[i] = vein[i].max(fall(width));
            valley[i] = valley[i].max(fall(4.0 * width));
        });
    }
    Drawn {
        cover: grid.fill(&plan.edge),
        vein,
        valley,
    }
}

fn blade(look: &Look, grid: &Grid, drawn: &Drawn) -> Canvas {
    let green = colour(look.leaf.colour);
    // Veins hold less chlorophyll.
    let pale = green * 1.6 + Vec3::new(0.05, 0.055, 0.012);
    let (patches, specks) = (Lattice::new(3, 4, 11), Lattice::new(40, 48, 5));
    let net = Lattice::new(46, 56, 23);
    let size = grid.size as usize;
    Canvas::painted(grid.size, |uv| {
        let i = (uv.y * size as f32) as usize * size + (uv.x * size as f32) as usize;
        let (vein, valley) = (drawn.vein[i], drawn.valley[i]);
        let on_blade = blade_point(uv);
        let patch = patches.clouds(uv, 4);
        // The net between the veins takes the longest, and nobody sees it where nothing is.
        let mesh = if drawn.cover[i] > 0.0 {
            1.0 - smooth(0.0, 0.13, net.cell(uv).border)
        } else {
            0.0
        };
        let old = smooth(0.55, 1.0, on_blade.length_squared().min(1.0) + 0.3 * patch);
        let mut tint = green * (1.0 + 0.16 * patch + 0.07 * specks.noise(uv));
        tint = tint.lerp(tint * Vec3::new(1.16, 1.02, 0.88), 0.5 + 0.5 * patch);
        tint = tint.lerp(tint * Vec3::new(1.35, 1.08, 0.75), 0.35 * old);
        tint = tint.lerp(pale, 0.62 * vein + 0.1 * mesh * (1.0 - vein));
        // Blades shine on their arches.
        tint *= 1.0 - 0.16 * valley * (1.0 - vein);
        Texel {
            colour: tint,
            alpha: drawn.cover[i],
            height: 0.62 - 0.45 * valley - 0.06 * mesh + 0.12 * patch + 0.1 * vein,
            roughness: 0.56 + 0.12 * valley + 0.06 * patch,
            occlusion: 1.0 - 0.15 * valley,
            translucency: 0.6 * (1.0 - 0.72 * vein) * (1.0 - 0.22 * mesh) * (1.0 + 0.12 * patch),
        }
    })
}

/// Bark of twigs below, the green of stalks above, round across.
fn strip(look: &Look, canvas: &mut Canvas) {
    let wood = colour(look.bark.colour).lerp(colour(look.bark.dark), 0.55);
    let young = colour(look.leaf.colour);
    let stalk = match look.leaf.shape {
        LeafShape::Blossom => Vec3::new(0.13, 0.16, 0.05),
        _ => young.lerp(Vec3::new(0.2, 0.13, 0.06), 0.3),
    };
    let size = canvas.size as usize;
    let grain = Lattice::new(64, 24, 3);
    let first = (0.5 * (STRIP_START + blade_uv(0.5, 0.0).x) * size as f32) as usize;
    for (i, texel) in canvas.texels.iter_mut().enumerate() {
        let (x, y) = (i % size, i / size);
        if x < first {
            continue;
        }
        let uv = vec2(x as f32 + 0.5, y as f32 + 0.5) / size as f32;
        let across = ((uv.x - STRIP_START) / (1.0 - STRIP_START)).clamp(0.0, 1.0);
        let round = (1.0 - (2.0 * across - 1.0).powi(2)).max(0.0).sqrt();
        let grain = grain.clouds(uv, 3);
        *texel = Texel {
            colour: stalk.lerp(wood, smooth(0.35, 0.65, uv.y)) * (0.95 + 0.25 * grain),
            // Cut out to the left of the strip only, so that nothing but the gap is lost in small levels.
            alpha: if uv.x >= STRIP_START { 1.0 } else { 0.0 },
            height: round + 0.05 * grain,
            roughness: 0.7,
            occlusion: 1.0,
            translucency: 0.0,
        };
    }
}
