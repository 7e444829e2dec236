//! The closed form of one joint spring in single precision, over everything it can meet.

use crate::reference::spring::evolve;
use treesway::analytic::spring::{Joint, JointState, StepMap};
use treesway::math::{Sym3, V3};
use wide::f32x4 as Lanes;

const LANES: usize = 4;

const EPS: f64 = f32::EPSILON as f64;
const H: f32 = 1.0 / 30.0;

/// What the oscillator starts with: an angle, a rate or a torque. Apart, so that each answer is judged by its own size.
#[derive(Clone, Copy, Debug)]
enum Start {
    Angle,
    Rate,
    Torque,
}

/// An isotropic joint of inertia `inertia`, (ω h)² = `kappa`, β and α.
fn step(inertia: f32, kappa: f64, beta: f32, alpha: f32, start: Start) -> [(f64, f64, f64); 3] {
    let h = f64::from(H);
    let stiffness = (kappa * f64::from(inertia) / (h * h)) as f32;
    let joint = Joint {
        inertia: Sym3::diagonal(V3::splat(inertia)),
        stiffness: V3::splat(stiffness),
        beta,
        alpha,
    };
    let k = f64::from(stiffness) / f64::from(inertia);
    let b = f64::from(alpha) + f64::from(beta) * k;
    // A torque that would bend the joint by about 0.1 rad in this step.
    let torque = (0.1 * f64::from(inertia) * (k + 1.0 / (h * h))) as f32;
    let (x, v, f) = match start {
        Start::Angle => (0.1_f32, 0.0_f32, 0.0_f32),
        Start::Rate => (0.0, 3.0, 0.0),
        Start::Torque => (0.0, 0.0, torque),
    };
    let state = JointState {
        theta: V3::splat(x),
        rate: V3::splat(v),
        accel: V3::zero(),
    };
    let after = StepMap::new(&joint, H).advance(&state, V3::zero(), V3::splat(f));
    let (theta, rate, accel) = evolve(
        k,
        b,
        f64::from(f) / f64::from(inertia),
        x.into(),
        v.into(),
        h,
    );
    // Sizes of the answers. A state keeps its own rounding, and what has died out that of its start: S is of size 1/arm, and P − 2 a S,
    // the coefficient of θ̇, is a difference.
    let (a, mu) = (0.5 * b * h, (k * h * h).sqrt());
    let arm = mu.max(2.0 * a).max(1.0);
    let f = f64::from(f) / f64::from(inertia);
    let (x, v) = (f64::from(x), f64::from(v));
    let exact_difference = evolve(k, b, 0.0, 0.0, 1.0, h).1.abs();
    let difference = exact_difference.max(mu * mu / (arm * arm));
    // What a torque adds is judged by itself; without damping it swings between 0 and twice the equilibrium.
    let bend = if a < mu { (f * h * h).min(f / k) } else { 0.0 };
    let sizes = match start {
        Start::Angle => (x, k * x * h / arm, k * x * difference),
        Start::Rate => (
            v * h / arm,
            v,
            v / h * (2.0 * a * difference + mu * mu / arm),
        ),
        Start::Torque => (theta.abs().max(bend), f * h / arm, f * difference),
    };
    [
        (after.theta.x.into(), theta, sizes.0),
        (after.rate.x.into(), rate, sizes.1),
        (after.accel.x.into(), accel, sizes.2),
    ]
}

/// Errors of angle, rate and acceleration in units of rounding, against what each exponent carries: a phase μ the rounding of k/I,
/// and a fast root, which only the acceleration shows, that of its exponent 2 a.
fn check(inertia: f32, kappa: f64, beta: f32, alpha: f32, worst: &mut [f64; 3]) {
    let phase = 1.0 + kappa.sqrt();
    let b = f64::from(alpha) + f64::from(beta) * kappa / f64::from(H * H);
    let fast = phase.max((b * f64::from(H)).min(87.0));
    for start in [Start::Angle, Start::Rate, Start::Torque] {
        let answers = step(inertia, kappa, beta, alpha, start);
        for (i, (found, exact, size)) in answers.into_iter().enumerate() {
            assert!(
                found.is_finite(),
                "{inertia} {kappa} {beta} {start:?}: {found}"
            );
            let exponent = if i == 2 { fast } else { phase };
            // Below 1e-30 single precision has no digits to lose.
            let error = (found - exact).abs() / (size.max(1e-30) * EPS * exponent);
            worst[i] = worst[i].max(error);
        }
    }
}

