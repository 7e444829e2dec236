//! Leaves in the wind: where they come to rest, and that what they do is theirs and not the step's.

use treesway::glam::{Quat, Vec3};
use treesway::{
    Air, BodyDesc, BodyId, BodyKind, Gusts, Shape, Tree, TreeDesc, TreeId, TreeOptions, Wind,
    WindSettings, World, cut,
};
use treesway_grow::species::{self, Wanted};

const LEAF: BodyId = BodyId(1);

/// A short stout twig along +y with one leaf on its end, its blade across +x.
fn leaf_on_a_twig(leaf: Shape, options: TreeOptions, velocity: Vec3) -> World {
    let twig = Shape::Segment {
        length: 0.1,
        base: 0.01,
        tip: 0.01,
    };
    // z of the twig along +y; then y of the leaf, its normal, along +x.
    let up = Quat::from_rotation_x(-core::f32::consts::FRAC_PI_2);
    let across = Quat::from_rotation_z(-core::f32::consts::FRAC_PI_2);
    let desc = TreeDesc {
        bodies: vec![
            BodyDesc::new(None, twig, Vec3::ZERO, up),
            BodyDesc::new(Some(0), leaf, Vec3::Z * 0.1, across),
        ],
    };
    let mut world = World::default();
    world.gravity = Vec3::ZERO;
    world.add(Tree::build(&desc, options).unwrap());
    world.fields.push(Box::new(Wind::steady(velocity)));
    world
}

/// Eq. 23 and 24 against the stalk: with θ the angle from broadside, U the wind and K = κ ρ (A/2) √(A/π),
/// r (κ ρ A U² + ν m U) cos θ − K U² sin θ cos θ = k θ.
#[test]
fn a_leaf_rests_where_wind_and_stalk_balance() {
    let leaf = Shape::Leaf {
        length: 0.1,
        width: 0.08,
        thickness: 0.0003,
    };
    let air = Air::default();
    for speed in [1.0_f64, 2.0, 3.0, 4.0] {
        let mut world = leaf_on_a_twig(leaf, TreeOptions::default(), Vec3::X * speed as f32);
        for _ in 0..900 {
            world.step();
        }
        let body = world.tree(TreeId(0)).body(LEAF);
        let [k, m, r] = [body.stiffness.x, body.mass, body.com_in_body.z].map(f64::from);
        let [rho, kappa, nu] = [air.density, air.leaf_drag, air.leaf_resistance].map(f64::from);
        let area = 0.5 * 0.1 * 0.08;
        let turn = kappa * rho * 0.5 * area * (area / std::f64::consts::PI).sqrt();
        let torque = |theta: f64| {
            let press = r * (kappa * rho * area * speed * speed + nu * m * speed);
            (press - turn * speed * speed * theta.sin()) * theta.cos() - k * theta
        };
        let (mut low, mut high) = (0.0, 1.5);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if torque(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let theta = f64::from(body.theta.length());
        println!("{speed} m/s: {theta:.5} rad, balance {low:.5} rad");
        assert!((theta / low - 1.0).abs() < 1e-3, "{theta} {low}");
        assert!(body.pose.rotation.mul_vec3(Vec3::Z).x > 0.0, "it trails");
        assert!(body.theta_rate.length() < 1e-3);
    }
}

/// The lightest leaf in a hurricane: whatever the step, it trails behind its stalk.
#[test]
fn the_lightest_leaf_trails_in_a_hurricane() {
    let leaf = Shape::Leaf {
        length: 0.01,
        width: 0.006,
        thickness: 0.0001,
    };
    for substeps in [1, 2, 8, 64] {
        let mut options = TreeOptions::default();
        options.settings.substeps = substeps;
        let wind = Vec3::new(60.0, 3.0, 5.0);
        let mut world = leaf_on_a_twig(leaf, options, wind);
        let (mut trailing, mut fastest) = (0.0, 0.0_f32);
        for frame in 0..600 {
            assert_eq!(world.step().healed, 0);
            let body = world.tree(TreeId(0)).body(LEAF);
            if frame >= 300 {
                let axis = body.pose.rotation.mul_vec3(Vec3::Z);
                trailing += axis.dot(wind.normalize()) / 300.0;
                fastest = fastest.max(body.theta_rate.length());
            }
        }
        println!("{substeps} steps per frame: trails by {trailing:.3}, {fastest:.1} rad/s");
        assert!(trailing > 0.9, "{trailing}");
    }
}

struct Flutter {
    /// Root mean square of the leaves' θ̇, rad/s.
    rate: f64,
    /// Joints of leaves at a limit, of all.
    limited: f64,
}

/// An oak in the wind for ten seconds, then five that are looked at.
fn flutter(bodies: u32, gusts: f32, substeps: u32) -> Flutter {
    let wanted = Wanted {
        bodies: Some(bodies),
        ..Wanted::default()
    };
    let grown = species::named("oak").unwrap().grow(7, &wanted).unwrap();
    let mut options = TreeOptions {
        params: grown.params.unwrap(),
        ..TreeOptions::default()
    };
    options.settings.substeps = substeps;
    let mut world = World::default();
    let id = world.add(Tree::build(&cut(&grown.skeleton, &grown.cut).unwrap(), options).unwrap());
    let wind = WindSettings {
        velocity: Vec3::X * 10.0,
        gusts: Gusts {
            strength: gusts,
            ..Gusts::default()
        },
        ..WindSettings::default()
    };
    world.fields.push(Box::new(Wind::new(wind).unwrap()));
    for _ in 0..300 {
        world.step();
    }
    let (mut square, mut at_limit, mut count) = (0.0, 0.0, 0.0);
    for _ in 0..150 {
        world.step();
        let tree = world.tree(id);
        let leaves = tree.ids().map(|id| tree.body(id));
        for leaf in leaves.filter(|b| b.kind == BodyKind::Leaf) {
            square += f64::from(leaf.theta_rate.length_squared());
            at_limit += f64::from(u8::from(leaf.theta.length() > 1.49));
            count += 1.0;
        }
    }
    Flutter {
        rate: (square / count).sqrt(),
        limited: at_limit / count,
    }
}

/// In a steady wind sprays of leaves come to rest. When pressure was frozen over a step, they flapped between their limits at 12 rad/s.
#[test]
fn sprays_do_not_flap_in_a_steady_wind() {
    let calm = flutter(3000, 0.0, 2);
    println!("{:.3} rad/s, {:.4} at a limit", calm.rate, calm.limited);
    assert!(calm.rate < 1.0, "{}", calm.rate);
    assert!(calm.limited < 1e-3, "{}", calm.limited);
}

/// In gusts leaves flutter, and no more so with two steps per frame than with eight.
#[test]
fn flutter_in_gusts_does_not_depend_on_the_step() {
    let [coarse, fine] = [2, 8].map(|substeps| flutter(20_000, 0.25, substeps));
    println!("{:.3} and {:.3} rad/s", coarse.rate, fine.rate);
    assert!(coarse.rate > 1.0);
    assert!((coarse.rate / fine.rate - 1.0).abs() < 0.15);
    assert!(coarse.limited < 1e-3, "{}", coarse.limited);
}
