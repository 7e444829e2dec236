//! A tree whose root is moved.

use crate::common::{analytic, largest_bend, run, segment, trees, turn, unloaded, world_of};
use std::sync::Arc;
use treesway::glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use treesway::{
    Body, BodyDesc, BodyId, Fictitious, Keyframe, Keyframes, RootMotion, RootPose, Tree, TreeDesc,
    TreeId, TreeOptions, World,
};

const TREE: TreeId = TreeId(0);
const ROOT: BodyId = BodyId(0);

fn moved(
    desc: &TreeDesc,
    mut options: TreeOptions,
    fictitious: Fictitious,
    motion: impl Fn(f64) -> RootPose + Send + Sync + 'static,
) -> World {
    options.settings.fictitious = fictitious;
    options.motion = Some(Arc::new(motion));
    world_of(desc, options)
}

fn shifted(x: f64) -> RootPose {
    RootPose {
        position: DVec3::X * x,
        ..RootPose::default()
    }
}

#[test]
fn translated_tree_stays_upright_without_fictitious_forces() {
    let shake = |t: f64| shifted(0.4 * (6.0 * t).sin());
    let mut world = moved(
        &trees::pole(10, 3.0, 0.03, 0.01),
        unloaded(),
        Fictitious::off(),
        shake,
    );
    for _ in 0..150 {
        world.step();
        let tree = world.tree(TREE);
        assert!(largest_bend(tree) < 1e-9); // rounding of the weight
        let x = shake(world.seconds()).position.x as f32;
        let tip = tree.tip(BodyId(9));
        assert!((tip - Vec3::new(x, 3.0, 0.0)).length() < 1e-5, "{tip}");
    }
}

#[test]
fn acceleration_of_a_turning_tree_points_to_its_axis() {
    let omega = 3.0;
    let spin = move |t: f64| RootPose {
        rotation: DQuat::from_axis_angle(DVec3::Z, omega * t),
        ..RootPose::default()
    };
    // Across the axis, and too stiff to bend; all of it in the air.
    let mut options = unloaded();
    options.params.multipliers.branch_stiffness = 1e6;
    let mut world = moved(
        &trees::beam(10, 3.0, 0.03, 0.03),
        options,
        Fictitious::default(),
        spin,
    );
    world.gravity = Vec3::ZERO;
    run(&mut world, 30);
    let tree = world.tree(TREE);
    for id in tree.ids() {
        let body = tree.body(id);
        let com = body.pose.point(body.com_in_body);
        let (linear, angular) = tree.acceleration(id);
        let expected = -com * (omega * omega) as f32;
        assert!(
            (linear - expected).length() < 0.02 * expected.length(),
            "{linear} at {com}"
        );
        assert!(angular.length() < 0.05, "{angular}");
    }
}

#[test]
fn accelerated_tree_bends_against_the_acceleration() {
    for acceleration in [3.0, -5.0] {
        let push = move |t: f64| shifted(0.5 * acceleration * t * t);
        let mut world = moved(
            &trees::pole(10, 3.0, 0.03, 0.01),
            unloaded(),
            Fictitious::default(),
            push,
        );
        run(&mut world, 20);
        let tree = world.tree(TREE);
        let lag = f64::from(tree.tip(BodyId(9)).x) - push(world.seconds()).position.x;
        println!("accelerated by {acceleration} m/s²: the tip lags by {lag:.4} m");
        assert!(lag * acceleration < -1e-3, "{lag}");
    }
}

/// One segment on an arm of half a metre from the anchor.
fn on_an_arm(joint_rotation: Quat) -> TreeDesc {
    TreeDesc {
        bodies: vec![BodyDesc::new(
            None,
            segment(0.8, 0.03, 0.02),
            Vec3::new(0.0, 0.5, 0.0),
            joint_rotation,
        )],
    }
}

fn springy(substeps: u32) -> TreeOptions {
    let mut options = unloaded();
    options.settings.substeps = substeps;
    options.params.wood.damping_beta = 0.02;
    options
}

