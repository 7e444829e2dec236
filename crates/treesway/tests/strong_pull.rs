//! A hand may be as strong as it likes: it reaches what can be reached, and does not shake what cannot.

use treesway::glam::Vec3;
use treesway::{
    BodyId, Branch, CutOptions, Pull, PullId, Skeleton, Solver, Tree, TreeId, TreeOptions, World,
    cut,
};

/// A sapling of 2 m whose tip is pulled, after 10 s.
fn pulled(target: Vec3, stiffness: f32) -> (World, TreeId, PullId, BodyId) {
    let sapling = Branch::trunk([(Vec3::ZERO, 0.012), (Vec3::Y * 2.0, 0.004)]);
    let skeleton = Skeleton {
        branches: vec![sapling],
        ..Skeleton::default()
    };
    let bodies = cut(&skeleton, &CutOptions::default()).expect("a straight branch can be cut");
    let tip = BodyId(bodies.bodies.len() as u32 - 1);
    let mut options = TreeOptions::default();
    options.settings.solver = Solver::Analytic;
    let mut tree = Tree::build(&bodies, options).expect("its bodies are sound");
    let end = Vec3::Z * tree.body(tip).length;
    let pull = tree.add_pull(Pull::new(tip, end, target, stiffness));
    let mut world = World::default();
    let id = world.add(tree);
    for _ in 0..300 {
        assert_eq!(world.step().healed, 0);
    }
    (world, id, pull, tip)
}

#[test]
fn rigid_hand_holds_the_tip_where_it_wants() {
    let target = Vec3::new(0.6, 1.8, 0.0);
    for stiffness in [1e5, 1e9, f32::INFINITY] {
        let (world, tree, pull, tip) = pulled(target, stiffness);
        let off = world.tree(tree).tip(tip).distance(target);
        assert!(off < 1e-3, "{stiffness} N/m leaves {off} m");
        // As a spring of 1000 N/m finds it: (0.599, 1.819) at 19.3 N; the rest of the way costs a little more.
        let force = world.tree(tree).pull_force(pull).expect("it still pulls");
        assert!((20.0..30.0).contains(&force.length()), "{force} N");
    }
}

#[test]
fn pull_beyond_reach_comes_to_rest() {
    for stiffness in [10.0, 1e3, 1e6, f32::INFINITY] {
        let target = Vec3::new(3.0, 1.9, 0.0);
        let (mut world, tree, _, tip) = pulled(target, stiffness);
        for _ in 0..60 {
            let before = world.tree(tree).tip(tip);
            world.step();
            let moved = world.tree(tree).tip(tip).distance(before);
            assert!(moved < 1e-4, "{stiffness} N/m: {moved} m in a frame");
        }
    }
}
