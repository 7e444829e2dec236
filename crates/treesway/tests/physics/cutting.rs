//! Cutting a skeleton into bodies keeps its wood.

use crate::common::trees;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use treesway::glam::{DVec3, Vec3};
use treesway::{
    BodyId, BodyKind, Branch, CutOptions, ForkPlacement, Profile, Shape, Skeleton, Solid, Tree,
    TreeOptions, cut,
};

fn options() -> impl Strategy<Value = CutOptions> {
    let forks = prop_oneof![Just(ForkPlacement::OnJoints), Just(ForkPlacement::Along)];
    (0.05_f32..3.0, 1_u32..8, 0_u32..80, forks).prop_map(|(segment_length, least, more, forks)| {
        CutOptions {
            segment_length,
            least_segments: least,
            most_segments: least + more,
            forks,
            ..CutOptions::default()
        }
    })
}

/// Volume [m³] and length [m] of all branches.
fn wood(skeleton: &Skeleton) -> (f64, f64) {
    let mut sum = (0.0, 0.0);
    for branch in &skeleton.branches {
        for pair in branch.nodes.windows(2) {
            let length = pair[0]
                .position
                .as_dvec3()
                .distance(pair[1].position.as_dvec3());
            sum.0 += Solid::frustum(length, pair[0].radius.into(), pair[1].radius.into()).volume;
            sum.1 += length;
        }
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn cylinders_stay_cylinders(seed in 0_u64..200, options in options()) {
        let mut skeleton = trees::random_wood(seed);
        skeleton.branches.iter_mut().for_each(|b| b.profile = Profile::Stepped);
        let desc = cut(&skeleton, &options).expect("a stepped tree can be cut");
        let mut cut_volume = 0.0;
        for body in &desc.bodies {
            let Shape::Segment { length, base, tip } = body.shape else { continue };
            prop_assert_eq!(base, tip);
            cut_volume += std::f64::consts::PI * f64::from(length) * f64::from(base).powi(2);
        }
        let volume = skeleton.measure().volume;
        prop_assert!((cut_volume / volume - 1.0).abs() < 1e-6, "{cut_volume} {volume}");
    }

    #[test]
    fn cut_keeps_mass_and_length(seed in 0_u64..1000, options in options()) {
        let skeleton = trees::random_wood(seed);
        let desc = cut(&skeleton, &options).expect("a grown tree can be cut");
        let (volume, length) = wood(&skeleton);
        let cut_volume: f64 = desc.bodies.iter().map(|b| b.solid.volume).sum();
        let cut_length: f64 = desc.bodies.iter().map(|b| match b.shape {
            Shape::Segment { length, .. } => f64::from(length),
            _ => 0.0,
        }).sum();
        prop_assert!((cut_volume / volume - 1.0).abs() < 1e-9, "{cut_volume} {volume}");
        prop_assert!((cut_length / length - 1.0).abs() < 1e-6, "{cut_length} {length}");
        let tree = Tree::build(&desc, TreeOptions::default()).expect("a cut tree is valid");
        let mass: f64 = tree.ids().map(|id| f64::from(tree.body(id).mass)).sum();
        prop_assert!((mass / (800.0 * volume) - 1.0).abs() < 1e-5, "{mass}");
        // Bodies of a branch: within the given numbers.
        for b in 0..skeleton.branches.len() {
            let n = desc.bodies.iter().filter(|body| body.branch == b as i32).count() as u32;
            prop_assert!((options.least_segments..=options.most_segments).contains(&n));
        }
    }

    /// A fork grows from its place on the parent, whatever body that is on, and joints lie on the skeleton.
    #[test]
    fn forks_sit_where_they_grew(seed in 0_u64..1000, options in options()) {
        let skeleton = trees::random_wood(seed);
        let desc = cut(&skeleton, &options).expect("a grown tree can be cut");
        let tree = Tree::build(&desc, TreeOptions::default()).expect("a cut tree is valid");
        let mut seen = vec![false; skeleton.branches.len()];
        for id in tree.ids() {
            let body = tree.body(id);
            let branch = body.branch as usize;
            if !seen[branch] {
                seen[branch] = true;
                let base = skeleton.branches[branch].nodes[0].position;
                prop_assert!(body.pose.position.distance(base) < 2e-5, "{} {}", body.pose.position, base);
                if let Some(on) = skeleton.branches[branch].parent {
                    let parent = body.parent.expect("a limb has a parent");
                    prop_assert_eq!(tree.body(parent).branch as usize, on.branch);
                }
            }
        }
    }
}

#[test]
fn near_forks_move_a_joint_onto_them() {
    let trunk = Branch::trunk([(Vec3::ZERO, 0.1), (Vec3::Y * 2.0, 0.05)]);
    let limb = Branch::on(
        0,
        1.08,
        [(Vec3::Y * 1.08, 0.04), (Vec3::new(1.0, 2.0, 0.0), 0.01)],
    );
    let skeleton = Skeleton {
        branches: vec![trunk, limb],
        ..Skeleton::default()
    };
    let joints = |forks: ForkPlacement| -> Vec<f32> {
        let options = CutOptions {
            segment_length: 0.5,
            forks,
            ..CutOptions::default()
        };
        let desc = cut(&skeleton, &options).expect("a fork can be cut");
        let tree = Tree::build(&desc, TreeOptions::default()).expect("and built");
        let trunk = tree.ids().filter(|&id| tree.body(id).branch == 0);
        trunk.map(|id| tree.pose(id).position.y).collect()
    };
    let even = joints(ForkPlacement::Along);
    assert!((even[2] - 1.0).abs() < 1e-6 && even.len() == 4, "{even:?}");
    let moved = joints(ForkPlacement::OnJoints);
    assert!(
        (moved[2] - 1.08).abs() < 1e-6 && moved.len() == 4,
        "{moved:?}"
    );
}

/// Leaves: width, normal and length along x, y, z of the body, and so of its joint.
#[test]
fn leaves_keep_their_place_and_orientation() {
    let desc = trees::random_tree(4000, 2);
    let tree = Tree::build(&desc, TreeOptions::default()).expect("a grown tree is valid");
    let leaves: Vec<BodyId> = tree
        .ids()
        .filter(|&id| tree.body(id).kind == BodyKind::Leaf)
        .collect();
    assert!(leaves.len() > 100);
    for id in leaves {
        let leaf = tree.body(id);
        let parent = tree.body(leaf.parent.expect("a leaf hangs on wood"));
        assert_eq!(parent.kind, BodyKind::Segment);
        let reach = parent.pose.position.distance(leaf.pose.position);
        assert!(
            reach < 1.01 * parent.length,
            "{reach} along {}",
            parent.length
        );
        let mass = 700.0 * 0.5 * leaf.length * 2.0 * leaf.radius[0] * 0.0003;
        assert!((leaf.mass / mass - 1.0).abs() < 1e-5);
        // Flapping (x) is heavier than twisting (z): the length is along z.
        assert!(leaf.inertia.x + leaf.mass * leaf.com_in_body.z.powi(2) > leaf.inertia.z);
        let across = leaf.com_in_body.as_dvec3().cross(DVec3::Z).length();
        assert!(across < 1e-9);
    }
}

/// A scanned axis that is interrupted: the gap is a rigid link without mass, and no fork.
#[test]
fn an_interrupted_axis_goes_on_across_its_gap() {
    let y = |h: f32| Vec3::Y * h;
    let trunk = Branch::trunk([(y(0.0), 0.1), (y(1.0), 0.1)]);
    let more = Branch {
        continues: true,
        ..Branch::on(0, 1.0, [(y(1.4), 0.05), (y(2.4), 0.05)])
    };
    let skeleton = Skeleton {
        branches: vec![trunk, more],
        ..Skeleton::default()
    };
    let desc = cut(&skeleton, &CutOptions::default()).unwrap();
    let upper = desc.bodies.iter().position(|b| b.branch == 1).unwrap();
    let (below, above) = (&desc.bodies[upper - 1], &desc.bodies[upper]);
    let Shape::Segment { length, .. } = below.shape else {
        panic!("a trunk is made of segments");
    };
    assert_eq!(above.parent, Some(upper as u32 - 1));
    assert!((above.joint_in_parent.z - length - 0.4).abs() < 1e-6);
    assert!((above.along_parent - length).abs() < 1e-6);
    assert_eq!(above.from_fork, f32::INFINITY);
    let total: f64 = desc.bodies.iter().map(|b| b.solid.volume).sum();
    let want = std::f64::consts::PI * (0.01 + 0.0025);
    assert!((total / want - 1.0).abs() < 1e-6, "{total} {want}");
}
