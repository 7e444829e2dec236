//! The engine's step in single precision against the independent one in double precision, on random trees.
//!
//! Error of a joint: |θ − θ_reference| over the largest bend of the tree, that is the largest |θ| or |θ − θ₀| of any joint at the
//! start or the end of the step. Joints of one step do not act on each other, so when both start from the same state each
//! joint is judged by its own numbers: it counts if the condition of its inertia is below 1e4 and every mode has
//! ω h < 100 or ζ ≥ 1 %. Limits on angle and rate are not part of Eq. 1–12: joints that meet one do not count.

use crate::common::{all_finite, segment, unloaded, world_of};
use crate::reference::spring::Mode;
use crate::reference::{Reference, ReferenceLoad, Regime, widen};
use core::cell::Cell;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use treesway::glam::{Quat, Vec3};
use treesway::{
    BodyDesc, BodyId, BodyKind, GravityPose, LeafSprings, Load, Shape, Tree, TreeDesc, TreeId,
    World,
};

const STEPS: usize = 6;
const H: f64 = 1.0 / 30.0;
const MOST: f64 = 1e-3;

#[derive(Clone, Debug)]
struct Twig {
    /// Fraction of the segments so far: picks the parent.
    parent: f64,
    kind: BodyKind,
    length: f32,
    slenderness: f32,
    taper: f32,
    along: f32,
    rotation: [f32; 3],
    /// log₁₀ of N·m/rad, and how far the other two axes are from the first.
    stiffness: f32,
    spread: [f32; 2],
    theta: [f32; 3],
    rate: [f32; 3],
    /// N, and where along the body.
    force: [f32; 3],
    force_exponent: f32,
    torque: [f32; 3],
}

fn vector(size: f32) -> impl Strategy<Value = [f32; 3]> {
    [-size..size, -size..size, -size..size]
}

fn twig() -> impl Strategy<Value = Twig> {
    let kind = prop_oneof![
        6 => Just(BodyKind::Segment),
        2 => Just(BodyKind::Leaf),
        1 => Just(BodyKind::Fruit),
    ];
    let shape = (
        kind,
        -1.5_f32..0.3,
        4.0_f32..40.0,
        0.3_f32..1.0,
        0.1_f32..1.0,
    );
    let spring = (-4.0_f32..8.0, [-1.5_f32..1.5, -1.5_f32..1.5]);
    let motion = (vector(0.2), vector(2.0));
    let load = (vector(1.0), -3.0_f32..2.0, vector(0.1));
    (0.0..1.0_f64, shape, vector(2.0), spring, motion, load).prop_map(
        |(parent, (kind, length, slenderness, taper, along), rotation, spring, motion, load)| {
            Twig {
                parent,
                kind,
                length: 10.0_f32.powf(length),
                slenderness,
                taper,
                along,
                rotation,
                stiffness: spring.0,
                spread: spring.1,
                theta: motion.0,
                rate: motion.1,
                force: load.0,
                force_exponent: load.1,
                torque: load.2,
            }
        },
    )
}

#[derive(Clone, Debug)]
struct Case {
    twigs: Vec<Twig>,
    beta: f32,
    alpha: f32,
    held: bool,
    leaf_springs: LeafSprings,
}

impl Case {
    /// The same tree with the springs of leaves as in the paper, and as by default.
    fn of_both_laws(&self) -> [Self; 2] {
        [LeafSprings::Joint, LeafSprings::Leaf].map(|leaf_springs| Self {
            leaf_springs,
            ..self.clone()
        })
    }
}

fn case() -> impl Strategy<Value = Case> {
    let beta = prop_oneof![1 => Just(0.0_f32), 3 => (-5.0_f32..0.5).prop_map(|e| 10.0_f32.powf(e))];
    let alpha = prop_oneof![2 => Just(0.0_f32), 1 => 0.0_f32..5.0];
    (
        prop::collection::vec(twig(), 1..24),
        beta,
        alpha,
        any::<bool>(),
    )
        .prop_map(|(twigs, beta, alpha, held)| Case {
            twigs,
            beta,
            alpha,
            held,
            leaf_springs: LeafSprings::Joint,
        })
}

fn shape_of(twig: &Twig, root: bool) -> Shape {
    let radius = twig.length / twig.slenderness;
    match twig.kind {
        BodyKind::Leaf if !root => Shape::Leaf {
            length: 0.3 * twig.length,
            width: 0.3 * twig.length * twig.taper,
            thickness: 0.003 * twig.length,
        },
        BodyKind::Fruit if !root => Shape::Fruit {
            radius: 2.0 * radius,
            stem_length: 0.1 * twig.length,
            stem_radius: 0.2 * radius,
        },
        _ => segment(twig.length, radius, radius * twig.taper),
    }
}

