//! Sag of a clamped beam under its own weight.

use crate::common::{run, tip64, trees::beam, unloaded, world_of};
use nalgebra::{DMatrix, DVector};
use treesway::glam::DVec3;
use treesway::{BodyId, TreeDesc, World};

const G: f64 = 9.81;
const E: f64 = 8e9; // Pa
const DENSITY: f64 = 800.0; // kg/m³
const SEGMENTS: [usize; 5] = [5, 10, 20, 40, 80];

/// The beam after it has come to rest. Ten times the damping of wood: 60 s are then more than enough.
fn settled(desc: &TreeDesc, stiffness: f32) -> World {
    let mut options = unloaded();
    options.params.multipliers.branch_stiffness = stiffness;
    options.params.multipliers.branch_damping = 20.0;
    let mut world = world_of(desc, options);
    let report = run(&mut world, 1800);
    assert_eq!((report.healed, report.limited), (0, 0));
    world
}

/// Tip of the rigid segments at exact rest: Newton's method on the joint angles of the plane x–y, at any rotation.
///
/// Each angle φ_i turns all that follows about z, so that k_i φ_i is the torque of the weight beyond joint i.
fn exact_tip(world: &World) -> DVec3 {
    let tree = &world.trees()[0];
    let bodies: Vec<_> = tree.ids().map(|id| tree.body(id)).collect();
    let n = bodies.len();
    let mut phi = DVector::<f64>::zeros(n);
    let mut tip = DVec3::ZERO;
    for _ in 0..50 {
        // Joints, centres of mass and tip in the plane.
        let (mut at, mut angle) = (DVec3::ZERO, 0.0);
        let (mut joints, mut coms) = (Vec::new(), Vec::new());
        for (i, body) in bodies.iter().enumerate() {
            angle += phi[i];
            let axis = DVec3::new(f64::cos(angle), f64::sin(angle), 0.0);
            joints.push(at);
            coms.push(at + axis * f64::from(body.com_in_body.z));
            // A straight beam: the next joint lies on the axis.
            let length = bodies
                .get(i + 1)
                .map_or(f64::from(body.length), |next| next.joint_in_parent.z.into());
            at += axis * length;
        }
        tip = at;
        let residual = DVector::from_fn(n, |i, _| {
            let torque: f64 = (i..n)
                .map(|j| -G * f64::from(bodies[j].mass) * (coms[j].x - joints[i].x))
                .sum();
            f64::from(bodies[i].stiffness.x) * phi[i] - torque
        });
        // ∂x_j/∂φ_k = −(y_j − y_k) for j ≥ k, and joint i itself moves when k < i.
        let jacobian = DMatrix::from_fn(n, n, |i, k| {
            let turned: f64 = (i.max(k)..n)
                .map(|j| {
                    let com = -(coms[j].y - joints[k].y);
                    let joint = if k < i {
                        -(joints[i].y - joints[k].y)
                    } else {
                        0.0
                    };
                    G * f64::from(bodies[j].mass) * (com - joint)
                })
                .sum();
            turned
                + if i == k {
                    f64::from(bodies[i].stiffness.x)
                } else {
                    0.0
                }
        });
        let change = jacobian
            .lu()
            .solve(&residual)
            .expect("a stable equilibrium");
        phi -= &change;
        if change.amax() < 1e-15 {
            break;
        }
    }
    tip
}

/// Deflection of the tip by beam theory, m: w'' = M/(E I), integrated twice by the midpoint rule.
fn theoretical_sag(length: f64, base: f64, tip: f64, stiffness: f64) -> f64 {
    const N: usize = 20_000;
    let dx = length / N as f64;
    let radius = |x: f64| base + (tip - base) * x / length;
    let weight = |x: f64| DENSITY * G * core::f64::consts::PI * radius(x).powi(2);
    // Shear and moment from the free end.
    let (mut shear, mut moment) = (0.0, 0.0);
    let mut curvature = vec![0.0; N];
    for i in (0..N).rev() {
        let x = (i as f64 + 0.5) * dx;
        let load = weight(x) * dx;
        let here = moment + 0.5 * dx * (shear + 0.25 * load);
        let second_moment = core::f64::consts::FRAC_PI_4 * radius(x).powi(4);
        curvature[i] = here / (E * stiffness * second_moment);
        moment += dx * (shear + 0.5 * load);
        shear += load;
    }
    // A bend at x lowers the tip by (L − x) times its angle.
    (0..N)
        .map(|i| curvature[i] * dx * (length - (i as f64 + 0.5) * dx))
        .sum()
}

#[test]
fn cantilever_sag_equals_static_equilibrium() {
    let mut worst = 0.0_f64;
    for n in SEGMENTS {
        for stiffness in [0.1, 1.0, 100.0, 1e4] {
            let world = settled(&beam(n, 4.0, 0.04, 0.01), stiffness);
            let found = tip64(&world.trees()[0], BodyId(n as u32 - 1));
            let exact = exact_tip(&world);
            let error = found.distance(exact) / exact.y.abs();
            println!(
                "{n:3} segments, stiffness × {stiffness:7}: sag {:.6e} m, off by {error:.1e}",
                -exact.y
            );
            worst = worst.max(error);
        }
    }
    assert!(worst < 1e-4, "{worst}");
}

#[test]
fn cantilever_sag_approaches_beam_theory() {
    // Stiff enough that the deflection is 1e-4 of the length, where beam theory holds to 1e-8.
    let stiffness = 100.0;
    for (base, tip) in [(0.02, 0.02), (0.04, 0.01), (0.04, 0.02)] {
        let theory = theoretical_sag(4.0, base, tip, stiffness);
        if base == tip {
            let q = DENSITY * G * core::f64::consts::PI * base * base;
            let closed =
                q * 256.0 / (8.0 * E * stiffness * core::f64::consts::FRAC_PI_4 * base.powi(4));
            assert!((theory / closed - 1.0).abs() < 1e-7, "{theory} {closed}");
        }
        for n in SEGMENTS {
            let world = settled(&beam(n, 4.0, base as f32, tip as f32), stiffness as f32);
            let sag = -tip64(&world.trees()[0], BodyId(n as u32 - 1)).y;
            let per_n2 = (sag / theory - 1.0).abs() * (n * n) as f64;
            println!(
                "radius {base} to {tip} m, {n:3} segments: {sag:.6e} m of {theory:.6e} m, off by {per_n2:.3}/n²"
            );
            assert!(per_n2 < 1.1, "{n} segments: {sag} of {theory}, {per_n2}/n²");
        }
    }
}
