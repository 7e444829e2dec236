//! Cuts a [`Skeleton`] into bodies.
//!
//! Every branch becomes a chain of conical frustums of about the target length. A body's axis is the chord between its two cut
//! points, so the pose of the cut tree touches the skeleton at every joint; its length and mass are those of the wood
//! along the curve, so both totals are kept whatever the number of segments. Frames follow the branch without twist
//! (each is its parent's, turned the short way). Of a stepped branch every cylinder is cut on its own, so that no body has two radii.

use crate::desc::{BodyDesc, BuildError, Shape, TreeDesc};
use crate::math::{Quaternion, V3};
use crate::skeleton::{Attachment, Branch, Profile, Skeleton};
use crate::solid::Solid;

/// How finely branches are cut.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct CutOptions {
    /// Wanted length of a segment, m (default: 0.3).
    pub segment_length: f32,
    /// Fewest segments per branch, of a stepped one per cylinder (default: 1).
    pub least_segments: u32,
    /// Most segments per branch, of a stepped one per cylinder (default: 64).
    pub most_segments: u32,
    /// Where child branches sit (default: on joints).
    pub forks: ForkPlacement,
    /// Whether the wood between every two nodes is cut on its own, as that of stepped branches always is (default: false). With
    /// `most_segments` 1 every such piece is one body.
    pub at_nodes: bool,
    /// Thickness of a leaf blade, m (default: 0.0003).
    pub leaf_thickness: f32,
}

impl Default for CutOptions {
    fn default() -> Self {
        Self {
            segment_length: 0.3,
            least_segments: 1,
            most_segments: 64,
            forks: ForkPlacement::default(),
            at_nodes: false,
            leaf_thickness: 0.0003,
        }
    }
}

/// Where child branches sit on the cut parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum ForkPlacement {
    /// Cut points move to the nearest fork, up to a third of a segment; further forks stay on the body (default).
    #[default]
    OnJoints,
    /// Cut points are evenly spaced; forks are attached at their place along the parent body.
    Along,
}

/// Turns a skeleton into a list of bodies: segments branch by branch from the trunk, then leaves, then fruit.
pub fn cut(skeleton: &Skeleton, options: &CutOptions) -> Result<TreeDesc, BuildError> {
    options.validate()?;
    let order = trunk_first(skeleton)?;
    let forks = forks_by_branch(skeleton);
    let mut pieces: Vec<Vec<Piece>> = vec![Vec::new(); skeleton.branches.len()];
    let mut desc = TreeDesc::default();
    for &b in &order {
        let chain = cut_branch(skeleton, b, &forks[b], options)?;
        pieces[b] = append_chain(&mut desc, skeleton, b, &chain, &forks[b], &pieces);
    }
    append_leaves(&mut desc, skeleton, options, &pieces)?;
    append_fruit(&mut desc, skeleton, &pieces)?;
    Ok(desc)
}

impl CutOptions {
    /// Into how many segments a branch of `length` m is cut; growth plans its number of bodies with it.
    pub fn segments(&self, length: f64) -> usize {
        let wanted = (length / f64::from(self.segment_length)).round();
        wanted.clamp(
            f64::from(self.least_segments),
            f64::from(self.most_segments),
        ) as usize
    }

    fn validate(&self) -> Result<(), BuildError> {
        for (name, value) in [
            ("segment_length", self.segment_length),
            ("leaf_thickness", self.leaf_thickness),
        ] {
            if !(value.is_finite() && value > 0.0) {
                let expected = "a finite length greater than zero";
                return Err(BuildError::Parameter {
                    name: name.into(),
                    value: value.into(),
                    expected,
                });
            }
        }
        if self.least_segments < 1 || self.most_segments < self.least_segments {
            let name = "most_segments".into();
            let expected = "at least least_segments, and that at least 1";
            return Err(BuildError::Parameter {
                name,
                value: self.most_segments.into(),
                expected,
            });
        }
        Ok(())
    }
}

/// A body made from a branch, and where it lies.
#[derive(Clone, Copy)]
struct Piece {
    id: u32,
    /// Arc length of its joint along the branch, m.
    start: f64,
    /// Joint in the world, m.
    origin: V3<f64>,
    /// World from body.
    rotation: Quaternion<f64>,
}

/// One segment before it has a frame.
struct Cut {
    start: f64,
    end: f64,
    from: V3<f64>,
    to: V3<f64>,
    base: f64,
    tip: f64,
    solid: Solid,
}

