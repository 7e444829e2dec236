//! Elements of small trees: where their points are, and what is exempt.

use treesway::elements::*;
use treesway::glam::{Quat, Vec3};
use treesway::math::V3;
use treesway::{Attachment, Branch, CutOptions, Leaf, Skeleton, Tree, TreeDesc, TreeOptions, cut};

fn bodies(branches: Vec<Branch>, leaves: Vec<Leaf>, segment_length: f32) -> TreeDesc {
    let skeleton = Skeleton {
        branches,
        leaves,
        fruit: Vec::new(),
    };
    let options = CutOptions {
        segment_length,
        ..CutOptions::default()
    };
    cut(&skeleton, &options).expect("a sound skeleton")
}

fn leaf(along: f32, position: Vec3) -> Leaf {
    Leaf {
        on: Attachment { branch: 0, along },
        position,
        // z along +x, y up.
        rotation: Quat::from_rotation_y(core::f32::consts::FRAC_PI_2),
        length: 0.1,
        width: 0.06,
    }
}

fn elements(desc: &TreeDesc) -> Elements {
    Elements::new(desc, &LeafPattern::default())
}

fn found(elements: &Elements) -> Vec<(Part, Part)> {
    intersecting_pairs(elements, elements.rest())
}

fn trunk() -> Branch {
    Branch::trunk([(Vec3::ZERO, 0.02), (Vec3::Y, 0.02)])
}

#[test]
fn a_leaf_has_a_base_stem_from_wood_to_blade_and_triangles_that_face_up() {
    let desc = bodies(
        vec![trunk()],
        vec![leaf(0.5, Vec3::new(0.05, 0.5, 0.0))],
        1.0,
    );
    let elements = elements(&desc);
    let own = &elements.rest()[elements.points_of(1)];
    let expected = [[0.0, 0.5, 0.0], [0.05, 0.5, 0.0], [0.15, 0.5, 0.0]];
    for (p, [x, y, z]) in own.iter().zip(expected) {
        assert!((*p - V3 { x, y, z }).length() < 1e-6, "{p:?}");
    }
    assert_eq!(own.len(), LeafPattern::default().points());
    let normal = elements.leaf_normal(elements.rest(), 1);
    assert!((normal.y - 1.0).abs() < 1e-6, "{normal:?}");
    let Shape::Blade(blade) = elements.shape(elements.rest(), Part::blade(1)) else {
        panic!("a blade is made of triangles");
    };
    assert_eq!(blade.triangles().count(), 4);
    for [a, b, c] in blade.triangles() {
        assert!((b - a).cross(c - a).y > 0.0);
    }
    assert_eq!(found(&elements), []);
}

#[test]
fn the_pose_of_a_tree_is_that_of_its_bodies() {
    let desc = bodies(
        vec![trunk()],
        vec![leaf(0.5, Vec3::new(0.05, 0.5, 0.0))],
        0.25,
    );
    let elements = elements(&desc);
    let tree = Tree::build(&desc, TreeOptions::default()).expect("a sound tree");
    let mut points = Vec::new();
    elements.pose_of_tree(&tree, &mut points);
    for (p, q) in points.iter().zip(elements.rest()) {
        assert!((*p - *q).length() < 1e-6, "{p:?} {q:?}");
    }
}

#[test]
fn planted_intersections_are_found() {
    // A branch that leaves the trunk, comes back and goes through it.
    let back = [
        (Vec3::new(0.0, 0.2, 0.0), 0.01),
        (Vec3::new(0.3, 0.4, 0.0), 0.01),
        (Vec3::new(-0.3, 0.7, 0.0), 0.01),
    ];
    let mut desc = bodies(vec![trunk(), Branch::on(0, 0.2, back)], vec![], 0.1);
    let wood = elements(&desc);
    let pairs = found(&wood);
    assert!(!pairs.is_empty());
    for (a, b) in pairs {
        assert!(a.element() < 10 && b.element() >= 10, "trunk and branch");
        let at = wood.rest()[wood.points_of(b.element())][0];
        assert!(at.y > 0.4, "not at the fork: {at:?}");
    }
    // Two leaves that cross, and one that goes through the trunk's next segment.
    let mut crossing = leaf(0.5, Vec3::new(0.05, 0.5, 0.0));
    crossing.rotation *= Quat::from_rotation_z(0.8);
    crossing.on.along = 0.55;
    crossing.position.y = 0.505;
    let first = leaf(0.5, Vec3::new(0.05, 0.5, 0.0));
    desc = bodies(vec![trunk()], vec![first, crossing], 1.0);
    let pair = (Part::blade(1), Part::blade(2));
    assert_eq!(found(&elements(&desc)), [pair]);
    let through = leaf(0.5, Vec3::new(-0.05, 0.8, 0.0));
    desc = bodies(vec![trunk()], vec![first, through], 0.25);
    let leaf = desc.bodies.len() - 1;
    // Its segment is not the one that carries it; its base stem is beside its parent.
    let pairs = found(&elements(&desc));
    assert!(pairs.iter().any(|p| p.1 == Part::blade(leaf)), "{pairs:?}");
}

#[test]
fn what_grows_out_of_each_other_is_exempt() {
    // Segments shorter than they are thick: a branch's first ones lie within several of the trunk's.
    let thick = Branch::trunk([(Vec3::ZERO, 0.2), (Vec3::Y, 0.2)]);
    let limb = [
        (Vec3::new(0.0, 0.5, 0.0), 0.05),
        (Vec3::new(0.6, 0.8, 0.0), 0.05),
    ];
    let wood = vec![thick, Branch::on(0, 0.5, limb)];
    // A leaf without a base stem begins at the base line.
    let desc = bodies(wood, vec![leaf(0.25, Vec3::new(0.0, 0.25, 0.0))], 0.05);
    let tree = elements(&desc);
    assert!(tree.touching_at_rest().len() > 20);
    assert_eq!(found(&tree), []);
}
