//! The sway frequency of the analytic method, and what it is not.

use crate::common::{run, trees, unloaded, world_of};
use treesway::glam::Vec3;
use treesway::{BodyId, Fictitious, TreeId};

const TREE: TreeId = TreeId(0);
const LENGTH: f64 = 4.0; // m
const RADIUS: f64 = 0.02; // m
const LEAST_HZ: f64 = 0.3; // below any sway of this beam

/// Euler–Bernoulli, uniform and clamped: ω = 1.8751² √(E I/ρ A)/L².
fn theory_hz() -> f64 {
    let (e, density) = (8e9, 800.0);
    let second_moment = core::f64::consts::FRAC_PI_4 * RADIUS.powi(4);
    let area = core::f64::consts::PI * RADIUS * RADIUS;
    1.875_104_07_f64.powi(2) * (e * second_moment / (density * area)).sqrt()
        / (LENGTH * LENGTH)
        / core::f64::consts::TAU
}

/// Strongest frequency of the tip after the beam was let go from the shape of its sag, Hz; none if the motion grew or has no peak.
fn measured_hz(n: usize, damping: f32, fictitious: Fictitious) -> Option<f64> {
    let mut options = unloaded();
    options.settings.substeps = 8;
    options.settings.fictitious = fictitious;
    options.params.multipliers.branch_damping = damping;
    let mut world = world_of(
        &trees::beam(n, LENGTH as f32, RADIUS as f32, RADIUS as f32),
        options,
    );
    world.gravity = Vec3::ZERO;
    let tree = world.tree_mut(TREE);
    for i in 0..n {
        // Moment of the weight beyond the joint over its stiffness; half a cell at the base.
        let left = 1.0 - i as f32 / n as f32;
        let cell = if i == 0 { 0.5 } else { 1.0 };
        let id = BodyId(i as u32);
        // Down is −y: the axis of the bend in the joint frame.
        let axis = tree.body(id).pose.rotation.inverse() * Vec3::NEG_Z;
        tree.set_joint(id, axis * (1e-5 * left * left * cell), Vec3::ZERO);
    }
    tree.settle_world();
    let start = world.tree(TREE).tip(BodyId(n as u32 - 1)).y.abs();
    let frames = 900;
    let mut heights = Vec::with_capacity(frames);
    for _ in 0..frames {
        run(&mut world, 1);
        // Velocity instead of position: it does not round against the beam's length.
        heights.push(f64::from(
            world.tree(TREE).body(BodyId(n as u32 - 1)).velocity.y,
        ));
    }
    let tip = world.tree(TREE).tip(BodyId(n as u32 - 1)).y.abs();
    if !(tip < 10.0 * start) {
        return None;
    }
    let hz = peak(&heights, world.frame_secs());
    (hz > LEAST_HZ).then_some(hz)
}

/// Frequency of the largest Fourier component under a Hann window, Hz.
fn peak(samples: &[f64], dt: f64) -> f64 {
    let n = samples.len() as f64;
    let power = |hz: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for (i, s) in samples.iter().enumerate() {
            let window = 0.5 - 0.5 * (core::f64::consts::TAU * i as f64 / n).cos();
            let phase = core::f64::consts::TAU * hz * dt * i as f64;
            re += window * s * phase.cos();
            im += window * s * phase.sin();
        }
        re * re + im * im
    };
    (0..2700)
        .map(|i| LEAST_HZ + f64::from(i) * 0.005)
        .max_by(|a, b| power(*a).total_cmp(&power(*b)))
        .expect("a range is not empty")
}

/// Measured for docs/THEORY.md: every joint swings its frozen subtree on its own spring. The slowest is the second one, of stiffness
/// E I n/L and inertia ρ A L³(1 − 1/n)³/3 (the base has half a cell, twice the stiffness), so that f grows as √n.
#[test]
fn first_frequency_grows_with_the_square_root_of_segments() {
    let theory = theory_hz();
    println!("beam theory: {theory:.3} Hz");
    for n in [5, 10, 20, 40] {
        let hz = measured_hz(n, 0.05, Fictitious::default()).expect("the default does not grow");
        let (ratio, cells) = (hz / theory, n as f64);
        let expected =
            (3.0 * cells / (1.0 - 1.0 / cells).powi(3)).sqrt() / 1.875_104_07_f64.powi(2);
        let printed = [1.0, 0.05].map(|damping| {
            measured_hz(n, damping, Fictitious::paper())
                .map_or("no sway".into(), |hz| format!("{hz:.3} Hz"))
        });
        println!(
            "{n:2} segments: {hz:.3} Hz, × {ratio:.3} of theory, expected {expected:.3}; with Eq. 20 at damping × 1 and × 0.05: {printed:?}"
        );
        assert!(
            (ratio / expected - 1.0).abs() < 0.02,
            "{n} segments: {ratio}, not {expected}"
        );
    }
}
