//! Leaves, petals and fruit that fall: rigid bodies that feel gravity and the fields, until they rest on the ground.
//!
//! For the centre of mass and the turning about it, with f and τ of all fields (of air: Eq. 23 and 24 of Quigley 2017), D = −∂f/∂v, S = ν I = −∂τ/∂ω
//! and T the greatest −∂τ/∂φ:
//!
//!   v' = v + h (m + h D)⁻¹ (m g + f)                             x' = x + h v'                            (1)
//!   ω' = ω + h (I + h S + h²T/4)⁻¹ τ                             R' = exp(h ω') R                         (2)
//!
//! (1) is implicit in the velocity: a leaf of no weight stops in a storm within a step and never overshoots, and where m g + f = 0 it
//! stays, so that terminal velocity is exact for every h. (2) is the leapfrog step with the frequency Ω of a leaf that swings about
//! broadside held back to Ω/√(1 + h²Ω²/4), that of the trapezoidal rule: below 2/h for any wind and right for small h. It takes no energy out of
//! the swing, as an implicit step would, by which flutter would die at 30 Hz. After a turn ω follows from the angular momentum, which the
//! turn does not change: gyroscopic torque without a term that could grow.
//!
//! Reads the geometry, frames and motions of [`crate::detach::Off`]; writes frames and motions. Tiles in which nothing flies cost nothing.

use crate::block::{Links, Model, NOBODY, Sizes};
use crate::desc::BodyId;
use crate::detach::{OffMotion, OffTile};
use crate::event::EventKind;
use crate::forces::FieldForce;
use crate::ground::{Touching, lowest};
use crate::kinematics::{Frame, own_columns, set_columns};
use crate::math::simd::{BLANK, Isa, Kernel, ROW, Row, Rows, Vector, dispatch};
use crate::math::{Quaternion, Sym3, V3};
use crate::report::{Counts, StepReport};
use crate::step::FrameOf;
use crate::surroundings::{FieldTile, Surroundings, splat, usable};
use crate::tree::Tree;
use rayon::prelude::*;

/// Longest step of what falls, s: at 1/30 s a tumbling leaf falls 5 % too fast, at 1/60 s 2 %.
const LONGEST_STEP: f64 = 1.0 / 60.0;

/// Largest turn in a step, rad. A leaf that spins faster could not be seen to.
const MOST_TURN: f64 = 2.0;

/// What there is of the turning that a field states, which for the joints of a tree is twice what it can be.
const TURNING: f64 = 0.5;

/// What is closer to the ground touches it, m.
const TOUCH: f32 = 0.002;

/// Tiles that are stepped as one task.
const TASK: usize = 64;

/// Steps of a frame of `dt` s.
fn steps(dt: f64) -> u32 {
    libm::ceil(dt / LONGEST_STEP - 1e-6).max(1.0) as u32
}

impl Tree {
    /// Moves what flies by a frame.
    pub(crate) fn fly(&mut self, frame: &FrameOf) -> StepReport {
        if self.off.len() == 0 {
            return StepReport::default();
        }
        let (off, isa, n) = (&mut self.off, self.isa, steps(frame.dt));
        let task = |flock: Flock| {
            let flight = Flight {
                flock,
                frame,
                isa,
                steps: n,
                h: frame.dt / f64::from(n),
            };
            dispatch(isa, flight)
        };
        let block = &mut off.block;
        // The first tile holds nobody, as in every block.
        let flocks = block.links[1..]
            .par_chunks(TASK)
            .zip(block.models[1..].par_chunks(TASK))
            .zip(block.shapes[1..].par_chunks(TASK))
            .zip(block.frames[ROW..].par_chunks_mut(TASK * ROW))
            .zip(off.tiles[1..].par_chunks_mut(TASK))
            .map(|((((links, models), shapes), frames), tiles)| Flock {
                links,
                models,
                shapes,
                frames,
                tiles,
            });
        let counts = flocks.map(task).reduce(Counts::default, Counts::plus);
        let landed = self.note_landings();
        let now = self.off_counts();
        StepReport {
            healed: counts.healed,
            landed,
            flying: now.flying as u64,
            resting: now.resting as u64,
            ..StepReport::default()
        }
    }

