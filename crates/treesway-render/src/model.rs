//! A tree on the GPU: its meshes, which stay, and the transforms of its bodies, which change.

use crate::camera::corners;
use crate::curves::CurvesOnGpu;
use crate::lines::{edges, length, skeleton};
use crate::memory::Memory;
use crate::renderer::Renderer;
use crate::settings::Quality;
use crate::surface;
use bytemuck::cast_slice;
use std::sync::OnceLock;
use treesway::glam::Vec3;
use treesway::{BodyId, Tree, TreeDesc};
use treesway_skin::texture::Surface;
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
    surfaces: [Surface; 3],
}

impl TreeMesh {
    /// Of a tree in the pose that its bodies were given, for a renderer of that quality.
    pub fn new(bodies: &TreeDesc, look: &Look, detail: &Detail, quality: Quality) -> Self {
        let size = quality.texture_size();
        Self {
            skin: Skin::new(bodies, look, detail),
            lengths: bodies.bodies.iter().map(|b| length(&b.shape)).collect(),
            surfaces: [
                texture::bark(look, size),
                texture::leaf(look, size),
                texture::fruit(look, size / 4),
            ],
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
    pub(crate) bodies: BindGroup,
    pub(crate) bark_surface: BindGroup,
    pub(crate) leaf_surface: BindGroup,
    pub(crate) fruit_surface: BindGroup,
    transforms: Buffer,
    colours: Buffer,
    /// Where its bark is drawn torn.
    torn: Vec<BodyId>,
    /// Kept, so that no frame allocates.
    pub(crate) moved: Vec<BodyTransform>,
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
        } = mesh;
        let (device, queue) = (renderer.device(), renderer.queue());
        let memory = &renderer.memory;
        let count = skin.rest.len();
        let limits = device.limits();
        let binds = limits.max_storage_buffer_binding_size;
        check("transforms", count * size_of::<BodyTransform>(), binds)?;
        let most = limits.max_buffer_size;
        check("triangles", size_of_val(&skin.bark.triangles[..]), most)?;
        check("vertices", size_of_val(&skin.bark.vertices[..]), most)?;
        for pieces in skin.leaves.iter().chain(&skin.fruit) {
            check("leaves", size_of_val(&pieces.instances[..]), most)?;
        }

        let moved = vec![BodyTransform::default(); count];
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let transforms = memory.filled("transforms", storage, cast_slice(&moved));
        let colours = memory.filled("colours", storage, &vec![255; count.max(1) * 4]);
        let body_bindings = device.create_bind_group(&BindGroupDescriptor {
            label: Some("bodies"),
            layout: &renderer.layouts.bodies,
            entries: &[
                BindGroupEntry {
                    binding: 0,
                    resource: transforms.as_entire_binding(),
                },
                BindGroupEntry {
                    binding: 1,
                    resource: colours.as_entire_binding(),
                },
            ],
        });
        let surface = |surface: &Surface| {
            let (layout, sampler) = (&renderer.layouts.surface, &renderer.surface_sampler);
            surface::bind(renderer, layout, sampler, surface)
        };
        let leaves = skin.leaves.iter().map(|p| on_gpu(memory, p, true));
        let fruit = skin.fruit.iter().map(|p| on_gpu(memory, p, false));
        Ok(Self {
            queue: queue.clone(),
            bark: memory.filled(
                "bark",
                BufferUsages::VERTEX,
                cast_slice(&skin.bark.vertices),
            ),
            bark_triangles: indices(memory, skin.bark.triangles.as_flattened()),
            bark_edges: OnceLock::new(),
            skeleton: OnceLock::new(),
            pieces: leaves.chain(fruit).collect(),
            bodies: body_bindings,
            bark_surface: surface(&bark),
            leaf_surface: surface(&leaf),
            fruit_surface: surface(&fruit_surface),
            transforms,
            colours,
            torn: Vec::new(),
            curves: None,
            moved,
            lengths,
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
        let (memory, bark) = (&renderer.memory, &self.skin.bark);
        self.bark = memory.filled("bark", BufferUsages::VERTEX, cast_slice(&bark.vertices));
        self.bark_triangles = indices(memory, bark.triangles.as_flattened());
        self.bark_edges = OnceLock::new();
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
        let mut moved = core::mem::take(&mut self.moved);
        self.skin.transforms(tree, &mut moved);
        self.moved = moved;
        self.queue
            .write_buffer(&self.transforms, 0, cast_slice(&self.moved));
    }

    /// Moves it to transforms of the caller, in id order: between two steps, say.
    ///
    /// # Panics
    /// If there are not as many as bodies.
    pub fn set_transforms(&mut self, transforms: &[BodyTransform]) {
        assert_eq!(transforms.len(), self.moved.len(), "one for each body");
        self.moved.copy_from_slice(transforms);
        self.queue
            .write_buffer(&self.transforms, 0, cast_slice(&self.moved));
    }

    /// Gives every body a colour (sRGB, a byte a channel, in id order), seen in [`crate::Mode::Coloured`] and by lines.
    ///
    /// # Panics
    /// If there are not as many as bodies.
    pub fn paint(&mut self, colours: &[[u8; 4]]) {
        assert_eq!(colours.len(), self.moved.len(), "one for each body");
        self.queue
            .write_buffer(&self.colours, 0, cast_slice(colours));
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
            let lines = skeleton(&self.skin.rest, &self.lengths);
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

fn on_gpu(memory: &Memory, pieces: &Pieces, is_leaf: bool) -> PiecesOnGpu {
    let vertex = |bytes| memory.filled("pieces", BufferUsages::VERTEX, bytes);
    PiecesOnGpu {
        vertices: vertex(cast_slice(&pieces.mesh.vertices)),
        triangles: indices(memory, pieces.mesh.triangles.as_flattened()),
        edges: OnceLock::new(),
        instances: vertex(cast_slice(&pieces.instances)),
        count: pieces.instances.len() as u32,
        is_leaf,
    }
}

pub(crate) fn indices(memory: &Memory, list: &[u32]) -> Indices {
    Indices {
        buffer: memory.filled("indices", BufferUsages::INDEX, cast_slice(list)),
        count: list.len() as u32,
    }
}
