//! Trees that move by the spectral solver, as bodies.

use treesway::glam::{Quat, Vec3};
use treesway::spectral::{
    BranchFactors, LevelFactors, Recording, SpectralTree, SpectralWind, Stroke, matches,
};
use treesway::{
    Attachment, BodyKind, Branch, CutOptions, Leaf, Skeleton, Solver, SolverSettings,
    SpectralSettings, Tree, TreeOptions, Wind, WindSettings, World, cut,
};

/// A trunk with twelve limbs of four twigs each, leaves on them.
fn tree(solver: Solver) -> Tree {
    let trunk = Branch::trunk([(Vec3::ZERO, 0.08), (Vec3::Y * 5.0, 0.02)]);
    let mut branches = vec![trunk];
    let mut leaves = Vec::new();
    for i in 0..12 {
        let (at, angle) = (1.5 + 0.27 * i as f32, 2.4 * i as f32);
        let from = Vec3::Y * at;
        let out = Vec3::new(angle.cos(), 0.5, angle.sin()) * (2.2 - 0.3 * at);
        branches.push(Branch::on(0, at, [(from, 0.022), (from + out, 0.006)]));
        let limb = branches.len() - 1;
        for j in 0..4 {
            let along = 0.25 + 0.2 * j as f32;
            let base = from + out * along;
            let aside =
                Vec3::new(-angle.sin(), 0.4, angle.cos()) * if j % 2 == 0 { 0.5 } else { -0.5 };
            branches.push(Branch::on(
                limb,
                along * out.length(),
                [(base, 0.004), (base + aside, 0.0015)],
            ));
            let twig = branches.len() - 1;
            leaves.extend((0..3).map(|k| {
                let share = 0.4 + 0.25 * k as f32;
                Leaf {
                    on: Attachment {
                        branch: twig,
                        along: aside.length() * share,
                    },
                    position: base + aside * share,
                    rotation: Quat::from_rotation_y(angle),
                    length: 0.1,
                    width: 0.07,
                }
            }));
        }
    }
    let skeleton = Skeleton {
        branches,
        leaves,
        ..Skeleton::default()
    };
    let bodies = cut(&skeleton, &CutOptions::default()).expect("the skeleton can be cut");
    let settings = SolverSettings {
        solver,
        ..SolverSettings::default()
    };
    Tree::build(
        &bodies,
        TreeOptions {
            settings,
            ..TreeOptions::default()
        },
    )
    .expect("the tree is valid")
}

fn blown(tree: Tree, speed: f32) -> World {
    let mut world = World::default();
    world.add(tree);
    let settings = WindSettings {
        velocity: Vec3::new(speed, 0.0, 0.3 * speed),
        ..WindSettings::default()
    };
    world
        .fields
        .push(Box::new(Wind::new(settings).expect("the wind is valid")));
    world
}

/// Farthest that any end of wood goes from one frame to the next; leaves flutter.
fn largest_step(before: &[Vec3], tree: &Tree) -> f32 {
    let moved = tree
        .ids()
        .zip(before)
        .filter(|(id, _)| tree.body(*id).kind == BodyKind::Segment)
        .map(|(id, b)| tree.tip(id).distance(*b));
    moved.fold(0.0, f32::max)
}

fn tips(tree: &Tree) -> Vec<Vec3> {
    tree.ids().map(|id| tree.tip(id)).collect()
}

#[test]
fn branches_are_found_with_their_levels() {
    let tree = tree(Solver::Spectral);
    let spectral = SpectralTree::of(&tree, &Default::default(), &SpectralSettings::default());
    let counts: Vec<u32> = spectral.model.levels.iter().map(|l| l.branches).collect();
    assert_eq!(counts, [1, 12, 48]);
    for (id, body) in tree.ids().zip(&spectral.bodies) {
        assert_eq!(body.along, tree.body(id).kind == BodyKind::Segment);
    }
    // Twigs that may not move by themselves ride on their limbs.
    let few = SpectralSettings {
        levels: 2,
        ..SpectralSettings::default()
    };
    let spectral = SpectralTree::of(&tree, &Default::default(), &few);
    assert_eq!(spectral.model.branches.len(), 13);
}

