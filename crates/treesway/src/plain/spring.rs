//! The closed form of one joint (Quigley 2017, Eq. 5–6), with the equations and symbols of [`crate::analytic::spring`]: Jacobi rotations until
//! nothing is left to turn away, then each mode by the formula of its regime.

use crate::analytic::spring::{Joint, JointState, Scaled};
use crate::math::{Matrix3, Sym3, V3};

/// The joint after a step of `h` s, with its spring relaxed at `rest` and a constant torque.
pub(super) fn advanced(
    joint: &Joint<f32>,
    before: &JointState<f32>,
    rest: V3<f32>,
    torque: V3<f32>,
    h: f32,
) -> JointState<f32> {
    let scaled = Scaled::new(joint, h);
    let (q, d) = eigen(scaled.inertia);
    let floor = scaled.least_eigenvalue();
    let (bent, rate) = (
        (before.theta - rest).times(scaled.root),
        before.rate.times(scaled.root),
    );
    let pushed = torque.times(scaled.inverse);
    let (mut theta, mut faster, mut accel) = (V3::zero(), V3::zero(), V3::zero());
    for (axis, d) in [(q.x, d.x), (q.y, d.y), (q.z, d.z)] {
        let (u, v) = (axis.dot(bent) - axis.dot(pushed), axis.dot(rate) * h);
        let mode = Mode::new(joint, d.max(floor), h);
        let [moved, sped, a] = mode.advance(f64::from(u), f64::from(v));
        theta += axis * moved;
        faster += axis * sped;
        accel += axis * a;
    }
    JointState {
        theta: before.theta + theta.times(scaled.inverse),
        rate: before.rate + faster.times(scaled.inverse) * (1.0 / h),
        accel: accel.times(scaled.inverse) * (1.0 / (h * h)),
    }
}

/// A leaf after a step of `h` s, all along its own axes; `held` is how the air holds it.
pub(super) fn advanced_leaf(
    joint: &Joint<f32>,
    held: V3<f32>,
    before: &JointState<f32>,
    rest: V3<f32>,
    torque: V3<f32>,
    h: f32,
) -> JointState<f32> {
    let bent = before.theta - rest;
    let axis = |inertia: f32, k: f32, held: f32, bent: f32, rate: f32, torque: f32| {
        let stiffness = k + held;
        let damped = Joint {
            beta: (joint.beta * k + h * held) / stiffness,
            ..*joint
        };
        let mode = Mode::new(&damped, inertia / stiffness, h);
        mode.advance(
            f64::from((bent * k - torque) / stiffness),
            f64::from(rate * h),
        )
    };
    let (i, k) = (joint.inertia, joint.stiffness);
    let x = axis(i.xx, k.x, held.x, bent.x, before.rate.x, torque.x);
    let y = axis(i.yy, k.y, held.y, bent.y, before.rate.y, torque.y);
    let z = axis(i.zz, k.z, held.z, bent.z, before.rate.z, torque.z);
    let vector = |n: usize| V3 {
        x: x[n],
        y: y[n],
        z: z[n],
    };
    JointState {
        theta: before.theta + vector(0),
        rate: before.rate + vector(1) * (1.0 / h),
        accel: vector(2) * (1.0 / (h * h)),
    }
}

/// The oscillator (6') in units of the step. In double precision, so that 1 − (C + a S) needs no series.
struct Mode {
    kappa: f64,
    a: f64,
    /// C + a S, S and C − a S of (7').
    uu: f64,
    s: f64,
    vv: f64,
}

impl Mode {
    fn new(joint: &Joint<f32>, d: f32, h: f32) -> Self {
        let h = f64::from(h);
        let kappa = h * h / f64::from(d);
        let a = 0.5 * (h * f64::from(joint.alpha) + kappa * f64::from(joint.beta) / h);
        let z = a * a - kappa;
        let root = z.abs().sqrt();
        let (uu, s, vv);
        if root < 1e-5 {
            // Critical.
            s = (-a).exp();
            (uu, vv) = (s + a * s, s - a * s);
        } else if z < 0.0 {
            let (decay, (sine, cosine)) = ((-a).exp(), root.sin_cos());
            s = decay * sine / root;
            (uu, vv) = (decay * cosine + a * s, decay * cosine - a * s);
        } else {
            // Overdamped: the slow root without the cancellation of −a + √z.
            let fast = a + root;
            let slow = kappa / fast;
            let (left, gone) = ((-slow).exp(), (-fast).exp());
            s = (left - gone) / (2.0 * root);
            uu = (fast * left - slow * gone) / (2.0 * root);
            vv = (fast * gone - slow * left) / (2.0 * root);
        }
        Self {
            kappa,
            a,
            uu,
            s,
            vv,
        }
    }

    /// Change of place and speed, and the acceleration at the end, from a distance `u` to equilibrium and a speed `v`.
    fn advance(&self, u: f64, v: f64) -> [f32; 3] {
        let (after, speed) = (
            self.uu * u + self.s * v,
            self.vv * v - self.kappa * self.s * u,
        );
        let accel = -self.kappa * after - 2.0 * self.a * speed;
        [(after - u) as f32, (speed - v) as f32, accel as f32]
    }
}

/// Eigenvectors by columns and eigenvalues of a positive matrix, by Jacobi rotations (Golub and Van Loan, §8.5).
fn eigen(m: Sym3<f32>) -> (Matrix3<f32>, V3<f32>) {
    const SWEEPS: usize = 10;
    let mut a = [[m.xx, m.xy, m.xz], [m.xy, m.yy, m.yz], [m.xz, m.yz, m.zz]];
    let mut q = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0_f32]];
    for _ in 0..SWEEPS {
        let mut turned = false;
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let n = a[i][j];
            if n.abs() <= f32::EPSILON * (a[i][i] * a[j][j]).abs().sqrt() {
                continue;
            }
            turned = true;
            let tau = (a[j][j] - a[i][i]) / (2.0 * n);
            let t = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = t * c;
            a[i][i] -= t * n;
            a[j][j] += t * n;
            (a[i][j], a[j][i]) = (0.0, 0.0);
            let k = 3 - i - j;
            let (p, r) = (a[k][i], a[k][j]);
            (a[k][i], a[k][j]) = (c * p - s * r, s * p + c * r);
            (a[i][k], a[j][k]) = (a[k][i], a[k][j]);
            for row in &mut q {
                (row[i], row[j]) = (c * row[i] - s * row[j], s * row[i] + c * row[j]);
            }
        }
        if !turned {
            break;
        }
    }
    let column = |j: usize| V3 {
        x: q[0][j],
        y: q[1][j],
        z: q[2][j],
    };
    let vectors = Matrix3 {
        x: column(0),
        y: column(1),
        z: column(2),
    };
    let values = V3 {
        x: a[0][0],
        y: a[1][1],
        z: a[2][2],
    };
    (vectors, values)
}
