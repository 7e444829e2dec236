//! Trees that never pass through themselves: by the independent certificate, at the end of every frame.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::trees::{Dice, exactly, upright};
use common::{all_finite, segment};
use treesway::elements::{BladeBend, Elements, LeafPattern, Part, intersecting_pairs};
use treesway::glam::{Quat, Vec3};
use treesway::math::V3;
use treesway::{
    BodyDesc, BodyId, BodyKind, ResponseDirections, Shape, Solver, StemScheme, StepReport, Tree,
    TreeDesc, TreeId, TreeOptions, Wind, WindSettings, World,
};

const TREE: TreeId = TreeId(0);

/// The paper's winds, m/s.
const WINDS: [Vec3; 4] = [
    Vec3::ZERO,
    Vec3::new(10.0, 0.0, 0.0),
    Vec3::new(-7.0, 0.0, 5.0),
    Vec3::new(-4.0, 0.0, 0.0),
];

/// A turn that leads +z to a direction which leans by `lean` rad from it, to the side `side` rad.
fn leaning(lean: f32, side: f32) -> Quat {
    let (lean, side) = (f64::from(lean), f64::from(side));
    let about = V3 {
        x: -libm::sin(side),
        y: libm::cos(side),
        z: 0.0,
    };
    exactly(about * lean)
}

/// A tree of so many stems and leaves without an intersection, its twigs close to each other.
fn dense_tree(stems: usize, leaves: usize, seed: u64) -> TreeDesc {
    let mut dice = Dice(seed);
    let mut bodies = vec![BodyDesc::new(
        None,
        segment(0.5, 0.03, 0.024),
        Vec3::ZERO,
        upright(),
    )];
    let clean = |bodies: &[BodyDesc]| {
        let desc = TreeDesc {
            bodies: bodies.to_vec(),
        };
        let elements = Elements::new(&desc, &LeafPattern::default());
        intersecting_pairs(&elements, elements.rest()).is_empty()
    };
    while bodies.len() < stems {
        let parent = dice.between(0.0, bodies.len() as f32 - 0.001) as usize;
        let Shape::Segment { length, tip, .. } = bodies[parent].shape else {
            continue;
        };
        let shape = segment(
            (length * dice.between(0.6, 0.9)).max(0.08),
            (tip * 0.9).max(0.002),
            (tip * 0.7).max(0.0018),
        );
        let turn = leaning(dice.between(0.1, 0.9), dice.between(0.0, 6.2));
        let at = Vec3::new(0.0, 0.0, length);
        bodies.push(BodyDesc::new(Some(parent as u32), shape, at, turn));
        if !clean(&bodies) {
            bodies.pop();
        }
    }
    while bodies.len() < stems + leaves {
        let parent = dice.between(0.0, stems as f32 - 0.001) as usize;
        let Shape::Segment { length, base, .. } = bodies[parent].shape else {
            continue;
        };
        if base > 0.012 {
            continue;
        }
        let shape = Shape::Leaf {
            length: 0.09,
            width: 0.05,
            thickness: 0.0003,
        };
        let turn = leaning(dice.between(0.5, 1.3), dice.between(0.0, 6.2));
        let out = Vec3::from(treesway::math::Quaternion::from(turn).rotate(Vec3::Z.into()));
        let at = Vec3::new(0.0, 0.0, length * dice.between(0.3, 1.0)) + out * (base + 0.02);
        bodies.push(BodyDesc::new(Some(parent as u32), shape, at, turn));
        if !clean(&bodies) {
            bodies.pop();
        }
    }
    TreeDesc { bodies }
}

fn world_in(desc: &TreeDesc, wind: Vec3, change: impl FnOnce(&mut TreeOptions)) -> World {
    let mut options = TreeOptions::default();
    options.settings.solver = Solver::Contact;
    options.params.wood.youngs_modulus = 3e7;
    change(&mut options);
    let mut world = World::default();
    world.add(Tree::build(desc, options).expect("the tree is valid"));
    if wind != Vec3::ZERO {
        let settings = WindSettings {
            velocity: wind,
            ..WindSettings::default()
        };
        world.fields.push(Box::new(Wind::new(settings).unwrap()));
    }
    world
}

