//! Joints too weak to stand: which they are, and how much stiffer they must be.
//!
//! A tree that holds its given pose (θ₀ = −K⁻¹ τ) is in equilibrium, but not always in a stable one: wood that is too slender for what
//! it carries buckles, as a column does (Greenhill 1881) or a loaded cantilever does sideways (Prandtl 1899). Scans have such wood,
//! because their thinnest radii are guesses, while the trees stood. Here the potential energy of springs and gravity is expanded to
//! second order about the given pose, in the turn ψ of every body in the world, and eliminated from the tips to the root:
//!
//!   V = Σ ½ (ψ − ψ_p)ᵀ K (ψ − ψ_p) + ½ τ·(ψ_p × ψ) + ½ ψᵀ G ψ                                  (1)
//!   G = g (½ (b ŷᵀ + ŷ bᵀ) − b·ŷ 1),   b = m c + Σ_children M_c (x_c − x)                        (2)
//!   τ = g B × ŷ,   B = M (C − x)                                                                  (3)
//!   D = G + Σ_children (K_c − H_c (K_c + D_c)⁻¹ H_cᵀ),   H = −K − ½ [τ]×                          (4)
//!
//! p parent, m, c own mass and centre of mass from the joint x, M, C those of all that the joint carries, K the springs, τ the torque
//! with which they hold, all in the world. The second term of (1) is the order of turns: with it the energy does not change when the
//! tree is turned about the vertical. The pose is stable if K + D is positive definite at every joint.
//!
//! That is asked axis by axis, an axis being the way from a fork to a tip along the heaviest children, side axes before the axis that
//! carries them. An axis is stiff enough if it is stable and what U (a term of the sum in (4)) has beyond that of rigid wood stays below
//! [`SPARE`] g |B|: near its limit wood hands down many times the load that it carries. If it is not, its weakest joints are stiffened, those with the largest
//! share w of load over stiffness, down to the largest common w that is enough. Stronger wood is left alone.

use crate::desc::{BodyId, BodyKind, TreeDesc};
use crate::params::STANDARD_GRAVITY;
use crate::tree::Tree;
use glam::{DMat3, DVec3};

/// How many times its load an axis may add to it by bending. An upright rod then reaches 0.94 of Greenhill's height, a level one 0.99 of
/// Prandtl's length, before anything is done; with 1, even the trunk of a measured tree of Wytham Woods (0.2 Hz) would be stiffened.
const SPARE: f64 = 4.0;

/// What [`brace`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Braced {
    /// How many joints were too weak.
    pub joints: usize,
    /// The largest factor on a stiffness.
    pub most: f64,
}

/// Makes every joint of `desc` stiff enough for the pose of `tree`, which was built from it, to be stable under gravity; build it again if
/// any was not.
pub fn brace(tree: &Tree, desc: &mut TreeDesc) -> Braced {
    let mut braced = Braced {
        joints: 0,
        most: 1.0,
    };
    let Load {
        mut joints,
        heaviest,
    } = Load::of(tree);
    let mut heads: Vec<usize> = (0..joints.len()).filter(|&i| joints[i].wood).collect();
    heads.retain(|&i| joints[i].parent.is_none_or(|p| heaviest[p] != Some(i)));
    // A side axis begins after the body that carries it.
    for &head in heads.iter().rev() {
        let mut axis = vec![head];
        while let Some(next) = heaviest[axis[axis.len() - 1]] {
            axis.push(next);
        }
        let most = strong_enough(&joints, &axis);
        for &i in &axis {
            let factor = joints[i].factor(most);
            if factor > 1.0 {
                desc.bodies[i].stiffening *= factor as f32;
                braced.joints += 1;
                braced.most = braced.most.max(factor);
            }
        }
        if let (Some(p), Some(handed_down)) = (joints[head].parent, condense(&joints, &axis, most))
        {
            joints[p].curvature += handed_down;
        }
    }
    braced
}

/// What a joint carries and what holds it, in the world.
struct Joint {
    parent: Option<usize>,
    /// Whether it may be stiffened; leaves flutter on stalks of their own and count as part of what carries them.
    wood: bool,
    /// kg, of all that it carries.
    mass: f64,
    /// B, kg·m.
    carried: DVec3,
    /// G and what side axes hand down, N·m.
    curvature: DMat3,
    /// Of the springs, N·m/rad, in the body's frame.
    stiffness: DVec3,
    turn: DMat3,
    /// w: load over stiffness.
    share: f64,
}

/// All joints, and the segment with the largest mass that each carries.
struct Load {
    joints: Vec<Joint>,
    heaviest: Vec<Option<usize>>,
}

