//! Trees from elsewhere: small files of our own in every format, and the scans in `../shared/data` where that folder is.

use std::path::{Path, PathBuf};
use treesway::{CutOptions, Measure, Profile, Skeleton, cut};
use treesway_io::import::{Format, Options, Up, import_bytes};
use treesway_io::{ImportError, Imported, import};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn small(name: &str) -> Imported {
    import(&data(name), &Options::default()).unwrap()
}

fn with(name: &str, options: Options) -> Imported {
    import(&data(name), &options).unwrap()
}

fn close(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "{got} {want}");
}

fn error(text: impl AsRef<[u8]>) -> String {
    import_bytes(text.as_ref(), "scan", &Options::default(), None)
        .unwrap_err()
        .to_string()
}

/// Σ π r² L of the seven cylinders in the files, and Σ L.
const CYLINDERS: (f64, f64) = (0.061520238138922136, 4.9);

fn branches_by_order(measure: &Measure) -> Vec<usize> {
    measure.orders.iter().map(|o| o.branches).collect()
}

#[test]
fn cylinders_of_every_scan_format_are_the_same_tree() {
    let formats = [
        ("simple_forest.csv", Format::SimpleForest),
        ("tree_qsm.txt", Format::TreeQsmText),
        ("tree_qsm.mat", Format::TreeQsmMat),
        ("wytham.csv", Format::Wytham),
    ];
    for (name, format) in formats {
        let imported = small(name);
        assert_eq!(imported.format, format);
        assert!(imported.notes.is_empty(), "{name}: {:?}", imported.notes);
        let skeleton = &imported.saved.skeleton;
        assert!(
            skeleton
                .branches
                .iter()
                .all(|b| b.profile == Profile::Stepped)
        );
        let m = skeleton.measure();
        close(m.volume, CYLINDERS.0, 2e-5);
        close(m.length, CYLINDERS.1, 2e-5);
        close(m.dbh.unwrap(), 0.16, 1e-6);
        // The trunk, which is interrupted, two limbs, a twig.
        assert_eq!(branches_by_order(&m), [1, 2, 1], "{name}");
        let desc = cut(skeleton, &imported.saved.cut).unwrap();
        desc.validate().unwrap();
        let volume: f64 = desc.bodies.iter().map(|b| b.solid.volume).sum();
        close(volume, CYLINDERS.0, 2e-5);
    }
}

#[test]
fn children_hang_on_the_nearest_point_of_their_parent() {
    let skeleton = small("wytham.csv").saved.skeleton;
    // The limb that starts 30 cm beside the trunk, 85 cm up.
    let limb = skeleton
        .branches
        .iter()
        .find(|b| (b.nodes[0].radius - 0.025).abs() < 1e-6)
        .unwrap();
    let on = limb.parent.unwrap();
    assert_eq!(on.branch, 0);
    close(on.along.into(), 0.85, 1e-5);
    let start = limb.nodes[0].position;
    // z up becomes y up: (x, y, z) → (x, z, −y).
    assert!((start - treesway::glam::Vec3::new(-0.3, 0.85, -0.1)).length() < 1e-5);
    // The trunk goes on after a gap of 5 cm.
    let more = skeleton.branches.iter().find(|b| b.continues).unwrap();
    assert_eq!(more.parent.unwrap().branch, 0);
    close(more.parent.unwrap().along.into(), 1.8, 1e-5);
}

#[test]
fn a_georeferenced_scan_keeps_its_millimetres() {
    let imported = small("simple_forest.csv");
    let origin = imported.saved.origin;
    assert_eq!(origin.to_array(), [431000.25, 5412000.5, 230.125]);
    let here = small("tree_qsm.txt");
    assert_eq!(here.saved.origin.to_array(), [0.0; 3]);
    for (a, b) in nodes(&imported.saved.skeleton).zip(nodes(&here.saved.skeleton)) {
        assert!((a.position - b.position).length() < 5e-6);
    }
}

fn nodes(skeleton: &Skeleton) -> impl Iterator<Item = &treesway::Node> {
    skeleton.branches.iter().flat_map(|b| &b.nodes)
}

/// Volume of frustums through the points of the small tree.
fn frustums(pieces: &[(f64, f64, f64)]) -> f64 {
    pieces
        .iter()
        .map(|&(l, a, b)| std::f64::consts::PI * l / 3.0 * (a * a + a * b + b * b))
        .sum()
}

