//! Outlines and veins of leaves: what tells a maple from an oak.
//!
//! A [`Plan`] is drawn in the leaf's own proportions, its box from (−aspect/2, 0) to (aspect/2, 1): x across, y from base to tip.

use super::colour::smooth;
use super::noise::hash;
use treesway::glam::{Vec2, vec2};
use treesway_grow::species::LeafShape;

/// A line that gets thinner along its way.
#[derive(Clone, Debug)]
pub(super) struct Vein {
    pub path: Vec<Vec2>,
    /// Half its width at its start and end, in lengths of the leaf.
    pub width: [f32; 2],
    /// How far it stands out, 0 to 1.
    pub strength: f32,
}

/// Edge and veins of a blade.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Closed.
    pub edge: Vec<Vec2>,
    pub veins: Vec<Vein>,
}

/// A blade with one midrib and a margin on either side of it.
struct Pinnate {
    /// Half width at a share of the length from the base, 1 where it is widest.
    half: fn(f32) -> f32,
    /// Teeth on a side, and how far they stand out in half widths.
    teeth: (f32, f32),
    /// How far the margin is drawn to the tip with its distance from the midrib.
    forward: f32,
    /// Side veins: how many on a side, and the slope they leave the midrib with (0 straight across).
    veins: (u32, f32),
}

impl Plan {
    pub fn of(shape: LeafShape, aspect: f32, petals: u32) -> Self {
        let plan = match shape {
            LeafShape::Lobed => lobed(),
            LeafShape::Palmate => palmate(),
            LeafShape::Blossom => blossom(petals.max(1)),
            LeafShape::Lanceolate => pinnate(&LANCEOLATE, aspect),
            LeafShape::Rhombic if aspect > 0.9 => pinnate(&ROUND, aspect),
            LeafShape::Rhombic => pinnate(&RHOMBIC, aspect),
            LeafShape::Leaflet => leaflet(),
            LeafShape::Ovate | LeafShape::Needles | LeafShape::Tuft => pinnate(&OVATE, aspect),
        };
        plan.fitted(aspect)
    }

    /// Stretched to fill the box of that width and of length 1.
    fn fitted(mut self, aspect: f32) -> Self {
        let ends = (Vec2::splat(f32::MAX), Vec2::splat(f32::MIN));
        let (least, most) = self
            .edge
            .iter()
            .fold(ends, |(a, b), p| (a.min(*p), b.max(*p)));
        let scale = vec2(aspect, 1.0) / (most - least);
        let middle = 0.5 * (least.x + most.x);
        let veins = self.veins.iter_mut().flat_map(|v| &mut v.path);
        for p in self.edge.iter_mut().chain(veins) {
            *p = (*p - vec2(middle, least.y)) * scale;
        }
        self
    }
}

/// Share of the length behind the stalk's end: lobes of a maple's base, half of a flower.
pub(crate) fn junction(shape: LeafShape) -> f32 {
    match shape {
        LeafShape::Palmate => 0.13,
        LeafShape::Blossom => 0.5,
        _ => 0.0,
    }
}

/// Beech, apple, hazel: round at the base, drawn out at the tip.
const OVATE: Pinnate = Pinnate {
    half: |t| powers(t, 0.5, 0.72),
    teeth: (26.0, 0.05),
    forward: 0.0,
    veins: (7, 0.75),
};

/// Birch: widest at a third, straight to the point.
const RHOMBIC: Pinnate = Pinnate {
    half: |t| {
        let wedge = (t / 0.3).min((1.0 - t) / 0.7).max(0.0);
        let round = powers(t, 0.55, 1.1);
        0.55 * wedge.powf(0.8) + 0.45 * round
    },
    teeth: (16.0, 0.1),
    forward: 0.0,
    veins: (6, 0.85),
};

/// Aspen: a disc with a short point.
const ROUND: Pinnate = Pinnate {
    half: |t| {
        let disc = (1.0 - (2.0 * t / 0.94 - 1.0).powi(2)).max(0.0).sqrt();
        disc.max(0.16 * ((1.0 - t) / 0.2).clamp(0.0, 1.0).powf(1.6) * smooth(0.5, 0.8, t))
    },
    teeth: (13.0, 0.05),
    forward: 0.0,
    veins: (5, 0.8),
};

