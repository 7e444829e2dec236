//! Result files, read back by an independent reader.

use npyz::NpyFile;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use treesway::BodyId;
use treesway_io::{RunError, RunWriter, Scene, Selection, Simulation};

const TWO_TREES: &str = "version = 1\n[[tree]]\nbuiltin = 'fork'\nsolver = 'analytic'\nat = [3, 0, 0]\n\
    [[tree]]\nbuiltin = 'broadleaf'\nbodies = 300\nsubsteps = 2\n[wind]\nspeed = 4\n";

/// Shape and numbers of every array.
type Arrays = BTreeMap<String, (Vec<u64>, Vec<f64>)>;

fn read(path: &Path) -> Arrays {
    let mut archive = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    let mut arrays = Arrays::new();
    for i in 0..archive.len() {
        let mut entry = archive.by_index(i).unwrap();
        assert_eq!(entry.compression(), zip::CompressionMethod::Stored);
        let name = entry.name().unwrap().into_owned();
        let name = name.strip_suffix(".npy").unwrap().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let array = NpyFile::new(&bytes[..]).unwrap();
        let shape = array.shape().to_vec();
        let numbers = match array.dtype().descr().trim_matches('\'') {
            "<f4" => array
                .into_vec::<f32>()
                .unwrap()
                .into_iter()
                .map(f64::from)
                .collect(),
            "<f8" => array.into_vec::<f64>().unwrap(),
            "<i4" => array
                .into_vec::<i32>()
                .unwrap()
                .into_iter()
                .map(f64::from)
                .collect(),
            "|u1" => array
                .into_vec::<u8>()
                .unwrap()
                .into_iter()
                .map(f64::from)
                .collect(),
            other => panic!("{name} has type {other}"),
        };
        arrays.insert(name, (shape, numbers));
    }
    arrays
}

fn run(path: &Path, frames: u64, select: &str, every: u64) -> (Simulation, Result<(), RunError>) {
    run_of(TWO_TREES, path, frames, select, every)
}

fn run_of(
    scene: &str,
    path: &Path,
    frames: u64,
    select: &str,
    every: u64,
) -> (Simulation, Result<(), RunError>) {
    let mut simulation = Scene::parse(scene, "two").unwrap().build().unwrap();
    let selection: Selection = select.parse().unwrap();
    let written = (|| {
        let mut writer = RunWriter::create(path, &simulation, &selection, every)?;
        writer.record(&simulation)?;
        for _ in 0..frames {
            simulation.step();
            writer.record(&simulation)?;
        }
        writer.finish(&|| true)
    })();
    (simulation, written)
}

#[test]
fn every_array_has_its_shape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.npz");
    let (simulation, written) = run(&path, 4, "all", 1);
    written.unwrap();
    let (n, f) = (simulation.bodies() as u64, 5);
    assert_eq!(n, 318);
    let expected: [(&str, &[u64]); 34] = [
        ("id", &[n]),
        ("parent", &[n]),
        ("parent_id", &[n]),
        ("tree", &[n]),
        ("kind", &[n]),
        ("branch", &[n]),
        ("length", &[n]),
        ("radius", &[n, 2]),
        ("mass", &[n]),
        ("com_in_body", &[n, 3]),
        ("inertia_in_body", &[n, 3, 3]),
        ("joint_in_parent", &[n, 3]),
        ("joint_rotation", &[n, 4]),
        ("stiffness", &[n, 3]),
        ("rest_theta", &[n, 3]),
        ("damping_beta", &[n]),
        ("gravity", &[3]),
        ("dt", &[]),
        ("every", &[]),
        ("substeps", &[]),
        ("tree_substeps", &[2]),
        ("time", &[f]),
        ("joint_position", &[f, n, 3]),
        ("rotation", &[f, n, 4]),
        ("theta", &[f, n, 3]),
        ("theta_rate", &[f, n, 3]),
        ("angular_velocity", &[f, n, 3]),
        ("velocity", &[f, n, 3]),
        ("event_time", &[0]),
        ("event_kind", &[0]),
        ("event_body", &[0]),
        ("event_position", &[0, 3]),
        ("event_velocity", &[0, 3]),
        ("event_impulse", &[0, 3]),
    ];
    let arrays = read(&path);
    for (name, shape) in expected {
        assert_eq!(arrays[name].0, shape, "{name}");
    }
    assert_eq!(arrays.len(), expected.len());
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "parts are left"
    );
}

