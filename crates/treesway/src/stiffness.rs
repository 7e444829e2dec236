//! Masses, springs and dampers from geometry and [`TreeParams`].
//!
//! A joint stands for the wood between the middles of the two bodies it connects: series half-cells,
//!
//!   1/k_bend = a/(E I_p) + ℓ_c/(2 E I_c),   k_twist = 2 (G/E) k_bend   (I = π r⁴/4, J = 2 I)
//!
//! with a from the parent's middle to the attachment (at the base of the tree only the child's half). Both sections are taken
//! *at the joint*: the sag of a tapered beam is then the trapezoidal rule of beam theory, 0.2 to 1.0 per n² off for n
//! segments; integrating 1/I exactly over the half-cells is worse, 1.3 to 2.0 per n², because the moment is sampled
//! at the joint all the same (`docs/THEORY.md`).

use crate::block::{Block, Sizes, tile_of};
use crate::desc::{BodyDesc, BodyKind, Shape};
use crate::math::V3;
use crate::math::simd::Rows;
use crate::params::{Curves, GravityPose, Override, TreeParams};
use glam::Vec3;

/// Compliance per modulus of the half-cells on both sides of a joint, m⁻³; 0 for leaves, whose springs follow from a frequency.
pub(crate) fn flex(body: &BodyDesc, parent: Option<&BodyDesc>) -> f64 {
    match body.shape {
        Shape::Segment { length, base, .. } => {
            let below = parent.map_or(0.0, |p| parent_flex(p, body.along_parent.into()));
            let own = 0.5 * f64::from(length) / second_moment(base.into());
            (below + own) / f64::from(body.stiffening)
        }
        Shape::Leaf { .. } => 0.0,
        Shape::Fruit {
            radius,
            stem_length,
            stem_radius,
        } => {
            let bending = if stem_length > 0.0 {
                stem_length
            } else {
                radius
            };
            f64::from(bending) / second_moment(stem_radius.into())
        }
    }
}

/// From the parent's middle to the attachment `along` metres from its joint.
fn parent_flex(parent: &BodyDesc, along: f64) -> f64 {
    let Shape::Segment { length, base, tip } = parent.shape else {
        return 0.0;
    };
    let (length, base, tip) = (f64::from(length), f64::from(base), f64::from(tip));
    let at = (along / length).clamp(0.0, 1.0);
    (at - 0.5).abs() * length / second_moment(base + (tip - base) * at)
}

/// I = π r⁴/4, m⁴.
fn second_moment(radius: f64) -> f64 {
    core::f64::consts::FRAC_PI_4 * radius.powi(4)
}

/// Which override holds for each body, by id; `u32::MAX` for none. The nearest one below wins, the later of two on one body.
pub(crate) fn override_of(overrides: &[Override], parent: &[u32]) -> Vec<u32> {
    let mut of = vec![u32::MAX; parent.len()];
    for (i, o) in overrides.iter().enumerate() {
        of[o.body.index()] = i as u32;
    }
    for id in 1..of.len() {
        if of[id] == u32::MAX {
            of[id] = of[parent[id] as usize];
        }
    }
    of
}

/// Masses and inertias of a block.
pub(crate) fn weigh(block: &mut Block, params: &TreeParams) {
    for slot in block.slots() {
        let density = match block.model(slot).kind() {
            BodyKind::Segment => params.wood.density,
            BodyKind::Leaf => params.leaf.density,
            BodyKind::Fruit => params.fruit.density,
        };
        let sizes = block.sizes(slot);
        let (tile, lane) = tile_of(slot);
        block.models[tile].mass.set(lane, sizes.volume * density);
        block.models[tile]
            .inertia
            .set(lane, sizes.unit_inertia * density);
    }
}

/// Springs and dampers of a block; needs masses and gravity torques.
pub(crate) fn tune(block: &mut Block, params: &TreeParams, override_of: &[u32]) {
    for slot in block.slots() {
        let chosen = override_of
            .get(block.id(slot) as usize)
            .and_then(|&o| params.overrides.get(o as usize));
        let curves = chosen.map_or(&params.curves, |o| &o.curves);
        let (model, sizes) = (block.model(slot), block.sizes(slot));
        let (stiffness, beta) = match model.kind() {
            BodyKind::Segment => segment(&sizes, params, curves),
            BodyKind::Leaf => {
                let own = chosen.map_or(Vec3::ONE, |o| o.leaf_stiffness);
                leaf(model.inertia, params, own)
            }
            BodyKind::Fruit => fruit(&sizes, params),
        };
        let rest = match params.gravity_pose {
            GravityPose::Unloaded => V3::zero(),
            GravityPose::Held => rest_angle(stiffness, sizes.gravity_torque),
        };
        let (tile, lane) = tile_of(slot);
        let tile = &mut block.models[tile];
        tile.stiffness.set(lane, stiffness);
        tile.beta.set(lane, beta);
        tile.rest.set(lane, rest);
    }
}

/// θ₀ = −K⁻¹ τ: the spring that holds the given pose against the torque. A joint without stiffness holds nothing.
fn rest_angle(stiffness: V3<f32>, torque: V3<f32>) -> V3<f32> {
    let angle = |k: f32, t: f32| if k > 0.0 { -t / k } else { 0.0 };
    V3 {
        x: angle(stiffness.x, torque.x),
        y: angle(stiffness.y, torque.y),
        z: angle(stiffness.z, torque.z),
    }
}

fn segment(m: &Sizes<f32>, params: &TreeParams, curves: &Curves) -> (V3<f32>, f32) {
    let wood = &params.wood;
    let radius = m.size.y;
    let physical = wood.youngs_modulus / m.flex;
    let reach = params.forks.reach_radii * radius;
    let near_fork = (1.0 - m.from_fork / reach).max(0.0);
    let factor =
        (1.0 + (params.forks.factor - 1.0) * near_fork) * params.multipliers.branch_stiffness;
    let bend = curves.bend.apply(radius, physical) * factor;
    let twist = curves
        .twist
        .apply(radius, physical * 2.0 * wood.shear_ratio)
        * factor;
    let beta = curves.damping.apply(radius, wood.damping_beta) * params.multipliers.branch_damping;
    (
        V3 {
            x: bend,
            y: bend,
            z: twist,
        },
        beta,
    )
}

/// k = J (2π f)² about each axis of the joint.
fn leaf(inertia: V3<f32>, params: &TreeParams, own: Vec3) -> (V3<f32>, f32) {
    let leaf = &params.leaf;
    let hz = V3 {
        x: leaf.flap_hz,
        y: leaf.sway_hz,
        z: leaf.twist_hz,
    };
    let omega = hz * core::f32::consts::TAU;
    let physical = inertia.times(omega.times(omega));
    let stiffness = physical.times(own.into()) * params.multipliers.leaf_stiffness;
    (
        stiffness,
        leaf.damping_beta * params.multipliers.leaf_damping,
    )
}

fn fruit(m: &Sizes<f32>, params: &TreeParams) -> (V3<f32>, f32) {
    let bend = params.fruit.stem_modulus / m.flex * params.multipliers.branch_stiffness;
    let twist = bend * 2.0 * params.wood.shear_ratio;
    (
        V3 {
            x: bend,
            y: bend,
            z: twist,
        },
        params.fruit.damping_beta * params.multipliers.branch_damping,
    )
}
