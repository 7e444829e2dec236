//! Every named scene is read, built and stepped.

use treesway::elements::{Elements, LeafPattern, intersecting_pairs};
use treesway::glam::Vec3;
use treesway::spectral::spectrum::coder_frequency;
use treesway::spectral::{FrequencyBy, Recording};
use treesway::{BodyId, BodyKind, TreeId};

#[test]
fn every_scene_steps_without_healing() {
    for named in treesway_scenes::all() {
        let mut scene = named.load(&[]).unwrap_or_else(|e| panic!("{e}"));
        let bodies: u32 = scene.file.trees.iter().filter_map(|t| t.bodies).sum();
        if bodies > 50_000 {
            // The same tree at less detail; its own is for benches and `every_figure_has_the_bodies_of_the_paper`.
            scene = named.load(&["bodies=5000".into()]).unwrap();
        }
        assert!(!scene.file.title.is_empty(), "{} has no title", named.name);
        let mut simulation = scene.build().unwrap_or_else(|e| panic!("{e}"));
        for _ in 0..30 {
            assert_eq!(simulation.step().healed, 0, "{}", named.name);
        }
    }
}

#[test]
fn every_figure_has_the_bodies_of_the_paper() {
    for (name, bodies) in [
        ("fig03-tree", 9_500),
        ("fig08-apples", 42_000),
        ("fig09-maple", 139_000),
        ("fig10-cherry", 247_000),
        ("fig04-willow", 971_000),
        ("fig13-giant", 3_270_000),
    ] {
        let scene = treesway_scenes::find(name).unwrap().load(&[]).unwrap();
        assert_eq!(scene.file.trees[0].bodies, Some(bodies));
        if bodies > 300_000 {
            // Minutes in a debug build; `treesway info NAME` says it.
            continue;
        }
        let grown = &scene.grow().unwrap()[0];
        let made = treesway::cut(&grown.skeleton, &grown.cut).unwrap();
        let off = made.bodies.len() as f64 / f64::from(bodies) - 1.0;
        assert!(off.abs() < 0.05, "{name}: {}", made.bodies.len());
    }
}

#[test]
fn the_spectral_tree_is_as_large_as_that_of_the_paper() {
    let scene = treesway_scenes::find("spectral-tree").unwrap();
    let grown = &scene.load(&[]).unwrap().grow().unwrap()[0];
    let made = treesway::cut(&grown.skeleton, &grown.cut).unwrap();
    let orders = grown.skeleton.measure().orders;
    let branches: usize = orders.iter().map(|order| order.branches).sum();
    let kinds = made.bodies.iter().map(|body| body.shape.kind());
    let leaves = kinds.filter(|kind| *kind == BodyKind::Leaf).count();
    for (found, paper) in [(branches, 1500), (leaves, 10_000)] {
        let off = found as f64 / f64::from(paper) - 1.0;
        assert!(off.abs() < 0.01, "{found} instead of {paper}");
    }
}

#[test]
fn trees_of_contact_scenes_have_the_numbers_of_the_paper_and_do_not_go_through_themselves() {
    for (name, stems, leaves) in [
        ("contact-small", 14, 21),
        ("contact-medium", 256, 302),
        ("contact-large", 2616, 3385),
    ] {
        let scene = treesway_scenes::find(name).unwrap().load(&[]).unwrap();
        let grown = &scene.grow().unwrap()[0];
        let made = treesway::cut(&grown.skeleton, &grown.cut).unwrap();
        let kinds = made.bodies.iter().map(|b| b.shape.kind());
        let found = kinds.filter(|k| *k == BodyKind::Segment).count();
        assert_eq!(
            (found, made.bodies.len() - found),
            (stems, leaves),
            "{name}"
        );
        let elements = Elements::new(&made, &LeafPattern::default());
        assert_eq!(intersecting_pairs(&elements, elements.rest()), []);
    }
}