fn with_stiffness(world: &mut World, stiffness: f32) -> Body {
    let tree = world.tree_mut(TREE);
    tree.set_joint_stiffness(ROOT, Vec3::splat(stiffness));
    tree.body(ROOT)
}

/// The exact motion of one body on a moved root: rotation and angular velocity in the world, by Runge and Kutta's method.
struct Exact<'a> {
    motion: &'a dyn RootMotion,
    body: Body,
    gravity: DVec3,
}

#[derive(Clone, Copy)]
struct Spin {
    rotation: DQuat,
    omega: DVec3,
}

impl Exact<'_> {
    /// Joint frame at a time.
    fn frame(&self, t: f64) -> (DVec3, DQuat) {
        let anchor = self.motion.pose(t);
        let joint = anchor.position + anchor.rotation * self.body.joint_in_parent.as_dvec3();
        (
            joint,
            anchor.rotation * self.body.joint_rotation.as_dquat().normalize(),
        )
    }

    /// Angular velocity of the root and acceleration of the joint, by differences.
    fn root(&self, t: f64) -> (DVec3, DVec3) {
        const D: f64 = 1e-4;
        let ((p0, q0), (p1, _), (p2, q2)) = (self.frame(t - D), self.frame(t), self.frame(t + D));
        let omega = (q2 * q0.inverse()).to_scaled_axis() / (2.0 * D);
        (omega, (p2 + p0 - 2.0 * p1) / (D * D))
    }

    fn theta(&self, t: f64, s: &Spin) -> DVec3 {
        (self.frame(t).1.inverse() * s.rotation).to_scaled_axis()
    }

    fn start(&self) -> Spin {
        Spin {
            rotation: self.frame(0.0).1,
            omega: self.root(0.0).0,
        }
    }

    /// Angular acceleration.
    fn alpha(&self, t: f64, s: &Spin) -> DVec3 {
        let b = &self.body;
        let (root_omega, joint_acceleration) = self.root(t);
        let (frame, stiffness) = (self.frame(t).1, b.stiffness.as_dvec3());
        let relative = frame.inverse() * (s.omega - root_omega);
        let spring = -stiffness * (self.theta(t, s) + f64::from(b.damping_beta) * relative);
        let arm = s.rotation * b.com_in_body.as_dvec3();
        let mass = f64::from(b.mass);
        let torque = frame * spring + mass * arm.cross(self.gravity - joint_acceleration);
        let com2 = b.com_in_body.as_dvec3().length_squared() * mass;
        let diagonal = b.inertia.as_dvec3() + DVec3::new(com2, com2, 0.0);
        let r = DMat3::from_quat(s.rotation);
        let inertia = r * DMat3::from_diagonal(diagonal) * r.transpose();
        inertia.inverse() * (torque - s.omega.cross(inertia * s.omega))
    }

    fn advance(&self, t: f64, s: Spin, h: f64) -> Spin {
        let after = |s: &Spin, k: &Spin2, h: f64| Spin {
            rotation: (turn(k.omega * h) * s.rotation).normalize(),
            omega: s.omega + k.alpha * h,
        };
        let slope = |t: f64, s: &Spin| Spin2 {
            omega: s.omega,
            alpha: self.alpha(t, s),
        };
        let k1 = slope(t, &s);
        let k2 = slope(t + 0.5 * h, &after(&s, &k1, 0.5 * h));
        let k3 = slope(t + 0.5 * h, &after(&s, &k2, 0.5 * h));
        let k4 = slope(t + h, &after(&s, &k3, h));
        let mean = Spin2 {
            omega: (k1.omega + 2.0 * k2.omega + 2.0 * k3.omega + k4.omega) / 6.0,
            alpha: (k1.alpha + 2.0 * k2.alpha + 2.0 * k3.alpha + k4.alpha) / 6.0,
        };
        after(&s, &mean, h)
    }
}

