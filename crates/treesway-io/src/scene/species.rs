//! Trees of a species: an embedded one by its name, or a file.

use super::file::TreeTable;
use super::source::{Wrong, overlaid};
use super::{Scene, SceneError};
use treesway_grow::species::{self, Wanted};
use treesway_grow::{GrowError, Grown, Species, SpeciesError};

/// The text of a scene with one tree of `species`, in a light breeze; without `bodies` at natural detail.
pub fn species_scene(species: &str, title: &str, bodies: Option<u32>) -> String {
    let bodies = bodies
        .map(|n| format!("bodies = {n}\n"))
        .unwrap_or_default();
    let quoted = |text: &str| toml::Value::String(text.into()).to_string();
    format!(
        "version = 1\ntitle = {}\n\n[[tree]]\nspecies = {}\n{bodies}\n[wind]\nspeed = 3.0               # m/s, a light breeze\n",
        quoted(title),
        quoted(species)
    )
}

impl Scene {
    /// The tree of the species that tree `i` names.
    pub(super) fn grow_species(
        &self,
        i: usize,
        table: &TreeTable,
        name: &str,
    ) -> Result<Grown, SceneError> {
        let species = self.species_of(i, name)?;
        let wanted = Wanted {
            bodies: table.bodies,
            height: table.height,
            dbh: table.dbh,
            segment_length: table.cut.segment_length,
        };
        let wrong = |e: GrowError| {
            let field = match e.name {
                "bodies" | "height" | "dbh" => e.name,
                "segment_length" => "cut.segment_length",
                _ => "species",
            };
            let what = format!("{} is {}; expected {}", e.name, e.value, e.expected);
            self.error(&format!("tree.{i}.{field}"), what)
        };
        let mut grown = species.grow(table.seed, &wanted).map_err(wrong)?;
        grown.cut = overlaid(grown.cut, &table.cut);
        Ok(grown)
    }

    fn species_of(&self, i: usize, name: &str) -> Result<Species, SceneError> {
        if !name.contains('.') {
            let wrong = |e: SpeciesError| self.error(&format!("tree.{i}.species"), e.to_string());
            return species::named(name).map_err(wrong);
        }
        let path = self.beside(name);
        let unread = |e: crate::ReadError| self.error(&format!("tree.{i}.species"), e.to_string());
        let text = crate::read_text(&path).map_err(unread)?;
        Species::parse_any(&text, &path.display().to_string()).map_err(SceneError::from)
    }
}

impl From<SpeciesError> for SceneError {
    fn from(e: SpeciesError) -> Self {
        Self {
            file: e.file,
            line: e.line,
            column: None,
            what: e.what,
        }
    }
}

/// What uses a species beside the other fields of its tree.
pub(super) fn check(tree: &TreeTable) -> Result<(), Wrong> {
    if tree.species.is_some() {
        let tables = [
            ("beam", tree.beam.is_some()),
            ("fork", tree.fork.is_some()),
            ("broadleaf", tree.broadleaf.is_some()),
            ("stems", tree.stems.is_some()),
            ("leaf", !tree.leaves.is_empty()),
            ("fruit", !tree.fruit.is_empty()),
        ];
        return match tables.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((name, _)) => {
                let what = "has no use beside `species`; expected one of them";
                Err((name.to_string(), what.into()))
            }
        };
    }
    match [("height", tree.height), ("dbh", tree.dbh)]
        .iter()
        .find(|(_, given)| given.is_some())
    {
        None => Ok(()),
        Some((name, _)) => {
            let what = "is for trees of a species; expected `species` beside it";
            Err((name.to_string(), what.into()))
        }
    }
}
