//! The tree that stands in an MJCF file is the tree that was exported. MuJoCo itself is asked by `cargo xtask verify`.

use treesway::glam::{Quat, Vec3};
use treesway::{
    BodyDesc, DampingRatio, GravityPose, RootKind, Shape, Tree, TreeDesc, TreeOptions, TreeParams,
    cut, next_segment,
};
use treesway_grow::Broadleaf;
use treesway_io::mjcf::{MOST_DEPTH, MjcfError, MjcfOptions, UnevenJoints, to_mjcf};

/// G/E with which a round joint twists as stiffly as it bends.
const EQUAL: f32 = 0.5;

fn chain(segments: usize, shear_ratio: f32, root: RootKind) -> Tree {
    let shape = Shape::Segment {
        length: 0.2,
        base: 0.02,
        tip: 0.02,
    };
    let sideways = Quat::from_rotation_y(core::f32::consts::FRAC_PI_2);
    let mut bodies = vec![BodyDesc::new(None, shape, Vec3::ZERO, sideways)];
    bodies.extend((1..segments).map(|i| next_segment(i as u32 - 1, 0.2, shape)));
    let mut options = TreeOptions {
        root,
        ..TreeOptions::default()
    };
    options.params.wood.shear_ratio = shear_ratio;
    Tree::build(&TreeDesc { bodies }, options).unwrap()
}

fn export(tree: &Tree) -> String {
    to_mjcf(tree, &MjcfOptions::default()).unwrap()
}

/// Numbers of an attribute in the first element that begins so.
fn numbers(text: &str, element: &str, attribute: &str) -> Vec<f64> {
    let start = text.find(element).expect(element);
    let tag = &text[start..start + text[start..].find('>').unwrap()];
    let value = tag.split(&format!("{attribute}=\"")).nth(1).expect(tag);
    let value = value.split('"').next().unwrap();
    value
        .split(' ')
        .map(|number| number.parse().unwrap())
        .collect()
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn every_body_stands_inside_its_parent() {
    let grown = Broadleaf {
        bodies: 400,
        ..Broadleaf::default()
    }
    .grow(3)
    .unwrap();
    let desc = cut(&grown.skeleton, &grown.cut).unwrap();
    let tree = Tree::build(&desc, TreeOptions::default()).unwrap();
    let text = export(&tree);
    let mut open: Vec<u32> = Vec::new();
    let mut seen = vec![false; tree.len()];
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("<body name=\"b") {
            let id: u32 = rest.split('"').next().unwrap().parse().unwrap();
            let parent = tree.parent_of(treesway::BodyId(id)).map(|p| p.0);
            assert_eq!(parent, open.last().copied(), "body {id}");
            seen[id as usize] = true;
            open.push(id);
        } else if line == "</body>" {
            open.pop().unwrap();
        }
    }
    assert!(open.is_empty());
    assert!(seen.iter().all(|&s| s));
}

#[test]
fn springs_that_differ_become_hinges_with_their_own_stiffness() {
    let tree = chain(3, 1.0 / 16.0, RootKind::Clamped);
    let text = export(&tree);
    assert_eq!(count(&text, "type=\"hinge\""), 9);
    let body = tree.body(treesway::BodyId(1));
    for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
        let hinge = format!("<joint name=\"b1{letter}\"");
        let stiffness = numbers(&text, &hinge, "stiffness")[0];
        let damping = numbers(&text, &hinge, "damping")[0];
        let relaxed = numbers(&text, &hinge, "springref")[0];
        let k = f64::from(body.stiffness[axis]);
        assert!((stiffness / k - 1.0).abs() < 1e-6);
        assert!((damping / (k * f64::from(body.damping_beta)) - 1.0).abs() < 1e-6);
        assert!((relaxed - f64::from(body.rest_theta[axis])).abs() < 1e-9);
        assert_eq!(
            numbers(&text, &hinge, "axis"),
            Vec3::AXES[axis].as_dvec3().to_array()
        );
    }
}

