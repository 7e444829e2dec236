//! Species files that are broken in any way: one clear line, no panic, no hang, no unbounded memory.

use proptest::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};
use treesway_grow::Species;
use treesway_grow::species::{ALL, Wanted, named};

const ARBARO: &str = "<?xml version='1.0'?>
<arbaro>
  <species name='small_tree'>
    <param name='Shape' value='7'/>
    <param name='Levels' value='2'/>
    <param name='Scale' value='8.0'/>
    <param name='BaseSize' value='0.4'/>
    <param name='Ratio' value='0.02'/>
    <param name='Leaves' value='12'/>
    <param name='LeafShape' value='disc2'/>
    <param name='LeafScale' value='0.2'/>
    <param name='LeafScaleX' value='0.5'/>
    <param name='LeafQuality' value='4.0'/>
    <param name='1DownAngle' value='50.0'/>
    <param name='1DownAngleV' value='-20.0'/>
    <param name='1Branches' value='20'/>
    <param name='1Length' value='0.4'/>
    <param name='1CurveRes' value='4'/>
    <param name='2DownAngle' value='33.0'/>
  </species>
</arbaro>
";

const EZ_TREE: &str = r#"{
  "seed": 1, "type": "deciduous", "bark": { "type": "oak" },
  "branch": {
    "levels": 2,
    "angle": { "1": 50, "2": 40 },
    "children": { "0": 7, "1": 4 },
    "force": { "direction": { "x": 0, "y": 1, "z": 0 }, "strength": 0.01 },
    "gnarliness": { "0": 0.05, "1": 0.1, "2": 0.1 },
    "length": { "0": 30, "1": 12, "2": 6 },
    "radius": { "0": 1.2, "1": 0.6, "2": 0.7 },
    "sections": { "0": 8, "1": 6, "2": 4 },
    "start": { "1": 0.4, "2": 0.2 },
    "taper": { "0": 0.7, "1": 0.7, "2": 0.8 }
  },
  "leaves": { "type": "oak", "angle": 40, "count": 10, "start": 0.2, "size": 1.5, "sizeVariance": 0.5 }
}"#;

/// A line that names the file.
fn clear(text: &str, name: &str) {
    let error = Species::parse_any(text, name).unwrap_err().to_string();
    assert!(error.starts_with(name), "{error}");
    assert!(!error.contains('\n'), "{error}");
}

#[test]
fn arbaro_parameters_become_ours() {
    let species = Species::parse_any(ARBARO, "small.xml").unwrap();
    assert_eq!(species.title, "small tree");
    assert_eq!(species.tree.levels.len(), 2);
    assert_eq!(species.tree.levels[1].branches, 20);
    assert_eq!(species.tree.levels[1].down_angle_v_deg, -20.0);
    assert_eq!(species.leaf.down_angle_deg, 33.0);
    // Four times as many leaves, half as large.
    assert_eq!(species.leaf.per_stem, 48.0);
    assert_eq!(species.leaf.length, 0.1);
    let grown = species.grow(1, &Wanted::default()).unwrap();
    assert!(grown.skeleton.branches.len() > 15 && grown.skeleton.leaves.len() > 400);
}

#[test]
fn ez_tree_presets_become_trees_of_their_size() {
    let species = Species::parse_any(EZ_TREE, "preset.json").unwrap();
    assert_eq!(species.tree.levels.len(), 3);
    let grown = species.grow(1, &Wanted::default()).unwrap();
    let trunk = &grown.skeleton.branches[0];
    // 30 units of trunk, 1.2 of radius.
    let length: f32 = trunk
        .nodes
        .windows(2)
        .map(|n| n[0].position.distance(n[1].position))
        .sum();
    assert!((length - 9.0).abs() < 1e-3, "{length}");
    assert!((trunk.nodes[0].radius - 0.36).abs() < 1e-3);
    // 7 limbs, 4 branches on each at most, each with 10 leaves.
    let branches = grown.skeleton.branches.len();
    assert!((15..=36).contains(&branches), "{branches}");
    assert!((60..=280).contains(&grown.skeleton.leaves.len()));
}

/// Files of Arbaro and ez-tree themselves, where they are at hand.
#[test]
fn public_species_grow() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/species");
    let Ok(files) = std::fs::read_dir(&folder) else {
        eprintln!(
            "{} is absent: public species are not tried",
            folder.display()
        );
        return;
    };
    let mut count = 0;
    for path in files.map(|f| f.unwrap().path()) {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let species = Species::parse_any(&text, &name).unwrap();
        let wanted = Wanted {
            bodies: Some(5000),
            ..Wanted::default()
        };
        let grown = species.grow(1, &wanted).unwrap();
        let made = treesway::cut(&grown.skeleton, &grown.cut).unwrap();
        assert!(
            (4750..=5250).contains(&made.bodies.len()),
            "{name}: {}",
            made.bodies.len()
        );
        count += 1;
    }
    assert!(count >= 5, "{count} files in {}", folder.display());
}

