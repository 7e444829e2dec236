//! How children leave their parent, and how splits part (paper §4.1, 4.2).

use super::params::{Level, WeberPenn};
use super::shape::Outline;
use treesway::math::Rng;

/// Angle between a child and its parent, rad. `ratio` is 0 at the tip of the parent and 1 where its children start.
///
/// A negative variation is none: it changes the angle evenly along the parent, so that lower branches hang and upper ones rise.
pub(crate) fn down_angle(level: &Level, ratio: f64, tree: &WeberPenn, rng: &mut Rng) -> f64 {
    let (angle, vary) = (
        f64::from(level.down_angle_deg),
        f64::from(level.down_angle_v_deg),
    );
    let degrees = if vary >= 0.0 {
        angle + vary * rng.signed()
    } else {
        angle + vary * (1.0 - 2.0 * tree.outline(Outline::Conical, ratio))
    };
    degrees.to_radians()
}

/// Angles of one child after another around a parent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    /// Of the last child, rad.
    at: f64,
    /// Children so far.
    count: u32,
}

impl Around {
    pub(crate) fn starting_at(angle: f64) -> Self {
        Self {
            at: angle,
            count: 0,
        }
    }

    /// Angle of the next child, rad. A negative `rotate` puts children on alternate sides, so many degrees from the parent's upper side.
    pub(crate) fn next(&mut self, level: &Level, rng: &mut Rng) -> f64 {
        let step = f64::from(level.rotate_deg);
        let vary = f64::from(level.rotate_v_deg) * rng.signed();
        let first_of_whorl = self.count.is_multiple_of(level.whorl.max(1));
        let side = if self.count.is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        self.count = self.count.wrapping_add(1);
        if step < 0.0 {
            return side * (180.0 + step + vary).to_radians();
        }
        let whorl = f64::from(level.whorl.max(1));
        // Members of a whorl share the circle; whorls are turned against each other.
        self.at += if level.whorl > 1 && !first_of_whorl {
            (360.0 / whorl).to_radians()
        } else {
            step.to_radians()
        };
        self.at + vary.to_radians()
    }
}

/// By how much a split parts from its stem, rad, where the stem is inclined by `declination` rad; never back over it.
pub(crate) fn split_angle(level: &Level, declination: f64, rng: &mut Rng) -> f64 {
    let angle =
        f64::from(level.split_angle_deg) + f64::from(level.split_angle_v_deg) * rng.signed();
    (angle.to_radians() - declination).max(0.0)
}

/// How far a split turns about the vertical, rad: ±(20 + 0.75·(30 + |declination − 90|)·random²) degrees.
pub(crate) fn split_turn(declination: f64, rng: &mut Rng) -> f64 {
    let random = rng.unit();
    let degrees = 20.0 + 0.75 * (30.0 + (declination.to_degrees() - 90.0).abs()) * random * random;
    degrees.to_radians() * if rng.unit() < 0.5 { -1.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rng() -> Rng {
        Rng::new(1, 1)
    }

    #[test]
    fn down_angles_vary_within_their_range() {
        let tree = WeberPenn::default();
        let level = Level {
            down_angle_deg: 60.0,
            down_angle_v_deg: 10.0,
            ..Level::default()
        };
        let mut rng = rng();
        let angles: Vec<f64> = (0..1000)
            .map(|_| down_angle(&level, 0.5, &tree, &mut rng).to_degrees())
            .collect();
        let least = angles.iter().copied().fold(f64::MAX, f64::min);
        let most = angles.iter().copied().fold(f64::MIN, f64::max);
        assert!((50.0..51.0).contains(&least) && (69.0..70.0).contains(&most));
    }

    #[test]
    fn negative_down_variation_lets_lower_branches_hang() {
        let tree = WeberPenn::default();
        let level = Level {
            down_angle_deg: 60.0,
            down_angle_v_deg: -40.0,
            ..Level::default()
        };
        // 1 − 2·(0.2 + 0.8·ratio): 0.6 at the tip, −1 at the base.
        let at = |ratio| down_angle(&level, ratio, &tree, &mut rng()).to_degrees();
        assert!((at(0.0) - 36.0).abs() < 1e-9);
        assert!((at(1.0) - 100.0).abs() < 1e-9);
        assert!((at(0.375) - 60.0).abs() < 1e-9);
    }

    #[test]
    fn children_go_round_or_alternate() {
        let mut rng = rng();
        let round = Level {
            rotate_deg: 140.0,
            ..Level::default()
        };
        let mut around = Around::starting_at(0.0);
        let angles: Vec<f64> = (0..3)
            .map(|_| around.next(&round, &mut rng).to_degrees())
            .collect();
        for (found, expected) in angles.iter().zip([140.0, 280.0, 420.0]) {
            assert!((found - expected).abs() < 1e-9);
        }
        let alternate = Level {
            rotate_deg: -90.0,
            ..Level::default()
        };
        let mut around = Around::starting_at(0.0);
        let angles: Vec<f64> = (0..3)
            .map(|_| around.next(&alternate, &mut rng).to_degrees())
            .collect();
        for (found, expected) in angles.iter().zip([90.0, -90.0, 90.0]) {
            assert!((found - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn whorls_share_the_circle() {
        let level = Level {
            whorl: 4,
            rotate_deg: 45.0,
            ..Level::default()
        };
        let mut around = Around::starting_at(0.0);
        let mut rng = rng();
        let angles: Vec<f64> = (0..6)
            .map(|_| around.next(&level, &mut rng).to_degrees())
            .collect();
        for (found, expected) in angles.iter().zip([45.0, 135.0, 225.0, 315.0, 360.0, 450.0]) {
            assert!((found - expected).abs() < 1e-9, "{angles:?}");
        }
    }

    #[test]
    fn splits_of_inclined_stems_part_less_and_never_backwards() {
        let level = Level {
            split_angle_deg: 30.0,
            ..Level::default()
        };
        let at = |deg: f64| split_angle(&level, deg.to_radians(), &mut rng()).to_degrees();
        assert!((at(0.0) - 30.0).abs() < 1e-9);
        assert!((at(20.0) - 10.0).abs() < 1e-9);
        assert_eq!(at(50.0), 0.0);
    }

    #[test]
    fn splits_turn_by_twenty_degrees_at_least() {
        let mut rng = rng();
        let turns: Vec<f64> = (0..2000)
            .map(|_| split_turn(0.0, &mut rng).to_degrees())
            .collect();
        // At most 20 + 0.75·(30 + 90) = 110 degrees, to both sides.
        assert!(turns.iter().all(|t| (20.0..=110.0).contains(&t.abs())));
        assert!(turns.iter().any(|t| *t > 100.0) && turns.iter().any(|t| *t < -100.0));
    }
}