/// Willow: widest below the middle, a long point.
const LANCEOLATE: Pinnate = Pinnate {
    half: |t| powers(t, 0.62, 1.0),
    teeth: (60.0, 0.04),
    forward: 0.0,
    veins: (16, 1.1),
};

/// tᵃ (1 − t)ᵇ, 1 at its top.
fn powers(t: f32, a: f32, b: f32) -> f32 {
    let top = a / (a + b);
    (t / top).powf(a) * ((1.0 - t) / (1.0 - top)).powf(b)
}

fn pinnate(of: &Pinnate, aspect: f32) -> Plan {
    const STEPS: u32 = 420;
    let margin = |t: f32, side: f32| {
        let half = (of.half)(t);
        let (count, size) = of.teeth;
        let phase = t * count + if side > 0.0 { 0.0 } else { 0.37 };
        // Outwards slowly, back at once: teeth that point to the tip.
        let tooth = size * (phase.fract() - 0.5) * smooth(0.0, 0.25, half);
        let x = 0.5 * aspect * (half + tooth);
        vec2(side * x, t + of.forward * x)
    };
    // Denser at both ends, where the edge turns.
    let place = |i: u32| 0.5 - 0.5 * (core::f32::consts::PI * i as f32 / STEPS as f32).cos();
    let right = (0..=STEPS).map(|i| margin(place(i), 1.0));
    let left = (1..STEPS).rev().map(|i| margin(place(i), -1.0));
    // Veins of narrow blades are narrow.
    let thin = (1.7 * aspect).min(1.0);
    let mut plan = Plan {
        edge: right.chain(left).collect(),
        veins: vec![midrib()],
    };
    let (count, slope) = of.veins;
    for i in 0..count {
        for side in [-1.0, 1.0] {
            let shift = if side > 0.0 { 0.0 } else { 0.35 };
            let start = 0.05 + 0.8 * (i as f32 + shift) / count as f32;
            let reach = |y: f32| 0.5 * aspect * (of.half)(y.min(1.0));
            plan.veins.push(side_vein(start, side, slope, &reach));
        }
    }
    for vein in &mut plan.veins {
        vein.width = vein.width.map(|w| w * thin);
    }
    plan
}

fn midrib() -> Vein {
    Vein {
        path: (0..=16).map(|i| vec2(0.0, i as f32 / 16.0)).collect(),
        width: [0.011, 0.002],
        strength: 1.0,
    }
}

/// From the midrib towards the margin, turning to the tip on its way.
fn side_vein(start: f32, side: f32, slope: f32, reach: &dyn Fn(f32) -> f32) -> Vein {
    let mut path = vec![vec2(0.0, start)];
    let mut at = vec2(0.0, start);
    let step = 0.012;
    for _ in 0..120 {
        let far = at.x.abs() / reach(at.y).max(1e-4);
        let way = vec2(1.0, slope * (1.0 + 0.9 * far * far)).normalize();
        at += step * vec2(side * way.x, way.y);
        if at.x.abs() > 0.97 * reach(at.y) {
            break;
        }
        path.push(at);
    }
    Vein {
        path,
        width: [0.005, 0.0015],
        strength: 0.75,
    }
}

