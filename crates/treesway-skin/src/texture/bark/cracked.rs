//! Bark that has burst as the trunk grew: furrows, plates and scales.

use super::{Grain, warped};
use crate::BarkLook;
use crate::texture::colour::smooth;
use crate::texture::noise::Lattice;
use core::f32::consts::PI;
use treesway::glam::{Vec2, Vec3, vec2};

/// Upright ridges that part and meet. Shallow bark has more and finer ones.
pub(super) fn furrowed(uv: Vec2, bark: &BarkLook) -> Grain {
    let deep = smooth(0.005, 0.02, bark.relief);
    let p = warped(uv, vec2(0.022, 0.05), 4, 1);
    let (across, along) = if deep > 0.5 { (11, 3) } else { (14, 4) };
    let ridge = Lattice::new(across, along, 13).cell(p);
    let split = Lattice::new(2 * across, 2 * along + 1, 29).cell(p);
    let wide = 0.16 + 0.16 * deep;
    let body = smooth(0.015, wide, ridge.border).powf(0.75);
    let cleft = smooth(0.0, 0.12, split.border);
    // Ridges break across.
    let fibre = Lattice::new(64, 8, 3).clouds(uv, 3);
    let cross = Lattice::new(across, 15, 37).cell(warped(uv, vec2(0.01, 0.02), 12, 5));
    let broken = 1.0 - smooth(0.0, 0.05, cross.border) * smooth(0.2, 0.3, cross.own);
    let rough = Lattice::new(24, 16, 7).clouds(uv, 4);
    let height =
        body * (0.72 + 0.14 * ridge.own) * (0.8 + 0.2 * cleft) + 0.08 * fibre + 0.06 * rough
            - 0.1 * broken * body
            + 0.08;
    Grain {
        height,
        dark: (1.0 - body) * 0.9 + 0.2 * (1.0 - cleft) + 0.15 * broken,
        tint: Vec3::ONE * (0.92 + 0.22 * (ridge.own - 0.5) + 0.2 * rough + 0.14 * fibre),
        roughness: 0.9,
        lichen: 0.4 * body,
    }
}

/// A net of thick ridges around diamonds.
pub(super) fn crossed(uv: Vec2, _: &BarkLook) -> Grain {
    let p = warped(uv, vec2(0.045, 0.07), 3, 11);
    let family = |slope: f32, seed: u32| {
        let wander = 0.4 * Lattice::new(3, 3, seed).clouds(uv, 2);
        (PI * (5.0 * p.x + slope * p.y + wander)).sin().abs()
    };
    let (a, b) = (family(2.0, 41), family(-2.0, 43));
    let net = a.max(b) * 0.85 + 0.15 * a.min(b);
    let body = smooth(0.45, 0.92, net);
    let fibre = Lattice::new(56, 9, 3).clouds(p, 3);
    let rough = Lattice::new(20, 14, 7).clouds(uv, 4);
    let crack = Lattice::new(12, 9, 19).cell(p);
    let cleft = smooth(0.0, 0.09, crack.border);
    Grain {
        height: body * (0.74 + 0.12 * cleft) + 0.1 * fibre + 0.07 * rough + 0.06,
        dark: 0.9 * (1.0 - body) + 0.25 * (1.0 - cleft),
        tint: Vec3::ONE * (0.95 + 0.22 * rough + 0.16 * fibre),
        roughness: 0.92,
        lichen: 0.35 * body,
    }
}

/// Large plates that flake in layers; fresh layers are orange.
pub(super) fn plated(uv: Vec2, _: &BarkLook) -> Grain {
    let p = warped(uv, vec2(0.035, 0.04), 6, 21);
    let plate = Lattice::new(6, 4, 17).cell(p);
    let body = smooth(0.03, 0.15, plate.border);
    let layer = Lattice::new(13, 11, 47).cell(warped(uv, vec2(0.03, 0.03), 8, 61));
    let thin = Lattice::new(24, 26, 53).cell(warped(uv, vec2(0.015, 0.015), 16, 67));
    let edge = 1.0 - smooth(0.0, 0.07, layer.border);
    let rough = Lattice::new(20, 20, 7).clouds(uv, 4);
    let fresh = smooth(0.35, 0.75, 0.6 * layer.own + 0.4 * thin.own + 0.15 * rough);
    let orange = Vec3::new(1.3, 0.98, 0.74);
    let grey = Vec3::new(0.82, 0.9, 0.98);
    Grain {
        height: body * (0.55 + 0.22 * layer.own + 0.12 * thin.own) + 0.05 * rough - 0.04 * edge,
        dark: 0.95 * (1.0 - body) + 0.28 * edge * body,
        tint: grey.lerp(orange, fresh) * (0.95 + 0.2 * rough + 0.15 * (plate.own - 0.5)),
        roughness: 0.88,
        lichen: 0.15 * body,
    }
}

/// Scales that lift at one edge and come off here and there.
pub(super) fn scaly(uv: Vec2, _: &BarkLook) -> Grain {
    let p = warped(uv, vec2(0.03, 0.035), 7, 31);
    let scale = Lattice::new(11, 12, 23).cell(p);
    let chip = Lattice::new(26, 24, 59).cell(warped(uv, vec2(0.02, 0.02), 14, 33));
    let body = smooth(0.0, 0.09, scale.border);
    let lift = (0.5 + scale.offset.y - 0.4 * scale.offset.x).clamp(0.0, 1.0);
    let rough = Lattice::new(24, 24, 7).clouds(uv, 4);
    let shed = smooth(0.72, 0.8, scale.own);
    let flake = 0.12 * chip.own - 0.08 * (1.0 - smooth(0.0, 0.1, chip.border));
    Grain {
        height: body * (0.35 + 0.4 * lift + flake) * (1.0 - 0.45 * shed) + 0.08 * rough + 0.05,
        dark: 0.75 * (1.0 - body) + 0.12 * (1.0 - lift),
        tint: Vec3::new(1.0, 0.97, 0.93).lerp(Vec3::new(1.2, 0.92, 0.75), 0.7 * shed)
            * (0.92 + 0.25 * (scale.own - 0.5) + 0.2 * rough + 0.2 * (chip.own - 0.5)),
        roughness: 0.85,
        lichen: 0.4 * body,
    }
}
