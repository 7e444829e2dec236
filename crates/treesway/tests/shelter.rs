//! Wind that trees weaken: by as much as they take from it, along the wind, over several trees.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{analytic, run, trees};
use treesway::glam::{DVec3, Mat3, Quat, Vec3};
use treesway::{
    Air, BodyDesc, BodyId, ForceField as _, Gusts, RootPose, Shape, Shelter, Solver, Tree,
    TreeDesc, TreeId, Wind, WindSettings, World,
};

const SPEED: f32 = 8.0;

fn wind(shelter: Shelter, air: Air) -> Wind {
    let settings = WindSettings {
        velocity: Vec3::X * SPEED,
        gusts: Gusts {
            strength: 0.0,
            ..Gusts::default()
        },
        shelter,
        air,
        ..WindSettings::default()
    };
    Wind::new(settings).unwrap()
}

fn full() -> Shelter {
    Shelter {
        strength: 1.0,
        ..Shelter::default()
    }
}

/// A thin trunk in the middle of a box of leaves, all broadside to the wind, evenly spread.
fn slab(thick: usize, wide: usize, high: usize, spacing: f32) -> (TreeDesc, f32) {
    let trunk = Shape::Segment {
        length: 0.1,
        base: 1e-3,
        tip: 1e-3,
    };
    let leaf = Shape::Leaf {
        length: 0.2,
        width: 0.2,
        thickness: 3e-4,
    };
    let mut bodies = vec![BodyDesc::new(None, trunk, Vec3::ZERO, trees::upright())];
    let upright = trees::upright();
    for i in 0..thick {
        for j in 0..wide {
            for k in 0..high {
                let world = Vec3::new(i as f32 + 0.5, k as f32 + 0.5, j as f32 + 0.5) * spacing;
                // A leaf's normal, its y, along x of the world; its length upwards.
                let turn = Quat::from_mat3(&Mat3::from_cols(Vec3::Z, Vec3::X, Vec3::Y));
                let joint = upright.inverse() * world;
                bodies.push(BodyDesc::new(
                    Some(0),
                    leaf,
                    joint,
                    upright.inverse() * turn,
                ));
            }
        }
    }
    let area = 0.5 * 0.2 * 0.2 * (thick * wide * high) as f32;
    (TreeDesc { bodies }, area)
}

/// Behind a slab of leaves across the wind exp(−κ_l × leaf area over section) of the wind is left: Beer and Lambert.
#[test]
fn a_slab_weakens_the_wind_by_the_closed_form() {
    let air = Air {
        leaf_resistance: 0.0,
        leaf_drag: 0.2,
        ..Air::default()
    };
    let (desc, area) = slab(16, 32, 32, 0.25);
    let tree = Tree::build(&desc, analytic()).unwrap();
    let shelter = Shelter {
        recovery: 1e9,
        ..full()
    };
    let mut wind = wind(shelter, air);
    wind.meet(&[tree]);
    let section = (32.0 * 0.25_f32).powi(2);
    let exact = f64::from(-0.2 * area / section).exp();
    let behind = wind.velocity(0.0, Vec3::new(30.0, 4.0, 4.0)).x / SPEED;
    let before = wind.velocity(0.0, Vec3::new(-30.0, 4.0, 4.0)).x / SPEED;
    let aside = wind.velocity(0.0, Vec3::new(2.0, 4.0, 30.0)).x / SPEED;
    println!("left behind the slab: {behind:.4}, closed form {exact:.4}");
    assert!((f64::from(behind) - exact).abs() < 0.02, "{behind} {exact}");
    assert!(exact < 0.7, "the slab is too thin to tell");
    assert_eq!(before, 1.0);
    assert_eq!(aside, 1.0);
}

/// The air loses as much momentum as a tree of any shape takes from it: ρ Σ (1 − u) u A = force is the same balance, to first order in a thin crown.
#[test]
fn the_air_loses_what_a_thin_crown_takes() {
    let desc = trees::random_tree(3000, 8);
    let tree = Tree::build(&desc, analytic()).unwrap();
    let shelter = Shelter {
        // So little that every body feels the whole wind.
        strength: 1e-2,
        recovery: 1e9,
        cell_size: 0.5,
    };
    let still = wind(Shelter::default(), Air::default());
    let mut sheltered = wind(shelter, Air::default());
    let force: f64 = tree.ids().map(|id| drag(&still, &tree, id)).sum();
    let points: Vec<Vec3> = tree.ids().map(|id| tree.pose(id).position).collect();
    let least = points.iter().copied().reduce(Vec3::min).unwrap() - Vec3::splat(3.0);
    let most = points.iter().copied().reduce(Vec3::max).unwrap() + Vec3::splat(3.0);
    sheltered.meet(&[tree]);
    let (step, mut lost) = (0.1_f32, 0.0);
    let (mut y, mut z) = (least.y, least.z);
    while y < most.y {
        while z < most.z {
            let at = Vec3::new(most.x + 3.0, y, z);
            lost += f64::from((SPEED - sheltered.velocity(0.0, at).x) * step * step);
            z += step;
        }
        (y, z) = (y + step, least.z);
    }
    let lost = lost * 1.225 * f64::from(SPEED) / 1e-2;
    println!("force on the tree {force:.3} N, lost by the air {lost:.3} N");
    assert!((lost / force - 1.0).abs() < 0.03, "{lost} {force}");
}

