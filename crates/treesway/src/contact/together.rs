//! A frame in which trees, balls, fruit, colliders and branches that broke off may meet: all of them take their steps in turn.
//!
//! A member is a tree with a root that something may meet, a branch that falls, or one that lies still and is in the way. In a step: air acts on balls; members find what
//! touches them and go their ways up; touches between them are solved ([`super::touch`]); they go their ways down; balls and fruit move.

use super::touch::{self, is_stout};
use super::{ContactSettings, Near, Rigid};
use crate::breakage::{Fragment, Support};
use crate::coupled::soil::Soil;
use crate::desc::BodyId;
use crate::forces::Load;
use crate::math::V3;
use crate::params::Solver;
use crate::report::StepReport;
use crate::step::{FrameOf, Stopwatch, Turn};
use crate::tree::Tree;
use rayon::prelude::*;

/// Somebody who takes part in a frame.
pub(super) struct Member<'a> {
    pub(super) tree: &'a mut Tree,
    pub(super) turn: Turn,
    /// Steps it takes in the frame; none of what lies still.
    pub(super) steps: u32,
    /// Number of the tree that it is or grew on, and of a branch its ids there.
    owner: usize,
    ids: Option<&'a [BodyId]>,
    /// Wood of a branch that falls that is thick enough to meet others.
    pub(super) stout: Vec<BodyId>,
    /// What touches it in this frame.
    pub(super) touched: Vec<Support>,
    /// Whether something came fast.
    pub(super) struck: bool,
    /// What a tree that knows penalties only gets, over a step each.
    pub(super) reactions: Vec<Load>,
    /// By how much a branch is to be moved out of others, m.
    room: V3<f32>,
}

/// What a member leaves behind after the frame.
struct Left {
    owner: usize,
    branch: bool,
    turn: Turn,
    touched: Vec<Support>,
    struck: bool,
    reactions: Vec<Load>,
}

/// A branch that broke off, taken from the tree it grew on for a frame.
struct Piece {
    owner: usize,
    /// Its place among those of the tree.
    index: usize,
    fragment: Fragment,
    stout: Vec<BodyId>,
}

impl<'a> Member<'a> {
    fn new(tree: &'a mut Tree, owner: usize, steps: u32) -> Self {
        Self {
            tree,
            turn: Turn::default(),
            steps,
            owner,
            ids: None,
            stout: Vec::new(),
            touched: Vec::new(),
            struck: false,
            reactions: Vec::new(),
            room: V3::zero(),
        }
    }

    /// Whether it is a branch that falls.
    pub(super) fn falls(&self) -> bool {
        self.ids.is_some() && self.steps > 0
    }

    /// The body of the tree it grew on that is met at one of its places.
    pub(super) fn support(&self, at: usize) -> Support {
        let contact = &self.tree.visit.meeting[at];
        let place = contact.place;
        let frame = self.tree.blocks[place.block as usize].frame(place.slot as usize);
        Support {
            tree: self.owner,
            body: self
                .ids
                .map_or(contact.body, |ids| ids[contact.body.index()]),
            position: frame.position,
        }
    }

    /// Has a branch moved by at least `push`, m.
    pub(super) fn make_room(&mut self, push: V3<f32>) {
        let size = push.length();
        if size > 0.0 {
            let out = push * (1.0 / size);
            self.room += out * (size - self.room.dot(out)).max(0.0);
        }
    }

    fn leave(self) -> Left {
        Left {
            owner: self.owner,
            branch: self.ids.is_some(),
            turn: self.turn,
            touched: self.touched,
            struck: self.struck,
            reactions: self.reactions,
        }
    }

    /// Whether it takes one of its steps in step `k` of `n`, and which.
    fn turn_at(&self, k: u32, n: u32) -> Option<(u32, u32)> {
        let every = n.checked_div(self.steps)?;
        k.is_multiple_of(every).then(|| (k / every, self.steps))
    }
}

impl Piece {
    fn falls(&self) -> bool {
        !self.fragment.rests()
    }

