//! The language of `.lsys` files: derivation, turtle, hierarchy, limits and messages.

use treesway::glam::Vec3;
use treesway_grow::species::LeafShape;
use treesway_grow::{Counts, Grown, Growth, Limits, Plant, grammars};

fn read(text: &str) -> Plant {
    Plant::read(text.as_bytes(), "test.lsys").unwrap_or_else(|e| panic!("{e}"))
}

fn grow(text: &str) -> Grown {
    read(text)
        .grow(&Growth::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

/// A grammar with settings that most tests share.
fn with(depth: u32, rest: &str) -> String {
    format!("version = 1\ndepth = {depth}\n{rest}\n")
}

fn counts(depth: u32, rest: &str) -> Counts {
    grow(&with(depth, rest)).derived.unwrap()
}

/// What reading or growing says.
fn error(text: &str) -> String {
    let grown = Plant::read(text.as_bytes(), "test.lsys").and_then(|p| p.grow(&Growth::default()));
    grown.unwrap_err().to_string()
}

/// Figures of *The Algorithmic Beauty of Plants* without parameters. Their counts were computed apart from this library, by plain
/// replacement of strings in Python: `s = ''.join(rules.get(c, c) for c in s)`; F are the lines that are drawn.
#[test]
fn figures_of_the_book_have_their_letters() {
    for (figure, depth, rules, letters, drawn) in [
        (
            "1.6",
            3,
            "axiom = F-F-F-F\nF -> F-F+F+FF-F-F+F",
            3_803,
            2_048,
        ),
        (
            "1.8",
            2,
            "axiom = F+F+F+F\nF -> F+f-FF+F+FF+Ff+FF-f+FF-F-FF-Ff-FFF\nf -> ffffff",
            2_595,
            1_296,
        ),
        (
            "1.9a",
            4,
            "axiom = F-F-F-F\nF -> FF-F-F-F-F-F+F",
            30_427,
            16_384,
        ),
        ("1.9f", 4, "axiom = F-F-F-F\nF -> F-F+F-F-F", 4_999, 2_500),
        ("1.24a", 5, "axiom = F\nF -> F[+F]F[-F]F", 7_811, 3_125),
        ("1.24b", 5, "axiom = F\nF -> F[+F]F[-F][F]", 9_373, 3_125),
        (
            "1.24c",
            4,
            "axiom = F\nF -> FF-[-F+F+F]+[+F-F-F]",
            11_116,
            4_096,
        ),
        (
            "1.24d",
            7,
            "axiom = X\nX -> F[+X]F[-X]+X\nF -> FF",
            13_956,
            4_118,
        ),
        (
            "1.24e",
            7,
            "axiom = X\nX -> F[+X][-X]FX\nF -> FF",
            12_863,
            4_118,
        ),
        (
            "1.24f",
            5,
            "axiom = X\nX -> F-[[X]+X]+F[+FX]-X\nF -> FF",
            6_263,
            1_488,
        ),
    ] {
        let found = counts(depth, rules);
        assert_eq!(
            (found.letters, found.drawn),
            (letters, drawn),
            "figure {figure}"
        );
    }
}

/// The parametric figures, by recurrences on paper.
#[test]
fn parametric_figures_of_the_book_have_their_letters() {
    // Figure 1.10a, the dragon: every edge gives 2 edges and 2 turns, so 2^10 edges and 2 (2^10 − 1) turns.
    let dragon = "axiom = F(1, 0)\nF(l, s) : s == 0 -> F(l, 0) + F(l, 1) +\nF(l, s) : s == 1 -> - F(l, 0) - F(l, 1)";
    let found = counts(10, dragon);
    assert_eq!((found.letters, found.drawn), (1_024 + 2_046, 1_024));

    // Figure 2.6, monopodial: an apex gives 2 apices and 6 other letters, so 2^10 + 6 (2^10 − 1), with one F each.
    let monopodial =
        "const r1 = 0.9\nconst r2 = 0.6\nconst a = 45\nconst wr = 0.707\naxiom = A(1, 10)
A(l, w) -> !(w) F(l) [&(a) B(l*r2, w*wr)] /(137.5) A(l*r1, w*wr)
B(l, w) -> !(w) F(l) [-(a) $ C(l*r2, w*wr)] C(l*r1, w*wr)
C(l, w) -> !(w) F(l) [+(a) $ B(l*r2, w*wr)] B(l*r1, w*wr)";
    let found = counts(10, monopodial);
    assert_eq!((found.letters, found.drawn), (1_024 + 6 * 1_023, 1_023));

    // Figure 2.7, sympodial: the first apex gives 2 apices and 9 others, each further one 2 and 10:
    // 2^10 + 9 + 10 (2 + … + 2^9).
    let sympodial =
        "const r1 = 0.9\nconst r2 = 0.7\nconst a = 30\nconst wr = 0.707\naxiom = A(1, 10)
A(l, w) -> !(w) F(l) [&(a) B(l*r1, w*wr)] /(180) [&(a) B(l*r2, w*wr)]
B(l, w) -> !(w) F(l) [+(a) $ B(l*r1, w*wr)] [-(a) $ B(l*r2, w*wr)]";
    let found = counts(10, sympodial);
    assert_eq!(
        (found.letters, found.drawn),
        (1_024 + 9 + 10 * 1_022, 1_023)
    );

    // Figure 2.8, ternary: an apex gives 3 apices and 16 others with 4 F; (3^6 − 1)/2 = 364 apices were replaced.
    let ternary = "const a = 18.95\nelasticity = 0.22\naxiom = !(1) F(200) /(45) A
A -> !(1.732) F(50) [&(a) F(50) A] /(94.74) [&(a) F(50) A] /(132.63) [&(a) F(50) A]
F(l) -> F(l*1.109)\n!(w) -> !(w*1.732)";
    let found = counts(6, ternary);
    assert_eq!(
        (found.letters, found.drawn),
        (3 + 16 * 364 + 729, 1 + 4 * 364)
    );

    // Section 1.1: strings of algae are as long as Fibonacci numbers: 1, 1, 2, 3, 5, 8, 13, …
    for (depth, fibonacci) in [(0, 1), (1, 1), (2, 2), (3, 3), (10, 89), (20, 10_946)] {
        let algae = with(depth, "axiom = b\na -> ab\nb -> a\nF -> F");
        // They draw nothing: only the message of the turtle shows that all went well until there.
        assert!(error(&algae).contains("draws nothing"));
        let drawn = counts(depth, "axiom = bF\na -> ab\nb -> a");
        assert_eq!(drawn.letters, fibonacci + 1, "depth {depth}");
    }
}

#[test]
fn the_first_production_that_applies_is_taken() {
    let rules =
        "axiom = A(0)\nA(n) : n < 3 -> F A(n + 1)\nA(n) : n < 5 -> F F A(n + 1)\nA(n) -> F F F";
    assert_eq!(counts(10, rules).drawn, 3 + 2 * 2 + 3);
    // A letter without a production that applies stays.
    assert_eq!(counts(10, "axiom = F A(1)\nA(n) : n > 1 -> F").letters, 2);
    // The same letter with another number of arguments is another one.
    assert_eq!(counts(1, "axiom = A A(1) A(1, 2)\nA(x) -> F").drawn, 1);
    assert_eq!(counts(3, "axiom = F A\nA -> .").letters, 1);
}

#[test]
fn weights_are_probabilities_and_the_seed_decides() {
    let text = with(
        1,
        &format!(
            "axiom = {}\nA with 3 -> F\nA with 1 -> F F",
            "A".repeat(4_000)
        ),
    );
    let plant = read(&text);
    let drawn = |seed| {
        let growth = Growth {
            seed,
            ..Growth::default()
        };
        plant.grow(&growth).unwrap()
    };
    let first = drawn(1).derived.unwrap().drawn as f64 - 4_000.0;
    // 1000 of 4000, standard deviation √(4000 · 3/16) = 27; five of them.
    assert!((first - 1_000.0).abs() < 137.0, "{first}");
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1).derived, drawn(2).derived);
    // Only productions whose condition holds take part; a weight may depend on the parameters.
    let rules = "axiom = A(2)\nA(n) : n > 5 with 100 -> F F F\nA(n) : n < 5 with n -> F\nA(n) with 0 -> F F";
    assert_eq!(counts(1, rules).drawn, 1);
}

