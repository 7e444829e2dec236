//! The program from outside: what it prints, what it writes, and how it fails.

mod common;

use common::{assert_refused, files, folder, succeed, treesway};
use std::fs;
use std::path::Path;

/// Shape of an array of an archive.
fn shape(path: &Path, array: &str) -> Vec<u64> {
    let mut archive = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let entry = archive.by_name(&format!("{array}.npy")).unwrap();
    npyz::NpyFile::new(entry).unwrap().shape().to_vec()
}

#[test]
fn without_arguments_it_shows_the_oak() {
    let folder = folder();
    let stdout = succeed(folder.path(), &[]);
    for part in [
        "bodies",
        "10000",
        "steps/s",
        "real-time factor",
        "largest angles",
    ] {
        assert!(stdout.contains(part), "{part} is missing from:\n{stdout}");
    }
    let mut written = files(folder.path());
    written.retain(|file| file != "oak.png"); // needs a graphics adapter
    assert_eq!(written, ["oak.glb", "oak.npz"]);
    let oak = folder.path().join("oak.npz");
    assert_eq!(shape(&oak, "joint_position"), [101, 10_000, 3]);
}

#[test]
fn the_studio_says_why_it_cannot_be_opened() {
    let folder = folder();
    let expected = "there is no display to open a window on";
    assert_refused(folder.path(), &["studio"], &[expected]);
    assert_refused(folder.path(), &["studio", "oka"], &["unknown scene `oka`"]);
    assert_refused(folder.path(), &["studio", "gone.toml"], &["gone.toml"]);
}

#[test]
fn simulate_writes_what_was_asked_for() {
    let folder = folder();
    let run = folder.path().join("run.npz");
    let simulate = |more: &[&str]| {
        let mut arguments = vec!["simulate", "cantilever", "-o", "run.npz"];
        arguments.extend_from_slice(more);
        let stdout = succeed(folder.path(), &arguments);
        assert_eq!(files(folder.path()), ["run.npz"]);
        (stdout, shape(&run, "theta"))
    };
    assert_eq!(simulate(&[]).1, [301, 20, 3]);
    assert_eq!(
        simulate(&["--set", "segments=40", "--frames", "5"]).1,
        [6, 40, 3]
    );
    assert_eq!(simulate(&["--seconds", "2", "--fps", "10"]).1, [21, 20, 3]);
    assert_eq!(
        simulate(&["--frames", "9", "--every", "3", "--select", "0-4"]).1,
        [4, 5, 3]
    );
    let hash = |threads: &str| {
        let (stdout, _) = simulate(&["--threads", threads, "--solver", "analytic", "--seed", "3"]);
        stdout
            .lines()
            .find(|l| l.contains("state hash"))
            .map(str::to_string)
            .unwrap()
    };
    assert_eq!(hash("1"), hash("2"));
}

/// Skins, joints of the first skin, keys of the first channel.
fn rig(path: &Path) -> (usize, usize, usize) {
    let file = gltf::Gltf::open(path).unwrap();
    let joints = file.skins().next().map_or(0, |s| s.joints().count());
    let channel = file.animations().flat_map(|a| a.channels()).next();
    let keys = channel.map_or(0, |c| c.sampler().input().count());
    (file.skins().count(), joints, keys)
}

#[test]
fn trees_are_written_for_viewers() {
    let folder = folder();
    let glb = folder.path().join("a.glb");
    let write = |arguments: &[&str]| {
        let mut whole = arguments.to_vec();
        whole.extend(["-o", "a.glb", "--triangles", "5000"]);
        let stdout = succeed(folder.path(), &whole);
        assert_eq!(files(folder.path()), ["a.glb"]);
        (stdout, rig(&glb))
    };
    let small = ["--set", "bodies=300", "--frames", "8"];
    let simulate = |more: &[&str]| write(&[&["simulate", "birch"], &small[..], more].concat());
    assert_eq!(simulate(&["--joints", "all"]).1, (1, 300, 9));
    let (stdout, rig) = simulate(&["--joints", "20", "--every", "2"]);
    assert_eq!(rig, (1, 20, 5));
    assert!(stdout.contains("deviation") && stdout.contains("% of the height"));
    // Two frames beyond the loop are simulated to close it.
    let (stdout, rig) = simulate(&["--loop", "--every", "2"]);
    assert_eq!(rig, (1, 256, 5));
    assert!(stdout.contains("in 12 frames"), "{stdout}");
    assert_eq!(write(&["grow", "birch", "--bodies", "300"]).1, (0, 0, 0));
    assert_eq!(write(&["grow", "fork", "--bare"]).1, (0, 0, 0));
    let empty = self::folder();
    for joints in ["0", "some"] {
        let arguments = ["simulate", "birch", "-o", "b.glb", "--joints", joints];
        let outcome = treesway(empty.path(), &arguments);
        assert_eq!(outcome.code, Some(2));
        assert!(outcome.stderr.contains("expected a number of joints"));
        assert!(files(empty.path()).is_empty());
    }
    assert_refused(
        empty.path(),
        &["grow", "birch", "-o", "b.obj"],
        &[
            "b.obj",
            "ends in .npz (skeleton) or .svg (drawing), or .glb (model)",
        ],
    );
}

