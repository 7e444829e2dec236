//! Which trees of a crowd are seen, and at which level of detail: on the CPU, each frame.
//!
//! A level is chosen by the height s of the tree on the screen in pixels. Below the least size b of a level the next one takes over within a band,
//! b > s > b/[`BAND`]: the share (ln s − ln(b/BAND)) / ln BAND of the pixels still shows the finer one.

use crate::camera::Camera;
use crate::settings::Quality;
use bytemuck::{Pod, Zeroable};
use core::ops::Range;
use treesway::glam::{Vec3, Vec4};
use treesway_skin::Plant;

/// Levels of detail, the last one the impostor.
pub const LEVELS: usize = 4;

/// How much smaller than the least size of its level a tree is when it has gone over to the next one.
const BAND: f32 = 1.25;

/// A tree as the GPU reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct PlantOnGpu {
    /// m.
    pub(crate) place: [f32; 3],
    pub(crate) size: f32,
    /// Cosine and sine of the yaw.
    pub(crate) turn: [f32; 2],
    /// How far its motion is ahead, s.
    pub(crate) lag: f32,
    /// Pixels on which it is shown: those whose random number is below it; if negative, those not below its amount.
    pub(crate) fade: f32,
}

const _: () = assert!(size_of::<PlantOnGpu>() == 32);

/// Sorts a crowd.
pub(super) struct Sorter {
    plants: Vec<Plant>,
    /// Cosine and sine of every yaw.
    turns: Vec<[f32; 2]>,
    /// Middle of each tree and the radius of the sphere around it, m.
    spheres: Vec<Vec4>,
    /// Height of each tree, m.
    heights: Vec<f32>,
    /// Least size of each level but the last, pixels.
    least: [f32; LEVELS - 1],
    /// What is drawn, by species, then by level. Kept, so that no frame allocates.
    buckets: Vec<Vec<PlantOnGpu>>,
    sorted: Vec<PlantOnGpu>,
}

impl Sorter {
    /// For trees of species that fill boxes, m.
    ///
    /// # Panics
    /// If a plant is of a species that has no box.
    pub(super) fn new(mut plants: Vec<Plant>, boxes: &[[Vec3; 2]], quality: Quality) -> Self {
        // Of one species together: neighbours in memory are neighbours in what is drawn.
        plants.sort_by_key(|p| p.species);
        let sphere = |p: &Plant| {
            let [least, most] = boxes[p.species as usize];
            // It turns about its anchor, and bends out of its box.
            let reach = least.abs().max(most.abs());
            let across = (reach.x * reach.x + reach.z * reach.z).sqrt();
            let half = 0.5 * (most.y - least.y);
            let middle = p.position + Vec3::Y * (p.size * 0.5 * (most.y + least.y));
            middle.extend(1.1 * p.size * (across * across + half * half).sqrt())
        };
        let height = |p: &Plant| p.size * boxes[p.species as usize][1].y;
        Self {
            turns: plants.iter().map(|p| [p.yaw.cos(), p.yaw.sin()]).collect(),
            spheres: plants.iter().map(sphere).collect(),
            heights: plants.iter().map(height).collect(),
            least: least(quality),
            buckets: vec![Vec::new(); boxes.len() * LEVELS],
            sorted: Vec::with_capacity(2 * plants.len()),
            plants,
        }
    }

    /// Most trees that a frame draws, those that fade counted twice.
    pub(super) fn most(&self) -> usize {
        2 * self.plants.len()
    }

    pub(super) fn bounds(&self) -> [Vec3; 2] {
        crate::model::around(self.spheres.iter().flat_map(|s| {
            let reach = Vec3::splat(s.w);
            [s.truncate() - reach, s.truncate() + reach]
        }))
    }

    /// What is drawn of a crowd in a picture of that size, by species, then by level.
    pub(super) fn sort(&mut self, camera: &Camera, size: [u32; 2], seconds: f64) -> &[PlantOnGpu] {
        for bucket in &mut self.buckets {
            bucket.clear();
        }
        let planes = planes(camera, size);
        let pixels = size[1] as f32 / (2.0 * (0.5 * camera.fov_deg.to_radians()).tan());
        for (i, plant) in self.plants.iter().enumerate() {
            let sphere = self.spheres[i];
            let middle = sphere.truncate();
            if planes
                .iter()
                .any(|p| p.truncate().dot(middle) + p.w < -sphere.w)
            {
                continue;
            }
            let on_screen = pixels * self.heights[i] / middle.distance(camera.eye).max(1e-3);
            let level = self.least.iter().position(|&b| on_screen * BAND > b);
            let level = level.unwrap_or(LEVELS - 1);
            let drawn = |fade| PlantOnGpu {
                place: plant.position.to_array(),
                size: plant.size,
                turn: self.turns[i],
                lag: (f64::from(plant.phase) + seconds * f64::from(plant.jitter)) as f32,
                fade,
            };
            let first = plant.species as usize * LEVELS;
            match self.least.get(level) {
                Some(&b) if on_screen < b => {
                    let share = (on_screen * BAND / b).ln() / BAND.ln();
                    self.buckets[first + level].push(drawn(share));
                    self.buckets[first + level + 1].push(drawn(-share));
                }
                _ => self.buckets[first + level].push(drawn(1.0)),
            }
        }
        self.sorted.clear();
        for bucket in &self.buckets {
            self.sorted.extend_from_slice(bucket);
        }
        &self.sorted
    }

