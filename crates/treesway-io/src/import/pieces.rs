//! Pieces of wood with parents, as scans list them → a [`Skeleton`].
//!
//! 1. lengths of nothing are left out, their children handed to their parents;
//! 2. further roots are joined to the nearest wood of the largest tree;
//! 3. the base of the trunk becomes the origin, in f64, before anything is rounded (scans are georeferenced: 1e6 m from their origin
//!    an f32 knows 6 cm), axes and units become ours;
//! 4. pieces of one axis that meet become one branch; a piece that starts elsewhere becomes a branch of its own that hangs on
//!    the nearest point of its parent's axis, the gap between being rigid and without mass.

use super::error::Wrong;
use super::roots::join_roots;
use super::{Note, Options, Up};
use treesway::glam::DVec3;
use treesway::{Attachment, Branch, Node, Profile, Skeleton};

/// A cylinder or frustum of wood, in the file's axes and units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    pub start: DVec3,
    pub end: DVec3,
    /// At both ends; cylinders have equal ones.
    pub radius: [f64; 2],
    /// Index of the piece it grows from.
    pub parent: Option<usize>,
    /// Whether it belongs to its parent's axis, where the file says so.
    pub continues: Option<bool>,
    /// Line of the file, for messages; 0 where there are no lines.
    pub line: usize,
}

/// The pieces of a tree in the order of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    pub pieces: Vec<Piece>,
    pub profile: Profile,
}

/// Pieces of an axis meet if their ends are no farther apart than this share of the radius, or than the least digit that files have.
const MEET_RADII: f64 = 1e-3;
const MEET_METRES: f64 = 2e-6;

/// Wood shorter than this is a point, m; the f32 of a position 100 m from the base has steps of 8 µm.
pub(super) const SHORTEST: f64 = 1e-5;

/// A skeleton in our axes, and where its base was in the file's.
pub(super) struct Assembled {
    pub skeleton: Skeleton,
    pub origin: DVec3,
    pub notes: Vec<Note>,
}

impl Pieces {
    /// Puts the skeleton together.
    pub(super) fn assemble(self, options: &Options, up: Up) -> Result<Assembled, Wrong> {
        let Self {
            mut pieces,
            profile,
        } = self;
        let mut notes = Vec::new();
        check(&pieces)?;
        check_parents(&pieces)?;
        leave_out_points(&mut pieces, options.scale, &mut notes)?;
        let root = join_roots(&mut pieces, options.scale, &mut notes)?;
        let origin = pieces[root].start;
        for piece in &mut pieces {
            piece.start = up.turn(piece.start - origin) * options.scale;
            piece.end = up.turn(piece.end - origin) * options.scale;
            piece.radius = piece.radius.map(|r| r * options.scale);
        }
        let children = children_of(&pieces);
        let order = parents_first(&pieces, &children);
        if options.monotone {
            thin_towards_tips(&mut pieces, &order);
        }
        choose_axes(&mut pieces, &children, &order);
        let branches = chain(&pieces, &order, profile)?;
        let skeleton = Skeleton {
            branches,
            ..Skeleton::default()
        };
        Ok(Assembled {
            skeleton,
            origin,
            notes,
        })
    }
}

fn check(pieces: &[Piece]) -> Result<(), Wrong> {
    if pieces.is_empty() {
        return Err(Wrong::new("holds no wood; expected at least one piece"));
    }
    for p in pieces {
        let found = if !(p.start.is_finite() && p.end.is_finite()) {
            format!(
                "runs from {} to {}; expected finite numbers",
                p.start, p.end
            )
        } else if let Some(r) = p.radius.iter().find(|r| !(r.is_finite() && **r > 0.0)) {
            format!("radius is {r}; expected a finite length greater than zero")
        } else {
            continue;
        };
        return Err(p.wrong(found));
    }
    Ok(())
}

impl Piece {
    pub(super) fn wrong(&self, what: impl Into<String>) -> Wrong {
        Wrong {
            line: (self.line > 0).then_some(self.line),
            what: what.into(),
        }
    }

    fn length(&self) -> f64 {
        self.start.distance(self.end)
    }

    fn volume(&self) -> f64 {
        let [a, b] = self.radius;
        self.length() * (a * a + a * b + b * b)
    }

