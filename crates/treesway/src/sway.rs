//! The first sway frequency of a tree, estimated in five sweeps: cheap enough for every build of millions of bodies.
//!
//! Rayleigh's quotient gives ω² ≤ qᵀ K q / qᵀ M q for any shape q, with M, K of [`crate::modes`]. The shape is q₀ = K⁻¹ τ₀, the bend under a
//! sideways acceleration of the ground with joint torques τ₀, then q₁ = K⁻¹ M q₀, which is nearer to the slowest mode; the smaller quotient
//! counts. It is from above and within a few per cent. Both sideways directions go through the tree together, 64 bytes per body.

use crate::block::Block;
use crate::desc::BodyId;
use crate::math::{Quaternion, V3};
use crate::root::RootKind;
use crate::tree::Tree;

/// The directions of the acceleration, x and z.
const SIDEWAYS: usize = 2;

/// A body in the given pose.
#[derive(Clone, Copy)]
struct Part {
    parent: u32,
    /// World from joint frame.
    turn: Quaternion<f32>,
    /// From the parent's joint to this one, m, joint frame.
    arm: V3<f32>,
    mass: f32,
    com_z: f32,
    /// About the joint, kg·m².
    inertia: V3<f32>,
    /// K⁻¹, rad/(N·m); zero for a joint that does not turn.
    soft: V3<f32>,
}

const _: () = assert!(size_of::<Part>() == 64);

/// Angular acceleration and that of the joint, or moment about the joint and force; world axes.
#[derive(Clone, Copy)]
struct Pair {
    about: V3<f32>,
    along: V3<f32>,
}

impl Pair {
    const ZERO: Self = {
        let zero = V3 {
            x: 0.0,
            y: 0.0,
            z: 0.0,
        };
        Self {
            about: zero,
            along: zero,
        }
    };
}

type Both<T> = [T; SIDEWAYS];

/// A tree and the torques in its joints.
struct Bend {
    parts: Vec<Part>,
    /// By joint, N·m, joint frame.
    torques: Vec<Both<V3<f32>>>,
    motions: Vec<Both<Pair>>,
    loads: Vec<Both<Pair>>,
}

impl Tree {
    /// An estimate of the first angular frequency, rad/s; infinite where nothing sways.
    pub(crate) fn first_sway_estimate(&self) -> f64 {
        let mut bend = Bend::of(self);
        bend.push();
        let slowest = bend.settle().max(bend.settle());
        1.0 / slowest.sqrt()
    }
}

impl Bend {
    fn of(tree: &Tree) -> Self {
        let mut parts: Vec<Part> = Vec::with_capacity(tree.moving());
        match &tree.follow {
            None => {
                for id in tree.ids() {
                    let parent = tree.parent_of(id).map(BodyId::index);
                    parts.push(part(tree, id, parent, &parts));
                }
            }
            Some(follow) => {
                let index = |id: BodyId| follow.carrier[id.index()] as usize;
                for id in follow.movers.iter().map(|&id| BodyId(id)) {
                    let parent = tree.parent_of(id).map(index);
                    parts.push(part(tree, id, parent, &parts));
                }
                for block in &tree.blocks {
                    block.each_stand_in(|id, model, _| {
                        let parent = index(id);
                        parts.push(Part {
                            parent: parent as u32,
                            turn: parts[parent].turn.times(model.joint_rotation),
                            arm: model.arm,
                            mass: model.mass,
                            com_z: model.com_z,
                            inertia: model.inertia,
                            soft: V3::zero(),
                        });
                    });
                }
            }
        }
        let count = parts.len();
        let zero = V3::zero();
        Self {
            parts,
            torques: vec![[zero; SIDEWAYS]; count],
            motions: vec![[Pair::ZERO; SIDEWAYS]; count],
            loads: vec![[Pair::ZERO; SIDEWAYS]; count],
        }
    }

    /// Torques τ₀ of the sideways accelerations.
    fn push(&mut self) {
        let axes = [[1.0, 0.0], [0.0, 1.0]].map(|[x, z]| Pair {
            about: V3::zero(),
            along: V3 { x, y: 0.0, z },
        });
        self.motions.fill(axes);
        self.carry(|_, _, _| ());
    }