/// Lengths of the pieces of the small tree of points, with the radii at their ends.
fn point_tree() -> [(f64, f64, f64); 6] {
    let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    [
        (1.0, 0.1, 0.08),
        (length([0.1, 0.0, 1.0]), 0.08, 0.05),
        (0.8, 0.05, 0.02),
        (length([0.6, 0.3, 0.5]), 0.08, 0.03),
        (length([0.5, 0.2, 0.4]), 0.03, 0.01),
        (length([0.5, 0.0, 0.4]), 0.05, 0.015),
    ]
}

#[test]
fn points_with_parents_become_frustums() {
    let imported = small("points.swc");
    assert_eq!(imported.format, Format::Swc);
    let m = imported.saved.skeleton.measure();
    close(m.volume, frustums(&point_tree()), 1e-6);
    close(m.height, 2.8, 1e-6);
    assert_eq!(branches_by_order(&m), [1, 2]);
    // The thickest child goes on: the trunk has four nodes.
    assert_eq!(imported.saved.skeleton.branches[0].nodes.len(), 4);
}

#[test]
fn a_treefile_holds_several_trees_of_cylinders() {
    let first = small("trees.txt");
    assert_eq!(first.format, Format::Treefile);
    assert_eq!(first.notes.len(), 1);
    assert!(
        first.notes[0].0.contains("tree 0 of 2"),
        "{:?}",
        first.notes
    );
    let cylinders: f64 = point_tree()
        .iter()
        .map(|&(l, _, tip)| std::f64::consts::PI * tip * tip * l)
        .sum();
    close(first.saved.skeleton.measure().volume, cylinders, 1e-6);
    let second = with(
        "trees.txt",
        Options {
            tree: Some(1),
            ..Options::default()
        },
    );
    close(
        second.saved.skeleton.measure().volume,
        4.0 * cylinders,
        1e-6,
    );
    assert_eq!(second.saved.origin.x, 10.0);
    let third = Options {
        tree: Some(2),
        ..Options::default()
    };
    let said = import(&data("trees.txt"), &third).unwrap_err().to_string();
    assert!(
        said.ends_with("tree 2 was asked for; expected a number below 2"),
        "{said}"
    );
}

#[test]
fn curves_are_attached_where_they_start() {
    let imported = small("curves.csv");
    assert_eq!(imported.format, Format::Curves);
    let branches = &imported.saved.skeleton.branches;
    assert_eq!(branches.len(), 3);
    assert!(branches.iter().all(|b| b.profile == Profile::Tapered));
    let limb = branches[1].parent.unwrap();
    // 8 cm beside the joint of two pieces that lean by 0.1: the nearest point is 8 mm up the second.
    assert!((limb.along - 1.008).abs() < 1e-3, "{}", limb.along);
}

#[test]
fn a_rig_gives_joints_and_radii() {
    let points = point_tree();
    for name in ["rig.gltf", "rig.glb"] {
        let imported = small(name);
        assert_eq!(imported.format, Format::Gltf);
        let m = imported.saved.skeleton.measure();
        close(m.length, points.iter().map(|p| p.0).sum(), 1e-5);
        close(m.volume, frustums(&points), 0.02);
        assert_eq!(branches_by_order(&m), [1, 2]);
        let trunk = &imported.saved.skeleton.branches[0].nodes;
        for (node, radius) in trunk.iter().zip([0.1, 0.08, 0.05, 0.02]) {
            close(node.radius.into(), radius, 0.02);
        }
    }
}

#[test]
fn axes_and_units_are_turned_into_ours() {
    let file = |up, scale| {
        with(
            "points.swc",
            Options {
                up: Some(up),
                scale,
                ..Options::default()
            },
        )
        .saved
        .skeleton
    };
    let tip = |skeleton: &Skeleton| skeleton.branches[0].nodes[3].position.to_array();
    let near = |got: [f32; 3], want: [f32; 3]| {
        assert!(
            got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-5),
            "{got:?} {want:?}"
        );
    };
    // The trunk of the file ends at (0.1, 0, 2.8).
    near(tip(&file(Up::Z, 1.0)), [0.1, 2.8, 0.0]);
    near(tip(&file(Up::Y, 1.0)), [0.1, 0.0, 2.8]);
    near(tip(&file(Up::NegZ, 1.0)), [0.1, -2.8, 0.0]);
    near(tip(&file(Up::X, 1.0)), [0.0, 0.1, 2.8]);
    near(tip(&file(Up::NegX, 0.1)), [0.0, -0.01, 0.28]);
    let centimetres = file(Up::Z, 0.01).measure();
    close(centimetres.volume, 1e-6 * frustums(&point_tree()), 1e-5);
    // Turns, not mirrors: three tips that do not lie in a plane with the base span the same volume with the same sign.
    let spanned = |up| {
        let s = file(up, 1.0);
        let [a, b, c] = [0, 1, 2].map(|b| s.branches[b].nodes[1].position.as_dvec3());
        a.dot(b.cross(c))
    };
    assert!(spanned(Up::Y).abs() > 1e-3);
    for up in Up::ALL {
        close(spanned(up), spanned(Up::Y), 1e-5);
    }
}

