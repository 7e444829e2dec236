//! Grammars on the command line: counts, drawings, scenes, and how bad ones fail.

mod common;

use common::{Outcome, folder, succeed, treesway};
use std::fs;
use std::path::Path;

/// One line on stderr, exit code 2, nothing on stdout.
fn fail(folder: &Path, arguments: &[&str]) -> String {
    let Outcome {
        code,
        stdout,
        stderr,
    } = treesway(folder, arguments);
    assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
    assert!(stdout.is_empty(), "{stdout}");
    assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    stderr
}

fn info(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let mut all = vec!["info", "--json"];
    all.extend(arguments);
    serde_json::from_str(&succeed(folder, &all)).unwrap()
}

/// The ABOP figure 1.24a: F is multiplied by 5 and four other letters are added per F.
const WEED: &str = "version = 1\ndepth = 3\nangle = 25.7\naxiom = F\nF -> F[+F]F[-F]F\n";

#[test]
fn info_counts_letters_steps_and_polygons() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("weed.lsys"), WEED).unwrap();
    let weed = info(here, &["weed.lsys"]);
    // 5³ F, 6 others for each of the 1 + 5 + 25 that were replaced.
    assert_eq!(weed["letters"], 125 + 6 * 31);
    assert_eq!(weed["drawn"], 125);
    assert_eq!(weed["polygons"], 0);
    assert_eq!(weed["trees"][0]["letters"], 125 + 6 * 31);
    assert_eq!(info(here, &["weed.lsys", "--depth", "1"])["drawn"], 5);
    fs::write(here.join("old.ls"), "2\n30\n10\nA\nA=F[+A]{f+f+f}\n@\n").unwrap();
    let old = info(here, &["old.ls"]);
    assert_eq!((&old["drawn"], &old["polygons"]), (&2.into(), &2.into()));
    assert_eq!(old["letters"], "F[+F[+A]{f+f+f}]{f+f+f}".len());
    let fern = info(here, &["fern", "--depth", "20"]);
    assert!(fern["letters"].as_u64().unwrap() > 10_000);
    assert!(info(here, &["cantilever"]).get("letters").is_none());
    assert!(succeed(here, &["info", "weed.lsys"]).contains("311 letters, 125 steps drawn"));
}

#[test]
fn files_made_by_others_have_the_counts_computed_elsewhere() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/lsystem");
    let file = data.join("tree.ls");
    if !file.exists() {
        return println!("{}: absent, not checked", file.display());
    }
    let tree = info(folder().path(), &[file.to_str().unwrap()]);
    assert_eq!(
        (&tree["drawn"], &tree["polygons"]),
        (&3_248.into(), &7_290.into())
    );
}

#[test]
fn grammars_are_drawn_listed_and_simulated() {
    let folder = folder();
    let here = folder.path();
    fs::create_dir(here.join("plants")).unwrap();
    fs::write(here.join("plants/weed.lsys"), WEED).unwrap();
    succeed(
        here,
        &["grow", "plants/weed.lsys", "--depth", "2", "-o", "weed.svg"],
    );
    assert!(
        fs::read_to_string(here.join("weed.svg"))
            .unwrap()
            .contains("<svg")
    );
    let scenes = succeed(here, &["scenes"]);
    for name in [
        "monopodial",
        "sympodial",
        "ternary",
        "fern",
        "bush",
        "conifer",
        "palm",
    ] {
        assert!(
            scenes.lines().any(|l| l.starts_with(name)),
            "{name} is missing from\n{scenes}"
        );
    }
    // A name that another scene has is reached with its ending.
    assert!(info(here, &["palm.lsys"])["fruit"].as_u64().unwrap() > 0);
    succeed(
        here,
        &[
            "simulate",
            "plants/weed.lsys",
            "--frames",
            "2",
            "-o",
            "weed.npz",
        ],
    );
    fs::write(
        here.join("plants/scene.toml"),
        "version = 1\n[[tree]]\ngrammar = 'weed.lsys'\ndepth = 1\n",
    )
    .unwrap();
    assert_eq!(info(here, &["plants/scene.toml"])["drawn"], 5);
    let bush = |seed: &str| info(here, &["bush", "--seed", seed])["letters"].clone();
    assert_eq!(bush("1"), bush("1"));
    assert_ne!(bush("1"), bush("2"));
}

