//! (1) to (7) on trees of one to three bodies, against values worked out by hand.

use super::forces::Acting;
use super::{StemScheme, StemSettings};
use crate::desc::{BodyDesc, BodyId, Shape, TreeDesc};
use crate::forces::{BodySample, FieldForce, ForceField};
use crate::math::V3;
use crate::math::simd::Isa;
use crate::params::{GravityPose, Solver};
use crate::surroundings::Surroundings;
use crate::tree::{Tree, TreeOptions};
use glam::{Quat, Vec3};

/// Of every stem, m.
const LENGTH: f64 = 0.5;
const RADIUS: f64 = 0.01;

/// kg: 800 kg/m³ of a cylinder.
const MASS: f64 = 800.0 * core::f64::consts::PI * RADIUS * RADIUS * LENGTH;

/// m/s².
const PULL: f64 = 9.81;

fn v(x: f64, y: f64, z: f64) -> V3<f64> {
    V3 { x, y, z }
}

fn stem(parent: Option<u32>, at: Vec3, turn: Quat) -> BodyDesc {
    let shape = Shape::Segment {
        length: LENGTH as f32,
        base: RADIUS as f32,
        tip: RADIUS as f32,
    };
    BodyDesc::new(parent, shape, at, turn)
}

/// +z of a body along +x of the world.
fn level() -> Quat {
    Quat::from_rotation_y(core::f32::consts::FRAC_PI_2)
}

/// Stems in a row along +x, the first at the origin.
fn row(stems: u32) -> TreeDesc {
    let next = |k: u32| stem(Some(k - 1), Vec3::Z * LENGTH as f32, Quat::IDENTITY);
    let first = stem(None, Vec3::ZERO, level());
    TreeDesc {
        bodies: [first].into_iter().chain((1..stems).map(next)).collect(),
    }
}

/// In the pose given, with nothing that holds it there.
fn tree(desc: &TreeDesc, scheme: StemScheme, change: impl Fn(&mut StemSettings)) -> Tree {
    let mut options = TreeOptions::default();
    options.settings.solver = Solver::Contact;
    options.settings.stems.scheme = scheme;
    change(&mut options.settings.stems);
    options.params.gravity_pose = GravityPose::Unloaded;
    Tree::build(desc, options).expect("sound")
}

/// The same force on one body, N, at its centre of mass.
struct On(u32, V3<f32>);

impl ForceField for On {
    fn force(&self, _: f64, body: &BodySample) -> FieldForce {
        let force = if body.id.0 == self.0 {
            self.1
        } else {
            V3::zero()
        };
        FieldForce {
            force,
            ..FieldForce::none()
        }
    }
}

/// Air that moves with that velocity, m/s, and acts on leaves alone.
struct Blows(V3<f32>);

impl ForceField for Blows {
    fn air(&self, _: f64, _: V3<f32>) -> Option<V3<f32>> {
        Some(self.0)
    }

    fn force(&self, _: f64, _: &BodySample) -> FieldForce {
        FieldForce::none()
    }
}

fn around(pull: f64, fields: &[Box<dyn ForceField>]) -> Surroundings<'_> {
    Surroundings {
        gravity: v(0.0, -pull, 0.0).narrow(),
        fields,
        seconds: 0.0,
        blades: 1.0,
        lies_on: None,
        free: false,
        isa: Isa::Scalar,
    }
}

fn acting(tree: &Tree, pull: f64, fields: Vec<Box<dyn ForceField>>) -> Vec<Acting> {
    tree.stem_forces(&around(pull, &fields))
}

/// To single precision of the larger.
#[track_caller]
fn same(found: V3<f64>, expected: V3<f64>) {
    let off = (found - expected).length();
    let most = 2e-6 * (1.0 + expected.length());
    assert!(off < most, "{found:?}, expected {expected:?}");
}

/// (1), and what it does to a stem that lies level: at its end as printed, at its middle else.
#[test]
fn gravity_is_mass_times_g() {
    for (scheme, lever) in [
        (StemScheme::AsPrinted, LENGTH),
        (StemScheme::ClosedForm, 0.5 * LENGTH),
    ] {
        let tree = tree(&row(1), scheme, |_| {});
        let found = acting(&tree, PULL, Vec::new());
        same(found[0].force, v(0.0, -MASS * PULL, 0.0));
        same(found[0].torque, v(0.0, 0.0, -lever * MASS * PULL));
    }
}

