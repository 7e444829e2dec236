//! One joint alone is a damped oscillator.

use crate::common::{run, segment, trees, unloaded, world_of};
use crate::reference::spring::{Oscillator, evolve};
use nalgebra::{Matrix3, Vector3};
use treesway::analytic::spring::{Joint, JointState, StepMap};
use treesway::glam::Vec3;
use treesway::math::{Sym3, V3};
use treesway::{BodyId, World};

const H: f64 = 1.0 / 30.0;
const ROOT: BodyId = BodyId(0);
const START: f32 = 0.2; // rad

/// rad/s that would alone give the amplitude of the start angle.
fn start_rate(k: f64) -> f32 {
    START * k.sqrt() as f32
}

/// A segment on a spring of `hz` Hz with damping ratio `zeta`, bent about x, without gravity. Also k/I and b of its oscillator.
fn joint(hz: f64, zeta: f64) -> (World, f64, f64) {
    let desc = trees::single(segment(0.8, 0.03, 0.02), trees::upright());
    let omega = core::f64::consts::TAU * hz;
    let mut options = unloaded();
    options.params.wood.damping_beta = (2.0 * zeta / omega) as f32;
    options.settings.limits.rate = 1e6;
    let mut world = world_of(&desc, options);
    world.gravity = Vec3::ZERO;
    let tree = world.tree_mut(treesway::TreeId(0));
    let body = tree.body(ROOT);
    let inertia =
        f64::from(body.inertia.x) + f64::from(body.mass) * f64::from(body.com_in_body.z).powi(2);
    let stiffness = (inertia * omega * omega) as f32;
    tree.set_joint_stiffness(ROOT, Vec3::splat(stiffness));
    let k = f64::from(stiffness) / inertia;
    tree.set_joint(ROOT, Vec3::X * START, Vec3::X * start_rate(k));
    tree.settle_world();
    (world, k, f64::from(body.damping_beta) * k)
}

#[test]
fn one_joint_follows_the_damped_oscillator() {
    for hz in [0.05, 0.5, 2.0, 7.0, 40.0] {
        for zeta in [0.0, 0.01, 0.3, 0.999, 1.0, 1.001, 1.5, 30.0] {
            let (mut world, k, b) = joint(hz, zeta);
            let mut worst = 0.0_f64;
            let amplitude = f64::from(START) * core::f64::consts::SQRT_2;
            for frame in 1..=300 {
                run(&mut world, 1);
                let t = H * f64::from(frame);
                let exact = evolve(k, b, 0.0, START.into(), start_rate(k).into(), t).0;
                let body = world.trees()[0].body(ROOT);
                assert_eq!((body.theta.y, body.theta.z), (0.0, 0.0));
                worst = worst.max((f64::from(body.theta.x) - exact).abs() / amplitude);
            }
            // The phase ω t carries the roundings of k, I and h²; besides it each of 300 steps rounds once.
            let phase = k.sqrt() * 10.0;
            let most = f64::from(f32::EPSILON) * (0.5 * 300.0 + 2.0 * phase);
            println!(
                "{hz} Hz, damping ratio {zeta}: off by {worst:.1e} of the amplitude, phase {phase:.0}"
            );
            assert!(
                worst < most,
                "{hz} Hz, {zeta}: {worst:.2e}, allowed {most:.2e}"
            );
        }
    }
}

#[test]
fn undamped_joint_keeps_energy() {
    const STEPS: usize = 3000;
    for hz in [0.05, 0.3, 1.0, 3.3, 7.0, 14.9, 40.0, 300.0] {
        let (mut world, k, _) = joint(hz, 0.0);
        let energy = |world: &World| {
            let body = world.trees()[0].body(ROOT);
            f64::from(body.theta_rate.x).powi(2) + k * f64::from(body.theta.x).powi(2)
        };
        let before = energy(&world);
        run(&mut world, STEPS);
        let drift = (energy(&world) / before - 1.0).abs() / STEPS as f64;
        println!("{hz} Hz: energy drifts by {drift:.1e} per step");
        assert!(drift < 2e-7, "{hz} Hz: {drift:.2e} per step");
    }
}

/// The inertia of a bent branch lies across the axes of its joint; all three springs then move together.
#[test]
fn oblique_joint_follows_three_oscillators() {
    let inertia = Sym3 {
        xx: 0.30_f32,
        yy: 0.21,
        zz: 0.14,
        xy: 0.08,
        xz: -0.05,
        yz: 0.09,
    };
    let stiffness = V3 {
        x: 20.0_f32,
        y: 31.0,
        z: 4.0,
    };
    let wide = inertia.widen();
    #[rustfmt::skip]
    let matrix = Matrix3::new(
        wide.xx, wide.xy, wide.xz,
        wide.xy, wide.yy, wide.yz,
        wide.xz, wide.yz, wide.zz,
    );
    let h = H as f32;
    for (alpha, beta) in [(0.0_f32, 0.0_f32), (0.0, 0.01), (0.7, 0.02), (0.0, 0.5)] {
        let joint = Joint {
            inertia,
            stiffness,
            beta,
            alpha,
        };
        let oscillator = Oscillator {
            inertia: matrix,
            stiffness: Vector3::new(20.0, 31.0, 4.0),
            alpha: alpha.into(),
            beta: beta.into(),
        };
        let start = Vector3::new(0.1, -0.2, 0.15);
        let torque = Vector3::new(0.5, 0.25, -0.125);
        let map = StepMap::new(&joint, h);
        let mut state = JointState {
            theta: V3::splat(0.0_f32),
            rate: V3::zero(),
            accel: V3::zero(),
        };
        state.theta = to_v3(start);
        let energy = |s: &JointState<f32>| {
            let (u, v) = (from_v3(s.theta), from_v3(s.rate));
            v.dot(&(matrix * v)) + u.dot(&u.component_mul(&oscillator.stiffness))
        };
        let steps = 300;
        let mut free = state;
        let mut worst = 0.0_f64;
        for step in 1..=steps {
            state = map.advance(&state, V3::zero(), to_v3(torque));
            free = map.advance(&free, V3::zero(), V3::zero());
            let exact = oscillator.solve(
                from_v3(to_v3(start)),
                Vector3::zeros(),
                torque,
                f64::from(h) * f64::from(step),
            );
            worst = worst.max((from_v3(state.theta) - exact.theta).norm() / start.norm());
        }
        println!("alpha {alpha}, beta {beta}: off by {worst:.1e}");
        assert!(worst < 3e-5, "{worst:.2e}"); // phase up to 300 rad
        if alpha == 0.0 && beta == 0.0 {
            let first = energy(&JointState {
                theta: to_v3(start),
                rate: V3::zero(),
                accel: V3::zero(),
            });
            let drift = (energy(&free) / first - 1.0).abs() / f64::from(steps);
            println!("energy drifts by {drift:.1e} per step");
            assert!(drift < 2e-7, "{drift:.2e}");
        }
    }
}

fn to_v3(v: Vector3<f64>) -> V3<f32> {
    V3 {
        x: v.x,
        y: v.y,
        z: v.z,
    }
    .narrow()
}

fn from_v3(v: V3<f32>) -> Vector3<f64> {
    Vector3::new(v.x.into(), v.y.into(), v.z.into())
}
