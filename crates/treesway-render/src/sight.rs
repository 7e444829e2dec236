//! What a line of sight meets first of the surface that is drawn: the same triangles, where they were drawn last, cut out by the same alpha.
//!
//! Triangles lie in patches, and a patch at rest lies in a ball of centre c and radius r. A point of it is carried by bodies i to a mean of its places
//! Tᵢ p, which are within r of Tᵢ c: so the patch lies now within r + maxᵢ |Tᵢ c − T₀ c| of T₀ c. Only patches whose ball is met are posed, triangle by triangle.

use crate::curves::CurvesOnGpu;
use crate::model::{TreeOnGpu, around};
use crate::seen::Seen;
use crate::settings::Mode;
use treesway::BodyId;
use treesway::glam::{Quat, Vec2, Vec3};
use treesway_skin::texture::Image;
use treesway_skin::{BarkVertex, BodyTransform, Instance, Mesh, Pieces, Skin, skinning};

/// A line of sight through a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Where it starts, m.
    pub eye: Vec3,
    /// Of length one.
    pub direction: Vec3,
    /// By how much the direction changes to the pixel at the right and to that below: so finely are textures seen.
    pub pixel: [Vec3; 2],
    /// How far one sees, m: to the ground, say.
    pub reach: f32,
}

/// Where it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// Whose surface that is; of bark that two bodies carry, the body that has the greater share.
    pub body: BodyId,
    /// From the eye, m.
    pub distance: f32,
}

/// Most triangles of a patch.
const PATCH: usize = 64;

/// A ball around something at rest, m.
#[derive(Clone, Copy)]
struct Ball {
    centre: Vec3,
    radius: f32,
}

impl Ball {
    fn around(points: impl Iterator<Item = Vec3> + Clone) -> Self {
        let [least, most] = around(points.clone());
        let centre = (least + most) / 2.0;
        let radius = points.fold(0.0_f32, |radius, p| radius.max(p.distance(centre)));
        Self { centre, radius }
    }
}

/// Triangles of bark beside each other.
struct Patch {
    ball: Ball,
    /// From there up to there.
    triangles: [u32; 2],
    /// Those that carry them, the same way.
    carriers: [u32; 2],
}

/// A leaf or fruit.
struct Piece {
    ball: Ball,
    /// From its base, m.
    farthest: f32,
    /// Number of its body.
    number: u32,
}

/// Where the meshes of a tree are, roughly. Bodies are known by their numbers among those that are seen: a search goes through all of them, and where they are is not to
/// be looked up first.
pub(crate) struct Patches {
    bark: Vec<Patch>,
    /// Numbers of bodies.
    carriers: Vec<u32>,
    /// Of each mesh, leaves first.
    pieces: Vec<Vec<Piece>>,
}

impl Patches {
    /// Of a skin at rest.
    pub(crate) fn of(skin: &Skin, seen: &Seen) -> Self {
        let pieces = skin.leaves.iter().chain(&skin.fruit);
        let mut patches = Self {
            bark: Vec::new(),
            carriers: Vec::new(),
            pieces: pieces.map(|pieces| places(pieces, seen)).collect(),
        };
        patches.cover_bark(&skin.bark, seen);
        patches
    }

    fn cover_bark(&mut self, bark: &Mesh<BarkVertex>, seen: &Seen) {
        let body = |triangle: &[u32; 3]| bark.vertices[triangle[0] as usize].bodies[0];
        let runs = bark.triangles.chunk_by(|a, b| body(a) == body(b));
        let mut end = 0;
        for triangles in runs.flat_map(|run| run.chunks(PATCH)) {
            let corners = triangles.as_flattened().iter();
            let vertices = corners.map(|&corner| &bark.vertices[corner as usize]);
            let first = self.carriers.len();
            for vertex in vertices.clone() {
                for (body, share) in vertex.bodies.into_iter().zip(shares(vertex)) {
                    let number = seen.number(body) as u32;
                    if share > 0.0 && !self.carriers[first..].contains(&number) {
                        self.carriers.push(number);
                    }
                }
            }
            let start = end;
            end += triangles.len() as u32;
            self.bark.push(Patch {
                ball: Ball::around(vertices.map(|vertex| Vec3::from(vertex.position))),
                triangles: [start, end],
                carriers: [first as u32, self.carriers.len() as u32],
            });
        }
    }
}

