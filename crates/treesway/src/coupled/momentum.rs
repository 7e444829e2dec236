//! What a free tree may not gain or lose by how its steps are taken.
//!
//! The recursion finds accelerations α, a of all bodies that add up to the outside forces, F = Σ ṗ and T = Σ l̇. But then joints move by the
//! [`integrator`](super::integrator), the root by Euler's rule, and joints stop at their limits, so that the motion at the end of the step has another momentum than
//! P + h F and another angular momentum than L + h T. On a tree that stands the ground takes the difference; on one that flies it would drive it. So the whole is given
//! the rigid motion that makes up for it, the one of least energy, and its centre of mass is put where P takes it.
//!
//! A tree that stands and was struck is given, about its root, the angular momentum that its integrator makes of T: what steps lose of twigs that turn by half a radian
//! in each is given to the whole, which turns on its root's spring. The force on the root has no moment about it, so that what ball and tree lose is what that spring gave to the ground.

use super::integrator::Integrator;
use super::work::accelerations;
use crate::block::{Block, Model, NOBODY};
use crate::desc::BodyId;
use crate::kinematics::{Frame, own_columns};
use crate::math::simd::{BLANK, Kernel, ROW, Row, Rows, Tile, Vector, dispatch};
use crate::math::{Quaternion, Sym3, V3};
use crate::params::Solver;
use crate::root::RootKind;
use crate::surroundings::splat;
use crate::tree::Tree;

/// A free tree turns by no more than this in a step, rad: what spins faster, like a twig that the wind rolls along the ground, could not be told from what spins the other way.
const MOST_TURN: f64 = 0.5;

/// Of all bodies about one point, in double precision.
#[derive(Clone, Copy, Debug)]
struct Whole {
    about: V3<f64>,     // m
    mass: f64,          // kg
    moment: V3<f64>,    // kg·m
    inertia: Sym3<f64>, // kg·m²
    linear: V3<f64>,    // kg·m/s, or N where the twists are accelerations
    angular: V3<f64>,   // kg·m²/s, N·m
}

impl Whole {
    /// From sums by rows, a number of each lane.
    fn of(about: V3<f32>, sums: &Tile) -> Self {
        let number = |row: usize| sums[row].0.iter().map(|&x| f64::from(x)).sum::<f64>();
        let vector = |row: usize| V3 {
            x: number(row),
            y: number(row + 1),
            z: number(row + 2),
        };
        let (diagonal, sides) = (vector(4), vector(7));
        Self {
            about: about.widen(),
            mass: number(0),
            moment: vector(1),
            inertia: Sym3 {
                xx: diagonal.x,
                yy: diagonal.y,
                zz: diagonal.z,
                xy: sides.x,
                xz: sides.y,
                yz: sides.z,
            },
            linear: vector(10),
            angular: vector(13),
        }
    }

    fn centre(&self) -> V3<f64> {
        self.about + self.moment * (1.0 / self.mass)
    }
}

/// What bodies are about a point, wherever they go.
struct Part<T> {
    mass: T,
    com: V3<T>,
    /// About the joint.
    inertia: Sym3<T>,
    /// From the point to the joint, m.
    d: V3<T>,
}

impl<T: Vector> Part<T> {
    /// `there` is 1, or 0 of lanes without a body.
    #[inline(always)]
    fn of(frame: &Frame<T>, model: &Model<T>, there: T, about: V3<f32>) -> Self {
        let axes = frame.rotation.matrix();
        Self {
            mass: model.mass * there,
            com: axes.z * model.com_z,
            inertia: Sym3::rotated_diagonal(axes, model.inertia * there),
            d: frame.position - splat(about),
        }
    }

    /// Momentum and angular momentum about the joint, with the joint at `v` and a spin of `w`; or what changes them.
    #[inline(always)]
    fn moving(&self, w: V3<T>, v: V3<T>) -> [V3<T>; 2] {
        let linear = (v + w.cross(self.com)) * self.mass;
        let angular = self.inertia.apply(w) + self.com.cross(v * self.mass);
        [linear, angular]
    }

