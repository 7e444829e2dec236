//! Skeletons of our own, saved: a NumPy archive (`.npz`) with named arrays, so that Python reads one with `numpy.load`.
//!
//! `docs/FORMATS.md` lists the arrays. Positions and radii are kept as they are, so that what is read is what was saved to the
//! last bit. The cut and, if it is known, what the tree is made of are kept as the text of a TOML table.

use crate::import::{ImportError, MOST_BYTES};
use crate::npz::archive::Archive;
use serde::{Deserialize, Serialize};
use std::io::{self, Cursor, Read};
use std::path::Path;
use treesway::glam::{DVec3, Quat, Vec3};
use treesway::{Attachment, Branch, CutOptions, Fruit, Leaf, Node, Profile, Skeleton, TreeParams};
use zip::ZipArchive;

/// Version of the files that this library writes and reads.
pub const VERSION: i32 = 1;

/// A skeleton and what is saved with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedSkeleton {
    /// Branches, leaves, fruit.
    pub skeleton: Skeleton,
    /// How it is to be cut into bodies.
    pub cut: CutOptions,
    /// What it is made of, if that is known.
    pub params: Option<TreeParams>,
    /// Where the base of the trunk was in the file it was imported from, in that file's axes and units; 0 of what was grown.
    pub origin: DVec3,
}

/// The text among the arrays.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    cut: CutOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<TreeParams>,
}

/// Writes a skeleton; after an error there is no file.
pub fn save_skeleton(output: &Path, saved: &SavedSkeleton) -> io::Result<()> {
    let mut archive = Archive::create(output)?;
    archive.put("version", &[], [VERSION])?;
    archive.put("origin", &[3], saved.origin.to_array())?;
    let settings = toml::to_string(&Settings {
        cut: saved.cut.clone(),
        params: saved.params.clone(),
    })
    .map_err(io::Error::other)?;
    archive.put("settings", &[settings.len()], settings.bytes())?;
    put_branches(&mut archive, &saved.skeleton.branches)?;
    put_leaves(&mut archive, &saved.skeleton.leaves)?;
    put_fruit(&mut archive, &saved.skeleton.fruit)?;
    archive.finish(&|| true)
}

fn put_branches(archive: &mut Archive, branches: &[Branch]) -> io::Result<()> {
    let n = [branches.len()];
    let parents = || branches.iter().map(|b| b.parent);
    archive.put(
        "branch_parent",
        &n,
        parents().map(|on| on.map_or(-1, |on| on.branch as i32)),
    )?;
    archive.put(
        "branch_along",
        &n,
        parents().map(|on| on.map_or(0.0, |on| on.along)),
    )?;
    archive.put(
        "branch_nodes",
        &n,
        branches.iter().map(|b| b.nodes.len() as i32),
    )?;
    archive.put(
        "branch_stepped",
        &n,
        branches
            .iter()
            .map(|b| u8::from(b.profile == Profile::Stepped)),
    )?;
    archive.put(
        "branch_continues",
        &n,
        branches.iter().map(|b| u8::from(b.continues)),
    )?;
    let nodes = || branches.iter().flat_map(|b| &b.nodes);
    let count = nodes().count();
    archive.put(
        "node_position",
        &[count, 3],
        nodes().flat_map(|n| n.position.to_array()),
    )?;
    archive.put("node_radius", &[count], nodes().map(|n| n.radius))
}

/// Arrays that leaves and fruit have alike.
fn put_hanging(
    archive: &mut Archive,
    kind: &str,
    items: &[(Attachment, Vec3, Quat)],
) -> io::Result<()> {
    let n = items.len();
    archive.put(
        &format!("{kind}_branch"),
        &[n],
        items.iter().map(|i| i.0.branch as i32),
    )?;
    archive.put(
        &format!("{kind}_along"),
        &[n],
        items.iter().map(|i| i.0.along),
    )?;
    archive.put(
        &format!("{kind}_position"),
        &[n, 3],
        items.iter().flat_map(|i| i.1.to_array()),
    )?;
    archive.put(
        &format!("{kind}_rotation"),
        &[n, 4],
        items.iter().flat_map(|i| i.2.to_array()),
    )
}

