//! Tubes without order → a tree of branches.
//!
//! The trunk is the thickest tube that stands on the ground. Then, again and again, the tube whose end fits best on wood that already belongs
//! to the tree joins it, that end being its base (Prim's minimum spanning tree). How badly an end fits, [`misfit`], counts the gap to
//! the surface of the wood, and what bases do not do: be thinner than the tip, be thicker than what they grow on, share the base of another.

use super::super::error::Wrong;
use super::contour::Tube;
use rstar::{AABB, PointDistance, RTree, RTreeObject};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use treesway::glam::DVec3;
use treesway::{Attachment, Branch, Node, Profile};

/// Tubes near an end that are looked at.
const NEIGHBOURS: usize = 12;
/// What it counts against an end that it touches the base of another tube.
const AT_BASE: f64 = 0.5;
/// Tubes that end within this share of the height above the lowest point stand on the ground.
const GROUND: f64 = 0.05;

/// All wood of a model, joined.
pub(super) struct Wood {
    /// Each from base to tip.
    axes: Vec<Vec<(DVec3, f64)>>,
    /// What each grows from, and where; none of the trunk.
    parents: Vec<Option<Place>>,
    trunk: usize,
    segments: RTree<Segment>,
}

/// A place on an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) tube: usize,
    /// From its first node, m.
    pub(super) along: f64,
    /// The point of the axis, m.
    pub(super) point: DVec3,
    /// Radius of the wood there, m.
    radius: f64,
}

/// Wood between two nodes, as a rod with round ends: never thinner than the wood is.
#[derive(Clone, Copy)]
struct Segment {
    ends: [(DVec3, f64); 2],
    tube: usize,
    /// Of the first end on its axis, m.
    along: f64,
}

impl Segment {
    fn nearest(&self, to: DVec3) -> Place {
        let [(a, r), (b, s)] = self.ends;
        let axis = b - a;
        let t = (to - a).dot(axis) / axis.length_squared().max(f64::MIN_POSITIVE);
        let t = t.clamp(0.0, 1.0);
        Place {
            tube: self.tube,
            along: self.along + t * axis.length(),
            point: a.lerp(b, t),
            radius: r + (s - r) * t,
        }
    }

    fn thickness(&self) -> f64 {
        self.ends[0].1.max(self.ends[1].1)
    }
}

impl RTreeObject for Segment {
    type Envelope = AABB<[f64; 3]>;

    fn envelope(&self) -> Self::Envelope {
        let [(a, _), (b, _)] = self.ends;
        let r = self.thickness();
        AABB::from_corners((a.min(b) - r).to_array(), (a.max(b) + r).to_array())
    }
}

impl PointDistance for Segment {
    fn distance_2(&self, point: &[f64; 3]) -> f64 {
        let to = DVec3::from_array(*point);
        let away = self.nearest(to).point.distance(to) - self.thickness();
        away.max(0.0).powi(2)
    }
}

/// An end of a tube that could be its base.
struct End {
    tube: usize,
    at_tip: bool,
}

impl Wood {
    /// Joins all tubes; those of one part come together, forks after what they fork from.
    pub(super) fn grow(parts: &[Vec<Tube>]) -> Self {
        let mut axes: Vec<Vec<(DVec3, f64)>> = Vec::new();
        let mut parents: Vec<Option<Place>> = Vec::new();
        // The first tube of the part that each tube is of; only it looks for a parent.
        let mut group = Vec::new();
        for part in parts {
            let first = axes.len();
            for tube in part {
                let place = tube.fork.map(|(below, node)| {
                    let below: &Tube = &part[below];
                    let before = below.nodes[..=node].windows(2);
                    Place {
                        tube: first + tube.fork.map_or(0, |f| f.0),
                        along: before.map(|n| n[0].0.distance(n[1].0)).sum(),
                        point: below.nodes[node].0,
                        radius: below.nodes[node].1,
                    }
                });
                axes.push(tube.nodes.clone());
                parents.push(place);
                group.push(first);
            }
        }
        let single = |tube: usize| {
            let next = group.get(tube + 1);
            group[tube] == tube && next != Some(&tube)
        };
        let mut wood = Self {
            segments: RTree::bulk_load(segments(&axes)),
            trunk: 0,
            axes,
            parents,
        };
        let reversed = wood.join(&group, single);
        // Places on tubes that were turned around are counted from their other end.
        let lengths: Vec<f64> = wood.axes.iter().map(|a| length(a)).collect();
        for place in wood.parents.iter_mut().flatten() {
            if reversed[place.tube] {
                place.along = lengths[place.tube] - place.along;
            }
        }
        for (axis, reversed) in wood.axes.iter_mut().zip(reversed) {
            if reversed {
                axis.reverse();
            }
        }
        wood.segments = RTree::bulk_load(segments(&wood.axes));
        wood
    }