#[test]
fn info_counts_and_weighs() {
    let folder = folder();
    let text = succeed(folder.path(), &["info", "cantilever", "--json"]);
    let info: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(info["bodies"], 20);
    assert_eq!(info["segments"], 20);
    assert_eq!(info["leaves"], 0);
    assert_eq!(info["fruit"], 0);
    assert_eq!(info["depth"], 20);
    let number = |key: &str| info[key].as_f64().unwrap();
    assert!((number("mass_kg") - 7.0372).abs() < 1e-3);
    assert!((number("volume_m3") - 0.0087965).abs() < 1e-6);
    assert!((number("length_m") - 4.0).abs() < 1e-5);
    assert_eq!(number("height_m"), 0.0);
    assert!(succeed(folder.path(), &["info", "oak", "--set", "bodies=400"]).contains("400 ("));
    assert!(files(folder.path()).is_empty());
}

#[test]
fn scenes_are_listed() {
    let stdout = succeed(folder().path(), &["scenes"]);
    for name in [
        "oak",
        "cantilever",
        "fork",
        "fig03-tree",
        "fig06-root-shake",
        "pull",
        "birch",
        "spruce",
        "fig13-giant",
    ] {
        assert!(
            stdout.lines().any(|l| l.starts_with(name) && l.len() > 30),
            "{stdout}"
        );
    }
}

#[test]
fn bench_has_a_row_per_stage() {
    let arguments = [
        "bench",
        "--scene",
        "fig03-tree",
        "--bodies",
        "500",
        "--threads",
        "1",
        "--steps",
        "5",
    ];
    let folder = folder();
    let table = succeed(folder.path(), &arguments);
    assert!(
        table.contains("state hash") && table.contains("bytes/body"),
        "{table}"
    );
    let csv = succeed(folder.path(), &[&arguments[..], &["--csv"]].concat());
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some(
            "scene,solver,bodies,threads,stage,ns_per_body,bodies_per_s,bytes_per_body,ratio_to_copy,ratio_to_scalar,isa"
        )
    );
    let rows: Vec<Vec<&str>> = lines.map(|l| l.split(',').collect()).collect();
    let stages: Vec<&str> = rows.iter().map(|r| r[4]).collect();
    let timed = treesway::StageTimes::default().named().map(|s| s.0);
    let fused = treesway::Isa::fused().map(|_| "fused");
    let avx2 = (treesway::Isa::best() == treesway::Isa::Avx512).then_some("avx2");
    let others = ["total", "calm", "at rest"].into_iter();
    let others = others.chain(fused).chain(avx2);
    assert_eq!(stages, timed.into_iter().chain(others).collect::<Vec<_>>());
    for row in &rows {
        assert_eq!(row[..4], ["fig03-tree", "analytic", "500", "1"]);
        assert!(row[5].parse::<f64>().unwrap() >= 0.0);
        assert_eq!(row[10], treesway::Isa::best().name());
    }
    let narrow = succeed(
        folder.path(),
        &[&arguments[..], &["--csv", "--isa", "base"]].concat(),
    );
    assert!(narrow.trim_end().ends_with(",base"), "{narrow}");
    assert_refused(
        folder.path(),
        &[&arguments[..], &["--isa", "mmx"]].concat(),
        &["--isa is mmx", "expected one of scalar, base"],
    );
}