    /// How far along the axis, 0 to 1, the point nearest to `to` is.
    pub(super) fn nearest(&self, to: DVec3) -> f64 {
        let axis = self.end - self.start;
        ((to - self.start).dot(axis) / axis.length_squared()).clamp(0.0, 1.0)
    }

    pub(super) fn at(&self, t: f64) -> DVec3 {
        self.start + (self.end - self.start) * t
    }
}

/// Every parent is there, and every way down ends.
fn check_parents(pieces: &[Piece]) -> Result<(), Wrong> {
    let n = pieces.len();
    // 0 not seen, 1 on the way, 2 ends at a root.
    let mut seen = vec![0_u8; n];
    let mut way = Vec::new();
    for i in 0..n {
        let mut at = Some(i);
        while let Some(here) = at.filter(|&p| p >= n || seen[p] != 2) {
            if here >= n {
                let what = "its parent is not in the file; expected the number of a piece or a root's mark";
                return Err(pieces[way.last().copied().unwrap_or(i)].wrong(what));
            }
            if seen[here] == 1 {
                let what = "its parents form a cycle that never reaches a root; expected a tree";
                return Err(pieces[here].wrong(what));
            }
            seen[here] = 1;
            way.push(here);
            at = pieces[here].parent;
        }
        way.drain(..).for_each(|p| seen[p] = 2);
    }
    Ok(())
}

/// Removes pieces without length; what grew from them grows from their parents.
fn leave_out_points(
    pieces: &mut Vec<Piece>,
    scale: f64,
    notes: &mut Vec<Note>,
) -> Result<(), Wrong> {
    let is_point: Vec<bool> = pieces
        .iter()
        .map(|p| p.length() * scale < SHORTEST)
        .collect();
    let points = is_point.iter().filter(|&&p| p).count();
    if points == 0 {
        return Ok(());
    }
    if points == pieces.len() {
        return Err(Wrong::new(format!(
            "all {points} pieces have no length; expected wood (is --scale right?)"
        )));
    }
    // Where each piece will be.
    let mut kept = 0;
    let mut moved = Vec::with_capacity(pieces.len());
    for &point in &is_point {
        moved.push(kept);
        kept += usize::from(!point);
    }
    // The nearest ancestor with length, found once per point.
    let mut stands_for: Vec<Option<usize>> = (0..pieces.len()).map(Some).collect();
    let mut way = Vec::new();
    for i in 0..pieces.len() {
        let mut at = Some(i);
        while let Some(here) = at.filter(|&h| is_point[h] && stands_for[h] == Some(h)) {
            way.push(here);
            at = pieces[here].parent;
        }
        let end = at.and_then(|a| stands_for[a]);
        way.drain(..).for_each(|p| stands_for[p] = end);
    }
    for i in 0..pieces.len() {
        let parent = pieces[i].parent;
        if let Some(point) = parent.filter(|&p| is_point[p]) {
            // It goes on with the axis if the point and it did.
            pieces[i].continues = pieces[i]
                .continues
                .zip(pieces[point].continues)
                .map(|(a, b)| a && b);
        }
        pieces[i].parent = parent.and_then(|p| stands_for[p]).map(|p| moved[p]);
    }
    let mut keep = is_point.iter().map(|p| !p);
    pieces.retain(|_| keep.next().unwrap_or(true));
    notes.push(Note(format!(
        "{points} pieces shorter than 10 µm were left out"
    )));
    Ok(())
}

pub(super) fn children_of(pieces: &[Piece]) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); pieces.len()];
    for (i, p) in pieces.iter().enumerate() {
        if let Some(parent) = p.parent {
            children[parent].push(i);
        }
    }
    children
}

/// Every piece after its parent; siblings, and roots, in the order of the file.
pub(super) fn parents_first(pieces: &[Piece], children: &[Vec<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pieces.len())
        .filter(|&i| pieces[i].parent.is_none())
        .collect();
    let mut next = 0;
    while let Some(&i) = order.get(next) {
        order.extend_from_slice(&children[i]);
        next += 1;
    }
    order
}

