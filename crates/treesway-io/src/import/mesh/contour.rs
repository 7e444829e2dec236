//! A connected part → the axes of the tubes in it.
//!
//! d [m] is the distance of a point from one end of the part along edges. Where d equals a level, the surface is cut: every triangle across
//! the level gives a straight piece, and pieces that meet at edges form contours. A tube gives one closed contour for each level, a
//! card an open one, a fork two. The contour below another is found by going back along the shortest way to the end.

use super::soup::{Groups, Part};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use treesway::glam::DVec3;

/// The axis of a tube.
#[derive(Clone, Debug)]
pub(super) struct Tube {
    /// Middles of the cuts with their radii, m, from one end to the other.
    pub(super) nodes: Vec<(DVec3, f64)>,
    /// The tube of the same part that it forks from, by index in that part, and the node there.
    pub(super) fork: Option<(usize, usize)>,
}

impl Tube {
    pub(super) fn length(&self) -> f64 {
        self.nodes.windows(2).map(|n| n[0].0.distance(n[1].0)).sum()
    }

    fn mean_radius(&self) -> f64 {
        self.nodes.iter().map(|n| n.1).sum::<f64>() / self.nodes.len() as f64
    }
}

/// A tube is at least so many times as long as it is thick; what is shorter is a fruit or a knot.
const LEAST_SLENDERNESS: f64 = 2.0;
/// … its cuts are at least so round: the smaller of two extents over the larger.
const LEAST_ROUNDNESS: f64 = 0.35;
/// … and closed but for this share of their length: seams whose two sides were moved apart by noise leave a gap.
const MOST_GAP: f64 = 0.2;
/// Cuts of a part that does not fork.
const CUTS: usize = 12;
/// Most cuts of a part that forks.
const MOST_CUTS: f64 = 600.0;
/// Forks shorter than this many radii of what they fork from are bulges of it.
const SHORTEST_FORK: f64 = 2.0;

/// All tubes of a part, a fork after what it forks from; none if the part is no wood.
pub(super) fn tubes(part: &Part) -> Vec<Tube> {
    // Four points are a card, or a thorn that nobody sees bend.
    if part.points.len() < 6 || part.triangles.len() < 4 {
        return Vec::new();
    }
    let graph = Graph::new(part);
    let there = graph.from(&[graph.farthest(&graph.from(&[0]))]);
    let end = graph.farthest(&there);
    let field = graph.from(&graph.rim(end, &there));
    let length = field.far();
    let plain = graph.tubes(&field, length / CUTS as f64);
    if plain.len() < 2 {
        return plain.into_iter().filter(is_wood).collect();
    }
    // It forks: begin at its thickest end, and cut as finely as its thinnest twigs are thick.
    let ends = plain.iter().flat_map(|t| {
        let first = t.fork.is_none().then(|| t.nodes[0]);
        first.into_iter().chain(t.nodes.last().copied())
    });
    let Some(base) = ends.max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Vec::new();
    };
    let near = |p: &DVec3| p.distance_squared(base.0);
    let nearest = (0..part.points.len() as u32)
        .min_by(|&a, &b| near(&part.points[a as usize]).total_cmp(&near(&part.points[b as usize])));
    let nearest = nearest.unwrap_or(0);
    let there = graph.from(&[graph.farthest(&graph.from(&[nearest]))]);
    let field = graph.from(&graph.rim(nearest, &there));
    let thinnest = plain
        .iter()
        .map(Tube::mean_radius)
        .fold(f64::INFINITY, f64::min);
    let step = (2.0 * thinnest).clamp(field.far() / MOST_CUTS, field.far() / CUTS as f64);
    let tubes = graph.tubes(&field, step);
    if tubes.first().is_some_and(is_wood) {
        tubes
    } else {
        Vec::new()
    }
}

fn is_wood(tube: &Tube) -> bool {
    tube.length() >= 2.0 * LEAST_SLENDERNESS * tube.mean_radius()
}

/// Points and edges of a part.
struct Graph<'a> {
    part: &'a Part,
    /// Neighbours of each point and their distances: `neighbours[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    neighbours: Vec<(u32, f64)>,
    /// Edges of one triangle only, in groups that hang together; `u32::MAX` for points within.
    rim: Vec<u32>,
}

/// Distances from an end.
struct Field {
    distance: Vec<f64>,
    /// The point before, on the way from the end.
    before: Vec<u32>,
}

impl Field {
    fn far(&self) -> f64 {
        self.distance.iter().copied().fold(0.0, f64::max)
    }
}

/// A closed, round cut.
struct Contour {
    middle: DVec3,
    points: Vec<DVec3>,
    below: Option<usize>,
}

