//! Trunk, branches and twigs: axes that divide their shoot tips among laterals.

use super::Broadleaf;
use crate::frame::{GOLDEN_ANGLE, across, turned, unit_or};
use treesway::glam::{DVec3, Vec3};
use treesway::math::Rng;
use treesway::{Attachment, Branch, CutOptions, Node};

/// Length of the trunk over the height of the tree: the uppermost limbs reach beyond its end.
const TRUNK_SHARE: f64 = 0.72;

/// How length and radius follow from the number of shoot tips, see the module above.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allometry {
    pub(super) tips: u32,
    /// ℓ₁, m.
    pub(super) twig_length: f64,
    /// r₁, m.
    pub(super) twig_radius: f64,
    /// p.
    pub(super) length_exponent: f64,
    /// 1/γ.
    pub(super) radius_exponent: f64,
}

impl Allometry {
    fn length(&self, tips: u32) -> f64 {
        self.twig_length * libm::pow(tips.into(), self.length_exponent)
    }

    fn radius(&self, tips: u32) -> f64 {
        self.twig_radius * libm::pow(tips.into(), self.radius_exponent)
    }
}

/// The wood of a tree and where it bears leaves.
pub(super) struct Wood {
    pub(super) branches: Vec<Branch>,
    /// Per branch, m: its arc length and that of its leafy end.
    pub(super) lengths: Vec<(f64, f64)>,
}

impl Wood {
    /// How many segments it is cut into.
    pub(super) fn segments(&self, cut: &CutOptions) -> usize {
        self.lengths.iter().map(|l| cut.segments(l.0)).sum()
    }
}

/// A branch that is still to grow.
#[derive(Clone, Copy)]
struct Bud {
    on: Option<Attachment>,
    /// m, world.
    base: DVec3,
    direction: DVec3,
    tips: u32,
    length: f64,
}

/// A branch that leaves an axis.
#[derive(Clone, Copy)]
struct Lateral {
    /// Share of the axis below it.
    at: f64,
    tips: u32,
    /// Tips of the axis beyond it.
    beyond: u32,
}

/// Grows all branches, parents before children.
pub(super) fn grow(tree: &Broadleaf, law: &Allometry, seed: u64) -> Wood {
    let trunk = Bud {
        on: None,
        base: DVec3::ZERO,
        direction: DVec3::Y,
        tips: law.tips.max(2),
        length: f64::from(tree.height) * TRUNK_SHARE,
    };
    let mut buds = vec![trunk];
    let mut wood = Wood {
        branches: Vec::new(),
        lengths: Vec::new(),
    };
    while wood.branches.len() < buds.len() {
        let number = wood.branches.len();
        let mut axis = Axis::new(tree, law, buds[number], Rng::new(seed, number as u64));
        axis.extend(number, &mut buds);
        wood.lengths.push((axis.along, axis.leafy_length()));
        wood.branches.push(Branch {
            parent: buds[number].on,
            nodes: axis.nodes,
            ..Branch::default()
        });
    }
    wood
}

/// A branch while it grows from its base to its tip.
struct Axis<'a> {
    tree: &'a Broadleaf,
    law: &'a Allometry,
    bud: Bud,
    rng: Rng,
    nodes: Vec<Node>,
    position: DVec3,
    direction: DVec3,
    /// Where the next lateral points, across the axis.
    side: DVec3,
    /// Arc length so far, m.
    along: f64,
}

impl<'a> Axis<'a> {
    fn new(tree: &'a Broadleaf, law: &'a Allometry, bud: Bud, mut rng: Rng) -> Self {
        let turn = rng.between(0.0, core::f64::consts::TAU);
        let side = turned(across(bud.direction), bud.direction, turn);
        Self {
            tree,
            law,
            bud,
            rng,
            nodes: Vec::new(),
            position: bud.base,
            direction: bud.direction,
            side,
            along: 0.0,
        }
    }

    fn is_trunk(&self) -> bool {
        self.bud.on.is_none()
    }

    fn leafy_length(&self) -> f64 {
        self.law.twig_length.min(self.along)
    }

    /// Lays the nodes and leaves a bud for every lateral.
    fn extend(&mut self, number: usize, buds: &mut Vec<Bud>) {
        let base = self.law.radius(self.bud.tips);
        if self.is_trunk() {
            // Root flare: a quarter wider at the ground, gone after two radii of height.
            self.lay(1.25 * base);
            self.advance(2.0 * base);
        }
        self.lay(base);
        let mut beyond = self.bud.tips;
        for lateral in self.laterals() {
            self.run_to(lateral.at * self.bud.length, self.law.radius(beyond));
            beyond = lateral.beyond;
            let way = self.departure(&lateral);
            buds.push(Bud {
                on: Some(Attachment {
                    branch: number,
                    along: self.along as f32,
                }),
                base: self.position,
                direction: way,
                tips: lateral.tips,
                length: self.law.length(lateral.tips) * self.reach(&lateral),
            });
            // The axis gives way to a strong lateral, which makes the zigzag of old wood.
            let share = f64::from(lateral.tips) / f64::from(lateral.tips + lateral.beyond);
            let yields = if self.is_trunk() { 0.25 } else { 0.45 };
            self.direction = unit_or(self.direction - way * (yields * share), self.direction);
        }
        self.run_to(self.bud.length, 0.6 * self.law.twig_radius);
    }

