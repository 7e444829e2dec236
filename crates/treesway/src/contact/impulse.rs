//! Contacts of the coupled solver, solved between its ways up and down with the tree's own response: what Quigley 2017, §11, wishes for.
//!
//! After the way up every joint knows how it will turn on a parent that moves with (α', a'), see [`crate::coupled::articulated`]:
//! q̈ = H⁻¹u − H⁻¹A α' − H⁻¹B a'. A force on a body changes τ and f of the bodies between it and the root, and of no others:
//!
//!   Δ(H⁻¹u) = −H⁻¹ Δτ,   Δτ ← Δτ − (H⁻¹A)ᵀ Δτ,   Δf ← Δf − (H⁻¹B)ᵀ Δτ,   then to the parent's joint.      (1)
//!
//! So the velocities at the end of the step of all points of contact, and how they answer to an impulse at any of them, follow from the
//! bodies on the ways to the root alone: exact for this step, springs, dampers and drag included, whatever the rest of the
//! tree does. With W the response of all contacts to all impulses P [N·s], the visitors' own included, and u the relative velocities,
//!
//!   u = u₀ + W P,   P_n ≥ 0,   u_n ≥ b,   P_n (u_n − b) = 0,   |P_t| ≤ μ P_n,                               (2)
//!
//! is solved by Gauss and Seidel's method, contact by contact. b is −g/h where a way g is left, 0 where they touch, −e u₀ for what strikes, and what mends an overlap. The
//! visitor gets P, the tree −P/h as a force by (1): momentum is kept to rounding.
//!
//! H⁻¹ is kept on the way up ([`crate::block::Block::inverses`]) of the blocks with contacts, and of the spine.

use super::meet::Contact;
use super::visitor::{MENDED, MOST_MENDING, SLOP, STROKE, Stroke, Visitor};
use crate::coupled::Scheme;
use crate::coupled::articulated::Articulated;
use crate::math::simd::{Row, Rows};
use crate::math::{Matrix3, Sym3, V3};
use crate::root::{Anchor, RootKind};
use crate::tree::Tree;

/// Rounds over all contacts. Errors fall by about half in each; two per cent of a velocity are not seen.
pub(super) const ROUNDS: usize = 24;

const NONE: Sym3<Row> = Sym3 {
    xx: Row::ZERO,
    yy: Row::ZERO,
    zz: Row::ZERO,
    xy: Row::ZERO,
    xz: Row::ZERO,
    yz: Row::ZERO,
};

/// A body on the way from a contact to the root.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// In the list, before this one; none of the root.
    parent: Option<u32>,
    place: crate::block::Place,
    /// From the parent's joint, m.
    arm: V3<f64>,
    /// H⁻¹u, H⁻¹A, H⁻¹B and H⁻¹; all zero of a joint that is locked.
    turn: V3<f64>,
    on_alpha: Matrix3<f64>,
    on_a: Matrix3<f64>,
    inverse: Sym3<f64>,
    /// θ̇ at the end of the step were q̈ zero, rad/s, world.
    rate: V3<f64>,
    /// Velocity products: what α and a gain on the way from the parent.
    bias: [V3<f64>; 2],
}

/// How a body moves, or how that changes: acceleration over the step, velocity at its end.
#[derive(Clone, Copy, Debug)]
struct Motion {
    alpha: V3<f64>,
    a: V3<f64>,
    omega: V3<f64>,
    v: V3<f64>,
}

/// The bodies between contacts and root, and scratch for their motion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways {
    /// By id of the body: place in `nodes` and one more, 0 where it is not there.
    index: Vec<u32>,
    nodes: Vec<Node>,
    ids: Vec<u32>,
    motions: Vec<Motion>,
    /// Changes of H⁻¹u, then of motion.
    turns: Vec<V3<f64>>,
    /// Of contact j to a force along each axis at contact i: `[i·n + j]`.
    pub(super) response: Vec<Matrix3<f64>>,
    loads: Vec<[V3<f64>; 2]>,
}

/// What a tree knows of its contacts before they are solved.
pub(super) struct Foreseen {
    /// From the joints to the points, m, world.
    pub(super) arms: Vec<V3<f64>>,
    /// m/s.
    pub(super) velocities: Vec<V3<f64>>,
}

/// Coefficients of a step.
struct Step {
    h: f64,
    /// ∂θ̇₁/∂q̈, s.
    gain: f64,
    free: Option<Articulated<f32>>,
}

