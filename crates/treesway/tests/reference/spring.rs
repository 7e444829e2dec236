//! The joint spring in double precision: Eq. 5–6 with the closed forms of a textbook.

use nalgebra::{Cholesky, Matrix3, SymmetricEigen, Vector3};

/// Ĩ θ̈ + (α Ĩ + β K) θ̇ + K θ = τ̃.
#[derive(Clone, Copy, Debug)]
pub struct Oscillator {
    /// kg·m².
    pub inertia: Matrix3<f64>,
    /// Diagonal of K, N·m/rad.
    pub stiffness: Vector3<f64>,
    /// 1/s.
    pub alpha: f64,
    /// s.
    pub beta: f64,
}

/// One of the three independent oscillators.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// ω h.
    pub omega_h: f64,
    /// Damping ratio.
    pub zeta: f64,
}

/// State after the step.
#[derive(Clone, Copy, Debug)]
pub struct Solution {
    pub theta: Vector3<f64>,
    pub rate: Vector3<f64>,
    pub accel: Vector3<f64>,
    pub modes: [Mode; 3],
}

impl Oscillator {
    /// The state `h` s after (`theta`, `rate`) under a constant torque.
    pub fn solve(
        &self,
        theta: Vector3<f64>,
        rate: Vector3<f64>,
        torque: Vector3<f64>,
        h: f64,
    ) -> Solution {
        let k = Matrix3::from_diagonal(&self.stiffness);
        let symmetric = (self.inertia + self.inertia.transpose()) * 0.5;
        let l = Cholesky::new(symmetric)
            .expect("an inertia is positive definite")
            .l();
        let inverse = l.try_inverse().expect("a Cholesky factor is regular");
        let eigen = SymmetricEigen::new(inverse * k * inverse.transpose());
        let u = inverse.transpose() * eigen.eigenvectors;
        // U⁻¹ = Uᵀ Ĩ.
        let back = u.transpose() * symmetric;
        let (x, v, f) = (back * theta, back * rate, u.transpose() * torque);
        let mut after = [Vector3::zeros(); 3];
        let mut modes = [Mode {
            omega_h: 0.0,
            zeta: 0.0,
        }; 3];
        for i in 0..3 {
            let k = eigen.eigenvalues[i].max(0.0);
            let b = self.alpha + self.beta * k;
            let (x, v, a) = evolve(k, b, f[i], x[i], v[i], h);
            after[0][i] = x;
            after[1][i] = v;
            after[2][i] = a;
            modes[i] = Mode {
                omega_h: k.sqrt() * h,
                zeta: 0.5 * b / k.sqrt(),
            };
        }
        Solution {
            theta: u * after[0],
            rate: u * after[1],
            accel: u * after[2],
            modes,
        }
    }
}

/// θ̈ + b θ̇ + k θ = f from (x, v), `h` s later: angle, rate, acceleration.
pub fn evolve(k: f64, b: f64, f: f64, x: f64, v: f64, h: f64) -> (f64, f64, f64) {
    if k * h * h < 1e-6 {
        return evolve_softly(k, b, f, x, v, h);
    }
    let equilibrium = f / k;
    let (u, half) = (x - equilibrium, 0.5 * b);
    let discriminant = half * half - k;
    let (u, v) = if discriminant.abs() * h * h < 1.0 {
        // Around critical damping: cos √z and sin √z/√z as power series; c₁ and c₂ of the closed forms lose all digits there.
        let (c, s) = series(discriminant * h * h);
        let decay = (-half * h).exp();
        (
            decay * (c * u + s * h * (v + half * u)),
            decay * (c * v - s * h * (k * u + half * v)),
        )
    } else if discriminant > 0.0 {
        let r2 = -half - discriminant.sqrt();
        let r1 = k / r2; // r₁ r₂ = k
        let (c1, c2) = ((v - r2 * u) / (r1 - r2), (r1 * u - v) / (r1 - r2));
        let (e1, e2) = ((r1 * h).exp(), (r2 * h).exp());
        (c1 * e1 + c2 * e2, c1 * r1 * e1 + c2 * r2 * e2)
    } else {
        let (gamma, mu) = (-half, (-discriminant).sqrt());
        let (c1, c2) = (u, (v - gamma * u) / mu);
        let (sin, cos) = (mu * h).sin_cos();
        let decay = (gamma * h).exp();
        (
            decay * (c1 * cos + c2 * sin),
            decay * ((gamma * c1 + mu * c2) * cos + (gamma * c2 - mu * c1) * sin),
        )
    };
    (u + equilibrium, v, -b * v - k * u)
}

/// cosh √z and sinh √z / √z.
fn series(z: f64) -> (f64, f64) {
    let (mut c, mut s) = (0.0, 0.0);
    let mut term = 1.0;
    for n in 0..16 {
        let even = f64::from(2 * n);
        c += term;
        s += term / (even + 1.0);
        term *= z / ((even + 1.0) * (even + 2.0));
    }
    (c, s)
}

/// For k → 0, where f/k is no equilibrium worth the name: the exponential of the whole system.
fn evolve_softly(k: f64, b: f64, f: f64, x: f64, v: f64, h: f64) -> (f64, f64, f64) {
    #[rustfmt::skip]
    let system = Matrix3::new(
        0.0, 1.0, 0.0,
        -k, -b, f,
        0.0, 0.0, 0.0,
    );
    let after = (system * h).exp() * Vector3::new(x, v, 1.0);
    (after.x, after.y, f - b * after.y - k * after.x)
}