/// β that makes a joint of (ω h)² = κ damped by the ratio ζ.
fn beta_of(kappa: f64, zeta: f64) -> f32 {
    (2.0 * zeta * f64::from(H) / kappa.sqrt()) as f32
}

fn decades(from: i32, to: i32) -> impl Iterator<Item = f64> {
    (4 * from..=4 * to).map(|i| 10.0_f64.powf(f64::from(i) / 4.0))
}

#[test]
fn soft_and_undamped_springs_keep_their_digits() {
    let mut worst = [0.0; 3];
    for inertia in [1e-12_f32, 1e-6, 1.0, 1e4] {
        for kappa in decades(-8, 4) {
            check(inertia, kappa, 0.0, 0.0, &mut worst);
        }
    }
    println!("undamped: {worst:.1?} roundings");
    assert!(worst.iter().all(|&w| w < 8.0), "{worst:?}");
}

#[test]
fn near_critical_springs_keep_their_digits() {
    let mut worst = [0.0; 3];
    for kappa in decades(-6, 3) {
        check(1.0, kappa, beta_of(kappa, 1.0), 0.0, &mut worst);
        for exponent in 1..=7 {
            let off = 10.0_f64.powi(-exponent);
            for zeta in [1.0 - off, 1.0 + off] {
                check(1e-3, kappa, beta_of(kappa, zeta), 0.0, &mut worst);
            }
        }
    }
    println!("near critical: {worst:.1?} roundings");
    assert!(worst.iter().all(|&w| w < 8.0), "{worst:?}");
}

#[test]
fn damped_springs_keep_their_digits() {
    let mut worst = [0.0; 3];
    for inertia in [1e-12_f32, 1e-3, 1e3] {
        for kappa in decades(-6, 4) {
            for zeta in decades(-3, 4) {
                check(inertia, kappa, beta_of(kappa, zeta), 0.0, &mut worst);
            }
            for alpha in [0.1, 3.0, 100.0] {
                check(inertia, kappa, 0.0, alpha, &mut worst);
            }
        }
    }
    println!("damped: {worst:.1?} roundings");
    assert!(worst.iter().all(|&w| w < 8.0), "{worst:?}");
}

#[test]
fn no_stiffness_at_all_is_a_free_joint() {
    // κ is floored at 1e-9, which bends a free joint by less than rounding.
    let mut worst = [0.0; 3];
    for kappa in [0.0, 1e-30, 1e-12, 1e-10] {
        for (beta, alpha) in [(0.0, 0.0), (0.01, 0.0), (0.0, 2.0)] {
            check(0.02, kappa, beta, alpha, &mut worst);
        }
    }
    println!("free: {worst:.1?} roundings");
    assert!(worst[0] < 8.0, "{worst:?}");
}

#[test]
fn any_stiffness_inertia_and_damping_gives_finite_numbers() {
    for inertia in [1e-12_f32, 1e-6, 1.0, 1e4] {
        for stiffness in [0.0_f32, 1e-20, 1e-6, 1.0, 1e6, 1e12, 1e15, 1e18] {
            for beta in [0.0_f32, 1e-6, 0.01, 1.0, 1e3] {
                for torque in [0.0_f32, 1e-6, 1.0, 1e6] {
                    let joint = Joint {
                        inertia: Sym3::diagonal(V3::splat(inertia)),
                        stiffness: V3 {
                            x: stiffness,
                            y: stiffness * 1e-6,
                            z: 1.0,
                        },
                        beta,
                        alpha: 0.0,
                    };
                    let state = JointState {
                        theta: V3::splat(0.3),
                        rate: V3::splat(-2.0),
                        accel: V3::zero(),
                    };
                    let after =
                        StepMap::new(&joint, H).advance(&state, V3::zero(), V3::splat(torque));
                    let finite = after.theta.is_finite()
                        && after.rate.is_finite()
                        && after.accel.is_finite();
                    assert!(finite, "{inertia} {stiffness} {beta} {torque}: {after:?}");
                }
            }
        }
    }
}

#[test]
fn a_stiff_spring_goes_to_its_equilibrium() {
    // ω h far beyond what a step resolves: with any damping the joint rests at K⁻¹τ after the step.
    for stiffness in [1e9_f32, 1e12, 1e15] {
        let joint = Joint {
            inertia: Sym3::diagonal(V3::splat(1e-3_f32)),
            stiffness: V3::splat(stiffness),
            beta: 0.01,
            alpha: 0.0,
        };
        let state = JointState {
            theta: V3::zero(),
            rate: V3::splat(1.0),
            accel: V3::zero(),
        };
        let torque = stiffness * 0.25;
        let map = StepMap::new(&joint, H);
        let mut after = state;
        for _ in 0..30 {
            after = map.advance(&after, V3::zero(), V3::splat(torque));
        }
        assert!(
            (after.theta.x - 0.25).abs() < 1e-6,
            "{stiffness}: {after:?}"
        );
    }
}

