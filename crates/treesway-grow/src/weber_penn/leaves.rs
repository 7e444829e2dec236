//! Where leaves sit on a stem and how they face (paper §4.5, 4.8).

use super::angles::{Around, down_angle};
use super::frame::Frame;
use super::grow::Shoot;
use super::params::{Level, WeberPenn, each};
use super::shape::Outline;
use crate::frame::unit_or;
use crate::{GrowError, frame::looking_along};
use serde::{Deserialize, Serialize};
use treesway::glam::DVec3;
use treesway::math::Rng;
use treesway::{Attachment, Branch, Leaf};

/// How leaves are arranged. In brackets, the paper's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LeafHabit {
    /// Most leaves on a stem of the last level; negative: as a fan at its tip (`Leaves`; default: 10).
    pub per_stem: f32,
    /// How their number depends on where the stem sits on its parent (default: tapered-cylindrical, as in the paper).
    pub distribution: Outline,
    /// Share of the stem that bears leaves, from its tip (not in the paper; default: 1).
    pub bearing: f32,
    /// m (`LeafScale`; default: 0.1).
    pub length: f32,
    /// Width over length (`LeafScaleX`; default: 0.6).
    pub aspect: f32,
    /// How much sizes differ, a share (not in the paper; default: 0.15).
    pub length_v: f32,
    /// Between stem and blade as it would be at the wood, m (default: 0).
    pub stalk_length: f32,
    /// How far leaves turn to the light, 0 to 1 (`LeafBend`; default: 0.3).
    pub bend: f32,
    /// Between leaf and stem, degrees (`nDownAngle` of the level after the last; default: 45).
    pub down_angle_deg: f32,
    /// `nDownAngleV` (default: 10).
    pub down_angle_v_deg: f32,
    /// Around the stem from leaf to leaf, degrees; negative: on alternate sides; of a fan, its opening (`nRotate`; default: 140).
    pub rotate_deg: f32,
    /// `nRotateV` (default: 10).
    pub rotate_v_deg: f32,
}

impl Default for LeafHabit {
    fn default() -> Self {
        Self {
            per_stem: 10.0,
            distribution: Outline::TaperedCylindrical,
            bearing: 1.0,
            length: 0.1,
            aspect: 0.6,
            length_v: 0.15,
            stalk_length: 0.0,
            bend: 0.3,
            down_angle_deg: 45.0,
            down_angle_v_deg: 10.0,
            rotate_deg: 140.0,
            rotate_v_deg: 10.0,
        }
    }
}

impl LeafHabit {
    pub(crate) fn validate(&self) -> Result<(), GrowError> {
        each(&[
            ("leaf.per_stem", self.per_stem, -5000.0, 5000.0),
            ("leaf.bearing", self.bearing, 0.01, 1.0),
            ("leaf.length", self.length, 1e-3, 10.0),
            ("leaf.aspect", self.aspect, 1e-3, 10.0),
            ("leaf.length_v", self.length_v, 0.0, 0.9),
            ("leaf.stalk_length", self.stalk_length, 0.0, 2.0),
            ("leaf.bend", self.bend, 0.0, 1.0),
            ("leaf.down_angle_deg", self.down_angle_deg, -360.0, 360.0),
            (
                "leaf.down_angle_v_deg",
                self.down_angle_v_deg,
                -360.0,
                360.0,
            ),
            ("leaf.rotate_deg", self.rotate_deg, -360.0, 360.0),
            ("leaf.rotate_v_deg", self.rotate_v_deg, -360.0, 360.0),
        ])
    }

    /// How many leaves a stem of the last level bears that leaves its parent at `offset_ratio` of its length: Leaves ·
    /// ShapeRatio(4, offset/length_parent).
    pub(crate) fn count(&self, tree: &WeberPenn, offset_ratio: f64) -> f64 {
        f64::from(self.per_stem.abs()) * tree.outline(self.distribution, offset_ratio)
    }

    /// Its angles, as those of a level.
    fn angles(&self) -> Level {
        Level {
            down_angle_deg: self.down_angle_deg,
            down_angle_v_deg: self.down_angle_v_deg,
            rotate_deg: self.rotate_deg,
            rotate_v_deg: self.rotate_v_deg,
            ..Level::default()
        }
    }

