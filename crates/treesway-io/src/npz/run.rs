//! The arrays of a run: constants once, motion frame by frame.

use super::archive::{Archive, Stream};
use crate::scene::Simulation;
use crate::select::{Kept, SelectError, Selection};
use std::io;
use std::path::{Path, PathBuf};
use treesway::glam::Vec3;
use treesway::{Body, BodyMotion, Collider, ColliderShape, World};
use treesway_skin::CurveSkin;

/// Writes a run to an `.npz` file: [`create`](Self::create), then [`record`](Self::record) every frame, then [`finish`](Self::finish).
/// Dropped before that, it leaves no file.
pub struct RunWriter {
    archive: Archive,
    output: PathBuf,
    kept: Vec<Kept>,
    every: u64,
    /// Frames seen.
    frames: u64,
    /// Id over all trees of the first body of each.
    first_id: Vec<usize>,
    streams: Streams,
    /// Curves through the wood of every tree, where they are kept.
    curves: Option<(Stream, Vec<CurveSkin>)>,
}

/// Arrays with a row per frame.
struct Streams {
    time: Stream,
    joint_position: Stream,
    rotation: Stream,
    theta: Stream,
    theta_rate: Stream,
    angular_velocity: Stream,
    velocity: Stream,
    /// Where snow falls.
    snow_mass: Option<Stream>,
    /// Where there are creatures.
    creature_position: Option<Stream>,
    /// Centres and turns, where there are balls, and how many.
    balls: Option<([Stream; 2], usize)>,
    /// The same of colliders.
    colliders: Option<([Stream; 2], usize)>,
    events: EventStreams,
}

/// Arrays with a row per event.
struct EventStreams {
    time: Stream,
    kind: Stream,
    body: Stream,
    position: Stream,
    velocity: Stream,
    impulse: Stream,
}

/// Why a run was not written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RunError {
    #[error("{}: cannot be written: {error}", file.display())]
    Io { file: PathBuf, error: io::Error },
    #[error("interrupted, {} was not written", file.display())]
    Interrupted { file: PathBuf },
    #[error("selection {0}")]
    Select(SelectError),
}

impl RunError {
    pub(super) fn of(file: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |error| {
            let file = file.into();
            if error.kind() == io::ErrorKind::Interrupted {
                Self::Interrupted { file }
            } else {
                Self::Io { file, error }
            }
        }
    }
}

impl RunWriter {
    /// Starts a file with the constants of the selected bodies; keeps every `every`-th frame.
    pub fn create(
        output: &Path,
        simulation: &Simulation,
        selection: &Selection,
        every: u64,
    ) -> Result<Self, RunError> {
        let kept = selection.of(simulation.world()).map_err(RunError::Select)?;
        let every = every.max(1);
        let start = || {
            let mut archive = Archive::create(output)?;
            put_constants(&mut archive, simulation.world(), &kept, every)?;
            let streams = Streams::open(&mut archive, kept.len(), simulation.world())?;
            Ok((archive, streams))
        };
        let (archive, streams) = start().map_err(RunError::of(output))?;
        Ok(Self {
            archive,
            output: output.into(),
            kept,
            every,
            frames: 0,
            first_id: first_ids(simulation.world()),
            streams,
            curves: None,
        })
    }

    /// Also keeps smooth curves through the ends of all wood, in so many pieces a body (1 or more); before the first frame.
    pub fn keep_curves(&mut self, simulation: &Simulation, pieces: u32) -> Result<(), RunError> {
        let trees = simulation.world().trees();
        let skins = trees
            .iter()
            .map(|t| CurveSkin::new(t, pieces, CurveSkin::SIDES));
        let skins: Vec<CurveSkin> = skins.collect();
        let wood = skins.iter().zip(&self.first_id);
        let ids =
            wood.flat_map(|(skin, first)| skin.bodies().map(move |b| (first + b.index()) as i32));
        let ids: Vec<i32> = ids.collect();
        let mut open = || {
            let shape = [ids.len(), pieces as usize + 1, 3];
            let stream = self.archive.stream::<f32>("curve_position", &shape)?;
            self.archive
                .put("curve_body", &[ids.len()], ids.iter().copied())?;
            Ok(stream)
        };
        let stream = open().map_err(RunError::of(&self.output))?;
        self.curves = Some((stream, skins));
        Ok(())
    }

