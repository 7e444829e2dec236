//! Plants as particles: every grammar and scene in every wind, growth that keeps moving, weather, threads.

use rayon::prelude::*;
use treesway::glam::Vec3;
use treesway::{BodyId, Tree, TreeId};
use treesway_grow::grammars;
use treesway_io::{Scene, Simulation};

const TREE: TreeId = TreeId(0);

/// That plant with the solver in some wind, no deeper than a test has time for.
fn plant(name: &str, wind: &str) -> Scene {
    // Of the meadow a part of its rows.
    let depth = if name == "meadow" {
        "depth = 108\n"
    } else {
        ""
    };
    let text = format!(
        "version = 1\n[[tree]]\ngrammar = '{name}'\n{depth}solver = 'particles'\nroot = 'rigid'\n[wind]\n{wind}"
    );
    Scene::parse(&text, name).unwrap_or_else(|e| panic!("{e}"))
}

fn ends(tree: &Tree) -> Vec<Vec3> {
    tree.ids().map(|id| tree.tip(id)).collect()
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// Ends of all trees of a simulation.
fn all_ends(simulation: &Simulation) -> Vec<Vec3> {
    let trees = simulation.world().trees().iter();
    trees.flat_map(ends).collect()
}

/// Winds up to 30 m/s: even ones, also from below and above, gusts, the turbulence of the paper.
const WINDS: [&str; 8] = [
    "speed = 3.0\ngusts.strength = 0.0",
    "speed = 10.0\ngusts.strength = 0.0",
    "speed = 20.0\ndirection_deg = 70.0\ngusts.strength = 0.0",
    "speed = 30.0\ndirection_deg = 200.0\ngusts.strength = 0.0",
    "velocity = [0.0, 30.0, 0.0]\ngusts.strength = 0.0",
    "velocity = [17.0, -17.0, 17.0]\ngusts.strength = 0.0",
    "speed = 30.0\ngusts.strength = 0.5",
    "speed = 30.0\nturbulence.strength = 1.0\nturbulence.scatter = 0.5",
];

/// The first of them, which are even.
const EVEN: usize = 6;
/// The one in which fronds of the fern swing for ever, with short steps faster still.
const FROM_ABOVE: &str = WINDS[EVEN - 1];

/// How a plant did in a wind and after it.
struct Weathered {
    /// Farthest that an end was from where it rests while the wind blew, m.
    bent: f32,
    /// Fastest end of the last second of wind, m/s.
    restless: f32,
    /// The same long after the wind, m.
    left: f32,
    /// Energy of the swings when the wind stopped, J, and the most of it in each second after that.
    energy: Vec<f64>,
}

/// Eight seconds of wind at steps of a thirtieth, then up to a minute without.
fn weather(name: &str, wind: &str) -> Weathered {
    let mut simulation = plant(name, wind).build().unwrap();
    let given = all_ends(&simulation);
    let mut found = Weathered {
        bent: 0.0,
        restless: 0.0,
        left: 0.0,
        energy: Vec::new(),
    };
    let mut last = given.clone();
    for frame in 0..240 {
        assert_eq!(simulation.step().healed, 0, "{name} {wind:?}");
        let now = all_ends(&simulation);
        assert!(now.iter().all(|p| p.is_finite()), "{name} {wind:?}");
        found.bent = found.bent.max(farthest(&given, &now));
        if frame >= 210 {
            found.restless = found.restless.max(30.0 * farthest(&last, &now));
        }
        last = now;
    }
    let energy = |s: &Simulation| s.world().tree(TREE).energy(Vec3::ZERO).total();
    simulation.world_mut().fields.clear();
    found.energy.push(energy(&simulation));
    for _ in 0..60 {
        let mut most = 0.0_f64;
        for _ in 0..30 {
            assert_eq!(simulation.step().healed, 0, "{name} after {wind:?}");
            most = most.max(energy(&simulation));
        }
        found.energy.push(most);
        found.left = farthest(&given, &all_ends(&simulation));
        if found.left < 1e-3 {
            break;
        }
    }
    found
}

/// At a thirtieth of a second no wind shakes a plant to pieces, even ones leave it nearly still (all but one fern), and
/// when they stop it comes back to the pose it was given, with less energy from second to second.
#[test]
fn every_grammar_stands_every_wind_and_returns() {
    let cases: Vec<_> = grammars::all()
        .iter()
        .flat_map(|grammar| WINDS.map(|wind| (grammar.name, wind)))
        .collect();
    cases.into_par_iter().for_each(|(name, wind)| {
        let found = weather(name, wind);
        let first = found.energy[0];
        println!(
            "{name} {wind:?}: bent by {:.2} m, {:.1e} m/s at the end, {:.1e} m left after {} s, energy {first:.1e} to {:.1e} J",
            found.bent,
            found.restless,
            found.left,
            found.energy.len() - 1,
            found.energy[found.energy.len() - 1]
        );
        assert!(found.bent > 1e-4, "{name} {wind:?}: {} m", found.bent);
        assert!(found.left < 1e-3, "{name} {wind:?}: {} m", found.left);
        let most = match name {
            "fern" if wind == FROM_ABOVE => 3.0,
            _ if WINDS[..EVEN].contains(&wind) => 1.0,
            _ => f32::INFINITY,
        };
        assert!(found.restless < most, "{name} {wind:?}: {} m/s", found.restless);
        for (second, pair) in found.energy.windows(2).enumerate() {
            // In the first second what was lifted falls, which is no energy of swings; and what is left in single precision is noise.
            let (more, noise) = (if second == 0 { 1.1 } else { 1.0001 }, 1e-9 * first);
            assert!(
                pair[1] <= pair[0] * more + noise,
                "{name} {wind:?} after {second} s: {pair:?} J"
            );
        }
    });
}

/// Every scene that comes with the program, with this solver, in a storm: leaves, fruit, snow, rain, balls, squirrels and moving ground included.
#[test]
fn every_scene_stands_a_storm_as_particles() {
    treesway_scenes::all().par_iter().for_each(|named| {
        let load = |more: &[String]| {
            // Where the scene gives its wind along the axes, so is the storm.
            let storm = if named.text.contains("\nvelocity = [10.0, 0.0, 0.0]") {
                "wind.velocity=[30.0, 0.0, 0.0]"
            } else {
                "wind.speed=30.0"
            };
            let storm = ["tree.solver=\"particles\"".to_owned(), storm.into()];
            named
                .load(&[&storm[..], more].concat())
                .unwrap_or_else(|e| panic!("{e}"))
        };
        let mut scene = load(&[]);
        if scene
            .file
            .trees
            .iter()
            .any(|t| t.bodies.is_some_and(|n| n > 5000))
        {
            scene = load(&["bodies=5000".into()]);
        }
        let mut simulation = scene
            .build()
            .unwrap_or_else(|e| panic!("{}: {e}", named.name));
        for _ in 0..60 {
            assert_eq!(simulation.step().healed, 0, "{}", named.name);
        }
        assert!(
            all_ends(&simulation).iter().all(|p| p.is_finite()),
            "{}",
            named.name
        );
    });
}

/// Many plants in leaf in wind, turbulence, rain and snow on ground that shakes: the same bits on any number of threads.
#[test]
fn many_plants_move_the_same_on_any_number_of_threads() {
    let plants = [
        "species = 'shrub'\nbodies = 700",
        "grammar = 'fern'\ndepth = 24",
        "grammar = 'reed'",
        "grammar = 'vine'",
    ];
    let mut text = String::from("version = 1\n");
    for i in 0..24 {
        let (kind, x, z) = (plants[i % plants.len()], 2 * (i % 6), 2 * (i / 6));
        text += &format!(
            "[[tree]]\n{kind}\nseed = {i}\nat = [{x}.0, 0.0, {z}.0]\nsolver = 'particles'\n[tree.motion.earthquake]\npeak = 3.0\nseconds = 2.0\n"
        );
    }
    text += "[wind]\nspeed = 12.0\n[wind.turbulence]\nstrength = 0.5\nscatter = 0.3\n[rain]\nrate = 100.0\n[snow]\nrate = 900.0\n";
    let scene = Scene::parse(&text, "plants").unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut simulation = scene.build().unwrap();
            let hashes = (0..45).map(|_| {
                assert_eq!(simulation.step().healed, 0);
                simulation.world().state_hash()
            });
            hashes.collect::<Vec<_>>()
        })
    };
    let one = run(1);
    for threads in [2, 3, 8] {
        assert!(run(threads) == one, "{threads} threads");
    }
    let again: std::collections::BTreeSet<_> = one.iter().collect();
    assert_eq!(again.len(), one.len(), "it moves");
}