/// Of the two bodies of a point.
fn shares(vertex: &BarkVertex) -> [f32; 2] {
    [1.0 - vertex.weight, vertex.weight]
}

fn places(pieces: &Pieces, seen: &Seen) -> Vec<Piece> {
    let [least, most] = around(pieces.mesh.vertices.iter().map(|v| v.position.into()));
    let (middle, half) = ((least + most) / 2.0, (most - least) / 2.0);
    let place = |instance: &Instance| {
        let scale = Vec3::from(instance.scale);
        let base = Vec3::from(instance.position);
        let ball = Ball {
            centre: Quat::from_array(instance.rotation) * (middle * scale) + base,
            radius: (half * scale).length(),
        };
        Piece {
            farthest: ball.radius + ball.centre.distance(base),
            number: seen.number(instance.body) as u32,
            ball,
        }
    };
    pieces.instances.iter().map(place).collect()
}

/// Where leaves are, on their texture and its smaller levels.
pub(crate) struct Cutout(Vec<Alpha>);

struct Alpha {
    size: [u32; 2],
    texels: Vec<u8>,
}

impl Cutout {
    /// Of colours with their coverage, the largest level first.
    pub(crate) fn of(levels: &[Image]) -> Self {
        let alpha = |image: &Image| Alpha {
            size: [image.width, image.height],
            texels: image.rgba.iter().skip(3).step_by(4).copied().collect(),
        };
        Self(levels.iter().map(alpha).collect())
    }

    /// Whether there is something at a place that changes by so much to the next pixels: sampled as the shaders do, on the nearest level.
    fn covers(&self, uv: Vec2, to_next: [Vec2; 2]) -> bool {
        let Some(Alpha { size, .. }) = self.0.first() else {
            return true;
        };
        let texels = to_next.map(|d| (d * Vec2::from(size.map(|edge| edge as f32))).length());
        let level = texels[0].max(texels[1]).log2().round();
        let level = level.clamp(0.0, self.0.len() as f32 - 1.0) as usize;
        self.0[level].at(uv) >= 0.5
    }
}

impl Alpha {
    /// Between the four nearest texels; beyond an edge it starts anew.
    fn at(&self, uv: Vec2) -> f32 {
        let [width, height] = self.size.map(|edge| edge as f32);
        let at = uv * Vec2::new(width, height) - 0.5;
        let (low, share) = (at.floor(), at - at.floor());
        let texel = |dx: f32, dy: f32| {
            let x = (low.x + dx).rem_euclid(width) as usize;
            let y = (low.y + dy).rem_euclid(height) as usize;
            // A tiny negative number plus an edge is that edge.
            let [x, y] = [x.min(width as usize - 1), y.min(height as usize - 1)];
            f32::from(self.texels[y * self.size[0] as usize + x]) / 255.0
        };
        let row = |dy: f32| texel(0.0, dy) + (texel(1.0, dy) - texel(0.0, dy)) * share.x;
        row(0.0) + (row(1.0) - row(0.0)) * share.y
    }
}

/// Where a line of sight crosses a triangle: distance, and shares of its corners.
struct Crossing {
    distance: f32,
    shares: [f32; 3],
}

impl Sight {
    /// Where it enters a ball, if it does within its reach; not behind the eye.
    fn enters(&self, centre: Vec3, radius: f32) -> Option<f32> {
        let from = centre - self.eye;
        let along = from.dot(self.direction);
        let aside = (from - self.direction * along).length_squared();
        let start = along - radius;
        (aside <= radius * radius && along > -radius && start < self.reach).then_some(start)
    }

