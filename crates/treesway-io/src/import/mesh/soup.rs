//! Every triangle of a model in the world, and its connected parts.

use super::super::error::Wrong;
use super::super::gltf::{fits, node_parents, world_matrices};
use super::MOST_TRIANGLES;
use gltf::Document;
use gltf::mesh::Mode;
use rstar::RTree;
use rstar::primitives::GeomWithData;
use std::collections::{BTreeMap, HashMap};
use treesway::glam::{DMat3, DVec3};
use treesway_skin::{ModelSurface, Owner};

/// Points nearer to each other than this share of the model's extent are one: tools store a point once for each texture coordinate.
const WELD: f64 = 1e-6;

/// Points of open edges nearer to each other than this share of those edges are one.
const STITCH: f64 = 0.3;

#[derive(Default)]
pub(super) struct Soup {
    pub(super) positions: Vec<DVec3>,
    pub(super) normals: Vec<DVec3>,
    pub(super) uvs: Vec<[f32; 2]>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Which primitive each vertex is of: wood is not joined to the leaves that touch it.
    pub(super) primitives: Vec<u32>,
    /// Of each primitive.
    pub(super) materials: Vec<Option<usize>>,
}

/// Triangles that hang together, and nothing that they hang together with elsewhere.
#[derive(Default)]
pub(super) struct Part {
    /// Each once, m.
    pub(super) points: Vec<DVec3>,
    /// Indices into `points`; none is flat.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Vertices of the model, and the point that each of them is.
    pub(super) vertices: Vec<u32>,
    pub(super) welded: Vec<u32>,
}

impl Soup {
    pub(super) fn read(document: &Document, buffers: &[Vec<u8>]) -> Result<Self, Wrong> {
        let parents = node_parents(document)?;
        let worlds = world_matrices(document, &parents)?;
        let mut soup = Self::default();
        let mut primitives = 0;
        for node in document.nodes() {
            let world = worlds[node.index()];
            let turn = DMat3::from_mat4(world).inverse().transpose();
            for primitive in node.mesh().iter().flat_map(|m| m.primitives()) {
                if !matches!(
                    primitive.mode(),
                    Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan
                ) {
                    continue;
                }
                let accessors = primitive.attributes().map(|(_, a)| a);
                for accessor in accessors.chain(primitive.indices()) {
                    fits(&accessor, buffers)?;
                }
                let reader = primitive.reader(|b| buffers.get(b.index()).map(Vec::as_slice));
                let Some(positions) = reader.read_positions() else {
                    continue;
                };
                let first = soup.positions.len() as u32;
                soup.positions.extend(
                    positions.map(|p| world.transform_point3(DVec3::from_array(p.map(f64::from)))),
                );
                let n = soup.positions.len();
                let normals = reader.read_normals().into_iter().flatten();
                soup.normals.extend(
                    normals
                        .map(|v| (turn * DVec3::from_array(v.map(f64::from))).normalize_or_zero()),
                );
                soup.normals.resize(n, DVec3::ZERO);
                let uvs = reader.read_tex_coords(0).into_iter();
                soup.uvs.extend(uvs.flat_map(|t| t.into_f32()));
                soup.uvs.resize(n, [0.0; 2]);
                soup.primitives.resize(n, primitives);
                primitives += 1;
                soup.materials.push(primitive.material().index());
                let indices: Vec<u32> = match reader.read_indices() {
                    Some(indices) => indices.into_u32().collect(),
                    None => (0..n as u32 - first).collect(),
                };
                if let Some(i) = indices.iter().find(|&&i| i >= n as u32 - first) {
                    let what = format!("an index is {i}; expected one below {}", n as u32 - first);
                    return Err(Wrong::new(what));
                }
                soup.triangles
                    .extend(triangles(primitive.mode(), &indices).map(|t| t.map(|i| i + first)));
                if soup.triangles.len() > MOST_TRIANGLES {
                    let what = format!("has more than {MOST_TRIANGLES} triangles; expected a tree");
                    return Err(Wrong::new(what));
                }
            }
        }
        if let Some(p) = soup.positions.iter().find(|p| !p.is_finite()) {
            return Err(Wrong::new(format!(
                "a vertex is at {p}; expected finite numbers"
            )));
        }
        if soup.triangles.is_empty() {
            return Err(Wrong::new(
                "the model has neither a skin nor triangles; expected a tree",
            ));
        }
        Ok(soup)
    }

