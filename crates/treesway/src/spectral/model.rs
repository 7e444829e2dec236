//! Everything that moves a tree without state: its branches, what each of them does, and the wind.

use super::deform::{Bent, Map, v3};
use super::leaf::Flutter;
use super::oscillator::along;
use super::settings::{Bending, Stroke, painted};
use super::texture::{MotionTextures, sample};
use super::trajectory::phase;
use crate::math::{Quaternion, V3};
use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};

/// No parent.
pub const NO_BRANCH: u32 = u32::MAX;

/// One branch: the beam and its motion (Table 2 of the paper). What the GPU reads, to the byte.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct SpectralBranch {
    /// o, where it starts at rest, m.
    pub origin: [f32; 3],
    /// L, m.
    pub length: f32,
    /// t, along it, of length one.
    pub axis: [f32; 3],
    /// c₂ of Eq. 7; c₂ + c₄ = 1.
    pub c2: f32,
    /// r, across it, of length one; s = t × r.
    pub side: [f32; 3],
    /// c₄.
    pub c4: f32,
    /// m, texture lengths per second.
    pub motion: [f32; 2],
    /// Where it grows along its parent, 0 to 1.
    pub at_parent: f32,
    /// Its parent, which comes before it; [`NO_BRANCH`] of the trunk.
    pub parent: u32,
    /// Standard deviation of its tip along r and s in the wind it was made for, in its lengths.
    pub amplitude: [f32; 2],
    /// How far that wind holds its tip when it blows across, in its lengths.
    pub push: f32,
    /// Its layer of the motion textures: its level in the hierarchy.
    pub layer: u32,
    /// Where its two strands start in the texture, 0 to 1.
    pub start: [f32; 4],
}

/// Which branch a point belongs to, and where along it: 8 bytes a vertex.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct SpectralVertex {
    /// Index of the branch.
    pub branch: u32,
    /// 0 at its root, 1 at its tip.
    pub x: f32,
}

/// What is the same for all points in a frame; a uniform of the GPU.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct SpectralFrame {
    /// Direction of the wind times its strength over that of the wind the model was made for; space of the tree.
    pub wind: [f32; 3],
    /// Factor on amplitudes.
    pub turbulence: f32,
    /// −W t, texture lengths, 0 to 1.
    pub leaf_offset: [f32; 3],
    /// Texture lengths per m.
    pub leaf_scale: f32,
    /// Of the planes xy, yz and xz (Eq. 24).
    pub leaf_weights: [f32; 3],
    /// Standard deviation of the slope of leaves.
    pub flutter: f32,
    /// [`Bending`]: 0 exact, 1 printed, 2 simple.
    pub bending: u32,
    /// 1 or 2.
    pub strands: u32,
    /// Most levels that are gone through, from the point's own towards the trunk.
    pub depth: u32,
    /// Texels along an edge of the textures.
    pub size: u32,
}

const _: () = {
    assert!(size_of::<SpectralBranch>() == 96);
    assert!(size_of::<SpectralVertex>() == 8);
    assert!(size_of::<SpectralFrame>() == 64);
};

impl SpectralFrame {
    /// How branches bend.
    pub fn bending(&self) -> Bending {
        match self.bending {
            0 => Bending::Exact,
            1 => Bending::Printed,
            _ => Bending::Simple,
        }
    }
}

/// What the branches of a level have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpectralLevel {
    /// How many.
    pub branches: u32,
    /// Mean f_h (geometric), Hz.
    pub frequency: f64,
    /// Mean ζ.
    pub damping_ratio: f64,
    /// Mean size of what the wind blows at, ℓ_s, m.
    pub sail: f64,
}

/// A tree as it moves by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpectralModel {
    /// Parents before children.
    pub branches: Vec<SpectralBranch>,
    /// Own frequency f_h of each, Hz.
    pub frequencies: Vec<f32>,
    /// Trunk first.
    pub levels: Vec<SpectralLevel>,
    /// Of the tree, m.
    pub height: f32,
    /// Where it was painted over.
    pub(super) paint: Vec<Stroke>,
    pub(super) air: super::wind::Course,
}

impl SpectralModel {
    /// Place of both strands of every branch at a time: fract(start + m t), in f64. What is uploaded in a frame.
    pub fn phases(&self, seconds: f64, out: &mut Vec<[f32; 4]>) {
        out.clear();
        out.extend(
            self.branches
                .iter()
                .map(|b| phase(b.start, b.motion, seconds)),
        );
    }

    /// What is the same for all points at a time.
    pub fn frame(&self, seconds: f64) -> SpectralFrame {
        self.air.frame(seconds)
    }