    /// In units of an instance that is not bent, where all points of the line have the same distances: its direction is no longer of length one.
    fn in_piece(&self, instance: &Instance, body: &BodyTransform) -> Option<Self> {
        if body.bend != [0.0; 4] || instance.scale.contains(&0.0) {
            return None;
        }
        let back = |turn: [f32; 4]| Quat::from_array(turn).conjugate();
        let (from_world, from_rest) = (back(body.rotation), back(instance.rotation));
        let scale = Vec3::from(instance.scale);
        let direction = |d: Vec3| from_rest * (from_world * d) / scale;
        let at_rest = from_world * (self.eye - Vec3::from(body.translation));
        Some(Self {
            eye: from_rest * (at_rest - Vec3::from(instance.position)) / scale,
            direction: direction(self.direction),
            pixel: self.pixel.map(direction),
            reach: self.reach,
        })
    }

    /// Möller and Trumbore 1997. With `front` only triangles whose front is seen.
    fn crosses(&self, [a, b, c]: [Vec3; 3], front: bool) -> Option<Crossing> {
        let (ab, ac) = (b - a, c - a);
        let across = self.direction.cross(ac);
        let facing = ab.dot(across);
        if facing == 0.0 || (front && facing < 0.0) {
            return None;
        }
        let from = self.eye - a;
        let u = from.dot(across) / facing;
        let other = from.cross(ab);
        let v = self.direction.dot(other) / facing;
        let distance = ac.dot(other) / facing;
        let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0;
        inside.then_some(Crossing {
            distance,
            shares: [1.0 - u - v, u, v],
        })
    }

    /// By how much the shares of a triangle's corners change to the next pixels.
    fn steps(&self, corners: [Vec3; 3], here: &Crossing) -> [[f32; 3]; 2] {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a);
        let size = normal.length_squared();
        let at = self.eye + self.direction * here.distance;
        self.pixel.map(|aside| {
            let direction = self.direction + aside;
            let next = self.eye + direction * ((a - self.eye).dot(normal) / direction.dot(normal));
            // On the plane of the triangle, by areas.
            let step = next - at;
            let (u, v) = (
                step.cross(c - a).dot(normal) / size,
                (b - a).cross(step).dot(normal) / size,
            );
            [-u - v, u, v]
        })
    }
}

impl TreeOnGpu {
    /// The body whose surface a line of sight meets first, where the tree was drawn last. Lines have no surface: of a mode that draws them, that of what they stand for.
    pub fn meet(&self, sight: &Sight, mode: Mode) -> Option<Met> {
        let mut candidates = Vec::new();
        match &self.curves {
            Some(curves) => self.find_tubes(sight, curves, &mut candidates),
            None => self.find_bark(sight, &mut candidates),
        }
        self.find_pieces(sight, mode, &mut candidates);
        // What comes first hides most of the others, which need not be posed.
        candidates.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut nearest: Option<Met> = None;
        for (start, candidate) in candidates {
            if start >= nearest.map_or(sight.reach, |met| met.distance) {
                break;
            }
            let met = match candidate {
                Candidate::Bark(vertices, triangles) => self.meet_bark(sight, vertices, triangles),
                Candidate::Piece(pieces, instance, cutout) => {
                    let body = self.transform(instance.body);
                    meet_piece(sight, pieces, instance, body, cutout)
                }
            };
            let met = met.filter(|met| met.distance < sight.reach);
            let both = nearest.into_iter().chain(met);
            nearest = both.min_by(|a, b| a.distance.total_cmp(&b.distance));
        }
        nearest
    }

    pub(crate) fn transform(&self, body: u32) -> &BodyTransform {
        &self.moved[self.seen.number(body)]
    }

    fn find_bark<'a>(&'a self, sight: &Sight, found: &mut Vec<(f32, Candidate<'a>)>) {
        let bark = &self.skin().bark;
        for patch in &self.patches.bark {
            let [first, end] = patch.carriers.map(|at| at as usize);
            let carriers = self.patches.carriers[first..end].iter();
            let mut carried =
                carriers.map(|&number| self.moved[number as usize].point(patch.ball.centre));
            let Some(centre) = carried.next() else {
                continue;
            };
            let apart = carried.fold(0.0_f32, |apart, other| apart.max(other.distance(centre)));
            if let Some(start) = sight.enters(centre, patch.ball.radius + apart) {
                let [first, end] = patch.triangles.map(|at| at as usize);
                let triangles = &bark.triangles[first..end];
                found.push((start, Candidate::Bark(&bark.vertices, triangles)));
            }
        }
    }