impl Motion {
    const NONE: Self = {
        let zero = V3 {
            x: 0.0,
            y: 0.0,
            z: 0.0,
        };
        Self {
            alpha: zero,
            a: zero,
            omega: zero,
            v: zero,
        }
    };

    /// Velocity of a point at `r` from the joint, m/s.
    fn velocity_of(&self, r: V3<f64>) -> V3<f64> {
        self.v + self.omega.cross(r)
    }
}

impl Node {
    /// Motion on a parent that moves like `below`, with H⁻¹u = `turn`; θ̇ = `rate` + `gain` q̈. `share` is 0 where only changes are asked for, else 1.
    fn carried(&self, below: &Motion, turn: V3<f64>, share: f64, gain: f64) -> Motion {
        let alpha = below.alpha + self.bias[0] * share;
        let a = below.a + below.alpha.cross(self.arm) + self.bias[1] * share;
        let rate = self.rate * share;
        let q = turn - self.on_alpha.apply(alpha) - self.on_a.apply(a);
        Motion {
            alpha: alpha + q,
            a,
            omega: below.omega + rate + q * gain,
            v: below.v + below.omega.cross(self.arm),
        }
    }

    /// (1): what the parent feels at its joint of Δτ and Δf here.
    fn passed_on(&self, [torque, force]: [V3<f64>; 2]) -> [V3<f64>; 2] {
        let behind = force - self.on_a.apply_transposed(torque);
        let torque = torque - self.on_alpha.apply_transposed(torque);
        [torque + self.arm.cross(behind), behind]
    }
}

/// Δτ and Δf of a force at `r` from the joint.
fn load_of(r: V3<f64>, force: V3<f64>) -> [V3<f64>; 2] {
    [-r.cross(force), -force]
}

impl Ways {
    /// Collects the bodies between contacts and root, parents first.
    fn follow(&mut self, tree: &Tree, contacts: &[Contact], scheme: &Scheme) {
        self.index.resize(tree.len(), 0);
        self.nodes.clear();
        for id in self.ids.drain(..) {
            self.index[id as usize] = 0;
        }
        let mut way = Vec::new();
        for contact in contacts {
            let mut body = Some(contact.body);
            while let Some(id) = body.filter(|id| self.index[id.index()] == 0) {
                way.push(id);
                body = tree.parent_of(id);
            }
            let mut parent = body.map(|id| self.index[id.index()] - 1);
            for id in way.drain(..).rev() {
                self.nodes.push(tree.node(id, parent, scheme));
                self.ids.push(id.0);
                parent = Some(self.nodes.len() as u32 - 1);
                self.index[id.index()] = self.nodes.len() as u32;
            }
        }
        self.motions.resize(self.nodes.len(), Motion::NONE);
        self.turns.resize(self.nodes.len(), V3::zero());
        self.loads.resize(self.nodes.len(), [V3::zero(); 2]);
    }

    fn node_of(&self, contact: &Contact) -> usize {
        self.index[contact.body.index()] as usize - 1
    }

    /// Motion of all nodes on an anchor that moves like `ground`: of the tree without contacts, or the change by `turns`.
    fn go_down(&mut self, ground: &Motion, whole: bool, gain: f64) {
        for (k, node) in self.nodes.iter().enumerate() {
            let below = node
                .parent
                .map_or(*ground, |parent| self.motions[parent as usize]);
            self.motions[k] = if whole {
                node.carried(&below, node.turn, 1.0, gain)
            } else {
                node.carried(&below, self.turns[k], 0.0, gain)
            };
        }
    }

    /// Response of all contacts to a unit force along each axis at each contact, (m/s)/N.
    fn respond(&mut self, contacts: &[Contact], arms: &[V3<f64>], step: &Step) {
        let n = contacts.len();
        let none = Matrix3 {
            x: V3::zero(),
            y: V3::zero(),
            z: V3::zero(),
        };
        self.response.clear();
        self.response.resize(n * n, none);
        let axes = Matrix3::<f64>::identity();
        for i in 0..n {
            for (axis, along) in [axes.x, axes.y, axes.z].into_iter().enumerate() {
                self.turns.iter_mut().for_each(|turn| *turn = V3::zero());
                let mut load = load_of(arms[i], along);
                let mut at = self.node_of(&contacts[i]);
                let ground = loop {
                    let node = &self.nodes[at];
                    self.turns[at] = -node.inverse.apply(load[0]);
                    match node.parent {
                        Some(parent) => {
                            load = node.passed_on(load);
                            at = parent as usize;
                        }
                        None => break step.answer_of_anchor(node, load),
                    }
                };
                self.go_down(&ground, false, step.gain);
                for j in 0..n {
                    let velocity = self.motions[self.node_of(&contacts[j])].velocity_of(arms[j]);
                    let columns = &mut self.response[i * n + j];
                    *[&mut columns.x, &mut columns.y, &mut columns.z][axis] = velocity;
                }
            }
        }
    }
}

