//! What gets through crowns: wind along its direction, rain and snow from above.
//!
//! Space is a grid of cells in rows along the direction. The bodies of a cell hold an area against what comes; k is its sum over the section of the cell. Along a
//! row, with the way s in cells and m cells over which what was lost comes back from aside (infinite: never),
//!
//!   du/ds = −k u + (1 − u)/m     so     u(s) = u∞ + (u(0) − u∞) exp(−(k + 1/m) s),   u∞ = (1/m)/(k + 1/m)               (1)
//!
//! the law of Beer and Lambert where m is infinite. Areas are summed as whole numbers, so that their order, and with it the number of threads, does not matter.

use crate::block::Block;
use crate::burden::lanes;
use crate::desc::BodyKind;
use crate::kinematics::{Frame, own_columns};
use crate::math::simd::{BLANK, Kernel, ROW, Row, Rows, Vector, dispatch};
use crate::math::{Real, V3};
use crate::surroundings::splat;
use crate::tree::Tree;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most cells; with more, cells are larger than was asked for.
const MOST_CELLS: f32 = 32_768.0;

/// Areas are counted in these, m².
const UNIT: f64 = 1e-9;

/// A body in the way.
pub(crate) struct Standing<T = f32> {
    /// [`crate::BodyKind`] as a number.
    pub(crate) kind: T,
    pub(crate) mass: T,
    pub(crate) area: T,
    pub(crate) com_z: T,
    pub(crate) axis: V3<T>,
    pub(crate) normal: V3<T>,
    /// How many blades a leaf stands for.
    pub(crate) blades: f32,
}

/// Something that comes, as bodies hold it up.
pub(crate) trait Coming: Sync {
    /// The area that bodies hold against it, m².
    fn held<T: Vector>(&self, bodies: &Standing<T>) -> T;
}

/// What falls from above.
struct Falling;

impl Coming for Falling {
    #[inline(always)]
    fn held<T: Vector>(&self, bodies: &Standing<T>) -> T {
        bodies.level_area()
    }
}

impl<T: Vector> Standing<T> {
    /// Share of a leaf's blades that are held every which way.
    #[inline(always)]
    fn spread(&self) -> f32 {
        1.0 - 1.0 / self.blades.max(1.0)
    }

    /// Area as seen from above, m²; of blades that are held every which way half of it.
    #[inline(always)]
    pub(crate) fn level_area(&self) -> T {
        let below = |kind: BodyKind| self.kind.lt(T::of(f64::from(kind as u8) + 0.5));
        let s = self.spread();
        let flat = T::splat(1.0 - s) * self.normal.y.abs() + T::splat(0.5 * s);
        let sine = (T::one() - self.axis.y * self.axis.y).max(T::zero()).sqrt();
        let share = T::select(below(BodyKind::Leaf), flat, T::one());
        self.area * T::select(below(BodyKind::Segment), sine, share)
    }
}

impl Standing {
    fn is(&self, kind: BodyKind) -> bool {
        BodyKind::of_number(self.kind) == kind
    }

    /// Unit normal of the surface that faces up: of a leaf its upper side, of many leaves between that and up, of wood across its axis.
    pub(crate) fn upward_normal(&self) -> V3<f32> {
        let up = V3::from(glam::Vec3::Y);
        let normal = if self.is(BodyKind::Leaf) {
            let s = self.spread();
            let side = if self.normal.y < 0.0 {
                s - 1.0
            } else {
                1.0 - s
            };
            self.normal * side + up * s
        } else if self.is(BodyKind::Fruit) {
            up
        } else {
            // Snow lies along a branch as steep as the branch.
            let level = up - self.axis * self.axis.y;
            return level * (1.0 / level.length().max(1e-6));
        };
        normal * (1.0 / normal.length().max(1e-6))
    }
}

/// What comes through from above, over all trees of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct FromAbove(Option<Passage>);

impl FromAbove {
    /// Edge of the cells in which bodies are counted, m.
    const CELL: f32 = 0.5;

    /// Counts all bodies again.
    pub(crate) fn meet(&mut self, trees: &[Tree]) {
        let down = V3::from(glam::Vec3::NEG_Y);
        let passage = Passage::around(&mut self.0, trees, down, Self::CELL);
        passage.refresh(trees, f32::INFINITY, &Falling);
    }

    /// Share that reaches a place.
    pub(crate) fn at(&self, at: V3<f32>) -> f32 {
        self.0.as_ref().map_or(1.0, |passage| passage.at(at))
    }
}