/// F_W of a stem is the force of the field.
#[test]
fn wind_acts_on_a_stem_at_its_end_as_printed() {
    let tree = tree(&row(1), StemScheme::AsPrinted, |_| {});
    let found = acting(&tree, 0.0, vec![Box::new(On(0, v(0.0, 0.0, 3.0).narrow()))]);
    same(found[0].force, v(0.0, 0.0, 3.0));
    same(found[0].torque, v(0.0, -3.0 * LENGTH, 0.0));
}

/// (3): a stem feels K_t K_r of what acts on its child, and of its grandchild that twice; a torque as its end is pushed, as printed.
#[test]
fn transfer_is_kt_kr_of_what_acts_on_children() {
    let tree = tree(&row(3), StemScheme::AsPrinted, |s| {
        (s.transfer, s.rigidity) = (0.5, 0.8);
    });
    let wind = v(0.0, 0.0, 2.0);
    let found = acting(&tree, PULL, vec![Box::new(On(2, wind.narrow()))]);
    let weight = v(0.0, -MASS * PULL, 0.0);
    let share = 0.5 * 0.8;
    let on_last = wind + weight;
    let on_middle = weight + on_last * share;
    let on_first = weight + on_middle * share;
    same(found[2].force, on_last);
    same(found[1].force, on_middle);
    same(found[0].force, on_first);
    for (found, force) in found.iter().zip([on_first, on_middle, on_last]) {
        same(found.torque, v(LENGTH, 0.0, 0.0).cross(force));
    }
}

/// (3) with levers: of two children of a stem, each brings its own force to where it is joined, and its bending.
#[test]
fn transfer_brings_levers_and_bending_in_closed_form() {
    let aside = |turn: Quat| stem(Some(0), Vec3::Z * LENGTH as f32, turn);
    let mut desc = row(1);
    desc.bodies.push(aside(Quat::IDENTITY));
    // +z of it along +y of the world: its parent's +x is −z there.
    desc.bodies
        .push(aside(Quat::from_rotation_x(-core::f32::consts::FRAC_PI_2)));
    let tree = tree(&desc, StemScheme::ClosedForm, |s| {
        (s.transfer, s.rigidity) = (0.5, 0.8);
    });
    let wind = v(0.0, 0.0, 2.0);
    let found = acting(&tree, PULL, vec![Box::new(On(2, wind.narrow()))]);
    let (weight, half, share) = (v(0.0, -MASS * PULL, 0.0), 0.5 * LENGTH, 0.4);
    let up = tree.end_of(BodyId(2));
    same(up, v(0.0, LENGTH, 0.0));
    let bends = [v(half, 0.0, 0.0).cross(weight), (up * 0.5).cross(wind)];
    same(found[1].torque, bends[0]);
    same(found[2].torque, bends[1]);
    let passed = (weight * 2.0 + wind) * share;
    same(found[0].force, weight + passed);
    let at_fork = v(LENGTH, 0.0, 0.0).cross(passed);
    let own = v(half, 0.0, 0.0).cross(weight);
    same(
        found[0].torque,
        own + at_fork + (bends[0] + bends[1]) * share,
    );
}

/// One joint after a step.
fn stepped(tree: &mut Tree, pull: f64, fields: Vec<Box<dyn ForceField>>, h: f64) -> [V3<f64>; 2] {
    tree.stem_step(&around(pull, &fields), h);
    let (block, slot) = tree.slot(BodyId(0));
    let joint = block.joint(slot);
    [joint.theta.widen(), joint.rate.widen()]
}

/// (2), (4), (5) and (6): a rod that is bent by 0.3 rad and turns. Its end is off by the chord, whose force across it is K_r k sin θ/ℓ².
#[test]
fn a_bent_rod_springs_back_as_printed() {
    let (stiffness, rigidity, lost, h) = (0.7, 1.5, 0.2, 1e-3);
    let (bent, speed) = (0.3, 0.8);
    let mut tree = tree(&row(1), StemScheme::AsPrinted, |s| {
        (s.rigidity, s.damping) = (rigidity as f32, lost as f32);
    });
    tree.set_joint_stiffness(BodyId(0), Vec3::splat(stiffness as f32));
    tree.set_joint(BodyId(0), Vec3::X * bent as f32, Vec3::X * speed as f32);
    let [theta, rate] = stepped(&mut tree, 0.0, Vec::new(), h);
    let torque = -rigidity * stiffness * libm::sin(bent);
    let faster = speed * (1.0 - lost) + h * 3.0 * torque / (MASS * LENGTH * LENGTH);
    same(rate, v(faster, 0.0, 0.0));
    same(theta, v(bent + h * faster, 0.0, 0.0));
    // It was slowed, and springs back: neither sign is the other.
    assert!(torque < 0.0 && faster < speed);
}