/// Pairs that intersect now.
fn intersecting(world: &World) -> usize {
    let tree = world.tree(TREE);
    let elements = tree.contact_elements().expect("it is kept apart");
    let mut points = Vec::new();
    elements.pose_of_tree(tree, &mut points);
    let on_tree = |part: Part| tree.is_attached(BodyId(part.element() as u32));
    let pairs = intersecting_pairs(elements, &points);
    // What is off may fly and fall where it will.
    let pairs = pairs.iter().filter(|(a, b)| on_tree(*a) && on_tree(*b));
    pairs.count()
}

/// Runs frames, each of which ends clean; what they reported.
fn run_clean(world: &mut World, frames: usize) -> StepReport {
    let mut sum = StepReport::default();
    for frame in 0..frames {
        sum += world.step();
        assert_eq!(intersecting(world), 0, "in frame {frame}");
    }
    assert!(all_finite(world.tree(TREE)));
    assert_eq!(sum.healed, 0);
    sum
}

#[test]
fn every_frame_ends_clean_in_the_winds_of_the_paper() {
    let desc = dense_tree(40, 60, 3);
    for wind in WINDS {
        let mut world = world_in(&desc, wind, |_| {});
        let report = run_clean(&mut world, 300);
        println!(
            "{wind}: {} contacts, {} returned, {} rounds, {} pairs, {:.2} ms a frame",
            report.touching,
            report.returned,
            report.contact_rounds,
            report.pairs_looked_at,
            report.times.contact.as_secs_f64() / 0.3
        );
        if wind.x == 10.0 {
            assert!(report.touching > 100, "the test needs contacts");
        }
    }
}

/// The same machinery under the other solvers, and by the cases of the paper.
#[test]
fn other_solvers_and_directions_end_clean_too() {
    let desc = dense_tree(40, 60, 3);
    let wind = Vec3::new(10.0, 0.0, 0.0);
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        let mut world = world_in(&desc, wind, |options| {
            options.settings.solver = solver;
            options.settings.self_contact.enabled = Some(true);
        });
        let report = run_clean(&mut world, 150);
        println!(
            "{solver:?}: {} contacts, {} returned",
            report.touching, report.returned
        );
        assert!(report.touching > 0);
    }
    let mut world = world_in(&desc, wind, |options| {
        options.settings.self_contact.directions = ResponseDirections::Cases;
    });
    let report = run_clean(&mut world, 150);
    println!(
        "cases: {} contacts, {} returned",
        report.touching, report.returned
    );
    let mut world = world_in(&desc, wind, |options| {
        options.settings.self_contact.force = 0.05;
    });
    let report = run_clean(&mut world, 150);
    println!(
        "C_r 0.05 N: {} contacts, {} returned",
        report.touching, report.returned
    );
}

/// An apple tree as it grows: leaves of a cluster begin in one point and touch there for good, others are kept apart. Each step of such pairs took ten thousand planes, and
/// a frame two minutes.
#[test]
fn crowded_leaves_of_an_apple_tree_are_kept_apart_quickly() {
    let wanted = treesway_grow::Wanted {
        bodies: Some(700),
        ..treesway_grow::Wanted::default()
    };
    let species = treesway_grow::species::named("apple").unwrap();
    let grown = species.grow(1, &wanted).unwrap();
    let desc = treesway::cut(&grown.skeleton, &grown.cut).unwrap();
    let mut world = world_in(&desc, Vec3::X * 8.0, |options| {
        options.params = grown.params.unwrap();
    });
    let pairs = |world: &World| {
        let tree = world.tree(TREE);
        let elements = tree.contact_elements().expect("it is kept apart");
        let mut points = Vec::new();
        elements.pose_of_tree(tree, &mut points);
        intersecting_pairs(elements, &points)
    };
    let start = std::time::Instant::now();
    let mut sum = world.step();
    // Those of one point begin less than the error of positions apart.
    let elements = world.tree(TREE).contact_elements().unwrap();
    let base = |p: Part| elements.rest()[elements.points_of(p.element()).start + 1];
    let touch: Vec<(Part, Part)> = elements
        .all_parts()
        .flat_map(|a| elements.all_parts().map(move |b| (a, b)))
        .filter(|(a, b)| a < b && a.is_blade() && b.is_blade())
        .filter(|(a, b)| (base(*a) - base(*b)).length() < 1e-5)
        .collect();
    let given = intersecting_pairs(elements, elements.rest());
    for frame in 0..30 {
        sum += world.step();
        let new = |p: &&(Part, Part)| !given.contains(p) && !touch.contains(p);
        let found = pairs(&world);
        let found: Vec<_> = found.iter().filter(new).collect();
        assert!(found.is_empty(), "frame {frame}: {found:?}");
    }
    println!(
        "apple: {} pairs intersect and {} blades begin in one point as it grows; {} contacts, {:.1} ms a frame",
        given.len(),
        touch.len(),
        sum.touching,
        sum.times.contact.as_secs_f64() * 1e3 / 31.0
    );
    assert!(sum.touching > 1000);
    assert!(start.elapsed().as_secs() < 60);
}