    /// How many bodies are kept.
    pub fn bodies(&self) -> usize {
        self.kept.len()
    }

    /// Adds what happened in the last frame, and the state as it is now if this frame is one of those kept. Call it once before the first step.
    pub fn record(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        let due = self.frames.is_multiple_of(self.every);
        self.frames += 1;
        let mut append = || {
            self.append_events(simulation.world())?;
            if due {
                self.append(simulation.world())?;
            }
            Ok(())
        };
        append().map_err(RunError::of(&self.output))
    }

    /// Completes the file. `go_on` is asked now and then; when it says no, nothing is left behind.
    pub fn finish(self, go_on: &dyn Fn() -> bool) -> Result<(), RunError> {
        self.archive
            .finish(go_on)
            .map_err(RunError::of(&self.output))
    }

    /// Of all bodies, kept or not.
    fn append_events(&mut self, world: &World) -> io::Result<()> {
        let (archive, s) = (&mut self.archive, &self.streams.events);
        for event in world.events() {
            let id = self.first_id[event.tree.0] + event.body.index();
            archive.push(s.time, [event.seconds])?;
            archive.push(s.kind, [event.kind as u8])?;
            archive.push(s.body, [id as i32])?;
            archive.push(s.position, event.position.to_array())?;
            archive.push(s.velocity, event.velocity.to_array())?;
            archive.push(s.impulse, event.impulse.to_array())?;
        }
        Ok(())
    }

    fn append(&mut self, world: &World) -> io::Result<()> {
        let (kept, archive, s) = (&self.kept, &mut self.archive, &self.streams);
        let motions = kept.iter().map(|k| world.tree(k.tree).motion(k.body));
        let motions: Vec<BodyMotion> = motions.collect();
        let mut vectors = |stream: Stream, of: fn(&BodyMotion) -> [f32; 3]| {
            archive.push(stream, motions.iter().flat_map(of))
        };
        vectors(s.joint_position, |b| b.pose.position.to_array())?;
        vectors(s.theta, |b| b.theta.to_array())?;
        vectors(s.theta_rate, |b| b.theta_rate.to_array())?;
        vectors(s.angular_velocity, |b| b.angular_velocity.to_array())?;
        vectors(s.velocity, |b| b.velocity.to_array())?;
        archive.push(
            s.rotation,
            motions.iter().flat_map(|b| b.pose.rotation.to_array()),
        )?;
        if let Some(stream) = s.snow_mass {
            let snow = kept.iter().map(|k| world.tree(k.tree).snow_mass(k.body));
            archive.push(stream, snow)?;
        }
        if let Some(stream) = s.creature_position {
            let positions = world.creatures().iter().map(|c| c.pose().position);
            archive.push(stream, positions.flat_map(|p| p.to_array()))?;
        }
        if let Some(([position, rotation], count)) = s.balls {
            let balls: Vec<_> = world.balls().take(count).collect();
            let centres = balls.iter().flat_map(|b| b.position.to_array());
            archive.push(position, centres)?;
            let turns = balls.iter().flat_map(|b| b.rotation.to_array());
            archive.push(rotation, turns)?;
        }
        if let Some(([position, rotation], count)) = s.colliders {
            let poses: Vec<_> = world.colliders().take(count).map(Collider::pose).collect();
            let centres = poses.iter().flat_map(|p| p.position.to_array());
            archive.push(position, centres)?;
            let turns = poses.iter().flat_map(|p| p.rotation.to_array());
            archive.push(rotation, turns)?;
        }
        if let Some((stream, skins)) = &mut self.curves {
            for (skin, tree) in skins.iter_mut().zip(world.trees()) {
                skin.bend(tree);
            }
            let points = skins.iter().flat_map(|skin| skin.curves().flatten());
            archive.push(*stream, points.flat_map(|p| p.to_array()))?;
        }
        archive.push(s.time, [world.seconds()])
    }
}

