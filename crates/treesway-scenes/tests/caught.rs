//! What stays where a wind has left it is held there by what it leans on, and by nothing else: the forces of its springs and its weight are balanced by pushes of
//! contacts that press and never pull, within their cones of friction. Without friction, which is tried, too, there is by Farkas' lemma then no way on which it could give way and stay clear of
//! what it touches. Forces, and what pushes do on joints, are made here in double precision from what a tree tells of its bodies; of the engine only
//! its pose and nearest points are used, which have tests of their own.

use rayon::prelude::*;
use std::f64::consts::TAU;
use treesway::ccd::{Hull, nearest};
use treesway::elements::{Elements, Part, Shape};
use treesway::glam::{DQuat, DVec2, DVec3, Vec3};
use treesway::math::V3;
use treesway::{Body, BodyKind, Tree, TreeId};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// What is nearer than the gap and this touches, m: pushes lead a quarter of the gap of half a millimetre beyond it.
const TOUCHING: f64 = 2e-4;

/// Of the pyramid that stands for a cone of friction.
const EDGES: usize = 8;

/// Rounds in which pushes are looked for.
const ROUNDS: usize = 20_000;

/// A tree in double precision.
struct Pose {
    bodies: Vec<Body>,
    position: Vec<DVec3>,
    rotation: Vec<DQuat>,
}

impl Pose {
    fn new(bodies: &[Body], theta: impl Fn(usize) -> DVec3) -> Self {
        let mut pose = Self {
            bodies: bodies.to_vec(),
            position: Vec::new(),
            rotation: Vec::new(),
        };
        let anchor = bodies[0].pose.position.as_dvec3();
        for (i, body) in bodies.iter().enumerate() {
            let (position, below) = match body.parent {
                Some(parent) => {
                    let (p, r) = (pose.position[parent.index()], pose.rotation[parent.index()]);
                    (p + r * body.joint_in_parent.as_dvec3(), r)
                }
                None => (anchor, DQuat::IDENTITY),
            };
            let turn = below * body.joint_rotation.as_dquat() * DQuat::from_scaled_axis(theta(i));
            pose.position.push(position);
            pose.rotation.push(turn.normalize());
        }
        pose
    }

    fn now(bodies: &[Body]) -> Self {
        Self::new(bodies, |i| bodies[i].theta.as_dvec3())
    }

    /// World from the frame of a joint, which does not turn with its body.
    fn joint_frame(&self, body: usize) -> DQuat {
        let own = &self.bodies[body];
        let below = own
            .parent
            .map_or(DQuat::IDENTITY, |p| self.rotation[p.index()]);
        below * own.joint_rotation.as_dquat()
    }

    /// Turn of a body in the world per change of each component of its θ, by differences.
    fn turns(&self, body: usize, theta: DVec3) -> [DVec3; 3] {
        let out = self.joint_frame(body);
        DVec3::AXES.map(|axis| {
            let d = 1e-5;
            let [to, from] = [d, -d].map(|d| DQuat::from_scaled_axis(theta + axis * d));
            out * ((to * from.conjugate()).to_scaled_axis() / (2.0 * d))
        })
    }

    /// Work of a torque in the world about the joint of a body, per change of its θ.
    fn to_theta(&self, body: usize, theta: DVec3, torque: DVec3) -> DVec3 {
        DVec3::from_array(self.turns(body, theta).map(|turn| turn.dot(torque)))
    }

    /// What weight does on all joints, N·m, by components of θ.
    fn weight(&self, theta: impl Fn(usize) -> DVec3) -> Vec<DVec3> {
        let mut moment: Vec<(f64, DVec3)> = (self.bodies.iter().enumerate())
            .map(|(i, b)| {
                let com = self.position[i] + self.rotation[i] * b.com_in_body.as_dvec3();
                (f64::from(b.mass), com * f64::from(b.mass))
            })
            .collect();
        for i in (1..moment.len()).rev() {
            let parent = self.bodies[i].parent.expect("one root").index();
            let own = moment[i];
            moment[parent].0 += own.0;
            moment[parent].1 += own.1;
        }
        let on = moment.iter().enumerate().map(|(i, (mass, first))| {
            let torque = (*first - self.position[i] * *mass).cross(GRAVITY);
            self.to_theta(i, theta(i), torque)
        });
        on.collect()
    }
}

fn glam(p: V3<f64>) -> DVec3 {
    DVec3::new(p.x, p.y, p.z)
}

/// Two points that touch: what bodies they are of, where, and the normal from the first to the second.
struct Touch {
    parts: [Part; 2],
    at: [DVec3; 2],
    normal: DVec3,
}