impl Step {
    /// How the anchor of a free tree answers to Δτ and Δf at its root; others stay where they are.
    fn answer_of_anchor(&self, root: &Node, [torque, force]: [V3<f64>; 2]) -> Motion {
        let Some(whole) = self.free else {
            return Motion::NONE;
        };
        let only = Articulated {
            torque: torque.narrow(),
            force: force.narrow(),
            ..whole
        };
        let (alpha, a) = only.free_acceleration();
        let a = a - alpha.cross(root.arm);
        Motion {
            alpha,
            a,
            omega: alpha * self.h,
            v: a * self.h,
        }
    }
}

impl Tree {
    /// What contacts need to know of a joint after the way up.
    fn node(&self, id: crate::desc::BodyId, parent: Option<u32>, scheme: &Scheme) -> Node {
        let place = self.places[id.index()];
        let (block, slot) = (&self.blocks[place.block as usize], place.slot as usize);
        let (tile, lane) = crate::block::tile_of(slot);
        let way = block.work[tile].get::<f32>(lane);
        let state = block.joint(slot);
        let wide = |m: Matrix3<f32>| Matrix3 {
            x: m.x.widen(),
            y: m.y.widen(),
            z: m.z.widen(),
        };
        let joint = way.joint.widen();
        let step = &scheme.integrator;
        let (_, rate, _) = step.finish(state.theta, state.rate, state.accel, V3::zero());
        let locked = parent.is_none() && !scheme.root_turns;
        let share = if locked { 0.0 } else { 1.0 };
        let on_alpha = wide(way.hinge.on_alpha);
        let inverse = block.inverses[tile].get(lane).widen();
        let bias = if scheme.velocity_products {
            let [turn, shift] = &block.biases[tile];
            [turn.get(lane).widen(), shift.get(lane).widen()]
        } else {
            [V3::zero(); 2]
        };
        Node {
            parent,
            place,
            arm: way.arm.widen(),
            turn: way.hinge.turn.widen() * share,
            on_alpha: scaled(on_alpha, share),
            on_a: scaled(wide(way.hinge.on_a), share),
            inverse: inverse.scale(share),
            rate: joint.rotate(rate.widen()) * share,
            bias,
        }
    }

    /// Has the way up keep what contacts need of it.
    pub(crate) fn expect_contacts(&mut self) {
        for block in &mut self.blocks {
            block.inverses.clear();
        }
        let touched = self.visit.contacts.iter().chain(&self.visit.meeting);
        if touched.clone().next().is_none() {
            return;
        }
        let spine = [0].into_iter();
        let blocks = spine.chain(touched.map(|c| c.place.block as usize));
        for block in blocks {
            let block = &mut self.blocks[block];
            block.inverses.resize(block.links.len(), NONE);
        }
    }

    /// Velocities at the end of a step of `h` s that starts at `seconds` of the points of contact, were there none, after its way up; their arms, and into
    /// `ways` how they answer.
    pub(super) fn foresee(
        &self,
        ways: &mut Ways,
        contacts: &[Contact],
        scheme: &Scheme,
        seconds: f64,
        h: f64,
    ) -> Foreseen {
        ways.follow(self, contacts, scheme);
        let next = self.coupled_anchor(seconds, h);
        let mean = self.anchor.mean_to(&next, h);
        let step = Step {
            h,
            gain: scheme.integrator.rate_gain().into(),
            free: (self.root == RootKind::Free).then_some(self.blocks[0].whole),
        };
        ways.go_down(&ground_motion(&next, &mean), true, step.gain);
        let joint_of =
            |c: &Contact| self.blocks[c.place.block as usize].frame(c.place.slot as usize);
        let arm = |c: &Contact| joint_of(c).rotation.rotate(c.point_in_body).widen();
        let arms: Vec<V3<f64>> = contacts.iter().map(arm).collect();
        let velocity = |c: &Contact, r: &V3<f64>| ways.motions[ways.node_of(c)].velocity_of(*r);
        let velocities = contacts.iter().zip(&arms);
        let velocities = velocities.map(|(c, r)| velocity(c, r)).collect();
        ways.respond(contacts, &arms, &step);
        Foreseen { arms, velocities }
    }