fn branch_error(branch: usize, what: impl Into<String>) -> BuildError {
    BuildError::Branch {
        branch,
        what: what.into(),
    }
}

/// Branch numbers, each after its parent.
fn trunk_first(skeleton: &Skeleton) -> Result<Vec<usize>, BuildError> {
    let n = skeleton.branches.len();
    let mut children = vec![Vec::new(); n];
    let mut order = Vec::with_capacity(n);
    for (b, branch) in skeleton.branches.iter().enumerate() {
        match branch.parent {
            Some(on) if on.branch >= n => {
                let what = format!(
                    "its parent is branch {}; expected a number below {n}",
                    on.branch
                );
                return Err(branch_error(b, what));
            }
            Some(on) => children[on.branch].push(b),
            None if order.is_empty() => order.push(b),
            None => {
                return Err(branch_error(
                    b,
                    format!(
                        "is a second trunk beside branch {}; give it a parent",
                        order[0]
                    ),
                ));
            }
        }
    }
    if order.is_empty() {
        return Err(if n == 0 {
            BuildError::Empty
        } else {
            branch_error(0, "no branch is a trunk; leave out the parent of one")
        });
    }
    let mut next = 0;
    while next < order.len() {
        let b = order[next];
        order.extend_from_slice(&children[b]);
        next += 1;
    }
    if order.len() < n {
        let mut reached = vec![false; n];
        order.iter().for_each(|&b| reached[b] = true);
        let lost = reached.iter().position(|&r| !r).unwrap_or(0);
        return Err(branch_error(
            lost,
            "its parents form a cycle that never reaches the trunk; break the cycle",
        ));
    }
    Ok(order)
}

/// Sorted arc lengths at which children fork off each branch; where its own axis goes on is no fork.
fn forks_by_branch(skeleton: &Skeleton) -> Vec<Vec<f64>> {
    let mut forks = vec![Vec::new(); skeleton.branches.len()];
    let forked = skeleton.branches.iter().filter(|b| !b.continues);
    for on in forked.filter_map(|b| b.parent) {
        forks[on.branch].push(f64::from(on.along));
    }
    forks.iter_mut().for_each(|f| f.sort_by(f64::total_cmp));
    forks
}

fn cut_branch(
    skeleton: &Skeleton,
    b: usize,
    forks: &[f64],
    options: &CutOptions,
) -> Result<Vec<Cut>, BuildError> {
    let branch = &skeleton.branches[b];
    check_nodes(b, branch)?;
    let arcs = branch.arc_lengths();
    let length = arcs[arcs.len() - 1];
    let mut cuts = Vec::new();
    for (from_node, to_node) in spans(branch, options.at_nodes) {
        let (from, to) = (arcs[from_node], arcs[to_node]);
        let points = cut_points(from, to, options.segments(to - from), forks, options.forks);
        for pair in points.windows(2) {
            let (start, end) = (pair[0], pair[1]);
            let (from, to) = (point(branch, &arcs, start), point(branch, &arcs, end));
            if (to - from).length() < 1e-9 * length {
                let what = format!(
                    "bends back onto itself between {start} m and {end} m; cut it into more segments"
                );
                return Err(branch_error(b, what));
            }
            let (base, tip) = match branch.profile {
                Profile::Tapered => (radius(branch, &arcs, start), radius(branch, &arcs, end)),
                Profile::Stepped => branch.radii(from_node).into(),
            };
            cuts.push(Cut {
                start,
                end,
                from,
                to,
                base,
                tip,
                solid: match branch.profile {
                    Profile::Tapered => wood_between(branch, &arcs, start, end),
                    Profile::Stepped => Solid::frustum(end - start, base, tip),
                },
            });
        }
    }
    Ok(cuts)
}

/// Nodes between which a branch is cut evenly: a tapered one as a whole unless at its nodes, a stepped one cylinder by cylinder.
fn spans(branch: &Branch, at_nodes: bool) -> Vec<(usize, usize)> {
    let last = branch.nodes.len() - 1;
    if branch.profile == Profile::Tapered && !at_nodes {
        vec![(0, last)]
    } else {
        (0..last).map(|i| (i, i + 1)).collect()
    }
}

