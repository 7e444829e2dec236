//! How much of the sky is seen from a place in the crown, and which way the crown's outside is.
//!
//! Leaves and wood are poured into a coarse grid as what they shade, σ [m² of mean projected area per m³]: a convex body seen from every side
//! alike shows a quarter of its surface (Cauchy), so a blade of one-sided area A adds A/2 and a cylinder πrℓ/2. Light comes through along a
//! ray with exp(−Ω ∫σ ds) (Monsi and Saeki 1953), which is averaged over directions spread evenly over the upper half of the sky.
//! Ω = 0.7: leaves stand in clumps and let more through than evenly spread ones (0.6 to 0.8 in broadleaved stands, Chen et al. 2005).
//!
//! The way out is down the gradient of σ after blurring, so that it follows clumps and not single leaves.

use rayon::prelude::*;
use treesway::glam::{IVec3, Vec3};
use treesway::{BodyPose, Shape, TreeDesc};

/// Cells along the longest side of the crown.
const CELLS: f32 = 36.0;
/// Directions to the sky.
const RAYS: usize = 16;
/// Ω.
const CLUMPING: f32 = 0.7;
/// How often neighbours are averaged before the gradient is taken: a Gaussian of √(12 · 2/7) = 1.85 cells.
const BLURS: usize = 12;

/// A crown as seen from the sky. Places outside of its grid are open.
pub(crate) struct Crown {
    grid: Grid,
    /// Share of the sky seen from the middle of each cell.
    openness: Vec<f32>,
    /// σ, blurred.
    blurred: Vec<f32>,
    /// Middle of what shades, m.
    centre: Vec3,
}

impl Crown {
    /// The crown of bodies in world poses.
    pub(crate) fn new(bodies: &TreeDesc, poses: &[BodyPose]) -> Self {
        let all = || bodies.bodies.iter().zip(poses);
        let (mut least, mut most) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (body, pose) in all() {
            for end in [pose.position, pose.point(Vec3::Z * length(&body.shape))] {
                (least, most) = (least.min(end), most.max(end));
            }
        }
        let grid = Grid::around(least, most);
        let mut shade = vec![0.0; grid.cells()];
        let (mut centre, mut total) = (Vec3::ZERO, 0.0);
        for (body, pose) in all() {
            let (length, area) = (length(&body.shape), shadow(&body.shape));
            // Thick wood is no haze: smeared over a cell it would shade its own bark.
            if let Shape::Segment { base, .. } = body.shape
                && base > 0.05 * grid.size
            {
                continue;
            }
            let parts = (length / grid.size).ceil().max(1.0);
            for part in 0..parts as u32 {
                let at = pose.point(Vec3::Z * (length * (part as f32 + 0.5) / parts));
                for (cell, share) in grid.around_place(grid.place(at)) {
                    shade[cell.expect("within the bounds")] += share * area / parts;
                }
            }
            centre += pose.point(Vec3::Z * (0.5 * length)) * area;
            total += area;
        }
        let volume = grid.size.powi(3);
        shade.iter_mut().for_each(|s| *s /= volume);
        let rays = (0..RAYS).into_par_iter();
        let rays: Vec<Vec<f32>> = rays
            .map(|r| grid.depths(sky_direction(r), &shade))
            .collect();
        let seen = |cell: usize| {
            rays.iter()
                .map(|r| (-CLUMPING * r[cell]).exp())
                .sum::<f32>()
        };
        let cells = (0..grid.cells()).into_par_iter();
        let openness = cells.map(|cell| seen(cell) / RAYS as f32).collect();
        Self {
            blurred: (0..BLURS).fold(shade, |s, _| grid.blurred(&s)),
            grid,
            openness,
            centre: if total > 0.0 {
                centre / total
            } else {
                0.5 * (least + most)
            },
        }
    }

    /// Light from the sky that gets to a place, 0 to 1.
    pub(crate) fn openness(&self, at: Vec3) -> f32 {
        self.grid.read(&self.openness, at, 1.0).min(1.0)
    }

    /// The same just outside of a surface, so that wood does not shade itself.
    pub(crate) fn openness_of_surface(&self, at: Vec3, normal: Vec3) -> f32 {
        self.openness(at + normal * self.grid.size)
    }

