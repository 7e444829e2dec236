//! A tree with as many bodies as wanted, at any detail the same crown.
//!
//! The tree is grown in full first. With fewer bodies the shortest branches are left out, with more there are more twigs on every
//! branch and more segments in each. Leaves (or sprays of them) take up what the wood leaves over: they are shared out over
//! all shoots that would bear them, kept or not, and sized so that **leaf area is that of the full tree**; since blades stay as thick,
//! so is their mass. Leaves of a shoot that was left out grow where it would have, towards its middle. Fruit keep their mass in the same way.

use super::crown::Crown;
use super::measure::Size;
use super::resize::resize;
use super::{Species, Wanted};
use crate::weber_penn::grow::{Wood, grow as grow_wood};
use crate::{GrowError, Grown, all_within};
use treesway::{CutOptions, LeafMaterial, Skeleton};

/// Most segments of a branch; trees of millions of bodies are cut finely.
const MOST_SEGMENTS: u32 = 400;

/// Of all bodies, at most this share are fruit.
const MOST_FRUIT: f64 = 0.1;

/// Leaves and fruit of the whole tree at natural detail.
#[derive(Clone, Copy, Debug)]
struct Burden {
    leaves: f64,
    fruit: f64,
}

pub(super) fn grow(species: &Species, seed: u64, wanted: &Wanted) -> Result<Grown, GrowError> {
    wanted.validate()?;
    species.validate().map_err(|(_, e)| e)?;
    let mut wood = grow_wood(&species.tree, seed, 1.0)?;
    let growth = resize(&mut wood, wanted);
    // A thicker trunk feeds more leaves, in proportion to its section (pipe model).
    let burden = Burden::of(species, &wood, growth * growth);
    let natural_length = f64::from(
        wanted
            .segment_length
            .unwrap_or(species.detail.segment_length),
    );
    let (plan, fruit) = match wanted.bodies {
        None => {
            let plan = Plan::whole(&wood, natural_length);
            let bodies = plan.segments as f64 + burden.leaves + burden.fruit;
            let expected = "at most 10000000 at natural detail; choose a number of bodies";
            all_within(&[("bodies", bodies.round())], 1.0, 1e7, expected)?;
            (plan, burden.fruit)
        }
        Some(bodies) => {
            let bodies = f64::from(bodies);
            let whole = Plan::whole(&wood, natural_length).segments as f64;
            let more = bodies / (whole + burden.leaves + burden.fruit);
            if more > 1.3 {
                wood = with_more_twigs(species, seed, more)?;
                resize(&mut wood, wanted);
            }
            let fruit = burden.fruit.min(MOST_FRUIT * bodies).floor();
            let budget = if burden.leaves > 0.0 {
                bodies * f64::from(species.detail.wood_share)
            } else {
                bodies - fruit
            };
            // Bodies fill a volume: segments are longer by the cube root where there are fewer of them.
            let coarser = libm::cbrt(1.0 / more).clamp(1.0, 4.0);
            let length = natural_length * coarser;
            (Plan::fitting(&wood, budget, length, wanted)?, fruit)
        }
    };
    let leaves = match wanted.bodies {
        None => burden.leaves.round(),
        Some(_) if burden.leaves < 0.5 => 0.0,
        Some(bodies) => f64::from(bodies) - plan.segments as f64 - fruit.round(),
    };
    let mut skeleton = Skeleton::default();
    let crown = Crown::new(species, &wood, &plan, seed);
    skeleton.leaves = crown.leaves(leaves.max(0.0) as usize, burden.leaves);
    skeleton.fruit = crown.fruit(fruit.round() as usize, burden.fruit);
    skeleton.branches = plan.kept(wood);
    let cut = CutOptions {
        segment_length: plan.segment_length as f32,
        most_segments: MOST_SEGMENTS,
        leaf_thickness: species.leaf_material.thickness,
        ..CutOptions::default()
    };
    let mut params = species.params();
    params.leaf = standing_for(&params.leaf, burden.leaves / leaves.max(1.0));
    Ok(Grown {
        params: Some(params),
        species: Some(Box::new(species.clone())),
        ..Grown::new(skeleton, cut)
    })
}

impl Wanted {
    fn validate(&self) -> Result<(), GrowError> {
        let optional = [
            ("bodies", self.bodies.map(f64::from), 200.0, 1e7),
            ("height", self.height.map(f64::from), 0.05, 200.0),
            ("dbh", self.dbh.map(f64::from), 1e-3, 20.0),
            (
                "segment_length",
                self.segment_length.map(f64::from),
                1e-3,
                100.0,
            ),
        ];
        for (name, value, least, most) in optional {
            if let Some(value) = value {
                let expected = format!("a number from {least} to {most}");
                all_within(&[(name, value)], least, most, &expected)?;
            }
        }
        Ok(())
    }
}

/// Leaves of which each stands for `k`. Wind moves it as far as it would move each of them, in metres: its force is k times theirs and acts at √k times
/// the length, and it is to turn by 1/√k of their angle, so that its joint is k² times as stiff; its inertia, of k times the mass, is k² times
/// theirs too, and its pace is theirs.
fn standing_for(one: &LeafMaterial, k: f64) -> LeafMaterial {
    LeafMaterial {
        blades: k.max(1.0) as f32,
        ..one.clone()
    }
}

/// The tree with so many times as many stems of its last level.
fn with_more_twigs(species: &Species, seed: u64, more: f64) -> Result<Wood, GrowError> {
    let mut tree = species.tree.clone();
    if let [_, .., last] = tree.levels.as_mut_slice() {
        last.branches = (f64::from(last.branches) * more).round().min(5000.0) as u32;
    }
    grow_wood(&tree, seed, 1.0 / more)
}