/// Fig. 8 drops its fruit, Fig. 9 its leaves and Fig. 10 its petals; some have reached the ground after five seconds, and none is below it.
#[test]
fn figures_lose_what_those_of_the_paper_lose() {
    for (name, kind) in [
        ("fig08-apples", BodyKind::Fruit),
        ("fig09-maple", BodyKind::Leaf),
        ("fig10-cherry", BodyKind::Leaf),
    ] {
        let scene = treesway_scenes::find(name).unwrap();
        let mut simulation = scene
            .load(&["bodies=5000".into()])
            .unwrap()
            .build()
            .unwrap();
        let (mut detached, mut landed) = (0, 0);
        for _ in 0..150 {
            let report = simulation.step();
            detached += report.detached;
            landed += report.landed;
        }
        let tree = simulation.world().tree(TreeId(0));
        let off = tree.ids().filter(|&id| !tree.is_attached(id));
        let bodies: Vec<_> = off.map(|id| tree.body(id)).collect();
        assert_eq!(bodies.len() as u64, detached, "{name}");
        assert!(bodies.iter().all(|b| b.kind == kind), "{name}");
        assert!(landed > 5 && landed < detached, "{name}: {landed}");
        for body in bodies {
            let middle = body.pose.point(body.com_in_body);
            assert!(middle.y > -1e-3, "{name}: {middle}");
        }
    }
}

/// The squirrel of Fig. 15 leaps once and ends on the other tree.
#[test]
fn the_squirrel_reaches_the_other_tree() {
    let scene = treesway_scenes::find("fig15-squirrel").unwrap();
    let mut simulation = scene
        .load(&["bodies=1500".into()])
        .unwrap()
        .build()
        .unwrap();
    for _ in 0..simulation.frames() {
        assert_eq!(simulation.step().healed, 0);
    }
    let squirrel = &simulation.world().creatures()[0];
    assert_eq!(squirrel.leaps(), 1);
    let (tree, _, _) = squirrel.foothold().expect("it holds on");
    assert_eq!(tree, TreeId(1));
}

/// Snow lies on every tree of its scene, weighs its tips down, and some has slid.
#[test]
fn snow_weighs_on_trees() {
    let scene = treesway_scenes::find("snowfall").unwrap();
    let mut simulation = scene
        .load(&["bodies=1500".into()])
        .unwrap()
        .build()
        .unwrap();
    let height = |s: &treesway_io::Simulation| {
        let tree = s.world().tree(TreeId(0));
        let tips = tree.ids().map(|id| f64::from(tree.tip(id).y));
        tips.sum::<f64>() / tree.len() as f64
    };
    let before = height(&simulation);
    for _ in 0..450 {
        assert_eq!(simulation.step().healed, 0);
    }
    for tree in simulation.world().trees() {
        let balance = tree.snow_balance();
        assert!(balance.lying > 1.0, "{balance:?}");
    }
    assert!(height(&simulation) < before - 0.02);
}

/// Fig. 7: the ball bends the branches that it hits, and ends on the ground or in the crown, not below.
#[test]
fn ball_falls_onto_a_small_tree() {
    let scene = treesway_scenes::find("fig07-ball").unwrap();
    let mut simulation = scene.load(&[]).unwrap().build().unwrap();
    let (mut hits, mut bent) = (0, 0.0_f32);
    for _ in 0..150 {
        hits += simulation.step().collided;
        let tree = simulation.world().tree(TreeId(0));
        let wood = tree.ids().map(|id| tree.body(id));
        let angles = wood.filter(|b| b.kind == BodyKind::Segment);
        bent = angles.fold(bent, |most, b| most.max(b.theta.length()));
    }
    let ball = simulation.world().balls().next().unwrap();
    assert!(hits > 3, "{hits} hits");
    assert!(bent > 0.05, "{bent} rad");
    assert!(
        ball.position.y > 0.9 * ball.radius && ball.position.y < 4.0,
        "{ball:?}"
    );
}

#[test]
fn every_species_is_a_scene() {
    for (name, _) in treesway_grow::species::ALL {
        let scene = treesway_scenes::find(name).unwrap().load(&[]).unwrap();
        assert_eq!(scene.file.trees[0].species.as_deref(), Some(*name));
    }
    assert_eq!(treesway_scenes::all()[0].name, "oak");
}

#[test]
fn every_scene_survives_being_written() {
    for named in treesway_scenes::all() {
        let scene = named.load(&[]).unwrap();
        let again = treesway_io::Scene::parse(&scene.to_toml(), named.name).unwrap();
        assert_eq!(scene.file, again.file, "{}", named.name);
    }
}

