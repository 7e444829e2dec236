//! Where responses point by the cases of the paper (`directions = "cases"`), seen from outside: by which way joints are pushed in a frame with contacts, against the
//! same frame without.
//!
//! A force d at a point that is `lever` from the joint of a leaf pushes its θ along lever × d. Fixtures are such that d of the case is far from the line between the nearest points, which
//! the engine falls back to where the case would press both into each other: a sign that is wrong anywhere on the way turns the push by tens of degrees.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{axes, placed, segment, unloaded, upright, world_of};
use treesway::elements::{Elements, LeafPattern};
use treesway::glam::{Quat, Vec3};
use treesway::{BodyDesc, BodyId, ResponseDirections, Shape, StepReport, TreeDesc, TreeId};

const TREE: TreeId = TreeId(0);

/// Of all stems, m.
const RADIUS: f32 = 0.008;

/// Length and width of leaves, m.
const LEAF: [f32; 2] = [0.1, 0.06];

/// Between two when they start, m: beyond the gap of half a millimetre.
const APART: f32 = 0.0008;

/// As far as a push may be off, rad: joints have turned a little where it acts.
const OFF: f32 = 0.1;

fn leaf() -> Shape {
    Shape::Leaf {
        length: LEAF[0],
        width: LEAF[1],
        thickness: 3e-4,
    }
}

fn root() -> BodyDesc {
    let mut root = BodyDesc::new(None, segment(0.6, 0.02, 0.02), Vec3::ZERO, upright());
    root.branch = 0;
    root
}

const ROOT: (u32, Vec3) = (0, Vec3::ZERO);

/// What contacts do in one frame.
struct Pushed {
    report: StepReport,
    /// By what the joint of each body is turned, rad, in the world.
    turns: Vec<Vec3>,
    /// Of the middle of each blade in the frame without contacts, m.
    ways: Vec<Vec3>,
}

/// One frame from the given pose with these rates, rad/s, in the world.
fn pushed(desc: &TreeDesc, rates: &[(u32, Vec3)]) -> Pushed {
    let frame = |apart: bool| {
        let mut options = unloaded();
        options.params.wood.youngs_modulus = 3e7;
        options.settings.self_contact.enabled = Some(apart);
        options.settings.self_contact.directions = ResponseDirections::Cases;
        let mut world = world_of(desc, options);
        world.gravity = Vec3::ZERO;
        world.set_frame_secs(1.0 / 60.0);
        let tree = world.tree_mut(TREE);
        for &(id, rate) in rates {
            let joint = tree.pose(BodyId(id)).rotation;
            tree.set_joint(BodyId(id), Vec3::ZERO, joint.inverse() * rate);
        }
        let rest: Vec<Quat> = tree.ids().map(|id| tree.pose(id).rotation).collect();
        let report = world.step();
        (world, rest, report)
    };
    let (free, _, _) = frame(false);
    let (held, rest, report) = frame(true);
    let (free, held) = (free.tree(TREE), held.tree(TREE));
    let turns = held.ids().map(|id| {
        let turn = held.body(id).theta - free.body(id).theta;
        rest[id.index()] * turn
    });
    let elements = Elements::new(desc, &LeafPattern::default());
    let mut end = Vec::new();
    elements.pose_of_tree(free, &mut end);
    let ways = (0..elements.len()).map(|e| {
        let own = elements.points_of(e);
        let n = own.len() as f32 - 1.0;
        let way = |p: usize| Vec3::from((end[p] - elements.rest()[p]).narrow());
        (own.start + 1..own.end).map(way).sum::<Vec3>() / n
    });
    Pushed {
        turns: turns.collect(),
        ways: ways.collect(),
        report,
    }
}

#[track_caller]
fn points(found: Vec3, expected: Vec3) {
    let off = found.angle_between(expected);
    assert!(
        found.length() > 1e-4 && off < OFF,
        "{found} is {off} rad off {expected}"
    );
}

/// Two stems that cross, one above the other, which comes down on it: on the upper one up, on the lower one down, along their nearest points.
#[test]
fn stems_part_along_their_nearest_points() {
    let along_x = axes(Vec3::Y, Vec3::Z, Vec3::X);
    let along_z = Quat::IDENTITY;
    let high = 0.5 + 2.0 * RADIUS + APART;
    let stem = |length| segment(length, RADIUS, RADIUS);
    let (low_from, high_from) = (Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.0, high, 0.0));
    let (low_to, high_to) = (low_from + Vec3::X * 0.3, high_from + Vec3::Z * 0.3);
    let (zero, from) = ROOT;
    let ground = (zero, from, upright());
    for upper_first in [false, true] {
        let mut bodies = vec![root()];
        let first = [
            placed(ground, stem(0.3), low_from, along_x, 1),
            placed(ground, stem(0.3), high_from, along_z, 2),
        ];
        bodies.extend(first);
        let lower = placed((1, low_from, along_x), stem(0.4), low_to, along_z, 3);
        let upper = placed((2, high_from, along_z), stem(0.4), high_to, along_x, 4);
        bodies.extend(if upper_first {
            [upper, lower]
        } else {
            [lower, upper]
        });
        let (upper, lower) = if upper_first { (3, 4) } else { (4, 3) };
        let found = pushed(&TreeDesc { bodies }, &[(upper, -Vec3::Z * 0.4)]);
        assert!(found.report.touching == 1 && found.report.returned == 0);
        points(found.turns[upper as usize], Vec3::X.cross(Vec3::Y));
        points(found.turns[lower as usize], Vec3::Z.cross(-Vec3::Y));
    }
}

