//! `treesway import`, and imported trees in other commands, from outside.

mod common;

use common::{assert_refused, files, folder, succeed, treesway};
use std::fs;
use std::path::{Path, PathBuf};

/// Small files of ours, one for each way of reading.
fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../treesway-io/tests/data")
}

fn sample(name: &str) -> String {
    samples().join(name).display().to_string()
}

fn info(folder: &Path, file: &str) -> serde_json::Value {
    serde_json::from_str(&succeed(folder, &["info", file, "--json"])).unwrap()
}

#[test]
fn every_format_becomes_a_skeleton_with_the_same_measures() {
    let folder = folder();
    let all = files(&samples());
    assert!(all.len() >= 9, "{all:?}");
    for file in &all {
        let said = succeed(folder.path(), &["import", &sample(file), "-o", "tree.npz"]);
        assert!(said.contains("volume"), "{said}");
        let (there, saved) = (
            info(folder.path(), &sample(file)),
            info(folder.path(), "tree.npz"),
        );
        for key in [
            "bodies",
            "volume_m3",
            "length_m",
            "height_m",
            "dbh_m",
            "orders",
            "mass_kg",
        ] {
            assert_eq!(there[key], saved[key], "{file} {key}");
        }
    }
    assert_eq!(files(folder.path()), ["tree.npz"]);
}

#[test]
fn info_prints_what_a_forester_measures() {
    let folder = folder();
    let measures = info(folder.path(), &sample("wytham.csv"));
    let near = |key: &str, want: f64| {
        let got = measures[key].as_f64().unwrap();
        assert!((got / want - 1.0).abs() < 1e-4, "{key} {got}");
    };
    near("volume_m3", 0.0615202);
    near("length_m", 4.9);
    near("dbh_m", 0.16);
    let branches = |order: usize| measures["orders"][order]["branches"].as_u64().unwrap();
    assert_eq!([branches(0), branches(1), branches(2)], [1, 2, 1]);
    let text = succeed(folder.path(), &["info", &sample("wytham.csv")]);
    for part in [
        "DBH       16.0 cm",
        "order 0   1 branches",
        "order 2   1 branches",
    ] {
        assert!(text.contains(part), "{part} is missing from:\n{text}");
    }
}

#[test]
fn imported_trees_are_simulated_drawn_and_named_in_scenes() {
    let folder = folder();
    let wytham = sample("wytham.csv");
    succeed(
        folder.path(),
        &["simulate", &wytham, "-o", "run.npz", "--frames", "2"],
    );
    succeed(folder.path(), &["import", &wytham, "-o", "tree.svg"]);
    assert!(
        fs::read_to_string(folder.path().join("tree.svg"))
            .unwrap()
            .starts_with("<svg")
    );
    fs::create_dir(folder.path().join("scans")).unwrap();
    fs::copy(&wytham, folder.path().join("scans/tree.csv")).unwrap();
    let scene = "version = 1\n[[tree]]\nfile = \"tree.csv\"\nimport.scale = 2.0\n";
    fs::write(folder.path().join("scans/scene.toml"), scene).unwrap();
    let height = |file: &str| info(folder.path(), file)["height_m"].as_f64().unwrap();
    assert!((height("scans/scene.toml") / height(&wytham) - 2.0).abs() < 1e-5);
}

#[test]
fn foliage_is_added_on_demand() {
    let folder = folder();
    let wytham = sample("wytham.csv");
    let import = [
        "import",
        &wytham,
        "-o",
        "leafy.npz",
        "--foliage",
        "birch",
        "--bodies",
        "400",
    ];
    succeed(folder.path(), &import);
    let (bare, leafy) = (
        info(folder.path(), &wytham),
        info(folder.path(), "leafy.npz"),
    );
    assert_eq!(bare["leaves"], 0);
    assert!(leafy["leaves"].as_u64().unwrap() > 50, "{leafy}");
    assert!(leafy["volume_m3"].as_f64() > bare["volume_m3"].as_f64());
    let first = fs::read(folder.path().join("leafy.npz")).unwrap();
    succeed(folder.path(), &import);
    assert_eq!(first, fs::read(folder.path().join("leafy.npz")).unwrap());
    let misspelt = ["import", &wytham, "-o", "no.npz", "--foliage", "brich"];
    assert_refused(folder.path(), &misspelt, &["birch"]);
}

#[test]
fn bad_files_and_options_are_told_in_one_line() {
    let folder = folder();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    put("empty.csv", b"");
    put("binary.mat", &[0, 255, 1, 254]);
    put("nan.swc", b"1 0 0 0 0 1 -1\n2 0 nan 0 1 1 1\n");
    put("cycle.swc", b"1 0 0 0 0 1 2\n2 0 0 0 1 1 1\n");
    put("orphan.swc", b"1 0 0 0 0 1 -1\n2 0 0 0 1 1 9\n");
    put("thread.swc", b"1 0 0 0 0 1 -1\n2 0 0 0 1 -1 1\n");
    let mat = fs::read(sample("tree_qsm.mat")).unwrap();
    put("short.mat", &mat[..mat.len() / 2]);
    let good = sample("points.swc");
    let cases: [(&[&str], &str); 13] = [
        (
            &["import", "empty.csv", "-o", "t.npz"],
            "empty.csv: is empty",
        ),
        (&["info", "empty.csv"], "empty.csv: is empty"),
        (
            &["import", "binary.mat", "-o", "t.npz"],
            "binary.mat: begins with binary data",
        ),
        (
            &["import", "nan.swc", "-o", "t.npz"],
            "nan.swc:2: x is `nan`",
        ),
        (&["simulate", "cycle.swc", "-o", "t.npz"], "cycle.swc"),
        (
            &["import", "orphan.swc", "-o", "t.npz"],
            "orphan.swc:2: its parent is not in the file",
        ),
        (
            &["import", "thread.swc", "-o", "t.svg"],
            "thread.swc:2: radius is -1",
        ),
        (
            &["import", "short.mat", "-o", "t.npz"],
            "short.mat: is no whole MATLAB file",
        ),
        (
            &["import", "missing.csv", "-o", "t.npz"],
            "missing.csv: cannot be read",
        ),
        (
            &["import", &good, "-o", "t.obj"],
            "t.obj: cannot be written",
        ),
        (
            &["import", &good, "-o", "t.npz", "--scale", "0"],
            "--scale is 0",
        ),
        (
            &["import", &good, "-o", "t.npz", "--tree", "3"],
            "tree 3 was asked for",
        ),
        (
            &["import", &good, "-o", "t.npz", "--format", "wytham"],
            "radius_m",
        ),
    ];
    for (arguments, part) in cases {
        assert_refused(folder.path(), arguments, &[part]);
    }
    let outcome = treesway(
        folder.path(),
        &["import", &good, "-o", "t.npz", "--format", "mat"],
    );
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("tree-qsm-mat"),
        "{}",
        outcome.stderr
    );
}
