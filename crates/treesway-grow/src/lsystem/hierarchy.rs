//! What the turtle leaves behind: particles in a hierarchy, which become branches (L-systems and particles, §4.1).
//!
//! Every drawn step adds a particle below the one the turtle stands on. If both were added at the same depth of the turtle's stack,
//! the new one is the **dominant** child: the branch goes on with it. Every other child starts a branch of its own. Once all
//! are there, radii are scaled by one factor, so that the thinnest twig has a given radius ([`Radii::Thinnest`]).
//!
//! Deviations from the paper: a step that is not drawn adds no particle; wood after it starts a new branch, which the gap holds
//! rigidly. An axis that curls back is several branches ([`STRAIGHT`]). A branch begins with the radius of its own first step, not
//! with that of the particle it leaves.

use super::error::{Wrong, wrong};
use crate::Grown;
use crate::frame::looking_along;
use treesway::glam::DVec3;
use treesway::{Attachment, Branch, CutOptions, Fruit, Leaf, Node, Skeleton, TreeParams};

/// Steps, leaves and fruit below this size are left out, m.
const LEAST_SIZE: f64 = 1e-5;
/// A plant that reaches farther than this is a mistake, m.
const MOST_REACH: f64 = 10_000.0;

/// Length of a leaf that moves with the default frequencies, m.
const USUAL_LEAF: f64 = 0.1;
/// Cosine of the largest angle between a branch's first step and any other one. What always goes ahead cannot return to where it was,
/// so it can be cut anywhere; curls go on as further branches of the same order.
const STRAIGHT: f64 = 0.1;

/// The particle the turtle stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Particle {
    /// None for the root.
    branch: Option<usize>,
    /// Arc length of its branch up to here.
    along: f64,
    /// Of the stack when it was added.
    depth: usize,
    position: DVec3,
}

/// All particles, by branch, and what grows on them.
#[derive(Debug, Default)]
pub(super) struct Hierarchy {
    branches: Vec<Wood>,
    blades: Vec<Blade>,
    fruit: Vec<Hanging>,
}

#[derive(Debug)]
struct Wood {
    parent: Particle,
    /// Added at its parent's own depth, so more of the same axis: a gap or a sharp bend lies between, or the parent is the root.
    dominant: bool,
    /// Of its first step.
    way: DVec3,
    nodes: Vec<(DVec3, f64)>,
    length: f64,
}

/// A leaf before it is scaled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blade {
    pub(super) on: Particle,
    pub(super) base: DVec3,
    pub(super) direction: DVec3,
    pub(super) normal: DVec3,
    pub(super) length: f64,
    pub(super) width: f64,
}

/// A fruit before it is scaled; it hangs down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hanging {
    pub(super) on: Particle,
    pub(super) position: DVec3,
    pub(super) radius: f64,
    pub(super) stem_length: f64,
}

/// How radii of the turtle become metres.
#[derive(Clone, Copy, Debug)]
pub(super) enum Radii {
    /// By one factor that gives the thinnest twig this radius, m.
    Thinnest(f64),
    /// As lengths are scaled, but no thinner than this, m.
    AtLeast(f64),
}

impl Particle {
    pub(super) const ROOT: Self = Self {
        branch: None,
        along: 0.0,
        depth: 0,
        position: DVec3::ZERO,
    };
}

impl Hierarchy {
    /// Adds the particle at the end of a step from `start` to `end`, which is drawn with a radius at a depth of the stack.
    pub(super) fn grow(
        &mut self,
        current: Particle,
        (start, end): (DVec3, DVec3),
        radius: f64,
        depth: usize,
    ) -> Particle {
        let step = end - start;
        let length = step.dot(step).sqrt();
        if length == 0.0 {
            return current;
        }
        let dominant = current.depth == depth;
        let open = current.branch.filter(|&b| {
            let wood = &self.branches[b];
            let goes_on = wood.length == current.along && current.position == start;
            dominant && goes_on && wood.way.dot(step) > STRAIGHT * length
        });
        let branch = open.unwrap_or_else(|| {
            self.branches.push(Wood {
                parent: current,
                dominant,
                way: step / length,
                nodes: vec![(start, radius)],
                length: 0.0,
            });
            self.branches.len() - 1
        });
        let wood = &mut self.branches[branch];
        wood.nodes.push((end, radius));
        wood.length += length;
        Particle {
            branch: Some(branch),
            along: wood.length,
            depth,
            position: end,
        }
    }

    pub(super) fn bear_leaf(&mut self, blade: Blade) {
        self.blades.push(blade);
    }

    pub(super) fn bear_fruit(&mut self, fruit: Hanging) {
        self.fruit.push(fruit);
    }

