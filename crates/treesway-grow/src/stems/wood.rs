//! Stems, breadth first.

use super::room::{Room, Ticket, v3};
use super::{Rejected, Stems};
use crate::frame::{GOLDEN_ANGLE, across, turned, unit_or};
use core::f64::consts::TAU;
use std::collections::VecDeque;
use treesway::elements::RoundCone;
use treesway::glam::DVec3;
use treesway::math::Rng;
use treesway::{Attachment, Branch};

/// Radius at the end of a branch over that at the base of its last stem.
const LAST_TAPER: f64 = 0.75;

/// One stem.
#[derive(Clone, Debug)]
pub(super) struct Stem {
    pub(super) parent: Option<usize>,
    /// Stems that it is to bear, itself included.
    share: u32,
    /// m, world.
    pub(super) base: DVec3,
    pub(super) tip: DVec3,
    /// m.
    pub(super) radius: f64,
    /// In order of growth.
    pub(super) children: Vec<usize>,
    /// Whether it goes on where its parent ends, and is no fork.
    leads: bool,
    /// Stems from the root.
    depth: u32,
    /// How far around it turns those that it bears, rad.
    turned: f64,
    /// What the room knows it by: its number before others were taken back.
    pub(super) number: u32,
    ticket: Ticket,
    taken_back: bool,
}

impl Stem {
    pub(super) fn axis(&self) -> DVec3 {
        unit_or(self.tip - self.base, DVec3::Y)
    }

    pub(super) fn length(&self) -> f64 {
        self.base.distance(self.tip)
    }
}

/// Where stems lie on the branches that they are put together to.
pub(super) struct Place {
    pub(super) branch: usize,
    /// Arc length at both ends, m.
    pub(super) along: [f64; 2],
}

/// All stems, parents before children.
pub(super) struct Wood {
    pub(super) stems: Vec<Stem>,
}

/// A stem that is to grow.
struct Bud {
    parent: usize,
    share: u32,
    leads: bool,
    /// Where around its parent it is tried first, rad.
    around: f64,
    /// Between it and its parent, least and most, degrees.
    lean_deg: [f32; 2],
}

struct Grower<'a> {
    law: &'a Stems,
    rng: Rng,
    room: &'a mut Room,
    rejected: &'a mut Rejected,
    stems: Vec<Stem>,
    /// Stems whose children are to grow.
    queue: VecDeque<usize>,
    /// Stems that found no room, to be grown elsewhere.
    left: u32,
}

impl Wood {
    /// Grows them; fewer than asked for only where there is no room.
    pub(super) fn grow(law: &Stems, seed: u64, room: &mut Room, rejected: &mut Rejected) -> Self {
        let mut grower = Grower {
            law,
            rng: Rng::new(seed, 1),
            room,
            rejected,
            stems: Vec::new(),
            queue: VecDeque::new(),
            left: 0,
        };
        grower.root();
        loop {
            while let Some(stem) = grower.queue.pop_front() {
                grower.bear(stem);
            }
            if grower.left == 0 || !grower.sprout() {
                break;
            }
        }
        Self {
            stems: without_those_taken_back(grower.stems),
        }
    }

    /// Branches of stems that go on in each other, and where each stem lies on them.
    pub(super) fn branches(&self, law: &Stems) -> (Vec<Branch>, Vec<Place>) {
        let mut chains: Vec<Vec<usize>> = Vec::new();
        let mut chain_of = vec![0; self.stems.len()];
        for (i, stem) in self.stems.iter().enumerate() {
            let goes_on = stem.parent.filter(|_| stem.leads);
            chain_of[i] = match goes_on {
                Some(parent) => chain_of[parent],
                None => {
                    chains.push(Vec::new());
                    chains.len() - 1
                }
            };
            chains[chain_of[i]].push(i);
        }
        let mut branches: Vec<Branch> = Vec::with_capacity(chains.len());
        let mut places: Vec<Option<Place>> = self.stems.iter().map(|_| None).collect();
        for (number, chain) in chains.iter().enumerate() {
            let nodes = chain
                .iter()
                .map(|&i| (self.stems[i].base, self.stems[i].radius));
            let last = &self.stems[chain[chain.len() - 1]];
            let end = (LAST_TAPER * last.radius).max(0.5 * f64::from(law.twig_radius));
            let nodes = nodes.chain([(last.tip, end.min(last.radius))]);
            let nodes = nodes.map(|(p, r)| (p.as_vec3(), r as f32));
            let mut branch = Branch::trunk(nodes);
            branch.parent = self.stems[chain[0]].parent.map(|p| Attachment {
                branch: chain_of[p],
                along: places[p].as_ref().map_or(0.0, |place| place.along[1]) as f32,
            });
            let arcs = branch.arc_lengths();
            for (&i, along) in chain.iter().zip(arcs.windows(2)) {
                places[i] = Some(Place {
                    branch: number,
                    along: [along[0], along[1]],
                });
            }
            branches.push(branch);
        }
        (branches, places.into_iter().flatten().collect())
    }
}

