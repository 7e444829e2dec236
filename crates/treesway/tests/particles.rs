//! The particle tree against closed forms, against the paper's own equations stepped in world coordinates, and against forward kinematics.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{all_finite, largest_bend, largest_drift, run, segment, trees, turn, world_of};
use treesway::glam::{DQuat, DVec3, Quat, Vec3};
use treesway::{
    BodyDesc, BodyId, GravityPose, Load, ParticleScheme, ParticleSettings, Propagation, Pull, Rods,
    RootPose, Solver, TreeDesc, TreeId, TreeOptions, Wind, World,
};

const TREE: TreeId = TreeId(0);
const ROOT: BodyId = BodyId(0);

fn options(particles: ParticleSettings) -> TreeOptions {
    let mut options = TreeOptions::default();
    options.settings.solver = Solver::Particles;
    options.settings.particles = particles;
    options
}

/// Without gravity in the springs or the world.
fn weightless(desc: &TreeDesc, particles: ParticleSettings) -> World {
    let mut options = options(particles);
    options.params.gravity_pose = GravityPose::Unloaded;
    let mut world = world_of(desc, options);
    world.gravity = Vec3::ZERO;
    world
}

fn all_settings() -> impl Iterator<Item = ParticleSettings> {
    let children = [Propagation::Turned, Propagation::Moved];
    children.into_iter().flat_map(|children| {
        [Rods::Carried, Rods::Own].map(|rods| ParticleSettings {
            children,
            rods,
            ..ParticleSettings::default()
        })
    })
}

/// Branches that fork in two at their ends, seven times: 255 of them, thinner each time.
fn binary_tree(levels: u32) -> TreeDesc {
    let shape = |level: u32| {
        let size = 0.8_f32.powi(level as i32);
        (size, segment(size, 0.04 * size, 0.03 * size))
    };
    let mut desc = trees::single(shape(0).1, trees::upright());
    let mut last = vec![0_u32];
    for level in 1..levels {
        let mut next = Vec::new();
        for &parent in &last {
            for side in [-1.0, 1.0] {
                let lean = Quat::from_rotation_x(0.5 * side) * Quat::from_rotation_z(1.5);
                let at = Vec3::Z * shape(level - 1).0;
                next.push(desc.bodies.len() as u32);
                desc.bodies
                    .push(BodyDesc::new(Some(parent), shape(level).1, at, lean));
            }
        }
        last = next;
    }
    desc
}

/// I φ̈ + c φ̇ + k φ = 0 of one rod, underdamped, by its closed form, at a step of a thirtieth of a second.
#[test]
fn a_single_particle_is_a_damped_spring() {
    for rods in [Rods::Carried, Rods::Own] {
        let desc = trees::single(segment(1.2, 0.01, 0.01), trees::upright());
        let settings = ParticleSettings {
            rods,
            ..ParticleSettings::default()
        };
        let mut world = weightless(&desc, settings);
        let body = world.tree(TREE).body(ROOT);
        let reach = f64::from(body.com_in_body.z);
        let inertia = f64::from(body.inertia.x) + f64::from(body.mass) * reach * reach;
        let omega = (f64::from(body.stiffness.x) / inertia).sqrt();
        let rate = 0.5 * f64::from(body.damping_beta) * omega * omega;
        let swing = (omega * omega - rate * rate).sqrt();
        assert!(rate < 0.3 * omega, "{rate} {omega}");
        let start = 1e-3;
        let tree = world.tree_mut(TREE);
        tree.set_joint(ROOT, Vec3::X * start as f32, Vec3::ZERO);
        tree.settle_world();
        for frame in 1..=150 {
            run(&mut world, 1);
            let t = f64::from(frame) / 30.0;
            let exact =
                start * (-rate * t).exp() * ((swing * t).cos() + rate / swing * (swing * t).sin());
            let found = f64::from(world.tree(TREE).body(ROOT).theta.x);
            assert!(
                (found - exact).abs() < 2e-5 * start,
                "{rods:?} at {t}: {found} {exact}"
            );
        }
    }
}

