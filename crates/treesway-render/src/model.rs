//! A tree on the GPU: its meshes, which stay, and the transforms of its bodies, which change.

use crate::camera::corners;
use crate::curves::CurvesOnGpu;
use crate::lines::{edges, length, skeleton};
use crate::memory::Memory;
use crate::renderer::Renderer;
use crate::seen::Seen;
use crate::settings::Quality;
use crate::sight::{Cutout, Patches};
use crate::surface::{self, Levels};
use bytemuck::cast_slice;
use std::sync::OnceLock;
use treesway::glam::{Quat, Vec3};
use treesway::{BodyId, BodyPose, Tree, TreeDesc};
use treesway_skin::{BodyTransform, Detail, Look, Pieces, Skin, texture};
use wgpu::*;

/// A tree is too large for the graphics card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what} of the tree take {bytes} bytes; the graphics card binds at most {most}: draw it with less detail or fewer bodies"
)]
pub struct TooLarge {
    what: &'static str,
    bytes: u64,
    most: u64,
}

/// Indices and how many.
pub(crate) struct Indices {
    pub(crate) buffer: Buffer,
    pub(crate) count: u32,
}

/// A mesh that is drawn many times.
pub(crate) struct PiecesOnGpu {
    pub(crate) vertices: Buffer,
    pub(crate) triangles: Indices,
    pub(crate) edges: OnceLock<Indices>,
    pub(crate) instances: Buffer,
    pub(crate) count: u32,
    pub(crate) is_leaf: bool,
}

/// What a tree is drawn from, before it is uploaded: takes a while to make, and may be made elsewhere than where is drawn.
pub struct TreeMesh {
    skin: Skin,
    /// Of every body, m.
    lengths: Vec<f32>,
    /// Of bark, leaves and fruit.
    surfaces: [Levels; 3],
    /// Of leaves and fruit.
    cutouts: [Cutout; 2],
    seen: Seen,
    patches: Patches,
}

impl TreeMesh {
    /// Of a tree in the pose that its bodies were given, for a renderer of that quality.
    pub fn new(bodies: &TreeDesc, look: &Look, detail: &Detail, quality: Quality) -> Self {
        let size = quality.texture_size();
        Self::painted(bodies, look, detail, [size, size, size / 4])
    }

    /// With textures of bark, leaves and fruit of those sizes, texels.
    pub(crate) fn painted(
        bodies: &TreeDesc,
        look: &Look,
        detail: &Detail,
        [bark, leaf, fruit]: [u32; 3],
    ) -> Self {
        let surfaces = [
            texture::bark(look, bark),
            texture::leaf(look, leaf),
            texture::fruit(look, fruit),
        ];
        let surfaces = surfaces.map(Levels::of);
        let skin = Skin::new(bodies, look, detail);
        let seen = Seen::of(&skin);
        Self {
            lengths: bodies.bodies.iter().map(|b| length(&b.shape)).collect(),
            cutouts: [1, 2].map(|which| Cutout::of(&surfaces[which].colour)),
            patches: Patches::of(&skin, &seen),
            seen,
            surfaces,
            skin,
        }
    }
}

/// A tree on the GPU.
pub struct TreeOnGpu {
    skin: Skin,
    /// Of every body, m.
    lengths: Vec<f32>,
    queue: Queue,
    bark: Buffer,
    bark_triangles: Indices,
    pub(crate) bark_edges: OnceLock<Indices>,
    /// Two vertices a body.
    pub(crate) skeleton: OnceLock<(Buffer, u32)>,
    pub(crate) pieces: Vec<PiecesOnGpu>,
    pub(crate) bodies: BodiesOnGpu,
    pub(crate) bark_surface: BindGroup,
    pub(crate) leaf_surface: BindGroup,
    pub(crate) fruit_surface: BindGroup,
    /// The bodies that its meshes are carried by.
    pub(crate) seen: Seen,
    /// Where its meshes are.
    pub(crate) patches: Patches,
    /// Of leaves and fruit.
    pub(crate) cutouts: [Cutout; 2],
    /// Where its bark is drawn torn.
    torn: Vec<BodyId>,
    /// Of those that are seen; kept, so that no frame allocates.
    pub(crate) moved: Vec<BodyTransform>,
    /// Those that they were given last.
    pub(crate) colours: Vec<[u8; 4]>,
    /// In place of the bark, where they are asked for.
    pub(crate) curves: Option<CurvesOnGpu>,
}