    /// Takes those from all trees that are thick enough to meet others.
    fn take_all(trees: &mut [Tree], contact: &ContactSettings) -> Vec<Self> {
        let mut pieces = Vec::new();
        for (owner, tree) in trees.iter_mut().enumerate() {
            let (mut index, mut left) = (0, Vec::new());
            for fragment in tree.fragments.drain(..) {
                let stout: Vec<BodyId> = stout_of(&fragment.tree, contact.wood).collect();
                if stout.is_empty() {
                    left.push(fragment);
                } else {
                    pieces.push(Self {
                        owner,
                        index,
                        fragment,
                        stout,
                    });
                }
                index += 1;
            }
            tree.fragments = left;
        }
        pieces
    }

    /// Gives all of them back.
    fn give_back(pieces: Vec<Self>, trees: &mut [Tree]) {
        for piece in pieces {
            trees[piece.owner]
                .fragments
                .insert(piece.index, piece.fragment);
        }
    }

    /// Where it may get to in a frame of `dt` s.
    fn near(&self, dt: f64) -> Near {
        let (centre, radius) = self.fragment.tree.whole_sphere();
        let speed = self.fragment.tree.anchor.velocity.length();
        Near {
            centre,
            radius: radius + MARGIN + (speed * dt) as f32,
        }
    }

    fn is_unsupported(&self, trees: &[Tree]) -> bool {
        self.fragment.supports().iter().any(|s| {
            let now = V3::from(trees[s.tree].pose(s.body).position);
            (now - s.position).length() > GONE
        })
    }
}

/// What a branch lies on has gone when it is this far from where it was, m.
const GONE: f32 = 0.02;

/// What trees and branches may come closer by in a frame besides the way of a branch's root, m.
const MARGIN: f32 = 0.3;

/// Wood from this radius on, m, on a tree.
fn stout_of(tree: &Tree, least: f32) -> impl Iterator<Item = BodyId> + '_ {
    tree.ids()
        .filter(move |&id| tree.is_attached(id) && is_stout(tree, id, least))
}

/// Whether any branch that broke off may meet others.
pub(crate) fn branches_fall(trees: &[Tree], contact: &ContactSettings) -> bool {
    let can = |f: &Fragment| {
        let moves = !f.rests() || !f.supports().is_empty();
        moves && stout_of(&f.tree, contact.wood).next().is_some()
    };
    trees.iter().any(|tree| tree.fragments.iter().any(can))
}

