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
    /// Of each cell that has one after it along all `axes`: what is left in its middle and in those of the seven after it, so that a place between
    /// them is found in one piece of memory.
    corners: Vec<[f32; 8]>,
}

impl Clone for Passage {
    fn clone(&self) -> Self {
        Self {
            area: zeros(self.area.len()),
            left: self.left.clone(),
            corners: self.corners.clone(),
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
            corners: vec![[1.0; 8]; all],
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
            let blocks = tree.standing();
            let shared = blocks.len() > 1 && rayon::current_num_threads() > 1;
            let add = |block: &Block| {
                let adding = Adding {
                    passage: self,
                    block,
                    blades,
                    coming,
                    shared,
                };
                dispatch(tree.isa, adding);
            };
            if shared {
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
        self.gather_corners();
    }

    fn gather_corners(&mut self) {
        let [along, up, side] = self.count;
        for s in 0..side - 1 {
            for u in 0..up - 1 {
                let first = self.cell([0, u, s]);
                let rows = [0, along, along * up, along * up + along].map(|more| {
                    let from = first + more;
                    &self.left[from..from + along]
                });
                for (a, corners) in self.corners[first..][..along - 1].iter_mut().enumerate() {
                    *corners = core::array::from_fn(|i| rows[i / 2][a + i % 2]);
                }
            }
        }
    }

    fn cell(&self, [along, up, side]: [usize; 3]) -> usize {
        (side * self.count[1] + up) * self.count[0] + along
    }

    /// The same of whole numbers that are no integers; those of a grid are small enough to be exact.
    #[inline(always)]
    fn cell_of<T: Vector>(&self, [along, up, side]: [T; 3]) -> T {
        let rows = T::splat(self.count[1] as f32);
        (side * rows + up) * T::splat(self.count[0] as f32) + along
    }

    /// Share that is left at a place, from 0 to 1; between the middles of cells it changes gradually.
    pub(crate) fn at(&self, at: V3<f32>) -> f32 {
        let (cell, parts) = self.between_middles::<f32>(at);
        self.mixed(cell, parts)
    }

    /// The same at sixteen places, times what is there already.
    #[inline(always)]
    pub(crate) fn weaken<T: Vector>(&self, places: &V3<Row>, share: &mut Row) {
        let (mut cells, mut parts) = (Row::ZERO, [Row::ZERO; 3]);
        for at in (0..ROW).step_by(T::WIDTH) {
            let (cell, part) = self.between_middles::<T>(places.load(at));
            cell.store(&mut cells, at);
            for (row, x) in parts.iter_mut().zip(part) {
                x.store(row, at);
            }
        }
        for lane in 0..ROW {
            share.0[lane] *= self.mixed(cells.0[lane], parts.map(|row| row.0[lane]));
        }
    }

    /// The cell before a place along all axes, by middles, and how far it is past that middle, in cells from 0 to 1.
    #[inline(always)]
    fn between_middles<T: Vector>(&self, at: V3<T>) -> (T, [T; 3]) {
        let (mut low, mut parts) = ([T::zero(); 3], [T::zero(); 3]);
        // Closures that hold vectors are not compiled for the instructions of their caller.
        for i in 0..3 {
            let last = T::splat((self.count[i] - 1) as f32);
            let cells = self.cells_along(i, at) - T::of(0.5);
            let cells = cells.max(T::zero()).min(last);
            low[i] = floor(cells).min(last - T::one());
            parts[i] = cells - low[i];
        }
        (self.cell_of(low), parts)
    }

    /// The cell that a place is in.
    #[inline(always)]
    fn around_place<T: Vector>(&self, at: V3<T>) -> T {
        let mut place = [T::zero(); 3];
        for (i, place) in place.iter_mut().enumerate() {
            let last = T::splat((self.count[i] - 1) as f32);
            *place = floor(self.cells_along(i, at).max(T::zero()).min(last));
        }
        self.cell_of(place)
    }

    /// From the corner along an axis, in cells.
    #[inline(always)]
    fn cells_along<T: Vector>(&self, axis: usize, at: V3<T>) -> T {
        let along = splat::<T>(self.axes[axis]).dot(at) - T::splat(self.corner[axis]);
        along * T::splat(1.0 / self.edge)
    }

    #[inline(always)]
    fn mixed(&self, cell: f32, [along, up, side]: [f32; 3]) -> f32 {
        let c = &self.corners[cell as usize];
        let layer = [
            mix(c[0], c[4], side),
            mix(c[1], c[5], side),
            mix(c[2], c[6], side),
            mix(c[3], c[7], side),
        ];
        let row = [mix(layer[0], layer[2], up), mix(layer[1], layer[3], up)];
        mix(row[0], row[1], along)
    }
}

#[inline(always)]
fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// Greatest whole number that is not greater, of numbers from 0 to 2²².
#[inline(always)]
fn floor<T: Vector>(x: T) -> T {
    // Numbers from 2²³ on are whole.
    let whole = T::of(8_388_608.0);
    let nearest = (x + whole) - whole;
    T::select(x.lt(nearest), nearest - T::one(), nearest)
}

/// Adds what the bodies of a block hold to the cells that they are in.
struct Adding<'a, C> {
    passage: &'a Passage,
    block: &'a Block,
    blades: f32,
    coming: &'a C,
    /// Whether other threads add at the same time.
    shared: bool,
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
            let (mut cells, mut areas) = (Row::ZERO, Row::ZERO);
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
                grid.around_place(centre).store(&mut cells, at);
            }
            for lane in lanes(block, tile) {
                let area = &grid.area[cells.0[lane] as usize];
                // A float that is not a number becomes 0.
                let whole = (f64::from(areas.0[lane]) * (1.0 / UNIT)) as u64;
                if self.shared {
                    area.fetch_add(whole, Ordering::Relaxed);
                } else {
                    // A third of the time.
                    area.store(area.load(Ordering::Relaxed) + whole, Ordering::Relaxed);
                }
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
                    corners: vec![[1.0; 8]; all],
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
