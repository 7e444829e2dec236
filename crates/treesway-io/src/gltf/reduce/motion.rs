//! Where bundles go in some frames, and how well joints take them there.

use super::bundle::{Bundle, Extent, transforms};
use super::rigid::{Fit, Rigid};
use crate::gltf::clip::Clip;
use rayon::prelude::*;
use treesway::BodyPose;

/// Bundles in some frames of a clip.
pub(super) struct Motion<'a> {
    pub(super) bundles: &'a [Bundle],
    pub(super) frames: usize,
    /// Where each goes: all frames of the first, then of the next.
    wanted: Vec<Extent>,
}

impl<'a> Motion<'a> {
    pub(super) fn new(
        bundles: &'a [Bundle],
        rest: &[BodyPose],
        clip: &Clip,
        frames: &[usize],
    ) -> Self {
        let of_frames: Vec<_> = frames
            .par_iter()
            .map(|&frame| {
                let mut poses = Vec::new();
                clip.poses(frame, &mut poses);
                transforms(rest, &poses)
            })
            .collect();
        let wanted = bundles
            .par_iter()
            .flat_map_iter(|bundle| of_frames.iter().map(|t| bundle.moved(t)))
            .collect();
        Self {
            bundles,
            frames: frames.len(),
            wanted,
        }
    }

    /// Where a bundle goes, frame by frame.
    pub(super) fn wanted(&self, bundle: usize) -> &[Extent] {
        &self.wanted[bundle * self.frames..][..self.frames]
    }

    /// The motion that suits some bundles best; none of no bundles.
    pub(super) fn fit(&self, members: &[u32]) -> Option<Vec<Rigid>> {
        let mut fits = vec![Fit::default(); self.frames];
        for &m in members {
            let bundle = &self.bundles[m as usize];
            for (fit, wanted) in fits.iter_mut().zip(self.wanted(m as usize)) {
                fit.add(bundle.count, &bundle.rest, wanted);
            }
        }
        fits.iter().map(Fit::rigid).collect()
    }

    /// Sum over vertices and frames of the square distance when a joint with this motion carries a bundle, m².
    pub(super) fn error(&self, bundle: usize, joint: &[Rigid]) -> f32 {
        let Bundle { count, rest, .. } = &self.bundles[bundle];
        let pairs = joint.iter().zip(self.wanted(bundle));
        count * pairs.map(|(j, wanted)| j.error(rest, wanted)).sum::<f32>()
    }
}
