//! Blades, flowers, cards of needles, twigs and stalks as triangles, added to one mesh.

use crate::texture::{blade_uv, junction, strip_uv};
use crate::{LeafLook, LeafShape, Mesh, PieceVertex};
use treesway::glam::{Quat, Vec2, Vec3};

/// How finely one leaf is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fineness {
    /// Two triangles.
    Coarse,
    /// Four.
    Medium,
    /// Eight, with stalks.
    Fine,
}

impl Fineness {
    /// For what may be off by so much, m. Blades of 10 cm are folded by about 8 mm and curved by 1.5 mm beyond that.
    pub fn within(tolerance: f32) -> Self {
        match tolerance {
            t if t < 0.0015 => Self::Fine,
            t if t < 0.008 => Self::Medium,
            _ => Self::Coarse,
        }
    }

    pub fn finer(self) -> Self {
        match self {
            Self::Coarse => Self::Medium,
            _ => Self::Fine,
        }
    }
}

/// Where a leaf sits in its spray: x width, y normal, z length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub at: Vec3,
    pub turn: Quat,
    /// In lengths of a blade.
    pub size: f32,
}

impl Seat {
    pub const ORIGIN: Self = Self {
        at: Vec3::ZERO,
        turn: Quat::IDENTITY,
        size: 1.0,
    };
}

/// How one blade departs from a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bend {
    /// Along it, radians from base to tip; positive hangs down.
    pub droop: f32,
    /// Up of either half from the midrib, radians.
    pub fold: f32,
    /// About its length from base to tip, radians.
    pub twist: f32,
    /// Whether left and right are exchanged.
    pub mirrored: bool,
}

/// A mesh that is being made, in lengths of a blade.
pub(super) struct Model {
    pub mesh: Mesh<PieceVertex>,
    pub fineness: Fineness,
    /// [`PieceVertex::which`] of what is added next.
    pub which: f32,
}

impl Model {
    pub fn new(fineness: Fineness) -> Self {
        Self {
            mesh: Mesh::default(),
            fineness,
            which: 0.0,
        }
    }

    /// A leaf of the look.
    pub fn leaf(&mut self, look: &LeafLook, seat: &Seat, bend: &Bend) {
        match look.shape {
            LeafShape::Blossom => self.flower(look, seat, bend),
            LeafShape::Needles | LeafShape::Tuft => self.cards(look, seat, bend),
            _ => self.blade(look, seat, bend, self.cuts(look.aspect)),
        }
    }

    /// Into how many strips along and across a blade is cut.
    fn cuts(&self, aspect: f32) -> [u32; 2] {
        let narrow = aspect < 0.25;
        match self.fineness {
            Fineness::Coarse => [1, 1],
            Fineness::Medium if narrow => [2, 1],
            Fineness::Medium => [1, 2],
            Fineness::Fine if narrow => [4, 1],
            Fineness::Fine => [2, 2],
        }
    }

    /// A blade on an arc, folded at its midrib. Lengths along and across it are those of the flat one.
    fn blade(&mut self, look: &LeafLook, seat: &Seat, bend: &Bend, [along, across]: [u32; 2]) {
        let behind = junction(look.shape);
        let first = self.mesh.vertices.len() as u32;
        for i in 0..=along {
            let share = i as f32 / along as f32;
            let s = share - behind;
            // Starts above its direction by as much as it ends below it.
            let angle = bend.droop * (s - 0.5);
            let half = 0.5 * bend.droop;
            let centre = if bend.droop.abs() < 1e-3 {
                Vec3::Z * s
            } else {
                Vec3::new(
                    0.0,
                    (angle.cos() - half.cos()) / bend.droop,
                    (angle.sin() + half.sin()) / bend.droop,
                )
            };
            let turn = Quat::from_rotation_x(angle) * Quat::from_rotation_z(bend.twist * (s - 0.3));
            for j in 0..=across {
                let x = j as f32 / across as f32 - 0.5;
                let up = if across > 1 { bend.fold } else { 0.0 };
                let off = Vec3::new(x * up.cos(), x.abs() * up.sin(), 0.0) * look.aspect;
                let u = if bend.mirrored { -x } else { x };
                self.point(seat, centre + turn * off, blade_uv(u, share));
            }
        }
        self.grid(first, [along, across]);
    }