impl Burden {
    fn of(species: &Species, wood: &Wood, factor: f64) -> Self {
        let shoots = bearing(species, wood).map(|i| {
            let shoot = &wood.shoots[i];
            let share = f64::from(shoot.share);
            let leaves = species.leaf.count(&species.tree, shoot.offset_ratio.into());
            (leaves * share, f64::from(species.fruit.per_stem) * share)
        });
        let (leaves, fruit) = shoots.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        Self {
            leaves: leaves * factor,
            fruit: (fruit * factor).floor(),
        }
    }
}

/// Branches of the last level, which bear leaves.
pub(super) fn bearing<'a>(
    species: &'a Species,
    wood: &'a Wood,
) -> impl Iterator<Item = usize> + 'a {
    let last = species.tree.levels.len() - 1;
    let shoots = wood.shoots.iter().enumerate();
    shoots
        .filter(move |(_, s)| usize::from(s.level) == last)
        .map(|(i, _)| i)
}

/// Which branches stay and how they are cut.
pub(super) struct Plan {
    pub(super) keep: Vec<bool>,
    /// m.
    segment_length: f64,
    segments: usize,
}

/// Into how many segments a branch is cut, as [`treesway::cut`] does it.
fn segments_of(length: f32, segment_length: f64) -> usize {
    let cut = CutOptions {
        segment_length: segment_length as f32,
        most_segments: MOST_SEGMENTS,
        ..CutOptions::default()
    };
    cut.segments(length.into())
}

impl Plan {
    fn whole(wood: &Wood, segment_length: f64) -> Self {
        let segments = wood.shoots.iter();
        Self {
            keep: vec![true; wood.branches.len()],
            segment_length,
            segments: segments
                .map(|s| segments_of(s.length, segment_length))
                .sum(),
        }
    }

    /// The longest branches that give `budget` segments; of a tree that has too few, finer cuts.
    fn fitting(wood: &Wood, budget: f64, length: f64, wanted: &Wanted) -> Result<Self, GrowError> {
        let bodies = f64::from(wanted.bodies.unwrap_or(0));
        let fixed = wanted.segment_length.map(f64::from);
        let trunk = f64::from(wood.shoots[0].length);
        // A trunk of eight segments at least, but no more of them than a fifth of the wood.
        let length = length.min(trunk / 8.0).max(trunk / (0.2 * budget).max(1.0));
        let length = fixed.unwrap_or(length);
        let order = longest_first(wood);
        let mut plan = Self {
            keep: vec![false; wood.branches.len()],
            segment_length: length,
            segments: 0,
        };
        for &i in &order {
            let more = segments_of(wood.shoots[i].length, length);
            if (plan.segments + more) as f64 > budget && plan.segments > 0 {
                break;
            }
            plan.keep[i] = true;
            plan.segments += more;
        }
        if fixed.is_none() && (plan.segments as f64) < 0.97 * budget {
            plan.refine(wood, budget);
        }
        // Leaves make up for the rest; a tree without them must be near.
        if plan.segments as f64 > bodies {
            return Err(GrowError {
                name: "bodies",
                value: bodies,
                expected: format!("at least the {} segments of its trunk", plan.segments),
            });
        }
        Ok(plan)
    }

    /// Cuts what is kept finer until it has about `budget` segments.
    fn refine(&mut self, wood: &Wood, budget: f64) {
        let lengths: Vec<f32> = (wood.shoots.iter().zip(&self.keep))
            .filter(|(_, keep)| **keep)
            .map(|(s, _)| s.length)
            .collect();
        let count =
            |segment: f64| -> usize { lengths.iter().map(|&l| segments_of(l, segment)).sum() };
        let (mut fine, mut coarse) = (self.segment_length / 256.0, self.segment_length);
        for _ in 0..24 {
            let middle = (fine * coarse).sqrt();
            if count(middle) as f64 > budget {
                fine = middle;
            } else {
                coarse = middle;
            }
        }
        // As the cut sees it, in single precision.
        self.segment_length = f64::from(coarse as f32);
        self.segments = count(self.segment_length);
    }

    /// The branches that stay, renumbered.
    fn kept(&self, wood: Wood) -> Vec<treesway::Branch> {
        let numbers = self.numbers();
        let branches = wood.branches.into_iter().zip(&self.keep);
        branches
            .filter(|(_, keep)| **keep)
            .map(|(mut branch, _)| {
                if let Some(on) = &mut branch.parent {
                    on.branch = numbers[on.branch];
                }
                branch
            })
            .collect()
    }

    /// New number of every branch that stays.
    pub(super) fn numbers(&self) -> Vec<usize> {
        let mut next = 0;
        let number = |&keep: &bool| {
            next += usize::from(keep);
            next.saturating_sub(1)
        };
        self.keep.iter().map(number).collect()
    }
}

/// Branches by length, none before its parent.
fn longest_first(wood: &Wood) -> Vec<usize> {
    let mut keys = vec![f32::INFINITY; wood.branches.len()];
    for (i, branch) in wood.branches.iter().enumerate() {
        if let Some(on) = branch.parent {
            keys[i] = wood.shoots[i].length.min(keys[on.branch]);
        }
    }
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[b].total_cmp(&keys[a]).then(a.cmp(&b)));
    order
}

/// Natural size of a species with this seed, for those who scale by it.
pub(super) fn natural_size(species: &Species, seed: u64) -> Result<(Size, Wood, f64), GrowError> {
    let wood = grow_wood(&species.tree, seed, 1.0)?;
    let burden = Burden::of(species, &wood, 1.0);
    let skeleton = Skeleton {
        branches: wood.branches.clone(),
        ..Skeleton::default()
    };
    Ok((Size::of(&skeleton), wood, burden.leaves))
}
