//! Bark that stays a skin: thin, with pores and scars.

use super::{Grain, warped};
use crate::BarkLook;
use crate::texture::colour::smooth;
use crate::texture::noise::Lattice;
use treesway::glam::{Vec2, Vec3, vec2};

/// Short dashes across the trunk: pores of random length in a share of the cells. 1 inside.
fn dashes(uv: Vec2, lattice: Lattice, share: f32, thick: f32) -> f32 {
    let cell = lattice.cell(uv);
    if cell.own > share {
        return 0.0;
    }
    let half = 0.14 + 0.3 * cell.own / share;
    let end = (cell.offset.x / half).abs();
    let height = thick * (1.0 - end * end).max(0.0).sqrt();
    smooth(0.0, 0.35 * thick, height - cell.offset.y.abs())
}

/// White, peeling sideways, dashes, and black patches where it has burst.
pub(super) fn papery(uv: Vec2, _: &BarkLook) -> Grain {
    let p = warped(uv, vec2(0.01, 0.012), 8, 3);
    let clouds = Lattice::new(4, 7, 5).clouds(p, 5);
    let small = dashes(p, Lattice::new(9, 46, 7), 0.32, 0.16);
    let large = dashes(p, Lattice::new(4, 21, 9), 0.26, 0.13);
    let pores = small.max(large);
    // Sheets end along wandering lines; under them the skin is warmer.
    let sheet = Lattice::new(2, 9, 15).clouds(p, 3);
    let lip = smooth(0.1, 0.0, (sheet - 0.18).abs() / 0.5) * smooth(-0.2, 0.4, clouds);
    let under = smooth(0.18, 0.4, sheet);
    let patch = Lattice::new(3, 4, 33).cell(warped(uv, vec2(0.035, 0.03), 7, 35));
    let diamond = patch.offset.x.abs() / 0.42 + patch.offset.y.abs() / 0.24;
    let edge = 0.4 * Lattice::new(16, 14, 37).clouds(uv, 4);
    let chosen = smooth(0.42, 0.38, patch.own);
    let burst = chosen * smooth(1.0, 0.75, diamond + edge);
    let crack = Lattice::new(30, 12, 39).cell(p);
    let broken = smooth(0.0, 0.2, crack.border);
    let warm = Vec3::new(1.02, 0.93, 0.82);
    let skin = Vec3::ONE.lerp(warm, 0.75 * under) * (0.95 + 0.12 * clouds);
    Grain {
        height: 0.45 + 0.1 * clouds + 0.12 * lip - 0.08 * under - 0.2 * small
            + 0.5 * burst * (0.3 + 0.7 * broken)
            - 0.25 * burst,
        dark: (0.7 * pores + 0.22 * lip).max(burst * (1.0 - 0.25 * broken)),
        tint: skin,
        roughness: 0.55 + 0.35 * burst + 0.1 * pores,
        lichen: 0.12,
    }
}

/// Shining, with bands of corky pores around the trunk.
pub(super) fn banded(uv: Vec2, _: &BarkLook) -> Grain {
    let p = warped(uv, vec2(0.01, 0.014), 6, 3);
    let clouds = Lattice::new(3, 5, 5).clouds(p, 4);
    let line = Lattice::new(4, 70, 7).clouds(p, 3);
    let band = smooth(0.05, 0.5, Lattice::new(1, 7, 9).clouds(p, 2) + 0.1 * clouds);
    let pores = dashes(p, Lattice::new(7, 38, 11), 0.25 + 0.65 * band, 0.3);
    let broad = dashes(p, Lattice::new(3, 13, 13), 0.3, 0.2) * (1.0 - 0.5 * band);
    let cork = pores.max(broad);
    let rough = Lattice::new(40, 40, 15).clouds(uv, 3);
    let tan = Vec3::new(1.75, 1.6, 1.4);
    Grain {
        height: 0.4 + 0.35 * cork + 0.1 * line + 0.1 * cork * rough,
        dark: (0.35 - 0.45 * clouds + 0.25 * line) * (1.0 - cork),
        tint: Vec3::ONE.lerp(tan, 0.75 * cork * (0.8 + 0.5 * rough)) * (1.0 + 0.08 * rough),
        roughness: 0.38 + 0.45 * cork + 0.06 * rough,
        lichen: 0.1,
    }
}

