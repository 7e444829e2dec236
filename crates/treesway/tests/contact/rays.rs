//! Rays end where the shapes begin.

use crate::common::trees::{Dice, pole, random_tree, single, upright};
use crate::common::{unloaded, world_of};
use treesway::glam::Vec3;
use treesway::{BodyId, BodyKind, Ray, Shape, TreeId};

/// A cone of radii 0.3 and 0.1 over 2 m: the slanted surface touches both balls, a/cos off the axis at its foot.
#[test]
fn ray_meets_a_tapered_branch_where_geometry_says() {
    let shape = Shape::Segment {
        length: 2.0,
        base: 0.3,
        tip: 0.1,
    };
    let world = world_of(&single(shape, upright()), unloaded());
    let cos = (1.0_f32 - 0.01).sqrt();
    for height in [0.2_f32, 1.0, 1.9] {
        let hit = world.cast_ray(Ray::new(Vec3::new(5.0, height, 0.0), Vec3::NEG_X * 3.0));
        let hit = hit.expect("the ray goes through the axis");
        let radius = (0.3 - 0.1 * height) / cos;
        assert!((hit.point.x - radius).abs() < 1e-5, "{hit:?}, not {radius}");
        assert!((hit.distance - (5.0 - radius)).abs() < 1e-5);
        assert!((hit.normal - Vec3::new(cos, 0.1, 0.0)).length() < 1e-5);
    }
    let top = world
        .cast_ray(Ray::new(Vec3::Y * 9.0, Vec3::NEG_Y))
        .unwrap();
    assert!((top.point.y - 2.1).abs() < 1e-5);
    let beside = Ray::new(Vec3::new(0.31, 9.0, 0.0), Vec3::NEG_Y);
    assert_eq!(world.cast_ray(beside), None);
    let short = Ray {
        most: 4.0,
        ..Ray::new(Vec3::new(5.0, 1.0, 0.0), Vec3::NEG_X)
    };
    assert_eq!(world.cast_ray(short), None);
    assert_eq!(world.cast_ray(Ray::new(Vec3::ZERO, Vec3::ZERO)), None);
}

/// Against marching along the ray by the distance to the nearest surface, which knows nothing of roots of quadratic equations.
#[test]
fn rays_through_a_crown_end_at_the_nearest_body() {
    let mut world = world_of(&random_tree(4000, 5), unloaded());
    let mut dice = Dice(1);
    let (mut wood, mut leaves) = (0, 0);
    for _ in 0..800 {
        let target = world
            .tree(TreeId(0))
            .pose(BodyId(dice.between(0.0, 3999.0) as u32));
        let origin = target.position + dice.direction() * 6.0;
        let direction = (target.position + dice.direction() * 0.02 - origin).normalize();
        let hit = world.cast_ray(Ray::new(origin, direction));
        let marched = {
            let tree = world.tree_mut(TreeId(0));
            let (mut t, mut step) = (0.0_f32, 0.25_f32);
            // Nothing solid within `step` of a point: the ray may go on by as much.
            while t < 20.0 && step > 1e-5 {
                let at = origin + direction * t;
                if tree
                    .overlaps(&[(at, step)], treesway::Pruning::Spheres)
                    .is_empty()
                {
                    t += step;
                    step = (step * 2.0).min(0.25);
                } else {
                    step *= 0.5;
                }
            }
            (t < 20.0).then_some(t)
        };
        match hit {
            Some(hit) if world.tree(TreeId(0)).body(hit.body).kind == BodyKind::Leaf => {
                leaves += 1;
                // Leaves hide what is behind them and are no obstacle to the march.
                assert!(marched.is_none_or(|t| t > hit.distance - 1e-3));
            }
            Some(hit) => {
                wood += 1;
                let marched = marched.expect("the march ends, too");
                assert!((marched - hit.distance).abs() < 2e-3, "{marched} {hit:?}");
            }
            None => assert_eq!(marched, None),
        }
    }
    assert!(wood > 100 && leaves > 50, "{wood} {leaves}");
}

/// Ids and trees are told apart, and what has left is still seen.
#[test]
fn rays_see_what_is_off_the_tree() {
    let mut world = world_of(&pole(4, 2.0, 0.05, 0.05), unloaded());
    let ray = Ray::new(Vec3::new(3.0, 1.75, 0.0), Vec3::NEG_X);
    assert_eq!(world.cast_ray(ray).unwrap().body, BodyId(3));
    world.tree_mut(TreeId(0)).detach(BodyId(3));
    assert_eq!(world.cast_ray(ray).unwrap().body, BodyId(3));
}