/// Corners, edges and faces of a part, so that two that lie along each other touch in more than one point.
fn features(shape: &Shape<'_>) -> Vec<Hull> {
    let hull = |points: &[V3<f64>], radius: &[f64]| {
        let n = points.len();
        let of = |k: usize| k.min(n - 1);
        Hull {
            points: [0, 1, 2].map(|k| points[of(k)]),
            radius: [0, 1, 2].map(|k| radius[of(k)]),
            count: n.max(2),
        }
    };
    let mut all = Vec::new();
    match shape {
        Shape::Cone(cone) => {
            all.push(hull(&cone.ends, &cone.radius));
            all.extend([0, 1].map(|k| hull(&cone.ends[k..=k], &cone.radius[k..=k])));
        }
        Shape::Blade(blade) => {
            for t in blade.triangles() {
                all.push(hull(&t, &[0.0; 3]));
                for k in 0..3 {
                    all.push(hull(&[t[k], t[(k + 1) % 3]], &[0.0; 2]));
                    all.push(hull(&[t[k]], &[0.0]));
                }
            }
        }
    }
    all
}

/// All that touches.
fn touches(elements: &Elements, points: &[V3<f64>], gap: f64) -> Vec<Touch> {
    let parts: Vec<Part> = elements.all_parts().collect();
    let far = gap + TOUCHING;
    let bounds: Vec<_> = (parts.iter())
        .map(|&p| elements.shape(points, p).bounds())
        .collect();
    let apart = |a: usize, b: usize| {
        let ([a0, a1], [b0, b1]) = (bounds[a], bounds[b]);
        let over = |lo: f64, hi: f64| lo > hi + far;
        over(a0.x, b1.x)
            || over(b0.x, a1.x)
            || over(a0.y, b1.y)
            || over(b0.y, a1.y)
            || over(a0.z, b1.z)
            || over(b0.z, a1.z)
    };
    let mut found = Vec::new();
    for a in 0..parts.len() {
        for b in a + 1..parts.len() {
            if apart(a, b) || !elements.meet(parts[a], parts[b]) {
                continue;
            }
            let [of_a, of_b] = [a, b].map(|k| features(&elements.shape(points, parts[k])));
            for p in &of_a {
                for q in &of_b {
                    let near = nearest(p, q);
                    if near.distance > far {
                        continue;
                    }
                    let at = near.on.map(glam);
                    found.push(Touch {
                        parts: [parts[a], parts[b]],
                        at,
                        normal: (at[1] - at[0]).normalize(),
                    });
                }
            }
        }
    }
    found
}

/// A push of size one, as what it does on joints.
type Row = Vec<(usize, DVec3)>;

/// Forces on the second of two that touch, of which all that it may feel is a sum: the edges of a pyramid within the cone of friction.
fn pushes(touch: &Touch, friction: f64) -> Vec<DVec3> {
    if friction == 0.0 {
        return vec![touch.normal];
    }
    let (u, v) = touch.normal.any_orthonormal_pair();
    let edges = (0..EDGES).map(|k| {
        let round = DVec2::from_angle(TAU * k as f64 / EDGES as f64);
        touch.normal + (u * round.x + v * round.y) * friction
    });
    edges.collect()
}

/// What a force on the second of two that touch does on the joints of both chains, with its opposite on the first.
fn row(touch: &Touch, push: DVec3, pose: &Pose, elements: &Elements) -> Row {
    let mut row: Row = Vec::new();
    for side in 0..2 {
        let part = touch.parts[side];
        let force = push * if side == 0 { -1.0 } else { 1.0 };
        let leaf_foot = elements.kind(part.element()) == BodyKind::Leaf && !part.is_blade();
        let mut at = Some(part.element());
        if leaf_foot {
            at = elements.parent(part.element());
        }
        while let Some(body) = at {
            let torque = (touch.at[side] - pose.position[body]).cross(force);
            let theta = pose.bodies[body].theta.as_dvec3();
            let work = pose.to_theta(body, theta, torque);
            match row.iter_mut().find(|r| r.0 == body) {
                Some(r) => r.1 += work,
                None => row.push((body, work)),
            }
            at = elements.parent(body);
        }
    }
    row
}

/// What springs and weight leave on every joint, N·m, by components of θ: a spring is relaxed where weight leaves the joint at θ = 0.
fn forces(pose: &Pose) -> Vec<DVec3> {
    let home = Pose::new(&pose.bodies, |_| DVec3::ZERO).weight(|_| DVec3::ZERO);
    let weight = pose.weight(|i| pose.bodies[i].theta.as_dvec3());
    let bodies = pose.bodies.iter().enumerate();
    let left =
        bodies.map(|(i, b)| weight[i] - home[i] - b.stiffness.as_dvec3() * b.theta.as_dvec3());
    left.collect()
}

/// Pushes λ ≥ 0 that leave the least of the forces, |f + Σ λ row|² by the energy that the springs would store, one after the other; what they leave.
fn balanced(forces: &[DVec3], rows: &[Row], bodies: &[Body]) -> Vec<DVec3> {
    let soft: Vec<DVec3> = (bodies.iter())
        .map(|b| b.stiffness.as_dvec3().recip())
        .collect();
    let mut left = forces.to_vec();
    let mut lambda = vec![0.0; rows.len()];
    let sizes: Vec<f64> = (rows.iter())
        .map(|r| r.iter().map(|(j, w)| w.dot(*w * soft[*j])).sum())
        .collect();
    for _ in 0..ROUNDS {
        for (k, r) in rows.iter().enumerate() {
            let along: f64 = r.iter().map(|(j, w)| w.dot(left[*j] * soft[*j])).sum();
            let next = (lambda[k] - along / sizes[k]).max(0.0);
            for (j, w) in r {
                left[*j] += *w * (next - lambda[k]);
            }
            lambda[k] = next;
        }
    }
    left
}