    /// Curves are bent anew for every pose, so that no ball stays around them.
    fn find_tubes<'a>(
        &'a self,
        sight: &Sight,
        curves: &'a CurvesOnGpu,
        found: &mut Vec<(f32, Candidate<'a>)>,
    ) {
        for (vertices, triangles) in curves.tubes() {
            let ball = Ball::around(vertices.iter().map(|v| self.bark_point(v)));
            if let Some(start) = sight.enters(ball.centre, ball.radius) {
                found.push((start, Candidate::Bark(curves.bark(), triangles)));
            }
        }
    }

    fn find_pieces<'a>(&'a self, sight: &Sight, mode: Mode, found: &mut Vec<(f32, Candidate<'a>)>) {
        let skin = self.skin();
        let kinds = [&skin.leaves, &skin.fruit].into_iter().zip(&self.cutouts);
        let meshes = kinds.flat_map(|(meshes, cutout)| meshes.iter().map(move |m| (m, cutout)));
        for ((pieces, cutout), places) in meshes.zip(&self.patches.pieces) {
            for (which, place) in places.iter().enumerate() {
                let number = place.number as usize;
                let body = &self.moved[number];
                // A bent blade turns about its midrib and its base.
                let [left, right, curl, _] = body.bend.map(f32::abs);
                let radius = place.ball.radius + (left.max(right) + curl) * place.farthest;
                let Some(start) = sight.enters(body.point(place.ball.centre), radius) else {
                    continue;
                };
                let hidden = mode == Mode::Coloured && self.colours[number][3] < 128;
                if !hidden && body.shown >= 0.5 {
                    let instance = &pieces.instances[which];
                    found.push((start, Candidate::Piece(pieces, instance, cutout)));
                }
            }
        }
    }

    fn bark_point(&self, vertex: &BarkVertex) -> Vec3 {
        skinning::bark_point(vertex, vertex.bodies.map(|body| self.transform(body)))
    }

    fn meet_bark(
        &self,
        sight: &Sight,
        vertices: &[BarkVertex],
        triangles: &[[u32; 3]],
    ) -> Option<Met> {
        // Neighbouring triangles share their corners, which lie side by side.
        let corners = triangles.as_flattened().iter();
        let first = *corners.clone().min()? as usize;
        let end = *corners.max()? as usize + 1;
        let posed: Vec<Vec3> = vertices[first..end]
            .iter()
            .map(|v| self.bark_point(v))
            .collect();
        let shown = |v: &BarkVertex| self.transform(v.bodies[0]).shown >= 0.5;
        let met = triangles.iter().filter_map(|triangle| {
            let crossing = sight.crosses(triangle.map(|i| posed[i as usize - first]), true)?;
            let corners = triangle.map(|i| &vertices[i as usize]);
            let met = || Met {
                body: greatest_share(corners, crossing.shares),
                distance: crossing.distance,
            };
            corners.iter().all(|v| shown(v)).then(met)
        });
        met.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }
}

/// What may be met: vertices and triangles of bark, or a leaf or fruit.
enum Candidate<'a> {
    Bark(&'a [BarkVertex], &'a [[u32; 3]]),
    Piece(&'a Pieces, &'a Instance, &'a Cutout),
}

fn meet_piece(
    sight: &Sight,
    pieces: &Pieces,
    instance: &Instance,
    body: &BodyTransform,
    cutout: &Cutout,
) -> Option<Met> {
    // A straight piece is met where it was made, by a line of sight that is led there; only a bent one is posed.
    let own = sight.in_piece(instance, body);
    let sight = own.as_ref().unwrap_or(sight);
    let met = pieces.mesh.triangles.iter().filter_map(|triangle| {
        let vertices = triangle.map(|i| &pieces.mesh.vertices[i as usize]);
        let corners = vertices.map(|v| match own {
            Some(_) => Vec3::from(v.position),
            None => skinning::piece_point(v, instance, body),
        });
        let crossing = sight.crosses(corners, false)?;
        let uvs = vertices.map(|v| Vec2::from(v.uv));
        let mix = |shares: [f32; 3]| -> Vec2 {
            let each = uvs.into_iter().zip(shares);
            each.map(|(uv, share)| uv * share).sum()
        };
        let to_next = sight.steps(corners, &crossing).map(mix);
        let covered = cutout.covers(mix(crossing.shares), to_next);
        covered.then_some(crossing.distance)
    });
    let distance = met.min_by(f32::total_cmp)?;
    Some(Met {
        body: BodyId(instance.body),
        distance,
    })
}

