//! How a scene names a body: by id, or by a place that stays the same when the tree is cut differently.

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use treesway::{BodyId, BodyKind, Tree};

/// A body of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyPlace {
    /// By id.
    Id(u32),
    /// The first body, `"root"`.
    Root,
    /// The last segment of a branch, `"tip:3"`; of the trunk, `"tip"`.
    Tip(u32),
    /// The segment that reaches highest, `"highest"`.
    Highest,
}

impl BodyPlace {
    /// The body of that tree.
    pub fn find(self, tree: &Tree) -> Result<BodyId, String> {
        let found = match self {
            Self::Id(id) => Some(BodyId(id)).filter(|id| id.index() < tree.len()),
            Self::Root => Some(BodyId(0)),
            Self::Tip(branch) => segments(tree)
                .filter(|&id| tree.body(id).branch == branch as i32)
                .last(),
            Self::Highest => {
                segments(tree).max_by(|&a, &b| tree.tip(a).y.total_cmp(&tree.tip(b).y))
            }
        };
        found.ok_or_else(|| match self {
            Self::Tip(branch) => {
                format!("is the tip of branch {branch}; this tree has no such branch")
            }
            _ => format!("is {self}; expected an id below {}", tree.len()),
        })
    }
}

fn segments(tree: &Tree) -> impl Iterator<Item = BodyId> + '_ {
    tree.ids()
        .filter(|&id| tree.body(id).kind == BodyKind::Segment)
}

impl core::fmt::Display for BodyPlace {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Id(id) => write!(f, "{id}"),
            Self::Root => write!(f, "root"),
            Self::Tip(branch) => write!(f, "tip:{branch}"),
            Self::Highest => write!(f, "highest"),
        }
    }
}

impl Serialize for BodyPlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Id(id) => serializer.serialize_u32(*id),
            named => serializer.collect_str(named),
        }
    }
}

impl<'de> Deserialize<'de> for BodyPlace {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdOrName)
    }
}

struct IdOrName;

impl Visitor<'_> for IdOrName {
    type Value = BodyPlace;

    fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "the id of a body, \"root\", \"tip\", \"tip:BRANCH\" or \"highest\""
        )
    }

    fn visit_i64<E: Error>(self, id: i64) -> Result<BodyPlace, E> {
        u32::try_from(id)
            .map(BodyPlace::Id)
            .map_err(|_| E::invalid_value(Unexpected::Signed(id), &self))
    }

    fn visit_u64<E: Error>(self, id: u64) -> Result<BodyPlace, E> {
        u32::try_from(id)
            .map(BodyPlace::Id)
            .map_err(|_| E::invalid_value(Unexpected::Unsigned(id), &self))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<BodyPlace, E> {
        let branch = name.strip_prefix("tip:").and_then(|b| b.parse().ok());
        match (name, branch) {
            ("root", _) => Ok(BodyPlace::Root),
            ("highest", _) => Ok(BodyPlace::Highest),
            ("tip", _) => Ok(BodyPlace::Tip(0)),
            (_, Some(branch)) => Ok(BodyPlace::Tip(branch)),
            _ => Err(E::invalid_value(Unexpected::Str(name), &self)),
        }
    }
}
