//! From the tables of a scene to trees that move.

use super::file::{ColliderKind, Motion, TreeTable, WindTable};
use super::motion::Moved;
use super::pose::bend;
use super::simulation::{ScheduledLoad, ScheduledPull, Simulation, Window};
use super::{BodyPlace, Scene, SceneError, source, squirrel};
use serde::Deserialize;
use std::sync::Arc;
use treesway::glam::Vec3;
use treesway::{
    Ball, BodyId, Braced, BuildError, Collider, ColliderShape, CreatureSettings, CutOptions,
    ForceField, GravityPose, Ground, GroundMotion, HeightField, Keyframe, Keyframes, Load, Pull,
    Rain, RootMotion, RootPose, Skeleton, Snow, Tree, TreeDesc, TreeId, TreeOptions, TreeParams,
    Turbulent, Wind, WindSettings, World, beaufort, brace, cut,
};
use treesway_grow::text::explain;
use treesway_grow::{Counts, Grown, clear};
use treesway_skin::{Look, ModelSurface};

/// A skeleton, and the surface that its file brought.
type Sourced = (Grown, Option<Arc<ModelSurface>>);

/// Puts the values of one table over those of another, table by table.
fn overlay(under: &mut toml::Value, over: &toml::Value) {
    match (under, over) {
        (toml::Value::Table(under), toml::Value::Table(over)) => {
            for (key, value) in over {
                match under.get_mut(key) {
                    Some(here) => overlay(here, value),
                    None => {
                        under.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (under, over) => *under = over.clone(),
    }
}

/// A tree of a scene before the first step.
pub struct Planted {
    /// What it was cut from.
    pub skeleton: Skeleton,
    /// Its bodies.
    pub bodies: TreeDesc,
    /// Ready to be stepped.
    pub tree: Tree,
    /// Joints that were made stiffer than their wood is, for a tree from a file to stand.
    pub braced: Braced,
    /// How its derivation went, if it grew from a grammar.
    pub derived: Option<Counts>,
    /// What it looks like.
    pub look: Look,
    /// What it is made of as far as its source knows; see [`Scene::params`].
    pub known: Option<TreeParams>,
}

/// What a tree of a scene is drawn from: its bodies as they were cut, and how they look.
pub struct Model {
    /// The species, grammar, file or builtin that it is of.
    pub name: String,
    /// In the pose that the tree was given, its anchor at the origin.
    pub bodies: TreeDesc,
    /// Colours and shapes.
    pub look: Look,
    /// What it is made of as far as its source knows; see [`Scene::params`].
    pub known: Option<TreeParams>,
}

impl Scene {
    /// Grows, cuts and builds every tree.
    pub fn plant(&self) -> Result<Vec<Planted>, SceneError> {
        self.plant_with(|_| ())
    }

    /// The same with every branch cut into that many segments.
    pub fn plant_cut(&self, segments: u32) -> Result<Vec<Planted>, SceneError> {
        self.plant_with(|cut| (cut.least_segments, cut.most_segments) = (segments, segments))
    }

    fn plant_with(&self, recut: impl Fn(&mut CutOptions)) -> Result<Vec<Planted>, SceneError> {
        let tables = self.file.trees.iter().enumerate();
        tables
            .map(|(i, table)| self.plant_one(i, table, &recut))
            .collect()
    }

    /// The skeleton of every tree, and how it is to be cut.
    pub fn grow(&self) -> Result<Vec<Grown>, SceneError> {
        let tables = self.file.trees.iter().enumerate();
        tables
            .map(|(i, table)| Ok(self.grow_one(i, table)?.0))
            .collect()
    }

    /// With the surface that its file brought, if it is drawn.
    fn grow_one(&self, i: usize, table: &TreeTable) -> Result<Sourced, SceneError> {
        let (mut grown, surface) = self.grow_source(i, table)?;
        if table.collision_free {
            let cleared = clear(&mut grown).map_err(|e| self.build_error(i, "cut", &e))?;
            grown.cleared = Some(cleared);
        }
        Ok((grown, surface))
    }

    fn grow_source(&self, i: usize, table: &TreeTable) -> Result<Sourced, SceneError> {
        let wrong = |(field, what): source::Wrong| self.error(&format!("tree.{i}.{field}"), what);
        source::check(table).map_err(wrong)?;
        if let Some(species) = &table.species {
            return Ok((self.grow_species(i, table, species)?, None));
        }
        match (&table.grammar, &table.file) {
            (Some(grammar), _) => Ok((self.grow_grammar(i, table, grammar)?, None)),
            (None, Some(file)) => self.grow_file(table, file),
            (None, None) => Ok((source::skeleton(table).map_err(wrong)?, None)),
        }
    }

    /// A world with every tree, the wind, and what happens over time.
    pub fn build(&self) -> Result<Simulation, SceneError> {
        Ok(self.build_to_draw()?.0)
    }

    /// The same, with what each tree is drawn from.
    pub fn build_to_draw(&self) -> Result<(Simulation, Vec<Model>), SceneError> {
        let run = &self.file.run;
        self.within(
            "run.fps",
            run.fps,
            1e-3,
            1e6,
            "a number from 0.001 to 1000000",
        )?;
        self.within(
            "run.seconds",
            run.seconds,
            0.0,
            1e9,
            "a time from 0 to 1e9 s",
        )?;
        let mut world = World::new(1.0 / run.fps);
        world.gravity = self.finite("environment.gravity", self.file.environment.gravity)?;
        let ground = self.file.environment.ground;
        let (field, expected) = ("environment.ground", "a height from -1e6 to 1e6 m");
        self.within(field, ground.into(), -1e6, 1e6, expected)?;
        world.ground = self.ground(ground)?;
        world.fields = self.fields()?;
        if self.file.trees.is_empty() {
            return Err(self.error("tree", "the list is empty; expected at least one [[tree]]"));
        }
        let planted = self.plant()?;
        let (mut pulls, mut loads) = (Vec::new(), Vec::new());
        let mut models = Vec::with_capacity(planted.len());
        for (i, (table, planted)) in self.file.trees.iter().zip(planted).enumerate() {
            let id = TreeId(i);
            pulls.extend(self.pulls(id, table, &planted.tree)?);
            loads.extend(self.loads(id, table, &planted.tree)?);
            world.add(planted.tree);
            models.push(Model {
                name: table.name(),
                bodies: planted.bodies,
                look: planted.look,
                known: planted.known,
            });
        }
        world.snow = self.snow()?;
        models.extend(self.send_creatures(&mut world)?);
        self.throw_balls(&mut world)?;
        self.place_colliders(&mut world)?;
        let frames = (run.seconds * run.fps).round() as u64;
        Ok((Simulation::new(world, frames, pulls, loads), models))
    }

    fn ground(&self, level: f32) -> Result<Ground, SceneError> {
        let Some(hills) = &self.file.environment.hills else {
            return Ok(Ground::Plane(level));
        };
        let field = |name: &str| format!("environment.hills.{name}");
        self.size(&field("cell"), hills.cell)?;
        let [x, z] = hills.corner;
        self.finite(&field("corner"), Vec3::new(x, 0.0, z))?;
        let (columns, all) = (hills.columns, hills.heights.len());
        if columns < 2 || all < 2 * columns || !all.is_multiple_of(columns) {
            let found = format!(
                "{all} heights in rows of {columns}; expected two or more full rows of two or more"
            );
            return Err(self.error(&field("heights"), &found));
        }
        for &height in &hills.heights {
            let expected = "heights from -1e6 to 1e6 m";
            self.within(&field("heights"), height.into(), -1e6, 1e6, expected)?;
        }
        let heights = hills.heights.iter().map(|h| level + h).collect();
        let hills = HeightField::new(hills.corner, hills.cell, columns, heights);
        Ok(Ground::Field(Arc::new(hills)))
    }

    fn throw_balls(&self, world: &mut World) -> Result<(), SceneError> {
        world.contact = self.file.contact.clone();
        if let Some(zeta) = world.contact.penalty {
            let expected = "a number from 0 to 1e9 kg/s";
            self.within("contact.penalty", zeta.into(), 0.0, 1e9, expected)?;
        }
        if world.contact.wood.is_nan() || world.contact.wood < 0.0 {
            let found = format!("{}; expected a radius, zero or more, m", world.contact.wood);
            return Err(self.error("contact.wood", &found));
        }
        for (i, table) in self.file.balls.iter().enumerate() {
            let field = |name: &str| format!("ball.{i}.{name}");
            self.size(&field("radius"), table.radius)?;
            let (mass, bounce, friction) = (table.mass, table.restitution, table.friction);
            self.within(
                &field("mass"),
                mass.into(),
                1e-6,
                1e6,
                "a mass from 1e-6 to 1e6 kg",
            )?;
            self.within(
                &field("restitution"),
                bounce.into(),
                0.0,
                1.0,
                "a number from 0 to 1",
            )?;
            self.within(
                &field("friction"),
                friction.into(),
                0.0,
                1e3,
                "a number from 0 to 1000",
            )?;
            world.throw(Ball {
                position: self.finite(&field("at"), table.at)?,
                velocity: self.finite(&field("velocity"), table.velocity)?,
                radius: table.radius,
                mass,
                restitution: bounce,
                friction,
                ..Ball::default()
            });
        }
        Ok(())
    }

    fn place_colliders(&self, world: &mut World) -> Result<(), SceneError> {
        for (i, table) in self.file.colliders.iter().enumerate() {
            let field = |name: &str| format!("collider.{i}.{name}");
            let radius = || self.size(&field("radius"), table.radius);
            let shape = match table.shape {
                ColliderKind::Sphere => ColliderShape::Sphere { radius: radius()? },
                ColliderKind::Capsule => ColliderShape::Capsule {
                    half_length: self.size(&field("half_length"), table.half_length)?,
                    radius: radius()?,
                },
                ColliderKind::Box => {
                    for edge in table.half.to_array() {
                        self.size(&field("half"), edge)?;
                    }
                    ColliderShape::Box { half: table.half }
                }
            };
            let friction = table.friction;
            self.within(
                &field("friction"),
                friction.into(),
                0.0,
                1e3,
                "a number from 0 to 1000",
            )?;
            world.add_collider(Collider {
                velocity: self.finite(&field("velocity"), table.velocity)?,
                friction,
                ..Collider::new(shape, self.finite(&field("at"), table.at)?)
            });
        }
        Ok(())
    }

    fn size(&self, field: &str, value: f32) -> Result<f32, SceneError> {
        self.within(
            field,
            value.into(),
            1e-4,
            1e4,
            "a size from 0.0001 to 10000 m",
        )?;
        Ok(value)
    }

    fn plant_one(
        &self,
        i: usize,
        table: &TreeTable,
        recut: impl Fn(&mut CutOptions),
    ) -> Result<Planted, SceneError> {
        let (mut grown, surface) = self.grow_one(i, table)?;
        recut(&mut grown.cut);
        let mut bodies =
            cut(&grown.skeleton, &grown.cut).map_err(|e| self.build_error(i, "cut", &e))?;
        bend(&mut bodies, &table.poses).map_err(|(pose, field, what)| {
            self.error(&format!("tree.{i}.pose.{pose}.{field}"), what)
        })?;
        let at = table.at;
        self.finite(&format!("tree.{i}.at"), at.as_vec3())?;
        let mut settings = table.settings.clone();
        settings.solver = table.solver.unwrap_or(settings.solver);
        settings.substeps = table.substeps.unwrap_or(settings.substeps);
        settings
            .validate()
            .map_err(|e| self.build_error(i, "settings", &e))?;
        let options = TreeOptions {
            params: self.params(i, grown.params.as_ref())?,
            settings,
            root: table.root,
            anchor: RootPose {
                position: at,
                ..RootPose::default()
            },
            motion: self.motion(i)?,
        };
        let build = |bodies: &TreeDesc| {
            Tree::build(bodies, options.clone()).map_err(|e| self.build_error(i, "params", &e))
        };
        let mut tree = build(&bodies)?;
        let mut braced = Braced::default();
        // Scans have wood that could not carry what it carried.
        if table.file.is_some() && options.params.gravity_pose == GravityPose::Held {
            braced = brace(&tree, &mut bodies);
            if braced.joints > 0 {
                tree = build(&bodies)?;
            }
        }
        tree.simulate_only(&table.simulate)
            .map_err(|e| self.build_error(i, "simulate", &e))?;
        let look = Look::of_grown(&grown);
        let look = match surface {
            Some(own) => look.with_own(own),
            None => look,
        };
        Ok(Planted {
            skeleton: grown.skeleton,
            bodies,
            tree,
            derived: grown.derived,
            braced,
            look,
            known: grown.params,
        })
    }

    /// What tree `i` is made of: what the scene says over what its source knows.
    ///
    /// # Panics
    /// If the scene has no such tree.
    pub fn params(&self, i: usize, known: Option<&TreeParams>) -> Result<TreeParams, SceneError> {
        let Some(known) = known else {
            return Ok(self.file.trees[i].params.clone());
        };
        let given = self.table.get("tree").and_then(|trees| trees.get(i));
        let Some(given) = given.and_then(|tree| tree.get("params")) else {
            return Ok(known.clone());
        };
        let wrong = |what: String| self.error(&format!("tree.{i}.params"), what);
        let mut whole = toml::Value::try_from(known).map_err(|e| wrong(e.to_string()))?;
        overlay(&mut whole, given);
        TreeParams::deserialize(whole).map_err(|e| wrong(explain(e.message())))
    }

    /// An error of the engine about the parameters of tree `i`, as an error of this scene.
    pub fn error_of_tree(&self, i: usize, error: &BuildError) -> SceneError {
        self.build_error(i, "params", error)
    }

    /// An error of the engine about tree `i`, at the field it is about; parameters are those of `table`.
    fn build_error(&self, i: usize, table: &str, error: &BuildError) -> SceneError {
        let (field, what) = match error {
            BuildError::Branch { branch, what } => (format!("branch.{branch}"), what.clone()),
            BuildError::Attached { kind, index, what } => (format!("{kind}.{index}"), what.clone()),
            BuildError::Parameter {
                name,
                value,
                expected,
            } => (
                format!("{table}.{name}"),
                format!("is {value}; expected {expected}"),
            ),
            other => return self.error(&format!("tree.{i}"), other.to_string()),
        };
        self.error(&format!("tree.{i}.{field}"), what)
    }

    /// What blows and falls on all trees.
    pub fn fields(&self) -> Result<Vec<Box<dyn ForceField>>, SceneError> {
        let mut fields: Vec<Box<dyn ForceField>> = Vec::new();
        if let Some(wind) = &self.file.wind {
            let flowing = self.wind(wind)?;
            if wind.turbulence.is_on() {
                let turbulent = Turbulent::new(flowing, wind.turbulence);
                let turbulent = turbulent.map_err(|e| self.field_error("wind", e))?;
                fields.push(Box::new(turbulent));
            } else {
                fields.push(Box::new(flowing));
            }
        }
        if let Some(rain) = &self.file.rain {
            let rain = Rain::new(*rain).map_err(|e| self.field_error("rain", e))?;
            fields.push(Box::new(rain));
        }
        Ok(fields)
    }

    /// Snow that falls on all trees.
    pub fn snow(&self) -> Result<Option<Snow>, SceneError> {
        let snow = self.file.snow.map(Snow::new).transpose();
        snow.map_err(|e| self.field_error("snow", e))
    }

    fn wind(&self, wind: &WindTable) -> Result<Wind, SceneError> {
        let (speed, most) = (f64::from(wind.speed), f64::from(f32::MAX));
        let expected = "a finite number, not negative";
        self.within("wind.speed", speed, 0.0, most, expected)?;
        let speed = match wind.beaufort {
            None => wind.speed,
            Some(_) if wind.speed != 0.0 => {
                return Err(
                    self.error("wind.beaufort", "stands beside speed; expected one of them")
                );
            }
            Some(number) => {
                let (field, expected) = ("wind.beaufort", "a number from 0 to 12");
                self.within(field, number.into(), 0.0, 12.0, expected)?;
                beaufort(number)
            }
        };
        let turn = f64::from(wind.direction_deg);
        self.within("wind.direction_deg", turn, -1e6, 1e6, "an angle in degrees")?;
        let (sin, cos) = libm::sincos(turn.to_radians());
        let velocity = match wind.velocity {
            None => Vec3::new(cos as f32, 0.0, sin as f32) * speed,
            Some(_) if speed != 0.0 => {
                let what = "stands beside speed or beaufort; expected one of them";
                return Err(self.error("wind.velocity", what));
            }
            Some(velocity) => velocity,
        };
        let settings = WindSettings {
            velocity,
            profile: wind.profile,
            gusts: wind.gusts,
            wiggle: wind.wiggle,
            grid: wind.grid.clone(),
            shelter: wind.shelter,
            air: wind.air,
        };
        Wind::new(settings).map_err(|e| self.field_error("wind", e))
    }

    /// An error of the engine about a table at the top of the file.
    fn field_error(&self, table: &str, error: BuildError) -> SceneError {
        match error {
            BuildError::Parameter {
                name,
                value,
                expected,
            } => self.error(
                &format!("{table}.{name}"),
                format!("is {value}; expected {expected}"),
            ),
            other => self.error(table, other.to_string()),
        }
    }

    /// Brings creatures to where the file sends them: those that are there get the runs that they do not have yet, others come, each with a figure that is drawn in its place: one
    /// more tree, after those of the file. Returns what the new figures are drawn from.
    pub fn send_creatures(&self, world: &mut World) -> Result<Vec<Model>, SceneError> {
        let mut new = Vec::new();
        for (i, table) in self.file.creatures.iter().enumerate() {
            let wrong = |(field, what): (String, String)| {
                self.error(&format!("creature.{i}.{field}"), what)
            };
            let runs = self.runs(i, world)?;
            if i < world.creatures().len() {
                world.lead_creature(i, runs).map_err(wrong)?;
                continue;
            }
            let settings = CreatureSettings {
                mass: table.mass,
                speed: table.speed,
                leap_speed: table.leap_speed,
                bound: table.bound,
                bound_height: table.bound_height,
                start: table.start,
                runs,
            };
            new.push(world.add_creature(settings).map_err(wrong)?);
        }
        let figures = new.into_iter().map(|i| {
            let (tree, model) = squirrel::figure(&world.creatures()[i]);
            world.add(tree);
            model
        });
        Ok(figures.collect())
    }

    /// Where creature `i` goes.
    fn runs(&self, i: usize, world: &World) -> Result<Vec<treesway::Run>, SceneError> {
        let planted = self.file.trees.len();
        let runs = self.file.creatures[i].runs.iter().enumerate();
        runs.map(|(k, run)| {
            let wrong =
                |key: &str, what: String| self.error(&format!("creature.{i}.run.{k}.{key}"), what);
            let tree = world.trees().get(run.tree).filter(|_| run.tree < planted);
            let tree = tree.ok_or_else(|| {
                let what = format!("is {}; expected a tree below {planted}", run.tree);
                wrong("tree", what)
            })?;
            let find = |key: &str, place: BodyPlace| {
                let found = place.find(tree);
                found.map_err(|what| wrong(key, what))
            };
            Ok(treesway::Run {
                tree: TreeId(run.tree),
                from: find("from", run.from)?,
                to: find("to", run.to)?,
            })
        })
        .collect()
    }

    /// How the root of tree `i` moves, if it does.
    ///
    /// # Panics
    /// If the scene has no such tree.
    pub fn motion(&self, i: usize) -> Result<Option<Arc<dyn RootMotion>>, SceneError> {
        let table = &self.file.trees[i];
        let at = table.at;
        match &table.motion {
            None => Ok(None),
            Some(Motion::Shake(shake)) => {
                shake.check().map_err(|(field, what)| {
                    self.error(&format!("tree.{i}.motion.shake.{field}"), what)
                })?;
                let shake = shake.clone();
                let offset = move |seconds: f64| shake.offset(seconds);
                Ok(Some(Arc::new(Moved { at, offset })))
            }
            Some(Motion::Earthquake(quake)) => {
                let field = "motion.earthquake";
                let ground =
                    GroundMotion::new(quake).map_err(|e| self.build_error(i, field, &e))?;
                let offset = move |seconds: f64| ground.offset(seconds);
                Ok(Some(Arc::new(Moved { at, offset })))
            }
            Some(Motion::Keyframes(keys)) => {
                for (k, key) in keys.iter().enumerate() {
                    let turn = key.rotation.length_squared();
                    if !(key.time.is_finite()
                        && key.position.is_finite()
                        && (turn - 1.0).abs() < 1e-3)
                    {
                        let what =
                            "expected a finite time and position, and a rotation of length 1";
                        return Err(self.error(&format!("tree.{i}.motion.keyframes.{k}"), what));
                    }
                }
                let keys = keys.iter().map(|key| Keyframe {
                    time: key.time,
                    pose: RootPose {
                        position: at + key.position,
                        rotation: key.rotation,
                    },
                });
                Ok(Some(Arc::new(Keyframes::new(keys.collect()))))
            }
        }
    }

    fn pulls(
        &self,
        id: TreeId,
        table: &TreeTable,
        tree: &Tree,
    ) -> Result<Vec<ScheduledPull>, SceneError> {
        let mut pulls = Vec::with_capacity(table.pulls.len());
        for (k, pull) in table.pulls.iter().enumerate() {
            let field = format!("tree.{}.pull.{k}", id.0);
            let (body, point_in_body) =
                self.grip(&field, pull.body.find(tree), pull.point, tree)?;
            let target = match (pull.target, pull.offset) {
                (Some(target), None) => target,
                (None, Some(offset)) => tree.pose(body).point(point_in_body) + offset,
                _ => return Err(self.error(&field, "expected either `target` or `offset`")),
            };
            let target = self.finite(&format!("{field}.target"), target)?;
            for (name, value) in [
                ("stiffness", pull.stiffness),
                ("damping", pull.damping),
                ("most_force", pull.most_force),
            ] {
                let expected = "a number, not negative";
                self.within(
                    &format!("{field}.{name}"),
                    value.into(),
                    0.0,
                    f64::INFINITY,
                    expected,
                )?;
            }
            pulls.push(ScheduledPull {
                tree: id,
                window: self.window(&field, pull.start, pull.stop)?,
                pull: Pull {
                    body,
                    point_in_body,
                    target,
                    stiffness: pull.stiffness,
                    damping: pull.damping,
                    most_force: pull.most_force,
                },
                held: None,
            });
        }
        Ok(pulls)
    }

    fn loads(
        &self,
        id: TreeId,
        table: &TreeTable,
        tree: &Tree,
    ) -> Result<Vec<ScheduledLoad>, SceneError> {
        let mut loads = Vec::with_capacity(table.loads.len());
        for (k, load) in table.loads.iter().enumerate() {
            let field = format!("tree.{}.load.{k}", id.0);
            let (body, point) = self.grip(&field, load.body.find(tree), load.point, tree)?;
            let force = self.finite(&format!("{field}.force"), load.force)?;
            let torque = self.finite(&format!("{field}.torque"), load.torque)?;
            loads.push(ScheduledLoad {
                tree: id,
                window: self.window(&field, load.start, load.stop)?,
                load: Load {
                    torque,
                    ..Load::force(body, point, force)
                },
            });
        }
        Ok(loads)
    }

    /// The body that is meant and the point of it, which is its far end unless given.
    fn grip(
        &self,
        field: &str,
        body: Result<BodyId, String>,
        point: Option<Vec3>,
        tree: &Tree,
    ) -> Result<(BodyId, Vec3), SceneError> {
        let body = body.map_err(|what| self.error(&format!("{field}.body"), what))?;
        let end = Vec3::new(0.0, 0.0, tree.body(body).length);
        let point = self.finite(&format!("{field}.point"), point.unwrap_or(end))?;
        Ok((body, point))
    }

    fn window(&self, field: &str, start: f64, stop: f64) -> Result<Window, SceneError> {
        if start.is_finite() && stop > start {
            return Ok(Window { start, stop });
        }
        let what = format!("is {stop}, start is {start}; expected a stop after a finite start");
        Err(self.error(&format!("{field}.stop"), what))
    }

    fn finite(&self, field: &str, v: Vec3) -> Result<Vec3, SceneError> {
        if v.is_finite() {
            return Ok(v);
        }
        Err(self.error(field, format!("is {v}; expected finite numbers")))
    }

    pub(super) fn within(
        &self,
        field: &str,
        value: f64,
        least: f64,
        most: f64,
        expected: &str,
    ) -> Result<(), SceneError> {
        if (least..=most).contains(&value) {
            return Ok(());
        }
        Err(self.error(field, format!("is {value}; expected {expected}")))
    }
}