    /// Gives the tree an impulse at each contact, N·s, as forces over the step of `h` s whose way down is still to come.
    pub(super) fn take_impulses(
        &mut self,
        ways: &mut Ways,
        contacts: &[Contact],
        arms: &[V3<f64>],
        impulses: impl Iterator<Item = V3<f32>>,
        h: f64,
    ) {
        for load in &mut ways.loads {
            *load = [V3::zero(); 2];
        }
        for ((contact, r), impulse) in contacts.iter().zip(arms).zip(impulses) {
            let [torque, force] = load_of(*r, impulse.widen() * (1.0 / h));
            let sum = &mut ways.loads[ways.index[contact.body.index()] as usize - 1];
            sum[0] += torque;
            sum[1] += force;
        }
        self.press(ways);
    }

    /// Solves the contacts of a step of `h` s that starts at `seconds`, after its way up.
    pub(crate) fn answer_contacts(&mut self, scheme: &Scheme, seconds: f64, h: f64) {
        if self.visit.contacts.is_empty() {
            return;
        }
        let mut ways = core::mem::take(&mut self.ways);
        let mut visit = core::mem::take(&mut self.visit);
        let foreseen = self.foresee(&mut ways, &visit.contacts, scheme, seconds, h);
        let impulses = Solve::new(
            &visit.contacts,
            &visit.visitors,
            &ways.response,
            foreseen.velocities,
            h,
        );
        let impulses = impulses.solved();
        let root = self.root_position();
        let (mut blow, mut struck) = (V3::zero(), false);
        for (contact, answer) in visit.contacts.iter().zip(&impulses) {
            let visitor = &mut visit.visitors[contact.visitor];
            let impulse = answer.impulse.narrow();
            blow -= (contact.point - root).cross(impulse).widen();
            visitor.give(contact.point_on(visitor), impulse);
            visitor.touched |= answer.impulse.dot(answer.impulse) > 0.0;
            if answer.approach < -f64::from(STROKE) && visitor.touched {
                struck = true;
                visit.strokes.push(Stroke {
                    contact: *contact,
                    impulse: -impulse,
                    velocity: answer.velocity.narrow(),
                });
            }
        }
        // What the visitor got is what the tree gave, bit by bit.
        let given = impulses.iter().map(|answer| -answer.impulse.narrow());
        self.take_impulses(&mut ways, &visit.contacts, &foreseen.arms, given, h);
        self.ways = ways;
        self.visit = visit;
        if struck {
            self.note_blow(blow.length());
        }
    }

    /// (1) of all contacts at once, into what the way down reads.
    fn press(&mut self, ways: &mut Ways) {
        for k in (0..ways.nodes.len()).rev() {
            let (node, load) = (&ways.nodes[k], ways.loads[k]);
            let block = &mut self.blocks[node.place.block as usize];
            let (tile, lane) = crate::block::tile_of(node.place.slot as usize);
            block.work[tile].add_turn(lane, (-node.inverse.apply(load[0])).narrow());
            match node.parent {
                Some(parent) => {
                    let [torque, force] = node.passed_on(load);
                    let below = &mut ways.loads[parent as usize];
                    below[0] += torque;
                    below[1] += force;
                }
                None => {
                    block.whole.torque += load[0].narrow();
                    block.whole.force += load[1].narrow();
                }
            }
        }
    }
}

fn ground_motion(next: &Anchor, mean: &crate::root::RigidMotion) -> Motion {
    Motion {
        alpha: mean.angular_acceleration.widen(),
        a: mean.acceleration.widen(),
        omega: next.angular_velocity,
        v: next.velocity,
    }
}

pub(super) fn scaled(m: Matrix3<f64>, k: f64) -> Matrix3<f64> {
    Matrix3 {
        x: m.x * k,
        y: m.y * k,
        z: m.z * k,
    }
}

/// What came out for a contact.
#[derive(Clone, Copy, Debug)]
struct Answer {
    /// On the visitor, N·s.
    impulse: V3<f64>,
    /// u₀ and its normal part, m/s.
    velocity: V3<f64>,
    approach: f64,
}

