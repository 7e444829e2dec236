//! Snow on trees: how much lies, what it weighs, how it slides off.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{analytic, run, trees, world_of};
use treesway::glam::{Quat, Vec3};
use treesway::{
    BodyDesc, BodyId, DampingRatio, EventKind, GravityPose, Load, Shape, Snow, Snowfall, Solver,
    TreeDesc, TreeId, TreeOptions, Wind, World, next_segment,
};

const TREE: TreeId = TreeId(0);

fn fast() -> Snowfall {
    Snowfall {
        rate: 3600.0, // 1 kg/m² every second
        ..Snowfall::default()
    }
}

fn with(solver: Solver) -> TreeOptions {
    let mut options = analytic();
    options.settings.solver = solver;
    options.params.damping_ratio = Some(DampingRatio {
        zeta: 0.3,
        range_hz: None,
    });
    options
}

/// A beam of `n` segments along x.
fn beam(n: u32) -> TreeDesc {
    let shape = Shape::Segment {
        length: 0.2,
        base: 0.01,
        tip: 0.01,
    };
    let along_x = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    let mut bodies = vec![BodyDesc::new(None, shape, Vec3::ZERO, along_x)];
    for i in 1..n {
        bodies.push(next_segment(i - 1, 0.2, shape));
    }
    TreeDesc { bodies }
}

/// On a level branch m(t) = c A (1 − exp(−p t/c)), the interception of Hedstrom and Pomeroy.
#[test]
fn a_level_branch_catches_by_the_closed_form() {
    let mut stiff = with(Solver::Coupled);
    stiff.params.multipliers.branch_stiffness = 1e4;
    let mut world = world_of(&beam(1), stiff);
    world.snow = Some(Snow::new(fast()).unwrap());
    for seconds in [1, 5, 20] {
        let mut frames = 0;
        while world.seconds() < f64::from(seconds) - 1e-6 {
            world.step();
            frames += 1;
        }
        assert!(frames > 0);
        let area = 0.2 * 0.02_f64;
        let exact = 4.5 * area * (1.0 - (-f64::from(seconds) / 4.5).exp());
        let found = f64::from(world.tree(TREE).snow_mass(BodyId(0)));
        // In its own cell half of the branch's own shade is on it.
        println!("{seconds} s: {found:.5} kg, closed form {exact:.5} kg");
        assert!((found / exact - 1.0).abs() < 0.02, "{found} {exact}");
    }
}

/// Snow sags a branch as the same weight hung on every body does, with either solver.
#[test]
fn sag_is_that_of_the_same_static_load() {
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        let mut options = with(solver);
        options.params.gravity_pose = GravityPose::Held;
        let mut snowed = world_of(&beam(10), options.clone());
        let fall = Snowfall {
            stop: 20.0,
            slope_deg: 85.0,
            ..fast()
        };
        snowed.snow = Some(Snow::new(fall).unwrap());
        run(&mut snowed, 1200);
        let mut loaded = world_of(&beam(10), options);
        for id in loaded.tree(TREE).ids() {
            let weight = snowed.tree(TREE).snow_mass(id) * 9.81;
            let centre = snowed.tree(TREE).body(id).com_in_body;
            let load = Load::force(id, centre, Vec3::NEG_Y * weight).held();
            loaded.tree_mut(TREE).add_load(load);
        }
        run(&mut loaded, 1200);
        let start = world_of(&beam(10), with(solver)).tree(TREE).tip(BodyId(9));
        let [a, b] = [&snowed, &loaded].map(|w| start - w.tree(TREE).tip(BodyId(9)));
        println!("{solver:?}: sag {:.5} m, of the load {:.5} m", a.y, b.y);
        assert!(a.y > 0.02, "{a}");
        assert!(a.distance(b) < 2e-3 * b.length(), "{a} {b}");
    }
}

/// What was caught lies or has slid, on a tree that wind shakes; some of it does slide, and events tell.
#[test]
fn nothing_is_lost() {
    let mut world = world_of(&trees::random_tree(3000, 4), with(Solver::Coupled));
    world.snow = Some(Snow::new(fast()).unwrap());
    let report = run(&mut world, 60);
    let calm = world.tree(TREE).snow_balance();
    world.fields.push(Box::new(Wind::steady(Vec3::X * 15.0)));
    let mut puffs = 0;
    for _ in 0..60 {
        world.step();
        let slid = world.events().iter();
        puffs += slid.filter(|e| e.kind == EventKind::SnowSlid).count();
    }
    let shaken = world.tree(TREE).snow_balance();
    println!("{report:?}\n{calm:?}\n{shaken:?}, {puffs} puffs");
    for b in [calm, shaken] {
        assert!(
            b.lying > 0.0 && (b.lying + b.slid - b.caught).abs() < 1e-5 * b.caught,
            "{b:?}"
        );
    }
    assert!(
        shaken.slid > calm.slid + 0.05 * calm.lying,
        "{calm:?} {shaken:?}"
    );
    assert!(puffs > 0);
    // A body that comes off takes its snow with it.
    let tree = world.tree_mut(TREE);
    let loaded = tree
        .ids()
        .skip(1)
        .find(|&id| tree.snow_mass(id) > 0.0)
        .unwrap();
    tree.detach(loaded);
    let b = tree.snow_balance();
    assert_eq!(tree.snow_mass(loaded), 0.0);
    assert!(b.slid > shaken.slid && (b.lying + b.slid - b.caught).abs() < 1e-5 * b.caught);
}