    /// Leaves on a branch, `count` of them, each `scale` times its natural size.
    pub(crate) fn put(
        &self,
        tree: &WeberPenn,
        (number, branch, shoot): (usize, &Branch, &Shoot),
        count: usize,
        (seed, scale): (u64, f64),
        leaves: &mut Vec<Leaf>,
    ) {
        if count == 0 {
            return;
        }
        let mut rng = Rng::new(seed, shoot.stream);
        let angles = self.angles();
        let fan = self.per_stem < 0.0;
        let length = f64::from(shoot.length);
        let bearing = f64::from(self.bearing) * length;
        let mut around = Around::starting_at(core::f64::consts::TAU * rng.unit());
        let mut walk = Walk::new(branch, shoot.upper.as_dvec3());
        for i in 0..count {
            // The last leaf is the terminal one; none sits in the fork.
            let share = (i + 1) as f64 / count as f64;
            let along = if fan {
                length
            } else {
                length - bearing * (1.0 - share) * 0.92
            };
            let (position, frame) = walk.to(along);
            let leaf = if fan {
                let open = f64::from(self.rotate_deg.abs()).to_radians();
                let part = (i as f64 + 0.5) / count as f64 - 0.5;
                let spread = frame.about(frame.y, part * open);
                spread.about(spread.x, f64::from(self.down_angle_deg).to_radians())
            } else {
                let rotate = around.next(&angles, &mut rng);
                let down = down_angle(&angles, 1.0 - along / length, tree, &mut rng);
                // A leaf that stands for many lies along its stem: the torques of k leaves around it, F·l·sin(down) each, add up to √k
                // times one of them, and this one has k times the force and √k times the length.
                let down = libm::asin(libm::sin(down) / (scale * scale).max(1.0));
                frame.child(rotate, down)
            };
            let size = scale * (1.0 + f64::from(self.length_v) * rng.signed());
            let stalk = leaf.z * (f64::from(self.stalk_length) * size);
            let on = Attachment {
                branch: number,
                along: along as f32,
            };
            leaves.push(self.leaf(on, position + stalk, leaf, size));
        }
    }

    /// One leaf, bent to the light, `size` times its natural size. One that stands for many turns its upper side to the light, but keeps to its
    /// way: of many leaves each would bend by itself, and their mean way stays that of the stem.
    pub(crate) fn leaf(&self, on: Attachment, position: DVec3, frame: Frame, size: f64) -> Leaf {
        let bent = bend(frame, position, self.bend.into());
        let way = frame.z.lerp(bent.z, 1.0 / (size * size).max(1.0));
        Leaf {
            on,
            position: position.as_vec3(),
            rotation: looking_along(way, bent.y),
            length: (f64::from(self.length) * size) as f32,
            width: (f64::from(self.length) * f64::from(self.aspect) * size) as f32,
        }
    }
}

/// Turns a leaf (z along it, y its upper side) outwards and up, by a share of the way: first about the vertical by `amount` of the
/// angle between the horizontal directions of the leaf's place and of its upper side, then towards the sky by `amount` of what is left.
pub(crate) fn bend(leaf: Frame, position: DVec3, amount: f64) -> Frame {
    use core::f64::consts::{PI, TAU};
    let angle = |v: DVec3| libm::atan2(-v.z, v.x);
    let level = leaf.y.x * leaf.y.x + leaf.y.z * leaf.y.z;
    let mut bent = leaf;
    if level > 1e-12 && position.x * position.x + position.z * position.z > 1e-12 {
        let mut theta = angle(position) - angle(leaf.y);
        theta -= TAU * ((theta + PI) / TAU).floor();
        bent = bent.about(DVec3::Y, amount * theta);
    }
    let phi = libm::atan2(level.sqrt(), bent.y.y);
    let axis = unit_or(bent.y.cross(DVec3::Y), bent.x);
    bent.about(axis, amount * phi)
}

/// A walk along a branch from its base, with the frame carried along without twist.
struct Walk<'a> {
    branch: &'a Branch,
    /// Node before the place, and arc length there, m.
    node: usize,
    arc: f64,
    frame: Frame,
}

impl<'a> Walk<'a> {
    fn new(branch: &'a Branch, upper: DVec3) -> Self {
        let mut walk = Self {
            branch,
            node: 0,
            arc: 0.0,
            frame: Frame::UPRIGHT,
        };
        walk.frame = Frame::along(walk.piece().1, upper);
        walk
    }

    /// Start, direction and length of the piece after the current node.
    fn piece(&self) -> (DVec3, DVec3, f64) {
        let [a, b] = [0, 1].map(|i| self.branch.nodes[self.node + i].position.as_dvec3());
        (a, unit_or(b - a, DVec3::Y), a.distance(b))
    }

