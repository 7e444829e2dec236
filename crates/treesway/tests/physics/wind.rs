//! Drag of a uniform wind.

use crate::common::{all_finite, analytic, run, segment, trees, unloaded, world_of};
use treesway::glam::Vec3;
use treesway::{
    BodyDesc, BodyId, BodyKind, LeafSprings, Shape, StepReport, TreeDesc, TreeId, TreeOptions,
    Wind, WindSettings, World,
};

const TREE: TreeId = TreeId(0);

fn in_wind(desc: &TreeDesc, options: TreeOptions, velocity: Vec3) -> World {
    let mut world = world_of(desc, options);
    world.fields.push(Box::new(Wind::steady(velocity)));
    world
}

/// One clamped segment: k θ = κ ρ A (v cos θ)² · ℓ_com, the drag being across the branch.
#[test]
fn steady_wind_bends_a_segment_to_its_balance() {
    let mut options = unloaded();
    options.params.multipliers.branch_damping = 20.0;
    let shape = segment(2.0, 0.03, 0.02);
    let mut world = in_wind(
        &trees::single(shape, trees::upright()),
        options,
        Vec3::X * 12.0,
    );
    world.gravity = Vec3::ZERO;
    world
        .tree_mut(TREE)
        .set_joint_stiffness(BodyId(0), Vec3::splat(20.0));
    assert_eq!(run(&mut world, 900).healed, 0);
    let body = world.tree(TREE).body(BodyId(0));
    let (theta, arm) = (
        f64::from(body.theta.length()),
        f64::from(body.com_in_body.z),
    );
    let across = 12.0 * theta.cos();
    let torque = 0.5 * 1.225 * 2.0 * (0.03 + 0.02) * across * across * arm;
    println!("bent by {theta:.4} rad, balance {:.4} rad", torque / 20.0);
    assert!(
        (theta - torque / 20.0).abs() < 1e-5,
        "{theta} {}",
        torque / 20.0
    );
    assert!(
        body.pose.rotation.mul_vec3(Vec3::Z).x > 0.0,
        "it bends downwind"
    );
}

#[test]
fn drag_feedback_does_not_change_the_steady_bend() {
    let bend = |feedback: f32| {
        let mut options = unloaded();
        options.settings.drag_feedback = feedback;
        options.params.multipliers.branch_damping = 20.0;
        let mut world = in_wind(&trees::pole(10, 3.0, 0.02, 0.01), options, Vec3::X * 8.0);
        run(&mut world, 1800);
        world.tree(TREE).tip(BodyId(9))
    };
    let (without, with) = (bend(0.0), bend(1.0));
    assert!(without.x > 1e-3);
    assert!(
        without.distance(with) < 1e-4 * without.x,
        "{without} {with}"
    );
}

/// The speed of the wood, m/s, in the first and in the last ten seconds, and all reports.
struct Storm {
    report: StepReport,
    first: f32,
    last: f32,
}

fn storm(desc: &TreeDesc, options: TreeOptions, speed: f32, seconds: usize) -> Storm {
    let mut world = in_wind(desc, options, Vec3::new(speed, 0.0, 0.3 * speed));
    let mut report = StepReport::default();
    let mut fastest = |world: &mut World| {
        let mut fastest = 0.0_f32;
        for _ in 0..300 {
            report += world.step();
            let tree = world.tree(TREE);
            assert!(all_finite(tree));
            let wood = tree.ids().map(|id| tree.body(id));
            fastest = wood
                .filter(|b| b.kind == BodyKind::Segment)
                .fold(fastest, |f, b| f.max(b.velocity.length()));
        }
        fastest
    };
    let first = fastest(&mut world);
    run(&mut world, 30 * (seconds - 20));
    let last = fastest(&mut world);
    assert_eq!(report.healed, 0);
    Storm {
        report,
        first,
        last,
    }
}

fn with_feedback(feedback: f32) -> TreeOptions {
    let mut options = analytic();
    options.settings.drag_feedback = feedback;
    options
}

const LEAF: Shape = Shape::Leaf {
    length: 0.1,
    width: 0.08,
    thickness: 0.0003,
};

/// A pole of `n` segments with six leaves on each, broadside to x.
fn leafy_pole(n: u32) -> TreeDesc {
    let (length, radius) = (4.0 / n as f32, 0.04);
    let mut desc = trees::leafy_chain(n, segment(length, radius, radius), length, LEAF);
    // +y of the leaf, its normal, along +x of the segment.
    let broadside = trees::exactly(treesway::math::V3 {
        x: 0.0,
        y: 0.0,
        z: -core::f64::consts::FRAC_PI_2,
    });
    for segment in 0..n {
        for _ in 0..240 / n {
            let middle = Vec3::Z * 0.5 * length;
            desc.bodies
                .push(BodyDesc::new(Some(segment), LEAF, middle, broadside));
        }
    }
    desc
}

