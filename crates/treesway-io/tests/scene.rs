//! Scene files: what they say is built, and what is wrong in them is named.

use treesway::glam::Vec3;
use treesway::{BodyId, BodyKind, TreeId};
use treesway_io::Scene;

const BEAM: &str = "version = 1\n[[tree]]\nbuiltin = 'beam'\n";

fn scene(text: &str) -> Scene {
    Scene::parse(text, "test.toml").unwrap_or_else(|e| panic!("{e}"))
}

/// The message of a scene that cannot be read or built.
fn complaint(text: &str) -> String {
    let error = match Scene::parse(text, "test.toml") {
        Err(error) => error,
        Ok(scene) => scene.build().err().expect("this scene is wrong"),
    };
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}

fn complaint_of_setting(setting: &str) -> String {
    let settings = [setting.to_string()];
    let error = Scene::parse_with(BEAM, "test.toml", &settings).expect_err("this setting is wrong");
    error.to_string()
}

#[test]
fn unknown_keys_are_named_with_line_and_nearest() {
    for (text, start) in [
        (
            "version = 1\nwnd = 3\n",
            "test.toml:2: unknown key `wnd`, did you mean `wind`?",
        ),
        (
            "version = 1\n[[tree]]\nbuiltin = 'beam'\n[tree.beam]\nlenght = 2\n",
            "test.toml:5: unknown key `lenght`, did you mean `length`?",
        ),
        (
            "version = 1\n[[tree]]\n[tree.params.wood]\n\ndencity = 2\n",
            "test.toml:5: unknown key `dencity`, did you mean `density`?",
        ),
        (
            "version = 1\n[[tree]]\nsolver = 'analitic'\n",
            "test.toml:3: unknown value `analitic`, did you mean `analytic`?",
        ),
        (
            "version = 1\n[[tree]]\n[tree.motion.shake]\namplitud = 1\n",
            "test.toml:4: unknown key `amplitud`, did you mean `amplitude`?",
        ),
    ] {
        let said = complaint(text);
        assert!(said.starts_with(start), "{said}");
    }
}

#[test]
fn wrong_values_are_named_with_line_and_expectation() {
    for (text, parts) in [
        (
            "version = 2\ntree = []\n",
            ["test.toml:1: version", "expected 1"],
        ),
        (
            "version = 1\ntree = []\n",
            ["test.toml:2: tree", "at least one"],
        ),
        (
            "version = 1\n[[tree]]\nseed = 'x'\n",
            ["test.toml:3", "expected u64"],
        ),
        ("version = 1\n[[tree]\n", ["test.toml:2", "expected"]),
        (
            "[[tree]]\nbuiltin = 'beam'\n",
            ["test.toml:1", "missing field `version`"],
        ),
        (
            "version = 1\n[[tree]]\nseed = 1\n",
            ["test.toml:2: tree.0.builtin", "expected \"beam\""],
        ),
        (
            "version = 1\n[[tree]]\nbuiltin = 'beam'\n[tree.fork]\n",
            ["test.toml:4: tree.0.fork", "expected `beam`"],
        ),
        (
            "version = 1\n[[tree]]\nbuiltin = 'beam'\n[tree.beam]\nlength = -1\n",
            [
                "test.toml:5: tree.0.beam.length: is -1",
                "greater than zero",
            ],
        ),
        (
            "version = 1\n[[tree]]\nbuiltin = 'stems'\n[tree.stems]\nforking = 2\n",
            [
                "test.toml:5: tree.0.stems.forking",
                "is 2; expected a number from 0 to 1",
            ],
        ),
        (
            "version = 1\n[[tree]]\nbuiltin = 'beam'\n[tree.params.wood]\ndensity = 0\n",
            [
                "test.toml:5: tree.0.params.wood.density: is 0",
                "greater than zero",
            ],
        ),
        (
            "version = 1\n[[tree]]\nbuiltin = 'beam'\nsubsteps = 20000000\n",
            ["tree.0.settings.substeps: is 20000000", "from 0 to"],
        ),
        (
            "version = 1\n[[tree]]\nbuiltin = 'beam'\n[[tree.pull]]\nbody = 99\noffset = [0, 1, 0]\nstiffness = 1\n",
            ["test.toml:5: tree.0.pull.0.body: is 99", "below 20"],
        ),
        (
            "version = 1\n[[tree]]\nbuiltin = 'beam'\n[[tree.pull]]\nbody = 'top'\nstiffness = 1\n",
            ["test.toml:5", "\"highest\""],
        ),
        (
            "version = 1\n[[tree]]\nbuiltin = 'beam'\n[[tree.pull]]\nbody = 0\nstiffness = 1\n",
            ["test.toml:4: tree.0.pull.0", "`target` or `offset`"],
        ),
        (
            "version = 1\n[run]\nfps = 0\n[[tree]]\nbuiltin = 'beam'\n",
            ["test.toml:3: run.fps: is 0", "from 0.001"],
        ),
    ] {
        let said = complaint(text);
        assert!(
            parts.iter().all(|part| said.contains(part)),
            "{said}\n{parts:?}"
        );
    }
}

