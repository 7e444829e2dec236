//! A project that runs: what was grown from it, and how edits reach it.

use crate::grip::Hand;
use crate::project::Project;
use std::sync::Arc;
use treesway::glam::{DVec3, Vec3};
use treesway::{
    Ball, BodyId, Collider, Pace, Pull, PullId, RootMotion, RootPose, Solver, SolverSettings,
    StepReport, Tree, TreeId, World, WorldSnapshot,
};
use treesway_io::scene::{CreatureTable, Model, SceneFile, Shake, TreeTable};
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
    pub models: Vec<Arc<Model>>,
    /// What each of them is made of.
    pub figures: Vec<Figures>,
    start: Arc<WorldSnapshot>,
    /// Pulls of hands, in every world.
    held: Vec<(Hand, TreeId, Vec<PullId>)>,
    /// How long the last frame took, s; unknown at first and after an edit that may change it.
    step_secs: Option<f64>,
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

/// Fewest bodies that move before that is known.
const LEAST_GUESS: usize = 16;

/// The same trees in the same wind, moved by another solver. They stand where the first ones stand, and are drawn beside them.
pub struct Twin {
    /// How they move.
    pub solver: Solver,
    /// World and timeline.
    pub simulation: Simulation,
    /// From where they stand to where they are drawn, m.
    pub offset: Vec3,
    start: Arc<WorldSnapshot>,
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
            start: Arc::new(simulation.world().snapshot()),
            twin: twin.transpose()?,
            held: Vec::new(),
            step_secs: None,
            pace: None,
            chosen: None,
            wanted: false,
            scene,
            simulation,
            models: models.into_iter().map(Arc::new).collect(),
        })
    }

    /// As it stands, to be looked at while this one is stepped elsewhere.
    pub fn still(&self) -> Self {
        Self {
            scene: self.scene.clone(),
            simulation: self.simulation.without_fields(),
            models: self.models.clone(),
            figures: self.figures.clone(),
            start: self.start.clone(),
            held: self.held.clone(),
            step_secs: self.step_secs,
            twin: self.twin.as_ref().map(|twin| Twin {
                simulation: twin.simulation.without_fields(),
                start: twin.start.clone(),
                ..*twin
            }),
            pace: self.pace.clone(),
            chosen: self.chosen.clone(),
            wanted: self.wanted,
        }
    }

    /// Meshes to draw the trees with, in all no more triangles than the quality allows.
    pub fn meshes(&self, quality: Quality) -> Vec<TreeMesh> {
        let shown = 0..self.shown().count();
        shown.map(|i| self.mesh(i, quality)).collect()
    }

    /// A mesh to draw one tree of [`Stage::shown`] with.
    pub fn mesh(&self, shown: usize, quality: Quality) -> TreeMesh {
        let model = self.model(shown);
        let detail = self.detail(model, quality);
        TreeMesh::new(&model.bodies, &model.look, &detail, quality)
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

    /// Every collider where it is drawn, likewise.
    pub fn colliders(&self) -> impl Iterator<Item = Collider> {
        let own = self.simulation.world().colliders().copied();
        let beside = self.twin.iter().flat_map(|twin| {
            let theirs = twin.simulation.world().colliders();
            theirs.map(|&collider| Collider {
                position: collider.position + twin.offset,
                ..collider
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
        let (old, new) = (&self.scene.file, &scene.file);
        if what_grows(old) == what_grows(new) && goes_further(&old.creatures, &new.creatures) {
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
        self.send_creatures(&scene)?;
        let mut as_quick = true;
        let solvers = [None, self.twin.as_ref().map(|twin| twin.solver)];
        for ((world, fields), solver) in self.worlds_mut().zip(fields).zip(solvers) {
            world.gravity = scene.file.environment.gravity;
            world.fields = fields;
            world.snow.clone_from(&snow);
            if world.frame_secs() != frame_secs {
                as_quick = false;
                world.set_frame_secs(frame_secs);
            }
            for (i, (params, table)) in params.iter().zip(&scene.file.trees).enumerate() {
                let tree = world.tree_mut(TreeId(i));
                let settings = settings(table, solver);
                if *tree.settings() != settings {
                    as_quick = false;
                    let changed = tree.set_settings(settings);
                    changed.expect("checked above");
                }
                if tree.params() != params {
                    tree.set_params(params.clone()).expect("checked above");
                }
            }
        }
        self.step_secs = self.step_secs.filter(|_| as_quick);
        self.scene = scene;
        Ok(())
    }

    /// Squirrels go where a file sends them, from where they are.
    fn send_creatures(&mut self, scene: &Scene) -> Result<(), SceneError> {
        if scene.file.creatures == self.scene.file.creatures {
            return Ok(());
        }
        let new = scene.send_creatures(self.simulation.world_mut())?;
        if let Some(twin) = &mut self.twin {
            // The same figures.
            scene.send_creatures(twin.simulation.world_mut())?;
        }
        self.models.extend(new.into_iter().map(Arc::new));
        let trees = self.simulation.world().trees();
        self.figures
            .extend(trees[self.figures.len()..].iter().map(Figures::of));
        Ok(())
    }

    /// A hand takes hold.
    pub fn hold(&mut self, hand: Hand, tree: TreeId, pull: Pull) {
        let worlds = self.worlds_mut();
        let pulls = worlds.map(|world| world.tree_mut(tree).add_pull(pull));
        let pulls = pulls.collect();
        self.held.push((hand, tree, pulls));
    }

    /// It is led to a place, m.
    pub fn lead(&mut self, hand: Hand, target: Vec3) {
        let Some((_, tree, pulls)) = self.held.iter().find(|held| held.0 == hand).cloned() else {
            return;
        };
        for (world, pull) in self.worlds_mut().zip(pulls) {
            if let Some(pull) = world.tree_mut(tree).pull_mut(pull) {
                pull.target = target;
            }
        }
    }

    /// It lets go.
    pub fn let_go(&mut self, hand: Hand) {
        let (gone, held) = self.held.drain(..).partition(|held| held.0 == hand);
        self.held = held;
        let gone: Vec<(Hand, TreeId, Vec<PullId>)> = gone;
        for (_, tree, pulls) in gone {
            for (world, pull) in self.worlds_mut().zip(pulls) {
                world.tree_mut(tree).release(pull);
            }
        }
    }

    /// With which force it pulls, N; none where what it held has come off.
    pub fn force_of(&self, hand: Hand) -> Option<Vec3> {
        let (_, tree, pulls) = self.held.iter().find(|held| held.0 == hand)?;
        let tree = self.simulation.world().tree(*tree);
        tree.pull_force(*pulls.first()?)
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
        let guess = match (target_secs, self.step_secs) {
            (Some(target), Some(secs)) if secs > target => {
                Some(((all as f64 * target / secs) as usize).max(LEAST_GUESS))
            }
            (Some(_), None) if all > LARGE => Some(FIRST_GUESS),
            _ => None,
        };
        self.chosen = guess.map(|most| self.shares(most, all));
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
        self.step_secs = Some(start.elapsed().as_secs_f64());
        [own, beside.unwrap_or_default()]
    }

    /// How long the last frame took, s, where the next one will take about as long.
    pub fn step_secs(&self) -> Option<f64> {
        self.step_secs
    }

    /// Whether a frame may take much longer than the one before: where a tree meets itself, it depends on how often. Such trees move as a whole.
    pub fn is_unsteady(&self) -> bool {
        let meets_itself = |tree: &Tree| {
            let settings = tree.settings();
            settings.self_contact.keeps_apart(settings.solver)
        };
        self.shown().any(|(tree, _)| meets_itself(tree))
    }

    /// Finds out how long a frame takes, and leaves everything as it is at the first one.
    pub fn try_out(&mut self) {
        self.step();
        self.restart();
    }

    /// Back to the first frame.
    pub fn restart(&mut self) {
        self.simulation.restart(&self.start);
        if let Some(twin) = &mut self.twin {
            twin.simulation.restart(&twin.start);
        }
        self.held.clear();
        // Those that came later set out anew.
        let scene = self.scene.clone();
        for world in self.worlds_mut() {
            let sent = scene.send_creatures(world);
            sent.expect("they were sent there before");
        }
        for i in 0..self.scene.file.trees.len() {
            let motion = self.motion(i);
            self.move_root(i, motion);
        }
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
            start: Arc::new(simulation.world().snapshot()),
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
    file.creatures.clear();
    for tree in &mut file.trees {
        tree.params = Default::default();
        tree.simulate = Default::default();
        tree.settings = Default::default();
        tree.solver = None;
        tree.substeps = None;
    }
    file
}

/// Whether creatures are the same or more, and go where they went or further: those that run now go on.
fn goes_further(old: &[CreatureTable], new: &[CreatureTable]) -> bool {
    let alone = |creature: &CreatureTable| CreatureTable {
        runs: Vec::new(),
        ..creature.clone()
    };
    let mut both = old.iter().zip(new);
    new.len() >= old.len()
        && both.all(|(old, new)| new.runs.starts_with(&old.runs) && alone(old) == alone(new))
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
mod measurements;
#[cfg(test)]
mod tests;
