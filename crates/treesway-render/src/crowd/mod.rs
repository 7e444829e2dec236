//! Thousands of trees of a few species, each drawn where it stands.
//!
//! A [`Crowd`] holds, for each species, meshes of three levels of detail and an [`impostor`]: pictures of the tree from sixteen directions on a
//! strip that faces the camera. Each frame [`sort`] says on the CPU which trees are seen and at which level; their places go to the GPU in one
//! buffer, and every species and level is one draw for its wood and one for its leaves. Levels change by fading: within a band of
//! sizes on the screen both are drawn, each on the pixels that the other leaves out.

mod impostor;
mod mesh;
mod motion;
mod passes;
mod sort;

#[cfg(test)]
pub(crate) use mesh::CROWD;
pub(crate) use passes::CrowdPipelines;
#[cfg(test)]
pub(crate) use passes::PLANT;
pub use sort::LEVELS;

use crate::camera::Camera;
use crate::memory::Memory;
use crate::model::Indices;
use crate::renderer::Renderer;
use crate::surface;
use bytemuck::cast_slice;
use core::ops::Range;
use impostor::Impostor;
use mesh::{Baked, CrowdVertex};
use motion::Motion;
use passes::{Drawn, SpeciesUniform};
use sort::{PlantOnGpu, Sorter};
use treesway::TreeDesc;
use treesway::glam::Vec3;
use treesway::spectral::{Bending, SpectralTree};
use treesway_skin::{Detail, Look, Plant, Skin, texture};
use wgpu::*;

/// Levels that are meshes; the last one of [`LEVELS`] is the impostor.
const MESHES: usize = LEVELS - 1;

/// A species of a crowd.
pub struct CrowdSpecies<'a> {
    /// One tree of it, its anchor at the origin.
    pub bodies: &'a TreeDesc,
    /// What it looks like.
    pub look: &'a Look,
    /// How it moves.
    pub motion: SpectralTree,
    /// Its finest mesh; none: as fine as a tree that fills a screen needs.
    pub finest: Option<Detail>,
}

/// A mesh on the GPU.
struct MeshOnGpu {
    vertices: Buffer,
    triangles: Indices,
}

/// One level of one species.
struct Level {
    bark: MeshOnGpu,
    leaves: MeshOnGpu,
}

struct SpeciesOnGpu {
    levels: [Level; MESHES],
    impostor: Impostor,
    motion: Motion,
    bark_surface: BindGroup,
    leaf_surface: BindGroup,
}

/// Thousands of trees on the GPU.
pub struct Crowd {
    species: Vec<SpeciesOnGpu>,
    sorter: Sorter,
    plants: Buffer,
    queue: Queue,
    bounds: [Vec3; 2],
    seconds: f64,
    bending: Option<Bending>,
}

/// What a frame drew of a crowd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrowdReport {
    /// Trees at each level, those that fade counted at both.
    pub drawn: [u32; LEVELS],
}

impl Crowd {
    /// Makes the meshes of every species, takes the pictures of their impostors and uploads all of it.
    ///
    /// # Panics
    /// If a plant is of a species that is not in the list.
    pub fn new(renderer: &Renderer, species: Vec<CrowdSpecies>, plants: Vec<Plant>) -> Self {
        let memory = &renderer.memory;
        let sizes = sort::sizes(renderer.quality());
        let skins: Vec<[Skin; MESHES]> = species
            .iter()
            .map(|s| {
                let details =
                    sizes.map(|pixels| Detail::for_screen(pixels / s.motion.model.height.max(0.1)));
                let [near, middle, far] = details;
                [s.finest.unwrap_or(near), middle, far]
                    .map(|detail| Skin::new(s.bodies, s.look, &detail))
            })
            .collect();
        let boxes: Vec<[Vec3; 2]> = skins.iter().map(|s| s[0].bounds).collect();
        let sorter = Sorter::new(plants, &boxes, renderer.quality());
        let on_gpu = |(s, skins): (CrowdSpecies, &[Skin; MESHES])| {
            let size = renderer.quality().texture_size();
            let surface = |surface: texture::Surface| {
                let (layout, sampler) = (&renderer.layouts.surface, &renderer.surface_sampler);
                surface::bind(renderer, layout, sampler, &surface::Levels::of(surface))
            };
            let mut holds = Vec::new();
            let levels = skins.each_ref().map(|skin| {
                let on = skin.spectral(&s.motion);
                Level {
                    bark: upload(memory, &mesh::bark(skin, &on)),
                    leaves: upload(memory, &mesh::leaves(skin, &on, &mut holds)),
                }
            });
            let leaf = texture::leaf(s.look, size);
            let uniform = SpeciesUniform::of(skins[0].bounds, &leaf);
            let (bark_surface, leaf_surface) =
                (surface(texture::bark(s.look, size)), surface(leaf));
            // They take over from the coarsest level.
            let model = impostor::Sitter {
                level: &levels[MESHES - 1],
                bark: &bark_surface,
                leaf: &leaf_surface,
            };
            SpeciesOnGpu {
                impostor: Impostor::take(renderer, &uniform, &model),
                motion: Motion::upload(renderer, s.motion, &uniform, &holds),
                levels,
                bark_surface,
                leaf_surface,
            }
        };
        let most = (sorter.most() * size_of::<PlantOnGpu>()).max(4);
        Self {
            species: species.into_iter().zip(&skins).map(on_gpu).collect(),
            plants: memory.buffer(
                "plants",
                BufferUsages::VERTEX | BufferUsages::COPY_DST,
                most as u64,
            ),
            bounds: sorter.bounds(),
            sorter,
            queue: renderer.queue().clone(),
            seconds: 0.0,
            bending: None,
        }
    }