/// The body that carries most of a point between three vertices.
fn greatest_share(vertices: [&BarkVertex; 3], shares_of_vertices: [f32; 3]) -> BodyId {
    let all = vertices.into_iter().zip(shares_of_vertices);
    let all = all.flat_map(|(v, share)| v.bodies.into_iter().zip(shares(v).map(|s| s * share)));
    let mut sums = [(0, 0.0); 6];
    let mut known = 0;
    for (body, share) in all {
        let at = sums[..known].iter().position(|sum| sum.0 == body);
        let at = at.unwrap_or_else(|| {
            sums[known].0 = body;
            known += 1;
            known - 1
        });
        sums[at].1 += share;
    }
    let most = sums[..known].iter().max_by(|a, b| a.1.total_cmp(&b.1));
    BodyId(most.expect("a triangle has bodies").0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGHT: Sight = Sight {
        eye: Vec3::new(0.0, 0.0, 5.0),
        direction: Vec3::NEG_Z,
        pixel: [Vec3::new(0.01, 0.0, 0.0), Vec3::new(0.0, -0.01, 0.0)],
        reach: f32::INFINITY,
    };

    const CORNERS: [Vec3; 3] = [
        Vec3::new(-1.0, -1.0, 0.0),
        Vec3::new(2.0, -1.0, 0.0),
        Vec3::new(-1.0, 2.0, 0.0),
    ];

    #[test]
    fn a_triangle_is_met_from_its_front_or_from_both_sides() {
        let [a, b, c] = CORNERS;
        let met = SIGHT.crosses(CORNERS, true).expect("in front");
        assert!((met.distance - 5.0).abs() < 1e-6);
        for (share, wanted) in met.shares.into_iter().zip([1.0 / 3.0; 3]) {
            assert!((share - wanted).abs() < 1e-6);
        }
        assert!(SIGHT.crosses([a, c, b], true).is_none());
        assert!(SIGHT.crosses([a, c, b], false).is_some());
        assert!(
            SIGHT
                .crosses(CORNERS.map(|p| p + Vec3::X * 1.5), false)
                .is_none()
        );
        assert!(
            SIGHT
                .crosses(CORNERS.map(|p| p + Vec3::Z * 6.0), false)
                .is_none()
        );
    }

    #[test]
    fn the_next_pixels_are_as_far_as_they_are_on_the_triangle() {
        let here = SIGHT.crosses(CORNERS, true).expect("in front");
        let [right, below] = SIGHT.steps(CORNERS, &here);
        // 5 cm at a distance of 5 m, on sides of 3 m.
        for (got, wanted) in [(right, [-1.0, 1.0, 0.0]), (below, [1.0, 0.0, -1.0])] {
            for (got, wanted) in got.into_iter().zip(wanted) {
                assert!((got - wanted * 0.05 / 3.0).abs() < 1e-5, "{got} {wanted}");
            }
        }
    }

    #[test]
    fn a_cutout_covers_where_its_alpha_is() {
        let texel = |x: u32| [0, 0, 0, if x < 4 { 255 } else { 0 }];
        let image = Image {
            width: 8,
            height: 8,
            rgba: (0..64).flat_map(|i| texel(i % 8)).collect(),
        };
        let cutout = Cutout::of(&[image]);
        let fine = [Vec2::splat(0.01); 2];
        assert!(cutout.covers(Vec2::new(0.3, 0.5), fine));
        assert!(!cutout.covers(Vec2::new(0.7, 0.5), fine));
        assert!(cutout.covers(Vec2::new(1.3, -0.5), fine), "it repeats");
    }
}
