//! Trees of which only a part moves: what follows weighs, is blown at, touched and drawn as a part of what carries it.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::trees::{beam, random_tree};
use common::{all_finite, run, world_of};
use treesway::glam::Vec3;
use treesway::{
    Ball, BodyId, BodyKind, Curve, CurveMode, Curves, Isa, Load, Override, Pull, QuantityCurve,
    RootKind, Simulated, Solver, Tree, TreeId, TreeOptions, Wind, World,
};

const TREE: TreeId = TreeId(0);
const SOLVERS: [Solver; 3] = [Solver::Analytic, Solver::Coupled, Solver::Particles];
const BODIES: usize = 3000;

fn thick() -> Simulated {
    Simulated {
        least_radius: 0.008,
        ..Simulated::default()
    }
}

fn options(solver: Solver) -> TreeOptions {
    let mut options = TreeOptions::default();
    options.settings.solver = solver;
    options
}

fn world(solver: Solver) -> World {
    world_of(&random_tree(BODIES, 3), options(solver))
}

fn moves(tree: &Tree, id: BodyId) -> bool {
    tree.carrier(id) == id
}

/// The whole tree, with joints so stiff in all that `part` has follow that nothing bends there.
fn stiffened(part: &Tree) -> Tree {
    let firm = || QuantityCurve {
        points: Curve::constant(1e6),
        mode: CurveMode::Multiplier,
    };
    let mut params = part.params().clone();
    let first = part
        .ids()
        .filter(|&id| !moves(part, id) && part.parent_of(id).is_some_and(|p| moves(part, p)));
    params.overrides = first
        .map(|body| Override {
            body,
            curves: Curves {
                bend: firm(),
                twist: firm(),
                damping: QuantityCurve::physical(),
            },
            leaf_stiffness: Vec3::splat(1e6),
        })
        .collect();
    params.fruit.stem_modulus *= 1e6;
    let mut whole = part.clone();
    whole.simulate_only(&Simulated::default()).unwrap();
    whole.set_params(params).unwrap();
    whole
}

/// Largest distance between two trees, and how far the first went from where `from` is, m.
fn apart(a: &Tree, b: &Tree, from: &Tree) -> (f32, f32) {
    let far = |a: &Tree, b: &Tree| {
        a.ids()
            .map(|id| a.pose(id).position.distance(b.pose(id).position))
            .fold(0.0, f32::max)
    };
    (far(a, b), far(a, from))
}

/// Under a weight that leans to one side: all bodies, moving or not, come to rest where those of the whole tree do whose other joints do not bend.
#[test]
fn sag_is_that_of_the_whole_tree_with_the_rest_rigid() {
    for solver in SOLVERS {
        let mut part = world(solver);
        part.gravity = Vec3::new(4.0, -8.0, 2.0);
        part.tree_mut(TREE).simulate_only(&thick()).unwrap();
        let mut params = part.tree(TREE).params().clone();
        params.multipliers.branch_damping = 20.0;
        part.tree_mut(TREE).set_params(params).unwrap();
        let start = part.tree(TREE).clone();
        let mut whole = World::default();
        whole.gravity = part.gravity;
        whole.add(stiffened(part.tree(TREE)));
        run(&mut part, 300);
        run(&mut whole, 300);
        let (error, way) = apart(part.tree(TREE), whole.tree(TREE), &start);
        let moving = part.tree(TREE).moving();
        println!("{solver:?}: {moving} of {BODIES} move, {error:.2e} m off of a sag of {way:.3} m");
        assert!((100..1500).contains(&moving));
        assert!(
            way > 0.05 && error < 2e-4 * way,
            "{solver:?}: {error} of {way}"
        );
    }
}

/// Turned about its root without bending a tree has the same energy, whoever follows: mass, centre and inertia of all that follows are exact.
#[test]
fn inertia_of_what_follows_is_exact() {
    for angular in [Vec3::X, Vec3::Y, Vec3::Z] {
        let mut tree = world(Solver::Coupled).tree(TREE).clone();
        tree.set_joint(BodyId(0), Vec3::new(0.1, 0.2, 0.3), angular);
        tree.settle_world();
        let whole = tree.energy(Vec3::new(0.0, -9.81, 1.0));
        tree.simulate_only(&thick()).unwrap();
        let part = tree.energy(Vec3::new(0.0, -9.81, 1.0));
        for (a, b) in [
            (whole.kinetic, part.kinetic),
            (whole.potential, part.potential),
        ] {
            assert!((a - b).abs() < 2e-6 * a.abs(), "{a} {b}");
        }
    }
}

