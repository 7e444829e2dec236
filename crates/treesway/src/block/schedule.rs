//! The order of bodies in memory.
//!
//! Hu's rule (1961) for tasks that form a tree and take equal time: of the bodies whose parent is placed, those come first from which the
//! longest way leads to a tip. It gives the fewest tiles, here of sixteen, in which no body shares the tile of its parent.

use super::{Block, Links, NOBODY, Place, TREELET};
use crate::math::simd::{ROW, Rows};

/// Lays out bodies that are not described yet, given the parent of each (of the root, the first, [`NOBODY`]) before its children.
pub(crate) fn lay_out(parent: &[u32]) -> (Vec<Block>, Vec<Place>) {
    let family = Family::of(parent);
    let runs = runs(parent, &family);
    let mut places = vec![Place { block: 0, slot: 0 }; parent.len()];
    for (b, run) in runs.iter().enumerate() {
        for &id in run {
            places[id as usize].block = b as u32;
        }
    }
    let height = heights(parent, &places);
    let mut blocks = Vec::with_capacity(runs.len());
    for run in &runs {
        let block = place_run(run, parent, &family, &height, &mut places);
        blocks.push(block);
    }
    (blocks, places)
}

/// Children as linked lists: two words per body instead of a list of lists.
struct Family {
    first: Vec<u32>,
    next: Vec<u32>,
}

impl Family {
    fn of(parent: &[u32]) -> Self {
        let n = parent.len();
        let (mut first, mut next) = (vec![NOBODY; n], vec![NOBODY; n]);
        for (id, &parent) in parent.iter().enumerate().rev() {
            if parent != NOBODY {
                next[id] = first[parent as usize];
                first[parent as usize] = id as u32;
            }
        }
        Self { first, next }
    }

    /// In id order.
    fn children(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let mut child = self.first[id as usize];
        core::iter::from_fn(move || {
            let found = (child != NOBODY).then_some(child)?;
            child = self.next[found as usize];
            Some(found)
        })
    }
}

/// Joints from each body to the farthest tip in its own block.
fn heights(parent: &[u32], places: &[Place]) -> Vec<u32> {
    let mut height = vec![0_u32; parent.len()];
    for (id, &parent) in parent.iter().enumerate().rev() {
        if parent != NOBODY && places[parent as usize].block == places[id].block {
            height[parent as usize] = height[parent as usize].max(height[id] + 1);
        }
    }
    height
}

/// Fills one block; sets the slots of its bodies.
fn place_run(
    run: &[u32],
    parent: &[u32],
    family: &Family,
    height: &[u32],
    places: &mut [Place],
) -> Block {
    let Some(&first) = run.first() else {
        return Block::empty(vec![0], 1);
    };
    let own = places[first as usize].block;
    let parent_place = |id: u32, places: &[Place]| match parent[id as usize] {
        NOBODY => None,
        parent => Some(places[parent as usize]),
    };
    let outside =
        |id: u32, places: &[Place]| parent_place(id, places).is_none_or(|p| p.block != own);
    let roots: Vec<u32> = run
        .iter()
        .copied()
        .filter(|&id| outside(id, places))
        .collect();
    let mut ghosts: Vec<u32> = roots
        .iter()
        .map(|&id| parent_place(id, places).map_or(0, |p| p.slot))
        .collect();
    ghosts.sort_unstable();
    ghosts.dedup();
    let in_block = |id: u32| {
        family
            .children(id)
            .filter(|&c| places[c as usize].block == own)
    };
    let tiles = tiles_of(&roots, height, in_block);
    let before = (ghosts.len() + 1).div_ceil(ROW);
    let mut block = Block::empty(ghosts, before + tiles.len());
    for (t, tile) in tiles.iter().enumerate() {
        for (lane, &id) in tile.iter().enumerate() {
            places[id as usize].slot = ((before + t) * ROW + lane) as u32;
        }
    }
    for (t, tile) in tiles.iter().enumerate() {
        let mut links = Links {
            ..block.links[before + t]
        };
        for (lane, &id) in tile.iter().enumerate() {
            links.id[lane] = id;
            links.parent[lane] = match parent_place(id, places) {
                Some(p) if p.block == own => p.slot,
                other => {
                    let at = other.map_or(0, |p| p.slot);
                    block
                        .ghosts
                        .binary_search(&at)
                        .expect("every root has a ghost") as u32
                }
            };
            links.carries |= height[id as usize] > 0 || family.first[id as usize] != NOBODY;
        }
        block.links[before + t] = links;
    }
    block
}