/// A frame of all.
pub(crate) fn step_together(
    trees: &mut [Tree],
    rigid: &mut Rigid,
    contact: &ContactSettings,
    frame: &FrameOf,
) -> StepReport {
    let mut watch = Stopwatch::start();
    let mut pieces = Piece::take_all(trees, contact);
    for piece in &mut pieces {
        if !piece.falls() && piece.is_unsupported(trees) {
            piece.fragment.wake();
        }
    }
    let falling = pieces.iter().filter(|p| p.falls());
    let falling: Vec<Near> = falling.map(|p| p.near(frame.dt)).collect();

    let (mut near, mut far) = (Vec::new(), Vec::new());
    for (i, tree) in trees.iter_mut().enumerate() {
        let visited = rigid.is_awake() && rigid.may_meet(tree, frame.dt);
        let (reach, poses) = (tree.reach(), tree.poses());
        let met = falling.iter().any(|n| reach.whole_meets(poses, n));
        if visited || met || pieces.iter().any(|p| p.owner == i && p.falls()) {
            near.push((i, tree, visited));
        } else {
            far.push(tree);
        }
    }
    let reports = far.into_par_iter().map(|tree: &mut Tree| tree.frame(frame));
    let mut report = reports.reduce(StepReport::default, |mut a, b| {
        a += b;
        a
    });
    let mut busy = watch.lap();

    let n = steps_of_all(&mut near, &pieces, rigid, contact, frame);
    let h = frame.dt / f64::from(n);
    let on_soil = FrameOf {
        lies_on: Some(Soil::new(frame.ground, h)),
        snow: None,
        ..*frame
    };
    let mut members = gather(near, &mut pieces, n);
    for member in members.iter_mut().filter(|m| m.steps > 0) {
        member.turn = member.tree.begin_frame(frame);
    }
    for k in 0..n {
        let after = h * f64::from(k);
        rigid.blow(frame, after, h);
        let mut touches = touch::find(&mut members, contact, h as f32);
        let among = &*rigid;
        members.par_iter_mut().for_each(|member| {
            if let Some(step) = member.turn_at(k, n) {
                let around = if member.falls() { &on_soil } else { frame };
                among.visit(member.tree, frame.gravity, h);
                member
                    .tree
                    .rise_among(around, &mut member.turn, contact, step);
            }
        });
        watch.lap();
        touch::answer(&mut touches, &mut members, frame.seconds + after, h);
        busy += watch.lap();
        members.par_iter_mut().for_each(|member| {
            let around = if member.falls() { &on_soil } else { frame };
            let step = member.turn_at(k, n);
            member.tree.sink_among(around, &mut member.turn, step);
            let room = core::mem::replace(&mut member.room, V3::zero());
            if room.dot(room) > 0.0 {
                member.tree.shift_whole(room);
            }
        });
        watch.lap();
        for member in &members {
            rigid.answered(&member.tree.visit.visitors);
        }
        if rigid.is_awake() {
            rigid.step(frame.gravity, frame.ground, h);
        }
        busy += watch.lap();
    }
    let left: Vec<Left> = members.into_iter().map(Member::leave).collect();
    let (rooted, branches): (Vec<_>, Vec<_>) = left.into_iter().partition(|l| !l.branch);
    for (piece, left) in pieces.iter_mut().zip(branches) {
        if piece.falls() {
            let done = piece.fragment.tree.finish_frame(&on_soil, left.turn);
            piece.fragment.stepped(done, left.touched);
        } else if left.struck {
            piece.fragment.wake();
        }
    }
    Piece::give_back(pieces, trees);
    for left in rooted {
        let tree = &mut trees[left.owner];
        report += tree.finish_frame(frame, left.turn);
        for load in left.reactions {
            // Over a step each, but the load lasts a frame.
            let force = load.force * (1.0 / n as f32);
            tree.add_load(Load { force, ..load });
        }
    }
    watch.lap();
    report.landed += rigid.tell(trees);
    report.flying += rigid.moving();
    report.times.contact += busy + watch.lap();
    report
}

/// Steps of a frame that are enough for all.
fn steps_of_all(
    near: &mut [(usize, &mut Tree, bool)],
    pieces: &[Piece],
    rigid: &Rigid,
    contact: &ContactSettings,
    frame: &FrameOf,
) -> u32 {
    let falling = pieces.iter().filter(|p| p.falls());
    let falling = falling.map(|p| p.fragment.tree.settings().steps_per_frame());
    let mut n = falling.max().unwrap_or(1);
    for (_, tree, visited) in near {
        n = n.max(tree.settings().steps_per_frame());
        if *visited {
            rigid.visit(tree, frame.gravity, frame.dt);
            tree.find_contacts(frame.dt as f32, contact.pruning);
            n = n.max(tree.penalty_steps(contact, frame.dt));
        }
    }
    n
}

/// Everybody, trees first.
fn gather<'a>(
    near: Vec<(usize, &'a mut Tree, bool)>,
    pieces: &'a mut [Piece],
    n: u32,
) -> Vec<Member<'a>> {
    let mut members = Vec::with_capacity(near.len() + pieces.len());
    for (owner, tree, visited) in near {
        let own = tree.settings().steps_per_frame();
        let answers = matches!(tree.settings().solver, Solver::Coupled | Solver::Explicit);
        // A tree that gives no impulses keeps its pace.
        let steps = if visited || answers || !n.is_multiple_of(own) {
            n
        } else {
            own
        };
        members.push(Member::new(tree, owner, steps));
    }
    for piece in pieces {
        let steps = if piece.falls() { n } else { 0 };
        let mut member = Member::new(&mut piece.fragment.tree, piece.owner, steps);
        member.ids = Some(&piece.fragment.ids);
        if steps > 0 {
            member.stout.clone_from(&piece.stout);
        }
        members.push(member);
    }
    members
}
