//! Where the skeleton of a tree comes from: a generator, or branches that are written out.

use super::file::{BranchTable, Builtin, CutTable, FruitTable, LeafTable, TreeTable};
use super::{grammar, imported, species};
use treesway::glam::{Quat, Vec3};
use treesway::{Attachment, Branch, CutOptions, Fruit, Leaf, Node, Skeleton};
use treesway_grow::{Beam, Broadleaf, Fork, GrowError, Grown, looking_along};

/// A field of the tree and what is wrong with it.
pub(super) type Wrong = (String, String);

/// The skeleton of a tree and the cut that its table asks for.
pub(super) fn skeleton(tree: &TreeTable) -> Result<Grown, Wrong> {
    let Some(builtin) = tree.builtin else {
        return written_out(tree);
    };
    check_tables(tree, builtin)?;
    let wrong = |e: GrowError| {
        let field = match (e.name, tree.bodies) {
            ("bodies", _) | ("segments", Some(_)) => "bodies".to_string(),
            (name, _) => format!("{}.{name}", table_of(builtin)),
        };
        (field, format!("is {}; expected {}", e.value, e.expected))
    };
    let grown = match builtin {
        Builtin::Beam => {
            let beam = tree.beam.clone().unwrap_or_default();
            let segments = tree.bodies.unwrap_or(beam.segments);
            Beam { segments, ..beam }.grow()
        }
        Builtin::Fork => {
            let fork = tree.fork.clone().unwrap_or_default();
            let segments = tree
                .bodies
                .map_or(fork.segments, |n| (n / (fork.limbs + 1)).max(1));
            Fork { segments, ..fork }.grow()
        }
        Builtin::Broadleaf => {
            let mut broadleaf = tree.broadleaf.clone().unwrap_or_default();
            broadleaf.bodies = tree.bodies.unwrap_or(Broadleaf::default().bodies);
            let cut = overlaid(broadleaf.cut(), &tree.cut);
            broadleaf.grow_for(cut, tree.seed)
        }
        Builtin::Stems => {
            let stems = tree.stems.clone().unwrap_or_default();
            match tree.bodies {
                Some(bodies) => stems.with_bodies(bodies).grow(tree.seed),
                None => stems.grow(tree.seed),
            }
        }
    };
    let mut grown = grown.map_err(wrong)?;
    grown.cut = overlaid(grown.cut, &tree.cut);
    Ok(grown)
}

fn table_of(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Beam => "beam",
        Builtin::Fork => "fork",
        Builtin::Broadleaf => "broadleaf",
        Builtin::Stems => "stems",
    }
}

/// A tree has one source, and what belongs to another would be read by nobody.
pub(super) fn check(tree: &TreeTable) -> Result<(), Wrong> {
    let given = [
        ("builtin", tree.builtin.is_some()),
        ("grammar", tree.grammar.is_some()),
        ("file", tree.file.is_some()),
        ("species", tree.species.is_some()),
        ("branch", !tree.branches.is_empty()),
    ];
    let mut given = given.iter().filter(|(_, given)| *given);
    if let (Some((one, _)), Some((other, _))) = (given.next(), given.next()) {
        let what = format!("has no use beside `{one}`; expected one of them");
        return Err((other.to_string(), what));
    }
    imported::check(tree)?;
    grammar::check(tree)?;
    species::check(tree)
}

/// A table of another source would be read by nobody.
fn check_tables(tree: &TreeTable, builtin: Builtin) -> Result<(), Wrong> {
    let given = [
        ("beam", tree.beam.is_some()),
        ("fork", tree.fork.is_some()),
        ("broadleaf", tree.broadleaf.is_some()),
        ("stems", tree.stems.is_some()),
        ("branch", !tree.branches.is_empty()),
        ("leaf", !tree.leaves.is_empty()),
        ("fruit", !tree.fruit.is_empty()),
    ];
    let own = table_of(builtin);
    match given.iter().find(|(name, given)| *given && *name != own) {
        None => Ok(()),
        Some((name, _)) => {
            let what = format!("has no use beside builtin = \"{own}\"; expected `{own}`");
            Err((name.to_string(), what))
        }
    }
}

pub(super) fn overlaid(cut: CutOptions, table: &CutTable) -> CutOptions {
    CutOptions {
        segment_length: table.segment_length.unwrap_or(cut.segment_length),
        least_segments: table.least_segments.unwrap_or(cut.least_segments),
        most_segments: table.most_segments.unwrap_or(cut.most_segments),
        forks: table.forks.unwrap_or(cut.forks),
        at_nodes: table.at_nodes.unwrap_or(cut.at_nodes),
        leaf_thickness: table.leaf_thickness.unwrap_or(cut.leaf_thickness),
    }
}