    /// Largest side of the box around everything, in the turtle's units.
    pub(super) fn extent(&self) -> f64 {
        let nodes = self.branches.iter().flat_map(|b| &b.nodes).map(|n| n.0);
        let tips = |b: &Blade| [b.base, b.base + b.direction * b.length];
        let points = nodes.chain(self.blades.iter().flat_map(tips));
        let (low, high) = points.fold((DVec3::ZERO, DVec3::ZERO), |(low, high), p| {
            (low.min(p), high.max(p))
        });
        (high - low).max_element()
    }

    /// The skeleton in metres, and the cut that makes about one body of a step.
    pub(super) fn finish(mut self, scale: f64, radii: Radii) -> Result<Grown, Wrong> {
        self.check(scale)?;
        if self.branches.is_empty() {
            self.stand_on_a_peg();
        }
        let radius = self.radius_rule(scale, radii)?;
        let trunk = self.trunk();
        let mut places = Places {
            // Branches before their children: every particle is added below one that is there.
            of_branch: Vec::with_capacity(self.branches.len()),
            trunk: 0,
            scale,
        };
        let mut skeleton = Skeleton::default();
        let (mut length, mut steps, mut longest) = (0.0, 0, 0);
        let first = core::iter::once(trunk);
        let order: Vec<usize> = first
            .chain((0..self.branches.len()).filter(|&b| b != trunk))
            .collect();
        places.of_branch.resize(self.branches.len(), None);
        for b in order {
            let wood = &self.branches[b];
            let nodes = wood.nodes_in_metres(scale, &radius);
            if nodes.len() < 2 {
                // Too small to be wood: what grows on it grows where it left its parent.
                places.of_branch[b] = Some(places.of(wood.parent));
                continue;
            }
            places.of_branch[b] = Some(Stand::Branch(skeleton.branches.len()));
            (length, steps) = (length + wood.length * scale, steps + nodes.len() - 1);
            longest = longest.max(nodes.len() - 1);
            let parent = (b != trunk).then(|| places.attachment(wood.parent));
            skeleton.branches.push(Branch {
                parent,
                nodes,
                continues: b != trunk && wood.dominant && wood.parent.branch.is_some(),
                ..Branch::default()
            });
        }
        if skeleton.branches.first().is_none_or(|b| b.parent.is_some()) {
            return Err(wrong(format!(
                "its trunk is shorter than {LEAST_SIZE} m; expected a longer step"
            )));
        }
        let blades = self.blades.iter().filter_map(|b| places.leaf(b));
        skeleton.leaves = blades.collect();
        skeleton.fruit = self.fruit.iter().filter_map(|f| places.fruit(f)).collect();
        let cut = CutOptions {
            segment_length: (length / steps as f64) as f32,
            most_segments: (longest as u32).max(CutOptions::default().most_segments),
            ..CutOptions::default()
        };
        let params = leaf_params(&skeleton.leaves);
        Ok(Grown {
            params,
            ..Grown::new(skeleton, cut)
        })
    }

    fn check(&self, scale: f64) -> Result<(), Wrong> {
        if self.branches.is_empty() && self.blades.is_empty() {
            return Err(wrong(
                "the turtle draws nothing; expected at least one step",
            ));
        }
        let reach = self.extent() * scale;
        if reach.is_finite() && reach <= MOST_REACH {
            return Ok(());
        }
        Err(wrong(format!(
            "the plant reaches {reach:e} m; expected at most {MOST_REACH} m"
        )))
    }

    /// A form without wood is held by a peg, a twentieth as high as the form is large.
    fn stand_on_a_peg(&mut self) {
        let height = self.extent().max(1e-3) / 20.0;
        let top = DVec3::Y * height;
        self.grow(Particle::ROOT, (DVec3::ZERO, top), height / 10.0, 0);
    }

    /// What a radius of the turtle is in metres.
    fn radius_rule(&self, scale: f64, radii: Radii) -> Result<impl Fn(f64) -> f32, Wrong> {
        let all = self.branches.iter().flat_map(|b| &b.nodes).map(|n| n.1);
        let (thin, thick) = all.fold((f64::INFINITY, 0.0_f64), |(thin, thick), r| {
            (thin.min(r), thick.max(r))
        });
        let (factor, least) = match radii {
            Radii::Thinnest(least) => (least / thin, least),
            Radii::AtLeast(least) => (scale, least),
        };
        let most = thick * factor;
        if !(most.is_finite() && most <= 100.0) {
            return Err(wrong(format!(
                "widths from {thin:e} to {thick:e} make wood {most:e} m thick if the thinnest twig is {least} m; \
                 expected widths that differ less"
            )));
        }
        Ok(move |radius: f64| (radius * factor).max(least) as f32)
    }