#[test]
fn impossible_skeletons_are_named() {
    let zero = "version = 1\n[[tree]]\n[[tree.branch]]\nnodes = [[0,0,0,0.1], [0,0,0,0.1]]\n";
    let said = complaint(zero);
    assert!(
        said.starts_with("test.toml:3: tree.0.branch.0: nodes 0 and 1 coincide"),
        "{said}"
    );

    let cycle = "version = 1\n[[tree]]\n[[tree.branch]]\nnodes = [[0,0,0,0.1], [0,1,0,0.1]]\n\
        [[tree.branch]]\nparent = 2\nnodes = [[0,1,0,0.1], [0,2,0,0.1]]\n\
        [[tree.branch]]\nparent = 1\nnodes = [[0,1,0,0.1], [0,2,0,0.1]]\n";
    let said = complaint(cycle);
    assert!(
        said.starts_with("test.toml:5: tree.0.branch.1: its parents form a cycle"),
        "{said}"
    );

    let lost = "version = 1\n[[tree]]\n[[tree.branch]]\nnodes = [[0,0,0,0.1], [0,1,0,0.1]]\n\
        [[tree.leaf]]\nbranch = 4\ndirection = [1,0,0]\nlength = 0.1\nwidth = 0.05\n";
    let said = complaint(lost);
    assert!(
        said.starts_with("test.toml:6: tree.0.leaf.0.branch: is 4"),
        "{said}"
    );
}

#[test]
fn settings_reach_every_field() {
    let with = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
        Scene::parse_with(BEAM, "test.toml", &settings).unwrap_or_else(|e| panic!("{e}"))
    };
    assert_eq!(with(&["segments=40"]).build().unwrap().bodies(), 40);
    assert_eq!(with(&["bodies=7"]).build().unwrap().bodies(), 7);
    let scene = with(&[
        "tree.0.params.wood.density=900",
        "run.seconds = 3",
        "tree.solver=analytic",
    ]);
    assert_eq!(scene.file.trees[0].params.wood.density, 900.0);
    assert_eq!(scene.build().unwrap().frames(), 90);
    assert_eq!(
        with(&["wind.speed=4"]).file.wind.map(|w| w.speed),
        Some(4.0)
    );
    assert_eq!(with(&["at=[1, 2, 3]"]).file.trees[0].at.z, 3.0);
}

#[test]
fn wrong_settings_are_named_with_the_nearest_key() {
    let said = complaint_of_setting("segmnts=3");
    assert!(
        said.contains("--set segmnts=3: unknown key `segmnts`, did you mean `segments`?"),
        "{said}"
    );
    let said = complaint_of_setting("tree.0.params.wod.density=3");
    assert!(
        said.contains("unknown key `wod`, did you mean `wood`?"),
        "{said}"
    );
    let said = complaint_of_setting("tree.2.seed=3");
    assert!(
        said.contains("no entry 2; expected a number below 1"),
        "{said}"
    );
    assert!(complaint_of_setting("segments").contains("expected key=value"));
    assert!(complaint_of_setting("segments=many").contains("expected u32"));
    assert!(complaint_of_setting("tree.0.builtin.deeper=1").contains("expected a shorter key"));
}