impl<'a> Graph<'a> {
    fn new(part: &'a Part) -> Self {
        let n = part.points.len();
        let sides = part.triangles.iter().flat_map(|t| {
            let sides = [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
            sides.map(|(a, b)| (a.min(b), a.max(b)))
        });
        let mut sides: Vec<(u32, u32)> = sides.collect();
        sides.sort_unstable();
        // Each edge once, with the number of its triangles.
        let mut edges: Vec<(u32, u32, u32)> = Vec::with_capacity(sides.len() / 2);
        for (a, b) in sides {
            match edges.last_mut() {
                Some(last) if (last.0, last.1) == (a, b) => last.2 += 1,
                _ => edges.push((a, b, 1)),
            }
        }
        let mut first = vec![0_u32; n + 1];
        for &(a, b, _) in &edges {
            first[a as usize + 1] += 1;
            first[b as usize + 1] += 1;
        }
        for i in 0..n {
            first[i + 1] += first[i];
        }
        let mut at = first.clone();
        let mut neighbours = vec![(0, 0.0); 2 * edges.len()];
        let mut groups = Groups::new(n);
        let mut on_rim = vec![false; n];
        for &(a, b, triangles) in &edges {
            let length = part.points[a as usize].distance(part.points[b as usize]);
            for (from, to) in [(a, b), (b, a)] {
                neighbours[at[from as usize] as usize] = (to, length);
                at[from as usize] += 1;
            }
            if triangles == 1 {
                groups.join(a, b);
                on_rim[a as usize] = true;
                on_rim[b as usize] = true;
            }
        }
        let rim = (0..n as u32)
            .map(|i| {
                if on_rim[i as usize] {
                    groups.of(i)
                } else {
                    u32::MAX
                }
            })
            .collect();
        Self {
            part,
            first,
            neighbours,
            rim,
        }
    }

    /// All points of the open end that a point is on; the point itself if it is on none. Rims of slits and cards run on to the other end,
    /// from where distances are given: what is far from it is the end.
    fn rim(&self, point: u32, from_other: &Field) -> Vec<u32> {
        let rim = self.rim[point as usize];
        let near = 0.9 * from_other.distance[point as usize];
        let of_end = |i: u32| {
            let here = i as usize;
            i == point
                || rim != u32::MAX && self.rim[here] == rim && from_other.distance[here] > near
        };
        (0..self.rim.len() as u32).filter(|&i| of_end(i)).collect()
    }

    fn from(&self, ends: &[u32]) -> Field {
        let n = self.part.points.len();
        let mut field = Field {
            distance: vec![f64::INFINITY; n],
            before: (0..n as u32).collect(),
        };
        // Distances are not negative, so their bits are in their order.
        let mut next: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        for &end in ends {
            field.distance[end as usize] = 0.0;
            next.push(Reverse((0, end)));
        }
        while let Some(Reverse((bits, i))) = next.pop() {
            let here = f64::from_bits(bits);
            if here > field.distance[i as usize] {
                continue;
            }
            let [from, to] = [0, 1].map(|k| self.first[i as usize + k] as usize);
            for &(j, length) in &self.neighbours[from..to] {
                let there = here + length;
                if there < field.distance[j as usize] {
                    field.distance[j as usize] = there;
                    field.before[j as usize] = i;
                    next.push(Reverse((there.to_bits(), j)));
                }
            }
        }
        field
    }

    fn farthest(&self, field: &Field) -> u32 {
        let all = 0..field.distance.len() as u32;
        all.max_by(|&a, &b| {
            let of = |i: u32| field.distance[i as usize];
            of(a).total_cmp(&of(b)).then(b.cmp(&a))
        })
        .unwrap_or(0)
    }

    fn tubes(&self, field: &Field, step: f64) -> Vec<Tube> {
        let contours = self.contours(field, step);
        chains(&contours, self.part)
    }

    /// Closed, round contours from level to level, each with the one below it.
    fn contours(&self, field: &Field, step: f64) -> Vec<Contour> {
        let levels = ((field.far() / step).ceil() as usize).max(1);
        // A little off the middle between ends, where symmetric models have whole rings.
        let level = |k: usize| (k as f64 + 0.4871) * step;
        // Triangles by the first level that cuts them.
        let span = |t: &[u32; 3]| {
            let d = t.map(|i| field.distance[i as usize]);
            (d[0].min(d[1]).min(d[2]), d[0].max(d[1]).max(d[2]))
        };
        let mut cut: Vec<Vec<u32>> = vec![Vec::new(); levels];
        for (i, t) in self.part.triangles.iter().enumerate() {
            let (least, most) = span(t);
            let mut k = (least / step - 0.4871).ceil().max(0.0) as usize;
            while k < levels && level(k) < most {
                if level(k) >= least {
                    cut[k].push(i as u32);
                }
                k += 1;
            }
        }
        let mut contours: Vec<Contour> = Vec::new();
        // Of each level, which edge is cut by which contour.
        let mut on: Vec<HashMap<(u32, u32), usize>> = Vec::with_capacity(levels);
        for (k, triangles) in cut.iter().enumerate() {
            let mut here = HashMap::new();
            for (edges, middle, points) in self.level(field, level(k), triangles) {
                let below = self.below(field, edges[0], k, level, &on);
                for edge in edges {
                    here.insert(edge, contours.len());
                }
                contours.push(Contour {
                    middle,
                    points,
                    below,
                });
            }
            on.push(here);
        }
        contours
    }

    /// The contour of a lower level that the way back from an edge comes to first.
    fn below(
        &self,
        field: &Field,
        edge: (u32, u32),
        from: usize,
        level: impl Fn(usize) -> f64,
        on: &[HashMap<(u32, u32), usize>],
    ) -> Option<usize> {
        let (mut low, mut high) = edge;
        for k in (0..from).rev() {
            while field.distance[low as usize] >= level(k) {
                high = low;
                low = field.before[low as usize];
                if low == high {
                    return None;
                }
            }
            if let Some(&contour) = on[k].get(&(low, high)) {
                return Some(contour);
            }
        }
        None
    }

    /// Closed, round contours of a level: edges (lower point first), middle, points.
    #[expect(clippy::type_complexity, reason = "taken apart by its only caller")]
    fn level(
        &self,
        field: &Field,
        level: f64,
        triangles: &[u32],
    ) -> Vec<(Vec<(u32, u32)>, DVec3, Vec<DVec3>)> {
        let mut number: HashMap<(u32, u32), u32> = HashMap::new();
        let mut edges = Vec::new();
        let mut pieces = Vec::with_capacity(triangles.len());
        for &t in triangles {
            let [a, b, c] = self.part.triangles[t as usize];
            let mut ends = [0; 2];
            let mut found = 0;
            for (p, q) in [(a, b), (b, c), (c, a)] {
                let (p, q) = if field.distance[p as usize] <= field.distance[q as usize] {
                    (p, q)
                } else {
                    (q, p)
                };
                let [low, high] = [p, q].map(|i| field.distance[i as usize]);
                if low <= level && level < high && found < 2 {
                    ends[found] = *number.entry((p, q)).or_insert_with(|| {
                        edges.push((p, q));
                        edges.len() as u32 - 1
                    });
                    found += 1;
                }
            }
            if found == 2 {
                pieces.push(ends);
            }
        }
        let points: Vec<DVec3> = edges
            .iter()
            .map(|&(p, q)| {
                let [low, high] = [p, q].map(|i| field.distance[i as usize]);
                let [from, to] = [p, q].map(|i| self.part.points[i as usize]);
                from.lerp(to, (level - low) / (high - low))
            })
            .collect();
        let mut groups = Groups::new(edges.len());
        let mut degree = vec![0_u32; edges.len()];
        for &[p, q] in &pieces {
            groups.join(p, q);
            degree[p as usize] += 1;
            degree[q as usize] += 1;
        }
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); edges.len()];
        (0..edges.len() as u32).for_each(|i| members[groups.of(i) as usize].push(i));
        let mut length = vec![0.0; edges.len()];
        let mut middle = vec![DVec3::ZERO; edges.len()];
        for &[p, q] in &pieces {
            let group = groups.of(p) as usize;
            let [a, b] = [p, q].map(|i| points[i as usize]);
            length[group] += a.distance(b);
            middle[group] += (a + b) * (0.5 * a.distance(b));
        }
        let mut found = Vec::new();
        for (group, members) in members.into_iter().enumerate() {
            if members.len() < 3 || length[group] == 0.0 {
                continue;
            }
            let open: Vec<u32> = members
                .iter()
                .copied()
                .filter(|&i| degree[i as usize] == 1)
                .collect();
            let gap = match open[..] {
                [] => 0.0,
                [a, b] => points[a as usize].distance(points[b as usize]),
                _ => f64::INFINITY,
            };
            let middle = middle[group] / length[group];
            let on: Vec<DVec3> = members.iter().map(|&i| points[i as usize]).collect();
            if gap <= MOST_GAP * length[group] && roundness(&on, middle) >= LEAST_ROUNDNESS {
                let edges = members.iter().map(|&i| edges[i as usize]).collect();
                found.push((edges, middle, on));
            }
        }
        found
    }
}