#[test]
fn equal_springs_become_balls_relaxed_in_the_pose_of_the_file() {
    let tree = chain(3, EQUAL, RootKind::Clamped);
    let text = export(&tree);
    assert_eq!(count(&text, "type=\"ball\""), 3);
    // The pose of the file, turned back by the keyframe, is the given one: in line with the parent.
    let [w, x, y, z] = numbers(&text, "<body name=\"b1\"", "quat")[..] else {
        panic!("four numbers")
    };
    let relaxed = treesway::glam::DQuat::from_xyzw(x, y, z, w);
    let qpos = numbers(&text, "<key ", "qpos");
    assert_eq!(qpos.len(), 12);
    let given = treesway::glam::DQuat::from_xyzw(qpos[5], qpos[6], qpos[7], qpos[4]);
    assert!(relaxed.to_scaled_axis().length() > 1e-6, "it is bent up");
    assert!((relaxed * given).to_scaled_axis().length() < 1e-9);
}

#[test]
fn roots_are_sprung_welded_or_free() {
    let joints = |root| count(&export(&chain(2, EQUAL, root)), "<joint ");
    assert_eq!(joints(RootKind::Clamped), 2);
    assert_eq!(joints(RootKind::Rigid), 1);
    let free = export(&chain(2, EQUAL, RootKind::Free));
    assert_eq!(
        (count(&free, "<joint "), count(&free, "<freejoint ")),
        (1, 1)
    );
}

#[test]
fn what_mujoco_cannot_have_is_refused() {
    let deepest = chain(MOST_DEPTH, EQUAL, RootKind::Clamped);
    assert_eq!(count(&export(&deepest), "</body>"), MOST_DEPTH);
    let deeper = chain(MOST_DEPTH + 1, EQUAL, RootKind::Clamped);
    let error = to_mjcf(&deeper, &MjcfOptions::default()).unwrap_err();
    assert!(
        matches!(error, MjcfError::TooDeep { body: 496, .. }),
        "{error}"
    );

    let refuse = MjcfOptions {
        uneven: UnevenJoints::Refuse,
        ..MjcfOptions::default()
    };
    let error = to_mjcf(&chain(2, 1.0 / 16.0, RootKind::Clamped), &refuse).unwrap_err();
    assert!(
        matches!(error, MjcfError::Uneven { body: 0, .. }),
        "{error}"
    );
    assert!(to_mjcf(&chain(2, EQUAL, RootKind::Clamped), &refuse).is_ok());

    let mut swaying = chain(4, EQUAL, RootKind::Clamped);
    let params = TreeParams {
        damping_ratio: Some(DampingRatio {
            zeta: 0.05,
            range_hz: Some([1.0, 5.0]),
        }),
        gravity_pose: GravityPose::Unloaded,
        ..TreeParams::default()
    };
    swaying.set_params(params).unwrap();
    let error = to_mjcf(&swaying, &MjcfOptions::default()).unwrap_err();
    assert!(matches!(error, MjcfError::MassDamping(_)), "{error}");
}

#[test]
fn thin_leaves_keep_an_inertia_that_a_solid_can_have() {
    let oak = treesway_grow::species::named("oak").unwrap();
    let small = treesway_grow::Wanted {
        bodies: Some(2000),
        ..Default::default()
    };
    for grown in [
        Broadleaf::default().grow(1).unwrap(),
        oak.grow(1, &small).unwrap(),
    ] {
        let desc = cut(&grown.skeleton, &grown.cut).unwrap();
        let text = export(&Tree::build(&desc, TreeOptions::default()).unwrap());
        for line in text.lines().filter(|l| l.starts_with("<inertial")) {
            let mut moments = numbers(line, "<inertial", "diaginertia");
            moments.sort_by(f64::total_cmp);
            // To the last bit of what is written, as MuJoCo checks it.
            assert!(moments[0] + moments[1] >= moments[2], "{line}");
        }
    }
}
