//! What cannot be a tree is refused with a message that names the body and the fix.

use crate::common::{segment, trees};
use treesway::glam::{Quat, Vec3};
use treesway::{
    Attachment, BodyDesc, BodyId, Branch, BuildError, Curves, CutOptions, Fruit, Leaf, Override,
    Shape, Skeleton, Solid, Tree, TreeDesc, TreeOptions, cut, next_segment,
};

fn chain() -> TreeDesc {
    let shape = segment(0.5, 0.03, 0.02);
    let mut desc = trees::single(shape, trees::upright());
    desc.bodies.push(next_segment(0, 0.5, shape));
    desc.bodies.push(next_segment(1, 0.5, shape));
    desc
}

/// The message for a chain of three bodies with one change; it must hold all the given words.
fn refused(change: impl Fn(&mut Vec<BodyDesc>), words: &[&str]) {
    let mut desc = chain();
    change(&mut desc.bodies);
    says(Tree::build(&desc, TreeOptions::default()).err(), words);
}

fn says(error: Option<BuildError>, words: &[&str]) {
    let message = error.expect("it should have been refused").to_string();
    for word in words {
        assert!(message.contains(word), "{message:?} does not say {word:?}");
    }
}

#[test]
fn wrong_hierarchies_are_refused() {
    refused(|b| b.clear(), &["no bodies", "root"]);
    refused(
        |b| b[0].parent = Some(1),
        &["body 0", "parent 1", "must have none"],
    );
    refused(
        |b| b[2].parent = None,
        &["body 2", "second root", "give it a parent"],
    );
    // 1 → 2 → 1: a cycle.
    refused(
        |b| b[1].parent = Some(2),
        &["body 1", "parent 2", "before", "cycle"],
    );
    refused(|b| b[2].parent = Some(2), &["body 2", "parent 2", "before"]);
    refused(
        |b| b[2].parent = Some(99),
        &["body 2", "parent 99", "before"],
    );
    let leaf = Shape::Leaf {
        length: 0.1,
        width: 0.05,
        thickness: 0.0003,
    };
    refused(
        |b| b[1] = BodyDesc::new(Some(0), leaf, Vec3::ZERO, Quat::IDENTITY),
        &["body 2", "body 1", "only segments"],
    );
}

#[test]
fn wrong_sizes_are_refused() {
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        refused(
            |b| b[1].shape = segment(bad, 0.1, 0.1),
            &["body 1", "length", "greater than zero"],
        );
        refused(
            |b| b[1].shape = segment(1.0, bad, 0.1),
            &["body 1", "base radius", "finite"],
        );
        refused(
            |b| b[2].shape = segment(1.0, 0.1, bad),
            &["body 2", "tip radius", "finite"],
        );
    }
    let fruit = |stem_length| Shape::Fruit {
        radius: 0.03,
        stem_length,
        stem_radius: 0.002,
    };
    refused(
        |b| b[2].shape = fruit(-0.1),
        &["body 2", "stem length", "not negative"],
    );
    let mut desc = chain();
    desc.bodies[2] = BodyDesc::new(Some(1), fruit(0.0), Vec3::ZERO, Quat::IDENTITY);
    assert!(
        Tree::build(&desc, TreeOptions::default()).is_ok(),
        "a fruit may sit on the wood"
    );
    refused(
        |b| b[1].solid = Solid::default(),
        &["body 1", "Shape::solid"],
    );
}

#[test]
fn wrong_frames_are_refused() {
    refused(
        |b| b[1].joint_in_parent.y = f32::NAN,
        &["body 1", "joint position", "finite"],
    );
    refused(
        |b| b[2].joint_rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
        &["body 2", "joint rotation"],
    );
    refused(
        |b| b[2].joint_rotation = Quat::from_xyzw(1.0, 1.0, 0.0, 0.0),
        &["body 2", "joint rotation"],
    );
}