    /// Connected parts in the order of their first triangle.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut welded = self.weld();
        self.close(&mut welded);
        let mut groups = Groups::new(self.positions.len());
        for t in &self.triangles {
            let [a, b, c] = t.map(|i| welded[i as usize]);
            groups.join(a, b);
            groups.join(b, c);
        }
        let mut number = vec![u32::MAX; self.positions.len()];
        let mut parts: Vec<Part> = Vec::new();
        let mut local = vec![u32::MAX; self.positions.len()];
        let mut seen = vec![false; self.positions.len()];
        for t in &self.triangles {
            let group = groups.of(welded[t[0] as usize]) as usize;
            if number[group] == u32::MAX {
                number[group] = parts.len() as u32;
                parts.push(Part::default());
            }
            let part = &mut parts[number[group] as usize];
            let corners = t.map(|v| {
                let w = welded[v as usize] as usize;
                if local[w] == u32::MAX {
                    local[w] = part.points.len() as u32;
                    part.points.push(self.positions[w]);
                }
                if !std::mem::replace(&mut seen[v as usize], true) {
                    part.vertices.push(v);
                    part.welded.push(local[w]);
                }
                local[w]
            });
            let [a, b, c] = corners;
            if a != b && b != c && c != a {
                part.triangles.push(corners);
            }
        }
        parts.iter_mut().for_each(Part::stitch);
        parts
    }

    /// Of each vertex the first one of its primitive at the same place.
    fn weld(&self) -> Vec<u32> {
        let bounds = self.positions.iter().fold(
            [DVec3::INFINITY, DVec3::NEG_INFINITY],
            |[least, most], &p| [least.min(p), most.max(p)],
        );
        let step = ((bounds[1] - bounds[0]).max_element() * WELD).max(f64::MIN_POSITIVE);
        let mut first: HashMap<(u32, [i64; 3]), u32> = HashMap::new();
        let cell = |p: DVec3| (p - bounds[0]) / step;
        let mut welded = Vec::with_capacity(self.positions.len());
        for (i, &p) in self.positions.iter().enumerate() {
            let at = cell(p);
            let primitive = self.primitives[i];
            // A point near the edge of its cell may have its twin in the next one.
            let near = (0..8).find_map(|corner| {
                let shift = DVec3::new(
                    f64::from(corner & 1) - 0.5,
                    f64::from(corner >> 1 & 1) - 0.5,
                    f64::from(corner >> 2) - 0.5,
                );
                let key = (at + shift).floor().as_i64vec3().to_array();
                first.get(&(primitive, key)).copied()
            });
            let own = near.unwrap_or(i as u32);
            if near.is_none() {
                first.insert((primitive, at.floor().as_i64vec3().to_array()), own);
            }
            welded.push(own);
        }
        welded
    }

    /// Makes rims one with another rim that all of their points lie far closer to than their edges are long: caps that were moved off their tubes.
    fn close(&self, welded: &mut [u32]) {
        let corners = |t: &[u32; 3]| t.map(|i| welded[i as usize]);
        let triangles: Vec<[u32; 3]> = self.triangles.iter().map(corners).collect();
        let open = OpenEdges::of(&triangles, &self.positions);
        let mut loops = Groups::new(self.positions.len());
        for &[a, b] in &open.edges {
            loops.join(a, b);
        }
        let mut rims: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &i in open.shortest.keys() {
            rims.entry(loops.of(i)).or_default().push(i);
        }
        let near = open.tree(&self.positions);
        let mut joined = Groups::new(self.positions.len());
        for (&rim, points) in &rims {
            let mut other = None;
            let twins: Option<Vec<(u32, u32)>> = points
                .iter()
                .map(|&i| {
                    let at = self.positions[i as usize].to_array();
                    let reach = (STITCH * open.shortest[&i]).powi(2);
                    let mut around = near.nearest_neighbor_iter_with_distance_2(at);
                    let twin = around.find(|(p, _)| loops.of(p.data) != rim);
                    let twin = twin.filter(|&(_, away)| away <= reach)?.0.data;
                    let same = self.primitives[twin as usize] == self.primitives[i as usize];
                    let one = *other.get_or_insert(loops.of(twin)) == loops.of(twin);
                    (same && one).then_some((i, twin))
                })
                .collect();
            for (i, twin) in twins.into_iter().flatten() {
                joined.join(i, twin);
            }
        }
        welded.iter_mut().for_each(|w| *w = joined.of(*w));
    }

    /// The surface in the engine's precision.
    pub(super) fn surface(self, origin: DVec3, owners: Vec<Owner>) -> ModelSurface {
        let mut normals = self.normals;
        let mut sums = vec![DVec3::ZERO; self.positions.len()];
        for t in &self.triangles {
            let [a, b, c] = t.map(|i| self.positions[i as usize]);
            let area = (b - a).cross(c - a);
            t.iter().for_each(|&i| sums[i as usize] += area);
        }
        for (normal, sum) in normals.iter_mut().zip(sums) {
            if *normal == DVec3::ZERO {
                *normal = sum.normalize_or(DVec3::Y);
            }
        }
        let plain = |v: DVec3| v.as_vec3().to_array();
        ModelSurface {
            positions: self.positions.iter().map(|&p| plain(p - origin)).collect(),
            normals: normals.into_iter().map(plain).collect(),
            uvs: self.uvs,
            triangles: self.triangles,
            owners,
            ..ModelSurface::default()
        }
    }
}

