//! A smooth curve through the joints of a chain, with a radius along it.
//!
//! Positions: Catmull–Rom with centripetal knots, which makes neither loops nor cusps however unevenly the joints are spaced (Yuksel et al.
//! 2011). Radii: cubic with the slopes of Fritsch and Butland 1984, which never leaves the range between two joints.

use treesway::glam::Vec3;

/// A joint of a chain.
#[derive(Clone, Copy)]
pub(super) struct Knot {
    pub position: Vec3,
    /// m.
    pub radius: f32,
}

/// Knots from base to tip, at least two.
pub(super) struct Curve {
    pub knots: Vec<Knot>,
    /// Knots before the first joint of the chain: 1 if the curve starts in the parent's middle and the chain's wood further out.
    pub lead: usize,
}

/// A place on the curve.
#[derive(Clone, Copy)]
pub(super) struct Point {
    pub position: Vec3,
    /// Of length one, towards the tip.
    pub tangent: Vec3,
    pub radius: f32,
    /// Change of the radius along the curve, m/m.
    pub slope: f32,
}

impl Curve {
    pub(super) fn spans(&self) -> usize {
        self.knots.len() - 1
    }

    /// At `t` from 0 to 1 between knots `span` and `span + 1`.
    pub(super) fn at(&self, span: usize, t: f32) -> Point {
        let [from, to] = [self.knots[span], self.knots[span + 1]];
        let chord = to.position - from.position;
        let [start, end] = self.velocities(span);
        let position = hermite(t, from.position, to.position, start, end);
        let velocity = hermite_rate(t, from.position, to.position, start, end);
        let speed = velocity.length();
        let [start, end] = [self.slope(span), self.slope(span + 1)].map(|s| s * chord.length());
        Point {
            position,
            tangent: velocity.try_normalize().unwrap_or(Vec3::Y),
            radius: hermite(t, from.radius, to.radius, start, end),
            slope: hermite_rate(t, from.radius, to.radius, start, end) / speed.max(1e-9),
        }
    }

    /// d position / dt at both ends of a span.
    fn velocities(&self, span: usize) -> [Vec3; 2] {
        let at = |k: usize| self.knots[k].position;
        let (p1, p2) = (at(span), at(span + 1));
        // Beyond its ends the curve goes on straight.
        let p0 = if span == 0 {
            2.0 * p1 - p2
        } else {
            at(span - 1)
        };
        let p3 = if span + 2 == self.knots.len() {
            2.0 * p2 - p1
        } else {
            at(span + 2)
        };
        let [d01, d12, d23] = [p1 - p0, p2 - p1, p3 - p2].map(|d| d.length().max(1e-9).sqrt());
        [
            (p2 - p1) + d12 * ((p1 - p0) / d01 - (p2 - p0) / (d01 + d12)),
            (p2 - p1) + d12 * ((p3 - p2) / d23 - (p3 - p1) / (d12 + d23)),
        ]
    }

    /// Change of the radius at a knot, m/m.
    fn slope(&self, knot: usize) -> f32 {
        let secant = |k: usize| {
            let [a, b] = [self.knots[k], self.knots[k + 1]];
            (b.radius - a.radius) / a.position.distance(b.position).max(1e-9)
        };
        if knot == 0 {
            return secant(0);
        }
        if knot == self.spans() {
            return secant(knot - 1);
        }
        let (below, above) = (secant(knot - 1), secant(knot));
        if below * above <= 0.0 {
            return 0.0;
        }
        2.0 * below * above / (below + above)
    }
}

fn hermite<T>(t: f32, from: T, to: T, start: T, end: T) -> T
where
    T: Copy + core::ops::Mul<f32, Output = T> + core::ops::Add<Output = T>,
{
    let (u, tt) = (1.0 - t, t * t);
    from * (u * u * (1.0 + 2.0 * t))
        + to * (tt * (3.0 - 2.0 * t))
        + start * (t * u * u)
        + end * (-tt * u)
}

fn hermite_rate<T>(t: f32, from: T, to: T, start: T, end: T) -> T
where
    T: Copy + core::ops::Mul<f32, Output = T> + core::ops::Add<Output = T>,
{
    let across = 6.0 * t * (1.0 - t);
    let (a, b) = ((1.0 - t) * (1.0 - 3.0 * t), t * (3.0 * t - 2.0));
    from * -across + to * across + start * a + end * b
}