/// (2).
struct Solve<'a> {
    contacts: &'a [Contact],
    visitors: &'a [Visitor],
    response: &'a [Matrix3<f64>],
    h: f64,
    /// Of the tree's points, m/s.
    velocities: Vec<V3<f64>>,
    /// Linear and angular of the visitors.
    moving: Vec<[V3<f64>; 2]>,
    answers: Vec<Answer>,
}

impl<'a> Solve<'a> {
    fn new(
        contacts: &'a [Contact],
        visitors: &'a [Visitor],
        response: &'a [Matrix3<f64>],
        velocities: Vec<V3<f64>>,
        h: f64,
    ) -> Self {
        let moving = visitors
            .iter()
            .map(|v| [v.velocity.widen(), v.angular_velocity.widen()]);
        let mut solve = Self {
            contacts,
            visitors,
            response,
            h,
            velocities,
            moving: moving.collect(),
            answers: Vec::new(),
        };
        solve.answers = (0..contacts.len())
            .map(|i| {
                let velocity = solve.relative(i);
                Answer {
                    impulse: V3::zero(),
                    velocity,
                    approach: velocity.dot(contacts[i].normal.widen()),
                }
            })
            .collect();
        solve
    }

    /// u of a contact, m/s.
    fn relative(&self, i: usize) -> V3<f64> {
        let contact = &self.contacts[i];
        let [v, omega] = self.moving[contact.visitor];
        let r = contact.point_on(&self.visitors[contact.visitor]).widen();
        v + omega.cross(r) - self.velocities[i]
    }

    fn solved(mut self) -> Vec<Answer> {
        for _ in 0..ROUNDS {
            for i in 0..self.contacts.len() {
                self.solve_one(i);
            }
        }
        self.answers
    }

    fn solve_one(&mut self, i: usize) {
        let contact = &self.contacts[i];
        let visitor = &self.visitors[contact.visitor];
        let (normal, n) = (contact.normal.widen(), self.contacts.len());
        let own = scaled(self.response[i * n + i], 1.0 / self.h);
        let per_mass = f64::from(visitor.per_mass);
        let along = normal.dot(own.apply(normal)) + per_mass;
        let arm = contact.point_on(visitor).widen();
        let across = own.x.x + own.y.y + own.z.z - normal.dot(own.apply(normal))
            + per_mass
            + f64::from(visitor.per_inertia) * arm.dot(arm);
        let before = self.answers[i].impulse;
        let u = self.relative(i);
        let pressed = before.dot(normal);
        let pressed = (pressed - (u.dot(normal) - self.bound(i)) / along.max(1e-12)).max(0.0);
        let sliding = u - normal * u.dot(normal);
        let mut held = before - normal * before.dot(normal) - sliding * (1.0 / across.max(1e-12));
        let most = f64::from(visitor.friction) * pressed;
        let size = held.length();
        if size > most {
            held = held * (most / size);
        }
        let after = normal * pressed + held;
        let change = after - before;
        self.answers[i].impulse = after;
        let [v, omega] = &mut self.moving[contact.visitor];
        *v += change * per_mass;
        *omega += arm.cross(change) * f64::from(visitor.per_inertia);
        for (j, velocity) in self.velocities.iter_mut().enumerate() {
            *velocity -= self.response[i * n + j].apply(change) * (1.0 / self.h);
        }
    }

    /// b, m/s.
    fn bound(&self, i: usize) -> f64 {
        let contact = &self.contacts[i];
        let visitor = &self.visitors[contact.visitor];
        let (gap, approach) = (f64::from(contact.gap), self.answers[i].approach);
        let bounce = if approach < -f64::from(STROKE) {
            -approach * f64::from(visitor.restitution)
        } else {
            0.0
        };
        if gap > 0.0 && (bounce == 0.0 || visitor.per_mass == 0.0) {
            -gap / self.h
        } else if visitor.per_mass == 0.0 {
            // What nothing moves moves the tree out of its way.
            mended_at(-gap, self.h)
        } else {
            // Both give way, each as it answers: to move what struck instead would turn its momentum about the root.
            bounce.max(mended_at(-gap - f64::from(SLOP), self.h))
        }
    }
}

/// How fast an overlap of `deep` m is mended by steps of `h` s, m/s.
fn mended_at(deep: f64, h: f64) -> f64 {
    (deep * f64::from(MENDED) / h).clamp(0.0, MOST_MENDING.into())
}