fn put_leaves(archive: &mut Archive, leaves: &[Leaf]) -> io::Result<()> {
    let hanging: Vec<_> = leaves
        .iter()
        .map(|l| (l.on, l.position, l.rotation))
        .collect();
    put_hanging(archive, "leaf", &hanging)?;
    archive.put(
        "leaf_length",
        &[leaves.len()],
        leaves.iter().map(|l| l.length),
    )?;
    archive.put(
        "leaf_width",
        &[leaves.len()],
        leaves.iter().map(|l| l.width),
    )
}

fn put_fruit(archive: &mut Archive, fruit: &[Fruit]) -> io::Result<()> {
    let hanging: Vec<_> = fruit
        .iter()
        .map(|f| (f.on, f.position, f.rotation))
        .collect();
    let n = [fruit.len()];
    put_hanging(archive, "fruit", &hanging)?;
    archive.put("fruit_radius", &n, fruit.iter().map(|f| f.radius))?;
    archive.put("fruit_stem_length", &n, fruit.iter().map(|f| f.stem_length))?;
    archive.put("fruit_stem_radius", &n, fruit.iter().map(|f| f.stem_radius))
}

/// Reads a skeleton; `name` is what messages call the file.
pub fn read_skeleton(bytes: &[u8], name: &str) -> Result<SavedSkeleton, ImportError> {
    let mut arrays = Arrays::open(bytes, name)?;
    let version = arrays.get::<i32>("version", 1)?;
    if version != [VERSION] {
        let found = version.first().copied().unwrap_or_default();
        let what = format!("version is {found}; expected {VERSION}");
        return Err(ImportError::new(name, what));
    }
    let text = arrays.get::<u8>("settings", 1)?;
    let settings: Settings = std::str::from_utf8(&text)
        .map_err(|e| e.to_string())
        .and_then(|text| {
            toml::from_str(text).map_err(|e| treesway_grow::text::explain(e.message()))
        })
        .map_err(|what| arrays.wrong("settings", what))?;
    let origin = arrays.get::<f64>("origin", 3)?;
    let branches = arrays.branches()?;
    let leaves = arrays.leaves()?;
    let fruit = arrays.fruit()?;
    Ok(SavedSkeleton {
        skeleton: Skeleton {
            branches,
            leaves,
            fruit,
        },
        cut: settings.cut,
        params: settings.params,
        origin: DVec3::new(origin[0], origin[1], origin[2]),
    })
}

/// The arrays of an archive.
struct Arrays<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    name: &'a str,
}

