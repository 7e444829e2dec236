//! Rain on trees: its mean force, and that it is the same whenever it is asked.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{analytic, run, trees, world_of};
use treesway::glam::Vec3;
use treesway::{
    BodyId, BodyKind, BodySample, ForceField as _, Rain, Rainfall, Solver, TreeId, World,
};

fn level_leaf(id: u32, area: f32) -> BodySample {
    BodySample {
        id: BodyId(id),
        kind: BodyKind::Leaf,
        mass: 1e-3,
        area,
        position: Vec3::ZERO.into(),
        velocity: Vec3::ZERO.into(),
        angular_velocity: Vec3::ZERO.into(),
        axis: Vec3::X.into(),
        normal: Vec3::Y.into(),
        com_z: 0.05,
        blades: 1.0,
        free: false,
    }
}

/// Mean force = flux × momentum × area over many frames, for small leaves that few drops hit and for large ones.
#[test]
fn mean_force_is_flux_times_momentum_times_area() {
    let mut rain = Rain::new(Rainfall::default()).unwrap();
    for area in [1e-4_f32, 0.01, 0.5] {
        let (mut sum, mut hit, frames, leaves) = (0.0, 0, 400, 1000);
        for frame in 0..frames {
            rain.prepare(f64::from(frame) / 30.0, 1.0 / 30.0);
            for id in 0..leaves {
                let f = rain.force(0.0, &level_leaf(id, area)).force;
                assert!(f.y <= 0.0 && f.x == 0.0 && f.z == 0.0);
                sum -= f64::from(f.y);
                hit += u32::from(f.y < 0.0);
            }
        }
        let n = f64::from(frames) * f64::from(leaves);
        let (mean, exact) = (sum / n, rain.pressure() * f64::from(area));
        let share = f64::from(hit) / n;
        let none = (-rain.flux() * f64::from(area) / 30.0).exp();
        println!("{area} m²: {mean:.3e} N, closed form {exact:.3e} N, hit {share:.4}");
        // The momentum of a drop deviates by three times its mean; four standard errors.
        let drops = rain.flux() * f64::from(area) / 30.0 * n;
        let error = 4.0 * 3.0 / drops.sqrt() + 1e-3;
        assert!((mean / exact - 1.0).abs() < error, "{mean} {exact}");
        assert!((share - (1.0 - none)).abs() < 0.01, "{share} {none}");
    }
}

/// Water: Marshall and Palmer's drops carry R mm/h to within the fifth by which their formula and Atlas's speeds disagree.
#[test]
fn pressure_is_that_of_the_rate_at_terminal_speed() {
    for rate in [5.0_f32, 25.0, 100.0] {
        let rain = Rain::new(Rainfall {
            rate,
            ..Rainfall::default()
        })
        .unwrap();
        let water = f64::from(rate) / 3600.0; // kg/m² and second
        let speed = rain.pressure() / water;
        println!("{rate} mm/h: mean speed of the water {speed:.2} m/s");
        assert!((4.0..9.0).contains(&speed), "{speed}");
    }
}

fn rained_on(solver: Solver) -> World {
    let mut options = analytic();
    options.settings.solver = solver;
    let mut world = world_of(&trees::random_tree(8000, 5), options);
    let rain = Rain::new(Rainfall::default()).unwrap();
    world.fields.push(Box::new(rain));
    world
}

#[test]
fn hashes_do_not_depend_on_threads_and_rain_can_be_sought() {
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        let hash = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let mut world = rained_on(solver);
            pool.install(|| run(&mut world, 20));
            world.state_hash()
        };
        assert_eq!(hash(1), hash(3));
        let mut world = rained_on(solver);
        run(&mut world, 10);
        let snapshot = world.snapshot();
        run(&mut world, 10);
        let then = world.state_hash();
        assert_eq!(then, hash(1));
        world.restore(&snapshot);
        run(&mut world, 10);
        assert_eq!(world.state_hash(), then);
        let tree = world.tree(TreeId(0));
        let moves = tree.ids().any(|id| tree.body(id).velocity.length() > 1e-3);
        assert!(moves);
    }
}

#[test]
fn rates_are_checked() {
    let error = Rain::new(Rainfall {
        rate: -1.0,
        ..Rainfall::default()
    })
    .unwrap_err();
    assert!(error.to_string().contains("rate"), "{error}");
}