fn check_nodes(b: usize, branch: &Branch) -> Result<(), BuildError> {
    if branch.nodes.len() < 2 {
        return Err(branch_error(
            b,
            format!("has {} nodes; expected at least 2", branch.nodes.len()),
        ));
    }
    if let Some(on) = branch.parent
        && !on.along.is_finite()
    {
        return Err(branch_error(
            b,
            format!(
                "leaves its parent at {} m; expected a finite length",
                on.along
            ),
        ));
    }
    for (i, node) in branch.nodes.iter().enumerate() {
        if !(node.radius.is_finite() && node.radius > 0.0) {
            let what = format!(
                "node {i} has radius {}; expected a finite length greater than zero",
                node.radius
            );
            return Err(branch_error(b, what));
        }
        if !node.position.is_finite() {
            return Err(branch_error(
                b,
                format!("node {i} is at {}; expected finite numbers", node.position),
            ));
        }
    }
    for (i, pair) in branch.nodes.windows(2).enumerate() {
        if pair[0].position == pair[1].position {
            let what = format!(
                "nodes {i} and {} coincide, a segment of zero length; remove one of them",
                i + 1
            );
            return Err(branch_error(b, what));
        }
    }
    Ok(())
}

/// Where the wood from arc length `from` to `to` is cut into `n`, both ends included.
fn cut_points(from: f64, to: f64, n: usize, forks: &[f64], placement: ForkPlacement) -> Vec<f64> {
    let spacing = (to - from) / n as f64;
    let mut points: Vec<f64> = (0..=n).map(|i| from + spacing * i as f64).collect();
    points[n] = to;
    if placement == ForkPlacement::OnJoints {
        for point in &mut points[1..n] {
            let near = forks
                .iter()
                .copied()
                .min_by(|a, b| (a - *point).abs().total_cmp(&(b - *point).abs()));
            // A third of a segment: two neighbours that move towards each other still leave a third between them.
            if let Some(fork) = near.filter(|f| (f - *point).abs() < spacing / 3.0) {
                *point = fork;
            }
        }
    }
    points
}

/// The nodes around an arc length, the first of them and how far it is to the next one, 0 to 1.
fn between(arcs: &[f64], at: f64) -> (usize, f64) {
    let i = arcs.partition_point(|&a| a <= at).clamp(1, arcs.len() - 1);
    let t = ((at - arcs[i - 1]) / (arcs[i] - arcs[i - 1])).clamp(0.0, 1.0);
    (i - 1, t)
}

/// The point of the axis at an arc length.
fn point(branch: &Branch, arcs: &[f64], at: f64) -> V3<f64> {
    let (i, t) = between(arcs, at);
    let [p, q] = [i, i + 1].map(|n| V3::from(branch.nodes[n].position).widen());
    p + (q - p) * t
}

/// Radius of a tapered branch at an arc length.
fn radius(branch: &Branch, arcs: &[f64], at: f64) -> f64 {
    let (i, t) = between(arcs, at);
    let [a, b] = branch.radii(i);
    a + (b - a) * t
}

/// Mass integrals of the wood between two arc lengths, straightened, about its lower end.
fn wood_between(branch: &Branch, arcs: &[f64], start: f64, end: f64) -> Solid {
    let inner = arcs.iter().copied().filter(|&a| a > start && a < end);
    let mut solid = Solid::default();
    let mut last = (start, radius(branch, arcs, start));
    for at in inner.chain([end]) {
        let here = radius(branch, arcs, at);
        solid = solid.joined(Solid::frustum(at - last.0, last.1, here).shifted(last.0 - start));
        last = (at, here);
    }
    solid
}

fn append_chain(
    desc: &mut TreeDesc,
    skeleton: &Skeleton,
    b: usize,
    chain: &[Cut],
    forks: &[f64],
    pieces: &[Vec<Piece>],
) -> Vec<Piece> {
    let Branch {
        parent: on,
        continues,
        ..
    } = skeleton.branches[b];
    let mut parent = on.map(|on| carrier(&pieces[on.branch], on));
    let mut along = on
        .zip(parent)
        .map_or(0.0, |(on, p)| f64::from(on.along) - p.start);
    let mut made = Vec::with_capacity(chain.len());
    for cut in chain {
        let up = parent.map_or(Quaternion::identity(), |p| p.rotation);
        let rotation = turned_to(
            up,
            (cut.to - cut.from) * (1.0 / (cut.to - cut.from).length()),
        );
        let id = desc.bodies.len() as u32;
        let shape = Shape::Segment {
            length: (cut.end - cut.start) as f32,
            base: cut.base as f32,
            tip: cut.tip as f32,
        };
        let mut body = place(parent, shape, cut.from, rotation);
        body.solid = cut.solid;
        body.along_parent = along as f32;
        body.branch = b as i32;
        let base_fork = if on.is_some() && !continues {
            cut.start
        } else {
            f64::INFINITY
        };
        body.from_fork = forks
            .iter()
            .fold(base_fork, |d, f| d.min((f - cut.start).abs())) as f32;
        desc.bodies.push(body);
        let piece = Piece {
            id,
            start: cut.start,
            origin: cut.from,
            rotation,
        };
        made.push(piece);
        (parent, along) = (Some(piece), cut.end - cut.start);
    }
    made
}