#[test]
fn the_turtle_goes_where_its_letters_say() {
    for (letters, expected) in [
        ("F", Vec3::new(0.0, 1.0, 0.0)),
        ("F(2.5)", Vec3::new(0.0, 2.5, 0.0)),
        ("+F", Vec3::new(-1.0, 0.0, 0.0)),
        ("-F", Vec3::new(1.0, 0.0, 0.0)),
        ("&F", Vec3::new(0.0, 0.0, -1.0)),
        ("^F", Vec3::new(0.0, 0.0, 1.0)),
        ("\\&F", Vec3::new(-1.0, 0.0, 0.0)),
        ("/&F", Vec3::new(1.0, 0.0, 0.0)),
        ("|F", Vec3::new(0.0, -1.0, 0.0)),
        ("+(30)F", Vec3::new(-0.5, 0.866_025_4, 0.0)),
        ("\"(0.5)F", Vec3::new(0.0, 0.5, 0.0)),
        ("[+FF]F", Vec3::new(0.0, 1.0, 0.0)),
    ] {
        let grown = grow(&with(0, &format!("axiom = {letters}")));
        let tip = grown.skeleton.branches[0].nodes.last().unwrap().position;
        assert!(tip.distance(expected) < 1e-6, "{letters}: {tip}");
    }
}

