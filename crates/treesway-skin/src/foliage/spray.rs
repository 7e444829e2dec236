//! Sprays: what one leaf body looks like that stands for several leaves.
//!
//! A body that stands for k leaves is √k times as long and wide as one of them. Its mesh holds n leaves, n the number nearest to k of
//! [`COUNTS`] (or the most that the detail allows), each √(k/n) times its natural size, on a twig that the tree itself does without: area is
//! exactly that of the body. Leaves stand around the twig as the species has them, then turn their faces to the light.

use super::model::{Bend, Fineness, Model, Seat};
use crate::texture::hash;
use crate::{LeafLook, LeafShape, Mesh, PieceVertex};
use core::f32::consts::{FRAC_PI_2, PI};
use treesway::glam::{Mat3, Quat, Vec3};

/// Numbers of leaves that there are meshes for.
pub(super) const COUNTS: [u32; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/// How far up the sides of leaves that are kept apart are folded, rad, as in [`treesway::elements::LeafPattern`].
const FOLD: f32 = 0.15;

/// Meshes of each number of leaves.
pub(super) const VARIANTS: u32 = 4;

/// The number of leaves for a body that stands for `k`, at most `most` blades. Shoots with needles are two blades that cross.
pub(super) fn count_for(k: f32, most: u32, shape: LeafShape) -> u32 {
    let most = if is_shoot(shape) { most / 2 } else { most };
    let allowed = COUNTS.into_iter().filter(|n| *n <= most.max(1));
    let distance = |n: u32| (k.max(1.0) / n as f32).ln().abs();
    allowed
        .min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
        .unwrap_or(1)
}

/// Whether a leaf is a shoot with needles around it.
pub(super) fn is_shoot(shape: LeafShape) -> bool {
    matches!(shape, LeafShape::Needles | LeafShape::Tuft)
}

/// A mesh of `count` leaves in lengths of the body, which is √count blades long.
pub(super) fn mesh(
    look: &LeafLook,
    count: u32,
    variant: u32,
    fineness: Fineness,
) -> Mesh<PieceVertex> {
    let mut spray = Spray {
        look,
        dice: Dice(count * 1000 + variant * 100_003),
        count,
        model: Model::new(fineness),
    };
    match look.shape {
        LeafShape::Blossom => spray.cluster(),
        LeafShape::Leaflet => spray.fan(),
        _ if count == 1 => spray.single(),
        _ => spray.twig(),
    }
    spray.model.in_units_of((count as f32).sqrt())
}

struct Dice(u32);

impl Dice {
    /// 0 to 1.
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9);
        hash(self.0)
    }

    /// −1 to 1.
    fn signed(&mut self) -> f32 {
        2.0 * self.unit() - 1.0
    }
}

struct Spray<'a> {
    look: &'a LeafLook,
    dice: Dice,
    count: u32,
    model: Model,
}