#[test]
fn bad_arguments_are_refused_in_one_line() {
    let folder = folder();
    let refused = |arguments: &[&str], parts: &[&str]| {
        let whole: Vec<&str> = ["simulate"].iter().chain(arguments).copied().collect();
        assert_refused(folder.path(), &whole, parts);
    };
    refused(
        &["oka", "-o", "x.npz"],
        &["unknown scene `oka`", "did you mean `oak`"],
    );
    refused(
        &["none.toml", "-o", "x.npz"],
        &["none.toml: cannot be read"],
    );
    refused(
        &["fork", "-o", "missing/x.npz"],
        &["missing/x.npz: cannot be written"],
    );
    refused(&["fork", "-o", "x.csv"], &["x.csv", "ends in .npz"]);
    refused(
        &["fork", "-o", "missing/x.glb"],
        &["missing/x.glb: cannot be written"],
    );
    refused(&["fork", "-o", "x.npz", "--loop"], &["--loop is for .glb"]);
    refused(
        &["fork", "-o", "x.npz", "--joints", "9"],
        &["--joints is for .glb"],
    );
    refused(
        &["fork", "-o", "x.glb", "--select", "tips"],
        &["--select is for .npz"],
    );
    refused(
        &["fork", "-o", "x.glb", "--loop", "--frames", "1"],
        &["x.glb: a loop of 1 frames cannot be closed"],
    );
    refused(
        &["fork", "-o", "x.npz", "--set", "segmnts=3"],
        &["did you mean `segments`"],
    );
    refused(
        &["fork", "-o", "x.npz", "--set", "segments"],
        &["expected key=value"],
    );
    refused(
        &["fork", "-o", "x.npz", "--set", "segments=0"],
        &["fork.segments: is 0; expected"],
    );
    refused(
        &["fork", "-o", "x.npz", "--solver", "analitic"],
        &["did you mean `analytic`"],
    );
    refused(
        &["fork", "-o", "x.npz", "--select", "leafs"],
        &["`leafs`", "expected all"],
    );
    refused(
        &["fork", "-o", "x.npz", "--select", "leaves"],
        &["selects none of the 18 bodies"],
    );
    refused(
        &["fork", "-o", "x.npz", "--seconds", "-1"],
        &["run.seconds: is -1; expected"],
    );
    assert_refused(folder.path(), &["info", "oka"], &["did you mean `oak`"]);
    assert_refused(
        folder.path(),
        &["bench", "--scene", "oka"],
        &["did you mean `oak`"],
    );
    let misused = treesway(
        folder.path(),
        &["simulate", "oak", "-o", "x.npz", "--bogus"],
    );
    assert_eq!(misused.code, Some(2));
}

#[test]
fn bad_scene_files_are_refused_in_one_line() {
    let folder = folder();
    for (name, text, parts) in [
        (
            "field.toml",
            "version = 1\n[[tree]]\nbuiltin = 'beam'\n[tree.params.wood]\ndencity = 1\n",
            ["field.toml:5", "did you mean `density`"],
        ),
        (
            "syntax.toml",
            "version = 1\n[[tree\n",
            ["syntax.toml:2", "]]"],
        ),
        (
            "zero.toml",
            "version = 1\n[[tree]]\n[[tree.branch]]\nnodes = [[0,0,0,0.1], [0,0,0,0.1]]\n",
            ["zero.toml:3", "zero length"],
        ),
        (
            "cycle.toml",
            "version = 1\n[[tree]]\n[[tree.branch]]\nnodes = [[0,0,0,0.1], [0,1,0,0.1]]\n\
             [[tree.branch]]\nparent = 1\nnodes = [[0,1,0,0.1], [0,2,0,0.1]]\n",
            ["cycle.toml:5", "cycle"],
        ),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
        assert_refused(folder.path(), &["simulate", name, "-o", "x.npz"], &parts);
        assert_refused(folder.path(), &["info", name], &parts);
    }
}

#[test]
fn an_existing_result_survives_a_refused_run() {
    let folder = folder();
    let old = folder.path().join("old.npz");
    fs::write(&old, "precious").unwrap();
    assert_refused(
        folder.path(),
        &["simulate", "fork", "-o", "old.npz", "--select", "77"],
        &["none"],
    );
    assert_eq!(fs::read_to_string(&old).unwrap(), "precious");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    let folder = folder();
    let long = ["simulate", "oak", "-o", "long.npz", "--seconds", "100000"];
    let arguments = [&long[..], &["--set", "bodies=500"]].concat();
    let code = common::interrupted(folder.path(), &arguments, 8, "INT");
    assert_eq!(code, Some(130));
    assert!(
        files(folder.path()).is_empty(),
        "{:?}",
        files(folder.path())
    );
}

#[test]
fn a_tree_is_exported_for_mujoco() {
    let folder = folder();
    let stdout = succeed(folder.path(), &["export", "cantilever", "-o", "beam.xml"]);
    assert!(stdout.contains("20 bodies"), "{stdout}");
    let text = fs::read_to_string(folder.path().join("beam.xml")).unwrap();
    assert!(text.starts_with("<mujoco model=\"cantilever\">"));
    assert_eq!(text.matches("<body ").count(), 20);
    assert_eq!(files(folder.path()), ["beam.xml"]);
}