#[test]
fn tropism_bends_after_every_step() {
    let grown = grow(&with(0, "elasticity = 0.3\naxiom = &(40) F F T(0) F"));
    let nodes = &grown.skeleton.branches[0].nodes;
    let way = |i: usize| nodes[i + 1].position - nodes[i].position;
    let bend = way(0).angle_between(way(1));
    // α = e |H × T| (section 2.1 of the book).
    assert!(
        (bend - 0.3 * 40_f32.to_radians().sin()).abs() < 1e-3,
        "{bend}"
    );
    assert!(way(1).y < way(0).y, "down, as T is by default");
    let sideways = grow(&with(0, "tropism = 2, 0, 0\nelasticity = 0.5\naxiom = F F"));
    let tip = sideways.skeleton.branches[0].nodes[2].position;
    assert!((tip.x - 0.5_f32.sin()).abs() < 1e-5, "{tip}");
}

#[test]
fn the_dominant_child_has_the_stack_depth_of_its_parent() {
    // Trunk of three steps, a limb of two on its first node, a twig on the limb, a fork at the top.
    let grown = grow(&with(0, "angle = 30\naxiom = F[+F[-F]F]FF[+F][-F]"));
    let shape: Vec<_> = grown
        .skeleton
        .branches
        .iter()
        .map(|b| (b.nodes.len() - 1, b.parent.map(|p| (p.branch, p.along))))
        .collect();
    assert_eq!(
        shape,
        [
            (3, None),
            (2, Some((0, 1.0))),
            (1, Some((1, 1.0))),
            (1, Some((0, 3.0))),
            (1, Some((0, 3.0))),
        ]
    );
    // A plant whose first branches are in brackets: the step at the root's own depth is the trunk.
    let grown = grow(&with(0, "angle = 30\naxiom = [+F][-F]F(2)"));
    let branches = &grown.skeleton.branches;
    assert_eq!(branches[0].nodes[1].position, Vec3::Y * 2.0);
    assert!(
        branches[1..]
            .iter()
            .all(|b| b.parent.map(|p| (p.branch, p.along)) == Some((0, 0.0)))
    );
    // None at that depth: the first one drawn.
    let grown = grow(&with(0, "angle = 30\naxiom = [+F][-F]"));
    assert_eq!(
        grown
            .skeleton
            .branches
            .iter()
            .filter(|b| b.parent.is_none())
            .count(),
        1
    );
}

