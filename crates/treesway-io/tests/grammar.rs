//! Trees of scenes that grow from grammars, and whether they stand.

use std::fs;
use std::path::Path;
use treesway::TreeId;
use treesway::glam::Vec3;
use treesway_grow::grammars;
use treesway_io::{Scene, Simulation};

fn scene(tree: &str) -> Scene {
    let text = format!("version = 1\n[[tree]]\n{tree}\n[wind]\nspeed = 0\n");
    Scene::parse(&text, "test.toml").unwrap_or_else(|e| panic!("{e}"))
}

fn error(tree: &str) -> String {
    let text = format!("version = 1\n[[tree]]\n{tree}\n");
    let scene = Scene::parse(&text, "test.toml");
    let grown = scene.and_then(|s| s.grow());
    grown.expect_err("an error").to_string()
}

/// Ends of all bodies, m.
fn tips(simulation: &Simulation) -> Vec<Vec3> {
    let tree = simulation.world().tree(TreeId(0));
    tree.ids().map(|id| tree.tip(id)).collect()
}

/// Two seconds under gravity in still air: nothing is healed, and nothing leaves its place by more than a hundredth of how high it stands or how low
/// it hangs.
fn stands(name: &str, scene: &Scene) {
    let mut simulation = scene.build().unwrap_or_else(|e| panic!("{e}"));
    let before = tips(&simulation);
    let height = before.iter().fold(0.0_f32, |m, p| m.max(p.y.abs()));
    for _ in 0..60 {
        assert_eq!(simulation.step().healed, 0, "{name}");
    }
    let after = tips(&simulation);
    let moved = before
        .iter()
        .zip(&after)
        .fold(0.0_f32, |m, (a, b)| m.max(a.distance(*b)));
    assert!(
        moved < 0.01 * height,
        "{name}: a tip of a {height} m plant moved {moved} m"
    );
}

#[test]
fn every_embedded_grammar_stands() {
    for grammar in grammars::all() {
        stands(
            grammar.name,
            &scene(&format!("grammar = \"{}\"", grammar.name)),
        );
    }
}

#[test]
fn real_grammars_of_lparser_stand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/lsystem");
    let Ok(files) = fs::read_dir(&folder) else {
        return println!("{}: absent, not checked", folder.display());
    };
    for file in files {
        let path = file.unwrap().path();
        let name = path.display().to_string();
        if name.ends_with(".ls") {
            stands(&name, &scene(&format!("grammar = '{name}'")));
        }
    }
}

#[test]
fn a_thousand_steps_in_a_row_stand() {
    // One body hangs on the other; and brackets inside brackets, each a branch of its own.
    let folder = tempfile::tempdir().unwrap();
    for (name, rule) in [
        ("chain", "A -> F(0.01) A"),
        ("nest", "A -> [+(0.02) F(0.01) A]"),
    ] {
        let path = folder.path().join(format!("{name}.lsys"));
        fs::write(
            &path,
            format!("version = 1\ndepth = 1000\ntip_radius = 0.2\naxiom = F A\n{rule}\n"),
        )
        .unwrap();
        stands(name, &scene(&format!("grammar = '{}'", path.display())));
    }
}

#[test]
fn a_scene_takes_a_grammar_by_name_or_from_its_own_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("weed.lsys"),
        "version = 1\ndepth = 2\naxiom = F\nF -> F[+(30)F]F\n",
    )
    .unwrap();
    fs::write(folder.path().join("old.ls"), "2\n30\n10\nF\nF=F[+F]F\n@\n").unwrap();
    let file = folder.path().join("scene.toml");
    let drawn = |tree: &str| {
        let text = format!("version = 1\n[[tree]]\n{tree}\n");
        let scene = Scene::parse(&text, file.to_str().unwrap()).unwrap();
        let planted = scene.plant().unwrap_or_else(|e| panic!("{e}"));
        planted[0].derived.expect("counts of the derivation").drawn
    };
    assert_eq!(drawn("grammar = 'weed.lsys'"), 9);
    assert_eq!(drawn("grammar = 'weed.lsys'\ndepth = 3"), 27);
    assert_eq!(drawn("grammar = 'old.ls'"), 9);
    assert_eq!(drawn("grammar = 'fern'\ndepth = 2"), 4);
    let cut = scene("grammar = 'monopodial'\ndepth = 2\ncut.segment_length = 0.05");
    let coarse = scene("grammar = 'monopodial'\ndepth = 2\ncut.segment_length = 5.0");
    let bodies = |s: &Scene| s.plant().unwrap()[0].bodies.bodies.len();
    assert!(bodies(&cut) > 4 * bodies(&coarse));
}

#[test]
fn the_seed_decides_what_grows() {
    let grown = |seed: u64| {
        scene(&format!("grammar = 'bush'\nseed = {seed}"))
            .grow()
            .unwrap()
    };
    assert_eq!(grown(3), grown(3));
    assert_ne!(grown(3)[0].skeleton, grown(4)[0].skeleton);
}

#[test]
fn wrong_fields_are_named() {
    for (tree, expected) in [
        (
            "grammar = 'fren'",
            "test.toml:3: tree.0.grammar: unknown grammar `fren`, did you mean `fern`?",
        ),
        ("grammar = 'missing.lsys'", "missing.lsys: cannot be read"),
        (
            "grammar = 'fern'\nbodies = 10",
            "test.toml:4: tree.0.bodies: cannot be chosen for a grammar",
        ),
        (
            "grammar = 'fern'\ndepth = 20000",
            "fern: depth is 20000; expected a whole number from 0 to 10000",
        ),
        ("grammar = 'fern'\ndepth = -1", "test.toml:4: invalid value"),
        (
            "builtin = 'beam'\ndepth = 3",
            "test.toml:4: tree.0.depth: has no use without `grammar`",
        ),
        (
            "builtin = 'beam'\ngrammar = 'fern'",
            "test.toml:4: tree.0.grammar: has no use beside `builtin`",
        ),
    ] {
        let said = error(tree);
        assert!(said.contains(expected), "{tree}: {said}");
    }
}
