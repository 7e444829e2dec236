//! What acts on stems and leaves, tips to root: (1), (3), (7).

use super::{StemScheme, StemSettings};
use crate::block::NOBODY;
use crate::desc::{BodyId, BodyKind};
use crate::elements::LeafPattern;
use crate::forces::BodySample;
use crate::math::simd::ROW;
use crate::math::{Matrix3, V3, turns_per_angle};
use crate::surroundings::Surroundings;
use crate::tree::Tree;

/// What acts on a body and, by (3), on what it carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acting {
    /// N.
    pub(super) force: V3<f64>,
    /// N·m, world, about its joint.
    pub(super) torque: V3<f64>,
    /// Of a leaf: by how much its torque may fall as it turns, N·m/rad, by component of θ.
    pub(super) yielding: V3<f64>,
    /// Of the air on a leaf that turns through it, N·m·s/rad, by component of θ.
    pub(super) damping: V3<f64>,
    /// Of fields, one by one: their sizes, or what they would be on what is across them, N.
    pub(super) blown: f64,
    /// −∂f/∂v of the air, kg/s.
    pub(super) drag: f64,
    /// kg.
    pub(super) mass: f64,
    /// Of the wind on a leaf: on both sides of its blade and at the end of its midrib, Pa.
    pub(super) pressure: V3<f64>,
}

impl Acting {
    pub(super) const NOTHING: Self = {
        let zero = V3 {
            x: 0.0,
            y: 0.0,
            z: 0.0,
        };
        Self {
            force: zero,
            torque: zero,
            yielding: zero,
            damping: zero,
            blown: 0.0,
            drag: 0.0,
            mass: 0.0,
            pressure: zero,
        }
    };
}

impl Tree {
    /// Forces on all bodies, in the order of ids.
    pub(super) fn stem_forces(&self, around: &Surroundings) -> Vec<Acting> {
        let settings = &self.settings.stems;
        let mut all = vec![Acting::NOTHING; self.len()];
        for id in self.ids().filter(|&id| self.is_attached(id)) {
            all[id.index()] = self.own_forces(id, settings, around);
        }
        for block in &self.blocks {
            for load in &block.loads {
                let id = block.links[load.slot / ROW].id[load.slot % ROW];
                if id != NOBODY {
                    let on = &mut all[id as usize];
                    on.force += load.force.widen();
                    on.torque += load.torque.widen();
                }
            }
        }
        self.transfer(settings, &mut all);
        all
    }

    /// (3), from children to parents.
    fn transfer(&self, settings: &StemSettings, all: &mut [Acting]) {
        let share = f64::from(settings.transfer) * f64::from(settings.rigidity);
        for i in (1..all.len()).rev() {
            let (id, parent) = (BodyId(i as u32), self.parent[i]);
            if parent == u32::MAX || !self.is_attached(id) {
                continue;
            }
            let (child, below) = (all[i], BodyId(parent));
            let passed = child.force * share;
            let lever = match settings.scheme {
                StemScheme::ClosedForm => self.joint_of(id) - self.joint_of(below),
                StemScheme::AsPrinted => self.end_of(below),
            };
            let on = &mut all[parent as usize];
            on.force += passed;
            on.torque += lever.cross(passed);
            on.blown += child.blown * share;
            on.drag += child.drag * share;
            on.mass += child.mass * share;
            if settings.scheme == StemScheme::ClosedForm {
                // A child hands on its bending too.
                on.torque += child.torque * share;
            }
        }
    }

    fn joint_of(&self, id: BodyId) -> V3<f64> {
        let (block, slot) = self.slot(id);
        block.frame(slot).position.widen()
    }

    /// From a body's joint to its end, m, world.
    pub(super) fn end_of(&self, id: BodyId) -> V3<f64> {
        let (block, slot) = self.slot(id);
        let length = f64::from(block.sizes(slot).size.x);
        block.frame(slot).rotation.widen().matrix().z * length
    }

