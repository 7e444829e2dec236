//! Which branch every point of a skin belongs to, for the spectral solver.

use crate::{Pieces, Skin};
use treesway::BodyId;
use treesway::glam::Vec3;
use treesway::spectral::{SpectralTree, SpectralVertex};

/// What the shaders of the spectral solver read beside a [`Skin`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpectralSkin {
    /// Of every vertex of the bark.
    pub bark: Vec<SpectralVertex>,
    /// Of every instance of the leaves, one list for each of [`Skin::leaves`].
    pub leaves: Vec<Vec<SpectralVertex>>,
    /// Of every instance of the fruit, one list for each of [`Skin::fruit`].
    pub fruit: Vec<Vec<SpectralVertex>>,
}

impl Skin {
    /// Branches of all its points.
    ///
    /// # Panics
    /// If the tree has another number of bodies than the skin.
    pub fn spectral(&self, tree: &SpectralTree) -> SpectralSkin {
        assert_eq!(tree.bodies.len(), self.rest.len(), "a skin of another tree");
        let bark = self.bark.vertices.iter().map(|v| {
            // At a fork both bodies move alike: either will do.
            let body = v.bodies[usize::from(v.weight > 0.5)];
            tree.vertex(BodyId(body), Vec3::from(v.position))
        });
        let of = |pieces: &Vec<Pieces>| {
            let lists = pieces.iter().map(|p| {
                let instances = p.instances.iter();
                instances.map(|i| tree.bodies[i.body as usize].at).collect()
            });
            lists.collect()
        };
        SpectralSkin {
            bark: bark.collect(),
            leaves: of(&self.leaves),
            fruit: of(&self.fruit),
        }
    }
}
