//! Bodies as others meet them.
//!
//! A segment is a **round cone**: all balls whose centres lie on its axis and whose radii go evenly from that at the joint to that at the
//! tip, so that a branch has no gaps where it bends. A fruit is a ball, a round cone without length. Between two balls of radii a and b
//! at distance ℓ the surface is the cone that touches both; with s = (a − b)/ℓ, c = √(1 − s²) and q = (distance from the axis, height
//! along it) the distance of a point is c q₁ + s q₂ − a where 0 < c q₂ − s q₁ < c ℓ, and that from the nearer ball elsewhere. A leaf is a triangle;
//! rays see it, nothing else meets it.

use crate::block::{Model, Sizes};
use crate::desc::BodyKind;
use crate::kinematics::Frame;
use crate::math::{Real, V3};

/// A round cone in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundCone<T = f32> {
    /// Centre of the first ball, m.
    pub(crate) from: V3<T>,
    /// From it to that of the last, of length one.
    pub(crate) axis: V3<T>,
    /// m.
    pub(crate) length: T,
    /// Radii of both, m.
    pub(crate) radius: [T; 2],
}

/// Where a point is nearest to a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// m, negative inside.
    pub(crate) distance: f32,
    /// From the surface to the point, of length one.
    pub(crate) normal: V3<f32>,
}

/// A round cone or ball in its body's frame: along z.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline {
    /// Of the first ball, m.
    start: f32,
    /// m.
    length: f32,
    /// m; none of a leaf.
    radius: [f32; 2],
}

impl Outline {
    pub(crate) fn of(model: &Model<f32>, sizes: &Sizes<f32>) -> Self {
        let size = sizes.size;
        let (start, length, radius) = match model.kind() {
            BodyKind::Segment => (0.0, size.x, [size.y, size.z]),
            BodyKind::Fruit => (model.com_z, 0.0, [size.x; 2]),
            BodyKind::Leaf => (0.0, size.x, [-1.0; 2]),
        };
        Self {
            start,
            length,
            radius,
        }
    }

    /// Whether others can meet it.
    pub(crate) fn is_solid(&self) -> bool {
        self.radius[0] >= 0.0
    }

    /// Whether it is wood from a radius on, m.
    pub(crate) fn is_wood_from(&self, least: f32) -> bool {
        self.length > 0.0 && self.radius[0].max(self.radius[1]) >= least
    }

    /// Farthest point from the body's joint, m.
    pub(crate) fn extent(&self, sizes: &Sizes<f32>) -> f32 {
        if self.is_solid() {
            let far = self.start + self.length + self.radius[1];
            far.max(self.start + self.radius[0])
        } else {
            let half_width = 0.5 * sizes.size.y;
            (self.length * self.length + half_width * half_width).sqrt()
        }
    }

    pub(crate) fn in_world(&self, frame: &Frame<f32>) -> RoundCone {
        let axis = frame.rotation.matrix().z;
        RoundCone {
            from: frame.position + axis * self.start,
            axis,
            length: self.length,
            radius: self.radius,
        }
    }
}

impl<T: Real + PartialOrd> RoundCone<T> {
    /// s and c, unless one ball holds the other.
    fn taper(&self) -> Option<(T, T)> {
        let narrower = self.radius[0] - self.radius[1];
        if narrower.abs() < self.length {
            let s = narrower / self.length;
            Some((s, (T::one() - s * s).sqrt()))
        } else {
            None
        }
    }

    /// Centre and radius of one of its ends.
    fn end(&self, last: bool) -> (V3<T>, T) {
        if last {
            (self.from + self.axis * self.length, self.radius[1])
        } else {
            (self.from, self.radius[0])
        }
    }

    /// The larger of its ends.
    fn larger_end(&self) -> (V3<T>, T) {
        self.end(self.radius[0] < self.radius[1])
    }
}

impl RoundCone {
    /// Corners of a box around it, m.
    pub(crate) fn bounds(&self) -> [V3<f32>; 2] {
        let ((a, ra), (b, rb)) = (self.end(false), self.end(true));
        let low = |a: f32, b: f32| (a - ra).min(b - rb);
        let high = |a: f32, b: f32| (a + ra).max(b + rb);
        [
            V3 {
                x: low(a.x, b.x),
                y: low(a.y, b.y),
                z: low(a.z, b.z),
            },
            V3 {
                x: high(a.x, b.x),
                y: high(a.y, b.y),
                z: high(a.z, b.z),
            },
        ]
    }

    /// Unit vector to a point from the nearest place of the axis.
    pub(crate) fn out_to(&self, point: V3<f32>) -> V3<f32> {
        let along = (point - self.from).dot(self.axis).clamp(0.0, self.length);
        let out = point - (self.from + self.axis * along);
        let away = out.length();
        if away > 1e-6 {
            out * (1.0 / away)
        } else {
            some_normal(self.axis)
        }
    }