impl TreeOnGpu {
    /// Makes and uploads the skin of a tree, in the pose that its bodies were given.
    pub fn new(
        renderer: &Renderer,
        bodies: &TreeDesc,
        look: &Look,
        detail: &Detail,
    ) -> Result<Self, TooLarge> {
        let mesh = TreeMesh::new(bodies, look, detail, renderer.quality());
        Self::upload(renderer, mesh)
    }

    /// Uploads what was made before, for a renderer of the same quality.
    pub fn upload(renderer: &Renderer, mesh: TreeMesh) -> Result<Self, TooLarge> {
        let TreeMesh {
            skin,
            lengths,
            surfaces: [bark, leaf, fruit_surface],
            cutouts,
            seen,
            patches,
        } = mesh;
        let (device, queue) = (renderer.device(), renderer.queue());
        let memory = &renderer.memory;
        let limits = device.limits();
        let binds = limits.max_storage_buffer_binding_size;
        let bytes = seen.ids().len() * size_of::<BodyTransform>();
        check("transforms", bytes, binds)?;
        let most = limits.max_buffer_size;
        check("triangles", size_of_val(&skin.bark.triangles[..]), most)?;
        check("vertices", size_of_val(&skin.bark.vertices[..]), most)?;
        for pieces in skin.leaves.iter().chain(&skin.fruit) {
            check("leaves", size_of_val(&pieces.instances[..]), most)?;
        }

        let moved = vec![BodyTransform::default(); seen.ids().len()];
        let surface = |surface: &Levels| {
            let (layout, sampler) = (&renderer.layouts.surface, &renderer.surface_sampler);
            surface::bind(renderer, layout, sampler, surface)
        };
        Ok(Self {
            queue: queue.clone(),
            bark: bark_on_gpu(memory, &skin, &seen),
            bark_triangles: indices(memory, skin.bark.triangles.as_flattened()),
            bark_edges: OnceLock::new(),
            skeleton: OnceLock::new(),
            pieces: pieces_on_gpu(memory, &skin, &seen),
            bodies: BodiesOnGpu::new(renderer, &moved),
            bark_surface: surface(&bark),
            leaf_surface: surface(&leaf),
            fruit_surface: surface(&fruit_surface),
            seen,
            torn: Vec::new(),
            curves: None,
            colours: vec![[255; 4]; moved.len()],
            moved,
            lengths,
            cutouts,
            patches,
            skin,
        })
    }

    /// Makes and uploads its bark anew for a tree that branches broke off ([`Tree::broken`]).
    pub fn tear(
        &mut self,
        renderer: &Renderer,
        bodies: &TreeDesc,
        look: &Look,
        detail: &Detail,
        broken: &[BodyId],
    ) {
        self.torn = broken.to_vec();
        self.skin.tear(bodies, look, detail, broken);
        self.bark_triangles = indices(&renderer.memory, self.skin.bark.triangles.as_flattened());
        self.bark_edges = OnceLock::new();
        let seen = if self.seen.is_whole() {
            self.seen.clone()
        } else {
            Seen::of(&self.skin)
        };
        self.see(renderer, seen);
    }

    /// Makes room for all bodies, also for those that no mesh shows: lines and curves do. Whether there was none before; it is to be told then where they are.
    pub fn see_all(&mut self, renderer: &Renderer) -> bool {
        let is_new = !self.seen.is_whole();
        if is_new {
            self.see(renderer, Seen::all(self.skin.rest.len()));
        }
        is_new
    }

