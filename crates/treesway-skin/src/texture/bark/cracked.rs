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
    let (across, along) = if deep > 0.5 { (9, 3) } else { (14, 4) };
    let ridge = Lattice::new(across, along, 13).cell(p);
    let split = Lattice::new(2 * across, 2 * along + 1, 29).cell(p);
    let fibre = Lattice::new(64, 8, 3).clouds(uv, 3);
    let rough = Lattice::new(26, 18, 7).clouds(uv, 4);
    // Edges of ridges are torn.
    let border = ridge.border + 0.045 * rough + 0.03 * fibre;
    let body = smooth(0.0, 0.14 + 0.2 * deep, border).powf(0.7);
    let cleft = smooth(0.0, 0.16, split.border + 0.04 * rough);
    // Ridges break across.
    let cross = Lattice::new(across, 17, 37).cell(warped(uv, vec2(0.012, 0.02), 12, 5));
    let breaks = smooth(0.07, 0.0, cross.border + 0.03 * rough) * smooth(0.3, 0.4, cross.own);
    let step = 0.1 * (split.own - 0.5) + 0.06 * (cross.own - 0.5);
    Grain {
        height: body * (0.68 + 0.14 * ridge.own + step) * (0.78 + 0.22 * cleft)
            + 0.07 * fibre
            + 0.08 * rough
            - 0.14 * breaks * body
            + 0.08,
        dark: 0.95 * (1.0 - body) + 0.16 * (1.0 - cleft) * body + 0.25 * breaks * body,
        tint: Vec3::ONE
            * (0.92
                + 0.2 * (ridge.own - 0.5)
                + 0.24 * (split.own - 0.5)
                + 0.22 * rough
                + 0.14 * fibre),
        roughness: 0.9,
        lichen: 0.45 * body,
    }
}

/// A net of thick ridges around diamonds.
pub(super) fn crossed(uv: Vec2, _: &BarkLook) -> Grain {
    let p = warped(uv, vec2(0.04, 0.06), 4, 11);
    let rough = Lattice::new(22, 16, 7).clouds(uv, 4);
    let fibre = Lattice::new(56, 9, 3).clouds(p, 3);
    let family = |slope: f32, seed: u32| {
        let wander = 0.3 * Lattice::new(3, 3, seed).clouds(uv, 2);
        (PI * (7.0 * p.x + slope * p.y + wander)).sin().abs()
    };
    let (a, b) = (family(2.0, 41), family(-2.0, 43));
    let net = a.max(b) * 0.8 + 0.2 * a.min(b) + 0.06 * rough + 0.05 * fibre;
    let body = smooth(0.5, 0.98, net);
    let crack = Lattice::new(20, 8, 19).cell(p);
    let cleft = smooth(0.0, 0.14, crack.border + 0.05 * rough);
    Grain {
        height: body * (0.66 + 0.12 * cleft + 0.12 * (crack.own - 0.5))
            + 0.1 * fibre
            + 0.08 * rough
            + 0.08,
        dark: 0.9 * (1.0 - body) + 0.4 * (1.0 - cleft) * body,
        tint: Vec3::ONE * (0.95 + 0.24 * rough + 0.18 * fibre + 0.2 * (crack.own - 0.5)),
        roughness: 0.92,
        lichen: 0.4 * body,
    }
}

/// Large plates that flake in layers; fresh layers are orange.
pub(super) fn plated(uv: Vec2, _: &BarkLook) -> Grain {
    let rough = Lattice::new(22, 22, 7).clouds(uv, 4);
    let p = warped(uv, vec2(0.035, 0.05), 6, 21);
    let plate = Lattice::new(7, 4, 17).cell(p);
    let body = smooth(0.0, 0.2, plate.border + 0.05 * rough);
    let layer = Lattice::new(15, 10, 47).cell(warped(uv, vec2(0.04, 0.04), 8, 61));
    let thin = Lattice::new(30, 24, 53).cell(warped(uv, vec2(0.025, 0.025), 16, 67));
    // Layers end in thin dark lines on one side, where the one above casts its shadow.
    let lip = |cell: &crate::texture::noise::Cell| {
        smooth(0.16, 0.0, cell.border + 0.03 * rough)
            * smooth(-0.2, 0.3, cell.offset.y + 0.5 * cell.offset.x)
    };
    let edge = lip(&layer).max(0.7 * lip(&thin));
    let fresh = smooth(0.3, 0.8, 0.55 * layer.own + 0.45 * thin.own + 0.2 * rough);
    let orange = Vec3::new(1.14, 0.98, 0.87);
    let grey = Vec3::new(0.86, 0.92, 0.98);
    Grain {
        height: body * (0.5 + 0.24 * layer.own + 0.16 * thin.own) + 0.06 * rough - 0.08 * edge,
        dark: 0.95 * (1.0 - body) + 0.45 * edge * body,
        tint: grey.lerp(orange, fresh) * (0.95 + 0.24 * rough + 0.2 * (plate.own - 0.5)),
        roughness: 0.88,
        lichen: 0.15 * body,
    }
}

/// Scales that lift at their lower edge and come off here and there.
pub(super) fn scaly(uv: Vec2, _: &BarkLook) -> Grain {
    let rough = Lattice::new(28, 28, 7).clouds(uv, 4);
    let p = warped(uv, vec2(0.045, 0.05), 8, 31);
    let scale = Lattice::new(13, 10, 23).cell(p);
    let chip = Lattice::new(30, 24, 59).cell(warped(uv, vec2(0.03, 0.03), 14, 33));
    // Upper edges lie flat on what is below them; lower ones stand off and cast a shadow.
    let lift = (0.5 + 0.9 * scale.offset.y + 0.3 * scale.offset.x + 0.15 * rough).clamp(0.0, 1.0);
    let gap = smooth(0.16, 0.0, scale.border + 0.05 * rough) * smooth(0.25, 0.75, lift);
    let small = smooth(0.14, 0.0, chip.border + 0.05 * rough) * smooth(-0.1, 0.4, chip.offset.y);
    let shed = smooth(0.7, 0.8, scale.own + 0.1 * rough);
    Grain {
        height: (0.2 + 0.5 * lift + 0.14 * (chip.own - 0.5)) * (1.0 - 0.4 * shed) + 0.12 * rough
            - 0.45 * gap
            - 0.12 * small
            + 0.1,
        dark: (0.9 * gap).max(0.4 * small) + 0.12 * (1.0 - lift),
        tint: Vec3::new(1.0, 0.98, 0.95).lerp(Vec3::new(1.14, 0.95, 0.82), 0.7 * shed)
            * (0.94 + 0.22 * (scale.own - 0.5) + 0.24 * rough + 0.22 * (chip.own - 0.5)),
        roughness: 0.85,
        lichen: 0.5 * (1.0 - gap),
    }
}