#[test]
fn radii_become_monotone_only_when_asked() {
    let thick = "1 0 0 0 0 0.1 -1\n2 0 0 0 1 0.05 1\n3 0 0 0 2 0.08 2\n";
    let read = |monotone| {
        let options = Options {
            monotone,
            ..Options::default()
        };
        let imported = import_bytes(thick.as_bytes(), "scan", &options, None).unwrap();
        let trunk = &imported.saved.skeleton.branches[0].nodes;
        trunk.iter().map(|n| n.radius).collect::<Vec<_>>()
    };
    assert_eq!(read(false), [0.1, 0.05, 0.08]);
    assert_eq!(read(true), [0.1, 0.05, 0.05]);
}

#[test]
fn several_roots_are_joined_and_reported() {
    let text = std::fs::read_to_string(data("wytham.csv")).unwrap();
    // The first limb and the twig lose their parents.
    let rows: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(i, l)| match i {
            4 | 7 => {
                let mut cells: Vec<&str> = l.split(',').collect();
                cells[8] = "0";
                cells.join(",")
            }
            _ => l.to_string(),
        })
        .collect();
    let imported = import_bytes(
        rows.join("\n").as_bytes(),
        "scan",
        &Options::default(),
        None,
    )
    .unwrap();
    assert_eq!(
        imported.notes[0].0,
        "2 further roots were joined to the nearest wood, up to 0.080 m away"
    );
    let m = imported.saved.skeleton.measure();
    close(m.volume, CYLINDERS.0, 2e-5);
    assert_eq!(branches_by_order(&m), [1, 2, 1]);
    cut(&imported.saved.skeleton, &CutOptions::default()).unwrap();
}

#[test]
fn wood_without_length_is_left_out() {
    let text = "1 0 0 0 0 0.1 -1\n2 0 0 0 1 0.05 1\n3 0 0 0 1 0.05 2\n4 0 0 0 2 0.04 3\n";
    let imported = import_bytes(text.as_bytes(), "scan", &Options::default(), None).unwrap();
    assert_eq!(imported.saved.skeleton.branches.len(), 1);
    assert_eq!(imported.saved.skeleton.branches[0].nodes.len(), 3);
    assert_eq!(
        imported.notes[0].0,
        "1 pieces shorter than 10 µm were left out"
    );
}

#[test]
fn a_format_can_be_named() {
    let bytes = std::fs::read(data("points.swc")).unwrap();
    let options = Options {
        format: Some(Format::Wytham),
        ..Options::default()
    };
    let said = import_bytes(&bytes, "points", &options, None).unwrap_err();
    assert_eq!(said.line, Some(1));
    assert!(said.what.contains("radius_m"), "{said}");
}