/// How far each stem's tip goes from where it began, and whether it or anything that it hangs on met something.
fn excursions(desc: &TreeDesc, wind: Vec3, enabled: bool) -> Vec<f32> {
    let mut world = world_in(desc, wind, |options| {
        // Particles move alike and can do without.
        options.settings.solver = Solver::Particles;
        options.settings.self_contact.enabled = Some(enabled);
    });
    let tips = |world: &World| -> Vec<Vec3> {
        let tree = world.tree(TREE);
        let stems = tree
            .ids()
            .filter(|&id| tree.body(id).kind == BodyKind::Segment);
        stems.map(|id| tree.tip(id)).collect()
    };
    let start = tips(&world);
    let mut far = vec![0.0_f32; start.len()];
    for _ in 0..200 {
        world.step();
        for (far, (now, then)) in far.iter_mut().zip(tips(&world).iter().zip(&start)) {
            *far = far.max(now.distance(*then));
        }
    }
    far
}

/// What meets nothing goes as far as without contacts: half of all tips within a tenth, and together they lose little.
#[test]
fn tree_is_not_frozen() {
    let desc = dense_tree(40, 60, 3);
    let wind = Vec3::new(10.0, 0.0, 0.0);
    let (with, without) = (
        excursions(&desc, wind, true),
        excursions(&desc, wind, false),
    );
    let mut shares: Vec<f32> = with
        .iter()
        .zip(&without)
        .map(|(a, b)| a / b.max(1e-6))
        .collect();
    shares.sort_by(f32::total_cmp);
    let middle = shares[shares.len() / 2];
    println!(
        "excursions: {:.3} {:.3} {:.3} of those without contacts",
        shares[0],
        middle,
        shares[shares.len() - 1]
    );
    assert!(middle > 0.9);
    assert!(shares[shares.len() / 10] > 0.5);
}

/// One stem, let go at 0.1 rad: a rod of wood swings too fast for 30 explicit steps a second.
#[test]
fn printed_step_diverges_where_the_closed_form_does_not() {
    let desc = TreeDesc {
        bodies: vec![BodyDesc::new(
            None,
            segment(0.5, 0.01, 0.008),
            Vec3::ZERO,
            upright(),
        )],
    };
    let limited = |scheme: StemScheme| {
        let mut world = world_in(&desc, Vec3::ZERO, |options| {
            options.settings.stems.scheme = scheme;
            options.params.wood.youngs_modulus = 8e9;
        });
        let tree = world.tree_mut(TREE);
        tree.set_joint(BodyId(0), Vec3::X * 0.1, Vec3::ZERO);
        tree.settle_world();
        let report = common::run(&mut world, 60);
        let theta = world.tree(TREE).body(BodyId(0)).theta.length();
        println!("{scheme:?}: {theta} rad, {} limited", report.limited);
        (report.limited, theta)
    };
    let (printed, _) = limited(StemScheme::AsPrinted);
    assert!(printed > 10);
    let (closed, theta) = limited(StemScheme::ClosedForm);
    assert_eq!(closed, 0);
    assert!(theta < 0.01);
}