/// English oak: widest beyond the middle, four to five round lobes a side, no two alike.
fn lobed() -> Plan {
    const STEPS: u32 = 360;
    const LOBES: f32 = 4.6;
    let envelope = |t: f32| {
        let rise = 0.13 + 0.87 * smooth(0.0, 0.6, t);
        let over = ((t - 0.5) / 0.5).max(0.0);
        rise * (1.0 - over.powf(2.2)).max(0.0).powf(0.7)
    };
    let margin = |t: f32, side: f32| {
        let own = if side > 0.0 { 0.0 } else { 0.3 };
        let phase = LOBES * t.powf(0.92) + own;
        let valley = (0.5 + 0.5 * (core::f32::consts::TAU * phase).cos()).powf(1.25);
        let lobe = phase.floor();
        let size = 1.0 + 0.16 * (hash(lobe as u32 * 2 + u32::from(side > 0.0)) - 0.5);
        // Shallow at the base and at the tip.
        let depth = 0.5 * smooth(0.02, 0.2, t) * (1.0 - smooth(0.86, 1.0, t));
        let x = 0.31 * envelope(t) * size * (1.0 - depth * valley);
        vec2(side * x, t + 0.3 * x * (1.0 - t))
    };
    let place = |i: u32| 0.5 - 0.5 * (core::f32::consts::PI * i as f32 / STEPS as f32).cos();
    let right = (0..=STEPS).map(|i| margin(place(i), 1.0));
    let left = (0..=STEPS).rev().map(|i| margin(place(i), -1.0));
    let mut plan = Plan {
        edge: right.chain(left).collect(),
        veins: vec![midrib()],
    };
    for side in [-1.0, 1.0] {
        let own = if side > 0.0 { 0.0 } else { 0.3 };
        for lobe in 0..5 {
            // Where the phase is half way between two valleys.
            let t = ((lobe as f32 + 0.5 - own) / LOBES)
                .max(0.0)
                .powf(1.0 / 0.92);
            if !(0.06..0.95).contains(&t) {
                continue;
            }
            let end = margin(t, side) * vec2(0.94, 1.0);
            let start = vec2(0.0, (end.y - 0.75 * end.x.abs()).max(0.02));
            let bend = 0.5 * (start + end) - vec2(0.0, 0.08 * end.x.abs());
            plan.veins.push(Vein {
                path: curve(start, bend, end),
                width: [0.006, 0.0015],
                strength: 0.8,
            });
        }
    }
    plan
}

fn curve(a: Vec2, b: Vec2, c: Vec2) -> Vec<Vec2> {
    let at = |t: f32| a.lerp(b, t).lerp(b.lerp(c, t), t);
    (0..=8).map(|i| at(i as f32 / 8.0)).collect()
}

/// Norway maple: five pointed lobes with a few long teeth. Right half from the tip down to the stalk, which ends at the origin;
/// corners that are `true` are points, between them the edge is hollow.
const MAPLE: [(f32, f32, bool); 21] = [
    (0.0, 1.0, true),
    (0.065, 0.86, false),
    (0.185, 0.815, true),
    (0.165, 0.70, false),
    (0.235, 0.645, true),
    (0.17, 0.52, false),
    (0.155, 0.40, false),
    (0.29, 0.47, false),
    (0.395, 0.615, true),
    (0.455, 0.565, false),
    (0.70, 0.66, true),
    (0.61, 0.50, false),
    (0.655, 0.40, true),
    (0.52, 0.315, false),
    (0.37, 0.195, false),
    (0.47, 0.185, false),
    (0.66, 0.115, true),
    (0.52, 0.02, false),
    (0.455, -0.075, true),
    (0.26, -0.05, false),
    (0.08, -0.10, false),
];