impl Grower<'_> {
    /// r = r₁ s^(1/γ), a little off, m.
    fn radius(&mut self, share: u32) -> f64 {
        let power = 1.0 / f64::from(self.law.pipe_power);
        let fuzz = 1.0 + 0.5 * f64::from(self.law.fuzziness) * self.rng.signed();
        f64::from(self.law.twig_radius) * libm::pow(share.into(), power) * fuzz
    }

    /// ℓ = ℓ₁ s^p, a little off, m.
    fn length(&mut self, share: u32) -> f64 {
        let fuzz = 1.0 + f64::from(self.law.fuzziness) * self.rng.signed();
        let power = self.law.length_power.into();
        f64::from(self.law.twig_length) * libm::pow(share.into(), power) * fuzz
    }

    fn root(&mut self) {
        let share = self.law.stems;
        let radius = self.radius(share);
        let length = self.length(share).max(3.0 * radius);
        self.try_stem(None, share, true, DVec3::ZERO, DVec3::Y * length, radius);
    }

    /// Grows the children of a stem.
    fn bear(&mut self, parent: usize) {
        let shares = self.shares(parent);
        let wanted = !shares.is_empty();
        let start = self.stems[parent].turned;
        let start = start + f64::from(self.law.fuzziness) * TAU * self.rng.signed();
        let (forks, whole) = (shares.len(), shares.iter().sum::<u32>());
        for (i, &share) in shares.iter().enumerate() {
            let bud = Bud {
                parent,
                share,
                leads: i == 0,
                around: start + TAU * i as f64 / forks as f64,
                lean_deg: match forks {
                    1 => [0.0, self.law.bend_deg],
                    // What bears more goes straighter: the crown stays over the trunk.
                    _ => self
                        .law
                        .fork_deg
                        .map(|deg| deg * (1.0 - share as f32 / whole as f32)),
                },
            };
            if !self.grow(&bud) {
                self.left += share;
                self.rejected.stems += 1;
            }
        }
        let thin = f64::from(self.law.leaf.thin * self.law.twig_radius);
        if wanted && self.stems[parent].children.is_empty() && self.stems[parent].radius > thin {
            self.take_back(parent);
        }
    }

    /// How many stems each child is to bear, the strongest first.
    fn shares(&mut self, parent: usize) -> Vec<u32> {
        let law = self.law;
        let stem = &self.stems[parent];
        let mut rest = stem.share - 1;
        let mut count = u32::from(rest > 0);
        let forks = stem.depth + 1 >= law.trunk && law.children > 1 && rest > 1;
        if forks && self.rng.unit() < law.forking.into() {
            let more = f64::from(law.children - 1) * self.rng.unit() * self.rng.unit();
            count = (2 + more as u32).min(law.children).min(rest);
        }
        let mut shares = Vec::with_capacity(count as usize);
        while count > 1 {
            let [least, most] = law.leader.map(f64::from);
            let part = f64::from(rest) * self.rng.between(least, most);
            let share = (part.round() as u32).clamp(1, rest - (count - 1));
            shares.push(share);
            (rest, count) = (rest - share, count - 1);
        }
        if count == 1 {
            shares.push(rest);
        }
        shares.sort_unstable_by(|a, b| b.cmp(a));
        shares
    }

    /// Grows one child, in the first of several directions in which there is room.
    fn grow(&mut self, bud: &Bud) -> bool {
        let parent = self.stems[bud.parent].clone();
        let radius = self.radius(bud.share).min(0.98 * parent.radius);
        // Beyond the round end of its parent, so that it does not touch its grandparent.
        let length = self.length(bud.share).max(2.5 * radius + parent.radius);
        for attempt in 0..self.law.tries {
            let [least, most] = bud.lean_deg;
            let angle = self.rng.between(least.into(), most.into()).to_radians();
            let around = match attempt {
                0 => bud.around,
                _ => TAU * self.rng.unit(),
            };
            let side = turned(across(parent.axis()), parent.axis(), around);
            let leaning = turned(parent.axis(), side, angle);
            let up = DVec3::Y * f64::from(self.law.tropism);
            let way = unit_or(leaning + up, leaning);
            let bounds = bud.lean_deg.map(|deg| f64::from(deg).to_radians());
            let way = within(bounds, way, parent.axis(), leaning);
            let tip = parent.tip + way * length;
            if self.siblings_keep_off(&parent, tip, length)
                && self.try_stem(
                    Some(bud.parent),
                    bud.share,
                    bud.leads,
                    parent.tip,
                    tip,
                    radius,
                )
            {
                return true;
            }
        }
        false
    }

    /// Whether the end of a new stem is far enough from those of its siblings.
    fn siblings_keep_off(&self, parent: &Stem, tip: DVec3, length: f64) -> bool {
        parent.children.iter().all(|&sibling| {
            let sibling = &self.stems[sibling];
            let mean = 0.5 * (length + sibling.length());
            sibling.tip.distance(tip) >= f64::from(self.law.spacing) * mean
        })
    }

    fn try_stem(
        &mut self,
        parent: Option<usize>,
        share: u32,
        leads: bool,
        base: DVec3,
        tip: DVec3,
        radius: f64,
    ) -> bool {
        let number = self.stems.len();
        let cone = RoundCone {
            ends: [v3(base), v3(tip)],
            // Thinner at its end, which is not known yet.
            radius: [radius; 2],
        };
        let Some(ticket) = self
            .room
            .add_stem(cone, number as u32, parent.map(|p| p as u32))
        else {
            return false;
        };
        let depth = parent.map_or(0, |p| self.stems[p].depth + 1);
        let turned = match parent {
            Some(p) => self.stems[p].turned + GOLDEN_ANGLE,
            None => TAU * self.rng.unit(),
        };
        self.stems.push(Stem {
            parent,
            share,
            base,
            tip,
            radius,
            children: Vec::new(),
            leads,
            depth,
            turned,
            number: number as u32,
            ticket,
            taken_back: false,
        });
        if let Some(parent) = parent {
            self.stems[parent].children.push(number);
        }
        self.queue.push_back(number);
        true
    }

    /// A thick stem that ends bluntly goes, with what leads to it, back to the last fork.
    fn take_back(&mut self, stem: usize) {
        let mut here = stem;
        while let Some(parent) = self.stems[here].parent {
            self.room.remove(self.stems[here].ticket);
            self.stems[here].taken_back = true;
            self.left += 1;
            self.rejected.taken_back += 1;
            self.stems[parent].children.retain(|&c| c != here);
            if !self.stems[parent].children.is_empty() {
                break;
            }
            here = parent;
        }
    }

    /// Grows one more child somewhere, for the stems that are left; whether one found room.
    fn sprout(&mut self) -> bool {
        const MOST_TRIES: usize = 2000;
        for _ in 0..MOST_TRIES {
            let parent = (self.rng.unit() * self.stems.len() as f64) as usize;
            let share = (1 + (6.0 * self.rng.unit()) as u32).min(self.left);
            let around = TAU * self.rng.unit();
            let stem = &self.stems[parent];
            let full = stem.children.len() >= self.law.children as usize;
            if stem.taken_back || full || stem.depth + 1 < self.law.trunk {
                continue;
            }
            let leads = !stem.children.iter().any(|&c| self.stems[c].leads);
            let bud = Bud {
                parent,
                share,
                leads,
                around,
                lean_deg: if leads {
                    [0.0, self.law.bend_deg]
                } else {
                    self.law.fork_deg
                },
            };
            if self.grow(&bud) {
                self.left -= share;
                return true;
            }
        }
        false
    }
}

