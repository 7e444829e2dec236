//! Broken files of every format: whatever the bytes, an importer gives a tree that can be cut or one line that says why not.
//!
//! Random bytes behind every format's beginning, valid files with bytes and words changed, cut off or doubled. Memory and time are
//! bounded by the size of what is read: each case must be done within seconds.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::path::Path;
use std::time::{Duration, Instant};
use treesway::cut;
use treesway_io::import::{Format, Options, import_bytes};
use treesway_io::{SavedSkeleton, save_skeleton};

/// Small files of ours, one for each way of reading.
const FILES: [&str; 9] = [
    "simple_forest.csv",
    "tree_qsm.txt",
    "tree_qsm.mat",
    "trees.txt",
    "points.swc",
    "wytham.csv",
    "curves.csv",
    "rig.gltf",
    "rig.glb",
];

fn data(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    std::fs::read(folder.join(name)).unwrap()
}

/// A skeleton file with branches, as bytes.
fn skeleton() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.npz");
    let imported = import_bytes(&data("wytham.csv"), "", &Options::default(), None).unwrap();
    let saved: SavedSkeleton = imported.saved;
    save_skeleton(&path, &saved).unwrap();
    std::fs::read(path).unwrap()
}

fn files() -> Vec<Vec<u8>> {
    let mut files: Vec<Vec<u8>> = FILES.iter().map(|f| data(f)).collect();
    files.push(skeleton());
    files
}

/// Reads it as what it looks like, and as `format`.
fn survives(bytes: &[u8], format: Format) {
    for format in [None, Some(format)] {
        let options = Options {
            format,
            ..Options::default()
        };
        let start = Instant::now();
        match import_bytes(bytes, "scan", &options, None) {
            Err(error) => {
                let said = error.to_string();
                assert!(said.starts_with("scan"), "{said}");
                assert_eq!(said.lines().count(), 1, "{said}");
                assert!(said.len() < 1000, "{said}");
            }
            Ok(imported) => {
                // It may be no tree that can be cut, but saying so must not fail either. A changed number can make a branch as long
                // as the world is wide; the most segments bound what it is cut into.
                let _ = cut(&imported.saved.skeleton, &imported.saved.cut);
                let _ = imported.saved.skeleton.measure();
            }
        }
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

fn formats() -> impl Strategy<Value = Format> {
    proptest::sample::select(Format::ALL.to_vec())
}

/// What stands where a number was.
fn words() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "nan",
        "inf",
        "-inf",
        "1e308",
        "-1",
        "0",
        "",
        "1e-320",
        "99999999999999999999",
        "x",
        "-0.0",
        "3",
        "\u{0}",
        "0x10",
        "1,1",
        "1 1",
        "\n",
        "{",
        "[]",
        "null",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(4),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_survive(
        beginning in proptest::sample::select(vec![
            &b""[..], b"PK\x03\x04", b"MATLAB 5.0 MAT-file", b"glTF\x02\0\0\0", b"{\"asset\":", b"1 0 0 0 0 1 -1\n",
            b"x,y,z,radius\n", b"branch,parent,x,y,z,radius\n", b"radius_m,length_m,parent_1based\n", b"ID,parentID,startX,radius\n",
        ]),
        rest in proptest::collection::vec(any::<u8>(), 0..600),
        format in formats(),
    ) {
        survives(&[beginning, &rest[..]].concat(), format);
    }

    #[test]
    fn changed_bytes_survive(
        file in 0..FILES.len() + 1,
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..8),
        format in formats(),
    ) {
        let mut bytes = files().swap_remove(file);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        survives(&bytes, format);
    }

    #[test]
    fn files_that_are_cut_off_or_doubled_survive(
        file in 0..FILES.len() + 1,
        from in any::<proptest::sample::Index>(),
        to in any::<proptest::sample::Index>(),
        format in formats(),
    ) {
        let bytes = files().swap_remove(file);
        let (from, to) = (from.index(bytes.len()), to.index(bytes.len() + 1));
        survives(&bytes[..to], format);
        survives(&[&bytes[..to], &bytes[from..]].concat(), format);
    }

    #[test]
    fn changed_words_survive(
        file in 0..8_usize,
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), words()), 1..4),
        format in formats(),
    ) {
        let Ok(text) = String::from_utf8(data(FILES[file])) else { return Ok(()) };
        let mut parts: Vec<String> = Vec::new();
        // Numbers, and what stands between them.
        for c in text.chars() {
            let number = c.is_ascii_digit() || "+-.e".contains(c);
            match parts.last_mut() {
                Some(last) if number == last.starts_with(|f: char| f.is_ascii_digit() || "+-.e".contains(f)) => last.push(c),
                _ => parts.push(c.to_string()),
            }
        }
        for (at, word) in changes {
            let at = at.index(parts.len());
            parts[at] = word.to_string();
        }
        survives(parts.concat().as_bytes(), format);
    }
}

/// As many roots as points, parents in reverse, one branch on another a hundred thousand times: nothing takes the square of the size.
#[test]
fn large_and_tangled_files_are_done_in_seconds() {
    let n = 100_000;
    let roots: String = (0..n)
        .map(|i| format!("{i} 0 {i} 0 0 1 -1\n{} 0 {i} 0 1 1 {i}\n", n + i))
        .collect();
    let reversed: String = (0..n)
        .map(|i| {
            let parent = if i + 1 < n { i + 1 } else { -1 };
            format!("{i} 0 0 0 {} 1 {parent}\n", n - i)
        })
        .collect();
    let header = "branch,parent,x,y,z,radius\n";
    let comb: String = (0..n)
        .map(|i| format!("{i},{},0,{i},0,1\n{i},{},1,{i},0,1\n", i - 1, i - 1))
        .collect();
    let points: String = (0..n)
        .map(|i| format!("{i} 0 0 0 1 1 {}\n", i - 1))
        .collect();
    let star: String = (0..n)
        .map(|i| format!("{i} 0 {i} 0 {i} 1 {}\n", if i == 0 { -1 } else { 0 }))
        .collect();
    for text in [roots, reversed, format!("{header}{comb}"), points, star] {
        let start = Instant::now();
        let read = import_bytes(text.as_bytes(), "scan", &Options::default(), None);
        if let Ok(imported) = read {
            let _ = imported.saved.skeleton.measure();
        }
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:?}: {}",
            start.elapsed(),
            &text[..40]
        );
    }
}

/// A megabyte of nothing packs to a kilobyte; a gigabyte of it is refused before it is believed.
#[test]
fn packed_nothing_is_not_believed() {
    use std::io::Write;
    let mut header = vec![b' '; 128];
    header[..19].copy_from_slice(b"MATLAB 5.0 MAT-file");
    header[124..].copy_from_slice(&[0, 1, b'I', b'M']);
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&vec![0; 1 << 20]).unwrap();
    let packed = packed.finish().unwrap();
    let mut bytes = header;
    bytes.extend(15_u32.to_le_bytes());
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend(packed);
    let said = import_bytes(&bytes, "scan", &Options::default(), None).unwrap_err();
    assert!(said.what.contains("has no struct `cylinder`"), "{said}");
}