fn palmate() -> Plan {
    let corner = |&(x, y, point): &(f32, f32, bool), side: f32, i: usize| {
        let seed = i as u32 * 2 + u32::from(side > 0.0);
        let off = 0.022 * (vec2(hash(seed), hash(seed + 77)) - 0.5);
        // The middle lobe's tip is shared by both sides.
        let off = if i == 0 { Vec2::ZERO } else { off };
        (vec2(side * x, y) + vec2(side * off.x, off.y), point)
    };
    let right = MAPLE.iter().enumerate().map(|(i, c)| corner(c, 1.0, i));
    let left = MAPLE
        .iter()
        .enumerate()
        .skip(1)
        .map(|(i, c)| corner(c, -1.0, i));
    let mut around: Vec<(Vec2, bool)> = right.collect();
    around.push((Vec2::ZERO, true));
    around.extend(left.collect::<Vec<_>>().into_iter().rev());
    let n = around.len();
    let mut edge = Vec::new();
    for i in 0..n {
        let (a, a_sharp) = around[i];
        let (b, b_sharp) = around[(i + 1) % n];
        let [before, after] = [around[(i + n - 1) % n].0, around[(i + 2) % n].0];
        // Hermite; straight into points, smooth through the rest.
        let out = if a_sharp { b - a } else { 0.5 * (b - before) };
        let into = if b_sharp { b - a } else { 0.5 * (after - a) };
        for k in 0..10 {
            let t = k as f32 / 10.0;
            let (t2, t3) = (t * t, t * t * t);
            edge.push(
                a * (2.0 * t3 - 3.0 * t2 + 1.0)
                    + out * (t3 - 2.0 * t2 + t)
                    + b * (3.0 * t2 - 2.0 * t3)
                    + into * (t3 - t2),
            );
        }
    }
    let mut plan = Plan {
        edge,
        veins: vec![],
    };
    let lobes: [(Vec2, &[Vec2]); 3] = [
        (
            vec2(0.0, 1.0),
            &[vec2(0.185, 0.815), vec2(0.235, 0.645), vec2(0.12, 0.93)],
        ),
        (
            vec2(0.70, 0.66),
            &[vec2(0.395, 0.615), vec2(0.655, 0.40), vec2(0.55, 0.59)],
        ),
        (vec2(0.66, 0.115), &[vec2(0.455, -0.075), vec2(0.5, 0.16)]),
    ];
    for side in [-1.0, 1.0] {
        let over = vec2(side, 1.0);
        for (tip, teeth) in lobes {
            plan.veins.push(Vein {
                path: curve(Vec2::ZERO, 0.5 * tip * over, 0.97 * tip * over),
                width: [0.010, 0.002],
                strength: 1.0,
            });
            for &tooth in teeth {
                let along = (tooth.dot(tip) / tip.length_squared() - 0.22).max(0.1);
                let start = tip * along;
                let bend = 0.5 * (start + tooth);
                plan.veins.push(Vein {
                    path: curve(start * over, bend * over, (0.96 * tooth) * over),
                    width: [0.0045, 0.0015],
                    strength: 0.7,
                });
            }
        }
    }
    plan
}

/// Of a feather leaf: a ribbon with veins along it, folded at its base.
fn leaflet() -> Plan {
    let half = |t: f32| 0.03 * smooth(-0.04, 0.1, t) * (1.0 - t.powf(3.5));
    let right = (0..=200).map(|i| vec2(half(i as f32 / 200.0), i as f32 / 200.0));
    let left = (0..200).rev();
    let left = left.map(|i| vec2(-half(i as f32 / 200.0), i as f32 / 200.0));
    let along = |share: f32| Vein {
        path: (0..=40)
            .map(|i| vec2(share * half(i as f32 / 40.0), i as f32 / 40.0))
            .collect(),
        width: [0.0012, 0.0006],
        strength: if share == 0.0 { 1.0 } else { 0.35 },
    };
    Plan {
        edge: right.chain(left).collect(),
        veins: (-4..=4).map(|i| along(i as f32 / 5.0)).collect(),
    }
}

/// A flower seen from the front; petals with a notch.
fn blossom(petals: u32) -> Plan {
    const STEPS: u32 = 720;
    let turn = core::f32::consts::TAU;
    let radius = |share: f32| {
        let petal = (share * petals as f32).fract() - 0.5;
        let which = (share * petals as f32).floor() as u32;
        // Round outside, nearly touching the next petal; notched in the middle.
        let round = (1.0 - (petal.abs() / 0.5).powf(3.2)).max(0.0).powf(0.45);
        let notch = 0.11 * (1.0 - smooth(0.0, 0.09, petal.abs()));
        (0.16 + 0.84 * round - notch) * (0.95 + 0.1 * hash(which + 40))
    };
    let at = |share: f32, r: f32| {
        let angle = turn * share;
        0.5 * r * vec2(angle.sin(), angle.cos())
    };
    let mut veins = Vec::new();
    for petal in 0..petals {
        for ray in -2..=2 {
            let share = (petal as f32 + 0.5 + 0.13 * ray as f32) / petals as f32;
            let inner = (petal as f32 + 0.5 + 0.05 * ray as f32) / petals as f32;
            veins.push(Vein {
                path: curve(at(inner, 0.12), at(share, 0.5), at(share, 0.88)),
                width: [0.004, 0.001],
                strength: 0.5,
            });
        }
    }
    let steps = 0..STEPS;
    Plan {
        edge: steps
            .map(|i| at(i as f32 / STEPS as f32, radius(i as f32 / STEPS as f32)))
            .collect(),
        veins,
    }
}
