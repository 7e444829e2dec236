//! What a free tree may not gain or lose by how its steps are taken.
//!
//! The recursion finds accelerations α, a of all bodies that add up to the outside forces, F = Σ ṗ and T = Σ l̇. But then joints move by the
//! [`integrator`](super::integrator), the root by Euler's rule, and joints stop at their limits, so that the motion at the end of the step has another momentum than
//! P + h F and another angular momentum than L + h T. On a tree that stands the ground takes the difference; on one that flies it would drive it. So the whole is given
//! the rigid motion that makes up for it, the one of least energy, and its centre of mass is put where P takes it.

use crate::block::{Block, Model, NOBODY, tile_of};
use crate::kinematics::Frame;
use crate::math::simd::ROW;
use crate::math::{Sym3, V3};
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
    fn none(about: V3<f64>) -> Self {
        Self {
            about,
            mass: 0.0,
            moment: V3::zero(),
            inertia: Sym3::diagonal(V3::zero()),
            linear: V3::zero(),
            angular: V3::zero(),
        }
    }

    /// Adds a body at `frame` that turns by `w` while its joint moves by `v`; with `products` what its own spin asks for, too.
    fn add(
        &mut self,
        model: &Model<f32>,
        frame: &Frame<f32>,
        w: V3<f32>,
        v: V3<f32>,
        products: bool,
    ) {
        let mass = f64::from(model.mass);
        let axes = frame.rotation.widen().unit().matrix();
        let com = axes.z * f64::from(model.com_z);
        let about_joint = Sym3::rotated_diagonal(axes, model.inertia.widen());
        let (w, v) = (w.widen(), v.widen());
        let mut linear = (v + w.cross(com)) * mass;
        let mut angular = about_joint.apply(w) + com.cross(v * mass);
        if products {
            let spin = frame.angular_velocity.widen();
            linear += spin.cross(spin.cross(com)) * mass;
            angular += spin.cross(about_joint.apply(spin));
        }
        let d = frame.position.widen() - self.about;
        let r = d + com;
        let about_com = about_joint
            .plus_outer(com, mass)
            .plus_splat(-mass * com.dot(com));
        self.mass += mass;
        self.moment += r * mass;
        self.inertia += about_com.plus_outer(r, -mass).plus_splat(mass * r.dot(r));
        self.linear += linear;
        self.angular += angular + d.cross(linear);
    }

    fn centre(&self) -> V3<f64> {
        self.about + self.moment * (1.0 / self.mass)
    }
}

/// A free tree at the start of a step.
pub(crate) struct Start(Whole);

impl Tree {
    /// Every body: its block, its slot, and its line among those of all blocks.
    fn each_body(&self, mut visit: impl FnMut(&Block, usize, usize)) {
        let mut first = 0;
        for block in &self.blocks {
            for tile in block.tiles() {
                for lane in (0..ROW).filter(|&lane| block.links[tile].id[lane] != NOBODY) {
                    let slot = tile * ROW + lane;
                    visit(block, slot, first + slot);
                }
            }
            first += block.frames.len();
        }
    }

    /// Remembers how a free tree moves.
    pub(crate) fn start_of_flight(&mut self) -> Start {
        let mut lines = core::mem::take(&mut self.start_lines);
        lines.clear();
        for block in &self.blocks {
            lines.extend_from_slice(&block.frames);
        }
        self.start_lines = lines;
        Start(self.momentum(self.anchor.position))
    }

    fn momentum(&self, about: V3<f64>) -> Whole {
        let mut sum = Whole::none(about);
        self.each_body(|block, slot, _| {
            let frame = block.frame(slot);
            let (w, v) = (frame.angular_velocity, frame.velocity);
            sum.add(&block.model(slot), &frame, w, v, false);
        });
        sum
    }

    /// F and T of the step that was just taken.
    fn outside_forces(&self, about: V3<f64>) -> Whole {
        let mut sum = Whole::none(about);
        let products = self.settings.velocity_products;
        self.each_body(|block, slot, line| {
            let frame = Frame::of_line(&self.start_lines[line]);
            let (tile, lane) = tile_of(slot);
            let [x, y, z, _] = block.work[tile].quad(lane);
            let alpha = block.frame(slot).alpha;
            sum.add(&block.model(slot), &frame, alpha, V3 { x, y, z }, products);
        });
        sum
    }

    /// Gives a free tree the momentum that the step of `h` s should have left it with.
    pub(crate) fn keep_momentum(&mut self, start: Start, h: f64) {
        let Start(before) = start;
        let (outside, now) = (
            self.outside_forces(before.about),
            self.momentum(before.about),
        );
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
            for line in &mut block.frames {
                let mut frame = Frame::of_line(line);
                frame.velocity += v + w.cross(frame.position - centre);
                frame.angular_velocity += w;
                frame.position += shift;
                *line = frame.line();
            }
        }
    }

    /// Moves a free tree as it is, m.
    pub(crate) fn shift_whole(&mut self, shift: V3<f32>) {
        self.anchor.position += shift.widen();
        for block in &mut self.blocks {
            for line in &mut block.frames {
                let mut frame = Frame::of_line(line);
                frame.position += shift;
                *line = frame.line();
            }
        }
    }
}
