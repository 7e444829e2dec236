//! Grown trees have the wanted size, the same one every time.

use treesway::glam::Vec3;
use treesway::{BodyKind, Tree, TreeOptions, cut};
use treesway_grow::{Beam, Broadleaf, Fork, Grown};

fn built(grown: &Grown) -> Tree {
    let bodies = cut(&grown.skeleton, &grown.cut).expect("a grown skeleton can be cut");
    Tree::build(&bodies, TreeOptions::default()).expect("a cut skeleton is a tree")
}

fn broadleaf(bodies: u32) -> Broadleaf {
    Broadleaf {
        bodies,
        ..Broadleaf::default()
    }
}

#[test]
fn broadleaf_has_the_wanted_number_of_bodies() {
    for wanted in [200, 300, 500, 1000, 3000, 9500, 30_000, 100_000, 1_000_000] {
        for seed in [1, 7] {
            let grown = broadleaf(wanted).grow(seed).unwrap();
            let bodies = cut(&grown.skeleton, &grown.cut).unwrap().bodies.len();
            assert_eq!(bodies, wanted as usize, "seed {seed}");
            let share = 1.0 - grown.skeleton.leaves.len() as f64 / f64::from(wanted);
            assert!(
                (0.25..0.35).contains(&share),
                "{wanted} bodies are {share} wood"
            );
        }
    }
}

#[test]
fn broadleaf_counts_hold_for_other_cuts() {
    let tree = broadleaf(5000);
    let mut options = tree.cut();
    options.segment_length *= 0.6;
    let grown = tree.grow_for(options.clone(), 3).unwrap();
    assert_eq!(cut(&grown.skeleton, &options).unwrap().bodies.len(), 5000);
}

#[test]
fn broadleaf_weighs_and_stands_as_a_tree() {
    for wanted in [200, 2000, 10_000, 100_000] {
        let tree = built(&broadleaf(wanted).grow(7).unwrap());
        let mass: f32 = tree.ids().map(|id| tree.body(id).mass).sum();
        let of_leaves: f32 = tree
            .ids()
            .map(|id| tree.body(id))
            .filter(|b| b.kind == BodyKind::Leaf)
            .map(|b| b.mass)
            .sum();
        let top = tree.ids().map(|id| tree.tip(id).y).fold(0.0, f32::max);
        let bottom = tree.ids().map(|id| tree.tip(id).y).fold(9.0, f32::min);
        println!("{wanted}: {mass} kg, leaves {of_leaves} kg, {top} m high");
        // Green wood of a 12 m tree with a trunk 0.4 m thick: several hundred kg; a sparse young one less.
        assert!((30.0..2000.0).contains(&mass), "{mass} kg");
        assert!(of_leaves < 0.5 * mass);
        assert!((10.0..15.0).contains(&top), "{top} m high");
        assert!(bottom > 0.0, "a branch reaches below the ground");
    }
}

#[test]
fn pipe_model_narrows_every_branch() {
    let grown = broadleaf(10_000).grow(7).unwrap();
    for branch in &grown.skeleton.branches {
        assert!(branch.nodes.windows(2).all(|n| n[0].radius >= n[1].radius));
        if let Some(on) = branch.parent {
            let parent = &grown.skeleton.branches[on.branch];
            assert!(branch.nodes[0].radius <= parent.nodes[0].radius);
        }
    }
}

#[test]
fn the_same_seed_grows_the_same_tree_and_another_another() {
    let hash = |seed| built(&broadleaf(2000).grow(seed).unwrap()).state_hash();
    assert_eq!(hash(7), hash(7));
    assert_ne!(hash(7), hash(8));
}

/// FNV-1a over the bits of all nodes and leaves.
fn skeleton_hash(grown: &Grown) -> u64 {
    let nodes = grown.skeleton.branches.iter().flat_map(|b| &b.nodes);
    let nodes = nodes.flat_map(|n| [n.position.x, n.position.y, n.position.z, n.radius]);
    let leaves = grown.skeleton.leaves.iter();
    let leaves = leaves.flat_map(|l| [l.position.x, l.rotation.y, l.on.along, l.length]);
    let bytes = nodes.chain(leaves).flat_map(|x| x.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The same on every platform and in every build. If it changes, scenes grow other trees: say so in the changelog.
#[test]
fn a_seed_grows_the_tree_it_always_grew() {
    let grown = broadleaf(2000).grow(7).unwrap();
    assert_eq!(
        format!("{:016x}", skeleton_hash(&grown)),
        "f96b120abfe0b04d"
    );
}

#[test]
fn beam_and_fork_have_their_segments() {
    let beam = Beam {
        segments: 33,
        direction: Vec3::new(0.0, 0.0, 2.0),
        ..Beam::default()
    };
    let tree = built(&beam.grow().unwrap());
    assert_eq!(tree.len(), 33);
    let tip = tree.tip(tree.ids().last().unwrap());
    assert!(tip.distance(Vec3::Z * 4.0) < 1e-5);

    let fork = Fork {
        limbs: 3,
        segments: 5,
        ..Fork::default()
    };
    assert_eq!(built(&fork.grow().unwrap()).len(), 20);
}

#[test]
fn bad_parameters_are_named() {
    let error = broadleaf(10).grow(1).unwrap_err().to_string();
    assert_eq!(
        error,
        "bodies is 10; expected a whole number from 200 to 10000000"
    );
    let flat = Beam {
        length: 0.0,
        ..Beam::default()
    };
    assert!(
        flat.grow()
            .unwrap_err()
            .to_string()
            .starts_with("length is 0;")
    );
    let nowhere = Beam {
        direction: Vec3::ZERO,
        ..Beam::default()
    };
    assert!(nowhere.grow().is_err());
    let mut tree = broadleaf(200);
    tree.wood_share = 0.9;
    let mut fine = tree.cut();
    fine.segment_length = 0.01;
    fine.most_segments = 1000;
    let error = tree.grow_for(fine, 1).unwrap_err().to_string();
    assert!(error.contains("longer segments"), "{error}");
}
