//! Trees that do not go through themselves: grown so, or cleared; counted by the engine's check of all pairs.

use treesway::elements::{Elements, LeafPattern, intersecting_pairs};
use treesway::glam::Vec3;
use treesway::{BodyKind, Branch, CutOptions, Skeleton, cut};
use treesway_grow::{Cleared, Grown, Growth, Rejected, Stems, Wanted, clear, grammars, species};

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
    let found = [BodyKind::Segment, BodyKind::Leaf].map(|k| count(&grown, k));
    assert_eq!(found, [2616, 3385]);
    assert_eq!(pairs(&grown), 0);
    // The test of room has something to find: without it, these stems would be in the tree, and stubs that lead to them.
    println!("{rejected:?}");
    assert!(
        rejected.stems > 0 && rejected.taken_back > 0,
        "{rejected:?}"
    );
    // It is a tree: a crown over its trunk, wider than a pole and no ball of twigs.
    let stems = stems_of(&grown);
    let tips = stems.iter().map(|s| s.tip);
    let (low, high) = tips.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| {
        (low.min(p), high.max(p))
    });
    let size = high - low;
    println!("{size} m");
    assert!(size.y > 2.0 && size.x > 0.4 * size.y && size.z > 0.4 * size.y);
    assert!(low.x < 0.0 && low.z < 0.0 && high.x > 0.0 && high.z > 0.0);
}

/// A stem of a grown tree, as its skeleton has it.
struct Stem {
    parent: Option<usize>,
    base: Vec3,
    tip: Vec3,
    radius: f32,
    /// Whether a branch begins with it.
    first: bool,
}

impl Stem {
    fn way(&self) -> Vec3 {
        (self.tip - self.base).normalize()
    }
}

/// All stems, parents before children.
fn stems_of(grown: &Grown) -> Vec<Stem> {
    let branches = &grown.skeleton.branches;
    let mut stems: Vec<Stem> = Vec::new();
    let mut first_of: Vec<usize> = Vec::new();
    for branch in branches {
        first_of.push(stems.len());
        let mut parent = branch.parent.map(|on| {
            let arcs = branches[on.branch].arc_lengths();
            let off = |k: &usize| (arcs[*k] - f64::from(on.along)).abs();
            let ends = (1..arcs.len()).min_by(|a, b| off(a).total_cmp(&off(b)));
            first_of[on.branch] + ends.expect("a piece") - 1
        });
        for (k, ends) in branch.nodes.windows(2).enumerate() {
            stems.push(Stem {
                parent,
                base: ends[0].position,
                tip: ends[1].position,
                radius: ends[0].radius,
                first: k == 0,
            });
            parent = Some(stems.len() - 1);
        }
    }
    stems
}

/// Every stem with its parent, and the angle between both, degrees.
fn leans(stems: &[Stem]) -> impl Iterator<Item = (&Stem, f32)> {
    stems.iter().filter_map(|s| {
        let parent = &stems[s.parent?];
        Some((s, s.way().angle_between(parent.way()).to_degrees()))
    })
}

/// Positions are rounded to single precision, degrees.
const ROUNDED: f32 = 0.02;

#[test]
fn stems_bend_no_more_than_they_may_wherever_tropism_draws_them() {
    for tropism in [-1.0, 0.12, 1.0] {
        let pole = Stems {
            forking: 0.0,
            children: 1,
            tropism,
            ..sized(30, 0)
        };
        for seed in 0..5 {
            let grown = pole.grow(seed).expect("there is room");
            let stems = stems_of(&grown);
            for (_, lean) in leans(&stems) {
                assert!(lean <= pole.bend_deg + ROUNDED, "{lean}, tropism {tropism}");
            }
        }
    }
}

/// Of two that share a fork the weaker leans by half of the angle or more; the stronger one bears a third of three at least.
#[test]
fn stems_fork_within_their_bounds_wherever_tropism_draws_them() {
    for tropism in [-0.8, 0.12, 0.8] {
        let tree = Stems {
            tropism,
            ..sized(80, 0)
        };
        let [least, most] = tree.fork_deg;
        for seed in 0..5 {
            let grown = tree.grow(seed).expect("there is room");
            let stems = stems_of(&grown);
            let (mut forks, mut leads) = (0, 0);
            for (stem, lean) in leans(&stems) {
                let bounds = if stem.first {
                    forks += 1;
                    0.5 * least - ROUNDED..=most + ROUNDED
                } else {
                    leads += 1;
                    0.0..=2.0 / 3.0 * most + ROUNDED
                };
                assert!(bounds.contains(&lean), "{lean}, tropism {tropism}");
            }
            assert!(forks > 15 && leads > 30, "{forks}, {leads}");
        }
    }
}