#[test]
fn the_thinnest_twig_has_the_given_radius_and_ratios_are_kept() {
    let text = |tip: &str| {
        with(
            0,
            &format!("tip_radius = {tip}\nangle = 30\naxiom = !(8) F [+ !(2) F '(0.5) F] ' F"),
        )
    };
    for tip in ["0.002", "0.5"] {
        let grown = grow(&text(tip));
        let tip: f32 = tip.parse().unwrap();
        let [trunk, limb] = &grown.skeleton.branches[..] else {
            panic!()
        };
        let radii: Vec<f32> = trunk
            .nodes
            .iter()
            .chain(&limb.nodes)
            .map(|n| n.radius / tip)
            .collect();
        for (found, expected) in radii.iter().zip([8.0, 8.0, 5.6, 2.0, 2.0, 1.0]) {
            assert!((found - expected).abs() < 1e-5, "{radii:?}");
        }
    }
}

#[test]
fn leaves_and_fruit_grow_where_the_turtle_is() {
    let grown = grow(&with(0, "axiom = F(2) [+(90) ~(0.3, 0.1)] [~] @(0.05) @"));
    let [leaf, usual] = grown.skeleton.leaves[..] else {
        panic!()
    };
    assert_eq!((leaf.length, leaf.width), (0.3, 0.1));
    assert_eq!(leaf.position, Vec3::Y * 2.0);
    assert!(
        (leaf.rotation * Vec3::Z).distance(Vec3::NEG_X) < 1e-6,
        "along the heading"
    );
    assert!(
        (leaf.rotation * Vec3::Y).distance(Vec3::Z) < 1e-6,
        "upper side at the turtle's back"
    );
    assert_eq!((leaf.on.branch, leaf.on.along), (0, 2.0));
    assert_eq!((usual.length, usual.width), (0.06, 0.035));
    let radii: Vec<f32> = grown.skeleton.fruit.iter().map(|f| f.radius).collect();
    assert_eq!(radii, [0.05, 0.03]);
    assert!((grown.skeleton.fruit[0].rotation * Vec3::Z).distance(Vec3::NEG_Y) < 1e-6);
}

#[test]
fn a_move_that_is_not_drawn_leaves_a_gap() {
    let grown = grow(&with(0, "axiom = F f F"));
    let [trunk, beyond] = &grown.skeleton.branches[..] else {
        panic!()
    };
    assert_eq!(trunk.nodes.len(), 2);
    assert_eq!(beyond.parent.map(|p| (p.branch, p.along)), Some((0, 1.0)));
    assert_eq!(beyond.nodes[0].position, Vec3::Y * 2.0);
    assert!(beyond.continues, "more of the same axis");
}

