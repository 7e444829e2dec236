//! Grammars of Lparser: counts of real files, and one small file for every rule of the syntax.

use std::fs;
use std::path::{Path, PathBuf};
use treesway_grow::{Counts, Grown, Growth, Plant};

fn grow(text: &str) -> Grown {
    grow_to(text, None)
}

fn grow_to(text: &str, depth: Option<u32>) -> Grown {
    let plant = Plant::read(text.as_bytes(), "test.ls").unwrap_or_else(|e| panic!("{e}"));
    let growth = Growth {
        depth,
        ..Growth::default()
    };
    plant.grow(&growth).unwrap_or_else(|e| panic!("{e}"))
}

fn counts(text: &str) -> Counts {
    grow(text).derived.unwrap()
}

fn error(text: &str) -> String {
    let plant = Plant::read(text.as_bytes(), "test.ls");
    plant.unwrap_err().to_string()
}

/// Grammars made by others, where they are at hand.
fn shared(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("../shared/data/lsystem").join(name);
    let found = path.exists();
    if !found {
        println!("{}: absent, not checked", path.display());
    }
    found.then_some(path)
}

#[test]
fn real_files_have_the_counts_computed_elsewhere() {
    for (name, depth, drawn, polygons) in [
        ("abop-ternary-tree.ls", None, 6_560, 0),
        ("abop-monopodial-tree.ls", None, 1_025, 512),
        ("tree.ls", None, 3_248, 7_290),
        ("willow-tree.ls", None, 2_195, 4_368),
        ("abop-nested-polygon-leaves.ls", Some(2), 6, 5),
    ] {
        let Some(path) = shared(name) else { continue };
        let plant = Plant::read(&fs::read(path).unwrap(), name).unwrap();
        let growth = Growth {
            depth,
            ..Growth::default()
        };
        let derived = plant.grow(&growth).unwrap().derived.unwrap();
        assert_eq!(
            (derived.drawn, derived.polygons),
            (drawn, polygons),
            "{name}"
        );
    }
}

#[test]
fn rewriting_is_parallel_and_one_character_at_a_time() {
    // F(n+1) = 2 F(n), X(n+1) = 3 X(n) with 5 F-steps: F: 0, 2, 10, 38; letters by hand: X, then 14, 50, 166.
    // Of X=F[+X]F[-X]+X: 3 X, 2 F, 4 brackets, 3 signs; F=FF doubles.
    let text = "3\n20\n10\nX\nX=F[+X]F[-X]+X\nF=FF\n@\n";
    let derived = counts(text);
    // F: f' = 2f + 2x; x' = 3x: (0,1) (2,3) (10,9) (38,27). Others: o' = o + 7x: 0, 7, 28, 91.
    assert_eq!(derived.drawn, 38);
    assert_eq!(derived.letters, 38 + 27 + 91);
}

#[test]
fn the_first_rule_of_a_letter_wins() {
    assert_eq!(counts("1\n20\n10\nA\nA=FF\nA=FFFFF\n@\n").drawn, 2);
}

#[test]
fn lines_are_cut_at_a_blank_or_hash_and_others_skipped() {
    let text = "# title\n\n  1\t# recursion\n20# angle\n10 x\nAB F\n#\nA=F F\nB=F#F\n@ end\nC=no rule\nnonsense\n";
    let derived = counts(text);
    assert_eq!(derived.drawn, 2);
    assert_eq!(derived.letters, 2);
    let windows = "1\r\n20\r\n10\r\nA\r\nA=FF\r\n@\r\n";
    assert_eq!(counts(windows).drawn, 2);
}

#[test]
fn letters_with_neither_rule_nor_default_are_erased() {
    // Step 1: Q vanishes, X gives "_F"; step 2: "_" vanishes, F stays.
    let text = |n| format!("{n}\n20\n10\nQXF\nX=_F\n@\n");
    assert_eq!(counts(&text(0)).letters, 3);
    assert_eq!(counts(&text(1)).letters, 3);
    assert_eq!(counts(&text(2)).letters, 2);
    let emptied = counts("1\n20\n10\nFX\nX=\n@\n");
    assert_eq!(emptied.letters, 1);
}

#[test]
fn digits_and_parentheses_rewrite_to_themselves_unless_a_rule_says_otherwise() {
    assert_eq!(counts("3\n20\n10\nF(200)\n@\n").letters, 6);
    // 1=2, 2=F: a delay by two steps.
    let delay = "2\n20\n10\nF1\n1=2\n2=F\n@\n";
    assert_eq!(counts(delay).drawn, 2);
}