/// A step of growth while it moves: branches that were there stay where they are.
#[test]
fn a_deeper_tree_keeps_the_motion_of_what_was_there() {
    let at = |depth: u32| {
        let settings = [format!("tree.depth={depth}")];
        let scene = treesway_scenes::find("particles").unwrap();
        scene.load(&settings).unwrap().build().unwrap()
    };
    let mut young = at(7);
    for _ in 0..45 {
        young.step();
    }
    let mut old = at(8);
    let adopted = old
        .world_mut()
        .tree_mut(TREE)
        .adopt_motion(young.world().tree(TREE));
    assert_eq!(adopted, 127);
    let (before, after) = (ends(young.world().tree(TREE)), ends(old.world().tree(TREE)));
    let apart = |tip: &Vec3| after.iter().map(|t| t.distance(*tip)).fold(9.0, f32::min);
    let worst = before.iter().map(apart).fold(0.0, f32::max);
    assert!(worst < 1e-4, "{worst}");
    let moving = old.world().tree(TREE).body(BodyId(3)).velocity.length();
    assert!(moving > 1e-3, "{moving}");
}

/// By how much the ends of a shrub of particles in leaf sink in a weather, at most, after five seconds, m.
fn sinks(weather: &str) -> f32 {
    let after = |weather: &str| {
        let text = format!(
            "version = 1\n[[tree]]\nspecies = 'shrub'\nbodies = 400\nsolver = 'particles'\n[wind]\nspeed = 0.0\n{weather}"
        );
        let mut simulation = Scene::parse(&text, "weather").unwrap().build().unwrap();
        for _ in 0..150 {
            assert_eq!(simulation.step().healed, 0, "{weather}");
        }
        ends(simulation.world().tree(TREE))
    };
    let (with, without) = (after(weather), after(""));
    let down = with.iter().zip(&without).map(|(a, b)| b.y - a.y);
    down.fold(f32::MIN, f32::max)
}

