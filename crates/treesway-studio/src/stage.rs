//! A project that runs: what was grown from it, and how edits reach it.

use crate::project::Project;
use std::sync::Arc;
use treesway::glam::{DVec3, Vec3};
use treesway::{
    Ball, BodyId, Pace, RootMotion, RootPose, Solver, SolverSettings, StepReport, Tree, TreeId,
    World, WorldSnapshot,
};
use treesway_io::scene::{Model, SceneFile, Shake, TreeTable};
use treesway_io::{Scene, SceneError, Simulation};
use treesway_render::{Quality, TreeMesh};
use treesway_skin::Detail;

/// Trees that move.
pub struct Stage {
    /// What they were made from, with the edits since.
    scene: Scene,
    /// World and timeline.
    pub simulation: Simulation,
    /// Bodies and looks.
    pub models: Vec<Model>,
    /// What each of them is made of.
    pub figures: Vec<Figures>,
    start: WorldSnapshot,
    /// The same trees once more, with another solver.
    pub twin: Option<Twin>,
    /// Chooses how many bodies move, where that is asked for.
    pace: Option<Pace>,
    /// What it chose last, of every tree.
    chosen: Option<Vec<u32>>,
    /// That is not done yet.
    wanted: bool,
}

/// Bodies from which on a choice of what moves takes long enough to be felt.
const LARGE: usize = 100_000;

/// Triangles of whatever has few bodies.
const LEAST_TRIANGLES: usize = 3000;

/// Bodies that move in a tree of more than [`LARGE`] before it is known how long they take.
const FIRST_GUESS: usize = 20_000;

/// The same trees in the same wind, moved by another solver. They stand where the first ones stand, and are drawn beside them.
pub struct Twin {
    /// How they move.
    pub solver: Solver,
    /// World and timeline.
    pub simulation: Simulation,
    /// From where they stand to where they are drawn, m.
    pub offset: Vec3,
    start: WorldSnapshot,
}

/// What a tree was when it had grown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Segments, leaves, fruit.
    pub counts: [usize; 3],
    /// kg.
    pub mass: f32,
    /// m.
    pub height: f32,
}

impl Figures {
    fn of(tree: &Tree) -> Self {
        let mut figures = Self::default();
        for id in tree.ids() {
            let body = tree.body(id);
            figures.counts[body.kind as usize] += 1;
            figures.mass += body.mass;
            figures.height = figures.height.max(tree.tip(id).y);
        }
        figures
    }
}

/// Who is to stand beside the trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside {
    /// How they move.
    pub solver: Solver,
    /// On which side, level and of length one.
    pub side: Vec3,
}

/// What an edit asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Parameters, wind, surroundings: taken over while the trees move.
    Live,
    /// Other trees.
    Regrow,
}

/// Triangles of a tree among others: by its share of their bodies, and as many as a squirrel takes.
pub(crate) fn triangles(quality: Quality, bodies: usize, all: usize) -> usize {
    let share = bodies as f64 / all.max(1) as f64;
    ((quality.triangles() as f64 * share) as usize).max(LEAST_TRIANGLES)
}

impl Stage {
    /// Grows the trees of a project, and others beside them if asked.
    pub fn grow(project: &Project, beside: Option<Beside>) -> Result<Self, SceneError> {
        let scene = project.scene()?;
        let (simulation, models) = scene.build_to_draw()?;
        let twin = beside.map(|beside| Twin::grow(&scene, &simulation, beside));
        Ok(Self {
            figures: simulation.world().trees().iter().map(Figures::of).collect(),
            start: simulation.world().snapshot(),
            twin: twin.transpose()?,
            pace: None,
            chosen: None,
            wanted: false,
            scene,
            simulation,
            models,
        })
    }

    /// Meshes to draw the trees with, in all no more triangles than the quality allows.
    pub fn meshes(&self, quality: Quality) -> Vec<TreeMesh> {
        (0..self.shown().count())
            .map(|i| {
                let model = self.model(i);
                let detail = self.detail(model, quality);
                TreeMesh::new(&model.bodies, &model.look, &detail, quality)
            })
            .collect()
    }

    /// How finely one of them is drawn.
    pub fn detail(&self, model: &Model, quality: Quality) -> Detail {
        let each = triangles(quality, model.bodies.bodies.len(), self.shown_bodies());
        Detail::within(each.min(MOST_TRIANGLES), &model.bodies, &model.look)
    }