/// Wood from each piece on, in any unit of volume.
pub(super) fn subtree_volumes(pieces: &[Piece], order: &[usize]) -> Vec<f64> {
    let mut volume: Vec<f64> = pieces.iter().map(Piece::volume).collect();
    for &i in order.iter().rev() {
        if let Some(parent) = pieces[i].parent {
            volume[parent] += volume[i];
        }
    }
    volume
}

/// No piece is thicker than what carries it.
fn thin_towards_tips(pieces: &mut [Piece], order: &[usize]) {
    for &i in order {
        let most = pieces[i]
            .parent
            .map_or(f64::INFINITY, |p| pieces[p].radius[1]);
        let [base, tip] = pieces[i].radius;
        let base = base.min(most);
        pieces[i].radius = [base, tip.min(base)];
    }
}

/// Where the file does not say which child goes on with the axis, the thickest does; of equal ones that with most wood.
fn choose_axes(pieces: &mut [Piece], children: &[Vec<usize>], order: &[usize]) {
    let volume = subtree_volumes(pieces, order);
    for of in children {
        let open = of
            .iter()
            .copied()
            .filter(|&c| pieces[c].continues.is_none());
        let taken = of.iter().any(|&c| pieces[c].continues == Some(true));
        let dominant = open.clone().max_by(|&a, &b| {
            let thick = |c: usize| pieces[c].radius[0];
            let by_wood = volume[a].total_cmp(&volume[b]);
            // Of twins the first.
            thick(a).total_cmp(&thick(b)).then(by_wood).then(b.cmp(&a))
        });
        let open: Vec<usize> = open.collect();
        for c in open {
            pieces[c].continues = Some(!taken && Some(c) == dominant);
        }
    }
}

/// Where a piece ended up.
#[derive(Clone, Copy, Default)]
struct Place {
    branch: usize,
    /// Arc length at its start, m.
    along: f64,
    /// Which node its start is.
    node: usize,
}

fn chain(pieces: &[Piece], order: &[usize], profile: Profile) -> Result<Vec<Branch>, Wrong> {
    let mut branches: Vec<Branch> = Vec::new();
    let mut places = vec![Place::default(); pieces.len()];
    for &i in order {
        let piece = &pieces[i];
        let continues = piece.continues == Some(true) && piece.parent.is_some();
        let goes_on = piece.parent.filter(|&p| {
            let at = places[p];
            let last = branches[at.branch].nodes.len() == at.node + 2;
            continues && last && meet(&pieces[p], piece, profile)
        });
        if let Some(p) = goes_on {
            let below = places[p];
            let nodes = &mut branches[below.branch].nodes;
            let joint = nodes.len() - 1;
            if profile == Profile::Stepped {
                nodes[joint].radius = piece.radius[0] as f32;
            }
            nodes.push(node(piece, 1)?);
            places[i] = Place {
                branch: below.branch,
                along: below.along + pieces[p].length(),
                node: joint,
            };
            continue;
        }
        let parent = piece.parent.map(|p| Attachment {
            branch: places[p].branch,
            along: (places[p].along + pieces[p].nearest(piece.start) * pieces[p].length()) as f32,
        });
        places[i] = Place {
            branch: branches.len(),
            ..Place::default()
        };
        branches.push(Branch {
            parent,
            nodes: vec![node(piece, 0)?, node(piece, 1)?],
            profile,
            continues,
        });
    }
    Ok(branches)
}

/// Whether a piece starts where the one below it ends.
fn meet(below: &Piece, above: &Piece, profile: Profile) -> bool {
    let near = (MEET_RADII * below.radius[1]).max(MEET_METRES);
    let same_section = profile == Profile::Stepped || below.radius[1] == above.radius[0];
    below.end.distance(above.start) <= near && same_section
}

/// An end of a piece in the engine's precision.
fn node(piece: &Piece, end: usize) -> Result<Node, Wrong> {
    let node = Node {
        position: [piece.start, piece.end][end].as_vec3(),
        radius: piece.radius[end] as f32,
    };
    if node.position.is_finite() && node.radius.is_finite() && node.radius > 0.0 {
        return Ok(node);
    }
    let what = format!(
        "is at {} with radius {} m; expected sizes of a tree (is --scale right?)",
        node.position, node.radius
    );
    Err(piece.wrong(what))
}