    /// One application of the operator: from torques τ to M K⁻¹ τ. Returns the largest qᵀ M q / qᵀ K q of q = K⁻¹ τ.
    fn settle(&mut self) -> f64 {
        for (i, p) in self.parts.iter().enumerate() {
            let arm = p.turn.rotate(p.arm);
            for k in 0..SIDEWAYS {
                let below = match p.parent {
                    u32::MAX => Pair::ZERO,
                    parent => self.motions[parent as usize][k],
                };
                let q = self.torques[i][k].times(p.soft);
                self.motions[i][k] = Pair {
                    about: below.about + p.turn.rotate(q),
                    along: below.about.cross_plus(arm, below.along),
                };
            }
        }
        // qᵀ M q and qᵀ K q.
        let mut sums = [[0.0_f64; 2]; SIDEWAYS];
        self.carry(|k, q, [before, after]| {
            sums[k][0] += f64::from(q.dot(after));
            sums[k][1] += f64::from(q.dot(before));
        });
        let ratios = sums.map(|[mass, stiffness]| mass / stiffness.max(f64::MIN_POSITIVE));
        ratios[0].max(ratios[1])
    }

    /// Tips to root: the torque in every joint under which its subtree moves as `motions` says. `told` hears direction, q, and the torques
    /// before and after.
    fn carry(&mut self, mut told: impl FnMut(usize, V3<f32>, [V3<f32>; 2])) {
        self.loads.fill([Pair::ZERO; SIDEWAYS]);
        for (i, p) in self.parts.iter().enumerate().rev() {
            let axes = p.turn.matrix();
            let arm = axes.apply(p.arm);
            let moment = axes.z * (p.mass * p.com_z);
            for k in 0..SIDEWAYS {
                let (Pair { about, along }, carried) = (self.motions[i][k], self.loads[i][k]);
                let spun = axes.apply(axes.apply_transposed(about).times(p.inertia));
                let load = Pair {
                    about: carried.about + moment.cross_plus(along, spun),
                    along: carried.along + about.cross_plus(moment, along * p.mass),
                };
                let (before, after) = (self.torques[i][k], axes.apply_transposed(load.about));
                told(k, before.times(p.soft), [before, after]);
                self.torques[i][k] = after;
                if p.parent != u32::MAX {
                    let below = &mut self.loads[p.parent as usize][k];
                    below.about += arm.cross_plus(load.along, load.about);
                    below.along += load.along;
                }
            }
        }
    }
}

fn part(tree: &Tree, id: BodyId, parent: Option<usize>, parts: &[Part]) -> Part {
    let (block, slot): (&Block, usize) = tree.slot(id);
    let model = block.model(slot);
    let below = parent.map_or(tree.anchor.rotation.narrow(), |p| parts[p].turn);
    let turn = below.times(model.joint_rotation).renormalised();
    // A body that has left weighs nothing, and its joint does not turn.
    let there = tree.is_attached(id);
    let turns = there && (parent.is_some() || tree.root_kind() == RootKind::Clamped);
    let weight = if there { 1.0 } else { 0.0 };
    // A joint without a spring has no frequency: it is left out.
    let soft = |k: f32| if turns && k > 0.0 { 1.0 / k } else { 0.0 };
    Part {
        parent: parent.map_or(u32::MAX, |p| p as u32),
        turn,
        arm: model.arm,
        mass: weight * model.mass,
        com_z: model.com_z,
        inertia: model.inertia * weight,
        soft: model.stiffness.map(soft),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Branch, CutOptions, Skeleton, Tree, TreeOptions, cut};
    use glam::Vec3;

    /// Above the true frequency, never by more than a few per cent.
    #[test]
    fn estimate_is_from_above_and_close() {
        let trunk = Branch::trunk([(Vec3::ZERO, 0.10), (Vec3::Y * 4.0, 0.03)]);
        let limbs = (1..8).map(|i| {
            let at = 0.5 * i as f32;
            let aside = [Vec3::X, Vec3::Z, -Vec3::X, -Vec3::Z][i % 4];
            let from = Vec3::Y * at;
            Branch::on(0, at, [(from, 0.03), (from + aside + Vec3::Y, 0.006)])
        });
        let skeleton = Skeleton {
            branches: core::iter::once(trunk).chain(limbs).collect(),
            ..Skeleton::default()
        };
        let bodies = cut(&skeleton, &CutOptions::default()).expect("the skeleton can be cut");
        let tree = Tree::build(&bodies, TreeOptions::default()).expect("the tree is valid");
        let exact = core::f64::consts::TAU * tree.first_frequency();
        let ratio = tree.first_sway_estimate() / exact;
        assert!((0.9999..1.03).contains(&ratio), "{ratio}");
    }
}