/// A trunk with a limb, a leaf and an apple, everything about it written out.
const WRITTEN_OUT: &str = r#"
version = 1
title = "everything"
[run]
seconds = 1.5
fps = 60
[environment]
gravity = [0, -1.62, 0]
[wind]
speed = 2
direction_deg = 90
[[tree]]
at = [1, 0, 2]
root = "rigid"
substeps = 2
[tree.cut]
segment_length = 0.5
forks = "along"
[tree.params]
gravity_pose = "unloaded"
[tree.params.curves.bend]
mode = "absolute"
points = [{ radius = 0.01, value = 50 }, { radius = 0.1, value = 5000 }]
[[tree.params.overrides]]
body = 3
[tree.settings.limits]
angle = 1.2
[[tree.branch]]
nodes = [[0, 0, 0, 0.1], [0, 2, 0, 0.06]]
[[tree.branch]]
parent = 0
along = 1.5
nodes = [[0, 1.5, 0, 0.04], [1, 2, 0, 0.01]]
[[tree.leaf]]
branch = 1
direction = [1, 0, 0]
length = 0.1
width = 0.06
[[tree.fruit]]
branch = 1
along = 0.8
radius = 0.04
[[tree.pull]]
body = "tip:1"
target = [3, 3, 3]
stiffness = 100
stop = 0.5
[[tree.load]]
body = "root"
force = [1, 0, 0]
start = 0.2
"#;

#[test]
fn a_tree_can_be_written_out() {
    let simulation = scene(WRITTEN_OUT).build().unwrap();
    let world = simulation.world();
    let tree = world.tree(TreeId(0));
    let kinds: Vec<BodyKind> = tree.ids().map(|id| tree.body(id).kind).collect();
    let count = |kind| kinds.iter().filter(|&&k| k == kind).count();
    assert_eq!(
        [BodyKind::Segment, BodyKind::Leaf, BodyKind::Fruit].map(count),
        [6, 1, 1]
    );
    let leaf = tree
        .ids()
        .find(|&id| tree.body(id).kind == BodyKind::Leaf)
        .unwrap();
    assert!(tree.pose(leaf).position.distance(Vec3::new(2.0, 2.0, 2.0)) < 1e-5);
    assert!(tree.tip(leaf).distance(Vec3::new(2.1, 2.0, 2.0)) < 1e-5);
    assert_eq!(simulation.frames(), 90);
    assert_eq!(world.gravity.y, -1.62);
    assert_eq!(tree.settings().substeps, 2);
}

#[test]
fn scenes_survive_being_written() {
    for text in [WRITTEN_OUT, BEAM] {
        let read = scene(text);
        let again = scene(&read.to_toml());
        assert_eq!(read.file, again.file);
    }
}

#[test]
fn a_pull_holds_its_body_and_lets_go() {
    let text = "version = 1\n[[tree]]\nbuiltin = 'beam'\n[tree.params.multipliers]\nbranch_damping = 10\n\
        [[tree.pull]]\nbody = 'tip'\noffset = [0, 0.3, 0]\nstiffness = 1e5\ndamping = 1e3\nstart = 0.5\nstop = 3.0\n";
    let mut simulation = scene(text).build().unwrap();
    let tip = |s: &treesway_io::Simulation| s.world().tree(TreeId(0)).tip(BodyId(19)).y;
    let at = |s: &mut treesway_io::Simulation, seconds: f64| {
        while s.world().seconds() < seconds - 1e-9 {
            assert_eq!(s.step().healed, 0);
        }
        tip(s)
    };
    let start = simulation.world().snapshot();
    assert!(at(&mut simulation, 0.5).abs() < 1e-3);
    let held = at(&mut simulation, 2.0);
    // A run that is started again while the hand holds the beam has that hand again.
    simulation.restart(&start);
    assert_eq!(at(&mut simulation, 2.0), held);
    assert!((at(&mut simulation, 3.0) - 0.3).abs() < 0.02);
    assert!(at(&mut simulation, 12.0).abs() < 0.02);
}