fn describe(case: &Case) -> TreeDesc {
    let mut desc = TreeDesc::default();
    let mut carriers: Vec<u32> = Vec::new();
    for (i, twig) in case.twigs.iter().enumerate() {
        let rotation = Quat::from_scaled_axis(Vec3::from(twig.rotation));
        let shape = shape_of(twig, i == 0);
        let (parent, joint) = if i == 0 {
            (None, Vec3::new(0.3, 0.1, -0.2))
        } else {
            let parent = carriers[(twig.parent * carriers.len() as f64) as usize];
            let Shape::Segment { length, .. } = desc.bodies[parent as usize].shape else {
                unreachable!("only segments carry");
            };
            (Some(parent), Vec3::Z * length * twig.along)
        };
        if shape.kind() == BodyKind::Segment {
            carriers.push(i as u32);
        }
        desc.bodies
            .push(BodyDesc::new(parent, shape, joint, rotation));
    }
    desc
}

/// The tree of a case in its random state, with loads on it.
fn world(case: &Case) -> (World, Vec<ReferenceLoad>) {
    let mut options = unloaded();
    if case.held {
        options.params.gravity_pose = GravityPose::Held;
    }
    options.params.wood.damping_beta = case.beta;
    options.params.leaf.damping_beta = case.beta;
    options.params.fruit.damping_beta = case.beta;
    options.params.rayleigh_alpha = case.alpha;
    options.settings.leaf_springs = case.leaf_springs;
    let mut world = world_of(&describe(case), options);
    let tree = world.tree_mut(TreeId(0));
    let mut loads = Vec::new();
    for (i, twig) in case.twigs.iter().enumerate() {
        let id = BodyId(i as u32);
        let bend = 10.0_f32.powf(twig.stiffness);
        let stiffness = Vec3::new(
            bend,
            bend * 10.0_f32.powf(twig.spread[0]),
            bend * 10.0_f32.powf(twig.spread[1]),
        );
        tree.set_joint_stiffness(id, stiffness);
        tree.set_joint(id, twig.theta.into(), twig.rate.into());
        let size = 10.0_f32.powf(twig.force_exponent);
        let load = Load {
            torque: Vec3::from(twig.torque) * size,
            ..Load::force(
                id,
                Vec3::Z * 0.3 * twig.length,
                Vec3::from(twig.force) * size,
            )
        }
        .held();
        tree.add_load(load);
        loads.push(ReferenceLoad {
            body: i,
            point: widen(load.point_in_body),
            force: widen(load.force),
            torque: widen(load.torque),
        });
    }
    tree.settle_world();
    (world, loads)
}

fn counts(regime: &Regime) -> bool {
    regime.condition < 1e4
        && regime
            .modes
            .iter()
            .all(|m| m.omega_h < 100.0 || m.zeta >= 0.01)
}

fn largest_bend(reference: &Reference) -> f64 {
    reference
        .bodies
        .iter()
        .map(|b| b.bend())
        .fold(0.0, f64::max)
}

/// Within the joint limits, with a margin for rounding.
fn within_limits(tree: &Tree, reference: &Reference, i: usize) -> bool {
    let (limits, joint) = (&tree.settings().limits, &reference.bodies[i]);
    joint.theta.norm() < 0.999 * f64::from(limits.angle)
        && joint.rate.norm() < 0.999 * f64::from(limits.rate)
}

/// The same trees in every run; the soak below tries others.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

/// What single precision leaves of a step at worst: an inertia summed in it carries ε of its largest entry, that is ε · condition of the smallest
/// eigenvalue and half of that of the frequency, so the phase ω h, of which e^(−ζ ω h) is left.
fn rounding(regime: &Regime) -> f64 {
    let phase = |m: &Mode| m.omega_h * (-m.zeta * m.omega_h).exp();
    let largest = regime.modes.iter().map(phase).fold(0.0, f64::max);
    f64::from(f32::EPSILON) * regime.condition * largest
}