/// ½ fᵀ K⁻¹ f, J.
fn energy(forces: &[DVec3], bodies: &[Body]) -> f64 {
    let each = forces.iter().zip(bodies);
    each.map(|(f, b)| 0.5 * f.dot(*f / b.stiffness.as_dvec3()))
        .sum()
}

/// The forces on all joints of a tree, and what pushes at all that touches, and at limits of joints, leave of them at best.
struct Balance {
    bodies: Vec<Body>,
    acting: Vec<DVec3>,
    left: Vec<DVec3>,
}

impl Balance {
    fn of(tree: &Tree) -> Self {
        let bodies: Vec<Body> = tree.ids().map(|id| tree.body(id)).collect();
        let pose = Pose::now(&bodies);
        for (body, position) in bodies.iter().zip(&pose.position) {
            let off = body.pose.position.as_dvec3().distance(*position);
            assert!(off < 1e-4, "the pose made here is {off} m off");
        }
        let settings = &tree.settings().self_contact;
        let (gap, friction) = (f64::from(settings.gap), f64::from(settings.friction));
        let elements = tree.contact_elements().expect("it is kept apart");
        let mut points = Vec::new();
        elements.pose_of_tree(tree, &mut points);
        let touches = touches(elements, &points, gap);
        let of_touch = |t| pushes(t, friction).into_iter().map(move |push| (t, push));
        let all = touches.iter().flat_map(of_touch);
        let rows = all.map(|(touch, push)| row(touch, push, &pose, elements));
        let mut rows: Vec<Row> = rows.collect();
        let limit = f64::from(tree.settings().limits.angle);
        for (i, body) in bodies.iter().enumerate() {
            let theta = body.theta.as_dvec3();
            if theta.length() > limit - 1e-3 {
                rows.push(vec![(i, -theta.normalize())]);
            }
        }
        let acting = forces(&pose);
        let left = balanced(&acting, &rows, &bodies);
        Self {
            bodies,
            acting,
            left,
        }
    }

    /// Of the energy of the forces, what is left.
    fn share_left(&self) -> f64 {
        energy(&self.left, &self.bodies) / energy(&self.acting, &self.bodies)
    }

    /// By how much the forces on one joint would turn it, rad: all of them, and what is left.
    fn turns(&self, body: usize) -> [f64; 2] {
        let stiffness = self.bodies[body].stiffness.as_dvec3();
        [self.acting[body], self.left[body]].map(|f| (f / stiffness).length())
    }
}

#[test]
fn what_stays_caught_is_held_by_what_it_leans_on() {
    let winds = ["[10,0,0]", "[-7,0,5]", "[-4,0,0]"];
    let runs = ["contact-small", "contact-medium"]
        .map(|name| winds.map(|wind| [0.3, 0.0].map(|friction| (name, wind, friction))));
    let runs = runs.as_flattened().as_flattened();
    runs.par_iter().for_each(|(name, wind, friction)| {
        let set = [
            format!("wind.velocity={wind}"),
            "wind.gusts.strength=0".to_owned(),
            format!("tree.settings.self_contact.friction={friction}"),
        ];
        let scene = treesway_scenes::find(name).unwrap();
        let mut simulation = scene.load(&set).unwrap().build().unwrap();
        let tips = |tree: &Tree| -> Vec<Vec3> { tree.ids().map(|id| tree.tip(id)).collect() };
        let rest = tips(simulation.world().tree(TreeId(0)));
        for _ in 0..900 {
            simulation.step();
        }
        simulation.world_mut().fields.clear();
        for _ in 0..5 {
            simulation.step();
        }
        // While it swings back forces are not balanced: this can fail.
        let swinging = Balance::of(simulation.world().tree(TreeId(0))).share_left();
        assert!(swinging > 0.5, "{swinging}");
        for _ in 0..900 {
            simulation.step();
        }
        let tree = simulation.world().tree(TreeId(0));
        let balance = Balance::of(tree);
        let share = balance.share_left();
        println!(
            "{name}, wind {wind}, μ = {friction}: {:.2} % of the energy of forces is not balanced, {:.0} % while it swung",
            share * 100.0,
            swinging * 100.0
        );
        let mut caught = 0;
        for (i, (tip, rest)) in tips(tree).iter().zip(&rest).enumerate() {
            let off = tip.distance(*rest);
            if off > 0.005 {
                caught += 1;
                let [all, left] = balance.turns(i);
                println!(
                    "  {name}, wind {wind}, μ = {friction}, {i}, {:.0} mm off: forces would turn it by {all:.3} rad, what is left of them by {left:.3}",
                    off * 1e3
                );
                assert!(left < 0.1 * all, "{i}: {left} of {all} rad");
            }
        }
        // Where nothing is caught nothing acts but rounding.
        assert!(share < 0.02 || caught == 0, "{share}");
    });
}