impl Spray<'_> {
    fn single(&mut self) {
        let bend = if self.look.to_light == 0.0 {
            // As the triangles of a leaf that is kept apart from others: hardly folded, without droop.
            Bend {
                droop: 0.0,
                fold: FOLD,
                twist: 0.0,
                mirrored: self.dice.unit() < 0.5,
            }
        } else {
            self.bend()
        };
        self.model.leaf(self.look, &Seat::ORIGIN, &bend);
    }

    fn bend(&mut self) -> Bend {
        let dice = &mut self.dice;
        let (droop, fold) = match self.look.shape {
            LeafShape::Lanceolate => (0.7, 0.2),
            LeafShape::Leaflet => (0.55, 0.35),
            LeafShape::Needles | LeafShape::Tuft => (-0.25, 0.0),
            LeafShape::Blossom => (0.0, 0.45),
            _ => (0.55, 0.32),
        };
        Bend {
            droop: droop * (1.0 + 0.7 * dice.signed()),
            fold: fold * (1.0 + 0.6 * dice.signed()),
            twist: 0.35 * dice.signed(),
            mirrored: dice.unit() < 0.5,
        }
    }

    /// Sizes that differ, with the area of as many even ones.
    fn sizes(&mut self) -> Vec<f32> {
        let sizes: Vec<f32> = (0..self.count)
            .map(|_| 1.0 + 0.18 * self.dice.signed())
            .collect();
        let area: f32 = sizes.iter().map(|s| s * s).sum();
        let even = (self.count as f32 / area).sqrt();
        sizes.into_iter().map(|s| s * even).collect()
    }

    fn part(&mut self, i: u32) {
        self.model.which = (i as f32 + 0.5) / self.count as f32;
    }

    /// Leaves along a twig and one at its tip.
    fn twig(&mut self) {
        let n = self.count as f32;
        let needles = is_shoot(self.look.shape);
        // Stalks of long ones are shortened: they make room for blades, which fill the body.
        let stalk = self.look.stalk.min(0.45);
        let length = (1.08 * n.sqrt() - 0.9 - stalk).max(0.25 * n.sqrt());
        let arch = 0.12 + 0.1 * self.dice.signed();
        let sway = 0.14 * self.dice.signed();
        let at = |s: f32| length * Vec3::new(sway * s * s, arch * s - 1.6 * arch * s * s, s);
        let sizes = self.sizes();
        let start = core::f32::consts::TAU * self.dice.unit();
        for i in 0..self.count {
            self.part(i);
            let terminal = i + 1 == self.count;
            let share = ((i as f32 + 0.6) / (n - 0.4)).min(1.0);
            let foot = at(share);
            let around = self.around(i, start);
            let down = (self.look.down + 0.22 * self.dice.signed()) * (1.05 - 0.25 * share);
            let down = if terminal {
                0.18 * self.dice.signed()
            } else {
                down
            };
            // Twigs are flat: leaves above and below swing to the sides.
            let flat = if needles { 0.6 } else { 0.5 };
            let mut way = Vec3::new(
                around.sin() * down.sin(),
                flat * around.cos() * down.sin(),
                down.cos(),
            )
            .normalize();
            way.y += 0.12 * self.dice.signed();
            let way = way.normalize();
            let tilt = if needles { 0.9 } else { 0.45 } * self.dice.signed();
            let base = foot + way * (stalk * sizes[i as usize]);
            let seat = Seat {
                at: base,
                turn: facing(way, Vec3::Y) * Quat::from_rotation_z(tilt),
                size: sizes[i as usize],
            };
            let bend = self.bend();
            self.model.leaf(self.look, &seat, &bend);
            if stalk > 0.04 && self.model.fineness != Fineness::Coarse {
                let width = 0.016 + 0.008 * self.look.aspect;
                self.model
                    .ribbon(&[foot, base], [width, 0.7 * width], [0.8, 1.0]);
            }
        }
        self.part(0);
        let pieces = match self.model.fineness {
            // Enough for leaves not to float.
            Fineness::Coarse => return self.model.splinter(at(1.0), 0.04),
            Fineness::Medium => 2,
            Fineness::Fine => 4,
        };
        let path: Vec<Vec3> = (0..=pieces).map(|i| at(i as f32 / pieces as f32)).collect();
        self.model.ribbon(&path, [0.03, 0.01], [0.0, 0.55]);
    }

    /// Angle of the i-th leaf around the twig, from above.
    fn around(&mut self, i: u32, start: f32) -> f32 {
        let rotate = self.look.rotate;
        let own = 0.25 * self.dice.signed();
        let angle = if rotate < 0.0 {
            // Two rows.
            if i.is_multiple_of(2) {
                FRAC_PI_2
            } else {
                -FRAC_PI_2
            }
        } else if (rotate - FRAC_PI_2).abs() < 0.2 {
            // Pairs, each across the last.
            PI * (i % 2) as f32 + FRAC_PI_2 * ((i / 2) % 2) as f32 + 0.6
        } else {
            start + rotate * i as f32
        };
        angle + own
    }

    /// Flowers in a ball around the end of a twig, faces outwards.
    fn cluster(&mut self) {
        let n = self.count as f32;
        let sizes = self.sizes();
        let start = core::f32::consts::TAU * self.dice.unit();
        for i in 0..self.count {
            self.part(i);
            let share = (i as f32 + 0.5) / n;
            let around = start + 2.4 * i as f32 + 0.3 * self.dice.signed();
            let rise = 2.0 * share - 1.0 + 0.2 * self.dice.signed();
            let rise = rise.clamp(-0.9, 1.0);
            let level = (1.0 - rise * rise).sqrt();
            let face = if self.count == 1 {
                Vec3::new(0.25 * self.dice.signed(), 0.75, 0.6)
            } else {
                Vec3::new(around.sin() * level, around.cos() * level, rise)
            };
            let face = face.normalize();
            let radius = 0.5 * (n.sqrt() - 1.0).max(0.0);
            let heart = Vec3::Z * (0.5 * n.sqrt());
            let at = heart + face * radius * (0.8 + 0.25 * self.dice.signed());
            let seat = Seat {
                at,
                turn: upright(face, around),
                size: sizes[i as usize],
            };
            let bend = self.bend();
            self.model.leaf(self.look, &seat, &bend);
            if self.model.fineness != Fineness::Coarse {
                let foot = Vec3::Z * (0.15 * n.sqrt());
                self.model
                    .ribbon(&[foot, at - 0.02 * face], [0.03, 0.025], [0.75, 1.0]);
            }
        }
    }

    /// Leaflets side by side from one place.
    fn fan(&mut self) {
        let n = self.count as f32;
        let sizes = self.sizes();
        for i in 0..self.count {
            self.part(i);
            let share = (i as f32 + 0.5) / n - 0.5;
            let open = share * (0.35 * (n - 1.0)).min(1.6);
            let seat = Seat {
                at: Vec3::X * (share * 0.3 * n.sqrt() * self.look.aspect),
                turn: Quat::from_rotation_y(open) * Quat::from_rotation_z(0.5 * self.dice.signed()),
                size: sizes[i as usize],
            };
            let bend = self.bend();
            self.model.leaf(self.look, &seat, &bend);
        }
    }
}

/// z along `way`, y as near to `up` as that allows.
pub(super) fn facing(way: Vec3, up: Vec3) -> Quat {
    let x = up.cross(way).normalize_or(way.any_orthonormal_vector());
    Quat::from_mat3(&Mat3::from_cols(x, way.cross(x), way))
}

/// y along `face`, turned about it by `about`.
fn upright(face: Vec3, about: f32) -> Quat {
    Quat::from_rotation_arc(Vec3::Y, face) * Quat::from_rotation_y(about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_leaves_are_near_what_bodies_stand_for() {
        for k in 1..=64 {
            let n = count_for(k as f32, 64, LeafShape::Ovate) as f32;
            // Leaves within a fifth of their natural length.
            assert!((k as f32 / n).sqrt() < 1.2 && (n / k as f32).sqrt() < 1.2);
        }
        assert_eq!(count_for(30.0, 8, LeafShape::Ovate), 8);
        assert_eq!(count_for(30.0, 8, LeafShape::Tuft), 4);
        assert_eq!(count_for(0.3, 8, LeafShape::Ovate), 1);
        assert_eq!(count_for(5.0, 0, LeafShape::Ovate), 1);
    }
}