/// The share that is left, over all trees of a world.
#[derive(Debug)]
pub(crate) struct Passage {
    /// Unit vectors: the direction and two across it.
    axes: [V3<f32>; 3],
    /// Least corner along these, m.
    corner: [f32; 3],
    /// Of a cell, m.
    edge: f32,
    /// How many trees it was made for.
    trees: usize,
    /// Cells along `axes`; a row along the direction lies in one piece.
    count: [usize; 3],
    /// Of each cell.
    area: Vec<AtomicU64>,
    /// In the middle of each cell.
    left: Vec<f32>,
}

impl Clone for Passage {
    fn clone(&self) -> Self {
        Self {
            area: zeros(self.area.len()),
            left: self.left.clone(),
            ..*self
        }
    }
}

fn zeros(count: usize) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

impl Passage {
    /// A grid around all trees as they stand now; one cell on every side is free. `direction` is a unit vector.
    fn over(trees: &[Tree], direction: V3<f32>, cell: f32) -> Self {
        let steep = direction.y.abs() > 0.9;
        let other = V3::from(if steep { glam::Vec3::X } else { glam::Vec3::Y });
        let up = other - direction * direction.dot(other);
        let up = up * (1.0 / up.length());
        let axes = [direction, up, direction.cross(up)];
        let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for block in trees.iter().flat_map(Tree::standing) {
            for slot in block.slots() {
                let at = block.frame(slot).position;
                for (i, axis) in axes.iter().enumerate() {
                    let along = axis.dot(at);
                    least[i] = least[i].min(along);
                    most[i] = most[i].max(along);
                }
            }
        }
        let size: [f32; 3] = core::array::from_fn(|i| most[i] - least[i]);
        let cells = |edge: f32| size.map(|s| (s / edge).ceil().max(1.0) + 2.0);
        let mut edge = cell;
        while cells(edge).iter().product::<f32>() > MOST_CELLS {
            edge *= 1.1;
        }
        let count = cells(edge).map(|n| n as usize);
        let all = count.iter().product();
        Self {
            axes,
            corner: core::array::from_fn(|i| 0.5 * (least[i] + most[i] - edge * count[i] as f32)),
            edge,
            trees: trees.len(),
            count,
            area: zeros(all),
            left: vec![1.0; all],
        }
    }

    /// The grid of these trees, made where there is none yet.
    pub(crate) fn around<'a>(
        known: &'a mut Option<Self>,
        trees: &[Tree],
        direction: V3<f32>,
        cell: f32,
    ) -> &'a mut Self {
        let other = known.as_ref().is_none_or(|p| p.trees != trees.len());
        if other {
            *known = None;
        }
        known.get_or_insert_with(|| Self::over(trees, direction, cell))
    }

    /// Asks every body for the area that it holds against what comes, m², and follows every row by (1). `mixing` is the way over which what was lost
    /// comes back, m.
    pub(crate) fn refresh(&mut self, trees: &[Tree], mixing: f32, coming: &impl Coming) {
        for tree in trees {
            let blades = tree.params().leaf.blades;
            let add = |block: &Block| {
                let adding = Adding {
                    passage: self,
                    block,
                    blades,
                    coming,
                };
                dispatch(tree.isa, adding);
            };
            let blocks = tree.standing();
            if blocks.len() > 1 && rayon::current_num_threads() > 1 {
                blocks.par_iter().for_each(add);
            } else {
                blocks.iter().for_each(add);
            }
        }
        let mixed = self.edge / mixing;
        let per_section = (UNIT / f64::from(self.edge * self.edge)) as f32;
        // What comes back over half a cell, in parts of what is missing.
        let regained = -Real::exp_m1(-0.5 * mixed);
        let rows = self.area.chunks_mut(self.count[0]);
        for (area, left) in rows.zip(self.left.chunks_mut(self.count[0])) {
            let mut u = 1.0_f32;
            for (area, left) in area.iter_mut().zip(left) {
                let area = core::mem::take(area.get_mut());
                if area == 0 {
                    *left = u + (1.0 - u) * regained;
                    u = *left + (1.0 - *left) * regained;
                    continue;
                }
                let k = area as f32 * per_section;
                let (end, half) = (mixed / (k + mixed), Real::exp(-0.5 * (k + mixed)));
                *left = (u - end) * half + end;
                u = (*left - end) * half + end;
            }
        }
    }

    fn cell(&self, [along, up, side]: [usize; 3]) -> usize {
        (side * self.count[1] + up) * self.count[0] + along
    }

    /// Share that is left at a place, from 0 to 1; between the middles of cells it changes gradually.
    pub(crate) fn at(&self, at: V3<f32>) -> f32 {
        self.between_middles(self.cells_past_middles::<f32>(at))
    }

    /// The same at sixteen places, times what is there already.
    #[inline(always)]
    pub(crate) fn weaken<T: Vector>(&self, places: &V3<Row>, share: &mut Row) {
        let mut cells = [Row::ZERO; 3];
        for at in (0..ROW).step_by(T::WIDTH) {
            let found = self.cells_past_middles::<T>(places.load(at));
            for (row, x) in cells.iter_mut().zip(found) {
                x.store(row, at);
            }
        }
        for lane in 0..ROW {
            share.0[lane] *= self.between_middles(cells.map(|row| row.0[lane]));
        }
    }

    /// In cells from the middle of the first, within the grid.
    #[inline(always)]
    fn cells_past_middles<T: Vector>(&self, at: V3<T>) -> [T; 3] {
        core::array::from_fn(|i| {
            let along = splat::<T>(self.axes[i]).dot(at) - T::splat(self.corner[i]);
            let cells = along / T::splat(self.edge) - T::of(0.5);
            let last = T::splat((self.count[i] - 1) as f32);
            cells.max(T::zero()).min(last)
        })
    }

    #[inline(always)]
    fn between_middles(&self, place: [f32; 3]) -> f32 {
        let mut low = [0; 3];
        let mut part = [0.0; 3];
        for i in 0..3 {
            low[i] = (place[i] as usize).min(self.count[i] - 2);
            part[i] = place[i] - low[i] as f32;
        }
        let first = self.cell(low);
        let (up, side) = (self.count[0], self.count[0] * self.count[1]);
        let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let row = |from: usize| mix(self.left[from], self.left[from + 1], part[0]);
        let layer = |from: usize| mix(row(from), row(from + up), part[1]);
        mix(layer(first), layer(first + side), part[2])
    }
}