impl Part {
    /// Makes points of open edges one that lie closer together than those edges are long by far: seams whose two sides were moved apart.
    fn stitch(&mut self) {
        let open = OpenEdges::of(&self.triangles, &self.points);
        let near = open.tree(&self.points);
        let mut groups = Groups::new(self.points.len());
        let mut joined = false;
        for (&i, edge) in &open.shortest {
            let at = self.points[i as usize].to_array();
            let twins = near.locate_within_distance(at, (STITCH * edge).powi(2));
            for twin in twins.filter(|t| t.data != i) {
                groups.join(i, twin.data);
                joined = true;
            }
        }
        if !joined {
            return;
        }
        // Each group once, in the order of its first point.
        let mut points = Vec::with_capacity(self.points.len());
        let mut moved = vec![0; self.points.len()];
        for i in 0..self.points.len() {
            let first = groups.of(i as u32) as usize;
            if first == i {
                moved[i] = points.len() as u32;
                points.push(self.points[i]);
            } else {
                moved[i] = moved[first];
            }
        }
        self.points = points;
        let corners = self.triangles.as_flattened_mut().iter_mut();
        corners
            .chain(&mut self.welded)
            .for_each(|i| *i = moved[*i as usize]);
        self.triangles
            .retain(|&[a, b, c]| a != b && b != c && c != a);
    }
}

/// Edges of one triangle only.
struct OpenEdges {
    edges: Vec<[u32; 2]>,
    /// Their points, with the shortest of them, m.
    shortest: BTreeMap<u32, f64>,
}

impl OpenEdges {
    fn of(triangles: &[[u32; 3]], points: &[DVec3]) -> Self {
        let sides = triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut sides: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        sides.sort_unstable();
        let open = sides.chunk_by(|a, b| a == b).filter(|same| same.len() == 1);
        // An edge of no length is that of a flat triangle.
        let edges: Vec<[u32; 2]> = open.map(|s| s[0]).filter(|[a, b]| a != b).collect();
        let mut shortest: BTreeMap<u32, f64> = BTreeMap::new();
        for side in &edges {
            let [a, b] = side.map(|i| points[i as usize]);
            for &i in side {
                let known = shortest.entry(i).or_insert(f64::INFINITY);
                *known = known.min(a.distance(b));
            }
        }
        Self { edges, shortest }
    }

    fn tree(&self, points: &[DVec3]) -> RTree<GeomWithData<[f64; 3], u32>> {
        let all = self.shortest.keys();
        let all = all.map(|&i| GeomWithData::new(points[i as usize].to_array(), i));
        RTree::bulk_load(all.collect())
    }
}

/// Corners of the triangles that indices stand for.
fn triangles(mode: Mode, indices: &[u32]) -> Box<dyn Iterator<Item = [u32; 3]> + '_> {
    match mode {
        Mode::TriangleStrip => Box::new(indices.windows(3).enumerate().map(|(i, t)| {
            if i % 2 == 0 {
                [t[0], t[1], t[2]]
            } else {
                [t[1], t[0], t[2]]
            }
        })),
        Mode::TriangleFan => {
            let first = indices.first().copied().unwrap_or(0);
            let rest = indices.get(1..).unwrap_or_default();
            Box::new(rest.windows(2).map(move |t| [first, t[0], t[1]]))
        }
        _ => Box::new(indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]])),
    }
}

/// Union–find.
pub(super) struct Groups(Vec<u32>);

impl Groups {
    pub(super) fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    pub(super) fn of(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            let above = self.0[self.0[i as usize] as usize];
            self.0[i as usize] = above;
            i = above;
        }
        i
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        // The smaller index wins, so that the outcome does not depend on the order.
        self.0[a.max(b) as usize] = a.min(b);
    }
}
