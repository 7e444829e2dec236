//! A project that runs: what was grown from it, and how edits reach it.

use crate::project::Project;
use std::sync::Arc;
use treesway::glam::DVec3;
use treesway::{RootMotion, RootPose, StepReport, Tree, TreeId, WorldSnapshot};
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
    /// Of the trees as they grew, m.
    pub heights: Vec<f32>,
    start: WorldSnapshot,
}

/// What an edit asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Parameters, wind, surroundings: taken over while the trees move.
    Live,
    /// Other trees.
    Regrow,
}

impl Stage {
    /// Grows the trees of a project.
    pub fn grow(project: &Project) -> Result<Self, SceneError> {
        let scene = project.scene()?;
        let (simulation, models) = scene.build_to_draw()?;
        let height = |tree: &Tree| tree.ids().map(|id| tree.tip(id).y).fold(0.0, f32::max);
        Ok(Self {
            heights: simulation.world().trees().iter().map(height).collect(),
            start: simulation.world().snapshot(),
            scene,
            simulation,
            models,
        })
    }

    /// Meshes to draw the trees with, in all no more triangles than the quality allows.
    pub fn meshes(&self, quality: Quality) -> Vec<TreeMesh> {
        let models = self.models.iter();
        models
            .map(|model| {
                let detail = self.detail(model, quality);
                TreeMesh::new(&model.bodies, &model.look, &detail, quality)
            })
            .collect()
    }

    /// How finely one of them is drawn.
    pub fn detail(&self, model: &Model, quality: Quality) -> Detail {
        let each = quality.triangles() / self.models.len().max(1);
        Detail::within(each.min(MOST_TRIANGLES), &model.bodies, &model.look)
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
        let (fields, snow) = (scene.fields()?, scene.snow()?);
        let count = scene.file.trees.len();
        let params = (0..count).map(|i| scene.params(i, self.models[i].known.as_ref()));
        let params = params.collect::<Result<Vec<_>, _>>()?;
        let known = self.simulation.world();
        for (i, (params, table)) in params.iter().zip(&scene.file.trees).enumerate() {
            let bodies = known.tree(TreeId(i)).len();
            let checked = params
                .validate(bodies)
                .and_then(|()| settings(table).validate());
            checked.map_err(|error| scene.error_of_tree(i, &error))?;
        }
        let world = self.simulation.world_mut();
        world.gravity = scene.file.environment.gravity;
        world.fields = fields;
        world.snow = snow;
        for (i, (params, table)) in params.into_iter().zip(&scene.file.trees).enumerate() {
            let tree = world.tree_mut(TreeId(i));
            let settings = settings(table);
            if *tree.settings() != settings {
                let changed = tree.set_settings(settings);
                changed.expect("checked above");
            }
            if *tree.params() != params {
                tree.set_params(params).expect("checked above");
            }
        }
        self.scene = scene;
        Ok(())
    }

    /// One frame.
    pub fn step(&mut self) -> StepReport {
        self.simulation.step()
    }

    /// Back to the first frame.
    pub fn restart(&mut self) {
        self.simulation.restart(&self.start);
        for i in 0..self.scene.file.trees.len() {
            let motion = self.motion(i);
            self.simulation
                .world_mut()
                .tree_mut(TreeId(i))
                .set_motion(motion);
        }
    }

    /// How a root moves by the file.
    fn motion(&self, i: usize) -> Option<Arc<dyn RootMotion>> {
        self.scene.motion(i).expect("the trees were grown with it")
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
            let tree = self.simulation.world_mut().tree_mut(TreeId(i));
            tree.set_motion(Some(Arc::new(shaken)));
        }
    }
}

/// Triangles of a tree in the studio: more are not seen in a viewport, but felt in every frame.
const MOST_TRIANGLES: usize = 1_000_000;

/// How a tree is stepped, by its table.
fn settings(table: &TreeTable) -> treesway::SolverSettings {
    let mut settings = table.settings.clone();
    settings.solver = table.solver.unwrap_or(settings.solver);
    settings.substeps = table.substeps.unwrap_or(settings.substeps);
    settings
}

/// A scene without what can change while its trees move.
fn what_grows(file: &SceneFile) -> SceneFile {
    let mut file = file.clone();
    file.title.clear();
    (file.wind, file.snow, file.rain) = (None, None, None);
    file.environment.gravity = Default::default();
    file.camera = Default::default();
    file.sun = Default::default();
    for tree in &mut file.trees {
        tree.params = Default::default();
        tree.settings = Default::default();
        tree.solver = None;
        tree.substeps = None;
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
        let mut followed = Stage::grow(&project).unwrap();
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
        let mut grown = Stage::grow(&project).unwrap();
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
        let mut stage = Stage::grow(&project()).unwrap();
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
            .cut(treesway::BodyId(30));
        stage.restart();
        assert_eq!(run(&mut stage), untouched);
        stage.restart();
        stage.shake();
        assert_ne!(run(&mut stage), untouched, "the ground shakes");
    }

    #[test]
    fn another_seed_grows_another_tree_and_a_wrong_edit_changes_nothing() {
        let mut project = project();
        let mut stage = Stage::grow(&project).unwrap();
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
}
