//! What a ray meets first: for picking with a mouse, for sight and for sounds.

use super::shape::{Outline, RoundCone, met_triangle};
use crate::desc::{BodyId, BodyKind};
use crate::math::V3;
use crate::tree::Tree;
use crate::world::{TreeId, World};
use glam::Vec3;

/// Half a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts, m.
    pub origin: Vec3,
    /// Where it goes, of any length.
    pub direction: Vec3,
    /// Where it ends, m from its origin (infinity: nowhere).
    pub most: f32,
}

impl Ray {
    /// A ray without an end.
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Self {
            origin,
            direction,
            most: f32::INFINITY,
        }
    }
}

/// What a ray meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Of which tree.
    pub tree: TreeId,
    /// Which body; it may be off the tree.
    pub body: BodyId,
    /// m from the origin of the ray.
    pub distance: f32,
    /// Where, m.
    pub point: Vec3,
    /// Of the surface there, towards the origin, of length one.
    pub normal: Vec3,
}

impl World {
    /// The first body on a ray, on or off its tree: wood and fruit as contact knows them, leaves as triangles. A body in which the ray starts is
    /// not seen. None where nothing is met, and of a ray without a direction.
    pub fn cast_ray(&self, ray: Ray) -> Option<RayHit> {
        let direction = V3::from(ray.direction).widen();
        let length = direction.length();
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        let mut cast = Cast {
            origin: V3::from(ray.origin).widen(),
            direction: direction * (1.0 / length),
            nearest: ray.most.into(),
            hit: None,
        };
        let mut of = None;
        for (i, tree) in self.trees().iter().enumerate() {
            let before = cast.nearest;
            tree.meet_ray(&mut cast);
            if cast.nearest < before {
                of = Some(TreeId(i));
            }
        }
        let (tree, (body, normal)) = (of?, cast.hit?);
        let point = cast.origin + cast.direction * cast.nearest;
        Some(RayHit {
            tree,
            body,
            distance: cast.nearest as f32,
            point: point.narrow().into(),
            normal: normal.narrow().into(),
        })
    }
}

/// A ray, and the nearest it has met so far.
struct Cast {
    origin: V3<f64>,
    direction: V3<f64>,
    nearest: f64,
    hit: Option<(BodyId, V3<f64>)>,
}

impl Cast {
    /// Whether the ray meets a sphere before what it has met.
    fn meets_sphere(&self, centre: V3<f32>, radius: f32) -> bool {
        let to = centre.widen() - self.origin;
        let along = to.dot(self.direction).clamp(0.0, self.nearest);
        let off = to - self.direction * along;
        off.dot(off) <= f64::from(radius) * f64::from(radius)
    }
}

impl Tree {
    fn meet_ray(&self, cast: &mut Cast) {
        // The walk asks and tells in turn.
        let cast = core::cell::RefCell::new(cast);
        self.reach().walk(
            self.poses(),
            |id| self.meet_ray_with(id, &mut cast.borrow_mut()),
            |centre, radius| cast.borrow().meets_sphere(centre, radius),
        );
        for id in self.off.ids() {
            self.meet_ray_with(id, &mut cast.borrow_mut());
        }
    }

    fn meet_ray_with(&self, id: BodyId, cast: &mut Cast) {
        let (block, slot) = self.slot(id);
        let (model, sizes, frame) = (block.model(slot), block.sizes(slot), self.frame_of(id));
        let (origin, direction) = (cast.origin, cast.direction);
        let met = if model.kind() == BodyKind::Leaf {
            let axes = frame.rotation.matrix();
            let (apex, end) = (frame.position, axes.z * sizes.size.x);
            let side = axes.x * (0.5 * sizes.size.y);
            let corners = [apex, apex + end - side, apex + end + side].map(V3::widen);
            met_triangle(corners, origin, direction)
        } else {
            let cone = Outline::of(&model, &sizes).in_world(&frame);
            RoundCone::of(&cone).entered(origin, direction)
        };
        if let Some((t, normal)) = met.filter(|met| met.0 < cast.nearest) {
            cast.nearest = t;
            cast.hit = Some((id, normal));
        }
    }
}