#[test]
fn a_tree_that_cannot_be_exported_is_one_line_and_no_file() {
    let folder = folder();
    for (arguments, part) in [
        (&["cantilever", "-o", "beam.txt"][..], "ends in .xml"),
        (
            &["cantilever", "-o", "beam.xml", "--uneven", "refuse"],
            "body 0",
        ),
        (
            &["cantilever", "-o", "beam.xml", "--set", "segments=600"],
            "496",
        ),
        (&["fig06-root-shake", "-o", "trees.xml"], "--tree"),
        (&["cantilever", "-o", "beam.xml", "--tree", "3"], "below 1"),
        (
            &["cantilever", "-o", "beam.xml", "--timestep", "0"],
            "--timestep",
        ),
    ] {
        assert_refused(folder.path(), &[&["export"], arguments].concat(), &[part]);
        assert!(files(folder.path()).is_empty(), "{arguments:?}");
    }
}

#[test]
fn modes_come_with_their_shapes() {
    let folder = folder();
    let arguments = [
        "info",
        "cantilever",
        "--modes",
        "3",
        "--shapes",
        "modes.npz",
        "--json",
    ];
    let said: serde_json::Value =
        serde_json::from_str(&succeed(folder.path(), &arguments)).unwrap();
    let modes = said["modes"].as_array().unwrap();
    assert_eq!(modes.len(), 3);
    let hz = |k: usize| modes[k]["frequency_hz"].as_f64().unwrap();
    // Tapered 4:1, λ₁ = 23.289 on the tip's diameter: 3.663 Hz, as a pair.
    assert!(
        (hz(0) - 3.663).abs() < 0.01 && (hz(1) - hz(0)).abs() < 1e-6,
        "{modes:?}"
    );
    assert!(modes[0]["damping_ratio"].as_f64().unwrap() > 0.0);
    assert_eq!(files(folder.path()), ["modes.npz"]);
    assert_eq!(shape(&folder.path().join("modes.npz"), "turns"), [3, 20, 3]);
    let two = [
        "info",
        "fig06-root-shake",
        "--modes",
        "1",
        "--shapes",
        "two.npz",
    ];
    assert_refused(folder.path(), &two, &["--shapes", "2 trees"]);
}

#[test]
fn fit_gives_the_measured_sway() {
    let folder = folder();
    let arguments = [
        "fit",
        "fork",
        "--frequency",
        "2.5",
        "--damping-ratio",
        "0.04",
    ];
    let said = succeed(folder.path(), &arguments);
    assert!(said.contains("# fitted 2.5000 Hz, 4.00 %"), "{said}");
    // What is printed is a table of a scene file.
    let wood = said.split("[tree.params.wood]").nth(1).unwrap();
    let settings: Vec<String> = wood
        .lines()
        .filter(|line| line.contains('='))
        .map(|line| format!("--set=tree.params.wood.{}", line.replace(" = ", "=")))
        .collect();
    assert_eq!(settings.len(), 2);
    let mut info = vec!["info", "fork", "--modes", "1"];
    info.extend(settings.iter().map(String::as_str));
    let said = succeed(folder.path(), &info);
    assert!(said.contains("2.5000 Hz, 4.00 %"), "{said}");
    let bad = ["fit", "fork", "--frequency", "0", "--damping-ratio", "0.04"];
    assert_refused(folder.path(), &bad, &["frequency", "greater than zero"]);
}

#[test]
fn compare_tells_the_solvers_apart() {
    let folder = folder();
    let solvers = "--solvers=analytic,calibrated,coupled,reference";
    let said = succeed(folder.path(), &["compare", "cantilever", solvers, "--csv"]);
    let mut lines = said.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|l| l.split(',').collect()).collect();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let value = |row: usize, name: &str| rows[row][column(name)].parse::<f64>().unwrap();
    assert_eq!(
        rows.iter().map(|r| r[column("solver")]).collect::<Vec<_>>(),
        ["analytic", "calibrated", "coupled", "reference"]
    );
    let (sag, frequency) = (value(3, "sag_m"), value(3, "frequency_hz"));
    for row in 0..3 {
        assert!(
            (value(row, "sag_m") / sag - 1.0).abs() < 1e-4,
            "sag is exact: {said}"
        );
    }
    assert!(value(0, "frequency_hz") > 2.5 * frequency, "{said}");
    for row in [1, 2] {
        assert!(
            (value(row, "frequency_hz") / frequency - 1.0).abs() < 0.04,
            "{said}"
        );
    }
    assert!(
        value(2, "path_error") < 0.1 && value(3, "path_error") == 0.0,
        "{said}"
    );
}