    /// What it adds to the sums of [`Whole`].
    #[inline(always)]
    fn add_to(&self, sums: &mut Tile, at: usize, [linear, angular]: [V3<T>; 2]) {
        let (mass, com) = (self.mass, self.com);
        let r = self.d + com;
        let moment = r * mass;
        let i = self
            .inertia
            .plus_outer(com, mass)
            .plus_splat(-mass * com.dot(com))
            .plus_outer(r, -mass)
            .plus_splat(r.dot(moment));
        let numbers = [
            mass, moment.x, moment.y, moment.z, i.xx, i.yy, i.zz, i.xy, i.xz, i.yz,
        ];
        for (sum, n) in sums.iter_mut().zip(numbers) {
            (T::load(sum, at) + n).store(sum, at);
        }
        self.add_motion(sums, at, [linear, angular]);
    }

    /// The same of the motion alone.
    #[inline(always)]
    fn add_motion(&self, sums: &mut Tile, at: usize, [linear, angular]: [V3<T>; 2]) {
        let angular = angular + self.d.cross(linear);
        let numbers = [
            linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
        ];
        for (sum, n) in sums[10..].iter_mut().zip(numbers) {
            (T::load(sum, at) + n).store(sum, at);
        }
    }
}

/// Sums over all bodies, lane by lane.
struct Sums {
    /// At the start of a step.
    before: Tile,
    /// What acted in it.
    outside: Tile,
    /// At its end.
    after: Tile,
}

/// Adds the bodies of a block to sums about a point, after a step.
struct AddUp<'a> {
    block: &'a Block,
    about: V3<f32>,
    /// Frames at the start of the step.
    from: &'a [Row],
    /// Forces with what the spin of a body asks for.
    products: bool,
    sums: &'a mut Sums,
}

impl Kernel for AddUp<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let Self {
            block,
            about,
            from,
            products,
            sums,
        } = self;
        let (mut now, mut before) = (BLANK, BLANK);
        for tile in block.tiles() {
            own_columns::<T>(&block.frames, tile, &mut now);
            own_columns::<T>(from, tile, &mut before);
            let mut slots = [0; ROW];
            for (lane, slot) in slots.iter_mut().enumerate() {
                *slot = (tile * ROW + lane) as u32;
            }
            let a = accelerations(&block.work, &slots);
            let mut somebody = Row::ZERO;
            for (one, &id) in somebody.0.iter_mut().zip(&block.links[tile].id) {
                *one = if id == NOBODY { 0.0 } else { 1.0 };
            }
            for at in (0..ROW).step_by(T::WIDTH) {
                let model: Model<T> = block.models[tile].load(at);
                let there = T::load(&somebody, at);
                let (start, end) = (
                    Frame::<T>::of_columns(&before, at),
                    Frame::<T>::of_columns(&now, at),
                );
                let part = Part::of(&start, &model, there, about);
                let moving = part.moving(start.angular_velocity, start.velocity);
                part.add_to(&mut sums.before, at, moving);
                let [mut linear, mut angular] = part.moving(end.alpha, a.load(at));
                if products {
                    let spin = start.angular_velocity;
                    linear += spin.cross(spin.cross(part.com)) * part.mass;
                    angular += spin.cross(part.inertia.apply(spin));
                }
                part.add_motion(&mut sums.outside, at, [linear, angular]);
                let part = Part::of(&end, &model, there, about);
                let moving = part.moving(end.angular_velocity, end.velocity);
                part.add_to(&mut sums.after, at, moving);
            }
        }
    }
}

/// A tree at the start of a step: the point about which it is looked at, m. How its bodies moved lies in [`Tree::start_lines`].
pub(crate) struct Start(V3<f32>);

/// A tree that stands and was struck, as long as its steps lose what of that is seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Struck {
    /// Greatest moment about the root of what struck in a step, N·m·s.
    most: f64,
    /// What the integrator remembers of T, N·m.
    change: V3<f64>,
    /// Steps in a row that lost nothing to speak of.
    calm: u32,
}