#[test]
fn wrong_parameters_are_refused() {
    let refused = |change: &dyn Fn(&mut TreeOptions), words: &[&str]| {
        let mut options = TreeOptions::default();
        change(&mut options);
        says(Tree::build(&chain(), options).err(), words);
    };
    refused(
        &|o| o.params.wood.density = 0.0,
        &["wood.density", "greater than zero"],
    );
    refused(
        &|o| o.params.wood.youngs_modulus = f32::NAN,
        &["wood.youngs_modulus"],
    );
    refused(
        &|o| o.params.multipliers.branch_damping = -1.0,
        &["multipliers.branch_damping", "not negative"],
    );
    refused(
        &|o| o.params.rayleigh_alpha = f32::INFINITY,
        &["rayleigh_alpha"],
    );
    refused(
        &|o| o.settings.substeps = u32::MAX,
        &["substeps", "from 0 to"],
    );
    refused(&|o| o.settings.limits.angle = 4.0, &["limits.angle", "pi"]);
    refused(
        &|o| o.settings.drag_feedback = 1.5,
        &["drag_feedback", "from 0 to 1"],
    );
    refused(
        &|o| o.settings.fictitious.limit = 0.0,
        &["fictitious.limit"],
    );
    let unknown = Override {
        body: BodyId(3),
        curves: Curves::default(),
        leaf_stiffness: Vec3::ONE,
    };
    refused(
        &|o| o.params.overrides = vec![unknown.clone()],
        &["overrides[0].body", "3", "id of a body"],
    );
}

fn fork() -> Skeleton {
    let trunk = Branch::trunk([(Vec3::ZERO, 0.1), (Vec3::Y * 2.0, 0.05)]);
    let limb = |x: f32| Branch::on(0, 1.0, [(Vec3::Y, 0.04), (Vec3::new(x, 2.0, 0.0), 0.01)]);
    Skeleton {
        branches: vec![trunk, limb(1.0), limb(-1.0)],
        ..Skeleton::default()
    }
}

fn uncut(change: impl Fn(&mut Skeleton), words: &[&str]) {
    let mut skeleton = fork();
    change(&mut skeleton);
    says(cut(&skeleton, &CutOptions::default()).err(), words);
}

#[test]
fn wrong_skeletons_are_refused() {
    let on = |branch: usize| Some(Attachment { branch, along: 0.5 });
    uncut(|s| s.branches.clear(), &["no bodies"]);
    uncut(
        |s| s.branches[2].parent = None,
        &["branch 2", "second trunk", "branch 0", "parent"],
    );
    uncut(|s| s.branches[0].parent = on(1), &["no branch is a trunk"]);
    uncut(
        |s| s.branches[1].parent = on(7),
        &["branch 1", "branch 7", "below 3"],
    );
    uncut(
        |s| {
            s.branches[1].parent = on(2);
            s.branches[2].parent = on(1);
        },
        &["branch 1", "cycle", "trunk"],
    );
    uncut(|s| s.branches[2].parent = on(2), &["branch 2", "cycle"]);
    uncut(
        |s| s.branches[1].nodes.truncate(1),
        &["branch 1", "1 nodes", "at least 2"],
    );
    uncut(
        |s| s.branches[1].nodes[1].position = s.branches[1].nodes[0].position,
        &["branch 1", "nodes 0 and 1", "zero length", "remove"],
    );
    uncut(
        |s| s.branches[2].nodes[1].radius = 0.0,
        &["branch 2", "node 1", "radius 0"],
    );
    uncut(
        |s| s.branches[2].nodes[0].position.x = f32::NAN,
        &["branch 2", "node 0", "finite"],
    );
    let nowhere = Some(Attachment {
        branch: 0,
        along: f32::NAN,
    });
    uncut(
        |s| s.branches[1].parent = nowhere,
        &["branch 1", "NaN", "finite"],
    );
}

#[test]
fn wrong_leaves_fruit_and_cuts_are_refused() {
    let leaf = |branch: usize, along: f32| Leaf {
        on: Attachment { branch, along },
        position: Vec3::Y,
        rotation: Quat::IDENTITY,
        length: 0.1,
        width: 0.05,
    };
    uncut(
        |s| s.leaves = vec![leaf(1, 0.1), leaf(5, 0.1)],
        &["leaf 1", "branch 5", "below 3"],
    );
    uncut(
        |s| s.leaves = vec![leaf(1, f32::INFINITY)],
        &["leaf 0", "inf", "finite"],
    );
    let fruit = Fruit {
        on: Attachment {
            branch: 9,
            along: 0.0,
        },
        position: Vec3::Y,
        rotation: Quat::IDENTITY,
        radius: 0.03,
        stem_length: 0.02,
        stem_radius: 0.002,
    };
    uncut(|s| s.fruit = vec![fruit], &["fruit 0", "branch 9"]);
    let refuse = |options: CutOptions, words: &[&str]| says(cut(&fork(), &options).err(), words);
    let default = CutOptions::default;
    refuse(
        CutOptions {
            segment_length: 0.0,
            ..default()
        },
        &["segment_length", "greater than zero"],
    );
    refuse(
        CutOptions {
            least_segments: 0,
            ..default()
        },
        &["least_segments"],
    );
    refuse(
        CutOptions {
            least_segments: 9,
            most_segments: 3,
            ..default()
        },
        &["most_segments"],
    );
}