fn written_out(tree: &TreeTable) -> Result<Grown, Wrong> {
    if tree.branches.is_empty() {
        let what = "is missing; expected \"beam\", \"fork\", \"broadleaf\" or \"stems\", or `species`, or `grammar` or `file`, or a list of [[tree.branch]]";
        return Err(("builtin".into(), what.into()));
    }
    if tree.bodies.is_some() {
        let what = "cannot be chosen for a tree that is written out; expected cut.segment_length";
        return Err(("bodies".into(), what.into()));
    }
    let branches = tree.branches.iter().map(|b| branch(b, &tree.branches));
    let leaves = tree
        .leaves
        .iter()
        .enumerate()
        .map(|(i, l)| leaf(i, l, tree));
    let fruit = tree
        .fruit
        .iter()
        .enumerate()
        .map(|(i, f)| one_fruit(i, f, tree));
    let skeleton = Skeleton {
        branches: branches.collect(),
        leaves: leaves.collect::<Result<_, _>>()?,
        fruit: fruit.collect::<Result<_, _>>()?,
    };
    let cut = overlaid(CutOptions::default(), &tree.cut);
    Ok(Grown::new(skeleton, cut))
}

fn branch(table: &BranchTable, all: &[BranchTable]) -> Branch {
    Branch {
        parent: table.parent.map(|parent| Attachment {
            branch: parent,
            along: table
                .along
                .unwrap_or_else(|| all.get(parent).map_or(0.0, length)),
        }),
        nodes: table
            .nodes
            .iter()
            .map(|&[x, y, z, radius]| Node {
                position: Vec3::new(x, y, z),
                radius,
            })
            .collect(),
        ..Branch::default()
    }
}

/// Arc length of a branch, m.
fn length(table: &BranchTable) -> f32 {
    let point = |n: &[f32; 4]| Vec3::new(n[0], n[1], n[2]);
    let steps = table.nodes.windows(2);
    steps.map(|n| point(&n[0]).distance(point(&n[1]))).sum()
}

/// The place of a leaf or fruit, and the point of the branch's axis there.
fn place(
    field: &str,
    tree: &TreeTable,
    number: usize,
    along: Option<f32>,
) -> Result<(Attachment, Vec3), Wrong> {
    let Some(branch) = tree.branches.get(number) else {
        let expected = tree.branches.len();
        let what = format!("is {number}; expected the number of a branch, below {expected}");
        return Err((format!("{field}.branch"), what));
    };
    let along = along.unwrap_or_else(|| length(branch));
    let mut left = along;
    let mut point = Vec3::ZERO;
    for pair in branch.nodes.windows(2) {
        let [from, to] = [&pair[0], &pair[1]].map(|n| Vec3::new(n[0], n[1], n[2]));
        let step = from.distance(to);
        point = from + (to - from) * (left / step).clamp(0.0, 1.0);
        left -= step;
        if left <= 0.0 {
            break;
        }
    }
    let branch = number;
    Ok((Attachment { branch, along }, point))
}

/// World from leaf or fruit.
fn frame(field: &str, direction: Vec3, up: Vec3) -> Result<Quat, Wrong> {
    if direction.is_finite() && direction != Vec3::ZERO {
        return Ok(looking_along(direction.as_dvec3(), up.as_dvec3()));
    }
    let what = format!("is {direction}; expected finite numbers, not all zero");
    Err((format!("{field}.direction"), what))
}

fn leaf(i: usize, table: &LeafTable, tree: &TreeTable) -> Result<Leaf, Wrong> {
    let field = format!("leaf.{i}");
    let (on, point) = place(&field, tree, table.branch, table.along)?;
    Ok(Leaf {
        on,
        position: table.position.unwrap_or(point),
        rotation: frame(&field, table.direction, table.normal)?,
        length: table.length,
        width: table.width,
    })
}

fn one_fruit(i: usize, table: &FruitTable, tree: &TreeTable) -> Result<Fruit, Wrong> {
    let field = format!("fruit.{i}");
    let (on, point) = place(&field, tree, table.branch, table.along)?;
    Ok(Fruit {
        on,
        position: table.position.unwrap_or(point),
        rotation: frame(&field, table.direction, Vec3::X)?,
        radius: table.radius,
        stem_length: table.stem_length,
        stem_radius: table.stem_radius,
    })
}
