//! Twigs and leaves of a species on wood that came without them.

use super::error::Wrong;
use crate::skeleton_file::SavedSkeleton;
use serde::{Deserialize, Serialize};
use std::path::Path;
use treesway_grow::{Species, species};

/// Which twigs and leaves are added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Foliage {
    /// Name of a species, or a file of one.
    pub species: String,
    /// Another seed, other twigs (default: 0).
    #[serde(default)]
    pub seed: u64,
    /// About how many branches, twigs and leaves there are to be at most (default: as many as a trunk so thick feeds).
    pub bodies: Option<u32>,
}

impl Foliage {
    fn species(&self) -> Result<Species, Wrong> {
        let name = &self.species;
        if !name.contains('.') {
            return species::named(name).map_err(|e| Wrong::new(e.to_string()));
        }
        let text = crate::read_text(Path::new(name)).map_err(|e| Wrong::new(e.to_string()))?;
        Species::parse_any(&text, name).map_err(|e| Wrong::new(e.to_string()))
    }

    /// Adds them; the tree is of that species' wood from then on.
    pub(super) fn add(&self, saved: &mut SavedSkeleton) -> Result<Species, Wrong> {
        let species = self.species()?;
        species
            .foliate(&mut saved.skeleton, self.seed, self.bodies)
            .map_err(|e| Wrong::new(format!("foliage of {}: {e}", self.species)))?;
        saved.cut.leaf_thickness = species.leaf_material.thickness;
        saved.params = Some(species.params());
        Ok(species)
    }
}