    /// Wind and gravity on one body, about its joint.
    fn own_forces(&self, id: BodyId, settings: &StemSettings, around: &Surroundings) -> Acting {
        let (block, slot) = self.slot(id);
        let (model, frame) = (block.model(slot), block.frame(slot));
        let axes = frame.rotation.matrix();
        let com = axes.z * model.com_z;
        let lever = match settings.scheme {
            StemScheme::ClosedForm => com.widen(),
            StemScheme::AsPrinted => self.end_of(id),
        };
        let weight = around.gravity.widen() * f64::from(model.mass); // (1)
        let mut sum = Acting {
            force: weight,
            torque: lever.cross(weight),
            mass: f64::from(model.mass),
            ..Acting::NOTHING
        };
        let leaf = model.kind() == BodyKind::Leaf;
        let theta = block.joint(slot).theta.widen();
        let moved = Ways::of(theta, Matrix3::identity().z * f64::from(model.com_z));
        if leaf {
            sum.yielding = moved.lengths() * weight.length();
        }
        // As if it stood still: what its motion takes away is (5), and of a leaf what (7) makes of its own speed.
        let sample = BodySample {
            id,
            kind: model.kind(),
            mass: model.mass,
            area: model.area,
            position: frame.position + com,
            velocity: V3::zero(),
            angular_velocity: V3::zero(),
            axis: axes.z,
            normal: axes.y,
            com_z: model.com_z,
            blades: around.blades,
            free: false,
        };
        for field in around.fields {
            let air = field.air(around.seconds, sample.position);
            match air.filter(|_| leaf) {
                Some(wind) => self.add_leaf_wind(id, settings, wind.widen(), &mut sum),
                None => {
                    let f = field.force(around.seconds, &sample);
                    if f.force.is_finite() && f.torque.is_finite() {
                        let force = f.force.widen();
                        sum.force += force;
                        sum.torque += lever.cross(force) + f.torque.widen();
                        let blown = f64::from(f.force.length().max(f.most));
                        sum.blown += blown;
                        if leaf {
                            sum.yielding += moved.lengths() * blown;
                        }
                        // Of the three directions of the trace one is along the stem, where nothing moves.
                        sum.drag += f64::from(f.damping.trace() * 0.5);
                    }
                }
            }
        }
        sum
    }

    /// (7): at the ends of midrib and venations, each with its share of the blade and its own normal.
    fn add_leaf_wind(&self, id: BodyId, settings: &StemSettings, wind: V3<f64>, sum: &mut Acting) {
        let (block, slot) = self.slot(id);
        let size = block.sizes(slot).size.widen();
        let turn = block.frame(slot).rotation.widen();
        let theta = block.joint(slot).theta.widen();
        let (pattern, bend) = (LeafPattern::default(), self.blade_bend(id));
        let veins = pattern.veins.len() as f64;
        // Without the first, where the blade begins.
        let area = f64::from(block.model(slot).area) / (1.0 + 2.0 * veins);
        let drag = f64::from(settings.leaf_wind) * area;
        let blown = drag * wind.length();
        let wind = turn.conjugate().rotate(wind);
        for end in pattern.in_leaf(size.x, size.y).skip(1) {
            let normal = bend.normal(end, pattern.normal_at(end), size.x);
            let lever = bend.bent(end, size.x);
            let across = wind.dot(normal);
            let force = turn.rotate(normal * (drag * across));
            sum.force += force;
            sum.torque += turn.rotate(lever).cross(force);
            let moved = Ways::of(theta, lever);
            sum.yielding += moved.lengths() * blown;
            // Its own speed is wind, too.
            let meets = moved.0.apply_transposed(normal);
            sum.damping += meets.times(meets) * drag;
            sum.blown += blown;
            sum.drag += drag;
            let pressure = f64::from(settings.leaf_wind) * across;
            match end.x {
                x if x > 0.0 => sum.pressure.x += pressure / veins,
                x if x < 0.0 => sum.pressure.y += pressure / veins,
                _ => sum.pressure.z += pressure,
            }
        }
    }
}

/// How a point of a body moves per change of each component of its joint's θ, m/rad, in the frame of the body.
struct Ways(Matrix3<f64>);

impl Ways {
    /// Of the point that is at `lever` from the joint, m, in the frame of the body.
    fn of(theta: V3<f64>, lever: V3<f64>) -> Self {
        let Matrix3 { x, y, z } = turns_per_angle(-theta);
        Self(Matrix3 {
            x: x.cross(lever),
            y: y.cross(lever),
            z: z.cross(lever),
        })
    }

    fn lengths(&self) -> V3<f64> {
        V3 {
            x: self.0.x.length(),
            y: self.0.y.length(),
            z: self.0.z.length(),
        }
    }
}