#[test]
fn unknown_scenes_are_named_with_the_nearest() {
    let error = treesway_scenes::find("cantilver").unwrap_err();
    assert_eq!(error.nearest, "cantilever");
    assert!(error.to_string().contains("did you mean `cantilever`?"));
}

#[test]
fn cantilever_is_the_beam_of_the_books() {
    let scene = treesway_scenes::find("cantilever")
        .unwrap()
        .load(&[])
        .unwrap();
    let simulation = scene.build().unwrap();
    let tree = simulation.world().tree(TreeId(0));
    assert_eq!(tree.len(), 20);
    assert!(tree.tip(BodyId(19)).distance(Vec3::X * 4.0) < 1e-5);
    // ρ π L (R² + R r + r²) / 3
    let mass: f64 = tree.ids().map(|id| f64::from(tree.body(id).mass)).sum();
    let exact =
        800.0 * std::f64::consts::PI * 4.0 * (0.04 * 0.04 + 0.04 * 0.01 + 0.01 * 0.01) / 3.0;
    assert!((mass / exact - 1.0).abs() < 1e-6);
    assert!(
        tree.ids().all(|id| tree.body(id).rest_theta == Vec3::ZERO),
        "unloaded"
    );
}

#[test]
fn shaken_roots_bend_a_tree_only_with_fictitious_forces() {
    let scene = treesway_scenes::find("fig06-root-shake")
        .unwrap()
        .load(&["bodies=300".into()]);
    let mut simulation = scene.unwrap().build().unwrap();
    let mut largest = [0.0_f32; 2];
    for _ in 0..150 {
        simulation.step();
        for (tree, largest) in simulation.world().trees().iter().zip(&mut largest) {
            let wood = tree
                .ids()
                .map(|id| tree.body(id))
                .filter(|b| b.kind == BodyKind::Segment);
            *largest = wood.fold(*largest, |most, b| most.max(b.theta.length()));
        }
    }
    assert!(largest[0] < 1e-4, "without: {} rad", largest[0]);
    assert!(largest[1] > 1e-2, "with: {} rad", largest[1]);
}

/// The storm at 60 m/s on 10,000 bodies with leaves that fall, wood that breaks and meets other wood, a wall and thrown balls in its way, snow, rain, shelter, a squirrel and an earthquake: nothing is healed, everything stays finite and, but for the first second, in
/// which a wind that is there at once sets it in motion, no faster than 2.5 times the wind.
fn hurricane(solver: &str, frames: usize) {
    let changes = [
        "wind.speed=60",
        "snow.rate=20",
        "rain.rate=50",
        "wind.shelter={}",
        "tree.params.breakage.factor=0.5",
        "ball=[{ at = [-6.0, 7.0, 0.0], velocity = [20.0, 3.0, 0.0] }, { at = [0.5, 16.0, 0.0], mass = 5.0 }]",
        "creature=[{ start = 0.2, run = [{ from = \"root\", to = \"tip:1\" }] }]",
        "tree.motion.earthquake={}",
        "collider=[{ shape = \"box\", at = [3.0, 1.0, 0.0], half = [0.2, 1.0, 6.0] }]",
    ];
    let mut changes: Vec<String> = changes.map(String::from).into();
    changes.push(format!("tree.solver={solver}"));
    let scene = treesway_scenes::find("storm").unwrap();
    let mut simulation = scene.load(&changes).unwrap().build().unwrap();
    let (mut broken, mut detached, mut hits) = (0, 0, 0);
    for frame in 0..frames {
        let report = simulation.step();
        assert_eq!(report.healed, 0, "{solver}, frame {frame}");
        broken += report.broken;
        detached += report.detached;
        hits += report.collided;
        let tree = simulation.world().tree(TreeId(0));
        let mut fastest = 0.0_f32;
        for body in tree.ids().map(|id| tree.body(id)) {
            assert!(body.pose.position.is_finite(), "{solver}, frame {frame}");
            assert!(body.velocity.is_finite(), "{solver}, frame {frame}");
            fastest = fastest.max(body.velocity.length());
        }
        assert!(
            frame < 30 || fastest < 150.0,
            "{solver}, frame {frame}: {fastest} m/s"
        );
    }
    println!("{solver}: {broken} branches broke, {detached} leaves came off, {hits} hits");
    assert!(
        broken > 0 && detached > 100 && hits > 0,
        "{solver}: a calm hurricane"
    );
}