    /// Uploads its meshes for these bodies.
    fn see(&mut self, renderer: &Renderer, seen: Seen) {
        let memory = &renderer.memory;
        if seen != self.seen {
            self.moved = vec![BodyTransform::default(); seen.ids().len()];
            self.colours = vec![[255; 4]; seen.ids().len()];
            self.bodies = BodiesOnGpu::new(renderer, &self.moved);
            self.pieces = pieces_on_gpu(memory, &self.skin, &seen);
            self.skeleton = OnceLock::new();
        }
        self.bark = bark_on_gpu(memory, &self.skin, &seen);
        self.patches = Patches::of(&self.skin, &seen);
        self.seen = seen;
    }

    /// The bodies that it is to be told of where they are, ascending; the root is the first. Of a tree of which most is too small to be drawn few, else all.
    pub fn seen(&self) -> &[BodyId] {
        self.seen.ids()
    }

    /// Where its bark is drawn torn.
    pub fn torn(&self) -> &[BodyId] {
        &self.torn
    }

    /// What it was made from.
    pub fn skin(&self) -> &Skin {
        &self.skin
    }

    /// Moves it to where the tree is now.
    ///
    /// # Panics
    /// If the tree has another number of bodies.
    pub fn follow(&mut self, tree: &Tree) {
        assert_eq!(tree.len(), self.skin.rest.len(), "a skin of another tree");
        for (moved, &id) in self.moved.iter_mut().zip(self.seen.ids()) {
            *moved = self.skin.transform(tree, id);
        }
        self.upload_transforms();
    }

    /// Moves it to transforms of the caller, in the order of [`TreeOnGpu::seen`]: between two steps, say.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn set_transforms(&mut self, transforms: &[BodyTransform]) {
        assert_eq!(
            transforms.len(),
            self.moved.len(),
            "one for each that is seen"
        );
        self.moved.copy_from_slice(transforms);
        self.upload_transforms();
    }

    fn upload_transforms(&self) {
        self.queue
            .write_buffer(&self.bodies.transforms, 0, cast_slice(&self.moved));
    }

    /// Gives bodies a colour (sRGB, a byte a channel, in the order of [`TreeOnGpu::seen`]), seen in [`crate::Mode::Coloured`] and by lines.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn paint(&mut self, colours: &[[u8; 4]]) {
        assert_eq!(colours.len(), self.moved.len(), "one for each that is seen");
        self.colours.copy_from_slice(colours);
        self.queue
            .write_buffer(&self.bodies.colours, 0, cast_slice(colours));
    }

    /// Where a body that is seen was drawn last.
    pub fn pose(&self, id: BodyId) -> BodyPose {
        let (moved, rest) = (self.transform(id.0), &self.skin.rest[id.index()]);
        BodyPose {
            position: moved.point(rest.position),
            rotation: Quat::from_array(moved.rotation) * rest.rotation,
        }
    }

    /// How long the line is that a body is drawn as, m.
    pub fn line_length(&self, id: BodyId) -> f32 {
        self.lengths[id.index()]
    }

    /// Corners of the box that holds it where its root is now, bent as it was at rest, m.
    pub fn bounds(&self) -> [Vec3; 2] {
        let root = self.moved.first().copied().unwrap_or_default();
        around(corners(self.skin.bounds).map(|corner| root.point(corner)))
    }

    /// Vertices and triangles that its wood is drawn from.
    pub(crate) fn wood(&self) -> (&Buffer, &Indices) {
        match &self.curves {
            Some(curves) => (&curves.vertices, &curves.triangles),
            None => (&self.bark, &self.bark_triangles),
        }
    }

    pub(crate) fn bark_edges(&self, memory: &Memory) -> &Indices {
        if let Some(curves) = &self.curves {
            return curves.edges(memory);
        }
        self.bark_edges
            .get_or_init(|| indices(memory, &edges(&self.skin.bark.triangles)))
    }

    pub(crate) fn piece_edges(&self, memory: &Memory, which: usize) -> &Indices {
        let meshes = self.skin.leaves.iter().chain(&self.skin.fruit);
        self.pieces[which].edges.get_or_init(|| {
            let pieces = meshes.clone().nth(which).expect("as many as were uploaded");
            indices(memory, &edges(&pieces.mesh.triangles))
        })
    }

    pub(crate) fn skeleton(&self, memory: &Memory) -> &(Buffer, u32) {
        if let Some(curves) = &self.curves {
            return &curves.lines;
        }
        self.skeleton.get_or_init(|| {
            let lines = skeleton(&self.skin.rest, &self.lengths, self.seen.ids());
            let buffer = memory.filled("skeleton", BufferUsages::VERTEX, cast_slice(&lines));
            (buffer, lines.len() as u32)
        })
    }
}

