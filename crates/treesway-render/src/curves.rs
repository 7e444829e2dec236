//! Wood as curves through the ends of bodies, in place of the bark: made anew for every pose, as finely as is asked for.

use crate::lines::edges;
use crate::memory::Memory;
use crate::model::{Indices, TreeOnGpu, indices};
use crate::renderer::Renderer;
use bytemuck::cast_slice;
use std::sync::OnceLock;
use treesway_skin::{BarkLook, BarkVertex, CurveSkin};
use wgpu::{Buffer, BufferUsages, Queue};

/// Curves on the GPU.
pub(crate) struct CurvesOnGpu {
    resolution: u32,
    pub(crate) vertices: Buffer,
    pub(crate) triangles: Indices,
    list: Vec<[u32; 3]>,
    edges: OnceLock<Indices>,
    pub(crate) lines: (Buffer, u32),
    /// How many.
    count: usize,
    /// What was uploaded last: of the tubes, and of the lines.
    bark: Vec<BarkVertex>,
    threads: Vec<BarkVertex>,
}

impl CurvesOnGpu {
    /// Room for a skin.
    fn new(memory: &Memory, skin: &CurveSkin) -> Self {
        let list = skin.bark_triangles();
        let rooms = [
            list.as_flattened().iter().max().map_or(0, |last| last + 1),
            2 * skin.curves().len() as u32 * skin.resolution(),
        ];
        let usage = BufferUsages::VERTEX | BufferUsages::COPY_DST;
        let room = |count: u32| {
            let bytes = u64::from(count.max(1)) * size_of::<BarkVertex>() as u64;
            memory.buffer("curves", usage, bytes)
        };
        Self {
            resolution: skin.resolution(),
            vertices: room(rooms[0]),
            triangles: indices(memory, list.as_flattened()),
            list,
            edges: OnceLock::new(),
            lines: (room(rooms[1]), rooms[1]),
            count: skin.curves().len(),
            bark: Vec::new(),
            threads: Vec::new(),
        }
    }

    fn write(&self, queue: &Queue) {
        queue.write_buffer(&self.vertices, 0, cast_slice(&self.bark));
        queue.write_buffer(&self.lines.0, 0, cast_slice(&self.threads));
    }

    /// Vertices of the tubes.
    pub(crate) fn bark(&self) -> &[BarkVertex] {
        &self.bark
    }

    /// Vertices and triangles of each tube; all have as many.
    pub(crate) fn tubes(&self) -> impl Iterator<Item = (&[BarkVertex], &[[u32; 3]])> {
        let each = |all: usize| (all / self.count.max(1)).max(1);
        let vertices = self.bark.chunks(each(self.bark.len()));
        vertices.zip(self.list.chunks(each(self.list.len())))
    }

    pub(crate) fn edges(&self, memory: &Memory) -> &Indices {
        self.edges
            .get_or_init(|| indices(memory, &edges(&self.list)))
    }
}

impl TreeOnGpu {
    /// Draws its wood as the curves of `skin`, bent as the bodies were when it was told last where they are. To be called again whenever they move.
    pub fn bend_curves(&mut self, renderer: &Renderer, skin: &CurveSkin, look: &BarkLook) {
        let known = self.curves.take();
        let mut curves = known
            .filter(|curves| curves.resolution == skin.resolution())
            .unwrap_or_else(|| CurvesOnGpu::new(&renderer.memory, skin));
        skin.bark(&self.moved, look, &mut curves.bark);
        skin.lines(&self.moved, &mut curves.threads);
        curves.write(renderer.queue());
        self.curves = Some(curves);
    }

    /// Draws its wood as bark again.
    pub fn end_curves(&mut self) {
        self.curves = None;
    }
}