/// Second largest extent of points over the largest: in the plane that they lie in, 1 of a circle, 0 of a line.
fn roundness(points: &[DVec3], middle: DVec3) -> f64 {
    // The direction farthest from the middle, then the farthest beside that direction.
    let far = |across: &dyn Fn(DVec3) -> DVec3| {
        let offsets = points.iter().map(|&p| across(p - middle));
        offsets
            .max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))
            .unwrap_or_default()
    };
    let longest = far(&|v| v);
    let along = longest.normalize_or_zero();
    let beside = far(&|v| v - along * v.dot(along));
    beside.length() / longest.length().max(f64::MIN_POSITIVE)
}

/// Contours one above the other → tubes. At a fork the way with most wood goes on: the cuts right above it are too odd to be compared.
fn chains(contours: &[Contour], part: &Part) -> Vec<Tube> {
    let n = contours.len();
    let size: Vec<f64> = contours
        .iter()
        .map(|c| {
            let sum: f64 = c.points.iter().map(|p| p.distance(c.middle)).sum();
            sum / c.points.len() as f64
        })
        .collect();
    // Length of the longest way up from each contour, and wood on the way with most of it.
    let mut reach = vec![0.0_f64; n];
    let mut wood = vec![0.0_f64; n];
    for i in (0..n).rev() {
        if let Some(b) = contours[i].below {
            let step = contours[i].middle.distance(contours[b].middle);
            reach[b] = reach[b].max(reach[i] + step);
            wood[b] = wood[b].max(wood[i] + step * size[i] * size[i]);
        }
    }
    let mut goes_on = vec![None::<usize>; n];
    for i in 0..n {
        let Some(b) = contours[i].below else { continue };
        let better = |other: usize| wood[i] > wood[other];
        if goes_on[b].is_none_or(better) {
            goes_on[b] = Some(i);
        }
    }
    // Tube and place in it of each contour.
    let mut places = vec![None::<(usize, usize)>; n];
    let mut tubes: Vec<Tube> = Vec::new();
    for start in 0..n {
        let below = contours[start].below;
        if below.is_some_and(|b| goes_on[b] == Some(start)) {
            continue;
        }
        let fork = below.and_then(|b| places[b].map(|p| (b, p)));
        if below.is_some() && fork.is_none() {
            // What it grew on was left out as a bulge, and so is it.
            continue;
        }
        if let Some((b, _)) = fork
            && reach[start] < SHORTEST_FORK * size[b]
        {
            continue;
        }
        let mut chain = vec![start];
        while let Some(next) = goes_on[chain[chain.len() - 1]] {
            chain.push(next);
        }
        if chain.len() < 2 {
            continue;
        }
        for (k, &c) in chain.iter().enumerate() {
            places[c] = Some((tubes.len(), k));
        }
        tubes.push(Tube {
            nodes: measured(&chain, contours),
            fork: fork.map(|(_, place)| place),
        });
    }
    for tube in &mut tubes {
        let base = tube.fork.is_none();
        extend(tube, base, part);
    }
    tubes
}