impl<'a> Arrays<'a> {
    fn open(bytes: &'a [u8], name: &'a str) -> Result<Self, ImportError> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|e| ImportError::new(name, format!("is no whole NumPy archive: {e}")))?;
        Ok(Self { zip, name })
    }

    fn wrong(&self, array: &str, what: impl std::fmt::Display) -> ImportError {
        ImportError::new(self.name, format!("array {array}: {what}"))
    }

    /// An array whose last axis holds `width` numbers, flat.
    fn get<T: npyz::Deserialize>(
        &mut self,
        array: &str,
        width: usize,
    ) -> Result<Vec<T>, ImportError> {
        let mut bytes = Vec::new();
        let read = match self.zip.by_name(&format!("{array}.npy")) {
            // Grows with what there is, not with what the entry says of its size.
            Ok(entry) => entry.take(MOST_BYTES).read_to_end(&mut bytes).map(|_| ()),
            Err(e) => Err(io::Error::other(e)),
        };
        read.map_err(|e| self.wrong(array, e))?;
        let npy = npyz::NpyFile::new(&bytes[..]).map_err(|e| self.wrong(array, e))?;
        let shape = npy.shape().to_vec();
        let numbers = shape.iter().try_fold(1_u64, |n, &s| n.checked_mul(s));
        // A number takes a byte at least: more of them than bytes are a lie that would be believed with memory.
        let plausible = numbers.is_some_and(|n| n <= bytes.len() as u64)
            && npy.order() == npyz::Order::C
            && (width == 1 || shape.last() == Some(&(width as u64)));
        if !plausible {
            let what = format!(
                "has shape {shape:?} in {} bytes; expected rows of {width}, in C order",
                bytes.len()
            );
            return Err(self.wrong(array, what));
        }
        npy.into_vec().map_err(|e| self.wrong(array, e))
    }

    /// An array with a row of `width` for each of `rows`.
    fn rows<T: npyz::Deserialize>(
        &mut self,
        array: &str,
        rows: usize,
        width: usize,
    ) -> Result<Vec<T>, ImportError> {
        let data = self.get(array, width)?;
        if data.len() == rows * width {
            return Ok(data);
        }
        let what = format!("has {} numbers; expected {}", data.len(), rows * width);
        Err(self.wrong(array, what))
    }

    fn branches(&mut self) -> Result<Vec<Branch>, ImportError> {
        let parent = self.get::<i32>("branch_parent", 1)?;
        let n = parent.len();
        let along = self.rows::<f32>("branch_along", n, 1)?;
        let counts = self.rows::<i32>("branch_nodes", n, 1)?;
        let stepped = self.rows::<u8>("branch_stepped", n, 1)?;
        let continues = self.rows::<u8>("branch_continues", n, 1)?;
        let radius = self.get::<f32>("node_radius", 1)?;
        let position = self.rows::<f32>("node_position", radius.len(), 3)?;
        let total: i64 = counts.iter().map(|&c| i64::from(c)).sum();
        if counts.iter().any(|&c| c < 2) || total != radius.len() as i64 {
            let what = format!(
                "counts {total} nodes; expected the {} that there are, at least 2 per branch",
                radius.len()
            );
            return Err(self.wrong("branch_nodes", what));
        }
        let mut nodes = position
            .chunks_exact(3)
            .zip(radius)
            .map(|(p, radius)| Node {
                position: Vec3::new(p[0], p[1], p[2]),
                radius,
            });
        let mut branches = Vec::with_capacity(n);
        for b in 0..n {
            branches.push(Branch {
                parent: (parent[b] >= 0).then_some(Attachment {
                    branch: parent[b] as usize,
                    along: along[b],
                }),
                nodes: nodes.by_ref().take(counts[b] as usize).collect(),
                profile: if stepped[b] == 0 {
                    Profile::Tapered
                } else {
                    Profile::Stepped
                },
                continues: continues[b] != 0,
            });
        }
        Ok(branches)
    }

    fn hanging(&mut self, kind: &str) -> Result<Vec<(Attachment, Vec3, Quat)>, ImportError> {
        let branch = self.get::<i32>(&format!("{kind}_branch"), 1)?;
        let n = branch.len();
        let along = self.rows::<f32>(&format!("{kind}_along"), n, 1)?;
        let position = self.rows::<f32>(&format!("{kind}_position"), n, 3)?;
        let rotation = self.rows::<f32>(&format!("{kind}_rotation"), n, 4)?;
        let places = branch.iter().zip(along).map(|(&branch, along)| Attachment {
            // A negative number becomes one that no branch has; the cut says so.
            branch: usize::try_from(branch).unwrap_or(usize::MAX),
            along,
        });
        let frames = position.chunks_exact(3).zip(rotation.chunks_exact(4));
        Ok(places
            .zip(frames)
            .map(|(on, (p, q))| {
                let turn = Quat::from_xyzw(q[0], q[1], q[2], q[3]);
                (on, Vec3::new(p[0], p[1], p[2]), turn)
            })
            .collect())
    }

    fn leaves(&mut self) -> Result<Vec<Leaf>, ImportError> {
        let hanging = self.hanging("leaf")?;
        let length = self.rows::<f32>("leaf_length", hanging.len(), 1)?;
        let width = self.rows::<f32>("leaf_width", hanging.len(), 1)?;
        let leaf = |(i, (on, position, rotation))| Leaf {
            on,
            position,
            rotation,
            length: length[i],
            width: width[i],
        };
        Ok(hanging.into_iter().enumerate().map(leaf).collect())
    }

    fn fruit(&mut self) -> Result<Vec<Fruit>, ImportError> {
        let hanging = self.hanging("fruit")?;
        let n = hanging.len();
        let radius = self.rows::<f32>("fruit_radius", n, 1)?;
        let stem_length = self.rows::<f32>("fruit_stem_length", n, 1)?;
        let stem_radius = self.rows::<f32>("fruit_stem_radius", n, 1)?;
        let fruit = |(i, (on, position, rotation))| Fruit {
            on,
            position,
            rotation,
            radius: radius[i],
            stem_length: stem_length[i],
            stem_radius: stem_radius[i],
        };
        Ok(hanging.into_iter().enumerate().map(fruit).collect())
    }
}