    /// How far the tip of every branch is away now, along r and s, in its lengths (Eq. 11, 18, 19).
    pub fn away(
        &self,
        textures: &MotionTextures,
        frame: &SpectralFrame,
        phases: &[[f32; 4]],
        lag: f32,
        out: &mut Vec<[f32; 2]>,
    ) {
        out.clear();
        let all = self.branches.iter().zip(phases);
        out.extend(all.map(|(branch, phase)| away(branch, textures, frame, *phase, lag)));
    }

    /// Where a point of the surface is; `away` as [`SpectralModel::away`] gave it.
    pub fn bark(
        &self,
        frame: &SpectralFrame,
        away: &[[f32; 2]],
        at: SpectralVertex,
        point: [Vec3; 3],
    ) -> [Vec3; 3] {
        let [position, normal, tangent] = point.map(V3::from);
        let p = self.carried(
            frame,
            away,
            at,
            position,
            Bent {
                position,
                normal,
                tangent,
            },
        );
        [p.position, p.normal, p.tangent].map(Vec3::from)
    }

    /// Where a point of a leaf is, whose base is at `base` and which is turned by `turn` (z along it, y its normal) at rest; with its normal.
    pub fn leaf(
        &self,
        textures: &MotionTextures,
        frame: &SpectralFrame,
        away: &[[f32; 2]],
        at: SpectralVertex,
        leaf: (Vec3, Quat),
        point: [Vec3; 2],
    ) -> [Vec3; 2] {
        let [position, normal] = point.map(V3::from);
        let flutter = Flutter::at(textures, frame, position);
        let (base, turn) = (V3::from(leaf.0), Quaternion::from(leaf.1));
        let at_rest = Bent {
            position,
            normal,
            tangent: normal,
        };
        let bent = match frame.bending() {
            Bending::Simple => flutter.shear(base, turn, at_rest),
            _ => flutter.bend(base, turn, at_rest),
        };
        let p = self.carried(frame, away, at, position, bent);
        [p.position, p.normal].map(Vec3::from)
    }

    /// Own level first, then that of the parent, and so on to the trunk.
    pub(super) fn carried(
        &self,
        frame: &SpectralFrame,
        away: &[[f32; 2]],
        at: SpectralVertex,
        at_rest: V3<f32>,
        mut p: Bent,
    ) -> Bent {
        self.each_level(frame, away, at, |map| p = map.apply(at_rest, p));
        if frame.bending() == Bending::Printed {
            let unit = |v: V3<f32>| v * (1.0 / v.length().max(1e-20));
            p = Bent {
                normal: unit(p.normal),
                tangent: unit(p.tangent),
                ..p
            };
        }
        p
    }

    /// Calls `told` with what each level does to a point, from its own to the trunk.
    pub(super) fn each_level(
        &self,
        frame: &SpectralFrame,
        away: &[[f32; 2]],
        at: SpectralVertex,
        mut told: impl FnMut(&Map),
    ) {
        let (mut index, mut x) = (at.branch, at.x);
        for _ in 0..frame.depth {
            let Some(branch) = self.branches.get(index as usize) else {
                break;
            };
            told(&Map::of(branch, frame.bending(), away[index as usize], x));
            (index, x) = (branch.parent, branch.at_parent);
        }
    }

    /// Where along a branch a point counts as being, 0 to 1.
    pub fn along(&self, branch: u32, point: Vec3) -> SpectralVertex {
        let b = &self.branches[branch as usize];
        SpectralVertex {
            branch,
            x: along(b, point.into()) * painted(&self.paint, point.into()),
        }
    }
}

/// How far the tip of a branch is away (11, 18, 19).
pub(super) fn away(
    branch: &SpectralBranch,
    textures: &MotionTextures,
    frame: &SpectralFrame,
    phase: [f32; 4],
    lag: f32,
) -> [f32; 2] {
    let texels = &textures.layers[branch.layer as usize];
    let [mx, my] = branch.motion.map(|m| m * lag);
    let second = super::trajectory::SECOND_STRAND;
    let mut noise = sample(texels, textures.size, [phase[0] + mx, phase[1] + my]);
    if frame.strands > 1 {
        let more = sample(
            texels,
            textures.size,
            [phase[2] + second * mx, phase[3] + second * my],
        );
        noise = [0, 1].map(|i| (noise[i] + more[i]) * core::f32::consts::FRAC_1_SQRT_2);
    }
    let (side, wind) = (v3(branch.side), v3(frame.wind));
    let other = v3(branch.axis).cross(side);
    let [r, s] = [side, other].map(|d| branch.push * d.dot(wind));
    [
        frame.turbulence * branch.amplitude[0] * noise[0] + r,
        frame.turbulence * branch.amplitude[1] * noise[1] + s,
    ]
}