/// The body of a cut branch that carries what is attached at `on`: at a joint, the lower one.
fn carrier(pieces: &[Piece], on: Attachment) -> Piece {
    let along = f64::from(on.along) * (1.0 - 1e-6);
    pieces[pieces.partition_point(|p| p.start < along).max(1) - 1]
}

/// A body at `origin` with orientation `rotation` in the world, relative to the body that carries it.
fn place(
    parent: Option<Piece>,
    shape: Shape,
    origin: V3<f64>,
    rotation: Quaternion<f64>,
) -> BodyDesc {
    let (offset, turn) = match parent {
        None => (origin, rotation),
        Some(p) => {
            let back = p.rotation.conjugate();
            (back.rotate(origin - p.origin), back.times(rotation))
        }
    };
    BodyDesc::new(
        parent.map(|p| p.id),
        shape,
        offset.narrow().into(),
        turn.narrow().into(),
    )
}

/// `rotation` turned the short way so that its z axis is `direction`.
fn turned_to(rotation: Quaternion<f64>, direction: V3<f64>) -> Quaternion<f64> {
    let m = rotation.matrix();
    let half = m.z.dot(direction) + 1.0;
    let turn = if half < 1e-9 {
        // Straight back: half a turn about the x axis.
        Quaternion { v: m.x, w: 0.0 }
    } else {
        let q = Quaternion {
            v: m.z.cross(direction),
            w: half,
        };
        let k = 1.0 / (q.v.dot(q.v) + q.w * q.w).sqrt();
        Quaternion {
            v: q.v * k,
            w: q.w * k,
        }
    };
    turn.times(rotation).renormalised()
}

fn carrier_of(
    kind: &'static str,
    index: usize,
    on: Attachment,
    pieces: &[Vec<Piece>],
) -> Result<Piece, BuildError> {
    let what = if on.branch >= pieces.len() {
        format!(
            "hangs on branch {}; expected a number below {}",
            on.branch,
            pieces.len()
        )
    } else if !on.along.is_finite() {
        format!(
            "hangs {} m along its branch; expected a finite length",
            on.along
        )
    } else {
        return Ok(carrier(&pieces[on.branch], on));
    };
    Err(BuildError::Attached { kind, index, what })
}

fn append_leaves(
    desc: &mut TreeDesc,
    skeleton: &Skeleton,
    options: &CutOptions,
    pieces: &[Vec<Piece>],
) -> Result<(), BuildError> {
    for (i, leaf) in skeleton.leaves.iter().enumerate() {
        let parent = carrier_of("leaf", i, leaf.on, pieces)?;
        let shape = Shape::Leaf {
            length: leaf.length,
            width: leaf.width,
            thickness: options.leaf_thickness,
        };
        let rotation = Quaternion::from(leaf.rotation).widen();
        let mut body = place(
            Some(parent),
            shape,
            V3::from(leaf.position).widen(),
            rotation,
        );
        body.branch = leaf.on.branch as i32;
        desc.bodies.push(body);
    }
    Ok(())
}

fn append_fruit(
    desc: &mut TreeDesc,
    skeleton: &Skeleton,
    pieces: &[Vec<Piece>],
) -> Result<(), BuildError> {
    for (i, fruit) in skeleton.fruit.iter().enumerate() {
        let parent = carrier_of("fruit", i, fruit.on, pieces)?;
        let (radius, stem_length, stem_radius) =
            (fruit.radius, fruit.stem_length, fruit.stem_radius);
        let shape = Shape::Fruit {
            radius,
            stem_length,
            stem_radius,
        };
        let rotation = Quaternion::from(fruit.rotation).widen();
        let mut body = place(
            Some(parent),
            shape,
            V3::from(fruit.position).widen(),
            rotation,
        );
        body.branch = fruit.on.branch as i32;
        desc.bodies.push(body);
    }
    Ok(())
}