#[test]
fn seconds_of_a_hurricane_leave_a_sound_tree() {
    hurricane("coupled", 150);
    hurricane("analytic", 150);
}

#[test]
#[ignore = "soak: cargo xtask soak"]
fn minutes_of_a_hurricane_leave_a_sound_tree() {
    hurricane("coupled", 3600);
    hurricane("analytic", 3600);
}

/// Swing and frequency of the trunk of `spectral-tree` over a minute of gusts.
fn trunk(solver: &str, gusts: u32) -> [f64; 2] {
    let scene = treesway_scenes::find("spectral-tree").unwrap();
    let changes = [
        "tree.bodies=3000".into(),
        format!("tree.solver={solver}"),
        format!("wind.gusts.seed={gusts}"),
    ];
    let mut simulation = scene.load(&changes).unwrap().build().unwrap();
    let spectral = simulation.world().spectral(TreeId(0)).0;
    let frame_secs = simulation.world().frame_secs();
    let mut recording = Recording::new(&simulation.world().trees()[0], &spectral, frame_secs);
    for frame in 0..(65.0 / frame_secs) as u32 {
        simulation.step();
        if f64::from(frame) * frame_secs > 5.0 {
            recording.add(&simulation.world().trees()[0]);
        }
    }
    let motion = recording.motions()[0];
    [motion.swing(), motion.frequency].map(f64::from)
}

/// Gusts shorter than its crown cancel out: before they did it swung 1.8 times as far and as fast.
#[test]
fn a_trunk_without_state_swings_as_a_simulated_one() {
    let winds = [1, 2, 3].map(|gusts| trunk("coupled", gusts));
    let mean = [0, 1].map(|i| winds.iter().map(|m| m[i]).sum::<f64>() / 3.0);
    let own = trunk("spectral", 1);
    println!("simulated {winds:.4?}, by itself {own:.4?}");
    for (own, simulated) in own.iter().zip(mean) {
        let ratio = own / simulated;
        assert!((0.7..1.4).contains(&ratio), "{winds:?} {own}");
    }
}

/// Frequencies of the limbs of a species by their own stiffness and mass, over those that Eq. 17 of Habel 2009 gives for their lengths (geometric mean).
fn over_eq_17(species: &str) -> f64 {
    let scene = treesway_scenes::find(species).unwrap();
    let simulation = scene
        .load(&["bodies=4000".into()])
        .unwrap()
        .build()
        .unwrap();
    let model = simulation.world().spectral(TreeId(0)).0.model;
    let limbs = model.branches.iter().zip(&model.frequencies);
    let ratios: Vec<f64> = limbs
        .filter(|(b, _)| b.layer == 1 && b.length > 0.5)
        .map(|(b, f)| (f64::from(*f) / coder_frequency(b.length.into())).ln())
        .collect();
    let mean = (ratios.iter().sum::<f64>() / ratios.len() as f64).exp();
    println!("{species}: {mean:.2} over {} limbs", ratios.len());
    mean
}

/// The paper gives no factor for conifers: ours is what the limbs of our own have over those of broad-leaved trees of the same length.
#[test]
fn the_factor_of_conifers_is_that_of_our_conifers() {
    let mean = |all: &[&str]| {
        let logs = all.iter().map(|s| over_eq_17(s).ln());
        (logs.sum::<f64>() / all.len() as f64).exp()
    };
    let broad = mean(&["oak", "maple", "birch", "aspen", "apple"]);
    let conifers = mean(&["spruce", "pine"]);
    let found = conifers / broad;
    let factor = FrequencyBy::Conifer.factor().unwrap();
    println!("broad leaves {broad:.2}, conifers {conifers:.2}: {found:.2}; factor {factor}");
    assert!((found / factor - 1.0).abs() < 0.15, "{found} {factor}");
}
