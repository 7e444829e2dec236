//! Skeleton files: what is read is what was saved, and what is broken is told.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use treesway::glam::{DVec3, Quat, Vec3};
use treesway::{Attachment, Branch, CutOptions, Fruit, Leaf, Profile, Skeleton, TreeParams};
use treesway_grow::Broadleaf;
use treesway_io::import::{Format, Options};
use treesway_io::{SavedSkeleton, import, read_skeleton, save_skeleton};

/// Everything that a file can hold.
fn everything() -> SavedSkeleton {
    let trunk = Branch {
        profile: Profile::Stepped,
        ..Branch::trunk([(Vec3::ZERO, 0.1), (Vec3::Y, 0.07), (Vec3::Y * 1.7, 0.07)])
    };
    let more = Branch {
        continues: true,
        ..Branch::on(
            0,
            1.7,
            [(Vec3::Y * 1.8, 0.1 / 3.0), (Vec3::new(0.1, 2.7, 0.0), 0.01)],
        )
    };
    let on = Attachment {
        branch: 1,
        along: 0.3,
    };
    let mut params = TreeParams::default();
    params.wood.density = 721.0;
    SavedSkeleton {
        skeleton: Skeleton {
            branches: vec![trunk, more],
            leaves: vec![Leaf {
                on,
                position: Vec3::new(0.1, 2.0, 0.3),
                rotation: Quat::from_xyzw(0.0, 0.6, 0.0, 0.8),
                length: 0.07,
                width: 0.05,
            }],
            fruit: vec![Fruit {
                on,
                position: Vec3::new(0.2, 2.0, 0.3),
                rotation: Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
                radius: 0.04,
                stem_length: 0.02,
                stem_radius: 0.002,
            }],
        },
        cut: CutOptions {
            segment_length: 0.123,
            ..CutOptions::default()
        },
        params: Some(params),
        origin: DVec3::new(431_000.25, 5_412_000.125, 0.1),
    }
}

fn saved(path: &Path, saved: &SavedSkeleton) -> Vec<u8> {
    save_skeleton(path, saved).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn a_skeleton_comes_back_to_the_last_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.npz");
    let grown = Broadleaf {
        bodies: 2000,
        ..Broadleaf::default()
    }
    .grow(3)
    .unwrap();
    let broadleaf = SavedSkeleton {
        skeleton: grown.skeleton,
        cut: grown.cut,
        ..SavedSkeleton::default()
    };
    for tree in [everything(), broadleaf] {
        let bytes = saved(&path, &tree);
        assert_eq!(read_skeleton(&bytes, "tree.npz").unwrap(), tree);
        let imported = import(&path, &Options::default()).unwrap();
        assert_eq!(imported.format, Format::Skeleton);
        assert_eq!(imported.saved, tree);
    }
    // Nothing but the file is left.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn truncated_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = saved(&folder.path().join("tree.npz"), &everything());
    for length in [4, 30, 200, bytes.len() / 2, bytes.len() - 1] {
        let said = read_skeleton(&bytes[..length], "tree.npz")
            .unwrap_err()
            .to_string();
        assert!(said.starts_with("tree.npz: "), "{said}");
        assert_eq!(said.lines().count(), 1);
    }
}

/// The archive again with one entry changed, or without it.
fn changed(bytes: &[u8], entry: &str, change: impl Fn(Vec<u8>) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut from = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut to = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for i in 0..from.len() {
        let mut file = from.by_index(i).unwrap();
        let name = file.name().unwrap().to_string();
        let mut data = Vec::new();
        file.read_to_end(&mut data).unwrap();
        if name == entry {
            let Some(other) = change(data) else { continue };
            data = other;
        }
        to.start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        to.write_all(&data).unwrap();
    }
    to.finish().unwrap().into_inner()
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = saved(&folder.path().join("tree.npz"), &everything());
    let said = |entry: &str, change: &dyn Fn(Vec<u8>) -> Option<Vec<u8>>| {
        let other = changed(&bytes, entry, change);
        read_skeleton(&other, "tree.npz").unwrap_err().to_string()
    };
    let replace = |from: &'static str, to: &'static str| {
        assert_eq!(from.len(), to.len());
        move |data: Vec<u8>| {
            let at = data.windows(from.len()).position(|w| w == from.as_bytes());
            let at = at.expect("what is replaced is there");
            let mut data = data;
            data[at..at + from.len()].copy_from_slice(to.as_bytes());
            Some(data)
        }
    };
    let later = said("version.npy", &|mut data| {
        let last = data.len() - 4;
        data[last] = 2;
        Some(data)
    });
    assert_eq!(later, "tree.npz: version is 2; expected 1");
    assert!(said("node_radius.npy", &|_| None).contains("array node_radius: "));
    // More than the file holds, however small it is packed.
    let huge = said("node_radius.npy", &replace("(5,)", "(9,)"));
    assert!(huge.contains("array node_radius: "), "{huge}");
    let fewer = said("branch_nodes.npy", &|mut data| {
        let first = data.len() - 8;
        data[first] = 1;
        Some(data)
    });
    assert!(fewer.contains("array branch_nodes: counts"), "{fewer}");
    let key = said("settings.npy", &replace("segment_length", "segment_lenght"));
    assert!(key.contains("did you mean `segment_length`"), "{key}");
    let kind = said("node_position.npy", &replace("<f4", "<f8"));
    assert!(kind.contains("array node_position: "), "{kind}");
}