/// (4) and (6): weight and wind at the end of a level rod at rest turn it by 3 τ Δt²/(m ℓ²). Turning about +y of its joint, its end goes down.
#[test]
fn weight_and_wind_turn_a_rod_as_printed() {
    let h = 1e-3;
    let mut tree = tree(&row(1), StemScheme::AsPrinted, |_| {});
    let before = tree.tip(BodyId(0));
    let wind = v(0.0, 0.0, 0.5);
    let fields: Vec<Box<dyn ForceField>> = vec![Box::new(On(0, wind.narrow()))];
    let [theta, _] = stepped(&mut tree, PULL, fields, h);
    let angle = |force: f64| 3.0 * force * LENGTH * h * h / (MASS * LENGTH * LENGTH);
    let moved = V3::from(tree.tip(BodyId(0)) - before).widen();
    let expected = v(0.0, -angle(MASS * PULL), angle(0.5)) * LENGTH;
    assert!(
        (moved - expected).length() < 0.02 * expected.length(),
        "{moved:?}"
    );
    let size = expected.length() / LENGTH;
    assert!((theta.length() - size).abs() < 1e-4 * size, "{theta:?}");
}

/// (5) whatever the step: with springs that do next to nothing, K_d of the speed is gone after 1/30 s.
#[test]
fn damping_takes_kd_of_the_speed_in_a_thirtieth_of_a_second() {
    for (lost, steps) in [(0.05, 1), (0.2, 1), (0.2, 4)] {
        let mut options = TreeOptions::default();
        options.settings.solver = Solver::Contact;
        options.settings.stems.damping = lost as f32;
        options.params.gravity_pose = GravityPose::Unloaded;
        options.params.wood.youngs_modulus = 1.0;
        let mut tree = Tree::build(&row(1), options).expect("sound");
        tree.set_joint(BodyId(0), Vec3::ZERO, Vec3::X * 0.3);
        let mut rate = V3::zero();
        for _ in 0..steps {
            let h = 1.0 / (30.0 * f64::from(steps));
            rate = stepped(&mut tree, 0.0, Vec::new(), h)[1];
        }
        let expected = 0.3 * (1.0 - lost);
        assert!((rate.x - expected).abs() < 1e-4, "{rate:?}, {expected}");
    }
}

/// (2) and (4) in closed form: where it comes to rest, K_r k θ is the torque.
#[test]
fn a_rod_rests_where_its_spring_holds_the_force() {
    let mut angles = Vec::new();
    for rigidity in [1.0, 2.0] {
        let mut tree = tree(&row(1), StemScheme::ClosedForm, |s| {
            (s.rigidity, s.damping) = (rigidity, 0.5);
        });
        let (block, slot) = tree.slot(BodyId(0));
        let stiffness = f64::from(block.model(slot).stiffness.y);
        let mut theta = V3::zero();
        for _ in 0..400 {
            let fields: Vec<Box<dyn ForceField>> =
                vec![Box::new(On(0, v(0.0, -0.4, 0.0).narrow()))];
            theta = stepped(&mut tree, 0.0, fields, 1.0 / 30.0)[0];
        }
        let expected = 0.4 * 0.5 * LENGTH / (f64::from(rigidity) * stiffness);
        let size = theta.length();
        assert!(
            (size - expected).abs() < 1e-3 * expected,
            "{size}, {expected}"
        );
        angles.push(size);
    }
    assert!((angles[0] / angles[1] - 2.0).abs() < 2e-3);
}

/// What the limit on the angle of a child does, as printed too.
#[test]
fn no_joint_turns_beyond_its_limit() {
    for scheme in [StemScheme::AsPrinted, StemScheme::ClosedForm] {
        let mut tree = tree(&row(1), scheme, |_| {});
        tree.settings.limits.angle = 0.1;
        tree.set_joint(BodyId(0), Vec3::X * 0.09, Vec3::X * 30.0);
        let [theta, rate] = stepped(&mut tree, 0.0, Vec::new(), 1e-3);
        assert!((theta.length() - 0.1).abs() < 1e-6, "{theta:?}");
        assert_eq!(rate, V3::zero());
    }
}