    /// The branch that continues the root; if none was drawn at the root's own depth, the first one.
    fn trunk(&self) -> usize {
        let on_root = |w: &Wood| w.dominant && w.parent.branch.is_none();
        self.branches.iter().position(on_root).unwrap_or(0)
    }
}

impl Wood {
    /// Its nodes, without those that would coincide.
    fn nodes_in_metres(&self, scale: f64, radius: impl Fn(f64) -> f32) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::with_capacity(self.nodes.len());
        for &(position, r) in &self.nodes {
            let position = (position * scale).as_vec3();
            let apart = |n: &Node| n.position.distance(position) > LEAST_SIZE as f32;
            if nodes.last().is_none_or(apart) {
                let radius = radius(r);
                nodes.push(Node { position, radius });
            }
        }
        nodes
    }
}

/// Where something grows on the finished skeleton.
#[derive(Clone, Copy, Debug)]
enum Stand {
    /// Anywhere on a branch, by its new number.
    Branch(usize),
    /// At a place on another branch.
    At(Attachment),
}

/// From particles to places on the finished skeleton.
struct Places {
    of_branch: Vec<Option<Stand>>,
    trunk: usize,
    scale: f64,
}

impl Places {
    fn attachment(&self, particle: Particle) -> Attachment {
        let root = Attachment {
            branch: self.trunk,
            along: 0.0,
        };
        match particle.branch.and_then(|b| self.of_branch[b]) {
            None => root,
            Some(Stand::At(place)) => place,
            Some(Stand::Branch(branch)) => Attachment {
                branch,
                along: (particle.along * self.scale) as f32,
            },
        }
    }

    fn of(&self, particle: Particle) -> Stand {
        Stand::At(self.attachment(particle))
    }

    fn leaf(&self, blade: &Blade) -> Option<Leaf> {
        let (length, width) = (blade.length * self.scale, blade.width * self.scale);
        (length > LEAST_SIZE && width > LEAST_SIZE).then(|| Leaf {
            on: self.attachment(blade.on),
            position: (blade.base * self.scale).as_vec3(),
            rotation: looking_along(blade.direction, blade.normal),
            length: length as f32,
            width: width as f32,
        })
    }

    fn fruit(&self, fruit: &Hanging) -> Option<Fruit> {
        let radius = fruit.radius * self.scale;
        let stem = (fruit.stem_length * self.scale).max(LEAST_SIZE);
        (radius > LEAST_SIZE).then(|| Fruit {
            on: self.attachment(fruit.on),
            position: (fruit.position * self.scale).as_vec3(),
            rotation: looking_along(DVec3::NEG_Y, DVec3::X),
            radius: radius as f32,
            stem_length: stem as f32,
            stem_radius: (stem / 20.0).clamp(0.0005, 0.003) as f32,
        })
    }
}

/// Leaves that hang no more than those of a tree do: under its own weight a leaf of length L and angular frequency ω bends by about
/// g/(ω² L), so the frequencies of the engine, which are those of a leaf of [`USUAL_LEAF`], go with 1/√L;
/// longer leaves keep them, since midribs and folds stiffen those.
fn leaf_params(leaves: &[Leaf]) -> Option<TreeParams> {
    let length = leaves.iter().map(|l| f64::from(l.length)).sum::<f64>() / leaves.len() as f64;
    let factor = (USUAL_LEAF / length).sqrt().max(1.0) as f32;
    let mut params = TreeParams::default();
    for hertz in [
        &mut params.leaf.flap_hz,
        &mut params.leaf.sway_hz,
        &mut params.leaf.twist_hz,
    ] {
        *hertz *= factor;
    }
    (!leaves.is_empty()).then_some(params)
}

/// A leaf that stands for a polygon: the same area and normal, from its first corner to its farthest one.
pub(super) fn blade_of(on: Particle, corners: &[DVec3]) -> Option<Blade> {
    let base = *corners.first()?;
    let far = corners.iter().fold(DVec3::ZERO, |far, &c| {
        let way = c - base;
        if way.dot(way) > far.dot(far) {
            way
        } else {
            far
        }
    });
    let length = far.dot(far).sqrt();
    let fan = corners.windows(2).map(|c| (c[0] - base).cross(c[1] - base));
    let twice_area = fan.fold(DVec3::ZERO, |sum, a| sum + a);
    let area = twice_area.dot(twice_area).sqrt() / 2.0;
    // A leaf is a triangle: its area is half of length times width.
    (length > 0.0 && area > 0.0).then(|| Blade {
        on,
        base,
        direction: far / length,
        normal: twice_area / (2.0 * area),
        length,
        width: 2.0 * area / length,
    })
}
