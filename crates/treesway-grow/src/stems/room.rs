//! What is taken: every stem, base stem and blade so far, in a hierarchy of boxes.

use treesway::elements::intersect::shapes_meet;
use treesway::elements::{Blade, LeafPattern, Neighbours, RoundCone, Shape};
use treesway::glam::DVec3;
use treesway::math::V3;

/// A stem that others may be joined with, by its number.
pub(super) type Stem = u32;

/// Something that takes room.
struct Taken {
    form: Form,
    /// The stem that it grows from.
    parent: Option<Stem>,
}

enum Form {
    /// The wood of a stem of that number, or the base stem of a leaf, which has none.
    Cone(RoundCone, Option<Stem>),
    /// Points of a leaf.
    Blade(Vec<V3<f64>>),
}

/// All that has grown so far.
pub(super) struct Room {
    taken: Vec<Option<Taken>>,
    near: Neighbours,
    clearance: f64,
    pattern: LeafPattern,
    corners: Vec<[usize; 3]>,
}

/// One that has been let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket(u32);

impl Room {
    pub(super) fn new(clearance: f64) -> Self {
        let pattern = LeafPattern::default();
        Self {
            taken: Vec::new(),
            near: Neighbours::default(),
            clearance,
            corners: pattern.corners(),
            pattern,
        }
    }

    /// How leaves are made.
    pub(super) fn pattern(&self) -> &LeafPattern {
        &self.pattern
    }

    /// Lets a stem in that grows from `parent`, if it keeps clear of all but this and its siblings.
    pub(super) fn add_stem(
        &mut self,
        cone: RoundCone,
        number: Stem,
        parent: Option<Stem>,
    ) -> Option<Ticket> {
        let taken = Taken {
            form: Form::Cone(cone, Some(number)),
            parent,
        };
        self.is_free(&taken).then(|| self.let_in(taken))
    }

    /// Lets a leaf in: its base stem and its blade.
    pub(super) fn add_leaf(&mut self, points: Vec<V3<f64>>, radius: f64, parent: Stem) -> bool {
        let parent = Some(parent);
        let cone = RoundCone {
            ends: [points[0], points[1]],
            radius: [radius; 2],
        };
        let parts = [
            Taken {
                form: Form::Cone(cone, None),
                parent,
            },
            Taken {
                form: Form::Blade(points),
                parent,
            },
        ];
        let free = parts.iter().all(|p| self.is_free(p));
        if free {
            for part in parts {
                self.let_in(part);
            }
        }
        free
    }

    /// Gives the room of a stem back.
    pub(super) fn remove(&mut self, ticket: Ticket) {
        self.taken[ticket.0 as usize] = None;
        self.near.remove(ticket.0);
    }

    fn let_in(&mut self, taken: Taken) -> Ticket {
        let number = self.taken.len() as u32;
        let bounds = self.shape(&taken).bounds();
        self.near.add(number, &bounds);
        self.taken.push(Some(taken));
        Ticket(number)
    }

    fn shape<'a>(&'a self, taken: &'a Taken) -> Shape<'a> {
        match &taken.form {
            Form::Cone(cone, _) => Shape::Cone(*cone),
            Form::Blade(points) => Shape::Blade(Blade {
                points,
                corners: &self.corners,
            }),
        }
    }

    fn is_free(&self, new: &Taken) -> bool {
        let shape = self.shape(new);
        let near = self.near.near(&shape.bounds(), self.clearance);
        !near.into_iter().any(|i| {
            let Some(other) = &self.taken[i as usize] else {
                return false;
            };
            !joined(new, other) && shapes_meet(&shape, &self.shape(other), self.clearance)
        })
    }
}

/// Whether one grows from the other, or both from the same stem; blades are joined with nothing.
fn joined(a: &Taken, b: &Taken) -> bool {
    let (Form::Cone(_, x), Form::Cone(_, y)) = (&a.form, &b.form) else {
        return false;
    };
    let grows_from = |parent: Option<Stem>, of: Option<Stem>| parent.is_some() && parent == of;
    grows_from(a.parent, *y) || grows_from(b.parent, *x) || grows_from(a.parent, b.parent)
}

/// As the engine's vectors.
pub(super) fn v3(v: DVec3) -> V3<f64> {
    V3 {
        x: v.x,
        y: v.y,
        z: v.z,
    }
}
