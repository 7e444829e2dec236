//! Curves over branch radius: the splines with which stiffness and damping are tuned (Quigley 2017, §9, Fig. 12).
//!
//! A curve runs through its control points as a monotone cubic (Fritsch and Carlson 1980) over log₁₀ of the radius, so that
//! dragging one point never makes the curve swing past its neighbours. Beyond the outer points it is constant.

/// One control point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct ControlPoint {
    /// Radius of the branch, m; greater than zero.
    pub radius: f32,
    /// Value there, not negative.
    pub value: f32,
}

/// A spline over radius.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<ControlPoint>", into = "Vec<ControlPoint>")
)]
pub struct Curve {
    points: Vec<ControlPoint>,
    /// Position and slope of each point in (log₁₀ radius, value).
    knots: Vec<(f64, f64)>,
}

/// Why a list of points is no curve.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("control point {index} has {what}")]
pub struct CurveError {
    /// Which point, in the order of radius.
    pub index: usize,
    /// What is wrong with it, and what was expected.
    pub what: String,
}

impl Curve {
    /// The same value for every radius.
    pub fn constant(value: f32) -> Self {
        Self::new(vec![ControlPoint {
            radius: 0.01,
            value,
        }])
        .unwrap_or_else(|_| unreachable!("one point is a curve"))
    }

    /// A curve through the points, which are sorted by radius.
    pub fn new(mut points: Vec<ControlPoint>) -> Result<Self, CurveError> {
        points.sort_by(|a, b| a.radius.total_cmp(&b.radius));
        if points.is_empty() {
            return Err(CurveError {
                index: 0,
                what: "been left out; a curve needs at least one".into(),
            });
        }
        for (index, p) in points.iter().enumerate() {
            let what = if !(p.radius.is_finite() && p.radius > 0.0) {
                format!(
                    "radius {}; expected a finite length greater than zero",
                    p.radius
                )
            } else if !(p.value.is_finite() && p.value >= 0.0) {
                format!("value {}; expected a finite number, not negative", p.value)
            } else if index > 0 && points[index - 1].radius == p.radius {
                format!("radius {} twice; expected one point per radius", p.radius)
            } else {
                continue;
            };
            return Err(CurveError { index, what });
        }
        let knots = knots(&points);
        Ok(Self { points, knots })
    }

    /// The control points by increasing radius.
    pub fn points(&self) -> &[ControlPoint] {
        &self.points
    }

    /// The value at `radius`, m.
    pub fn at(&self, radius: f32) -> f32 {
        let x = libm::log10(f64::from(radius));
        let (first, last) = (&self.knots[0], &self.knots[self.knots.len() - 1]);
        if x <= first.0 {
            return self.points[0].value;
        }
        if x >= last.0 {
            return self.points[self.points.len() - 1].value;
        }
        let i = self.knots.partition_point(|k| k.0 <= x) - 1;
        let ((x0, m0), (x1, m1)) = (self.knots[i], self.knots[i + 1]);
        let (y0, y1) = (
            f64::from(self.points[i].value),
            f64::from(self.points[i + 1].value),
        );
        let w = x1 - x0;
        let t = (x - x0) / w;
        let (t2, t3) = (t * t, t * t * t);
        let y = (2.0 * t3 - 3.0 * t2 + 1.0) * y0
            + (t3 - 2.0 * t2 + t) * w * m0
            + (3.0 * t2 - 2.0 * t3) * y1
            + (t3 - t2) * w * m1;
        y as f32
    }
}

/// Positions and monotone slopes (Fritsch–Carlson: the weighted harmonic mean of the neighbouring secants).
fn knots(points: &[ControlPoint]) -> Vec<(f64, f64)> {
    let x: Vec<f64> = points
        .iter()
        .map(|p| libm::log10(f64::from(p.radius)))
        .collect();
    let secant = |i: usize| {
        (f64::from(points[i + 1].value) - f64::from(points[i].value)) / (x[i + 1] - x[i])
    };
    let slope = |i: usize| {
        if points.len() == 1 {
            return 0.0;
        }
        if i == 0 || i == points.len() - 1 {
            return secant(i.min(points.len() - 2));
        }
        let (a, b) = (secant(i - 1), secant(i));
        if a * b <= 0.0 {
            return 0.0;
        }
        let (wa, wb) = (x[i] - x[i - 1], x[i + 1] - x[i]);
        3.0 * (wa + wb) / ((2.0 * wb + wa) / a + (wb + 2.0 * wa) / b)
    };
    (0..points.len()).map(|i| (x[i], slope(i))).collect()
}

impl TryFrom<Vec<ControlPoint>> for Curve {
    type Error = CurveError;
    fn try_from(points: Vec<ControlPoint>) -> Result<Self, CurveError> {
        Self::new(points)
    }
}

impl From<Curve> for Vec<ControlPoint> {
    fn from(curve: Curve) -> Self {
        curve.points
    }
}

/// How a curve's value is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum CurveMode {
    /// Times the physical value (default).
    #[default]
    Multiplier,
    /// Instead of the physical value, in its own unit: N·m/rad for stiffness, s for damping.
    Absolute,
}

/// A curve and how its value is meant.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct QuantityCurve {
    /// Multiplier or absolute.
    #[cfg_attr(feature = "serde", serde(default))]
    pub mode: CurveMode,
    /// The spline.
    pub points: Curve,
}

impl QuantityCurve {
    /// The physical value as it is.
    pub fn physical() -> Self {
        Self {
            mode: CurveMode::Multiplier,
            points: Curve::constant(1.0),
        }
    }

    /// The tuned value for a branch of `radius` m whose physical value is `physical`.
    pub fn apply(&self, radius: f32, physical: f32) -> f32 {
        match self.mode {
            CurveMode::Multiplier => physical * self.points.at(radius),
            CurveMode::Absolute => self.points.at(radius),
        }
    }
}

impl Default for QuantityCurve {
    fn default() -> Self {
        Self::physical()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(radius: f32, value: f32) -> ControlPoint {
        ControlPoint { radius, value }
    }

    #[test]
    fn curve_passes_through_its_points_and_between_them() {
        let c = Curve::new(vec![point(0.1, 5.0), point(0.001, 1.0), point(0.01, 4.0)]).unwrap();
        for p in c.points() {
            assert!((c.at(p.radius) - p.value).abs() < 1e-5);
        }
        let mut last = c.at(0.0005);
        for i in 0..200 {
            let now = c.at(0.0005 * 1.04_f32.powi(i));
            assert!(now >= last - 1e-6, "rising points make a rising curve");
            last = now;
        }
        assert_eq!(c.at(1e-9), 1.0);
        assert_eq!(c.at(10.0), 5.0);
    }

    #[test]
    fn bad_points_are_named() {
        assert!(Curve::new(vec![]).is_err());
        let twice = Curve::new(vec![point(0.1, 1.0), point(0.1, 2.0)]).unwrap_err();
        assert_eq!(twice.index, 1);
        assert!(Curve::new(vec![point(0.0, 1.0)]).is_err());
        assert!(Curve::new(vec![point(0.1, f32::NAN)]).is_err());
    }
}