    /// How many came to rest in this frame.
    fn note_landings(&mut self) -> u64 {
        let mut sum = 0;
        for tile in 1..self.off.tiles.len() {
            let landed = core::mem::take(&mut self.off.tiles[tile].landed);
            for lane in (0..ROW).filter(|lane| landed & (1 << lane) != 0) {
                let id = self.off.block.links[tile].id[lane];
                self.note(BodyId(id), EventKind::Landed);
                sum += 1;
            }
        }
        sum
    }
}

/// Some tiles of bodies that are off.
struct Flock<'a> {
    links: &'a [Links],
    models: &'a [Model<Row>],
    shapes: &'a [Sizes<Row>],
    frames: &'a mut [Row],
    tiles: &'a mut [OffTile],
}

struct Flight<'a> {
    flock: Flock<'a>,
    frame: &'a FrameOf<'a>,
    isa: Isa,
    steps: u32,
    h: f64,
}

impl Kernel for Flight<'_> {
    type Output = Counts;
    #[inline(always)]
    fn run<T: Vector>(mut self) -> Counts {
        let mut counts = Counts::default();
        let mut fields = FieldTile::new(&self.frame.around_free(self.isa, 0.0));
        for tile in 0..self.flock.links.len() {
            if !self.flock.tiles[tile].motion.contains(&OffMotion::Flying) {
                continue;
            }
            let mut columns = BLANK;
            own_columns::<T>(self.flock.frames, tile, &mut columns);
            for k in 0..self.steps {
                let around = self.frame.around_free(self.isa, self.h * f64::from(k));
                let step = self.step::<T>(tile, &columns, &around, &mut fields);
                let before = core::mem::replace(&mut columns, step.columns);
                let rare = step.touching | step.broken;
                for lane in (0..ROW).filter(|lane| rare & (1 << lane) != 0) {
                    let broken = step.broken & (1 << lane) != 0;
                    counts.healed += u64::from(broken);
                    let old = Frame::<f32>::of_columns(&before, lane);
                    let frame = if broken {
                        stopped(old)
                    } else {
                        self.settle(tile, lane, old)
                    };
                    frame.store(&mut columns, lane);
                }
            }
            set_columns::<T>(self.flock.frames, tile, &columns);
        }
        counts
    }
}

/// A tile after a step that knows of no ground.
struct Step {
    columns: [Row; ROW],
    /// Lanes that touch the ground.
    touching: u32,
    /// Lanes that cannot be used.
    broken: u32,
}