/// Share of the greatest blow that a step may lose: what a hundred of them add up to is not seen.
const LOST: f64 = 1e-4;
/// Steps after which a tree that loses no more is left to itself.
const CALM: u32 = 8;
/// Least inertia about an axis, as a share of the sum of all three: about its own length a pole has none, and rounding would turn it.
const LEAST_INERTIA: f64 = 1e-3;

impl Tree {
    /// Remembers that things struck it in this step, by `blow`, N·m·s, about its root.
    pub(crate) fn note_blow(&mut self, blow: f64) {
        let still = |v: V3<f64>| v.dot(v) == 0.0;
        let stands = self.root == RootKind::Clamped
            && self.settings.solver == Solver::Coupled
            && self.follow.is_none()
            && still(self.anchor.velocity)
            && still(self.anchor.angular_velocity);
        if !stands {
            self.struck = None;
            return;
        }
        let before = self.struck.unwrap_or_else(|| Struck {
            most: 0.0,
            change: self.remembered_change(),
            calm: 0,
        });
        self.struck = Some(Struck {
            most: before.most.max(blow),
            calm: 0,
            ..before
        });
    }

    /// Σ l̇ about the root by the accelerations that joints were left with, N·m; without velocity products, which are small before a stroke.
    fn remembered_change(&self) -> V3<f64> {
        let about = self.root_position();
        let mut moving = vec![[V3::zero(); 2]; self.len()];
        let mut sum = V3::zero();
        for id in self.ids().filter(|&id| self.is_attached(id)) {
            let (block, slot) = self.slot(id);
            let (frame, joint) = (block.frame(slot), block.joint(slot));
            let back = Quaternion::from_joint_angle(joint.theta).conjugate();
            let turn = frame.rotation.times(back).rotate(joint.accel);
            let (mut alpha, mut a) = (turn.widen(), V3::zero());
            if let Some(parent) = self.parent_of(id) {
                let (below, slot) = self.slot(parent);
                let arm = (frame.position - below.frame(slot).position).widen();
                let [w, v] = moving[parent.index()];
                (alpha, a) = (alpha + w, v + w.cross(arm));
            }
            moving[id.index()] = [alpha, a];
            let body = self.body(id);
            let mass = f64::from(body.mass);
            let com = V3::from(body.pose.rotation * body.com_in_body).widen();
            let r = (frame.position - about).widen() + com;
            let inertia = V3::from(body.inertia).widen();
            let spun = Sym3::rotated_diagonal(frame.rotation.widen().matrix(), inertia);
            sum += spun.apply(alpha) + r.cross((a + alpha.cross(com)) * mass);
        }
        sum
    }

    /// Where the ground holds the tree, m.
    pub(crate) fn root_position(&self) -> V3<f32> {
        let (block, slot) = self.slot(BodyId(0));
        block.frame(slot).position
    }

    /// Remembers how a tree moves, to be looked at about a point.
    pub(crate) fn start_about(&mut self, about: V3<f32>) -> Start {
        let mut lines = core::mem::take(&mut self.start_lines);
        lines.clear();
        for block in &self.blocks {
            lines.extend_from_slice(&block.frames[..block.used * ROW]);
        }
        self.start_lines = lines;
        Start(about)
    }

    /// How it moved before the step that was just taken, what acted on it, and how it moves now.
    fn balance(&self, about: V3<f32>) -> [Whole; 3] {
        let mut sums = Sums {
            before: BLANK,
            outside: BLANK,
            after: BLANK,
        };
        let mut lines = self.start_lines.as_slice();
        for block in &self.blocks {
            let from;
            (from, lines) = lines.split_at(block.used * ROW);
            let add = AddUp {
                block,
                about,
                from,
                products: self.settings.velocity_products,
                sums: &mut sums,
            };
            dispatch(self.isa, add);
        }
        [&sums.before, &sums.outside, &sums.after].map(|sums| Whole::of(about, sums))
    }