/// Joint by joint, from the same state, over several steps; `most` is the error allowed. Returns how many joints were judged, and
/// how many of them were off by more than [`MOST`].
fn one_step_agrees(
    case: &Case,
    most: impl Fn(&Regime) -> f64,
) -> Result<(usize, usize), TestCaseError> {
    let (mut judged, mut beyond) = (0, 0);
    let (mut world, loads) = world(case);
    for _ in 0..STEPS {
        let mut reference = Reference::of(&world.trees()[0], world.gravity);
        let before = largest_bend(&reference);
        let regimes = reference.step(H, &loads);
        prop_assert_eq!(world.step().healed, 0);
        let tree = &world.trees()[0];
        prop_assert!(all_finite(tree));
        let largest = largest_bend(&reference).min(3.0).max(before);
        for (i, regime) in regimes.iter().enumerate() {
            let found = widen(tree.body(BodyId(i as u32)).theta);
            let expected = reference.bodies[i].theta;
            prop_assert!(found.norm() < 1.6, "joint {i} bent by {}", found.norm());
            if counts(regime) && within_limits(tree, &reference, i) {
                let error = (found - expected).norm() / largest;
                judged += 1;
                beyond += usize::from(error >= MOST);
                prop_assert!(
                    error < most(regime),
                    "joint {i} off by {error:.2e} of {largest:.2e} rad: {found} not {expected}, {regime:?}"
                );
            }
        }
    }
    Ok((judged, beyond))
}

/// Rounding of an inertia shifts the phase of the next step by ω h times the condition: what is compared over several steps must be
/// far from the edge of what one step resolves.
fn well_resolved(regime: &Regime) -> bool {
    regime.condition < 1e3
        && regime
            .modes
            .iter()
            .all(|m| m.omega_h < 10.0 || m.zeta >= 0.3)
}

/// The whole tree, each with its own state, as long as all its joints are well resolved; each step may add `more` of its worst joint to the
/// error allowed.
fn motion_agrees(case: &Case, more: impl Fn(&Regime) -> f64) -> Result<usize, TestCaseError> {
    let mut added = 0.0;
    let (mut world, loads) = world(case);
    let mut reference = Reference::of(&world.trees()[0], world.gravity);
    let mut largest = largest_bend(&reference);
    for step in 0..STEPS {
        let regimes = reference.step(H, &loads);
        world.step();
        let tree = &world.trees()[0];
        let all = 0..reference.bodies.len();
        if !(regimes.iter().all(well_resolved)
            && all.clone().all(|i| within_limits(tree, &reference, i)))
        {
            return Ok(step);
        }
        largest = largest.max(largest_bend(&reference));
        added += regimes.iter().map(&more).fold(0.0, f64::max);
        let most = MOST.max(added);

        let size = reference
            .bodies
            .iter()
            .map(|b| b.x.norm())
            .fold(0.0, f64::max);
        // A motion that has died out leaves the rounding of a bend per step; a velocity is off by ω h, up to 10, times its angle.
        let fastest = reference
            .bodies
            .iter()
            .map(|b| b.v.norm())
            .fold(largest * size / H, f64::max);
        for i in all {
            let (body, exact) = (tree.body(BodyId(i as u32)), &reference.bodies[i]);
            let error = (widen(body.theta) - exact.theta).norm() / largest;
            prop_assert!(
                error < most,
                "joint {i}, step {step}: off by {error:.2e} of {largest:.2e} rad"
            );
            let com = body.pose.point(body.com_in_body);
            let apart = (widen(com) - exact.x).norm() / size;
            prop_assert!(
                apart < most * largest.max(1e-2),
                "body {i}, step {step}: {apart:.2e} of the size apart"
            );
            let speed = (widen(body.velocity) - exact.v).norm() / fastest;
            prop_assert!(
                speed < 10.0 * most,
                "body {i}, step {step}: velocity off by {speed:.2e}"
            );
        }
    }
    Ok(STEPS)
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn one_step_agrees_with_the_reference(case in case()) {
        for case in case.of_both_laws() {
            one_step_agrees(&case, |_| MOST)?;
        }
    }

    #[test]
    fn motion_agrees_with_the_reference(case in case()) {
        for case in case.of_both_laws() {
            motion_agrees(&case, |_| 0.0)?;
        }
    }
}

/// Among hundreds of thousands of trees a few joints turn up whose undamped, thin axis has both a condition of hundreds and a phase near
/// 100 rad; there single precision itself leaves more than [`MOST`].
#[test]
#[ignore = "soak: cargo xtask soak"]
fn any_random_tree_agrees_with_the_reference() {
    let config = ProptestConfig {
        rng_seed: RngSeed::Random,
        ..config(200_000)
    };
    let sum = Cell::new((0, 0));
    let outcome = TestRunner::new(config).run(&case(), |case| {
        for case in case.of_both_laws() {
            let (judged, beyond) = one_step_agrees(&case, |regime| rounding(regime).max(MOST))?;
            sum.set((sum.get().0 + judged, sum.get().1 + beyond));
            motion_agrees(&case, rounding)?;
        }
        Ok(())
    });
    let (judged, beyond) = sum.get();
    println!("{beyond} of {judged} joints were off by more than {MOST:e}");
    outcome.unwrap_or_else(|e| panic!("{e}"));
}