#[test]
fn bench_prints_a_ratio_taken_in_one_run() {
    let folder = folder();
    let arguments = [
        "bench",
        "--scene",
        "oak",
        "--bodies",
        "500",
        "--steps",
        "20",
        "--against",
        "analytic",
    ];
    let said = succeed(folder.path(), &arguments);
    assert!(said.contains("times one of analytic"), "{said}");
}

#[test]
fn species_are_grown_drawn_and_counted() {
    let folder = folder();
    let file = folder.path().join("bush.toml");
    fs::write(&file, "version = 1\nkind = 'species'\ntitle = 'A bush'\n[[tree.level]]\n[[tree.level]]\nbranches = 20\nlength = 0.5\ndown_angle_deg = 60\n").unwrap();
    let said = succeed(folder.path(), &["grow", "bush.toml", "-o", "bush.svg"]);
    assert!(said.contains("bush.svg: 2"), "{said}");
    let drawing = fs::read_to_string(folder.path().join("bush.svg")).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.ends_with("</svg>\n"));
    let arguments = ["info", "bush.toml", "--set", "bodies=400", "--json"];
    let info: serde_json::Value =
        serde_json::from_str(&succeed(folder.path(), &arguments)).unwrap();
    assert_eq!(info["bodies"], 400);
    let arguments = [
        "info",
        "birch",
        "--set",
        "height=10",
        "--set",
        "dbh=0.12",
        "--set",
        "bodies=1000",
        "--json",
    ];
    let info: serde_json::Value =
        serde_json::from_str(&succeed(folder.path(), &arguments)).unwrap();
    let height = info["height_m"].as_f64().unwrap();
    assert!((9.0..11.0).contains(&height), "{height}");
}

#[test]
fn bad_species_end_in_one_line() {
    let folder = folder();
    let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).unwrap();
    write(
        "typo.toml",
        b"version = 1\nkind = 'species'\n[tree]\nscael = 3\n",
    );
    write(
        "absurd.toml",
        b"version = 1\nkind = 'species'\n[leaf]\nlength = nan\n",
    );
    write(
        "red.toml",
        b"version = 1\nkind = 'species'\n[fruit]\ncolour = 'red'\n",
    );
    write("empty.xml", b"");
    write("binary.xml", &[0, 159, 146, 150]);
    write("cut.json", b"{\"branch\": {");
    for (arguments, expected) in [
        (
            ["grow", "typo.toml", "-o", "x.svg"],
            "typo.toml:4: unknown key `scael`, did you mean `scale`?",
        ),
        (
            ["grow", "absurd.toml", "-o", "x.svg"],
            "absurd.toml:4: leaf.length: is NaN; expected",
        ),
        (
            ["render", "red.toml", "-o", "x.png"],
            "red.toml:4: fruit.colour: is \"red\"; expected a colour such as",
        ),
        (["grow", "empty.xml", "-o", "x.svg"], "empty.xml"),
        (
            ["grow", "binary.xml", "-o", "x.svg"],
            "binary.xml: is no UTF-8",
        ),
        (
            ["grow", "cut.json", "-o", "x.svg"],
            "cut.json:1: is no ez-tree preset",
        ),
        (
            ["grow", "none.xml", "-o", "x.svg"],
            "none.xml: cannot be read",
        ),
        (["grow", "oka", "-o", "x.svg"], "did you mean `oak`?"),
    ] {
        assert_refused(folder.path(), &arguments, &[expected]);
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_treesway"));
    let done = command.arg("scenes").stdout(writer).output().unwrap();
    assert!(done.status.success(), "{:?}", done.status);
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
}

/// Number of pairs of parts that go through each other, as `info` counts them.
fn intersecting(folder: &Path, tree: &str) -> u64 {
    let text = succeed(folder, &["info", tree, "--json"]);
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    found["intersecting_pairs"].as_u64().expect("it is counted")
}

#[test]
fn collision_free_trees_are_certified() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(intersecting(at, "contact-small"), 0);
    let grow = ["grow", "oak", "--bodies", "400", "-o", "oak.npz"];
    succeed(at, &grow);
    assert!(intersecting(at, "oak.npz") > 100);
    succeed(at, &[&grow[..], &["--collision-free"]].concat());
    assert_eq!(intersecting(at, "oak.npz"), 0);
}
