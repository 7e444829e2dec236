//! The middle line of a tube: stations along the curve, close where it bends, with frames that do not twist.

use super::curve::Curve;
use core::f32::consts::TAU;
use core::ops::Range;
use treesway::glam::Vec3;

/// Radius of wood that is seen to bend at its joints, in tolerances …
const SHOWS_BENDING: f32 = 8.0;
/// … and stations a body with which it bends in a curve instead.
const SMOOTH_STEPS: u32 = 3;

/// A place on the axis of a tube, with everything that a ring around it needs.
#[derive(Clone, Copy)]
pub(super) struct Station {
    pub position: Vec3,
    /// Of length one, towards the tip.
    pub tangent: Vec3,
    /// Of length one, square to the tangent: where a ring starts.
    pub side: Vec3,
    pub radius: f32,
    /// Change of the radius along the axis, m/m.
    pub slope: f32,
    /// From the base, m.
    pub along: f32,
    /// Index of the body in the chain, and how far along it, 0 to 1; negative before the first.
    pub joint: f32,
    /// Bark texture, in units of one turn around the branch.
    pub turns: f32,
}

/// Stations from base to tip, at least two.
pub(super) struct Axis {
    pub stations: Vec<Station>,
}

impl Axis {
    /// Follows the curve to within `tolerance` m, with at most `most_steps` stations a joint. `side` is where rings start, about.
    /// Thick wood has enough of them to bend smoothly where it is straight at rest, too.
    pub(super) fn new(curve: &Curve, side: Vec3, tolerance: f32, most_steps: u32) -> Self {
        let mut stations: Vec<Station> = Vec::with_capacity(curve.knots.len());
        for span in 0..curve.spans() {
            let thick = curve.knots[span].radius > SHOWS_BENDING * tolerance;
            let least = if thick { SMOOTH_STEPS } else { 1 };
            let steps = steps(curve, span, tolerance).max(least);
            let steps = steps.min(most_steps.max(1));
            let last = usize::from(span + 1 == curve.spans());
            for step in 0..steps as usize + last {
                let t = step as f32 / steps as f32;
                let point = curve.at(span, t);
                stations.push(Station {
                    position: point.position,
                    tangent: point.tangent,
                    side: Vec3::ZERO,
                    radius: point.radius,
                    slope: point.slope,
                    along: 0.0,
                    joint: span as f32 - curve.lead as f32 + t,
                    turns: 0.0,
                });
            }
        }
        let first = &mut stations[0];
        first.side = square_to(side, first.tangent);
        for i in 1..stations.len() {
            let next = stations[i - 1].carried_to(stations[i]);
            stations[i] = next;
        }
        Self { stations }
    }

    pub(super) fn length(&self) -> f32 {
        self.stations[self.stations.len() - 1].along
    }

    /// The place `along` m from the base, clamped to the axis.
    pub(super) fn at(&self, along: f32) -> Station {
        let above = self.stations.partition_point(|s| s.along <= along);
        let above = above.clamp(1, self.stations.len() - 1);
        let [a, b] = [self.stations[above - 1], self.stations[above]];
        let t = ((along - a.along) / (b.along - a.along)).clamp(0.0, 1.0);
        a.towards(&b, t)
    }

    /// Stations from before `along - reach` to after `along + reach`, at least two.
    pub(super) fn window(&self, along: f32, reach: f32) -> Range<usize> {
        let n = self.stations.len();
        let from = self.stations.partition_point(|s| s.along < along - reach);
        let to = self.stations.partition_point(|s| s.along <= along + reach);
        let from = from.saturating_sub(1).min(n - 2);
        from..(to + 1).clamp(from + 2, n)
    }

    /// The place on some stations of the axis that is nearest to a point.
    pub(super) fn nearest(&self, point: Vec3, among: Range<usize>) -> Station {
        let mut best = (f32::INFINITY, among.start, 0.0);
        for i in among.start..among.end - 1 {
            let [a, b] = [&self.stations[i], &self.stations[i + 1]];
            let chord = b.position - a.position;
            let t = (point - a.position).dot(chord) / chord.length_squared().max(1e-18);
            let t = t.clamp(0.0, 1.0);
            let distance = point.distance_squared(a.position + chord * t);
            if distance < best.0 {
                best = (distance, i, t);
            }
        }
        let (_, i, t) = best;
        self.stations[i].towards(&self.stations[i + 1], t)
    }

    /// The stations before and after the chain's place `joint`.
    pub(super) fn around(&self, joint: f32) -> [&Station; 2] {
        let above = self.stations.partition_point(|s| s.joint <= joint);
        let above = above.clamp(1, self.stations.len() - 1);
        [&self.stations[above - 1], &self.stations[above]]
    }

    /// Where the chain's place `joint` lies, m from the base.
    pub(super) fn along_of(&self, joint: f32) -> f32 {
        let [a, b] = self.around(joint);
        let t = ((joint - a.joint) / (b.joint - a.joint)).clamp(0.0, 1.0);
        a.along + (b.along - a.along) * t
    }
}

impl Station {
    /// Square to tangent and side.
    pub(super) fn other_side(&self) -> Vec3 {
        self.tangent.cross(self.side)
    }

    /// `next` with this station's frame brought there without twist (double reflection, Wang et al. 2008), and lengths counted on.
    fn carried_to(&self, next: Station) -> Station {
        let step = next.position - self.position;
        let length = step.length();
        let reflect = |v: Vec3, about: Vec3| {
            let square = about.length_squared();
            if square < 1e-18 {
                v
            } else {
                v - about * (2.0 * about.dot(v) / square)
            }
        };
        let side = reflect(self.side, step);
        let side = reflect(side, next.tangent - reflect(self.tangent, step));
        Station {
            side: square_to(side, next.tangent),
            along: self.along + length.max(1e-6),
            turns: self.turns + length / (TAU * mean_radius(self.radius, next.radius)),
            ..next
        }
    }

