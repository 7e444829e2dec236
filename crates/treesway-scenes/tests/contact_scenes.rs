//! The scenes `contact-…` in the four winds of their paper: no frame ends with two of their parts in each other.

use treesway::elements::intersecting_pairs;
use treesway::glam::Vec3;
use treesway::{BodyId, StepReport, Tree, TreeId};

const WINDS: [&str; 4] = ["[0,0,0]", "[10,0,0]", "[-7,0,5]", "[-4,0,0]"];

/// Runs a scene in all winds and looks at the end of every frame.
fn stays_clean(name: &str, frames: usize) {
    for wind in WINDS {
        stays_clean_in(name, wind, frames);
    }
}

/// The same in one of them; what became of it.
fn stays_clean_in(name: &str, wind: &str, frames: usize) -> StepReport {
    let set = [format!("wind.velocity={wind}")];
    let scene = treesway_scenes::find(name).unwrap().load(&set).unwrap();
    let mut simulation = scene.build().unwrap();
    let mut sum = StepReport::default();
    let mut points = Vec::new();
    for frame in 0..frames {
        sum += simulation.step();
        let tree = simulation.world().tree(TreeId(0));
        let elements = tree.contact_elements().expect("it is kept apart");
        elements.pose_of_tree(tree, &mut points);
        let pairs = intersecting_pairs(elements, &points);
        assert!(
            pairs.is_empty(),
            "{name}, wind {wind}, frame {frame}: {pairs:?}"
        );
    }
    assert_eq!(sum.healed, 0);
    println!(
        "{name}, wind {wind}: {frames} clean frames, {} contacts, {} joints returned, {:.2} ms a frame",
        sum.touching,
        sum.returned,
        sum.times.total().as_secs_f64() * 1e3 / frames as f64
    );
    sum
}

#[test]
fn small_tree_stays_clean() {
    stays_clean("contact-small", 600);
}

#[test]
fn medium_tree_stays_clean() {
    stays_clean("contact-medium", 60);
}

/// The first frames of the large tree, as its wind sets in.
#[test]
fn large_tree_stays_clean() {
    let sum = stays_clean_in("contact-large", WINDS[1], 10);
    assert!(sum.touching > 100, "{}", sum.touching);
}

/// What a run came to, to the last bit, and the most pairs that rounds of a frame looked at in the mean.
fn outcome(threads: usize) -> ([u64; 5], u64) {
    let set = [format!("wind.velocity={}", WINDS[1])];
    let scene = treesway_scenes::find("contact-medium").unwrap();
    let mut simulation = scene.load(&set).unwrap().build().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let (mut sum, mut most) = (StepReport::default(), 0);
    pool.build().unwrap().install(|| {
        for _ in 0..40 {
            let report = simulation.step();
            // The round that ends a frame meets nothing and is not counted.
            most = most.max(report.pairs_looked_at / (report.contact_rounds + 1));
            sum += report;
        }
    });
    let hash = simulation.world().state_hash();
    let counts = [
        hash,
        sum.touching,
        sum.returned,
        sum.contact_rounds,
        sum.pairs_looked_at,
    ];
    (counts, most)
}

/// From 128 pairs on they are looked at in parallel, and there are as many here.
#[test]
fn contacts_are_the_same_on_any_number_of_threads() {
    let (alone, most) = outcome(1);
    assert!(most >= 128, "{most} pairs in a round");
    assert!(alone[1] > 1000, "{alone:?}");
    for threads in [2, 3, 8] {
        assert_eq!(outcome(threads).0, alone, "{threads} threads");
    }
}

#[test]
#[ignore = "600 frames of 558 elements in four winds; cargo xtask soak"]
fn medium_tree_stays_clean_for_long() {
    stays_clean("contact-medium", 600);
}

#[test]
#[ignore = "600 frames of 6,001 elements in four winds; cargo xtask soak"]
fn large_tree_stays_clean_for_long() {
    stays_clean("contact-large", 600);
}

/// Angles of all joints.
fn angles(tree: &Tree) -> Vec<Vec3> {
    tree.ids().map(|id| tree.body(id).theta).collect()
}