/// Middles with radii across the axis: three quarters of the points of a cut are nearer. Points on edges along the tube are as far
/// out as its corners, those on diagonals are not.
fn measured(chain: &[usize], contours: &[Contour]) -> Vec<(DVec3, f64)> {
    let middle = |k: usize| contours[chain[k]].middle;
    (0..chain.len())
        .map(|k| {
            let axis = middle((k + 1).min(chain.len() - 1)) - middle(k.saturating_sub(1));
            let axis = axis.normalize_or_zero();
            let contour = &contours[chain[k]];
            let mut away: Vec<f64> = contour
                .points
                .iter()
                .map(|p| {
                    let v = *p - contour.middle;
                    (v - axis * v.dot(axis)).length()
                })
                .collect();
            away.sort_by(f64::total_cmp);
            (contour.middle, away[away.len() * 3 / 4])
        })
        .collect()
}

/// The axis up to the tip of a tube, and to its base if that is free: the first and last cuts are half a step away.
fn extend(tube: &mut Tube, base: bool, part: &Part) {
    let n = tube.nodes.len();
    let end = |end: usize, next: usize| {
        let (a, b) = (tube.nodes[end], tube.nodes[next]);
        let step = a.0.distance(b.0);
        let out = (a.0 - b.0).normalize_or_zero();
        // How far the points of this end reach.
        let ahead = part.points.iter().map(|&p| p - a.0).filter(|v| {
            let along = v.dot(out);
            along < 2.0 * step && (*v - out * along).length() < 2.0 * a.1.max(b.1)
        });
        let reach = ahead.map(|v| v.dot(out)).fold(0.0, f64::max);
        let slope = if step > 0.0 { (a.1 - b.1) / step } else { 0.0 };
        // Collars and pointed tips change radii faster than the wood does.
        let radius = (a.1 + slope * reach).clamp(0.1 * a.1, 1.5 * a.1);
        (reach > 0.0).then_some((a.0 + out * reach, radius))
    };
    let (first, last) = (end(0, 1).filter(|_| base), end(n - 1, n - 2));
    tube.nodes.extend(last);
    if let Some(first) = first {
        tube.nodes.insert(0, first);
    }
}