/// Bent by the wind, then let go without weight: contacts may take energy away, not bring any.
#[test]
fn energy_does_not_grow_from_contacts() {
    let desc = dense_tree(40, 60, 3);
    let mut world = world_in(&desc, Vec3::new(10.0, 0.0, 0.0), |options| {
        options.params.gravity_pose = treesway::GravityPose::Unloaded;
    });
    world.gravity = Vec3::ZERO;
    run_clean(&mut world, 60);
    world.fields.clear();
    let energy = |world: &World| world.tree(TREE).energy(Vec3::ZERO).total();
    let start = energy(&world);
    let (mut most, mut contacts) = (0.0_f64, 0);
    for _ in 0..150 {
        contacts += world.step().touching;
        most = most.max(energy(&world) / start);
    }
    let left = energy(&world) / start;
    println!(
        "energy: at most {most:.4} of that at the start, {left:.2e} at the end, {contacts} contacts"
    );
    assert!(contacts > 20);
    assert!(most <= 1.0 && left < 0.02);
}

#[test]
fn two_minutes_pass_without_trembling_or_sticking() {
    rests_in_wind_and_after(3, 10.0);
}

/// Other trees and winds, in which stems swung by as much as 18 cm a frame while their κ knew nothing of the leaves they carry.
#[test]
fn other_trees_and_winds_come_to_rest_too() {
    for (seed, wind) in [
        (3, 5.0),
        (3, 20.0),
        (5, 10.0),
        (6, 10.0),
        (7, 10.0),
        (8, 10.0),
    ] {
        rests_in_wind_and_after(seed, wind);
    }
}

/// Steady wind for a minute, then none for another: nothing explodes, trembles or sticks.
fn rests_in_wind_and_after(seed: u64, wind: f32) {
    let desc = dense_tree(40, 60, seed);
    // Softer wood would not hold itself up once the wind has bent it.
    let mut world = world_in(&desc, Vec3::ZERO, |options| {
        options.params.wood.youngs_modulus = 2e8;
    });
    let rest: Vec<Vec3> = all_tips(&world);
    world.fields.push(Box::new(Wind::steady(Vec3::X * wind)));
    let moved = |world: &mut World, frames: usize| {
        let mut most = 0.0_f32;
        for _ in 0..frames {
            let before = all_tips(world);
            world.step();
            let now = all_tips(world);
            let ways = now.iter().zip(&before).map(|(a, b)| a.distance(*b));
            most = ways.fold(most, f32::max);
        }
        most
    };
    run_clean(&mut world, 1650);
    let trembling = moved(&mut world, 150);
    world.fields.clear();
    run_clean(&mut world, 1650);
    let settled = moved(&mut world, 150);
    let now = all_tips(&world);
    let off: Vec<f32> = now.iter().zip(&rest).map(|(a, b)| a.distance(*b)).collect();
    let stuck = off.iter().filter(|&&d| d > 0.005).count();
    println!(
        "tree {seed}, {wind} m/s: {trembling} m a frame in the wind, {settled} after it; {stuck} of {} tips are not back",
        off.len()
    );
    assert!(trembling < 5e-4 && settled < 5e-4);
    assert!(stuck * 20 <= off.len());
}

fn all_tips(world: &World) -> Vec<Vec3> {
    let tree = world.tree(TREE);
    tree.ids().map(|id| tree.tip(id)).collect()
}

#[test]
fn same_bits_for_one_thread_and_two() {
    let desc = dense_tree(40, 60, 3);
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut world = world_in(&desc, Vec3::new(-7.0, 0.0, 5.0), |_| {});
            for _ in 0..60 {
                world.step();
            }
            world.state_hash()
        })
    };
    assert_eq!(hash(1), hash(2));
}