/// A force F across the end of the rod bends it to k φ = F L cos φ, with k = ⅓ M L² K/Ĩ.
#[test]
fn a_held_force_bends_a_particle_as_far_as_its_spring_says() {
    let desc = trees::single(segment(0.8, 0.005, 0.005), trees::upright());
    let settings = ParticleSettings {
        rods: Rods::Own,
        ..ParticleSettings::default()
    };
    let mut world = weightless(&desc, settings);
    let body = world.tree(TREE).body(ROOT);
    let (mass, length) = (f64::from(body.mass), f64::from(body.length));
    let inertia = f64::from(body.inertia.x) + mass * f64::from(body.com_in_body.z).powi(2);
    let k = mass * length * length / 3.0 * f64::from(body.stiffness.x) / inertia;
    let force = 0.7 * k / length;
    let load = Load::force(ROOT, Vec3::Z * body.length, Vec3::X * force as f32);
    world.tree_mut(TREE).add_load(load.held());
    run(&mut world, 3000);
    let found = f64::from(world.tree(TREE).body(ROOT).theta.length());
    let mut exact: f64 = 0.5;
    for _ in 0..50 {
        let slope = 1.0 + force * length / k * exact.sin();
        exact -= (exact - force * length / k * exact.cos()) / slope;
    }
    assert!((found / exact - 1.0).abs() < 1e-4, "{found} {exact}");
}

/// A particle of the paper, in world coordinates.
struct Printed {
    parent: Option<usize>,
    /// I, R, C, S of (5.2, 5.3), m.
    initial: DVec3,
    rest: DVec3,
    current: DVec3,
    spring: DVec3,
    /// rad/s.
    omega: DVec3,
    mass: f64,
    k_s: f64,
    k_d: f64,
}

/// The paper's own update, particle after particle, with (2.1) and (2.7) mended.
fn printed_step(particles: &mut [Printed], force: &[DVec3], h: f64) {
    for i in 0..particles.len() {
        let below = particles[i]
            .parent
            .map_or(DVec3::ZERO, |p| particles[p].current);
        let p = &mut particles[i];
        let rod = p.current - below;
        let velocity = p.omega.cross(rod);
        let total = force[i] - p.k_s * (p.current - p.rest) - p.k_d * velocity;
        let torque = rod.cross(total);
        let alpha = torque / (p.mass * rod.length_squared() / 3.0);
        let angle = p.omega * h + alpha * (0.5 * h * h);
        p.omega += alpha * h;
        p.current = below + DQuat::from_scaled_axis(angle) * rod;
        p.spring = p.current - p.rest;
        let (moved, children) = (p.current - p.initial, i);
        for child in particles.iter_mut().filter(|c| c.parent == Some(children)) {
            child.rest = moved + child.initial;
            child.current = child.rest + child.spring;
        }
    }
}

/// Far from rest and for a second, every particle of the engine is where the paper's own update puts it.
#[test]
fn a_tree_as_printed_moves_as_the_printed_equations() {
    let desc = binary_tree(5);
    let mut options = options(ParticleSettings::as_printed());
    options.params.gravity_pose = GravityPose::Unloaded;
    options.settings.substeps = 400;
    let mut world = world_of(&desc, options);
    world.gravity = Vec3::ZERO;
    let tree = world.tree_mut(TREE);
    let mut particles = Vec::new();
    let mut force = Vec::new();
    for id in tree.ids() {
        let body = tree.body(id);
        let (mass, length) = (f64::from(body.mass), f64::from(body.length));
        let whole = composite_inertia(&desc, tree, id);
        let stiffness = 0.5 * f64::from(body.stiffness.x + body.stiffness.y);
        let omega = (stiffness / whole).sqrt();
        let inertia = mass * length * length / 3.0;
        let damping =
            (f64::from(body.damping_beta) * inertia * omega * omega).max(0.02 * inertia * omega);
        // Enough to turn it far.
        let push = 0.8 * inertia * omega * omega / length;
        let tip = tree.tip(id).as_dvec3();
        particles.push(Printed {
            parent: body.parent.map(BodyId::index),
            initial: tip,
            rest: tip,
            current: tip,
            spring: DVec3::ZERO,
            omega: DVec3::ZERO,
            mass,
            k_s: inertia * omega * omega / (length * length),
            k_d: damping / (length * length),
        });
        force.push(DVec3::X * push);
        let end = Vec3::Z * body.length;
        let load = Load::force(id, end, Vec3::X * push as f32);
        tree.add_load(load.held());
    }
    let h = 1.0 / 30.0 / 400.0;
    let mut farthest = 0.0_f64;
    for _ in 0..30 {
        for _ in 0..400 {
            printed_step(&mut particles, &force, h);
        }
        run(&mut world, 1);
        let tree = world.tree(TREE);
        for (id, p) in tree.ids().zip(&particles) {
            let off = tree.tip(id).as_dvec3().distance(p.current);
            assert!(off < 1e-3, "{id:?} is {off} m off");
            farthest = farthest.max(p.current.distance(p.initial));
        }
    }
    println!("the farthest particle moved by {farthest:.2} m");
    assert!(farthest > 0.5, "{farthest}");
    assert!(largest_bend(world.tree(TREE)) > 0.5);
}