#[test]
fn wrong_files_are_told_in_one_line() {
    let row = "0.1,1,0,0,0,0,0,1";
    let header = "radius_m,length_m,start_x,start_y,start_z,axis_x,axis_y,axis_z,parent_1based,extension_1based,branch,branch_order,pos_in_branch,added";
    let wytham = |rows: &[&str]| error(format!("{header}\n{}", rows.join("\n")));
    let tail = |parent: u32| format!("{row},{parent},0,1,0,1,0");
    let said = [
        (error(""), "scan: is empty; expected a tree"),
        (error("# only\n"), "holds nothing but comments"),
        (
            error([0, 159, 146, 150]),
            "begins with binary data; expected one of the formats",
        ),
        (
            error("hello world\n"),
            "begins with `hello world`; expected one of",
        ),
        (
            error("1 0 0 0 0 0.1 -1\n2 0 0 nan 1 0.1 1\n"),
            "scan:2: y is `nan`; expected a finite number",
        ),
        (
            error("1 0 0 0 0 0.1 -1\n2 0 0 0 1 0.1 7\n"),
            "scan:2: its parent is not in the file",
        ),
        (
            error("1 0 0 0 0 0.1 -1\n2 0 0 0 1 -2 1\n"),
            "scan:2: radius is -2",
        ),
        (
            error("1 0 0 0 0 0.1 -1\n1 0 0 0 1 0.1 1\n"),
            "scan:2: id 1 is there twice",
        ),
        (
            error("1 0 0 0 0 0.1 2\n2 0 0 0 1 0.1 1\n"),
            "its parents form a cycle",
        ),
        (
            error("1 0 0 0 0 0.1 -1\n2 0 0 0\n"),
            "scan:2: has 4 columns; expected 7",
        ),
        (error("1 0 0 0 0 0.1 -1\n"), "holds no wood"),
        (
            error("1 0 0 0 0 0.1 -1\n2 0 0 0 1e300 0.1 1\n"),
            "expected sizes of a tree",
        ),
        (wytham(&[&tail(2), &tail(1)]), "its parents form a cycle"),
        (wytham(&[&tail(9)]), "its parent is not in the file"),
        (wytham(&["0.1,1,0,0"]), "scan:2: has 4 columns; expected 14"),
        (
            wytham(&[&tail(0).replace("0,0,1,0", "0,0,0,0")]),
            "axis is [0, 0, 0]",
        ),
        (wytham(&[]), "holds no wood"),
        (
            error("branch,parent,x,y,z,radius\n0,,0,0,0,1\n"),
            "scan:2: branch 0 has one node",
        ),
        (
            error("x,y,z,radius,parent_id\n0,0,0,1\n"),
            "scan:2: has 4 values",
        ),
        (
            error("{\"asset\":{\"version\":\"2.0\"}}"),
            "has neither a skin nor triangles",
        ),
        (error("{"), "is no glTF 2.0 model"),
        (error("PK\u{3}\u{4}"), "is no whole NumPy archive"),
        (error("MATLAB 5.0 MAT-file"), "it ends within its header"),
    ];
    for (line, part) in said {
        assert!(line.contains(part), "`{line}` does not say `{part}`");
        assert_eq!(line.lines().count(), 1, "{line}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let missing: ImportError = import(Path::new("no/such.csv"), &Options::default()).unwrap_err();
    assert!(
        missing
            .to_string()
            .starts_with("no/such.csv: cannot be read:"),
        "{missing}"
    );
}

/// Σ π r² L and Σ L of a table of cylinders, from the columns of radius and length alone.
fn cylinder_totals(text: &str, separator: char, header: bool, columns: [usize; 2]) -> (f64, f64) {
    let mut sum = (0.0, 0.0);
    for line in text.lines().skip(usize::from(header)) {
        let cells: Vec<&str> = line.split(separator).collect();
        let [radius, length] = columns.map(|c| cells[c].trim().parse::<f64>().unwrap());
        sum.0 += std::f64::consts::PI * radius * radius * length;
        sum.1 += length;
    }
    sum
}

/// The scans of others, in `../shared/data` beside the repository; what is not there is left out, and said so.
#[test]
fn scanned_samples_keep_their_volume_and_are_one_tree() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    // Separator, header, columns of radius and length; none for the MATLAB file, which has totals of its own.
    let scans = [
        ("qsm/example_tree.csv", Some((',', true, [9, 12]))),
        ("qsm/5_SmallTree.csv", Some((',', true, [9, 12]))),
        ("qsm/Tree_1_TreeQSM.txt", Some(('\t', false, [0, 1]))),
        ("qsm/qsm_tree_v240.mat", None),
        ("wytham/Tf3.csv", Some((',', true, [0, 1]))),
        ("wytham/Tf12.csv", Some((',', true, [0, 1]))),
        ("wytham/Tf16.csv", Some((',', true, [0, 1]))),
    ];
    for (name, table) in scans {
        let path = shared.join(name);
        if !path.is_file() {
            eprintln!("{name} is left out: it is not in ../shared/data");
            continue;
        }
        let imported = import(&path, &Options::default()).unwrap();
        let skeleton = &imported.saved.skeleton;
        let m = skeleton.measure();
        let (volume, length) = match table {
            Some((separator, header, columns)) => {
                let text = std::fs::read_to_string(&path).unwrap();
                cylinder_totals(&text, separator, header, columns)
            }
            // treedata.TotalVolume and TotalLength.
            None => (12.94452, 561.56),
        };
        close(m.volume, volume, 1e-5);
        close(m.length, length, 3e-5);
        // One tree: every branch reaches the one trunk, and the cut accepts it.
        assert_eq!(
            skeleton
                .branches
                .iter()
                .filter(|b| b.parent.is_none())
                .count(),
            1
        );
        assert!(skeleton.orders().iter().all(Option::is_some), "{name}");
        let desc = cut(skeleton, &imported.saved.cut).unwrap();
        desc.validate().unwrap();
        println!(
            "{name}: {:.5} m³ of {volume:.5}, {:.2} m of {length:.2}, {} bodies",
            m.volume,
            m.length,
            desc.bodies.len()
        );
    }
}