/// Wood breaks and leaves come off in the wind, and what stays on the tree goes on without passing through itself, by any solver.
#[test]
fn what_breaks_and_falls_leaves_a_clean_tree() {
    let desc = dense_tree(40, 60, 3);
    let wind = Vec3::new(10.0, 0.0, 0.0);
    for solver in [Solver::Contact, Solver::Analytic, Solver::Coupled] {
        let mut world = world_in(&desc, wind, |options| {
            options.settings.solver = solver;
            options.settings.self_contact.enabled = Some(true);
            options.params.breakage.factor = Some(0.006);
            options.params.shedding.leaf.hold = Some(6.0);
        });
        let report = run_clean(&mut world, 120);
        println!(
            "{solver:?}: {} broken, {} let go, {} contacts, {} returned",
            report.broken, report.detached, report.touching, report.returned
        );
        assert!(report.broken > 0 && report.detached > 0 && report.touching > 0);
    }
}

/// The same by hand.
#[test]
fn what_is_cut_leaves_a_clean_tree() {
    let desc = dense_tree(40, 60, 3);
    for solver in [Solver::Contact, Solver::Analytic, Solver::Coupled] {
        let mut world = world_in(&desc, Vec3::new(10.0, 0.0, 0.0), |options| {
            options.settings.solver = solver;
            options.settings.self_contact.enabled = Some(true);
        });
        run_clean(&mut world, 20);
        let [limb, leaf] = [BodyId(5), BodyId(99)];
        let tree = world.tree_mut(TREE);
        tree.detach(leaf);
        let off = tree.cut(limb).len();
        run_clean(&mut world, 60);
        println!("{solver:?}: {off} bodies off");
        assert!(!world.tree(TREE).is_attached(leaf) && !world.tree(TREE).is_attached(limb));
    }
}

/// Of blades: how far both sides are bent at most, and how far the midrib is, in a wind.
fn most_bent(world: &World) -> [f32; 2] {
    let tree = world.tree(TREE);
    tree.ids().fold([0.0, 0.0], |[side, rib], id| {
        let BladeBend { left, right, curl } = tree.blade_bend(id);
        [side.max(left.abs()).max(right.abs()), rib.max(curl.abs())]
    })
}

#[test]
fn blades_bend_in_the_wind_and_straighten_after_it() {
    let desc = dense_tree(40, 60, 3);
    let mut world = world_in(&desc, Vec3::new(10.0, 0.0, 0.0), |options| {
        options.params.wood.youngs_modulus = 2e8;
    });
    assert_eq!(most_bent(&world), [0.0; 2]);
    run_clean(&mut world, 40);
    let [side, rib] = most_bent(&world);
    println!("sides up to {side} rad, midribs up to {rib}");
    // C_W w/k is 0.3 rad where the wind strikes a leaf at a right angle, and more where it is stronger, higher up.
    assert!(side > 0.1 && side < 0.5 && rib > 0.1);
    world.fields.clear();
    run_clean(&mut world, 30);
    let [side, rib] = most_bent(&world);
    assert!(side < 1e-4 && rib < 1e-4, "{side} {rib}");
}

/// Stiffer blades bend less, and what bends gives way to the wind: the leaf's own torque falls.
#[test]
fn stiff_blades_hardly_bend() {
    let desc = dense_tree(20, 20, 3);
    let bent = |stiffness: f32| {
        let mut world = world_in(&desc, Vec3::new(6.0, 0.0, 0.0), |options| {
            options.params.wood.youngs_modulus = 2e8;
            options.settings.stems.blade_stiffness = stiffness;
        });
        common::run(&mut world, 30);
        most_bent(&world)[0]
    };
    let (soft, stiff) = (bent(100.0), bent(1e6));
    assert!(soft > 0.1 && stiff < 1e-3, "{soft} {stiff}");
}

/// A snapshot brings back blades, pushes and all: what follows is the same to the last bit.
#[test]
fn contacts_go_on_from_a_snapshot() {
    let desc = dense_tree(40, 60, 3);
    let mut world = world_in(&desc, Vec3::new(10.0, 0.0, 0.0), |_| {});
    common::run(&mut world, 40);
    let (then, at) = (world.tree(TREE).snapshot(), world.seconds());
    common::run(&mut world, 20);
    let first = world.tree(TREE).state_hash();
    world.tree_mut(TREE).restore(&then);
    world.set_seconds(at);
    common::run(&mut world, 20);
    assert_eq!(world.tree(TREE).state_hash(), first);
}