/// Adds what the bodies of a block hold to the cells that they are in.
struct Adding<'a, C> {
    passage: &'a Passage,
    block: &'a Block,
    blades: f32,
    coming: &'a C,
}

impl<C: Coming> Kernel for Adding<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let (grid, block) = (self.passage, self.block);
        let mut columns = BLANK;
        for tile in block.tiles() {
            let model = &block.models[tile];
            own_columns::<T>(&block.frames, tile, &mut columns);
            let (mut places, mut areas) = ([Row::ZERO; 3], Row::ZERO);
            for at in (0..ROW).step_by(T::WIDTH) {
                let frame = Frame::<T>::of_columns(&columns, at);
                let axes = frame.rotation.matrix();
                let com_z = model.com_z.load::<T>(at);
                let held = self.coming.held(&Standing {
                    kind: model.kind.load(at),
                    mass: model.mass.load(at),
                    area: model.area.load(at),
                    com_z,
                    axis: axes.z,
                    normal: axes.y,
                    blades: self.blades,
                });
                held.store(&mut areas, at);
                let centre = frame.position + axes.z * com_z;
                for (i, place) in places.iter_mut().enumerate() {
                    let along = splat::<T>(grid.axes[i]).dot(centre);
                    let cells = (along - T::splat(grid.corner[i])) / T::splat(grid.edge);
                    let last = T::splat(grid.count[i] as f32 - 0.5);
                    cells.max(T::zero()).min(last).store(place, at);
                }
            }
            for lane in lanes(block, tile) {
                let cell = grid.cell(places.map(|row| row.0[lane] as usize));
                // A float that is not a number becomes 0.
                let whole = (f64::from(areas.0[lane]) * (1.0 / UNIT)) as u64;
                grid.area[cell].fetch_add(whole, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of cells that all hold the same follows (1), whatever the edge of its cells.
    #[test]
    fn an_even_row_follows_the_closed_form() {
        for (density, mixing) in [(0.4_f32, f32::INFINITY), (0.4, 20.0), (0.0, 20.0)] {
            for edge in [0.25_f32, 1.0] {
                let count = [(8.0 / edge) as usize, 2, 2];
                let all = count.iter().product();
                let mut passage = Passage {
                    axes: [glam::Vec3::X, glam::Vec3::Y, glam::Vec3::Z].map(V3::from),
                    corner: [0.0; 3],
                    edge,
                    trees: 0,
                    count,
                    area: zeros(all),
                    left: vec![1.0; all],
                };
                let each = f64::from(density * edge * edge * edge) / UNIT;
                for area in &passage.area {
                    area.store(each as u64, Ordering::Relaxed);
                }
                passage.refresh(&[], mixing, &Falling);
                let (a, l) = (f64::from(density), 1.0 / f64::from(mixing));
                let end = l / (a + l).max(1e-12);
                for x in [0.5_f32, 2.0, 3.5, 7.5] {
                    let exact = end + (1.0 - end) * (-(a + l) * f64::from(x)).exp();
                    let found = f64::from(passage.at(V3 { x, y: 1.0, z: 0.3 }));
                    // Between middles of cells the curve is a chord.
                    let chord = (a * f64::from(edge)).powi(2) / 8.0;
                    assert!(
                        (found - exact).abs() < chord + 1e-4,
                        "{x}: {found}, {exact}"
                    );
                }
            }
        }
    }
}
