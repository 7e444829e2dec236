//! Edits on the run, restarts, twins, parts.

use super::*;
use treesway::{ControlPoint, Curve, CurveMode, QuantityCurve};

fn project() -> Project {
    let text = "version = 1\n[[tree]]\nspecies = 'oak'\nbodies = 400\n[wind]\nspeed = 5.0\n";
    Project::parse(text, "test.toml").unwrap()
}

/// What a tree that follows an edit does is what a tree that was grown with it does.
#[test]
fn an_edit_on_the_run_gives_the_tree_that_would_have_grown() {
    let mut project = project();
    let mut followed = Stage::grow(&project, None).unwrap();
    let curve = QuantityCurve {
        mode: CurveMode::Multiplier,
        points: Curve::new(vec![
            ControlPoint {
                radius: 0.002,
                value: 0.3,
            },
            ControlPoint {
                radius: 0.2,
                value: 2.0,
            },
        ])
        .unwrap(),
    };
    project.set("tree.0.params.curves.bend", &curve);
    project.set("tree.0.solver", "analytic");
    project.set("wind.speed", 9.0_f32);
    let scene = project.scene().unwrap();
    assert_eq!(followed.change(&scene), Change::Live);
    followed.follow(scene).unwrap();
    let mut grown = Stage::grow(&project, None).unwrap();
    for _ in 0..20 {
        followed.step();
        grown.step();
    }
    let hash = |stage: &Stage| stage.simulation.world().state_hash();
    assert_eq!(hash(&followed), hash(&grown));
    followed.restart();
    assert_eq!(followed.simulation.world().seconds(), 0.0);
}

/// What a hand did is undone: the trees move as they did, to the last bit.
#[test]
fn a_restart_forgets_shaking_and_cutting() {
    let mut stage = Stage::grow(&project(), None).unwrap();
    let run = |stage: &mut Stage| {
        (0..20).for_each(|_| _ = stage.step());
        stage.simulation.world().state_hash()
    };
    let untouched = run(&mut stage);
    stage.shake();
    stage
        .simulation
        .world_mut()
        .tree_mut(TreeId(0))
        .cut(BodyId(30));
    stage.restart();
    assert_eq!(run(&mut stage), untouched);
    stage.restart();
    stage.shake();
    assert_ne!(run(&mut stage), untouched, "the ground shakes");
}

/// Beside the trees stand those that would have grown with the other solver, and what hands do is done to both.
#[test]
fn trees_beside_the_others_move_as_their_solver_says() {
    let mut project = project();
    let beside = Beside {
        solver: Solver::Analytic,
        side: Vec3::X,
    };
    let mut both = Stage::grow(&project, Some(beside)).unwrap();
    project.set("tree.0.solver", "analytic");
    let mut alone = Stage::grow(&project, None).unwrap();
    let ball = Ball {
        position: Vec3::new(0.0, 9.0, 0.0),
        ..Ball::default()
    };
    for stage in [&mut both, &mut alone] {
        stage.worlds_mut().for_each(|world| _ = world.throw(ball));
        stage.shake();
        for _ in 0..20 {
            stage.step();
        }
    }
    let twin = both.twin.as_ref().unwrap();
    let hash = alone.simulation.world().state_hash();
    assert_eq!(twin.simulation.world().state_hash(), hash);
    assert_ne!(both.simulation.world().state_hash(), hash);
    assert_eq!(both.shown().count(), 2);
    let apart = both.balls().nth(1).unwrap().position.x - both.balls().next().unwrap().position.x;
    assert!(apart > 3.0, "{apart}");
}

#[test]
fn a_plant_goes_on_moving_as_it_gets_deeper_and_while_it_is_bent() {
    let text = "version = 1\n[[tree]]\ngrammar = 'binary'\ndepth = 5\nsolver = 'particles'\n[wind]\nspeed = 8.0\n";
    let mut project = Project::parse(text, "test.toml").unwrap();
    let mut young = Stage::grow(&project, None).unwrap();
    for _ in 0..40 {
        young.step();
    }
    let tips = |stage: &Stage| -> Vec<Vec3> {
        let tree = stage.simulation.world().tree(TreeId(0));
        tree.ids().map(|id| tree.tip(id)).collect()
    };
    for (path, value) in [
        ("tree.0.depth", toml::Value::Integer(6)),
        (
            "tree.0.pose",
            toml::toml! { pose = [{ body = 9, turn = [0.2, 0.0, 0.0] }] }["pose"].clone(),
        ),
    ] {
        project.set(path, value);
        let mut next = Stage::grow(&project, None).unwrap();
        next.go_on(&young);
        assert_eq!(
            next.simulation.world().seconds(),
            young.simulation.world().seconds()
        );
        let (before, after) = (tips(&young), tips(&next));
        let apart = |tip: &Vec3| after.iter().map(|t| t.distance(*tip)).fold(9.0, f32::min);
        let stayed = before.iter().filter(|tip| apart(tip) < 1e-3).count();
        // What hangs on the joint that was bent has moved.
        assert!(
            stayed * 10 > before.len() * 8,
            "{path}: {stayed} of {}",
            before.len()
        );
        let moving = next
            .simulation
            .world()
            .tree(TreeId(0))
            .body(BodyId(3))
            .velocity;
        assert!(moving.length() > 1e-4, "{path}: {moving}");
        young = next;
    }
    project.set("tree.0.seed", 9);
    let mut other = Stage::grow(&project, None).unwrap();
    other.go_on(&young);
    assert_eq!(other.simulation.world().seconds(), 0.0, "another plant");
}