/// A rod that leans to one side and turns to the other within a frame, and another one across its way, at nine tenths of its length and more: at half of the way it is there in truth, and
/// on straight ways of its ends far below.
fn turnstile() -> TreeDesc {
    let rod = |length: f32| segment(length, 0.003, 0.0025);
    let quarter = core::f32::consts::FRAC_PI_2;
    let end = |length: f32| Vec3::new(0.0, 0.0, length);
    let (lean, length) = (0.5_f32, 0.5_f32);
    // Beside the way up to 0.96 of its length, then across it.
    let beside = 0.96 * length / (1.0 - 0.5 * lean * lean + lean.powi(4) / 24.0);
    TreeDesc {
        bodies: vec![
            BodyDesc::new(None, segment(0.1, 0.01, 0.01), Vec3::ZERO, upright()),
            BodyDesc::new(Some(0), rod(length), end(0.1), leaning(lean, 2.0 * quarter)),
            BodyDesc::new(Some(0), rod(beside), end(0.1), leaning(lean, quarter)),
            BodyDesc::new(
                Some(2),
                rod(0.3),
                end(beside),
                leaning(quarter + lean, -quarter),
            ),
        ],
    }
}

/// Angles of all joints.
fn angles(world: &World) -> Vec<Vec3> {
    let tree = world.tree(TREE);
    tree.ids().map(|id| tree.body(id).theta).collect()
}

/// Most pairs that intersect at 200 poses between two, with all joints on their way, which are so near to each other that none of these rods jumps over another; `ghost` is moved.
fn intersecting_between(
    ghost: &mut World,
    elements: &Elements,
    from: &[Vec3],
    to: &[Vec3],
) -> usize {
    let mut points = Vec::new();
    let between = (1..200).map(|k| {
        let tree = ghost.tree_mut(TREE);
        for (i, (a, b)) in from.iter().zip(to).enumerate() {
            let theta = *a + (*b - *a) * (k as f32 / 200.0);
            tree.set_joint(BodyId(i as u32), theta, Vec3::ZERO);
        }
        tree.settle_world();
        elements.pose_of_tree(tree, &mut points);
        intersecting_pairs(elements, &points).len()
    });
    between.max().unwrap()
}

/// What turns past another within a frame meets it on its true way, where straight ways lead past it.
#[test]
fn what_turns_by_a_radian_in_a_frame_meets_what_is_on_its_way() {
    let desc = turnstile();
    let elements = Elements::new(&desc, &LeafPattern::default());
    let swing = BodyId(1);
    let turned = |solver: Solver, enabled: bool| {
        let build = || {
            let mut world = world_in(&desc, Vec3::ZERO, |options| {
                options.settings.solver = solver;
                options.settings.self_contact.enabled = Some(enabled);
                options.params.wood.youngs_modulus = 1e3;
                options.params.gravity_pose = treesway::GravityPose::Unloaded;
            });
            world.gravity = Vec3::ZERO;
            world
        };
        let (mut world, mut ghost) = (build(), build());
        let tree = world.tree_mut(TREE);
        tree.set_joint(swing, Vec3::ZERO, Vec3::Y * 31.0);
        tree.settle_world();
        let from = angles(&world);
        let report = world.step();
        let to = angles(&world);
        let between = intersecting_between(&mut ghost, &elements, &from, &to);
        println!(
            "{solver:?}, {enabled}: {} rad, {between} pairs on the way",
            to[1].y
        );
        (to[1].y, between, report.touching)
    };
    // Left alone it passes through.
    let (by, between, _) = turned(Solver::Coupled, false);
    assert!(by > 0.9 && between > 0);
    for solver in [Solver::Coupled, Solver::Analytic, Solver::Contact] {
        let (by, between, touching) = turned(solver, true);
        assert_eq!((between, touching), (0, 1), "{solver:?}");
        // It is not held where it began.
        assert!(by > 0.1, "{solver:?}: {by} rad");
    }
}
