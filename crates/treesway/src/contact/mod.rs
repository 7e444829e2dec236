//! Trees and what is near them. In a step of a tree and its visitors:
//!
//! 1. air acts on balls and fruit ([`rigid`]), and those that move become [`visitor`]s of the trees within their reach, as [`collider`]s do;
//! 2. each tree looks for bodies nearby ([`reach`]) and for those that are touched before the step ends ([`meet`], by their [`shape`]s);
//! 3. it answers between its ways up and down ([`impulse`]), or before and after them ([`penalty`]), or, with the analytic solver, after its springs ([`way`]);
//! 4. branches that broke off and what they [`touch`] get their impulses, before the ways down ([`together`]);
//! 5. balls and fruit take what they were given, meet each other and the ground, and move ([`rigid`]).
//!
//! Besides, a [`ray`] ends at the first body in its way.

mod collider;
mod impulse;
mod meet;
mod penalty;
mod ray;
mod reach;
mod rigid;
mod shape;
mod together;
mod touch;
mod visitor;
mod way;

pub use collider::{Collider, ColliderId, ColliderShape};
pub use ray::{Ray, RayHit};
pub use reach::Pruning;
pub use rigid::{Ball, BallId};

pub(crate) use impulse::Ways;
pub(crate) use reach::{Near, Poses, Reach};
pub(crate) use rigid::{Rigid, RigidSnapshot};
pub(crate) use together::{branches_fall, step_together};
pub(crate) use visitor::Visit;

use crate::desc::BodyId;
use crate::math::V3;
use crate::params::Solver;
use crate::tree::Tree;
use glam::Vec3;

/// How trees answer to what touches them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum ContactResponse {
    /// Impulses by the tree's own response; momentum is kept.
    #[default]
    Impulses,
    /// Penalty forces as in Quigley 2017, §6.
    Penalties,
}

/// How trees, balls and fruit meet.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct ContactSettings {
    /// Whether fruit that come off meet the trees and each other (default: yes). Without, they fall through them as leaves do. Balls always meet everything.
    pub fruit: bool,
    /// How trees answer to balls and fruit; those that the analytic solver moves know penalties only. Colliders are given way to in any case.
    pub response: ContactResponse,
    /// ζ of penalties, kg/s (default: none, the mass of what presses per step).
    pub penalty: Option<f32>,
    /// Radius from which on wood that broke off meets trees and other such wood, m (default: 1 cm); infinite: it meets the ground only.
    pub wood: f32,
    /// How the search for bodies nearby is pruned.
    pub pruning: Pruning,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            fruit: true,
            response: ContactResponse::default(),
            penalty: None,
            wood: 0.01,
            pruning: Pruning::default(),
        }
    }
}

impl Tree {
    /// Wood and fruit on the tree that balls of centre and radius, m, overlap: the number of the ball and the body, by ball and then in the order in which one walks
    /// the tree. Leaves are no obstacle. All ways of `pruning` find the same.
    pub fn overlaps(&mut self, balls: &[(Vec3, f32)], pruning: Pruning) -> Vec<(usize, BodyId)> {
        let mut found = Vec::new();
        let pruning = pruning.of_many(balls.len());
        let (reach, poses, _) = self.for_search();
        for (i, &(centre, radius)) in balls.iter().enumerate() {
            let near = Near {
                centre: centre.into(),
                radius,
            };
            reach.search(poses, pruning, &near, |body| {
                if body.cone.nearest(near.centre).distance <= radius {
                    found.push((i, body.id));
                }
            });
        }
        found
    }

    /// Whether something touches it in this step.
    pub(crate) fn is_met(&self) -> bool {
        !(self.visit.contacts.is_empty() && self.visit.meeting.is_empty())
    }

    /// Whether it answers by penalties.
    pub(crate) fn has_penalties(&self, contact: &ContactSettings) -> bool {
        let alone =
            self.settings.solver != Solver::Coupled && self.settings.solver != Solver::Explicit;
        alone || contact.response == ContactResponse::Penalties
    }

    /// Workspaces of the tree, found when first asked for.
    pub(crate) fn reach(&self) -> &Reach {
        self.reach.get_or_init(|| Reach::of(self))
    }

    pub(crate) fn poses(&self) -> Poses<'_> {
        Poses {
            places: &self.places,
            blocks: &self.blocks,
            follow: self.follow.as_deref(),
        }
    }

    /// A ball around everything on it, however it is bent: centre and radius, m.
    pub(crate) fn whole_sphere(&self) -> (V3<f32>, f32) {
        self.reach().whole(self.poses())
    }

    /// Workspaces with boxes for the pose of now, that pose, and those who search.
    pub(crate) fn for_search(&mut self) -> (&mut Reach, Poses<'_>, &mut Visit) {
        self.reach();
        let Self {
            reach,
            places,
            blocks,
            follow,
            visit,
            ..
        } = self;
        let reach = reach.get_mut().expect("it was found above");
        reach.moved();
        let poses = Poses {
            places,
            blocks,
            follow: follow.as_deref(),
        };
        (reach, poses, visit)
    }
}