#[test]
fn arrays_hold_the_state_of_the_world() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.npz");
    let (simulation, written) = run(&path, 4, "all", 1);
    written.unwrap();
    let arrays = read(&path);
    let of = |name: &str| &arrays[name].1;
    assert_eq!(of("time")[0], 0.0);
    assert!((of("time")[4] - 4.0 / 30.0).abs() < 1e-12);
    assert_eq!(of("tree_substeps"), &[1.0, 2.0]);
    // Roots: in the world.
    let roots: Vec<usize> = (0..318).filter(|&i| of("parent")[i] < 0.0).collect();
    assert_eq!(roots, [0, 18]);
    assert_eq!(of("joint_in_parent")[0], 3.0);
    // The second tree follows the first; its parents are counted on.
    let mut row = 0;
    for (t, tree) in simulation.world().trees().iter().enumerate() {
        let first = row;
        for id in tree.ids() {
            let body = tree.body(id);
            assert_eq!(of("tree")[row], t as f64);
            let parent = body
                .parent
                .map_or(-1.0, |p: BodyId| (first + p.index()) as f64);
            assert_eq!(of("parent")[row], parent);
            assert_eq!(of("mass")[row], f64::from(body.mass));
            let last = (4 * 318 + row) * 3;
            assert_eq!(of("theta")[last], f64::from(body.theta.x));
            assert_eq!(
                of("joint_position")[last + 1],
                f64::from(body.pose.position.y)
            );
            assert_eq!(of("velocity")[last + 2], f64::from(body.velocity.z));
            assert_eq!(
                of("rotation")[(4 * 318 + row) * 4 + 3],
                f64::from(body.pose.rotation.w)
            );
            row += 1;
        }
    }
}

/// Balls have arrays of their own, where there are any.
#[test]
fn balls_are_where_they_were() {
    let scene = format!(
        "{TWO_TREES}[[ball]]\nat = [1.0, 3.0, 0.0]\nradius = 0.2\n[[ball]]\nat = [5.0, 2.0, 0.0]\nvelocity = [0.0, 0.0, 2.0]\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.npz");
    let (simulation, written) = run_of(&scene, &path, 20, "all", 2);
    written.unwrap();
    let arrays = read(&path);
    assert_eq!(arrays["ball_radius"].1, [0.2_f32, 0.1].map(f64::from));
    assert_eq!(arrays["ball_position"].0, [11, 2, 3]);
    assert_eq!(arrays["ball_rotation"].0, [11, 2, 4]);
    let last = simulation
        .world()
        .balls()
        .flat_map(|b| b.position.to_array());
    let last: Vec<f64> = last.map(f64::from).collect();
    assert_eq!(arrays["ball_position"].1[60..], last);
    let turned = simulation
        .world()
        .balls()
        .flat_map(|b| b.rotation.to_array());
    let turned: Vec<f64> = turned.map(f64::from).collect();
    assert_eq!(arrays["ball_rotation"].1[80..], turned);
    assert!(arrays["ball_position"].1[1] - last[1] > 1.0, "it fell");
}

/// So have colliders.
#[test]
fn colliders_are_where_they_were() {
    let scene = format!(
        "{TWO_TREES}[[collider]]\nshape = \"capsule\"\nat = [-3.0, 1.0, 0.0]\nradius = 0.3\nhalf_length = 0.6\nvelocity = [1.5, 0.0, 0.0]\n[[collider]]\nshape = \"box\"\nat = [4.0, 1.0, 0.0]\nhalf = [0.1, 1.0, 2.0]\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.npz");
    let (simulation, written) = run_of(&scene, &path, 20, "all", 2);
    written.unwrap();
    let arrays = read(&path);
    assert_eq!(arrays["collider_kind"].1, [1.0, 2.0]);
    let half = [0.3_f32, 0.6 + 0.3, 0.3, 0.1, 1.0, 2.0].map(f64::from);
    assert_eq!(arrays["collider_half_size"].1, half);
    assert_eq!(arrays["collider_position"].0, [11, 2, 3]);
    assert_eq!(arrays["collider_rotation"].0, [11, 2, 4]);
    let last = simulation
        .world()
        .colliders()
        .flat_map(|c| c.position.to_array());
    let last: Vec<f64> = last.map(f64::from).collect();
    assert_eq!(arrays["collider_position"].1[60..], last);
    assert!(
        (last[0] + 2.0).abs() < 1e-3,
        "it walked a metre: {}",
        last[0]
    );
}

