//! Trees that grow from a grammar: an embedded one by its name, or a `.lsys` or `.ls` file.

use super::file::TreeTable;
use super::source::{Wrong, overlaid};
use super::{Scene, SceneError, nearest};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use treesway_grow::{GrammarError, Grown, Growth, Plant, grammars};

/// Larger files are no grammars, bytes.
const MOST_BYTES: u64 = 16 << 20;

/// True if a name is that of a file with a grammar.
pub fn is_grammar_file(name: &str) -> bool {
    name.ends_with(".lsys") || name.ends_with(".ls")
}

/// The text of a scene with one plant that grows from `grammar`, in a light breeze.
pub fn grammar_scene(grammar: &str, title: &str) -> String {
    let quoted = |text: &str| toml::Value::String(text.into()).to_string();
    format!(
        "version = 1\ntitle = {}\n\n[[tree]]\ngrammar = {}\n\n[wind]\nspeed = 3.0               # m/s, a light breeze\n",
        quoted(title),
        quoted(grammar)
    )
}

impl Scene {
    /// The skeleton that grows from the grammar of tree `i`.
    pub(super) fn grow_grammar(
        &self,
        i: usize,
        table: &TreeTable,
        grammar: &str,
    ) -> Result<Grown, SceneError> {
        let plant = self.plant_of(i, grammar)?;
        let growth = Growth {
            seed: table.seed,
            depth: table.depth,
            ..Growth::default()
        };
        let mut grown = plant.grow(&growth)?;
        grown.cut = overlaid(grown.cut, &table.cut);
        Ok(grown)
    }

    fn plant_of(&self, i: usize, grammar: &str) -> Result<Plant, SceneError> {
        if is_grammar_file(grammar) {
            let folder = Path::new(&self.name).parent().unwrap_or(Path::new(""));
            return read(&folder.join(grammar));
        }
        grammars::named(grammar).map(|g| g.plant()).ok_or_else(|| {
            let names = grammars::all().iter().map(|g| g.name);
            let near = nearest(grammar, names.clone()).unwrap_or_default();
            let known: Vec<&str> = names.collect();
            let what = format!(
                "unknown grammar `{grammar}`, did you mean `{near}`? Expected a file that ends in .lsys or .ls, or one of: {}",
                known.join(", ")
            );
            self.error(&format!("tree.{i}.grammar"), what)
        })
    }
}

/// Reads a grammar from a file.
fn read(path: &Path) -> Result<Plant, SceneError> {
    let name = path.display().to_string();
    let wrong = |what: String| SceneError {
        file: name.clone(),
        line: None,
        column: None,
        what,
    };
    let unreadable = |e: std::io::Error| wrong(format!("cannot be read: {e}"));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    // One more than allowed shows that there is more; pipes have no size to ask for.
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    if read.map_err(unreadable)? as u64 > MOST_BYTES {
        return Err(wrong(format!(
            "has more than {MOST_BYTES} bytes; expected a grammar"
        )));
    }
    Ok(Plant::read(&bytes, &name)?)
}

/// What uses a grammar beside the other fields of its tree.
pub(super) fn check(tree: &TreeTable) -> Result<(), Wrong> {
    match (&tree.grammar, tree.depth, tree.bodies) {
        (None, Some(_), _) => {
            let what = "has no use without `grammar`; expected no depth";
            Err(("depth".into(), what.into()))
        }
        (Some(_), _, Some(_)) => {
            let what = "cannot be chosen for a grammar; expected depth or cut.segment_length";
            Err(("bodies".into(), what.into()))
        }
        _ => Ok(()),
    }
}

impl From<GrammarError> for SceneError {
    fn from(error: GrammarError) -> Self {
        Self {
            file: error.file,
            line: error.at.map(|at| at.line),
            column: error.at.map(|at| at.column),
            what: error.what,
        }
    }
}