    /// Every tree that is drawn, and where from where it stands, m: those of the project, then those beside them.
    pub fn shown(&self) -> impl Iterator<Item = (&Tree, Vec3)> {
        let own = self.simulation.world().trees().iter();
        let beside = self.twin.iter().flat_map(|twin| {
            let trees = twin.simulation.world().trees().iter();
            trees.map(|tree| (tree, twin.offset))
        });
        own.map(|tree| (tree, Vec3::ZERO)).chain(beside)
    }

    /// How many bodies those have.
    pub fn shown_bodies(&self) -> usize {
        self.shown().map(|(tree, _)| tree.len()).sum()
    }

    /// What a tree of [`Stage::shown`] is drawn from.
    pub fn model(&self, shown: usize) -> &Model {
        &self.models[shown % self.models.len()]
    }

    /// Every ball where it is drawn, as [`Stage::shown`].
    pub fn balls(&self) -> impl Iterator<Item = Ball> {
        let own = self.simulation.world().balls();
        let beside = self.twin.iter().flat_map(|twin| {
            twin.simulation.world().balls().map(|ball| Ball {
                position: ball.position + twin.offset,
                ..ball
            })
        });
        own.chain(beside)
    }

    /// The world of the trees, and the one beside it: what hands do is done in both.
    pub fn worlds_mut(&mut self) -> impl Iterator<Item = &mut World> {
        let beside = self.twin.as_mut().map(|twin| twin.simulation.world_mut());
        core::iter::once(self.simulation.world_mut()).chain(beside)
    }

    /// What it says.
    pub fn file(&self) -> &SceneFile {
        &self.scene.file
    }

    /// Whether it is a tree of the file: creatures come after those.
    pub fn is_planted(&self, tree: TreeId) -> bool {
        tree.0 < self.scene.file.trees.len()
    }

    /// What it takes to follow a project.
    pub fn change(&self, scene: &Scene) -> Change {
        if what_grows(&self.scene.file) == what_grows(&scene.file) {
            Change::Live
        } else {
            Change::Regrow
        }
    }

    /// Takes over what can change while the trees move. On an error nothing has changed.
    pub fn follow(&mut self, scene: Scene) -> Result<(), SceneError> {
        let snow = scene.snow()?;
        let fields = [scene.fields()?, scene.fields()?];
        let count = scene.file.trees.len();
        let params = (0..count).map(|i| scene.params(i, self.models[i].known.as_ref()));
        let params = params.collect::<Result<Vec<_>, _>>()?;
        let known = self.simulation.world();
        for (i, (params, table)) in params.iter().zip(&scene.file.trees).enumerate() {
            let bodies = known.tree(TreeId(i)).len();
            let checked = params
                .validate(bodies)
                .and_then(|()| settings(table, None).validate());
            checked.map_err(|error| scene.error_of_tree(i, &error))?;
        }
        let frame_secs = frame_secs(&scene)?;
        self.choose(&scene)?;
        let solvers = [None, self.twin.as_ref().map(|twin| twin.solver)];
        for ((world, fields), solver) in self.worlds_mut().zip(fields).zip(solvers) {
            world.gravity = scene.file.environment.gravity;
            world.fields = fields;
            world.snow.clone_from(&snow);
            if world.frame_secs() != frame_secs {
                world.set_frame_secs(frame_secs);
            }
            for (i, (params, table)) in params.iter().zip(&scene.file.trees).enumerate() {
                let tree = world.tree_mut(TreeId(i));
                let settings = settings(table, solver);
                if *tree.settings() != settings {
                    let changed = tree.set_settings(settings);
                    changed.expect("checked above");
                }
                if tree.params() != params {
                    tree.set_params(params.clone()).expect("checked above");
                }
            }
        }
        self.scene = scene;
        Ok(())
    }

    /// Which bodies are to move on their own, by a file and, where frames are to take no more than a time, by how long they take.
    fn choose(&mut self, scene: &Scene) -> Result<(), SceneError> {
        let chosen = self.chosen.clone();
        for world in self.worlds_mut() {
            for (i, table) in scene.file.trees.iter().enumerate() {
                let tree = world.tree_mut(TreeId(i));
                let mut wanted = table.simulate.clone();
                if let Some(chosen) = &chosen {
                    wanted.most_bodies = Some(chosen[i]);
                }
                if *tree.simulated() != wanted {
                    let done = tree.simulate_only(&wanted);
                    done.map_err(|error| scene.error_of_tree(i, &error))?;
                }
            }
        }
        Ok(())
    }

    /// Whether what takes a sweep over all bodies is felt.
    pub fn is_large(&self) -> bool {
        self.shown_bodies() > LARGE
    }

    /// Whether so many bodies would move by the file that the window would hardly be drawn any more.
    pub fn needs_pace(&self) -> bool {
        self.is_large() && self.moving()[0] > LARGE
    }