/// A tree in steady wind bends as far as the whole tree with the rest rigid.
#[test]
fn steady_wind_on_what_follows_is_that_on_the_whole_tree() {
    for solver in SOLVERS {
        for wind in [Vec3::X * 6.0, Vec3::new(-3.0, 0.0, 5.0)] {
            let mut part = world(solver);
            part.fields.push(Box::new(Wind::steady(wind)));
            part.tree_mut(TREE).simulate_only(&thick()).unwrap();
            let start = part.tree(TREE).clone();
            let mut whole = World::default();
            whole.fields.push(Box::new(Wind::steady(wind)));
            whole.add(stiffened(part.tree(TREE)));
            run(&mut part, 400);
            run(&mut whole, 400);
            let (error, way) = apart(part.tree(TREE), whole.tree(TREE), &start);
            println!("{solver:?} in {wind}: {error:.4} m off of a bend of {way:.3} m");
            assert!(
                way > 0.01 && error < 0.1 * way,
                "{solver:?}: {error} of {way}"
            );
        }
    }
}

fn gusty(solver: Solver) -> World {
    let mut world = world(solver);
    world
        .fields
        .push(Box::new(Wind::steady(Vec3::new(7.0, 0.0, 2.0))));
    world
}

/// What is chosen while the tree moves does not move anything, nor does choosing everything again.
#[test]
fn choosing_makes_no_jump() {
    let order = Simulated {
        most_order: Some(1),
        ..Simulated::default()
    };
    for solver in SOLVERS {
        let mut world = gusty(solver);
        for (chosen, frames) in [
            (thick(), 20),
            (order.clone(), 20),
            (Simulated::default(), 20),
            (thick(), 1),
            (Simulated::default(), 5),
        ] {
            run(&mut world, frames);
            let before = world.tree(TREE).clone();
            let tree = world.tree_mut(TREE);
            tree.simulate_only(&chosen).unwrap();
            let (jump, _) = apart(tree, &before, &before);
            assert!(jump < 2e-5, "{solver:?} {chosen:?}: {jump} m");
            let bend = before.ids().map(|id| {
                let (a, b) = (before.body(id).theta, tree.body(id).theta);
                (a - b).length()
            });
            assert!(bend.fold(0.0, f32::max) < 1e-6);
            run(&mut world, 1);
            assert!(all_finite(world.tree(TREE)));
        }
        assert_eq!(world.tree(TREE).moving(), BODIES);
    }
}

/// Every condition, and all at once: what moves is closed towards the root.
#[test]
fn conditions_choose_what_they_say() {
    let tree = world(Solver::Coupled).tree(TREE).clone();
    let chosen = |by: Simulated| {
        let mut tree = tree.clone();
        tree.simulate_only(&by).unwrap();
        for id in tree.ids().filter(|&id| moves(&tree, id)) {
            assert!(tree.parent_of(id).is_none_or(|p| moves(&tree, p)));
        }
        tree
    };
    let thick = chosen(thick());
    for id in thick.ids() {
        let body = thick.body(id);
        let is_thick = body.kind == BodyKind::Segment && body.radius[0] >= 0.008;
        assert!(moves(&thick, id) || !is_thick);
    }
    let budget = chosen(Simulated {
        most_bodies: Some(500),
        ..Simulated::default()
    });
    assert_eq!(budget.moving(), 500);
    let (mut least, mut most) = (f32::INFINITY, 0.0_f32);
    for id in budget.ids() {
        let body = budget.body(id);
        if body.kind == BodyKind::Segment && moves(&budget, id) {
            least = least.min(body.radius[0]);
        } else if body.kind == BodyKind::Segment {
            most = most.max(body.radius[0]);
        }
    }
    assert!(most <= least * 1.3, "{most} {least}");
    let limb = common::limb(&random_tree(BODIES, 3));
    let branch = chosen(Simulated {
        subtrees: vec![limb],
        ..Simulated::default()
    });
    for id in branch.ids() {
        let mut below = Some(id);
        while let Some(b) = below.filter(|&b| b != limb) {
            below = branch.parent_of(b);
        }
        let carries = core::iter::successors(Some(limb), |&b| branch.parent_of(b)).any(|b| b == id);
        assert_eq!(moves(&branch, id), below.is_some() || carries);
    }
    let trunk = chosen(Simulated {
        most_order: Some(0),
        ..Simulated::default()
    });
    let root = trunk.body(BodyId(0)).branch;
    for id in trunk.ids().filter(|&id| moves(&trunk, id)) {
        let body = trunk.body(id);
        assert!(body.kind != BodyKind::Segment || body.branch == root);
    }
}