/// A leaf whose edge comes down on a branch, or up to it: it is sent off along its normal, away from the side on which the stems of the branch lie. Along the nearest points would be straight up or down,
/// 50 degrees from that.
#[test]
fn leaf_goes_along_its_normal_off_the_side_of_the_branch() {
    let (sin, cos) = 50.0_f32.to_radians().sin_cos();
    let [length, width] = LEAF;
    for above in [true, false] {
        for leaf_first in [false, true] {
            let side = if above { -1.0 } else { 1.0 };
            let normal = Vec3::new(side * sin, cos, 0.0);
            let turn = axes(normal.cross(Vec3::Z), normal, Vec3::Z);
            // The end of the first venation of the side of −x is nearest to the branch, whose axis it is above or below.
            let edge = turn * Vec3::new(-0.5 * width, 0.075 * width, 0.28 * length);
            let off = if above {
                RADIUS + APART
            } else {
                -RADIUS - APART
            };
            let joint = Vec3::new(0.1, 0.5 + off - edge.y, -edge.z);
            let ground = (0, Vec3::ZERO, upright());
            let blade = placed(ground, leaf(), joint, turn, 2);
            let along_x = axes(Vec3::Y, Vec3::Z, Vec3::X);
            let stem = segment(0.3, RADIUS, RADIUS);
            let first_stem = if leaf_first { 2 } else { 1 };
            let at = |k: u32| Vec3::new(0.3 * k as f32, 0.5, 0.0);
            let stems = (0..3).map(|k| {
                let parent = match k {
                    0 => ground,
                    _ => (first_stem + k - 1, at(k - 1), along_x),
                };
                placed(parent, stem, at(k), along_x, 1)
            });
            let mut bodies = vec![root()];
            if leaf_first {
                bodies.push(blade);
                bodies.extend(stems);
            } else {
                bodies.extend(stems);
                bodies.push(blade);
            }
            let id = if leaf_first { 1 } else { 4 };
            // It flaps against its normal where it is above, and along it where it is below.
            let flap = turn * Vec3::X * if above { 4.0 } else { -4.0 };
            let found = pushed(&TreeDesc { bodies }, &[(id, flap)]);
            assert!(found.report.touching >= 1 && found.report.returned == 0);
            let force = if above { normal } else { -normal };
            points(found.turns[id as usize], Vec3::Z.cross(force));
        }
    }
}

/// Two leaves that lie level along +z, one over the other, with these rates: (8) by hand.
fn leaf_on_leaf(lower: Vec3, upper: Vec3, v1: impl Fn(Vec3, Vec3) -> Vec3) {
    for upper_first in [false, true] {
        let joint = |y: f32| Vec3::new(0.1, y, 0.0);
        let ground = (0, Vec3::ZERO, upright());
        let [low, high] =
            [0.5, 0.5 + 1.5 * APART].map(|y| placed(ground, leaf(), joint(y), Quat::IDENTITY, -1));
        let mut bodies = vec![root()];
        bodies.extend(if upper_first {
            [high, low]
        } else {
            [low, high]
        });
        let (a, b) = if upper_first { (2, 1) } else { (1, 2) };
        let found = pushed(&TreeDesc { bodies }, &[(a, lower), (b, upper)]);
        assert!(found.report.touching >= 1 && found.report.returned == 0);
        let [way_a, way_b] = [a, b].map(|id| found.ways[id as usize]);
        // Of the force on the upper one: V₂ is up, off the lower.
        let force = (v1(way_a, way_b) + Vec3::Y).normalize();
        let from_upright = force.angle_between(Vec3::Y);
        assert!(from_upright > 0.4, "the nearest points would say the same");
        points(found.turns[b as usize], Vec3::Z.cross(force));
        points(found.turns[a as usize], Vec3::Z.cross(-force));
    }
}

/// Rates that send a leaf along +z up, and aside to +x, rad/s.
fn rate(up: f32, aside: f32) -> Vec3 {
    Vec3::new(-up, aside, 0.0)
}

/// The lower one is faster: V₁ on the upper is along its motion, and against it on itself.
#[test]
fn chasing_leaf_is_held_back_and_drives_the_other() {
    leaf_on_leaf(rate(4.0, 6.0), rate(1.0, 0.5), |a, b| {
        assert!(a.dot(b) > 0.0 && a.length() > b.length());
        a.normalize()
    });
}

/// The upper one is faster: V₁ on it is against its own motion.
#[test]
fn chased_from_above_it_is_the_upper_leaf_that_is_held_back() {
    leaf_on_leaf(rate(-1.0, -0.5), rate(-4.0, -6.0), |a, b| {
        assert!(a.dot(b) > 0.0 && a.length() < b.length());
        -b.normalize()
    });
}

/// They run into each other: both go back the way they came.
#[test]
fn opposing_leaves_both_go_back() {
    leaf_on_leaf(rate(2.0, 4.0), rate(-2.0, -3.0), |a, b| {
        assert!(a.dot(b) < 0.0);
        (a - b).normalize()
    });
}