    /// Whether as many bodies move as hold a frame rate.
    pub fn is_paced(&self) -> bool {
        self.pace.is_some()
    }

    /// Whether other bodies are to move by another file.
    pub fn moves_another_part(&self, scene: &Scene) -> bool {
        let tables = self.scene.file.trees.iter().zip(&scene.file.trees);
        let mut tables = tables.map(|(old, new)| (&old.simulate, &new.simulate));
        tables.any(|(old, new)| old != new)
    }

    /// Whether other bodies are to move, to hold the frame rate.
    pub fn wants_another_part(&self) -> bool {
        self.wanted
    }

    /// Lets them move.
    pub fn move_wanted_part(&mut self) -> Result<(), SceneError> {
        self.wanted = false;
        let scene = self.scene.clone();
        self.choose(&scene)
    }

    /// From now on so many bodies move that a frame takes no longer than that, s; none: as the file says.
    pub fn set_pace(&mut self, target_secs: Option<f64>) {
        self.pace = target_secs.map(Pace::new);
        self.wanted = false;
        let all = self.moving()[1];
        self.chosen = (self.pace.is_some() && all > LARGE).then(|| self.shares(FIRST_GUESS, all));
        let scene = self.scene.clone();
        self.choose(&scene).expect("what the file says was checked");
    }

    /// Bodies that move on their own, and all, of the trees of the file.
    pub fn moving(&self) -> [usize; 2] {
        let trees = self.simulation.world().trees().iter();
        let trees = trees.take(self.scene.file.trees.len());
        trees.fold([0, 0], |[moving, all], tree| {
            [moving + tree.moving(), all + tree.len()]
        })
    }

    fn keep_pace(&mut self, secs: f64) {
        let [moving, all] = self.moving();
        let wanted = self.pace.as_mut();
        let Some(most) = wanted.and_then(|pace| pace.after_frame(secs, moving, all)) else {
            return;
        };
        self.chosen = Some(self.shares(most as usize, all));
        self.wanted = true;
    }

    /// So many of `all` bodies, by tree.
    fn shares(&self, most: usize, all: usize) -> Vec<u32> {
        let trees = self.simulation.world().trees().iter();
        let share = |tree: &Tree| (most as f64 * tree.len() as f64 / all as f64).ceil() as u32;
        let planted = self.scene.file.trees.len();
        trees.take(planted).map(share).collect()
    }

    /// Goes on where another stage of nearly the same trees is: a grammar that is drawn deeper or less deep keeps the motion of what was there, and of joints that were
    /// bent by hand all others do.
    pub fn go_on(&mut self, old: &Self) {
        if nearly(&old.scene.file) != nearly(&self.scene.file) {
            return;
        }
        let seconds = old.simulation.world().seconds();
        let bent = self.bent_since(old);
        let olds = [
            Some(&old.simulation),
            old.twin.as_ref().map(|t| &t.simulation),
        ];
        for (world, old) in self.worlds_mut().zip(olds) {
            world.set_seconds(seconds);
            let Some(old) = old else {
                continue;
            };
            for (i, bent) in bent.iter().enumerate() {
                let tree = world.tree_mut(TreeId(i));
                tree.adopt_motion(old.world().tree(TreeId(i)));
                for &body in bent {
                    tree.set_joint(body, Vec3::ZERO, Vec3::ZERO);
                }
                tree.settle_world();
            }
        }
    }

    /// Joints of every tree that rest in another pose than in another stage.
    fn bent_since(&self, old: &Self) -> Vec<Vec<BodyId>> {
        let trees = self.scene.file.trees.iter().zip(&old.scene.file.trees);
        trees
            .map(|(new, old)| {
                let missing = old.poses.iter().filter(|pose| !new.poses.contains(pose));
                let added = new.poses.iter().filter(|pose| !old.poses.contains(pose));
                missing.chain(added).map(|pose| BodyId(pose.body)).collect()
            })
            .collect()
    }

    /// One frame; what the trees did, and those beside them.
    pub fn step(&mut self) -> [StepReport; 2] {
        let start = web_time::Instant::now();
        let own = self.simulation.step();
        self.keep_pace(start.elapsed().as_secs_f64());
        let beside = self.twin.as_mut().map(|twin| twin.simulation.step());
        [own, beside.unwrap_or_default()]
    }

    /// Back to the first frame.
    pub fn restart(&mut self) {
        self.simulation.restart(&self.start);
        if let Some(twin) = &mut self.twin {
            twin.simulation.restart(&twin.start);
        }
        for i in 0..self.scene.file.trees.len() {
            let motion = self.motion(i);
            self.move_root(i, motion);
        }
        let scene = self.scene.clone();
        self.choose(&scene)
            .expect("what moves now was chosen before");
    }