    /// Distance of a point, exact.
    pub(crate) fn nearest(&self, point: V3<f32>) -> Nearest {
        let Some((s, c)) = self.taper() else {
            return nearest_of_ball(self.larger_end(), point, self.axis);
        };
        let from = point - self.from;
        let along = from.dot(self.axis);
        let across = from - self.axis * along;
        let away = across.length();
        let side = c * along - s * away;
        if side <= 0.0 {
            nearest_of_ball(self.end(false), point, self.axis)
        } else if side >= c * self.length {
            nearest_of_ball(self.end(true), point, self.axis)
        } else {
            let out = if away > 0.0 {
                across * (1.0 / away)
            } else {
                some_normal(self.axis)
            };
            Nearest {
                distance: c * away + s * along - self.radius[0],
                normal: out * c + self.axis * s,
            }
        }
    }
}

fn nearest_of_ball((centre, radius): (V3<f32>, f32), point: V3<f32>, axis: V3<f32>) -> Nearest {
    let from = point - centre;
    let away = from.length();
    let normal = if away > 0.0 {
        from * (1.0 / away)
    } else {
        some_normal(axis)
    };
    Nearest {
        distance: away - radius,
        normal,
    }
}

/// Some unit vector across another.
pub(crate) fn some_normal(axis: V3<f32>) -> V3<f32> {
    let (x, z) = (axis.z, -axis.x);
    let size = (x * x + z * z).sqrt();
    if size > 0.5 {
        V3 {
            x: x / size,
            y: 0.0,
            z: z / size,
        }
    } else {
        // Nearly upright.
        let size = (axis.y * axis.y + axis.x * axis.x).sqrt();
        V3 {
            x: axis.y / size,
            y: -axis.x / size,
            z: 0.0,
        }
    }
}

impl RoundCone<f64> {
    pub(crate) fn of(narrow: &RoundCone) -> Self {
        Self {
            from: narrow.from.widen(),
            axis: narrow.axis.widen(),
            length: narrow.length.into(),
            radius: narrow.radius.map(f64::from),
        }
    }

    /// How far along a ray it is entered, and the normal there. `direction` has length one.
    pub(crate) fn entered(&self, origin: V3<f64>, direction: V3<f64>) -> Option<(f64, V3<f64>)> {
        let ball = |end: (V3<f64>, f64)| entered_ball(end, origin, direction);
        let Some((s, c)) = self.taper() else {
            return ball(self.larger_end());
        };
        let from = origin - self.from;
        let (along, climbs) = (from.dot(self.axis), direction.dot(self.axis));
        let (p, d) = (from - self.axis * along, direction - self.axis * climbs);
        // c |p + t d| = a − s (along + t climbs), squared: k₂ t² + 2 k₁ t + k₀ = 0.
        let right = self.radius[0] - s * along;
        let k2 = c * c * d.dot(d) - s * s * climbs * climbs;
        let k1 = c * c * p.dot(d) + right * s * climbs;
        let k0 = c * c * p.dot(p) - right * right;
        let root = k1 * k1 - k0 * k2;
        let on_side = |t: f64| {
            let (height, across) = (along + t * climbs, p + d * t);
            let away = across.length();
            let side = c * height - s * away;
            let normal = across * (c / away) + self.axis * s;
            // The other nappe of the cone has a negative radius.
            let own = self.radius[0] - s * height > 0.0;
            let enters = direction.dot(normal) < 0.0;
            (own && enters && 0.0 < side && side < c * self.length && t >= 0.0)
                .then_some((t, normal))
        };
        let side = (root >= 0.0).then(|| {
            let root = root.sqrt();
            let first = on_side((-k1 - root) / k2);
            first.into_iter().chain(on_side((-k1 + root) / k2))
        });
        let ends = ball(self.end(false))
            .into_iter()
            .chain(ball(self.end(true)));
        let hits = side.into_iter().flatten().chain(ends);
        hits.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

fn entered_ball(
    (centre, radius): (V3<f64>, f64),
    origin: V3<f64>,
    direction: V3<f64>,
) -> Option<(f64, V3<f64>)> {
    let from = origin - centre;
    let along = from.dot(direction);
    let across = from - direction * along;
    let inside = radius * radius - across.dot(across);
    let t = -along - inside.max(0.0).sqrt();
    (inside > 0.0 && t >= 0.0).then(|| (t, (from + direction * t) * (1.0 / radius)))
}

/// How far along a ray a triangle is met, and its normal on that side (Möller and Trumbore 1997).
pub(crate) fn met_triangle(
    [a, b, c]: [V3<f64>; 3],
    origin: V3<f64>,
    direction: V3<f64>,
) -> Option<(f64, V3<f64>)> {
    let (ab, ac) = (b - a, c - a);
    let across = direction.cross(ac);
    let volume = ab.dot(across);
    let from = origin - a;
    let u = from.dot(across) / volume;
    let turned = from.cross(ab);
    let v = direction.dot(turned) / volume;
    let t = ac.dot(turned) / volume;
    let normal = ab.cross(ac);
    let towards = if normal.dot(direction) > 0.0 {
        -1.0
    } else {
        1.0
    };
    // In a triangle without area, or seen on its edge, these are not numbers.
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0)
        .then(|| (t, normal * (towards / normal.length())))
}