    /// Finds the trunk and then a parent for every part; says which tubes are the other way round.
    fn join(&mut self, group: &[usize], single: impl Fn(usize) -> bool) -> Vec<bool> {
        let n = self.axes.len();
        let firsts: Vec<usize> = (0..n).filter(|&i| group[i] == i).collect();
        let ends: Vec<End> = firsts
            .iter()
            .flat_map(|&tube| {
                let tip = single(tube).then_some(End { tube, at_tip: true });
                let at_tip = false;
                [Some(End { tube, at_tip }), tip]
            })
            .flatten()
            .collect();
        let mut reversed = vec![false; n];
        let trunk = self.standing(&ends);
        self.trunk = ends[trunk].tube;
        reversed[self.trunk] = ends[trunk].at_tip;
        // What could grow on each tube, best first overall.
        let mut wanting: Vec<Vec<(f64, usize, Place)>> = vec![Vec::new(); n];
        for (e, end) in ends.iter().enumerate() {
            let mut seen = Vec::with_capacity(NEIGHBOURS);
            let (at, _) = self.end(end);
            for segment in self.segments.nearest_neighbor_iter(at.to_array()) {
                if group[segment.tube] == group[end.tube] || seen.contains(&segment.tube) {
                    continue;
                }
                if seen.len() == NEIGHBOURS {
                    break;
                }
                seen.push(segment.tube);
                let place = self.nearest_on(segment.tube, at);
                wanting[place.tube].push((self.misfit(end, &place), e, place));
            }
        }
        let lengths: Vec<f64> = self.axes.iter().map(|a| length(a)).collect();
        let mut joined = vec![false; n];
        let mut next = BinaryHeap::new();
        let add = |first: usize, reversed: bool, joined: &mut [bool], next: &mut BinaryHeap<_>| {
            for tube in (first..n).take_while(|&t| group[t] == first) {
                joined[tube] = true;
                for (k, (misfit, _, place)) in wanting[tube].iter().enumerate() {
                    let up = if reversed {
                        lengths[tube] - place.along
                    } else {
                        place.along
                    };
                    // At a fork all bases touch; they grow on the wood below them, not on each other.
                    let at_base = tube != self.trunk && up < place.radius;
                    let misfit = misfit + if at_base { AT_BASE } else { 0.0 };
                    next.push(Reverse((misfit.to_bits(), tube, k)));
                }
            }
        };
        add(self.trunk, reversed[self.trunk], &mut joined, &mut next);
        let mut joins = Vec::new();
        let mut alone = firsts
            .iter()
            .copied()
            .filter(|&f| f != self.trunk)
            .collect::<Vec<_>>();
        loop {
            let found = next.pop().map(|Reverse((_, tube, k))| {
                let (_, e, place): &(f64, usize, Place) = &wanting[tube][k];
                (*e, *place)
            });
            alone.retain(|&f| !joined[f]);
            let (e, place) = match found {
                Some(found) => found,
                None if alone.is_empty() => break,
                // Nothing of what is left is among the neighbours of the tree: the nearest wood has to do.
                None => self.leap(&ends, &alone, &joined),
            };
            let end = &ends[e];
            if joined[end.tube] {
                continue;
            }
            reversed[end.tube] = end.at_tip;
            joins.push((end.tube, place));
            add(end.tube, end.at_tip, &mut joined, &mut next);
        }
        for (tube, place) in joins {
            self.parents[tube] = Some(place);
        }
        reversed
    }

