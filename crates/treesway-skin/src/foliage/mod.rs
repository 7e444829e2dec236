//! Leaves and fruit: a few meshes, and where each of them is drawn.

mod fruit;
mod model;
mod spray;

use crate::openness::Crown;
use crate::texture::{hash, mix};
use crate::{Detail, Instance, LeafShape, Look, Mesh, PieceVertex, Pieces};
use model::{Fineness, Model};
use rayon::prelude::*;
use std::collections::BTreeMap;
use treesway::glam::{Quat, Vec3};
use treesway::{BodyDesc, BodyPose, Shape, TreeDesc};

/// Shorter ways from wood to blade are not drawn, m.
const LEAST_STALK: f32 = 0.004;

/// Leaves and fruit of a tree.
pub(crate) fn pieces(
    bodies: &TreeDesc,
    rest: &[BodyPose],
    crown: &Crown,
    look: &Look,
    detail: &Detail,
) -> (Vec<Pieces>, Vec<Pieces>) {
    let foliage = Foliage {
        bodies,
        rest,
        crown,
        look,
        fineness: Fineness::within(detail.tolerance),
    };
    (foliage.leaves(detail), foliage.fruit())
}

/// A leaf body with the mesh it is drawn as.
struct Placed {
    /// Leaves of the spray.
    count: u32,
    variant: u32,
    instance: Instance,
    stalk: Vec<Instance>,
}

struct Foliage<'a> {
    bodies: &'a TreeDesc,
    rest: &'a [BodyPose],
    crown: &'a Crown,
    look: &'a Look,
    fineness: Fineness,
}