/// Leaves that fall: where they are is in the same arrays as ever, and what happened to them in those of events.
#[test]
fn events_tell_what_came_off_and_what_landed() {
    let scene = TWO_TREES.replace(
        "substeps = 2\n",
        "substeps = 2\n[tree.params.shedding.leaf]\nrate = 1.0\n",
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.npz");
    // Every other frame of some bodies, all events.
    let (simulation, written) = run_of(&scene, &path, 240, "leaves", 2);
    written.unwrap();
    let arrays = read(&path);
    let of = |name: &str| &arrays[name].1;
    let (events, counts) = (of("event_kind"), simulation.world().trees()[1].off_counts());
    let of_kind = |kind: f64| events.iter().filter(|&&k| k == kind).count();
    assert!(counts.resting > 50 && counts.total() > counts.resting);
    assert_eq!(
        (of_kind(0.0), of_kind(1.0)),
        (counts.total(), counts.resting)
    );
    assert!(of("event_time").is_sorted());
    let (n, mut checked) = (of("id").len(), 0);
    for (e, &kind) in events.iter().enumerate() {
        let row = of("id").iter().position(|i| *i == of("event_body")[e]);
        let frame = of("time").iter().position(|t| *t == of("event_time")[e]);
        if let (Some(row), Some(frame)) = (row, frame) {
            let joint = of("joint_position")[(frame * n + row) * 3 + 1];
            let height = of("event_position")[e * 3 + 1];
            // The middle of a leaf is not farther from its joint than its tip.
            assert!((height - joint).abs() <= of("length")[row] + 1e-6);
            assert_eq!(kind == 1.0, height < 0.1, "landed at {height} m");
            checked += 1;
        }
    }
    assert!(checked > 50);
}

#[test]
fn kept_bodies_hang_on_the_nearest_kept_ancestor() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.npz");
    let (simulation, written) = run(&path, 9, "tips,0", 4);
    written.unwrap();
    let arrays = read(&path);
    let of = |name: &str| &arrays[name].1;
    // Frames 0, 4 and 8 of 0…9.
    assert_eq!(arrays["time"].0, [3]);
    assert!((of("time")[2] - 8.0 / 30.0).abs() < 1e-12);
    assert_eq!(of("every"), &[4.0]);
    // Of the fork: root, end of the stem, ends of both limbs, which hang on the stem's.
    assert_eq!(of("id")[..4], [0.0, 5.0, 11.0, 17.0]);
    assert_eq!(of("parent")[..4], [-1.0, 0.0, 1.0, 1.0]);
    assert_eq!(of("parent_id")[..4], [-1.0, 4.0, 10.0, 16.0]);
    let tips = of("id").len() - 4;
    let tree = &simulation.world().trees()[1];
    let branches = tree.ids().map(|id| tree.body(id).branch).max().unwrap() as usize + 1;
    assert_eq!(tips, branches, "every branch has one tip");
}

#[test]
fn an_unfinished_run_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.npz");
    let empty = || std::fs::read_dir(folder.path()).unwrap().count() == 0;
    let simulation = Scene::parse(TWO_TREES, "two").unwrap().build().unwrap();
    let mut writer = RunWriter::create(&path, &simulation, &Selection::default(), 1).unwrap();
    writer.record(&simulation).unwrap();
    assert!(!empty());
    drop(writer);
    assert!(empty());

    let mut writer = RunWriter::create(&path, &simulation, &Selection::default(), 1).unwrap();
    writer.record(&simulation).unwrap();
    let stopped = writer.finish(&|| false);
    assert!(matches!(stopped, Err(RunError::Interrupted { .. })));
    assert!(empty());

    let nowhere = folder.path().join("missing").join("run.npz");
    let (_, written) = run(&nowhere, 1, "all", 1);
    let message = written.unwrap_err().to_string();
    assert!(message.contains("cannot be written"), "{message}");
    let (_, written) = run(&path, 1, "9999", 1);
    assert!(matches!(written, Err(RunError::Select(_))));
    assert!(empty());
}

/// Curves of all wood of both trees, kept or not: from joint to end, with so many points between them.
#[test]
fn curves_go_from_joint_to_end_in_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.npz");
    let mut simulation = Scene::parse(TWO_TREES, "two").unwrap().build().unwrap();
    let mut writer = RunWriter::create(&path, &simulation, &Selection::default(), 1).unwrap();
    writer.keep_curves(&simulation, 3).unwrap();
    writer.record(&simulation).unwrap();
    simulation.step();
    writer.record(&simulation).unwrap();
    writer.finish(&|| true).unwrap();
    let arrays = read(&path);
    let (shape, points) = &arrays["curve_position"];
    let bodies = &arrays["curve_body"].1;
    assert_eq!(shape, &[2, bodies.len() as u64, 4, 3]);
    let wood = arrays["kind"].1.iter().filter(|kind| **kind == 0.0).count();
    assert_eq!(bodies.len(), wood);
    let joints = &arrays["joint_position"].1;
    for (row, id) in bodies.iter().enumerate() {
        let from = (bodies.len() + row) * 12;
        let joint = (318 + *id as usize) * 3;
        assert_eq!(
            points[from..from + 3],
            joints[joint..joint + 3],
            "body {id}"
        );
    }
}