#[test]
fn ends_of_siblings_keep_their_spacing() {
    for spacing in [0.5, 0.8] {
        let tree = Stems {
            spacing,
            ..sized(256, 0)
        };
        let mut siblings = 0;
        for seed in 0..5 {
            let grown = tree.grow(seed).expect("there is room");
            let stems = stems_of(&grown);
            for (k, a) in stems.iter().enumerate() {
                let same = |b: &&Stem| a.parent.is_some() && a.parent == b.parent;
                for b in stems[k + 1..].iter().filter(same) {
                    let length = |s: &Stem| s.base.distance(s.tip);
                    let least = spacing * 0.5 * (length(a) + length(b));
                    let apart = a.tip.distance(b.tip);
                    assert!(apart >= least - 1e-5, "{apart} m, at least {least}");
                    siblings += 1;
                }
            }
        }
        assert!(siblings > 300, "{siblings}");
    }
}

/// Where there is little room stems are rejected, and a thick one that ends so goes back to the last fork: what ends in nothing is as thin as what bears leaves.
#[test]
fn no_thick_stem_ends_bluntly() {
    let crowded = Stems {
        clearance: 0.05,
        tries: 2,
        ..sized(200, 0)
    };
    let thin = crowded.leaf.thin * crowded.twig_radius;
    let mut sum = Rejected::default();
    for seed in 0..10 {
        let (grown, rejected) = crowded.grow_and_tell(seed).expect("there is room");
        sum.stems += rejected.stems;
        sum.taken_back += rejected.taken_back;
        let stems = stems_of(&grown);
        let mut bears = vec![false; stems.len()];
        for parent in stems.iter().filter_map(|s| s.parent) {
            bears[parent] = true;
        }
        for (stem, _) in stems.iter().zip(&bears).filter(|(_, bears)| !**bears) {
            assert!(
                stem.radius <= thin * 1.0001,
                "seed {seed}: {} m",
                stem.radius
            );
        }
    }
    println!("{sum:?}");
    assert!(sum.stems > 0 && sum.taken_back > 0, "{sum:?}");
}

#[test]
fn clearances_that_count_as_touching_are_refused() {
    let near = |clearance| Stems {
        clearance,
        ..sized(14, 21)
    };
    for clearance in [0.0, 1e-5, -1.0, f32::NAN] {
        let told = near(clearance).grow(1).expect_err("wrong").to_string();
        let expected = "; expected a length from 0.00002 to 1 m";
        assert!(
            told.starts_with("clearance is ") && told.ends_with(expected),
            "{told}"
        );
    }
    // The least that is taken is enough: nothing touches at rest, so that all of it is kept apart.
    let grown = near(2e-5).grow(1).expect("there is room");
    let bodies = cut(&grown.skeleton, &grown.cut).expect("a sound skeleton");
    let elements = Elements::new(&bodies, &LeafPattern::default());
    assert_eq!(elements.touching_at_rest(), []);
}

/// A trunk that loops through itself is told, stays, and keeps others out of all of it.
#[test]
fn a_trunk_that_goes_through_itself_is_told() {
    let p = Vec3::new;
    let trunk = Branch::trunk([
        (p(0.0, 0.0, 0.0), 0.05),
        (p(0.0, 1.0, 0.0), 0.05),
        (p(1.0, 1.0, 0.0), 0.05),
        (p(1.0, 0.5, 0.0), 0.05),
        (p(-1.0, 0.5, 0.0), 0.05),
    ]);
    // Through the last piece alone, the one that goes through the first.
    let through = Branch::on(
        0,
        1.0,
        [(p(0.0, 1.0, 0.0), 0.02), (p(-0.8, 0.2, 0.0), 0.02)],
    );
    let skeleton = Skeleton {
        branches: vec![trunk, through],
        ..Skeleton::default()
    };
    let whole = CutOptions {
        at_nodes: true,
        least_segments: 1,
        most_segments: 1,
        ..CutOptions::default()
    };
    let mut grown = Grown::new(skeleton, whole);
    let cleared = clear(&mut grown).expect("sound");
    assert_eq!((cleared.trunk, cleared.branches), (1, 1), "{cleared:?}");
    assert_eq!(grown.skeleton.branches.len(), 1);
    assert_eq!(pairs(&grown), 1);
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
        let wood = |s: &Skeleton| s.measure().orders.iter().map(|o| o.length).sum::<f64>();
        assert!(wood(&grown.skeleton) > 0.5 * wood(&before.1), "{name}");
        assert_eq!(clear(&mut grown).expect("sound"), Cleared::default());
    }
}

/// Clears it; how many pairs there were, and the share of its wood and leaves that stays.
fn clear_all(name: &str, mut grown: Grown) -> [f64; 2] {
    let size = |s: &Skeleton| {
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