/// Slope of a [`Spin`].
struct Spin2 {
    omega: DVec3,
    alpha: DVec3,
}

/// Largest error of θ over three seconds against the largest θ.
fn error_against_exact(
    motion: impl RootMotion + Clone + 'static,
    pose: Quat,
    fictitious: Fictitious,
    substeps: u32,
) -> f64 {
    let mut options = springy(substeps);
    options.settings.fictitious = fictitious;
    options.motion = Some(Arc::new(motion.clone()));
    let mut world = world_of(&on_an_arm(pose), options);
    let body = with_stiffness(&mut world, 30.0);
    let exact = Exact {
        motion: &motion,
        body,
        gravity: world.gravity.as_dvec3(),
    };
    let mut spin = exact.start();
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    const FINE: usize = 200;
    let h = world.frame_secs() / FINE as f64;
    for frame in 0..90 {
        for i in 0..FINE {
            spin = exact.advance(h * (frame * FINE + i) as f64, spin, h);
        }
        world.step();
        let theta = exact.theta(world.seconds(), &spin);
        largest = largest.max(theta.length());
        let found = world.tree(TREE).body(ROOT).theta.as_dvec3();
        worst = worst.max(found.distance(theta));
    }
    assert!((0.01..0.5).contains(&largest), "{largest}");
    worst / largest
}

/// Root pushed to and fro, and root tilted about z: motion in a plane.
fn plane(t: f64) -> RootPose {
    RootPose {
        position: DVec3::X * 0.05 * (1.0 - (5.0 * t).cos()),
        rotation: DQuat::from_rotation_z(0.1 * (1.0 - (3.0 * t).cos())),
    }
}

#[test]
fn one_joint_on_a_shaken_root_moves_exactly() {
    for fictitious in [Fictitious::default(), Fictitious::paper()] {
        let errors = [1, 10, 100]
            .map(|n| error_against_exact(plane, trees::upright(), fictitious.clone(), n));
        println!(
            "shaken in a plane, internal {}: off by {errors:.5?}",
            fictitious.internal
        );
        assert!(errors[2] < 5e-3, "{errors:?}");
        assert!(
            errors[2] < 0.2 * errors[1],
            "first order or better: {errors:?}"
        );
    }
}

/// A root that turns about y like a carousel while the segment lies flat, across it.
fn carousel(t: f64) -> RootPose {
    RootPose {
        position: DVec3::ZERO,
        rotation: DQuat::from_rotation_y(1.5 * t + 0.4 * (2.0 * t).sin()),
    }
}

#[test]
fn one_joint_on_a_turning_root_moves_exactly() {
    let flat = Quat::IDENTITY;
    let errors = [1, 10, 100].map(|n| error_against_exact(carousel, flat, Fictitious::paper(), n));
    println!("turned, all terms: off by {errors:.5?}");
    assert!(errors[2] < 5e-3, "{errors:?}");
    // Without the internal terms the Coriolis torque of the joint's own motion is missing.
    let rigid = error_against_exact(carousel, flat, Fictitious::default(), 100);
    println!("turned, rigid terms only: off by {rigid:.1e}");
    assert!(rigid < 0.1, "{rigid}");
}

/// Bends are 1e-7 rad, so that growth is seen long before a joint meets its limit.
fn nudge(t: f64) -> RootPose {
    let s = (t / 0.3).clamp(0.0, 1.0);
    shifted(1e-8 * s * s * s * (s * (6.0 * s - 15.0) + 10.0))
}

/// Largest bend within ten seconds after a nudge, rad.
fn answer_to_a_nudge(n: usize, damping: f32, fictitious: Fictitious, substeps: u32) -> f32 {
    let mut options = unloaded();
    options.settings.substeps = substeps;
    options.settings.limits.rate = 1e6;
    options.params.multipliers.branch_damping = damping;
    let mut world = moved(&trees::pole(n, 3.0, 0.03, 0.01), options, fictitious, nudge);
    world.gravity = Vec3::ZERO;
    let mut largest = 0.0_f32;
    for _ in 0..300 {
        world.step();
        largest = largest.max(largest_bend(world.tree(TREE)));
    }
    largest
}