    /// Gives a free tree the momentum that the step of `h` s should have left it with.
    pub(crate) fn keep_momentum(&mut self, start: Start, h: f64) {
        let [before, outside, now] = self.balance(start.0);
        let linear = before.linear + outside.linear * h;
        let angular = before.angular + outside.angular * h;
        let r = now.moment * (1.0 / now.mass);
        let about_centre = now
            .inertia
            .plus_outer(r, now.mass)
            .plus_splat(-now.mass * r.dot(r));
        // Mean spin of the whole: what it should be, within what a step can follow, less what it is.
        let spin =
            |angular: V3<f64>, linear: V3<f64>| about_centre.solve(angular - r.cross(linear));
        let wanted = spin(angular, linear);
        let w = wanted * (1.0 / (wanted.length() * h / MOST_TURN).max(1.0))
            - spin(now.angular, now.linear);
        let v = (linear - now.linear) * (1.0 / now.mass);
        let centre = now.centre();
        let shift = before.centre() + linear * (h / now.mass) - centre;
        let all = w.dot(w) + v.dot(v) + shift.dot(shift);
        if !all.is_finite() {
            return; // A body that is healed has no momentum to speak of.
        }
        let anchor = &mut self.anchor;
        anchor.velocity += v + w.cross(anchor.position - centre);
        anchor.angular_velocity += w;
        anchor.position += shift;
        let (w, v, shift, centre) = (w.narrow(), v.narrow(), shift.narrow(), centre.narrow());
        for block in &mut self.blocks {
            for line in &mut block.frames[..block.used * ROW] {
                let mut frame = Frame::of_line(line);
                frame.velocity += v + w.cross(frame.position - centre);
                frame.angular_velocity += w;
                frame.position += shift;
                *line = frame.line();
            }
        }
    }

    /// Gives a tree that stands and was struck the angular momentum about its root that the step of `h` s should have left it with.
    pub(crate) fn keep_turn(&mut self, start: Start, h: f64) {
        let Some(mut struck) = self.struck.take() else {
            return;
        };
        if self.blocks.iter().any(Block::sleeps) {
            return; // How they accelerate is not known.
        }
        let about = start.0;
        let [before, outside, now] = self.balance(about);
        let rho = self.settings.rho_infinity.into();
        let integrator = Integrator::<f64>::new(h, rho, self.rayleigh_alpha().into());
        let (_, wanted, change) =
            integrator.finish(V3::zero(), before.angular, struck.change, outside.angular);
        let lost = wanted - now.angular;
        let root = self.body(BodyId(0));
        let (block, slot) = self.slot(BodyId(0));
        let (frame, mut joint) = (block.frame(slot), block.joint(slot));
        let back = Quaternion::from_joint_angle(joint.theta * 0.5).conjugate();
        let halfway = frame.rotation.times(back);
        // Its damper answers to the mean of before and after.
        let damper = V3::from(root.stiffness * root.damping_beta).widen() * (0.5 * h);
        let i = &now.inertia;
        let damper = Sym3::rotated_diagonal(halfway.widen().matrix(), damper);
        let w = (i.plus_splat(LEAST_INERTIA * i.trace()) + damper).solve(lost);
        if !(w.dot(w) + change.dot(change)).is_finite() {
            return; // A body that is healed has no momentum to speak of.
        }
        struck.change = change;
        struck.calm = if lost.length() > LOST * struck.most {
            0
        } else {
            struck.calm + 1
        };
        self.struck = (struck.calm < CALM).then_some(struck);
        let w = w.narrow();
        joint.rate += halfway.times(back).conjugate().rotate(w);
        let (block, slot) = self.slot_mut(BodyId(0));
        block.set_joint(slot, joint);
        for block in &mut self.blocks {
            for line in &mut block.frames[..block.used * ROW] {
                let mut frame = Frame::of_line(line);
                frame.velocity += w.cross(frame.position - about);
                frame.angular_velocity += w;
                *line = frame.line();
            }
        }
    }

    /// Moves a free tree as it is, m.
    pub(crate) fn shift_whole(&mut self, shift: V3<f32>) {
        self.anchor.position += shift.widen();
        for block in &mut self.blocks {
            for line in &mut block.frames[..block.used * ROW] {
                let mut frame = Frame::of_line(line);
                frame.position += shift;
                *line = frame.line();
            }
        }
    }
}