/// A crown catches no more than falls on its ground: what is below gets what is left.
#[test]
fn leaves_below_get_less() {
    let leaf = Shape::Leaf {
        length: 1.0,
        width: 2.0,
        thickness: 1e-3,
    };
    // Ten leaves over one another, each level and as large as a cell is wide: z along x, y up.
    let trunk = Shape::Segment {
        length: 5.0,
        base: 0.02,
        tip: 0.02,
    };
    let upright = trees::upright();
    let mut bodies = vec![BodyDesc::new(None, trunk, Vec3::ZERO, upright)];
    let level = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    for i in 0..10 {
        let at = Vec3::new(0.0, 0.0, 0.25 + 0.5 * i as f32);
        bodies.push(BodyDesc::new(Some(0), leaf, at, upright.inverse() * level));
    }
    let mut options = with(Solver::Analytic);
    options.params.multipliers.leaf_stiffness = 1e3;
    let mut world = world_of(&TreeDesc { bodies }, options);
    let fall = Snowfall {
        most: 1e3,
        ..fast()
    };
    world.snow = Some(Snow::new(fall).unwrap());
    run(&mut world, 30);
    let on = |i: u32| world.tree(TREE).snow_mass(BodyId(i));
    println!("{:?}", (1..11).map(on).collect::<Vec<_>>());
    // 1 m² of leaf in cells of 0.25 m²: little is left from leaf to leaf, down to where rounding is all there is.
    for i in 6..10 {
        assert!(on(i) < 0.2 * on(i + 1), "{i}: {} {}", on(i), on(i + 1));
    }
    assert!((1..6).all(|i| on(i) < 1e-6));
    assert!((0.1..1.0).contains(&on(10)), "{}", on(10));
}

/// Steep leaves hold nothing, level ones do.
#[test]
fn steep_bodies_hold_no_snow() {
    for (degrees, holds) in [(20.0_f32, true), (45.0, true), (55.0, false), (80.0, false)] {
        let shape = Shape::Segment {
            length: 0.3,
            base: 0.01,
            tip: 0.01,
        };
        let rise = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2)
            * Quat::from_rotation_x(-degrees.to_radians());
        let mut options = with(Solver::Coupled);
        options.params.multipliers.branch_stiffness = 1e4;
        let mut world = world_of(&trees::single(shape, rise), options);
        let axis = world.tree(TREE).tip(BodyId(0)).normalize();
        assert!((axis.y - degrees.to_radians().sin()).abs() < 1e-3, "{axis}");
        let fall = Snowfall {
            spread: 0.0,
            ..fast()
        };
        world.snow = Some(Snow::new(fall).unwrap());
        run(&mut world, 30);
        assert_eq!(
            world.tree(TREE).snow_mass(BodyId(0)) > 0.0,
            holds,
            "{degrees}"
        );
    }
}

fn snowy(solver: Solver) -> World {
    let mut world = world_of(&trees::random_tree(8000, 5), with(solver));
    world.snow = Some(Snow::new(fast()).unwrap());
    world.fields.push(Box::new(Wind::steady(Vec3::X * 5.0)));
    world
}

#[test]
fn hashes_do_not_depend_on_threads_and_snapshots_go_back() {
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        let hash = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let mut world = snowy(solver);
            pool.install(|| run(&mut world, 20));
            world.state_hash()
        };
        assert_eq!(hash(1), hash(3));
        let mut world = snowy(solver);
        run(&mut world, 10);
        let snapshot = world.snapshot();
        run(&mut world, 10);
        let (then, balance) = (world.state_hash(), world.tree(TREE).snow_balance());
        assert_eq!(then, hash(1));
        world.restore(&snapshot);
        run(&mut world, 10);
        assert_eq!(world.state_hash(), then);
        assert_eq!(world.tree(TREE).snow_balance(), balance);
        // New parameters leave the snow where it is.
        let params = world.tree(TREE).params().clone();
        let mass = |w: &World| {
            w.tree(TREE)
                .ids()
                .map(|id| w.tree(TREE).body(id).mass)
                .sum::<f32>()
        };
        let before = mass(&world);
        world.tree_mut(TREE).set_params(params).unwrap();
        assert_eq!(mass(&world), before);
    }
}