#[test]
fn errors_name_file_line_column_found_and_expected() {
    for (text, expected) in [
        ("", "test.lsys: found nothing; expected `version = …`"),
        (
            "# no more\n",
            "test.lsys: found nothing; expected `version = …`",
        ),
        (
            "axiom = F\n",
            "test.lsys:1:1: found `axiom`; expected `version = 1`",
        ),
        ("version = 2\n", "test.lsys:1:11: is 2; expected 1"),
        (
            "version = 1\n",
            "test.lsys: is not complete; expected `axiom = …`",
        ),
        (
            "version = 1\nangel = 3\n",
            "test.lsys:2:1: unknown key `angel`, did you mean `angle`?",
        ),
        (
            "version = 1\nangle 3\n",
            "test.lsys:2:7: found `3`; expected `=`",
        ),
        (
            "version = 1\nstep = 0\n",
            "test.lsys:2:8: is 0; expected a number from 1e-6 to 1e6",
        ),
        (
            "version = 1\nstep = 1/0\n",
            "test.lsys:2:8: is inf; expected a finite number",
        ),
        (
            "version = 1\ndepth = 2.5\n",
            "test.lsys:2:9: is 2.5; expected a whole number from 0 to 10000",
        ),
        (
            "version = 1\ndepth = 2\ndepth = 3\n",
            "test.lsys:3:1: found a second `depth`; expected one",
        ),
        (
            "version = 1\nconst a = random(0, 1)\n",
            "test.lsys:2:11: found random()",
        ),
        (
            "version = 1\nconst and = 1\n",
            "test.lsys:2:7: found `and`, which is an operator",
        ),
        (
            "version = 1\ntitle = \"x\n",
            "test.lsys:2:11: found the end of the file; expected `\"`",
        ),
        (
            "version = 1\naxiom = F[+F\n",
            "test.lsys:2:10: found `[` without its end; expected a `]` after it",
        ),
        (
            "version = 1\naxiom = F]\n",
            "test.lsys:2:10: found `]`; expected a `[` before it",
        ),
        (
            "version = 1\naxiom = F(1\n",
            "test.lsys:2:12: found the end of the file; expected an operator, `,` or `)`",
        ),
        (
            "version = 1\naxiom = F?\n",
            "test.lsys:2:10: found `?`; expected a letter",
        ),
        (
            "version = 1\naxiom =\nA -> F\n",
            "test.lsys:2:8: found the end of the statement; expected letters, or `.` for none",
        ),
        (
            "version = 1\naxiom = A\nA F\n",
            "test.lsys:3:3: found `F`; expected `:`, `with` or `->`",
        ),
        (
            "version = 1\naxiom = A\nA : 1 F\n",
            "test.lsys:3:7: found `F`; expected an operator, `with` or `->`",
        ),
        (
            "version = 1\naxiom = A\nA(x, x) -> F\n",
            "test.lsys:3:6: found a second parameter `x`",
        ),
        (
            "version = 1\naxiom = A\nA(l) -> F(lenght)\n",
            "test.lsys:3:11: unknown name `lenght`, did you mean `l`?",
        ),
        (
            "version = 1\naxiom = A\nA with 1 -> F\nA -> FF\n",
            "test.lsys:4:1: some productions of A have a weight",
        ),
        (
            "version = 1\naxiom = A\n[ -> F\n",
            "test.lsys:3:1: found `[`; expected a key such as `axiom`",
        ),
        (
            "version = 1\naxiom = A\n  A -> F\n",
            "test.lsys:3:6: found `>`; expected a letter",
        ),
        (
            "version = 1\naxiom = F(log(0-1))\n",
            "axiom: an argument becomes NaN",
        ),
        (
            "version = 1\ndepth = 1\naxiom = A(0)\nA(n) -> F(1/n)\n",
            "test.lsys:4:1: in step 1 of this production an argument becomes inf",
        ),
        (
            "version = 1\naxiom = F !(0) F\n",
            "test.lsys: letter 2 of the derived string, `!(0)`: makes the width 0",
        ),
        (
            "version = 1\naxiom = F(1e9)\n",
            "the plant reaches 1e9 m; expected at most 10000 m",
        ),
        (
            "version = 1\naxiom = F !(1e-9) F\n",
            "expected widths that differ less",
        ),
    ] {
        let said = error(text);
        assert!(
            said.contains(expected),
            "{text:?}\n  said     {said}\n  expected {expected}"
        );
        assert!(!said.contains('\n'), "{said}");
    }
    let binary = Plant::read(b"version = 1\n\xff\xfe", "test.lsys").unwrap_err();
    assert_eq!(
        binary.to_string(),
        "test.lsys:2:1: found the byte 0xff; expected text in UTF-8"
    );
}

#[test]
fn explosions_stop_at_a_limit() {
    let said = error(&with(10_000, "axiom = F\nF -> FF"));
    assert!(
        said.contains("more than 10000000 letters at depth 24; expected a depth of 23 or less"),
        "{said}"
    );
    let said = error(&with(
        100,
        "axiom = A(1,2,3,4,5,6,7,8)\nA(a,b,c,d,e,f,g,h) -> A(a,b,c,d,e,f,g,h) A(a,b,c,d,e,f,g,h)",
    ));
    assert!(said.contains("more than 20000000 arguments"), "{said}");
    // Nothing grows, but there is no end to the work.
    let idle = read(&with(
        10_000,
        &format!("axiom = F{}\nA(x) -> A(x + 1)", "A(1)".repeat(10_000)),
    ));
    let growth = Growth {
        limits: Limits {
            work: 1_000_000,
            ..Limits::default()
        },
        ..Growth::default()
    };
    let said = idle.grow(&growth).unwrap_err().to_string();
    assert!(said.contains("goes beyond 1000000 operations"), "{said}");
    let deep = with(
        0,
        &format!("axiom = {}F{}", "[".repeat(100_001), "]".repeat(100_001)),
    );
    assert!(error(&deep).contains("inside of 100000 others; expected no deeper nesting"));
    let said = Plant::read(with(0, "axiom = F").as_bytes(), "a.lsys")
        .unwrap()
        .grow(&Growth {
            depth: Some(10_001),
            ..Growth::default()
        });
    assert!(
        said.unwrap_err()
            .to_string()
            .contains("depth is 10001; expected a whole number from 0 to 10000")
    );
}

