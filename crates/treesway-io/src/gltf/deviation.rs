//! How far the vertices of a written tree are from where its bodies take them.

use super::GlbError;
use super::clip::Clip;
use super::mesh::{Paint, Surface, Vertex};
use super::rig::Rig;
use super::watch::Watch;
use rayon::prelude::*;
use treesway::BodyPose;
use treesway::glam::Affine3A;

/// Bins of the distribution, up to [`WIDEST`] of the height.
const BINS: usize = 20_000;
const WIDEST: f32 = 0.2;

/// Distance between where a tree's bodies take a drawn vertex and where the joints of the file do, over all drawn vertices and all frames of
/// the file, m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// Root of the mean square.
    pub rms: f32,
    /// Ninety-nine of a hundred are nearer, to a 100000th of the height.
    pub percentile_99: f32,
    /// Of any vertex in any frame.
    pub largest: f32,
}

/// Frames are measured at once, so many.
const FRAMES_AT_ONCE: usize = 32;

/// Of everything that is drawn, and of the bark alone.
pub(super) struct Deviations {
    pub(super) all: Deviation,
    pub(super) bark: Deviation,
}

/// Measures every vertex in every frame: where the bodies take it from the pose `rest` in which `surfaces` are, and where the joints take its
/// twin in `bound`.
pub(super) fn deviation(
    (surfaces, rest): (&[Surface], &[BodyPose]),
    clip: &Clip,
    (bound, rig): (&[Surface], &Rig),
    height: f32,
    watch: Watch,
) -> Result<Deviations, GlbError> {
    let bin = WIDEST * height / BINS as f32;
    let [mut bark, mut foliage] = [Tally::default(), Tally::default()];
    let frames: Vec<usize> = (0..clip.frames()).collect();
    for some in frames.chunks(FRAMES_AT_ONCE) {
        let tallies: Vec<[Tally; 2]> = some
            .par_iter()
            .map(|&frame| {
                let mut poses = Vec::new();
                clip.poses(frame, &mut poses);
                let bodies = moves(rest.iter().zip(&poses));
                let posed = rig.poses(frame);
                let joints = moves(rig.joints.iter().map(|j| &j.rest).zip(&posed));
                let mut tallies = [Tally::default(), Tally::default()];
                for (surface, (bound, bindings)) in
                    surfaces.iter().zip(bound.iter().zip(&rig.bindings))
                {
                    let tally = &mut tallies[usize::from(surface.paint != Paint::Bark)];
                    let twins = bound.vertices.iter().zip(bindings);
                    for (vertex, (twin, binding)) in surface.vertices.iter().zip(twins) {
                        let wanted = carried(vertex, &bodies);
                        let at = binding.place(|j| joints[j].transform_point3(twin.position));
                        tally.add(wanted.distance(at), bin);
                    }
                }
                tallies
            })
            .collect();
        // In the order of frames, whatever the number of threads.
        for [of_bark, others] in &tallies {
            bark.join(of_bark);
            foliage.join(others);
        }
        let done = some.last().map_or(0, |last| last + 1);
        watch.go_on(done as f32 / frames.len() as f32)?;
    }
    let mut all = bark.clone();
    all.join(&foliage);
    Ok(Deviations {
        all: all.deviation(bin),
        bark: bark.deviation(bin),
    })
}

/// What moves points from rest to each pose.
fn moves<'a>(pairs: impl Iterator<Item = (&'a BodyPose, &'a BodyPose)>) -> Vec<Affine3A> {
    let affine = |p: &BodyPose| Affine3A::from_rotation_translation(p.rotation, p.position);
    let moves = pairs.map(|(rest, now)| affine(now) * affine(rest).inverse());
    moves.collect()
}

fn carried(vertex: &Vertex, bodies: &[Affine3A]) -> treesway::glam::Vec3 {
    let [first, second] = vertex
        .bodies
        .map(|b| bodies[b as usize].transform_point3(vertex.position));
    first.lerp(second, vertex.weight)
}

/// Distances of one or more frames.
#[derive(Clone, Default)]
struct Tally {
    count: u64,
    squares: f64,
    largest: f32,
    /// As far as needed.
    bins: Vec<u64>,
}

impl Tally {
    fn add(&mut self, distance: f32, bin: f32) {
        self.count += 1;
        self.squares += f64::from(distance * distance);
        self.largest = self.largest.max(distance);
        let place = ((distance / bin) as usize).min(BINS);
        if self.bins.len() <= place {
            self.bins.resize(place + 1, 0);
        }
        self.bins[place] += 1;
    }

    fn join(&mut self, other: &Self) {
        self.count += other.count;
        self.squares += other.squares;
        self.largest = self.largest.max(other.largest);
        if self.bins.len() < other.bins.len() {
            self.bins.resize(other.bins.len(), 0);
        }
        for (sum, n) in self.bins.iter_mut().zip(&other.bins) {
            *sum += n;
        }
    }

    fn deviation(&self, bin: f32) -> Deviation {
        Deviation {
            rms: (self.squares / self.count.max(1) as f64).sqrt() as f32,
            percentile_99: self.percentile(0.99, bin),
            largest: self.largest,
        }
    }

    /// Upper end of the bin that the percentile lies in.
    fn percentile(&self, share: f64, bin: f32) -> f32 {
        let below = (share * self.count as f64).ceil() as u64;
        let mut seen = 0;
        for (place, n) in self.bins.iter().enumerate() {
            seen += n;
            if seen >= below {
                return (bin * (place + 1) as f32).min(self.largest);
            }
        }
        self.largest
    }
}
