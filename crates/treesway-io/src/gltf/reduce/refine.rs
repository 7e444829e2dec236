//! Joints that suit the blends they are part of.
//!
//! With all other joints and all weights fixed, the motion of joint j that takes the blends nearest to where they should go is the rigid fit of what
//! the others leave to it, yⱼ = (y − Σᵢ wᵢ xᵢ)/wⱼ, weighted with n wⱼ². Joints take turns.

use super::motion::Motion;
use super::rigid::{Fit, Rigid};
use super::weights::Shares;
use rayon::prelude::*;

/// Turns that every joint takes.
const SWEEPS: usize = 2;

/// For every joint the bundles that follow it, and how much.
pub(super) struct Followers(Vec<Vec<(u32, f32)>>);

impl Followers {
    pub(super) fn of(shares: &[Shares], joints: usize) -> Self {
        let mut followers = vec![Vec::new(); joints];
        for (bundle, shares) in shares.iter().enumerate() {
            for &(joint, share) in shares {
                followers[usize::from(joint)].push((bundle as u32, share));
            }
        }
        Self(followers)
    }

    /// Better motions of all joints, joint by joint and frame by frame as they are given.
    pub(super) fn refine(&self, motion: &Motion, joints: &[Vec<Rigid>]) -> Vec<Vec<Rigid>> {
        let of_frames: Vec<Vec<Rigid>> = (0..motion.frames)
            .into_par_iter()
            .map(|frame| {
                let joints = joints.iter().map(|j| j[frame]).collect();
                self.refine_frame(motion, frame, joints)
            })
            .collect();
        (0..joints.len())
            .map(|j| of_frames.iter().map(|frame| frame[j]).collect())
            .collect()
    }

    fn refine_frame(&self, motion: &Motion, frame: usize, mut joints: Vec<Rigid>) -> Vec<Rigid> {
        let rest = |b: u32| &motion.bundles[b as usize].rest;
        // What is still missing at every bundle.
        let mut missing: Vec<_> = (0..motion.bundles.len())
            .map(|b| motion.wanted(b)[frame])
            .collect();
        for (joint, followers) in joints.iter().zip(&self.0) {
            for &(b, share) in followers {
                let moved = joint.moved(rest(b));
                (0..4).for_each(|k| missing[b as usize][k] -= share * moved[k]);
            }
        }
        for _ in 0..SWEEPS {
            for (joint, followers) in joints.iter_mut().zip(&self.0) {
                let mut fit = Fit::default();
                for &(b, share) in followers {
                    let moved = joint.moved(rest(b));
                    let mut left = missing[b as usize];
                    (0..4).for_each(|k| left[k] = moved[k] + left[k] / share);
                    let count = motion.bundles[b as usize].count;
                    fit.add(count * share * share, rest(b), &left);
                }
                let Some(better) = fit.rigid() else { continue };
                for &(b, share) in followers {
                    let (old, new) = (joint.moved(rest(b)), better.moved(rest(b)));
                    (0..4).for_each(|k| missing[b as usize][k] += share * (old[k] - new[k]));
                }
                *joint = better;
            }
        }
        joints
    }
}