#[test]
fn frequencies_are_those_of_the_wood() {
    let tree = tree(Solver::Spectral);
    let spectral = SpectralTree::of(&tree, &Default::default(), &SpectralSettings::default());
    // The trunk with a rigid crown: somewhat above the first mode, in which limbs give way, too.
    let ratio = f64::from(spectral.model.frequencies[0]) / tree.first_frequency();
    println!("trunk {ratio:.3} of the first mode");
    assert!((0.95..1.25).contains(&ratio), "{ratio}");
}

#[test]
fn motion_is_a_function_of_time_alone() {
    let mut world = blown(tree(Solver::Spectral), 6.0);
    // What fades at the start is over after two seconds.
    (0..90).for_each(|_| {
        world.step();
    });
    let there = tips(&world.trees()[0]);
    let mut other = blown(tree(Solver::Coupled), 6.0);
    (0..20).for_each(|_| {
        other.step();
    });
    other
        .tree_mut(treesway::TreeId(0))
        .set_solver(Solver::Spectral);
    (20..90).for_each(|_| {
        other.step();
    });
    assert!(largest_step(&there, &other.trees()[0]) < 1e-4);
    let snapshot = world.snapshot();
    (0..30).for_each(|_| {
        world.step();
    });
    let hash = world.state_hash();
    world.restore(&snapshot);
    (0..30).for_each(|_| {
        world.step();
    });
    assert_eq!(world.state_hash(), hash);
}

#[test]
fn hand_over_does_not_jump() {
    let mut world = blown(tree(Solver::Coupled), 8.0);
    let mut usual = 0.0_f32;
    for _ in 0..120 {
        let before = tips(&world.trees()[0]);
        world.step();
        usual = usual.max(largest_step(&before, &world.trees()[0]));
    }
    let far = Vec3::new(100.0, 2.0, 0.0);
    let mut most = 0.0_f32;
    for frame in 0..240 {
        // Away after a second, back after five.
        if frame == 30 {
            assert_eq!(world.hand_over(far, 50.0, Solver::Coupled), 1);
        }
        if frame == 150 {
            assert_eq!(world.hand_over(Vec3::Z, 50.0, Solver::Coupled), 1);
        }
        let before = tips(&world.trees()[0]);
        world.step();
        let step = largest_step(&before, &world.trees()[0]);
        // What fades is over after two seconds: from then on that is how a spectral tree moves.
        if (90..150).contains(&frame) {
            usual = usual.max(step);
        } else {
            most = most.max(step);
        }
    }
    println!("largest step of a tip: of either motion {usual:.4} m, handed over {most:.4} m");
    assert!(most < 1.5 * usual, "{usual} {most}");
}

#[test]
fn a_fitted_tree_moves_as_the_simulated_one_did() {
    let record = |world: &mut World, spectral: &SpectralTree, seconds: f64| {
        let mut recording = Recording::new(&world.trees()[0], spectral, world.frame_secs());
        (0..150).for_each(|_| {
            world.step();
        });
        for _ in 0..(seconds / world.frame_secs()) as u32 {
            world.step();
            recording.add(&world.trees()[0]);
        }
        recording.motions()
    };
    let mut simulated = blown(tree(Solver::Coupled), 6.0);
    let wind = simulated.fields[0]
        .breeze(Vec3::Y * 3.0)
        .expect("it is a wind");
    let spectral = simulated.trees()[0].spectral(&wind);
    let seen = record(&mut simulated, &spectral, 20.0);
    let mut by_itself = blown(tree(Solver::Spectral), 6.0);
    let before = record(&mut by_itself, &spectral, 20.0);
    let mut fitted = blown(tree(Solver::Spectral), 6.0);
    let fit = treesway::spectral::Fit {
        motions: seen.clone(),
        wind,
    };
    fitted
        .tree_mut(treesway::TreeId(0))
        .set_spectral_fit(Some(fit));
    let after = record(&mut fitted, &spectral, 20.0);
    let branches = &spectral.model.branches;
    for (name, motions) in [("by itself", &before), ("fitted", &after)] {
        for (level, m) in matches(branches, &seen, motions).iter().enumerate() {
            println!(
                "{name}, level {level}: swing {:.4} → {:.4}, {:.2} → {:.2} Hz, correlation {:.2}",
                m.swing[0], m.swing[1], m.frequency[0], m.frequency[1], m.correlation
            );
        }
    }
    for m in matches(branches, &seen, &after) {
        let (swing, pace) = (m.swing[1] / m.swing[0], m.frequency[1] / m.frequency[0]);
        assert!(
            (0.6..1.6).contains(&swing) && (0.7..1.4).contains(&pace),
            "{m:?}"
        );
    }
}