/// The box that holds all points.
pub(crate) fn around(points: impl IntoIterator<Item = Vec3>) -> [Vec3; 2] {
    points
        .into_iter()
        .fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[least, most], p| {
            [least.min(p), most.max(p)]
        })
}

fn check(what: &'static str, bytes: usize, most: u64) -> Result<(), TooLarge> {
    let bytes = bytes as u64;
    if bytes <= most {
        return Ok(());
    }
    Err(TooLarge { what, bytes, most })
}

fn bark_on_gpu(memory: &Memory, skin: &Skin, seen: &Seen) -> Buffer {
    let vertices = seen.numbered(&skin.bark.vertices, |vertex, number| {
        vertex.bodies = vertex.bodies.map(number);
    });
    memory.filled("bark", BufferUsages::VERTEX, cast_slice(&vertices))
}

fn pieces_on_gpu(memory: &Memory, skin: &Skin, seen: &Seen) -> Vec<PiecesOnGpu> {
    let vertex = |bytes: &[u8]| memory.filled("pieces", BufferUsages::VERTEX, bytes);
    let on_gpu = |pieces: &Pieces, is_leaf| {
        let instances = seen.numbered(&pieces.instances, |instance, number| {
            instance.body = number(instance.body);
        });
        PiecesOnGpu {
            vertices: vertex(cast_slice(&pieces.mesh.vertices)),
            triangles: indices(memory, pieces.mesh.triangles.as_flattened()),
            edges: OnceLock::new(),
            instances: vertex(cast_slice(&instances)),
            count: instances.len() as u32,
            is_leaf,
        }
    };
    let leaves = skin.leaves.iter().map(|pieces| on_gpu(pieces, true));
    let fruit = skin.fruit.iter().map(|pieces| on_gpu(pieces, false));
    leaves.chain(fruit).collect()
}

/// What changes from frame to frame, of the bodies that are seen.
pub(crate) struct BodiesOnGpu {
    transforms: Buffer,
    colours: Buffer,
    pub(crate) binding: BindGroup,
}

impl BodiesOnGpu {
    fn new(renderer: &Renderer, moved: &[BodyTransform]) -> Self {
        let memory = &renderer.memory;
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let transforms = memory.filled("transforms", storage, cast_slice(moved));
        let colours = memory.filled("colours", storage, &vec![255; moved.len().max(1) * 4]);
        fn entry(binding: u32, buffer: &Buffer) -> BindGroupEntry<'_> {
            BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            }
        }
        let binding = renderer.device().create_bind_group(&BindGroupDescriptor {
            label: Some("bodies"),
            layout: &renderer.layouts.bodies,
            entries: &[entry(0, &transforms), entry(1, &colours)],
        });
        Self {
            transforms,
            colours,
            binding,
        }
    }
}

pub(crate) fn indices(memory: &Memory, list: &[u32]) -> Indices {
    Indices {
        buffer: memory.filled("indices", BufferUsages::INDEX, cast_slice(list)),
        count: list.len() as u32,
    }
}