    /// Place and frame at an arc length that is not before the last one.
    fn to(&mut self, along: f64) -> (DVec3, Frame) {
        loop {
            let (start, way, length) = self.piece();
            if along <= self.arc + length || self.node + 2 >= self.branch.nodes.len() {
                return (start + way * (along - self.arc).min(length), self.frame);
            }
            self.arc += length;
            self.node += 1;
            self.frame = self.frame.carried(self.piece().1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treesway::glam::Vec3;

    fn twig() -> (Branch, Shoot) {
        let branch = Branch::trunk([(Vec3::ZERO, 0.01), (Vec3::X, 0.01)]);
        let shoot = Shoot {
            level: 2,
            length: 1.0,
            upper: Vec3::Y,
            offset_ratio: 0.5,
            share: 1.0,
            stream: 1,
        };
        (branch, shoot)
    }

    #[test]
    fn stems_near_the_base_of_their_parent_bear_half() {
        let habit = LeafHabit {
            per_stem: 20.0,
            ..LeafHabit::default()
        };
        let tree = WeberPenn::default();
        // Tapered cylinder: 0.5 + 0.5·offset.
        assert!((habit.count(&tree, 0.0) - 10.0).abs() < 1e-9);
        assert!((habit.count(&tree, 1.0) - 20.0).abs() < 1e-9);
        assert!((habit.count(&tree, 0.6) - 16.0).abs() < 1e-9);
    }

    #[test]
    fn leaves_lean_by_their_down_angle_on_alternate_sides() {
        let (branch, shoot) = twig();
        let habit = LeafHabit {
            bend: 0.0,
            down_angle_deg: 40.0,
            down_angle_v_deg: 0.0,
            rotate_deg: -90.0,
            rotate_v_deg: 0.0,
            length_v: 0.0,
            ..LeafHabit::default()
        };
        let mut leaves = Vec::new();
        let on = (3, &branch, &shoot);
        habit.put(&WeberPenn::default(), on, 4, (1, 1.0), &mut leaves);
        assert_eq!(leaves.len(), 4);
        for (i, leaf) in leaves.iter().enumerate() {
            let way = leaf.rotation * Vec3::Z;
            assert!((way.x - 40_f32.to_radians().cos()).abs() < 1e-5);
            assert!(way.y.abs() < 1e-5, "level, as its twig is: {way}");
            assert_eq!(way.z < 0.0, i % 2 == 0, "{way}");
            assert_eq!(leaf.on.branch, 3);
            assert!((leaf.length - 0.1).abs() < 1e-6 && (leaf.width - 0.06).abs() < 1e-6);
        }
        assert!((leaves[3].on.along - 1.0).abs() < 1e-6, "a terminal leaf");
        // Standing for four, it reaches half as far from the stem, as the mean of four at random does.
        let mut larger = Vec::new();
        habit.put(&WeberPenn::default(), on, 1, (1, 2.0), &mut larger);
        let aside = (larger[0].rotation * Vec3::Z).z * larger[0].length;
        assert!((aside.abs() - 0.05 * 40_f32.to_radians().sin()).abs() < 1e-5);
    }

    #[test]
    fn a_fan_opens_at_the_tip() {
        let (branch, shoot) = twig();
        let habit = LeafHabit {
            per_stem: -7.0,
            bend: 0.0,
            down_angle_deg: 0.0,
            rotate_deg: 120.0,
            ..LeafHabit::default()
        };
        let mut leaves = Vec::new();
        habit.put(
            &WeberPenn::default(),
            (0, &branch, &shoot),
            6,
            (1, 1.0),
            &mut leaves,
        );
        let ways: Vec<Vec3> = leaves.iter().map(|l| l.rotation * Vec3::Z).collect();
        assert!(leaves.iter().all(|l| l.on.along == 1.0));
        // Six leaves over 120 degrees: the outer ones 100 degrees apart.
        assert!((ways[0].dot(ways[5]) - 100_f32.to_radians().cos()).abs() < 1e-5);
    }

    #[test]
    fn bent_leaves_face_outwards_and_up() {
        // A leaf out on +x whose upper side faces +z, level.
        let leaf = Frame::along(DVec3::X, DVec3::Z);
        let place = DVec3::new(3.0, 5.0, 0.0);
        assert_eq!(bend(leaf, place, 0.0), leaf);
        let whole = bend(leaf, place, 1.0);
        assert!((whole.y - DVec3::Y).length() < 1e-9, "{whole:?}");
        let half = bend(leaf, place, 0.5);
        // Half way round from +z to +x, then half way up.
        let expected = DVec3::new(0.5, 0.5_f64.sqrt(), 0.5);
        assert!((half.y - expected).length() < 1e-6, "{half:?}");
    }
}