/// Inertia about the joint of a body, across it, of all that it carries in the given pose, kg·m²: summed body by body.
fn composite_inertia(desc: &TreeDesc, tree: &treesway::Tree, joint: BodyId) -> f64 {
    let pose = tree.pose(joint);
    let axes = [Vec3::X, Vec3::Y].map(|axis| (pose.rotation * axis).as_dvec3());
    let mut sum = 0.0;
    for id in tree.ids() {
        let mut up = Some(id);
        while let Some(at) = up.filter(|&at| at != joint) {
            up = desc.bodies[at.index()].parent.map(BodyId);
        }
        if up.is_none() {
            continue;
        }
        let body = tree.body(id);
        let centre = body.pose.point(body.com_in_body) - pose.position;
        for axis in axes {
            let r = centre.as_dvec3();
            let across = r.length_squared() - r.dot(axis).powi(2);
            let local = body.pose.rotation.as_dquat().inverse() * axis;
            let own = (body.inertia.as_dvec3() * local * local).element_sum();
            sum += 0.5 * (f64::from(body.mass) * across + own);
        }
    }
    sum
}

/// (5.2) and (5.3), in double precision, from the turns of the branches alone.
#[test]
fn children_as_printed_are_moved_and_keep_their_direction() {
    let desc = binary_tree(8);
    assert_eq!(desc.bodies.len(), 255);
    let settings = ParticleSettings {
        children: Propagation::Moved,
        ..ParticleSettings::default()
    };
    let mut world = world_of(&desc, options(settings));
    let tree = world.tree(TREE);
    let at_first: Vec<(DVec3, DVec3, DQuat)> = tree
        .ids()
        .map(|id| {
            let pose = tree.pose(id);
            let (tip, joint) = (tree.tip(id).as_dvec3(), pose.position.as_dvec3());
            (tip, joint, pose.rotation.as_dquat().normalize())
        })
        .collect();
    world
        .fields
        .push(Box::new(Wind::steady(Vec3::new(14.0, 0.0, 5.0))));
    for _ in 0..40 {
        run(&mut world, 1);
        let tree = world.tree(TREE);
        let mut current = Vec::new();
        for id in tree.ids() {
            let body = tree.body(id);
            let (initial, joint, turned) = at_first[id.index()];
            let moved = body
                .parent
                .map_or(DVec3::ZERO, |p| current[p.index()] - at_first[p.index()].0);
            let rest: DVec3 = moved + initial;
            let by = turned * turn(body.theta.as_dvec3()) * turned.inverse();
            let spring = by * (initial - joint) - (initial - joint);
            let now = rest + spring;
            let off = now.distance(tree.tip(id).as_dvec3());
            assert!(off < 2e-5, "{id:?} is {off} m off");
            current.push(now);
        }
    }
    assert!(largest_bend(world.tree(TREE)) > 0.01);
}

#[test]
fn children_that_turn_follow_forward_kinematics() {
    let mut world = world_of(&binary_tree(8), options(ParticleSettings::default()));
    world
        .fields
        .push(Box::new(Wind::steady(Vec3::new(14.0, 0.0, 5.0))));
    for _ in 0..40 {
        run(&mut world, 1);
        let drift = largest_drift(world.tree(TREE));
        assert!(drift < 2e-5, "{drift}");
    }
    assert!(largest_bend(world.tree(TREE)) > 0.01);
}