    /// Where the trees of a species and level are in what was sorted.
    pub(super) fn range(&self, species: usize, level: usize) -> Range<u32> {
        let which = species * LEVELS + level;
        let before = self.buckets[..which].iter().map(Vec::len).sum::<usize>() as u32;
        before..before + self.buckets[which].len() as u32
    }

    /// Trees at each level.
    pub(super) fn drawn(&self) -> [u32; LEVELS] {
        core::array::from_fn(|level| {
            let of_level = self.buckets.iter().skip(level).step_by(LEVELS);
            of_level.map(|b| b.len() as u32).sum()
        })
    }
}

/// Least size of each level but the last, pixels.
fn least(quality: Quality) -> [f32; LEVELS - 1] {
    match quality {
        Quality::Low => [420.0, 190.0, 75.0],
        Quality::Medium | Quality::High => [520.0, 220.0, 90.0],
    }
}

/// Greatest size that each mesh is made for, pixels: where the next finer one begins; the finest for a tree that fills a screen.
pub(super) fn sizes(quality: Quality) -> [f32; LEVELS - 1] {
    let [finest, middle, _] = least(quality);
    let finer = match quality {
        Quality::Low => 0.6,
        Quality::Medium => 1.1,
        Quality::High => 1.5,
    };
    // The coarsest, with the fewest and largest leaves, is seen most: in low quality, too, they are to be no larger than sprays look.
    [
        2.0 * finest * finer,
        finest * finer,
        middle * finer.max(0.9),
    ]
}

/// Planes at the left, right, lower and upper edge and through the eye, their normals inward.
fn planes(camera: &Camera, size: [u32; 2]) -> [Vec4; 5] {
    let rows = camera
        .clip_from_world(size[0] as f32 / size[1] as f32)
        .transpose();
    let edges = [
        rows.w_axis + rows.x_axis,
        rows.w_axis - rows.x_axis,
        rows.w_axis + rows.y_axis,
        rows.w_axis - rows.y_axis,
        rows.w_axis,
    ];
    edges.map(|p| p / p.truncate().length())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: [Vec3; 2] = [Vec3::new(-3.0, 0.0, -3.0), Vec3::new(3.0, 10.0, 3.0)];

    fn at(position: Vec3) -> Plant {
        Plant {
            position,
            size: 1.0,
            ..Plant::default()
        }
    }

    fn camera() -> Camera {
        Camera {
            eye: Vec3::new(0.0, 5.0, 0.0),
            target: Vec3::new(0.0, 5.0, -1.0),
            fov_deg: 40.0,
            roll_deg: 0.0,
        }
    }

    #[test]
    fn shares_of_two_levels_make_one_tree() {
        for step in 0..400 {
            let distance = 4.0 + step as f32;
            let plants = vec![at(Vec3::new(0.0, 0.0, -distance))];
            let mut sorter = Sorter::new(plants, &[BOX], Quality::Medium);
            let fades: Vec<f32> = sorter
                .sort(&camera(), [1280, 720], 0.0)
                .iter()
                .map(|p| p.fade)
                .collect();
            match fades[..] {
                [one] => assert_eq!(one, 1.0),
                // One below the share, the other from it on.
                [fine, coarse] => assert!(fine == -coarse && (0.0..=1.0).contains(&fine)),
                _ => panic!("{fades:?}"),
            }
        }
    }

    #[test]
    fn what_is_seen_is_drawn_and_what_is_behind_is_not() {
        let plants = vec![
            at(Vec3::new(0.0, 0.0, -50.0)),
            at(Vec3::new(0.0, 0.0, 50.0)),
            at(Vec3::new(400.0, 0.0, -50.0)),
            // Only a branch reaches into the picture.
            at(Vec3::new(34.0, 0.0, -50.0)),
        ];
        let mut sorter = Sorter::new(plants, &[BOX], Quality::Medium);
        let mut seen: Vec<f32> = sorter
            .sort(&camera(), [1280, 720], 0.0)
            .iter()
            .map(|p| p.place[0])
            .collect();
        // A tree between two levels is drawn by both.
        seen.dedup();
        assert_eq!(seen.len(), 2, "{seen:?}");
        assert!(seen.contains(&0.0) && seen.contains(&34.0));
    }

    #[test]
    fn ranges_follow_each_other() {
        let plant = |i: u32| Plant {
            species: i % 3,
            ..at(Vec3::new(i as f32 % 20.0 - 10.0, 0.0, -(i as f32)))
        };
        let mut sorter = Sorter::new((0..500).map(plant).collect(), &[BOX; 3], Quality::Low);
        let sorted = sorter.sort(&camera(), [640, 360], 3.0).len() as u32;
        let mut end = 0;
        for species in 0..3 {
            for level in 0..LEVELS {
                let range = sorter.range(species, level);
                assert_eq!(range.start, end);
                end = range.end;
            }
        }
        assert_eq!(end, sorted);
        assert_eq!(sorter.drawn().iter().sum::<u32>(), sorted);
    }
}