/// However stiff, an overdamped joint creeps back by e^(−h/β) per step.
#[test]
fn a_stiff_overdamped_spring_creeps() {
    for inertia in [1e-12_f32, 1e-3] {
        for stiffness in [1e6_f32, 1e9, 1e12] {
            let joint = Joint {
                inertia: Sym3::diagonal(V3::splat(inertia)),
                stiffness: V3::splat(stiffness),
                beta: 1.0,
                alpha: 0.0,
            };
            let state = JointState {
                theta: V3::splat(0.2),
                rate: V3::zero(),
                accel: V3::zero(),
            };
            let after = StepMap::new(&joint, H).advance(&state, V3::zero(), V3::zero());
            let expected = 0.2 * (-f64::from(H)).exp();
            let error = (f64::from(after.theta.x) - expected).abs();
            assert!(error < 1e-7, "{inertia} {stiffness}: {after:?}");
        }
    }
}

#[test]
fn lanes_give_the_bits_of_scalars() {
    let number = |i: usize, salt: usize| ((i * 7 + salt * 13) % 29) as f32 / 29.0;
    let per_lane = |f: &dyn Fn(usize) -> f32| Lanes::new(core::array::from_fn(f));
    for round in 0..200 {
        let at = |lane: usize, salt: usize| number(lane + 3 * round, salt + round);
        let inertia = |l: usize| 10.0_f32.powi((round % 9) as i32 - 6) * (0.5 + at(l, 1));
        let stiffness = |l: usize| 10.0_f32.powi((l as i32 * 4) - 4 + (round % 5) as i32);
        let beta = |l: usize| 0.02 * at(l, 2) * at(l, 3);
        let joint = |l: usize| Joint {
            inertia: Sym3 {
                xx: inertia(l),
                yy: 1.3 * inertia(l),
                zz: 0.8 * inertia(l),
                xy: 0.2 * inertia(l),
                xz: -0.1 * inertia(l),
                yz: 0.3 * inertia(l),
            },
            stiffness: V3 {
                x: stiffness(l),
                y: 2.0 * stiffness(l),
                z: 0.3 * stiffness(l),
            },
            beta: beta(l),
            alpha: 0.1,
        };
        let state = |l: usize| JointState {
            theta: V3 {
                x: at(l, 4),
                y: -at(l, 5),
                z: 0.1,
            },
            rate: V3 {
                x: -3.0 * at(l, 6),
                y: at(l, 7),
                z: 0.0,
            },
            accel: V3::zero(),
        };
        let wide = Joint {
            inertia: Sym3 {
                xx: per_lane(&|l| joint(l).inertia.xx),
                yy: per_lane(&|l| joint(l).inertia.yy),
                zz: per_lane(&|l| joint(l).inertia.zz),
                xy: per_lane(&|l| joint(l).inertia.xy),
                xz: per_lane(&|l| joint(l).inertia.xz),
                yz: per_lane(&|l| joint(l).inertia.yz),
            },
            stiffness: V3 {
                x: per_lane(&|l| joint(l).stiffness.x),
                y: per_lane(&|l| joint(l).stiffness.y),
                z: per_lane(&|l| joint(l).stiffness.z),
            },
            beta: per_lane(&beta),
            alpha: Lanes::splat(0.1),
        };
        let wide_vector = |f: &dyn Fn(usize) -> V3<f32>| V3 {
            x: per_lane(&|l| f(l).x),
            y: per_lane(&|l| f(l).y),
            z: per_lane(&|l| f(l).z),
        };
        let wide_state = JointState {
            theta: wide_vector(&|l| state(l).theta),
            rate: wide_vector(&|l| state(l).rate),
            accel: V3::zero(),
        };
        let zero = V3::<Lanes>::zero();
        let after = StepMap::new(&wide, Lanes::splat(H)).advance(&wide_state, zero, zero);
        for l in 0..LANES {
            let alone = StepMap::new(&joint(l), H).advance(&state(l), V3::zero(), V3::zero());
            for (wide, alone) in [
                (after.theta, alone.theta),
                (after.rate, alone.rate),
                (after.accel, alone.accel),
            ] {
                let lane = wide.map(|c| c.to_array()[l].to_bits());
                assert_eq!(lane, alone.map(f32::to_bits), "round {round}, lane {l}");
            }
        }
    }
}