    /// Where laterals leave and how many tips each takes; the axis keeps one for its own end.
    fn laterals(&mut self) -> Vec<Lateral> {
        let to_give = self.bud.tips - 1;
        if to_give == 0 {
            return Vec::new();
        }
        // Empirical: about 16 limbs on a trunk of 1000 tips, 43 on one of 100000, 4 laterals on a branch of
        // 10; never more than tips.
        let (factor, exponent) = if self.is_trunk() {
            (3.8, 0.21)
        } else {
            (2.3, 0.28)
        };
        let wanted = factor * libm::pow(to_give.into(), exponent);
        let count = (wanted.round() as u32).clamp(1, to_give);
        let clear = if self.is_trunk() {
            f64::from(self.tree.clear_trunk)
        } else {
            0.15
        };
        let mut weights = Vec::with_capacity(count as usize);
        for i in 0..count {
            let u = (f64::from(i) + self.rng.between(0.1, 0.9)) / f64::from(count);
            // Outline of the crown of a trunk (a dome) and of a branch (widest in its middle).
            let outline = if self.is_trunk() {
                (u + 0.4) * (1.1 - u)
            } else {
                (u + 0.15) * (1.02 - u)
            };
            weights.push((
                clear + (0.97 - clear) * u,
                outline * self.rng.between(0.3, 1.7),
            ));
        }
        share_out(to_give, &weights)
    }

    /// Factor on the length of a lateral: limbs of the lower crown reach out for light.
    fn reach(&mut self, lateral: &Lateral) -> f64 {
        let limb = if self.is_trunk() {
            1.75 - 0.6 * lateral.at
        } else {
            1.0
        };
        limb * f64::from(self.tree.spread) * self.rng.between(0.85, 1.15)
    }

    /// Direction of a lateral: steep near the top of its axis, spreading near its base, never straight down.
    fn departure(&mut self, lateral: &Lateral) -> DVec3 {
        let (low, high): (f64, f64) = if self.is_trunk() {
            (78.0, 38.0)
        } else {
            (58.0, 42.0)
        };
        let share = f64::from(lateral.tips) / f64::from(lateral.tips + lateral.beyond);
        // The stronger of two partners leaves the common direction less (Murray).
        let strength = 1.0 - 0.35 * share;
        let angle = (low + (high - low) * lateral.at) * strength + 7.0 * self.rng.signed();
        let turn = GOLDEN_ANGLE + 0.25 * self.rng.signed();
        self.side = turned(self.side, self.direction, turn);
        self.side = unit_or(
            self.side - self.direction * self.side.dot(self.direction),
            across(self.direction),
        );
        let (sin, cos) = libm::sincos(angle.to_radians());
        let way = self.direction * cos + self.side * sin;
        // Laterals of the shaded underside turn towards the light.
        let lift = if self.is_trunk() {
            0.0
        } else {
            0.35 * (0.3 - way.y).max(0.0)
        };
        unit_or(way + DVec3::Y * lift, way)
    }

    /// Grows on to an arc length of about `end` m, in steps short enough for the curve to be smooth, to `radius` there.
    fn run_to(&mut self, end: f64, radius: f64) {
        let way = end - self.along;
        if way < 1e-3 * self.bud.length {
            return;
        }
        let from = f64::from(self.nodes[self.nodes.len() - 1].radius);
        let steps = (way / (0.17 * self.bud.length)).ceil().max(1.0);
        for i in 1..=steps as u32 {
            self.bend(way / steps / self.bud.length);
            self.advance(way / steps);
            self.lay(from + (radius - from) * f64::from(i) / steps);
        }
    }

    /// Turns the axis over a `part` of its length: upwards by tropism, sideways by chance.
    fn bend(&mut self, part: f64) {
        let wander = if self.is_trunk() { 0.35 } else { 0.9 } * part.sqrt() * 0.35;
        let noise = DVec3::new(self.rng.signed(), self.rng.signed(), self.rng.signed());
        let up = if self.is_trunk() {
            1.0
        } else {
            f64::from(self.tree.tropism)
        };
        let bent = self.direction + DVec3::Y * (up * part) + noise * wander;
        self.direction = unit_or(bent, self.direction);
    }

    fn advance(&mut self, by: f64) {
        let before = self.position.as_vec3();
        self.position += self.direction * by;
        // As the engine measures it, between rounded nodes.
        self.along += before
            .as_dvec3()
            .distance(self.position.as_vec3().as_dvec3());
    }

    fn lay(&mut self, radius: f64) {
        self.nodes.push(Node {
            position: Vec3::new(
                self.position.x as f32,
                self.position.y as f32,
                self.position.z as f32,
            ),
            radius: radius as f32,
        });
    }
}

/// Divides `tips` by weight; (place, weight) that get none are left out.
fn share_out(tips: u32, weights: &[(f64, f64)]) -> Vec<Lateral> {
    let total: f64 = weights.iter().map(|w| w.1).sum();
    let (mut sum, mut given) = (0.0, 0);
    let mut laterals = Vec::with_capacity(weights.len());
    for &(at, weight) in weights {
        sum += weight;
        let until = ((sum / total * f64::from(tips)).round() as u32).min(tips);
        if until > given {
            laterals.push(Lateral {
                at,
                tips: until - given,
                beyond: tips - until + 1,
            });
            given = until;
        }
    }
    laterals
}