impl Load {
    fn of(tree: &Tree) -> Self {
        let gravity = f64::from(STANDARD_GRAVITY.length());
        let mut joints: Vec<Joint> = tree.ids().map(|id| Joint::alone(tree, id)).collect();
        let mut heaviest: Vec<Option<usize>> = vec![None; joints.len()];
        for i in (0..joints.len()).rev() {
            let (mass, carried) = (joints[i].mass, joints[i].carried);
            let k = joints[i].stiffness;
            // An upright load works on bending, a level one on bending and twist: √(k_bend k_twist) in Prandtl's formula.
            let level = DVec3::new(carried.x, 0.0, carried.z).length();
            let upright = carried.y.max(0.0);
            joints[i].share = gravity * (upright / k.x + level / (k.x * k.z).sqrt());
            let Some(p) = joints[i].parent else { continue };
            let ids = [p, i].map(|j| tree.pose(BodyId(j as u32)).position.as_dvec3());
            let lever = mass * (ids[1] - ids[0]);
            joints[p].mass += mass;
            joints[p].carried += carried + lever;
            joints[p].curvature += gravity_curvature(lever);
            if !joints[i].wood {
                let own = joints[i].curvature;
                joints[p].curvature += own;
            } else if heaviest[p].is_none_or(|h| mass >= joints[h].mass) {
                heaviest[p] = Some(i);
            }
        }
        Self { joints, heaviest }
    }
}

impl Joint {
    fn alone(tree: &Tree, id: BodyId) -> Self {
        let body = tree.body(id);
        let rotation = body.pose.rotation.as_dquat();
        let mass = f64::from(body.mass);
        let moment = mass * (rotation * body.com_in_body.as_dvec3());
        Self {
            parent: body.parent.map(BodyId::index),
            wood: body.kind == BodyKind::Segment,
            mass,
            carried: moment,
            curvature: gravity_curvature(moment),
            stiffness: body.stiffness.as_dvec3(),
            turn: DMat3::from_quat(rotation),
            share: 0.0,
        }
    }

    /// How much stiffer it gets where no share may be larger than `most`.
    fn factor(&self, most: f64) -> f64 {
        (self.share / most).max(1.0)
    }

    /// K in the world.
    fn springs(&self, most: f64) -> DMat3 {
        let k = self.stiffness * self.factor(most);
        self.turn * DMat3::from_diagonal(k) * self.turn.transpose()
    }

    /// Whether K + D is positive definite, by a hundredth of K.
    fn holds(&self, d: DMat3, most: f64) -> bool {
        let k = self.stiffness * self.factor(most);
        // K^(−½) D K^(−½).
        let root = DMat3::from_diagonal(DVec3::new(k.x.sqrt(), k.y.sqrt(), k.z.sqrt()).recip());
        least_eigenvalue(root * self.turn.transpose() * d * self.turn * root) > -0.99
    }
}

/// G of a moment b, (2).
fn gravity_curvature(b: DVec3) -> DMat3 {
    let tilt = outer(b, DVec3::Y) + outer(DVec3::Y, b);
    let gravity = f64::from(STANDARD_GRAVITY.length());
    (tilt * 0.5 - DMat3::from_diagonal(DVec3::splat(b.y))) * gravity
}

/// The largest share of load over stiffness with which an axis is stiff enough; infinite if it is as it is.
fn strong_enough(joints: &[Joint], axis: &[usize]) -> f64 {
    let rigid = axis
        .iter()
        .fold(DMat3::ZERO, |sum, &i| sum + joints[i].curvature);
    let gravity = f64::from(STANDARD_GRAVITY.length());
    let spare = SPARE * gravity * joints[axis[0]].carried.length();
    let enough = |most: f64| {
        condense(joints, axis, most).is_some_and(|u| least_eigenvalue(u - rigid) >= -spare)
    };
    let largest = axis.iter().map(|&i| joints[i].share).fold(0.0, f64::max);
    // A joint without stiffness is meant to swing.
    if enough(f64::INFINITY) || !largest.is_finite() || largest == 0.0 {
        return f64::INFINITY;
    }
    // Where every share is a millionth, wood is as good as rigid.
    let (mut weak, mut strong) = (largest, largest.min(1.0) * 1e-6);
    for _ in 0..40 {
        let middle = (weak * strong).sqrt();
        *(if enough(middle) {
            &mut strong
        } else {
            &mut weak
        }) = middle;
    }
    strong
}

/// U of the first joint of an axis, (4), from its tip on; none if a joint on the way does not hold.
fn condense(joints: &[Joint], axis: &[usize], most: f64) -> Option<DMat3> {
    let gravity = f64::from(STANDARD_GRAVITY.length());
    let mut handed_down = DMat3::ZERO;
    for &i in axis.iter().rev() {
        let joint = &joints[i];
        let d = joint.curvature + handed_down;
        if !joint.holds(d, most) {
            return None;
        }
        let k = joint.springs(most);
        let torque = gravity * joint.carried.cross(DVec3::Y); // (3)
        let h = (k + skew(torque) * 0.5) * -1.0;
        handed_down = k - h * (k + d).inverse() * h.transpose();
    }
    Some(handed_down)
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// [v]× with [v]× u = v × u.
fn skew(v: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, v.z, -v.y),
        DVec3::new(-v.z, 0.0, v.x),
        DVec3::new(v.y, -v.x, 0.0),
    )
}