#[test]
fn a_part_moves_by_the_file_and_by_the_time_that_frames_take() {
    let mut project = project();
    let mut stage = Stage::grow(&project, None).unwrap();
    let all = stage.moving()[1];
    assert_eq!(stage.moving(), [all; 2]);
    project.set("tree.0.simulate.most_bodies", 90);
    let scene = project.scene().unwrap();
    assert_eq!(stage.change(&scene), Change::Live);
    stage.follow(scene).unwrap();
    assert!(stage.moving()[0] < all, "{:?}", stage.moving());
    project.remove("tree.0.simulate");
    stage.follow(project.scene().unwrap()).unwrap();
    assert_eq!(stage.moving(), [all; 2]);
    // No machine steps 400 bodies in a nanosecond.
    stage.set_pace(Some(1e-9));
    for _ in 0..200 {
        stage.step();
        if stage.wants_another_part() {
            stage.move_wanted_part().unwrap();
        }
    }
    assert!(stage.moving()[0] < all, "{:?}", stage.moving());
    stage.set_pace(None);
    assert_eq!(stage.moving(), [all; 2]);
    stage.restart();
}

#[test]
fn the_length_of_steps_changes_while_the_trees_move() {
    let mut project = project();
    let mut stage = Stage::grow(&project, None).unwrap();
    for _ in 0..30 {
        stage.step();
    }
    project.set("run.fps", 60.0);
    let scene = project.scene().unwrap();
    assert_eq!(stage.change(&scene), Change::Live);
    stage.follow(scene).unwrap();
    let world = stage.simulation.world();
    assert_eq!((world.frame_secs(), world.seconds()), (1.0 / 60.0, 1.0));
    project.set("run.fps", 0.0);
    let error = stage.follow(project.scene().unwrap()).unwrap_err();
    assert!(error.to_string().contains("run.fps is 0"), "{error}");
}

#[test]
fn another_seed_grows_another_tree_and_a_wrong_edit_changes_nothing() {
    let mut project = project();
    let mut stage = Stage::grow(&project, None).unwrap();
    project.set("tree.0.params.wood.density", -1.0_f32);
    let wrong = project.scene().unwrap();
    let error = stage.follow(wrong).unwrap_err().to_string();
    assert!(error.contains("density"), "{error}");
    assert!(
        stage
            .simulation
            .world()
            .tree(TreeId(0))
            .params()
            .wood
            .density
            > 0.0
    );
    project.remove("tree.0.params");
    project.set("tree.0.seed", 3);
    assert_eq!(stage.change(&project.scene().unwrap()), Change::Regrow);
}

/// A squirrel that is sent while the tree sways: nothing jumps, it runs on from where it is, and after a restart it is as if it had been there from the start.
#[test]
fn a_squirrel_is_sent_while_the_tree_sways() {
    use treesway_io::scene::{BodyPlace, RunTable};
    let mut project = project();
    let mut stage = Stage::grow(&project, None).unwrap();
    let mut alone = Stage::grow(&project, None).unwrap();
    for stage in [&mut stage, &mut alone] {
        (0..60).for_each(|_| _ = stage.step());
    }
    let run = |from, to| RunTable { tree: 0, from, to };
    let mut way = vec![run(BodyPlace::Root, BodyPlace::Id(40))];
    let mut send = |stage: &mut Stage, way: &[RunTable]| {
        project.set_first("creature", "run", way.to_vec());
        let scene = project.scene().unwrap();
        assert_eq!(stage.change(&scene), Change::Live);
        stage.follow(scene).unwrap();
    };
    send(&mut stage, &way);
    let hash = |stage: &Stage| stage.simulation.world().tree(TreeId(0)).state_hash();
    assert_eq!(hash(&stage), hash(&alone), "the tree is as it was");
    assert_eq!(stage.shown().count(), 2, "a tree and a squirrel");
    assert_eq!(stage.simulation.world().seconds(), 2.0);
    let place = |stage: &Stage| stage.simulation.world().creatures()[0].pose().position;
    let start = place(&stage);
    for stage in [&mut stage, &mut alone] {
        (0..15).for_each(|_| _ = stage.step());
    }
    let gone = place(&stage).distance(start);
    // Half a second at 2.5 m/s.
    assert!((0.8..1.6).contains(&gone), "{gone} m");
    assert_ne!(hash(&stage), hash(&alone), "the tree feels it");
    way.push(run(BodyPlace::Id(40), BodyPlace::Id(90)));
    let before = place(&stage);
    send(&mut stage, &way);
    assert_eq!(place(&stage), before, "it goes on from where it is");
    stage.step();
    assert!(place(&stage).distance(before) < 0.3);

    stage.restart();
    let mut grown = Stage::grow(&project, None).unwrap();
    for stage in [&mut stage, &mut grown] {
        (0..80).for_each(|_| _ = stage.step());
    }
    let all = |stage: &Stage| stage.simulation.world().state_hash();
    assert_eq!(all(&stage), all(&grown));
}