    /// A flower: a flat dish around the seat's place, its face along the seat's y.
    fn flower(&mut self, look: &LeafLook, seat: &Seat, bend: &Bend) {
        if self.fineness == Fineness::Coarse {
            let flat = Bend {
                droop: 0.0,
                fold: 0.0,
                ..*bend
            };
            return self.blade(look, seat, &flat, [1, 1]);
        }
        let first = self.mesh.vertices.len() as u32;
        let depth = 0.5 * bend.fold.abs().sin();
        for [x, z] in [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]] {
            let at = Vec3::new(x * look.aspect, depth, z);
            self.point(seat, at, blade_uv(x, z + 0.5));
        }
        self.point(seat, Vec3::ZERO, blade_uv(0.0, 0.5));
        for k in 0..4 {
            let triangle = [first + k, first + 4, first + (k + 1) % 4];
            self.mesh.triangles.push(triangle);
        }
        self.smooth(first);
    }

    /// Needles all around a shoot: cards that cross along it.
    fn cards(&mut self, look: &LeafLook, seat: &Seat, bend: &Bend) {
        let along = if self.fineness == Fineness::Fine {
            2
        } else {
            1
        };
        // Square to each other: from every side about as much is seen as of one card from its front.
        for about in [0.0, core::f32::consts::FRAC_PI_2] {
            let turned = Seat {
                turn: seat.turn * Quat::from_rotation_z(about + bend.twist),
                ..*seat
            };
            // The droop is down whatever side the card shows.
            let own = Bend {
                droop: bend.droop * about.cos(),
                twist: 0.25,
                ..*bend
            };
            self.blade(look, &turned, &own, [along, 1]);
        }
    }

    /// A thin ribbon through points, seen from above; `green` at its ends: 0 wood, 1 stalk.
    pub fn ribbon(&mut self, path: &[Vec3], width: [f32; 2], green: [f32; 2]) {
        let first = self.mesh.vertices.len() as u32;
        let last = path.len() - 1;
        for (i, &p) in path.iter().enumerate() {
            let share = i as f32 / last as f32;
            let way = (path[(i + 1).min(last)] - path[i.saturating_sub(1)]).normalize_or(Vec3::Z);
            let aside = Vec3::Y.cross(way).normalize_or(Vec3::X);
            let half = 0.5 * (width[0] + (width[1] - width[0]) * share);
            let tint = green[0] + (green[1] - green[0]) * share;
            self.point(&Seat::ORIGIN, p - aside * half, strip_uv(0.0, tint));
            self.point(&Seat::ORIGIN, p + aside * half, strip_uv(1.0, tint));
        }
        self.grid(first, [last as u32, 1]);
    }

    /// The least that can be seen of a twig: a triangle from the origin to its tip.
    pub fn splinter(&mut self, tip: Vec3, width: f32) {
        let first = self.mesh.vertices.len() as u32;
        let aside = Vec3::Y.cross(tip).normalize_or(Vec3::X) * (0.5 * width);
        self.point(&Seat::ORIGIN, -aside, strip_uv(0.0, 0.0));
        self.point(&Seat::ORIGIN, tip, strip_uv(0.5, 0.3));
        self.point(&Seat::ORIGIN, aside, strip_uv(1.0, 0.0));
        self.mesh.triangles.push([first, first + 1, first + 2]);
        self.smooth(first);
    }

    fn point(&mut self, seat: &Seat, at: Vec3, uv: Vec2) {
        self.mesh.vertices.push(PieceVertex {
            position: (seat.at + seat.turn * (at * seat.size)).to_array(),
            which: self.which,
            normal: [0.0; 3],
            uv: uv.to_array(),
        });
    }

    /// Two triangles for each of `along` × `across` cells of the vertices from `first`.
    fn grid(&mut self, first: u32, [along, across]: [u32; 2]) {
        let row = across + 1;
        for i in 0..along {
            for j in 0..across {
                let a = first + i * row + j;
                let (b, c, d) = (a + 1, a + row, a + row + 1);
                // Split towards the midrib, so that both halves mirror each other.
                let split = if 2 * j < across {
                    [[a, c, b], [b, c, d]]
                } else {
                    [[a, d, b], [a, c, d]]
                };
                self.mesh.triangles.extend(split);
            }
        }
        self.smooth(first);
    }

    /// Normals of the vertices from `first`: means over their triangles, weighted by area.
    fn smooth(&mut self, first: u32) {
        let mesh = &mut self.mesh;
        let mut sums = vec![Vec3::ZERO; mesh.vertices.len() - first as usize];
        for triangle in mesh.triangles.iter().rev() {
            if triangle[0] < first {
                break;
            }
            let [a, b, c] = triangle.map(|i| Vec3::from(mesh.vertices[i as usize].position));
            let normal = (b - a).cross(c - a);
            for i in triangle {
                sums[(i - first) as usize] += normal;
            }
        }
        for (vertex, sum) in mesh.vertices[first as usize..].iter_mut().zip(sums) {
            vertex.normal = sum.normalize_or(Vec3::Y).to_array();
        }
    }

    /// The mesh with lengths divided by `length`.
    pub fn in_units_of(mut self, length: f32) -> Mesh<PieceVertex> {
        for vertex in &mut self.mesh.vertices {
            vertex.position = vertex.position.map(|c| c / length);
        }
        self.mesh
    }
}