const LEAF: [f64; 2] = [0.2, 0.1];

/// A leaf that lies level along +x at the end of an upright stem, its upper side up.
fn leaf() -> TreeDesc {
    let upright = Quat::from_rotation_x(-core::f32::consts::FRAC_PI_2);
    let mut desc = TreeDesc {
        bodies: vec![stem(None, Vec3::ZERO, upright)],
    };
    let shape = Shape::Leaf {
        length: LEAF[0] as f32,
        width: LEAF[1] as f32,
        thickness: 3e-4,
    };
    // In the world x → −z, y → y, z → x.
    let wanted = level();
    let at = Vec3::Z * LENGTH as f32;
    desc.bodies.push(BodyDesc::new(
        Some(0),
        shape,
        at,
        upright.inverse() * wanted,
    ));
    desc
}

/// (7) by hand: five ends, each with a fifth of the blade; the midrib's normal is up, those of the four venations lean by 0.15 to the midrib. Their z in the leaf are its
/// length, and 0.28 and 0.66 of it on either side; x is a half and 0.4 of its width.
fn by_hand(coefficient: f64, wind: V3<f64>, area: f64) -> [V3<f64>; 2] {
    let [length, width] = LEAF;
    let lean = 1.0 / libm::sqrt(1.0 + 0.15 * 0.15);
    let mut sum = [V3::zero(); 2];
    let mut end = |at: V3<f64>, normal: V3<f64>| {
        let force = normal * (coefficient * 0.2 * area * wind.dot(normal));
        sum[0] += force;
        sum[1] += at.cross(force);
    };
    end(v(length, 0.0, 0.0), v(0.0, 1.0, 0.0));
    for (along, across) in [(0.28, 0.5), (0.66, 0.4)] {
        for side in [1.0, -1.0] {
            // World: along +x, across −z of the leaf's +x.
            let above = 0.15 * across * width;
            let at = v(along * length, above, -side * across * width);
            end(at, v(0.0, lean, side * 0.15 * lean));
        }
    }
    sum
}

/// (7), along the normal, across it, and aslant; the force is linear in C_W and in the wind.
#[test]
fn wind_acts_on_the_ends_of_venations() {
    let area = 0.5 * LEAF[0] * LEAF[1];
    for coefficient in [6.0, 12.0] {
        let tree = tree(&leaf(), StemScheme::ClosedForm, |s| {
            s.leaf_wind = coefficient as f32;
        });
        let (block, slot) = tree.slot(BodyId(1));
        let own = f64::from(block.model(slot).area);
        assert!((own - area).abs() < 1e-7, "{own}");
        for wind in [
            v(0.0, 4.0, 0.0),
            v(0.0, 0.0, 4.0),
            v(5.0, 0.0, 0.0),
            v(2.0, -3.0, 1.0),
        ] {
            let found = acting(&tree, 0.0, vec![Box::new(Blows(wind.narrow()))]);
            let [force, torque] = by_hand(coefficient, wind, area);
            same(found[1].force, force);
            same(found[1].torque, torque);
            // The stem that carries it feels it by (3), and no wind of its own here.
            same(found[0].force, force);
        }
    }
    // Up is up: what blows from below lifts.
    let [lifted, _] = by_hand(6.0, v(0.0, 4.0, 0.0), area);
    assert!(lifted.y > 0.9 * 6.0 * area * 4.0);
}

/// Pressures on the sides and on the end of the midrib are C_W (w·n): the same on both sides from below, and larger on the side that faces the wind.
#[test]
fn sides_of_a_blade_are_pressed_by_the_wind_across_them() {
    let tree = tree(&leaf(), StemScheme::ClosedForm, |_| {});
    let lean = 1.0 / libm::sqrt(1.0 + 0.15 * 0.15);
    let from_below = acting(&tree, 0.0, vec![Box::new(Blows(v(0.0, 4.0, 0.0).narrow()))]);
    let pressed = 6.0 * 4.0 * lean;
    same(from_below[1].pressure, v(pressed, pressed, 24.0));
    // Along the width: sides are pressed to and from the midrib, and its end not at all.
    let aside = acting(&tree, 0.0, vec![Box::new(Blows(v(0.0, 0.0, 4.0).narrow()))]);
    same(aside[1].pressure, v(pressed * 0.15, -pressed * 0.15, 0.0));
}