/// Runs a scene and looks at eight true poses on the way of every frame, all joints going on from where they were in a straight line. Blades do not bend, so that angles tell all.
fn is_clean_on_the_way(name: &str, solver: &str, wind: &str, frames: usize) {
    let set = [
        format!("wind.velocity={wind}"),
        format!("tree.solver={solver}"),
        "tree.settings.self_contact.enabled=true".to_owned(),
        "tree.settings.stems.blade_stiffness=1e9".to_owned(),
    ];
    let scene = treesway_scenes::find(name).unwrap();
    let scene = scene.load(&set).unwrap();
    let [mut simulation, mut ghost] = [0; 2].map(|_| scene.build().unwrap());
    let (mut most, mut touching, mut points) = (0.0_f32, 0, Vec::new());
    for frame in 0..frames {
        let from = angles(simulation.world().tree(TreeId(0)));
        touching += simulation.step().touching;
        let tree = simulation.world().tree(TreeId(0));
        let to = angles(tree);
        let elements = tree.contact_elements().expect("it is kept apart");
        for k in 1..=8 {
            let ghost = ghost.world_mut().tree_mut(TreeId(0));
            for (i, (a, b)) in from.iter().zip(&to).enumerate() {
                let theta = *a + (*b - *a) * (k as f32 / 8.0);
                ghost.set_joint(BodyId(i as u32), theta, Vec3::ZERO);
                most = most.max(a.distance(*b));
            }
            ghost.settle_world();
            elements.pose_of_tree(ghost, &mut points);
            let pairs = intersecting_pairs(elements, &points);
            assert!(
                pairs.is_empty(),
                "{solver}, wind {wind}, frame {frame}, at {k}/8: {pairs:?}"
            );
        }
    }
    println!(
        "{name}, {solver}, wind {wind}: clean on the way of {frames} frames, joints turn by up to {most:.2} rad in one, {touching} contacts"
    );
    assert!(touching > 1000 && most > 0.5, "the test needs quick turns");
}

#[test]
fn nothing_passes_through_another_within_a_frame() {
    is_clean_on_the_way("contact-medium", "coupled", "[10,0,0]", 60);
    is_clean_on_the_way("contact-medium", "contact", "[30,0,0]", 100);
}

#[test]
#[ignore = "eight certificates of 6,001 elements in each of 60 frames; cargo xtask soak"]
fn nothing_passes_through_another_within_a_frame_of_the_large_tree() {
    is_clean_on_the_way("contact-large", "contact", "[10,0,0]", 60);
}

/// Blown for two seconds and then left alone, with weight or without: a frame ends with no more energy than it began with or would have ended with if nothing were kept apart.
fn brings_no_energy(solver: &str, seed: Option<u32>, weight: bool) {
    let mut set = vec![
        "wind.velocity=[10,0,0]".to_owned(),
        format!("tree.solver={solver}"),
        "tree.settings.self_contact.enabled=true".to_owned(),
    ];
    set.extend(seed.map(|seed| format!("tree.seed={seed}")));
    set.extend((!weight).then(|| "tree.params.gravity_pose=unloaded".to_owned()));
    let scene = treesway_scenes::find("contact-medium").unwrap();
    let mut simulation = scene.load(&set).unwrap().build().unwrap();
    if !weight {
        simulation.world_mut().gravity = Vec3::ZERO;
    }
    for _ in 0..60 {
        simulation.step();
    }
    simulation.world_mut().fields.clear();
    let gravity = simulation.world().gravity;
    let energy = |world: &treesway::World| world.tree(TreeId(0)).energy(gravity);
    let scale = {
        let e = energy(simulation.world());
        e.kinetic + e.elastic + e.potential.abs()
    };
    let (mut worst, mut own, mut touching) = (f64::NEG_INFINITY, 0.0_f64, 0);
    for _ in 0..200 {
        let before = energy(simulation.world()).total();
        let mut untouched = simulation.world().without_fields();
        let tree = untouched.tree_mut(TreeId(0));
        let mut settings = tree.settings().clone();
        settings.self_contact.enabled = Some(false);
        tree.set_settings(settings).unwrap();
        untouched.step();
        let without = energy(&untouched).total();
        touching += simulation.step().touching;
        let now = energy(simulation.world()).total();
        worst = worst.max(now - before.max(without));
        own = own.max(without - before);
    }
    println!(
        "{solver}, seed {seed:?}, weight {weight}: contacts bring {worst:.1e} J at most, steps themselves {own:.1e} J, of {scale:.1} J; {touching} contacts"
    );
    assert!(touching > 100, "{solver}: the test needs contacts");
    // Energies of poses in single precision.
    let rounding = 2.0 * f64::from(f32::EPSILON) * scale;
    assert!(worst <= rounding, "{solver}, seed {seed:?}: {worst} J");
}

#[test]
fn contacts_bring_no_energy() {
    for solver in ["coupled", "analytic", "contact"] {
        brings_no_energy(solver, None, false);
    }
}

#[test]
fn contacts_bring_no_energy_to_trees_with_weight() {
    for (solver, seed) in [
        ("coupled", None),
        ("coupled", Some(3)),
        ("coupled", Some(5)),
        ("analytic", None),
    ] {
        brings_no_energy(solver, seed, true);
    }
}
