//! Which bodies of a run are kept.

use treesway::{BodyId, BodyKind, TreeId, World};

/// A choice of bodies, as `--select` takes it: terms joined by commas, a body is kept if any of them has it.
///
/// | term | keeps |
/// |---|---|
/// | `all` | every body |
/// | `segments`, `leaves`, `fruit` | bodies of that kind |
/// | `tips` | the last segment of every branch |
/// | `branch:3` | segments, leaves and fruit of branch 3 of every tree |
/// | `tree:1` | every body of that tree |
/// | `17`, `0-99` | ids, both ends included; those of a later tree follow on |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection(Vec<Term>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    All,
    Kind(BodyKind),
    Tips,
    Branch(i32),
    Tree(usize),
    Ids(usize, usize),
}

/// Why a selection cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SelectError {
    #[error(
        "`{term}` selects nothing known; expected all, segments, leaves, fruit, tips, branch:N, tree:N, N or N-M"
    )]
    Unknown { term: String },
    #[error("`{selection}` selects none of the {bodies} bodies; expected at least one")]
    Empty { selection: String, bodies: usize },
}

/// A body that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) tree: TreeId,
    pub(crate) body: BodyId,
    /// Number over all trees of the run.
    pub(crate) id: usize,
}

impl Default for Selection {
    fn default() -> Self {
        Self(vec![Term::All])
    }
}

impl core::str::FromStr for Selection {
    type Err = SelectError;

    fn from_str(text: &str) -> Result<Self, SelectError> {
        text.split(',')
            .map(str::trim)
            .map(|term| parse(term).ok_or_else(|| SelectError::Unknown { term: term.into() }))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

fn parse(term: &str) -> Option<Term> {
    Some(match term {
        "all" => Term::All,
        "segments" => Term::Kind(BodyKind::Segment),
        "leaves" => Term::Kind(BodyKind::Leaf),
        "fruit" => Term::Kind(BodyKind::Fruit),
        "tips" => Term::Tips,
        _ => {
            if let Some(branch) = term.strip_prefix("branch:") {
                Term::Branch(branch.parse().ok()?)
            } else if let Some(tree) = term.strip_prefix("tree:") {
                Term::Tree(tree.parse().ok()?)
            } else {
                let (first, last) = term.split_once('-').unwrap_or((term, term));
                let (first, last) = (first.parse().ok()?, last.parse().ok()?);
                if first > last {
                    return None;
                }
                Term::Ids(first, last)
            }
        }
    })
}

impl Selection {
    /// The bodies of a world that it keeps, in id order.
    pub(crate) fn of(&self, world: &World) -> Result<Vec<Kept>, SelectError> {
        let mut kept = Vec::new();
        let mut before = 0;
        for (t, tree) in world.trees().iter().enumerate() {
            let tips = if self.0.contains(&Term::Tips) {
                tips(tree)
            } else {
                Vec::new()
            };
            for body in tree.ids() {
                let id = before + body.index();
                let has = |term: &Term| match *term {
                    Term::All => true,
                    Term::Kind(kind) => tree.body(body).kind == kind,
                    Term::Tips => tips[body.index()],
                    Term::Branch(branch) => tree.body(body).branch == branch,
                    Term::Tree(number) => number == t,
                    Term::Ids(first, last) => (first..=last).contains(&id),
                };
                if self.0.iter().any(has) {
                    let tree = TreeId(t);
                    kept.push(Kept { tree, body, id });
                }
            }
            before += tree.len();
        }
        if kept.is_empty() {
            return Err(SelectError::Empty {
                selection: self.to_string(),
                bodies: before,
            });
        }
        Ok(kept)
    }
}

/// By id: whether a body is a segment that carries no further segment of its branch.
fn tips(tree: &treesway::Tree) -> Vec<bool> {
    let kinds_and_branches: Vec<_> = tree
        .ids()
        .map(|id| (tree.body(id).kind, tree.body(id).branch))
        .collect();
    let mut tips: Vec<bool> = kinds_and_branches
        .iter()
        .map(|k| k.0 == BodyKind::Segment)
        .collect();
    for id in tree.ids() {
        if let Some(parent) = tree.parent_of(id)
            && kinds_and_branches[parent.index()] == kinds_and_branches[id.index()]
        {
            tips[parent.index()] = false;
        }
    }
    tips
}

impl core::fmt::Display for Selection {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (i, term) in self.0.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            match term {
                Term::All => write!(f, "{comma}all")?,
                Term::Kind(BodyKind::Segment) => write!(f, "{comma}segments")?,
                Term::Kind(BodyKind::Leaf) => write!(f, "{comma}leaves")?,
                Term::Kind(BodyKind::Fruit) => write!(f, "{comma}fruit")?,
                Term::Tips => write!(f, "{comma}tips")?,
                Term::Branch(branch) => write!(f, "{comma}branch:{branch}")?,
                Term::Tree(tree) => write!(f, "{comma}tree:{tree}")?,
                Term::Ids(first, last) => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_are_read_and_written() {
        for text in [
            "all",
            "segments,fruit",
            "tips",
            "branch:0,tree:1",
            "0-99",
            "leaves,7-7",
        ] {
            assert_eq!(
                text.parse::<Selection>().map(|s| s.to_string()),
                Ok(text.to_string())
            );
        }
        for text in ["", "leafs", "9-3", "branch:x", "-1"] {
            assert!(text.parse::<Selection>().is_err(), "{text}");
        }
    }
}