impl Flight<'_> {
    /// (1) and (2); what does not fly stays.
    #[inline(always)]
    fn step<T: Vector>(
        &self,
        tile: usize,
        before: &[Row; ROW],
        around: &Surroundings,
        fields: &mut FieldTile,
    ) -> Step {
        let (model, shape) = (&self.flock.models[tile], &self.flock.shapes[tile]);
        let (mut flies, mut ids) = (Row::ZERO, [NOBODY; ROW]);
        let motions = self.flock.tiles[tile].motion.iter().enumerate();
        for (lane, _) in motions.filter(|m| *m.1 == OffMotion::Flying) {
            flies.set(lane, 1.0);
            ids[lane] = self.flock.links[tile].id[lane];
        }
        let felt = fields.forces::<T>(&ids, model, before, around);
        let mut step = Step {
            columns: *before,
            touching: 0,
            broken: 0,
        };
        for at in (0..ROW).step_by(T::WIDTH) {
            let old = Frame::<T>::of_columns(before, at);
            let body = model.load::<T>(at);
            let felt = match &felt {
                Some(forces) => forces.load(at),
                None => FieldForce::none(),
            };
            let new = moved(&old, &body, &felt, around.gravity, self.h as f32);
            let flies = T::zero().lt(flies.load::<T>(at));
            let low = lowest(
                new.rotation.matrix(),
                body.kind,
                body.com_z,
                shape.size.load(at),
            );
            let centre = new.position + new.rotation.matrix().z * body.com_z;
            let below = self.frame.ground.heights_at(centre);
            let touches = (centre.y + low).lt(below + T::splat(TOUCH));
            let sound = T::bits(usable(new.velocity + new.position))
                & T::bits(usable(new.angular_velocity));
            let lanes = T::bits(flies) << at;
            step.touching |= (T::bits(touches) << at) & lanes;
            step.broken |= !(sound << at) & lanes;
            Frame::select(flies, new, old).store(&mut step.columns, at);
        }
        step
    }

    /// Puts a body on the ground that touches it.
    #[cold]
    fn settle(&mut self, tile: usize, lane: usize, before: Frame<f32>) -> Frame<f32> {
        let model = self.flock.models[tile].get(lane);
        let touching = Touching {
            id: BodyId(self.flock.links[tile].id[lane]),
            kind: model.kind(),
            com_z: model.com_z,
            size: self.flock.shapes[tile].size.get(lane),
            before,
        };
        let gravity = V3::from(self.frame.gravity).length();
        let at = before.position + before.rotation.matrix().z * touching.com_z;
        let height = self.frame.ground.height_at(at.x, at.z);
        let (frame, rests) = touching.settled(height, gravity, self.h as f32);
        if rests {
            let tile = &mut self.flock.tiles[tile];
            tile.motion[lane] = OffMotion::Resting;
            tile.landed |= 1 << lane;
        }
        frame
    }
}

/// At rest where it is.
fn stopped(frame: Frame<f32>) -> Frame<f32> {
    Frame {
        velocity: V3::zero(),
        angular_velocity: V3::zero(),
        ..frame
    }
}

/// (1) and (2) of bodies that are free.
#[inline(always)]
fn moved<T: Vector>(
    old: &Frame<T>,
    body: &Model<T>,
    felt: &FieldForce<T>,
    gravity: V3<f32>,
    h: f32,
) -> Frame<T> {
    let (one, h) = (T::one(), T::splat(h));
    let axes = old.rotation.matrix();
    let arm = axes.z * body.com_z;
    let centre = old.position + arm;
    let velocity = old.velocity + old.angular_velocity.cross(arm);
    // (1), by mass.
    let per_mass = one / body.mass;
    let push = splat::<T>(gravity) + felt.force * per_mass;
    let held = Sym3::diagonal(V3::splat(one)) + felt.damping.scale(h * per_mass);
    let velocity = velocity + held.solve(push * h);
    // (2), by the sum of the moments of inertia, so that the determinant of a needle's is not too small to be a number.
    let shift = body.mass * body.com_z * body.com_z;
    let inertia = V3 {
        x: body.inertia.x - shift,
        y: body.inertia.y - shift,
        z: body.inertia.z,
    };
    let own = Sym3::rotated_diagonal(axes, inertia);
    let rate = felt.spin_rate;
    let turning = h * h * T::of(0.25 * TURNING) * felt.turning;
    let held = own.scale(one + h * rate).plus_splat(turning);
    let torque = felt.torque - own.apply(old.angular_velocity) * rate;
    let scale = one / held.trace();
    let omega = old.angular_velocity + held.scale(scale).solve(torque * (h * scale));
    let most = T::of(MOST_TURN) / h;
    let speed = omega.length().max(T::of(1e-12));
    let omega = omega * (most / speed).min(one);
    let turn = Quaternion::from_joint_angle(omega * h);
    let rotation = turn.times(old.rotation).renormalised();
    // The angular momentum I ω in the world is the same after the turn.
    let momentum = own.apply(omega);
    let turned = rotation.matrix();
    let in_body = turned.apply_transposed(momentum);
    let omega = turned.apply(V3 {
        x: in_body.x / inertia.x,
        y: in_body.y / inertia.y,
        z: in_body.z / inertia.z,
    });
    let arm = turned.z * body.com_z;
    Frame {
        rotation,
        position: centre + velocity * h - arm,
        velocity: velocity - omega.cross(arm),
        angular_velocity: omega,
        alpha: V3::zero(),
    }
}