/// Force of the wind on a body at rest along the wind, N.
fn drag(wind: &Wind, tree: &Tree, id: BodyId) -> f64 {
    let body = tree.body(id);
    let q = body.pose.rotation;
    let area = match body.kind {
        treesway::BodyKind::Segment => body.length * (body.radius[0] + body.radius[1]),
        treesway::BodyKind::Leaf => body.length * body.radius[0],
        treesway::BodyKind::Fruit => std::f32::consts::PI * body.radius[0].powi(2),
    };
    let sample = treesway::BodySample {
        id,
        kind: body.kind,
        mass: body.mass,
        area,
        position: body.pose.point(body.com_in_body).into(),
        velocity: Vec3::ZERO.into(),
        angular_velocity: Vec3::ZERO.into(),
        axis: (q * Vec3::Z).into(),
        normal: (q * Vec3::Y).into(),
        com_z: body.com_in_body.z,
        blades: tree.params().leaf.blades,
        free: false,
    };
    f64::from(wind.force(0.0, &sample).force.x)
}

fn two_trees(shelter: Shelter, solver: Solver) -> World {
    let mut world = World::default();
    for x in [0.0, 12.0] {
        let mut options = analytic();
        options.settings.solver = solver;
        options.anchor = RootPose {
            position: DVec3::new(x, 0.0, 0.0),
            ..RootPose::default()
        };
        let desc = trees::random_tree(3000, 5);
        world.add(Tree::build(&desc, options).unwrap());
    }
    world.fields.push(Box::new(wind(shelter, Air::default())));
    world
}

/// Of two equal trees the one in the lee bends less, and less than without shelter.
#[test]
fn the_tree_in_the_lee_bends_less() {
    let bend = |shelter: Shelter| {
        let mut world = two_trees(shelter, Solver::Coupled);
        run(&mut world, 90);
        [TreeId(0), TreeId(1)].map(|id| {
            let tree = world.tree(id);
            let bent = |b| f64::from(tree.body(b).theta.length());
            tree.ids().map(bent).sum::<f64>()
        })
    };
    let strong = Shelter {
        strength: 3.0,
        ..full()
    };
    let ([first, second], [free, _]) = (bend(strong), bend(Shelter::default()));
    println!("bend of both {first:.2} {second:.2}, without shelter {free:.2}");
    assert!(second < 0.95 * first, "{first} {second}");
    assert!(first < free, "{first} {free}");
}

/// Shelter of strength 0 is none, to the last bit, and the lee does not depend on threads.
#[test]
fn hashes_say_so() {
    let hash = |threads: usize, shelter: Shelter| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let mut world = two_trees(shelter, Solver::Coupled);
        pool.install(|| run(&mut world, 30));
        world.state_hash()
    };
    let alone = hash(1, full());
    assert_eq!(alone, hash(2, full()));
    assert_eq!(alone, hash(3, full()));
    let mut plain = two_trees(Shelter::default(), Solver::Coupled);
    plain.fields[0] = Box::new(Wind::steady(Vec3::X * SPEED));
    run(&mut plain, 30);
    assert_eq!(plain.state_hash(), hash(1, Shelter::default()));
    assert_ne!(plain.state_hash(), alone);
}

/// The lee of 10,000 bodies costs less than half of a frame of the tree in it: a few hundred microseconds.
#[test]
fn shelter_costs_less_than_half_a_frame() {
    let world = |strength: f32| {
        let desc = trees::random_tree(10_000, 4);
        let mut options = analytic();
        options.settings.solver = Solver::Coupled;
        let mut world = World::default();
        world.add(Tree::build(&desc, options).unwrap());
        let shelter = Shelter {
            strength,
            ..Shelter::default()
        };
        world.fields.push(Box::new(wind(shelter, Air::default())));
        world
    };
    let mut worlds = [world(0.0), world(1.0)];
    let mut best = [f64::INFINITY; 2];
    for _ in 0..200 {
        for (world, best) in worlds.iter_mut().zip(&mut best) {
            let start = std::time::Instant::now();
            world.step();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    let [without, with] = best.map(|s| 1e6 * s);
    let ratio = (with - without) / without;
    println!(
        "a frame of 10,000 bodies: {without:.0} µs, with shelter {with:.0} µs, {ratio:.2} of it more"
    );
    assert!(ratio < 0.5, "{ratio}");
}
