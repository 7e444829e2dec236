//! What is seen of a tree: one continuous bark mesh, leaves and fruit as instanced meshes, and the textures on them.
//!
//! A [`Skin`] is made once from the bodies of a tree ([`TreeDesc`]), its [`Look`] and a [`Detail`]; after that only
//! [`BodyTransform`]s change, 48 bytes a body, which [`Skin::transforms`] reads from the [`Tree`] that moves. A vertex of the bark is
//! carried by two bodies (linear blend), a leaf or fruit by its own; [`skinning`] does on the CPU what `skinning.wgsl` does on the GPU.
//! Metres, y up, right-handed, counter-clockwise triangles seen from outside.

mod bark;
mod curve_skin;
mod detail;
mod foliage;
mod layout;
mod look;
mod model_surface;
mod openness;
mod plant;
pub mod skinning;
mod solids;
mod spectral;
pub mod texture;

pub use curve_skin::{CurveSkin, CurveVertex};
pub use detail::Detail;
pub use layout::{BarkVertex, BodyTransform, Instance, PieceVertex};
pub use look::{BarkLook, FruitLook, LeafLook, Look};
pub use model_surface::{ModelSurface, Owner};
pub use plant::Plant;
pub use solids::solids;
pub use spectral::SpectralSkin;
pub use treesway_grow::species::{BarkStyle, LeafShape};

use treesway::glam::{Affine3A, Quat, Vec3};
use treesway::{BodyId, BodyPose, Tree, TreeDesc};

/// WGSL of [`skinning`], to be put before a shader that uses it. It declares no bindings.
pub const SKINNING_WGSL: &str = include_str!("skinning.wgsl");

/// WGSL of the engine's spectral solver ([`treesway::spectral`]): where a point of bark or of a leaf is, without any body. It says which bindings whoever uses it declares.
pub const SPECTRAL_WGSL: &str = include_str!("spectral.wgsl");

/// A triangle mesh of vertices `V`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh<V> {
    /// In no particular order.
    pub vertices: Vec<V>,
    /// Three a triangle, counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
}

/// One mesh that is drawn many times: a leaf or spray of leaves, a blossom, a fruit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pieces {
    /// In units of [`Instance::scale`].
    pub mesh: Mesh<PieceVertex>,
    /// One for each leaf or fruit body that is shown.
    pub instances: Vec<Instance>,
}

impl Pieces {
    /// Triangles that are drawn, instances counted.
    pub fn triangles(&self) -> usize {
        self.mesh.triangles.len() * self.instances.len()
    }
}

/// Everything that is drawn of one tree, in the pose that its bodies were given.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// Trunk, branches and twigs.
    pub bark: Mesh<BarkVertex>,
    /// Leaves: one mesh for each variant, all with the leaf texture ([`texture::leaf`]).
    pub leaves: Vec<Pieces>,
    /// Fruit, with the fruit's colour ([`texture::fruit`]).
    pub fruit: Vec<Pieces>,
    /// World pose of every body in the pose that the mesh was made in, in id order.
    pub rest: Vec<BodyPose>,
    /// Least and greatest corner of the whole tree at rest, m.
    pub bounds: [Vec3; 2],
}

/// How white snow of so many kg/m² makes what it lies on, 0 to 1: half a kg hides most of a twig.
pub fn snow_cover(load: f32) -> f32 {
    1.0 - (-load / 0.4).exp()
}

impl Skin {
    /// Makes the meshes of a tree whose anchor is at the origin.
    pub fn new(bodies: &TreeDesc, look: &Look, detail: &Detail) -> Self {
        let rest = rest_poses(bodies);
        let crown = openness::Crown::new(bodies, &rest);
        let bark = wood(bodies, &rest, &crown, look, detail, &[]);
        let (leaves, fruit) = match &look.own {
            Some(own) => (own.leaves(bodies, &rest, &crown), Vec::new()),
            None => foliage::pieces(bodies, &rest, &crown, look, detail),
        };
        let mut skin = Self {
            bark,
            leaves,
            fruit,
            rest,
            bounds: [Vec3::ZERO; 2],
        };
        skin.bounds = skin.measure();
        skin
    }

    /// Makes the bark anew for a tree that branches broke off ([`Tree::broken`]): it ends in torn wood on both sides of every break.
    pub fn tear(&mut self, bodies: &TreeDesc, look: &Look, detail: &Detail, broken: &[BodyId]) {
        let crown = openness::Crown::new(bodies, &self.rest);
        self.bark = wood(bodies, &self.rest, &crown, look, detail, broken);
    }

    /// What moves every body from the rest pose to where it is now, in id order.
    ///
    /// # Panics
    /// If the tree has another number of bodies than the skin.
    pub fn transforms(&self, tree: &Tree, out: &mut Vec<BodyTransform>) {
        assert_eq!(tree.len(), self.rest.len(), "a skin of another tree");
        out.clear();
        out.extend(tree.ids().map(|id| self.transform(tree, id)));
    }

    /// What moves one body from the rest pose to where it is now.
    pub fn transform(&self, tree: &Tree, id: BodyId) -> BodyTransform {
        BodyTransform::of(tree, id, &self.rest[id.index()], &tree.pose(id))
    }

    /// Triangles that are drawn, instances counted.
    pub fn triangles(&self) -> usize {
        let pieces = self.leaves.iter().chain(&self.fruit);
        self.bark.triangles.len() + pieces.map(Pieces::triangles).sum::<usize>()
    }

    fn measure(&self) -> [Vec3; 2] {
        let bark = self.bark.vertices.iter().map(|v| Vec3::from(v.position));
        let instances = self
            .leaves
            .iter()
            .chain(&self.fruit)
            .flat_map(|p| &p.instances);
        let ends = instances.flat_map(|i| {
            let (at, turn) = (Vec3::from(i.position), Quat::from_array(i.rotation));
            [at, at + turn * (Vec3::Z * i.scale[2])]
        });
        bark.chain(ends)
            .fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[least, most], p| {
                [least.min(p), most.max(p)]
            })
    }
}

/// The wood of a tree: its own surface, or bark around its bodies.
fn wood(
    bodies: &TreeDesc,
    rest: &[BodyPose],
    crown: &openness::Crown,
    look: &Look,
    detail: &Detail,
    broken: &[BodyId],
) -> Mesh<BarkVertex> {
    match &look.own {
        Some(own) => own.wood(bodies, rest, crown, &look.bark, broken),
        None => {
            let links = bark::Links::new(bodies, broken);
            bark::mesh(bodies, rest, crown, &look.bark, detail, &links)
        }
    }
}

/// World poses of bodies in the pose they were given, the anchor at the origin.
fn rest_poses(bodies: &TreeDesc) -> Vec<BodyPose> {
    let mut poses: Vec<Affine3A> = Vec::with_capacity(bodies.bodies.len());
    for body in &bodies.bodies {
        let own = Affine3A::from_rotation_translation(body.joint_rotation, body.joint_in_parent);
        poses.push(body.parent.map_or(own, |p| poses[p as usize] * own));
    }
    let split = poses.iter().map(|pose| {
        let (_, rotation, position) = pose.to_scale_rotation_translation();
        BodyPose { position, rotation }
    });
    split.collect()
}