#[test]
fn a_fractional_recursion_scales_the_last_step() {
    // A trunk F of 100 and a shoot of 100·fraction: the whole is always made 10 m high, so their ratio shows.
    let ratio = |recursion: &str| {
        let grown = grow(&format!("{recursion}\n20\n10\nFA\nA=F\n@\n"));
        let nodes = &grown.skeleton.branches[0].nodes;
        let (trunk, shoot) = (
            nodes[1].position.y,
            nodes[2].position.y - nodes[1].position.y,
        );
        (shoot / trunk, nodes[2].radius / nodes[1].radius)
    };
    for (recursion, expected) in [("1", 1.0_f32), ("0.5", 0.5), ("0.25", 0.25)] {
        let (length, radius) = ratio(recursion);
        assert!((length - expected).abs() < 1e-5, "{recursion}: {length}");
        // Thickness is scaled too, and it is relative to the length.
        assert!(
            (radius - expected * expected).abs() < 1e-5,
            "{recursion}: {radius}"
        );
    }
    // Rules of F itself are not scaled, and neither are steps before the last.
    let grown = grow("0.5\n20\n10\nFg\nF=FF\n@\n");
    let nodes = &grown.skeleton.branches[0].nodes;
    assert!((nodes[1].position.y - 5.0).abs() < 1e-5);
    let marks = counts("1.5\n20\n10\nFA\nA=FA\n@\n");
    assert_eq!(marks.letters, 4, "marks of the last step are no letters");
}

/// Where the tip of the last branch points after `commands`, from a trunk that goes up.
fn way(commands: &str) -> [f32; 3] {
    let grown = grow(&format!("0\n90\n1\nF[{commands}F]\n@\n"));
    let nodes = &grown.skeleton.branches[1].nodes;
    let way = nodes[1].position - nodes[0].position;
    (way / way.length()).to_array()
}

#[test]
fn the_turtle_starts_up_with_left_and_up_of_lparser() {
    // Lparser: forward +Z, left +Y, up +X; here y is up: (x, y, z) are its (−X, Z, Y).
    for (commands, expected) in [
        ("", [0.0, 1.0, 0.0]),
        ("&", [-1.0, 0.0, 0.0]), // +90° about left +Y: Z → X
        ("^", [1.0, 0.0, 0.0]),
        ("+", [0.0, 0.0, 1.0]), // −90° about up +X: Z → Y
        ("-", [0.0, 0.0, -1.0]),
        ("|", [0.0, -1.0, 0.0]),
        (">&", [0.0, 0.0, 1.0]), // left rolls by +90° about Z: Y → −X, then +90° about −X: Z → Y
        ("%&", [1.0, 0.0, 0.0]),
        ("&(180)", [0.0, -1.0, 0.0]),
        ("+(-90)", [0.0, 0.0, -1.0]),
        (":(0.5)+:(2)-", [0.0, 0.707_106_77, -0.707_106_77]),
    ] {
        let found = way(commands);
        let far = found
            .iter()
            .zip(expected)
            .fold(0.0, |m: f32, (a, b)| m.max((a - b).abs()));
        assert!(far < 1e-5, "{commands}: {found:?}, expected {expected:?}");
    }
}

#[test]
fn tropism_pitches_by_its_strength_times_the_sine() {
    // From 30° off upright by 0.4 · sin 30° = 0.2 rad.
    let [x, y, _] = way("&(30)t(0.4)");
    let angle = f64::from(-x).atan2(f64::from(y));
    assert!((angle - (30_f64.to_radians() + 0.2)).abs() < 1e-5);
    assert_eq!(way("t(0.4)"), [0.0, 1.0, 0.0]);
}

#[test]
fn lengths_and_thickness_follow_their_letters() {
    // F 100, Z 50, ' 90, " back to 100, F(20).
    let grown = grow("0\n90\n10\nFZ'F\"FF(20)'(.5)F?F!(.5)F\n@\n");
    let nodes = &grown.skeleton.branches[0].nodes;
    let metres = nodes[1].position.y / 100.0;
    let step = |i: usize| (nodes[i].position.y - nodes[i - 1].position.y) / metres;
    let steps: Vec<f32> = (1..nodes.len()).map(step).collect();
    for (step, expected) in steps
        .iter()
        .zip([100.0, 50.0, 90.0, 100.0, 20.0, 50.0, 50.0, 50.0])
    {
        assert!((step - expected).abs() < 0.01, "{steps:?}");
    }
    // Radius is 10 % of the length, halved; ? divides by 0.7, !(.5) halves.
    let radius = |i: usize, length: f32| nodes[i].radius / metres / length;
    for (i, length, expected) in [
        (1, 100.0, 0.05),
        (6, 50.0, 0.05),
        (7, 50.0, 0.05 / 0.7),
        (8, 50.0, 0.025 / 0.7),
    ] {
        assert!((radius(i, length) - expected).abs() < 1e-4, "{i}");
    }
}