    /// Of ends that stand on the ground, the thickest.
    fn standing(&self, ends: &[End]) -> usize {
        let heights = self.axes.iter().flatten().map(|n| n.0.y);
        let (least, most) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| {
            (a.min(y), b.max(y))
        });
        let ground = least + GROUND * (most - least);
        let on_ground = (0..ends.len()).filter(|&e| self.end(&ends[e]).0.y <= ground);
        // A trunk that lies on the ground with both ends has its base at the thicker one.
        on_ground
            .max_by(|&a, &b| self.end(&ends[a]).1.total_cmp(&self.end(&ends[b]).1))
            .unwrap_or(0)
    }

    fn end(&self, end: &End) -> (DVec3, f64) {
        let axis = &self.axes[end.tube];
        if end.at_tip {
            axis[axis.len() - 1]
        } else {
            axis[0]
        }
    }

    /// How badly an end fits on a place, ≥ 0.
    fn misfit(&self, end: &End, place: &Place) -> f64 {
        let (at, radius) = self.end(end);
        let other = self.end(&End {
            at_tip: !end.at_tip,
            ..*end
        });
        let away = at.distance(place.point);
        let gap = (away - place.radius).max(0.0) / radius;
        // Of two that it touches, the one whose axis it is nearer to.
        let inside = 0.1 * (away / place.radius).min(1.0);
        let thin_end = (other.1 / radius - 1.0).clamp(0.0, 1.0);
        let thicker = (radius / place.radius - 1.2).clamp(0.0, 4.0);
        gap + inside + 2.0 * thin_end + thicker
    }

    fn leap(&self, ends: &[End], alone: &[usize], joined: &[bool]) -> (usize, Place) {
        let left = (0..ends.len()).filter(|&e| alone.binary_search(&ends[e].tube).is_ok());
        let nearest = left.filter_map(|e| {
            let at = self.end(&ends[e]).0;
            let mut near = self.segments.nearest_neighbor_iter(at.to_array());
            let place = near.find(|s| joined[s.tube])?.nearest(at);
            Some((at.distance(place.point) - place.radius, e, place))
        });
        let best = nearest.min_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, e, place)| (e, place))
            .expect("the trunk is joined")
    }

    fn nearest_on(&self, tube: usize, to: DVec3) -> Place {
        let all = axis_segments(tube, &self.axes[tube]).map(|s| s.nearest(to));
        all.min_by(|a, b| {
            a.point
                .distance_squared(to)
                .total_cmp(&b.point.distance_squared(to))
        })
        .expect("axes have two nodes")
    }

    /// Which of some tubes a point of the surface is on.
    pub(super) fn nearest_of(&self, tubes: std::ops::Range<usize>, to: DVec3) -> usize {
        let away = |tube: &usize| {
            let place = self.nearest_on(*tube, to);
            (place.point.distance(to) - place.radius).abs()
        };
        tubes
            .min_by(|a, b| away(a).total_cmp(&away(b)))
            .unwrap_or(self.trunk)
    }

    /// The wood nearest to a point.
    pub(super) fn nearest(&self, to: DVec3) -> Place {
        let segment = self.segments.nearest_neighbor(to.to_array());
        segment.expect("there is a trunk").nearest(to)
    }

    pub(super) fn trunk(&self) -> usize {
        self.trunk
    }

    /// Base of the trunk, m.
    pub(super) fn base(&self) -> DVec3 {
        self.axes[self.trunk][0].0
    }

    /// How many bases do not touch what they grow on, and the widest gap, m.
    pub(super) fn gaps(&self) -> (usize, f64) {
        let gaps = self
            .parents
            .iter()
            .zip(&self.axes)
            .filter_map(|(place, axis)| {
                let place = (*place)?;
                let (at, radius) = axis[0];
                Some(at.distance(place.point) - place.radius - radius).filter(|&g| g > 0.0)
            });
        gaps.fold((0, 0.0), |(n, most), gap| (n + 1, gap.max(most)))
    }

    /// In the engine's precision, the origin moved; tapering all the way if so wanted.
    pub(super) fn branches(&self, origin: DVec3, monotone: bool) -> Result<Vec<Branch>, Wrong> {
        let branch = |(axis, place): (&Vec<(DVec3, f64)>, &Option<Place>)| {
            let mut most = match place {
                Some(place) if monotone => place.radius,
                _ => f64::INFINITY,
            };
            let nodes = axis.iter().map(|&(p, r)| {
                let r = r.min(most);
                if monotone {
                    most = r;
                }
                Node {
                    position: (p - origin).as_vec3(),
                    radius: r as f32,
                }
            });
            let nodes: Vec<Node> = nodes.collect();
            let sound = |n: &Node| n.position.is_finite() && n.radius.is_finite() && n.radius > 0.0;
            if let Some(node) = nodes.iter().find(|n| !sound(n)) {
                return Err(Wrong::new(format!(
                    "wood is at {} with radius {} m; expected sizes of a tree (is --scale right?)",
                    node.position, node.radius
                )));
            }
            Ok(Branch {
                parent: place.map(|p| Attachment {
                    branch: p.tube,
                    along: p.along as f32,
                }),
                nodes,
                profile: Profile::Tapered,
                continues: false,
            })
        };
        self.axes.iter().zip(&self.parents).map(branch).collect()
    }
}

fn length(axis: &[(DVec3, f64)]) -> f64 {
    axis.windows(2).map(|n| n[0].0.distance(n[1].0)).sum()
}

fn axis_segments(tube: usize, axis: &[(DVec3, f64)]) -> impl Iterator<Item = Segment> {
    axis.windows(2).scan(0.0, move |along, nodes| {
        let segment = Segment {
            ends: [nodes[0], nodes[1]],
            tube,
            along: *along,
        };
        *along += nodes[0].0.distance(nodes[1].0);
        Some(segment)
    })
}

fn segments(axes: &[Vec<(DVec3, f64)>]) -> Vec<Segment> {
    let each = axes.iter().enumerate();
    each.flat_map(|(tube, axis)| axis_segments(tube, axis))
        .collect()
}