#[test]
fn bad_grammars_end_in_one_line() {
    let folder = folder();
    let here = folder.path();
    let long = "[".repeat(300_000);
    let nested = format!(
        "version = 1\naxiom = F({}1{})\n",
        "(".repeat(9_999),
        ")".repeat(9_999)
    );
    let exploding = "version = 1\ndepth = 60\naxiom = F\nF -> FF\n";
    let cases: [(&str, &[u8], &str); 14] = [
        (
            "empty.lsys",
            b"",
            "empty.lsys: found nothing; expected `version",
        ),
        (
            "empty.ls",
            b"",
            "empty.ls:1:1: found the end of the file; expected recursion",
        ),
        (
            "cut.lsys",
            b"version = 1\naxiom = F(1",
            "cut.lsys:2:12: found the end of the file; expected an operator, `,` or `)`",
        ),
        (
            "cut.ls",
            b"3\n20\n",
            "cut.ls:3:1: found the end of the file; expected thickness",
        ),
        (
            "binary.lsys",
            b"\x7fELF\x02\xff\x00",
            "binary.lsys:1:1: found the byte 0xff; expected text",
        ),
        (
            "binary.ls",
            b"\x7fELF\x02\xff\x00",
            "binary.ls:1:1: found the byte 0x00; expected text",
        ),
        (
            "word.lsys",
            b"version = 1\naxiom = F\ndepht = 3\n",
            "word.lsys:3:1: unknown key `depht`, did you mean `depth`?",
        ),
        (
            "nan.lsys",
            b"version = 1\naxiom = F(0/0)\n",
            "nan.lsys: axiom: an argument becomes NaN; expected a finite number",
        ),
        (
            "nan.ls",
            b"nan\n",
            "nan.ls:1:1: found `nan`; expected recursion",
        ),
        ("nested.lsys", nested.as_bytes(), "nests deeper than 64"),
        (
            "boom.lsys",
            exploding.as_bytes(),
            "boom.lsys: the string has more than 10000000 letters at depth 24",
        ),
        (
            "boom.ls",
            b"60\n20\n10\nF\nF=FF\n@\n",
            "boom.ls: the string has more than 10000000 letters at depth 24",
        ),
        (
            "nothing.lsys",
            b"version = 1\naxiom = A\n",
            "nothing.lsys: the turtle draws nothing",
        ),
        (
            "scene.toml",
            b"version = 1\n[[tree]]\ngrammar = 'word.lsys'\n",
            "word.lsys:3:1: unknown key `depht`",
        ),
    ];
    for (name, bytes, _) in &cases {
        fs::write(here.join(name), bytes).unwrap();
    }
    for (name, _, expected) in &cases {
        let said = fail(here, &["info", name]);
        assert!(said.contains(expected), "{name}: {said}");
        let said = fail(here, &["grow", name, "-o", "never.svg"]);
        assert!(said.contains(expected), "{name}: {said}");
    }
    fs::write(here.join("deep.ls"), format!("0\n20\n10\n{long}F\n@\n")).unwrap();
    assert!(fail(here, &["info", "deep.ls"]).contains("inside of 100000 others"));
    fs::write(here.join("huge.lsys"), vec![b'#'; (16 << 20) + 1]).unwrap();
    assert!(fail(here, &["info", "huge.lsys"]).contains("has more than 16777216 bytes"));
    fs::create_dir(here.join("folder.ls")).unwrap();
    assert!(fail(here, &["info", "folder.ls"]).contains("folder.ls: cannot be read"));
    assert!(fail(here, &["info", "missing.lsys"]).contains("missing.lsys: cannot be read"));
    assert!(fail(here, &["info", "oak", "--depth", "3"]).contains("has no use without `grammar`"));
    let left: Vec<_> = fs::read_dir(here)
        .unwrap()
        .filter(|f| {
            f.as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .contains("never")
        })
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Every plant that is made for particles, with its motion, its curves and what is seen of it.
#[test]
fn plants_are_simulated_as_particles() {
    let folder = folder();
    let here = folder.path();
    for plant in ["particles", "grass", "reeds", "vine", "hair", "fur"] {
        let run = |output: &str, more: &[&str]| {
            let told = [
                "simulate",
                plant,
                "--solver",
                "particles",
                "--frames",
                "4",
                "-o",
                output,
            ];
            succeed(here, &[&told[..], more].concat())
        };
        let turbulence = "wind.turbulence.strength=0.5";
        run("a.npz", &["--curves", "3", "--set", turbulence]);
        assert!(here.join("a.npz").exists());
        run("a.glb", &["--joints", "16"]);
        let glb = fs::read(here.join("a.glb")).unwrap();
        let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        let model: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
        let primitives = model["meshes"].as_array().unwrap().iter();
        let primitives = primitives.flat_map(|m| m["primitives"].as_array().unwrap());
        let corners = primitives.map(|p| {
            let indices = p["indices"].as_u64().unwrap() as usize;
            model["accessors"][indices]["count"].as_u64().unwrap()
        });
        // Thin stems are not left out; 150,000 is about the most by default.
        let triangles = corners.sum::<u64>() / 3;
        assert!(
            (2_000..=165_000).contains(&triangles),
            "{plant}: {triangles}"
        );
    }
    let refused = fail(here, &["simulate", "grass", "-o", "a.glb", "--curves", "3"]);
    assert!(refused.contains("--curves is for .npz files"), "{refused}");
}