#[test]
fn polygons_become_leaves_of_their_area_and_normal() {
    // A square of side 100 in the plane of forward and left, beside a trunk of 100.
    let grown = grow("0\n90\n10\nF[{f+f+f}]\n@\n");
    let [leaf] = grown.skeleton.leaves[..] else {
        panic!()
    };
    let side = grown.skeleton.branches[0].nodes[1].position.y;
    assert!((leaf.length * leaf.width / 2.0 / (side * side) - 1.0).abs() < 1e-4);
    let normal = leaf.rotation * treesway::glam::Vec3::Y;
    assert!(normal.x.abs() > 0.999, "{normal}");
    assert_eq!(leaf.on.branch, 0);
    assert!((leaf.on.along - side).abs() < 1e-4);
    // Nested ones count each; one without area is counted and gives no leaf.
    let nested = grow("0\n90\n10\nF[{f[{f+f+f}]+f+f}{}]\n@\n");
    assert_eq!(nested.derived.unwrap().polygons, 3);
    assert_eq!(nested.skeleton.leaves.len(), 2);
}

#[test]
fn forms_without_wood_stand_on_a_peg_and_gaps_are_bridged() {
    let shell = grow("0\n90\n10\n{f+f+f}\n@\n");
    assert_eq!(shell.skeleton.branches.len(), 1);
    // Wood behind a gap is a branch of its own that hangs on the first.
    let gap = grow("0\n90\n10\nFgF\n@\n");
    let [trunk, beyond] = &gap.skeleton.branches[..] else {
        panic!()
    };
    let on = beyond.parent.unwrap();
    assert_eq!(on.branch, 0);
    assert!((on.along - trunk.nodes[1].position.y).abs() < 1e-5);
    assert!((beyond.nodes[0].position.y / trunk.nodes[1].position.y - 2.0).abs() < 1e-5);
}

#[test]
fn stray_brackets_are_ignored_as_in_lparser() {
    assert_eq!(counts("0\n90\n10\n]F]}[F\n@\n").drawn, 2);
    assert_eq!(counts("0\n90\n10\nFF(\n@\n").drawn, 2);
    assert_eq!(counts("0\n90\n10\nF+-10)F\n@\n").drawn, 2);
}

#[test]
fn random_turns_are_those_of_the_seed() {
    let plant = Plant::read(b"2\n30\n10\nA\nA=F~(20)[A]~A\n@\n", "test.ls").unwrap();
    let of = |seed| {
        plant
            .grow(&Growth {
                seed,
                ..Growth::default()
            })
            .unwrap()
    };
    assert_eq!(of(5), of(5));
    assert_ne!(of(5), of(6));
}

#[test]
fn errors_name_the_line_the_column_and_what_was_expected() {
    for (text, expected) in [
        (
            "",
            "test.ls:1:1: found the end of the file; expected recursion",
        ),
        (
            "# only this\n",
            "found the end of the file; expected recursion",
        ),
        (
            "ten\n",
            "test.ls:1:1: found `ten`; expected recursion, a number from 0 to 10000",
        ),
        ("-1\n", "found `-1`"),
        ("nan\n", "found `nan`"),
        ("1e9\n", "found `1e9`"),
        (
            "1\ninf\n",
            "test.ls:2:1: found `inf`; expected angle in degrees",
        ),
        ("1\n20\n0\n", "test.ls:3:1: found `0`; expected thickness"),
        ("1\n20\n10\n", "expected an axiom"),
        (
            "1\n20\n10\nF\nA=F\n",
            "found the end of the file; expected a rule such as `A=F[+A]`, or `@`",
        ),
        (
            "1\n20\n10\nF\n  AB=F\n@\n",
            "test.ls:5:4: found `B`; expected `=`",
        ),
        (
            "1\n20\n10\nF\nA\n@\n",
            "test.ls:5:2: found the end of the line; expected `=`",
        ),
        (
            "1\n2\0\n",
            "test.ls:2:1: found the byte 0x00; expected text",
        ),
    ] {
        let said = error(text);
        assert!(said.contains(expected), "{text:?}: {said}");
        assert!(!said.contains('\n'));
    }
}

#[test]
fn explosions_and_deep_nesting_stop_with_a_message() {
    let grow = |text: &str| {
        let plant = Plant::read(text.as_bytes(), "test.ls").unwrap();
        plant.grow(&Growth::default()).unwrap_err().to_string()
    };
    let said = grow("10000\n20\n10\nF\nF=FF\n@\n");
    assert_eq!(
        said,
        "test.ls: the string has more than 10000000 letters at depth 24; expected a depth of 23 or less"
    );
    let deep = grow(&format!("0\n20\n10\n{}F\n@\n", "[".repeat(200_000)));
    assert!(deep.contains("inside of 100000 others"), "{deep}");
    let polygons = grow(&format!("0\n20\n10\n{}F\n@\n", "{".repeat(200_000)));
    assert!(polygons.contains("inside of 100000 others"), "{polygons}");
    let nothing = grow("0\n20\n10\n++\n@\n");
    assert!(nothing.contains("draws nothing"), "{nothing}");
}
