//! Models without a skin: tubes of wood and cards of leaves, as modelling programs export trees → a skeleton.
//!
//! 1. [`soup`]: every triangle of the file in one list, points that coincide made one, split into connected parts;
//! 2. [`contour`]: each part is cut along lines of equal distance from one of its ends. Closed, round cuts, one after the other, are a
//!    tube: their middles are its axis, their sizes its radii. A part that forks gives several axes;
//! 3. [`hierarchy`]: the tube at the ground is the trunk; the others hang, one after the other, on the wood that their base touches or is
//!    nearest to;
//! 4. [`card`]: what is no tube is a leaf on the wood nearest to it;
//! 5. [`paint`]: its own surface, with the textures of the file, is kept to be drawn.
//!
//! Cuts are those of Verroust and Lazarus, *Extracting skeletal curves from 3D scattered data* (2000), with Dijkstra's distances along edges.

mod card;
mod contour;
mod hierarchy;
mod paint;
mod soup;

use super::error::Wrong;
use super::pieces::{Assembled, SHORTEST};
use super::{Note, Options, Up};
use contour::Tube;
use gltf::Document;
use hierarchy::Wood;
use paint::Paint;
use rayon::prelude::*;
use soup::Soup;
use std::path::Path;
use treesway::Skeleton;
use treesway::glam::DVec3;
use treesway_skin::{ModelSurface, Owner};

/// Most triangles that are taken, some seconds' work.
const MOST_TRIANGLES: usize = 10_000_000;

pub(super) fn read(
    document: &Document,
    buffers: &[Vec<u8>],
    folder: Option<&Path>,
    options: &Options,
    up: Up,
) -> Result<(Assembled, ModelSurface), Wrong> {
    let mut soup = Soup::read(document, buffers)?;
    for p in &mut soup.positions {
        *p = up.turn(*p) * options.scale;
    }
    for n in &mut soup.normals {
        *n = up.turn(*n);
    }
    let parts = soup.parts();
    let cut: Vec<Vec<Tube>> = parts.par_iter().map(contour::tubes).collect();
    let tubes: usize = cut.iter().map(Vec::len).sum();
    if tubes == 0 {
        return Err(Wrong::new(format!(
            "none of the {} connected parts of the model is a tube at least twice as long as it is thick; expected wood, or a skin",
            parts.len()
        )));
    }
    if cut.iter().flatten().all(|t| t.length() < SHORTEST) {
        let what = "all wood is shorter than 10 µm; expected a tree (is --scale right?)";
        return Err(Wrong::new(what));
    }
    let wood = Wood::grow(&cut);
    let origin = wood.base();
    let mut skeleton = Skeleton {
        branches: wood.branches(origin, options.monotone)?,
        ..Skeleton::default()
    };
    let mut owners = vec![Owner::Branch(wood.trunk() as u32); soup.positions.len()];
    let mut first = 0;
    for (part, tubes) in parts.iter().zip(&cut) {
        let owner = |at: DVec3| match tubes.len() {
            0 => Owner::Leaf(skeleton.leaves.len() as u32),
            1 => Owner::Branch(first as u32),
            n => Owner::Branch(wood.nearest_of(first..first + n, at) as u32),
        };
        for (&vertex, &welded) in part.vertices.iter().zip(&part.welded) {
            owners[vertex as usize] = owner(part.points[welded as usize]);
        }
        if tubes.is_empty() {
            skeleton.leaves.push(card::leaf(part, &wood, origin));
        }
        first += tubes.len();
    }
    let mut notes = vec![Note(format!(
        "{} tubes and {} cards were found in {} triangles; {} tubes do not touch what they hang on, by up to {:.3} m",
        tubes,
        skeleton.leaves.len(),
        soup.triangles.len(),
        wood.gaps().0,
        wood.gaps().1,
    ))];
    let Paint {
        bark,
        leaf,
        notes: of_paint,
    } = Paint::of(document, buffers, folder, &soup, &owners);
    notes.extend(of_paint.into_iter().map(Note));
    let surface = ModelSurface {
        bark,
        leaf,
        ..soup.surface(origin, owners)
    };
    let assembled = Assembled {
        skeleton,
        origin,
        notes,
    };
    Ok((assembled, surface))
}