impl Streams {
    fn open(archive: &mut Archive, n: usize, world: &World) -> io::Result<Self> {
        let snow_mass = match world.snow {
            Some(_) => Some(archive.stream::<f32>("snow_mass", &[n])?),
            None => None,
        };
        let creature_position = match world.creatures().len() {
            0 => None,
            c => Some(archive.stream::<f32>("creature_position", &[c, 3])?),
        };
        let balls = match world.balls().len() {
            0 => None,
            count => {
                let radii = world.balls().map(|b| b.radius);
                archive.put("ball_radius", &[count], radii)?;
                let position = archive.stream::<f32>("ball_position", &[count, 3])?;
                let rotation = archive.stream::<f32>("ball_rotation", &[count, 4])?;
                Some(([position, rotation], count))
            }
        };
        let colliders = match world.colliders().len() {
            0 => None,
            count => {
                let half = world.colliders().flat_map(|c| half_size(c).to_array());
                archive.put("collider_half_size", &[count, 3], half)?;
                let kinds = world.colliders().map(kind);
                archive.put("collider_kind", &[count], kinds)?;
                let position = archive.stream::<f32>("collider_position", &[count, 3])?;
                let rotation = archive.stream::<f32>("collider_rotation", &[count, 4])?;
                Some(([position, rotation], count))
            }
        };
        Ok(Self {
            snow_mass,
            creature_position,
            balls,
            colliders,
            time: archive.stream::<f64>("time", &[])?,
            joint_position: archive.stream::<f32>("joint_position", &[n, 3])?,
            rotation: archive.stream::<f32>("rotation", &[n, 4])?,
            theta: archive.stream::<f32>("theta", &[n, 3])?,
            theta_rate: archive.stream::<f32>("theta_rate", &[n, 3])?,
            angular_velocity: archive.stream::<f32>("angular_velocity", &[n, 3])?,
            velocity: archive.stream::<f32>("velocity", &[n, 3])?,
            events: EventStreams {
                time: archive.stream::<f64>("event_time", &[])?,
                kind: archive.stream::<u8>("event_kind", &[])?,
                body: archive.stream::<i32>("event_body", &[])?,
                position: archive.stream::<f32>("event_position", &[3])?,
                velocity: archive.stream::<f32>("event_velocity", &[3])?,
                impulse: archive.stream::<f32>("event_impulse", &[3])?,
            },
        })
    }
}

fn first_ids(world: &World) -> Vec<usize> {
    let mut next = 0;
    let first = |tree: &treesway::Tree| {
        let first = next;
        next += tree.len();
        first
    };
    world.trees().iter().map(first).collect()
}

fn bodies<'a>(world: &'a World, kept: &'a [Kept]) -> impl Iterator<Item = Body> + 'a {
    kept.iter().map(|k| world.tree(k.tree).body(k.body))
}