    /// Moves all of it to a time, s.
    pub fn set_time(&mut self, seconds: f64) {
        self.seconds = seconds;
    }

    /// Whether it moves; a crowd that does not is drawn at rest, for less.
    pub fn set_moving(&mut self, moving: bool) {
        for species in &mut self.species {
            species.motion.set_moving(moving);
        }
    }

    /// Bends branches in another way than the species were made with: simpler ones cost less.
    pub fn set_bending(&mut self, bending: Option<Bending>) {
        self.bending = bending;
    }

    /// Vertices of a tree of each species, at each level of detail that is a mesh.
    pub fn vertices(&self) -> Vec<[usize; LEVELS - 1]> {
        let of = |mesh: &MeshOnGpu| mesh.vertices.size() as usize / size_of::<CrowdVertex>();
        let levels = |s: &SpeciesOnGpu| s.levels.each_ref().map(|l| of(&l.bark) + of(&l.leaves));
        self.species.iter().map(levels).collect()
    }

    /// Corners of the box that holds all of it, m.
    pub fn bounds(&self) -> [Vec3; 2] {
        self.bounds
    }

    /// How far away shadows are still drawn, m: some trees far.
    pub(crate) fn shadow_reach(&self) -> f32 {
        (4.0 * self.bounds[1].y).max(1.0)
    }

    /// Which trees are seen now, and how; uploads their places.
    pub(crate) fn prepare(&mut self, camera: &Camera, size: [u32; 2]) -> CrowdReport {
        let bending = self.bending.map(|b| b as u32);
        for species in &mut self.species {
            species.motion.set_time(&self.queue, self.seconds, bending);
        }
        let sorted = self.sorter.sort(camera, size, self.seconds);
        self.queue.write_buffer(&self.plants, 0, cast_slice(sorted));
        CrowdReport {
            drawn: self.sorter.drawn(),
        }
    }

    /// Draws what casts shadows that are seen: meshes of the two finest levels.
    pub(crate) fn cast(&self, pass: &mut RenderPass, renderer: &Renderer) {
        for level in 0..2 {
            self.draw_meshes(pass, renderer, level, |drawn| {
                [&drawn.bark_shadow, &drawn.leaf_shadow]
            });
        }
    }

    /// Draws all that is seen, near trees first.
    pub(crate) fn paint(&self, pass: &mut RenderPass, renderer: &Renderer) {
        for level in 0..MESHES {
            self.draw_meshes(pass, renderer, level, |drawn| [&drawn.bark, &drawn.leaf]);
        }
        pass.set_vertex_buffer(0, self.plants.slice(..));
        for (i, species) in self.species.iter().enumerate() {
            let plants = self.sorter.range(i, MESHES);
            if !plants.is_empty() {
                let drawn = renderer.crowd().of(species.motion.way(), renderer);
                pass.set_pipeline(&drawn.impostor);
                pass.set_bind_group(1, &species.motion.bindings, &[]);
                pass.set_bind_group(2, &species.impostor.bindings, &[]);
                pass.draw(0..impostor::VERTICES, plants);
            }
        }
    }

    fn draw_meshes(
        &self,
        pass: &mut RenderPass,
        renderer: &Renderer,
        level: usize,
        pipelines: impl Fn(&Drawn) -> [&RenderPipeline; 2],
    ) {
        pass.set_vertex_buffer(1, self.plants.slice(..));
        for is_bark in [true, false] {
            for (i, species) in self.species.iter().enumerate() {
                let plants = self.sorter.range(i, level);
                let (mesh, surface) = if is_bark {
                    (&species.levels[level].bark, &species.bark_surface)
                } else {
                    (&species.levels[level].leaves, &species.leaf_surface)
                };
                if !plants.is_empty() {
                    let drawn = renderer.crowd().of(species.motion.way(), renderer);
                    pass.set_pipeline(pipelines(drawn)[usize::from(!is_bark)]);
                    pass.set_bind_group(1, &species.motion.bindings, &[]);
                    pass.set_bind_group(2, surface, &[]);
                    mesh.draw(pass, plants);
                }
            }
        }
    }
}

impl MeshOnGpu {
    fn draw(&self, pass: &mut RenderPass, instances: Range<u32>) {
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_index_buffer(self.triangles.buffer.slice(..), IndexFormat::Uint32);
        pass.draw_indexed(0..self.triangles.count, 0, instances);
    }
}

fn upload(memory: &Memory, mesh: &Baked) -> MeshOnGpu {
    let indices = mesh.triangles.as_flattened();
    MeshOnGpu {
        vertices: memory.filled("crowd", BufferUsages::VERTEX, cast_slice(&mesh.vertices)),
        triangles: Indices {
            buffer: memory.filled("crowd", BufferUsages::INDEX, cast_slice(indices)),
            count: indices.len() as u32,
        },
    }
}