/// Snow weighs branches down, rain presses leaves, and moving ground leaves a tree behind, under this solver too.
#[test]
fn snow_rain_and_an_earthquake_move_particles() {
    let snow = sinks("[snow]\nrate = 3000.0\n");
    let rain = sinks("[rain]\nrate = 500.0\n");
    println!("snow {snow} m, rain {rain} m");
    assert!(snow > 1e-3, "{snow} m");
    assert!(rain > 1e-5, "{rain} m");
    let scene = treesway_scenes::find("earthquake").unwrap();
    let particles = ["tree.solver=\"particles\"".to_string()];
    let mut simulation = scene.load(&particles).unwrap().build().unwrap();
    let given = ends(simulation.world().tree(TREE));
    let mut most = 0.0_f32;
    for _ in 0..150 {
        assert_eq!(simulation.step().healed, 0);
        most = most.max(farthest(&given, &ends(simulation.world().tree(TREE))));
    }
    println!("earthquake {most} m");
    assert!((0.01..5.0).contains(&most), "{most} m");
}

/// T and t of the paper: the wind differs from moment to moment, and bodies of one plant differ in their wind.
#[test]
fn turbulence_flickers_in_time_and_differs_from_particle_to_particle() {
    let run = |turbulence: &str| {
        let settings = [turbulence.to_string(), "wind.gusts.strength=0.0".into()];
        let scene = treesway_scenes::find("particles").unwrap();
        let mut simulation = scene.load(&settings).unwrap().build().unwrap();
        for _ in 0..599 {
            assert_eq!(simulation.step().healed, 0);
        }
        let last = ends(simulation.world().tree(TREE));
        simulation.step();
        let now = ends(simulation.world().tree(TREE));
        (farthest(&now, &last), now)
    };
    let (still, steady) = run("wind.turbulence.strength=0.0");
    let (moving, _) = run("wind.turbulence.strength=0.6");
    let (at_rest, scattered) = run("wind.turbulence.scatter=0.3");
    println!("{still} {moving} {at_rest} m a frame");
    assert!(moving > 10.0 * still, "in time: {moving} against {still}");
    assert!(
        at_rest < 0.1 * moving,
        "by body alone it comes to rest: {at_rest}"
    );
    assert!(
        farthest(&steady, &scattered) > 1e-3,
        "and to rest elsewhere"
    );
}

#[test]
fn the_tree_of_the_paper_has_255_branches() {
    let scene = treesway_scenes::find("particles").unwrap();
    let simulation = scene.load(&[]).unwrap().build().unwrap();
    assert_eq!(simulation.bodies(), 255);
}