/// `way` brought nearer to `axis` or farther from it, in the plane of both, until it leans by `least` to `most` rad; in the plane of `leaning` where they have none.
fn within([least, most]: [f64; 2], way: DVec3, axis: DVec3, leaning: DVec3) -> DVec3 {
    let aside = |v: DVec3| v - axis * v.dot(axis);
    let side = aside(way);
    let angle = libm::atan2(side.dot(side).sqrt(), way.dot(axis));
    let lean = angle.clamp(least, most);
    if lean == angle {
        return way;
    }
    let otherwise = unit_or(aside(leaning), across(axis));
    let (sin, cos) = libm::sincos(lean);
    axis * cos + unit_or(side, otherwise) * sin
}

/// The stems that are left, with their numbers closed up.
fn without_those_taken_back(stems: Vec<Stem>) -> Vec<Stem> {
    let mut next = 0;
    let number: Vec<usize> = stems
        .iter()
        .map(|stem| {
            next += usize::from(!stem.taken_back);
            next.max(1) - 1
        })
        .collect();
    let kept = stems.into_iter().filter(|s| !s.taken_back);
    kept.map(|mut stem| {
        stem.parent = stem.parent.map(|p| number[p]);
        stem.children.iter_mut().for_each(|c| *c = number[*c]);
        stem
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up from a level axis by 70, 40 and 5 degrees where 10 to 50 are allowed; and along it, where only what it leaned to before tells where.
    #[test]
    fn a_stem_leans_no_more_and_no_less_than_it_may() {
        let bounds = [10.0_f64, 50.0].map(f64::to_radians);
        let at = |deg: f64| {
            let (sin, cos) = libm::sincos(deg.to_radians());
            DVec3::X * cos + DVec3::Y * sin
        };
        for (lean, expected) in [(70.0, 50.0), (40.0, 40.0), (5.0, 10.0), (170.0, 50.0)] {
            let found = within(bounds, at(lean), DVec3::X, DVec3::Z);
            assert!(found.distance(at(expected)) < 1e-12, "{lean}: {found}");
        }
        let found = within(bounds, DVec3::X, DVec3::X, at(-30.0));
        assert!(found.distance(at(-10.0)) < 1e-12, "{found}");
        // What is within is not touched, to the last bit.
        assert_eq!(within(bounds, at(40.0), DVec3::X, DVec3::Z), at(40.0));
    }
}