    /// Out of the crown from a place, of length one; from the crown's middle where it is equally dense all around.
    pub(crate) fn outward(&self, at: Vec3) -> Vec3 {
        let density = |step: Vec3| {
            self.grid
                .read(&self.blurred, at + step * self.grid.size, 0.0)
        };
        let slope = Vec3::AXES.map(|axis| density(-axis) - density(axis));
        let scale = density(Vec3::ZERO).max(1e-9);
        let from_centre = (at - self.centre) / (self.grid.size * CELLS);
        (Vec3::from(slope) / scale + from_centre).normalize_or(Vec3::Y)
    }
}

/// What a body shades, seen from every side alike, m².
fn shadow(shape: &Shape) -> f32 {
    use core::f32::consts::{FRAC_PI_2, PI};
    match *shape {
        Shape::Segment { length, base, tip } => FRAC_PI_2 * length * 0.5 * (base + tip),
        // A triangle: half of length times width, half of that as mean projection.
        Shape::Leaf { length, width, .. } => 0.25 * length * width,
        Shape::Fruit { radius, .. } => PI * radius * radius,
    }
}

fn length(shape: &Shape) -> f32 {
    match *shape {
        Shape::Segment { length, .. } | Shape::Leaf { length, .. } => length,
        Shape::Fruit {
            radius,
            stem_length,
            ..
        } => stem_length + radius,
    }
}

/// Cubes that fill a box.
struct Grid {
    least: Vec3,
    /// Edge of a cell, m.
    size: f32,
    count: IVec3,
}

impl Grid {
    fn around(least: Vec3, most: Vec3) -> Self {
        let size = ((most - least).max_element() / CELLS).max(1e-3);
        Self {
            // A cell more all around, so that gradients at the edge see the open.
            least: least - size,
            size,
            count: ((most - least) / size).ceil().as_ivec3() + 2,
        }
    }

    fn cells(&self) -> usize {
        self.count.as_usizevec3().element_product()
    }

    fn index(&self, cell: IVec3) -> Option<usize> {
        let inside = cell.cmpge(IVec3::ZERO).all() && cell.cmplt(self.count).all();
        inside.then(|| ((cell.y * self.count.z + cell.z) * self.count.x + cell.x) as usize)
    }

    fn at_index(&self, cell: usize) -> IVec3 {
        let (cell, nx, nz) = (cell as i32, self.count.x, self.count.z);
        IVec3::new(cell % nx, cell / (nx * nz), cell / nx % nz)
    }

    /// In cells, whole numbers at their middles.
    fn place(&self, at: Vec3) -> Vec3 {
        (at - self.least) / self.size - 0.5
    }

    /// The eight cells whose middles surround a place, those that exist, with their shares in it.
    fn around_place(&self, place: Vec3) -> [(Option<usize>, f32); 8] {
        let (low, t) = (place.floor().as_ivec3(), place - place.floor());
        core::array::from_fn(|corner| {
            let corner = corner as i32;
            let high = IVec3::new(corner & 1, corner >> 1 & 1, corner >> 2);
            let share = Vec3::select(high.cmpeq(IVec3::ONE), t, 1.0 - t);
            (self.index(low + high), share.element_product())
        })
    }

    /// Between the middles of cells, `outside` where there is none.
    fn read(&self, values: &[f32], at: Vec3, outside: f32) -> f32 {
        let near = self.around_place(self.place(at)).into_iter();
        near.map(|(cell, share)| share * cell.map_or(outside, |c| values[c]))
            .sum()
    }

    /// ∫σ ds from the middle of each cell along a direction: cells in the order in which light comes to them, each from where the direction
    /// meets the layer before.
    fn depths(&self, way: Vec3, shade: &[f32]) -> Vec<f32> {
        let main = way.abs().max_position();
        let step = way / way[main].abs();
        let half_step = 0.5 * step.length() * self.size;
        let [a, b] = [(main + 1) % 3, (main + 2) % 3];
        // Every cell looks at the same four of the layer before.
        let (low, t) = (step.floor().as_ivec3(), step - step.floor());
        let ahead = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[i, j]| {
            let mut offset = low;
            (offset[a], offset[b]) = (low[a] + i, low[b] + j);
            let share = |t: f32, high: i32| if high == 1 { t } else { 1.0 - t };
            (offset, share(t[a], i) * share(t[b], j))
        });
        let mut depths = vec![0.0; self.cells()];
        for layer in 0..self.count[main] {
            let mut cell = IVec3::ZERO;
            cell[main] = if way[main] > 0.0 {
                self.count[main] - 1 - layer
            } else {
                layer
            };
            for i in 0..self.count[a] {
                for j in 0..self.count[b] {
                    (cell[a], cell[b]) = (i, j);
                    let here = self.index(cell).expect("within the grid");
                    let before = ahead.iter().filter_map(|(offset, share)| {
                        let there = self.index(cell + *offset)?;
                        Some(share * (depths[there] + half_step * shade[there]))
                    });
                    let before: f32 = before.sum();
                    depths[here] = before + half_step * shade[here];
                }
            }
        }
        depths
    }

    fn blurred(&self, values: &[f32]) -> Vec<f32> {
        let cells = (0..values.len()).into_par_iter();
        cells
            .map(|cell| {
                let at = self.at_index(cell);
                let near = |step| self.index(at + step).map_or(0.0, |i| values[i]);
                let around = [IVec3::X, IVec3::Y, IVec3::Z].map(|s| near(s) + near(-s));
                (values[cell] + around.iter().sum::<f32>()) / 7.0
            })
            .collect()
    }
}

