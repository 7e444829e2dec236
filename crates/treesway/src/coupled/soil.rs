//! The ground under a tree that is not rooted in it.
//!
//! Both ends of a body are held up in proportion to its mass, so that a step of h takes any branch: together they have k = K m/h² and c = C m/h. A body sinks in by g h²/K under its
//! own weight and further under what lies on it. The force is the one at the end of the step, at the point where it acts, f − (c + k h) h a: that takes no energy from nowhere
//! however stiff it is, unlike a force and a torque on their own.

use super::articulated::Articulated;
use crate::block::Model;
use crate::desc::BodyKind;
use crate::ground::Ground;
use crate::kinematics::Frame;
use crate::math::simd::Vector;
use crate::math::{Sym3, V3};

/// Ground that holds up what lies on it. Its slope is felt as height alone: it pushes upwards, and friction holds what would slide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Soil<'a> {
    ground: &'a Ground,
    /// Step, s.
    h: f32,
}

/// K and C of wood, which carries what grows on it; nothing bounces.
const WOOD: [f32; 2] = [20.0, 40.0];
/// K and C of leaves and fruit.
const HUNG: [f32; 2] = [2.0, 4.0];
/// How fast what is in the ground comes out of it at most, m/s, and for every metre that it is deeper, 1/s.
const RISING: [f32; 2] = [0.5, 5.0];
/// Coulomb's, wood on soil.
const FRICTION: f32 = 0.7;
/// Rate at which what touches the ground stops rolling, 1/s.
const ROLLING: f32 = 10.0;

impl<'a> Soil<'a> {
    /// For steps of `h` s.
    pub(crate) fn new(ground: &'a Ground, h: f64) -> Self {
        Self {
            ground,
            h: h as f32,
        }
    }

    /// Adds what it does to bodies of `size`.
    #[inline(always)]
    pub(crate) fn press<T: Vector>(
        &self,
        whole: &mut Articulated<T>,
        frame: &Frame<T>,
        model: &Model<T>,
        size: V3<T>,
    ) {
        let (zero, half, h) = (T::zero(), T::of(0.5), T::splat(self.h));
        let axis = frame.rotation.matrix().z;
        let wood = model
            .kind
            .lt(T::of(f64::from(BodyKind::Segment as u8) + 0.5));
        let thick = T::select(wood, (size.y + size.z) * half, zero);
        let of_kind = |i: usize| T::select(wood, T::splat(WOOD[i]), T::splat(HUNG[i]));
        let unit = half * model.mass / h;
        let (k, c) = (of_kind(0) * unit / h, of_kind(1) * unit);
        let mut touching = zero;
        for end in [zero, model.com_z + model.com_z] {
            let r = axis * end;
            let at = frame.position + r;
            let below = self.ground.heights_at(at) + thick - at.y;
            let rising = below.times_plus(T::splat(RISING[1]), T::splat(RISING[0]));
            let depth = below.min(rising * h).max(zero);
            // The lowest point of the surface.
            let r = V3 {
                y: r.y - thick,
                ..r
            };
            let v = frame.velocity_of(r);
            // It never pulls.
            let push = T::select(zero.lt(below), (k * depth - c * v.y).max(zero), zero);
            let across = v.x.times_plus(v.x, v.z * v.z).sqrt().max(T::of(1e-6));
            let grip = (T::splat(FRICTION) * push / across).min(c);
            let held = T::select(zero.lt(push), k.times_plus(h, c), zero);
            touching = T::select(zero.lt(push), T::one(), touching);
            let implicit = V3 {
                x: grip,
                y: held,
                z: grip,
            } * h;
            let force = V3 {
                x: -(v.x * grip),
                y: push,
                z: -(v.z * grip),
            };
            whole.add_at(r, Sym3::diagonal(implicit), force);
        }
        let rate = touching * T::splat(ROLLING);
        let inertia = Sym3::rotated_diagonal(frame.rotation.matrix(), model.inertia);
        whole.torque += inertia.apply(frame.angular_velocity) * rate;
        whole.a += inertia.scale(rate * h);
    }
}
