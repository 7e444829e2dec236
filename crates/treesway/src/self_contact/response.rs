//! Where a response points (§4.3 of the paper, Eq. 8), case by case. All directions are those of the force on the second of two, of length one; the first gets
//! the opposite.
//!
//! | pair | direction |
//! |---|---|
//! | stem, stem; base stem, base stem; base stem, blade | along the nearest points: [`apart`] |
//! | stem, blade | along the normal of the leaf, by the side on which more stems of the branch lie: [`by_side`]; else as above |
//! | blade, blade | V₁ against the motion, V₂ off the leaf below, (V₁ + V₂) normalised (8): [`blades`] |

use crate::math::V3;

/// The unit vector of `v`, none where it has no length to speak of.
pub(super) fn unit(v: V3<f64>) -> Option<V3<f64>> {
    let length = v.length();
    (length > 1e-12).then(|| v * (1.0 / length))
}

/// From the nearest point of the first to that of the second.
pub(super) fn apart(on: [V3<f64>; 2]) -> Option<V3<f64>> {
    unit(on[1] - on[0])
}

/// A leaf, for the stem that it meets: stems of the stem's branch on either side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sides {
    /// On the side that the normal points to.
    pub(super) above: usize,
    /// On the other side.
    pub(super) below: usize,
}

/// Direction of the force on the leaf of normal `normal`: away from the side on which more than `threshold` of the branch's stems lie, where that is one side.
pub(super) fn by_side(sides: Sides, threshold: usize, normal: V3<f64>) -> Option<V3<f64>> {
    match (sides.below > threshold, sides.above > threshold) {
        (true, false) => Some(normal),
        (false, true) => Some(-normal),
        // On both sides, or on none: the branch tells nothing.
        _ => None,
    }
}

/// A blade as another meets it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BladeMotion {
    /// Mean of its corners, m.
    pub(super) middle: V3<f64>,
    /// Of the middle over the step, m.
    pub(super) way: V3<f64>,
    /// Of length one.
    pub(super) normal: V3<f64>,
    /// "Cover range", m².
    pub(super) area: f64,
}

/// Direction of the force on the second of two blades (8).
pub(super) fn blades(a: &BladeMotion, b: &BladeMotion) -> Option<V3<f64>> {
    let against = against_motion(a.way, b.way);
    let off = off_the_other(a, b);
    unit(against.unwrap_or(V3::zero()) + off)
}

/// V₁: where one runs after the other, against the motion of the faster; where they run into each other, against that of both.
fn against_motion(a: V3<f64>, b: V3<f64>) -> Option<V3<f64>> {
    if a.dot(b) > 0.0 {
        if a.dot(a) >= b.dot(b) {
            unit(a)
        } else {
            unit(-b)
        }
    } else {
        unit(a - b)
    }
}

/// V₂: along the normal of the second, up where the first lies below it. Where each lies below the other, or above, the larger leaf's normal counts.
fn off_the_other(a: &BladeMotion, b: &BladeMotion) -> V3<f64> {
    let a_above_b = (a.middle - b.middle).dot(b.normal) > 0.0;
    let b_above_a = (b.middle - a.middle).dot(a.normal) > 0.0;
    let by_b = if a_above_b { -b.normal } else { b.normal };
    let by_a = if b_above_a { a.normal } else { -a.normal };
    if a_above_b == b_above_a && a.area > b.area {
        by_a
    } else {
        by_b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: V3<f64> = V3 {
        x: 1.0,
        y: 0.0,
        z: 0.0,
    };
    const Y: V3<f64> = V3 {
        x: 0.0,
        y: 1.0,
        z: 0.0,
    };

    fn leaf(height: f64, way: V3<f64>, up: V3<f64>) -> BladeMotion {
        BladeMotion {
            middle: Y * height,
            way,
            normal: up,
            area: 1.0,
        }
    }

    #[test]
    fn stems_part_along_their_nearest_points() {
        assert_eq!(apart([X, X + Y * 0.3]), Some(Y));
        assert_eq!(apart([X, X]), None);
    }

    #[test]
    fn leaf_goes_up_off_a_branch_below_and_down_off_one_above() {
        let sides = |above, below| Sides { above, below };
        assert_eq!(by_side(sides(0, 3), 1, Y), Some(Y));
        assert_eq!(by_side(sides(3, 1), 1, Y), Some(-Y));
        // A branch that passes from one side to the other leaves it to the nearest points.
        assert_eq!(by_side(sides(3, 2), 1, Y), None);
        assert_eq!(by_side(sides(1, 0), 1, Y), None);
    }

    #[test]
    fn chasing_leaf_is_held_back_by_its_own_motion() {
        assert_eq!(against_motion(X * 2.0, X), Some(X));
        assert_eq!(against_motion(X, X * 2.0), Some(-X));
    }

    #[test]
    fn opposing_leaves_are_sent_back_both() {
        assert_eq!(against_motion(X, -X * 3.0), Some(X));
        assert_eq!(against_motion(-X, X), Some(-X));
        assert_eq!(against_motion(V3::zero(), V3::zero()), None);
    }

    #[test]
    fn stuck_leaves_part_along_the_normal() {
        let still = V3::zero();
        let (low, high) = (leaf(0.0, still, Y), leaf(0.01, still, Y));
        assert_eq!(blades(&low, &high), Some(Y));
        assert_eq!(blades(&high, &low), Some(-Y));
    }

    /// Face to face, each sees the other on its upper side: the larger one's normal tells.
    #[test]
    fn larger_leaf_decides_where_both_lie_above() {
        let still = V3::zero();
        let tilted = (X * 0.6 - Y * 0.8) * 1.0;
        let mut low = leaf(0.0, still, Y);
        let mut high = leaf(0.01, still, tilted);
        low.area = 2.0;
        assert_eq!(blades(&low, &high), Some(Y));
        (low.area, high.area) = (1.0, 2.0);
        assert_eq!(blades(&low, &high), Some(-tilted));
    }

    #[test]
    fn motion_and_normal_are_added() {
        let found = blades(&leaf(0.0, X, Y), &leaf(0.01, V3::zero(), Y)).unwrap();
        let half = 0.5_f64.sqrt();
        assert!((found - (X + Y) * half).length() < 1e-12);
    }
}