/// One of [`RAYS`] directions spread evenly over the upper half of the sky: a spiral by the golden angle.
fn sky_direction(ray: usize) -> Vec3 {
    const GOLDEN_ANGLE: f32 = 2.399_963_2;
    let up = (ray as f32 + 0.5) / RAYS as f32;
    let (sin, cos) = (GOLDEN_ANGLE * ray as f32).sin_cos();
    let flat = (1.0 - up * up).sqrt();
    Vec3::new(flat * cos, up, flat * sin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use treesway::BodyDesc;
    use treesway::glam::Quat;

    /// Leaves of `area` m² each (length one) evenly in a ball of radius 5 m about (0, 10, 0), `n` along its width.
    fn ball(area: f32, n: i32) -> Crown {
        let mut bodies = TreeDesc::default();
        let mut poses = Vec::new();
        let step = 10.0 / n as f32;
        for i in 0..n * n * n {
            let cell = IVec3::new(i % n, i / n % n, i / n / n).as_vec3();
            let position = (cell + 0.5) * step - 5.0;
            if position.length() < 5.0 {
                let shape = Shape::Leaf {
                    length: 1e-3,
                    width: 2e3 * area,
                    thickness: 1e-4,
                };
                bodies
                    .bodies
                    .push(BodyDesc::new(None, shape, position, Quat::IDENTITY));
                let position = position + Vec3::Y * 10.0;
                poses.push(BodyPose {
                    position,
                    rotation: Quat::IDENTITY,
                });
            }
        }
        Crown::new(&bodies, &poses)
    }

    #[test]
    fn ball_is_as_open_as_beer_lambert_says() {
        // 1 m² of leaf in each m³: σ = 0.5. Every way out of the middle is 5 m; from the bottom it is 10 m · cos of the way to the zenith.
        let crown = ball((10.0_f32 / 64.0).powi(3), 64);
        let k = CLUMPING * 0.5;
        let bottom = (1.0 - (-10.0 * k).exp()) / (10.0 * k);
        for (height, expected) in [(10.0, (-5.0 * k).exp()), (5.0, bottom)] {
            let found = crown.openness(Vec3::Y * height);
            // Along the surface the grid blurs over a cell, 0.28 m or a tenth of the optical depth of 1 / k.
            assert!(
                (found - expected).abs() < 0.04,
                "{found} at {height} m, expected {expected}"
            );
        }
    }

    #[test]
    fn openness_grows_towards_the_top_and_is_one_outside() {
        let crown = ball(2e-3, 40);
        let seen = [10.0, 11.0, 12.0, 13.0, 14.0, 15.5].map(|y| crown.openness(Vec3::Y * y));
        assert!(seen.windows(2).all(|w| w[0] < w[1]), "{seen:?}");
        assert!(crown.openness(Vec3::new(30.0, 2.0, 0.0)) > 0.9999);
    }

    #[test]
    fn outward_is_radial_in_a_ball() {
        let crown = ball(2e-3, 40);
        for way in [
            Vec3::X,
            Vec3::NEG_Y,
            Vec3::new(0.6, 0.0, -0.8),
            Vec3::splat(0.577_35),
        ] {
            for distance in [1.0, 3.0, 4.5] {
                let out = crown.outward(Vec3::Y * 10.0 + way * distance);
                assert!(out.dot(way) > 0.9, "{out} at {distance} m along {way}");
                assert!((out.length() - 1.0).abs() < 1e-5);
            }
        }
    }
}