#[test]
fn depth_is_that_of_the_grammar_unless_given() {
    let plant = read(&with(3, "axiom = F\nF -> FF"));
    let drawn = |depth| {
        let growth = Growth {
            depth,
            ..Growth::default()
        };
        plant.grow(&growth).unwrap().derived.unwrap().drawn
    };
    assert_eq!((drawn(None), drawn(Some(0)), drawn(Some(5))), (8, 1, 32));
}

#[test]
fn the_example_of_the_documentation_grows() {
    let text = include_str!("../../../docs/GRAMMAR.md");
    let example = text
        .split("```lsys")
        .nth(1)
        .and_then(|t| t.split("```").next())
        .expect("an example");
    let grown = grow(example);
    let derived = grown.derived.unwrap();
    // As the text below the example says.
    assert!(
        text.contains(&format!("{} letters", derived.letters)),
        "{derived:?}"
    );
    assert!(
        text.contains(&format!("{} steps", derived.drawn)),
        "{derived:?}"
    );
    assert!(
        text.contains(&format!("{} leaves", derived.polygons)),
        "{derived:?}"
    );
}

/// What makes each of our grammars the plant it is called after, m.
#[test]
fn embedded_grammars_have_the_form_of_their_plant() {
    for (name, height, width, trunk_radius, leaves) in [
        ("monopodial", 6.0..10.0, 4.0..9.0, 0.02..0.15, 2_000..6_000),
        ("sympodial", 6.0..10.0, 6.0..12.0, 0.05..0.25, 2_000..6_000),
        ("ternary", 6.0..12.0, 6.0..12.0, 0.03..0.2, 1_000..4_000),
        ("fern", 0.3..1.2, 1.0..2.5, 0.001..0.02, 8_000..30_000),
        ("bush", 0.7..2.0, 1.2..3.0, 0.004..0.04, 700..6_000),
        ("conifer", 5.0..10.0, 3.0..7.0, 0.04..0.15, 4_000..12_000),
        ("palm", 7.0..12.0, 4.0..8.0, 0.06..0.2, 600..2_000),
    ] {
        let grammar = grammars::named(name).expect(name);
        let plant = grammar.plant();
        assert!(!plant.title().is_empty());
        let skeleton = plant.grow(&Growth::default()).unwrap().skeleton;
        let nodes = || skeleton.branches.iter().flat_map(|b| &b.nodes);
        let top = nodes().fold(0.0_f32, |m, n| m.max(n.position.y));
        let reach = nodes().fold([0.0_f32; 2], |m, n| {
            [m[0].min(n.position.x), m[1].max(n.position.x)]
        });
        let trunk = skeleton.branches[0].nodes[0].radius;
        let low = nodes().fold(0.0_f32, |m, n| m.min(n.position.y));
        assert!(height.contains(&top), "{name}: {top} m high");
        assert!(
            width.contains(&(reach[1] - reach[0])),
            "{name}: {reach:?} wide"
        );
        assert!(trunk_radius.contains(&trunk), "{name}: trunk {trunk}");
        assert!(
            leaves.contains(&skeleton.leaves.len()),
            "{name}: {} leaves",
            skeleton.leaves.len()
        );
        assert!(low > -0.05, "{name}: grows {low} m below the ground");
    }
    assert!(grammars::named("oak").is_none());
}