/// In 30 m/s at a thirtieth of a second, with every choice; when the wind stops, back to where it was.
#[test]
fn storms_bend_trees_and_leave_them_as_they_were() {
    for settings in all_settings() {
        for (name, desc) in [
            ("binary", binary_tree(8)),
            ("fork", trees::fork()),
            ("random", trees::random_tree(3000, 7)),
        ] {
            let mut world = world_of(&desc, options(settings.clone()));
            let tips = |world: &World| -> Vec<Vec3> {
                let tree = world.tree(TREE);
                tree.ids().map(|id| tree.tip(id)).collect()
            };
            let given = tips(&world);
            let farthest = |world: &World| {
                let pairs = tips(world).into_iter().zip(given.clone());
                pairs.map(|(a, b)| a.distance(b)).fold(0.0, f32::max)
            };
            run(&mut world, 60);
            assert!(farthest(&world) < 1e-4, "{name} does not hold its pose");
            world.fields.push(Box::new(Wind::steady(Vec3::X * 30.0)));
            let report = run(&mut world, 300);
            assert_eq!(report.healed, 0, "{name} {settings:?}");
            assert!(all_finite(world.tree(TREE)));
            let bent = farthest(&world);
            assert!(bent > 0.02, "{name} {settings:?}: {bent}");
            world.fields.clear();
            run(&mut world, 6000);
            let left = farthest(&world);
            println!("{name} {settings:?}: bent by {bent:.3} m, {left:.1e} m left");
            assert!(left < 1e-3, "{name} {settings:?}: {left}");
        }
    }
}

/// Without wind and weight the energy of a tree that was let go falls with every frame.
#[test]
fn energy_falls() {
    for settings in all_settings() {
        let mut world = weightless(&binary_tree(8), settings.clone());
        let tree = world.tree_mut(TREE);
        for id in tree.ids() {
            let lean = 0.3 + 0.4 * (id.index() % 3) as f32;
            tree.set_joint(id, Vec3::new(lean, -0.2, 0.0), Vec3::ZERO);
        }
        tree.settle_world();
        let first = tree.energy(Vec3::ZERO).total();
        let mut last = first;
        for frame in 0..600 {
            run(&mut world, 1);
            let now = world.tree(TREE).energy(Vec3::ZERO).total();
            assert!(
                now <= last * (1.0 + 1e-6),
                "{settings:?}, frame {frame}: {last} {now}"
            );
            last = now;
        }
        assert!(last < 1e-3 * first, "{settings:?}: {first} {last}");
    }
}

/// A step of a thirtieth of a second is too long for the printed scheme and none too long for the closed form.
#[test]
fn the_printed_scheme_gains_energy_where_the_closed_form_does_not() {
    let gained = |scheme| {
        let settings = ParticleSettings {
            scheme,
            ..ParticleSettings::default()
        };
        let mut world = weightless(&binary_tree(6), settings);
        let tree = world.tree_mut(TREE);
        for id in tree.ids() {
            tree.set_joint(id, Vec3::X * 0.1, Vec3::ZERO);
        }
        let first = tree.energy(Vec3::ZERO).total();
        run(&mut world, 60);
        world.tree(TREE).energy(Vec3::ZERO).total() / first
    };
    let (printed, closed) = (
        gained(ParticleScheme::AsPrinted),
        gained(ParticleScheme::ClosedForm),
    );
    println!("energy after two seconds: printed × {printed:.1}, closed form × {closed:.1e}");
    assert!(printed > 10.0 && closed < 0.5, "{printed} {closed}");
}

