//! A root that is moved: the tree feels it without fictitious forces.

use crate::beam::{BASE, beam};
use std::sync::Arc;
use treesway::glam::{DVec3, Vec3};
use treesway::{BodyId, RootPose, Solver, World};

const SHAKE: f64 = 0.05; // m
const OMEGA: f64 = 5.0; // rad/s

/// A single clamped segment whose root is shaken across it: J θ̈ + k θ = −m r SHAKE ω² cos ωt for small angles.
#[test]
fn a_single_joint_on_a_shaken_root_moves_as_exact_dynamics_say() {
    let mut tree = beam(1, BASE, Solver::Coupled);
    let mut params = tree.params().clone();
    params.multipliers.branch_stiffness = 0.02;
    tree.set_params(params).unwrap();
    let mut settings = tree.settings().clone();
    settings.substeps = 50;
    tree.set_settings(settings).unwrap();
    let body = tree.body(BodyId(0));
    let arm = f64::from(body.com_in_body.z);
    let mass = f64::from(body.mass);
    let inertia = f64::from(body.inertia.x) + mass * arm * arm;
    let own = f64::from(body.stiffness.x) / inertia;
    let drive = mass * arm * SHAKE * OMEGA * OMEGA / inertia;
    tree.set_motion(Some(Arc::new(|t: f64| RootPose {
        position: DVec3::Y * (SHAKE * (1.0 - (OMEGA * t).cos())),
        ..RootPose::default()
    })));
    let mut world = World::default();
    world.gravity = Vec3::ZERO;
    let tree = world.add(tree);
    // A forced oscillator from rest.
    let frequency = own.sqrt();
    let forced = -drive / (own - OMEGA * OMEGA);
    let exact = |t: f64| forced * ((OMEGA * t).cos() - (frequency * t).cos());
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for _ in 0..90 {
        world.step();
        let axis = world.tree(tree).pose(BodyId(0)).rotation.inverse() * Vec3::Z;
        let angle = f64::from(world.tree(tree).body(BodyId(0)).theta.dot(axis));
        let expected = exact(world.seconds());
        worst = worst.max((angle - expected).abs());
        largest = largest.max(expected.abs());
    }
    assert!(largest > 0.005, "the shake is felt: {largest}");
    assert!(worst < 0.02 * largest, "{worst} of {largest}");
}