#[test]
fn a_trunk_swings_as_fast_as_the_whole_tree_does() {
    let tree = tree(Solver::Coupled);
    let slowest = tree.modes(1)[0].frequency_hz;
    let model = tree.spectral(&SpectralWind::default()).model;
    let found = f64::from(model.frequencies[0]);
    println!("trunk {found:.3} Hz, slowest mode of the tree {slowest:.3} Hz");
    assert!((found / slowest - 1.0).abs() < 0.05, "{found} {slowest}");
}

#[test]
fn one_branch_is_tuned_and_no_other() {
    let tree = tree(Solver::Spectral);
    let wind = SpectralWind {
        velocity: Vec3::new(6.0, 0.0, 0.0),
        intensity: 0.25,
        ..SpectralWind::default()
    };
    let plain = SpectralSettings::default();
    let before = SpectralTree::of(&tree, &wind, &plain);
    // A body of the third branch.
    let body = tree
        .ids()
        .find(|id| before.bodies[id.index()].at.branch == 2)
        .unwrap();
    let factors = LevelFactors {
        swing: 2.0,
        push: 0.5,
        frequency: 1.5,
        taper: 0.5,
        ..LevelFactors::default()
    };
    let settings = SpectralSettings {
        branch: vec![BranchFactors { body, factors }],
        ..plain
    };
    settings.validate().unwrap();
    let after = SpectralTree::of(&tree, &wind, &settings);
    for (i, (a, b)) in before
        .model
        .branches
        .iter()
        .zip(&after.model.branches)
        .enumerate()
    {
        let same = (a.amplitude, a.push, a.c2) == (b.amplitude, b.push, b.c2);
        assert_eq!(same, i != 2, "branch {i}");
    }
    assert!(after.model.branches[2].c4 > before.model.branches[2].c4);
}

#[test]
fn a_painted_place_follows_less_and_stays_in_one_piece() {
    let tree = tree(Solver::Spectral);
    let wind = SpectralWind {
        velocity: Vec3::new(12.0, 0.0, 0.0),
        intensity: 0.25,
        ..SpectralWind::default()
    };
    let stroke = Stroke {
        at: Vec3::Y * 5.0,
        radius: 1.5,
        weight: 0.2,
    };
    let painted = SpectralSettings {
        paint: vec![stroke],
        ..SpectralSettings::default()
    };
    painted.validate().unwrap();
    let height = |settings: &SpectralSettings, at: f32| {
        let spectral = SpectralTree::of(&tree, &wind, settings);
        let (model, frame) = (&spectral.model, spectral.model.frame(1.0));
        let (mut phases, mut away) = (Vec::new(), Vec::new());
        model.phases(1.0, &mut phases);
        model.away(&spectral.textures, &frame, &phases, 0.0, &mut away);
        let point = Vec3::Y * at;
        let on = model.along(0, point);
        let [moved, ..] = model.bark(&frame, &away, on, [point, Vec3::X, Vec3::Y]);
        moved
    };
    let plain = SpectralSettings::default();
    let away = |s: &SpectralSettings, at: f32| height(s, at).distance(Vec3::Y * at);
    assert!(away(&painted, 4.9) < 0.6 * away(&plain, 4.9));
    assert_eq!(
        away(&painted, 3.0),
        away(&plain, 3.0),
        "beyond the brush nothing changes"
    );
    // No step anywhere: neighbours stay neighbours.
    for i in 0..200 {
        let at = 3.0 + 0.01 * i as f32;
        let gap = height(&painted, at).distance(height(&painted, at + 0.01));
        assert!((0.005..0.02).contains(&gap), "{at}: {gap}");
    }
}