/// Of a symmetric matrix, by the trigonometric solution of its characteristic equation (Smith 1961).
fn least_eigenvalue(m: DMat3) -> f64 {
    let mean = (m.x_axis.x + m.y_axis.y + m.z_axis.z) / 3.0;
    let a = m - DMat3::from_diagonal(DVec3::splat(mean));
    let square = a.x_axis.length_squared() + a.y_axis.length_squared() + a.z_axis.length_squared();
    let p = (square / 6.0).sqrt();
    if p == 0.0 {
        return mean;
    }
    let half = 0.5 * (a * (1.0 / p)).determinant();
    let angle = libm::acos(half.clamp(-1.0, 1.0)) / 3.0;
    mean + 2.0 * p * libm::cos(angle + core::f64::consts::TAU / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::{CutOptions, cut};
    use crate::skeleton::{Branch, Skeleton};
    use crate::tree::TreeOptions;
    use glam::Vec3;

    /// A uniform rod from the origin to `tip`, 5 mm in diameter.
    fn rod(tip: Vec3) -> (Tree, TreeDesc) {
        let rod = Branch::trunk([(Vec3::ZERO, 0.0025), (tip, 0.0025)]);
        let skeleton = Skeleton {
            branches: vec![rod],
            ..Skeleton::default()
        };
        let options = CutOptions {
            least_segments: 40,
            most_segments: 40,
            ..CutOptions::default()
        };
        let desc = cut(&skeleton, &options).unwrap();
        (Tree::build(&desc, TreeOptions::default()).unwrap(), desc)
    }

    /// The length, between two, from which on a rod along `direction` is stiffened.
    fn longest(direction: Vec3, mut short: f32, mut long: f32) -> f64 {
        for _ in 0..30 {
            let middle = 0.5 * (short + long);
            let (tree, mut desc) = rod(direction * middle);
            if brace(&tree, &mut desc).joints == 0 {
                short = middle;
            } else {
                long = middle;
            }
        }
        short.into()
    }

    /// E I / (ρ A g) of the rod with the default wood, m³.
    fn stiff_over_heavy() -> f64 {
        8e9 * 0.0025_f64.powi(2) / 4.0 / (800.0 * 9.81)
    }

    #[test]
    fn an_upright_rod_is_braced_before_it_reaches_greenhills_height() {
        let height = (7.8373 * stiff_over_heavy()).cbrt();
        let ours = longest(Vec3::Y, 0.5, 5.0) / height;
        assert!((0.9..1.0).contains(&ours), "{ours} of the critical height");
    }

    #[test]
    fn a_level_rod_is_braced_before_it_buckles_sideways() {
        // (q L)cr = 12.85 √(E I G J)/L² (Timoshenko and Gere), G J = E I/8 with G/E = 1/16.
        let length = (12.85 * (1.0_f64 / 8.0).sqrt() * stiff_over_heavy()).cbrt();
        let ours = longest(Vec3::X, 0.5, 5.0) / length;
        assert!((0.9..1.0).contains(&ours), "{ours} of the critical length");
    }

    #[test]
    fn a_hanging_rod_needs_nothing() {
        let (tree, mut desc) = rod(Vec3::NEG_Y * 50.0);
        assert_eq!(brace(&tree, &mut desc).joints, 0);
    }

    #[test]
    fn what_was_braced_needs_no_more() {
        let (tree, mut desc) = rod(Vec3::new(0.3, 4.0, 0.0));
        let braced = brace(&tree, &mut desc);
        assert!(braced.joints > 0 && braced.most > 1.0, "{braced:?}");
        let stiffer = Tree::build(&desc, TreeOptions::default()).unwrap();
        let again = brace(&stiffer, &mut desc);
        assert!(again.most < 1.0 + 1e-3, "{again:?}");
    }

    #[test]
    fn eigenvalues_are_those_of_known_matrices() {
        // Twice the same value costs half the digits.
        let turn = DMat3::from_quat(glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 2.0));
        for values in [
            [1.0, 2.0, 3.0],
            [-5.0, 0.1, 0.1],
            [2.0, 2.0, 2.0],
            [-1.0, -1.0, 4.0],
        ] {
            let m = turn * DMat3::from_diagonal(values.into()) * turn.transpose();
            let least = values.into_iter().fold(f64::INFINITY, f64::min);
            assert!((least_eigenvalue(m) - least).abs() < 1e-6, "{values:?}");
        }
    }
}