#[test]
fn errors_name_file_line_and_the_nearest_key() {
    let oak = ALL[0].1;
    let misspelt = oak.replace("ratio_power", "ratio_pover");
    let said = Species::parse(&misspelt, "my.toml")
        .unwrap_err()
        .to_string();
    assert!(
        said.starts_with("my.toml:") && said.contains("did you mean `ratio_power`?"),
        "{said}"
    );
    let absurd = oak.replace("branches = 20", "branches = 2000000");
    let said = Species::parse(&absurd, "my.toml").unwrap_err().to_string();
    assert!(
        said.contains("tree.level.3.branches: is 2000000; expected"),
        "{said}"
    );
    let paths = [
        "wood.colour",
        "bark.dark",
        "leaf_material.colour",
        "fruit.colour",
    ];
    for path in paths {
        let (table, key) = path.split_once('.').unwrap();
        let text = format!("version = 1\nkind = 'species'\n[{table}]\n{key} = 'green'\n");
        let said = Species::parse(&text, "my.toml").unwrap_err().to_string();
        let expected = "is \"green\"; expected a colour such as \"#5a4636\"";
        assert_eq!(said, format!("my.toml:4: {path}: {expected}"));
    }
    let said = named("oka").unwrap_err().to_string();
    assert!(said.contains("did you mean `oak`?"), "{said}");
    let said = Species::parse("version = 2\nkind = 'species'", "a.toml")
        .unwrap_err()
        .to_string();
    assert_eq!(said, "a.toml:1: version: is 2; expected 1");
    let said = Species::parse_any(
        "<arbaro><species><param name='Scalle' value='1'/></species></arbaro>",
        "a.xml",
    );
    assert_eq!(
        said.unwrap_err().to_string(),
        "a.xml:1: unknown parameter `Scalle`, did you mean `Scale`?"
    );
    for text in ["", "{", "nan", "\u{0}\u{1}", "<a/>", "[]", "version = 1"] {
        for name in ["a.toml", "a.xml", "a.json"] {
            clear(text, name);
        }
    }
}

#[test]
fn absurd_counts_stop_with_a_message() {
    // Each number is allowed alone; together they are 5000⁴ stems.
    let level =
        "[[tree.level]]\nbranches = 5000\ncurve_res = 100\nlength = 0.9\nseg_splits = 1.0\n";
    let text = format!("version = 1\nkind = 'species'\n{}", level.repeat(4));
    let species = Species::parse(&text, "absurd.toml").unwrap();
    let start = Instant::now();
    let error = species.grow(1, &Wanted::default()).unwrap_err();
    assert!(error.to_string().contains("fewer"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(60));
    let level = "[[tree.level]]\nbranches = 5000\ncurve_res = 1\nlength = 0.9\n";
    let text = format!("version = 1\nkind = 'species'\n{}", level.repeat(4));
    let species = Species::parse(&text, "absurd.toml").unwrap();
    assert!(
        species
            .grow(1, &Wanted::default())
            .unwrap_err()
            .to_string()
            .contains("fewer")
    );
    let leafy = ALL[0].1.replace("per_stem = 10", "per_stem = 5000");
    let species = Species::parse(&leafy, "leafy.toml").unwrap();
    let error = species.grow(1, &Wanted::default()).unwrap_err().to_string();
    assert!(error.contains("choose a number of bodies"), "{error}");
}

/// A text with some bytes changed, left out, doubled, or cut off.
fn broken(text: &'static str) -> impl Strategy<Value = String> {
    let edits = proptest::collection::vec((0..text.len(), any::<u8>(), 0..4_u8), 1..8);
    edits.prop_map(move |edits| {
        let mut bytes = text.as_bytes().to_vec();
        for (at, byte, how) in edits {
            let at = at.min(bytes.len().saturating_sub(1));
            match how {
                0 => bytes[at] = byte,
                1 => drop(bytes.drain(at..(at + 9).min(bytes.len()))),
                2 => bytes.insert(at, b"0123456789.-e"[usize::from(byte) % 13]),
                _ => bytes.truncate(at.max(1)),
            }
            if bytes.is_empty() {
                bytes.push(byte);
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Reads it, and if it can be read, tries to grow a small tree of it.
fn tried(text: &str, name: &str) {
    match Species::parse_any(text, name) {
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        Ok(species) => {
            let wanted = Wanted {
                bodies: Some(300),
                ..Wanted::default()
            };
            if let Ok(grown) = species.grow(1, &wanted) {
                treesway::cut(&grown.skeleton, &grown.cut)
                    .unwrap_or_else(|e| panic!("{e}:\n{text}"));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        for name in ["a.toml", "a.xml", "a.json"] {
            let _ = Species::parse_any(&text, name);
        }
    }

    #[test]
    fn broken_species_are_read_or_refused(text in broken(ALL[10].1)) {
        tried(&text, "a.toml");
    }

    #[test]
    fn broken_arbaro_files_are_read_or_refused(text in broken(ARBARO)) {
        tried(&text, "a.xml");
    }

    #[test]
    fn broken_ez_tree_files_are_read_or_refused(text in broken(EZ_TREE)) {
        tried(&text, "a.json");
    }
}
