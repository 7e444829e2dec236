//! What the GPU reads, to the byte. `skinning.wgsl` and the vertex attributes of the renderer say the same.

use crate::snow_cover;
use bytemuck::{Pod, Zeroable};
use treesway::glam::{Quat, Vec3};
use treesway::{BodyId, BodyPose, Tree};

/// A point of the bark, at rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct BarkVertex {
    /// World, m.
    pub position: [f32; 3],
    /// Share of the second body in the motion, 0 to 1.
    pub weight: f32,
    /// Outward, of length one.
    pub normal: [f32; 3],
    /// Radius of the branch here, m: age and relief of bark go with it; of what does not age, that of old wood. Negative where the wood is torn and bare.
    pub radius: f32,
    /// Around and along the branch, one unit a tile of the bark texture.
    pub uv: [f32; 2],
    /// Ids of the two bodies that carry it.
    pub bodies: [u32; 2],
    /// Light from the sky that gets here through the crown and past forks, 0 to 1.
    pub openness: f32,
}

/// A point of a leaf, spray or fruit, in units of its instance's scale: x width, y normal, z length, base at the origin.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PieceVertex {
    /// In units of [`Instance::scale`].
    pub position: [f32; 3],
    /// Which of the leaves of a spray this is, 0 to 1, for variation of hue within it.
    pub which: f32,
    /// Of length one.
    pub normal: [f32; 3],
    /// Into the leaf or fruit texture.
    pub uv: [f32; 2],
}

/// Where one leaf, spray or fruit is drawn, at rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Instance {
    /// Its base in the world, m.
    pub position: [f32; 3],
    /// Id of the body that carries it.
    pub body: u32,
    /// World from piece, x y z w.
    pub rotation: [f32; 4],
    /// Width, thickness (depth of curl) and length, m.
    pub scale: [f32; 3],
    /// Random number of this piece, 0 to 1: hue, curl.
    pub variation: f32,
    /// Direction out of the crown here, of length one: foliage is lit as a volume with it.
    pub outward: [f32; 3],
    /// Light from the sky that gets here through the crown, 0 to 1.
    pub openness: f32,
}

/// Moves a point of the rest pose to where its body is now: rotate, then translate.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct BodyTransform {
    /// x y z w, of length one.
    pub rotation: [f32; 4],
    /// m.
    pub translation: [f32; 3],
    /// 1 where the body is shown, up to 2 the more snow lies on it, 0 where it is not shown.
    pub shown: f32,
    /// Of a leaf: how its sides are bent about its midrib (of +x, of −x) and its midrib is curled, as [`treesway::elements::BladeBend`] has it, rad; and nothing.
    pub bend: [f32; 4],
}

const _: () = {
    assert!(size_of::<BarkVertex>() == 52);
    assert!(size_of::<PieceVertex>() == 36);
    assert!(size_of::<Instance>() == 64);
    assert!(size_of::<BodyTransform>() == 48);
};

impl Default for BodyTransform {
    fn default() -> Self {
        Self {
            rotation: Quat::IDENTITY.to_array(),
            translation: [0.0; 3],
            shown: 1.0,
            bend: [0.0; 4],
        }
    }
}

impl BodyTransform {
    /// From one pose of a body to another.
    pub fn between(rest: &BodyPose, now: &BodyPose) -> Self {
        let rotation = now.rotation * rest.rotation.conjugate();
        Self {
            rotation: rotation.to_array(),
            translation: (now.position - rotation * rest.position).to_array(),
            ..Self::default()
        }
    }

    /// From the rest pose of a body to where a tree has it now, under its snow and bent as it is.
    pub fn of(tree: &Tree, id: BodyId, rest: &BodyPose, now: &BodyPose) -> Self {
        let bend = tree.blade_bend(id);
        Self {
            shown: 1.0 + snow_cover(tree.snow_load(id)),
            bend: [bend.left, bend.right, bend.curl, 0.0],
            ..Self::between(rest, now)
        }
    }

    /// Where a point of a straight leaf of that length (x width, y normal, z length, m) is, and how its normal stands.
    pub(crate) fn bent(&self, at: Vec3, normal: Vec3, length: f32) -> (Vec3, Vec3) {
        let [left, right, curl, _] = self.bend;
        let (sin, cos) = if at.x < 0.0 { -right } else { left }.sin_cos();
        let turned = |v: Vec3| Vec3::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y, v.z);
        let rise = curl * at.z / length;
        let n = turned(normal);
        let leaning = Vec3::new(n.x, n.y, n.z - 2.0 * rise * n.y);
        (turned(at) + Vec3::Y * (rise * at.z), leaning.normalize())
    }

    /// Where a point of the rest pose is now.
    pub fn point(&self, at_rest: Vec3) -> Vec3 {
        self.direction(at_rest) + Vec3::from(self.translation)
    }

    /// How a direction of the rest pose points now.
    pub fn direction(&self, at_rest: Vec3) -> Vec3 {
        Quat::from_array(self.rotation) * at_rest
    }
}