    fn towards(&self, other: &Station, t: f32) -> Station {
        let mix = |a: f32, b: f32| a + (b - a) * t;
        let tangent = self.tangent.lerp(other.tangent, t);
        let tangent = tangent.try_normalize().unwrap_or(self.tangent);
        Station {
            position: self.position.lerp(other.position, t),
            tangent,
            side: square_to(self.side.lerp(other.side, t), tangent),
            radius: mix(self.radius, other.radius),
            slope: mix(self.slope, other.slope),
            along: mix(self.along, other.along),
            joint: mix(self.joint, other.joint),
            turns: mix(self.turns, other.turns),
        }
    }
}

/// Stations that a span needs: a circular arc of length ℓ that turns by θ stands off its chord by ℓθ/8, and n pieces of it by a share 1/n².
fn steps(curve: &Curve, span: usize, tolerance: f32) -> u32 {
    let [from, middle, to] = [0.0, 0.5, 1.0].map(|t| curve.at(span, t));
    // Twice the larger half: an S-bend turns back.
    let turn = |a: Vec3, b: Vec3| a.cross(b).length().atan2(a.dot(b));
    let halves = turn(from.tangent, middle.tangent).max(turn(middle.tangent, to.tangent));
    let sagitta = from.position.distance(to.position) * 2.0 * halves / 8.0;
    ((sagitta / tolerance).sqrt().ceil() as u32).max(1)
}

/// ∫ds/r over a frustum is its length over this mean, so that bark stays as long as wide while the branch tapers.
fn mean_radius(a: f32, b: f32) -> f32 {
    let (a, b) = (a.max(1e-7), b.max(1e-7));
    if (a - b).abs() < 1e-3 * a {
        0.5 * (a + b)
    } else {
        (a - b) / (a / b).ln()
    }
}

/// `v` made square to a direction and of length one; some other vector if it has that direction itself.
pub(super) fn square_to(v: Vec3, direction: Vec3) -> Vec3 {
    let square = v - direction * v.dot(direction);
    if square.length_squared() > 1e-8 {
        square.normalize()
    } else {
        direction.any_orthonormal_vector()
    }
}

#[cfg(test)]
mod tests {
    use super::super::curve::Knot;
    use super::*;
    use treesway::glam::Quat;

    fn helix(turns: f32, knots: u32) -> Curve {
        let knot = |k: u32| {
            let t = k as f32 / (knots - 1) as f32;
            let (sin, cos) = (TAU * turns * t).sin_cos();
            Knot {
                position: Vec3::new(cos, 3.0 * t, sin),
                radius: 0.1 * (1.2 - t),
            }
        };
        Curve {
            knots: (0..knots).map(knot).collect(),
            lead: 0,
        }
    }

    #[test]
    fn frames_turn_the_short_way_only() {
        let axis = Axis::new(&helix(2.0, 40), Vec3::Y, 1e-4, 16);
        for pair in axis.stations.windows(2) {
            let [a, b] = [&pair[0], &pair[1]];
            assert!(b.side.dot(b.tangent).abs() < 1e-5);
            let carried = Quat::from_rotation_arc(a.tangent, b.tangent) * a.side;
            let twist = carried.angle_between(b.side);
            let turn = a.tangent.angle_between(b.tangent);
            // The reflections follow the chord as well, which is of the third order.
            assert!(
                twist < 0.02 * turn + 1e-3,
                "{twist} rad in a turn of {turn}"
            );
        }
    }

    #[test]
    fn straight_wood_needs_few_stations_and_bent_wood_stays_within_the_tolerance() {
        let straight = Curve {
            knots: [0.0, 1.0, 2.0]
                .map(|y| Knot {
                    position: Vec3::Y * y,
                    radius: 0.001,
                })
                .to_vec(),
            lead: 0,
        };
        assert_eq!(Axis::new(&straight, Vec3::X, 0.001, 16).stations.len(), 3);
        let curve = helix(1.0, 12);
        let fine = Axis::new(&curve, Vec3::X, 1e-5, 64);
        for tolerance in [0.01, 0.003] {
            let axis = Axis::new(&curve, Vec3::X, tolerance, 64);
            let all = 0..axis.stations.len();
            let off = (fine.stations.iter()).map(|s| {
                axis.nearest(s.position, all.clone())
                    .position
                    .distance(s.position)
            });
            let worst = off.fold(0.0, f32::max);
            assert!(worst < 1.2 * tolerance, "{worst} m off at {tolerance}");
        }
    }

    #[test]
    fn bark_is_as_long_as_wide_on_a_cone() {
        // ∫ds/(2πr) along a cone from r₀ to r₁ is ℓ ln(r₀/r₁) / (2π (r₀ − r₁)).
        let cone = Curve {
            knots: [(0.0, 0.3), (2.0, 0.05)]
                .map(|(y, radius)| Knot {
                    position: Vec3::Y * y,
                    radius,
                })
                .to_vec(),
            lead: 0,
        };
        let axis = Axis::new(&cone, Vec3::X, 0.01, 4);
        let expected = 2.0 * (0.3_f32 / 0.05).ln() / (TAU * 0.25);
        let found = axis.stations[axis.stations.len() - 1].turns;
        assert!(
            (found - expected).abs() < 1e-3,
            "{found} turns, expected {expected}"
        );
    }
}
