//! Trees that do not go through themselves: grown so, or cleared; counted by the engine's check of all pairs.

use treesway::elements::{Elements, LeafPattern, intersecting_pairs};
use treesway::{BodyKind, cut};
use treesway_grow::{Cleared, Grown, Growth, Stems, Wanted, clear, grammars, species};

fn pairs(grown: &Grown) -> usize {
    let bodies = cut(&grown.skeleton, &grown.cut).expect("a sound skeleton");
    let elements = Elements::new(&bodies, &LeafPattern::default());
    intersecting_pairs(&elements, elements.rest()).len()
}

fn count(grown: &Grown, kind: BodyKind) -> usize {
    let bodies = cut(&grown.skeleton, &grown.cut).expect("a sound skeleton");
    let kinds = bodies.bodies.iter().map(|b| b.shape.kind());
    kinds.filter(|k| *k == kind).count()
}

fn sized(stems: u32, leaves: u32) -> Stems {
    Stems {
        stems,
        leaves,
        ..Stems::default()
    }
}

#[test]
fn grown_trees_have_the_numbers_asked_for_and_no_intersections() {
    for (stems, leaves) in [(1, 0), (2, 1), (14, 21), (60, 70), (256, 302)] {
        for seed in 0..20 {
            let grown = sized(stems, leaves).grow(seed).expect("there is room");
            let found = [BodyKind::Segment, BodyKind::Leaf].map(|k| count(&grown, k));
            assert_eq!(found, [stems as usize, leaves as usize], "seed {seed}");
            assert_eq!(pairs(&grown), 0, "{stems} stems, seed {seed}");
        }
    }
}

#[test]
fn a_large_tree_grows_too() {
    let (grown, rejected) = sized(2616, 3385).grow_and_tell(1).expect("there is room");
    assert_eq!(pairs(&grown), 0);
    // The test has something to find: without it, these would be in the tree.
    assert!(rejected.stems + rejected.leaves > 0, "{rejected:?}");
}

#[test]
fn without_a_test_of_room_trees_go_through_themselves() {
    // Ten times as thick when it is cut as when it grew: the check sees it.
    let mut grown = sized(256, 302).grow(1).expect("there is room");
    let nodes = grown
        .skeleton
        .branches
        .iter_mut()
        .flat_map(|b| &mut b.nodes);
    nodes.for_each(|n| n.radius *= 10.0);
    assert!(pairs(&grown) > 20, "{}", pairs(&grown));
}

#[test]
fn no_touching_at_rest_is_needed() {
    // What grows here keeps clear of all but parents and siblings, so that nothing else is exempt.
    for seed in 0..5 {
        let grown = sized(256, 302).grow(seed).expect("there is room");
        let bodies = cut(&grown.skeleton, &grown.cut).expect("a sound skeleton");
        let elements = Elements::new(&bodies, &LeafPattern::default());
        assert_eq!(elements.touching_at_rest(), []);
    }
}

#[test]
fn leaves_face_the_line_that_their_stem_goes_on_along() {
    use treesway::glam::Vec3;
    let grown = sized(60, 70).grow(3).expect("there is room");
    for leaf in &grown.skeleton.leaves {
        let branch = &grown.skeleton.branches[leaf.on.branch];
        let arcs = branch.arc_lengths();
        let along = f64::from(leaf.on.along) * (1.0 - 1e-6);
        let i = arcs
            .partition_point(|&a| a < along)
            .clamp(1, arcs.len() - 1);
        let [a, b] = [i - 1, i].map(|n| branch.nodes[n].position);
        let axis = (b - a).normalize();
        let normal = leaf.rotation * Vec3::Y;
        let out = leaf.position + leaf.rotation * Vec3::Z * leaf.length;
        let foot = a + axis * axis.dot(out - a);
        // From the blade's end, the normal leads nearer to the line.
        let ahead = out + normal * 0.01;
        let ahead_foot = a + axis * axis.dot(ahead - a);
        assert!(ahead.distance(ahead_foot) < out.distance(foot), "{leaf:?}");
    }
}

#[test]
fn growth_depends_on_the_seed_alone() {
    let tree = sized(256, 302);
    let [a, b] = [7, 7].map(|seed| tree.grow(seed).expect("there is room"));
    assert_eq!(a, b);
    assert_ne!(a, tree.grow(8).expect("there is room"));
}

#[test]
fn too_many_leaves_for_the_room_are_an_error_that_says_how_many_fit() {
    let crowded = Stems {
        stems: 4,
        leaves: 2000,
        ..Stems::default()
    };
    let error = crowded.grow(1).expect_err("no room").to_string();
    assert!(
        error.starts_with("leaves is 2000; expected at most the "),
        "{error}"
    );
    let wrong = Stems {
        fork_deg: [60.0, 30.0],
        ..Stems::default()
    };
    let error = wrong.grow(1).expect_err("wrong").to_string();
    assert!(
        error.contains("fork_deg is 30; expected a number from 60 to 120"),
        "{error}"
    );
}

#[test]
fn species_are_cleared() {
    for name in ["oak", "birch", "spruce", "apple"] {
        let wanted = Wanted {
            bodies: Some(2000),
            ..Wanted::default()
        };
        let species = species::named(name).expect("a species of ours");
        let mut grown = species.grow(1, &wanted).expect("it grows");
        let before = (pairs(&grown), grown.skeleton.clone());
        let cleared = clear(&mut grown).expect("sound");
        println!("{name}: {} pairs before, {cleared:?}", before.0);
        assert_eq!(pairs(&grown), 0, "{name}");
        assert!(before.0 > 0 && cleared != Cleared::default());
        // Most of it stays.
        let wood =
            |s: &treesway::Skeleton| s.measure().orders.iter().map(|o| o.length).sum::<f64>();
        assert!(wood(&grown.skeleton) > 0.5 * wood(&before.1), "{name}");
        assert_eq!(clear(&mut grown).expect("sound"), Cleared::default());
    }
}

/// Clears it; how many pairs there were, and the share of its wood and leaves that stays.
fn clear_all(name: &str, mut grown: Grown) -> [f64; 2] {
    let size = |s: &treesway::Skeleton| {
        let wood = s.measure().orders.iter().map(|o| o.length).sum::<f64>();
        [wood, s.leaves.len() as f64]
    };
    let (before, whole) = (pairs(&grown), size(&grown.skeleton));
    let cleared = clear(&mut grown).expect("sound");
    assert_eq!(pairs(&grown), 0, "{name}");
    let left = size(&grown.skeleton);
    let kept = [0, 1].map(|k| left[k] / whole[k].max(1e-9));
    println!("{name}: {before} pairs before, {cleared:?}, {kept:.2?} of wood and leaves stay");
    kept
}

#[test]
fn every_species_and_grammar_of_ours_can_be_cleared() {
    let wanted = Wanted {
        bodies: Some(500),
        ..Wanted::default()
    };
    for (name, _) in species::ALL {
        let species = species::named(name).expect("a species of ours");
        let [wood, _] = clear_all(name, species.grow(1, &wanted).expect("it grows"));
        assert!(wood > 0.4, "{name}: {wood} of its wood is left");
    }
    for grammar in grammars::all() {
        let grown = grammar.plant().grow(&Growth::default()).expect("it grows");
        if grown.skeleton.branches.len() < 3000 {
            let [wood, _] = clear_all(grammar.name, grown);
            assert!(wood > 0.25, "{}: {wood} of its wood is left", grammar.name);
        }
    }
}