/// Up to sixteen bodies a tile, each after its parent's.
fn tiles_of<C: Iterator<Item = u32>>(
    roots: &[u32],
    height: &[u32],
    children: impl Fn(u32) -> C,
) -> Vec<Vec<u32>> {
    let highest = roots.iter().map(|&r| height[r as usize]).max().unwrap_or(0) as usize;
    // Bodies whose parent is placed, by height; taken from the end, so that what belongs together stays together.
    let mut ready = vec![Vec::new(); highest + 1];
    for &root in roots.iter().rev() {
        ready[height[root as usize] as usize].push(root);
    }
    let mut waiting = roots.len();
    let mut top = highest;
    let mut tiles = Vec::new();
    while waiting > 0 {
        let mut tile = Vec::with_capacity(ROW);
        let mut level = top;
        while tile.len() < ROW {
            match ready[level].pop() {
                Some(id) => tile.push(id),
                None if level == 0 => break,
                None => level -= 1,
            }
        }
        waiting -= tile.len();
        top = level;
        for &id in &tile {
            for child in children(id) {
                let h = height[child as usize] as usize;
                ready[h].push(child);
                top = top.max(h);
                waiting += 1;
            }
        }
        tiles.push(tile);
    }
    tiles
}

/// Sets how many joints each body hangs on.
pub(crate) fn set_depths(parent: &[u32], blocks: &mut [Block], places: &[Place]) {
    let mut depth = vec![1_u32; parent.len()];
    for (id, &parent) in parent.iter().enumerate() {
        if parent != NOBODY {
            depth[id] = 1 + depth[parent as usize];
        }
        let at = places[id];
        let (tile, lane) = super::tile_of(at.slot as usize);
        blocks[at.block as usize].models[tile]
            .depth
            .set(lane, depth[id] as f32);
    }
}

/// Ids of each block: the spine, then treelets in depth-first order, gathered until a block is full.
fn runs(parent: &[u32], family: &Family) -> Vec<Vec<u32>> {
    let n = parent.len();
    let mut size = vec![1_u32; n];
    for (id, &parent) in parent.iter().enumerate().rev() {
        if parent != NOBODY {
            size[parent as usize] += size[id];
        }
    }
    let in_spine = |id: u32| n <= TREELET || size[id as usize] as usize > TREELET;
    let mut runs = vec![Vec::new()];
    for id in depth_first(n, family) {
        if in_spine(id) {
            runs[0].push(id);
            continue;
        }
        let below = parent[id as usize];
        let starts_treelet = below == NOBODY || in_spine(below);
        let last = runs.len() - 1;
        if last == 0 || (starts_treelet && runs[last].len() + size[id as usize] as usize > TREELET)
        {
            runs.push(Vec::new());
        }
        if let Some(run) = runs.last_mut() {
            run.push(id);
        }
    }
    runs
}

/// Ids in depth-first order, children in id order.
fn depth_first(n: usize, family: &Family) -> Vec<u32> {
    let mut order = Vec::with_capacity(n);
    let mut stack = vec![0_u32];
    while let Some(id) = stack.pop() {
        order.push(id);
        let from = stack.len();
        stack.extend(family.children(id));
        stack[from..].reverse();
    }
    order
}