/// Ground that accelerates for a long time bends a tree as a sideways weight does.
#[test]
fn shaken_ground_is_a_sideways_weight() {
    let desc = binary_tree(5);
    let pushed = |a: f64| {
        let mut options = options(ParticleSettings::default());
        options.params.gravity_pose = GravityPose::Unloaded;
        if a != 0.0 {
            options.motion = Some(std::sync::Arc::new(move |t: f64| RootPose {
                position: DVec3::X * (0.5 * a * t * t),
                ..RootPose::default()
            }));
        }
        let mut world = world_of(&desc, options);
        world.gravity = Vec3::ZERO;
        if a == 0.0 {
            world.gravity = Vec3::NEG_X * 2.0;
        }
        run(&mut world, 600);
        let tree = world.tree(TREE);
        let root = tree.pose(ROOT).position;
        tree.ids().map(|id| tree.tip(id) - root).collect::<Vec<_>>()
    };
    let (shaken, weighed) = (pushed(2.0), pushed(0.0));
    for (a, b) in shaken.iter().zip(&weighed) {
        assert!(a.distance(*b) < 2e-3, "{a} {b}");
    }
}

/// A strong hand brings a point where it wants it, with both ways of the children.
#[test]
fn a_hand_holds_what_it_pulls() {
    for children in [Propagation::Turned, Propagation::Moved] {
        let settings = ParticleSettings {
            children,
            ..ParticleSettings::default()
        };
        let mut world = world_of(&binary_tree(6), options(settings));
        let tree = world.tree_mut(TREE);
        let held = BodyId(40);
        let end = Vec3::Z * tree.body(held).length;
        let target = tree.tip(held) + Vec3::new(0.1, -0.05, 0.08);
        let pull = tree.add_pull(Pull::new(held, end, target, 1e6));
        run(&mut world, 120);
        let off = world.tree(TREE).tip(held).distance(target);
        assert!(off < 5e-3, "{children:?}: {off}");
        world.tree_mut(TREE).release(pull);
        let report = run(&mut world, 600);
        assert_eq!(report.healed, 0);
        let bend = largest_bend(world.tree(TREE));
        assert!(bend < 1e-2, "{children:?}: {bend}");
    }
}

/// Another way of the children, or another solver, goes on from the pose that is there.
#[test]
fn a_change_of_solver_keeps_the_pose() {
    let moved = ParticleSettings {
        children: Propagation::Moved,
        ..ParticleSettings::default()
    };
    let mut world = world_of(&binary_tree(6), options(moved.clone()));
    world.fields.push(Box::new(Wind::steady(Vec3::X * 12.0)));
    run(&mut world, 30);
    let tips = |world: &World| -> Vec<Vec3> {
        let tree = world.tree(TREE);
        tree.ids().map(|id| tree.tip(id)).collect()
    };
    let before = tips(&world);
    for (solver, particles) in [
        (Solver::Particles, ParticleSettings::default()),
        (Solver::Particles, moved.clone()),
        (Solver::Coupled, moved),
    ] {
        let tree = world.tree_mut(TREE);
        let mut settings = tree.settings().clone();
        (settings.solver, settings.particles) = (solver, particles);
        tree.set_settings(settings).expect("the settings are valid");
        tree.settle_world();
        for (a, b) in tips(&world).into_iter().zip(&before) {
            assert!(a.distance(*b) < 1e-5, "{solver:?}: {a} {b}");
        }
    }
}

/// A plant a step deeper, or one less deep: what both have stays where it is and as fast.
#[test]
fn a_plant_that_is_grown_anew_moves_on() {
    for settings in all_settings() {
        let world_at = |levels: u32| {
            let mut world = world_of(&binary_tree(levels), options(settings.clone()));
            world.fields.push(Box::new(Wind::steady(Vec3::X * 12.0)));
            world
        };
        let mut world = world_at(6);
        run(&mut world, 20);
        for levels in [7, 5] {
            let mut other = world_at(levels);
            let adopted = other.tree_mut(TREE).adopt_motion(world.tree(TREE));
            let both = (1 << levels.min(6)) - 1;
            assert_eq!(adopted, both);
            let [old, new] = [&world, &other].map(|world| world.tree(TREE));
            for id in old.ids().take(both) {
                let (a, b) = (old.body(id), new.body(id));
                assert!(old.tip(id).distance(new.tip(id)) < 1e-5, "{id:?}");
                assert!(a.velocity.distance(b.velocity) < 1e-4, "{id:?}");
            }
            assert!(old.body(BodyId(20)).velocity.length() > 1e-3);
            for id in new.ids().skip(both) {
                assert_eq!(new.body(id).theta, Vec3::ZERO);
            }
            assert_eq!(run(&mut other, 60).healed, 0);
        }
    }
}