    /// How a root moves by the file.
    fn motion(&self, i: usize) -> Option<Arc<dyn RootMotion>> {
        self.scene.motion(i).expect("the trees were grown with it")
    }

    fn move_root(&mut self, i: usize, motion: Option<Arc<dyn RootMotion>>) {
        for world in self.worlds_mut() {
            world.tree_mut(TreeId(i)).set_motion(motion.clone());
        }
    }

    /// Shakes the ground under all trees for a second, on top of what it does by the file.
    pub fn shake(&mut self) {
        let now = self.simulation.world().seconds();
        let shake = Shake {
            direction: DVec3::new(1.0, 0.0, 0.4),
            amplitude: 0.08,
            frequency: 5.0,
            start: now,
            stop: now + 1.0,
        };
        for i in 0..self.scene.file.trees.len() {
            let (own, at, shake) = (self.motion(i), self.scene.file.trees[i].at, shake.clone());
            let shaken = move |seconds: f64| {
                let rests = RootPose {
                    position: at,
                    ..RootPose::default()
                };
                let pose = own.as_ref().map_or(rests, |own| own.pose(seconds));
                RootPose {
                    position: pose.position + shake.offset(seconds),
                    ..pose
                }
            };
            self.move_root(i, Some(Arc::new(shaken)));
        }
    }
}

impl Twin {
    fn grow(scene: &Scene, own: &Simulation, beside: Beside) -> Result<Self, SceneError> {
        let mut scene = scene.clone();
        for table in &mut scene.file.trees {
            table.settings = settings(table, Some(beside.solver));
            (table.solver, table.substeps) = (None, None);
        }
        let simulation = scene.build()?;
        let trees = own.world().trees().iter();
        let ends = trees.flat_map(|tree| tree.ids().map(|id| tree.tip(id).dot(beside.side)));
        let span = ends.fold([f32::INFINITY, f32::NEG_INFINITY], |[a, b], at| {
            [a.min(at), b.max(at)]
        });
        Ok(Self {
            solver: beside.solver,
            start: simulation.world().snapshot(),
            simulation,
            // Room between the crowns, into which they bend.
            offset: beside.side * (1.25 * (span[1] - span[0]) + 0.2),
        })
    }
}

/// Triangles of a tree in the studio: more are not seen in a viewport, but felt in every frame.
const MOST_TRIANGLES: usize = 1_000_000;

/// How a tree is stepped, by its table; another solver takes as many steps as it usually does.
fn settings(table: &TreeTable, other: Option<Solver>) -> SolverSettings {
    let mut settings = table.settings.clone();
    settings.solver = table.solver.unwrap_or(settings.solver);
    settings.substeps = table.substeps.unwrap_or(settings.substeps);
    if let Some(solver) = other {
        (settings.solver, settings.substeps) = (solver, 0);
    }
    settings
}

/// Length of frames by the file, s.
fn frame_secs(scene: &Scene) -> Result<f64, SceneError> {
    let fps = scene.file.run.fps;
    if (1e-3..=1e6).contains(&fps) {
        return Ok(1.0 / fps);
    }
    Err(SceneError {
        file: scene.name().into(),
        line: None,
        column: None,
        what: format!("run.fps is {fps}; expected a number from 0.001 to 1000000"),
    })
}

/// A scene without what can change while its trees move.
fn what_grows(file: &SceneFile) -> SceneFile {
    let mut file = file.clone();
    file.title.clear();
    file.run = Default::default();
    (file.wind, file.snow, file.rain) = (None, None, None);
    file.environment.gravity = Default::default();
    file.camera = Default::default();
    file.sun = Default::default();
    for tree in &mut file.trees {
        tree.params = Default::default();
        tree.simulate = Default::default();
        tree.settings = Default::default();
        tree.solver = None;
        tree.substeps = None;
    }
    file
}

/// The same without what leaves most of a tree as it is.
fn nearly(file: &SceneFile) -> SceneFile {
    let mut file = what_grows(file);
    for tree in &mut file.trees {
        tree.depth = None;
        tree.poses.clear();
    }
    file
}

#[cfg(test)]
mod tests {
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
        let apart =
            both.balls().nth(1).unwrap().position.x - both.balls().next().unwrap().position.x;
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
        let text =
            "version = 1\n[[tree]]\nspecies = 'oak'\nbodies = 3270000\n[wind]\nspeed = 6.0\n";
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
}
