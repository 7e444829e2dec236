//! How long it takes; left out by default.

use super::*;
use treesway::{ControlPoint, Curve, CurveMode, QuantityCurve};

/// What dragging a control point costs in a tree of 10,000 bodies, and how much of a core simulating it 60 times a second takes.
#[test]
#[ignore = "a measurement, for a quiet machine and a release build"]
fn ten_thousand_joints_are_tuned_and_stepped_within_a_frame() {
    let text = "version = 1\n[[tree]]\nspecies = 'oak'\nbodies = 10000\n[wind]\nspeed = 6.0\n[run]\nfps = 60.0\n";
    let mut project = Project::parse(text, "test.toml").unwrap();
    let mut stage = Stage::grow(&project, None).unwrap();
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let (mut edits, mut steps) = (Vec::new(), Vec::new());
    for i in 0..120 {
        let point = |radius: f32, value: f32| ControlPoint { radius, value };
        let points = vec![point(0.002, 0.3 + 0.01 * i as f32), point(0.2, 2.0)];
        let curve = QuantityCurve {
            mode: CurveMode::Multiplier,
            points: Curve::new(points).unwrap(),
        };
        one.install(|| {
            let start = std::time::Instant::now();
            project.set("tree.0.params.curves.bend", &curve);
            stage.follow(project.scene().unwrap()).unwrap();
            edits.push(start.elapsed().as_secs_f64() * 1e3);
            let start = std::time::Instant::now();
            stage.step();
            steps.push(start.elapsed().as_secs_f64() * 1e3);
        });
    }
    let frame = 1e3 / 60.0;
    for (what, times) in [("edit", &mut edits), ("step", &mut steps)] {
        times.sort_by(f64::total_cmp);
        let (middle, worst) = (times[60], times[118]);
        let share = 100.0 * middle / frame;
        println!(
            "{what}: {middle:.2} ms, at worst {worst:.2} ms; {share:.0} % of a sixtieth of a second on one core"
        );
        assert!(middle < 0.5 * frame, "{what}: {middle} ms");
    }
    let both = (edits[60] + steps[60]) / frame;
    println!("both in every frame: {:.0} %", 100.0 * both);
    assert!(both < 1.0, "{both}");
}

/// What a ball and a squirrel cost in the frames in which they come, beside what is done apart from the window.
#[test]
#[ignore = "a measurement, for a quiet machine and a release build"]
fn a_ball_and_a_squirrel_hold_no_frame_up() {
    use treesway_io::scene::{BodyPlace, RunTable};
    use treesway_render::{Headless, Studio, TreeOnGpu};
    use treesway_skin::Look;
    let text = "version = 1\n[[tree]]\nspecies = 'oak'\nbodies = 10000\n[wind]\nspeed = 6.0\n[run]\nfps = 60.0\n";
    let mut project = Project::parse(text, "test.toml").unwrap();
    let mut stage = Stage::grow(&project, None).unwrap();
    let timed = |work: &mut dyn FnMut()| {
        let start = std::time::Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e3
    };
    let frames = |what: &str, stage: &mut Stage| {
        let mut times: Vec<f64> = (0..180).map(|_| timed(&mut || _ = stage.step())).collect();
        times.sort_by(f64::total_cmp);
        println!("{what}: {:.2} ms, at worst {:.2} ms", times[90], times[179]);
    };
    frames("frames", &mut stage);
    let ball = Ball {
        position: Vec3::new(12.0, 2.0, 0.0),
        velocity: Vec3::new(-12.0, 8.0, 0.0),
        radius: 0.2,
        mass: 2.0,
        ..Ball::default()
    };
    stage.worlds_mut().for_each(|world| _ = world.throw(ball));
    frames("frames with a ball", &mut stage);
    let to = BodyPlace::Id(200);
    let run = RunTable {
        tree: 0,
        from: BodyPlace::Root,
        to,
    };
    project.set_first("creature", "run", vec![run]);
    let mut grown = None;
    let apart = timed(&mut || grown = Some(Stage::grow(&project, None).unwrap()));
    println!("grown apart from the window: {apart:.0} ms");
    let mut stage = grown.unwrap();
    frames("frames with a squirrel", &mut stage);
    let gpu = Headless::new().unwrap();
    for quality in [Quality::Low, Quality::Medium] {
        let studio = Studio::new(&gpu, 64, 64, quality).unwrap();
        let renderer = studio.renderer();
        let (look, detail) = (Look::default(), Detail::default());
        let ball = timed(&mut || {
            _ = TreeOnGpu::of_balls(renderer, [ball; 16].into_iter(), &look, &detail).unwrap();
        });
        let mut meshes = stage.meshes(quality);
        let tree = timed(&mut || _ = TreeOnGpu::upload(renderer, meshes.remove(0)).unwrap());
        println!("{quality:?}: balls take {ball:.1} ms, an upload of the tree {tree:.1} ms");
    }
}

/// What choosing and drawing cost in a tree of 3.27 million bodies.
#[test]
#[ignore = "a measurement, for a quiet machine, a release build and 8 GB"]
fn three_million_bodies_are_chosen_from() {
    let text = "version = 1\n[[tree]]\nspecies = 'oak'\nbodies = 3270000\n[wind]\nspeed = 6.0\n";
    let mut project = Project::parse(text, "test.toml").unwrap();
    let timed = |what: &str, work: &mut dyn FnMut()| {
        let start = std::time::Instant::now();
        work();
        println!("{what}: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    };
    let mut stage = None;
    timed("grow", &mut || {
        stage = Some(Stage::grow(&project, None).unwrap())
    });
    let mut stage = stage.expect("grown");
    timed("step, all", &mut || _ = stage.step());
    timed("pace", &mut || stage.set_pace(Some(1.0 / 120.0)));
    println!("{:?} bodies", stage.moving());
    for _ in 0..40 {
        stage.step();
        if stage.wants_another_part() {
            timed("another part", &mut || stage.move_wanted_part().unwrap());
            println!("{:?} bodies", stage.moving());
        }
    }
    timed("step, a part", &mut || _ = stage.step());
    let mut meshes = Vec::new();
    timed("meshes", &mut || meshes = stage.meshes(Quality::Medium));
    project.set("tree.0.params.multipliers.branch_stiffness", 0.5_f32);
    timed("an edit of wood", &mut || {
        stage.follow(project.scene().unwrap()).unwrap();
    });
    project.set("tree.0.simulate.least_radius", 0.02_f32);
    timed("pace off", &mut || stage.set_pace(None));
    timed("a radius", &mut || {
        stage.follow(project.scene().unwrap()).unwrap();
    });
    println!("{:?} bodies", stage.moving());
}