/// Leaves as stiff as boards, so that all feedback is on the wood, which has a tenth of its usual damping. If each joint took away the
/// whole velocity of what it carries, as full feedback without the limit does, long chains would shake more and more.
#[test]
fn limited_drag_feedback_lets_chains_of_any_length_come_to_rest() {
    for n in [5, 10, 20, 40] {
        for feedback in [0.0, 0.1, 1.0] {
            let mut options = with_feedback(feedback);
            options.params.multipliers.branch_damping = 0.1;
            options.params.multipliers.leaf_stiffness = 1e4;
            let storm = storm(&leafy_pole(n), options, 30.0, 60);
            println!(
                "{n} segments, feedback {feedback}: wood at {:.3}, then {:.5} m/s",
                storm.first, storm.last
            );
            assert!(storm.last < 1e-3 * storm.first, "{n} segments, {feedback}");
        }
    }
}

/// A hurricane of 60 m/s on long chains that end in a leaf. The leaf is blown from one joint limit to the other: its torque, frozen over a step,
/// does not know that a leaf along the wind feels none. The wood must not mind.
#[test]
fn hurricane_does_not_shake_chains_that_end_in_a_leaf() {
    for n in [5, 20, 40] {
        let chain = trees::leafy_chain(n, segment(0.1, 0.05, 0.05), 0.1, LEAF);
        let storm = storm(&chain, with_feedback(1.0), 60.0, 60);
        println!(
            "{n} segments: wood at {:.3} m/s, {:.2} joints at a limit per step",
            storm.last,
            storm.report.limited as f64 / storm.report.steps as f64
        );
        assert!(storm.last < 0.5, "{n} segments: {} m/s", storm.last);
    }
}

#[test]
fn tree_survives_any_wind() {
    let desc = trees::random_tree(10_000, 3);
    for (speed, most) in [(2.0, 0.2), (10.0, 3.0), (60.0, f32::INFINITY)] {
        let storm = storm(&desc, with_feedback(1.0), speed, 20);
        let limited = storm.report.limited as f64 / storm.report.bodies as f64;
        println!(
            "wind of {speed} m/s: wood at {:.3} m/s, {:.0} % of the bodies at a limit",
            storm.last,
            100.0 * limited
        );
        assert!(storm.last < most, "{speed} m/s: {}", storm.last);
    }
}

/// Root mean squares of the angles and rates of all leaves of a tree in gusts of 8 m/s, rad and rad/s, after five seconds.
fn restlessness(options: TreeOptions) -> [f64; 2] {
    let mut world = world_of(&trees::random_tree(5000, 3), options);
    let settings = WindSettings {
        velocity: Vec3::new(8.0, 0.0, 0.0),
        ..WindSettings::default()
    };
    let wind = Wind::new(settings).expect("the wind is valid");
    world.fields.push(Box::new(wind));
    run(&mut world, 150);
    let (mut sums, mut count) = ([0.0, 0.0], 0.0);
    for _ in 0..30 {
        run(&mut world, 5);
        let tree = world.tree(TREE);
        for body in tree.ids().map(|id| tree.body(id)) {
            if body.kind == BodyKind::Leaf {
                sums[0] += f64::from(body.theta.length_squared());
                sums[1] += f64::from(body.theta_rate.length_squared());
                count += 1.0;
            }
        }
    }
    sums.map(|sum: f64| (sum / count).sqrt())
}

/// Springs along the joint's axes drive bent leaves round, those along the leaf's own do not. The angle is taken at the start of a step by one
/// solver and at its end by the other, so that they agree in kind, not in figures.
#[test]
fn bent_leaves_move_as_coupled_ones_do() {
    let with = |springs| {
        let mut options = analytic();
        options.settings.leaf_springs = springs;
        restlessness(options)
    };
    let [own, joint] = [LeafSprings::Leaf, LeafSprings::Joint].map(with);
    let coupled = restlessness(TreeOptions::default());
    println!("rms rad and rad/s: own {own:?}, joint {joint:?}, coupled {coupled:?}");
    assert!((own[0] / coupled[0] - 1.0).abs() < 0.25, "bent as far");
    assert!(own[1] < 2.0 * coupled[1], "as calm");
    assert!(own[1] < 0.5 * joint[1], "calmer than along the joint");
}