/// Trees of particles, grass, reeds, what hangs and what covers: how high and how low, m, of how many branches and leaves.
#[test]
fn small_grammars_have_the_form_of_their_plant() {
    let plants = [
        ("binary", 4.0..6.0, -0.1..0.1, 255..256, 0..1),
        ("grass", 0.4..0.7, -0.1..0.1, 125..126, 0..1),
        ("meadow", 0.4..0.8, -0.1..0.1, 50_001..50_002, 0..1),
        ("reed", 1.8..2.8, -0.1..0.1, 500..800, 80..150),
        ("vine", 2.3..2.6, -0.1..0.1, 60..200, 1_000..3_000),
        ("hair", -0.1..0.1, -0.45..-0.2, 241..260, 0..1),
        ("fur", 0.01..0.06, -0.1..0.1, 3_601..3_602, 0..1),
    ];
    for (name, high, low, branches, leaves) in plants.clone() {
        let grown = grammars::named(name).expect(name).plant();
        let skeleton = grown.grow(&Growth::default()).unwrap().skeleton;
        let heights = || {
            let nodes = skeleton.branches.iter().flat_map(|b| &b.nodes);
            nodes.map(|n| n.position.y)
        };
        let (top, bottom) = (
            heights().fold(f32::MIN, f32::max),
            heights().fold(f32::MAX, f32::min),
        );
        assert!(high.contains(&top), "{name}: {top} m high");
        assert!(low.contains(&bottom), "{name}: {bottom} m low");
        let counts = (skeleton.branches.len(), skeleton.leaves.len());
        assert!(branches.contains(&counts.0), "{name}: {counts:?}");
        assert!(leaves.contains(&counts.1), "{name}: {counts:?}");
    }
    assert_eq!(grammars::all().len(), 7 + plants.len());
}

#[test]
fn colours_and_what_stems_are_made_of_are_read() {
    let text = "version = 1\nstem_colour = \"#96b552\"\nleaf_colour = \"#102030\"\nleaf_shape = \"lanceolate\"\nleaf_length = 0.5\nleaf_width = 0.02\nmodulus = 2e8\ndensity = 500\naxiom = F";
    let grown = grow(text);
    let bytes = |colour: Option<treesway_grow::species::Colour>| colour.map(|c| c.0);
    let seen = grown.appearance;
    assert_eq!(bytes(seen.stem_colour), Some([0x96, 0xb5, 0x52]));
    assert_eq!(bytes(seen.leaf_colour), Some([0x10, 0x20, 0x30]));
    assert_eq!(seen.leaf_shape, Some(LeafShape::Lanceolate));
    assert_eq!(seen.leaf_aspect, Some(0.04));
    let wood = grown.params.unwrap().wood;
    assert_eq!((wood.youngs_modulus, wood.density), (2e8, 500.0));
    assert_eq!(
        error("version = 1\nstem_colour = \"green\"\naxiom = F"),
        "test.lsys:2:15: is \"green\"; expected a colour such as \"#5a4636\""
    );
    assert_eq!(
        error("version = 1\nleaf_shape = \"grass\"\naxiom = F"),
        "test.lsys:2:14: unknown variant `grass`, expected one of `ovate`, `lobed`, `palmate`, `lanceolate`, `rhombic`, `needles`, `tuft`, `leaflet`, `blossom`"
    );
    assert_eq!(
        error("version = 1\ndensity = 0\naxiom = F"),
        "test.lsys:2:11: is 0; expected a density from 1 to 1e5 kg/m³"
    );
}

/// Derived, drawn and built: a second in release builds, ten in debug ones.
#[test]
fn over_a_million_letters_take_less_than_a_second() {
    let figure = read(&with(
        18,
        "axiom = A(1, 10)\nA(l, w) : l > 0 -> !(w) F(l) [&(45) A(l*0.6, w*0.8)] /(137.5) A(l*0.9, w*0.8)",
    ));
    let started = std::time::Instant::now();
    let grown = figure.grow(&Growth::default()).unwrap();
    let seconds = started.elapsed().as_secs_f64();
    let derived = grown.derived.unwrap();
    // 2^18 apices and 6 other letters for each of the 2^18 − 1 that were replaced.
    assert_eq!(derived.letters, 262_144 + 6 * 262_143);
    println!(
        "{} letters with {} steps in {seconds:.3} s",
        derived.letters, derived.drawn
    );
    let most = if cfg!(debug_assertions) { 10.0 } else { 1.0 };
    assert!(seconds < most, "{seconds} s");
}