#[test]
fn a_load_acts_within_its_window() {
    let text = "version = 1\n[[tree]]\nbuiltin = 'beam'\n[[tree.load]]\nbody = 'tip'\n\
        force = [0, 0, 5]\nstart = 0.1\nstop = 0.2\n";
    let mut simulation = scene(text).build().unwrap();
    let mut aside = Vec::new();
    for _ in 0..600 {
        simulation.step();
        aside.push(simulation.world().tree(TreeId(0)).tip(BodyId(19)).z);
    }
    // Frames begin at 0, 1/30, … s: the fourth is the first with the load.
    assert_eq!(aside[..3], [0.0; 3]);
    assert!(aside[3..6].iter().all(|&z| z > 1e-3), "{aside:?}");
    assert!(
        aside[590..].iter().all(|&z| z.abs() < 1e-3),
        "the force is gone"
    );
}

#[test]
fn roots_move_as_told() {
    let shaken = format!(
        "{BEAM}at = [5, 0, 0]\n[tree.motion.shake]\ndirection = [0, 0, 2]\namplitude = 0.2\nfrequency = 1\n"
    );
    let keyed = format!(
        "{BEAM}at = [5, 0, 0]\n[tree.motion]\nkeyframes = [{{ time = 0 }}, {{ time = 1, position = [0, 0, 1], rotation = [0, 1, 0, 0] }}]\n"
    );
    for (text, seconds, z) in [(shaken, 1.25, 0.2), (keyed, 2.0, 1.0)] {
        let mut simulation = scene(&text).build().unwrap();
        while simulation.world().seconds() < seconds - 1e-3 {
            simulation.step();
        }
        let root = simulation.world().tree(TreeId(0)).pose(BodyId(0)).position;
        assert!(root.distance(Vec3::new(5.0, 0.0, z)) < 2e-3, "{root}");
    }
}

#[test]
fn what_a_species_is_made_of_can_be_changed() {
    let text = "version = 1\n[[tree]]\nspecies = 'willow'\nbodies = 300\n[tree.params.wood]\ndensity = 500.0\n";
    let scene = Scene::parse(text, "a.toml").unwrap();
    let tree = &scene.plant().unwrap()[0].tree;
    let species = treesway_grow::species::named("willow").unwrap();
    assert_eq!(tree.params().wood.density, 500.0);
    assert_eq!(
        tree.params().wood.youngs_modulus,
        species.wood.youngs_modulus
    );
    assert_eq!(tree.params().leaf.density, species.leaf_material.density);
    // Each of few leaves stands for k, which are √k times as long, and flaps at their pace.
    let leaves = tree
        .ids()
        .map(|id| tree.body(id))
        .filter(|b| b.kind == BodyKind::Leaf);
    let lengths: Vec<f32> = leaves.map(|leaf| leaf.length).collect();
    let mean = lengths.iter().sum::<f32>() / lengths.len() as f32;
    let expected = (mean / species.leaf.length).powi(2);
    let leaf = &tree.params().leaf;
    assert!(
        (leaf.blades / expected - 1.0).abs() < 0.2,
        "{} {expected}",
        leaf.blades
    );
    assert_eq!(leaf.flap_hz, species.leaf_material.flap_hz);
    let changed = ["tree.params.leaf.flap_hz=9.0".to_string()];
    let scene = Scene::parse_with(text, "a.toml", &changed).unwrap();
    assert_eq!(scene.plant().unwrap()[0].tree.params().leaf.flap_hz, 9.0);
}

#[test]
fn species_in_scenes_say_what_is_wrong() {
    let said = |tree: &str| {
        let text = format!("version = 1\n[[tree]]\n{tree}");
        let scene = Scene::parse(&text, "a.toml").unwrap();
        scene.grow().unwrap_err().to_string()
    };
    assert!(
        said("species = 'beech'")
            .contains("a.toml:3: tree.0.species: beech: unknown species, did you mean")
    );
    assert!(said("species = 'oak'\nbodies = 3").contains("a.toml:4: tree.0.bodies"));
    assert!(said("species = 'oak'\ndbh = -1.0").contains("a.toml:4: tree.0.dbh"));
    assert!(said("builtin = 'beam'\nheight = 3.0").contains("tree.0.height"));
    assert!(said("species = 'oak'\nbuiltin = 'beam'").contains("expected one of them"));
    assert!(said("species = 'gone.toml'").contains("cannot be read"));
}