/// Measured for docs/THEORY.md: Eq. 20 as printed against the rigid terms that are the default.
#[test]
fn printed_fictitious_torques_amplify_along_chains() {
    for n in [1, 5, 10, 20] {
        for damping in [1.0, 0.1, 0.01, 0.0] {
            let growth = [1, 4, 16].map(|substeps| {
                let safe = answer_to_a_nudge(n, damping, Fictitious::default(), substeps);
                assert!(safe < 1e-8, "the default must not amplify: {safe}");
                answer_to_a_nudge(n, damping, Fictitious::paper(), substeps) / safe
            });
            println!(
                "{n:2} segments, damping × {damping:4}: bend × {:.1e}, {:.1e}, {:.1e} at steps of 1/30, 1/120, 1/480 s",
                growth[0], growth[1], growth[2]
            );
            let at_frame_rate = growth[0];
            match (n, damping) {
                (1, _) => assert!((at_frame_rate - 1.0).abs() < 1e-3),
                (10 | 20, 0.1) => assert!(at_frame_rate > 1e2, "{n}: {at_frame_rate}"),
                (10 | 20, 0.01) => assert!(at_frame_rate > 1e3, "{n}: {at_frame_rate}"),
                _ => {}
            }
        }
    }
}

#[test]
fn rigid_root_follows_the_anchor() {
    let mut options = unloaded();
    options.root = treesway::RootKind::Rigid;
    let motion = |t: f64| RootPose {
        position: DVec3::new(t.sin(), 0.0, 0.0),
        rotation: DQuat::from_rotation_z(0.5 * t),
    };
    let mut world = moved(
        &trees::pole(5, 2.0, 0.03, 0.01),
        options,
        Fictitious::default(),
        motion,
    );
    run(&mut world, 60);
    let tree: &Tree = world.tree(TREE);
    assert_eq!(tree.body(ROOT).theta, Vec3::ZERO);
    let anchor = motion(world.seconds());
    let found = tree.pose(ROOT);
    assert!(found.position.as_dvec3().distance(anchor.position) < 1e-6);
    let up = anchor.rotation * DVec3::Y;
    let axis = (found.rotation.as_dquat() * DVec3::Z).normalize();
    assert!(axis.distance(up) < 1e-6, "{axis} {up}");
    assert!(largest_bend(tree) > 0.0, "the rest of the tree bends");
}

#[test]
fn keyframed_root_carries_the_tree_from_key_to_key() {
    let key = |time: f64, x: f64, angle: f64| Keyframe {
        time,
        pose: RootPose {
            position: DVec3::X * x,
            rotation: DQuat::from_rotation_y(angle),
        },
    };
    let keys = [key(0.5, 0.0, 0.0), key(1.5, 0.6, 0.8), key(2.5, 0.2, 0.8)];
    let options = TreeOptions {
        motion: Some(Arc::new(Keyframes::new(keys.to_vec()))),
        ..analytic()
    };
    let mut world = world_of(&trees::fork(), options);
    let mut largest = 0.0_f32;
    for frame in 1..=600 {
        world.step();
        let t = world.seconds();
        if let Some(key) = keys.iter().find(|k| (k.time - t).abs() < 1e-9) {
            let at = world.tree(TREE).pose(ROOT).position.as_dvec3();
            assert!(at.distance(key.pose.position) < 1e-6, "frame {frame}: {at}");
        }
        largest = largest.max(largest_bend(world.tree(TREE)));
    }
    assert!(largest > 1e-4, "it sways on the way: {largest}");
    // Long after the last key it stands in its given pose again.
    assert!(largest_bend(world.tree(TREE)) < 1e-5);
}
