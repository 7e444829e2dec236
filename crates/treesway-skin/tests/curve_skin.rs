//! Curves and rings of the particle tree.

use treesway::glam::{Quat, Vec3};
use treesway::{BodyDesc, BodyId, Shape, Solver, Tree, TreeDesc, TreeOptions, Wind, World};
use treesway_skin::{CurveSkin, CurveVertex};

fn segment(length: f32, radius: f32) -> Shape {
    Shape::Segment {
        length,
        base: radius,
        tip: 0.8 * radius,
    }
}

/// A chain of five that winds upwards, with a thinner branch at the end of the second.
fn winding() -> TreeDesc {
    let up = Quat::from_rotation_x(-core::f32::consts::FRAC_PI_2);
    let mut bodies = vec![BodyDesc::new(None, segment(1.0, 0.05), Vec3::ZERO, up)];
    for parent in 0..4 {
        let turn = Quat::from_rotation_z(0.7) * Quat::from_rotation_x(0.4);
        let shape = segment(1.0, 0.04);
        bodies.push(BodyDesc::new(Some(parent), shape, Vec3::Z, turn));
    }
    let side = Quat::from_rotation_y(0.9);
    bodies.push(BodyDesc::new(Some(1), segment(0.7, 0.02), Vec3::Z, side));
    TreeDesc { bodies }
}

fn blown() -> World {
    let mut options = TreeOptions::default();
    options.settings.solver = Solver::Particles;
    let mut world = World::default();
    world.add(Tree::build(&winding(), options).unwrap());
    world.fields.push(Box::new(Wind::steady(Vec3::X * 20.0)));
    for _ in 0..30 {
        world.step();
    }
    world
}

/// Each curve goes from joint to end, and is at p(½) = (9 (p₁ + p₂) − p₀ − p₃)/16 half-way.
#[test]
fn curves_go_through_the_particles() {
    let world = blown();
    let tree = &world.trees()[0];
    let mut skin = CurveSkin::new(tree, 4, 6);
    for resolution in [4, 2, 8] {
        skin.set_resolution(resolution);
        skin.bend(tree);
        assert_eq!(skin.curves().len(), 6);
        for (curve, id) in skin.curves().zip(tree.ids()) {
            assert_eq!(curve.len(), resolution as usize + 1);
            let (joint, end) = (tree.pose(id).position, tree.tip(id));
            assert!(curve[0].distance(joint) < 1e-6);
            assert!(curve[curve.len() - 1].distance(end) < 1e-6);
        }
        let half = resolution as usize / 2;
        let at = |id: u32| (tree.pose(BodyId(id)).position, tree.tip(BodyId(id)));
        let ((p0, p1), (_, p2), (_, p3)) = (at(0), at(1), at(2));
        let exact = (9.0 * (p1 + p2) - p0 - p3) / 16.0;
        let found = skin.curves().nth(1).unwrap()[half];
        assert!(found.distance(exact) < 1e-5, "{found} {exact}");
        // At its ends the chain goes on straight.
        let ((p0, p1), (_, p2)) = (at(3), at(4));
        let exact = (9.0 * (p1 + p2) - p0 - (2.0 * p2 - p1)) / 16.0;
        let found = skin.curves().nth(4).unwrap()[half];
        assert!(found.distance(exact) < 1e-5, "{found} {exact}");
    }
}

/// From ring to ring the first vertex turns with the curve and not about it.
#[test]
fn rings_do_not_twist() {
    let world = blown();
    let tree = &world.trees()[0];
    let sides = 6;
    let skin = CurveSkin::new(tree, 16, sides);
    let mut vertices = Vec::new();
    skin.vertices(&mut vertices);
    let curves: Vec<Vec<Vec3>> = skin.curves().map(<[Vec3]>::to_vec).collect();
    assert_eq!(vertices.len(), 6 * 17 * sides as usize);
    let ring = |branch: usize, k: usize| -> &[CurveVertex] {
        let start = (branch * 17 + k) * sides as usize;
        &vertices[start..start + sides as usize]
    };
    let mut turned = 0.0_f32;
    for (branch, curve) in curves.iter().enumerate() {
        for k in 1..15 {
            let along = |k: usize| (curve[k + 1] - curve[k - 1]).normalize();
            let (here, next) = (along(k), along(k + 1));
            let carried = Quat::from_rotation_arc(here, next) * ring(branch, k)[0].normal;
            let twist = carried.angle_between(ring(branch, k + 1)[0].normal);
            let turn = here.angle_between(next);
            turned = turned.max(turn);
            assert!(twist < 0.03, "branch {branch}, ring {k}: {twist}");
        }
        for (k, &point) in curve.iter().enumerate() {
            for n in 0..3 {
                let [a, b] = [ring(branch, k)[n], ring(branch, k)[n + 3]];
                assert_eq!(a.normal, -b.normal);
                assert!((a.normal.length() - 1.0).abs() < 1e-4);
                let middle = 0.5 * (a.position + b.position);
                assert!(middle.distance(point) < 1e-5);
            }
        }
    }
    assert!(turned > 0.02, "{turned}");
}

/// A branch and the one that goes on from it share a ring, although the second is thinner; the one beside it begins inside of them.
#[test]
fn no_gap_is_left_where_branches_meet() {
    let world = blown();
    let tree = &world.trees()[0];
    let (resolution, sides) = (3, 8);
    let skin = CurveSkin::new(tree, resolution, sides);
    let mut vertices = Vec::new();
    skin.vertices(&mut vertices);
    let ring = |branch: usize, k: usize| {
        let start = (branch * (resolution as usize + 1) + k) * sides as usize;
        &vertices[start..start + sides as usize]
    };
    for after in 1..5 {
        for (end, start) in ring(after - 1, 3).iter().zip(ring(after, 0)) {
            let gap = end.position.distance(start.position);
            assert!(gap < 1e-6, "before branch {after}: {gap} m");
        }
    }
    let (joint, radius) = (tree.tip(BodyId(1)), tree.body(BodyId(1)).radius[1]);
    for vertex in ring(5, 0) {
        assert!(vertex.position.distance(joint) < radius);
    }
}

#[test]
fn strips_join_every_ring_to_the_next_and_free_ends_are_closed() {
    let world = blown();
    let skin = CurveSkin::new(&world.trees()[0], 3, 8);
    let mut vertices = Vec::new();
    skin.vertices(&mut vertices);
    let triangles = skin.triangles();
    let (quads, free_ends) = (6 * 3 * 8, 2);
    assert_eq!(triangles.len(), 2 * quads + free_ends * 6);
    let curves: Vec<Vec<Vec3>> = skin.curves().map(<[Vec3]>::to_vec).collect();
    let mut ends = 0;
    for t in triangles {
        let [a, b, c] = t.map(|i| vertices[i as usize]);
        let face = (b.position - a.position).cross(c.position - a.position);
        let [first, last] = [t[0], t[2]].map(|vertex| vertex / 8);
        let outward = if t[1] / 8 == first && last == first {
            ends += 1;
            let curve = &curves[first as usize / 4];
            curve[3] - curve[2]
        } else {
            a.normal + b.normal + c.normal
        };
        assert!(face.dot(outward) > 0.0, "inside out");
    }
    assert_eq!(ends, free_ends * 6);
}