#[test]
fn weather_and_creatures_are_checked() {
    let table = |text: &str| complaint(&format!("{BEAM}{text}"));
    for (text, said) in [
        (
            "[snow]\nrate = -1.0\n",
            "test.toml:5: snow.rate: is -1; expected a finite number, not negative",
        ),
        (
            "[rain]\nrate = 0.0\n",
            "test.toml:5: rain.rate: is 0; expected a number greater than zero, at most 1000 mm/h",
        ),
        (
            "[tree.motion.earthquake]\nfrequency = 0.0\n",
            "test.toml:5: tree.0.motion.earthquake.frequency: is 0; expected a finite number greater than zero",
        ),
        (
            "[wind]\nspeed = 3\n[wind.shelter]\nrecovery = 0.0\n",
            "test.toml:7: wind.shelter.recovery: is 0; expected a finite number greater than zero",
        ),
    ] {
        assert_eq!(table(text), said);
    }
    let said = table("[[creature]]\n[[creature.run]]\ntree = 3\nfrom = 'root'\nto = 'tip'\n");
    assert!(
        said.ends_with("creature.0.run.0.tree: is 3; expected a tree below 1"),
        "{said}"
    );
    let said = table("[[creature]]\nmass = 0\n[[creature.run]]\nfrom = 'root'\nto = 'tip'\n");
    assert!(
        said.ends_with("creature.0.mass: is 0; expected a finite number greater than zero"),
        "{said}"
    );
}

/// A creature stands on the tree it runs over, and its figure goes with it.
#[test]
fn a_figure_follows_its_creature() {
    let text =
        format!("{BEAM}[[creature]]\nstart = 0\n[[creature.run]]\nfrom = 'root'\nto = 'tip'\n");
    let mut simulation = scene(&text).build().unwrap();
    let world = |s: &treesway_io::Simulation| {
        let feet = s.world().creatures()[0].pose().position;
        (feet, s.world().tree(TreeId(1)).pose(BodyId(0)).position)
    };
    let (start, _) = world(&simulation);
    for _ in 0..30 {
        assert_eq!(simulation.step().healed, 0);
        let (feet, hips) = world(&simulation);
        assert!(feet.distance(hips) < 0.2, "{feet} {hips}");
    }
    assert!(world(&simulation).0.distance(start) > 1.0);
}

#[test]
fn a_joint_bent_by_hand_stays_bent_and_carries_what_hangs_on_it() {
    let text = "version = 1\n[[tree]]\nbuiltin = 'beam'\n[tree.beam]\nlength = 2.0\nsegments = 10\n\
                direction = [0, 1, 0]\n[[tree.pose]]\nbody = 5\nturn = [1.5707964, 0.0, 0.0]\n";
    let mut bent = scene(text).build().unwrap();
    let straight = scene(&text.replace("1.5707964", "0.0")).build().unwrap();
    let tip = |s: &treesway_io::Simulation| s.world().tree(TreeId(0)).tip(BodyId(9));
    let joint = straight.world().tree(TreeId(0)).pose(BodyId(5)).position;
    let (up, aside) = (tip(&straight) - joint, tip(&bent) - joint);
    assert!((up.length() - aside.length()).abs() < 1e-4);
    assert!(
        up.dot(aside).abs() < 1e-3 * up.length_squared(),
        "{up} {aside}"
    );
    for _ in 0..60 {
        bent.step();
    }
    let moved = tip(&bent) - joint - aside;
    assert!(moved.length() < 1e-3, "it holds: {moved}");
}

#[test]
fn poses_of_bodies_that_are_not_there_are_named() {
    let pose = |pose: &str| complaint(&format!("{BEAM}[[tree.pose]]\n{pose}\n"));
    let said = pose("body = 900\nturn = [0, 0, 0]");
    assert!(
        said.contains("tree.0.pose.0.body: is 900; expected an id below 20"),
        "{said}"
    );
    let said = pose("body = 1\nturn = [9.0, 0, 0]");
    assert!(said.contains("tree.0.pose.0.turn: is"), "{said}");
}