fn put_constants(
    archive: &mut Archive,
    world: &World,
    kept: &[Kept],
    every: u64,
) -> io::Result<()> {
    let n = kept.len();
    let all = || bodies(world, kept);
    let family = Family::of(world, kept);
    archive.put("id", &[n], kept.iter().map(|k| k.id as i32))?;
    archive.put("parent", &[n], family.rows)?;
    archive.put("parent_id", &[n], family.ids)?;
    archive.put("tree", &[n], kept.iter().map(|k| k.tree.0 as i32))?;
    archive.put("kind", &[n], all().map(|b| b.kind as u8))?;
    archive.put("branch", &[n], all().map(|b| b.branch))?;
    archive.put("length", &[n], all().map(|b| b.length))?;
    archive.put("radius", &[n, 2], all().flat_map(|b| b.radius))?;
    archive.put("mass", &[n], all().map(|b| b.mass))?;
    archive.put(
        "com_in_body",
        &[n, 3],
        all().flat_map(|b| b.com_in_body.to_array()),
    )?;
    archive.put("inertia_in_body", &[n, 3, 3], all().flat_map(inertia))?;
    archive.put(
        "joint_in_parent",
        &[n, 3],
        all().flat_map(|b| joint_in_parent(&b)),
    )?;
    archive.put(
        "joint_rotation",
        &[n, 4],
        all().flat_map(|b| joint_rotation(&b)),
    )?;
    archive.put(
        "stiffness",
        &[n, 3],
        all().flat_map(|b| b.stiffness.to_array()),
    )?;
    archive.put(
        "rest_theta",
        &[n, 3],
        all().flat_map(|b| b.rest_theta.to_array()),
    )?;
    archive.put("damping_beta", &[n], all().map(|b| b.damping_beta))?;
    archive.put("gravity", &[3], world.gravity.to_array())?;
    archive.put("dt", &[], [world.frame_secs()])?;
    archive.put("every", &[], [every as i32])?;
    let substeps = || {
        world
            .trees()
            .iter()
            .map(|t| t.settings().steps_per_frame() as i32)
    };
    archive.put("substeps", &[], [substeps().max().unwrap_or(1)])?;
    archive.put("tree_substeps", &[world.trees().len()], substeps())
}

fn inertia(b: Body) -> [f32; 9] {
    let i = b.inertia;
    [i.x, 0.0, 0.0, 0.0, i.y, 0.0, 0.0, 0.0, i.z]
}

/// Before the first step every joint is in its given pose, so that the root's frame in the world is its joint's.
fn joint_in_parent(b: &Body) -> [f32; 3] {
    match b.parent {
        Some(_) => b.joint_in_parent.to_array(),
        None => b.pose.position.to_array(),
    }
}

fn joint_rotation(b: &Body) -> [f32; 4] {
    match b.parent {
        Some(_) => b.joint_rotation.to_array(),
        None => b.pose.rotation.to_array(),
    }
}

/// Parents of the kept bodies.
struct Family {
    /// Row of the nearest ancestor that is kept, −1 if none.
    rows: Vec<i32>,
    /// Id of the parent, kept or not, −1 of a root.
    ids: Vec<i32>,
}

impl Family {
    fn of(world: &World, kept: &[Kept]) -> Self {
        let total = world.trees().iter().map(treesway::Tree::len).sum();
        // By id over all trees: the row of the body itself, or of its nearest kept ancestor.
        let mut row_of = vec![-1; total];
        let mut is_kept = vec![false; total];
        kept.iter().for_each(|k| is_kept[k.id] = true);
        let mut family = Self {
            rows: Vec::with_capacity(kept.len()),
            ids: Vec::with_capacity(kept.len()),
        };
        let mut first = 0;
        for tree in world.trees() {
            for body in tree.ids() {
                let id = first + body.index();
                let parent = tree.parent_of(body).map(|p| first + p.index());
                let above = parent.map_or(-1, |p| row_of[p]);
                row_of[id] = above;
                if is_kept[id] {
                    row_of[id] = family.rows.len() as i32;
                    family.rows.push(above);
                    family.ids.push(parent.map_or(-1, |p| p as i32));
                }
            }
            first += tree.len();
        }
        family
    }
}

/// Of the box around a collider, in its own frame, m.
fn half_size(collider: &Collider) -> Vec3 {
    match collider.shape {
        ColliderShape::Sphere { radius } => Vec3::splat(radius),
        ColliderShape::Capsule {
            half_length,
            radius,
        } => Vec3::new(radius, half_length + radius, radius),
        ColliderShape::Box { half } => half,
        _ => Vec3::ZERO,
    }
}

/// As the files number them.
fn kind(collider: &Collider) -> u8 {
    match collider.shape {
        ColliderShape::Sphere { .. } => 0,
        ColliderShape::Capsule { .. } => 1,
        ColliderShape::Box { .. } => 2,
        _ => u8::MAX,
    }
}