#[test]
fn conditions_out_of_range_are_named() {
    let mut tree = world(Solver::Coupled).tree(TREE).clone();
    for (by, named) in [
        (
            Simulated {
                least_radius: -1.0,
                ..Simulated::default()
            },
            "least_radius",
        ),
        (
            Simulated {
                most_bodies: Some(0),
                ..Simulated::default()
            },
            "most_bodies",
        ),
        (
            Simulated {
                subtrees: vec![BodyId(9999)],
                ..Simulated::default()
            },
            "subtrees",
        ),
    ] {
        let error = tree.simulate_only(&by).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}

/// The same bits for any vectors and threads, and from a snapshot, whatever was chosen in between.
#[test]
fn a_part_moves_by_the_same_bits() {
    for solver in SOLVERS {
        let hash = |isa: Isa, threads: usize| {
            let mut world = world_of(&random_tree(9000, 3), options(solver));
            world.fields.push(Box::new(Wind::steady(Vec3::X * 7.0)));
            world.tree_mut(TREE).set_isa(isa);
            let by = Simulated {
                most_bodies: Some(4000),
                ..Simulated::default()
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                run(&mut world, 5);
                world.tree_mut(TREE).simulate_only(&by).unwrap();
                run(&mut world, 10);
            });
            (world.state_hash(), world)
        };
        let (first, mut world) = hash(Isa::best(), 1);
        for isa in Isa::available() {
            assert_eq!(hash(isa, 2).0, first, "{solver:?} {}", isa.name());
        }
        let snapshot = world.snapshot();
        run(&mut world, 5);
        let after = world.state_hash();
        for by in [Simulated::default(), thick()] {
            world.tree_mut(TREE).simulate_only(&by).unwrap();
            run(&mut world, 3);
            world.restore(&snapshot);
            assert_eq!(world.state_hash(), first);
            assert_eq!(world.tree(TREE).moving(), 4000);
            run(&mut world, 5);
            assert_eq!(world.state_hash(), after, "{solver:?}");
        }
    }
}

/// Hands, loads and balls meet what follows; it can be cut, and the whole tree let go.
#[test]
fn what_follows_is_part_of_what_carries_it() {
    for solver in SOLVERS {
        let mut world = world(solver);
        world.tree_mut(TREE).simulate_only(&thick()).unwrap();
        let tree = world.tree_mut(TREE);
        let leaf = tree
            .ids()
            .filter(|&id| tree.body(id).kind == BodyKind::Leaf)
            .last()
            .unwrap();
        let at = tree.tip(leaf);
        tree.add_pull(Pull::new(leaf, Vec3::ZERO, at + Vec3::Y * 0.2, 500.0));
        tree.add_load(Load::force(leaf, Vec3::ZERO, Vec3::X).held());
        world.throw(Ball {
            position: at + Vec3::Y * 0.5,
            velocity: -Vec3::Y * 3.0,
            ..Ball::default()
        });
        let before = world.tree(TREE).tip(leaf);
        run(&mut world, 20);
        let tree = world.tree_mut(TREE);
        assert!(
            tree.tip(leaf).distance(before) > 1e-3,
            "{solver:?}: it was pulled"
        );
        let cut = tree.parent_of(leaf).unwrap();
        let mass = |tree: &Tree| {
            let on = tree.ids().filter(|&id| tree.is_attached(id));
            on.map(|id| f64::from(tree.body(id).mass)).sum::<f64>()
        };
        let pose = tree.pose(leaf);
        let (whole, energy) = (mass(tree), tree.energy(Vec3::Y));
        let off = tree.cut(cut);
        assert!(off.contains(&leaf) && tree.pose(leaf).position.distance(pose.position) < 1e-5);
        let gone: f64 = off.iter().map(|&id| f64::from(tree.body(id).mass)).sum();
        assert!((whole - gone - mass(tree)).abs() < 1e-6 * whole);
        if solver != Solver::Particles {
            assert!(tree.energy(Vec3::Y).potential > energy.potential);
        }
        run(&mut world, 20);
        assert!(all_finite(world.tree(TREE)));
        let tree = world.tree_mut(TREE);
        tree.set_root_kind(RootKind::Free);
        assert_eq!(tree.moving(), tree.len());
        run(&mut world, 5);
        assert!(all_finite(world.tree(TREE)));
    }
}

/// What does not pass through itself moves as a whole, also where that is asked for or ends while a part moves.
#[test]
fn a_tree_that_meets_itself_moves_as_a_whole() {
    let mut world = world_of(&beam(20, 4.0, 0.1, 0.01), options(Solver::Contact));
    let few = Simulated {
        most_bodies: Some(8),
        ..Simulated::default()
    };
    world.tree_mut(TREE).simulate_only(&few).unwrap();
    let moving = |world: &World| world.tree(TREE).moving();
    assert_eq!(moving(&world), 20);
    run(&mut world, 2);
    world.tree_mut(TREE).set_solver(Solver::Coupled);
    assert!(moving(&world) <= 8, "{}", moving(&world));
    run(&mut world, 2);
    let mut settings = world.tree(TREE).settings().clone();
    settings.self_contact.enabled = Some(true);
    world.tree_mut(TREE).set_settings(settings).unwrap();
    assert_eq!(moving(&world), 20);
    run(&mut world, 2);
    assert!(all_finite(world.tree(TREE)));
}
