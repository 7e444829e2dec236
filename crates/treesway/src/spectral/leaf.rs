//! How leaves flutter (Habel 2009, §7).
//!
//! A leaf samples the wind where it is. Its deflection is linear, u = A x, with which the length correction of a branch (8–10) is a plain rotation by atan A about
//! the base: flap (towards the normal) and sway (towards the side) bend it, twist turns it about its length. A comes from three textures,
//! over the planes xy, yz and xz of the tree, that the wind W is carried over:
//!
//!   A = w_xy A_xy(p − W t) + w_yz A_yz(p − W t) + w_xz A_xz(p − W t),   w_xy = 1 − |W_z|/|W|, …          (24)
//!
//! so that near leaves move alike. Each point of a leaf reads its own A: a leaf does not stay flat. Deviation: the weights are divided by the root of the sum of
//! their squares; as printed, leaves flutter 1.9 times as far in a wind along an axis as in one along the diagonal. Without length correction ([`super::Bending::Simple`])
//! u is added across the leaf as it is, and normals stay.

use super::deform::{Bent, Turn, v3};
use super::model::SpectralFrame;
use super::texture::{MotionTextures, sample};
use crate::math::{Quaternion, V3};

/// Slopes of a leaf now: flap, sway, twist.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flutter([f32; 3]);

/// |W_i|/|W| → weights of the planes xy, yz and xz (24).
pub(super) fn weights(wind: V3<f64>) -> [f32; 3] {
    let size = wind.length();
    if size < 1e-6 {
        return [core::f32::consts::FRAC_1_SQRT_2; 3].map(|w| w * 0.816_496_6);
    }
    let plain = [wind.z, wind.x, wind.y].map(|w| 1.0 - w.abs() / size);
    let norm = libm::sqrt(plain.iter().map(|w| w * w).sum());
    plain.map(|w| (w / norm) as f32)
}

impl Flutter {
    /// At a place of the tree at rest.
    #[inline]
    pub(super) fn at(textures: &MotionTextures, frame: &SpectralFrame, place: V3<f32>) -> Self {
        let q = place * frame.leaf_scale + v3(frame.leaf_offset);
        let mut sum = [0.0; 3];
        for (i, at) in [[q.x, q.y], [q.y, q.z], [q.x, q.z]].into_iter().enumerate() {
            let noise = sample(&textures.leaves[i], textures.size, at);
            for k in 0..3 {
                sum[k] += frame.leaf_weights[i] * noise[k];
            }
        }
        Self(sum.map(|a| a * frame.flutter))
    }

    /// Twist first, then flap and sway, about the base of the leaf.
    #[inline]
    pub(super) fn bend(&self, base: V3<f32>, turn: Quaternion<f32>, p: Bent) -> Bent {
        let [twist, bend] = self.turns(turn);
        let apply = |v: V3<f32>| bend.apply(twist.apply(v));
        Bent {
            position: base + apply(p.position - base),
            normal: apply(p.normal),
            tangent: apply(p.tangent),
        }
    }

    /// The same without keeping its length, and with the normal as it is at rest.
    #[inline]
    pub(super) fn shear(&self, base: V3<f32>, turn: Quaternion<f32>, p: Bent) -> Bent {
        let [flap, sway, twist] = self.0;
        let axes = turn.matrix();
        let arm = p.position - base;
        let reach = arm.dot(axes.z);
        let moved = axes.y * (flap * reach + twist * arm.dot(axes.x)) + axes.x * (sway * reach);
        Bent {
            position: p.position + moved,
            ..p
        }
    }

    /// The same as [`Flutter::bend`], as one rotation.
    pub(super) fn rotation(&self, turn: Quaternion<f32>) -> Quaternion<f32> {
        let [twist, bend] = self.turns(turn);
        bend.quaternion().times(twist.quaternion())
    }

    #[inline]
    fn turns(&self, turn: Quaternion<f32>) -> [Turn; 2] {
        let [flap, sway, twist] = self.0;
        let axes = turn.matrix();
        let slope = (flap * flap + sway * sway).sqrt();
        let towards = (axes.y * flap + axes.x * sway) * (1.0 / slope.max(1e-9));
        [
            Turn::by_slope(axes.x, axes.y, twist),
            Turn::by_slope(axes.z, towards, slope),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rng;
    use crate::spectral::spectrum::Response;
    use crate::spectral::texture::leaf_layer;

    #[test]
    fn near_leaves_move_alike() {
        let (size, texel) = (128_u32, 0.05);
        let response = Response {
            frequency: 1.0,
            damping_ratio: 0.1,
            wind_speed: 5.0,
            gust_length: 1.0,
            sail: 0.0,
        };
        let mut rng = Rng::new(1, 1);
        let textures = MotionTextures {
            size,
            leaves: [(); 3].map(|()| leaf_layer(size, texel, &response, &mut rng)),
            leaf_texel: texel as f32,
            ..Default::default()
        };
        let frame = SpectralFrame {
            leaf_scale: 1.0 / (size as f32 * texel as f32),
            leaf_weights: weights(V3 {
                x: 4.0,
                y: 0.3,
                z: 2.0,
            }),
            flutter: 1.0,
            size,
            ..Default::default()
        };
        // A leaf is two texels long, the shortest wave four leaves.
        let correlation = |apart: f32| {
            let (mut both, mut own) = (0.0, 0.0);
            for i in 0..4000 {
                let p = V3 {
                    x: 0.37 * i as f32,
                    y: 0.21 * (i % 71) as f32,
                    z: 0.53 * (i % 37) as f32,
                };
                let [a, b] = [
                    p,
                    p + V3 {
                        x: apart,
                        y: 0.0,
                        z: 0.0,
                    },
                ]
                .map(|p| Flutter::at(&textures, &frame, p).0[0]);
                both += a * b;
                own += 0.5 * (a * a + b * b);
            }
            (both / own, own / 4000.0)
        };
        let (near, power) = correlation(0.05);
        let (far, _) = correlation(1.5);
        println!("half a leaf apart {near:.3}, fifteen leaves apart {far:.3}, power {power:.3}");
        assert!(near > 0.85 && far.abs() < 0.35, "{near} {far}");
        assert!((power - 1.0).abs() < 0.3, "{power}");
    }

    #[test]
    fn weights_favour_the_planes_that_the_wind_lies_in() {
        let [xy, yz, xz] = weights(V3 {
            x: 5.0,
            y: 0.0,
            z: 0.0,
        });
        assert!(yz == 0.0 && (xy - xz).abs() < 1e-6 && (xy * xy + xz * xz - 1.0).abs() < 1e-6);
    }
}
