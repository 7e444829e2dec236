//! Leaves on thin stems: a base stem across, a blade whose upper side faces the line that its stem would go on along.

use super::room::{Room, v3};
use super::wood::{Place, Stem, Wood};
use super::{Rejected, Stems};
use crate::frame::{GOLDEN_ANGLE, across, looking_along, turned, unit_or};
use treesway::glam::DVec3;
use treesway::math::{Rng, V3};
use treesway::{Attachment, Leaf};

/// A stem that bears leaves.
struct Bearer {
    stem: usize,
    /// How many there are to be, and how many there are.
    wanted: u32,
    grown: u32,
    /// Where around the stem the next one is tried, rad.
    around: f64,
}

/// Where a leaf may be.
struct Draft {
    /// Along its stem, m.
    along: f64,
    base: DVec3,
    /// Along the blade, and of its upper side, of length 1.
    way: DVec3,
    normal: DVec3,
    length: f64,
    width: f64,
}

/// Grows as many leaves as are wanted, or as there is room for.
pub(super) fn grow(
    law: &Stems,
    seed: u64,
    wood: &Wood,
    places: &[Place],
    room: &mut Room,
    rejected: &mut Rejected,
) -> Vec<Leaf> {
    let mut rng = Rng::new(seed, 2);
    let mut bearers = bearers(law, wood, &mut rng);
    let mut leaves = Vec::with_capacity(law.leaves as usize);
    let wanted = law.leaves as usize;
    // First as many on each as chance gives it, then as many as it may have, one each at a time.
    for most in [0, law.leaf.most, 4 * law.leaf.most] {
        for bearer in &mut bearers {
            bearer.wanted = bearer.wanted.max(most);
        }
        loop {
            let before = leaves.len();
            for bearer in &mut bearers {
                if leaves.len() == wanted {
                    return leaves;
                }
                if bearer.grown >= bearer.wanted {
                    continue;
                }
                match grow_one(law, &wood.stems[bearer.stem], bearer, room, &mut rng) {
                    Some(draft) => {
                        bearer.grown += 1;
                        leaves.push(draft.leaf(&places[bearer.stem]));
                    }
                    None => rejected.leaves += 1,
                }
            }
            if leaves.len() == before {
                break;
            }
        }
    }
    leaves
}

/// Thin stems in an order of chance, those that bear no others first.
fn bearers(law: &Stems, wood: &Wood, rng: &mut Rng) -> Vec<Bearer> {
    let thin = f64::from(law.leaf.thin * law.twig_radius);
    let stems = wood.stems.iter().enumerate();
    let mut bearers: Vec<(bool, f64, Bearer)> = stems
        .filter(|(_, s)| s.radius < thin || s.children.is_empty())
        .map(|(stem, s)| {
            let bearer = Bearer {
                stem,
                wanted: 1 + (f64::from(law.leaf.most) * rng.unit()) as u32,
                grown: 0,
                around: core::f64::consts::TAU * rng.unit(),
            };
            (!s.children.is_empty(), rng.unit(), bearer)
        })
        .collect();
    bearers.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    bearers.into_iter().map(|b| b.2).collect()
}

fn grow_one(
    law: &Stems,
    stem: &Stem,
    bearer: &mut Bearer,
    room: &mut Room,
    rng: &mut Rng,
) -> Option<Draft> {
    for attempt in 0..law.tries {
        let last = stem.children.is_empty() && bearer.grown == 0 && attempt < law.tries / 2;
        bearer.around += GOLDEN_ANGLE;
        let draft = draft(law, stem, bearer.around, last, rng);
        let points = draft.points(stem, room);
        let radius = 0.5 * room.pattern().stalk * draft.length;
        if room.add_leaf(points, radius, stem.number) {
            return Some(draft);
        }
    }
    None
}

/// A leaf beside a stem, or at its end.
fn draft(law: &Stems, stem: &Stem, around: f64, last: bool, rng: &mut Rng) -> Draft {
    let leaf = &law.leaf;
    let axis = stem.axis();
    let side = turned(across(axis), axis, around);
    let fuzz = 1.0 + f64::from(law.fuzziness) * rng.signed();
    // Leaves of thicker stems are larger.
    let size = libm::pow(stem.radius / f64::from(law.twig_radius), 0.3) * fuzz;
    let length = f64::from(leaf.length) * size;
    let stalk = stem.radius + f64::from(leaf.stalk) * length;
    let [least, most] = leaf.down_deg.map(f64::from);
    let down = rng.between(least, most).to_radians();
    let place = rng.between(0.35, 0.97);
    let lean = |angle: f64| {
        let (sin, cos) = libm::sincos(angle);
        axis * cos + side * sin
    };
    let (along, way, base) = if last {
        let way = lean(0.4 * down);
        (stem.length(), way, stem.tip + way * stalk)
    } else {
        let along = place * stem.length();
        (along, lean(down), stem.base + axis * along + side * stalk)
    };
    Draft {
        along,
        base,
        way,
        normal: unit_or(axis - way * axis.dot(way), side),
        length,
        width: length * f64::from(leaf.aspect),
    }
}

impl Draft {
    /// Points of the leaf, as the engine has them.
    fn points(&self, stem: &Stem, room: &Room) -> Vec<V3<f64>> {
        let across = self.normal.cross(self.way);
        let foot = stem.base + stem.axis() * self.along;
        let blade = room.pattern().in_leaf(self.length, self.width);
        let blade =
            blade.map(|p| v3(self.base + across * p.x + self.normal * p.y + self.way * p.z));
        core::iter::once(v3(foot)).chain(blade).collect()
    }

    fn leaf(&self, place: &Place) -> Leaf {
        let along = (place.along[0] + self.along).min(place.along[1]);
        Leaf {
            on: Attachment {
                branch: place.branch,
                along: along as f32,
            },
            position: self.base.as_vec3(),
            rotation: looking_along(self.way, self.normal),
            length: self.length as f32,
            width: self.width as f32,
        }
    }
}