impl Foliage<'_> {
    fn leaves(&self, detail: &Detail) -> Vec<Pieces> {
        let all = &self.bodies.bodies;
        let area = |body: &BodyDesc| match body.shape {
            Shape::Leaf { length, width, .. } => length * width,
            _ => 0.0,
        };
        let kept: Vec<usize> = all
            .iter()
            .enumerate()
            .filter(|(id, body)| area(body) > 0.0 && hash(*id as u32) < detail.leaf_share)
            .map(|(id, _)| id)
            .collect();
        let total: f32 = all.iter().map(area).sum();
        let drawn: f32 = kept.iter().map(|id| area(&all[*id])).sum();
        // Those that are left cover as much as all.
        let larger = (total / drawn.max(1e-12)).sqrt();
        let placed: Vec<Placed> = kept
            .into_par_iter()
            .filter_map(|id| self.place(id, larger, detail.most_leaves))
            .collect();
        let mut groups: BTreeMap<(u32, u32), Vec<Instance>> = BTreeMap::new();
        let mut stalks: [Vec<Instance>; 2] = Default::default();
        for leaf in placed {
            let mesh = (leaf.count, leaf.variant);
            groups.entry(mesh).or_default().push(leaf.instance);
            stalks[usize::from(leaf.count == 1)].extend(leaf.stalk);
        }
        let meshes = groups.into_iter().map(|((count, variant), instances)| {
            let fineness = if count == 1 {
                self.fineness.finer()
            } else {
                self.fineness
            };
            Pieces {
                mesh: spray::mesh(&self.look.leaf, count, variant, fineness),
                instances,
            }
        });
        let stalks = stalks.into_iter().zip([0.0, 1.0]);
        let stalks = stalks.map(|(instances, green)| Pieces {
            mesh: ribbon(green),
            instances,
        });
        meshes
            .chain(stalks)
            .filter(|p| !p.instances.is_empty())
            .collect()
    }

    /// A leaf body, `larger` times its size.
    fn place(&self, id: usize, larger: f32, most_leaves: u32) -> Option<Placed> {
        let Shape::Leaf { length, width, .. } = self.bodies.bodies[id].shape else {
            return None;
        };
        let (length, width) = (length * larger, width * larger);
        let one = self.look.leaf.length.unwrap_or(length);
        let count = spray::count_for((length / one).powi(2), most_leaves, self.look.leaf.shape);
        let curl = if self.look.leaf.to_light == 0.0 {
            1.0
        } else {
            0.6 + 0.8 * hash(id as u32 ^ 0x5eed)
        };
        let scale = [width / self.look.leaf.aspect, length * curl, length];
        let turn = self.turned_to_light(id);
        let shown = self.fineness != Fineness::Coarse;
        Some(Placed {
            count,
            variant: mix(id as u32) % spray::VARIANTS,
            instance: self.instance(id, self.rest[id].position, turn, scale),
            stalk: if shown {
                self.stalk(id, one, length / one)
            } else {
                Vec::new()
            },
        })
    }

    /// What joins a blade to its wood, where there is a way between them. `size` is that of the body in blades of length `one`.
    fn stalk(&self, id: usize, one: f32, size: f32) -> Vec<Instance> {
        let body = &self.bodies.bodies[id];
        let Some(parent) = body.parent.map(|p| p as usize) else {
            return Vec::new();
        };
        let kept_apart = self.look.leaf.to_light == 0.0;
        // That of a leaf beyond the end of its stem is this end, as in `treesway::elements`.
        let along = match self.bodies.bodies[parent].shape {
            Shape::Segment { length, .. } if kept_apart => body.along_parent.min(length),
            _ => body.along_parent,
        };
        let foot = self.rest[parent].point(Vec3::Z * along);
        let base = self.rest[id].position;
        let way = base - foot;
        // A foot farther off than any stalk is on a bent parent, where its place is not known so well.
        let stalk = self.look.leaf.stalk;
        let known = self.look.leaf.length.is_some() || stalk > 0.0;
        let most = 1.5 * (stalk + 0.1) * size * one;
        if !(known && (LEAST_STALK..most).contains(&way.length())) {
            return Vec::new();
        }
        let turn = spray::facing(way.normalize(), Vec3::Y);
        let thick = 0.02 * one * size.sqrt();
        let strip =
            |carrier, turn, thick| self.instance(carrier, foot, turn, [thick, thick, way.length()]);
        if !kept_apart {
            return vec![strip(id, turn, thick)];
        }
        // Where blades are drawn as they are kept apart, their base stems stand fast on the wood, too, and are seen from all sides: two strips across each other.
        let across = turn * Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
        [turn, across]
            .map(|turn| strip(parent, turn, 1.4 * thick))
            .to_vec()
    }

    fn fruit(&self) -> Vec<Pieces> {
        let rows = match self.fineness {
            Fineness::Coarse => 3,
            Fineness::Medium => 8,
            Fineness::Fine => 14,
        };
        let (mut balls, mut stalks) = (Vec::new(), Vec::new());
        for (id, (body, pose)) in self.bodies.bodies.iter().zip(self.rest).enumerate() {
            let Shape::Fruit {
                radius,
                stem_length,
                stem_radius,
            } = body.shape
            else {
                continue;
            };
            let spin = pose.rotation * Quat::from_rotation_z(6.3 * hash(id as u32));
            let at = pose.point(Vec3::Z * stem_length);
            balls.push(self.instance(id, at, spin, [radius; 3]));
            if self.fineness != Fineness::Coarse {
                let reach = stem_length + fruit::HOLLOW * radius;
                let size = [stem_radius, stem_radius, reach];
                stalks.push(self.instance(id, pose.position, spin, size));
            }
        }
        let all = [(fruit::ball(rows), balls), (fruit::stalk(4), stalks)];
        let pieces = all.map(|(mesh, instances)| Pieces { mesh, instances });
        let shown = pieces.into_iter().filter(|p| !p.instances.is_empty());
        shown.collect()
    }

    fn instance(&self, id: usize, at: Vec3, turn: Quat, scale: [f32; 3]) -> Instance {
        let middle = at + turn * (Vec3::Z * (0.5 * scale[2]));
        Instance {
            position: at.to_array(),
            body: id as u32,
            rotation: turn.to_array(),
            scale,
            variation: hash(id as u32 ^ 0xca11),
            outward: self.crown.outward(middle).to_array(),
            openness: self.crown.openness(middle),
        }
    }

    /// A blade turns about its stalk until its face sees the light: most of the way from where the body has it.
    fn turned_to_light(&self, id: usize) -> Quat {
        let pose = &self.rest[id];
        let turn = pose.rotation;
        let around = matches!(
            self.look.leaf.shape,
            LeafShape::Needles | LeafShape::Tuft | LeafShape::Leaflet
        );
        if around || self.look.leaf.to_light == 0.0 {
            return turn;
        }
        let way = turn * Vec3::Z;
        let light = Vec3::Y + 0.5 * self.crown.outward(pose.position);
        let [x, y] = [Vec3::X, Vec3::Y].map(|axis| (turn * axis).dot(light));
        // Nothing to turn to for a blade that points at the light.
        let aside = (light - way * way.dot(light)).length() / light.length();
        // The upper side is whichever is nearer to it already.
        let over = if y < 0.0 { core::f32::consts::PI } else { 0.0 };
        let angle = (-x * y.signum()).atan2(y.abs());
        turn * Quat::from_rotation_z(over + angle * (self.look.leaf.to_light * aside))
    }
}

/// A strip of length and width 1 along +z.
fn ribbon(green: f32) -> Mesh<PieceVertex> {
    let mut model = Model::new(Fineness::Coarse);
    model.ribbon(&[Vec3::ZERO, Vec3::Z], [1.0, 0.8], [green; 2]);
    model.in_units_of(1.0)
}