/// Pale, with dark eyes under raised brows.
pub(super) fn eyed(uv: Vec2, _: &BarkLook) -> Grain {
    let p = warped(uv, vec2(0.012, 0.012), 7, 3);
    let clouds = Lattice::new(3, 4, 5).clouds(p, 5);
    let eye = Lattice::new(3, 3, 51).cell(p);
    let (x, y) = (eye.offset.x, eye.offset.y);
    let chosen = smooth(0.5, 0.45, eye.own);
    let arch = |half: f32| (1.0 - (x / half).powi(2)).max(0.0);
    let ragged = 0.03 * Lattice::new(30, 30, 9).clouds(uv, 3);
    let lid = chosen * smooth(0.0, 0.05, 0.12 * arch(0.3) - y.abs() + ragged);
    let brow_at = -0.13 - 0.14 * arch(0.45) + 0.1;
    let brow =
        chosen * smooth(0.05, 0.0, (y - brow_at + ragged).abs()) * smooth(0.0, 0.5, arch(0.42));
    let ring = chosen * smooth(0.14, 0.0, (y.abs() - 0.14 * arch(0.34)).abs()) * arch(0.4);
    let dots = dashes(p, Lattice::new(16, 30, 11), 0.3, 0.3);
    let old = smooth(0.35, 0.75, Lattice::new(4, 3, 55).clouds(p, 4));
    let crack = 1.0 - smooth(0.0, 0.1, Lattice::new(18, 9, 57).cell(p).border);
    let green = Vec3::new(0.95, 1.0, 0.9);
    Grain {
        height: 0.5 + 0.08 * clouds + 0.25 * ring - 0.3 * lid + 0.15 * brow - 0.25 * old * crack,
        dark: lid
            .max(0.85 * brow)
            .max(0.45 * dots)
            .max(0.55 * old * crack),
        tint: Vec3::ONE.lerp(green, (0.5 + 0.8 * clouds).clamp(0.0, 1.0)) * (1.0 + 0.14 * clouds),
        roughness: 0.6 + 0.25 * lid,
        lichen: 0.15,
    }
}

/// Rings of leaf scars, fibres and splits along the trunk.
pub(super) fn ringed(uv: Vec2, _: &BarkLook) -> Grain {
    let p = warped(uv, vec2(0.006, 0.02), 4, 3);
    let phase = 7.0 * p.y + 0.12 * Lattice::new(3, 7, 5).noise(uv);
    let ring = phase.rem_euclid(1.0);
    // A step up at the scar, then a slow way down.
    let step = smooth(0.0, 0.07, ring) * (1.0 - 0.7 * smooth(0.07, 1.0, ring));
    let scar = smooth(0.11, 0.03, ring) + smooth(0.96, 1.0, ring);
    let fibre = Lattice::new(110, 7, 7).clouds(uv, 3);
    // Splits follow the fibres: lines where a field stretched along them changes its sign.
    let line = Lattice::new(13, 3, 9).clouds(uv, 3).abs();
    let split_here = smooth(0.04, 0.0, line) * smooth(0.0, 0.35, Lattice::new(7, 9, 19).noise(uv));
    let rough = Lattice::new(18, 18, 11).clouds(uv, 4);
    Grain {
        height: 0.2 + 0.5 * step + 0.12 * fibre + 0.06 * rough - 0.35 * split_here,
        dark: (0.65 * scar.min(1.0)).max(0.8 * split_here) + 0.15 * fibre.max(0.0),
        tint: Vec3::ONE * (0.95 + 0.15 * step + 0.18 * rough + 0.12 * fibre),
        roughness: 0.88,
        lichen: 0.3,
    }
}

/// Thin skin with pores.
pub(super) fn smooth_skin(uv: Vec2, _: &BarkLook) -> Grain {
    let p = warped(uv, vec2(0.015, 0.015), 5, 3);
    let clouds = Lattice::new(4, 4, 5).clouds(p, 5);
    let streak = Lattice::new(6, 48, 7).clouds(p, 2);
    let pores = dashes(p, Lattice::new(14, 24, 9), 0.4, 0.26);
    let fissure = 1.0 - smooth(0.0, 0.06, Lattice::new(14, 5, 13).cell(p).border);
    let split = fissure * smooth(0.2, 0.6, clouds);
    Grain {
        height: 0.5 + 0.12 * clouds + 0.08 * streak + 0.3 * pores - 0.3 * split,
        dark: 0.18 - 0.35 * clouds + 0.5 * split,
        tint: Vec3::ONE.lerp(Vec3::new(1.45, 1.35, 1.2), 0.7 * pores)
            * (1.0 + 0.12 * clouds + 0.1 * streak),
        roughness: 0.5 + 0.3 * pores,
        lichen: 0.25,
    }
}
