//! Trees that come from a file of another program, or from a skeleton file.

use super::file::TreeTable;
use super::source::{Wrong, overlaid};
use super::{Scene, SceneError, VERSION};
use crate::import::{ImportError, Imported, import};
use std::path::Path;
use std::sync::Arc;
use treesway_grow::Grown;
use treesway_skin::ModelSurface;

impl Scene {
    /// A scene of nothing but the tree of a file, changed by settings as [`Scene::parse_with`] does.
    pub fn of_tree_file(path: &Path, settings: &[String]) -> Result<Self, SceneError> {
        let name = path.display().to_string();
        let Some(file) = path.file_name().and_then(|f| f.to_str()) else {
            return Err(ImportError::new(&name, "is no name of a file; expected one").into());
        };
        let text = format!(
            "version = {VERSION}\ntitle = \"an imported tree\"\n[[tree]]\nfile = {}\n",
            toml::Value::from(file)
        );
        Self::parse_with(&text, &name, settings)
    }

    /// The tree of a file, whose name is relative to the scene's folder, and what is drawn of it if the file says. Twigs that are added, poses and branches
    /// that are moved apart are not in the file: with them the tree is drawn as any other.
    pub(super) fn grow_file(
        &self,
        table: &TreeTable,
        file: &Path,
    ) -> Result<(Grown, Option<Arc<ModelSurface>>), SceneError> {
        let folder = Path::new(&self.name).parent().unwrap_or(Path::new(""));
        let mut options = table.import.clone().unwrap_or_default();
        if let Some(foliage) = options.foliage.as_mut().filter(|f| f.species.contains('.')) {
            foliage.species = folder.join(&foliage.species).display().to_string();
        }
        let Imported {
            saved,
            species,
            surface,
            ..
        } = import(&folder.join(file), &options)?;
        let as_it_is = options.foliage.is_none() && table.poses.is_empty() && !table.collision_free;
        let grown = Grown {
            params: saved.params,
            species,
            ..Grown::new(saved.skeleton, overlaid(saved.cut, &table.cut))
        };
        Ok((grown, surface.filter(|_| as_it_is)))
    }
}

/// What a file has no use for, and what has no use without one.
pub(super) fn check(tree: &TreeTable) -> Result<(), Wrong> {
    let wrong = |field: &str, what: &str| Err((field.to_string(), what.to_string()));
    match (&tree.file, &tree.import, tree.bodies) {
        (None, Some(_), _) => wrong("import", "has no use without `file`; expected that too"),
        (Some(_), _, Some(_)) => wrong(
            "bodies",
            "cannot be chosen for a file; expected cut.segment_length",
        ),
        _ => Ok(()),
    }
}

impl From<ImportError> for SceneError {
    fn from(error: ImportError) -> Self {
        Self {
            file: error.file,
            line: error.line,
            column: None,
            what: error.what,
        }
    }
}
